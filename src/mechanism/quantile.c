/*
 * quantile.c
 *	  Medians and quantiles: leaves of the range, chosen by the distance of their ranks.
 *
 * The quantile q of n rows lies where q n rows are below.  A leaf with b rows below, c inside and a
 * above is right if b <= q n <= b + c, and its loss is how many rows q n is off:
 *
 *		max(0, b - q n, q n - b - c) = max(0, (1 - q) b - q (c + a), q a - (1 - q) (b + c)).
 *
 * A row more adds to the second term 1 - q if it is below, else -q, and to the third q if it is
 * above, else -(1 - q).  So no loss moves by more than max(q, 1 - q), and a choice with twice that
 * as divisor gets all of epsilon (dpriv_exponential_choose).  With q = num / den, everything is
 * multiplied by den.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mechanism/kinds.h"
#include "miscadmin.h"
#include "utils/array.h"

/* Fractions are rounded to multiples of 1e-9. */
#define FRACTION_UNITS 1000000000

#define MAX_FRACTIONS 1000

/* Whole numbers of this size are doubles, and so are their differences. */
#define LARGEST_WHOLE 9007199254740992.0

/*
 * dp_quantiles divides leaves into cells, at most 2^MAX_SPLITS each and MAX_CELLS together, so that
 * rows with equal values can be divided at a choice.
 */
#define MAX_SPLITS 10
#define MAX_CELLS (1 << 20)

/* Occupied cells, ascending. */
typedef struct Cells
{
	int			n;
	int		   *cell;
	int64	   *count;			/* > 0, but see choose_fractions() */
	DprivRun   *run;			/* room for 2 n + 1 */
} Cells;

/*
 * For integers, leaves of as few whole numbers as a power of two can say, one if there are at most
 * 65,536 of them; for others that many equal parts.
 */
static void
set_leaves(DprivMeasure *measure)
{
	double		first = ceil(measure->lower);
	double		last = floor(measure->upper);
	double		width = 1.0;

	if (!measure->integral || first > last || fabs(first) > LARGEST_WHOLE ||
		fabs(last) > LARGEST_WHOLE)
	{
		measure->leaf_width = 0.0;
		measure->ncells = DPRIV_MAX_BINS;
		return;
	}
	while ((last - first) / width >= DPRIV_MAX_BINS)
		width *= 2.0;
	measure->lower = first;
	measure->upper = last;
	measure->leaf_width = width;
	measure->ncells = (int) ((last - first) / width) + 1;
}

void
dpriv_median_check(DprivMeasure *measure)
{
	dpriv_bounds_check(measure);
	set_leaves(measure);
}

static int
fraction_units(double fraction)
{
	return (int) rint(fraction * FRACTION_UNITS);
}

void
dpriv_quantile_check(DprivMeasure *measure)
{
	double		fraction = DatumGetFloat8(measure->args[1]);

	if (!(fraction >= 0.0 && fraction <= 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fraction of %s must lie between 0 and 1", measure->kind->name),
				 errhint("The arguments are (value, fraction, lower, upper [, epsilon]); "
						 "0.5 is the median.")));
	dpriv_bounds_check_at(measure, 2, "value, fraction, lower, upper");
	set_leaves(measure);
}

void
dpriv_quantiles_check(DprivMeasure *measure)
{
	Datum	   *fraction;
	int			n = dpriv_real_elements(measure, &fraction);

	if (n < 1 || n > MAX_FRACTIONS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of fractions of %s is out of range", measure->kind->name),
				 errdetail("There must be from 1 to %d fractions.", MAX_FRACTIONS),
				 errhint("ARRAY[0.25, 0.5, 0.75] stands for the quartiles.")));
	for (int i = 0; i < n; i++)
	{
		double		x = DatumGetFloat8(fraction[i]);

		if (!(x >= 0.0 && x <= 1.0) ||
			(i > 0 && fraction_units(x) <= fraction_units(DatumGetFloat8(fraction[i - 1]))))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("fractions of %s must be numbers from 0 to 1 in increasing order",
							measure->kind->name),
					 errdetail("They are rounded to multiples of 1e-9, and then must differ."),
					 errhint("Sort the fractions and remove duplicates.")));
	}
	dpriv_bounds_check_at(measure, 2, "value, fractions, lower, upper");
	set_leaves(measure);
	measure->ncomponents = n;
}

