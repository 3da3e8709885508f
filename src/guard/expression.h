/*
 * expression.h
 *	  Expressions that a restricted role may have evaluated for every private row.
 */
#ifndef DPRIV_EXPRESSION_H
#define DPRIV_EXPRESSION_H

#include "nodes/nodes.h"

/*
 * Check an expression that is evaluated for every private row, and return a copy in which every
 * form that could raise an error is replaced by one that yields NULL.  Also takes lists of
 * expressions and of target entries.
 *
 * It must have been through eval_const_expressions(): SQL functions inlined, named and default
 * arguments in their places, constants folded; what is left of them is refused.  Nothing is
 * evaluated here.  relation: the protected one whose rows these are.  query_string: the text that
 * locations refer to, for error positions; NULL if there is none.  Errors: 0A000, which name the
 * construct and the way out.
 */
extern Node *dpriv_guard_expression(Node *expr, Oid relation, const char *query_string);

/*
 * The same question about an expression as the parser left it, without an error: NULL if all of it
 * is allowed, else a palloc'd short name of the first construct that is not.
 */
extern const char *dpriv_guard_find(Node *expr, Oid relation);

/* May this operator, the eqop or sortop of a SortGroupClause, compare private values? */
extern bool dpriv_guard_operator(Oid operator);

#endif							/* DPRIV_EXPRESSION_H */
