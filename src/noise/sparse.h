/*
 * sparse.h
 *	  Exact choice of the first of many numbers that is below a threshold.
 */
#ifndef DPRIV_SPARSE_H
#define DPRIV_SPARSE_H

#include "noise/laplace.h"

/*
 * The number of the first i < n for which query[i] - Y_i < limit - X, or n if there is none: X is a
 * geometric draw of "limit_noise", the Y_i are draws of "query_noise", all independent.
 *
 * With scales D / e1 and D / e2 the answer is (e1 + e2)-DP if a neighbour moves all queries in the
 * same direction and none by more than D steps, whatever n is; see sparse.c.  Queries and limit
 * are smaller than 2^120 in size.
 */
extern int	dpriv_sparse_first_below(const int128 *query, int n, int128 limit,
									 const DprivLaplace *limit_noise,
									 const DprivLaplace *query_noise);

#endif							/* DPRIV_SPARSE_H */
