/*
 * server.h
 *	  What src/noise and src/accounting need of a server, and its stand-in for unit programs.
 *
 * Files of these two layers include this header first, in place of postgres.h, and of the server's
 * other headers only those that programs without a server can use too.  Compiled with DPRIV_UNIT
 * they become part of programs without a server: there is nobody to interrupt a loop, and an error
 * ends the program.
 */
#ifndef DPRIV_SERVER_H
#define DPRIV_SERVER_H

#ifndef DPRIV_UNIT

#include "postgres.h"

#include "miscadmin.h"

#else							/* DPRIV_UNIT */

#ifndef FRONTEND
#define FRONTEND 1
#endif
#include "c.h"

#define CHECK_FOR_INTERRUPTS() ((void) 0)

/*
 * Nobody can catch an error here: say where it was and abort.  The arguments are those of the
 * server's ereport.
 */
#define ereport(elevel, ...) \
	do { \
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
		abort(); \
	} while (0)

#define elog(elevel, ...) ereport(elevel, __VA_ARGS__)

/*
 * The current process, kept as the server keeps it: set by the program at its start and after every
 * fork.
 */
extern int	MyProcPid;

#endif							/* DPRIV_UNIT */

#ifndef HAVE_INT128
#error "dpriv needs a compiler with 128-bit integers"
#endif

/* Sums are the same everywhere and rounding is upward if every operation is rounded as it says. */
#include <float.h>

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "dpriv needs the arithmetic of IEEE 754: compile it without -ffast-math and -mfpmath=387"
#endif

#endif							/* DPRIV_SERVER_H */
