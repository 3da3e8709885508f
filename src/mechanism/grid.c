/*
 * grid.c
 *	  The power-of-two step on which values and noise are integers.
 *
 * The step depends on public parameters only: bounds and epsilon.
 */
#include "postgres.h"

#include <math.h>

#include "exact/exact.h"
#include "mechanism/grid.h"

#define BITS_BELOW_SCALE 40
#define BITS_OF_BOUND 61
#define BITS_OF_SCALE 54
#define LARGEST_EXACT_INTEGER 9007199254740992.0	/* 2^53 */

static bool
is_integer(double x)
{
	return fabs(x) <= LARGEST_EXACT_INTEGER && x == trunc(x);
}

/* The same quantisation as the exact aggregates use. */
static int64
quantise(double x, int exponent)
{
	return (int64) ldexp(x, -exponent);
}

DprivGrid
dpriv_grid_choose(double lower, double upper, double magnitude, double epsilon, bool integral)
{
	DprivGrid	grid;
	double		scale = magnitude / epsilon;
	int			scale_bits;
	int			bound_bits;

	if (integral && is_integer(lower) && is_integer(upper) && scale <= DPRIV_GRID_MAX_SCALE)
		grid.exponent = 0;
	else
	{
		(void) frexp(scale, &scale_bits);	/* scale in [2^(bits-1), 2^bits) */
		(void) frexp(Max(fabs(lower), fabs(upper)), &bound_bits);
		grid.exponent = Max(scale_bits - 1 - BITS_BELOW_SCALE, bound_bits - BITS_OF_BOUND);
	}
	grid.lower = quantise(lower, grid.exponent);
	grid.upper = quantise(upper, grid.exponent);
	return grid;
}

/*
 * With upper - lower < 2^range_bits and the step 2^(range_bits - bits), the bounds are less than
 * 2^bits steps apart before truncation and at most 2^bits after it.
 */
DprivGrid
dpriv_grid_choose_range(double lower, double upper, int bits)
{
	DprivGrid	grid;
	int			range_bits;
	int			bound_bits;

	(void) frexp(upper - lower, &range_bits);
	(void) frexp(Max(fabs(lower), fabs(upper)), &bound_bits);
	grid.exponent = Max(range_bits - bits, bound_bits - BITS_OF_BOUND);
	grid.lower = quantise(lower, grid.exponent);
	grid.upper = quantise(upper, grid.exponent);
	return grid;
}

DprivGrid
dpriv_grid_choose_norm(double norm, double smaller, double larger)
{
	DprivGrid	grid;
	int			smaller_bits;
	int			larger_bits;
	int			norm_bits;

	(void) frexp(smaller, &smaller_bits);
	(void) frexp(larger, &larger_bits);
	(void) frexp(norm, &norm_bits);
	grid.exponent = Max(Max(smaller_bits - 1 - BITS_BELOW_SCALE, larger_bits - BITS_OF_SCALE),
						norm_bits - BITS_OF_BOUND);
	grid.upper = quantise(norm, grid.exponent);
	grid.lower = -grid.upper;
	return grid;
}

int64
dpriv_grid_quantise(const DprivGrid *grid, double x)
{
	return quantise(x, grid->exponent);
}

/* As lower <= upper, no other of the four signed bounds can be the largest. */
int64
dpriv_grid_largest(const DprivGrid *grid)
{
	return Max(-grid->lower, grid->upper);
}

double
dpriv_grid_step(const DprivGrid *grid)
{
	return ldexp(1.0, grid->exponent);
}

Datum
dpriv_grid_datum(const DprivGrid *grid)
{
	Datum		part[DPRIV_GRID_ELEMENTS];

	part[DPRIV_GRID_EXPONENT] = Int64GetDatum(grid->exponent);
	part[DPRIV_GRID_LOWER] = Int64GetDatum(grid->lower);
	part[DPRIV_GRID_UPPER] = Int64GetDatum(grid->upper);
	return PointerGetDatum(construct_array(part, lengthof(part), INT8OID, sizeof(int64), true,
										   TYPALIGN_DOUBLE));
}
