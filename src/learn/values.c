/*
 * values.c
 *	  What a value of a row is for a model: a number, a level, a class.
 *
 * Called for private values: no value raises an error, and none takes longer than its own length
 * explains.  Levels and classes are texts of the caller's, of any length, so they are not read for
 * a row that has another length.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "exact/exact.h"
#include "learn/values.h"
#include "utils/builtins.h"

bool
dpriv_learn_is_number(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return true;
		default:
			return false;
	}
}

bool
dpriv_learn_is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

double
dpriv_learn_number(Datum value, Oid type)
{
	switch (type)
	{
		case BOOLOID:
			return DatumGetBool(value) ? 1.0 : 0.0;
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(dpriv_to_real, value));
		default:
			elog(ERROR, "type %u has no numbers", type);
	}
}

int32
dpriv_learn_place(const LearnFeature *feature, double x)
{
	if (isnan(x))
		return DPRIV_LEARN_RANGE / 2;
	if (x <= feature->lower)
		return 0;
	if (x >= feature->upper)
		return DPRIV_LEARN_RANGE;
	return (int32) ((x - feature->lower) / (feature->upper - feature->lower) * DPRIV_LEARN_RANGE);
}

/* The bytes of a text of whatever type; blanks at the end of a character(n) are none. */
static const char *
text_bytes(Datum value, Oid type, int *length)
{
	text	   *bytes = DatumGetTextPP(value);

	*length = type == BPCHAROID ? bpchartruelen(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)) :
		VARSIZE_ANY_EXHDR(bytes);
	return VARDATA_ANY(bytes);
}

static int
level_of_text(const LearnFeature *feature, const char *bytes, int length)
{
	int			low = 0;
	int			high = feature->nlevels - 2;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		int			level = feature->sorted[middle];
		int			order = length - feature->length[level];

		if (order == 0)
			order = memcmp(bytes, feature->level[level], length);
		if (order == 0)
			return level;
		if (order < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return feature->nlevels - 1;
}

int
dpriv_learn_level(const LearnFeature *feature, Datum value)
{
	const char *bytes;
	int			length;

	if (feature->label)
	{
		for (int i = 0; i < feature->nlevels - 1; i++)
			if (feature->label[i] == DatumGetObjectId(value))
				return i;
		return feature->nlevels - 1;
	}
	bytes = text_bytes(value, feature->type, &length);
	return level_of_text(feature, bytes, length);
}

int
dpriv_learn_class(const LearnLabel *label, Datum value)
{
	const char *bytes;
	int			length;
	double		x;

	if (OidIsValid(label->label))
		return DatumGetObjectId(value) == label->label;
	switch (label->type)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			bytes = text_bytes(value, label->type, &length);
			return length == label->length && memcmp(bytes, label->positive, length) == 0;
		default:
			x = dpriv_learn_number(value, label->type);
			if (label->positive)
				return x == label->number;
			return x == 1.0 ? 1 : x == 0.0 ? 0 : -1;
	}
}

static int
compare_levels(const void *a, const void *b, void *arg)
{
	const LearnFeature *feature = arg;
	int			left = *(const int *) a;
	int			right = *(const int *) b;
	int			order = feature->length[left] - feature->length[right];

	return order != 0 ? order :
		memcmp(feature->level[left], feature->level[right], feature->length[left]);
}

bool
dpriv_learn_sort_levels(LearnFeature *feature)
{
	int			n = feature->nlevels - 1;

	feature->sorted = palloc(sizeof(int) * Max(n, 1));
	feature->length = palloc(sizeof(int) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		feature->sorted[i] = i;
		feature->length[i] = strlen(feature->level[i]);
	}
	qsort_arg(feature->sorted, n, sizeof(int), compare_levels, feature);
	for (int i = 1; i < n; i++)
		if (compare_levels(&feature->sorted[i - 1], &feature->sorted[i], feature) == 0)
			return false;
	return true;
}
