/*
 * unit.c
 *	  What the unit programs share: the process, the number of draws, one test of goodness of fit.
 */
#include "server.h"

#include <math.h>
#include <unistd.h>

#include "unit.h"

#define DEFAULT_DRAWS 1000000

int			MyProcPid = 0;

void
unit_start(void)
{
	MyProcPid = (int) getpid();
	setvbuf(stdout, NULL, _IOLBF, 0);
}

int64
unit_draws(void)
{
	const char *draws = getenv("DPRIV_UNIT_DRAWS");

	return draws != NULL ? atoll(draws) : DEFAULT_DRAWS;
}

bool
unit_fits(const char *label, const int64 *observed, const double *probability, int cells)
{
	int64		draws = 0;
	double		mass = 0.0;
	double		statistic = 0.0;
	double		count = 0.0;	/* of the cell being merged */
	double		expected = 0.0;
	double		left;			/* expected in the cells not yet used */
	int			merged = 0;
	double		x = -log(UNIT_FALSE_ALARM);
	double		limit;

	for (int i = 0; i < cells; i++)
	{
		draws += observed[i];
		mass += probability[i];
	}
	if (fabs(mass - 1.0) > 1e-9)
	{
		fprintf(stderr, "%s: the probabilities sum to %.12f\n", label, mass);
		abort();
	}

	/* Close a cell once it is large enough and enough is left for another one. */
	left = (double) draws;
	for (int i = 0; i < cells; i++)
	{
		count += observed[i];
		expected += probability[i] * draws;
		left -= probability[i] * draws;
		if (i == cells - 1 || (expected >= UNIT_MIN_EXPECTED && left >= UNIT_MIN_EXPECTED))
		{
			if (expected > 0.0)
				statistic += (count - expected) * (count - expected) / expected;
			else if (count > 0.0)
				statistic = INFINITY;
			merged++;
			count = 0.0;
			expected = 0.0;
		}
	}

	if (merged < 2)
	{
		fprintf(stderr, "%s: too few draws for a test\n", label);
		abort();
	}
	limit = (merged - 1) + 2.0 * sqrt((merged - 1) * x) + 2.0 * x;
	printf("%s: chi-square %.1f, %d cells, limit %.1f, false alarm below %.0e\n",
		   label, statistic, merged, limit, UNIT_FALSE_ALARM);
	return statistic <= limit;
}

int
unit_cell(int64 x, const int64 *edges, int n)
{
	int			low = 0;
	int			high = n - 1;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (edges[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
