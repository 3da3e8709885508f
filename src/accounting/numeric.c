/*
 * numeric.c
 *	  Functions that keep their digits where the textbook form loses them, and rounding upward.
 *
 * No function here subtracts numbers that nearly agree: what would cancel is a series of terms of
 * one sign, or computed with expm1 and log1p.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/numeric.h"

double
dpriv_divide_up(double a, double b)
{
	double		quotient = a / b;

	Assert(b > 0);
	if (isinf(b) || !isfinite(quotient) || fma(-quotient, b, a) <= 0)
		return quotient;
	return nextafter(quotient, INFINITY);
}

double
dpriv_exp_half_square(double x)
{
	double		square = x * x;

	if (!(square < 2000.0))
		return 0.0;
	return exp(-0.5 * square) * (1.0 - 0.5 * fma(x, x, -square));
}

/*
 * Near zero from the complementary error function, farther out Laplace's continued fraction 1 / (x
 * + 1 / (x + 2 / (x + 3 / ...))), which needs few terms there.
 */
double
dpriv_mills(double x)
{
	double		fraction;

	Assert(x >= 0);
	if (x < 5.0)
	{
		double		square = x * x;

		return DPRIV_SQRT_HALF_PI * exp(0.5 * square) * (1.0 + 0.5 * fma(x, x, -square)) *
			erfc(x * M_SQRT1_2);
	}
	fraction = x;
	for (int i = 40; i > 0; i--)
		fraction = x + i / fraction;
	return 1.0 / fraction;
}

/*
 * Newton's method on the logarithm of the tail, which is concave: from a start that is too far out
 * all steps go inward.
 */
double
dpriv_normal_quantile(double tail)
{
	double		log_tail = log(tail);
	double		x = sqrt(-2.0 * (log_tail + DPRIV_LN2));

	Assert(tail > 0 && tail <= 0.5);
	for (int i = 0; i < 60; i++)
	{
		double		mills = dpriv_mills(x);
		double		step = (-0.5 * x * x - DPRIV_LOG_SQRT_2PI + log(mills) - log_tail) * mills;

		x += step;
		if (!(fabs(step) > 1e-15 * x) || x <= 0)
			break;
	}
	return Max(x, 0.0);
}

double
dpriv_exp_remainder(double x)
{
	double		term = 0.5;
	double		sum = 0.5;

	if (fabs(x) >= 1.0)
	{
		if (isinf(x))
			return x > 0 ? INFINITY : 0.0;
		return (expm1(x) - x) / x / x;
	}
	for (int n = 3; fabs(term) > 1e-17; n++)
	{
		term *= x / n;
		sum += term;
	}
	return sum;
}

double
dpriv_log_remainder(double x)
{
	double		power = 1.0;
	double		sum = 0.5;

	if (fabs(x) >= 0.25)
		return (x - log1p(x)) / x / x;
	for (int n = 3; fabs(power) > 1e-17; n++)
	{
		power *= -x;
		sum += power / n;
	}
	return sum;
}

double
dpriv_power_gap(double d, double alpha)
{
	double		s = alpha - 1.0;
	double		log_ratio;

	Assert(alpha >= 1.0);
	if (d <= -1.0)
		return 1.0;

	/* Binomial series: alpha d^2 (1/2 + (alpha - 2) d / 6 + ...). */
	if (fabs(d) * Max(alpha, 2.0) < 0.1)
	{
		double		term = 0.5;
		double		sum = 0.5;

		for (int k = 2; fabs(term) > 1e-17 && k < 40; k++)
		{
			term *= (alpha - k) * d / (k + 1);
			sum += term;
		}
		return alpha * d * d * sum;
	}
	log_ratio = log1p(d);
	if (s * fabs(log_ratio) < 1e-300)
		return (1.0 + d) * log_ratio - d;
	return (1.0 + d) * (expm1(s * log_ratio) / s) - d;
}

double
dpriv_renyi_from_gap(double gap, double alpha)
{
	double		s = alpha - 1.0;

	if (s * gap < 1e-300)
		return gap;
	return log1p(s * gap) / s;
}

double
dpriv_root(DprivRealFunction function, const void *argument, double safe, double other)
{
	double		at_safe = function(safe, argument);
	double		at_other = function(other, argument);
	bool		positive = at_safe > 0;

	for (int i = 0; i < 200 && at_safe != 0; i++)
	{
		double		middle = 0.5 * (safe + other);
		double		at_middle;
		double		next;
		double		at_next;

		CHECK_FOR_INTERRUPTS();
		if (middle == safe || middle == other || fabs(other - safe) <= 1e-15 * fabs(middle))
			break;
		at_middle = function(middle, argument);

		/* Ridders' point, between the middle and one of the ends. */
		next = middle;
		at_next = at_middle;
		if (isfinite(at_safe) && isfinite(at_other) && isfinite(at_middle) && at_middle != 0)
		{
			double		root = sqrt(at_middle * at_middle - at_safe * at_other);

			if (root > 0)
				next = middle + (middle - safe) * (positive ? 1.0 : -1.0) * at_middle / root;
			if (next == middle || !(next > Min(safe, other) && next < Max(safe, other)))
				next = middle;
			else
				at_next = function(next, argument);
		}

		/* The smallest bracket that the four points give. */
		if (at_middle == 0 || (at_middle > 0) == positive)
		{
			safe = middle;
			at_safe = at_middle;
		}
		else
		{
			other = middle;
			at_other = at_middle;
		}
		if (next != middle && next > Min(safe, other) && next < Max(safe, other))
		{
			if (at_next == 0 || (at_next > 0) == positive)
			{
				safe = next;
				at_safe = at_next;
			}
			else
			{
				other = next;
				at_other = at_next;
			}
		}
	}
	return safe;
}

