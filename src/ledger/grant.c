/*
 * grant.c
 *	  Granting and revoking budgets: dpriv.grant_budget, dpriv.revoke_budget, dpriv.set_cap.
 *
 * Nothing here resets what was spent: a budget keeps its identifier, and with it its entries in the
 * ledger, whatever becomes of its terms.  One transaction at a time changes a budget, so that two
 * grants of the same one never meet in the unique index, and none is lost.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "ledger/row.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "objects.h"
#include "storage/lmgr.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/* Periods outside of this are mistakes. */
#define LONGEST_PERIOD_YEARS 1000

/*
 * Arguments
 */

static void
refuse_null(const char *function, const char *name, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s of dpriv.%s must not be NULL", name, function),
			 errhint("%s", hint)));
}

/*
 * Whose budget: a role, locked so that it is not dropped meanwhile, or PUBLIC, spelled as in GRANT.
 */
static DprivBudgetKind
read_grantee(const char *name, Oid *role)
{
	*role = InvalidOid;
	if (strcmp(name, "public") == 0)
		return DPRIV_BUDGET_PUBLIC;
	*role = get_role_oid(name, true);
	if (OidIsValid(*role))
	{
		LockSharedObject(AuthIdRelationId, *role, 0, AccessShareLock);
		AcceptInvalidationMessages();
		*role = get_role_oid(name, true);
	}
	if (!OidIsValid(*role))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" does not exist", name),
				 errhint("Write the name as in pg_roles, without quotes, or public for all "
						 "roles together.")));
	return DPRIV_BUDGET_ROLE;
}

/* Can releases read it, and is it the whole of what they read? */
static void
check_kind(Relation rel)
{
	const char *hint = NULL;

	switch (rel->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		case RELKIND_VIEW:
			hint = "Grant it on the table that the view reads: what is read through a view is "
				"charged there.";
			break;
		default:
			hint = "Grant it on a table, partitioned table, materialized view or foreign table.";
	}
	if (hint)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" cannot have a budget", RelationGetRelationName(rel)),
				 errdetail_relkind_not_supported(rel->rd_rel->relkind),
				 errhint("%s", hint)));
	if (IsCatalogRelation(rel))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" cannot have a budget", RelationGetRelationName(rel)),
				 errdetail("It is a system catalog."),
				 errhint("Grant it on a table of your own.")));
	if (has_superclass(RelationGetRelid(rel)))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" cannot have a budget", RelationGetRelationName(rel)),
				 rel->rd_rel->relispartition ? errdetail("It is a partition.") :
				 errdetail("It is a child of another table."),
				 errhint("Grant it on the topmost parent, which is charged for all of its "
						 "children.")));
}

/*
 * The relation, locked until the end of the transaction so that it is not dropped meanwhile;
 * InvalidOid for NULL, all relations.  An error if it is not the user's to decide.  A budget that
 * exists can always be taken away, whatever its relation has become; it is only given to some.
 */
static Oid
read_relation(FunctionCallInfo fcinfo, int argument, bool give)
{
	Relation	rel;
	Oid			oid;

	if (PG_ARGISNULL(argument))
	{
		if (!superuser())
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("permission denied for a budget on all relations"),
					 errdetail("Only superusers decide on it."),
					 errhint("Name a table of your own.")));
		return InvalidOid;
	}
	oid = PG_GETARG_OID(argument);
	rel = try_relation_open(oid, AccessShareLock);
	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", oid),
				 errhint("Write the name of a table, or NULL for all relations.")));
	if (!dpriv_relation_ownercheck(oid, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of relation %s", RelationGetRelationName(rel)),
				 errdetail("Its owner decides who may spend how much on it."),
				 errhint("Ask \"%s\" or a superuser.",
						 GetUserNameFromId(rel->rd_rel->relowner, false))));
	if (give)
		check_kind(rel);
	relation_close(rel, NoLock);
	return oid;
}

