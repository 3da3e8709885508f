/*
 * compose_optimal.c
 *	  Optimal composition of equal mechanisms, from binomial probabilities.
 *
 * Probabilities are saddle points with exact corrections, so that a million releases lose no
 * digits; the error that remains is bounded and part of the curve's rise.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/compose.h"
#include "accounting/compose_optimal.h"
#include "accounting/numeric.h"

/* ln n! - ln(sqrt(2 pi n) (n / e)^n), for n >= 1. */
static double
stirling_error(double n)
{
	/* Computed with 40 digits. */
	static const double table[] = {
		0.08106146679532725822, 0.041340695955409294094, 0.027677925684998339149,
		0.020790672103765093112, 0.016644691189821192163, 0.013876128823070747999,
		0.011896709945891770095, 0.010411265261972096497, 0.0092554621827127329177,
		0.0083305634333628712565, 0.007573675487951840795, 0.0069428401072095298657,
		0.0064089941880042070684, 0.0059513701127588477356, 0.005554733551962801371
	};
	double		nn = n * n;

	if (n < lengthof(table) + 1)
		return table[(int) n - 1];
	return (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - (1.0 / 1188.0 -
			691.0 / 360360.0 / nn) / nn) / nn) / nn) / nn) / n;
}

/*
 * x ln(x / mean) + mean - x, where difference = x - mean is known better than the subtraction would
 * give it.  With v = difference / (x + mean), ln(x / mean) = 2 atanh(v).
 */
static double
deviance(double x, double mean, double difference)
{
	double		v = difference / (x + mean);
	double		sum;
	double		term;

	if (fabs(v) >= 0.5)
		return x * log(x / mean) - difference;

	sum = difference * v;
	term = 2.0 * x * v;
	for (int n = 3;; n += 2)
	{
		double		next;

		term *= v * v;
		next = sum + term / n;
		if (next == sum)
			return sum;
		sum = next;
	}
}

/*
 * The logarithm of a probability, as a saddle point and its exact correction: Loader, "Fast and
 * Accurate Computation of Binomial Probabilities" (2000).  Differences of ln k! would lose as many
 * digits as k has.
 *
 * For the same reason i - k q is computed around k / 2 when q is near 1/2: its error is then that
 * of epsilon, not that of q.
 */
static double
binomial_log(const DprivBinomial *binomial, double i)
{
	double		k = binomial->k;
	double		difference;

	if (i == 0.0)
		return binomial->log_none;
	if (i == k)
		return binomial->log_all;
	if (binomial->drift > 0.0)
		difference = (i - k / 2.0) + binomial->drift;
	else
		difference = i - binomial->false_mean;
	return stirling_error(k) - stirling_error(i) - stirling_error(k - i) -
		deviance(i, binomial->false_mean, difference) -
		deviance(k - i, binomial->true_mean, -difference) +
		0.5 * log(k / (2.0 * M_PI * i * (k - i)));
}

/* P[i - 1] / P[i], an upper bound of P[j - 1] / P[j] for all j < i. */
static double
binomial_ratio_below(const DprivBinomial *binomial, double i)
{
	return i / (binomial->k - i + 1.0) / binomial->odds;
}

/* P[i + 1] / P[i], an upper bound of P[j + 1] / P[j] for all j > i. */
static double
binomial_ratio_above(const DprivBinomial *binomial, double i)
{
	return (binomial->k - i) / (i + 1.0) * binomial->odds;
}

