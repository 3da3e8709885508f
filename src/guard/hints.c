/*
 * hints.c
 *	  What to write in place of what is not allowed on private rows.
 *
 * Every refusal names a way out.  Only functions of PostgreSQL that analysts and their tools often
 * send have one of their own.
 */
#include "postgres.h"

#include "access/transam.h"
#include "guard/hints.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#define NO_CONCATENATION \
	"Concatenate released values. To group by several columns, name them all in GROUP BY."
#define NO_REGEX \
	"Use LIKE or ILIKE, several of them combined by AND and OR, or left(), right(), split_part() " \
	"and position()."
#define NO_FORMAT \
	"Use date_trunc() or extract() on private rows, and format released values."
#define NO_PARSE \
	"Let the table's owner add a column of the right type, or compare the text as it is."
#define NO_FIELD \
	"Write one of these fields as a constant."
#define NO_AGE \
	"Subtract one date from the other for a number of days."
#define NO_PATTERN \
	"Write a shorter pattern, or double the backslash at its end."

static const struct
{
	Oid			function;
	const char *hint;
}			hints[] = {
	{F_TEXTCAT, NO_CONCATENATION},
	{F_TEXTANYCAT, NO_CONCATENATION},
	{F_ANYTEXTCAT, NO_CONCATENATION},
	{F_CONCAT, NO_CONCATENATION},
	{F_CONCAT_WS, NO_CONCATENATION},
	{F_FORMAT_TEXT, NO_CONCATENATION},
	{F_FORMAT_TEXT_ANY, NO_CONCATENATION},
	{F_TEXTREGEXEQ, NO_REGEX},
	{F_TEXTREGEXNE, NO_REGEX},
	{F_TEXTICREGEXEQ, NO_REGEX},
	{F_TEXTICREGEXNE, NO_REGEX},
	{F_NAMEREGEXEQ, NO_REGEX},
	{F_NAMEREGEXNE, NO_REGEX},
	{F_BPCHARREGEXEQ, NO_REGEX},
	{F_BPCHARREGEXNE, NO_REGEX},
	{F_SUBSTRING_TEXT_TEXT, NO_REGEX},
	{F_REGEXP_REPLACE_TEXT_TEXT_TEXT, NO_REGEX},
	{F_REGEXP_REPLACE_TEXT_TEXT_TEXT_TEXT, NO_REGEX},
	{F_TO_CHAR_TIMESTAMP_TEXT, NO_FORMAT},
	{F_TO_CHAR_TIMESTAMPTZ_TEXT, NO_FORMAT},
	{F_TO_CHAR_INTERVAL_TEXT, NO_FORMAT},
	{F_TO_CHAR_NUMERIC_TEXT, NO_FORMAT},
	{F_TO_CHAR_INT4_TEXT, NO_FORMAT},
	{F_TO_CHAR_INT8_TEXT, NO_FORMAT},
	{F_TO_CHAR_FLOAT4_TEXT, NO_FORMAT},
	{F_TO_CHAR_FLOAT8_TEXT, NO_FORMAT},
	{F_TO_DATE, NO_PARSE},
	{F_TO_TIMESTAMP_TEXT_TEXT, NO_PARSE},
	{F_TO_NUMBER, NO_PARSE},
	{F_AGE_TIMESTAMP_TIMESTAMP, NO_AGE},
	{F_AGE_TIMESTAMPTZ_TIMESTAMPTZ, NO_AGE},
	{F_AGE_TIMESTAMP, NO_AGE},
	{F_AGE_TIMESTAMPTZ, NO_AGE},
	{F_DATE_TRUNC_TEXT_TIMESTAMP, NO_FIELD},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, NO_FIELD},
	{F_EXTRACT_TEXT_DATE, NO_FIELD},
	{F_EXTRACT_TEXT_TIME, NO_FIELD},
	{F_EXTRACT_TEXT_TIMESTAMP, NO_FIELD},
	{F_EXTRACT_TEXT_TIMESTAMPTZ, NO_FIELD},
	{F_EXTRACT_TEXT_INTERVAL, NO_FIELD},
	{F_DATE_PART_TEXT_TIME, NO_FIELD},
	{F_DATE_PART_TEXT_TIMESTAMP, NO_FIELD},
	{F_DATE_PART_TEXT_TIMESTAMPTZ, NO_FIELD},
	{F_DATE_PART_TEXT_INTERVAL, NO_FIELD},
	{F_TEXTLIKE, NO_PATTERN},
	{F_TEXTNLIKE, NO_PATTERN},
	{F_BPCHARLIKE, NO_PATTERN},
	{F_BPCHARNLIKE, NO_PATTERN},
	{F_TEXTICLIKE, NO_PATTERN},
	{F_TEXTICNLIKE, NO_PATTERN},
};

#define NO_DOMAIN \
	"Cast to the type that the domain is over."
#define NO_ROW \
	"Use columns by themselves, and compare them one by one."
#define NO_SUBQUERY \
	"Release its value first, in a query of its own, and pass it as a parameter; several values " \
	"as an array, for = ANY($1)."
#define NO_EXACT_VALUE \
	"An exact value of private rows would not be protected."

