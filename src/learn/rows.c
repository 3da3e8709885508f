/*
 * rows.c
 *	  From a relation to stored rows: the query that reads them, planned, permitted and sealed.
 *
 * The query is SELECT label, features FROM relation WHERE filter, made of a parse tree and never of
 * text: a filter that is more than one expression is refused.  It goes through the same door as the
 * inner query of a release: views and policies are expanded, its source is checked, a restricted
 * role's filter must be on the allow-list, and it runs sealed.  So one row of the relation is one
 * row here, or none.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "compat.h"
#include "guard/statement.h"
#include "learn/rows.h"
#include "nodes/makefuncs.h"
#include "parser/analyze.h"
#include "parser/parse_clause.h"
#include "parser/parse_collate.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parse_target.h"
#include "parser/parser.h"
#include "release/seal.h"
#include "release/source.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
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
make_query(Relation relation, const LearnColumns *columns, const char *filter)
{
	Query	   *query = makeNode(Query);
	ParseState *pstate = make_parsestate(NULL);
	ParseNamespaceItem *item = addRangeTableEntryForRelation(pstate, relation, AccessShareLock,
															 NULL, true, true);
	Node	   *condition = NULL;

	addNSItemToQuery(pstate, item, true, true, true);
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->stmt_location = -1;
	query->targetList = list_make1(column_entry(pstate, item, columns->label.name, 1));
	for (int i = 0; i < columns->nfeatures; i++)
		query->targetList = lappend(query->targetList,
									column_entry(pstate, item, columns->feature[i].name, i + 2));
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
dpriv_learn_plan(Relation relation, const LearnColumns *columns, const char *filter)
{
	List	   *rewritten = QueryRewrite(make_query(relation, columns, filter));
	Query	   *query = linitial_node(Query, rewritten);
	LearnQuery	result;

	result.plan = dpriv_guard_plan_rows(query, next_planner);
	result.relation = dpriv_source_relation(query);
	dpriv_check_plan_permissions(result.plan);
	return result;
}

/*
 * The rows
 */

/* A value of a feature's type as a double; NaN if there is none. */
static double
number_of(Datum value, Oid type)
{
	switch (type)
	{
		case BOOLOID:
			return DatumGetBool(value) ? 1.0 : 0.0;
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case FLOAT8OID:
			return DatumGetFloat8(value);
		case NUMERICOID:
			return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		default:
			elog(ERROR, "type %u has no numbers", type);
	}
}

/* The place between the bounds; what is beyond them is at them. */
static int32
place_of(double x, const LearnFeature *feature)
{
	if (isnan(x))
		return DPRIV_LEARN_RANGE / 2;
	if (x <= feature->lower)
		return 0;
	if (x >= feature->upper)
		return DPRIV_LEARN_RANGE;
	return (int32) ((x - feature->lower) / (feature->upper - feature->lower) * DPRIV_LEARN_RANGE);
}

/* The bytes of a text of whatever type; blanks at the end of a character(n) are none. */
static const char *
text_bytes(Datum value, Oid type, int *length)
{
	text	   *bytes = DatumGetTextPP(value);

	*length = type == BPCHAROID ? bpchartruelen(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)) :
		VARSIZE_ANY_EXHDR(bytes);
	return VARDATA_ANY(bytes);
}

static int
level_of_text(const LearnFeature *feature, const char *bytes, int length)
{
	int			low = 0;
	int			high = feature->nlevels - 2;

	while (low <= high)
	{
		int			middle = (low + high) / 2;
		const char *level = feature->level[feature->sorted[middle]];
		int			order = length - (int) strlen(level);

		if (order == 0)
			order = memcmp(bytes, level, length);
		if (order == 0)
			return feature->sorted[middle];
		if (order < 0)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return feature->nlevels - 1;
}

static int
level_of(const LearnFeature *feature, Datum value)
{
	const char *bytes;
	int			length;

	if (feature->label)
	{
		for (int i = 0; i < feature->nlevels - 1; i++)
			if (feature->label[i] == DatumGetObjectId(value))
				return i;
		return feature->nlevels - 1;
	}
	bytes = text_bytes(value, feature->type, &length);
	return level_of_text(feature, bytes, length);
}

/* 1 or 0: the class; -1: neither. */
static int
class_of(const LearnLabel *label, Datum value)
{
	const char *bytes;
	int			length;
	double		x;

	if (OidIsValid(label->label))
		return DatumGetObjectId(value) == label->label;
	switch (label->type)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			bytes = text_bytes(value, label->type, &length);
			return length == strlen(label->positive) && memcmp(bytes, label->positive, length) == 0;
		default:
			x = number_of(value, label->type);
			if (label->positive)
				return x == label->number;
			return x == 1.0 ? 1 : x == 0.0 ? 0 : -1;
	}
}

/* Puts rows into a store. */
typedef struct RowReceiver
{
	DestReceiver pub;
	const LearnColumns *columns;
	LearnStore *store;
	MemoryContext context;		/* of one row */
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	const LearnColumns *columns = receiver->columns;
	MemoryContext old;
	LearnRow   *row;
	int			class;

	slot_getallattrs(slot);
	if (slot->tts_isnull[0])
		return true;
	old = MemoryContextSwitchTo(receiver->context);
	class = class_of(&columns->label, slot->tts_values[0]);
	if (class >= 0)
	{
		row = dpriv_learn_store_add(receiver->store);
		row->positive = class;
		for (int i = 0; i < columns->nfeatures; i++)
		{
			const LearnFeature *feature = &columns->feature[i];
			Datum		value = slot->tts_values[i + 1];
			bool		isnull = slot->tts_isnull[i + 1];

			if (feature->is_category)
				dpriv_learn_row_codes(receiver->store, row)[feature->place] =
					isnull ? feature->nlevels - 1 : level_of(feature, value);
			else
				row->number[feature->place] =
					place_of(isnull ? NAN : number_of(value, feature->type), feature);
		}
	}
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
dpriv_learn_read(const LearnQuery *query, const LearnColumns *columns, LearnStore *store)
{
	RowReceiver receiver = {
		{receive_row, receiver_startup, receiver_nothing, receiver_nothing, DestNone},
		columns, store, AllocSetContextCreate(CurrentMemoryContext, "dpriv row",
											  ALLOCSET_DEFAULT_SIZES)
	};
	QueryDesc  *query_desc = CreateQueryDesc(query->plan, "training", GetActiveSnapshot(),
											 InvalidSnapshot, &receiver.pub, NULL, NULL, 0);

	dpriv_run_sealed(query_desc);
	FreeQueryDesc(query_desc);
	dpriv_learn_store_finish(store);
	MemoryContextDelete(receiver.context);
}
