/*
 * real.c
 *	  to_real: numeric to double precision for every numeric.
 *
 * The cast of the core raises an error for a numeric beyond the range of doubles, and an error that
 * depends on a row's value tells that value.  Here such a numeric becomes an infinity, and one too
 * close to zero becomes zero.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/*
 * Weights of a first digit of base 10,000 that is beyond all doubles: the largest is below 10^309,
 * half of the smallest above 10^-324.
 */
#define FIRST_INFINITE 78
#define LAST_ZERO (-83)

/*
 * Is a number far outside the range of doubles?  Converting it would take milliseconds if it is
 * long, and how long a row takes tells of it.  The first bytes of a numeric say where its digits
 * begin, if it does not have the short form (0x8000), which is never far.
 */
static bool
is_far(Numeric x, float8 *result)
{
	uint16		header;
	int16		weight;

	memcpy(&header, VARDATA(x), sizeof(header));
	if (header & 0x8000)
		return false;
	memcpy(&weight, VARDATA(x) + sizeof(header), sizeof(weight));
	if (weight > LAST_ZERO && weight < FIRST_INFINITE)
		return false;
	*result = weight <= LAST_ZERO ? 0 : header & 0x4000 ? -INFINITY : INFINITY;
	return true;
}

PG_FUNCTION_INFO_V1(dpriv_to_real);

/* to_real(numeric): nearest double; infinite or zero (never -0) if there is none; NaN for NaN. */
Datum
dpriv_to_real(PG_FUNCTION_ARGS)
{
	Numeric		number = PG_GETARG_NUMERIC(0);
	float8		x;

	if (!is_far(number, &x))
		x = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											   NumericGetDatum(number)));
	PG_RETURN_FLOAT8(x == 0 ? 0 : x);
}
