/*
 * declared.c
 *	  What is declared, or known from its type, of what a release uses.
 *
 * A declaration belongs to a column of a table.  An expression has it if it is that column, seen
 * through any number of views and subqueries that hand it on as it is; what is computed from a
 * column has other values.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mechanism/measure.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "objects.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "policy/domain.h"
#include "release/declared.h"
#include "release/groups.h"
#include "release/large.h"
#include "release/types.h"
#include "rewrite/rewriteHandler.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

typedef struct Column
{
	Oid			relation;
	AttrNumber	number;
} Column;

/* What an expression converts to another type of number, without changing it; else itself. */
static Expr *
before_conversion(Expr *expr)
{
	if (IsA(expr, RelabelType))
		return ((RelabelType *) expr)->arg;
	if (!IsA(expr, FuncExpr))
		return expr;
	switch (((FuncExpr *) expr)->funcid)
	{
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
		case F_FLOAT8_FLOAT4:
		case F_FLOAT8_NUMERIC:
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
			return linitial(((FuncExpr *) expr)->args);
		default:
			return expr;
	}
}

/* The column of a table that an expression is; converted: its numbers, in whatever type. */
static bool
find_column(Expr *expr, Query *query, bool converted, Column *column)
{
	Var		   *var;
	RangeTblEntry *rte;
	TargetEntry *tle;

	check_stack_depth();
	while (converted && before_conversion(expr) != expr)
		expr = before_conversion(expr);
	var = (Var *) expr;
	if (!IsA(expr, Var) || var->varlevelsup > 0 || var->varattno <= InvalidAttrNumber)
		return false;
	rte = rt_fetch(var->varno, query->rtable);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			column->relation = rte->relid;
			column->number = var->varattno;
			return true;
		case RTE_SUBQUERY:
			tle = get_tle_by_resno(rte->subquery->targetList, var->varattno);
			return tle && find_column(tle->expr, rte->subquery, converted, column);
		default:
			return false;
	}
}

static void
refuse_declaration(const Column *column, const char *problem)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("declaration of column \"%s\" cannot be used",
					get_attname(column->relation, column->number, false)),
			 errdetail("%s", problem),
			 errhint("The owner of relation \"%s\" can declare it again by dpriv.set_bounds() or "
					 "dpriv.set_domain(), or remove it by NULL for all that is declared.",
					 get_rel_name(column->relation))));
}

/*
 * The column of a table that a view's column is; of whatever is no view, itself.  Nothing of views
 * that read each other: the server lets them be made, and refuses to read them.
 */
static bool
find_below(Column *column, bool converted)
{
	List	   *seen = NIL;

	while (get_rel_relkind(column->relation) == RELKIND_VIEW &&
		   !list_member_oid(seen, column->relation))
	{
		Relation	view = table_open(column->relation, AccessShareLock);
		Query	   *query = get_view_query(view);
		TargetEntry *tle = get_tle_by_resno(query->targetList, column->number);
		bool		found;

		seen = lappend_oid(seen, column->relation);
		found = tle && find_column(tle->expr, query, converted, column);
		table_close(view, NoLock);
		if (!found)
			return false;
	}
	return dpriv_is_declarable(get_rel_relkind(column->relation));
}

DprivDeclaration
dpriv_declaration_of(Oid relation, AttrNumber column, bool converted)
{
	Column		of = {relation, column};
	DprivDeclaration declaration = {0};
	const char *problem;

	if (!find_below(&of, converted))
		return declaration;
	problem = dpriv_declaration_read(of.relation, of.number, &declaration);
	if (problem)
		refuse_declaration(&of, problem);
	return declaration;
}

/*
 * Domains
 */

/* The domain that is declared for an expression; false if there is none. */
static bool
find_domain(Expr *expr, Query *query, DprivDomain *domain)
{
	DprivDeclaration declaration;
	Column		column;
	const char *problem;

	if (!find_column(expr, query, false, &column))
		return false;
	declaration = dpriv_declaration_of(column.relation, column.number, false);
	if (declaration.nlabels == 0)
		return false;
	problem = dpriv_domain_make(&declaration, column.relation, column.number, domain);
	if (problem)
		refuse_declaration(&column, problem);
	return true;
}

