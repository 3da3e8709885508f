/*
 * unit.h
 *	  What the unit programs share: the process, the number of draws, one test of goodness of fit.
 */
#ifndef UNIT_H
#define UNIT_H

/* To be called first in main() and in a forked child, as the server does when a process starts. */
extern void unit_start(void);

/*
 * Draws per statistical test: 1,000,000, or DPRIV_UNIT_DRAWS from the environment.  Slow tools use
 * fewer; far below 100,000 some tests fail for want of draws.
 */
extern int64 unit_draws(void);

/* Draws of a wrong sampler, at least: enough to find every fault the tests plant. */
#define UNIT_MUTANT_DRAWS 100000

/*
 * Upper bound on the probability that a correct sampler fails one chi-square test.  The statistic
 * is compared with the bound of Laurent and Massart (2000), lemma 1: P[chi2 >= d + 2 sqrt(d x) + 2
 * x] <= exp(-x) for d degrees of freedom.  Cells are merged until each expects UNIT_MIN_EXPECTED
 * draws, so that the limit law holds far out; the hundredfold distance to 1e-9 is for what is left.
 */
#define UNIT_FALSE_ALARM 1e-11
#define UNIT_MIN_EXPECTED 2000.0

/*
 * Does a sample fit?  observed[i] of the draws fell into cell i, which has the given probability;
 * neighbouring cells are merged as said above, and the probabilities sum to 1.  Prints the
 * statistic, its limit and the false-alarm probability.  Both the tests of samplers and the tests
 * that wrong samplers are found use this, so what cannot be tested ends the program: it is neither.
 */
extern bool unit_fits(const char *label, const int64 *observed, const double *probability,
					  int cells);

/* The cell among edges[0 .. n-2], ascending, that x is in: the number of edges <= x. */
extern int	unit_cell(int64 x, const int64 *edges, int n);

/*
 * In place of random bits, dpriv_random_u64() as called from other files returns these n words, in
 * order; the words must live until they are used.  To ask for more than n of them ends the program.
 * NULL: random again.
 */
extern void unit_script(const uint64 *words, int n);

/* How many of the words were used. */
extern int	unit_script_used(void);

/* Makes pg_strong_random() fail from now on, or work again. */
extern void unit_break_source(bool broken);

/*
 * The next call of pg_strong_random() fills the buffer so that these n words are handed out first,
 * in order, and after them zeros.
 */
extern void unit_script_source(const uint64 *words, int n);

/* How often pg_strong_random() was called. */
extern int	unit_source_calls(void);

#endif							/* UNIT_H */
