/*
 * sparse.c
 *	  Exact choice of the first of many numbers that is below a threshold.
 *
 * This is AboveThreshold, the sparse vector technique with one answer (Dwork and Roth, "The
 * Algorithmic Foundations of Differential Privacy", 2014, algorithm 1), for queries that all move
 * in the same direction (Lyu, Su, Li, "Understanding the Sparse Vector Technique for Differential
 * Privacy", 2017, theorem 5).  The argument needs each kind of noise in one direction only, so both
 * are geometric instead of Laplace, which halves their variance:
 *
 * Let the queries of the larger table be q_i + d_i, 0 <= d_i <= D.  An answer k < n says that,
 * given X = x, q_i - Y_i >= limit - x for all i < k, and q_k - Y_k < limit - x.
 *
 * From the smaller table to the larger one, with the same x: the first events only become likelier,
 * and P[Y_k > q_k - limit + x] is at most e^(e2 d_k / D) times P[Y_k > q_k + d_k - limit + x],
 * because P[Y > y + d] >= e^(-e2 d / D) P[Y > y] for all y.  The loss is at most e2.
 *
 * From the larger table to the smaller one, x becomes x + D: P[X = x] is e^e1 P[X = x + D], and all
 * x + D are possible.  The first events become likelier, as q_i + d_i - Y_i >= limit - x implies
 * q_i - Y_i >= limit - (x + D).  P[Y_k > q_k + d_k - limit + x] is at most e^(e2 (D - d_k) / D)
 * times P[Y_k > q_k - limit + x + D].  The loss is at most e1 + e2.
 *
 * The answer n has the first events alone.
 */
#include "server.h"

#include "noise/sparse.h"

int
dpriv_sparse_first_below(const int128 *query, int n, int128 limit, const DprivLaplace *limit_noise,
						 const DprivLaplace *query_noise)
{
	int			i = 0;

	limit -= dpriv_geometric_draw(limit_noise);
	while (i < n && query[i] - dpriv_geometric_draw(query_noise) >= limit)
	{
		CHECK_FOR_INTERRUPTS();
		i++;
	}
	return i;
}
