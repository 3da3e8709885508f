/*
 * test_compose.c
 *	  Composition: against published and independent values, and what any bound must obey.
 *
 * The privacy curve of a few responses is computed here by brute force over all outcomes; that an
 * epsilon is right means that the curve is at most slack there, and above slack just below.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/compose.h"
#include "accounting/epsilon.h"
#include "noise/random.h"
#include "property.h"
#include "unit.h"

#define LIST_MAX 1000

static void *work;
static const double no_deltas[LIST_MAX];

static int64
random_count(double high)
{
	return (int64) magnitude(1.0, high);
}

static double
optimal(double epsilon, int64 k, double slack)
{
	return dpriv_compose_optimal(epsilon, 0.0, k, slack).epsilon;
}

static double
optimal_list(const double *epsilons, int n, double slack)
{
	return dpriv_compose_optimal_list(epsilons, no_deltas, n, slack, work).epsilon;
}

/* The value is not below the expected one, which is rounded to 17 digits, and hardly above. */
static void
check_above(double value, double expected, double tolerance)
{
	assert_true(value >= expected * (1.0 - DBL_EPSILON));
	assert_close(value, expected, tolerance);
}

static void
check_guarantee(DprivGuarantee value, double epsilon, double delta)
{
	if (!(value.epsilon == epsilon && value.delta == delta))
	{
		print_error("(%.17g, %.17g), expected (%.17g, %.17g)\n",
					value.epsilon, value.delta, epsilon, delta);
		fail();
	}
}

/* Sum of P[loss] (1 - e^(E - loss)) over all 2^n outcomes with a loss above E. */
static double
height(const double *epsilons, int n, double at)
{
	double		sum = 0.0;

	for (int outcome = 0; outcome < 1 << n; outcome++)
	{
		double		loss = 0.0;
		double		probability = 1.0;

		for (int i = 0; i < n; i++)
		{
			bool		truth = (outcome >> i & 1) == 0;

			loss += truth ? epsilons[i] : -epsilons[i];
			probability /= 1.0 + exp(truth ? -epsilons[i] : epsilons[i]);
		}
		if (loss > at)
			sum += probability * -expm1(at - loss);
	}
	return sum;
}

/* The same for k equal ones, k <= 128: P[i] as i + 1 factors, none of which cancels. */
static double
height_equal(double epsilon, int k, double at)
{
	double		sum = 0.0;

	for (int i = 0; i <= k; i++)
	{
		double		loss = (k - 2 * i) * epsilon;
		double		probability = exp(-(k - i) * log1p(exp(-epsilon)));

		for (int j = 0; j < i; j++)
			probability *= (double) (k - j) / (j + 1) / (1.0 + exp(epsilon));
		if (loss > at)
			sum += probability * -expm1(at - loss);
	}
	return sum;
}

static void
test_basic(void **state)
{
	const double epsilons[] = {0.1, 0.2, 0.3, 0.0};
	const double deltas[] = {1e-6, 0.0, 2e-6, 1e-6};
	const double halves[] = {0.5, 0.6};

	(void) state;
	check_guarantee(dpriv_compose_basic(0.1, 1e-6, 10), 1.0, 1e-5);
	check_guarantee(dpriv_compose_basic(0.1, 1e-6, 3), 0.3, 3e-6);
	check_guarantee(dpriv_compose_basic(0.1, 1e-6, INT64CONST(1000000000000)), 1e11, 1.0);
	check_guarantee(dpriv_compose_basic(20.0, 0.0, INT64CONST(1000000000000000000)), 2e19, 0.0);
	check_guarantee(dpriv_compose_basic_list(epsilons, deltas, 4), 0.6, 4e-6);
	check_guarantee(dpriv_compose_basic_list(halves, halves, 2), 1.1, 1.0);

	/* As the ledger charges: a third is 0.333333333334. */
	check_guarantee(dpriv_compose_basic(1.0 / 3.0, 0.0, 3), 1.000000000002, 0.0);

	/* What the ledger does not take counts as written. */
	check_guarantee(dpriv_compose_basic(1e-7, 1e-300, 7), 7e-7, 7e-300);
	check_guarantee(dpriv_compose_basic(1e300, 0.5, 2), 2e300, 1.0);
}

