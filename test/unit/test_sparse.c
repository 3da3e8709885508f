/*
 * test_sparse.c
 *	  The first number below a noisy limit: geometric draws and choices against the closed form, and
 *	  the law of the choice over neighbours.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "noise/sparse.h"
#include "unit.h"

/* Terms of sums over the noise on the limit: what is left out is below t^TERMS. */
#define TERMS 2000
#define MAX_QUERIES 4
#define CELLS 64

typedef struct Example
{
	const char *label;
	int			n;
	int			query[MAX_QUERIES];
	int			limit;
	int			limit_scale[2]; /* numerator, denominator */
	int			query_scale[2];
} Example;

static const Example examples[] = {
	{"sparse, no query", 0, {0}, 3, {1, 1}, {1, 1}},
	{"sparse, one query", 1, {5}, 4, {3, 1}, {6, 1}},
	{"sparse, four queries", 4, {30, 17, 11, 2}, 12, {5, 1}, {10, 1}},
	{"sparse, not in order", 4, {2, 30, 11, 17}, 0, {15, 2}, {40, 3}},
	{"sparse, small scales", 3, {2, 1, 0}, 1, {1, 3}, {2, 3}},
	{"sparse, all below", 3, {-50, -60, -50}, 0, {10, 1}, {20, 1}},
};

static double
ratio(const int *scale)
{
	return exp(-(double) scale[1] / scale[0]);
}

/*
 * P[the answer is i] = sum over x of (1 - t) t^x times the product of P[Y_k <= q_k - limit + x] over k
 * < i, times P[Y_i > q_i - limit + x], with P[Y > y] = u^(y + 1) for y >= -1, else 1.
 */
static void
closed_form(const Example *example, double *probability)
{
	double		t = ratio(example->limit_scale);
	double		u = ratio(example->query_scale);

	for (int i = 0; i <= example->n; i++)
		probability[i] = 0.0;
	for (int x = 0; x < TERMS; x++)
	{
		double		left = (1.0 - t) * pow(t, x);

		for (int i = 0; i < example->n; i++)
		{
			double		below = pow(u, Max(example->query[i] - example->limit + x + 1, 0));

			probability[i] += left * below;
			left *= 1.0 - below;
		}
		probability[example->n] += left;
	}
}

static DprivLaplace
make(const int *scale)
{
	DprivLaplace laplace;

	assert_true(dpriv_laplace_init(&laplace, (uint128) scale[0], (uint128) scale[1]));
	return laplace;
}

typedef int (*Chooser) (const int128 *query, int n, int128 limit, const DprivLaplace *limit_noise,
						const DprivLaplace *query_noise);

static bool
fits(const Example *example, const char *label, Chooser choose, int64 draws)
{
	DprivLaplace limit_noise = make(example->limit_scale);
	DprivLaplace query_noise = make(example->query_scale);
	double		probability[MAX_QUERIES + 1];
	int64		observed[MAX_QUERIES + 1] = {0};
	int128		query[MAX_QUERIES];

	closed_form(example, probability);
	for (int i = 0; i < example->n; i++)
		query[i] = example->query[i];
	for (int64 d = 0; d < draws; d++)
		observed[choose(query, example->n, example->limit, &limit_noise, &query_noise)]++;
	return unit_fits(label, observed, probability, example->n + 1);
}

static void
test_geometric(void **state)
{
	static const int scales[][2] = {{1, 1}, {20, 1}, {10, 3}, {1, 3}};

	(void) state;
	for (int s = 0; s < (int) lengthof(scales); s++)
	{
		DprivLaplace laplace = make(scales[s]);
		double		t = ratio(scales[s]);
		double		probability[CELLS];
		int64		observed[CELLS] = {0};

		for (int i = 0; i < CELLS; i++)
			probability[i] = (i < CELLS - 1 ? 1.0 - t : 1.0) * pow(t, i);
		for (int64 d = 0; d < unit_draws(); d++)
		{
			int64		draw = dpriv_geometric_draw(&laplace);

			observed[Min(draw, CELLS - 1)]++;
		}
		assert_true(unit_fits("geometric", observed, probability, CELLS));
	}
}

