/*
 * label.c
 *	  Security labels of provider dpriv: what is known of a relation.
 *
 * The label of a relation is a JSON object, {"unit": "row"} or {"public": true}; those of its
 * columns are declaration.c's.  A label follows its object through renames and dumps.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_statistic_ext_data.h"
#include "commands/seclabel.h"
#include "policy/domain.h"
#include "policy/json.h"
#include "policy/label.h"
#include "policy/policy.h"
#include "policy/root.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

static const char *const units[] = {
	[DPRIV_UNIT_ROW] = "row",
};

bool
dpriv_unit_read(const char *name, DprivUnit *unit)
{
	for (int i = 0; i < lengthof(units); i++)
		if (strcmp(units[i], name) == 0)
		{
			*unit = (DprivUnit) i;
			return true;
		}
	return false;
}

const char *
dpriv_unit_name(DprivUnit unit)
{
	return units[unit];
}

/* NULL, or what is wrong with the text. */
static const char *
parse(const char *text, DprivLabel *label)
{
	Jsonb	   *json;
	JsonbValue *unit;
	JsonbValue *public;
	const char *name;
	const char *problem = dpriv_json_read(text, &json);
	int			nknown = 0;

	if (problem)
		return problem;
	unit = dpriv_json_member(json, "unit", &nknown);
	public = dpriv_json_member(json, "public", &nknown);
	problem = dpriv_json_unknown(json, nknown);
	if (problem)
		return problem;

	label->is_public = public != NULL;
	if (public)
		return unit == NULL && public->type == jbvBool && public->val.boolean ? NULL :
			"A relation that is public has no privacy unit, and the value of that key is true.";
	if (unit == NULL)
		return "It has no privacy unit.";
	name = dpriv_json_string(unit);
	return name && dpriv_unit_read(name, &label->unit) ? NULL : "Its privacy unit is not known.";
}

static ObjectAddress
address_of(Oid relation)
{
	ObjectAddress address;

	ObjectAddressSet(address, RelationRelationId, relation);
	return address;
}

/*
 * Plans that read the relation's long values, or what is known of its rows from catalogs, go with
 * those that read it.
 */
static void
invalidate(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			toast = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		toast = ((Form_pg_class) GETSTRUCT(tuple))->reltoastrelid;
		ReleaseSysCache(tuple);
	}
	CacheInvalidateRelcacheByRelid(relation);
	if (OidIsValid(toast))
		CacheInvalidateRelcacheByRelid(toast);
	CacheInvalidateRelcacheByRelid(RelationRelationId);
	CacheInvalidateRelcacheByRelid(StatisticRelationId);
	CacheInvalidateRelcacheByRelid(StatisticExtDataRelationId);
}

/* False if there is no label, or it cannot be read. */
static bool
read_label(const char *text, DprivLabel *label)
{
	return text != NULL && parse(text, label) == NULL;
}

bool
dpriv_label_protects(Oid relation)
{
	ObjectAddress address = address_of(relation);
	char	   *text = GetSecurityLabel(&address, DPRIV_LABEL_PROVIDER);
	DprivLabel	label;

	return text != NULL && !(read_label(text, &label) && label.is_public);
}

bool
dpriv_label_is_public(Oid relation)
{
	ObjectAddress address = address_of(relation);
	DprivLabel	label;

	return read_label(GetSecurityLabel(&address, DPRIV_LABEL_PROVIDER), &label) && label.is_public;
}

const char *
dpriv_label_read(Oid relation, DprivLabel *label)
{
	ObjectAddress address = address_of(relation);
	char	   *text = GetSecurityLabel(&address, DPRIV_LABEL_PROVIDER);

	if (text == NULL)
		return "Its security label is missing.";
	if (!read_label(text, label))
		return "Its security label cannot be read.";
	return label->is_public ? "Its security label declares it public." : NULL;
}

void
dpriv_label_write(Oid relation, const DprivLabel *label)
{
	ObjectAddress address = address_of(relation);
	const char *text = NULL;

	if (label)
		text = label->is_public ? "{\"public\": true}" :
			psprintf("{\"unit\": \"%s\"}", units[label->unit]);
	SetSecurityLabel(&address, DPRIV_LABEL_PROVIDER, text);
	invalidate(relation);
}

static void
refuse_label(const char *problem, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid security label of provider dpriv"),
			 errdetail("%s", problem),
			 errhint("%s", hint)));
}

static void
refuse_object(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("this object cannot have a security label of provider dpriv"),
			 errhint("Only tables and partitioned tables can be protected. Foreign tables and "
					 "materialized views can be public, and the columns of all of these can have "
					 "declarations.")));
}

/*
 * A dump brings labels before policies: one without the other is let through, and found by
 * dpriv_check_policy().  Nor is the label of a protection that is broken held on to.
 */
static void
check_relation_label(Oid relation, char relkind, const char *text)
{
	DprivLabel	label = {.is_public = false};
	const char *problem = text ? parse(text, &label) : NULL;

	if (!label.is_public && relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		refuse_object();
	if (problem)
		refuse_label(problem, "Call dpriv.protect() or dpriv.set_public(), which write it, or use "
					 "for example '{\"unit\": \"row\"}'.");
	if ((text == NULL || label.is_public) && OidIsValid(dpriv_protected_root(relation)) &&
		dpriv_policy_problem(relation) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the security label of protected relation \"%s\" cannot be removed",
						get_rel_name(relation)),
				 errhint("dpriv.unprotect() ends the protection and removes the label.")));
}

static void
check_column_label(Oid relation, AttrNumber column, const char *text)
{
	DprivDeclaration declaration;
	const char *problem;

	if (text == NULL)
		return;
	problem = dpriv_declaration_parse(text, &declaration);
	if (problem == NULL)
		problem = dpriv_declaration_misfit(&declaration, relation, column);
	if (problem)
		refuse_label(problem, "Call dpriv.set_bounds() or dpriv.set_domain(), which write it.");
}

/*
 * Called by SECURITY LABEL, which has checked that the user owns the object, before it writes.
 */
static void
relabel(const ObjectAddress *object, const char *text)
{
	Oid			relation = object->objectId;
	char		relkind = object->classId == RelationRelationId ? get_rel_relkind(relation) : '\0';

	if (!dpriv_is_declarable(relkind) || object->objectSubId < 0)
		refuse_object();
	if (object->objectSubId > 0)
		check_column_label(relation, object->objectSubId, text);
	else
		check_relation_label(relation, relkind, text);
	invalidate(relation);
}

void
dpriv_label_init(void)
{
	register_label_provider(DPRIV_LABEL_PROVIDER, relabel);
}
