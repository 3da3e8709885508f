/*
 * allowed.c
 *	  The list of functions that may be called for every private row.
 *
 * Each is total: it raises no error for any value, has no side effect, takes time and memory in
 * proportion to its arguments, and depends on these and on settings that cannot change within a
 * statement only.  An error, or whatever else an onlooker could notice, would otherwise tell of the
 * one row that it happened for.  Functions that PostgreSQL can call on the way (casts that the
 * parser adds, comparisons of B-tree classes, support functions) must be on the list themselves or
 * see nothing but constants.
 *
 * Where the function of PostgreSQL is not total, a function of this extension replaces it.
 * Operators are judged by their functions.  What is not listed is refused.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "guard/allowed.h"
#include "guard/total.h"
#include "mb/pg_wchar.h"
#include "nodes/primnodes.h"
#include "objects.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

/* ---- Total functions ---- */

enum
{
	ADD_INT2, ADD_INT4, ADD_INT8, ADD_FLOAT4, ADD_FLOAT8, ADD_NUMERIC,
	SUBTRACT_INT2, SUBTRACT_INT4, SUBTRACT_INT8, SUBTRACT_FLOAT4, SUBTRACT_FLOAT8, SUBTRACT_NUMERIC,
	MULTIPLY_INT2, MULTIPLY_INT4, MULTIPLY_INT8, MULTIPLY_FLOAT4, MULTIPLY_FLOAT8, MULTIPLY_NUMERIC,
	DIVIDE_INT2, DIVIDE_INT4, DIVIDE_INT8, DIVIDE_FLOAT4, DIVIDE_FLOAT8, DIVIDE_NUMERIC,
	REMAINDER_INT2, REMAINDER_INT4, REMAINDER_INT8, REMAINDER_NUMERIC,
	NEGATE_INT2, NEGATE_INT4, NEGATE_INT8,
	ABS_INT2, ABS_INT4, ABS_INT8,
	CEIL_NUMERIC, FLOOR_NUMERIC, ROUND_NUMERIC,
	BUCKET_FLOAT8, BUCKET_NUMERIC,
	INT2_OF_INT8, INT2_OF_FLOAT8, INT2_OF_NUMERIC,
	INT4_OF_INT8, INT4_OF_FLOAT8, INT4_OF_NUMERIC,
	INT8_OF_FLOAT8, INT8_OF_NUMERIC,
	FLOAT4_OF_FLOAT8, FLOAT4_OF_NUMERIC,
	NUMERIC_OF_NUMERIC,
	REAL_OF_NUMERIC,
	ADD_DATE, ADD_TIMESTAMP, ADD_TIMESTAMPTZ,
	SUBTRACT_DATE, SUBTRACT_DATES, SUBTRACT_TIMESTAMP, SUBTRACT_TIMESTAMPTZ, SUBTRACT_TIMESTAMPS,
	SUBTRACT_TIMESTAMPTZS,
	TIMESTAMP_OF_DATE, TIMESTAMP_OF_TIMESTAMPTZ, TIMESTAMPTZ_OF_DATE, TIMESTAMPTZ_OF_TIMESTAMP,
	TRUNC_TIMESTAMP, TRUNC_TIMESTAMPTZ,
	LOWER_TEXT, UPPER_TEXT, SUBSTRING_TEXT,
	LIKE_TEXT, NOT_LIKE_TEXT, ILIKE_TEXT, NOT_ILIKE_TEXT,
	NTOTALS
};

#define TWO(type, name) {name, 2, {type, type}, type}
#define ONE(type, name) {name, 1, {type}, type}
#define CAST(from, to, name) {name, 1, {from}, to}

