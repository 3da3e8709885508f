/*
 * split.c
 *	  Take a statement apart: what reads private rows, and what only sees released values.
 *
 * A query level with private aggregates becomes two queries.  The inner one keeps FROM, WHERE and
 * GROUP BY.  The outer one keeps everything else and reads the released rows through a placeholder,
 * a function in FROM that the planner later replaces by the Release node.  Nothing of the outer
 * query can reach a private row: it has no reference to one left, which is checked here.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mechanism/measure.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "compat.h"
#include "objects.h"
#include "optimizer/optimizer.h"
#include "release/inner.h"
#include "release/large.h"
#include "release/source.h"
#include "release/split.h"
#include "release/types.h"
#include "rewrite/rewriteManip.h"

typedef struct SplitContext
{
	PlannerInfo *root;			/* only to simplify and inline */
	List	   *levels;			/* queries around the current one, innermost first */
	int			nparameters;	/* highest external parameter of the statement */
	PlanInnerQuery plan_inner;
	void	   *plan_context;
	List	   *releases;		/* of ReleaseSpec */
} SplitContext;

/* Where an outer expression is being rewritten. */
typedef struct OuterContext
{
	Split	   *split;
	int			depth;			/* subqueries between here and the release's level */
} OuterContext;

static bool split_walker(Node *node, SplitContext *context);

/*
 * Detection
 */

static bool
may_release_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return dpriv_may_release((Query *) node);
	return expression_tree_walker(node, may_release_walker, context);
}

bool
dpriv_may_release(Query *query)
{
	bool		plain = !query->hasSubLinks && query->cteList == NIL;
	ListCell   *lc;

	if (query->commandType == CMD_UTILITY)
		return false;
	if (query->hasAggs || query->hasWindowFuncs)
		return true;
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_FUNCTION)
			return true;		/* may be inlined to anything */
		if (rte->rtekind == RTE_SUBQUERY)
			plain = false;
	}
	return !plain && query_tree_walker(query, may_release_walker, NULL, 0);
}

/* Does an expression hold a private aggregate of the level "depth" above it? */
static bool
measure_walker(Node *node, int *depth)
{
	int			nprivacy;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == *depth &&
		dpriv_measure_find(((Aggref *) node)->aggfnoid, &nprivacy) >= 0)
		return true;
	if (IsA(node, Query))
	{
		bool		found;

		(*depth)++;
		found = query_tree_walker((Query *) node, measure_walker, depth, 0);
		(*depth)--;
		return found;
	}
	return expression_tree_walker(node, measure_walker, depth);
}

static bool
is_release_level(Query *query)
{
	int			depth = 0;

	return query->hasAggs &&
		(measure_walker((Node *) query->targetList, &depth) ||
		 measure_walker(query->havingQual, &depth));
}

static bool
window_walker(Node *node, void *context)
{
	int			nprivacy;

	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc) &&
		dpriv_measure_find(((WindowFunc *) node)->winfnoid, &nprivacy) >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private aggregate cannot be used as a window function"),
				 errdetail("It would answer once for every row."),
				 errhint("Release grouped values in a subquery and use ordinary window "
						 "functions on them.")));
	return expression_tree_walker(node, window_walker, context);
}

static bool
max_parameter_walker(Node *node, int *highest)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
		*highest = Max(*highest, ((Param *) node)->paramid);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, max_parameter_walker, highest, 0);
	return expression_tree_walker(node, max_parameter_walker, highest);
}

int
dpriv_placeholder_number(RangeTblEntry *rte)
{
	FuncExpr   *call;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1)
		return -1;
	call = (FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (!IsA(call, FuncExpr) || call->funcid != dpriv_object(DPRIV_RELEASE) ||
		!IsA(linitial(call->args), Const))
		return -1;
	return DatumGetInt32(((Const *) linitial(call->args))->constvalue);
}

