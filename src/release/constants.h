/*
 * constants.h
 *	  A plan whose aggregates read a release's parameters as constants.
 */
#ifndef DPRIV_CONSTANTS_H
#define DPRIV_CONSTANTS_H

#include "nodes/params.h"
#include "nodes/plannodes.h"

/*
 * A copy of a plan to be executed with these parameters, in which the arguments of aggregates have
 * constants instead of the external parameters above the given number.  Large values and other
 * places keep the parameter: the copy must be executed with the same list.  The plan itself if
 * there are no such parameters.
 */
extern PlannedStmt *dpriv_plan_with_constants(PlannedStmt *stmt, ParamListInfo params, int above);

#endif							/* DPRIV_CONSTANTS_H */