static const DprivTotal totals[NTOTALS] = {
	[ADD_INT2] = TWO(INT2OID, "try_add"),
	[ADD_INT4] = TWO(INT4OID, "try_add"),
	[ADD_INT8] = TWO(INT8OID, "try_add"),
	[ADD_FLOAT4] = TWO(FLOAT4OID, "try_add"),
	[ADD_FLOAT8] = TWO(FLOAT8OID, "try_add"),
	[ADD_NUMERIC] = TWO(NUMERICOID, "try_add"),
	[SUBTRACT_INT2] = TWO(INT2OID, "try_subtract"),
	[SUBTRACT_INT4] = TWO(INT4OID, "try_subtract"),
	[SUBTRACT_INT8] = TWO(INT8OID, "try_subtract"),
	[SUBTRACT_FLOAT4] = TWO(FLOAT4OID, "try_subtract"),
	[SUBTRACT_FLOAT8] = TWO(FLOAT8OID, "try_subtract"),
	[SUBTRACT_NUMERIC] = TWO(NUMERICOID, "try_subtract"),
	[MULTIPLY_INT2] = TWO(INT2OID, "try_multiply"),
	[MULTIPLY_INT4] = TWO(INT4OID, "try_multiply"),
	[MULTIPLY_INT8] = TWO(INT8OID, "try_multiply"),
	[MULTIPLY_FLOAT4] = TWO(FLOAT4OID, "try_multiply"),
	[MULTIPLY_FLOAT8] = TWO(FLOAT8OID, "try_multiply"),
	[MULTIPLY_NUMERIC] = TWO(NUMERICOID, "try_multiply"),
	[DIVIDE_INT2] = TWO(INT2OID, "try_divide"),
	[DIVIDE_INT4] = TWO(INT4OID, "try_divide"),
	[DIVIDE_INT8] = TWO(INT8OID, "try_divide"),
	[DIVIDE_FLOAT4] = TWO(FLOAT4OID, "try_divide"),
	[DIVIDE_FLOAT8] = TWO(FLOAT8OID, "try_divide"),
	[DIVIDE_NUMERIC] = TWO(NUMERICOID, "try_divide"),
	[REMAINDER_INT2] = TWO(INT2OID, "try_remainder"),
	[REMAINDER_INT4] = TWO(INT4OID, "try_remainder"),
	[REMAINDER_INT8] = TWO(INT8OID, "try_remainder"),
	[REMAINDER_NUMERIC] = TWO(NUMERICOID, "try_remainder"),
	[NEGATE_INT2] = ONE(INT2OID, "try_negate"),
	[NEGATE_INT4] = ONE(INT4OID, "try_negate"),
	[NEGATE_INT8] = ONE(INT8OID, "try_negate"),
	[ABS_INT2] = ONE(INT2OID, "try_abs"),
	[ABS_INT4] = ONE(INT4OID, "try_abs"),
	[ABS_INT8] = ONE(INT8OID, "try_abs"),
	[CEIL_NUMERIC] = ONE(NUMERICOID, "try_ceil"),
	[FLOOR_NUMERIC] = ONE(NUMERICOID, "try_floor"),
	[ROUND_NUMERIC] = {"try_round", 2, {NUMERICOID, INT4OID}, NUMERICOID},
	[BUCKET_FLOAT8] = {"try_width_bucket", 4, {FLOAT8OID, FLOAT8OID, FLOAT8OID, INT4OID}, INT4OID},
	[BUCKET_NUMERIC] = {"try_width_bucket", 4, {NUMERICOID, NUMERICOID, NUMERICOID, INT4OID}, INT4OID},
	[INT2_OF_INT8] = CAST(INT8OID, INT2OID, "try_smallint"),
	[INT2_OF_FLOAT8] = CAST(FLOAT8OID, INT2OID, "try_smallint"),
	[INT2_OF_NUMERIC] = CAST(NUMERICOID, INT2OID, "try_smallint"),
	[INT4_OF_INT8] = CAST(INT8OID, INT4OID, "try_integer"),
	[INT4_OF_FLOAT8] = CAST(FLOAT8OID, INT4OID, "try_integer"),
	[INT4_OF_NUMERIC] = CAST(NUMERICOID, INT4OID, "try_integer"),
	[INT8_OF_FLOAT8] = CAST(FLOAT8OID, INT8OID, "try_bigint"),
	[INT8_OF_NUMERIC] = CAST(NUMERICOID, INT8OID, "try_bigint"),
	[FLOAT4_OF_FLOAT8] = CAST(FLOAT8OID, FLOAT4OID, "try_real"),
	[FLOAT4_OF_NUMERIC] = CAST(NUMERICOID, FLOAT4OID, "try_real"),
	[NUMERIC_OF_NUMERIC] = {"try_numeric", 2, {NUMERICOID, INT4OID}, NUMERICOID},
	[REAL_OF_NUMERIC] = CAST(NUMERICOID, FLOAT8OID, "to_real"),
	[ADD_DATE] = {"try_add", 2, {DATEOID, INT4OID}, DATEOID},
	[ADD_TIMESTAMP] = {"try_add", 2, {TIMESTAMPOID, INTERVALOID}, TIMESTAMPOID},
	[ADD_TIMESTAMPTZ] = {"try_add", 2, {TIMESTAMPTZOID, INTERVALOID}, TIMESTAMPTZOID},
	[SUBTRACT_DATE] = {"try_subtract", 2, {DATEOID, INT4OID}, DATEOID},
	[SUBTRACT_DATES] = {"try_subtract", 2, {DATEOID, DATEOID}, INT4OID},
	[SUBTRACT_TIMESTAMP] = {"try_subtract", 2, {TIMESTAMPOID, INTERVALOID}, TIMESTAMPOID},
	[SUBTRACT_TIMESTAMPTZ] = {"try_subtract", 2, {TIMESTAMPTZOID, INTERVALOID}, TIMESTAMPTZOID},
	[SUBTRACT_TIMESTAMPS] = {"try_subtract", 2, {TIMESTAMPOID, TIMESTAMPOID}, INTERVALOID},
	[SUBTRACT_TIMESTAMPTZS] = {"try_subtract", 2, {TIMESTAMPTZOID, TIMESTAMPTZOID}, INTERVALOID},
	[TIMESTAMP_OF_DATE] = CAST(DATEOID, TIMESTAMPOID, "try_timestamp"),
	[TIMESTAMP_OF_TIMESTAMPTZ] = CAST(TIMESTAMPTZOID, TIMESTAMPOID, "try_timestamp"),
	[TIMESTAMPTZ_OF_DATE] = CAST(DATEOID, TIMESTAMPTZOID, "try_timestamptz"),
	[TIMESTAMPTZ_OF_TIMESTAMP] = CAST(TIMESTAMPOID, TIMESTAMPTZOID, "try_timestamptz"),
	[TRUNC_TIMESTAMP] = {"try_date_trunc", 2, {TEXTOID, TIMESTAMPOID}, TIMESTAMPOID},
	[TRUNC_TIMESTAMPTZ] = {"try_date_trunc", 2, {TEXTOID, TIMESTAMPTZOID}, TIMESTAMPTZOID},
	[LOWER_TEXT] = {"try_lower", 1, {TEXTOID}, TEXTOID, DPRIV_COLLATION_COMPARES},
	[UPPER_TEXT] = {"try_upper", 1, {TEXTOID}, TEXTOID, DPRIV_COLLATION_COMPARES},
	[SUBSTRING_TEXT] = {"try_substring", 3, {TEXTOID, INT4OID, INT4OID}, TEXTOID},
	[LIKE_TEXT] = {"try_like", 2, {TEXTOID, TEXTOID}, BOOLOID, DPRIV_COLLATION_SEARCHES},
	[NOT_LIKE_TEXT] = {"try_not_like", 2, {TEXTOID, TEXTOID}, BOOLOID, DPRIV_COLLATION_SEARCHES},
	[ILIKE_TEXT] = {"try_ilike", 2, {TEXTOID, TEXTOID}, BOOLOID, DPRIV_COLLATION_SEARCHES},
	[NOT_ILIKE_TEXT] = {"try_not_ilike", 2, {TEXTOID, TEXTOID}, BOOLOID, DPRIV_COLLATION_SEARCHES},
};

static int	slots[NTOTALS];

/* ---- Conditions ---- */

/* A constant argument that is not NULL, or NULL. */
static Const *
constant(List *args, int n)
{
	Node	   *arg = list_nth(args, n);

	return IsA(arg, Const) && !((Const *) arg)->constisnull ? (Const *) arg : NULL;
}

