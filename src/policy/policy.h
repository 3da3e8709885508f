/*
 * policy.h
 *	  Which relations are protected, and from whom.
 */
#ifndef DPRIV_POLICY_H
#define DPRIV_POLICY_H

#include "nodes/nodes.h"
#include "nodes/pg_list.h"

extern void dpriv_policy_init(void);

/*
 * Is anything protected in this database?  Cheap, for statements that have nothing to do with it:
 * no memory of a session says "no" once another has committed a protection and this one has heard
 * of it.  True may be out of date.
 */
extern bool dpriv_anything_protected(void);

/*
 * The protected relation that the rows of this one belong to: the topmost parent, of partitions or
 * inheritance, that is protected, or the relation itself; of a TOAST table that of its table.  Of
 * several, one.  InvalidOid if there is none, or no such relation.  Remembered until anything
 * changes.
 */
extern Oid	dpriv_protected_root(Oid relation);

/* The table that a TOAST table was made for; InvalidOid if it cannot be found. */
extern Oid	dpriv_table_of_toast(Oid toast);

/*
 * Must this role see the rows of the relation through releases only?  So it is if the relation is
 * protected, and the role is neither its owner (or a member of that role), nor trusted (or a member
 * of a trusted role), nor a superuser, nor exempt from row-level security.
 */
extern bool dpriv_is_restricted(Oid relation, Oid role);

/* Is there a relation that this role is restricted on?  Remembered until anything changes. */
extern bool dpriv_is_restricted_anywhere(Oid role);

/*
 * An error if a protected relation lacks a part of its protection: its label, the guard's policy,
 * row-level security in force.  A restore without the library ends so.  Errors: 55000.
 */
extern void dpriv_check_policy(Oid relation);

/* The same without an error: what is missing, as a sentence, or NULL. */
extern const char *dpriv_policy_problem(Oid relation);

/*
 * Is this the guard's qual, or nothing but several of them joined by AND?  Of elements of
 * securityQuals.
 */
extern bool dpriv_is_guard_qual(Node *qual);

/* Was the library loaded when the server started, and so in every session? */
extern bool dpriv_preloaded(void);

/*
 * Roles that are trusted with the rows of a relation, by OID; NIL if its policies are not in force.
 */
extern List *dpriv_trusted_roles(Oid relation);

/* The relation's parents, by OID; of a partition it is one. */
extern List *dpriv_parents(Oid relation);

/* Names of the policies on a protected relation. */
#define DPRIV_POLICY_GUARD "dpriv_guard"	/* its qual is the guard */
#define DPRIV_POLICY_TRUSTED "dpriv_trusted"	/* a list of roles; it filters nothing */
#define DPRIV_POLICY_PERMIT "dpriv_permit"	/* permits all rows where the table has no policies */

#endif							/* DPRIV_POLICY_H */
