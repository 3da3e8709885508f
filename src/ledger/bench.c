/*
 * bench.c
 *	  Charges without a release, to be measured: in builds for the benchmarks only.
 *
 * The shipped build does not contain a line of it.
 */
#include "postgres.h"

#ifdef DPRIV_BENCH
#include "accounting/epsilon.h"
#include "accounting/laplace.h"
#include "accounting/zcdp.h"
#include "fmgr.h"
#include "ledger/budget.h"
#include "ledger/charge.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

/* Computed once: it is no part of the charge. */
static DprivCost
pure_cost(double value)
{
	static DprivCost cost = {0};
	static double last = 0;
	DprivEpsilon epsilon;

	if (value == last)
		return cost;
	if (!dpriv_epsilon_from_double(value, &epsilon))
		elog(ERROR, "epsilon is out of range");
	last = value;
	cost.epsilon = epsilon.charge;
	cost.rho = dpriv_zcdp_pure(value);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = dpriv_rdp_pure(value, dpriv_orders[i]);
	return cost;
}

PG_FUNCTION_INFO_V1(dpriv_bench_charge);

/*
 * bench_charge(relation oid, epsilon float8) returns void: what a statement with one count is
 * charged when it starts.
 */
Datum
dpriv_bench_charge(PG_FUNCTION_ARGS)
{
	DprivCharge charge = {0};

	charge.relation = PG_GETARG_OID(0);
	charge.cost = pure_cost(PG_GETARG_FLOAT8(1));
	charge.measures = list_make1("dp_count");
	charge.mechanisms = list_make1("discrete Laplace");
	dpriv_charge(list_make1(&charge), debug_query_string, NULL);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_bench_resolve);

/*
 * bench_resolve(relation oid, times int) returns int: finds the budgets of the session's user so
 * often, and says how many there are.
 */
Datum
dpriv_bench_resolve(PG_FUNCTION_ARGS)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpriv bench",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int			found = 0;

	for (int i = 0; i < PG_GETARG_INT32(1); i++)
	{
		CHECK_FOR_INTERRUPTS();
		found = list_length(dpriv_budgets_search(GetSessionUserId(), PG_GETARG_OID(0)));
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	PG_RETURN_INT32(found);
}

#endif							/* DPRIV_BENCH */
