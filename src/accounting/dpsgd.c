/*
 * dpsgd.c
 *	  What private training costs, and six ways of accounting side by side.
 *
 * The conversion at every order is a valid bound, so the search for the best one decides on
 * tightness only.  There is one best: (alpha - 1) times the divergence is convex in alpha, and the
 * rest of the numerator too, so their quotient by alpha - 1 falls and then rises.
 */
#include "server.h"

#include <math.h>

#include "accounting/compose.h"
#include "accounting/dpsgd.h"
#include "accounting/gaussian.h"
#include "accounting/numeric.h"
#include "accounting/pld.h"
#include "accounting/rdp.h"
#include "accounting/sampled_gaussian.h"
#include "accounting/zcdp.h"

/* Orders less 1 that are searched: outside of these the best order has nothing more to give. */
#define LEAST_ORDER 1e-6
#define GREATEST_ORDER 1e9

/* Beyond these the distribution of the loss is not asked. */
#define MAX_PLD_STEPS 100000000

/* The search for a noise multiplier ends at a relative error of epsilon, or at this noise. */
#define PLD_EPSILON_ERROR 1e-7
#define LEAST_NOISE 1e-9

typedef struct Training
{
	double		noise_multiplier;
	double		sampling_rate;
	int64		steps;
	double		epsilon;
	double		delta;
} Training;

static double
epsilon_at(double order_less_one, const void *argument)
{
	const Training *training = argument;
	double		alpha = 1.0 + order_less_one;
	double		rdp = (double) training->steps *
		dpriv_rdp_sampled_gaussian(training->sampling_rate, training->noise_multiplier, alpha);

	return dpriv_rdp_epsilon_at(rdp, alpha, training->delta, DPRIV_RDP_IMPROVED);
}

double
dpriv_dpsgd_epsilon(double noise_multiplier, double sampling_rate, int64 steps, double delta)
{
	Training	training = {noise_multiplier, sampling_rate, steps, 0.0, delta};
	double		start;
	double		divergence;
	double		unsampled;
	double		greatest;
	double		best;

	if (steps == 0 || sampling_rate == 0 || isinf(noise_multiplier) || delta >= 1.0)
		return 0.0;
	if (noise_multiplier == 0 || delta == 0)
		return INFINITY;

	/* Order 1 decides whether any epsilon is needed, and gives the scale of the best order. */
	divergence = steps * dpriv_rdp_sampled_gaussian(sampling_rate, noise_multiplier, 1.0);
	if (dpriv_rdp_epsilon_at(divergence, 1.0, delta, DPRIV_RDP_IMPROVED) == 0)
		return 0.0;
	start = sqrt(-log(delta) / divergence);

	/*
	 * With sampling, the divergence soars where the order approaches sigma^2 ln(1 / q).  It is at
	 * least alpha / (2 sigma^2) - alpha / (alpha - 1) ln(1 / q); orders for which that alone is
	 * more than epsilon without sampling need no look, and would take long.
	 */
	unsampled = dpriv_zcdp_epsilon(steps * dpriv_zcdp_gaussian(1.0, noise_multiplier), delta,
								   DPRIV_ZCDP_TIGHT);
	greatest = GREATEST_ORDER;
	if (sampling_rate < 1)
	{
		double		variance = noise_multiplier * noise_multiplier;

		start = Min(start, Max(variance * -log(sampling_rate), 1.0));
		greatest = Min(greatest, 2.0 + 2.0 * variance *
					   (unsampled / steps - 2.0 * log(sampling_rate)));
	}
	best = dpriv_minimum(epsilon_at, &training, start, LEAST_ORDER, greatest);
	return Min(epsilon_at(best, &training), unsampled);
}

/* Falls with the noise; the logarithm of a noise multiplier is what is searched. */
static double
epsilon_excess(double log_noise, const void *argument)
{
	const Training *training = argument;
	double		epsilon = dpriv_dpsgd_epsilon(exp(log_noise), training->sampling_rate,
											  training->steps, training->delta);

	return epsilon <= training->epsilon ? -fabs(epsilon - training->epsilon) :
		epsilon - training->epsilon;
}

double
dpriv_dpsgd_noise_multiplier(double epsilon, double delta, double sampling_rate, int64 steps)
{
	Training	training = {0.0, sampling_rate, steps, epsilon, delta};
	double		enough;
	double		too_little;

	if (steps == 0 || sampling_rate == 0 || delta >= 1.0 || isinf(epsilon))
		return 0.0;
	if (delta == 0)
		return INFINITY;

	/* Without sampling this much would be enough. */
	enough = log(dpriv_gaussian_sigma_for(sqrt((double) steps), epsilon, delta));
	if (isinf(enough))
		return INFINITY;
	while (epsilon_excess(enough, &training) > 0)
		enough += 0.7;
	too_little = enough;
	do
	{
		enough = too_little;
		too_little -= 0.7;
	} while (too_little > -20.0 && epsilon_excess(too_little, &training) <= 0);
	return exp(dpriv_root(epsilon_excess, &training, enough, too_little)) * DPRIV_ROUND_UP;
}

