/*
 * rules.c
 *	  What a budget says to a charge.
 *
 * The decision is made in integers and by limits that were fixed when the budget was granted; what
 * is shown of it is rounded.
 */
#include "postgres.h"

#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "ledger/rules.h"
#include "utils/timestamp.h"

static void
refuse(const DprivHit *hit, const char *what, const char *unit, double asked, double left,
	   double granted, const char *more, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("%s exhausted", what),
			 errdetail("The statement costs %s %g; %g of %g are left in the %s.%s", unit, asked,
					   Max(left, 0.0), granted, dpriv_budget_name(hit->budget), more),
			 errhint("%s", hint)));
}

/* Accountants other than basic count less than the sum that a statement is said to cost. */
static void
refuse_epsilon(const DprivHit *hit, const DprivCost *spent, const DprivCost *total,
			   const char *refill)
{
	const DprivTerms *terms = &hit->budget->terms;
	double		granted = dpriv_epsilon_to_double(terms->epsilon);
	const char *more = refill;

	if (terms->accountant != DPRIV_BASIC)
		more = psprintf(" With it, accountant %s would count %g.%s",
						dpriv_accountant_name(terms->accountant),
						dpriv_terms_spent_epsilon(terms, total), refill);
	refuse(hit, "budget", "epsilon", dpriv_epsilon_to_double(hit->asked.epsilon),
		   granted - dpriv_terms_spent_epsilon(terms, spent), granted, more,
		   "Ask for less with a smaller epsilon or fewer measures, use earlier answers again, or "
		   "ask whoever granted the budget for more.");
}

/* Accountants other than basic keep half of delta for what is spent under all of them. */
static void
refuse_delta(const DprivHit *hit, const DprivCost *spent, const char *refill)
{
	const DprivTerms *terms = &hit->budget->terms;
	const char *hint = "Use Laplace noise and group keys with public values, which cost no delta, "
	"or ask whoever granted the budget to grant more delta.";

	if (terms->accountant == DPRIV_BASIC)
		refuse(hit, "budget of delta", "delta", dpriv_delta_to_double(hit->asked.delta_basic),
			   dpriv_delta_to_double(Max(terms->delta - spent->delta_basic, 0)),
			   dpriv_delta_to_double(terms->delta), refill, hint);
	else
		refuse(hit, "budget of delta", "delta", dpriv_delta_to_double(hit->asked.delta_approx),
			   dpriv_delta_to_double(Max(terms->delta_selection - spent->delta_approx, 0)),
			   dpriv_delta_to_double(terms->delta_selection),
			   psprintf(" That is the half of its delta that is for selecting groups.%s", refill),
			   hint);
}

DprivRule
dpriv_rule_find(const DprivHit *hit)
{
	const DprivBudget *budget = hit->budget;
	DprivCost	spent = dpriv_ledger_spent(budget, &hit->entry, hit->now);
	DprivCost	total = dpriv_cost_add(spent, hit->asked);

	if (budget->revoked)
		return DPRIV_RULE_NONE;
	switch (dpriv_terms_allow(&budget->terms, &total))
	{
		case DPRIV_ALLOWED:
			break;
		case DPRIV_OVER_EPSILON:
			return DPRIV_RULE_EPSILON;
		case DPRIV_OVER_DELTA:
			return DPRIV_RULE_DELTA;
	}
	if (budget->lifetime_epsilon >= 0 &&
		hit->asked.epsilon > budget->lifetime_epsilon - hit->entry.lifetime_epsilon)
		return DPRIV_RULE_LIFETIME;
	return DPRIV_RULE_NONE;
}

void
dpriv_rule_refuse(const DprivHit *hit)
{
	const DprivBudget *budget = hit->budget;
	DprivCost	spent = dpriv_ledger_spent(budget, &hit->entry, hit->now);
	DprivCost	total = dpriv_cost_add(spent, hit->asked);
	const char *refill = "";
	TimestampTz start;
	TimestampTz end;

	if (dpriv_budget_period(budget, hit->now, &start, &end))
		refill = psprintf(" It is filled again at %s.", timestamptz_to_str(end));
	switch (dpriv_rule_find(hit))
	{
		case DPRIV_RULE_NONE:
			break;
		case DPRIV_RULE_EPSILON:
			refuse_epsilon(hit, &spent, &total, refill);
			break;
		case DPRIV_RULE_DELTA:
			refuse_delta(hit, &spent, refill);
			break;
		case DPRIV_RULE_LIFETIME:
			refuse(hit, "lifetime budget", "epsilon", dpriv_epsilon_to_double(hit->asked.epsilon),
				   dpriv_epsilon_to_double(Max(budget->lifetime_epsilon -
											   hit->entry.lifetime_epsilon, 0)),
				   dpriv_epsilon_to_double(budget->lifetime_epsilon), "",
				   "Use earlier answers again, or ask whoever granted the budget for more.");
			break;
	}
	elog(ERROR, "a charge was refused without a reason");
}
