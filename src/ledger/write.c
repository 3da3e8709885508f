/*
 * write.c
 *	  Charges become rows of the ledger, all or none.
 *
 * The ledger is opened before any lock on a budget is taken; under these locks the last entries are
 * read, the rules applied and the rows written: the session's own, and those of the sessions that
 * it leads (group.c).  The flush follows after the locks are given back: whoever charges next is
 * later in the log, so a flush that covers it covers this one too.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "common/int.h"
#include "ledger/durable.h"
#include "ledger/fault.h"
#include "ledger/group.h"
#include "ledger/lock.h"
#include "ledger/rules.h"
#include "ledger/session.h"
#include "ledger/write.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* If a statement has more rows than this, only the first row of a charge holds its text. */
#define MAX_ROWS_WITH_TEXT 4

/* All that is known about the charges of a statement while they are being written. */
typedef struct Writing
{
	DprivItem  *items;
	int			nitems;
	DprivHit   *hits;			/* the budgets of all items, each once, sorted by id */
	const pg_uuid_t **ids;		/* of these budgets */
	int			nhits;
	DprivHit   *culprit;		/* the hit that is the reason if it is not charged */
	TimestampTz now;
	DprivLedger ledger;
	bool		leads;
	const DprivCost *sum;		/* of all items */
	bool		is_written;		/* and so it is spent, whatever follows */
	XLogRecPtr	end;			/* of what was written, in the log */
} Writing;

/*
 * Budgets
 */

static int
compare_hits(const void *a, const void *b)
{
	return memcmp(&((const DprivHit *) a)->budget->id, &((const DprivHit *) b)->budget->id,
				  sizeof(pg_uuid_t));
}

static DprivHit *
find_hit(const Writing *writing, const pg_uuid_t *id)
{
	for (int i = 0; i < writing->nhits; i++)
		if (memcmp(&writing->hits[i].budget->id, id, sizeof(pg_uuid_t)) == 0)
			return &writing->hits[i];
	return NULL;
}

/* Sorted, since that is the order in which everybody locks them. */
static void
collect_hits(Writing *writing)
{
	int			most = 0;

	for (int i = 0; i < writing->nitems; i++)
		most += list_length(writing->items[i].budgets);
	writing->hits = palloc0(sizeof(DprivHit) * (most + 1));
	for (int i = 0; i < writing->nitems; i++)
	{
		ListCell   *lc;

		foreach(lc, writing->items[i].budgets)
		{
			DprivBudget *budget = lfirst(lc);
			DprivHit   *hit = find_hit(writing, &budget->id);

			if (hit == NULL)
			{
				hit = &writing->hits[writing->nhits++];
				hit->budget = budget;
			}
			hit->asked = dpriv_cost_add(hit->asked, writing->items[i].row.cost);
		}
	}
	qsort(writing->hits, writing->nhits, sizeof(DprivHit), compare_hits);
	writing->ids = palloc(sizeof(pg_uuid_t *) * (writing->nhits + 1));
	for (int i = 0; i < writing->nhits; i++)
		writing->ids[i] = &writing->hits[i].budget->id;
}

/*
 * Rows
 */

/* Move the chain of a budget on by one charge, and insert its row. */
static void
insert_entry(Writing *writing, DprivHit *hit, const DprivRow *charge)
{
	DprivRow	row = *charge;
	const DprivEntry *last = &hit->entry;
	TimestampTz end;

	row.charged_at = writing->now;
	row.has_budget = true;
	row.budget = hit->budget->id;
	row.entry.number = last->number + 1;
	row.entry.charged_at = writing->now;
	row.has_period = dpriv_budget_period(hit->budget, writing->now, &row.entry.period_start, &end);
	row.entry.total = dpriv_cost_add(dpriv_ledger_spent(hit->budget, last, writing->now),
									 charge->cost);
	if (pg_add_s64_overflow(last->lifetime_epsilon, charge->cost.epsilon,
							&row.entry.lifetime_epsilon))
		row.entry.lifetime_epsilon = PG_INT64_MAX;
	dpriv_row_seal(&row, last->number > 0 ? last->hash : NULL);
	hit->entry = row.entry;
	hit->at = dpriv_ledger_insert(&writing->ledger, &row);
}

