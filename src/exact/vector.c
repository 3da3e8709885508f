/*
 * vector.c
 *	  exact_sum_vector: sums of vectors of bounded norm on a power-of-two grid, in 128-bit integers.
 *
 * Every vector becomes a vector of integers first, and its norm is checked in integers: whatever
 * rounding does before, no vector longer than the radius is ever added.  What is no vector of the
 * given dimension of finite numbers (another length, several dimensions, NULL, NaN, an infinity) is
 * the zero vector.  No value raises an error.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/detoast.h"
#include "utils/memutils.h"

#include "exact.h"

/*
 * The state: int8[2 * dimension], updated in place.
 *
 * Two elements for each coordinate, the halves of a two's-complement 128-bit integer, its sum.
 * With fewer than 2^63 rows of at most 2^61 each it cannot overflow.  There is no initial value,
 * because the dimension is known only from the arguments: a state is NULL until the first row.
 */
typedef DprivInt8Array VectorState;

/*
 * The ball of a call, kept in fn_extra.
 *
 * If the call is fixed, state and ball need no more checks.  Otherwise both are checked, and the
 * ball is read again, for every row, because nothing keeps a caller from passing a column.
 */
typedef struct VectorBall
{
	bool		fixed;			/* see dpriv_call_is_fixed() */
	bool		examined;		/* fixed has been decided */
	int			norm;			/* 1 or 2 */
	int			dimension;		/* 1 .. DPRIV_MAX_DIMENSION */
	int			allocated;		/* coordinates for which there is room below */
	float8		radius;			/* at most 2^61 steps */
	uint128		limit;			/* the radius to the power of the norm, exactly */
	float8		steps_per_unit; /* 2^-exponent, a normal double */
	int64	   *steps;			/* the vector of a row, in steps */
	float8	   *unit;			/* the same divided by its largest coordinate */
} VectorBall;

/* What cannot be within a ball, and can be converted to int64. */
#define TOO_FAR 0x1p62

/* A one-dimensional float8[] without NULLs, after its length word. */
#define BODY_OVERHEAD (ARR_OVERHEAD_NONULLS(1) - VARHDRSZ)

PG_FUNCTION_INFO_V1(dpriv_exact_sum_vector_accum);
PG_FUNCTION_INFO_V1(dpriv_exact_sum_vector_combine);

static pg_noinline void
refuse_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid transition state for an exact sum of vectors"),
			 errdetail("Within one group the dimension must stay the same."),
			 errhint("Call the aggregate dpriv.exact_sum_vector() with one ball for all rows.")));
}

/*
 * The state to update in place: argument 0, or a new one.  Only the executor's own copy may be
 * changed, so calls from outside an aggregate are refused.
 */
static VectorState *
get_state(FunctionCallInfo fcinfo, int dimension)
{
	VectorState *state = (VectorState *) DatumGetPointer(PG_GETARG_DATUM(0));

	if (!dpriv_in_aggregate(fcinfo))
		refuse_state();
	if (PG_ARGISNULL(0))
		return dpriv_make_int8_array(2 * dimension);
	if (!dpriv_is_int8_array(state, 2 * dimension))
		refuse_state();
	return state;
}

/* Refuse a ball that does not say how to round and shrink.  Errors: 22023. */
static void
read_ball(VectorBall *ball, const DprivInt8Array *array, MemoryContext context)
{
	union
	{
		uint64		bits;
		float8		value;
	}			steps_per_unit;
	int64		exponent;
	int64		norm;
	int64		radius;
	int64		dimension;

	if (array == NULL || !dpriv_is_int8_array(array, DPRIV_BALL_ELEMENTS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ball must be an array of four bigint values, none of them null"),
				 errhint("Pass ARRAY[exponent, norm, radius, dimension].")));

	exponent = array->value[DPRIV_BALL_EXPONENT];
	norm = array->value[DPRIV_BALL_NORM];
	radius = array->value[DPRIV_BALL_RADIUS];
	dimension = array->value[DPRIV_BALL_DIMENSION];
	if (exponent < -DPRIV_GRID_MAX_EXPONENT || exponent > DPRIV_GRID_MAX_EXPONENT ||
		norm < 1 || norm > 2 || radius < 1 || radius > DPRIV_MAX_RADIUS ||
		dimension < 1 || dimension > DPRIV_MAX_DIMENSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ball is out of range"),
				 errdetail("The exponent must be between %d and %d, the norm 1 or 2, the radius "
						   "between 1 and " INT64_FORMAT ", the dimension between 1 and %d.",
						   -DPRIV_GRID_MAX_EXPONENT, DPRIV_GRID_MAX_EXPONENT, DPRIV_MAX_RADIUS,
						   DPRIV_MAX_DIMENSION),
				 errhint("Pass ARRAY[exponent, norm, radius, dimension].")));

	ball->norm = (int) norm;
	ball->dimension = (int) dimension;
	ball->radius = (float8) radius;
	ball->limit = norm == 1 ? (uint128) radius : (uint128) radius * (uint128) radius;
	steps_per_unit.bits = (uint64) (1023 - exponent) << 52;
	ball->steps_per_unit = steps_per_unit.value;
	if (ball->allocated < ball->dimension)
	{
		if (ball->allocated > 0)
		{
			pfree(ball->steps);
			pfree(ball->unit);
			ball->allocated = 0;
		}
		ball->steps = MemoryContextAlloc(context, sizeof(int64) * ball->dimension);
		ball->unit = MemoryContextAlloc(context, sizeof(float8) * ball->dimension);
		ball->allocated = ball->dimension;
	}
}

