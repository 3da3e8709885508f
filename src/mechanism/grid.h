/*
 * grid.h
 *	  The power-of-two step on which values and noise are integers.
 */
#ifndef DPRIV_GRID_H
#define DPRIV_GRID_H

/*
 * A value x becomes q(x) = trunc(x * 2^-exponent), clamped to [lower, upper] as an integer.
 * Whatever q does to a value, it does to that row alone, so the sensitivity is an exact integer.
 */
typedef struct DprivGrid
{
	int			exponent;
	int64		lower;
	int64		upper;
} DprivGrid;

/* Largest scale, in steps, that an integer column keeps at step 1: 2^45. */
#define DPRIV_GRID_MAX_SCALE 35184372088832.0

/*
 * The grid for values between lower and upper (finite, lower < upper, at least one of them between
 * 1e-200 and 1e200 in size) when one row moves the result by at most magnitude, with noise of scale
 * magnitude / epsilon.
 *
 * Integer columns with integer bounds use step 1 up to DPRIV_GRID_MAX_SCALE.  Otherwise the step is
 * the largest power of two up to scale / 2^40, but never so small that a bound leaves 61 bits.
 */
extern DprivGrid dpriv_grid_choose(double lower, double upper, double magnitude, double epsilon,
								   bool integral);

/*
 * The finest grid whose bounds are at most 2^bits steps apart, for bounds as above that differ by
 * 1e-100 to 1e100, but never so fine that a bound leaves 61 bits; 1 <= bits <= 31.
 */
extern DprivGrid dpriv_grid_choose_range(double lower, double upper, int bits);

/*
 * The grid for vectors of at most this norm (1e-200 to 1e200) with noise of these scales on each
 * coordinate, the smaller of which may be chosen: the largest power of two up to smaller / 2^40,
 * unless the larger one would have 2^54 steps then.  The bounds are -norm and norm.
 */
extern DprivGrid dpriv_grid_choose_norm(double norm, double smaller, double larger);

/* A public number as the exact aggregates quantise it; at most 2^62 in size, in steps. */
extern int64 dpriv_grid_quantise(const DprivGrid *grid, double x);

/* max(|lower|, |upper|): how far one row can move a clipped sum, in steps. */
extern int64 dpriv_grid_largest(const DprivGrid *grid);

/* The step as a real number, 2^exponent. */
extern double dpriv_grid_step(const DprivGrid *grid);

/* The grid as the exact aggregates take it: int8[] {exponent, lower, upper}. */
extern Datum dpriv_grid_datum(const DprivGrid *grid);

#endif							/* DPRIV_GRID_H */
