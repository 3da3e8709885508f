/*
 * inner.c
 *	  The inner query: exact results per group, and the measures that they are for.
 *
 * The inner query has one column per group key and one per measure.  It is an ordinary aggregate
 * query, so it is planned, parallelised and distributed like one.
 */
#include "postgres.h"

#include "access/nbtree.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "mechanism/measure.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "objects.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "release/declared.h"
#include "release/groups.h"
#include "release/inner.h"
#include "release/source.h"
#include "release/types.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* What a group key is called in errors: a name, never a value. */
static const char *
key_name(Expr *key, Query *query)
{
	Var		   *var = (Var *) key;

	if (!IsA(key, Var) || var->varattno <= InvalidAttrNumber)
		return "this expression";
	return get_rte_attribute_name(rt_fetch(var->varno, query->rtable), var->varattno);
}

/* Where rows are stored, and when they were written, changes with other rows. */
static bool
has_system_column_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varattno < InvalidAttrNumber;
	return expression_tree_walker(node, has_system_column_walker, context);
}

/*
 * The operator that orders a key's values, if equal values always look the same; else InvalidOid.
 *
 * What a group shows as its key is the value of one of its rows, whichever the executor met first.
 * If equal values can look different (1.0 and 1.00, -0 and 0, strings under a nondeterministic
 * collation) it would tell of that row.  B-tree classes say whether that is so: equalimage.  For
 * character(n), whose values may end in any number of blanks, not all of them do.
 */
static Oid
order_of_images(const SortGroupClause *clause, Node *key)
{
	Oid			family;
	Oid			opcintype;
	Oid			equalimage;

	if (getBaseType(exprType(key)) == BPCHAROID || !OidIsValid(clause->sortop) ||
		!dpriv_btree_of_ordering(clause->sortop, &family, &opcintype))
		return InvalidOid;
	equalimage = get_opfamily_proc(family, opcintype, opcintype, BTEQUALIMAGE_PROC);
	if (!OidIsValid(equalimage) ||
		!DatumGetBool(OidFunctionCall1Coll(equalimage, exprCollation(key),
										   ObjectIdGetDatum(opcintype))))
		return InvalidOid;
	return get_opfamily_member(family, opcintype, opcintype, BTLessStrategyNumber);
}

static ReleaseGroupKey *
make_key(Expr *expr, const SortGroupClause *clause, Query *query)
{
	ReleaseGroupKey *key = palloc0(sizeof(ReleaseGroupKey));
	Node	   *node = (Node *) expr;

	key->type = exprType(node);
	key->typmod = exprTypmod(node);
	key->collation = exprCollation(node);
	key->public = dpriv_groups_are_public(key->type);
	key->name = pstrdup(key_name(expr, query));

	dpriv_check_row_expression(node);
	if (!contain_var_clause(node))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private release cannot group by a constant"),
				 errhint("Leave the constant out of GROUP BY, or group by an expression "
						 "over columns.")));
	if (has_system_column_walker(node, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private release cannot group by a system column"),
				 errdetail("Where a row is stored depends on other rows."),
				 errhint("Group by columns of the table.")));
	key->less = order_of_images(clause, node);
	if (!OidIsValid(key->less))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a private release cannot group by %s of type %s", key->name,
						format_type_with_typemod(key->type, key->typmod)),
				 errdetail("Values of this type, or with its collation, can be equal and yet look "
						   "different; which one a group shows would depend on single rows."),
				 errhint("Cast the key to a type whose equal values look the same, for example a "
						 "number to integer, others to text%s.",
						 OidIsValid(key->collation) ? ", with a deterministic collation" : "")));
	return key;
}

/* Ascending, NULL last, whatever the statement itself sorts by. */
static SortGroupClause *
make_clause(const SortGroupClause *clause, const ReleaseGroupKey *key, Index ref)
{
	SortGroupClause *result = makeNode(SortGroupClause);

	result->tleSortGroupRef = ref;
	result->eqop = clause->eqop;
	result->sortop = key->less;
	result->hashable = clause->hashable;
	return result;
}

