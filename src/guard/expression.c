/*
 * expression.c
 *	  What may be computed on a private row: comparisons of columns and constants.
 */
#include "postgres.h"

#include "access/transam.h"
#include "guard/expression.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_node.h"
#include "utils/lsyscache.h"

static bool
find_walker(Node *node, const char **found)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			if (((Var *) node)->varattno <= 0)
				*found = "a whole row or a system column";
			break;
		case T_Const:
		case T_Param:
		case T_List:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
			break;
		case T_OpExpr:
			if (!dpriv_guard_operator(((OpExpr *) node)->opno))
				*found = "an operator";
			break;
		default:
			*found = "a function";
			break;
	}
	return *found || expression_tree_walker(node, find_walker, found);
}

const char *
dpriv_guard_find(Node *expr)
{
	const char *found = NULL;

	(void) find_walker(expr, &found);
	return found;
}

Node *
dpriv_guard_expression(Node *expr, const char *query_string)
{
	const char *found = dpriv_guard_find(expr);

	if (found)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be used where a private release reads rows of a protected "
						"table", found),
				 errhint("Compare columns with constants.")));
	return expr;
}

bool
dpriv_guard_operator(Oid operator)
{
	return operator < FirstNormalObjectId && get_negator(operator) != InvalidOid;
}
