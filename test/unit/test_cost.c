/*
 * test_cost.c
 *	  What releases cost together, and what budgets allow.
 *
 * A budget's rule is checked from both sides: what it allows never comes to more than what was
 * granted, and what comes to less is allowed.  Curves are checked against sums over distributions.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/cost.h"
#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "accounting/gaussian.h"
#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/rdp.h"
#include "accounting/zcdp.h"
#include "property.h"
#include "unit.h"

/* Random arguments per property; slow tools use fewer. */
#define ROUNDS (unit_draws() / 2500)

/* a <= b, but for what both were rounded up by. */
#define assert_at_most(a, b) assert_true((a) <= (b) * (1.0 + 4e-13) + 1e-300)

static const DprivCost nothing = {0};

/* Discrete Laplace noise on an integer that moves by so many steps. */
static DprivCost
laplace_cost(double epsilon, double steps)
{
	DprivCost	cost = nothing;
	DprivEpsilon units;

	assert_true(dpriv_epsilon_from_double(epsilon, &units));
	cost.epsilon = units.charge;
	cost.rho = dpriv_zcdp_discrete_laplace(epsilon, steps);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = dpriv_rdp_discrete_laplace(epsilon, steps, dpriv_orders[i]);
	return cost;
}

/* Gaussian noise with the sigma for (epsilon, delta). */
static DprivCost
gaussian_cost(double epsilon, double delta)
{
	DprivCost	cost = nothing;
	DprivEpsilon units;
	double		sigma = dpriv_gaussian_sigma_for(1.0, epsilon, delta);

	assert_true(dpriv_epsilon_from_double(epsilon, &units));
	assert_true(dpriv_delta_from_double(delta, &cost.delta_basic));
	cost.epsilon = units.charge;
	cost.rho = dpriv_zcdp_gaussian(1.0, sigma);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		cost.curve[i] = dpriv_rdp_gaussian(1.0, sigma, dpriv_orders[i]);
	return cost;
}

/* A choice of groups by what was released already. */
static DprivCost
selection_cost(double delta)
{
	DprivCost	cost = nothing;

	assert_true(dpriv_delta_from_double(delta, &cost.delta_basic));
	cost.delta_approx = cost.delta_basic;
	return cost;
}

static DprivTerms
terms_of(DprivAccountant accountant, double epsilon, double delta, const double *orders,
		 int norders)
{
	DprivTerms	terms;

	assert_int_equal(dpriv_terms_init(&terms, accountant, epsilon, delta, orders, norders),
					 DPRIV_TERMS_OK);
	return terms;
}

static void
test_basic_is_exact(void **state)
{
	DprivTerms	terms = terms_of(DPRIV_BASIC, 1.0, 1e-5, NULL, 0);
	DprivCost	total = nothing;

	(void) state;
	assert_true(terms.epsilon == DPRIV_EPSILON_UNIT_PER_ONE);
	assert_true(terms.delta_selection == terms.delta);
	for (int i = 0; i < 10; i++)
	{
		total = dpriv_cost_add(total, gaussian_cost(0.1, 1e-6));
		assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_ALLOWED);
	}
	assert_true(dpriv_terms_spent_epsilon(&terms, &total) == 1.0);
	assert_true(dpriv_terms_spent_delta(&terms, &total) == 1e-5);

	/* One unit of either more, and none. */
	total.epsilon++;
	assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_OVER_EPSILON);
	total.delta_basic++;
	assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_OVER_EPSILON);
	total.epsilon--;
	assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_OVER_DELTA);
	total.delta_basic--;
	assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_ALLOWED);
	total = dpriv_cost_add(total, laplace_cost(0.1, 1.0));
	assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_OVER_EPSILON);
}

