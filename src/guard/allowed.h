/*
 * allowed.h
 *	  What may be computed from private rows: functions that cannot fail and cannot be observed.
 */
#ifndef DPRIV_ALLOWED_H
#define DPRIV_ALLOWED_H

#include "guard/total.h"
#include "nodes/pg_list.h"

/* What to do with a call. */
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

/* A function of PostgreSQL, and why it may be called for every private row. */
typedef struct DprivAllowed
{
	Oid			function;
	const char *reason;			/* why it, or its replacement, is total */
	DprivCollationUse collation;
	const DprivCondition *condition;	/* NULL: any arguments */
	int			replacement;	/* a DprivTotalNumber, or -1 */
} DprivAllowed;

extern void dpriv_allowed_init(void);

/* The entry of a function; NULL if it is not on the list. */
extern const DprivAllowed *dpriv_allowed_find(Oid function);

/* What to do with a call of a function on the list. */
extern DprivCallVerdict dpriv_allowed_verdict(const DprivAllowed *allowed, List *args);

#endif							/* DPRIV_ALLOWED_H */
