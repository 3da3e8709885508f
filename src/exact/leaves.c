/*
 * leaves.c
 *	  exact_leaves: how many values lie in each of up to 65,536 equal parts of a range, "leaves", or
 *	  in each that floats of few digits distinguish.
 *
 * A value counts in one leaf, so one row moves one count by one.  What lies outside of the range
 * counts in the first or the last leaf, a NaN counts as zero, NULL counts nowhere, and no value
 * raises an error.
 *
 * Which leaf a value falls into is computed with doubles, from that value and the range alone; so
 * rounding moves a border for all rows alike.  For integers and leaves one unit wide it is exact.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "exact.h"

/*
 * The state: int8[], updated in place until it is full.
 *
 * value[STATE_LEAVES] is the number of leaves.  As long as few of them have values, the elements
 * from STATE_FIRST on are a hash table with open addressing; its capacity is a power of two, and
 * value[STATE_USED] the number of entries in use, at most half of them.  An entry is count << 16 |
 * leaf, and 0 if it is free.  A count stays at LARGEST_COUNT when it has got there; one row still
 * moves it by one at most.
 *
 * When the table would have as many entries as a quarter of the leaves, it becomes a list with one
 * entry for each leaf, and value[STATE_USED] is STATE_IS_LIST.  No state is larger.
 *
 * Without values the state is NULL.
 */
typedef DprivInt8Array LeafState;

#define STATE_LEAVES		0
#define STATE_USED			1
#define STATE_FIRST			2
#define STATE_IS_LIST		(-1)

#define LEAF_BITS			16
#define LEAF_MASK			((INT64CONST(1) << LEAF_BITS) - 1)
#define LARGEST_COUNT		((INT64CONST(1) << (62 - LEAF_BITS)) - 1)

#define FIRST_CAPACITY		32

/* Binary digits after the first one of a leaf by magnitude. */
#define MAGNITUDE_BITS		7

StaticAssertDecl(DPRIV_MAGNITUDE_PER_OCTAVE == 1 << MAGNITUDE_BITS, "a leaf is some digits");

StaticAssertDecl(DPRIV_MAX_BINS == 1 << LEAF_BITS, "a leaf must fit its bits");

/*
 * The range of a call, kept in fn_extra.
 *
 * If the call is fixed, state and range need no more checks.  Otherwise both are checked, and the
 * range is read again, for every row, because nothing keeps a caller from passing a column.
 */
typedef struct LeafCall
{
	bool		fixed;			/* see dpriv_call_is_fixed() */
	bool		examined;		/* fixed has been decided */
	int			leaves;			/* 1 .. DPRIV_MAX_BINS */
	float8		lower;			/* finite */
	float8		leaves_per_unit;	/* finite, > 0; 0: by magnitude */
	float8		last;			/* leaves - 1 */
} LeafCall;

PG_FUNCTION_INFO_V1(dpriv_exact_leaves_float8);
PG_FUNCTION_INFO_V1(dpriv_exact_leaves_int4);
PG_FUNCTION_INFO_V1(dpriv_exact_leaves_int8);
PG_FUNCTION_INFO_V1(dpriv_exact_leaves_combine);
PG_FUNCTION_INFO_V1(dpriv_exact_leaves_final);

static pg_noinline void
refuse_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid transition state for exact leaves"),
			 errdetail("Within one group the range must stay the same."),
			 errhint("Call the aggregate dpriv.exact_leaves() with one range for all rows.")));
}

/* Entries of a state, without value[0]. */
static inline int
capacity_of(const LeafState *state)
{
	return state->length - STATE_FIRST;
}

static inline bool
is_list(const LeafState *state)
{
	return state->value[STATE_USED] == STATE_IS_LIST;
}

static inline int
leaves_of(const LeafState *state)
{
	return (int) state->value[STATE_LEAVES];
}

