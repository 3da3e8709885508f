/*
 * dpsgd.h
 *	  What private training costs, and six ways of accounting side by side.
 *
 * Each step adds Gaussian noise of noise_multiplier times the clipping bound to the sum of the
 * clipped gradients of a Poisson sample (Abadi et al. 2016).
 */
#ifndef DPRIV_DPSGD_H
#define DPRIV_DPSGD_H

#include "accounting/compose.h"

/*
 * An epsilon for which the given number of steps is (epsilon, delta)-DP: the Renyi divergences of
 * the steps add up and are converted at the best of all real orders.  0 <= sampling_rate <= 1,
 * noise_multiplier, steps >= 0, 0 <= delta <= 1.
 */
extern double dpriv_dpsgd_epsilon(double noise_multiplier, double sampling_rate, int64 steps,
								  double delta);

/*
 * The smallest noise_multiplier, up to a relative 1e-12, for which that is at most epsilon;
 * infinite where nothing else will do, 0 where nothing is needed.
 */
extern double dpriv_dpsgd_noise_multiplier(double epsilon, double delta, double sampling_rate,
										   int64 steps);

/*
 * The same by the distribution of the privacy loss, see pld.h; never more than by divergences.  The
 * noise multiplier is one for which epsilon is at most a relative 1e-7 smaller.  The caller passes
 * dpriv_pld_size() bytes to work in.
 */
extern double dpriv_dpsgd_epsilon_pld(double noise_multiplier, double sampling_rate, int64 steps,
									  double delta, void *work);
extern double dpriv_dpsgd_noise_multiplier_pld(double epsilon, double delta, double sampling_rate,
											   int64 steps, void *work);

/* Epsilon of the same steps of Gaussian noise without sampling, by six ways of accounting. */
typedef enum DprivAccounting
{
	/*
	 * delta / steps each, epsilons added up.  One step by Dwork and Roth (2014), theorem A.1,
	 * sqrt(2 ln(1.25 steps / delta)) sensitivity / sigma, where that is below 1 and so holds; else
	 * exactly.
	 */
	DPRIV_ACCOUNTING_SEQUENTIAL,
	/* Dwork and Roth (2014), theorem 3.20, for half of delta, the steps as above for the other. */
	DPRIV_ACCOUNTING_ADVANCED,
	DPRIV_ACCOUNTING_ZCDP,		/* dpriv_zcdp_epsilon(), tight */
	DPRIV_ACCOUNTING_RDP,		/* classic conversion, best order */
	DPRIV_ACCOUNTING_RDP_IMPROVED,	/* improved conversion: for Gaussians that of zCDP */
	DPRIV_ACCOUNTING_EXACT		/* one Gaussian of sensitivity sqrt(steps) */
} DprivAccounting;

#define DPRIV_ACCOUNTINGS 6

extern const char *dpriv_accounting_name(DprivAccounting accounting);
extern double dpriv_accounting_epsilon(DprivAccounting accounting, double sigma,
									   double sensitivity, int64 steps, double delta);

#endif							/* DPRIV_DPSGD_H */
