/*
 * standard.h
 *	  Rows of a common scale: centred, scaled, and divided by their length.
 *
 * A stored row becomes a vector U of integers: its numbers in row->number, for each level ONE if
 * the row has it, less the level's share, and CONSTANT.  row->factor is r = floor(RADIUS /
 * ceil|U|), so that x = U r / RADIUS has at most length 1.
 */
#ifndef DPRIV_LEARN_STANDARD_H
#define DPRIV_LEARN_STANDARD_H

#include "learn/learn.h"

/* Coordinates of U: 1.0 and the constant; and what r U is at most. */
#define DPRIV_STANDARD_ONE 4096
#define DPRIV_STANDARD_CONSTANT (DPRIV_STANDARD_ONE / 2)
#define DPRIV_STANDARD_RADIUS_BITS 30
#define DPRIV_STANDARD_RADIUS (INT64CONST(1) << DPRIV_STANDARD_RADIUS_BITS)

/* Shares of a budget that the two releases have. */
#define DPRIV_STANDARD_MEANS_SHARE 0.06
#define DPRIV_STANDARD_SPREAD_SHARE 0.04

typedef struct LearnStandard
{
	LearnTraining *training;
	const LearnColumns *columns;
	int			nnumbers;
	int			ncategories;
	int			nlevels;
	LearnNoise	means;
	LearnNoise	spread;
	int64	   *sum;			/* of each term, while rows are read */
	double		count;			/* of rows, as released */

	/* From released sums. */
	int32	   *centre;			/* of numbers, on their range */
	int64	   *scale;			/* of numbers: 2^-20 of a coordinate for each step of the range */
	int32	   *share;			/* of levels, of ONE */
	int32	   *first_level;	/* of each category */
	int64	   *square;			/* of each level: what a row that has it adds to |U|^2 */
} LearnStandard;

/* Settle the noise of the two releases, which may cost a rho of means and of spread. */
extern DprivCost dpriv_learn_standard(LearnStandard *standard, LearnTraining *training,
									  double means, double spread);

/* Release means and spread, and put the stored rows on the common scale. */
extern void dpriv_learn_standard_rows(LearnStandard *standard);

/*
 * From weights on x to the training's weights, on the relation's values, divided by the length that
 * rows usually have: so that scores are about what they were on x.
 */
extern void dpriv_learn_standard_back(const LearnStandard *standard, double *weight);

#endif							/* DPRIV_LEARN_STANDARD_H */
