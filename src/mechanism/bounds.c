/*
 * bounds.c
 *	  Bounds found privately, and sums, means and variances of values clipped to them.
 *
 * A part of epsilon releases how many values lie in each bucket between two powers of two: a row is
 * in one of them, so the sensitivity of all counts together is 1 (Wilson et al., "Differentially
 * Private SQL with Bounded User Contribution", 2019).  The bounds follow from these noisy counts
 * alone, so everything that depends on the bounds, such as the sensitivity of what comes then, is
 * post-processing of them.  The rest of epsilon releases the clipped values, from exact sums by
 * bucket: the bounds are those of buckets.
 *
 * The components are the noisy counts, buckets ascending, then those of the clipped values.
 */
#include "postgres.h"

#include <math.h>

#include "mechanism/kinds.h"
#include "utils/array.h"

/* The counts get 1 / BOUNDS_PARTS of epsilon, unless there is nothing else to release. */
#define BOUNDS_PARTS 4

/*
 * A sum of counts over 1, 2 or 4 neighbouring buckets that noise alone reaches with probability
 * FAILURE somewhere is evidence of values there.  If there is none, FAILURE grows tenfold until it
 * is MAX_FAILURE; without evidence by then there are no bounds.
 */
#define FAILURE 1e-7
#define MAX_FAILURE 1e-3
static const int widths[] = {1, 2, 4};

/*
 * Further out than the evidence, the bucket at distance d is within the bounds if its count reaches
 * (STEP_COUNT + (d - 1) STEP_MORE) / epsilon: a bucket too many at distance d makes the noise 2^d
 * times larger, one too few costs what its values exceed the bound by.  Chosen, like BOUNDS_PARTS,
 * by simulation, see docs/reference.md.
 */
#define STEP_COUNT 5.0
#define STEP_MORE 2.0
#define MAX_STEPS 12

/* Digits of the largest bound that a sum keeps: all. */
#define SUM_DIGITS DPRIV_BUCKET_DIGITS

/* M^2 / epsilon of a variance stays well below 2^54 steps. */
#define BITS_OF_SCALE 50
#define MAX_VARIANCE_DIGITS 28

/* Bounds as numbers of buckets; of the values in bucket 0 the bounds are 0. */
typedef struct Bounds
{
	int			lowest;
	int			highest;
} Bounds;

/* Values between the bounds on a grid: the step is 2^exponent. */
typedef struct ClippedGrid
{
	int			exponent;
	int64		lower;
	int64		upper;
} ClippedGrid;

static int
first_exponent(const DprivMeasure *measure)
{
	return measure->integral ? DPRIV_BUCKET_FIRST_INTEGER : DPRIV_BUCKET_FIRST_REAL;
}

/* Buckets of either sign. */
static int
largest_bucket(const DprivMeasure *measure)
{
	return measure->integral ? DPRIV_BUCKET_LARGEST_INTEGER : DPRIV_BUCKET_LARGEST;
}

static int64
bounds_share(const DprivMeasure *measure)
{
	int64		epsilon = measure->epsilon.noise;

	return measure->ncomponents == measure->ncells ? epsilon : epsilon / BOUNDS_PARTS;
}

/*
 * Noisy counts to bounds
 */

/* P[the sum of so many Laplace variables of scale 1 exceeds x], x >= 0, for one of the widths. */
static double
tail(int width, double x)
{
	if (width == 1)
		return exp(-x) / 2.0;
	if (width == 2)
		return exp(-x) * (x + 2.0) / 4.0;
	return exp(-x) * (((x + 9.0) * x + 33.0) * x + 48.0) / 96.0;
}

