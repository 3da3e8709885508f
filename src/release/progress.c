/*
 * progress.c
 *	  What is being done for whom, and how far it is, for the view dpriv.progress.
 *
 * Every backend has a place of its own in shared memory, which only a preloaded library can have;
 * else nothing is reported.  (Places of the server's own reports are taken: COPY of a training's
 * answer fills the session's.)  What is there never depends on rows but by the time at which it
 * changes, and so nothing but the beginning and the end is reported where dpriv.time_quantum hides
 * times.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "compat.h"
#include "config.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/progress.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

static const char *const command_names[] = {
	[DPRIV_COMMAND_RELEASE] = "release",
	[DPRIV_COMMAND_TRAIN] = "dp_logreg_train",
	[DPRIV_COMMAND_EVALUATE] = "dp_logreg_evaluate",
	[DPRIV_COMMAND_SAMPLE] = "dp_sample_and_aggregate",
};

static const char *const phase_names[] = {
	[DPRIV_PHASE_READING] = "reading rows",
	[DPRIV_PHASE_MEANS] = "means",
	[DPRIV_PHASE_SPREAD] = "spread",
	[DPRIV_PHASE_STANDARDISING] = "standardising",
	[DPRIV_PHASE_STEPS] = "steps",
	[DPRIV_PHASE_NOISE] = "adding noise",
};

/* What a session does. */
typedef struct Progress
{
	int			pid;			/* 0: nothing */
	Oid			role;			/* of the session */
	DprivCommand command;
	TimestampTz started_at;
	bool		has_phase;
	DprivPhase	phase;
	int64		done;
	int64		total;			/* 0: the phase has no parts */
} Progress;

typedef struct Place
{
	slock_t		mutex;
	Progress	progress;
} Place;

/* One for each backend, by the number of its PGPROC. */
typedef struct Shared
{
	uint32		nplaces;
	Place		place[FLEXIBLE_ARRAY_MEMBER];
} Shared;

static Shared *shared = NULL;

/* Of this session, while it does something; NULL else. */
static Place *own = NULL;

static Size
shared_size(void)
{
	return add_size(offsetof(Shared, place), mul_size(sizeof(Place), MaxBackends));
}

void
dpriv_progress_request(void)
{
	RequestAddinShmemSpace(shared_size());
}

void
dpriv_progress_startup(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("dpriv_progress", shared_size(), &found);
	if (!found)
	{
		memset(shared, 0, shared_size());
		shared->nplaces = MaxBackends;
		for (uint32 i = 0; i < shared->nplaces; i++)
			SpinLockInit(&shared->place[i].mutex);
	}
	LWLockRelease(AddinShmemInitLock);
}

/*
 * Reporting
 */

static void
set_progress(Place *place, const Progress *progress)
{
	SpinLockAcquire(&place->mutex);
	place->progress = *progress;
	SpinLockRelease(&place->mutex);
}

static void
clear(void)
{
	static const Progress nothing = {0};

	if (own)
		set_progress(own, &nothing);
	own = NULL;
}

/* A process that ends by a fatal error does not come by where errors are caught. */
static void
clear_at_exit(int code, Datum arg)
{
	clear();
}

static void
begin(DprivCommand command)
{
	static bool registered = false;
	Progress	progress = {MyProcPid, GetSessionUserId(), command, GetCurrentTimestamp()};
	uint32		self = dpriv_proc_number(MyProc);

	if (self >= shared->nplaces)
		return;
	if (!registered)
	{
		before_shmem_exit(clear_at_exit, (Datum) 0);
		registered = true;
	}
	progress.has_phase = dpriv_setting_time_quantum == 0;
	own = &shared->place[self];
	set_progress(own, &progress);
}

void
dpriv_progress_during(DprivCommand command, void (*work) (void *arg), void *arg)
{
	/* What is part of something is reported as that. */
	if (shared == NULL || own)
	{
		work(arg);
		return;
	}
	PG_TRY();
	{
		begin(command);
		work(arg);
	}
	PG_FINALLY();
	{
		clear();
	}
	PG_END_TRY();
}

void
dpriv_progress_report(DprivPhase phase, int64 done, int64 total)
{
	if (own == NULL)
		return;
	SpinLockAcquire(&own->mutex);
	own->progress.phase = phase;
	own->progress.done = done;
	own->progress.total = total;
	SpinLockRelease(&own->mutex);
}

/*
 * Reading
 */

static void
put_progress(ReturnSetInfo *result, const Progress *progress)
{
	bool		visible = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		has_privs_of_role(GetUserId(), progress->role);
	char	   *role = GetUserNameFromId(progress->role, true);
	bool		has_parts = visible && progress->has_phase && progress->total > 0;
	Datum		value[7] = {Int32GetDatum(progress->pid)};
	bool		isnull[7] = {
		false, role == NULL, !visible, !(visible && progress->has_phase), !has_parts, !has_parts,
		!visible
	};

	if (role)
		value[1] = CStringGetTextDatum(role);
	value[2] = CStringGetTextDatum(command_names[progress->command]);
	value[3] = CStringGetTextDatum(phase_names[progress->phase]);
	value[4] = Int64GetDatum(progress->done);
	value[5] = Int64GetDatum(progress->total);
	value[6] = TimestampTzGetDatum(progress->started_at);
	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

PG_FUNCTION_INFO_V1(dpriv_running);

/* dpriv.running() returns the rows of dpriv.progress. */
Datum
dpriv_running(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	for (uint32 i = 0; shared && i < shared->nplaces; i++)
	{
		Place	   *place = &shared->place[i];
		Progress	progress;

		CHECK_FOR_INTERRUPTS();
		SpinLockAcquire(&place->mutex);
		progress = place->progress;
		SpinLockRelease(&place->mutex);
		if (progress.pid != 0)
			put_progress((ReturnSetInfo *) fcinfo->resultinfo, &progress);
	}
	return (Datum) 0;
}
