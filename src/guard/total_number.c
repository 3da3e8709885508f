/*
 * total_number.c
 *	  Arithmetic on integers and doubles that yields NULL where PostgreSQL's raises an error.
 *
 * For all arguments the result is PostgreSQL's, or NULL exactly where that raises an error: which
 * values overflow must not be visible as an error, because that tells of the row.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

/* ---- Integers ---- */

#define INTEGER_OPERATOR(function, type, PG_TYPE, overflows) \
PG_FUNCTION_INFO_V1(function); \
Datum \
function(PG_FUNCTION_ARGS) \
{ \
	type		result; \
 \
	if (overflows(PG_GETARG_##PG_TYPE(0), PG_GETARG_##PG_TYPE(1), &result)) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(result); \
}

INTEGER_OPERATOR(dpriv_try_add_int2, int16, INT16, pg_add_s16_overflow)
INTEGER_OPERATOR(dpriv_try_add_int4, int32, INT32, pg_add_s32_overflow)
INTEGER_OPERATOR(dpriv_try_add_int8, int64, INT64, pg_add_s64_overflow)
INTEGER_OPERATOR(dpriv_try_subtract_int2, int16, INT16, pg_sub_s16_overflow)
INTEGER_OPERATOR(dpriv_try_subtract_int4, int32, INT32, pg_sub_s32_overflow)
INTEGER_OPERATOR(dpriv_try_subtract_int8, int64, INT64, pg_sub_s64_overflow)
INTEGER_OPERATOR(dpriv_try_multiply_int2, int16, INT16, pg_mul_s16_overflow)
INTEGER_OPERATOR(dpriv_try_multiply_int4, int32, INT32, pg_mul_s32_overflow)
INTEGER_OPERATOR(dpriv_try_multiply_int8, int64, INT64, pg_mul_s64_overflow)

/* The smallest number divided by -1 is none; divided by anything it leaves a remainder. */
#define INTEGER_DIVISIONS(width, type, PG_TYPE, smallest) \
PG_FUNCTION_INFO_V1(dpriv_try_divide_int##width); \
Datum \
dpriv_try_divide_int##width(PG_FUNCTION_ARGS) \
{ \
	type		x = PG_GETARG_##PG_TYPE(0); \
	type		y = PG_GETARG_##PG_TYPE(1); \
 \
	if (y == 0 || (x == smallest && y == -1)) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(x / y); \
} \
PG_FUNCTION_INFO_V1(dpriv_try_remainder_int##width); \
Datum \
dpriv_try_remainder_int##width(PG_FUNCTION_ARGS) \
{ \
	type		y = PG_GETARG_##PG_TYPE(1); \
 \
	if (y == 0) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(y == -1 ? 0 : PG_GETARG_##PG_TYPE(0) % y); \
} \
PG_FUNCTION_INFO_V1(dpriv_try_negate_int##width); \
Datum \
dpriv_try_negate_int##width(PG_FUNCTION_ARGS) \
{ \
	type		x = PG_GETARG_##PG_TYPE(0); \
 \
	if (x == smallest) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(-x); \
} \
PG_FUNCTION_INFO_V1(dpriv_try_abs_int##width); \
Datum \
dpriv_try_abs_int##width(PG_FUNCTION_ARGS) \
{ \
	type		x = PG_GETARG_##PG_TYPE(0); \
 \
	if (x == smallest) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(x < 0 ? -x : x); \
}

INTEGER_DIVISIONS(2, int16, INT16, PG_INT16_MIN)
INTEGER_DIVISIONS(4, int32, INT32, PG_INT32_MIN)
INTEGER_DIVISIONS(8, int64, INT64, PG_INT64_MIN)

PG_FUNCTION_INFO_V1(dpriv_try_int2_int8);
PG_FUNCTION_INFO_V1(dpriv_try_int4_int8);

Datum
dpriv_try_int2_int8(PG_FUNCTION_ARGS)
{
	int64		x = PG_GETARG_INT64(0);

	if (x < PG_INT16_MIN || x > PG_INT16_MAX)
		PG_RETURN_NULL();
	PG_RETURN_INT16(x);
}

Datum
dpriv_try_int4_int8(PG_FUNCTION_ARGS)
{
	int64		x = PG_GETARG_INT64(0);

	if (x < PG_INT32_MIN || x > PG_INT32_MAX)
		PG_RETURN_NULL();
	PG_RETURN_INT32(x);
}

/* ---- Doubles ---- */

/*
 * PostgreSQL takes an infinity that comes of finite numbers, and a zero that comes of others, for
 * errors.
 */
#define REAL_OPERATORS(width, type, PG_TYPE) \
PG_FUNCTION_INFO_V1(dpriv_try_add_float##width); \
Datum \
dpriv_try_add_float##width(PG_FUNCTION_ARGS) \
{ \
	type		x = PG_GETARG_##PG_TYPE(0); \
	type		y = PG_GETARG_##PG_TYPE(1); \
	type		result = x + y; \
 \
	if (isinf(result) && !isinf(x) && !isinf(y)) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(result); \
} \
PG_FUNCTION_INFO_V1(dpriv_try_subtract_float##width); \
Datum \
dpriv_try_subtract_float##width(PG_FUNCTION_ARGS) \
{ \
	type		x = PG_GETARG_##PG_TYPE(0); \
	type		y = PG_GETARG_##PG_TYPE(1); \
	type		result = x - y; \
 \
	if (isinf(result) && !isinf(x) && !isinf(y)) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(result); \
} \
PG_FUNCTION_INFO_V1(dpriv_try_multiply_float##width); \
Datum \
dpriv_try_multiply_float##width(PG_FUNCTION_ARGS) \
{ \
	type		x = PG_GETARG_##PG_TYPE(0); \
	type		y = PG_GETARG_##PG_TYPE(1); \
	type		result = x * y; \
 \
	if ((isinf(result) && !isinf(x) && !isinf(y)) || (result == 0 && x != 0 && y != 0)) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(result); \
} \
PG_FUNCTION_INFO_V1(dpriv_try_divide_float##width); \
Datum \
dpriv_try_divide_float##width(PG_FUNCTION_ARGS) \
{ \
	type		x = PG_GETARG_##PG_TYPE(0); \
	type		y = PG_GETARG_##PG_TYPE(1); \
	type		result; \
 \
	if (y == 0 && !isnan(x)) \
		PG_RETURN_NULL(); \
	result = x / y; \
	if ((isinf(result) && !isinf(x)) || (result == 0 && x != 0 && !isinf(y))) \
		PG_RETURN_NULL(); \
	PG_RETURN_##PG_TYPE(result); \
}

REAL_OPERATORS(4, float4, FLOAT4)
REAL_OPERATORS(8, float8, FLOAT8)

PG_FUNCTION_INFO_V1(dpriv_try_int2_float8);
PG_FUNCTION_INFO_V1(dpriv_try_int4_float8);
PG_FUNCTION_INFO_V1(dpriv_try_int8_float8);
PG_FUNCTION_INFO_V1(dpriv_try_float4_float8);

/* Halves go to the even integer. */
Datum
dpriv_try_int2_float8(PG_FUNCTION_ARGS)
{
	float8		x = rint(PG_GETARG_FLOAT8(0));

	if (isnan(x) || !FLOAT8_FITS_IN_INT16(x))
		PG_RETURN_NULL();
	PG_RETURN_INT16((int16) x);
}

Datum
dpriv_try_int4_float8(PG_FUNCTION_ARGS)
{
	float8		x = rint(PG_GETARG_FLOAT8(0));

	if (isnan(x) || !FLOAT8_FITS_IN_INT32(x))
		PG_RETURN_NULL();
	PG_RETURN_INT32((int32) x);
}

Datum
dpriv_try_int8_float8(PG_FUNCTION_ARGS)
{
	float8		x = rint(PG_GETARG_FLOAT8(0));

	if (isnan(x) || !FLOAT8_FITS_IN_INT64(x))
		PG_RETURN_NULL();
	PG_RETURN_INT64((int64) x);
}

Datum
dpriv_try_float4_float8(PG_FUNCTION_ARGS)
{
	float8		x = PG_GETARG_FLOAT8(0);
	float4		result = (float4) x;

	if ((isinf(result) && !isinf(x)) || (result == 0 && x != 0))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT4(result);
}

PG_FUNCTION_INFO_V1(dpriv_try_width_bucket_float8);

/* The bucket after the last one needs a number as well. */
Datum
dpriv_try_width_bucket_float8(PG_FUNCTION_ARGS)
{
	float8		x = PG_GETARG_FLOAT8(0);
	float8		first = PG_GETARG_FLOAT8(1);
	float8		last = PG_GETARG_FLOAT8(2);
	int32		count = PG_GETARG_INT32(3);

	if (isnan(x) || isnan(first) || isnan(last) || isinf(first) || isinf(last) || first == last ||
		count <= 0 || count == PG_INT32_MAX)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall4(width_bucket_float8, Float8GetDatum(x),
										Float8GetDatum(first), Float8GetDatum(last),
										Int32GetDatum(count)));
}
