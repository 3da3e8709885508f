/*
 * test_gaussian.c
 *	  Discrete Gaussian draws against the closed form, sigma from 1/20 to 2^54 steps.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "closed_form.h"
#include "noise/gaussian.h"
#include "noise/random.h"
#include "noise/strip.h"
#include "unit.h"

#define E12 UINT64CONST(1000000000000)

/* All 128 bits set. */
#define ALL (~(uint128) 0)

/* Cells of the low bits: a byte. */
#define CELLS 256

typedef struct Variance
{
	const char *label;
	uint128		num;
	uint128		den;
} Variance;

static const Variance variances[] = {
	{"gaussian, sigma^2 1/3", 1, 3},
	{"gaussian, sigma^2 1", 1, 1},
	{"gaussian, sigma^2 1, 128 bits", ALL, ALL - 1},
	{"gaussian, sigma^2 10/3", 10, 3},
	{"gaussian, sigma^2 4", 4, 1},
	{"gaussian, sigma^2 1000", 1000, 1},
	{"gaussian, sigma^2 1000, 128 bits", ALL - 7, ALL / 1000},
	{"gaussian, sigma^2 10^6", 1000000, 1},
	{"gaussian, sigma^2 (1e18 + 1) / 0.7e12", (uint128) 1000000 * E12 + 1, 7 * E12 / 10},
	{"gaussian, sigma 8, strips of 1", 64, 1},
	{"gaussian, sigma 24, strips of 3", 576, 1},
	{"gaussian, sigma 1000, 128 bits", ALL / 1000000 * 1000000, ALL / 1000000},
	{"gaussian, sigma 2^35 + 8", (((uint128) 1 << 35) + 8) * (((uint128) 1 << 35) + 8), 1},
	{"gaussian, sigma 2^40 - 7", (((uint128) 1 << 40) - 7) * (((uint128) 1 << 40) - 7), 1},
	{"gaussian, sigma^2 2^80", (uint128) 1 << 80, 1},
	{"gaussian, sigma^2 2^90", (uint128) 1 << 90, 1},
	{"gaussian, sigma near 2^45, 128 bits", ALL, ((uint128) 1 << 38) - 1},
	{"gaussian, largest parameters", ALL, (uint128) 1 << 20},
};

static DprivGaussian
make(uint128 num, uint128 den)
{
	DprivGaussian gaussian;

	assert_true(dpriv_gaussian_init(&gaussian, num, den));
	return gaussian;
}

static int64
draw(const void *sampler)
{
	return dpriv_gaussian_draw(sampler);
}

static void
test_init_limits(void **state)
{
	DprivGaussian gaussian;
	uint128		limit = (uint128) DPRIV_GAUSSIAN_MAX_SIGMA * DPRIV_GAUSSIAN_MAX_SIGMA;

	(void) state;
	assert_false(dpriv_gaussian_init(&gaussian, 0, 1));
	assert_false(dpriv_gaussian_init(&gaussian, 1, 0));
	assert_false(dpriv_gaussian_init(&gaussian, limit, 1));
	assert_false(dpriv_gaussian_init(&gaussian, ALL, 1));
	assert_false(dpriv_gaussian_init(&gaussian, ALL, ((uint128) 1 << 20) - 1));

	assert_true(dpriv_gaussian_init(&gaussian, limit - 1, 1));
	assert_true(dpriv_gaussian_init(&gaussian, ALL, (uint128) 1 << 20));
	assert_true(dpriv_gaussian_init(&gaussian, 1, ALL));
	assert_true(dpriv_gaussian_init(&gaussian, ALL, ALL));

	/* The proposal's scale is floor(sigma) + 1, at perfect squares and on both sides of them. */
	assert_true(make(99, 1).proposal.num == 10);
	assert_true(make(100, 1).proposal.num == 11);
	assert_true(make(101, 1).proposal.num == 11);
	assert_true(make(999, 10).proposal.num == 10);
	assert_true(make(1, 1).proposal.num == 2);
	assert_true(make(1, 2).proposal.num == 1);
	assert_true(make(limit - 1, 1).proposal.num == DPRIV_GAUSSIAN_MAX_SIGMA);

	/* Strips, where sigma is a multiple of their number. */
	assert_true(make(64, 1).width == 1);
	assert_true(make(63, 1).width == 0);
	assert_true(make(65, 1).width == 0);
	assert_true(make(49, 1).width == 0);
	assert_true(make(128, 2).width == 0);
	assert_true(make(576, 1).width == 3);
	assert_true(make((limit / 8 - 1) * 8 + 1, 1).width == 0);
	assert_true(make((uint128) (DPRIV_GAUSSIAN_MAX_SIGMA - 8) * (DPRIV_GAUSSIAN_MAX_SIGMA - 8),
					 1).width == DPRIV_GAUSSIAN_MAX_SIGMA / 8 - 1);

	assert_true(dpriv_gaussian_sigma(&(DprivGaussian) {.num = 9, .den = 4}) == 1.5);
}