static void
insert_entry_without_budget(Writing *writing, const DprivItem *item)
{
	DprivRow	row = item->row;

	row.charged_at = writing->now;
	dpriv_row_seal(&row, NULL);
	(void) dpriv_ledger_insert(&writing->ledger, &row);
}

static void
insert_own(Writing *writing)
{
	int			nrows = 0;

	for (int i = 0; i < writing->nitems; i++)
		nrows += Max(list_length(writing->items[i].budgets), 1);
	dpriv_ledger_begin(&writing->ledger, nrows);
	for (int i = 0; i < writing->nitems; i++)
	{
		DprivItem  *item = &writing->items[i];
		ListCell   *lc;

		foreach(lc, item->budgets)
		{
			insert_entry(writing, find_hit(writing, &((DprivBudget *) lfirst(lc))->id),
						 &item->row);
			if (nrows > MAX_ROWS_WITH_TEXT)
				item->row.query = item->row.parameters = NULL;
		}
		if (item->budgets == NIL)
			insert_entry_without_budget(writing, item);
	}
}

/* Do all budgets allow one more charge, at the same time? */
static bool
is_allowed(Writing *writing, const DprivCost *cost)
{
	for (int i = 0; i < writing->nhits; i++)
	{
		DprivHit	hit = writing->hits[i];

		hit.asked = *cost;
		if (dpriv_rule_find(&hit) != DPRIV_RULE_NONE)
			return false;
	}
	return true;
}

static void
freeze(Writing *writing, int nrows)
{
	dpriv_ledger_freeze(&writing->ledger, nrows);
	writing->end = XactLastRecEnd;
	dpriv_group_set_written(writing->end);
	if (!writing->is_written)
		dpriv_session_add(writing->sum);
	writing->is_written = true;
}

/*
 * Insert the rows of those who wait for this session.  Its own are among what is frozen first, so
 * that nobody is charged for a statement that fails before.
 */
static void
insert_of_group(Writing *writing)
{
	DprivRequest *request = dpriv_group_take(writing->items[0].budgets);
	MemoryContext context;

	if (request == NULL)
		return;
	context = AllocSetContextCreate(CurrentMemoryContext, "dpriv group", ALLOCSET_DEFAULT_SIZES);
	for (; request; request = dpriv_group_next(request))
	{
		const DprivRow *row = dpriv_group_row(request);
		int			before = writing->ledger.nrows;
		MemoryContext old;

		if (!is_allowed(writing, &row->cost))
			continue;
		old = MemoryContextSwitchTo(context);
		for (int i = 0; i < writing->nhits; i++)
			insert_entry(writing, &writing->hits[i], row);
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
		if (!dpriv_ledger_fits(&writing->ledger))
			freeze(writing, before);
		dpriv_group_set_inserted(request);
	}
	MemoryContextDelete(context);
}

/*
 * Attempts
 */

/* What became of an attempt to charge. */
typedef enum Outcome
{
	CHARGED,					/* and interrupts are held off until it is flushed */
	REFUSED,					/* by the rule of a budget */
	FELL_SHORT,					/* the total of an entry has to be summed up first */
} Outcome;

/*
 * Charge while the budgets are locked.  Nothing here waits for anybody, and what may take long or
 * raise an error for a user is left to the caller.
 */
static Outcome
charge_locked(Writing *writing)
{
	dpriv_fault("locked");
	writing->now = GetCurrentTimestamp();
	for (int i = 0; i < writing->nhits; i++)
	{
		DprivHit   *hit = writing->culprit = &writing->hits[i];
		DprivEntry	last;

		dpriv_ledger_read_last(&writing->ledger, hit->budget, &last);
		if (last.number > 0)
			writing->now = Max(writing->now, last.charged_at);
		if (hit->extended && last.number == hit->entry.number)
			continue;
		hit->extended = false;
		hit->entry = last;
		if (dpriv_ledger_falls_short(hit->budget, &last))
			return FELL_SHORT;
	}
	for (int i = 0; i < writing->nhits; i++)
		writing->hits[i].now = writing->now;
	for (int i = 0; i < writing->nhits; i++)
	{
		writing->culprit = &writing->hits[i];
		if (dpriv_rule_find(writing->culprit) != DPRIV_RULE_NONE)
			return REFUSED;
	}
	dpriv_fault("checked");
	for (int i = 0; i < writing->nhits; i++)
		dpriv_ledger_see_nothing(writing->hits[i].budget);
	insert_own(writing);
	if (writing->leads)
		insert_of_group(writing);
	dpriv_fault("inserted");

	if (!writing->leads)
		HOLD_INTERRUPTS();
	freeze(writing, writing->ledger.nrows);
	dpriv_fault("flipped");
	for (int i = 0; i < writing->nhits; i++)
	{
		const DprivHit *hit = &writing->hits[i];

		dpriv_ledger_see_last(&writing->ledger, hit->budget, &hit->entry, hit->at);
	}
	return CHARGED;
}

