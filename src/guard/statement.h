/*
 * statement.h
 *	  What a role that must not see the rows of a protected relation may do with it in a statement.
 */
#ifndef DPRIV_STATEMENT_H
#define DPRIV_STATEMENT_H

#include "executor/execdesc.h"
#include "optimizer/planner.h"

/*
 * Plan a statement, releases or not; next plans ordinary statements.
 *
 * If the current role must not see the rows of a relation in it, rows of this relation are read by
 * releases alone, and by expressions that say nothing about a row.  Plans that touch a protected
 * relation are made again for another role.  Errors: 42501 for access to rows, 0A000 for the shape
 * of a release.
 */
extern PlannedStmt *dpriv_guard_plan(Query *query, const char *query_string, int cursor_options,
									 ParamListInfo bound_params, planner_hook_type next);

/*
 * Plan a query that reads rows by itself, to run sealed: rewritten, without aggregates, of one
 * source.  The same rules hold for it as for the inner query of a release; next plans it.
 * *relation is what a charge for it is on; the query cannot be asked any more, since planning
 * changes it.
 */
extern PlannedStmt *dpriv_guard_plan_rows(Query *query, planner_hook_type next, Oid *relation);

/*
 * A relation in the query whose rows the current role must not see; InvalidOid if there is none.
 * Functions in FROM of the query are inlined.
 */
extern Oid	dpriv_guard_find_restricted(Query *query);

/*
 * Would estimates of what the query reads tell of rows that the current role must not see?  Beside
 * protected relations, those of catalogs that have what ANALYZE has kept.
 */
extern bool dpriv_guard_hides_estimates(Query *query);

/* A relation in a statement that was planned of which that is so; InvalidOid if there is none. */
extern Oid	dpriv_guard_find_planned(PlannedStmt *stmt);

/*
 * Raise 42501 if the planner has come to a relation whose rows the current role must not see, and
 * which is not the one that the release being planned reads.  To be called by the planner's hook
 * for each relation, before statistics of it are read.
 */
extern void dpriv_guard_relation(PlannerInfo *root, RelOptInfo *rel, Oid relation);

#endif							/* DPRIV_STATEMENT_H */
