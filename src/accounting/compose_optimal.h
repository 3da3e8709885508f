/*
 * compose_optimal.h
 *	  What optimal composition is made of: the curve of a privacy loss and binomial probabilities.
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
#ifndef DPRIV_COMPOSE_OPTIMAL_H
#define DPRIV_COMPOSE_OPTIMAL_H

#include <float.h>
#include <math.h>

/* Half a unit in the last place of 1: the relative error of one operation. */
#define DPRIV_HALF_ULP (DBL_EPSILON / 2.0)

/* Mass below slack times e^-TAIL, about 1e-25, is moved to an infinite loss. */
#define DPRIV_COMPOSE_TAIL 58.0

/* k delta + slack, at most 1. */
extern double dpriv_compose_sum_deltas(double delta, int64 k, double slack);

/*
 * 1 - (1 - slack) times the product of all 1 - delta, whose logarithm is log_keep.  Not above the
 * sum, which is what remains of it when all are small.
 */
extern double dpriv_compose_total_delta(double sum, double log_keep, double slack);

/* The optimal epsilon for k equal ones, 0 < epsilon < Infinity, k > 0, 0 < slack < 1. */
extern double dpriv_compose_optimal_equal(double epsilon, int64 k, double slack);

/*
 * The privacy curve of losses on a lattice, read from the largest one downwards.
 *
 * At each point of the lattice, delta is the curve's height there and tilted the sum of P[loss = L]
 * e^(point - L) over the losses above.  Both are kept as sums of two float8, so that ten million
 * steps lose nothing.  Probabilities are scaled by 2^shift, which puts slack near 1: then none that
 * matters underflows.
 */
typedef struct DprivLossCurve
{
	double		fall;			/* 1 - e^-step, for losses one step apart */
	double		rise;			/* 1 + the largest relative error of probabilities */
	double		slack;			/* scaled */
	int			shift;
	double		delta;
	double		delta_low;
	double		tilted;
	double		tilted_low;
} DprivLossCurve;

static inline void
dpriv_loss_curve_init(DprivLossCurve *curve, double slack)
{
	memset(curve, 0, sizeof(*curve));
	frexp(slack, &curve->shift);
	curve->shift = Min(-curve->shift, 1000);
	curve->slack = ldexp(slack, curve->shift);
}

/* Move mass to an infinite loss. */
static inline void
dpriv_loss_curve_lose(DprivLossCurve *curve, double mass)
{
	curve->delta += mass;
}

/* Add x to *high + *low, exactly but for the rounding of *low (Knuth's TwoSum). */
static inline void
dpriv_add_twofold(double *high, double *low, double x)
{
	double		sum = *high + x;
	double		part = sum - *high;

	*low += (*high - (sum - part)) + (x - part);
	*high = sum;
}

/*
 * Take the mass at the current point and go one step down, unless the curve reaches slack before
 * the next point: then true, and dpriv_loss_curve_solve() says where.
 *
 * With P the mass here, tilted' = e^-step (tilted + P), and delta' = delta + (1 - e^-step) (tilted
 * + P).
 */
static inline bool
dpriv_loss_curve_step(DprivLossCurve *curve, double mass)
{
	double		drop;

	dpriv_add_twofold(&curve->tilted, &curve->tilted_low, mass);
	drop = curve->fall * (curve->tilted + curve->tilted_low);
	if ((curve->delta + curve->delta_low + drop) * curve->rise > curve->slack)
		return true;
	dpriv_add_twofold(&curve->delta, &curve->delta_low, drop);
	dpriv_add_twofold(&curve->tilted, &curve->tilted_low, -drop);
	return false;
}

/*
 * Where the curve is at slack, as the difference to the current point, if there is no mass in
 * between: delta + tilted (1 - e^x) = slack for x <= 0.  It may never get there; then -Infinity.
 */
static inline double
dpriv_loss_curve_solve(const DprivLossCurve *curve)
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
 * Every DPRIV_BINOMIAL_STRIDE-th is computed by itself, the others from their neighbours.
 */
#define DPRIV_BINOMIAL_STRIDE 32

typedef struct DprivBinomial
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
} DprivBinomial;

/*
 * The first i that matters: everything below it has, together, a probability of at most e^log_tail.
 * Returns that probability, scaled; what can be is 0.
 */
extern double dpriv_binomial_init(DprivBinomial *binomial, double epsilon, int64 k, double log_tail,
								  int shift);

/* The probability of the next i. */
extern double dpriv_binomial_next(DprivBinomial *binomial);

/* An upper bound of all that is left after the last i returned; Infinity up to the mean. */
extern double dpriv_binomial_left(const DprivBinomial *binomial);

#endif							/* DPRIV_COMPOSE_OPTIMAL_H */
