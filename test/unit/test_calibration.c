/*
 * test_calibration.c
 *	  Noise from cost and cost from noise: inverse to each other, monotone, and right against sums.
 *
 * Values of the field are in test/vectors; here are the properties, on thousands of arguments that
 * differ from run to run.
 */
#include "server.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/gaussian.h"
#include "accounting/laplace.h"
#include "accounting/numeric.h"
#include "accounting/selection.h"
#include "property.h"
#include "unit.h"

/* Random arguments per property; slow tools use fewer. */
#define ROUNDS (unit_draws() / 200)

static void
test_rounding(void **state)
{
	(void) state;
	assert_true(dpriv_divide_up(1.0, 0.5) == 2.0);
	assert_true(dpriv_divide_up(1.0, 3.0) > 1.0 / 3.0);
	assert_true(dpriv_divide_up(1.0, 10.0) == 0.1); /* which is above a tenth */
	for (int i = 0; i < ROUNDS; i++)
	{
		double		a = magnitude(1e-9, 1e9);
		double		b = magnitude(1e-9, 1e9);
		double		up = dpriv_divide_up(a, b);

		assert_true(fma(up, b, -a) >= 0);
		assert_true(fma(nextafter(up, 0.0), b, -a) < 0);
	}
}

/* R' = x R - 1, so R(x + h) - R(x - h) over 2 h is near it; the two ways of computing R meet. */
static void
test_mills(void **state)
{
	(void) state;
	assert_close(dpriv_mills(0.0), DPRIV_SQRT_HALF_PI, 1e-15);
	assert_close(dpriv_mills(nextafter(5.0, 0.0)), dpriv_mills(5.0), 1e-14);
	for (int i = 0; i < ROUNDS; i++)
	{
		double		x = uniform() * 37.0;
		double		tail = 0.5 * erfc(x * M_SQRT1_2);
		double		part = rint(x * 16.0) / 16.0;

		assert_close(dpriv_mills(x) * dpriv_exp_half_square(x) / DPRIV_SQRT_2PI, tail,
					 1e-15 * (20.0 + x * x));
		assert_true(dpriv_mills(x + 1e-9) < dpriv_mills(x));

		/* A part whose square is exact, and the rest. */
		assert_close(dpriv_exp_half_square(x), exp(-0.5 * part * part) *
					 exp(-0.5 * (x - part) * (x + part)), 2e-15);
		if (x < 8.0)
			assert_close(0.5 * erfc(dpriv_normal_quantile(tail) * M_SQRT1_2), tail, 1e-12);
	}
}

static void
test_gaussian_inverses(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		sensitivity = magnitude(1e-3, 1e6);
		double		epsilon = magnitude(1e-6, 200.0);
		double		delta = magnitude(1e-30, 0.99);
		double		sigma = dpriv_gaussian_sigma_for(sensitivity, epsilon, delta);
		double		u = epsilon * sigma / sensitivity;
		double		again = dpriv_gaussian_epsilon(sensitivity, sigma, delta);

		/* What loses digits is the exponent u^2 / 2, to which delta is no better known. */
		assert_close(dpriv_gaussian_delta(sensitivity, sigma, epsilon), delta, 1e-12 * (1 + u * u));
		assert_close(dpriv_gaussian_sigma_for(sensitivity, again, delta), sigma, 1e-12);

		/* Epsilon itself is as well known as sigma, unless delta is almost enough without it. */
		if (dpriv_gaussian_delta(sensitivity, sigma, 0.0) > 1.5 * delta)
		{
			assert_close(again, epsilon, 1e-12);
			assert_true(again <= epsilon * (1.0 + 1e-15));
		}
	}
}

