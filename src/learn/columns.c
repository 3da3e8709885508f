/*
 * columns.c
 *	  The columns that a model is trained on.
 *
 * What a row's vector looks like must not depend on rows: bounds of numbers and values of
 * categories are public, given by whoever trains or declared by the relation's owner.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "learn/columns.h"
#include "learn/options.h"
#include "learn/values.h"
#include "miscadmin.h"
#include "parser/parse_relation.h"
#include "release/declared.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* The column of a name, and its type without domains. */
static AttrNumber
find_column(Relation relation, const char *name, Oid *type)
{
	AttrNumber	column = attnameAttNum(relation, name, false);

	if (column == InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist", name,
						RelationGetRelationName(relation)),
				 errhint("Label and features are names of columns of the relation.")));
	*type = getBaseType(TupleDescAttr(RelationGetDescr(relation), column - 1)->atttypid);
	return column;
}

static void
refuse_type(const char *name, Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("column \"%s\" of type %s cannot be used for training", name,
					format_type_be(type)),
			 errhint("Use columns of numbers, boolean, text or an enum; others can be cast in a "
					 "view.")));
}

int
dpriv_learn_enum_labels(Oid type, char ***text, Oid **label)
{
	CatCList   *list = SearchSysCacheList1(ENUMTYPOIDNAME, ObjectIdGetDatum(type));
	int			n = list->n_members;
	float4	   *order = palloc(sizeof(float4) * Max(n, 1));

	*text = palloc(sizeof(char *) * Max(n, 1));
	*label = palloc(sizeof(Oid) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		Form_pg_enum form = (Form_pg_enum) GETSTRUCT(&list->members[i]->tuple);
		int			at = i;

		CHECK_FOR_INTERRUPTS();
		for (; at > 0 && order[at - 1] > form->enumsortorder; at--)
		{
			order[at] = order[at - 1];
			(*text)[at] = (*text)[at - 1];
			(*label)[at] = (*label)[at - 1];
		}
		order[at] = form->enumsortorder;
		(*text)[at] = pstrdup(NameStr(form->enumlabel));
		(*label)[at] = form->oid;
	}
	ReleaseCatCacheList(list);
	return n;
}

/*
 * The label
 */

static void
refuse_positive(const char *name, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("label \"%s\" has no positive class", name),
			 errdetail("%s", detail),
			 errhint("Name the value that is to be predicted: "
					 "options => '{\"positive\": \"yes\"}'.")));
}

/* Of an enum with two labels the second is positive unless the options name one. */
static void
read_enum_label(LearnLabel *label)
{
	char	  **text;
	Oid		   *oid;
	int			n = dpriv_learn_enum_labels(label->type, &text, &oid);

	if (label->positive == NULL && n == 2)
		label->label = oid[1];
	for (int i = 0; label->positive && i < n; i++)
		if (strcmp(text[i], label->positive) == 0)
			label->label = oid[i];
	if (!OidIsValid(label->label))
		refuse_positive(label->name, label->positive ? "The enum does not have that label." :
						"The enum does not have two labels.");
}

void
dpriv_learn_label(LearnLabel *label, Relation relation, const char *name, Jsonb *options)
{
	JsonbValue *positive = dpriv_learn_member(&options->root, "positive");

	label->name = pstrdup(name);
	label->column = find_column(relation, name, &label->type);
	if (positive && positive->type == jbvNumeric && dpriv_learn_is_number(label->type))
	{
		label->number = dpriv_learn_json_number(positive);
		label->positive = label->name;
		return;
	}
	if (positive && positive->type == jbvBool && label->type == BOOLOID)
	{
		label->number = positive->val.boolean ? 1.0 : 0.0;
		label->positive = label->name;
		return;
	}
	label->positive = dpriv_learn_text_option(options, "positive");
	if (type_is_enum(label->type))
		read_enum_label(label);
	else if (dpriv_learn_is_text(label->type))
	{
		if (label->positive == NULL)
			refuse_positive(name, "It is a text.");
		label->length = strlen(label->positive);
	}
	else if (!dpriv_learn_is_number(label->type))
		refuse_type(name, label->type);
	else if (label->positive)
		refuse_positive(name, "The column holds numbers or booleans, and option \"positive\" is a "
						"string.");
}

/*
 * Features
 */

static void
refuse_feature(const char *problem, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of feature \"%s\" are not valid", problem, name),
			 errhint("Numbers have bounds, such as \"age\": [17, 90], and texts have values, such "
					 "as \"sex\": [\"Female\", \"Male\"], in options.features.")));
}

/* What the options say of a feature: an array, or NULL. */
static JsonbContainer *
description(Jsonb *options, const char *name)
{
	JsonbValue *features = dpriv_learn_member(&options->root, "features");
	JsonbValue *value;

	if (features == NULL)
		return NULL;
	if (features->type != jbvBinary || !JsonContainerIsObject(features->val.binary.data))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"features\" must be a JSON object"),
				 errhint("Write for example '{\"features\": {\"age\": [17, 90]}}'.")));
	value = dpriv_learn_member(features->val.binary.data, name);
	if (value == NULL)
		return NULL;
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		refuse_feature("bounds or values", name);
	return value->val.binary.data;
}

static void
refuse_missing(const char *what, const char *name, const char *example)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("feature \"%s\" has no %s", name, what),
			 errdetail("What rows are made of must be public, and cannot be taken from the rows."),
			 errhint("Give them: options => '{\"features\": {\"%s\": %s}}'. The owner of the table "
					 "can declare them by dpriv.set_bounds() and dpriv.set_domain().", name, example)));
}

