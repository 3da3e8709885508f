/*
 * test_laplace.c
 *	  Discrete Laplace draws against the closed form, scales from 1/20 to 2^55 steps; reports.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "closed_form.h"
#include "noise/laplace.h"
#include "noise/random.h"
#include "unit.h"

#define E12 UINT64CONST(1000000000000)

/* Cells of the low bits: a byte. */
#define CELLS 256

typedef struct Scale
{
	const char *label;
	uint128		num;
	uint128		den;
} Scale;

static const Scale scales[] = {
	{"laplace 3/10", 3, 10},
	{"laplace 1", 1, 1},
	{"laplace 20", 20, 1},
	{"laplace 20, 128 bits", (uint128) 20 * E12 * 1000000, E12 * 1000000},
	{"laplace 1000", 1000, 1},
	{"laplace 1000/3", 1000, 3},
	{"laplace 89 e12 / 0.7e12", (uint128) 89 * E12, 7 * E12 / 10},
	{"laplace 123456789 e12 / 333333333333", (uint128) 123456789 * E12, UINT64CONST(333333333333)},
	{"laplace 2^40", (uint128) 1 << 40, 1},
	{"laplace 2^45", (uint128) 1 << 45, 1},
	{"laplace (2^63 - 1) e12 / (1e15 - 1)", (uint128) PG_INT64_MAX * E12, 1000 * E12 - 1},
	{"laplace, largest parameters", ((uint128) 1 << 118) - 1, (uint128) 1 << 63},
};

static DprivLaplace
make(uint128 num, uint128 den)
{
	DprivLaplace laplace;

	assert_true(dpriv_laplace_init(&laplace, num, den));
	return laplace;
}

static void
test_init_limits(void **state)
{
	DprivLaplace laplace;
	uint128		all = ~(uint128) 0;

	(void) state;
	assert_false(dpriv_laplace_init(&laplace, 0, 1));
	assert_false(dpriv_laplace_init(&laplace, 1, 0));
	assert_false(dpriv_laplace_init(&laplace, 0, 0));
	assert_false(dpriv_laplace_init(&laplace, all, 1));
	assert_false(dpriv_laplace_init(&laplace, 1, all));
	assert_false(dpriv_laplace_init(&laplace, DPRIV_LAPLACE_MAX_SCALE, 1));
	assert_false(dpriv_laplace_init(&laplace, (uint128) 1 << 118, DPRIV_LAPLACE_MAX_DEN));
	assert_false(dpriv_laplace_init(&laplace, 2, (uint128) DPRIV_LAPLACE_MAX_DEN + 1));

	assert_true(dpriv_laplace_init(&laplace, DPRIV_LAPLACE_MAX_SCALE - 1, 1));
	assert_true(dpriv_laplace_init(&laplace, 1, DPRIV_LAPLACE_MAX_DEN));
	assert_true(dpriv_laplace_init(&laplace, ((uint128) 1 << 118) - 1, DPRIV_LAPLACE_MAX_DEN));

	/* The largest sensitivity with the largest epsilon; with a smaller one the step is too fine. */
	assert_true(dpriv_laplace_init(&laplace, (uint128) PG_INT64_MAX * E12, 1000 * E12));
	assert_false(dpriv_laplace_init(&laplace, (uint128) PG_INT64_MAX * E12, 1000000));

	/* Lowest terms. */
	assert_true(dpriv_laplace_init(&laplace, all, all));
	assert_true(laplace.num == 1 && laplace.den == 1);
	assert_true(dpriv_laplace_init(&laplace, (uint128) 1000 * E12, E12 / 2));
	assert_true(laplace.num == 2000 && laplace.den == 1);
	assert_true(dpriv_laplace_init(&laplace, 10, 4));
	assert_true(laplace.num == 5 && laplace.den == 2);
	assert_true(laplace.quotient == 2 && laplace.remainder == 1);
}

static int64
draw(const void *sampler)
{
	return dpriv_laplace_draw(sampler);
}

static void
test_fits_closed_form(void **state)
{
	(void) state;
	for (int i = 0; i < (int) lengthof(scales); i++)
	{
		DprivLaplace laplace = make(scales[i].num, scales[i].den);

		assert_true(sample_fits(scales[i].label, draw, &laplace, &closed_form_laplace,
								(double) scales[i].num / (double) scales[i].den, unit_draws()));
	}
}