double
dpriv_dpsgd_epsilon_pld(double noise_multiplier, double sampling_rate, int64 steps, double delta,
						void *work)
{
	DprivPldMechanism mechanism = {
		DPRIV_PLD_SAMPLED_GAUSSIAN, {sampling_rate, noise_multiplier}, steps
	};
	double		epsilon = dpriv_dpsgd_epsilon(noise_multiplier, sampling_rate, steps, delta);
	int			n;

	/* With so many steps the lattice says nothing that divergences do not say. */
	if (epsilon == 0 || isinf(epsilon) || steps > MAX_PLD_STEPS)
		return epsilon;
	n = dpriv_pld_merge(&mechanism, 1);
	return Min(epsilon, dpriv_pld_epsilon(&mechanism, n, delta, work));
}

/* ln(epsilon / wanted) by the distribution of the loss. */
static double
log_excess_pld(const Training *training, double noise_multiplier, void *work)
{
	return log(dpriv_dpsgd_epsilon_pld(noise_multiplier, training->sampling_rate,
									   training->steps, training->delta, work) /
			   training->epsilon);
}

/*
 * The relation of the logarithms of noise and epsilon is nearly straight and at least as steep as 1
 * to 1, so false position (with the weights of Anderson and Bjorck 1973) takes few steps.  It aims
 * at an epsilon a little too small, and is done when one within PLD_EPSILON_ERROR was seen.  What
 * is returned was tried: since the lattice changes with the noise, epsilon falls only nearly
 * everywhere.
 */
double
dpriv_dpsgd_noise_multiplier_pld(double epsilon, double delta, double sampling_rate, int64 steps,
								 void *work)
{
	Training	training = {0.0, sampling_rate, steps, epsilon, delta};
	double		enough = dpriv_dpsgd_noise_multiplier(epsilon, delta, sampling_rate, steps);
	double		too_little = enough;
	double		at_enough;
	double		at_too_little;
	double		last;			/* unweighted */
	bool		below = true;	/* was the last one tried too little? */

	if (enough == 0 || isinf(enough) || epsilon == 0)
		return enough;
	last = at_enough = log_excess_pld(&training, enough, work);
	if (!(at_enough < 0))
		return enough;
	for (;;)
	{
		too_little *= exp(Max(at_enough, -0.7));
		at_too_little = log_excess_pld(&training, too_little, work);
		if (at_too_little > 0 || too_little < LEAST_NOISE)
			break;
		enough = too_little;
		last = at_enough = at_too_little;
	}
	for (int i = 0; i < 50 && last < -PLD_EPSILON_ERROR; i++)
	{
		double		share = isinf(at_enough) ? 0.5 :
			(at_enough + 0.5 * PLD_EPSILON_ERROR) / (at_enough - at_too_little);
		double		noise = exp(log(enough) +
								Min(Max(share, 1e-3), 1.0 - 1e-3) * log(too_little / enough));
		double		value;

		if (!(noise > too_little && noise < enough))
			break;
		value = log_excess_pld(&training, noise, work);
		if (value > 0)
		{
			if (below)
				at_enough *= value < at_too_little ? 1.0 - value / at_too_little : 0.5;
			below = true;
			too_little = noise;
			at_too_little = value;
		}
		else
		{
			if (!below)
				at_too_little *= value > at_enough ? 1.0 - value / at_enough : 0.5;
			below = false;
			enough = noise;
			last = at_enough = value;
		}
	}
	return enough;
}

const char *
dpriv_accounting_name(DprivAccounting accounting)
{
	static const char *const names[DPRIV_ACCOUNTINGS] = {
		"sequential", "advanced", "zcdp", "rdp", "rdp_improved", "exact"
	};

	return names[accounting];
}

/* Epsilon of one step: the textbook's formula where it holds, else exact. */
static double
one_step(double sigma, double sensitivity, double delta)
{
	double		classic = sqrt(2.0 * log(1.25 / delta)) * sensitivity / sigma * DPRIV_ROUND_UP;

	return classic < 1.0 ? classic : dpriv_gaussian_epsilon(sensitivity, sigma, delta);
}

double
dpriv_accounting_epsilon(DprivAccounting accounting, double sigma, double sensitivity, int64 steps,
						 double delta)
{
	double		k = (double) steps;
	double		rho = k * dpriv_zcdp_gaussian(sensitivity, sigma);

	if (steps == 0 || rho == 0 || delta >= 1.0)
		return 0.0;
	if (isinf(rho) || delta == 0)
		return INFINITY;
	switch (accounting)
	{
		case DPRIV_ACCOUNTING_SEQUENTIAL:
			return k * one_step(sigma, sensitivity, delta / k);
		case DPRIV_ACCOUNTING_ADVANCED:
			return dpriv_compose_dwork_roth(one_step(sigma, sensitivity, delta / (2.0 * k)),
											0.0, steps, 0.5 * delta).epsilon;
		case DPRIV_ACCOUNTING_ZCDP:
		case DPRIV_ACCOUNTING_RDP_IMPROVED:
			/* The divergence of Gaussians is linear in the order, so these agree. */
			return dpriv_zcdp_epsilon(rho, delta, DPRIV_ZCDP_TIGHT);
		case DPRIV_ACCOUNTING_RDP:
			return dpriv_zcdp_epsilon(rho, delta, DPRIV_ZCDP_BS16);
		case DPRIV_ACCOUNTING_EXACT:
			return dpriv_gaussian_epsilon(sensitivity * sqrt(k), sigma, delta);
	}
	Assert(false);
	return INFINITY;
}
