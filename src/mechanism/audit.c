/*
 * audit.c
 *	  A record of what the noise was added to or a choice made from, in test builds only.
 *
 * One line per component, in the order of the draws, until dpriv_audit_take() hands the lines over:
 * number of the measure, number of the draw, measure name, component, exact value, noisy value,
 * sensitivity (steps; L1, or Euclidean if noise is Gaussian), share of epsilon (units of 1e-12),
 * numerator and denominator of the noise scale (steps) or of the variance of Gaussian noise (fine
 * steps^2), charge (units of 1e-12), step exponent, number of the release, "laplace" or "gaussian",
 * and then for Gaussian noise, else 0: delta (units of 1e-36), fine steps per step (a power of 2),
 * standard deviation as reported (steps); separated by tabs.
 *
 * A decision on a group is a line of its own: "selection", the value that decided, whether it was
 * kept, 1 if that is a released count, the threshold or the limit of the noise, the weight of the
 * lower limit in 2^-64, epsilon (units of 1e-12; of the sampler), delta.
 *
 * A choice has one line as well, with the word "choice" in place of the exact value, the chosen
 * cell in place of the noisy one, the divisor as sensitivity, epsilon as numerator and denominator,
 * and a last column: "loss*weight" for each run of cells, separated by blanks.  What is chosen next
 * depends on what was chosen before; dpriv_audit_force() makes that the same for neighbours.
 *
 * A first number below a limit has one line: "first" in place of the exact value, its place in that
 * of the noisy one, the scale of the noise on the limit; numerator and denominator of the scale of
 * that on the numbers in the place of fine steps and standard deviation; and a last column, the
 * limit and the numbers, separated by blanks.
 *
 * A component with noise that follows the rows has one line: "smooth" in place of the kind of
 * noise, alpha and 1 as numerator and denominator, delta, and in the last two columns the smooth
 * sensitivity (steps) and beta.
 *
 * A value that is published or not has one line: its distance, 1 or 0 in place of the noisy value,
 * "test" in place of the kind of noise, delta, and in the last two columns the threshold and the
 * value.
 *
 * A sum of vectors that a training releases is a line "vector": the sensitivity (steps), numerator
 * and denominator of the variance, the exact coordinates and the noise on each, separated by
 * blanks, and how many rows were sampled.
 *
 * The results of blocks of rows are a line "blocks", one number for each, separated by blanks.
 *
 * A measure keeps its number from group to group, so that whatever is drawn for one charge can be
 * added up.
 */
#include "postgres.h"

#include "mechanism/audit.h"

#ifdef DPRIV_AUDIT
#include "accounting/delta.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static StringInfo lines = NULL;
static int	ndraws = 0;
static int128 *exact_component;

/*
 * Measures drawn since the last call of dpriv_audit_take(), numbered by their address.  Only within
 * one statement is a number sure to mean one measure.
 */
static const DprivMeasure **measures = NULL;
static int *releases = NULL;
static int	nmeasures = 0;
static int	allocated = 0;

/* Not 0: what is chosen follows from it and from the number of choices so far. */
static uint64 forced = 0;
static int	nchoices = 0;

/* Rows that were sampled for the vector that comes next. */
static int	nsampled = 0;

static int
measure_number(const DprivMeasure *measure)
{
	for (int i = 0; i < nmeasures; i++)
		if (measures[i] == measure)
			return i;
	if (nmeasures == allocated)
	{
		allocated = Max(16, 2 * allocated);
		measures = measures ? repalloc(measures, sizeof(*measures) * allocated) :
			MemoryContextAlloc(TopMemoryContext, sizeof(*measures) * allocated);
		releases = releases ? repalloc(releases, sizeof(*releases) * allocated) :
			MemoryContextAlloc(TopMemoryContext, sizeof(*releases) * allocated);
	}
	measures[nmeasures] = measure;

	/* The measures of a release lie side by side and are drawn in their order. */
	if (nmeasures == 0)
		releases[nmeasures] = 0;
	else
		releases[nmeasures] = releases[nmeasures - 1] + (measure != measures[nmeasures - 1] + 1);
	return nmeasures++;
}

