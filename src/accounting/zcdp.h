/*
 * zcdp.h
 *	  Zero-concentrated differential privacy: one number per mechanism, sums under composition.
 *
 * A mechanism is rho-zCDP if its Renyi divergence of every order alpha > 1 is at most rho alpha
 * (Bun and Steinke 2016, definition 1.1).  Results err toward more loss: epsilon and the rho of a
 * mechanism upward, the rho that a budget allows downward, by at most DPRIV_ROUND_UP.
 */
#ifndef DPRIV_ACCOUNTING_ZCDP_H
#define DPRIV_ACCOUNTING_ZCDP_H

/*
 * sensitivity^2 / (2 sigma^2), rounded up.  Bun and Steinke (2016), proposition 1.6; the discrete
 * Gaussian has the same: Canonne, Kamath and Steinke (2020), theorem 4.
 */
extern double dpriv_zcdp_gaussian(double sensitivity, double sigma);

/*
 * The smallest rho of Laplace noise with epsilon = sensitivity / scale: its divergence over its
 * order is largest at order 1.  Continuous: eps + exp(-eps) - 1.  Discrete, with a = eps / steps:
 * eps - a / sinh(a) (1 - exp(-eps)), which for one step is eps tanh(eps / 2).
 */
extern double dpriv_zcdp_laplace(double epsilon);
extern double dpriv_zcdp_discrete_laplace(double epsilon, double steps);

/* Any epsilon-DP mechanism: eps tanh(eps / 2), attained by randomised response; below eps^2 / 2. */
extern double dpriv_zcdp_pure(double epsilon);

/*
 * Exponential mechanism, and any mechanism of which the loss has a range of epsilon: eps^2 / 8.
 * Cesar and Rogers (2021), lemma 3.4.
 */
extern double dpriv_zcdp_exponential(double epsilon);

typedef enum DprivZcdpMethod
{
	DPRIV_ZCDP_TIGHT,			/* best over all orders of the conversion in rdp.h */
	DPRIV_ZCDP_BS16				/* rho + 2 sqrt(rho ln(1 / delta)) */
} DprivZcdpMethod;

/*
 * An epsilon >= 0 for which rho-zCDP implies (epsilon, delta)-DP.  Tight: Canonne, Kamath and
 * Steinke (2020), corollary 13, minimised over the order; BS16: Bun and Steinke (2016), proposition
 * 1.3.  Infinite for delta = 0 and rho > 0.
 */
extern double dpriv_zcdp_epsilon(double rho, double delta, DprivZcdpMethod method);

/* The largest rho of which dpriv_zcdp_epsilon() is at most epsilon. */
extern double dpriv_zcdp_rho(double epsilon, double delta, DprivZcdpMethod method);

#endif							/* DPRIV_ACCOUNTING_ZCDP_H */
