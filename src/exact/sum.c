/*
 * sum.c
 *	  exact_sum: clipped sums on a power-of-two grid, in 128-bit integers.
 *
 * Every value becomes an integer first and is clamped as an integer, so the sum is the same for every order
 * of the rows and one row moves it by at most the width of the clamp.  No value raises an error: rounding to
 * the grid is by truncation, saturates at the ends of int64, and a NaN counts as zero before the clamp.
 *
 * These functions run once per row, so they check what keeps memory safe and nothing twice.
 */
#include "postgres.h"

#include "nodes/execnodes.h"

#include "exact.h"

/*
 * The state: int8[3], made from the initial value '{0,0,0}' and updated in place.
 *
 * value[DPRIV_SUM_LOW] and value[DPRIV_SUM_HIGH] are one two's-complement 128-bit integer, the sum.  With
 * fewer than 2^63 rows of at most 2^63 each it cannot overflow.  value[DPRIV_SUM_COUNT] counts the rows that
 * were added, hence |high| <= count, and the sum is zero if the count is.
 */
typedef DprivInt8Array SumState;

PG_FUNCTION_INFO_V1(dpriv_exact_sum_float8);
PG_FUNCTION_INFO_V1(dpriv_exact_sum_int4);
PG_FUNCTION_INFO_V1(dpriv_exact_sum_int8);
PG_FUNCTION_INFO_V1(dpriv_exact_sum_combine);

StaticAssertDecl(offsetof(DprivInt8Array, value) == ARR_OVERHEAD_NONULLS(1),
				 "DprivInt8Array must match the layout of a one-dimensional array");

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
 * Only the executor's own copy may be changed, so calls from outside an aggregate are refused.  A state has
 * left the executor's hands only if the aggregate is somebody else's, so its shape is checked.  The node test
 * is that of AggCheckCallContext(), without a call into the server for each row.
 */
static inline SumState *
get_state(FunctionCallInfo fcinfo)
{
	SumState   *state = (SumState *) DatumGetPointer(PG_GETARG_DATUM(0));

	if (unlikely(PG_ARGISNULL(0) || fcinfo->context == NULL ||
				 !(IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState)) ||
				 !dpriv_is_int8_array(state, DPRIV_SUM_ELEMENTS)))
		refuse_state();
	check_sum_state(state);
	return state;
}

/* A grid that is not a plain array: unpack it, or say what is wrong. */
static pg_noinline const int64 *
unpack_grid(FunctionCallInfo fcinfo)
{
	DprivInt8Array *grid = NULL;

	if (!PG_ARGISNULL(2))
		grid = (DprivInt8Array *) PG_GETARG_ARRAYTYPE_P(2);
	if (grid == NULL || !dpriv_is_int8_array(grid, DPRIV_GRID_ELEMENTS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("grid must be an array of three bigint values, none of them null"),
				 errhint("Pass ARRAY[exponent, lower, upper].")));
	return grid->value;
}

static pg_noinline void
refuse_grid(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("grid is out of range"),
			 errdetail("The exponent must be between %d and %d, and lower must not exceed upper.",
					   -DPRIV_GRID_MAX_EXPONENT, DPRIV_GRID_MAX_EXPONENT),
			 errhint("Pass ARRAY[exponent, lower, upper].")));
}

/*
 * The grid: argument 2, validated for every row, because nothing keeps a caller from passing a column.
 */
static inline const int64 *
get_grid(FunctionCallInfo fcinfo)
{
	const DprivInt8Array *array = (DprivInt8Array *) DatumGetPointer(PG_GETARG_DATUM(2));
	const int64 *grid;

	if (likely(!PG_ARGISNULL(2) && dpriv_is_int8_array(array, DPRIV_GRID_ELEMENTS)))
		grid = array->value;
	else
		grid = unpack_grid(fcinfo);

	/* one comparison for both ends of the exponent's range */
	if (unlikely((uint64) grid[DPRIV_GRID_EXPONENT] + DPRIV_GRID_MAX_EXPONENT >
				 2 * DPRIV_GRID_MAX_EXPONENT ||
				 grid[DPRIV_GRID_LOWER] > grid[DPRIV_GRID_UPPER]))
		refuse_grid();
	return grid;
}

/*
 * trunc(x * 2^-exponent), saturated to int64; 0 for a NaN.
 *
 * The power of two is a normal double, so the product is exact unless it leaves the range of doubles: then
 * it is infinite, which saturates as it should, or below the normal range, where trunc() is 0 anyway.
 */
static inline int64
quantise(float8 x, int64 exponent)
{
	union
	{
		uint64		bits;
		float8		value;
	}			step;
	float8		steps;

	step.bits = (uint64) (1023 - exponent) << 52;
	steps = x * step.value;

	if (likely(steps > -9223372036854775808.0 && steps < 9223372036854775808.0))
		return (int64) steps;
	if (steps > 0)
		return PG_INT64_MAX;
	if (steps < 0)
		return PG_INT64_MIN;
	return 0;
}

/* Add one integer, clamped to the grid's bounds. */
static inline void
add_clamped(SumState *state, int64 steps, const int64 *grid)
{
	uint64		low;

	steps = Max(steps, grid[DPRIV_GRID_LOWER]);
	steps = Min(steps, grid[DPRIV_GRID_UPPER]);

	low = (uint64) state->value[DPRIV_SUM_LOW] + (uint64) steps;
	state->value[DPRIV_SUM_HIGH] += (steps < 0 ? -1 : 0) + (low < (uint64) steps);
	state->value[DPRIV_SUM_LOW] = (int64) low;
	state->value[DPRIV_SUM_COUNT]++;
}

/* exact_sum(float8, grid), transition: add trunc(x * 2^-exponent), clamped. */
Datum
dpriv_exact_sum_float8(PG_FUNCTION_ARGS)
{
	const int64 *grid = get_grid(fcinfo);
	SumState   *state = get_state(fcinfo);

	if (!PG_ARGISNULL(1))
		add_clamped(state, quantise(PG_GETARG_FLOAT8(1), grid[DPRIV_GRID_EXPONENT]), grid);
	PG_RETURN_POINTER(state);
}

/* exact_sum(int4, grid), transition: exact for step 1; other steps go through a double. */
Datum
dpriv_exact_sum_int4(PG_FUNCTION_ARGS)
{
	const int64 *grid = get_grid(fcinfo);
	SumState   *state = get_state(fcinfo);

	if (!PG_ARGISNULL(1))
	{
		int64		steps = PG_GETARG_INT32(1);

		if (unlikely(grid[DPRIV_GRID_EXPONENT] != 0))
			steps = quantise((float8) steps, grid[DPRIV_GRID_EXPONENT]);
		add_clamped(state, steps, grid);
	}
	PG_RETURN_POINTER(state);
}

/* exact_sum(int8, grid), transition: exact for step 1; other steps go through a double. */
Datum
dpriv_exact_sum_int8(PG_FUNCTION_ARGS)
{
	const int64 *grid = get_grid(fcinfo);
	SumState   *state = get_state(fcinfo);

	if (!PG_ARGISNULL(1))
	{
		int64		steps = PG_GETARG_INT64(1);

		if (unlikely(grid[DPRIV_GRID_EXPONENT] != 0))
			steps = quantise((float8) steps, grid[DPRIV_GRID_EXPONENT]);
		add_clamped(state, steps, grid);
	}
	PG_RETURN_POINTER(state);
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
	check_sum_state(state);
	PG_RETURN_POINTER(state);
}
