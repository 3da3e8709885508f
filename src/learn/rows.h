/*
 * rows.h
 *	  The rows that a model is trained on: a label and features.
 */
#ifndef DPRIV_LEARN_ROWS_H
#define DPRIV_LEARN_ROWS_H

#include "call/rows.h"
#include "learn/learn.h"

/*
 * Plan the query for columns of all rows for which the filter, a text or NULL, is true: names
 * (char *), first the label, then the features.  Nothing is read.
 */
extern RowsQuery dpriv_learn_plan(Relation relation, List *names, const char *filter);

/* What is done with a row: its class, and the values of its features. */
typedef void (*LearnTakeRow) (void *context, int class, const Datum *value, const bool *isnull);

/*
 * Run it, with take for each row; those whose label is NULL or of neither class are left out.  Part
 * of work that is sealed.
 */
extern void dpriv_learn_read(const RowsQuery *query, const LearnLabel *label, LearnTakeRow take,
							 void *context);

#endif							/* DPRIV_LEARN_ROWS_H */
