/*
 * test_selection.c
 *	  Selection of groups: truncated noise is what it should be, and with its threshold a good rule.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/numeric.h"
#include "accounting/selection.h"
#include "noise/random.h"
#include "noise/truncated.h"
#include "unit.h"

#define E12 UINT64CONST(1000000000000)

/* Truncated noise against its closed form, on both sides of the scale, and nothing outside. */
static void
test_truncated(void **state)
{
	static const struct
	{
		const char *label;
		uint64		num;
		uint64		den;
		int64		limit;
	}			cases[] = {
		{"truncated, scale 2 at 0", 2, 1, 0},
		{"truncated, scale 2 at 1", 2, 1, 1},
		{"truncated, scale 2 at 2", 2, 1, 2},
		{"truncated, scale 2 at 3", 2, 1, 3},
		{"truncated, scale 2 at 25", 2, 1, 25},
		{"truncated, scale 1e12 / 3e11 at 9", E12, 3 * E12 / 10, 9},
		{"truncated, scale 1/4 at 1", 1, 4, 1},
		{"truncated, scale 1e6 at 50", E12, E12 / 1000000, 50},
		{"truncated, scale 100 at 99", 100, 1, 99},
		{"truncated, scale 100 at 101", 100, 1, 101},
	};

	(void) state;
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		int64		limit = cases[i].limit;
		double		epsilon = (double) cases[i].den / (double) cases[i].num;
		int64		draws = unit_draws();
		int64		observed[203] = {0};
		double		probability[203];
		double		sum = 0;
		DprivLaplace laplace;

		assert_true(dpriv_laplace_init(&laplace, cases[i].num, cases[i].den));
		for (int64 x = -limit; x <= limit; x++)
			sum += exp(-epsilon * fabs((double) x));
		for (int64 x = -limit; x <= limit; x++)
			probability[x + limit] = exp(-epsilon * fabs((double) x)) / sum;
		for (int64 n = 0; n < draws; n++)
		{
			int64		x = dpriv_truncated_draw(&laplace, limit);

			assert_true(x >= -limit && x <= limit);
			observed[x + limit]++;
		}
		if (limit > 0)
			assert_true(unit_fits(cases[i].label, observed, probability, 2 * (int) limit + 1));
	}
}

/* The largest limit: every draw passes, and the distance of a draw fits. */
static void
test_truncated_limits(void **state)
{
	DprivLaplace laplace;

	(void) state;
	assert_true(dpriv_laplace_init(&laplace, E12, 1000000));
	for (int i = 0; i < 1000; i++)
		assert_true(llabs(dpriv_truncated_draw(&laplace, DPRIV_TRUNCATED_MAX_LIMIT)) <
					INT64CONST(100000000));
	assert_true(dpriv_laplace_init(&laplace, (uint128) 1 << 54, 1));
	for (int i = 0; i < 1000; i++)
		assert_true(llabs(dpriv_truncated_draw(&laplace, DPRIV_TRUNCATED_MAX_LIMIT)) <=
					DPRIV_TRUNCATED_MAX_LIMIT);
}

/* 1 / P[X = k] for noise truncated at k, term by term. */
static double
sum_at(double k, double a)
{
	double		sum = 0;

	for (double x = -k; x <= k; x++)
		sum += exp(a * (k - fabs(x)));
	return sum;
}

/* P[n + X > k] and, for the other side, P[n + X <= k], summed from the smallest term. */
static double
passes(double n, double k, double a, double sum)
{
	double		p = 0;

	if (n > 2 * k)
		return 1.0;
	for (double x = k; x > k - n; x--)
		p += exp(a * (k - fabs(x))) / sum;
	return p;
}

static double
fails(double n, double k, double a, double sum)
{
	return n > 2 * k ? 0.0 : passes(2 * k + 1 - n, k, a, sum);
}

/*
 * Noise and threshold are the rule of dpriv_selection_probability(), but for the last count that may
 * fail, where they differ by at most delta; a group of one passes with no more than delta; and what neighbours tell apart is (epsilon, delta): both outcomes,
 * both directions, all counts.
 */
