/*
 * source.c
 *	  What a release may read: rows that each come from one row of one source.
 *
 * Adding or removing one row of the source adds or removes at most one row below the aggregate.
 * That is what the sensitivities of all measures rest on, so everything that could multiply, move
 * or hide rows by looking at others is refused.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "objects.h"
#include "optimizer/optimizer.h"
#include "optimizer/prep.h"
#include "parser/parsetree.h"
#include "release/source.h"
#include "utils/syscache.h"

static void check_source(Query *query, List *levels, PlannerInfo *root, bool counted, bool *empty);
static void check_subquery(Query *query, List *levels, PlannerInfo *root, bool counted,
						   bool *empty);

void
dpriv_inline_functions(Query *query, PlannerInfo *root)
{
	List	   *functions = NIL;
	Query	   *saved = root->parse;
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_FUNCTION)
			functions = lappend(functions, lfirst(lc));
	}
	if (functions == NIL)
		return;
	root->parse = query;
	preprocess_function_rtes(root);
	root->parse = saved;

	/* Positions in a function's body are not positions in the statement: reading forgets them. */
	foreach(lc, functions)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_SUBQUERY)
			rte->subquery = stringToNode(nodeToString(rte->subquery));
	}
}

/* Refuse, naming the construct and the alternative. */
static void
refuse(const char *construct, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a private release cannot read from %s", construct),
			 errhint("%s", hint)));
}

static bool
row_expression_walker(Node *node, void *context)
{
	const char *construct = NULL;
	const char *hint =
	"Compute it in the query around the release, where released values may be used freely.";

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_SubLink:
			construct = "a subquery";
			hint = "Release its value first, in a query of its own, and pass it as a parameter; "
				"several values as an array, for = ANY($1). "
				"An exact value of private rows would not be protected.";
			break;
		case T_Var:
			if (((Var *) node)->varlevelsup > 0)
			{
				construct = "a column of an outer query";
				hint = "A release runs once for the whole statement. Use GROUP BY or "
					"dp_histogram(), or one release for each value.";
			}
			break;
		case T_Aggref:
		case T_GroupingFunc:
			construct = "an aggregate";
			break;
		case T_WindowFunc:
			construct = "a window function";
			break;
		case T_Param:
			if (((Param *) node)->paramkind != PARAM_EXTERN)
				construct = "an internal parameter";
			break;
		default:
			break;
	}
	if (construct)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be used where a private release reads rows", construct),
				 errhint("%s", hint)));
	return expression_tree_walker(node, row_expression_walker, context);
}

void
dpriv_check_row_expression(Node *expr)
{
	if (expression_returns_set(expr))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a set-returning function cannot be used where a private "
						"release reads rows"),
				 errdetail("One row would count several times."),
				 errhint("Call it in the query around the release.")));
	(void) row_expression_walker(expr, NULL);

	/*
	 * nextval() counts rows, set_config() and random() keep something from one row to the next and
	 * beyond the query: neither is a property of the row alone.
	 */
	if (contain_volatile_functions(expr))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a volatile function cannot be used where a private release reads rows"),
				 errdetail("What it returns may depend on other rows, and what it does may "
						   "outlive the query."),
				 errhint("Call it in the query around the release. Declare a function of your own "
						 "STABLE or IMMUTABLE if its result depends on its arguments and settings "
						 "only.")));
}

/*
 * Turn a reference to a CTE into a subquery, and check it.
 *
 * The planner drops a CTE without references and insists on one with references, so their number
 * must stay right.  counted: this reference is one of them.  Those within a copy are not, unless
 * the copy takes the place of a CTE whose last reference this was.
 */
static void
check_cte(RangeTblEntry *rte, List *levels, PlannerInfo *root, bool counted, bool *empty)
{
	List	   *owner_levels = list_copy_tail(levels, rte->ctelevelsup);
	Query	   *owner = linitial_node(Query, owner_levels);
	CommonTableExpr *cte = NULL;
	Query	   *query;
	ListCell   *lc;

	foreach(lc, owner->cteList)
	{
		cte = lfirst_node(CommonTableExpr, lc);
		if (strcmp(cte->ctename, rte->ctename) == 0)
			break;
		cte = NULL;
	}
	if (cte == NULL)
		elog(ERROR, "could not find CTE \"%s\"", rte->ctename);
	if (cte->cterecursive || rte->self_reference)
		refuse("a recursive query", "Read from the table itself.");

	query = copyObject(castNode(Query, cte->ctequery));
	if (counted)
		counted = --cte->cterefcount == 0;
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = query;
	rte->security_barrier = false;
	rte->ctename = NULL;
	rte->ctelevelsup = 0;
	rte->self_reference = false;
	rte->coltypes = NIL;
	rte->coltypmods = NIL;
	rte->colcollations = NIL;
	check_subquery(query, owner_levels, root, counted, empty);
}

/*
 * Is it written in SQL?  Where such a function is inlined its text is a part of the statement.
 * Otherwise it runs below the release, when that has been paid for: what it reads has not been
 * looked at, and another release in it is refused only then.
 */
