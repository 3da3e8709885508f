/*
 * compose.c
 *	  Composition in closed form: sums, the textbook's theorems, groups of units.
 *
 * Sums are exact sums of the decimals written; everything else is rounded up, so that no result is
 * below the true cost.
 */
#include "server.h"

#include <math.h>

#include "accounting/compose.h"
#include "accounting/compose_optimal.h"
#include "accounting/decimal.h"
#include "accounting/epsilon.h"
#include "accounting/numeric.h"

/* An epsilon as the ledger counts it, or, where the ledger takes none such, as it was written. */
static void
add_epsilon(DprivDecimalSum *sum, double epsilon, int64 times)
{
	DprivEpsilon units;

	if (dpriv_epsilon_from_double(epsilon, &units))
	{
		DprivDecimal charge = {(uint64) units.charge, -12};

		dpriv_decimal_sum_add_decimal(sum, charge, times);
	}
	else
		dpriv_decimal_sum_add(sum, epsilon, times);
}

double
dpriv_compose_sum_deltas(double delta, int64 k, double slack)
{
	DprivDecimalSum sum;

	dpriv_decimal_sum_init(&sum);
	dpriv_decimal_sum_add(&sum, delta, k);
	dpriv_decimal_sum_add(&sum, slack, 1);
	return Min(dpriv_decimal_sum_up(&sum), 1.0);
}

double
dpriv_compose_total_delta(double sum, double log_keep, double slack)
{
	/* In this order: for equal zeros the second one counts, which has no sign. */
	return Min(-expm1(log_keep + log1p(-slack)) * DPRIV_ROUND_UP, sum);
}

DprivGuarantee
dpriv_compose_basic(double epsilon, double delta, int64 k)
{
	DprivDecimalSum sum;
	DprivGuarantee result;

	Assert(epsilon >= 0.0 && delta >= 0.0 && delta <= 1.0 && k >= 0);

	dpriv_decimal_sum_init(&sum);
	add_epsilon(&sum, epsilon, k);
	result.epsilon = dpriv_decimal_sum_up(&sum);
	result.delta = dpriv_compose_sum_deltas(delta, k, 0.0);
	return result;
}

DprivGuarantee
dpriv_compose_basic_list(const double *epsilons, const double *deltas, int n)
{
	DprivDecimalSum epsilon;
	DprivDecimalSum delta;
	DprivGuarantee result;

	dpriv_decimal_sum_init(&epsilon);
	dpriv_decimal_sum_init(&delta);
	for (int i = 0; i < n; i++)
	{
		Assert(epsilons[i] >= 0.0 && deltas[i] >= 0.0 && deltas[i] <= 1.0);
		add_epsilon(&epsilon, epsilons[i], 1);
		dpriv_decimal_sum_add(&delta, deltas[i], 1);
		CHECK_FOR_INTERRUPTS();
	}
	result.epsilon = dpriv_decimal_sum_up(&epsilon);
	result.delta = Min(dpriv_decimal_sum_up(&delta), 1.0);
	return result;
}

DprivGuarantee
dpriv_compose_dwork_roth(double epsilon, double delta, int64 k, double slack)
{
	DprivGuarantee result = {0.0, 0.0};

	Assert(epsilon >= 0.0 && delta >= 0.0 && delta <= 1.0 && k >= 0);
	Assert(slack >= 0.0 && slack <= 1.0);

	if (k == 0)
		return result;
	if (isinf(epsilon))
		result.epsilon = INFINITY;
	else if (epsilon > 0.0)
		result.epsilon = (sqrt(-2.0 * k * log(slack)) * epsilon +
						  k * epsilon * expm1(epsilon)) * DPRIV_ROUND_UP;
	result.delta = dpriv_compose_sum_deltas(delta, k, slack);
	return result;
}

/*
 * A rounding error here lets in arguments at which the form is too low by as little; rounding it up
 * covers that.
 */
bool
dpriv_compose_book_holds(double epsilon, int64 k, double slack)
{
	Assert(epsilon >= 0.0 && k >= 0 && slack >= 0.0 && slack <= 1.0);

	return k == 0 || expm1(epsilon) <= sqrt(-2.0 * log(slack) / k);
}

DprivGuarantee
dpriv_compose_book(double epsilon, double delta, int64 k, double slack)
{
	DprivGuarantee result = {0.0, 0.0};

	Assert(delta >= 0.0 && delta <= 1.0);
	Assert(dpriv_compose_book_holds(epsilon, k, slack));

	if (k == 0)
		return result;
	if (epsilon > 0.0)
		result.epsilon = 2.0 * epsilon * sqrt(-2.0 * k * log(slack)) * DPRIV_ROUND_UP;
	result.delta = dpriv_compose_sum_deltas(delta, k, slack);
	return result;
}

DprivGuarantee
dpriv_group_privacy(double epsilon, double delta, int64 k)
{
	DprivDecimalSum sum;
	DprivGuarantee result;
	double		half = (k - 1) * epsilon / 2.0;

	Assert(epsilon >= 0.0 && delta >= 0.0 && delta <= 1.0 && k >= 0);

	dpriv_decimal_sum_init(&sum);
	dpriv_decimal_sum_add(&sum, epsilon, k);
	result.epsilon = dpriv_decimal_sum_up(&sum);

	/*
	 * Else delta (e^(k epsilon) - 1) / (e^epsilon - 1), as delta e^((k - 1) epsilon) (1 - e^(-k
	 * epsilon)) / (1 - e^-epsilon), which does not overflow before it is above 1.
	 */
	if (k <= 1 || delta == 0.0 || epsilon == 0.0)
		result.delta = dpriv_compose_sum_deltas(delta, k, 0.0);
	else if (half > 373.0)		/* e^(2 half) times the smallest float8 is above 1 */
		result.delta = 1.0;
	else
		result.delta = Min(exp(half) * delta * exp(half) * DPRIV_ROUND_UP *
						   (expm1(-k * epsilon) / expm1(-epsilon)), 1.0);
	return result;
}