static void
test_sums_round_up(void **state)
{
	DprivCost	largest = nothing;
	DprivCost	sum;

	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		DprivCost	a = laplace_cost(magnitude(1e-6, 20.0), 1.0 + floor(uniform() * 100.0));
		DprivCost	b = laplace_cost(magnitude(1e-6, 20.0), 1.0);

		sum = dpriv_cost_add(a, b);
		assert_true(sum.epsilon == a.epsilon + b.epsilon);

		/* What is left of the larger term is exact, and so is comparing it. */
		assert_true(sum.rho - Max(a.rho, b.rho) >= Min(a.rho, b.rho));
		assert_true(sum.rho <= (a.rho + b.rho) * (1.0 + 4.0 * DBL_EPSILON));
		for (int j = 0; j < DPRIV_NORDERS; j++)
			assert_true(sum.curve[j] >= a.curve[j] + b.curve[j]);
		sum = dpriv_cost_add(a, nothing);
		assert_memory_equal(&sum, &a, sizeof(sum));
		sum = dpriv_cost_add(nothing, b);
		assert_memory_equal(&sum, &b, sizeof(sum));
	}

	/* Ten times the float8 0.1 is a little more than 1; nearest rounding would end below. */
	sum = nothing;
	for (int i = 0; i < 10; i++)
		sum = dpriv_cost_add(sum, (DprivCost) {.rho = 0.1});
	assert_true(sum.rho > 1.0 && sum.rho < 1.0 + 1e-14);

	/* Beyond what fits. */
	largest.epsilon = PG_INT64_MAX - 5;
	largest.delta_basic = largest.delta_approx = DPRIV_DELTA_LARGEST - 5;
	largest.rho = INFINITY;
	largest.curve[3] = DBL_MAX;
	sum = dpriv_cost_add(largest, largest);
	assert_true(sum.epsilon == PG_INT64_MAX);
	assert_true(sum.delta_basic == DPRIV_DELTA_LARGEST);
	assert_true(sum.delta_approx == DPRIV_DELTA_LARGEST);
	assert_true(isinf(sum.rho) && isinf(sum.curve[3]));
	for (int i = DPRIV_BASIC; i <= DPRIV_RDP; i++)
	{
		DprivTerms	terms = terms_of(i, DPRIV_BUDGET_MAX_EPSILON, 0.5, NULL, 0);

		assert_int_equal(dpriv_terms_allow(&terms, &sum), i == DPRIV_RDP ? DPRIV_OVER_DELTA :
						 DPRIV_OVER_EPSILON);
		assert_true(isinf(dpriv_terms_spent_epsilon(&terms, &sum)) || i == DPRIV_RDP);
	}
	assert_true(isinf(dpriv_cost_reported_epsilon(&sum, 0.5)));
}