/* What this file cannot have made is refused; it may come from anybody.  Errors: 22023. */
static void
check_state(const LeafState *state)
{
	int64		leaves;
	int			capacity;
	int			used = 0;

	if (!VARATT_IS_4B_U(state) || VARSIZE_4B(state) < DPRIV_INT8_ARRAY_SIZE(STATE_FIRST + 1) ||
		!dpriv_is_int8_array(state, state->length))
		refuse_state();
	leaves = state->value[STATE_LEAVES];
	capacity = capacity_of(state);
	if (leaves < 1 || leaves > DPRIV_MAX_BINS || capacity > leaves)
		refuse_state();
	for (int i = 0; i < capacity; i++)
	{
		int64		entry = state->value[STATE_FIRST + i];

		if (entry < 0 || (entry >> LEAF_BITS) > LARGEST_COUNT || (entry & LEAF_MASK) >= leaves ||
			(is_list(state) && (entry & LEAF_MASK) != i))
			refuse_state();
		used += entry != 0;
	}
	if (is_list(state) ? capacity != leaves :
		(used != state->value[STATE_USED] || used > capacity / 2 ||
		 (capacity & (capacity - 1)) != 0))
		refuse_state();
}

/* The smallest state that can hold this many entries. */
static LeafState *
make_state(int entries, int leaves)
{
	int			capacity = FIRST_CAPACITY;
	bool		list;
	LeafState  *state;

	while (capacity / 2 < entries)
		capacity *= 4;
	list = capacity >= leaves / 4;
	if (list)
		capacity = leaves;
	state = dpriv_make_int8_array(STATE_FIRST + capacity);
	state->value[STATE_LEAVES] = leaves;
	if (list)
	{
		state->value[STATE_USED] = STATE_IS_LIST;
		for (int i = 0; i < leaves; i++)
			state->value[STATE_FIRST + i] = i;
	}
	return state;
}

/* The entry of a leaf in a hash table, or the free one where it belongs. */
static inline int64 *
find_entry(LeafState *state, int leaf)
{
	uint32		mask = capacity_of(state) - 1;
	uint32		at = (uint32) leaf * 2654435769U >> 16;

	for (;; at++)
	{
		int64	   *entry = &state->value[STATE_FIRST + (at & mask)];

		if (*entry == 0 || (*entry & LEAF_MASK) == leaf)
			return entry;
	}
}

static inline void
add_to_entry(int64 *entry, int64 count)
{
	int64		room = LARGEST_COUNT - (*entry >> LEAF_BITS);

	*entry += Min(count, room) << LEAF_BITS;
}

/* Add count >= 1 values of a leaf to a state with room for it. */
static inline void
add(LeafState *state, int leaf, int64 count)
{
	int64	   *entry;

	if (likely(is_list(state)))
		entry = &state->value[STATE_FIRST + leaf];
	else
	{
		entry = find_entry(state, leaf);
		if (*entry == 0)
		{
			*entry = leaf;
			state->value[STATE_USED]++;
		}
	}
	add_to_entry(entry, count);
}

/* Add all counts of one state to another, which has room for them. */
static void
add_state(LeafState *to, const LeafState *from)
{
	int			capacity = capacity_of(from);

	for (int i = 0; i < capacity; i++)
	{
		int64		entry = from->value[STATE_FIRST + i];

		if (entry >> LEAF_BITS > 0)
			add(to, (int) (entry & LEAF_MASK), entry >> LEAF_BITS);
	}
}

/* The state with room for more entries: a larger one, in the current memory context, if need be. */
static inline LeafState *
with_room(LeafState *state, int entries)
{
	LeafState  *larger;

	if (likely(is_list(state) || state->value[STATE_USED] + entries <= capacity_of(state) / 2))
		return state;
	larger = make_state((int) state->value[STATE_USED] + entries, leaves_of(state));
	add_state(larger, state);
	return larger;
}

static bool
is_by_magnitude(const float8 *element)
{
	return element[DPRIV_RANGE_LOWER] == 0 && element[DPRIV_RANGE_PER_UNIT] == 0 &&
		element[DPRIV_RANGE_LEAVES] == DPRIV_MAGNITUDE_LEAVES;
}

