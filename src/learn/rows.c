/*
 * rows.c
 *	  From a relation to rows: the query that reads them, planned, permitted and sealed.
 *
 * The query is SELECT label, features FROM relation WHERE filter, made of a parse tree and never of
 * text: a filter that is more than one expression is refused.  It goes through the same door as the
 * inner query of a release: views and policies are expanded, its source is checked, a restricted
 * role's filter must be on the allow-list, and it runs sealed.  So one row of the relation is one
 * row here, or none.
 */
#include "postgres.h"

#include "compat.h"
#include "guard/statement.h"
#include "learn/rows.h"
#include "learn/values.h"
#include "nodes/makefuncs.h"
#include "parser/analyze.h"
#include "parser/parse_clause.h"
#include "parser/parse_collate.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parse_target.h"
#include "parser/parser.h"
#include "release/seal.h"
#include "rewrite/rewriteHandler.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

static planner_hook_type next_planner = standard_planner;

void
dpriv_learn_init(planner_hook_type planner)
{
	next_planner = planner;
}

/*
 * The query
 */

static void
refuse_filter(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("filter is not one expression"),
			 errdetail("It takes the place of a condition after WHERE."),
			 errhint("Write a condition over the columns, for example 'age > 17'.")));
}

/* The raw expression that a text holds, and nothing besides it. */
static Node *
parse_filter(const char *text)
{
	List	   *statements = raw_parser(text, RAW_PARSE_DEFAULT);
	SelectStmt *select;
	SelectStmt *plain = makeNode(SelectStmt);
	ResTarget  *target;

	if (list_length(statements) != 1)
		refuse_filter();
	select = (SelectStmt *) linitial_node(RawStmt, statements)->stmt;
	if (!IsA(select, SelectStmt) || list_length(select->targetList) != 1)
		refuse_filter();

	/* Nothing but the target: whatever else a SELECT can have makes the two differ. */
	target = linitial_node(ResTarget, select->targetList);
	plain->targetList = select->targetList;
	if (!equal(select, plain) || target->name || target->indirection)
		refuse_filter();

	/* A star stands for several targets, and only there. */
	if (IsA(target->val, ColumnRef) &&
		IsA(llast(((ColumnRef *) target->val)->fields), A_Star))
		refuse_filter();
	return target->val;
}

/* Where an error is in the filter, and not at some place of the caller's. */
static void
point_into_filter(void *text)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(text);
	}
}

static TargetEntry *
column_entry(ParseState *pstate, ParseNamespaceItem *item, const char *name, AttrNumber resno)
{
	Node	   *column = scanNSItemForColumn(pstate, item, 0, unconstify(char *, name), -1);

	if (column == NULL)
		elog(ERROR, "could not find column \"%s\"", name);
	return makeTargetEntry((Expr *) column, resno, pstrdup(name), false);
}

static Query *
make_query(Relation relation, List *names, const char *filter)
{
	Query	   *query = makeNode(Query);
	ParseState *pstate = make_parsestate(NULL);
	ParseNamespaceItem *item = addRangeTableEntryForRelation(pstate, relation, AccessShareLock,
															 NULL, true, true);
	Node	   *condition = NULL;
	ListCell   *lc;

	addNSItemToQuery(pstate, item, true, true, true);
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->stmt_location = -1;
	foreach(lc, names)
		query->targetList = lappend(query->targetList,
									column_entry(pstate, item, lfirst(lc),
												 foreach_current_index(lc) + 1));
	if (filter)
	{
		char	   *text = psprintf("SELECT %s", filter);
		ErrorContextCallback callback = {error_context_stack, point_into_filter, text};

		error_context_stack = &callback;
		pstate->p_sourcetext = text;
		condition = transformWhereClause(pstate, parse_filter(text), EXPR_KIND_WHERE, "WHERE");
		assign_expr_collations(pstate, condition);
		error_context_stack = callback.previous;
	}
	query->rtable = pstate->p_rtable;
	query->jointree = makeFromExpr(pstate->p_joinlist, condition);
	query->hasSubLinks = pstate->p_hasSubLinks;
	dpriv_take_permissions(query, pstate);
	free_parsestate(pstate);
	return query;
}

LearnQuery
dpriv_learn_plan(Relation relation, List *names, const char *filter)
{
	List	   *rewritten = QueryRewrite(make_query(relation, names, filter));
	LearnQuery	result;

	result.plan = dpriv_guard_plan_rows(linitial_node(Query, rewritten), next_planner,
										&result.relation);
	dpriv_check_plan_permissions(result.plan);
	return result;
}

/*
 * The rows
 */

/* Hands rows on. */
typedef struct RowReceiver
{
	DestReceiver pub;
	const LearnLabel *label;
	LearnTakeRow take;
	void	   *take_context;
	MemoryContext context;		/* of one row */
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old;
	int			class;

	slot_getallattrs(slot);
	if (slot->tts_isnull[0])
		return true;
	old = MemoryContextSwitchTo(receiver->context);
	class = dpriv_learn_class(receiver->label, slot->tts_values[0]);
	if (class >= 0)
		receiver->take(receiver->take_context, class, slot->tts_values + 1, slot->tts_isnull + 1);
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
dpriv_learn_read(const LearnQuery *query, const LearnLabel *label, LearnTakeRow take, void *context)
{
	RowReceiver receiver = {
		{receive_row, receiver_startup, receiver_nothing, receiver_nothing, DestNone},
		label, take, context, AllocSetContextCreate(CurrentMemoryContext, "dpriv row",
													ALLOCSET_DEFAULT_SIZES)
	};
	QueryDesc  *query_desc = CreateQueryDesc(query->plan, "training", GetActiveSnapshot(),
											 InvalidSnapshot, &receiver.pub, NULL, NULL, 0);

	dpriv_run_query(query_desc);
	FreeQueryDesc(query_desc);
	MemoryContextDelete(receiver.context);
}
