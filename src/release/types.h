/*
 * types.h
 *	  Calls with types that a private aggregate does not take: say what to write instead.
 */
#ifndef DPRIV_TYPES_H
#define DPRIV_TYPES_H

#include "mechanism/measure.h"
#include "nodes/parsenodes.h"

/*
 * Refuse calls of the aggregates that exist only for this, anywhere in a query that has aggregates
 * or window functions.  Errors: 42804 for a value of another type, 42883 for other arguments.
 */
extern void dpriv_refuse_explained(Query *query);

/* How to name a value in a hint: the column if it is one. */
extern const char *dpriv_value_name(Node *value, Query *query);

/* Refuse a value that is neither text nor an enum.  Errors: 42804. */
extern void dpriv_require_label(Node *value, const DprivMeasureKind *kind, Query *query);

#endif							/* DPRIV_TYPES_H */
