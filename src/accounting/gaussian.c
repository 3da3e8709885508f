/*
 * gaussian.c
 *	  What Gaussian noise costs, and how much noise a cost buys.
 *
 * With Mills' ratio R, u = eps / mu and v = mu / 2, Balle and Wang's delta is density(u - v) (R(u
 * - v) - R(u + v)), since exp(eps) density(u + v) = density(u - v).  R is completely monotone, so
 * the difference is a series in v of positive terms: no digits cancel, however small delta, mu or
 * epsilon are.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/gaussian.h"
#include "accounting/numeric.h"

/* From here on the sum over the integers is taken from the integral with its first corrections. */
#define SUM_MAX_SIGMA 128.0

/* From here on the difference between integers and real numbers is covered by a bound. */
#define LATTICE_MAX_SIGMA 67108864.0

typedef struct Target
{
	double		sensitivity;
	double		epsilon;
	double		delta;
} Target;

/*
 * R(u - v) - R(u + v) for u, v >= 0 where v <= 1 or v <= u / 2.
 *
 * R(x) is the integral of exp(-t^2 / 2 - x t) over t >= 0, so the difference is 2 (c_1 v + c_3 v^3
 * + ...) with c_n = integral of t^n exp(-t^2 / 2 - u t) / n!, and c_(n-1) = (n + 1) c_(n+1) + u
 * c_n. For small u that recurrence is used forward; else backward from far out (Miller), where it
 * is stable, with the result scaled by c_0 = R(u).
 */
static double
mills_difference(double u, double v)
{
	double		sum = 0.0;

	if (u < 1.5)
	{
		double		before = dpriv_mills(u);
		double		c = 1.0 - u * before;
		double		power = v;

		for (int n = 1; n < 120; n++)
		{
			double		next = (before - u * c) / (n + 1);

			if (n % 2 == 1)
			{
				sum += c * power;
				if (c * power < 1e-18 * sum)
					break;
			}
			before = c;
			c = next;
			power *= v;
		}
		return 2.0 * sum;
	}

	/* d_n = c_n v^n, up to a common factor. */
	{
		double		root = 20.0 / u + 11.0;
		double		ratio = u / v;
		double		square = 1.0 / v / v;
		double		d_after = 0.0;
		double		d = 1e-300;

		if (ratio > 1e60)
		{
			/* Only c_1 counts, and R(u) u = 1 - 1/u^2 + ...: from the fraction's tail. */
			double		fraction = u;

			for (int i = 300; i > 1; i--)
				fraction = u + i / fraction;
			return 2.0 * v * dpriv_mills(u) / fraction;
		}
		for (int n = (int) (0.5 * root * root); n > 0; n--)
		{
			double		d_before = (n + 1) * square * d_after + ratio * d;

			if (n % 2 == 1)
				sum += d;
			d_after = d;
			d = d_before;
			if (d > 1e180)
			{
				d *= 1e-250;
				d_after *= 1e-250;
				sum *= 1e-250;
			}
		}
		return 2.0 * sum / d * dpriv_mills(u);
	}
}

/*
 * density(u - v) (R(u - v) - R(u + v)), and its logarithm.  The relative error is a few units in
 * the last place, and of the logarithm the absolute one up to (u - v)^2 units.
 */
static double
tail_difference(double u, double v, double *logarithm)
{
	double		density = dpriv_exp_half_square(u - v) / DPRIV_SQRT_2PI;
	double		log_density = -0.5 * (u - v) * (u - v) - DPRIV_LOG_SQRT_2PI;
	double		difference;

	if (v == 0 || isinf(u))
	{
		*logarithm = -INFINITY;
		return 0.0;
	}
	if (v > 1.0 && v > 0.5 * u)
	{
		if (u < v)
		{
			double		complement = density * (dpriv_mills(v - u) + dpriv_mills(u + v));

			*logarithm = log1p(-complement);
			return 1.0 - complement;
		}
		difference = dpriv_mills(u - v) - dpriv_mills(u + v);
	}
	else
		difference = mills_difference(u, v);
	*logarithm = log_density + log(difference);
	return density * difference;
}

