/*
 * domain.c
 *	  A public list of values of one type.
 *
 * Values are declared as texts, and read without settings: the same text is the same value for
 * everybody.  Reading one raises no error, so that a type that was changed later can be reported.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "policy/domain.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * Lists of values
 */

static int
compare_values(const DprivDomain *domain, Datum a, Datum b)
{
	struct varlena *x;
	struct varlena *y;
	int			order;

	if (domain->typbyval)
		return (a > b) - (a < b);
	if (domain->typlen != -1)
		return memcmp(DatumGetPointer(a), DatumGetPointer(b), domain->typlen);
	x = PG_DETOAST_DATUM_PACKED(a);
	y = PG_DETOAST_DATUM_PACKED(b);
	order = memcmp(VARDATA_ANY(x), VARDATA_ANY(y), Min(VARSIZE_ANY_EXHDR(x), VARSIZE_ANY_EXHDR(y)));
	return order != 0 ? order : (int) VARSIZE_ANY_EXHDR(x) - (int) VARSIZE_ANY_EXHDR(y);
}

static int
compare_numbers(const void *a, const void *b, void *domain)
{
	const DprivDomain *of = domain;

	return compare_values(of, of->value[*(const int *) a], of->value[*(const int *) b]);
}

void
dpriv_domain_begin(DprivDomain *domain, Oid type, int nvalues)
{
	domain->type = type;
	get_typlenbyvalalign(type, &domain->typlen, &domain->typbyval, &domain->typalign);
	domain->nvalues = 0;
	domain->value = palloc(sizeof(Datum) * nvalues);
	domain->sorted = NULL;
	domain->other = -1;
}

int
dpriv_domain_end(DprivDomain *domain)
{
	domain->sorted = palloc(sizeof(int) * domain->nvalues);
	for (int i = 0; i < domain->nvalues; i++)
		domain->sorted[i] = i;
	qsort_arg(domain->sorted, domain->nvalues, sizeof(int), compare_numbers, domain);
	for (int i = 1; i < domain->nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (compare_numbers(&domain->sorted[i - 1], &domain->sorted[i], domain) == 0)
			return domain->sorted[i];
	}
	return -1;
}

int
dpriv_domain_find(const DprivDomain *domain, Datum value)
{
	int			low = 0;
	int			high = domain->nvalues - 1;

	while (low <= high)
	{
		int			middle = low + (high - low) / 2;
		int			order = compare_values(domain, value, domain->value[domain->sorted[middle]]);

		if (order == 0)
			return domain->sorted[middle];
		if (order < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return -1;
}

/*
 * Values as texts
 */

static bool
read_integer(const char *label, int64 smallest, int64 largest, int64 *number)
{
	long long	value;
	char	   *end;

	errno = 0;
	value = strtoll(label, &end, 10);
	if (errno != 0 || end == label || *end != '\0' || isspace((unsigned char) label[0]) ||
		value < smallest || value > largest)
		return false;
	*number = value;
	return true;
}

/* YYYY-MM-DD */
static bool
read_date(const char *label, DateADT *date)
{
	int			year;
	int			month;
	int			day;

	if (strlen(label) != 10 || strspn(label, "0123456789-") != 10 ||
		sscanf(label, "%4d-%2d-%2d", &year, &month, &day) != 3 ||
		year < 1 || month < 1 || month > MONTHS_PER_YEAR || day < 1 ||
		day > day_tab[isleap(year)][month - 1])
		return false;
	*date = date2j(year, month, day) - POSTGRES_EPOCH_JDATE;
	return strcmp(label, dpriv_domain_label(DATEOID, DateADTGetDatum(*date))) == 0;
}

static bool
read_enum(Oid type, const char *label, Datum *value)
{
	HeapTuple	tuple;

	if (strlen(label) >= NAMEDATALEN)
		return false;
	tuple = SearchSysCache2(ENUMTYPOIDNAME, ObjectIdGetDatum(type), CStringGetDatum(label));
	if (!HeapTupleIsValid(tuple))
		return false;
	*value = ObjectIdGetDatum(((Form_pg_enum) GETSTRUCT(tuple))->oid);
	ReleaseSysCache(tuple);
	return true;
}

/* False if the type has no such value.  Texts have at most so many characters; 0: any number. */
static bool
read_value(Oid type, int characters, const char *label, Datum *value)
{
	int64		number;
	DateADT		date;
	bool		flag;

	switch (type)
	{
		case TEXTOID:
			*value = CStringGetTextDatum(label);
			return characters == 0 || pg_mbstrlen(label) <= characters;
		case BOOLOID:
			if (!parse_bool(label, &flag))
				return false;
			*value = BoolGetDatum(flag);
			return true;
		case INT2OID:
			if (!read_integer(label, PG_INT16_MIN, PG_INT16_MAX, &number))
				return false;
			*value = Int16GetDatum((int16) number);
			return true;
		case INT4OID:
			if (!read_integer(label, PG_INT32_MIN, PG_INT32_MAX, &number))
				return false;
			*value = Int32GetDatum((int32) number);
			return true;
		case INT8OID:
			if (!read_integer(label, PG_INT64_MIN, PG_INT64_MAX, &number))
				return false;
			*value = Int64GetDatum(number);
			return true;
		case DATEOID:
			if (!read_date(label, &date))
				return false;
			*value = DateADTGetDatum(date);
			return true;
		default:
			return read_enum(type, label, value);
	}
}

static char *
enum_label(Datum value)
{
	HeapTuple	tuple = SearchSysCache1(ENUMOID, value);
	char	   *label;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for enum value %u", DatumGetObjectId(value));
	label = pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel));
	ReleaseSysCache(tuple);
	return label;
}

