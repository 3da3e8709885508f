/*
 * fault.c
 *	  Failures at chosen steps of a charge, in test builds only.
 */
#include "postgres.h"

#include "ledger/fault.h"

#ifdef DPRIV_FAULTS

#include <signal.h>

#include "miscadmin.h"
#include "utils/guc.h"

static char *setting;

void
dpriv_fault_init(void)
{
	DefineCustomStringVariable("dpriv.fault", "Step of a charge that fails, and how.", NULL,
							   &setting, "", PGC_USERSET, 0, NULL, NULL, NULL);
}

void
dpriv_fault(const char *step)
{
	size_t		length = strlen(step);
	const char *kind;

	if (setting == NULL || strncmp(setting, step, length) != 0 || setting[length] != ':')
		return;
	kind = setting + length + 1;
	if (strcmp(kind, "error") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("fault at step %s", step)));
	else if (strcmp(kind, "cancel") == 0)
		kill(MyProcPid, SIGINT);
	else if (strcmp(kind, "fatal") == 0)
		kill(MyProcPid, SIGTERM);
	else if (strcmp(kind, "crash") == 0)
		kill(MyProcPid, SIGKILL);

	/* Signals are noticed where interrupts are allowed; where they are held, they wait. */
	CHECK_FOR_INTERRUPTS();
}

#endif							/* DPRIV_FAULTS */
