/*
 * risks.c
 *	  What lets roles get around a protection.
 *
 * Found by a query over the catalogs, dpriv.protection_risks(), which anybody can ask again:
 * nothing of it is remembered, and a later GRANT is not noticed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "policy/risks.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* What lets roles get around a protection, and what to do about it. */
typedef struct Risk
{
	char	   *risk;
	char	   *advice;
} Risk;

List *
dpriv_find_risks(Oid relation)
{
	Oid			type = REGCLASSOID;
	Datum		value = ObjectIdGetDatum(relation);
	MemoryContext context = CurrentMemoryContext;
	List	   *risks = NIL;
	StringInfoData refused;
	int			result;

	initStringInfo(&refused);
	SPI_connect();
	result = SPI_execute_with_args("SELECT risk, advice, refused FROM dpriv.protection_risks($1)",
								   1, &type, &value, NULL, true, 0);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_with_args failed: %s", SPI_result_code_string(result));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	tupdesc = SPI_tuptable->tupdesc;
		MemoryContext old = MemoryContextSwitchTo(context);
		Risk	   *risk = palloc(sizeof(Risk));

		risk->risk = SPI_getvalue(tuple, tupdesc, 1);
		risk->advice = SPI_getvalue(tuple, tupdesc, 2);
		if (strcmp(SPI_getvalue(tuple, tupdesc, 3), "t") == 0)
			appendStringInfo(&refused, "%s%s.", refused.len ? "\n" : "", risk->risk);
		else
			risks = lappend(risks, risk);
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
	if (refused.len)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" cannot be protected while others may do this",
						get_rel_name(relation)),
				 errdetail("%s", refused.data),
				 errhint("REVOKE these privileges. Roles that are to have them can be trusted by "
						 "dpriv.trust(), and get them then.")));
	return risks;
}

void
dpriv_warn_of_risks(Oid relation, List *risks)
{
	ListCell   *lc;

	foreach(lc, risks)
	{
		Risk	   *risk = lfirst(lc);

		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("protection of relation \"%s\" has a gap: %s", get_rel_name(relation),
						risk->risk),
				 errhint("%s", risk->advice)));
	}
}
