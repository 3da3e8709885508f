/*
 * aggregates.c
 *	  An expression of aggregates: what of it is evaluated for a row, and what for a block.
 *
 * What a block results in must depend on its own rows alone.  Therefore aggregates are those of a
 * list, of numbers and truth values, and each reads its values in the order of the values: sums of
 * floating-point numbers would otherwise depend on the order in which rows come, and that on all
 * rows.  And none may fail: values are bounded before they are aggregated, and what is computed of
 * the aggregates goes through the allow-list of what is computed of rows.
 */
#include "postgres.h"

#include <math.h>

#include "call/rows.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "guard/expression.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_oper.h"
#include "release/source.h"
#include "sample/aggregates.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* The same aggregate of each type of number. */
#define INTEGERS(name) F_##name##_INT2, F_##name##_INT4, F_##name##_INT8
#define NUMBERS(name) INTEGERS(name), F_##name##_NUMERIC, F_##name##_FLOAT4, F_##name##_FLOAT8

/*
 * Aggregates of bounded values that are never an error.  Sums of smallint and integer would need
 * 2^32 rows to leave bigint, those of larger types are numeric; sums of squares of the others stay
 * below 1e120, and products of two of these below 1e240.  Left out are those that yield no number,
 * arrays of percentiles, and hypothetical ranks.
 */
static const Oid allowed[] = {
	F_COUNT_, F_COUNT_ANY,
	NUMBERS(SUM), NUMBERS(AVG), NUMBERS(MIN), NUMBERS(MAX),
	NUMBERS(VARIANCE), NUMBERS(VAR_SAMP), NUMBERS(VAR_POP),
	NUMBERS(STDDEV), NUMBERS(STDDEV_SAMP), NUMBERS(STDDEV_POP),
	F_CORR, F_COVAR_POP, F_COVAR_SAMP,
	F_REGR_COUNT, F_REGR_SXX, F_REGR_SYY, F_REGR_SXY, F_REGR_AVGX, F_REGR_AVGY, F_REGR_R2,
	F_REGR_SLOPE, F_REGR_INTERCEPT,
	F_BOOL_AND, F_BOOL_OR, F_EVERY,
	F_PERCENTILE_CONT_FLOAT8_FLOAT8, F_PERCENTILE_DISC_FLOAT8_ANYELEMENT, F_MODE,
};

/* Values that columns may have. */
static const Oid types[] = {INT2OID, INT4OID, INT8OID, FLOAT4OID, FLOAT8OID, NUMERICOID, BOOLOID};

/* What is larger in size counts as that. */
#define LARGEST_FLOAT4 1e20f
#define LARGEST 1e50
#define LARGEST_TEXT "1e50"

/* Decimals of a numeric; the others are rounded away. */
#define NUMERIC_DECIMALS 50

static const RowsText expression_text = {
	"expression", "It takes the place of a column after SELECT.",
	"Write an expression of aggregates over the columns, for example 'corr(age, hours_per_week)'."
};

typedef struct Split
{
	const char *function;
	const char *source;			/* its name */
	SampleExpression *result;
} Split;

/*
 * Aggregates
 */

static bool
is_among(Oid oid, const Oid *list, int n)
{
	for (int i = 0; i < n; i++)
		if (list[i] == oid)
			return true;
	return false;
}

/* A column with this value for each row. */
static Var *
column_of(Split *split, Expr *value)
{
	Oid			type = exprType((Node *) value);
	List	  **columns = &split->result->columns;
	int			number = 1;
	ListCell   *lc;

	if (!is_among(type, types, lengthof(types)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a value of type %s cannot be aggregated by %s", format_type_be(type),
						split->function),
				 errhint("Values may be numbers and truth values. Cast it to such a type.")));
	dpriv_check_row_expression((Node *) value);
	foreach(lc, *columns)
	{
		if (equal(lfirst_node(TargetEntry, lc)->expr, value))
			break;
		number++;
	}
	if (lc == NULL)
		*columns = lappend(*columns, makeTargetEntry(value, number, NULL, false));
	return makeVar(1, DPRIV_SAMPLE_BLOCK + number, type, -1, InvalidOid, 0);
}

