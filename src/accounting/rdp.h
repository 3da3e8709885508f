/*
 * rdp.h
 *	  Renyi differential privacy: divergences of mechanisms by order, and what they convert to.
 *
 * The curve of a mechanism is its Renyi divergence for every order alpha, the worst over
 * neighbouring databases; curves add up under adaptive composition (Mironov 2017, proposition 1).
 * Orders run from 1, the limit (the Kullback-Leibler divergence), to infinity.  Results err upward
 * by at most DPRIV_ROUND_UP unless said otherwise.
 */
#ifndef DPRIV_ACCOUNTING_RDP_H
#define DPRIV_ACCOUNTING_RDP_H

/* alpha sensitivity^2 / (2 sigma^2).  Mironov (2017), proposition 7; also for discrete noise. */
extern double dpriv_rdp_gaussian(double sensitivity, double sigma, double alpha);

/*
 * Randomised response over a number of buckets: with probability noise the answer is replaced by
 * one drawn uniformly from all of them.  Neighbours: another true answer, or an answer that is
 * uniform whatever the truth (for which the worse direction counts).
 */
typedef enum DprivRdpAdjacency
{
	DPRIV_RDP_REPLACE_ONE,
	DPRIV_RDP_REPLACE_SPECIAL
} DprivRdpAdjacency;

extern double dpriv_rdp_randomized_response(double noise, int buckets, double alpha,
											DprivRdpAdjacency adjacency);

/*
 * Mechanisms of which the privacy loss has a range of epsilon, such as the exponential mechanism.
 * Tight: the worst such mechanism, which has two outcomes, in closed form.  Simple: min(eps, KL +
 * (alpha - 1) eps^2 / 8) with KL = y - ln(1 + y), y = eps / (1 - exp(-eps)) - 1.  Dong, Durfee and
 * Rogers (2020), lemma 3.4; Cesar and Rogers (2021).
 */
extern double dpriv_rdp_bounded_range(double epsilon, double alpha);
extern double dpriv_rdp_bounded_range_simple(double epsilon, double alpha);

typedef enum DprivRdpConversion
{
	DPRIV_RDP_IMPROVED,			/* rdp + ln(1 - 1 / alpha) - ln(delta alpha) / (alpha - 1) */
	DPRIV_RDP_CLASSIC			/* rdp + ln(1 / delta) / (alpha - 1) */
} DprivRdpConversion;

/*
 * An epsilon >= 0, or a delta in 0 .. 1, that divergence rdp at order alpha implies.  Improved:
 * Canonne, Kamath and Steinke (2020), proposition 12; and epsilon is 0 for a delta of at least
 * sqrt(1 - exp(-rdp)), which bounds the variation distance (Bretagnolle and Huber 1979).  Classic:
 * Mironov (2017), proposition 3.
 */
extern double dpriv_rdp_epsilon_at(double rdp, double alpha, double delta,
								   DprivRdpConversion conversion);
extern double dpriv_rdp_delta_at(double rdp, double alpha, double epsilon,
								 DprivRdpConversion conversion);

/* The least of these over n orders; infinite, or 1, for n = 0. */
extern double dpriv_rdp_epsilon(const double *orders, const double *curve, int n, double delta,
								DprivRdpConversion conversion);
extern double dpriv_rdp_delta(const double *orders, const double *curve, int n, double epsilon,
							  DprivRdpConversion conversion);

#endif							/* DPRIV_ACCOUNTING_RDP_H */
