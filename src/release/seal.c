/*
 * seal.c
 *	  Run an inner plan so that nothing but its result can be observed.
 *
 * What the executor would tell the session about private rows is stopped here: messages of every
 * level, row and buffer counters, settings changed below, the text of errors.  Errors that say
 * nothing about rows (cancel, shutdown) pass.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "release/mute.h"
#include "release/seal.h"
#include "storage/lmgr.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* For what may be called for a row, in bytes: LIKE needs 20 kB for a pattern of 256 bytes. */
#define STACK_FOR_ROWS (64 * 1024)

static bool sealed = false;

bool
dpriv_is_sealed(void)
{
	return sealed;
}

void
dpriv_run_query(void *arg)
{
	QueryDesc  *query_desc = arg;

	PushActiveSnapshot(query_desc->snapshot);
	ExecutorStart(query_desc, 0);
	dpriv_executor_run(query_desc);
	ExecutorFinish(query_desc);
	ExecutorEnd(query_desc);
	PopActiveSnapshot();
}

/*
 * Some functions go deeper for some values than for others, and fail where there is no stack left.
 * How little is left is the caller's choice, so there has to be enough for all of them.
 */
static pg_noinline void
require_stack(void)
{
	volatile char room[STACK_FOR_ROWS];

	room[0] = 0;
	check_stack_depth();
	(void) room[0];				/* not gone before the check */
}

/* Lock what is opened for single rows only. */
static void
lock_values(Relation rel)
{
	static const Oid catalogs[] = {
		EnumRelationId, EnumOidIndexId, EnumTypIdLabelIndexId, TypeRelationId, TypeOidIndexId
	};
	Relation	toast;
	ListCell   *lc;

	for (int i = 0; i < lengthof(catalogs); i++)
		LockRelationOid(catalogs[i], AccessShareLock);
	if (!OidIsValid(rel->rd_rel->reltoastrelid))
		return;
	toast = table_open(rel->rd_rel->reltoastrelid, AccessShareLock);
	foreach(lc, RelationGetIndexList(toast))
		LockRelationOid(lfirst_oid(lc), AccessShareLock);
	table_close(toast, NoLock);
}

List *
dpriv_open_relations(const PlannedStmt *plan, Oid relation)
{
	bool		restricted = OidIsValid(relation) && dpriv_is_restricted(relation, GetUserId());
	List	   *relations = NIL;
	ListCell   *lc;

	foreach(lc, plan->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind != RTE_RELATION)
			continue;
		relations = lappend(relations, table_open(rte->relid, NoLock));
		if (restricted)
			lock_values(llast(relations));
	}
	return relations;
}

void
dpriv_close_relations(List *relations)
{
	ListCell   *lc;

	foreach(lc, relations)
		table_close(lfirst(lc), NoLock);
}

/* For parallel workers too, which inherit settings: GUC_ACTION_SAVE is allowed in parallel mode. */
static void
set_quietly(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

void
dpriv_quiet_begin(DprivQuiet *quiet)
{
	dpriv_mute();
	quiet->buffers = pgBufferUsage;
	quiet->wal = pgWalUsage;
	quiet->nestlevel = NewGUCNestLevel();
	set_quietly("track_counts", "off");
	set_quietly("track_functions", "none");
	set_quietly("track_io_timing", "off");
	set_quietly("track_wal_io_timing", "off");
	set_quietly("client_min_messages", "error");

	/* Its own files can bring a session to the limit, so that a single row goes beyond it. */
	set_quietly("temp_file_limit", "-1");
}

static void
restore_usage(const DprivQuiet *quiet)
{
	pgBufferUsage = quiet->buffers;
	pgWalUsage = quiet->wal;
}

void
dpriv_quiet_end(const DprivQuiet *quiet)
{
	restore_usage(quiet);

	/* Rolled back, as whatever else a function may have set: its value could come from a row. */
	AtEOXact_GUC(false, quiet->nestlevel);
}

/* A function may raise any code with any text, so the place where it was raised decides. */
bool
dpriv_is_interrupt(const ErrorData *error)
{
	return error->funcname && strcmp(error->funcname, "ProcessInterrupts") == 0;
}

/* Raise what the client may know of an error below the door. */
static void
replace_error(ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	if (dpriv_is_interrupt(error))
	{
		/* Where it stopped is not told.  Thrown anew: the old one was not for the client. */
		error->context = NULL;
		ThrowErrorData(error);
	}

	/* Reporting ends with a check for interrupts, which would let workers' messages through. */
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
			 errhint("Use expressions that cannot fail, for example CASE around a division. "
					 "The server's log has the cause.")));
}

void
dpriv_seal(void (*work) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	CommandDest saved_dest = whereToSendOutput;
	bool		was_sealed = sealed;
	DprivQuiet quiet;
	ErrorData  *error = NULL;

	require_stack();
	dpriv_quiet_begin(&quiet);
	PG_TRY();
	{
		sealed = true;
		whereToSendOutput = DestNone;
		work(arg);
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
	restore_usage(&quiet);
	if (error)
		replace_error(error);	/* the abort that follows resets the settings */
	dpriv_quiet_end(&quiet);
}
