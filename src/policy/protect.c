/*
 * protect.c
 *	  Changing what is protected: dpriv.protect, dpriv.unprotect, dpriv.trust, dpriv.distrust.
 *
 * A relation and all of its descendants are protected alike, each by a label and policies of its
 * own: row-level security looks only at the relation that a query names.  Row-level security is
 * changed by SQL commands, so that event triggers and other libraries see them.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/indexing.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_type.h"
#include "commands/policy.h"
#include "compat.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "policy/arguments.h"
#include "policy/guard_policy.h"
#include "policy/policy.h"
#include "policy/protect.h"
#include "policy/risks.h"
#include "policy/root.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#define OWNER_DECIDES "Its owner decides who may see its rows."

/*
 * Policies
 */

static void
run(const char *command)
{
	int			result;

	SPI_connect();
	result = SPI_execute(command, false, 0);
	if (result != SPI_OK_UTILITY)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

/* For commands: schema and name, quoted. */
static const char *
qualified_name(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
									  get_rel_name(relation));
}

static bool
has_policy(Oid relation, const char *name)
{
	return OidIsValid(get_relation_policy_oid(relation, name, true));
}

static void
drop_policy(Oid relation, const char *name)
{
	if (has_policy(relation, name))
		run(psprintf("DROP POLICY %s ON %s", name, qualified_name(relation)));
}

static bool
is_own_name(const char *name)
{
	return strcmp(name, DPRIV_POLICY_GUARD) == 0 || strcmp(name, DPRIV_POLICY_TRUSTED) == 0 ||
		strcmp(name, DPRIV_POLICY_PERMIT) == 0;
}

/* Does the relation have policies that are not dpriv's, in force or not? */
static bool
has_other_policies(Oid relation)
{
	Relation	rel = table_open(PolicyRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	ScanKeyInit(&key, Anum_pg_policy_polrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relation));
	scan = systable_beginscan(rel, PolicyPolrelidPolnameIndexId, true, NULL, 1, &key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = !is_own_name(NameStr(((Form_pg_policy) GETSTRUCT(tuple))->polname));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/* Roles that the list of trusted ones names, whether it is in force or not. */
static List *
listed_roles(Oid relation)
{
	Relation	rel = table_open(PolicyRelationId, AccessShareLock);
	List	   *roles = NIL;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key[0], Anum_pg_policy_polrelid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relation));
	ScanKeyInit(&key[1], Anum_pg_policy_polname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum(DPRIV_POLICY_TRUSTED));
	scan = systable_beginscan(rel, PolicyPolrelidPolnameIndexId, true, NULL, 2, key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple) && !((Form_pg_policy) GETSTRUCT(tuple))->polpermissive)
	{
		bool		is_null;
		Datum		value = heap_getattr(tuple, Anum_pg_policy_polroles, RelationGetDescr(rel),
										 &is_null);
		ArrayType  *array = is_null ? NULL : DatumGetArrayTypePCopy(value);

		for (int i = 0; array && i < ARR_DIMS(array)[0]; i++)
			roles = lappend_oid(roles, ((Oid *) ARR_DATA_PTR(array))[i]);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return list_delete_oid(roles, ACL_ID_PUBLIC);
}

static bool
has_row_security(Oid relation)
{
	Relation	rel = relation_open(relation, NoLock);
	bool		enabled = rel->rd_rel->relrowsecurity;

	relation_close(rel, NoLock);
	return enabled;
}

static const char *
role_list(List *roles)
{
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	foreach(lc, roles)
		appendStringInfo(&text, "%s%s", text.len ? ", " : "",
						 quote_identifier(GetUserNameFromId(lfirst_oid(lc), false)));
	return text.data;
}

static void
set_trusted(Oid relation, List *roles)
{
	const char *name = qualified_name(relation);

	if (roles == NIL)
		drop_policy(relation, DPRIV_POLICY_TRUSTED);
	else if (has_policy(relation, DPRIV_POLICY_TRUSTED))
		run(psprintf("ALTER POLICY " DPRIV_POLICY_TRUSTED " ON %s TO %s", name,
					 role_list(roles)));
	else
		run(psprintf("CREATE POLICY " DPRIV_POLICY_TRUSTED " ON %s AS RESTRICTIVE FOR SELECT TO %s "
					 "USING (true)", name, role_list(roles)));
}

