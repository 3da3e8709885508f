/*
 * clamp.c
 *	  The grid of exact_sum and exact_moments: read and checked, once for a call if the query itself
 *	  proves that it stays the same.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "clamp.h"

/* Refuse a grid that does not say how to round and clamp.  Errors: 22023. */
static void
read_grid(DprivClamp *clamp, const DprivInt8Array *array, uint64 widest)
{
	int64		exponent;

	if (array == NULL || !dpriv_is_int8_array(array, DPRIV_GRID_ELEMENTS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid must be an array of three bigint values, none of them null"),
				 errhint("Pass ARRAY[exponent, lower, upper].")));

	exponent = array->value[DPRIV_GRID_EXPONENT];
	clamp->lower = array->value[DPRIV_GRID_LOWER];
	clamp->upper = array->value[DPRIV_GRID_UPPER];
	if (exponent < -DPRIV_GRID_MAX_EXPONENT || exponent > DPRIV_GRID_MAX_EXPONENT ||
		clamp->lower > clamp->upper)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid is out of range"),
				 errdetail("The exponent must be between %d and %d, and lower must not exceed "
						   "upper.",
						   -DPRIV_GRID_MAX_EXPONENT, DPRIV_GRID_MAX_EXPONENT),
				 errhint("Pass ARRAY[exponent, lower, upper].")));
	if ((uint64) clamp->upper - (uint64) clamp->lower > widest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid is too wide"),
				 errdetail("From lower to upper there may be at most " UINT64_FORMAT " steps.",
						   widest),
				 errhint("Choose a larger exponent.")));

	clamp->unit_step = exponent == 0;
	clamp->steps_per_unit.bits = (uint64) (1023 - exponent) << 52;
}

const DprivClamp *
dpriv_clamp_examine(FunctionCallInfo fcinfo, const char *initial_state, uint64 widest)
{
	DprivClamp *clamp = fcinfo->flinfo->fn_extra;

	if (clamp == NULL)
	{
		clamp = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(DprivClamp));
		fcinfo->flinfo->fn_extra = clamp;
	}
	read_grid(clamp, PG_ARGISNULL(2) ? NULL : (DprivInt8Array *) PG_GETARG_ARRAYTYPE_P(2),
			  widest);
	if (!clamp->examined)
		clamp->fixed = dpriv_call_is_fixed(fcinfo, 2, initial_state);
	clamp->examined = true;
	return clamp;
}
