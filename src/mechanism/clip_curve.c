/*
 * clip_curve.c
 *	  Clipped sums at several upper bounds, all of them released together.
 *
 * With bounds 0 = c_0 < c_1 < ... < c_k in steps, component i is the increment of the sum from one
 * bound to the next: the sum over rows of clamp(v, c_i-1, c_i) - c_i-1.  A row of value v moves all
 * of them together by min(max(v, 0), c_k), so the L1 sensitivity is c_k, exactly.  Each gets noise
 * of scale c_k / epsilon, and the sum at c_i is that of the first i noisy increments.
 *
 * Its variance is i times that of a single sum with the bound c_k.  If the sums themselves had
 * noise, with c_1 + ... + c_k as L1 sensitivity, all of them would have that of scale (c_1 + ... +
 * c_k) / epsilon: for ten bounds at equal distances 5.5 c_k / epsilon, where here it is sqrt(i) c_k
 * / epsilon, 3.2 at most.  Only where bounds grow so fast that the largest is about all of their
 * sum is that less: for ten that double, 2 c_k / epsilon, from the fifth sum on.
 */
#include "postgres.h"

#include <math.h>

#include "mechanism/kinds.h"
#include "miscadmin.h"

/* Of the errors in the answer. */
#define CONFIDENCE 0.95

/* Increments, like other sums, and what half-widths are known for. */
StaticAssertDecl(DPRIV_MAX_CANDIDATES <= DPRIV_LAPLACE_SUMS, "errors of all sums must be known");

void
dpriv_clip_curve_check(DprivMeasure *measure)
{
	Datum	   *candidate;
	int			ncandidates = dpriv_real_elements(measure, &candidate);

	if (ncandidates < 1 || ncandidates > DPRIV_MAX_CANDIDATES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of candidates of %s is out of range", measure->kind->name),
				 errdetail("There must be from 1 to %d candidates.", DPRIV_MAX_CANDIDATES),
				 errhint("Ten or so show where the sums stop growing; more of them have larger "
						 "errors.")));
	for (int i = 0; i < ncandidates; i++)
	{
		double		bound = DatumGetFloat8(candidate[i]);

		CHECK_FOR_INTERRUPTS();
		if (!isfinite(bound) || !(bound > (i > 0 ? DatumGetFloat8(candidate[i - 1]) : 0.0)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("candidates of %s must be finite numbers above 0 in strictly "
							"increasing order", measure->kind->name),
					 errdetail("They are upper bounds; the lower one is 0."),
					 errhint("Sort the candidates and remove duplicates. For negative values pass "
							 "the value with the other sign.")));
	}
	measure->lower = 0.0;
	measure->upper = DatumGetFloat8(candidate[ncandidates - 1]);
	if (measure->upper < DPRIV_GRID_SMALLEST_BOUND || measure->upper > DPRIV_GRID_LARGEST_BOUND)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("candidates of %s are out of range", measure->kind->name),
				 errdetail("The largest one must lie between 1e-200 and 1e200."),
				 errhint("Rescale the value and its candidates.")));
	measure->ncomponents = ncandidates;
}

/* Whole numbers up to one that a float8 holds exactly. */
static bool
are_integers(const Datum *candidate, int ncandidates)
{
	for (int i = 0; i < ncandidates; i++)
		if (DatumGetFloat8(candidate[i]) != trunc(DatumGetFloat8(candidate[i])))
			return false;
	return true;
}

/* The grid and the candidates on it. */
void
dpriv_clip_curve_set_parameter(DprivMeasure *measure)
{
	Datum	   *candidate;
	int			ncandidates = dpriv_real_elements(measure, &candidate);
	Datum	   *part = palloc(sizeof(Datum) * (ncandidates + 1));

	measure->grid = dpriv_grid_choose(measure->lower, measure->upper, measure->upper,
									  dpriv_epsilon_to_double(measure->epsilon.noise),
									  measure->integral && are_integers(candidate, ncandidates));
	part[0] = Int64GetDatum(measure->grid.exponent);
	for (int i = 0; i < ncandidates; i++)
		part[i + 1] = Int64GetDatum(dpriv_grid_quantise(&measure->grid,
														DatumGetFloat8(candidate[i])));
	measure->parameter = PointerGetDatum(construct_array(part, ncandidates + 1, INT8OID,
														 sizeof(int64), true, TYPALIGN_DOUBLE));
}

void
dpriv_clip_curve_prepare(DprivMeasure *measure)
{
	int			ncandidates = measure->ncomponents;

	dpriv_clip_curve_set_parameter(measure);
	measure->nsamplers = 1;
	measure->sensitivity[0] = measure->grid.upper;
	measure->share[0] = measure->epsilon.noise;

	/* They are public: once for all groups. */
	dpriv_measure_init_samplers(measure);
	measure->error = palloc(sizeof(double) * ncandidates);
	dpriv_laplace_sums_half_width(&measure->sampler[0], ncandidates, CONFIDENCE, measure->error);
	for (int i = 0; i < ncandidates; i++)
		measure->error[i] = ldexp(measure->error[i], measure->grid.exponent);
}

/* From the highest interval down: an increment has all of its width from every row above it. */
void
dpriv_clip_curve_components(const DprivMeasure *measure, Datum exact, bool isnull,
							int128 *component)
{
	int			n = measure->ncomponents;
	const int64 *bound = ((DprivInt8Array *) DatumGetPointer(measure->parameter))->value + 1;
	DprivInt8Array *array;
	int128		above;

	memset(component, 0, sizeof(int128) * n);
	if (isnull)
		return;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	if (!dpriv_is_int8_array(array, DPRIV_CURVE_ELEMENTS(n)))
		elog(ERROR, "unexpected result of an exact clip curve");
	above = array->value[DPRIV_CURVE_ABOVE];
	for (int i = n - 1; i >= 0; i--)
	{
		const int64 *interval = &array->value[DPRIV_CURVE_INTERVAL(i)];
		int64		width = bound[i] - (i > 0 ? bound[i - 1] : 0);

		component[i] = (int128) dpriv_join_halves(&interval[DPRIV_CURVE_SUM]) + above * width;
		above += interval[DPRIV_CURVE_COUNT];
	}
}

Datum
dpriv_clip_curve_answer(const DprivMeasure *measure, const int128 *component)
{
	static const Oid type[] = {FLOAT8OID, FLOAT8OID, FLOAT8OID};
	Datum	   *candidate;
	int			n = dpriv_real_elements(measure, &candidate);
	Datum	   *value = palloc(sizeof(Datum) * n * lengthof(type));
	int128		sum = 0;

	for (int i = 0; i < n; i++)
	{
		sum += component[i];
		value[i * lengthof(type)] = candidate[i];
		value[i * lengthof(type) + 1] = Float8GetDatum(ldexp((double) sum, measure->grid.exponent));
		value[i * lengthof(type) + 2] = Float8GetDatum(measure->error[i]);
	}
	return dpriv_rows_answer(measure, value, n, type, lengthof(type));
}
