/*
 * harden.c
 *	  REVOKEs that close what the library cannot: run, or shown.
 *
 * Which they are is a view, dpriv.hardening, of what is still to be done; a second run does nothing.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

static List *
statements(void)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *found = NIL;

	if (SPI_connect() != SPI_OK_CONNECT ||
		SPI_execute("SELECT statement FROM dpriv.hardening ORDER BY statement COLLATE \"C\"", true,
					0) != SPI_OK_SELECT)
		elog(ERROR, "could not read dpriv.hardening");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		char	   *statement = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
		MemoryContext old = MemoryContextSwitchTo(context);

		found = lappend(found, pstrdup(statement));
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
	return found;
}

static void
run(const char *statement)
{
	if (SPI_connect() != SPI_OK_CONNECT || SPI_execute(statement, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "could not execute a statement of dpriv.hardening");
	SPI_finish();
}

PG_FUNCTION_INFO_V1(dpriv_harden);

/*
 * dpriv.harden(apply boolean) returns setof text.  Errors: 42501 to run them without being a
 * superuser.
 */
Datum
dpriv_harden(PG_FUNCTION_ARGS)
{
	bool		apply = PG_GETARG_BOOL(0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell   *lc;

	if (apply && !superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only a superuser can harden a database"),
				 errhint("dpriv.harden() without an argument shows the statements.")));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	foreach(lc, statements())
	{
		Datum		value = CStringGetTextDatum(lfirst(lc));
		bool		isnull = false;

		CHECK_FOR_INTERRUPTS();
		if (apply)
			run(lfirst(lc));
		tuplestore_putvalues(result->setResult, result->setDesc, &value, &isnull);
	}
	return (Datum) 0;
}
