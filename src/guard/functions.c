/*
 * functions.c
 *	  Built-in functions that read rows without a query.
 *
 * They need the privilege to SELECT, which restricted roles have, and no plan, so that row-level
 * security does not stop them.  Which table they are called for is not known yet when they can be
 * stopped, so they are refused altogether.
 */
#include "postgres.h"

#include "guard/functions.h"
#include "guard/revealing.h"
#include "miscadmin.h"
#include "policy/policy.h"
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
