/*
 * ledger.c
 *	  The ledger: one chain of entries per budget, and how they get to disk.
 *
 * Rows are inserted like any others, with their index entries.  Then one log record marks all of
 * them frozen: from that moment they are there for everybody, also if the transaction that wrote
 * them is rolled back, and before it none of them is.  A failure in between leaves dead rows.
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "compat.h"
#include "executor/tuptable.h"
#include "ledger/fault.h"
#include "ledger/row.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "objects.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* Locks of budgets: advisory, in a class that SQL cannot take. */
#define BUDGET_LOCK_CLASS 0xD9

Relation
dpriv_ledger_open(LOCKMODE mode)
{
	return dpriv_relation_open(DPRIV_TABLE_LEDGER, mode);
}

/*
 * Reading
 */

/* The unique index that leads to a budget's entries, the last one at its end; opened. */
static Relation
open_chain_index(Relation heap)
{
	List	   *indexes = RelationGetIndexList(heap);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);
		Form_pg_index form = index->rd_index;

		if (form->indisunique && form->indisvalid && form->indisready &&
			form->indnkeyatts == 2 &&
			form->indkey.values[0] == Anum_dpriv_ledger_budget_id &&
			form->indkey.values[1] == Anum_dpriv_ledger_entry &&
			index->rd_indoption[0] == 0 && index->rd_indoption[1] == 0 &&
			RelationGetIndexPredicate(index) == NIL)
			return index;
		index_close(index, AccessShareLock);
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the ledger's index is missing or not valid"),
			 errhint("REINDEX TABLE dpriv.ledger repairs an invalid one.")));
	return NULL;
}

/*
 * Rows of charges are frozen, rows of a restore are committed: what is neither is not there.  The
 * transaction's own snapshot would hide what other sessions have restored since it was taken.
 */
void
dpriv_ledger_last(Relation ledger, const pg_uuid_t *budget, DprivEntry *entry)
{
	Relation	index = open_chain_index(ledger);
	TupleTableSlot *slot = table_slot_create(ledger, NULL);
	IndexScanDesc scan;
	ScanKeyData key;

	memset(entry, 0, sizeof(DprivEntry));
	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_UUID_EQ, UUIDPGetDatum(budget));
	scan = dpriv_index_beginscan(ledger, index, SnapshotSelf, 1);
	index_rescan(scan, &key, 1, NULL, 0);
	if (index_getnext_slot(scan, BackwardScanDirection, slot))
	{
		bool		copied;
		HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, &copied);
		DprivRow	row;

		if (!dpriv_row_read(&row, tuple, RelationGetDescr(ledger)))
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the last entry of a budget is broken"),
					 errdetail("It is entry " INT64_FORMAT " of %s.", row.entry.number,
							   DatumGetCString(DirectFunctionCall1(uuid_out,
																   UUIDPGetDatum(budget)))),
					 errhint("dpriv.verify_ledger() lists what is broken. Restore the row from a "
							 "backup, as a superuser.")));
		*entry = row.entry;
		if (copied)
			heap_freetuple(tuple);
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
}

bool
dpriv_ledger_names_budgets(Relation ledger)
{
	Relation	index = open_chain_index(ledger);
	TupleTableSlot *slot = table_slot_create(ledger, NULL);
	IndexScanDesc scan;
	ScanKeyData key;
	bool		found;

	ScanKeyEntryInitialize(&key, SK_ISNULL | SK_SEARCHNOTNULL, 1, InvalidStrategy, InvalidOid,
						   InvalidOid, InvalidOid, (Datum) 0);
	scan = dpriv_index_beginscan(ledger, index, SnapshotSelf, 1);
	index_rescan(scan, &key, 1, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, slot);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
	return found;
}

/*
 * A period that began before the last entry holds it, even if the terms were others when it was
 * written.
 */
DprivCost
dpriv_ledger_spent(const DprivBudget *budget, const DprivEntry *entry, TimestampTz now)
{
	static const DprivCost nothing = {0};
	TimestampTz start;
	TimestampTz end;

	if (entry->number == 0)
		return nothing;
	if (dpriv_budget_period(budget, Max(now, entry->charged_at), &start, &end) &&
		entry->charged_at < start)
		return nothing;
	return entry->total;
}

/*
 * Locks
 */

static void
set_lock_tag(LOCKTAG *tag, const pg_uuid_t *budget)
{
	uint32		high;
	uint32		low;

	/* Half of a random number: two budgets that share a lock only wait for each other. */
	memcpy(&high, budget->data, sizeof(high));
	memcpy(&low, budget->data + sizeof(high), sizeof(low));
	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, high, low, BUDGET_LOCK_CLASS);
}

void
dpriv_budget_lock(const pg_uuid_t *budget)
{
	LOCKTAG		tag;

	set_lock_tag(&tag, budget);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

void
dpriv_budget_unlock(const pg_uuid_t *budget)
{
	LOCKTAG		tag;

	set_lock_tag(&tag, budget);
	(void) LockRelease(&tag, ExclusiveLock, false);
}

/*
 * Writing
 */

static void
refuse_to_write(const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the ledger cannot be written"),
			 errdetail("%s", detail),
			 errhint("%s", hint)));
}

