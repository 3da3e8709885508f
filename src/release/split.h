/*
 * split.h
 *	  Take a statement apart: what reads private rows, and what only sees released values.
 */
#ifndef DPRIV_SPLIT_H
#define DPRIV_SPLIT_H

#include "nodes/params.h"
#include "nodes/pathnodes.h"
#include "release/spec.h"

/* Plans an inner query. */
typedef PlannedStmt *(*PlanInnerQuery) (Query *inner, void *context);

/*
 * Could the statement hold a release?  Cheap, and never false for one that does.
 */
extern bool dpriv_may_release(Query *query);

/*
 * Rewrite the statement in place: every query level with private aggregates becomes an outer query
 * over a placeholder, whose argument is the release's number in the returned list of ReleaseSpec.
 * Functions that were inlined on the way are recorded in glob.  Errors: 0A000 for what a release
 * cannot be, 22023 and 42501 for arguments.
 */
extern List *dpriv_split(Query *query, ParamListInfo bound_params, PlannerGlobal *glob,
						 PlanInnerQuery plan_inner, void *context);

/* Number of the release that a range table entry stands for, or -1. */
extern int	dpriv_placeholder_number(RangeTblEntry *rte);

#endif							/* DPRIV_SPLIT_H */
