/*
 * resolve.c
 *	  Parameters of one execution of a release.
 *
 * Settings, public arguments and epsilon are evaluated when a statement starts, before anything is
 * paid; plans hold none of their values.  No private data is read here.
 */
#include "postgres.h"

#include "accounting/delta.h"
#include "config.h"
#include "executor/executor.h"
#include "mechanism/cost.h"
#include "nodes/nodeFuncs.h"
#include "release/large.h"
#include "release/node.h"
#include "release/selected.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#define DEFAULT_CONFIDENCE 0.95
#define LARGEST_EPSILON_WITHOUT_BOUNDS 5.0

/* A public expression's value, as a copy that lives as long as the statement. */
static Datum
evaluate(ReleaseState *state, Expr *expr, const char *what)
{
	EState	   *estate = state->css.ss.ps.state;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	ExprState  *expr_state = ExecInitExprWithParams(expr, estate->es_param_list_info);
	bool		isnull;
	int16		typlen;
	bool		typbyval;
	Datum		value;

	value = ExecEvalExpr(expr_state, state->css.ss.ps.ps_ExprContext, &isnull);
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be NULL", what),
				 errhint("Pass a value.")));
	get_typlenbyval(exprType((Node *) expr), &typlen, &typbyval);
	if (typlen == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	else
		value = datumCopy(value, typbyval, typlen);
	MemoryContextSwitchTo(old);
	return value;
}

/* The number of elements of ARRAY[...], converted or not; 0 for anything else. */
static int
array_elements(Node *value)
{
	if (IsA(value, ArrayCoerceExpr))
		value = (Node *) ((ArrayCoerceExpr *) value)->arg;
	if (IsA(value, ArrayExpr) && !((ArrayExpr *) value)->multidims)
		return list_length(((ArrayExpr *) value)->elements);
	return 0;
}

/*
 * dp_avg(x, 17) is a mean without bounds at epsilon 17, or one with a bound forgotten.  What is
 * spent by mistake cannot be had back, so who means it has to say so.
 */
static void
refuse_forgotten_bound(const ReleaseMeasure *measure, double epsilon)
{
	const DprivMeasureKind *kind = &dpriv_measures[measure->called];

	if (measure->epsilon == NULL || epsilon <= LARGEST_EPSILON_WITHOUT_BOUNDS ||
		kind->missing != DPRIV_MISSING_BOUNDS)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("epsilon of %s is too large for an argument without bounds", kind->name),
			 errdetail("Without bounds the %s argument is epsilon, and above %g it is taken for a "
					   "forgotten bound.", kind->nargs > 1 ? "third" : "second",
					   LARGEST_EPSILON_WITHOUT_BOUNDS),
			 errhint("Bounds are two arguments, (value, %slower, upper [, epsilon]), of "
					 "dp_sum_clipped for a sum. If so large an epsilon is meant, SET "
					 "dpriv.epsilon.", kind->nargs > 1 ? "fraction, " : "")));
}

static DprivEpsilon
resolve_epsilon(ReleaseState *state, ReleaseMeasure *measure)
{
	const DprivMeasureKind *kind = &dpriv_measures[measure->called];
	const char *name = kind->name;
	DprivEpsilon epsilon;
	DprivEpsilon largest;
	double		value;

	if (measure->epsilon)
		value = DatumGetFloat8(evaluate(state, measure->epsilon, psprintf("epsilon of %s", name)));
	else
		value = dpriv_setting_epsilon;

	if (measure->epsilon == NULL && value == 0.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no epsilon", name),
				 errdetail("It is given neither as the last argument nor by dpriv.epsilon."),
				 kind->missing == DPRIV_MISSING_CATEGORIES ?
				 errhint("SET dpriv.epsilon = 0.5, for example. As an argument it comes after the "
						 "categories.") :
				 errhint("SET dpriv.epsilon = 0.5, for example, or pass it as the last argument; "
						 "dp_count(*) becomes dp_count(table, 0.5).")));
	if (!dpriv_epsilon_from_double(value, &epsilon) ||
		!dpriv_epsilon_from_double(dpriv_setting_max_epsilon, &largest) ||
		epsilon.charge > largest.charge)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilon of %s is out of range", name),
				 errdetail("It must lie between %g and dpriv.max_epsilon, which is %g.",
						   DPRIV_EPSILON_MIN, dpriv_setting_max_epsilon),
				 measure->delta ?
				 errhint("The last two arguments are (epsilon, delta). "
						 "Values of epsilon from 0.1 to 1 are usual.") :
				 measure->epsilon && kind->nargs == 1 &&
				 (kind->missing == DPRIV_MISSING_BOUNDS || kind->exact == DPRIV_EXACT_BUCKETS) ?
				 errhint("Without bounds the second argument is epsilon; bounds are two arguments. "
						 "Values of epsilon from 0.1 to 1 are usual.") :
				 measure->epsilon ?
				 errhint("Epsilon comes last, after bounds and other arguments. "
						 "Values from 0.1 to 1 are usual.") :
				 errhint("It comes from the setting dpriv.epsilon. "
						 "Values from 0.1 to 1 are usual.")));
	refuse_forgotten_bound(measure, value);
	return epsilon;
}

