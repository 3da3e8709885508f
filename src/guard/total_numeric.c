/*
 * total_numeric.c
 *	  Arithmetic on numeric that yields NULL where PostgreSQL's raises an error, in bounded time.
 *
 * A numeric may have 131,072 digits before its point and 16,383 behind it, and then a single
 * division takes a second: long enough to see from outside that it happened.  So operands and
 * results may have 256 digits on each side; with others the result is NULL.  Within that range the
 * functions called here fail on what is checked before only: a divisor of zero, no value of the
 * other type.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

/* Decimal digits before and behind the point. */
#define MAX_DIGITS 256

/*
 * Is this a finite number, NaN or infinity of a size that may be computed with?  The first bytes of
 * every numeric say so: they are its format on disk.  Without 0x8000, 14 bits of scale (with 0xC000
 * for what is no finite number), and then 16 bits for the weight of the first digit of base 10,000.
 * With 0x8000, up to 63 decimals and a weight from -64 to 63: always small enough.
 */
static bool
fits(Numeric x)
{
	const char *data = VARDATA(x);
	uint16		header;
	int16		weight;

	memcpy(&header, data, sizeof(header));
	if ((header & 0xC000) == 0xC000)
		return true;
	if (header & 0x8000)
		return (VARSIZE(x) - VARHDRSZ - sizeof(header)) / sizeof(int16) <= 2 * MAX_DIGITS / 4;
	memcpy(&weight, data + sizeof(header), sizeof(weight));
	return (header & 0x3FFF) <= MAX_DIGITS && weight < MAX_DIGITS / 4 && weight >= -MAX_DIGITS / 4;
}

static bool
is_special(Numeric x)
{
	return numeric_is_nan(x) || numeric_is_inf(x);
}

/* Zero is the finite number without digits. */
static bool
is_zero(Numeric x)
{
	uint16		header;

	memcpy(&header, VARDATA(x), sizeof(header));
	if ((header & 0xC000) == 0xC000)
		return false;
	return VARSIZE(x) == VARHDRSZ + (header & 0x8000 ? sizeof(header) : 2 * sizeof(header));
}

/* Of a function of PostgreSQL: its result if that fits. */
static Datum
result_of(FunctionCallInfo fcinfo, Datum result)
{
	if (!fits(DatumGetNumeric(result)))
		PG_RETURN_NULL();
	return result;
}

#define NUMERIC_OPERATOR(name, function, fails) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	Numeric		x = PG_GETARG_NUMERIC(0); \
	Numeric		y = PG_GETARG_NUMERIC(1); \
 \
	if (!fits(x) || !fits(y) || (fails)) \
		PG_RETURN_NULL(); \
	return result_of(fcinfo, DirectFunctionCall2(function, NumericGetDatum(x), \
												 NumericGetDatum(y))); \
}

/* NaN divided by zero is NaN. */
NUMERIC_OPERATOR(dpriv_try_add_numeric, numeric_add, false)
NUMERIC_OPERATOR(dpriv_try_subtract_numeric, numeric_sub, false)
NUMERIC_OPERATOR(dpriv_try_multiply_numeric, numeric_mul, false)
NUMERIC_OPERATOR(dpriv_try_divide_numeric, numeric_div, is_zero(y) && !numeric_is_nan(x))
NUMERIC_OPERATOR(dpriv_try_remainder_numeric, numeric_mod, is_zero(y) && !numeric_is_nan(x))

#define NUMERIC_FUNCTION(name, function) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	Numeric		x = PG_GETARG_NUMERIC(0); \
 \
	if (!fits(x)) \
		PG_RETURN_NULL(); \
	return result_of(fcinfo, DirectFunctionCall1(function, NumericGetDatum(x))); \
}

NUMERIC_FUNCTION(dpriv_try_ceil_numeric, numeric_ceil)
NUMERIC_FUNCTION(dpriv_try_floor_numeric, numeric_floor)

PG_FUNCTION_INFO_V1(dpriv_try_round_numeric);

