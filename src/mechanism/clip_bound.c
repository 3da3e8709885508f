/*
 * clip_bound.c
 *	  One of several upper bounds for clipped sums, chosen where a larger one no longer pays.
 *
 * From a bound c_i to the next one, a clipped sum gains the increment that clip_curve.c has, and
 * its noise grows by sqrt(2) (c_i+1 - c_i) / epsilon in standard deviation.  Divided by the width
 * of the interval, the gain is a number of rows: those that reach c_i+1, and of each in between its
 * part. The next bound pays while that number is above sqrt(2) / epsilon.
 *
 * One row more adds from 0 to 1 to each of these numbers, so the choice of the first one that is
 * below a limit gets all of epsilon (dpriv_measure_first_below).
 */
#include "postgres.h"

#include <math.h>

#include "mechanism/kinds.h"

/* Numbers of rows are integers in units of 2^-ROW_BITS. */
#define ROW_BITS 16

/*
 * A bound too large costs its noise, one too small what is cut off.  Where bounds double, each step
 * beyond the last row doubles the error, so the limit is twice what pays: by simulation, see
 * docs/reference.md.
 */
#define LIMIT (2.0 * M_SQRT2)

/* More rows than there are, and no danger of an overflow. */
#define ALL_ROWS ((int128) 1 << 100)

void
dpriv_clip_bound_check(DprivMeasure *measure)
{
	dpriv_clip_curve_check(measure);
	measure->ncells = measure->ncomponents;
	measure->ndraws = measure->ncells;
	measure->ncomponents = 1;
}

void
dpriv_clip_bound_prepare(DprivMeasure *measure)
{
	dpriv_clip_curve_set_parameter(measure);
	measure->nsamplers = 0;
	measure->share[0] = measure->epsilon.noise;
	measure->nsteps[0] = 1;
}

/*
 * Rows above a bound, rounded down once: of what one row adds, 0 to 1, the quotient changes by no
 * more than a unit of a row either.  Bounds that are the same integer in steps are passed over.
 */
static int128
rows_gained(int128 increment, int64 width)
{
	if (width == 0)
		return ALL_ROWS;
	return ((increment / width) << ROW_BITS) + ((increment % width) << ROW_BITS) / width;
}

/* Component 0 is the number of the candidate. */
void
dpriv_clip_bound_select(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	int			n = measure->ncells;
	const int64 *bound = ((DprivInt8Array *) DatumGetPointer(measure->parameter))->value + 1;
	int128	   *query = palloc(sizeof(int128) * n);
	DprivMeasure curve = *measure;
	double		limit = LIMIT / dpriv_epsilon_to_double(measure->epsilon.noise);

	curve.ncomponents = n;
	dpriv_clip_curve_components(&curve, exact, isnull, query);
	for (int i = 1; i < n; i++)
		query[i] = rows_gained(query[i], bound[i] - bound[i - 1]);
	component[0] = dpriv_measure_first_below(measure, query + 1, n - 1,
											 (int128) ceil(ldexp(limit, ROW_BITS)),
											 INT64CONST(1) << ROW_BITS);
	pfree(query);
}

Datum
dpriv_clip_bound_answer(const DprivMeasure *measure, const int128 *component)
{
	Datum	   *candidate;

	(void) dpriv_real_elements(measure, &candidate);
	return candidate[component[0]];
}
