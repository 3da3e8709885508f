/*
 * objective.c
 *	  What objective perturbation costs.
 *
 * max(0, G) exceeds a threshold if G or 0 does, so a mean over it of anything that is positive and
 * grows is at most the sum of two, in which Gaussian noise elsewhere takes part as usual.
 */
#include "server.h"

#include <math.h>

#include "accounting/gaussian.h"
#include "accounting/numeric.h"
#include "accounting/objective.h"

/* Of delta: what is left for the second of the two means, which is far smaller. */
#define SECOND_MEAN 1e-3

/* P[Z <= x] */
static double
normal(double x)
{
	return 0.5 * erfc(-x * M_SQRT1_2);
}

static double
density(double x)
{
	return dpriv_exp_half_square(x) / DPRIV_SQRT_2PI;
}

double
dpriv_objective_shift(double beta, double lambda)
{
	return log1p(beta / lambda) * DPRIV_ROUND_UP;
}

double
dpriv_objective_delta(double mu, double shift, double rho, double epsilon)
{
	if (!(epsilon > shift))
		return 1.0;
	return Min(dpriv_gaussian_delta(sqrt(mu * mu + 2.0 * rho), 1.0, epsilon - shift) +
			   dpriv_gaussian_delta(sqrt(2.0 * rho), 1.0, epsilon - shift), 1.0);
}

double
dpriv_objective_total(double shift, double share, double epsilon, double delta)
{
	double		sigma;
	double		total;

	if (!(epsilon > shift))
		return 0.0;
	sigma = dpriv_gaussian_sigma_for(1.0, epsilon - shift, (1.0 - SECOND_MEAN) * delta);
	total = 0.5 / (sigma * sigma) * DPRIV_ROUND_DOWN;

	/* Less only where delta is so large that the second one counts; both fall to 0 with it. */
	while (dpriv_objective_delta(sqrt(2.0 * share * total), shift, (1.0 - share) * total,
								 epsilon) > delta)
	{
		CHECK_FOR_INTERRUPTS();
		total *= 0.99;
	}
	return total;
}

/*
 * E[exp((alpha - 1) max(0, G))] = P[Z < -mu / 2] + exp(a) P[Z < (alpha - 1/2) mu], with a = alpha
 * (alpha - 1) mu^2 / 2.  Its logarithm is that of 1 and two differences that are not negative.
 */
double
dpriv_objective_rdp(double mu, double shift, double alpha)
{
	double		s = alpha - 1.0;
	double		a = 0.5 * alpha * s * mu * mu;
	double		above = normal((alpha - 0.5) * mu);
	double		moment;

	if (a > 30.0)
		moment = a + log(above + exp(-a) * normal(-0.5 * mu));
	else
		moment = log1p(expm1(a) * above + (above - normal(0.5 * mu)));
	return (shift + Max(moment, 0.0) / s + 0x1p-50 / s) * DPRIV_ROUND_UP;
}

/*
 * max(0, G) is a function of a normal variable with a slope of at most mu.  So ln E[exp(t max(0,
 * G))] is at most t times its mean and t^2 mu^2 / 2 (Tsirelson, Ibragimov, Sudakov 1976), and the
 * divergence at most shift + mean + (alpha - 1) mu^2 / 2.  The mean is at least mu^2 / 2, that of
 * G: all of it is at most alpha (shift + mean).
 */
double
dpriv_objective_rho(double mu, double shift)
{
	return (shift + mu * density(0.5 * mu) + 0.5 * mu * mu * normal(0.5 * mu)) * DPRIV_ROUND_UP;
}
