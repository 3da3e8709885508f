/*
 * budget.h
 *	  Budgets: who may spend how much on what.
 */
#ifndef DPRIV_BUDGET_H
#define DPRIV_BUDGET_H

#include "access/htup.h"
#include "access/tupdesc.h"
#include "accounting/cost.h"
#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"
#include "utils/uuid.h"

typedef enum DprivBudgetKind
{
	DPRIV_BUDGET_ROLE = 'r',	/* of one role and all its members together */
	DPRIV_BUDGET_PUBLIC = 'p',	/* of all roles together */
	DPRIV_BUDGET_CAP = 'c',		/* the same, besides the budgets that they have */
	DPRIV_BUDGET_MARK = 'm',	/* of nobody: says that the others are there, see budget.c */
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
	bool		of_part;		/* of a child or partition of what is charged: see below */
} DprivBudget;

/*
 * All budgets that a charge hits, sorted by id: of the role and of every role that it is a member
 * of, of PUBLIC, and caps; on the relation, its ancestors, its descendants, and on all relations.
 * relation may be InvalidOid.  Reads what is committed now, whatever the transaction's snapshot.
 * Those of descendants are charged and limit, but give no right to read the whole: of_part is set.
 */
extern List *dpriv_budgets_search(Oid role, Oid relation);

/* What a charge is for. */
typedef struct DprivRoot
{
	Oid			relation;		/* InvalidOid if the charge is for none */
	char	   *name;			/* qualified; NULL likewise, or if it has just been dropped */
} DprivRoot;

/*
 * The same, remembered, and the root of the relation.  As of what other sessions have said that
 * they committed.
 */
extern List *dpriv_budgets_applying(Oid role, Oid relation, DprivRoot *root);

extern void dpriv_applying_init(void);

/*
 * The relation that a charge is for: the root of partitions or children, the relation itself if it
 * has no parent.  Of several roots, one.
 */
extern Oid	dpriv_budget_root(Oid relation);

/*
 * Have budgets been lost?  So it is if charges were made to some, and the mark that the first grant
 * has left is not there: a restore that did not bring them back, for want of a role, say.
 */
extern bool dpriv_budgets_lost(Relation ledger);

/* The period that a time lies in.  False if there are none: it is one since ever. */
extern bool dpriv_budget_period(const DprivBudget *budget, TimestampTz now, TimestampTz *start,
								TimestampTz *end);

/* Columns of dpriv.budget. */
typedef enum DprivBudgetColumn
{
	Anum_dpriv_budget_id = 1,
	Anum_dpriv_budget_kind,
	Anum_dpriv_budget_grantee,
	Anum_dpriv_budget_relation,
	Anum_dpriv_budget_accountant,
	Anum_dpriv_budget_epsilon,
	Anum_dpriv_budget_delta,
	Anum_dpriv_budget_orders,
	Anum_dpriv_budget_limits,
	Anum_dpriv_budget_delta_selection,
	Anum_dpriv_budget_period,
	Anum_dpriv_budget_lifetime_epsilon,
	Anum_dpriv_budget_granted_at,
	Anum_dpriv_budget_granted_by,
	Anum_dpriv_budget_changed_at,
	Anum_dpriv_budget_revoked,
} DprivBudgetColumn;

#define Natts_dpriv_budget Anum_dpriv_budget_revoked

/* The index (relation, grantee, kind) of dpriv.budget; an error if it cannot be found. */
extern Oid	dpriv_budget_index(void);

/* A row of dpriv.budget.  An error if it holds what no grant writes. */
extern DprivBudget *dpriv_budget_read(HeapTuple tuple, TupleDesc tupdesc);

/* Names of kinds and accountants, as the table has them. */
extern const char *dpriv_budget_kind_name(DprivBudgetKind kind);
extern const char *dpriv_accountant_name(DprivAccountant accountant);

/* The role and all roles that it is a member of, through whatever kind of membership. */
extern List *dpriv_roles_of(Oid role);

/* Change the budgets of a grantee on a relation alone, until the end of the transaction. */
extern void dpriv_budget_lock_terms(Oid relation, Oid grantee);

/* Do its role and its relation still exist? */
extern bool dpriv_budget_exists(const DprivBudget *budget);

/* Budgets of a role or a relation that is being dropped end with it. */
extern void dpriv_budget_dropped(Oid class_id, Oid object_id);

/* For messages, such as: budget of role "analyst" on table public.adult. */
extern char *dpriv_budget_name(const DprivBudget *budget);

#endif							/* DPRIV_BUDGET_H */
