/*
 * test_pld.c
 *	  Composition by the distribution of the privacy loss, against what is known exactly.
 *
 * Nothing may be below the truth.  The truth is a closed form for one mechanism, a sum over all
 * outcomes for a few discrete ones, optimal composition for epsilons, and for many sampled
 * Gaussians an integral in the complex plane that has nothing to do with lattices.
 */
#include "server.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "accounting/compose.h"
#include "accounting/dpsgd.h"
#include "accounting/fft.h"
#include "accounting/gaussian.h"
#include "accounting/numeric.h"
#include "accounting/pld.h"
#include "accounting/pld_lattice.h"
#include "accounting/sampled_gaussian.h"
#include "noise/random.h"
#include "property.h"
#include "unit.h"

/* Random arguments per property; slow tools use fewer. */
#define ROUNDS (unit_draws() / 10000)

/* How far above the truth, absolute up to epsilon 10 and relative beyond. */
#define LATTICE_ERROR 8e-5

static void *work;

static double
epsilon_of(DprivPldMechanism *mechanisms, int n, double delta)
{
	n = dpriv_pld_merge(mechanisms, n);
	return dpriv_pld_epsilon(mechanisms, n, delta, work);
}

static double
delta_of(DprivPldMechanism *mechanisms, int n, double epsilon)
{
	n = dpriv_pld_merge(mechanisms, n);
	return dpriv_pld_delta(mechanisms, n, epsilon, work);
}

static DprivPldMechanism
mechanism_of(DprivPldKind kind, double first, double second, int64 count)
{
	DprivPldMechanism mechanism = {kind, {first, second}, count};

	return mechanism;
}

/* Not below the truth, and above it only by what the lattice costs. */
#define assert_above(epsilon, truth) check_above(epsilon, truth, __FILE__, __LINE__)

static void
check_above(double epsilon, double truth, const char *file, int line)
{
	if (!(epsilon >= truth * (1.0 - 1e-9) - 1e-12) ||
		!(epsilon <= truth + LATTICE_ERROR * Max(1.0, truth / 10.0)))
	{
		print_error("%.17g is not just above %.17g\n", epsilon, truth);
		_fail(file, line);
	}
}

/* The transform against sums, and back; its error within its bound. */
static void
test_transform(void **state)
{
	(void) state;
	for (int n = 8; n <= 1024; n *= 2)
	{
		double	   *data = malloc(2 * n * sizeof(double));
		double	   *copy = malloc(2 * n * sizeof(double));
		double	   *roots = malloc(2 * n * sizeof(double));
		double		squares = 0.0;
		double		errors = 0.0;
		double		errors_back = 0.0;
		double		norm = 0.0;

		dpriv_fft_roots(roots, n);
		for (int half = 1; half < n; half *= 2)
		{
			for (int k = 0; k < half; k++)
			{
				long double angle = -3.14159265358979323846264338327950288L * k / half;

				assert_true(fabsl(roots[2 * (half + k)] - cosl(angle)) < 0x1p-53L);
				assert_true(fabsl(roots[2 * (half + k) + 1] - sinl(angle)) < 0x1p-53L);
			}
		}
		for (int i = 0; i < 2 * n; i++)
			data[i] = copy[i] = uniform() - 0.3;
		dpriv_fft(data, roots, n);
		for (int f = 0; f < n; f++)
		{
			long double re = 0.0L;
			long double im = 0.0L;
			int			place = 0;

			for (int bit = 1; bit < n; bit *= 2)
				place = 2 * place + (f & bit ? 1 : 0);
			for (int k = 0; k < n; k++)
			{
				long double angle = -2.0L * 3.14159265358979323846264338327950288L *
					(long double) ((int64) k * f % n) / n;

				re += copy[2 * k] * cosl(angle) - copy[2 * k + 1] * sinl(angle);
				im += copy[2 * k] * sinl(angle) + copy[2 * k + 1] * cosl(angle);
			}
			errors += (double) ((re - data[2 * place]) * (re - data[2 * place]) +
								(im - data[2 * place + 1]) * (im - data[2 * place + 1]));
			squares += (double) (re * re + im * im);
		}
		assert_true(sqrt(errors) <= dpriv_fft_error(n) * sqrt(squares));
		dpriv_fft_inverse(data, roots, n);
		for (int i = 0; i < 2 * n; i++)
		{
			errors_back += (data[i] / n - copy[i]) * (data[i] / n - copy[i]);
			norm += copy[i] * copy[i];
		}
		assert_true(sqrt(errors_back) <= 2.5 * dpriv_fft_error(n) * sqrt(norm));
		free(data);
		free(copy);
		free(roots);
	}
}