static Const *
value_array(const DprivDomain *domain)
{
	ArrayType  *array = construct_array(domain->value, domain->nvalues, domain->type,
										domain->typlen, domain->typbyval, domain->typalign);
	Oid			type = get_array_type(domain->type);
	Const	   *constant = makeConst(type, -1, get_typcollation(type), -1, PointerGetDatum(array),
									 false, false);

	constant->location = DPRIV_OWN_CONSTANT;
	return constant;
}

/* The value in the type of the domain. */
static Expr *
in_type_of(Expr *value, const DprivDomain *domain)
{
	if (exprType((Node *) value) == domain->type)
		return copyObject(value);
	return (Expr *) makeRelabelType(copyObject(value), domain->type, -1,
									exprCollation((Node *) value), COERCE_IMPLICIT_CAST);
}

/*
 * Is the value NULL, or in the domain?  Texts are compared byte by byte: under a deterministic
 * collation that is what equal means.
 */
static Expr *
in_domain(Expr *value, const DprivDomain *domain)
{
	ScalarArrayOpExpr *equal = makeNode(ScalarArrayOpExpr);
	NullTest   *is_null = makeNode(NullTest);

	is_null->arg = copyObject(value);
	is_null->nulltesttype = IS_NULL;
	is_null->location = -1;

	equal->opno = lookup_type_cache(domain->type, TYPECACHE_EQ_OPR)->eq_opr;
	equal->useOr = true;
	equal->inputcollid = domain->type == TEXTOID ? C_COLLATION_OID : InvalidOid;
	equal->args = list_make2(in_type_of(value, domain), value_array(domain));
	equal->location = -1;
	return makeBoolExpr(OR_EXPR, list_make2(is_null, equal), -1);
}

/* The value, or the one that it counts as. */
static Expr *
or_other(Expr *value, const DprivDomain *domain)
{
	CaseExpr   *choice;
	CaseWhen   *when;
	Oid			type = exprType((Node *) value);
	Oid			collation = exprCollation((Node *) value);

	if (domain->other < 0)
		return value;
	when = makeNode(CaseWhen);
	when->expr = in_domain(value, domain);
	when->result = copyObject(value);
	when->location = -1;

	choice = makeNode(CaseExpr);
	choice->casetype = type;
	choice->casecollid = collation;
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeConst(type, exprTypmod((Node *) value), collation,
										   domain->typlen, domain->value[domain->other], false,
										   domain->typbyval);
	choice->location = -1;
	return (Expr *) choice;
}

Expr *
dpriv_group_by_domain(Expr *key, ReleaseGroupKey *group_key, Query *query, Query *inner)
{
	DprivDomain domain;
	Node	   *condition;

	key = copyObject(key);
	if (!find_domain(key, query, &domain))
		return key;
	group_key->public = true;
	group_key->values = value_array(&domain);
	if (domain.other >= 0)
		return or_other(key, &domain);
	condition = (Node *) in_domain(key, &domain);
	inner->jointree->quals = make_and_qual(inner->jointree->quals, condition);
	return key;
}

/*
 * Measures
 */

