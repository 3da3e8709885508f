/*
 * expression.c
 *	  Expressions that a restricted role may have evaluated for every private row.
 *
 * What is not known to be total is refused: kinds of nodes by the switch in check_node(),
 * functions and operators by the list in allowed.c.  That holds for parts without columns as well:
 * CASE evaluates them for some rows only, so that an error in them tells of those rows.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "guard/allowed.h"
#include "guard/expression.h"
#include "guard/hints.h"
#include "guard/total.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "policy/policy.h"
#include "release/large.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

typedef struct GuardContext
{
	Oid			relation;		/* whose rows the expression is evaluated for */
	const char *query_string;	/* for positions, or NULL */
	bool		probe;			/* do not raise: remember the first construct that is refused */
	const char *found;
} GuardContext;

/* Elements of an array that is made for a row, of a type of any length. */
#define MAX_ELEMENTS 1000

static Node *guard_mutator(Node *node, GuardContext *context);
static void refuse_node(Node *node, GuardContext *context);

/* Refuse, naming the construct and the way out; or, of a probe, remember. */
static void
refuse(GuardContext *context, int location, const char *construct, const char *detail,
	   const char *hint)
{
	const char *text = context->query_string;

	if (context->probe)
	{
		if (context->found == NULL)
			context->found = construct;
		return;
	}
	if (text == NULL || location < 0 || location > strlen(text))
		location = -1;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("%s cannot be used where a private release reads rows", construct),
			 errdetail("%s", detail ? detail :
					   "It is not known to have a result for every value, and an error would tell "
					   "of the row that it happened for."),
			 errhint("%s", hint),
			 location < 0 ? 0 : errposition(pg_mbstrlen_with_len(text, location) + 1)));
}

static const char *
function_name(Oid function)
{
	const char *name = get_func_name(function);

	return psprintf("function %s()", name ? name : "of unknown name");
}

static const char *
operator_name(Oid operator)
{
	const char *name = get_opname(operator);

	return psprintf("operator %s", name ? name : "of unknown name");
}

/*
 * Can a function do with the collation what it does?  It is loaded now, before any row is read:
 * whether that failed, or warned, would tell whether a row got so far.
 */
static bool
collation_fits(Oid collation, DprivCollationUse use)
{
	if (use == DPRIV_COLLATION_UNUSED)
		return true;
	if (!OidIsValid(collation))
		return false;
	dpriv_load_collation(collation);
	return use == DPRIV_COLLATION_COMPARES || get_collation_isdeterministic(collation);
}

static void
check_collation(GuardContext *context, int location, const char *construct, Oid collation,
				DprivCollationUse use)
{
	if (collation_fits(collation, use))
		return;
	if (!OidIsValid(collation))
		refuse(context, location, psprintf("%s without a collation", construct),
			   "Its arguments have different collations.",
			   "Add COLLATE to one of the arguments, for example COLLATE \"C\".");
	else
		refuse(context, location, psprintf("%s with a nondeterministic collation", construct),
			   "Searching in a text needs to know which characters are equal.",
			   "Add COLLATE \"C\" to one of the arguments.");
}

/* A call of a function that cannot fail. */
static Expr *
call(Oid function, Oid type, List *args, Oid collation)
{
	return (Expr *) makeFuncExpr(function, type, args, OidIsValid(get_typcollation(type)) ?
								 collation : InvalidOid, collation, COERCE_EXPLICIT_CALL);
}

/* An argument of a function that is replaced, as the replacement takes it: in a type for more. */
static Expr *
widen(Expr *arg, Oid type)
{
	Oid			from = getBaseType(exprType((Node *) arg));
	Oid			function = InvalidOid;

	if (exprType((Node *) arg) != from)
		arg = (Expr *) makeRelabelType(arg, from, -1, get_typcollation(from), COERCE_IMPLICIT_CAST);
	if (from == type)
		return arg;
	switch (type)
	{
		case INT4OID:
			function = from == INT2OID ? F_INT4_INT2 : InvalidOid;
			break;
		case INT8OID:
			function = from == INT2OID ? F_INT8_INT2 : from == INT4OID ? F_INT8_INT4 : InvalidOid;
			break;
		case FLOAT8OID:
			function = from == FLOAT4OID ? F_FLOAT8_FLOAT4 : InvalidOid;
			break;
		case TIMESTAMPOID:
			function = from == DATEOID ? dpriv_total_oid(DPRIV_TIMESTAMP_OF_DATE) : InvalidOid;
			break;
		case TEXTOID:
			if (from == VARCHAROID || from == BPCHAROID)
				return (Expr *) makeRelabelType(arg, TEXTOID, -1, exprCollation((Node *) arg),
												COERCE_IMPLICIT_CAST);
			function = from == NAMEOID ? F_TEXT_NAME : InvalidOid;
			break;
		default:
			break;
	}
	if (!OidIsValid(function))
		elog(ERROR, "could not convert an argument from type %u to type %u", from, type);
	return call(function, type, list_make1(arg), get_typcollation(type));
}