void
dpriv_inner_begin(Split *split, List *levels)
{
	Query	   *query = split->query;
	Query	   *inner = makeNode(Query);
	ReleaseSpec *spec = split->spec;
	ListCell   *lc;

	if (query->groupingSets)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("private releases do not support GROUPING SETS, ROLLUP or CUBE"),
				 errdetail("A row would count in several groups."),
				 errhint("Release the finest groups once and aggregate the released values.")));
	if (query->rowMarks)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("private releases cannot lock rows"),
				 errhint("Leave FOR UPDATE or FOR SHARE out.")));

	dpriv_check_source(query, levels, split->root, &spec->empty);
	spec->source = linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
	spec->relation = dpriv_source_relation(query);

	inner->commandType = CMD_SELECT;
	inner->querySource = query->querySource;
	inner->canSetTag = true;
	inner->hasAggs = true;
	inner->hasRowSecurity = query->hasRowSecurity;
	inner->hasSubLinks = query->hasSubLinks;
	inner->rtable = query->rtable;
	inner->jointree = query->jointree;
	inner->groupDistinct = query->groupDistinct;
	inner->stmt_location = -1;

	foreach(lc, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		TargetEntry *tle = get_sortgroupclause_tle(clause, query->targetList);
		ReleaseGroupKey *group_key = make_key(tle->expr, clause, query);
		Expr	   *expr = dpriv_group_by_domain(tle->expr, group_key, query, inner);
		TargetEntry *key = makeTargetEntry(expr, list_length(inner->targetList) + 1, NULL, false);

		key->ressortgroupref = list_length(inner->targetList) + 1;
		inner->targetList = lappend(inner->targetList, key);
		inner->groupClause = lappend(inner->groupClause,
									 make_clause(clause, group_key, key->ressortgroupref));
		split->keys = lappend(split->keys, tle->expr);
		spec->keys = lappend(spec->keys, group_key);
		spec->selected |= !group_key->public;
	}

	/* Selected groups are sorted by their keys, which a plan may do on its way. */
	if (spec->selected)
		inner->sortClause = copyObject(inner->groupClause);
	split->inner = inner;
}

static bool
depends_on_rows_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_SubLink:
			return true;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		default:
			return expression_tree_walker(node, depends_on_rows_walker, context);
	}
}

Expr *
dpriv_public_expression(Split *split, Expr *expr, const char *what)
{
	expr = (Expr *) eval_const_expressions(split->root, (Node *) expr);
	if (depends_on_rows_walker((Node *) expr, NULL) || contain_mutable_functions((Node *) expr) ||
		expression_returns_set((Node *) expr))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a constant or a parameter", what),
				 errdetail("What a release costs and how noisy it is must not depend on data."),
				 errhint("Write the value itself, or pass it as a parameter such as $1.")));
	fix_opfuncids((Node *) expr);
	return expr;
}

/* A value of a domain over this type, as one of the type itself. */
static Expr *
without_domain(Expr *value, Oid basetype)
{
	if (exprType((Node *) value) == basetype)
		return value;
	return (Expr *) makeRelabelType(value, basetype, -1, InvalidOid, COERCE_IMPLICIT_CAST);
}

