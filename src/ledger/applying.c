/*
 * applying.c
 *	  Which budgets a charge hits, remembered.
 *
 * Searching takes as long as the rest of a charge.  What was found is good until anything is heard
 * of that it could depend on: any relation (budgets, inheritance), any role or membership, any
 * schema, the owner of the database.  Whoever changed that has sent word before he was told that it
 * is done.
 */
#include "postgres.h"

#include "ledger/budget.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* So many pairs of a role and a relation are remembered, then all are forgotten. */
#define MAX_KNOWN 64

typedef struct Known
{
	Oid			role;
	Oid			relation;
	DprivRoot	root;
	List	   *budgets;
} Known;

static MemoryContext context = NULL;
static List *known = NIL;		/* of Known */
static bool valid = false;
static uint64 invalidations = 0;

static void
forget_relation(Datum arg, Oid relation)
{
	valid = false;
	invalidations++;
}

static void
forget_object(Datum arg, int cacheid, uint32 hashvalue)
{
	valid = false;
	invalidations++;
}

void
dpriv_applying_init(void)
{
	CacheRegisterRelcacheCallback(forget_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, forget_object, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMMEMROLE, forget_object, (Datum) 0);
	CacheRegisterSyscacheCallback(DATABASEOID, forget_object, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, forget_object, (Datum) 0);
}

static List *
copy_budgets(const List *budgets)
{
	List	   *copies = NIL;
	ListCell   *lc;

	foreach(lc, budgets)
	{
		DprivBudget *copy = palloc(sizeof(DprivBudget));

		*copy = *(DprivBudget *) lfirst(lc);
		copies = lappend(copies, copy);
	}
	return copies;
}

/* Not if something was heard of while it was searched for. */
static void
remember(Oid role, Oid relation, const DprivRoot *root, const List *budgets, uint64 before)
{
	MemoryContext old;
	Known	   *entry;

	if (context == NULL)
		context = AllocSetContextCreate(CacheMemoryContext, "dpriv budgets",
										ALLOCSET_SMALL_SIZES);
	if (!valid || list_length(known) >= MAX_KNOWN)
	{
		known = NIL;
		MemoryContextReset(context);
	}
	valid = invalidations == before;
	if (!valid)
		return;
	old = MemoryContextSwitchTo(context);
	entry = palloc(sizeof(Known));
	entry->role = role;
	entry->relation = relation;
	entry->root = *root;
	entry->root.name = root->name ? pstrdup(root->name) : NULL;
	entry->budgets = copy_budgets(budgets);
	known = lappend(known, entry);
	MemoryContextSwitchTo(old);
}

static DprivRoot
find_root(Oid relation)
{
	DprivRoot	root = {InvalidOid, NULL};
	char	   *name;

	if (!OidIsValid(relation))
		return root;
	root.relation = dpriv_budget_root(relation);
	name = get_rel_name(root.relation);
	if (name)
		root.name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(root.relation)),
											   name);
	return root;
}

List *
dpriv_budgets_applying(Oid role, Oid relation, DprivRoot *root)
{
	List	   *budgets;
	ListCell   *lc;
	DprivRoot	found;
	uint64		before;

	AcceptInvalidationMessages();
	before = invalidations;
	if (valid)
	{
		foreach(lc, known)
		{
			const Known *entry = lfirst(lc);

			if (entry->role != role || entry->relation != relation)
				continue;
			root->relation = entry->root.relation;
			root->name = entry->root.name ? pstrdup(entry->root.name) : NULL;
			return copy_budgets(entry->budgets);
		}
	}
	budgets = dpriv_budgets_search(role, relation);
	found = find_root(relation);
	remember(role, relation, &found, budgets, before);
	*root = found;
	return budgets;
}
