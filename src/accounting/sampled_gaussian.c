/*
 * sampled_gaussian.c
 *	  Gaussian noise on a random sample of the rows: one step of private training.
 *
 * With f the ratio of the densities, E[f] = 1 and E[f^alpha] = 1 + (alpha - 1) E[gap(f - 1)],
 * where Bernoulli's gap is never negative.  So the divergence is the integral of a positive
 * function over the real line, analytic in a strip around it: the trapezoidal rule converges
 * exponentially, with a known bound, for whole and fractional orders alike, and nothing cancels.
 * (The binomial series for fractional orders alternates, and loses its digits for small sampling
 * rates.)
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/numeric.h"
#include "accounting/sampled_gaussian.h"

/* The density of the standard normal distribution beyond this is less than 1e-19 of its middle. */
#define REACH 9.5

/* More points than this are not worth it. */
#define MAX_POINTS 100000.0

/* Nor are more terms of the binomial sum. */
#define MAX_ORDER 1000000.0

/* The integration aims at this relative error, and must reach the second. */
#define AIM 1e-13
#define ACCEPT 1e-10

typedef struct Step
{
	double		q;
	double		sigma;
	double		alpha;
} Step;

/* ln of the ratio of the densities at y standard deviations, and the ratio less 1. */
static double
log_ratio(const Step *step, double y, double *less_one)
{
	double		z = (y - 0.5 / step->sigma) / step->sigma;

	if (z < 600.0)
	{
		*less_one = step->q * expm1(z);
		return log1p(*less_one);
	}
	*less_one = INFINITY;
	return z + log(step->q) + log1p((1.0 - step->q) / step->q * exp(-z));
}

/*
 * The integral of density times gap by the trapezoidal rule with the given width, divided by
 * exp(scale).
 */
static double
integrate(const Step *step, double width, double scale)
{
	double		low = -REACH;
	int64		points = (int64) ceil((step->alpha / step->sigma + 2.0 * REACH) / width);
	double		s = step->alpha - 1.0;
	double		sum = 0.0;

	for (int64 i = 0; i <= points; i++)
	{
		double		y = low + i * width;
		double		less_one;
		double		power = step->alpha * log_ratio(step, y, &less_one);
		double		log_density = -0.5 * y * y - scale;

		if (i % 4096 == 0)
			CHECK_FOR_INTERRUPTS();

		/* Where the power is large, the rest of the gap is nothing beside it. */
		if (power > 300.0)
		{
			if (power + log_density > -700.0)
				sum += exp(power + log_density) / s;
		}
		else if (log_density > -700.0)
			sum += exp(log_density) * dpriv_power_gap(less_one, step->alpha);
	}
	return sum * width / DPRIV_SQRT_2PI;
}

/*
 * The larger of the two local maxima of alpha ln f - y^2 / 2, the exponent in the integral, if it
 * is large: to scale by.  Maxima are at y = (alpha / sigma) r with r the share of the second
 * density in f; r grows with y, so the iteration from above stops at the upper one.
 */
static double
scale_of(const Step *step)
{
	double		y = step->alpha / step->sigma;
	double		unused;
	double		exponent;

	for (int i = 0; i < 200; i++)
	{
		double		z = (y - 0.5 / step->sigma) / step->sigma;
		double		share = 1.0 / (1.0 + (1.0 - step->q) / step->q * exp(-z));
		double		next = step->alpha / step->sigma * share;

		if (!(next < y * (1.0 - 1e-9)))
			break;
		y = next;
	}
	exponent = step->alpha * log_ratio(step, y, &unused) - 0.5 * y * y;
	return exponent > 300.0 ? exponent : 0.0;
}

/*
 * Logarithm of a bound on the moment E[f^order]: its power is convex, and the norm of order >= 1
 * obeys the triangle inequality; the smaller of what follows.
 */
static double
log_moment_bound(const Step *step, double order)
{
	double		half = 0.5 * (order - 1.0) / step->sigma / step->sigma;
	double		convex = order * half;
	double		norm = half;

	convex = convex < 600.0 ? log1p(step->q * expm1(convex)) :
		Max(convex + log(step->q), 0.0) + 1.0;
	norm = order * (norm < 600.0 ? log1p(step->q * expm1(norm)) :
					Max(norm + log(step->q), 0.0) + 1.0);
	return Min(convex, norm);
}

/*
 * Logarithm of a bound on the integral of |density times gap| along any line of the strip |Im y| <
 * a, a <= pi sigma, less a^2 / 2.  There the density is at most exp(a^2 / 2) times that of the
 * real part, and |f| at most f of it; f avoids the negative numbers, so its powers are analytic.
 *
 * For alpha >= 2, |gap| <= (f^alpha + 1 + alpha (f + 1)) / (alpha - 1).  For alpha < 2, from
 * |exp(w) - 1| <= |w| max(1, |exp(w)|), |ln f| <= |ln |f|| + pi, and ln x <= 4 x^(1/4), |gap| <=
 * (1 / e + pi) + (4 + pi) f^(alpha + 1/4) + f + 1.
 */