/* The cast from numeric to float8 without its errors; any other expression as it is. */
static Expr *
without_errors(Expr *value)
{
	FuncExpr   *cast = (FuncExpr *) value;

	if (!IsA(value, FuncExpr) || cast->funcid != F_FLOAT8_NUMERIC)
		return value;
	return (Expr *) makeFuncExpr(dpriv_object(DPRIV_TO_REAL), FLOAT8OID, cast->args, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * A vector, with all numerics in it converted without errors.  ARRAY[...] of other types is built
 * of float8 in the first place, not converted afterwards.
 */
static Expr *
exact_vector(Expr *value)
{
	ArrayCoerceExpr *coerce = (ArrayCoerceExpr *) value;
	ArrayExpr  *array;
	FuncExpr   *cast;
	ListCell   *lc;

	if (IsA(value, ArrayCoerceExpr))
	{
		coerce->elemexpr = without_errors(coerce->elemexpr);
		cast = (FuncExpr *) coerce->elemexpr;
		if (!IsA(coerce->arg, ArrayExpr) || ((ArrayExpr *) coerce->arg)->multidims ||
			!IsA(cast, FuncExpr) || list_length(cast->args) != 1 ||
			!IsA(linitial(cast->args), CaseTestExpr))
			return value;
		array = (ArrayExpr *) coerce->arg;
		foreach(lc, array->elements)
		{
			FuncExpr   *element = copyObject(cast);

			element->args = list_make1(lfirst(lc));
			lfirst(lc) = element;
		}
		array->array_typeid = coerce->resulttype;
		array->element_typeid = exprType((Node *) cast);
		return (Expr *) array;
	}
	if (IsA(value, ArrayExpr))
	{
		array = (ArrayExpr *) value;
		foreach(lc, array->elements)
			lfirst(lc) = array->multidims ? exact_vector(lfirst(lc)) : without_errors(lfirst(lc));
	}
	return value;
}

/*
 * The value as the exact functions take it: integer columns of sums, moments, quantiles, buckets
 * and clip curves lose their cast to float8, numeric is converted without errors, enum labels
 * become text.
 */
static Expr *
exact_value(Expr *value, const DprivMeasureKind *kind, bool *integral)
{
	*integral = false;
	if (kind->argtypes[0] == FLOAT8OID && IsA(value, FuncExpr))
	{
		FuncExpr   *cast = (FuncExpr *) value;

		if (cast->funcid == F_FLOAT8_NUMERIC)
			return without_errors(value);
		if (kind->exact != DPRIV_EXACT_SUM && kind->exact != DPRIV_EXACT_MOMENTS &&
			kind->exact != DPRIV_EXACT_LEAVES && kind->exact != DPRIV_EXACT_BUCKETS &&
			kind->exact != DPRIV_EXACT_CLIP_CURVE)
			return value;
		switch (cast->funcid)
		{
			case F_FLOAT8_INT2:
				*integral = true;
				return (Expr *) makeFuncExpr(F_INT4_INT2, INT4OID, cast->args, InvalidOid,
											 InvalidOid, COERCE_IMPLICIT_CAST);
			case F_FLOAT8_INT4:
				*integral = true;
				return without_domain(linitial(cast->args), INT4OID);
			case F_FLOAT8_INT8:
				*integral = true;
				return without_domain(linitial(cast->args), INT8OID);
		}
	}
	if (kind->argtypes[0] == FLOAT8ARRAYOID)
		return exact_vector(value);
	if (kind->argtypes[0] == ANYOID && kind->exact == DPRIV_EXACT_CATEGORIES)
	{
		CoerceViaIO *label = makeNode(CoerceViaIO);

		label->arg = value;
		label->resulttype = TEXTOID;
		label->resultcollid = DEFAULT_COLLATION_OID;
		label->coerceformat = COERCE_EXPLICIT_CAST;
		label->location = -1;
		return (Expr *) label;
	}
	return value;
}

/* A whole row is never NULL: counting it is counting rows, and nothing needs to be built. */
static bool
is_whole_row(Expr *value)
{
	return IsA(value, Var) && ((Var *) value)->varattno == InvalidAttrNumber;
}

static SortGroupClause *
distinct_clause_of(Aggref *aggref, TargetEntry *tle)
{
	ListCell   *lc;

	foreach(lc, aggref->aggdistinct)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		if (clause->tleSortGroupRef == tle->ressortgroupref)
			return clause;
	}
	elog(ERROR, "could not find the DISTINCT clause of an aggregate's argument");
}

static void
check_shape(Aggref *aggref, const DprivMeasureKind *kind)
{
	if (aggref->aggorder)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support ORDER BY inside its arguments", kind->name),
				 errhint("Leave ORDER BY out: the result does not depend on the order of rows.")));
	if (aggref->aggdistinct && !kind->distinct)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support DISTINCT", kind->name),
				 errhint("Only dp_count(DISTINCT column) does.")));
	if (aggref->aggfilter)
		dpriv_check_row_expression((Node *) aggref->aggfilter);
}