static void
protect_one(Oid relation, const DprivLabel *label, List *trusted)
{
	const char *name = qualified_name(relation);

	if (!has_row_security(relation))
	{
		if (!has_policy(relation, DPRIV_POLICY_PERMIT))
			run(psprintf("CREATE POLICY " DPRIV_POLICY_PERMIT " ON %s USING (dpriv.permit())",
						 name));
		run(psprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY", name));
	}

	/* Unless that was all: what is left of a guard is replaced. */
	dpriv_label_write(relation, label);
	CommandCounterIncrement();
	if (dpriv_policy_problem(relation))
	{
		dpriv_label_write(relation, NULL);
		CommandCounterIncrement();
		drop_policy(relation, DPRIV_POLICY_GUARD);
		run(psprintf("CREATE POLICY " DPRIV_POLICY_GUARD " ON %s AS RESTRICTIVE FOR SELECT "
					 "USING (dpriv.guard('%u'::pg_catalog.regclass))", name, relation));
		dpriv_label_write(relation, label);
		CommandCounterIncrement();
	}
	if (list_difference_oid(trusted, listed_roles(relation)) != NIL ||
		list_difference_oid(listed_roles(relation), trusted) != NIL)
		set_trusted(relation, trusted);
	dpriv_check_policy(relation);
}

void
dpriv_protect_members(List *members, const DprivLabel *label, List *trusted)
{
	ListCell   *lc;

	foreach(lc, members)
		protect_one(lfirst_oid(lc), label, trusted);
}

static void
unprotect_one(Oid relation)
{
	bool		permitted = has_policy(relation, DPRIV_POLICY_PERMIT);

	/* Without label and guard nothing is half protected meanwhile. */
	dpriv_label_write(relation, NULL);
	CommandCounterIncrement();
	drop_policy(relation, DPRIV_POLICY_GUARD);
	drop_policy(relation, DPRIV_POLICY_TRUSTED);
	drop_policy(relation, DPRIV_POLICY_PERMIT);
	if (!permitted)
		return;
	if (!has_other_policies(relation))
		run(psprintf("ALTER TABLE %s DISABLE ROW LEVEL SECURITY", qualified_name(relation)));
	else
		ereport(NOTICE,
				(errcode(ERRCODE_SUCCESSFUL_COMPLETION),
				 errmsg("row-level security of \"%s\" stays enabled", get_rel_name(relation)),
				 errdetail("It has policies of its own now.")));
}

/*
 * What can be protected
 */

static void
check_kind(Relation rel)
{
	const char *detail = NULL;
	const char *hint = "Protect a table or partitioned table.";

	if (dpriv_label_is_public(RelationGetRelid(rel)))
	{
		detail = "It is declared public.";
		hint = "Call dpriv.set_public(relation, false) first.";
	}

	switch (rel->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
			break;
		case RELKIND_VIEW:
			detail = "It is a view.";
			hint = "Protect the tables that it reads: rows are protected whatever view they are "
				"read through.";
			break;
		case RELKIND_MATVIEW:
			detail = "It is a materialized view, which cannot have row-level security.";
			hint = "Protect the tables that it reads, and grant SELECT on it to nobody. Release "
				"from the tables.";
			break;
		case RELKIND_FOREIGN_TABLE:
			detail = "It is a foreign table, which cannot have row-level security.";
			hint = "Protect the table on the server that has it.";
			break;
		default:
			detail = "It is not a table.";
	}
	if (IsCatalogRelation(rel) || RelationGetRelid(rel) < FirstNormalObjectId)
		detail = "It is a system catalog.";
	else if (detail == NULL && rel->rd_rel->relpersistence == RELPERSISTENCE_TEMP)
	{
		detail = "It is a temporary table.";
		hint = "Only the session that made it can read it. Protect a permanent table.";
	}
	if (detail)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" cannot be protected", RelationGetRelationName(rel)),
				 errdetail("%s", detail),
				 errhint("%s", hint)));
}

