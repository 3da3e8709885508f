/*
 * blocks.c
 *	  Rows divided among blocks at random, and what each block results in.
 *
 * Each row is in one block, drawn uniformly and independently of all else.  The rows are stored
 * with their blocks, and SELECT block, expression FROM stored GROUP BY block, sealed like what has
 * read them, results in one value for each block.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mechanism/audit.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "noise/random.h"
#include "parser/parse_oper.h"
#include "parser/parse_relation.h"
#include "sample/blocks.h"
#include "utils/tuplestore.h"

#define STORED "stored"

struct SampleBlocks
{
	int			n;
	Tuplestorestate *store;
	TupleDesc	desc;			/* the number of the block, then columns */
	RowsQuery	query;			/* of results */
	double	   *result;
};

static TupleDesc
describe(const SampleExpression *expression)
{
	TupleDesc	desc = CreateTemplateTupleDesc(DPRIV_SAMPLE_BLOCK +
											   list_length(expression->columns));
	ListCell   *lc;

	TupleDescInitEntry(desc, DPRIV_SAMPLE_BLOCK, "block", INT4OID, -1, 0);
	foreach(lc, expression->columns)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);

		TupleDescInitEntry(desc, DPRIV_SAMPLE_BLOCK + column->resno, NULL,
						   exprType((Node *) column->expr), -1, 0);
	}
	return desc;
}

static QueryEnvironment *
environment_of(const SampleBlocks *blocks)
{
	QueryEnvironment *environment = create_queryEnv();
	EphemeralNamedRelation stored = palloc0(sizeof(EphemeralNamedRelationData));

	stored->md.name = STORED;
	stored->md.tupdesc = blocks->desc;
	stored->md.enrtype = ENR_NAMED_TUPLESTORE;
	stored->reldata = blocks->store;
	register_ENR(environment, stored);
	return environment;
}

/* SELECT block, value FROM stored GROUP BY block */
static Query *
make_query(QueryEnvironment *environment, Node *value)
{
	Query	   *query = makeNode(Query);
	ParseState *pstate = make_parsestate(NULL);
	SortGroupClause *group = makeNode(SortGroupClause);
	TargetEntry *block = makeTargetEntry((Expr *) makeVar(1, DPRIV_SAMPLE_BLOCK, INT4OID, -1,
														  InvalidOid, 0), 1, "block", false);

	pstate->p_queryEnv = environment;
	addNSItemToQuery(pstate, addRangeTableEntryForENR(pstate, makeRangeVar(NULL, STORED, -1), true),
					 true, true, true);
	get_sort_group_operators(INT4OID, true, true, false, &group->sortop, &group->eqop, NULL,
							 &group->hashable);
	group->tleSortGroupRef = block->ressortgroupref = 1;
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->stmt_location = -1;
	query->targetList = list_make2(block, makeTargetEntry((Expr *) value, 2, "value", false));
	query->groupClause = list_make1(group);
	query->hasAggs = true;
	query->rtable = pstate->p_rtable;
	query->jointree = makeFromExpr(pstate->p_joinlist, NULL);
	free_parsestate(pstate);
	return query;
}

SampleBlocks *
dpriv_sample_blocks(const SampleExpression *expression, int n, Oid relation)
{
	SampleBlocks *blocks = palloc0(sizeof(SampleBlocks));
	QueryEnvironment *environment;

	blocks->n = n;
	blocks->store = tuplestore_begin_heap(false, false, maintenance_work_mem);
	blocks->desc = describe(expression);
	environment = environment_of(blocks);
	blocks->query = dpriv_rows_plan_stored(make_query(environment,
													  dpriv_sample_value(expression, relation)),
										   environment);
	return blocks;
}

static void
take_row(void *context, const Datum *value, const bool *isnull)
{
	SampleBlocks *blocks = context;
	int			n = blocks->desc->natts;
	Datum	   *stored = palloc(sizeof(Datum) * n);
	bool	   *stored_isnull = palloc0(sizeof(bool) * n);
	int			block = (int) dpriv_random_below_u64(blocks->n);

	DPRIV_AUDIT_BLOCK(block, blocks->n, value, n - 1);
	stored[0] = Int32GetDatum(block);
	for (int i = 1; i < n; i++)
	{
		stored[i] = value[i - 1];
		stored_isnull[i] = isnull[i - 1] ||
			!dpriv_sample_normalise(&stored[i], TupleDescAttr(blocks->desc, i)->atttypid);
	}
	tuplestore_putvalues(blocks->store, blocks->desc, stored, stored_isnull);
}

void
dpriv_sample_fill(SampleBlocks *blocks, const RowsQuery *rows)
{
	dpriv_rows_read(rows, take_row, blocks);
}

static void
take_result(void *context, const Datum *value, const bool *isnull)
{
	SampleBlocks *blocks = context;

	if (!isnull[1])
		blocks->result[DatumGetInt32(value[0])] = DatumGetFloat8(value[1]);
}

double *
dpriv_sample_results(SampleBlocks *blocks)
{
	double	   *result = blocks->result = palloc(sizeof(double) * blocks->n);

	for (int i = 0; i < blocks->n; i++)
		result[i] = NAN;
	dpriv_rows_read(&blocks->query, take_result, blocks);
	tuplestore_end(blocks->store);
	DPRIV_AUDIT_BLOCKS(result, blocks->n);
	return result;
}