static Node *
replace(int number, List *args, Oid inputcollid, int location)
{
	const DprivTotal *total = dpriv_total(number);
	List	   *widened = NIL;
	FuncExpr   *result;
	ListCell   *lc;

	Assert(list_length(args) == total->nargs);
	foreach(lc, args)
		widened = lappend(widened, widen(lfirst(lc), total->argtypes[foreach_current_index(lc)]));
	result = (FuncExpr *) call(dpriv_total_oid(number), total->result, widened, inputcollid);
	result->location = location;
	return (Node *) result;
}

/*
 * Check a call of a function, directly (operator is InvalidOid) or by an operator.  node: a copy
 * with checked arguments.  Returns it or what takes its place.
 */
static Node *
guard_call(Node *node, Oid function, Oid operator, List *args, Oid inputcollid, int location,
		   GuardContext *context)
{
	const DprivAllowed *allowed = NULL;
	const DprivTotal *total;
	const char *construct = OidIsValid(operator) ?
		operator_name(operator) : function_name(function);

	if (function < FirstGenbkiObjectId && operator < FirstGenbkiObjectId)
		allowed = dpriv_allowed_find(function);
	if (allowed == NULL)
	{
		total = OidIsValid(operator) ? NULL : dpriv_total_find(function);
		if (total == NULL)
			refuse(context, location, construct, NULL, dpriv_guard_hint(function));
		else
			check_collation(context, location, construct, inputcollid, total->collation);
		return node;
	}
	check_collation(context, location, construct, inputcollid, allowed->collation);
	if (context->found)
		return node;
	switch (dpriv_allowed_verdict(allowed, args))
	{
		case DPRIV_CALL_KEEP:
			return node;
		case DPRIV_CALL_REPLACE:
			return replace(allowed->replacement, args, inputcollid, location);
		case DPRIV_CALL_REFUSE:
			break;
	}
	refuse(context, location, psprintf("%s with these arguments", construct),
		   allowed->condition->text, dpriv_guard_hint(function));
	return node;
}

/* Is this function on the list for whatever arguments, as it is? */
static bool
is_comparison(Oid function)
{
	const DprivAllowed *allowed = function < FirstGenbkiObjectId ?
		dpriv_allowed_find(function) : NULL;

	return allowed && allowed->condition == NULL && allowed->replacement < 0;
}

bool
dpriv_guard_operator(Oid operator)
{
	return OidIsValid(operator) && operator < FirstGenbkiObjectId &&
		is_comparison(get_opcode(operator));
}

/* An operator within a construct that evaluates it by itself, where nothing can take its place. */
static void
check_operator(Oid operator, Oid inputcollid, int location, const char *where,
			   GuardContext *context)
{
	const char *construct = psprintf("operator %s in %s", get_opname(operator), where);

	if (dpriv_guard_operator(operator))
		check_collation(context, location, construct, inputcollid,
						dpriv_allowed_find(get_opcode(operator))->collation);
	else
		refuse(context, location, construct, NULL,
			   "Use a comparison of PostgreSQL's own there, such as =, or write one condition for "
			   "each value, combined by OR or AND.");
}

/* GREATEST and LEAST compare by the B-tree class of the type. */
static void
check_greatest(MinMaxExpr *expr, GuardContext *context)
{
	Oid			function = lookup_type_cache(expr->minmaxtype, TYPECACHE_CMP_PROC)->cmp_proc;
	const char *construct = expr->op == IS_GREATEST ? "GREATEST" : "LEAST";

	if (is_comparison(function))
		check_collation(context, expr->location, construct, expr->inputcollid,
						dpriv_allowed_find(function)->collation);
	else
		refuse(context, expr->location,
			   psprintf("%s of type %s", construct, format_type_be(expr->minmaxtype)), NULL,
			   "Use it for numbers, texts, dates and times, or use CASE.");
}