/* What sessions charge is what basic composition says. */
static void
test_basic_is_the_ledger(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 100; i++)
	{
		double		epsilons[20];
		int			n = 1 + (int) dpriv_random_below_u64(20);
		int64		units = 0;
		int64		equal = 0;

		for (int j = 0; j < n; j++)
		{
			DprivEpsilon epsilon;

			epsilons[j] = magnitude(1e-6, 100.0);
			if (dpriv_random_below_u64(2) == 0)
				epsilons[j] = 1e-3 * ceil(1e3 * epsilons[j]);
			assert_true(dpriv_epsilon_from_double(epsilons[j], &epsilon));
			units += epsilon.charge;
			if (j == 0)
				equal = epsilon.charge * n;
		}
		assert_true(dpriv_compose_basic_list(epsilons, no_deltas, n).epsilon ==
					dpriv_epsilon_to_double(units));
		assert_true(dpriv_compose_basic(epsilons[0], 0.0, n).epsilon ==
					dpriv_epsilon_to_double(equal));
	}
}

static void
test_limits(void **state)
{
	const double epsilons[] = {0.0, INFINITY, 1.0};
	const double deltas[] = {0.0, 0.0, 1.0};
	const double zeros[] = {0.0, 0.0};
	const double slacks[] = {0.0, 1e-320, 1e-6, 0.5, 1.0};

	(void) state;
	for (int i = 0; i < (int) lengthof(slacks); i++)
	{
		double		slack = slacks[i];

		/* none */
		check_guarantee(dpriv_compose_dwork_roth(1.0, 0.1, 0, slack), 0.0, 0.0);
		check_guarantee(dpriv_compose_book(1.0, 0.1, 0, slack), 0.0, 0.0);
		check_guarantee(dpriv_compose_optimal(1.0, 0.1, 0, slack), 0.0, 0.0);
		check_guarantee(dpriv_compose_optimal_list(epsilons, deltas, 0, slack, work), 0.0, 0.0);

		/* costless */
		check_guarantee(dpriv_compose_dwork_roth(0.0, 0.0, 5, slack), 0.0, slack);
		check_guarantee(dpriv_compose_book(0.0, 0.0, 5, slack), 0.0, slack);
		check_guarantee(dpriv_compose_optimal(0.0, 0.0, 5, slack), 0.0, slack);
		check_guarantee(dpriv_compose_optimal_list(zeros, zeros, 2, slack, work), 0.0, slack);

		/* not private at all */
		check_guarantee(dpriv_compose_dwork_roth(INFINITY, 0.0, 5, slack), INFINITY, slack);
		check_guarantee(dpriv_compose_optimal(INFINITY, 0.0, 5, slack),
						slack < 1.0 ? INFINITY : 0.0, slack);
		check_guarantee(dpriv_compose_optimal_list(epsilons, deltas, 2, slack, work),
						slack < 1.0 ? INFINITY : 0.0, slack);
		assert_true(dpriv_compose_optimal(1.0, 1.0, 3, slack).delta == 1.0);
		assert_true(dpriv_compose_optimal_list(epsilons, deltas, 3, slack, work).delta == 1.0);
	}
	check_guarantee(dpriv_compose_basic(1.0, 0.1, 0), 0.0, 0.0);
	check_guarantee(dpriv_compose_basic(INFINITY, 0.1, 0), 0.0, 0.0);
	check_guarantee(dpriv_compose_basic(INFINITY, 0.1, 2), INFINITY, 0.2);
	check_guarantee(dpriv_compose_basic_list(epsilons, deltas, 0), 0.0, 0.0);

	/* Slack 0 buys nothing, slack 1 everything. */
	check_guarantee(dpriv_compose_dwork_roth(0.1, 0.0, 10, 0.0), INFINITY, 0.0);
	check_guarantee(dpriv_compose_book(0.1, 0.0, 10, 0.0), INFINITY, 0.0);
	check_guarantee(dpriv_compose_optimal(0.1, 0.0, 10, 0.0), 1.0, 0.0);
	check_guarantee(dpriv_compose_optimal(0.1, 0.0, 10, 1.0), 0.0, 1.0);
	check_guarantee(dpriv_compose_optimal(0.1, 1e-6, 1, 0.0), 0.1, 1e-6);

	/* The smallest and largest arguments there are. */
	assert_true(optimal(DBL_TRUE_MIN, DPRIV_COMPOSE_MAX_K, DBL_TRUE_MIN) <= 1e-311);
	assert_true(optimal(DBL_TRUE_MIN, 1, 0.5) == 0.0);
	assert_true(optimal(DBL_MAX, 1, 0.5) <= DBL_MAX);
	assert_true(optimal(DBL_MAX, 2, 0.5) == INFINITY);
	assert_close(optimal(1.0, 10, DBL_TRUE_MIN), 10.0, 1e-12);
	assert_close(optimal(800.0, 3, 0.5), 2400.0 + log1p(-0.5), 1e-12);
}

