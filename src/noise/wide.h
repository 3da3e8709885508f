/*
 * wide.h
 *	  Integers of 384 bits: what the exponent of a discrete Gaussian needs, and no more.
 *
 * Results that do not fit are excluded by the callers' bounds and asserted here, never cut off.
 */
#ifndef DPRIV_WIDE_H
#define DPRIV_WIDE_H

#define DPRIV_WIDE_LIMBS 6

typedef struct DprivWide
{
	uint64		limb[DPRIV_WIDE_LIMBS]; /* least significant first */
} DprivWide;

/* A 128-bit integer, widened. */
static inline DprivWide
dpriv_wide_from_u128(uint128 value)
{
	DprivWide	result = {{(uint64) value, (uint64) (value >> 64)}};

	return result;
}

/* Negative, zero or positive, as a is less than, equal to or greater than b. */
static inline int
dpriv_wide_compare(const DprivWide *a, const DprivWide *b)
{
	for (int i = DPRIV_WIDE_LIMBS - 1; i >= 0; i--)
	{
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

/* a - b, for a >= b. */
static inline DprivWide
dpriv_wide_subtract(const DprivWide *a, const DprivWide *b)
{
	DprivWide	result;
	uint64		borrow = 0;

	for (int i = 0; i < DPRIV_WIDE_LIMBS; i++)
	{
		uint128		difference = (uint128) a->limb[i] - b->limb[i] - borrow;

		result.limb[i] = (uint64) difference;
		borrow = (uint64) (difference >> 64) & 1;
	}
	Assert(borrow == 0);
	return result;
}

/* a times factor; the product is below 2^384. */
static inline DprivWide
dpriv_wide_times_u64(const DprivWide *a, uint64 factor)
{
	DprivWide	result;
	uint64		carry = 0;

	for (int i = 0; i < DPRIV_WIDE_LIMBS; i++)
	{
		uint128		product = (uint128) a->limb[i] * factor + carry;

		result.limb[i] = (uint64) product;
		carry = (uint64) (product >> 64);
	}
	Assert(carry == 0);
	return result;
}

/* a times 2^64; a < 2^320. */
static inline DprivWide
dpriv_wide_shift(const DprivWide *a)
{
	DprivWide	result;

	Assert(a->limb[DPRIV_WIDE_LIMBS - 1] == 0);
	result.limb[0] = 0;
	for (int i = 1; i < DPRIV_WIDE_LIMBS; i++)
		result.limb[i] = a->limb[i - 1];
	return result;
}

/* a times a 128-bit factor; the product and a times 2^64 are below 2^384. */
static inline DprivWide
dpriv_wide_times_u128(const DprivWide *a, uint128 factor)
{
	DprivWide	low = dpriv_wide_times_u64(a, (uint64) factor);
	DprivWide	high = dpriv_wide_times_u64(a, (uint64) (factor >> 64));
	uint64		carry = 0;

	high = dpriv_wide_shift(&high);
	for (int i = 0; i < DPRIV_WIDE_LIMBS; i++)
	{
		uint128		sum = (uint128) low.limb[i] + high.limb[i] + carry;

		low.limb[i] = (uint64) sum;
		carry = (uint64) (sum >> 64);
	}
	Assert(carry == 0);
	return low;
}

/* a squared; a < 2^192. */
static inline DprivWide
dpriv_wide_square(const DprivWide *a)
{
	DprivWide	result = {{0}};

	for (int i = 0; i < DPRIV_WIDE_LIMBS / 2; i++)
	{
		uint64		carry = 0;

		for (int j = 0; j < DPRIV_WIDE_LIMBS / 2; j++)
		{
			uint128		product = (uint128) a->limb[i] * a->limb[j] + result.limb[i + j] + carry;

			result.limb[i + j] = (uint64) product;
			carry = (uint64) (product >> 64);
		}
		result.limb[i + DPRIV_WIDE_LIMBS / 2] = carry;
	}
	return result;
}

#endif							/* DPRIV_WIDE_H */
