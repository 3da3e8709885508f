/*
 * test_strip.c
 *	  Strips under a Gaussian curve: their heights, which are drawn, and the rare draws that compare
 *	  digits.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "noise/random.h"
#include "noise/strip.h"
#include "unit.h"

#define LAST_DIGIT (DPRIV_STRIP_DIGITS - 1)

/* The first of the strips that share a unit. */
#define FAR 76

/*
 * Some digits of exp(-k^2 / 128), computed elsewhere with 2,400 bits: the first one, and the last
 * two that are certain.
 */
static const struct
{
	int			k;
	uint64		first;
	uint64		last[2];
}			heights[] = {
	{1, UINT64CONST(0xFE01FEAB551127CB),
	{UINT64CONST(0x7038732D01F3D655), UINT64CONST(0xA599A8CD6E0D1F50)}},
	{2, UINT64CONST(0xF81FAB5445AEBC8A),
	{UINT64CONST(0xDA6A330D86F30D24), UINT64CONST(0xB215714B56047BEF)}},
	{7, UINT64CONST(0xAE93AB482C16806A),
	{UINT64CONST(0xA28939A7EE907644), UINT64CONST(0xC7DDEB5E31673B8F)}},
	{75, UINT64CONST(1),
	{UINT64CONST(0x17F86AC7F2BBC6F3), UINT64CONST(0x269864778C81988A)}},
	{76, 0,
	{UINT64CONST(0xCDDD080DC7E4BAD0), UINT64CONST(0xBC715BAF20313A18)}},
	{200, 0,
	{UINT64CONST(0xF4DDAD3570B585F9), UINT64CONST(0x166904FD69BF5543)}},
	{400, 0,
	{UINT64CONST(0x6431950B8564BA98), UINT64CONST(0x04B291D49280DA40)}},
};

static void
test_heights(void **state)
{
	uint64		digits[DPRIV_STRIP_DIGITS];

	(void) state;
	for (int i = 0; i < (int) lengthof(heights); i++)
	{
		dpriv_strip_height(heights[i].k, digits);
		assert_true(digits[0] == heights[i].first);
		assert_true(digits[LAST_DIGIT - 2] == heights[i].last[0]);
		assert_true(digits[LAST_DIGIT - 1] == heights[i].last[1]);
	}

	/* None of them ends where its error could reach the digit before. */
	for (int k = 1; k <= DPRIV_STRIP_LAST; k++)
	{
		dpriv_strip_height(k, digits);
		assert_true(digits[0] >= heights[4].first);
		if (k < 76)
			assert_true(fabs(log(ldexp((double) digits[0], -64)) * 128.0 + k * k) < 1e-9 ||
						digits[0] < UINT64CONST(1) << 50);
	}
}

/* Units of strip k, of 2^-60. */
static uint64
units(int k)
{
	uint64		digits[DPRIV_STRIP_DIGITS];

	if (k == 0)
		return UINT64CONST(1) << 60;
	dpriv_strip_height(k, digits);
	return (digits[0] >> 4) + 1;
}

static uint64
units_up_to(int k)
{
	uint64		sum = 0;

	for (int i = 0; i <= k; i++)
		sum += units(i);
	return sum;
}

/* The word of random bits that a number below n is made of. */
static uint64
word_of(uint64 number, uint64 n)
{
	uint64		word = (uint64) ((((uint128) number << 64) + n - 1) / n);

	if ((uint64) ((uint128) word * n) < (0 - n) % n)
		word++;
	assert_true((uint64) (((uint128) word * n) >> 64) == number);
	return word;
}

static int
draw_by(const uint64 *words, int n)
{
	int			k;

	dpriv_random_wipe();
	unit_script_source(words, n);
	k = dpriv_strip_draw();
	dpriv_random_wipe();
	return k;
}

