/*
 * sum.c
 *	  Clipped sums: one component, sensitivity max(|q(lower)|, |q(upper)|) steps.
 */
#include "postgres.h"

#include <math.h>

#include "mechanism/kinds.h"

void
dpriv_bounds_check(DprivMeasure *measure)
{
	dpriv_bounds_check_at(measure, 1, "value, lower, upper");
}

void
dpriv_bounds_check_at(DprivMeasure *measure, int first, const char *arguments)
{
	double		lower = DatumGetFloat8(measure->args[first]);
	double		upper = DatumGetFloat8(measure->args[first + 1]);
	double		largest = Max(fabs(lower), fabs(upper));

	if (!isfinite(lower) || !isfinite(upper))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds of %s must be finite numbers", measure->kind->name),
				 errhint("Choose bounds from what is publicly known of the column, not "
						 "from its values.")));
	if (lower >= upper)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lower bound of %s must be less than its upper bound", measure->kind->name),
				 dpriv_measure_takes_delta(measure->kind) ?
				 errhint("The arguments are (%s [, epsilon [, delta]]).", arguments) :
				 errhint("The arguments are (%s [, epsilon]).", arguments)));
	if (largest < DPRIV_GRID_SMALLEST_BOUND || largest > DPRIV_GRID_LARGEST_BOUND)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds of %s are out of range", measure->kind->name),
				 errdetail("The larger bound in size must lie between 1e-200 and 1e200."),
				 errhint("Rescale the value and its bounds.")));
	measure->lower = lower;
	measure->upper = upper;
}

void
dpriv_sum_prepare(DprivMeasure *measure)
{
	double		magnitude = Max(fabs(measure->lower), fabs(measure->upper));

	measure->grid = dpriv_grid_choose(measure->lower, measure->upper, magnitude,
									  dpriv_epsilon_to_double(measure->epsilon.noise),
									  measure->integral);
	measure->parameter = dpriv_grid_datum(&measure->grid);
	measure->nsamplers = 1;
	measure->sensitivity[0] = dpriv_grid_largest(&measure->grid);
	measure->share[0] = measure->epsilon.noise;
}

void
dpriv_exact_sum_parts(Datum exact, bool isnull, int128 *sum, int64 *count)
{
	DprivInt8Array *array;

	*sum = 0;
	*count = 0;
	if (isnull)
		return;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	if (!dpriv_is_int8_array(array, DPRIV_SUM_ELEMENTS))
		elog(ERROR, "unexpected result of an exact sum");
	*sum = (int128) (((uint128) (uint64) array->value[DPRIV_SUM_HIGH] << 64) |
					 (uint64) array->value[DPRIV_SUM_LOW]);
	*count = array->value[DPRIV_SUM_COUNT];
}

void
dpriv_sum_components(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	int64		count;

	dpriv_exact_sum_parts(exact, isnull, &component[0], &count);
}

Datum
dpriv_sum_answer(const DprivMeasure *measure, const int128 *component)
{
	return Float8GetDatum(ldexp((double) component[0], measure->grid.exponent));
}

double
dpriv_sum_half_width(const DprivMeasure *measure, const int128 *component, double confidence)
{
	return ldexp(dpriv_measure_noise_half_width(measure, 0, confidence), measure->grid.exponent);
}
