/*
 * decimal.c
 *	  Exact sums of decimals.
 *
 * Between the digits read and the digits written there is integer arithmetic only: the one rounding
 * is that of the total, upwards.
 */
#include "server.h"

#include <math.h>

#include "accounting/decimal.h"
#include "common/shortest_dec.h"

#define LIMB_DIGITS 9
#define LIMB_BASE 1000000000
#define MIN_EXPONENT (-324)

DprivDecimal
dpriv_decimal_from_double(double value)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];
	DprivDecimal result = {0, 0};
	bool		fraction = false;

	Assert(value >= 0.0 && !isinf(value));

	/* Digits with or without a point, with or without an exponent; never a locale's comma. */
	double_to_shortest_decimal_buf(value, text);
	for (const char *c = text; *c != '\0'; c++)
	{
		if (*c == '.')
			fraction = true;
		else if (*c == 'e')
		{
			result.exponent += atoi(c + 1);
			break;
		}
		else
		{
			Assert(*c >= '0' && *c <= '9');
			result.digits = result.digits * 10 + (*c - '0');
			if (fraction)
				result.exponent--;
		}
	}
	return result;
}

void
dpriv_decimal_sum_init(DprivDecimalSum *sum)
{
	memset(sum, 0, sizeof(*sum));
}

void
dpriv_decimal_sum_add_decimal(DprivDecimalSum *sum, DprivDecimal decimal, int64 times)
{
	uint128		left;
	uint64		factor = 1;
	uint64		carry = 0;
	int			i = (decimal.exponent - MIN_EXPONENT) / LIMB_DIGITS;

	Assert(decimal.digits <= UINT64CONST(100000000000000000) && times >= 0);
	Assert(decimal.exponent >= MIN_EXPONENT && decimal.exponent <= 308);

	left = (uint128) decimal.digits * (uint64) times;
	for (int n = (decimal.exponent - MIN_EXPONENT) % LIMB_DIGITS; n > 0; n--)
		factor *= 10;

	/* All of carry, chunk times factor and limb stays below 10^18. */
	for (; left > 0 || carry > 0; i++)
	{
		Assert(i < DPRIV_DECIMAL_LIMBS);
		carry += (uint64) (left % LIMB_BASE) * factor + sum->limb[i];
		sum->limb[i] = (uint32) (carry % LIMB_BASE);
		carry /= LIMB_BASE;
		left /= LIMB_BASE;
	}
}

void
dpriv_decimal_sum_add(DprivDecimalSum *sum, double value, int64 times)
{
	Assert(value >= 0.0);
	if (times == 0 || value == 0)	/* a negative zero has a sign to print */
		return;
	if (isinf(value))
		sum->infinite = true;
	else
		dpriv_decimal_sum_add_decimal(sum, dpriv_decimal_from_double(value), times);
}

/* Is a below b?  Both are finite. */
static bool
below(const DprivDecimalSum *a, const DprivDecimalSum *b)
{
	for (int i = DPRIV_DECIMAL_LIMBS - 1; i >= 0; i--)
	{
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i];
	}
	return false;
}

/*
 * strtod rounds to nearest, and a text without a point reads the same in every locale.  If the
 * result's own decimal is below the sum, the next float8 is not: the sum is at most half way to it,
 * where the decimals that read back as it begin.
 */
double
dpriv_decimal_sum_up(const DprivDecimalSum *sum)
{
	char		text[DPRIV_DECIMAL_LIMBS * LIMB_DIGITS + 16];
	char	   *end = text;
	DprivDecimalSum back;
	double		result;

	if (sum->infinite)
		return INFINITY;

	for (int i = DPRIV_DECIMAL_LIMBS - 1; i >= 0; i--)
	{
		uint32		limb = sum->limb[i];

		for (int n = LIMB_DIGITS - 1; n >= 0; n--)
		{
			end[n] = '0' + (char) (limb % 10);
			limb /= 10;
		}
		end += LIMB_DIGITS;
	}
	snprintf(end, 16, "e%d", MIN_EXPONENT);
	result = strtod(text, NULL);
	if (isinf(result))
		return result;

	dpriv_decimal_sum_init(&back);
	dpriv_decimal_sum_add(&back, result, 1);
	return below(&back, sum) ? nextafter(result, INFINITY) : result;
}
