/*
 * hints.h
 *	  What to write in place of a function that is not allowed on private rows.
 */
#ifndef DPRIV_HINTS_H
#define DPRIV_HINTS_H

/* A sentence or two for errhint(). */
extern const char *dpriv_guard_hint(Oid function);

#endif							/* DPRIV_HINTS_H */
