/*
 * arguments.h
 *	  Arguments of the functions that change what is known of a relation.
 */
#ifndef DPRIV_ARGUMENTS_H
#define DPRIV_ARGUMENTS_H

#include "fmgr.h"
#include "storage/lockdefs.h"

/* function: its name, without the schema.  Error: 22004. */
extern void dpriv_refuse_null(const char *function, const char *name, const char *hint);

/* An error if the user is not the relation's owner; detail says what that one decides. */
extern void dpriv_require_owner(Oid relation, const char *detail);

/*
 * The first argument: a relation of the user's, locked until the end of the transaction.  The
 * function changes it, so it is refused where nothing can be changed.  Errors: 22004, 42P01, 42501,
 * 25006.
 */
extern Oid	dpriv_read_relation(FunctionCallInfo fcinfo, const char *function, LOCKMODE mode,
								const char *detail);

#endif							/* DPRIV_ARGUMENTS_H */
