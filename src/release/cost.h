/*
 * cost.h
 *	  What a statement would be charged, by functions that charge for themselves.
 */
#ifndef DPRIV_RELEASE_COST_H
#define DPRIV_RELEASE_COST_H

#include "accounting/cost.h"
#include "fmgr.h"

/*
 * Functions in FROM that are charged for by themselves, for dpriv.cost(): it calls them, and they
 * call dpriv_cost_asked() before they charge.
 */
extern void dpriv_cost_register(PGFunction function);

/*
 * Is this a call that only asks for the cost?  Then the cost has been noted; nothing may be charged
 * or read, and the answer has no rows.
 */
extern bool dpriv_cost_asked(DprivCost cost, Oid relation, const char *measure,
							 const char *mechanism);

#endif							/* DPRIV_RELEASE_COST_H */