static double
log_gap_bound(const Step *step)
{
	double		s = step->alpha - 1.0;
	double		moment;
	double		rest;

	if (s >= 1.0)
	{
		moment = log_moment_bound(step, step->alpha) - log(s);
		rest = log((1.0 + 2.0 * step->alpha) / s);
	}
	else
	{
		moment = log_moment_bound(step, step->alpha + 0.25) + log(4.0 + M_PI);
		rest = log(7.0);
	}
	return Max(moment, rest) + DPRIV_LN2;
}

/*
 * (alpha - 1) times the divergence for a whole order: the logarithm of the sum of C(n, k) (1 -
 * q)^(n - k) q^k exp(k (k - 1) / (2 sigma^2)).  Mironov, Talwar and Zhang (2019), section 3.3.
 */
static double
log_moment_whole(double q, double sigma, double order)
{
	int64		n = (int64) order;
	double		log_binomial = n * log1p(-q);
	double		odds = log(q) - log1p(-q);
	double		largest = -INFINITY;
	double		sum = 0.0;

	for (int64 k = 0; k <= n; k++)
	{
		double		term = log_binomial + 0.5 * k * (k - 1.0) / (sigma * sigma);

		if (k % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (term > largest)
		{
			sum = sum * exp(largest - term) + 1.0;
			largest = term;
		}
		else
			sum += exp(term - largest);
		log_binomial += log((double) (n - k) / (k + 1.0)) + odds;
	}
	return largest + log(sum);
}

/*
 * Bound for orders that are too large, or noise that is too small, to integrate: the least of
 * three. Without sampling the divergence is no smaller; the moment is convex in the density; its
 * logarithm is convex in the order, so between whole orders the chord is above it.
 */
static double
bound_instead(const Step *step, double unsampled)
{
	double		s = step->alpha - 1.0;
	double		below = floor(step->alpha);
	double		part = step->alpha - below;
	double		bound = unsampled;
	double		low;
	double		high;

	if (s * unsampled < 1e-12)
		bound = step->q * unsampled * (1.0 + 1e-11);
	else if (s * unsampled < 600.0)
		bound = log1p(step->q * expm1(s * unsampled)) / s * DPRIV_ROUND_UP;
	if (s == 0 || step->alpha > MAX_ORDER)
		return Min(bound, unsampled);

	low = below <= 1.0 ? 0.0 : log_moment_whole(step->q, step->sigma, below);
	high = part > 0 ? log_moment_whole(step->q, step->sigma, below + 1.0) : low;
	bound = Min(bound, (low + part * (high - low)) / s * (1.0 + step->alpha * 8.0 * DBL_EPSILON) *
				DPRIV_ROUND_UP);
	return Min(bound, unsampled);
}

double
dpriv_rdp_sampled_gaussian(double sampling_rate, double noise_multiplier, double alpha)
{
	Step		step = {sampling_rate, noise_multiplier, alpha};
	double		unsampled = 0.5 * alpha / noise_multiplier / noise_multiplier *
		(1.0 + 4.0 * DBL_EPSILON);
	double		s = alpha - 1.0;
	double		scale;
	double		log_bound;
	double		log_gap;

	Assert(sampling_rate >= 0 && sampling_rate <= 1 && noise_multiplier >= 0 && alpha >= 1);
	if (sampling_rate == 0 || isinf(noise_multiplier))
		return 0.0;
	if (noise_multiplier == 0 || isinf(alpha) || isinf(unsampled))
		return INFINITY;
	if (sampling_rate == 1)
		return unsampled;

	/* A guess at the gap: that of order 2, times alpha / 2. */
	scale = scale_of(&step);
	log_bound = log_gap_bound(&step) - scale;
	log_gap = log(0.5 * alpha) + 2.0 * log(sampling_rate) +
		log(expm1(Min(1.0 / noise_multiplier / noise_multiplier, 600.0)));
	log_gap = scale > 0 ? 0.0 : Min(log_gap, 0.0);

	/*
	 * The error of the trapezoidal rule is at most 2 exp(a^2 / 2) bound / (exp(2 pi a / width) -
	 * 1) (Trefethen and Weideman 2014, theorem 5.1).  Choose the width for the guess; if what
	 * comes out is too small for that, choose again.
	 */
	for (int i = 0; i < 4; i++)
	{
		double		demand = Max(log_bound - log_gap - log(AIM) + DPRIV_LN2, 10.0);
		double		strip = Min(M_PI * noise_multiplier, sqrt(2.0 * demand));
		double		width = 2.0 * M_PI * strip / (0.5 * strip * strip + demand);
		double		gap;
		double		error;

		if (!((alpha / noise_multiplier + 2.0 * REACH) / width <= MAX_POINTS))
			break;
		gap = integrate(&step, width, scale);
		error = 2.0 * exp(0.5 * strip * strip + log_bound) / expm1(2.0 * M_PI * strip / width);
		if (error <= ACCEPT * gap)
		{
			gap = (gap + error) * DPRIV_ROUND_UP;
			if (scale > 0)
				return Min((scale + log(s * gap)) / s * DPRIV_ROUND_UP, unsampled);
			return Min(dpriv_renyi_from_gap(gap, alpha) * DPRIV_ROUND_UP, unsampled);
		}
		log_gap = Min(log(gap), log_gap) - 2.0;
	}
	return bound_instead(&step, unsampled);
}
