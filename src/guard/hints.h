/*
 * hints.h
 *	  What to write in place of a function that is not allowed on private rows.
 */
#ifndef DPRIV_HINTS_H
#define DPRIV_HINTS_H

#include "nodes/parsenodes.h"

/* A sentence or two for errhint(). */
extern const char *dpriv_guard_hint(Oid function);

/* The same for a query level with ordinary aggregates: what to write in place of one of them. */
extern const char *dpriv_guard_aggregate_hint(Query *query);

#endif							/* DPRIV_HINTS_H */
