/*
 * plan.c
 *	  Plan statements with releases.
 *
 * The inner queries are planned while the statement is being split.  The outer statement is planned
 * with the placeholders in it; each gets exactly one path, the Release node.  Then the outer plan
 * takes over the inner plans' relations, permissions and dependencies, so that locks, permission
 * checks and invalidation cover what the statement really reads.
 */
#include "postgres.h"

#include "compat.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "objects.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "release/node.h"
#include "release/release.h"
#include "release/seal.h"
#include "release/split.h"
#include "release/statistics.h"

/*
 * Releases of the statement being planned, or NIL.  Planning may plan other statements in between
 * (functions that are folded), so every entry starts with an empty list and puts the old one back.
 */
static List *current_releases = NIL;

typedef struct PlanContext
{
	const char *query_string;
	int			cursor_options;
	ParamListInfo bound_params;
	const DprivPlanner *planner;
} PlanContext;

/*
 * Take a sort off the top of a plan.  With ORDER BY the planner weighs what comes in order anyway,
 * such as groups out of an index; but where only a sort does it, it is left to the Release node,
 * which sorts no group that is not kept.
 */
static void
remove_sort(PlannedStmt *stmt)
{
	Plan	   *sort = stmt->planTree;

	if (!IsA(sort, Sort) && !IsA(sort, IncrementalSort))
		return;
	stmt->planTree = outerPlan(sort);
	stmt->planTree->initPlan = list_concat(sort->initPlan, stmt->planTree->initPlan);
	stmt->planTree->extParam = sort->extParam;
	stmt->planTree->allParam = sort->allParam;
}

PlannedStmt *
dpriv_release_plan_rows(Query *query, const char *query_string, int cursor_options,
						ParamListInfo bound_params, const DprivPlanner *planner)
{
	PlannedStmt *stmt;
	DprivQuiet	quiet;
	bool		guarded;

	/* All rows are wanted, from start to end; only parallelism is the caller's choice. */
	dpriv_quiet_begin(&quiet);
	guarded = dpriv_statistics_guard(true);
	PG_TRY();
	{
		stmt = planner->inner(query, query_string, cursor_options & CURSOR_OPT_PARALLEL_OK,
							  bound_params, planner->context);
	}
	PG_FINALLY();
	{
		(void) dpriv_statistics_guard(guarded);
	}
	PG_END_TRY();
	dpriv_quiet_end(&quiet);

	/* Statistics of statements would show the exact number of groups. */
	stmt->queryId = 0;
	return stmt;
}

static PlannedStmt *
plan_inner(Query *inner, void *context)
{
	PlanContext *plan = context;
	PlannedStmt *stmt = dpriv_release_plan_rows(inner, plan->query_string, plan->cursor_options,
												plan->bound_params, plan->planner);

	if (inner->sortClause)
		remove_sort(stmt);
	return stmt;
}

void
dpriv_add_dependencies(PlannedStmt *stmt, PlannerGlobal *glob)
{
	stmt->dependsOnRole |= glob->dependsOnRole;
	stmt->relationOids = list_concat(stmt->relationOids, glob->relationOids);
	stmt->invalItems = list_concat(stmt->invalItems, glob->invalItems);
}

static void
take_over(PlannedStmt *outer, List *releases, PlannerGlobal *glob)
{
	ListCell   *lc;

	foreach(lc, releases)
	{
		PlannedStmt *inner = ((ReleaseSpec *) lfirst(lc))->inner;

		dpriv_hand_relations_over(outer, inner);
		outer->relationOids = list_concat(outer->relationOids, inner->relationOids);
		outer->invalItems = list_concat(outer->invalItems, copyObject(inner->invalItems));
		outer->dependsOnRole |= inner->dependsOnRole;
		outer->transientPlan |= inner->transientPlan;
	}
	dpriv_add_dependencies(outer, glob);
}

PlannedStmt *
dpriv_release_plan(Query *query, const char *query_string, int cursor_options,
				   ParamListInfo bound_params, const DprivPlanner *planner)
{
	List	   *saved = current_releases;
	PlannedStmt *stmt;

	if (saved == NIL && !dpriv_may_release(query))
		return planner->outer(query, query_string, cursor_options, bound_params, planner->context);

	current_releases = NIL;
	PG_TRY();
	{
		if (dpriv_may_release(query) && dpriv_objects_installed())
		{
			PlanContext context = {query_string, cursor_options, bound_params, planner};
			PlannerGlobal *glob = makeNode(PlannerGlobal);
			List	   *releases = dpriv_split(query, bound_params, glob, plan_inner, &context);

			current_releases = releases;
			stmt = planner->outer(query, query_string, cursor_options, bound_params,
								  planner->context);
			take_over(stmt, releases, glob);
		}
		else
			stmt = planner->outer(query, query_string, cursor_options, bound_params,
								  planner->context);
	}
	PG_FINALLY();
	{
		current_releases = saved;
	}
	PG_END_TRY();
	return stmt;
}

