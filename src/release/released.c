/*
 * released.c
 *	  Views that hold nothing but released values.
 *
 * Decided by the view's own query, so that it says the same of what an owner may have stored by it
 * where the library was not loaded: there private aggregates raise, but only if they are computed.
 */
#include "postgres.h"

#include "access/relation.h"
#include "compat.h"
#include "fmgr.h"
#include "mechanism/measure.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/prs2lock.h"
#include "utils/rel.h"

static bool
is_private(Node *node)
{
	int			nprivacy;

	return IsA(node, Aggref) && dpriv_measure_find(((Aggref *) node)->aggfnoid, &nprivacy) >= 0;
}

static bool
other_aggregate_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		return !is_private(node);
	return expression_tree_walker(node, other_aggregate_walker, context);
}

/* Private aggregates right over relations: subqueries could have columns that nobody computes. */
static bool
is_plain_release(Query *query)
{
	ListCell   *lc;

	if (!query->hasAggs || query->hasWindowFuncs || query->hasSubLinks || query->cteList ||
		query->setOperations || query->groupingSets)
		return false;
	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind != RTE_RELATION && rte->rtekind != RTE_JOIN)
			return false;
	}
	return !other_aggregate_walker((Node *) query->targetList, NULL) &&
		!other_aggregate_walker(query->havingQual, NULL);
}

/* A column that is a private aggregate by itself cannot be simplified away. */
static bool
has_measure(Query *query)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);

		if (!column->resjunk && is_private((Node *) column->expr))
			return true;
	}
	return false;
}

/*
 * Keys of groups are released too, but not by themselves: who reads a view, and not the measures,
 * has PostgreSQL leave them out.  A materialized view has computed all its columns.
 */
static bool
releases_only(Relation view)
{
	char		relkind = view->rd_rel->relkind;
	Query	   *query;

	if ((relkind != RELKIND_VIEW && relkind != RELKIND_MATVIEW) || view->rd_rules == NULL)
		return false;
	query = copyObject(linitial_node(Query, view->rd_rules->rules[0]->actions));
	dpriv_flatten_group_rte(query);
	return is_plain_release(query) && has_measure(query) &&
		(relkind == RELKIND_MATVIEW || query->groupClause == NIL);
}

PG_FUNCTION_INFO_V1(dpriv_releases_only);

/* dpriv.releases_only(relation regclass) returns boolean. */
Datum
dpriv_releases_only(PG_FUNCTION_ARGS)
{
	Relation	relation = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
	bool		result;

	if (relation == NULL)
		PG_RETURN_NULL();
	result = releases_only(relation);
	relation_close(relation, AccessShareLock);
	PG_RETURN_BOOL(result);
}
