/*
 * mask.c
 *	  Catalogs and functions that tell of private rows, made to say nothing of them.
 *
 * A catalog in FROM is replaced by a subquery on it, as a view would be, in which what tells of the
 * rows of a relation is what a relation that nobody has analyzed has.  A call of a revealing
 * function becomes a call of dpriv.unless_hidden() with that function as an argument.  Who must not
 * see which relation is asked when the plan is executed.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/heap.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "fmgr.h"
#include "guard/mask.h"
#include "guard/revealing.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "objects.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "policy/policy.h"
#include "rewrite/rewriteManip.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/*
 * What ANALYZE and VACUUM set in pg_class (relallfrozen is from 18 on), and where late minor
 * releases keep the WAL position at which a column's relation was made.
 */
static const struct
{
	Oid			catalog;
	const char *name;
}			masked_columns[] = {
	{RelationRelationId, "relpages"},
	{RelationRelationId, "reltuples"},
	{RelationRelationId, "relallvisible"},
	{RelationRelationId, "relallfrozen"},
	{RelationRelationId, "relfrozenxid"},
	{RelationRelationId, "relminmxid"},
	{AttributeRelationId, "attoptions"},
};

/* In a field of relations in FROM that nothing else uses: it has been looked at. */
static char seen[] = "dpriv";

static bool
is_seen(const RangeTblEntry *rte)
{
	return rte->enrname && strcmp(rte->enrname, seen) == 0;
}

static int	hides_slot;
static int	hides_statistics_slot;
static int	unless_hidden_slot;
static int	unless_hidden_alone_slot;

void
dpriv_mask_init(void)
{
	hides_slot = dpriv_objects_declare(&(DprivFunctionName)
									   {true, "hides", 1, {OIDOID}, true});
	hides_statistics_slot = dpriv_objects_declare(&(DprivFunctionName)
												  {true, "hides_statistics", 2, {OIDOID, INT2OID},
												   true});
	unless_hidden_slot = dpriv_objects_declare(&(DprivFunctionName)
											   {true, "unless_hidden", 2, {OIDOID, ANYOID}, true});
	unless_hidden_alone_slot = dpriv_objects_declare(&(DprivFunctionName)
													 {true, "unless_hidden", 1, {OIDOID}, true});
}

static bool
is_masked(Oid catalog, const char *name)
{
	for (int i = 0; i < lengthof(masked_columns); i++)
		if (catalog == masked_columns[i].catalog && strcmp(name, masked_columns[i].name) == 0)
			return true;
	return false;
}

static bool
is_masked_column(const FormData_pg_attribute *attribute)
{
	return is_masked(attribute->attrelid, NameStr(attribute->attname));
}

bool
dpriv_mask_concerns(Node *node)
{
	ListCell   *lc;

	if (IsA(node, FuncExpr))
		return dpriv_revealing(((FuncExpr *) node)->funcid) != DPRIV_REVEALS_NOTHING;
	if (!IsA(node, Query))
		return false;
	foreach(lc, ((Query *) node)->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_RELATION && dpriv_revealing_catalog(rte->relid))
			return true;
	}
	return false;
}

/*
 * Which columns of a relation in FROM are used
 */

typedef struct Usage
{
	Query	   *level;
	Index		rti;
	int			sublevels_up;
	Bitmapset  *columns;		/* offset as in sysattr.h */
	bool		unknown;		/* a join's columns are used, which may be its */
} Usage;

static bool
usage_walker(Node *node, Usage *usage)
{
	Var		   *var = (Var *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		usage->sublevels_up++;
		(void) query_tree_walker((Query *) node, usage_walker, usage, QTW_IGNORE_JOINALIASES);
		usage->sublevels_up--;
		return false;
	}
	if (IsA(node, Var) && var->varlevelsup == usage->sublevels_up)
	{
		if (var->varno == usage->rti)
			usage->columns = bms_add_member(usage->columns,
											var->varattno - FirstLowInvalidHeapAttributeNumber);
		else if (rt_fetch(var->varno, usage->level->rtable)->rtekind == RTE_JOIN)
			usage->unknown = true;
	}
	return expression_tree_walker(node, usage_walker, usage);
}

static bool
uses_whole_row(const Usage *usage)
{
	return bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, usage->columns);
}

