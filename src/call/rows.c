/*
 * rows.c
 *	  From a relation to rows: the query that reads them, planned, permitted and sealed.
 *
 * The query is SELECT columns FROM relation WHERE filter, made of parse trees and never of text: a
 * text that is more than one expression is refused.  It goes through the same door as the inner
 * query of a release: views and policies are expanded, its source is checked, what a restricted
 * role has evaluated for a row must be on the allow-list, and it runs sealed.  So one row of the
 * relation is one row here, or none.
 */
#include "postgres.h"

#include "call/rows.h"
#include "compat.h"
#include "guard/statement.h"
#include "nodes/makefuncs.h"
#include "parser/analyze.h"
#include "parser/parse_clause.h"
#include "parser/parse_collate.h"
#include "parser/parse_relation.h"
#include "parser/parser.h"
#include "release/seal.h"
#include "rewrite/rewriteHandler.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

static planner_hook_type next_planner = standard_planner;

static const RowsText filter_text = {
	"filter", "It takes the place of a condition after WHERE.",
	"Write a condition over the columns, for example 'age > 17'."
};

void
dpriv_rows_init(planner_hook_type planner)
{
	next_planner = planner;
}

/*
 * Texts
 */

static void
refuse_text(const RowsText *argument)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("%s is not one expression", argument->argument),
			 errdetail("%s", argument->detail),
			 errhint("%s", argument->hint)));
}

/* The raw expression that a text holds, and nothing besides it. */
static Node *
parse_text(const char *text, const RowsText *argument)
{
	List	   *statements = raw_parser(text, RAW_PARSE_DEFAULT);
	SelectStmt *select;
	SelectStmt *plain = makeNode(SelectStmt);
	ResTarget  *target;

	if (list_length(statements) != 1)
		refuse_text(argument);
	select = (SelectStmt *) linitial_node(RawStmt, statements)->stmt;
	if (!IsA(select, SelectStmt) || list_length(select->targetList) != 1)
		refuse_text(argument);

	/* Nothing but the target: whatever else a SELECT can have makes the two differ. */
	target = linitial_node(ResTarget, select->targetList);
	plain->targetList = select->targetList;
	if (!equal(select, plain) || target->name || target->indirection)
		refuse_text(argument);

	/* A star stands for several targets, and only there. */
	if (IsA(target->val, ColumnRef) &&
		IsA(llast(((ColumnRef *) target->val)->fields), A_Star))
		refuse_text(argument);
	return target->val;
}

/* Where an error is in the text, and not at some place of the caller's. */
static void
point_into_text(void *text)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(text);
	}
}

Node *
dpriv_rows_expression(ParseState *pstate, const char *text, const RowsText *argument,
					  RowsTransform transform, void *context)
{
	char	   *query = psprintf("SELECT %s", text);
	ErrorContextCallback callback = {error_context_stack, point_into_text, query};
	Node	   *result;

	error_context_stack = &callback;
	pstate->p_sourcetext = query;
	result = transform(pstate, parse_text(query, argument), context);
	error_context_stack = callback.previous;
	return result;
}

/*
 * The query
 */

ParseState *
dpriv_rows_parse_state(Relation relation)
{
	ParseState *pstate = make_parsestate(NULL);

	addNSItemToQuery(pstate, addRangeTableEntryForRelation(pstate, relation, AccessShareLock, NULL,
														   true, true),
					 true, true, true);
	return pstate;
}

static Node *
transform_filter(ParseState *pstate, Node *raw, void *context)
{
	Node	   *condition = transformWhereClause(pstate, raw, EXPR_KIND_WHERE, "WHERE");

	assign_expr_collations(pstate, condition);
	return condition;
}

RowsQuery
dpriv_rows_plan(ParseState *pstate, List *columns, const char *filter)
{
	Query	   *query = makeNode(Query);
	Node	   *condition = NULL;
	RowsQuery	result = {NULL};

	if (filter)
		condition = dpriv_rows_expression(pstate, filter, &filter_text, transform_filter, NULL);
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->stmt_location = -1;
	query->targetList = columns;
	query->rtable = pstate->p_rtable;
	query->jointree = makeFromExpr(pstate->p_joinlist, condition);
	query->hasSubLinks = pstate->p_hasSubLinks;
	dpriv_take_permissions(query, pstate);
	free_parsestate(pstate);

	result.plan = dpriv_guard_plan_rows(linitial_node(Query, QueryRewrite(query)), next_planner,
										&result.relation);
	dpriv_check_plan_permissions(result.plan);

	/* It runs in the same call, so that they need not stay open: locks stay. */
	dpriv_close_relations(dpriv_open_relations(result.plan, result.relation));
	return result;
}

RowsQuery
dpriv_rows_plan_stored(Query *query, QueryEnvironment *environment)
{
	RowsQuery	result = {next_planner(query, NULL, 0, NULL), InvalidOid, environment};

	return result;
}

/*
 * The rows
 */

/* Hands rows on. */
typedef struct RowReceiver
{
	DestReceiver pub;
	RowsTake	take;
	void	   *take_context;
	MemoryContext context;		/* of one row */
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->context);

	slot_getallattrs(slot);
	receiver->take(receiver->take_context, slot->tts_values, slot->tts_isnull);
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->context);
	return true;
}

static void
receiver_nothing(DestReceiver *self)
{
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

void
dpriv_rows_read(const RowsQuery *query, RowsTake take, void *context)
{
	RowReceiver receiver = {
		{receive_row, receiver_startup, receiver_nothing, receiver_nothing, DestNone},
		take, context, AllocSetContextCreate(CurrentMemoryContext, "dpriv row",
											 ALLOCSET_DEFAULT_SIZES)
	};
	QueryDesc  *query_desc = CreateQueryDesc(query->plan, "reading rows", GetActiveSnapshot(),
											 InvalidSnapshot, &receiver.pub, NULL,
											 query->environment, 0);

	dpriv_run_query(query_desc);
	FreeQueryDesc(query_desc);
	MemoryContextDelete(receiver.context);
}
