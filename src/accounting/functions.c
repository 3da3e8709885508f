/*
 * functions.c
 *	  Calibration, composition, training and selection, callable from SQL.
 *
 * Every argument passes through one of the readers of arguments.h, which refuse NULL, NaN and
 * everything outside of the argument's domain.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/arguments.h"
#include "accounting/compose.h"
#include "accounting/dpsgd.h"
#include "accounting/gaussian.h"
#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/pld.h"
#include "accounting/selection.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

static const DprivArgument slack_domain = {
	"delta_slack", 0, 1, "It is what composition may add to the sum of deltas, for example 1e-6."
};
static const DprivArgument kov_slack_domain = {
	"slack", 0, 1, "It is what composition may add to the deltas, for example 1e-6."
};
static const DprivArgument width_domain = {
	"half_width", 0, INFINITY, "The answer will be within this distance of the truth."
};
static const DprivArgument confidence_domain = {
	"confidence", 0, 1, "Write 0.95 for 95 %."
};
static const DprivArgument k_domain = {
	"k", 0, INFINITY, "It is the number of mechanisms, or of units in a group."
};
static const DprivArgument optimal_k_domain = {
	"k", 0, DPRIV_COMPOSE_MAX_K, "Use form dwork_roth for more."
};
static const DprivArgument steps_domain = {
	"steps", 0, INFINITY, "It is the number of times that noise is added."
};
static const DprivArgument groups_domain = {
	"groups", 1, INFINITY, "It is the number of groups that one unit can be in."
};
static const DprivArgument n_domain = {
	"n", 0, INFINITY, "It is the number of units in the group."
};
static const DprivArgument epsilons_domain = {
	"epsilons", 0, INFINITY, "Pass one epsilon per mechanism."
};
static const DprivArgument deltas_domain = {"deltas", 0, 1, "Pass one delta per mechanism."};

enum
{
	METHOD_ANALYTIC, METHOD_CLASSIC, METHOD_DISCRETE
};
static const DprivChoice gaussian_method = {
	"method", "Use one of: analytic, classic, discrete.", {"analytic", "classic", "discrete"}
};

enum
{
	MECHANISM_LAPLACE, MECHANISM_DISCRETE_LAPLACE, MECHANISM_GAUSSIAN
};
static const DprivChoice error_mechanism = {
	"mechanism", "Use one of: laplace, discrete_laplace, gaussian.",
	{"laplace", "discrete_laplace", "gaussian"}
};

enum
{
	FORM_DWORK_ROTH, FORM_BOOK, FORM_OPTIMAL
};
static const DprivChoice advanced_form = {
	"form", "Use one of: dwork_roth, book, optimal.", {"dwork_roth", "book", "optimal"}
};

enum
{
	TRAINING_PLD, TRAINING_RDP
};
static const DprivChoice training_accountant = {
	"accountant", "Use one of: pld, rdp.", {"pld", "rdp"}
};

/*
 * Delta where noise or a threshold is chosen for it.  A delta of 1 asks for none; it is epsilon in
 * the wrong place.
 */
static double
delta_to_buy(FunctionCallInfo fcinfo, int n)
{
	double		delta = dpriv_real_argument(fcinfo, n, &dpriv_delta_domain);

	if (delta == 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta of %s is out of range", dpriv_function_name(fcinfo)),
				 errdetail("A delta of 1 promises nothing."),
				 errhint("Look at the order of epsilon and delta.")));
	return delta;
}

/* A sampling rate of 0 would train on nothing; it is the quotient of two integers. */
static double
rate_to_train(FunctionCallInfo fcinfo, int n)
{
	double		rate = dpriv_real_argument(fcinfo, n, &dpriv_rate_domain);

	if (rate == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sampling_rate of %s is out of range", dpriv_function_name(fcinfo)),
				 errdetail("With a rate of 0 no row is ever used."),
				 errhint("In SQL 256 / 60000 is 0: write 256 / 60000.0.")));
	return rate;
}

static void
require_whole(FunctionCallInfo fcinfo, double value)
{
	if (value == floor(value) && !isinf(value))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("sensitivity of %s must be a whole number", dpriv_function_name(fcinfo)),
			 errdetail("Discrete noise is added to integers."),
			 errhint("It is 1 for a count; for fractional bounds use continuous noise.")));
}

