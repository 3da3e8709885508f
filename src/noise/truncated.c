/*
 * truncated.c
 *	  Discrete Laplace noise that never exceeds a limit: exact draws.
 *
 * Drawn until it lies within the limit, so that nothing is rounded.  From the whole distribution a
 * draw does with probability 1 - 2 t^(limit + 1) / (1 + t).  For a limit below the scale, where
 * that is small, the draws are uniform within the limit and x is accepted with probability t^|x|,
 * which is at least 1 / e.
 */
#include "server.h"

#include "noise/bernoulli.h"
#include "noise/random.h"
#include "noise/truncated.h"

int64
dpriv_truncated_draw(const DprivLaplace *laplace, int64 limit)
{
	Assert(limit >= 0 && limit <= DPRIV_TRUNCATED_MAX_LIMIT);

	if ((uint128) limit * laplace->den > laplace->num)
	{
		for (;;)
		{
			int64		x = dpriv_laplace_draw(laplace);

			if (x >= -limit && x <= limit)
				return x;
			CHECK_FOR_INTERRUPTS();
		}
	}
	for (;;)
	{
		int64		x = (int64) dpriv_random_below_u64(2 * (uint64) limit + 1) - limit;
		uint128		distance = (uint128) (x < 0 ? -x : x);

		if (dpriv_bernoulli_exp(distance * laplace->den, laplace->num))
			return x;
		CHECK_FOR_INTERRUPTS();
	}
}
