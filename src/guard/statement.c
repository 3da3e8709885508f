/*
 * statement.c
 *	  What a role that must not see the rows of a protected relation may do with it in a statement.
 *
 * Where such a role's statement has a protected relation in it, through views, functions or
 * subqueries, every query level that reads it must be a release.  Everything is decided before
 * anything is planned, since planning looks at statistics of the rows.  What is above the releases
 * is planned without any protected relation in it, and that is checked again in the finished plan.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
#include "compat.h"
#include "guard/expression.h"
#include "guard/hints.h"
#include "guard/mask.h"
#include "guard/row.h"
#include "guard/statement.h"
#include "guard/utility.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "policy/guard_policy.h"
#include "policy/policy.h"
#include "policy/root.h"
#include "release/release.h"
#include "release/source.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/* A statement while it is being planned. */
typedef struct Guard
{
	planner_hook_type next;
	PlannerInfo *root;			/* only to simplify and inline */
	Oid			role;			/* who must not see rows */
	bool		restricted;		/* there is a relation whose rows it must not see */
	const char *disallowed;		/* what a restricted role could not use, in a curator's release */
} Guard;

/* The relation that a release reads whose inner query is being planned; InvalidOid above it. */
static Oid	open_door = InvalidOid;

/*
 * Looking
 */

typedef struct Finder
{
	PlannerInfo *root;
	Oid			role;
	Oid			restricted;		/* a relation whose rows the role must not see */
	Oid			estimated;		/* the same, or one whose estimates tell of such rows */
	bool		masked;			/* there is something that tells of rows without reading them */
} Finder;

/* Can its rows be protected?  Views are what they read, and TOAST tables are parts of tables. */
static bool
has_rows(RangeTblEntry *rte)
{
	return rte->rtekind == RTE_RELATION &&
		(rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_PARTITIONED_TABLE ||
		 rte->relkind == RELKIND_FOREIGN_TABLE || rte->relkind == RELKIND_TOASTVALUE);
}

static bool
is_restricted(RangeTblEntry *rte, Oid role)
{
	return has_rows(rte) && dpriv_is_restricted(rte->relid, role);
}

/*
 * How many values ANALYZE has kept of rows, and how long they are, is known of these catalogs: it
 * shows in estimates, and where pages are counted, though the values are hidden.
 */
static bool
tells_of_rows(RangeTblEntry *rte, Oid role)
{
	if (is_restricted(rte, role))
		return true;
	return rte->rtekind == RTE_RELATION &&
		(rte->relid == StatisticRelationId || rte->relid == StatisticExtDataRelationId) &&
		!has_bypassrls_privilege(role);
}

/* Built-in functions read no tables of users. */
static bool
may_inline(Query *query)
{
	ListCell   *lc;
	ListCell   *lf;

	foreach(lc, query->rtable)
	{
		foreach(lf, lfirst_node(RangeTblEntry, lc)->functions)
		{
			Node	   *call = lfirst_node(RangeTblFunction, lf)->funcexpr;

			if (!IsA(call, FuncExpr) || ((FuncExpr *) call)->funcid >= FirstNormalObjectId)
				return true;
		}
	}
	return false;
}

static bool
find_walker(Node *node, Finder *finder)
{
	Query	   *query = (Query *) node;
	ListCell   *lc;

	if (node == NULL)
		return false;
	finder->masked |= dpriv_mask_concerns(node);
	if (!IsA(node, Query))
		return expression_tree_walker(node, find_walker, finder);
	check_stack_depth();
	if (may_inline(query))
		dpriv_inline_functions(query, finder->root);
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (!OidIsValid(finder->restricted) && is_restricted(rte, finder->role))
			finder->restricted = rte->relid;
		if (!OidIsValid(finder->estimated) && tells_of_rows(rte, finder->role))
			finder->estimated = rte->relid;
	}
	return query_tree_walker(query, find_walker, finder, 0);
}

/* Just enough of a planner's state for inlining and constant folding. */
static PlannerInfo *
make_root(Query *query)
{
	PlannerInfo *root = makeNode(PlannerInfo);

	root->parse = query;
	root->glob = makeNode(PlannerGlobal);
	root->query_level = 1;
	root->planner_cxt = CurrentMemoryContext;
	return root;
}

