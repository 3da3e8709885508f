/*
 * store.h
 *	  The rows that a model is trained on, as few bytes, read as often as needed.
 */
#ifndef DPRIV_LEARN_STORE_H
#define DPRIV_LEARN_STORE_H

#include "noise/poisson.h"

/* A row as it is stored: this, the numbers, the codes of the categories. */
typedef struct LearnRow
{
	uint32		positive:1;		/* its class */
	uint32		factor:31;		/* the method's */
	int32		number[FLEXIBLE_ARRAY_MEMBER];
} LearnRow;

/* Rows that are read together; test builds try others. */
#ifndef DPRIV_LEARN_CHUNK
#define DPRIV_LEARN_CHUNK 4096
#endif

typedef struct LearnStore LearnStore;

/* An empty store in the current memory context; what exceeds maintenance_work_mem goes to disk. */
extern LearnStore *dpriv_learn_store(int nnumbers, int ncategories);

/* A place for one more row, zero, to be filled at once. */
extern LearnRow *dpriv_learn_store_add(LearnStore *store);

/* No more rows. */
extern void dpriv_learn_store_finish(LearnStore *store);

/* How many bytes a row has. */
extern Size dpriv_learn_row_size(const LearnStore *store);

/* The codes of a row's categories. */
extern uint16 *dpriv_learn_row_codes(const LearnStore *store, LearnRow *row);

/*
 * Read all rows: work is called for some DPRIV_LEARN_CHUNK of them at a time, and may change them
 * if the caller says so in advance.  Can be interrupted between two calls.
 */
typedef void (*LearnWork) (void *context, char *rows, int nrows);
extern void dpriv_learn_store_scan(LearnStore *store, bool changes, LearnWork work, void *context);

/*
 * Read those rows that an exact Poisson sample takes, in no order that a caller may rely on: work
 * is called for some of them at a time, at most DPRIV_LEARN_ROWS.
 */
#define DPRIV_LEARN_ROWS 32
typedef void (*LearnRowsWork) (void *context, LearnRow **rows, int nrows);
extern void dpriv_learn_store_sample(LearnStore *store, const DprivPoisson *sample,
									 LearnRowsWork work, void *context);

extern void dpriv_learn_store_close(LearnStore *store);

#endif							/* DPRIV_LEARN_STORE_H */