static double
log_delta(double mu, double epsilon, double *delta)
{
	double		logarithm;

	*delta = tail_difference(epsilon / mu, 0.5 * mu, &logarithm);
	return logarithm;
}

double
dpriv_gaussian_delta(double sensitivity, double sigma, double epsilon)
{
	double		mu = sensitivity / sigma;
	double		delta;

	if (sensitivity == 0 || isinf(epsilon) || (isinf(sigma) && !isinf(sensitivity)))
		return 0.0;
	if (sigma == 0 || isinf(sensitivity) || isinf(mu))
		return 1.0;
	if (mu == 0)
		return epsilon == 0 ? DBL_MIN : 0.0;
	log_delta(mu, epsilon, &delta);

	/* The exponent's square loses digits in proportion. */
	if (delta > 0)
		delta *= DPRIV_ROUND_UP + 0x1p-50 * (epsilon / mu) * (epsilon / mu);
	return Min(delta, 1.0);
}

/*
 * ln delta is concave in epsilon and falls, so Newton's steps from a start that is too large stay
 * too large: every iterate is a valid epsilon.  The start is what zero-concentrated DP gives, mu^2
 * / 2 + mu sqrt(2 ln(1 / delta)).
 */
double
dpriv_gaussian_epsilon(double sensitivity, double sigma, double delta)
{
	double		mu = sensitivity / sigma;
	double		target = log(delta);
	double		epsilon;
	double		unused;
	double		error = 0.0;

	if (sensitivity == 0 || delta >= 1.0 || (isinf(sigma) && !isinf(sensitivity)))
		return 0.0;
	if (sigma == 0 || isinf(sensitivity) || isinf(mu) || delta == 0)
		return INFINITY;
	if (dpriv_gaussian_delta(sensitivity, sigma, 0.0) <= delta)
		return 0.0;
	if (mu == 0)
		return DBL_MIN;
	epsilon = 0.5 * mu * mu + mu * sqrt(-2.0 * target);
	for (int i = 0; i < 100; i++)
	{
		double		u = epsilon / mu;
		double		v = 0.5 * mu;
		double		excess = log_delta(mu, epsilon, &unused) - target;
		double		after = dpriv_mills(u + v);
		double		slope;
		double		step;

		/* d ln(delta) / d epsilon = -R(u + v) / (R(u - v) - R(u + v)) */
		if (v > 1.0 && v > 0.5 * u)
		{
			if (u < v)
			{
				double		density = dpriv_exp_half_square(u - v) / DPRIV_SQRT_2PI;

				slope = density * after / (1.0 - density * (dpriv_mills(v - u) + after));
			}
			else
				slope = after / (dpriv_mills(u - v) - after);
		}
		else
			slope = after / mills_difference(u, v);
		error = (0x1p-46 + 0x1p-50 * (u - v) * (u - v)) / slope;
		step = excess / slope;
		if (!(step < -1e-16 * epsilon))
			break;
		epsilon += step;
		if (!(epsilon > 0))
			return error;
		if (step > -1e-12 * epsilon)
			break;
	}
	return epsilon * DPRIV_ROUND_UP + error;
}

/*
 * ln delta is concave in ln mu and grows, so Newton's steps from a mu that is too small stay too
 * small: every iterate is a valid sigma.  The start is the larger of two bounds: zero-concentrated
 * DP, and delta <= mu / sqrt(2 pi).  d ln(delta) / d ln(mu) = mu / (R(u - v) - R(u + v)).
 */
