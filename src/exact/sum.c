/*
 * sum.c
 *	  exact_sum: clipped sums on a power-of-two grid, in 128-bit integers.
 *
 * Every value becomes an integer first and is clamped as an integer, so the sum is the same for
 * every order of the rows and one row moves it by at most the width of the clamp.  No value raises
 * an error: rounding to the grid is by truncation, saturates at the ends of int64, and a NaN counts
 * as zero before the clamp.
 *
 * These functions run once per row: what the query itself proves is checked once and not for every
 * row.
 */
#include "postgres.h"

#include "nodes/execnodes.h"

#include "exact.h"

/*
 * The state: int8[3], made from the initial value '{0,0,0}' and updated in place.
 *
 * value[DPRIV_SUM_LOW] and value[DPRIV_SUM_HIGH] are one two's-complement 128-bit integer, the sum.
 * With fewer than 2^63 rows of at most 2^63 each it cannot overflow.  value[DPRIV_SUM_COUNT] counts
 * the rows that were added, hence |high| <= count, and the sum is zero if the count is.
 */
typedef DprivInt8Array SumState;

#define SUM_INITIAL_STATE	"{0,0,0}"

/*
 * The grid of a call, kept in fn_extra.
 *
 * If the call is fixed, state and grid need no more checks.  Otherwise both are checked, and the
 * grid is read again, for every row, because nothing keeps a caller from passing a column.
 */
typedef struct SumCall
{
	bool		examined;		/* fixed has been decided */
	bool		fixed;			/* see dpriv_call_is_fixed() */
	bool		unit_step;		/* the step is 1: integers are on the grid */
	int64		lower;			/* in steps, <= upper */
	int64		upper;			/* in steps */
	union
	{
		uint64		bits;
		float8		value;
	}			steps_per_unit; /* 2^-exponent, a normal double made from its bits */
} SumCall;

PG_FUNCTION_INFO_V1(dpriv_exact_sum_float8);
PG_FUNCTION_INFO_V1(dpriv_exact_sum_int4);
PG_FUNCTION_INFO_V1(dpriv_exact_sum_int8);
PG_FUNCTION_INFO_V1(dpriv_exact_sum_combine);

StaticAssertDecl(offsetof(DprivInt8Array, value) == ARR_OVERHEAD_NONULLS(1),
				 "DprivInt8Array must match the layout of a one-dimensional array");

/*
 * For states that this file made from its own initial value; another aggregate's may hold any three
 * numbers.
 */
static inline void
check_sum_state(const SumState *state)
{
#ifdef USE_ASSERT_CHECKING
	int64		count = state->value[DPRIV_SUM_COUNT];
	int64		high = state->value[DPRIV_SUM_HIGH];

	Assert(count >= 0);
	Assert(high >= -count && high <= count);
	Assert(count > 0 || state->value[DPRIV_SUM_LOW] == 0);
#endif
}

/* The message for a state that no aggregate of ours has made. */
static pg_noinline void
refuse_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid transition state for an exact sum"),
			 errdetail("The state must be an array of three bigint values inside an aggregate."),
			 errhint("Call the aggregate dpriv.exact_sum() instead of its support functions.")));
}

/*
 * The state to update in place: argument 0.
 *
 * Only the executor's own copy may be changed, so calls from outside an aggregate are refused.  A
 * state has left the executor's hands only if the aggregate is somebody else's, so its shape is
 * checked.  The node test is that of AggCheckCallContext(), without a call into the server for each
 * row.
 */
static inline SumState *
get_state(FunctionCallInfo fcinfo)
{
	SumState   *state = (SumState *) DatumGetPointer(PG_GETARG_DATUM(0));

	if (unlikely(PG_ARGISNULL(0) || fcinfo->context == NULL ||
				 !(IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState)) ||
				 !dpriv_is_int8_array(state, DPRIV_SUM_ELEMENTS)))
		refuse_state();
	return state;
}

/* Refuse a grid that does not say how to round and clamp.  Errors: 22023. */
static void
read_grid(SumCall *call, const DprivInt8Array *array)
{
	int64		exponent;

	if (array == NULL || !dpriv_is_int8_array(array, DPRIV_GRID_ELEMENTS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid must be an array of three bigint values, none of them null"),
				 errhint("Pass ARRAY[exponent, lower, upper].")));

	exponent = array->value[DPRIV_GRID_EXPONENT];
	call->lower = array->value[DPRIV_GRID_LOWER];
	call->upper = array->value[DPRIV_GRID_UPPER];
	if (exponent < -DPRIV_GRID_MAX_EXPONENT || exponent > DPRIV_GRID_MAX_EXPONENT ||
		call->lower > call->upper)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid is out of range"),
				 errdetail("The exponent must be between %d and %d, and lower must not exceed "
						   "upper.",
						   -DPRIV_GRID_MAX_EXPONENT, DPRIV_GRID_MAX_EXPONENT),
				 errhint("Pass ARRAY[exponent, lower, upper].")));

	call->unit_step = exponent == 0;
	call->steps_per_unit.bits = (uint64) (1023 - exponent) << 52;
}

/*
 * Check state and grid, and find out whether that has to be done for the next row too.
 */
