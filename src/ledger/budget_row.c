/*
 * budget_row.c
 *	  A row of dpriv.budget, read.
 *
 * Grants alone write these rows (grant.c), so whatever they would not write is an error: a budget
 * that cannot be understood must not be taken for one that allows more.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "ledger/row.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

static const char *const accountants[] = {
	[DPRIV_BASIC] = "basic",
	[DPRIV_ZCDP] = "zcdp",
	[DPRIV_RDP] = "rdp",
};

const char *
dpriv_accountant_name(DprivAccountant accountant)
{
	return accountants[accountant];
}

const char *
dpriv_budget_kind_name(DprivBudgetKind kind)
{
	switch (kind)
	{
		case DPRIV_BUDGET_ROLE:
			return "role";
		case DPRIV_BUDGET_PUBLIC:
			return "public";
		case DPRIV_BUDGET_CAP:
			return "cap";
		case DPRIV_BUDGET_MARK:
			return "mark";
	}
	elog(ERROR, "unrecognized kind of budget: %d", (int) kind);
	return NULL;
}

static DprivBudgetKind
read_kind(Datum value)
{
	char	   *name = TextDatumGetCString(value);

	if (strcmp(name, "role") == 0)
		return DPRIV_BUDGET_ROLE;
	if (strcmp(name, "public") == 0)
		return DPRIV_BUDGET_PUBLIC;
	if (strcmp(name, "cap") == 0)
		return DPRIV_BUDGET_CAP;
	if (strcmp(name, "mark") == 0)
		return DPRIV_BUDGET_MARK;
	elog(ERROR, "unrecognized kind of budget: %s", name);
}

static DprivAccountant
read_accountant(Datum value)
{
	char	   *name = TextDatumGetCString(value);

	for (int i = 0; i < lengthof(accountants); i++)
		if (strcmp(name, accountants[i]) == 0)
			return (DprivAccountant) i;
	elog(ERROR, "unrecognized accountant of a budget: %s", name);
}

static int128
read_units(Datum value, int digits)
{
	int128		units;

	if (!dpriv_units_from_numeric(value, digits, &units))
		elog(ERROR, "unexpected number in a budget");
	return units;
}

static int64
read_epsilon(Datum value)
{
	int128		units = read_units(value, DPRIV_EPSILON_DIGITS);

	if (units > PG_INT64_MAX)
		elog(ERROR, "unexpected epsilon in a budget");
	return (int64) units;
}

/* The elements of a float8[], at most as many as budgets have orders; returns how many. */
static int
read_reals(Datum value, double *reals)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_ELEMTYPE(array) != FLOAT8OID || ARR_HASNULL(array) || n > DPRIV_MAX_BUDGET_ORDERS)
		elog(ERROR, "unexpected array in a budget");
	memcpy(reals, ARR_DATA_PTR(array), n * sizeof(double));
	return n;
}

DprivBudget *
dpriv_budget_read(HeapTuple tuple, TupleDesc tupdesc)
{
	DprivBudget *budget = palloc0(sizeof(DprivBudget));
	DprivTerms *terms = &budget->terms;
	Datum		values[Natts_dpriv_budget];
	bool		nulls[Natts_dpriv_budget];

	if (tupdesc->natts != Natts_dpriv_budget)
		elog(ERROR, "unexpected columns of dpriv.budget");
	heap_deform_tuple(tuple, tupdesc, values, nulls);
	for (int i = 0; i < Natts_dpriv_budget; i++)
		if (nulls[i] && i != Anum_dpriv_budget_period - 1 &&
			i != Anum_dpriv_budget_lifetime_epsilon - 1)
			elog(ERROR, "unexpected NULL in a budget");

#define VALUE(column) values[Anum_dpriv_budget_##column - 1]
#define IS_NULL(column) nulls[Anum_dpriv_budget_##column - 1]
	memcpy(&budget->id, DatumGetUUIDP(VALUE(id)), sizeof(pg_uuid_t));
	budget->kind = read_kind(VALUE(kind));
	budget->grantee = DatumGetObjectId(VALUE(grantee));
	budget->relation = DatumGetObjectId(VALUE(relation));
	terms->accountant = read_accountant(VALUE(accountant));
	terms->epsilon = read_epsilon(VALUE(epsilon));
	terms->delta = read_units(VALUE(delta), DPRIV_DELTA_DIGITS);
	terms->delta_selection = read_units(VALUE(delta_selection), DPRIV_DELTA_DIGITS);
	terms->norders = read_reals(VALUE(limits), terms->limit);
	if (read_reals(VALUE(orders), terms->order) !=
		(terms->accountant == DPRIV_RDP ? terms->norders : 0) ||
		(terms->accountant == DPRIV_BASIC && terms->norders != 0) ||
		(terms->accountant == DPRIV_ZCDP && terms->norders != 1) ||
		(terms->accountant == DPRIV_RDP && terms->norders < 1))
		elog(ERROR, "unexpected orders of a budget");
	budget->has_period = !IS_NULL(period);
	if (budget->has_period)
		budget->period = *DatumGetIntervalP(VALUE(period));
	budget->lifetime_epsilon = -1;
	if (!IS_NULL(lifetime_epsilon))
		budget->lifetime_epsilon = read_epsilon(VALUE(lifetime_epsilon));
	budget->granted_at = DatumGetTimestampTz(VALUE(granted_at));
	budget->revoked = DatumGetBool(VALUE(revoked));
#undef VALUE
#undef IS_NULL
	return budget;
}
