/*
 * test_bernoulli.c
 *	  Coins: every comparison with chosen bits, and frequencies against closed forms.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "noise/bernoulli.h"
#include "unit.h"

#define E12 UINT64CONST(1000000000000)

/* 7 * 20!: words from here on are drawn again by dpriv_bernoulli_factorial(). */
#define FACTORIAL_RANGE (7 * UINT64CONST(2432902008176640000))

typedef struct Fraction
{
	uint128		num;
	uint128		den;
} Fraction;

static const Fraction fractions[] = {
	{1, 2},
	{1, 3},
	{2, 3},
	{999, 1000},
	{1, PG_UINT64_MAX},
	{PG_UINT64_MAX - 1, PG_UINT64_MAX},
	{(uint128) 1 << 63, ((uint128) 1 << 64) + 1},
	{(uint128) 123456789 * E12 * E12, (uint128) 987654321 * E12 * E12 + 1},
	{1, DPRIV_BERNOULLI_MAX_DEN - 1},
	{DPRIV_BERNOULLI_MAX_DEN - 1, DPRIV_BERNOULLI_MAX_DEN},
	{DPRIV_BERNOULLI_MAX_DEN / 3, DPRIV_BERNOULLI_MAX_DEN - 1},
};

/* The first n words of the binary expansion of num / den < 1, by long division. */
static void
expand(Fraction fraction, uint64 *words, int n)
{
	uint128		rest = fraction.num;

	for (int i = 0; i < n; i++)
	{
		words[i] = 0;
		for (int bit = 0; bit < 64; bit++)
		{
			rest *= 2;
			words[i] *= 2;
			if (rest >= fraction.den)
			{
				rest -= fraction.den;
				words[i]++;
			}
		}
	}
}

static bool
scripted_coin(Fraction fraction, const uint64 *words, int n)
{
	bool		result;

	DprivWide	num = dpriv_wide_from_u128(fraction.num);
	DprivWide	den = dpriv_wide_from_u128(fraction.den);

	unit_script(words, n);
	result = dpriv_bernoulli(fraction.num, fraction.den);
	assert_int_equal(unit_script_used(), n);

	/* The same fraction in wide integers, extended by something that fills their limbs. */
	num = dpriv_wide_times_u128(&num, ~(uint128) 0);
	den = dpriv_wide_times_u128(&den, ~(uint128) 0);
	num = dpriv_wide_times_u64(&num, PG_UINT64_MAX - 58);
	den = dpriv_wide_times_u64(&den, PG_UINT64_MAX - 58);
	unit_script(words, n);
	assert_int_equal(dpriv_bernoulli_wide(num, &den), result);
	assert_int_equal(unit_script_used(), n);

	unit_script(NULL, 0);
	return result;
}

/*
 * The coin is true iff a random expansion is below that of the probability.  Words that agree with
 * the expansion ask for more; the first that does not decides.  So the probability is exactly num /
 * den.
 */
static void
test_coin_compares_expansions(void **state)
{
	(void) state;
	for (int f = 0; f < (int) lengthof(fractions); f++)
	{
		/* An expansion that is 0 for three words is 0 for ever: denominators are below 2^127. */
		enum
		{
			COMPARED = 5,
			EXPANDED = COMPARED + 3
		};
		uint64		exact[EXPANDED];

		expand(fractions[f], exact, EXPANDED);
		for (int n = 1; n <= COMPARED; n++)
		{
			uint64		words[EXPANDED];
			bool		ends = true;	/* is the expansion 0 after these n words? */

			for (int i = n; i < EXPANDED; i++)
				ends &= exact[i] == 0;

			memcpy(words, exact, sizeof(words));
			if (exact[n - 1] > 0)
			{
				words[n - 1] = exact[n - 1] - 1;
				assert_true(scripted_coin(fractions[f], words, n));
				words[n - 1] = 0;
				assert_true(scripted_coin(fractions[f], words, n));
			}
			if (exact[n - 1] < PG_UINT64_MAX)
			{
				words[n - 1] = exact[n - 1] + 1;
				assert_false(scripted_coin(fractions[f], words, n));
				words[n - 1] = PG_UINT64_MAX;
				assert_false(scripted_coin(fractions[f], words, n));
			}

			/* Equality is not below: a finite expansion ends here. */
			if (ends)
			{
				assert_false(scripted_coin(fractions[f], exact, n));
				break;
			}
		}
	}
}

static void
test_coin_ends_of_range(void **state)
{
	const uint64 words[] = {0, 1, UINT64CONST(1) << 63, PG_UINT64_MAX};

	(void) state;
	for (int i = 0; i < (int) lengthof(words); i++)
	{
		assert_false(scripted_coin((Fraction) {0, 1}, &words[i], 1));
		assert_true(scripted_coin((Fraction) {1, 1}, &words[i], 1));
		assert_false(scripted_coin((Fraction) {0, DPRIV_BERNOULLI_MAX_DEN}, &words[i], 1));
		assert_true(scripted_coin((Fraction) {DPRIV_BERNOULLI_MAX_DEN, DPRIV_BERNOULLI_MAX_DEN},
								  &words[i], 1));
	}
}