/* Of measures that can use one; the others spend none. */
static double
resolve_delta(ReleaseState *state, ReleaseMeasure *measure)
{
	const char *name = dpriv_measures[measure->called].name;
	double		value = dpriv_setting_delta;
	int128		units;

	if (!dpriv_measure_takes_delta(&dpriv_measures[measure->kind]))
		return 0.0;
	if (measure->delta)
		value = DatumGetFloat8(evaluate(state, measure->delta, psprintf("delta of %s", name)));
	if (!dpriv_delta_from_double(value, &units))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta of %s is out of range", name),
				 errdetail("It must lie between %g and %g, or be 0 for none.", DPRIV_DELTA_MIN,
						   DPRIV_DELTA_MAX),
				 errhint("It should be far below one over the number of people, for example "
						 "1e-6. The last two arguments are (epsilon, delta).")));
	return value == 0 ? 0.0 : value;
}

static double
resolve_confidence(ReleaseState *state, ReleaseColumn *column)
{
	double		confidence = DEFAULT_CONFIDENCE;

	if (column->confidence)
		confidence = DatumGetFloat8(evaluate(state, column->confidence,
											 "confidence of dp_error()"));
	if (!(confidence > 0.0 && confidence < 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("confidence of dp_error() must lie between 0 and 1"),
				 errhint("Write 0.95 for an interval that holds in 95 of 100 answers.")));
	return confidence;
}

void
dpriv_release_resolve(ReleaseState *state)
{
	MemoryContext old;
	int64		draws = 0;
	ListCell   *lc;

	if (state->resolved)
		return;
	dpriv_refuse_large_parameters(state->spec, state->css.ss.ps.state->es_param_list_info);
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	memset(&state->cost, 0, sizeof(DprivCost));
	state->measures = palloc0(sizeof(DprivMeasure) * state->nmeasures);
	foreach(lc, state->spec->measures)
	{
		ReleaseMeasure *from = lfirst(lc);
		DprivMeasure *measure = &state->measures[foreach_current_index(lc)];
		ListCell   *la;

		measure->kind = &dpriv_measures[from->kind];
		measure->integral = from->integral;
		measure->result_type = from->aggref->aggtype;
		if (from->aggref->args != NIL)
			measure->elements =
				array_elements((Node *) linitial_node(TargetEntry, from->aggref->args)->expr);
		foreach(la, from->arguments)
		{
			int			i = foreach_current_index(la) + 1;

			measure->args[i] = evaluate(state, lfirst(la),
										psprintf("argument %d of %s", i + 1, measure->kind->name));
		}
		if (OidIsValid(from->labels_of))
			measure->args[1] = PointerGetDatum(dpriv_groups_labels(from->labels_of));
		dpriv_measure_check(measure);
		draws += measure->ndraws;
		measure->epsilon = resolve_epsilon(state, from);
		measure->delta = resolve_delta(state, from);
		dpriv_measure_prepare(measure);
	}
	dpriv_gaussian_choose(state->measures, state->nmeasures);
	if (state->spec->selected)
		dpriv_selected_resolve(state);
	if (!state->spec->empty)
	{
		for (int i = 0; i < state->nmeasures; i++)
			state->cost = dpriv_cost_add(state->cost, dpriv_measure_cost(&state->measures[i]));
		if (state->spec->selected)
			state->cost = dpriv_cost_add(state->cost, dpriv_selection_cost(&state->selection));
	}
	if (draws * (state->groups ? state->groups->ngroups : 1) > DPRIV_MAX_DRAWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a private release cannot have so many noisy values"),
				 errdetail("All bins of all groups come back; at most %d are allowed.",
						   DPRIV_MAX_DRAWS),
				 errhint("Group by fewer keys, or use fewer bins.")));
	state->confidences = palloc0(sizeof(double) * list_length(state->spec->columns));
	foreach(lc, state->spec->columns)
	{
		ReleaseColumn *column = lfirst(lc);

		if (column->kind == RELEASE_ERROR)
			state->confidences[foreach_current_index(lc)] = resolve_confidence(state, column);
	}
	MemoryContextSwitchTo(old);
	state->resolved = true;
}

ParamListInfo
dpriv_release_parameters(ReleaseState *state)
{
	ParamListInfo own = state->css.ss.ps.state->es_param_list_info;
	int			nown = state->spec->nparameters;
	ParamListInfo params = makeParamList(nown + state->nmeasures);
	ListCell   *lc;

	/*
	 * Parallel workers get all of them: what nobody uses must be an empty slot.  What rows may use
	 * is read now, wherever it is stored: a table of the user's may be gone when a row comes to it.
	 */
	memset(params->params, 0, sizeof(ParamExternData) * params->numParams);
	for (int i = 0; i < params->numParams; i++)
		params->params[i].isnull = true;

	for (int i = 0; own && i < Min(nown, own->numParams); i++)
	{
		ParamExternData workspace;

		if (own->paramFetch)
			params->params[i] = *own->paramFetch(own, i + 1, false, &workspace);
		else
			params->params[i] = own->params[i];
		if (!params->params[i].isnull && list_member_int(state->spec->row_parameters, i + 1) &&
			get_typlen(params->params[i].ptype) == -1)
			params->params[i].value =
				PointerGetDatum(PG_DETOAST_DATUM(params->params[i].value));
	}
	foreach(lc, state->spec->measures)
	{
		ReleaseMeasure *measure = lfirst(lc);
		ParamExternData *param;

		if (measure->parameter == 0)
			continue;
		param = &params->params[measure->parameter - 1];
		param->value = state->measures[foreach_current_index(lc)].parameter;
		param->isnull = false;
		param->pflags = PARAM_FLAG_CONST;
		param->ptype = measure->parameter_type;
	}
	return params;
}
