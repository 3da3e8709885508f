/*
 * standard.c
 *	  Rows of a common scale: centred, scaled, and divided by their length.
 *
 * A row's vector x has its numbers, centred and scaled, its categories as one coordinate for each
 * level, centred, and a constant; it is divided by its length.  What is centred and scaled by comes
 * from two releases of sums.
 *
 * A row takes part in them as a vector of integers, whose length is within the sensitivity by
 * construction, and in nothing else: v is multiplied by floor(S 2^20 / ceil|v|) / 2^20 if |v| > S,
 * toward zero, so |v| <= S.
 */
#include "postgres.h"

#include <math.h>

#include "learn/standard.h"
#include "release/progress.h"

#define ONE DPRIV_STANDARD_ONE
#define CONSTANT DPRIV_STANDARD_CONSTANT

/* Coordinates of rows: their largest size. */
#define LARGEST (ONE * 64)

/* Numbers are scaled so that their mean absolute deviation is this. */
#define SPREAD 0.25

/*
 * Sums are of places on ranges, and noise is on finer steps: where it is accounted for as
 * continuous, the difference matters less.
 */
#define FINE 256

/* The square root, rounded up. */
static int64
root_up(int64 square)
{
	int64		root = (int64) sqrt((double) square);

	while (root * root < square)
		root++;
	return root;
}

DprivCost
dpriv_learn_standard(LearnStandard *standard, LearnTraining *training, double means, double spread)
{
	const LearnColumns *columns = &training->columns;
	double		numbers = columns->nnumbers;
	double		radius = sqrt(columns->ncategories + 1 + numbers / 3.0) * DPRIV_LEARN_RANGE;
	DprivCost	cost;

	standard->training = training;
	standard->columns = columns;
	standard->nnumbers = columns->nnumbers;
	standard->ncategories = columns->ncategories;
	standard->nlevels = columns->nlevels;
	standard->means = dpriv_learn_noise((int64) radius * FINE, means);
	cost = dpriv_learn_noise_cost(&standard->means, 1);
	if (standard->nnumbers > 0)
	{
		radius = 0.2 * sqrt(numbers) * DPRIV_LEARN_RANGE;
		standard->spread = dpriv_learn_noise((int64) radius * FINE, spread);
		cost = dpriv_cost_add(cost, dpriv_learn_noise_cost(&standard->spread, 1));
	}
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
	LearnStandard *standard = context;
	LearnStore *store = standard->training->store;
	int64		fixed = (int64) (standard->ncategories + 1) * DPRIV_LEARN_RANGE * DPRIV_LEARN_RANGE;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		uint16	   *code = dpriv_learn_row_codes(store, row);
		int64		square = fixed;
		int64		factor;

		for (int j = 0; j < standard->nnumbers; j++)
		{
			int64		v = 2 * (int64) row->number[j] - DPRIV_LEARN_RANGE;

			square += v * v;
		}
		factor = shrink(square, standard->means.sensitivity / FINE);
		for (int j = 0; j < standard->nnumbers; j++)
			standard->sum[j] += (2 * (int64) row->number[j] - DPRIV_LEARN_RANGE) * factor /
				DPRIV_LEARN_RANGE;
		for (int j = 0; j < standard->ncategories; j++)
			standard->sum[standard->nnumbers + standard->first_level[j] + code[j]] += factor;
		standard->sum[standard->nnumbers + standard->nlevels] += factor;
	}
}

static double
within(double x, double least, double largest)
{
	return Min(Max(x, least), largest);
}

static void
release(const LearnNoise *noise, int64 *sum, int n)
{
	for (int j = 0; j < n; j++)
		sum[j] *= FINE;
	dpriv_learn_release(noise, sum, n);
}

static void
find_means(LearnStandard *standard)
{
	int			nterms = dpriv_learn_nterms(standard->columns);
	double		count;

	memset(standard->sum, 0, sizeof(int64) * nterms);
	dpriv_learn_store_scan(standard->training->store, false, add_means, standard);
	release(&standard->means, standard->sum, nterms);

	/* Below that it is noise, which would make steps of any size. */
	count = Max((double) standard->sum[nterms - 1],
				dpriv_gaussian_sigma(&standard->means.gaussian));
	standard->count = count / FINE / DPRIV_LEARN_RANGE;
	for (int j = 0; j < standard->nnumbers; j++)
	{
		double		mean = 0.5 + 0.5 * (double) standard->sum[j] / count;

		standard->centre[j] = (int32) (within(mean, 0.0, 1.0) * DPRIV_LEARN_RANGE);
	}
	for (int l = 0; l < standard->nlevels; l++)
	{
		double		share = (double) standard->sum[standard->nnumbers + l] / count;

		standard->share[l] = (int32) (within(share, 0.0, 1.0) * ONE);
	}
	for (int j = 0; j < standard->columns->nfeatures; j++)
	{
		const LearnFeature *feature = &standard->columns->feature[j];
		int32	   *share = &standard->share[feature->first_level];
		int64	   *square = &standard->square[feature->first_level];
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
	LearnStandard *standard = context;
	LearnStore *store = standard->training->store;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		int64		square = 0;
		int64		factor;

		for (int j = 0; j < standard->nnumbers; j++)
		{
			int64		v = row->number[j] - standard->centre[j];

			square += v * v;
		}
		factor = shrink(square, standard->spread.sensitivity / FINE);
		for (int j = 0; j < standard->nnumbers; j++)
			standard->sum[j] += abs(row->number[j] - standard->centre[j]) * factor /
				DPRIV_LEARN_RANGE;
	}
}

