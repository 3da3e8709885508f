/*
 * buckets.c
 *	  exact_buckets: number, sum and sum of squares of values by their order of magnitude.
 *
 * A bucket holds the values of one sign between two powers of two.  A value counts in one bucket
 * alone, as the integer that its first 31 binary digits are; the sums are 128-bit integers, so they
 * are the same for every order of the rows.  No value raises an error.
 */
#include "postgres.h"

#include "nodes/execnodes.h"
#include "port/pg_bitutils.h"

#include "exact.h"

/*
 * The state: int8[], a list of the buckets that have values in the order in which they were met,
 * DPRIV_BUCKET_ELEMENTS for each, followed by free ones, whose count is 0.  When it is full it is
 * copied to a longer one.  Without values the state is NULL.
 *
 * With digits at most 2^31 and counts below 2^63, neither sum reaches 2^126.
 */
typedef DprivInt8Array BucketState;

#define FIRST_CAPACITY	8
#define MAX_CAPACITY	(2 * DPRIV_BUCKET_LARGEST + 1)

#define MANTISSA_BITS	52
#define EXPONENT_BIAS	1023
#define EXPONENT_MASK	0x7ff

PG_FUNCTION_INFO_V1(dpriv_exact_buckets_float8);
PG_FUNCTION_INFO_V1(dpriv_exact_buckets_int4);
PG_FUNCTION_INFO_V1(dpriv_exact_buckets_int8);
PG_FUNCTION_INFO_V1(dpriv_exact_buckets_combine);
PG_FUNCTION_INFO_V1(dpriv_exact_buckets_final);

static pg_noinline void
refuse_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid transition state for exact buckets"),
			 errdetail("The state is made by the aggregate itself."),
			 errhint("Call the aggregate dpriv.exact_buckets() instead of its support "
					 "functions.")));
}

static inline bool
in_aggregate(FunctionCallInfo fcinfo)
{
	return fcinfo->context != NULL &&
		(IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState));
}

static inline int
capacity_of(const BucketState *state)
{
	return state->length / DPRIV_BUCKET_ELEMENTS;
}

static inline int64 *
bucket_at(BucketState *state, int i)
{
	return &state->value[i * DPRIV_BUCKET_ELEMENTS];
}

static inline void
add_wide(int64 *half, uint128 more)
{
	uint128		sum = dpriv_join_halves(half) + more;

	half[0] = (int64) (uint64) sum;
	half[1] = (int64) (uint64) (sum >> 64);
}

/*
 * What this file cannot have made is refused, as far as memory is concerned; numbers may be any.
 * Errors: 22023.
 */
static inline void
check_state(const BucketState *state)
{
	if (unlikely(!VARATT_IS_4B_U(state) ||
				 VARSIZE_4B(state) < DPRIV_INT8_ARRAY_SIZE(DPRIV_BUCKET_ELEMENTS) ||
				 state->length % DPRIV_BUCKET_ELEMENTS != 0 ||
				 capacity_of(state) > MAX_CAPACITY ||
				 !dpriv_is_int8_array(state, state->length)))
		refuse_state();
}

static BucketState *
make_state(int capacity)
{
	int			length = capacity * DPRIV_BUCKET_ELEMENTS;
	Size		size = DPRIV_INT8_ARRAY_SIZE(length);
	BucketState *state = palloc0(size);

	SET_VARSIZE(state, size);
	state->header.ndim = 1;
	state->header.elemtype = INT8OID;
	state->length = length;
	state->lower_bound = 1;
	return state;
}

/* A longer copy of a full state, in the current memory context. */
static pg_noinline BucketState *
lengthen(const BucketState *state)
{
	int			capacity = capacity_of(state);
	BucketState *longer;

	/* This file numbers no more buckets than that. */
	if (capacity == MAX_CAPACITY)
		refuse_state();
	longer = make_state(Min(2 * capacity, MAX_CAPACITY));
	memcpy(longer->value, state->value, state->length * sizeof(int64));
	return longer;
}

/* The entry of a bucket, made if there was none; the state may become another one. */
static inline int64 *
find_bucket(BucketState **state, int bucket)
{
	int			capacity = capacity_of(*state);
	int64	   *entry;

	for (int i = 0; i < capacity; i++)
	{
		entry = bucket_at(*state, i);
		if (entry[DPRIV_BUCKET_COUNT] == 0)
			entry[DPRIV_BUCKET_NUMBER] = bucket;
		if (entry[DPRIV_BUCKET_NUMBER] == bucket)
			return entry;
	}
	*state = lengthen(*state);
	entry = bucket_at(*state, capacity);
	entry[DPRIV_BUCKET_NUMBER] = bucket;
	return entry;
}

/* Add one value, given by its bucket and digits, to the state, argument 0; return the state. */
static inline Datum
add_value(FunctionCallInfo fcinfo, int bucket, uint64 digits)
{
	BucketState *state;
	int64	   *entry;

	if (unlikely(!in_aggregate(fcinfo)))
		refuse_state();
	if (unlikely(PG_ARGISNULL(0)))
		state = make_state(FIRST_CAPACITY);
	else
	{
		state = (BucketState *) DatumGetPointer(PG_GETARG_DATUM(0));
		check_state(state);
	}
	entry = find_bucket(&state, bucket);
	entry[DPRIV_BUCKET_COUNT]++;
	add_wide(&entry[DPRIV_BUCKET_SUM], digits);
	add_wide(&entry[DPRIV_BUCKET_SQUARE], digits * digits);
	PG_RETURN_POINTER(state);
}

