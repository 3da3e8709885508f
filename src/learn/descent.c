/*
 * descent.c
 *	  Methods course and sgd: descent by gradients that are clipped row by row.
 *
 * Every step clips each row's gradient to a Euclidean norm, sums, adds Gaussian noise and moves the
 * weights by the learning rate times the mean.  Nothing is learnt of the values first: numbers are
 * taken from -1, the lower bound, to 1, the upper one, which are public.  A row's gradient is cut
 * toward zero to whole steps of clip / 2^34, and its norm is then checked in integers: no row adds
 * more than the radius, whatever rounding did before.
 *
 * course, the algorithm of the course, takes all rows in every step.  Its budget is 5 % for the
 * number of rows and the rest for the steps, in equal parts: of epsilon and delta, which add up
 * (accounting "basic", as in the course), or of rho (accounting "zcdp").
 *
 * sgd takes a Poisson sample: each row is in each step's sample with the same probability,
 * independently of all else, by exact coins.  Empty samples are steps like any other, and the sum
 * is divided by the expected size, since the actual one is private.  The rate is given, or follows
 * from that size and the number of rows as released; nothing is known of it then when the charge is
 * made, but that the steps keep their part of epsilon and delta, which is 95 %.  They do by the
 * distribution of the privacy loss of sampled Gaussian noise (accounting/pld.h).  That is for
 * continuous noise; noise on integers with this many steps to sigma differs from continuous noise
 * that is rounded by a distance that is taken from delta, as in mechanism/gaussian.c.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/delta.h"
#include "accounting/dpsgd.h"
#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/pld.h"
#include "accounting/rdp.h"
#include "accounting/sampled_gaussian.h"
#include "accounting/zcdp.h"
#include "learn/learn.h"
#include "learn/logistic.h"
#include "learn/options.h"
#include "release/progress.h"

#define COUNT_SHARE 0.05

/* Of sgd. */
#define DEFAULT_RATE 0.01
#define LEAST_RATE 1e-6
#define DEFAULT_EPOCHS 10.0
#define SGD_LEARNING_RATE 0.5
#define MAX_STEPS 1000000

/* What a rate of 1 is. */
#define RATE_ONE ((double) (UINT64CONST(1) << DPRIV_POISSON_BITS))

/* Of course. */
#define DEFAULT_ITERATIONS 10
#define COURSE_LEARNING_RATE 10.0
#define DEFAULT_CLIP 1.0

/* What the clipping norm is, in steps. */
#define RADIUS (INT64CONST(1) << 34)

/* Of sgd: noise is at least this many radiuses, and so sigma at least 2^33 steps. */
#define LEAST_NOISE 0.5

/* 1 / (24 sigma^2) for that: see mechanism/gaussian.c. */
#define FINE_DISTANCE (0x1p-66 / 24.0)

typedef struct Descent
{
	LearnTraining *training;
	const LearnColumns *columns;
	int			steps;
	uint64		rate;			/* of sampling, in 2^-32 */
	double		batch_size;		/* that the rate follows from; 0: it is given */
	double		epochs;			/* of sgd */
	double		noise_multiplier;	/* likewise */
	double		learning_rate;
	double		clip;
	LearnNoise	count_noise;
	LearnNoise	step_noise;
	int		   *first_level;	/* of each category: its place among the terms */
	double	   *weight;
	int64	   *sum;			/* of each term, while rows are read */
	int64	   *row;			/* of each number: one row's gradient */
	double	   *value;			/* of each number: of the rows that are worked on */
} Descent;

/* Of a part of the budget: the rho that keeps it. */
static double
rho_of(const LearnTraining *training, bool basic, double share)
{
	double		epsilon = nextafter(dpriv_epsilon_to_double(training->epsilon.noise), 0.0);

	share *= 1.0 - 1e-9;
	if (basic)
		return dpriv_zcdp_rho(share * epsilon, share * training->delta, DPRIV_ZCDP_TIGHT);
	return share * dpriv_zcdp_rho(epsilon, training->delta, DPRIV_ZCDP_TIGHT);
}

