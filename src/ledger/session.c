/*
 * session.c
 *	  The budget of a session.
 *
 * What was spent is plain memory of the process, out of reach of ROLLBACK, savepoints and errors.
 */
#include "postgres.h"

#include <math.h>

#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "common/int.h"
#include "config.h"
#include "fmgr.h"
#include "ledger/session.h"

static int64 session_epsilon = 0;
static int128 session_delta = 0;

/*
 * The settings in units; the range of the first keeps the product far below int64.  Without a cap
 * on epsilon there is none on delta; with one, delta needs a cap of its own to be spent at all: who
 * caps epsilon alone means pure differential privacy.
 */
void
dpriv_session_check(const DprivCost *cost)
{
	int64		epsilon = PG_INT64_MAX;
	int128		delta = 0;

	if (dpriv_setting_session_budget >= 0)
		epsilon = (int64) rint(dpriv_setting_session_budget * DPRIV_EPSILON_UNIT_PER_ONE);
	if (dpriv_setting_session_budget_delta >= 0)
		delta = dpriv_delta_from_budget(dpriv_setting_session_budget_delta);
	else if (dpriv_setting_session_budget < 0)
		delta = DPRIV_DELTA_LARGEST;

	if (cost->epsilon > epsilon - session_epsilon)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("session budget exhausted"),
				 errdetail("The statement costs epsilon %g; %g of %g are left in this session.",
						   dpriv_epsilon_to_double(cost->epsilon),
						   dpriv_epsilon_to_double(Max(epsilon - session_epsilon, 0)),
						   dpriv_setting_session_budget),
				 errhint("Ask for less with a smaller epsilon, or have a superuser raise "
						 "dpriv.session_budget.")));
	if (cost->delta_basic > 0 && cost->delta_basic > delta - session_delta)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("session budget of delta exhausted"),
				 errdetail("The statement costs delta %g; %g of %g are left in this session.",
						   dpriv_delta_to_double(cost->delta_basic),
						   dpriv_delta_to_double(Max(delta - session_delta, 0)),
						   dpriv_delta_to_double(delta)),
				 errhint("Use Laplace noise and group keys with public values, which cost no "
						 "delta, or have a superuser raise dpriv.session_budget_delta.")));
}

void
dpriv_session_add(const DprivCost *cost)
{
	if (pg_add_s64_overflow(session_epsilon, cost->epsilon, &session_epsilon))
		session_epsilon = PG_INT64_MAX;
	session_delta = dpriv_delta_add(session_delta, cost->delta_basic);
}

PG_FUNCTION_INFO_V1(dpriv_session_spent_epsilon);

/* dpriv.session_spent() returns float8. */
Datum
dpriv_session_spent_epsilon(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_epsilon_to_double(session_epsilon));
}

PG_FUNCTION_INFO_V1(dpriv_session_spent_delta);

/* dpriv.session_spent_delta() returns float8. */
Datum
dpriv_session_spent_delta(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_delta_to_double(session_delta));
}
