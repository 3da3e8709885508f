/*
 * types.c
 *	  Calls with types that a private aggregate does not take: say what to write instead.
 *
 * PostgreSQL resolves a call before any library sees it, and then says only that no such function
 * exists.  So there are aggregates that take everything, which are chosen where no other one fits,
 * and what they were given is explained here.  Types and names of columns appear, never values.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "release/types.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

const char *
dpriv_value_name(Node *value, Query *query)
{
	Var		   *var = (Var *) value;

	if (IsA(value, Var) && var->varlevelsup == 0 && var->varattno > 0)
		return quote_identifier(get_rte_attribute_name(rt_fetch(var->varno, query->rtable),
													   var->varattno));
	return "x";
}

/* Expressions that fail on no value: that one failed would tell of it. */
static const char *
how_to_make_a_number(Oid type, const char *name)
{
	switch (type)
	{
		case BOOLOID:
			return psprintf("Write %s::int in its place: 1 for true, 0 for false.", name);
		case DATEOID:
			return psprintf("Write extract(epoch FROM %s) / 86400 for a number of days, or "
							"extract(epoch FROM %s) for one of seconds.", name, name);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
		case TIMETZOID:
		case INTERVALOID:
			return psprintf("Write extract(epoch FROM %s) for a number of seconds.", name);
		case UNKNOWNOID:
			return "Write its type, for example NULL::float8.";
		case MONEYOID:
			return psprintf("Write %s::numeric.", name);
		default:
			break;
	}
	if (type_is_enum(type))
		return psprintf("Write CASE %s WHEN ... THEN 1 ... END with a number for each label, or "
						"count the labels with dp_histogram().", name);
	if (TypeCategory(type) == TYPCATEGORY_STRING)
		return psprintf("Write CASE WHEN %s ~ '^[0-9]{1,15}$' THEN %s::float8 END for texts that are "
						"whole numbers; a cast by itself fails on others.", name, name);
	return "Write an expression over it that is a number.";
}

static void
refuse_value(const char *measure, Node *value, const char *takes, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s does not take values of type %s", measure,
					format_type_be(exprType(value))),
			 errdetail("It takes %s.", takes),
			 errhint("%s", hint)));
}

static void
explain_call(const DprivExplained *explained, Node *value, Query *query)
{
	Oid			type = getBaseType(exprType(value));

	if (explained->nargs == 0 &&
		(!can_coerce_type(1, &type, &(Oid) {FLOAT8OID}, COERCION_IMPLICIT) ||
		 type == UNKNOWNOID))
		refuse_value(explained->name, value, "numbers",
					 how_to_make_a_number(type, dpriv_value_name(value, query)));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("%s does not take these arguments", explained->name),
			 errdetail("There is no form of it with this number of arguments and these types."),
			 errhint("The arguments are (%s).", explained->arguments)));
}

static bool
explain_walker(Node *node, void *context)
{
	Query	   *query = context;
	const DprivExplained *explained;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, explain_walker, node, 0);
	if (IsA(node, Aggref) &&
		(explained = dpriv_measure_explained(((Aggref *) node)->aggfnoid)) != NULL)
		explain_call(explained, (Node *) linitial_node(TargetEntry, ((Aggref *) node)->args)->expr,
					 query);
	if (IsA(node, WindowFunc) &&
		(explained = dpriv_measure_explained(((WindowFunc *) node)->winfnoid)) != NULL)
		explain_call(explained, linitial(((WindowFunc *) node)->args), query);
	return expression_tree_walker(node, explain_walker, query);
}

void
dpriv_refuse_explained(Query *query)
{
	if (query->hasAggs || query->hasWindowFuncs)
		(void) explain_walker((Node *) query, query);
}

void
dpriv_require_label(Node *value, const DprivMeasureKind *kind, Query *query)
{
	Oid			type = getBaseType(exprType(value));

	if (type != TEXTOID && !type_is_enum(type))
		refuse_value(kind->name, value, "text and labels of enums",
					 psprintf(kind->select ? "Write %s::text in its place." :
							  "Write %s::text to count equal values. For ranges pass a number, "
							  "and edges that are numbers.", dpriv_value_name(value, query)));
}
