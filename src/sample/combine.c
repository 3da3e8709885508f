/*
 * combine.c
 *	  One private value of the results of many blocks: their mean or their median.
 *
 * A row more, or less, replaces one of the results; their number is public and stays.  Both
 * combinations are measures of the results as if these were rows, of integers from the first:
 *
 * Mean: the sum of result - lower, clipped to 0 .. upper - lower.  Replacing one moves the sum by
 * at most what adding one would, so that all of epsilon goes into the noise; the sum is divided by
 * their number afterwards.
 *
 * Median: a choice among leaves by ranks.  Replacing a result is removing one and adding another:
 * two steps, each with half of epsilon.  Less would not do, since the two can move the scores on
 * either side of the median in opposite directions.
 */
#include "postgres.h"

#include <math.h>

#include "exact/clamp.h"
#include "sample/combine.h"

static const DprivMeasureKind *
kind_of(const char *name, int nargs)
{
	for (int i = 0; i < dpriv_nmeasures; i++)
		if (dpriv_measures[i].nargs == nargs && strcmp(dpriv_measures[i].name, name) == 0)
			return &dpriv_measures[i];
	elog(ERROR, "there is no measure %s", name);
}

void
dpriv_sample_prepare(SampleCombination *combination, DprivEpsilon epsilon)
{
	DprivMeasure *measure = &combination->measure;
	bool		is_mean = combination->is_mean;

	memset(measure, 0, sizeof(*measure));
	measure->kind = kind_of(is_mean ? "dp_sum_clipped" : "dp_median", 3);
	measure->result_type = FLOAT8OID;
	measure->epsilon = epsilon;
	if (!is_mean)
		measure->epsilon.noise /= 2;
	measure->args[1] = Float8GetDatum(is_mean ? 0.0 : combination->lower);
	measure->args[2] = Float8GetDatum(is_mean ? combination->upper - combination->lower :
									  combination->upper);
	dpriv_measure_check(measure);
	dpriv_measure_prepare(measure);
	measure->share[0] = epsilon.noise;
}

/* What dpriv.exact_sum() would have of result - lower. */
static Datum
exact_sum(const SampleCombination *combination, const double *result)
{
	const DprivGrid *grid = &combination->measure.grid;
	DprivInt8Array *exact = dpriv_make_int8_array(DPRIV_SUM_ELEMENTS);
	DprivClamp	clamp = {.lower = grid->lower, .upper = grid->upper};
	int128		sum = 0;

	clamp.steps_per_unit.value = ldexp(1.0, -grid->exponent);
	for (int i = 0; i < combination->blocks; i++)
		sum += dpriv_clamp(dpriv_quantise(result[i] - combination->lower, &clamp), &clamp);
	exact->value[DPRIV_SUM_LOW] = (int64) (uint64) sum;
	exact->value[DPRIV_SUM_HIGH] = (int64) (sum >> 64);
	exact->value[DPRIV_SUM_COUNT] = combination->blocks;
	return PointerGetDatum(exact);
}

/* What dpriv.exact_leaves() would have of the results. */
static Datum
exact_leaves(const SampleCombination *combination, const double *result)
{
	int			leaves = combination->measure.ncells;
	double		per_unit = leaves / (combination->upper - combination->lower);
	int64	   *count = palloc0(sizeof(int64) * leaves);
	int			used = 0;
	DprivInt8Array *exact;

	for (int i = 0; i < combination->blocks; i++)
	{
		double		leaf = floor((result[i] - combination->lower) * per_unit);

		count[(int) Min(Max(leaf, 0.0), leaves - 1.0)]++;
	}
	exact = dpriv_make_int8_array(2 * Min(leaves, combination->blocks));
	for (int leaf = 0; leaf < leaves; leaf++)
	{
		if (count[leaf] == 0)
			continue;
		exact->value[used++] = leaf;
		exact->value[used++] = count[leaf];
	}
	exact->length = used;
	SET_VARSIZE(exact, DPRIV_INT8_ARRAY_SIZE(used));
	return PointerGetDatum(exact);
}

double
dpriv_sample_combine(const SampleCombination *combination, const double *result)
{
	const DprivMeasure *measure = &combination->measure;
	double		lower = combination->lower;
	double		upper = combination->upper;
	double	   *filled = palloc(sizeof(double) * combination->blocks);
	int128		component[1];
	double		answer;

	for (int i = 0; i < combination->blocks; i++)
		filled[i] = isnan(result[i]) ? lower + (upper - lower) / 2 : result[i];
	dpriv_measure_draw(measure, combination->is_mean ? exact_sum(combination, filled) :
					   exact_leaves(combination, filled), false, component);
	answer = DatumGetFloat8(measure->kind->answer(measure, component));
	if (combination->is_mean)
		answer = lower + answer / combination->blocks;
	return Min(Max(answer, lower), upper);
}
