/*
 * explain.c
 *	  What EXPLAIN says about a release.
 *
 * Everything here is public: the query text, the catalog, and noise scales that depend on nothing
 * else.  The inner plan with its estimates is shown only to roles that may read the rows
 * themselves.
 */
#include "postgres.h"

#include "accounting/delta.h"
#include "catalog/pg_class.h"
#include "commands/explain.h"
#include "compat.h"
#include "executor/executor.h"
#include "mechanism/cost.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "policy/policy.h"
#include "release/node.h"
#include "tcop/dest.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/ruleutils.h"

#define REPORTED_CONFIDENCE 0.95

/* A constant as it was written, without the cast that the parser put around it. */
static char *
expression_text(Node *expr, List *context)
{
	Oid			output;
	bool		is_varlena;

	if (!IsA(expr, Const) || ((Const *) expr)->constisnull)
		return deparse_expression(expr, context, false, false);
	getTypeOutputInfo(((Const *) expr)->consttype, &output, &is_varlena);
	return OidOutputFunctionCall(output, ((Const *) expr)->constvalue);
}

List *
dpriv_measure_context(PlannedStmt *inner)
{
	Bitmapset  *all = bms_add_range(NULL, 1, list_length(inner->rtable));

	return deparse_context_for_plan_tree(inner,
										 select_rtable_names_for_explain(inner->rtable, all));
}

char *
dpriv_measure_text(const ReleaseMeasure *measure, List *context)
{
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	appendStringInfo(&text, "%s(%s", dpriv_measures[measure->called].name,
					 measure->aggref->aggdistinct ? "DISTINCT " : "");
	if (measure->aggref->args == NIL)
		appendStringInfoChar(&text, '*');
	foreach(lc, measure->aggref->args)
		appendStringInfo(&text, "%s%s", foreach_current_index(lc) > 0 ? ", " : "",
						 expression_text((Node *) lfirst_node(TargetEntry, lc)->expr, context));
	appendStringInfoChar(&text, ')');
	if (measure->aggref->aggfilter)
		appendStringInfo(&text, " FILTER (WHERE %s)",
						 deparse_expression((Node *) measure->aggref->aggfilter, context,
											false, false));
	return text.data;
}

/* What came from a declaration. */
static void
append_declared(StringInfo text, const DprivMeasure *measure, const ReleaseMeasure *from)
{
	if (from->called == from->kind)
		return;
	if (dpriv_measures[from->called].missing == DPRIV_MISSING_BOUNDS)
		appendStringInfo(text, " within declared bounds %.12g .. %.12g", measure->lower,
						 measure->upper);
	else
		appendStringInfo(text, " of %d %s", Max(measure->ncells, measure->ncomponents),
						 OidIsValid(from->labels_of) ? "values" : "declared values");
}

static void
append_mechanism(StringInfo text, const DprivMeasure *measure)
{
	appendStringInfo(text, ": %s", dpriv_measure_mechanism(measure));
	if (measure->kind->select == NULL)
		appendStringInfo(text, ", %s %.6g", measure->is_gaussian ? "sigma" : "scale",
						 dpriv_measure_scale(measure, 0));
	if (measure->nsamplers > 1)
		appendStringInfo(text, " (sum) and %.6g (count)", dpriv_measure_scale(measure, 1));
	if (measure->kind->half_width == NULL)
		appendStringInfoString(text, measure->kind->public_error ? ", error in the answer" :
							   ", error depends on rows");
	else if (measure->kind->public_error)
		appendStringInfo(text, ", error within %.6g in %.0f %% of answers",
						 measure->kind->half_width(measure, NULL, REPORTED_CONFIDENCE),
						 100 * REPORTED_CONFIDENCE);
	else
		appendStringInfoString(text, ", error depends on the number of rows (see dp_error)");
	appendStringInfo(text, ", epsilon %.12g", dpriv_epsilon_to_double(measure->epsilon.charge));
	if (dpriv_measure_spends_delta(measure))
		appendStringInfo(text, ", delta %.12g", measure->delta);
}

/* Parameters of a generic plan have no values. */
static bool
has_unbound_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return true;
	return expression_tree_walker(node, has_unbound_walker, context);
}

static bool
can_resolve(ReleaseState *state)
{
	ListCell   *lc;

	if (state->css.ss.ps.state->es_param_list_info != NULL)
		return true;
	foreach(lc, state->spec->measures)
	{
		ReleaseMeasure *measure = lfirst(lc);

		if (has_unbound_walker((Node *) measure->epsilon, NULL) ||
			has_unbound_walker((Node *) measure->delta, NULL) ||
			has_unbound_walker((Node *) measure->arguments, NULL))
			return false;
	}
	foreach(lc, state->spec->columns)
	{
		if (has_unbound_walker((Node *) ((ReleaseColumn *) lfirst(lc))->confidence, NULL))
			return false;
	}
	return true;
}

/* Roles that may read every row below the door learn nothing from its plan. */
static bool
may_see_inner(PlannedStmt *inner)
{
	ListCell   *lc;

	foreach(lc, inner->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind != RTE_RELATION || rte->relkind == RELKIND_VIEW)
			continue;
		if (pg_class_aclcheck(rte->relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK ||
			check_enable_rls(rte->relid, InvalidOid, true) == RLS_ENABLED ||
			dpriv_is_restricted(rte->relid, GetUserId()))
			return false;
	}
	return true;
}

