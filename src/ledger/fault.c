/*
 * fault.c
 *	  Failures at chosen steps of a charge, in test builds only.
 */
#include "postgres.h"

#include "ledger/fault.h"

#ifdef DPRIV_FAULTS

#include <signal.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/guc.h"

static char *setting;

void
dpriv_fault_init(void)
{
	DefineCustomStringVariable("dpriv.fault",
							   "Steps of a charge that fail, and how: step:kind, ...", NULL,
							   &setting, "", PGC_USERSET, 0, NULL, NULL, NULL);
}

/* So that others can be made to wait for this session: as long as the one file is there. */
static void
wait_while_paused(void)
{
	FILE	   *file = AllocateFile("dpriv.paused", "w");

	if (file)
		FreeFile(file);
	while (access("dpriv.pause", F_OK) == 0)
		pg_usleep(10000);
}

static void
fail(const char *step, const char *kind)
{
	if (strcmp(kind, "error") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("fault at step %s", step)));
	else if (strcmp(kind, "warning") == 0)
		ereport(WARNING,
				(errmsg("fault at step %s", step)));
	else if (strcmp(kind, "cancel") == 0)
		kill(MyProcPid, SIGINT);
	else if (strcmp(kind, "fatal") == 0)
		kill(MyProcPid, SIGTERM);
	else if (strcmp(kind, "exit") == 0)
		ereport(FATAL,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("fault at step %s", step)));
	else if (strcmp(kind, "crash") == 0)
		kill(MyProcPid, SIGKILL);
	else if (strcmp(kind, "pause") == 0)
		wait_while_paused();

	/* Signals are noticed where interrupts are allowed; where they are held, they wait. */
	CHECK_FOR_INTERRUPTS();
}

void
dpriv_fault(const char *step)
{
	char		list[128];
	char	   *rest = list;
	char	   *item;

	if (setting == NULL || setting[0] == '\0')
		return;
	strlcpy(list, setting, sizeof(list));
	while ((item = strsep(&rest, ",")) != NULL)
	{
		char	   *kind = strchr(item, ':');

		if (kind == NULL)
			continue;
		*kind++ = '\0';
		if (strcmp(item, step) == 0)
			fail(step, kind);
	}
}

#endif							/* DPRIV_FAULTS */
