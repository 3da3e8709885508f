/*
 * lock.h
 *	  One session at a time adds to the chain of a budget.
 */
#ifndef DPRIV_LOCK_H
#define DPRIV_LOCK_H

#include "storage/itemptr.h"
#include "utils/uuid.h"

/* Ask for the locks in shared memory, and find them: from the hooks of the postmaster's start. */
extern void dpriv_lock_request(void);
extern void dpriv_lock_startup(void);

/* Where the last entry of a budget is. */
typedef struct DprivSeen
{
	int64		number;			/* of the entry; 0: nobody here has seen any */
	Oid			file;			/* relfilenode of the ledger */
	ItemPointerData at;
} DprivSeen;

/*
 * The last entry of a budget, as far as anybody here has seen.  A hint, which may be wrong: where
 * to begin to look.  While the budget is locked.
 */
extern DprivSeen dpriv_lock_seen(const pg_uuid_t *id);
extern void dpriv_lock_see(const pg_uuid_t *id, DprivSeen last);

/*
 * Lock n budgets, of which the ids are sorted.  The locks are the same in the whole server: all of
 * its sessions take them from shared memory, or none does.
 *
 * From shared memory they hold interrupts off, and nobody finds out about a deadlock: in between
 * nothing may wait for another transaction, and an error must not leave before they are given back.
 */
extern void dpriv_lock_budgets(const pg_uuid_t *const *ids, int n);

/* after_error: an error has put an end to holding interrupts off. */
extern void dpriv_unlock_budgets(const pg_uuid_t *const *ids, int n, bool after_error);

/* What a session that waits for such a lock is seen to wait for. */
extern uint32 dpriv_lock_wait_event(void);

#endif							/* DPRIV_LOCK_H */