static void
test_fits_closed_form(void **state)
{
	(void) state;
	for (int i = 0; i < (int) lengthof(variances); i++)
	{
		DprivGaussian gaussian = make(variances[i].num, variances[i].den);

		assert_true(sample_fits(variances[i].label, draw, &gaussian, &closed_form_gaussian,
								dpriv_gaussian_sigma(&gaussian), unit_draws()));
	}
}

/* P[X != 0] is below 2.1 exp(-200) at sigma 1/20, and less at 2^-64: one such draw is an error. */
static void
test_tiny_sigma(void **state)
{
	DprivGaussian twentieth = make(1, 400);
	DprivGaussian smallest = make(1, ALL);

	(void) state;
	for (int64 i = 0; i < unit_draws() / 4; i++)
		assert_true(dpriv_gaussian_draw(&twentieth) == 0);
	for (int64 i = 0; i < unit_draws() / 4; i++)
		assert_true(dpriv_gaussian_draw(&smallest) == 0);
	printf("gaussian, sigma 1/20 and 2^-64: all 0, false alarm below 1e-80\n");
}

/* At a large sigma the low bits are uniform. */
static void
test_low_bits(void **state)
{
	static const int shifts[] = {0, 8, 16, 24};
	DprivGaussian gaussian = make((uint128) 1 << 90, 1);
	double		probability[CELLS];
	int64		observed[lengthof(shifts)][CELLS] = {{0}};

	(void) state;
	for (int i = 0; i < CELLS; i++)
		probability[i] = 1.0 / CELLS;
	for (int64 i = 0; i < unit_draws(); i++)
	{
		uint64		x = (uint64) dpriv_gaussian_draw(&gaussian);

		for (int s = 0; s < (int) lengthof(shifts); s++)
			observed[s][(x >> shifts[s]) & (CELLS - 1)]++;
	}
	for (int s = 0; s < (int) lengthof(shifts); s++)
	{
		char		label[64];

		snprintf(label, sizeof(label), "gaussian, sigma 2^45, bits %d to %d",
				 shifts[s], shifts[s] + 7);
		assert_true(unit_fits(label, observed[s], probability, CELLS));
	}
}

static double
uniform(void)
{
	return ((double) (dpriv_random_u64() >> 11) + 0.5) / 9007199254740992.0;
}

/* The continuous distribution (Box and Muller), rounded to the nearest integer. */
static int64
continuous_rounded(const void *sampler)
{
	double		radius = dpriv_gaussian_sigma(sampler) * sqrt(-2.0 * log(uniform()));

	return (int64) rint(radius * cos(2.0 * M_PI * uniform()));
}

/* The proposal, never rejected. */
static int64
proposal_only(const void *sampler)
{
	return dpriv_laplace_draw(&((const DprivGaussian *) sampler)->proposal);
}

/* Places in strips, never rejected. */
static int64
places_only(const void *sampler)
{
	uint64		width = ((const DprivGaussian *) sampler)->width;
	int64		x = (int64) (dpriv_strip_draw() * width + dpriv_random_below_u64(width));

	return dpriv_random_u64() & 1 ? -x : x;
}

