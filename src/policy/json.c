/*
 * json.c
 *	  Security labels as JSON objects.
 *
 * What cannot be read completely is not read at all: an unknown key may be a restriction that a
 * newer library knows.
 */
#include "postgres.h"

#include "compat.h"
#include "policy/json.h"
#include "utils/fmgrprotos.h"

const char *
dpriv_json_read(const char *text, Jsonb **object)
{
	if (!dpriv_json_is_valid(text))
		return "It is not valid JSON.";
	*object = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	return JB_ROOT_IS_OBJECT(*object) ? NULL : "It is not a JSON object.";
}

JsonbValue *
dpriv_json_member(Jsonb *object, const char *key, int *nknown)
{
	JsonbValue *value = getKeyJsonValueFromContainer(&object->root, key, strlen(key), NULL);

	if (value)
		(*nknown)++;
	return value;
}

const char *
dpriv_json_unknown(Jsonb *object, int nknown)
{
	return JB_ROOT_COUNT(object) == nknown ? NULL : "It has a key that is not known.";
}

char *
dpriv_json_string(const JsonbValue *value)
{
	return value->type == jbvString ? pnstrdup(value->val.string.val, value->val.string.len) :
		NULL;
}

JsonbContainer *
dpriv_json_array(const JsonbValue *value)
{
	return value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data) ?
		value->val.binary.data : NULL;
}
