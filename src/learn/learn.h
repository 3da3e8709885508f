/*
 * learn.h
 *	  Private training: what a model is trained on, and what a method is.
 */
#ifndef DPRIV_LEARN_H
#define DPRIV_LEARN_H

#include "access/attnum.h"
#include "accounting/epsilon.h"
#include "fmgr.h"
#include "learn/noise.h"
#include "learn/store.h"
#include "utils/jsonb.h"

/* Limits: what a row may be made of, and how many coordinates a gradient may have. */
#define DPRIV_LEARN_MAX_FEATURES 256
#define DPRIV_LEARN_MAX_TERMS 4096

/*
 * A numeric value becomes a whole number from 0, the lower bound, to DPRIV_LEARN_RANGE, the upper
 * one.  NULL and NaN become the middle.
 */
#define DPRIV_LEARN_RANGE (1 << 20)

/*
 * A column that rows are told apart by.  Numbers and levels are coordinates of a row's vector:
 * first all numbers, in the order of the features, then all levels.
 */
typedef struct LearnFeature
{
	char	   *name;
	AttrNumber	column;
	Oid			type;			/* no domain */
	bool		is_category;
	int			place;			/* among the numbers, or among the categories */
	double		lower;			/* numbers only */
	double		upper;
	int			nlevels;		/* categories only: the values, and one for all else and NULL */
	char	  **level;			/* nlevels - 1 values as texts */
	int		   *length;			/* of each of them */
	Oid		   *label;			/* the same as labels of an enum; NULL if it is none */
	int		   *sorted;			/* their numbers, by length and bytes of the text */
	int			first_level;	/* number of the first level among all levels */
} LearnFeature;

/* The column that is predicted. */
typedef struct LearnLabel
{
	char	   *name;
	AttrNumber	column;
	Oid			type;			/* no domain */
	char	   *positive;		/* the value of the positive class as a text; NULL: true, or 1 */
	int			length;			/* of that text, if the column has texts */
	double		number;			/* the same as a number, if the column has numbers */
	Oid			label;			/* the same as a label of an enum */
} LearnLabel;

/* What is read of a relation. */
typedef struct LearnColumns
{
	LearnLabel	label;
	int			nfeatures;
	LearnFeature *feature;
	int			nnumbers;
	int			ncategories;
	int			nlevels;		/* of all categories together */
} LearnColumns;

/* Numbers, levels, and the constant, which comes last. */
static inline int
dpriv_learn_nterms(const LearnColumns *columns)
{
	return columns->nnumbers + columns->nlevels + 1;
}

struct LearnMethod;

/* One training, with the parameters of this call. */
typedef struct LearnTraining
{
	const struct LearnMethod *method;
	LearnColumns columns;
	DprivEpsilon epsilon;
	double		delta;
	void	   *state;			/* the method's */
	LearnStore *store;
	double	   *weight;			/* of each term, on values as the relation has them */
} LearnTraining;

/* A way to train.  Everything that costs is settled before a row is read. */
typedef struct LearnMethod
{
	const char *name;
	const char *mechanism;		/* for the ledger */
	const char *const *options; /* names of those that it takes, NULL at the end */

	/* From epsilon, delta, columns and options to all noise, and what it costs. */
	DprivCost	(*prepare) (LearnTraining *training, Jsonb *options);

	/* Read the stored rows, release, and set the weights. */
	void		(*train) (LearnTraining *training);

	/* Privacy depends on floating point: not for restricted roles. */
	bool		is_inexact;
} LearnMethod;

extern const LearnMethod dpriv_learn_gd;
extern const LearnMethod dpriv_learn_course;
extern const LearnMethod dpriv_learn_sgd;
extern const LearnMethod dpriv_learn_objective;

/* The functions, so that dpriv.cost() can ask them. */
extern PGDLLEXPORT Datum dpriv_logreg_train(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum dpriv_logreg_evaluate(PG_FUNCTION_ARGS);

extern void dpriv_learn_functions_init(void);

#endif							/* DPRIV_LEARN_H */