Oid
dpriv_guard_find_restricted(Query *query)
{
	Finder		finder = {make_root(query), GetUserId()};

	if (query->commandType == CMD_UTILITY)
		return InvalidOid;
	(void) find_walker((Node *) query, &finder);
	return finder.restricted;
}

bool
dpriv_guard_hides_estimates(Query *query)
{
	Finder		finder = {make_root(query), GetUserId()};

	if (query->commandType == CMD_UTILITY)
		return false;
	(void) find_walker((Node *) query, &finder);
	return OidIsValid(finder.estimated);
}

Oid
dpriv_guard_find_planned(PlannedStmt *stmt)
{
	ListCell   *lc;

	foreach(lc, stmt->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (tells_of_rows(rte, GetUserId()))
			return rte->relid;
	}
	return InvalidOid;
}

/*
 * Refusing
 */

static void
refuse_rows(Oid relation, Query *query)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("rows of protected relation \"%s\" cannot be read", get_rel_name(relation)),
			 errdetail("Role \"%s\" gets private aggregates of it only.",
					   GetUserNameFromId(GetUserId(), false)),
			 query && query->hasAggs ?
			 errhint("%s", dpriv_guard_aggregate_hint(query)) :
			 errhint("Use dp_count(), dp_avg() and the other private aggregates, for example "
					 "SELECT dp_count(*). The owner can trust a role with the rows by "
					 "dpriv.trust().")));
}

static bool
is_live(CommonTableExpr *cte)
{
	return cte->cterefcount > 0 || castNode(Query, cte->ctequery)->commandType != CMD_SELECT;
}

/*
 * No rows of protected relations above the releases.  A CTE that nobody refers to any more is not
 * planned: releases have copies of their own.
 */
static bool
refuse_rows_walker(Node *node, Guard *guard)
{
	Query	   *query = (Query *) node;
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, refuse_rows_walker, guard);
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (is_restricted(rte, guard->role) &&
			foreach_current_index(lc) + 1 != query->resultRelation)
			refuse_rows(rte->relid, query);
	}
	foreach(lc, query->cteList)
	{
		if (is_live(lfirst_node(CommonTableExpr, lc)))
			(void) refuse_rows_walker(lfirst_node(CommonTableExpr, lc)->ctequery, guard);
	}
	return query_tree_walker(query, refuse_rows_walker, guard, QTW_IGNORE_CTE_SUBQUERIES);
}

/*
 * How many rows a statement changes, returns or finds to be there already would tell of them.  A
 * plain INSERT tells nothing.
 */
static bool
refuse_changes_walker(Node *node, Guard *guard)
{
	Query	   *query = (Query *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, refuse_changes_walker, guard);
	if (query->resultRelation > 0)
	{
		RangeTblEntry *rte = rt_fetch(query->resultRelation, query->rtable);

		if (is_restricted(rte, guard->role) &&
			(query->commandType != CMD_INSERT || query->returningList || query->onConflict))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("rows of protected relation \"%s\" cannot be changed by this statement",
							get_rel_name(rte->relid)),
					 errdetail("What it finds would tell role \"%s\" of rows that it must not see.",
							   GetUserNameFromId(guard->role, false)),
					 errhint("INSERT without RETURNING and ON CONFLICT is possible. The owner can "
							 "trust a role with the rows by dpriv.trust().")));
	}
	return query_tree_walker(query, refuse_changes_walker, guard, 0);
}

/* The plan of the whole statement, printed with the releases' inner plans, has estimates in it. */
static void
check_settings(void)
{
	if (Debug_print_plan)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("debug_print_plan must be off in statements on protected relations"),
				 errdetail("The plan that it prints has estimates of private rows."),
				 errhint("SET debug_print_plan = off. EXPLAIN shows what a release costs.")));
}

/*
 * Below the door
 */

typedef struct Door
{
	const RangeTblEntry *source;	/* whose rows the release reads */
	Oid			role;
} Door;

/* The table at the bottom of a release's inner query; NULL if it reads what a function returns. */
static RangeTblEntry *
source_of(Query *query)
{
	RangeTblEntry *rte;

	do
	{
		int			source = linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;

		rte = rt_fetch(source, query->rtable);
		query = rte->subquery;
	} while (rte->rtekind == RTE_SUBQUERY);
	return rte->rtekind == RTE_RELATION ? rte : NULL;
}