static double
threshold(int width, double probability)
{
	double		low = 0.0;
	double		high = 64.0;

	while (high - low > 1e-6)
	{
		double		middle = (low + high) / 2;

		if (tail(width, middle) > probability)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Buckets with the largest count in a stretch of which the counts sum to evidence. */
static bool
find_evidence(const double *count, int ncells, double failure, int *lowest, int *highest)
{
	bool		found = false;

	for (int i = 0; i < lengthof(widths); i++)
	{
		int			width = widths[i];
		double		least = threshold(width, failure / (lengthof(widths) * ncells));

		for (int from = 0; from + width <= ncells; from++)
		{
			double		sum = 0.0;
			int			best = from;

			for (int at = from; at < from + width; at++)
			{
				sum += count[at];
				if (count[at] > count[best])
					best = at;
			}
			if (sum < least)
				continue;
			*lowest = found ? Min(*lowest, best) : best;
			*highest = found ? Max(*highest, best) : best;
			found = true;
		}
	}
	return found;
}

static int
step_out(const double *count, int ncells, int from, int direction)
{
	for (int d = 1; d <= MAX_STEPS; d++)
	{
		int			at = from + direction * d;

		if (at < 0 || at >= ncells)
			break;
		if (count[at] >= STEP_COUNT + (d - 1) * STEP_MORE)
		{
			from = at;
			d = 0;
		}
	}
	return from;
}

/* The bounds by the noisy counts alone; false: there are none. */
static bool
find_bounds(const DprivMeasure *measure, const int128 *component, Bounds *bounds)
{
	int			ncells = measure->ncells;
	double		epsilon = dpriv_epsilon_to_double(bounds_share(measure));
	double	   *count = palloc(sizeof(double) * ncells);
	bool		found = false;
	int			lowest = 0;
	int			highest = 0;

	for (int i = 0; i < ncells; i++)
		count[i] = (double) component[i] * epsilon;
	for (double failure = FAILURE; !found && failure < MAX_FAILURE * 1.5; failure *= 10.0)
		found = find_evidence(count, ncells, failure, &lowest, &highest);
	if (found)
	{
		bounds->lowest = step_out(count, ncells, lowest, -1) - largest_bucket(measure);
		bounds->highest = step_out(count, ncells, highest, 1) - largest_bucket(measure);
	}
	pfree(count);
	return found;
}

/* Size of the values of a bucket: the largest, and what all are larger than. */
static double
outer_edge(const DprivMeasure *measure, int bucket)
{
	return bucket == 0 ? 0.0 : ldexp(1.0, first_exponent(measure) + bucket);
}

/* Integers larger than 0 are as good as larger than 1/2. */
static double
inner_edge(const DprivMeasure *measure, int bucket)
{
	if (bucket == 0 || (bucket == 1 && measure->integral))
		return 0.0;
	return ldexp(1.0, first_exponent(measure) + bucket - 1);
}

static double
lower_bound(const DprivMeasure *measure, int bucket)
{
	return bucket > 0 ? inner_edge(measure, bucket) : 0.0 - outer_edge(measure, -bucket);
}

static double
upper_bound(const DprivMeasure *measure, int bucket)
{
	return bucket < 0 ? 0.0 - inner_edge(measure, -bucket) : outer_edge(measure, bucket);
}

/*
 * Exact results
 */

/* Clipped values by the exact sums of their buckets. */
typedef struct ClippedSums
{
	int128		below;			/* numbers of values */
	int128		inside;
	int128		above;
	int128		sum;			/* of those inside, in steps */
	int128		square;			/* sum of their squares */
} ClippedSums;

/* floor(value / 2^shift) */
static int128
shift_right(uint128 value, int shift)
{
	return shift > 127 ? 0 : (int128) (value >> shift);
}

/*
 * One row is in one bucket.  If it is inside, it adds some digits to the sum of its bucket, which
 * moves the quotient by its own exact quotient rounded up or down: by less than 1 from it.
 */
static ClippedSums
clipped_sums(Datum exact, bool isnull, int first, const Bounds *bounds, int exponent)
{
	ClippedSums sums = {0, 0, 0, 0, 0};
	DprivInt8Array *array;

	if (isnull)
		return sums;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	for (int at = 0; at < array->length; at += DPRIV_BUCKET_ELEMENTS)
	{
		int64	   *value = &array->value[at];
		int			bucket = (int) value[DPRIV_BUCKET_NUMBER];
		int64		count = value[DPRIV_BUCKET_COUNT];
		int			shift = exponent - (first + abs(bucket) - DPRIV_BUCKET_DIGITS);
		int128		sum;

		if (bucket < bounds->lowest)
			sums.below += count;
		else if (bucket > bounds->highest)
			sums.above += count;
		else
		{
			Assert(shift >= 0);
			sum = shift_right(dpriv_join_halves(&value[DPRIV_BUCKET_SUM]), shift);
			sums.inside += count;
			sums.sum += bucket < 0 ? -sum : sum;
			sums.square += shift_right(dpriv_join_halves(&value[DPRIV_BUCKET_SQUARE]), 2 * shift);
		}
	}
	return sums;
}

/* The counts of all buckets. */
static void
bucket_counts(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	DprivInt8Array *array;

	memset(component, 0, sizeof(int128) * measure->ncells);
	if (isnull)
		return;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	if (!dpriv_is_int8_array(array, array->length) || array->length % DPRIV_BUCKET_ELEMENTS != 0)
		elog(ERROR, "unexpected result of exact buckets");
	for (int at = 0; at < array->length; at += DPRIV_BUCKET_ELEMENTS)
	{
		int			cell = (int) array->value[at + DPRIV_BUCKET_NUMBER] + largest_bucket(measure);

		if (cell < 0 || cell >= measure->ncells)
			elog(ERROR, "unexpected result of exact buckets");
		component[cell] = array->value[at + DPRIV_BUCKET_COUNT];
	}
}

/*
 * What is released with bounds
 */

/* A sum gains nothing from bounds closer to zero on one side: as far as on the other. */
static void
widen(Bounds *bounds)
{
	int			largest = Max(abs(bounds->lowest), abs(bounds->highest));

	bounds->lowest = -largest;
	bounds->highest = largest;
}

/*
 * Digits of the squares: M <= 2^(digits + 1), and epsilon is at least 2^(bits - 1).
 */
static int
variance_digits(int64 share)
{
	int			bits;

	(void) frexp(dpriv_epsilon_to_double(share), &bits);
	return Min((BITS_OF_SCALE + bits - 1) / 2 - 1, MAX_VARIANCE_DIGITS);
}

/*
 * The larger bound in size has 2^digits steps.  Integers that are summed keep step 1 if the digits
 * are enough for them.
 */
static ClippedGrid
make_grid(const DprivMeasure *measure, const Bounds *bounds, int digits, bool whole)
{
	int			largest = first_exponent(measure) + Max(abs(bounds->lowest), abs(bounds->highest));
	ClippedGrid grid;

	grid.exponent = largest - digits;
	if (whole && measure->integral && grid.exponent < 0)
		grid.exponent = 0;
	grid.lower = (int64) floor(ldexp(lower_bound(measure, bounds->lowest), -grid.exponent));
	grid.upper = (int64) ceil(ldexp(upper_bound(measure, bounds->highest), -grid.exponent));
	return grid;
}

/*
 * The measure as if these bounds had been its arguments, for the answer and its error, with the
 * noise that its components got.
 */
typedef struct Clipped
{
	Bounds		bounds;
	ClippedGrid grid;
	DprivMeasure measure;
} Clipped;

/* False if there are no bounds, or both are 0. */
static bool
clip(const DprivMeasure *measure, const int128 *component, Clipped *clipped)
{
	DprivMeasure *as = &clipped->measure;
	bool		is_sum = measure->ncomponents == measure->ncells + 1;
	bool		is_variance = measure->ncomponents == measure->ncells + 3;
	int64		share = measure->epsilon.noise - bounds_share(measure);
	int64		range;

	if (!find_bounds(measure, component, &clipped->bounds))
		return false;
	if (is_sum)
		widen(&clipped->bounds);
	if (clipped->bounds.lowest == 0 && clipped->bounds.highest == 0)
		return false;
	clipped->grid = make_grid(measure, &clipped->bounds,
							  is_variance ? variance_digits(share) : SUM_DIGITS, !is_variance);
	range = clipped->grid.upper - clipped->grid.lower;

	*as = *measure;
	as->ncomponents = measure->ncomponents - measure->ncells;
	as->lower = ldexp((double) clipped->grid.lower, clipped->grid.exponent);
	as->upper = ldexp((double) clipped->grid.upper, clipped->grid.exponent);
	as->grid.exponent = is_variance ? 2 * clipped->grid.exponent : clipped->grid.exponent;
	as->nsamplers = 1;
	as->share[0] = share;
	if (is_sum)
		as->sensitivity[0] = clipped->grid.upper;
	else if (is_variance)
	{
		/*
		 * M^2 for exact sums of u and u^2, see variance.c.  The change of the sum of y = u + lower
		 * is off by less than 1, and so is that of y^2: that of u by 1, that of u^2 by 1 + 2
		 * |lower|, and that of the components, which are made of 3 M, M and 2 M of the first and
		 * 2, 2 and 2 of the second, by 6 M + 6 + 12 |lower| together.
		 */
		as->sensitivity[0] = range * range + 6 * range + 6 +
			12 * Max(clipped->grid.lower, -clipped->grid.lower);
	}
	else
		as->sensitivity[0] = range;
	if (!dpriv_laplace_init(&as->sampler[0],
							(uint128) as->sensitivity[0] * DPRIV_EPSILON_UNIT_PER_ONE,
							(uint128) share))
		elog(ERROR, "noise scale is out of range");
	return true;
}

/* Components of the clipped values, as sum.c, avg.c and variance.c have them. */
static void
clipped_components(const Clipped *clipped, Datum exact, bool isnull, int128 *component)
{
	const DprivMeasure *measure = &clipped->measure;
	int128		lower = clipped->grid.lower;
	int128		upper = clipped->grid.upper;
	int128		range = upper - lower;
	ClippedSums sums = clipped_sums(exact, isnull, first_exponent(measure), &clipped->bounds,
									clipped->grid.exponent);
	int128		count = sums.below + sums.inside + sums.above;

	/* sum of u = value - lower, over all rows */
	int128		u = sums.sum - lower * sums.inside + range * sums.above;

	if (measure->ncomponents == 1)
		component[0] = u + lower * count;
	else if (measure->ncomponents == 2)
	{
		component[0] = u;
		component[1] = range * count - u;
	}
	else
	{
		int128		square = sums.square - 2 * lower * sums.sum + lower * lower * sums.inside +
			range * range * sums.above;

		component[0] = range * range * count - 3 * range * u + 2 * square;
		component[1] = 2 * square - range * u;
		component[2] = 2 * (range * u - square);
	}
}

/*
 * Callbacks
 */

void
dpriv_found_prepare(DprivMeasure *measure)
{
	measure->nsamplers = 0;
	measure->parameter = (Datum) 0;

	/* Whatever sensitivity the clipped values will have, that step is private with the rest. */
	measure->share[0] = bounds_share(measure);
	measure->nsteps[0] = 1;
	measure->share[1] = measure->epsilon.noise - measure->share[0];
	measure->nsteps[1] = measure->share[1] > 0 ? 1 : 0;
}

static void
set_cells(DprivMeasure *measure, int ncomponents)
{
	measure->ncells = 2 * largest_bucket(measure) + 1;
	measure->ncomponents = measure->ncells + ncomponents;
}

void
dpriv_found_bounds_check(DprivMeasure *measure)
{
	set_cells(measure, 0);
}

void
dpriv_found_sum_check(DprivMeasure *measure)
{
	set_cells(measure, 1);
}

void
dpriv_found_avg_check(DprivMeasure *measure)
{
	set_cells(measure, 2);
}

void
dpriv_found_variance_check(DprivMeasure *measure)
{
	set_cells(measure, 3);
}

void
dpriv_found_select(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	DprivMeasure counts = *measure;
	Clipped		clipped;

	counts.ncomponents = measure->ncells;
	counts.nsamplers = 1;
	counts.sensitivity[0] = 1;
	counts.share[0] = bounds_share(measure);
	if (!dpriv_laplace_init(&counts.sampler[0], DPRIV_EPSILON_UNIT_PER_ONE,
							(uint128) counts.share[0]))
		elog(ERROR, "noise scale is out of range");
	bucket_counts(measure, exact, isnull, component);
	dpriv_measure_add_noise(measure, &counts, component, true);

	memset(component + measure->ncells, 0,
		   sizeof(int128) * (measure->ncomponents - measure->ncells));
	if (measure->ncomponents > measure->ncells && clip(measure, component, &clipped))
	{
		clipped_components(&clipped, exact, isnull, component + measure->ncells);
		dpriv_measure_add_noise(measure, &clipped.measure, component + measure->ncells, false);
	}
}

/* There is no answer without bounds. */
bool
dpriv_found_is_null(const DprivMeasure *measure, const int128 *component)
{
	Bounds		bounds;

	return !find_bounds(measure, component, &bounds);
}

Datum
dpriv_found_bounds_answer(const DprivMeasure *measure, const int128 *component)
{
	Bounds		bounds = {0, 0};
	Datum		bound[2];

	(void) find_bounds(measure, component, &bounds);
	bound[0] = Float8GetDatum(lower_bound(measure, bounds.lowest));
	bound[1] = Float8GetDatum(upper_bound(measure, bounds.highest));
	return PointerGetDatum(construct_array(bound, 2, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

/* Values between 0 and 0 have sum, mean and variance 0. */
Datum
dpriv_found_answer(const DprivMeasure *measure, const int128 *component)
{
	Clipped		clipped;

	if (!clip(measure, component, &clipped))
		return Float8GetDatum(0.0);
	component += measure->ncells;
	if (clipped.measure.ncomponents == 1)
		return dpriv_sum_answer(&clipped.measure, component);
	if (clipped.measure.ncomponents == 2)
		return dpriv_avg_answer(&clipped.measure, component);
	return dpriv_variance_answer(&clipped.measure, component);
}

Datum
dpriv_found_stddev_answer(const DprivMeasure *measure, const int128 *component)
{
	Clipped		clipped;

	if (!clip(measure, component, &clipped))
		return Float8GetDatum(0.0);
	return dpriv_stddev_answer(&clipped.measure, component + measure->ncells);
}

double
dpriv_found_half_width(const DprivMeasure *measure, const int128 *component, double confidence)
{
	Clipped		clipped;

	if (!clip(measure, component, &clipped))
		return 0.0;
	component += measure->ncells;
	if (clipped.measure.ncomponents == 1)
		return dpriv_sum_half_width(&clipped.measure, component, confidence);
	if (clipped.measure.ncomponents == 2)
		return dpriv_avg_half_width(&clipped.measure, component, confidence);
	return dpriv_variance_half_width(&clipped.measure, component, confidence);
}

double
dpriv_found_stddev_half_width(const DprivMeasure *measure, const int128 *component,
							  double confidence)
{
	Clipped		clipped;

	if (!clip(measure, component, &clipped))
		return 0.0;
	return dpriv_stddev_half_width(&clipped.measure, component + measure->ncells, confidence);
}
