/*
 * sum.c
 *	  exact_sum: clipped sums on a power-of-two grid, in 128-bit integers.
 *
 * Every value becomes an integer first and is clamped as an integer, so the sum is the same for
 * every order of the rows and one row moves it by at most the width of the clamp.
 *
 * These functions run once per row: what the query itself proves is checked once and not for every
 * row.
 */
#include "postgres.h"

#include "clamp.h"

/*
 * The state: int8[3], made from the initial value '{0,0,0}' and updated in place.
 *
 * value[DPRIV_SUM_LOW] and value[DPRIV_SUM_HIGH] are one two's-complement 128-bit integer, the sum.
 * With fewer than 2^63 rows of at most 2^63 each it cannot overflow.  value[DPRIV_SUM_COUNT] counts
 * the rows that were added, hence |high| <= count, and the sum is zero if the count is.
 */
typedef DprivInt8Array SumState;

#define SUM_INITIAL_STATE	"{0,0,0}"

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
 * checked.
 */
static inline SumState *
get_state(FunctionCallInfo fcinfo)
{
	SumState   *state = (SumState *) DatumGetPointer(PG_GETARG_DATUM(0));

	if (unlikely(PG_ARGISNULL(0) || !dpriv_in_aggregate(fcinfo) ||
				 !dpriv_is_int8_array(state, DPRIV_SUM_ELEMENTS)))
		refuse_state();
	return state;
}

/* Check state and grid. */
static pg_noinline const DprivClamp *
examine_call(FunctionCallInfo fcinfo)
{
	(void) get_state(fcinfo);
	return dpriv_clamp_examine(fcinfo, SUM_INITIAL_STATE, PG_UINT64_MAX);
}

/* Add one integer, clamped to the grid's bounds; return the state. */
static inline Datum
add_clamped(FunctionCallInfo fcinfo, int64 steps, const DprivClamp *clamp)
{
	SumState   *state = (SumState *) DatumGetPointer(PG_GETARG_DATUM(0));
	uint128		sum;

	steps = dpriv_clamp(steps, clamp);

	sum = (uint128) (uint64) state->value[DPRIV_SUM_HIGH] << 64 |
		(uint64) state->value[DPRIV_SUM_LOW];
	sum += (uint128) (int128) steps;
	state->value[DPRIV_SUM_LOW] = (int64) (uint64) sum;
	state->value[DPRIV_SUM_HIGH] = (int64) (uint64) (sum >> 64);
	state->value[DPRIV_SUM_COUNT]++;
	if (clamp->fixed)
		check_sum_state(state);
	PG_RETURN_POINTER(state);
}

/*
 * The transition functions.  Each has a twin that checks the call first: kept apart, and called
 * last, it leaves the common way without a register to save.
 */

/* exact_sum(float8, grid) */
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
dpriv_exact_sum_float8(PG_FUNCTION_ARGS)
{
	const DprivClamp *clamp = dpriv_clamp_checked(fcinfo);

	return clamp ? add_float8(fcinfo, clamp) : examine_float8(fcinfo);
}

/* exact_sum(int4 or int8, grid) */
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
dpriv_exact_sum_int4(PG_FUNCTION_ARGS)
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
dpriv_exact_sum_int8(PG_FUNCTION_ARGS)
{
	const DprivClamp *clamp = dpriv_clamp_checked(fcinfo);

	return clamp ? add_integer(fcinfo, PG_GETARG_INT64(1), clamp) : examine_int8(fcinfo);
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
