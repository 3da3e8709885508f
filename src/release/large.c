/*
 * large.c
 *	  Values from a statement that are too large to be used where rows are read.
 *
 * CASE decides for which rows a constant or a parameter is used.  If it has hundreds of megabytes,
 * a single use takes a second, and an array of a few of them exceeds what can be allocated: both
 * would tell of the row.  So do many uses of a smaller one.  So a restricted role's are bounded,
 * one by one and all uses together, before any row is read.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "policy/policy.h"
#include "release/large.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

static Size
elements_of(Datum array)
{
	ArrayType  *head = (ArrayType *) PG_DETOAST_DATUM_SLICE(array, 0, ARR_OVERHEAD_NONULLS(MAXDIM));

	return ArrayGetNItems(ARR_NDIM(head), ARR_DIMS(head));
}

/*
 * In bytes, of values of fixed length none.  An element of an array, which may be NULL, has a share
 * of the bytes that an array can have.
 */
static Size
size_of(Datum value, Oid type)
{
	Size		size;

	if (get_typlen(type) != -1)
		return 0;
	size = toast_raw_datum_size(value);
	if (OidIsValid(get_base_element_type(type)))
		size = Max(size, elements_of(value) * (DPRIV_MAX_ARRAY / DPRIV_MAX_ELEMENTS));
	return size;
}

bool
dpriv_is_large(Datum value, Oid type)
{
	return size_of(value, type) >
		(OidIsValid(get_base_element_type(type)) ? DPRIV_MAX_ARRAY : DPRIV_MAX_VALUE);
}

static bool
constants_walker(Node *node, Size *total)
{
	Const	   *constant = (Const *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->args != NIL)
		return constants_walker(linitial(((Aggref *) node)->args), total) ||
			constants_walker((Node *) ((Aggref *) node)->aggfilter, total);
	if (IsA(node, Const) && !constant->constisnull && constant->location != DPRIV_OWN_CONSTANT)
		*total += size_of(constant->constvalue, constant->consttype);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, constants_walker, total, 0);
	return expression_tree_walker(node, constants_walker, total);
}

void
dpriv_refuse_many_constants(Query *query)
{
	Size		total = 0;

	(void) query_tree_walker(query, constants_walker, &total, 0);
	if (total <= DPRIV_MAX_ARRAY)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the constants of a private release are too large together"),
			 errdetail("How long they take would tell of the rows for which they are used. All "
					   "uses of constants can have %d bytes.", DPRIV_MAX_ARRAY),
			 errhint("Use several releases.")));
}

typedef struct Context
{
	int			highest;
	List	   *found;
} Context;

static bool
parameters_walker(Node *node, Context *context)
{
	Param	   *param = (Param *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Param) && param->paramkind == PARAM_EXTERN && param->paramid <= context->highest)
		context->found = lappend_int(context->found, param->paramid);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, parameters_walker, context, 0);
	return expression_tree_walker(node, parameters_walker, context);
}

List *
dpriv_parameters_of(Query *query, int highest)
{
	Context		context = {highest, NIL};

	if (highest > 0)
		(void) query_tree_walker(query, parameters_walker, &context, 0);
	return context.found;
}

void
dpriv_refuse_large_parameters(const ReleaseSpec *spec, ParamListInfo params)
{
	Size		total = 0;
	ListCell   *lc;

	if (spec->row_parameters == NIL || params == NULL || !OidIsValid(spec->relation) ||
		!dpriv_is_restricted(spec->relation, GetUserId()))
		return;
	foreach(lc, spec->row_parameters)
	{
		int			number = lfirst_int(lc);
		ParamExternData workspace;
		ParamExternData *param;

		if (number > params->numParams)
			continue;
		param = params->paramFetch ? params->paramFetch(params, number, false, &workspace) :
			&params->params[number - 1];
		if (param->isnull || !OidIsValid(param->ptype))
			continue;
		total += size_of(param->value, param->ptype);
		if (!dpriv_is_large(param->value, param->ptype) && total <= DPRIV_MAX_ARRAY)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a parameter is too large to be used where a private release reads rows"),
				 errdetail("How long that takes would tell of the rows for which it is used. A "
						   "value can have %d bytes, an array and all uses together %d, and %d "
						   "elements.", DPRIV_MAX_VALUE, DPRIV_MAX_ARRAY, DPRIV_MAX_ELEMENTS),
				 errhint("Pass a shorter value, or use several releases.")));
	}
}