/*
 * Of dp_accounting (commit b5b0286, accountant_test.py) and of mpmath with 40 to 60 digits, summing
 * the distribution of losses.
 */
static void
test_vectors(void **state)
{
	static const struct
	{
		double		epsilon;
		double		k;
		double		slack;
		double		expected;
	}			exact[] = {
		{0.1, 10, 1e-6, 0.9993709057217588},
		{0.1, 100, 1e-6, 4.7745675881079865},
		{1.0, 30, 0.06, 19.979890950051463},
		{0.01, 1000, 1e-6, 1.365446709993756},
		{1.0, 20, 1e-4, 19.94596985691019},
		{0.001, 1e6, 1e-06, 4.88654374375764913},
		{0.01, 1e6, 1e-200, 351.553191291840611},
		{0.01, 1e6, 1e-06, 96.7158279538813547},
		{1e-06, 1e6, 1e-15, 0.00675761380750536561},
		{1e-06, 1e9, 1e-06, 0.115928412012674077},
		{0.01, 1e9, 1e-06, 51501.7363768687258},
		{1, 1e9, 1e-06, 462250456.2985254},
		{0.0001, 1e9, 0.3, 5.75177622930432726},
		{5, 1e9, 1e-15, 4933276148.35903986},
		{1e-06, 1e12, 1e-300, 37.4488479076940799},
		{1e-06, 1e12, 1e-06, 4.88655411745025439},
	};
	DprivGuarantee result;

	(void) state;
	for (int i = 0; i < (int) lengthof(exact); i++)
		check_above(optimal(exact[i].epsilon, (int64) exact[i].k, exact[i].slack),
					exact[i].expected, 2e-13);

	/* On a grid of whole epsilons the answers are 22 and 20. */
	result = dpriv_compose_optimal(1.0, 0.001, 30, 1.0 - (1.0 - 0.06) / pow(1.0 - 0.001, 30));
	check_above(result.delta, 0.06, 1e-12);
	assert_true(result.epsilon > 21.0 && result.epsilon <= 22.0);
	result = dpriv_compose_optimal(1.0, 0.001, 30, 1.0 - (1.0 - 0.1) / pow(1.0 - 0.001, 30));
	check_above(result.delta, 0.1, 1e-12);
	assert_true(result.epsilon > 19.0 && result.epsilon <= 20.0);

	/* In the limit of many small losses: that of a Gaussian mechanism with sigma = sensitivity. */
	assert_close(optimal(1e-6, DPRIV_COMPOSE_MAX_K, 1e-6), 4.886554117462164, 1e-11);

	check_above(dpriv_compose_dwork_roth(0.1, 0.0, 10, 1e-6).epsilon, 1.767429054344758, 2e-13);
	check_above(dpriv_compose_dwork_roth(0.1, 0.0, 100, 1e-6).epsilon, 6.308230950513409, 2e-13);
	check_above(dpriv_compose_dwork_roth(0.5, 0.0, 30, 1e-5).epsilon, 22.872123484894253, 2e-13);
	check_guarantee(dpriv_compose_dwork_roth(0.0, 1e-6, 10, 1e-6), 0.0, 1.1e-5);
	check_above(dpriv_compose_book(0.1, 0.0, 10, 1e-6).epsilon,
				0.2 * sqrt(20.0 * log(1e6)), 2e-13);
}