/* P[loss > epsilon] - exp(epsilon) Q[loss > epsilon] of a sampled Gaussian, or P and Q exchanged. */
static double
sampled_gaussian_delta(double q, double sigma, double epsilon, bool back)
{
	double		less_one = back ? expm1(-epsilon) / q : expm1(epsilon) / q;
	double		x;
	double		p;
	double		u;

	if (less_one <= -1.0)
		return 0.0;
	x = sigma * log1p(less_one) + 0.5 / sigma;
	if (back)
	{
		u = 0.5 * erfc(-x * M_SQRT1_2);
		p = (1.0 - q) * u + q * 0.5 * erfc(-(x - 1.0 / sigma) * M_SQRT1_2);
		return u - exp(epsilon) * p;
	}
	u = 0.5 * erfc(x * M_SQRT1_2);
	p = (1.0 - q) * u + q * 0.5 * erfc((x - 1.0 / sigma) * M_SQRT1_2);
	return p - exp(epsilon) * u;
}

static void
test_one_mechanism(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(0.05, 4.0);
		double		q = magnitude(1e-3, 1.0);
		double		sigma = magnitude(0.4, 8.0);
		double		truth = Max(sampled_gaussian_delta(q, sigma, epsilon, false),
								sampled_gaussian_delta(q, sigma, epsilon, true));
		DprivPldMechanism mechanism = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, q, sigma, 1);
		double		b = magnitude(0.1, 5.0);
		double		greatest;
		double		delta;

		if (truth > 1e-11)
		{
			delta = delta_of(&mechanism, 1, epsilon);
			assert_true(delta >= truth * (1.0 - 1e-9 - 1e-15 / truth));
			greatest = Max(epsilon - LATTICE_ERROR, 0.0);
			/* How close it is depends on where the truth lies between points of the lattice. */
			assert_true(delta <= 1e-11 + 1.05 *
						Max(sampled_gaussian_delta(q, sigma, greatest, false),
							sampled_gaussian_delta(q, sigma, greatest, true)));
			mechanism = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, q, sigma, 1);
			assert_above(epsilon_of(&mechanism, 1, truth * (1.0 + 1e-9)), epsilon * (1.0 - 1e-7));
		}

		/* Laplace: 1 - exp((epsilon - b) / 2). */
		mechanism = mechanism_of(DPRIV_PLD_LAPLACE, b, 0.0, 1);
		greatest = b * (0.01 + 0.98 * uniform());
		truth = -expm1(0.5 * (greatest - b));
		assert_above(epsilon_of(&mechanism, 1, truth), greatest);
		delta = delta_of(&mechanism, 1, greatest);
		assert_true(delta >= truth * (1.0 - 1e-9) && delta <= truth * (1.0 + 1e-4));

		/* Sampled, with a row less: on the inside, e^z = 1 + (e^greatest - 1) / q. */
		mechanism = mechanism_of(DPRIV_PLD_SAMPLED_LAPLACE, q, b, 1);
		greatest = log1p(q * expm1(b)) * (0.01 + 0.98 * uniform());
		truth = 0.5 * (b - log1p(expm1(greatest) / q));
		truth = q * (1.0 - 0.5 * exp(-truth)) + (1.0 - q) * 0.5 * exp(truth - b) -
			exp(greatest) * 0.5 * exp(truth - b);
		if (truth > 1e-9)
			assert_above(epsilon_of(&mechanism, 1, truth), greatest);

		/* Discrete Gaussian. */
		sigma = magnitude(0.5, 50.0);
		greatest = floor(magnitude(1.0, 5.0));
		mechanism = mechanism_of(DPRIV_PLD_DISCRETE_GAUSSIAN, greatest, sigma, 1);
		epsilon = uniform() * 3.0 * greatest / sigma;
		truth = dpriv_discrete_gaussian_delta(greatest, sigma, epsilon);
		delta = delta_of(&mechanism, 1, epsilon);
		assert_true(delta >= truth * (1.0 - 1e-9) && delta <= truth * (1.0 + 1e-3) + 1e-12);
	}
}

/* Outcomes of a mechanism with few: losses and probabilities. */
typedef struct Outcomes
{
	int			n;
	double		loss[64];
	double		mass[64];
} Outcomes;