static pg_noinline VectorBall *
examine_call(FunctionCallInfo fcinfo)
{
	VectorBall *ball = fcinfo->flinfo->fn_extra;
	MemoryContext context = fcinfo->flinfo->fn_mcxt;

	if (ball == NULL)
	{
		ball = MemoryContextAllocZero(context, sizeof(VectorBall));
		fcinfo->flinfo->fn_extra = ball;
	}
	read_ball(ball, PG_ARGISNULL(2) ? NULL : (DprivInt8Array *) PG_GETARG_ARRAYTYPE_P(2), context);
	if (!ball->examined)
		ball->fixed = dpriv_call_is_fixed(fcinfo, 2, NULL);
	ball->examined = true;
	return ball;
}

/* As coordinates_of(), for arrays with a bitmap of NULLs, all of which may have been replaced. */
static pg_noinline const char *
coordinates_of_other(Datum value, int dimension)
{
	ArrayType  *array = DatumGetArrayTypeP(value);

	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != dimension ||
		ARR_ELEMTYPE(array) != FLOAT8OID || array_contains_nulls(array))
		return NULL;
	return ARR_DATA_PTR(array);
}

/*
 * May this be a vector of this dimension, by the size that it has when it is unpacked?  Others stay
 * packed: how much memory and time a row takes, and whether there is enough, is not to depend on
 * what else it has in place of a vector.
 */
static pg_noinline bool
has_size_of_vector(Datum value, int dimension)
{
	Size		size = toast_raw_datum_size(value) - dimension * sizeof(float8);

	return size == ARR_OVERHEAD_NONULLS(1) || size == ARR_OVERHEAD_WITHNULLS(1, dimension);
}

/*
 * The coordinates of a vector of this dimension, perhaps not aligned; NULL if it is none.  A stored
 * array is read where it lies, unless it is compressed or out of line.
 */
static inline const char *
coordinates_of(Datum value, int dimension)
{
	struct varlena *array = (struct varlena *) DatumGetPointer(value);
	const char *body;
	int32		header[4];		/* number of dimensions, offset if there are NULLs, type, length */

	if (unlikely(VARATT_IS_COMPRESSED(array) || VARATT_IS_EXTERNAL(array)))
	{
		if (!has_size_of_vector(value, dimension))
			return NULL;
		array = PG_DETOAST_DATUM_PACKED(value);
	}
	body = VARDATA_ANY(array);
	if (likely(VARSIZE_ANY_EXHDR(array) == BODY_OVERHEAD + dimension * sizeof(float8)))
	{
		memcpy(header, body, sizeof(header));
		if (likely(header[0] == 1 && header[1] == 0 && header[2] == FLOAT8OID &&
				   header[3] == dimension))
			return body + BODY_OVERHEAD;
	}
	return coordinates_of_other(PointerGetDatum(array), dimension);
}

/*
 * The vector x, times a factor, truncated toward zero: true if its norm is not above the radius.
 *
 * The norm is summed up in integers, and the sum given up as soon as it is too large: it starts at
 * most 2^122 and grows by less than 2^124.
 */