static double
read_real(FunctionCallInfo fcinfo, int argument, const char *function, const char *name,
		  const char *hint)
{
	if (PG_ARGISNULL(argument))
		refuse_null(function, name, hint);
	return PG_GETARG_FLOAT8(argument);
}

/* For hints: all orders that there are. */
static char *
list_orders(void)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < DPRIV_NORDERS; i++)
		appendStringInfo(&text, "%s%g", i ? ", " : "", dpriv_orders[i]);
	return text.data;
}

static void
refuse_accountant(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized accountant \"%s\"", name),
			 errhint("Write basic, zcdp, rdp, or rdp(8,24) with one to four orders of your own.")));
}

static void
refuse_orders(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid orders of the accountant rdp"),
			 errdetail("A budget counts at one to four orders, each once."),
			 errhint("The orders that there are: %s.", list_orders())));
}

/* Reads basic, zcdp, rdp and rdp(8,24); returns the number of orders, 0 if there are none. */
static int
parse_accountant(const char *name, DprivAccountant *accountant, double *orders)
{
	int			n = 0;
	const char *at;
	char	   *end;

	*accountant = DPRIV_RDP;
	if (strcmp(name, "rdp") == 0)
		return 0;
	if (strcmp(name, "basic") == 0)
	{
		*accountant = DPRIV_BASIC;
		return 0;
	}
	if (strcmp(name, "zcdp") == 0)
	{
		*accountant = DPRIV_ZCDP;
		return 0;
	}
	if (strncmp(name, "rdp(", 4) != 0)
		refuse_accountant(name);
	for (at = name + 4;; at = end + 1)
	{
		double		order = strtod(at, &end);

		if (end == at)
			refuse_accountant(name);
		if (n == DPRIV_MAX_BUDGET_ORDERS)
			refuse_orders();
		orders[n++] = order;
		while (*end == ' ')
			end++;
		if (*end == ')' && end[1] == '\0')
			return n;
		if (*end != ',')
			refuse_accountant(name);
	}
}

static DprivTerms
make_terms(const char *accountant_name, double epsilon, double delta)
{
	DprivTerms	terms;
	DprivAccountant accountant;
	double		orders[DPRIV_MAX_BUDGET_ORDERS];
	int			norders = parse_accountant(accountant_name, &accountant, orders);

	switch (dpriv_terms_init(&terms, accountant, epsilon, delta, orders, norders))
	{
		case DPRIV_TERMS_OK:
			break;
		case DPRIV_TERMS_EPSILON:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("epsilon of a budget is out of range"),
					 errdetail("It must lie between 0 and %g.", DPRIV_BUDGET_MAX_EPSILON),
					 errhint("Budgets from 1 to 10 are usual.")));
			break;
		case DPRIV_TERMS_DELTA:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("delta of a budget is out of range"),
					 errdetail("It must be 0 or more and less than 1."),
					 errhint("It should be far below one over the number of rows, for example "
							 "1e-6.")));
			break;
		case DPRIV_TERMS_NEEDS_DELTA:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("accountant %s needs a delta", dpriv_accountant_name(accountant)),
					 errdetail("A sum of divergences becomes an epsilon only together with a "
							   "delta."),
					 errhint("Pass a delta, for example 1e-6, or use the accountant basic.")));
			break;
		case DPRIV_TERMS_ORDER:
			refuse_orders();
	}
	return terms;
}

/*
 * All parts of it count forward, so that each period ends after it began, and their multiples stay
 * far from what a timestamp can hold.
 */
static void
check_period(const Interval *period)
{
	double		seconds = (double) period->time / USECS_PER_SEC +
		(double) SECS_PER_DAY * (period->day + DAYS_PER_YEAR / MONTHS_PER_YEAR * period->month);

	if (period->time < 0 || period->day < 0 || period->month < 0 || seconds < 1 ||
		seconds > (double) SECS_PER_YEAR * LONGEST_PERIOD_YEARS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("period of a budget is out of range"),
				 errdetail("It must lie between one second and %d years, without negative parts.",
						   LONGEST_PERIOD_YEARS),
				 errhint("Write for example '1 month', or NULL for a budget that can be spent "
						 "only once.")));
}