static char *
source_text(const ReleaseSpec *spec)
{
	RangeTblEntry *rte;

	/* A planner other than PostgreSQL's may have made a range table of its own. */
	if (spec->source > list_length(spec->inner->rtable))
		return pstrdup("unknown");
	rte = rt_fetch(spec->source, spec->inner->rtable);
	if (rte->rtekind == RTE_RELATION)
		return quote_qualified_identifier(get_namespace_name(get_rel_namespace(rte->relid)),
										  get_rel_name(rte->relid));
	return pstrdup(rte->eref->aliasname);
}

/* Which groups are published, and what deciding it costs. */
static void
append_selection(StringInfo text, const ReleaseState *state, List *context)
{
	const DprivSelection *selection = &state->selection;

	if (selection->by_count)
		appendStringInfo(text, "where %s is at least " INT64_FORMAT,
						 dpriv_measure_text(list_nth(state->spec->measures, state->deciding),
											context),
						 selection->threshold);
	else
		appendStringInfo(text, "by truncated geometric noise, half of those with about "
						 INT64_FORMAT " rows and all with more than " INT64_FORMAT
						 ", epsilon %.12g", selection->limit, 2 * selection->limit,
						 dpriv_epsilon_to_double(selection->epsilon.charge));
	appendStringInfo(text, ", delta %.12g", selection->delta);
}

static char *
groups_text(const ReleaseState *state, List *context, bool resolved)
{
	StringInfoData text;
	ListCell   *lc;

	if (state->spec->keys == NIL)
		return pstrdup("one row");
	initStringInfo(&text);
	if (state->spec->selected)
	{
		appendStringInfoString(&text, "selected ");
		if (resolved)
			append_selection(&text, state, context);
		else
			appendStringInfoString(&text, "by a rule that depends on parameters");
		return text.data;
	}
	appendStringInfo(&text, "all %d, zeros included: every value of ", state->groups->ngroups);
	foreach(lc, state->spec->keys)
	{
		const ReleaseGroupKey *key = lfirst(lc);

		appendStringInfo(&text, "%s%s%s", foreach_current_index(lc) > 0 ? ", " : "",
						 key->values ? "the domain of " : "",
						 key->values ? key->name : format_type_be(key->type));
	}
	appendStringInfoString(&text, " and NULL");
	return text.data;
}

static List *
inner_plan_lines(ReleaseState *state, ExplainState *es, bool resolved)
{
	ExplainState *inner_es = NewExplainState();
	QueryDesc  *query_desc;
	List	   *lines = NIL;
	char	   *line;
	char	   *rest;

	inner_es->verbose = es->verbose;
	inner_es->costs = es->costs;

	/* Not the active snapshot: there is none when a statement is explained at its end. */
	query_desc = CreateQueryDesc(state->spec->inner, "", state->css.ss.ps.state->es_snapshot,
								 InvalidSnapshot, None_Receiver,
								 resolved ? dpriv_release_parameters(state) : NULL, NULL, 0);
	standard_ExecutorStart(query_desc, EXEC_FLAG_EXPLAIN_ONLY);
	ExplainPrintPlan(inner_es, query_desc);
	standard_ExecutorEnd(query_desc);
	FreeQueryDesc(query_desc);

	for (line = inner_es->str->data; *line; line = rest)
	{
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		else
			rest = line + strlen(line);
		lines = lappend(lines, line);
	}
	return lines;
}

static void
print_list(const char *label, List *lines, ExplainState *es)
{
	ListCell   *lc;

	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyList(label, lines, es);
		return;
	}
	appendStringInfoSpaces(es->str, es->indent * 2);
	appendStringInfo(es->str, "%s:\n", label);
	foreach(lc, lines)
	{
		appendStringInfoSpaces(es->str, es->indent * 2 + 2);
		appendStringInfo(es->str, "%s\n", (char *) lfirst(lc));
	}
}

void
dpriv_release_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	ReleaseState *state = (ReleaseState *) node;
	PlannedStmt *inner = state->spec->inner;
	bool		resolved = can_resolve(state);
	List	   *context = dpriv_measure_context(inner);
	List	   *lines = NIL;
	ListCell   *lc;

	if (resolved)
		dpriv_release_resolve(state);

	ExplainPropertyText("Reads", source_text(state->spec), es);
	foreach(lc, state->spec->measures)
	{
		ReleaseMeasure *measure = lfirst(lc);
		StringInfoData line;

		initStringInfo(&line);
		appendStringInfoString(&line, dpriv_measure_text(measure, context));
		if (resolved)
		{
			append_declared(&line, &state->measures[foreach_current_index(lc)], measure);
			append_mechanism(&line, &state->measures[foreach_current_index(lc)]);
		}
		else
			appendStringInfoString(&line, ": depends on parameters");
		lines = lappend(lines, line.data);
	}
	print_list("Measures", lines, es);
	ExplainPropertyText("Groups", groups_text(state, context, resolved), es);
	if (state->spec->empty)
		ExplainPropertyText("Epsilon", "0, nothing is read", es);
	else if (resolved)
		ExplainPropertyText("Epsilon",
							psprintf("%.12g", dpriv_epsilon_to_double(state->cost.epsilon)), es);
	if (!state->spec->empty && resolved && state->cost.delta_basic > 0)
		ExplainPropertyText("Delta",
							psprintf("%.12g", dpriv_delta_to_double(state->cost.delta_basic)), es);
	if (may_see_inner(inner))
		print_list("Inner plan", inner_plan_lines(state, es, resolved), es);
}
