/*
 * total.h
 *	  Functions of this extension that take the place of functions of PostgreSQL that can fail.
 */
#ifndef DPRIV_TOTAL_H
#define DPRIV_TOTAL_H

#include "access/detoast.h"

/* What a function does with the collation of its call. */
typedef enum DprivCollationUse
{
	DPRIV_COLLATION_UNUSED,
	DPRIV_COLLATION_COMPARES,	/* any collation, but there must be one */
	DPRIV_COLLATION_SEARCHES,	/* a deterministic one */
} DprivCollationUse;

/*
 * A function of this extension that takes the place of one of PostgreSQL's: the same result, and
 * NULL where that one raises an error.  Or one that releases are given by the extension itself.
 */
typedef struct DprivTotal
{
	const char *name;			/* in schema dpriv */
	int			nargs;
	Oid			argtypes[4];
	Oid			result;
	DprivCollationUse collation;
} DprivTotal;

/* In the order of total.c, by what they do and the type that they do it with. */
typedef enum DprivTotalNumber
{
	DPRIV_ADD_INT2,
	DPRIV_ADD_INT4,
	DPRIV_ADD_INT8,
	DPRIV_ADD_FLOAT4,
	DPRIV_ADD_FLOAT8,
	DPRIV_ADD_NUMERIC,
	DPRIV_SUBTRACT_INT2,
	DPRIV_SUBTRACT_INT4,
	DPRIV_SUBTRACT_INT8,
	DPRIV_SUBTRACT_FLOAT4,
	DPRIV_SUBTRACT_FLOAT8,
	DPRIV_SUBTRACT_NUMERIC,
	DPRIV_MULTIPLY_INT2,
	DPRIV_MULTIPLY_INT4,
	DPRIV_MULTIPLY_INT8,
	DPRIV_MULTIPLY_FLOAT4,
	DPRIV_MULTIPLY_FLOAT8,
	DPRIV_MULTIPLY_NUMERIC,
	DPRIV_DIVIDE_INT2,
	DPRIV_DIVIDE_INT4,
	DPRIV_DIVIDE_INT8,
	DPRIV_DIVIDE_FLOAT4,
	DPRIV_DIVIDE_FLOAT8,
	DPRIV_DIVIDE_NUMERIC,
	DPRIV_REMAINDER_INT2,
	DPRIV_REMAINDER_INT4,
	DPRIV_REMAINDER_INT8,
	DPRIV_REMAINDER_NUMERIC,
	DPRIV_NEGATE_INT2,
	DPRIV_NEGATE_INT4,
	DPRIV_NEGATE_INT8,
	DPRIV_ABS_INT2,
	DPRIV_ABS_INT4,
	DPRIV_ABS_INT8,
	DPRIV_CEIL_NUMERIC,
	DPRIV_FLOOR_NUMERIC,
	DPRIV_ROUND_NUMERIC,
	DPRIV_BUCKET_FLOAT8,
	DPRIV_BUCKET_NUMERIC,
	DPRIV_INT2_OF_INT8,
	DPRIV_INT2_OF_FLOAT8,
	DPRIV_INT2_OF_NUMERIC,
	DPRIV_INT4_OF_INT8,
	DPRIV_INT4_OF_FLOAT8,
	DPRIV_INT4_OF_NUMERIC,
	DPRIV_INT8_OF_FLOAT8,
	DPRIV_INT8_OF_NUMERIC,
	DPRIV_FLOAT4_OF_FLOAT8,
	DPRIV_FLOAT4_OF_NUMERIC,
	DPRIV_NUMERIC_OF_NUMERIC,
	DPRIV_REAL_OF_NUMERIC,
	DPRIV_ADD_DATE,
	DPRIV_ADD_TIMESTAMP,
	DPRIV_ADD_TIMESTAMPTZ,
	DPRIV_SUBTRACT_DATE,
	DPRIV_SUBTRACT_DATES,
	DPRIV_SUBTRACT_TIMESTAMP,
	DPRIV_SUBTRACT_TIMESTAMPTZ,
	DPRIV_SUBTRACT_TIMESTAMPS,
	DPRIV_SUBTRACT_TIMESTAMPTZS,
	DPRIV_TIMESTAMP_OF_DATE,
	DPRIV_TIMESTAMP_OF_TIMESTAMPTZ,
	DPRIV_TIMESTAMPTZ_OF_DATE,
	DPRIV_TIMESTAMPTZ_OF_TIMESTAMP,
	DPRIV_TRUNC_TIMESTAMP,
	DPRIV_TRUNC_TIMESTAMPTZ,
	DPRIV_LOWER_TEXT,
	DPRIV_UPPER_TEXT,
	DPRIV_SUBSTRING_TEXT,
	DPRIV_LIKE_TEXT,
	DPRIV_NOT_LIKE_TEXT,
	DPRIV_ILIKE_TEXT,
	DPRIV_NOT_ILIKE_TEXT,
	DPRIV_TEXT_OF_INT8,
	DPRIV_TEXT_OF_BOOL,
	DPRIV_TEXT_OF_DATE,
	DPRIV_NTOTALS,
} DprivTotalNumber;

/* Announce them to objects.c.  Called while the library is being loaded. */
extern void dpriv_total_init(void);

/* A total function by number, and its OID. */
extern const DprivTotal *dpriv_total(DprivTotalNumber number);
extern Oid	dpriv_total_oid(DprivTotalNumber number);

/* Is this one of the total functions?  Returns its description, or NULL. */
extern const DprivTotal *dpriv_total_find(Oid function);

/* Longest pattern, delimiter or set of characters, in bytes: each may cost time for every byte. */
#define DPRIV_MAX_PATTERN 256

/* Longest text whose case is changed, in bytes.  PostgreSQL fails beyond 256 MB. */
#define DPRIV_MAX_CASED (1024 * 1024)

/* Bytes of a text, without reading it if it is stored elsewhere. */
static inline Size
dpriv_text_size(Datum text)
{
	return toast_raw_datum_size(text) - VARHDRSZ;
}

/*
 * Can LIKE use this pattern: is it short, and does its last escape character escape something?
 * is_prefix: it has a percent sign at its end at most, so that matching takes no longer than it is.
 */
extern bool dpriv_pattern_is_good(Datum pattern, bool *is_prefix);

/*
 * Can case be changed in this database?  The multibyte encodings other than UTF8 have characters
 * that PostgreSQL knows and the C library does not, and then changing case is an error.
 */
extern bool dpriv_has_case(void);

/* Is this text the name of a field that date_trunc() can truncate every timestamp to? */
extern bool dpriv_is_trunc_field(Datum field);

#endif							/* DPRIV_TOTAL_H */
