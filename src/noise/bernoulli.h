/*
 * bernoulli.h
 *	  Exact coins: rational probabilities, and exponentials of rationals.
 *
 * No probability is ever rounded: a coin is decided by comparing as many random bits as it takes.
 */
#ifndef DPRIV_BERNOULLI_H
#define DPRIV_BERNOULLI_H

#include "noise/wide.h"

/* Largest denominator of a 128-bit coin. */
#define DPRIV_BERNOULLI_MAX_DEN ((uint128) 1 << 126)

/*
 * True with probability num / den, exactly; 0 <= num <= den, 1 <= den <= DPRIV_BERNOULLI_MAX_DEN.
 */
extern bool dpriv_bernoulli(uint128 num, uint128 den);

/*
 * A count N >= 1 with P[N >= k] = 1 / k! for every k >= 1, exactly: how many coins of probability
 * 1/1, 1/2, 1/3, ... come up before the first that does not.
 */
extern int	dpriv_bernoulli_factorial(void);

/* True with probability exp(-1), exactly. */
extern bool dpriv_bernoulli_exp_one(void);

/*
 * True with probability exp(-num / den), exactly; 0 <= num <= den, 1 <= den <=
 * DPRIV_BERNOULLI_MAX_DEN.
 */
extern bool dpriv_bernoulli_exp(uint128 num, uint128 den);

/*
 * True with probability num / den, exactly; 0 <= num <= den, 1 <= den < 2^320.
 */
extern bool dpriv_bernoulli_wide(DprivWide num, const DprivWide *den);

/* True with probability exp(-num / den), exactly; any num, 1 <= den < 2^320. */
extern bool dpriv_bernoulli_exp_wide(DprivWide num, const DprivWide *den);

#endif							/* DPRIV_BERNOULLI_H */
