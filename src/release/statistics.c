/*
 * statistics.c
 *	  What the planner may do with statistics for an inner query: nothing that can fail or talk.
 *
 * To estimate a condition the planner calls its operator for values that ANALYZE took from rows.
 * An error there (LIKE with a broken pattern, a function of the user's own) would tell of these
 * values before anything has been paid, as often as one likes.  So inner queries are planned as if
 * the caller could not read the table: only leakproof functions see statistics, as with row-level
 * security.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext.h"
#include "release/statistics.h"
#include "utils/syscache.h"

static bool guarded = false;

bool
dpriv_statistics_guard(bool on)
{
	bool		before = guarded;

	guarded = on;
	return before;
}

/* As the planner would find them; acl_ok, which it sets if any function may see them, is false. */
static void
find(VariableStatData *vardata, Oid relation, AttrNumber attnum, bool inherited)
{
	vardata->statsTuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relation),
										  Int16GetDatum(attnum), BoolGetDatum(inherited));
	vardata->freefunc = ReleaseSysCache;
	vardata->acl_ok = false;
}

bool
dpriv_statistics_of_column(RangeTblEntry *rte, AttrNumber attnum, VariableStatData *vardata)
{
	if (!guarded || rte->rtekind != RTE_RELATION)
		return false;
	find(vardata, rte->relid, attnum, rte->inh);
	return true;
}

bool
dpriv_statistics_of_index(Oid index, AttrNumber attnum, VariableStatData *vardata)
{
	if (!guarded)
		return false;
	find(vardata, index, attnum, false);
	return true;
}

/* Extended statistics have no such gate, so those that hold values are not there at all. */
void
dpriv_statistics_of_relation(RelOptInfo *rel)
{
	ListCell   *lc;

	if (!guarded)
		return;
	foreach(lc, rel->statlist)
	{
		char		kind = lfirst_node(StatisticExtInfo, lc)->kind;

		if (kind != STATS_EXT_NDISTINCT && kind != STATS_EXT_DEPENDENCIES)
			rel->statlist = foreach_delete_current(rel->statlist, lc);
	}
}
