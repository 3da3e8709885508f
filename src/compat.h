/*
 * compat.h
 *	  Every difference between PostgreSQL majors, newest first.
 *
 * No other file tests PG_VERSION_NUM.
 */
#ifndef DPRIV_COMPAT_H
#define DPRIV_COMPAT_H

#include "access/genam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "commands/explain.h"
#include "common/jsonapi.h"
#include "executor/executor.h"
#include "mb/pg_wchar.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "replication/walsender_private.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

/*
 * 18 split explain.h (commit 555960a0f), 18 dropped execute_once (3eea7a0c9), and 18 hides GROUP BY
 * expressions behind RTE_GROUP (247dea89f).
 */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* Macros on values of variable length: 16 took them out of postgres.h (d952373a9). */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* CleanQuerytext(): 16 moved the file (8eba3e3f0). */
#if PG_VERSION_NUM >= 160000
#include "nodes/queryjumble.h"
#else
#include "utils/queryjumble.h"
#endif

/* The record of a setting that the server has: 15 does not export find_option(). */
static inline struct config_generic *
dpriv_find_setting(const char *name)
{
#if PG_VERSION_NUM >= 160000
	return find_option(name, false, false, ERROR);
#else
	struct config_generic **setting = get_guc_variables();

	while (strcmp((*setting)->name, name) != 0)
		setting++;
	return *setting;
#endif
}

/* 18 can count the index scans of a plan node (0fbceae84). */
static inline IndexScanDesc
dpriv_index_beginscan(Relation heap, Relation index, Snapshot snapshot, int nkeys)
{
#if PG_VERSION_NUM >= 180000
	return index_beginscan(heap, index, snapshot, NULL, nkeys, 0);
#else
	return index_beginscan(heap, index, snapshot, nkeys, 0);
#endif
}

static inline void
dpriv_executor_run(QueryDesc *query_desc)
{
#if PG_VERSION_NUM >= 180000
	ExecutorRun(query_desc, ForwardScanDirection, 0);
#else
	ExecutorRun(query_desc, ForwardScanDirection, 0, true);
#endif
}

/*
 * The B-tree family and input type of an ordering operator; false if it has none.  18 asks access
 * methods of other kinds too, and gives a CompareType in place of a strategy.
 */
static inline bool
dpriv_btree_of_ordering(Oid operator, Oid *family, Oid *opcintype)
{
#if PG_VERSION_NUM >= 180000
	CompareType compare_type;

	return get_ordering_op_properties(operator, family, opcintype, &compare_type) &&
		get_opfamily_method(*family) == BTREE_AM_OID;
#else
	int16		strategy;

	return get_ordering_op_properties(operator, family, opcintype, &strategy);
#endif
}

/*
 * Replace references to GROUP BY expressions in a query level by the expressions, and remove the
 * range table entry that held them: it is the last one, unless somebody has added others, and is
 * neutralised then.
 */
static inline void
dpriv_flatten_group_rte(Query *query)
{
#if PG_VERSION_NUM >= 180000
	ListCell   *lc;

	if (!query->hasGroupRTE)
		return;
	query->targetList = (List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
	query->hasGroupRTE = false;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		RangeTblEntry *nothing;

		if (rte->rtekind != RTE_GROUP)
			continue;
		if (lnext(query->rtable, lc) == NULL)
		{
			query->rtable = list_delete_last(query->rtable);
			break;
		}
		nothing = makeNode(RangeTblEntry);
		nothing->rtekind = RTE_RESULT;
		nothing->eref = rte->eref;
		lfirst(lc) = nothing;
	}
#else
	(void) query;
#endif
}

/*
 * The order of a relation that is sorted by an expression over it, as a list of one, if a clause of
 * the query has to do with that expression; else NIL.  16 finds out by itself which outer joins can
 * make it NULL.
 */
static inline List *
dpriv_pathkey_of(PlannerInfo *root, RelOptInfo *rel, Expr *expr, Oid less)
{
#if PG_VERSION_NUM >= 160000
	return build_expression_pathkey(root, expr, less, rel->relids, false);
#else
	return build_expression_pathkey(root, expr, NULL, less, rel->relids, false);
#endif
}

/*
 * Permissions.  16 moved them from range table entries to a list of RTEPermissionInfo (a61b1f748),
 * and keeps the relation of a view in the entry of its subquery (47bb9db75).
 */