/* A random sign given to the magnitude of a draw other than minus zero: 0 comes too rarely. */
static int64
rare_zero(const void *sampler)
{
	int64		x = dpriv_gaussian_draw(sampler);

	if (x == 0 && (dpriv_random_u64() & 1))
		x = dpriv_gaussian_draw(sampler);
	return x;
}

/* One draw in 20 mirrors the last: each alone is right. */
static int64
dependent(const void *sampler)
{
	static int64 last = 0;

	if (dpriv_random_below_u64(20) == 0)
		last = -last;
	else
		last = dpriv_gaussian_draw(sampler);
	return last;
}

/* The same function that passes the sampler must fail these. */
static void
test_wrong_samplers_are_found(void **state)
{
	DprivGaussian one = make(1, 1);
	DprivGaussian twenty = make(400, 1);
	DprivGaussian thousand = make(1000000, 1);
	DprivGaussian too_large = make(441, 1);
	DprivGaussian too_small = make(361, 1);
	const ClosedForm *form = &closed_form_gaussian;
	int64		draws = Max(unit_draws(), UNIT_MUTANT_DRAWS);

	(void) state;
	assert_false(sample_fits("wrong: sigma 5 % too large", draw, &too_large, form, 20.0, draws));
	assert_false(sample_fits("wrong: sigma 5 % too small", draw, &too_small, form, 20.0, draws));
	assert_false(sample_fits("wrong: continuous, rounded", continuous_rounded, &one, form, 1.0,
							 draws));
	assert_false(sample_fits("wrong: nothing rejected", proposal_only, &twenty, form, 20.0, draws));
	assert_false(sample_fits("wrong: no place rejected", places_only, &thousand, form, 1000.0,
							 draws));
	assert_false(sample_fits("wrong: zero too rare", rare_zero, &twenty, form, 20.0, draws));
	assert_false(sample_fits("wrong: one in 20 mirrored", dependent, &twenty, form, 20.0, draws));
}

/* P[X = x | |X| <= reach]. */
static double
truncated(int64 x, double sigma, int64 reach)
{
	if (x < -reach || x > reach)
		return 0.0;
	return (gaussian_below(x + 1, sigma) - gaussian_below(x, sigma)) /
		(gaussian_below(reach + 1, sigma) - gaussian_below(-reach, sigma));
}

/* The closed form itself: published values for truncated distributions; where its two ways meet. */
static void
test_closed_form(void **state)
{
	static const struct
	{
		double		sigma;
		int64		sensitivity;
		int64		reach;
		double		delta;		/* at epsilon 1 */
	}			deltas[] = {{1.0, 1, 2, 0.150574425}, {10.0, 3, 5, 0.263672394}};
	static const struct
	{
		double		sigma;
		int64		reach;
		double		deviation;
	}			deviations[] = {{1.0, 1, 0.7403629}, {3.0, 2, 1.3589226}};

	(void) state;
	for (int i = 0; i < 2; i++)
	{
		double		delta = 0.0;
		double		variance = 0.0;

		for (int64 x = -10; x <= 10; x++)
		{
			double		sigma = deltas[i].sigma;
			double		here = truncated(x, sigma, deltas[i].reach);
			double		there = truncated(x - deltas[i].sensitivity, sigma, deltas[i].reach);

			delta += fmax(here - M_E * there, 0.0);
			variance += (double) (x * x) * truncated(x, deviations[i].sigma, deviations[i].reach);
		}
		assert_true(fabs(delta - deltas[i].delta) < 1e-8);
		assert_true(fabs(sqrt(variance) - deviations[i].deviation) < 1e-6);
	}

	for (int64 x = -8000; x <= 8000; x += 100)
		assert_true(fabs(gaussian_below(x, GAUSSIAN_SUM_MAX) -
						 gaussian_below(x, GAUSSIAN_SUM_MAX * (1.0 + 1e-12))) < 1e-7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_form),
		cmocka_unit_test(test_init_limits),
		cmocka_unit_test(test_fits_closed_form),
		cmocka_unit_test(test_tiny_sigma),
		cmocka_unit_test(test_low_bits),
		cmocka_unit_test(test_wrong_samplers_are_found),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
