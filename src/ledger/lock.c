/*
 * lock.c
 *	  One session at a time adds to the chain of a budget.
 *
 * Locks of the lock manager are handed to whoever has waited longest, who then has to be woken and
 * scheduled: a crowd that shares a budget spends its time on that.  A lightweight lock goes to
 * whoever comes by first.  These need shared memory, which only a preloaded library can have; in a
 * server that does not preload dpriv, sessions that load it use advisory locks of a class that SQL
 * cannot take.
 */
#include "postgres.h"

#include "ledger/lock.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/wait_event.h"

#define BUDGET_LOCK_CLASS 0xD9
#define TRANCHE "dpriv_budget"

/* Budgets share them; a statement may hold as many as half of what a backend can. */
#define NLOCKS 64

static LWLockPadded *locks = NULL;

/* Of the budget whose chain was followed last under each lock; those of a session without them. */
typedef struct Seen
{
	Oid			database;
	pg_uuid_t	budget;
	DprivSeen	last;
} Seen;

static Seen own_seen[NLOCKS];
static Seen *seen = own_seen;

void
dpriv_lock_request(void)
{
	RequestNamedLWLockTranche(TRANCHE, NLOCKS);
	RequestAddinShmemSpace(sizeof(Seen) * NLOCKS);
}

void
dpriv_lock_startup(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	seen = ShmemInitStruct(TRANCHE, sizeof(Seen) * NLOCKS, &found);
	if (!found)
		memset(seen, 0, sizeof(Seen) * NLOCKS);
	LWLockRelease(AddinShmemInitLock);
	locks = GetNamedLWLockTranche(TRANCHE);
}

static int
lock_number(const pg_uuid_t *id)
{
	return id->data[0] % NLOCKS;
}

DprivSeen
dpriv_lock_seen(const pg_uuid_t *id)
{
	static const DprivSeen nothing = {0};
	const Seen *entry = &seen[lock_number(id)];

	return entry->database == MyDatabaseId &&
		memcmp(&entry->budget, id, sizeof(pg_uuid_t)) == 0 ? entry->last : nothing;
}

void
dpriv_lock_see(const pg_uuid_t *id, DprivSeen last)
{
	seen[lock_number(id)] = (Seen) {MyDatabaseId, *id, last};
}

/* Ids are random. */
static uint64
lock_numbers(const pg_uuid_t *const *ids, int n)
{
	uint64		numbers = 0;

	for (int i = 0; i < n; i++)
		numbers |= UINT64CONST(1) << lock_number(ids[i]);
	return numbers;
}

static void
set_tag(LOCKTAG *tag, const pg_uuid_t *id)
{
	uint32		high;
	uint32		low;

	memcpy(&high, id->data, sizeof(high));
	memcpy(&low, id->data + sizeof(high), sizeof(low));
	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, high, low, BUDGET_LOCK_CLASS);
}

/* What a failure to get one of them leaves, its own error takes back with the transaction. */
void
dpriv_lock_budgets(const pg_uuid_t *const *ids, int n)
{
	uint64		numbers = lock_numbers(ids, n);
	LOCKTAG		tag;

	if (locks == NULL)
	{
		for (int i = 0; i < n; i++)
		{
			set_tag(&tag, ids[i]);
			(void) LockAcquire(&tag, ExclusiveLock, false, false);
		}
		return;
	}
	for (int i = 0; i < NLOCKS; i++)
	{
		if (numbers & (UINT64CONST(1) << i))
			LWLockAcquire(&locks[i].lock, LW_EXCLUSIVE);
	}
}

void
dpriv_unlock_budgets(const pg_uuid_t *const *ids, int n, bool after_error)
{
	uint64		numbers = lock_numbers(ids, n);
	LOCKTAG		tag;

	if (locks == NULL)
	{
		for (int i = 0; i < n; i++)
		{
			set_tag(&tag, ids[i]);
			(void) LockRelease(&tag, ExclusiveLock, false);
		}
		return;
	}
	for (int i = 0; i < NLOCKS; i++)
	{
		if ((numbers & (UINT64CONST(1) << i)) == 0)
			continue;
		if (after_error)
			HOLD_INTERRUPTS();	/* which giving it back takes off again */
		LWLockRelease(&locks[i].lock);
	}
}

uint32
dpriv_lock_wait_event(void)
{
	return PG_WAIT_LWLOCK | locks[0].lock.tranche;
}
