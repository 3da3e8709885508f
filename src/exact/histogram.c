/*
 * histogram.c
 *	  exact_histogram: how many values lie in each bin [e_i, e_i+1), the last one closed.
 *
 * A value counts in one bin at most, so one row moves one count by one.  NaN, NULL and what lies
 * outside of all bins count nowhere, and no value raises an error.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "exact.h"

/*
 * Validated edges, kept in fn_extra from row to row.
 *
 * If the edges are not fixed for the execution, each row's are compared with these byte by byte,
 * and validated again when they differ.
 */
typedef struct HistogramEdges
{
	bool		fixed;			/* the same for all rows, no need to compare */
	int			bins;			/* one less than edges, 1 .. DPRIV_MAX_BINS */
	float8		bins_per_unit;	/* bins / (last - first) if bins are about equally wide, else 0 */
	float8		edge[FLEXIBLE_ARRAY_MEMBER];	/* bins + 1 of them, strictly increasing, no NaN */
} HistogramEdges;

PG_FUNCTION_INFO_V1(dpriv_exact_histogram_accum);

/*
 * bins / (last - first), if a linear guess is worth a try for bins this wide, else 0.  Positive
 * only if every guess for a value between the edges lies in 0 .. bins.
 */
static float8
get_bins_per_unit(const HistogramEdges *edges)
{
	const float8 *edge = edges->edge;
	float8		width = (edge[edges->bins] - edge[0]) / edges->bins;
	float8		bins_per_unit = 1.0 / width;

	if (!(width > 0 && width <= DBL_MAX && bins_per_unit > 0 && bins_per_unit <= DBL_MAX))
		return 0;

	/* with edges off by more than a hundredth of a bin, too many guesses would miss */
	for (int i = 1; i < edges->bins; i++)
		if (fabs((edge[i] - edge[0]) * bins_per_unit - i) > 0.01)
			return 0;
	return bins_per_unit;
}

/* Validate the edges and keep a copy of them for the rows that follow.  Errors: 22023. */
static pg_noinline HistogramEdges *
remember_edges(FunctionCallInfo fcinfo, ArrayType *array)
{
	HistogramEdges *edges;
	int			n;
	Size		size;

	if (array == NULL || ARR_NDIM(array) != 1 || ARR_ELEMTYPE(array) != FLOAT8OID ||
		array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("edges must be a one-dimensional array without nulls"),
				 errhint("Pass the borders of the bins in increasing order, for example "
						 "ARRAY[0, 10, 20].")));

	n = ARR_DIMS(array)[0];
	if (n < 2 || n > DPRIV_MAX_BINS + 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of edges is out of range"),
				 errdetail("There must be between 2 and %d edges.", DPRIV_MAX_BINS + 1),
				 errhint("Pass one edge more than the number of bins.")));

	size = n * sizeof(float8);
	edges = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, offsetof(HistogramEdges, edge) + size);
	edges->bins = n - 1;
	memcpy(edges->edge, ARR_DATA_PTR(array), size);

	/* written so that a NaN fails */
	for (int i = 1; i < n; i++)
		if (!(edges->edge[i - 1] < edges->edge[i]))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("edges must be strictly increasing"),
					 errhint("Sort the edges and remove duplicates and NaN.")));

	edges->bins_per_unit = get_bins_per_unit(edges);
	edges->fixed = dpriv_call_is_fixed(fcinfo, 2, NULL);
	if (fcinfo->flinfo->fn_extra != NULL)
		pfree(fcinfo->flinfo->fn_extra);
	fcinfo->flinfo->fn_extra = edges;
	return edges;
}

/* Are these the edges that were validated before? */
static bool
same_edges(const HistogramEdges *edges, ArrayType *array)
{
	return ARR_NDIM(array) == 1 && !ARR_HASNULL(array) &&
		ARR_ELEMTYPE(array) == FLOAT8OID && ARR_DIMS(array)[0] == edges->bins + 1 &&
		memcmp(ARR_DATA_PTR(array), edges->edge, (edges->bins + 1) * sizeof(float8)) == 0;
}

/* The edges of this row, validated. */
static inline const HistogramEdges *
get_edges(FunctionCallInfo fcinfo)
{
	HistogramEdges *edges = fcinfo->flinfo->fn_extra;
	ArrayType  *array;

	if (likely(edges != NULL && edges->fixed))
		return edges;
	array = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	if (edges != NULL && array != NULL && same_edges(edges, array))
		return edges;
	return remember_edges(fcinfo, array);
}

/*
 * The bin of a value that lies between the first and the last edge: the last bin whose lower edge
 * does not exceed it.
 *
 * With bins of about equal width the bin is computed, and taken only if its edges agree: rounding
 * may miss it.  Otherwise a binary search without branches on data, which the processor could not
 * predict.
 */
static inline int
find_bin(const HistogramEdges *edges, float8 x)
{
	const float8 *base = edges->edge;
	int			bins = edges->bins;

	if (edges->bins_per_unit > 0)
	{
		int			guess = (int) ((x - base[0]) * edges->bins_per_unit);

		guess = Min(guess, bins - 1);
		if (likely(base[guess] <= x && x < base[guess + 1]))
			return guess;
	}

	while (bins > 1)
	{
		int			half = bins / 2;

		base += (base[half] <= x) ? half : 0;
		bins -= half;
	}
	return base - edges->edge;
}

/* exact_histogram(float8, edges), transition. */
Datum
dpriv_exact_histogram_accum(PG_FUNCTION_ARGS)
{
	const HistogramEdges *edges = get_edges(fcinfo);
	DprivInt8Array *state = dpriv_counts_fixed_state(fcinfo, edges->bins, edges->fixed);

	if (!PG_ARGISNULL(1))
	{
		float8		x = PG_GETARG_FLOAT8(1);

		if (x >= edges->edge[0] && x <= edges->edge[edges->bins])
			state->value[find_bin(edges, x)]++;
	}
	PG_RETURN_POINTER(state);
}
