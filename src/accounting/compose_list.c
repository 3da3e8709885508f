/*
 * compose_list.c
 *	  Optimal composition of mechanisms that differ: the least of several upper bounds.
 *
 * The distribution of the sum of losses (compose_sum.c) says most where it can be computed; the
 * closed form and the moments of the loss bound epsilon from above in any case.
 */
#include "server.h"

#include <math.h>

#include "accounting/compose.h"
#include "accounting/compose_list.h"
#include "accounting/compose_optimal.h"
#include "accounting/decimal.h"
#include "accounting/numeric.h"

size_t
dpriv_compose_optimal_list_size(int n)
{
	return DPRIV_LIST_POINTS * (2 * sizeof(double) + sizeof(DprivListPoint)) +
		(size_t) n * sizeof(double);
}

int
dpriv_compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/*
 * Kairouz, Oh, Viswanath (2015), theorem 3.5.  With m the mean and v the sum of squares: by
 * Hoeffding, P[loss > m + t] <= e^(-t^2 / 2v), and what counts of it is, beyond m + t, at most its
 * integral, v / t times as much.
 */
static double
closed_form(const DprivList *list)
{
	double		mean = 0.0;
	double		squares = 0.0;
	double		logarithm;

	for (int i = 0; i < list->n; i++)
	{
		mean += list->epsilons[i] * tanh(list->epsilons[i] / 2.0);
		squares += list->epsilons[i] * list->epsilons[i];
	}
	logarithm = Min(-log(list->slack), log(M_E + sqrt(squares) / list->slack));
	return (mean + sqrt(2.0 * squares * logarithm)) * (1.0 + 2.0 * list->n * DPRIV_HALF_ULP) *
		DPRIV_ROUND_UP;
}

/*
 * An epsilon from the moments of the loss, for any order s > 0: since (1 - e^-x) <= e^(s x) s^s /
 * (1 + s)^(1 + s) for x >= 0,
 *
 *	  delta(E) <= E[e^(s loss)] e^(-s E) s^s / (1 + s)^(1 + s)
 *
 * (Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", 2020, proposition
 * 12).
 */
static double
moment_epsilon(const DprivList *list, double s)
{
	double		logarithm = 0.0;	/* of the moment */
	int			n;

	for (int i = 0; i < list->n; i += n)
	{
		double		epsilon = list->epsilons[i];
		double		x = s * epsilon;

		/* ln(p e^x + q e^-x), which is ln(cosh(x) + (p - q) sinh(x)) */
		n = dpriv_list_equal(list, i);
		if (x < 1.0)
			logarithm += n * log1p(2.0 * sinh(x / 2.0) * sinh(x / 2.0) +
								   tanh(epsilon / 2.0) * sinh(x));
		else
			logarithm += n * (x + log1p(expm1(-2.0 * x) / (1.0 + exp(epsilon))));
	}
	return (logarithm * (1.0 + (list->groups + 16.0) * DPRIV_HALF_ULP) -
			log(list->slack) * (1.0 + 4.0 * DPRIV_HALF_ULP) -
			(s * log1p(1.0 / s) + log1p(s)) * (1.0 - 8.0 * DPRIV_HALF_ULP)) / s * DPRIV_ROUND_UP;
}

/* The least of them, found by narrowing down ln s: a step that goes astray costs accuracy only. */
static double
best_moment_epsilon(const DprivList *list)
{
	const double golden = (sqrt(5.0) - 1.0) / 2.0;
	double		low = log(1e-4);
	double		high = log(1e6);
	double		left = high - golden * (high - low);
	double		right = low + golden * (high - low);
	double		at_left = moment_epsilon(list, exp(left));
	double		at_right = moment_epsilon(list, exp(right));

	while (high - low > 1e-3)
	{
		CHECK_FOR_INTERRUPTS();
		if (at_left < at_right)
		{
			high = right;
			right = left;
			at_right = at_left;
			left = high - golden * (high - low);
			at_left = moment_epsilon(list, exp(left));
		}
		else
		{
			low = left;
			left = right;
			at_left = at_right;
			right = low + golden * (high - low);
			at_right = moment_epsilon(list, exp(right));
		}
	}
	return Max(Min(at_left, at_right), 0.0);
}

DprivGuarantee
dpriv_compose_optimal_list(const double *epsilons, const double *deltas, int n, double slack,
						   void *work)
{
	DprivGuarantee result = dpriv_compose_basic_list(epsilons, deltas, n);
	DprivDecimalSum epsilon_sum;
	DprivDecimalSum delta_sum;
	double		log_keep = 0.0;
	DprivList		list;

	Assert(slack >= 0.0 && slack <= 1.0);

	if (n == 0)
		return result;

	list.points = work;
	list.current = (double *) (list.points + DPRIV_LIST_POINTS);
	list.next = list.current + DPRIV_LIST_POINTS;
	list.epsilons = list.next + DPRIV_LIST_POINTS;
	list.n = 0;
	list.groups = 0;
	list.slack = slack;

	dpriv_decimal_sum_init(&epsilon_sum);
	dpriv_decimal_sum_init(&delta_sum);
	dpriv_decimal_sum_add(&delta_sum, slack, 1);
	for (int i = 0; i < n; i++)
	{
		log_keep += log1p(-deltas[i]);
		dpriv_decimal_sum_add(&delta_sum, deltas[i], 1);
		dpriv_decimal_sum_add(&epsilon_sum, epsilons[i], 1);
		if (epsilons[i] > 0.0)
			list.epsilons[list.n++] = epsilons[i];
		CHECK_FOR_INTERRUPTS();
	}
	list.total = dpriv_decimal_sum_up(&epsilon_sum);
	result.delta = dpriv_compose_total_delta(Min(dpriv_decimal_sum_up(&delta_sum), 1.0),
											 log_keep * (1.0 + 2.0 * n * DPRIV_HALF_ULP), slack);

	if (slack == 1.0)
		result.epsilon = 0.0;
	if (slack == 0.0 || slack == 1.0 || list.n == 0 || isinf(list.total))
		return result;

	qsort(list.epsilons, list.n, sizeof(double), dpriv_compare_doubles);
	for (int i = 0; i < list.n; i += dpriv_list_equal(&list, i))
		list.groups++;
	if (list.groups == 1)
		result.epsilon = Min(result.epsilon,
							 dpriv_compose_optimal_equal(list.epsilons[0], list.n, slack));
	else if (list.total > 1e-140)	/* below, squares underflow */
	{
		result.epsilon = Min(result.epsilon, closed_form(&list));
		result.epsilon = Min(result.epsilon, best_moment_epsilon(&list));
		result.epsilon = Min(result.epsilon, dpriv_list_sum(&list));
	}
	return result;
}
