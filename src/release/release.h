/*
 * release.h
 *	  Private releases: planning, charging, executing.  What the hooks call.
 */
#ifndef DPRIV_RELEASE_H
#define DPRIV_RELEASE_H

#include "executor/execdesc.h"
#include "nodes/pathnodes.h"
#include "optimizer/planner.h"

/* Plans a query without releases. */
typedef PlannedStmt *(*DprivPlanQuery) (Query *query, const char *query_string,
										int cursor_options, ParamListInfo bound_params,
										void *context);

/* What plans the two halves of a statement: the layer above may look at each, and change it. */
typedef struct DprivPlanner
{
	DprivPlanQuery inner;		/* what reads private rows, for each release */
	DprivPlanQuery outer;		/* the rest, with placeholders for releases */
	void	   *context;
} DprivPlanner;

/*
 * Plan a statement that may hold releases.
 */
extern PlannedStmt *dpriv_release_plan(Query *query, const char *query_string, int cursor_options,
									   ParamListInfo bound_params, const DprivPlanner *planner);

/* Plan a query that reads private rows and runs sealed; so releases plan their inner queries. */
extern PlannedStmt *dpriv_release_plan_rows(Query *query, const char *query_string,
											int cursor_options, ParamListInfo bound_params,
											const DprivPlanner *planner);

/*
 * Make a plan depend on what inlining, recorded in glob, has found: functions that left no other
 * trace, and row security inside of them.
 */
extern void dpriv_add_dependencies(PlannedStmt *stmt, PlannerGlobal *glob);

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
