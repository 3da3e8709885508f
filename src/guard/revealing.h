/*
 * revealing.h
 *	  Functions and catalogs of PostgreSQL that tell of rows without reading them.
 */
#ifndef DPRIV_REVEALING_H
#define DPRIV_REVEALING_H

/* What a built-in function tells. */
typedef enum DprivRevealing
{
	DPRIV_REVEALS_NOTHING = 1,	/* of rows */
	DPRIV_REVEALS_RELATION,		/* of the relation that its first argument is the OID of */
	DPRIV_REVEALS_SERVER,		/* of all that was read and written: one value */
	DPRIV_REVEALS_ROWS,			/* the same, as rows or a record; or it does something besides */
} DprivRevealing;

/* Others than built-in functions are said to tell nothing.  Cheap: remembered by OID. */
extern DprivRevealing dpriv_revealing(Oid function);

/* Has this catalog columns that tell of rows? */
extern bool dpriv_revealing_catalog(Oid relation);

/*
 * Must the current role not see what is known of this relation's rows?  Of an index or a toast
 * table, that is asked for its table.
 */
extern bool dpriv_hides(Oid relation);

/*
 * Before a function is called, wherever: refuse one that tells of rows, where the current role must
 * not see them.  In statements that are planned such calls have been replaced (mask.c).
 * Error: 42501.
 */
extern void dpriv_refuse_revealing(Oid function);

#endif							/* DPRIV_REVEALING_H */