static void
test_gaussian_monotone(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		sensitivity = magnitude(1e-3, 1e3);
		double		epsilon = magnitude(1e-6, 100.0);
		double		delta = magnitude(1e-30, 0.9);
		double		more = 1.0 + magnitude(1e-9, 1.0);
		double		sigma = dpriv_gaussian_sigma_for(sensitivity, epsilon, delta);
		double		loss = dpriv_gaussian_delta(sensitivity, sigma, epsilon);

		assert_true(dpriv_gaussian_sigma_for(sensitivity * more, epsilon, delta) > sigma);
		assert_true(dpriv_gaussian_sigma_for(sensitivity, epsilon * more, delta) <= sigma);
		assert_true(dpriv_gaussian_sigma_for(sensitivity, epsilon, delta * more) <= sigma);
		assert_true(dpriv_gaussian_delta(sensitivity * more, sigma, epsilon) >= loss);
		assert_true(dpriv_gaussian_delta(sensitivity, sigma * more, epsilon) <= loss);
		assert_true(dpriv_gaussian_delta(sensitivity, sigma, epsilon * more) <= loss);
		assert_true(dpriv_gaussian_epsilon(sensitivity * more, sigma, delta) >=
					dpriv_gaussian_epsilon(sensitivity, sigma, delta));
		assert_true(dpriv_gaussian_epsilon(sensitivity, sigma, delta * more) <=
					dpriv_gaussian_epsilon(sensitivity, sigma, delta));
		if (epsilon < 1.0)
		{
			double		classic = dpriv_gaussian_sigma_classic(sensitivity, epsilon, delta);

			assert_true(dpriv_gaussian_delta(sensitivity, classic, epsilon) <= delta);
		}
	}
}

/* k releases of Gaussian noise are one of sqrt(k) times the sensitivity; so are two halves. */
static void
test_gaussian_composition(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		sigma = magnitude(0.1, 100.0);
		double		delta = magnitude(1e-20, 0.1);
		double		a = magnitude(0.1, 10.0);
		double		b = magnitude(0.1, 10.0);

		assert_true(dpriv_gaussian_epsilon(hypot(a, b), sigma, delta) <=
					(dpriv_gaussian_epsilon(a, sigma, 0.5 * delta) +
					 dpriv_gaussian_epsilon(b, sigma, 0.5 * delta)) * (1.0 + 1e-12));
		assert_close(dpriv_gaussian_epsilon(a, sigma, delta),
					 dpriv_gaussian_epsilon(a * 8.0, sigma * 8.0, delta), 1e-14);
	}
}

static void
test_gaussian_limits(void **state)
{
	(void) state;
	assert_true(dpriv_gaussian_delta(1.0, 0.0, 1.0) == 1.0);
	assert_true(dpriv_gaussian_delta(0.0, 0.0, 0.0) == 0.0);
	assert_true(dpriv_gaussian_delta(1.0, INFINITY, 0.0) == 0.0);
	assert_true(dpriv_gaussian_delta(INFINITY, INFINITY, 0.0) == 1.0);
	assert_true(dpriv_gaussian_delta(1.0, 1.0, INFINITY) == 0.0);
	assert_true(dpriv_gaussian_delta(1e-300, 1.0, 0.0) > 0.39e-300);
	assert_true(dpriv_gaussian_delta(1.0, 1e-300, 1.0) == 1.0);

	/* For tiny mu, delta / mu depends on epsilon / mu alone; it is never rounded down to 0. */
	for (double u = 0.5; u < 20.0; u += 0.5)
		assert_close(dpriv_gaussian_delta(1e-80, 1.0, u * 1e-80) * 1e60,
					 dpriv_gaussian_delta(1e-20, 1.0, u * 1e-20), 1e-11);
	assert_true(dpriv_gaussian_delta(1e-200, 1e200, 0.0) > 0);

	assert_true(dpriv_gaussian_epsilon(1.0, 1.0, 0.0) == INFINITY);
	assert_true(dpriv_gaussian_epsilon(1.0, 1.0, 1.0) == 0.0);
	assert_true(dpriv_gaussian_epsilon(1.0, 1.0, 0.4) == 0.0);
	assert_true(dpriv_gaussian_epsilon(0.0, 0.0, 0.0) == 0.0);
	assert_true(dpriv_gaussian_epsilon(1.0, 0.0, 0.5) == INFINITY);
	assert_true(isfinite(dpriv_gaussian_epsilon(1.0, 1e-9, 1e-9)));
	assert_true(dpriv_gaussian_sigma_for(1.0, 1.0, 0.0) == INFINITY);
	assert_true(dpriv_gaussian_sigma_for(1.0, INFINITY, 1e-6) == 0.0);
	assert_true(dpriv_gaussian_sigma_for(0.0, 0.0, 0.0) == 0.0);
	assert_true(dpriv_gaussian_sigma_for(1.0, 1.0, 1.0) == 0.0);
	assert_close(dpriv_gaussian_sigma_for(1.0, 0.0, 1e-9), 1e9 / DPRIV_SQRT_2PI, 1e-12);
	assert_true(dpriv_discrete_gaussian_sigma_for(1.0, 1.0, 0.0) == INFINITY);
	assert_true(dpriv_discrete_gaussian_sigma_for(0.0, 1.0, 0.0) == 0.0);
	assert_true(dpriv_discrete_gaussian_sigma_for(1.0, 0.0, 1e-3) > 398.0);
	assert_true(isfinite(dpriv_discrete_gaussian_sigma_for(1e12, 1e-3, 1e-9)));
}

