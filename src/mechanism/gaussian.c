/*
 * gaussian.c
 *	  Gaussian noise: all Gaussian measures of a release are one vector with one privacy loss.
 *
 * Let measure i change by at most d_i in Euclidean norm, with epsilon_i and delta_i; E and D are
 * their sums.  Noise of standard deviation sigma_i on its components makes the vector of all of
 * them a Gaussian mechanism with mu^2 = sum (d_i / sigma_i)^2 (one unit is in one group, and
 * changes all measures of it at once).  The largest mu^2 for (E, D) is shared out in proportion to
 * epsilon_i, which needs much less noise than a mechanism for each measure: n equal measures at
 * (epsilon, delta) each have sigma / sqrt(n) or so.
 *
 * A single number has noise from the integers, with the sigma that is exact for its largest change
 * d, and so for the smaller ones: wherever P[y] exceeds e^E P[y + d], y + d is positive, and P
 * falls from there on.  A vector has a discrete Gaussian so fine that, rounded to the grid, it is a
 * rounded continuous one up to a distance that is taken from D: see fine_distance.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "accounting/gaussian.h"
#include "accounting/numeric.h"
#include "config.h"
#include "mechanism/gaussian.h"
#include "mechanism/measure.h"

/* Sigma is at least 2^(FINE_BITS - 1) and below 2^FINE_BITS fine steps. */
#define FINE_BITS 53

/*
 * Bound on the variation distance between a discrete Gaussian of sigma >= 2^52 and a continuous
 * one of the same sigma, rounded: 1 / (24 sigma^2).  The probability that rounding gives y is the
 * density at y times 1 + (y^2 / sigma^2 - 1) / (24 sigma^2) + O(sigma^-4), the sum over the
 * integers of the density is 1 up to 2 exp(-2 pi^2 sigma^2), and E|Z^2 - 1| < 1.
 */
static const double fine_distance = 0x1p-104 / 24.0;

/* sigma^2 is an exact fraction of the float8, so no rounding changes what was accounted for. */
static void
set_noise(DprivGaussianNoise *noise, double sigma, bool whole_steps)
{
	int			exponent;
	double		mantissa = frexp(sigma, &exponent);
	uint128		digits = (uint128) ldexp(mantissa, FINE_BITS);
	int			halvings = FINE_BITS - exponent;	/* sigma = digits / 2^halvings */
	bool		supported;

	noise->sigma = sigma;
	noise->shift = 0;
	if (halvings <= 0)
		supported = halvings >= -1 &&
			dpriv_gaussian_init(&noise->fine, (digits * digits) << (-2 * halvings), 1);
	else if (whole_steps)
		supported = halvings <= 63 &&
			dpriv_gaussian_init(&noise->fine, digits * digits, (uint128) 1 << (2 * halvings));
	else
	{
		noise->shift = halvings;
		supported = halvings <= 62 && dpriv_gaussian_init(&noise->fine, digits * digits, 1);
	}
	if (!supported)
		elog(ERROR, "noise scale is out of range");
}

double
dpriv_gaussian_sensitivity(const DprivMeasure *measure, int sampler)
{
	double		steps = (double) dpriv_measure_euclidean(measure, sampler);

	return steps < ldexp(1.0, FINE_BITS) ? steps : nextafter(steps, INFINITY);
}

/*
 * Standard deviation of a part of a measure: its share of mu^2 is that of its epsilon in units, the
 * epsilons of all Gaussian measures together.
 */
static double
sigma_of(const DprivMeasure *measure, int sampler, double mu, int64 units)
{
	double		share = (double) measure->share[sampler] / (double) units;

	return dpriv_divide_up(dpriv_gaussian_sensitivity(measure, sampler), mu * sqrt(share)) *
		DPRIV_ROUND_UP;
}

static bool
is_candidate(const DprivMeasure *measure)
{
	return measure->kind->gaussian && measure->delta > 0;
}

/*
 * Half of the sum, over measures, of the ratio of the variances with Gaussian and with Laplace
 * noise (2 b^2), less their number: negative if Gaussian noise is better on average.
 */
static double
compare(const DprivMeasure *measures, int n, double mu, int64 units, double scalar_sigma)
{
	double		balance = 0.0;

	for (int i = 0; i < n; i++)
	{
		if (!is_candidate(&measures[i]))
			continue;
		for (int j = 0; j < measures[i].nsamplers; j++)
		{
			double		sigma = scalar_sigma > 0 ? scalar_sigma :
				sigma_of(&measures[i], j, mu, units);
			double		b = dpriv_laplace_scale(&measures[i].sampler[j]);

			balance += (sigma * sigma / (2.0 * b * b) - 1.0) / measures[i].nsamplers;
		}
	}
	return balance;
}

