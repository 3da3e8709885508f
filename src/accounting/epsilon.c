/*
 * epsilon.c
 *	  Epsilon is a decimal: a whole number of units of 1e-12.
 *
 * Between the digits and the units there is integer arithmetic only, so no sum of charges ever
 * drifts.
 */
#include "server.h"

#include "accounting/epsilon.h"
#include "common/shortest_dec.h"

/* A unit is 10^-UNIT_DIGITS. */
#define UNIT_DIGITS 12

bool
dpriv_epsilon_from_double(double value, DprivEpsilon *epsilon)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];
	int64		digits = 0;		/* value = digits 10^exponent; at most 17 digits */
	int			exponent = 0;
	int64		divisor = 1;
	bool		fraction = false;

	/* Not a number compares false, so it is refused here too. */
	if (!(value >= DPRIV_EPSILON_MIN && value <= DPRIV_EPSILON_MAX))
		return false;

	/* Digits with or without a point, with or without an exponent; never a locale's comma. */
	double_to_shortest_decimal_buf(value, text);
	for (const char *c = text; *c != '\0'; c++)
	{
		if (*c == '.')
			fraction = true;
		else if (*c == 'e')
		{
			exponent += atoi(c + 1);
			break;
		}
		else
		{
			Assert(*c >= '0' && *c <= '9');
			digits = digits * 10 + (*c - '0');
			if (fraction)
				exponent--;
		}
	}

	/* The range above bounds the result by 10^15 and the divisor by 10^10. */
	for (exponent += UNIT_DIGITS; exponent > 0; exponent--)
		digits *= 10;
	for (; exponent < 0; exponent++)
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
