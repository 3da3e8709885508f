/*
 * test_divergence.c
 *	  Divergences against sums over the distributions, and the conversions to epsilon and delta.
 *
 * Values of the field are in test/vectors; here are the properties, on thousands of arguments that
 * differ from run to run.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/dpsgd.h"
#include "accounting/gaussian.h"
#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/rdp.h"
#include "accounting/sampled_gaussian.h"
#include "accounting/zcdp.h"
#include "property.h"
#include "unit.h"

/* Random arguments per property; slow tools use fewer. */
#define ROUNDS (unit_draws() / 250)

/* a <= b, but for what both were rounded up by. */
#define assert_at_most(a, b) assert_true((a) <= (b) * (1.0 + 4e-13))

/* Renyi divergence of one list of probabilities from another; order 1 is Kullback and Leibler's. */
static double
divergence(const double *p, const double *q, int n, double alpha)
{
	double		s = alpha - 1.0;
	double		sum = 0.0;
	double		largest = 0.0;

	for (int i = 0; i < n; i++)
	{
		if (p[i] > 0)
			largest = Max(largest, s * log(p[i] / q[i]));
	}
	for (int i = 0; i < n; i++)
	{
		double		loss;

		if (p[i] == 0)
			continue;
		loss = log(p[i] / q[i]);
		if (s == 0)
			sum += p[i] * loss;
		else if (largest < 500.0)
			sum += p[i] * expm1(s * loss);
		else
			sum += p[i] * exp(s * loss - largest);
	}
	if (s == 0)
		return sum;
	return largest < 500.0 ? log1p(sum) / s : (largest + log(sum)) / s;
}

static void
test_discrete_laplace_by_force(void **state)
{
	static double p[4001];
	static double q[4001];

	(void) state;
	for (int i = 0; i < ROUNDS / 8; i++)
	{
		int			steps = 1 + (int) (uniform() * 40.0);
		double		epsilon = magnitude(0.05, 20.0);
		double		alpha = uniform() < 0.1 ? 1.0 : 1.0 + magnitude(1e-3, 30.0);
		double		a = epsilon / steps;
		int			reach = (int) Min(40.0 / a + steps, 1900.0);
		int			n = 2 * reach + 1;

		if (40.0 / a + steps > 1900.0)
			continue;
		for (int y = 0; y < n; y++)
		{
			p[y] = tanh(0.5 * a) * exp(-a * abs(y - reach));
			q[y] = tanh(0.5 * a) * exp(-a * abs(y - reach - steps));
		}
		assert_close(dpriv_rdp_discrete_laplace(epsilon, steps, alpha), divergence(p, q, n, alpha),
					 1e-10);
	}

	/* One step is randomised response, with two answers. */
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(0.01, 30.0);
		double		alpha = uniform() < 0.1 ? 1.0 : 1.0 + magnitude(1e-3, 30.0);
		double		r[2] = {1.0 / (1.0 + exp(-epsilon)), 1.0 / (1.0 + exp(epsilon))};
		double		t[2] = {r[1], r[0]};

		assert_close(dpriv_rdp_pure(epsilon, alpha), divergence(r, t, 2, alpha), 1e-11);
		assert_close(dpriv_zcdp_pure(epsilon), epsilon * tanh(0.5 * epsilon), 1e-12);
	}
}