static void
test_fits_closed_form(void **state)
{
	(void) state;
	for (int e = 0; e < (int) lengthof(examples); e++)
		if (examples[e].n > 0)
			assert_true(fits(&examples[e], examples[e].label, dpriv_sparse_first_below,
							 unit_draws()));
	for (int i = 0; i < 1000; i++)
	{
		DprivLaplace noise = make(examples[0].limit_scale);

		assert_int_equal(dpriv_sparse_first_below(NULL, 0, 3, &noise, &noise), 0);
	}
}

/* Largest loss, in both directions, over all changes of 0 .. distance of each query. */
static double
largest_loss(const Example *example, int distance)
{
	double		before[MAX_QUERIES + 1];
	double		after[MAX_QUERIES + 1];
	double		largest = 0.0;
	int			changes = 1;

	closed_form(example, before);
	for (int i = 0; i < example->n; i++)
		changes *= distance + 1;
	for (int change = 0; change < changes; change++)
	{
		Example		more = *example;
		int			rest = change;

		for (int i = 0; i < example->n; i++, rest /= distance + 1)
			more.query[i] += rest % (distance + 1);
		closed_form(&more, after);
		for (int i = 0; i <= example->n; i++)
			if (before[i] > 1e-250 && after[i] > 1e-250)
				largest = fmax(largest, fabs(log(after[i] / before[i])));
	}
	return largest;
}

/*
 * Scales D / e1 and D / e2 lose e1 + e2 at most: here 2 and 3 with D = 3.  Queries far above the
 * limit but for one lose nearly that much; a split of noise that would be enough for one table
 * alone does not do.
 */
static void
test_privacy(void **state)
{
	static const int tables[][MAX_QUERIES] = {
		{0, 0, 0, 0}, {20, 15, 10, 5}, {40, 40, 40, -40}, {9, 40, 1, 7}, {3, 2, 1, 0}, {-5, -9, 30, 2}
	};
	double		largest = 0.0;

	(void) state;
	for (int i = 0; i < (int) lengthof(tables); i++)
		for (int limit = -10; limit <= 30; limit += 4)
		{
			Example		example = {"", 4, {0}, limit, {3, 2}, {3, 3}};
			double		loss;

			memcpy(example.query, tables[i], sizeof(tables[i]));
			loss = largest_loss(&example, 3);
			assert_true(loss <= 5.0 + 1e-9);
			largest = fmax(largest, loss);
		}
	assert_true(largest > 4.5);
}

/* Noise drawn anew on the limit in every comparison: another law. */
static int
fresh_limit(const int128 *query, int n, int128 limit, const DprivLaplace *limit_noise,
			const DprivLaplace *query_noise)
{
	for (int i = 0; i < n; i++)
		if (query[i] - dpriv_geometric_draw(query_noise) <
			limit - dpriv_geometric_draw(limit_noise))
			return i;
	return n;
}

/* Equal counts as below. */
static int
not_above(const int128 *query, int n, int128 limit, const DprivLaplace *limit_noise,
		  const DprivLaplace *query_noise)
{
	return dpriv_sparse_first_below(query, n, limit + 1, limit_noise, query_noise);
}

static int
noiseless_limit(const int128 *query, int n, int128 limit, const DprivLaplace *limit_noise,
				const DprivLaplace *query_noise)
{
	DprivLaplace none = make((const int[]) {1, 60});

	(void) limit_noise;
	return dpriv_sparse_first_below(query, n, limit, &none, query_noise);
}

static void
test_wrong_samplers_are_found(void **state)
{
	int64		draws = Max(unit_draws(), UNIT_MUTANT_DRAWS);

	(void) state;
	assert_false(fits(&examples[2], "noise on the limit drawn anew", fresh_limit, draws));
	assert_false(fits(&examples[2], "equal counts as below", not_above, draws));
	assert_false(fits(&examples[2], "no noise on the limit", noiseless_limit, draws));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_geometric),
		cmocka_unit_test(test_fits_closed_form),
		cmocka_unit_test(test_privacy),
		cmocka_unit_test(test_wrong_samplers_are_found),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