/* A NULL leaves the state as it is. */
static Datum
same_state(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/*
 * exact_buckets(float8), transition.
 *
 * |x| = 2^exponent * mantissa / 2^52, with mantissa in [2^52, 2^53).  A power of two belongs to the
 * bucket that it closes.  A NaN has the exponent of infinity, but counts as zero.
 */
Datum
dpriv_exact_buckets_float8(PG_FUNCTION_ARGS)
{
	union
	{
		float8		number;
		uint64		bits;
	}			x;
	uint64		fraction;
	uint64		digits;
	int			bucket;

	if (PG_ARGISNULL(1))
		return same_state(fcinfo);
	x.number = PG_GETARG_FLOAT8(1);
	fraction = x.bits & ((UINT64CONST(1) << MANTISSA_BITS) - 1);
	bucket = (int) (x.bits >> MANTISSA_BITS & EXPONENT_MASK);
	if (bucket == EXPONENT_MASK && fraction != 0)
		bucket = 0;

	bucket += (fraction != 0) - EXPONENT_BIAS - DPRIV_BUCKET_FIRST_REAL;
	if (bucket <= 0)
		return add_value(fcinfo, 0, 0);
	if (bucket > DPRIV_BUCKET_LARGEST)
	{
		bucket = DPRIV_BUCKET_LARGEST;
		fraction = 0;
	}
	digits = UINT64CONST(1) << DPRIV_BUCKET_DIGITS;
	if (fraction != 0)
		digits = (digits >> 1) + (fraction >> (MANTISSA_BITS + 1 - DPRIV_BUCKET_DIGITS));
	return add_value(fcinfo, x.bits >> 63 ? -bucket : bucket, digits);
}

/* The same for an integer of this sign and size. */
static inline Datum
add_integer(FunctionCallInfo fcinfo, bool negative, uint64 size)
{
	int			exponent;
	uint64		digits;

	if (size == 0)
		return add_value(fcinfo, 0, 0);
	exponent = size == 1 ? 0 : pg_leftmost_one_pos64(size - 1) + 1;
	if (exponent <= DPRIV_BUCKET_DIGITS)
		digits = size << (DPRIV_BUCKET_DIGITS - exponent);
	else
		digits = size >> (exponent - DPRIV_BUCKET_DIGITS);
	exponent -= DPRIV_BUCKET_FIRST_INTEGER;
	return add_value(fcinfo, negative ? -exponent : exponent, digits);
}

/* exact_buckets(int4), transition. */
Datum
dpriv_exact_buckets_int4(PG_FUNCTION_ARGS)
{
	int64		x;

	if (PG_ARGISNULL(1))
		return same_state(fcinfo);
	x = PG_GETARG_INT32(1);
	return add_integer(fcinfo, x < 0, (uint64) (x < 0 ? -x : x));
}

/* exact_buckets(int8), transition. */
Datum
dpriv_exact_buckets_int8(PG_FUNCTION_ARGS)
{
	int64		x;

	if (PG_ARGISNULL(1))
		return same_state(fcinfo);
	x = PG_GETARG_INT64(1);
	return add_integer(fcinfo, x < 0, x < 0 ? -(uint64) x : (uint64) x);
}

/* Combine two states: add bucket by bucket.  Either may be NULL. */
Datum
dpriv_exact_buckets_combine(PG_FUNCTION_ARGS)
{
	BucketState *state;
	BucketState *other;

	if (!in_aggregate(fcinfo))
		refuse_state();
	if (PG_ARGISNULL(1))
		return same_state(fcinfo);

	/* it may come packed from another process */
	other = (BucketState *) PG_GETARG_ARRAYTYPE_P(1);
	check_state(other);
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(other);

	state = (BucketState *) PG_GETARG_ARRAYTYPE_P(0);
	check_state(state);
	for (int i = 0; i < capacity_of(other); i++)
	{
		int64	   *from = bucket_at(other, i);
		int64	   *to;

		if (from[DPRIV_BUCKET_COUNT] == 0)
			continue;
		to = find_bucket(&state, (int) from[DPRIV_BUCKET_NUMBER]);
		to[DPRIV_BUCKET_COUNT] = (int64)
			((uint64) to[DPRIV_BUCKET_COUNT] + (uint64) from[DPRIV_BUCKET_COUNT]);
		add_wide(&to[DPRIV_BUCKET_SUM], dpriv_join_halves(&from[DPRIV_BUCKET_SUM]));
		add_wide(&to[DPRIV_BUCKET_SQUARE], dpriv_join_halves(&from[DPRIV_BUCKET_SQUARE]));
	}
	PG_RETURN_POINTER(state);
}

static int
compare_buckets(const void *a, const void *b)
{
	int64		x = ((const int64 *) a)[DPRIV_BUCKET_NUMBER];
	int64		y = ((const int64 *) b)[DPRIV_BUCKET_NUMBER];

	return (x > y) - (x < y);
}

/* The buckets that have values, in order. */
Datum
dpriv_exact_buckets_final(PG_FUNCTION_ARGS)
{
	BucketState *state;
	BucketState *result;
	int			n = 0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (BucketState *) PG_GETARG_ARRAYTYPE_P(0);
	check_state(state);
	while (n < capacity_of(state) && bucket_at(state, n)[DPRIV_BUCKET_COUNT] != 0)
		n++;
	if (n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	result = make_state(n);
	memcpy(result->value, state->value, result->length * sizeof(int64));
	qsort(result->value, n, DPRIV_BUCKET_ELEMENTS * sizeof(int64), compare_buckets);
	PG_RETURN_POINTER(result);
}
