/*
 * declared.h
 *	  What is declared of the columns that a release uses.
 */
#ifndef DPRIV_DECLARED_H
#define DPRIV_DECLARED_H

#include "policy/declaration.h"
#include "release/inner.h"

/*
 * What is declared of a column of a table, or of the column of a table that a view's column is:
 * converted means its numbers, in whatever type.  All zero if nothing is declared.  Error: 55000.
 */
extern DprivDeclaration dpriv_declaration_of(Oid relation, AttrNumber column, bool converted);

/*
 * What the inner query groups by for a key of a checked query level.  If it is a column with a
 * declared domain it has these values only: rows with others are kept from it, or in the group of
 * the value that they count as.  Error: 55000 if the column cannot have these values any more.
 */
extern Expr *dpriv_group_by_domain(Expr *key, ReleaseGroupKey *group_key, Query *query,
								   Query *inner);

/*
 * Complete a measure with missing arguments: its kind, its arguments and the value that it is of.
 * Categories that are not declared are the values of a boolean or an enum.  It stays what it is if
 * nothing is known and it needs nothing.  Errors: 22023 if it does, 55000 as above.
 */
extern void dpriv_complete_measure(Split *split, ReleaseMeasure *measure, Expr **value);

#endif							/* DPRIV_DECLARED_H */
