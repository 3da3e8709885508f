/*
 * policy.c
 *	  Which relations are protected, and from whom.
 *
 * A relation is protected from the moment that it has a label, or the guard's policy, until it has
 * neither: half of a protection closes it too.  The guard is folded while a statement is planned,
 * so that a role which may not see the rows gets no plan that reads them, in whatever way the plan
 * is asked for and whether the library's hooks are there or not.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_seclabel.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "objects.h"
#include "policy/guard_policy.h"
#include "policy/label.h"
#include "policy/policy.h"
#include "policy/root.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* Counts changes to roles, all of them. */
static uint64 role_changes = 0;

static bool preloaded = false;

/* Is anything protected?  Remembered until the next change if not, else for good. */
static bool something = false;
static uint64 nothing_at = 0;

bool
dpriv_preloaded(void)
{
	return preloaded;
}

PG_FUNCTION_INFO_V1(dpriv_is_preloaded);

/* dpriv.preloaded() returns boolean. */
Datum
dpriv_is_preloaded(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(preloaded);
}

/*
 * Protections
 */

/* Does a policy anywhere refer to the guard? */
static bool
guard_is_used(void)
{
	Oid			guard = dpriv_object(DPRIV_GUARD);
	Relation	rel;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	if (!OidIsValid(guard))
		return false;
	rel = table_open(DependRelationId, AccessShareLock);
	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ProcedureRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(guard));
	scan = systable_beginscan(rel, DependReferenceIndexId, true, NULL, 2, key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = ((Form_pg_depend) GETSTRUCT(tuple))->classid == PolicyRelationId;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/* Relations with a label of their own, whatever it says; labels of columns are declarations. */
static List *
labelled_relations(void)
{
	Relation	rel = table_open(SecLabelRelationId, AccessShareLock);
	List	   *relations = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_seclabel_provider, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(DPRIV_LABEL_PROVIDER));
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		FormData_pg_seclabel *label = (FormData_pg_seclabel *) GETSTRUCT(tuple);

		if (label->classoid == RelationRelationId && label->objsubid == 0)
			relations = lappend_oid(relations, label->objoid);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return relations;
}

static bool
label_is_used(void)
{
	ListCell   *lc;

	foreach(lc, labelled_relations())
		if (dpriv_label_protects(lfirst_oid(lc)))
			return true;
	return false;
}

bool
dpriv_anything_protected(void)
{
	uint64		before = dpriv_root_changes();

	if (something)
		return true;
	if (nothing_at == before)
		return false;
	something = label_is_used() || guard_is_used();
	if (!something)
		nothing_at = before;
	return something;
}

/* Also where a relation lost its own part of a protection: then nobody is trusted. */
bool
dpriv_is_restricted(Oid relation, Oid role)
{
	ListCell   *lc;

	if (!OidIsValid(dpriv_protected_root(relation)))
		return false;
	if (has_bypassrls_privilege(role) || dpriv_relation_ownercheck(relation, role))
		return false;
	foreach(lc, dpriv_trusted_roles(relation))
		if (has_privs_of_role(role, lfirst_oid(lc)))
			return false;
	return true;
}

/* Relations with a label of their own, or a policy of the guard's name. */
static List *
protected_relations(void)
{
	List	   *relations = labelled_relations();
	Relation	rel = table_open(PolicyRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_policy_polname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum(DPRIV_POLICY_GUARD));
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		relations = lappend_oid(relations, ((Form_pg_policy) GETSTRUCT(tuple))->polrelid);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return relations;
}

bool
dpriv_is_restricted_anywhere(Oid role)
{
	static Oid	known_role = InvalidOid;
	static uint64 known_in = 0;
	static bool known = false;
	uint64		current = dpriv_root_changes() + role_changes;
	bool		found = false;
	ListCell   *lc;

	if (!dpriv_anything_protected() || has_bypassrls_privilege(role))
		return false;
	if (known_role == role && known_in == current)
		return known;
	foreach(lc, protected_relations())
	{
		CHECK_FOR_INTERRUPTS();
		found = dpriv_is_restricted(lfirst_oid(lc), role);
		if (found)
			break;
	}
	known_role = role;
	known_in = current;
	known = found;
	return found;
}

