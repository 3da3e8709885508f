/*
 * budget.c
 *	  Budgets: who may spend how much on what.
 *
 * Everything is found by OID and by index, in one snapshot that is taken when it is asked for: what
 * a user may read, search_path and the age of the transaction's snapshot change nothing.  Roles and
 * relations that are gone are met with silence: their budgets cannot apply to anybody.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_auth_members.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database.h"
#include "catalog/pg_inherits.h"
#include "ledger/row.h"
#include "miscadmin.h"
#include "objects.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

Oid
dpriv_budget_index(void)
{
	Oid			index = dpriv_relation(DPRIV_INDEX_BUDGET);

	if (!OidIsValid(index))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the index of dpriv.budget is missing"),
				 errhint("Its name is budget_relation_grantee_kind_key; restore that, or the "
						 "unique constraint.")));
	return index;
}

bool
dpriv_budget_exists(const DprivBudget *budget)
{
	return (!OidIsValid(budget->grantee) ||
			SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(budget->grantee))) &&
		(!OidIsValid(budget->relation) ||
		 SearchSysCacheExists1(RELOID, ObjectIdGetDatum(budget->relation)));
}

/*
 * Locks of terms: advisory, in a class that SQL cannot take.  One for each budget and not one for
 * all, since the owner of any table may grant budgets on it and leave the transaction open.
 */
#define TERMS_LOCK_CLASS 0xDA

void
dpriv_budget_lock_terms(Oid relation, Oid grantee)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, relation, grantee, TERMS_LOCK_CLASS);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

/*
 * What applies
 */

/* The owner of the database is a member of pg_database_owner without an entry that says so. */
static bool
owns_database(Oid role)
{
	HeapTuple	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	bool		owns;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	owns = ((Form_pg_database) GETSTRUCT(tuple))->datdba == role;
	ReleaseSysCache(tuple);
	return owns;
}

List *
dpriv_roles_of(Oid role)
{
	List	   *roles = list_make1_oid(role);
	ListCell   *lc;

	/* The list grows while it is read. */
	foreach(lc, roles)
	{
		Oid			member = lfirst_oid(lc);
		CatCList   *list;

		CHECK_FOR_INTERRUPTS();
		if (owns_database(member))
			roles = list_append_unique_oid(roles, ROLE_PG_DATABASE_OWNER);
		list = SearchSysCacheList1(AUTHMEMMEMROLE, ObjectIdGetDatum(member));
		for (int i = 0; i < list->n_members; i++)
		{
			HeapTuple	tuple = &list->members[i]->tuple;

			roles = list_append_unique_oid(roles,
										   ((Form_pg_auth_members) GETSTRUCT(tuple))->roleid);
		}
		ReleaseSysCacheList(list);
	}
	return roles;
}

/* The parents of a relation, and theirs. */
static List *
ancestors_of(Oid relation, Relation inherits)
{
	List	   *list = list_make1_oid(relation);
	ListCell   *lc;

	/* The list grows while it is read. */
	foreach(lc, list)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		CHECK_FOR_INTERRUPTS();
		ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(lfirst_oid(lc)));
		scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
			list = list_append_unique_oid(list, ((Form_pg_inherits) GETSTRUCT(tuple))->inhparent);
		systable_endscan(scan);
	}
	return list_delete_first(list);
}

Oid
dpriv_budget_root(Oid relation)
{
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	List	   *ancestors = ancestors_of(relation, inherits);

	table_close(inherits, AccessShareLock);
	return ancestors == NIL ? relation : llast_oid(ancestors);
}

/* Does it have children, or had it some?  False if it does not exist. */
static bool
has_children(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_class) GETSTRUCT(tuple))->relhassubclass;
	ReleaseSysCache(tuple);
	return result;
}

static Oid
relation_of(HeapTuple tuple, TupleDesc tupdesc)
{
	bool		isnull;
	Datum		relation = heap_getattr(tuple, Anum_dpriv_budget_relation, tupdesc, &isnull);

	return isnull ? InvalidOid : DatumGetObjectId(relation);
}

/*
 * Descendants of a relation that have budgets.  Few relations have any and most of these are no
 * children, so they are gone through one by one, and not the partitions, of which there may be
 * thousands.
 */
static List *
descendants_with_budgets(Oid relation, Relation inherits, Relation rel, Relation index,
						 Snapshot snapshot)
{
	List	   *found = NIL;
	Oid			last = InvalidOid;

	for (;;)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		CHECK_FOR_INTERRUPTS();
		ScanKeyInit(&key, Anum_dpriv_budget_relation, BTGreaterStrategyNumber, F_OIDGT,
					ObjectIdGetDatum(last));
		scan = systable_beginscan_ordered(rel, index, snapshot, 1, &key);
		tuple = systable_getnext_ordered(scan, ForwardScanDirection);
		if (HeapTupleIsValid(tuple))
			last = relation_of(tuple, RelationGetDescr(rel));
		systable_endscan_ordered(scan);
		if (!HeapTupleIsValid(tuple))
			return found;
		if (list_member_oid(ancestors_of(last, inherits), relation))
			found = lappend_oid(found, last);
	}
}

