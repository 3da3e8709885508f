/*
 * bypass.c
 *	  Ways to rows that lead past their table: built-in functions, and catalogs that hold values.
 *
 * The functions need the privilege to SELECT, which restricted roles have, and no plan, so that
 * row-level security does not stop them.  Which table they are called for is not known yet when
 * they can be stopped, so they are refused altogether.  The catalogs have the values that ANALYZE
 * keeps, of all tables.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
#include "compat.h"
#include "guard/bypass.h"
#include "miscadmin.h"
#include "policy/policy.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

static const Oid refused[] = {
	F_CURRTID2,					/* where the latest version of a row is; how many pages */
};

void
dpriv_guard_function(Oid function)
{
	for (int i = 0; i < lengthof(refused); i++)
		if (refused[i] == function && !superuser() && dpriv_anything_protected())
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("function %s cannot be called where relations are protected",
							get_func_name(function)),
					 errdetail("It looks at rows without a query."),
					 errhint("Read ctid in a query on a relation that is not protected.")));
}

/*
 * May a statement of the current user read these catalogs as this role?  Views such as pg_stats
 * read them as a superuser, and show what the user may SELECT from.  A member of pg_read_all_data
 * may that from indexes too, which have no policies: their expressions' values are there.
 */
static bool
may_read_statistics(Oid role)
{
	return has_bypassrls_privilege(GetUserId()) ||
		(has_bypassrls_privilege(role) &&
		 !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_DATA));
}

bool
dpriv_guard_permissions(List *permissions, bool raise)
{
	ListCell   *lc;

	foreach(lc, permissions)
	{
		DprivPermission *permission = lfirst(lc);
		Oid			role = permission->checkAsUser;

		if ((permission->relid != StatisticRelationId &&
			 permission->relid != StatisticExtDataRelationId) ||
			may_read_statistics(OidIsValid(role) ? role : GetUserId()) ||
			!dpriv_anything_protected())
			continue;
		if (raise)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("catalog %s cannot be read where relations are protected",
							get_rel_name(permission->relid)),
					 errdetail("It holds values of rows."),
					 errhint("Read the views pg_stats and pg_stats_ext, as a role that is not a "
							 "member of pg_read_all_data.")));
		return false;
	}
	return true;
}