static bool
is_basic(Jsonb *options)
{
	char	   *accounting = dpriv_learn_text_option(options, "accounting");

	if (accounting == NULL || strcmp(accounting, "basic") == 0)
		return true;
	if (strcmp(accounting, "zcdp") == 0)
		return false;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("option \"accounting\" is unknown"),
			 errhint("Write \"basic\" for the sum of epsilons, or \"zcdp\".")));
	return true;				/* not reached */
}

/* What both methods have. */
static Descent *
begin(LearnTraining *training, Jsonb *options, double learning_rate)
{
	Descent    *descent = palloc0(sizeof(Descent));
	const LearnColumns *columns = &training->columns;

	training->state = descent;
	descent->training = training;
	descent->columns = columns;
	descent->learning_rate = dpriv_learn_option(options, "learning_rate", learning_rate,
												1e-6, 1e6);
	descent->clip = dpriv_learn_option(options, "clip", DEFAULT_CLIP, 1e-6, 1e6);
	descent->first_level = palloc(sizeof(int) * (columns->ncategories + 1));
	for (int i = 0; i < columns->nfeatures; i++)
	{
		const LearnFeature *feature = &columns->feature[i];

		if (feature->is_category)
			descent->first_level[feature->place] = columns->nnumbers + feature->first_level;
	}
	return descent;
}

static DprivCost
prepare_course(LearnTraining *training, Jsonb *options)
{
	Descent    *descent = begin(training, options, COURSE_LEARNING_RATE);
	bool		basic = is_basic(options);
	DprivCost	cost;

	descent->rate = RATE_ONE;
	descent->steps = dpriv_learn_whole_option(options, "iterations", DEFAULT_ITERATIONS, 1, 1000);
	descent->count_noise = dpriv_learn_noise(1, rho_of(training, basic, COUNT_SHARE));
	descent->step_noise = dpriv_learn_noise(RADIUS,
											rho_of(training, basic, (1.0 - COUNT_SHARE) /
												   descent->steps));
	cost = dpriv_cost_add(dpriv_learn_noise_cost(&descent->count_noise, 1),
						  dpriv_learn_noise_cost(&descent->step_noise, descent->steps));
	dpriv_learn_check_cost(&cost, dpriv_epsilon_to_double(training->epsilon.noise),
						   training->delta);
	return cost;
}

/* Of sgd: what all steps together may spend. */
typedef struct Steps
{
	double		epochs;
	double		epsilon;
	double		delta;
	double		distance;		/* of one step's noise from continuous noise that is rounded */
	int			most;			/* for which there is delta enough */
} Steps;

static Steps
steps_of(const LearnTraining *training, double epochs)
{
	const double share = (1.0 - COUNT_SHARE) * (1.0 - 1e-9);
	Steps		steps = {epochs};

	steps.epsilon = share * dpriv_epsilon_to_double(training->epsilon.noise);
	steps.delta = share * training->delta;
	steps.distance = dpriv_learn_nterms(&training->columns) * (1.0 + exp(steps.epsilon)) *
		FINE_DISTANCE;
	steps.most = (int) Min(MAX_STEPS, 0.5 * steps.delta / steps.distance);
	return steps;
}

/* With a rate: how many steps there are, and the rho of each without sampling. */
static double
plan_steps(Descent *descent, const Steps *steps)
{
	void	   *work = palloc(dpriv_pld_size());
	double		multiplier;

	descent->steps = (int) ceil(steps->epochs * RATE_ONE / (double) descent->rate);
	multiplier = dpriv_dpsgd_noise_multiplier_pld(steps->epsilon, steps->delta -
												  descent->steps * steps->distance,
												  (double) descent->rate / RATE_ONE,
												  descent->steps, work);
	pfree(work);				/* megabytes */
	descent->noise_multiplier = Max(LEAST_NOISE, multiplier);
	return 0.5 / (descent->noise_multiplier * descent->noise_multiplier);
}