/*
 * Without the guard's qual, for which the allow-list has answered.  Conditions of other policies
 * stay; a constant one would only keep the plan from being the one that the owner gets.
 */
static List *
without_guard(List *quals, PlannerInfo *root)
{
	List	   *others = NIL;
	ListCell   *lc;

	foreach(lc, quals)
	{
		Const	   *value;

		if (dpriv_is_guard_qual(lfirst(lc)))
			continue;
		value = (Const *) eval_const_expressions(root, copyObject(lfirst(lc)));
		if (!IsA(value, Const) || value->constisnull || !DatumGetBool(value->constvalue))
			others = lappend(others, lfirst(lc));
	}
	return others;
}

/* Nothing else that is protected may be read below, for example by a policy of the table. */
static bool
refuse_others_walker(Node *node, Door *door)
{
	Query	   *query = (Query *) node;
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, refuse_others_walker, door);
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte != door->source && is_restricted(rte, door->role))
			refuse_rows(rte->relid, query);
	}
	return query_tree_walker(query, refuse_others_walker, door, 0);
}

/* Before an inner query is planned: open the door if its row expressions tell nothing. */
static void
check_inner(Query *inner, RangeTblEntry *source, const char *query_string, Guard *guard)
{
	if (guard->root == NULL)
		return;
	if (source)
		dpriv_check_policy(source->relid);
	if (guard->restricted || (source && is_restricted(source, guard->role)))
	{
		Door		door = {source, guard->role};

		(void) refuse_others_walker((Node *) inner, &door);
		if (source && is_restricted(source, guard->role))
		{
			check_settings();
			dpriv_guard_rows(inner, guard->root, query_string);
			source->securityQuals = without_guard(source->securityQuals, guard->root);
		}
		return;
	}
	if (source && guard->disallowed == NULL && OidIsValid(dpriv_protected_root(source->relid)))
		guard->disallowed = dpriv_guard_find_in_rows(inner, guard->root);
}

/* What reaches a plan must be what was seen in the query: its rows, or nothing. */
static void
check_plan(PlannedStmt *stmt, const RangeTblEntry *source, Guard *guard)
{
	Oid			root = source ? dpriv_protected_root(source->relid) : InvalidOid;
	ListCell   *lc;

	foreach(lc, stmt->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (!is_restricted(rte, guard->role) ||
			list_member_int(stmt->resultRelations, foreach_current_index(lc) + 1) ||
			(OidIsValid(root) && dpriv_protected_root(rte->relid) == root))
			continue;
		refuse_rows(rte->relid, NULL);
	}
}

/* Is this relation looked at as a child of one that belongs to the same protected relation? */
static bool
is_part_of_parent(PlannerInfo *root, RelOptInfo *rel, Oid protected)
{
	AppendRelInfo *appended = root->append_rel_array ? root->append_rel_array[rel->relid] : NULL;

	return appended && OidIsValid(appended->parent_reloid) &&
		dpriv_protected_root(appended->parent_reloid) == protected;
}

/*
 * Functions that are folded while the statement is looked at or planned are the user's, and may
 * replace what is inlined later.  So every relation is looked at again when the planner comes to
 * it, before it reads any statistics.  Children are what their parent is, unless that is not
 * protected with them: sessions without the library can bring this about.
 */
void
dpriv_guard_relation(PlannerInfo *root, RelOptInfo *rel, Oid relation)
{
	Oid			protected;

	if (!dpriv_anything_protected())
		return;
	protected = dpriv_protected_root(relation);
	if (!OidIsValid(protected) || is_part_of_parent(root, rel, protected) ||
		(OidIsValid(open_door) && dpriv_protected_root(open_door) == protected) ||
		!dpriv_is_restricted(relation, GetUserId()))
		return;
	refuse_rows(relation, root->parse);
}

