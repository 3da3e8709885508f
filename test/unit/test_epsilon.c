/*
 * test_epsilon.c
 *	  Epsilon as a decimal: what was written is what is charged, to the last unit.
 */
#include "server.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/epsilon.h"
#include "noise/random.h"
#include "unit.h"

#define ONE DPRIV_EPSILON_UNIT_PER_ONE

static void
check(double value, int64 noise, int64 charge)
{
	DprivEpsilon epsilon = {-1, -1};

	assert_true(dpriv_epsilon_from_double(value, &epsilon));
	assert_int_equal(epsilon.noise, noise);
	assert_int_equal(epsilon.charge, charge);
}

static void
check_exact(double value, int64 units)
{
	check(value, units, units);
	assert_true(dpriv_epsilon_to_double(units) == value);
}

static void
check_refused(double value)
{
	DprivEpsilon epsilon = {-1, -1};

	assert_false(dpriv_epsilon_from_double(value, &epsilon));
	assert_int_equal(epsilon.noise, -1);
	assert_int_equal(epsilon.charge, -1);
}

static void
test_decimals_are_exact(void **state)
{
	(void) state;
	check_exact(0.1, ONE / 10);
	check_exact(0.9, ONE / 10 * 9);
	check_exact(0.9 + 1e-17, ONE / 10 * 9);
	check_exact(0.5, ONE / 2);
	check_exact(1.0, ONE);
	check_exact(20.0, 20 * ONE);
	check_exact(1000.0, 1000 * ONE);
	check_exact(1e-6, 1000000);
	check_exact(0.000123, 123000000);
	check_exact(0.000001234567, 1234567);
	check_exact(123.456789012345, INT64CONST(123456789012345));
	check_exact(999.999999999999, 1000 * ONE - 1);
}

static void
test_finer_than_a_unit(void **state)
{
	(void) state;
	check(1.0 / 3.0, INT64CONST(333333333333), INT64CONST(333333333334));
	check(2.0 / 3.0, INT64CONST(666666666666), INT64CONST(666666666667));
	check(0.1 + 0.2, INT64CONST(300000000000), INT64CONST(300000000001));
	check(nextafter(0.1, 1.0), INT64CONST(100000000000), INT64CONST(100000000001));
	check(nextafter(0.1, 0.0), INT64CONST(99999999999), INT64CONST(100000000000));
	check(nextafter(1e-6, 1.0), 1000000, 1000001);
	check(nextafter(1e3, 0.0), 1000 * ONE - 1, 1000 * ONE);
}

static void
test_range(void **state)
{
	(void) state;
	check_refused(NAN);
	check_refused(-NAN);
	check_refused(INFINITY);
	check_refused(-INFINITY);
	check_refused(0.0);
	check_refused(-0.0);
	check_refused(-1.0);
	check_refused(DBL_MIN);
	check_refused(4.9e-324);
	check_refused(DBL_MAX);
	check_refused(nextafter(1e-6, 0.0));
	check_refused(nextafter(1e3, INFINITY));
}

/* Floating point would give 0.9999999999999999. */
static void
test_ten_tenths_are_one(void **state)
{
	DprivEpsilon epsilon;
	int64		sum = 0;

	(void) state;
	for (int i = 0; i < 10; i++)
	{
		assert_true(dpriv_epsilon_from_double(0.1, &epsilon));
		sum += epsilon.charge;
	}
	assert_int_equal(sum, ONE);
	assert_true(dpriv_epsilon_to_double(sum) == 1.0);
}

/* Every number of units in range is written as a float8 and read back unchanged. */
static void
test_units_survive_float8(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws(); i++)
	{
		/* all magnitudes alike */
		uint64		range = 1000 * ONE >> dpriv_random_below_u64(30);
		int64		units = 1000000 + dpriv_random_below_u64(range - 1000000 + 1);
		DprivEpsilon epsilon;

		assert_true(dpriv_epsilon_from_double(dpriv_epsilon_to_double(units), &epsilon));
		assert_int_equal(epsilon.noise, units);
		assert_int_equal(epsilon.charge, units);
	}
}

/*
 * For any float8 in range, against printf and strtod: noise <= the shortest decimal <= charge, at
 * most one unit apart.
 */
static void
test_any_float8(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 4; i++)
	{
		double		value = exp(log(1e-6) + (log(1e3) - log(1e-6)) *
								((double) (dpriv_random_u64() >> 11) / 9007199254740992.0));
		char		text[64];
		char	   *end;
		int64		digits = 0;
		int			exponent;
		int			precision = 0;
		DprivEpsilon epsilon;
		int128		exact;		/* in units of 1e-29 */
		int128		unit = (int128) 100000 * ONE;

		if (!(value >= 1e-6 && value <= 1e3))
			continue;

		/* The shortest text that reads back; of several, printf takes the nearest. */
		do
		{
			snprintf(text, sizeof(text), "%.*e", precision, value);
		} while (strtod(text, NULL) != value && ++precision < 17);

		for (const char *c = text; *c != 'e'; c++)
		{
			if (*c != '.')
				digits = digits * 10 + (*c - '0');
		}
		exponent = strtol(strchr(text, 'e') + 1, &end, 10) - precision + 29;
		assert_true(exponent >= 0);
		for (exact = digits; exponent > 0; exponent--)
			exact *= 10;

		assert_true(dpriv_epsilon_from_double(value, &epsilon));
		assert_true(epsilon.noise * unit <= exact && exact < (epsilon.noise + 1) * unit);
		assert_true((epsilon.charge - 1) * unit < exact && exact <= epsilon.charge * unit);
	}
}

/* A decimal comma changes nothing; skipped where no such locale is installed. */
static void
test_decimal_comma(void **state)
{
	static const char *const locales[] = {
		"de_DE.UTF-8", "es_ES.UTF-8", "fr_FR.UTF-8", "de_DE", "es_ES"
	};
	bool		found = false;

	(void) state;
	for (int i = 0; i < (int) lengthof(locales) && !found; i++)
		found = setlocale(LC_ALL, locales[i]) != NULL;
	if (!found)
	{
		printf("no locale with a decimal comma is installed\n");
		skip();
	}
	assert_int_equal(localeconv()->decimal_point[0], ',');
	check_exact(0.1, ONE / 10);
	check_exact(0.000001234567, 1234567);
	check(1.0 / 3.0, INT64CONST(333333333333), INT64CONST(333333333334));
	setlocale(LC_ALL, "C");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals_are_exact),
		cmocka_unit_test(test_finer_than_a_unit),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_ten_tenths_are_one),
		cmocka_unit_test(test_units_survive_float8),
		cmocka_unit_test(test_any_float8),
		cmocka_unit_test(test_decimal_comma),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
