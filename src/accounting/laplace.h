/*
 * laplace.h
 *	  What Laplace noise costs, and how much noise a cost buys.
 *
 * epsilon is sensitivity / scale, the loss of pure differential privacy.  Continuous noise is that
 * of textbooks; the releases draw discrete noise, whose Renyi divergence is larger: for a count it
 * is that of randomised response.  Results err upward by at most DPRIV_ROUND_UP.
 */
#ifndef DPRIV_ACCOUNTING_LAPLACE_H
#define DPRIV_ACCOUNTING_LAPLACE_H

/*
 * Scale b = sensitivity / epsilon, rounded up; 0 for a sensitivity of 0, else infinite for epsilon
 * 0.  Dwork, McSherry, Nissim and Smith (2006), proposition 1.
 */
extern double dpriv_laplace_scale_for(double sensitivity, double epsilon);

/*
 * The smallest epsilon for which |noise| <= half_width has at least the given probability.
 * Continuous: sensitivity ln(1 / (1 - confidence)) / half_width.  Discrete: noise on integers, of
 * which P[|X| > w] = 2 t^(floor(w) + 1) / (1 + t), t = exp(-epsilon / sensitivity).
 * 0 <= confidence <= 1, half_width >= 0.
 */
extern double dpriv_laplace_epsilon_for(double half_width, double sensitivity, double confidence);
extern double dpriv_discrete_laplace_epsilon_for(double half_width, double sensitivity,
												 double confidence);

/*
 * Renyi divergence of order alpha, 1 <= alpha <= infinity, of continuous Laplace noise from itself
 * shifted by the sensitivity:
 *
 *		ln(alpha / (2 alpha - 1) exp((alpha - 1) eps) +
 *		   (alpha - 1) / (2 alpha - 1) exp(-alpha eps)) / (alpha - 1),
 *
 * eps + exp(-eps) - 1 for alpha = 1 and eps for infinite alpha.  Mironov (2017), proposition 6.
 */
extern double dpriv_rdp_laplace(double epsilon, double alpha);

/*
 * The same for discrete noise, P[x] proportional to t^|x| with t = exp(-epsilon / steps), shifted
 * by a whole number of steps >= 1, which may be infinite: continuous noise.  The sum over the
 * integers in closed form.
 */
extern double dpriv_rdp_discrete_laplace(double epsilon, double steps, double alpha);

/*
 * Worst case of all epsilon-DP mechanisms: randomised response, which is discrete Laplace noise
 * with one step.  Mironov (2017), proposition 5; worst by Kairouz, Oh and Viswanath (2015), theorem
 * 2.5: every epsilon-DP mechanism is a function of its outcome.
 */
extern double dpriv_rdp_pure(double epsilon, double alpha);

#endif							/* DPRIV_ACCOUNTING_LAPLACE_H */
