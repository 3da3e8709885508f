/*
 * seal.h
 *	  Run an inner plan so that nothing but its result can be observed.
 */
#ifndef DPRIV_SEAL_H
#define DPRIV_SEAL_H

#include "executor/execdesc.h"
#include "executor/instrument.h"

/*
 * Run the query to its end, sealed: no message reaches the client, the session's counters do not
 * move, and an error is replaced by a fixed text.  The query's snapshot must be registered.
 */
extern void dpriv_run_sealed(QueryDesc *query_desc);

/* The session's counters, to be put back. */
typedef struct DprivCounters
{
	BufferUsage buffers;
	WalUsage	wal;
	int			nestlevel;		/* of settings */
} DprivCounters;

/*
 * Stop counting what is read, and start again as if nothing had been.  Between the two the planner
 * may look into indexes for the ends of their range, which depend on rows.  An error in between
 * starts it again.
 */
extern void dpriv_counters_stop(DprivCounters *counters);
extern void dpriv_counters_restart(const DprivCounters *counters);

/* Is such a query running now? */
extern bool dpriv_is_sealed(void);

#endif							/* DPRIV_SEAL_H */
