/*
 * reported.h
 *	  What a budget's charges are known to cost together, to be shown.
 */
#ifndef DPRIV_REPORTED_H
#define DPRIV_REPORTED_H

#include "ledger/ledger.h"

/*
 * The least epsilon of what was spent of a budget by then, at its delta: by the sum, zCDP, every
 * order, and, if they are few enough to be read one by one, the distribution of the loss of its
 * charges.  For reports: a rule that stopped at it would not be private.
 */
extern double dpriv_ledger_reported_epsilon(Relation ledger, const DprivBudget *budget,
											const DprivEntry *entry, TimestampTz now);

#endif							/* DPRIV_REPORTED_H */
