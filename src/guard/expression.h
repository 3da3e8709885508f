/*
 * expression.h
 *	  What may be computed on a private row.
 */
#ifndef DPRIV_EXPRESSION_H
#define DPRIV_EXPRESSION_H

#include "nodes/nodes.h"

/*
 * Check an expression that is evaluated for every private row against the allow-list, and return a
 * copy in which every form that could raise an error is replaced by one that yields NULL.
 * query_string: for error positions, NULL if the expression does not come from this text.  Errors:
 * 0A000.
 */
extern Node *dpriv_guard_expression(Node *expr, const char *query_string);

/* The same question without an error: NULL, or what is not allowed. */
extern const char *dpriv_guard_find(Node *expr);

/* May this operator compare private values? */
extern bool dpriv_guard_operator(Oid operator);

#endif							/* DPRIV_EXPRESSION_H */
