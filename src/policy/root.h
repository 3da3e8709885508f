/*
 * root.h
 *	  The protected relation that rows of another belong to.
 */
#ifndef DPRIV_ROOT_H
#define DPRIV_ROOT_H

#include "nodes/pg_list.h"

extern void dpriv_root_init(void);

/*
 * The protected relation that the rows of this one belong to: the topmost parent, of partitions or
 * inheritance, that is protected, or the relation itself; of a TOAST table that of its table.  Of
 * several, one.  InvalidOid if there is none, or no such relation.  Remembered until anything
 * changes.
 */
extern Oid	dpriv_protected_root(Oid relation);

/* Another number once a relation, or the extension, may have changed. */
extern uint64 dpriv_root_changes(void);

/* The table that a TOAST table was made for; InvalidOid if it cannot be found. */
extern Oid	dpriv_table_of_toast(Oid toast);

/* The relation's parents, by OID; of a partition it is one. */
extern List *dpriv_parents(Oid relation);

#endif							/* DPRIV_ROOT_H */
