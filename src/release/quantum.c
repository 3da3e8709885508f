/*
 * quantum.c
 *	  Releases that end in steps of time.
 *
 * How long it takes to read rows tells of them, so neither an answer nor an error may come before
 * the end of a step.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "config.h"
#include "miscadmin.h"
#include "release/quantum.h"
#include "release/seal.h"
#include "storage/lwlock.h"
#include "utils/timestamp.h"

/* Asleep without a wait event: pg_stat_activity would show from when on. */
static void
wait_for_step(TimestampTz began, int64 quantum)
{
	int64		passed = Max(GetCurrentTimestamp() - began, 0);
	TimestampTz until = began + (passed / quantum + 1) * quantum;

	for (;;)
	{
		int64		left = until - GetCurrentTimestamp();

		CHECK_FOR_INTERRUPTS();
		if (left <= 0 || left > quantum)	/* or the clock was set back */
			break;
		pg_usleep(Min(left, 10000));
	}
}

/*
 * What the end of the (sub)transaction would do first, done now: others may wait for what is held,
 * and workers that failed as well have messages that are not for the client.
 */
static void
stop_work(void)
{
	LWLockReleaseAll();
	AtEOSubXact_Parallel(false, GetCurrentSubTransactionId());
}

void
dpriv_in_steps(void (*work) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	int64		quantum = dpriv_setting_time_quantum * INT64CONST(1000);
	TimestampTz began = GetCurrentTimestamp();
	ErrorData  *error = NULL;

	if (quantum == 0)
	{
		work(arg);
		return;
	}
	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (dpriv_is_interrupt(error))
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	if (error)
		stop_work();
	wait_for_step(began, quantum);
	if (error)
		ReThrowError(error);
}
