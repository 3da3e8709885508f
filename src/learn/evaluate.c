/*
 * evaluate.c
 *	  dp_logreg_evaluate: how good a model is, released from rows that nobody else sees.
 *
 * A row counts in one of 2 BINS counts, by its class and by the probability that the model gives to
 * it: adding or removing a row changes one count by 1, so discrete Laplace noise of scale 1 /
 * epsilon on each makes all of them together epsilon-private.  Everything else follows from the
 * noisy counts.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "accounting/laplace.h"
#include "accounting/rdp.h"
#include "accounting/zcdp.h"
#include "call/call.h"
#include "funcapi.h"
#include "learn/columns.h"
#include "learn/model.h"
#include "learn/options.h"
#include "learn/rows.h"
#include "mechanism/constant.h"
#include "noise/laplace.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#define FUNCTION "dp_logreg_evaluate"

/* Arguments. */
enum
{
	ARG_MODEL,
	ARG_SOURCE,
	ARG_LABEL,
	ARG_EPSILON,
	ARG_FILTER,
	ARG_OPTIONS,
	NARGS,
};

static const char *const required[NARGS] = {
	[ARG_MODEL] = "model",
	[ARG_SOURCE] = "source",
	[ARG_LABEL] = "label",
	[ARG_OPTIONS] = "options",
};

/* An even number: half of them are for each decision. */
#define BINS 64

/* Of a standard normal variable: its size is below that in 95 of 100 cases. */
#define NORMAL_95 1.959963984540054

typedef struct Evaluation
{
	LearnModel *model;
	LearnLabel	label;
	DprivEpsilon epsilon;
	RowsQuery	query;
	int64		count[2][BINS]; /* by class */
	double		variance;		/* of the noise on each */
} Evaluation;

/* Rows without a score, for want of a number, count nowhere. */
static void
count_row(void *context, int class, const Datum *value, const bool *isnull)
{
	Evaluation *evaluation = context;
	double		score = dpriv_learn_score(evaluation->model, value, isnull);
	int			bin;

	if (isnan(score))
		return;
	bin = (int) (dpriv_learn_clipped_link(score) * BINS);
	if (score > 0)
		bin = Min(Max(bin, BINS / 2), BINS - 1);
	else
		bin = Max(Min(bin, BINS / 2 - 1), 0);
	evaluation->count[class][bin]++;
}

static DprivCost
cost_of(DprivEpsilon epsilon)
{
	double		up = nextafter(dpriv_epsilon_to_double(epsilon.noise), INFINITY);
	DprivCost	cost = {epsilon.charge};

	cost.rho = dpriv_zcdp_discrete_laplace(up, 1.0);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = dpriv_rdp_discrete_laplace(up, 1.0, dpriv_orders[i]);
	return cost;
}

static void
add_noise(Evaluation *evaluation)
{
	DprivLaplace laplace;
	double		t = exp(-dpriv_epsilon_to_double(evaluation->epsilon.noise));

	if (!dpriv_laplace_init(&laplace, DPRIV_EPSILON_UNIT_PER_ONE, evaluation->epsilon.noise))
		elog(ERROR, "noise scale is out of range");
	for (int class = 0; class < 2; class++)
		for (int bin = 0; bin < BINS; bin++)
			evaluation->count[class][bin] += dpriv_laplace_draw(&laplace);
	DPRIV_CONSTANT_SUMS(&evaluation->count[0][0], 2 * BINS, 1);
	evaluation->variance = 2.0 * t / ((1.0 - t) * (1.0 - t));
}

static void
evaluate(void *arg)
{
	Evaluation *evaluation = arg;

	dpriv_learn_read(&evaluation->query, &evaluation->label, count_row, evaluation);
	dpriv_progress_report(DPRIV_PHASE_NOISE, 0, 0);
	add_noise(evaluation);
}

/*
 * The answer
 */

static void
put_metric(ReturnSetInfo *result, const char *name, double value, double error)
{
	Datum		column[3] = {CStringGetTextDatum(name), Float8GetDatum(value),
	Float8GetDatum(error)};
	bool		isnull[3] = {false, isnan(value), isnan(error)};

	tuplestore_putvalues(result->setResult, result->setDesc, column, isnull);
}

/* Rows of a class that are decided as positive, or as negative. */
static double
decided(const Evaluation *evaluation, int class, bool positive)
{
	double		sum = 0.0;

	for (int bin = 0; bin < BINS / 2; bin++)
		sum += (double) evaluation->count[class][positive ? BINS / 2 + bin : bin];
	return sum;
}

/*
 * The area under the ROC curve: how often a positive row has the larger score, ties counting half.
 * Its error is that of the noise, to first order: the derivative by a count of positive rows is
 * (rows of the other class below, less the area) / their number, and likewise for the others.
 */
