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

/* Epsilon of a measure without an argument of its own; 0 while unset. */
extern double dpriv_setting_epsilon;

/* Delta of a measure without an argument of its own; 0: none. */
extern double dpriv_setting_delta;

/* Epsilon of the choice of groups where no count decides; 0: that of the first measure. */
extern double dpriv_setting_selection_epsilon;

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

extern void dpriv_config_init(void);

#endif							/* DPRIV_CONFIG_H */