/* The curve, by brute force: exactly k losses, of any size. */
static void
test_few_equal(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 200; i++)
	{
		int			k = (int) random_count(129.0);
		double		epsilon = magnitude(1e-3, 10.0);
		double		slack = height_equal(epsilon, k, 0.0) * magnitude(1e-12, 0.9);
		double		found = optimal(epsilon, k, slack);

		assert_true(found > 0.0);
		assert_true(height_equal(epsilon, k, found) <= slack * (1.0 + 1e-12));
		assert_true(height_equal(epsilon, k, found * (1.0 - 1e-9)) >= slack * (1.0 - 1e-12));

		slack = height_equal(epsilon, k, 0.0) * (1.0 + 1e-9);
		assert_true(optimal(epsilon, k, Min(slack, 1.0)) == 0.0);
	}
}

/* The curve, by brute force over 2^n outcomes: so few are exact, on a lattice and off it. */
static void
test_few_different(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 2000; i++)
	{
		double		epsilons[10];
		int			n = 1 + (int) dpriv_random_below_u64(10);
		int			kind = (int) dpriv_random_below_u64(4);
		double		slack;
		double		found;

		for (int j = 0; j < n; j++)
		{
			if (kind == 0)		/* on a lattice */
				epsilons[j] = 0.01 * (double) (1 + dpriv_random_below_u64(100));
			else if (kind == 1)
				epsilons[j] = magnitude(0.1, 1.0);
			else if (kind == 2)
				epsilons[j] = magnitude(1e-3, 10.0);
			else if (j < 3)		/* some of them equal */
				epsilons[j] = magnitude(1e-2, 3.0);
			else
				epsilons[j] = epsilons[dpriv_random_below_u64(3)];
		}
		slack = height(epsilons, n, 0.0) * magnitude(1e-12, 0.9);
		found = optimal_list(epsilons, n, slack);
		assert_true(found > 0.0);
		assert_true(height(epsilons, n, found) <= slack * (1.0 + 1e-12));
		assert_true(height(epsilons, n, found * (1.0 - 1e-9)) >= slack * (1.0 - 1e-12));
	}
}

/* All arguments up: the costs never go down.  Rounding up may differ by as much as it adds. */
static void
test_monotone(void **state)
{
	const double tolerance = 1.0 + 1e-12;

	(void) state;
	for (int64 i = 0; i < unit_draws() / 200; i++)
	{
		double		epsilon = magnitude(1e-7, 30.0);
		double		more_epsilon = epsilon * (1.0 + magnitude(1e-6, 1.0));
		double		delta = magnitude(1e-20, 0.1);
		double		more_delta = delta * (1.0 + uniform());
		double		slack = magnitude(1e-30, 0.5);
		double		less_slack = slack * uniform();
		int64		k = random_count(1e5);
		int64		more_k = k + random_count(1e3);
		DprivGuarantee base = dpriv_compose_optimal(epsilon, delta, k, slack);
		DprivGuarantee group = dpriv_group_privacy(epsilon, delta, k);
		DprivGuarantee advanced = dpriv_compose_dwork_roth(epsilon, delta, k, slack);
		DprivGuarantee more;

		assert_true(base.epsilon <= optimal(more_epsilon, k, slack) * tolerance);
		assert_true(base.epsilon <= optimal(epsilon, more_k, slack) * tolerance);
		assert_true(base.epsilon <= optimal(epsilon, k, less_slack) * tolerance);
		more = dpriv_compose_optimal(epsilon, more_delta, more_k, slack);
		assert_true(base.delta <= more.delta * tolerance && more.delta <= 1.0);
		assert_true(base.delta >= slack && base.delta >= delta);

		assert_true(advanced.epsilon <=
					dpriv_compose_dwork_roth(more_epsilon, delta, more_k, less_slack).epsilon);

		more = dpriv_group_privacy(more_epsilon, more_delta, k);
		assert_true(group.epsilon <= more.epsilon && group.delta <= more.delta * tolerance);
		more = dpriv_group_privacy(epsilon, delta, more_k);
		assert_true(group.epsilon <= more.epsilon && group.delta <= more.delta * tolerance);
	}
}

