/*
 * gd.c
 *	  Method gd: gradient descent over all rows, which needs no tuning.
 *
 * A row's vector x has its numbers, centred and scaled, its categories as one coordinate for each
 * level, centred, and a constant; it is divided by its length.  What is centred and scaled by comes
 * from two releases of sums.  Then every step releases the sum of gradients of the logistic loss of
 * which the slope is cut at 1/2: cutting it changes the loss to one that is convex, and has its
 * minimum on the same side of every decision where the model is right (Song, Steinke, Thakkar,
 * Thakurta 2021, "Evading the Curse of Dimensionality in Unconstrained Private GLMs").
 *
 * A row takes part in every sum as a vector of integers, whose length is within the sensitivity by
 * construction, and in nothing else:
 *
 * - means: v is multiplied by floor(S 2^20 / ceil|v|) / 2^20 if |v| > S, toward zero, so |v| <= S.
 * - spread: the same.
 * - step: c U, where U is the row's vector in integers, c = floor(slope r), 0 <= slope <= 1, and
 *   r = floor(S / ceil|U|): |c U| <= r |U| <= S.
 *
 * slope is a function of integers alone, so no sum depends on the order of rows or on the machine.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/zcdp.h"
#include "learn/learn.h"
#include "learn/logistic.h"
#include "release/progress.h"

#define STEPS 40

/*
 * The first step's learning rate on the mean gradient; it falls to 0 in a line, so that the last
 * steps add little of their noise.
 */
#define LEARNING_RATE 60.0

/* Shares of rho. */
#define MEANS_SHARE 0.06
#define SPREAD_SHARE 0.04

/* Of rho: the rest is for what is rounded up on the way to the charge. */
#define ROUNDING (1.0 - 1e-9)

/* Coordinates of rows, 1.0 and the constant, and their largest size. */
#define ONE 4096
#define CONSTANT (ONE / 2)
#define LARGEST (ONE * 64)

/* Numbers are scaled so that their mean absolute deviation is this. */
#define SPREAD 0.25

/* What a slope of 1/2 is, and so the sensitivity of a step. */
#define STEP_RADIUS (INT64CONST(1) << 30)

/* Weights are whole numbers of 2^-16, and at most 256. */
#define WEIGHT_BITS 16
#define LARGEST_WEIGHT 256.0

/* Slopes, as multiples of 2^-16 of 1/2, by margin, in steps of 2^-8. */
#define SLOPE_BITS 16
#define MARGIN_BITS 8
#define SLOPES 4096

typedef struct Gd
{
	LearnTraining *training;
	const LearnColumns *columns;
	int			nnumbers;
	int			ncategories;
	int			nlevels;
	LearnNoise	means;
	LearnNoise	spread;
	LearnNoise	step;
	int64	   *sum;			/* of each term, while rows are read */
	double		count;			/* of rows, as released */

	/* From released sums. */
	int32	   *centre;			/* of numbers, on their range */
	int64	   *scale;			/* of numbers: 2^-20 of a coordinate for each step of the range */
	int32	   *share;			/* of levels, of ONE */
	int32	   *first_level;	/* of each category */
	int64	   *square;			/* of each level: what a row that has it adds to |U|^2 */

	/* Of a step. */
	int64	   *weight;			/* of numbers, then of levels times ONE */
	int64		offset;			/* what the weights make of all centres and the constant */
	int64		total;			/* of all coefficients */
	int32		slope[SLOPES];
} Gd;

/* The square root, rounded up. */
static int64
root_up(int64 square)
{
	int64		root = (int64) sqrt((double) square);

	while (root * root < square)
		root++;
	return root;
}