/*
 * At scale 1/20 almost every draw is 0: P[X != 0] = 1 - tanh(10) = 4.1e-9.  More than 3 others
 * among 10^6 draws have probability 1.2e-11 (fewer draws: less); at scale 1/10 there would be 91.
 */
static void
test_tiny_scale(void **state)
{
	DprivLaplace laplace = make(1, 20);
	int64		others = 0;

	(void) state;
	for (int64 i = 0; i < Min(unit_draws(), 1000000); i++)
		others += dpriv_laplace_draw(&laplace) != 0;
	printf("laplace 1/20: %lld draws are not 0, limit 3, false alarm below 2e-11\n",
		   (long long) others);
	assert_true(others <= 3);

	/* The smallest scale there is: 2^-63. */
	laplace = make(1, DPRIV_LAPLACE_MAX_DEN);
	for (int64 i = 0; i < 1000; i++)
		assert_true(dpriv_laplace_draw(&laplace) == 0);
}

/* At a large scale the low bits are uniform; their bias, below 2^64 / scale^2, is 1e-8 at most. */
static void
test_low_bits(void **state)
{
	static const int shifts[] = {0, 8, 16, 24};
	DprivLaplace laplaces[2];
	double		probability[CELLS];

	(void) state;
	laplaces[0] = make((uint128) 1 << 45, 1);
	laplaces[1] = make((uint128) 1 << 110, (UINT64CONST(1) << 62) - 57);
	for (int i = 0; i < CELLS; i++)
		probability[i] = 1.0 / CELLS;
	for (int l = 0; l < 2; l++)
	{
		int64		observed[lengthof(shifts)][CELLS] = {{0}};

		for (int64 i = 0; i < unit_draws(); i++)
		{
			uint64		x = (uint64) dpriv_laplace_draw(&laplaces[l]);

			for (int s = 0; s < (int) lengthof(shifts); s++)
				observed[s][(x >> shifts[s]) & (CELLS - 1)]++;
		}
		for (int s = 0; s < (int) lengthof(shifts); s++)
		{
			char		label[64];

			snprintf(label, sizeof(label), "laplace, scale %.4g, bits %d to %d",
					 dpriv_laplace_scale(&laplaces[l]), shifts[s], shifts[s] + 7);
			assert_true(unit_fits(label, observed[s], probability, CELLS));
		}
	}
}

/* Residues at scale 1000/3: what a wrong division by the denominator would show. */
static void
test_residues(void **state)
{
	enum
	{
		MODULUS = 12
	};
	DprivLaplace laplace = make(1000, 3);
	double		t = exp(-3.0 / 1000.0);
	double		probability[MODULUS];
	int64		observed[MODULUS] = {0};

	(void) state;
	/* P[X = r mod m] = (1-t)/(1+t) (t^r + t^(m-r)) / (1 - t^m), also for r = 0. */
	for (int r = 0; r < MODULUS; r++)
	{
		probability[r] = (1.0 - t) / (1.0 + t) * (pow(t, r) + pow(t, MODULUS - r));
		probability[r] /= 1.0 - pow(t, MODULUS);
	}
	for (int64 i = 0; i < unit_draws(); i++)
		observed[(dpriv_laplace_draw(&laplace) % MODULUS + MODULUS) % MODULUS]++;
	assert_true(unit_fits("laplace 1000/3, residues", observed, probability, MODULUS));
}

static double
uniform(void)
{
	return ((double) (dpriv_random_u64() >> 11) + 0.5) / 9007199254740992.0;
}

/* A random sign without the rejection of minus zero: 0 comes twice as often. */
static int64
double_zero(const void *sampler)
{
	int64		magnitude = (int64) floor(-dpriv_laplace_scale(sampler) * log(uniform()));

	return dpriv_random_u64() & 1 ? -magnitude : magnitude;
}

/* The continuous distribution, rounded to the nearest integer. */
static int64
continuous_rounded(const void *sampler)
{
	double		magnitude = -dpriv_laplace_scale(sampler) * log(uniform());

	return (int64) rint(dpriv_random_u64() & 1 ? -magnitude : magnitude);
}

/* 5 % of the positive draws turned. */
static int64
lopsided(const void *sampler)
{
	int64		x = dpriv_laplace_draw(sampler);

	return x > 0 && dpriv_random_below_u64(20) == 0 ? -x : x;
}

/* One draw in 20 mirrors the last: each alone is right. */
static int64
dependent(const void *sampler)
{
	static int64 last = 0;

	if (dpriv_random_below_u64(20) == 0)
		last = -last;
	else
		last = dpriv_laplace_draw(sampler);
	return last;
}

