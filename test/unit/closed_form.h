/*
 * closed_form.h
 *	  The distributions as formulas: what chi-square tests compare samplers with.
 */
#ifndef CLOSED_FORM_H
#define CLOSED_FORM_H

/* P[X < x] for a discrete Laplace variable of this scale. */
extern double laplace_below(int64 x, double scale);

/*
 * P[X < x] for a discrete Gaussian variable of this sigma: the sum of its terms below
 * GAUSSIAN_SUM_MAX, beyond that the normal distribution at x - 1/2, which is off by less than 1 /
 * (24 sigma^2).
 */
#define GAUSSIAN_SUM_MAX 2000.0
extern double gaussian_below(int64 x, double sigma);

/*
 * Up to n - 1 ascending edges of n cells, of about equal probability where integers allow:
 * quantiles of the continuous distribution, rounded.  Returns the number of cells.
 */
extern int	laplace_edges(double scale, int64 *edges, int n);
extern int	gaussian_edges(double sigma, int64 *edges, int n);

/* A family of distributions with one parameter. */
typedef struct ClosedForm
{
	double		(*below) (int64 x, double parameter);
	int			(*edges) (double parameter, int64 *edges, int n);
} ClosedForm;

extern const ClosedForm closed_form_laplace;
extern const ClosedForm closed_form_gaussian;

/*
 * Does a sampler fit?  Three chi-square tests of one sample: frequencies in up to 256 cells;
 * negative, zero and positive draws; each second draw with the one before it, in up to 16 times 16
 * cells.  All three are printed; false if one of them fails.
 */
extern bool sample_fits(const char *label, int64 (*draw) (const void *sampler), const void *sampler,
						const ClosedForm *form, double parameter, int64 draws);

#endif							/* CLOSED_FORM_H */
