/*
 * gaussian.c
 *	  Exact discrete Gaussian sampling.
 *
 * P[X = x] is proportional to exp(-x^2 den / (2 num)).  A discrete Laplace draw y of scale t =
 * floor(sigma) + 1 is kept with probability exp(-(|y| - sigma^2 / t)^2 / (2 sigma^2)).  The
 * exponent is the rational
 *
 *	  (|y| t den - num)^2 / (2 t^2 num den),
 *
 * compared exactly in integers of fixed width.
 * Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020), algorithm 3.
 *
 * Widths: t <= sigma + 1, so t^2 den <= 2 (sigma^2 + 1) den = 2 num + 2 den < 2^130.  Hence t den <
 * sqrt(2^130 2^128) = 2^129, |y| t den < 2^192, the numerator is below 2^384 and the denominator
 * below 2^259: six limbs of 64 bits hold both, and the denominator times 2^64.
 */
#include "../server.h"

#include <math.h>

#include "bernoulli.h"
#include "gaussian.h"
#include "random.h"

#define LIMBS DPRIV_GAUSSIAN_LIMBS

typedef DprivGaussianWide Wide;

static Wide
wide_from_u128(uint128 value)
{
	Wide		result = {{(uint64) value, (uint64) (value >> 64)}};

	return result;
}

static int
wide_compare(const Wide *a, const Wide *b)
{
	for (int i = LIMBS - 1; i >= 0; i--)
	{
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

/* a - b, for a >= b. */
static Wide
wide_subtract(const Wide *a, const Wide *b)
{
	Wide		result;
	uint64		borrow = 0;

	for (int i = 0; i < LIMBS; i++)
	{
		uint128		difference = (uint128) a->limb[i] - b->limb[i] - borrow;

		result.limb[i] = (uint64) difference;
		borrow = (uint64) (difference >> 64) & 1;
	}
	Assert(borrow == 0);
	return result;
}

/* a times factor; the widths above leave room for the product. */
static Wide
wide_times_u64(const Wide *a, uint64 factor)
{
	Wide		result;
	uint64		carry = 0;

	for (int i = 0; i < LIMBS; i++)
	{
		uint128		product = (uint128) a->limb[i] * factor + carry;

		result.limb[i] = (uint64) product;
		carry = (uint64) (product >> 64);
	}
	Assert(carry == 0);
	return result;
}

/* a times 2^64; the highest limb of a is 0. */
static Wide
wide_shift(const Wide *a)
{
	Wide		result;

	Assert(a->limb[LIMBS - 1] == 0);
	result.limb[0] = 0;
	for (int i = 1; i < LIMBS; i++)
		result.limb[i] = a->limb[i - 1];
	return result;
}

/* a times a 128-bit factor. */
static Wide
wide_times_u128(const Wide *a, uint128 factor)
{
	Wide		low = wide_times_u64(a, (uint64) factor);
	Wide		high = wide_times_u64(a, (uint64) (factor >> 64));
	uint64		carry = 0;

	high = wide_shift(&high);
	for (int i = 0; i < LIMBS; i++)
	{
		uint128		sum = (uint128) low.limb[i] + high.limb[i] + carry;

		low.limb[i] = (uint64) sum;
		carry = (uint64) (sum >> 64);
	}
	Assert(carry == 0);
	return low;
}

/* a squared; a < 2^192. */
static Wide
wide_square(const Wide *a)
{
	Wide		result = {{0}};

	for (int i = 0; i < LIMBS / 2; i++)
	{
		uint64		carry = 0;

		for (int j = 0; j < LIMBS / 2; j++)
		{
			uint128		product = (uint128) a->limb[i] * a->limb[j] + result.limb[i + j] + carry;

			result.limb[i + j] = (uint64) product;
			carry = (uint64) (product >> 64);
		}
		result.limb[i + LIMBS / 2] = carry;
	}
	return result;
}

/*
 * dpriv_bernoulli() on wide integers: true with probability num / den, exactly; num < den.
 */
static bool
bernoulli_wide(Wide num, const Wide *den)
{
	for (;;)
	{
		Wide		known = wide_times_u64(den, dpriv_random_u64());
		Wide		shifted = wide_shift(&num);

		if (wide_compare(&known, &shifted) >= 0)
			return false;
		num = wide_subtract(&shifted, &known);
		if (wide_compare(&num, den) >= 0)
			return true;

		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * True with probability exp(-num / den), exactly, for any num: one coin of probability exp(-1) for
 * each whole den in num, then dpriv_bernoulli_exp() on wide integers for the rest.
 */
static bool
bernoulli_exp_wide(Wide num, const Wide *den)
{
	int			count;
	int			limit;

	while (wide_compare(&num, den) >= 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (!dpriv_bernoulli_exp_one())
			return false;
		num = wide_subtract(&num, den);
	}

	if (!bernoulli_wide(num, den))
		return true;

	limit = dpriv_bernoulli_factorial();
	for (count = 1; count < limit; count++)
	{
		if (!bernoulli_wide(num, den))
			break;
	}
	return count % 2 == 0;
}

bool
dpriv_gaussian_init(DprivGaussian *gaussian, uint128 num, uint128 den)
{
	uint128		variance;
	uint64		t = 0;

	if (num == 0 || den == 0)
		return false;

	variance = num / den;
	if (variance >= (uint128) DPRIV_GAUSSIAN_MAX_SIGMA * DPRIV_GAUSSIAN_MAX_SIGMA)
		return false;

	/* The root of the variance, rounded down, bit by bit; then t is one more. */
	for (uint64 bit = DPRIV_GAUSSIAN_MAX_SIGMA / 2; bit > 0; bit /= 2)
	{
		if ((uint128) (t + bit) * (t + bit) <= variance)
			t += bit;
	}
	t++;

	gaussian->num = num;
	gaussian->den = den;
	if (!dpriv_laplace_init(&gaussian->proposal, t, 1))
		return false;

	gaussian->step = wide_from_u128(den);
	gaussian->step = wide_times_u64(&gaussian->step, t);
	gaussian->norm = wide_times_u64(&gaussian->step, 2 * t);
	gaussian->norm = wide_times_u128(&gaussian->norm, num);
	return true;
}

int64
dpriv_gaussian_draw(const DprivGaussian *gaussian)
{
	Wide		center = wide_from_u128(gaussian->num);

	for (;;)
	{
		int64		y = dpriv_laplace_draw(&gaussian->proposal);
		Wide		distance = wide_times_u64(&gaussian->step, y < 0 ? -(uint64) y : (uint64) y);

		if (wide_compare(&distance, &center) >= 0)
			distance = wide_subtract(&distance, &center);
		else
			distance = wide_subtract(&center, &distance);

		if (bernoulli_exp_wide(wide_square(&distance), &gaussian->norm))
			return y;

		CHECK_FOR_INTERRUPTS();
	}
}

double
dpriv_gaussian_sigma(const DprivGaussian *gaussian)
{
	return sqrt((double) gaussian->num / (double) gaussian->den);
}
