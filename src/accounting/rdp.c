/*
 * rdp.c
 *	  Renyi differential privacy: divergences of mechanisms by order, and what they convert to.
 *
 * A divergence is computed from the mean of a gap that is never negative (see numeric.h), so that
 * small divergences have as many digits as large ones.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/rdp.h"
#include "accounting/zcdp.h"

double
dpriv_rdp_gaussian(double sensitivity, double sigma, double alpha)
{
	double		mu = sensitivity / sigma;
	double		rho = dpriv_zcdp_gaussian(sensitivity, sigma);

	/* The order may bring back what the square loses below the smallest float8. */
	if (rho < DBL_MIN && mu > 0 && !isinf(alpha))
		return 0.5 * mu * alpha * mu * (1.0 + 4.0 * DBL_EPSILON);
	return rho == 0 ? 0.0 : rho * alpha;
}

/*
 * Divergence between two distributions of which the probabilities have two ratios only.  Given are
 * the second one's probabilities of where they have the one and the other, and the ratios less 1.
 */
static double
divergence_of_ratios(double q, double rest, double ratio, double other, double alpha)
{
	double		s = alpha - 1.0;
	double		gap;
	double		first;
	double		second;

	gap = q * dpriv_power_gap(ratio, alpha) + rest * dpriv_power_gap(other, alpha);
	if (s * gap < 1e10)
		return dpriv_renyi_from_gap(gap, alpha);

	/* The sum of q ratio^alpha by its larger term. */
	first = log(q) + alpha * log1p(ratio);
	second = log(rest) + alpha * log1p(other);
	return (Max(first, second) + log1p(exp(-fabs(first - second)))) / s;
}

double
dpriv_rdp_randomized_response(double noise, int buckets, double alpha, DprivRdpAdjacency adjacency)
{
	double		other = noise / buckets;
	double		truth = (1.0 - noise) + other;
	double		answer;
	double		forward;
	double		backward;
	double		limit;

	Assert(noise >= 0 && noise <= 1 && buckets >= 1 && alpha >= 1);
	if (buckets == 1 || noise == 1)
		return 0.0;
	if (noise == 0)
		return INFINITY;

	if (adjacency == DPRIV_RDP_REPLACE_ONE)
	{
		/* The two true answers have truth + other of the probability; the rest cancels. */
		double		ratio = (1.0 - noise) * buckets / noise;
		double		epsilon = (isinf(ratio) ? log(buckets) - log(noise) : log1p(ratio)) *
			DPRIV_ROUND_UP;
		double		pure = dpriv_rdp_pure(epsilon, alpha);
		double		s = alpha - 1.0;

		if (isinf(alpha) || buckets == 2)
			return pure;
		if (s * pure > 600.0)
			return pure + log(truth + other) / s;
		return dpriv_renyi_from_gap((truth + other) *
									(s * pure < 1e-300 ? pure : expm1(s * pure) / s), alpha) *
			DPRIV_ROUND_UP;
	}

	/* Infinite order: the larger of the two logarithms of ratios. */
	limit = Max(log1p((1.0 - noise) * (buckets - 1.0)), -log(noise)) * DPRIV_ROUND_UP;
	if (isinf(alpha))
		return limit;
	answer = (1.0 - noise) * (buckets - 1.0);
	forward = divergence_of_ratios(1.0 / buckets, (buckets - 1.0) / buckets, answer, noise - 1.0,
								   alpha);
	backward = divergence_of_ratios(truth, (buckets - 1.0) * other, -answer / (1.0 + answer),
									(1.0 - noise) / noise, alpha);
	return Min(Max(forward, backward) * DPRIV_ROUND_UP, limit);
}

/*
 * The two outcomes have losses t and t - eps, with a probability that makes the ratio's mean 1.
 * exp((alpha - 1) D) is largest where its derivative by t is zero, at exp(t - eps) = ((1 -
 * exp(-alpha eps)) / alpha) / ((1 - exp(-(alpha - 1) eps)) / (alpha - 1)).
 */
