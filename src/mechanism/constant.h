/*
 * constant.h
 *	  Constants in place of everything that is released, in test builds only.
 *
 * A build with -DDPRIV_CONSTANT does all that the shipped one does, and then forgets the noisy
 * components, the chosen cell and the decision on a group: what takes their place is the same for
 * all rows.  So whatever a restricted role can tell two databases apart by, but for time, is a leak.
 * The shipped build does not contain a line of it.
 */
#ifndef DPRIV_CONSTANT_H
#define DPRIV_CONSTANT_H

#ifdef DPRIV_CONSTANT
#include "mechanism/measure.h"

/* Different from each other, so that bounds are found and conditions on answers go both ways. */
#define DPRIV_CONSTANT_VALUE(i) (40 + 60 * ((i) % 3))

static inline void
dpriv_constant_components(const DprivMeasure *part, int128 *component)
{
	for (int i = 0; i < part->ncomponents; i++)
		component[i] = DPRIV_CONSTANT_VALUE(i);
}

/* Of vectors of sums: some times what a row can add, so that a training goes on with them. */
static inline void
dpriv_constant_sums(int64 *sum, int n, int64 sensitivity)
{
	for (int i = 0; i < n; i++)
		sum[i] = DPRIV_CONSTANT_VALUE(i) * sensitivity;
}

#define DPRIV_CONSTANT_COMPONENTS(part, component) dpriv_constant_components(part, component)
#define DPRIV_CONSTANT_SUMS(sum, n, sensitivity) dpriv_constant_sums(sum, n, sensitivity)
#define DPRIV_CONSTANT_CELL(cell) ((cell) = 0)
#define DPRIV_CONSTANT_SELECTION(kept) ((kept) = false)
#else
#define DPRIV_CONSTANT_COMPONENTS(part, component) ((void) 0)
#define DPRIV_CONSTANT_SUMS(sum, n, sensitivity) ((void) 0)
#define DPRIV_CONSTANT_CELL(cell) ((void) 0)
#define DPRIV_CONSTANT_SELECTION(kept) ((void) 0)
#endif

#endif							/* DPRIV_CONSTANT_H */
