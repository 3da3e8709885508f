/*
 * selection.h
 *	  Whether a group of a release may be published.
 */
#ifndef DPRIV_MECHANISM_SELECTION_H
#define DPRIV_MECHANISM_SELECTION_H

#include "accounting/epsilon.h"
#include "noise/truncated.h"

/* How the groups of one release are chosen, with this execution's parameters. */
typedef struct DprivSelection
{
	DprivEpsilon epsilon;		/* of the decision */
	double		delta;			/* probability that a group of one row is published, at most */
	bool		by_count;		/* a released count decides; else the exact one, with noise */

	/* by_count */
	int64		threshold;		/* publish a group whose released count is at least this */

	/* else; see accounting/selection.h */
	int64		limit;
	uint64		weight;			/* of limit - 1, in 2^-64, rounded down */
	DprivLaplace noise;
} DprivSelection;

/*
 * With epsilon, delta and by_count set, set the rest.  epsilon is that of the count, or of the
 * decision by itself.
 */
extern void dpriv_selection_prepare(DprivSelection *selection);

/*
 * May a group be published?  The only place where this is decided.  value: its released count
 * (by_count), or its exact number of rows.
 */
extern bool dpriv_selection_keep(const DprivSelection *selection, int128 value);

#endif							/* DPRIV_MECHANISM_SELECTION_H */