/* Its owner reads its rows.  That must not be somebody who may not read those of the root. */
static void
check_owner(Relation rel, Oid root, List *trusted)
{
	Oid			owner = rel->rd_rel->relowner;
	ListCell   *lc;

	if (has_bypassrls_privilege(owner) || dpriv_relation_ownercheck(root, owner))
		return;
	foreach(lc, trusted)
		if (has_privs_of_role(owner, lfirst_oid(lc)))
			return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("\"%s\" cannot be a part of protected relation \"%s\"",
					RelationGetRelationName(rel), get_rel_name(root)),
			 errdetail("It belongs to role \"%s\", which may not read the rows of that relation.",
					   GetUserNameFromId(owner, false)),
			 errhint("ALTER TABLE ... OWNER TO the owner of the parent.")));
}

static void
check_policies(Relation rel)
{
	if (!rel->rd_rel->relrowsecurity && has_other_policies(RelationGetRelid(rel)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"%s\" cannot be protected: it has policies that are not in force",
						RelationGetRelationName(rel)),
				 errdetail("Row-level security is not enabled."),
				 errhint("ALTER TABLE ... ENABLE ROW LEVEL SECURITY if they are to apply to "
						 "releases and trusted roles, or drop them.")));
}

/*
 * Parents of one of the members of a tree with this root.  A relation is a part of one protected
 * relation only: those who are trusted with another would read its rows, and its releases be
 * charged to the cap of either.
 */
static void
check_parents(Oid relation, List *members, Oid root)
{
	ListCell   *lc;

	foreach(lc, dpriv_parents(relation))
	{
		Oid			parent = lfirst_oid(lc);
		Oid			other;

		if (list_member_oid(members, parent))
			continue;
		other = dpriv_protected_root(parent);
		if (!OidIsValid(other))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("\"%s\" has a parent that is not protected", get_rel_name(relation)),
					 errdetail("Its rows could be read through \"%s\".", get_rel_name(parent)),
					 errhint("Protect the topmost parent: its children and partitions are "
							 "protected with it. Or separate it by NO INHERIT or DETACH "
							 "PARTITION.")));
		if (other != root)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("\"%s\" also belongs to another protected relation",
							get_rel_name(relation)),
					 errdetail("Its parent \"%s\" is not a part of \"%s\".", get_rel_name(parent),
							   get_rel_name(root)),
					 errhint("ALTER TABLE ... NO INHERIT one of its parents, or protect a common "
							 "parent of both.")));
	}
}

void
dpriv_check_parents(List *members, Oid root)
{
	ListCell   *lc;

	foreach(lc, members)
		check_parents(lfirst_oid(lc), members, root);
}

void
dpriv_check_members(List *members, Oid root, List *trusted)
{
	ListCell   *lc;

	foreach(lc, members)
	{
		Relation	rel = relation_open(lfirst_oid(lc), NoLock);

		check_kind(rel);
		dpriv_require_owner(RelationGetRelid(rel), OWNER_DECIDES);
		check_owner(rel, root, trusted);
		check_policies(rel);
		relation_close(rel, NoLock);
	}
	dpriv_check_parents(members, root);
}

/*
 * Arguments
 */

/*
 * The relation, which must be the user's, and all of its descendants, first itself, locked until
 * the end of the transaction against everybody who reads them.
 */
static List *
read_members(FunctionCallInfo fcinfo, const char *function)
{
	Oid			relation = dpriv_read_relation(fcinfo, function, AccessExclusiveLock,
											   OWNER_DECIDES);
	Oid			root;

	root = dpriv_protected_root(relation);
	if (OidIsValid(root) && root != relation)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a part of a protected relation", get_rel_name(relation)),
				 errhint("Call dpriv.%s() on \"%s\": all of its partitions and children are "
						 "protected alike.", function, get_rel_name(root))));
	return find_all_inheritors(relation, AccessExclusiveLock, NULL);
}

/* The same of a relation that is protected. */
static List *
read_protected(FunctionCallInfo fcinfo, const char *function)
{
	List	   *members = read_members(fcinfo, function);
	Oid			relation = linitial_oid(members);

	if (!OidIsValid(dpriv_protected_root(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relation \"%s\" is not protected", get_rel_name(relation)),
				 errhint("dpriv.protect() protects it. The view dpriv.protected lists those that "
						 "are.")));
	return members;
}

