/*
 * row.c
 *	  Expressions of an inner query that are evaluated for every private row.
 *
 * Those are WHERE, FILTER, group keys and the values of measures, and in views and subqueries WHERE
 * and the columns that are used.  Each is handed to the allow-list, after SQL functions in it have
 * been inlined.  Policies of the table itself are not among them: its owner wrote them.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/transam.h"
#include "compat.h"
#include "guard/expression.h"
#include "guard/row.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "release/large.h"
#include "release/source.h"
#include "utils/lsyscache.h"

/* What to do with the expressions. */
typedef struct Rows
{
	PlannerInfo *root;
	Oid			relation;		/* whose rows they are */
	const char *query_string;
	bool		only_find;		/* leave all as it is */
	const char *found;			/* what is not allowed */
} Rows;

/* Positions within the body of a function are not positions in the statement. */
static bool
calls_user_function_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid >= FirstNormalObjectId)
		return true;
	if (IsA(node, OpExpr) && ((OpExpr *) node)->opno >= FirstNormalObjectId)
		return true;
	return expression_tree_walker(node, calls_user_function_walker, context);
}

/*
 * The collation of the result, by which groups and distinct values are compared, is loaded now:
 * whether that fails, or warns, must not tell whether there are two rows to compare.
 */
static Node *
guard_expression(Node *expr, Rows *rows)
{
	bool		inlined;

	if (expr == NULL || rows->found)
		return expr;
	inlined = calls_user_function_walker(expr, NULL);
	expr = eval_const_expressions(rows->root, expr);
	if (rows->only_find)
	{
		rows->found = dpriv_guard_find(expr, rows->relation);
		return expr;
	}
	if (OidIsValid(exprCollation(expr)))
		dpriv_load_collation(exprCollation(expr));
	return dpriv_guard_expression(expr, rows->relation, inlined ? NULL : rows->query_string);
}

static void
guard_operators(List *clauses, Rows *rows)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		if (dpriv_guard_operator(clause->eqop) &&
			(!OidIsValid(clause->sortop) || dpriv_guard_operator(clause->sortop)))
			continue;
		if (rows->only_find)
		{
			rows->found = "a comparison of this type";
			return;
		}
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("values of this type cannot be compared where a private release reads "
						"rows of a protected relation"),
				 errdetail("Operator %s is not among those that cannot fail.",
						   get_opname(clause->eqop)),
				 errhint("Cast them to a type such as integer or text.")));
	}
}

/* The measures' exact aggregates: their first argument is the value, the second is public. */
static void
guard_exact(Aggref *exact, Rows *rows)
{
	if (exact->args != NIL)
	{
		TargetEntry *value = linitial_node(TargetEntry, exact->args);

		value->expr = (Expr *) guard_expression((Node *) value->expr, rows);
	}
	exact->aggfilter = (Expr *) guard_expression((Node *) exact->aggfilter, rows);
	guard_operators(exact->aggdistinct, rows);
}

/* Columns of FROM that a level uses, offset as in sysattr.h; a whole row uses all. */
static Bitmapset *
used_columns(Query *query, Index source)
{
	Bitmapset  *used = NULL;

	pull_varattnos((Node *) query->targetList, source, &used);
	pull_varattnos(query->jointree->quals, source, &used);
	return used;
}

static bool
is_used(Bitmapset *used, AttrNumber column)
{
	return bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, used) ||
		bms_is_member(column - FirstLowInvalidHeapAttributeNumber, used);
}

/* The planner drops columns that nobody uses; dropped here, they need not be allowed. */
static void
guard_columns(List *target_list, Bitmapset *used, Rows *rows)
{
	ListCell   *lc;

	foreach(lc, target_list)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);
		Node	   *expr = (Node *) tle->expr;

		if (is_used(used, tle->resno))
			tle->expr = (Expr *) guard_expression(expr, rows);
		else if (!rows->only_find)
			tle->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr),
											   exprCollation(expr));
	}
}

/* The planner puts expressions in their place that nobody has checked. */
static void
refuse_virtual_columns(Oid relation, Bitmapset *used, Rows *rows)
{
	int			column = -1;

	while ((column = bms_next_member(used, column)) >= 0)
	{
		AttrNumber	attno = column + FirstLowInvalidHeapAttributeNumber;

		if (attno <= 0 || !dpriv_is_virtual_column(relation, attno))
			continue;
		if (!rows->only_find)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a virtual generated column cannot be used where a private release "
							"reads rows of a protected relation"),
					 errhint("Write its expression in the query, or make it STORED.")));
		rows->found = "a virtual generated column";
	}
}

static void
guard_below(Query *query, Rows *rows)
{
	Index		source = linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
	RangeTblEntry *rte = rt_fetch(source, query->rtable);

	check_stack_depth();
	query->jointree->quals = guard_expression(query->jointree->quals, rows);
	if (rte->rtekind == RTE_RELATION)
		refuse_virtual_columns(rte->relid, used_columns(query, source), rows);
	if (rte->rtekind != RTE_SUBQUERY)
		return;
	guard_columns(rte->subquery->targetList, used_columns(query, source), rows);
	guard_below(rte->subquery, rows);
}

static void
guard(Query *inner, Rows *rows)
{
	ListCell   *lc;

	foreach(lc, inner->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (IsA(tle->expr, Aggref))
			guard_exact((Aggref *) tle->expr, rows);
		else
			tle->expr = (Expr *) guard_expression((Node *) tle->expr, rows);
	}
	guard_operators(inner->groupClause, rows);
	guard_below(inner, rows);
}

void
dpriv_guard_rows(Query *inner, PlannerInfo *root, const char *query_string)
{
	Rows		rows = {root, dpriv_source_relation(inner), query_string};

	guard(inner, &rows);
	dpriv_refuse_many_constants(inner);
}

const char *
dpriv_guard_find_in_rows(Query *inner, PlannerInfo *root)
{
	Rows		rows = {root, dpriv_source_relation(inner), NULL, true};

	guard(copyObject(inner), &rows);
	return rows.found;
}
