/*
 * charge.c
 *	  The one place where releases are paid for.
 *
 * What is spent is never given back.  Budgets are resolved and the ledger is opened before any lock
 * on a budget is taken; under these locks the last entries are read, the rules applied and the rows
 * written.  The flush follows after the locks are given back: whoever charges next is later in the
 * log, so a flush that covers it covers this one too.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "config.h"
#include "ledger/charge.h"
#include "ledger/durable.h"
#include "ledger/fault.h"
#include "ledger/lock.h"
#include "ledger/row.h"
#include "ledger/rules.h"
#include "ledger/session.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/* A row must fit on a page, with a query of the longest length that the setting allows. */
#define MAX_MEASURES 32
#define MAX_PARAMETERS_LENGTH 1000

/* A statement that reads many relations must fit four pages: its text in all charges together. */
#define MAX_TEXT_LENGTH 8000

/* If a statement has more rows than this, only the first row of a charge holds its text. */
#define MAX_ROWS_WITH_TEXT 4

/* A charge and what it will look like in the ledger. */
typedef struct Item
{
	const DprivCharge *charge;
	List	   *budgets;		/* of DprivBudget */
	DprivRow	row;			/* what all of its rows have in common */
} Item;

/*
 * Where nothing can be charged
 */

static void
check_place(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("private releases cannot run during recovery"),
				 errdetail("What a release costs cannot be recorded here."),
				 errhint("Send the query to the primary server.")));
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("private releases cannot run in a serializable transaction"),
				 errdetail("Predicate locks would show which rows were read."),
				 errhint("Use isolation level REPEATABLE READ or READ COMMITTED.")));
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("private releases cannot start in parallel mode"),
				 errdetail("What a release costs cannot be recorded there."),
				 errhint("Declare the function that holds the query PARALLEL UNSAFE.")));

	/*
	 * Autovacuum, and whoever analyzes, reindexes or refreshes what is another's, runs the owner's
	 * functions; so does a foreign key.  It would pay for them, and nobody would if it is a
	 * superuser.
	 */
	if ((InSecurityRestrictedOperation() || InNoForceRLSOperation()) &&
		GetUserId() != GetSessionUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("private releases cannot run in maintenance for another role"),
				 errdetail("The session's user would pay for what the owner's functions ask."),
				 errhint("REFRESH a materialized view as its owner. Leave releases out of the "
						 "expressions of indexes and statistics.")));
}

/*
 * Roles
 */

/*
 * The budgets of a role end with it, and its sessions do not.  Asked after budgets were looked up:
 * who found none because the role was dropped sees that it is gone.
 */
static void
check_role_exists(void)
{
	AcceptInvalidationMessages();
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(GetSessionUserId())))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the session's role does not exist any more"),
				 errdetail("Its budgets ended when it was dropped."),
				 errhint("Log in as a role that exists.")));
}

/*
 * Who has budgets, but only revoked ones, may release nothing: taking a budget away must not open
 * the table.  Nor does a budget that covers a part of the rows allow to read all of them.
 * Superusers, who read the rows anyway, are only bound by budgets in force.
 */
static void
check_permission(const Item *item, bool is_superuser)
{
	bool		has_revoked = false;
	bool		has_relation = item->row.relation_name != NULL;
	const char *on = has_relation ? text_to_cstring(item->row.relation_name) :
		"a function's rows";
	const char *whom = has_relation ? "the owner of the table" : "a superuser";
	ListCell   *lc;

	if (is_superuser)
		return;
	foreach(lc, item->budgets)
	{
		const DprivBudget *budget = lfirst(lc);

		if (budget->kind == DPRIV_BUDGET_CAP)
			continue;
		if (!budget->revoked && !budget->of_part)
			return;
		has_revoked |= budget->revoked;
	}
	if (has_revoked)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the role's budget was revoked"),
				 errdetail("No budget of role \"%s\" on %s is in force any more.",
						   text_to_cstring(item->row.session_role), on),
				 errhint("Ask %s to grant one again with dpriv.grant_budget().", whom)));
	if (dpriv_setting_require_budget)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the role has no budget"),
				 errdetail("Role \"%s\" has none on %s, and dpriv.require_budget is on.",
						   text_to_cstring(item->row.session_role), on),
				 errhint("Ask %s to grant one with dpriv.grant_budget().", whom)));
}

