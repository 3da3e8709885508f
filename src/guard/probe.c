/*
 * probe.c
 *	  The guard by itself, to be tested: in builds for the tests only.
 *
 * The shipped build does not contain a line of it.
 */
#include "postgres.h"

#ifdef DPRIV_GUARD_PROBE
#include "access/xact.h"
#include "fmgr.h"
#include "guard/expression.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"

/* The only query of a text, analysed. */
static Query *
query_of(const char *sql)
{
	List	   *statements = raw_parser(sql, RAW_PARSE_DEFAULT);

	return parse_analyze_fixedparams(linitial_node(RawStmt, statements), sql, NULL, 0, NULL);
}

PG_FUNCTION_INFO_V1(dpriv_guard_probe);

/*
 * guard_probe(query text) returns text: the first target of a query from one table, after the
 * guard.
 */
Datum
dpriv_guard_probe(PG_FUNCTION_ARGS)
{
	const char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Query	   *query = query_of(sql);
	Node	   *expr = (Node *) linitial_node(TargetEntry, query->targetList)->expr;
	RangeTblEntry *rte = linitial_node(RangeTblEntry, query->rtable);
	List	   *context;

	expr = dpriv_guard_expression(eval_const_expressions(NULL, expr), rte->relid, sql);
	context = deparse_context_for(rte->eref->aliasname, rte->relid);
	PG_RETURN_TEXT_P(cstring_to_text(deparse_expression(expr, context, false, true)));
}

PG_FUNCTION_INFO_V1(dpriv_guard_probe_find);

/* guard_probe_find(query text) returns text: the first construct that is refused, or NULL. */
Datum
dpriv_guard_probe_find(PG_FUNCTION_ARGS)
{
	Query	   *query = query_of(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	RangeTblEntry *rte = linitial_node(RangeTblEntry, query->rtable);
	const char *found = dpriv_guard_find((Node *) query->targetList, rte->relid);

	if (found == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(found));
}

PG_FUNCTION_INFO_V1(dpriv_guard_probe_utility);

/* guard_probe_utility(statement text) returns void: run it as a library can, past every hook. */
Datum
dpriv_guard_probe_utility(PG_FUNCTION_ARGS)
{
	const char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	PlannedStmt *stmt = makeNode(PlannedStmt);

	stmt->commandType = CMD_UTILITY;
	stmt->utilityStmt = query_of(sql)->utilityStmt;
	standard_ProcessUtility(stmt, sql, false, PROCESS_UTILITY_QUERY, NULL, NULL, None_Receiver,
							NULL);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}

#endif							/* DPRIV_GUARD_PROBE */
