/*
 * gd.c
 *	  Method gd: gradient descent over all rows, which needs no tuning.
 *
 * Rows are put on a common scale, see standard.c, with a length of at most 1.  Then every step
 * releases the sum of gradients of the logistic loss of which the slope is cut at 1/2: cutting it
 * changes the loss to one that is convex, and has its minimum on the same side of every decision
 * where the model is right (Song, Steinke, Thakkar, Thakurta 2021, "Evading the Curse of
 * Dimensionality in Unconstrained Private GLMs").
 *
 * A row takes part in every step as a vector of integers, whose length is within the sensitivity by
 * construction, and in nothing else: c U, where U is the row's vector in integers, c = floor(slope
 * r), 0 <= slope <= 1, and r = floor(S / ceil|U|), so |c U| <= r |U| <= S.  slope is a function of
 * integers alone, so no sum depends on the order of rows or on the machine.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/zcdp.h"
#include "learn/logistic.h"
#include "learn/standard.h"
#include "release/progress.h"

#define STEPS 40

/*
 * The first step's learning rate on the mean gradient; it falls to 0 in a line, so that the last
 * steps add little of their noise.
 */
#define LEARNING_RATE 60.0

#define ONE DPRIV_STANDARD_ONE
#define CONSTANT DPRIV_STANDARD_CONSTANT

/* What a slope of 1/2 is, and so the sensitivity of a step. */
#define STEP_RADIUS DPRIV_STANDARD_RADIUS

/* Weights are whole numbers of 2^-16, and at most 256. */
#define WEIGHT_BITS 16
#define LARGEST_WEIGHT 256.0

/* Slopes, as multiples of 2^-16 of 1/2, by margin, in steps of 2^-8. */
#define SLOPE_BITS 16
#define MARGIN_BITS 8
#define SLOPES 4096

typedef struct Gd
{
	LearnStandard standard;
	LearnNoise	step;

	/* Of a step. */
	int64	   *weight;			/* of numbers, then of levels times ONE */
	int64		offset;			/* what the weights make of all centres and the constant */
	int64		total;			/* of all coefficients */
	int32		slope[SLOPES];
} Gd;

static DprivCost
prepare(LearnTraining *training, Jsonb *options)
{
	Gd		   *gd = palloc0(sizeof(Gd));
	double		epsilon = nextafter(dpriv_epsilon_to_double(training->epsilon.noise), 0.0);
	double		rho = dpriv_zcdp_rho(epsilon, training->delta, DPRIV_ZCDP_TIGHT) *
		DPRIV_LEARN_ROUNDING;
	double		step_share = 1.0 - DPRIV_STANDARD_MEANS_SHARE;
	DprivCost	cost;

	training->state = gd;
	cost = dpriv_learn_standard(&gd->standard, training, DPRIV_STANDARD_MEANS_SHARE * rho,
								DPRIV_STANDARD_SPREAD_SHARE * rho);
	if (training->columns.nnumbers > 0)
		step_share -= DPRIV_STANDARD_SPREAD_SHARE;
	gd->step = dpriv_learn_noise(STEP_RADIUS, step_share * rho / STEPS);
	cost = dpriv_cost_add(cost, dpriv_learn_noise_cost(&gd->step, STEPS));
	dpriv_learn_check_cost(&cost, epsilon, training->delta);
	return cost;
}

/* 1 / (1 + exp(m)) for margins m >= 0, at the middle of each step. */
static void
make_slopes(Gd *gd)
{
	for (int i = 0; i < SLOPES; i++)
		gd->slope[i] = (int32) (dpriv_learn_logistic(ldexp(-i - 0.5, -MARGIN_BITS)) *
								(1 << (SLOPE_BITS + 1)));
}