double
dpriv_gaussian_sigma_for(double sensitivity, double epsilon, double delta)
{
	double		target = log(delta);
	double		mu;

	if (sensitivity == 0 || delta >= 1.0 || (isinf(epsilon) && !isinf(sensitivity)))
		return 0.0;
	if (isinf(sensitivity) || delta == 0)
		return INFINITY;
	mu = 2.0 * epsilon / (sqrt(2.0 * (epsilon - target)) + sqrt(-2.0 * target));
	mu = Max(mu, delta * DPRIV_SQRT_2PI);
	for (int i = 0; i < 100; i++)
	{
		double		u = epsilon / mu;
		double		v = 0.5 * mu;
		double		value;
		double		missing = target - log_delta(mu, epsilon, &value);
		double		slope = mu * dpriv_exp_half_square(u - v) / DPRIV_SQRT_2PI / value;
		double		step;

		/* Far out both are below the smallest float8, and only their ratio is needed. */
		if (!(value > DBL_MIN))
			slope = mu / mills_difference(u, v);
		step = missing / slope;
		if (!(step > 1e-16))
			break;
		mu *= exp(Min(step, 2.0));
		if (step < 1e-9)
			break;
	}
	return dpriv_divide_up(sensitivity, mu) * DPRIV_ROUND_UP;
}

double
dpriv_gaussian_sigma_classic(double sensitivity, double epsilon, double delta)
{
	Assert(epsilon < 1.0);
	if (sensitivity == 0)
		return 0.0;
	return sqrt(2.0 * log(1.25 / delta)) * sensitivity / epsilon * DPRIV_ROUND_UP;
}

double
dpriv_gaussian_epsilon_for(double half_width, double sensitivity, double confidence, double delta)
{
	double		z;

	if (sensitivity == 0 || confidence <= 0 || isinf(half_width) || delta >= 1.0)
		return 0.0;
	if (confidence >= 1.0 || half_width == 0)
		return INFINITY;

	/* Near 0 the tail does not know the confidence: (z - z^3 / 6) sqrt(2 / pi) is below it. */
	if (confidence < 1e-3)
	{
		z = confidence * DPRIV_SQRT_HALF_PI;
		z *= 1.0 + z * z * (1.0 / 6.0 + z * z * (7.0 / 120.0 + z * z * 0.03));
	}
	else
		z = dpriv_normal_quantile(0.5 * (1.0 - confidence));
	return dpriv_gaussian_epsilon(sensitivity, half_width / z * DPRIV_ROUND_DOWN, delta);
}

/*
 * He_n(b) e^-k - He_n(a) for n = 1, 3, 5, given b - a and 1 - e^-k, without cancellation of the
 * leading terms: He_n are Hermite's polynomials, of which the derivatives of the density are made.
 */
static double
hermite_difference(int n, double a, double b, double width, double lost)
{
	double		squares = a * a + a * b + b * b;

	switch (n)
	{
		case 1:
			return width - b * lost;
		case 3:
			return width * (squares - 3.0) - b * (b * b - 3.0) * lost;
		default:
			Assert(n == 5);
			return width * (a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b +
							b * b * b * b - 10.0 * squares + 15.0) -
				b * (b * b * b * b - 10.0 * b * b + 15.0) * lost;
	}
}

/*
 * The sum of H(y) = p(y) - e^eps p(y + D) over the integers y >= first, all terms of which are
 * positive, for large sigma: Euler and Maclaurin's formula up to the fifth derivative.
 */
static double
lattice_tail(double sensitivity, double sigma, double epsilon, double first)
{
	double		a = first / sigma;
	double		width = sensitivity / sigma;
	double		b = a + width;
	double		excess = (first + 0.5 * sensitivity) * sensitivity / (sigma * sigma) - epsilon;
	double		lost = -expm1(-Max(excess, 0.0));
	double		density = dpriv_exp_half_square(a) / DPRIV_SQRT_2PI;
	double		s2 = sigma * sigma;
	double		logarithm;
	double		sum;

	/* The integral: density(a) (R(a) - R(b) + R(b) lost). */
	sum = tail_difference(a + 0.5 * width, 0.5 * width, &logarithm);
	sum += density * dpriv_mills(b) * lost;

	/* Half of the first term; the odd derivatives. */
	sum += 0.5 * density / sigma * lost;
	sum -= density / s2 * hermite_difference(1, a, b, width, lost) / 12.0;
	sum += density / (s2 * s2) * hermite_difference(3, a, b, width, lost) / 720.0;
	sum -= density / (s2 * s2 * s2) * hermite_difference(5, a, b, width, lost) / 30240.0;
	return sum;
}

