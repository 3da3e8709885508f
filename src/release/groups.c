/*
 * groups.c
 *	  The groups of a release: every combination of the public values of its keys.
 *
 * Which groups come back, and in which order, depends on the types of the keys and on what is
 * declared of them alone.
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
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static List *
labels_of(Oid type)
{
	Relation	rel = table_open(EnumRelationId, AccessShareLock);
	Relation	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	List	   *labels = NIL;
	ScanKeyData scankey;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&scankey, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(rel, index, NULL, 1, &scankey);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		CHECK_FOR_INTERRUPTS();
		labels = lappend_oid(labels, ((Form_pg_enum) GETSTRUCT(tuple))->oid);
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(rel, AccessShareLock);
	return labels;
}

/* All values of the type: those of boolean, or the labels of an enum in their order. */
static void
read_type(Oid type, DprivDomain *domain)
{
	List	   *labels = NIL;
	ListCell   *lc;

	if (type == BOOLOID)
	{
		dpriv_domain_begin(domain, type, 2);
		domain->value[domain->nvalues++] = BoolGetDatum(false);
		domain->value[domain->nvalues++] = BoolGetDatum(true);
		return;
	}
	labels = labels_of(type);
	dpriv_domain_begin(domain, type, list_length(labels));
	foreach(lc, labels)
		domain->value[domain->nvalues++] = ObjectIdGetDatum(lfirst_oid(lc));
}

static void
read_declared(const Const *values, DprivDomain *domain)
{
	ArrayType  *array = DatumGetArrayTypeP(values->constvalue);

	dpriv_domain_begin(domain, ARR_ELEMTYPE(array), 0);
	deconstruct_array(array, domain->type, domain->typlen, domain->typbyval, domain->typalign,
					  &domain->value, NULL, &domain->nvalues);
}

bool
dpriv_groups_are_public(Oid type)
{
	type = getBaseType(type);
	return type == BOOLOID || type_is_enum(type);
}

ArrayType *
dpriv_groups_labels(Oid type)
{
	DprivDomain domain;

	read_type(type, &domain);
	return dpriv_domain_labels(&domain);
}

ReleaseGroups *
dpriv_groups_make(List *keys)
{
	ReleaseGroups *groups = palloc0(sizeof(ReleaseGroups));
	ListCell   *lc;

	groups->nkeys = list_length(keys);
	groups->keys = palloc0(sizeof(DprivDomain) * groups->nkeys);
	groups->ngroups = 1;
	foreach(lc, keys)
	{
		const ReleaseGroupKey *from = lfirst(lc);
		DprivDomain *key = &groups->keys[foreach_current_index(lc)];

		if (from->values)
			read_declared(from->values, key);
		else
			read_type(getBaseType(from->type), key);
		if (groups->ngroups > DPRIV_MAX_GROUPS / (key->nvalues + 1))
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a private release cannot have so many groups"),
					 errdetail("Every combination of the keys' values comes back; at most %d are "
							   "allowed.",
							   DPRIV_MAX_GROUPS),
					 errhint("Group by fewer keys.")));
		groups->ngroups *= key->nvalues + 1;
		(void) dpriv_domain_end(key);
	}
	return groups;
}

int
dpriv_groups_find(const ReleaseGroups *groups, const Datum *value, const bool *isnull)
{
	int			group = 0;

	for (int i = 0; i < groups->nkeys; i++)
	{
		const DprivDomain *key = &groups->keys[i];
		int			at = isnull[i] ? key->nvalues : dpriv_domain_find(key, value[i]);

		if (at < 0)
			return -1;
		group = group * (key->nvalues + 1) + at;
	}
	return group;
}

void
dpriv_groups_values(const ReleaseGroups *groups, int group, Datum *value, bool *isnull)
{
	for (int i = groups->nkeys - 1; i >= 0; i--)
	{
		const DprivDomain *key = &groups->keys[i];
		int			at = group % (key->nvalues + 1);

		group /= key->nvalues + 1;
		isnull[i] = at == key->nvalues;
		value[i] = isnull[i] ? (Datum) 0 : key->value[at];
	}
}
