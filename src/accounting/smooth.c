/*
 * smooth.c
 *	  Discrete Laplace noise whose scale depends on rows: how smoothly it may.
 *
 * Smooth sensitivity (Nissim, Raskhodnikova, Smith, "Smooth Sensitivity and Sampling in Private
 * Data Analysis", 2007), with the delta of discrete noise as a sum in place of their bound on
 * tails.
 *
 * Let P and Q be the noisy values of neighbours, with centres f and f', scales s and s', d = |f -
 * f'|, and r >= 1 the ratio of the scales: r <= e^beta, and d <= alpha s, d <= alpha s'.  The
 * normalizer is c(s) = tanh(1 / (2 s)).
 *
 * If P is the narrower one, its loss at y is ln(c(s) / c(s')) + |y - f'| / s' - |y - f| / s, where
 * the first term is at most ln r, as tanh(x) / x falls, and the rest at most d / s' <= alpha / r.
 * For r from 1 to e^beta, ln r + alpha / r is at most max(alpha, beta + alpha e^-beta), which is at
 * most epsilon if alpha and beta are at most epsilon / 2.
 *
 * If P is the wider one, let a = d / s' <= alpha.  For s' >= LEAST_SCALE, ln(c(s) / c(s')) <= eta -
 * ln r with eta = 1 / (12 s'^2) and a little.  At distance u s from f the loss is at most eta - ln
 * r + u (r - 1), plus a on the side away from f', minus a beyond f', and below epsilon in between.
 * So it exceeds epsilon from u0 = (epsilon - a - eta + ln r) / (r - 1) on, on the other side from
 * u1 = (epsilon + a - eta + ln r) / (r - 1) on, and one side has
 *
 *		delta = sum of c(s) e^-u (1 - e^(-(r - 1) (u - u0))) over u = j / s > u0.
 *
 * The terms rise and fall once, so their sum is at most integral and largest term together, s + 1
 * times e^-u0 (r - 1) / r; and c(s) <= 1 / (2 s).  Together, both sides:
 *
 *		delta <= (1 + 1 / s) / 2 (1 - 1 / r) (e^-u0 + e^-u1),
 *
 * which grows with a (like cosh(a / (r - 1))) and with r, as ln r / (r - 1) falls.  So a = alpha
 * and r = e^beta are worst.
 */
#include "server.h"

#include <math.h>

#include "accounting/numeric.h"
#include "accounting/smooth.h"

/* What tanh(x) / x at x = 1 / (2 LEAST_SCALE) is below 1 by, at most, as a logarithm. */
#define ETA (1.0 / 11.0 / DPRIV_SMOOTH_LEAST_SCALE / DPRIV_SMOOTH_LEAST_SCALE)

/* More than what rounding does to a few operations. */
#define SLACK 1e-12

double
dpriv_smooth_delta(double epsilon, double alpha, double beta)
{
	double		growth = expm1(beta) * (1.0 + SLACK);	/* r - 1 */
	double		near = (epsilon - alpha - ETA + beta) * (1.0 - SLACK) / growth;
	double		far = (epsilon + alpha - ETA + beta) * (1.0 - SLACK) / growth;

	return (1.0 + 1.0 / DPRIV_SMOOTH_LEAST_SCALE) * 0.5 * -expm1(-beta) * (exp(-near) + exp(-far)) *
		(1.0 + SLACK);
}

double
dpriv_smooth_beta(double epsilon, double delta, double alpha)
{
	double		low = 0.0;
	double		high = 0.5 * epsilon * (1.0 - SLACK);

	if (dpriv_smooth_delta(epsilon, alpha, high) <= delta)
		return high;
	while (high - low > 1e-9 * high)
	{
		double		middle = 0.5 * (low + high);

		if (dpriv_smooth_delta(epsilon, alpha, middle) <= delta)
			low = middle;
		else
			high = middle;
	}
	return low;
}
