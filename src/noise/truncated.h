/*
 * truncated.h
 *	  Discrete Laplace noise that never exceeds a limit: exact draws.
 */
#ifndef DPRIV_TRUNCATED_H
#define DPRIV_TRUNCATED_H

#include "noise/laplace.h"

/* Largest limit. */
#define DPRIV_TRUNCATED_MAX_LIMIT (INT64CONST(1) << 40)

/*
 * One draw of the distribution of laplace, given that it lies within -limit .. limit: P[X = x] is
 * proportional to t^|x| there, exactly, and 0 elsewhere.  0 <= limit <= DPRIV_TRUNCATED_MAX_LIMIT.
 */
extern int64 dpriv_truncated_draw(const DprivLaplace *laplace, int64 limit);

#endif							/* DPRIV_TRUNCATED_H */
