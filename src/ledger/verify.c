/*
 * verify.c
 *	  What keeps the ledger honest: triggers, verification, and the archive.
 *
 * Every row's hash covers the row and the hash before it, so whoever changes, removes or inserts
 * one without recomputing all that follow is found out.  Rows cut off at the end of a chain are
 * not: that takes a copy of the last hashes, kept elsewhere.
 */
#include "postgres.h"

#include "accounting/cost.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "common/int.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "ledger/row.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#define BATCH 1000

#define ALL_ROWS "(SELECT * FROM dpriv.ledger UNION ALL SELECT * FROM dpriv.ledger_archive) l"

/* While dpriv.archive_ledger() moves rows. */
static bool archiving = false;

PG_FUNCTION_INFO_V1(dpriv_protect_ledger);

/*
 * Trigger of dpriv.budget, dpriv.ledger and its archive, before every statement: only charges,
 * which do not come by here, and dpriv's functions write them.  Superusers may, since a restore
 * must; for what a restore does not do they are warned.
 */
Datum
dpriv_protect_ledger(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	const char *table;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("dpriv.protect_ledger() was not called as a trigger"),
				 errhint("It is a trigger function of dpriv's own tables.")));
	table = RelationGetRelationName(trigger->tg_relation);
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("table dpriv.%s cannot be changed by hand", table),
				 errdetail("Charges append to the ledger, and nothing is taken back."),
				 errhint("Use dpriv.grant_budget(), dpriv.revoke_budget(), dpriv.set_cap() and "
						 "dpriv.archive_ledger().")));

	/* Sessions remember budgets. */
	CacheInvalidateRelcache(trigger->tg_relation);
	if (!archiving && !TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("table dpriv.%s is changed by hand", table),
				 errdetail("What roles have spent may no longer be what they have learned."),
				 errhint("dpriv.verify_ledger() tells whether the ledger still holds together.")));
	return PointerGetDatum(NULL);
}

/*
 * Verification
 */

/* A chain as far as it has been followed. */
typedef struct Chain
{
	bool		started;
	bool		broken;
	DprivRow	row;			/* the last one */
} Chain;

static bool
same_chain(const Chain *chain, const DprivRow *row)
{
	return chain->started && row->has_budget && chain->row.has_budget &&
		memcmp(&chain->row.budget, &row->budget, sizeof(pg_uuid_t)) == 0;
}

/*
 * More is right too: after the terms were changed a total has what now is of the same period.
 * Floats may come from a build that rounded otherwise; the hash covers their bits.
 */
static bool
follows(const DprivCost *total, const DprivCost *before, const DprivCost *cost)
{
	DprivCost	sum = dpriv_cost_add(*before, *cost);

	return total->epsilon >= sum.epsilon && total->delta_basic >= sum.delta_basic &&
		total->delta_approx >= sum.delta_approx && total->rho >= sum.rho * (1.0 - 1e-12);
}

/* What is wrong with a row after the one before it in its chain (NULL: it is the first). */
static const char *
find_problem(const DprivRow *row, const DprivRow *before, bool readable)
{
	static const DprivEntry none = {0};
	static const DprivCost nothing = {0};
	const DprivEntry *entry = before ? &before->entry : &none;
	DprivRow	copy = *row;
	int64		lifetime;

	if (!readable)
		return "a column has a value that no charge writes";
	if (row->has_budget && row->entry.number <= entry->number)
		return "there is another row with this number";
	if (row->has_budget && row->entry.number != entry->number + 1)
		return "rows before this one are missing";
	dpriv_row_seal(&copy, before ? before->entry.hash : NULL);
	if (memcmp(copy.entry.hash, row->entry.hash, DPRIV_HASH_SIZE) != 0)
		return before ? "the hash does not fit: this row or the one before it was changed" :
			"the hash does not fit: this row was changed";
	if (!row->has_budget)
		return NULL;
	if (before && row->charged_at < before->charged_at)
		return "it is older than the row before it";
	if (!follows(&row->entry.total, &entry->total, &row->cost) &&
		!(row->has_period && row->entry.period_start > entry->charged_at &&
		  follows(&row->entry.total, &nothing, &row->cost)))
		return "the total is not that of the row before it and this charge";
	if (pg_add_s64_overflow(entry->lifetime_epsilon, row->cost.epsilon, &lifetime))
		lifetime = PG_INT64_MAX;
	if (row->entry.lifetime_epsilon != lifetime)
		return "the lifetime total is not that of the row before it and this charge";
	return NULL;
}

/* Only what the next row is compared with. */
static DprivRow
without_pointers(const DprivRow *row)
{
	DprivRow	copy;

	memset(&copy, 0, sizeof(copy));
	copy.has_budget = row->has_budget;
	copy.budget = row->budget;
	copy.charged_at = row->charged_at;
	copy.entry = row->entry;
	return copy;
}

typedef void (*ReportProblem) (const DprivRow *row, const char *problem, void *arg);

