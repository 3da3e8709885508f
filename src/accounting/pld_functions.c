/*
 * pld_functions.c
 *	  Lists of mechanisms from SQL, and what they cost together.
 *
 * Of every mechanism the kind, the number of its parameters and their domains are checked here; the
 * table below has them all.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "accounting/arguments.h"
#include "accounting/pld.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

/* A kind's parameters, in order. */
typedef struct Parameter
{
	const char *name;
	double		least;
	double		greatest;
	bool		whole;
} Parameter;

typedef struct Kind
{
	int			n;
	Parameter	parameters[DPRIV_PLD_MAX_PARAMETERS];
	const char *hint;
} Kind;

static const Kind kinds[DPRIV_PLD_KINDS] = {
	[DPRIV_PLD_GAUSSIAN] = {
		2, {{"sensitivity", 0, INFINITY}, {"sigma", 0, INFINITY}},
		"Its parameters are sensitivity and sigma."
	},
	[DPRIV_PLD_DISCRETE_GAUSSIAN] = {
		2, {{"sensitivity", 0, 1e9, true}, {"sigma", 0, DPRIV_PLD_MAX_STEPS}},
		"Its parameters are sensitivity, a whole number, and sigma."
	},
	[DPRIV_PLD_LAPLACE] = {
		1, {{"epsilon", 0, INFINITY}},
		"Its parameter is epsilon, sensitivity / scale."
	},
	[DPRIV_PLD_DISCRETE_LAPLACE] = {
		2, {{"epsilon", 0, INFINITY}, {"sensitivity_steps", 1, DPRIV_PLD_MAX_STEPS, true}},
		"Its parameters are epsilon and sensitivity_steps, a whole number, 1 for a count."
	},
	[DPRIV_PLD_RANDOMIZED_RESPONSE] = {
		2, {{"noise", 0, 1}, {"buckets", 1, 1e9, true}},
		"Its parameters are noise, a probability, and buckets, the number of answers."
	},
	[DPRIV_PLD_APPROXIMATE] = {
		2, {{"epsilon", 0, INFINITY}, {"delta", 0, 1}},
		"Its parameters are epsilon and delta."
	},
	[DPRIV_PLD_SAMPLED_GAUSSIAN] = {
		2, {{"sampling_rate", 0, 1}, {"noise_multiplier", 0, INFINITY}},
		"Its parameters are sampling_rate and noise_multiplier."
	},
	[DPRIV_PLD_SAMPLED_LAPLACE] = {
		2, {{"sampling_rate", 0, 1}, {"epsilon", 0, INFINITY}},
		"Its parameters are sampling_rate and the epsilon of the noise without sampling."
	},
};

/* A field of a dpriv.mechanism, which must not be null. */
static Datum
field(FunctionCallInfo fcinfo, HeapTupleHeader tuple, const char *name)
{
	bool		isnull;
	Datum		value = GetAttributeByName(tuple, name, &isnull);

	if (isnull)
		dpriv_refuse_null_argument(fcinfo, name, "A mechanism has a kind, parameters and a count.");
	return value;
}

static DprivPldKind
read_kind(FunctionCallInfo fcinfo, HeapTupleHeader tuple)
{
	char	   *name = TextDatumGetCString(field(fcinfo, tuple, "kind"));

	for (int i = 0; i < DPRIV_PLD_KINDS; i++)
	{
		if (strcmp(name, dpriv_pld_kind_name((DprivPldKind) i)) == 0)
			return (DprivPldKind) i;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("kind of %s is not known", dpriv_function_name(fcinfo)),
			 errhint("Use one of: gaussian, discrete_gaussian, laplace, discrete_laplace, "
					 "randomized_response, approximate, sampled_gaussian, sampled_laplace.")));
	return DPRIV_PLD_GAUSSIAN;
}

