/*
 * clip_curve.c
 *	  exact_clip_curve: what the increments of a clipped sum from bound to bound are made of.
 *
 * Every value becomes an integer first and is compared as an integer.  With bounds c_1 <= ... <=
 * c_k, steps from zero, a value counts in the one interval c_i-1 <= v < c_i (c_0 = 0) that it lies
 * in, with its distance from c_i-1, or as one that reaches c_k; so a row takes a binary search and
 * two additions.  A row of value v then moves the increments up to c_1, from there to c_2, ... by
 * min(v, c_k) together.  NULL, NaN, zero and what is negative count nowhere, and no value raises an
 * error.
 */
#include "postgres.h"

#include "clamp.h"

/*
 * Validated bounds, kept in fn_extra from row to row.
 *
 * If they are not fixed for the execution, each row's are compared with these byte by byte, and
 * validated again when they differ.
 */
typedef struct CurveBounds
{
	bool		fixed;			/* the same for all rows, no need to compare */
	DprivClamp	grid;			/* only what dpriv_quantise() needs */
	int			n;				/* 1 .. DPRIV_MAX_CANDIDATES */
	int64		argument[FLEXIBLE_ARRAY_MEMBER];	/* exponent, then n bounds, 0 <= c_1 <= ... */
} CurveBounds;

PG_FUNCTION_INFO_V1(dpriv_exact_clip_curve_float8);
PG_FUNCTION_INFO_V1(dpriv_exact_clip_curve_int4);
PG_FUNCTION_INFO_V1(dpriv_exact_clip_curve_int8);
PG_FUNCTION_INFO_V1(dpriv_exact_clip_curve_combine);

static bool
are_bounds(const int64 *argument, int n)
{
	if (n < 1 || n > DPRIV_MAX_CANDIDATES || argument[0] < -DPRIV_GRID_MAX_EXPONENT ||
		argument[0] > DPRIV_GRID_MAX_EXPONENT || argument[1] < 0)
		return false;
	for (int i = 2; i <= n; i++)
		if (argument[i] < argument[i - 1])
			return false;
	return true;
}

/* Validate the bounds and keep a copy of them for the rows that follow.  Errors: 22023. */
static pg_noinline CurveBounds *
remember_bounds(FunctionCallInfo fcinfo, const DprivInt8Array *array)
{
	CurveBounds *bounds;
	int			n;

	if (array == NULL || array->header.ndim != 1 || !dpriv_is_int8_array(array, array->length))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds must be a one-dimensional array of bigint values, none of them "
						"null"),
				 errhint("Pass ARRAY[exponent, first bound, ...].")));
	n = array->length - 1;
	if (!are_bounds(array->value, n))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds are out of range"),
				 errdetail("After an exponent between %d and %d there must be from 1 to %d bounds, "
						   "none of them negative or less than the one before.",
						   -DPRIV_GRID_MAX_EXPONENT, DPRIV_GRID_MAX_EXPONENT,
						   DPRIV_MAX_CANDIDATES),
				 errhint("Pass ARRAY[exponent, first bound, ...].")));

	bounds = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
									offsetof(CurveBounds, argument) + sizeof(int64) * (n + 1));
	bounds->n = n;
	memcpy(bounds->argument, array->value, sizeof(int64) * (n + 1));
	bounds->grid.unit_step = array->value[0] == 0;
	bounds->grid.steps_per_unit.bits = (uint64) (1023 - array->value[0]) << 52;
	bounds->fixed = dpriv_call_is_fixed(fcinfo, 2, NULL);
	if (fcinfo->flinfo->fn_extra != NULL)
		pfree(fcinfo->flinfo->fn_extra);
	fcinfo->flinfo->fn_extra = bounds;
	return bounds;
}

/* The bounds of this row, validated. */
static inline const CurveBounds *
get_bounds(FunctionCallInfo fcinfo)
{
	CurveBounds *bounds = fcinfo->flinfo->fn_extra;
	const DprivInt8Array *array;

	if (likely(bounds != NULL && bounds->fixed))
		return bounds;
	array = PG_ARGISNULL(2) ? NULL : (DprivInt8Array *) PG_GETARG_ARRAYTYPE_P(2);
	if (bounds != NULL && array != NULL && dpriv_is_int8_array(array, bounds->n + 1) &&
		memcmp(array->value, bounds->argument, sizeof(int64) * (bounds->n + 1)) == 0)
		return bounds;
	return remember_bounds(fcinfo, array);
}

/*
 * The state: int8[], see DPRIV_CURVE_ELEMENTS in exact.h.  Without rows it is NULL.  With fewer
 * than 2^63 rows of at most 2^63 steps each no 128-bit sum overflows.
 */
