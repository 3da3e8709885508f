/*
 * avg.c
 *	  Clipped means.
 *
 * joint: with u = q(x) - q(lower) in 0..M, the pair A = sum u, B = sum (M - u) has L1 sensitivity
 * exactly M, since every row adds u + (M - u) = M to it.  Both get noise of scale M / epsilon, and
 * the mean is lower + (upper - lower) A / (A + B).
 *
 * split: half of epsilon on the clipped sum, half on the count, and their quotient (Near, Abuah,
 * Programming Differential Privacy, chapter 5).
 */
#include "postgres.h"

#include <math.h>

#include "config.h"
#include "mechanism/kinds.h"

static bool
is_split(const DprivMeasure *measure)
{
	return measure->nsamplers == 2;
}

/* The method is read once, here, and lives on in the number of samplers. */
void
dpriv_avg_prepare(DprivMeasure *measure)
{
	bool		split = dpriv_setting_avg_method == DPRIV_AVG_SPLIT;
	double		epsilon = dpriv_epsilon_to_double(measure->epsilon.noise);
	double		magnitude;

	if (split)
		magnitude = 2.0 * Max(fabs(measure->lower), fabs(measure->upper));
	else
		magnitude = measure->upper - measure->lower;
	measure->grid = dpriv_grid_choose(measure->lower, measure->upper, magnitude, epsilon,
									  measure->integral);
	measure->parameter = dpriv_grid_datum(&measure->grid);
	measure->ncomponents = 2;
	if (split)
	{
		measure->nsamplers = 2;
		measure->sensitivity[0] = dpriv_grid_largest(&measure->grid);
		measure->sensitivity[1] = 1;
		measure->share[0] = measure->share[1] = measure->epsilon.noise / 2;
	}
	else
	{
		measure->nsamplers = 1;
		measure->sensitivity[0] = measure->grid.upper - measure->grid.lower;
		measure->share[0] = measure->epsilon.noise;
	}
}

void
dpriv_avg_components(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	int128		sum;
	int64		count;

	dpriv_exact_sum_parts(exact, isnull, &sum, &count);
	if (is_split(measure))
	{
		component[0] = sum;
		component[1] = count;
	}
	else
	{
		component[0] = sum - (int128) count * measure->grid.lower;
		component[1] = (int128) count * measure->grid.upper - sum;
	}
}

static double
clamp(double x, double lower, double upper)
{
	return Min(Max(x, lower), upper);
}

/* Without a positive (noisy) number of rows the middle of the range is as good an answer as any. */
Datum
dpriv_avg_answer(const DprivMeasure *measure, const int128 *component)
{
	double		lower = measure->lower;
	double		upper = measure->upper;
	double		mean;

	if (is_split(measure))
	{
		if (component[1] <= 0)
			mean = lower + (upper - lower) / 2;
		else
			mean = ldexp((double) component[0], measure->grid.exponent) / (double) component[1];
	}
	else
	{
		int128		total = component[0] + component[1];

		if (total <= 0)
			mean = lower + (upper - lower) / 2;
		else
			mean = lower + (upper - lower) * ((double) component[0] / (double) total);
	}
	return Float8GetDatum(clamp(mean, lower, upper));
}

/*
 * joint: with p = A / (A + B) exact and p' from the noisy pair,
 *
 *		p' - p = ((1 - p) Z_A - p Z_B) / (A' + B'),
 *
 * so the half-width for a known p is a quantile of the weighted sum of two Laplace variables.  It
 * grows with |p - 1/2|.  The widest one (p = 0 or 1) gives an interval for p; the widest within
 * that interval is used, so that the coverage holds for every p.
 *
 * split: |S'/n' - S/n| <= (|Z_S| + |S/n| |Z_n|) / n', each at half of the failure probability.
 */
double
dpriv_avg_half_width(const DprivMeasure *measure, const int128 *component, double confidence)
{
	double		lower = measure->lower;
	double		upper = measure->upper;
	double		range = upper - lower;

	if (is_split(measure))
	{
		double		each = 1.0 - (1.0 - confidence) / 2;
		double		sum_error = dpriv_measure_noise_half_width(measure, 0, each);
		double		count_error = dpriv_measure_noise_half_width(measure, 1, each);
		double		error;

		if (component[1] <= 0)
			return range / 2;
		error = ldexp(sum_error, measure->grid.exponent) +
			Max(fabs(lower), fabs(upper)) * count_error;
		return Min(error / (double) component[1], range);
	}
	else
	{
		double		total = (double) (component[0] + component[1]);
		double		p;
		double		widest;
		double		farthest;

		if (total <= 0)
			return range / 2;
		p = (double) component[0] / total;
		widest = dpriv_measure_mix_half_width(measure, 0, 0.0, confidence) / total;
		farthest = clamp(Max(fabs(p - widest - 0.5), fabs(p + widest - 0.5)), 0.0, 0.5);
		return range *
			Min(dpriv_measure_mix_half_width(measure, 0, 0.5 + farthest, confidence) / total,
				1.0);
	}
}
