/*
 * gaussian.c
 *	  Exact discrete Gaussian sampling.
 *
 * P[X = x] is proportional to exp(-x^2 den / (2 num)).
 *
 * If sigma is a multiple of DPRIV_STRIPS, and w = sigma / DPRIV_STRIPS, the magnitude is k w + j: a
 * strip k and a place j < w in it.  With k drawn in proportion to exp(-(k w)^2 / (2 sigma^2)), all
 * places alike, it is kept with probability
 *
 *	  exp(-j (2 k w + j) / (2 sigma^2)),
 *
 * which leaves exp(-(k w + j)^2 / (2 sigma^2)).  This is Karney, "Sampling Exactly from the Normal
 * Distribution" (2016), algorithm D, with narrower strips.  128 bits hold the exponent: sigma <
 * 2^54, j < 2^51 and k <= DPRIV_STRIP_LAST < 2^9.
 *
 * In general a discrete Laplace draw y of scale t = floor(sigma) + 1 is kept with probability
 * exp(-(|y| - sigma^2 / t)^2 / (2 sigma^2)).  The exponent is the rational
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
#include "server.h"

#include <math.h>

#include "noise/bernoulli.h"
#include "noise/gaussian.h"
#include "noise/random.h"
#include "noise/strip.h"

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

	gaussian->num = num;
	gaussian->den = den;
	gaussian->width = 0;
	if (den == 1 && (uint128) t * t == num && t % DPRIV_STRIPS == 0)
	{
		gaussian->width = t / DPRIV_STRIPS;
		dpriv_strip_prepare();
	}
	t++;
	if (!dpriv_laplace_init(&gaussian->proposal, t, 1))
		return false;

	gaussian->step = dpriv_wide_from_u128(den);
	gaussian->step = dpriv_wide_times_u64(&gaussian->step, t);
	gaussian->norm = dpriv_wide_times_u64(&gaussian->step, 2 * t);
	gaussian->norm = dpriv_wide_times_u128(&gaussian->norm, num);
	return true;
}

/* One coin of probability exp(-1) for each whole den in num, then one for the rest. */
static bool
keep(uint128 num, uint128 den)
{
	for (; unlikely(num >= den); num -= den)
	{
		CHECK_FOR_INTERRUPTS();
		if (!dpriv_bernoulli_exp_one())
			return false;
	}
	return dpriv_bernoulli_exp(num, den);
}

/* The sign is the last bit of the place: minus zero is drawn again, which would count 0 twice. */
static int64
draw_from_strips(const DprivGaussian *gaussian)
{
	uint64		width = gaussian->width;
	uint64		sigma = width * DPRIV_STRIPS;

	for (;;)
	{
		uint64		before = dpriv_strip_draw() * width;
		uint64		random = dpriv_random_below_u64(2 * width);
		uint64		place = random >> 1;
		bool		negative = random & 1;

		if (keep((uint128) place * (2 * before + place), (uint128) sigma * (2 * sigma)) &&
			!(negative && before + place == 0))
			return ((int64) (before + place) ^ -(int64) negative) + negative;

		CHECK_FOR_INTERRUPTS();
	}
}

static int64
draw_from_laplace(const DprivGaussian *gaussian)
{
	DprivWide	center = dpriv_wide_from_u128(gaussian->num);

	for (;;)
	{
		int64		y = dpriv_laplace_draw(&gaussian->proposal);
		uint64		magnitude = y < 0 ? -(uint64) y : (uint64) y;
		DprivWide	distance = dpriv_wide_times_u64(&gaussian->step, magnitude);

		if (dpriv_wide_compare(&distance, &center) >= 0)
			distance = dpriv_wide_subtract(&distance, &center);
		else
			distance = dpriv_wide_subtract(&center, &distance);

		if (dpriv_bernoulli_exp_wide(dpriv_wide_square(&distance), &gaussian->norm))
			return y;

		CHECK_FOR_INTERRUPTS();
	}
}

int64
dpriv_gaussian_draw(const DprivGaussian *gaussian)
{
	return gaussian->width > 0 ? draw_from_strips(gaussian) : draw_from_laplace(gaussian);
}

double
dpriv_gaussian_sigma(const DprivGaussian *gaussian)
{
	return sqrt((double) gaussian->num / (double) gaussian->den);
}