static text *
role_name(Oid role)
{
	char	   *name = GetUserNameFromId(role, true);

	return cstring_to_text(name ? name : psprintf("%u", role));
}

/*
 * Collecting
 */

static int
compare_hits(const void *a, const void *b)
{
	return memcmp(&((const DprivHit *) a)->budget->id, &((const DprivHit *) b)->budget->id,
				  sizeof(pg_uuid_t));
}

static DprivHit *
find_hit(DprivHit *hits, int n, const pg_uuid_t *id)
{
	for (int i = 0; i < n; i++)
		if (memcmp(&hits[i].budget->id, id, sizeof(pg_uuid_t)) == 0)
			return &hits[i];
	return NULL;
}

/* The budgets of all items, each once, in the order in which everybody locks them. */
static DprivHit *
collect_hits(Item *items, int nitems, int *nhits)
{
	int			most = 0;
	DprivHit   *hits;

	for (int i = 0; i < nitems; i++)
		most += list_length(items[i].budgets);
	hits = palloc0(sizeof(DprivHit) * (most + 1));
	*nhits = 0;
	for (int i = 0; i < nitems; i++)
	{
		ListCell   *lc;

		foreach(lc, items[i].budgets)
		{
			DprivBudget *budget = lfirst(lc);
			DprivHit   *hit = find_hit(hits, *nhits, &budget->id);

			if (hit == NULL)
			{
				hit = &hits[(*nhits)++];
				hit->budget = budget;
			}
			hit->asked = dpriv_cost_add(hit->asked, items[i].charge->cost);
		}
	}
	qsort(hits, *nhits, sizeof(DprivHit), compare_hits);
	return hits;
}

static text *
cut_text(const char *string, int length)
{
	int			size = strlen(string);

	if (size > length)
		size = pg_mbcliplen(string, size, length);
	return cstring_to_text_with_len(string, size);
}

static ArrayType *
measures_array(List *names)
{
	Datum		element[MAX_MEASURES];
	int			n = 0;
	ListCell   *lc;

	foreach(lc, names)
	{
		if (n == MAX_MEASURES - 1 && lnext(names, lc))
		{
			element[n++] = CStringGetTextDatum("...");
			break;
		}
		element[n++] = CStringGetTextDatum(lfirst(lc));
	}
	return construct_array(element, n, TEXTOID, -1, false, TYPALIGN_INT);
}

static text *
join(List *names)
{
	StringInfoData string;
	ListCell   *lc;

	initStringInfo(&string);
	foreach(lc, names)
		appendStringInfo(&string, "%s%s", foreach_current_index(lc) > 0 ? ", " : "",
						 (char *) lfirst(lc));
	return cstring_to_text_with_len(string.data, string.len);
}

static void
prepare_item(Item *item, const DprivCharge *charge, int nitems, const char *query,
			 ParamListInfo params)
{
	DprivRow   *row = &item->row;
	DprivRoot	root;

	item->charge = charge;
	item->budgets = dpriv_budgets_applying(GetSessionUserId(), charge->relation, &root);
	dpriv_make_uuid(&row->charge_id);
	row->session_role = role_name(GetSessionUserId());
	row->current_role = role_name(GetUserId());
	row->relation = root.relation;
	if (OidIsValid(root.relation))
		row->relation_name = cstring_to_text(root.name ? root.name : "");
	row->mechanism = join(charge->mechanisms);
	row->measures = measures_array(charge->measures);
	row->cost = charge->cost;
	if (query && dpriv_setting_ledger_query_length > 0)
		row->query = cut_text(query, Min(dpriv_setting_ledger_query_length,
										 MAX_TEXT_LENGTH / nitems));
	if (params && dpriv_setting_ledger_parameters)
	{
		char	   *values = BuildParamLogString(params, NULL, MAX_PARAMETERS_LENGTH);

		if (values)
			row->parameters = cut_text(values, Min(MAX_PARAMETERS_LENGTH,
												   MAX_TEXT_LENGTH / nitems));
	}
}

