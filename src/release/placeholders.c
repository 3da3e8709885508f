/*
 * placeholders.c
 *	  What the private aggregates do when no release replaced them: refuse.
 *
 * They exist in the catalog so that SQL with them parses.  Executed as ordinary aggregates, because
 * the library was not loaded when the query was planned, as window functions, or on another node,
 * they must not answer, not even NULL on empty input: hence both the transition and the final
 * function raise.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/primnodes.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(dpriv_outside_release);

Datum
dpriv_outside_release(PG_FUNCTION_ARGS)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);
	char	   *name = aggref ? get_func_name(aggref->aggfnoid) : NULL;

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s was called outside a private release", name ? name : "a private aggregate"),
			 errdetail("The library was not loaded when the query was planned, or the call stands "
					   "where no release is possible, for example in a window."),
			 errhint("Add dpriv to shared_preload_libraries, or LOAD 'dpriv' in a trusted session, "
					 "and run the query again.")));
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(dpriv_error_outside_release);

Datum
dpriv_error_outside_release(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("dp_error was called outside a private release"),
			 errdetail("It takes a private aggregate of the same query, not a value."),
			 errhint("Write the aggregate itself: dp_error(dp_count(*)). If you did, add dpriv to "
					 "shared_preload_libraries, or LOAD 'dpriv' in a trusted session.")));
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(dpriv_release_placeholder);

Datum
dpriv_release_placeholder(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("function dpriv.release cannot be called"),
			 errhint("Use the private aggregates, for example dp_count(*).")));
	PG_RETURN_NULL();
}
