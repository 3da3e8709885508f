/*
 * bypass.c
 *	  Ways to rows that lead past their table: built-in functions, and catalogs that hold values.
 *
 * The functions need the privilege to SELECT, which restricted roles have, and no plan, so that
 * row-level security does not stop them.  Which table they are called for is not known yet when
 * they can be stopped, so they are refused altogether.  The catalogs have values that ANALYZE has
 * kept, of all tables.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic_ext_data.h"
#include "compat.h"
#include "guard/bypass.h"
#include "guard/revealing.h"
#include "guard/utility.h"
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
	dpriv_refuse_revealing(function);
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
 * Does a catalog have values that ANALYZE has kept?  Its TOAST table may.  pg_statistic itself is
 * masked.
 */
static bool
holds_values(Oid catalog)
{
	return catalog == StatisticExtDataRelationId ||
		(catalog < FirstNormalObjectId && get_rel_relkind(catalog) == RELKIND_TOASTVALUE);
}

/* Views such as pg_stats_ext read them as a superuser, and show what the user may see. */
bool
dpriv_guard_permissions(List *permissions, bool raise)
{
	ListCell   *lc;

	dpriv_guard_copied(permissions);
	foreach(lc, permissions)
	{
		DprivPermission *permission = lfirst(lc);
		Oid			role = permission->checkAsUser;

		if (!OidIsValid(permission->relid) || !holds_values(permission->relid) ||
			has_bypassrls_privilege(OidIsValid(role) ? role : GetUserId()) ||
			!dpriv_anything_protected())
			continue;
		if (raise)
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("catalog \"%s\" cannot be read where relations are protected",
							get_rel_name(permission->relid)),
					 errdetail("It holds values of rows."),
					 errhint("Read the views pg_stats and pg_stats_ext.")));
		return false;
	}
	return true;
}
