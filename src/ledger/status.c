/*
 * status.c
 *	  Budgets as users see them: dpriv.budget_status and dpriv.my_budget.
 *
 * Reads as whoever asks, and changes nothing: it works in read-only transactions and on standbys.
 * Who may see a row is decided here, so that the function behind the views may be called by all.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "ledger/ledger.h"
#include "ledger/remaining.h"
#include "ledger/reported.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "objects.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define NCOLUMNS 16

/* As dpriv.grant_budget() reads it: rdp(8,24). */
static char *
accountant_text(const DprivTerms *terms)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, dpriv_accountant_name(terms->accountant));
	if (terms->accountant == DPRIV_RDP)
	{
		for (int i = 0; i < terms->norders; i++)
			appendStringInfo(&text, "%c%g", i ? ',' : '(', terms->order[i]);
		appendStringInfoChar(&text, ')');
	}
	return text.data;
}

static Datum
grantee_text(const DprivBudget *budget, bool *isnull)
{
	*isnull = budget->kind == DPRIV_BUDGET_CAP;
	if (*isnull)
		return (Datum) 0;
	return CStringGetTextDatum(budget->kind == DPRIV_BUDGET_PUBLIC ? "public" :
							   GetUserNameFromId(budget->grantee, false));
}

static void
put_budget(ReturnSetInfo *result, const DprivBudget *budget, Relation ledger)
{
	const DprivTerms *terms = &budget->terms;
	Datum		values[NCOLUMNS] = {0};
	bool		nulls[NCOLUMNS] = {0};
	int			column = 0;
	DprivEntry	entry;
	DprivCost	spent;
	double		reported;
	TimestampTz now;
	TimestampTz start;
	TimestampTz end = 0;
	bool		has_period;

	dpriv_ledger_last(ledger, budget, &entry);
	now = GetCurrentTimestamp();
	if (entry.number > 0)
		now = Max(now, entry.charged_at);
	spent = dpriv_ledger_spent(budget, &entry, now);
	has_period = dpriv_budget_period(budget, now, &start, &end);

	values[column] = grantee_text(budget, &nulls[column]);
	column++;
	nulls[column] = !OidIsValid(budget->relation);
	values[column++] = ObjectIdGetDatum(budget->relation);
	values[column++] = CStringGetTextDatum(accountant_text(terms));
	values[column++] = Float8GetDatum(dpriv_epsilon_to_double(terms->epsilon));
	values[column++] = Float8GetDatum(dpriv_delta_to_double(terms->delta));
	values[column++] = Float8GetDatum(dpriv_terms_spent_epsilon(terms, &spent));
	values[column++] = Float8GetDatum(dpriv_terms_spent_delta(terms, &spent));
	values[column++] = Float8GetDatum(budget->revoked ? 0.0 :
									  dpriv_budget_left(budget, &entry, now));
	values[column++] = Float8GetDatum(budget->revoked ? 0.0 :
									  dpriv_budget_left_delta(budget, &entry, now));
	reported = dpriv_ledger_reported_epsilon(ledger, budget, &entry, now);
	values[column++] = Float8GetDatum(reported);
	values[column++] = Int64GetDatum(entry.number);
	nulls[column] = !has_period;
	values[column++] = TimestampTzGetDatum(end);
	nulls[column] = !budget->has_period;
	values[column++] = IntervalPGetDatum(&budget->period);
	nulls[column] = budget->lifetime_epsilon < 0;
	values[column++] = Float8GetDatum(dpriv_epsilon_to_double(budget->lifetime_epsilon));
	values[column++] = Float8GetDatum(dpriv_epsilon_to_double(entry.lifetime_epsilon));
	values[column++] = BoolGetDatum(budget->revoked);
	Assert(column == NCOLUMNS);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Budgets that a role's charges can hit, whatever they read. */
static bool
applies(const DprivBudget *budget, List *roles)
{
	return budget->kind != DPRIV_BUDGET_ROLE || list_member_oid(roles, budget->grantee);
}

/* Budgets that the current user may change. */
static bool
governs(const DprivBudget *budget)
{
	return superuser() ||
		(OidIsValid(budget->relation) && dpriv_relation_ownercheck(budget->relation, GetUserId()));
}

PG_FUNCTION_INFO_V1(dpriv_budgets);

/*
 * dpriv.budgets(mine boolean) returns the rows of dpriv.my_budget or of dpriv.budget_status.
 */
Datum
dpriv_budgets(PG_FUNCTION_ARGS)
{
	bool		mine = PG_GETARG_BOOL(0);
	List	   *roles = mine ? dpriv_roles_of(GetSessionUserId()) : NIL;
	List	   *budgets = NIL;
	Relation	rel;
	Relation	ledger;
	SysScanDesc scan;
	HeapTuple	tuple;
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);

	rel = dpriv_relation_open(DPRIV_TABLE_BUDGET, AccessShareLock);
	scan = systable_beginscan(rel, dpriv_budget_index(), true, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		DprivBudget *budget = dpriv_budget_read(tuple, RelationGetDescr(rel));

		CHECK_FOR_INTERRUPTS();
		if (budget->kind != DPRIV_BUDGET_MARK && dpriv_budget_exists(budget) &&
			(mine ? applies(budget, roles) : governs(budget)))
			budgets = lappend(budgets, budget);
		else
			pfree(budget);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);

	ledger = dpriv_ledger_open(AccessShareLock);
	foreach(lc, budgets)
	{
		CHECK_FOR_INTERRUPTS();
		put_budget((ReturnSetInfo *) fcinfo->resultinfo, lfirst(lc), ledger);
	}
	table_close(ledger, AccessShareLock);
	return (Datum) 0;
}