static int64
read_lifetime(double epsilon)
{
	DprivTerms	terms;

	if (dpriv_terms_init(&terms, DPRIV_BASIC, epsilon, 0, NULL, 0) != DPRIV_TERMS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("lifetime_epsilon of a budget is out of range"),
				 errdetail("It must lie between 0 and %g.", DPRIV_BUDGET_MAX_EPSILON),
				 errhint("It bounds the sum over all periods; NULL means that nothing does.")));
	return terms.epsilon;
}

/*
 * The table
 */

/* Locked against all others that change this budget, until the end of the transaction. */
static Relation
open_budgets(const char *function, Oid grantee, Oid relation)
{
	char	   *command = psprintf("dpriv.%s()", function);
	Relation	rel;

	PreventCommandDuringRecovery(command);
	PreventCommandIfReadOnly(command);
	PreventCommandIfParallelMode(command);
	rel = dpriv_relation_open(DPRIV_TABLE_BUDGET, RowExclusiveLock);
	dpriv_budget_lock_terms(relation, grantee);
	return rel;
}

/* The row of a budget as of now, a copy; NULL if there is none. */
static HeapTuple
find_budget(Relation rel, DprivBudgetKind kind, Oid grantee, Oid relation)
{
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	HeapTuple	found = NULL;

	ScanKeyInit(&key[0], Anum_dpriv_budget_relation, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relation));
	ScanKeyInit(&key[1], Anum_dpriv_budget_grantee, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(grantee));
	scan = systable_beginscan(rel, dpriv_budget_index(), true, NULL, 2, key);
	while (found == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
		if (dpriv_budget_read(tuple, RelationGetDescr(rel))->kind == kind)
			found = heap_copytuple(tuple);
	systable_endscan(scan);
	return found;
}