void
dpriv_refuse_columns(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a private release cannot have so many measures"),
			 errdetail("Group keys, measures and their errors can be at most %d.",
					   DPRIV_MAX_COLUMNS),
			 errhint("Use dp_histogram() for counts of many disjoint sets, or split the query.")));
}

/* dp_count(0.5) would count every row, at an epsilon that its author did not mean. */
static void
refuse_lone_epsilon(Expr *value, const DprivMeasureKind *kind)
{
	Oid			type = exprType((Node *) value);

	if (kind->exact == DPRIV_EXACT_COUNT && kind->nargs == 1 && IsA(value, Const) &&
		(type == NUMERICOID || type == FLOAT8OID))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the only argument of %s is a number", kind->name),
				 errdetail("Epsilon is the last argument, after the value to count."),
				 errhint("Write dp_count(table, 0.5), or SET dpriv.epsilon and dp_count(*).")));
}

/* An equal measure that the release has already, or -1. */
static int
find_measure(Split *split, Aggref *aggref)
{
	ListCell   *lc;

	foreach(lc, split->spec->measures)
	{
		if (equal(((ReleaseMeasure *) lfirst(lc))->aggref, aggref))
			return foreach_current_index(lc);
	}
	return -1;
}

/*
 * Make the value the first argument of an exact aggregate and return its type; InvalidOid for whole
 * rows, which are counted without it.
 */
static Oid
add_value(Aggref *exact, Expr *value, Aggref *aggref, const DprivMeasureKind *kind, Query *query,
		  bool *integral)
{
	TargetEntry *original = linitial_node(TargetEntry, aggref->args);
	TargetEntry *tle;
	Oid			type;

	if (is_whole_row(value) && aggref->aggdistinct)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support DISTINCT on whole rows", kind->name),
				 errhint("Use dp_count(DISTINCT column).")));
	dpriv_check_row_expression((Node *) value);
	if (kind->exact == DPRIV_EXACT_CATEGORIES)
		dpriv_require_label((Node *) value, kind, query);
	if (is_whole_row(value))
		return InvalidOid;

	value = exact_value(copyObject(value), kind, integral);
	type = exprType((Node *) value);
	tle = makeTargetEntry(value, 1, NULL, false);
	exact->args = list_make1(tle);
	exact->aggargtypes = list_make1_oid(type);
	if (aggref->aggdistinct)
	{
		tle->ressortgroupref = original->ressortgroupref;
		exact->aggdistinct = list_make1(copyObject(distinct_clause_of(aggref, original)));
	}
	return type;
}

/* Make an external parameter the second argument: grid, edges or categories of an execution. */
static void
add_parameter(Aggref *exact, int number, Oid type)
{
	Param	   *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = number;
	param->paramtype = type;
	param->paramtypmod = -1;
	param->paramcollid = get_typcollation(type);
	param->location = -1;
	exact->args = lappend(exact->args, makeTargetEntry((Expr *) param, 2, NULL, false));
	exact->aggargtypes = lappend_oid(exact->aggargtypes, type);
}

/* Give the inner query another column; returns its number. */
static int
add_exact(Split *split, Aggref *exact)
{
	int			column = list_length(split->inner->targetList) + 1;

	exact->aggkind = AGGKIND_NORMAL;
	exact->aggsplit = AGGSPLIT_SIMPLE;
	exact->aggno = -1;
	exact->aggtransno = -1;
	exact->location = -1;
	split->inner->targetList = lappend(split->inner->targetList,
									   makeTargetEntry((Expr *) exact, column, NULL, false));
	return column;
}