/* The placeholder is ours alone: one that a statement brings along would reach another release. */
static void
refuse_foreign_placeholder(Query *query)
{
	ListCell   *lc;
	ListCell   *lf;

	foreach(lc, query->rtable)
	{
		foreach(lf, lfirst_node(RangeTblEntry, lc)->functions)
		{
			FuncExpr   *call = (FuncExpr *) lfirst_node(RangeTblFunction, lf)->funcexpr;

			if (IsA(call, FuncExpr) && call->funcid == dpriv_object(DPRIV_RELEASE))
				ereport(ERROR,
						(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						 errmsg("function dpriv.release cannot be called"),
						 errhint("Use the private aggregates, for example dp_count(*).")));
		}
	}
}

/*
 * The outer query
 */

/* Column of the released rows, the same one for the same thing. */
static Var *
released_column(OuterContext *context, ReleaseColumnKind kind, int index, Expr *confidence,
				Node *like)
{
	ReleaseSpec *spec = context->split->spec;
	ReleaseColumn *column = NULL;
	int			number = 0;
	ListCell   *lc;

	foreach(lc, spec->columns)
	{
		ReleaseColumn *candidate = lfirst(lc);

		number++;
		if (candidate->kind == kind && candidate->index == index &&
			equal(candidate->confidence, confidence))
		{
			column = candidate;
			break;
		}
	}
	if (column == NULL)
	{
		if (list_length(spec->columns) >= DPRIV_MAX_COLUMNS)
			dpriv_refuse_columns();
		column = palloc0(sizeof(ReleaseColumn));
		column->kind = kind;
		column->index = index;
		column->confidence = confidence;
		column->type = exprType(like);
		column->typmod = exprTypmod(like);
		column->collation = exprCollation(like);
		spec->columns = lappend(spec->columns, column);
		number = list_length(spec->columns);
	}
	return makeVar(1, number, column->type, column->typmod, column->collation, context->depth);
}

static int
measure_of(OuterContext *context, Node *node)
{
	Aggref	   *aggref = (Aggref *) node;
	int			nprivacy;
	int			kind;

	if (!IsA(node, Aggref) || aggref->agglevelsup != context->depth)
		return -1;
	kind = dpriv_measure_find(aggref->aggfnoid, &nprivacy);
	if (kind < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("an ordinary aggregate cannot stand beside a private one"),
				 errdetail("Its exact result would be visible."),
				 errhint("Use private aggregates only, or move the ordinary aggregate to "
						 "another query.")));
	if (context->depth > 0)
	{
		aggref = copyObject(aggref);
		IncrementVarSublevelsUp((Node *) aggref, -context->depth, context->depth);
	}
	return dpriv_inner_measure(context->split, aggref, kind, nprivacy);
}

/* A private aggregate of a query between here and the release's level: its own split is ahead. */
static bool
is_measure_of_subquery(Node *node, OuterContext *context)
{
	int			nprivacy;

	return IsA(node, Aggref) && ((Aggref *) node)->agglevelsup < context->depth &&
		dpriv_measure_find(((Aggref *) node)->aggfnoid, &nprivacy) >= 0;
}

static void
refuse_unknown_error(OuterContext *context, int measure)
{
	ReleaseMeasure *of = list_nth(context->split->spec->measures, measure);
	const DprivMeasureKind *kind = &dpriv_measures[of->kind];

	if (kind->half_width == NULL && kind->public_error)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp_error() cannot say how far %s is off", kind->name),
				 errdetail("Each element of the answer has an error of its own."),
				 errhint("Read the column error of the elements.")));
	if (kind->half_width == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp_error() cannot say how far %s is off", kind->name),
				 errdetail("The answer is chosen, and how far it is from the exact one depends "
						   "on rows that stay private."),
				 errhint("Leave dp_error() out. The error of dp_histogram() is public.")));
}

