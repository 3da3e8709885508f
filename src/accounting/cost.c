/*
 * cost.c
 *	  What releases cost, in every currency that a budget may count, and what a budget allows.
 *
 * A budget is a filter: charges may be chosen after seeing earlier answers, and still everything
 * that it ever allowed is (epsilon, delta)-private.  So what is compared with a limit is fixed when
 * the budget is granted: an order, never the best of all orders, and a split of delta.
 */
#include "server.h"

#include <math.h>

#include "accounting/cost.h"
#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "accounting/numeric.h"
#include "accounting/rdp.h"
#include "accounting/zcdp.h"

const double dpriv_orders[DPRIV_NORDERS] = {
	1.5, 2, 2.5, 3, 3.5, 4.5, 6, 8, 10, 13, 18, 24, 32, 44, 60, 80, 110, 150, 200, 270, 360, 480
};

/* Costs are never negative, so an exact sum is one with zero or infinity. */
static double
add_up(double a, double b)
{
	if (a == 0)
		return b;
	if (b == 0)
		return a;
	return nextafter(a + b, INFINITY);
}

DprivCost
dpriv_cost_add(DprivCost a, DprivCost b)
{
	DprivCost	sum;

	Assert(a.epsilon >= 0 && b.epsilon >= 0);
	sum.epsilon = a.epsilon > PG_INT64_MAX - b.epsilon ? PG_INT64_MAX : a.epsilon + b.epsilon;
	sum.delta_basic = dpriv_delta_add(a.delta_basic, b.delta_basic);
	sum.delta_approx = dpriv_delta_add(a.delta_approx, b.delta_approx);
	sum.rho = add_up(a.rho, b.rho);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		sum.curve[i] = add_up(a.curve[i], b.curve[i]);
	return sum;
}

DprivCost
dpriv_cost_max(DprivCost a, DprivCost b)
{
	DprivCost	largest;

	largest.epsilon = Max(a.epsilon, b.epsilon);
	largest.delta_basic = Max(a.delta_basic, b.delta_basic);
	largest.delta_approx = Max(a.delta_approx, b.delta_approx);
	largest.rho = Max(a.rho, b.rho);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		largest.curve[i] = Max(a.curve[i], b.curve[i]);
	return largest;
}

/* Index in dpriv_orders, or -1. */
static int
find_order(double order)
{
	for (int i = 0; i < DPRIV_NORDERS; i++)
		if (dpriv_orders[i] == order)
			return i;
	return -1;
}

/* What is left of delta for turning rho or one of the orders into epsilon; rounded down. */
static double
conversion_delta(const DprivTerms *terms)
{
	int128		units = (terms->delta - terms->delta_selection) / terms->norders;

	return nextafter(dpriv_delta_to_double(units), 0.0);
}

/* The largest divergence at an order that is at most epsilon at this delta; rounded down. */
static double
divergence_limit(double epsilon, double order, double delta)
{
	double		s = order - 1.0;
	double		limit = (epsilon + log1p(1.0 / s) + (log(delta) + log(order)) / s) *
		DPRIV_ROUND_DOWN;

	/* Divergences this small are (0, delta)-private: see dpriv_rdp_epsilon_at(). */
	limit = Max(limit, -log1p(-delta * delta) * DPRIV_ROUND_DOWN);

	/* What remains of rounding, so that the conversion takes it back to at most epsilon. */
	for (double step = 0x1p-43;
		 limit > 0 && dpriv_rdp_epsilon_at(limit, order, delta, DPRIV_RDP_IMPROVED) > epsilon;)
	{
		limit *= 1.0 - step;
		step = Min(2.0 * step, 0.5);
	}
	return limit;
}

/* The order of which the limit allows the largest rho = divergence / order of Gaussian noise. */
static double
default_order(double epsilon, double delta)
{
	int			best = 0;
	double		most = -1.0;

	for (int i = 0; i < DPRIV_NORDERS; i++)
	{
		double		rho = divergence_limit(epsilon, dpriv_orders[i], delta) / dpriv_orders[i];

		if (rho > most)
		{
			most = rho;
			best = i;
		}
	}
	return dpriv_orders[best];
}

static bool
set_orders(DprivTerms *terms, const double *orders, int norders)
{
	if (norders < 0 || norders > DPRIV_MAX_BUDGET_ORDERS)
		return false;
	for (int i = 0; i < norders; i++)
	{
		if (find_order(orders[i]) < 0)
			return false;
		for (int j = 0; j < i; j++)
			if (orders[j] == orders[i])
				return false;
		terms->order[i] = orders[i];
	}
	return true;
}

