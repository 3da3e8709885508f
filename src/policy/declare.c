/*
 * declare.c
 *	  Declaring what is publicly known: dpriv.set_bounds, dpriv.set_domain, dpriv.set_public.
 *
 * What is declared decides how much noise there is and which groups come back, so it must come from
 * what everybody may know, never from rows.  Only the owner of a relation can be trusted with that.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "policy/arguments.h"
#include "policy/domain.h"
#include "policy/label.h"
#include "policy/policy.h"
#include "policy/root.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define OWNER_DECLARES "Its owner declares what is publicly known of it."

/*
 * Arguments
 */

static void
check_kind(Oid relation)
{
	char		relkind = get_rel_relkind(relation);

	if (dpriv_is_declarable(relkind) && !IsCatalogRelationOid(relation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("\"%s\" cannot have declarations", get_rel_name(relation)),
			 errdetail(relkind == RELKIND_VIEW ? "It is a view." :
					   "It is no table, foreign table or materialized view."),
			 errhint("Declare it of the table that the rows are stored in: releases that read it "
					 "through a view know.")));
}

static Oid
read_relation(FunctionCallInfo fcinfo, const char *function)
{
	Oid			relation = dpriv_read_relation(fcinfo, function, ShareUpdateExclusiveLock,
											   OWNER_DECLARES);

	check_kind(relation);
	return relation;
}

static AttrNumber
read_column(FunctionCallInfo fcinfo, const char *function, Oid relation)
{
	const char *name;
	AttrNumber	column;

	if (PG_ARGISNULL(1))
		dpriv_refuse_null(function, "attribute", "Name a column.");
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	column = get_attnum(relation, name);
	if (column <= InvalidAttrNumber)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("relation \"%s\" has no column \"%s\" to declare", get_rel_name(relation),
						name),
				 errhint("Write the name as in pg_attribute, without quotes.")));
	return column;
}

/* What is declared already; a label that cannot be read is replaced. */
static DprivDeclaration
current_declaration(Oid relation, AttrNumber column)
{
	DprivDeclaration declaration;

	if (dpriv_declaration_read(relation, column, &declaration))
		memset(&declaration, 0, sizeof(DprivDeclaration));
	return declaration;
}

/* Write it, and let what comes next in the same statement see it. */
static void
write_declaration(Oid relation, AttrNumber column, const DprivDeclaration *declaration)
{
	dpriv_declaration_write(relation, column, declaration);
	CommandCounterIncrement();
}

/* The texts of a one-dimensional array. */
static void
read_labels(ArrayType *array, DprivDeclaration *declaration)
{
	Datum	   *element;

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("labels of dpriv.set_domain must be a one-dimensional array without nulls"),
				 errhint("Write it as ARRAY['a', 'b']. Rows without a value are a group of their "
						 "own, which is not declared.")));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &element, NULL,
					  &declaration->nlabels);
	declaration->label = palloc(sizeof(char *) * (declaration->nlabels + 1));
	for (int i = 0; i < declaration->nlabels; i++)
		declaration->label[i] = TextDatumGetCString(element[i]);
}

/*
 * Functions
 */

PG_FUNCTION_INFO_V1(dpriv_set_bounds);

/* dpriv.set_bounds(relation regclass, attribute text, lower float8, upper float8) returns void. */
Datum
dpriv_set_bounds(PG_FUNCTION_ARGS)
{
	Oid			relation = read_relation(fcinfo, "set_bounds");
	AttrNumber	column = read_column(fcinfo, "set_bounds", relation);
	DprivDeclaration declaration = current_declaration(relation, column);
	const char *problem = NULL;

	declaration.has_bounds = !PG_ARGISNULL(2) || !PG_ARGISNULL(3);
	if (declaration.has_bounds)
	{
		if (PG_ARGISNULL(2) || PG_ARGISNULL(3))
			dpriv_refuse_null("set_bounds", PG_ARGISNULL(2) ? "lower" : "upper",
							  "Give both bounds, or NULL for both to remove them.");
		declaration.lower = PG_GETARG_FLOAT8(2);
		declaration.upper = PG_GETARG_FLOAT8(3);
		problem = dpriv_bounds_problem(declaration.lower, declaration.upper);
		if (problem == NULL)
			problem = dpriv_bounds_misfit(relation, column);
	}
	if (problem)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot have these bounds",
						get_attname(relation, column, false)),
				 errdetail("%s", problem),
				 errhint("The arguments are (relation, attribute, lower, upper), for a column of "
						 "numbers. Choose bounds from what is publicly known of it, not from its "
						 "values.")));
	write_declaration(relation, column, &declaration);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_set_domain);

