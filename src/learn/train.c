/*
 * train.c
 *	  dp_logreg_train: a logistic regression, trained privately where the data lives.
 *
 * A call is one release: everything it costs follows from its arguments and settings, and is
 * charged, once and on disk, before a row is read.  It is a function in FROM: the executor runs it
 * once for its place in a statement and reads the stored answer again, however often that is asked
 * for, and its arguments, which must be constants or parameters, do not change in between.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "accounting/delta.h"
#include "accounting/zcdp.h"
#include "catalog/pg_class.h"
#include "config.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "learn/columns.h"
#include "learn/options.h"
#include "learn/rows.h"
#include "ledger/charge.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "noise/random.h"
#include "release/node.h"
#include "release/seal.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

static const LearnMethod *const methods[] = {&dpriv_learn_gd};

/* Arguments of dp_logreg_train. */
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

/*
 * Arguments
 */

/* Could it have another value when the same statement asks again? */
static bool
changes_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_SubLink:
		case T_SubPlan:
		case T_AlternativeSubPlan:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		default:
			return expression_tree_walker(node, changes_walker, context);
	}
}

static void
check_call(FunctionCallInfo fcinfo)
{
	Node	   *expression = fcinfo->flinfo->fn_expr;
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	static const char *const required[] = {"source", "label", "features", NULL, NULL, "method",
	NULL, "options"};

	/* Only a function in FROM is asked for all rows at once and runs once. */
	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		!(result->allowedModes & SFRM_Materialize_Preferred))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a training must be called in FROM"),
				 errdetail("Elsewhere it would run, and be charged, once for every row."),
				 errhint("Write SELECT * FROM dp_logreg_train(...).")));
	if (expression == NULL || changes_walker(expression, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments of a training must be constants or parameters"),
				 errdetail("What a training costs must not depend on data."),
				 errhint("Write the values themselves, or pass them as parameters such as $1.")));
	for (int i = 0; i < NARGS; i++)
		if (PG_ARGISNULL(i) && required[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %s of a training must not be NULL", required[i]),
					 errhint("Pass a value, or leave it out if it has a default.")));
	if (dpriv_is_sealed())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a training cannot run inside a private release"),
				 errdetail("What it costs would depend on private rows."),
				 errhint("Train first, and use the model afterwards.")));
}

static DprivEpsilon
read_epsilon(FunctionCallInfo fcinfo)
{
	bool		given = !PG_ARGISNULL(ARG_EPSILON);
	double		value = given ? PG_GETARG_FLOAT8(ARG_EPSILON) : dpriv_setting_epsilon;
	DprivEpsilon epsilon;
	DprivEpsilon largest;

	if (!given && value == 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a training has no epsilon"),
				 errdetail("It is given neither as an argument nor by dpriv.epsilon."),
				 errhint("Write epsilon => 0.5, for example.")));
	if (!dpriv_epsilon_from_double(value, &epsilon) ||
		!dpriv_epsilon_from_double(dpriv_setting_max_epsilon, &largest) ||
		epsilon.charge > largest.charge)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon of a training is out of range"),
				 errdetail("It must lie between %g and dpriv.max_epsilon, which is %g.",
						   DPRIV_EPSILON_MIN, dpriv_setting_max_epsilon),
				 errhint("Values from 0.1 to 1 are usual.")));
	return epsilon;
}

static double
read_delta(FunctionCallInfo fcinfo)
{
	double		delta = PG_ARGISNULL(ARG_DELTA) ? dpriv_setting_delta : PG_GETARG_FLOAT8(ARG_DELTA);
	int128		units;

	if (!dpriv_delta_from_double(delta, &units) || units == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a training has no valid delta"),
				 errdetail("Its noise is Gaussian and needs a delta from %g to %g.",
						   DPRIV_DELTA_MIN, DPRIV_DELTA_MAX),
				 errhint("SET dpriv.delta = 1e-6, for example, or pass it as an argument.")));
	dpriv_warn_of_delta(delta);
	return delta;
}

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

/* What has rows of its own, or is made of rows, by whoever is permitted to read it. */
static Relation
open_source(Oid relation)
{
	Relation	source = relation_open(relation, AccessShareLock);

	switch (source->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
		case RELKIND_VIEW:
			return source;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("source of a training is no table or view"),
					 errhint("Pass the name of a table or a view.")));
	}
	return NULL;				/* not reached */
}

/*
 * The charge
 */

/*
 * Epsilon and delta are what the user wrote; the noise is such that all releases together keep it,
 * which is computed once more here, from the noise itself.
 */
static void
pay(const LearnTraining *training, DprivCost cost, Oid relation)
{
	DprivCharge *charge = palloc0(sizeof(DprivCharge));

	if (!(dpriv_zcdp_epsilon(cost.rho, training->delta, DPRIV_ZCDP_TIGHT) <=
		  dpriv_epsilon_to_double(training->epsilon.charge)))
		elog(ERROR, "a training would cost more than its epsilon");
	cost.epsilon = training->epsilon.charge;
	if (!dpriv_delta_from_double(training->delta, &cost.delta_basic))
		elog(ERROR, "delta is out of range");
	charge->relation = relation;
	charge->cost = cost;
	charge->measures = list_make1("dp_logreg_train");
	charge->mechanisms = list_make1("discrete Gaussian");
	dpriv_charge(list_make1(charge), debug_query_string, NULL);
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

static void
train(LearnTraining *training, const LearnQuery *query)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpriv training",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	DprivQuiet	quiet;

	training->weight = palloc0(sizeof(double) * dpriv_learn_nterms(&training->columns));
	old = MemoryContextSwitchTo(context);
	dpriv_quiet_begin(&quiet);
	training->store = dpriv_learn_store(training->columns.nnumbers, training->columns.ncategories);
	dpriv_learn_read(query, &training->columns, training->store);
	training->method->train(training);
	dpriv_learn_store_close(training->store);
	dpriv_random_wipe();
	dpriv_quiet_end(&quiet);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

PG_FUNCTION_INFO_V1(dpriv_logreg_train);

/* dp_logreg_train(source, label, features, epsilon, delta, method, filter, options) */
Datum
dpriv_logreg_train(PG_FUNCTION_ARGS)
{
	LearnTraining training = {0};
	LearnQuery	query;
	DprivCost	cost;
	Relation	source;
	Jsonb	   *options;

	check_call(fcinfo);
	training.epsilon = read_epsilon(fcinfo);
	training.delta = read_delta(fcinfo);
	training.method = find_method(text_to_cstring(PG_GETARG_TEXT_PP(ARG_METHOD)));
	options = PG_GETARG_JSONB_P(ARG_OPTIONS);
	dpriv_learn_check_options(options, training.method);
	source = open_source(PG_GETARG_OID(ARG_SOURCE));
	dpriv_learn_columns(&training.columns, source,
						text_to_cstring(PG_GETARG_TEXT_PP(ARG_LABEL)),
						PG_GETARG_ARRAYTYPE_P(ARG_FEATURES), options);
	query = dpriv_learn_plan(source, &training.columns,
							 PG_ARGISNULL(ARG_FILTER) ? NULL :
							 text_to_cstring(PG_GETARG_TEXT_PP(ARG_FILTER)));
	relation_close(source, NoLock);
	cost = training.method->prepare(&training, options);
	InitMaterializedSRF(fcinfo, 0);

	pay(&training, cost, query.relation);
	train(&training, &query);
	put_model((ReturnSetInfo *) fcinfo->resultinfo, &training);
	return (Datum) 0;
}