void
dpriv_ledger_prepare(DprivLedger *ledger)
{
	List	   *indexes;
	ListCell   *lc;

	ledger->heap = dpriv_ledger_open(RowExclusiveLock);
	ledger->indexes = NIL;
	ledger->index_infos = NIL;
	if (!RelationIsPermanent(ledger->heap))
		refuse_to_write("It is an unlogged table, which a crash empties.",
						"ALTER TABLE dpriv.ledger SET LOGGED.");
	if (ledger->heap->rd_rel->relam != HEAP_TABLE_AM_OID ||
		RelationGetNumberOfAttributes(ledger->heap) < Natts_dpriv_ledger)
		refuse_to_write("It is not the table that CREATE EXTENSION made.",
						"Restore it from a backup.");
	indexes = RelationGetIndexList(ledger->heap);
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);
		IndexInfo  *info = BuildIndexInfo(index);

		if (info->ii_Expressions != NIL || info->ii_Predicate != NIL ||
			info->ii_ExclusionOps != NULL)
			refuse_to_write("It has an index with expressions, a predicate or an exclusion "
							"constraint.",
							"Drop that index; plain indexes on its columns are fine.");
		ledger->indexes = lappend(ledger->indexes, index);
		ledger->index_infos = lappend(ledger->index_infos, info);
	}
	index_close(open_chain_index(ledger->heap), AccessShareLock);
}

static void
insert_index_entries(DprivLedger *ledger, HeapTuple tuple)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(ledger->heap),
													&TTSOpsHeapTuple);
	ListCell   *lc;
	ListCell   *li;

	ExecStoreHeapTuple(tuple, slot, false);
	forboth(lc, ledger->indexes, li, ledger->index_infos)
	{
		Relation	index = lfirst(lc);
		IndexInfo  *info = lfirst(li);
		Datum		value[INDEX_MAX_KEYS];
		bool		isnull[INDEX_MAX_KEYS];

		if (!info->ii_ReadyForInserts)
			continue;
		FormIndexDatum(info, slot, NULL, value, isnull);
		index_insert(index, value, isnull, &tuple->t_self, ledger->heap,
					 index->rd_index->indisunique ? UNIQUE_CHECK_YES : UNIQUE_CHECK_NO, false,
					 info);
	}
	ExecDropSingleTupleTableSlot(slot);
}

/* The pages that hold the tuples, ascending; refuses more than one log record can change. */
static int
find_pages(HeapTuple *tuples, int n, BlockNumber *pages)
{
	int			npages = 0;

	for (int i = 0; i < n; i++)
	{
		BlockNumber page = ItemPointerGetBlockNumber(&tuples[i]->t_self);
		int			at = 0;

		while (at < npages && pages[at] < page)
			at++;
		if (at < npages && pages[at] == page)
			continue;
		if (npages == MAX_GENERIC_XLOG_PAGES)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a statement hits too many budgets at once"),
					 errdetail("Its %d rows in the ledger cannot be written as one.", n),
					 errhint("Read fewer relations in one statement, or have fewer budgets apply "
							 "to a role.")));
		memmove(&pages[at + 1], &pages[at], sizeof(BlockNumber) * (npages - at));
		pages[at] = page;
		npages++;
	}
	return npages;
}

/*
 * Several rows go to the end of the table, so that they are on as few pages as can be; a single one
 * fills the holes that an archived ledger has.
 */
void
dpriv_ledger_insert(DprivLedger *ledger, HeapTuple *tuples, int n)
{
	int			options = n > 1 ? HEAP_INSERT_SKIP_FSM : 0;
	ListCell   *lc;
	ListCell   *li;

	for (int i = 0; i < n; i++)
	{
		heap_insert(ledger->heap, tuples[i], GetCurrentCommandId(true), options, NULL);
		dpriv_fault("half");
		insert_index_entries(ledger, tuples[i]);
	}
	forboth(lc, ledger->indexes, li, ledger->index_infos)
		dpriv_index_insert_cleanup(lfirst(lc), lfirst(li));
}

void
dpriv_ledger_freeze(DprivLedger *ledger, HeapTuple *tuples, int n)
{
	BlockNumber pages[MAX_GENERIC_XLOG_PAGES];
	Buffer		buffers[MAX_GENERIC_XLOG_PAGES];
	int			npages = find_pages(tuples, n, pages);
	GenericXLogState *state = GenericXLogStart(ledger->heap);

	for (int i = 0; i < npages; i++)
	{
		Page		page;

		buffers[i] = ReadBuffer(ledger->heap, pages[i]);
		LockBuffer(buffers[i], BUFFER_LOCK_EXCLUSIVE);
		page = GenericXLogRegisterBuffer(state, buffers[i], 0);
		for (int j = 0; j < n; j++)
		{
			ItemPointer at = &tuples[j]->t_self;
			ItemId		item;

			if (ItemPointerGetBlockNumber(at) != pages[i])
				continue;
			item = PageGetItemId(page, ItemPointerGetOffsetNumber(at));
			HeapTupleHeaderSetXminFrozen((HeapTupleHeader) PageGetItem(page, item));
		}
	}
	GenericXLogFinish(state);
	for (int i = 0; i < npages; i++)
		UnlockReleaseBuffer(buffers[i]);
}

void
dpriv_ledger_release(DprivLedger *ledger)
{
	ListCell   *lc;

	foreach(lc, ledger->indexes)
		index_close(lfirst(lc), RowExclusiveLock);
	table_close(ledger->heap, RowExclusiveLock);
}
