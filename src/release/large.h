/*
 * large.h
 *	  Values from a statement that are too large to be used where rows are read.
 */
#ifndef DPRIV_LARGE_H
#define DPRIV_LARGE_H

#include "nodes/params.h"
#include "nodes/parsenodes.h"
#include "release/spec.h"

/*
 * In bytes; arrays may be longer than other values, since lists of identifiers are.  Of elements
 * there can be far more than bytes, if they are NULL.
 */
#define DPRIV_MAX_VALUE (8 * 1024)
#define DPRIV_MAX_ARRAY (1024 * 1024)
#define DPRIV_MAX_ELEMENTS (256 * 1024)

/* Is a value, which is not NULL, larger than that?  No more than its beginning is read. */
extern bool dpriv_is_large(Datum value, Oid type);

/* Location of a constant that the library has put in place for all rows alike. */
#define DPRIV_OWN_CONSTANT (-2)

/*
 * Refuse constants in the row expressions of an inner query that are large together.  The library's
 * own do not count, nor the second arguments of exact aggregates.  Errors: 54000.
 */
extern void dpriv_refuse_many_constants(Query *query);

/* The external parameters from 1 to highest in a query, as often as it uses them: integers. */
extern List *dpriv_parameters_of(Query *query, int highest);

/*
 * Refuse large ones among the parameters of a release on a relation that the current role must not
 * see.  Errors: 54000.
 */
extern void dpriv_refuse_large_parameters(const ReleaseSpec *spec, ParamListInfo params);

#endif							/* DPRIV_LARGE_H */
