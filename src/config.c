/*
 * config.c
 *	  Every setting (GUC) of dpriv.
 *
 * A setting counts when a statement starts to execute; plans keep none of them.
 */
#include "postgres.h"

#include "accounting/delta.h"
#include "config.h"
#include "utils/guc.h"

double		dpriv_setting_epsilon = 0.0;
double		dpriv_setting_delta = 0.0;
double		dpriv_setting_selection_epsilon = 0.0;
int			dpriv_setting_mechanism = DPRIV_MECHANISM_AUTO;
double		dpriv_setting_max_epsilon = 20.0;
int			dpriv_setting_avg_method = DPRIV_AVG_JOINT;
double		dpriv_setting_session_budget = -1.0;
double		dpriv_setting_session_budget_delta = -1.0;
bool		dpriv_setting_require_budget = false;
int			dpriv_setting_time_quantum = 0;
int			dpriv_setting_ledger_query_length = 1000;
bool		dpriv_setting_ledger_parameters = false;

static const struct config_enum_entry avg_methods[] = {
	{"joint", DPRIV_AVG_JOINT, false},
	{"split", DPRIV_AVG_SPLIT, false},
	{NULL, 0, false},
};

static const struct config_enum_entry mechanisms[] = {
	{"auto", DPRIV_MECHANISM_AUTO, false},
	{"laplace", DPRIV_MECHANISM_LAPLACE, false},
	{"gaussian", DPRIV_MECHANISM_GAUSSIAN, false},
	{NULL, 0, false},
};

/* Zero is "unset"; otherwise what a measure would accept. */
static bool
check_epsilon(double *newval, void **extra, GucSource source)
{
	if (*newval == 0.0 || *newval >= 1e-6)
		return true;
	GUC_check_errdetail("The value must be at least 1e-6, or 0 for \"not set\".");
	return false;
}

/* Zero is "none"; otherwise what a measure would accept. */
static bool
check_delta(double *newval, void **extra, GucSource source)
{
	int128		units;

	if (dpriv_delta_from_double(*newval, &units))
		return true;
	GUC_check_errdetail("The value must lie between 1e-18 and 0.01, or be 0 for \"none\".");
	return false;
}

static bool
check_session_budget(double *newval, void **extra, GucSource source)
{
	if (*newval == -1.0 || *newval >= 0.0)
		return true;
	GUC_check_errdetail("The value must be 0 or more, or -1 for \"no cap\".");
	return false;
}

/* How measures spend and what noise they get: everybody's choice. */
static void
define_noise(void)
{
	DefineCustomRealVariable("dpriv.epsilon",
							 "Privacy loss (epsilon, natural logarithm units) of a measure that "
							 "names none.",
							 "0 means not set, and then such a measure is an error. Smaller is "
							 "more private and noisier: 0.1 to 1 is strong, 10 protects little.",
							 &dpriv_setting_epsilon,
							 0.0, 0.0, 1000.0,
							 PGC_USERSET, 0,
							 check_epsilon, NULL, NULL);

	DefineCustomRealVariable("dpriv.delta",
							 "Probability (delta) with which the privacy loss of a measure, or of "
							 "the choice of groups, may exceed its epsilon.",
							 "0 means none: only what is purely private. It should be far below "
							 "one over the number of people: 1e-6 is usual, above 1e-5 somebody "
							 "may lose all privacy.",
							 &dpriv_setting_delta,
							 0.0, 0.0, 0.01,
							 PGC_USERSET, 0,
							 check_delta, NULL, NULL);

	DefineCustomRealVariable("dpriv.selection_epsilon",
							 "Epsilon of choosing the groups of a release that has no dp_count(*).",
							 "0 means the epsilon of the first measure. It is charged besides the "
							 "measures. With dp_count(*) its released value decides, and choosing "
							 "costs delta only.",
							 &dpriv_setting_selection_epsilon,
							 0.0, 0.0, 1000.0,
							 PGC_USERSET, 0,
							 check_epsilon, NULL, NULL);

	DefineCustomEnumVariable("dpriv.mechanism",
							 "Noise of measures that have a delta: auto, laplace or gaussian.",
							 "auto takes whichever is smaller, for all measures of a release "
							 "together. Laplace noise spends no delta. With gaussian a measure "
							 "without a delta is an error.",
							 &dpriv_setting_mechanism,
							 DPRIV_MECHANISM_AUTO, mechanisms,
							 PGC_USERSET, 0,
							 NULL, NULL, NULL);

	DefineCustomEnumVariable("dpriv.avg_method",
							 "How dp_avg() spends its epsilon: joint or split.",
							 "joint noises a pair of sums at the full epsilon; split spends half "
							 "on the sum and half on the count, with at least twice the variance, "
							 "and is there for teaching.",
							 &dpriv_setting_avg_method,
							 DPRIV_AVG_JOINT, avg_methods,
							 PGC_USERSET, 0,
							 NULL, NULL, NULL);
}

