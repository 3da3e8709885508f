/*
 * selection.c
 *	  Which groups may be published: rules that a group of one unit passes with probability delta.
 *
 * Thresholds are rounded up, so that rounding never publishes a group more often than delta allows.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/numeric.h"
#include "accounting/selection.h"

/* The delta of each of a unit's groups. */
static double
delta_of_one(double delta, int groups)
{
	return groups == 1 ? delta : -expm1(log1p(-delta) / groups);
}

double
dpriv_selection_threshold(double epsilon, double delta, int groups)
{
	double		a = epsilon / groups;
	double		one = delta_of_one(delta, groups);
	double		below;

	if (a == 0 || one == 0)
		return INFINITY;

	/* t^(m - 1) / (1 + t) <= delta where m - 1 is at least this; rounding errs upward. */
	below = -log(2.0 * one) - log1p(0.5 * expm1(-a));
	if (below <= 0)
		return 1.0;
	return 1.0 + Max(ceil(below / a * (1.0 + 8.0 * DBL_EPSILON)), 1.0);
}

/*
 * How far beyond one unit the continuous threshold is, in scales of the noise: -ln(2 delta), for
 * delta above 1/2 ln(2 (1 - delta)).
 */
static double
beyond_one(double delta, int groups)
{
	double		one = delta_of_one(delta, groups);

	return one <= 0.5 ? -log(2.0 * one) : DPRIV_LN2 + log1p(-delta) / groups;
}

/* The formula, to the last digits: above it or below. */
static double
continuous_threshold(double epsilon, double delta, int groups)
{
	double		a = epsilon / groups;
	double		one = delta_of_one(delta, groups);
	double		beyond = beyond_one(delta, groups);

	if (a == 0 || one == 0)
		return one >= 0.5 ? (one == 0.5 ? 1.0 : -INFINITY) : INFINITY;
	if (isinf(a))
		return isinf(beyond) ? beyond : 1.0;
	return 1.0 + beyond / a;
}

double
dpriv_selection_threshold_continuous(double epsilon, double delta, int groups)
{
	double		threshold = continuous_threshold(epsilon, delta, groups);
	double		lost;

	if (isinf(threshold) || isinf(epsilon) || (groups == 1 && delta == 0.5))
		return threshold;

	/* With several groups their delta is rounded as well, which moves its logarithm. */
	lost = fabs(threshold - 1.0) + 1.0;
	if (groups > 1)
		lost += 0x1p-6 * groups / epsilon;
	return threshold + lost * (DPRIV_ROUND_UP - 1.0);
}

double
dpriv_selection_probability_continuous(double n, double epsilon, double delta, int groups)
{
	double		threshold = continuous_threshold(epsilon, delta, groups);
	double		a = epsilon / groups;
	double		distance;

	if (n <= 0)
		return 0.0;
	if (isinf(threshold))
		return threshold > 0 ? 0.0 : 1.0;

	/* (n - threshold) a, of which the threshold knows little where a is large. */
	distance = (n > 1 ? (n - 1.0) * a : 0.0) - beyond_one(delta, groups);
	return distance < 0 ? 0.5 * exp(distance) : 1.0 - 0.5 * exp(-distance);
}

/* (exp(n a) - 1) / (exp(a) - 1), times delta: the geometric part. */
static double
geometric(double n, double a, double delta)
{
	if (a == 0)
		return n * delta;
	if (n * a < 600.0)
		return delta * (expm1(n * a) / expm1(a));

	/* exp(a (n - 1)) (1 - exp(-n a)) / (1 - exp(-a)) */
	return exp(log(delta) + (n - 1.0) * a) * (expm1(-n * a) / expm1(-a));
}

/*
 * The first rule of the recurrence gives the geometric part up to n1, the second from there on the
 * mirror image of it: 1 - p falls like a geometric sequence.
 */
