/*
 * total.c
 *	  The total functions: what takes the place of functions of PostgreSQL that can fail.
 *
 * They are recognised by OID, as everything that the extension owns.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "guard/allowed.h"
#include "guard/total.h"
#include "objects.h"
#include "utils/lsyscache.h"

#define TWO(type, name) {name, 2, {type, type}, type}
#define ONE(type, name) {name, 1, {type}, type}
#define MOVE(type, name) {name, 2, {type, INTERVALOID}, type}
#define BETWEEN(type) {"try_subtract", 2, {type, type}, INTERVALOID}
#define MATCH(name) {name, 2, {TEXTOID, TEXTOID}, BOOLOID, DPRIV_COLLATION_SEARCHES}
#define CAST(from, to, name) {name, 1, {from}, to}

static const DprivTotal totals[DPRIV_NTOTALS] = {
	[DPRIV_ADD_INT2] = TWO(INT2OID, "try_add"),
	[DPRIV_ADD_INT4] = TWO(INT4OID, "try_add"),
	[DPRIV_ADD_INT8] = TWO(INT8OID, "try_add"),
	[DPRIV_ADD_FLOAT4] = TWO(FLOAT4OID, "try_add"),
	[DPRIV_ADD_FLOAT8] = TWO(FLOAT8OID, "try_add"),
	[DPRIV_ADD_NUMERIC] = TWO(NUMERICOID, "try_add"),
	[DPRIV_SUBTRACT_INT2] = TWO(INT2OID, "try_subtract"),
	[DPRIV_SUBTRACT_INT4] = TWO(INT4OID, "try_subtract"),
	[DPRIV_SUBTRACT_INT8] = TWO(INT8OID, "try_subtract"),
	[DPRIV_SUBTRACT_FLOAT4] = TWO(FLOAT4OID, "try_subtract"),
	[DPRIV_SUBTRACT_FLOAT8] = TWO(FLOAT8OID, "try_subtract"),
	[DPRIV_SUBTRACT_NUMERIC] = TWO(NUMERICOID, "try_subtract"),
	[DPRIV_MULTIPLY_INT2] = TWO(INT2OID, "try_multiply"),
	[DPRIV_MULTIPLY_INT4] = TWO(INT4OID, "try_multiply"),
	[DPRIV_MULTIPLY_INT8] = TWO(INT8OID, "try_multiply"),
	[DPRIV_MULTIPLY_FLOAT4] = TWO(FLOAT4OID, "try_multiply"),
	[DPRIV_MULTIPLY_FLOAT8] = TWO(FLOAT8OID, "try_multiply"),
	[DPRIV_MULTIPLY_NUMERIC] = TWO(NUMERICOID, "try_multiply"),
	[DPRIV_DIVIDE_INT2] = TWO(INT2OID, "try_divide"),
	[DPRIV_DIVIDE_INT4] = TWO(INT4OID, "try_divide"),
	[DPRIV_DIVIDE_INT8] = TWO(INT8OID, "try_divide"),
	[DPRIV_DIVIDE_FLOAT4] = TWO(FLOAT4OID, "try_divide"),
	[DPRIV_DIVIDE_FLOAT8] = TWO(FLOAT8OID, "try_divide"),
	[DPRIV_DIVIDE_NUMERIC] = TWO(NUMERICOID, "try_divide"),
	[DPRIV_REMAINDER_INT2] = TWO(INT2OID, "try_remainder"),
	[DPRIV_REMAINDER_INT4] = TWO(INT4OID, "try_remainder"),
	[DPRIV_REMAINDER_INT8] = TWO(INT8OID, "try_remainder"),
	[DPRIV_REMAINDER_NUMERIC] = TWO(NUMERICOID, "try_remainder"),
	[DPRIV_NEGATE_INT2] = ONE(INT2OID, "try_negate"),
	[DPRIV_NEGATE_INT4] = ONE(INT4OID, "try_negate"),
	[DPRIV_NEGATE_INT8] = ONE(INT8OID, "try_negate"),
	[DPRIV_ABS_INT2] = ONE(INT2OID, "try_abs"),
	[DPRIV_ABS_INT4] = ONE(INT4OID, "try_abs"),
	[DPRIV_ABS_INT8] = ONE(INT8OID, "try_abs"),
	[DPRIV_CEIL_NUMERIC] = ONE(NUMERICOID, "try_ceil"),
	[DPRIV_FLOOR_NUMERIC] = ONE(NUMERICOID, "try_floor"),
	[DPRIV_ROUND_NUMERIC] = {"try_round", 2, {NUMERICOID, INT4OID}, NUMERICOID},
	[DPRIV_BUCKET_FLOAT8] = {"try_width_bucket", 4, {FLOAT8OID, FLOAT8OID, FLOAT8OID, INT4OID},
	INT4OID},
	[DPRIV_BUCKET_NUMERIC] = {"try_width_bucket", 4, {NUMERICOID, NUMERICOID, NUMERICOID, INT4OID},
	INT4OID},
	[DPRIV_INT2_OF_INT8] = CAST(INT8OID, INT2OID, "try_smallint"),
	[DPRIV_INT2_OF_FLOAT8] = CAST(FLOAT8OID, INT2OID, "try_smallint"),
	[DPRIV_INT2_OF_NUMERIC] = CAST(NUMERICOID, INT2OID, "try_smallint"),
	[DPRIV_INT4_OF_INT8] = CAST(INT8OID, INT4OID, "try_integer"),
	[DPRIV_INT4_OF_FLOAT8] = CAST(FLOAT8OID, INT4OID, "try_integer"),
	[DPRIV_INT4_OF_NUMERIC] = CAST(NUMERICOID, INT4OID, "try_integer"),
	[DPRIV_INT8_OF_FLOAT8] = CAST(FLOAT8OID, INT8OID, "try_bigint"),
	[DPRIV_INT8_OF_NUMERIC] = CAST(NUMERICOID, INT8OID, "try_bigint"),
	[DPRIV_FLOAT4_OF_FLOAT8] = CAST(FLOAT8OID, FLOAT4OID, "try_real"),
	[DPRIV_FLOAT4_OF_NUMERIC] = CAST(NUMERICOID, FLOAT4OID, "try_real"),
	[DPRIV_NUMERIC_OF_NUMERIC] = {"try_numeric", 2, {NUMERICOID, INT4OID}, NUMERICOID},
	[DPRIV_REAL_OF_NUMERIC] = CAST(NUMERICOID, FLOAT8OID, "to_real"),
	[DPRIV_ADD_DATE] = {"try_add", 2, {DATEOID, INT4OID}, DATEOID},
	[DPRIV_ADD_TIMESTAMP] = MOVE(TIMESTAMPOID, "try_add"),
	[DPRIV_ADD_TIMESTAMPTZ] = MOVE(TIMESTAMPTZOID, "try_add"),
	[DPRIV_SUBTRACT_DATE] = {"try_subtract", 2, {DATEOID, INT4OID}, DATEOID},
	[DPRIV_SUBTRACT_DATES] = {"try_subtract", 2, {DATEOID, DATEOID}, INT4OID},
	[DPRIV_SUBTRACT_TIMESTAMP] = MOVE(TIMESTAMPOID, "try_subtract"),
	[DPRIV_SUBTRACT_TIMESTAMPTZ] = MOVE(TIMESTAMPTZOID, "try_subtract"),
	[DPRIV_SUBTRACT_TIMESTAMPS] = BETWEEN(TIMESTAMPOID),
	[DPRIV_SUBTRACT_TIMESTAMPTZS] = BETWEEN(TIMESTAMPTZOID),
	[DPRIV_TIMESTAMP_OF_DATE] = CAST(DATEOID, TIMESTAMPOID, "try_timestamp"),
	[DPRIV_TIMESTAMP_OF_TIMESTAMPTZ] = CAST(TIMESTAMPTZOID, TIMESTAMPOID, "try_timestamp"),
	[DPRIV_TIMESTAMPTZ_OF_DATE] = CAST(DATEOID, TIMESTAMPTZOID, "try_timestamptz"),
	[DPRIV_TIMESTAMPTZ_OF_TIMESTAMP] = CAST(TIMESTAMPOID, TIMESTAMPTZOID, "try_timestamptz"),
	[DPRIV_TRUNC_TIMESTAMP] = {"try_date_trunc", 2, {TEXTOID, TIMESTAMPOID}, TIMESTAMPOID},
	[DPRIV_TRUNC_TIMESTAMPTZ] = {"try_date_trunc", 2, {TEXTOID, TIMESTAMPTZOID}, TIMESTAMPTZOID},
	[DPRIV_LOWER_TEXT] = {"try_lower", 1, {TEXTOID}, TEXTOID, DPRIV_COLLATION_COMPARES},
	[DPRIV_UPPER_TEXT] = {"try_upper", 1, {TEXTOID}, TEXTOID, DPRIV_COLLATION_COMPARES},
	[DPRIV_SUBSTRING_TEXT] = {"try_substring", 3, {TEXTOID, INT4OID, INT4OID}, TEXTOID},
	[DPRIV_LIKE_TEXT] = MATCH("try_like"),
	[DPRIV_NOT_LIKE_TEXT] = MATCH("try_not_like"),
	[DPRIV_ILIKE_TEXT] = MATCH("try_ilike"),
	[DPRIV_NOT_ILIKE_TEXT] = MATCH("try_not_ilike"),
	[DPRIV_TEXT_OF_INT8] = CAST(INT8OID, TEXTOID, "label_of"),
	[DPRIV_TEXT_OF_BOOL] = CAST(BOOLOID, TEXTOID, "label_of"),
	[DPRIV_TEXT_OF_DATE] = CAST(DATEOID, TEXTOID, "label_of"),
};

static int	slots[DPRIV_NTOTALS];

/* The slot of a function that other layers use as well, or -1. */
static int
fixed_slot(int number)
{
	switch (number)
	{
		case DPRIV_REAL_OF_NUMERIC:
			return DPRIV_TO_REAL;
		case DPRIV_TEXT_OF_INT8:
			return DPRIV_LABEL_OF_INT8;
		case DPRIV_TEXT_OF_BOOL:
			return DPRIV_LABEL_OF_BOOL;
		case DPRIV_TEXT_OF_DATE:
			return DPRIV_LABEL_OF_DATE;
		default:
			return -1;
	}
}

void
dpriv_total_init(void)
{
	for (int i = 0; i < DPRIV_NTOTALS; i++)
	{
		DprivFunctionName name = {true, totals[i].name, totals[i].nargs};

		memcpy(name.argtypes, totals[i].argtypes, sizeof(totals[i].argtypes));
		name.deferred = true;
		slots[i] = fixed_slot(i) >= 0 ? fixed_slot(i) : dpriv_objects_declare(&name);
	}
}

const DprivTotal *
dpriv_total(DprivTotalNumber number)
{
	return &totals[number];
}

Oid
dpriv_total_oid(DprivTotalNumber number)
{
	Oid			function = dpriv_object(slots[number]);

	if (!OidIsValid(function))
		elog(ERROR, "extension dpriv lacks a total function");
	return function;
}

const DprivTotal *
dpriv_total_find(Oid function)
{
	const char *name = get_func_name(function);

	for (int i = 0; name && i < DPRIV_NTOTALS; i++)
	{
		if (strcmp(name, totals[i].name) == 0 && dpriv_object(slots[i]) == function)
			return &totals[i];
	}
	return NULL;
}