static DprivCost
prepare(LearnTraining *training, Jsonb *options)
{
	Gd		   *gd = palloc0(sizeof(Gd));
	const LearnColumns *columns = &training->columns;
	double		epsilon = nextafter(dpriv_epsilon_to_double(training->epsilon.noise), 0.0);
	double		rho = dpriv_zcdp_rho(epsilon, training->delta, DPRIV_ZCDP_TIGHT) *
		ROUNDING;
	double		numbers = columns->nnumbers;
	double		radius = sqrt(columns->ncategories + 1 + numbers / 3.0) * DPRIV_LEARN_RANGE;
	double		step_share = 1.0 - MEANS_SHARE;
	DprivCost	cost;

	training->state = gd;
	gd->training = training;
	gd->columns = columns;
	gd->nnumbers = columns->nnumbers;
	gd->ncategories = columns->ncategories;
	gd->nlevels = columns->nlevels;
	gd->means = dpriv_learn_noise((int64) radius, MEANS_SHARE * rho);
	cost = dpriv_learn_noise_cost(&gd->means, 1);
	if (gd->nnumbers > 0)
	{
		radius = 0.2 * sqrt(numbers) * DPRIV_LEARN_RANGE;
		step_share -= SPREAD_SHARE;
		gd->spread = dpriv_learn_noise((int64) radius, SPREAD_SHARE * rho);
		cost = dpriv_cost_add(cost, dpriv_learn_noise_cost(&gd->spread, 1));
	}
	gd->step = dpriv_learn_noise(STEP_RADIUS, step_share * rho / STEPS);
	cost = dpriv_cost_add(cost, dpriv_learn_noise_cost(&gd->step, STEPS));
	dpriv_learn_check_cost(&cost, epsilon, training->delta);
	return cost;
}

/*
 * What a vector of this square length is multiplied by, in 2^-20, so that it is within the radius.
 */
static int64
shrink(int64 square, int64 radius)
{
	if (square <= radius * radius)
		return DPRIV_LEARN_RANGE;
	return radius * DPRIV_LEARN_RANGE / root_up(square);
}

/*
 * Means: numbers from -1 to 1, levels 0 or 1, and 1 for the row itself, in 2^-20.
 */
static void
add_means(void *context, char *rows, int nrows)
{
	Gd		   *gd = context;
	LearnStore *store = gd->training->store;
	int64		fixed = (int64) (gd->ncategories + 1) * DPRIV_LEARN_RANGE * DPRIV_LEARN_RANGE;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		uint16	   *code = dpriv_learn_row_codes(store, row);
		int64		square = fixed;
		int64		factor;

		for (int j = 0; j < gd->nnumbers; j++)
		{
			int64		v = 2 * (int64) row->number[j] - DPRIV_LEARN_RANGE;

			square += v * v;
		}
		factor = shrink(square, gd->means.sensitivity);
		for (int j = 0; j < gd->nnumbers; j++)
			gd->sum[j] += (2 * (int64) row->number[j] - DPRIV_LEARN_RANGE) * factor /
				DPRIV_LEARN_RANGE;
		for (int j = 0; j < gd->ncategories; j++)
			gd->sum[gd->nnumbers + gd->first_level[j] + code[j]] += factor;
		gd->sum[gd->nnumbers + gd->nlevels] += factor;
	}
}

static double
within(double x, double least, double largest)
{
	return Min(Max(x, least), largest);
}

static void
find_means(Gd *gd)
{
	int			nterms = dpriv_learn_nterms(gd->columns);
	double		count;

	memset(gd->sum, 0, sizeof(int64) * nterms);
	dpriv_learn_store_scan(gd->training->store, false, add_means, gd);
	dpriv_learn_release(&gd->means, gd->sum, nterms);

	/* Below that it is noise, which would make steps of any size. */
	count = Max((double) gd->sum[nterms - 1], dpriv_gaussian_sigma(&gd->means.gaussian));
	gd->count = count / DPRIV_LEARN_RANGE;
	for (int j = 0; j < gd->nnumbers; j++)
		gd->centre[j] = (int32) (within(0.5 + 0.5 * (double) gd->sum[j] / count, 0.0, 1.0) *
								 DPRIV_LEARN_RANGE);
	for (int l = 0; l < gd->nlevels; l++)
		gd->share[l] = (int32) (within((double) gd->sum[gd->nnumbers + l] / count, 0.0, 1.0) * ONE);
	for (int j = 0; j < gd->columns->nfeatures; j++)
	{
		const LearnFeature *feature = &gd->columns->feature[j];
		int32	   *share = &gd->share[feature->first_level];
		int64	   *square = &gd->square[feature->first_level];
		int64		squares = 0;

		if (!feature->is_category)
			continue;
		for (int l = 0; l < feature->nlevels; l++)
			squares += (int64) share[l] * share[l];
		for (int l = 0; l < feature->nlevels; l++)
			square[l] = squares + (int64) ONE * ONE - (int64) 2 * ONE * share[l];
	}
}

