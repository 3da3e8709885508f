/*
 * mute.c
 *	  No messages at debug levels in a session that has read private rows.
 *
 * A server process keeps what it has looked up: types, functions, where long values are.  What it
 * has looked up for a single row it need not look up again, and at debug levels it tells so, even
 * in later statements: catalog caches grow when they are full.  Settings come back in many ways
 * (a transaction or a function ends, a role changes), but all of them go through the record of the
 * setting.  There a variable of our own takes the place of the server's, which follows it.
 */
#include "postgres.h"

#include "compat.h"
#include "miscadmin.h"
#include "release/mute.h"
#include "utils/acl.h"
#include "utils/guc.h"

static int	wanted;				/* what client_min_messages is set to */
static bool muted = false;

static void
follow(int value, void *extra)
{
	client_min_messages = muted ? Max(value, LOG) : value;
}

void
dpriv_mute_init(void)
{
	struct config_enum *setting = (struct config_enum *) dpriv_find_setting("client_min_messages");

	wanted = client_min_messages;
	setting->variable = &wanted;
	setting->assign_hook = follow;
}

void
dpriv_mute(void)
{
	if (muted || has_bypassrls_privilege(GetSessionUserId()))
		return;
	muted = true;
	client_min_messages = Max(client_min_messages, LOG);
}