static Datum
reals_array(const double *reals, int n)
{
	Datum		element[DPRIV_MAX_BUDGET_ORDERS];

	for (int i = 0; i < n; i++)
		element[i] = Float8GetDatum(reals[i]);
	return PointerGetDatum(construct_array(element, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

/* Insert a budget, or give the one that there is new terms. */
static void
put_budget(const char *function, DprivBudgetKind kind, Oid grantee, Oid relation,
		   const DprivTerms *terms, const Interval *period, int64 lifetime)
{
	Relation	rel = open_budgets(function, grantee, relation);
	HeapTuple	old = find_budget(rel, kind, grantee, relation);
	HeapTuple	tuple;
	Datum		values[Natts_dpriv_budget] = {0};
	bool		nulls[Natts_dpriv_budget] = {0};
	pg_uuid_t	id;
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz granted_at = now;

	if (old)
	{
		DprivBudget *budget = dpriv_budget_read(old, RelationGetDescr(rel));

		id = budget->id;
		granted_at = budget->granted_at;
	}
	else
		dpriv_make_uuid(&id);

#define VALUE(column) values[Anum_dpriv_budget_##column - 1]
#define IS_NULL(column) nulls[Anum_dpriv_budget_##column - 1]
	VALUE(id) = UUIDPGetDatum(&id);
	VALUE(kind) = CStringGetTextDatum(dpriv_budget_kind_name(kind));
	VALUE(grantee) = ObjectIdGetDatum(grantee);
	VALUE(relation) = ObjectIdGetDatum(relation);
	VALUE(accountant) = CStringGetTextDatum(dpriv_accountant_name(terms->accountant));
	VALUE(epsilon) = dpriv_units_to_numeric(terms->epsilon, DPRIV_EPSILON_DIGITS);
	VALUE(delta) = dpriv_units_to_numeric(terms->delta, DPRIV_DELTA_DIGITS);
	VALUE(orders) = reals_array(terms->order,
								terms->accountant == DPRIV_RDP ? terms->norders : 0);
	VALUE(limits) = reals_array(terms->limit, terms->norders);
	VALUE(delta_selection) = dpriv_units_to_numeric(terms->delta_selection, DPRIV_DELTA_DIGITS);
	IS_NULL(period) = period == NULL;
	VALUE(period) = IntervalPGetDatum(period);
	IS_NULL(lifetime_epsilon) = lifetime < 0;
	if (lifetime >= 0)
		VALUE(lifetime_epsilon) = dpriv_units_to_numeric(lifetime, DPRIV_EPSILON_DIGITS);
	VALUE(granted_at) = TimestampTzGetDatum(granted_at);
	VALUE(granted_by) = CStringGetTextDatum(GetUserNameFromId(GetUserId(), false));
	VALUE(changed_at) = TimestampTzGetDatum(now);
	VALUE(revoked) = BoolGetDatum(false);
#undef VALUE
#undef IS_NULL

	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);
	if (old)
		CatalogTupleUpdate(rel, &old->t_self, tuple);
	else
		CatalogTupleInsert(rel, tuple);
	CacheInvalidateRelcache(rel);
	CommandCounterIncrement();
	if (kind != DPRIV_BUDGET_MARK &&
		find_budget(rel, DPRIV_BUDGET_MARK, InvalidOid, InvalidOid) == NULL)
	{
		const DprivTerms nothing = {0};

		put_budget(function, DPRIV_BUDGET_MARK, InvalidOid, InvalidOid, &nothing, NULL, -1);
	}
	table_close(rel, NoLock);
}

/* Mark a budget as revoked.  False: there is none. */
static bool
mark_revoked(const char *function, DprivBudgetKind kind, Oid grantee, Oid relation)
{
	Relation	rel = open_budgets(function, grantee, relation);
	HeapTuple	old = find_budget(rel, kind, grantee, relation);

	if (old)
	{
		Datum		values[Natts_dpriv_budget] = {0};
		bool		nulls[Natts_dpriv_budget] = {0};
		bool		replace[Natts_dpriv_budget] = {0};
		HeapTuple	tuple;

		values[Anum_dpriv_budget_revoked - 1] = BoolGetDatum(true);
		replace[Anum_dpriv_budget_revoked - 1] = true;
		values[Anum_dpriv_budget_changed_at - 1] = TimestampTzGetDatum(GetCurrentTimestamp());
		replace[Anum_dpriv_budget_changed_at - 1] = true;
		tuple = heap_modify_tuple(old, RelationGetDescr(rel), values, nulls, replace);
		CatalogTupleUpdate(rel, &old->t_self, tuple);
	}
	CacheInvalidateRelcache(rel);
	table_close(rel, NoLock);
	CommandCounterIncrement();
	return old != NULL;
}

/* Is there a cap in force on the relation, or on all relations? */
static bool
has_cap(Oid relation)
{
	Relation	rel = dpriv_relation_open(DPRIV_TABLE_BUDGET, AccessShareLock);
	Oid			places[] = {relation, InvalidOid};
	bool		found = false;

	for (int i = 0; i < lengthof(places) && !found; i++)
	{
		HeapTuple	tuple = find_budget(rel, DPRIV_BUDGET_CAP, InvalidOid, places[i]);

		found = tuple && !dpriv_budget_read(tuple, RelationGetDescr(rel))->revoked;
	}
	table_close(rel, AccessShareLock);
	return found;
}

static char *
name_of(DprivBudgetKind kind, Oid grantee, Oid relation)
{
	DprivBudget budget = {.kind = kind, .grantee = grantee, .relation = relation};

	return dpriv_budget_name(&budget);
}

/*
 * Functions.  NULL is not a mistake where it means something, so none of them is STRICT.
 */

/*
 * What a grant and a cap have in common; arguments from first on: epsilon, delta, accountant,
 * period, lifetime_epsilon.
 */
static void
grant(FunctionCallInfo fcinfo, int first, const char *function, DprivBudgetKind kind, Oid grantee,
	  Oid relation)
{
	double		epsilon = read_real(fcinfo, first, function, "epsilon",
									"Budgets from 1 to 10 are usual.");
	double		delta = read_real(fcinfo, first + 1, function, "delta",
								  "Leave it out, or write 0, for none.");
	Interval   *period = PG_ARGISNULL(first + 3) ? NULL : PG_GETARG_INTERVAL_P(first + 3);
	int64		lifetime = -1;
	DprivTerms	terms;

	if (PG_ARGISNULL(first + 2))
		refuse_null(function, "accountant", "Leave it out, or write basic, zcdp or rdp.");
	terms = make_terms(text_to_cstring(PG_GETARG_TEXT_PP(first + 2)), epsilon, delta);
	if (period)
		check_period(period);
	if (!PG_ARGISNULL(first + 4))
		lifetime = read_lifetime(PG_GETARG_FLOAT8(first + 4));
	put_budget(function, kind, grantee, relation, &terms, period, lifetime);

	if (period && lifetime < 0)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("%s has a period but no lifetime_epsilon",
						name_of(kind, grantee, relation)),
				 errdetail("It bounds the loss of privacy in each period; k periods cost k times "
						   "as much."),
				 errhint("Pass lifetime_epsilon to bound their sum.")));
	if (kind == DPRIV_BUDGET_ROLE && !has_cap(relation))
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("%s has no cap beside it", name_of(kind, grantee, relation)),
				 errdetail("Roles that share their answers learn as much as all of their budgets "
						   "together allow."),
				 errhint("Call dpriv.set_cap() to bound what all roles together may spend.")));
}