/*
 * The rate that makes samples of the expected size, from the number of rows as released; larger if
 * there would be too many steps.
 */
static void
find_rate(Descent *descent, const Steps *steps, double count)
{
	double		rate = Max(descent->batch_size / count, LEAST_RATE);

	rate = Min(Max(rate, steps->epochs / steps->most), 1.0);
	descent->rate = (uint64) ceil(RATE_ONE * rate);
}

/*
 * The steps for the number of rows as released.  Rows have been read, so nothing fails here: were
 * noise beyond what can be drawn, which it is not for a rate of 1, the steps would be those.
 */
static void
plan_batches(Descent *descent, double count)
{
	Steps		steps = steps_of(descent->training, descent->epochs);
	Descent		planned = *descent;

	find_rate(descent, &steps, count);
	if (!dpriv_learn_noise_try(&descent->step_noise, RADIUS, plan_steps(descent, &steps)))
		*descent = planned;
}

/*
 * Of steps that are private with epsilon and delta, whatever the rate: every such mechanism is,
 * with probability 1 - delta, private with epsilon alone (Kairouz, Oh, Viswanath 2015).
 */
static DprivCost
mixture_cost(const Steps *steps)
{
	double		epsilon = nextafter(steps->epsilon, INFINITY);
	DprivCost	cost = {0};

	cost.rho = nextafter(dpriv_zcdp_pure(epsilon), INFINITY);
	cost.delta_approx = (int128) ceil(steps->delta * 1e36 * DPRIV_ROUND_UP);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = nextafter(dpriv_rdp_pure(epsilon, dpriv_orders[i]), INFINITY);
	return cost;
}

/*
 * Of steps with a rate that was given: the rho of that, or that of steps without sampling, which is
 * less if there are few of them; and the curve of sampled steps.
 */
static DprivCost
sampled_cost(const Descent *descent, const Steps *steps)
{
	double		nterms = dpriv_learn_nterms(descent->columns);
	double		rate = (double) descent->rate / RATE_ONE;
	double		unsampled = dpriv_zcdp_gaussian(1.0, descent->noise_multiplier) * descent->steps;
	DprivCost	cost = mixture_cost(steps);

	if (unsampled <= cost.rho)
	{
		cost.rho = nextafter(unsampled, INFINITY);
		cost.delta_approx = (int128) ceil(descent->steps * steps->distance * 1e36 *
										  DPRIV_ROUND_UP);
	}
	for (int i = 0; i < DPRIV_NORDERS; i++)
	{
		double		alpha = dpriv_orders[i];
		double		step = dpriv_rdp_sampled_gaussian(rate, descent->noise_multiplier, alpha) +
			dpriv_learn_rounding_divergence(&descent->step_noise, nterms, alpha);

		cost.curve[i] = nextafter(descent->steps * step, INFINITY);
	}
	return cost;
}