static void
check_rule(double epsilon, double delta, int groups)
{
	double		a = epsilon / groups;
	double		one = groups == 1 ? delta : -expm1(log1p(-delta) / groups);
	double		limit;
	double		weight;
	double		sum[2];
	double		before[2] = {0.0, 1.0}; /* kept, not kept, of a group with one row less */

	dpriv_selection_truncation(epsilon, delta, groups, &limit, &weight);
	assert_true(limit >= 1 && limit == floor(limit) && weight >= 0 && weight <= 1);
	sum[0] = sum_at(limit, a);
	sum[1] = sum_at(limit - 1, a);
	for (double n = 1; n <= 2 * limit + 2; n++)
	{
		double		kept = (1 - weight) * passes(n, limit, a, sum[0]) +
			weight * passes(n, limit - 1, a, sum[1]);
		double		lost = (1 - weight) * fails(n, limit, a, sum[0]) +
			weight * fails(n, limit - 1, a, sum[1]);
		double		best = dpriv_selection_probability(n, epsilon, delta, groups);
		double		slack = 1e-11;

		if (n == 1)
		{
			assert_true(kept <= one * (1 + 1e-14 * (1 + limit)));
			assert_true(kept >= one * (1 - slack));
		}
		assert_true(n <= 2 * limit || kept == 1.0);
		assert_true(fabs(kept - best) <= slack * best + (n == 2 * limit ? one : 0));
		assert_true(fabs(lost - (1 - best)) <= slack + (n == 2 * limit ? one : 0));

		assert_true(kept <= (exp(a) * before[0] + one) * (1 + slack));
		assert_true(before[0] <= (exp(a) * kept + one) * (1 + slack));
		assert_true(lost <= (exp(a) * before[1] + one) * (1 + slack));
		assert_true(before[1] <= (exp(a) * lost + one) * (1 + slack));
		before[0] = kept;
		before[1] = lost;
	}
}

static double
magnitude(double low, double high)
{
	return exp(log(low) + log(high / low) * ((double) (dpriv_random_u64() >> 11) * 0x1p-53));
}

static void
test_rule(void **state)
{
	(void) state;
	check_rule(1.0, 1e-6, 1);
	check_rule(0.5, 1e-5, 1);
	check_rule(0.05, 1e-18, 1);
	check_rule(1e-6, 0.01, 1);
	check_rule(0.3, 0.01, 1);
	check_rule(DPRIV_LN2, 1e-9, 1);
	check_rule(20, 1e-18, 1);
	check_rule(DPRIV_SELECTION_MAX_EPSILON, 1e-18, 1);
	check_rule(DPRIV_SELECTION_MAX_EPSILON, 0.01, 1);
	for (int i = 0; i < 100; i++)
		check_rule(magnitude(0.1, DPRIV_SELECTION_MAX_EPSILON), magnitude(1e-18, 0.01), 1);
	for (int i = 0; i < 20; i++)
		check_rule(magnitude(0.5, 50), magnitude(1e-12, 0.01), 1 + i);
}

/* Far out it stays in range: the smallest epsilon with the smallest delta. */
static void
test_extremes(void **state)
{
	double		limit;
	double		weight;

	(void) state;
	dpriv_selection_truncation(1e-6, 1e-18, 1, &limit, &weight);
	assert_true(limit > 2.6e7 && limit < 2.8e7 && weight >= 0 && weight <= 1);
	assert_true((int64) limit < DPRIV_TRUNCATED_MAX_LIMIT);

	/*
	 * Where delta is that of a truncation, it alone does; rounding may take the next one, never the
	 * one before.
	 */
	for (double k = 1; k <= 30; k++)
	{
		double		exact = 1 / sum_at(k, 1.0);

		if (exact > 0.01)
			continue;
		dpriv_selection_truncation(1.0, exact, 1, &limit, &weight);
		assert_true(limit == k ? weight < 1e-12 : limit == k + 1 && weight > 1 - 1e-12);
	}
}

/*
 * A unit in several groups: each is decided with its share, and that one of them appears which
 * nobody else is in has the probability delta in all.
 */
static void
test_shares(void **state)
{
	(void) state;
	for (int groups = 1; groups <= 64; groups *= 2)
	{
		double		one = -expm1(log1p(-1e-6) / groups);
		double		limit;
		double		weight;
		double		share_limit;
		double		share_weight;
		double		t = exp(-1.0 / groups);
		double		m = dpriv_selection_threshold(1.0, 1e-6, groups);
		double		p;

		dpriv_selection_truncation(1.0, 1e-6, groups, &limit, &weight);
		dpriv_selection_truncation(1.0 / groups, one, 1, &share_limit, &share_weight);
		assert_true(limit == share_limit && fabs(weight - share_weight) < 1e-9);
		p = (1 - weight) / sum_at(limit, 1.0 / groups) + weight / sum_at(limit - 1, 1.0 / groups);
		assert_true(-expm1(groups * log1p(-p)) <= 1e-6 * (1 + 1e-12));

		assert_true(m == dpriv_selection_threshold(1.0 / groups, one, 1));
		p = pow(t, m - 1) / (1 + t);
		assert_true(-expm1(groups * log1p(-p)) <= 1e-6 * (1 + 1e-12));
		assert_true(-expm1(groups * log1p(-p / t)) > 1e-6);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_truncated_limits),
		cmocka_unit_test(test_rule),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_shares),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
