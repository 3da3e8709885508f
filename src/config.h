/*
 * config.h
 *	  Settings (GUCs) of dpriv.
 */
#ifndef DPRIV_CONFIG_H
#define DPRIV_CONFIG_H

typedef enum DprivAvgMethod
{
	DPRIV_AVG_JOINT,			/* one pair of sums at the full epsilon */
	DPRIV_AVG_SPLIT,			/* half of epsilon on the sum, half on the count */
} DprivAvgMethod;

typedef enum DprivMechanism
{
	DPRIV_MECHANISM_AUTO,		/* whichever has less noise in a release */
	DPRIV_MECHANISM_LAPLACE,
	DPRIV_MECHANISM_GAUSSIAN,
} DprivMechanism;

/* Epsilon of a measure without an argument of its own; 0 while unset. */
extern double dpriv_setting_epsilon;

/* Delta of a measure without an argument of its own; 0: none. */
extern double dpriv_setting_delta;

/* Epsilon of the choice of groups where no count decides; 0: that of the first measure. */
extern double dpriv_setting_selection_epsilon;

/* Which noise measures with a delta get: a DprivMechanism. */
extern int	dpriv_setting_mechanism;

/* Largest epsilon of one measure. */
extern double dpriv_setting_max_epsilon;

/* How dp_avg() spends its epsilon: a DprivAvgMethod. */
extern int	dpriv_setting_avg_method;

/* Epsilon that one session may spend; -1 without a cap. */
extern double dpriv_setting_session_budget;

/*
 * Delta that one session may spend; -1: no cap if epsilon has none either, else nothing.
 */
extern double dpriv_setting_session_budget_delta;

/* Refuse what no budget limits. */
extern bool dpriv_setting_require_budget;

/* Bytes of a statement's text that the ledger keeps; 0: none. */
extern int	dpriv_setting_ledger_query_length;
#define DPRIV_MAX_LEDGER_QUERY 4000

/* Does the ledger keep the values of parameters? */
extern bool dpriv_setting_ledger_parameters;

/* Milliseconds: a release ends at a multiple of them after it began to read; 0: when it is done. */
extern int	dpriv_setting_time_quantum;
#define DPRIV_MAX_TIME_QUANTUM (60 * 60 * 1000)

extern void dpriv_config_init(void);

#endif							/* DPRIV_CONFIG_H */
