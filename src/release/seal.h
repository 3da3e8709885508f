/*
 * seal.h
 *	  Run an inner plan so that nothing but its result can be observed.
 */
#ifndef DPRIV_SEAL_H
#define DPRIV_SEAL_H

#include "executor/execdesc.h"

/*
 * Run the query to its end, sealed: no message reaches the client, the session's counters do not move, and
 * an error is replaced by a fixed text.  The query's snapshot must be registered.
 */
extern void dpriv_run_sealed(QueryDesc *query_desc);

/* Is such a query running now? */
extern bool dpriv_is_sealed(void);

#endif							/* DPRIV_SEAL_H */
