/*
 * sampled_gaussian.h
 *	  Gaussian noise on a random sample of the rows: one step of private training.
 *
 * Each row is in the sample with probability sampling_rate, independently (Poisson sampling); the
 * noise has noise_multiplier times the sensitivity as its standard deviation; neighbours differ in
 * one row that is there or not.
 */
#ifndef DPRIV_SAMPLED_GAUSSIAN_H
#define DPRIV_SAMPLED_GAUSSIAN_H

/*
 * Renyi divergence of order alpha, 1 <= alpha <= infinity, of one step:
 *
 *		ln E[(1 - q + q exp((2 x - 1) / (2 sigma^2)))^alpha] / (alpha - 1),  x normal with sigma.
 *
 * Mironov, Talwar and Zhang (2019), theorems 4 and 5: this direction is the worse one.  The error
 * of the integration is bounded and added: never below the truth, and at most a relative 2e-10
 * above, unless noise_multiplier is less than about 0.002: then bounds stand in that need no
 * integral, for orders up to 1,000,000 the chord between whole orders.  At orders near 2 sigma^2
 * ln(1 / q) and beyond, the moment is a small difference of numbers of the size of alpha^2 /
 * sigma^2, and what rounding can have taken from it is added too.
 */
extern double dpriv_rdp_sampled_gaussian(double sampling_rate, double noise_multiplier,
										 double alpha);

#endif							/* DPRIV_SAMPLED_GAUSSIAN_H */
