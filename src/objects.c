/*
 * objects.c
 *	  The extension's own catalog objects, recognised by OID only.
 *
 * A name proves nothing: search_path decides what it means and anybody may create a function called
 * dp_count.  What counts is membership in the extension, looked up once per session and again after
 * pg_proc or pg_extension changed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "objects.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static DprivFunctionName names[DPRIV_MAX_FUNCTIONS] = {
	[DPRIV_RELEASE] = {true, "release", 1, {INT4OID}},
	[DPRIV_ERROR] = {false, "dp_error", 1, {ANYELEMENTOID}},
	[DPRIV_ERROR_CONFIDENCE] = {false, "dp_error", 2, {ANYELEMENTOID, FLOAT8OID}},
	[DPRIV_TO_REAL] = {true, "to_real", 1, {NUMERICOID}},
};
static int	nnames = DPRIV_FIRST_DECLARED;

static Oid	oids[DPRIV_MAX_FUNCTIONS];
static bool known = false;
static bool installed = false;
static uint64 invalidations = 0;

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

Oid
dpriv_object(int slot)
{
	load();
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

static void
forget(Datum arg, int cacheid, uint32 hashvalue)
{
	known = false;
	invalidations++;
}

void
dpriv_objects_init(void)
{
	CacheRegisterSyscacheCallback(PROCOID, forget, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget, (Datum) 0);
}