/* Kinds of nodes, as a user would call them. */
static const struct
{
	NodeTag		tag;
	const char *construct;
	const char *hint;			/* NULL: that of functions */
	const char *detail;
}			constructs[] = {
	{T_SubLink, "a subquery", NO_SUBQUERY, NO_EXACT_VALUE},
	{T_SubPlan, "a subquery", NO_SUBQUERY, NO_EXACT_VALUE},
	{T_AlternativeSubPlan, "a subquery", NO_SUBQUERY, NO_EXACT_VALUE},
	{T_Aggref, "an aggregate"},
	{T_GroupingFunc, "an aggregate"},
	{T_WindowFunc, "a window function"},
	{T_Param, "an internal parameter"},
	{T_CoerceToDomain, "a cast to a domain", NO_DOMAIN},
	{T_CoerceToDomainValue, "a cast to a domain", NO_DOMAIN},
	{T_RowExpr, "a row or a field of one", NO_ROW},
	{T_RowCompareExpr, "a row or a field of one", NO_ROW},
	{T_FieldSelect, "a row or a field of one", NO_ROW},
	{T_FieldStore, "a row or a field of one", NO_ROW},
	{T_ConvertRowtypeExpr, "a row or a field of one", NO_ROW},
	{T_NullTest, "IS NULL of a row", "Test the columns one by one."},
	{T_ArrayExpr, "an array of arrays", "Use an array with one dimension."},
	{T_SubscriptingRef, "an element of an array",
	"Add a column for it to a view of the table's owner."},
	{T_XmlExpr, "XML"},
	{T_NextValueExpr, "a sequence"},
	{T_NamedArgExpr, "a named argument", "Write the arguments in their order."},
};

const char *
dpriv_guard_construct(NodeTag tag, const char **detail, const char **hint)
{
	for (int i = 0; i < lengthof(constructs); i++)
	{
		if (constructs[i].tag != tag)
			continue;
		*detail = constructs[i].detail;
		*hint = constructs[i].hint ? constructs[i].hint : dpriv_guard_hint(InvalidOid);
		return constructs[i].construct;
	}
	*detail = NULL;
	*hint = dpriv_guard_hint(InvalidOid);
	return "this construct";
}

const char *
dpriv_guard_hint(Oid function)
{
	for (int i = 0; i < lengthof(hints); i++)
	{
		if (hints[i].function == function)
			return hints[i].hint;
	}
	if (function >= FirstNormalObjectId)
		return "Only functions and operators of PostgreSQL's own are allowed there, those of "
			"dpriv.allowed_functions(), and SQL functions that are made of them alone and that "
			"PostgreSQL can inline.";
	return "SELECT function FROM dpriv.allowed_functions() shows what is allowed there. Everything "
		"may be used in the query around the release, on released values.";
}

/*
 * Aggregates of PostgreSQL whose private form has another name, or none.  There are many of each
 * name, one for a type.
 */
static const struct
{
	const char *name;
	const char *instead;
}			aggregates[] = {
	/* one row alone decides these two */
	{"max", "dp_quantile(x, 0.99, lower, upper)"},
	{"min", "dp_quantile(x, 0.01, lower, upper)"},
	{"percentile_cont", "dp_quantile(x, fraction, lower, upper)"},
	{"percentile_disc", "dp_quantile(x, fraction, lower, upper)"},
	{"mode", "dp_mode(x, categories)"},
	{"stddev", "dp_stddev(x, lower, upper)"},
	{"stddev_pop", "dp_stddev(x, lower, upper)"},
	{"stddev_samp", "dp_stddev(x, lower, upper)"},
	{"variance", "dp_variance(x, lower, upper)"},
	{"var_pop", "dp_variance(x, lower, upper)"},
	{"var_samp", "dp_variance(x, lower, upper)"},
	{"corr", "dp_sample_and_aggregate()"},
	{"covar_pop", "dp_sample_and_aggregate()"},
	{"covar_samp", "dp_sample_and_aggregate()"},
	{"regr_slope", "dp_sample_and_aggregate()"},
	{"regr_intercept", "dp_sample_and_aggregate()"},
	{"regr_r2", "dp_sample_and_aggregate()"},
};

static bool
aggregate_walker(Node *node, void *context)
{
	const char **hint = context;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->aggfnoid < FirstNormalObjectId)
	{
		char	   *name = get_func_name(((Aggref *) node)->aggfnoid);

		for (int i = 0; name && i < lengthof(aggregates); i++)
		{
			if (strcmp(aggregates[i].name, name) == 0)
			{
				*hint = psprintf("Use %s in place of %s(), directly over the relation.",
								 aggregates[i].instead, name);
				return true;
			}
		}
	}
	return expression_tree_walker(node, aggregate_walker, context);
}

const char *
dpriv_guard_aggregate_hint(Query *query)
{
	const char *hint = "Use dp_count(), dp_sum_clipped(), dp_avg() and others in place of ordinary "
		"aggregates, directly over the relation.";

	if (!aggregate_walker((Node *) query->targetList, &hint))
		(void) aggregate_walker(query->havingQual, &hint);
	return hint;
}
