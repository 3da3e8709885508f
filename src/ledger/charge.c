/*
 * charge.c
 *	  The one place where releases are paid for.
 *
 * What is spent is never given back.  Budgets are resolved and roles are looked up before anything
 * is locked or written.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "config.h"
#include "ledger/charge.h"
#include "ledger/durable.h"
#include "ledger/fault.h"
#include "ledger/session.h"
#include "ledger/write.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/* A row must fit on a page, with a query of the longest length that the setting allows. */
#define MAX_MEASURES 32
#define MAX_PARAMETERS_LENGTH 1000

/* A statement that reads many relations must fit four pages: its text in all charges together. */
#define MAX_TEXT_LENGTH 8000

/*
 * Where nothing can be charged
 */

static void
check_place(void)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				 errmsg("private releases cannot run during recovery"),
				 errdetail("What a release costs cannot be recorded here."),
				 errhint("Send the query to the primary server.")));
	if (IsolationIsSerializable())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("private releases cannot run in a serializable transaction"),
				 errdetail("Predicate locks would show which rows were read."),
				 errhint("Use isolation level REPEATABLE READ or READ COMMITTED.")));
	if (IsInParallelMode())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("private releases cannot start in parallel mode"),
				 errdetail("What a release costs cannot be recorded there."),
				 errhint("Declare the function that holds the query PARALLEL UNSAFE.")));

	/*
	 * Autovacuum, and whoever analyzes, reindexes or refreshes what is another's, runs the owner's
	 * functions; so does a foreign key.  It would pay for them, and nobody would if it is a
	 * superuser.
	 */
	if ((InSecurityRestrictedOperation() || InNoForceRLSOperation()) &&
		GetUserId() != GetSessionUserId())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("private releases cannot run in maintenance for another role"),
				 errdetail("The session's user would pay for what the owner's functions ask."),
				 errhint("REFRESH a materialized view as its owner. Leave releases out of the "
						 "expressions of indexes and statistics.")));
}

/*
 * Roles
 */

/*
 * The budgets of a role end with it, and its sessions do not.  Asked after budgets were looked up:
 * who found none because the role was dropped sees that it is gone.
 */
static void
check_role_exists(void)
{
	AcceptInvalidationMessages();
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(GetSessionUserId())))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the session's role does not exist any more"),
				 errdetail("Its budgets ended when it was dropped."),
				 errhint("Log in as a role that exists.")));
}

/*
 * Who has budgets, but only revoked ones, may release nothing: taking a budget away must not open
 * the table.  Nor does a budget that covers a part of the rows allow to read all of them.
 * Superusers, who read the rows anyway, are only bound by budgets in force.
 */
static void
check_permission(const DprivItem *item, bool is_superuser)
{
	bool		has_revoked = false;
	bool		has_relation = item->row.relation_name != NULL;
	const char *on = has_relation ? text_to_cstring(item->row.relation_name) :
		"a function's rows";
	const char *whom = has_relation ? "the owner of the table" : "a superuser";
	ListCell   *lc;

	if (is_superuser)
		return;
	foreach(lc, item->budgets)
	{
		const DprivBudget *budget = lfirst(lc);

		if (budget->kind == DPRIV_BUDGET_CAP)
			continue;
		if (!budget->revoked && !budget->of_part)
			return;
		has_revoked |= budget->revoked;
	}
	if (has_revoked)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the role's budget was revoked"),
				 errdetail("No budget of role \"%s\" on %s is in force any more.",
						   text_to_cstring(item->row.session_role), on),
				 errhint("Ask %s to grant one again with dpriv.grant_budget().", whom)));
	if (dpriv_setting_require_budget)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the role has no budget"),
				 errdetail("Role \"%s\" has none on %s, and dpriv.require_budget is on.",
						   text_to_cstring(item->row.session_role), on),
				 errhint("Ask %s to grant one with dpriv.grant_budget().", whom)));
}

static text *
role_name(Oid role)
{
	char	   *name = GetUserNameFromId(role, true);

	return cstring_to_text(name ? name : psprintf("%u", role));
}

/*
 * Describing
 */

static text *
cut_text(const char *string, int length)
{
	int			size = strlen(string);

	if (size > length)
		size = pg_mbcliplen(string, size, length);
	return cstring_to_text_with_len(string, size);
}

static ArrayType *
measures_array(List *names)
{
	Datum		element[MAX_MEASURES];
	int			n = 0;
	ListCell   *lc;

	foreach(lc, names)
	{
		if (n == MAX_MEASURES - 1 && lnext(names, lc))
		{
			element[n++] = CStringGetTextDatum("...");
			break;
		}
		element[n++] = CStringGetTextDatum(lfirst(lc));
	}
	return construct_array(element, n, TEXTOID, -1, false, TYPALIGN_INT);
}

static text *
join(List *names)
{
	StringInfoData string;
	ListCell   *lc;

	initStringInfo(&string);
	foreach(lc, names)
		appendStringInfo(&string, "%s%s", foreach_current_index(lc) > 0 ? ", " : "",
						 (char *) lfirst(lc));
	return cstring_to_text_with_len(string.data, string.len);
}

static void
prepare_item(DprivItem *item, const DprivCharge *charge, int nitems, const char *query,
			 ParamListInfo params)
{
	DprivRow   *row = &item->row;
	DprivRoot	root;

	item->budgets = dpriv_budgets_applying(GetSessionUserId(), charge->relation, &root);
	dpriv_make_uuid(&row->charge_id);
	row->session_role = role_name(GetSessionUserId());
	row->current_role = role_name(GetUserId());
	row->relation = root.relation;
	if (OidIsValid(root.relation))
		row->relation_name = cstring_to_text(root.name ? root.name : "");
	row->mechanism = join(charge->mechanisms);
	row->measures = measures_array(charge->measures);
	row->cost = charge->cost;
	if (query && dpriv_setting_ledger_query_length > 0)
		row->query = cut_text(query, Min(dpriv_setting_ledger_query_length,
										 MAX_TEXT_LENGTH / nitems));
	if (params && dpriv_setting_ledger_parameters)
	{
		char	   *values = BuildParamLogString(params, NULL, MAX_PARAMETERS_LENGTH);

		if (values)
			row->parameters = cut_text(values, Min(MAX_PARAMETERS_LENGTH,
												   MAX_TEXT_LENGTH / nitems));
	}
}

void
dpriv_charge(List *charges, const char *query, ParamListInfo params)
{
	DprivCost	sum = {0};
	int			nitems = list_length(charges);
	DprivItem  *items = palloc0(sizeof(DprivItem) * (nitems + 1));
	bool		is_superuser = superuser_arg(GetSessionUserId());
	ListCell   *lc;

	check_place();
	foreach(lc, charges)
		sum = dpriv_cost_add(sum, ((DprivCharge *) lfirst(lc))->cost);
	dpriv_session_check(&sum);
	if (charges == NIL)
		return;
	foreach(lc, charges)
	{
		DprivItem  *item = &items[foreach_current_index(lc)];

		prepare_item(item, lfirst(lc), nitems, query, params);
		check_permission(item, is_superuser);
	}
	check_role_exists();
	dpriv_fault("resolved");
	dpriv_write(items, nitems, &sum);
	dpriv_fault("charged");
}

void
dpriv_charge_init(void)
{
	dpriv_applying_init();
	dpriv_durable_init();
	dpriv_fault_init();
}
