/*
 * arguments.c
 *	  Arguments of the functions of accounting, checked.
 *
 * Messages name the argument and the function, never the value.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/arguments.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

const DprivArgument dpriv_sensitivity_domain = {
	"sensitivity", 0, INFINITY, "It is how much one unit can change the result."
};
const DprivArgument dpriv_epsilon_domain = {
	"epsilon", 0, INFINITY, "Values from 0.1 to 1 are usual."
};
const DprivArgument dpriv_delta_domain = {
	"delta", 0, 1, "It should be far below one over the number of units, for example 1e-6."
};
const DprivArgument dpriv_sigma_domain = {
	"sigma", 0, INFINITY, "It is the standard deviation of the noise."
};
const DprivArgument dpriv_rate_domain = {
	"sampling_rate", 0, 1, "It is the expected batch size divided by the number of rows."
};
const DprivArgument dpriv_multiplier_domain = {
	"noise_multiplier", 0, INFINITY,
	"It is the standard deviation of the noise divided by the clipping bound."
};

const char *
dpriv_function_name(FunctionCallInfo fcinfo)
{
	char	   *name = get_func_name(fcinfo->flinfo->fn_oid);

	return name ? name : "function";
}

void
dpriv_refuse_null_argument(FunctionCallInfo fcinfo, const char *name, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s of %s must not be NULL", name, dpriv_function_name(fcinfo)),
			 errhint("%s", hint)));
}

void
dpriv_check_domain(FunctionCallInfo fcinfo, double value, const DprivArgument *domain)
{
	/* Not a number compares false. */
	if (value >= domain->least && value <= domain->greatest)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of %s is out of range", domain->name, dpriv_function_name(fcinfo)),
			 isinf(domain->greatest) ?
			 errdetail("It must be a number from %g on.", domain->least) :
			 errdetail("It must lie between %g and %.16g.", domain->least, domain->greatest),
			 errhint("%s", domain->hint)));
}

double
dpriv_real_argument(FunctionCallInfo fcinfo, int n, const DprivArgument *domain)
{
	double		value;

	if (PG_ARGISNULL(n))
		dpriv_refuse_null_argument(fcinfo, domain->name, domain->hint);
	value = PG_GETARG_FLOAT8(n);
	dpriv_check_domain(fcinfo, value, domain);
	return value == 0 ? 0.0 : value;	/* no negative zero */
}

int64
dpriv_whole_argument(FunctionCallInfo fcinfo, int n, const DprivArgument *domain)
{
	int64		value;

	if (PG_ARGISNULL(n))
		dpriv_refuse_null_argument(fcinfo, domain->name, domain->hint);
	value = PG_GETARG_INT64(n);
	dpriv_check_domain(fcinfo, (double) value, domain);
	return value;
}

int
dpriv_small_argument(FunctionCallInfo fcinfo, int n, const DprivArgument *domain)
{
	int32		value;

	if (PG_ARGISNULL(n))
		dpriv_refuse_null_argument(fcinfo, domain->name, domain->hint);
	value = PG_GETARG_INT32(n);
	dpriv_check_domain(fcinfo, (double) value, domain);
	return value;
}

int
dpriv_choice_argument(FunctionCallInfo fcinfo, int n, const DprivChoice *choice)
{
	char	   *value;

	if (PG_ARGISNULL(n))
		dpriv_refuse_null_argument(fcinfo, choice->name, choice->hint);
	value = text_to_cstring(PG_GETARG_TEXT_PP(n));
	for (int i = 0; i < (int) lengthof(choice->values) && choice->values[i]; i++)
	{
		if (strcmp(value, choice->values[i]) == 0)
			return i;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of %s is not known", choice->name, dpriv_function_name(fcinfo)),
			 errhint("%s", choice->hint)));
	return 0;
}

/*
 * The elements of an array, which live as long as the call; empty arrays are allowed.
 */
static double *
array_argument(FunctionCallInfo fcinfo, int n, const DprivArgument *domain, int *length)
{
	ArrayType  *array;
	double	   *element;

	if (PG_ARGISNULL(n))
		dpriv_refuse_null_argument(fcinfo, domain->name, domain->hint);
	array = PG_GETARG_ARRAYTYPE_P(n);
	Assert(ARR_ELEMTYPE(array) == FLOAT8OID);
	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s of %s must be a one-dimensional array without nulls", domain->name,
						dpriv_function_name(fcinfo)),
				 errhint("%s", domain->hint)));
	*length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (*length > DPRIV_MAX_LIST)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many elements in %s of %s", domain->name, dpriv_function_name(fcinfo)),
				 errdetail("There may be at most %d.", DPRIV_MAX_LIST),
				 errhint("Compose equal mechanisms by their number.")));
	element = (double *) ARR_DATA_PTR(array);
	for (int i = 0; i < *length; i++)
	{
		if (!(element[i] >= domain->least && element[i] <= domain->greatest))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("an element of %s of %s is out of range", domain->name,
							dpriv_function_name(fcinfo)),
					 isinf(domain->greatest) ?
					 errdetail("All must be numbers from %g on.", domain->least) :
					 errdetail("All must lie between %g and %g.", domain->least,
							   domain->greatest),
					 errhint("%s", domain->hint)));
	}
	return element;
}

void
dpriv_paired_arguments(FunctionCallInfo fcinfo, const DprivArgument *first_domain,
					   const DprivArgument *second_domain, double **first, double **second,
					   int *length)
{
	int			other;

	*first = array_argument(fcinfo, 0, first_domain, length);
	*second = array_argument(fcinfo, 1, second_domain, &other);
	if (*length != other)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s and %s of %s must have the same number of elements",
						first_domain->name, second_domain->name, dpriv_function_name(fcinfo)),
				 errhint("%s", second_domain->hint)));
}
