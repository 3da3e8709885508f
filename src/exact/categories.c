/*
 * categories.c
 *	  exact_categories: how many values equal each of the given texts, byte by byte.
 *
 * The categories are all different, so a value counts in one of them at most and one row moves one
 * count by one.  NULL and all other values count nowhere.
 *
 * Categories are found by binary search and not in a hash table: whoever writes the query chooses
 * them, and must not be able to make some values of a column much slower than others.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "port/pg_bswap.h"
#include "utils/memutils.h"

#include "exact.h"

/*
 * One category.  Categories are sorted by head, then by the bytes behind it, then by length.
 */
typedef struct Category
{
	const char *bytes;			/* points into the copy of the argument */
	int			length;			/* in bytes */
	int			position;		/* of its count in the state */
} Category;

/*
 * Validated categories, kept in fn_extra from row to row.
 *
 * If the categories are not fixed for the execution, each row's are compared with the copy byte by
 * byte, and sorted and validated again when they differ.
 */
typedef struct CategoryList
{
	MemoryContext context;		/* holds all of this */
	bool		fixed;			/* the same for all rows, no need to compare */
	int			n;				/* 1 .. DPRIV_MAX_BINS */
	int			max_length;		/* of a category, in bytes */
	ArrayType  *argument;		/* copy of the argument */
	uint64	   *head;			/* first eight bytes of each category as a big-endian number */
	int		   *same_head;		/* how many categories from here on have this head */
	Category   *category;
} CategoryList;

PG_FUNCTION_INFO_V1(dpriv_exact_categories_accum);

/* The first eight bytes as a big-endian number, filled up with zeros: it sorts as the bytes do. */
static inline uint64
get_head(const char *bytes, int length)
{
	uint64		head = 0;

	if (length >= (int) sizeof(head))
	{
		memcpy(&head, bytes, sizeof(head));
		return pg_ntoh64(head);
	}
	for (int i = 0; i < length; i++)
		head |= (uint64) (unsigned char) bytes[i] << (8 * (7 - i));
	return head;
}

/* Order of two texts with the same head. */
static inline int
compare_bytes(const char *a, int a_length, const char *b, int b_length)
{
	int			order = memcmp(a, b, Min(a_length, b_length));

	if (order != 0)
		return order;
	return (a_length > b_length) - (a_length < b_length);
}

static int
compare_categories(const void *a, const void *b)
{
	const Category *ca = a;
	const Category *cb = b;

	/* the order of the heads is the order of the bytes */
	return compare_bytes(ca->bytes, ca->length, cb->bytes, cb->length);
}

/* Refuse what are not categories, without looking at their texts.  Errors: 22023. */
static void
check_shape(ArrayType *array)
{
	if (array == NULL || ARR_NDIM(array) != 1 || ARR_ELEMTYPE(array) != TEXTOID ||
		array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("categories must be a one-dimensional array without nulls"),
				 errhint("List the categories, for example ARRAY['red', 'green'].")));
	if (ARR_DIMS(array)[0] > DPRIV_MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("too many categories"),
				 errdetail("There can be at most %d categories.", DPRIV_MAX_BINS),
				 errhint("Leave out categories, or merge some of them.")));
}

/* Validate the categories, sort them and keep them for the rows that follow.  Errors: 22023. */
static pg_noinline CategoryList *
remember_categories(FunctionCallInfo fcinfo, ArrayType *array)
{
	CategoryList *old = fcinfo->flinfo->fn_extra;
	CategoryList *list;
	MemoryContext context;
	MemoryContext caller;
	Datum	   *element;
	int			n;

	check_shape(array);

	context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpriv categories",
									ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(context);

	list = palloc0(sizeof(CategoryList));
	list->context = context;
	list->argument = (ArrayType *) palloc(VARSIZE(array));
	memcpy(list->argument, array, VARSIZE(array));

	deconstruct_array(list->argument, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL, &n);
	list->n = n;
	list->category = palloc(n * sizeof(Category));
	list->head = palloc(n * sizeof(uint64));
	list->same_head = palloc(n * sizeof(int));
	for (int i = 0; i < n; i++)
	{
		text	   *value = DatumGetTextPP(element[i]);

		list->category[i].bytes = VARDATA_ANY(value);
		list->category[i].length = VARSIZE_ANY_EXHDR(value);
		list->category[i].position = i;
		list->max_length = Max(list->max_length, list->category[i].length);
	}
	qsort(list->category, n, sizeof(Category), compare_categories);

	for (int i = n - 1; i >= 0; i--)
	{
		Category   *category = &list->category[i];

		list->head[i] = get_head(category->bytes, category->length);
		list->same_head[i] = 1;
		if (i == n - 1)
			continue;
		if (compare_categories(category, category + 1) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("categories must be different from each other"),
					 errhint("Remove duplicates from the list of categories.")));
		if (list->head[i] == list->head[i + 1])
			list->same_head[i] += list->same_head[i + 1];
	}

	MemoryContextSwitchTo(caller);
	list->fixed = dpriv_call_is_fixed(fcinfo, 2, NULL);
	if (old != NULL)
		MemoryContextDelete(old->context);
	fcinfo->flinfo->fn_extra = list;
	return list;
}

/* The categories of this row, validated. */
static inline const CategoryList *
get_categories(FunctionCallInfo fcinfo)
{
	CategoryList *list = fcinfo->flinfo->fn_extra;
	ArrayType  *array;

	if (likely(list != NULL && list->fixed))
		return list;
	array = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);
	if (list != NULL && array != NULL && VARSIZE(array) == VARSIZE(list->argument) &&
		memcmp(array, list->argument, VARSIZE(array)) == 0)
		return list;
	return remember_categories(fcinfo, array);
}

/* The position of a text among the categories, or -1. */
static inline int
find_category(const CategoryList *list, const char *bytes, int length)
{
	uint64		head = get_head(bytes, length);
	int			first = 0;
	int			n = list->n;

	/* the first category whose head is not smaller, without branches on data */
	while (n > 1)
	{
		int			half = n / 2;

		first += (list->head[first + half - 1] < head) ? half : 0;
		n -= half;
	}
	if (list->head[first] != head)
		return -1;

	/* among those with this head, usually one */
	n = list->same_head[first];
	while (n > 0)
	{
		int			half = n / 2;
		const Category *category = &list->category[first + half];
		int			order = compare_bytes(bytes, length, category->bytes, category->length);

		if (order == 0)
			return category->position;
		if (order > 0)
		{
			first += half + 1;
			n -= half + 1;
		}
		else
			n = half;
	}
	return -1;
}

/*
 * Is this text longer than every category?  Then it equals none, and need not be fetched and
 * decompressed.
 */
static inline bool
is_too_long(const CategoryList *list, Datum value)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);

	return (VARATT_IS_EXTERNAL(pointer) || VARATT_IS_COMPRESSED(pointer)) &&
		toast_raw_datum_size(value) > (Size) list->max_length + VARHDRSZ;
}

/* exact_categories(text, categories), transition. */
Datum
dpriv_exact_categories_accum(PG_FUNCTION_ARGS)
{
	const CategoryList *list = get_categories(fcinfo);
	DprivInt8Array *state = dpriv_counts_fixed_state(fcinfo, list->n, list->fixed);

	if (!PG_ARGISNULL(1) && !is_too_long(list, PG_GETARG_DATUM(1)))
	{
		text	   *value = PG_GETARG_TEXT_PP(1);
		int			position = find_category(list, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));

		if (position >= 0)
			state->value[position]++;
	}
	PG_RETURN_POINTER(state);
}
