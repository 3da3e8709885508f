/*
 * guard_policy.h
 *	  The policies of a protected relation: the guard's, and the one that names who is trusted.
 */
#ifndef DPRIV_GUARD_POLICY_H
#define DPRIV_GUARD_POLICY_H

#include "nodes/nodes.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"

/* Names of the policies on a protected relation. */
#define DPRIV_POLICY_GUARD "dpriv_guard"	/* its qual is the guard */
#define DPRIV_POLICY_TRUSTED "dpriv_trusted"	/* a list of roles; it filters nothing */
#define DPRIV_POLICY_PERMIT "dpriv_permit"	/* permits all rows where the table has no policies */

/*
 * Is this the guard's qual, or nothing but several of them joined by AND?  Of elements of
 * securityQuals.
 */
extern bool dpriv_is_guard_qual(Node *qual);

/* Does the guard, for this relation, keep everybody from reading rows whom it refuses? */
extern bool dpriv_has_guard_policy(Relation rel);

/*
 * Roles that are trusted with the rows of a relation, by OID; NIL if its policies are not in force.
 */
extern List *dpriv_trusted_roles(Oid relation);

#endif							/* DPRIV_GUARD_POLICY_H */
