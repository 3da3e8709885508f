/*
 * durable.c
 *	  A charge is on disk before its answer leaves, and is flushed once.
 *
 * A charge needs a transaction id, so the transaction's COMMIT would flush the log a second time,
 * for a transaction that did nothing else.  If nothing else was written, that commit need not wait:
 * what a crash could undo is nothing, since the charges are frozen and on disk.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "compat.h"
#include "ledger/durable.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/lwlock.h"
#include "utils/guc.h"

/* Has this transaction written nothing but charges, up to here? */
static bool only_charges = false;
static XLogRecPtr charges_end = InvalidXLogRecPtr;

/* While it commits without waiting: the user's setting. */
static bool lowered = false;
static int	saved_synchronous_commit;

static void
end_of_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			if (only_charges && charges_end == XactLastRecEnd &&
				synchronous_commit > SYNCHRONOUS_COMMIT_OFF)
			{
				saved_synchronous_commit = synchronous_commit;
				synchronous_commit = SYNCHRONOUS_COMMIT_OFF;
				lowered = true;
			}
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			if (lowered)
				synchronous_commit = saved_synchronous_commit;
			lowered = false;
			only_charges = false;
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

void
dpriv_durable_flush(void)
{
	charges_end = XactLastRecEnd;
	XLogFlush(charges_end);
}

/* Have the standbys that count confirmed the log up to here, or are there none any more? */
static bool
is_confirmed(XLogRecPtr end)
{
	int			mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_APPLY ?
		SYNC_REP_WAIT_APPLY : SYNC_REP_WAIT_FLUSH;
	bool		confirmed;

	LWLockAcquire(SyncRepLock, LW_SHARED);
	confirmed = !dpriv_sync_standbys_defined() || WalSndCtl->lsn[mode] >= end;
	LWLockRelease(SyncRepLock);
	return confirmed;
}

/*
 * A cancelled wait returns with a warning, since a commit cannot be taken back.  An answer can be
 * kept back.
 */
void
dpriv_durable_wait(int nestlevel)
{
	bool		confirmed = true;

	if (max_wal_senders > 0)
	{
		SyncRepWaitForLSN(charges_end, true);
		confirmed = is_confirmed(charges_end);
	}
	AtEOXact_GUC(true, nestlevel);
	if (!confirmed)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("the charge of a private release was not confirmed by a synchronous standby"),
				 errdetail("It is recorded on this server and stays; nothing was released."),
				 errhint("Ask again when the standby is back.")));
}
