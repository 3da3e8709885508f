/*
 * release.h
 *	  Private releases: planning, charging, executing.  What the hooks call.
 */
#ifndef DPRIV_RELEASE_H
#define DPRIV_RELEASE_H

#include "executor/execdesc.h"
#include "nodes/pathnodes.h"
#include "optimizer/planner.h"

/*
 * Plan a statement that may hold releases; next plans ordinary statements.
 */
extern PlannedStmt *dpriv_release_plan(Query *query, const char *query_string, int cursor_options,
									   ParamListInfo bound_params, planner_hook_type next);

/* Give a release's placeholder its one path. */
extern void dpriv_release_set_path(PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte);

/*
 * Start a statement with "next", then pay for its releases, all or none.  A Release node that was
 * not paid for here refuses to run.
 */
extern void dpriv_release_start(QueryDesc *query_desc, int eflags,
								void (*next) (QueryDesc *query_desc, int eflags));

/* Register the node. */
extern void dpriv_release_init(void);

#endif							/* DPRIV_RELEASE_H */