Datum
dpriv_try_round_numeric(PG_FUNCTION_ARGS)
{
	Numeric		x = PG_GETARG_NUMERIC(0);

	if (!fits(x))
		PG_RETURN_NULL();
	return result_of(fcinfo, DirectFunctionCall2(numeric_round, NumericGetDatum(x),
												 PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(dpriv_try_numeric);

/* The cast to numeric(precision, scale), from its type modifier; a wrong modifier yields NULL. */
Datum
dpriv_try_numeric(PG_FUNCTION_ARGS)
{
	Numeric		x = PG_GETARG_NUMERIC(0);
	int32		typmod = PG_GETARG_INT32(1);
	int			precision = ((typmod - (int32) VARHDRSZ) >> 16) & 0xFFFF;
	int			scale = (((typmod - (int32) VARHDRSZ) & 0x7FF) ^ 1024) - 1024;
	Datum		limit;
	Datum		result;

	if (!fits(x))
		PG_RETURN_NULL();
	if (typmod < (int32) VARHDRSZ || numeric_is_nan(x))
		PG_RETURN_NUMERIC(x);
	if (numeric_is_inf(x) || precision < 1 || precision > NUMERIC_MAX_PRECISION ||
		scale < NUMERIC_MIN_SCALE || scale > NUMERIC_MAX_SCALE)
		PG_RETURN_NULL();
	result = DirectFunctionCall2(numeric_round, NumericGetDatum(x), Int32GetDatum(scale));
	limit = DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("1e%d", precision - scale)),
								ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, DirectFunctionCall1(numeric_abs, result),
										  limit)) >= 0)
		PG_RETURN_NULL();
	return result_of(fcinfo, result);
}

/* The nearest integer, halves away from zero; false if it is below lower or above upper. */
static bool
nearest(Numeric x, int64 lower, int64 upper, int64 *result)
{
	Datum		rounded;

	if (!fits(x) || is_special(x))
		return false;
	rounded = DirectFunctionCall2(numeric_round, NumericGetDatum(x), Int32GetDatum(0));
	if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, rounded,
										  NumericGetDatum(int64_to_numeric(lower)))) < 0 ||
		DatumGetInt32(DirectFunctionCall2(numeric_cmp, rounded,
										  NumericGetDatum(int64_to_numeric(upper)))) > 0)
		return false;
	*result = DatumGetInt64(DirectFunctionCall1(numeric_int8, rounded));
	return true;
}

PG_FUNCTION_INFO_V1(dpriv_try_int2_numeric);
PG_FUNCTION_INFO_V1(dpriv_try_int4_numeric);
PG_FUNCTION_INFO_V1(dpriv_try_int8_numeric);

Datum
dpriv_try_int2_numeric(PG_FUNCTION_ARGS)
{
	int64		result;

	if (!nearest(PG_GETARG_NUMERIC(0), PG_INT16_MIN, PG_INT16_MAX, &result))
		PG_RETURN_NULL();
	PG_RETURN_INT16((int16) result);
}

Datum
dpriv_try_int4_numeric(PG_FUNCTION_ARGS)
{
	int64		result;

	if (!nearest(PG_GETARG_NUMERIC(0), PG_INT32_MIN, PG_INT32_MAX, &result))
		PG_RETURN_NULL();
	PG_RETURN_INT32((int32) result);
}

Datum
dpriv_try_int8_numeric(PG_FUNCTION_ARGS)
{
	int64		result;

	if (!nearest(PG_GETARG_NUMERIC(0), PG_INT64_MIN, PG_INT64_MAX, &result))
		PG_RETURN_NULL();
	PG_RETURN_INT64(result);
}

PG_FUNCTION_INFO_V1(dpriv_try_float4_numeric);

/* By way of the decimal text, as the cast does it, so that it rounds once. */
Datum
dpriv_try_float4_numeric(PG_FUNCTION_ARGS)
{
	Numeric		x = PG_GETARG_NUMERIC(0);
	float4		result;

	if (!fits(x))
		PG_RETURN_NULL();
	if (is_special(x))
		PG_RETURN_DATUM(DirectFunctionCall1(numeric_float4, NumericGetDatum(x)));
	result = strtof(DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(x))), NULL);
	if (isinf(result) || (result == 0 && !is_zero(x)))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT4(result);
}

PG_FUNCTION_INFO_V1(dpriv_try_width_bucket_numeric);

/* The bucket after the last one needs a number as well. */
Datum
dpriv_try_width_bucket_numeric(PG_FUNCTION_ARGS)
{
	Numeric		x = PG_GETARG_NUMERIC(0);
	Numeric		first = PG_GETARG_NUMERIC(1);
	Numeric		last = PG_GETARG_NUMERIC(2);
	int32		count = PG_GETARG_INT32(3);

	if (!fits(x) || !fits(first) || !fits(last) || numeric_is_nan(x) || is_special(first) ||
		is_special(last) || count <= 0 || count == PG_INT32_MAX ||
		DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(first),
										  NumericGetDatum(last))) == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(DirectFunctionCall4(width_bucket_numeric, NumericGetDatum(x),
										NumericGetDatum(first), NumericGetDatum(last),
										Int32GetDatum(count)));
}