/*
 * Three measures at (0.5, 1e-6) that share one vector, with a third of mu^2 each, have at most 0.62
 * of the noise of three by themselves.
 */
static void
test_gaussian_shared(void **state)
{
	double		shared = sqrt(3.0) * dpriv_gaussian_sigma_for(1.0, 1.5, 3e-6);

	(void) state;
	assert_true(shared <= 0.62 * dpriv_gaussian_sigma_for(1.0, 0.5, 1e-6));
	assert_true(shared <= 0.62 * dpriv_discrete_gaussian_sigma_for(1.0, 0.5, 1e-6));
}

/* The most that any set of outcomes can gain: the sum of what exceeds exp(eps) times the other. */
static double
excess_by_force(double sensitivity, double sigma, double epsilon)
{
	int			reach = (int) (12.0 * sigma + sensitivity + 20.0);
	double		normaliser = 0.0;
	double		sum = 0.0;

	for (int y = -reach; y <= reach; y++)
		normaliser += exp(-0.5 * y / sigma * (y / sigma));
	for (int y = -reach; y <= reach; y++)
	{
		double		p = exp(-0.5 * y / sigma * (y / sigma));
		double		moved = (y + sensitivity) / sigma;

		sum += Max(p - exp(epsilon - 0.5 * moved * moved), 0.0);
	}
	return sum / normaliser;
}

static void
test_discrete_gaussian(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 3; i++)
	{
		double		sensitivity = floor(magnitude(1.0, 30.0));
		double		epsilon = magnitude(1e-3, 8.0);
		double		delta = magnitude(1e-9, 0.3);
		double		sigma = dpriv_discrete_gaussian_sigma_for(sensitivity, epsilon, delta);
		double		loss = dpriv_discrete_gaussian_delta(sensitivity, sigma, epsilon);

		/* Enough, and with less of it not enough. */
		assert_true(loss <= delta);
		assert_true(dpriv_discrete_gaussian_delta(sensitivity, sigma * (1.0 - 1e-9),
												  epsilon) > delta);
		assert_true(loss > delta * (1.0 - 1e-6));
		if (sigma < 2000.0)
			assert_close(loss, excess_by_force(sensitivity, sigma, epsilon), 1e-7);
	}

	/* None of a thousand smaller ones is enough, though larger ones may not be. */
	for (int i = 0; i < ROUNDS / 40; i++)
	{
		double		epsilon = magnitude(0.5, 20.0);
		double		delta = magnitude(1e-15, 0.1);
		double		sigma = dpriv_discrete_gaussian_sigma_for(1.0, epsilon, delta);

		for (int j = 1; j <= 1000; j++)
			assert_true(dpriv_discrete_gaussian_delta(1.0, sigma * (1.0 - 0.0005 * j),
													  epsilon) > delta);
	}
}

/* Noise that is private for the largest change of a sum is private for the smaller ones too. */
static void
test_discrete_gaussian_smaller_changes(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 10; i++)
	{
		double		epsilon = magnitude(1e-3, 10.0);
		double		delta = magnitude(1e-12, 1e-2);
		double		largest = floor(magnitude(2.0, 40.0));
		double		sigma = dpriv_discrete_gaussian_sigma_for(largest, epsilon, delta);

		for (double change = 1.0; change <= largest; change++)
		{
			double		most = delta * (1.0 + 1e-9);

			assert_true(dpriv_discrete_gaussian_delta(change, sigma, epsilon) <= most);
			if (sigma < 100.0)
				assert_true(excess_by_force(change, sigma, epsilon) <= most);
		}
	}
}

