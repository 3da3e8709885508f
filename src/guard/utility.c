/*
 * utility.c
 *	  Statements that are not planned, and EXPLAIN: what of them could tell of protected rows.
 *
 * Whatever reads rows is planned at last, and seen there.  Here is what locks or maintains a
 * relation, and what says how a statement was executed.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "commands/prepare.h"
#include "compat.h"
#include "guard/revealing.h"
#include "guard/statement.h"
#include "guard/utility.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "policy/policy.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

/* Is what is planned or run now measured by EXPLAIN? */
static bool measured = false;

/* What EXPLAIN is about to print of the statement that is planned and started now, or NULL. */
static ExplainState *explained = NULL;

/* Is EXPLAIN about to print the costs of what is prepared, since it reads nothing protected? */
static bool shows_costs = false;

/* Is a relation being copied to somewhere, and a statement being started meanwhile? */
static bool copies = false;
static bool starts = false;

bool
dpriv_guard_is_measured(void)
{
	return measured;
}

void
dpriv_guard_refuse_measuring(Oid relation)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("a statement on relation \"%s\" cannot be measured",
					get_rel_name(relation)),
			 errdetail("EXPLAIN with ANALYZE, BUFFERS or MEMORY would tell of protected rows."),
			 errhint("Use EXPLAIN without these options: it shows what the releases cost.")));
}

void
dpriv_guard_start(QueryDesc *query_desc, int eflags)
{
	bool		unchecked = shows_costs && (eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0;
	Oid			relation;

	starts = true;
	if ((!measured && explained == NULL && !unchecked) || !dpriv_anything_protected())
		return;
	relation = dpriv_guard_find_planned(query_desc->plannedstmt);
	if (!OidIsValid(relation))
		return;
	if (measured)
		dpriv_guard_refuse_measuring(relation);
	if (explained == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("what is prepared began to read relation \"%s\" while EXPLAIN was looking",
						get_rel_name(relation)),
				 errdetail("Its estimates would tell of protected rows."),
				 errhint("Explain it again, with arguments that change nothing.")));
	explained->costs = false;
}

void
dpriv_guard_started(void)
{
	starts = false;
}

/* A relation that the current role must not see the rows of, itself or what a view reads. */
static Oid
find_restricted(Oid relation)
{
	char		relkind = get_rel_relkind(relation);
	Relation	view;
	Query	   *query;

	if (relkind != RELKIND_VIEW)
		return dpriv_is_restricted(relation, GetUserId()) ? relation : InvalidOid;
	view = try_relation_open(relation, AccessShareLock);
	if (view == NULL)
		return InvalidOid;		/* dropped meanwhile: the statement will say so */
	query = copyObject(get_view_query(view));
	relation_close(view, AccessShareLock);

	/* It may read other views. */
	AcquireRewriteLocks(query, true, false);
	return dpriv_guard_find_restricted(linitial_node(Query, QueryRewrite(query)));
}

static void
refuse_for_relation(Oid relation, const char *statement)
{
	if (!OidIsValid(relation))
		return;
	relation = find_restricted(relation);
	if (!OidIsValid(relation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("%s is not allowed on protected relation \"%s\"", statement,
					get_rel_name(relation)),
			 errdetail("Role \"%s\" gets private aggregates of it only.",
					   GetUserNameFromId(GetUserId(), false)),
			 errhint("Ask the owner to do it.")));
}

static void
refuse_for_name(RangeVar *name, const char *statement)
{
	if (name)
		refuse_for_relation(RangeVarGetRelid(name, NoLock, true), statement);
}

/* Of all tables, nobody but a superuser is told what was found. */
static void
refuse_verbose(List *options, const char *statement)
{
	ListCell   *lc;

	if (superuser())
		return;
	foreach(lc, options)
	{
		DefElem    *option = lfirst_node(DefElem, lc);

		if (strcmp(option->defname, "verbose") == 0 && defGetBoolean(option))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("%s VERBOSE of all tables is not allowed where relations are protected",
							statement),
					 errdetail("It would tell how many rows they have."),
					 errhint("Leave VERBOSE out, or name the tables.")));
	}
}

static void
check_vacuum(VacuumStmt *stmt)
{
	const char *statement = stmt->is_vacuumcmd ? "VACUUM" : "ANALYZE";
	ListCell   *lc;

	foreach(lc, stmt->rels)
	{
		VacuumRelation *relation = lfirst_node(VacuumRelation, lc);

		refuse_for_relation(relation->oid, statement);
		refuse_for_name(relation->relation, statement);
	}
	if (stmt->rels == NIL)
		refuse_verbose(stmt->options, statement);
}

static void
check_cluster(ClusterStmt *stmt)
{
	if (stmt->relation)
		refuse_for_name(stmt->relation, "CLUSTER");
	else
		refuse_verbose(stmt->params, "CLUSTER");
}

static bool
measures(ExplainStmt *stmt)
{
	ListCell   *lc;

	foreach(lc, stmt->options)
	{
		DefElem    *option = lfirst_node(DefElem, lc);

		if ((strcmp(option->defname, "analyze") == 0 || strcmp(option->defname, "buffers") == 0 ||
			 strcmp(option->defname, "memory") == 0) && defGetBoolean(option))
			return true;
	}
	return false;
}

/*
 * COPY of a table is no query, unless it has row-level security.  What its name means is only known
 * once the table is locked: before, another session may rename what had the name.
 */
void
dpriv_guard_copied(List *permissions)
{
	ListCell   *lc;

	if (!copies || starts)
		return;
	foreach(lc, permissions)
	{
		Oid			relation = ((DprivPermission *) lfirst(lc))->relid;

		if (dpriv_revealing_catalog(relation) && dpriv_anything_protected() &&
			!has_bypassrls_privilege(GetUserId()))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("COPY of catalog \"%s\" is not allowed where relations are protected",
							get_rel_name(relation)),
					 errhint("Use COPY (SELECT ...) TO.")));
	}
}

