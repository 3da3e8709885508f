/*
 * divergence_functions.c
 *	  zCDP and RDP, callable from SQL.
 *
 * Every argument passes through one of the readers of arguments.h, which refuse NULL, NaN and
 * everything outside of the argument's domain.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/arguments.h"
#include "accounting/laplace.h"
#include "accounting/rdp.h"
#include "accounting/sampled_gaussian.h"
#include "accounting/zcdp.h"
#include "fmgr.h"

static const DprivArgument rho_domain = {
	"rho", 0, INFINITY, "It is what the zcdp functions return; they add up."
};
static const DprivArgument alpha_domain = {
	"alpha", 1, INFINITY, "Orders from 1.1 to 64 are usual."
};
static const DprivArgument noise_domain = {
	"noise", 0, 1, "It is the probability that a random answer replaces the true one."
};
static const DprivArgument sensitivity_steps_domain = {
	"sensitivity_steps", 1, INFINITY,
	"It is the sensitivity in whole steps of the grid, 1 for a count."
};
static const DprivArgument buckets_domain = {
	"buckets", 1, INFINITY, "It is the number of possible answers."
};
static const DprivArgument orders_domain = {
	"orders", 1, INFINITY, "Orders from 1.1 to 64 are usual."
};
static const DprivArgument curve_domain = {
	"curve", 0, INFINITY, "It holds a divergence for every order, as the rdp functions return."
};

static const DprivChoice zcdp_method = {
	"method", "Use one of: tight, bs16.", {"tight", "bs16"}	/* as DprivZcdpMethod */
};

static const DprivChoice rdp_conversion = {
	"conversion", "Use one of: improved, classic.",
	{"improved", "classic"}		/* as DprivRdpConversion */
};

static const DprivChoice rdp_adjacency = {
	"adjacency", "Use one of: replace_one, replace_special.",
	{"replace_one", "replace_special"}	/* as DprivRdpAdjacency */
};

enum
{
	RANGE_ZCDP, RANGE_TIGHT
};
static const DprivChoice range_form = {
	"form", "Use one of: zcdp, tight.", {"zcdp", "tight"}
};

/*
 * Zero-concentrated differential privacy
 */

PG_FUNCTION_INFO_V1(dpriv_sql_zcdp_gaussian);

Datum
dpriv_sql_zcdp_gaussian(PG_FUNCTION_ARGS)
{
	double		sensitivity = dpriv_real_argument(fcinfo, 0, &dpriv_sensitivity_domain);
	double		sigma = dpriv_real_argument(fcinfo, 1, &dpriv_sigma_domain);

	PG_RETURN_FLOAT8(dpriv_zcdp_gaussian(sensitivity, sigma));
}

PG_FUNCTION_INFO_V1(dpriv_sql_zcdp_laplace);

Datum
dpriv_sql_zcdp_laplace(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_zcdp_laplace(dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain)));
}

PG_FUNCTION_INFO_V1(dpriv_sql_zcdp_discrete_laplace);

Datum
dpriv_sql_zcdp_discrete_laplace(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	int64		steps = dpriv_whole_argument(fcinfo, 1, &sensitivity_steps_domain);

	PG_RETURN_FLOAT8(dpriv_zcdp_discrete_laplace(epsilon, (double) steps));
}

PG_FUNCTION_INFO_V1(dpriv_sql_zcdp_pure);

Datum
dpriv_sql_zcdp_pure(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_zcdp_pure(dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain)));
}

PG_FUNCTION_INFO_V1(dpriv_sql_zcdp_exponential);

Datum
dpriv_sql_zcdp_exponential(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_zcdp_exponential(dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain)));
}

PG_FUNCTION_INFO_V1(dpriv_sql_zcdp_epsilon);

Datum
dpriv_sql_zcdp_epsilon(PG_FUNCTION_ARGS)
{
	double		rho = dpriv_real_argument(fcinfo, 0, &rho_domain);
	double		delta = dpriv_real_argument(fcinfo, 1, &dpriv_delta_domain);
	int			method = dpriv_choice_argument(fcinfo, 2, &zcdp_method);

	PG_RETURN_FLOAT8(dpriv_zcdp_epsilon(rho, delta, (DprivZcdpMethod) method));
}

PG_FUNCTION_INFO_V1(dpriv_sql_zcdp_rho);

Datum
dpriv_sql_zcdp_rho(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		delta = dpriv_real_argument(fcinfo, 1, &dpriv_delta_domain);
	int			method = dpriv_choice_argument(fcinfo, 2, &zcdp_method);

	PG_RETURN_FLOAT8(dpriv_zcdp_rho(epsilon, delta, (DprivZcdpMethod) method));
}

