/*
 * laplace.c
 *	  Exact discrete Laplace sampling.
 *
 * P[X = x] is proportional to exp(-|x| den / num).  Only integers and random bits are used, so the
 * distribution is exact: no rounding can reveal the value that noise is added to.  Floating point
 * appears in the reports below, never in a draw. Canonne, Kamath, Steinke, "The Discrete Gaussian
 * for Differential Privacy" (2020), algorithm 2.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "noise/bernoulli.h"
#include "noise/laplace.h"
#include "noise/random.h"

bool
dpriv_laplace_init(DprivLaplace *laplace, uint128 num, uint128 den)
{
	uint128		a = num;
	uint128		b = den;
	uint128		quotient;

	if (num == 0 || den == 0)
		return false;

	/* Euclid: a becomes the greatest common divisor. */
	while (b != 0)
	{
		uint128		rest = a % b;

		a = b;
		b = rest;
	}
	num /= a;
	den /= a;

	quotient = num / den;
	if (den > DPRIV_LAPLACE_MAX_DEN || quotient >= DPRIV_LAPLACE_MAX_SCALE)
		return false;

	laplace->num = num;
	laplace->den = (uint64) den;
	laplace->quotient = (uint64) quotient;
	laplace->remainder = (uint64) (num - quotient * den);
	return true;
}

/*
 * First X = rest + num whole, with P[X = x] proportional to exp(-x / num): rest is uniform below
 * num and kept with probability exp(-rest / num), whole counts coins of probability exp(-1).  Then
 * X / den, rounded down, is G.
 */
int64
dpriv_geometric_draw(const DprivLaplace *laplace)
{
	uint128		rest;
	uint128		value;
	uint64		whole = 0;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		rest = dpriv_random_below(laplace->num);
		if (dpriv_bernoulli_exp(rest, laplace->num))
			break;
	}

	while (dpriv_bernoulli_exp_one())
	{
		CHECK_FOR_INTERRUPTS();
		whole++;
	}

	/*
	 * (rest + num whole) / den, with num = quotient den + remainder.  No overflow: rest < 2^118,
	 * quotient < 2^55, remainder < den <= 2^63, whole < 2^64.
	 */
	value = rest + (uint128) laplace->remainder * whole;
	if (laplace->den > 1)
		value /= laplace->den;
	value += (uint128) laplace->quotient * whole;

	return value > PG_INT64_MAX ? PG_INT64_MAX : (int64) value;
}

int64
dpriv_laplace_draw(const DprivLaplace *laplace)
{
	for (;;)
	{
		int64		magnitude = dpriv_geometric_draw(laplace);
		bool		negative = dpriv_random_u64() & 1;

		if (!negative)
			return magnitude;
		if (magnitude != 0)
			return -magnitude;

		/* Minus zero: accepting it would count 0 twice. */
		CHECK_FOR_INTERRUPTS();
	}
}

double
dpriv_laplace_scale(const DprivLaplace *laplace)
{
	return (double) laplace->num / (double) laplace->den;
}

/* Relative error, with room to spare, of the few floating-point operations of a report. */
#define REPORT_SLACK (16 * DBL_EPSILON)

/*
 * 2 t^(k+1) / (1 + t) <= tail  iff  k + 1 >= scale ln(2 / (tail (1 + t))).
 */
int64
dpriv_laplace_half_width(const DprivLaplace *laplace, double confidence)
{
	double		scale = dpriv_laplace_scale(laplace);
	double		tail = 1.0 - confidence;
	double		scales;
	double		steps;

	Assert(confidence > 0.0 && confidence < 1.0);

	scales = log(2.0 / (tail * (1.0 + exp(-1.0 / scale))));
	scales += REPORT_SLACK * (1.0 + fabs(scales));
	steps = ceil(scale * scales);

	return steps <= 1.0 ? 0 : (int64) steps - 1;
}

/*
 * P[|L1 - ratio L2| > x] for independent Laplace variables of scale 1, 0 <= ratio <= 1: (exp(-x) -
 * ratio^2 exp(-x / ratio)) / (1 - ratio^2), rearranged so that nothing cancels near ratio = 1.
 */
static double
mix_tail(double x, double ratio)
{
	double		y;
	double		decay;			/* (1 - exp(-y)) / y */

	if (ratio == 0.0)
		return exp(-x);

	y = x * (1.0 - ratio) / ratio;
	decay = y > 0.0 ? -expm1(-y) / y : 1.0;
	return exp(-x) * (1.0 + decay * x * ratio / (1.0 + ratio));
}

double
dpriv_laplace_mix_half_width(const DprivLaplace *laplace, double p, double confidence)
{
	double		wide = Max(fabs(1.0 - p), fabs(p));
	double		narrow = Min(fabs(1.0 - p), fabs(p));
	double		ratio = narrow / wide;
	double		tail = 1.0 - confidence;
	double		low = -log(tail);	/* the answer for ratio 0 */
	double		high = low + 1.0;

	Assert(confidence > 0.0 && confidence < 1.0);
	Assert(isfinite(p));

	while (mix_tail(high, ratio) > tail)
		high += 1.0;

	/* The tail falls with x: halve the interval until it is narrow, and answer its upper end. */
	while (high - low > 1e-12 * (1.0 + high))
	{
		double		middle = low + (high - low) / 2.0;

		if (mix_tail(middle, ratio) > tail)
			low = middle;
		else
			high = middle;
	}

	high += REPORT_SLACK * (1.0 + high);
	return dpriv_laplace_scale(laplace) * wide * high + wide + narrow;
}

