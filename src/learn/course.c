/*
 * course.c
 *	  Method course: gradient descent as the course has it, to be read and compared.
 *
 * Every step clips each row's gradient to a Euclidean norm, sums, adds Gaussian noise and moves the
 * weights by the learning rate times the mean.  Nothing is learnt of the values first: numbers are
 * taken from -1, the lower bound, to 1, the upper one, which are public.  A row's gradient is cut
 * toward zero to whole steps of clip / 2^30, and its norm is then checked in integers: no row adds
 * more than the radius, whatever rounding did before.
 *
 * The budget is 5 % for the number of rows and the rest for the steps, in equal parts: of epsilon and
 * delta, which add up (accounting "basic", as in the course), or of rho (accounting "zcdp").
 */
#include "postgres.h"

#include <math.h>

#include "accounting/zcdp.h"
#include "learn/learn.h"
#include "learn/logistic.h"
#include "learn/options.h"

#define COUNT_SHARE 0.05

#define DEFAULT_ITERATIONS 10
#define DEFAULT_LEARNING_RATE 10.0
#define DEFAULT_CLIP 1.0

/* What the clipping norm is, in steps. */
#define RADIUS (INT64CONST(1) << 30)

typedef struct Course
{
	LearnTraining *training;
	const LearnColumns *columns;
	int			iterations;
	double		learning_rate;
	double		clip;
	LearnNoise	count_noise;
	LearnNoise	step_noise;
	int		   *first_level;	/* of each category: its place among the terms */
	double	   *weight;
	int64	   *sum;			/* of each term, while rows are read */
	int64	   *row;			/* of each number: one row's gradient */
	double	   *value;			/* of each number: of one row */
} Course;

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

static DprivCost
prepare(LearnTraining *training, Jsonb *options)
{
	Course	   *course = palloc0(sizeof(Course));
	const LearnColumns *columns = &training->columns;
	bool		basic = is_basic(options);
	DprivCost	cost;

	training->state = course;
	course->training = training;
	course->columns = columns;
	course->iterations = dpriv_learn_whole_option(options, "iterations", DEFAULT_ITERATIONS, 1,
												  1000);
	course->learning_rate = dpriv_learn_option(options, "learning_rate", DEFAULT_LEARNING_RATE,
											   1e-6, 1e6);
	course->clip = dpriv_learn_option(options, "clip", DEFAULT_CLIP, 1e-6, 1e6);
	course->count_noise = dpriv_learn_noise(1, rho_of(training, basic, COUNT_SHARE));
	course->step_noise = dpriv_learn_noise(RADIUS,
										   rho_of(training, basic, (1.0 - COUNT_SHARE) /
												  course->iterations));
	course->first_level = palloc(sizeof(int) * (columns->ncategories + 1));
	for (int i = 0; i < columns->nfeatures; i++)
	{
		const LearnFeature *feature = &columns->feature[i];

		if (feature->is_category)
			course->first_level[feature->place] = columns->nnumbers + feature->first_level;
	}
	cost = dpriv_cost_add(dpriv_learn_noise_cost(&course->count_noise, 1),
						  dpriv_learn_noise_cost(&course->step_noise, course->iterations));
	dpriv_learn_check_cost(&cost, dpriv_epsilon_to_double(training->epsilon.noise),
						   training->delta);
	return cost;
}

static void
count_rows(void *context, char *rows, int nrows)
{
	*(int64 *) context += nrows;
}

/* The score of a row; its numbers are left in value, the square of its norm in *square. */
static double
score_of(Course *course, LearnRow *row, const uint16 *code, double *square)
{
	const LearnColumns *columns = course->columns;
	double		score = course->weight[dpriv_learn_nterms(columns) - 1];

	*square = columns->ncategories + 1;
	for (int j = 0; j < columns->nnumbers; j++)
	{
		double		x = (2.0 * row->number[j] - DPRIV_LEARN_RANGE) / DPRIV_LEARN_RANGE;

		course->value[j] = x;
		score += course->weight[j] * x;
		*square += x * x;
	}
	for (int j = 0; j < columns->ncategories; j++)
		score += course->weight[course->first_level[j] + code[j]];
	return score;
}