/* What is optimal is not above what is not. */
static void
test_order_of_the_forms(void **state)
{
	const double tolerance = 1.0 + 1e-12;

	(void) state;
	for (int64 i = 0; i < unit_draws() / 100; i++)
	{
		double		epsilon = magnitude(1e-9, 100.0);
		double		delta = magnitude(1e-20, 0.1);
		double		slack = magnitude(1e-30, 1.0);
		int64		k = random_count(1e6);
		DprivGuarantee best = dpriv_compose_optimal(epsilon, delta, k, slack);
		DprivGuarantee basic = dpriv_compose_basic(epsilon, delta, k);
		DprivGuarantee advanced = dpriv_compose_dwork_roth(epsilon, delta, k, slack);

		assert_true(best.epsilon >= 0.0);
		assert_true(best.epsilon <= basic.epsilon);
		assert_true(best.epsilon <= advanced.epsilon * tolerance);
		assert_true(best.delta <= advanced.delta);
		if (dpriv_compose_book_holds(epsilon, k, slack))
		{
			DprivGuarantee book = dpriv_compose_book(epsilon, delta, k, slack);

			assert_true(advanced.epsilon <= book.epsilon * tolerance);
			assert_true(advanced.delta == book.delta);
		}
		else
			assert_true(2.0 * epsilon * sqrt(-2.0 * k * log(slack)) <=
						advanced.epsilon * tolerance);
	}
}

/* A list of equal ones, in two halves and with zeros among them, is the whole. */
static void
test_list_of_equal(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 1000; i++)
	{
		double		epsilons[200];
		double		deltas[200];
		double		epsilon = magnitude(1e-9, 100.0);
		double		delta = magnitude(1e-20, 0.1);
		double		slack = magnitude(1e-30, 1.0);
		int			k = (int) random_count(100.0);
		int			n = 0;
		DprivGuarantee whole = dpriv_compose_optimal(epsilon, delta, k, slack);
		DprivGuarantee list;

		for (int used = 0; used < k; n++)
		{
			bool		zero = n - used < 50 && dpriv_random_below_u64(3) == 0;

			epsilons[n] = zero ? 0.0 : epsilon;
			deltas[n] = zero ? 0.0 : delta;
			used += zero ? 0 : 1;
		}
		list = dpriv_compose_optimal_list(epsilons, deltas, n, slack, work);
		assert_true(list.epsilon == whole.epsilon);
		assert_close(list.delta, whole.delta, 1e-12);
	}
}

/*
 * Epsilons that are nearly equal cost as much as equal ones.  A grid is worst at this: the curve
 * has k + 1 kinks, and next to one of them it can be off by part of a step.
 */
static void
test_list_of_nearly_equal(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 20000; i++)
	{
		double		epsilons[100];
		double		epsilon = magnitude(1e-4, 5.0);
		double		least = epsilon * (1.0 + 1e-10);
		double		most = epsilon * (1.0 + 2e-10);
		double		slack = magnitude(1e-30, 0.1);
		int			k = 2 + (int) random_count(98.0);
		double		found;

		for (int j = 0; j < k; j++)
			epsilons[j] = least + (most - least) * j / (k - 1);
		found = optimal_list(epsilons, k, slack);
		assert_true(found >= optimal(least, k, slack) * (1.0 - 2e-13));
		assert_true(found <= optimal(most, k, slack) + 1e-5 * k * epsilon);
	}
}