static void
test_arguments(void **state)
{
	static const double epsilons[] = {NAN, INFINITY, -1e-300, -1.0, 1000000.1, DBL_MAX};
	static const double deltas[] = {NAN, INFINITY, -1e-300, 1.0, 2.0};
	static const double strange[] = {7.0};
	static const double twice[] = {8.0, 2.0, 8.0};
	static const double many[] = {1.5, 2.0, 2.5, 3.0, 3.5};
	static const double nan_order[] = {NAN};
	DprivTerms	terms;

	(void) state;
	for (int i = 1; i < DPRIV_NORDERS; i++)
		assert_true(dpriv_orders[i - 1] > 1.0 && dpriv_orders[i - 1] < dpriv_orders[i]);
	for (int a = DPRIV_BASIC; a <= DPRIV_RDP; a++)
	{
		for (int i = 0; i < (int) lengthof(epsilons); i++)
			assert_int_equal(dpriv_terms_init(&terms, a, epsilons[i], 1e-6, NULL, 0),
							 DPRIV_TERMS_EPSILON);
		for (int i = 0; i < (int) lengthof(deltas); i++)
			assert_int_equal(dpriv_terms_init(&terms, a, 1.0, deltas[i], NULL, 0),
							 DPRIV_TERMS_DELTA);
		assert_int_equal(dpriv_terms_init(&terms, a, 1.0, 0.0, NULL, 0),
						 a == DPRIV_BASIC ? DPRIV_TERMS_OK : DPRIV_TERMS_NEEDS_DELTA);
		assert_int_equal(dpriv_terms_init(&terms, a, 1.0, 1e-36, NULL, 0),
						 a == DPRIV_BASIC ? DPRIV_TERMS_OK : DPRIV_TERMS_NEEDS_DELTA);
	}
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_RDP, 1.0, 1e-6, strange, 1),
					 DPRIV_TERMS_ORDER);
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_RDP, 1.0, 1e-6, nan_order, 1),
					 DPRIV_TERMS_ORDER);
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_RDP, 1.0, 1e-6, twice, 3), DPRIV_TERMS_ORDER);
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_RDP, 1.0, 1e-6, many, 5), DPRIV_TERMS_ORDER);
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_RDP, 1.0, 1e-6, many, -1), DPRIV_TERMS_ORDER);
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_ZCDP, 1.0, 1e-6, many, 1), DPRIV_TERMS_ORDER);
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_BASIC, 1.0, 1e-6, many, 1), DPRIV_TERMS_ORDER);
	assert_int_equal(dpriv_terms_init(&terms, DPRIV_RDP, 1.0, 1e-6, many, 4), DPRIV_TERMS_OK);

	/* Decimals, rounded down. */
	assert_true(terms_of(DPRIV_BASIC, 1e6, 0, NULL, 0).epsilon == INT64CONST(1000000000000000000));
	assert_true(terms_of(DPRIV_BASIC, 0.1, 0, NULL, 0).epsilon == INT64CONST(100000000000));
	assert_true(terms_of(DPRIV_BASIC, 0.3, 0, NULL, 0).epsilon == INT64CONST(300000000000));
	assert_true(terms_of(DPRIV_BASIC, 1.9999e-12, 0, NULL, 0).epsilon == 1);
	assert_true(terms_of(DPRIV_BASIC, 9.99e-13, 0, NULL, 0).epsilon == 0);
	assert_true(terms_of(DPRIV_BASIC, DBL_TRUE_MIN, 0, NULL, 0).epsilon == 0);
	assert_true(terms_of(DPRIV_BASIC, nextafter(1.0, 0.0), 0, NULL, 0).epsilon ==
				INT64CONST(999999999999));
	assert_true(terms_of(DPRIV_BASIC, 123456.7890123456, 0, NULL, 0).epsilon ==
				INT64CONST(123456789012345600));

	/* What costs nothing is allowed by nothing; so is not what costs anything. */
	terms = terms_of(DPRIV_BASIC, 0.0, 0.0, NULL, 0);
	assert_int_equal(dpriv_terms_allow(&terms, &nothing), DPRIV_ALLOWED);
	assert_true(dpriv_terms_spent_epsilon(&terms, &nothing) == 0);
	for (int a = DPRIV_BASIC; a <= DPRIV_RDP; a++)
	{
		DprivCost	little = laplace_cost(0.001, 1.0);

		terms = terms_of(a, 0.0, 1e-6, NULL, 0);
		assert_int_equal(dpriv_terms_allow(&terms, &little), DPRIV_OVER_EPSILON);
		assert_int_equal(dpriv_terms_allow(&terms, &nothing), DPRIV_ALLOWED);
		assert_true(dpriv_terms_spent_epsilon(&terms, &nothing) == 0);
		assert_true(dpriv_terms_spent_delta(&terms, &nothing) == 0);
	}
}

/* Limits come to what was granted, from below, and a little more than a limit does not. */
static void
test_limits(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(1e-3, 1e3);
		double		delta = magnitude(1e-12, 1e-2);
		int			norders = 1 + (int) (uniform() * DPRIV_MAX_BUDGET_ORDERS);
		double		orders[DPRIV_MAX_BUDGET_ORDERS];
		DprivTerms	terms = terms_of(DPRIV_ZCDP, epsilon, delta, NULL, 0);
		DprivCost	total = nothing;
		double		spent;

		/* The two halves are what was granted. */
		total.rho = terms.limit[0];
		assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_ALLOWED);
		spent = dpriv_terms_spent_epsilon(&terms, &total);
		assert_true(spent <= epsilon && (spent == 0 || spent > epsilon * (1.0 - 1e-9)));
		assert_true(dpriv_zcdp_epsilon(total.rho, delta / 2, DPRIV_ZCDP_TIGHT) <= epsilon);
		total.delta_approx = terms.delta_selection;
		assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_ALLOWED);
		assert_true(dpriv_terms_spent_delta(&terms, &total) <= delta);
		assert_true(dpriv_terms_spent_delta(&terms, &total) >= delta * (1.0 - 1e-15));
		total.delta_approx++;
		assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_OVER_DELTA);
		total.rho *= 1.0 + 1e-6;
		assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_OVER_EPSILON);
		assert_true(dpriv_terms_spent_epsilon(&terms, &total) > epsilon || spent == 0);

		for (int j = 0; j < norders; j++)
			orders[j] = dpriv_orders[(i + 5 * j) % DPRIV_NORDERS];
		terms = terms_of(DPRIV_RDP, epsilon, delta, orders, norders);
		assert_int_equal(terms.norders, norders);
		for (int j = 0; j < norders; j++)
		{
			int			at = (i + 5 * j) % DPRIV_NORDERS;

			assert_true(terms.order[j] == orders[j] && terms.limit[j] > 0);
			assert_true(dpriv_rdp_epsilon_at(terms.limit[j], orders[j], delta / 2 / norders,
											 DPRIV_RDP_IMPROVED) <= epsilon);

			/* One order holds. */
			total = nothing;
			for (int k = 0; k < DPRIV_NORDERS; k++)
				total.curve[k] = INFINITY;
			total.curve[at] = terms.limit[j];
			assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_ALLOWED);
			spent = dpriv_terms_spent_epsilon(&terms, &total);
			assert_true(spent <= epsilon);
			total.curve[at] *= 1.0 + 1e-9;
			total.curve[at] += 1e-9;
			assert_int_equal(dpriv_terms_allow(&terms, &total), DPRIV_OVER_EPSILON);
			assert_true(dpriv_terms_spent_epsilon(&terms, &total) > epsilon);
		}
	}
}