/* The same function that passes the sampler must fail these. */
static void
test_wrong_samplers_are_found(void **state)
{
	DprivLaplace one = make(1, 1);
	DprivLaplace twenty = make(20, 1);
	DprivLaplace too_large = make(21, 1);
	DprivLaplace too_small = make(19, 1);
	const ClosedForm *form = &closed_form_laplace;
	int64		draws = Max(unit_draws(), UNIT_MUTANT_DRAWS);

	(void) state;
	assert_false(sample_fits("wrong: scale 5 % too large", draw, &too_large, form, 20.0, draws));
	assert_false(sample_fits("wrong: scale 5 % too small", draw, &too_small, form, 20.0, draws));
	assert_false(sample_fits("wrong: minus zero kept", double_zero, &twenty, form, 20.0, draws));
	assert_false(sample_fits("wrong: minus zero kept", double_zero, &one, form, 1.0, draws));
	assert_false(sample_fits("wrong: continuous, rounded", continuous_rounded, &one, form, 1.0,
							 draws));
	assert_false(sample_fits("wrong: 5 % turned", lopsided, &twenty, form, 20.0, draws));
	assert_false(sample_fits("wrong: one in 20 mirrored", dependent, &twenty, form, 20.0, draws));
}

/* P[|X| > k], in extended precision. */
static long double
outside(long double scale, int64 k)
{
	return 2.0L * expl(-((long double) k + 1.0L) / scale) / (1.0L + expl(-1.0L / scale));
}

static void
test_half_width(void **state)
{
	static const double confidences[] = {
		1e-12, 0.01, 0.24, 0.5, 0.76, 0.9, 0.95, 0.99, 0.999999, 1.0 - DBL_EPSILON
	};

	(void) state;
	for (int i = 0; i < (int) lengthof(scales); i++)
	{
		DprivLaplace laplace = make(scales[i].num, scales[i].den);
		long double scale = (long double) scales[i].num / (long double) scales[i].den;

		for (int c = 0; c < (int) lengthof(confidences); c++)
		{
			long double tail = 1.0L - (long double) confidences[c];
			int64		k = dpriv_laplace_half_width(&laplace, confidences[c]);

			/* The relative error of the comparison itself is some 1e-18. */
			assert_true(k >= 0);
			assert_true(outside(scale, k) <= tail * (1.0L + 1e-16L));
			/* k - 1 is not enough; at large scales, k less the allowed 1e-14. */
			if (k > 0)
			{
				int64		less = k - 1 - (int64) (k * 1e-14 + (double) scale * 1e-14);

				assert_true(less < 0 || outside(scale, less) > tail);
			}
		}
	}

	/* Randomised response: scale 1, P[X != 0] = 1 - tanh(1/2) = 0.5379. */
	assert_int_equal(dpriv_laplace_half_width(&(DprivLaplace) {1, 1, 1, 0}, 0.46), 0);
	assert_int_equal(dpriv_laplace_half_width(&(DprivLaplace) {1, 1, 1, 0}, 0.47), 1);

	/* Scale 2 (epsilon 0.5): 2 t^6 / (1 + t) = 0.062, 2 t^7 / (1 + t) = 0.038. */
	assert_int_equal(dpriv_laplace_half_width(&(DprivLaplace) {2, 1, 2, 0}, 0.95), 6);
}

/* The tail of a mix by summing the discrete distribution: for small scales only. */
static double
mix_outside(double scale, double p, double h)
{
	double		t = exp(-1.0 / scale);
	double		sum = 0.0;
	int64		reach = (int64) (45.0 * scale) + 1;

	for (int64 z = -reach; z <= reach; z++)
	{
		double		here = (1.0 - t) / (1.0 + t) * pow(t, fabs((double) z));
		double		center = p * (double) z;

		/* (1 - p) Z1 > center + h, or < center - h; p < 1 */
		sum += here * (1.0 - laplace_below((int64) floor((center + h) / (1.0 - p)) + 1, scale));
		sum += here * laplace_below((int64) ceil((center - h) / (1.0 - p)), scale);
	}
	return sum;
}

