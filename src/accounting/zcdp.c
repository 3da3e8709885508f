/*
 * zcdp.c
 *	  Zero-concentrated differential privacy: one number per mechanism, sums under composition.
 *
 * With t = alpha - 1 and L = ln(1 / delta) the conversion at order alpha is
 *
 *		f(t) = (1 + t) rho + ln(t / (1 + t)) + (L - ln(1 + t)) / t,
 *
 * least where rho t^2 + ln(1 + t) = L.  Any t gives a valid bound, so how closely that is solved
 * matters for tightness only.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/rdp.h"
#include "accounting/zcdp.h"

double
dpriv_zcdp_gaussian(double sensitivity, double sigma)
{
	double		mu;

	if (sensitivity == 0)
		return 0.0;
	if (sigma == 0 || isinf(sensitivity))
		return INFINITY;
	mu = sensitivity / sigma;
	return 0.5 * mu * mu * (1.0 + 4.0 * DBL_EPSILON);
}

double
dpriv_zcdp_laplace(double epsilon)
{
	return dpriv_rdp_laplace(epsilon, 1.0);
}

double
dpriv_zcdp_discrete_laplace(double epsilon, double steps)
{
	return dpriv_rdp_discrete_laplace(epsilon, steps, 1.0);
}

double
dpriv_zcdp_pure(double epsilon)
{
	return dpriv_rdp_pure(epsilon, 1.0);
}

double
dpriv_zcdp_exponential(double epsilon)
{
	return 0.125 * epsilon * epsilon * (1.0 + 2.0 * DBL_EPSILON);
}

typedef struct Conversion
{
	double		rho;
	double		epsilon;
	double		log_inverse;	/* ln(1 / delta) */
} Conversion;

/* The derivative of f times t^2; grows with t = exp(x). */
static double
slope(double x, const void *argument)
{
	const Conversion *conversion = argument;
	double		t = exp(x);

	return conversion->rho * t * t + log1p(t) - conversion->log_inverse;
}

/* f(t) - epsilon with the rho for which t is best; falls with t = exp(x). */
static double
excess(double x, const void *argument)
{
	const Conversion *conversion = argument;
	double		t = exp(x);
	double		rest = conversion->log_inverse - log1p(t);

	return (1.0 + t) * rest / t / t - log1p(1.0 / t) + rest / t - conversion->epsilon;
}

double
dpriv_zcdp_epsilon(double rho, double delta, DprivZcdpMethod method)
{
	Conversion	conversion = {rho, 0.0, -log(delta)};
	double		simple;
	double		t;

	if (rho == 0 || delta >= 1.0)
		return 0.0;
	if (isinf(rho) || delta == 0)
		return INFINITY;
	simple = (rho + 2.0 * sqrt(rho * conversion.log_inverse)) * DPRIV_ROUND_UP;
	if (method == DPRIV_ZCDP_BS16)
		return simple;

	/* The variation distance is at most sqrt(1 - exp(-rho)): see dpriv_rdp_delta_at(). */
	if (-expm1(-rho) * DPRIV_ROUND_UP <= delta * delta)
		return 0.0;

	/* Between 0 and the zero without the logarithm, or without the square. */
	t = sqrt(conversion.log_inverse / rho);
	if (conversion.log_inverse < 700.0)
		t = Min(t, expm1(conversion.log_inverse));
	t = exp(dpriv_root(slope, &conversion, log(t), log(t) - 40.0));

	/* For enormous rho the order is 1 to the last digit, and only the simple form has a value. */
	return Min(dpriv_rdp_epsilon_at(rho * (1.0 + t), 1.0 + t, delta, DPRIV_RDP_IMPROVED), simple);
}

double
dpriv_zcdp_rho(double epsilon, double delta, DprivZcdpMethod method)
{
	Conversion	conversion = {0.0, epsilon, -log(delta)};
	double		t;
	double		rest;
	double		rho;

	if (isinf(epsilon) || delta >= 1.0)
		return INFINITY;
	if (delta == 0)
		return 0.0;
	if (method == DPRIV_ZCDP_BS16)
	{
		double		root = epsilon / (sqrt(conversion.log_inverse + epsilon) +
									  sqrt(conversion.log_inverse));

		rho = root * root * (1.0 - 0x1p-41);
		return rho < DBL_MIN ? 0.0 : rho;	/* what has few digits is rounded down */
	}

	/*
	 * rho is 0 at ln(1 + t) = L, where f is negative.  At tiny t it is so large that f is beyond
	 * every epsilon.
	 */
	t = conversion.log_inverse > 30.0 ? conversion.log_inverse : log(expm1(conversion.log_inverse));
	t = exp(dpriv_root(excess, &conversion, t, -700.0));
	rest = conversion.log_inverse - log1p(t);
	rho = (epsilon + log1p(1.0 / t) - rest / t) / (1.0 + t) * DPRIV_ROUND_DOWN;

	rho = Max(rho, -log1p(-delta * delta) * DPRIV_ROUND_DOWN);

	/* What remains of rounding, so that the function takes its inverse back to at most epsilon. */
	for (double step = 0x1p-43; rho > 0 && dpriv_zcdp_epsilon(rho, delta, method) > epsilon;)
	{
		rho *= 1.0 - step;
		step = Min(2.0 * step, 0.5);
	}
	return rho;
}
