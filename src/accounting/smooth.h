/*
 * smooth.h
 *	  Discrete Laplace noise whose scale depends on rows: how smoothly it may.
 */
#ifndef DPRIV_SMOOTH_H
#define DPRIV_SMOOTH_H

/* Least scale, in steps, that the bound below holds for. */
#define DPRIV_SMOOTH_LEAST_SCALE 4096

/*
 * The largest beta, rounded down, with which this is (epsilon, delta)-DP: let S be a function with
 * S(x) <= e^beta S(x') for all neighbours, let f be integer and move between them by no more than
 * S, and release f with discrete Laplace noise of scale S / alpha.  S / alpha is at least
 * DPRIV_SMOOTH_LEAST_SCALE steps, and alpha at most epsilon / 2.
 */
extern double dpriv_smooth_beta(double epsilon, double delta, double alpha);

/* A bound on the delta of the same with this beta, at most epsilon / 2. */
extern double dpriv_smooth_delta(double epsilon, double alpha, double beta);

#endif							/* DPRIV_SMOOTH_H */