/* Plan with the door open for a relation, or closed. */
static PlannedStmt *
plan_with_door(Oid relation, Query *query, const char *query_string, int cursor_options,
			   ParamListInfo bound_params, Guard *guard)
{
	Oid			saved = open_door;
	PlannedStmt *stmt;

	if (guard->root == NULL)
		return guard->next(query, query_string, cursor_options, bound_params);
	PG_TRY();
	{
		open_door = relation;
		stmt = guard->next(query, query_string, cursor_options, bound_params);
	}
	PG_FINALLY();
	{
		open_door = saved;
	}
	PG_END_TRY();
	return stmt;
}

static PlannedStmt *
plan_inner(Query *inner, const char *query_string, int cursor_options, ParamListInfo bound_params,
		   void *context)
{
	Guard	   *guard = context;
	RangeTblEntry *source = source_of(inner);
	PlannedStmt *stmt;

	check_inner(inner, source, query_string, guard);
	stmt = plan_with_door(source ? source->relid : InvalidOid, inner, query_string, cursor_options,
						  bound_params, guard);
	if (guard->restricted)
		check_plan(stmt, source, guard);
	return stmt;
}

static PlannedStmt *
plan_outer(Query *outer, const char *query_string, int cursor_options, ParamListInfo bound_params,
		   void *context)
{
	Guard	   *guard = context;
	PlannedStmt *stmt;

	if (guard->restricted)
		(void) refuse_rows_walker((Node *) outer, guard);
	stmt = plan_with_door(InvalidOid, outer, query_string, cursor_options, bound_params, guard);
	if (guard->restricted)
		check_plan(stmt, NULL, guard);
	return stmt;
}

static bool
touches_protected(PlannedStmt *stmt)
{
	ListCell   *lc;

	foreach(lc, stmt->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (has_rows(rte) && OidIsValid(dpriv_protected_root(rte->relid)))
			return true;
	}
	return false;
}

/*
 * What is in a statement that the guard has to do with, before anything of it is planned; what tells
 * of rows without reading them is masked.
 */
static Finder
look(Query *query, Guard *guard)
{
	Finder		finder = {NULL};

	if (!dpriv_anything_protected())
		return finder;
	guard->root = finder.root = make_root(query);
	guard->role = finder.role = GetUserId();
	(void) find_walker((Node *) query, &finder);
	guard->restricted = OidIsValid(finder.restricted);
	if (finder.masked && !has_bypassrls_privilege(guard->role))
		dpriv_mask(query);
	if (OidIsValid(finder.estimated))
	{
		check_settings();
		if (dpriv_guard_is_measured())
			dpriv_guard_refuse_measuring(finder.estimated);
	}
	return finder;
}

PlannedStmt *
dpriv_guard_plan(Query *query, const char *query_string, int cursor_options,
				 ParamListInfo bound_params, planner_hook_type next)
{
	Guard		guard = {next};
	DprivPlanner planner = {plan_inner, plan_outer, &guard};
	PlannedStmt *stmt;
	Finder		finder = look(query, &guard);

	if (guard.restricted)
		(void) refuse_changes_walker((Node *) query, &guard);
	stmt = dpriv_release_plan(query, query_string, cursor_options, bound_params, &planner);

	/* Functions that were folded meanwhile may have changed them. */
	if (OidIsValid(finder.estimated))
		check_settings();
	if (guard.disallowed)
		ereport(NOTICE,
				(errcode(ERRCODE_SUCCESSFUL_COMPLETION),
				 errmsg("a restricted role could not run this release: it uses %s on rows",
						guard.disallowed),
				 errhint("dpriv.allowed_functions() lists what can be used.")));

	/* Who executes the plan next may be somebody else. */
	if (guard.root)
	{
		dpriv_add_dependencies(stmt, guard.root->glob);
		if (guard.restricted || finder.masked || touches_protected(stmt))
			stmt->dependsOnRole = true;
	}
	return stmt;
}

PlannedStmt *
dpriv_guard_plan_rows(Query *query, planner_hook_type next, Oid *relation)
{
	Guard		guard = {next};
	DprivPlanner planner = {plan_inner, plan_outer, &guard};
	Finder		finder = look(query, &guard);
	bool		empty;

	dpriv_check_source(query, list_make1(query), finder.root ? finder.root : make_root(query),
					   &empty);
	*relation = dpriv_source_relation(query);
	return dpriv_release_plan_rows(query, NULL, CURSOR_OPT_PARALLEL_OK, NULL, &planner);
}
