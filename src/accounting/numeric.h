/*
 * numeric.h
 *	  Functions that keep their digits where the textbook form loses them, and rounding upward.
 *
 * Accounting adds up small differences of large numbers.  Everything here is a sum of positive
 * terms instead, so that relative errors stay at a few units in the last place.
 */
#ifndef DPRIV_NUMERIC_H
#define DPRIV_NUMERIC_H

/*
 * Factor for results that are not exact: more than what rounding can have taken away from any of
 * them, little enough that a function and its inverse agree to 1e-12.
 */
#define DPRIV_ROUND_UP (1.0 + 0x1p-43)
#define DPRIV_ROUND_DOWN (1.0 - 0x1p-43)

/* sqrt(2 pi), its logarithm, sqrt(pi / 2) and ln 2, to the last digit. */
#define DPRIV_SQRT_2PI 2.50662827463100050242
#define DPRIV_LOG_SQRT_2PI 0.91893853320467274178
#define DPRIV_SQRT_HALF_PI 1.25331413731550025121
#define DPRIV_LN2 0.69314718055994530942

/* a / b for b > 0, the smallest float8 not below the quotient. */
extern double dpriv_divide_up(double a, double b);

/* exp(-x^2 / 2), accurate also where x^2 has no room for its last digits. */
extern double dpriv_exp_half_square(double x);

/*
 * Mills' ratio of the normal distribution, R(x) = P[Z > x] / density(x), for x >= 0: from
 * sqrt(pi / 2) down to 0 like 1 / x.
 */
extern double dpriv_mills(double x);

/* x with P[Z > x] = tail for the normal distribution, 0 < tail <= 1/2. */
extern double dpriv_normal_quantile(double tail);

/* (exp(x) - 1 - x) / x^2, positive; 1/2 at 0, infinite where it overflows. */
extern double dpriv_exp_remainder(double x);

/* (x - ln(1 + x)) / x^2 for x > -1, positive; 1/2 at 0. */
extern double dpriv_log_remainder(double x);

/*
 * Bernoulli's gap ((1 + d)^alpha - 1 - alpha d) / (alpha - 1) for d >= -1 and alpha >= 1; at alpha
 * = 1 its limit (1 + d) ln(1 + d) - d.  Never negative.  Its mean over a ratio of densities is the
 * one number from which a Renyi divergence follows: see dpriv_renyi_from_gap().
 */
extern double dpriv_power_gap(double d, double alpha);

/*
 * Renyi divergence of order alpha of P from Q, given the mean under Q of Bernoulli's gap of P/Q -
 * 1: since the mean of P/Q is 1, exp((alpha - 1) D) = 1 + (alpha - 1) gap.
 */
extern double dpriv_renyi_from_gap(double gap, double alpha);

typedef double (*DprivRealFunction) (double x, const void *argument);

/*
 * Zero of a monotone function between two points of which one is below or at zero and the other
 * above or at it.  Returns the point of the last bracket on the side of safe: the function has
 * there the sign it has at safe, or is zero, so the caller chooses the side to err on.  The bracket
 * is narrowed to neighbouring float8 or 1e-15 of its middle.  Ridders (1979), with bisection.
 */
extern double dpriv_root(DprivRealFunction function, const void *argument, double safe, double other);

/*
 * The x between least and greatest, both positive, at which a function that falls and then rises is
 * least, to 1e-8 of x: enough for all digits of the minimum.  start is a guess.  Searches along
 * ln x: a bracket by growing steps, then Brent (1973).
 */
extern double dpriv_minimum(DprivRealFunction function, const void *argument, double start,
							double least, double greatest);

#endif							/* DPRIV_NUMERIC_H */
