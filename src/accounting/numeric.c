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

double
dpriv_minimum(DprivRealFunction function, const void *argument, double start,
			  double least, double greatest)
{
	const double golden = 0.38196601125010515;
	double		low = log(least);
	double		high = log(greatest);
	double		x = Min(Max(log(start), low), high);
	double		at_x = function(exp(x), argument);
	double		second;
	double		third;
	double		at_second;
	double		at_third;
	double		step = 0.0;
	double		step_before = 0.0;

	/* A bracket: walk downhill, with growing steps, until the function rises again. */
	for (int direction = -1; direction <= 1; direction += 2)
	{
		double		width = 0.25;

		for (;;)
		{
			double		next = Min(Max(x + direction * width, low), high);
			double		at_next;

			CHECK_FOR_INTERRUPTS();
			if (next == x)
				break;
			at_next = function(exp(next), argument);
			if (!(at_next < at_x) && !(isinf(at_x) && isinf(at_next)))
			{
				if (direction < 0)
					low = next;
				else
					high = next;
				break;
			}
			if (direction < 0)
				high = x;
			else
				low = x;
			x = next;
			at_x = at_next;
			width *= 2.0;
		}
	}

	/* Brent: parabolas through the three lowest points, golden sections where those do not help. */
	second = third = x;
	at_second = at_third = at_x;
	for (int i = 0; i < 100; i++)
	{
		double		middle = 0.5 * (low + high);
		double		tolerance = 0.5e-8;
		double		next;
		double		at_next;
		bool		parabola = false;

		CHECK_FOR_INTERRUPTS();
		if (fabs(x - middle) <= 2.0 * tolerance - 0.5 * (high - low))
			break;
		if (fabs(step_before) > tolerance && isfinite(at_second) && isfinite(at_third))
		{
			double		r = (x - second) * (at_x - at_third);
			double		q = (x - third) * (at_x - at_second);
			double		p = (x - third) * q - (x - second) * r;
			double		denominator = 2.0 * (q - r);
			double		move = denominator == 0 ? 0 : -p / denominator;

			if (denominator != 0 && fabs(move) < fabs(0.5 * step_before) &&
				x + move > low && x + move < high)
			{
				step_before = step;
				step = move;
				parabola = true;
			}
		}
		if (!parabola)
		{
			step_before = x < middle ? high - x : low - x;
			step = golden * step_before;
		}
		if (fabs(step) < tolerance)
			step = x < middle ? tolerance : -tolerance;
		next = x + step;
		at_next = function(exp(next), argument);
		if (at_next <= at_x)
		{
			if (next < x)
				high = x;
			else
				low = x;
			third = second;
			at_third = at_second;
			second = x;
			at_second = at_x;
			x = next;
			at_x = at_next;
		}
		else
		{
			if (next < x)
				low = next;
			else
				high = next;
			if (at_next <= at_second || second == x)
			{
				third = second;
				at_third = at_second;
				second = next;
				at_second = at_next;
			}
			else if (at_next <= at_third || third == x || third == second)
			{
				third = next;
				at_third = at_next;
			}
		}
	}
	return exp(x);
}