static void
test_mix_half_width(void **state)
{
	static const double ps[] = {
		0.0, 1e-300, 1e-9, 0.1, 0.25, 0.4999999999, 0.5, 0.50001, 0.7, 0.99
	};
	static const double confidences[] = {0.01, 0.5, 0.95, 0.99, 1.0 - 1e-9};
	DprivLaplace laplace;
	double		h;

	(void) state;

	/* Published continuous half-widths at p = 0: scale 2 at 0.95, scale 60 at 0.76. */
	laplace = make(2, 1);
	h = dpriv_laplace_mix_half_width(&laplace, 0.0, 0.95) - 1.0;
	assert_true(fabs(h - 5.991464547) < 1e-8);
	laplace = make(60, 1);
	h = dpriv_laplace_mix_half_width(&laplace, 0.0, 0.76) - 1.0;
	assert_true(fabs(h - (168.7504813 - 83.1235)) < 1e-6);

	for (int c = 0; c < (int) lengthof(confidences); c++)
	{
		double		tail = 1.0 - confidences[c];

		for (int i = 0; i < (int) lengthof(ps); i++)
		{
			double		p = ps[i];
			double		w1 = 1.0 - p;
			double		b = 1000.0;
			double		swapped;
			double		f;

			/* The equation as it is written, its limit near equal weights. */
			laplace = make((uint128) b, 1);
			h = dpriv_laplace_mix_half_width(&laplace, p, confidences[c]) - 1.0;
			if (fabs(p - 0.5) < 1e-6)
				f = exp(-2.0 * h / b) * (1.0 + h / b);
			else
				f = (w1 * w1 * exp(-h / (w1 * b)) - p * p * exp(-h / (p * b))) / (w1 * w1 - p * p);
			assert_true(fabs(f - tail) <= tail * 1e-5 + 1e-12);

			/* Swapped weights give the same. */
			swapped = dpriv_laplace_mix_half_width(&laplace, 1.0 - p, confidences[c]) - 1.0;
			assert_true(fabs(swapped - h) <= 1e-9 * h);

			/* The discrete distribution: enough, and at most two and a half steps too much. */
			for (int s = 0; s < 3; s++)
			{
				static const int small[] = {1, 7, 40};

				laplace = make(small[s], 1);
				h = dpriv_laplace_mix_half_width(&laplace, p, confidences[c]);
				assert_true(mix_outside(small[s], p, h) <= tail * (1.0 + 1e-9) + 1e-15);
				if (h > 2.5)
					assert_true(mix_outside(small[s], p, h - 2.5) > tail);
			}
		}
	}
}

/* P[|sum of w[i] Z_i| > h], w in thousandths: convolved. */
static double
weighted_outside(double scale, const double *weight, double h)
{
	enum { REACH = 700 };
	static double one[2 * REACH + 1];
	double		result = 0.0;

	for (int z = -REACH; z <= REACH; z++)
		one[z + REACH] = laplace_below(z + 1, scale) - laplace_below(z, scale);
	for (int x = -REACH; x <= REACH; x++)
	{
		for (int y = -REACH; y <= REACH; y++)
		{
			double		here = weight[0] * x + weight[1] * y;
			double		p = one[x + REACH] * one[y + REACH];
			double		low;
			double		high;

			if (p < 1e-18)
				continue;
			if (weight[2] == 0.0)
			{
				result += fabs(here) > h ? p : 0.0;
				continue;
			}

			/* |here + weight z| <= h for z in low..high, whole numbers. */
			low = ceil((-h - here) / fabs(weight[2]));
			high = floor((h - here) / fabs(weight[2]));
			result += p * (1.0 - fmax(0.0, laplace_below((int64) high + 1, scale) -
									  laplace_below((int64) low, scale)));
		}
	}
	return result;
}

