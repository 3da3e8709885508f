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

typedef struct LearnTerms LearnTerms;

/*
 * Read the terms of a model, a relation with columns term and weight, as the current user.  It may
 * be a view that calls functions of anybody's: what has been looked up of other relations before is
 * not known to be so afterwards.  In the current memory context.  Errors: 42P01, 54000, 22023, and
 * those of reading the relation.
 */
extern LearnTerms *dpriv_learn_terms(Oid relation);

/*
 * Find a model's columns in a row type.  In the current memory context.  Errors: 42703 if there is
 * no column for a term, 22023.
 */
extern LearnModel *dpriv_learn_model(const LearnTerms *terms, TupleDesc rows);

/* The score of a row, above 0 for the positive class; NaN if a number is NULL or NaN. */
extern double dpriv_learn_score(const LearnModel *model, const Datum *value, const bool *isnull);

/*
 * The probability that a score says where the logistic loss had its slope cut at 1/2, see
 * docs/learning.md.
 */
extern double dpriv_learn_clipped_link(double score);

#endif							/* DPRIV_LEARN_MODEL_H */