/*
 * Spread: how far numbers are from their centres, on their range.
 */
static void
add_spread(void *context, char *rows, int nrows)
{
	Gd		   *gd = context;
	LearnStore *store = gd->training->store;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		int64		square = 0;
		int64		factor;

		for (int j = 0; j < gd->nnumbers; j++)
		{
			int64		v = row->number[j] - gd->centre[j];

			square += v * v;
		}
		factor = shrink(square, gd->spread.sensitivity);
		for (int j = 0; j < gd->nnumbers; j++)
			gd->sum[j] += abs(row->number[j] - gd->centre[j]) * factor / DPRIV_LEARN_RANGE;
	}
}

static void
find_spread(Gd *gd)
{
	double		least;

	if (gd->nnumbers == 0)
		return;
	memset(gd->sum, 0, sizeof(int64) * gd->nnumbers);
	dpriv_learn_store_scan(gd->training->store, false, add_spread, gd);
	dpriv_learn_release(&gd->spread, gd->sum, gd->nnumbers);

	/* Not much below what noise alone makes. */
	least = Max(dpriv_gaussian_sigma(&gd->spread.gaussian) / gd->count / DPRIV_LEARN_RANGE, 1e-3);
	for (int j = 0; j < gd->nnumbers; j++)
	{
		double		spread = (double) gd->sum[j] / gd->count / DPRIV_LEARN_RANGE;

		gd->scale[j] = (int64) (SPREAD * ONE / within(spread, least, 1.0));
	}
}

/*
 * From places on ranges to coordinates, and r = floor(S / ceil|U|) in the row's factor.
 */
static void
standardise(void *context, char *rows, int nrows)
{
	Gd		   *gd = context;
	LearnStore *store = gd->training->store;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		uint16	   *code = dpriv_learn_row_codes(store, row);
		int64		square = CONSTANT * CONSTANT;

		for (int j = 0; j < gd->nnumbers; j++)
		{
			int64		u = (row->number[j] - gd->centre[j]) * gd->scale[j] / DPRIV_LEARN_RANGE;

			row->number[j] = (int32) Min(Max(u, -LARGEST), LARGEST);
			square += (int64) row->number[j] * row->number[j];
		}
		for (int j = 0; j < gd->ncategories; j++)
			square += gd->square[gd->first_level[j] + code[j]];
		row->factor = (uint32) (STEP_RADIUS / root_up(square));
	}
}

/*
 * Steps
 */

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
	LearnStore *store = gd->training->store;
	const Size	size = dpriv_learn_row_size(store);
	const int	nnumbers = gd->nnumbers;
	const int	ncategories = gd->ncategories;
	const int64 *weight = gd->weight;
	const int64 *level_weight = gd->weight + nnumbers;
	const int32 *first_level = gd->first_level;
	const int64 offset = gd->offset;
	int64	   *sum = gd->sum;
	int64	   *level_sum = gd->sum + nnumbers;
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
	int			nterms = dpriv_learn_nterms(gd->columns);

	gd->offset = 0;
	for (int j = 0; j < nterms; j++)
	{
		int64		whole = (int64) rint(within(weight[j], -LARGEST_WEIGHT, LARGEST_WEIGHT) *
										 (1 << WEIGHT_BITS));

		if (j < gd->nnumbers)
			gd->weight[j] = whole;
		else if (j < nterms - 1)
		{
			gd->weight[j] = whole * ONE;
			gd->offset -= whole * gd->share[j - gd->nnumbers];
		}
		else
			gd->offset += whole * CONSTANT;
	}
}

