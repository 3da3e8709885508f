/*
 * session.h
 *	  The budget of a session.
 */
#ifndef DPRIV_SESSION_H
#define DPRIV_SESSION_H

#include "accounting/cost.h"

/* Errors: 53400 if the session may not spend this much. */
extern void dpriv_session_check(const DprivCost *cost);

/* It has. */
extern void dpriv_session_add(const DprivCost *cost);

#endif							/* DPRIV_SESSION_H */