static pg_noinline const SumCall *
examine_call(FunctionCallInfo fcinfo)
{
	SumCall    *call = fcinfo->flinfo->fn_extra;

	(void) get_state(fcinfo);
	if (call == NULL)
	{
		call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(SumCall));
		fcinfo->flinfo->fn_extra = call;
	}
	read_grid(call, PG_ARGISNULL(2) ? NULL : (DprivInt8Array *) PG_GETARG_ARRAYTYPE_P(2));
	if (!call->examined)
		call->fixed = dpriv_call_is_fixed(fcinfo, 2, SUM_INITIAL_STATE);
	call->examined = true;
	return call;
}

/* What the checks of this call found, or NULL if they are due: see examine_call(). */
static inline const SumCall *
checked_call(FunctionCallInfo fcinfo)
{
	const SumCall *call = fcinfo->flinfo->fn_extra;

	return likely(call != NULL && call->fixed) ? call : NULL;
}

/*
 * trunc(x / step), saturated to int64; 0 for a NaN.
 *
 * The product with a power of two is exact unless it leaves the range of doubles: then it is
 * infinite, which saturates as it should, or below the normal range, where trunc() is 0 anyway.
 */
static inline int64
quantise(float8 x, const SumCall *call)
{
	float8		steps = x * call->steps_per_unit.value;

	if (likely(steps > -9223372036854775808.0 && steps < 9223372036854775808.0))
		return (int64) steps;
	if (steps > 0)
		return PG_INT64_MAX;
	if (steps < 0)
		return PG_INT64_MIN;
	return 0;
}

/* Add one integer, clamped to the grid's bounds; return the state. */
static inline Datum
add_clamped(FunctionCallInfo fcinfo, int64 steps, const SumCall *call)
{
	SumState   *state = (SumState *) DatumGetPointer(PG_GETARG_DATUM(0));
	uint128		sum;

	steps = Max(steps, call->lower);
	steps = Min(steps, call->upper);

	sum = (uint128) (uint64) state->value[DPRIV_SUM_HIGH] << 64 |
		(uint64) state->value[DPRIV_SUM_LOW];
	sum += (uint128) (int128) steps;
	state->value[DPRIV_SUM_LOW] = (int64) (uint64) sum;
	state->value[DPRIV_SUM_HIGH] = (int64) (uint64) (sum >> 64);
	state->value[DPRIV_SUM_COUNT]++;
	if (call->fixed)
		check_sum_state(state);
	PG_RETURN_POINTER(state);
}

/*
 * The transition functions.  Each has a twin that checks the call first: kept apart, and called
 * last, it leaves the common way without a register to save.
 */

/* exact_sum(float8, grid) */
static inline Datum
add_float8(FunctionCallInfo fcinfo, const SumCall *call)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return add_clamped(fcinfo, quantise(PG_GETARG_FLOAT8(1), call), call);
}

static pg_noinline Datum
examine_float8(FunctionCallInfo fcinfo)
{
	return add_float8(fcinfo, examine_call(fcinfo));
}

Datum
dpriv_exact_sum_float8(PG_FUNCTION_ARGS)
{
	const SumCall *call = checked_call(fcinfo);

	return call ? add_float8(fcinfo, call) : examine_float8(fcinfo);
}

/* exact_sum(int4 or int8, grid): exact for step 1; other steps go through a double. */
static inline Datum
add_integer(FunctionCallInfo fcinfo, int64 x, const SumCall *call)
{
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return add_clamped(fcinfo, likely(call->unit_step) ? x : quantise((float8) x, call), call);
}

static pg_noinline Datum
examine_int4(FunctionCallInfo fcinfo)
{
	return add_integer(fcinfo, PG_GETARG_INT32(1), examine_call(fcinfo));
}

Datum
dpriv_exact_sum_int4(PG_FUNCTION_ARGS)
{
	const SumCall *call = checked_call(fcinfo);

	return call ? add_integer(fcinfo, PG_GETARG_INT32(1), call) : examine_int4(fcinfo);
}

static pg_noinline Datum
examine_int8(FunctionCallInfo fcinfo)
{
	return add_integer(fcinfo, PG_GETARG_INT64(1), examine_call(fcinfo));
}

Datum
dpriv_exact_sum_int8(PG_FUNCTION_ARGS)
{
	const SumCall *call = checked_call(fcinfo);

	return call ? add_integer(fcinfo, PG_GETARG_INT64(1), call) : examine_int8(fcinfo);
}

/*
 * Combine two states: 128-bit addition, the same whichever comes first.
 */
Datum
dpriv_exact_sum_combine(PG_FUNCTION_ARGS)
{
	SumState   *state = get_state(fcinfo);
	SumState   *other;
	uint64		low;

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);

	/* it may come packed from another process */
	other = (SumState *) PG_GETARG_ARRAYTYPE_P(1);
	if (!dpriv_is_int8_array(other, DPRIV_SUM_ELEMENTS))
		refuse_state();

	low = (uint64) state->value[DPRIV_SUM_LOW] + (uint64) other->value[DPRIV_SUM_LOW];
	state->value[DPRIV_SUM_HIGH] = (int64)
		((uint64) state->value[DPRIV_SUM_HIGH] + (uint64) other->value[DPRIV_SUM_HIGH] +
		 (low < (uint64) other->value[DPRIV_SUM_LOW]));
	state->value[DPRIV_SUM_LOW] = (int64) low;
	state->value[DPRIV_SUM_COUNT] = (int64)
		((uint64) state->value[DPRIV_SUM_COUNT] + (uint64) other->value[DPRIV_SUM_COUNT]);
	PG_RETURN_POINTER(state);
}