static void
append_int128(StringInfo out, int128 value)
{
	char		digits[48];
	int			at = sizeof(digits) - 1;
	bool		negative = value < 0;
	uint128		rest = negative ? -(uint128) value : (uint128) value;

	digits[at] = '\0';
	do
	{
		digits[--at] = '0' + (int) (rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (negative)
		digits[--at] = '-';
	appendStringInfoString(out, digits + at);
}

static void
append_scale(const DprivMeasure *measure, int sampler)
{
	const DprivGaussian *fine = &measure->gaussian[sampler].fine;
	const DprivLaplace *laplace = &measure->sampler[sampler];

	append_int128(lines, (int128) (measure->is_gaussian ? fine->num : laplace->num));
	appendStringInfoChar(lines, '\t');
	append_int128(lines, (int128) (measure->is_gaussian ? fine->den : laplace->den));
}

static void
append_gaussian(const DprivMeasure *measure, int sampler)
{
	const DprivGaussianNoise *noise = &measure->gaussian[sampler];
	int128		delta = 0;

	if (!measure->is_gaussian)
	{
		appendStringInfoString(lines, "laplace\t0\t0\t0");
		return;
	}
	(void) dpriv_delta_from_double(measure->delta, &delta);
	appendStringInfoString(lines, "gaussian\t");
	append_int128(lines, delta);
	appendStringInfo(lines, "\t" UINT64_FORMAT "\t%.17g", UINT64CONST(1) << noise->shift,
					 noise->sigma);
}

void
dpriv_audit_exact(const DprivMeasure *measure, const int128 *component)
{
	exact_component = palloc(sizeof(int128) * measure->ncomponents);
	memcpy(exact_component, component, sizeof(int128) * measure->ncomponents);
}

static StringInfo
record(void)
{
	if (lines == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		lines = makeStringInfo();
		MemoryContextSwitchTo(old);
	}
	return lines;
}

/* Vigna's splitmix64. */
static uint64
mix(uint64 x)
{
	x += UINT64CONST(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/*
 * Noisy counts that no draw depends on: a few large ones at random, and small ones beside them.
 */
static void
force_counts(int128 *component, int n)
{
	uint64		bits = mix(forced + nchoices++);

	memset(component, 0, sizeof(int128) * n);
	for (int i = 0; i < 1 + (int) (bits % 3); i++)
		component[mix(bits + i) % n] = INT64CONST(1) << 50;
}

void
dpriv_audit_noisy(const DprivMeasure *measure, const DprivMeasure *part, int128 *component,
				  bool decides)
{
	int			number = measure_number(measure);

	(void) record();
	if (decides && forced != 0)
		force_counts(component, part->ncomponents);
	for (int i = 0; i < part->ncomponents; i++)
	{
		int			sampler = i % part->nsamplers;

		appendStringInfo(lines, "%d\t%d\t%s\t%d\t", number, ndraws, measure->kind->name, i);
		append_int128(lines, exact_component[i]);
		appendStringInfoChar(lines, '\t');
		append_int128(lines, component[i]);
		appendStringInfo(lines, "\t" INT64_FORMAT "\t" INT64_FORMAT "\t",
						 part->is_gaussian ? dpriv_measure_euclidean(part, sampler) :
						 part->sensitivity[sampler],
						 part->share[sampler]);
		append_scale(part, sampler);
		appendStringInfo(lines, "\t" INT64_FORMAT "\t%d\t%d\t", measure->epsilon.charge,
						 part->grid.exponent, releases[number]);
		append_gaussian(part, sampler);
		appendStringInfoChar(lines, '\n');
	}
	ndraws++;
	pfree(exact_component);
}

void
dpriv_audit_choice(const DprivMeasure *measure, const DprivRun *run, int nruns,
				   const DprivRate *rate, uint32 *cell)
{
	uint64		cells = 0;

	for (int i = 0; i < nruns; i++)
		cells += run[i].weight;
	if (forced != 0)
	{
		uint64		bits = mix(forced + nchoices++);

		/* often one of those that have rows, if leaves have been divided into cells */
		*cell = (uint32) ((bits >> 1) % cells);
		if (bits & 1)
			*cell &= ~1023;
	}

	(void) record();
	appendStringInfo(lines, "%d\t%d\t%s\t0\tchoice\t%u\t" UINT64_FORMAT "\t",
					 measure_number(measure), ndraws++, measure->kind->name, *cell, rate->divisor);
	appendStringInfo(lines, INT64_FORMAT "\t" UINT64_FORMAT "\t" UINT64_FORMAT "\t" INT64_FORMAT,
					 measure->epsilon.noise, rate->num, rate->den, measure->epsilon.charge);
	appendStringInfo(lines, "\t0\t%d\tchoice\t0\t0\t0\t", releases[measure_number(measure)]);
	for (int i = 0; i < nruns; i++)
	{
		append_int128(lines, run[i].loss);
		appendStringInfo(lines, "*%u%s", run[i].weight, i < nruns - 1 ? " " : "");
	}
	appendStringInfoChar(lines, '\n');
}

void
dpriv_audit_release_if(const DprivMeasure *measure, int128 distance, int64 value, int64 share,
					   double threshold, const DprivLaplace *noise, bool *passed)
{
	int128		delta = 0;

	if (forced != 0)
		*passed = mix(forced + nchoices++) & 1;
	(void) record();
	(void) dpriv_delta_from_double(measure->delta, &delta);
	appendStringInfo(lines, "%d\t%d\t%s\t0\t", measure_number(measure), ndraws++,
					 measure->kind->name);
	append_int128(lines, distance);
	appendStringInfo(lines, "\t%d\t1\t" INT64_FORMAT "\t", *passed, share);
	append_int128(lines, (int128) noise->num);
	appendStringInfo(lines, "\t" UINT64_FORMAT "\t" INT64_FORMAT "\t0\t%d\ttest\t", noise->den,
					 measure->epsilon.charge, releases[measure_number(measure)]);
	append_int128(lines, delta);
	appendStringInfo(lines, "\t0\t%.17g\t" INT64_FORMAT "\n", threshold, value);
}

void
dpriv_audit_smooth(const DprivMeasure *measure, const int128 *component, int64 smooth, int64 alpha)
{
	int128		delta = 0;

	(void) record();
	(void) dpriv_delta_from_double(measure->delta, &delta);
	appendStringInfo(lines, "%d\t%d\t%s\t0\t", measure_number(measure), ndraws++,
					 measure->kind->name);
	append_int128(lines, exact_component[0]);
	appendStringInfoChar(lines, '\t');
	append_int128(lines, component[0]);
	appendStringInfo(lines, "\t1\t" INT64_FORMAT "\t" INT64_FORMAT "\t1\t" INT64_FORMAT
					 "\t%d\t%d\tsmooth\t", measure->epsilon.noise, alpha, measure->epsilon.charge,
					 measure->grid.exponent, releases[measure_number(measure)]);
	append_int128(lines, delta);
	appendStringInfo(lines, "\t0\t%.17g\t" INT64_FORMAT "\n", measure->beta, smooth);
	pfree(exact_component);
}

void
dpriv_audit_first_below(const DprivMeasure *measure, const int128 *query, int n, int128 limit,
						int64 sensitivity, const DprivLaplace *limit_noise,
						const DprivLaplace *query_noise, uint32 *cell)
{
	if (forced != 0)
		*cell = (uint32) (mix(forced + nchoices++) % (n + 1));

	(void) record();
	appendStringInfo(lines, "%d\t%d\t%s\t0\tfirst\t%u\t" INT64_FORMAT "\t" INT64_FORMAT "\t",
					 measure_number(measure), ndraws++, measure->kind->name, *cell, sensitivity,
					 measure->epsilon.noise);
	append_int128(lines, (int128) limit_noise->num);
	appendStringInfo(lines, "\t" UINT64_FORMAT "\t" INT64_FORMAT "\t0\t%d\tfirst\t0\t",
					 limit_noise->den, measure->epsilon.charge, releases[measure_number(measure)]);
	append_int128(lines, (int128) query_noise->num);
	appendStringInfo(lines, "\t" UINT64_FORMAT "\t", query_noise->den);
	append_int128(lines, limit);
	for (int i = 0; i < n; i++)
	{
		appendStringInfoChar(lines, ' ');
		append_int128(lines, query[i]);
	}
	appendStringInfoChar(lines, '\n');
}

PG_FUNCTION_INFO_V1(dpriv_audit_force);

/* dpriv_audit_force(bigint): the seed of all choices from now on, or 0. */
Datum
dpriv_audit_force(PG_FUNCTION_ARGS)
{
	forced = (uint64) PG_GETARG_INT64(0);
	nchoices = 0;
	PG_RETURN_VOID();
}

void
dpriv_audit_selection(const DprivSelection *selection, int128 value, bool kept)
{
	appendStringInfoString(record(), "selection\t");
	append_int128(lines, value);
	appendStringInfo(lines, "\t%d\t%d\t", kept, selection->by_count);
	appendStringInfo(lines, INT64_FORMAT "\t" UINT64_FORMAT "\t" INT64_FORMAT "\t%.17g\n",
					 selection->by_count ? selection->threshold : selection->limit,
					 selection->weight, selection->epsilon.noise, selection->delta);
}

/* If choices are forced, every row is in every sample. */
uint64
dpriv_audit_sample(uint64 sample, int n)
{
	if (forced != 0)
		sample = n < 64 ? (UINT64CONST(1) << n) - 1 : ~UINT64CONST(0);
	nsampled += pg_popcount64(sample);
	return sample;
}

/* If choices are forced, a row's block follows from its first value, which is a number of four bytes. */
int
dpriv_audit_block(int block, int nblocks, const Datum *value, int n)
{
	if (forced != 0 && n > 0)
		block = (int) (mix(forced + DatumGetUInt32(value[0])) % nblocks);
	return block;
}

void
dpriv_audit_blocks(const double *result, int n)
{
	appendStringInfoString(record(), "blocks\t");
	for (int i = 0; i < n; i++)
		appendStringInfo(lines, "%.17g%s", result[i], i < n - 1 ? " " : "\n");
}

void
dpriv_audit_exact_vector(const int64 *sum, int n)
{
	exact_component = palloc(sizeof(int128) * n);
	for (int i = 0; i < n; i++)
		exact_component[i] = sum[i];
}

/* If choices are forced, what is released is, too: some number of whatever size and sign. */
void
dpriv_audit_noisy_vector(int64 sensitivity, const DprivGaussian *gaussian, int64 *sum, int n)
{
	appendStringInfo(record(), "vector\t" INT64_FORMAT "\t", sensitivity);
	append_int128(lines, gaussian->num);
	appendStringInfoChar(lines, '\t');
	append_int128(lines, gaussian->den);
	appendStringInfoChar(lines, '\t');
	for (int i = 0; i < n; i++)
	{
		append_int128(lines, exact_component[i]);
		appendStringInfoChar(lines, i < n - 1 ? ' ' : '\t');
	}
	for (int i = 0; i < n; i++)
	{
		append_int128(lines, sum[i] - exact_component[i]);
		appendStringInfoChar(lines, i < n - 1 ? ' ' : '\t');
	}
	appendStringInfo(lines, "%d\n", nsampled);
	nsampled = 0;
	for (int i = 0; forced != 0 && i < n; i++)
	{
		uint64		bits = mix(forced + nchoices++);

		sum[i] = (int64) (mix(bits) >> (24 + bits % 24));
		if (bits & (UINT64CONST(1) << 40))
			sum[i] = -sum[i];
	}
	pfree(exact_component);
}

PG_FUNCTION_INFO_V1(dpriv_audit_take);

/* dpriv_audit_take() returns text: the lines since the last call. */
Datum
dpriv_audit_take(PG_FUNCTION_ARGS)
{
	text	   *result = cstring_to_text(lines ? lines->data : "");

	if (lines)
		resetStringInfo(lines);
	nmeasures = 0;
	ndraws = 0;
	nchoices = 0;
	PG_RETURN_TEXT_P(result);
}
#endif
