/*
 * remaining.c
 *	  What budgets have left.
 *
 * Only to be shown: what may be charged is decided under a lock, by totals in integers.
 */
#include "postgres.h"

#include "access/table.h"
#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "config.h"
#include "ledger/remaining.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

double
dpriv_budget_left(const DprivBudget *budget, const DprivEntry *entry, TimestampTz now)
{
	DprivCost	spent = dpriv_ledger_spent(budget, entry, now);
	double		left;

	/* Differences of decimals are exact as long as they stay integers. */
	if (budget->terms.accountant == DPRIV_BASIC)
		left = dpriv_epsilon_to_double(Max(budget->terms.epsilon - spent.epsilon, 0));
	else
		left = dpriv_epsilon_to_double(budget->terms.epsilon) -
			dpriv_terms_spent_epsilon(&budget->terms, &spent);
	if (budget->lifetime_epsilon >= 0)
		left = Min(left, dpriv_epsilon_to_double(Max(budget->lifetime_epsilon -
													 entry->lifetime_epsilon, 0)));
	return Max(left, 0.0);
}

double
dpriv_budget_left_delta(const DprivBudget *budget, const DprivEntry *entry, TimestampTz now)
{
	DprivCost	spent = dpriv_ledger_spent(budget, entry, now);
	int128		left = budget->terms.delta_selection -
		(budget->terms.accountant == DPRIV_BASIC ? spent.delta_basic : spent.delta_approx);

	return dpriv_delta_to_double(Max(left, 0));
}

bool
dpriv_budget_remaining(Oid role, Oid relation, double *epsilon, double *delta)
{
	DprivRoot	root;
	List	   *budgets = dpriv_budgets_applying(role, relation, &root);
	Relation	ledger;
	TimestampTz now = GetCurrentTimestamp();
	bool		granted = false;	/* anything, ever */
	bool		in_force = false;	/* any of it */
	bool		limited = false;
	ListCell   *lc;

	*epsilon = *delta = 0;
	ledger = dpriv_ledger_open(AccessShareLock);
	foreach(lc, budgets)
	{
		const DprivBudget *budget = lfirst(lc);
		DprivEntry	entry;
		double		left;
		double		left_delta;

		if (budget->kind != DPRIV_BUDGET_CAP)
		{
			granted |= budget->revoked || !budget->of_part;
			in_force |= !budget->revoked && !budget->of_part;
		}
		if (budget->revoked)
			continue;
		dpriv_ledger_last(ledger, budget, &entry);
		left = dpriv_budget_left(budget, &entry, Max(now, entry.charged_at));
		left_delta = dpriv_budget_left_delta(budget, &entry, Max(now, entry.charged_at));
		if (!limited || left < *epsilon)
			*epsilon = left;
		if (!limited || left_delta < *delta)
			*delta = left_delta;
		limited = true;
	}
	table_close(ledger, AccessShareLock);

	/* Who had a budget and has none any more may spend nothing, or who had to have one. */
	if (!in_force && (granted || dpriv_setting_require_budget) && !superuser_arg(role))
	{
		*epsilon = *delta = 0;
		limited = true;
	}
	return limited;
}
