/*
 * posterior_functions.c
 *	  How far a release can move what somebody believes of a row, callable from SQL.
 *
 * Let P and Q be the probabilities of an answer if the belief is true and if it is not, on
 * neighbouring databases.  Odds are multiplied by P / Q (Bayes).  Of what is purely private that is
 * within e^-epsilon .. e^epsilon, always.
 *
 * With delta the answers with P > e^(2 epsilon) Q have together P - e^epsilon Q <= delta, and Q <
 * e^(-2 epsilon) P, so P (1 - e^-epsilon) <= delta; those with Q > e^(2 epsilon) P have Q (1 -
 * e^-epsilon) <= delta, and P < e^(-2 epsilon) Q.  So whichever is true, an answer is outside of
 * e^(-2 epsilon) .. e^(2 epsilon) with a probability of delta (1 + e^(-2 epsilon)) / (1 -
 * e^-epsilon) at most.  Kasiviswanathan and Smith, "On the 'Semantics' of Differential Privacy"
 * (2014), lemma 3.3, has the same range; no range of finite odds has probability 1.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "accounting/arguments.h"
#include "fmgr.h"
#include "funcapi.h"

/* More than what rounding does to a few operations. */
#define SLACK (8.0 * DBL_EPSILON)

static const DprivArgument prior_domain = {
	"prior", 0, 1, "It is the probability that is given to the statement before the release."
};

PG_FUNCTION_INFO_V1(dpriv_sql_posterior);

/* Rounded so that the range is not too small, nor the probability to be outside. */
Datum
dpriv_sql_posterior(PG_FUNCTION_ARGS)
{
	double		prior = dpriv_real_argument(fcinfo, 0, &prior_domain);
	double		epsilon = dpriv_real_argument(fcinfo, 1, &dpriv_epsilon_domain);
	double		delta = dpriv_real_argument(fcinfo, 2, &dpriv_delta_domain);
	double		odds = exp(delta > 0 ? -2.0 * epsilon : -epsilon);
	double		lower = prior;
	double		upper = prior;
	double		failure = 0.0;
	TupleDesc	descriptor;
	Datum		values[3];
	bool		nulls[3] = {false, false, false};

	if (epsilon > 0 && prior > 0 && prior < 1)
	{
		lower = prior * odds / (prior * odds + (1.0 - prior)) * (1.0 - SLACK);
		upper = Min(prior / (prior + (1.0 - prior) * odds) * (1.0 + SLACK), 1.0);
	}
	if (delta > 0)
		failure = Min(delta * (1.0 + odds) / -expm1(-epsilon) * (1.0 + SLACK), 1.0);

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "result is not a composite type");
	values[0] = Float8GetDatum(lower);
	values[1] = Float8GetDatum(upper);
	values[2] = Float8GetDatum(failure);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