/* dpriv.set_domain(relation regclass, attribute text, labels text[], other text) returns void. */
Datum
dpriv_set_domain(PG_FUNCTION_ARGS)
{
	Oid			relation = read_relation(fcinfo, "set_domain");
	AttrNumber	column = read_column(fcinfo, "set_domain", relation);
	DprivDeclaration declaration = current_declaration(relation, column);
	const char *problem = NULL;
	DprivDomain domain;

	declaration.nlabels = 0;
	declaration.other = PG_ARGISNULL(3) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(3));
	if (PG_ARGISNULL(2) && declaration.other)
		dpriv_refuse_null("set_domain", "labels", "List the values, for example ARRAY['a', 'b'].");
	if (!PG_ARGISNULL(2))
	{
		read_labels(PG_GETARG_ARRAYTYPE_P(2), &declaration);
		problem = dpriv_labels_problem(&declaration);
		if (problem == NULL)
			problem = dpriv_domain_make(&declaration, relation, column, &domain);
	}
	if (problem)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot have this domain",
						get_attname(relation, column, false)),
				 errdetail("%s", problem),
				 errhint("List different values of the column's type that are publicly known, "
						 "dates as YYYY-MM-DD.")));
	write_declaration(relation, column, &declaration);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(dpriv_set_public);

/* dpriv.set_public(relation regclass, public boolean) returns void. */
Datum
dpriv_set_public(PG_FUNCTION_ARGS)
{
	Oid			relation = read_relation(fcinfo, "set_public");
	DprivLabel	label = {.is_public = true};

	if (PG_ARGISNULL(1))
		dpriv_refuse_null("set_public", "public", "Write true or false.");
	if (!PG_GETARG_BOOL(1))
	{
		if (dpriv_label_is_public(relation))
			dpriv_label_write(relation, NULL);
		CommandCounterIncrement();
		PG_RETURN_VOID();
	}
	if (OidIsValid(dpriv_protected_root(relation)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("protected relation \"%s\" cannot be public", get_rel_name(relation)),
				 errhint("dpriv.unprotect() ends the protection.")));
	dpriv_label_write(relation, &label);
	CommandCounterIncrement();
	PG_RETURN_VOID();
}

/*
 * The list of declarations
 */

static Datum
label_array(const DprivDeclaration *declaration)
{
	Datum	   *element = palloc(sizeof(Datum) * declaration->nlabels);

	for (int i = 0; i < declaration->nlabels; i++)
		element[i] = CStringGetTextDatum(declaration->label[i]);
	return PointerGetDatum(construct_array(element, declaration->nlabels, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

PG_FUNCTION_INFO_V1(dpriv_declaration);

/*
 * dpriv.declaration(relation regclass, attribute integer, OUT public boolean, OUT lower float8,
 * OUT upper float8, OUT labels text[], OUT other text, OUT problem text): what dpriv.declarations
 * shows.  attribute: 0 for the relation itself.
 */
Datum
dpriv_declaration(PG_FUNCTION_ARGS)
{
	Oid			relation = PG_GETARG_OID(0);
	int32		column = PG_GETARG_INT32(1);
	Datum		values[6] = {0};
	bool		nulls[6] = {true, true, true, true, true, true};
	TupleDesc	tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (column == 0)
	{
		values[0] = BoolGetDatum(true);
		nulls[0] = !dpriv_label_is_public(relation);
	}
	else if (column > 0 && column <= PG_INT16_MAX && OidIsValid(get_atttype(relation, column)))
	{
		DprivDeclaration declaration;
		const char *problem = dpriv_declaration_read(relation, column, &declaration);

		if (problem == NULL)
			problem = dpriv_declaration_misfit(&declaration, relation, column);
		nulls[1] = nulls[2] = !declaration.has_bounds;
		values[1] = Float8GetDatum(declaration.lower);
		values[2] = Float8GetDatum(declaration.upper);
		nulls[3] = declaration.nlabels == 0;
		values[3] = label_array(&declaration);
		nulls[4] = declaration.other == NULL;
		values[4] = CStringGetTextDatum(declaration.other ? declaration.other : "");
		nulls[5] = problem == NULL;
		values[5] = CStringGetTextDatum(problem ? problem : "");
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}
