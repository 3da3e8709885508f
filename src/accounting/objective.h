/*
 * objective.h
 *	  What objective perturbation costs.
 *
 * What is released is the minimum of a sum of losses, with (lambda / 2) |theta|^2 and b theta
 * added, b normal noise with standard deviation sigma on each coordinate.  A row's loss is a
 * function of x theta alone, |x| <= 1; it falls or it rises in x theta, with a slope of at most L,
 * and is convex with a second derivative of at most beta.  Then the privacy loss of one row more or
 * less is at most
 *
 *		shift + max(0, G),  G normal with mean mu^2 / 2 and variance mu^2,
 *		shift = ln(1 + beta / lambda),  mu = L / sigma:
 *
 * docs/learning.md has the proof, which goes the way of Redberg, Koskela and Wang (2023); they have
 * |G - mu^2 / 2| + mu^2 / 2 in place of the maximum, for losses that need not be monotone.
 */
#ifndef DPRIV_ACCOUNTING_OBJECTIVE_H
#define DPRIV_ACCOUNTING_OBJECTIVE_H

/* ln(1 + beta / lambda), rounded up. */
extern double dpriv_objective_shift(double beta, double lambda);

/*
 * A delta for which it, together with Gaussian noise elsewhere that is rho-zCDP, is (epsilon,
 * delta)-DP.
 */
extern double dpriv_objective_delta(double mu, double shift, double rho, double epsilon);

/*
 * The most that mu^2 / 2 and rho may be together for (epsilon, delta), mu^2 / 2 having this share
 * of it; 0 if there is nothing that would do.
 */
extern double dpriv_objective_total(double shift, double share, double epsilon, double delta);

/* Its Renyi divergence of an order above 1, and a rho for which it is rho-zCDP. */
extern double dpriv_objective_rdp(double mu, double shift, double alpha);
extern double dpriv_objective_rho(double mu, double shift);

#endif							/* DPRIV_ACCOUNTING_OBJECTIVE_H */