/* Refuse what is no range.  Errors: 22023. */
static void
read_range(LeafCall *call, ArrayType *array)
{
	const float8 *element;

	if (array == NULL || ARR_NDIM(array) != 1 || ARR_ELEMTYPE(array) != FLOAT8OID ||
		ARR_DIMS(array)[0] != DPRIV_RANGE_ELEMENTS || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("range must be an array of three numbers, none of them null"),
				 errhint("Pass ARRAY[lower, leaves_per_unit, leaves].")));

	element = (const float8 *) ARR_DATA_PTR(array);
	if (!is_by_magnitude(element) &&
		(!isfinite(element[DPRIV_RANGE_LOWER]) || !isfinite(element[DPRIV_RANGE_PER_UNIT]) ||
		 !(element[DPRIV_RANGE_PER_UNIT] > 0) ||
		 !(element[DPRIV_RANGE_LEAVES] >= 1 && element[DPRIV_RANGE_LEAVES] <= DPRIV_MAX_BINS) ||
		 element[DPRIV_RANGE_LEAVES] != rint(element[DPRIV_RANGE_LEAVES])))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("range is out of range"),
				 errdetail("The lower end must be finite, leaves_per_unit positive, and the "
						   "number of leaves whole, from 1 to %d.", DPRIV_MAX_BINS),
				 errhint("Pass ARRAY[lower, leaves_per_unit, leaves].")));
	call->lower = element[DPRIV_RANGE_LOWER];
	call->leaves_per_unit = element[DPRIV_RANGE_PER_UNIT];
	call->leaves = (int) element[DPRIV_RANGE_LEAVES];
	call->last = call->leaves - 1;
}

/*
 * Check state and range, and find out whether that has to be done for the next row too.
 */
static pg_noinline const LeafCall *
examine_call(FunctionCallInfo fcinfo)
{
	LeafCall   *call = fcinfo->flinfo->fn_extra;

	if (!dpriv_in_aggregate(fcinfo))
		refuse_state();
	if (call == NULL)
	{
		call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(LeafCall));
		fcinfo->flinfo->fn_extra = call;
	}
	read_range(call, PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2));
	if (!call->examined)
		call->fixed = dpriv_call_is_fixed(fcinfo, 2, NULL);
	call->examined = true;

	if (!PG_ARGISNULL(0))
	{
		LeafState  *state = (LeafState *) DatumGetPointer(PG_GETARG_DATUM(0));

		check_state(state);
		if (leaves_of(state) != call->leaves)
			refuse_state();
	}
	return call;
}

static inline const LeafCall *
get_call(FunctionCallInfo fcinfo)
{
	const LeafCall *call = fcinfo->flinfo->fn_extra;

	return likely(call != NULL && call->fixed) ? call : examine_call(fcinfo);
}

/* The first digits of the size, by its bits: exponent and digits are one ascending number. */
static inline int
magnitude_of(float8 x)
{
	const int	shift = DBL_MANT_DIG - 1 - MAGNITUDE_BITS;
	const int64 first = (int64) (1023 + DPRIV_BUCKET_FIRST_REAL) << MAGNITUDE_BITS;
	union
	{
		float8		value;
		uint64		bits;
	}			size = {fabs(x)};
	int64		code = (int64) (size.bits >> shift) - first;

	if (isnan(x) || code < 0)
		return DPRIV_MAGNITUDE_ZERO;
	code = Min(code, DPRIV_MAGNITUDE_ZERO - 1) + 1;
	return (int) (DPRIV_MAGNITUDE_ZERO + (x < 0 ? -code : code));
}

/* The leaf of a value: those of the ends for what lies beyond them. */
static inline int
leaf_of(float8 x, const LeafCall *call)
{
	float8		leaf;

	if (call->leaves_per_unit == 0)
		return magnitude_of(x);
	if (unlikely(isnan(x)))
		x = 0;
	leaf = (x - call->lower) * call->leaves_per_unit;
	if (!(leaf > 0))
		return 0;
	return leaf >= call->last ? call->leaves - 1 : (int) leaf;
}

