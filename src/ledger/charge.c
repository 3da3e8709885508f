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
#include "accounting/epsilon.h"
#include "common/int.h"
#include "config.h"
#include "fmgr.h"
#include "ledger/charge.h"

static int64 session_spent = 0;

/* The setting in units; its range keeps the product far below int64. */
static int64
session_budget(void)
{
	if (dpriv_setting_session_budget < 0)
		return PG_INT64_MAX;
	return (int64) rint(dpriv_setting_session_budget * DPRIV_EPSILON_UNIT_PER_ONE);
}

int64
dpriv_charge_add(int64 a, int64 b)
{
	int64		sum;

	return pg_add_s64_overflow(a, b, &sum) ? PG_INT64_MAX : sum;
}

void
dpriv_charge(int64 epsilon)
{
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
	if (epsilon > session_budget() - session_spent)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("session budget exhausted"),
				 errdetail("The statement costs epsilon %g; %g of %g are left in this session.",
						   dpriv_epsilon_to_double(epsilon),
						   dpriv_epsilon_to_double(Max(session_budget() - session_spent, 0)),
						   dpriv_setting_session_budget),
				 errhint("Ask for less with a smaller epsilon, or have a superuser raise "
						 "dpriv.session_budget.")));
	session_spent = dpriv_charge_add(session_spent, epsilon);
}

PG_FUNCTION_INFO_V1(dpriv_session_spent_epsilon);

/* dpriv.session_spent() returns float8. */
Datum
dpriv_session_spent_epsilon(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(dpriv_epsilon_to_double(session_spent));
}
