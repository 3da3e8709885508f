/*
 * compose.c
 *	  What several releases cost together, when each of them is (epsilon, delta)-private.
 *
 * The worst mechanism that is epsilon-private is randomised response (Kairouz, Oh, Viswanath, "The
 * Composition Theorem for Differential Privacy", 2015): its privacy loss is epsilon with
 * probability p = e^epsilon / (1 + e^epsilon) and -epsilon with probability q = 1 - p.  Optimal
 * composition is the distribution of the sum of such losses, and its curve
 *
 *	  delta(E) = sum of P[loss = L] (1 - e^(E - L)) over all L > E,
 *
 * inverted at delta = slack.  The curve is built from the largest loss downwards, where every term
 * is positive, so nothing cancels.
 *
 * The invariant of everything approximate here: a computed probability is never below the true one,
 * once multiplied by the curve's "rise"; mass that is cut off is moved to an infinite loss.  Both
 * can only raise the curve, so the epsilon found is not below the true one.
 */
#include "server.h"

#include <float.h>
#include <math.h>

#include "accounting/compose.h"
#include "accounting/decimal.h"
#include "accounting/epsilon.h"
#include "accounting/numeric.h"

/* Half a unit in the last place of 1: the relative error of one operation. */
#define ROUNDING (DBL_EPSILON / 2.0)

/* Mass below slack times e^-TAIL, about 1e-25, is moved to an infinite loss. */
#define TAIL 58.0

/* An epsilon as the ledger counts it, or, where the ledger takes none such, as it was written. */
static void
add_epsilon(DprivDecimalSum *sum, double epsilon, int64 times)
{
	DprivEpsilon units;

	if (dpriv_epsilon_from_double(epsilon, &units))
	{
		DprivDecimal charge = {(uint64) units.charge, -12};

		dpriv_decimal_sum_add_decimal(sum, charge, times);
	}
	else
		dpriv_decimal_sum_add(sum, epsilon, times);
}

/* k delta + slack, at most 1. */
static double
sum_deltas(double delta, int64 k, double slack)
{
	DprivDecimalSum sum;

	dpriv_decimal_sum_init(&sum);
	dpriv_decimal_sum_add(&sum, delta, k);
	dpriv_decimal_sum_add(&sum, slack, 1);
	return Min(dpriv_decimal_sum_up(&sum), 1.0);
}

/*
 * 1 - (1 - slack) times the product of all 1 - delta, whose logarithm is log_keep.  Not above the
 * sum, which is what remains of it when all are small.
 */
static double
total_delta(double sum, double log_keep, double slack)
{
	/* In this order: for equal zeros the second one counts, which has no sign. */
	return Min(-expm1(log_keep + log1p(-slack)) * DPRIV_ROUND_UP, sum);
}

DprivGuarantee
dpriv_compose_basic(double epsilon, double delta, int64 k)
{
	DprivDecimalSum sum;
	DprivGuarantee result;

	Assert(epsilon >= 0.0 && delta >= 0.0 && delta <= 1.0 && k >= 0);

	dpriv_decimal_sum_init(&sum);
	add_epsilon(&sum, epsilon, k);
	result.epsilon = dpriv_decimal_sum_up(&sum);
	result.delta = sum_deltas(delta, k, 0.0);
	return result;
}

DprivGuarantee
dpriv_compose_basic_list(const double *epsilons, const double *deltas, int n)
{
	DprivDecimalSum epsilon;
	DprivDecimalSum delta;
	DprivGuarantee result;

	dpriv_decimal_sum_init(&epsilon);
	dpriv_decimal_sum_init(&delta);
	for (int i = 0; i < n; i++)
	{
		Assert(epsilons[i] >= 0.0 && deltas[i] >= 0.0 && deltas[i] <= 1.0);
		add_epsilon(&epsilon, epsilons[i], 1);
		dpriv_decimal_sum_add(&delta, deltas[i], 1);
		CHECK_FOR_INTERRUPTS();
	}
	result.epsilon = dpriv_decimal_sum_up(&epsilon);
	result.delta = Min(dpriv_decimal_sum_up(&delta), 1.0);
	return result;
}