/* The default order loses little of what any order would allow, and lies where theory says. */
static void
test_default_order(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(0.1, 20.0);
		double		delta = magnitude(1e-12, 1e-4);
		double		rho = terms_of(DPRIV_ZCDP, epsilon, delta, NULL, 0).limit[0];
		DprivTerms	terms = terms_of(DPRIV_RDP, epsilon, delta, NULL, 0);
		double		near = 1.0 + sqrt(log(2.0 / delta) / rho);

		assert_int_equal(terms.norders, 1);
		assert_true(terms.limit[0] / terms.order[0] <= rho * (1.0 + 1e-9));
		assert_true(terms.limit[0] / terms.order[0] >= 0.95 * rho);
		assert_true(terms.order[0] >= near / 2.0 && terms.order[0] <= near * 1.5);
	}
}

/* What dpriv_orders say of themselves: the best of them is close to the best real order. */
static void
test_orders_lose_little(void **state)
{
	double		most = 0.0;

	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(0.1, 20.0);
		double		delta = magnitude(1e-12, 1e-4);
		double		rho = dpriv_zcdp_rho(epsilon, delta, DPRIV_ZCDP_TIGHT);
		double		curve[DPRIV_NORDERS];
		double		best;

		for (int j = 0; j < DPRIV_NORDERS; j++)
			curve[j] = rho * dpriv_orders[j];
		best = dpriv_rdp_epsilon(dpriv_orders, curve, DPRIV_NORDERS, delta, DPRIV_RDP_IMPROVED);
		assert_true(best >= epsilon * (1.0 - 1e-9));
		most = Max(most, best / epsilon - 1.0);
	}
	print_message("# epsilon of Gaussian noise at the best order: at most %.2f %% too large\n",
				  100.0 * most);
	assert_true(most <= 0.018);
}

/* Renyi divergence of discrete noise on the integers, log-probabilities given, from its shift. */
static double
by_force(double (*log_density) (double x, double scale), double scale, int shift, double alpha)
{
	double		total = 0.0;
	double		sum = 0.0;
	int			reach = 3000;

	for (int x = -reach; x <= reach; x++)
		total += exp(log_density(x, scale));
	for (int x = -reach; x <= reach; x++)
	{
		double		p = log_density(x, scale);
		double		loss = p - log_density(x - shift, scale);
		double		power = (alpha - 1.0) * loss;

		if (alpha == 1.0)
			sum += exp(p) * loss;
		else
			sum += power > 30.0 ? exp(p + power) - exp(p) : exp(p) * expm1(power);
	}
	sum /= total;
	return alpha == 1.0 ? sum : log1p(sum) / (alpha - 1.0);
}

static double
log_laplace(double x, double scale)
{
	return -fabs(x) / scale;
}

static double
log_gaussian(double x, double sigma)
{
	return -x * x / (2.0 * sigma * sigma);
}

/*
 * Curves and rho of the noise by sums over the integers, and what several components that share a
 * sampler cost together: at most what is charged, with all of it reached by one of them.
 */
