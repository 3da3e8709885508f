/*
 * group.c
 *	  Sessions that charge the same budgets at the same time are served by one of them.
 *
 * Whoever finds nobody there leads: it waits for the budgets, then writes its own charge and those
 * of all who came meanwhile, flushes once, and wakes them.  A leader says of every request once
 * what became of it, and "served" only if the rows are frozen: nobody is charged twice, and nobody
 * is answered without a charge.  Whom it does not serve, for whatever reason, charges on its own.
 */
#include "postgres.h"

#include "compat.h"
#include "ledger/group.h"
#include "ledger/lock.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/pg_sema.h"
#include "storage/proc.h"
#include "storage/shmem.h"

/* Groups share queues, and are told apart when a leader takes what is in one. */
#define NQUEUES 1024

/* Whoever has more budgets or longer texts is alone. */
#define MAX_BUDGETS 4
#define MAX_TEXTS 2048

#define NOBODY PG_UINT32_MAX

typedef enum RequestState
{
	WAITING,
	SERVED,
	ALONE,
} RequestState;

/* One for each backend, by the number of its PGPROC. */
struct DprivRequest
{
	uint32		next;			/* backend that came before, or NOBODY */
	pg_atomic_uint32 state;		/* set by the leader, as the last thing it does here */
	Oid			database;
	int			nbudgets;
	DprivBudget budgets[MAX_BUDGETS];
	DprivRow	row;
	bool		inserted;		/* are its rows, by the leader? */
	XLogRecPtr	end;			/* of its rows in the log; invalid if they are not there */
	Size		used;			/* of texts, which row points to */
	char		texts[MAX_TEXTS];
};

typedef struct Queue
{
	pg_atomic_uint32 last;		/* backend that came last, or NOBODY */
} Queue;

typedef struct Shared
{
	Queue		queues[NQUEUES];
	uint32		nrequests;
	DprivRequest requests[FLEXIBLE_ARRAY_MEMBER];
} Shared;

static Shared *shared = NULL;

/* Of the group that this session leads: its queue until it has been taken, then who was in it. */
static bool leading = false;
static Queue *queue;
static uint32 followers;

static Size
shared_size(void)
{
	return add_size(offsetof(Shared, requests), mul_size(sizeof(DprivRequest), MaxBackends));
}

void
dpriv_group_request(void)
{
	RequestAddinShmemSpace(shared_size());
}

void
dpriv_group_startup(void)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct("dpriv_group", shared_size(), &found);
	if (!found)
	{
		memset(shared, 0, shared_size());
		for (int i = 0; i < NQUEUES; i++)
			pg_atomic_init_u32(&shared->queues[i].last, NOBODY);
		shared->nrequests = MaxBackends;
		for (uint32 i = 0; i < shared->nrequests; i++)
			pg_atomic_init_u32(&shared->requests[i].state, ALONE);
	}
	LWLockRelease(AddinShmemInitLock);
}

static DprivRequest *
own_request(void)
{
	return &shared->requests[dpriv_proc_number(MyProc)];
}

/*
 * Joining
 */

/* A process that ends by a fatal error does not come by where errors are caught. */
static void
dismiss_at_exit(int code, Datum arg)
{
	dpriv_group_dismiss();
}

static void
prepare_to_lead(Queue *which)
{
	leading = true;
	queue = which;
	followers = NOBODY;
}

/* A copy of a text or an array in shared memory.  False if it does not fit. */
static bool
put_text(DprivRequest *request, const void *value, void *copy)
{
	Size		size;

	if (value == NULL)
	{
		*(void **) copy = NULL;
		return true;
	}
	size = VARSIZE_ANY(value);
	if (size > MAX_TEXTS - request->used)
		return false;
	*(void **) copy = memcpy(request->texts + request->used, value, size);
	request->used = Min(MAXALIGN(request->used + size), MAX_TEXTS);
	return true;
}

/*
 * False if it does not fit; nobody sees the request yet.  A text that would be an error for the
 * leader is one here.
 */
static bool
fill_request(DprivRequest *request, const List *budgets, const DprivRow *row)
{
	ListCell   *lc;

	dpriv_row_check_texts(row);
	request->database = MyDatabaseId;
	request->nbudgets = list_length(budgets);
	foreach(lc, budgets)
		request->budgets[foreach_current_index(lc)] = *(DprivBudget *) lfirst(lc);
	request->row = *row;
	request->inserted = false;
	request->end = InvalidXLogRecPtr;
	request->used = 0;
	return put_text(request, row->session_role, &request->row.session_role) &&
		put_text(request, row->current_role, &request->row.current_role) &&
		put_text(request, row->relation_name, &request->row.relation_name) &&
		put_text(request, row->mechanism, &request->row.mechanism) &&
		put_text(request, row->measures, &request->row.measures) &&
		put_text(request, row->query, &request->row.query) &&
		put_text(request, row->parameters, &request->row.parameters);
}

static Queue *
find_queue(const List *budgets)
{
	uint32		number = 0;
	ListCell   *lc;

	/* Ids are random. */
	foreach(lc, budgets)
	{
		const DprivBudget *budget = lfirst(lc);

		number ^= budget->id.data[1] | (uint32) budget->id.data[2] << 8;
	}
	return &shared->queues[number % NQUEUES];
}

