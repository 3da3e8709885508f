/*
 * bernoulli.h
 *	  Exact coin flips: rational probabilities, and exp(-1).
 */
#ifndef DPRIV_BERNOULLI_H
#define DPRIV_BERNOULLI_H

/* Largest denominator of dpriv_bernoulli(). */
#define DPRIV_BERNOULLI_MAX ((uint128) 1 << 126)

/* True with probability num / den, exactly; 0 <= num <= den, 1 <= den <= DPRIV_BERNOULLI_MAX. */
extern bool dpriv_bernoulli(uint128 num, uint128 den);

/*
 * A count N >= 1 with P[N >= k] = 1 / k! for k >= 1, exactly.  N is even with probability exp(-1); if every
 * step up to k also takes a coin of probability x, the count is even with probability exp(-x).
 * Canonne, Kamath, Steinke (2020), algorithm 1, with its coins of probability 1/k drawn at once.
 */
extern int	dpriv_factorial_count(void);

/* True with probability exp(-1), exactly. */
extern bool dpriv_bernoulli_exp_minus_one(void);

#endif							/* DPRIV_BERNOULLI_H */
