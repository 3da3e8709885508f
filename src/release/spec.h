/*
 * spec.h
 *	  What a release computes, as it travels from the split to the Release node.
 *
 * A ReleaseSpec is made while planning and packed into the plan node as plain lists, which
 * PostgreSQL can copy; the node unpacks it.  No other file knows the packed form.
 */
#ifndef DPRIV_SPEC_H
#define DPRIV_SPEC_H

#include "nodes/pg_list.h"
#include "nodes/plannodes.h"
#include "nodes/primnodes.h"

/* One group key. */
typedef struct ReleaseGroupKey
{
	Oid			type;
	int32		typmod;
	Oid			collation;
	Oid			less;			/* operator that orders released groups */
	bool		public;			/* every value is known from the type, or declared */
	Const	   *values;			/* the declared ones, as an array; NULL: those of the type */
	char	   *name;			/* for messages: a name, never a value */
} ReleaseGroupKey;

/* One noisy value per group. */
typedef struct ReleaseMeasure
{
	int			called;			/* index in dpriv_measures of what was called */
	int			kind;			/* of what computes it: the same, or its complete kind if what is
								 * missing was declared */
	bool		integral;		/* the value is an integer column */
	bool		counts_rows;	/* its exact result is the number of rows of a group */
	Aggref	   *aggref;			/* as written, in terms of the inner query's range table */
	Expr	   *epsilon;		/* constant or external parameter; NULL: dpriv.epsilon */
	Expr	   *delta;			/* the same; NULL: dpriv.delta */
	List	   *arguments;		/* public ones after the value: constants, external parameters */
	Oid			labels_of;		/* type whose values are its categories, as of when it is executed;
								 * InvalidOid: they are among the arguments */
	int			exact_column;	/* column of the inner query with the exact result, from 1 */
	int			parameter;		/* external parameter that the inner query reads its grid, edges or
								 * categories from; 0 if it needs none */
	Oid			parameter_type;
} ReleaseMeasure;

typedef enum ReleaseColumnKind
{
	RELEASE_KEY,				/* group key "index" */
	RELEASE_VALUE,				/* answer of measure "index" */
	RELEASE_ERROR,				/* half-width of measure "index" */
} ReleaseColumnKind;

/* One column of the rows that the outer query sees. */
typedef struct ReleaseColumn
{
	ReleaseColumnKind kind;
	int			index;			/* from 0 */
	Expr	   *confidence;		/* of a RELEASE_ERROR; NULL: the default */
	Oid			type;
	int32		typmod;
	Oid			collation;
} ReleaseColumn;

typedef struct ReleaseSpec
{
	PlannedStmt *inner;			/* group keys first, then one column per measure, then perhaps the
								 * number of rows */
	int			source;			/* what FROM names: index in the inner range table */
	Oid			relation;		/* whose rows are read; InvalidOid if no relation is named */
	int			nparameters;	/* external parameters below this number are the statement's own */
	bool		empty;			/* never reads: answers as on an empty table, at no charge */
	bool		selected;		/* not all keys are public: groups are chosen, at a cost in delta */
	int			rows_column;	/* column of the inner query with the number of rows; 0 if there is
								 * none and it is not needed */
	List	   *row_parameters; /* of integers: the statement's external parameters in expressions
								 * that are evaluated for rows */
	List	   *keys;			/* of ReleaseGroupKey */
	List	   *measures;		/* of ReleaseMeasure */
	List	   *columns;		/* of ReleaseColumn */
} ReleaseSpec;

extern List *dpriv_spec_pack(const ReleaseSpec *spec);
extern ReleaseSpec *dpriv_spec_unpack(List *packed);

#endif							/* DPRIV_SPEC_H */
