/*
 * protect.h
 *	  Changing what is protected.
 */
#ifndef DPRIV_PROTECT_H
#define DPRIV_PROTECT_H

#include "nodes/pg_list.h"
#include "policy/label.h"

/*
 * Refuse a parent of members that is neither one of them nor a part of the protected relation root.
 * Members are a relation and all of its descendants, locked.
 */
extern void dpriv_check_parents(List *members, Oid root);

/*
 * The same, and refuse what cannot be protected as a part of root: its kind, its owner, or that it
 * is not the user's to change.
 */
extern void dpriv_check_members(List *members, Oid root, List *trusted);

/*
 * Give members everything that makes them protected, as far as it is missing.  The user must own
 * them.  Checked before.
 */
extern void dpriv_protect_members(List *members, const DprivLabel *label, List *trusted);

#endif							/* DPRIV_PROTECT_H */
