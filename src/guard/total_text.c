/*
 * total_text.c
 *	  Functions of texts that yield NULL where PostgreSQL's raise an error or take long.
 *
 * Patterns are looked at before they are used, since matching can take time for each byte of the
 * pattern and each of the text.  Texts whose case is changed have a limit: there PostgreSQL needs
 * several times their size, and fails if that is too much.
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "guard/total.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

/* In every encoding that a database can have, a byte like this is a backslash or a percent sign. */
bool
dpriv_pattern_is_good(Datum pattern, bool *is_prefix)
{
	text	   *unpacked;
	const char *data;
	int			length;
	bool		escaped = false;

	if (dpriv_text_size(pattern) > DPRIV_MAX_PATTERN)
		return false;
	unpacked = DatumGetTextPP(pattern);
	data = VARDATA_ANY(unpacked);
	length = VARSIZE_ANY_EXHDR(unpacked);
	*is_prefix = true;
	for (int i = 0; i < length; i++)
	{
		if (!escaped && data[i] == '%' && i < length - 1)
			*is_prefix = false;
		escaped = !escaped && data[i] == '\\';
	}
	return !escaped;
}

/* Steps that matching a text may take. */
#define MAX_STEPS (4 * 1024 * 1024)

static bool
can_match(Datum text, Datum pattern)
{
	bool		is_prefix;

	return dpriv_pattern_is_good(pattern, &is_prefix) &&
		(is_prefix || dpriv_text_size(text) <= MAX_STEPS / Max(dpriv_text_size(pattern), 1));
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
		!can_match(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1))) \
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