DprivGuarantee
dpriv_compose_dwork_roth(double epsilon, double delta, int64 k, double slack)
{
	DprivGuarantee result = {0.0, 0.0};

	Assert(epsilon >= 0.0 && delta >= 0.0 && delta <= 1.0 && k >= 0);
	Assert(slack >= 0.0 && slack <= 1.0);

	if (k == 0)
		return result;
	if (isinf(epsilon))
		result.epsilon = INFINITY;
	else if (epsilon > 0.0)
		result.epsilon = (sqrt(-2.0 * k * log(slack)) * epsilon +
						  k * epsilon * expm1(epsilon)) * DPRIV_ROUND_UP;
	result.delta = sum_deltas(delta, k, slack);
	return result;
}

/*
 * A rounding error here lets in arguments at which the form is too low by as little; rounding it up
 * covers that.
 */
bool
dpriv_compose_book_holds(double epsilon, int64 k, double slack)
{
	Assert(epsilon >= 0.0 && k >= 0 && slack >= 0.0 && slack <= 1.0);

	return k == 0 || expm1(epsilon) <= sqrt(-2.0 * log(slack) / k);
}

DprivGuarantee
dpriv_compose_book(double epsilon, double delta, int64 k, double slack)
{
	DprivGuarantee result = {0.0, 0.0};

	Assert(delta >= 0.0 && delta <= 1.0);
	Assert(dpriv_compose_book_holds(epsilon, k, slack));

	if (k == 0)
		return result;
	if (epsilon > 0.0)
		result.epsilon = 2.0 * epsilon * sqrt(-2.0 * k * log(slack)) * DPRIV_ROUND_UP;
	result.delta = sum_deltas(delta, k, slack);
	return result;
}

/*
 * The privacy curve of losses on a lattice, read from the largest one downwards.
 *
 * At each point of the lattice, delta is the curve's height there and tilted the sum of P[loss = L]
 * e^(point - L) over the losses above.  Both are kept as sums of two float8, so that ten million
 * steps lose nothing.  Probabilities are scaled by 2^shift, which puts slack near 1: then none that
 * matters underflows.
 */
typedef struct Curve
{
	double		fall;			/* 1 - e^-step, for losses one step apart */
	double		rise;			/* 1 + the largest relative error of probabilities */
	double		slack;			/* scaled */
	int			shift;
	double		delta;
	double		delta_low;
	double		tilted;
	double		tilted_low;
} Curve;

static void
curve_init(Curve *curve, double slack)
{
	memset(curve, 0, sizeof(*curve));
	frexp(slack, &curve->shift);
	curve->shift = Min(-curve->shift, 1000);
	curve->slack = ldexp(slack, curve->shift);
}

/* Move mass to an infinite loss. */
static void
curve_lose(Curve *curve, double mass)
{
	curve->delta += mass;
}

/* Add x to *high + *low, exactly but for the rounding of *low (Knuth's TwoSum). */
static inline void
add_twofold(double *high, double *low, double x)
{
	double		sum = *high + x;
	double		part = sum - *high;

	*low += (*high - (sum - part)) + (x - part);
	*high = sum;
}

/*
 * Take the mass at the current point and go one step down, unless the curve reaches slack before
 * the next point: then true, and curve_solve() says where.
 *
 * With P the mass here, tilted' = e^-step (tilted + P), and delta' = delta + (1 - e^-step) (tilted
 * + P).
 */
static inline bool
curve_step(Curve *curve, double mass)
{
	double		drop;

	add_twofold(&curve->tilted, &curve->tilted_low, mass);
	drop = curve->fall * (curve->tilted + curve->tilted_low);
	if ((curve->delta + curve->delta_low + drop) * curve->rise > curve->slack)
		return true;
	add_twofold(&curve->delta, &curve->delta_low, drop);
	add_twofold(&curve->tilted, &curve->tilted_low, -drop);
	return false;
}

/*
 * Where the curve is at slack, as the difference to the current point, if there is no mass in
 * between: delta + tilted (1 - e^x) = slack for x <= 0.  It may never get there; then -Infinity.
 */