/* Public arguments, epsilon and delta of a call; returns the value, NULL if it has none. */
static Expr *
read_arguments(Split *split, ReleaseMeasure *measure)
{
	const DprivMeasureKind *kind = &dpriv_measures[measure->called];
	Expr	   *value = NULL;
	ListCell   *lc;

	foreach(lc, measure->aggref->args)
	{
		Expr	   *argument = lfirst_node(TargetEntry, lc)->expr;
		int			i = foreach_current_index(lc);

		if (i == 0)
			value = argument;
		else if (i < kind->nargs)
		{
			argument = dpriv_public_expression(split, argument,
											   psprintf("argument %d of %s", i + 1, kind->name));
			measure->arguments = lappend(measure->arguments, argument);
		}
		else if (i == kind->nargs)
			measure->epsilon = dpriv_public_expression(split, argument,
													   psprintf("epsilon of %s", kind->name));
		else
			measure->delta = dpriv_public_expression(split, argument,
													 psprintf("delta of %s", kind->name));
	}
	return value;
}

int
dpriv_inner_measure(Split *split, Aggref *aggref, int kind_number, int nprivacy)
{
	const DprivMeasureKind *kind = &dpriv_measures[kind_number];
	ReleaseMeasure *measure = palloc0(sizeof(ReleaseMeasure));
	Aggref	   *exact = makeNode(Aggref);
	Expr	   *value;
	Oid			valuetype = InvalidOid;
	Oid			parametertype;
	int			number;

	aggref = castNode(Aggref, eval_const_expressions(split->root, (Node *) aggref));
	number = find_measure(split, aggref);
	if (number >= 0)
		return number;

	if (list_length(split->inner->targetList) >= DPRIV_MAX_COLUMNS)
		dpriv_refuse_columns();
	check_shape(aggref, kind);
	measure->called = kind_number;
	measure->kind = kind_number;
	measure->aggref = aggref;
	value = read_arguments(split, measure);
	Assert(nprivacy == (measure->epsilon != NULL) + (measure->delta != NULL));
	if (value && nprivacy == 0)
		refuse_lone_epsilon(value, kind);

	dpriv_complete_measure(split, measure, &value);
	kind = &dpriv_measures[measure->kind];
	if (value)
		valuetype = add_value(exact, value, aggref, kind, split->query, &measure->integral);
	exact->aggfnoid = dpriv_measure_exact(kind, valuetype, &parametertype);
	if (!OidIsValid(exact->aggfnoid))
		elog(ERROR, "extension dpriv lacks an exact function");
	if (OidIsValid(parametertype))
	{
		measure->parameter = ++split->nparameters;
		measure->parameter_type = parametertype;
		add_parameter(exact, measure->parameter, parametertype);
	}
	measure->counts_rows = exact->aggfnoid == F_COUNT_ && aggref->aggfilter == NULL;
	exact->aggstar = exact->args == NIL;
	exact->aggtype = get_func_rettype(exact->aggfnoid);
	exact->inputcollid = OidIsValid(aggref->inputcollid) ? aggref->inputcollid :
		(parametertype == TEXTARRAYOID ? DEFAULT_COLLATION_OID : InvalidOid);
	exact->aggfilter = copyObject(aggref->aggfilter);

	measure->exact_column = add_exact(split, exact);
	split->spec->measures = lappend(split->spec->measures, measure);
	return list_length(split->spec->measures) - 1;
}

void
dpriv_inner_end(Split *split)
{
	ReleaseSpec *spec = split->spec;
	Aggref	   *exact;
	ListCell   *lc;

	if (!spec->selected)
		return;
	foreach(lc, spec->measures)
	{
		ReleaseMeasure *measure = lfirst(lc);

		if (measure->counts_rows)
		{
			spec->rows_column = measure->exact_column;
			return;
		}
	}
	if (list_length(split->inner->targetList) >= DPRIV_MAX_COLUMNS)
		dpriv_refuse_columns();
	exact = makeNode(Aggref);
	exact->aggfnoid = F_COUNT_;
	exact->aggstar = true;
	exact->aggtype = INT8OID;
	spec->rows_column = add_exact(split, exact);
}
