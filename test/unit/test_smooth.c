/*
 * test_smooth.c
 *	  Noise whose scale depends on rows: delta summed over the integers beside its bound, and the
 *	  textbook's beta beside ours.
 */
#include "server.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/smooth.h"
#include "unit.h"

static const double epsilons[] = {1e-6, 1e-3, 0.01, 0.1, 0.5, 1, 2, 5, 20, 1000};
static const double deltas[] = {1e-18, 1e-12, 1e-9, 1e-6, 1e-3, 0.01};

static double
probability(double y, double scale)
{
	return tanh(0.5 / scale) * exp(-fabs(y) / scale);
}

/* Sum over y of max(0, P[y] - e^epsilon Q[y]), with centres 0 and distance. */
static double
summed_delta(double epsilon, double scale, double other, double distance)
{
	double		sum = 0.0;
	int64		reach = (int64) (50.0 * scale);

	for (int64 y = -reach; y <= reach; y++)
		sum += fmax(0.0, probability((double) y, scale) -
					exp(epsilon) * probability((double) y - distance, other));
	return sum;
}

/* At the least scale, for the largest distances: within delta in both directions, and little below. */
static void
test_discrete_sum(void **state)
{
	static const double cases[][2] = {{0.1, 1e-6}, {0.5, 1e-9}, {1, 1e-6}, {1, 0.01}, {2, 1e-6}, {5, 1e-3}};

	(void) state;
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		double		epsilon = cases[i][0];
		double		delta = cases[i][1];
		double		alpha = epsilon / 2;
		double		beta = dpriv_smooth_beta(epsilon, delta, alpha);
		double		small = DPRIV_SMOOTH_LEAST_SCALE;
		double		large = small * exp(beta);
		double		distance = floor(alpha * small);
		double		wide = summed_delta(epsilon, large, small, distance);

		assert_true(wide <= delta);
		assert_true(wide >= 0.9 * delta);
		assert_true(summed_delta(epsilon, small, large, distance) <= 1e-15);

		/* in between nothing is worse */
		for (double part = 0.0; part < 1.0; part += 0.25)
		{
			assert_true(summed_delta(epsilon, small * exp(part * beta), small, distance) <= delta);
			assert_true(summed_delta(epsilon, large, small, floor(part * distance)) <= delta);
			assert_true(summed_delta(epsilon, small, small * exp(part * beta), distance) <= 1e-15);
		}

		/* twice the beta is not private, unless beta stands at its other limit */
		if (beta < 0.4 * epsilon)
			assert_true(summed_delta(epsilon, small * exp(2 * beta), small, distance) > delta);
	}
}

/* The textbook's: alpha = epsilon / 2, beta = epsilon / (2 ln(2 / delta)). */
static void
test_textbook(void **state)
{
	(void) state;
	for (int e = 0; e < (int) lengthof(epsilons); e++)
		for (int d = 0; d < (int) lengthof(deltas); d++)
		{
			double		epsilon = epsilons[e];
			double		beta = dpriv_smooth_beta(epsilon, deltas[d], epsilon / 2);
			double		textbook = epsilon / (2 * log(2 / deltas[d]));

			print_message("epsilon %g, delta %g: beta %g, textbook %g\n", epsilon, deltas[d], beta,
						  textbook);
			assert_true(beta > 0 && beta <= epsilon / 2);
			assert_true(dpriv_smooth_delta(epsilon, epsilon / 2, beta) <= deltas[d]);

			/* which is not private where it is above ours */
			if (textbook > beta)
				assert_true(dpriv_smooth_delta(epsilon, epsilon / 2, textbook) > deltas[d]);
			if (epsilon <= 2)
				assert_true(beta > textbook);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_discrete_sum),
		cmocka_unit_test(test_textbook),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