static Oid
read_role(FunctionCallInfo fcinfo, const char *function)
{
	const char *name;
	Oid			role;

	if (PG_ARGISNULL(1))
		dpriv_refuse_null(function, "role", "Name a role.");
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	role = get_role_oid(name, true);
	if (!OidIsValid(role) && strcmp(name, "public") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("all roles cannot be trusted with a protected relation"),
				 errhint("Name those that have to read its rows, or end its protection by "
						 "dpriv.unprotect().")));
	if (!OidIsValid(role))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" does not exist", name),
				 errhint("Write the name as in pg_roles, without quotes.")));
	return role;
}

static DprivUnit
read_unit(FunctionCallInfo fcinfo)
{
	DprivUnit	unit;
	const char *name;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("relation \"%s\" needs a privacy unit", get_rel_name(PG_GETARG_OID(0))),
				 errdetail("The unit is what answers hide: whether it is in the table or not. With "
						   "the unit row that is any single row. Of somebody who has k rows, "
						   "answers that cost epsilon can tell as much as k times epsilon allows."),
				 errhint("If each person has at most one row, write unit => 'row'.")));
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	if (!dpriv_unit_read(name, &unit))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unrecognized privacy unit \"%s\"", name),
				 errhint("The unit that there is: row.")));
	return unit;
}

/*
 * Functions
 */

PG_FUNCTION_INFO_V1(dpriv_protect);

/* dpriv.protect(relation regclass, unit text) returns void. */
Datum
dpriv_protect(PG_FUNCTION_ARGS)
{
	List	   *members = read_members(fcinfo, "protect");
	Oid			relation = linitial_oid(members);
	List	   *trusted = listed_roles(relation);
	DprivLabel	label = {.unit = read_unit(fcinfo)};
	List	   *risks;

	if (!dpriv_preloaded())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("relations cannot be protected without dpriv in "
						"shared_preload_libraries"),
				 errdetail("Sessions without the library could not tell private aggregates from "
						   "other ways to the rows."),
				 errhint("Add dpriv to shared_preload_libraries and restart the server.")));
	dpriv_check_members(members, relation, trusted);
	risks = dpriv_find_risks(relation);
	dpriv_protect_members(members, &label, trusted);
	dpriv_warn_of_risks(relation, risks);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_unprotect);

/* dpriv.unprotect(relation regclass) returns void. */
Datum
dpriv_unprotect(PG_FUNCTION_ARGS)
{
	List	   *members = read_protected(fcinfo, "unprotect");
	ListCell   *lc;

	/* What stays protected must not have a parent that is not. */
	dpriv_check_parents(members, linitial_oid(members));
	foreach(lc, members)
		unprotect_one(lfirst_oid(lc));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_trust);

/* dpriv.trust(relation regclass, role text) returns void. */
Datum
dpriv_trust(PG_FUNCTION_ARGS)
{
	List	   *members = read_protected(fcinfo, "trust");
	Oid			role = read_role(fcinfo, "trust");
	List	   *trusted;
	ListCell   *lc;

	dpriv_check_policy(linitial_oid(members));
	trusted = list_append_unique_oid(dpriv_trusted_roles(linitial_oid(members)), role);
	foreach(lc, members)
		set_trusted(lfirst_oid(lc), trusted);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_distrust);

/* dpriv.distrust(relation regclass, role text) returns void. */
Datum
dpriv_distrust(PG_FUNCTION_ARGS)
{
	List	   *members = read_protected(fcinfo, "distrust");
	Oid			role = read_role(fcinfo, "distrust");
	List	   *trusted;
	ListCell   *lc;

	dpriv_check_policy(linitial_oid(members));
	trusted = dpriv_trusted_roles(linitial_oid(members));
	if (!list_member_oid(trusted, role))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" is not trusted with relation \"%s\"",
						GetUserNameFromId(role, false), get_rel_name(linitial_oid(members))),
				 errhint("The view dpriv.protected lists those that are. Members of a trusted "
						 "role are trusted with it.")));
	trusted = list_delete_oid(trusted, role);
	foreach(lc, members)
		set_trusted(lfirst_oid(lc), trusted);
	PG_RETURN_VOID();
}
