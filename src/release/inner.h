/*
 * inner.h
 *	  The inner query: exact results per group, and the measures that they are for.
 */
#ifndef DPRIV_INNER_H
#define DPRIV_INNER_H

#include "access/htup_details.h"
#include "nodes/pathnodes.h"
#include "release/spec.h"

/* One release while its query level is being taken apart. */
typedef struct Split
{
	Query	   *query;			/* becomes the outer query */
	Query	   *inner;
	PlannerInfo *root;			/* for simplification */
	ReleaseSpec *spec;
	List	   *keys;			/* expressions of the group keys */
	int			nparameters;	/* external parameters in use so far */
} Split;

/*
 * Start the inner query: FROM, WHERE and GROUP BY of the level.  levels: enclosing queries, the
 * level itself first.
 */
extern void dpriv_inner_begin(Split *split, List *levels);

/*
 * Number of the measure that an aggregate of this level stands for; equal measures are one.  kind
 * and nprivacy as dpriv_measure_find() says.
 */
extern int	dpriv_inner_measure(Split *split, Aggref *aggref, int kind, int nprivacy);

/*
 * Columns of the exact rows (keys, measures, number of rows) and of the released ones (with
 * errors): what a tuple can hold.
 */
#define DPRIV_MAX_COLUMNS MaxTupleAttributeNumber

/* More than that, seen before anything is paid for.  Error: 54000. */
extern void dpriv_refuse_columns(void);

/*
 * Once all measures are known: the column that groups are selected by, if they are.  Error: 54000.
 */
extern void dpriv_inner_end(Split *split);

/* A constant or something made of constants and external parameters.  what: for the error. */
extern Expr *dpriv_public_expression(Split *split, Expr *expr, const char *what);

#endif							/* DPRIV_INNER_H */
