/*
 * epsilon.h
 *	  Epsilon is a decimal: a whole number of units of 1e-12.
 *
 * A float8 stands for the shortest decimal that reads back as it, which is what its user wrote.
 * The same integer drives the sampler and the ledger, so ten charges of 0.1 are exactly 1.
 */
#ifndef DPRIV_EPSILON_H
#define DPRIV_EPSILON_H

/* Units in an epsilon of 1. */
#define DPRIV_EPSILON_UNIT_PER_ONE INT64CONST(1000000000000)

/* Accepted range, ends included: what is below gives no usable answer, what is above no privacy. */
#define DPRIV_EPSILON_MIN 1e-6
#define DPRIV_EPSILON_MAX 1e3

/*
 * Both in units of 1e-12.  They differ, by one unit, only if the decimal is finer than a unit.
 */
typedef struct DprivEpsilon
{
	int64		noise;			/* rounded down: for the sampler */
	int64		charge;			/* rounded up: for the ledger */
} DprivEpsilon;

/*
 * Read value as a decimal.  False, with *epsilon untouched, for NaN, infinities and everything
 * outside of DPRIV_EPSILON_MIN .. DPRIV_EPSILON_MAX.  Does not depend on the locale.
 */
extern bool dpriv_epsilon_from_double(double value, DprivEpsilon *epsilon);

/*
 * The float8 nearest to a number of units; up to 2^53 units (an epsilon of 9,007) it prints as that
 * decimal.
 */
extern double dpriv_epsilon_to_double(int64 units);

/*
 * A budget of epsilon, which may be any number from 0 to 1e6, in units: its decimal, rounded down.
 */
extern int64 dpriv_epsilon_from_budget(double value);

#endif							/* DPRIV_EPSILON_H */