/* The curve from its ends to its middle: monotone, below epsilon and below the line of its rho. */
static void
test_laplace_curves(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(1e-9, 700.0);
		double		steps = floor(magnitude(1.0, 1e12));
		double		s = magnitude(1e-12, 1e9);
		double		alpha = 1.0 + s;
		double		more = 1.0 + magnitude(1e-6, 1.0);
		double		value = dpriv_rdp_discrete_laplace(epsilon, steps, alpha);
		double		rho = dpriv_zcdp_discrete_laplace(epsilon, steps);

		assert_true(value > 0 && value <= epsilon);
		assert_at_most(value, alpha * rho);
		assert_at_most(rho, value);
		assert_at_most(value, dpriv_rdp_discrete_laplace(epsilon, steps, 1.0 + s * more));
		assert_at_most(value, dpriv_rdp_discrete_laplace(epsilon * more, steps, alpha));
		assert_at_most(dpriv_rdp_discrete_laplace(epsilon, steps + 1.0, alpha), value);
		assert_at_most(dpriv_rdp_laplace(epsilon, alpha), value);
		assert_at_most(value, dpriv_rdp_pure(epsilon, alpha));
		assert_at_most(rho, dpriv_zcdp_pure(epsilon));
		assert_at_most(dpriv_zcdp_pure(epsilon), 0.5 * epsilon * epsilon);
		assert_at_most(dpriv_zcdp_laplace(epsilon), rho);

		/* The formula as printed, where it has digits. */
		if (epsilon > 1e-3 && epsilon < 20.0 && s > 1e-3 && alpha < 30.0)
			assert_close(dpriv_rdp_laplace(epsilon, alpha),
						 log(alpha / (alpha + s) * exp(s * epsilon) +
							 s / (alpha + s) * exp(-alpha * epsilon)) / s,
						 1e-15 / (s * epsilon * epsilon) + 1e-11);
		if (epsilon > 1e-3)
			assert_close(dpriv_zcdp_laplace(epsilon), epsilon + expm1(-epsilon), 1e-9);

		/* No step where the ways of computing meet: to leading order around s eps = 1, s a = 20. */
		if (epsilon > 1e-3 && epsilon < 100.0)
		{
			double		seam = 1.0 + 1.0 / epsilon;

			assert_close(dpriv_rdp_discrete_laplace(epsilon, steps, seam * (1.0 + 1e-13)),
						 dpriv_rdp_discrete_laplace(epsilon, steps, seam * (1.0 - 1e-13)), 3e-12);
		}
	}
	assert_true(dpriv_rdp_discrete_laplace(0.0, 1.0, 2.0) == 0.0);
	assert_true(dpriv_rdp_discrete_laplace(3.0, 1.0, INFINITY) == 3.0);
	assert_true(dpriv_rdp_discrete_laplace(INFINITY, 1.0, 1.0) == INFINITY);
	assert_close(dpriv_rdp_discrete_laplace(40.0, 1.0, 1.0), 40.0, 1e-12);
}

/* k-ary randomised response against sums; both directions of the special neighbour. */
static void
test_randomized_response(void **state)
{
	double		p[30];
	double		q[30];
	double		u[30];

	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		noise = uniform() < 0.5 ? uniform() : magnitude(1e-6, 1.0);
		int			k = 2 + (int) (uniform() * 28.0);
		double		alpha = uniform() < 0.1 ? 1.0 : 1.0 + magnitude(1e-2, 50.0);

		for (int j = 0; j < k; j++)
		{
			p[j] = noise / k + (j == 0 ? 1.0 - noise : 0.0);
			q[j] = noise / k + (j == 1 ? 1.0 - noise : 0.0);
			u[j] = 1.0 / k;
		}
		if (noise > 0.999)
			continue;
		assert_close(dpriv_rdp_randomized_response(noise, k, alpha, DPRIV_RDP_REPLACE_ONE),
					 divergence(p, q, k, alpha), 1e-9);
		assert_close(dpriv_rdp_randomized_response(noise, k, alpha, DPRIV_RDP_REPLACE_SPECIAL),
					 Max(divergence(p, u, k, alpha), divergence(u, p, k, alpha)), 1e-9);
	}
	assert_true(dpriv_rdp_randomized_response(0.0, 3, 2.0, DPRIV_RDP_REPLACE_ONE) == INFINITY);
	assert_true(dpriv_rdp_randomized_response(1.0, 3, 2.0, DPRIV_RDP_REPLACE_ONE) == 0.0);
	assert_true(dpriv_rdp_randomized_response(0.5, 1, 2.0, DPRIV_RDP_REPLACE_SPECIAL) == 0.0);
	assert_close(dpriv_rdp_randomized_response(1e-20, 3, 2.0, DPRIV_RDP_REPLACE_SPECIAL),
				 log(2e20 / 3.0), 1e-12);
	assert_close(dpriv_rdp_randomized_response(1e-20, 3, 2.0, DPRIV_RDP_REPLACE_ONE), log(3e20),
				 1e-12);
	assert_close(dpriv_rdp_randomized_response(0.01, 3, 1e6, DPRIV_RDP_REPLACE_ONE),
				 log(0.99 * 3 / 0.01 + 1.0), 1e-5);
}