static pg_attribute_always_inline bool
truncate_by_norm(VectorBall *ball, int norm, const char *x, float8 factor)
{
	uint128		sum = 0;

	for (int i = 0; i < ball->dimension; i++)
	{
		float8		value;
		int64		steps;
		uint64		size;

		memcpy(&value, x + i * sizeof(float8), sizeof(float8));
		value *= factor;
		if (unlikely(!(value > -TOO_FAR && value < TOO_FAR)))
			return false;
		steps = (int64) value;
		size = (uint64) (steps < 0 ? -steps : steps);
		sum += norm == 1 ? (uint128) size : (uint128) size * size;
		if (unlikely(sum > ball->limit))
			return false;
		ball->steps[i] = steps;
	}
	return true;
}

static inline bool
truncate_vector(VectorBall *ball, const char *x, float8 factor)
{
	return ball->norm == 1 ? truncate_by_norm(ball, 1, x, factor) :
		truncate_by_norm(ball, 2, x, factor);
}

/*
 * The vector x, too long for the ball, as one of its direction that is not: false if it has none.
 *
 * With coordinates divided by the largest, neither squares nor sums can overflow.  The factor is
 * computed in doubles, too large by a relative 2^-38 at most, and so made smaller until the norm,
 * which is checked in integers, fits.
 */
static pg_noinline bool
shrink_vector(VectorBall *ball, const char *x)
{
	float8		largest = 0;
	float8		norm = 0;
	float8		factor;

	for (int i = 0; i < ball->dimension; i++)
	{
		memcpy(&ball->unit[i], x + i * sizeof(float8), sizeof(float8));
		if (!(fabs(ball->unit[i]) <= DBL_MAX))
			return false;
		largest = Max(largest, fabs(ball->unit[i]));
	}
	for (int i = 0; i < ball->dimension; i++)
	{
		ball->unit[i] /= largest;
		norm += ball->norm == 1 ? fabs(ball->unit[i]) : ball->unit[i] * ball->unit[i];
	}
	factor = ball->radius / (ball->norm == 1 ? norm : sqrt(norm));
	for (float8 less = 0x1p-52; less < 1; less *= 256)
	{
		if (truncate_vector(ball, (const char *) ball->unit, factor))
			return true;
		factor *= 1 - less;
	}
	return false;
}

/* Add the vector of this row; return the state. */
static inline Datum
add_vector(FunctionCallInfo fcinfo, VectorBall *ball, VectorState *state)
{
	const char *x;

	if (PG_ARGISNULL(1))
		PG_RETURN_POINTER(state);
	x = coordinates_of(PG_GETARG_DATUM(1), ball->dimension);
	if (x == NULL)
		PG_RETURN_POINTER(state);
	if (unlikely(!truncate_vector(ball, x, ball->steps_per_unit)) && !shrink_vector(ball, x))
		PG_RETURN_POINTER(state);

	for (int i = 0; i < ball->dimension; i++)
		dpriv_add_halves(&state->value[2 * i], (uint128) (int128) ball->steps[i]);
	PG_RETURN_POINTER(state);
}

/* exact_sum_vector(float8[], ball), transition. */
Datum
dpriv_exact_sum_vector_accum(PG_FUNCTION_ARGS)
{
	VectorBall *ball = fcinfo->flinfo->fn_extra;

	if (likely(ball != NULL && ball->fixed && !PG_ARGISNULL(0)))
		return add_vector(fcinfo, ball, (VectorState *) DatumGetPointer(PG_GETARG_DATUM(0)));
	if (ball == NULL || !ball->fixed)
		ball = examine_call(fcinfo);
	return add_vector(fcinfo, ball, get_state(fcinfo, ball->dimension));
}

/* Combine two states: additions, the same whichever comes first.  Either may be NULL. */
Datum
dpriv_exact_sum_vector_combine(PG_FUNCTION_ARGS)
{
	VectorState *state;
	VectorState *other;
	int			dimension;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}

	/* it may come packed from another process */
	other = (VectorState *) PG_GETARG_ARRAYTYPE_P(1);
	if (other->header.ndim != 1 || other->length < 2 || other->length % 2 != 0 ||
		other->length > 2 * DPRIV_MAX_DIMENSION || !dpriv_is_int8_array(other, other->length))
		refuse_state();

	dimension = other->length / 2;
	state = get_state(fcinfo, dimension);
	for (int i = 0; i < dimension; i++)
		dpriv_add_halves(&state->value[2 * i], dpriv_join_halves(&other->value[2 * i]));
	PG_RETURN_POINTER(state);
}
