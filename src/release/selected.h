/*
 * selected.h
 *	  Releases whose groups are chosen among those that the rows have.
 */
#ifndef DPRIV_SELECTED_H
#define DPRIV_SELECTED_H

#include "release/node.h"

/*
 * How groups are chosen in this execution, once the measures are resolved; into *state.  Errors:
 * 0A000 without delta, 22023 for an epsilon out of range.
 */
extern void dpriv_selected_resolve(ReleaseState *state);

/* Run the inner plan and put the rows of the groups that are kept into rows, in key order. */
extern void dpriv_selected_release(ReleaseState *state, Tuplestorestate *rows);

#endif							/* DPRIV_SELECTED_H */