static double
curve_solve(const Curve *curve)
{
	double		missing = curve->slack - (curve->delta + curve->delta_low) * curve->rise;
	double		available = (curve->tilted + curve->tilted_low) * curve->rise;

	/* By a rounding error of its sums, the curve may be above slack already. */
	missing = Max(missing, 0.0);
	return missing < available ? log1p(-missing / available) : -INFINITY;
}

/*
 * The probabilities of i out of k responses being false, in ascending order of i, each scaled by
 * e^log_scale.
 *
 * Every STRIDE-th is computed by itself, the others from their neighbours.
 */
#define STRIDE 32

typedef struct Binomial
{
	double		k;
	double		odds;			/* q / p = e^-epsilon */
	double		false_mean;		/* k q */
	double		true_mean;		/* k p */
	double		drift;			/* k / 2 - k q, if used */
	double		log_none;		/* of the probability of i = 0 */
	double		log_all;		/* of i = k */
	double		log_scale;
	double		error;			/* relative, of any probability that matters */
	double		i;				/* the next */
	double		mass;			/* of the one before it */
	int			fresh;			/* left to compute from neighbours */
} Binomial;

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
binomial_log(const Binomial *binomial, double i)
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
binomial_ratio_below(const Binomial *binomial, double i)
{
	return i / (binomial->k - i + 1.0) / binomial->odds;
}

/* P[i + 1] / P[i], an upper bound of P[j + 1] / P[j] for all j > i. */
static double
binomial_ratio_above(const Binomial *binomial, double i)
{
	return (binomial->k - i) / (i + 1.0) * binomial->odds;
}

/*
 * The first i that matters: everything below it has, together, a probability of at most e^log_tail.
 * Returns that probability, scaled; what can be is 0.
 */
static double
binomial_init(Binomial *binomial, double epsilon, int64 k, double log_tail, int shift)
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
		drift_error = 3.0 * ROUNDING * binomial->drift;
	}
	else
	{
		binomial->drift = 0.0;
		binomial->false_mean = binomial->true_mean * binomial->odds;
		drift_error = 4.0 * ROUNDING * binomial->false_mean;
	}

	/*
	 * Logarithms down to log_tail are sums of a few terms of their own size; an error of the mean
	 * counts as often as the standard deviations that i is away from it, per standard deviation.
	 * Those that are more standard deviations away than a normal distribution's are so because the
	 * tail is longer, and flatter.
	 */
	deviation = sqrt(binomial->false_mean * binomial->true_mean / binomial->k);
	binomial->error = ROUNDING * (4.0 * STRIDE - 8.0 * log_tail);
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

/* The probability of the next i. */
static inline double
binomial_next(Binomial *binomial)
{
	if (binomial->fresh == 0)
	{
		binomial->mass = exp(binomial_log(binomial, binomial->i) + binomial->log_scale);
		binomial->fresh = STRIDE;
	}
	else
		binomial->mass *= binomial_ratio_above(binomial, binomial->i - 1.0);
	binomial->fresh--;
	binomial->i++;
	return binomial->mass;
}

/* An upper bound of all that is left after the last i returned; Infinity up to the mean. */
static double
binomial_left(const Binomial *binomial)
{
	double		ratio = binomial_ratio_above(binomial, binomial->i - 1.0);

	if (binomial->i - 1.0 <= binomial->false_mean || ratio >= 1.0)
		return INFINITY;
	return binomial->mass * (ratio / (1.0 - ratio));
}