const char *
dpriv_policy_problem(Oid relation)
{
	Relation	rel;
	DprivLabel	label;
	const char *problem;

	if (!OidIsValid(dpriv_protected_root(relation)))
		return NULL;
	problem = dpriv_label_read(relation, &label);
	if (problem)
		return problem;
	rel = try_relation_open(relation, AccessShareLock);
	if (rel == NULL)
		return "It has been dropped.";
	if (!rel->rd_rel->relrowsecurity)
		problem = "Row-level security is not enabled.";
	else if (!dpriv_has_guard_policy(rel))
		problem = "The policy " DPRIV_POLICY_GUARD " is missing or has been changed.";
	relation_close(rel, AccessShareLock);
	return problem;
}

void
dpriv_check_policy(Oid relation)
{
	const char *problem = dpriv_policy_problem(relation);

	if (problem)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("protection of relation \"%s\" is broken", get_rel_name(relation)),
				 errdetail("%s", problem),
				 errhint("Its owner can call dpriv.protect() again to repair it, or "
						 "dpriv.unprotect() to end it.")));
}

/*
 * The guard
 */

PG_FUNCTION_INFO_V1(dpriv_guard);

/*
 * dpriv.guard(relation regclass) returns boolean: true for those who may read rows, for all others
 * an error.  Declared IMMUTABLE so that the planner calls it; plans depend on the role, as all with
 * row-level security do.
 */
Datum
dpriv_guard(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	char	   *name = OidIsValid(relation) ? get_rel_name(relation) : NULL;

	something = true;
	if (name && !dpriv_is_restricted(relation, GetUserId()))
		PG_RETURN_BOOL(true);
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the guarded relation does not exist"),
				 errhint("dpriv.guard() is for policies that dpriv.protect() makes.")));
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("rows of protected relation \"%s\" cannot be read", name),
			 errdetail("Role \"%s\" gets private aggregates of it only.",
					   GetUserNameFromId(GetUserId(), false)),
			 errhint("Use dp_count(), dp_avg() and the other private aggregates, for example "
					 "SELECT dp_count(*). The owner can trust a role with the rows by "
					 "dpriv.trust().")));
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(dpriv_protection);

/*
 * dpriv.protection(relation regclass, OUT unit text, OUT part_of regclass, OUT problem text): what
 * dpriv.protected shows.  All NULL if the relation is not protected.
 */
Datum
dpriv_protection(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	const char *problem = dpriv_policy_problem(relation);
	Oid			root = dpriv_protected_root(relation);	/* if it is still there */
	Datum		values[3] = {0};
	bool		nulls[3] = {true, true, true};
	TupleDesc	tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (OidIsValid(root))
	{
		DprivLabel	label;

		if (dpriv_label_read(relation, &label) == NULL)
		{
			values[0] = CStringGetTextDatum(dpriv_unit_name(label.unit));
			nulls[0] = false;
		}
		values[1] = ObjectIdGetDatum(root);
		nulls[1] = root == relation;
		if (problem)
		{
			values[2] = CStringGetTextDatum(problem);
			nulls[2] = false;
		}
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

PG_FUNCTION_INFO_V1(dpriv_permit);

/*
 * dpriv.permit() returns boolean: true.  The qual of the policy that permits all rows where a table
 * has no policies of its own: it goes with the extension, and then nothing is permitted.
 */
Datum
dpriv_permit(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

/*
 * Invalidation
 */

/*
 * Whose member a role is, and whether it is exempt from row-level security, decide what the guard
 * said when a plan was made.  The server itself keeps plans then.
 */
static void
forget_plans(Datum arg, int cacheid, uint32 hashvalue)
{
	role_changes++;
	if (something)
		ResetPlanCache();
}

void
dpriv_policy_init(void)
{
	preloaded = process_shared_preload_libraries_in_progress;
	dpriv_label_init();
	dpriv_root_init();
	CacheRegisterSyscacheCallback(AUTHOID, forget_plans, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, forget_plans, (Datum) 0);
}
