/*
 * selection.c
 *	  Whether a group of a release may be published.
 *
 * For neighbours that differ in one row, a decision is an (epsilon, delta) private release of that
 * row's group: a group of one row appears with probability at most delta, a larger one is hidden by
 * noise.  Only integers are compared and only exact coins are thrown.
 *
 * With discrete Laplace noise on the count, published anyway, deciding on the noisy count is
 * post-processing; what it adds is the chance t^(threshold - 1) / (1 + t) that a group of one row
 * appears at all.  Without, the optimal rule of Desfontaines, Voss, Gipson and Mandayam,
 * "Differentially private partition selection" (2022).
 */
#include "postgres.h"

#include <math.h>

#include "accounting/selection.h"
#include "mechanism/audit.h"
#include "mechanism/constant.h"
#include "mechanism/selection.h"
#include "noise/random.h"

void
dpriv_selection_prepare(DprivSelection *selection)
{
	int64		units = selection->epsilon.noise;
	int64		most = (int64) DPRIV_SELECTION_MAX_EPSILON * DPRIV_EPSILON_UNIT_PER_ONE;
	double		limit;
	double		weight;

	if (selection->by_count)
	{
		selection->threshold = (int64) dpriv_selection_threshold(dpriv_epsilon_to_double(units),
																 selection->delta, 1);
		return;
	}
	units = Min(units, most);
	dpriv_selection_truncation(dpriv_epsilon_to_double(units), selection->delta, 1, &limit,
							   &weight);
	selection->limit = (int64) limit;
	selection->weight = weight < 1.0 ? (uint64) ldexp(weight, 64) : PG_UINT64_MAX;
	if (selection->limit > DPRIV_TRUNCATED_MAX_LIMIT ||
		!dpriv_laplace_init(&selection->noise, DPRIV_EPSILON_UNIT_PER_ONE, (uint128) units))
		elog(ERROR, "noise scale is out of range");
}

/* value + X > K, with X and K as accounting/selection.h says. */
static bool
keep_by_rows(const DprivSelection *selection, int128 rows)
{
	int64		limit = selection->limit;

	if (rows > 2 * (int128) limit)
		return true;
	if (dpriv_random_u64() < selection->weight)
		limit--;
	return rows + dpriv_truncated_draw(&selection->noise, limit) > limit;
}

bool
dpriv_selection_keep(const DprivSelection *selection, int128 value)
{
	bool		kept;

	if (selection->by_count)
		kept = value >= selection->threshold;
	else
		kept = keep_by_rows(selection, value);
	DPRIV_AUDIT_SELECTION(selection, value, kept);
	DPRIV_CONSTANT_SELECTION(kept);
	return kept;
}