/* Sorting, grouping, grids of any size: between the least and the greatest epsilon, n times. */
static void
test_list_of_many(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 100000; i++)
	{
		static double epsilons[LIST_MAX];
		double		least = magnitude(1e-4, 1.0);
		double		most = least * (1.0 + magnitude(1e-3, 10.0));
		double		slack = magnitude(1e-12, 0.1);
		int			n = 2 + (int) random_count(LIST_MAX - 2);
		double		found;
		double		without;
		double		sum = 0.0;

		for (int j = 0; j < n; j++)
		{
			epsilons[j] = least + (most - least) * uniform();
			if (i % 2 == 0)		/* on a lattice */
				epsilons[j] = 1e-4 * ceil(1e4 * epsilons[j]);
			sum += epsilons[j];
		}
		found = optimal_list(epsilons, n, slack);
		assert_true(found >= optimal(least, n, slack) * (1.0 - 1e-12));
		assert_true(found <= optimal(most + 1e-4, n, slack) + 1e-4 * sum);
		assert_true(found <= sum * (1.0 + 1e-9));

		/* One less, and the same in another order. */
		without = optimal_list(epsilons, n - 1, slack);
		assert_true(without <= found + 1e-4 * sum);
		for (int j = 0; j < n / 2; j++)
		{
			double		swap = epsilons[j];

			epsilons[j] = epsilons[n - 1 - j];
			epsilons[n - 1 - j] = swap;
		}
		assert_true(optimal_list(epsilons, n, slack) == found);
	}
}

/* On a lattice nothing is approximate: two groups, against the sum over both binomials. */
static void
test_list_of_two(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 20000; i++)
	{
		double		epsilons[40];
		double		a = 0.05 * (double) (1 + dpriv_random_below_u64(20));
		double		b = 0.05 * (double) (1 + dpriv_random_below_u64(20));
		int			m = 1 + (int) dpriv_random_below_u64(20);
		int			n = m + 1 + (int) dpriv_random_below_u64(20);
		double		slack = magnitude(1e-15, 0.1);
		double		found;
		double		curve[2] = {0.0, 0.0};

		for (int j = 0; j < n; j++)
			epsilons[j] = j < m ? a : b;
		found = optimal_list(epsilons, n, slack);

		/* A mixture over the losses of the second group of what the first one is above. */
		for (int side = 0; side < 2; side++)
		{
			double		at = found * (side == 0 ? 1.0 : 1.0 - 1e-9);
			double		probability = exp(-(n - m) * log1p(exp(-b)));

			for (int j = 0; j <= n - m; j++)
			{
				curve[side] += probability * height_equal(a, m, at - (n - m - 2 * j) * b);
				probability *= (double) (n - m - j) / (j + 1) * exp(-b);
			}
		}
		assert_true(curve[0] <= slack * (1.0 + 1e-11));
		assert_true(found == 0.0 || curve[1] >= slack * (1.0 - 1e-11));
	}
}

/* Epsilons that no grid can hold together, and more of them than the budget allows. */
static void
test_list_extremes(void **state)
{
	static double epsilons[LIST_MAX];
	double		pair[2] = {1e300, 0.1};
	double		found;

	(void) state;
	assert_true(optimal_list(pair, 2, 1e-6) <= nextafter(1e300, INFINITY));
	pair[0] = 1e-300;
	assert_close(optimal_list(pair, 2, 1e-6), optimal(0.1, 1, 1e-6), 1e-9);
	pair[0] = DBL_TRUE_MIN;
	pair[1] = 2.0 * DBL_TRUE_MIN;
	assert_true(optimal_list(pair, 2, 1e-6) <= 2e-323);

	/* Of which the squares are no float8. */
	pair[0] = 1e-200;
	pair[1] = 2e-200;
	assert_close(optimal_list(pair, 2, 1e-300), 3e-200, 1e-12);

	pair[0] = DBL_MAX;
	pair[1] = DBL_MAX / 2.0;
	assert_true(optimal_list(pair, 2, 0.5) == INFINITY);
	pair[0] = 0.1;
	pair[1] = 0.2;
	assert_true(optimal_list(pair, 2, DBL_TRUE_MIN) == 0.3);
	assert_close(optimal_list(pair, 2, 1e-249), 0.3, 1e-12);
	assert_true(optimal_list(pair, 2, 1.0 - DBL_EPSILON / 2.0) <= 0.3);

	for (int i = 0; i < LIST_MAX; i++)
		epsilons[i] = i % 2 == 0 ? 0.1 : magnitude(1e-6, 50.0);
	found = optimal_list(epsilons, LIST_MAX, 1e-9);
	assert_true(found > 0.0 && found < dpriv_compose_basic_list(epsilons, no_deltas,
																LIST_MAX).epsilon);
}

