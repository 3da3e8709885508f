/*
 * call.c
 *	  What a transition function may know about the aggregate that calls it.
 *
 * Checking every argument for every row costs more than the work itself.  Here is the one place
 * that says when the checks may be left out: when the executor's state and the query's own tree
 * prove them, never from how the arguments happen to lie in memory.
 */
#include "postgres.h"

#include "executor/nodeAgg.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
#include "utils/fmgroids.h"

#include "exact.h"

/*
 * Is this the call of a transition function that keeps an int8[] from this initial value, or none?
 *
 * What the executor has is asked, and not the catalog: whoever owns the aggregate may have replaced
 * it since, also from a function that the same query calls.
 */
static bool
keeps_state(FunctionCallInfo fcinfo, const char *initial_state)
{
	AggStatePerTrans transition = castNode(AggState, fcinfo->context)->curpertrans;

	if (transition == NULL || transition->transfn_fcinfo != fcinfo ||
		transition->aggtranstype != INT8ARRAYOID)
		return false;
	if (transition->initValueIsNull || initial_state == NULL)
		return transition->initValueIsNull && initial_state == NULL;
	return strcmp(OidOutputFunctionCall(F_ARRAY_OUT, transition->initValue), initial_state) == 0;
}

/*
 * May checks of the state (argument 0) and of argument argno be made once for this FmgrInfo?
 *
 * True only if both hold for every call that is to come:
 * - Every state was made by the function itself or is the given initial value (NULL: none).  The
 *	 executor says so: another aggregate, made by anybody, may have any initial value, and a
 *	 distributed engine or a window calls with states of its own.
 * - The argument has one value.  It is a constant, or a parameter from outside the statement, whose
 *	 value does not change while a plan executes; an FmgrInfo lives no longer than the execution.
 *
 * Costs more than a check, so keep the answer in fn_extra.
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

	return keeps_state(fcinfo, initial_state);
}
