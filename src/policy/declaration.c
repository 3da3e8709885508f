/*
 * declaration.c
 *	  What is declared of a column: public bounds of its values, and a list of them.
 *
 * It is the column's security label, such as {"bounds": [17, 90]} or {"domain": ["Female", "Male"],
 * "other": "Female"}.  Nothing is remembered: labels are read while a release is planned, and
 * whoever changes one has all plans made again that read the relation.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "common/shortest_dec.h"
#include "exact/exact.h"
#include "lib/stringinfo.h"
#include "mechanism/grid.h"
#include "miscadmin.h"
#include "policy/declaration.h"
#include "policy/json.h"
#include "policy/label.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

/*
 * Longest text of a domain, and all of them together, each with what an array needs besides: both
 * stay within what a restricted role's expressions may contain.
 */
#define MAX_LABEL_BYTES 1000
#define MAX_DOMAIN_BYTES 1000000
#define BYTES_PER_VALUE 8

bool
dpriv_is_declarable(char relkind)
{
	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE ||
		relkind == RELKIND_MATVIEW || relkind == RELKIND_FOREIGN_TABLE;
}

const char *
dpriv_bounds_problem(double lower, double upper)
{
	double		largest = Max(fabs(lower), fabs(upper));

	if (!isfinite(lower) || !isfinite(upper))
		return "Bounds must be finite numbers.";
	if (lower >= upper)
		return "The lower bound must be less than the upper bound.";
	if (largest < DPRIV_GRID_SMALLEST_BOUND || largest > DPRIV_GRID_LARGEST_BOUND)
		return "The larger bound in size must lie between 1e-200 and 1e200.";
	return NULL;
}

const char *
dpriv_labels_problem(const DprivDeclaration *declaration)
{
	Size		longest = declaration->other ? strlen(declaration->other) : 0;
	Size		bytes = 0;

	if (declaration->nlabels < 1 || declaration->nlabels > DPRIV_MAX_BINS)
		return psprintf("A domain has from 1 to %d values.", DPRIV_MAX_BINS);
	for (int i = 0; i < declaration->nlabels; i++)
	{
		longest = Max(longest, strlen(declaration->label[i]));
		bytes += strlen(declaration->label[i]) + BYTES_PER_VALUE;
	}
	if (longest > MAX_LABEL_BYTES)
		return psprintf("A value must not have more than %d bytes.", MAX_LABEL_BYTES);
	if (bytes > MAX_DOMAIN_BYTES)
		return psprintf("Its values must not have more than %d bytes together, %d more for each "
						"counted in.", MAX_DOMAIN_BYTES, BYTES_PER_VALUE);
	return NULL;
}

const char *
dpriv_bounds_misfit(Oid relation, AttrNumber column)
{
	Oid			type = get_atttype(relation, column);

	switch (OidIsValid(type) ? getBaseType(type) : InvalidOid)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return NULL;
		default:
			return psprintf("The column's type is %s, which is no number.", format_type_be(type));
	}
}

/*
 * Reading
 */

static const char *
parse_bounds(const JsonbValue *value, DprivDeclaration *declaration)
{
	JsonbContainer *array = dpriv_json_array(value);
	double		bound[2];

	if (array == NULL || JsonContainerSize(array) != lengthof(bound))
		return "Its bounds are not an array of two numbers.";
	for (int i = 0; i < lengthof(bound); i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		if (element->type != jbvNumeric)
			return "Its bounds are not an array of two numbers.";
		bound[i] = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
													  NumericGetDatum(element->val.numeric)));
	}
	declaration->has_bounds = true;
	declaration->lower = bound[0];
	declaration->upper = bound[1];
	return dpriv_bounds_problem(bound[0], bound[1]);
}

