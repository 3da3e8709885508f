/*
 * bypass.h
 *	  Ways to rows that lead past their table: built-in functions, and catalogs that hold values.
 */
#ifndef DPRIV_BYPASS_H
#define DPRIV_BYPASS_H

#include "nodes/pg_list.h"

/*
 * Before a function is called: refuse one that reads rows of a table by itself, where tables are
 * protected.  Error: 42501.
 */
extern void dpriv_guard_function(Oid function);

/*
 * Before a statement reads relations (a list of DprivPermission): refuse those that hold values of
 * rows of all tables, where tables are protected.  Returns false for an error, 42501, if raise is
 * false.
 */
extern bool dpriv_guard_permissions(List *permissions, bool raise);

#endif							/* DPRIV_BYPASS_H */