/* Does the level, or what is below it, use a column that tells of rows?  Also by a whole row. */
static bool
uses_masked(const Usage *usage, TupleDesc tupdesc)
{
	if (usage->unknown || uses_whole_row(usage))
		return true;
	for (int i = 0; i < tupdesc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(tupdesc, i);

		if (is_masked_column(attribute) &&
			bms_is_member(attribute->attnum - FirstLowInvalidHeapAttributeNumber,
						  usage->columns))
			return true;
	}
	return false;
}

/*
 * System columns
 */

/* A subquery has none: they become columns that it has behind the others. */
typedef struct Moved
{
	Index		rti;
	int			sublevels_up;
	AttrNumber	to[-FirstLowInvalidHeapAttributeNumber];	/* by -attribute; 0: not there */
} Moved;

static bool
move_walker(Node *node, Moved *moved)
{
	Var		   *var = (Var *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		moved->sublevels_up++;
		(void) query_tree_walker((Query *) node, move_walker, moved, 0);
		moved->sublevels_up--;
		return false;
	}
	if (IsA(node, Var) && var->varlevelsup == moved->sublevels_up && var->varno == moved->rti &&
		var->varattno < 0)
		var->varattno = var->varattnosyn = moved->to[-var->varattno];
	return expression_tree_walker(node, move_walker, moved);
}

/*
 * Catalogs
 */

/* Without the extension nobody can say what is hidden: all is. */
static Expr *
call(int slot, List *args)
{
	Oid			function = dpriv_object(slot);

	if (!OidIsValid(function))
		return (Expr *) makeBoolConst(true, false);
	return (Expr *) makeFuncExpr(function, BOOLOID, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

static Var *
column(TupleDesc tupdesc, AttrNumber attno)
{
	const FormData_pg_attribute *attribute = attno > 0 ? TupleDescAttr(tupdesc, attno - 1) :
		SystemAttributeDefinition(attno);

	return makeVar(1, attribute->attnum, attribute->atttypid, attribute->atttypmod,
				   attribute->attcollation, 0);
}

/* What a relation has that has never been analyzed, or a column without options. */
static Expr *
unknown_value(const FormData_pg_attribute *attribute)
{
	return (Expr *) makeConst(attribute->atttypid, -1, attribute->attcollation, attribute->attlen,
							  attribute->atttypid == FLOAT4OID ? Float4GetDatum(-1) : (Datum) 0,
							  attribute->attlen == -1, attribute->attbyval);
}

static Expr *
hides_statistics(void *relation, void *attribute)
{
	return call(hides_statistics_slot, list_make2(relation, attribute));
}

/* Is a column hidden?  In pg_class that is a question of the relation. */
static Expr *
hides_column(const FormData_pg_attribute *attribute, TupleDesc tupdesc)
{
	if (attribute->attrelid == RelationRelationId)
		return call(hides_slot, list_make1(column(tupdesc, Anum_pg_class_oid)));
	return hides_statistics(makeConst(OIDOID, -1, InvalidOid, sizeof(Oid),
									  ObjectIdGetDatum(attribute->attrelid), false, true),
							makeConst(INT2OID, -1, InvalidOid, sizeof(int16),
									  Int16GetDatum(attribute->attnum), false, true));
}

static Expr *
masked(const FormData_pg_attribute *attribute, TupleDesc tupdesc)
{
	CaseExpr   *choice = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = hides_column(attribute, tupdesc);
	when->result = unknown_value(attribute);
	when->location = -1;
	choice->casetype = attribute->atttypid;
	choice->casecollid = attribute->attcollation;
	choice->args = list_make1(when);
	choice->defresult = (Expr *) column(tupdesc, attribute->attnum);
	choice->location = -1;
	return (Expr *) choice;
}

static void
add_column(Query *query, Expr *expr, const char *name)
{
	query->targetList = lappend(query->targetList,
								makeTargetEntry(expr, list_length(query->targetList) + 1,
												pstrdup(name), false));
}

/* SELECT all columns FROM the relation, those that tell of rows masked. */
static Query *
make_subquery(RangeTblEntry *relation, TupleDesc tupdesc)
{
	Query	   *query = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Node	   *condition = NULL;

	ref->rtindex = 1;
	query->commandType = CMD_SELECT;
	query->querySource = QSRC_ORIGINAL;
	query->canSetTag = true;
	query->rtable = list_make1(relation);
	for (int i = 0; i < tupdesc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(tupdesc, i);
		Expr	   *expr = (Expr *) column(tupdesc, attribute->attnum);

		if (is_masked_column(attribute))
			expr = masked(attribute, tupdesc);
		add_column(query, expr, NameStr(attribute->attname));
	}
	if (relation->relid == StatisticRelationId)
		condition = (Node *)
			make_notclause(hides_statistics(column(tupdesc, Anum_pg_statistic_starelid),
											column(tupdesc, Anum_pg_statistic_staattnum)));
	query->jointree = makeFromExpr(list_make1(ref), condition);
	return query;
}

/* In place: others refer to the entry by its number. */
static void
mask_relation(Query *query, Index rti, const Usage *usage, TupleDesc tupdesc)
{
	RangeTblEntry *rte = rt_fetch(rti, query->rtable);
	RangeTblEntry *inner = copyObject(rte);
	Moved		moved = {rti};

	inner->enrname = seen;
	inner->lateral = false;
	dpriv_relation_to_subquery(query, rte, make_subquery(inner, tupdesc));
	for (int attno = -1; attno > FirstLowInvalidHeapAttributeNumber; attno--)
	{
		if (!bms_is_member(attno - FirstLowInvalidHeapAttributeNumber, usage->columns))
			continue;
		if (uses_whole_row(usage))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a whole row of a catalog and a system column of it cannot be read in "
							"one query where relations are protected"),
					 errhint("Name the columns that are needed.")));
		add_column(rte->subquery, (Expr *) column(tupdesc, attno),
				   NameStr(SystemAttributeDefinition(attno)->attname));
		moved.to[-attno] = list_length(rte->subquery->targetList);
	}
	(void) query_tree_walker(query, move_walker, &moved, 0);
}

