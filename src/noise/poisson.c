/*
 * poisson.c
 *	  Exact Poisson samples: which of some rows take part.
 *
 * Each of n = DPRIV_POISSON_ROWS rows takes part with probability p = rate / 2^32, independently.
 * That is the same as to draw how many do, which is binomial, and then a set of so many, all sets
 * alike: a few random bits for each row that takes part, and none for the others.
 *
 * P[count <= k] is a whole number of 2^(-32 n), and a uniform number U is compared with it: by the
 * first 64 bits of both, out of a table, and in the rare case that these are equal by as many more
 * as it takes.  Nothing is rounded.
 */
#include "server.h"

#include "noise/random.h"
#include "noise/poisson.h"
#include "port/pg_bitutils.h"

/* Above one row in 64, which is the most that the table is for, coins are as quick. */
#define TABLE_MAX_RATE (UINT64CONST(1) << (DPRIV_POISSON_BITS - 6))

#define POSITION_BITS 12
StaticAssertDecl(1 << POSITION_BITS == DPRIV_POISSON_ROWS, "positions have other bits");

/* A fraction in units of 2^(-32 n), least significant digits first, and room for products. */
#define DIGITS DPRIV_POISSON_ROWS

typedef struct Fraction
{
	uint32		digit[DIGITS + 2];
} Fraction;

/* P[count = k] and P[count <= k]. */
typedef struct Distribution
{
	uint32		rate;
	int			k;
	Fraction	term;
	Fraction	sum;
} Distribution;

/* Large, and needed by one draw at a time. */
static Distribution exact;

static void
multiply(Fraction *x, uint32 factor, int ndigits)
{
	uint64		carry = 0;

	for (int i = 0; i < ndigits; i++)
	{
		carry += (uint64) x->digit[i] * factor;
		x->digit[i] = (uint32) carry;
		carry >>= 32;
	}
	Assert(carry == 0);
}

/* Without a remainder. */
static void
divide(Fraction *x, uint32 divisor)
{
	uint64		rest = 0;

	for (int i = DIGITS + 1; i >= 0; i--)
	{
		rest = rest << 32 | x->digit[i];
		x->digit[i] = (uint32) (rest / divisor);
		rest %= divisor;
	}
	Assert(rest == 0);
}

static void
add(Fraction *x, const Fraction *y)
{
	uint64		carry = 0;

	for (int i = 0; i < DIGITS + 2; i++)
	{
		carry += (uint64) x->digit[i] + y->digit[i];
		x->digit[i] = (uint32) carry;
		carry >>= 32;
	}
}

/* k = 0: the term is (1 - p)^n. */
static void
start(Distribution *distribution, uint64 rate)
{
	uint32		others = (uint32) ((UINT64CONST(1) << DPRIV_POISSON_BITS) - rate);

	memset(distribution, 0, sizeof(Distribution));
	distribution->rate = (uint32) rate;
	distribution->term.digit[0] = 1;
	for (int i = 0; i < DPRIV_POISSON_ROWS; i++)
	{
		CHECK_FOR_INTERRUPTS();
		multiply(&distribution->term, others, i + 1);
	}
	distribution->sum = distribution->term;
}

/* From k to k + 1: the term is multiplied by (n - k) / (k + 1) and by p / (1 - p). */
static void
advance(Distribution *distribution)
{
	Fraction   *term = &distribution->term;

	CHECK_FOR_INTERRUPTS();
	multiply(term, DPRIV_POISSON_ROWS - distribution->k, DIGITS + 2);
	divide(term, distribution->k + 1);
	multiply(term, distribution->rate, DIGITS + 2);
	divide(term, -distribution->rate);
	add(&distribution->sum, term);
	distribution->k++;
}

/* 64 bits of it, the first ones for place 0. */
static uint64
bits_of(const Fraction *x, int place)
{
	const uint32 *low = &x->digit[DIGITS - 2 * place - 2];

	return (uint64) low[1] << 32 | low[0];
}

