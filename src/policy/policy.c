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
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_seclabel.h"
#include "commands/policy.h"
#include "compat.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "objects.h"
#include "policy/label.h"
#include "policy/policy.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/*
 * What a session remembers of a relation, until the relation changes.  When an ancestor of others
 * changes all is forgotten: what is known of them has come from there.  Most relations that come
 * and go, such as temporary ones, are nobody's ancestors.
 */
typedef struct Protection
{
	Oid			relation;		/* key */
	bool		is_known;		/* is root? */
	bool		is_ancestor;
	Oid			root;			/* InvalidOid: not protected */
} Protection;

static HTAB *protections = NULL;

/* Counts everything that could change an answer. */
static uint64 changes = 1;

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
 * Policies
 */

static bool
is_guard_call(Node *qual)
{
	return qual && IsA(qual, FuncExpr) && OidIsValid(((FuncExpr *) qual)->funcid) &&
		((FuncExpr *) qual)->funcid == dpriv_object(DPRIV_GUARD);
}

bool
dpriv_is_guard_qual(Node *qual)
{
	ListCell   *lc;
	List	   *args;

	if (qual && IsA(qual, List))
		args = (List *) qual;
	else if (qual && IsA(qual, BoolExpr) && ((BoolExpr *) qual)->boolop == AND_EXPR)
		args = ((BoolExpr *) qual)->args;
	else
		return is_guard_call(qual);

	foreach(lc, args)
		if (!dpriv_is_guard_qual(lfirst(lc)))
			return false;
	return args != NIL;
}

/* Roles that a policy is for. */
static List *
roles_of(RowSecurityPolicy *policy)
{
	Oid		   *role = (Oid *) ARR_DATA_PTR(policy->roles);
	List	   *roles = NIL;

	for (int i = 0; i < ARR_DIMS(policy->roles)[0]; i++)
		roles = lappend_oid(roles, role[i]);
	return roles;
}

/* Policies of an open relation that are in force; NIL if none is. */
static List *
policies_of(Relation rel)
{
	return rel->rd_rel->relrowsecurity && rel->rd_rsdesc ? rel->rd_rsdesc->policies : NIL;
}

/* Does it keep everybody from reading rows whom the guard refuses on this relation? */
static bool
is_guard_policy(RowSecurityPolicy *policy, Oid relation)
{
	Node	   *argument;

	if (policy->permissive || !is_guard_call((Node *) policy->qual) ||
		(policy->polcmd != ACL_SELECT_CHR && policy->polcmd != '*') ||
		!list_member_oid(roles_of(policy), ACL_ID_PUBLIC))
		return false;
	argument = linitial(((FuncExpr *) policy->qual)->args);
	return IsA(argument, Const) && !((Const *) argument)->constisnull &&
		DatumGetObjectId(((Const *) argument)->constvalue) == relation;
}

static bool
has_guard_policy(Relation rel)
{
	ListCell   *lc;

	foreach(lc, policies_of(rel))
		if (is_guard_policy(lfirst(lc), RelationGetRelid(rel)))
			return true;
	return false;
}

List *
dpriv_trusted_roles(Oid relation)
{
	Relation	rel = try_relation_open(relation, AccessShareLock);
	List	   *roles = NIL;
	ListCell   *lc;

	if (rel == NULL)
		return NIL;
	foreach(lc, policies_of(rel))
	{
		RowSecurityPolicy *policy = lfirst(lc);

		if (!policy->permissive && strcmp(policy->policy_name, DPRIV_POLICY_TRUSTED) == 0)
			roles = roles_of(policy);
	}
	relation_close(rel, AccessShareLock);

	/* Everybody cannot be trusted: whoever wants that ends the protection. */
	return list_delete_oid(roles, ACL_ID_PUBLIC);
}

/*
 * Protections
 */

static bool
can_be_protected(char relkind)
{
	return relkind == RELKIND_RELATION || relkind == RELKIND_PARTITIONED_TABLE;
}