static void
check_var(Var *var, GuardContext *context)
{
	if (var->varlevelsup > 0)
		refuse(context, var->location, "a column of an outer query",
			   "A release runs once for the whole statement.",
			   "Use GROUP BY or dp_histogram(), or one release for each value.");
	else if (var->varattno == InvalidAttrNumber)
		refuse(context, var->location, "a whole row",
			   "What is in it, and how it is compared, depends on the types of all columns.",
			   "Name the columns. To count rows, use dp_count(*).");
	else if (var->varattno < InvalidAttrNumber)
		refuse(context, var->location, "a system column",
			   "Where a row is stored, and when it was written, depends on other rows.",
			   "Use columns of the table.");
}

/* Labels of enums are read from the catalog; other conversions through text can fail. */
static void
check_io(CoerceViaIO *coerce, GuardContext *context)
{
	Oid			from = exprType((Node *) coerce->arg);

	if (!type_is_enum(getBaseType(from)) ||
		(coerce->resulttype != TEXTOID && coerce->resulttype != VARCHAROID))
		refuse(context, coerce->location,
			   psprintf("a cast from %s to %s", format_type_be(from),
						format_type_be(coerce->resulttype)), NULL,
			   "Compare values in the type that they have, and cast released values. Numbers can "
			   "be cast to other types of numbers, enums to text.");
}

static void
check_value_function(SQLValueFunction *function, GuardContext *context)
{
	switch (function->op)
	{
		case SVFOP_CURRENT_DATE:
		case SVFOP_CURRENT_TIME:
		case SVFOP_CURRENT_TIME_N:
		case SVFOP_CURRENT_TIMESTAMP:
		case SVFOP_CURRENT_TIMESTAMP_N:
		case SVFOP_LOCALTIME:
		case SVFOP_LOCALTIME_N:
		case SVFOP_LOCALTIMESTAMP:
		case SVFOP_LOCALTIMESTAMP_N:
			return;
		default:
			refuse(context, function->location, "the name of a role, a schema or a database", NULL,
				   "Pass it as a parameter.");
	}
}

static Oid
owner_of_type(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	owner = ((Form_pg_type) GETSTRUCT(tuple))->typowner;
	ReleaseSysCache(tuple);
	return owner;
}

static Oid
owner_of_collation(Oid collation)
{
	HeapTuple	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	owner = ((Form_pg_collation) GETSTRUCT(tuple))->collowner;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * Types and collations, where they come into an expression.  The executor looks them up when it
 * comes to a row that needs them, and nothing keeps their owner from dropping them before: of that,
 * only these rows fail.  Of a domain it knows nothing but its type.
 */
static void
check_objects(Node *node, GuardContext *context)
{
	Oid			type = getBaseType(exprType(node));
	Oid			collation = exprCollation(node);
	const char *construct = NULL;

	if (type >= FirstNormalObjectId && dpriv_is_restricted(context->relation, owner_of_type(type)))
		construct = psprintf("type %s", format_type_be(type));
	else if (collation >= FirstNormalObjectId &&
			 dpriv_is_restricted(context->relation, owner_of_collation(collation)))
		construct = psprintf("collation \"%s\"", get_collation_name(collation));
	if (construct)
		refuse(context, exprLocation(node), construct,
			   "Its owner must not see the rows, and could drop it while they are read.",
			   "Use one that belongs to the owner of the relation, or is PostgreSQL's own.");
}

/* See large.c. */
static void
check_constant(Const *constant, GuardContext *context)
{
	if (constant->constisnull || constant->location == DPRIV_OWN_CONSTANT ||
		!dpriv_is_large(constant->constvalue, constant->consttype))
		return;
	refuse(context, constant->location, "a constant of this size",
		   "How long that takes would tell of the rows for which it is used.",
		   psprintf("A value can have %d bytes, an array %d, and %d elements. Use several releases.",
					DPRIV_MAX_VALUE, DPRIV_MAX_ARRAY, DPRIV_MAX_ELEMENTS));
}

/*
 * An array of a type of any length can exceed what may be allocated.  What is no column is short,
 * and so is a numeric.
 */
static void
check_array(ArrayExpr *array, GuardContext *context)
{
	if (array->multidims)
		refuse_node((Node *) array, context);
	if (get_typlen(array->element_typeid) != -1)
		return;
	if (list_length(array->elements) > MAX_ELEMENTS)
		refuse(context, array->location, "an array of so many elements",
			   "Whether it fits into memory would tell of the row.",
			   psprintf("Use at most %d, or pass the array as a parameter.", MAX_ELEMENTS));
	if (getBaseType(array->element_typeid) != NUMERICOID &&
		contain_var_clause((Node *) array->elements))
		refuse(context, array->location, "an array of columns of this type",
			   "Whether it fits into memory would tell of the row.",
			   "Write one condition for each column, combined by OR or AND.");
}

static void
refuse_node(Node *node, GuardContext *context)
{
	const char *detail;
	const char *hint;
	const char *construct = dpriv_guard_construct(nodeTag(node), &detail, &hint);

	refuse(context, exprLocation(node), construct, detail, hint);
}

/* Does it bring a type or a collation of its own? */
static bool
brings_objects(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_Param:
		case T_CoerceViaIO:
		case T_CollateExpr:
		case T_RelabelType:
		case T_ArrayExpr:
		case T_ArrayCoerceExpr:
			return true;
		default:
			return false;
	}
}