/*
 * The same where the loss grows so fast from one integer to the next that H is not smooth: term by
 * term until exp(eps - loss) does not count, then the sum of p(y), by Euler and Maclaurin's formula.
 */
static double
lattice_steep(double sensitivity, double sigma, double epsilon, double first)
{
	double		s2 = sigma * sigma;
	double		y = Max(first, -floor(45.0 * sigma));
	double		sum = 0.0;
	double		a;
	double		density;

	for (;; y++)
	{
		double		excess = (y + 0.5 * sensitivity) * sensitivity / s2 - epsilon;

		if (excess > 40.0)
			break;
		sum += dpriv_exp_half_square(y / sigma) * -expm1(-Max(excess, 0.0));
	}
	sum /= sigma * DPRIV_SQRT_2PI;
	a = y / sigma;
	density = dpriv_exp_half_square(a) / DPRIV_SQRT_2PI;
	sum += a < 0 ? 1.0 - density * dpriv_mills(-a) : density * dpriv_mills(a);
	sum += density / sigma * (0.5 + a / (12.0 * sigma) - a * (a * a - 3.0) / (720.0 * sigma * s2));
	return sum;
}

/* The same for small sigma: term by term. */
static double
lattice_sum(double sensitivity, double sigma, double epsilon, double first)
{
	double		reach = 40.0 * sigma + 1.0;
	double		normaliser;
	double		sum = 0.0;

	/* Poisson's formula for the sum of exp(-y^2 / (2 sigma^2)); terms further out do not count. */
	if (sigma >= 1.0)
		normaliser = sigma * DPRIV_SQRT_2PI * (1.0 + 2.0 * exp(-2.0 * M_PI * M_PI * sigma * sigma));
	else
	{
		normaliser = 1.0;
		for (double y = 1.0; y < reach; y++)
			normaliser += 2.0 * dpriv_exp_half_square(y / sigma);
	}
	for (double y = Max(first, -floor(reach)); y <= reach; y++)
	{
		double		loss = (y + 0.5 * sensitivity) * sensitivity / (sigma * sigma);
		double		term = dpriv_exp_half_square(y / sigma) * -expm1(-Max(loss - epsilon, 0.0));

		sum += term;
		if (y > 0 && term < 1e-18 * sum)
			break;
	}
	return sum / normaliser;
}

double
dpriv_discrete_gaussian_delta(double sensitivity, double sigma, double epsilon)
{
	double		u = epsilon * sigma / sensitivity;
	double		first;
	double		delta;

	Assert(sensitivity == floor(sensitivity));
	if (sensitivity == 0 || isinf(epsilon) || (isinf(sigma) && !isinf(sensitivity)))
		return 0.0;
	if (sigma == 0 || isinf(sensitivity))
		return 1.0;

	/* The sum begins this many standard deviations out. */
	if (u - 0.5 * sensitivity / sigma > 45.0)
		return DBL_MIN;
	if (sigma > LATTICE_MAX_SIGMA)
	{
		/*
		 * Below this the sum is exp(-u^2/2) times something smooth on the scale of sigma / u, and
		 * zero at the threshold: the integral is right up to the square of a step on that scale.
		 */
		delta = dpriv_gaussian_delta(sensitivity, sigma, epsilon) *
			(1.0 + (u + 1.0) * (u + 1.0) / (sigma * sigma));
		return Min(delta, 1.0);
	}

	/* The terms are positive above this. */
	first = floor(u * sigma - 0.5 * sensitivity) + 1.0;
	if (sigma > SUM_MAX_SIGMA && sensitivity > 0.125 * sigma * sigma)
		delta = lattice_steep(sensitivity, sigma, epsilon, first);
	else if (sigma > SUM_MAX_SIGMA)
		delta = lattice_tail(sensitivity, sigma, epsilon, first);
	else
		delta = lattice_sum(sensitivity, sigma, epsilon, first);
	delta *= DPRIV_ROUND_UP + 0x1p-50 * u * u;
	return Min(delta, 1.0);
}