static void
read_parameters(FunctionCallInfo fcinfo, HeapTupleHeader tuple, DprivPldMechanism *mechanism)
{
	ArrayType  *array = DatumGetArrayTypeP(field(fcinfo, tuple, "parameters"));
	const Kind *kind = &kinds[mechanism->kind];
	const double *values = (const double *) ARR_DATA_PTR(array);

	Assert(ARR_ELEMTYPE(array) == FLOAT8OID);
	if (ARR_NDIM(array) != 1 || array_contains_nulls(array) || ARR_DIMS(array)[0] != kind->n)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrong number of parameters for %s of %s",
						dpriv_pld_kind_name(mechanism->kind), dpriv_function_name(fcinfo)),
				 errhint("%s", kind->hint)));
	for (int i = 0; i < kind->n; i++)
	{
		const Parameter *parameter = &kind->parameters[i];

		if (!(values[i] >= parameter->least && values[i] <= parameter->greatest) ||
			(parameter->whole && values[i] != floor(values[i])))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s of %s of %s is out of range", parameter->name,
							dpriv_pld_kind_name(mechanism->kind), dpriv_function_name(fcinfo)),
					 errdetail("It must be a %s from %g to %g.",
							   parameter->whole ? "whole number" : "number", parameter->least,
							   parameter->greatest),
					 errhint("%s", kind->hint)));
		mechanism->parameters[i] = values[i] == 0 ? 0.0 : values[i];	/* no negative zero */
	}
}

/* The mechanisms of the first argument, merged.  Returns how many there are. */
static int
read_mechanisms(FunctionCallInfo fcinfo, DprivPldMechanism **mechanisms)
{
	static const DprivArgument count_domain = {
		"count", 0, INFINITY, "It is how often the mechanism is run."
	};
	const char *hint = "Pass an array of dpriv.mechanism, of kind, parameters and count.";
	ArrayType  *array;
	TypeCacheEntry *type;
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	if (PG_ARGISNULL(0))
		dpriv_refuse_null_argument(fcinfo, "mechanisms", hint);
	array = PG_GETARG_ARRAYTYPE_P(0);
	type = lookup_type_cache(ARR_ELEMTYPE(array), 0);
	deconstruct_array(array, ARR_ELEMTYPE(array), type->typlen, type->typbyval, type->typalign,
					  &elements, &nulls, &n);
	if (n > DPRIV_MAX_LIST)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many elements in %s of %s", "mechanisms",
						dpriv_function_name(fcinfo)),
				 errdetail("There may be at most %d.", DPRIV_MAX_LIST),
				 errhint("Compose equal mechanisms by their number.")));
	*mechanisms = palloc0(Max(n, 1) * sizeof(DprivPldMechanism));
	for (int i = 0; i < n; i++)
	{
		DprivPldMechanism *mechanism = &(*mechanisms)[i];
		HeapTupleHeader tuple;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			dpriv_refuse_null_argument(fcinfo, "an element of mechanisms", hint);
		tuple = DatumGetHeapTupleHeader(elements[i]);
		mechanism->kind = read_kind(fcinfo, tuple);
		read_parameters(fcinfo, tuple, mechanism);
		mechanism->count = DatumGetInt64(field(fcinfo, tuple, "count"));
		dpriv_check_domain(fcinfo, (double) mechanism->count, &count_domain);
	}
	n = dpriv_pld_merge(*mechanisms, n);
	if (n > DPRIV_PLD_MAX_MECHANISMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many different mechanisms for %s", dpriv_function_name(fcinfo)),
				 errdetail("There may be at most %d; all Gaussians count as one.",
						   DPRIV_PLD_MAX_MECHANISMS),
				 errhint("Round parameters toward more loss, so that more of them are equal.")));
	return n;
}

PG_FUNCTION_INFO_V1(dpriv_sql_pld_epsilon);

Datum
dpriv_sql_pld_epsilon(PG_FUNCTION_ARGS)
{
	DprivPldMechanism *mechanisms;
	int			n = read_mechanisms(fcinfo, &mechanisms);
	double		delta = dpriv_real_argument(fcinfo, 1, &dpriv_delta_domain);
	void	   *work = palloc(dpriv_pld_size());
	double		epsilon = dpriv_pld_epsilon(mechanisms, n, delta, work);

	pfree(work);				/* megabytes */
	PG_RETURN_FLOAT8(epsilon);
}

PG_FUNCTION_INFO_V1(dpriv_sql_pld_delta);

Datum
dpriv_sql_pld_delta(PG_FUNCTION_ARGS)
{
	DprivPldMechanism *mechanisms;
	int			n = read_mechanisms(fcinfo, &mechanisms);
	double		epsilon = dpriv_real_argument(fcinfo, 1, &dpriv_epsilon_domain);
	void	   *work = palloc(dpriv_pld_size());
	double		delta = dpriv_pld_delta(mechanisms, n, epsilon, work);

	pfree(work);
	PG_RETURN_FLOAT8(delta);
}
