/*
 * groups.c
 *	  The groups of a release: every combination of the public values of its keys.
 *
 * Which groups come back, and in which order, depends on the types of the keys alone.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "release/groups.h"
#include "release/spec.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static void
read_labels(Oid type, ReleaseKey *key)
{
	Relation	rel = table_open(EnumRelationId, AccessShareLock);
	Relation	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	int			allocated = 32;
	ScanKeyData scankey;
	SysScanDesc scan;
	HeapTuple	tuple;

	key->is_enum = true;
	key->labels = palloc(sizeof(Oid) * allocated);
	ScanKeyInit(&scankey, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(rel, index, NULL, 1, &scankey);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		CHECK_FOR_INTERRUPTS();
		if (key->nvalues == allocated)
		{
			allocated *= 2;
			key->labels = repalloc(key->labels, sizeof(Oid) * allocated);
		}
		key->labels[key->nvalues++] = ((Form_pg_enum) GETSTRUCT(tuple))->oid;
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(rel, AccessShareLock);
}

bool
dpriv_groups_are_public(Oid type)
{
	type = getBaseType(type);
	return type == BOOLOID || type_is_enum(type);
}

ReleaseGroups *
dpriv_groups_make(List *keys)
{
	ReleaseGroups *groups = palloc0(sizeof(ReleaseGroups));
	ListCell   *lc;

	groups->nkeys = list_length(keys);
	groups->keys = palloc0(sizeof(ReleaseKey) * groups->nkeys);
	groups->ngroups = 1;
	foreach(lc, keys)
	{
		ReleaseKey *key = &groups->keys[foreach_current_index(lc)];
		Oid			type = getBaseType(((ReleaseGroupKey *) lfirst(lc))->type);

		if (type == BOOLOID)
			key->nvalues = 2;
		else
			read_labels(type, key);
		if (groups->ngroups > DPRIV_MAX_GROUPS / (key->nvalues + 1))
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a private release cannot have so many groups"),
					 errdetail("Every combination of the keys' values comes back; at most %d are "
							   "allowed.",
							   DPRIV_MAX_GROUPS),
					 errhint("Group by fewer keys.")));
		groups->ngroups *= key->nvalues + 1;
	}
	return groups;
}

static int
position(const ReleaseKey *key, Datum value, bool isnull)
{
	if (isnull)
		return key->nvalues;
	if (!key->is_enum)
		return DatumGetBool(value) ? 1 : 0;
	for (int i = 0; i < key->nvalues; i++)
		if (key->labels[i] == DatumGetObjectId(value))
			return i;
	return -1;
}

int
dpriv_groups_find(const ReleaseGroups *groups, const Datum *value, const bool *isnull)
{
	int			group = 0;

	for (int i = 0; i < groups->nkeys; i++)
	{
		int			at = position(&groups->keys[i], value[i], isnull[i]);

		if (at < 0)
			return -1;
		group = group * (groups->keys[i].nvalues + 1) + at;
	}
	return group;
}

void
dpriv_groups_values(const ReleaseGroups *groups, int group, Datum *value, bool *isnull)
{
	for (int i = groups->nkeys - 1; i >= 0; i--)
	{
		const ReleaseKey *key = &groups->keys[i];
		int			at = group % (key->nvalues + 1);

		group /= key->nvalues + 1;
		isnull[i] = at == key->nvalues;
		if (isnull[i])
			value[i] = (Datum) 0;
		else
			value[i] = key->is_enum ? ObjectIdGetDatum(key->labels[at]) : BoolGetDatum(at == 1);
	}
}