double
dpriv_selection_probability(double n, double epsilon, double delta, int groups)
{
	double		a = epsilon / groups;
	double		one = delta_of_one(delta, groups);
	double		first;
	double		at_first;
	double		rest;
	double		after;

	if (n <= 0 || one == 0)
		return 0.0;
	if (one >= 1.0)
		return 1.0;
	if (isinf(a))
		return n > 1 ? 1.0 : one;

	/* 1 + floor(ln((exp(a) + 2 delta - 1) / ((exp(a) + 1) delta)) / a), and its limit */
	if (a == 0)
		first = 1.0 + floor((1.0 / one - 1.0) / 2.0);
	else
	{
		/* The quotient less 1 is (exp(a) - 1) (1 - delta) / ((exp(a) + 1) delta). */
		double		quotient = tanh(0.5 * a) * (1.0 - one) / one;

		if (isinf(quotient))
			first = 1.0 + floor((log(tanh(0.5 * a)) - log(one)) / a);
		else
			first = 1.0 + floor(log1p(quotient) / a);
	}
	if (n <= first)
		return Min(geometric(n, a, one), 1.0);

	/*
	 * 1 - p(n1 + m) = exp(-m a) (1 - p(n1)) - delta exp(-a) (1 - exp(-m a)) / (1 - exp(-a)).  The
	 * last term is the sum of delta exp(-j a) for j = 1 .. m.
	 */
	at_first = Min(geometric(first, a, one), 1.0);
	after = n - first;
	rest = exp(-after * a) * (1.0 - at_first) -
		one * exp(-a) * (a == 0 ? after : expm1(-after * a) / expm1(-a));
	return rest > 0 ? 1.0 - rest : 1.0;
}

/*
 * One over the probability that noise truncated at k is k: ((exp(a) + 1) exp(k a) - 2) / (exp(a) -
 * 1), in terms that do not cancel.
 */
static double
one_in(double k, double a)
{
	return exp(k * a) + 2.0 * (expm1(k * a) / expm1(a));
}

/*
 * With noise truncated at k a group of n <= k + 1 passes with probability (exp(n a) - 1) / (exp(a)
 * - 1) d, where d = P[X = k] is that of a group of one, and from n = k + 1 on the second rule of
 * the recurrence holds with delta = d.  (With k fixed this is theorem 3 of the paper, optimal for
 * such delta.)  Both rules are linear in p and delta.  So let k be the smallest with d <= delta: the
 * mixture of k and k - 1 in which a group of one passes with probability delta follows the first
 * rule up to n = k and the second from k + 1 to 2 k - 1, and k is the n1 of
 * dpriv_selection_probability().  Up to there the mixture is the optimal rule itself.  For n = 2 k
 * its probability is lower by at most delta, and beyond both are 1.
 */
void
dpriv_selection_truncation(double epsilon, double delta, int groups, double *limit, double *weight)
{
	double		a = epsilon / groups;
	double		one = delta_of_one(delta, groups);
	double		slack;
	double		here;
	double		before;

	Assert(a > 0 && a <= DPRIV_SELECTION_MAX_EPSILON && one > 0 && delta <= 0.01);
	*limit = ceil(log1p(tanh(0.5 * a) * (1.0 - one) / one) / a * (1.0 + 16.0 * DBL_EPSILON));
	*limit = Max(*limit, 1.0);

	/*
	 * (delta - d(k)) / (d(k - 1) - d(k)), with what rounding may have added taken off.  The
	 * difference of the reciprocals is (exp(a) + 1) exp((k - 1) a).
	 */
	slack = (16.0 + 4.0 * *limit * a) * DBL_EPSILON;
	here = one_in(*limit, a) * (1.0 - slack);
	before = one_in(*limit - 1.0, a) * (1.0 - slack);
	*weight = before * (one * here - 1.0) / ((exp(a) + 1.0) * exp((*limit - 1.0) * a));
	*weight = Min(Max(*weight, 0.0), 1.0);
}
