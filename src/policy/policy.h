/*
 * policy.h
 *	  Which relations are protected, and from whom.
 */
#ifndef DPRIV_POLICY_H
#define DPRIV_POLICY_H

extern void dpriv_policy_init(void);

/*
 * Is anything protected in this database?  Cheap, for statements that have nothing to do with it:
 * no memory of a session says "no" once another has committed a protection and this one has heard
 * of it.  True may be out of date.
 */
extern bool dpriv_anything_protected(void);

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

/* Was the library loaded when the server started, and so in every session? */
extern bool dpriv_preloaded(void);

#endif							/* DPRIV_POLICY_H */
