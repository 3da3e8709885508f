/*
 * noise.c
 *	  Sums of integer vectors, released with discrete Gaussian noise.
 *
 * A row adds a vector of integers whose Euclidean norm, in integers, is at most the sensitivity.
 * Discrete Gaussian noise of variance parameter sigma^2 on every coordinate then costs
 * sensitivity^2 / (2 sigma^2) in zero-concentrated DP: Canonne, Kamath, Steinke (2020), theorem 4
 * for each coordinate, and the sum over them.  Here sigma^2 is a whole number, so the
 * noise drawn is exactly the noise accounted for.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/numeric.h"
#include "accounting/rdp.h"
#include "accounting/zcdp.h"
#include "learn/noise.h"
#include "mechanism/audit.h"
#include "mechanism/constant.h"
#include "miscadmin.h"
#include "noise/strip.h"

/* From here on sigma is a multiple of what draws are quick for. */
#define LARGE_SIGMA 0x1p24

/* A whole number that is not below this variance; 0 if it is beyond what can be drawn. */
static uint128
whole_variance(double variance)
{
	double		sigma = sqrt(variance) * DPRIV_ROUND_UP;
	uint64		strips;

	/* written so that a NaN is beyond it */
	if (!(sigma < 0x1p53))
		return 0;
	if (sigma < LARGE_SIGMA)
		return (uint128) ceil(variance);
	strips = (uint64) ceil(sigma / DPRIV_STRIPS);
	return (uint128) (strips * DPRIV_STRIPS) * (strips * DPRIV_STRIPS);
}

bool
dpriv_learn_noise_try(LearnNoise *noise, int64 sensitivity, double rho)
{
	double		steps = (double) sensitivity;
	uint128		variance = whole_variance(steps * steps / (2.0 * rho) * DPRIV_ROUND_UP);

	if (!dpriv_gaussian_init(&noise->gaussian, variance, 1))
		return false;
	noise->sensitivity = sensitivity;
	noise->rho = dpriv_zcdp_gaussian(steps, sqrt((double) variance) / DPRIV_ROUND_UP);
	return true;
}

LearnNoise
dpriv_learn_noise(int64 sensitivity, double rho)
{
	LearnNoise	noise;

	if (!dpriv_learn_noise_try(&noise, sensitivity, rho))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon is too small for training"),
				 errdetail("The noise would be beyond what can be drawn exactly."),
				 errhint("Use a larger epsilon or delta, or fewer iterations.")));
	return noise;
}

DprivCost
dpriv_learn_noise_cost(const LearnNoise *noise, int n)
{
	DprivCost	once = {0};
	DprivCost	cost = {0};

	once.rho = noise->rho;
	for (int i = 0; i < DPRIV_NORDERS; i++)
		once.curve[i] = nextafter(noise->rho * dpriv_orders[i], INFINITY);
	for (int i = 0; i < n; i++)
		cost = dpriv_cost_add(cost, once);
	return cost;
}

void
dpriv_learn_check_cost(const DprivCost *cost, double epsilon, double delta)
{
	if (!(dpriv_zcdp_epsilon(cost->rho, delta, DPRIV_ZCDP_TIGHT) <= epsilon))
		elog(ERROR, "a training would cost more than its epsilon");
}

/* 1 / (24 sigma^2) for each: see mechanism/gaussian.c. */
double
dpriv_learn_rounding_distance(const LearnNoise *noise, double n)
{
	double		sigma = dpriv_gaussian_sigma(&noise->gaussian);

	return n / (24.0 * sigma * sigma) * DPRIV_ROUND_UP;
}

/*
 * Up to 12 sigma, and what a row may move it by, the logarithm of the ratio of the two is at most
 * (x^2 + 1) / (24 sigma^2) at x sigma, by the second derivative of the density.  A divergence has
 * alpha of these ratios for one table and alpha - 1 for the other, divided by alpha - 1.  What lies
 * beyond has a probability below 1e-32, and the distance is far above that.
 */
double
dpriv_learn_rounding_divergence(const LearnNoise *noise, double n, double alpha)
{
	double		x = 13.0 + sqrt(2.0 * noise->rho);

	return x * x * dpriv_learn_rounding_distance(noise, n) * (2.0 * alpha - 1.0) / (alpha - 1.0);
}

void
dpriv_learn_release(const LearnNoise *noise, int64 *sum, int n)
{
	DPRIV_AUDIT_EXACT_VECTOR(sum, n);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sum[i] += dpriv_gaussian_draw(&noise->gaussian);
	}
	DPRIV_AUDIT_NOISY_VECTOR(noise->sensitivity, &noise->gaussian, sum, n);
	DPRIV_CONSTANT_SUMS(sum, n, noise->sensitivity);
}
