/*
 * node.c
 *	  The Release node: the only door between private rows and the outer query.
 *
 * It runs the inner plan once, when the first row is asked for, adds noise, and keeps the noisy
 * rows; a rescan replays them.  It refuses to run unless this execution was paid for before it
 * started.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "accounting/delta.h"
#include "catalog/objectaccess.h"
#include "compat.h"
#include "config.h"
#include "ledger/charge.h"
#include "mechanism/cost.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "noise/random.h"
#include "objects.h"
#include "release/constants.h"
#include "release/node.h"
#include "release/progress.h"
#include "release/quantum.h"
#include "release/release.h"
#include "release/seal.h"
#include "release/selected.h"
#include "utils/acl.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Release nodes begun in this session: tells whether a statement has any. */
static uint64 nbegun = 0;

static Node *create_state(CustomScan *scan);
static void begin(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *exec(CustomScanState *node);
static void end(CustomScanState *node);
static void rescan(CustomScanState *node);

const CustomScanMethods dpriv_release_scan_methods = {
	.CustomName = "dpriv release",
	.CreateCustomScanState = create_state,
};

const CustomExecMethods dpriv_release_exec_methods = {
	.CustomName = "dpriv release",
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = dpriv_release_explain,
};

void
dpriv_release_init(void)
{
	RegisterCustomScanMethods(&dpriv_release_scan_methods);
}

static Node *
create_state(CustomScan *scan)
{
	ReleaseState *state = palloc0(sizeof(ReleaseState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &dpriv_release_exec_methods;
	return (Node *) state;
}

/* As the executor does for functions that it calls itself. */
static void
require_execute(Oid function, ObjectType type)
{
	AclResult	result = dpriv_function_aclcheck(function, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, type, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

static void
check_privileges(const ReleaseSpec *spec)
{
	ListCell   *lc;

	foreach(lc, spec->measures)
		require_execute(((ReleaseMeasure *) lfirst(lc))->aggref->aggfnoid, OBJECT_AGGREGATE);
	foreach(lc, spec->columns)
	{
		ReleaseColumn *column = lfirst(lc);

		if (column->kind == RELEASE_ERROR)
			require_execute(dpriv_object(column->confidence ? DPRIV_ERROR_CONFIDENCE : DPRIV_ERROR),
							OBJECT_FUNCTION);
	}
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	ReleaseState *state = (ReleaseState *) node;

	state->spec = dpriv_spec_unpack(((CustomScan *) node->ss.ps.plan)->custom_private);
	check_privileges(state->spec);
	if (!state->spec->selected)
		state->groups = dpriv_groups_make(state->spec->keys);
	state->nmeasures = list_length(state->spec->measures);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;

	/*
	 * The inner plan starts with the first row, which a cursor may ask for late.  Open relations,
	 * locked already, are what makes ALTER, DROP and TRUNCATE in the same session refuse in
	 * between.
	 */
	state->relations = dpriv_open_relations(state->spec->inner, state->spec->relation);
	nbegun++;
}

/*
 * Paying
 */

static bool
collect_walker(PlanState *planstate, List **states)
{
	if (planstate == NULL)
		return false;
	if (IsA(planstate, CustomScanState) &&
		((CustomScanState *) planstate)->methods == &dpriv_release_exec_methods)
		*states = list_append_unique_ptr(*states, planstate);

	/* Its HAVING may hold subqueries with releases of their own. */
	return planstate_tree_walker(planstate, collect_walker, states);
}

List *
dpriv_release_collect(PlanState *planstate)
{
	List	   *states = NIL;

	(void) collect_walker(planstate, &states);
	return states;
}

/* The largest delta that a release spends at once. */
static double
largest_delta(const ReleaseState *state)
{
	double		largest = state->spec->selected ? state->selection.delta : 0.0;

	for (int i = 0; i < state->nmeasures; i++)
		if (dpriv_measure_spends_delta(&state->measures[i]))
			largest = Max(largest, state->measures[i].delta);
	return largest;
}

static List *
append_name(List *names, const char *name, bool once)
{
	ListCell   *lc;

	foreach(lc, names)
	{
		if (once && strcmp(lfirst(lc), name) == 0)
			return names;
	}
	return lappend(names, unconstify(char *, name));
}

static const char *
called_name(const ReleaseSpec *spec, int measure)
{
	return dpriv_measures[((ReleaseMeasure *) list_nth(spec->measures, measure))->called].name;
}

/* Releases of a statement that read the same relation are one charge. */
static List *
add_charge(List *charges, const ReleaseState *state)
{
	DprivCharge *charge = NULL;
	ListCell   *lc;

	foreach(lc, charges)
	{
		charge = lfirst(lc);
		if (charge->relation == state->spec->relation)
			break;
		charge = NULL;
	}
	if (charge == NULL)
	{
		charge = palloc0(sizeof(DprivCharge));
		charge->relation = state->spec->relation;
		charges = lappend(charges, charge);
	}
	charge->cost = dpriv_cost_add(charge->cost, state->cost);
	for (int i = 0; i < state->nmeasures; i++)
	{
		const DprivMeasure *measure = &state->measures[i];

		charge->measures = append_name(charge->measures, called_name(state->spec, i), false);
		charge->mechanisms = append_name(charge->mechanisms, dpriv_measure_mechanism(measure),
										 true);
	}
	if (state->spec->selected)
	{
		charge->measures = append_name(charge->measures, "selection of groups", false);
		charge->mechanisms = append_name(charge->mechanisms,
										 dpriv_selection_mechanism(&state->selection), true);
	}
	return charges;
}

const char *
dpriv_statement_text(const char *text, const PlannedStmt *statement)
{
	int			start = statement->stmt_location;
	int			length = statement->stmt_len;

	if (text == NULL || start < 0)
		return text;
	text = CleanQuerytext(text, &start, &length);
	return pnstrdup(text, length);
}

void
dpriv_warn_of_delta(double delta)
{
	if (delta > DPRIV_DELTA_LARGE)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("a delta of %g is large", delta),
				 errdetail("With about that probability a person may lose all privacy, whatever "
						   "epsilon is."),
				 errhint("Choose a delta far below one over the number of people, and at most %g.",
						 DPRIV_DELTA_LARGE)));
}

/*
 * Every release in the statement costs, whether it will run or not: else the charge would tell
 * something about the data that decided it.  For the same reason no function that is called for
 * private rows may release anything.
 */
static void
pay(QueryDesc *query_desc)
{
	List	   *states;
	List	   *charges = NIL;
	double		delta = 0.0;
	ListCell   *lc;
	MemoryContext old;

	if (dpriv_is_sealed())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private release cannot run inside another one"),
				 errdetail("What it costs would depend on private rows."),
				 errhint("Release the inner value first and pass it as a parameter.")));

	/* The caller's context may outlive many statements: a function's, called for each row. */
	old = MemoryContextSwitchTo(query_desc->estate->es_query_cxt);
	states = dpriv_release_collect(query_desc->planstate);
	foreach(lc, states)
	{
		ReleaseState *state = lfirst(lc);

		dpriv_release_resolve(state);
		if (state->spec->empty)
			continue;
		charges = add_charge(charges, state);
		delta = Max(delta, largest_delta(state));
	}
	dpriv_warn_of_delta(delta);
	if (states)
		dpriv_charge(charges, dpriv_statement_text(query_desc->sourceText, query_desc->plannedstmt),
					 query_desc->params);
	foreach(lc, states)
		((ReleaseState *) lfirst(lc))->charged = true;
	MemoryContextSwitchTo(old);
}

void
dpriv_release_start(QueryDesc *query_desc, int eflags,
					void (*next) (QueryDesc *query_desc, int eflags))
{
	uint64		before = nbegun;

	next(query_desc, eflags);
	if (nbegun != before && !(eflags & EXEC_FLAG_EXPLAIN_ONLY) && !IsParallelWorker())
		pay(query_desc);
}

/*
 * Running
 */

/* Collects the inner query's rows: exact results by group and measure. */
typedef struct ExactReceiver
{
	DestReceiver pub;
	ReleaseState *state;
	MemoryContext context;
	int16	   *typlen;			/* per measure */
	bool	   *typbyval;
	Datum	   *value;			/* [group * nmeasures + measure] */
	bool	   *isnull;
} ExactReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	ExactReceiver *receiver = (ExactReceiver *) self;
	ReleaseState *state = receiver->state;
	MemoryContext old;
	int			group;
	ListCell   *lc;

	slot_getallattrs(slot);
	group = dpriv_groups_find(state->groups, slot->tts_values, slot->tts_isnull);
	if (group < 0)
		return true;
	old = MemoryContextSwitchTo(receiver->context);
	foreach(lc, state->spec->measures)
	{
		int			measure = foreach_current_index(lc);
		int			column = ((ReleaseMeasure *) lfirst(lc))->exact_column - 1;
		int			at = group * state->nmeasures + measure;

		receiver->isnull[at] = slot->tts_isnull[column];
		if (!slot->tts_isnull[column])
			receiver->value[at] = datumCopy(slot->tts_values[column], receiver->typbyval[measure],
											receiver->typlen[measure]);
	}
	MemoryContextSwitchTo(old);
	return true;
}