static void
test_weighted_half_width(void **state)
{
	static const double weights[][DPRIV_LAPLACE_WEIGHTS] = {
		{1.0, 0.0, 0.0}, {0.0, -2.0, 0.0}, {0.0, 0.0, 1e-9}, {1.0, 1.0, 0.0}, {0.3, 0.7, 0.0},
		{1.0, 1.0, 1.0}, {-1.0, 1.0, -1.0}, {0.6667, 0.6667, -0.6667}, {4.0, 0.0, 2.0},
		{1.0, 1.0001, 0.9999}, {0.01, 2.41, 0.42}, {0.0, 0.0, -2.0}, {1.0, 0.5, 0.25},
		{1.0, 1.0, 1e-7},
	};
	static const double confidences[] = {0.01, 0.5, 0.9, 0.95, 0.99, 1.0 - 1e-9};
	static const double none[DPRIV_LAPLACE_WEIGHTS] = {0.0, 0.0, 0.0};
	DprivLaplace laplace = make(1000, 1);

	(void) state;
	assert_true(dpriv_laplace_weighted_half_width(&laplace, none, 0.95) == 0.0);

	for (int c = 0; c < (int) lengthof(confidences); c++)
	{
		double		tail = 1.0 - confidences[c];
		double		previous = 0.0;

		for (int i = 0; i < (int) lengthof(weights); i++)
		{
			const double *w = weights[i];
			double		sum = fabs(w[0]) + fabs(w[1]) + fabs(w[2]);
			double		permuted[DPRIV_LAPLACE_WEIGHTS] = {w[2], -w[0], w[1]};
			double		h;

			laplace = make(1000000, 1);
			h = dpriv_laplace_weighted_half_width(&laplace, w, confidences[c]);
			assert_true(fabs(dpriv_laplace_weighted_half_width(&laplace, permuted, confidences[c]) -
							 h) <= 1e-8 * h);

			/* One weight, two weights, and three equal ones: closed forms, within the gap. */
			if (sum == fabs(w[0]))
			{
				double		exact = -log(tail) * sum * 1e6;

				assert_true(h >= exact && h <= exact * 1.001 + 2 * sum);
			}
			if (w[2] == 0.0 && sum == 1.0)
			{
				double		mix = dpriv_laplace_mix_half_width(&laplace, w[1], confidences[c]);

				assert_true(h >= mix * (1 - 1e-8) && h <= mix * 1.002 + 1.0);
			}
			if (w[0] == 1.0 && w[1] == 1.0 && w[2] == 1.0)
			{
				double		x = (h - sum) / 1e6;
				double		exact = exp(-x) * (1.0 + 5.0 * x / 8.0 + x * x / 8.0);

				assert_true(exact <= tail * (1 + 1e-6) + 1e-12 && exact >= tail * 0.95 - 1e-12);
			}

			/* The discrete distribution: enough, and not much too much. */
			for (int s = 0; s < 2; s++)
			{
				static const int small[] = {1, 12};
				double		slack;

				laplace = make(small[s], 1);
				h = dpriv_laplace_weighted_half_width(&laplace, w, confidences[c]);
				slack = 3.0 * sum + 0.004 * h;
				assert_true(weighted_outside(small[s], w, h) <= tail * (1.0 + 1e-6) + 1e-12);
				if (h > slack && sum > 1e-6)
					assert_true(weighted_outside(small[s], w, h - slack) > tail - 1e-12);
			}
		}

		/* Rises with each weight. */
		laplace = make(1000, 1);
		for (double w = 0.0; w < 3.0; w += 0.01)
		{
			double		growing[DPRIV_LAPLACE_WEIGHTS] = {1.0, -w, 0.5};
			double		h = dpriv_laplace_weighted_half_width(&laplace, growing, confidences[c]);

			assert_true(h >= previous * (1 - 1e-8));
			previous = h;
		}
	}
}

