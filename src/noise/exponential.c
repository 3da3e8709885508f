/*
 * exponential.c
 *	  Exact choice of one of many cells, likelier the better its score.
 *
 * This is permute-and-flip (McKenna, Sheldon, "Permute-and-Flip: A New Mechanism for Differentially
 * Private Selection", 2020): go through the cells in random order, flip for each a coin of
 * probability exp(-x), x = d epsilon / s, and stop at the first that comes up.  Its expected
 * score is never below that of the exponential mechanism with the same epsilon and s (ibid.),
 * and it needs nothing but such coins, which are exact.  As the coins are independent of the order,
 * the chosen cell is uniform among those whose coins come up; so the cells need no order, and cells
 * of one score can be treated together.
 *
 * It is private because it is also the largest of score + noise with exponential noise of mean
 * s / epsilon (Ding, Kifer, Saghaian, Steinke, Wang, Xiao, Zhang 2021).  Whatever the noise of the
 * others, cell i wins if its own noise is at least some threshold r, which happens with probability
 * exp(-max(r, 0) epsilon / s).  Only differences of scores count, so let a neighbour add to each
 * score something in 0 .. s; then r moves by s at most, and the probability by a factor of
 * exp(epsilon) at most.
 */
#include "server.h"

#include "noise/bernoulli.h"
#include "noise/exponential.h"
#include "noise/random.h"
#include "port/pg_bitutils.h"

/* How many of count fair coins come up. */
static uint32
half_of(uint32 count)
{
	uint32		heads = 0;

	for (; count >= 64; count -= 64)
		heads += (uint32) pg_popcount64(dpriv_random_u64());
	if (count > 0)
		heads += (uint32) pg_popcount64(dpriv_random_u64() >> (64 - count));
	return heads;
}

/*
 * Of count cells, how many get heads in each of the given number of fair coins.  One cell uses a
 * word for 64 of its coins.
 */
static uint32
thin(uint32 count, uint128 coins)
{
	while (count > 1 && coins > 0)
	{
		CHECK_FOR_INTERRUPTS();
		count = half_of(count);
		coins--;
	}
	while (count == 1 && coins > 0)
	{
		int			now = (int) Min(coins, 64);

		CHECK_FOR_INTERRUPTS();
		if (dpriv_random_u64() >> (64 - now) != 0)
			return 0;
		coins -= now;
	}
	return count;
}

/*
 * True with probability 2 / e, exactly: with N from dpriv_bernoulli_factorial(), exp(-1) is P[N is
 * even], and 1/2 is P[N >= 2].
 */
static bool
two_over_e(void)
{
	int			count;

	while ((count = dpriv_bernoulli_factorial()) < 2)
		CHECK_FOR_INTERRUPTS();
	return count % 2 == 0;
}

/* exp(-whole - rest / den) times 2^whole: the coins that thin() has left. */
static bool
passes(const DprivRun *run, uint128 den)
{
	for (uint128 i = 0; i < run->whole; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!two_over_e())
			return false;
	}
	return dpriv_bernoulli_exp(run->rest, den);
}

/*
 * The exponent, loss num / (den divisor), as whole + rest / (den divisor).  With loss = a divisor +
 * b and a num = c den + d it is c + (d divisor + b num) / (den divisor).  No overflow: a < 2^64, b
 * < divisor, d < den, and num, den and divisor are at most 2^62.
 */
static void
set_exponent(DprivRun *run, uint128 loss, const DprivRate *rate)
{
	uint128		den = (uint128) rate->den * rate->divisor;
	uint128		a = loss / rate->divisor;
	uint64		b = (uint64) (loss - a * rate->divisor);
	uint128		product = a * rate->num;
	uint128		c = product / rate->den;
	uint64		d = (uint64) (product - c * rate->den);
	uint128		rest = (uint128) d * rate->divisor + (uint128) b * rate->num;

	Assert(a < DPRIV_EXPONENTIAL_MAX_LOSS);

	run->whole = c + rest / den;
	run->rest = rest % den;
}

/* The run that the alive cell of this number is in. */
static int
find_run(const DprivRun *run, int nruns, uint32 number)
{
	int			first = 0;

	/* the last one with at most this many alive cells before it */
	while (nruns > 1)
	{
		int			half = nruns / 2;

		if (run[first + half].before <= number)
			first += half;
		nruns -= half;
	}
	return first;
}

/*
 * First the cells that have no chance are sorted out, by the factor 2^-whole of their probability:
 * fair coins, 64 in a word.  Then cells are tried in random order with the coins that are left.
 * The cells of a run are alike, so it is enough to know how many of them have failed: the first
 * ones, say.  One that is met again is passed over, and so every order of the others is as likely.
 */
int
dpriv_exponential_choose(DprivRun *run, int nruns, const DprivRate *rate, uint32 *place)
{
	uint128		den = (uint128) rate->den * rate->divisor;
	uint128		best;
	uint32		alive = 0;

	Assert(nruns >= 1);
	Assert(rate->num >= 1 && rate->num <= DPRIV_RATE_MAX);
	Assert(rate->den >= 1 && rate->den <= DPRIV_RATE_MAX);
	Assert(rate->divisor >= 1 && rate->divisor <= DPRIV_RATE_MAX);

	best = run[0].loss;
	for (int i = 1; i < nruns; i++)
		best = Min(best, run[i].loss);

	for (int i = 0; i < nruns; i++)
	{
		CHECK_FOR_INTERRUPTS();
		Assert(run[i].weight >= 1);
		set_exponent(&run[i], run[i].loss - best, rate);
		run[i].before = alive;
		run[i].failed = 0;
		run[i].alive = thin(run[i].weight, run[i].whole);
		alive += run[i].alive;
	}

	for (;;)
	{
		uint32		number = (uint32) dpriv_random_below_u64(alive);
		int			i = find_run(run, nruns, number);

		CHECK_FOR_INTERRUPTS();
		if (number - run[i].before < run[i].failed)
			continue;
		if (passes(&run[i], den))
		{
			*place = (uint32) dpriv_random_below_u64(run[i].weight);
			return i;
		}
		run[i].failed++;
	}
}
