/*
 * iqr.c
 *	  The interquartile range without bounds, by propose-test-release.
 *
 * Dwork and Lei, "Differential Privacy and Robust Statistics" (2009): propose a bin of a
 * logarithmic grid for the range, test how many rows have to be added or removed until another bin
 * can be the right one, and release the bin if they are enough.  Where the range is near a border
 * of the one grid it is far from all of another one, shifted by half a bin.
 *
 * Values are leaves, floats of 7 binary digits (exact.h), y_1 <= ... <= y_n, y_i the lowest leaf
 * for i < 1 and the highest one for i > n.  The quartiles are y_ceil(n / 4) and y_ceil(3 n / 4).
 * After a rows were added and r removed, a + r = k, y_i is between the old y_i-a and y_i+r. So the
 * lower quartile lies between the places ceil((n - 3 k) / 4) and ceil((n + 3 k) / 4), the upper one
 * between ceil((3 n - 3 k) / 4) and ceil((3 n + 3 k) / 4): the window W_k.
 *
 * Of neighbours x and x', W_k(x') lies within W_k+1(x): if x' has a row more, its places for k move
 * by 1/4 or 3/4 and its values by one place, together by 3/4 at most.  Let D be the least k >= 1
 * with W_k not all in the bin of W_0.  If the bins of neighbours differ, D = 1 for both, since
 * W_0(x') lies in W_1(x).  If not, D differs by 1 at most.  So D with discrete Laplace noise is
 * private as a count is; and where the bins differ, either is published with the probability alone
 * that 1 and noise reach the threshold (dpriv_measure_release_if).  Two tests, each with half of
 * epsilon and delta.
 */
#include "postgres.h"

#include <math.h>

#include "mechanism/kinds.h"
#include "miscadmin.h"

/* Bins: the widths from 2^(j / BINS_PER_OCTAVE) to the next, shifted by half of that or not. */
#define BINS_PER_OCTAVE 2
#define GRIDS 2

/* The bin of width 0, below all others. */
#define NO_WIDTH (-100000)

/* Exact counts by leaf, summed up. */
typedef struct Leaves
{
	int			n;
	const int64 *leaf;			/* leaf i is at 2 i */
	int128	   *upto;			/* rows in leaves 0 .. i */
	int128		rows;
} Leaves;

void
dpriv_iqr_check(DprivMeasure *measure)
{
	measure->ncomponents = 2;
}

void
dpriv_iqr_prepare(DprivMeasure *measure)
{
	Datum		range[DPRIV_RANGE_ELEMENTS];

	if (measure->delta == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no delta", measure->kind->name),
				 errdetail("A test that can fail needs a delta above 0."),
				 errhint("SET dpriv.delta = 1e-6, for example, or pass it as the last argument.")));
	range[DPRIV_RANGE_LOWER] = Float8GetDatum(0.0);
	range[DPRIV_RANGE_PER_UNIT] = Float8GetDatum(0.0);
	range[DPRIV_RANGE_LEAVES] = Float8GetDatum((double) DPRIV_MAGNITUDE_LEAVES);
	measure->parameter = PointerGetDatum(construct_array(range, DPRIV_RANGE_ELEMENTS, FLOAT8OID,
														 sizeof(float8), FLOAT8PASSBYVAL,
														 TYPALIGN_DOUBLE));
	measure->nsamplers = 0;
	measure->share[0] = measure->epsilon.noise;
	measure->nsteps[0] = 1;
}

static void
read_leaves(Leaves *leaves, Datum exact, bool isnull)
{
	leaves->n = dpriv_leaves_read(exact, isnull, &leaves->leaf);
	leaves->rows = 0;
	leaves->upto = palloc(sizeof(int128) * leaves->n);
	for (int i = 0; i < leaves->n; i++)
	{
		leaves->rows += leaves->leaf[2 * i + 1];
		leaves->upto[i] = leaves->rows;
	}
}

