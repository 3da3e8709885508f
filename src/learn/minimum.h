/*
 * minimum.h
 *	  The minimum of a perturbed sum of losses over rows of a common scale.
 */
#ifndef DPRIV_LEARN_MINIMUM_H
#define DPRIV_LEARN_MINIMUM_H

#include "learn/standard.h"

/* How many terms a model can have: a matrix has the square of it. */
#define DPRIV_MINIMUM_MAX_TERMS 1000

/*
 * Weights on x at which the gradient of
 *
 *		sum of clipped logistic losses + lambda / 2 |weight|^2 + perturbation weight
 *
 * has at most this length, rounding errors included.  False if there were none in a fixed number of
 * attempts, with weights of no meaning.
 */
extern bool dpriv_learn_minimum(const LearnStandard *standard, const double *perturbation,
								double lambda, double tolerance, double *weight);

#endif							/* DPRIV_LEARN_MINIMUM_H */
