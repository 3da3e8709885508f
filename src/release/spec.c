/*
 * spec.c
 *	  Packed form of a ReleaseSpec: lists of nodes, for CustomScan.custom_private.
 */
#include "postgres.h"

#include "nodes/value.h"
#include "release/spec.h"

#define integer(list, n) intVal(list_nth(list, n))

static List *
pack_key(const ReleaseGroupKey *key)
{
	return list_make4(list_make2(makeInteger(key->typmod), makeInteger(key->public)),
					  list_make3_oid(key->type, key->collation, key->less),
					  makeString(key->name),
					  key->values);
}

static ReleaseGroupKey *
unpack_key(List *packed)
{
	ReleaseGroupKey *key = palloc0(sizeof(ReleaseGroupKey));
	List	   *numbers = linitial(packed);
	List	   *oids = lsecond(packed);

	key->typmod = integer(numbers, 0);
	key->public = integer(numbers, 1);
	key->type = linitial_oid(oids);
	key->collation = lsecond_oid(oids);
	key->less = lthird_oid(oids);
	key->name = strVal(lthird(packed));
	key->values = lfourth(packed);
	return key;
}

static List *
pack_measure(const ReleaseMeasure *measure)
{
	return list_make5(lappend(list_make5(makeInteger(measure->kind),
										 makeInteger(measure->integral),
										 makeInteger(measure->exact_column),
										 makeInteger(measure->parameter),
										 makeInteger(measure->counts_rows)),
							  makeInteger(measure->called)),
					  list_make2_oid(measure->parameter_type, measure->labels_of),
					  measure->aggref,
					  list_make2(measure->epsilon, measure->delta),
					  measure->arguments);
}

static ReleaseMeasure *
unpack_measure(List *packed)
{
	ReleaseMeasure *measure = palloc0(sizeof(ReleaseMeasure));
	List	   *numbers = linitial(packed);

	measure->kind = integer(numbers, 0);
	measure->integral = integer(numbers, 1);
	measure->exact_column = integer(numbers, 2);
	measure->parameter = integer(numbers, 3);
	measure->counts_rows = integer(numbers, 4);
	measure->called = integer(numbers, 5);
	measure->parameter_type = linitial_oid((List *) lsecond(packed));
	measure->labels_of = lsecond_oid((List *) lsecond(packed));
	measure->aggref = lthird(packed);
	measure->epsilon = linitial((List *) lfourth(packed));
	measure->delta = lsecond((List *) lfourth(packed));
	measure->arguments = list_nth(packed, 4);
	return measure;
}

static List *
pack_column(const ReleaseColumn *column)
{
	return list_make3(list_make3(makeInteger(column->kind),
								 makeInteger(column->index),
								 makeInteger(column->typmod)),
					  list_make2_oid(column->type, column->collation),
					  column->confidence);
}

static ReleaseColumn *
unpack_column(List *packed)
{
	ReleaseColumn *column = palloc0(sizeof(ReleaseColumn));
	List	   *numbers = linitial(packed);
	List	   *oids = lsecond(packed);

	column->kind = integer(numbers, 0);
	column->index = integer(numbers, 1);
	column->typmod = integer(numbers, 2);
	column->type = linitial_oid(oids);
	column->collation = lsecond_oid(oids);
	column->confidence = lthird(packed);
	return column;
}

List *
dpriv_spec_pack(const ReleaseSpec *spec)
{
	List	   *keys = NIL;
	List	   *measures = NIL;
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, spec->keys)
		keys = lappend(keys, pack_key(lfirst(lc)));
	foreach(lc, spec->measures)
		measures = lappend(measures, pack_measure(lfirst(lc)));
	foreach(lc, spec->columns)
		columns = lappend(columns, pack_column(lfirst(lc)));
	return list_make5(spec->inner,
					  list_make3(list_make5(makeInteger(spec->source),
											makeInteger(spec->nparameters),
											makeInteger(spec->empty), makeInteger(spec->selected),
											makeInteger(spec->rows_column)),
								 list_make1_oid(spec->relation),
								 spec->row_parameters),
					  keys,
					  measures,
					  columns);
}

ReleaseSpec *
dpriv_spec_unpack(List *packed)
{
	ReleaseSpec *spec = palloc0(sizeof(ReleaseSpec));
	List	   *numbers = linitial((List *) lsecond(packed));
	ListCell   *lc;

	spec->relation = linitial_oid((List *) lsecond((List *) lsecond(packed)));
	spec->inner = linitial_node(PlannedStmt, packed);
	spec->row_parameters = lthird((List *) lsecond(packed));
	spec->source = integer(numbers, 0);
	spec->nparameters = integer(numbers, 1);
	spec->empty = integer(numbers, 2);
	spec->selected = integer(numbers, 3);
	spec->rows_column = integer(numbers, 4);
	foreach(lc, (List *) lthird(packed))
		spec->keys = lappend(spec->keys, unpack_key(lfirst(lc)));
	foreach(lc, (List *) lfourth(packed))
		spec->measures = lappend(spec->measures, unpack_measure(lfirst(lc)));
	foreach(lc, (List *) list_nth(packed, 4))
		spec->columns = lappend(spec->columns, unpack_column(lfirst(lc)));
	return spec;
}
