/*
 * seal.h
 *	  Run an inner plan so that nothing but its result can be observed.
 */
#ifndef DPRIV_SEAL_H
#define DPRIV_SEAL_H

#include "executor/execdesc.h"
#include "executor/instrument.h"

/*
 * Do work that sees rows: no message reaches the client, the session's counters do not move, and an
 * error, whatever raised it, is replaced by a fixed text.  Errors before any row is read: 54001 if
 * too little stack is left.
 */
extern void dpriv_seal(void (*work) (void *arg), void *arg);

/* Was it raised because somebody wants the statement or the session to end? */
extern bool dpriv_is_interrupt(const ErrorData *error);

/* Such work: run a query, a QueryDesc, to its end.  Its snapshot must be registered. */
extern void dpriv_run_query(void *arg);

/*
 * Open what a plan reads, locked already; relation: whose rows they are.  For a restricted role,
 * what is opened for single rows only is locked until the end of the transaction: where their long
 * values are, and the catalogs of enums and types.  If the server has no lock left, this fails now,
 * whatever the rows are.
 */
extern List *dpriv_open_relations(const PlannedStmt *plan, Oid relation);
extern void dpriv_close_relations(List *relations);

/* The session's counters and settings, to be put back. */
typedef struct DprivQuiet
{
	BufferUsage buffers;
	WalUsage	wal;
	int			nestlevel;		/* of settings */
} DprivQuiet;

/*
 * Count nothing that is read, and say nothing but errors, until the end.  Between the two the
 * planner may look into indexes for the ends of their range, and it tells at a low level what
 * statistics there are; both depend on rows.  An error in between ends it.
 */
extern void dpriv_quiet_begin(DprivQuiet *quiet);
extern void dpriv_quiet_end(const DprivQuiet *quiet);

/* Is such a query running now? */
extern bool dpriv_is_sealed(void);

#endif							/* DPRIV_SEAL_H */
