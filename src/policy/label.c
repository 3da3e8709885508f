/*
 * label.c
 *	  Security labels of provider dpriv: what is known of a protected relation.
 *
 * A label is a JSON object, {"unit": "row"}.  It follows its relation through renames and dumps.
 * What cannot be read completely is not read at all: an unknown key may be a restriction that a
 * newer library knows.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "commands/seclabel.h"
#include "compat.h"
#include "fmgr.h"
#include "policy/label.h"
#include "policy/policy.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

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

/* The value of a key, if it is a string; else NULL. */
static char *
string_of(JsonbValue *value)
{
	return value->type == jbvString ? pnstrdup(value->val.string.val, value->val.string.len) :
		NULL;
}

/* NULL, or what is wrong with the text. */
static const char *
parse(const char *text, DprivLabel *label)
{
	Jsonb	   *json;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	value;
	bool		has_unit = false;

	if (!dpriv_json_is_valid(text))
		return "It is not valid JSON.";
	json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	if (!JB_ROOT_IS_OBJECT(json))
		return "It is not a JSON object.";

	iterator = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		char	   *name;

		if (token != WJB_KEY)
			continue;
		name = string_of(&value);
		(void) JsonbIteratorNext(&iterator, &value, true);
		if (name == NULL || strcmp(name, "unit") != 0)
			return "It has a key that is not known.";
		name = string_of(&value);
		if (name == NULL || !dpriv_unit_read(name, &label->unit))
			return "Its privacy unit is not known.";
		has_unit = true;
	}
	return has_unit ? NULL : "It has no privacy unit.";
}

static ObjectAddress
address_of(Oid relation)
{
	ObjectAddress address;

	ObjectAddressSet(address, RelationRelationId, relation);
	return address;
}

bool
dpriv_label_exists(Oid relation)
{
	ObjectAddress address = address_of(relation);

	return GetSecurityLabel(&address, DPRIV_LABEL_PROVIDER) != NULL;
}

const char *
dpriv_label_read(Oid relation, DprivLabel *label)
{
	ObjectAddress address = address_of(relation);
	char	   *text = GetSecurityLabel(&address, DPRIV_LABEL_PROVIDER);

	if (text == NULL)
		return "Its security label is missing.";
	return parse(text, label) ? "Its security label cannot be read." : NULL;
}

/* Plans that read what is known of the relation's rows from catalogs go with those that read it. */
static void
invalidate(Oid relation)
{
	CacheInvalidateRelcacheByRelid(relation);
	CacheInvalidateRelcacheByRelid(RelationRelationId);
	CacheInvalidateRelcacheByRelid(StatisticRelationId);
}

void
dpriv_label_write(Oid relation, const DprivLabel *label)
{
	ObjectAddress address = address_of(relation);

	SetSecurityLabel(&address, DPRIV_LABEL_PROVIDER,
					 label ? psprintf("{\"unit\": \"%s\"}", units[label->unit]) : NULL);
	invalidate(relation);
}

/*
 * Called by SECURITY LABEL, which has checked that the user owns the object, before it writes.  A
 * dump brings labels before policies: one without the other is let through, and found by
 * dpriv_check_policy().  Nor is the label of a protection that is broken held on to.
 */
static void
relabel(const ObjectAddress *object, const char *text)
{
	DprivLabel	label;
	const char *problem;
	char		relkind = object->classId == RelationRelationId && object->objectSubId == 0 ?
		get_rel_relkind(object->objectId) : '\0';

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("this object cannot have a security label of provider dpriv"),
				 errhint("Only tables and partitioned tables can. dpriv.protect() writes it.")));
	if (text == NULL)
	{
		if (OidIsValid(dpriv_protected_root(object->objectId)) &&
			dpriv_policy_problem(object->objectId) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the security label of protected relation \"%s\" cannot be removed",
							get_rel_name(object->objectId)),
					 errhint("dpriv.unprotect() ends the protection and removes the label.")));
	}
	else
	{
		problem = parse(text, &label);
		if (problem)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid security label of provider dpriv"),
					 errdetail("%s", problem),
					 errhint("Call dpriv.protect(), which writes it, or use for example "
							 "'{\"unit\": \"row\"}'.")));
	}
	invalidate(object->objectId);
}

void
dpriv_label_init(void)
{
	register_label_provider(DPRIV_LABEL_PROVIDER, relabel);
}
