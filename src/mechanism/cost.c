/*
 * cost.c
 *	  What one measure, or one choice of groups, costs.
 *
 * Epsilon and delta are what the user wrote.  Rho and the curve are those of the noise that is
 * drawn: on integers, with the share of epsilon that sets its scale.  All of it follows from public
 * parameters.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/delta.h"
#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/rdp.h"
#include "accounting/zcdp.h"
#include "mechanism/cost.h"

static const DprivCost nothing = {0};

/* Not below it. */
static double
epsilon_up(int64 units)
{
	return nextafter(dpriv_epsilon_to_double(units), INFINITY);
}

static int128
delta_units(double delta)
{
	int128		units;

	if (!dpriv_delta_from_double(delta, &units))
		elog(ERROR, "delta is out of range");
	return units;
}

/* Rho and curve of anything that is private with this epsilon. */
static DprivCost
pure_cost(double epsilon)
{
	DprivCost	cost = nothing;

	cost.rho = dpriv_zcdp_pure(epsilon);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = dpriv_rdp_pure(epsilon, dpriv_orders[i]);
	return cost;
}

/*
 * Rho and curve of what is chosen in steps.  At most those of one step with all of epsilon: steps
 * together are private with the sum of their epsilons, and nothing private with that costs more
 * than the pure cost of it.
 */
static DprivCost
steps_cost(const DprivMeasure *measure, int share)
{
	int			nsteps = measure->nsteps[share];
	DprivCost	cost = pure_cost(nextafter(epsilon_up(measure->share[share]) / nsteps, INFINITY));

	cost.rho = nextafter(nsteps * cost.rho, INFINITY);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = nextafter(nsteps * cost.curve[i], INFINITY);
	return cost;
}

/*
 * Rho and curve of the components that share a Laplace sampler.
 *
 * A component moved by x steps has divergence ln(w exp(s a x) + (1 - w) exp(-alpha a x)) / s, see
 * accounting/laplace.c: convex in x and 0 at 0, so that of x + y is at least that of x and of y
 * together.  What moves all components by the sensitivity in sum therefore costs most where it
 * moves a single one.  It also costs at most what the losses a |x_i| do as pure ones, alpha / 2
 * times the sum of their squares (Bun and Steinke 2016, proposition 1.4): less where the Euclidean
 * sensitivity is far below the sum.
 *
 * Of sensitivities beyond 2^53 steps float8 drops the last digits; what they matter is far below
 * what the results are rounded up by.
 */
static DprivCost
laplace_cost(const DprivMeasure *measure, int sampler)
{
	double		epsilon = epsilon_up(measure->share[sampler]);
	double		steps = (double) measure->sensitivity[sampler];
	double		euclidean = epsilon * ((double) dpriv_measure_euclidean(measure, sampler) / steps);
	double		by_squares = 0.5 * euclidean * euclidean * DPRIV_ROUND_UP;
	DprivCost	cost = nothing;

	cost.rho = Min(dpriv_zcdp_discrete_laplace(epsilon, steps), by_squares);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = Min(dpriv_rdp_discrete_laplace(epsilon, steps, dpriv_orders[i]),
							by_squares * dpriv_orders[i]);
	return cost;
}

/*
 * Rho and curve of the components that share a Gaussian sampler, moved by the Euclidean sensitivity
 * together: Canonne, Kamath and Steinke (2020), theorem 4 for each and the sum over them.  Noise on
 * finer steps is rounded after it was added to a whole number of steps, which is the same as after
 * it was drawn.
 */
static DprivCost
gaussian_cost(const DprivMeasure *measure, int sampler)
{
	double		sensitivity = dpriv_gaussian_sensitivity(measure, sampler);
	double		sigma = measure->gaussian[sampler].sigma;
	DprivCost	cost = nothing;

	cost.rho = dpriv_zcdp_gaussian(sensitivity, sigma);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = dpriv_rdp_gaussian(sensitivity, sigma, dpriv_orders[i]);
	return cost;
}

DprivCost
dpriv_measure_cost(const DprivMeasure *measure)
{
	DprivCost	cost = nothing;

	if (measure->kind->select)
	{
		for (int i = 0; i < DPRIV_MEASURE_MAX_SAMPLERS; i++)
			if (measure->nsteps[i] > 0)
				cost = dpriv_cost_add(cost, steps_cost(measure, i));
		if (cost.rho == 0)
			elog(ERROR, "%s has no cost", measure->kind->name);
	}
	else
		for (int i = 0; i < measure->nsamplers; i++)
			cost = dpriv_cost_add(cost, measure->is_gaussian ? gaussian_cost(measure, i) :
								  laplace_cost(measure, i));
	cost.epsilon = measure->epsilon.charge;

	/*
	 * All of a Gaussian measure's loss is in its curve.  What is private by epsilon and delta alone
	 * is so purely with probability 1 - delta (Kairouz, Oh and Viswanath 2015, theorem 3.3).
	 */
	if (measure->is_gaussian || measure->kind->approximate)
		cost.delta_basic = delta_units(measure->delta);
	if (measure->kind->approximate)
		cost.delta_approx = cost.delta_basic;
	return cost;
}

/*
 * Delta is the probability with which a group of one row appears; apart from that, a released count
 * decides without seeing more rows.  Else the decision is private by itself, and with probability 1
 * - delta purely so: of two outcomes every (epsilon, delta)-private decision is such a mixture
 * (Kairouz, Oh and Viswanath 2015).
 */
DprivCost
dpriv_selection_cost(const DprivSelection *selection)
{
	DprivCost	cost = nothing;

	if (!selection->by_count)
	{
		cost = pure_cost(epsilon_up(selection->epsilon.charge));
		cost.epsilon = selection->epsilon.charge;
	}
	cost.delta_basic = cost.delta_approx = delta_units(selection->delta);
	return cost;
}

const char *
dpriv_measure_mechanism(const DprivMeasure *measure)
{
	if (measure->kind->select)
		return measure->kind->mechanism ? measure->kind->mechanism : "permute-and-flip";
	return measure->is_gaussian ? "discrete Gaussian" : "discrete Laplace";
}

const char *
dpriv_selection_mechanism(const DprivSelection *selection)
{
	return selection->by_count ? "threshold" : "truncated geometric";
}