static Const *
real_constant(double value)
{
	return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

/* All labels of a domain, as categories. */
static Const *
category_constant(const DprivDomain *domain)
{
	return makeConst(TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1,
					 PointerGetDatum(dpriv_domain_labels(domain)), false, false);
}

/* The value as measures count it: enums as they are, which is what they take, others as texts. */
static Expr *
category_value(Expr *value, const DprivDomain *domain)
{
	DprivFunction function;

	value = in_type_of(value, domain);
	switch (domain->type)
	{
		case INT2OID:
		case INT4OID:
			value = (Expr *) makeFuncExpr(domain->type == INT2OID ? F_INT8_INT2 : F_INT8_INT4,
										  INT8OID, list_make1(value), InvalidOid, InvalidOid,
										  COERCE_IMPLICIT_CAST);
			function = DPRIV_LABEL_OF_INT8;
			break;
		case INT8OID:
			function = DPRIV_LABEL_OF_INT8;
			break;
		case BOOLOID:
			function = DPRIV_LABEL_OF_BOOL;
			break;
		case DATEOID:
			function = DPRIV_LABEL_OF_DATE;
			break;
		default:
			return value;
	}
	return (Expr *) makeFuncExpr(dpriv_object(function), TEXTOID, list_make1(value),
								 DEFAULT_COLLATION_OID, InvalidOid, COERCE_EXPLICIT_CALL);
}

static bool
complete_by_bounds(ReleaseMeasure *measure, Expr *value, Query *query)
{
	DprivDeclaration declaration;
	Column		column;

	if (!find_column(value, query, true, &column))
		return false;
	declaration = dpriv_declaration_of(column.relation, column.number, true);
	if (!declaration.has_bounds)
		return false;
	measure->kind = dpriv_measure_complete(measure->called, FLOAT8OID);
	measure->arguments = lappend(measure->arguments, real_constant(declaration.lower));
	measure->arguments = lappend(measure->arguments, real_constant(declaration.upper));
	return true;
}

static bool
complete_by_domain(ReleaseMeasure *measure, Expr **value, Query *query)
{
	DprivDomain domain;

	if (find_domain(*value, query, &domain))
	{
		measure->arguments = lappend(measure->arguments, category_constant(&domain));
		*value = or_other(*value, &domain);
	}
	else if (dpriv_groups_are_public(exprType((Node *) *value)))
	{
		measure->labels_of = getBaseType(exprType((Node *) *value));
		dpriv_domain_begin(&domain, measure->labels_of, 0);
	}
	else
		return false;
	measure->kind = dpriv_measure_complete(measure->called,
										   type_is_enum(domain.type) ? ANYOID : TEXTOID);
	*value = category_value(*value, &domain);
	return true;
}

static void
refuse_missing(const DprivMeasureKind *kind, Expr *value, Query *query)
{
	const char *name;
	Oid			type;
	bool		edges;

	while (before_conversion(value) != value)
		value = before_conversion(value);
	name = dpriv_value_name((Node *) value, query);
	if (kind->missing == DPRIV_MISSING_BOUNDS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no bounds", kind->name),
				 errdetail("They are neither among its arguments nor declared of a column that it "
						   "is called with."),
				 errhint("Write %s(%s, %slower, upper). Or its owner can declare them of a column "
						 "by dpriv.set_bounds().", kind->name, name,
						 kind->nargs > 1 ? "fraction, " : "")));
	type = getBaseType(exprType((Node *) value));
	edges = strcmp(kind->name, "dp_histogram") == 0 &&
		can_coerce_type(1, &type, &(Oid) {FLOAT8OID}, COERCION_IMPLICIT);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s has no categories", kind->name),
			 errdetail("They are neither its second argument nor declared of a column that it is "
					   "called with; only booleans and enums bring their own."),
			 errhint("Write %s(%s, %s. Or its owner can declare the values of a column by "
					 "dpriv.set_domain().", kind->name, name,
					 edges ? "ARRAY[0, 10, 20]) with edges of bins" : "ARRAY['a', 'b'])")));
}

void
dpriv_complete_measure(Split *split, ReleaseMeasure *measure, Expr **value)
{
	const DprivMeasureKind *kind = &dpriv_measures[measure->called];
	bool		complete;

	if (kind->missing == DPRIV_MISSING_NOTHING)
		return;
	complete = kind->missing == DPRIV_MISSING_BOUNDS ?
		complete_by_bounds(measure, *value, split->query) :
		complete_by_domain(measure, value, split->query);
	if (!complete && kind->exact == DPRIV_EXACT_NONE)
		refuse_missing(kind, *value, split->query);
}
