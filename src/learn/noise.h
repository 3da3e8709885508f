/*
 * noise.h
 *	  Sums of integer vectors, released with discrete Gaussian noise.
 */
#ifndef DPRIV_LEARN_NOISE_H
#define DPRIV_LEARN_NOISE_H

#include "accounting/cost.h"
#include "noise/gaussian.h"

/* Noise for a vector that one row moves by at most sensitivity, an integer Euclidean norm. */
typedef struct LearnNoise
{
	int64		sensitivity;
	DprivGaussian gaussian;
	double		rho;			/* what one release costs, not below it */
} LearnNoise;

/*
 * The least noise with which one release costs at most rho.  An error if it would be beyond what
 * can be drawn: 22023.
 */
extern LearnNoise dpriv_learn_noise(int64 sensitivity, double rho);

/* The cost of n releases with it; epsilon and delta are not set. */
extern DprivCost dpriv_learn_noise_cost(const LearnNoise *noise, int n);

/*
 * Do all releases of a training together keep epsilon and delta?  Computed from what was prepared,
 * so that a mistake before ends here.
 */
extern void dpriv_learn_check_cost(const DprivCost *cost, double epsilon, double delta);

/* Add noise to each coordinate. */
extern void dpriv_learn_release(const LearnNoise *noise, int64 *sum, int n);

#endif							/* DPRIV_LEARN_NOISE_H */
