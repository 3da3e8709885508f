/*
 * row.h
 *	  Expressions of an inner query that are evaluated for every private row.
 */
#ifndef DPRIV_ROW_H
#define DPRIV_ROW_H

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

/*
 * Check all of them against the allow-list, with the operators that compare and sort values, and
 * replace those that could fail.  root: to simplify and inline.  query_string: the statement's
 * text, for error positions; NULL if there is none.  Errors: 0A000.
 */
extern void dpriv_guard_rows(Query *inner, PlannerInfo *root, const char *query_string);

/* The name of something in them that the allow-list does not have, or NULL. */
extern const char *dpriv_guard_find_in_rows(Query *inner, PlannerInfo *root);

#endif							/* DPRIV_ROW_H */
