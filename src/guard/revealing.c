/*
 * revealing.c
 *	  Functions of PostgreSQL that tell of rows without reading them: sizes, counters, positions.
 *
 * The list is one of names, since most of them are a family (pg_stat_get_...) that grows with every
 * major version.  A member that is not known here is taken for one that tells.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/index.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "guard/revealing.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "policy/root.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#define FAMILY "pg_stat_get_"

typedef struct Known
{
	const char *name;
	DprivRevealing reveals;
} Known;

/* Members of the family that are safe, and others that are not. */
static const Known known[] = {
	{"pg_relation_size", DPRIV_REVEALS_RELATION},
	{"pg_table_size", DPRIV_REVEALS_RELATION},
	{"pg_indexes_size", DPRIV_REVEALS_RELATION},
	{"pg_total_relation_size", DPRIV_REVEALS_RELATION},
	{"pg_database_size", DPRIV_REVEALS_SERVER},
	{"pg_tablespace_size", DPRIV_REVEALS_SERVER},
	{"pg_current_wal_lsn", DPRIV_REVEALS_SERVER},
	{"pg_current_wal_insert_lsn", DPRIV_REVEALS_SERVER},
	{"pg_current_wal_flush_lsn", DPRIV_REVEALS_SERVER},
	{"pg_last_wal_receive_lsn", DPRIV_REVEALS_SERVER},
	{"pg_last_wal_replay_lsn", DPRIV_REVEALS_SERVER},
	{"pg_control_checkpoint", DPRIV_REVEALS_ROWS},
	{"pg_control_recovery", DPRIV_REVEALS_ROWS},
	{"pg_get_replication_slots", DPRIV_REVEALS_ROWS},
	{"pg_logical_emit_message", DPRIV_REVEALS_ROWS},
	{"pg_available_wal_summaries", DPRIV_REVEALS_ROWS},
	{"pg_wal_summary_contents", DPRIV_REVEALS_ROWS},
	{"pg_get_wal_summarizer_state", DPRIV_REVEALS_ROWS},
	/* of sessions; what belongs to others is NULL there */
	{"pg_stat_get_activity", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_backend_idset", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_backend_subxact", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_progress_info", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_wal_senders", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_wal_receiver", DPRIV_REVEALS_NOTHING},
	/* of what comes from elsewhere */
	{"pg_stat_get_subscription", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_subscription_stats", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_snapshot_timestamp", DPRIV_REVEALS_NOTHING},
	/* of users' functions */
	{"pg_stat_get_function_calls", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_function_total_time", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_function_self_time", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_function_stat_reset_time", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_xact_function_calls", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_xact_function_total_time", DPRIV_REVEALS_NOTHING},
	{"pg_stat_get_xact_function_self_time", DPRIV_REVEALS_NOTHING},
};

static DprivRevealing
classify_member(Form_pg_proc function)
{
	const char *name = NameStr(function->proname);
	bool		takes_oid = function->pronargs == 1 && function->proargtypes.values[0] == OIDOID;

	if (function->proretset || function->prorettype == RECORDOID)
		return DPRIV_REVEALS_ROWS;
	if (strncmp(name, FAMILY "db_", strlen(FAMILY "db_")) == 0)
		return DPRIV_REVEALS_SERVER;
	if (strncmp(name, FAMILY "backend_", strlen(FAMILY "backend_")) == 0)
		return DPRIV_REVEALS_NOTHING;
	if (function->pronargs == 0)
		return DPRIV_REVEALS_SERVER;
	return takes_oid ? DPRIV_REVEALS_RELATION : DPRIV_REVEALS_ROWS;
}

static DprivRevealing
classify(Oid oid)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	Form_pg_proc function;
	DprivRevealing reveals = DPRIV_REVEALS_NOTHING;

	if (!HeapTupleIsValid(tuple))
		return DPRIV_REVEALS_NOTHING;
	function = (Form_pg_proc) GETSTRUCT(tuple);
	if (strncmp(NameStr(function->proname), FAMILY, strlen(FAMILY)) == 0)
		reveals = classify_member(function);
	for (int i = 0; i < lengthof(known); i++)
		if (strcmp(NameStr(function->proname), known[i].name) == 0)
			reveals = known[i].reveals;
	ReleaseSysCache(tuple);
	return reveals;
}

DprivRevealing
dpriv_revealing(Oid function)
{
	static uint8 remembered[FirstNormalObjectId];

	if (function >= FirstNormalObjectId)
		return DPRIV_REVEALS_NOTHING;
	if (remembered[function] == 0)
		remembered[function] = classify(function);
	return (DprivRevealing) remembered[function];
}

bool
dpriv_revealing_catalog(Oid relation)
{
	return relation == RelationRelationId || relation == AttributeRelationId ||
		relation == StatisticRelationId;
}

bool
dpriv_hides(Oid relation)
{
	char		relkind;

	if (!dpriv_anything_protected())
		return false;
	relkind = get_rel_relkind(relation);
	if (relkind == RELKIND_INDEX || relkind == RELKIND_PARTITIONED_INDEX)
	{
		relation = IndexGetRelation(relation, true);
		relkind = OidIsValid(relation) ? get_rel_relkind(relation) : '\0';
	}
	if (relkind == RELKIND_TOASTVALUE)
		relation = dpriv_table_of_toast(relation);
	if (!OidIsValid(relation))
		return relkind == RELKIND_TOASTVALUE && dpriv_is_restricted_anywhere(GetUserId());

	/* How long values are that ANALYZE has kept shows in the size of their catalog. */
	if (relation == StatisticRelationId || relation == StatisticExtDataRelationId)
		return dpriv_is_restricted_anywhere(GetUserId());
	return dpriv_is_restricted(relation, GetUserId());
}

void
dpriv_refuse_revealing(Oid function)
{
	if (dpriv_revealing(function) == DPRIV_REVEALS_NOTHING || !dpriv_anything_protected() ||
		!dpriv_is_restricted_anywhere(GetUserId()))
		return;

	/* It may stand in a plan that was made before anything was protected. */
	ResetPlanCache();
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("function %s cannot be called by a role that must not see rows of protected "
					"relations", get_func_name(function)),
			 errdetail("What it returns depends on these rows."),
			 dpriv_revealing(function) == DPRIV_REVEALS_ROWS ?
			 errhint("Ask a role that may see them.") :
			 errhint("Call it in a query, where it is NULL if it would tell of them.")));
}

PG_FUNCTION_INFO_V1(dpriv_reveals);

/* dpriv.reveals(function oid) returns text: what a function of PostgreSQL tells of, or NULL. */
Datum
dpriv_reveals(PG_FUNCTION_ARGS)
{
	switch (dpriv_revealing(PG_GETARG_OID(0)))
	{
		case DPRIV_REVEALS_RELATION:
			PG_RETURN_DATUM(CStringGetTextDatum("relation"));
		case DPRIV_REVEALS_SERVER:
			PG_RETURN_DATUM(CStringGetTextDatum("server"));
		case DPRIV_REVEALS_ROWS:
			PG_RETURN_DATUM(CStringGetTextDatum("refused"));
		case DPRIV_REVEALS_NOTHING:
			break;
	}
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(dpriv_hides_relation);

/* dpriv.hides(relation oid) returns boolean. */
Datum
dpriv_hides_relation(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dpriv_hides(PG_GETARG_OID(0)));
}
