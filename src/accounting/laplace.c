/*
 * laplace.c
 *	  What Laplace noise costs, and how much noise a cost buys.
 *
 * With s = alpha - 1, a = epsilon / steps and m = 2 alpha - 1 the moment of discrete noise is
 *
 *		A = w exp(s eps) + (1 - w) exp(-alpha eps),  w = (1 + tanh(a / 2) / tanh(m a / 2)) / 2,
 *
 * and that of continuous noise the same with w = alpha / m, the limit for small a.  Everything
 * below computes (A - 1) / s, in which orders and epsilons near the ends of their ranges keep their
 * digits, and from it ln(A) / s.
 */
#include "server.h"

#include <math.h>

#include "accounting/laplace.h"
#include "accounting/numeric.h"

double
dpriv_laplace_scale_for(double sensitivity, double epsilon)
{
	if (sensitivity == 0)
		return 0.0;
	if (epsilon == 0)
		return INFINITY;
	if (isinf(epsilon))
		return isinf(sensitivity) ? INFINITY : 0.0;
	return dpriv_divide_up(sensitivity, epsilon);
}

double
dpriv_laplace_epsilon_for(double half_width, double sensitivity, double confidence)
{
	if (sensitivity == 0 || confidence <= 0 || isinf(half_width))
		return 0.0;
	if (half_width == 0)
		return INFINITY;
	return -log1p(-confidence) * sensitivity / half_width * DPRIV_ROUND_UP;
}

double
dpriv_discrete_laplace_epsilon_for(double half_width, double sensitivity, double confidence)
{
	double		log_miss = log1p(-confidence);
	double		m = floor(half_width) + 1.0;
	double		a;

	if (sensitivity == 0 || confidence <= 0 || isinf(half_width))
		return 0.0;
	if (isinf(log_miss))
		return INFINITY;

	/*
	 * -ln((1 + exp(-a)) / 2) - m a = ln(1 - confidence), by Newton's method.  The left side is
	 * concave and falls: from a start that is too large, all steps stay too large.
	 */
	a = (DPRIV_LN2 - log_miss) / m;
	for (int i = 0; i < 60; i++)
	{
		double		t = exp(-a);
		double		slope = m - t / (1.0 + t);
		double		step = (-log1p(0.5 * expm1(-a)) - m * a - log_miss) / slope;

		if (!(step < -1e-16 * a))
			break;
		a += step;
	}
	return Max(a, 0.0) * sensitivity * DPRIV_ROUND_UP;
}

/* (sinh(x) / x - 1) for x >= 0, without cancellation. */
static double
sinh_excess(double x)
{
	return 0.5 * x * (dpriv_exp_remainder(x) - dpriv_exp_remainder(-x));
}

/*
 * (w - alpha / m) / s: how much more weight discrete noise gives to the larger loss.
 *
 * It equals alpha a (sinhc(alpha a) - sinhc(s a)) / (2 m cosh(a / 2) sinh(m a / 2)) with sinhc(x) =
 * sinh(x) / x; for large a, where nothing cancels, (1 / m - sinh(s a) / (2 s cosh(a / 2) sinh(m a /
 * 2))) with the exponentials divided out.
 */
static double
extra_weight(double a, double alpha)
{
	double		s = alpha - 1.0;
	double		m = alpha + s;

	if (m * a > 20.0)
	{
		double		t = exp(-a);
		double		loss = s > 0 ? -expm1(-2.0 * s * a) / s : 2.0 * a;

		return 1.0 / m - t * loss / ((1.0 + t) * -expm1(-m * a));
	}
	return 0.5 * alpha * a * (sinh_excess(alpha * a) - sinh_excess(s * a)) /
		(m * cosh(0.5 * a) * sinh(0.5 * m * a));
}

double
dpriv_rdp_discrete_laplace(double epsilon, double steps, double alpha)
{
	double		s = alpha - 1.0;
	double		m = alpha + s;
	double		a = epsilon / steps;
	double		gap;

	Assert(epsilon >= 0 && steps >= 1 && alpha >= 1);
	if (epsilon == 0 || isinf(epsilon))
		return epsilon;
	if (isinf(m))
		return epsilon;

	/* Far from 1, the moment's logarithm as it stands. */
	if (s > 0 && s * epsilon > 1.0)
	{
		double		w = isinf(steps) ? alpha / m :
			0.5 + 0.5 * tanh(0.5 * a) / tanh(0.5 * m * a);
		double		value = epsilon + log(w + (1.0 - w) * exp(-m * epsilon)) / s;

		return Min(value * DPRIV_ROUND_UP, epsilon);
	}

	/* Continuous noise: alpha / m ((exp(s eps) - 1) / s + (exp(-alpha eps) - 1) / alpha). */
	gap = alpha / m * epsilon * epsilon *
		(s * dpriv_exp_remainder(s * epsilon) + alpha * dpriv_exp_remainder(-alpha * epsilon));
	if (a > 0)
		gap += extra_weight(a, alpha) * (exp(s * epsilon) - exp(-alpha * epsilon));
	return Min(dpriv_renyi_from_gap(gap, alpha) * DPRIV_ROUND_UP, epsilon);
}

double
dpriv_rdp_laplace(double epsilon, double alpha)
{
	return dpriv_rdp_discrete_laplace(epsilon, INFINITY, alpha);
}

double
dpriv_rdp_pure(double epsilon, double alpha)
{
	return dpriv_rdp_discrete_laplace(epsilon, 1.0, alpha);
}
