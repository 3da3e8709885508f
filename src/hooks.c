/*
 * hooks.c
 *	  Every hook of PostgreSQL that dpriv uses: calls the layers in order, nothing else.
 */
#include "postgres.h"

#include "call/rows.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "compat.h"
#include "executor/executor.h"
#include "guard/bypass.h"
#include "guard/mask.h"
#include "guard/statement.h"
#include "guard/utility.h"
#include "hooks.h"
#include "ledger/budget.h"
#include "ledger/group.h"
#include "ledger/lock.h"
#include "miscadmin.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "policy/attach.h"
#include "release/progress.h"
#include "release/release.h"
#include "release/statistics.h"
#include "storage/ipc.h"
#include "tcop/utility.h"

static planner_hook_type prev_planner_hook = NULL;
static set_rel_pathlist_hook_type prev_set_rel_pathlist_hook = NULL;
static get_relation_info_hook_type prev_relation_info_hook = NULL;
static get_relation_stats_hook_type prev_relation_stats_hook = NULL;
static get_index_stats_hook_type prev_index_stats_hook = NULL;
static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;
static ExecutorStart_hook_type prev_executor_start_hook = NULL;
static ExecutorCheckPerms_hook_type prev_permissions_hook = NULL;
static ProcessUtility_hook_type prev_utility_hook = NULL;
static object_access_hook_type prev_object_access_hook = NULL;
static ExplainOneQuery_hook_type prev_explain_hook = NULL;

static PlannedStmt *
plan(Query *query, const char *query_string, int cursor_options, ParamListInfo bound_params)
{
	return dpriv_guard_plan(query, query_string, cursor_options, bound_params,
							prev_planner_hook ? prev_planner_hook : standard_planner);
}

static void
set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	if (prev_set_rel_pathlist_hook)
		prev_set_rel_pathlist_hook(root, rel, rti, rte);
	dpriv_release_set_path(root, rel, rte);
}

static void
relation_info(PlannerInfo *root, Oid relation, bool inhparent, RelOptInfo *rel)
{
	if (prev_relation_info_hook)
		prev_relation_info_hook(root, relation, inhparent, rel);
	dpriv_guard_relation(root, rel, relation);
	dpriv_mask_check(root, rel, relation);
	dpriv_statistics_of_relation(rel);
}

/* Whoever finds the statistics first, what may be done with them is ours to say. */
static bool
relation_stats(PlannerInfo *root, RangeTblEntry *rte, AttrNumber attnum, VariableStatData *vardata)
{
	if (dpriv_statistics_of_column(rte, attnum, vardata))
		return true;
	return prev_relation_stats_hook && prev_relation_stats_hook(root, rte, attnum, vardata);
}

static bool
index_stats(PlannerInfo *root, Oid index, AttrNumber attnum, VariableStatData *vardata)
{
	if (dpriv_statistics_of_index(index, attnum, vardata))
		return true;
	return prev_index_stats_hook && prev_index_stats_hook(root, index, attnum, vardata);
}

static void
executor_start(QueryDesc *query_desc, int eflags)
{
	dpriv_guard_start(query_desc, eflags);
	dpriv_release_start(query_desc, eflags,
						prev_executor_start_hook ? prev_executor_start_hook :
						standard_ExecutorStart);
	dpriv_guard_started();
}

static bool
permissions_hook(DPRIV_PERMISSIONS_PARAMETERS)
{
	return dpriv_guard_permissions(permissions, raise) &&
		(prev_permissions_hook == NULL || prev_permissions_hook(DPRIV_PERMISSIONS_ARGUMENTS));
}

/* Statements that end transactions or run others may be gone when they are done. */
static Node *
lasting(Node *statement)
{
	switch (nodeTag(statement))
	{
		case T_AlterTableStmt:
		case T_AlterPolicyStmt:
		case T_RenameStmt:
		case T_DropStmt:
			return statement;
		default:
			return NULL;
	}
}

static void
utility(PlannedStmt *stmt, const char *query_string, bool read_only_tree,
		ProcessUtilityContext context, ParamListInfo params, QueryEnvironment *environment,
		DestReceiver *dest, QueryCompletion *completion)
{
	ProcessUtility_hook_type next = prev_utility_hook ? prev_utility_hook :
		standard_ProcessUtility;
	Node	   *statement = lasting(stmt->utilityStmt);

	dpriv_guard_utility(stmt, query_string, read_only_tree, context, params, environment, dest,
						completion, next);
	dpriv_attach_after_utility(statement, context);
}

static void
object_access(ObjectAccessType access, Oid class_id, Oid object_id, int sub_id, void *argument)
{
	if (prev_object_access_hook)
		prev_object_access_hook(access, class_id, object_id, sub_id, argument);
	if (access == OAT_DROP && sub_id == 0 &&
		(class_id == RelationRelationId || class_id == AuthIdRelationId))
		dpriv_budget_dropped(class_id, object_id);
	if (access == OAT_POST_ALTER && class_id == InheritsRelationId)
		dpriv_attach_changed(object_id);
	if (access == OAT_FUNCTION_EXECUTE)
		dpriv_guard_function(object_id);
}

static void
explain(Query *query, int cursor_options, IntoClause *into, ExplainState *es,
		const char *query_string, ParamListInfo params, QueryEnvironment *environment)
{
	dpriv_guard_explain(query, cursor_options, into, es, query_string, params, environment,
						prev_explain_hook ? prev_explain_hook : dpriv_standard_explain);
}

static void
shmem_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	dpriv_lock_request();
	dpriv_group_request();
	dpriv_progress_request();
}

static void
shmem_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	dpriv_lock_startup();
	dpriv_group_startup();
	dpriv_progress_startup();
}

void
dpriv_hooks_init(void)
{
	/* Only then there is shared memory to be had. */
	if (process_shared_preload_libraries_in_progress)
	{
		prev_shmem_request_hook = shmem_request_hook;
		shmem_request_hook = shmem_request;
		prev_shmem_startup_hook = shmem_startup_hook;
		shmem_startup_hook = shmem_startup;
	}
	prev_planner_hook = planner_hook;
	planner_hook = plan;
	dpriv_rows_init(prev_planner_hook ? prev_planner_hook : standard_planner);
	prev_set_rel_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_rel_pathlist;
	prev_relation_info_hook = get_relation_info_hook;
	get_relation_info_hook = relation_info;
	prev_relation_stats_hook = get_relation_stats_hook;
	get_relation_stats_hook = relation_stats;
	prev_index_stats_hook = get_index_stats_hook;
	get_index_stats_hook = index_stats;
	prev_executor_start_hook = ExecutorStart_hook;
	ExecutorStart_hook = executor_start;
	prev_permissions_hook = ExecutorCheckPerms_hook;
	ExecutorCheckPerms_hook = permissions_hook;
	prev_utility_hook = ProcessUtility_hook;
	ProcessUtility_hook = utility;
	prev_object_access_hook = object_access_hook;
	object_access_hook = object_access;
	prev_explain_hook = ExplainOneQuery_hook;
	ExplainOneQuery_hook = explain;
}
