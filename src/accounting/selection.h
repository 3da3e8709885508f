/*
 * selection.h
 *	  Which groups may be published: rules that a group of one unit passes with probability delta.
 *
 * A unit may be in up to `groups` groups; each of them is then decided with epsilon / groups and 1
 * - (1 - delta)^(1 / groups).  Rounded so that no group appears with more than its delta.
 */
#ifndef DPRIV_SELECTION_H
#define DPRIV_SELECTION_H

/*
 * Publish a group if its count with discrete Laplace noise, t = exp(-epsilon), is at least this:
 * the smallest integer m >= 1 with t^(m - 1) / (1 + t) <= delta, the probability that a group of
 * one passes.  Infinite for epsilon or delta 0.
 */
extern double dpriv_selection_threshold(double epsilon, double delta, int groups);

/*
 * The same for continuous Laplace noise, as in textbooks: 1 - ln(2 delta) / epsilon, and for delta
 * above 1/2 1 + ln(2 (1 - delta)) / epsilon.  Rounded up.
 */
extern double dpriv_selection_threshold_continuous(double epsilon, double delta, int groups);

/* Probability that a group of n units passes that; 0 for n = 0. */
extern double dpriv_selection_probability_continuous(double n, double epsilon, double delta,
													 int groups);

/*
 * Probability with which a group of n units is published by truncated geometric selection, the
 * largest that (epsilon, delta)-DP allows for every n at once: p(0) = 0 and p(n) = min(exp(eps)
 * p(n - 1) + delta, 1 - exp(-eps) (1 - p(n - 1) - delta), 1).  Desfontaines, Voss, Gipson and
 * Mandayam (2022), theorem 1.
 */
extern double dpriv_selection_probability(double n, double epsilon, double delta, int groups);

/*
 * The same rule, but for less than delta at one n, as noise and a threshold, which can be drawn
 * exactly: publish a group of n units if
 * n + X > K, where K is *limit - 1 with probability *weight and *limit else, and X is discrete
 * Laplace noise, t = exp(-epsilon / groups), given that |X| <= K.  A group of more than 2 *limit
 * units always passes.  *weight is rounded down, so that a group of one passes with a probability
 * of at most delta and at least (1 - 1e-12) delta.
 *
 * For epsilon / groups up to DPRIV_SELECTION_MAX_EPSILON: beyond it nothing changes, and that
 * epsilon can be used.  delta at most 0.01; both positive.
 */
#define DPRIV_SELECTION_MAX_EPSILON 64.0
extern void dpriv_selection_truncation(double epsilon, double delta, int groups, double *limit,
									   double *weight);

#endif							/* DPRIV_SELECTION_H */
