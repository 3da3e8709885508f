/*
 * pld_lattice.h
 *	  One mechanism's privacy loss on the points of a lattice: a distribution that is never better.
 *
 * An outcome whose loss falls between two points is divided among them so that both its
 * probability and its probability under the neighbour are kept.  That can only raise delta, at
 * every epsilon and in every composition, and is the least that a lattice allows: "Connect the
 * dots", Doroshenko, Ghazi, Kamath, Kumar and Manurangsi (2022).
 */
#ifndef DPRIV_PLD_LATTICE_H
#define DPRIV_PLD_LATTICE_H

#include "accounting/pld.h"

typedef struct DprivLatticePoint
{
	int64		index;			/* the loss is index times step */
	double		mass;
} DprivLatticePoint;

/*
 * With P and Q exchanged the loss is -index times step, with probability mass * exp(-index step):
 * the same division serves both directions.
 */
typedef struct DprivLattice
{
	double		step;
	int			n;
	DprivLatticePoint *points;	/* indexes ascend */
	double		infinite;		/* probability of an infinite loss */
	double		infinite_back;	/* the same with P and Q exchanged */
	double		loss_error;		/* losses may be larger by this, by rounding */
	double		mass_error;		/* and probabilities by this factor less 1 */
} DprivLattice;

/* Points that a lattice with this resolution needs room for. */
#define DPRIV_LATTICE_ROOM(cells) (4 * (cells) + 16)

/*
 * The least and the greatest finite loss that matter when the probability of tail may be lost at
 * either end, as an infinite loss.
 */
extern void dpriv_lattice_range(const DprivPldMechanism *mechanism, double tail, double *least,
								double *greatest);

/*
 * Fill a lattice, whose step and points are set.  The number of cells bounds that of points, and
 * where the step is finer than that, points are left out.
 */
extern void dpriv_lattice_fill(DprivLattice *lattice, const DprivPldMechanism *mechanism,
							   double tail, int cells);

/* What all losses, or all points of mass, are multiples of; 0 if there are none. */
extern double dpriv_lattice_unit(const DprivPldMechanism *mechanism);

/* Is the loss distributed alike with P and Q exchanged? */
extern bool dpriv_lattice_symmetric(const DprivPldMechanism *mechanism);

#endif							/* DPRIV_PLD_LATTICE_H */