double
dpriv_binomial_init(DprivBinomial *binomial, double epsilon, int64 k, double log_tail, int shift)
{
	double		low = 0.0;
	double		high;
	double		ratio;
	double		drift_error;
	double		deviation;

	binomial->k = (double) k;
	binomial->odds = exp(-epsilon);
	binomial->log_none = -binomial->k * log1p(binomial->odds);
	binomial->log_all = binomial->log_none - binomial->k * epsilon;
	binomial->log_scale = shift * DPRIV_LN2;
	binomial->true_mean = binomial->k / (1.0 + binomial->odds);
	if (epsilon < 1.0)
	{
		binomial->drift = binomial->k * tanh(epsilon / 2.0) / 2.0;
		binomial->false_mean = binomial->k / 2.0 - binomial->drift;
		drift_error = 3.0 * DPRIV_HALF_ULP * binomial->drift;
	}
	else
	{
		binomial->drift = 0.0;
		binomial->false_mean = binomial->true_mean * binomial->odds;
		drift_error = 4.0 * DPRIV_HALF_ULP * binomial->false_mean;
	}

	/*
	 * Logarithms down to log_tail are sums of a few terms of their own size; an error of the mean
	 * counts as often as the standard deviations that i is away from it, per standard deviation.
	 * Those that are more standard deviations away than a normal distribution's are so because the
	 * tail is longer, and flatter.
	 */
	deviation = sqrt(binomial->false_mean * binomial->true_mean / binomial->k);
	binomial->error = DPRIV_HALF_ULP * (4.0 * DPRIV_BINOMIAL_STRIDE - 8.0 * log_tail);
	if (deviation > 0.0)
		binomial->error += 2.0 * sqrt(-2.0 * log_tail) * drift_error / Max(deviation, 1.0);

	/* P[i] and the ratio both rise with i, up to the mean. */
	high = floor(binomial->false_mean);
	while (low < high)
	{
		double		middle = ceil((low + high) / 2.0);

		ratio = binomial_ratio_below(binomial, middle);
		if (ratio < 1.0 &&
			binomial_log(binomial, middle) + log(ratio / (1.0 - ratio)) <= log_tail)
			low = middle;
		else
			high = middle - 1.0;
	}

	binomial->i = low;
	binomial->fresh = 0;
	if (low == 0.0)
		return 0.0;
	ratio = binomial_ratio_below(binomial, low);
	return exp(binomial_log(binomial, low) + binomial->log_scale) * (ratio / (1.0 - ratio));
}

double
dpriv_binomial_next(DprivBinomial *binomial)
{
	if (binomial->fresh == 0)
	{
		binomial->mass = exp(binomial_log(binomial, binomial->i) + binomial->log_scale);
		binomial->fresh = DPRIV_BINOMIAL_STRIDE;
	}
	else
		binomial->mass *= binomial_ratio_above(binomial, binomial->i - 1.0);
	binomial->fresh--;
	binomial->i++;
	return binomial->mass;
}

double
dpriv_binomial_left(const DprivBinomial *binomial)
{
	double		ratio = binomial_ratio_above(binomial, binomial->i - 1.0);

	if (binomial->i - 1.0 <= binomial->false_mean || ratio >= 1.0)
		return INFINITY;
	return binomial->mass * (ratio / (1.0 - ratio));
}

double
dpriv_compose_optimal_equal(double epsilon, int64 k, double slack)
{
	DprivLossCurve curve;
	DprivBinomial binomial;
	double		result;
	double		tail = exp(-DPRIV_COMPOSE_TAIL);

	dpriv_loss_curve_init(&curve, slack);
	dpriv_loss_curve_lose(&curve, dpriv_binomial_init(&binomial, epsilon, k,
													  log(slack) - DPRIV_COMPOSE_TAIL,
													  curve.shift));
	curve.fall = -expm1(-2.0 * epsilon);
	curve.rise = 1.0 + binomial.error;

	/* The loss is (k - 2 i) epsilon; below 0 it does not matter. */
	while (2.0 * binomial.i < binomial.k)
	{
		double		loss = (binomial.k - 2.0 * binomial.i) * epsilon;

		if (dpriv_loss_curve_step(&curve, dpriv_binomial_next(&binomial)))
		{
			result = loss + dpriv_loss_curve_solve(&curve);
			return Max(result, 0.0) * DPRIV_ROUND_UP;
		}

		if (binomial.fresh == 0)
		{
			double		left = dpriv_binomial_left(&binomial);

			CHECK_FOR_INTERRUPTS();
			if (left <= curve.slack * tail)
			{
				dpriv_loss_curve_lose(&curve, left);
				result = (binomial.k - 2.0 * binomial.i) * epsilon + dpriv_loss_curve_solve(&curve);
				return Max(result, 0.0) * DPRIV_ROUND_UP;
			}
		}
	}
	return 0.0;
}

DprivGuarantee
dpriv_compose_optimal(double epsilon, double delta, int64 k, double slack)
{
	DprivGuarantee result = dpriv_compose_basic(epsilon, delta, k);

	Assert(k <= DPRIV_COMPOSE_MAX_K);
	Assert(slack >= 0.0 && slack <= 1.0);

	if (k == 0)
		return result;
	if (slack == 1.0)
		result.epsilon = 0.0;
	else if (slack > 0.0 && result.epsilon > 0.0 && !isinf(epsilon))
		result.epsilon = Min(result.epsilon, dpriv_compose_optimal_equal(epsilon, k, slack));
	result.delta = dpriv_compose_total_delta(dpriv_compose_sum_deltas(delta, k, slack),
											 k * log1p(-delta), slack);
	return result;
}