static double
enumerate(const Outcomes *outcomes, int k, double loss, double mass, double epsilon)
{
	double		sum = 0.0;

	if (k == 0)
		return loss > epsilon ? mass * -expm1(epsilon - loss) : 0.0;
	for (int i = 0; i < outcomes->n; i++)
		sum += enumerate(outcomes, k - 1, loss + outcomes->loss[i], mass * outcomes->mass[i],
						 epsilon);
	return sum;
}

/* Three of a kind, by all of their outcomes. */
static void
test_by_force(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS / 2; i++)
	{
		Outcomes	outcomes;
		DprivPldMechanism mechanism;
		double		a;
		double		truth;
		double		at;
		double		delta;

		if (i % 2 == 0)
		{
			double		noise = 0.05 + 0.9 * uniform();
			double		buckets = floor(magnitude(2.0, 20.0));

			a = log1p((1.0 - noise) * buckets / noise);
			outcomes.n = 3;
			outcomes.loss[0] = a;
			outcomes.mass[0] = 1.0 - noise + noise / buckets;
			outcomes.loss[1] = 0.0;
			outcomes.mass[1] = (buckets - 2.0) * noise / buckets;
			outcomes.loss[2] = -a;
			outcomes.mass[2] = noise / buckets;
			mechanism = mechanism_of(DPRIV_PLD_RANDOMIZED_RESPONSE, noise, buckets, 3);
		}
		else
		{
			int			steps = (int) magnitude(1.0, 30.0);
			double		t;

			a = magnitude(0.1, 3.0);
			t = exp(-a / steps);
			outcomes.n = steps + 1;
			for (int j = 0; j <= steps; j++)
			{
				outcomes.loss[j] = a - 2.0 * a * j / steps;
				outcomes.mass[j] = j == 0 ? 1.0 / (1.0 + t) :
					exp(-a * j / steps) * (j == steps ? 1.0 / (1.0 + t) : (1.0 - t) / (1.0 + t));
			}
			mechanism = mechanism_of(DPRIV_PLD_DISCRETE_LAPLACE, a, steps, 3);
		}
		at = 3.0 * a * uniform();
		truth = enumerate(&outcomes, 3, 0.0, 1.0, at);
		delta = delta_of(&mechanism, 1, at);
		assert_true(delta >= truth * (1.0 - 1e-9));
		assert_true(delta <= truth * (1.0 + 1e-4) + 1e-12);
		if (truth > 1e-12)
			assert_above(epsilon_of(&mechanism, 1, truth), at);
	}
}

/* Pure mechanisms at their worst are what optimal composition is about. */
static void
test_optimal(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		epsilon = magnitude(0.01, 2.0);
		int64		k = (int64) magnitude(1.0, 1e5);
		double		slack = magnitude(1e-12, 1e-2);
		double		truth = dpriv_compose_optimal(epsilon, 0.0, k, slack).epsilon;
		DprivPldMechanism mechanisms[2];

		mechanisms[0] = mechanism_of(DPRIV_PLD_APPROXIMATE, epsilon, 0.0, k);
		assert_above(epsilon_of(mechanisms, 1, slack), truth);
		mechanisms[0] = mechanism_of(DPRIV_PLD_DISCRETE_LAPLACE, epsilon, 1.0, k);
		assert_above(epsilon_of(mechanisms, 1, slack), truth);

		/* With a delta each: 1 - (1 - delta)^k (1 - slack). */
		mechanisms[0] = mechanism_of(DPRIV_PLD_APPROXIMATE, epsilon, 1e-3 * slack / k, k / 2);
		mechanisms[1] = mechanism_of(DPRIV_PLD_APPROXIMATE, epsilon, 1e-3 * slack / k, k - k / 2);
		assert_above(epsilon_of(mechanisms, 2,
							   dpriv_compose_optimal(epsilon, 1e-3 * slack / k, k, slack).delta),
					truth);
	}
}

/* What is left when everybody is sampled, though the code does not know it; and real Gaussians. */
static void
test_gaussians(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		sigma = magnitude(0.5, 100.0);
		int64		k = (int64) magnitude(1.0, 1e4);
		double		delta = magnitude(1e-15, 1e-2);
		double		truth = dpriv_gaussian_epsilon(sqrt((double) k), sigma, delta);
		DprivPldMechanism mechanisms[3];

		mechanisms[0] = mechanism_of(DPRIV_PLD_GAUSSIAN, 1.0, sigma, k / 3);
		mechanisms[1] = mechanism_of(DPRIV_PLD_GAUSSIAN, 2.0, 2.0 * sigma, k - k / 3);
		mechanisms[2] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.0, 1.0, k);
		assert_close(epsilon_of(mechanisms, 3, delta), truth, 1e-11);
		mechanisms[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 1.0 - 0x1p-53, sigma, k);
		if (sqrt((double) k) / sigma < 30.0)
			assert_above(epsilon_of(mechanisms, 1, delta), truth * (1.0 - 1e-12));
	}
}