static void
step(Gd *gd, double *weight, double rate)
{
	int			nterms = dpriv_learn_nterms(gd->columns);
	int64	   *sum = gd->sum;

	set_weights(gd, weight);
	memset(sum, 0, sizeof(int64) * nterms);
	gd->total = 0;
	dpriv_learn_store_scan(gd->training->store, false, add_gradients, gd);

	/* Each level's coordinate of a row is ONE if it has it, less its share. */
	for (int l = 0; l < gd->nlevels; l++)
		sum[gd->nnumbers + l] = sum[gd->nnumbers + l] * ONE - gd->total * gd->share[l];
	sum[nterms - 1] = gd->total * CONSTANT;
	dpriv_learn_release(&gd->step, sum, nterms);
	for (int j = 0; j < nterms; j++)
		weight[j] -= rate / gd->count * ((double) sum[j] / (2.0 * STEP_RADIUS));
}

/*
 * From weights on x to weights on the relation's values, divided by the length that rows usually
 * have: so that scores are about what they were on x.
 */
static void
map_back(Gd *gd, double *weight)
{
	int			nterms = dpriv_learn_nterms(gd->columns);
	double		square = (double) CONSTANT * CONSTANT / ((double) ONE * ONE);
	double		constant = weight[nterms - 1] * CONSTANT / ONE;

	for (int j = 0; j < gd->columns->nfeatures; j++)
	{
		const LearnFeature *feature = &gd->columns->feature[j];
		double		range = feature->upper - feature->lower;

		if (feature->is_category)
		{
			square += 1.0;
			for (int l = 0; l < feature->nlevels; l++)
			{
				double		share = (double) gd->share[feature->first_level + l] / ONE;

				square -= share * share;
				constant -= share * weight[gd->nnumbers + feature->first_level + l];
			}
		}
		else
		{
			double		slope = weight[feature->place] * (double) gd->scale[feature->place] / ONE;

			/* Of a normal distribution: pi / 2 times the square of the mean absolute deviation. */
			square += SPREAD * SPREAD * 1.5707963267948966;
			constant -= slope * (feature->lower / range +
								 (double) gd->centre[feature->place] / DPRIV_LEARN_RANGE);
			weight[feature->place] = slope / range;
		}
	}
	weight[nterms - 1] = constant;
	square = Max(square, 0.25);
	for (int j = 0; j < nterms; j++)
		gd->training->weight[j] = weight[j] / sqrt(square);
}

static void
train(LearnTraining *training)
{
	Gd		   *gd = training->state;
	int			nterms = dpriv_learn_nterms(&training->columns);
	double	   *weight = palloc0(sizeof(double) * nterms);

	gd->sum = palloc(sizeof(int64) * nterms);
	gd->weight = palloc(sizeof(int64) * nterms);
	gd->centre = palloc(sizeof(int32) * (gd->nnumbers + 1));
	gd->scale = palloc(sizeof(int64) * (gd->nnumbers + 1));
	gd->share = palloc(sizeof(int32) * (gd->nlevels + 1));
	gd->square = palloc(sizeof(int64) * (gd->nlevels + 1));
	gd->first_level = palloc(sizeof(int32) * (gd->ncategories + 1));
	for (int j = 0; j < training->columns.nfeatures; j++)
		if (training->columns.feature[j].is_category)
			gd->first_level[training->columns.feature[j].place] =
				training->columns.feature[j].first_level;

	dpriv_progress_report(DPRIV_PHASE_MEANS, 0, 0);
	find_means(gd);
	dpriv_progress_report(DPRIV_PHASE_SPREAD, 0, 0);
	find_spread(gd);
	dpriv_progress_report(DPRIV_PHASE_STANDARDISING, 0, 0);
	dpriv_learn_store_scan(training->store, true, standardise, gd);
	make_slopes(gd);
	for (int i = 0; i < STEPS; i++)
	{
		dpriv_progress_report(DPRIV_PHASE_STEPS, i, STEPS);
		step(gd, weight, LEARNING_RATE * (1.0 - (double) i / STEPS));
	}
	map_back(gd, weight);
}

static const char *const gd_options[] = {"features", "positive", NULL};

const LearnMethod dpriv_learn_gd = {"gd", gd_options, prepare, train};
