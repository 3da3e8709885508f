/*
 * combine.h
 *	  One private value of the results of many blocks.
 */
#ifndef DPRIV_SAMPLE_COMBINE_H
#define DPRIV_SAMPLE_COMBINE_H

#include "mechanism/measure.h"

/* How results are combined, with this call's parameters. */
typedef struct SampleCombination
{
	bool		is_mean;		/* else the median */
	double		lower;
	double		upper;
	int			blocks;
	DprivMeasure measure;		/* of the results; what is charged */
} SampleCombination;

/*
 * With all but the measure set, set the measure.  Neighbours differ in one result, by whatever
 * amount, and a release of it is private with epsilon then.
 */
extern void dpriv_sample_prepare(SampleCombination *combination, DprivEpsilon epsilon);

/* Release: results outside of the bounds are at them, NaN in the middle. */
extern double dpriv_sample_combine(const SampleCombination *combination, const double *result);

#endif							/* DPRIV_SAMPLE_COMBINE_H */
