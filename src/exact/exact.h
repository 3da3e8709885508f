/*
 * exact.h
 *	  Layout of exact results: what the aggregates in this folder return and how to read it.
 *
 * Exact aggregates run below the noise.  Their states are plain int8[] values (no pseudo-types), so
 * they run in parallel workers, partitionwise and on distributed engines; their results are
 * integers that do not depend on the order or the grouping in which rows were met.
 */
#ifndef DPRIV_EXACT_H
#define DPRIV_EXACT_H

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/array.h"

/*
 * grid int8[3], the argument of exact_sum and exact_moments: a value x becomes the integer
 * clamp(trunc(x * 2^-exponent), lower, upper).
 */
#define DPRIV_GRID_EXPONENT			0	/* log2 of the step, within +-DPRIV_GRID_MAX_EXPONENT */
#define DPRIV_GRID_LOWER			1	/* smallest integer that counts, in steps */
#define DPRIV_GRID_UPPER			2	/* largest integer that counts, in steps; >= lower */
#define DPRIV_GRID_ELEMENTS			3

/* Keeps 2^-exponent a normal double, so that it can be built from its bits. */
#define DPRIV_GRID_MAX_EXPONENT		1000

/* int8[3], the state and the result of exact_sum */
#define DPRIV_SUM_LOW				0	/* sum of the integers modulo 2^64, as a bit pattern */
#define DPRIV_SUM_HIGH				1	/* floor(sum / 2^64) */
#define DPRIV_SUM_COUNT				2	/* number of values that were not NULL */
#define DPRIV_SUM_ELEMENTS			3

/*
 * int8[5], the state and the result of exact_moments; sums of u = clamped integer - lower.  Both
 * sums are 128-bit integers in two elements: the value modulo 2^64 as a bit pattern, the rest.
 */
#define DPRIV_MOMENTS_SUM			0	/* and 1: sum of u */
#define DPRIV_MOMENTS_COUNT			2	/* number of values that were not NULL */
#define DPRIV_MOMENTS_SQUARE		3	/* and 4: sum of u^2 */
#define DPRIV_MOMENTS_ELEMENTS		5

/* Largest upper - lower of exact_moments, so that u^2 fits into 63 bits: 2^31. */
#define DPRIV_MOMENTS_MAX_RANGE		UINT64CONST(2147483648)

/* Counts, the state and the result of exact_histogram and exact_categories: int8[bins]. */
#define DPRIV_MAX_BINS				65536

/*
 * range float8[3], the argument of exact_leaves: a value x counts in leaf floor((x - lower) *
 * leaves_per_unit), clamped to 0 .. leaves - 1.
 */
#define DPRIV_RANGE_LOWER			0
#define DPRIV_RANGE_PER_UNIT		1
#define DPRIV_RANGE_LEAVES			2	/* 1 .. DPRIV_MAX_BINS */
#define DPRIV_RANGE_ELEMENTS		3

/*
 * The result of exact_leaves: int8[] {leaf, count, leaf, count, ...}, leaves ascending, counts
 * positive.
 */

/*
 * The range {0, 0, DPRIV_MAGNITUDE_LEAVES} stands for leaves by magnitude.  Leaf
 * DPRIV_MAGNITUDE_ZERO has NaN and what is below 2^DPRIV_BUCKET_FIRST_REAL in size; leaf ZERO + 1 +
 * c, and for negative values ZERO - 1 - c, has the sizes from 2^(DPRIV_BUCKET_FIRST_REAL + c /
 * PER_OCTAVE) (1 + (c % PER_OCTAVE) / PER_OCTAVE) to the next such number, the outermost ones all
 * that are larger.
 */
#define DPRIV_MAGNITUDE_OCTAVES		192
#define DPRIV_MAGNITUDE_PER_OCTAVE	128
#define DPRIV_MAGNITUDE_ZERO		(DPRIV_MAGNITUDE_OCTAVES * DPRIV_MAGNITUDE_PER_OCTAVE)
#define DPRIV_MAGNITUDE_LEAVES		(2 * DPRIV_MAGNITUDE_ZERO + 1)

/*
 * ball int8[4], the argument of exact_sum_vector: a vector x becomes a vector of integers of at
 * most this norm, x * 2^-exponent truncated toward zero, and shrunk if it is too long.
 */
#define DPRIV_BALL_EXPONENT			0	/* log2 of the step, within +-DPRIV_GRID_MAX_EXPONENT */
#define DPRIV_BALL_NORM				1	/* 1: sum of sizes; 2: Euclidean */
#define DPRIV_BALL_RADIUS			2	/* largest norm, in steps, 1 .. DPRIV_MAX_RADIUS */
#define DPRIV_BALL_DIMENSION		3	/* 1 .. DPRIV_MAX_DIMENSION */
#define DPRIV_BALL_ELEMENTS			4

#define DPRIV_MAX_RADIUS			(INT64CONST(1) << 61)
#define DPRIV_MAX_DIMENSION			16384

/*
 * The state and the result of exact_sum_vector: int8[2 * dimension], two elements for the sum of
 * each coordinate as above.
 */

/*
 * bounds int8[], the argument of exact_clip_curve: {exponent, c_1, ..., c_n}, 0 <= c_1 <= ... <=
 * c_n steps of 2^exponent, n at most DPRIV_MAX_CANDIDATES.
 *
 * The state and the result, int8[DPRIV_CURVE_ELEMENTS(n)]: how many values v = trunc(x *
 * 2^-exponent) reach c_n; then for each interval from c_i-1 (c_0 = 0) up to c_i how many positive
 * ones lie in it, and the sum of v - c_i-1 over them, a 128-bit integer in two elements.
 */