/*
 * delta of k sampled Gaussians: the integral over t of M(z)^k exp(-z epsilon) / (z (z + 1)) / (2
 * pi) with z = s + i t, M the moments of one loss, by the trapezoidal rule.  Not a number if
 * it does not converge.
 */
static double
contour(double q, double sigma, int64 k, double epsilon, bool back, double s, double step)
{
	double		sum = 0.0;
	double		scale = 0.0;
	double		reach = 1.0 / sigma + 12.0 + (1.0 + s) / sigma;

	for (int j = 0; j < 20000; j++)
	{
		double complex z = s + I * j * step;
		double complex moment = 0.0;
		double complex term;

		for (double x = -reach; x < reach; x += 0.03125)
		{
			double		loss = log1p(q * expm1((x - 0.5 / sigma) / sigma));

			moment += cexp((back ? -z : 1.0 + z) * loss - 0.5 * x * x);
		}
		moment *= 0.03125 / DPRIV_SQRT_2PI;
		term = cexp(k * clog(moment) - z * epsilon) / (z * (z + 1.0));
		sum += creal(term) * (j == 0 ? 0.5 : 1.0);
		scale = Max(scale, cabs(term));
		if (cabs(term) < 1e-14 * scale)
			return sum * step / M_PI;
	}
	return NAN;
}

static void
test_many_sampled(void **state)
{
	int			compared = 0;

	(void) state;
	for (int i = 0; i < ROUNDS / 10; i++)
	{
		double		q = magnitude(5e-3, 0.3);
		double		sigma = magnitude(0.8, 4.0);
		int64		k = (int64) magnitude(200.0, 20000.0);
		double		delta = magnitude(1e-8, 1e-3);
		DprivPldMechanism mechanism = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, q, sigma, k);
		double		epsilon = epsilon_of(&mechanism, 1, delta);
		double		deviation = sqrt(k * q * q * expm1(1.0 / sigma / sigma));
		double		s = Min(Max(sqrt(-2.0 * log(delta)) / deviation, 0.2), 6.0);
		double		truth = 0.0;
		double		slope;
		double		above;

		if (epsilon < 0.05 || epsilon > 30.0)
			continue;
		for (int back = 0; back <= 1; back++)
		{
			double		step = 0.05 * s;
			double		value = contour(q, sigma, k, epsilon, back, s, step);
			double		again = contour(q, sigma, k, epsilon, back, s, 0.5 * step);

			if (fabs(value - again) > 1e-9 * delta || isnan(value))
			{
				truth = NAN;
				break;
			}
			truth = Max(truth, again);
		}
		if (isnan(truth))
			continue;
		compared++;
		assert_true(truth <= delta * (1.0 + 1e-8));

		/* How much smaller epsilon could have been, by the slope of the curve. */
		above = contour(q, sigma, k, epsilon * 1.001, false, s, 0.05 * s);
		slope = log(truth / above) / (1e-3 * epsilon);
		assert_true(log(delta / truth) / slope <= LATTICE_ERROR * Max(1.0, epsilon / 10.0));
		mechanism = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, q, sigma, k);
		assert_true(delta_of(&mechanism, 1, epsilon) >= truth * (1.0 - 1e-8));
	}
	print_message("%d integrals\n", compared);
	assert_true(compared >= ROUNDS / 40);
}