void
dpriv_leaves_set_parameter(DprivMeasure *measure)
{
	Datum		range[DPRIV_RANGE_ELEMENTS];
	double		leaves_per_unit = measure->leaf_width > 0.0 ? 1.0 / measure->leaf_width :
		measure->ncells / (measure->upper - measure->lower);

	range[DPRIV_RANGE_LOWER] = Float8GetDatum(measure->lower);
	range[DPRIV_RANGE_PER_UNIT] = Float8GetDatum(leaves_per_unit);
	range[DPRIV_RANGE_LEAVES] = Float8GetDatum((double) measure->ncells);
	measure->parameter = PointerGetDatum(construct_array(range, DPRIV_RANGE_ELEMENTS, FLOAT8OID,
														 sizeof(float8), FLOAT8PASSBYVAL,
														 TYPALIGN_DOUBLE));
}

int
dpriv_leaves_read(Datum exact, bool isnull, const int64 **leaf)
{
	DprivInt8Array *array;

	*leaf = NULL;
	if (isnull)
		return 0;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	if (array->header.ndim == 0)
		return 0;
	if (!dpriv_is_int8_array(array, array->length) || array->length % 2 != 0)
		elog(ERROR, "unexpected result of exact leaves");
	*leaf = array->value;
	return array->length / 2;
}

void
dpriv_quantile_prepare(DprivMeasure *measure)
{
	dpriv_leaves_set_parameter(measure);
	measure->nsamplers = 0;
	measure->share[0] = measure->epsilon.noise;

	/* One for each level of choose_fractions(). */
	while (measure->ncomponents >> measure->nsteps[0] > 0)
		measure->nsteps[0]++;
}

/*
 * Occupied cells of an exact result, with 2^splits cells in place of each leaf.
 *
 * Row number i of a leaf, from 0, goes to cell reverse(i modulo 2^splits) of it; reverse turns
 * the order of the bits around: rows are spread evenly, and one row more is one row more in one
 * cell, as if the rows of a leaf had been different values.
 */
static void
get_cells(Cells *cells, Datum exact, bool isnull, int splits)
{
	int			parts = 1 << splits;
	const int64 *leaves;
	int			nleaves = dpriv_leaves_read(exact, isnull, &leaves);
	int64		bound = 0;

	for (int i = 0; i < nleaves; i++)
		bound += Min(leaves[2 * i + 1], parts);
	cells->n = 0;
	cells->cell = palloc(sizeof(int) * bound);
	cells->count = palloc(sizeof(int64) * bound);
	cells->run = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(DprivRun) * (2 * bound + 1));
	for (int i = 0; i < nleaves; i++)
	{
		int			leaf = (int) leaves[2 * i];
		int64		rows = leaves[2 * i + 1];
		int			rest = (int) (rows % parts);
		int			turn = 0;	/* reverse(part) */

		for (int part = 0; part < parts; part++)
		{
			int64		count = rows / parts + (turn < rest);
			int			bit = parts / 2;

			if (count > 0)
			{
				cells->cell[cells->n] = leaf * parts + part;
				cells->count[cells->n++] = count;
			}

			/* add one at the upper end, carrying downward */
			while (bit > 0 && (turn & bit))
			{
				turn ^= bit;
				bit /= 2;
			}
			turn |= bit;
		}
	}
	Assert(cells->n == bound);
}

static void
free_cells(Cells *cells)
{
	pfree(cells->run);
	pfree(cells->count);
	pfree(cells->cell);
}

static int128
loss_of(int64 below, int64 inside, int64 above, int num, int den)
{
	int128		high = (int128) (den - num) * below - (int128) num * (inside + above);
	int128		low = (int128) num * above - (int128) (den - num) * (below + inside);

	return Max(Max(high, low), 0);
}

/*
 * Choose one of the cells low .. high for the quantile num / den of the rows in entries begin ..
 * end - 1, all of which lie there.
 */
static int
choose_cell(const DprivMeasure *measure, Cells *cells, int low, int high, int begin, int end,
			int num, int den, int nparts)
{
	int			nruns = 0;
	int			next = low;		/* first cell without a run */
	int64		below = 0;
	int64		rows = 0;
	int			a = num;
	int			b = den;

	/* lowest terms: smaller numbers are faster */
	while (b != 0)
	{
		int			rest = a % b;

		a = b;
		b = rest;
	}
	num /= a;
	den /= a;

	for (int i = begin; i < end; i++)
		rows += cells->count[i];
	for (int i = begin; i <= end; i++)
	{
		int			cell = i < end ? cells->cell[i] : high + 1;

		if (cell > next)
		{
			DprivRun   *gap = &cells->run[nruns++];

			gap->loss = loss_of(below, 0, rows - below, num, den);
			gap->weight = cell - next;
		}
		if (i < end)
		{
			DprivRun   *run = &cells->run[nruns++];
			int64		inside = cells->count[i];

			run->loss = loss_of(below, inside, rows - below - inside, num, den);
			run->weight = 1;
			below += inside;
			next = cell + 1;
		}
	}
	return low + (int) dpriv_measure_choose(measure, cells->run, nruns,
											2 * (uint64) Max(num, den - num), nparts);
}