PG_FUNCTION_INFO_V1(dpriv_grant_budget);

/*
 * dpriv.grant_budget(grantee text, relation regclass, epsilon float8, delta float8,
 * accountant text, period interval, lifetime_epsilon float8) returns void.
 */
Datum
dpriv_grant_budget(PG_FUNCTION_ARGS)
{
	DprivBudgetKind kind;
	Oid			grantee;
	Oid			relation;

	if (PG_ARGISNULL(0))
		refuse_null("grant_budget", "grantee", "Name a role, or write public for all roles.");
	relation = read_relation(fcinfo, 1, true);
	kind = read_grantee(text_to_cstring(PG_GETARG_TEXT_PP(0)), &grantee);
	grant(fcinfo, 2, "grant_budget", kind, grantee, relation);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_revoke_budget);

/* dpriv.revoke_budget(grantee text, relation regclass) returns void. */
Datum
dpriv_revoke_budget(PG_FUNCTION_ARGS)
{
	DprivBudgetKind kind;
	Oid			grantee;
	Oid			relation;

	if (PG_ARGISNULL(0))
		refuse_null("revoke_budget", "grantee", "Name a role, or write public for all roles.");
	relation = read_relation(fcinfo, 1, false);
	kind = read_grantee(text_to_cstring(PG_GETARG_TEXT_PP(0)), &grantee);
	if (!mark_revoked("revoke_budget", kind, grantee, relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("%s does not exist", name_of(kind, grantee, relation)),
				 errhint("The view dpriv.budget_status lists all budgets.")));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_set_cap);

/*
 * dpriv.set_cap(relation regclass, epsilon float8, delta float8, accountant text, period interval,
 * lifetime_epsilon float8) returns void.
 */
Datum
dpriv_set_cap(PG_FUNCTION_ARGS)
{
	bool		remove = PG_ARGISNULL(1);
	Oid			relation = read_relation(fcinfo, 0, !remove);

	if (!remove)
		grant(fcinfo, 1, "set_cap", DPRIV_BUDGET_CAP, InvalidOid, relation);
	else if (!mark_revoked("set_cap", DPRIV_BUDGET_CAP, InvalidOid, relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("%s does not exist", name_of(DPRIV_BUDGET_CAP, InvalidOid, relation)),
				 errhint("The view dpriv.budget_status lists all caps.")));
	PG_RETURN_VOID();
}