static void
test_curves_by_force(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 4; i++)
	{
		int			shift = 1 + (int) (uniform() * 20.0);
		int			first = (int) (uniform() * (shift + 1));
		int			second = (int) (uniform() * (shift - first + 1));
		int			third = shift - first - second;
		double		epsilon = magnitude(0.2, 6.0);
		double		scale = shift / epsilon;
		double		sigma = magnitude(0.7, 20.0);
		double		squares = (double) first * first + (double) second * second +
			(double) third * third;
		double		euclidean = sqrt(squares);
		double		together;
		int			at = (int) (uniform() * 8.0);
		double		alpha = dpriv_orders[at];
		double		charged = dpriv_rdp_discrete_laplace(epsilon, shift, alpha);

		assert_close(by_force(log_laplace, scale, shift, alpha), charged, 1e-9);
		together = by_force(log_laplace, scale, first, alpha) +
			by_force(log_laplace, scale, second, alpha) +
			by_force(log_laplace, scale, third, alpha);
		assert_true(together <= charged * (1.0 + 1e-9));
		assert_true(together <= 0.5 * alpha * squares / (scale * scale) * (1.0 + 1e-9));
		assert_true(charged <= dpriv_rdp_pure(epsilon, alpha) * (1.0 + 1e-12));

		together = by_force(log_laplace, scale, first, 1.0) +
			by_force(log_laplace, scale, second, 1.0) + by_force(log_laplace, scale, third, 1.0);
		assert_true(together <= dpriv_zcdp_discrete_laplace(epsilon, shift) * (1.0 + 1e-9));

		/* Of Gaussian noise the order may move the mass far out. */
		if (alpha * shift + 40.0 * sigma < 2500.0 && squares > 0 &&
			(alpha - 1.0) * alpha * shift * shift / (2.0 * sigma * sigma) < 600.0)
		{
			together = by_force(log_gaussian, sigma, first, alpha) +
				by_force(log_gaussian, sigma, second, alpha) +
				by_force(log_gaussian, sigma, third, alpha);
			assert_true(together <= dpriv_rdp_gaussian(euclidean, sigma, alpha) * (1.0 + 1e-9));
		}
	}
}

/* Choices in steps: never above one step with all of epsilon, far below with many. */
static void
test_steps(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(1e-3, 50.0);
		double		part = uniform();
		double		alpha = dpriv_orders[i % DPRIV_NORDERS];

		assert_at_most(dpriv_rdp_pure(part * epsilon, alpha) +
					   dpriv_rdp_pure((1.0 - part) * epsilon, alpha),
					   dpriv_rdp_pure(epsilon, alpha));
		for (int n = 1; n <= 1000; n *= 10)
		{
			assert_at_most(n * dpriv_rdp_pure(epsilon / n, alpha), dpriv_rdp_pure(epsilon, alpha));
			assert_at_most(n * dpriv_zcdp_pure(epsilon / n), dpriv_zcdp_pure(epsilon));
		}
	}
	assert_true(10 * dpriv_zcdp_pure(0.1) < 0.11 * dpriv_zcdp_pure(1.0) * 1.1);
}

/* What an adversary asks for next, who sees what was spent and which charges were refused. */
static DprivCost
next_charge(double scale)
{
	double		choice = uniform();

	if (choice < 0.4)
		return laplace_cost(magnitude(1e-4, 1.0) * scale + 1e-6, 1.0 + floor(uniform() * 1000.0));
	if (choice < 0.8)
		return gaussian_cost(magnitude(1e-4, 1.0) * scale + 1e-6, magnitude(1e-12, 1e-7));
	return selection_cost(magnitude(1e-12, 1e-7));
}

/*
 * Charges chosen while spending: asks for less and less after refusals, to come as close to the
 * limit as it gets.  What was allowed comes to at most what was granted, by each accountant's own
 * figure and by the general one.
 */