/* A pattern that is no constant is looked at when it comes. */
static DprivCallVerdict
check_pattern(List *args)
{
	Const	   *pattern = constant(args, 1);

	if (pattern == NULL)
		return DPRIV_CALL_REPLACE;
	return dpriv_pattern_is_good(pattern->constvalue) ? DPRIV_CALL_KEEP : DPRIV_CALL_REFUSE;
}

#define PATTERN_TEXT \
	"A pattern has at most 256 bytes and does not end with its escape character."

static const DprivCondition pattern = {PATTERN_TEXT, check_pattern};

/*
 * The multibyte encodings other than UTF8 have characters that PostgreSQL knows and the C library
 * does not, and then changing case is an error.
 */
static DprivCallVerdict
check_case(List *args)
{
	return pg_database_encoding_max_length() == 1 || GetDatabaseEncoding() == PG_UTF8 ?
		DPRIV_CALL_REPLACE : DPRIV_CALL_REFUSE;
}

static const DprivCondition letter_case = {
	"The database's encoding is UTF8 or has one byte for each character.", check_case
};

static DprivCallVerdict
check_icase(List *args)
{
	if (constant(args, 1) && check_pattern(args) == DPRIV_CALL_REFUSE)
		return DPRIV_CALL_REFUSE;
	return check_case(args);
}

static const DprivCondition icase = {
	PATTERN_TEXT " The database's encoding is UTF8 or has one byte for each character.", check_icase
};

static bool
is_short(List *args)
{
	Const	   *arg = constant(args, 1);

	return arg && dpriv_text_size(arg->constvalue) <= DPRIV_MAX_PATTERN;
}

static DprivCallVerdict
check_short(List *args)
{
	return is_short(args) ? DPRIV_CALL_KEEP : DPRIV_CALL_REFUSE;
}

static const DprivCondition short_text = {
	"The second argument is a constant of at most 256 bytes.", check_short
};

static DprivCallVerdict
check_part(List *args)
{
	Const	   *n = constant(args, 2);

	return is_short(args) && n && DatumGetInt32(n->constvalue) != 0 &&
		DatumGetInt32(n->constvalue) >= -1000 && DatumGetInt32(n->constvalue) <= 1000 ?
		DPRIV_CALL_KEEP : DPRIV_CALL_REFUSE;
}

static const DprivCondition part = {
	"The delimiter is a constant of at most 256 bytes, and the number one from 1 to 1000, or from "
	"-1000 to -1.", check_part
};

static DprivCallVerdict
check_length(List *args)
{
	Const	   *length = constant(args, 2);

	return length && DatumGetInt32(length->constvalue) >= 0 ? DPRIV_CALL_KEEP : DPRIV_CALL_REPLACE;
}

static const DprivCondition length_known = {
	"Replaced unless the length is a constant of at least 0.", check_length
};

/* A cast that is written out cuts, an implied one fails; character(n) is filled up with blanks. */
static DprivCallVerdict
check_cut(List *args)
{
	Const	   *typmod = constant(args, 1);
	Const	   *is_explicit = constant(args, 2);

	return typmod && DatumGetInt32(typmod->constvalue) <= 1000 + (int32) VARHDRSZ &&
		is_explicit && DatumGetBool(is_explicit->constvalue) ? DPRIV_CALL_KEEP : DPRIV_CALL_REFUSE;
}

static const DprivCondition cut = {
	"The cast is written out, and the length is at most 1000.", check_cut
};

static DprivCallVerdict
check_typmod(List *args)
{
	return constant(args, 1) ? DPRIV_CALL_REPLACE : DPRIV_CALL_REFUSE;
}

static const DprivCondition typmod_known = {
	"Precision and scale are constants.", check_typmod
};

/* Is the first argument a constant, and one of the names? */
static DprivCallVerdict
check_field(List *args, const char *const *names, DprivCallVerdict good)
{
	Const	   *field = constant(args, 0);
	char	   *name = field ? TextDatumGetCString(field->constvalue) : NULL;

	for (; name && *names; names++)
	{
		if (pg_strcasecmp(name, *names) == 0)
			return good;
	}
	return DPRIV_CALL_REFUSE;
}

#define DAY_FIELDS \
	"day", "month", "quarter", "year", "decade", "century", "millennium", "epoch"
#define WEEK_FIELDS "week", "dow", "isodow", "doy", "isoyear", "julian"
#define TIME_FIELDS "hour", "minute", "second", "milliseconds", "microseconds"

static DprivCallVerdict
check_date_field(List *args)
{
	static const char *const names[] = {DAY_FIELDS, WEEK_FIELDS, NULL};

	return check_field(args, names, DPRIV_CALL_KEEP);
}

static const DprivCondition date_field = {
	"The field is one of the constants day, month, quarter, year, decade, century, millennium, "
	"epoch, week, dow, isodow, doy, isoyear, julian.", check_date_field
};

static DprivCallVerdict
check_timestamp_field(List *args)
{
	static const char *const names[] = {DAY_FIELDS, WEEK_FIELDS, TIME_FIELDS, NULL};

	return check_field(args, names, DPRIV_CALL_KEEP);
}

static const DprivCondition timestamp_field = {
	"The field is one of the constants day, month, quarter, year, decade, century, millennium, "
	"epoch, week, dow, isodow, doy, isoyear, julian, hour, minute, second, milliseconds, "
	"microseconds.", check_timestamp_field
};

static DprivCallVerdict
check_interval_field(List *args)
{
	static const char *const names[] = {DAY_FIELDS, TIME_FIELDS, NULL};

	return check_field(args, names, DPRIV_CALL_KEEP);
}

static const DprivCondition interval_field = {
	"The field is one of the constants day, month, quarter, year, decade, century, millennium, "
	"epoch, hour, minute, second, milliseconds, microseconds.", check_interval_field
};

static DprivCallVerdict
check_time_field(List *args)
{
	static const char *const names[] = {TIME_FIELDS, "epoch", NULL};

	return check_field(args, names, DPRIV_CALL_KEEP);
}

static const DprivCondition time_field = {
	"The field is one of the constants hour, minute, second, milliseconds, microseconds, epoch.",
	check_time_field
};

static DprivCallVerdict
check_trunc_field(List *args)
{
	static const char *const names[] = {"week", "day", "month", "quarter", "year", "decade",
		"century", "millennium", TIME_FIELDS, NULL};

	return check_field(args, names, DPRIV_CALL_REPLACE);
}