static void
check_fraction(Aggref *aggref, Split *split)
{
	Const	   *fraction = linitial(aggref->aggdirectargs);

	if (!IsA(fraction, Const) || fraction->constisnull ||
		!(DatumGetFloat8(fraction->constvalue) >= 0.0 &&
		  DatumGetFloat8(fraction->constvalue) <= 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("fraction of %s must be a constant from 0 to 1",
						get_func_name(aggref->aggfnoid)),
				 errhint("Write percentile_cont(0.9) WITHIN GROUP (ORDER BY age), for example.")));
}

/* Only by the order that the type has; an operator of somebody else's may fail. */
static bool
is_plain_order(List *clauses, List *args)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *value = get_sortgroupclause_expr(clause, args);
		TypeCacheEntry *entry = lookup_type_cache(exprType(value), TYPECACHE_EQ_OPR |
												  TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

		if (clause->eqop != entry->eq_opr ||
			(clause->sortop != entry->lt_opr && clause->sortop != entry->gt_opr))
			return false;
	}
	return true;
}

static void
check_aggregate(Aggref *aggref, Split *split)
{
	if (!is_among(aggref->aggfnoid, allowed, lengthof(allowed)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("aggregate %s cannot be used in %s", get_func_name(aggref->aggfnoid),
						split->function),
				 errdetail("It is not known to have a result for every block."),
				 errhint("Use count, sum, avg, min, max, stddev, variance, corr, covar_pop, "
						 "regr_slope and their kin, percentile_cont, percentile_disc or mode, of "
						 "numbers.")));
	if ((aggref->aggkind == AGGKIND_NORMAL && aggref->aggorder != NIL) ||
		!is_plain_order(aggref->aggorder, aggref->args) ||
		!is_plain_order(aggref->aggdistinct, aggref->args))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("order within aggregate %s cannot be used in %s",
						get_func_name(aggref->aggfnoid), split->function),
				 errdetail("Aggregates see the values of a block in the order of the values."),
				 errhint("Leave ORDER BY out, and USING after WITHIN GROUP.")));
	if (aggref->aggdirectargs != NIL)
		check_fraction(aggref, split);
}

/* count(x) counts rows for which x is not NULL, whatever its type. */
static void
count_rows(Aggref *aggref)
{
	NullTest   *test = makeNode(NullTest);

	test->arg = linitial_node(TargetEntry, aggref->args)->expr;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	aggref->aggfilter = aggref->aggfilter ?
		(Expr *) makeBoolExpr(AND_EXPR, list_make2(aggref->aggfilter, test), -1) : (Expr *) test;
	aggref->aggfnoid = F_COUNT_;
	aggref->aggstar = true;
	aggref->aggargtypes = NIL;
	aggref->args = NIL;
}

/* Let it read its values in their order. */
static void
order_values(Aggref *aggref)
{
	ListCell   *lc;

	foreach(lc, aggref->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);
		SortGroupClause *clause = makeNode(SortGroupClause);

		get_sort_group_operators(exprType((Node *) entry->expr), true, true, false,
								 &clause->sortop, &clause->eqop, NULL, &clause->hashable);
		clause->tleSortGroupRef = entry->ressortgroupref = foreach_current_index(lc) + 1;
		aggref->aggorder = lappend(aggref->aggorder, clause);
	}
}

/* The aggregate as one of columns. */
static Aggref *
aggregate_columns(const Aggref *original, Split *split)
{
	Aggref	   *aggref = copyObject(unconstify(Aggref *, original));
	ListCell   *lc;

	aggref->aggdirectargs = (List *) eval_const_expressions(NULL, (Node *) aggref->aggdirectargs);
	check_aggregate(aggref, split);
	if (aggref->aggfnoid == F_COUNT_ANY && aggref->aggdistinct == NIL)
		count_rows(aggref);
	foreach(lc, aggref->args)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);

		entry->expr = (Expr *) column_of(split, entry->expr);
	}
	if (aggref->aggfilter)
		aggref->aggfilter = (Expr *) column_of(split, aggref->aggfilter);
	if (aggref->aggkind == AGGKIND_NORMAL && aggref->aggdistinct == NIL)
		order_values(aggref);
	aggref->location = -1;
	return aggref;
}

/*
 * The expression
 */

/*
 * Placeholders, columns of this number, in place of aggregates.  What reads columns in a way of its
 * own is left as it is: the allow-list has none of it.
 */