/*
 * Renyi differential privacy
 */

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_gaussian);

Datum
dpriv_sql_rdp_gaussian(PG_FUNCTION_ARGS)
{
	double		sensitivity = dpriv_real_argument(fcinfo, 0, &dpriv_sensitivity_domain);
	double		sigma = dpriv_real_argument(fcinfo, 1, &dpriv_sigma_domain);
	double		alpha = dpriv_real_argument(fcinfo, 2, &alpha_domain);

	PG_RETURN_FLOAT8(dpriv_rdp_gaussian(sensitivity, sigma, alpha));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_laplace);

Datum
dpriv_sql_rdp_laplace(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		alpha = dpriv_real_argument(fcinfo, 1, &alpha_domain);

	PG_RETURN_FLOAT8(dpriv_rdp_laplace(epsilon, alpha));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_discrete_laplace);

Datum
dpriv_sql_rdp_discrete_laplace(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	int64		steps = dpriv_whole_argument(fcinfo, 1, &sensitivity_steps_domain);
	double		alpha = dpriv_real_argument(fcinfo, 2, &alpha_domain);

	PG_RETURN_FLOAT8(dpriv_rdp_discrete_laplace(epsilon, (double) steps, alpha));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_pure);

Datum
dpriv_sql_rdp_pure(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		alpha = dpriv_real_argument(fcinfo, 1, &alpha_domain);

	PG_RETURN_FLOAT8(dpriv_rdp_pure(epsilon, alpha));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_randomized_response);

Datum
dpriv_sql_rdp_randomized_response(PG_FUNCTION_ARGS)
{
	double		noise = dpriv_real_argument(fcinfo, 0, &noise_domain);
	int			buckets = dpriv_small_argument(fcinfo, 1, &buckets_domain);
	double		alpha = dpriv_real_argument(fcinfo, 2, &alpha_domain);
	int			adjacency = dpriv_choice_argument(fcinfo, 3, &rdp_adjacency);

	PG_RETURN_FLOAT8(dpriv_rdp_randomized_response(noise, buckets, alpha,
												   (DprivRdpAdjacency) adjacency));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_exponential);

Datum
dpriv_sql_rdp_exponential(PG_FUNCTION_ARGS)
{
	double		epsilon = dpriv_real_argument(fcinfo, 0, &dpriv_epsilon_domain);
	double		alpha = dpriv_real_argument(fcinfo, 1, &alpha_domain);

	if (dpriv_choice_argument(fcinfo, 2, &range_form) == RANGE_TIGHT)
		PG_RETURN_FLOAT8(dpriv_rdp_bounded_range(epsilon, alpha));
	PG_RETURN_FLOAT8(dpriv_rdp_bounded_range_simple(epsilon, alpha));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_sampled_gaussian);

Datum
dpriv_sql_rdp_sampled_gaussian(PG_FUNCTION_ARGS)
{
	double		rate = dpriv_real_argument(fcinfo, 0, &dpriv_rate_domain);
	double		multiplier = dpriv_real_argument(fcinfo, 1, &dpriv_multiplier_domain);
	double		alpha = dpriv_real_argument(fcinfo, 2, &alpha_domain);

	PG_RETURN_FLOAT8(dpriv_rdp_sampled_gaussian(rate, multiplier, alpha));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_epsilon);

Datum
dpriv_sql_rdp_epsilon(PG_FUNCTION_ARGS)
{
	double	   *orders;
	double	   *curve;
	int			n;
	double		delta;
	int			conversion;

	dpriv_paired_arguments(fcinfo, &orders_domain, &curve_domain, &orders, &curve, &n);
	delta = dpriv_real_argument(fcinfo, 2, &dpriv_delta_domain);
	conversion = dpriv_choice_argument(fcinfo, 3, &rdp_conversion);
	PG_RETURN_FLOAT8(dpriv_rdp_epsilon(orders, curve, n, delta, (DprivRdpConversion) conversion));
}

PG_FUNCTION_INFO_V1(dpriv_sql_rdp_delta);

Datum
dpriv_sql_rdp_delta(PG_FUNCTION_ARGS)
{
	double	   *orders;
	double	   *curve;
	int			n;
	double		epsilon;
	int			conversion;

	dpriv_paired_arguments(fcinfo, &orders_domain, &curve_domain, &orders, &curve, &n);
	epsilon = dpriv_real_argument(fcinfo, 2, &dpriv_epsilon_domain);
	conversion = dpriv_choice_argument(fcinfo, 3, &rdp_conversion);
	PG_RETURN_FLOAT8(dpriv_rdp_delta(orders, curve, n, epsilon, (DprivRdpConversion) conversion));
}
