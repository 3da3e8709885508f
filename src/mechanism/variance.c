/*
 * variance.c
 *	  Clipped variances and standard deviations.
 *
 * With u = q(x) - q(lower) in 0..M, the components are sums of three polynomials:
 *
 *		A = sum (M - u) (M - 2 u),	B = sum u (2 u - M),  C = sum 2 u (M - u).
 *
 * Up to the factor M^2 they are Lagrange's polynomials for the lower end, the upper end, and half
 * of that for the middle: a row at an end adds M^2 to A or B alone, one in the middle M^2 / 2 to C
 * alone.  In w = 2 u / M - 1 a row adds M^2 times w (w - 1) / 2, w (w + 1) / 2 and (1 - w^2) / 2;
 * the first two have opposite signs inside, so the sizes add up to M^2 (|w| + (1 - w^2) / 2) = M^2
 * (1 - (1 - |w|)^2 / 2), which is at most M^2, and M^2 at the ends.  So the L1 sensitivity of all
 * three together is exactly M^2, as is the Euclidean one.  Each gets noise of scale M^2 / epsilon,
 * or Gaussian noise.
 *
 * A + B + 2 C = M^2 n for n rows, B - A = M^2 sum w, A + B = M^2 sum w^2.  The variance is that of
 * w times ((upper - lower) / 2)^2.
 *
 * To first order, whatever the values are, the error is at most 0.95 times that of a third of
 * epsilon for each of number, sum and sum of squares with all of them centred, and at most 1.12
 * times that of Bernstein's basis (M - u)^2, 2 u (M - u), u^2, which has the same sensitivity and
 * is better only where nearly all values are at one end.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "mechanism/kinds.h"

#define NCOMPONENTS DPRIV_LAPLACE_WEIGHTS

/* Bounds whose difference has a square well within the normal doubles. */
#define SMALLEST_RANGE 1e-100
#define LARGEST_RANGE 1e100

/*
 * M^2 / epsilon stays below 2^54 steps, and M below what exact_moments takes.  Gaussian noise has a
 * deviation of less than 2^6 times that, for epsilon <= 1000 and any delta that is a float8: half
 * of sqrt(2 epsilon + 2 ln(1 / delta)) + sqrt(2 ln(1 / delta)) times is enough for
 * zero-concentrated DP (Bun and Steinke 2016), and a share of a sum of epsilons needs less.
 */
#define BITS_OF_SCALE 54
#define BITS_OF_GAUSSIAN_SCALE 48
#define BITS_OF_RANGE 31

/* Variance of w if it were uniform: the answer where there is nothing to go by. */
#define UNIFORM_VARIANCE (1.0 / 3.0)

void
dpriv_variance_check(DprivMeasure *measure)
{
	double		range;

	dpriv_bounds_check(measure);
	range = measure->upper - measure->lower;
	if (range < SMALLEST_RANGE || range > LARGEST_RANGE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("difference of the bounds of %s is out of range", measure->kind->name),
				 errdetail("It must lie between 1e-100 and 1e100."),
				 errhint("Rescale the value and its bounds.")));
	measure->ncomponents = NCOMPONENTS;
}

void
dpriv_variance_prepare(DprivMeasure *measure)
{
	int			scale_bits = measure->delta > 0 ? BITS_OF_GAUSSIAN_SCALE : BITS_OF_SCALE;
	int			epsilon_bits;
	int64		range;

	/* epsilon >= 2^(bits - 1), so M <= 2^k with 2 k <= scale_bits + bits - 1 will do. */
	(void) frexp(dpriv_epsilon_to_double(measure->epsilon.noise), &epsilon_bits);
	measure->grid = dpriv_grid_choose_range(measure->lower, measure->upper,
											Min((scale_bits + epsilon_bits - 1) / 2,
												BITS_OF_RANGE));
	measure->parameter = dpriv_grid_datum(&measure->grid);
	range = measure->grid.upper - measure->grid.lower;
	measure->nsamplers = 1;
	measure->sensitivity[0] = range * range;
	measure->share[0] = measure->epsilon.noise;

	/* What is drawn are sums of squares. */
	measure->grid.exponent *= 2;
}

static void
moments_parts(Datum exact, bool isnull, int128 *count, int128 *sum, int128 *square)
{
	DprivInt8Array *array;

	*count = *sum = *square = 0;
	if (isnull)
		return;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	if (!dpriv_is_int8_array(array, DPRIV_MOMENTS_ELEMENTS))
		elog(ERROR, "unexpected result of exact moments");
	*count = array->value[DPRIV_MOMENTS_COUNT];
	*sum = (int128) dpriv_join_halves(&array->value[DPRIV_MOMENTS_SUM]);
	*square = (int128) dpriv_join_halves(&array->value[DPRIV_MOMENTS_SQUARE]);
}

/* With M <= 2^31 and fewer than 2^63 rows, every term is below 3 * 2^125. */
void
dpriv_variance_components(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	int128		range = measure->grid.upper - measure->grid.lower;
	int128		count;
	int128		sum;
	int128		square;

	moments_parts(exact, isnull, &count, &sum, &square);
	component[0] = range * range * count - 3 * range * sum + 2 * square;
	component[1] = 2 * square - range * sum;
	component[2] = 2 * (range * sum - square);
}

/* The moments of w by the noisy components; mean and variance may be beyond what w can have. */
typedef struct Moments
{
	double		total;			/* M^2 times the number of rows; the others need it positive */
	double		mean;
	double		variance;
} Moments;

