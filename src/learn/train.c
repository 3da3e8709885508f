/*
 * train.c
 *	  dp_logreg_train: a logistic regression, trained privately where the data lives.
 *
 * Whatever the method, all noise is settled and charged for before a row is read, and rows are only
 * seen by the method's sums.
 */
#include "postgres.h"

#include "access/relation.h"
#include "accounting/delta.h"
#include "call/call.h"
#include "fmgr.h"
#include "funcapi.h"
#include "learn/columns.h"
#include "learn/options.h"
#include "learn/rows.h"
#include "learn/values.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "release/cost.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static const LearnMethod *const methods[] = {
	&dpriv_learn_gd, &dpriv_learn_course, &dpriv_learn_sgd, &dpriv_learn_objective
};

#define FUNCTION "dp_logreg_train"

/* Arguments. */
enum
{
	ARG_SOURCE,
	ARG_LABEL,
	ARG_FEATURES,
	ARG_EPSILON,
	ARG_DELTA,
	ARG_METHOD,
	ARG_FILTER,
	ARG_OPTIONS,
	NARGS,
};

static const char *const required[NARGS] = {
	[ARG_SOURCE] = "source",
	[ARG_LABEL] = "label",
	[ARG_FEATURES] = "features",
	[ARG_METHOD] = "method",
	[ARG_OPTIONS] = "options",
};

static const LearnMethod *
find_method(const char *name)
{
	for (int i = 0; i < lengthof(methods); i++)
		if (strcmp(methods[i]->name, name) == 0)
			return methods[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("method of a training is unknown"),
			 errhint("Leave it out for \"gd\". The reference of dp_logreg_train lists the "
					 "others.")));
	return NULL;				/* not reached */
}

/*
 * The bound of a method that is not exact can be missed by rows that are made for it, and those who
 * may not see rows may have some of them inserted.
 */
static void
check_exact(const LearnMethod *method, Oid relation)
{
	if (method->is_inexact && dpriv_is_restricted(relation, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("method \"%s\" is not for restricted roles", method->name),
				 errdetail("Its guarantee depends on floating point."),
				 errhint("Use method \"gd\", or have the owner of the table train it.")));
}

/*
 * The answer
 */

static void
put_term(ReturnSetInfo *result, char *term, double weight)
{
	Datum		value[2] = {CStringGetTextDatum(term), Float8GetDatum(weight)};
	bool		isnull[2] = {false, false};

	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

static void
put_model(ReturnSetInfo *result, const LearnTraining *training)
{
	const LearnColumns *columns = &training->columns;
	const double *weight = training->weight;

	put_term(result, "intercept", weight[dpriv_learn_nterms(columns) - 1]);
	for (int i = 0; i < columns->nfeatures; i++)
	{
		const LearnFeature *feature = &columns->feature[i];
		const double *level_weight = &weight[columns->nnumbers + feature->first_level];

		if (!feature->is_category)
		{
			put_term(result, feature->name, weight[feature->place]);
			continue;
		}
		for (int l = 0; l < feature->nlevels - 1; l++)
			put_term(result, psprintf("%s=%s", feature->name, feature->level[l]), level_weight[l]);
		put_term(result, psprintf("%s IS NULL", feature->name), level_weight[feature->nlevels - 1]);
	}
}

/*
 * The training
 */

static void
store_row(void *context, int class, const Datum *value, const bool *isnull)
{
	LearnTraining *training = context;
	const LearnColumns *columns = &training->columns;
	LearnRow   *row = dpriv_learn_store_add(training->store);
	uint16	   *code = dpriv_learn_row_codes(training->store, row);

	row->positive = class;
	for (int i = 0; i < columns->nfeatures; i++)
	{
		const LearnFeature *feature = &columns->feature[i];

		if (feature->is_category)
			code[feature->place] = isnull[i] ? feature->nlevels - 1 :
				dpriv_learn_level(feature, value[i]);
		else
			row->number[feature->place] = isnull[i] ? DPRIV_LEARN_RANGE / 2 :
				dpriv_learn_place(feature, dpriv_learn_number(value[i], feature->type));
	}
}

typedef struct Work
{
	LearnTraining *training;
	const RowsQuery *query;
} Work;

static void
train(void *arg)
{
	Work	   *work = arg;
	LearnTraining *training = work->training;

	training->store = dpriv_learn_store(training->columns.nnumbers, training->columns.ncategories);
	dpriv_learn_read(work->query, &training->columns.label, store_row, training);
	dpriv_learn_store_finish(training->store);
	training->method->train(training);
	dpriv_learn_store_close(training->store);
}

/* Whatever is allocated on the way is gone afterwards, but for the weights. */
static void
run(LearnTraining *training, const RowsQuery *query)
{
	Work		work = {training, query};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpriv training",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	training->weight = palloc0(sizeof(double) * dpriv_learn_nterms(&training->columns));
	old = MemoryContextSwitchTo(context);
	dpriv_call_run(DPRIV_COMMAND_TRAIN, train, &work);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static List *
column_names(const LearnColumns *columns)
{
	List	   *names = list_make1(columns->label.name);

	for (int i = 0; i < columns->nfeatures; i++)
		names = lappend(names, columns->feature[i].name);
	return names;
}

void
dpriv_learn_functions_init(void)
{
	dpriv_cost_register(dpriv_logreg_train);
	dpriv_cost_register(dpriv_logreg_evaluate);
}

PG_FUNCTION_INFO_V1(dpriv_logreg_train);

/* dp_logreg_train(source, label, features, epsilon, delta, method, filter, options) */
Datum
dpriv_logreg_train(PG_FUNCTION_ARGS)
{
	LearnTraining training = {0};
	RowsQuery	query;
	DprivCost	cost;
	Relation	source;
	Jsonb	   *options;

	dpriv_call_check(fcinfo, FUNCTION, required);
	training.epsilon = dpriv_call_epsilon(fcinfo, ARG_EPSILON, FUNCTION);
	training.delta = dpriv_call_delta(fcinfo, ARG_DELTA, FUNCTION);
	training.method = find_method(text_to_cstring(PG_GETARG_TEXT_PP(ARG_METHOD)));
	options = PG_GETARG_JSONB_P(ARG_OPTIONS);
	dpriv_learn_check_options(options, training.method->options,
							  psprintf("method \"%s\"", training.method->name));
	source = dpriv_call_open(PG_GETARG_OID(ARG_SOURCE), FUNCTION);
	dpriv_learn_columns(&training.columns, source,
						text_to_cstring(PG_GETARG_TEXT_PP(ARG_LABEL)),
						PG_GETARG_ARRAYTYPE_P(ARG_FEATURES), options);
	query = dpriv_learn_plan(source, column_names(&training.columns),
							 PG_ARGISNULL(ARG_FILTER) ? NULL :
							 text_to_cstring(PG_GETARG_TEXT_PP(ARG_FILTER)));
	relation_close(source, NoLock);
	check_exact(training.method, query.relation);
	cost = training.method->prepare(&training, options);
	cost.epsilon = training.epsilon.charge;
	if (!dpriv_delta_from_double(training.delta, &cost.delta_basic))
		elog(ERROR, "delta is out of range");
	InitMaterializedSRF(fcinfo, 0);

	if (!dpriv_call_pay(cost, query.relation, FUNCTION, training.method->mechanism))
		return (Datum) 0;
	run(&training, &query);
	put_model((ReturnSetInfo *) fcinfo->resultinfo, &training);
	return (Datum) 0;
}