static bool
copies_relation(CopyStmt *stmt)
{
	return stmt->relation && !stmt->is_from;
}

/* The EXECUTE that is explained, by itself or within CREATE TABLE AS; NULL if none is. */
static ExecuteStmt *
explained_execute(ExplainStmt *stmt)
{
	Node	   *statement = castNode(Query, stmt->query)->utilityStmt;

	if (statement && IsA(statement, CreateTableAsStmt))
		statement = castNode(Query, ((CreateTableAsStmt *) statement)->query)->utilityStmt;
	return statement && IsA(statement, ExecuteStmt) ? (ExecuteStmt *) statement : NULL;
}

/* Does EXECUTE run what the current role must not see the costs of? */
static bool
executes_restricted(ExplainStmt *stmt)
{
	ExecuteStmt *execute = explained_execute(stmt);
	PreparedStatement *prepared;
	ListCell   *lc;

	prepared = execute ? FetchPreparedStatement(execute->name, false) : NULL;
	if (prepared == NULL)
		return false;

	/* As it is read now: views may have changed since it was prepared. */
	(void) CachedPlanGetTargetList(prepared->plansource, NULL);
	foreach(lc, prepared->plansource->query_list)
	{
		if (dpriv_guard_hides_estimates(copyObject(lfirst_node(Query, lc))))
			return true;
	}
	return false;
}

/* Cached plans are explained without a hook: the option has to say it. */
static PlannedStmt *
without_costs(PlannedStmt *stmt)
{
	ExplainStmt *explain;

	stmt = copyObject(stmt);
	explain = castNode(ExplainStmt, stmt->utilityStmt);
	explain->options = lappend(explain->options,
							   makeDefElem("costs", (Node *) makeString("off"), -1));
	return stmt;
}

void
dpriv_guard_explain(Query *query, int cursor_options, IntoClause *into, ExplainState *es,
					const char *query_string, ParamListInfo params,
					QueryEnvironment *environment, ExplainOneQuery_hook_type next)
{
	ExplainState *saved = explained;

	PG_TRY();
	{
		explained = es;
		next(query, cursor_options, into, es, query_string, params, environment);
	}
	PG_FINALLY();
	{
		explained = saved;
	}
	PG_END_TRY();
}

/* An index stands for its table. */
static void
check_reindex(ReindexStmt *stmt)
{
	Oid			relation;
	char		relkind;

	if (stmt->relation == NULL)
	{
		refuse_verbose(stmt->params, "REINDEX");
		return;
	}
	relation = RangeVarGetRelid(stmt->relation, NoLock, true);
	relkind = OidIsValid(relation) ? get_rel_relkind(relation) : '\0';
	if (relkind == RELKIND_INDEX || relkind == RELKIND_PARTITIONED_INDEX)
		relation = IndexGetRelation(relation, true);
	refuse_for_relation(relation, "REINDEX");
}

/*
 * Refuse what the current role must not do to a protected relation; the statement to be run in its
 * place.  Statements that end a failed transaction come here too, when no catalog can be read.
 */
static PlannedStmt *
check(PlannedStmt *stmt)
{
	Node	   *statement = stmt->utilityStmt;
	ListCell   *lc;

	switch (nodeTag(statement))
	{
		case T_LockStmt:
		case T_VacuumStmt:
		case T_ClusterStmt:
		case T_ReindexStmt:
		case T_ExplainStmt:
			if (dpriv_anything_protected())
				break;
			return stmt;
		default:
			return stmt;
	}
	switch (nodeTag(statement))
	{
		case T_LockStmt:
			foreach(lc, ((LockStmt *) statement)->relations)
				refuse_for_name(lfirst_node(RangeVar, lc), "LOCK TABLE");
			break;
		case T_VacuumStmt:
			check_vacuum((VacuumStmt *) statement);
			break;
		case T_ClusterStmt:
			check_cluster((ClusterStmt *) statement);
			break;
		case T_ReindexStmt:
			check_reindex((ReindexStmt *) statement);
			break;
		default:
			if (executes_restricted((ExplainStmt *) statement))
				return without_costs(stmt);
			break;
	}
	return stmt;
}

void
dpriv_guard_utility(PlannedStmt *stmt, const char *query_string, bool read_only_tree,
					ProcessUtilityContext context, ParamListInfo params,
					QueryEnvironment *environment, DestReceiver *receiver,
					QueryCompletion *completion, ProcessUtility_hook_type next)
{
	Node	   *statement = stmt->utilityStmt;
	bool		is_explain = IsA(statement, ExplainStmt);
	bool		saved_measured = measured;
	bool		saved_shows_costs = shows_costs;
	bool		saved_copies = copies;
	PlannedStmt *checked = check(stmt);

	if (!is_explain && !IsA(statement, CopyStmt))
	{
		next(checked, query_string, read_only_tree, context, params, environment, receiver,
			 completion);
		return;
	}
	PG_TRY();
	{
		measured |= is_explain && measures((ExplainStmt *) statement);

		/* Its arguments are evaluated before the plan is made, and may change what it reads. */
		shows_costs = is_explain && checked == stmt &&
			explained_execute((ExplainStmt *) statement) != NULL;
		copies = !is_explain && copies_relation((CopyStmt *) statement);
		starts = false;
		next(checked, query_string, read_only_tree, context, params, environment, receiver,
			 completion);
	}
	PG_FINALLY();
	{
		measured = saved_measured;
		shows_costs = saved_shows_costs;
		copies = saved_copies;
	}
	PG_END_TRY();
}