static inline DprivInt8Array *
get_state(FunctionCallInfo fcinfo, const CurveBounds *bounds)
{
	return dpriv_counts_fixed_state(fcinfo, DPRIV_CURVE_ELEMENTS(bounds->n), bounds->fixed);
}

static inline void
add_wide(int64 *half, uint128 value)
{
	value += dpriv_join_halves(half);
	half[0] = (int64) (uint64) value;
	half[1] = (int64) (uint64) (value >> 64);
}

/* Add one integer, in steps. */
static inline Datum
add_steps(DprivInt8Array *state, int64 steps, const CurveBounds *bounds)
{
	const int64 *bound = &bounds->argument[1];
	int			below = 0;
	int			left = bounds->n;
	int64	   *interval;

	if (steps <= 0)
		PG_RETURN_POINTER(state);
	if (steps >= bound[bounds->n - 1])
	{
		state->value[DPRIV_CURVE_ABOVE]++;
		PG_RETURN_POINTER(state);
	}

	/* how many bounds it reaches, fewer than all, without branches on data */
	while (left > 1)
	{
		int			half = left / 2;

		below += (bound[below + half - 1] <= steps) ? half : 0;
		left -= half;
	}
	interval = &state->value[DPRIV_CURVE_INTERVAL(below)];
	add_wide(&interval[DPRIV_CURVE_SUM], (uint128) (steps - (below > 0 ? bound[below - 1] : 0)));
	interval[DPRIV_CURVE_COUNT]++;
	PG_RETURN_POINTER(state);
}

/* exact_clip_curve(float8, bounds), transition. */
Datum
dpriv_exact_clip_curve_float8(PG_FUNCTION_ARGS)
{
	const CurveBounds *bounds = get_bounds(fcinfo);
	DprivInt8Array *state = get_state(fcinfo, bounds);

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	return add_steps(state, dpriv_quantise(PG_GETARG_FLOAT8(1), &bounds->grid), bounds);
}

static inline Datum
add_integer(DprivInt8Array *state, int64 x, const CurveBounds *bounds)
{
	return add_steps(state, dpriv_quantise_integer(x, &bounds->grid), bounds);
}

/* exact_clip_curve(int4, bounds), transition. */
Datum
dpriv_exact_clip_curve_int4(PG_FUNCTION_ARGS)
{
	const CurveBounds *bounds = get_bounds(fcinfo);
	DprivInt8Array *state = get_state(fcinfo, bounds);

	return PG_ARGISNULL(1) ? PointerGetDatum(state) :
		add_integer(state, PG_GETARG_INT32(1), bounds);
}

/* exact_clip_curve(int8, bounds), transition. */
Datum
dpriv_exact_clip_curve_int8(PG_FUNCTION_ARGS)
{
	const CurveBounds *bounds = get_bounds(fcinfo);
	DprivInt8Array *state = get_state(fcinfo, bounds);

	return PG_ARGISNULL(1) ? PointerGetDatum(state) :
		add_integer(state, PG_GETARG_INT64(1), bounds);
}

/* Combine two states: additions, the same whichever comes first.  Either may be NULL. */
Datum
dpriv_exact_clip_curve_combine(PG_FUNCTION_ARGS)
{
	DprivInt8Array *state;
	DprivInt8Array *other;
	int			n;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}

	/* it may come packed from another process */
	other = (DprivInt8Array *) PG_GETARG_ARRAYTYPE_P(1);
	n = other->header.ndim == 1 ? (other->length - 1) / DPRIV_CURVE_PER_INTERVAL : 0;
	if (n < 1 || n > DPRIV_MAX_CANDIDATES || !dpriv_is_int8_array(other, DPRIV_CURVE_ELEMENTS(n)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid transition state for an exact clip curve"),
				 errdetail("Within one group the number of bounds must stay the same."),
				 errhint("Pass the same bounds for every row.")));

	state = dpriv_counts_state(fcinfo, DPRIV_CURVE_ELEMENTS(n));
	state->value[DPRIV_CURVE_ABOVE] = (int64)
		((uint64) state->value[DPRIV_CURVE_ABOVE] + (uint64) other->value[DPRIV_CURVE_ABOVE]);
	for (int i = 0; i < n; i++)
	{
		int64	   *to = &state->value[DPRIV_CURVE_INTERVAL(i)];
		const int64 *from = &other->value[DPRIV_CURVE_INTERVAL(i)];

		add_wide(&to[DPRIV_CURVE_SUM], dpriv_join_halves(&from[DPRIV_CURVE_SUM]));
		to[DPRIV_CURVE_COUNT] = (int64)
			((uint64) to[DPRIV_CURVE_COUNT] + (uint64) from[DPRIV_CURVE_COUNT]);
	}
	PG_RETURN_POINTER(state);
}