/* An element of the list of permissions, and the arguments of ExecutorCheckPerms_hook. */
#if PG_VERSION_NUM >= 160000
typedef RTEPermissionInfo DprivPermission;
#define DPRIV_PERMISSIONS_PARAMETERS List *range_table, List *permissions, bool raise
#define DPRIV_PERMISSIONS_ARGUMENTS range_table, permissions, raise
#else
typedef RangeTblEntry DprivPermission;
#define DPRIV_PERMISSIONS_PARAMETERS List *permissions, bool raise
#define DPRIV_PERMISSIONS_ARGUMENTS permissions, raise
#endif

/* Does this entry of a planned statement stand for a relation to be locked or checked? */
static inline bool
dpriv_rte_names_relation(RangeTblEntry *rte)
{
#if PG_VERSION_NUM >= 160000
	return rte->rtekind == RTE_RELATION || (rte->rtekind == RTE_SUBQUERY && OidIsValid(rte->relid));
#else
	return rte->rtekind == RTE_RELATION;
#endif
}

/* May the role call the function?  16 has one function for all kinds of objects (c727f511b). */
static inline AclResult
dpriv_function_aclcheck(Oid function, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE);
#else
	return pg_proc_aclcheck(function, role, ACL_EXECUTE);
#endif
}

/* Is the role, or one that it is a member of, the relation's owner?  As above. */
static inline bool
dpriv_relation_ownercheck(Oid relation, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relation, role);
#else
	return pg_class_ownercheck(relation, role);
#endif
}

/* Move the permission list of a query level to another. */
static inline void
dpriv_move_permissions(Query *to, Query *from)
{
#if PG_VERSION_NUM >= 160000
	to->rteperminfos = from->rteperminfos;
	from->rteperminfos = NIL;
#else
	(void) to;
	(void) from;
#endif
}

/* The permission list of a query level that was made by hand. */
static inline void
dpriv_take_permissions(Query *query, ParseState *pstate)
{
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = pstate->p_rteperminfos;
#else
	(void) query;
	(void) pstate;
#endif
}

/* What the executor would check first.  Error: 42501. */
static inline void
dpriv_check_plan_permissions(PlannedStmt *stmt)
{
#if PG_VERSION_NUM >= 160000
	(void) ExecCheckPermissions(stmt->rtable, stmt->permInfos, true);
#else
	(void) ExecCheckRTPerms(stmt->rtable, true);
#endif
}

/*
 * Copies of the inner statement's relations, with what must be permitted on them, appended to the
 * outer statement.  Afterwards the inner statement requires nothing itself: it runs wherever the
 * outer one does.
 */
static inline void
dpriv_hand_relations_over(PlannedStmt *outer, PlannedStmt *inner)
{
	ListCell   *lc;

	foreach(lc, inner->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);
		RangeTblEntry *copy;

		if (!dpriv_rte_names_relation(rte))
			continue;
		copy = copyObject(rte);
		copy->securityQuals = NIL;
#if PG_VERSION_NUM >= 160000
		copy->subquery = NULL;
		if (rte->perminfoindex > 0)
		{
			RTEPermissionInfo *permission = getRTEPermissionInfo(inner->permInfos, rte);

			outer->permInfos = lappend(outer->permInfos, copyObject(permission));
			copy->perminfoindex = list_length(outer->permInfos);
		}
		rte->perminfoindex = 0;
#else
		rte->requiredPerms = 0;
#endif
		outer->rtable = lappend(outer->rtable, copy);
	}
#if PG_VERSION_NUM >= 160000
	inner->permInfos = NIL;
#endif
}

/*
 * Make an entry of a query's range table, a relation, a subquery that has the relation as its only
 * entry.  What must be permitted on it goes with it.
 */
static inline void
dpriv_relation_to_subquery(Query *query, RangeTblEntry *rte, Query *subquery)
{
#if PG_VERSION_NUM >= 160000
	RangeTblEntry *relation = linitial_node(RangeTblEntry, subquery->rtable);

	if (rte->perminfoindex > 0)
	{
		RTEPermissionInfo *permission = getRTEPermissionInfo(query->rteperminfos, rte);

		subquery->rteperminfos = list_make1(copyObject(permission));
		relation->perminfoindex = 1;
	}
	rte->perminfoindex = 0;
#else
	rte->requiredPerms = 0;
	rte->checkAsUser = InvalidOid;
	rte->selectedCols = rte->insertedCols = rte->updatedCols = rte->extraUpdatedCols = NULL;
#endif
	rte->rtekind = RTE_SUBQUERY;
	rte->subquery = subquery;
	rte->security_barrier = false;
	rte->relid = InvalidOid;
	rte->relkind = 0;
	rte->rellockmode = 0;
	rte->tablesample = NULL;
	rte->inh = false;
}