/* Count one value in the state, argument 0, and return the state. */
static inline Datum
count_value(FunctionCallInfo fcinfo, float8 x, const LeafCall *call)
{
	LeafState  *state;

	if (unlikely(PG_ARGISNULL(0)))
		state = make_state(1, call->leaves);
	else
		state = with_room((LeafState *) DatumGetPointer(PG_GETARG_DATUM(0)), 1);
	add(state, leaf_of(x, call), 1);
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

/* exact_leaves(float8, range), transition. */
Datum
dpriv_exact_leaves_float8(PG_FUNCTION_ARGS)
{
	const LeafCall *call = get_call(fcinfo);

	if (PG_ARGISNULL(1))
		return same_state(fcinfo);
	return count_value(fcinfo, PG_GETARG_FLOAT8(1), call);
}

/* exact_leaves(int4, range), transition. */
Datum
dpriv_exact_leaves_int4(PG_FUNCTION_ARGS)
{
	const LeafCall *call = get_call(fcinfo);

	if (PG_ARGISNULL(1))
		return same_state(fcinfo);
	return count_value(fcinfo, PG_GETARG_INT32(1), call);
}

/* exact_leaves(int8, range), transition. */
Datum
dpriv_exact_leaves_int8(PG_FUNCTION_ARGS)
{
	const LeafCall *call = get_call(fcinfo);

	if (PG_ARGISNULL(1))
		return same_state(fcinfo);
	return count_value(fcinfo, (float8) PG_GETARG_INT64(1), call);
}

/*
 * Combine two states: add leaf by leaf.  The counts are the same whichever comes first; where
 * entries lie in a table is not, which the final function hides.  Either may be NULL.
 */
Datum
dpriv_exact_leaves_combine(PG_FUNCTION_ARGS)
{
	LeafState  *state;
	LeafState  *other;

	if (!dpriv_in_aggregate(fcinfo))
		refuse_state();
	if (PG_ARGISNULL(1))
		return same_state(fcinfo);

	/* it may come packed from another process */
	other = (LeafState *) PG_GETARG_ARRAYTYPE_P(1);
	check_state(other);
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(other);

	state = (LeafState *) PG_GETARG_ARRAYTYPE_P(0);
	check_state(state);
	if (leaves_of(state) != leaves_of(other))
		refuse_state();
	state = with_room(state, is_list(other) ? leaves_of(other) : (int) other->value[STATE_USED]);
	add_state(state, other);
	PG_RETURN_POINTER(state);
}

static int
compare_entries(const void *a, const void *b)
{
	int64		x = *(const int64 *) a & LEAF_MASK;
	int64		y = *(const int64 *) b & LEAF_MASK;

	return (x > y) - (x < y);
}

/* {leaf, count, leaf, count, ...} of the leaves that have values, in order. */
Datum
dpriv_exact_leaves_final(PG_FUNCTION_ARGS)
{
	LeafState  *state;
	DprivInt8Array *result;
	int64	   *entry;
	int			n = 0;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (LeafState *) PG_GETARG_ARRAYTYPE_P(0);
	check_state(state);

	entry = palloc(sizeof(int64) * capacity_of(state));
	for (int i = STATE_FIRST; i < state->length; i++)
		if (state->value[i] >> LEAF_BITS > 0)
			entry[n++] = state->value[i];
	if (!is_list(state))
		qsort(entry, n, sizeof(int64), compare_entries);

	if (n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	result = dpriv_make_int8_array(2 * n);
	for (int i = 0; i < n; i++)
	{
		result->value[2 * i] = entry[i] & LEAF_MASK;
		result->value[2 * i + 1] = entry[i] >> LEAF_BITS;
	}
	pfree(entry);
	PG_RETURN_POINTER(result);
}
