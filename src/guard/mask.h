/*
 * mask.h
 *	  Catalogs and functions that tell of private rows, made to say nothing of them.
 */
#ifndef DPRIV_MASK_H
#define DPRIV_MASK_H

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

extern void dpriv_mask_init(void);

/* Is there something in this node, or in its range table if it is a query, that mask() replaces? */
extern bool dpriv_mask_concerns(Node *node);

/*
 * In all levels of a query, replace columns of catalogs and calls of functions that tell of rows by
 * what says nothing where the role that executes it must not see them.  Errors: 42501 for what
 * cannot be replaced.
 */
extern void dpriv_mask(Query *query);

/*
 * When the planner comes to a relation: an error if it is a catalog that mask() has not seen.
 * Error: 42501.
 */
extern void dpriv_mask_check(PlannerInfo *root, RelOptInfo *rel, Oid relation);

#endif							/* DPRIV_MASK_H */