/* 18 can compute a generated column when it is read (83ea6c540). */
static inline bool
dpriv_is_virtual_column(Oid relation, AttrNumber column)
{
#if PG_VERSION_NUM >= 180000
	return get_attgenerated(relation, column) == ATTRIBUTE_GENERATED_VIRTUAL;
#else
	return false;
#endif
}

/* What explains one query where no hook does.  17 has it as a function of its own (7e0ade0ff). */
static inline void
dpriv_standard_explain(Query *query, int cursor_options, IntoClause *into, ExplainState *es,
					   const char *query_string, ParamListInfo params,
					   QueryEnvironment *environment)
{
#if PG_VERSION_NUM >= 170000
	standard_ExplainOneQuery(query, cursor_options, into, es, query_string, params, environment);
#else
	BufferUsage before = pgBufferUsage;
	BufferUsage used = {0};
	instr_time	start;
	instr_time	duration;
	PlannedStmt *plan;

	INSTR_TIME_SET_CURRENT(start);
	plan = pg_plan_query(query, query_string, cursor_options, params);
	INSTR_TIME_SET_CURRENT(duration);
	INSTR_TIME_SUBTRACT(duration, start);
	BufferUsageAccumDiff(&used, &pgBufferUsage, &before);
	ExplainOnePlan(plan, into, es, query_string, params, environment, &duration,
				   es->buffers ? &used : NULL);
#endif
}

/*
 * Is this text JSON that jsonb_in() takes without an error, unless it is huge?  17 lets the caller
 * allocate the lexer (1c99cde2f).
 */
static inline bool
dpriv_json_is_valid(const char *text)
{
	char	   *copy = pstrdup(text);
	JsonLexContext *lex;

#if PG_VERSION_NUM >= 170000
	lex = makeJsonLexContextCstringLen(NULL, copy, strlen(copy), GetDatabaseEncoding(), true);
#else
	lex = makeJsonLexContextCstringLen(copy, strlen(copy), GetDatabaseEncoding(), true);
#endif
	return pg_parse_json(lex, &nullSemAction) == JSON_SUCCESS;
}

/* After the last index_insert(): 17 lets a BRIN index keep pages pinned until then (c1ec02be1). */
static inline void
dpriv_index_insert_cleanup(Relation index, struct IndexInfo *info)
{
#if PG_VERSION_NUM >= 170000
	index_insert_cleanup(index, info);
#endif
}

/* The number of a backend's PGPROC, from 0.  17 dropped the field (28f3915b7). */
static inline uint32
dpriv_proc_number(PGPROC *proc)
{
#if PG_VERSION_NUM >= 170000
	return (uint32) GetNumberFromPGProc(proc);
#else
	return (uint32) proc->pgprocno;
#endif
}

/*
 * Does the server wait for synchronous standbys?  Minor releases of 2025 replaced a bool by flags
 * (2e5779083).  Under SyncRepLock.
 */
static inline bool
dpriv_sync_standbys_defined(void)
{
#ifdef SYNC_STANDBY_DEFINED
	return (WalSndCtl->sync_standbys_status & SYNC_STANDBY_DEFINED) != 0;
#else
	return WalSndCtl->sync_standbys_defined;
#endif
}

/* 17 has infinite intervals (519fc1bd9). */
static inline bool
dpriv_interval_is_finite(const Interval *interval)
{
#if PG_VERSION_NUM >= 170000
	return !INTERVAL_NOT_FINITE(interval);
#else
	(void) interval;
	return true;
#endif
}

/* 17 takes care that the opposite of an interval is one, and finite (519fc1bd9). */
static inline bool
dpriv_interval_has_opposite(const Interval *interval)
{
#if PG_VERSION_NUM >= 170000
	return interval->month != PG_INT32_MIN && interval->day != PG_INT32_MIN &&
		interval->time != PG_INT64_MIN &&
		(interval->month != -PG_INT32_MAX || interval->day != -PG_INT32_MAX ||
		 interval->time != -PG_INT64_MAX);
#else
	(void) interval;
	return true;
#endif
}

/*
 * An error if the collation cannot be used.  Declared here because pg_locale.h includes headers of
 * ICU, which a server's development files do not bring.
 */
struct pg_locale_struct;
extern struct pg_locale_struct *pg_newlocale_from_collation(Oid collation);

static inline void
dpriv_load_collation(Oid collation)
{
	(void) pg_newlocale_from_collation(collation);
}

#endif							/* DPRIV_COMPAT_H */
