/*
 * guard_policy.c
 *	  The policies of a protected relation: the guard's, and the one that names who is trusted.
 *
 * Both are read from the relation's own cache entry, and only while they are in force.  A policy is
 * the guard's if it keeps everybody from reading rows whom the guard refuses; its name proves
 * nothing.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "nodes/primnodes.h"
#include "objects.h"
#include "policy/guard_policy.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/rel.h"

static bool
is_guard_call(Node *qual)
{
	return qual && IsA(qual, FuncExpr) && OidIsValid(((FuncExpr *) qual)->funcid) &&
		((FuncExpr *) qual)->funcid == dpriv_object(DPRIV_GUARD);
}

bool
dpriv_is_guard_qual(Node *qual)
{
	ListCell   *lc;
	List	   *args;

	if (qual && IsA(qual, List))
		args = (List *) qual;
	else if (qual && IsA(qual, BoolExpr) && ((BoolExpr *) qual)->boolop == AND_EXPR)
		args = ((BoolExpr *) qual)->args;
	else
		return is_guard_call(qual);

	foreach(lc, args)
		if (!dpriv_is_guard_qual(lfirst(lc)))
			return false;
	return args != NIL;
}

/* Roles that a policy is for. */
static List *
roles_of(RowSecurityPolicy *policy)
{
	Oid		   *role = (Oid *) ARR_DATA_PTR(policy->roles);
	List	   *roles = NIL;

	for (int i = 0; i < ARR_DIMS(policy->roles)[0]; i++)
		roles = lappend_oid(roles, role[i]);
	return roles;
}

/* Policies of an open relation that are in force; NIL if none is. */
static List *
policies_of(Relation rel)
{
	return rel->rd_rel->relrowsecurity && rel->rd_rsdesc ? rel->rd_rsdesc->policies : NIL;
}

/* Does it keep everybody from reading rows whom the guard refuses on this relation? */
static bool
is_guard_policy(RowSecurityPolicy *policy, Oid relation)
{
	Node	   *argument;

	if (policy->permissive || !is_guard_call((Node *) policy->qual) ||
		(policy->polcmd != ACL_SELECT_CHR && policy->polcmd != '*') ||
		!list_member_oid(roles_of(policy), ACL_ID_PUBLIC))
		return false;
	argument = linitial(((FuncExpr *) policy->qual)->args);
	return IsA(argument, Const) && !((Const *) argument)->constisnull &&
		DatumGetObjectId(((Const *) argument)->constvalue) == relation;
}

bool
dpriv_has_guard_policy(Relation rel)
{
	ListCell   *lc;

	foreach(lc, policies_of(rel))
		if (is_guard_policy(lfirst(lc), RelationGetRelid(rel)))
			return true;
	return false;
}

List *
dpriv_trusted_roles(Oid relation)
{
	Relation	rel = try_relation_open(relation, AccessShareLock);
	List	   *roles = NIL;
	ListCell   *lc;

	if (rel == NULL)
		return NIL;
	foreach(lc, policies_of(rel))
	{
		RowSecurityPolicy *policy = lfirst(lc);

		if (!policy->permissive && strcmp(policy->policy_name, DPRIV_POLICY_TRUSTED) == 0)
			roles = roles_of(policy);
	}
	relation_close(rel, AccessShareLock);

	/* Everybody cannot be trusted: whoever wants that ends the protection. */
	return list_delete_oid(roles, ACL_ID_PUBLIC);
}
