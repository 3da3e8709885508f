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
typedef struct DprivArgument
{
	const char *name;
	double		least;
	double		greatest;
	const char *hint;
} DprivArgument;

/* Arguments that functions of several files have. */
extern const DprivArgument dpriv_sensitivity_domain;
extern const DprivArgument dpriv_epsilon_domain;
extern const DprivArgument dpriv_delta_domain;
extern const DprivArgument dpriv_sigma_domain;
extern const DprivArgument dpriv_rate_domain;
extern const DprivArgument dpriv_multiplier_domain;

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
extern void dpriv_check_domain(FunctionCallInfo fcinfo, double value, const DprivArgument *domain);
extern double dpriv_real_argument(FunctionCallInfo fcinfo, int n, const DprivArgument *domain);
extern int64 dpriv_whole_argument(FunctionCallInfo fcinfo, int n, const DprivArgument *domain);
extern int	dpriv_small_argument(FunctionCallInfo fcinfo, int n, const DprivArgument *domain);

/* The number of the option. */
extern int	dpriv_choice_argument(FunctionCallInfo fcinfo, int n, const DprivChoice *choice);

/*
 * The elements of the first two arguments, arrays, which live as long as the call; empty arrays are
 * allowed.  Errors also: 54000 if there are too many.
 */
extern void dpriv_paired_arguments(FunctionCallInfo fcinfo, const DprivArgument *first_domain,
								   const DprivArgument *second_domain, double **first,
								   double **second, int *length);

#endif							/* DPRIV_ACCOUNTING_ARGUMENTS_H */