/* Scales that differ by less than this, relatively, are moved apart. */
#define SMALLEST_GAP 1e-3

/* A scale below this part of the largest one adds nothing that can be seen. */
#define SMALLEST_RATIO 1e-6

/* P[|sum of scale[i] L_i| > x] for independent Laplace variables of scale 1, scales apart. */
static double
weighted_tail(double x, const double *scale)
{
	double		tail = 0.0;

	for (int i = 0; i < DPRIV_LAPLACE_WEIGHTS; i++)
	{
		double		part = exp(-x / scale[i]);

		for (int j = 0; j < DPRIV_LAPLACE_WEIGHTS; j++)
		{
			double		ratio = scale[j] / scale[i];

			if (j != i)
				part /= (1.0 - ratio) * (1.0 + ratio);
		}
		tail += part;
	}
	return tail;
}

/* Sizes of the weights, in units of the largest: decreasing and apart, from 1 or a little more. */
static void
separate_scales(const double *weight, double largest, double *scale)
{
	for (int i = 0; i < DPRIV_LAPLACE_WEIGHTS; i++)
	{
		double		size = Max(fabs(weight[i]) / largest, SMALLEST_RATIO);
		int			at = i;

		for (; at > 0 && scale[at - 1] < size; at--)
			scale[at] = scale[at - 1];
		scale[at] = size;
	}
	for (int i = DPRIV_LAPLACE_WEIGHTS - 2; i >= 0; i--)
		scale[i] = Max(scale[i], scale[i + 1] * (1.0 + SMALLEST_GAP));
}

double
dpriv_laplace_weighted_half_width(const DprivLaplace *laplace, const double *weight,
								  double confidence)
{
	double		scale[DPRIV_LAPLACE_WEIGHTS];
	double		tail = 1.0 - confidence;
	double		largest = 0.0;
	double		total = 0.0;
	double		low = 0.0;
	double		high = 1.0;

	Assert(confidence > 0.0 && confidence < 1.0);

	for (int i = 0; i < DPRIV_LAPLACE_WEIGHTS; i++)
	{
		Assert(isfinite(weight[i]));
		largest = Max(largest, fabs(weight[i]));
		total += fabs(weight[i]);
	}
	if (largest == 0.0)
		return 0.0;
	separate_scales(weight, largest, scale);

	while (weighted_tail(high, scale) > tail)
		high *= 2.0;

	/* The tail falls with x: halve the interval until it is narrow, and answer its upper end. */
	while (high - low > 1e-9 * high)
	{
		double		middle = low + (high - low) / 2.0;

		if (weighted_tail(middle, scale) > tail)
			low = middle;
		else
			high = middle;
	}
	return dpriv_laplace_scale(laplace) * largest * high * (1.0 + 1e-9) + total;
}

/* Relative, of a tail; the sum of DPRIV_LAPLACE_SUMS terms is rounded by less. */
#define AIM 1e-10

/*
 * P[|L_1 + ... + L_n| > x] for Laplace variables of scale 1, rounded up, and how fast it falls;
 * W(n, m) and W(n, m) - W(n, m - 1) in behind[m] and step[m].
 */
static double
sum_tail(double x, int n, const double *behind, const double *step, double *fall)
{
	double		arrivals = exp(-x);
	double		tail = 0.0;

	*fall = 0.0;
	for (int a = 0; a < n; a++)
	{
		tail += arrivals * behind[n - a];
		*fall += 2.0 * arrivals * step[n - a];
		arrivals *= x / (a + 1);
	}
	return 2.0 * tail * (1.0 + 8.0 * (n + 2) * DBL_EPSILON);
}

void
dpriv_laplace_sums_half_width(const DprivLaplace *laplace, int n, double confidence,
							  double *half_width)
{
	double		behind[DPRIV_LAPLACE_SUMS + 1];
	double		step[DPRIV_LAPLACE_SUMS + 1];
	double		miss = 1.0 - confidence;
	double		enough = 0.0;	/* scales */

	Assert(n >= 1 && n <= DPRIV_LAPLACE_SUMS);
	Assert(confidence > 0.0 && confidence < 1.0);

	behind[0] = 0.0;
	for (int i = 1; i <= n; i++)
	{
		double		fall;
		double		tail;

		CHECK_FOR_INTERRUPTS();
		step[1] = ldexp(1.0, -i);
		for (int m = 1; m <= i; m++)
		{
			behind[m] = behind[m - 1] + step[m];
			if (m < i)
				step[m + 1] = step[m] * 0.5 * (i + m - 1) / m;
		}
		while ((tail = sum_tail(enough, i, behind, step, &fall)) > miss)
			enough += 1.0;

		/*
		 * The logarithm of the tail is concave, so Newton's steps from a start that is too large
		 * stay too large.  They aim at a little less than may be missed: rounding is upward.
		 */
		for (int j = 0; j < 60; j++)
		{
			double		closer = enough + (log(tail / miss) + AIM) * tail / fall;

			if (!(closer < enough * (1.0 - 1e-12)))
				break;
			tail = sum_tail(closer, i, behind, step, &fall);
			if (tail > miss)
				break;
			enough = closer;
		}
		half_width[i - 1] = Max(ceil(dpriv_laplace_scale(laplace) * enough *
									 (1.0 + REPORT_SLACK) - 0.5), 0.0);
	}
}
