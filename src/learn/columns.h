/*
 * columns.h
 *	  The columns that a model is trained on.
 */
#ifndef DPRIV_LEARN_COLUMNS_H
#define DPRIV_LEARN_COLUMNS_H

#include "learn/learn.h"
#include "utils/array.h"
#include "utils/relcache.h"

/* Find the label alone; memory of *label is zero. */
extern void dpriv_learn_label(LearnLabel *label, Relation relation, const char *name,
							  Jsonb *options);

/* The labels of an enum, as texts and as values, in their order; returns their number. */
extern int	dpriv_learn_enum_labels(Oid type, char ***text, Oid **label);

/*
 * Find the label and the features, with what is public of them: bounds and values from the options,
 * labels of enums from the catalog.  Reads no rows.  Errors: 42703, 22004, 22023, 0A000, 54000.
 */
extern void dpriv_learn_columns(LearnColumns *columns, Relation relation, const char *label,
								ArrayType *features, Jsonb *options);

#endif							/* DPRIV_LEARN_COLUMNS_H */
