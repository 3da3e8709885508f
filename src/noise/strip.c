/*
 * strip.c
 *	  Exact choice of a strip under a Gaussian curve.
 *
 * Strip k has the weight h(k) = exp(-k^2 / 128).  It is given room for a whole number of units of
 * 2^-60, h(k) rounded up, and a uniform number chooses among all of them: in all units of a strip
 * but its last one it is below h(k), and in the last one (probability 2^-60) the two are compared
 * bit by bit, by as many random bits as it takes.  Strips from TABLE on share one more unit, the
 * first of them half of it, the second a quarter and so on: h(TABLE) is below half a unit, and each
 * further one below half of the one before.  A number that is not below h(k) is drawn again, so
 * that what is kept is uniform below the curve.
 *
 * The digits of h(k) are computed in integers, with an error below 2^32 in the last place.
 */
#include "server.h"

#include "noise/random.h"
#include "noise/strip.h"

/* exp(-TABLE^2 / 128) < 2^-61, and exp(-(2 TABLE + 1) / 128) < 1/2. */
#define TABLE 76

#define UNIT_BITS 60

#define NDIGITS DPRIV_STRIP_DIGITS

/* Units of strips up to k; at the end one more. */
static uint64 up_to[TABLE];
static uint64 all_units = 0;

/* x / divisor, rounded down. */
static void
divide(uint64 *x, uint64 divisor)
{
	uint128		rest = 0;

	for (int i = 0; i < NDIGITS; i++)
	{
		rest = rest << 64 | x[i];
		x[i] = (uint64) (rest / divisor);
		rest %= divisor;
	}
}

/* x + y or x - y, but for what is beyond the first digit. */
static void
add(uint64 *x, const uint64 *y, bool subtract)
{
	uint64		carry = subtract;

	for (int i = NDIGITS - 1; i >= 0; i--)
	{
		uint128		sum = (uint128) x[i] + (subtract ? ~y[i] : y[i]) + carry;

		x[i] = (uint64) sum;
		carry = (uint64) (sum >> 64);
	}
}

/* x y, rounded down. */
static void
multiply(uint64 *x, const uint64 *y)
{
	uint64		product[2 * NDIGITS] = {0};

	for (int i = NDIGITS - 1; i >= 0; i--)
	{
		uint64		carry = 0;

		for (int j = NDIGITS - 1; j >= 0; j--)
		{
			uint128		sum = (uint128) x[i] * y[j] + product[i + j + 1] + carry;

			product[i + j + 1] = (uint64) sum;
			carry = (uint64) (sum >> 64);
		}
		product[i] = carry;
	}
	memcpy(x, product, sizeof(uint64) * NDIGITS);
}

/* exp(-1/128): its series, below 1 by less than 2 in the last place for each term. */
static void
first_height(uint64 *digits)
{
	uint64		term[NDIGITS] = {UINT64CONST(1) << 57};
	bool		negative = true;

	memset(digits, 0, sizeof(uint64) * NDIGITS);
	for (uint64 n = 2;; n++)
	{
		bool		is_zero = true;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < NDIGITS; i++)
			is_zero &= term[i] == 0;
		if (is_zero)
			return;
		add(digits, term, negative);
		negative = !negative;
		divide(term, 128 * n);
	}
}

/* h(k) from k = 1 on, by h(k + 1) = h(k) ratio, where the ratio is exp(-(2k + 1) / 128). */
typedef struct Heights
{
	uint64		height[NDIGITS];
	uint64		ratio[NDIGITS];
	uint64		square[NDIGITS];	/* exp(-2 / 128) */
} Heights;

static void
start(Heights *heights)
{
	first_height(heights->height);
	memcpy(heights->square, heights->height, sizeof(heights->square));
	multiply(heights->square, heights->height);
	memcpy(heights->ratio, heights->square, sizeof(heights->ratio));
	multiply(heights->ratio, heights->height);
}

static void
advance(Heights *heights)
{
	CHECK_FOR_INTERRUPTS();
	multiply(heights->height, heights->ratio);
	multiply(heights->ratio, heights->square);
}

/*
 * Of the first height, less than 2^9 in the last place are uncertain, hence of the k-th ratio less
 * than (2k + 1) (2^9 + 2), and of the k-th height less than k^2 (2^9 + 2) + k.
 */
void
dpriv_strip_height(int k, uint64 digits[DPRIV_STRIP_DIGITS])
{
	Heights		heights;
	uint64		last;

	Assert(k >= 1 && k <= DPRIV_STRIP_LAST);

	start(&heights);
	for (int i = 1; i < k; i++)
		advance(&heights);
	memcpy(digits, heights.height, sizeof(heights.height));
	last = digits[NDIGITS - 1];
	if (last < UINT64CONST(1) << 32 || last > ~(UINT64CONST(1) << 32))
		elog(ERROR, "the height of a strip is uncertain");
}

void
dpriv_strip_prepare(void)
{
	Heights		heights;
	uint64		units = UINT64CONST(1) << UNIT_BITS;

	if (all_units > 0)
		return;
	up_to[0] = units;
	start(&heights);
	for (int k = 1; k < TABLE; k++)
	{
		units += (heights.height[0] >> (64 - UNIT_BITS)) + 1;
		up_to[k] = units;
		advance(&heights);
	}
	all_units = units + 1;
}

/* Is a uniform number below h(k) 2^shift, of which the digits before the point are left out? */
static bool
is_below(int k, int shift)
{
	uint64		digits[NDIGITS];

	dpriv_strip_height(k, digits);
	for (int i = shift / 64; i < NDIGITS - 2; i++)
	{
		int			bits = shift % 64;
		uint64		digit = bits ? digits[i] << bits | digits[i + 1] >> (64 - bits) : digits[i];
		uint64		random = dpriv_random_u64();

		if (random != digit)
			return random < digit;
	}
	elog(ERROR, "random bits agree with the height of a strip");
	return false;				/* not reached */
}

/* One of the strips that share a unit, or -1 to draw again. */
static int
draw_far(void)
{
	int			k = TABLE;
	int			shift = UNIT_BITS + 1;

	while (dpriv_random_u64() & 1)
	{
		CHECK_FOR_INTERRUPTS();
		shift++;
		if (++k > DPRIV_STRIP_LAST)
			elog(ERROR, "a strip is out of range");
	}
	return is_below(k, shift) ? k : -1;
}

int
dpriv_strip_draw(void)
{
	Assert(all_units > 0);

	for (;;)
	{
		uint64		place = dpriv_random_below_u64(all_units);
		int			k = 0;

		if (unlikely(place == all_units - 1))
		{
			k = draw_far();
			if (k >= 0)
				return k;
			continue;
		}
		while (place >= up_to[k])
			k++;
		if (likely(place != up_to[k] - 1) || k == 0 || is_below(k, UNIT_BITS))
			return k;

		CHECK_FOR_INTERRUPTS();
	}
}