/* Check a node that is no call, and not what is below it. */
static void
check_node(Node *node, GuardContext *context)
{
	switch (nodeTag(node))
	{
		case T_Var:
			check_var((Var *) node, context);
			break;
		case T_Const:
			check_constant((Const *) node, context);
			break;
		case T_CaseTestExpr:
			break;
		case T_Param:
			if (((Param *) node)->paramkind != PARAM_EXTERN)
				refuse_node(node, context);
			break;
		case T_SQLValueFunction:
			check_value_function((SQLValueFunction *) node, context);
			break;
		case T_DistinctExpr:
			check_operator(((OpExpr *) node)->opno, ((OpExpr *) node)->inputcollid,
						   ((OpExpr *) node)->location, "IS DISTINCT FROM", context);
			break;
		case T_NullIfExpr:
			check_operator(((OpExpr *) node)->opno, ((OpExpr *) node)->inputcollid,
						   ((OpExpr *) node)->location, "NULLIF", context);
			break;
		case T_ScalarArrayOpExpr:
			check_operator(((ScalarArrayOpExpr *) node)->opno,
						   ((ScalarArrayOpExpr *) node)->inputcollid,
						   ((ScalarArrayOpExpr *) node)->location, "IN, ANY or ALL", context);
			break;
		case T_MinMaxExpr:
			check_greatest((MinMaxExpr *) node, context);
			break;
		case T_CoerceViaIO:
			check_io((CoerceViaIO *) node, context);
			break;
		case T_NullTest:
			if (((NullTest *) node)->argisrow)
				refuse_node(node, context);
			break;
		case T_ArrayExpr:
			check_array((ArrayExpr *) node, context);
			break;
		case T_CollateExpr:
			(void) collation_fits(((CollateExpr *) node)->collOid, DPRIV_COLLATION_COMPARES);
			break;
		case T_RelabelType:
			(void) collation_fits(((RelabelType *) node)->resultcollid, DPRIV_COLLATION_COMPARES);
			break;
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CoalesceExpr:
		case T_ArrayCoerceExpr:
		case T_TargetEntry:
		case T_List:
			break;
		default:
			refuse_node(node, context);
			break;
	}
}

static Node *
guard_mutator(Node *node, GuardContext *context)
{
	FuncExpr   *function;
	OpExpr	   *operator;

	if (node == NULL || context->found)
		return node;
	check_stack_depth();
	if (brings_objects(node))
		check_objects(node, context);
	if (!IsA(node, FuncExpr) && !IsA(node, OpExpr))
	{
		check_node(node, context);
		return context->found ? node : expression_tree_mutator(node, guard_mutator, context);
	}

	node = expression_tree_mutator(node, guard_mutator, context);
	if (IsA(node, FuncExpr))
	{
		function = (FuncExpr *) node;
		return guard_call(node, function->funcid, InvalidOid, function->args,
						  function->inputcollid, function->location, context);
	}
	operator = (OpExpr *) node;
	operator->opfuncid = get_opcode(operator->opno);
	return guard_call(node, operator->opfuncid, operator->opno, operator->args,
					  operator->inputcollid, operator->location, context);
}

Node *
dpriv_guard_expression(Node *expr, Oid relation, const char *query_string)
{
	GuardContext context = {relation, query_string};

	return guard_mutator(expr, &context);
}

const char *
dpriv_guard_find(Node *expr, Oid relation)
{
	GuardContext context = {relation, NULL, true};

	(void) guard_mutator(eval_const_expressions(NULL, expr), &context);
	return context.found;
}