static void
put_auc(ReturnSetInfo *result, const Evaluation *evaluation, double positives, double negatives)
{
	double		area = 0.0;
	double		squares = 0.0;
	double		below = 0.0;
	double		above = 1.0;

	if (!(positives > 0 && negatives > 0))
	{
		put_metric(result, "auc", NAN, NAN);
		return;
	}
	for (int bin = 0; bin < BINS; bin++)
	{
		double		negative = (double) evaluation->count[0][bin] / negatives;

		area += (double) evaluation->count[1][bin] / positives * (below + 0.5 * negative);
		below += negative;
	}
	below = 0.0;
	for (int bin = 0; bin < BINS; bin++)
	{
		double		negative = (double) evaluation->count[0][bin] / negatives;
		double		positive = (double) evaluation->count[1][bin] / positives;
		double		by_positive = (below + 0.5 * negative - area) / positives;
		double		by_negative = (above - 0.5 * positive - area) / negatives;

		squares += by_positive * by_positive + by_negative * by_negative;
		below += negative;
		above -= positive;
	}
	put_metric(result, "auc", Min(Max(area, 0.0), 1.0),
			   NORMAL_95 * sqrt(squares * evaluation->variance));
}

static void
put_metrics(ReturnSetInfo *result, const Evaluation *evaluation)
{
	double		tp = decided(evaluation, 1, true);
	double		fn = decided(evaluation, 1, false);
	double		fp = decided(evaluation, 0, true);
	double		tn = decided(evaluation, 0, false);
	double		error = NORMAL_95 * sqrt(BINS / 2 * evaluation->variance);
	double		total = tp + fn + fp + tn;
	double		accuracy = total > 0 ? (tp + tn) / total : NAN;

	put_metric(result, "accuracy", total > 0 ? Min(Max(accuracy, 0.0), 1.0) : NAN,
			   total > 0 ? NORMAL_95 * sqrt(BINS * evaluation->variance *
											(accuracy * accuracy +
											 (1.0 - accuracy) * (1.0 - accuracy))) / total : NAN);
	put_metric(result, "true_positives", tp, error);
	put_metric(result, "false_positives", fp, error);
	put_metric(result, "true_negatives", tn, error);
	put_metric(result, "false_negatives", fn, error);
	put_auc(result, evaluation, tp + fn, fp + tn);
}

static List *
column_names(const Evaluation *evaluation)
{
	List	   *names = list_make1(evaluation->label.name);

	for (int i = 0; i < evaluation->model->ncolumns; i++)
		names = lappend(names, evaluation->model->column[i].feature.name);
	return names;
}

static void
check_label(const Evaluation *evaluation)
{
	for (int i = 0; i < evaluation->model->ncolumns; i++)
		if (evaluation->model->column[i].feature.column == evaluation->label.column)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("label \"%s\" is a feature as well", evaluation->label.name),
					 errhint("Name the column that the model predicts.")));
}

PG_FUNCTION_INFO_V1(dpriv_logreg_evaluate);

/* dp_logreg_evaluate(model, source, label, epsilon, filter, options) */
Datum
dpriv_logreg_evaluate(PG_FUNCTION_ARGS)
{
	static const char *const known[] = {"positive", NULL};
	Evaluation *evaluation = palloc0(sizeof(Evaluation));
	LearnTerms *terms;
	Relation	source;
	Jsonb	   *options;

	dpriv_call_check(fcinfo, FUNCTION, required);
	evaluation->epsilon = dpriv_call_epsilon(fcinfo, ARG_EPSILON, FUNCTION);
	options = PG_GETARG_JSONB_P(ARG_OPTIONS);
	dpriv_learn_check_options(options, known, FUNCTION);

	/*
	 * First: reading a model may call the caller's functions, and these rename the columns of the
	 * source.  From here on nothing of the caller's runs until all columns are found.
	 */
	terms = dpriv_learn_terms(PG_GETARG_OID(ARG_MODEL));
	source = dpriv_call_open(PG_GETARG_OID(ARG_SOURCE), FUNCTION);
	dpriv_learn_label(&evaluation->label, source, text_to_cstring(PG_GETARG_TEXT_PP(ARG_LABEL)),
					  options);
	evaluation->model = dpriv_learn_model(terms, RelationGetDescr(source));
	check_label(evaluation);
	evaluation->query = dpriv_learn_plan(source, column_names(evaluation),
										 PG_ARGISNULL(ARG_FILTER) ? NULL :
										 text_to_cstring(PG_GETARG_TEXT_PP(ARG_FILTER)));
	relation_close(source, NoLock);
	InitMaterializedSRF(fcinfo, 0);

	if (!dpriv_call_pay(cost_of(evaluation->epsilon), evaluation->query.relation, FUNCTION,
						"discrete Laplace"))
		return (Datum) 0;
	dpriv_call_run(DPRIV_COMMAND_EVALUATE, evaluate, evaluation);
	put_metrics((ReturnSetInfo *) fcinfo->resultinfo, evaluation);
	return (Datum) 0;
}
