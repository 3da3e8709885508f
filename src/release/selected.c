/*
 * selected.c
 *	  Releases whose groups are chosen among those that the rows have.
 *
 * The inner query's rows come one by one, as many as there are groups in the data, and each is
 * decided and forgotten unless it may be published.  So nothing grows with the groups that may not,
 * and nobody sees how many they were.  What is kept is sorted by its keys, which are public then:
 * the order in which rows arrived is not.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "accounting/delta.h"
#include "config.h"
#include "miscadmin.h"
#include "release/selected.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

/*
 * Epsilon
 */

/*
 * The measure whose released value decides, or -1: discrete Laplace noise on the number of rows,
 * the most exact if there are several.  Anything else that is released (counts of some rows or of
 * values, noise of another shape) does not hide with delta whether a single row is there.
 */
static int
deciding_count(const ReleaseState *state)
{
	int			best = -1;
	ListCell   *lc;

	foreach(lc, state->spec->measures)
	{
		const ReleaseMeasure *from = lfirst(lc);
		const DprivMeasure *measure = &state->measures[foreach_current_index(lc)];

		if (!from->counts_rows || measure->is_gaussian)
			continue;
		if (best < 0 || measure->epsilon.noise > state->measures[best].epsilon.noise)
			best = foreach_current_index(lc);
	}
	return best;
}

static void
require_delta(const ReleaseSpec *spec)
{
	ListCell   *lc;

	if (dpriv_setting_delta > 0)
		return;
	foreach(lc, spec->keys)
	{
		const ReleaseGroupKey *key = lfirst(lc);

		if (!key->public)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("GROUP BY %s would reveal which values exist", key->name),
					 errdetail("Only keys of boolean and enum types, and columns with a declared "
							   "domain, have public values, all of which come back, and "
							   "dpriv.delta is 0."),
					 errhint("SET dpriv.delta, for example to 1e-6, to see the groups with enough "
							 "rows. Or group by a condition such as (age > 40), by an enum column, "
							 "or by one whose values its owner declares with dpriv.set_domain(), "
							 "or use dp_histogram() with the edges or categories that you know.")));
	}
}

static DprivEpsilon
selection_epsilon(const ReleaseState *state)
{
	DprivEpsilon epsilon;
	DprivEpsilon largest;

	if (dpriv_setting_selection_epsilon == 0)
		return state->measures[0].epsilon;
	if (!dpriv_epsilon_from_double(dpriv_setting_selection_epsilon, &epsilon) ||
		!dpriv_epsilon_from_double(dpriv_setting_max_epsilon, &largest) ||
		epsilon.charge > largest.charge)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dpriv.selection_epsilon is out of range"),
				 errdetail("It must lie between %g and dpriv.max_epsilon, which is %g.",
						   DPRIV_EPSILON_MIN, dpriv_setting_max_epsilon),
				 errhint("Values from 0.1 to 1 are usual; 0 stands for the epsilon of the first "
						 "measure.")));
	return epsilon;
}

void
dpriv_selected_resolve(ReleaseState *state)
{
	DprivSelection *selection = &state->selection;

	require_delta(state->spec);
	selection->delta = dpriv_setting_delta;
	state->deciding = deciding_count(state);
	selection->by_count = state->deciding >= 0;
	if (selection->by_count)
		selection->epsilon = state->measures[state->deciding].epsilon;
	else
		selection->epsilon = selection_epsilon(state);
	dpriv_selection_prepare(selection);
}

/*
 * Groups
 */

typedef struct SelectedReceiver
{
	DestReceiver pub;
	ReleaseState *state;
	MemoryContext context;		/* of one group, then reset */
	Tuplesortstate *sort;		/* of the groups that were kept */
	TupleTableSlot *kept;		/* one of them: the released columns, then keys that are none */
	int		   *key_column;		/* where in it a key is, from 0 */
	Datum	   *key;
	bool	   *key_isnull;
} SelectedReceiver;

/*
 * The value of a key and nothing of how its row stores it: compressed, out of line or short.
 */
static Datum
plain_value(Datum value, Form_pg_attribute attr)
{
	return attr->attlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM(value)) : value;
}