static void
receiver_nothing(DestReceiver *self)
{
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
	ExactReceiver *receiver = (ExactReceiver *) self;
	ListCell   *lc;

	foreach(lc, receiver->state->spec->measures)
	{
		int			column = ((ReleaseMeasure *) lfirst(lc))->exact_column - 1;
		Form_pg_attribute attr = TupleDescAttr(typeinfo, column);

		receiver->typlen[foreach_current_index(lc)] = attr->attlen;
		receiver->typbyval[foreach_current_index(lc)] = attr->attbyval;
	}
}

static ExactReceiver *
make_receiver(ReleaseState *state)
{
	ExactReceiver *receiver = palloc0(sizeof(ExactReceiver));
	Size		cells = (Size) state->groups->ngroups * state->nmeasures;

	receiver->pub.receiveSlot = receive_row;
	receiver->pub.rStartup = receiver_startup;
	receiver->pub.rShutdown = receiver_nothing;
	receiver->pub.rDestroy = receiver_nothing;
	receiver->pub.mydest = DestNone;
	receiver->state = state;
	receiver->context = CurrentMemoryContext;
	receiver->typlen = palloc0(sizeof(int16) * state->nmeasures);
	receiver->typbyval = palloc0(sizeof(bool) * state->nmeasures);
	receiver->value = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * cells);
	receiver->isnull = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(bool) * cells);
	memset(receiver->isnull, true, sizeof(bool) * cells);
	return receiver;
}

