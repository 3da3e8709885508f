/*
 * curve.h
 *	  The curve of delta against epsilon, read from the largest loss downwards.
 *
 * Every term is positive, so nothing cancels.  The functions are here to be inlined into loops of
 * millions of steps.
 */
#ifndef DPRIV_CURVE_H
#define DPRIV_CURVE_H

#include <math.h>

/*
 * The privacy curve of losses on a lattice, read from the largest one downwards.
 *
 * At each point of the lattice, delta is the curve's height there and tilted the sum of P[loss = L]
 * e^(point - L) over the losses above.  Both are kept as sums of two float8, so that ten million
 * steps lose nothing.  Probabilities are scaled by 2^shift, which puts slack near 1: then none that
 * matters underflows.
 */
typedef struct Curve
{
	double		fall;			/* 1 - e^-step, for losses one step apart */
	double		rise;			/* 1 + the largest relative error of probabilities */
	double		slack;			/* scaled */
	int			shift;
	double		delta;
	double		delta_low;
	double		tilted;
	double		tilted_low;
} Curve;

static inline void
curve_init(Curve *curve, double slack)
{
	memset(curve, 0, sizeof(*curve));
	frexp(slack, &curve->shift);
	curve->shift = Min(-curve->shift, 1000);
	curve->slack = ldexp(slack, curve->shift);
}

/* Move mass to an infinite loss. */
static inline void
curve_lose(Curve *curve, double mass)
{
	curve->delta += mass;
}

/* Add x to *high + *low, exactly but for the rounding of *low (Knuth's TwoSum). */
static inline void
add_twofold(double *high, double *low, double x)
{
	double		sum = *high + x;
	double		part = sum - *high;

	*low += (*high - (sum - part)) + (x - part);
	*high = sum;
}

/*
 * Take the mass at the current point and go one step down, unless the curve reaches slack before
 * the next point: then true, and curve_solve() says where.
 *
 * With P the mass here, tilted' = e^-step (tilted + P), and delta' = delta + (1 - e^-step) (tilted
 * + P).
 */
static inline bool
curve_step(Curve *curve, double mass)
{
	double		drop;

	add_twofold(&curve->tilted, &curve->tilted_low, mass);
	drop = curve->fall * (curve->tilted + curve->tilted_low);
	if ((curve->delta + curve->delta_low + drop) * curve->rise > curve->slack)
		return true;
	add_twofold(&curve->delta, &curve->delta_low, drop);
	add_twofold(&curve->tilted, &curve->tilted_low, -drop);
	return false;
}

/*
 * Where the curve is at slack, as the difference to the current point, if there is no mass in
 * between: delta + tilted (1 - e^x) = slack for x <= 0.  It may never get there; then -Infinity.
 */
static inline double
curve_solve(const Curve *curve)
{
	double		missing = curve->slack - (curve->delta + curve->delta_low) * curve->rise;
	double		available = (curve->tilted + curve->tilted_low) * curve->rise;

	/* By a rounding error of its sums, the curve may be above slack already. */
	missing = Max(missing, 0.0);
	return missing < available ? log1p(-missing / available) : -INFINITY;
}

#endif							/* DPRIV_CURVE_H */
