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

/* More points than this are not worth it. */
#define MAX_POINTS 100000

/*
 * Terms that are smaller than the sum by this factor's exponential, and fall, are left out: all of
 * them together, up to 1e16, are less than 1e-16 of the sum.
 */
#define NEGLIGIBLE 75.0

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

/* The exponent of f^alpha times the density. */
static double
exponent(const Step *step, double y)
{
	double		unused;

	return step->alpha * log_ratio(step, y, &unused) - 0.5 * y * y;
}

/*
 * The lowest and the highest of its local maxima.  They are at y = (alpha / sigma) r with r the
 * share of the second density in f.  That grows with y, so the iteration from below stops at the
 * lowest and the one from above at the highest; between the two the exponent falls and rises once.
 */
static double
maximum(const Step *step, bool highest)
{
	double		end = step->alpha / step->sigma;
	double		y = highest ? end : 0.0;

	for (int i = 0; i < 200; i++)
	{
		double		z = (y - 0.5 / step->sigma) / step->sigma;
		double		next = end / (1.0 + (1.0 - step->q) / step->q * exp(-z));

		if (fabs(next - y) <= 1e-9 * y)
			break;
		y = next;
	}
	return y;
}

typedef struct Sum
{
	const Step *step;
	double		width;			/* between points */
	double		scale;			/* of the sum, a logarithm */
	double		sum;
	int			points;
} Sum;

/*
 * Add the terms at first, first + direction and so on times the width, until they are negligible or
 * last is reached.  Returns where it ended.
 */
