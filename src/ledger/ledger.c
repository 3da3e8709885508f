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
#include "ledger/lock.h"
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

Relation
dpriv_ledger_open(LOCKMODE mode)
{
	return dpriv_relation_open(DPRIV_TABLE_LEDGER, mode);
}

/*
 * Reading
 */

/* Is an index on a budget and its entries? */
static bool
has_chain_key(Relation index)
{
	Form_pg_index form = index->rd_index;

	return form->indnkeyatts == 2 &&
		form->indkey.values[0] == Anum_dpriv_ledger_budget_id &&
		form->indkey.values[1] == Anum_dpriv_ledger_entry &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
}

/* Does it lead to all of them, the last one at its end? */
static bool
is_chain_index(Relation index, bool unique)
{
	Form_pg_index form = index->rd_index;

	return (form->indisunique || !unique) && form->indisvalid && form->indisready &&
		has_chain_key(index) && index->rd_indoption[0] == 0 && index->rd_indoption[1] == 0;
}

/* One that does, opened; NULL if there is none. */
static Relation
find_chain_index(Relation heap, bool unique)
{
	List	   *indexes = RelationGetIndexList(heap);
	Relation	found = NULL;
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (is_chain_index(index, unique))
		{
			found = index;
			break;
		}
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
	return found;
}

static void
refuse_without_chain_index(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the ledger's index is missing or not valid"),
			 errhint("REINDEX TABLE dpriv.ledger repairs an invalid one.")));
}

/* The ledger's unique one. */
static Relation
open_chain_index(Relation heap)
{
	Relation	index = find_chain_index(heap, true);

	if (index == NULL)
		refuse_without_chain_index();
	return index;
}

static void
refuse_broken(const pg_uuid_t *budget, int64 entry)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("an entry of a budget is broken"),
			 errdetail("It is entry " INT64_FORMAT " of %s.", entry,
					   DatumGetCString(DirectFunctionCall1(uuid_out, UUIDPGetDatum(budget)))),
			 errhint("dpriv.verify_ledger() lists what is broken. Restore the row from a backup, "
					 "as a superuser.")));
}

void
dpriv_ledger_visit(Relation rel, const pg_uuid_t *budget, TimestampTz since,
				   DprivLedgerVisitor visitor, void *argument)
{
	Relation	index = find_chain_index(rel, false);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpriv charges",
												  ALLOCSET_DEFAULT_SIZES);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_dpriv_ledger_budget_id, BTEqualStrategyNumber, F_UUID_EQ,
				UUIDPGetDatum(budget));
	scan = systable_beginscan(rel, index ? RelationGetRelid(index) : InvalidOid, index != NULL,
							  SnapshotSelf, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		MemoryContext old = MemoryContextSwitchTo(context);
		DprivRow	row;

		CHECK_FOR_INTERRUPTS();
		if (!dpriv_row_read(&row, tuple, RelationGetDescr(rel)))
			refuse_broken(budget, row.entry.number);
		if (row.charged_at >= since)
			visitor(argument, &row);
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	systable_endscan(scan);
	if (index)
		index_close(index, AccessShareLock);
	MemoryContextDelete(context);
}

static void
add_cost(void *sum, const DprivRow *row)
{
	DprivCost  *total = sum;

	*total = dpriv_cost_add(*total, row->cost);
}

/*
 * The total of an entry is that of the period that was when it was charged.  If periods have become
 * longer, or the only one, it lacks what was charged before that and now is of the same.
 */
static bool
period_grew(const DprivBudget *budget, const DprivEntry *entry, TimestampTz *since)
{
	TimestampTz end;

	/* There is no period before. */
	if (!entry->has_period || entry->lifetime_epsilon == entry->total.epsilon)
		return false;
	if (!dpriv_budget_period(budget, entry->charged_at, since, &end))
		*since = DT_NOBEGIN;
	return *since < entry->period_start;
}

bool
dpriv_ledger_falls_short(const DprivBudget *budget, const DprivEntry *entry)
{
	TimestampTz since;

	return entry->number > 0 && period_grew(budget, entry, &since);
}

/*
 * The next entry will have all of it.
 *
 * dpriv.archive_ledger() may move rows meanwhile: since the archive is read after the ledger, they
 * may count twice, and none is missed.
 */
void
dpriv_ledger_extend(Relation ledger, const DprivBudget *budget, DprivEntry *entry)
{
	Relation	archive;
	TimestampTz since;
	DprivCost	sum = {0};

	if (entry->number == 0 || !period_grew(budget, entry, &since))
		return;
	dpriv_ledger_visit(ledger, &budget->id, since, add_cost, &sum);
	archive = dpriv_relation_open(DPRIV_TABLE_LEDGER_ARCHIVE, AccessShareLock);
	dpriv_ledger_visit(archive, &budget->id, since, add_cost, &sum);
	table_close(archive, AccessShareLock);

	/* Somebody may have emptied the archive. */
	if (TIMESTAMP_IS_NOBEGIN(since))
		sum.epsilon = Max(sum.epsilon, entry->lifetime_epsilon);
	entry->total = dpriv_cost_max(sum, entry->total);
}

