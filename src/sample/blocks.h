/*
 * blocks.h
 *	  Rows divided among blocks at random, and what each block results in.
 */
#ifndef DPRIV_SAMPLE_BLOCKS_H
#define DPRIV_SAMPLE_BLOCKS_H

#include "call/rows.h"
#include "sample/aggregates.h"

#define DPRIV_SAMPLE_MAX_BLOCKS 65536

typedef struct SampleBlocks SampleBlocks;

/*
 * n empty blocks, and what evaluates the expression for each; what exceeds maintenance_work_mem
 * goes to disk.  relation: whose rows they are for.  Nothing is read.
 */
extern SampleBlocks *dpriv_sample_blocks(const SampleExpression *expression, int n, Oid relation);

/* Put each row of the query, which reads the columns of the expression, into one block. */
extern void dpriv_sample_fill(SampleBlocks *blocks, const RowsQuery *rows);

/*
 * The results of all n blocks; NaN for a block that has none, or no rows.  One row moves one
 * result, whatever the rows in other blocks are.  Ends the use of the blocks.
 */
extern double *dpriv_sample_results(SampleBlocks *blocks);

#endif							/* DPRIV_SAMPLE_BLOCKS_H */
