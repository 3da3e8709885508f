/*
 * predict.c
 *	  dp_logreg_predict: the probability of the positive class that a model gives to a row.
 *
 * A model is public once it is released, so this is ordinary computation on rows that the caller
 * sees: it costs nothing, and reads nothing but the model.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "learn/logistic.h"
#include "learn/model.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

/*
 * What the model was read with.  Within a transaction other rows are seen only if one of these is
 * another: of two snapshots with the same xmax the later one has fewer transactions in progress,
 * and what is undone with a subtransaction was seen in it alone.
 */
typedef struct Sight
{
	TransactionId xmax;
	uint32		xcnt;
	int32		subxcnt;
	CommandId	command;
	SubTransactionId subtransaction;
} Sight;

/* Kept from row to row of a statement. */
typedef struct Prediction
{
	MemoryContext context;
	Oid			relation;		/* the model; InvalidOid: nothing has been read */
	Sight		sight;
	Oid			type;			/* of the rows */
	int32		typmod;
	TupleDesc	rows;
	LearnModel *model;
	Datum	   *value;			/* of all columns of a row, then of the model's */
	bool	   *isnull;
} Prediction;

static Sight
current_sight(void)
{
	Sight		sight = {.subtransaction = GetCurrentSubTransactionId()};

	if (ActiveSnapshotSet())
	{
		Snapshot	snapshot = GetActiveSnapshot();

		sight.xmax = snapshot->xmax;
		sight.xcnt = snapshot->xcnt;
		sight.subxcnt = snapshot->subxcnt;
		sight.command = snapshot->curcid;
	}
	return sight;
}

static bool
is_current(const Sight *sight)
{
	Sight		current = current_sight();

	return sight->xmax == current.xmax && sight->xcnt == current.xcnt &&
		sight->subxcnt == current.subxcnt && sight->command == current.command &&
		sight->subtransaction == current.subtransaction;
}

static void
read_model(Prediction *prediction, Oid relation, HeapTupleHeader row)
{
	MemoryContext old;
	int			n;

	MemoryContextReset(prediction->context);
	prediction->relation = InvalidOid;
	old = MemoryContextSwitchTo(prediction->context);
	prediction->type = HeapTupleHeaderGetTypeId(row);
	prediction->typmod = HeapTupleHeaderGetTypMod(row);
	prediction->rows = lookup_rowtype_tupdesc_copy(prediction->type, prediction->typmod);
	prediction->model = dpriv_learn_model(dpriv_learn_terms(relation), prediction->rows);
	n = prediction->rows->natts;
	prediction->value = palloc(sizeof(Datum) * 2 * n);
	prediction->isnull = palloc(sizeof(bool) * 2 * n);
	prediction->sight = current_sight();
	prediction->relation = relation;
	MemoryContextSwitchTo(old);
}

/* Before it is looked into as one. */
static void
check_row(FunctionCallInfo fcinfo)
{
	if (fcinfo->flinfo->fn_extra || type_is_rowtype(get_fn_expr_argtype(fcinfo->flinfo, 1)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("record of dp_logreg_predict is no row"),
			 errhint("Pass the row itself: SELECT dp_logreg_predict('model', t) FROM table_name "
					 "t.")));
}

static Prediction *
get_prediction(FunctionCallInfo fcinfo, Oid relation, HeapTupleHeader row)
{
	Prediction *prediction = fcinfo->flinfo->fn_extra;

	if (prediction == NULL)
	{
		prediction = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Prediction));
		prediction->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "dpriv model",
													ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = prediction;
	}
	if (prediction->relation != relation || !is_current(&prediction->sight) ||
		prediction->type != HeapTupleHeaderGetTypeId(row) ||
		prediction->typmod != HeapTupleHeaderGetTypMod(row))
		read_model(prediction, relation, row);
	return prediction;
}

static double
score_of(Prediction *prediction, HeapTupleHeader row)
{
	int			n = prediction->rows->natts;
	Datum	   *value = prediction->value + n;
	bool	   *isnull = prediction->isnull + n;
	HeapTupleData tuple = {HeapTupleHeaderGetDatumLength(row)};

	tuple.t_data = row;
	heap_deform_tuple(&tuple, prediction->rows, prediction->value, prediction->isnull);
	for (int i = 0; i < prediction->model->ncolumns; i++)
	{
		int			column = prediction->model->column[i].feature.column - 1;

		value[i] = prediction->value[column];
		isnull[i] = prediction->isnull[column];
	}
	return dpriv_learn_score(prediction->model, value, isnull);
}

static bool
is_clipped(text *link)
{
	int			length = VARSIZE_ANY_EXHDR(link);
	const char *name = VARDATA_ANY(link);

	if (length == strlen("clipped") && memcmp(name, "clipped", length) == 0)
		return true;
	if (length == strlen("logistic") && memcmp(name, "logistic", length) == 0)
		return false;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("link of dp_logreg_predict is unknown"),
			 errhint("Write 'clipped' for models of method gd, 'logistic' for others.")));
	return true;				/* not reached */
}

PG_FUNCTION_INFO_V1(dpriv_logreg_predict);

/* dp_logreg_predict(model regclass, record anyelement, link text), strict; NULL for NULL numbers */
Datum
dpriv_logreg_predict(PG_FUNCTION_ARGS)
{
	HeapTupleHeader row;
	double		score;

	check_row(fcinfo);
	row = PG_GETARG_HEAPTUPLEHEADER(1);
	score = score_of(get_prediction(fcinfo, PG_GETARG_OID(0), row), row);
	if (score != score)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(is_clipped(PG_GETARG_TEXT_PP(2)) ? dpriv_learn_clipped_link(score) :
					 dpriv_learn_logistic(score));
}