/* Never more than by divergences, but for the lattice; in order in every argument. */
static void
test_below_divergences(void **state)
{
	(void) state;
	for (int i = 0; i < ROUNDS; i++)
	{
		double		q = magnitude(1e-4, 0.5);
		double		sigma = magnitude(0.5, 10.0);
		int64		k = (int64) magnitude(1.0, 1e5);
		double		delta = magnitude(1e-10, 1e-3);
		double		rdp = dpriv_dpsgd_epsilon(sigma, q, k, delta);
		DprivPldMechanism mechanism = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, q, sigma, k);
		double		epsilon = epsilon_of(&mechanism, 1, delta);

		if (!(epsilon <= rdp + LATTICE_ERROR * Max(1.0, rdp / 10.0)))
			print_error("%.17g %.17g %.17g " INT64_FORMAT " %.17g\n", epsilon, rdp, q, k, delta);
		assert_true(epsilon <= rdp + LATTICE_ERROR * Max(1.0, rdp / 10.0));
		assert_true(dpriv_dpsgd_epsilon_pld(sigma, q, k, delta, work) <= rdp);
		if (i % 10 == 0 && epsilon > 0.05 && rdp < 100.0)
		{
			double		noise = dpriv_dpsgd_noise_multiplier_pld(epsilon, delta, q, k, work);

			assert_true(dpriv_dpsgd_epsilon_pld(noise, q, k, delta, work) <= epsilon);
			assert_close(noise, sigma, 1e-3);
			mechanism = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, q, sigma, k + k / 2 + 1);
			assert_true(epsilon <= epsilon_of(&mechanism, 1, delta) * (1.0 + LATTICE_ERROR));
			mechanism = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, q, sigma, k);
			assert_true(epsilon_of(&mechanism, 1, 1.5 * delta) <= epsilon * (1.0 + LATTICE_ERROR));
		}
	}
}

/* Different mechanisms: not below their Gaussian part, not above the sum of parts. */
static void
test_lists(void **state)
{
	DprivPldMechanism list[6];

	(void) state;
	for (int i = 0; i < ROUNDS / 4; i++)
	{
		double		delta = magnitude(1e-9, 1e-4);
		double		whole;
		double		parts = 0.0;
		double		least = 0.0;
		double		back;

		list[0] = mechanism_of(DPRIV_PLD_GAUSSIAN, 1.0, magnitude(1.0, 30.0), 3);
		list[1] = mechanism_of(DPRIV_PLD_LAPLACE, magnitude(0.01, 0.5), 0.0, 20);
		list[2] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, magnitude(1e-3, 0.1), 1.0, 100);
		list[3] = mechanism_of(DPRIV_PLD_RANDOMIZED_RESPONSE, 0.8 + 0.19 * uniform(), 4.0, 5);
		list[4] = mechanism_of(DPRIV_PLD_SAMPLED_LAPLACE, magnitude(1e-2, 0.5), 1.0, 10);
		list[5] = mechanism_of(DPRIV_PLD_DISCRETE_GAUSSIAN, 1.0, magnitude(1.0, 100.0), 10);
		for (int j = 0; j < 6; j++)
		{
			DprivPldMechanism one = list[j];
			double		epsilon = epsilon_of(&one, 1, delta);

			least = Max(least, epsilon);
			one = list[j];
			parts += epsilon_of(&one, 1, delta / 6.0);
		}
		whole = epsilon_of(list, 6, delta);
		assert_true(whole >= least * (1.0 - LATTICE_ERROR));
		assert_true(whole <= parts * (1.0 + LATTICE_ERROR));
		back = delta_of(list, 6, whole);
		assert_close(back, delta, 1e-2);
	}
}