/* A dpriv.guarantee. */
static Datum
guarantee_result(FunctionCallInfo fcinfo, DprivGuarantee guarantee)
{
	TupleDesc	descriptor;
	Datum		values[2];
	bool		nulls[2] = {false, false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "result is not a composite type");
	values[0] = Float8GetDatum(guarantee.epsilon);
	values[1] = Float8GetDatum(guarantee.delta);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/* Calibration */

PG_FUNCTION_INFO_V1(dpriv_sql_laplace_scale);

Datum
dpriv_sql_laplace_scale(PG_FUNCTION_ARGS)
{
	double		sensitivity = dpriv_real_argument(fcinfo, 0, &dpriv_sensitivity_domain);
	double		epsilon = dpriv_real_argument(fcinfo, 1, &dpriv_epsilon_domain);

	PG_RETURN_FLOAT8(dpriv_laplace_scale_for(sensitivity, epsilon));
}

PG_FUNCTION_INFO_V1(dpriv_sql_gaussian_sigma);

Datum
dpriv_sql_gaussian_sigma(PG_FUNCTION_ARGS)
{
	double		sensitivity = dpriv_real_argument(fcinfo, 0, &dpriv_sensitivity_domain);
	double		epsilon = dpriv_real_argument(fcinfo, 1, &dpriv_epsilon_domain);
	double		delta = delta_to_buy(fcinfo, 2);

	switch (dpriv_choice_argument(fcinfo, 3, &gaussian_method))
	{
		case METHOD_CLASSIC:
			if (epsilon >= 1.0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("the classic calibration holds only for epsilon below 1"),
						 errdetail("Its proof (Dwork and Roth 2014, theorem A.1) needs "
								   "0 < epsilon < 1, and for large epsilon its noise is not "
								   "enough."),
						 errhint("Use method analytic, which is exact for every epsilon.")));
			PG_RETURN_FLOAT8(dpriv_gaussian_sigma_classic(sensitivity, epsilon, delta));
		case METHOD_DISCRETE:
			require_whole(fcinfo, sensitivity);
			PG_RETURN_FLOAT8(dpriv_discrete_gaussian_sigma_for(sensitivity, epsilon, delta));
		default:
			PG_RETURN_FLOAT8(dpriv_gaussian_sigma_for(sensitivity, epsilon, delta));
	}
}

PG_FUNCTION_INFO_V1(dpriv_sql_gaussian_delta);

Datum
dpriv_sql_gaussian_delta(PG_FUNCTION_ARGS)
{
	double		sensitivity = dpriv_real_argument(fcinfo, 0, &dpriv_sensitivity_domain);
	double		sigma = dpriv_real_argument(fcinfo, 1, &dpriv_sigma_domain);
	double		epsilon = dpriv_real_argument(fcinfo, 2, &dpriv_epsilon_domain);

	PG_RETURN_FLOAT8(dpriv_gaussian_delta(sensitivity, sigma, epsilon));
}

PG_FUNCTION_INFO_V1(dpriv_sql_gaussian_epsilon);

Datum
dpriv_sql_gaussian_epsilon(PG_FUNCTION_ARGS)
{
	double		sensitivity = dpriv_real_argument(fcinfo, 0, &dpriv_sensitivity_domain);
	double		sigma = dpriv_real_argument(fcinfo, 1, &dpriv_sigma_domain);
	double		delta = dpriv_real_argument(fcinfo, 2, &dpriv_delta_domain);

	PG_RETURN_FLOAT8(dpriv_gaussian_epsilon(sensitivity, sigma, delta));
}

PG_FUNCTION_INFO_V1(dpriv_sql_epsilon_for);

Datum
dpriv_sql_epsilon_for(PG_FUNCTION_ARGS)
{
	double		half_width = dpriv_real_argument(fcinfo, 0, &width_domain);
	double		sensitivity = dpriv_real_argument(fcinfo, 1, &dpriv_sensitivity_domain);
	double		confidence = dpriv_real_argument(fcinfo, 2, &confidence_domain);
	int			mechanism = dpriv_choice_argument(fcinfo, 3, &error_mechanism);
	double		delta = dpriv_real_argument(fcinfo, 4, &dpriv_delta_domain);

	switch (mechanism)
	{
		case MECHANISM_DISCRETE_LAPLACE:
			require_whole(fcinfo, sensitivity);
			PG_RETURN_FLOAT8(dpriv_discrete_laplace_epsilon_for(half_width, sensitivity,
																confidence));
		case MECHANISM_GAUSSIAN:
			if (delta == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("Gaussian noise needs a delta above 0"),
						 errhint("Pass delta as the last argument, for example 1e-6.")));
			PG_RETURN_FLOAT8(dpriv_gaussian_epsilon_for(half_width, sensitivity, confidence,
														delta));
		default:
			PG_RETURN_FLOAT8(dpriv_laplace_epsilon_for(half_width, sensitivity, confidence));
	}
}

