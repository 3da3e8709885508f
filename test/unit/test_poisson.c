/*
 * test_poisson.c
 *	  Poisson samples: how many rows, which ones, and the rare draws that need more than 64 bits.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "noise/random.h"
#include "noise/poisson.h"
#include "port/pg_bitutils.h"
#include "unit.h"

#define N DPRIV_POISSON_ROWS
#define ONE (UINT64CONST(1) << DPRIV_POISSON_BITS)

/* With a table, at its ends too, and without. */
static const uint64 rates[] = {1, 4295, ONE / 8192, 1048577, ONE / 64, ONE / 64 + 1, ONE / 3, ONE};

static DprivPoisson sample;

static int
draw(uint64 *rows)
{
	int			count = 0;

	dpriv_poisson_draw(&sample, rows);
	for (int i = 0; i < DPRIV_POISSON_WORDS; i++)
		count += pg_popcount64(rows[i]);
	return count;
}

static double
binomial(int k, double p)
{
	if (p == 1.0)
		return k == N;
	return exp(lgamma(N + 1.0) - lgamma(k + 1.0) - lgamma(N - k + 1.0) + k * log(p) +
			   (N - k) * log1p(-p));
}

/* Counts are binomial. */
static void
test_counts(void **state)
{
	int64		draws = unit_draws() / 5;
	uint64		rows[DPRIV_POISSON_WORDS];

	(void) state;
	for (int r = 0; r < (int) lengthof(rates); r++)
	{
		static int64 observed[N + 1];
		static double probability[N + 1];
		double		total = 0.0;

		memset(observed, 0, sizeof(observed));
		dpriv_poisson_init(&sample, rates[r]);
		for (int64 i = 0; i < draws; i++)
			observed[draw(rows)]++;
		for (int k = 0; k < N; k++)
			total += probability[k] = binomial(k, (double) rates[r] / ONE);
		probability[N] = Max(0.0, 1.0 - total);

		/* Where nearly all draws are alike, there is nothing to fit. */
		if (rates[r] < ONE / 8192)
			assert_true(observed[0] > draws * 0.99 && observed[0] + observed[1] + 9 > draws);
		else if (rates[r] == ONE)
			assert_true(observed[N] == draws);
		else
			assert_true(unit_fits("rows in a sample", observed, probability, N + 1));
	}
}

/* All rows are alike, and so are pairs of neighbours. */
static void
test_rows(void **state)
{
	static int64 observed[N];
	static double probability[N];
	uint64		rows[DPRIV_POISSON_WORDS];
	int64		pairs = 0;
	int64		draws = unit_draws() / 5;
	double		p = 1.0 / 64;
	double		expected;

	(void) state;
	dpriv_poisson_init(&sample, ONE / 64);
	for (int64 i = 0; i < draws; i++)
	{
		(void) draw(rows);
		for (int j = 0; j < N; j++)
			observed[j] += rows[j / 64] >> j % 64 & 1;
		for (int j = 0; j < DPRIV_POISSON_WORDS; j++)
			pairs += pg_popcount64(rows[j] & rows[j] >> 1);
	}
	for (int j = 0; j < N; j++)
		probability[j] = 1.0 / N;
	assert_true(unit_fits("which rows", observed, probability, N));
	expected = (double) draws * DPRIV_POISSON_WORDS * 63 * p * p;
	assert_true(fabs((double) pairs - expected) < 8.0 * sqrt(3.0 * expected));
}

/* The table is that of the distribution. */
static void
test_table(void **state)
{
	(void) state;
	for (int r = 0; r < (int) lengthof(rates); r++)
	{
		double		up_to = 0.0;

		dpriv_poisson_init(&sample, rates[r]);
		assert_int_equal(sample.ncounts > 0, rates[r] <= ONE / 64);
		for (int k = 0; k < sample.ncounts; k++)
		{
			up_to += binomial(k, (double) rates[r] / ONE);
			assert_true(fabs(ldexp((double) sample.up_to[k], -64) - up_to) < 1e-9);
		}
		if (sample.ncounts > 0)
			assert_true(sample.up_to[sample.ncounts - 1] == PG_UINT64_MAX);
	}
}

/* U just below P[count = 0] = (1 - p)^4096, which is computed once more, at it and above it. */
static void
test_ties(void **state)
{
	static uint32 digits[N + 1];
	static uint64 words[N / 2 + 8];
	uint64		rows[DPRIV_POISSON_WORDS];
	uint64		rate = 1048577;
	int			last = 0;

	(void) state;
	digits[0] = 1;
	for (int i = 0; i < N; i++)
	{
		uint64		carry = 0;

		for (int j = 0; j <= N; j++)
		{
			carry += (ONE - rate) * digits[j];
			digits[j] = (uint32) carry;
			carry >>= 32;
		}
	}
	for (int i = 0; i < N / 2; i++)
		words[i] = (uint64) digits[N - 1 - 2 * i] << 32 | digits[N - 2 - 2 * i];

	dpriv_poisson_init(&sample, rate);
	assert_true(sample.up_to[0] == words[0]);

	/* Equal to the end: U is not below it.  Then a position. */
	words[N / 2] = 77;
	unit_script(words, N / 2 + 1);
	assert_int_equal(draw(rows), 1);
	assert_int_equal(unit_script_used(), N / 2 + 1);
	assert_true(rows[1] == UINT64CONST(1) << 13);

	/* Below in the last word, in the second, above in the second. */
	words[N / 2 - 1]--;
	unit_script(words, N / 2);
	assert_int_equal(draw(rows), 0);
	assert_int_equal(unit_script_used(), N / 2);
	words[1]--;
	unit_script(words, 2);
	assert_int_equal(draw(rows), 0);
	words[1] += 2;
	words[2] = 77;
	unit_script(words, 3);
	assert_int_equal(draw(rows), 1);

	/* Where the table ends, and beyond: the more ones U begins with, the more rows. */
	for (int i = 0; i < 64; i++)
		words[i] = (uint64) i * UINT64CONST(0x9E3779B97F4A7C15);
	for (int ones = 1; ones < 8; ones++)
	{
		int			count;

		words[ones - 1] = PG_UINT64_MAX;
		unit_script(words, 64);
		count = draw(rows);
		assert_true(count > last && count > sample.ncounts - 2);
		last = count;
	}
	unit_script(NULL, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_ties),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