static int
scripted_factorial(const uint64 *words, int n)
{
	int			result;

	unit_script(words, n);
	result = dpriv_bernoulli_factorial();
	assert_int_equal(unit_script_used(), n);
	unit_script(NULL, 0);
	return result;
}

/* N >= k exactly for the smallest FACTORIAL_RANGE / k! words. */
static void
test_factorial_thresholds(void **state)
{
	uint64		share = FACTORIAL_RANGE;

	(void) state;
	for (int k = 1; k < 20; k++)
	{
		uint64		word;

		assert_true(share % k == 0);
		share /= k;
		word = share - 1;
		assert_true(scripted_factorial(&word, 1) >= k);
		if (k > 1)
		{
			word = share;
			assert_int_equal(scripted_factorial(&word, 1), k - 1);
		}
	}

	/* Words past the range are drawn again; past the table there are coins of 1/21, 1/22, ... */
	assert_int_equal(scripted_factorial((uint64[]) {FACTORIAL_RANGE, PG_UINT64_MAX, 7}, 3), 19);
	assert_int_equal(scripted_factorial((uint64[]) {FACTORIAL_RANGE - 1}, 1), 1);
	assert_int_equal(scripted_factorial((uint64[]) {7}, 1), 19);
	assert_int_equal(scripted_factorial((uint64[]) {6, PG_UINT64_MAX}, 2), 20);
	assert_int_equal(scripted_factorial((uint64[]) {0, PG_UINT64_MAX / 21 + 1}, 2), 20);
	assert_int_equal(scripted_factorial((uint64[]) {0, PG_UINT64_MAX / 21 - 1, PG_UINT64_MAX}, 3),
					 21);
	assert_int_equal(scripted_factorial((uint64[]) {0, 0, 0, PG_UINT64_MAX}, 4), 22);
}

static void
test_factorial_frequencies(void **state)
{
	int64		observed[12] = {0};
	double		probability[12];
	double		factorial = 1.0;

	(void) state;
	for (int i = 0; i < 12; i++)
	{
		/* P[N = i + 1] = 1/(i+1)! - 1/(i+2)!; the last cell is P[N >= 12] */
		probability[i] = 1.0 / factorial;
		factorial *= i + 2;
		if (i < 11)
			probability[i] -= 1.0 / factorial;
	}
	for (int64 i = 0; i < unit_draws(); i++)
		observed[Min(dpriv_bernoulli_factorial(), 12) - 1]++;
	assert_true(unit_fits("factorial count", observed, probability, 12));
}

static DprivWide
wide(const char *hex)
{
	DprivWide	result = {{0}};

	for (; *hex != '\0'; hex++)
	{
		DprivWide	digit = dpriv_wide_from_u128(*hex <= '9' ? *hex - '0' : *hex - 'a' + 10);

		result = dpriv_wide_times_u64(&result, 16);
		result.limb[0] |= digit.limb[0];
	}
	return result;
}

static void
assert_wide_equal(DprivWide a, const char *hex)
{
	DprivWide	b = wide(hex);

	assert_int_equal(dpriv_wide_compare(&a, &b), 0);
}

#define F16 "ffffffffffffffff"
#define Z16 "0000000000000000"

/* Carries and borrows through every limb. */
static void
test_wide_arithmetic(void **state)
{
	DprivWide	one = wide("1");
	DprivWide	all_128 = dpriv_wide_from_u128(~(uint128) 0);
	DprivWide	all_192 = wide(F16 F16 F16);
	DprivWide	all_256 = wide(F16 F16 F16 F16);
	DprivWide	power_320 = wide("1" Z16 Z16 Z16 Z16 Z16);

	(void) state;
	assert_wide_equal(all_128, F16 F16);
	assert_wide_equal(dpriv_wide_times_u128(&all_128, ~(uint128) 0),
					  F16 "fffffffffffffffe" Z16 "0000000000000001");
	assert_wide_equal(dpriv_wide_times_u128(&all_256, ~(uint128) 0),
					  F16 "fffffffffffffffe" F16 F16 Z16 "0000000000000001");
	assert_wide_equal(dpriv_wide_times_u64(&all_256, PG_UINT64_MAX),
					  "fffffffffffffffe" F16 F16 F16 "0000000000000001");
	assert_wide_equal(dpriv_wide_square(&all_192),
					  F16 F16 "fffffffffffffffe" Z16 Z16 "0000000000000001");
	assert_wide_equal(dpriv_wide_subtract(&power_320, &one), F16 F16 F16 F16 F16);
	assert_wide_equal(dpriv_wide_subtract(&power_320, &all_256),
					  F16 Z16 Z16 Z16 "0000000000000001");
	assert_wide_equal(dpriv_wide_subtract(&power_320, &power_320), "0");
	assert_wide_equal(dpriv_wide_shift(&all_256), F16 F16 F16 F16 Z16);
	assert_true(dpriv_wide_compare(&all_192, &all_256) < 0);
	assert_true(dpriv_wide_compare(&all_256, &all_192) > 0);
	assert_true(dpriv_wide_compare(&one, &power_320) < 0);
}

