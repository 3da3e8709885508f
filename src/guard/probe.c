/*
 * probe.c
 *	  The guard by itself, to be tested: in builds for the tests only.
 *
 * The shipped build does not contain a line of it.
 */
#include "postgres.h"

#ifdef DPRIV_GUARD_PROBE
#include "fmgr.h"
#include "guard/expression.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "utils/builtins.h"

/* The only query of a text, analysed. */
static Query *
query_of(const char *sql)
{
	List	   *statements = raw_parser(sql, RAW_PARSE_DEFAULT);

	return parse_analyze_fixedparams(linitial_node(RawStmt, statements), sql, NULL, 0, NULL);
}

PG_FUNCTION_INFO_V1(dpriv_guard_probe);

/*
 * guard_probe(query text) returns text: the first target of the query and its WHERE after the
 * guard, as node trees.
 */
Datum
dpriv_guard_probe(PG_FUNCTION_ARGS)
{
	const char *sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Query	   *query = query_of(sql);
	Node	   *expressions = (Node *) list_make2(query->targetList, query->jointree->quals);

	expressions = eval_const_expressions(NULL, expressions);
	PG_RETURN_TEXT_P(cstring_to_text(nodeToString(dpriv_guard_expression(expressions, sql))));
}

PG_FUNCTION_INFO_V1(dpriv_guard_probe_find);

/* guard_probe_find(query text) returns text: the first construct that is refused, or NULL. */
Datum
dpriv_guard_probe_find(PG_FUNCTION_ARGS)
{
	Query	   *query = query_of(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	const char *found = dpriv_guard_find((Node *) query->targetList);

	if (found == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(found));
}

#endif							/* DPRIV_GUARD_PROBE */