static void
find_spread(LearnStandard *standard)
{
	double		count;
	double		least;

	if (standard->nnumbers == 0)
		return;
	memset(standard->sum, 0, sizeof(int64) * standard->nnumbers);
	dpriv_learn_store_scan(standard->training->store, false, add_spread, standard);
	release(&standard->spread, standard->sum, standard->nnumbers);

	/* Not much below what noise alone makes. */
	count = standard->count * FINE * DPRIV_LEARN_RANGE;
	least = Max(dpriv_gaussian_sigma(&standard->spread.gaussian) / count, 1e-3);
	for (int j = 0; j < standard->nnumbers; j++)
	{
		double		spread = (double) standard->sum[j] / count;

		standard->scale[j] = (int64) (SPREAD * ONE / within(spread, least, 1.0));
	}
}

/*
 * From places on ranges to coordinates, and r = floor(S / ceil|U|) in the row's factor.
 */
static void
standardise(void *context, char *rows, int nrows)
{
	LearnStandard *standard = context;
	LearnStore *store = standard->training->store;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		uint16	   *code = dpriv_learn_row_codes(store, row);
		int64		square = CONSTANT * CONSTANT;

		for (int j = 0; j < standard->nnumbers; j++)
		{
			int64		u = (row->number[j] - standard->centre[j]) * standard->scale[j] /
				DPRIV_LEARN_RANGE;

			row->number[j] = (int32) Min(Max(u, -LARGEST), LARGEST);
			square += (int64) row->number[j] * row->number[j];
		}
		for (int j = 0; j < standard->ncategories; j++)
			square += standard->square[standard->first_level[j] + code[j]];
		row->factor = (uint32) (DPRIV_STANDARD_RADIUS / root_up(square));
	}
}

void
dpriv_learn_standard_rows(LearnStandard *standard)
{
	int			nterms = dpriv_learn_nterms(standard->columns);

	standard->sum = palloc(sizeof(int64) * nterms);
	standard->centre = palloc(sizeof(int32) * (standard->nnumbers + 1));
	standard->scale = palloc(sizeof(int64) * (standard->nnumbers + 1));
	standard->share = palloc(sizeof(int32) * (standard->nlevels + 1));
	standard->square = palloc(sizeof(int64) * (standard->nlevels + 1));
	standard->first_level = palloc(sizeof(int32) * (standard->ncategories + 1));
	for (int j = 0; j < standard->columns->nfeatures; j++)
	{
		const LearnFeature *feature = &standard->columns->feature[j];

		if (feature->is_category)
			standard->first_level[feature->place] = feature->first_level;
	}
	dpriv_progress_report(DPRIV_PHASE_MEANS, 0, 0);
	find_means(standard);
	dpriv_progress_report(DPRIV_PHASE_SPREAD, 0, 0);
	find_spread(standard);
	dpriv_progress_report(DPRIV_PHASE_STANDARDISING, 0, 0);
	dpriv_learn_store_scan(standard->training->store, true, standardise, standard);
}

void
dpriv_learn_standard_back(const LearnStandard *standard, double *weight)
{
	int			nterms = dpriv_learn_nterms(standard->columns);
	double		square = (double) CONSTANT * CONSTANT / ((double) ONE * ONE);
	double		constant = weight[nterms - 1] * CONSTANT / ONE;

	for (int j = 0; j < standard->columns->nfeatures; j++)
	{
		const LearnFeature *feature = &standard->columns->feature[j];
		double		range = feature->upper - feature->lower;

		if (feature->is_category)
		{
			square += 1.0;
			for (int l = 0; l < feature->nlevels; l++)
			{
				double		share = (double) standard->share[feature->first_level + l] / ONE;

				square -= share * share;
				constant -= share * weight[standard->nnumbers + feature->first_level + l];
			}
		}
		else
		{
			double		scale = (double) standard->scale[feature->place] / ONE;
			double		slope = weight[feature->place] * scale;

			/* Of a normal distribution: pi / 2 times the square of the mean absolute deviation. */
			square += SPREAD * SPREAD * 1.5707963267948966;
			constant -= slope * (feature->lower / range +
								 (double) standard->centre[feature->place] / DPRIV_LEARN_RANGE);
			weight[feature->place] = slope / range;
		}
	}
	weight[nterms - 1] = constant;
	square = Max(square, 0.25);
	for (int j = 0; j < nterms; j++)
		standard->training->weight[j] = weight[j] / sqrt(square);
}