/*
 * The row's gradient in steps: of each number in course->row, and of the constant, which is that of
 * each of its levels too.  Cut toward zero, and down until its norm is within the radius.
 */
static int64
clip_row(Course *course, double slope, double square)
{
	const LearnColumns *columns = course->columns;
	double		norm = fabs(slope) * sqrt(square);
	double		factor = slope * (RADIUS / Max(norm, course->clip));
	int64		one = (int64) factor;

	for (int j = 0; j < columns->nnumbers; j++)
		course->row[j] = (int64) (factor * course->value[j]);
	for (;;)
	{
		uint128		length = (uint128) (columns->ncategories + 1) * (one * one);

		for (int j = 0; j < columns->nnumbers; j++)
			length += (uint128) ((int128) course->row[j] * course->row[j]);
		if (length <= (uint128) RADIUS * RADIUS)
			return one;
		for (int j = 0; j < columns->nnumbers; j++)
			course->row[j] -= course->row[j] / 1024 + (course->row[j] > 0) - (course->row[j] < 0);
		one -= one / 1024 + (one > 0) - (one < 0);
	}
}

static void
add_gradients(void *context, char *rows, int nrows)
{
	Course	   *course = context;
	LearnStore *store = course->training->store;
	const LearnColumns *columns = course->columns;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		uint16	   *code = dpriv_learn_row_codes(store, row);
		double		square;
		double		score = score_of(course, row, code, &square);
		int64		one = clip_row(course, dpriv_learn_logistic(score) - row->positive, square);

		for (int j = 0; j < columns->nnumbers; j++)
			course->sum[j] += course->row[j];
		for (int j = 0; j < columns->ncategories; j++)
			course->sum[course->first_level[j] + code[j]] += one;
		course->sum[dpriv_learn_nterms(columns) - 1] += one;
	}
}

/* From weights on numbers from -1 to 1 to weights on the relation's values. */
static void
map_back(Course *course)
{
	double	   *constant = &course->weight[dpriv_learn_nterms(course->columns) - 1];

	for (int j = 0; j < course->columns->nfeatures; j++)
	{
		const LearnFeature *feature = &course->columns->feature[j];
		double		range = feature->upper - feature->lower;

		if (feature->is_category)
			continue;
		*constant -= course->weight[feature->place] * (1.0 + 2.0 * (feature->lower / range));
		course->weight[feature->place] *= 2.0 / range;
	}
}

static void
train(LearnTraining *training)
{
	Course	   *course = training->state;
	int			nterms = dpriv_learn_nterms(&training->columns);
	int64		count = 0;

	course->weight = training->weight;
	course->sum = palloc(sizeof(int64) * nterms);
	course->row = palloc(sizeof(int64) * nterms);
	course->value = palloc(sizeof(double) * nterms);

	dpriv_learn_store_scan(training->store, false, count_rows, &count);
	dpriv_learn_release(&course->count_noise, &count, 1);
	count = Max(count, 1);
	for (int i = 0; i < course->iterations; i++)
	{
		memset(course->sum, 0, sizeof(int64) * nterms);
		dpriv_learn_store_scan(training->store, false, add_gradients, course);
		dpriv_learn_release(&course->step_noise, course->sum, nterms);
		for (int j = 0; j < nterms; j++)
			course->weight[j] -= course->learning_rate / (double) count *
				((double) course->sum[j] * (course->clip / RADIUS));
	}
	map_back(course);
}

static const char *const course_options[] = {
	"features", "positive", "iterations", "learning_rate", "clip", "accounting", NULL
};

const LearnMethod dpriv_learn_course = {"course", course_options, prepare, train};
