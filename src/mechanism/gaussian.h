/*
 * gaussian.h
 *	  Gaussian noise: all Gaussian measures of a release are one vector with one privacy loss.
 *
 * A measure's noise is drawn as integers on its grid.  Its size follows from public parameters
 * only.
 */
#ifndef DPRIV_MECHANISM_GAUSSIAN_H
#define DPRIV_MECHANISM_GAUSSIAN_H

#include "noise/gaussian.h"

typedef struct DprivMeasure DprivMeasure;

/*
 * Noise of standard deviation sigma steps: a discrete Gaussian on a step 2^shift times finer,
 * drawn exactly and rounded to whole steps.
 */
typedef struct DprivGaussianNoise
{
	double		sigma;			/* in steps */
	int			shift;
	DprivGaussian fine;
} DprivGaussianNoise;

/*
 * With epsilon, delta and sensitivities of n measures set: give Gaussian noise to those for which
 * dpriv.mechanism asks, or for which by the public error formulas it is smaller, all of them or
 * none.  The others keep discrete Laplace noise and cost no delta.  Errors: 22023 if Gaussian
 * noise is asked for without a delta, or cannot be had for so large an epsilon.
 */
extern void dpriv_gaussian_choose(DprivMeasure *measures, int n);

/*
 * How far one row moves the components of a sampler, Euclidean, in steps: not below it, also where
 * float8 has no room for its last digits.
 */
extern double dpriv_gaussian_sensitivity(const DprivMeasure *measure, int sampler);

extern int64 dpriv_gaussian_noise_draw(const DprivGaussianNoise *noise);

/* The smallest k >= 0 with P[|noise| <= k] at least confidence, or a little more; in steps. */
extern double dpriv_gaussian_noise_half_width(const DprivGaussianNoise *noise, double confidence);

#endif							/* DPRIV_MECHANISM_GAUSSIAN_H */
