/*
 * test_decimal.c
 *	  Sums of decimals: what was written is what is summed, to the last digit.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/decimal.h"
#include "noise/random.h"
#include "unit.h"

/* times times value, summed as decimals. */
static double
multiple(double value, int64 times)
{
	DprivDecimalSum sum;

	dpriv_decimal_sum_init(&sum);
	dpriv_decimal_sum_add(&sum, value, times);
	return dpriv_decimal_sum_up(&sum);
}

static double
sum_of_two(double a, double b)
{
	DprivDecimalSum sum;

	dpriv_decimal_sum_init(&sum);
	dpriv_decimal_sum_add(&sum, a, 1);
	dpriv_decimal_sum_add(&sum, b, 1);
	return dpriv_decimal_sum_up(&sum);
}

/* Any finite float8 > 0, all magnitudes alike. */
static double
any_double(void)
{
	double		value;

	do
	{
		uint64		bits = dpriv_random_u64() >> 1;

		memcpy(&value, &bits, sizeof(value));
	} while (!(value > 0.0 && value <= DBL_MAX));
	return value;
}

/* In floating point none of these comes out. */
static void
test_as_written(void **state)
{
	(void) state;
	assert_true(multiple(0.1, 3) == 0.3);
	assert_true(multiple(0.1, 10) == 1.0);
	assert_true(multiple(1e-6, 10) == 1e-5);
	assert_true(multiple(1e-6, 3) == 3e-6);
	assert_true(multiple(0.7, INT64CONST(1000000000000)) == 7e11);
	assert_true(multiple(1e-300, 7) == 7e-300);
	assert_true(sum_of_two(0.1, 0.2) == 0.3);
	assert_true(sum_of_two(0.1, 0.7) == 0.8);
	assert_true(sum_of_two(1e-9, 4e-9) == 5e-9);
}

/* A tail that no float8 holds is rounded up, however small. */
static void
test_rounded_up(void **state)
{
	(void) state;
	assert_true(sum_of_two(1.0, DBL_TRUE_MIN) == nextafter(1.0, 2.0));
	assert_true(sum_of_two(1.0, 1e-17) == nextafter(1.0, 2.0));
	assert_true(sum_of_two(DBL_MAX, 1.0) == INFINITY);
	assert_true(multiple(1.0, PG_INT64_MAX) == 9223372036854775808.0);
}

static void
test_limits(void **state)
{
	(void) state;
	assert_true(multiple(0.0, 5) == 0.0);
	assert_true(multiple(-0.0, 5) == 0.0);
	assert_true(multiple(0.1, 0) == 0.0);
	assert_true(multiple(INFINITY, 0) == 0.0);
	assert_true(multiple(INFINITY, 1) == INFINITY);
	assert_true(sum_of_two(INFINITY, 1.0) == INFINITY);
	assert_true(multiple(DBL_MAX, PG_INT64_MAX) == INFINITY);
	assert_true(multiple(DBL_MAX, 1) == DBL_MAX);
	assert_true(multiple(DBL_TRUE_MIN, 1) == DBL_TRUE_MIN);
	assert_true(multiple(DBL_TRUE_MIN, 2) >= 2.0 * DBL_TRUE_MIN);
}

/* One decimal is itself, and a sum is that of floating point or one of its neighbours. */
static void
test_any_float8(void **state)
{
	(void) state;
	for (int64 i = 0; i < unit_draws() / 20; i++)
	{
		double		a = any_double();
		double		b = ldexp(a, -(int) dpriv_random_below_u64(60));
		double		c = sum_of_two(a, b);

		assert_true(multiple(a, 1) == a);
		assert_true(multiple(a, 2) == sum_of_two(a, a));
		assert_true(c >= nextafter(a + b, 0.0));
		assert_true(isinf(c) || c <= nextafter(nextafter(a + b, INFINITY), INFINITY));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_written),
		cmocka_unit_test(test_rounded_up),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_any_float8),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
