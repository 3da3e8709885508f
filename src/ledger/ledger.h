/*
 * ledger.h
 *	  The ledger: one chain of entries per budget, and how they get to disk.
 */
#ifndef DPRIV_LEDGER_H
#define DPRIV_LEDGER_H

#include "ledger/budget.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

#define DPRIV_HASH_SIZE 32

/* Where the chain of a budget stands. */
typedef struct DprivEntry
{
	int64		number;			/* from 1; 0: nothing was ever charged */
	TimestampTz charged_at;
	TimestampTz period_start;	/* of the period that total is of */
	DprivCost	total;			/* of the period */
	int64		lifetime_epsilon;	/* of all periods, in units of 1e-12 */
	uint8		hash[DPRIV_HASH_SIZE];
} DprivEntry;

/* Open dpriv.ledger, whoever the user is. */
extern Relation dpriv_ledger_open(LOCKMODE mode);

/* The last entry of a budget, as committed now. */
extern void dpriv_ledger_last(Relation ledger, const pg_uuid_t *budget, DprivEntry *entry);

/* What is spent of a budget at a time: the entry's total, or nothing if its period is over. */
extern DprivCost dpriv_ledger_spent(const DprivBudget *budget, const DprivEntry *entry,
									TimestampTz now);

#endif							/* DPRIV_LEDGER_H */
