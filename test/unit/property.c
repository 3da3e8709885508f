/*
 * property.c
 *	  Random arguments for properties of functions, and comparison of what they give.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "noise/random.h"
#include "property.h"

double
uniform(void)
{
	return (double) (dpriv_random_u64() >> 11) / 9007199254740992.0;
}

double
magnitude(double low, double high)
{
	return exp(log(low) + (log(high) - log(low)) * uniform());
}

void
check_close(double value, double expected, double tolerance, const char *file, int line)
{
	/* Infinity is within every tolerance of Infinity. */
	if (value == expected ||
		(isfinite(expected) && fabs(value - expected) <= tolerance * fabs(expected)))
		return;
	print_error("%.17g is not within %g of %.17g\n", value, tolerance, expected);
	_fail(file, line);
}
