/*
 * cost.c
 *	  What a statement would be charged.
 *
 * The statement is planned and started as EXPLAIN does it: its permissions are checked, nothing is
 * read, nothing is paid.  Charges come from the releases themselves, as when they are paid.
 * A function in FROM that charges for itself is called, and answers with its cost instead.
 */
#include "postgres.h"

#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "ledger/remaining.h"
#include "mechanism/cost.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_node.h"
#include "release/cost.h"
#include "release/node.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#define COST_COLUMNS 7

#define MAX_FUNCTIONS 8

static PGFunction functions[MAX_FUNCTIONS];
static int	nfunctions = 0;

/* Where calls that ask put their cost; NULL: calls are real. */
static ReturnSetInfo *asking = NULL;

/* Where an error is in the text that was passed, and not at some place of the caller's. */
static void
point_into_query(void *query)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(query);
	}
}

static Node *
refuse_parameter(ParseState *pstate, ParamRef *param)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_PARAMETER),
			 errmsg("dpriv.cost() takes no statement with parameters"),
			 errdetail("There is no value for $%d.", param->number),
			 errhint("Write values in their place."),
			 parser_errposition(pstate, param->location)));
	return NULL;
}

static void
setup_parser(ParseState *pstate, void *arg)
{
	pstate->p_paramref_hook = refuse_parameter;
}

/* Statements that only read.  Anything else may have effects long before it is executed. */
static Query *
analyze(const char *text)
{
	List	   *statements = pg_parse_query(text);
	Query	   *query;

	if (list_length(statements) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("dpriv.cost() takes one statement"),
				 errdetail("There are %d.", list_length(statements)),
				 errhint("Ask for the cost of each by itself.")));
	if (IsA(linitial_node(RawStmt, statements)->stmt, SelectStmt))
	{
		statements = pg_analyze_and_rewrite_withcb(linitial(statements), text, setup_parser, NULL,
												   NULL);
		query = linitial_node(Query, statements);
		if (list_length(statements) == 1 && query->commandType == CMD_SELECT &&
			!query->hasModifyingCTE)
			return query;
	}
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("dpriv.cost() takes only statements that read"),
			 errhint("Pass the SELECT by itself: inside of INSERT, CREATE TABLE AS, DECLARE or "
					 "EXPLAIN it costs the same.")));
	return NULL;				/* not reached */
}

/* Started like EXPLAIN: permissions are checked, nothing runs. */
static QueryDesc *
start(Query *query, const char *text)
{
	PlannedStmt *plan = pg_plan_query(query, text, CURSOR_OPT_PARALLEL_OK, NULL);
	QueryDesc  *query_desc = CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot,
											 None_Receiver, NULL, NULL, 0);

	ExecutorStart(query_desc, EXEC_FLAG_EXPLAIN_ONLY);
	return query_desc;
}

/* Columns that all rows of one release have in common. */
typedef struct CostRow
{
	ReturnSetInfo *result;
	Datum		values[COST_COLUMNS];
	bool		nulls[COST_COLUMNS];
} CostRow;

static void
begin_rows(CostRow *row, Oid relation)
{
	double		remaining;
	double		remaining_delta;

	row->nulls[0] = !OidIsValid(relation);
	if (OidIsValid(relation))
		row->values[0] = CStringGetTextDatum(
			quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
									   get_rel_name(relation)));
	row->nulls[5] = row->nulls[6] = !dpriv_budget_remaining(GetSessionUserId(), relation,
															&remaining, &remaining_delta);
	row->values[5] = Float8GetDatum(remaining);
	row->values[6] = Float8GetDatum(remaining_delta);
}

static void
put_row(CostRow *row, const char *measure, const char *mechanism, DprivCost cost)
{
	row->values[1] = CStringGetTextDatum(measure);
	row->values[2] = CStringGetTextDatum(mechanism);
	row->values[3] = Float8GetDatum(dpriv_epsilon_to_double(cost.epsilon));
	row->values[4] = Float8GetDatum(dpriv_delta_to_double(cost.delta_basic));
	tuplestore_putvalues(row->result->setResult, row->result->setDesc, row->values, row->nulls);
}