/* Is it 1? */
static bool
is_one(const Fraction *x)
{
	return x->digit[DIGITS] != 0;
}

/*
 * The count, by all bits that it takes: the least k with U < P[count <= k], where U begins with
 * these 64 bits.
 */
static int
exact_count(const DprivPoisson *sample, uint64 first)
{
	static uint64 bits[DIGITS / 2];
	int			nbits = 1;

	bits[0] = first;
	start(&exact, sample->rate);
	for (;; advance(&exact))
	{
		if (is_one(&exact.sum))
			break;
		for (int place = 0; place < DIGITS / 2; place++)
		{
			uint64		other = bits_of(&exact.sum, place);

			if (place == nbits)
				bits[nbits++] = dpriv_random_u64();
			if (bits[place] < other)
				return exact.k;
			if (bits[place] > other)
				break;
		}
	}
	return exact.k;
}

static int
draw_count(const DprivPoisson *sample)
{
	uint64		bits = dpriv_random_u64();
	int			low = 0;
	int			high = sample->ncounts;

	/* The first entry that is not below them. */
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (sample->up_to[middle] < bits)
			low = middle + 1;
		else
			high = middle;
	}
	if (unlikely(low == sample->ncounts || sample->up_to[low] == bits))
		return exact_count(sample, bits);
	return low;
}

void
dpriv_poisson_init(DprivPoisson *sample, uint64 rate)
{
	Assert(rate >= 1 && rate <= UINT64CONST(1) << DPRIV_POISSON_BITS);

	sample->rate = rate;
	sample->ncounts = 0;
	if (rate > TABLE_MAX_RATE)
		return;
	for (start(&exact, rate);; advance(&exact))
	{
		uint64		up_to = bits_of(&exact.sum, 0);

		sample->up_to[sample->ncounts++] = up_to;
		if (up_to == PG_UINT64_MAX || sample->ncounts == DPRIV_POISSON_COUNTS)
			break;
	}
}

/*
 * 64 independent coins, each a one with probability rate / 2^32 exactly: a number of 32 random bits
 * is compared with the rate, for all 64 at once, from the first bit on and as long as any of them
 * needs it.
 */
static uint64
flip_coins(uint64 rate)
{
	uint64		undecided = ~UINT64CONST(0);
	uint64		ones = 0;

	if (rate >> DPRIV_POISSON_BITS)
		return undecided;
	for (int bit = DPRIV_POISSON_BITS - 1; bit >= 0 && undecided; bit--)
	{
		uint64		random = dpriv_random_u64();

		if (rate >> bit & 1)
		{
			ones |= undecided & ~random;
			undecided &= random;
		}
		else
			undecided &= ~random;
	}
	return ones;
}

/* Positions are drawn until there are so many different ones. */
static void
draw_positions(int count, uint64 *rows)
{
	uint64		bits = 0;
	int			nbits = 0;

	while (count > 0)
	{
		uint64		one;
		int			word;

		CHECK_FOR_INTERRUPTS();
		if (nbits < POSITION_BITS)
		{
			bits = dpriv_random_u64();
			nbits = 64;
		}
		one = UINT64CONST(1) << (bits & 63);
		word = bits >> 6 & (DPRIV_POISSON_WORDS - 1);
		bits >>= POSITION_BITS;
		nbits -= POSITION_BITS;
		count -= (rows[word] & one) == 0;
		rows[word] |= one;
	}
}

void
dpriv_poisson_draw(const DprivPoisson *sample, uint64 rows[DPRIV_POISSON_WORDS])
{
	if (sample->ncounts > 0)
	{
		memset(rows, 0, sizeof(uint64) * DPRIV_POISSON_WORDS);
		draw_positions(draw_count(sample), rows);
		return;
	}
	for (int i = 0; i < DPRIV_POISSON_WORDS; i++)
		rows[i] = flip_coins(sample->rate);
}
