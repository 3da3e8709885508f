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

#include "fmgr.h"
#include "funcapi.h"
#include "guard/allowed.h"
#include "guard/conditions.h"
#include "guard/total.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

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
	"compares two values; a date beyond the timestamps is compared all the same, and the time " \
	"zone is that of the statement"
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
	"NULL where an error would be, or an operand or the result has more than 256 digits before " \
	"or after the decimal point"
#define DATE_NULL "NULL where the result is out of range or infinities have no difference"
#define STAMP_NULL \
	"NULL where a result is within a month of the ends of the range, or beyond; the time zone is " \
	"that of the statement"
#define FIELD "reads a field that every value has, or NULL or an infinity for infinite ones"
#define WIDER "every value has one of the other type"
#define BITS "works on bits"
#define ROUNDS "rounds to a double, and there is one"
#define BEGINS "begins before, within or after the text: all three have a result"
#define FINDS "finds a short text in time linear in the other"
#define MATCHES \
	"a pattern that is complete matches or does not; NULL where it and the text are so long that " \
	"this could take long"
#define CASED "NULL for texts of more than 1 MB"
#define CASED_MATCHES "NULL for texts of more than 1 MB, or of less and a long pattern"

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
	REPLACE(F_INT2PL, DPRIV_ADD_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4PL, DPRIV_ADD_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8PL, DPRIV_ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT24PL, DPRIV_ADD_INT4, OVERFLOW_NULL),
	REPLACE(F_INT42PL, DPRIV_ADD_INT4, OVERFLOW_NULL),
	REPLACE(F_INT28PL, DPRIV_ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT82PL, DPRIV_ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT48PL, DPRIV_ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_INT84PL, DPRIV_ADD_INT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4PL, DPRIV_ADD_FLOAT4, OVERFLOW_NULL),
	REPLACE(F_FLOAT8PL, DPRIV_ADD_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT48PL, DPRIV_ADD_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT84PL, DPRIV_ADD_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_NUMERIC_ADD, DPRIV_ADD_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2MI, DPRIV_SUBTRACT_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4MI, DPRIV_SUBTRACT_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8MI, DPRIV_SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT24MI, DPRIV_SUBTRACT_INT4, OVERFLOW_NULL),
	REPLACE(F_INT42MI, DPRIV_SUBTRACT_INT4, OVERFLOW_NULL),
	REPLACE(F_INT28MI, DPRIV_SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT82MI, DPRIV_SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT48MI, DPRIV_SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_INT84MI, DPRIV_SUBTRACT_INT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4MI, DPRIV_SUBTRACT_FLOAT4, OVERFLOW_NULL),
	REPLACE(F_FLOAT8MI, DPRIV_SUBTRACT_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT48MI, DPRIV_SUBTRACT_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT84MI, DPRIV_SUBTRACT_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_NUMERIC_SUB, DPRIV_SUBTRACT_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2MUL, DPRIV_MULTIPLY_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4MUL, DPRIV_MULTIPLY_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8MUL, DPRIV_MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT24MUL, DPRIV_MULTIPLY_INT4, OVERFLOW_NULL),
	REPLACE(F_INT42MUL, DPRIV_MULTIPLY_INT4, OVERFLOW_NULL),
	REPLACE(F_INT28MUL, DPRIV_MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT82MUL, DPRIV_MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT48MUL, DPRIV_MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_INT84MUL, DPRIV_MULTIPLY_INT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4MUL, DPRIV_MULTIPLY_FLOAT4, OVERFLOW_NULL),
	REPLACE(F_FLOAT8MUL, DPRIV_MULTIPLY_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT48MUL, DPRIV_MULTIPLY_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT84MUL, DPRIV_MULTIPLY_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_NUMERIC_MUL, DPRIV_MULTIPLY_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2DIV, DPRIV_DIVIDE_INT2, ZERO_NULL),
	REPLACE(F_INT4DIV, DPRIV_DIVIDE_INT4, ZERO_NULL),
	REPLACE(F_INT8DIV, DPRIV_DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT24DIV, DPRIV_DIVIDE_INT4, ZERO_NULL),
	REPLACE(F_INT42DIV, DPRIV_DIVIDE_INT4, ZERO_NULL),
	REPLACE(F_INT28DIV, DPRIV_DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT82DIV, DPRIV_DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT48DIV, DPRIV_DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_INT84DIV, DPRIV_DIVIDE_INT8, ZERO_NULL),
	REPLACE(F_FLOAT4DIV, DPRIV_DIVIDE_FLOAT4, ZERO_NULL),
	REPLACE(F_FLOAT8DIV, DPRIV_DIVIDE_FLOAT8, ZERO_NULL),
	REPLACE(F_FLOAT48DIV, DPRIV_DIVIDE_FLOAT8, ZERO_NULL),
	REPLACE(F_FLOAT84DIV, DPRIV_DIVIDE_FLOAT8, ZERO_NULL),
	REPLACE(F_NUMERIC_DIV, DPRIV_DIVIDE_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2MOD, DPRIV_REMAINDER_INT2, ZERO_NULL),
	REPLACE(F_INT4MOD, DPRIV_REMAINDER_INT4, ZERO_NULL),
	REPLACE(F_INT8MOD, DPRIV_REMAINDER_INT8, ZERO_NULL),
	REPLACE(F_MOD_INT2_INT2, DPRIV_REMAINDER_INT2, ZERO_NULL),
	REPLACE(F_MOD_INT4_INT4, DPRIV_REMAINDER_INT4, ZERO_NULL),
	REPLACE(F_MOD_INT8_INT8, DPRIV_REMAINDER_INT8, ZERO_NULL),
	REPLACE(F_NUMERIC_MOD, DPRIV_REMAINDER_NUMERIC, NUMERIC_NULL),
	REPLACE(F_MOD_NUMERIC_NUMERIC, DPRIV_REMAINDER_NUMERIC, NUMERIC_NULL),
	REPLACE(F_INT2UM, DPRIV_NEGATE_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4UM, DPRIV_NEGATE_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8UM, DPRIV_NEGATE_INT8, OVERFLOW_NULL),
	KEEP(F_FLOAT4UM, "turns the sign"),
	KEEP(F_FLOAT8UM, "turns the sign"),
	KEEP(F_NUMERIC_UMINUS, "turns the sign"),
	KEEP(F_INT2UP, "returns its argument"),
	KEEP(F_INT4UP, "returns its argument"),
	KEEP(F_INT8UP, "returns its argument"),
	KEEP(F_FLOAT4UP, "returns its argument"),
	KEEP(F_FLOAT8UP, "returns its argument"),
	KEEP(F_NUMERIC_UPLUS, "returns its argument"),
	REPLACE(F_INT2ABS, DPRIV_ABS_INT2, OVERFLOW_NULL),
	REPLACE(F_INT4ABS, DPRIV_ABS_INT4, OVERFLOW_NULL),
	REPLACE(F_INT8ABS, DPRIV_ABS_INT8, OVERFLOW_NULL),
	REPLACE(F_ABS_INT2, DPRIV_ABS_INT2, OVERFLOW_NULL),
	REPLACE(F_ABS_INT4, DPRIV_ABS_INT4, OVERFLOW_NULL),
	REPLACE(F_ABS_INT8, DPRIV_ABS_INT8, OVERFLOW_NULL),
	KEEP(F_FLOAT4ABS, "drops the sign"),
	KEEP(F_FLOAT8ABS, "drops the sign"),
	KEEP(F_ABS_FLOAT4, "drops the sign"),
	KEEP(F_ABS_FLOAT8, "drops the sign"),
	KEEP(F_NUMERIC_ABS, "drops the sign"),
	KEEP(F_ABS_NUMERIC, "drops the sign"),
	KEEP(F_SIGN_FLOAT8, "reads the sign"),
	KEEP(F_SIGN_NUMERIC, "reads the sign"),
	KEEP(F_CEIL_FLOAT8, ROUNDS),
	KEEP(F_CEILING_FLOAT8, ROUNDS),
	KEEP(F_FLOOR_FLOAT8, ROUNDS),
	KEEP(F_ROUND_FLOAT8, ROUNDS),
	KEEP(F_TRUNC_FLOAT8, ROUNDS),
	KEEP(F_TRUNC_NUMERIC_INT4, "drops digits; the number of them has a limit"),
	REPLACE(F_CEIL_NUMERIC, DPRIV_CEIL_NUMERIC, NUMERIC_NULL),
	REPLACE(F_CEILING_NUMERIC, DPRIV_CEIL_NUMERIC, NUMERIC_NULL),
	REPLACE(F_FLOOR_NUMERIC, DPRIV_FLOOR_NUMERIC, NUMERIC_NULL),
	REPLACE(F_ROUND_NUMERIC_INT4, DPRIV_ROUND_NUMERIC, NUMERIC_NULL),
	REPLACE(F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4, DPRIV_BUCKET_FLOAT8,
			"NULL where bounds are equal or not finite, the value is NaN, or there is no bucket"),
	REPLACE(F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4, DPRIV_BUCKET_NUMERIC, NUMERIC_NULL),
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
	REPLACE(F_INT2_INT4, DPRIV_INT2_OF_INT8, OVERFLOW_NULL),
	REPLACE(F_INT2_INT8, DPRIV_INT2_OF_INT8, OVERFLOW_NULL),
	REPLACE(F_INT2_FLOAT4, DPRIV_INT2_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT2_FLOAT8, DPRIV_INT2_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT2_NUMERIC, DPRIV_INT2_OF_NUMERIC, OVERFLOW_NULL),
	REPLACE(F_INT4_INT8, DPRIV_INT4_OF_INT8, OVERFLOW_NULL),
	REPLACE(F_INT4_FLOAT4, DPRIV_INT4_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT4_FLOAT8, DPRIV_INT4_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT4_NUMERIC, DPRIV_INT4_OF_NUMERIC, OVERFLOW_NULL),
	REPLACE(F_INT8_FLOAT4, DPRIV_INT8_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT8_FLOAT8, DPRIV_INT8_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_INT8_NUMERIC, DPRIV_INT8_OF_NUMERIC, OVERFLOW_NULL),
	REPLACE(F_FLOAT4_FLOAT8, DPRIV_FLOAT4_OF_FLOAT8, OVERFLOW_NULL),
	REPLACE(F_FLOAT4_NUMERIC, DPRIV_FLOAT4_OF_NUMERIC, NUMERIC_NULL),
	REPLACE(F_FLOAT8_NUMERIC, DPRIV_REAL_OF_NUMERIC,
			"infinite or 0 where the result is out of range"),
	REPLACE_IF(F_NUMERIC_NUMERIC_INT4, DPRIV_NUMERIC_OF_NUMERIC, dpriv_if_typmod, NUMERIC_NULL),

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
	KEEP_IF(F_VARCHAR_VARCHAR_INT4_BOOL, dpriv_if_cut, "cuts after whole characters"),
	KEEP_IF(F_BPCHAR_BPCHAR_INT4_BOOL, dpriv_if_cut, "cuts after whole characters or adds blanks"),
	KEEP(F_LENGTH_TEXT, "counts characters"),
	KEEP(F_LENGTH_BPCHAR, "counts characters"),
	KEEP(F_CHAR_LENGTH_TEXT, "counts characters"),
	KEEP(F_CHAR_LENGTH_BPCHAR, "counts characters"),
	KEEP(F_CHARACTER_LENGTH_TEXT, "counts characters"),
	KEEP(F_CHARACTER_LENGTH_BPCHAR, "counts characters"),
	KEEP(F_OCTET_LENGTH_TEXT, "counts bytes"),
	KEEP(F_OCTET_LENGTH_BPCHAR, "counts bytes"),
	CASE_IF(F_LOWER_TEXT, DPRIV_LOWER_TEXT, dpriv_if_letter_case, CASED),
	CASE_IF(F_UPPER_TEXT, DPRIV_UPPER_TEXT, dpriv_if_letter_case, CASED),
	KEEP(F_SUBSTRING_TEXT_INT4, BEGINS),
	KEEP(F_SUBSTR_TEXT_INT4, BEGINS),
	REPLACE_IF(F_SUBSTRING_TEXT_INT4_INT4, DPRIV_SUBSTRING_TEXT, dpriv_unless_length,
			   "NULL where the length is negative"),
	REPLACE_IF(F_SUBSTR_TEXT_INT4_INT4, DPRIV_SUBSTRING_TEXT, dpriv_unless_length,
			   "NULL where the length is negative"),
	KEEP(F_LEFT, "cuts after whole characters; every number has a result"),
	KEEP(F_RIGHT, "cuts after whole characters; every number has a result"),
	KEEP(F_BTRIM_TEXT, "drops blanks"),
	KEEP(F_LTRIM_TEXT, "drops blanks"),
	KEEP(F_RTRIM_TEXT, "drops blanks"),
	KEEP_IF(F_BTRIM_TEXT_TEXT, dpriv_if_short, "drops characters"),
	KEEP_IF(F_LTRIM_TEXT_TEXT, dpriv_if_short, "drops characters"),
	KEEP_IF(F_RTRIM_TEXT_TEXT, dpriv_if_short, "drops characters"),
	SEARCH_IF(F_POSITION_TEXT_TEXT, dpriv_if_short, FINDS),
	SEARCH_IF(F_STRPOS, dpriv_if_short, FINDS),
	SEARCH_IF(F_STARTS_WITH, dpriv_if_short, "compares bytes"),
	SEARCH_IF(F_SPLIT_PART, dpriv_if_part, FINDS),
	LIKE_IF(F_TEXTLIKE, DPRIV_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_LIKE_TEXT_TEXT, DPRIV_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_BPCHARLIKE, DPRIV_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_NAMELIKE, DPRIV_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_TEXTNLIKE, DPRIV_NOT_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_NOTLIKE_TEXT_TEXT, DPRIV_NOT_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_BPCHARNLIKE, DPRIV_NOT_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_NAMENLIKE, DPRIV_NOT_LIKE_TEXT, dpriv_if_pattern, MATCHES),
	LIKE_IF(F_TEXTICLIKE, DPRIV_ILIKE_TEXT, dpriv_if_icase, CASED_MATCHES),
	LIKE_IF(F_BPCHARICLIKE, DPRIV_ILIKE_TEXT, dpriv_if_icase, CASED_MATCHES),
	LIKE_IF(F_NAMEICLIKE, DPRIV_ILIKE_TEXT, dpriv_if_icase, CASED_MATCHES),
	LIKE_IF(F_TEXTICNLIKE, DPRIV_NOT_ILIKE_TEXT, dpriv_if_icase, CASED_MATCHES),
	LIKE_IF(F_BPCHARICNLIKE, DPRIV_NOT_ILIKE_TEXT, dpriv_if_icase, CASED_MATCHES),
	LIKE_IF(F_NAMEICNLIKE, DPRIV_NOT_ILIKE_TEXT, dpriv_if_icase, CASED_MATCHES),

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
	REPLACE(F_TIMESTAMP_DATE, DPRIV_TIMESTAMP_OF_DATE, DATE_NULL),
	REPLACE(F_TIMESTAMP_TIMESTAMPTZ, DPRIV_TIMESTAMP_OF_TIMESTAMPTZ, STAMP_NULL),
	REPLACE(F_TIMESTAMPTZ_DATE, DPRIV_TIMESTAMPTZ_OF_DATE, DATE_NULL),
	REPLACE(F_TIMESTAMPTZ_TIMESTAMP, DPRIV_TIMESTAMPTZ_OF_TIMESTAMP, DATE_NULL),
	REPLACE(F_DATE_PLI, DPRIV_ADD_DATE, DATE_NULL),
	REPLACE(F_DATE_MII, DPRIV_SUBTRACT_DATE, DATE_NULL),
	REPLACE(F_DATE_MI, DPRIV_SUBTRACT_DATES, DATE_NULL),
	REPLACE(F_DATE_PL_INTERVAL, DPRIV_ADD_TIMESTAMP, STAMP_NULL),
	REPLACE(F_DATE_MI_INTERVAL, DPRIV_SUBTRACT_TIMESTAMP, STAMP_NULL),
	REPLACE(F_TIMESTAMP_PL_INTERVAL, DPRIV_ADD_TIMESTAMP, STAMP_NULL),
	REPLACE(F_TIMESTAMP_MI_INTERVAL, DPRIV_SUBTRACT_TIMESTAMP, STAMP_NULL),
	REPLACE(F_TIMESTAMPTZ_PL_INTERVAL, DPRIV_ADD_TIMESTAMPTZ, STAMP_NULL),
	REPLACE(F_TIMESTAMPTZ_MI_INTERVAL, DPRIV_SUBTRACT_TIMESTAMPTZ, STAMP_NULL),
	REPLACE(F_TIMESTAMP_MI, DPRIV_SUBTRACT_TIMESTAMPS, DATE_NULL),
	REPLACE(F_TIMESTAMPTZ_MI, DPRIV_SUBTRACT_TIMESTAMPTZS, DATE_NULL),
	REPLACE_IF(F_DATE_TRUNC_TEXT_TIMESTAMP, DPRIV_TRUNC_TIMESTAMP, dpriv_if_trunc_field,
			   "NULL before 3999 BC and in the last year of the range"),
	REPLACE_IF(F_DATE_TRUNC_TEXT_TIMESTAMPTZ, DPRIV_TRUNC_TIMESTAMPTZ, dpriv_if_trunc_field,
			   "NULL before 3999 BC and in the last year of the range"),
	KEEP_IF(F_EXTRACT_TEXT_DATE, dpriv_if_date_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_TIME, dpriv_if_time_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_TIMESTAMP, dpriv_if_timestamp_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_TIMESTAMPTZ, dpriv_if_timestamp_field, FIELD),
	KEEP_IF(F_EXTRACT_TEXT_INTERVAL, dpriv_if_interval_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_TIME, dpriv_if_time_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_TIMESTAMP, dpriv_if_timestamp_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_TIMESTAMPTZ, dpriv_if_timestamp_field, FIELD),
	KEEP_IF(F_DATE_PART_TEXT_INTERVAL, dpriv_if_interval_field, FIELD),

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
	dpriv_total_init();
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