/* Of two outcomes that lose t and t - epsilon. */
static double
divergence_of_two_losses(double epsilon, double t, double alpha)
{
	double		q[2] = {
		exp(-t) * expm1(t - epsilon) / expm1(-epsilon), expm1(-t) / expm1(-epsilon)
	};
	double		p[2] = {q[0] * exp(t), q[1] * exp(t - epsilon)};

	return divergence(p, q, 2, alpha);
}

/* No two outcomes with losses t and t - epsilon are worse than the formula, and some are as bad. */
static void
test_bounded_range(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 10; i++)
	{
		double		epsilon = magnitude(0.01, 20.0);
		double		alpha = uniform() < 0.1 ? 1.0 : 1.0 + magnitude(0.1, 30.0);
		double		tight = dpriv_rdp_bounded_range(epsilon, alpha);
		double		worst = 0.0;
		double		best = 0.0;
		double		low = 0.0;
		double		high = epsilon;

		/* The largest divergence is found on a grid, and then on finer ones around it. */
		for (int pass = 0; pass < 4; pass++)
		{
			double		width = (high - low) / 100.0;

			for (int j = 1; j < 100; j++)
			{
				double		t = low + j * width;
				double		at_t = divergence_of_two_losses(epsilon, t, alpha);

				if (at_t > worst)
				{
					worst = at_t;
					best = t;
				}
			}
			low = best - width;
			high = best + width;
		}

		/* The sum above loses digits where its terms cancel. */
		assert_true(worst <= tight * (1.0 + 1e-10 + 1e-13 / (epsilon * epsilon * alpha)));
		assert_close(worst, tight, 1e-9 + 1e-13 / (epsilon * epsilon * alpha));
		assert_at_most(tight, dpriv_rdp_bounded_range_simple(epsilon, alpha));
		assert_at_most(tight, dpriv_rdp_pure(epsilon, alpha));
	}
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(1e-9, 500.0);
		double		s = magnitude(1e-12, 1e9);
		double		tight = dpriv_rdp_bounded_range(epsilon, 1.0 + s);
		double		simple = dpriv_rdp_bounded_range_simple(epsilon, 1.0 + s);

		assert_true(tight > 0 && simple <= epsilon);
		assert_at_most(tight, simple);
		assert_at_most(simple, (1.0 + s) * dpriv_zcdp_exponential(epsilon));
		assert_at_most(tight, dpriv_rdp_bounded_range(epsilon, 1.0 + 1.5 * s));
		assert_at_most(tight, dpriv_rdp_bounded_range(epsilon * 1.1, 1.0 + s));
	}
	assert_true(dpriv_rdp_bounded_range(0.0, 2.0) == 0.0);
	assert_true(dpriv_rdp_bounded_range(2.0, INFINITY) == 2.0);
}

/* The sum over how many of the alpha factors took the row, for whole orders; all terms positive. */
static double
sampled_by_force(double q, double sigma, int alpha)
{
	double		sum = 0.0;

	for (int k = 2; k <= alpha; k++)
	{
		double		log_term = lgamma(alpha + 1.0) - lgamma(k + 1.0) - lgamma(alpha - k + 1.0) +
			k * log(q) + (alpha - k) * log1p(-q);

		sum += exp(log_term) * expm1(0.5 * k * (k - 1.0) / (sigma * sigma));
	}
	return log1p(sum) / (alpha - 1.0);
}