/* dp_error(measure [, confidence]) as a released column; NULL if it is no such call. */
static Node *
error_column(FuncExpr *call, OuterContext *context)
{
	Expr	   *confidence = NULL;
	int			measure;

	if (call->funcid != dpriv_object(DPRIV_ERROR) &&
		call->funcid != dpriv_object(DPRIV_ERROR_CONFIDENCE))
		return NULL;
	measure = measure_of(context, linitial(call->args));
	if (measure < 0 && is_measure_of_subquery(linitial(call->args), context))
		return NULL;
	if (measure < 0)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("dp_error() takes a private aggregate of the same query"),
				 errhint("Write the aggregate itself, for example dp_error(dp_count(*)).")));
	refuse_unknown_error(context, measure);
	if (list_length(call->args) > 1)
		confidence = dpriv_public_expression(context->split, lsecond(call->args),
											 "confidence of dp_error()");
	return (Node *) released_column(context, RELEASE_ERROR, measure, confidence, (Node *) call);
}

static Node *
outer_mutator(Node *node, OuterContext *context)
{
	ListCell   *lc;
	int			measure;

	if (node == NULL)
		return NULL;

	/* Group keys match as whole expressions. */
	foreach(lc, context->split->keys)
	{
		Node	   *key = lfirst(lc);

		if (context->depth > 0)
		{
			key = copyObject(key);
			IncrementVarSublevelsUp(key, context->depth, 0);
		}
		if (equal(node, key))
			return (Node *) released_column(context, RELEASE_KEY, foreach_current_index(lc), NULL,
											node);
	}

	measure = measure_of(context, node);
	if (measure >= 0)
		return (Node *) released_column(context, RELEASE_VALUE, measure, NULL, node);

	switch (nodeTag(node))
	{
		case T_FuncExpr:
			{
				Node	   *error = error_column((FuncExpr *) node, context);

				if (error)
					return error;
				break;
			}
		case T_GroupingFunc:
			if (((GroupingFunc *) node)->agglevelsup == context->depth)
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("private releases do not support GROUPING()"),
						 errhint("Leave GROUPING() out.")));
			break;
		case T_Var:
			if (((Var *) node)->varlevelsup == context->depth)
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("a column of the rows themselves cannot be selected beside a "
								"private aggregate"),
						 errhint("Use it inside a private aggregate, or as a group key.")));
			break;
		case T_Query:
			{
				Query	   *result;

				context->depth++;
				result = query_tree_mutator((Query *) node, outer_mutator, context, 0);
				context->depth--;
				return (Node *) result;
			}
		default:
			break;
	}
	return expression_tree_mutator(node, outer_mutator, context);
}

/* The function in FROM that the planner replaces by the Release node. */
static RangeTblEntry *
make_placeholder(int number, ReleaseSpec *spec)
{
	RangeTblEntry *rte = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	FuncExpr   *call;
	ListCell   *lc;

	call = makeFuncExpr(dpriv_object(DPRIV_RELEASE), RECORDOID,
						list_make1(makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
											 Int32GetDatum(number), false, true)),
						InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	call->funcretset = spec->keys != NIL;
	function->funcexpr = (Node *) call;
	function->funccolcount = list_length(spec->columns);
	foreach(lc, spec->columns)
	{
		ReleaseColumn *column = lfirst(lc);
		static const char *const prefix[] = {"key", "value", "error"};
		char	   *name = psprintf("%s%d", prefix[column->kind], column->index + 1);

		function->funccolnames = lappend(function->funccolnames, makeString(name));
		function->funccoltypes = lappend_oid(function->funccoltypes, column->type);
		function->funccoltypmods = lappend_int(function->funccoltypmods, column->typmod);
		function->funccolcollations = lappend_oid(function->funccolcollations, column->collation);
	}
	rte->rtekind = RTE_FUNCTION;
	rte->functions = list_make1(function);
	rte->eref = makeAlias("release", copyObject(function->funccolnames));
	rte->inFromCl = true;
	return rte;
}

