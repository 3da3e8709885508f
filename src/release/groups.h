/*
 * groups.h
 *	  The groups of a release: every combination of the public values of its keys.
 */
#ifndef DPRIV_GROUPS_H
#define DPRIV_GROUPS_H

#include "nodes/pg_list.h"
#include "policy/domain.h"
#include "utils/array.h"

/* Most groups of one release, and most noisy integers in all of them together. */
#define DPRIV_MAX_GROUPS 65536
#define DPRIV_MAX_DRAWS (1 << 24)

typedef struct ReleaseGroups
{
	int			nkeys;
	DprivDomain *keys;			/* without NULL, which comes after their values */
	int			ngroups;		/* product of (nvalues + 1); 1 without keys */
} ReleaseGroups;

/* Are all values of a type public?  Those of booleans, enums and domains over them are. */
extern bool dpriv_groups_are_public(Oid type);

/* These values as texts, in their order. */
extern ArrayType *dpriv_groups_labels(Oid type);

/* keys: of ReleaseGroupKey, all of them public.  Errors: 54000 if there are too many groups. */
extern ReleaseGroups *dpriv_groups_make(List *keys);

/* Number of the group with these key values, or -1 for a value that is not public. */
extern int	dpriv_groups_find(const ReleaseGroups *groups, const Datum *value, const bool *isnull);

/* Key values of a group: the first key varies slowest, NULL comes last. */
extern void dpriv_groups_values(const ReleaseGroups *groups, int group, Datum *value, bool *isnull);

#endif							/* DPRIV_GROUPS_H */