/* For the index of budgets.  A scan changes the keys that it is given, up to 17. */
static void
init_keys(ScanKeyData *key, Oid relation, Oid grantee)
{
	ScanKeyInit(&key[0], Anum_dpriv_budget_relation, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relation));
	ScanKeyInit(&key[1], Anum_dpriv_budget_grantee, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(grantee));
}

/* The budgets of one relation that are of one of the roles, of PUBLIC, or caps. */
static List *
add_budgets(List *budgets, Relation rel, Oid index, Snapshot snapshot, Oid relation, List *roles)
{
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	ListCell   *lc;

	/* Most relations have none at all. */
	init_keys(key, relation, InvalidOid);
	scan = systable_beginscan(rel, index, true, snapshot, 1, key);
	tuple = systable_getnext(scan);
	systable_endscan(scan);
	if (!HeapTupleIsValid(tuple))
		return budgets;

	foreach(lc, roles)
	{
		init_keys(key, relation, lfirst_oid(lc));
		scan = systable_beginscan(rel, index, true, snapshot, 2, key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		{
			DprivBudget *budget = dpriv_budget_read(tuple, RelationGetDescr(rel));

			if (budget->kind != DPRIV_BUDGET_MARK)
				budgets = lappend(budgets, budget);
		}
		systable_endscan(scan);
	}
	return budgets;
}

static int
compare_ids(const ListCell *a, const ListCell *b)
{
	return memcmp(((const DprivBudget *) lfirst(a))->id.data,
				  ((const DprivBudget *) lfirst(b))->id.data, UUID_LEN);
}

List *
dpriv_budgets_search(Oid role, Oid relation)
{
	List	   *budgets = NIL;
	List	   *roles = lappend_oid(dpriv_roles_of(role), InvalidOid);
	List	   *relations = list_make1_oid(InvalidOid);
	int			nwhole = 1;
	Relation	rel = dpriv_relation_open(DPRIV_TABLE_BUDGET, AccessShareLock);
	Oid			index = dpriv_budget_index();
	Snapshot	snapshot = RegisterSnapshot(GetCatalogSnapshot(RelationGetRelid(rel)));
	ListCell   *lc;

	if (OidIsValid(relation))
	{
		Relation	inherits = table_open(InheritsRelationId, AccessShareLock);

		relations = lappend_oid(relations, relation);
		relations = list_concat(relations, ancestors_of(relation, inherits));
		nwhole = list_length(relations);
		if (has_children(relation))
		{
			Relation	index_rel = index_open(index, AccessShareLock);

			relations = list_concat(relations,
									descendants_with_budgets(relation, inherits, rel, index_rel,
															 snapshot));
			index_close(index_rel, AccessShareLock);
		}
		table_close(inherits, AccessShareLock);
	}
	foreach(lc, relations)
	{
		int			before = list_length(budgets);

		budgets = add_budgets(budgets, rel, index, snapshot, lfirst_oid(lc), roles);
		if (foreach_current_index(lc) >= nwhole)
			for (int i = before; i < list_length(budgets); i++)
				((DprivBudget *) list_nth(budgets, i))->of_part = true;
	}
	UnregisterSnapshot(snapshot);
	table_close(rel, AccessShareLock);
	list_sort(budgets, compare_ids);
	return budgets;
}

/*
 * A dump has all budgets in one COPY, which fails as a whole if a role of one of them does not
 * exist where it is restored.  Without budgets everything would be free, so the first grant leaves
 * a row that only such an accident can take away; charges in the ledger say that it was there.
 */
bool
dpriv_budgets_lost(Relation ledger)
{
	Relation	rel = dpriv_relation_open(DPRIV_TABLE_BUDGET, AccessShareLock);
	bool		found = false;
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	init_keys(key, InvalidOid, InvalidOid);
	scan = systable_beginscan(rel, dpriv_budget_index(), true, NULL, 2, key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
		found = dpriv_budget_read(tuple, RelationGetDescr(rel))->kind == DPRIV_BUDGET_MARK;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return !found && dpriv_ledger_names_budgets(ledger);
}

/*
 * Periods
 */

/* When a period begins, the first one being 0.  In UTC, whatever the setting TimeZone. */
static TimestampTz
period_start(const DprivBudget *budget, int64 number)
{
	Interval	offset = budget->period;

	offset.time *= number;
	offset.day *= number;
	offset.month *= number;
	return DatumGetTimestamp(DirectFunctionCall2(timestamp_pl_interval,
												 TimestampGetDatum(budget->granted_at),
												 IntervalPGetDatum(&offset)));
}

/*
 * Periods are multiples added to the first grant, so that the end of a month stays there.  Their
 * number is estimated by their mean length and then corrected: months make it inexact by a few
 * days.  What lies before the first grant, by a clock that went back, counts to the first period.
 */
bool
dpriv_budget_period(const DprivBudget *budget, TimestampTz now, TimestampTz *start,
					TimestampTz *end)
{
	const Interval *period = &budget->period;
	double		length;
	int64		number = 0;

	if (!budget->has_period)
		return false;
	length = (double) period->time + (double) USECS_PER_DAY *
		(period->day + period->month * (DAYS_PER_YEAR / MONTHS_PER_YEAR));
	if (!(length > 0))
		elog(ERROR, "unexpected period of a budget");
	if (now > budget->granted_at)
		number = (int64) (((double) now - (double) budget->granted_at) / length);
	*start = period_start(budget, number);
	while (*start > now && number > 0)
		*start = period_start(budget, --number);
	*end = period_start(budget, number + 1);
	while (*end <= now)
	{
		CHECK_FOR_INTERRUPTS();
		*start = *end;
		*end = period_start(budget, ++number + 1);
	}
	return true;
}

/*
 * Messages
 */

static char *
relation_name(Oid relation)
{
	char	   *name = get_rel_name(relation);
	char	   *schema = name ? get_namespace_name(get_rel_namespace(relation)) : NULL;

	return schema ? quote_qualified_identifier(schema, name) : psprintf("with OID %u", relation);
}

char *
dpriv_budget_name(const DprivBudget *budget)
{
	char	   *on = "all relations";
	char	   *role;

	if (OidIsValid(budget->relation))
		on = psprintf("table %s", relation_name(budget->relation));
	switch (budget->kind)
	{
		case DPRIV_BUDGET_CAP:
			return psprintf("cap on %s", on);
		case DPRIV_BUDGET_PUBLIC:
			return psprintf("budget of PUBLIC on %s", on);
		case DPRIV_BUDGET_MARK:
			return pstrdup("mark of budgets");
		case DPRIV_BUDGET_ROLE:
			break;
	}
	role = GetUserNameFromId(budget->grantee, true);
	return psprintf("budget of role \"%s\" on %s",
					role ? role : psprintf("%u", budget->grantee), on);
}

/*
 * Ends
 */

/* The grantees of a relation's budgets, or the relations of a role's, each once. */
static List *
counterparts_of(Relation rel, Oid index, Oid relation, Oid grantee)
{
	List	   *found = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (OidIsValid(relation))
		ScanKeyInit(&key, Anum_dpriv_budget_relation, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(relation));
	else
		ScanKeyInit(&key, Anum_dpriv_budget_grantee, BTEqualStrategyNumber, F_OIDEQ,
					ObjectIdGetDatum(grantee));
	scan = systable_beginscan(rel, index, OidIsValid(relation), NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		DprivBudget *budget = dpriv_budget_read(tuple, RelationGetDescr(rel));

		found = list_append_unique_oid(found, OidIsValid(relation) ? budget->grantee :
									   budget->relation);
	}
	systable_endscan(scan);
	return found;
}

static void
delete_budgets(Relation rel, Oid index, Oid relation, Oid grantee)
{
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	dpriv_budget_lock_terms(relation, grantee);
	init_keys(key, relation, grantee);
	scan = systable_beginscan(rel, index, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		CatalogTupleDelete(rel, &tuple->t_self);
	systable_endscan(scan);
	CacheInvalidateRelcache(rel);
}

/*
 * Called for every object that is dropped, also for those of the extension itself while it goes:
 * without the table or its index there is nothing to do.  What is dropped is locked, so nobody
 * grants anything on it meanwhile.
 */
void
dpriv_budget_dropped(Oid class_id, Oid object_id)
{
	Oid			relation = class_id == RelationRelationId ? object_id : InvalidOid;
	Oid			grantee = class_id == AuthIdRelationId ? object_id : InvalidOid;
	Oid			table = dpriv_relation(DPRIV_TABLE_BUDGET);
	Oid			index = dpriv_relation(DPRIV_INDEX_BUDGET);
	List	   *found;
	Relation	rel;
	ListCell   *lc;

	if (!OidIsValid(table) || !OidIsValid(index) || object_id == table || object_id == index)
		return;
	rel = try_relation_open(table, AccessShareLock);
	if (rel == NULL)
		return;
	found = counterparts_of(rel, index, relation, grantee);
	if (found != NIL)
		LockRelationOid(table, RowExclusiveLock);
	foreach(lc, found)
	{
		if (OidIsValid(relation))
			delete_budgets(rel, index, relation, lfirst_oid(lc));
		else
			delete_budgets(rel, index, lfirst_oid(lc), grantee);
	}
	relation_close(rel, AccessShareLock);
}