static void
add_gradients(void *context, char *rows, int nrows)
{
	Gd		   *gd = context;
	LearnStore *store = gd->standard.training->store;
	const Size	size = dpriv_learn_row_size(store);
	const int	nnumbers = gd->standard.nnumbers;
	const int	ncategories = gd->standard.ncategories;
	const int64 *weight = gd->weight;
	const int64 *level_weight = gd->weight + nnumbers;
	const int32 *first_level = gd->standard.first_level;
	const int64 offset = gd->offset;
	int64	   *sum = gd->standard.sum;
	int64	   *level_sum = gd->standard.sum + nnumbers;
	int64		total = 0;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * size);
		const uint16 *code = dpriv_learn_row_codes(store, row);
		int64		score = offset;
		int64		margin;
		int64		coefficient;

		for (int j = 0; j < nnumbers; j++)
			score += weight[j] * row->number[j];
		for (int j = 0; j < ncategories; j++)
			score += level_weight[first_level[j] + code[j]];

		/* x is U r / S. */
		margin = score * row->factor >> (30 + WEIGHT_BITS - MARGIN_BITS);
		if (!row->positive)
			margin = -margin;
		coefficient = row->factor;
		if (margin >= SLOPES)
			coefficient = 0;
		else if (margin >= 0)
			coefficient = gd->slope[margin] * coefficient >> SLOPE_BITS;
		if (row->positive)
			coefficient = -coefficient;

		total += coefficient;
		for (int j = 0; j < nnumbers; j++)
			sum[j] += coefficient * row->number[j];
		for (int j = 0; j < ncategories; j++)
			level_sum[first_level[j] + code[j]] += coefficient;
	}
	gd->total += total;
}

/* Weights as whole numbers.  All of |weight| is below 2^14, so a score times r is below 2^62. */
static void
set_weights(Gd *gd, const double *weight)
{
	int			nterms = dpriv_learn_nterms(gd->standard.columns);

	gd->offset = 0;
	for (int j = 0; j < nterms; j++)
	{
		int64		whole = (int64) rint(Max(Min(weight[j], LARGEST_WEIGHT), -LARGEST_WEIGHT) *
									 (1 << WEIGHT_BITS));

		if (j < gd->standard.nnumbers)
			gd->weight[j] = whole;
		else if (j < nterms - 1)
		{
			gd->weight[j] = whole * ONE;
			gd->offset -= whole * gd->standard.share[j - gd->standard.nnumbers];
		}
		else
			gd->offset += whole * CONSTANT;
	}
}

static void
step(Gd *gd, double *weight, double rate)
{
	int			nterms = dpriv_learn_nterms(gd->standard.columns);
	int64	   *sum = gd->standard.sum;

	set_weights(gd, weight);
	memset(sum, 0, sizeof(int64) * nterms);
	gd->total = 0;
	dpriv_learn_store_scan(gd->standard.training->store, false, add_gradients, gd);

	/* Each level's coordinate of a row is ONE if it has it, less its share. */
	for (int l = 0; l < gd->standard.nlevels; l++)
		sum[gd->standard.nnumbers + l] = sum[gd->standard.nnumbers + l] * ONE -
			gd->total * gd->standard.share[l];
	sum[nterms - 1] = gd->total * CONSTANT;
	dpriv_learn_release(&gd->step, sum, nterms);
	for (int j = 0; j < nterms; j++)
		weight[j] -= rate / gd->standard.count * ((double) sum[j] / (2.0 * STEP_RADIUS));
}

static void
train(LearnTraining *training)
{
	Gd		   *gd = training->state;
	int			nterms = dpriv_learn_nterms(&training->columns);
	double	   *weight = palloc0(sizeof(double) * nterms);

	gd->weight = palloc(sizeof(int64) * nterms);
	dpriv_learn_standard_rows(&gd->standard);
	make_slopes(gd);
	for (int i = 0; i < STEPS; i++)
	{
		dpriv_progress_report(DPRIV_PHASE_STEPS, i, STEPS);
		step(gd, weight, LEARNING_RATE * (1.0 - (double) i / STEPS));
	}
	dpriv_learn_standard_back(&gd->standard, weight);
}

static const char *const gd_options[] = {"features", "positive", NULL};

const LearnMethod dpriv_learn_gd = {"gd", "discrete Gaussian", gd_options, prepare, train};