/*
 * A message is sent at once, an error before its transaction's locks are given back, and a client
 * that does not read keeps the server waiting for as long as it likes: all the others who share a
 * budget would wait too.  So messages go to the log alone, and the locks end, and those who are led
 * are told, before an error leaves.
 */
static Outcome
attempt(Writing *writing)
{
	volatile Outcome outcome = REFUSED;
	volatile bool locked = false;
	const int	messages = client_min_messages;

	client_min_messages = Max(messages, ERROR);
	PG_TRY();
	{
		dpriv_fault("joined");
		(void) GetCurrentTransactionId();	/* not while others wait for the budgets */
		dpriv_lock_budgets(writing->ids, writing->nhits);
		locked = true;
		outcome = charge_locked(writing);
		dpriv_unlock_budgets(writing->ids, writing->nhits, false);
		locked = false;
		if (outcome == CHARGED)
		{
			dpriv_ledger_release(&writing->ledger);
			dpriv_durable_flush(writing->end);
		}
	}
	PG_CATCH();
	{
		if (locked)
			dpriv_unlock_budgets(writing->ids, writing->nhits, true);
		dpriv_group_dismiss();
		client_min_messages = messages;
		PG_RE_THROW();
	}
	PG_END_TRY();
	dpriv_group_dismiss();
	client_min_messages = messages;
	return outcome;
}

/* Charge without anybody's help; on return interrupts are held off. */
static void
charge(Writing *writing)
{
	Outcome		outcome;

	while ((outcome = attempt(writing)) != CHARGED)
	{
		if (writing->leads)
			RESUME_INTERRUPTS();
		writing->leads = false;
		if (outcome == REFUSED)
			dpriv_rule_refuse(writing->culprit);
		CHECK_FOR_INTERRUPTS();
		dpriv_ledger_extend(writing->ledger.heap, writing->culprit->budget,
							&writing->culprit->entry);
		writing->culprit->extended = true;
	}
}

void
dpriv_write(DprivItem *items, int nitems, const DprivCost *sum)
{
	Writing		writing = {.items = items, .nitems = nitems, .sum = sum};
	DprivGroupRole role = DPRIV_GROUP_ALONE;
	int			nestlevel;

	collect_hits(&writing);
	dpriv_ledger_prepare(&writing.ledger);
	if (writing.nhits == 0 && dpriv_budgets_lost(writing.ledger.heap))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("budgets are missing"),
				 errdetail("The ledger has charges to budgets, and table dpriv.budget has lost "
						   "them: an incomplete restore, it seems."),
				 errhint("Create the roles of the dump and restore the data of dpriv.budget. Budgets "
						 "that are granted anew instead have nothing spent.")));
	nestlevel = dpriv_durable_begin();
	if (nitems == 1 && !dpriv_durable_needs_commit())
		role = dpriv_group_join(items[0].budgets, &items[0].row, &writing.end);

	/* Who leads must come to attempt() without doing anything that may fail. */
	if (role == DPRIV_GROUP_SERVED)
	{
		dpriv_session_add(sum);
		dpriv_ledger_release(&writing.ledger);
		dpriv_durable_flush(writing.end);
	}
	else
	{
		if (role == DPRIV_GROUP_ALONE)
			CHECK_FOR_INTERRUPTS();
		writing.leads = role == DPRIV_GROUP_LEADS;
		charge(&writing);
	}
	RESUME_INTERRUPTS();

	dpriv_fault("flushed");
	dpriv_durable_wait(nestlevel, writing.end);
}
