/*
 * random.c
 *	  Random bits, and uniform integers made of them.
 *
 * Bits come from pg_strong_random only, a buffer at a time.  A bit is handed out once: it is erased
 * from the buffer as it leaves, and a forked child, which inherits the buffer, never uses its
 * parent's.
 */
#include "server.h"

#include "noise/random.h"
#include "port/pg_bitutils.h"

/*
 * Words drawn ahead.  One call of the generator costs as much as some hundred bytes of its output,
 * so fewer would be slow, and many more would make a single draw pay for bits that are then wiped.
 * Who needs them again and again gets twice as many each time.
 */
#define LEAST_WORDS 128
#define MOST_WORDS 2048

static uint64 buffer[MOST_WORDS];
static int	buffer_words = LEAST_WORDS; /* to be drawn next time */
static int	buffer_left = 0;	/* buffer[0 .. buffer_left - 1] is not handed out yet */
static int	buffer_pid = 0;		/* the process that filled it */

static void
fill_buffer(void)
{
	buffer_left = 0;
	if (!pg_strong_random(buffer, sizeof(uint64) * buffer_words))
	{
		dpriv_random_wipe();
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random bits for private noise"),
				 errdetail("No strong random bits were to be had, and no weaker ones are used."),
				 errhint("Check the server's OpenSSL configuration, then try again.")));
	}
	buffer_pid = MyProcPid;
	buffer_left = buffer_words;
	buffer_words = Min(2 * buffer_words, MOST_WORDS);
}

uint64
dpriv_random_u64(void)
{
	uint64		bits;

	if (unlikely(buffer_left == 0 || buffer_pid != MyProcPid))
		fill_buffer();

	bits = buffer[--buffer_left];
	buffer[buffer_left] = 0;
	return bits;
}

void
dpriv_random_wipe(void)
{
	buffer_left = 0;
	explicit_bzero(buffer, sizeof(uint64) * buffer_words);
	buffer_words = LEAST_WORDS;
}

/*
 * Lemire, "Fast Random Integer Generation in an Interval" (2019): the high half of bits * n is
 * uniform once the 2^64 mod n smallest low halves are rejected.
 */
uint64
dpriv_random_below_u64(uint64 n)
{
	uint128		product;

	Assert(n >= 1);

	product = (uint128) dpriv_random_u64() * n;
	if ((uint64) product < n)
	{
		uint64		excess = (0 - n) % n;

		while ((uint64) product < excess)
		{
			CHECK_FOR_INTERRUPTS();
			product = (uint128) dpriv_random_u64() * n;
		}
	}
	return (uint64) (product >> 64);
}

/*
 * Above 64 bits: as many random bits as n - 1 has, drawn again while they exceed it.  The leading
 * 64 bits settle nearly every rejection, and at least half of the trials are accepted.
 */
uint128
dpriv_random_below(uint128 n)
{
	uint128		largest = n - 1;
	uint64		leading;
	int			shift;

	Assert(n >= 1);

	if (n <= PG_UINT64_MAX)
		return dpriv_random_below_u64((uint64) n);
	if (largest == PG_UINT64_MAX)
		return dpriv_random_u64();

	shift = pg_leftmost_one_pos64((uint64) (largest >> 64)) + 1;
	leading = (uint64) (largest >> shift);

	for (;;)
	{
		uint64		high = dpriv_random_u64();

		if (high <= leading)
		{
			uint128		value = ((uint128) high << shift) | (dpriv_random_u64() >> (64 - shift));

			if (value <= largest)
				return value;
		}
		CHECK_FOR_INTERRUPTS();
	}
}