static DprivCost
prepare_sgd(LearnTraining *training, Jsonb *options)
{
	Descent    *descent = begin(training, options, SGD_LEARNING_RATE);
	double		epochs = dpriv_learn_option(options, "epochs", DEFAULT_EPOCHS, 1e-3, 1e3);
	Steps		steps = steps_of(training, epochs);
	double		rate = dpriv_learn_option(options, "rate", DEFAULT_RATE, LEAST_RATE, 1.0);
	double		wanted;
	DprivCost	cost;

	descent->batch_size = dpriv_learn_option(options, "batch_size", 0, 1, 1e9);
	descent->epochs = epochs;
	if (descent->batch_size > 0 && dpriv_learn_member(&options->root, "rate"))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options \"rate\" and \"batch_size\" exclude each other"),
				 errdetail("One follows from the other and the number of rows."),
				 errhint("Leave one of them out.")));
	descent->rate = (uint64) rint(RATE_ONE * rate);
	wanted = ceil(epochs * (descent->batch_size > 0 ? 1.0 : RATE_ONE / (double) descent->rate));
	if (wanted > steps.most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a training cannot have so many steps"),
				 errdetail("There are %g, epochs divided by rate; at most %d are possible, fewer "
						   "with a large epsilon and a small delta.", wanted, steps.most),
				 errhint("Use fewer epochs or a larger rate.")));
	descent->count_noise = dpriv_learn_noise(1, rho_of(training, true, COUNT_SHARE));

	/*
	 * A rate of 1 is what remains if noise for the one that follows from a size cannot be drawn.  A
	 * rate a little below 1 may need more: another step, in which nearly all rows take part.
	 */
	if (descent->batch_size > 0)
		descent->rate = (uint64) RATE_ONE;
	descent->step_noise = dpriv_learn_noise(RADIUS, plan_steps(descent, &steps));
	cost = descent->batch_size > 0 ? mixture_cost(&steps) : sampled_cost(descent, &steps);
	return dpriv_cost_add(dpriv_learn_noise_cost(&descent->count_noise, 1), cost);
}

static void
count_rows(void *context, char *rows, int nrows)
{
	*(int64 *) context += nrows;
}

/* The score of a row, its numbers from -1 to 1, and the square of its norm. */
static double
score_of(const Descent *descent, const LearnRow *row, const uint16 *code, double *value,
		 double *square)
{
	const LearnColumns *columns = descent->columns;
	double		score = descent->weight[dpriv_learn_nterms(columns) - 1];

	*square = columns->ncategories + 1;
	for (int j = 0; j < columns->nnumbers; j++)
	{
		double		x = (2.0 * row->number[j] - DPRIV_LEARN_RANGE) / DPRIV_LEARN_RANGE;

		value[j] = x;
		score += descent->weight[j] * x;
		*square += x * x;
	}
	for (int j = 0; j < columns->ncategories; j++)
		score += descent->weight[descent->first_level[j] + code[j]];
	return score;
}

/* Toward zero, by a part in a thousand, and by a step at least. */
static int64
smaller(int64 x)
{
	return x - (x / 1024 + (x > 0) - (x < 0));
}

/* What a row is multiplied by to be its gradient in steps, but for rounding. */
static double
factor_of(double slope, double square, double clip)
{
	double		norm = fabs(slope) * sqrt(square);

	return slope * (RADIUS / (norm > clip ? norm : clip));
}

/*
 * The row's gradient in steps: of each number in descent->row, and of the constant, which is that
 * of each of its levels too.  Cut toward zero, and down until its norm is within the radius.
 */
static int64
clip_row(Descent *descent, double factor, const double *value)
{
	const LearnColumns *columns = descent->columns;
	int64		one = (int64) factor;

	for (int j = 0; j < columns->nnumbers; j++)
		descent->row[j] = (int64) (factor * value[j]);
	for (;;)
	{
		uint128		length = (uint128) (columns->ncategories + 1) *
			(uint128) ((int128) one * one);

		for (int j = 0; j < columns->nnumbers; j++)
			length += (uint128) ((int128) descent->row[j] * descent->row[j]);
		if (length <= (uint128) RADIUS * RADIUS)
			return one;
		for (int j = 0; j < columns->nnumbers; j++)
			descent->row[j] = smaller(descent->row[j]);
		one = smaller(one);
	}
}

static void
add_gradient(Descent *descent, double factor, const double *value, const uint16 *code)
{
	const LearnColumns *columns = descent->columns;
	int64		one = clip_row(descent, factor, value);

	for (int j = 0; j < columns->nnumbers; j++)
		descent->sum[j] += descent->row[j];
	for (int j = 0; j < columns->ncategories; j++)
		descent->sum[descent->first_level[j] + code[j]] += one;
	descent->sum[dpriv_learn_nterms(columns) - 1] += one;
}