/* Composition */

PG_FUNCTION_INFO_V1(dpriv_sql_compose_basic);

Datum
dpriv_sql_compose_basic(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		delta = dpriv_real_argument(fcinfo, 1, &dpriv_delta_domain);
	int64		k = dpriv_whole_argument(fcinfo, 2, &k_domain);

	return guarantee_result(fcinfo, dpriv_compose_basic(epsilon, delta, k));
}

PG_FUNCTION_INFO_V1(dpriv_sql_compose_basic_list);

Datum
dpriv_sql_compose_basic_list(PG_FUNCTION_ARGS)
{
	double	   *epsilons;
	double	   *deltas;
	int			n;

	dpriv_paired_arguments(fcinfo, &epsilons_domain, &deltas_domain, &epsilons, &deltas, &n);
	return guarantee_result(fcinfo, dpriv_compose_basic_list(epsilons, deltas, n));
}

PG_FUNCTION_INFO_V1(dpriv_sql_compose_advanced);

Datum
dpriv_sql_compose_advanced(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		delta = dpriv_real_argument(fcinfo, 1, &dpriv_delta_domain);
	int64		k = dpriv_whole_argument(fcinfo, 2, &k_domain);
	double		slack = dpriv_real_argument(fcinfo, 3, &slack_domain);

	switch (dpriv_choice_argument(fcinfo, 4, &advanced_form))
	{
		case FORM_BOOK:
			if (!dpriv_compose_book_holds(epsilon, k, slack))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("form book of advanced composition does not hold here"),
						 errdetail("It needs exp(epsilon) - 1 <= sqrt(2 ln(1 / delta_slack) / k)."),
						 errhint("Use form dwork_roth, or optimal, which is never larger.")));
			return guarantee_result(fcinfo, dpriv_compose_book(epsilon, delta, k, slack));
		case FORM_OPTIMAL:
			dpriv_check_domain(fcinfo, (double) k, &optimal_k_domain);
			return guarantee_result(fcinfo, dpriv_compose_optimal(epsilon, delta, k, slack));
		default:
			return guarantee_result(fcinfo, dpriv_compose_dwork_roth(epsilon, delta, k, slack));
	}
}

PG_FUNCTION_INFO_V1(dpriv_sql_compose_kov);

Datum
dpriv_sql_compose_kov(PG_FUNCTION_ARGS)
{
	double	   *epsilons;
	double	   *deltas;
	int			n;
	double		slack;
	void	   *work;
	DprivGuarantee guarantee;

	dpriv_paired_arguments(fcinfo, &epsilons_domain, &deltas_domain, &epsilons, &deltas, &n);
	slack = dpriv_real_argument(fcinfo, 2, &kov_slack_domain);
	work = palloc(dpriv_compose_optimal_list_size(n));
	guarantee = dpriv_compose_optimal_list(epsilons, deltas, n, slack, work);
	pfree(work);				/* megabytes */
	return guarantee_result(fcinfo, guarantee);
}

PG_FUNCTION_INFO_V1(dpriv_sql_group_privacy);

Datum
dpriv_sql_group_privacy(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		delta = dpriv_real_argument(fcinfo, 1, &dpriv_delta_domain);
	int64		k = dpriv_whole_argument(fcinfo, 2, &k_domain);

	return guarantee_result(fcinfo, dpriv_group_privacy(epsilon, delta, k));
}

/* Training */

PG_FUNCTION_INFO_V1(dpriv_sql_dpsgd_epsilon);

Datum
dpriv_sql_dpsgd_epsilon(PG_FUNCTION_ARGS)
{
	double		multiplier = dpriv_real_argument(fcinfo, 0, &dpriv_multiplier_domain);
	double		rate = rate_to_train(fcinfo, 1);
	int64		steps = dpriv_whole_argument(fcinfo, 2, &steps_domain);
	double		delta = dpriv_real_argument(fcinfo, 3, &dpriv_delta_domain);

	void	   *work;
	double		epsilon;

	if (dpriv_choice_argument(fcinfo, 4, &training_accountant) == TRAINING_RDP)
		PG_RETURN_FLOAT8(dpriv_dpsgd_epsilon(multiplier, rate, steps, delta));
	work = palloc(dpriv_pld_size());
	epsilon = dpriv_dpsgd_epsilon_pld(multiplier, rate, steps, delta, work);
	pfree(work);				/* megabytes */
	PG_RETURN_FLOAT8(epsilon);
}

