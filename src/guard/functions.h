/*
 * functions.h
 *	  Built-in functions that read rows without a query.
 */
#ifndef DPRIV_FUNCTIONS_H
#define DPRIV_FUNCTIONS_H

/*
 * Before a function is called: refuse one that reads rows of a table by itself, where tables are
 * protected.  Error: 42501.
 */
extern void dpriv_guard_function(Oid function);

#endif							/* DPRIV_FUNCTIONS_H */