void
dpriv_release_run_inner(ReleaseState *state, DestReceiver *receiver)
{
	EState	   *estate = state->css.ss.ps.state;
	ParamListInfo params = dpriv_release_parameters(state);
	QueryDesc  *query_desc;

	query_desc = CreateQueryDesc(dpriv_plan_with_constants(state->spec->inner, params,
														   state->spec->nparameters),
								 estate->es_sourceText, estate->es_snapshot, InvalidSnapshot,
								 receiver, params, NULL, 0);
	dpriv_seal(dpriv_run_query, query_desc);
	dpriv_progress_report(DPRIV_PHASE_NOISE, 0, 0);
	FreeQueryDesc(query_desc);
}

void
dpriv_release_row(const ReleaseState *state, const Datum *key, const bool *key_isnull,
				  Datum *value, bool *isnull)
{
	ListCell   *lc;

	foreach(lc, state->spec->columns)
	{
		ReleaseColumn *column = lfirst(lc);
		int			at = foreach_current_index(lc);
		int			i = column->index;
		DprivMeasure *measure = &state->measures[i];

		isnull[at] = column->kind != RELEASE_KEY && measure->kind->is_null &&
			measure->kind->is_null(measure, state->component[i]);
		if (isnull[at])
			continue;
		switch (column->kind)
		{
			case RELEASE_KEY:
				value[at] = key[i];
				isnull[at] = key_isnull[i];
				break;
			case RELEASE_VALUE:
				value[at] = measure->kind->answer(measure, state->component[i]);
				break;
			case RELEASE_ERROR:
				value[at] = Float8GetDatum(measure->kind->half_width(measure, state->component[i],
																	 state->confidences[at]));
				break;
		}
	}
}

