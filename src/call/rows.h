/*
 * rows.h
 *	  From a relation to rows: the query that reads them, planned, permitted and sealed.
 */
#ifndef DPRIV_CALL_ROWS_H
#define DPRIV_CALL_ROWS_H

#include "nodes/plannodes.h"
#include "optimizer/planner.h"
#include "parser/parse_node.h"
#include "utils/queryenvironment.h"
#include "utils/relcache.h"

/* What reads the rows. */
typedef struct RowsQuery
{
	PlannedStmt *plan;
	Oid			relation;		/* whose rows they are: what is charged for */
	QueryEnvironment *environment;	/* rows that are read from elsewhere, or NULL */
} RowsQuery;

/* An argument that is a text with an expression in it. */
typedef struct RowsText
{
	const char *argument;		/* its name */
	const char *detail;			/* sentences for the error if it is anything else */
	const char *hint;
} RowsText;

/* A state of the parser that knows the columns of this relation, and nothing else. */
extern ParseState *dpriv_rows_parse_state(Relation relation);

/*
 * Parse a text that is one expression, and hand it to transform.  Positions of errors, those from
 * transform as well, are in the text.  Error: 42601.
 */
typedef Node *(*RowsTransform) (ParseState *pstate, Node *raw, void *context);
extern Node *dpriv_rows_expression(ParseState *pstate, const char *text, const RowsText *argument,
								   RowsTransform transform, void *context);

/*
 * Plan the query for these columns, a list of target entries, of all rows for which the filter, a
 * text or NULL, is true.  The filter must be one expression over the row, and for a restricted role
 * filter and columns must be on the allow-list; permissions of the current role are checked.  Ends
 * the use of the state.  Nothing is read.
 */
extern RowsQuery dpriv_rows_plan(ParseState *pstate, List *columns, const char *filter);

/* Plan a query that reads nothing but what the environment has. */
extern RowsQuery dpriv_rows_plan_stored(Query *query, QueryEnvironment *environment);

/*
 * Run it, with take for each row, in a memory context of that row.  Part of work that is sealed.
 */
typedef void (*RowsTake) (void *context, const Datum *value, const bool *isnull);
extern void dpriv_rows_read(const RowsQuery *query, RowsTake take, void *context);

/* What plans queries of other kinds: the hook that was there before, or the standard planner. */
extern void dpriv_rows_init(planner_hook_type planner);

#endif							/* DPRIV_CALL_ROWS_H */
