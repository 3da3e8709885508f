/*
 * closed_form.c
 *	  The distributions as formulas: what chi-square tests compare samplers with.
 */
#include "server.h"

#include <math.h>

#include "closed_form.h"
#include "unit.h"

/* Cells of a distribution, and at most for each draw of a pair. */
#define CELLS 256
#define PAIR_CELLS 16

/* P[X >= k] = P[X <= -k] = t^k / (1 + t) for k >= 1, t = exp(-1 / scale). */
double
laplace_below(int64 x, double scale)
{
	double		t = exp(-1.0 / scale);

	if (x <= 0)
		return exp(-(1.0 - (double) x) / scale) / (1.0 + t);
	return 1.0 - exp(-(double) x / scale) / (1.0 + t);
}

double
gaussian_below(int64 x, double sigma)
{
	static double cached_sigma = 0.0;
	static double sum[2 * 40 * (int) GAUSSIAN_SUM_MAX];	/* of the terms below first + i */
	static int64 first;
	static int	n;

	if (sigma > GAUSSIAN_SUM_MAX)
		return 0.5 * erfc(-((double) x - 0.5) / sigma / M_SQRT2);

	/* What lies beyond 38 sigma is below the smallest float8. */
	if (sigma != cached_sigma)
	{
		double		total = 0.0;

		first = -(int64) ceil(38.0 * sigma) - 1;
		n = (int) (-2 * first + 2);
		for (int i = 0; i < n; i++)
		{
			double		z = (first + i) / sigma;

			sum[i] = total;
			total += exp(-0.5 * z * z);
		}
		for (int i = 0; i < n; i++)
			sum[i] /= total;
		cached_sigma = sigma;
	}
	if (x < first)
		return 0.0;
	return x - first < n ? sum[x - first] : 1.0;
}

static int
add_edge(int64 *edges, int n, double edge)
{
	int64		rounded = (int64) rint(edge);

	if (n == 0 || rounded > edges[n - 1])
		edges[n++] = rounded;
	return n;
}

int
laplace_edges(double scale, int64 *edges, int n)
{
	int			found = 0;

	for (int i = 1; i < n; i++)
	{
		double		u = (double) i / n;
		double		quantile = u < 0.5 ? log(2.0 * u) : -log(2.0 - 2.0 * u);

		found = add_edge(edges, found, scale * quantile);
	}
	return found + 1;
}

int
gaussian_edges(double sigma, int64 *edges, int n)
{
	int			found = 0;

	for (int i = 1; i < n; i++)
	{
		double		low = -10.0;
		double		high = 10.0;

		for (int step = 0; step < 60; step++)
		{
			double		z = (low + high) / 2.0;

			if (erfc(-z / M_SQRT2) < 2.0 * i / n)
				low = z;
			else
				high = z;
		}
		found = add_edge(edges, found, sigma * high);
	}
	return found + 1;
}

const ClosedForm closed_form_laplace = {laplace_below, laplace_edges};
const ClosedForm closed_form_gaussian = {gaussian_below, gaussian_edges};

/* The probabilities of the cells between edges. */
static void
cell_probabilities(const ClosedForm *form, double parameter, const int64 *edges, int cells,
				   double *probability)
{
	double		previous = 0.0;

	for (int i = 0; i < cells; i++)
	{
		double		next = i < cells - 1 ? form->below(edges[i], parameter) : 1.0;

		probability[i] = next - previous;
		previous = next;
	}
}

bool
sample_fits(const char *label, int64 (*draw) (const void *sampler), const void *sampler,
			const ClosedForm *form, double parameter, int64 draws)
{
	int64		edges[CELLS];
	double		probability[CELLS];
	int64		observed[CELLS] = {0};
	int			cells = form->edges(parameter, edges, CELLS);

	int64		pair_edges[PAIR_CELLS];
	double		one[PAIR_CELLS];
	double		both[PAIR_CELLS * PAIR_CELLS];
	int64		pairs[PAIR_CELLS * PAIR_CELLS] = {0};
	int			pair_cells;
	int			previous = 0;

	int64		signs[3] = {0};
	double		negative = form->below(0, parameter);
	double		sign[3] = {negative, 1.0 - 2.0 * negative, negative};
	char		text[128];
	bool		fits;

	/* So few that pairs need not be merged, which would hide dependence. */
	pair_cells = (int) sqrt((double) draws / 2.0 / (1.5 * UNIT_MIN_EXPECTED));
	pair_cells = form->edges(parameter, pair_edges, Max(Min(pair_cells, PAIR_CELLS), 2));

	for (int64 i = 0; i < draws; i++)
	{
		int64		x = draw(sampler);
		int			cell = unit_cell(x, pair_edges, pair_cells);

		observed[unit_cell(x, edges, cells)]++;
		signs[(x > 0) - (x < 0) + 1]++;
		if (i % 2 == 1)
			pairs[previous * pair_cells + cell]++;
		previous = cell;
	}

	cell_probabilities(form, parameter, edges, cells, probability);
	fits = unit_fits(label, observed, probability, cells);

	snprintf(text, sizeof(text), "%s, sign", label);
	fits &= unit_fits(text, signs, sign, 3);

	snprintf(text, sizeof(text), "%s, successive draws", label);
	cell_probabilities(form, parameter, pair_edges, pair_cells, one);
	for (int i = 0; i < pair_cells * pair_cells; i++)
		both[i] = one[i / pair_cells] * one[i % pair_cells];
	fits &= unit_fits(text, pairs, both, pair_cells * pair_cells);

	return fits;
}