static void
mask_catalog(Query *query, Index rti)
{
	RangeTblEntry *rte = rt_fetch(rti, query->rtable);
	Usage		usage = {query, rti};
	Relation	rel;

	(void) query_tree_walker(query, usage_walker, &usage, QTW_IGNORE_JOINALIASES);
	rel = table_open(rte->relid, AccessShareLock);
	if (rte->relid != StatisticRelationId && !uses_masked(&usage, RelationGetDescr(rel)))
		rte->enrname = seen;
	else
	{
		if (rti == query->resultRelation || get_parse_rowmark(query, rti))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("rows of catalog \"%s\" cannot be locked or changed where relations are "
							"protected", get_rel_name(rte->relid)),
					 errhint("Leave FOR UPDATE or FOR SHARE out.")));
		mask_relation(query, rti, &usage, RelationGetDescr(rel));
	}
	table_close(rel, NoLock);
}

/*
 * Functions
 */

/* What is not replaced is refused when it is called. */
static void
mask_call(FuncExpr *expr)
{
	DprivRevealing reveals = dpriv_revealing(expr->funcid);
	Oid			function = dpriv_object(expr->args ? unless_hidden_slot : unless_hidden_alone_slot);
	ListCell   *lc;

	if (!OidIsValid(function) || expr->funcretset ||
		(reveals != DPRIV_REVEALS_RELATION && reveals != DPRIV_REVEALS_SERVER))
		return;
	foreach(lc, expr->args)
		if (IsA(lfirst(lc), NamedArgExpr))
			return;
	expr->args = lcons(makeConst(OIDOID, -1, InvalidOid, sizeof(Oid),
								 ObjectIdGetDatum(expr->funcid), false, true), expr->args);
	expr->funcid = function;
	expr->funcformat = COERCE_EXPLICIT_CALL;
}

static bool
mask_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		dpriv_mask((Query *) node);
		return false;
	}
	if (IsA(node, FuncExpr))
		mask_call((FuncExpr *) node);

	/* In FROM the catalog says which type a function returns. */
	if (IsA(node, RangeTblFunction) && exprType(((RangeTblFunction *) node)->funcexpr) != INT8OID &&
		IsA(((RangeTblFunction *) node)->funcexpr, FuncExpr))
		node = (Node *) ((FuncExpr *) ((RangeTblFunction *) node)->funcexpr)->args;
	return expression_tree_walker(node, mask_walker, context);
}

