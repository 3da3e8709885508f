/*
 * counts.c
 *	  What the counting aggregates share: their state, and how two states combine.
 *
 * The state of a counting aggregate is int8[bins], one count per bin, updated in place.  Every
 * count is a number of rows and so never negative.  There is no initial value, because the number
 * of bins is known only from the arguments: a state is NULL until the first row.
 */
#include "postgres.h"

#include "nodes/execnodes.h"

#include "exact.h"

PG_FUNCTION_INFO_V1(dpriv_exact_counts_combine);

static pg_noinline void
refuse_counts(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid transition state for exact counts"),
			 errdetail("Within one group the number of bins must stay the same."),
			 errhint("Pass the same edges or categories for every row.")));
}

/*
 * The state to update in place (argument 0), with this many bins; all zeros if there is none yet.
 *
 * A new state is made in the current memory context; the executor moves it where states live.
 * Errors: 22023 outside an aggregate, and if the state has another number of bins.
 */
DprivInt8Array *
dpriv_counts_state(FunctionCallInfo fcinfo, int bins)
{
	DprivInt8Array *state;

	if (unlikely(fcinfo->context == NULL ||
				 !(IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState))))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("support function of an aggregate called outside an aggregate"),
				 errhint("Call the aggregate itself, for example dpriv.exact_histogram().")));

	if (PG_ARGISNULL(0))
	{
		state = palloc0(DPRIV_INT8_ARRAY_SIZE(bins));
		SET_VARSIZE(state, DPRIV_INT8_ARRAY_SIZE(bins));
		state->header.ndim = 1;
		state->header.elemtype = INT8OID;
		state->length = bins;
		state->lower_bound = 1;
		return state;
	}

	state = (DprivInt8Array *) DatumGetPointer(PG_GETARG_DATUM(0));
	if (unlikely(!dpriv_is_int8_array(state, bins)))
		refuse_counts();
	return state;
}

/*
 * Combine two states: add bin by bin, the same whichever comes first.  Either may be NULL.
 */
Datum
dpriv_exact_counts_combine(PG_FUNCTION_ARGS)
{
	DprivInt8Array *state;
	DprivInt8Array *other;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}

	/* it may come packed from another process */
	other = (DprivInt8Array *) PG_GETARG_ARRAYTYPE_P(1);
	if (other->header.ndim != 1 || other->length < 1 || other->length > DPRIV_MAX_BINS ||
		!dpriv_is_int8_array(other, other->length))
		refuse_counts();

	state = dpriv_counts_state(fcinfo, other->length);
	for (int i = 0; i < other->length; i++)
		state->value[i] = (int64) ((uint64) state->value[i] + (uint64) other->value[i]);
	PG_RETURN_POINTER(state);
}
