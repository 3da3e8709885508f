/*
 * remaining.h
 *	  What budgets have left.
 */
#ifndef DPRIV_REMAINING_H
#define DPRIV_REMAINING_H

#include "ledger/budget.h"
#include "ledger/ledger.h"

/*
 * Epsilon that a budget has left at a time, by its accountant's figure, never negative: of the
 * period, or of its lifetime if that is less.
 */
extern double dpriv_budget_left(const DprivBudget *budget, const DprivEntry *entry,
								TimestampTz now);

/*
 * Delta, likewise: of accountant basic for all charges; of others, which keep half of it for what
 * divergences come to, for what is spent under every accountant.
 */
extern double dpriv_budget_left_delta(const DprivBudget *budget, const DprivEntry *entry,
									  TimestampTz now);

/*
 * The least that is left, now, of the budgets that rule over a charge of this role on this
 * relation, which may be InvalidOid; 0 if the role may spend nothing there.  False if there is no
 * limit.
 */
extern bool dpriv_budget_remaining(Oid role, Oid relation, double *epsilon, double *delta);

#endif							/* DPRIV_REMAINING_H */