/* The optimal epsilon for k equal ones, 0 < epsilon < Infinity, k > 0, 0 < slack < 1. */
static double
optimal_equal(double epsilon, int64 k, double slack)
{
	Curve		curve;
	Binomial	binomial;
	double		result;
	double		tail = exp(-TAIL);

	curve_init(&curve, slack);
	curve_lose(&curve, binomial_init(&binomial, epsilon, k, log(slack) - TAIL, curve.shift));
	curve.fall = -expm1(-2.0 * epsilon);
	curve.rise = 1.0 + binomial.error;

	/* The loss is (k - 2 i) epsilon; below 0 it does not matter. */
	while (2.0 * binomial.i < binomial.k)
	{
		double		loss = (binomial.k - 2.0 * binomial.i) * epsilon;

		if (curve_step(&curve, binomial_next(&binomial)))
		{
			result = loss + curve_solve(&curve);
			return Max(result, 0.0) * DPRIV_ROUND_UP;
		}

		if (binomial.fresh == 0)
		{
			double		left = binomial_left(&binomial);

			CHECK_FOR_INTERRUPTS();
			if (left <= curve.slack * tail)
			{
				curve_lose(&curve, left);
				result = (binomial.k - 2.0 * binomial.i) * epsilon + curve_solve(&curve);
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
		result.epsilon = Min(result.epsilon, optimal_equal(epsilon, k, slack));
	result.delta = total_delta(sum_deltas(delta, k, slack), k * log1p(-delta), slack);
	return result;
}

/*
 * Work on lists: two buffers for distributions, the mass points of one group of equal epsilons, and
 * the epsilons, sorted.
 */
#define GRID_POINTS (1 << 18)

/* Multiplications per list: some 0.3 s. */
#define BUDGET 3e8

typedef struct Point
{
	int64		offset;			/* in steps of the grid */
	double		mass;
} Point;

typedef struct List
{
	double	   *epsilons;		/* not 0, finite, ascending */
	int			n;
	int			groups;			/* of equal ones */
	double		total;			/* their sum, not below it */
	double		slack;
	double		step;			/* of the grid */
	bool		lattice;		/* is every 2 epsilon a multiple of step? */
	double	   *current;
	double	   *next;
	Point	   *points;
} List;

size_t
dpriv_compose_optimal_list_size(int n)
{
	return GRID_POINTS * (2 * sizeof(double) + sizeof(Point)) + (size_t) n * sizeof(double);
}

static int
compare_doubles(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The number of epsilons equal to the i-th, from there on. */
static int
count_equal(const List *list, int i)
{
	int			n = 1;

	while (i + n < list->n && list->epsilons[i + n] == list->epsilons[i])
		n++;
	return n;
}

/*
 * Kairouz, Oh, Viswanath (2015), theorem 3.5.  With m the mean and v the sum of squares: by
 * Hoeffding, P[loss > m + t] <= e^(-t^2 / 2v), and what counts of it is, beyond m + t, at most its
 * integral, v / t times as much.
 */
static double
closed_form(const List *list)
{
	double		mean = 0.0;
	double		squares = 0.0;
	double		logarithm;

	for (int i = 0; i < list->n; i++)
	{
		mean += list->epsilons[i] * tanh(list->epsilons[i] / 2.0);
		squares += list->epsilons[i] * list->epsilons[i];
	}
	logarithm = Min(-log(list->slack), log(M_E + sqrt(squares) / list->slack));
	return (mean + sqrt(2.0 * squares * logarithm)) * (1.0 + 2.0 * list->n * ROUNDING) *
		DPRIV_ROUND_UP;
}

/*
 * An epsilon from the moments of the loss, for any order s > 0: since (1 - e^-x) <= e^(s x) s^s /
 * (1 + s)^(1 + s) for x >= 0,
 *
 *	  delta(E) <= E[e^(s loss)] e^(-s E) s^s / (1 + s)^(1 + s)
 *
 * (Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", 2020, proposition
 * 12).
 */
static double
moment_epsilon(const List *list, double s)
{
	double		logarithm = 0.0;	/* of the moment */
	int			n;

	for (int i = 0; i < list->n; i += n)
	{
		double		epsilon = list->epsilons[i];
		double		x = s * epsilon;

		/* ln(p e^x + q e^-x), which is ln(cosh(x) + (p - q) sinh(x)) */
		n = count_equal(list, i);
		if (x < 1.0)
			logarithm += n * log1p(2.0 * sinh(x / 2.0) * sinh(x / 2.0) +
								   tanh(epsilon / 2.0) * sinh(x));
		else
			logarithm += n * (x + log1p(expm1(-2.0 * x) / (1.0 + exp(epsilon))));
	}
	return (logarithm * (1.0 + (list->groups + 16.0) * ROUNDING) -
			log(list->slack) * (1.0 + 4.0 * ROUNDING) -
			(s * log1p(1.0 / s) + log1p(s)) * (1.0 - 8.0 * ROUNDING)) / s * DPRIV_ROUND_UP;
}

/* The least of them, found by narrowing down ln s: a step that goes astray costs accuracy only. */
static double
best_moment_epsilon(const List *list)
{
	const double golden = (sqrt(5.0) - 1.0) / 2.0;
	double		low = log(1e-4);
	double		high = log(1e6);
	double		left = high - golden * (high - low);
	double		right = low + golden * (high - low);
	double		at_left = moment_epsilon(list, exp(left));
	double		at_right = moment_epsilon(list, exp(right));

	while (high - low > 1e-3)
	{
		CHECK_FOR_INTERRUPTS();
		if (at_left < at_right)
		{
			high = right;
			right = left;
			at_right = at_left;
			left = high - golden * (high - low);
			at_left = moment_epsilon(list, exp(left));
		}
		else
		{
			low = left;
			left = right;
			at_left = at_right;
			right = low + golden * (high - low);
			at_right = moment_epsilon(list, exp(right));
		}
	}
	return Max(Min(at_left, at_right), 0.0);
}

/*
 * The largest step of a lattice that holds every 2 epsilon, or 0 if they are no whole numbers of
 * 1e-12, or outside of the range of the ledger.
 */
static double
lattice_step(const List *list)
{
	int64		divisor = 0;

	for (int i = 0; i < list->n; i += count_equal(list, i))
	{
		DprivEpsilon units;
		int64		left;

		if (!dpriv_epsilon_from_double(list->epsilons[i], &units) || units.noise != units.charge)
			return 0.0;
		left = units.charge;
		while (left != 0)
		{
			int64		rest = divisor % left;

			divisor = left;
			left = rest;
		}
	}
	return 2.0 * dpriv_epsilon_to_double(divisor);
}

/*
 * What convolve() would cost with this step, in multiplications; Infinity if it would need more
 * than GRID_POINTS.  An estimate: by Hoeffding, all but a negligible part of the sum is within
 * sqrt(2 v ln(1 / negligible)) of its mean, v the sum of squares.
 */
static double
convolution_cost(const List *list, double step)
{
	double		logarithm = TAIL - log(list->slack) + log(2.0 * list->groups);
	double		cost = 0.0;
	double		width = 1.0;	/* in steps */
	double		mean = 0.0;
	double		squares = 0.0;
	double		range = 0.0;
	int			n;

	for (int i = 0; i < list->n; i += n)
	{
		double		epsilon = list->epsilons[i];
		double		spread;
		double		points;

		n = count_equal(list, i);
		mean += n * 2.0 * epsilon / (1.0 + exp(epsilon));
		squares += n * epsilon * epsilon;
		range += n * 2.0 * epsilon;

		spread = 2.0 * sqrt(2.0 * n * logarithm);
		points = Min(Min(n + 1.0, spread) * (list->lattice ? 1.0 : 2.0),
					 Min(2.0 * n, spread) * epsilon / step + 2.0);
		cost += points * width;

		spread = sqrt(2.0 * squares * logarithm);
		width = Min(Min(mean + spread, range), list->total) - Max(mean - spread, 0.0);
		width = width / step + 2.0;
		if (points + width > GRID_POINTS)
			return INFINITY;
	}
	return cost;
}

/* Add mass to one of the last two points, or behind them.  Returns the new number of points. */
static int
add_point(Point *points, int used, int64 offset, double mass)
{
	for (int i = used - 1; i >= Max(used - 2, 0); i--)
	{
		if (points[i].offset == offset)
		{
			points[i].mass += mass;
			return used;
		}
	}
	Assert(used < GRID_POINTS && (used == 0 || points[used - 1].offset < offset));
	points[used].offset = offset;
	points[used].mass = mass;
	return used + 1;
}

/*
 * The losses of n responses with this epsilon: epsilon n - 2 epsilon i, if i of them are false.
 * Returns the number of points, whose offsets ascend, or 0 if there are too many.
 *
 * 2 epsilon i falls between two points of the grid, at r and at step - r from them.  Its mass is
 * divided so that both the mass and its product with e^-loss are kept.  Such a division can only
 * raise the curve, max(0, P - e^E Q) summed over points, since max is convex; and what one
 * response's curve gains, the sum's does not lose.  The error is of second order in the step.
 * ("Connect the dots": Doroshenko et al., 2022.)
 */
static int
group_points(const List *list, double epsilon, int n, Curve *curve, double tail)
{
	Binomial	binomial;
	Point	   *points = list->points;
	int			used = 0;
	double		log_tail = log(list->slack) + log(tail);
	double		stride = rint(2.0 * epsilon / list->step);

	curve_lose(curve, binomial_init(&binomial, epsilon, n, log_tail, 0) *
			   ldexp(1.0, curve->shift));
	if (n > 1)
		curve->rise += binomial.error;

	while (binomial.i <= binomial.k)
	{
		double		drop = 2.0 * epsilon * binomial.i;
		double		mass = binomial_next(&binomial);
		double		rest;
		double		lower = mass;	/* part of the point below */
		int64		offset;

		/* A loss below zero for the whole list does not matter. */
		if (drop > list->total)
			break;
		if (list->lattice)
		{
			offset = (int64) (stride * (binomial.i - 1.0));
			rest = 0.0;
		}
		else
		{
			rest = fmod(drop, list->step);
			offset = (int64) rint((drop - rest) / list->step);
			lower = mass * (expm1(rest - list->step) / expm1(-list->step));
		}

		if (used > GRID_POINTS - 2)
			return 0;
		used = add_point(points, used, offset, lower);
		if (rest > 0.0)
			used = add_point(points, used, offset + 1,
							 mass * exp(rest - list->step) *
							 (expm1(-rest) / expm1(-list->step)));

		if (binomial.fresh == 0)
		{
			double		left = binomial_left(&binomial);

			CHECK_FOR_INTERRUPTS();
			if (left * ldexp(1.0, curve->shift) <= tail * curve->slack)
			{
				curve_lose(curve, left * ldexp(1.0, curve->shift));
				break;
			}
		}
	}
	return used;
}

/* Losses are sums of products that add up to the total, and differences to it: round one up. */
static double
round_loss(const List *list, double loss)
{
	return Max(loss + (list->groups + 8.0) * ROUNDING * list->total, 0.0) * DPRIV_ROUND_UP;
}

/*
 * The epsilon that the distribution of the sum gives, on the grid of list->step: a bound from
 * above, exact on a lattice.  Infinity if the grid is too fine for the buffers.
 *
 * A position on the grid says how far the loss is below its maximum, the sum of epsilons.
 * Positions beyond that have losses below zero and do not matter.
 */
static double
convolve(const List *list)
{
	Curve		curve;
	double		tail = exp(-TAIL) / (2.0 * list->groups);
	double	   *from = list->current;
	double	   *to = list->next;
	int64		start = 0;		/* from[start] is the first that counts */
	int64		width = 1;		/* how many do */
	int64		position = 0;	/* of from[start] */
	int64		last = (int64) floor(list->total / list->step);
	double		result;
	int			n;

	curve_init(&curve, list->slack);
	curve.fall = -expm1(-list->step);
	curve.rise = 1.0;
	from[0] = ldexp(1.0, curve.shift);

	for (int i = 0; i < list->n; i += n)
	{
		const Point *points = list->points;
		double	   *swap;
		double		lost = 0.0;
		int64		length;
		int			used;

		n = count_equal(list, i);
		used = group_points(list, list->epsilons[i], n, &curve, tail);
		if (used == 0)
			return INFINITY;
		curve.rise += (used + 16.0) * ROUNDING;

		position += points[0].offset;
		length = Min(width + points[used - 1].offset - points[0].offset, last - position + 1);
		if (length <= 0)
			return 0.0;
		if (length > GRID_POINTS)
			return INFINITY;

		memset(to, 0, length * sizeof(double));
		for (int p = 0; p < used; p++)
		{
			int64		offset = points[p].offset - points[0].offset;
			int64		end = Min(width, length - offset);
			double		mass = points[p].mass;

			for (int64 x = 0; x < end; x++)
				to[offset + x] += mass * from[start + x];
			CHECK_FOR_INTERRUPTS();
		}

		/* Cut off both tails. */
		for (start = 0; start < length - 1 && lost + to[start] <= tail * curve.slack; start++)
			lost += to[start];
		curve_lose(&curve, lost);
		lost = 0.0;
		for (; length > start + 1 && lost + to[length - 1] <= tail * curve.slack; length--)
			lost += to[length - 1];
		curve_lose(&curve, lost);
		width = length - start;
		position += start;

		swap = from;
		from = to;
		to = swap;
	}

	result = -INFINITY;
	for (int64 x = 0; x < width; x++, position++)
	{
		if (curve_step(&curve, from[start + x]))
		{
			result = list->total - position * list->step + curve_solve(&curve);
			break;
		}
	}
	if (isinf(result))
		result = list->total - position * list->step + curve_solve(&curve);

	return round_loss(list, result);
}

/*
 * The epsilon of all combinations of losses, one by one: exact, for as many as the buffers hold.
 */
typedef struct Atom
{
	double		drop;			/* how far the loss is below its maximum */
	double		mass;
} Atom;

/* How many combinations there are, if that is at most GRID_POINTS; else more. */
static int64
count_atoms(const List *list)
{
	int64		atoms = 1;
	int			n;

	for (int i = 0; i < list->n && atoms <= GRID_POINTS; i += n)
	{
		n = count_equal(list, i);
		atoms *= n + 1;
	}
	return atoms;
}

static double
enumerate(const List *list)
{
	Curve		curve;
	Atom	   *from = (Atom *) list->points;
	Atom	   *to = (Atom *) list->current;	/* and list->next, behind it */
	int			used = 1;
	double		log_tail = log(list->slack) - TAIL - log(2.0 * list->groups);
	int			n;

	curve_init(&curve, list->slack);
	curve.rise = 1.0 + 16.0 * ROUNDING * list->groups;
	from[0].drop = 0.0;
	from[0].mass = ldexp(1.0, curve.shift);

	for (int i = 0; i < list->n; i += n)
	{
		Binomial	binomial;
		Atom	   *swap;
		int			next = 0;

		n = count_equal(list, i);
		curve_lose(&curve, binomial_init(&binomial, list->epsilons[i], n, log_tail, 0) *
				   ldexp(1.0, curve.shift));
		if (n > 1)
			curve.rise += binomial.error;
		while (binomial.i <= binomial.k)
		{
			double		drop = 2.0 * list->epsilons[i] * binomial.i;
			double		mass = binomial_next(&binomial);

			for (int j = 0; j < used; j++)
			{
				to[next].drop = from[j].drop + drop;
				to[next].mass = from[j].mass * mass;
				if (to[next].drop <= list->total)
					next++;
			}
			CHECK_FOR_INTERRUPTS();
		}
		Assert(next <= GRID_POINTS);
		used = next;
		swap = from;
		from = to;
		to = swap;
	}

	qsort(from, used, sizeof(Atom), compare_doubles);
	for (int j = 0; j < used; j++)
	{
		double		end = j < used - 1 ? from[j + 1].drop : list->total;

		curve.fall = -expm1(from[j].drop - end);
		if (curve_step(&curve, from[j].mass))
			return round_loss(list, list->total - from[j].drop + curve_solve(&curve));
	}
	return 0.0;
}

/* An upper bound of the optimal epsilon for epsilons that are not all equal, 0 < slack < 1. */
static double
optimal_different(List *list)
{
	double		cost;
	double		result;
	int			exponent;

	/* Nobody needs these, and products of probabilities would underflow. */
	if (list->slack < 1e-250)
		return INFINITY;

	list->lattice = true;
	list->step = lattice_step(list);
	if (list->step > 0.0 && convolution_cost(list, list->step) <= BUDGET)
	{
		result = convolve(list);
		if (!isinf(result))
			return result;
	}

	if (count_atoms(list) <= GRID_POINTS)
		return enumerate(list);

	list->lattice = false;
	list->step = list->total / GRID_POINTS;
	while ((cost = convolution_cost(list, list->step)) > BUDGET)
	{
		if (list->step > list->total)
			return INFINITY;
		list->step *= Min(Max(sqrt(cost / BUDGET), 1.1), 1.5);
		CHECK_FOR_INTERRUPTS();
	}

	/* Ten bits, so that multiples of it are exact. */
	list->step = frexp(list->step, &exponent);
	list->step = ldexp(ceil(list->step * 1024.0) / 1024.0, exponent);

	for (; list->step <= list->total; list->step *= 2.0)
	{
		result = convolve(list);
		if (!isinf(result))
			return result;
	}
	return INFINITY;
}

DprivGuarantee
dpriv_compose_optimal_list(const double *epsilons, const double *deltas, int n, double slack,
						   void *work)
{
	DprivGuarantee result = dpriv_compose_basic_list(epsilons, deltas, n);
	DprivDecimalSum epsilon_sum;
	DprivDecimalSum delta_sum;
	double		log_keep = 0.0;
	List		list;

	Assert(slack >= 0.0 && slack <= 1.0);

	if (n == 0)
		return result;

	list.points = work;
	list.current = (double *) (list.points + GRID_POINTS);
	list.next = list.current + GRID_POINTS;
	list.epsilons = list.next + GRID_POINTS;
	list.n = 0;
	list.groups = 0;
	list.slack = slack;

	dpriv_decimal_sum_init(&epsilon_sum);
	dpriv_decimal_sum_init(&delta_sum);
	dpriv_decimal_sum_add(&delta_sum, slack, 1);
	for (int i = 0; i < n; i++)
	{
		log_keep += log1p(-deltas[i]);
		dpriv_decimal_sum_add(&delta_sum, deltas[i], 1);
		dpriv_decimal_sum_add(&epsilon_sum, epsilons[i], 1);
		if (epsilons[i] > 0.0)
			list.epsilons[list.n++] = epsilons[i];
		CHECK_FOR_INTERRUPTS();
	}
	list.total = dpriv_decimal_sum_up(&epsilon_sum);
	result.delta = total_delta(Min(dpriv_decimal_sum_up(&delta_sum), 1.0),
							   log_keep * (1.0 + 2.0 * n * ROUNDING), slack);

	if (slack == 1.0)
		result.epsilon = 0.0;
	if (slack == 0.0 || slack == 1.0 || list.n == 0 || isinf(list.total))
		return result;

	qsort(list.epsilons, list.n, sizeof(double), compare_doubles);
	for (int i = 0; i < list.n; i += count_equal(&list, i))
		list.groups++;
	if (list.groups == 1)
		result.epsilon = Min(result.epsilon, optimal_equal(list.epsilons[0], list.n, slack));
	else if (list.total > 1e-140)	/* below, squares underflow */
	{
		result.epsilon = Min(result.epsilon, closed_form(&list));
		result.epsilon = Min(result.epsilon, best_moment_epsilon(&list));
		result.epsilon = Min(result.epsilon, optimal_different(&list));
	}
	return result;
}

DprivGuarantee
dpriv_group_privacy(double epsilon, double delta, int64 k)
{
	DprivDecimalSum sum;
	DprivGuarantee result;
	double		half = (k - 1) * epsilon / 2.0;

	Assert(epsilon >= 0.0 && delta >= 0.0 && delta <= 1.0 && k >= 0);

	dpriv_decimal_sum_init(&sum);
	dpriv_decimal_sum_add(&sum, epsilon, k);
	result.epsilon = dpriv_decimal_sum_up(&sum);

	/*
	 * Else delta (e^(k epsilon) - 1) / (e^epsilon - 1), as delta e^((k - 1) epsilon) (1 - e^(-k
	 * epsilon)) / (1 - e^-epsilon), which does not overflow before it is above 1.
	 */
	if (k <= 1 || delta == 0.0 || epsilon == 0.0)
		result.delta = sum_deltas(delta, k, 0.0);
	else if (half > 373.0)		/* e^(2 half) times the smallest float8 is above 1 */
		result.delta = 1.0;
	else
		result.delta = Min(exp(half) * delta * exp(half) * DPRIV_ROUND_UP *
						   (expm1(-k * epsilon) / expm1(-epsilon)), 1.0);
	return result;
}
