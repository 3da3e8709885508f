/*
 * durable.c
 *	  A charge is on disk before its answer leaves, and is flushed once.
 *
 * A charge needs a transaction id, so the transaction's COMMIT would flush the log a second time,
 * for a transaction that did nothing else.  If nothing else was written, that commit need not wait:
 * what a crash could undo is nothing, since the charges are frozen and on disk.  Other libraries
 * may still write when they are told of the commit, after this one was: then it is flushed after
 * all, before the client hears of it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "compat.h"
#include "executor/instrument.h"
#include "ledger/durable.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lwlock.h"
#include "utils/guc.h"

/*
 * Has this transaction written nothing but charges, up to here?  Charges that another session wrote
 * for it are none of its own.
 */
static bool only_charges = false;
static XLogRecPtr charges_end = InvalidXLogRecPtr;

/* While it commits without waiting: the user's setting, and how many records there were before. */
static bool lowered = false;
static int	saved_synchronous_commit;
static int64 records_before;

/* With remote_apply the user asks for what only the record of a commit makes standbys tell. */
static void
lower(void)
{
	if (!only_charges || charges_end != XactLastRecEnd ||
		synchronous_commit <= SYNCHRONOUS_COMMIT_OFF ||
		synchronous_commit >= SYNCHRONOUS_COMMIT_REMOTE_APPLY)
		return;
	saved_synchronous_commit = synchronous_commit;
	synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
	records_before = pgWalUsage.wal_records;
	lowered = true;
}

static void
restore(void)
{
	if (lowered)
		synchronous_commit = saved_synchronous_commit;
	lowered = false;
	only_charges = false;
}

static void
end_of_transaction(XactEvent event, void *arg)
{
	bool		is_late;

	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			lower();
			break;
		case XACT_EVENT_COMMIT:
			/* One record is that of the commit. */
			is_late = lowered && pgWalUsage.wal_records > records_before + 1;
			restore();
			if (is_late)
			{
				XLogFlush(XactLastCommitEnd);
				SyncRepWaitForLSN(XactLastCommitEnd, true);
			}
			break;
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			restore();
			break;
		default:
			break;
	}
}

void
dpriv_durable_init(void)
{
	RegisterXactCallback(end_of_transaction, NULL);
}

int
dpriv_durable_begin(void)
{
	int			nestlevel = NewGUCNestLevel();

	if (!TransactionIdIsValid(GetTopTransactionIdIfAny()))
		only_charges = true;
	else if (charges_end != XactLastRecEnd)
		only_charges = false;
	if (synchronous_commit < SYNCHRONOUS_COMMIT_REMOTE_FLUSH)
		(void) set_config_option("synchronous_commit", "on", PGC_SUSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	return nestlevel;
}

static bool
names_standbys(void)
{
	return SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0';
}

bool
dpriv_durable_needs_commit(void)
{
	return synchronous_commit >= SYNCHRONOUS_COMMIT_REMOTE_APPLY && names_standbys();
}

void
dpriv_durable_flush(XLogRecPtr end)
{
	charges_end = XactLastRecEnd;
	XLogFlush(end);
}

/* Have the standbys that count the log up to here on disk, or are there to be none? */
static bool
is_confirmed(XLogRecPtr end)
{
	bool		confirmed;

	if (!names_standbys())
		return true;
	LWLockAcquire(SyncRepLock, LW_SHARED);
	confirmed = WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH] >= end || !dpriv_sync_standbys_defined();
	LWLockRelease(SyncRepLock);
	return confirmed;
}

/*
 * A cancelled wait returns with a warning, since a commit cannot be taken back.  An answer can be
 * kept back.  The wait itself notices cancels, and expects that nothing else does.
 */
void
dpriv_durable_wait(int nestlevel, XLogRecPtr end)
{
	bool		confirmed = true;

	if (max_wal_senders > 0)
	{
		HOLD_INTERRUPTS();
		SyncRepWaitForLSN(end, false);
		confirmed = is_confirmed(end);
		RESUME_INTERRUPTS();
	}
	AtEOXact_GUC(true, nestlevel);
	if (!confirmed)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("no synchronous standby has confirmed the charge of a private release"),
				 errdetail("It is recorded on this server and stays; nothing was released."),
				 errhint("Ask again when the standby is back.")));
}
