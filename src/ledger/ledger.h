/*
 * ledger.h
 *	  The ledger: one chain of entries per budget, and how they get to disk.
 */
#ifndef DPRIV_LEDGER_H
#define DPRIV_LEDGER_H

#include "ledger/budget.h"
#include "storage/itemptr.h"
#include "storage/lockdefs.h"
#include "utils/relcache.h"

#define DPRIV_HASH_SIZE 32

/* Where the chain of a budget stands. */
typedef struct DprivEntry
{
	int64		number;			/* from 1; 0: nothing was ever charged */
	TimestampTz charged_at;
	bool		has_period;
	TimestampTz period_start;	/* of the period that total is of */
	DprivCost	total;			/* of the period */
	int64		lifetime_epsilon;	/* of all periods, in units of 1e-12 */
	uint8		hash[DPRIV_HASH_SIZE];
} DprivEntry;

/* Open dpriv.ledger, whoever the user is. */
extern Relation dpriv_ledger_open(LOCKMODE mode);

/* The last entry of a budget, as committed now; its total is of the period by today's terms. */
extern void dpriv_ledger_last(Relation ledger, const DprivBudget *budget, DprivEntry *entry);

struct DprivRow;

/*
 * Call visitor with every charge to a budget from a time on that is in a table, the ledger or its
 * archive, in no order.  What it keeps it has to copy.
 */
typedef void (*DprivLedgerVisitor) (void *argument, const struct DprivRow *row);
extern void dpriv_ledger_visit(Relation rel, const pg_uuid_t *budget, TimestampTz since,
							   DprivLedgerVisitor visitor, void *argument);

/* Is there a charge to any budget? */
extern bool dpriv_ledger_names_budgets(Relation ledger);

/* What is spent of a budget at a time: the entry's total, or nothing if its period is over. */
extern DprivCost dpriv_ledger_spent(const DprivBudget *budget, const DprivEntry *entry,
									TimestampTz now);

/* The ledger, ready for charges to be written. */
typedef struct DprivLedger
{
	Relation	heap;
	Relation	chain;			/* the index that leads to a budget's entries, one of these: */
	List	   *indexes;		/* of Relation */
	List	   *index_infos;	/* of IndexInfo */
	int			options;		/* for inserting */
	int			nrows;			/* that are inserted and not frozen */
	int			max_rows;
	ItemPointer rows;			/* where they are, in the order of inserting */
} DprivLedger;

/*
 * Open the ledger and everything that writing needs, so that nothing can fail later for want of a
 * catalog.  Errors: 55000 if it cannot hold a charge.
 */
extern void dpriv_ledger_prepare(DprivLedger *ledger);

/*
 * The last entry of a budget as it was written, and whether its total falls short of what counts by
 * today's terms.  Takes no locks but those of buffers.
 */
extern void dpriv_ledger_read_last(const DprivLedger *ledger, const DprivBudget *budget,
								   DprivEntry *entry);
extern bool dpriv_ledger_falls_short(const DprivBudget *budget, const DprivEntry *entry);

/* Sum up what counts then; may take long. */
extern void dpriv_ledger_extend(Relation ledger, const DprivBudget *budget, DprivEntry *entry);

/*
 * Start with a charge of so many rows.  Several go to the end of the table, so that they are on as
 * few pages as can be; a single one fills the holes that an archived ledger has.
 */
extern void dpriv_ledger_begin(DprivLedger *ledger, int nrows);

/*
 * Insert a row like any other, with its index entries, and return where it is: what follows may
 * still fail.  Waits for no other transaction.
 */
extern ItemPointerData dpriv_ledger_insert(DprivLedger *ledger, const struct DprivRow *row);

/* Can one log record freeze all rows that were inserted? */
extern bool dpriv_ledger_fits(const DprivLedger *ledger);

/*
 * Afterwards the first nrows of them are in the log as one record, visible to everybody and for
 * ever, whatever becomes of this transaction; before, none is.  Not flushed yet.  Errors: 54000 if
 * they are too many for one record.
 */
extern void dpriv_ledger_freeze(DprivLedger *ledger, int nrows);

/*
 * Have whoever reads the last entry of a budget next look for it: to be called before anything is
 * inserted, since what follows may fail when a part of it is there.
 */
extern void dpriv_ledger_see_nothing(const DprivBudget *budget);

/* Have him find it at once: it is this one, frozen. */
extern void dpriv_ledger_see_last(const DprivLedger *ledger, const DprivBudget *budget,
								  const DprivEntry *entry, ItemPointerData at);

/* Close it and give its locks back before the transaction ends. */
extern void dpriv_ledger_release(DprivLedger *ledger);

#endif							/* DPRIV_LEDGER_H */