/* The sum and its two replacements for many steps agree where they meet, and with the continuum. */
static void
test_discrete_gaussian_seams(void **state)
{
	static const double seams[] = {128.0, 67108864.0};

	(void) state;
	for (int i = 0; i < ROUNDS / 3; i++)
	{
		for (int j = 0; j < (int) lengthof(seams); j++)
		{
			double		sigma = seams[j];
			double		sensitivity = floor(magnitude(1.0, 100.0 * sigma));
			double		epsilon = 9.0 * uniform() * sensitivity / sigma;

			assert_close(dpriv_discrete_gaussian_delta(sensitivity, sigma * (1.0 + 1e-15), epsilon),
						 dpriv_discrete_gaussian_delta(sensitivity, sigma, epsilon), 2e-12);
		}
	}
	assert_close(dpriv_discrete_gaussian_sigma_for(1e6, 1.0, 1e-6),
				 dpriv_gaussian_sigma_for(1e6, 1.0, 1e-6), 1e-10);
}

static void
test_laplace(void **state)
{
	(void) state;
	assert_true(dpriv_laplace_scale_for(1.0, 0.5) == 2.0);
	assert_true(dpriv_laplace_scale_for(1.0, 0.0) == INFINITY);
	assert_true(dpriv_laplace_scale_for(0.0, 0.0) == 0.0);
	assert_true(dpriv_laplace_scale_for(1.0, INFINITY) == 0.0);
	assert_true(dpriv_laplace_scale_for(INFINITY, INFINITY) == INFINITY);
	assert_true(dpriv_laplace_epsilon_for(0.0, 1.0, 0.5) == INFINITY);
	assert_true(dpriv_laplace_epsilon_for(1.0, 1.0, 1.0) == INFINITY);
	assert_true(dpriv_laplace_epsilon_for(0.0, 1.0, 0.0) == 0.0);
	assert_true(dpriv_discrete_laplace_epsilon_for(0.0, 1.0, 1.0) == INFINITY);
	assert_true(dpriv_discrete_laplace_epsilon_for(INFINITY, 1.0, 0.5) == 0.0);
	assert_true(dpriv_gaussian_epsilon_for(0.0, 1.0, 0.5, 1e-6) == INFINITY);
	assert_true(dpriv_gaussian_epsilon_for(1.0, 1.0, 0.0, 1e-6) == 0.0);
	for (int i = 0; i < ROUNDS; i++)
	{
		double		width = magnitude(0.1, 1e6);
		double		sensitivity = magnitude(0.1, 1e6);
		double		confidence = uniform();
		double		epsilon = dpriv_discrete_laplace_epsilon_for(width, sensitivity, confidence);
		double		outside[2];

		assert_close(exp(-width / sensitivity *
						 dpriv_laplace_epsilon_for(width, sensitivity, confidence)),
					 1.0 - confidence, 1e-10);

		/* P[|X| > width] at this epsilon and a little below. */
		for (int j = 0; j < 2; j++)
		{
			double		a = epsilon * (1.0 - j * 1e-9) / sensitivity;

			outside[j] = 2.0 * exp(-a * (floor(width) + 1.0)) / (1.0 + exp(-a));
		}
		assert_true(outside[0] <= (1.0 - confidence) * (1.0 + 1e-15));
		assert_true(outside[1] > 1.0 - confidence);

		/* A Gaussian with that sigma is within the width as often as asked. */
		if (dpriv_gaussian_delta(1.0, width / sensitivity, 0.0) > 1e-4 && confidence > 1e-6)
		{
			double		cost = dpriv_gaussian_epsilon_for(width, sensitivity, confidence, 1e-6);
			double		sigma = width / dpriv_normal_quantile(0.5 * (1.0 - confidence));

			assert_close(cost, dpriv_gaussian_epsilon(sensitivity, sigma, 1e-6), 1e-10);
		}
	}
}

