/*
 * rows.h
 *	  From a relation to stored rows: the query that reads them, planned, permitted and sealed.
 */
#ifndef DPRIV_LEARN_ROWS_H
#define DPRIV_LEARN_ROWS_H

#include "learn/learn.h"
#include "nodes/plannodes.h"
#include "optimizer/planner.h"
#include "utils/relcache.h"

/* What reads the rows. */
typedef struct LearnQuery
{
	PlannedStmt *plan;
	Oid			relation;		/* whose rows they are: what is charged for */
} LearnQuery;

/*
 * Plan the query for the label and the features of all rows for which the filter, a text or NULL,
 * is true.  The filter must be one expression over the row, and for a restricted role on the
 * allow-list; permissions of the current role are checked.  Nothing is read.
 */
extern LearnQuery dpriv_learn_plan(Relation relation, const LearnColumns *columns,
								   const char *filter);

/* Run it, sealed, and store its rows; those whose label is NULL or of neither class are left out. */
extern void dpriv_learn_read(const LearnQuery *query, const LearnColumns *columns,
							 LearnStore *store);

/* What plans queries of other kinds: the hook that was there before, or the standard planner. */
extern void dpriv_learn_init(planner_hook_type planner);

#endif							/* DPRIV_LEARN_ROWS_H */