static void
refuse_epsilon(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("epsilon of the Gaussian measures of a release is too large"),
			 errdetail("Their epsilons together leave nothing of so small a delta."),
			 errhint("Use a smaller epsilon, a larger delta, or dpriv.mechanism = laplace.")));
}

void
dpriv_gaussian_choose(DprivMeasure *measures, int n)
{
	int64		units = 0;
	double		epsilon;
	double		delta = 0.0;
	double		mu = 0.0;
	double		scalar_sigma = 0.0;
	int			candidates = 0;
	int			components = 0;
	const DprivMeasure *last = NULL;

	if (dpriv_setting_mechanism == DPRIV_MECHANISM_LAPLACE)
		return;
	for (int i = 0; i < n; i++)
	{
		if (measures[i].kind->gaussian && measures[i].delta == 0 &&
			dpriv_setting_mechanism == DPRIV_MECHANISM_GAUSSIAN)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s has no delta", measures[i].kind->name),
					 errdetail("Gaussian noise needs a delta above 0."),
					 errhint("SET dpriv.delta = 1e-6, for example, or pass it as the last "
							 "argument, or use dpriv.mechanism = auto.")));
		if (!is_candidate(&measures[i]))
			continue;
		last = &measures[i];
		candidates++;
		components += last->ncomponents;
		units += last->epsilon.noise;	/* at most 10^15 each */
		delta += last->delta;
	}
	if (candidates == 0)
		return;

	/* Not above the exact sums. */
	epsilon = nextafter(dpriv_epsilon_to_double(units), 0.0);
	delta *= 1.0 - candidates * DBL_EPSILON;

	if (candidates == 1 && components == 1)
		scalar_sigma = dpriv_discrete_gaussian_sigma_for(dpriv_gaussian_sensitivity(last, 0),
														 epsilon, delta);
	else
	{
		delta -= components * (1.0 + exp(epsilon)) * fine_distance;
		if (delta > 0)
			mu = 1.0 / dpriv_gaussian_sigma_for(1.0, epsilon, delta) * (1.0 - DBL_EPSILON);
	}
	if (!(mu > 0) && !(scalar_sigma > 0))
	{
		if (dpriv_setting_mechanism == DPRIV_MECHANISM_GAUSSIAN)
			refuse_epsilon();
		return;
	}
	if (dpriv_setting_mechanism == DPRIV_MECHANISM_AUTO &&
		compare(measures, n, mu, units, scalar_sigma) >= 0)
		return;

	for (int i = 0; i < n; i++)
	{
		if (!is_candidate(&measures[i]))
			continue;
		measures[i].is_gaussian = true;
		for (int j = 0; j < measures[i].nsamplers; j++)
			set_noise(&measures[i].gaussian[j],
					  scalar_sigma > 0 ? scalar_sigma : sigma_of(&measures[i], j, mu, units),
					  scalar_sigma > 0);
	}
}

int64
dpriv_gaussian_noise_draw(const DprivGaussianNoise *noise)
{
	int64		draw = dpriv_gaussian_draw(&noise->fine);

	if (noise->shift == 0)
		return draw;

	/* To the nearest step, halves upward. */
	return (draw + (INT64CONST(1) << (noise->shift - 1))) >> noise->shift;
}

/*
 * A rounded Gaussian is within k if the continuous one is within k + 1/2.  For noise from the
 * integers itself the tail beyond k is at most that of the continuous one, since the density falls
 * from k to k + 1; for small sigma it is summed.
 */
double
dpriv_gaussian_noise_half_width(const DprivGaussianNoise *noise, double confidence)
{
	double		miss = 1.0 - confidence;
	double		continuous = dpriv_normal_quantile(0.5 * miss) * noise->sigma * (1.0 + 1e-12);

	if (noise->shift > 0)
		return Max(ceil(continuous - 0.5), 0.0);
	if (noise->sigma < 64.0)
	{
		double		reach = ceil(40.0 * noise->sigma) + 1.0;
		double		total = 1.0;
		double		tail = 0.0;
		double		k;

		for (double y = 1.0; y <= reach; y++)
			total += 2.0 * dpriv_exp_half_square(y / noise->sigma);
		for (k = reach; k > 0; k--)
		{
			tail += 2.0 * dpriv_exp_half_square(k / noise->sigma);
			if (tail * (1.0 + 1e-12) > miss * total)
				break;
		}
		return k;
	}
	return ceil(continuous);
}