/* The recurrence that defines truncated geometric selection, step by step. */
static void
test_selection_probability(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 8; i++)
	{
		double		epsilon = magnitude(1e-4, 5.0);
		double		delta = magnitude(1e-12, 0.9);
		double		p = 0.0;
		double		before = 0.0;

		for (int n = 0; n <= 300; n++)
		{
			double		closed = dpriv_selection_probability(n, epsilon, delta, 1);

			assert_true(fabs(closed - p) <= 1e-11 * p + 1e-15);
			assert_true(closed >= before * (1.0 - 1e-12));
			before = closed;
			p = Min(Min(exp(epsilon) * p + delta, 1.0 - exp(-epsilon) * (1.0 - p - delta)), 1.0);
		}

		/* One group in three costs three times as much. */
		assert_close(dpriv_selection_probability(7, epsilon, delta, 3),
					 dpriv_selection_probability(7, epsilon / 3.0, 1.0 - cbrt(1.0 - delta), 1),
					 1e-3);
	}
	assert_true(dpriv_selection_probability(0, 1.0, 0.5, 1) == 0.0);
	assert_true(dpriv_selection_probability(1e15, 0.0, 0.0, 1) == 0.0);
	assert_true(dpriv_selection_probability(1, INFINITY, 1e-6, 1) == 1e-6);
	assert_true(dpriv_selection_probability(2, INFINITY, 1e-6, 1) == 1.0);
	assert_true(dpriv_selection_probability(1, 1.0, 1.0, 1) == 1.0);
	assert_true(dpriv_selection_probability(1, 1.0, 1e-6, 1) == 1e-6);
	assert_close(dpriv_selection_probability(40, 1e-20, 0.02, 1), 0.8, 1e-12);
	assert_close(dpriv_selection_probability(40, 0.0, 0.02, 1), 0.8, 1e-12);

	/* exp(730) is beyond float8. */
	assert_close(dpriv_selection_probability(730, 1.0, 1e-322, 1),
				 exp(log(1e-322) + 729.0) / -expm1(-1.0), 1e-12);
}

static void
test_selection_threshold(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(1e-6, 20.0);
		double		delta = magnitude(1e-300, 0.5);
		double		m = dpriv_selection_threshold(epsilon, delta, 1);
		double		continuous = dpriv_selection_threshold_continuous(epsilon, delta, 1);
		double		t = exp(-epsilon);

		/* The smallest for which a group of one passes with at most delta. */
		assert_true(m >= 1.0 && m == floor(m));
		assert_true(log(delta) >= -epsilon * (m - 1.0) - log1p(t) - 1e-12);
		if (m > 1.0)
			assert_true(log(delta) < -epsilon * (m - 2.0) - log1p(t) + 1e-12);
		assert_close(dpriv_selection_probability_continuous(1, epsilon, delta, 1), delta, 1e-9);
		assert_true(dpriv_selection_threshold(epsilon, delta, 2) >= m);
		assert_true(dpriv_selection_threshold_continuous(epsilon, delta, 2) >= continuous);
		assert_true(fabs(m - continuous) <= 2.0 + 1e-9 * m);
	}
	assert_true(dpriv_selection_threshold(0.0, 0.5, 1) == INFINITY);
	assert_true(dpriv_selection_threshold(1.0, 0.0, 1) == INFINITY);
	assert_true(dpriv_selection_threshold(1.0, 1.0, 1) == 1.0);
	assert_true(dpriv_selection_threshold(INFINITY, 1e-9, 1) == 2.0);
	assert_true(dpriv_selection_threshold_continuous(1.0, 0.0, 1) == INFINITY);
	assert_true(dpriv_selection_threshold_continuous(1.0, 0.5, 1) == 1.0);
	assert_true(dpriv_selection_threshold_continuous(1.0, 1.0, 1) == -INFINITY);

	/* Never below the formula. */
	assert_true(dpriv_selection_threshold_continuous(1.0, 1e-6, 1) > 14.122363377404328);
	assert_true(dpriv_selection_threshold_continuous(1.0, 1e-6, 1) < 14.122363377407);
	assert_true(dpriv_selection_threshold_continuous(1.0, 0.9, 2) >= 0.08370926812584471);
	assert_true(dpriv_selection_threshold_continuous(1.0, 1.0 - 0x1p-53, 2) >= -34.350506208557206);
	assert_close(dpriv_selection_threshold_continuous(1.0, 1.0 - 0x1p-53, 2), -34.350506208557206, 1e-12);
	assert_true(dpriv_selection_probability_continuous(0, 1.0, 1.0, 1) == 0.0);
}

