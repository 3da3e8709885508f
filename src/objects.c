/*
 * objects.c
 *	  The extension's own catalog objects, recognised by OID only.
 *
 * A name proves nothing: search_path decides what it means and anybody may create a function called
 * dp_count.  What counts is membership in the extension, looked up once per session and again after
 * pg_proc or pg_extension changed; for tables, after they changed themselves.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "objects.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static DprivFunctionName names[DPRIV_MAX_FUNCTIONS] = {
	[DPRIV_RELEASE] = {true, "release", 1, {INT4OID}},
	[DPRIV_ERROR] = {false, "dp_error", 1, {ANYELEMENTOID}},
	[DPRIV_ERROR_CONFIDENCE] = {false, "dp_error", 2, {ANYELEMENTOID, FLOAT8OID}},
	[DPRIV_TO_REAL] = {true, "to_real", 1, {NUMERICOID}},
	[DPRIV_GUARD] = {true, "guard", 1, {REGCLASSOID}},
	[DPRIV_LABEL_OF_INT8] = {true, "label_of", 1, {INT8OID}},
	[DPRIV_LABEL_OF_BOOL] = {true, "label_of", 1, {BOOLOID}},
	[DPRIV_LABEL_OF_DATE] = {true, "label_of", 1, {DATEOID}},
};
static int	nnames = DPRIV_FIRST_DECLARED;

static Oid	oids[DPRIV_MAX_FUNCTIONS];
static bool known = false;
static bool installed = false;
static uint64 invalidations = 0;

/* Names of relations; of an index also the table that it must belong to. */
static const struct
{
	const char *name;
	DprivRelation table;
}			relations[DPRIV_NRELATIONS] = {
	[DPRIV_TABLE_BUDGET] = {"budget", DPRIV_TABLE_BUDGET},
	[DPRIV_INDEX_BUDGET] = {"budget_relation_grantee_kind_key", DPRIV_TABLE_BUDGET},
	[DPRIV_TABLE_LEDGER] = {"ledger", DPRIV_TABLE_LEDGER},
	[DPRIV_TABLE_LEDGER_ARCHIVE] = {"ledger_archive", DPRIV_TABLE_LEDGER_ARCHIVE},
};
static Oid	relation_oids[DPRIV_NRELATIONS];

int
dpriv_objects_declare(const DprivFunctionName *name)
{
	if (nnames >= DPRIV_MAX_FUNCTIONS)
		elog(ERROR, "too many functions declared");
	names[nnames] = *name;
	return nnames++;
}

/* Schema of the extension: get_extension_schema() is not exported by every major. */
static Oid
extension_schema(Oid extension)
{
	Oid			schema = InvalidOid;
	Relation	rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_extension_oid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(extension));
	scan = systable_beginscan(rel, ExtensionOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return schema;
}

/* Straight from the catalog: whether the current user may use the schema is not asked here. */
static Oid
lookup(const DprivFunctionName *name, Oid extension, Oid schema)
{
	oidvector  *argtypes = buildoidvector(name->argtypes, name->nargs);
	Oid			oid = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
									  CStringGetDatum(name->name), PointerGetDatum(argtypes),
									  ObjectIdGetDatum(schema));

	if (OidIsValid(oid) && getExtensionOfObject(ProcedureRelationId, oid) != extension)
		oid = InvalidOid;
	return oid;
}

/*
 * Fill the table.  That the extension is absent is remembered too: creating it makes pg_proc rows,
 * which clears the memory.  Nothing is remembered if an error or an invalidation interferes.
 */
static void
load(void)
{
	uint64		before = invalidations;
	Oid			found[DPRIV_MAX_FUNCTIONS] = {InvalidOid};
	Oid			extension;

	if (known)
		return;
	installed = false;
	memset(oids, 0, sizeof(oids));
	if (creating_extension)
		return;
	extension = get_extension_oid("dpriv", true);
	if (OidIsValid(extension))
	{
		Oid			user_schema = extension_schema(extension);
		Oid			dpriv_schema = get_namespace_oid("dpriv", true);

		for (int i = 0; i < nnames; i++)
			if (!names[i].deferred)
				found[i] = lookup(&names[i], extension,
								  names[i].administrative ? dpriv_schema : user_schema);
	}
	memcpy(oids, found, sizeof(oids));
	installed = OidIsValid(extension);
	known = invalidations == before;
}

bool
dpriv_objects_installed(void)
{
	load();
	return installed;
}

/* A deferred function; they are all in schema dpriv. */
static Oid
find_deferred(int slot)
{
	uint64		before = invalidations;
	Oid			extension = get_extension_oid("dpriv", true);
	Oid			found = InvalidOid;

	if (OidIsValid(extension))
		found = lookup(&names[slot], extension, get_namespace_oid("dpriv", true));
	if (invalidations == before)
		oids[slot] = found;
	return found;
}

Oid
dpriv_object(int slot)
{
	load();
	if (names[slot].deferred && installed && !OidIsValid(oids[slot]))
		return find_deferred(slot);
	return oids[slot];
}

int
dpriv_object_slot(Oid function)
{
	if (!OidIsValid(function) || function < FirstUnpinnedObjectId)
		return -1;
	load();
	for (int i = 0; i < nnames; i++)
		if (oids[i] == function)
			return i;
	return -1;
}

/* Only what was found is remembered, until anything happens to it. */
Oid
dpriv_relation(DprivRelation which)
{
	uint64		before = invalidations;
	DprivRelation table = relations[which].table;
	Oid			schema;
	Oid			oid;

	if (OidIsValid(relation_oids[which]))
		return relation_oids[which];
	schema = get_namespace_oid("dpriv", true);
	oid = OidIsValid(schema) ? get_relname_relid(relations[which].name, schema) : InvalidOid;
	if (!OidIsValid(oid))
		return InvalidOid;
	if (table != which)
	{
		if (get_rel_relkind(oid) != RELKIND_INDEX ||
			IndexGetRelation(oid, true) != dpriv_relation(table))
			return InvalidOid;
	}
	else
	{
		Oid			extension = get_extension_oid("dpriv", true);

		if (get_rel_relkind(oid) != RELKIND_RELATION || !OidIsValid(extension) ||
			getExtensionOfObject(RelationRelationId, oid) != extension)
			return InvalidOid;
	}
	if (invalidations == before)
		relation_oids[which] = oid;
	return oid;
}

Relation
dpriv_relation_open(DprivRelation which, LOCKMODE mode)
{
	Oid			oid = dpriv_relation(which);

	if (!OidIsValid(oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("extension dpriv has no table dpriv.%s", relations[which].name),
				 errdetail("Without it no budget can be kept."),
				 errhint("Create the extension, or restore the table from a backup if it was "
						 "renamed or dropped.")));
	return table_open(oid, mode);
}

static void
forget(Datum arg, int cacheid, uint32 hashvalue)
{
	known = false;
	memset(relation_oids, 0, sizeof(relation_oids));
	invalidations++;
}

/* A change to one table also concerns its indexes: REINDEX CONCURRENTLY replaces them. */
static void
forget_relation(Datum arg, Oid relation)
{
	for (int i = 0; i < DPRIV_NRELATIONS; i++)
		if (!OidIsValid(relation) || relation_oids[i] == relation)
		{
			memset(relation_oids, 0, sizeof(relation_oids));
			invalidations++;
			return;
		}
}

void
dpriv_objects_init(void)
{
	CacheRegisterSyscacheCallback(PROCOID, forget, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget, (Datum) 0);
	CacheRegisterRelcacheCallback(forget_relation, (Datum) 0);
}
