/*
 * root.c
 *	  The protected relation that rows of another belong to, and what a session remembers of it.
 *
 * What is remembered never outlives what it came from: an answer is kept only if nothing has
 * changed while it was looked for.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "commands/policy.h"
#include "miscadmin.h"
#include "policy/guard_policy.h"
#include "policy/label.h"
#include "policy/root.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
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

/* Counts what could change an answer. */
static uint64 changes = 1;

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
		if (!OidIsValid(root) && (dpriv_label_protects(relation) || dpriv_has_guard_policy(rel)))
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

uint64
dpriv_root_changes(void)
{
	return changes;
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

void
dpriv_root_init(void)
{
	CacheRegisterRelcacheCallback(forget, (Datum) 0);
	CacheRegisterSyscacheCallback(PROCOID, forget_functions, (Datum) 0);
}