static void
test_sampled_gaussian(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		q = magnitude(1e-6, 1.0);
		double		sigma = magnitude(0.3, 300.0);
		int			alpha = 2 + (int) (uniform() * 60.0);
		double		value;
		double		expected;

		if (0.5 * alpha * (alpha - 1.0) / (sigma * sigma) > 500.0)
			continue;
		value = dpriv_rdp_sampled_gaussian(q, sigma, alpha);
		expected = sampled_by_force(q, sigma, alpha);
		assert_close(value, expected, 1e-10);
		assert_true(value >= expected * (1.0 - 1e-11));
	}
	for (int i = 0; i < ROUNDS / 4; i++)
	{
		double		q = magnitude(1e-9, 1.0);
		double		sigma = magnitude(0.05, 1e4);
		double		s = magnitude(1e-6, 300.0);
		double		more = 1.0 + magnitude(1e-3, 1.0);
		double		value = dpriv_rdp_sampled_gaussian(q, sigma, 1.0 + s);
		double		slip = 4e-10;

		assert_true(value > 0);
		assert_at_most(value, dpriv_rdp_gaussian(1.0, sigma, 1.0 + s));
		if (s * (1.0 + s) < 1000.0 * sigma * sigma)
			assert_at_most(value, log1p(q * expm1(0.5 * s * (1.0 + s) / (sigma * sigma))) / s);
		assert_true(value <= dpriv_rdp_sampled_gaussian(q, sigma, 1.0 + s * more) * (1.0 + slip));
		assert_true(value <= dpriv_rdp_sampled_gaussian(Min(q * more, 1.0), sigma, 1.0 + s) *
					(1.0 + slip));
		assert_true(dpriv_rdp_sampled_gaussian(q, sigma * more, 1.0 + s) <= value * (1.0 + slip));
	}
	assert_true(dpriv_rdp_sampled_gaussian(0.0, 1.0, 2.0) == 0.0);
	assert_true(dpriv_rdp_sampled_gaussian(0.1, 0.0, 2.0) == INFINITY);
	assert_true(dpriv_rdp_sampled_gaussian(0.1, INFINITY, 2.0) == 0.0);
	assert_true(dpriv_rdp_sampled_gaussian(0.1, 1.0, INFINITY) == INFINITY);
	assert_close(dpriv_rdp_sampled_gaussian(1.0, 2.0, 3.0), 0.375, 1e-12);
	assert_close(dpriv_rdp_sampled_gaussian(1.0 - 1e-12, 2.0, 3.0), 0.375, 1e-10);
	for (double sigma = 0.002; sigma < 100.0; sigma *= 1.7)
	{
		double		limit = dpriv_rdp_sampled_gaussian(0.01, sigma, 1.0);

		assert_close(dpriv_rdp_sampled_gaussian(0.01, sigma, 1.0 + 1e-12), limit, 1e-5);
		assert_at_most(limit, 0.01 / (2.0 * sigma * sigma));
	}

	/* Too little noise to integrate: still a bound, and a close one. */
	assert_close(dpriv_rdp_sampled_gaussian(0.01, 0.001, 5.0), 0.5 * 5e6 + 1.25 * log(0.01), 1e-9);
	assert_true(dpriv_rdp_sampled_gaussian(1e-8, 0.003, 1.0) < 1e-8 / (2 * 0.003 * 0.003) * 1.01);
	assert_true(isfinite(dpriv_rdp_sampled_gaussian(0.5, 1.0, 1e7)));
}

static void
test_conversions(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		rdp = magnitude(1e-6, 100.0);
		double		alpha = 1.0 + magnitude(1e-2, 1e4);
		double		delta = magnitude(1e-30, 0.5);

		for (int c = DPRIV_RDP_IMPROVED; c <= DPRIV_RDP_CLASSIC; c++)
		{
			DprivRdpConversion conversion = (DprivRdpConversion) c;
			double		epsilon = dpriv_rdp_epsilon_at(rdp, alpha, delta, conversion);

			assert_at_most(epsilon, dpriv_rdp_epsilon_at(rdp * 1.01, alpha, delta, conversion));
			assert_at_most(dpriv_rdp_epsilon_at(rdp, alpha, delta * 1.01, conversion), epsilon);
			if (epsilon > 0)
				assert_close(dpriv_rdp_delta_at(rdp, alpha, epsilon, conversion), delta,
							 1e-12 * (10.0 + (alpha - 1.0) * Max(epsilon, rdp) - log(delta)));
		}
		assert_at_most(dpriv_rdp_epsilon_at(rdp, alpha, delta, DPRIV_RDP_IMPROVED),
					   dpriv_rdp_epsilon_at(rdp, alpha, delta, DPRIV_RDP_CLASSIC));
	}
	assert_true(dpriv_rdp_epsilon_at(1.5, INFINITY, 0.0, DPRIV_RDP_IMPROVED) == 1.5);
	assert_true(dpriv_rdp_epsilon_at(1.5, 1.0, 1e-6, DPRIV_RDP_IMPROVED) == INFINITY);
	assert_true(dpriv_rdp_epsilon_at(1.5, 2.0, 0.0, DPRIV_RDP_CLASSIC) == INFINITY);
	assert_true(dpriv_rdp_epsilon_at(0.0, 2.0, 0.0, DPRIV_RDP_CLASSIC) == 0.0);
	assert_true(dpriv_rdp_epsilon_at(1e-4, 1.0, 0.02, DPRIV_RDP_IMPROVED) == 0.0);
	assert_true(dpriv_rdp_delta_at(1.5, INFINITY, 1.5, DPRIV_RDP_IMPROVED) == 0.0);

	/* No delta is above the bound on the variation distance, and order 1 gives nothing else. */
	assert_close(dpriv_rdp_delta_at(1e-4, 1.0, 0.5, DPRIV_RDP_IMPROVED), sqrt(-expm1(-1e-4)),
				 1e-12);
	assert_true(dpriv_rdp_delta_at(1e-4, 1.0, 0.5, DPRIV_RDP_CLASSIC) == 1.0);
	assert_true(dpriv_rdp_delta_at(1.5, 2.0, INFINITY, DPRIV_RDP_IMPROVED) == 0.0);
	assert_true(dpriv_rdp_epsilon(NULL, NULL, 0, 0.5, DPRIV_RDP_IMPROVED) == INFINITY);
	assert_true(dpriv_rdp_delta(NULL, NULL, 0, 0.5, DPRIV_RDP_IMPROVED) == 1.0);
}