char *
dpriv_domain_label(Oid type, Datum value)
{
	int			year;
	int			month;
	int			day;

	switch (type)
	{
		case TEXTOID:
			return TextDatumGetCString(value);
		case BOOLOID:
			return pstrdup(DatumGetBool(value) ? "true" : "false");
		case INT2OID:
			return psprintf("%d", DatumGetInt16(value));
		case INT4OID:
			return psprintf("%d", DatumGetInt32(value));
		case INT8OID:
			return psprintf(INT64_FORMAT, DatumGetInt64(value));
		case DATEOID:
			if (DATE_NOT_FINITE(DatumGetDateADT(value)))
				return pstrdup(DATE_IS_NOBEGIN(DatumGetDateADT(value)) ? "-infinity" : "infinity");
			j2date(DatumGetDateADT(value) + POSTGRES_EPOCH_JDATE, &year, &month, &day);
			return psprintf("%04d-%02d-%02d", year, month, day);
		default:
			return enum_label(value);
	}
}

ArrayType *
dpriv_domain_labels(const DprivDomain *domain)
{
	Datum	   *label = palloc(sizeof(Datum) * domain->nvalues);

	for (int i = 0; i < domain->nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		label[i] = CStringGetTextDatum(dpriv_domain_label(domain->type, domain->value[i]));
	}
	return construct_array(label, domain->nvalues, TEXTOID, -1, false, TYPALIGN_INT);
}

/*
 * Domains of columns
 */

/* The type that values are listed in, or InvalidOid. */
static Oid
list_type(Oid type)
{
	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
			return TEXTOID;
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			return type;
		default:
			return type_is_enum(type) ? type : InvalidOid;
	}
}

static const char *
no_value(const char *label, Oid type)
{
	return psprintf("\"%s\" is not a value of type %s.", label, format_type_be(type));
}

const char *
dpriv_domain_make(const DprivDeclaration *declaration, Oid relation, AttrNumber column,
				  DprivDomain *domain)
{
	int32		typmod;
	Oid			collation;
	Oid			base;
	Oid			type;
	int			twice;

	get_atttypetypmodcoll(relation, column, &base, &typmod, &collation);
	base = getBaseTypeAndTypmod(base, &typmod);
	type = list_type(base);
	if (!OidIsValid(type))
		return psprintf("Values of type %s cannot be listed; those of text, enums, integers, "
						"boolean and date can.", format_type_be(base));
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return "The column's collation is nondeterministic: texts that differ can be equal.";
	typmod = typmod > VARHDRSZ ? typmod - VARHDRSZ : 0;

	dpriv_domain_begin(domain, type, declaration->nlabels + 1);
	for (int i = 0; i < declaration->nlabels; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!read_value(type, typmod, declaration->label[i], &domain->value[i]))
			return no_value(declaration->label[i], base);
		domain->nvalues++;
	}
	twice = dpriv_domain_end(domain);
	if (twice >= 0)
		return psprintf("The value \"%s\" is there twice.", declaration->label[twice]);
	if (declaration->other)
	{
		Datum		other;

		if (!read_value(type, typmod, declaration->other, &other))
			return no_value(declaration->other, base);
		domain->other = dpriv_domain_find(domain, other);
		if (domain->other < 0)
		{
			domain->other = domain->nvalues;
			domain->value[domain->nvalues++] = other;
			(void) dpriv_domain_end(domain);
		}
	}
	return NULL;
}

const char *
dpriv_declaration_misfit(const DprivDeclaration *declaration, Oid relation, AttrNumber column)
{
	const char *problem = NULL;
	DprivDomain domain;

	if (declaration->has_bounds)
		problem = dpriv_bounds_misfit(relation, column);
	if (problem == NULL && declaration->nlabels > 0)
		problem = dpriv_domain_make(declaration, relation, column, &domain);
	return problem;
}

/*
 * Labels of values that are no texts, for measures that count texts.  They cannot fail.
 */

PG_FUNCTION_INFO_V1(dpriv_label_of_int8);

Datum
dpriv_label_of_int8(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(dpriv_domain_label(INT8OID, PG_GETARG_DATUM(0))));
}

PG_FUNCTION_INFO_V1(dpriv_label_of_bool);

Datum
dpriv_label_of_bool(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(dpriv_domain_label(BOOLOID, PG_GETARG_DATUM(0))));
}

PG_FUNCTION_INFO_V1(dpriv_label_of_date);

Datum
dpriv_label_of_date(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(dpriv_domain_label(DATEOID, PG_GETARG_DATUM(0))));
}
