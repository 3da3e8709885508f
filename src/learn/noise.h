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
	double		rho;			/* not below what one release costs */
} LearnNoise;

/*
 * Noise with which one release costs at most rho: sigma is above the least such one by a part in a
 * million at most, or as little as makes its square whole.  What is charged for it is rounded up,
 * and may be above rho by a part in 10^12.  An error if it is beyond what can be drawn: 22023.
 */
extern LearnNoise dpriv_learn_noise(int64 sensitivity, double rho);

/* The same without an error, for when rows have been read; false: the noise is undefined. */
extern bool dpriv_learn_noise_try(LearnNoise *noise, int64 sensitivity, double rho);

/* The cost of n releases with it; epsilon and delta are not set. */
extern DprivCost dpriv_learn_noise_cost(const LearnNoise *noise, int n);

/*
 * Do all releases of a training together keep epsilon and delta?  Computed from what was prepared,
 * so that a mistake before ends here.
 */
extern void dpriv_learn_check_cost(const DprivCost *cost, double epsilon, double delta);

/* Of a budget that is shared out: the rest is for what is rounded up on the way to the charge. */
#define DPRIV_LEARN_ROUNDING (1.0 - 1e-9)

/* Add noise to each coordinate. */
extern void dpriv_learn_release(const LearnNoise *noise, int64 *sum, int n);

/*
 * What noise on n coordinates is from continuous noise that is rounded: the variation distance, and
 * what divergences of an order from 1 differ by, apart from a probability below that distance.
 */
extern double dpriv_learn_rounding_distance(const LearnNoise *noise, double n);
extern double dpriv_learn_rounding_divergence(const LearnNoise *noise, double n, double alpha);

#endif							/* DPRIV_LEARN_NOISE_H */
