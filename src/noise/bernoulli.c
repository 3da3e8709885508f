/*
 * bernoulli.c
 *	  Exact coins: rational probabilities, and exponentials of rationals.
 *
 * The exponentials are algorithm 1 of Canonne, Kamath, Steinke, "The Discrete Gaussian for
 * Differential Privacy" (2020): throw coins of probability x/1, x/2, x/3, ... until one fails; the
 * number N of those that came up has P[N >= k] = x^k / k!, so N is even with probability 1 - x +
 * x^2/2! - x^3/3! + ... = exp(-x).  A coin of probability x/k is one of probability x and one of
 * probability 1/k, and the latter are drawn all at once.
 */
#include "server.h"

#include "noise/bernoulli.h"
#include "noise/random.h"

/*
 * Let u be uniform on [0, 1), of which the first 64 bits are known: u = (bits + v) / 2^64.  Then u
 * < num / den iff v < (num 2^64 - bits den) / den, which is decided unless the right side lies
 * strictly between 0 and 1; in that case (probability at most 2^-64) the same question is asked
 * about v.
 */
bool
dpriv_bernoulli(uint128 num, uint128 den)
{
	Assert(den >= 1 && den <= DPRIV_BERNOULLI_MAX_DEN && num <= den);

	for (;;)
	{
		uint64		bits = dpriv_random_u64();
		uint128		low = (uint128) bits * (uint64) den;
		uint128		high = (uint128) bits * (uint64) (den >> 64) + (uint64) (low >> 64);

		/* bits den = high 2^64 + low, from here on with only the lower half of low */
		if (high >= num)
			return false;
		if (num - high > (den >> 64) + 1)
			return true;
		num = ((num - high) << 64) - (uint64) low;
		if (num >= den)
			return true;

		CHECK_FOR_INTERRUPTS();
	}
}

/* The largest factorial below 2^64, and the largest multiple of it below 2^64. */
#define FACTORIAL_LAST 20
#define FACTORIAL_20 UINT64CONST(2432902008176640000)
#define FACTORIAL_RANGE (7 * FACTORIAL_20)

/* A number uniform below FACTORIAL_RANGE is below entry k with probability exactly 1 / k!. */
static const uint64 factorial_share[FACTORIAL_LAST + 1] = {
	FACTORIAL_RANGE,
	FACTORIAL_RANGE,
	FACTORIAL_RANGE / 2,
	FACTORIAL_RANGE / 6,
	FACTORIAL_RANGE / 24,
	FACTORIAL_RANGE / 120,
	FACTORIAL_RANGE / 720,
	FACTORIAL_RANGE / 5040,
	FACTORIAL_RANGE / 40320,
	FACTORIAL_RANGE / 362880,
	FACTORIAL_RANGE / 3628800,
	FACTORIAL_RANGE / 39916800,
	FACTORIAL_RANGE / 479001600,
	FACTORIAL_RANGE / UINT64CONST(6227020800),
	FACTORIAL_RANGE / UINT64CONST(87178291200),
	FACTORIAL_RANGE / UINT64CONST(1307674368000),
	FACTORIAL_RANGE / UINT64CONST(20922789888000),
	FACTORIAL_RANGE / UINT64CONST(355687428096000),
	FACTORIAL_RANGE / UINT64CONST(6402373705728000),
	FACTORIAL_RANGE / UINT64CONST(121645100408832000),
	FACTORIAL_RANGE / FACTORIAL_20
};

int
dpriv_bernoulli_factorial(void)
{
	uint64		bits = dpriv_random_u64();
	int			count = 1;

	while (unlikely(bits >= FACTORIAL_RANGE))
	{
		CHECK_FOR_INTERRUPTS();
		bits = dpriv_random_u64();
	}

	while (count < FACTORIAL_LAST && bits < factorial_share[count + 1])
		count++;

	/* Past the table, coin by coin. */
	if (unlikely(count == FACTORIAL_LAST))
	{
		while (dpriv_bernoulli(1, count + 1))
		{
			CHECK_FOR_INTERRUPTS();
			count++;
		}
	}
	return count;
}

bool
dpriv_bernoulli_exp_one(void)
{
	return dpriv_bernoulli_factorial() % 2 == 0;
}

bool
dpriv_bernoulli_exp(uint128 num, uint128 den)
{
	int			count;
	int			limit;

	if (!dpriv_bernoulli(num, den))
		return true;

	limit = dpriv_bernoulli_factorial();
	for (count = 1; count < limit; count++)
	{
		if (!dpriv_bernoulli(num, den))
			break;
	}
	return count % 2 == 0;
}

/* As dpriv_bernoulli(), which see. */
bool
dpriv_bernoulli_wide(DprivWide num, const DprivWide *den)
{
	Assert(dpriv_wide_compare(&num, den) <= 0);

	for (;;)
	{
		DprivWide	known = dpriv_wide_times_u64(den, dpriv_random_u64());
		DprivWide	shifted = dpriv_wide_shift(&num);

		if (dpriv_wide_compare(&known, &shifted) >= 0)
			return false;
		num = dpriv_wide_subtract(&shifted, &known);
		if (dpriv_wide_compare(&num, den) >= 0)
			return true;

		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * One coin of probability exp(-1) for each whole den in num, then as dpriv_bernoulli_exp().
 */
bool
dpriv_bernoulli_exp_wide(DprivWide num, const DprivWide *den)
{
	int			count;
	int			limit;

	while (dpriv_wide_compare(&num, den) >= 0)
	{
		CHECK_FOR_INTERRUPTS();
		if (!dpriv_bernoulli_exp_one())
			return false;
		num = dpriv_wide_subtract(&num, den);
	}

	if (!dpriv_bernoulli_wide(num, den))
		return true;

	limit = dpriv_bernoulli_factorial();
	for (count = 1; count < limit; count++)
	{
		if (!dpriv_bernoulli_wide(num, den))
			break;
	}
	return count % 2 == 0;
}