void
dpriv_quantile_select(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	bool		median = measure->kind->nargs == 3;
	int			num = median ? FRACTION_UNITS / 2 :
		fraction_units(DatumGetFloat8(measure->args[1]));
	Cells		cells;

	get_cells(&cells, exact, isnull, 0);
	component[0] = choose_cell(measure, &cells, 0, measure->ncells - 1, 0, cells.n, num,
							   FRACTION_UNITS, measure->nsteps[0]);
	free_cells(&cells);
}

/* What the recursion over fractions shares. */
typedef struct Fractions
{
	const DprivMeasure *measure;
	Cells	   *cells;
	int		   *num;			/* in FRACTION_UNITS, strictly increasing */
	int			splits;
	int128	   *component;
} Fractions;

/*
 * Choose cells for fractions first .. last, among cells low .. high with entries begin .. end - 1.
 * The rows there stand for those between the fractions from and to.
 *
 * The middle fraction is chosen first; its cell divides the rows, and the fractions below and above
 * are chosen from its two sides (Kaplan, Schnapp, Stemmer, "Differentially Private Approximate
 * Quantiles", 2022).  The chosen cell may be chosen again on both sides, and half of its rows go to
 * each: a row more there is a row more on one side only.  So on each level a row counts in one
 * choice, levels follow each other, and each gets an equal part of epsilon.
 */
static void
choose_fractions(const Fractions *fractions, int first, int last, int low, int high, int begin,
				 int end, int from, int to)
{
	Cells	   *cells = fractions->cells;
	int			middle = (first + last) / 2;
	int			num = fractions->num[middle];
	int			chosen;
	int			split = begin;	/* first entry that is not below the chosen cell */
	int64		inside = 0;

	CHECK_FOR_INTERRUPTS();
	if (first > last)
		return;
	chosen = choose_cell(fractions->measure, cells, low, high, begin, end, num - from, to - from,
						 fractions->measure->nsteps[0]);
	fractions->component[middle] = chosen >> fractions->splits;

	while (split < end && cells->cell[split] < chosen)
		split++;
	if (split < end && cells->cell[split] == chosen)
		inside = cells->count[split];

	if (inside > 0)
		cells->count[split] = inside - inside / 2;
	choose_fractions(fractions, first, middle - 1, low, chosen, begin, split + (inside > 0), from,
					 num);
	if (inside > 0)
		cells->count[split] = inside / 2;
	choose_fractions(fractions, middle + 1, last, chosen, high, split, end, num, to);
}

void
dpriv_quantiles_select(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	int			n = measure->ncomponents;
	Fractions	fractions = {.measure = measure, .component = component};
	Cells		cells;
	Datum	   *fraction;

	(void) dpriv_real_elements(measure, &fraction);
	fractions.cells = &cells;
	fractions.num = palloc(sizeof(int) * n);
	for (int i = 0; i < n; i++)
		fractions.num[i] = fraction_units(DatumGetFloat8(fraction[i]));
	while (fractions.splits < MAX_SPLITS &&
		   measure->ncells <= MAX_CELLS >> (fractions.splits + 1))
		fractions.splits++;

	get_cells(&cells, exact, isnull, fractions.splits);
	choose_fractions(&fractions, 0, n - 1, 0, (measure->ncells << fractions.splits) - 1, 0,
					 cells.n, 0, FRACTION_UNITS);
	free_cells(&cells);
	pfree(fractions.num);
}

/* The middle of a leaf, in whole numbers the lower one of two. */
static Datum
leaf_value(const DprivMeasure *measure, int128 leaf)
{
	double		lower = measure->lower;
	double		upper = measure->upper;
	double		value;

	if (measure->leaf_width > 0.0)
		value = lower + (double) leaf * measure->leaf_width +
			floor((measure->leaf_width - 1.0) / 2);
	else
		value = lower + (upper - lower) * (((double) leaf + 0.5) / measure->ncells);
	return Float8GetDatum(Min(Max(value, lower), upper));
}

Datum
dpriv_quantile_answer(const DprivMeasure *measure, const int128 *component)
{
	return leaf_value(measure, component[0]);
}

Datum
dpriv_quantiles_answer(const DprivMeasure *measure, const int128 *component)
{
	Datum	   *value = palloc(sizeof(Datum) * measure->ncomponents);

	for (int i = 0; i < measure->ncomponents; i++)
		value[i] = leaf_value(measure, component[i]);
	return PointerGetDatum(construct_array(value, measure->ncomponents, FLOAT8OID, sizeof(float8),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