/*
 * Writing
 */

/* Move the chain of a budget on by one charge, and make its row. */
static HeapTuple
next_entry(DprivHit *hit, const Item *item, TimestampTz now, TupleDesc tupdesc)
{
	DprivRow	row = item->row;
	DprivEntry	entry = hit->entry;
	TimestampTz end;

	row.charged_at = now;
	row.has_budget = true;
	row.budget = hit->budget->id;
	row.entry.number = entry.number + 1;
	row.entry.charged_at = now;
	row.has_period = dpriv_budget_period(hit->budget, now, &row.entry.period_start, &end);
	row.entry.total = dpriv_cost_add(dpriv_ledger_spent(hit->budget, &entry, now),
									 item->charge->cost);
	if (pg_add_s64_overflow(entry.lifetime_epsilon, item->charge->cost.epsilon,
							&row.entry.lifetime_epsilon))
		row.entry.lifetime_epsilon = PG_INT64_MAX;
	dpriv_row_seal(&row, entry.number > 0 ? entry.hash : NULL);
	hit->entry = row.entry;
	return dpriv_row_form(&row, tupdesc);
}

static HeapTuple
entry_without_budget(const Item *item, TimestampTz now, TupleDesc tupdesc)
{
	DprivRow	row = item->row;

	row.charged_at = now;
	dpriv_row_seal(&row, NULL);
	return dpriv_row_form(&row, tupdesc);
}

static HeapTuple *
make_tuples(Item *items, int nitems, DprivHit *hits, int nhits, TimestampTz now, TupleDesc tupdesc,
			int *ntuples)
{
	int			most = nitems;
	HeapTuple  *tuples;

	for (int i = 0; i < nitems; i++)
		most += list_length(items[i].budgets);
	tuples = palloc(sizeof(HeapTuple) * most);
	*ntuples = 0;
	for (int i = 0; i < nitems; i++)
	{
		ListCell   *lc;

		foreach(lc, items[i].budgets)
		{
			tuples[(*ntuples)++] =
				next_entry(find_hit(hits, nhits, &((DprivBudget *) lfirst(lc))->id), &items[i],
						   now, tupdesc);
			if (most - nitems > MAX_ROWS_WITH_TEXT)
				items[i].row.query = items[i].row.parameters = NULL;
		}
		if (items[i].budgets == NIL)
			tuples[(*ntuples)++] = entry_without_budget(&items[i], now, tupdesc);
	}
	return tuples;
}

/* What became of an attempt to charge. */
typedef enum Outcome
{
	CHARGED,					/* and interrupts are held off until it is flushed */
	REFUSED,					/* by the rule of a budget */
	FELL_SHORT,					/* the total of an entry has to be summed up first */
} Outcome;

/*
 * Charge while the budgets are locked.  Nothing here waits for anybody, and what may take long or
 * raise an error for a user is left to the caller.  culprit: the hit that is the reason if it is
 * not charged.
 */
static Outcome
charge_locked(Item *items, int nitems, DprivHit *hits, int nhits, DprivLedger *ledger,
			  DprivHit **culprit)
{
	TimestampTz now;
	HeapTuple  *tuples;
	int			ntuples;

	dpriv_fault("locked");
	now = GetCurrentTimestamp();
	for (int i = 0; i < nhits; i++)
	{
		DprivHit   *hit = *culprit = &hits[i];
		DprivEntry	last;

		dpriv_ledger_read_last(ledger, hit->budget, &last);
		if (last.number > 0)
			now = Max(now, last.charged_at);
		if (hit->extended && last.number == hit->entry.number)
			continue;
		hit->extended = false;
		hit->entry = last;
		if (dpriv_ledger_falls_short(hit->budget, &last))
			return FELL_SHORT;
	}
	for (int i = 0; i < nhits; i++)
	{
		*culprit = &hits[i];
		hits[i].now = now;
		if (dpriv_rule_find(&hits[i]) != DPRIV_RULE_NONE)
			return REFUSED;
	}
	dpriv_fault("checked");
	tuples = make_tuples(items, nitems, hits, nhits, now, RelationGetDescr(ledger->heap), &ntuples);
	dpriv_ledger_insert(ledger, tuples, ntuples);
	dpriv_fault("inserted");

	HOLD_INTERRUPTS();
	dpriv_ledger_freeze(ledger, tuples, ntuples);
	dpriv_fault("flipped");
	for (int i = 0; i < nhits; i++)
		dpriv_lock_see(&hits[i].budget->id, hits[i].entry.number);
	return CHARGED;
}

