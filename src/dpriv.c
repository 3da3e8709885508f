/*
 * dpriv.c
 *	  Module magic and _PG_init: wires the rest, nothing else.
 */
#include "postgres.h"

#include "config.h"
#include "fmgr.h"
#include "guard/allowed.h"
#include "guard/mask.h"
#include "hooks.h"
#include "learn/learn.h"
#include "ledger/charge.h"
#include "mechanism/measure.h"
#include "objects.h"
#include "policy/attach.h"
#include "policy/policy.h"
#include "release/mute.h"
#include "release/release.h"
#include "sample/sample.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

/* Also reached on demand, by the first call of a library function: everything here allows that. */
void
_PG_init(void)
{
	dpriv_config_init();
	dpriv_measure_init();
	dpriv_objects_init();
	dpriv_policy_init();
	dpriv_attach_init();
	dpriv_mute_init();
	dpriv_release_init();
	dpriv_charge_init();
	dpriv_allowed_init();
	dpriv_mask_init();
	dpriv_learn_functions_init();
	dpriv_sample_functions_init();
	dpriv_hooks_init();
}
