/*
 * budget.h
 *	  Budgets: who may spend how much on what.
 */
#ifndef DPRIV_BUDGET_H
#define DPRIV_BUDGET_H

#include "accounting/cost.h"
#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "utils/uuid.h"

typedef enum DprivBudgetKind
{
	DPRIV_BUDGET_ROLE = 'r',	/* of one role and all its members together */
	DPRIV_BUDGET_PUBLIC = 'p',	/* of all roles together */
	DPRIV_BUDGET_CAP = 'c',		/* the same, besides the budgets that they have */
} DprivBudgetKind;

typedef struct DprivBudget
{
	pg_uuid_t	id;
	DprivBudgetKind kind;
	Oid			grantee;		/* InvalidOid unless it is of a role */
	Oid			relation;		/* InvalidOid: one sum over all relations */
	DprivTerms	terms;
	bool		revoked;		/* allows nothing, but what it would be charged is counted */
	bool		has_period;
	Interval	period;
	TimestampTz granted_at;		/* the first time; periods are counted from it */
	int64		lifetime_epsilon;	/* over all periods, in units of 1e-12; -1: no limit */
} DprivBudget;

/*
 * All budgets that a charge hits, sorted by id: of the role and of every role that it is a member
 * of, of PUBLIC, and caps; on the relation, its ancestors, its descendants, and on all relations.
 * relation may be InvalidOid.  Reads what is committed now, whatever the transaction's snapshot.
 */
extern List *dpriv_budgets_applying(Oid role, Oid relation);

/* The period that a time lies in.  False if there are none: it is one since ever. */
extern bool dpriv_budget_period(const DprivBudget *budget, TimestampTz now, TimestampTz *start,
								TimestampTz *end);

/* For messages, such as: budget of role "analyst" on table public.adult. */
extern char *dpriv_budget_name(const DprivBudget *budget);

#endif							/* DPRIV_BUDGET_H */
