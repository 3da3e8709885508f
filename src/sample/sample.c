/*
 * sample.c
 *	  dp_sample_and_aggregate: a private value of any statistic that blocks of the rows agree on.
 *
 * Nissim, Raskhodnikova, Smith, "Smooth Sensitivity and Sampling in Private Data Analysis" (2007).
 * The statistic is computed on blocks that have no row in common, and their results are combined
 * privately.  Whatever a row does to its block, it moves one result, within public bounds.
 */
#include "postgres.h"

#include <math.h>

#include "access/relation.h"
#include "call/call.h"
#include "funcapi.h"
#include "mechanism/cost.h"
#include "release/cost.h"
#include "sample/blocks.h"
#include "sample/combine.h"
#include "sample/sample.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#define FUNCTION "dp_sample_and_aggregate"

/* Arguments. */
enum
{
	ARG_SOURCE,
	ARG_EXPRESSION,
	ARG_BLOCKS,
	ARG_LOWER,
	ARG_UPPER,
	ARG_EPSILON,
	ARG_FILTER,
	ARG_COMBINE,
	NARGS,
};

static const char *const required[NARGS] = {
	[ARG_SOURCE] = "source",
	[ARG_EXPRESSION] = "expression",
	[ARG_BLOCKS] = "blocks",
	[ARG_LOWER] = "lower",
	[ARG_UPPER] = "upper",
	[ARG_COMBINE] = "combine",
};

/* Sizes of bounds for which every step between them is a normal double. */
#define LARGEST_BOUND 1e100
#define SMALLEST_RANGE 1e-100

static void
read_combine(SampleCombination *combination, FunctionCallInfo fcinfo)
{
	const char *combine = text_to_cstring(PG_GETARG_TEXT_PP(ARG_COMBINE));

	combination->is_mean = strcmp(combine, "mean") == 0;
	if (!combination->is_mean && strcmp(combine, "median") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("combine of %s is unknown", FUNCTION),
				 errhint("Leave it out for \"median\", or use \"mean\".")));
}

static void
read_bounds(SampleCombination *combination, FunctionCallInfo fcinfo)
{
	double		lower = PG_GETARG_FLOAT8(ARG_LOWER);
	double		upper = PG_GETARG_FLOAT8(ARG_UPPER);

	if (!(fabs(lower) <= LARGEST_BOUND && fabs(upper) <= LARGEST_BOUND &&
		  upper - lower >= SMALLEST_RANGE))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bounds of %s are out of range", FUNCTION),
				 errdetail("They must be numbers of at most %g in size, and upper above lower by "
						   "at least %g.", LARGEST_BOUND, SMALLEST_RANGE),
				 errhint("Choose them from what is publicly known of the statistic: -1 and 1 for "
						 "corr(), for example.")));
	combination->lower = lower;
	combination->upper = upper;
}

static void
read_blocks(SampleCombination *combination, FunctionCallInfo fcinfo)
{
	int			blocks = PG_GETARG_INT32(ARG_BLOCKS);

	if (blocks < 1 || blocks > DPRIV_SAMPLE_MAX_BLOCKS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("blocks of %s are out of range", FUNCTION),
				 errdetail("There may be from 1 to %d.", DPRIV_SAMPLE_MAX_BLOCKS),
				 errhint("50 / epsilon blocks are a beginning.")));
	combination->blocks = blocks;
}

typedef struct Work
{
	const SampleCombination *combination;
	SampleBlocks *blocks;
	const RowsQuery *rows;
	double		answer;
} Work;

static void
sample(void *arg)
{
	Work	   *work = arg;

	dpriv_sample_fill(work->blocks, work->rows);
	work->answer = dpriv_sample_combine(work->combination, dpriv_sample_results(work->blocks));
}

static double
release(const SampleCombination *combination, SampleBlocks *blocks, const RowsQuery *rows)
{
	Work		work = {combination, blocks, rows};
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "dpriv sample",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	dpriv_call_run(DPRIV_COMMAND_SAMPLE, sample, &work);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return work.answer;
}

PG_FUNCTION_INFO_V1(dpriv_sample_and_aggregate);

void
dpriv_sample_functions_init(void)
{
	dpriv_cost_register(dpriv_sample_and_aggregate);
}

/* dp_sample_and_aggregate(source, expression, blocks, lower, upper, epsilon, filter, combine) */
Datum
dpriv_sample_and_aggregate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	SampleCombination combination = {0};
	SampleExpression expression;
	SampleBlocks *blocks;
	RowsQuery	rows;
	Relation	source;
	ParseState *pstate;
	Datum		answer;
	bool		isnull = false;

	dpriv_call_check(fcinfo, FUNCTION, required);
	read_combine(&combination, fcinfo);
	read_bounds(&combination, fcinfo);
	read_blocks(&combination, fcinfo);
	dpriv_sample_prepare(&combination, dpriv_call_epsilon(fcinfo, ARG_EPSILON, FUNCTION));
	source = dpriv_call_open(PG_GETARG_OID(ARG_SOURCE), FUNCTION);
	pstate = dpriv_rows_parse_state(source);
	expression = dpriv_sample_expression(pstate, RelationGetRelationName(source),
										 text_to_cstring(PG_GETARG_TEXT_PP(ARG_EXPRESSION)),
										 FUNCTION);
	rows = dpriv_rows_plan(pstate, expression.columns, PG_ARGISNULL(ARG_FILTER) ? NULL :
						   text_to_cstring(PG_GETARG_TEXT_PP(ARG_FILTER)));
	relation_close(source, NoLock);
	blocks = dpriv_sample_blocks(&expression, combination.blocks, rows.relation);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);

	if (!dpriv_call_pay(dpriv_measure_cost(&combination.measure), rows.relation, FUNCTION,
						dpriv_measure_mechanism(&combination.measure)))
		return (Datum) 0;
	answer = Float8GetDatum(release(&combination, blocks, &rows));
	tuplestore_putvalues(result->setResult, result->setDesc, &answer, &isnull);
	return (Datum) 0;
}