/*
 * Rows of charges are frozen, rows of a restore are committed: what is neither is not there.  The
 * transaction's own snapshot would hide what other sessions have restored since it was taken.
 * False: there is no entry from this number on.
 */
static bool
read_last_from(Relation heap, Relation index, const DprivBudget *budget, int64 from,
			   DprivEntry *entry)
{
	TupleTableSlot *slot = table_slot_create(heap, NULL);
	int			nkeys = from > 0 ? 2 : 1;
	IndexScanDesc scan;
	ScanKeyData keys[2];
	bool		found;

	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_UUID_EQ, UUIDPGetDatum(&budget->id));
	ScanKeyInit(&keys[1], 2, BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(from));
	scan = dpriv_index_beginscan(heap, index, SnapshotSelf, nkeys);
	index_rescan(scan, keys, nkeys, NULL, 0);
	found = index_getnext_slot(scan, BackwardScanDirection, slot);
	if (found)
	{
		bool		copied;
		HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, &copied);

		if (!dpriv_entry_read(entry, tuple, RelationGetDescr(heap), NULL))
			refuse_broken(&budget->id, entry->number);
		if (copied)
			heap_freetuple(tuple);
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return found;
}

/*
 * Read an entry where it was seen last.  False: it is not there any more, or somebody has laid hands
 * on it.  Only frozen rows are seen, and they stay where they are.
 */
static bool
read_seen(Relation heap, const DprivBudget *budget, const DprivSeen *seen, DprivEntry *entry)
{
	BlockNumber block;
	OffsetNumber offset;
	Buffer		buffer;
	Page		page;
	bool		found = false;

	if (seen->number == 0 || seen->file != heap->rd_rel->relfilenode)
		return false;
	block = ItemPointerGetBlockNumber(&seen->at);
	offset = ItemPointerGetOffsetNumber(&seen->at);
	if (block >= RelationGetNumberOfBlocks(heap))
		return false;
	buffer = ReadBuffer(heap, block);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	page = BufferGetPage(buffer);
	if (offset <= PageGetMaxOffsetNumber(page) && ItemIdIsNormal(PageGetItemId(page, offset)))
	{
		ItemId		item = PageGetItemId(page, offset);
		HeapTupleData tuple;
		pg_uuid_t	whose;

		tuple.t_data = (HeapTupleHeader) PageGetItem(page, item);
		tuple.t_len = ItemIdGetLength(item);
		tuple.t_self = seen->at;
		tuple.t_tableOid = RelationGetRelid(heap);
		found = HeapTupleHeaderXminFrozen(tuple.t_data) &&
			(tuple.t_data->t_infomask & HEAP_XMAX_INVALID) != 0 &&
			dpriv_entry_read(entry, &tuple, RelationGetDescr(heap), &whose) &&
			memcmp(&whose, &budget->id, sizeof(pg_uuid_t)) == 0 && entry->number == seen->number;
	}
	UnlockReleaseBuffer(buffer);
	return found;
}

/*
 * If there is a later entry all the same, made by hand, the next one will break a unique index.
 *
 * A scan from the end of a chain collects what else is on the page, hundreds of entries, unless it
 * is told where to end.
 */
void
dpriv_ledger_read_last(const DprivLedger *ledger, const DprivBudget *budget, DprivEntry *entry)
{
	DprivSeen	seen = dpriv_lock_seen(&budget->id);

	if (read_seen(ledger->heap, budget, &seen, entry))
		return;
	memset(entry, 0, sizeof(DprivEntry));
	if (seen.number == 0 ||
		!read_last_from(ledger->heap, ledger->chain, budget, seen.number, entry))
		(void) read_last_from(ledger->heap, ledger->chain, budget, 0, entry);
}

void
dpriv_ledger_see_nothing(const DprivBudget *budget)
{
	dpriv_lock_see(&budget->id, (DprivSeen) {0});
}

void
dpriv_ledger_see_last(const DprivLedger *ledger, const DprivBudget *budget,
					  const DprivEntry *entry, ItemPointerData at)
{
	dpriv_lock_see(&budget->id,
				   (DprivSeen) {entry->number, ledger->heap->rd_rel->relfilenode, at});
}

void
dpriv_ledger_last(Relation ledger, const DprivBudget *budget, DprivEntry *entry)
{
	Relation	index = open_chain_index(ledger);

	memset(entry, 0, sizeof(DprivEntry));
	(void) read_last_from(ledger, index, budget, 0, entry);
	index_close(index, AccessShareLock);
	dpriv_ledger_extend(ledger, budget, entry);
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
	ledger->chain = NULL;
	ledger->nrows = ledger->max_rows = 0;
	ledger->rows = NULL;
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
		if (ledger->chain == NULL && is_chain_index(index, true))
			ledger->chain = index;
		else if (info->ii_Unique && !has_chain_key(index))
			refuse_to_write("It has a unique index of somebody else's.",
							"Drop that index; others on its columns are fine.");
		ledger->indexes = lappend(ledger->indexes, index);
		ledger->index_infos = lappend(ledger->index_infos, info);
	}
	if (ledger->chain == NULL)
		refuse_without_chain_index();
}