/* Noise for one group, and its row. */
static void
publish_group(ReleaseState *state, const ExactReceiver *receiver, int group, Tuplestorestate *rows,
			  TupleDesc tupdesc)
{
	const ReleaseGroups *groups = state->groups;
	const Datum *exact = &receiver->value[(Size) group * state->nmeasures];
	const bool *exact_isnull = &receiver->isnull[(Size) group * state->nmeasures];
	Datum	   *key = palloc(sizeof(Datum) * groups->nkeys);
	bool	   *key_isnull = palloc(sizeof(bool) * groups->nkeys);
	Datum	   *value = palloc(sizeof(Datum) * tupdesc->natts);
	bool	   *isnull = palloc(sizeof(bool) * tupdesc->natts);

	for (int i = 0; i < state->nmeasures; i++)
		dpriv_measure_draw(&state->measures[i], exact[i], exact_isnull[i], state->component[i]);
	dpriv_groups_values(groups, group, key, key_isnull);
	dpriv_release_row(state, key, key_isnull, value, isnull);
	tuplestore_putvalues(rows, tupdesc, value, isnull);
}

/* All groups of public keys, whether they have rows or not. */
static void
release_all(ReleaseState *state, Tuplestorestate *rows)
{
	TupleDesc	tupdesc = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	MemoryContext group_context = AllocSetContextCreate(CurrentMemoryContext, "dpriv group",
														ALLOCSET_DEFAULT_SIZES);
	ExactReceiver *receiver = make_receiver(state);
	MemoryContext old;

	if (!state->spec->empty)
		dpriv_release_run_inner(state, &receiver->pub);
	old = MemoryContextSwitchTo(group_context);
	for (int group = 0; group < state->groups->ngroups; group++)
	{
		CHECK_FOR_INTERRUPTS();
		publish_group(state, receiver, group, rows, tupdesc);
		MemoryContextReset(group_context);
	}
	MemoryContextSwitchTo(old);
}

/* All rows, into a tuplestore.  What fails here fails after rows were read. */
static void
make_rows(void *arg)
{
	ReleaseState *state = arg;
	EState	   *estate = state->css.ss.ps.state;
	TupleDesc	tupdesc = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	Tuplestorestate *rows = tuplestore_begin_heap(true, false, work_mem);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpriv release",
												  ALLOCSET_DEFAULT_SIZES);

	state->stored = MakeSingleTupleTableSlot(tupdesc, &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(context);
	state->component = palloc(sizeof(int128 *) * state->nmeasures);
	for (int i = 0; i < state->nmeasures; i++)
		state->component[i] = palloc(sizeof(int128) * state->measures[i].ncomponents);
	if (!state->spec->selected)
		release_all(state, rows);
	else if (!state->spec->empty)
		dpriv_selected_release(state, rows);
	dpriv_random_wipe();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	state->component = NULL;
	state->rows = rows;
}

static void
release(void *arg)
{
	dpriv_in_steps(make_rows, arg);
}

/* Next row, in the slot type that the executor expects of a custom scan. */
static TupleTableSlot *
next_row(ScanState *node)
{
	ReleaseState *state = (ReleaseState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	bool		forward = ScanDirectionIsForward(node->ps.state->es_direction);

	if (state->rows == NULL)
	{
		if (!state->charged)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("a private release was reached that has not been paid for"),
					 errdetail("It is part of a plan that was not started as a "
							   "statement of its own."),
					 errhint("Run the query by itself, outside of parallel workers.")));
		dpriv_progress_during(DPRIV_COMMAND_RELEASE, release, state);
	}
	ExecClearTuple(slot);
	if (!tuplestore_gettupleslot(state->rows, forward, false, state->stored))
		return slot;
	slot_getallattrs(state->stored);
	memcpy(slot->tts_values, state->stored->tts_values,
		   sizeof(Datum) * slot->tts_tupleDescriptor->natts);
	memcpy(slot->tts_isnull, state->stored->tts_isnull,
		   sizeof(bool) * slot->tts_tupleDescriptor->natts);
	return ExecStoreVirtualTuple(slot);
}

static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
exec(CustomScanState *node)
{
	return ExecScan(&node->ss, next_row, recheck_row);
}

static void
rescan(CustomScanState *node)
{
	ReleaseState *state = (ReleaseState *) node;

	if (state->rows)
		tuplestore_rescan(state->rows);
	ExecScanReScan(&node->ss);
}

static void
end(CustomScanState *node)
{
	ReleaseState *state = (ReleaseState *) node;

	if (state->rows)
		tuplestore_end(state->rows);
	if (state->stored)
		ExecDropSingleTupleTableSlot(state->stored);
	dpriv_close_relations(state->relations);
}
