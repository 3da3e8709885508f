/*
 * call.c
 *	  What a transition function may know about the aggregate that calls it.
 *
 * Checking every argument for every row costs more than the work itself.  Here is the one place
 * that says when the checks may be left out: when the catalog and the query's own tree prove them,
 * never from how the arguments happen to lie in memory.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "exact.h"

/* Does this aggregate keep an int8[] from this initial value, or none, with this function? */
static bool
aggregate_is(Oid aggregate, Oid transition, const char *initial_state)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Form_pg_aggregate form;
	Datum		initial;
	bool		no_initial;
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	result = form->aggtransfn == transition && form->aggtranstype == INT8ARRAYOID;

	initial = SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, &no_initial);
	if (no_initial || initial_state == NULL)
		result = result && no_initial && initial_state == NULL;
	else
		result = result && strcmp(TextDatumGetCString(initial), initial_state) == 0;

	ReleaseSysCache(tuple);
	return result;
}

/*
 * May checks of the state (argument 0) and of argument argno be made once for this FmgrInfo?
 *
 * True only if both hold for every call that is to come:
 * - Every state was made by the function itself or is the given initial value (NULL: none).  The
 *	 aggregate's catalog entry says so: another aggregate, made by anybody, may have any initial
 *	 value, and a distributed engine or a window calls with states of its own.
 * - The argument has one value.  It is a constant, or a parameter from outside the statement, whose
 *	 value does not change while a plan executes; an FmgrInfo lives no longer than the execution.
 *
 * Costs a catalog look-up, so keep the answer in fn_extra.
 */
bool
dpriv_call_is_fixed(FunctionCallInfo fcinfo, int argno, const char *initial_state)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);
	Node	   *argument;

	if (aggref == NULL || aggref->aggtranstype != INT8ARRAYOID ||
		list_length(aggref->args) < argno)
		return false;

	argument = (Node *) castNode(TargetEntry, list_nth(aggref->args, argno - 1))->expr;
	while (argument != NULL && IsA(argument, RelabelType))
		argument = (Node *) ((RelabelType *) argument)->arg;
	if (argument == NULL)
		return false;
	if (!IsA(argument, Const) &&
		!(IsA(argument, Param) && ((Param *) argument)->paramkind == PARAM_EXTERN))
		return false;

	return aggregate_is(aggref->aggfnoid, fcinfo->flinfo->fn_oid, initial_state);
}