/* In passes over some rows, none of which waits for what it does to the row before. */
static void
add_gradients(void *context, LearnRow **rows, int nrows)
{
	Descent    *descent = context;
	int			nnumbers = descent->columns->nnumbers;
	uint16	   *code[DPRIV_LEARN_ROWS];
	double		square[DPRIV_LEARN_ROWS];
	double		factor[DPRIV_LEARN_ROWS];	/* at first the score, then the probability */

	for (int i = 0; i < nrows; i++)
	{
		code[i] = dpriv_learn_row_codes(descent->training->store, rows[i]);
		factor[i] = score_of(descent, rows[i], code[i], &descent->value[i * nnumbers],
							 &square[i]);
	}
	dpriv_learn_logistic_each(factor, nrows);
	for (int i = 0; i < nrows; i++)
		factor[i] = factor_of(factor[i] - rows[i]->positive, square[i], descent->clip);
	for (int i = 0; i < nrows; i++)
		add_gradient(descent, factor[i], &descent->value[i * nnumbers], code[i]);
}

/* From weights on numbers from -1 to 1 to weights on the relation's values. */
static void
map_back(Descent *descent)
{
	double	   *constant = &descent->weight[dpriv_learn_nterms(descent->columns) - 1];

	for (int j = 0; j < descent->columns->nfeatures; j++)
	{
		const LearnFeature *feature = &descent->columns->feature[j];
		double		range = feature->upper - feature->lower;

		if (feature->is_category)
			continue;
		*constant -= descent->weight[feature->place] * (1.0 + 2.0 * (feature->lower / range));
		descent->weight[feature->place] *= 2.0 / range;
	}
}

static void
train(LearnTraining *training)
{
	Descent    *descent = training->state;
	int			nterms = dpriv_learn_nterms(&training->columns);
	int64		count = 0;
	double		expected;
	DprivPoisson sample;

	descent->weight = training->weight;
	descent->sum = palloc(sizeof(int64) * nterms);
	descent->row = palloc(sizeof(int64) * nterms);
	descent->value = palloc(sizeof(double) * DPRIV_LEARN_ROWS *
							Max(1, training->columns.nnumbers));

	dpriv_learn_store_scan(training->store, false, count_rows, &count);
	dpriv_learn_release(&descent->count_noise, &count, 1);
	expected = Max((double) count, dpriv_gaussian_sigma(&descent->count_noise.gaussian));
	if (descent->batch_size > 0)
		plan_batches(descent, expected);
	dpriv_poisson_init(&sample, descent->rate);
	expected *= (double) descent->rate / RATE_ONE;
	for (int i = 0; i < descent->steps; i++)
	{
		dpriv_progress_report(DPRIV_PHASE_STEPS, i, descent->steps);
		memset(descent->sum, 0, sizeof(int64) * nterms);
		dpriv_learn_store_sample(training->store, &sample, add_gradients, descent);
		dpriv_learn_release(&descent->step_noise, descent->sum, nterms);
		for (int j = 0; j < nterms; j++)
			descent->weight[j] -= descent->learning_rate / expected *
				((double) descent->sum[j] * (descent->clip / RADIUS));
	}
	map_back(descent);
}

static const char *const course_options[] = {
	"features", "positive", "iterations", "learning_rate", "clip", "accounting", NULL
};

const LearnMethod dpriv_learn_course = {
	"course", "discrete Gaussian", course_options, prepare_course, train
};

static const char *const sgd_options[] = {
	"features", "positive", "epochs", "rate", "batch_size", "learning_rate", "clip", NULL
};

const LearnMethod dpriv_learn_sgd = {
	"sgd", "discrete Gaussian", sgd_options, prepare_sgd, train
};