/*
 * An error is sent before its transaction's locks are given back, and a client that does not read
 * keeps the server waiting for as long as it likes: all the others who share a budget would wait
 * too.  So the locks end before an error leaves.
 */
static Outcome
attempt(Item *items, int nitems, DprivHit *hits, int nhits, DprivLedger *ledger, DprivHit **culprit)
{
	const pg_uuid_t **ids = palloc(sizeof(pg_uuid_t *) * (nhits + 1));
	volatile Outcome outcome = REFUSED;

	for (int i = 0; i < nhits; i++)
		ids[i] = &hits[i].budget->id;
	dpriv_lock_budgets(ids, nhits);
	PG_TRY();
	{
		outcome = charge_locked(items, nitems, hits, nhits, ledger, culprit);
	}
	PG_CATCH();
	{
		dpriv_unlock_budgets(ids, nhits, true);
		PG_RE_THROW();
	}
	PG_END_TRY();
	dpriv_unlock_budgets(ids, nhits, false);
	return outcome;
}

static void
write_charges(Item *items, int nitems, DprivHit *hits, int nhits, const DprivCost *sum)
{
	DprivLedger ledger;
	Outcome		outcome;
	DprivHit   *culprit = NULL;
	int			nestlevel;

	dpriv_ledger_prepare(&ledger);
	if (nhits == 0 && dpriv_budgets_lost(ledger.heap))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("budgets are missing"),
				 errdetail("The ledger has charges to budgets, and table dpriv.budget has lost "
						   "them: an incomplete restore, it seems."),
				 errhint("Create the roles of the dump and restore the data of dpriv.budget. Budgets "
						 "that are granted anew instead have nothing spent.")));
	nestlevel = dpriv_durable_begin();
	(void) GetCurrentTransactionId();	/* not while others wait for the budgets */
	while ((outcome = attempt(items, nitems, hits, nhits, &ledger, &culprit)) == FELL_SHORT)
	{
		CHECK_FOR_INTERRUPTS();
		dpriv_ledger_extend(ledger.heap, culprit->budget, &culprit->entry);
		culprit->extended = true;
	}
	if (outcome == REFUSED)
		dpriv_rule_refuse(culprit);

	/* Interrupts are held off since the rows were frozen. */
	dpriv_session_add(sum);
	dpriv_ledger_release(&ledger);
	dpriv_durable_flush();
	RESUME_INTERRUPTS();

	dpriv_fault("flushed");
	dpriv_durable_wait(nestlevel);
}

void
dpriv_charge(List *charges, const char *query, ParamListInfo params)
{
	DprivCost	sum = {0};
	int			nitems = list_length(charges);
	Item	   *items = palloc0(sizeof(Item) * (nitems + 1));
	bool		is_superuser = superuser_arg(GetSessionUserId());
	DprivHit   *hits;
	int			nhits;
	ListCell   *lc;

	check_place();
	foreach(lc, charges)
		sum = dpriv_cost_add(sum, ((DprivCharge *) lfirst(lc))->cost);
	dpriv_session_check(&sum);
	if (charges == NIL)
		return;
	foreach(lc, charges)
	{
		Item	   *item = &items[foreach_current_index(lc)];

		prepare_item(item, lfirst(lc), nitems, query, params);
		check_permission(item, is_superuser);
	}
	check_role_exists();
	hits = collect_hits(items, nitems, &nhits);
	dpriv_fault("resolved");
	write_charges(items, nitems, hits, nhits, &sum);
	dpriv_fault("charged");
}

void
dpriv_charge_init(void)
{
	dpriv_applying_init();
	dpriv_durable_init();
	dpriv_fault_init();
}
