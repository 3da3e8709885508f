/*
 * moments.c
 *	  exact_moments: number, sum and sum of squares of clipped values on a power-of-two grid.
 *
 * Every value becomes an integer u in 0 .. upper - lower, its distance from the lower bound of the
 * clamp, by itself.  Both sums are 128-bit integers, so they are the same for every order of the
 * rows.  No value raises an error.
 */
#include "postgres.h"

#include "nodes/execnodes.h"

#include "clamp.h"

/*
 * The state: int8[5], made from the initial value '{0,0,0,0,0}' and updated in place.
 *
 * Two 128-bit integers in halves, sum of u and sum of u^2, and the number of rows that were added.
 * With u at most 2^31 and fewer than 2^63 rows, neither overflows.  sum <= count 2^31, and
 * square <= sum 2^31.
 */
typedef DprivInt8Array MomentsState;

#define MOMENTS_INITIAL_STATE	"{0,0,0,0,0}"

PG_FUNCTION_INFO_V1(dpriv_exact_moments_float8);
PG_FUNCTION_INFO_V1(dpriv_exact_moments_int4);
PG_FUNCTION_INFO_V1(dpriv_exact_moments_int8);
PG_FUNCTION_INFO_V1(dpriv_exact_moments_combine);

/*
 * For states that this file made from its own initial value; another aggregate's may hold any five
 * numbers.
 */
static inline void
check_moments_state(const MomentsState *state)
{
#ifdef USE_ASSERT_CHECKING
	uint128		sum = dpriv_join_halves(&state->value[DPRIV_MOMENTS_SUM]);
	uint128		square = dpriv_join_halves(&state->value[DPRIV_MOMENTS_SQUARE]);

	Assert(state->value[DPRIV_MOMENTS_COUNT] >= 0);
	Assert(sum <= (uint128) state->value[DPRIV_MOMENTS_COUNT] * DPRIV_MOMENTS_MAX_RANGE);
	Assert(sum <= square && square <= sum * DPRIV_MOMENTS_MAX_RANGE);
#endif
}

/* The message for a state that no aggregate of ours has made. */
static pg_noinline void
refuse_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid transition state for exact moments"),
			 errdetail("The state must be an array of five bigint values inside an aggregate."),
			 errhint("Call the aggregate dpriv.exact_moments() instead of its support "
					 "functions.")));
}

/*
 * The state to update in place: argument 0.
 *
 * Only the executor's own copy may be changed, so calls from outside an aggregate are refused.
 */
static MomentsState *
get_state(FunctionCallInfo fcinfo)
{
	MomentsState *state = (MomentsState *) DatumGetPointer(PG_GETARG_DATUM(0));

	if (PG_ARGISNULL(0) || fcinfo->context == NULL ||
		!(IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState)) ||
		!dpriv_is_int8_array(state, DPRIV_MOMENTS_ELEMENTS))
		refuse_state();
	return state;
}

/* Check state and grid. */
static pg_noinline const DprivClamp *
examine_call(FunctionCallInfo fcinfo)
{
	(void) get_state(fcinfo);
	return dpriv_clamp_examine(fcinfo, MOMENTS_INITIAL_STATE, DPRIV_MOMENTS_MAX_RANGE);
}

/* Add one integer, clamped to the grid's bounds; return the state. */
static inline Datum
add_clamped(FunctionCallInfo fcinfo, int64 steps, const DprivClamp *clamp)
{
	MomentsState *state = (MomentsState *) DatumGetPointer(PG_GETARG_DATUM(0));
	int64	   *sum = &state->value[DPRIV_MOMENTS_SUM];
	int64	   *square = &state->value[DPRIV_MOMENTS_SQUARE];
	uint64		u = (uint64) dpriv_clamp(steps, clamp) - (uint64) clamp->lower;

	dpriv_split_halves(sum, dpriv_join_halves(sum) + u);
	dpriv_split_halves(square, dpriv_join_halves(square) + u * u);
	state->value[DPRIV_MOMENTS_COUNT]++;
	if (clamp->fixed)
		check_moments_state(state);
	PG_RETURN_POINTER(state);
}

/*
 * The transition functions.  Each has a twin that checks the call first, called last: the common
 * way has no register to save.
 */

/* exact_moments(float8, grid) */
static inline Datum
add_float8(FunctionCallInfo fcinfo, const DprivClamp *clamp)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return add_clamped(fcinfo, dpriv_quantise(PG_GETARG_FLOAT8(1), clamp), clamp);
}

static pg_noinline Datum
examine_float8(FunctionCallInfo fcinfo)
{
	return add_float8(fcinfo, examine_call(fcinfo));
}

Datum
dpriv_exact_moments_float8(PG_FUNCTION_ARGS)
{
	const DprivClamp *clamp = dpriv_clamp_checked(fcinfo);

	return clamp ? add_float8(fcinfo, clamp) : examine_float8(fcinfo);
}

/* exact_moments(int4 or int8, grid) */
static inline Datum
add_integer(FunctionCallInfo fcinfo, int64 x, const DprivClamp *clamp)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return add_clamped(fcinfo, dpriv_quantise_integer(x, clamp), clamp);
}

static pg_noinline Datum
examine_int4(FunctionCallInfo fcinfo)
{
	return add_integer(fcinfo, PG_GETARG_INT32(1), examine_call(fcinfo));
}

Datum
dpriv_exact_moments_int4(PG_FUNCTION_ARGS)
{
	const DprivClamp *clamp = dpriv_clamp_checked(fcinfo);

	return clamp ? add_integer(fcinfo, PG_GETARG_INT32(1), clamp) : examine_int4(fcinfo);
}

static pg_noinline Datum
examine_int8(FunctionCallInfo fcinfo)
{
	return add_integer(fcinfo, PG_GETARG_INT64(1), examine_call(fcinfo));
}

Datum
dpriv_exact_moments_int8(PG_FUNCTION_ARGS)
{
	const DprivClamp *clamp = dpriv_clamp_checked(fcinfo);

	return clamp ? add_integer(fcinfo, PG_GETARG_INT64(1), clamp) : examine_int8(fcinfo);
}

/* Combine two states: additions, the same whichever comes first. */
Datum
dpriv_exact_moments_combine(PG_FUNCTION_ARGS)
{
	static const int wide[] = {DPRIV_MOMENTS_SUM, DPRIV_MOMENTS_SQUARE};
	MomentsState *state = get_state(fcinfo);
	MomentsState *other;

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);

	/* it may come packed from another process */
	other = (MomentsState *) PG_GETARG_ARRAYTYPE_P(1);
	if (!dpriv_is_int8_array(other, DPRIV_MOMENTS_ELEMENTS))
		refuse_state();

	for (int i = 0; i < lengthof(wide); i++)
	{
		int64	   *sum = &state->value[wide[i]];

		dpriv_split_halves(sum, dpriv_join_halves(sum) + dpriv_join_halves(&other->value[wide[i]]));
	}
	state->value[DPRIV_MOMENTS_COUNT] = (int64)
		((uint64) state->value[DPRIV_MOMENTS_COUNT] + (uint64) other->value[DPRIV_MOMENTS_COUNT]);
	PG_RETURN_POINTER(state);
}