static double
discrete_excess(double sigma, const void *argument)
{
	const Target *target = argument;
	double		delta = dpriv_discrete_gaussian_delta(target->sensitivity, sigma,
													  target->epsilon);
	double		excess = fabs(log(delta / target->delta));

	return delta > target->delta ? Max(excess, DBL_MIN) : -excess;
}

/* Where in the given range, in which it falls and then rises, is the excess least? */
static double
lowest_sigma(const Target *target, double low, double high)
{
	const double golden = 0.61803398874989485;
	double		left = high - golden * (high - low);
	double		right = low + golden * (high - low);
	double		at_left = discrete_excess(left, target);
	double		at_right = discrete_excess(right, target);

	while (high - low > 1e-9 * high)
	{
		if (at_left < at_right)
		{
			high = right;
			right = left;
			at_right = at_left;
			left = high - golden * (high - low);
			at_left = discrete_excess(left, target);
		}
		else
		{
			low = left;
			left = right;
			at_left = at_right;
			right = low + golden * (high - low);
			at_right = discrete_excess(right, target);
		}
	}
	return 0.5 * (low + high);
}

/*
 * Along sigma the threshold passes integers.  From one to the next delta falls a last bit, rises
 * and falls again, so its low points are where the threshold is an integer or just above.  First
 * find the first integer at which delta is low enough, which is a matter of order; then look at the
 * low point after the integer before; and then find where before that delta comes down.
 */
double
dpriv_discrete_gaussian_sigma_for(double sensitivity, double epsilon, double delta)
{
	Target		target = {sensitivity, epsilon, delta};
	double		enough = dpriv_gaussian_sigma_for(sensitivity, epsilon, delta);
	double		too_little = 0.5 * enough;
	double		low;			/* thresholds, integers */
	double		high;
	double		scale = sensitivity / epsilon;	/* sigma^2 = (threshold + D / 2) scale */
	double		lowest;

	if (!(enough > 0) || isinf(enough))
		return enough;
	while (discrete_excess(enough, &target) > 0)
		enough *= 1.25;
	while (discrete_excess(too_little, &target) <= 0)
		too_little *= 0.5;
	if (epsilon == 0 || enough > SUM_MAX_SIGMA)
		return dpriv_root(discrete_excess, &target, enough, too_little);

	/* Without noise delta is 1. */
	too_little = 0.0;
	low = ceil(-0.5 * sensitivity) - 1.0;
	high = floor(enough * enough / scale - 0.5 * sensitivity) + 1.0;
	while (high - low > 1.0)
	{
		double		middle = floor(0.5 * (low + high));
		double		sigma = sqrt((middle + 0.5 * sensitivity) * scale);

		/* Beyond 2^53 not every integer is a float8. */
		if (middle <= low || middle >= high)
			break;
		if (sigma > too_little && (sigma >= enough || discrete_excess(sigma, &target) <= 0))
		{
			high = middle;
			enough = Min(enough, sigma);
		}
		else
		{
			low = middle;
			too_little = Max(too_little, sigma);
		}
	}

	/* Of the low points, only that of the last integer may have been passed over. */
	lowest = lowest_sigma(&target, too_little, too_little + 0.4 * (enough - too_little));
	if (discrete_excess(lowest, &target) <= 0)
		enough = lowest;
	return dpriv_root(discrete_excess, &target, enough, too_little);
}
