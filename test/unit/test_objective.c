/*
 * test_objective.c
 *	  The bound of objective perturbation against the distribution of what it releases, for one weight.
 *
 * With one weight the density of the minimum is known: it is that of the perturbation b = -(sum of
 * slopes + lambda theta), times |db / dtheta| = sum of curvatures + lambda.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/gaussian.h"
#include "accounting/objective.h"
#include "unit.h"

#define MAX_ROWS 4
#define POINTS 40000

/* Values of the feature times the sign of the label: the margin is x theta. */
typedef struct Table
{
	int			nrows;
	double		x[MAX_ROWS];
} Table;

/* Of the logistic loss of which the slope is cut at 1/2. */
static double
slope(double margin)
{
	return margin > 0 ? 1.0 / (1.0 + exp(margin)) : 0.5;
}

static double
curvature(double margin)
{
	return margin > 0 ? slope(margin) * (1.0 - slope(margin)) : 0.0;
}

/* The density at theta of the first nrows rows' minimum. */
static double
density(const Table *table, int nrows, double lambda, double sigma, double theta)
{
	double		b = -lambda * theta;
	double		derivative = lambda;

	for (int i = 0; i < nrows; i++)
	{
		b += table->x[i] * slope(table->x[i] * theta);
		derivative += table->x[i] * table->x[i] * curvature(table->x[i] * theta);
	}
	return derivative * exp(-0.5 * (b / sigma) * (b / sigma)) / (sigma * sqrt(2.0 * M_PI));
}

/*
 * With and without the last row, in both directions: delta for an epsilon, and the divergence of an
 * order.  The range of theta is ten standard deviations of b and all slopes.
 */
static void
measure(const Table *table, double lambda, double sigma, double epsilon, double alpha,
		double *delta, double *divergence)
{
	double		reach = (10.0 * sigma + 0.5 * MAX_ROWS) / lambda;
	double		step = 2.0 * reach / POINTS;
	double		excess[2] = {0.0, 0.0};
	double		moment[2] = {0.0, 0.0};

	for (int i = 0; i < POINTS; i++)
	{
		double		theta = -reach + (i + 0.5) * step;
		double		p = density(table, table->nrows, lambda, sigma, theta);
		double		q = density(table, table->nrows - 1, lambda, sigma, theta);

		excess[0] += Max(p - exp(epsilon) * q, 0.0) * step;
		excess[1] += Max(q - exp(epsilon) * p, 0.0) * step;
		if (p > 1e-250 && q > 1e-250)
		{
			moment[0] += p * pow(p / q, alpha - 1.0) * step;
			moment[1] += q * pow(q / p, alpha - 1.0) * step;
		}
	}
	*delta = Max(excess[0], excess[1]);
	*divergence = log(Max(moment[0], moment[1])) / (alpha - 1.0);
}

static void
test_bound(void **state)
{
	static const Table tables[] = {
		{1, {1.0}}, {1, {-0.5}}, {2, {1.0, 1.0}}, {2, {-1.0, 1.0}}, {4, {0.3, -0.7, 1.0, -1.0}},
	};
	static const double lambdas[] = {0.05, 1.0, 20.0};
	static const double sigmas[] = {0.3, 1.0, 10.0};
	int			needs_shift = 0;
	double		tightest = 0.0;

	(void) state;
	for (int t = 0; t < (int) lengthof(tables); t++)
		for (int l = 0; l < (int) lengthof(lambdas); l++)
			for (int s = 0; s < (int) lengthof(sigmas); s++)
			{
				double		lambda = lambdas[l];
				double		mu = 0.5 / sigmas[s];
				double		shift = dpriv_objective_shift(0.25, lambda);

				for (double alpha = 1.5; alpha < 40.0; alpha *= 3.0)
				{
					double		epsilon = shift + 0.7 * alpha * mu;
					double		bound = dpriv_objective_delta(mu, shift, 0.0, epsilon);
					double		rdp = dpriv_objective_rdp(mu, shift, alpha);
					double		delta;
					double		divergence;

					measure(&tables[t], lambda, sigmas[s], epsilon, alpha, &delta, &divergence);
					assert_true(delta <= bound * (1.0 + 1e-6) + 1e-15);
					assert_true(divergence <= rdp * (1.0 + 1e-6));
					assert_true(rdp <= dpriv_objective_rho(mu, shift) * alpha);
					needs_shift += divergence > dpriv_objective_rdp(mu, 0.0, alpha);
					tightest = Max(tightest, divergence / rdp);
				}
			}

	/* The bound has nothing to give away. */
	assert_true(needs_shift > 0);
	assert_true(tightest > 0.9);
}

/* max(0, G) with other Gaussian noise, added up numerically. */
static void
test_composition(void **state)
{
	static const double cases[][4] = {
		/* mu, shift, rho, epsilon */
		{0.1, 0.05, 0.0005, 0.5}, {1.0, 0.1, 0.05, 2.0}, {0.3, 0.0, 0.2, 1.0}, {2.0, 0.5, 0.01, 4.0},
	};

	(void) state;
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		double		mu = cases[i][0];
		double		rho = cases[i][2];
		double		rest = cases[i][3] - cases[i][1];
		double		delta = 0.0;
		double		step = 4e-3;

		for (double z = -8.0; z < 8.0; z += step)
			for (double y = -8.0; y < 8.0; y += step)
			{
				double		loss = Max(0.0, 0.5 * mu * mu + mu * z) + rho + sqrt(2.0 * rho) * y;

				if (loss > rest)
					delta += -expm1(rest - loss) * exp(-0.5 * (z * z + y * y)) * step * step /
						(2.0 * M_PI);
			}
		assert_true(delta <= dpriv_objective_delta(mu, cases[i][1], rho, cases[i][3]) * 1.001);
		assert_true(dpriv_objective_delta(mu, cases[i][1], rho, cases[i][3]) <= 2.0 * delta);
	}
}

static void
test_total(void **state)
{
	(void) state;
	for (double epsilon = 1e-3; epsilon < 50.0; epsilon *= 3.0)
		for (double delta = 1e-15; delta < 0.01; delta *= 100.0)
		{
			double		shift = 0.1 * epsilon;
			double		total = dpriv_objective_total(shift, 0.88, epsilon, delta);
			double		all = dpriv_gaussian_sigma_for(1.0, epsilon - shift, delta);

			assert_true(total > 0.0);
			assert_true(dpriv_objective_delta(sqrt(2.0 * 0.88 * total), shift, 0.12 * total,
											  epsilon) <= delta);
			if (delta < 0.01 * epsilon)
				assert_true(total > 0.99 * 0.5 / (all * all));
		}
	assert_true(dpriv_objective_total(0.5, 0.88, 0.5, 1e-6) == 0.0);
	assert_true(dpriv_objective_delta(1.0, 0.5, 0.0, 0.5) == 1.0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_composition),
		cmocka_unit_test(test_total),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
