/*
 * compose_list.h
 *	  Mechanisms that differ, while they are being composed.
 */
#ifndef DPRIV_COMPOSE_LIST_H
#define DPRIV_COMPOSE_LIST_H

#include "server.h"

/*
 * Room for work: two buffers for distributions, the mass points of one group of equal epsilons, and
 * the epsilons, sorted.
 */
#define DPRIV_LIST_POINTS (1 << 18)

typedef struct DprivListPoint
{
	int64		offset;			/* in steps of the grid */
	double		mass;
} DprivListPoint;

typedef struct DprivList
{
	double	   *epsilons;		/* not 0, finite, ascending */
	int			n;
	int			groups;			/* of equal ones */
	double		total;			/* their sum, not below it */
	double		slack;
	double		step;			/* of the grid */
	bool		lattice;		/* is every 2 epsilon a multiple of step? */
	double	   *current;
	double	   *next;
	DprivListPoint *points;
} DprivList;

/* The number of epsilons equal to the i-th, from there on. */
static inline int
dpriv_list_equal(const DprivList *list, int i)
{
	int			n = 1;

	while (i + n < list->n && list->epsilons[i + n] == list->epsilons[i])
		n++;
	return n;
}

/* For qsort(): by a double, or whatever begins with one. */
extern int	dpriv_compare_doubles(const void *a, const void *b);

/*
 * Epsilon by the distribution of the sum of losses: an upper bound for epsilons that are not all
 * equal, 0 < slack < 1, exact where all of them fit on a lattice or few sums are possible.
 * Infinity if nothing can be said.
 */
extern double dpriv_list_sum(DprivList *list);

#endif							/* DPRIV_COMPOSE_LIST_H */
