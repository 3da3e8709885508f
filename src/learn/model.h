/*
 * model.h
 *	  A model that was trained, applied to rows.
 */
#ifndef DPRIV_LEARN_MODEL_H
#define DPRIV_LEARN_MODEL_H

#include "access/tupdesc.h"
#include "learn/learn.h"

/* A column that a model uses, and its weights: one of a number, one for each level. */
typedef struct LearnModelColumn
{
	LearnFeature feature;
	double	   *weight;
} LearnModelColumn;

typedef struct LearnModel
{
	double		intercept;
	int			ncolumns;
	LearnModelColumn *column;
} LearnModel;

/*
 * Read a model, a relation with columns term and weight, as the current user, and find its columns
 * in a row type.  In the current memory context.  Errors: 42703 if there is no column for a term,
 * 22023, and those of reading the relation.
 */
extern LearnModel *dpriv_learn_model(Oid relation, TupleDesc rows);

/* The score of a row, above 0 for the positive class; NaN if a number is NULL or NaN. */
extern double dpriv_learn_score(const LearnModel *model, const Datum *value, const bool *isnull);

/*
 * The probability that a score says where the logistic loss had its slope cut at 1/2, see
 * docs/learning.md.
 */
extern double dpriv_learn_clipped_link(double score);

#endif							/* DPRIV_LEARN_MODEL_H */
