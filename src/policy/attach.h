/*
 * attach.h
 *	  Children and partitions that a protected relation gets or loses.
 */
#ifndef DPRIV_ATTACH_H
#define DPRIV_ATTACH_H

#include "nodes/parsenodes.h"
#include "tcop/utility.h"

extern void dpriv_attach_init(void);

/* To be called when a relation is made a child of another, or no longer is. */
extern void dpriv_attach_changed(Oid child);

/*
 * To be called after a utility statement has been executed.  New children of protected relations
 * are protected, or the statement fails; a protected relation with a parent that is not fails too.
 * Warns if the statement has broken a protection.  statement: NULL if it may be gone.
 */
extern void dpriv_attach_after_utility(Node *statement, ProcessUtilityContext context);

#endif							/* DPRIV_ATTACH_H */
