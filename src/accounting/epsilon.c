/*
 * epsilon.c
 *	  Epsilon is a decimal: a whole number of units of 1e-12.
 *
 * Between the digits and the units there is integer arithmetic only, so no sum of charges ever
 * drifts.
 */
#include "server.h"

#include "accounting/decimal.h"
#include "accounting/epsilon.h"

/* A unit is 10^-UNIT_DIGITS. */
#define UNIT_DIGITS 12

bool
dpriv_epsilon_from_double(double value, DprivEpsilon *epsilon)
{
	DprivDecimal decimal;
	int64		digits;
	int64		divisor = 1;

	/* Not a number compares false, so it is refused here too. */
	if (!(value >= DPRIV_EPSILON_MIN && value <= DPRIV_EPSILON_MAX))
		return false;

	decimal = dpriv_decimal_from_double(value);
	digits = (int64) decimal.digits;

	/* The range above bounds the result by 10^15 and the divisor by 10^10. */
	for (decimal.exponent += UNIT_DIGITS; decimal.exponent > 0; decimal.exponent--)
		digits *= 10;
	for (; decimal.exponent < 0; decimal.exponent++)
		divisor *= 10;

	epsilon->noise = digits / divisor;
	epsilon->charge = epsilon->noise + (digits % divisor != 0 ? 1 : 0);
	return true;
}

double
dpriv_epsilon_to_double(int64 units)
{
	return (double) units / (double) DPRIV_EPSILON_UNIT_PER_ONE;
}

int64
dpriv_epsilon_from_budget(double value)
{
	DprivDecimal decimal = dpriv_decimal_from_double(value);
	uint64		units = decimal.digits;

	Assert(value >= 0 && value <= 1e6);
	for (int i = -UNIT_DIGITS; i < decimal.exponent; i++)
		units *= 10;
	for (int i = decimal.exponent; i < -UNIT_DIGITS && units > 0; i++)
		units /= 10;
	return (int64) units;
}
