/*
 * aggregates.h
 *	  An expression of aggregates: what of it is evaluated for a row, and what for a block.
 */
#ifndef DPRIV_SAMPLE_AGGREGATES_H
#define DPRIV_SAMPLE_AGGREGATES_H

#include "parser/parse_node.h"

/* Where blocks have their rows: the first column is the number of the block. */
#define DPRIV_SAMPLE_BLOCK 1

typedef struct SampleExpression
{
	List	   *columns;		/* target entries: what is read of each row */
	List	   *aggregates;		/* of these columns, whose numbers begin after DPRIV_SAMPLE_BLOCK */
	Node	   *above;			/* a float8, of columns that stand for the aggregates */
} SampleExpression;

/*
 * Read a text as an expression of aggregates over the relation that pstate knows; source is its
 * name.  Errors: 0A000, 22023, 42601, 42803, 42804.
 */
extern SampleExpression dpriv_sample_expression(ParseState *pstate, const char *source,
												const char *text, const char *function);

/*
 * What a block results in, a float8.  For every list of rows there is a value, maybe NULL, that
 * depends on these rows alone and not on their order, provided that the columns have been through
 * dpriv_sample_normalise().  relation: whose rows these are.  Error: 0A000.
 */
extern Node *dpriv_sample_value(const SampleExpression *expression, Oid relation);

/*
 * Bound a value of one of the types that columns have, so that no aggregate of it overflows, and
 * give equal values one form.  False: it counts as NULL.
 */
extern bool dpriv_sample_normalise(Datum *value, Oid type);

#endif							/* DPRIV_SAMPLE_AGGREGATES_H */
