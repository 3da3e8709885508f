/*
 * constants.c
 *	  Put a release's own parameters into the aggregates of a plan.
 *
 * An external parameter is looked up for every row, which costs more than adding the row; a
 * constant is not, and compiled expressions contain it.  Only a copy made for one execution is
 * changed, since the values may be others next time.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "release/constants.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

/*
 * Larger values (edges, categories) stay parameters.  Parallel workers get the plan as text,
 * several bytes for each byte of a value, and the work per row is more than a look-up there.
 */
#define LARGEST_CONSTANT 1024	/* bytes */

typedef struct Context
{
	ParamListInfo params;
	int			above;
} Context;

static Node *
replace_parameters(Node *node, void *context)
{
	Param	   *param = (Param *) node;
	Context    *replace = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Param) && param->paramkind == PARAM_EXTERN && param->paramid > replace->above &&
		param->paramid <= replace->params->numParams)
	{
		ParamExternData *value = &replace->params->params[param->paramid - 1];
		int16		typlen;
		bool		typbyval;

		if (value->ptype != param->paramtype)
			elog(ERROR, "a release's parameter has another type than its plan");
		get_typlenbyval(value->ptype, &typlen, &typbyval);
		if (!value->isnull && datumGetSize(value->value, typbyval, typlen) <= LARGEST_CONSTANT)
			return (Node *) makeConst(value->ptype, param->paramtypmod, param->paramcollid, typlen,
									  value->value, false, typbyval);
	}
	return expression_tree_mutator(node, replace_parameters, context);
}

static void visit(Plan *plan, Context *context);

static void
visit_list(List *plans, Context *context)
{
	ListCell   *lc;

	foreach(lc, plans)
		visit(lfirst(lc), context);
}

/* Children of nodes that are not listed here keep their parameters. */
static void
visit(Plan *plan, Context *context)
{
	if (plan == NULL)
		return;
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_Agg:
			plan->targetlist = (List *) replace_parameters((Node *) plan->targetlist, context);
			break;
		case T_Append:
			visit_list(((Append *) plan)->appendplans, context);
			break;
		case T_MergeAppend:
			visit_list(((MergeAppend *) plan)->mergeplans, context);
			break;
		case T_SubqueryScan:
			visit(((SubqueryScan *) plan)->subplan, context);
			break;
		default:
			break;
	}
	visit(outerPlan(plan), context);
	visit(innerPlan(plan), context);
}

PlannedStmt *
dpriv_plan_with_constants(PlannedStmt *stmt, ParamListInfo params, int above)
{
	Context		context = {params, above};
	bool		needed = false;

	for (int i = above; i < params->numParams && !needed; i++)
		needed = OidIsValid(params->params[i].ptype);
	if (!needed)
		return stmt;
	stmt = copyObject(stmt);
	visit(stmt->planTree, &context);
	return stmt;
}