static Node *
take_aggregates(Node *node, Split *split)
{
	if (node == NULL || IsA(node, SubLink) || IsA(node, WindowFunc) || IsA(node, GroupingFunc))
		return node;
	if (IsA(node, Aggref))
	{
		Aggref	   *aggref = aggregate_columns((Aggref *) node, split);
		Var		   *placeholder;

		split->result->aggregates = lappend(split->result->aggregates, aggref);
		placeholder = makeVar(1, list_length(split->result->aggregates), aggref->aggtype, -1,
							  aggref->aggcollid, 0);
		return (Node *) placeholder;
	}
	if (IsA(node, Var))
		ereport(ERROR,
				(errcode(ERRCODE_GROUPING_ERROR),
				 errmsg("column of \"%s\" stands outside of an aggregate in %s",
						split->source, split->function),
				 errdetail("A block has one result, and many rows."),
				 errhint("Write avg(age) in place of age, for example.")));
	return expression_tree_mutator(node, take_aggregates, split);
}

static Node *
put_aggregates(Node *node, List *aggregates)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return copyObject(list_nth(aggregates, ((Var *) node)->varattno - 1));
	return expression_tree_mutator(node, put_aggregates, aggregates);
}

static Node *
transform(ParseState *pstate, Node *raw, void *context)
{
	Split	   *split = context;
	Node	   *node = transformExpr(pstate, raw, EXPR_KIND_SELECT_TARGET);
	Oid			type = exprType(node);

	node = coerce_to_target_type(pstate, node, type, FLOAT8OID, -1, COERCION_ASSIGNMENT,
								 COERCE_IMPLICIT_CAST, -1);
	if (node == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("expression of %s is no number", split->function),
				 errdetail("It has type %s.", format_type_be(type)),
				 errhint("Use an expression that can be cast to double precision.")));
	assign_expr_collations(pstate, node);

	node = take_aggregates(node, split);
	if (split->result->aggregates == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("expression of %s has no aggregate", split->function),
				 errhint("%s", expression_text.hint)));
	return node;
}

SampleExpression
dpriv_sample_expression(ParseState *pstate, const char *source, const char *text,
						const char *function)
{
	SampleExpression result = {NIL};
	Split		split = {function, source, &result};

	result.above = dpriv_rows_expression(pstate, text, &expression_text, transform, &split);
	return result;
}

Node *
dpriv_sample_value(const SampleExpression *expression, Oid relation)
{
	Node	   *above = eval_const_expressions(NULL, expression->above);

	return put_aggregates(dpriv_guard_expression(above, relation, NULL), expression->aggregates);
}

/*
 * Values
 */

/* Parsed once for a process. */
static Datum
largest_numeric(bool negative)
{
	static Datum largest[2];

	if (largest[negative] == 0)
	{
		MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

		largest[negative] = DirectFunctionCall3(numeric_in,
												CStringGetDatum(negative ? "-" LARGEST_TEXT :
																LARGEST_TEXT),
												ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
		MemoryContextSwitchTo(old);
	}
	return largest[negative];
}

static Datum
bound_numeric(Datum value)
{
	if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, value, largest_numeric(false))) > 0)
		return largest_numeric(false);
	if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, value, largest_numeric(true))) < 0)
		return largest_numeric(true);
	value = DirectFunctionCall2(numeric_round, value, Int32GetDatum(NUMERIC_DECIMALS));
	return DirectFunctionCall1(numeric_trim_scale, value);
}

/* Adding 0 turns the negative zero into the other one. */
bool
dpriv_sample_normalise(Datum *value, Oid type)
{
	switch (type)
	{
		case FLOAT4OID:
			if (isnan(DatumGetFloat4(*value)))
				return false;
			*value = Float4GetDatum(Min(Max(DatumGetFloat4(*value), -LARGEST_FLOAT4),
										LARGEST_FLOAT4) + 0.0f);
			return true;
		case FLOAT8OID:
			if (isnan(DatumGetFloat8(*value)))
				return false;
			*value = Float8GetDatum(Min(Max(DatumGetFloat8(*value), -LARGEST), LARGEST) + 0.0);
			return true;
		case NUMERICOID:
			if (numeric_is_nan(DatumGetNumeric(*value)))
				return false;
			*value = bound_numeric(*value);
			return true;
		default:
			return true;
	}
}