/* Has somebody written an entry of the same number by hand? */
static bool
is_taken(const DprivLedger *ledger, const Datum *key, ItemPointer own)
{
	TupleTableSlot *slot = table_slot_create(ledger->heap, NULL);
	IndexScanDesc scan = dpriv_index_beginscan(ledger->heap, ledger->chain, SnapshotSelf, 2);
	ScanKeyData keys[2];
	bool		taken = false;

	ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_UUID_EQ, key[0]);
	ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_INT8EQ, key[1]);
	index_rescan(scan, keys, 2, NULL, 0);
	while (!taken && index_getnext_slot(scan, ForwardScanDirection, slot))
		taken = !ItemPointerEquals(&slot->tts_tid, own);
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	return taken;
}

/*
 * Entries are unique because one session at a time makes them.  So the index is not asked to wait
 * for a transaction that has an equal one: it may be a charge that failed and whose client keeps it
 * from ending.
 */
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
		if (!index_insert(index, value, isnull, &tuple->t_self, ledger->heap,
						  info->ii_Unique ? UNIQUE_CHECK_PARTIAL : UNIQUE_CHECK_NO, false,
						  info) &&
			index == ledger->chain && is_taken(ledger, value, &tuple->t_self))
			refuse_broken(DatumGetUUIDP(value[0]), DatumGetInt64(value[1]));
		dpriv_index_insert_cleanup(index, info);
	}
	ExecDropSingleTupleTableSlot(slot);
}

/* The pages that hold the first n rows, ascending; -1 if one log record cannot change so many. */
static int
find_pages(const DprivLedger *ledger, int n, BlockNumber *pages)
{
	int			npages = 0;

	for (int i = 0; i < n; i++)
	{
		BlockNumber page = ItemPointerGetBlockNumber(&ledger->rows[i]);
		int			at = 0;

		while (at < npages && pages[at] < page)
			at++;
		if (at < npages && pages[at] == page)
			continue;
		if (npages == MAX_GENERIC_XLOG_PAGES)
			return -1;
		memmove(&pages[at + 1], &pages[at], sizeof(BlockNumber) * (npages - at));
		pages[at] = page;
		npages++;
	}
	return npages;
}

bool
dpriv_ledger_fits(const DprivLedger *ledger)
{
	BlockNumber pages[MAX_GENERIC_XLOG_PAGES];

	return find_pages(ledger, ledger->nrows, pages) >= 0;
}

void
dpriv_ledger_begin(DprivLedger *ledger, int nrows)
{
	ledger->options = nrows > 1 ? HEAP_INSERT_SKIP_FSM : 0;
	ledger->nrows = 0;
	ledger->max_rows = Max(nrows, 16);
	ledger->rows = palloc(sizeof(ItemPointerData) * ledger->max_rows);
}

ItemPointerData
dpriv_ledger_insert(DprivLedger *ledger, const DprivRow *row)
{
	ItemPointerData at;
	HeapTuple	tuple = dpriv_row_form(row, RelationGetDescr(ledger->heap));

	heap_insert(ledger->heap, tuple, GetCurrentCommandId(true), ledger->options, NULL);
	dpriv_fault("half");
	insert_index_entries(ledger, tuple);
	if (ledger->nrows == ledger->max_rows)
	{
		ledger->max_rows *= 2;
		ledger->rows = repalloc(ledger->rows, sizeof(ItemPointerData) * ledger->max_rows);
	}
	at = ledger->rows[ledger->nrows++] = tuple->t_self;
	heap_freetuple(tuple);
	return at;
}

void
dpriv_ledger_freeze(DprivLedger *ledger, int nrows)
{
	BlockNumber pages[MAX_GENERIC_XLOG_PAGES];
	Buffer		buffers[MAX_GENERIC_XLOG_PAGES];
	int			npages = find_pages(ledger, nrows, pages);
	GenericXLogState *state;

	if (npages < 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a statement hits too many budgets at once"),
				 errdetail("Its %d rows in the ledger cannot be written as one.", nrows),
				 errhint("Read fewer relations in one statement, or have fewer budgets apply "
						 "to a role.")));
	state = GenericXLogStart(ledger->heap);
	for (int i = 0; i < npages; i++)
	{
		Page		page;

		buffers[i] = ReadBuffer(ledger->heap, pages[i]);
		LockBuffer(buffers[i], BUFFER_LOCK_EXCLUSIVE);
		page = GenericXLogRegisterBuffer(state, buffers[i], 0);
		for (int j = 0; j < nrows; j++)
		{
			ItemPointer at = &ledger->rows[j];
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
	ledger->nrows -= nrows;
	memmove(ledger->rows, ledger->rows + nrows, sizeof(ItemPointerData) * ledger->nrows);
}

void
dpriv_ledger_release(DprivLedger *ledger)
{
	ListCell   *lc;

	foreach(lc, ledger->indexes)
		index_close(lfirst(lc), RowExclusiveLock);
	table_close(ledger->heap, RowExclusiveLock);
}
