/*
 * rows.h
 *	  From a relation to rows: the query that reads them, planned, permitted and sealed.
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
 * Plan the query for columns of all rows for which the filter, a text or NULL, is true: names
 * (char *), first the label, then the features.  The filter must be one expression over the row,
 * and for a restricted role on the allow-list; permissions of the current role are checked.
 * Nothing is read.
 */
extern LearnQuery dpriv_learn_plan(Relation relation, List *names, const char *filter);

/* What is done with a row: its class, and the values of its features. */
typedef void (*LearnTakeRow) (void *context, int class, const Datum *value, const bool *isnull);

/*
 * Run it, with take for each row; those whose label is NULL or of neither class are left out.  Part
 * of work that is sealed.
 */
extern void dpriv_learn_read(const LearnQuery *query, const LearnLabel *label, LearnTakeRow take,
							 void *context);

/* What plans queries of other kinds: the hook that was there before, or the standard planner. */
extern void dpriv_learn_init(planner_hook_type planner);

#endif							/* DPRIV_LEARN_ROWS_H */
