/*
 * total_text.c
 *	  Functions of texts that yield NULL where PostgreSQL's raise an error.
 *
 * Patterns are looked at before they are used, and texts whose case is changed have a limit: there
 * PostgreSQL needs several times their size, and fails if that is too much.
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "guard/total.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

bool
dpriv_pattern_is_good(Datum pattern)
{
	text	   *unpacked;
	const char *data;
	int			length;
	bool		escaped = false;

	if (dpriv_text_size(pattern) > DPRIV_MAX_PATTERN)
		return false;

	/* In every encoding that a database can have, a byte like this is a backslash. */
	unpacked = DatumGetTextPP(pattern);
	data = VARDATA_ANY(unpacked);
	length = VARSIZE_ANY_EXHDR(unpacked);
	for (int i = 0; i < length; i++)
		escaped = !escaped && data[i] == '\\';
	return !escaped;
}

bool
dpriv_has_case(void)
{
	return pg_database_encoding_max_length() == 1 || GetDatabaseEncoding() == PG_UTF8;
}

#define MATCH(name, function, possible, limit) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	if (!(possible) || dpriv_text_size(PG_GETARG_DATUM(0)) > (limit) || \
		!dpriv_pattern_is_good(PG_GETARG_DATUM(1))) \
		PG_RETURN_NULL(); \
	return DirectFunctionCall2Coll(function, PG_GET_COLLATION(), PG_GETARG_DATUM(0), \
								   PG_GETARG_DATUM(1)); \
}

MATCH(dpriv_try_like, textlike, true, MaxAllocSize)
MATCH(dpriv_try_not_like, textnlike, true, MaxAllocSize)
MATCH(dpriv_try_ilike, texticlike, dpriv_has_case(), DPRIV_MAX_CASED)
MATCH(dpriv_try_not_ilike, texticnlike, dpriv_has_case(), DPRIV_MAX_CASED)

#define CHANGE_CASE(name, function) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	if (!dpriv_has_case() || dpriv_text_size(PG_GETARG_DATUM(0)) > DPRIV_MAX_CASED) \
		PG_RETURN_NULL(); \
	return DirectFunctionCall1Coll(function, PG_GET_COLLATION(), PG_GETARG_DATUM(0)); \
}

CHANGE_CASE(dpriv_try_lower, lower)
CHANGE_CASE(dpriv_try_upper, upper)

PG_FUNCTION_INFO_V1(dpriv_try_substring);

Datum
dpriv_try_substring(PG_FUNCTION_ARGS)
{
	if (PG_GETARG_INT32(2) < 0)
		PG_RETURN_NULL();
	return DirectFunctionCall3(text_substr, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1),
							   PG_GETARG_DATUM(2));
}