static void
read_bounds(LearnFeature *feature, JsonbContainer *description, const DprivDeclaration *declared)
{
	double		bound[2] = {0, 1};

	if (declared->has_bounds)
	{
		bound[0] = declared->lower;
		bound[1] = declared->upper;
	}
	else if (description == NULL && feature->type != BOOLOID)
		refuse_missing("bounds", feature->name, "[0, 100]");
	if (description && JsonContainerSize(description) != 2)
		refuse_feature("bounds", feature->name);
	for (int i = 0; description && i < 2; i++)
	{
		JsonbValue *value = getIthJsonbValueFromContainer(description, i);

		if (value->type != jbvNumeric)
			refuse_feature("bounds", feature->name);
		bound[i] = dpriv_learn_json_number(value);
	}

	/* Both the bounds and what lies between them are ordinary numbers. */
	if (!(bound[0] < bound[1] && bound[1] - bound[0] >= 1e-100 && fabs(bound[0]) <= 1e100 &&
		  fabs(bound[1]) <= 1e100))
		refuse_feature("bounds", feature->name);
	feature->lower = bound[0];
	feature->upper = bound[1];
}

static void
read_levels(LearnFeature *feature, JsonbContainer *description, const DprivDeclaration *declared)
{
	int			n = description ? JsonContainerSize(description) : declared->nlabels;

	if (description == NULL && n == 0)
		refuse_missing("values", feature->name, "[\"a\", \"b\"]");
	if (n < 1 || n > DPRIV_LEARN_MAX_TERMS)
		refuse_feature("values", feature->name);
	feature->level = palloc(sizeof(char *) * n);
	for (int i = 0; i < n; i++)
	{
		JsonbValue *value = description ? getIthJsonbValueFromContainer(description, i) : NULL;

		if (value && value->type != jbvString)
			refuse_feature("values", feature->name);
		feature->level[i] = value ? pnstrdup(value->val.string.val, value->val.string.len) :
			declared->label[i];
	}
	feature->nlevels = n + 1;
	if (!dpriv_learn_sort_levels(feature))
		refuse_feature("values", feature->name);
}

static void
read_feature(LearnFeature *feature, Relation relation, LearnColumns *columns, Jsonb *options)
{
	JsonbContainer *given = description(options, feature->name);
	DprivDeclaration declared = {0};

	feature->column = find_column(relation, feature->name, &feature->type);
	if (given == NULL)
		declared = dpriv_declaration_of(RelationGetRelid(relation), feature->column,
										dpriv_learn_is_number(feature->type));
	if (feature->column == columns->label.column)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("label \"%s\" is a feature as well", feature->name),
				 errhint("Leave it out of the features.")));
	if (dpriv_learn_is_number(feature->type))
	{
		read_bounds(feature, given, &declared);
		feature->place = columns->nnumbers++;
		return;
	}
	feature->is_category = true;
	if (type_is_enum(feature->type))
	{
		if (given)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("feature \"%s\" is an enum and has its own values", feature->name),
					 errhint("Leave it out of options.features.")));
		feature->nlevels = 1 + dpriv_learn_enum_labels(feature->type, &feature->level,
													   &feature->label);
	}
	else if (dpriv_learn_is_text(feature->type))
		read_levels(feature, given, &declared);
	else
		refuse_type(feature->name, feature->type);
	feature->place = columns->ncategories++;
	feature->first_level = columns->nlevels;
	columns->nlevels += feature->nlevels;
}

/* A description of what is no feature would be a misspelt name. */
static void
check_described(LearnColumns *columns, Jsonb *options)
{
	JsonbValue *features = dpriv_learn_member(&options->root, "features");
	int			described = 0;

	if (features == NULL || columns->nfeatures == 0)
		return;
	for (int i = 0; i < columns->nfeatures; i++)
		described += description(options, columns->feature[i].name) != NULL;
	if (described != JsonContainerSize(features->val.binary.data))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"features\" describes what is no feature"),
				 errhint("Its members are names of features.")));
}

void
dpriv_learn_columns(LearnColumns *columns, Relation relation, const char *label,
					ArrayType *features, Jsonb *options)
{
	Datum	   *name;
	bool	   *isnull;

	memset(columns, 0, sizeof(LearnColumns));
	dpriv_learn_label(&columns->label, relation, label, options);
	deconstruct_array(features, TEXTOID, -1, false, TYPALIGN_INT, &name, &isnull,
					  &columns->nfeatures);
	if (columns->nfeatures < 1 || columns->nfeatures > DPRIV_LEARN_MAX_FEATURES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of features is out of range"),
				 errdetail("It must lie between 1 and %d.", DPRIV_LEARN_MAX_FEATURES),
				 errhint("Pass names of columns, for example ARRAY['age'].")));
	columns->feature = palloc0(sizeof(LearnFeature) * columns->nfeatures);
	for (int i = 0; i < columns->nfeatures; i++)
	{
		LearnFeature *feature = &columns->feature[i];

		if (isnull[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a feature must not be NULL"),
					 errhint("Pass names of columns.")));
		feature->name = TextDatumGetCString(name[i]);
		for (int j = 0; j < i; j++)
			if (strcmp(columns->feature[j].name, feature->name) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("feature \"%s\" is there twice", feature->name),
						 errhint("Name each column once.")));
		read_feature(feature, relation, columns, options);
	}
	check_described(columns, options);
	if (dpriv_learn_nterms(columns) > DPRIV_LEARN_MAX_TERMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the features have too many values"),
				 errdetail("A model can have %d terms.", DPRIV_LEARN_MAX_TERMS),
				 errhint("Leave features out, or list only the values that matter.")));
}
