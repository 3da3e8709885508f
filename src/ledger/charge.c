/*
 * charge.c
 *	  The one place where releases are paid for.
 *
 * What is spent is never given back: the total is plain memory of the session, out of reach of
 * ROLLBACK, savepoints and errors.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "access/xlog.h"
#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "common/int.h"
#include "config.h"
#include "fmgr.h"
#include "ledger/charge.h"

static DprivCharge session_spent = {0, 0};

/*
 * The settings in units; the range of the first keeps the product far below int64.  Without a cap
 * on epsilon there is none on delta; with one, delta needs a cap of its own to be spent at all: who
 * caps epsilon alone means pure differential privacy.
 */
static DprivCharge
session_budget(void)
{
	DprivCharge budget = {PG_INT64_MAX, 0};
	double		delta = dpriv_setting_session_budget_delta;

	if (dpriv_setting_session_budget >= 0)
		budget.epsilon = (int64) rint(dpriv_setting_session_budget * DPRIV_EPSILON_UNIT_PER_ONE);
	if (delta >= 0)
		budget.delta = dpriv_delta_from_budget(delta);
	else if (dpriv_setting_session_budget < 0)
		budget.delta = DPRIV_DELTA_LARGEST;
	return budget;
}

DprivCharge
dpriv_charge_add(DprivCharge a, DprivCharge b)
{
	DprivCharge sum;

	if (pg_add_s64_overflow(a.epsilon, b.epsilon, &sum.epsilon))
		sum.epsilon = PG_INT64_MAX;
	sum.delta = dpriv_delta_add(a.delta, b.delta);
	return sum;
}

void
dpriv_charge(DprivCharge charge)
{
	DprivCharge budget = session_budget();

	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("private releases cannot run during recovery"),
				 errdetail("What a release costs cannot be recorded here."),
				 errhint("Send the query to the primary server.")));
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("private releases cannot run in a serializable transaction"),
				 errdetail("Predicate locks would show which rows were read."),
				 errhint("Use isolation level REPEATABLE READ or READ COMMITTED.")));
	if (charge.epsilon > budget.epsilon - session_spent.epsilon)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("session budget exhausted"),
				 errdetail("The statement costs epsilon %g; %g of %g are left in this session.",
						   dpriv_epsilon_to_double(charge.epsilon),
						   dpriv_epsilon_to_double(Max(budget.epsilon - session_spent.epsilon, 0)),
						   dpriv_setting_session_budget),
				 errhint("Ask for less with a smaller epsilon, or have a superuser raise "
						 "dpriv.session_budget.")));
	if (charge.delta > 0 && charge.delta > budget.delta - session_spent.delta)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("session budget of delta exhausted"),
				 errdetail("The statement costs delta %g; %g of %g are left in this session.",
						   dpriv_delta_to_double(charge.delta),
						   dpriv_delta_to_double(Max(budget.delta - session_spent.delta, 0)),
						   dpriv_delta_to_double(budget.delta)),
				 errhint("Use Laplace noise and group keys with public values, which cost no "
						 "delta, or have a superuser raise dpriv.session_budget_delta.")));
	session_spent = dpriv_charge_add(session_spent, charge);
}

PG_FUNCTION_INFO_V1(dpriv_session_spent_epsilon);

/* dpriv.session_spent() returns float8. */
Datum
dpriv_session_spent_epsilon(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_epsilon_to_double(session_spent.epsilon));
}

PG_FUNCTION_INFO_V1(dpriv_session_spent_delta);

/* dpriv.session_spent_delta() returns float8. */
Datum
dpriv_session_spent_delta(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_delta_to_double(session_spent.delta));
}
