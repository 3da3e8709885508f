/*
 * gaussian.h
 *	  What Gaussian noise costs, and how much noise a cost buys.
 *
 * Noise of standard deviation sigma on a vector that one unit changes by at most sensitivity in
 * Euclidean norm.  Only the ratio sensitivity / sigma matters for continuous noise; for noise on
 * integers the steps matter too.  Results err upward: see DPRIV_ROUND_UP.
 */
#ifndef DPRIV_ACCOUNTING_GAUSSIAN_H
#define DPRIV_ACCOUNTING_GAUSSIAN_H

/*
 * The smallest delta, 0 .. 1, for which continuous Gaussian noise is (epsilon, delta)-DP:
 *
 *		P[Z > eps / mu - mu / 2] - exp(eps) P[Z > eps / mu + mu / 2],  mu = sensitivity / sigma.
 *
 * Balle and Wang (2018), theorem 8.  sensitivity, sigma, epsilon >= 0, infinities included; no
 * noise on a sensitivity of 0 costs nothing.
 */
extern double dpriv_gaussian_delta(double sensitivity, double sigma, double epsilon);

/* The smallest epsilon >= 0 for which it is (epsilon, delta)-DP; infinite for delta = 0. */
extern double dpriv_gaussian_epsilon(double sensitivity, double sigma, double delta);

/* The smallest sigma for which it is (epsilon, delta)-DP; infinite for delta = 0. */
extern double dpriv_gaussian_sigma_for(double sensitivity, double epsilon, double delta);

/*
 * sqrt(2 ln(1.25 / delta)) sensitivity / epsilon, which is enough for 0 < epsilon < 1 and for those
 * only.  Dwork and Roth (2014), theorem A.1.
 */
extern double dpriv_gaussian_sigma_classic(double sensitivity, double epsilon, double delta);

/*
 * The smallest epsilon for which |noise| <= half_width has at least the given probability, 0 .. 1:
 * that of sigma = half_width / z, P[|Z| <= z] = confidence.
 */
extern double dpriv_gaussian_epsilon_for(double half_width, double sensitivity, double confidence,
										 double delta);

/*
 * Delta of discrete Gaussian noise, P[y] proportional to exp(-y^2 / (2 sigma^2)) over the integers,
 * on an integer that one unit changes by at most sensitivity, an integer:
 *
 *		P[Y > eps sigma^2 / D - D / 2] - exp(eps) P[Y > eps sigma^2 / D + D / 2].
 *
 * Canonne, Kamath and Steinke (2020), theorem 7.  Up to three times that of continuous noise.
 */
extern double dpriv_discrete_gaussian_delta(double sensitivity, double sigma, double epsilon);

/*
 * The smallest sigma for which discrete Gaussian noise is (epsilon, delta)-DP.  Larger ones need
 * not be: delta falls with sigma only from one integer threshold to the next.  Whoever rounds it
 * must check the delta of what came out.
 */
extern double dpriv_discrete_gaussian_sigma_for(double sensitivity, double epsilon, double delta);

#endif							/* DPRIV_ACCOUNTING_GAUSSIAN_H */
