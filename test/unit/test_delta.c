/*
 * test_delta.c
 *	  Delta as a decimal: what was written is what is charged, to the last digit.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/delta.h"
#include "noise/random.h"
#include "unit.h"

static int128
units_of(double value)
{
	int128		units = -1;

	assert_true(dpriv_delta_from_double(value, &units));
	return units;
}

static void
test_decimals(void **state)
{
	int128		million = (int128) 1000000;

	(void) state;
	assert_true(units_of(0.0) == 0);
	assert_true(units_of(-0.0) == 0);
	assert_true(units_of(1e-18) == million * million * million);
	assert_true(units_of(1e-6) == million * million * million * million * million);
	assert_true(units_of(0.01) == 10000 * units_of(1e-6));
	assert_true(units_of(2.5e-6) * 2 == units_of(5e-6));
	assert_true(units_of(nextafter(1e-18, 1.0)) > units_of(1e-18));
}

static void
test_sums(void **state)
{
	int128		sum = 0;

	(void) state;
	for (int i = 0; i < 10; i++)
		sum = dpriv_delta_add(sum, units_of(1e-6));
	assert_true(sum == units_of(1e-5));
	assert_true(dpriv_delta_to_double(sum) == 1e-5);
	assert_true(dpriv_delta_add((int128) (~(uint128) 0 >> 1), 1) == (int128) (~(uint128) 0 >> 1));
	assert_true(dpriv_delta_to_double(0) == 0.0);
	assert_true(dpriv_delta_from_budget(0.5) == 50 * units_of(0.01));
	assert_true(dpriv_delta_from_budget(1.0) == 100 * units_of(0.01));
	assert_true(dpriv_delta_from_budget(1e-300) == 0);
	assert_true(dpriv_delta_from_budget(0.0) == 0);
}

static void
test_range(void **state)
{
	static const double refused[] = {
		NAN, INFINITY, -INFINITY, -1e-6, 1e-19, 0.011, 1.0, DBL_MIN, DBL_MAX
	};
	int128		units = -1;

	(void) state;
	for (int i = 0; i < (int) lengthof(refused); i++)
		assert_false(dpriv_delta_from_double(refused[i], &units));
	assert_false(dpriv_delta_from_double(nextafter(1e-18, 0.0), &units));
	assert_false(dpriv_delta_from_double(nextafter(0.01, 1.0), &units));
	assert_true(units == -1);
}

/* Every float8 in range is read, and comes back. */
static void
test_any_float8(void **state)
{
	double		before = 0.0;
	int128		units_before = 0;

	(void) state;
	for (int64 i = 0; i < unit_draws() / 4; i++)
	{
		double		value = exp(log(1e-18) + (log(0.01) - log(1e-18)) *
								((double) (dpriv_random_u64() >> 11) / 9007199254740992.0));

		if (!(value >= 1e-18 && value <= 0.01))
			continue;
		assert_true(dpriv_delta_to_double(units_of(value)) == value);
		assert_true((value > before) == (units_of(value) > units_before) || value == before);
		before = value;
		units_before = units_of(value);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_any_float8),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
