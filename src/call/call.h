/*
 * call.h
 *	  What calls of the functions that read rows have in common.
 */
#ifndef DPRIV_CALL_H
#define DPRIV_CALL_H

#include "accounting/cost.h"
#include "accounting/epsilon.h"
#include "fmgr.h"
#include "release/progress.h"
#include "utils/relcache.h"

/*
 * An error unless the function is called in FROM, with constants or parameters, those with a name
 * not NULL, and outside of a release.  argument: names of the arguments, NULL for those that may be
 * NULL.  Errors: 0A000, 22004, 22023.
 */
extern void dpriv_call_check(FunctionCallInfo fcinfo, const char *function,
							 const char *const *argument);

/* Epsilon: the argument, or dpriv.epsilon.  Error: 22023. */
extern DprivEpsilon dpriv_call_epsilon(FunctionCallInfo fcinfo, int argument, const char *function);

/* Delta, likewise; above 0. */
extern double dpriv_call_delta(FunctionCallInfo fcinfo, int argument, const char *function);

/* A table or view, locked until the end of the transaction.  Errors: 42P01, 42809. */
extern Relation dpriv_call_open(Oid relation, const char *function);

/*
 * Charge what one call costs.  Nothing private has been read yet.  False if it was only asked for
 * the cost: the answer has no rows.
 */
extern bool dpriv_call_pay(DprivCost cost, Oid relation, const char *function,
						   const char *mechanism);

/*
 * Read rows and release what is learnt of them: sealed, and seen in dpriv.progress.  Wipes random
 * bits; the time taken is a multiple of dpriv.time_quantum.
 */
extern void dpriv_call_run(DprivCommand command, void (*work) (void *arg), void *arg);

#endif							/* DPRIV_CALL_H */
