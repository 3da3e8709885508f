/*
 * declared.h
 *	  What is declared of the columns that a release uses.
 */
#ifndef DPRIV_DECLARED_H
#define DPRIV_DECLARED_H

#include "policy/domain.h"
#include "release/inner.h"

/*
 * The domain of an expression over a checked query level, if it is a column by itself for which one
 * is declared; else false.  Error: 55000 if the column cannot have these values any more.
 */
extern bool dpriv_declared_domain(Expr *expr, Query *query, DprivDomain *domain);

/* All of its values, as an array. */
extern Const *dpriv_domain_array(const DprivDomain *domain);

/* Is the value NULL, or in the domain? */
extern Expr *dpriv_in_domain(Expr *value, const DprivDomain *domain);

/* The value, or the one that it counts as. */
extern Expr *dpriv_or_other(Expr *value, const DprivDomain *domain);

/*
 * Complete a measure with missing arguments: its kind, its arguments and the value that it is of.
 * It stays what it is if nothing is declared and it needs nothing.  Errors: 22023 if it does, 55000
 * as above.
 */
extern void dpriv_complete_measure(Split *split, ReleaseMeasure *measure, Expr **value);

#endif							/* DPRIV_DECLARED_H */
