/*
 * options.c
 *	  The argument options of a function.
 *
 * An option that is not known is an error: a misspelt one would otherwise be paid for, with a
 * default in its place.
 */
#include "postgres.h"

#include <math.h>

#include "learn/options.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

static bool
is_listed(const char *const *list, const JsonbValue *key)
{
	for (; *list; list++)
		if (strlen(*list) == key->val.string.len &&
			memcmp(*list, key->val.string.val, key->val.string.len) == 0)
			return true;
	return false;
}

void
dpriv_learn_check_options(Jsonb *options, const char *const *known, const char *whose)
{
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	value;

	if (!JB_ROOT_IS_OBJECT(options))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options must be a JSON object"),
				 errhint("Write for example '{\"features\": {\"age\": [17, 90]}}'.")));
	iterator = JsonbIteratorInit(&options->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_KEY || is_listed(known, &value))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" is unknown",
						pnstrdup(value.val.string.val, value.val.string.len)),
				 errdetail("It is not an option of %s.", whose),
				 errhint("The reference lists the options of each function and method.")));
	}
}

JsonbValue *
dpriv_learn_member(JsonbContainer *object, const char *name)
{
	return getKeyJsonValueFromContainer(object, name, strlen(name), NULL);
}

double
dpriv_learn_json_number(const JsonbValue *value)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
											  NumericGetDatum(value->val.numeric)));
}

double
dpriv_learn_option(Jsonb *options, const char *name, double otherwise, double least,
				   double largest)
{
	JsonbValue *value = dpriv_learn_member(&options->root, name);
	double		number;

	if (value == NULL)
		return otherwise;
	number = value->type == jbvNumeric ? dpriv_learn_json_number(value) : NAN;

	/* written so that a NaN fails */
	if (!(number >= least && number <= largest))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" is out of range", name),
				 errdetail("It must be a number from %g to %g.", least, largest),
				 otherwise >= least ? errhint("Leave it out for %g.", otherwise) :
				 errhint("It may be left out.")));
	return number;
}

int
dpriv_learn_whole_option(Jsonb *options, const char *name, int otherwise, int least, int largest)
{
	double		number = dpriv_learn_option(options, name, otherwise, least, largest);

	if (number != floor(number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be a whole number", name),
				 errhint("Leave it out for %d.", otherwise)));
	return (int) number;
}

char *
dpriv_learn_text_option(Jsonb *options, const char *name)
{
	JsonbValue *value = dpriv_learn_member(&options->root, name);

	if (value == NULL)
		return NULL;
	if (value->type != jbvString)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be a JSON string", name),
				 errhint("Write it in double quotes.")));
	return pnstrdup(value->val.string.val, value->val.string.len);
}
