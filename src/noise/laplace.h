/*
 * laplace.h
 *	  The discrete Laplace distribution: exact draws, and how far they reach.
 *
 * P[X = x] = (1 - t) / (1 + t) * t^|x| over all integers x, with t = exp(-den / num); the scale is
 * num / den steps.  For a value of L1 sensitivity D steps and a privacy loss of epsilon, num / den
 * = D / epsilon.
 */
#ifndef DPRIV_LAPLACE_H
#define DPRIV_LAPLACE_H

/* Supported: scale num / den below this many steps, ... */
#define DPRIV_LAPLACE_MAX_SCALE (UINT64CONST(1) << 55)

/* ... and den at most this, in lowest terms (epsilon in units of 1e-12 needs 10^15). */
#define DPRIV_LAPLACE_MAX_DEN (UINT64CONST(1) << 63)

/* Set by dpriv_laplace_init(), then read-only.  May be copied by value; holds no pointers. */
typedef struct DprivLaplace
{
	uint128		num;			/* scale = num / den, in lowest terms; num < 2^118 */
	uint64		den;
	uint64		quotient;		/* num / den, rounded down */
	uint64		remainder;		/* num - quotient * den */
} DprivLaplace;

/*
 * Prepare draws of scale num / den steps; num >= 1 and den >= 1, reduced to lowest terms here.
 *
 * False, with *laplace undefined, if a parameter is 0 or the scale is out of the supported range.
 * Every sensitivity up to 2^63 steps with every epsilon of 10^6 .. 10^15 units of 1e-12 is in range
 * unless the scale reaches 2^55 steps, and the caller should then choose a coarser step.
 */
extern bool dpriv_laplace_init(DprivLaplace *laplace, uint128 num, uint128 den);

/*
 * One draw, exactly of the distribution above.
 *
 * A draw beyond int64 would be returned as PG_INT64_MAX or -PG_INT64_MAX; its probability is below
 * 2 exp(-2^63 / scale), which is below 1e-110 for every supported scale (and below 1e-113000 at
 * 2^45 steps).  The time a draw takes depends on its value.
 */
extern int64 dpriv_laplace_draw(const DprivLaplace *laplace);

/*
 * One draw of the geometric distribution P[X = x] = (1 - t) t^x, x >= 0, exactly.  Limits are the
 * same.
 */
extern int64 dpriv_geometric_draw(const DprivLaplace *laplace);

/* num / den, in steps; for reports only. */
extern double dpriv_laplace_scale(const DprivLaplace *laplace);

/*
 * The smallest k >= 0 with P[|X| > k] = 2 t^(k+1) / (1 + t) <= 1 - confidence, in steps;
 * 0 < confidence < 1.  Rounding errors go upward: where floating point cannot tell, the answer is
 * larger, by one step or by 1e-14 of itself and of the scale.
 */
extern int64 dpriv_laplace_half_width(const DprivLaplace *laplace, double confidence);

/*
 * An upper bound, in steps, on the smallest h with P[|(1-p) Z1 - p Z2| > h] <= 1 - confidence,
 * where Z1 and Z2 are independent draws; 0 < confidence < 1, p finite (between 0 and 1 it is the
 * half-width of a mean's numerator).
 *
 * For continuous Laplace variables with weights w1 = |1-p|, w2 = |p| and scale b the probability is
 * (w1^2 exp(-h / (w1 b)) - w2^2 exp(-h / (w2 b))) / (w1^2 - w2^2).  This is solved for h, and w1 +
 * w2 steps are added (one step for p between 0 and 1): a discrete Laplace variable is the
 * difference of two geometric ones, a geometric variable is an exponential one rounded down, so the
 * discrete and the continuous variable can be coupled to differ by less than one step.
 */
extern double dpriv_laplace_mix_half_width(const DprivLaplace *laplace, double p,
										   double confidence);

/* Number of weights below. */
#define DPRIV_LAPLACE_WEIGHTS 3

/*
 * An upper bound, in steps, on the smallest h with P[|sum of weight[i] Z_i| > h] <= 1 - confidence,
 * where the Z_i are independent draws; 0 < confidence < 1, weights finite.  It does not fall when a
 * weight grows in size, and is 0 if all of them are 0.
 *
 * For continuous Laplace variables of scales s_i = |weight[i]| b the probability is the sum of
 * s_i^4 / prod_{j != i} (s_i^2 - s_j^2) exp(-h / s_i).  This is solved for h, with scales that
 * nearly agree moved apart by a thousandth, upwards; Laplace variables are symmetric and unimodal,
 * so that larger scales have larger tails (Wintner 1938; Birnbaum 1948).  The sum of all
 * |weight[i]| is added for the coupling of continuous and discrete variables, as above.
 */
extern double dpriv_laplace_weighted_half_width(const DprivLaplace *laplace,
												const double *weight, double confidence);

/* Most draws in a sum below. */
#define DPRIV_LAPLACE_SUMS 1000

/*
 * half_width[i - 1], for i from 1 to n (at most DPRIV_LAPLACE_SUMS): a whole number of steps k with
 * P[|sum of i independent draws| > k] <= 1 - confidence, 0 < confidence < 1.  For scales from a
 * step on, it is larger than the smallest one by a step and its part of 1 / (12 scale^2) at most.
 *
 * For continuous Laplace variables of scale b the probability of |S| > x b is
 *
 *		2 sum_{a < i} exp(-x) x^a / a! W(i, i - a),
 *		W(i, m) = sum_{j < m} C(i + j - 1, j) 2^-(i + j):
 *
 * S > x b says that the i-th arrival of one Poisson process comes more than x later than that of
 * another.  Of the first one's, a come until x; from then on the second must have i arrivals before
 * the first has the i - a that are left.  A discrete variable D is what a continuous one C is
 * without the fractional parts of its two exponential variables, which are independent of D and
 * symmetric together; D is symmetric and falls to both sides, so adding anything independent and
 * symmetric can only take it farther from 0: P[|D| > k] <= P[|C| > k + 1/2].
 */
extern void dpriv_laplace_sums_half_width(const DprivLaplace *laplace, int n, double confidence,
										  double *half_width);

#endif							/* DPRIV_LAPLACE_H */