/* A sensitivity of many standard deviations, at which the loss leaps from one integer to the next. */
static void
test_discrete_gaussian_steep(void **state)
{
	(void) state;
	assert_true(dpriv_discrete_gaussian_delta(1000.0, 1.0, 45100.0) == 1.0);
	assert_close(dpriv_discrete_gaussian_sigma_for(1000.0, 45100.0, 1e-5), 3.376, 1e-3);
	assert_close(dpriv_discrete_gaussian_sigma_for(1e18, 1e32, 1e-5),
				 dpriv_gaussian_sigma_for(1e18, 1e32, 1e-5), 1e-9);

	/* On both sides of the seam, at which delta hardly changes. */
	assert_close(dpriv_discrete_gaussian_delta(5001.0, 200.0, 362.572500),
				 dpriv_discrete_gaussian_delta(4999.0, 200.0, 362.377500), 1e-2);
}

/* Confidences and ratios so small that the obvious form has no digits left. */
static void
test_gaussian_far_ends(void **state)
{
	(void) state;
	for (double confidence = 1e-17; confidence < 2e-3; confidence *= 3.0)
	{
		double		z = confidence * DPRIV_SQRT_HALF_PI;

		z *= 1.0 + z * z / 6.0 + z * z * z * z * 7.0 / 120.0;
		assert_close(dpriv_gaussian_epsilon_for(z, 1.0, confidence, 1e-6),
					 dpriv_gaussian_epsilon(1.0, 1.0, 1e-6), 1e-11);
		assert_close(dpriv_discrete_laplace_epsilon_for(10.0, 1.0, confidence * 1e-3),
					 confidence * 1e-3 / 10.5, confidence * 1e-3 + 1e-12);
	}
	assert_true(dpriv_gaussian_epsilon(DBL_TRUE_MIN, 2.0, DBL_TRUE_MIN) > 0);
	assert_true(isinf(dpriv_laplace_epsilon_for(0.0, DBL_TRUE_MIN, 1e-10)));
}

/* Continuous selection of one unit is delta however little noise there is. */
static void
test_selection_far_ends(void **state)
{
	(void) state;
	assert_close(dpriv_selection_probability_continuous(1.0, INFINITY, 1e-5, 1), 1e-5, 1e-12);
	assert_close(dpriv_selection_probability_continuous(1.0, 1e17, 1e-5, 1), 1e-5, 1e-12);
	assert_close(dpriv_selection_probability_continuous(1.0, 1e10, 1e-9, 1), 1e-9, 1e-12);
	assert_close(dpriv_selection_threshold_continuous(0.32642960168222396, 0.999999999999965, 2),
				 -89.6717203868810837, 1e-12);

	/* 1 / (1 + t) is above 1/2, by less than its last digit. */
	assert_true(dpriv_selection_threshold(1e-17, 0.5, 1) == 2.0);
	assert_true(dpriv_selection_threshold(2.297485165868352e-17, 0.499999999999978, 1) == 1916.0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_mills),
		cmocka_unit_test(test_gaussian_inverses),
		cmocka_unit_test(test_gaussian_monotone),
		cmocka_unit_test(test_gaussian_composition),
		cmocka_unit_test(test_gaussian_limits),
		cmocka_unit_test(test_gaussian_shared),
		cmocka_unit_test(test_discrete_gaussian),
		cmocka_unit_test(test_discrete_gaussian_smaller_changes),
		cmocka_unit_test(test_discrete_gaussian_seams),
		cmocka_unit_test(test_discrete_gaussian_steep),
		cmocka_unit_test(test_gaussian_far_ends),
		cmocka_unit_test(test_laplace),
		cmocka_unit_test(test_selection_probability),
		cmocka_unit_test(test_selection_threshold),
		cmocka_unit_test(test_selection_far_ends),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