/*
 * A minimum that is being looked for, by the logarithm x of the function's argument.
 */
typedef struct Search
{
	DprivRealFunction function;
	const void *argument;
	double		low;			/* the minimum is between */
	double		high;
	double		x;				/* the lowest point so far, and the next two */
	double		second;
	double		third;
	double		at_x;			/* the function there */
	double		at_second;
	double		at_third;
	double		step;			/* the last one, and the one before */
	double		step_before;
} Search;

static double
at(const Search *search, double x)
{
	return search->function(exp(x), search->argument);
}

/* Walk downhill in one direction, with growing steps, until the function rises again. */
static void
walk(Search *search, int direction)
{
	double		width = 0.25;

	for (;;)
	{
		double		next = Min(Max(search->x + direction * width, search->low), search->high);
		double		at_next;

		CHECK_FOR_INTERRUPTS();
		if (next == search->x)
			return;
		at_next = at(search, next);
		if (!(at_next < search->at_x) && !(isinf(search->at_x) && isinf(at_next)))
		{
			if (direction < 0)
				search->low = next;
			else
				search->high = next;
			return;
		}
		if (direction < 0)
			search->high = search->x;
		else
			search->low = search->x;
		search->x = next;
		search->at_x = at_next;
		width *= 2.0;
	}
}

/* A step to the lowest point of the parabola through the three points; false if it is no help. */
static bool
parabolic_step(Search *search)
{
	double		x = search->x;
	double		r = (x - search->second) * (search->at_x - search->at_third);
	double		q = (x - search->third) * (search->at_x - search->at_second);
	double		p = (x - search->third) * q - (x - search->second) * r;
	double		denominator = 2.0 * (q - r);
	double		move = denominator == 0 ? 0 : -p / denominator;

	if (denominator == 0 || !(fabs(move) < fabs(0.5 * search->step_before)) ||
		!(x + move > search->low) || !(x + move < search->high))
		return false;
	search->step_before = search->step;
	search->step = move;
	return true;
}

/* Go to the next point, and keep the three lowest in order. */
static void
visit(Search *search, double next)
{
	double		at_next = at(search, next);
	bool		is_lowest = at_next <= search->at_x;

	if (is_lowest == (next < search->x))
		search->high = is_lowest ? search->x : next;
	else
		search->low = is_lowest ? search->x : next;
	if (is_lowest || at_next <= search->at_second || search->second == search->x)
	{
		search->third = search->second;
		search->at_third = search->at_second;
		search->second = is_lowest ? search->x : next;
		search->at_second = is_lowest ? search->at_x : at_next;
	}
	else if (at_next <= search->at_third || search->third == search->x ||
			 search->third == search->second)
	{
		search->third = next;
		search->at_third = at_next;
	}
	if (is_lowest)
	{
		search->x = next;
		search->at_x = at_next;
	}
}

/* Brent: parabolas through the three lowest points, golden sections where those do not help. */
double
dpriv_minimum(DprivRealFunction function, const void *argument, double start,
			  double least, double greatest)
{
	const double golden = 0.38196601125010515;
	const double tolerance = 0.5e-8;
	Search		search = {
		.function = function, .argument = argument, .low = log(least), .high = log(greatest)
	};

	search.x = Min(Max(log(start), search.low), search.high);
	search.at_x = at(&search, search.x);
	walk(&search, -1);
	walk(&search, 1);
	search.second = search.third = search.x;
	search.at_second = search.at_third = search.at_x;
	for (int i = 0; i < 100; i++)
	{
		double		middle = 0.5 * (search.low + search.high);

		CHECK_FOR_INTERRUPTS();
		if (fabs(search.x - middle) <= 2.0 * tolerance - 0.5 * (search.high - search.low))
			break;
		if (!(fabs(search.step_before) > tolerance && isfinite(search.at_second) &&
			  isfinite(search.at_third) && parabolic_step(&search)))
		{
			search.step_before = (search.x < middle ? search.high : search.low) - search.x;
			search.step = golden * search.step_before;
		}
		if (fabs(search.step) < tolerance)
			search.step = search.x < middle ? tolerance : -tolerance;
		visit(&search, search.x + search.step);
	}
	return exp(search.x);
}