static double
add_terms(Sum *sum, double first, double direction, double last)
{
	const Step *step = sum->step;
	double		s = step->alpha - 1.0;
	double		i;

	/* The gap is at most this times max(1, f^alpha ln(f^alpha)), or with f^alpha / s for that. */
	double		log_rest = log(7.0);

	for (i = first; (i - last) * direction <= 0 && sum->points < MAX_POINTS; i += direction)
	{
		double		y = i * sum->width;
		double		less_one;
		double		logarithm = log_ratio(step, y, &less_one);
		double		power = step->alpha * logarithm;
		double		log_density = -0.5 * y * y - sum->scale;
		double		log_bound = log_density + log_rest +
			Max(power + log(Max(Min(power, 1.0 / (s + 1e-300)), 1.0)), 0.0);

		/* For large f the gap is f ((f^(alpha - 1) - 1) / (alpha - 1) - 1). */
		if (power <= 300.0)
		{
			if (log_density > -740.0)
				sum->sum += exp(log_density) * dpriv_power_gap(less_one, step->alpha);
		}
		else if (power + log_density > -740.0)
		{
			if (s * logarithm > 40.0)
				sum->sum += exp(power + log_density) / s;
			else
				sum->sum += exp(logarithm + log_density) *
					((s * logarithm < 1e-15 ? logarithm : expm1(s * logarithm) / s) - 1.0);
		}
		if (++sum->points % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (sum->sum > 0 && log_bound < log(sum->sum) - NEGLIGIBLE)
			break;
	}
	return i;
}

/*
 * The integral of density times gap by the trapezoidal rule with the given width, divided by
 * exp(scale): from each of the two maxima outward.  False if that takes too many points.
 */
static bool
integrate(const Step *step, double width, double scale, double *integral)
{
	Sum			sum = {step, width, scale, 0.0, 0};
	double		low = floor(maximum(step, false) / width);
	double		high = ceil(maximum(step, true) / width);
	double		end = INFINITY;

	end = add_terms(&sum, low, 1.0, end);
	add_terms(&sum, low - 1.0, -1.0, -INFINITY);
	if (end < high)
	{
		add_terms(&sum, high + 1.0, 1.0, INFINITY);
		add_terms(&sum, high, -1.0, end + 1.0);
	}
	*integral = sum.sum * width / DPRIV_SQRT_2PI;
	return sum.points < MAX_POINTS;
}

/*
 * Bounds on the integral of |density times gap| along a line of the strip |Im y| < a, a <= pi
 * sigma, divided by exp(a^2 / 2): it is at most constant + factor times the integral itself.
 *
 * On such a line the density is at most exp(a^2 / 2) times that of the real part, and |f| at most f
 * of it; f avoids the negative numbers, so its powers are analytic.  So |gap| <= (f^alpha + 1 +
 * alpha (f + 1)) / (alpha - 1), and the mean of f^alpha is 1 + (alpha - 1) times the integral.
 *
 * Near order 1 that is too much.  There, from |exp(w) - 1| <= |w| max(1, |exp(w)|), |ln f| <= |ln
 * |f|| + pi and ln x <= x^c / c, |gap| <= (1 / e + pi) + (1 / c + pi) f^(alpha + c) + f + 1; that
 * power is convex in the density, so its mean is at most 1 - q + q exp(order (order - 1) / (2
 * sigma^2)).
 */
static void
strip_bound(const Step *step, double *constant, double *factor)
{
	double		s = step->alpha - 1.0;

	if (s >= 1e-4)
	{
		*factor = 1.0;
		*constant = (2.0 + 2.0 * step->alpha) / s;
	}
	else
	{
		double		variance = step->sigma * step->sigma;
		double		c = Min(variance, 0.25);
		double		order = step->alpha + c;

		*factor = 0.0;
		*constant = 7.0 + (1.0 / c + M_PI) *
			(1.0 + step->q * expm1(0.5 * order * (order - 1.0) / variance));
	}
}

/*
 * (alpha - 1) times the divergence for a whole order: ln(1 + the sum of C(n, k) (1 - q)^(n - k) q^k
 * (exp(k (k - 1) / (2 sigma^2)) - 1)), all of which are positive.  Mironov, Talwar and Zhang (2019),
 * section 3.3.
 */
static double
log_moment_whole(double q, double sigma, double order)
{
	int64		n = (int64) order;
	double		log_binomial = n * log1p(-q);
	double		odds = log(q) - log1p(-q);
	double		rounding = 2.0 * DBL_EPSILON * n * n * (1.0 + fabs(odds));
	double		largest = -INFINITY;
	double		sum = 0.0;
	double		excess;

	for (int64 k = 0; k <= n; k++)
	{
		double		loss = 0.5 * k * (k - 1.0) / sigma / sigma;
		double		term = k < 2 ? -INFINITY : log_binomial + loss + log(-expm1(-loss));

		if (k % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		if (isinf(term))
			;
		else if (term > largest)
		{
			sum = sum * exp(largest - term) + 1.0;
			largest = term;
		}
		else
			sum += exp(term - largest);
		log_binomial += log((double) (n - k) / (k + 1.0)) + odds;
	}
	excess = largest + log(sum) + rounding;
	return excess > 40.0 ? excess * (1.0 + 2.0 * DBL_EPSILON) : log1p(Max(exp(excess), DBL_MIN));
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
	double		constant;
	double		factor;
	double		guess;
	double		peak;
	double		rounding;

	Assert(sampling_rate >= 0 && sampling_rate <= 1 && noise_multiplier >= 0 && alpha >= 1);
	if (sampling_rate == 0 || isinf(noise_multiplier))
		return 0.0;
	if (noise_multiplier == 0 || isinf(alpha) || isinf(unsampled))
		return INFINITY;
	if (sampling_rate == 1)
		return unsampled;

	/* The exponent is a small difference of large numbers, of which the last digits are missing. */
	peak = maximum(&step, true);
	rounding = 4.0 * DBL_EPSILON *
		(peak * peak + alpha * ((peak + 0.5 / noise_multiplier) / noise_multiplier -
								log(sampling_rate)));
	scale = exponent(&step, peak);
	scale = scale > 300.0 ? scale : 0.0;
	strip_bound(&step, &constant, &factor);
	constant *= exp(-scale);

	/* A guess: what it is at order 2, times alpha / 2. */
	guess = 0.5 * alpha * sampling_rate * sampling_rate *
		expm1(Min(1.0 / noise_multiplier / noise_multiplier, 600.0));
	guess = scale > 0 ? 1.0 / s : Max(Min(guess, 1.0), 1e-300);

	/*
	 * The error of the trapezoidal rule is at most 2 exp(a^2 / 2) / (exp(2 pi a / width) - 1) times
	 * the bound along the strip (Trefethen and Weideman 2014, theorem 5.1).  Choose the width for
	 * the guess; if what comes out is too small for that, choose again.
	 */
	for (int i = 0; i < 4; i++)
	{
		double		demand = log(2.0 * (constant / guess + factor) / AIM);
		double		strip = Min(M_PI * noise_multiplier, sqrt(2.0 * demand));
		double		width = 2.0 * M_PI * strip / (0.5 * strip * strip + demand);
		double		share = 2.0 * exp(0.5 * strip * strip) / expm1(2.0 * M_PI * strip / width);
		double		gap;
		double		bound;

		if (!(demand < 1e6) || !integrate(&step, width, scale, &gap))
			break;

		/* The truth is at most gap + share (constant + factor truth). */
		bound = (gap + share * constant) / (1.0 - share * factor);
		if (share < 0.5 && bound <= gap * (1.0 + ACCEPT))
		{
			bound *= DPRIV_ROUND_UP * exp(Min(rounding, 100.0));
			if (rounding > 100.0)
				break;
			if (scale > 0)
				return Min((scale + log(s * bound)) / s * DPRIV_ROUND_UP, unsampled);
			return Min(dpriv_renyi_from_gap(bound, alpha) * DPRIV_ROUND_UP, unsampled);
		}
		guess = Max(0.1 * Min(gap, guess), 1e-300);
	}
	return bound_instead(&step, unsampled);
}
