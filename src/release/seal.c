/*
 * seal.c
 *	  Run an inner plan so that nothing but its result can be observed.
 *
 * What the executor would tell the session about private rows is stopped here: messages of every level, row
 * and buffer counters, settings changed below, the text of errors.  Errors that say nothing about rows (cancel, shutdown) pass.
 */
#include "postgres.h"

#include "access/xact.h"
#include "compat.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "release/seal.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

static bool sealed = false;

bool
dpriv_is_sealed(void)
{
	return sealed;
}

static void
run(QueryDesc *query_desc)
{
	PushActiveSnapshot(query_desc->snapshot);
	ExecutorStart(query_desc, 0);
	dpriv_executor_run(query_desc);
	ExecutorFinish(query_desc);
	ExecutorEnd(query_desc);
	PopActiveSnapshot();
}

/* Settings that parallel workers inherit.  GUC_ACTION_SAVE is allowed in parallel mode. */
static void
set_quiet(void)
{
	(void) set_config_option("client_min_messages", "error", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("track_counts", "off", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("track_functions", "none", PGC_SUSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/*
 * Was it raised because somebody wants the statement or the session to end?  A function may raise any code
 * with any text, so the place where it was raised decides.
 */
static bool
is_interrupt(const ErrorData *error)
{
	return ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION &&
		error->funcname && strcmp(error->funcname, "ProcessInterrupts") == 0;
}

/* Raise what the client may know of an error below the door. */
static void
replace_error(ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	if (is_interrupt(error))
	{
		/* Where it happened to stop is not told.  Thrown anew, because the old one was not for the client. */
		error->context = NULL;
		ThrowErrorData(error);
	}

	/* Reporting ends with a check for interrupts, which would let the messages of workers through. */
	HOLD_INTERRUPTS();
	ereport(LOG_SERVER_ONLY,
			(errcode(error->sqlerrcode),
			 errmsg("private release failed"),
			 errdetail_internal("%s", error->message ? error->message : "")));
	RESUME_INTERRUPTS();

	/* Program limits are not among them: chr() would tell a limit from an overflow. */
	if (category == ERRCODE_INSUFFICIENT_RESOURCES)
		ereport(ERROR,
				(errcode(category),
				 errmsg("private release ran out of resources"),
				 errhint("The server's log has the cause.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("private release failed while reading rows"),
			 errdetail("The cause is not shown because it may depend on private data."),
			 errhint("Use expressions that cannot fail, for example CASE around a division. The server's log "
					 "has the cause.")));
}

void
dpriv_run_sealed(QueryDesc *query_desc)
{
	MemoryContext context = CurrentMemoryContext;
	CommandDest saved_dest = whereToSendOutput;
	BufferUsage saved_buffers = pgBufferUsage;
	WalUsage	saved_wal = pgWalUsage;
	bool		was_sealed = sealed;
	int			nestlevel = NewGUCNestLevel();
	ErrorData  *error = NULL;

	set_quiet();
	PG_TRY();
	{
		sealed = true;
		whereToSendOutput = DestNone;
		run(query_desc);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	sealed = was_sealed;
	whereToSendOutput = saved_dest;
	pgBufferUsage = saved_buffers;
	pgWalUsage = saved_wal;
	if (error)
		replace_error(error);

	/* Rolled back, as whatever else a function may have set: its value could come from a row. */
	AtEOXact_GUC(false, nestlevel);
}
