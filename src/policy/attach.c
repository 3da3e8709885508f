/*
 * attach.c
 *	  Children and partitions that a protected relation gets or loses.
 *
 * Whatever makes a relation a child of another calls the object access hook: that is where it is
 * noted.  When the statement is done, its descendants and parents are looked at, and what belongs
 * to a protected relation becomes protected as well, or the statement fails.  If nobody did so
 * after the statement, it is done before the transaction commits.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_inherits.h"
#include "compat.h"
#include "policy/attach.h"
#include "policy/guard_policy.h"
#include "policy/label.h"
#include "policy/policy.h"
#include "policy/protect.h"
#include "policy/root.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/*
 * Relations whose parents have changed in this transaction, and how many of them, from the first,
 * have been looked at.  Those of subtransactions are kept: a rollback takes what was done for them
 * away, and may leave them with their parents.
 */
static List *changed = NIL;
static int	nsettled = 0;

/*
 * Sessions must hear of it, and not every parent changes its child.  One that is just being made is
 * not to be found yet, and nobody remembers it.
 */
void
dpriv_attach_changed(Oid child)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);

	changed = lappend_oid(changed, child);
	MemoryContextSwitchTo(old);
	if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(child)))
		CacheInvalidateRelcacheByRelid(child);
}

/* Is this relation, or one below it, protected? */
static bool
any_protected(List *members)
{
	ListCell   *lc;

	foreach(lc, members)
		if (OidIsValid(dpriv_protected_root(lfirst_oid(lc))))
			return true;
	return false;
}

static void
settle(Oid child)
{
	Oid			root;
	List	   *members;
	List	   *trusted;
	ListCell   *lc;
	DprivLabel	label;

	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(child)))
		return;
	members = find_all_inheritors(child, AccessShareLock, NULL);
	if (!any_protected(members))
		return;

	members = find_all_inheritors(child, AccessExclusiveLock, NULL);
	root = dpriv_protected_root(child);
	if (!OidIsValid(root) || root == child)
	{
		/* It has lost its parent, and stays what it is; or it got one that is not protected. */
		dpriv_check_parents(members, child);
	}
	else
	{
		if (dpriv_label_read(root, &label))
			dpriv_check_policy(root);
		trusted = dpriv_trusted_roles(root);
		dpriv_check_members(members, root, trusted);

		/* A restore makes policies last: until then the label has to do, for both. */
		if (dpriv_policy_problem(root) == NULL)
			dpriv_protect_members(members, &label, trusted);
		else
			foreach(lc, members)
				dpriv_label_write(lfirst_oid(lc), &label);
	}

	/* The root that sessions remember is another one. */
	foreach(lc, members)
		CacheInvalidateRelcacheByRelid(lfirst_oid(lc));
}

static void
settle_all(void)
{
	List	   *children = changed;
	int			first = nsettled;
	int			last = list_length(children);

	if (first == last)
		return;
	nsettled = last;
	if (GetCurrentTransactionNestLevel() == 1)
	{
		changed = NIL;
		nsettled = 0;
	}
	CommandCounterIncrement();
	if (!dpriv_anything_protected())
		return;
	for (int i = first; i < last; i++)
		settle(list_nth_oid(children, i));
}

/* Warn if the protection of this relation is not complete any more. */
static void
check_broken(RangeVar *name)
{
	Oid			relation = RangeVarGetRelid(name, NoLock, true);
	const char *problem = OidIsValid(relation) ? dpriv_policy_problem(relation) : NULL;

	if (problem)
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("this breaks the protection of relation \"%s\"", get_rel_name(relation)),
				 errdetail("%s", problem),
				 errhint("Releases are refused until dpriv.protect() repairs it. "
						 "dpriv.unprotect() ends the protection.")));
}

static bool
disables_row_security(AlterTableStmt *statement)
{
	ListCell   *lc;

	foreach(lc, statement->cmds)
		if (lfirst_node(AlterTableCmd, lc)->subtype == AT_DisableRowSecurity)
			return true;
	return false;
}

static void
check_statement(Node *statement)
{
	ListCell   *lc;

	switch (nodeTag(statement))
	{
		case T_AlterTableStmt:
			if (disables_row_security((AlterTableStmt *) statement))
				check_broken(((AlterTableStmt *) statement)->relation);
			break;
		case T_AlterPolicyStmt:
			check_broken(((AlterPolicyStmt *) statement)->table);
			break;
		case T_RenameStmt:
			if (((RenameStmt *) statement)->renameType == OBJECT_POLICY)
				check_broken(((RenameStmt *) statement)->relation);
			break;
		case T_DropStmt:
			if (((DropStmt *) statement)->removeType != OBJECT_POLICY)
				break;
			foreach(lc, ((DropStmt *) statement)->objects)
			{
				List	   *name = lfirst_node(List, lc);

				check_broken(makeRangeVarFromNameList(list_truncate(list_copy(name),
																	list_length(name) - 1)));
			}
			break;
		default:
			break;
	}
}

/*
 * Parts of a statement are left to its end: their relations are in use until then.
 */
void
dpriv_attach_after_utility(Node *statement, ProcessUtilityContext context)
{
	if (context == PROCESS_UTILITY_SUBCOMMAND || !IsTransactionState())
		return;
	settle_all();
	if (statement && dpriv_anything_protected())
		check_statement(statement);
}

/* Policies are made by SQL commands, which need a snapshot; there is no portal any more. */
static void
settle_before_end(void)
{
	if (nsettled == list_length(changed))
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	settle_all();
	PopActiveSnapshot();
}

static void
at_end_of_transaction(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			settle_before_end();
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
		case XACT_EVENT_ABORT:
			changed = NIL;
			nsettled = 0;
			break;
		default:
			break;
	}
}

static void
at_end_of_subtransaction(SubXactEvent event, SubTransactionId subtransaction,
						 SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		nsettled = 0;
}

void
dpriv_attach_init(void)
{
	RegisterXactCallback(at_end_of_transaction, NULL);
	RegisterSubXactCallback(at_end_of_subtransaction, NULL);
}