static const char *
parse_domain(const JsonbValue *value, DprivDeclaration *declaration)
{
	JsonbContainer *array = dpriv_json_array(value);
	JsonbIterator *iterator;
	JsonbValue	element;
	JsonbIteratorToken token;

	if (array == NULL)
		return "Its domain is not an array of strings.";
	declaration->label = palloc(sizeof(char *) * (JsonContainerSize(array) + 1));
	iterator = JsonbIteratorInit(array);
	while ((token = JsonbIteratorNext(&iterator, &element, true)) != WJB_DONE)
	{
		char	   *label;

		CHECK_FOR_INTERRUPTS();
		if (token != WJB_ELEM)
			continue;
		label = dpriv_json_string(&element);
		if (label == NULL)
			return "Its domain is not an array of strings.";
		declaration->label[declaration->nlabels++] = label;
	}
	return NULL;
}

const char *
dpriv_declaration_parse(const char *text, DprivDeclaration *declaration)
{
	Jsonb	   *json;
	JsonbValue *bounds;
	JsonbValue *domain;
	JsonbValue *other;
	const char *problem = dpriv_json_read(text, &json);
	int			nknown = 0;

	memset(declaration, 0, sizeof(DprivDeclaration));
	if (problem)
		return problem;
	bounds = dpriv_json_member(json, "bounds", &nknown);
	domain = dpriv_json_member(json, "domain", &nknown);
	other = dpriv_json_member(json, "other", &nknown);
	problem = dpriv_json_unknown(json, nknown);
	if (problem == NULL && nknown == 0)
		problem = "It declares nothing.";
	if (problem == NULL && bounds)
		problem = parse_bounds(bounds, declaration);
	if (problem == NULL && domain)
		problem = parse_domain(domain, declaration);
	if (problem == NULL && other)
	{
		declaration->other = dpriv_json_string(other);
		if (domain == NULL || declaration->other == NULL)
			problem = "What other values count as is a string, and needs a domain.";
	}
	if (problem == NULL && domain)
		problem = dpriv_labels_problem(declaration);
	return problem;
}

static ObjectAddress
address_of(Oid relation, AttrNumber column)
{
	ObjectAddress address;

	ObjectAddressSubSet(address, RelationRelationId, relation, column);
	return address;
}

const char *
dpriv_declaration_read(Oid relation, AttrNumber column, DprivDeclaration *declaration)
{
	ObjectAddress address = address_of(relation, column);
	char	   *text = GetSecurityLabel(&address, DPRIV_LABEL_PROVIDER);

	memset(declaration, 0, sizeof(DprivDeclaration));
	return text ? dpriv_declaration_parse(text, declaration) : NULL;
}

/*
 * Writing
 */

/* The shortest decimal that is read as this number again. */
static void
append_number(StringInfo text, double number)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(number, digits);
	appendStringInfoString(text, digits);
}

static void
append_key(StringInfo text, const char *key)
{
	appendStringInfo(text, "%s\"%s\": ", text->len > 1 ? ", " : "", key);
}

void
dpriv_declaration_write(Oid relation, AttrNumber column, const DprivDeclaration *declaration)
{
	ObjectAddress address = address_of(relation, column);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	if (declaration->has_bounds)
	{
		append_key(&text, "bounds");
		appendStringInfoChar(&text, '[');
		append_number(&text, declaration->lower);
		appendStringInfoString(&text, ", ");
		append_number(&text, declaration->upper);
		appendStringInfoChar(&text, ']');
	}
	if (declaration->nlabels > 0)
	{
		append_key(&text, "domain");
		for (int i = 0; i < declaration->nlabels; i++)
		{
			appendStringInfoString(&text, i == 0 ? "[" : ", ");
			escape_json(&text, declaration->label[i]);
		}
		appendStringInfoChar(&text, ']');
	}
	if (declaration->other)
	{
		append_key(&text, "other");
		escape_json(&text, declaration->other);
	}
	appendStringInfoChar(&text, '}');
	SetSecurityLabel(&address, DPRIV_LABEL_PROVIDER,
					 declaration->has_bounds || declaration->nlabels > 0 ? text.data : NULL);
	CacheInvalidateRelcacheByRelid(relation);
}