/* What may be spent, and how much time tells. */
static void
define_limits(void)
{
	DefineCustomRealVariable("dpriv.max_epsilon",
							 "Largest epsilon that one measure may have.",
							 "Raising it lets one query reveal almost exact values: at 20 a count "
							 "is off by less than one in nearly every answer.",
							 &dpriv_setting_max_epsilon,
							 20.0, 1e-6, 1000.0,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);

	DefineCustomRealVariable("dpriv.session_budget",
							 "Epsilon that one session may spend in total.",
							 "-1 means no cap. A release that would exceed it is refused before "
							 "anything is read. A user who can open another session starts again "
							 "from zero.",
							 &dpriv_setting_session_budget,
							 -1.0, -1.0, 1e6,
							 PGC_SUSET, 0,
							 check_session_budget, NULL, NULL);

	DefineCustomRealVariable("dpriv.session_budget_delta",
							 "Delta that one session may spend in total.",
							 "-1 means no cap if dpriv.session_budget has none; if that is set, no "
							 "delta can be spent until this is set as well.",
							 &dpriv_setting_session_budget_delta,
							 -1.0, -1.0, 1.0,
							 PGC_SUSET, 0,
							 check_session_budget, NULL, NULL);

	DefineCustomBoolVariable("dpriv.require_budget",
							 "Refuse releases of roles that have no budget.",
							 "Off, a role without a budget of its own, of its groups or of public "
							 "can ask without end unless there is a cap, and then noise hides "
							 "nothing.",
							 &dpriv_setting_require_budget,
							 false,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("dpriv.time_quantum",
							"Steps of time in which releases return.",
							"How long a release takes tells of rows. With a step that is longer than "
							"all releases take, it does not; with a shorter one it tells less. 0 does "
							"not wait.",
							&dpriv_setting_time_quantum,
							0, 0, DPRIV_MAX_TIME_QUANTUM,
							PGC_SUSET, GUC_UNIT_MS,
							NULL, NULL, NULL);
}

/* What is kept of statements. */
static void
define_ledger(void)
{
	DefineCustomIntVariable("dpriv.ledger_query_length",
							"Bytes of a statement's text that the ledger keeps.",
							"0 keeps none. Who reads the ledger reads constants that others wrote "
							"into their statements, and the ledger is never cleared.",
							&dpriv_setting_ledger_query_length,
							1000, 0, DPRIV_MAX_LEDGER_QUERY,
							PGC_SUSET, GUC_UNIT_BYTE,
							NULL, NULL, NULL);

	DefineCustomBoolVariable("dpriv.ledger_parameters",
							 "Keep the values of a statement's parameters in the ledger.",
							 "Parameters often hold what identifies a person. Who reads the ledger "
							 "reads them, and it is never cleared.",
							 &dpriv_setting_ledger_parameters,
							 false,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);
}

void
dpriv_config_init(void)
{
	define_noise();
	define_limits();
	define_ledger();
	MarkGUCPrefixReserved("dpriv");
}