static bool
receive_group(TupleTableSlot *slot, DestReceiver *self)
{
	SelectedReceiver *receiver = (SelectedReceiver *) self;
	ReleaseState *state = receiver->state;
	const ReleaseSpec *spec = state->spec;
	int			deciding = state->deciding;
	MemoryContext old = MemoryContextSwitchTo(receiver->context);
	TupleTableSlot *kept = receiver->kept;
	int128		value;

	slot_getallattrs(slot);
	if (deciding >= 0)
	{
		dpriv_measure_draw(&state->measures[deciding], slot->tts_values[spec->rows_column - 1],
						   slot->tts_isnull[spec->rows_column - 1], state->component[deciding]);
		value = state->component[deciding][0];
	}
	else
		value = DatumGetInt64(slot->tts_values[spec->rows_column - 1]);

	if (dpriv_selection_keep(&state->selection, value))
	{
		ListCell   *lc;

		foreach(lc, spec->measures)
		{
			int			at = foreach_current_index(lc);
			int			column = ((ReleaseMeasure *) lfirst(lc))->exact_column - 1;

			if (at != deciding)
				dpriv_measure_draw(&state->measures[at], slot->tts_values[column],
								   slot->tts_isnull[column], state->component[at]);
		}
		ExecClearTuple(kept);
		foreach(lc, spec->keys)
		{
			int			at = foreach_current_index(lc);
			int			column = receiver->key_column[at];

			receiver->key_isnull[at] = slot->tts_isnull[at];
			receiver->key[at] = slot->tts_isnull[at] ? (Datum) 0 :
				plain_value(slot->tts_values[at],
							TupleDescAttr(kept->tts_tupleDescriptor, column));
			kept->tts_values[column] = receiver->key[at];
			kept->tts_isnull[column] = receiver->key_isnull[at];
		}
		dpriv_release_row(state, receiver->key, receiver->key_isnull, kept->tts_values,
						  kept->tts_isnull);
		tuplesort_puttupleslot(receiver->sort, ExecStoreVirtualTuple(kept));
		ExecClearTuple(kept);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->context);
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
receiver_nothing(DestReceiver *self)
{
}

/* Released columns, then the keys that are not among them, which order rows all the same. */
static TupleDesc
describe(const ReleaseState *state, int *key_column)
{
	TupleDesc	released = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	int			natts = released->natts;
	TupleDesc	tupdesc;
	ListCell   *lc;

	foreach(lc, state->spec->keys)
		key_column[foreach_current_index(lc)] = -1;
	foreach(lc, state->spec->columns)
	{
		const ReleaseColumn *column = lfirst(lc);

		if (column->kind == RELEASE_KEY)
			key_column[column->index] = foreach_current_index(lc);
	}
	foreach(lc, state->spec->keys)
	{
		if (key_column[foreach_current_index(lc)] < 0)
			key_column[foreach_current_index(lc)] = natts++;
	}

	tupdesc = CreateTemplateTupleDesc(natts);
	for (int i = 0; i < released->natts; i++)
		TupleDescCopyEntry(tupdesc, i + 1, released, i + 1);
	foreach(lc, state->spec->keys)
	{
		const ReleaseGroupKey *key = lfirst(lc);
		int			column = key_column[foreach_current_index(lc)];

		if (column < released->natts)
			continue;
		TupleDescInitEntry(tupdesc, column + 1, NULL, key->type, key->typmod, 0);
		TupleDescInitEntryCollation(tupdesc, column + 1, key->collation);
	}
	return tupdesc;
}

static Tuplesortstate *
begin_sort(const ReleaseState *state, TupleDesc tupdesc, const int *key_column)
{
	int			nkeys = list_length(state->spec->keys);
	AttrNumber *column = palloc(sizeof(AttrNumber) * nkeys);
	Oid		   *less = palloc(sizeof(Oid) * nkeys);
	Oid		   *collation = palloc(sizeof(Oid) * nkeys);
	bool	   *nulls_first = palloc0(sizeof(bool) * nkeys);
	ListCell   *lc;

	foreach(lc, state->spec->keys)
	{
		const ReleaseGroupKey *key = lfirst(lc);
		int			at = foreach_current_index(lc);

		column[at] = key_column[at] + 1;
		less[at] = key->less;
		collation[at] = key->collation;
	}
	return tuplesort_begin_heap(tupdesc, nkeys, column, less, collation, nulls_first, work_mem,
								NULL, TUPLESORT_NONE);
}

void
dpriv_selected_release(ReleaseState *state, Tuplestorestate *rows)
{
	SelectedReceiver *receiver = palloc0(sizeof(SelectedReceiver));
	TupleDesc	released = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	int			nkeys = list_length(state->spec->keys);
	TupleTableSlot *slot;
	TupleDesc	tupdesc;

	receiver->pub.receiveSlot = receive_group;
	receiver->pub.rStartup = receiver_startup;
	receiver->pub.rShutdown = receiver_nothing;
	receiver->pub.rDestroy = receiver_nothing;
	receiver->pub.mydest = DestNone;
	receiver->state = state;
	receiver->context = AllocSetContextCreate(CurrentMemoryContext, "dpriv group",
											  ALLOCSET_DEFAULT_SIZES);
	receiver->key_column = palloc(sizeof(int) * nkeys);
	receiver->key = palloc(sizeof(Datum) * nkeys);
	receiver->key_isnull = palloc(sizeof(bool) * nkeys);
	tupdesc = describe(state, receiver->key_column);
	receiver->kept = MakeSingleTupleTableSlot(tupdesc, &TTSOpsVirtual);
	receiver->sort = begin_sort(state, tupdesc, receiver->key_column);

	dpriv_release_run_inner(state, &receiver->pub);

	tuplesort_performsort(receiver->sort);
	slot = MakeSingleTupleTableSlot(tupdesc, &TTSOpsMinimalTuple);
	while (tuplesort_gettupleslot(receiver->sort, true, false, slot, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		if (tupdesc->natts == released->natts)
			tuplestore_puttupleslot(rows, slot);
		else
		{
			slot_getallattrs(slot);
			tuplestore_putvalues(rows, released, slot->tts_values, slot->tts_isnull);
		}
	}
	ExecDropSingleTupleTableSlot(slot);
	ExecDropSingleTupleTableSlot(receiver->kept);
	tuplesort_end(receiver->sort);
}