/* The digits of h(k) behind so many bits. */
static void
digits_behind(int k, int bits, uint64 *words, int n)
{
	uint64		digits[DPRIV_STRIP_DIGITS];

	dpriv_strip_height(k, digits);
	for (int i = 0; i < n; i++)
	{
		words[i] = digits[i + bits / 64] << bits % 64;
		if (bits % 64 > 0)
			words[i] |= digits[i + bits / 64 + 1] >> (64 - bits % 64);
	}
}

/* The first and the last units of strips, and the digits that decide about the last. */
static void
test_ends_of_strips(void **state)
{
	uint64		all = units_up_to(FAR - 1) + 1;
	uint64		words[8];

	(void) state;
	for (int k = 0; k < FAR; k++)
	{
		uint64		end = units_up_to(k);

		words[0] = word_of(end - units(k), all);
		words[1] = 0;
		assert_int_equal(draw_by(words, 2), k);
		if (k == 0)
			continue;

		/* Above 2^-60 times its units but for the last, below it with that one. */
		digits_behind(k, 60, words + 1, 3);
		words[0] = word_of(end - 1, all);
		words[3]--;
		assert_int_equal(draw_by(words, 4), k);
		words[3] += 2;
		words[4] = word_of(0, all);
		assert_int_equal(draw_by(words, 5), 0);
		words[1]++;
		words[2] = word_of(units(0), all);
		assert_int_equal(draw_by(words, 3), 1);
	}
	words[0] = word_of(units(0) - 1, all);
	assert_int_equal(draw_by(words, 1), 0);
}

/* The unit that far strips share: half, a quarter, ... of it. */
static void
test_far_strips(void **state)
{
	uint64		all = units_up_to(FAR - 1) + 1;
	uint64		words[48];

	(void) state;
	words[0] = word_of(all - 1, all);
	for (int more = 0; more < 40; more++)
	{
		for (int i = 0; i < more; i++)
			words[1 + i] = 2 * i + 1;
		words[1 + more] = 2 * more;
		digits_behind(FAR + more, 61 + more, words + 2 + more, 2);
		words[3 + more]--;
		assert_int_equal(draw_by(words, 4 + more), FAR + more);
		words[3 + more] += 2;
		words[4 + more] = word_of(0, all);
		assert_int_equal(draw_by(words, 5 + more), 0);
	}
}

/* Both halves of the promise that their heights are below what they share. */
static void
test_far_strips_are_low(void **state)
{
	(void) state;
	assert_true(FAR * FAR / 128.0 > 61.0 * M_LN2);
	assert_true((2 * FAR + 1) / 128.0 > M_LN2);
}

static bool
draws_fit(const char *label, int (*draw) (void))
{
	static int64 observed[FAR];
	double		probability[FAR];
	double		total = 0.0;

	memset(observed, 0, sizeof(observed));
	for (int k = 0; k < FAR; k++)
		total += probability[k] = exp(-k * k / 128.0);
	for (int k = 0; k < FAR; k++)
		probability[k] /= total;
	for (int64 i = 0; i < Max(unit_draws(), UNIT_MUTANT_DRAWS); i++)
		observed[draw()]++;
	return unit_fits(label, observed, probability, FAR);
}

static int
sum_of_halves(void)
{
	return dpriv_strip_draw() / 2 + dpriv_strip_draw() / 2;
}

/* The last strip of the first sigma is taken for the one after it. */
static int
one_left_out(void)
{
	int			k = dpriv_strip_draw();

	return k == 7 ? 8 : k;
}

static void
test_draws(void **state)
{
	(void) state;
	assert_true(draws_fit("strips", dpriv_strip_draw));
	assert_false(draws_fit("wrong: sum of halves", sum_of_halves));
	assert_false(draws_fit("wrong: a strip is left out", one_left_out));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heights),
		cmocka_unit_test(test_ends_of_strips),
		cmocka_unit_test(test_far_strips),
		cmocka_unit_test(test_far_strips_are_low),
		cmocka_unit_test(test_draws),
	};

	unit_start();
	dpriv_strip_prepare();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