PG_FUNCTION_INFO_V1(dpriv_sql_dpsgd_noise_multiplier);

Datum
dpriv_sql_dpsgd_noise_multiplier(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		delta = delta_to_buy(fcinfo, 1);
	double		rate = rate_to_train(fcinfo, 2);
	int64		steps = dpriv_whole_argument(fcinfo, 3, &steps_domain);

	void	   *work;
	double		multiplier;

	if (dpriv_choice_argument(fcinfo, 4, &training_accountant) == TRAINING_RDP)
		PG_RETURN_FLOAT8(dpriv_dpsgd_noise_multiplier(epsilon, delta, rate, steps));
	work = palloc(dpriv_pld_size());
	multiplier = dpriv_dpsgd_noise_multiplier_pld(epsilon, delta, rate, steps, work);
	pfree(work);
	PG_RETURN_FLOAT8(multiplier);
}

PG_FUNCTION_INFO_V1(dpriv_sql_accountings);

Datum
dpriv_sql_accountings(PG_FUNCTION_ARGS)
{
	double		sigma = dpriv_real_argument(fcinfo, 0, &dpriv_sigma_domain);
	double		sensitivity = dpriv_real_argument(fcinfo, 1, &dpriv_sensitivity_domain);
	int64		steps = dpriv_whole_argument(fcinfo, 2, &steps_domain);
	double		delta = dpriv_real_argument(fcinfo, 3, &dpriv_delta_domain);
	FuncCallContext *context;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old_context;
		TupleDesc	descriptor;

		context = SRF_FIRSTCALL_INIT();
		old_context = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "result is not a composite type");
		context->tuple_desc = BlessTupleDesc(descriptor);
		MemoryContextSwitchTo(old_context);
	}
	context = SRF_PERCALL_SETUP();
	if (context->call_cntr < DPRIV_ACCOUNTINGS)
	{
		DprivAccounting accounting = (DprivAccounting) context->call_cntr;
		Datum		values[2];
		bool		nulls[2] = {false, false};

		values[0] = CStringGetTextDatum(dpriv_accounting_name(accounting));
		values[1] = Float8GetDatum(dpriv_accounting_epsilon(accounting, sigma, sensitivity, steps,
															delta));
		SRF_RETURN_NEXT(context, HeapTupleGetDatum(heap_form_tuple(context->tuple_desc, values,
																   nulls)));
	}
	SRF_RETURN_DONE(context);
}

/* Group selection */

PG_FUNCTION_INFO_V1(dpriv_sql_selection_threshold);

Datum
dpriv_sql_selection_threshold(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		delta = delta_to_buy(fcinfo, 1);
	int			groups = dpriv_small_argument(fcinfo, 2, &groups_domain);

	PG_RETURN_FLOAT8(dpriv_selection_threshold(epsilon, delta, groups));
}

PG_FUNCTION_INFO_V1(dpriv_sql_selection_threshold_continuous);

Datum
dpriv_sql_selection_threshold_continuous(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		delta = delta_to_buy(fcinfo, 1);
	int			groups = dpriv_small_argument(fcinfo, 2, &groups_domain);

	PG_RETURN_FLOAT8(dpriv_selection_threshold_continuous(epsilon, delta, groups));
}

PG_FUNCTION_INFO_V1(dpriv_sql_selection_probability);

Datum
dpriv_sql_selection_probability(PG_FUNCTION_ARGS)
{
	int64		n = dpriv_whole_argument(fcinfo, 0, &n_domain);
	double		epsilon = dpriv_real_argument(fcinfo, 1, &dpriv_epsilon_domain);
	double		delta = dpriv_real_argument(fcinfo, 2, &dpriv_delta_domain);
	int			groups = dpriv_small_argument(fcinfo, 3, &groups_domain);

	PG_RETURN_FLOAT8(dpriv_selection_probability((double) n, epsilon, delta, groups));
}

PG_FUNCTION_INFO_V1(dpriv_sql_selection_probability_continuous);

Datum
dpriv_sql_selection_probability_continuous(PG_FUNCTION_ARGS)
{
	int64		n = dpriv_whole_argument(fcinfo, 0, &n_domain);
	double		epsilon = dpriv_real_argument(fcinfo, 1, &dpriv_epsilon_domain);
	double		delta = dpriv_real_argument(fcinfo, 2, &dpriv_delta_domain);
	int			groups = dpriv_small_argument(fcinfo, 3, &groups_domain);

	PG_RETURN_FLOAT8(dpriv_selection_probability_continuous((double) n, epsilon, delta, groups));
}
