/*
 * poisson.h
 *	  Exact Poisson samples: which of some rows take part.
 */
#ifndef DPRIV_POISSON_H
#define DPRIV_POISSON_H

/* Rows that are decided about together. */
#define DPRIV_POISSON_ROWS 4096
#define DPRIV_POISSON_WORDS (DPRIV_POISSON_ROWS / 64)

/* A probability is a whole number of 2^-32. */
#define DPRIV_POISSON_BITS 32

/* Entries of a table of how many rows are in a sample. */
#define DPRIV_POISSON_COUNTS 256

typedef struct DprivPoisson
{
	uint64		rate;			/* in 2^-32 */
	int			ncounts;		/* entries of the table; 0: there is none */
	uint64		up_to[DPRIV_POISSON_COUNTS]; /* 2^64 P[count <= k], rounded down */
} DprivPoisson;

/* Each row with probability rate / 2^32, 1 <= rate <= 2^32.  Takes some 10 ms. */
extern void dpriv_poisson_init(DprivPoisson *sample, uint64 rate);

/* Set the bits of those that take part, each independently of the others, and of no others. */
extern void dpriv_poisson_draw(const DprivPoisson *sample, uint64 rows[DPRIV_POISSON_WORDS]);

#endif							/* DPRIV_POISSON_H */
