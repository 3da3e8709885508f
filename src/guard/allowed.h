/*
 * allowed.h
 *	  What may be computed from private rows: functions that cannot fail and cannot be observed.
 */
#ifndef DPRIV_ALLOWED_H
#define DPRIV_ALLOWED_H

#include "nodes/pg_list.h"

/* What a function does with the collation of its call. */
typedef enum DprivCollationUse
{
	DPRIV_COLLATION_UNUSED,
	DPRIV_COLLATION_COMPARES,	/* any collation, but there must be one */
	DPRIV_COLLATION_SEARCHES,	/* a deterministic one */
} DprivCollationUse;

typedef enum DprivCallVerdict
{
	DPRIV_CALL_KEEP,
	DPRIV_CALL_REPLACE,
	DPRIV_CALL_REFUSE,
} DprivCallVerdict;

/* A condition on the arguments of a call. */
typedef struct DprivCondition
{
	const char *text;			/* as a sentence, for the refusal and dpriv.allowed_functions() */
	DprivCallVerdict (*check) (List *args);
} DprivCondition;

/*
 * A function of this extension that takes the place of one of PostgreSQL's: the same result, and
 * NULL where that one raises an error.
 */
typedef struct DprivTotal
{
	const char *name;			/* in schema dpriv */
	int			nargs;
	Oid			argtypes[4];
	Oid			result;
	DprivCollationUse collation;
} DprivTotal;

/* A function of PostgreSQL, and why it may be called for every private row. */
typedef struct DprivAllowed
{
	Oid			function;
	const char *reason;			/* why it, or its replacement, is total */
	DprivCollationUse collation;
	const DprivCondition *condition;	/* NULL: any arguments */
	int			replacement;	/* number of a DprivTotal, or -1 */
} DprivAllowed;

extern void dpriv_allowed_init(void);

/* The entry of a function; NULL if it is not on the list. */
extern const DprivAllowed *dpriv_allowed_find(Oid function);

/* What to do with a call of a function on the list. */
extern DprivCallVerdict dpriv_allowed_verdict(const DprivAllowed *allowed, List *args);

/* A total function by number, and its OID. */
extern const DprivTotal *dpriv_total(int number);
extern Oid	dpriv_total_oid(int number);

/* Is this one of the total functions?  Returns its description, or NULL. */
extern const DprivTotal *dpriv_total_find(Oid function);

/* The total cast from date to timestamp, which arithmetic with intervals begins with. */
extern Oid	dpriv_total_timestamp_of_date(void);

#endif							/* DPRIV_ALLOWED_H */