/* exp(-x) for x = num / den over the whole range, the ends included. */
static void
test_exponential_frequencies(void **state)
{
	static const Fraction points[] = {
		{0, 1}, {1, 1}, {1, 2}, {1, 100}, {99, 100},
		{PG_UINT64_MAX / 3, PG_UINT64_MAX},
		{(uint128) 7 * E12 * E12, (uint128) 9 * E12 * E12 + 1},
		{DPRIV_BERNOULLI_MAX_DEN, DPRIV_BERNOULLI_MAX_DEN},
	};

	(void) state;
	for (int p = -1; p < (int) lengthof(points); p++)
	{
		double		x = p < 0 ? 1.0 : (double) points[p].num / (double) points[p].den;
		double		probability[2] = {exp(-x), -expm1(-x)};
		int64		observed[2] = {0};
		char		label[64];

		for (int64 i = 0; i < unit_draws(); i++)
		{
			bool		up = p < 0 ? dpriv_bernoulli_exp_one() :
			dpriv_bernoulli_exp(points[p].num, points[p].den);

			observed[up ? 0 : 1]++;
		}

		/* At 0 there is nothing to compare: it always comes up. */
		if (x == 0.0)
		{
			assert_true(observed[1] == 0);
			continue;
		}
		snprintf(label, sizeof(label), "coin of exp(-%g)", x);
		/* Few draws leave one cell only; then there is no test. */
		if (Min(probability[0], probability[1]) * unit_draws() >= UNIT_MIN_EXPECTED)
			assert_true(unit_fits(label, observed, probability, 2));
	}
}

/* Beyond 1, in wide integers: num / den = x, extended by 2^160. */
static void
test_wide_exponential_frequencies(void **state)
{
	static const int tenths[] = {0, 3, 10, 17, 25, 40};
	DprivWide	scale = wide("1" "0000000000000000000000000000000000000000");

	(void) state;
	for (int x = 0; x < (int) lengthof(tenths); x++)
	{
		DprivWide	num = dpriv_wide_times_u64(&scale, tenths[x]);
		DprivWide	den = dpriv_wide_times_u64(&scale, 10);
		double		probability[2] = {exp(-0.1 * tenths[x]), -expm1(-0.1 * tenths[x])};
		int64		observed[2] = {0};
		char		label[64];

		for (int64 i = 0; i < unit_draws(); i++)
			observed[dpriv_bernoulli_exp_wide(num, &den) ? 0 : 1]++;
		if (tenths[x] == 0)
		{
			assert_true(observed[1] == 0);
			continue;
		}
		snprintf(label, sizeof(label), "wide coin of exp(-%g)", 0.1 * tenths[x]);
		if (Min(probability[0], probability[1]) * unit_draws() >= UNIT_MIN_EXPECTED)
			assert_true(unit_fits(label, observed, probability, 2));
	}
}

/* The test itself: the count's parity taken the other way, and a series cut short, are found. */
static void
test_wrong_exponentials_are_found(void **state)
{
	double		probability[2] = {exp(-0.5), -expm1(-0.5)};
	int64		parity[2] = {0};
	int64		square[2] = {0};

	(void) state;
	for (int64 i = 0; i < Max(unit_draws(), UNIT_MUTANT_DRAWS); i++)
	{
		bool		up = dpriv_bernoulli_exp(1, 2);

		parity[up ? 1 : 0]++;
		/* exp(-x) is nearly 1 - x + x^2 / 2 */
		up = !dpriv_bernoulli(1, 2) || dpriv_bernoulli(1, 4);
		square[up ? 0 : 1]++;
	}
	assert_false(unit_fits("wrong: parity", parity, probability, 2));
	assert_false(unit_fits("wrong: series cut after the square", square, probability, 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coin_compares_expansions),
		cmocka_unit_test(test_coin_ends_of_range),
		cmocka_unit_test(test_factorial_thresholds),
		cmocka_unit_test(test_factorial_frequencies),
		cmocka_unit_test(test_exponential_frequencies),
		cmocka_unit_test(test_wide_arithmetic),
		cmocka_unit_test(test_wide_exponential_frequencies),
		cmocka_unit_test(test_wrong_exponentials_are_found),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
