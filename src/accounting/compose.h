/*
 * compose.h
 *	  What several releases cost together, when each of them is (epsilon, delta)-private.
 *
 * Every result holds for mechanisms whose epsilons and deltas are fixed in advance, and none is
 * below the true cost: sums are exact sums of the decimals written, everything else is rounded up.
 *
 * Domain of all functions: epsilon >= 0, Infinity included; delta and slack in [0, 1]; k >= 0.  No
 * releases, k = 0 or n = 0, cost (0, 0).  Slack is the delta that a theorem spends on top of the
 * releases' own deltas to lower the epsilon; the delta returned includes it.
 */
#ifndef DPRIV_COMPOSE_H
#define DPRIV_COMPOSE_H

typedef struct DprivGuarantee
{
	double		epsilon;
	double		delta;
} DprivGuarantee;

/*
 * Basic composition: the sums.  An epsilon that the ledger accepts counts as what the ledger
 * charges for it, its decimal rounded up to units of 1e-12.  Delta is at most 1.
 */
extern DprivGuarantee dpriv_compose_basic(double epsilon, double delta, int64 k);
extern DprivGuarantee dpriv_compose_basic_list(const double *epsilons, const double *deltas, int n);

/*
 * Dwork and Roth, "The Algorithmic Foundations of Differential Privacy" (2014), theorem 3.20, as it
 * is proved: sqrt(2 k ln(1 / slack)) epsilon + k epsilon (e^epsilon - 1), and k delta + slack.  It
 * can exceed the basic sum.  Slack 0 gives Infinity, unless epsilon is 0.
 */
extern DprivGuarantee dpriv_compose_dwork_roth(double epsilon, double delta, int64 k, double slack);

/*
 * The form in which courses remember it, 2 epsilon sqrt(2 k ln(1 / slack)): true only where the
 * first of the two terms above is the larger one, e^epsilon - 1 <= sqrt(2 ln(1 / slack) / k).
 */
extern bool dpriv_compose_book_holds(double epsilon, int64 k, double slack);
extern DprivGuarantee dpriv_compose_book(double epsilon, double delta, int64 k, double slack);

/*
 * Optimal composition: the smallest epsilon that holds for every k mechanisms that are (epsilon,
 * delta)-private, and 1 - (1 - delta)^k (1 - slack).  Slack 0 gives the basic epsilon, slack 1
 * gives 0.  k is at most DPRIV_COMPOSE_MAX_K.
 */
#define DPRIV_COMPOSE_MAX_K INT64CONST(1000000000000)
extern DprivGuarantee dpriv_compose_optimal(double epsilon, double delta, int64 k, double slack);

/*
 * The same for n mechanisms that differ.  The exact answer is #P-hard (Murtagh, Vadhan, 2016).
 * This one is exact if all epsilons but zeros are equal, if they lie on a lattice coarse enough, or
 * if there are few of them: up to 18, or more where some are equal.  Otherwise it is an upper
 * bound: less than 1e-6 above for a hundred epsilons of about the same size, 1e-5 for a thousand,
 * 1e-2 for ten thousand.  Never above the basic sum, the closed forms of Kairouz, Oh, Viswanath
 * (2015), theorem 3.5, or what the moments of the loss give.
 *
 * The caller passes dpriv_compose_optimal_list_size(n) bytes, aligned for a double, to work in:
 * some eight million and 8 n.
 */
extern size_t dpriv_compose_optimal_list_size(int n);
extern DprivGuarantee dpriv_compose_optimal_list(const double *epsilons, const double *deltas,
												 int n, double slack, void *work);

/*
 * The cost for a group of k units, when it is (epsilon, delta) for one: k epsilon, exactly, and
 * delta (1 + e^epsilon + ... + e^((k-1) epsilon)), at most 1.
 */
extern DprivGuarantee dpriv_group_privacy(double epsilon, double delta, int64 k);

#endif							/* DPRIV_COMPOSE_H */