/* The number that a leaf stands for: the one of least size in it. */
static double
leaf_value(int leaf)
{
	int			code = abs(leaf - DPRIV_MAGNITUDE_ZERO) - 1;
	double		size;

	if (code < 0)
		return 0.0;
	size = ldexp(1.0 + (double) (code % DPRIV_MAGNITUDE_PER_OCTAVE) / DPRIV_MAGNITUDE_PER_OCTAVE,
				 DPRIV_BUCKET_FIRST_REAL + code / DPRIV_MAGNITUDE_PER_OCTAVE);
	return leaf < DPRIV_MAGNITUDE_ZERO ? -size : size;
}

/* y_i, i = ceil(quarters / 4). */
static double
value_at(const Leaves *leaves, int128 quarters)
{
	int128		place = quarters > 0 ? (quarters + 3) / 4 : 0;
	int			low = 0;
	int			high = leaves->n - 1;

	if (place < 1)
		return leaf_value(0);
	if (place > leaves->rows)
		return leaf_value(DPRIV_MAGNITUDE_LEAVES - 1);
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (leaves->upto[middle] >= place)
			high = middle;
		else
			low = middle + 1;
	}
	return leaf_value((int) leaves->leaf[2 * low]);
}

/* The bin of a width, higher for larger ones; each has its lower end. */
static int
bin_of(double width, int grid)
{
	/* 2^-3/4, 2^-1/2, 2^-1/4: shifted bins begin a quarter of an octave later. */
	static const double border[GRIDS][BINS_PER_OCTAVE] = {
		{0.5, 0.70710678118654752}, {0.59460355750136053, 0.84089641525371454}
	};
	int			exponent;
	double		digits;
	int			bin;

	if (!(width > 0.0))
		return NO_WIDTH;
	digits = frexp(width, &exponent);
	bin = BINS_PER_OCTAVE * exponent - 1;
	for (int i = 0; i < BINS_PER_OCTAVE; i++)
		bin += digits >= border[grid][i];
	return bin;
}

/* All of the window W_k is in the bin. */
static bool
is_stable(const Leaves *leaves, int128 k, int bin, int grid)
{
	int128		n = leaves->rows;
	double		widest = value_at(leaves, 3 * n + 3 * k) - value_at(leaves, n - 3 * k);
	double		narrowest = value_at(leaves, 3 * n - 3 * k) - value_at(leaves, n + 3 * k);

	return bin_of(widest, grid) == bin && bin_of(narrowest, grid) == bin;
}

/* D.  From n + 1 on the window has all widths, and windows only grow. */
static int128
find_distance(const Leaves *leaves, int bin, int grid)
{
	int128		low = 1;
	int128		high = leaves->rows + 1;

	while (low < high)
	{
		int128		middle = (low + high) / 2;

		CHECK_FOR_INTERRUPTS();
		if (is_stable(leaves, middle, bin, grid))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Component 0 is the grid, GRIDS if no test was passed, and 1 the bin. */
void
dpriv_iqr_select(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	Leaves		leaves;
	double		width;

	read_leaves(&leaves, exact, isnull);
	width = value_at(&leaves, 3 * leaves.rows) - value_at(&leaves, leaves.rows);
	component[0] = GRIDS;
	component[1] = 0;
	for (int grid = 0; grid < GRIDS && component[0] == GRIDS; grid++)
	{
		int			bin = bin_of(width, grid);

		if (dpriv_measure_release_if(measure, find_distance(&leaves, bin, grid), bin, GRIDS))
		{
			component[0] = grid;
			component[1] = bin;
		}
	}
	pfree(leaves.upto);
}

bool
dpriv_iqr_is_null(const DprivMeasure *measure, const int128 *component)
{
	return component[0] == GRIDS;
}

/* The middle of the bin, as ratios go. */
Datum
dpriv_iqr_answer(const DprivMeasure *measure, const int128 *component)
{
	double		middle = 0.5 + 0.5 * (double) component[0];

	if (component[1] == NO_WIDTH)
		return Float8GetDatum(0.0);
	return Float8GetDatum(exp2(((double) component[1] - BINS_PER_OCTAVE + middle) /
							   BINS_PER_OCTAVE));
}
