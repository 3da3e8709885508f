/*
 * risks.h
 *	  What lets roles get around a protection.
 */
#ifndef DPRIV_RISKS_H
#define DPRIV_RISKS_H

#include "nodes/pg_list.h"

/*
 * What dpriv.protection_risks() finds, for dpriv_warn_of_risks().  What is not compatible with a
 * protection at all is an error.  Errors: 55000.
 */
extern List *dpriv_find_risks(Oid relation);

/* A warning for each. */
extern void dpriv_warn_of_risks(Oid relation, List *risks);

#endif							/* DPRIV_RISKS_H */
