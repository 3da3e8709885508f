/*
 * call.c
 *	  What calls of the functions that read rows have in common.
 *
 * A call is one release: everything it costs follows from its arguments and settings, and is
 * charged, once and on disk, before a row is read.  It is a function in FROM: the executor runs it
 * once for its place in a statement and reads the stored answer again, however often that is asked
 * for, and its arguments, which must be constants or parameters, do not change in between.
 */
#include "postgres.h"

#include "access/relation.h"
#include "accounting/delta.h"
#include "call/call.h"
#include "catalog/pg_class.h"
#include "config.h"
#include "ledger/charge.h"
#include "nodes/execnodes.h"
#include "nodes/nodeFuncs.h"
#include "noise/random.h"
#include "release/cost.h"
#include "release/node.h"
#include "release/quantum.h"
#include "release/seal.h"
#include "tcop/pquery.h"
#include "tcop/tcopprot.h"
#include "utils/portal.h"
#include "utils/rel.h"

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

void
dpriv_call_check(FunctionCallInfo fcinfo, const char *function, const char *const *argument)
{
	Node	   *expression = fcinfo->flinfo->fn_expr;
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	/* Only a function in FROM is asked for all rows at once and runs once. */
	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		!(result->allowedModes & SFRM_Materialize_Preferred))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s must be called in FROM", function),
				 errdetail("Elsewhere it would run, and be charged, once for every row."),
				 errhint("Write SELECT * FROM %s(...).", function)));
	if (expression == NULL || changes_walker(expression, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("arguments of %s must be constants or parameters", function),
				 errdetail("What it costs must not depend on data."),
				 errhint("Write the values themselves, or pass them as parameters such as $1.")));
	for (int i = 0; i < fcinfo->nargs; i++)
		if (PG_ARGISNULL(i) && argument[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %s of %s must not be NULL", argument[i], function),
					 errhint("Pass a value, or leave it out if it has a default.")));
	if (dpriv_is_sealed())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot run inside a private release", function),
				 errdetail("What it costs would depend on private rows."),
				 errhint("Call it first, and use its answer afterwards.")));
}

DprivEpsilon
dpriv_call_epsilon(FunctionCallInfo fcinfo, int argument, const char *function)
{
	bool		given = !PG_ARGISNULL(argument);
	double		value = given ? PG_GETARG_FLOAT8(argument) : dpriv_setting_epsilon;
	DprivEpsilon epsilon;
	DprivEpsilon largest;

	if (!given && value == 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no epsilon", function),
				 errdetail("It is given neither as an argument nor by dpriv.epsilon."),
				 errhint("Write epsilon => 0.5, for example.")));
	if (!dpriv_epsilon_from_double(value, &epsilon) ||
		!dpriv_epsilon_from_double(dpriv_setting_max_epsilon, &largest) ||
		epsilon.charge > largest.charge)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon of %s is out of range", function),
				 errdetail("It must lie between %g and dpriv.max_epsilon, which is %g.",
						   DPRIV_EPSILON_MIN, dpriv_setting_max_epsilon),
				 errhint("Values from 0.1 to 1 are usual.")));
	return epsilon;
}

double
dpriv_call_delta(FunctionCallInfo fcinfo, int argument, const char *function)
{
	double		delta = PG_ARGISNULL(argument) ? dpriv_setting_delta : PG_GETARG_FLOAT8(argument);
	int128		units;

	if (!dpriv_delta_from_double(delta, &units) || units == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta of %s is missing or out of range", function),
				 errdetail("Its noise is Gaussian and needs a delta from %g to %g.",
						   DPRIV_DELTA_MIN, DPRIV_DELTA_MAX),
				 errhint("SET dpriv.delta = 1e-6, for example, or pass it as an argument.")));
	dpriv_warn_of_delta(delta);
	return delta;
}

Relation
dpriv_call_open(Oid relation, const char *function)
{
	Relation	source = try_relation_open(relation, AccessShareLock);

	if (source == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("source of %s does not exist", function),
				 errhint("Pass the name of a table or a view.")));
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
					 errmsg("source of %s is no table or view", function),
					 errhint("Pass the name of a table or a view.")));
	}
	return NULL;				/* not reached */
}

/* Of the statement that the session runs; of a background worker, whatever it calls that. */
static const char *
statement_text(void)
{
	PlannedStmt *statement = ActivePortal ? PortalGetPrimaryStmt(ActivePortal) : NULL;

	if (statement == NULL)
		return debug_query_string;
	return dpriv_statement_text(ActivePortal->sourceText, statement);
}

bool
dpriv_call_pay(DprivCost cost, Oid relation, const char *function, const char *mechanism)
{
	DprivCharge charge = {relation, cost};

	if (dpriv_cost_asked(cost, relation, function, mechanism))
		return false;
	charge.measures = list_make1(unconstify(char *, function));
	charge.mechanisms = list_make1(unconstify(char *, mechanism));
	dpriv_charge(list_make1(&charge), statement_text(), NULL);
	return true;
}

typedef struct Work
{
	void		(*work) (void *arg);
	void	   *arg;
} Work;

static void
seal(void *arg)
{
	Work	   *work = arg;

	dpriv_seal(work->work, work->arg);
	dpriv_random_wipe();
}

static void
run(void *arg)
{
	dpriv_in_steps(seal, arg);
}

void
dpriv_call_run(DprivCommand command, void (*work) (void *arg), void *arg)
{
	Work		all = {work, arg};

	dpriv_progress_during(command, run, &all);
}
