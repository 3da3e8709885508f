/*
 * objective.c
 *	  Method objective: the minimum of a randomly perturbed loss.
 *
 * Rows are put on a common scale as by method gd.  Then a normal vector b is drawn, and the minimum
 * of the sum of losses with (lambda / 2) |w|^2 and b w added is released: Redberg, Koskela and Wang
 * (2023), with the bound of accounting/objective.h.  The loss is that of gd, with slopes from -1/2
 * to 0 in the margin, and a second derivative of at most 1/4.
 *
 * What is found is no exact minimum, but weights of which the gradient has at most a length of tau.
 * So they are within tau / lambda of the minimum, which alone the bound is for, and Gaussian noise
 * for a sensitivity of 2 tau / lambda makes up for the difference.  That b is a multiple of 2^-31
 * and not a real number is part of tau.
 *
 * Unlike in the other methods privacy depends on floating point: on the gradient of the last
 * weights, see minimum.c, and on the search to end.  So restricted roles are refused.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/delta.h"
#include "accounting/objective.h"
#include "accounting/zcdp.h"
#include "learn/minimum.h"
#include "release/progress.h"

/* The loss: its largest slope is one of DPRIV_STANDARD_RADIUS steps. */
#define SLOPE_STEP ldexp(0.5, -DPRIV_STANDARD_RADIUS_BITS)
#define LARGEST_CURVATURE 0.25

/* Of epsilon: what the shift of the loss takes, which lambda is for. */
#define SHIFT_SHARE 0.2
#define LEAST_LAMBDA 0.01

/* Of what mu^2 / 2 and rho may be together: noise on the weights; the rest is for b. */
#define WEIGHTS_SHARE 0.02

/* Of delta: noise is accounted for as continuous, and this is for the difference. */
#define ROUNDING_SHARE 0.02

/* tau, at least, and for each row. */
#define TOLERANCE 0x1p-12
#define ROW_TOLERANCE 0x1p-36

/*
 * Weights are released as multiples of tau / lambda / 2^26.  A row moves them by at most 2 tau /
 * lambda, and less than 2^16 steps are for rounding of up to 1000 numbers below 2^61.
 */
#define WEIGHT_BITS 26
#define WEIGHT_SENSITIVITY ((INT64CONST(2) << WEIGHT_BITS) + (1 << 16))
#define LARGEST_WEIGHT 0x1p61

typedef struct Objective
{
	LearnStandard standard;
	LearnNoise	perturbation;
	LearnNoise	weights;
	double		lambda;
} Objective;

/* The shift, mu and all that is Gaussian besides, of the noise that was settled. */
typedef struct Loss
{
	double		shift;
	double		mu;
	DprivCost	besides;
	double		distance;		/* of all noise from continuous noise that is rounded */
} Loss;

/*
 * The cost of it.  Privacy with epsilon and delta is private with epsilon alone but for a
 * probability of delta, which is charged with less rho if epsilon is large.
 */
static DprivCost
cost_of(const Objective *objective, const Loss *loss, int nterms, double epsilon, double delta)
{
	DprivCost	cost = loss->besides;
	double		pure = dpriv_zcdp_pure(nextafter(epsilon, INFINITY));

	cost.rho = nextafter(cost.rho + dpriv_objective_rho(loss->mu, loss->shift), INFINITY);
	cost.delta_approx = (int128) ceil(loss->distance * 1e36);
	if (pure < cost.rho)
	{
		cost.rho = pure;
		if (!dpriv_delta_from_double(delta, &cost.delta_approx))
			elog(ERROR, "delta is out of range");
	}
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = nextafter(cost.curve[i] +
								  dpriv_objective_rdp(loss->mu, loss->shift, dpriv_orders[i]) +
								  dpriv_learn_rounding_divergence(&objective->perturbation, nterms,
																  dpriv_orders[i]), INFINITY);
	return cost;
}

static DprivCost
prepare(LearnTraining *training, Jsonb *options)
{
	Objective  *objective = palloc0(sizeof(Objective));
	int			nterms = dpriv_learn_nterms(&training->columns);
	double		epsilon = nextafter(dpriv_epsilon_to_double(training->epsilon.noise), 0.0);
	double		delta = training->delta;
	double		share = 1.0 - WEIGHTS_SHARE - DPRIV_STANDARD_MEANS_SHARE -
		DPRIV_STANDARD_SPREAD_SHARE;
	double		total;
	Loss		loss;

	if (nterms > DPRIV_MINIMUM_MAX_TERMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the features have too many values for method \"objective\""),
				 errdetail("A model of this method can have %d terms.", DPRIV_MINIMUM_MAX_TERMS),
				 errhint("Leave features out, or use method \"gd\".")));
	training->state = objective;
	objective->lambda = Max(LARGEST_CURVATURE / expm1(SHIFT_SHARE * epsilon), LEAST_LAMBDA);
	loss.shift = dpriv_objective_shift(LARGEST_CURVATURE, objective->lambda);
	total = dpriv_objective_total(loss.shift, share, epsilon, (1.0 - ROUNDING_SHARE) * delta) *
		DPRIV_LEARN_ROUNDING;
	loss.besides = dpriv_learn_standard(&objective->standard, training,
										DPRIV_STANDARD_MEANS_SHARE * total,
										DPRIV_STANDARD_SPREAD_SHARE * total);
	objective->perturbation = dpriv_learn_noise(DPRIV_STANDARD_RADIUS, share * total);
	objective->weights = dpriv_learn_noise(WEIGHT_SENSITIVITY, WEIGHTS_SHARE * total);
	loss.besides = dpriv_cost_add(loss.besides, dpriv_learn_noise_cost(&objective->weights, 1));
	loss.mu = sqrt(2.0 * objective->perturbation.rho);

	loss.distance = dpriv_learn_rounding_distance(&objective->standard.means, nterms) +
		dpriv_learn_rounding_distance(&objective->perturbation, nterms) +
		dpriv_learn_rounding_distance(&objective->weights, nterms);
	if (training->columns.nnumbers > 0)
		loss.distance += dpriv_learn_rounding_distance(&objective->standard.spread, nterms);
	loss.distance *= 1.0 + exp(epsilon);
	if (!(loss.distance <= ROUNDING_SHARE * delta))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta is too small for method \"objective\""),
				 errdetail("Its accounting is for continuous noise, and how far noise on whole "
						   "numbers is from that is taken from delta."),
				 errhint("Use a larger delta, a smaller epsilon, or method \"gd\".")));
	if (!(dpriv_objective_delta(loss.mu, loss.shift, loss.besides.rho, epsilon) +
		  loss.distance <= delta))
		elog(ERROR, "a training would cost more than its epsilon");
	return cost_of(objective, &loss, nterms, epsilon, delta);
}

