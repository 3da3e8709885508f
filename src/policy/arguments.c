/*
 * arguments.c
 *	  Arguments of the functions that change what is known of a relation.
 *
 * None of these functions is STRICT: NULL would be taken for success.
 */
#include "postgres.h"

#include "compat.h"
#include "miscadmin.h"
#include "policy/arguments.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/lsyscache.h"

void
dpriv_refuse_null(const char *function, const char *name, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s of dpriv.%s must not be NULL", name, function),
			 errhint("%s", hint)));
}

void
dpriv_require_owner(Oid relation, const char *detail)
{
	if (!dpriv_relation_ownercheck(relation, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of relation %s", get_rel_name(relation)),
				 errdetail("%s", detail),
				 errhint("Ask its owner or a superuser.")));
}

Oid
dpriv_read_relation(FunctionCallInfo fcinfo, const char *function, LOCKMODE mode,
					const char *detail)
{
	const char *command = psprintf("dpriv.%s()", function);
	Oid			relation;

	if (PG_ARGISNULL(0))
		dpriv_refuse_null(function, "relation", "Name a table.");
	PreventCommandIfReadOnly(command);
	PreventCommandIfParallelMode(command);
	PreventCommandDuringRecovery(command);

	relation = PG_GETARG_OID(0);
	if (get_rel_name(relation) != NULL)
	{
		dpriv_require_owner(relation, detail);
		LockRelationOid(relation, mode);
	}
	if (get_rel_name(relation) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation),
				 errhint("Write the name of a table.")));
	dpriv_require_owner(relation, detail);
	return relation;
}
