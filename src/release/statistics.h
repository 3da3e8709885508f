/*
 * statistics.h
 *	  What the planner may do with statistics while it plans an inner query.
 */
#ifndef DPRIV_STATISTICS_H
#define DPRIV_STATISTICS_H

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/* Guard statistics from now on, or no longer; returns what it was before. */
extern bool dpriv_statistics_guard(bool on);

/*
 * Hooks: find statistics so that only leakproof functions see them.  False: not guarded, or not a
 * table's.
 */
extern bool dpriv_statistics_of_column(RangeTblEntry *rte, AttrNumber attnum,
									   VariableStatData *vardata);
extern bool dpriv_statistics_of_index(Oid index, AttrNumber attnum, VariableStatData *vardata);

/* Hook: leave out statistics that any function would see. */
extern void dpriv_statistics_of_relation(RelOptInfo *rel);

#endif							/* DPRIV_STATISTICS_H */