static void
put_release(ReturnSetInfo *result, ReleaseState *state)
{
	const ReleaseSpec *spec = state->spec;
	List	   *context = dpriv_measure_context(spec->inner);
	const DprivCost nothing = {0};
	CostRow		row = {result};
	ListCell   *lc;

	dpriv_release_resolve(state);
	begin_rows(&row, spec->relation);
	foreach(lc, spec->measures)
	{
		const DprivMeasure *measure = &state->measures[foreach_current_index(lc)];

		put_row(&row, dpriv_measure_text(lfirst(lc), context), dpriv_measure_mechanism(measure),
				spec->empty ? nothing : dpriv_measure_cost(measure));
	}
	if (spec->selected && !spec->empty)
		put_row(&row, "selection of groups",
				dpriv_selection_mechanism(&state->selection),
				dpriv_selection_cost(&state->selection));
}

/*
 * Functions that charge for themselves
 */

void
dpriv_cost_register(PGFunction function)
{
	if (nfunctions == MAX_FUNCTIONS)
		elog(ERROR, "too many functions that charge for themselves");
	functions[nfunctions++] = function;
}

bool
dpriv_cost_asked(DprivCost cost, Oid relation, const char *measure, const char *mechanism)
{
	CostRow		row = {asking};

	if (asking == NULL)
		return false;
	begin_rows(&row, relation);
	put_row(&row, measure, mechanism, cost);
	return true;
}

static bool
charges_itself(Node *expr)
{
	FmgrInfo	function;

	if (!IsA(expr, FuncExpr))
		return false;
	fmgr_info(((FuncExpr *) expr)->funcid, &function);
	for (int i = 0; i < nfunctions; i++)
		if (function.fn_addr == functions[i])
			return true;
	return false;
}

/* What rows of a function look like; of one without columns, that of its value. */
static TupleDesc
row_of(Node *expr)
{
	TupleDesc	tupdesc;
	Oid			type;

	if (get_expr_result_type(expr, &type, &tupdesc) == TYPEFUNC_SCALAR)
	{
		tupdesc = CreateTemplateTupleDesc(1);
		TupleDescInitEntry(tupdesc, 1, "value", type, -1, 0);
	}
	return tupdesc;
}

/* Call those of a scan; what they return has no rows. */
static bool
ask_walker(PlanState *node, void *context)
{
	ListCell   *lc;

	if (IsA(node, FunctionScanState))
		foreach(lc, ((FunctionScan *) node->plan)->functions)
		{
			Node	   *expr = lfirst_node(RangeTblFunction, lc)->funcexpr;
			MemoryContext arguments;
			SetExprState *call;

			if (!charges_itself(expr))
				continue;
			call = ExecInitTableFunctionResult((Expr *) expr, node->ps_ExprContext, node);
			/* It is reset first. */
			arguments = AllocSetContextCreate(CurrentMemoryContext, "dpriv cost of a call",
											  ALLOCSET_SMALL_SIZES);
			tuplestore_end(ExecMakeTableFunctionResult(call, node->ps_ExprContext, arguments,
													   row_of(expr), false));
			MemoryContextDelete(arguments);
		}
	return planstate_tree_walker(node, ask_walker, context);
}

/* A call may fail, and may not be taken for one that asks afterwards. */
static void
ask(ReturnSetInfo *result, PlanState *planstate)
{
	ReturnSetInfo *before = asking;

	PG_TRY();
	{
		asking = result;
		(void) ask_walker(planstate, NULL);
	}
	PG_FINALLY();
	{
		asking = before;
	}
	PG_END_TRY();
}

PG_FUNCTION_INFO_V1(dpriv_cost);

/*
 * dpriv.cost(query text) returns one row for each measure, one for each selection of groups, and
 * one for each call of a function that charges for itself.
 */
Datum
dpriv_cost(PG_FUNCTION_ARGS)
{
	ErrorContextCallback callback;
	QueryDesc  *query_desc;
	char	   *sql;
	ListCell   *lc;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("query of dpriv.cost() must not be NULL"),
				 errhint("Pass the text of a SELECT.")));
	sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	InitMaterializedSRF(fcinfo, 0);

	callback.callback = point_into_query;
	callback.arg = sql;
	callback.previous = error_context_stack;
	error_context_stack = &callback;

	query_desc = start(analyze(sql), sql);
	foreach(lc, dpriv_release_collect(query_desc->planstate))
		put_release((ReturnSetInfo *) fcinfo->resultinfo, lfirst(lc));
	ask((ReturnSetInfo *) fcinfo->resultinfo, query_desc->planstate);
	ExecutorEnd(query_desc);
	FreeQueryDesc(query_desc);

	error_context_stack = callback.previous;
	return (Datum) 0;
}