#define DPRIV_MAX_CANDIDATES		1000
#define DPRIV_CURVE_ABOVE			0
#define DPRIV_CURVE_COUNT			0	/* from the first element of an interval */
#define DPRIV_CURVE_SUM				1	/* and 2 */
#define DPRIV_CURVE_PER_INTERVAL	3
#define DPRIV_CURVE_INTERVAL(i)		(1 + DPRIV_CURVE_PER_INTERVAL * (i))	/* i from 0 */
#define DPRIV_CURVE_ELEMENTS(n)		DPRIV_CURVE_INTERVAL(n)

/*
 * The result of exact_buckets: int8[], DPRIV_BUCKET_ELEMENTS for each bucket that has values,
 * buckets ascending.  Let 2^f be the power of two of DPRIV_BUCKET_FIRST_REAL for float8 and
 * DPRIV_BUCKET_FIRST_INTEGER for integers.  Bucket b > 0 has the values with 2^(f + b - 1) < x <=
 * 2^(f + b), the last one all that are larger, bucket -b the values -x of those; bucket 0 has
 * what is not larger than 2^f in size, and NaN.  A value counts as digits = floor(|x| / 2^(f + b -
 * 31)), from 2^30 to 2^31, in bucket 0 as 0.
 */
#define DPRIV_BUCKET_NUMBER			0
#define DPRIV_BUCKET_COUNT			1	/* number of values */
#define DPRIV_BUCKET_SUM			2	/* and 3: sum of the digits, as in exact_moments */
#define DPRIV_BUCKET_SQUARE			4	/* and 5: sum of their squares */
#define DPRIV_BUCKET_ELEMENTS		6

#define DPRIV_BUCKET_DIGITS			31
#define DPRIV_BUCKET_FIRST_REAL		(-64)
#define DPRIV_BUCKET_FIRST_INTEGER	(-1)
#define DPRIV_BUCKET_LARGEST		191 /* of float8: up to 2^127; of integers 64 */
#define DPRIV_BUCKET_LARGEST_INTEGER	64

/*
 * A one-dimensional int8[] without NULLs as it lies in memory.  The lower bound of the subscripts
 * is of no interest to anyone.
 */
typedef struct DprivInt8Array
{
	ArrayType	header;
	int32		length;
	int32		lower_bound;
	int64		value[FLEXIBLE_ARRAY_MEMBER];
} DprivInt8Array;

#define DPRIV_INT8_ARRAY_SIZE(n) \
	(offsetof(DprivInt8Array, value) + (Size) (n) * sizeof(int64))

/*
 * Is this datum a plain (uncompressed, four-byte header, in line) int8[] of n elements,
 * one-dimensional and without NULLs?  Reads no byte that the datum does not have.
 */
static inline bool
dpriv_is_int8_array(const DprivInt8Array *array, int32 n)
{
	return VARATT_IS_4B_U(array) &&
		VARSIZE_4B(array) == DPRIV_INT8_ARRAY_SIZE(n) &&
		array->header.ndim == 1 &&
		array->header.dataoffset == 0 &&
		array->header.elemtype == INT8OID &&
		array->length == n;
}

/* The 128-bit integer in two elements: low half as a bit pattern, then the rest. */
static inline uint128
dpriv_join_halves(const int64 *half)
{
	return (uint128) (uint64) half[1] << 64 | (uint64) half[0];
}

/* Add to it, modulo 2^128. */
static inline void
dpriv_add_halves(int64 *half, uint128 more)
{
	uint128		sum = dpriv_join_halves(half) + more;

	half[0] = (int64) (uint64) sum;
	half[1] = (int64) (uint64) (sum >> 64);
}

/* A new array of n zeros in the current memory context; the executor moves it where states live. */
static inline DprivInt8Array *
dpriv_make_int8_array(int32 n)
{
	DprivInt8Array *array = palloc0(DPRIV_INT8_ARRAY_SIZE(n));

	SET_VARSIZE(array, DPRIV_INT8_ARRAY_SIZE(n));
	array->header.ndim = 1;
	array->header.elemtype = INT8OID;
	array->length = n;
	array->lower_bound = 1;
	return array;
}

/*
 * Is the state, argument 0, the executor's own copy, which may be changed?  The test is that of
 * AggCheckCallContext(), without a call into the server for each row.
 */
static inline bool
dpriv_in_aggregate(FunctionCallInfo fcinfo)
{
	return fcinfo->context != NULL &&
		(IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState));
}

extern bool dpriv_call_is_fixed(FunctionCallInfo fcinfo, int argno, const char *initial_state);
extern DprivInt8Array *dpriv_counts_state(FunctionCallInfo fcinfo, int bins);

/* The same without its checks if dpriv_call_is_fixed() has said so. */
static inline DprivInt8Array *
dpriv_counts_fixed_state(FunctionCallInfo fcinfo, int bins, bool fixed)
{
	if (likely(fixed && !PG_ARGISNULL(0)))
		return (DprivInt8Array *) DatumGetPointer(PG_GETARG_DATUM(0));
	return dpriv_counts_state(fcinfo, bins);
}

/* to_real(numeric), for callers in C: no numeric is an error, and none takes long. */
extern PGDLLEXPORT Datum dpriv_to_real(PG_FUNCTION_ARGS);

#endif							/* DPRIV_EXACT_H */
