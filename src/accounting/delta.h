/*
 * delta.h
 *	  Delta is a decimal: a whole number of units of 1e-36.
 *
 * A float8 stands for the shortest decimal that reads back as it, which is what its user wrote.  In
 * the accepted range every such decimal is a whole number of units, so sums are exact.
 */
#ifndef DPRIV_DELTA_H
#define DPRIV_DELTA_H

/*
 * Accepted range besides 0, ends included: below it delta buys nothing, above it a few percent of
 * the people may lose all privacy.
 */
#define DPRIV_DELTA_MIN 1e-18
#define DPRIV_DELTA_MAX 0.01

/* Above this, in a table of 100,000 people one may be expected to lose all privacy. */
#define DPRIV_DELTA_LARGE 1e-5

/*
 * Read value as a decimal.  False, with *units untouched, for NaN and everything but 0 and
 * DPRIV_DELTA_MIN .. DPRIV_DELTA_MAX.  Does not depend on the locale.
 */
extern bool dpriv_delta_from_double(double value, int128 *units);

/* The float8 nearest to a number of units >= 0: it prints as the decimal that was read. */
extern double dpriv_delta_to_double(int128 units);

/*
 * A budget of delta, which may be any number from 0 to 1, in units: its decimal, rounded down.
 */
extern int128 dpriv_delta_from_budget(double value);

/* More than any sum of deltas that a budget allows. */
#define DPRIV_DELTA_LARGEST ((int128) (~(uint128) 0 >> 1))

/* a + b, or DPRIV_DELTA_LARGEST where that does not fit. */
extern int128 dpriv_delta_add(int128 a, int128 b);

#endif							/* DPRIV_DELTA_H */