static const DprivCondition trunc_field = {
	"The field is one of the constants microseconds, milliseconds, second, minute, hour, day, week, "
	"month, quarter, year, decade, century, millennium.", check_trunc_field
};

/* ---- The list ---- */

#define KEEP(function, reason) {function, reason, DPRIV_COLLATION_UNUSED, NULL, -1}
#define KEEP_IF(function, condition, reason) \
	{function, reason, DPRIV_COLLATION_UNUSED, &condition, -1}
#define SEARCH_IF(function, condition, reason) \
	{function, reason, DPRIV_COLLATION_SEARCHES, &condition, -1}
#define REPLACE(function, replacement, reason) \
	{function, reason, DPRIV_COLLATION_UNUSED, NULL, replacement}
#define REPLACE_IF(function, replacement, condition, reason) \
	{function, reason, DPRIV_COLLATION_UNUSED, &condition, replacement}
#define CASE_IF(function, replacement, condition, reason) \
	{function, reason, DPRIV_COLLATION_COMPARES, &condition, replacement}
#define LIKE_IF(function, replacement, condition, reason) \
	{function, reason, DPRIV_COLLATION_SEARCHES, &condition, replacement}

/* Comparisons: the operators by the words that their names are made of, and the B-tree's. */
#define ORDER "compares two values, and every pair of them has an order"
#define SIX(p) \
	KEEP(F_##p##EQ, ORDER), KEEP(F_##p##NE, ORDER), KEEP(F_##p##LT, ORDER), \
	KEEP(F_##p##LE, ORDER), KEEP(F_##p##GT, ORDER), KEEP(F_##p##GE, ORDER)
#define CROSS_ORDER \
	"compares two values; a date beyond the timestamps is compared all the same, and the time zone " \
	"is that of the statement"
#define CROSS(a, b) \
	KEEP(F_##a##_EQ_##b, CROSS_ORDER), KEEP(F_##a##_NE_##b, CROSS_ORDER), \
	KEEP(F_##a##_LT_##b, CROSS_ORDER), KEEP(F_##a##_LE_##b, CROSS_ORDER), \
	KEEP(F_##a##_GT_##b, CROSS_ORDER), KEEP(F_##a##_GE_##b, CROSS_ORDER), \
	KEEP(F_##a##_CMP_##b, CROSS_ORDER)
#define TEXT_ORDER "compares two texts by a collation that has been loaded before any row is read"
#define BY_COLLATION(function) {function, TEXT_ORDER, DPRIV_COLLATION_COMPARES, NULL, -1}
#define BYTES "compares two texts byte by byte"

/* Replacements. */
#define OVERFLOW_NULL "NULL where the result is out of range"
#define ZERO_NULL "NULL where the divisor is 0 or the result out of range"
#define NUMERIC_NULL \
	"NULL where an error would be, or an operand or the result has more than 256 digits before or " \
	"after the decimal point"
#define DATE_NULL "NULL where the result is out of range or infinities have no difference"
#define STAMP_NULL \
	"NULL where a result is within a month of the ends of the range, or beyond; the time zone is " \
	"that of the statement"
#define FIELD "reads a field that every value has, or NULL or an infinity for infinite ones"
#define WIDER "every value has one of the other type"
#define BITS "works on bits"

static const DprivAllowed list[] = {
	/* booleans */
	SIX(BOOL),
	KEEP(F_BTBOOLCMP, ORDER),
	KEEP(F_INT4_BOOL, WIDER),
	KEEP(F_BOOL_INT4, WIDER),
	KEEP(F_TEXT_BOOL, WIDER),

	/* numbers: comparisons */
	SIX(INT2), SIX(INT4), SIX(INT8), SIX(INT24), SIX(INT42), SIX(INT28), SIX(INT82), SIX(INT48),
	SIX(INT84), SIX(FLOAT4), SIX(FLOAT8), SIX(FLOAT48), SIX(FLOAT84), SIX(NUMERIC_), SIX(OID),
	SIX(CASH_),
	KEEP(F_BTINT2CMP, ORDER),
	KEEP(F_BTINT4CMP, ORDER),
	KEEP(F_BTINT8CMP, ORDER),
	KEEP(F_BTINT24CMP, ORDER),
	KEEP(F_BTINT42CMP, ORDER),
	KEEP(F_BTINT28CMP, ORDER),
	KEEP(F_BTINT82CMP, ORDER),
	KEEP(F_BTINT48CMP, ORDER),
	KEEP(F_BTINT84CMP, ORDER),
	KEEP(F_BTFLOAT4CMP, ORDER),
	KEEP(F_BTFLOAT8CMP, ORDER),
	KEEP(F_BTFLOAT48CMP, ORDER),
	KEEP(F_BTFLOAT84CMP, ORDER),
	KEEP(F_NUMERIC_CMP, ORDER),
	KEEP(F_BTOIDCMP, ORDER),
	KEEP(F_CASH_CMP, ORDER),

	/* numbers: arithmetic */
	REPLACE(F_INT2PL, ADD_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4PL, ADD_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8PL, ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT24PL, ADD_INT4, OVERFLOW_NULL),
	REPLACE(F_INT42PL, ADD_INT4, OVERFLOW_NULL),
	REPLACE(F_INT28PL, ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT82PL, ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT48PL, ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT84PL, ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4PL, ADD_FLOAT4, OVERFLOW_NULL),
	REPLACE(F_FLOAT8PL, ADD_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT48PL, ADD_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT84PL, ADD_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_NUMERIC_ADD, ADD_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2MI, SUBTRACT_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4MI, SUBTRACT_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8MI, SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT24MI, SUBTRACT_INT4, OVERFLOW_NULL),
	REPLACE(F_INT42MI, SUBTRACT_INT4, OVERFLOW_NULL),
	REPLACE(F_INT28MI, SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT82MI, SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT48MI, SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT84MI, SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4MI, SUBTRACT_FLOAT4, OVERFLOW_NULL),
	REPLACE(F_FLOAT8MI, SUBTRACT_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT48MI, SUBTRACT_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT84MI, SUBTRACT_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_NUMERIC_SUB, SUBTRACT_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2MUL, MULTIPLY_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4MUL, MULTIPLY_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8MUL, MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT24MUL, MULTIPLY_INT4, OVERFLOW_NULL),
	REPLACE(F_INT42MUL, MULTIPLY_INT4, OVERFLOW_NULL),
	REPLACE(F_INT28MUL, MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT82MUL, MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT48MUL, MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT84MUL, MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4MUL, MULTIPLY_FLOAT4, OVERFLOW_NULL),
	REPLACE(F_FLOAT8MUL, MULTIPLY_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT48MUL, MULTIPLY_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT84MUL, MULTIPLY_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_NUMERIC_MUL, MULTIPLY_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2DIV, DIVIDE_INT2, ZERO_NULL),
	REPLACE(F_INT4DIV, DIVIDE_INT4, ZERO_NULL),
	REPLACE(F_INT8DIV, DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT24DIV, DIVIDE_INT4, ZERO_NULL),
	REPLACE(F_INT42DIV, DIVIDE_INT4, ZERO_NULL),
	REPLACE(F_INT28DIV, DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT82DIV, DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT48DIV, DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT84DIV, DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_FLOAT4DIV, DIVIDE_FLOAT4, ZERO_NULL),
	REPLACE(F_FLOAT8DIV, DIVIDE_FLOAT8, ZERO_NULL),
	REPLACE(F_FLOAT48DIV, DIVIDE_FLOAT8, ZERO_NULL),
	REPLACE(F_FLOAT84DIV, DIVIDE_FLOAT8, ZERO_NULL),
	REPLACE(F_NUMERIC_DIV, DIVIDE_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2MOD, REMAINDER_INT2, ZERO_NULL),
	REPLACE(F_INT4MOD, REMAINDER_INT4, ZERO_NULL),
	REPLACE(F_INT8MOD, REMAINDER_INT8, ZERO_NULL),
	REPLACE(F_MOD_INT2_INT2, REMAINDER_INT2, ZERO_NULL),
	REPLACE(F_MOD_INT4_INT4, REMAINDER_INT4, ZERO_NULL),
	REPLACE(F_MOD_INT8_INT8, REMAINDER_INT8, ZERO_NULL),
	REPLACE(F_NUMERIC_MOD, REMAINDER_NUMERIC, NUMERIC_NULL),
	REPLACE(F_MOD_NUMERIC_NUMERIC, REMAINDER_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2UM, NEGATE_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4UM, NEGATE_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8UM, NEGATE_INT8, OVERFLOW_NULL),
	KEEP(F_FLOAT4UM, "turns the sign"),
	KEEP(F_FLOAT8UM, "turns the sign"),
	KEEP(F_NUMERIC_UMINUS, "turns the sign"),
	KEEP(F_INT2UP, "returns its argument"),
	KEEP(F_INT4UP, "returns its argument"),
	KEEP(F_INT8UP, "returns its argument"),
	KEEP(F_FLOAT4UP, "returns its argument"),
	KEEP(F_FLOAT8UP, "returns its argument"),
	KEEP(F_NUMERIC_UPLUS, "returns its argument"),
	REPLACE(F_INT2ABS, ABS_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4ABS, ABS_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8ABS, ABS_INT8, OVERFLOW_NULL),
	REPLACE(F_ABS_INT2, ABS_INT2, OVERFLOW_NULL),
	REPLACE(F_ABS_INT4, ABS_INT4, OVERFLOW_NULL),
	REPLACE(F_ABS_INT8, ABS_INT8, OVERFLOW_NULL),
	KEEP(F_FLOAT4ABS, "drops the sign"),
	KEEP(F_FLOAT8ABS, "drops the sign"),
	KEEP(F_ABS_FLOAT4, "drops the sign"),
	KEEP(F_ABS_FLOAT8, "drops the sign"),
	KEEP(F_NUMERIC_ABS, "drops the sign"),
	KEEP(F_ABS_NUMERIC, "drops the sign"),
	KEEP(F_SIGN_FLOAT8, "reads the sign"),
	KEEP(F_SIGN_NUMERIC, "reads the sign"),
	KEEP(F_CEIL_FLOAT8, "rounds to a double, and there is one"),
	KEEP(F_CEILING_FLOAT8, "rounds to a double, and there is one"),
	KEEP(F_FLOOR_FLOAT8, "rounds to a double, and there is one"),
	KEEP(F_ROUND_FLOAT8, "rounds to a double, and there is one"),
	KEEP(F_TRUNC_FLOAT8, "rounds to a double, and there is one"),
	KEEP(F_TRUNC_NUMERIC_INT4, "drops digits; the number of them has a limit"),
	REPLACE(F_CEIL_NUMERIC, CEIL_NUMERIC, NUMERIC_NULL),
	REPLACE(F_CEILING_NUMERIC, CEIL_NUMERIC, NUMERIC_NULL),
	REPLACE(F_FLOOR_NUMERIC, FLOOR_NUMERIC, NUMERIC_NULL),
	REPLACE(F_ROUND_NUMERIC_INT4, ROUND_NUMERIC, NUMERIC_NULL),
	REPLACE(F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4, BUCKET_FLOAT8,
			"NULL where bounds are equal or not finite, the value is NaN, or there is no bucket"),
	REPLACE(F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4, BUCKET_NUMERIC, NUMERIC_NULL),
	KEEP(F_INT2AND, BITS), KEEP(F_INT2OR, BITS), KEEP(F_INT2XOR, BITS), KEEP(F_INT2NOT, BITS),
	KEEP(F_INT4AND, BITS), KEEP(F_INT4OR, BITS), KEEP(F_INT4XOR, BITS), KEEP(F_INT4NOT, BITS),
	KEEP(F_INT8AND, BITS), KEEP(F_INT8OR, BITS), KEEP(F_INT8XOR, BITS), KEEP(F_INT8NOT, BITS),

	/* numbers: casts */
	KEEP(F_INT4_INT2, WIDER),
	KEEP(F_INT8_INT2, WIDER),
	KEEP(F_INT8_INT4, WIDER),
	KEEP(F_FLOAT4_INT2, WIDER),
	KEEP(F_FLOAT4_INT4, WIDER),
	KEEP(F_FLOAT4_INT8, WIDER),
	KEEP(F_FLOAT8_INT2, WIDER),
	KEEP(F_FLOAT8_INT4, WIDER),
	KEEP(F_FLOAT8_INT8, WIDER),
	KEEP(F_FLOAT8_FLOAT4, WIDER),
	KEEP(F_NUMERIC_INT2, WIDER),
	KEEP(F_NUMERIC_INT4, WIDER),
	KEEP(F_NUMERIC_INT8, WIDER),
	KEEP(F_NUMERIC_FLOAT4, WIDER),
	KEEP(F_NUMERIC_FLOAT8, WIDER),
	REPLACE(F_INT2_INT4, INT2_OF_INT8, OVERFLOW_NULL),
	REPLACE(F_INT2_INT8, INT2_OF_INT8, OVERFLOW_NULL),
	REPLACE(F_INT2_FLOAT4, INT2_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT2_FLOAT8, INT2_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT2_NUMERIC, INT2_OF_NUMERIC, OVERFLOW_NULL),
	REPLACE(F_INT4_INT8, INT4_OF_INT8, OVERFLOW_NULL),
	REPLACE(F_INT4_FLOAT4, INT4_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT4_FLOAT8, INT4_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT4_NUMERIC, INT4_OF_NUMERIC, OVERFLOW_NULL),
	REPLACE(F_INT8_FLOAT4, INT8_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT8_FLOAT8, INT8_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT8_NUMERIC, INT8_OF_NUMERIC, OVERFLOW_NULL),
	REPLACE(F_FLOAT4_FLOAT8, FLOAT4_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4_NUMERIC, FLOAT4_OF_NUMERIC, NUMERIC_NULL),
	REPLACE(F_FLOAT8_NUMERIC, REAL_OF_NUMERIC, "infinite or 0 where the result is out of range"),
	REPLACE_IF(F_NUMERIC_NUMERIC_INT4, NUMERIC_OF_NUMERIC, typmod_known, NUMERIC_NULL),

	/* text */
	BY_COLLATION(F_TEXTEQ), BY_COLLATION(F_TEXTNE), BY_COLLATION(F_TEXT_LT),
	BY_COLLATION(F_TEXT_LE), BY_COLLATION(F_TEXT_GT), BY_COLLATION(F_TEXT_GE),
	BY_COLLATION(F_BTTEXTCMP),
	BY_COLLATION(F_BPCHAREQ), BY_COLLATION(F_BPCHARNE), BY_COLLATION(F_BPCHARLT),
	BY_COLLATION(F_BPCHARLE), BY_COLLATION(F_BPCHARGT), BY_COLLATION(F_BPCHARGE),
	BY_COLLATION(F_BPCHARCMP),
	BY_COLLATION(F_NAMEEQ), BY_COLLATION(F_NAMENE), BY_COLLATION(F_NAMELT),
	BY_COLLATION(F_NAMELE), BY_COLLATION(F_NAMEGT), BY_COLLATION(F_NAMEGE),
	BY_COLLATION(F_BTNAMECMP),
	BY_COLLATION(F_NAMEEQTEXT), BY_COLLATION(F_NAMENETEXT), BY_COLLATION(F_NAMELTTEXT),
	BY_COLLATION(F_NAMELETEXT), BY_COLLATION(F_NAMEGTTEXT), BY_COLLATION(F_NAMEGETEXT),
	BY_COLLATION(F_BTNAMETEXTCMP),
	BY_COLLATION(F_TEXTEQNAME), BY_COLLATION(F_TEXTNENAME), BY_COLLATION(F_TEXTLTNAME),
	BY_COLLATION(F_TEXTLENAME), BY_COLLATION(F_TEXTGTNAME), BY_COLLATION(F_TEXTGENAME),
	BY_COLLATION(F_BTTEXTNAMECMP),
	KEEP(F_TEXT_PATTERN_LT, BYTES), KEEP(F_TEXT_PATTERN_LE, BYTES),
	KEEP(F_TEXT_PATTERN_GT, BYTES), KEEP(F_TEXT_PATTERN_GE, BYTES),
	KEEP(F_BTTEXT_PATTERN_CMP, BYTES),
	KEEP(F_BPCHAR_PATTERN_LT, BYTES), KEEP(F_BPCHAR_PATTERN_LE, BYTES),
	KEEP(F_BPCHAR_PATTERN_GT, BYTES), KEEP(F_BPCHAR_PATTERN_GE, BYTES),
	KEEP(F_BTBPCHAR_PATTERN_CMP, BYTES),
	SIX(CHAR),
	KEEP(F_BTCHARCMP, ORDER),
	KEEP(F_TEXT_BPCHAR, "drops blanks at the end"),
	KEEP(F_TEXT_NAME, WIDER),
	KEEP(F_NAME_TEXT, "cuts after whole characters"),
	KEEP(F_BPCHAR_NAME, WIDER),
	KEEP(F_NAME_BPCHAR, "cuts after whole characters"),
	KEEP(F_VARCHAR_NAME, WIDER),
	KEEP(F_NAME_VARCHAR, "cuts after whole characters"),
	KEEP_IF(F_VARCHAR_VARCHAR_INT4_BOOL, cut, "cuts after whole characters"),
	KEEP_IF(F_BPCHAR_BPCHAR_INT4_BOOL, cut, "cuts after whole characters or adds blanks"),
	KEEP(F_LENGTH_TEXT, "counts characters"),
	KEEP(F_LENGTH_BPCHAR, "counts characters"),
	KEEP(F_CHAR_LENGTH_TEXT, "counts characters"),
	KEEP(F_CHAR_LENGTH_BPCHAR, "counts characters"),
	KEEP(F_CHARACTER_LENGTH_TEXT, "counts characters"),
	KEEP(F_CHARACTER_LENGTH_BPCHAR, "counts characters"),
	KEEP(F_OCTET_LENGTH_TEXT, "counts bytes"),
	KEEP(F_OCTET_LENGTH_BPCHAR, "counts bytes"),
	CASE_IF(F_LOWER_TEXT, LOWER_TEXT, letter_case, "NULL for texts of more than 1 MB"),
	CASE_IF(F_UPPER_TEXT, UPPER_TEXT, letter_case, "NULL for texts of more than 1 MB"),
	KEEP(F_SUBSTRING_TEXT_INT4, "begins before, within or after the text: all three have a result"),
	KEEP(F_SUBSTR_TEXT_INT4, "begins before, within or after the text: all three have a result"),
	REPLACE_IF(F_SUBSTRING_TEXT_INT4_INT4, SUBSTRING_TEXT, length_known,
			   "NULL where the length is negative"),
	REPLACE_IF(F_SUBSTR_TEXT_INT4_INT4, SUBSTRING_TEXT, length_known,
			   "NULL where the length is negative"),
	KEEP(F_LEFT, "cuts after whole characters; every number has a result"),
	KEEP(F_RIGHT, "cuts after whole characters; every number has a result"),
	KEEP(F_BTRIM_TEXT, "drops blanks"),
	KEEP(F_LTRIM_TEXT, "drops blanks"),
	KEEP(F_RTRIM_TEXT, "drops blanks"),
	KEEP_IF(F_BTRIM_TEXT_TEXT, short_text, "drops characters"),
	KEEP_IF(F_LTRIM_TEXT_TEXT, short_text, "drops characters"),
	KEEP_IF(F_RTRIM_TEXT_TEXT, short_text, "drops characters"),
	SEARCH_IF(F_POSITION_TEXT_TEXT, short_text, "finds a short text in time linear in the other"),
	SEARCH_IF(F_STRPOS, short_text, "finds a short text in time linear in the other"),
	SEARCH_IF(F_STARTS_WITH, short_text, "compares bytes"),
	SEARCH_IF(F_SPLIT_PART, part, "finds a short text in time linear in the other"),
	LIKE_IF(F_TEXTLIKE, LIKE_TEXT, pattern, "a pattern that is complete matches or does not"),
	LIKE_IF(F_LIKE_TEXT_TEXT, LIKE_TEXT, pattern, "a pattern that is complete matches or does not"),
	LIKE_IF(F_BPCHARLIKE, LIKE_TEXT, pattern, "a pattern that is complete matches or does not"),
	LIKE_IF(F_NAMELIKE, LIKE_TEXT, pattern, "a pattern that is complete matches or does not"),
	LIKE_IF(F_TEXTNLIKE, NOT_LIKE_TEXT, pattern, "a pattern that is complete matches or does not"),
	LIKE_IF(F_NOTLIKE_TEXT_TEXT, NOT_LIKE_TEXT, pattern,
			"a pattern that is complete matches or does not"),
	LIKE_IF(F_BPCHARNLIKE, NOT_LIKE_TEXT, pattern, "a pattern that is complete matches or does not"),
	LIKE_IF(F_NAMENLIKE, NOT_LIKE_TEXT, pattern, "a pattern that is complete matches or does not"),
	LIKE_IF(F_TEXTICLIKE, ILIKE_TEXT, icase, "NULL for texts of more than 1 MB"),
	LIKE_IF(F_BPCHARICLIKE, ILIKE_TEXT, icase, "NULL for texts of more than 1 MB"),
	LIKE_IF(F_NAMEICLIKE, ILIKE_TEXT, icase, "NULL for texts of more than 1 MB"),
	LIKE_IF(F_TEXTICNLIKE, NOT_ILIKE_TEXT, icase, "NULL for texts of more than 1 MB"),
	LIKE_IF(F_BPCHARICNLIKE, NOT_ILIKE_TEXT, icase, "NULL for texts of more than 1 MB"),
	LIKE_IF(F_NAMEICNLIKE, NOT_ILIKE_TEXT, icase, "NULL for texts of more than 1 MB"),

	/* dates and times */
	SIX(DATE_), SIX(TIME_), SIX(TIMETZ_), SIX(TIMESTAMP_), SIX(TIMESTAMPTZ_), SIX(INTERVAL_),
	KEEP(F_DATE_CMP, ORDER),
	KEEP(F_TIME_CMP, ORDER),
	KEEP(F_TIMETZ_CMP, ORDER),
	KEEP(F_TIMESTAMP_CMP, ORDER),
	KEEP(F_TIMESTAMPTZ_CMP, ORDER),
	KEEP(F_INTERVAL_CMP, ORDER),
	CROSS(DATE, TIMESTAMP), CROSS(TIMESTAMP, DATE), CROSS(DATE, TIMESTAMPTZ),
	CROSS(TIMESTAMPTZ, DATE), CROSS(TIMESTAMP, TIMESTAMPTZ), CROSS(TIMESTAMPTZ, TIMESTAMP),
	KEEP(F_ISFINITE_DATE, ORDER),
	KEEP(F_ISFINITE_TIMESTAMP, ORDER),
	KEEP(F_ISFINITE_TIMESTAMPTZ, ORDER),
	KEEP(F_ISFINITE_INTERVAL, ORDER),
	KEEP(F_DATE_TIMESTAMP, WIDER),
	KEEP(F_DATE_TIMESTAMPTZ, WIDER),
	KEEP(F_TIME_TIMESTAMP, WIDER),
	KEEP(F_TIME_TIMESTAMPTZ, WIDER),
	KEEP(F_TIME_MI_TIME, "less than a day"),
	KEEP(F_NOW, "when the transaction began"),
	KEEP(F_TRANSACTION_TIMESTAMP, "when the transaction began"),
	KEEP(F_STATEMENT_TIMESTAMP, "when the statement arrived"),
	REPLACE(F_TIMESTAMP_DATE, TIMESTAMP_OF_DATE, DATE_NULL),
	REPLACE(F_TIMESTAMP_TIMESTAMPTZ, TIMESTAMP_OF_TIMESTAMPTZ, STAMP_NULL),
	REPLACE(F_TIMESTAMPTZ_DATE, TIMESTAMPTZ_OF_DATE, DATE_NULL),
	REPLACE(F_TIMESTAMPTZ_TIMESTAMP, TIMESTAMPTZ_OF_TIMESTAMP, DATE_NULL),
	REPLACE(F_DATE_PLI, ADD_DATE, DATE_NULL),
	REPLACE(F_DATE_MII, SUBTRACT_DATE, DATE_NULL),
	REPLACE(F_DATE_MI, SUBTRACT_DATES, DATE_NULL),
	REPLACE(F_DATE_PL_INTERVAL, ADD_TIMESTAMP, STAMP_NULL),
	REPLACE(F_DATE_MI_INTERVAL, SUBTRACT_TIMESTAMP, STAMP_NULL),
	REPLACE(F_TIMESTAMP_PL_INTERVAL, ADD_TIMESTAMP, STAMP_NULL),
	REPLACE(F_TIMESTAMP_MI_INTERVAL, SUBTRACT_TIMESTAMP, STAMP_NULL),
	REPLACE(F_TIMESTAMPTZ_PL_INTERVAL, ADD_TIMESTAMPTZ, STAMP_NULL),
	REPLACE(F_TIMESTAMPTZ_MI_INTERVAL, SUBTRACT_TIMESTAMPTZ, STAMP_NULL),
	REPLACE(F_TIMESTAMP_MI, SUBTRACT_TIMESTAMPS, DATE_NULL),
	REPLACE(F_TIMESTAMPTZ_MI, SUBTRACT_TIMESTAMPTZS, DATE_NULL),
	REPLACE_IF(F_DATE_TRUNC_TEXT_TIMESTAMP, TRUNC_TIMESTAMP, trunc_field,
			   "NULL before 3999 BC and in the last year of the range"),
	REPLACE_IF(F_DATE_TRUNC_TEXT_TIMESTAMPTZ, TRUNC_TIMESTAMPTZ, trunc_field,
			   "NULL before 3999 BC and in the last year of the range"),
	KEEP_IF(F_EXTRACT_TEXT_DATE, date_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_TIME, time_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_TIMESTAMP, timestamp_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_TIMESTAMPTZ, timestamp_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_INTERVAL, interval_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_TIME, time_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_TIMESTAMP, timestamp_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_TIMESTAMPTZ, timestamp_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_INTERVAL, interval_field, FIELD),

	/* enums, identifiers, addresses, bits and bytes */
	SIX(ENUM_),
	KEEP(F_ENUM_CMP, ORDER),
	SIX(UUID_),
	KEEP(F_UUID_CMP, ORDER),
	SIX(NETWORK_),
	KEEP(F_NETWORK_CMP, ORDER),
	KEEP(F_NETWORK_SUB, "compares two addresses"),
	KEEP(F_NETWORK_SUBEQ, "compares two addresses"),
	KEEP(F_NETWORK_SUP, "compares two addresses"),
	KEEP(F_NETWORK_SUPEQ, "compares two addresses"),
	KEEP(F_NETWORK_OVERLAP, "compares two addresses"),
	KEEP(F_FAMILY, "every address has one"),
	KEEP(F_MASKLEN, "every address has one"),
	SIX(MACADDR_),
	KEEP(F_MACADDR_CMP, ORDER),
	SIX(MACADDR8_),
	KEEP(F_MACADDR8_CMP, ORDER),
	SIX(BIT),
	KEEP(F_BITCMP, ORDER),
	SIX(BYTEA),
	KEEP(F_BYTEACMP, ORDER),
	KEEP(F_LENGTH_BYTEA, "counts bytes"),
	KEEP(F_OCTET_LENGTH_BYTEA, "counts bytes"),
};

static const DprivAllowed *by_oid[lengthof(list)];

static int
compare_functions(const void *a, const void *b)
{
	Oid			x = (*(const DprivAllowed *const *) a)->function;
	Oid			y = (*(const DprivAllowed *const *) b)->function;

	return x < y ? -1 : x > y;
}

void
dpriv_allowed_init(void)
{
	for (int i = 0; i < NTOTALS; i++)
	{
		DprivFunctionName name = {true, totals[i].name, totals[i].nargs};

		memcpy(name.argtypes, totals[i].argtypes, sizeof(totals[i].argtypes));
		slots[i] = i == REAL_OF_NUMERIC ? DPRIV_TO_REAL : dpriv_objects_declare(&name);
	}
	for (int i = 0; i < lengthof(list); i++)
		by_oid[i] = &list[i];
	qsort(by_oid, lengthof(list), sizeof(by_oid[0]), compare_functions);
}

const DprivAllowed *
dpriv_allowed_find(Oid function)
{
	DprivAllowed key = {function};
	const DprivAllowed *search = &key;
	const DprivAllowed **found = bsearch(&search, by_oid, lengthof(list), sizeof(by_oid[0]),
										 compare_functions);

	return found ? *found : NULL;
}

DprivCallVerdict
dpriv_allowed_verdict(const DprivAllowed *allowed, List *args)
{
	if (allowed->condition)
		return allowed->condition->check(args);
	return allowed->replacement >= 0 ? DPRIV_CALL_REPLACE : DPRIV_CALL_KEEP;
}

const DprivTotal *
dpriv_total(int number)
{
	return &totals[number];
}

Oid
dpriv_total_oid(int number)
{
	Oid			function = dpriv_object(slots[number]);

	if (!OidIsValid(function))
		elog(ERROR, "extension dpriv lacks a total function");
	return function;
}

const DprivTotal *
dpriv_total_find(Oid function)
{
	int			slot = dpriv_object_slot(function);

	for (int i = 0; slot >= 0 && i < NTOTALS; i++)
	{
		if (slots[i] == slot)
			return &totals[i];
	}
	return NULL;
}

Oid
dpriv_total_timestamp_of_date(void)
{
	return dpriv_total_oid(TIMESTAMP_OF_DATE);
}

PG_FUNCTION_INFO_V1(dpriv_allowed_functions);

/* allowed_functions(): the list, for people and for the tests. */
Datum
dpriv_allowed_functions(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < lengthof(list); i++)
	{
		Datum		values[4] = {ObjectIdGetDatum(list[i].function),
		CStringGetTextDatum(list[i].reason)};
		bool		nulls[4] = {false, false, true, true};

		if (list[i].condition)
		{
			values[2] = CStringGetTextDatum(list[i].condition->text);
			nulls[2] = false;
		}
		if (list[i].replacement >= 0)
		{
			values[3] = ObjectIdGetDatum(dpriv_total_oid(list[i].replacement));
			nulls[3] = false;
		}
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