static bool
is_zero(Node *limit, PlannerInfo *root)
{
	Const	   *value = (Const *) eval_const_expressions(root, limit);

	return value && IsA(value, Const) && !value->constisnull &&
		DatumGetInt64(value->constvalue) == 0;
}

static void
split_level(Query *query, SplitContext *context)
{
	Split		split = {0};
	OuterContext outer = {0};
	ReleaseSpec *spec = palloc0(sizeof(ReleaseSpec));
	RangeTblRef *ref = makeNode(RangeTblRef);
	Node	   *having;
	ListCell   *lc;

	dpriv_flatten_group_rte(query);
	split.query = query;
	split.root = context->root;
	split.spec = spec;
	split.nparameters = context->nparameters;
	outer.split = &split;

	dpriv_inner_begin(&split, context->levels);

	/* Entry by entry: resjunk entries that served GROUP BY only need no column. */
	foreach(lc, query->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		tle->expr = (Expr *) outer_mutator((Node *) tle->expr, &outer);
	}
	having = outer_mutator(query->havingQual, &outer);
	dpriv_inner_end(&split);

	spec->nparameters = context->nparameters;
	if (is_zero(query->limitCount, context->root))
		spec->empty = true;
	spec->row_parameters = dpriv_parameters_of(split.inner, spec->nparameters);
	dpriv_move_permissions(split.inner, query);
	spec->inner = context->plan_inner(split.inner, context->plan_context);

	ref->rtindex = 1;
	query->rtable = list_make1(make_placeholder(list_length(context->releases), spec));
	query->jointree = makeFromExpr(list_make1(ref), having);
	query->groupClause = NIL;
	query->groupDistinct = false;
	query->havingQual = NULL;
	query->hasAggs = false;
	context->releases = lappend(context->releases, spec);
}

static void
split_query(Query *query, SplitContext *context)
{
	check_stack_depth();
	context->levels = lcons(query, context->levels);

	dpriv_inline_functions(query, context->root);
	refuse_foreign_placeholder(query);
	dpriv_refuse_explained(query);
	if (query->hasWindowFuncs)
		(void) window_walker((Node *) query->targetList, NULL);
	if (is_release_level(query))
		split_level(query, context);
	(void) query_tree_walker(query, split_walker, context, 0);

	context->levels = list_delete_first(context->levels);
}

static bool
split_walker(Node *node, SplitContext *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		split_query((Query *) node, context);
		return false;
	}
	return expression_tree_walker(node, split_walker, context);
}

/* Rows that are locked or changed may be evaluated again for newer versions; a release may not. */
static bool
rechecks_rows_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		Query	   *query = (Query *) node;

		if (query->rowMarks || query->commandType == CMD_UPDATE ||
			query->commandType == CMD_DELETE || query->commandType == CMD_MERGE)
			return true;
		return query_tree_walker(query, rechecks_rows_walker, context, 0);
	}
	return expression_tree_walker(node, rechecks_rows_walker, context);
}

List *
dpriv_split(Query *query, ParamListInfo bound_params, PlannerGlobal *glob,
			PlanInnerQuery plan_inner, void *plan_context)
{
	SplitContext context = {0};

	/* Just enough of a planner's state for inlining and constant folding. */
	context.root = makeNode(PlannerInfo);
	context.root->parse = query;
	context.root->glob = glob;
	context.root->query_level = 1;
	context.root->planner_cxt = CurrentMemoryContext;

	context.plan_inner = plan_inner;
	context.plan_context = plan_context;
	(void) max_parameter_walker((Node *) query, &context.nparameters);
	if (bound_params)
		context.nparameters = Max(context.nparameters, bound_params->numParams);

	split_query(query, &context);

	if (context.releases && rechecks_rows_walker((Node *) query, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private release cannot be part of UPDATE, DELETE, MERGE or a query "
						"that locks rows"),
				 errhint("Store the released value first, for example with CREATE TABLE AS "
						 "or INSERT.")));
	return context.releases;
}