/* Other users of the semaphore may wake this process: what they gave is given back. */
static void
wait_for_leader(DprivRequest *request)
{
	int			others = 0;

	pgstat_report_wait_start(dpriv_lock_wait_event());
	for (;;)
	{
		PGSemaphoreLock(MyProc->sem);
		if (pg_atomic_read_u32(&request->state) != WAITING)
			break;
		others++;
	}
	pgstat_report_wait_end();
	while (others-- > 0)
		PGSemaphoreUnlock(MyProc->sem);
	pg_read_barrier();
}

DprivGroupRole
dpriv_group_join(const List *budgets, const DprivRow *row, XLogRecPtr *end)
{
	static bool registered = false;
	DprivRequest *request;
	Queue	   *which;
	uint32		last = NOBODY;
	uint32		self;

	if (shared == NULL || budgets == NIL || list_length(budgets) > MAX_BUDGETS)
		return DPRIV_GROUP_ALONE;
	self = dpriv_proc_number(MyProc);
	if (self >= shared->nrequests)
		return DPRIV_GROUP_ALONE;
	if (!registered)
	{
		before_shmem_exit(dismiss_at_exit, (Datum) 0);
		registered = true;
	}

	/* What a leader wants, nobody else needs to know. */
	Assert(!leading);
	HOLD_INTERRUPTS();
	which = find_queue(budgets);
	if (pg_atomic_compare_exchange_u32(&which->last, &last, self))
	{
		prepare_to_lead(which);
		return DPRIV_GROUP_LEADS;
	}
	request = own_request();
	if (!fill_request(request, budgets, row))
	{
		RESUME_INTERRUPTS();
		return DPRIV_GROUP_ALONE;
	}
	pg_atomic_write_u32(&request->state, WAITING);
	last = pg_atomic_read_u32(&which->last);
	do
	{
		request->next = last;
		pg_write_barrier();
	} while (!pg_atomic_compare_exchange_u32(&which->last, &last, self));
	if (last == NOBODY)
	{
		prepare_to_lead(which);
		return DPRIV_GROUP_LEADS;
	}
	wait_for_leader(request);
	*end = request->end;
	if (pg_atomic_read_u32(&request->state) == SERVED)
		return DPRIV_GROUP_SERVED;
	RESUME_INTERRUPTS();
	return DPRIV_GROUP_ALONE;
}

/*
 * Leading
 */

static void
wake(uint32 backend, RequestState state)
{
	pg_write_barrier();
	pg_atomic_write_u32(&shared->requests[backend].state, state);
	PGSemaphoreUnlock(GetPGProcByNumber(backend)->sem);
}

/* Close the queue: whoever comes next leads another group.  The leader itself is its first. */
static void
close_queue(void)
{
	uint32		self = dpriv_proc_number(MyProc);
	uint32		at;

	if (queue == NULL)
		return;
	at = pg_atomic_exchange_u32(&queue->last, NOBODY);
	queue = NULL;

	/* Turn it round: first come, first served. */
	while (at != self)
	{
		DprivRequest *request = &shared->requests[at];
		uint32		before = request->next;

		request->next = followers;
		followers = at;
		at = before;
	}
}

static bool
wants_the_same(const DprivRequest *request, const List *budgets)
{
	ListCell   *lc;

	if (request->database != MyDatabaseId || request->nbudgets != list_length(budgets))
		return false;
	foreach(lc, budgets)
		if (memcmp(&request->budgets[foreach_current_index(lc)], lfirst(lc),
				   sizeof(DprivBudget)) != 0)
			return false;
	return true;
}

static DprivRequest *
request_of(uint32 backend)
{
	return backend == NOBODY ? NULL : &shared->requests[backend];
}

DprivRequest *
dpriv_group_take(const List *budgets)
{
	uint32	   *link = &followers;

	close_queue();
	while (*link != NOBODY)
	{
		uint32		backend = *link;
		DprivRequest *request = &shared->requests[backend];

		if (wants_the_same(request, budgets))
		{
			link = &request->next;
			continue;
		}
		*link = request->next;
		wake(backend, ALONE);
	}
	return request_of(followers);
}

DprivRequest *
dpriv_group_next(DprivRequest *request)
{
	return request_of(request->next);
}

const DprivRow *
dpriv_group_row(const DprivRequest *request)
{
	return &request->row;
}

void
dpriv_group_set_inserted(DprivRequest *request)
{
	request->inserted = true;
}

void
dpriv_group_set_written(XLogRecPtr end)
{
	if (!leading)
		return;
	for (DprivRequest *request = request_of(followers); request;
		 request = dpriv_group_next(request))
	{
		if (request->inserted && XLogRecPtrIsInvalid(request->end))
			request->end = end;
	}
}

void
dpriv_group_dismiss(void)
{
	if (!leading)
		return;
	close_queue();
	while (followers != NOBODY)
	{
		uint32		backend = followers;
		DprivRequest *request = &shared->requests[backend];

		followers = request->next;
		wake(backend, XLogRecPtrIsInvalid(request->end) ? ALONE : SERVED);
	}
	leading = false;
}