static void
test_adaptive_adversary(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 4; i++)
	{
		double		epsilon = magnitude(0.1, 20.0);
		double		delta = magnitude(1e-10, 1e-4);
		double		orders[] = {2.0, 8.0, 32.0, 200.0};
		int			accountant = DPRIV_BASIC + i % 3;
		DprivTerms	terms = terms_of(accountant, epsilon, delta, orders,
									 accountant == DPRIV_RDP ? i / 3 % 5 : 0);
		DprivCost	total = nothing;
		double		scale = 2.0 * epsilon;
		double		largest = 0.0;
		int			allowed = 0;

		for (int n = 0; n < 200; n++)
		{
			DprivCost	asked = dpriv_cost_add(total, next_charge(scale));
			DprivVerdict verdict = dpriv_terms_allow(&terms, &asked);
			double		spent = dpriv_terms_spent_epsilon(&terms, &asked);

			if (verdict != DPRIV_OVER_EPSILON)
				assert_true(spent <= epsilon);
			else
				assert_true(spent >= epsilon * (1.0 - 1e-9));
			if (verdict == DPRIV_OVER_EPSILON)
				scale *= 0.7;
			if (verdict != DPRIV_ALLOWED)
				continue;
			total = asked;
			allowed++;
			assert_true(dpriv_terms_spent_delta(&terms, &total) <= delta);
			assert_true(dpriv_cost_reported_epsilon(&total, delta) <= epsilon * (1.0 + 1e-12));
			assert_true(spent >= largest * (1.0 - 1e-12));
			largest = Max(largest, spent);
		}
		assert_true(allowed > 0);
	}
}

/* The report is below every accountant's figure. */
static void
test_reported(void **state)
{
	DprivCost	total = nothing;
	double		basic = 0.0;

	(void) state;
	assert_true(dpriv_cost_reported_epsilon(&total, 0.0) == 0);
	for (int i = 1; i <= 1000; i++)
	{
		double		reported;

		total = dpriv_cost_add(total, laplace_cost(0.1, 1.0));
		basic = dpriv_epsilon_to_double(total.epsilon);
		reported = dpriv_cost_reported_epsilon(&total, 1e-6);
		assert_true(reported <= basic);
		assert_true(reported <= dpriv_zcdp_epsilon(total.rho, 1e-6, DPRIV_ZCDP_TIGHT) *
					(1.0 + 1e-12));
		assert_true(dpriv_cost_reported_epsilon(&total, 0.0) == basic);
		if (i <= 10)
			assert_true(reported == basic);
		if (i >= 200)
			assert_true(reported < 0.7 * basic);
	}
	assert_true(basic == 100.0);

	/* Delta that selection spent is not there for anything else. */
	total = dpriv_cost_add(laplace_cost(1.0, 1.0), selection_cost(1e-6));
	assert_true(isinf(dpriv_cost_reported_epsilon(&total, 0.9e-6)));
	assert_true(dpriv_cost_reported_epsilon(&total, 1e-6) == 1.0);
	total = gaussian_cost(1.0, 1e-6);
	assert_true(dpriv_cost_reported_epsilon(&total, 1e-6) == 1.0);
	assert_true(dpriv_cost_reported_epsilon(&total, 0.9e-6) > 1.0);
	assert_true(dpriv_cost_reported_epsilon(&total, 0.9e-6) < 1.3);
	assert_true(isinf(dpriv_cost_reported_epsilon(&total, 0.0)));
	assert_true(isinf(dpriv_cost_reported_epsilon(&total, NAN)));
	assert_true(dpriv_cost_reported_epsilon(&total, 1.0) == 0);
}

/* How much more a budget allows of small charges. */
static void
test_accountants_compare(void **state)
{
	int			allowed[3] = {0};

	(void) state;
	for (int a = DPRIV_BASIC; a <= DPRIV_RDP; a++)
	{
		DprivTerms	terms = terms_of(a, 1.0, 1e-6, NULL, 0);
		DprivCost	total = nothing;

		do
			total = dpriv_cost_add(total, laplace_cost(0.01, 1.0));
		while (dpriv_terms_allow(&terms, &total) == DPRIV_ALLOWED && ++allowed[a] < 100000);
	}
	print_message("# charges of 0.01 within (1, 1e-6): basic %d, zcdp %d, rdp %d\n", allowed[0],
				  allowed[1], allowed[2]);
	assert_int_equal(allowed[DPRIV_BASIC], 100);
	assert_true(allowed[DPRIV_ZCDP] > 3 * allowed[DPRIV_BASIC]);
	assert_true(allowed[DPRIV_RDP] > 0.95 * allowed[DPRIV_ZCDP]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic_is_exact),
		cmocka_unit_test(test_sums_round_up),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_default_order),
		cmocka_unit_test(test_orders_lose_little),
		cmocka_unit_test(test_curves_by_force),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_adaptive_adversary),
		cmocka_unit_test(test_reported),
		cmocka_unit_test(test_accountants_compare),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
