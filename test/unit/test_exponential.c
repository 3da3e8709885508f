/*
 * test_exponential.c
 *	  Choices against the closed form: few and many cells, equal and distant scores, large runs.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "noise/exponential.h"
#include "noise/random.h"
#include "unit.h"

#define E12 UINT64CONST(1000000000000)
#define MAX_RUNS 128

/* Nodes of Simpson's rule. */
#define NODES 4000

typedef struct Example
{
	const char *label;
	DprivRate	rate;
	int			nruns;
	uint64		loss[12];
	uint32		weight[12];
} Example;

static const Example examples[] = {
	{"two cells, epsilon 1", {E12, E12, 1}, 2, {0, 1}, {1, 1}},
	{"two cells, epsilon 0.1 / 3", {E12 / 10, E12, 3}, 2, {5, 4}, {1, 1}},
	{"two cells, exponent 2.75", {11, 4, 1}, 2, {0, 1}, {1, 1}},
	{"equal scores", {E12, E12, 2}, 3, {9, 9, 9}, {1, 1, 1}},
	{"counts, epsilon 0.5", {E12 / 2, E12, 1}, 6, {12, 0, 3, 3, 1, 40}, {1, 1, 1, 1, 1, 1}},
	{"a median, epsilon 1", {E12, E12, 2}, 11, {10, 8, 6, 4, 2, 0, 2, 4, 6, 8, 10},
		{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	{"runs", {E12, E12, 1}, 5, {4, 2, 0, 1, 3}, {100, 7, 1, 3, 70}},
	{"large runs", {E12 / 2, E12, 1}, 4, {0, 8, 20, 22}, {1, 64, 20000, 45000}},
	{"a distant run as likely as the best cell", {E12, E12, 1}, 2, {0, 11}, {1, 65535}},
	{"every exponent below 1", {E12 / 100, E12, 1}, 4, {10, 99, 0, 50}, {5, 1000, 1, 64}},
	{"large scores", {E12, E12, UINT64CONST(1) << 62}, 3,
	{UINT64CONST(1) << 63, (UINT64CONST(1) << 63) + (UINT64CONST(1) << 62), UINT64CONST(1) << 63},
	{2, 3, 1}},
};

static double
pass_probability(const Example *example, int i)
{
	uint64		best = example->loss[0];

	for (int k = 1; k < example->nruns; k++)
		best = Min(best, example->loss[k]);
	return exp(-(double) (example->loss[i] - best) * (double) example->rate.num /
			   (double) example->rate.den / (double) example->rate.divisor);
}

/*
 * A cell that passed is chosen with probability 1 / (1 + number of others that passed), and 1 / (1 +
 * n) is the integral of t^n over 0 .. 1; so run i is chosen with probability
 *
 *		w_i p_i  integral of  (1 - p_i + p_i t)^(w_i - 1)  product of (1 - p_k + p_k t)^w_k  dt.
 *
 * The integrand is a polynomial that may rise steeply near t = 1: Simpson's rule in s, t = 1 - s^4.
 */
static void
closed_form(const Example *example, double *probability)
{
	for (int i = 0; i < example->nruns; i++)
		probability[i] = 0.0;
	for (int node = 0; node <= NODES; node++)
	{
		double		s = (double) node / NODES;
		double		below = s * s * s * s;	/* 1 - t */
		double		factor = (node == 0 || node == NODES ? 1.0 : node % 2 ? 4.0 : 2.0) / (3.0 * NODES);

		for (int i = 0; i < example->nruns; i++)
		{
			double		product = 0.0;	/* logarithm */

			for (int k = 0; k < example->nruns; k++)
			{
				uint64		others = example->weight[k] - (k == i);

				if (others > 0)
					product += (double) others * log1p(-pass_probability(example, k) * below);
			}
			probability[i] += factor * 4.0 * s * s * s * (double) example->weight[i] *
				pass_probability(example, i) * exp(product);
		}
	}
}

/* The closed form where it is simple: two cells, and equal scores. */
static void
test_closed_form(void **state)
{
	double		probability[MAX_RUNS];

	(void) state;
	for (int e = 0; e < (int) lengthof(examples); e++)
	{
		double		sum = 0.0;

		closed_form(&examples[e], probability);
		for (int i = 0; i < examples[e].nruns; i++)
			sum += probability[i];
		assert_true(fabs(sum - 1.0) < 1e-9);
	}

	/* The better of two wins unless the other passes and is met first. */
	closed_form(&examples[0], probability);
	assert_true(fabs(probability[1] - 0.5 * exp(-1.0)) < 1e-12);
	closed_form(&examples[1], probability);
	assert_true(fabs(probability[0] - 0.5 * exp(-0.1 / 3.0)) < 1e-12);
}

/* A choice of the run, as the sampler under test makes it. */
typedef int (*Chooser) (DprivRun *run, int nruns, const DprivRate *rate, uint32 *place);

static bool
fits(const Example *example, const char *label, Chooser choose, int64 draws)
{
	double		probability[MAX_RUNS];
	int64		observed[MAX_RUNS] = {0};
	DprivRun	run[MAX_RUNS];

	closed_form(example, probability);
	for (int i = 0; i < example->nruns; i++)
	{
		run[i].loss = example->loss[i];
		run[i].weight = example->weight[i];
	}
	for (int64 d = 0; d < draws; d++)
	{
		uint32		place;

		observed[choose(run, example->nruns, &example->rate, &place)]++;
	}
	return unit_fits(label, observed, probability, example->nruns);
}

static void
test_fits_closed_form(void **state)
{
	(void) state;
	for (int e = 0; e < (int) lengthof(examples); e++)
	{
		uint64		cells = 0;
		char		label[80];

		for (int i = 0; i < examples[e].nruns; i++)
			cells += examples[e].weight[i];
		snprintf(label, sizeof(label), "choice, %s", examples[e].label);
		assert_true(fits(&examples[e], label, dpriv_exponential_choose,
						 cells > 2000 ? unit_draws() / 20 : unit_draws()));
	}
}

/* Within a run all places are as likely, and a choice depends on no other one. */
static void
test_places(void **state)
{
	enum
	{
		PLACES = 10
	};
	DprivRate	rate = {E12 / 2, E12, 1};
	double		probability[PLACES];
	double		pair[4];
	int64		observed[PLACES] = {0};
	int64		pairs[4] = {0};
	int			last = 0;

	(void) state;

	/* without a choice, and with one that is none */
	for (int i = 0; i < 1000; i++)
	{
		DprivRun	run[1] = {{.loss = 7, .weight = 1}};
		DprivRun	hopeless[3] = {{.loss = (uint128) 1 << 63, .weight = 65000},
		{.loss = 0, .weight = 1}, {.loss = (uint128) 1 << 62, .weight = 1}};
		uint32		place = 1;

		assert_int_equal(dpriv_exponential_choose(run, 1, &rate, &place), 0);
		assert_true(place == 0);
		assert_int_equal(dpriv_exponential_choose(hopeless, 3, &rate, &place), 1);
	}

	for (int i = 0; i < PLACES; i++)
		probability[i] = 1.0 / PLACES;
	for (int64 d = 0; d < unit_draws(); d++)
	{
		DprivRun	run[2] = {{.loss = 3, .weight = PLACES}, {.loss = 0, .weight = 1}};
		uint32		place;

		if (dpriv_exponential_choose(run, 2, &rate, &place) == 0)
			observed[place]++;
		else
			assert_true(place == 0);
	}
	assert_true(unit_fits("choice, places", observed, probability, PLACES));

	for (int i = 0; i < 4; i++)
	{
		double		second = 0.5 * exp(-0.5);

		pair[i] = (i & 1 ? second : 1 - second) * (i & 2 ? second : 1 - second);
	}
	for (int64 d = 0; d < unit_draws(); d++)
	{
		DprivRun	run[2] = {{.loss = 0, .weight = 1}, {.loss = 1, .weight = 1}};
		uint32		place;
		int			now = dpriv_exponential_choose(run, 2, &rate, &place);

		if (d % 2 == 1)
			pairs[2 * last + now]++;
		last = now;
	}
	assert_true(unit_fits("choice, pairs", pairs, pair, 4));
}

/*
 * The law is private: neighbouring scores change the probability of a cell by exp(epsilon) at most,
 * and for the worst ones by that much.
 */
static void
test_privacy(void **state)
{
	/* A count more in each category; every second score up by 1 and the others down, divisor 2. */
	Example		count = {"", {E12 / 2, E12, 1}, 8, {3, 0, 7, 1, 20, 3, 4, 11},
		{1, 1, 1, 1, 1, 1, 1, 1}};
	Example		rank = {"", {E12 / 2, E12, 2}, 8, {10, 8, 6, 4, 2, 3, 5, 7}, {1, 1, 1, 1, 1, 1, 1, 1}};
	double		before[MAX_RUNS];
	double		after[MAX_RUNS];
	double		largest = 0.0;

	(void) state;
	closed_form(&count, before);
	for (int category = 0; category < count.nruns; category++)
	{
		Example		more = count;

		for (int i = 0; i < more.nruns; i++)
			more.loss[i] += i != category;
		closed_form(&more, after);
		for (int i = 0; i < more.nruns; i++)
			largest = fmax(largest, fabs(log(after[i] / before[i])));
	}
	assert_true(largest <= 0.5 + 1e-9 && largest > 0.49);

	largest = 0.0;
	closed_form(&rank, before);
	for (int at = 0; at < rank.nruns; at++)
	{
		Example		more = rank;

		for (int i = 0; i < more.nruns; i++)
			more.loss[i] += i < at ? 1 : -1;
		closed_form(&more, after);
		for (int i = 0; i < more.nruns; i++)
			largest = fmax(largest, fabs(log(after[i] / before[i])));
	}
	assert_true(largest <= 0.5 + 1e-9 && largest > 0.4);
}

/* The exponential mechanism: right in itself, but another law. */
static int
exponential_mechanism(DprivRun *run, int nruns, const DprivRate *rate, uint32 *place)
{
	double		weight[MAX_RUNS];
	double		sum = 0.0;
	double		u;

	*place = 0;
	for (int i = 0; i < nruns; i++)
	{
		weight[i] = (double) run[i].weight * exp(-(double) run[i].loss * (double) rate->num /
												 (double) rate->den / (double) rate->divisor);
		sum += weight[i];
	}
	u = (double) (dpriv_random_u64() >> 11) / 9007199254740992.0 * sum;
	for (int i = 0; i < nruns - 1; i++)
	{
		u -= weight[i];
		if (u < 0)
			return i;
	}
	return nruns - 1;
}

/* One coin in 30 of those that fail comes up. */
static int
lenient(DprivRun *run, int nruns, const DprivRate *rate, uint32 *place)
{
	if (dpriv_random_below_u64(30) == 0)
	{
		*place = 0;
		return (int) dpriv_random_below_u64(nruns);
	}
	return dpriv_exponential_choose(run, nruns, rate, place);
}

/* Epsilon 5 % too large. */
static int
sharper(DprivRun *run, int nruns, const DprivRate *rate, uint32 *place)
{
	DprivRate	other = *rate;

	other.num += other.num / 20;
	return dpriv_exponential_choose(run, nruns, &other, place);
}

static void
test_wrong_samplers_are_found(void **state)
{
	const Example *example = &examples[5];

	(void) state;
	assert_false(fits(example, "the exponential mechanism", exponential_mechanism,
					  Max(unit_draws(), UNIT_MUTANT_DRAWS)));
	assert_false(fits(example, "a lenient choice", lenient, Max(unit_draws(), UNIT_MUTANT_DRAWS)));
	assert_false(fits(example, "epsilon too large", sharper,
					  Max(unit_draws(), 4 * UNIT_MUTANT_DRAWS)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_form),
		cmocka_unit_test(test_fits_closed_form),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_privacy),
		cmocka_unit_test(test_wrong_samplers_are_found),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