List *
dpriv_parents(Oid relation)
{
	Relation	rel = table_open(InheritsRelationId, AccessShareLock);
	List	   *parents = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relation));
	scan = systable_beginscan(rel, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		parents = lappend_oid(parents, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return parents;
}

static Protection *
remember(Oid relation)
{
	Protection *entry;
	bool		found;

	if (protections == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(Protection)};

		protections = hash_create("dpriv protections", 64, &control, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(protections, &relation, HASH_ENTER, &found);
	if (!found)
		entry->is_known = entry->is_ancestor = false;
	return entry;
}

/*
 * The topmost ancestor with a label, or a policy that has the guard's name; InvalidOid if none has.
 * They are not opened: whoever reads a child need not wait for its parent.
 */
static Oid
protected_ancestor(Oid relation)
{
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, dpriv_parents(relation))
	{
		Oid			parent = lfirst_oid(lc);
		Oid			root;

		remember(parent)->is_ancestor = true;
		root = protected_ancestor(parent);
		if (OidIsValid(root))
			return root;
		if (dpriv_label_protects(parent) ||
			OidIsValid(get_relation_policy_oid(parent, DPRIV_POLICY_GUARD, true)))
			return parent;
	}
	return InvalidOid;
}

/* Of TOAST tables that came with the server no dependency is kept, and the names are right. */
Oid
dpriv_table_of_toast(Oid toast)
{
	const char *name = get_rel_name(toast);
	unsigned int number;
	Relation	rel = table_open(DependRelationId, AccessShareLock);
	Oid			table = InvalidOid;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(toast));
	scan = systable_beginscan(rel, DependDependerIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend depend = (Form_pg_depend) GETSTRUCT(tuple);

		if (depend->deptype == DEPENDENCY_INTERNAL && depend->refclassid == RelationRelationId)
			table = depend->refobjid;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	if (!OidIsValid(table) && name && sscanf(name, "pg_toast_%u", &number) == 1)
		table = number;
	return table;
}

/* Parts of a table's rows are in its TOAST table, which has no policies and can be queried. */
static Oid
root_of_toast(Oid toast)
{
	Oid			table = dpriv_table_of_toast(toast);

	if (!OidIsValid(table))
		return InvalidOid;
	remember(table)->is_ancestor = true;
	return dpriv_protected_root(table);
}

static Oid
find_root(Oid relation)
{
	Relation	rel = try_relation_open(relation, AccessShareLock);
	Oid			root = InvalidOid;

	if (rel == NULL)
		return InvalidOid;

	/* A foreign table cannot be protected, but may have become a child of one that is. */
	if (can_be_protected(rel->rd_rel->relkind) || rel->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
	{
		root = protected_ancestor(relation);
		if (!OidIsValid(root) && (dpriv_label_protects(relation) || has_guard_policy(rel)))
			root = relation;
	}
	else if (rel->rd_rel->relkind == RELKIND_TOASTVALUE)
		root = root_of_toast(relation);
	relation_close(rel, AccessShareLock);
	return root;
}

Oid
dpriv_protected_root(Oid relation)
{
	Protection *entry = NULL;
	uint64		before = changes;
	Oid			root;

	if (relation < FirstNormalObjectId)
		return InvalidOid;
	if (protections)
		entry = hash_search(protections, &relation, HASH_FIND, NULL);
	if (entry && entry->is_known)
		return entry->root;

	/* If anything has changed meanwhile, it may be out of date already. */
	root = find_root(relation);
	if (changes == before)
	{
		entry = remember(relation);
		entry->root = root;
		entry->is_known = true;
	}
	return root;
}

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

/* Does the label of any relation protect it?  Declarations of columns do not. */
static bool
label_is_used(void)
{
	Relation	rel = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	ScanKeyInit(&key, Anum_pg_seclabel_provider, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(DPRIV_LABEL_PROVIDER));
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 1, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		FormData_pg_seclabel *label = (FormData_pg_seclabel *) GETSTRUCT(tuple);

		found = label->classoid == RelationRelationId && label->objsubid == 0 &&
			dpriv_label_protects(label->objoid);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

bool
dpriv_anything_protected(void)
{
	uint64		before = changes;

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
	List	   *relations = NIL;
	Relation	rel = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_seclabel_provider, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(DPRIV_LABEL_PROVIDER));
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (((FormData_pg_seclabel *) GETSTRUCT(tuple))->classoid == RelationRelationId)
			relations = lappend_oid(relations, ((FormData_pg_seclabel *) GETSTRUCT(tuple))->objoid);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);

	rel = table_open(PolicyRelationId, AccessShareLock);
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
	uint64		current = changes;
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
	rel = relation_open(relation, AccessShareLock);
	if (!rel->rd_rel->relrowsecurity)
		problem = "Row-level security is not enabled.";
	else if (!has_guard_policy(rel))
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
	Oid			root = dpriv_protected_root(relation);
	Datum		values[3] = {0};
	bool		nulls[3] = {true, true, true};
	TupleDesc	tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (OidIsValid(root))
	{
		const char *problem = dpriv_policy_problem(relation);
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

/* InvalidOid: all relations. */
static void
forget(Datum arg, Oid relation)
{
	Protection *entry;

	changes++;
	if (protections == NULL)
		return;
	entry = hash_search(protections, &relation, HASH_FIND, NULL);
	if (!OidIsValid(relation) || (entry && entry->is_ancestor))
	{
		hash_destroy(protections);
		protections = NULL;
	}
	else if (entry)
		(void) hash_search(protections, &relation, HASH_REMOVE, NULL);
}

/* The extension may have come or gone. */
static void
forget_functions(Datum arg, int cacheid, uint32 hashvalue)
{
	forget(arg, InvalidOid);
}

/*
 * Whose member a role is, and whether it is exempt from row-level security, decide what the guard
 * said when a plan was made.  The server itself keeps plans then.
 */
static void
forget_plans(Datum arg, int cacheid, uint32 hashvalue)
{
	changes++;
	if (something)
		ResetPlanCache();
}

void
dpriv_policy_init(void)
{
	preloaded = process_shared_preload_libraries_in_progress;
	dpriv_label_init();
	CacheRegisterRelcacheCallback(forget, (Datum) 0);
	CacheRegisterSyscacheCallback(PROCOID, forget_functions, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, forget_plans, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, forget_plans, (Datum) 0);
}