DprivTermsProblem
dpriv_terms_init(DprivTerms *terms, DprivAccountant accountant, double epsilon, double delta,
				 const double *orders, int norders)
{
	double		allowed;
	double		conversion;

	memset(terms, 0, sizeof(*terms));
	terms->accountant = accountant;

	/* Not a number compares false, so it is refused here too. */
	if (!(epsilon >= 0 && epsilon <= DPRIV_BUDGET_MAX_EPSILON))
		return DPRIV_TERMS_EPSILON;
	if (!(delta >= 0 && delta < 1))
		return DPRIV_TERMS_DELTA;
	if (norders != 0 && accountant != DPRIV_RDP)
		return DPRIV_TERMS_ORDER;
	if (!set_orders(terms, orders, norders))
		return DPRIV_TERMS_ORDER;
	terms->epsilon = dpriv_epsilon_from_budget(epsilon);
	terms->delta = dpriv_delta_from_budget(delta);
	terms->delta_selection = terms->delta;
	if (accountant == DPRIV_BASIC)
		return DPRIV_TERMS_OK;

	/* A unit for each part of delta is the least that can be split. */
	terms->norders = Max(norders, 1);
	terms->delta_selection = terms->delta / 2;
	if (terms->delta_selection < terms->norders)
		return DPRIV_TERMS_NEEDS_DELTA;
	allowed = nextafter(dpriv_epsilon_to_double(terms->epsilon), 0.0);
	conversion = conversion_delta(terms);
	if (accountant == DPRIV_ZCDP)
	{
		terms->limit[0] = dpriv_zcdp_rho(allowed, conversion, DPRIV_ZCDP_TIGHT);
		return DPRIV_TERMS_OK;
	}
	if (norders == 0)
		terms->order[0] = default_order(allowed, conversion);
	for (int i = 0; i < terms->norders; i++)
		terms->limit[i] = divergence_limit(allowed, terms->order[i], conversion);
	return DPRIV_TERMS_OK;
}

/*
 * Why everything that was allowed is (epsilon, delta)-private, though every charge may depend on
 * earlier answers.
 *
 * basic: Rogers, Roth, Ullman and Vadhan (2016).  One order: as long as its sum is below the limit,
 * so is the divergence of all answers together: Feldman and Zrnic (2021), theorem 3.1, for zCDP and
 * with delta_approx Whitehouse, Ramdas, Rogers and Wu (2023), theorem 1.
 *
 * Several orders: sums only grow, so each order i holds up to some charge, and the answers say
 * which order is the last that holds.  Let S_i be the outcomes in S of which that is i.  They are
 * outcomes of the filter of order i by itself, so P[S_i] <= exp(epsilon) Q[S_i] + delta_i, and the
 * sum over i is P[S] <= exp(epsilon) Q[S] + the sum of delta_i.  What has probability delta_approx
 * is cut off before, from all of them at once: it counts once.
 */
static bool
epsilon_allowed(const DprivTerms *terms, const DprivCost *total)
{
	switch (terms->accountant)
	{
		case DPRIV_BASIC:
			return total->epsilon <= terms->epsilon;
		case DPRIV_ZCDP:
			return total->rho <= terms->limit[0];
		case DPRIV_RDP:
			for (int i = 0; i < terms->norders; i++)
			{
				int			at = find_order(terms->order[i]);

				if (at >= 0 && total->curve[at] <= terms->limit[i])
					return true;
			}
			return false;
	}
	return false;
}

DprivVerdict
dpriv_terms_allow(const DprivTerms *terms, const DprivCost *total)
{
	int128		delta = terms->accountant == DPRIV_BASIC ? total->delta_basic :
		total->delta_approx;

	if (!epsilon_allowed(terms, total))
		return DPRIV_OVER_EPSILON;
	return delta <= terms->delta_selection ? DPRIV_ALLOWED : DPRIV_OVER_DELTA;
}

/* As dpriv_epsilon_to_double(), for a sum that may be beyond what fits. */
static double
basic_epsilon(const DprivCost *total)
{
	return total->epsilon == PG_INT64_MAX ? INFINITY : dpriv_epsilon_to_double(total->epsilon);
}

double
dpriv_terms_spent_epsilon(const DprivTerms *terms, const DprivCost *total)
{
	double		least = INFINITY;

	switch (terms->accountant)
	{
		case DPRIV_BASIC:
			return basic_epsilon(total);
		case DPRIV_ZCDP:
			return dpriv_zcdp_epsilon(total->rho, conversion_delta(terms), DPRIV_ZCDP_TIGHT);
		case DPRIV_RDP:
			for (int i = 0; i < terms->norders; i++)
			{
				int			at = find_order(terms->order[i]);

				if (at >= 0)
					least = Min(least,
								dpriv_rdp_epsilon_at(total->curve[at], terms->order[i],
													 conversion_delta(terms),
													 DPRIV_RDP_IMPROVED));
			}
			break;
	}
	return least;
}

double
dpriv_terms_spent_delta(const DprivTerms *terms, const DprivCost *total)
{
	int128		units = total->delta_approx;

	if (terms->accountant == DPRIV_BASIC)
		units = total->delta_basic;
	else if (total->rho > 0)
		units = dpriv_delta_add(units, terms->delta - terms->delta_selection);
	return dpriv_delta_to_double(units);
}

double
dpriv_cost_reported_epsilon(const DprivCost *total, double delta)
{
	double		least = INFINITY;
	double		rest;
	int128		units;

	if (!(delta >= 0))
		return INFINITY;
	units = dpriv_delta_from_budget(Min(delta, 1.0));
	if (total->delta_basic <= units)
		least = basic_epsilon(total);
	if (total->delta_approx > units)
		return least;
	rest = nextafter(dpriv_delta_to_double(units - total->delta_approx), 0.0);
	least = Min(least, dpriv_zcdp_epsilon(total->rho, rest, DPRIV_ZCDP_TIGHT));
	return Min(least, dpriv_rdp_epsilon(dpriv_orders, total->curve, DPRIV_NORDERS, rest,
										DPRIV_RDP_IMPROVED));
}