/* Sums of equal draws: against convolved probabilities, closed forms, and the normal limit. */
static void
test_sums_half_width(void **state)
{
	enum { SUMS = 30, REACH = 6000 };
	static const uint64 small[][2] = {{1, 8}, {1, 1}, {5, 2}, {20, 1}, {90, 1}};
	static const double confidences[] = {0.01, 0.5, 0.95, 0.99, 1.0 - 1e-9};
	static double half_width[DPRIV_LAPLACE_SUMS];
	DprivLaplace laplace;

	(void) state;
	for (int s = 0; s < (int) lengthof(small); s++)
	{
		double		scale = (double) small[s][0] / (double) small[s][1];
		double		t = exp(-1.0 / scale);
		static double p[SUMS + 1][2 * REACH + 1];

		/* A draw more is convolved by the two recursions of a geometric series, from either side. */
		memset(p, 0, sizeof(p));
		p[0][REACH] = 1.0;
		for (int i = 1; i <= SUMS; i++)
		{
			double		before = 0.0;

			for (int x = 0; x <= 2 * REACH; x++)
				p[i][x] = before = before * t + p[i - 1][x] * (1.0 - t);
			before = 0.0;
			for (int x = 2 * REACH; x >= 0; x--)
				p[i][x] = before = before * t + p[i][x] * (1.0 - t);
		}

		laplace = make(small[s][0], small[s][1]);
		for (int c = 0; c < (int) lengthof(confidences); c++)
		{
			double		miss = 1.0 - confidences[c];

			dpriv_laplace_sums_half_width(&laplace, SUMS, confidences[c], half_width);
			for (int i = 1; i <= SUMS; i++)
			{
				int			k = (int) half_width[i - 1];
				double		outside = 0.0;
				int			least;

				assert_true(half_width[i - 1] == k && k >= 0 && k < REACH);
				for (int x = REACH; x > k; x--)
					outside += 2.0 * p[i][REACH + x];
				assert_true(outside <= miss * (1.0 + 1e-6) + 1e-15);

				/* Not much more than the smallest one. */
				least = k - 2 - (int) (k / (12.0 * scale * scale));
				for (int x = k; x > least && x > 0; x--)
					outside += 2.0 * p[i][REACH + x];
				assert_true(scale < 1.0 || least < 0 || outside > miss * (1.0 - 1e-6));
			}
		}
	}

	/* One draw and two draws of continuous noise: exp(-x), exp(-x) (1 + x / 2). */
	laplace = make((uint128) 1 << 40, 1);
	dpriv_laplace_sums_half_width(&laplace, DPRIV_LAPLACE_SUMS, 0.95, half_width);
	assert_true(fabs(half_width[0] / 0x1p40 + log(0.05)) < 1e-9);
	assert_true(fabs(exp(-half_width[1] / 0x1p40) * (1.0 + half_width[1] / 0x1p41) - 0.05) < 1e-9);

	/* Never less for more draws; near the normal quantile for many. */
	for (int i = 1; i < DPRIV_LAPLACE_SUMS; i++)
		assert_true(half_width[i] > half_width[i - 1]);
	assert_true(fabs(half_width[DPRIV_LAPLACE_SUMS - 1] / 0x1p40 /
					 (1.959964 * sqrt(2.0 * DPRIV_LAPLACE_SUMS)) - 1.0) < 1e-3);
}

/* How often the interval holds, over draws: binomial, within the limit of the chi-square test. */
static void
test_coverage(void **state)
{
	DprivLaplace laplace = make(1000, 3);
	int64		k = dpriv_laplace_half_width(&laplace, 0.9);
	double		miss = (double) outside(1000.0L / 3.0L, k);
	int64		observed[2] = {0};
	int64		mix[2] = {0};
	double		h = dpriv_laplace_mix_half_width(&laplace, 0.3, 0.9);
	double		mix_miss = mix_outside(1000.0 / 3.0, 0.3, h);

	(void) state;
	for (int64 i = 0; i < unit_draws(); i++)
	{
		int64		x = dpriv_laplace_draw(&laplace);
		int64		y = dpriv_laplace_draw(&laplace);

		observed[x > k || x < -k]++;
		mix[fabs(0.7 * (double) x - 0.3 * (double) y) > h]++;
	}
	assert_true(miss <= 0.1 && miss > 0.0995);
	assert_true(mix_miss <= 0.1 && mix_miss > 0.0985);
	assert_true(unit_fits("laplace 1000/3, half-width", observed,
						  (double[]) {1.0 - miss, miss}, 2));
	assert_true(unit_fits("laplace 1000/3, half-width of a mean", mix,
						  (double[]) {1.0 - mix_miss, mix_miss}, 2));
}

/* The closed form itself: published delta(epsilon) at sensitivity 4 and parameter 1/2. */
static void
test_closed_form(void **state)
{
	static const double epsilons[] = {0.5, 1.0, 0.0, -0.5};
	static const double deltas[] = {0.54202002, 0.39346934, 0.63212056, 0.7222211};

	(void) state;
	for (int e = 0; e < 4; e++)
	{
		double		delta = 0.0;

		for (int64 x = -200; x <= 200; x++)
		{
			double		here = laplace_below(x + 1, 2.0) - laplace_below(x, 2.0);
			double		there = laplace_below(x + 5, 2.0) - laplace_below(x + 4, 2.0);

			delta += fmax(here - exp(epsilons[e]) * there, 0.0);
		}
		assert_true(fabs(delta - deltas[e]) < 1e-7);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_form),
		cmocka_unit_test(test_init_limits),
		cmocka_unit_test(test_fits_closed_form),
		cmocka_unit_test(test_tiny_scale),
		cmocka_unit_test(test_low_bits),
		cmocka_unit_test(test_residues),
		cmocka_unit_test(test_wrong_samplers_are_found),
		cmocka_unit_test(test_half_width),
		cmocka_unit_test(test_mix_half_width),
		cmocka_unit_test(test_weighted_half_width),
		cmocka_unit_test(test_sums_half_width),
		cmocka_unit_test(test_coverage),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