double
dpriv_rdp_bounded_range(double epsilon, double alpha)
{
	double		s = alpha - 1.0;
	double		low;			/* t - eps */
	double		high;			/* t */
	double		probability;
	double		gap;

	if (epsilon == 0 || isinf(epsilon) || isinf(alpha))
		return epsilon;

	/* It is g(alpha eps) - g(s eps), g(y) = ln((1 - exp(-y)) / y): cancels where eps is small. */
	if (s * epsilon > 200.0)
		low = -log1p(1.0 / s);
	else if (epsilon < 1e-4)
	{
		double		y = (s + 0.5) * epsilon;

		low = epsilon * (y < 1e-2 ? -0.5 + y / 12.0 : 1.0 / expm1(y) - 1.0 / y);
	}
	else
		low = log(-expm1(-alpha * epsilon) / alpha) -
			log(s * epsilon < 1e-300 ? epsilon : -expm1(-s * epsilon) / s);
	low = Min(Max(low, -epsilon), 0.0);
	high = epsilon + low;
	if (s * epsilon > 200.0)
		return Min((high - (log(alpha) + log(-expm1(-epsilon))) / s) * DPRIV_ROUND_UP, epsilon);
	probability = exp(-high) * expm1(low) / expm1(-epsilon);
	gap = probability * dpriv_power_gap(expm1(high), alpha) +
		(1.0 - probability) * dpriv_power_gap(expm1(low), alpha);
	return Min(dpriv_renyi_from_gap(gap, alpha) * DPRIV_ROUND_UP, epsilon);
}

double
dpriv_rdp_bounded_range_simple(double epsilon, double alpha)
{
	double		y;
	double		divergence;

	if (epsilon == 0 || isinf(epsilon) || isinf(alpha))
		return epsilon;
	y = epsilon * epsilon * dpriv_exp_remainder(-epsilon) / -expm1(-epsilon);
	divergence = y * y * dpriv_log_remainder(y) + (alpha - 1.0) * dpriv_zcdp_exponential(epsilon);
	return Min(divergence * DPRIV_ROUND_UP, epsilon);
}

double
dpriv_rdp_epsilon_at(double rdp, double alpha, double delta, DprivRdpConversion conversion)
{
	double		s = alpha - 1.0;
	double		epsilon;
	double		largest;

	Assert(rdp >= 0 && alpha >= 1 && delta >= 0);
	if (delta >= 1.0 || rdp == 0)
		return 0.0;
	if (isinf(alpha) || isinf(rdp))
		return rdp;
	if (conversion == DPRIV_RDP_IMPROVED &&
		-expm1(-rdp) * DPRIV_ROUND_UP <= delta * delta)
		return 0.0;
	if (s == 0 || delta == 0)
		return INFINITY;
	largest = Max(rdp, fabs(log(delta) / s));
	epsilon = rdp - log(delta) / s;
	if (conversion == DPRIV_RDP_IMPROVED)
		epsilon += -log1p(1.0 / s) - log(alpha) / s;

	/* Rounding is relative to the largest term. */
	epsilon = epsilon * DPRIV_ROUND_UP + 4.0 * DBL_EPSILON * largest;
	return Max(epsilon, 0.0);
}

double
dpriv_rdp_delta_at(double rdp, double alpha, double epsilon, DprivRdpConversion conversion)
{
	double		s = alpha - 1.0;
	double		exponent;
	double		distance = 1.0;
	double		delta;

	Assert(rdp >= 0 && alpha >= 1 && epsilon >= 0);
	if (rdp == 0 || isinf(epsilon))
		return 0.0;
	if (conversion == DPRIV_RDP_IMPROVED)
		distance = Min(sqrt(-expm1(-rdp)) * DPRIV_ROUND_UP, 1.0);
	if (isinf(alpha))
		return rdp <= epsilon ? 0.0 : Min(distance, -expm1(epsilon - rdp) * DPRIV_ROUND_UP);
	if (s == 0 || isinf(rdp))
		return distance;
	exponent = s * (rdp - epsilon);
	if (conversion == DPRIV_RDP_IMPROVED)
		exponent += -s * log1p(1.0 / s) - log(alpha);
	delta = exp(exponent) * (DPRIV_ROUND_UP + 4.0 * DBL_EPSILON * s * Max(rdp, epsilon));
	return Min(Min(delta, distance), 1.0);
}

double
dpriv_rdp_epsilon(const double *orders, const double *curve, int n, double delta,
				  DprivRdpConversion conversion)
{
	double		least = INFINITY;

	for (int i = 0; i < n; i++)
		least = Min(least, dpriv_rdp_epsilon_at(curve[i], orders[i], delta, conversion));
	return least;
}

double
dpriv_rdp_delta(const double *orders, const double *curve, int n, double epsilon,
				DprivRdpConversion conversion)
{
	double		least = 1.0;

	for (int i = 0; i < n; i++)
		least = Min(least, dpriv_rdp_delta_at(curve[i], orders[i], epsilon, conversion));
	return least;
}