static Moments
noisy_moments(const int128 *component)
{
	double		lower = (double) component[0];
	double		upper = (double) component[1];
	double		middle = (double) component[2];
	Moments		moments = {lower + upper + 2.0 * middle, 0.0, UNIFORM_VARIANCE};

	if (moments.total > 0.0)
	{
		moments.mean = (upper - lower) / moments.total;
		moments.variance = (lower + upper) / moments.total - moments.mean * moments.mean;
	}
	return moments;
}

static double
clamp(double x, double lower, double upper)
{
	return Min(Max(x, lower), upper);
}

/* The answer for w: variances of numbers in -1..1 lie in 0..1. */
static double
answered_variance(const int128 *component)
{
	return clamp(noisy_moments(component).variance, 0.0, 1.0);
}

Datum
dpriv_variance_answer(const DprivMeasure *measure, const int128 *component)
{
	double		half = (measure->upper - measure->lower) / 2;

	return Float8GetDatum(answered_variance(component) * half * half);
}

Datum
dpriv_stddev_answer(const DprivMeasure *measure, const int128 *component)
{
	double		half = (measure->upper - measure->lower) / 2;

	return Float8GetDatum(sqrt(answered_variance(component)) * half);
}

/*
 * Errors
 *
 * Let m and V be the mean and the variance of w without noise, N' the noisy total, Z the noises,
 *
 *		D = (1 - m) Z_B - (1 + m) Z_A - 2 m Z_C,
 *		L = ((1 + m)^2 - V) Z_A + ((1 - m)^2 - V) Z_B + 2 (m^2 - V) Z_C.
 *
 * Then the noisy mean is off by m' - m = D / N' and the noisy variance by V' - V = L / N' - (D /
 * N')^2, exactly.  So for known m and V the half-width is known from quantiles of |L|, which has
 * nearly all of the failure probability, and of |D|.  For unknown ones it is the largest over all m
 * and V that are not excluded by these same two events: start with all of -1..1 and 0..1, and
 * narrow both down.  The quantiles rise with the size of each weight, so that the largest sizes
 * within intervals of m and V bound all quantiles there.
 */

/* Part of the failure probability that is for D. */
#define MEAN_PART 0.01

/* Each round narrows m and V; more of them change nothing that can be seen. */
#define ROUNDS 8

/* Of the few operations that give V'. */
#define ROUNDING (16 * DBL_EPSILON)

typedef struct Region
{
	double		mean[2];		/* smallest, largest */
	double		variance[2];
} Region;

static double
largest_size(double x, double y)
{
	return Max(fabs(x), fabs(y));
}

static double
mean_quantile(const DprivMeasure *measure, const Region *region, double confidence)
{
	double		weight[NCOMPONENTS] = {
		1.0 + region->mean[1],
		1.0 - region->mean[0],
		2.0 * largest_size(region->mean[0], region->mean[1]),
	};

	return dpriv_measure_weighted_half_width(measure, 0, weight, confidence);
}

static double
variance_quantile(const DprivMeasure *measure, const Region *region, double confidence)
{
	const double *m = region->mean;
	const double *v = region->variance;
	double		farthest = largest_size(m[0], m[1]);
	double		nearest = Max(Max(m[0], -m[1]), 0.0);
	double		weight[NCOMPONENTS] = {
		largest_size((1.0 + m[1]) * (1.0 + m[1]) - v[0], (1.0 + m[0]) * (1.0 + m[0]) - v[1]),
		largest_size((1.0 - m[0]) * (1.0 - m[0]) - v[0], (1.0 - m[1]) * (1.0 - m[1]) - v[1]),
		2.0 * largest_size(farthest * farthest - v[0], nearest * nearest - v[1]),
	};

	return dpriv_measure_weighted_half_width(measure, 0, weight, confidence);
}

/* Half-width around the answer for w. */
static double
answered_half_width(const DprivMeasure *measure, const int128 *component, double confidence)
{
	Moments		noisy = noisy_moments(component);
	double		answer = answered_variance(component);
	double		mean_confidence = 1.0 - (1.0 - confidence) * MEAN_PART;
	double		variance_confidence = 1.0 - (1.0 - confidence) * (1.0 - MEAN_PART);
	Region		region = {{-1.0, 1.0}, {0.0, 1.0}};
	double		width = 1.0;

	if (noisy.total <= 0.0)
		return Max(answer, 1.0 - answer);

	for (int round = 0; round < ROUNDS; round++)
	{
		double		off = mean_quantile(measure, &region, mean_confidence) / noisy.total;

		region.mean[0] = clamp(noisy.mean - off, region.mean[0], region.mean[1]);
		region.mean[1] = clamp(noisy.mean + off, region.mean[0], region.mean[1]);

		width = variance_quantile(measure, &region, variance_confidence) / noisy.total + off * off;
		region.variance[0] = clamp(noisy.variance - width, region.variance[0], region.variance[1]);
		region.variance[1] = clamp(noisy.variance + width, region.variance[0], region.variance[1]);
	}
	return Min(width + ROUNDING, Max(answer, 1.0 - answer));
}

double
dpriv_variance_half_width(const DprivMeasure *measure, const int128 *component, double confidence)
{
	double		half = (measure->upper - measure->lower) / 2;

	return answered_half_width(measure, component, confidence) * half * half;
}

double
dpriv_stddev_half_width(const DprivMeasure *measure, const int128 *component, double confidence)
{
	double		half = (measure->upper - measure->lower) / 2;
	double		variance = answered_variance(component);
	double		width = answered_half_width(measure, component, confidence);
	double		answer = sqrt(variance);
	double		below = answer - sqrt(clamp(variance - width, 0.0, 1.0));
	double		above = sqrt(clamp(variance + width, 0.0, 1.0)) - answer;

	return Min(Max(below, above) + ROUNDING, Max(answer, 1.0 - answer)) * half;
}
