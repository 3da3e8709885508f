/*
 * hints.h
 *	  What to write in place of what is not allowed on private rows.
 */
#ifndef DPRIV_HINTS_H
#define DPRIV_HINTS_H

#include "nodes/parsenodes.h"

/* Of a function, a sentence or two for errhint(). */
extern const char *dpriv_guard_hint(Oid function);

/* The same for a query level with ordinary aggregates: what to write in place of one of them. */
extern const char *dpriv_guard_aggregate_hint(Query *query);

/*
 * What a user would call this kind of node, and sentences for errhint() and, if it is not NULL,
 * errdetail().
 */
extern const char *dpriv_guard_construct(NodeTag tag, const char **detail, const char **hint);

#endif							/* DPRIV_HINTS_H */
