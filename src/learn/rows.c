/*
 * rows.c
 *	  The rows that a model is trained on: a label and features.
 */
#include "postgres.h"

#include "learn/rows.h"
#include "learn/values.h"
#include "nodes/makefuncs.h"
#include "parser/parse_relation.h"

static TargetEntry *
column_entry(ParseState *pstate, const char *name, AttrNumber resno)
{
	Node	   *column = colNameToVar(pstate, name, false, -1);

	if (column == NULL)
		elog(ERROR, "could not find column \"%s\"", name);
	return makeTargetEntry((Expr *) column, resno, pstrdup(name), false);
}

RowsQuery
dpriv_learn_plan(Relation relation, List *names, const char *filter)
{
	ParseState *pstate = dpriv_rows_parse_state(relation);
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, names)
		columns = lappend(columns, column_entry(pstate, lfirst(lc),
												foreach_current_index(lc) + 1));
	return dpriv_rows_plan(pstate, columns, filter);
}

/* Hands on those rows that have a class. */
typedef struct LabelledRows
{
	const LearnLabel *label;
	LearnTakeRow take;
	void	   *context;
} LabelledRows;

static void
take_row(void *context, const Datum *value, const bool *isnull)
{
	const LabelledRows *rows = context;
	int			class;

	if (isnull[0])
		return;
	class = dpriv_learn_class(rows->label, value[0]);
	if (class >= 0)
		rows->take(rows->context, class, value + 1, isnull + 1);
}

void
dpriv_learn_read(const RowsQuery *query, const LearnLabel *label, LearnTakeRow take, void *context)
{
	LabelledRows rows = {label, take, context};

	dpriv_rows_read(query, take_row, &rows);
}
