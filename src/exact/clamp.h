/*
 * clamp.h
 *	  How exact_sum and exact_moments make a value an integer: rounded to a grid, then clamped.
 *
 * No value raises an error: rounding to the grid is by truncation, saturates at the ends of int64,
 * and a NaN counts as zero before the clamp.  The clamp is one of integers, so no property of
 * floating-point comparisons is needed.
 */
#ifndef DPRIV_CLAMP_H
#define DPRIV_CLAMP_H

#include "exact.h"

/*
 * The grid of a call, kept in fn_extra.
 *
 * If the call is fixed, state and grid need no more checks.  Otherwise both are checked, and the
 * grid is read again, for every row, because nothing keeps a caller from passing a column.
 */
typedef struct DprivClamp
{
	bool		examined;		/* fixed has been decided */
	bool		fixed;			/* see dpriv_call_is_fixed() */
	bool		unit_step;		/* the step is 1: integers are on the grid */
	int64		lower;			/* in steps, <= upper */
	int64		upper;			/* in steps */
	union
	{
		uint64		bits;
		float8		value;
	}			steps_per_unit; /* 2^-exponent, a normal double made from its bits */
} DprivClamp;

/*
 * Read the grid, argument 2, of a transition function, and find out whether that has to be done for
 * the next row too.  initial_state is that of the aggregate, widest the largest upper - lower that
 * it can take.  Errors: 22023.
 */
extern const DprivClamp *dpriv_clamp_examine(FunctionCallInfo fcinfo, const char *initial_state,
											 uint64 widest);

/* What the checks of this call found, or NULL if they are due: see dpriv_clamp_examine(). */
static inline const DprivClamp *
dpriv_clamp_checked(FunctionCallInfo fcinfo)
{
	const DprivClamp *clamp = fcinfo->flinfo->fn_extra;

	return likely(clamp != NULL && clamp->fixed) ? clamp : NULL;
}

/*
 * trunc(x / step), saturated to int64; 0 for a NaN.
 *
 * The product with a power of two is exact unless it leaves the range of doubles: then it is
 * infinite, which saturates as it should, or below the normal range, where trunc() is 0 anyway.
 */
static inline int64
dpriv_quantise(float8 x, const DprivClamp *clamp)
{
	float8		steps = x * clamp->steps_per_unit.value;

	if (likely(steps > -9223372036854775808.0 && steps < 9223372036854775808.0))
		return (int64) steps;
	if (steps > 0)
		return PG_INT64_MAX;
	if (steps < 0)
		return PG_INT64_MIN;
	return 0;
}

/* For a value of an integer type: exact for step 1; other steps go through a double. */
static inline int64
dpriv_quantise_integer(int64 x, const DprivClamp *clamp)
{
	return likely(clamp->unit_step) ? x : dpriv_quantise((float8) x, clamp);
}

static inline int64
dpriv_clamp(int64 steps, const DprivClamp *clamp)
{
	steps = Max(steps, clamp->lower);
	steps = Min(steps, clamp->upper);
	return steps;
}

#endif							/* DPRIV_CLAMP_H */