/*
 * The path and the plan node
 */

static Var *
column_var(RelOptInfo *rel, ReleaseColumn *column, AttrNumber attno)
{
	return makeVar(rel->relid, attno, column->type, column->typmod, column->collation, 0);
}

static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
		  List *plans)
{
	CustomScan *scan = makeNode(CustomScan);
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	ReleaseSpec *spec = list_nth(current_releases, dpriv_placeholder_number(rte));
	ListCell   *lc;

	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = extract_actual_clauses(clauses, false);
	scan->scan.scanrelid = 0;	/* there is no relation to open */
	scan->flags = path->flags;
	scan->methods = &dpriv_release_scan_methods;
	scan->custom_private = dpriv_spec_pack(spec);
	foreach(lc, spec->columns)
	{
		ReleaseColumn *column = lfirst(lc);
		AttrNumber	attno = foreach_current_index(lc) + 1;

		scan->custom_scan_tlist = lappend(scan->custom_scan_tlist,
										  makeTargetEntry((Expr *) column_var(rel, column, attno),
														  attno, NULL, false));
	}
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "dpriv release",
	.PlanCustomPath = plan_path,
};

/* The statement's own placeholder has the columns of the release that it stands for. */
static bool
is_placeholder_of(RangeTblEntry *rte, ReleaseSpec *spec)
{
	RangeTblFunction *function = linitial_node(RangeTblFunction, rte->functions);
	ListCell   *lc;

	if (list_length(function->funccoltypes) != list_length(spec->columns))
		return false;
	foreach(lc, spec->columns)
	{
		if (((ReleaseColumn *) lfirst(lc))->type !=
			list_nth_oid(function->funccoltypes, foreach_current_index(lc)))
			return false;
	}
	return true;
}

/* The order by a key, as a list of one; NIL if the statement has no use for it. */
static List *
order_by_key(PlannerInfo *root, RelOptInfo *rel, ReleaseSpec *spec, int key)
{
	ListCell   *lc;

	foreach(lc, spec->columns)
	{
		ReleaseColumn *column = lfirst(lc);
		AttrNumber	attno = foreach_current_index(lc) + 1;

		if (column->kind == RELEASE_KEY && column->index == key)
			return dpriv_pathkey_of(root, rel, (Expr *) column_var(rel, column, attno),
									((ReleaseGroupKey *) list_nth(spec->keys, key))->less);
	}
	return NIL;
}

/* The planner wants none of these in a list: a key of one value, or equal to an earlier key. */
static bool
is_redundant(PathKey *pathkey, List *order)
{
	ListCell   *lc;

	if (EC_MUST_BE_REDUNDANT(pathkey->pk_eclass))
		return true;
	foreach(lc, order)
		if (lfirst_node(PathKey, lc)->pk_eclass == pathkey->pk_eclass)
			return true;
	return false;
}

/*
 * Selected groups come back in the order of their keys.  What of it the statement has a use for: it
 * need not sort them again.
 */
static List *
order_of_rows(PlannerInfo *root, RelOptInfo *rel, ReleaseSpec *spec)
{
	List	   *order = NIL;

	if (!spec->selected)
		return NIL;
	for (int key = 0; key < list_length(spec->keys); key++)
	{
		List	   *pathkey = order_by_key(root, rel, spec, key);

		if (pathkey == NIL)
			break;
		if (!is_redundant(linitial(pathkey), order))
			order = list_concat(order, pathkey);
	}
	return order;
}

void
dpriv_release_set_path(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte)
{
	CustomPath *path;
	ReleaseSpec *spec;
	int			number;

	if (current_releases == NIL || rte->rtekind != RTE_FUNCTION)
		return;
	number = dpriv_placeholder_number(rte);
	if (number < 0)
		return;
	if (number >= list_length(current_releases))
		elog(ERROR, "unknown release");
	spec = list_nth(current_releases, number);
	if (!is_placeholder_of(rte, spec))
		elog(ERROR, "placeholder does not fit its release");

	/*
	 * What the inner plan is estimated to cost comes from statistics of the rows, and would show
	 * in EXPLAIN and in the plan around the release.  It does not matter there either: the inner
	 * plan runs once, and what is read again is a few stored rows.
	 */
	path = makeNode(CustomPath);
	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	/* Expressions over released values may refer to other tables. */
	path->path.param_info = get_baserel_parampathinfo(root, rel, rel->lateral_relids);
	path->path.rows = rel->rows;
	path->path.startup_cost = 0;
	path->path.total_cost = cpu_tuple_cost * rel->rows;
	path->path.pathkeys = order_of_rows(root, rel, spec);
	path->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN;
	path->methods = &path_methods;

	rel->pathlist = NIL;
	rel->partial_pathlist = NIL;
	add_path(rel, &path->path);
}
