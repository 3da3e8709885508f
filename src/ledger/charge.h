/*
 * charge.h
 *	  The one place where releases are paid for.
 */
#ifndef DPRIV_CHARGE_H
#define DPRIV_CHARGE_H

#include "accounting/cost.h"
#include "nodes/params.h"
#include "nodes/pg_list.h"

/* What all releases of a statement on one relation cost together. */
typedef struct DprivCharge
{
	Oid			relation;		/* that they read; InvalidOid: none that the query names */
	DprivCost	cost;
	List	   *measures;		/* names (char *), in the order written */
	List	   *mechanisms;		/* names (char *), each once */
} DprivCharge;

/*
 * Charge every release of one statement, or none; charges is a list of DprivCharge, empty if all of
 * them are free.  Called after the statement's permissions were checked and before anything private
 * is read.  On return the charges are on disk, and on the standbys that the server waits for:
 * whatever happens to this transaction, they stay.  query is the statement's text and params its
 * parameters, for the ledger; both may be NULL.
 *
 * Errors, after which nothing is charged: 53400 if a budget does not allow it; 42501 if a budget
 * was revoked or one is required; 25006 in recovery, 25000 in parallel mode, 0A000 under
 * serializable isolation; 55000 and 54000 if the ledger cannot be written.  After 57014 it is
 * charged.
 */
extern void dpriv_charge(List *charges, const char *query, ParamListInfo params);

extern void dpriv_charge_init(void);

#endif							/* DPRIV_CHARGE_H */