static void
test_delta(void **state)
{
	const double epsilons[] = {1.0, 1.0, 2.0};
	const double deltas[] = {0.1, 0.2, 0.0};

	(void) state;
	check_above(dpriv_compose_optimal(1.0, 0.001, 10, 0.0).delta, 0.0099551197902517902, 2e-13);
	check_above(dpriv_compose_optimal_list(epsilons, deltas, 3, 0.5, work).delta, 0.64, 2e-13);
	check_above(dpriv_compose_optimal(1.0, 1e-20, 10, 1e-18).delta, 1.1e-18, 2e-13);
	assert_true(dpriv_compose_optimal(1.0, 1e-20, 10, 1e-18).delta <= 1.1e-18);
	assert_true(dpriv_compose_optimal(1.0, 0.9, 1000, 0.9).delta == 1.0);
}

static void
test_group_privacy(void **state)
{
	(void) state;
	check_guarantee(dpriv_group_privacy(0.1, 0.0, 3), 0.3, 0.0);
	check_guarantee(dpriv_group_privacy(0.1, 1e-6, 1), 0.1, 1e-6);
	check_guarantee(dpriv_group_privacy(0.1, 1e-6, 0), 0.0, 0.0);
	check_guarantee(dpriv_group_privacy(0.0, 1e-6, 10), 0.0, 1e-5);
	check_guarantee(dpriv_group_privacy(1.0, 0.5, 2), 2.0, 1.0);
	check_guarantee(dpriv_group_privacy(INFINITY, 0.0, 2), INFINITY, 0.0);
	check_guarantee(dpriv_group_privacy(INFINITY, 1e-9, 1), INFINITY, 1e-9);
	check_guarantee(dpriv_group_privacy(INFINITY, 1e-9, 2), INFINITY, 1.0);
	check_guarantee(dpriv_group_privacy(400.0, DBL_TRUE_MIN, 3), 1200.0, 1.0);
	check_guarantee(dpriv_group_privacy(1e300, 1e-300, PG_INT64_MAX), INFINITY, 1.0);
	check_above(dpriv_group_privacy(1.0, 1e-6, 3).delta, 1.1107337927389696e-05, 2e-13);
	check_above(dpriv_group_privacy(700.0, 1e-310, 2).delta, 1e-310 * exp(700.0), 2e-13);

	for (int64 i = 0; i < unit_draws() / 100; i++)
	{
		double		epsilon = magnitude(1e-20, 5.0);
		double		delta = magnitude(1e-100, 1e-3);
		int			k = (int) random_count(100.0);
		double		sum = 0.0;

		for (int j = 0; j < k; j++)
			sum += delta * exp(j * epsilon);
		assert_close(dpriv_group_privacy(epsilon, delta, k).delta, Min(sum, 1.0), 1e-12);
	}
}

/* Epsilons of which the squares vanish. */
static void
test_tiny_lists(void **state)
{
	double		epsilons[2] = {1e-170, 2e-170};
	double		deltas[2] = {-0.0, 0.0};

	(void) state;
	assert_true(dpriv_compose_optimal_list(epsilons, deltas, 2, 1e-200, work).epsilon > 2.9e-170);

	/* A negative zero is nothing. */
	epsilons[0] = -0.0;
	epsilons[1] = 1.0;
	assert_true(dpriv_compose_basic_list(epsilons, deltas, 2).epsilon == 1.0);
	assert_true(dpriv_compose_basic_list(epsilons, deltas, 2).delta == 0.0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic),
		cmocka_unit_test(test_basic_is_the_ledger),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_few_equal),
		cmocka_unit_test(test_few_different),
		cmocka_unit_test(test_monotone),
		cmocka_unit_test(test_order_of_the_forms),
		cmocka_unit_test(test_list_of_equal),
		cmocka_unit_test(test_list_of_nearly_equal),
		cmocka_unit_test(test_list_of_many),
		cmocka_unit_test(test_list_of_two),
		cmocka_unit_test(test_list_extremes),
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_group_privacy),
		cmocka_unit_test(test_tiny_lists),
	};
	int			failed;

	unit_start();
	work = malloc(dpriv_compose_optimal_list_size(LIST_MAX));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(work);
	return failed;
}
