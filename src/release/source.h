/*
 * source.h
 *	  What a release may read: rows that each come from one row of one source.
 */
#ifndef DPRIV_SOURCE_H
#define DPRIV_SOURCE_H

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

/*
 * Inline the SQL functions in FROM of one query level, as the planner would do later, so that what
 * they read can be seen.  root collects the functions that the plan depends on.
 */
extern void dpriv_inline_functions(Query *query, PlannerInfo *root);

/*
 * Check FROM and WHERE of a release's query level and of the views, subqueries and CTEs that they
 * are made of; CTEs are replaced by subqueries.  levels: the enclosing queries, the level itself
 * first.  Sets *empty if a WHERE is constantly false.  Errors: 0A000.
 */
extern void dpriv_check_source(Query *query, List *levels, PlannerInfo *root, bool *empty);

/*
 * The relation whose rows a checked query reads, through views and subqueries; InvalidOid if it
 * reads what a function returns, or values.
 */
extern Oid	dpriv_source_relation(Query *query);

/*
 * Check an expression that is evaluated for every private row: it may use nothing but this row,
 * constants, external parameters and functions that are not volatile.  Errors: 0A000.
 */
extern void dpriv_check_row_expression(Node *expr);

#endif							/* DPRIV_SOURCE_H */