/* Gradients at weights of zero, where all slopes are 1/2. */
static void
add_gradients(void *context, char *rows, int nrows)
{
	LearnStandard *standard = context;
	LearnStore *store = standard->training->store;
	int64	   *sum = standard->sum;

	for (int i = 0; i < nrows; i++)
	{
		LearnRow   *row = (LearnRow *) (rows + i * dpriv_learn_row_size(store));
		uint16	   *code = dpriv_learn_row_codes(store, row);
		int64		c = row->positive ? -(int64) row->factor : (int64) row->factor;

		for (int j = 0; j < standard->nnumbers; j++)
			sum[j] += c * row->number[j];
		for (int j = 0; j < standard->ncategories; j++)
			sum[standard->nnumbers + standard->first_level[j] + code[j]] += c;
		sum[dpriv_learn_nterms(standard->columns) - 1] += c;
	}
}

/*
 * Draw b: as noise on the gradient at zero, which is not released.  So a test that looks at
 * releases sees what one row adds to the sum that b hides.
 */
static void
draw_perturbation(Objective *objective, double *perturbation)
{
	LearnStandard *standard = &objective->standard;
	int			nterms = dpriv_learn_nterms(standard->columns);
	int64	   *exact = palloc(sizeof(int64) * nterms);
	int64	   *sum = standard->sum;
	int64		total;

	memset(sum, 0, sizeof(int64) * nterms);
	dpriv_learn_store_scan(standard->training->store, false, add_gradients, standard);
	total = sum[nterms - 1];
	for (int l = 0; l < standard->nlevels; l++)
		sum[standard->nnumbers + l] = sum[standard->nnumbers + l] * DPRIV_STANDARD_ONE -
			total * standard->share[l];
	sum[nterms - 1] = total * DPRIV_STANDARD_CONSTANT;
	memcpy(exact, sum, sizeof(int64) * nterms);
	dpriv_learn_release(&objective->perturbation, sum, nterms);
	for (int j = 0; j < nterms; j++)
		perturbation[j] = (double) (sum[j] - exact[j]) * SLOPE_STEP;
	pfree(exact);
}

static void
release_weights(Objective *objective, double *weight, double step)
{
	int			nterms = dpriv_learn_nterms(objective->standard.columns);
	int64	   *whole = objective->standard.sum;

	for (int j = 0; j < nterms; j++)
		whole[j] = (int64) rint(Max(Min(weight[j] / step, LARGEST_WEIGHT), -LARGEST_WEIGHT));
	dpriv_learn_release(&objective->weights, whole, nterms);
	for (int j = 0; j < nterms; j++)
		weight[j] = (double) whole[j] * step;
}

/*
 * Where the search does not end, the answer is the minimum of no rows at all: what it then says of
 * rows is that they were such.
 */
static void
train(LearnTraining *training)
{
	Objective  *objective = training->state;
	int			nterms = dpriv_learn_nterms(&training->columns);
	double	   *weight = palloc(sizeof(double) * nterms);
	double	   *perturbation = palloc(sizeof(double) * nterms);
	double		tolerance;

	dpriv_learn_standard_rows(&objective->standard);
	dpriv_progress_report(DPRIV_PHASE_STEPS, 0, 0);
	draw_perturbation(objective, perturbation);
	tolerance = Max(TOLERANCE, objective->standard.count * ROW_TOLERANCE);
	if (!dpriv_learn_minimum(&objective->standard, perturbation, objective->lambda,
							 tolerance - SLOPE_STEP * sqrt(nterms), weight))
		for (int j = 0; j < nterms; j++)
			weight[j] = -perturbation[j] / objective->lambda;
	release_weights(objective, weight, ldexp(tolerance / objective->lambda, -WEIGHT_BITS));
	dpriv_learn_standard_back(&objective->standard, weight);
}

static const char *const objective_options[] = {"features", "positive", NULL};

const LearnMethod dpriv_learn_objective = {
	"objective", "objective perturbation", objective_options, prepare, train, true
};