static void
test_zcdp(void **state)
{
	(void) state;

	/* Below the bound on the variation distance no epsilon is needed. */
	assert_true(dpriv_zcdp_epsilon(0.28, 0.5, DPRIV_ZCDP_TIGHT) == 0.0);
	assert_true(dpriv_zcdp_rho(0.0, 0.5, DPRIV_ZCDP_TIGHT) > -log1p(-0.25));
	for (int i = 0; i < ROUNDS; i++)
	{
		double		rho = magnitude(1e-8, 1e5);
		double		delta = magnitude(1e-30, 0.5);
		double		mu = sqrt(2.0 * rho);
		double		tight = dpriv_zcdp_epsilon(rho, delta, DPRIV_ZCDP_TIGHT);
		double		bs16 = dpriv_zcdp_epsilon(rho, delta, DPRIV_ZCDP_BS16);

		/* Never below the truth for the mechanism that zCDP fits best. */
		assert_at_most(dpriv_gaussian_epsilon(mu, 1.0, delta), tight);
		assert_at_most(tight, bs16);
		assert_close(dpriv_zcdp_rho(bs16, delta, DPRIV_ZCDP_BS16), rho, 1e-12);
		for (int m = DPRIV_ZCDP_TIGHT; m <= DPRIV_ZCDP_BS16; m++)
		{
			DprivZcdpMethod method = (DprivZcdpMethod) m;
			double		epsilon = magnitude(1e-9, 1e4);

			assert_true(dpriv_zcdp_epsilon(dpriv_zcdp_rho(epsilon, delta, method), delta,
										   method) <= epsilon);
		}

		/* Where epsilon is far from 0 the inverse is as exact as the function. */
		if (tight > 1e-3 * bs16)
			assert_close(dpriv_zcdp_rho(tight, delta, DPRIV_ZCDP_TIGHT), rho, 2e-10);
		if (tight > 0.5 * bs16)
			assert_close(dpriv_zcdp_rho(tight, delta, DPRIV_ZCDP_TIGHT), rho, 1e-12);

		/* No order does better. */
		for (int j = 0; j < 20; j++)
		{
			double		alpha = 1.0 + magnitude(1e-4, 1e6);

			assert_at_most(tight, dpriv_rdp_epsilon_at(rho * alpha, alpha, delta,
													   DPRIV_RDP_IMPROVED));
		}
		assert_at_most(tight, dpriv_zcdp_epsilon(rho * 1.01, delta, DPRIV_ZCDP_TIGHT));
		assert_at_most(dpriv_zcdp_epsilon(rho, delta * 1.01, DPRIV_ZCDP_TIGHT), tight);
	}
	for (int m = DPRIV_ZCDP_TIGHT; m <= DPRIV_ZCDP_BS16; m++)
	{
		DprivZcdpMethod method = (DprivZcdpMethod) m;

		assert_true(dpriv_zcdp_epsilon(0.0, 0.0, method) == 0.0);
		assert_true(dpriv_zcdp_epsilon(1.0, 0.0, method) == INFINITY);
		assert_true(dpriv_zcdp_epsilon(1.0, 1.0, method) == 0.0);
		assert_true(dpriv_zcdp_epsilon(INFINITY, 0.5, method) == INFINITY);
		assert_true(dpriv_zcdp_rho(1.0, 0.0, method) == 0.0);
		assert_true(dpriv_zcdp_rho(1.0, 1.0, method) == INFINITY);
		assert_true(dpriv_zcdp_rho(INFINITY, 0.5, method) == INFINITY);
		assert_true(isfinite(dpriv_zcdp_epsilon(1e300, 1e-300, method)));
	}
	assert_true(dpriv_zcdp_gaussian(0.0, 0.0) == 0.0);
	assert_true(dpriv_zcdp_gaussian(1.0, 0.0) == INFINITY);
	assert_close(dpriv_zcdp_gaussian(3.0, 6.0), 0.125, 1e-14);
}