/* Follow all chains in rows that come sorted by budget and entry; at most one report for each. */
static void
follow_chains(Portal portal, ReportProblem report, void *arg)
{
	Chain		chain = {0};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpriv verify",
												  ALLOCSET_DEFAULT_SIZES);

	for (;;)
	{
		SPI_cursor_fetch(portal, true, BATCH);
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			MemoryContext old = MemoryContextSwitchTo(context);
			DprivRow	row;
			bool		readable = dpriv_row_read(&row, SPI_tuptable->vals[i],
												  SPI_tuptable->tupdesc);
			bool		same = same_chain(&chain, &row);
			const char *problem = NULL;

			CHECK_FOR_INTERRUPTS();
			if (!same || !chain.broken)
				problem = find_problem(&row, same ? &chain.row : NULL, readable);
			MemoryContextSwitchTo(old);
			if (problem)
				report(&row, problem, arg);
			chain.broken = problem != NULL || (same && chain.broken);
			chain.started = true;
			chain.row = without_pointers(&row);
			MemoryContextReset(context);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	MemoryContextDelete(context);
}

static Portal
open_rows(const char *query, int nargs, Oid *argtypes, Datum *args)
{
	return SPI_cursor_open_with_args(NULL, query, nargs, argtypes, args, NULL, false, 0);
}

static void
put_problem(const DprivRow *row, const char *problem, void *arg)
{
	ReturnSetInfo *result = arg;
	Datum		value[4];
	bool		isnull[4] = {false};

	value[0] = UUIDPGetDatum(&row->budget);
	isnull[0] = !row->has_budget;
	value[1] = Int64GetDatum(row->entry.number);
	isnull[1] = !row->has_budget;
	value[2] = UUIDPGetDatum(&row->charge_id);
	value[3] = CStringGetTextDatum(problem);
	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

/* Budgets of which the chain looks broken, and rows without one that are. */
typedef struct Suspects
{
	List	   *budgets;		/* of pg_uuid_t */
	ReturnSetInfo *result;
	MemoryContext context;
} Suspects;

static void
suspect(const DprivRow *row, const char *problem, void *arg)
{
	Suspects   *suspects = arg;
	MemoryContext old = MemoryContextSwitchTo(suspects->context);

	if (row->has_budget)
	{
		pg_uuid_t  *budget = palloc(sizeof(pg_uuid_t));

		*budget = row->budget;
		suspects->budgets = lappend(suspects->budgets, budget);
	}
	else
		put_problem(row, problem, suspects->result);
	MemoryContextSwitchTo(old);
}

/* The number of the last entry of a budget, by now. */
static Datum
last_entry(Datum budget)
{
	Oid			argtype = UUIDOID;
	bool		isnull;
	Datum		last;

	if (SPI_execute_with_args("SELECT pg_catalog.max(entry) FROM " ALL_ROWS
							  " WHERE budget_id OPERATOR(pg_catalog.=) $1",
							  1, &argtype, &budget, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the ledger");
	last = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	return isnull ? Int64GetDatum(PG_INT64_MAX) : last;
}

PG_FUNCTION_INFO_V1(dpriv_verify_ledger);

/*
 * dpriv.verify_ledger() returns the first broken row of every chain.
 *
 * A scan beside charges can meet a row and miss the one before it, which was written while it
 * passed.  So what looks broken is looked at again, up to an entry that was there before: all
 * earlier ones then were as well.
 */
Datum
dpriv_verify_ledger(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Suspects	suspects = {NIL, result, CurrentMemoryContext};
	Oid			argtypes[] = {UUIDOID, INT8OID};
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	SPI_connect();
	follow_chains(open_rows("SELECT * FROM " ALL_ROWS " ORDER BY budget_id, entry", 0, NULL, NULL),
				  suspect, &suspects);
	foreach(lc, suspects.budgets)
		follow_chains(open_rows("SELECT * FROM " ALL_ROWS " WHERE budget_id OPERATOR(pg_catalog.=) "
								"$1 AND entry OPERATOR(pg_catalog.<=) $2 ORDER BY entry",
								2, argtypes,
								(Datum[]) {UUIDPGetDatum(lfirst(lc)),
								last_entry(UUIDPGetDatum(lfirst(lc)))}),
					  put_problem, result);
	SPI_finish();
	return (Datum) 0;
}

/*
 * Archive
 */

PG_FUNCTION_INFO_V1(dpriv_archive_ledger);

/*
 * dpriv.archive_ledger(before timestamptz) returns the number of rows moved.  The last row of a
 * budget stays, since it has the totals; chains are verified across both tables.
 */
Datum
dpriv_archive_ledger(PG_FUNCTION_ARGS)
{
	Oid			argtype = TIMESTAMPTZOID;
	Datum		before = PG_GETARG_DATUM(0);
	int64		moved = 0;

	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only superusers may archive the ledger"),
				 errhint("Ask one to call dpriv.archive_ledger().")));
	SPI_connect();
	archiving = true;
	PG_TRY();
	{
		if (SPI_execute_with_args(
								  "WITH moved AS (DELETE FROM dpriv.ledger l "
								  "WHERE l.charged_at OPERATOR(pg_catalog.<) $1 "
								  "AND (l.budget_id IS NULL OR EXISTS (SELECT FROM dpriv.ledger n "
								  "WHERE n.budget_id OPERATOR(pg_catalog.=) l.budget_id "
								  "AND n.entry OPERATOR(pg_catalog.>) l.entry)) RETURNING l.*) "
								  "INSERT INTO dpriv.ledger_archive SELECT * FROM moved",
								  1, &argtype, &before, NULL, false, 0) != SPI_OK_INSERT)
			elog(ERROR, "could not archive the ledger");
		moved = (int64) SPI_processed;
	}
	PG_FINALLY();
	{
		archiving = false;
	}
	PG_END_TRY();
	SPI_finish();
	PG_RETURN_INT64(moved);
}
