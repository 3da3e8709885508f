/*
 * dpriv.c
 *	  Module magic and _PG_init: wires the rest, nothing else.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
}