static void
test_training(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 20; i++)
	{
		double		sigma = magnitude(0.5, 20.0);
		double		q = magnitude(1e-5, 1.0);
		int64		steps = (int64) magnitude(1.0, 1e5);
		double		delta = magnitude(1e-12, 1e-3);
		double		epsilon = dpriv_dpsgd_epsilon(sigma, q, steps, delta);

		assert_at_most(epsilon, dpriv_dpsgd_epsilon(sigma, q, steps + 1, delta));
		assert_at_most(dpriv_dpsgd_epsilon(sigma, q, steps, 1.1 * delta), epsilon);
		assert_at_most(dpriv_dpsgd_epsilon(1.1 * sigma, q, steps, delta), epsilon);
		assert_at_most(epsilon, dpriv_zcdp_epsilon(steps * dpriv_zcdp_gaussian(1.0, sigma), delta,
												   DPRIV_ZCDP_TIGHT));

		/* No order does better; the minimum is flat, so the best is exact to far less than this. */
		for (int j = 0; j < 20; j++)
		{
			double		alpha = 1.0 + magnitude(1e-2, 1e3);

			assert_true(epsilon <=
						dpriv_rdp_epsilon_at(steps * dpriv_rdp_sampled_gaussian(q, sigma, alpha),
											 alpha, delta, DPRIV_RDP_IMPROVED) * (1.0 + 1e-9));
		}

		/* Not sampled, it is the sum of Gaussians. */
		assert_close(dpriv_dpsgd_epsilon(sigma, 1.0, steps, delta),
					 dpriv_zcdp_epsilon(steps * dpriv_zcdp_gaussian(1.0, sigma), delta,
										DPRIV_ZCDP_TIGHT), 1e-11);
		if (i % 10 == 0 && epsilon > 1e-3)
		{
			double		again = dpriv_dpsgd_noise_multiplier(epsilon, delta, q, steps);

			assert_close(again, sigma, 1e-8);
			assert_true(dpriv_dpsgd_epsilon(again, q, steps, delta) <= epsilon);
		}
	}
	assert_true(dpriv_dpsgd_epsilon(1.0, 0.0, 10, 0.0) == 0.0);
	assert_true(dpriv_dpsgd_epsilon(1.0, 0.1, 0, 0.0) == 0.0);
	assert_true(dpriv_dpsgd_epsilon(0.0, 0.1, 1, 1e-5) == INFINITY);
	assert_true(dpriv_dpsgd_epsilon(1.0, 0.1, 1, 0.0) == INFINITY);
	assert_true(dpriv_dpsgd_epsilon(1e9, 0.1, 1, 1e-5) == 0.0);
	assert_true(dpriv_dpsgd_noise_multiplier(1.0, 0.0, 0.1, 1) == INFINITY);
	assert_true(dpriv_dpsgd_noise_multiplier(INFINITY, 1e-5, 0.1, 1) == 0.0);
	assert_true(dpriv_dpsgd_noise_multiplier(1.0, 1e-5, 0.1, 0) == 0.0);
	assert_true(dpriv_dpsgd_noise_multiplier(1.0, 1e-5, 0.5, PG_INT64_MAX) > 1e9);
	assert_true(isfinite(dpriv_dpsgd_epsilon(0.01, 0.5, INT64CONST(1000000000000), 1e-9)));
}

