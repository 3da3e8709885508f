/*
 * delta.c
 *	  Delta is a decimal: a whole number of units of 1e-36.
 *
 * Between the digits and the units there is integer arithmetic only, so no sum of charges drifts.
 */
#include "server.h"

#include "accounting/decimal.h"
#include "accounting/delta.h"

/* A unit is 10^-UNIT_DIGITS: 18 for the smallest delta, 17 more for the digits of a float8. */
#define UNIT_DIGITS 36

bool
dpriv_delta_from_double(double value, int128 *units)
{
	DprivDecimal decimal;
	int128		result;

	if (value == 0)
	{
		*units = 0;
		return true;
	}

	/* Not a number compares false, so it is refused here too. */
	if (!(value >= DPRIV_DELTA_MIN && value <= DPRIV_DELTA_MAX))
		return false;
	decimal = dpriv_decimal_from_double(value);
	Assert(decimal.exponent >= -UNIT_DIGITS);
	result = (int128) decimal.digits;
	for (int i = -UNIT_DIGITS; i < decimal.exponent; i++)
		result *= 10;
	*units = result;
	return true;
}

int128
dpriv_delta_from_budget(double value)
{
	DprivDecimal decimal = dpriv_decimal_from_double(value);
	int128		result = (int128) decimal.digits;

	Assert(value >= 0 && value <= 1);
	for (int i = -UNIT_DIGITS; i < decimal.exponent; i++)
		result *= 10;
	for (int i = decimal.exponent; i < -UNIT_DIGITS && result > 0; i++)
		result /= 10;
	return result;
}

double
dpriv_delta_to_double(int128 units)
{
	char		text[64];
	char	   *end = text + sizeof(text);

	/* Digits and an exponent, with no point that a locale could spell otherwise. */
	Assert(units >= 0);
	end -= 5;
	memcpy(end, "e-36", 5);
	do
	{
		*--end = '0' + (int) (units % 10);
		units /= 10;
	} while (units > 0);
	return strtod(end, NULL);
}

int128
dpriv_delta_add(int128 a, int128 b)
{
	Assert(a >= 0 && b >= 0);
	return a > DPRIV_DELTA_LARGEST - b ? DPRIV_DELTA_LARGEST : a + b;
}
