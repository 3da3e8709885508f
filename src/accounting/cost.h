/*
 * cost.h
 *	  What releases cost, in every currency that a budget may count, and what a budget allows.
 *
 * Epsilon and delta are exact decimals; rho and the curve are float8s of which every sum is rounded
 * up.  A total of costs is therefore never below what was spent.
 */
#ifndef DPRIV_COST_H
#define DPRIV_COST_H

/*
 * Orders of the Renyi divergence that costs are kept at, increasing, all above 1.  For sums of
 * Gaussian or Laplace charges that cost an epsilon from 0.1 to 20 at a delta from 1e-12 to 1e-4,
 * the best of all real orders gives an epsilon at most 1.8 % smaller than the best of these, 0.4 %
 * on average.
 */
#define DPRIV_NORDERS 22
extern const double dpriv_orders[DPRIV_NORDERS];

typedef struct DprivCost
{
	int64		epsilon;		/* by basic composition, in units of 1e-12 */
	int128		delta_basic;	/* all delta, counted as (epsilon, delta), in units of 1e-36 */
	int128		delta_approx;	/* the part of it that is spent under every accountant */
	double		rho;			/* zero-concentrated DP, besides delta_approx */
	double		curve[DPRIV_NORDERS];	/* Renyi divergence at dpriv_orders, likewise */
} DprivCost;

/* What both cost together.  Beyond what fits it is the largest there is: no budget allows it. */
extern DprivCost dpriv_cost_add(DprivCost a, DprivCost b);

/* The larger of each part. */
extern DprivCost dpriv_cost_max(DprivCost a, DprivCost b);

/* How the charges of a budget add up. */
typedef enum DprivAccountant
{
	DPRIV_BASIC,
	DPRIV_ZCDP,
	DPRIV_RDP,
} DprivAccountant;

#define DPRIV_MAX_BUDGET_ORDERS 4

/* What a budget allows. */
typedef struct DprivTerms
{
	DprivAccountant accountant;
	int64		epsilon;		/* granted, in units of 1e-12 */
	int128		delta;			/* granted, in units of 1e-36 */
	int128		delta_selection;	/* the part of it for delta_approx; basic: all of it */
	int			norders;		/* of limit: basic 0, zcdp 1 (rho), rdp as many as orders */
	double		order[DPRIV_MAX_BUDGET_ORDERS]; /* rdp: members of dpriv_orders */
	double		limit[DPRIV_MAX_BUDGET_ORDERS];
} DprivTerms;

typedef enum DprivTermsProblem
{
	DPRIV_TERMS_OK,
	DPRIV_TERMS_EPSILON,		/* not a number from 0 to DPRIV_BUDGET_MAX_EPSILON */
	DPRIV_TERMS_DELTA,			/* not a number from 0 to below 1 */
	DPRIV_TERMS_NEEDS_DELTA,	/* this accountant cannot do without */
	DPRIV_TERMS_ORDER,			/* not a member of dpriv_orders, or too many, or one twice */
} DprivTermsProblem;

#define DPRIV_BUDGET_MAX_EPSILON 1e6

/*
 * Terms of a grant.  Epsilon and delta count as decimals, rounded down.
 *
 * zcdp and rdp split delta into two halves, of which one is for delta_approx and the other turns
 * divergences into epsilon: by the conversion of Canonne, Kamath and Steinke (2020), see rdp.h.
 * limit[0] of zcdp is the largest rho that comes to at most epsilon.  rdp may have up to four
 * orders, which share that half equally; each limit is the largest divergence that comes to at most
 * epsilon.  norders 0 is the order that allows the most Gaussian noise, near 1 + sqrt(ln(1 / delta)
 * / rho).
 */
extern DprivTermsProblem dpriv_terms_init(DprivTerms *terms, DprivAccountant accountant,
										  double epsilon, double delta, const double *orders,
										  int norders);

typedef enum DprivVerdict
{
	DPRIV_ALLOWED,
	DPRIV_OVER_EPSILON,
	DPRIV_OVER_DELTA,
} DprivVerdict;

/*
 * May this much have been spent?  total includes what is asked for.  Holds for charges chosen after
 * seeing earlier answers.  DPRIV_OVER_DELTA: epsilon alone would allow it.
 */
extern DprivVerdict dpriv_terms_allow(const DprivTerms *terms, const DprivCost *total);

/*
 * How much of the granted epsilon and delta a total takes, by the rule of the accountant.  Epsilon
 * is at most what was granted while the total is allowed, but for the last digits.
 */
extern double dpriv_terms_spent_epsilon(const DprivTerms *terms, const DprivCost *total);
extern double dpriv_terms_spent_delta(const DprivTerms *terms, const DprivCost *total);

/*
 * The least epsilon that a total is known to cost at this delta, by whichever accountant.  For
 * reports: a rule that stopped at it would not be private.
 */
extern double dpriv_cost_reported_epsilon(const DprivCost *total, double delta);

#endif							/* DPRIV_COST_H */
