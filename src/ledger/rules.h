/*
 * rules.h
 *	  What a budget says to a charge.
 */
#ifndef DPRIV_RULES_H
#define DPRIV_RULES_H

#include "ledger/ledger.h"
#include "storage/itemptr.h"

/* A budget that the charges of a statement hit. */
typedef struct DprivHit
{
	DprivBudget *budget;
	DprivCost	asked;			/* by all of them */
	DprivEntry	entry;			/* where the chain stands; then with what has been added */
	ItemPointerData at;			/* where its row is, once something has been */
	bool		extended;		/* its total was summed up again */
	TimestampTz now;			/* time of the charge */
} DprivHit;

typedef enum DprivRule
{
	DPRIV_RULE_NONE,			/* nothing against it */
	DPRIV_RULE_EPSILON,
	DPRIV_RULE_DELTA,
	DPRIV_RULE_LIFETIME,
} DprivRule;

/* What is against it.  Raises no error and looks nothing up. */
extern DprivRule dpriv_rule_find(const DprivHit *hit);

/* Raise the error for that: 53400, with what is asked, what is left, and when there is more. */
extern void dpriv_rule_refuse(const DprivHit *hit);

#endif							/* DPRIV_RULES_H */
