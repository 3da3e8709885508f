/*
 * durable.h
 *	  A charge is on disk before its answer leaves, and is flushed once.
 */
#ifndef DPRIV_DURABLE_H
#define DPRIV_DURABLE_H

#include "access/xlogdefs.h"

extern void dpriv_durable_init(void);

/*
 * To be called before the first row of a charge is written; returns what dpriv_durable_wait() ends.
 * From here on synchronous replication is what the server has configured, whatever the user set.
 */
extern int	dpriv_durable_begin(void);

/*
 * Afterwards: does the user ask for what only the commit of a transaction with charges of its own
 * makes standbys tell, that they have applied it?
 */
extern bool dpriv_durable_needs_commit(void);

/* Flush the log up to where the charge ends.  Cannot be interrupted. */
extern void dpriv_durable_flush(XLogRecPtr end);

/*
 * Wait for synchronous standbys to have it, if there are to be any.  Errors: 57014 if the wait was
 * cancelled; what was charged stays.
 */
extern void dpriv_durable_wait(int nestlevel, XLogRecPtr end);

#endif							/* DPRIV_DURABLE_H */
