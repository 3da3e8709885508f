/*
 * real.c
 *	  to_real: numeric to double precision for every numeric.
 *
 * The cast of the core raises an error for a numeric beyond the range of doubles, and an error that
 * depends on a row's value tells that value.  Here such a numeric becomes an infinity, and one too
 * close to zero becomes zero.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(dpriv_to_real);

/* to_real(numeric): nearest double; infinite or zero (never -0) if there is none; NaN for NaN. */
Datum
dpriv_to_real(PG_FUNCTION_ARGS)
{
	float8		x = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
													   PG_GETARG_DATUM(0)));

	PG_RETURN_FLOAT8(x == 0 ? 0 : x);
}
