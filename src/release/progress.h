/*
 * progress.h
 *	  What is being done for whom, and how far it is, for the view dpriv.progress.
 */
#ifndef DPRIV_PROGRESS_H
#define DPRIV_PROGRESS_H

/* Ask for shared memory, and find it: from the hooks of the postmaster's start. */
extern void dpriv_progress_request(void);
extern void dpriv_progress_startup(void);

typedef enum DprivCommand
{
	DPRIV_COMMAND_RELEASE,
	DPRIV_COMMAND_TRAIN,
	DPRIV_COMMAND_EVALUATE,
	DPRIV_COMMAND_SAMPLE,
} DprivCommand;

typedef enum DprivPhase
{
	DPRIV_PHASE_READING,		/* the first one of all commands */
	DPRIV_PHASE_MEANS,
	DPRIV_PHASE_SPREAD,
	DPRIV_PHASE_STANDARDISING,
	DPRIV_PHASE_STEPS,
	DPRIV_PHASE_NOISE,
} DprivPhase;

/* Do work that can be seen in the view while it lasts, however it ends. */
extern void dpriv_progress_during(DprivCommand command, void (*work) (void *arg), void *arg);

/*
 * It is in a phase of which done of total parts, a public number, are over; 0 and 0 if the phase
 * has no parts.  Rows are never parts.
 */
extern void dpriv_progress_report(DprivPhase phase, int64 done, int64 total);

#endif							/* DPRIV_PROGRESS_H */