void
dpriv_mask(Query *query)
{
	check_stack_depth();
	for (Index rti = 1; rti <= list_length(query->rtable); rti++)
	{
		RangeTblEntry *rte = rt_fetch(rti, query->rtable);

		if (rte->rtekind == RTE_RELATION && dpriv_revealing_catalog(rte->relid) &&
			!is_seen(rte))
			mask_catalog(query, rti);
	}
	(void) query_tree_walker(query, mask_walker, NULL, 0);
}

void
dpriv_mask_check(PlannerInfo *root, RelOptInfo *rel, Oid relation)
{
	if (!dpriv_revealing_catalog(relation) || !dpriv_anything_protected() ||
		is_seen(planner_rt_fetch(rel->relid, root)) || has_bypassrls_privilege(GetUserId()))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("catalog \"%s\" cannot be read in this way where relations are protected",
					get_rel_name(relation)),
			 errdetail("A function that reads it was put in place while the statement was being "
					   "planned."),
			 errhint("Read it in the statement itself.")));
}

PG_FUNCTION_INFO_V1(dpriv_hides_statistics);

/* dpriv.hides_statistics(relation oid, attribute int2) returns boolean. */
Datum
dpriv_hides_statistics(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	AttrNumber	attno = PG_GETARG_INT16(1);
	char	   *name;

	if (relation != RelationRelationId && relation != AttributeRelationId)
		PG_RETURN_BOOL(dpriv_hides(relation));
	name = get_attname(relation, attno, true);
	PG_RETURN_BOOL(name && is_masked(relation, name) && dpriv_is_restricted_anywhere(GetUserId()));
}

/* The function to be called, once it is known to be one of those that the planner hands over. */
static FmgrInfo *
prepare_call(FunctionCallInfo fcinfo, Oid function)
{
	FmgrInfo   *flinfo = fcinfo->flinfo->fn_extra;
	Oid		   *argtypes;
	int			nargs;
	AclResult	result;

	if (flinfo && flinfo->fn_oid == function)
		return flinfo;
	if (dpriv_revealing(function) != DPRIV_REVEALS_RELATION &&
		dpriv_revealing(function) != DPRIV_REVEALS_SERVER)
		return NULL;
	(void) get_func_signature(function, &argtypes, &nargs);
	if (nargs != PG_NARGS() - 1 ||
		get_fn_expr_rettype(fcinfo->flinfo) != get_func_rettype(function))
		return NULL;
	for (int i = 0; i < nargs; i++)
		if (get_fn_expr_argtype(fcinfo->flinfo, i + 1) != argtypes[i])
			return NULL;
	result = dpriv_function_aclcheck(function, GetUserId());
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	flinfo = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FmgrInfo));
	fmgr_info_cxt(function, flinfo, fcinfo->flinfo->fn_mcxt);
	fcinfo->flinfo->fn_extra = flinfo;
	return flinfo;
}

PG_FUNCTION_INFO_V1(dpriv_unless_hidden);

/*
 * dpriv.unless_hidden(function oid [, VARIADIC arguments "any"]): what a revealing function returns,
 * whatever its type is; NULL if the current role must not see that.
 */
Datum
dpriv_unless_hidden(PG_FUNCTION_ARGS)
{
	Oid			function = PG_GETARG_OID(0);
	FmgrInfo   *flinfo = prepare_call(fcinfo, function);
	LOCAL_FCINFO(inner, FUNC_MAX_ARGS);
	Datum		result;

	if (flinfo == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dpriv.unless_hidden() does not take this function, or not these arguments"),
				 errhint("Call the function itself.")));
	if (dpriv_revealing(function) == DPRIV_REVEALS_RELATION ?
		dpriv_hides(PG_GETARG_OID(1)) : dpriv_is_restricted_anywhere(GetUserId()))
		PG_RETURN_NULL();
	InitFunctionCallInfoData(*inner, flinfo, PG_NARGS() - 1, PG_GET_COLLATION(), NULL, NULL);
	for (int i = 1; i < PG_NARGS(); i++)
		inner->args[i - 1] = fcinfo->args[i];
	result = FunctionCallInvoke(inner);
	if (inner->isnull)
		PG_RETURN_NULL();
	return result;
}
