/*
 * write.h
 *	  Charges become rows of the ledger, all or none.
 */
#ifndef DPRIV_WRITE_H
#define DPRIV_WRITE_H

#include "ledger/row.h"
#include "nodes/pg_list.h"

/* A charge. */
typedef struct DprivItem
{
	List	   *budgets;		/* that it hits: of DprivBudget, sorted by id */
	DprivRow	row;			/* what all of its rows have in common */
} DprivItem;

/*
 * Apply the rules of all budgets, and write the charges of one statement; sum is what they cost
 * together.  On return they are on disk, and on the standbys that the server waits for.  May change
 * the items.
 *
 * Errors: as dpriv_charge() says of budgets and of the ledger.
 */
extern void dpriv_write(DprivItem *items, int nitems, const DprivCost *sum);

#endif							/* DPRIV_WRITE_H */
