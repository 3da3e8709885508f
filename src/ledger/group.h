/*
 * group.h
 *	  Sessions that charge the same budgets at the same time are served by one of them.
 *
 * Needs shared memory, which only a preloaded library can have; else everybody is alone.
 */
#ifndef DPRIV_GROUP_H
#define DPRIV_GROUP_H

#include "access/xlogdefs.h"
#include "ledger/row.h"

/* Ask for shared memory, and find it: from the hooks of the postmaster's start. */
extern void dpriv_group_request(void);
extern void dpriv_group_startup(void);

/* What becomes of somebody who joins a group. */
typedef enum DprivGroupRole
{
	DPRIV_GROUP_ALONE,			/* nobody has charged or will: charge on your own */
	DPRIV_GROUP_LEADS,			/* the same, and serve those who come meanwhile */
	DPRIV_GROUP_SERVED,			/* the charge is written: flush the log up to its end */
} DprivGroupRole;

/*
 * Join those who want one charge with these rows to these budgets (a list of DprivBudget, sorted by
 * id).  Waits for a leader, if there is one, as for a lightweight lock: without hearing of
 * interrupts.
 *
 * After LEADS and SERVED, interrupts are held off until the caller resumes them; an error does that
 * by itself.  Who leads must call dpriv_group_dismiss(), whatever happens.
 */
extern DprivGroupRole dpriv_group_join(const List *budgets, const DprivRow *row, XLogRecPtr *end);

/* What another session wants to be charged.  In shared memory, with all that row points to. */
typedef struct DprivRequest DprivRequest;

/*
 * For the leader, once it has these budgets: those who want the same ones, one after the other; NULL
 * ends them.  Others are sent away.
 */
extern DprivRequest *dpriv_group_take(const List *budgets);
extern DprivRequest *dpriv_group_next(DprivRequest *request);
extern const DprivRow *dpriv_group_row(const DprivRequest *request);

/* Its rows are inserted. */
extern void dpriv_group_set_inserted(DprivRequest *request);

/*
 * All rows that were inserted are there for everybody and for ever, and in the log up to this end.
 * Does nothing if this session leads nobody.
 */
extern void dpriv_group_set_written(XLogRecPtr end);

/*
 * Tell everybody whom this session leads: whose rows are written is served, the others are alone.
 * Nothing happens if it leads nobody.
 */
extern void dpriv_group_dismiss(void);

#endif							/* DPRIV_GROUP_H */