/* The accountings in the order that theory gives them, and the course's two figures. */
static void
test_accountings(void **state)
{
	double		step = sqrt(2.0 * log(1.25 * 20000 / 1e-5)) / 20.0;

	(void) state;

	/* By theorem 3.20, with half of delta as slack; and one step that the classic formula misses. */
	assert_close(dpriv_accounting_epsilon(DPRIV_ACCOUNTING_ADVANCED, 20.0, 1.0, 10000, 1e-5),
				 sqrt(20000.0 * log(2e5)) * step + 10000.0 * step * expm1(step), 1e-12);
	assert_true(dpriv_accounting_epsilon(DPRIV_ACCOUNTING_SEQUENTIAL, 4.0, 1.0, 1, 1e-5) ==
				dpriv_gaussian_epsilon(1.0, 4.0, 1e-5));
	assert_close(dpriv_accounting_epsilon(DPRIV_ACCOUNTING_SEQUENTIAL, 20.0, 1.0, 10000, 1e-5),
				 3236.0, 1e-4);
	assert_close(dpriv_accounting_epsilon(DPRIV_ACCOUNTING_RDP, 20.0, 1.0, 10000, 1e-5), 36.49,
				 1e-4);
	for (int i = 0; i < ROUNDS; i++)
	{
		double		sigma = magnitude(0.5, 1000.0);
		double		sensitivity = magnitude(0.5, 2.0);
		int64		steps = (int64) magnitude(1.0, 1e6);
		double		delta = magnitude(1e-12, 1e-3);
		double		value[DPRIV_ACCOUNTINGS];

		for (int j = 0; j < DPRIV_ACCOUNTINGS; j++)
			value[j] = dpriv_accounting_epsilon((DprivAccounting) j, sigma, sensitivity, steps,
												delta);
		assert_at_most(value[DPRIV_ACCOUNTING_EXACT], value[DPRIV_ACCOUNTING_RDP_IMPROVED]);
		assert_at_most(value[DPRIV_ACCOUNTING_RDP_IMPROVED], value[DPRIV_ACCOUNTING_RDP]);
		assert_at_most(value[DPRIV_ACCOUNTING_EXACT], value[DPRIV_ACCOUNTING_ADVANCED]);
		assert_at_most(value[DPRIV_ACCOUNTING_EXACT], value[DPRIV_ACCOUNTING_SEQUENTIAL]);
		assert_true(value[DPRIV_ACCOUNTING_ZCDP] == value[DPRIV_ACCOUNTING_RDP_IMPROVED]);
	}
}

/* Orders, epsilons and rates so far out that the obvious form has no digits left, or overflows. */
static void
test_far_ends(void **state)
{
	(void) state;
	assert_close(dpriv_rdp_laplace(1.0, 1e308), 1.0, 1e-12);
	assert_close(dpriv_rdp_gaussian(1e-200, 1.0, 1e300), 5e-101, 1e-12);
	assert_close(dpriv_rdp_bounded_range(1e-15, 2.0), 2.5e-31, 1e-12);
	assert_close(dpriv_rdp_bounded_range(1e-12, 2.0), 2.5e-25, 1e-12);
	assert_close(dpriv_rdp_randomized_response(DBL_TRUE_MIN, 3, 1.0, DPRIV_RDP_REPLACE_ONE),
				 745.5386842101342, 1e-12);

	/* The moment is 1 to more than the last digit. */
	for (double alpha = 1.0; alpha < 1e6; alpha *= 1.7)
		assert_true(dpriv_rdp_sampled_gaussian(1e-200, 1.0, alpha) > 0);
	assert_true(dpriv_dpsgd_epsilon(1.0, 1e-200, INT64CONST(1000000000000), 1e-300) > 0);

	/* Two maxima, the upper one a small difference of large numbers; with 60 digits. */
	assert_true(dpriv_rdp_sampled_gaussian(1e-10, 20.0, 18421.0) >= 8.4557794621252240e-12);
	assert_true(dpriv_rdp_sampled_gaussian(1e-10, 100.0, 460518.0) >= 1.0896239116479915e-6);
	assert_true(dpriv_rdp_sampled_gaussian(1e-10, 1000.0, 46051703.0) >= 7.1001172282541723e-8);

	/* So little delta that no noise is enough. */
	assert_true(isinf(dpriv_dpsgd_noise_multiplier(0.0, 1e-310, 0.5, 1)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_discrete_laplace_by_force),
		cmocka_unit_test(test_laplace_curves),
		cmocka_unit_test(test_randomized_response),
		cmocka_unit_test(test_bounded_range),
		cmocka_unit_test(test_sampled_gaussian),
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_zcdp),
		cmocka_unit_test(test_training),
		cmocka_unit_test(test_accountings),
		cmocka_unit_test(test_far_ends),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
