/*
 * reported.c
 *	  What a budget's charges are known to cost together, to be shown.
 *
 * The totals of an entry are all that deciding needs.  The distribution of the loss needs every
 * charge, so they are read; what is missing, or counted twice while it is being archived, shows in
 * the sums, and then the totals alone have to do.
 */
#include "postgres.h"

#include "access/table.h"
#include "accounting/delta.h"
#include "accounting/epsilon.h"
#include "accounting/pld.h"
#include "ledger/reported.h"
#include "ledger/row.h"
#include "objects.h"
#include "utils/timestamp.h"

#include <math.h>

/* More charges are not read, nor more different ones convolved: reports must not take seconds. */
#define MAX_CHARGES 10000
#define MAX_DIFFERENT 32

typedef struct Charges
{
	DprivPldMechanism *mechanisms;
	int			n;
	int64		epsilon;
	int128		delta_basic;
} Charges;

/* A charge is (epsilon, delta)-private, whatever drew the noise. */
static void
add_charge(void *context, const DprivRow *row)
{
	Charges    *charges = context;
	DprivPldMechanism *mechanism;

	if (charges->n > MAX_CHARGES)
		return;
	mechanism = &charges->mechanisms[charges->n++];
	charges->epsilon += row->cost.epsilon;
	charges->delta_basic = dpriv_delta_add(charges->delta_basic, row->cost.delta_basic);
	mechanism->kind = DPRIV_PLD_APPROXIMATE;
	mechanism->parameters[0] = nextafter(dpriv_epsilon_to_double(row->cost.epsilon), INFINITY);
	mechanism->parameters[1] = 0.0;
	if (row->cost.delta_basic > 0)
		mechanism->parameters[1] = nextafter(dpriv_delta_to_double(row->cost.delta_basic), 1.0);
	mechanism->count = 1;
}

/* Infinity if the charges of the period cannot tell. */
static double
epsilon_of_charges(Relation ledger, const DprivBudget *budget, const DprivEntry *entry,
				   const DprivCost *spent, TimestampTz now)
{
	double		delta = dpriv_delta_to_double(budget->terms.delta);
	double		epsilon = INFINITY;
	Charges		charges = {0};
	TimestampTz since;
	TimestampTz end;
	Relation	archive;

	if (budget->terms.delta == 0 || entry->number > MAX_CHARGES)
		return INFINITY;
	if (!dpriv_budget_period(budget, Max(now, entry->charged_at), &since, &end))
		since = DT_NOBEGIN;
	charges.mechanisms = palloc((MAX_CHARGES + 1) * sizeof(DprivPldMechanism));
	dpriv_ledger_visit(ledger, &budget->id, since, add_charge, &charges);
	archive = dpriv_relation_open(DPRIV_TABLE_LEDGER_ARCHIVE, AccessShareLock);
	dpriv_ledger_visit(archive, &budget->id, since, add_charge, &charges);
	table_close(archive, AccessShareLock);
	if (charges.n <= MAX_CHARGES && charges.epsilon == spent->epsilon &&
		charges.delta_basic == spent->delta_basic)
	{
		int			n = dpriv_pld_merge(charges.mechanisms, charges.n);

		if (n <= MAX_DIFFERENT)
		{
			void	   *work = palloc(dpriv_pld_size());

			epsilon = dpriv_pld_epsilon(charges.mechanisms, n, nextafter(delta, 0.0), work);
			pfree(work);
		}
	}
	pfree(charges.mechanisms);
	return epsilon;
}

double
dpriv_ledger_reported_epsilon(Relation ledger, const DprivBudget *budget,
							  const DprivEntry *entry, TimestampTz now)
{
	DprivCost	spent = dpriv_ledger_spent(budget, entry, now);
	double		totals = dpriv_cost_reported_epsilon(&spent,
													 dpriv_delta_to_double(budget->terms.delta));

	if (totals == 0)
		return 0.0;
	return Min(totals, epsilon_of_charges(ledger, budget, entry, &spent, now));
}
