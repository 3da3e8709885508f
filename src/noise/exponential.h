/*
 * exponential.h
 *	  Exact choice of one of many cells, likelier the better its score.
 *
 * A cell whose score is d below the best one's passes with probability exp(-d epsilon / s), each
 * cell by itself, and one of those that passed is chosen uniformly; the best always passes.
 */
#ifndef DPRIV_EXPONENTIAL_H
#define DPRIV_EXPONENTIAL_H

/* Cells of one score.  The caller sets the first two; the rest is working space of a choice. */
typedef struct DprivRun
{
	uint128		loss;			/* how far the score is below some reference, the same for all */
	uint32		weight;			/* number of cells, >= 1 */

	uint32		alive;			/* cells that may still pass */
	uint32		before;			/* alive cells of the runs before this one */
	uint32		failed;			/* of the alive cells, those that have failed since */
	uint128		whole;			/* the exponent is whole + rest / denominator */
	uint128		rest;
} DprivRun;

/* exp(-loss num / (den divisor)): epsilon is num / den, s is divisor. */
typedef struct DprivRate
{
	uint64		num;			/* all three from 1 to DPRIV_RATE_MAX */
	uint64		den;
	uint64		divisor;
} DprivRate;

/* With it, den divisor stays below DPRIV_BERNOULLI_MAX_DEN. */
#define DPRIV_RATE_MAX (UINT64CONST(1) << 62)

/* Losses of one choice differ by less than this many divisors. */
#define DPRIV_EXPONENTIAL_MAX_LOSS ((uint128) 1 << 64)

/*
 * Choose a cell among nruns >= 1 runs.  Returns the number of its run, and in *place its place
 * there, 0 .. weight - 1.  The weights add up to less than 2^32, and losses differ by less than
 * DPRIV_EXPONENTIAL_MAX_LOSS divisors.
 *
 * The choice is epsilon-DP if a neighbour moves no score by more than s / 2, or moves all of them
 * in the same direction and none by more than s.
 *
 * The time it takes grows with the number of runs, by a word of random bits for each and for every
 * 32 of its cells, and has a random part: some dozen cells are tried on average, up to 65,536
 * cells, whatever their scores.
 */
extern int	dpriv_exponential_choose(DprivRun *run, int nruns, const DprivRate *rate,
									 uint32 *place);

#endif							/* DPRIV_EXPONENTIAL_H */
