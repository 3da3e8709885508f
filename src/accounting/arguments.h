/*
 * arguments.h
 *	  Arguments of the functions of accounting, checked.
 *
 * The readers refuse NULL, NaN and everything outside of the argument's domain, each with a hint.
 * They need a server, as the files of functions do; nothing else of this layer does.
 */
#ifndef DPRIV_ACCOUNTING_ARGUMENTS_H
#define DPRIV_ACCOUNTING_ARGUMENTS_H

#include "fmgr.h"

/* More elements than this in one list are not added up one by one. */
#define DPRIV_MAX_LIST 1000000

/* An argument's name and domain, both ends included. */
typedef struct DprivDomain
{
	const char *name;
	double		least;
	double		greatest;
	const char *hint;
} DprivDomain;

/* Names of options. */
typedef struct DprivChoice
{
	const char *name;			/* of the argument */
	const char *hint;
	const char *values[4];		/* by number, up to a NULL */
} DprivChoice;

/* The name that the function was called by. */
extern const char *dpriv_function_name(FunctionCallInfo fcinfo);

/* Errors: 22004 for NULL, 22023 for what is outside of the domain. */
extern void dpriv_refuse_null_argument(FunctionCallInfo fcinfo, const char *name, const char *hint);
extern void dpriv_check_domain(FunctionCallInfo fcinfo, double value, const DprivDomain *domain);
extern double dpriv_real_argument(FunctionCallInfo fcinfo, int n, const DprivDomain *domain);
extern int64 dpriv_whole_argument(FunctionCallInfo fcinfo, int n, const DprivDomain *domain);
extern int	dpriv_small_argument(FunctionCallInfo fcinfo, int n, const DprivDomain *domain);

/* The number of the option. */
extern int	dpriv_choice_argument(FunctionCallInfo fcinfo, int n, const DprivChoice *choice);

/*
 * The elements of an array, which live as long as the call; empty arrays are allowed.  Errors also:
 * 54000 if there are too many.
 */
extern double *dpriv_array_argument(FunctionCallInfo fcinfo, int n, const DprivDomain *domain,
									int *length);

/* The first two arguments, element by element. */
extern void dpriv_paired_arguments(FunctionCallInfo fcinfo, const DprivDomain *first_domain,
								   const DprivDomain *second_domain, double **first,
								   double **second, int *length);

#endif							/* DPRIV_ACCOUNTING_ARGUMENTS_H */
