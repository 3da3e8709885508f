/*
 * histogram.c
 *	  Histograms over edges and over categories.
 *
 * A row falls into at most one bin, so the whole vector of counts has L1 sensitivity 1, and every
 * bin is there whatever the data are.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "mechanism/kinds.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* The elements of a one-dimensional array argument without NULLs. */
static int
elements(const DprivMeasure *measure, Oid type, int16 typlen, bool typbyval, char typalign,
		 Datum **element)
{
	ArrayType  *array = DatumGetArrayTypeP(measure->args[1]);
	int			count;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("second argument of %s must be a one-dimensional array",
						measure->kind->name),
				 errhint("Write it as ARRAY[...], for example ARRAY[0, 10, 20].")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("second argument of %s must not contain NULL", measure->kind->name),
				 errhint("Rows whose value is NULL are counted nowhere; count them with "
						 "dp_count(*) FILTER (WHERE ... IS NULL).")));
	deconstruct_array(array, type, typlen, typbyval, typalign, element, NULL, &count);
	return count;
}

int
dpriv_text_elements(const DprivMeasure *measure, Datum **element)
{
	return elements(measure, TEXTOID, -1, false, TYPALIGN_INT, element);
}

int
dpriv_real_elements(const DprivMeasure *measure, Datum **element)
{
	return elements(measure, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, element);
}

void
dpriv_edges_check(DprivMeasure *measure)
{
	Datum	   *edge;
	int			nedges = dpriv_real_elements(measure, &edge);

	if (nedges < 2 || nedges > DPRIV_MAX_BINS + 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of edges of %s is out of range", measure->kind->name),
				 errdetail("There must be from 2 to %d edges.", DPRIV_MAX_BINS + 1),
				 errhint("n + 1 edges make n bins.")));
	for (int i = 0; i < nedges; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (isnan(DatumGetFloat8(edge[i])) ||
			(i > 0 && !(DatumGetFloat8(edge[i - 1]) < DatumGetFloat8(edge[i]))))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("edges of %s must be numbers in strictly increasing order",
							measure->kind->name),
					 errhint("Sort the edges and remove duplicates.")));
	}
	measure->ncomponents = nedges - 1;
}

static int
compare_texts(const void *a, const void *b)
{
	text	   *x = DatumGetTextPP(*(const Datum *) a);
	text	   *y = DatumGetTextPP(*(const Datum *) b);
	Size		xlen = VARSIZE_ANY_EXHDR(x);
	Size		ylen = VARSIZE_ANY_EXHDR(y);
	int			order = memcmp(VARDATA_ANY(x), VARDATA_ANY(y), Min(xlen, ylen));

	if (order != 0)
		return order;
	return xlen < ylen ? -1 : xlen > ylen;
}

/* A category named twice would count a row twice. */
void
dpriv_categories_check(DprivMeasure *measure)
{
	Datum	   *category;
	int			ncategories = dpriv_text_elements(measure, &category);

	if (ncategories < 1 || ncategories > DPRIV_MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of categories of %s is out of range", measure->kind->name),
				 errdetail("There must be from 1 to %d categories.", DPRIV_MAX_BINS),
				 errhint("List the categories that are publicly known.")));
	qsort(category, ncategories, sizeof(Datum), compare_texts);
	for (int i = 1; i < ncategories; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (compare_texts(&category[i - 1], &category[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("categories of %s must be distinct", measure->kind->name),
					 errhint("Remove the duplicates.")));
	}
	measure->ncomponents = ncategories;
}

void
dpriv_bins_prepare(DprivMeasure *measure)
{
	dpriv_count_prepare(measure);
	measure->parameter = measure->args[1];
}

void
dpriv_exact_counts(Datum exact, bool isnull, int64 *count, int nbins)
{
	DprivInt8Array *array;

	memset(count, 0, sizeof(int64) * nbins);
	if (isnull)
		return;
	array = (DprivInt8Array *) DatumGetArrayTypeP(exact);
	if (!dpriv_is_int8_array(array, nbins))
		elog(ERROR, "unexpected result of an exact histogram");
	memcpy(count, array->value, sizeof(int64) * nbins);
}

void
dpriv_bins_components(const DprivMeasure *measure, Datum exact, bool isnull, int128 *component)
{
	int64	   *count = palloc(sizeof(int64) * measure->ncomponents);

	dpriv_exact_counts(exact, isnull, count, measure->ncomponents);
	for (int i = 0; i < measure->ncomponents; i++)
		component[i] = count[i];
	pfree(count);
}

Datum
dpriv_rows_answer(const DprivMeasure *measure, const Datum *value, int nrows, const Oid *type,
				  int ncolumns)
{
	Oid			rowtype = get_element_type(measure->result_type);
	TupleDesc	tupdesc = lookup_rowtype_tupdesc(rowtype, -1);
	Datum	   *row = palloc(sizeof(Datum) * nrows);
	bool	   *isnull = palloc0(sizeof(bool) * ncolumns);

	/* Its owner may have altered it. */
	if (tupdesc->natts != ncolumns)
		elog(ERROR, "unexpected row type of an answer");
	for (int j = 0; j < ncolumns; j++)
		if (TupleDescAttr(tupdesc, j)->atttypid != type[j])
			elog(ERROR, "unexpected row type of an answer");
	for (int i = 0; i < nrows; i++)
	{
		Datum	   *column = unconstify(Datum *, &value[i * ncolumns]);

		row[i] = HeapTupleGetDatum(heap_form_tuple(tupdesc, column, isnull));
	}
	ReleaseTupleDesc(tupdesc);
	return PointerGetDatum(construct_array(row, nrows, rowtype, -1, false, TYPALIGN_DOUBLE));
}

/*
 * One row per bin: nleading consecutive values of "leading" (both edges, or the category), then the
 * count.
 */
static Datum
bins_array(const DprivMeasure *measure, const Datum *leading, int nleading, Oid leadingtype,
		   const int128 *component)
{
	Oid			type[] = {leadingtype, leadingtype, leadingtype};
	int			ncolumns = nleading + 1;
	Datum	   *value = palloc(sizeof(Datum) * measure->ncomponents * ncolumns);

	type[nleading] = INT8OID;
	for (int i = 0; i < measure->ncomponents; i++)
	{
		memcpy(&value[i * ncolumns], &leading[i], sizeof(Datum) * nleading);
		value[i * ncolumns + nleading] = Int64GetDatum(dpriv_int128_to_int64(component[i]));
	}
	return dpriv_rows_answer(measure, value, measure->ncomponents, type, ncolumns);
}

Datum
dpriv_edges_answer(const DprivMeasure *measure, const int128 *component)
{
	Datum	   *edge;

	(void) dpriv_real_elements(measure, &edge);
	return bins_array(measure, edge, 2, FLOAT8OID, component);
}

Datum
dpriv_categories_answer(const DprivMeasure *measure, const int128 *component)
{
	Datum	   *category;

	(void) dpriv_text_elements(measure, &category);
	return bins_array(measure, category, 1, TEXTOID, component);
}