static void
test_ends(void **state)
{
	DprivPldMechanism list[3];

	(void) state;
	assert_true(dpriv_pld_size() <= 64 * 1000 * 1000);
	assert_true(epsilon_of(list, 0, 0.0) == 0.0);
	assert_true(delta_of(list, 0, 0.0) == 0.0);
	list[0] = mechanism_of(DPRIV_PLD_LAPLACE, 0.1, 0.0, 10);
	assert_true(epsilon_of(list, 1, 0.0) == 1.0);
	assert_true(epsilon_of(list, 1, 1.0) == 0.0);
	assert_true(delta_of(list, 1, 1.0) == 0.0);
	list[0] = mechanism_of(DPRIV_PLD_GAUSSIAN, 1.0, 1.0, 10);
	assert_true(epsilon_of(list, 1, 0.0) == INFINITY);
	assert_true(delta_of(list, 1, INFINITY) == 0.0);
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.1, 0.0, 10);
	assert_true(epsilon_of(list, 1, 1e-5) == INFINITY);
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.0, 0.0, 10);
	assert_true(epsilon_of(list, 1, 1e-5) == 0.0);
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.1, INFINITY, 10);
	assert_true(epsilon_of(list, 1, 0.0) == 0.0);
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.1, 1.0, 0);
	assert_true(epsilon_of(list, 1, 0.0) == 0.0);
	list[0] = mechanism_of(DPRIV_PLD_RANDOMIZED_RESPONSE, 0.0, 3.0, 1);
	assert_true(epsilon_of(list, 1, 0.5) == INFINITY);
	assert_true(delta_of(list, 1, 5.0) == 1.0);
	list[0] = mechanism_of(DPRIV_PLD_RANDOMIZED_RESPONSE, 0.5, 1.0, 1);
	assert_true(epsilon_of(list, 1, 0.0) == 0.0);

	/* (1, 0.1) and (2, 0.2): at 3 what remains are the deltas, 1 - 0.9 * 0.8. */
	list[0] = mechanism_of(DPRIV_PLD_APPROXIMATE, 1.0, 0.1, 1);
	list[1] = mechanism_of(DPRIV_PLD_APPROXIMATE, 2.0, 0.2, 1);
	assert_close(delta_of(list, 2, 3.0), 0.28, 1e-7);
	assert_close(delta_of(list, 2, INFINITY), 0.28, 1e-9);
	assert_true(epsilon_of(list, 2, 0.27) == INFINITY);
	assert_close(epsilon_of(list, 2, 0.28 + 1e-7), 3.0, 1e-6);

	/* Where there is too little noise, too much of it, too many steps: still a bound. */
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.5, 0.01, 3);
	assert_close(epsilon_of(list, 1, 1e-6), dpriv_gaussian_epsilon(sqrt(3.0), 0.01, 1e-6), 1e-9);
	list[0] = mechanism_of(DPRIV_PLD_LAPLACE, 1e5, 0.0, 3);
	assert_close(epsilon_of(list, 1, 1e-6), 3e5, 1e-6);
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 1e-3, 1e6, 3);
	assert_true(epsilon_of(list, 1, 1e-12) < 1e-6);
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.01, 1.0, PG_INT64_MAX);
	assert_true(epsilon_of(list, 1, 1e-6) > 1e10);
	list[0] = mechanism_of(DPRIV_PLD_GAUSSIAN, 1000.0, 1.0, 1);
	list[1] = mechanism_of(DPRIV_PLD_LAPLACE, 1.0, 0.0, 1);
	assert_true(epsilon_of(list, 2, 1e-6) >= dpriv_gaussian_epsilon(1000.0, 1.0, 1e-6));
	assert_true(epsilon_of(list, 2, 1e-6) <= dpriv_gaussian_epsilon(1000.0, 1.0, 5e-7) + 1.001);
	assert_true(delta_of(list, 2, 1e6) < 1e-3);

	/* Smallest deltas. */
	list[0] = mechanism_of(DPRIV_PLD_SAMPLED_GAUSSIAN, 0.01, 1.0, 100);
	assert_true(isfinite(epsilon_of(list, 1, 1e-300)));
	assert_true(epsilon_of(list, 1, 1e-300) <=
				dpriv_dpsgd_epsilon(1.0, 0.01, 100, 1e-300) * (1.0 + 1e-4));
	assert_true(delta_of(list, 1, 500.0) < 1e-250);
	assert_true(delta_of(list, 1, 0.0) > 0.01);
}

/* A list may hold up to its limit, and equal mechanisms count once; the memory for it is bounded. */
static void
test_limits(void **state)
{
	DprivPldMechanism *list = malloc(2 * DPRIV_PLD_MAX_MECHANISMS * sizeof(*list));
	int			n;

	(void) state;
	assert_true(dpriv_pld_size() <= 64000000);
	for (int i = 0; i < 2 * DPRIV_PLD_MAX_MECHANISMS; i++)
		list[i] = mechanism_of(DPRIV_PLD_APPROXIMATE,
							   0.01 + 1e-5 * (i % DPRIV_PLD_MAX_MECHANISMS), 0.0, 1);
	n = dpriv_pld_merge(list, 2 * DPRIV_PLD_MAX_MECHANISMS);
	assert_int_equal(n, DPRIV_PLD_MAX_MECHANISMS);
	assert_int_equal(list[7].count, 2);
	assert_above(dpriv_pld_epsilon(list, n, 1e-6, work), dpriv_pld_epsilon(list, n, 1e-6, work));
	list[0].count = list[1].count = PG_INT64_MAX;
	list[1].parameters[0] = list[0].parameters[0];
	assert_int_equal(dpriv_pld_merge(list, 2), 1);
	assert_true(list[0].count == PG_INT64_MAX);
	free(list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transform),
		cmocka_unit_test(test_one_mechanism),
		cmocka_unit_test(test_by_force),
		cmocka_unit_test(test_optimal),
		cmocka_unit_test(test_gaussians),
		cmocka_unit_test(test_many_sampled),
		cmocka_unit_test(test_below_divergences),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_limits),
	};

	unit_start();
	work = malloc(dpriv_pld_size());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