static bool
is_sql_function(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	result = ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId;
	ReleaseSysCache(tuple);
	return result;
}

static void
check_function(RangeTblEntry *rte)
{
	Node	   *function;

	if (list_length(rte->functions) != 1 || rte->funcordinality)
		refuse("several functions or numbered rows", "Use one function without WITH ORDINALITY.");
	function = linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	if (IsA(function, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) function;

		if (call->funcid == dpriv_object(DPRIV_RELEASE))
			refuse("released values",
				   "Released values are public: use the ordinary aggregates of PostgreSQL on "
				   "them.");
		if (is_sql_function(call->funcid))
			refuse("an SQL function that PostgreSQL cannot inline",
				   "Declare it STABLE or IMMUTABLE, without STRICT, SECURITY DEFINER and SET, and "
				   "let it be one SELECT.");
		dpriv_check_row_expression((Node *) call->args);
	}
	else
		dpriv_check_row_expression(function);
}

static void
check_relation(RangeTblEntry *rte)
{
	if (rte->tablesample != NULL)
		refuse("TABLESAMPLE", "Read the whole table; leave TABLESAMPLE out.");
	switch (rte->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		default:
			refuse("this kind of relation", "Read from a table or a view.");
	}
}

static bool
is_constantly_false(Node *quals, PlannerInfo *root)
{
	if (quals == NULL)
		return false;
	quals = eval_const_expressions(root, copyObject(quals));
	return IsA(quals, Const) &&
		(((Const *) quals)->constisnull || !DatumGetBool(((Const *) quals)->constvalue));
}

void
dpriv_check_source(Query *query, List *levels, PlannerInfo *root, bool *empty)
{
	check_source(query, levels, root, true, empty);
}

static void
check_source(Query *query, List *levels, PlannerInfo *root, bool counted, bool *empty)
{
	FromExpr   *from = query->jointree;
	RangeTblEntry *rte;

	if (from->fromlist == NIL)
		refuse("nothing", "Add a FROM clause that names one table.");
	if (list_length(from->fromlist) > 1 || !IsA(linitial(from->fromlist), RangeTblRef))
		refuse("a join", "Release from each table by itself, grouped by what the join compares, and "
			   "join the released values. A table that is not private can be joined to them as it is.");

	dpriv_check_row_expression(from->quals);
	if (is_constantly_false(from->quals, root))
		*empty = true;

	rte = rt_fetch(linitial_node(RangeTblRef, from->fromlist)->rtindex, query->rtable);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			check_relation(rte);
			break;
		case RTE_SUBQUERY:
			check_subquery(rte->subquery, levels, root, counted, empty);
			break;
		case RTE_CTE:
			check_cte(rte, levels, root, counted, empty);
			break;
		case RTE_FUNCTION:
			check_function(rte);
			break;
		case RTE_VALUES:
			dpriv_check_row_expression((Node *) rte->values_lists);
			break;
		default:
			refuse("this kind of source", "Read from a table or a view.");
	}
}

Oid
dpriv_source_relation(Query *query)
{
	int			source = linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
	RangeTblEntry *rte = rt_fetch(source, query->rtable);

	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return rte->relid;
		case RTE_SUBQUERY:
			return dpriv_source_relation(rte->subquery);
		default:
			return InvalidOid;
	}
}

/*
 * A subquery may filter and project.  outer_levels: the queries around it, innermost first.
 */
static void
check_subquery(Query *query, List *outer_levels, PlannerInfo *root, bool counted, bool *empty)
{
	ListCell   *lc;

	check_stack_depth();
	if (query->commandType != CMD_SELECT)
		refuse("a statement that changes data", "Change the data in a statement of its own.");
	if (query->setOperations)
		refuse("UNION, INTERSECT or EXCEPT",
			   "Release from each table by itself and combine the released values.");
	if (query->hasAggs || query->groupClause || query->groupingSets || query->havingQual)
		refuse("a subquery that aggregates", "Use the private aggregates on the rows themselves.");
	if (query->hasWindowFuncs)
		refuse("a subquery with window functions", "Use window functions on released values.");
	if (query->distinctClause)
		refuse("a subquery with DISTINCT", "Use dp_count(DISTINCT column) on the rows themselves.");
	if (query->limitCount || query->limitOffset)
		refuse("a subquery with LIMIT or OFFSET", "Use LIMIT on released values.");
	if (query->hasTargetSRFs)
		refuse("a subquery with set-returning functions",
			   "Call them in the query around the release.");
	if (query->rowMarks)
		refuse("a subquery that locks rows", "Leave FOR UPDATE or FOR SHARE out.");
	if (query->hasModifyingCTE)
		refuse("a statement that changes data", "Change the data in a statement of its own.");

	dpriv_inline_functions(query, root);
	foreach(lc, query->targetList)
		dpriv_check_row_expression((Node *) lfirst_node(TargetEntry, lc)->expr);
	check_source(query, lcons(query, list_copy(outer_levels)), root, counted, empty);

	/* The only reference to its CTEs is gone, and order below an aggregate has no meaning. */
	query->cteList = NIL;
	query->sortClause = NIL;
}
