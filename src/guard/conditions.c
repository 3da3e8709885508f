/*
 * conditions.c
 *	  Conditions on the arguments of functions that may see private rows.
 *
 * Some functions are total for some arguments only: fields that exist, patterns that are complete.
 * Where these must be constants, the call is judged when it is planned, before any row is read.
 */
#include "postgres.h"

#include "guard/conditions.h"
#include "guard/total.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"

/* A constant argument that is not NULL, or NULL. */
static Const *
constant(List *args, int n)
{
	Node	   *arg = list_nth(args, n);

	return IsA(arg, Const) && !((Const *) arg)->constisnull ? (Const *) arg : NULL;
}

/*
 * A pattern that is no constant is looked at when it comes.  One for the beginning of a text is
 * kept, so that an index can be used; others can take long, for long texts.
 */
static DprivCallVerdict
check_pattern(List *args)
{
	Const	   *pattern = constant(args, 1);
	bool		is_prefix;

	if (pattern == NULL)
		return DPRIV_CALL_REPLACE;
	if (!dpriv_pattern_is_good(pattern->constvalue, &is_prefix))
		return DPRIV_CALL_REFUSE;
	return is_prefix ? DPRIV_CALL_KEEP : DPRIV_CALL_REPLACE;
}

#define PATTERN_TEXT \
	"A pattern has at most 256 bytes and does not end with its escape character."

const DprivCondition dpriv_if_pattern = {PATTERN_TEXT, check_pattern};

static DprivCallVerdict
check_case(List *args)
{
	return dpriv_has_case() ? DPRIV_CALL_REPLACE : DPRIV_CALL_REFUSE;
}

const DprivCondition dpriv_if_letter_case = {
	"The database's encoding is UTF8 or has one byte for each character.", check_case
};

static DprivCallVerdict
check_icase(List *args)
{
	if (constant(args, 1) && check_pattern(args) == DPRIV_CALL_REFUSE)
		return DPRIV_CALL_REFUSE;
	return check_case(args);
}

const DprivCondition dpriv_if_icase = {
	PATTERN_TEXT " The database's encoding is UTF8 or has one byte for each character.", check_icase
};

static bool
is_short(List *args)
{
	Const	   *arg = constant(args, 1);

	return arg && dpriv_text_size(arg->constvalue) <= DPRIV_MAX_PATTERN;
}

static DprivCallVerdict
check_short(List *args)
{
	return is_short(args) ? DPRIV_CALL_KEEP : DPRIV_CALL_REFUSE;
}

const DprivCondition dpriv_if_short = {
	"The second argument is a constant of at most 256 bytes.", check_short
};

static DprivCallVerdict
check_part(List *args)
{
	Const	   *n = constant(args, 2);

	return is_short(args) && n && DatumGetInt32(n->constvalue) != 0 &&
		DatumGetInt32(n->constvalue) >= -1000 && DatumGetInt32(n->constvalue) <= 1000 ?
		DPRIV_CALL_KEEP : DPRIV_CALL_REFUSE;
}

const DprivCondition dpriv_if_part = {
	"The delimiter is a constant of at most 256 bytes, and the number one from 1 to 1000, or from "
	"-1000 to -1.", check_part
};

static DprivCallVerdict
check_length(List *args)
{
	Const	   *length = constant(args, 2);

	return length && DatumGetInt32(length->constvalue) >= 0 ? DPRIV_CALL_KEEP : DPRIV_CALL_REPLACE;
}

const DprivCondition dpriv_unless_length = {
	"Replaced unless the length is a constant of at least 0.", check_length
};

/* A cast that is written out cuts, an implied one fails; character(n) is filled up with blanks. */
static DprivCallVerdict
check_cut(List *args)
{
	Const	   *typmod = constant(args, 1);
	Const	   *is_explicit = constant(args, 2);

	return typmod && DatumGetInt32(typmod->constvalue) <= 1000 + (int32) VARHDRSZ &&
		is_explicit && DatumGetBool(is_explicit->constvalue) ? DPRIV_CALL_KEEP : DPRIV_CALL_REFUSE;
}

const DprivCondition dpriv_if_cut = {
	"The cast is written out, and the length is at most 1000.", check_cut
};

static DprivCallVerdict
check_typmod(List *args)
{
	return constant(args, 1) ? DPRIV_CALL_REPLACE : DPRIV_CALL_REFUSE;
}

const DprivCondition dpriv_if_typmod = {
	"Precision and scale are constants.", check_typmod
};

/* Is the first argument a constant, and one of the names? */
static DprivCallVerdict
check_field(List *args, const char *const *names)
{
	Const	   *field = constant(args, 0);
	char	   *name = field ? TextDatumGetCString(field->constvalue) : NULL;

	for (; name && *names; names++)
	{
		if (pg_strcasecmp(name, *names) == 0)
			return DPRIV_CALL_KEEP;
	}
	return DPRIV_CALL_REFUSE;
}

#define DAY_FIELDS \
	"day", "month", "quarter", "year", "decade", "century", "millennium", "epoch"
#define WEEK_FIELDS "week", "dow", "isodow", "doy", "isoyear", "julian"
#define TIME_FIELDS "hour", "minute", "second", "milliseconds", "microseconds"

static DprivCallVerdict
check_date_field(List *args)
{
	static const char *const names[] = {DAY_FIELDS, WEEK_FIELDS, NULL};

	return check_field(args, names);
}

const DprivCondition dpriv_if_date_field = {
	"The field is one of the constants day, month, quarter, year, decade, century, millennium, "
	"epoch, week, dow, isodow, doy, isoyear, julian.", check_date_field
};

static DprivCallVerdict
check_timestamp_field(List *args)
{
	static const char *const names[] = {DAY_FIELDS, WEEK_FIELDS, TIME_FIELDS, NULL};

	return check_field(args, names);
}

const DprivCondition dpriv_if_timestamp_field = {
	"The field is one of the constants day, month, quarter, year, decade, century, millennium, "
	"epoch, week, dow, isodow, doy, isoyear, julian, hour, minute, second, milliseconds, "
	"microseconds.", check_timestamp_field
};

static DprivCallVerdict
check_interval_field(List *args)
{
	static const char *const names[] = {DAY_FIELDS, TIME_FIELDS, NULL};

	return check_field(args, names);
}

const DprivCondition dpriv_if_interval_field = {
	"The field is one of the constants day, month, quarter, year, decade, century, millennium, "
	"epoch, hour, minute, second, milliseconds, microseconds.", check_interval_field
};

static DprivCallVerdict
check_time_field(List *args)
{
	static const char *const names[] = {TIME_FIELDS, "epoch", NULL};

	return check_field(args, names);
}

const DprivCondition dpriv_if_time_field = {
	"The field is one of the constants hour, minute, second, milliseconds, microseconds, epoch.",
	check_time_field
};

static DprivCallVerdict
check_trunc_field(List *args)
{
	Const	   *field = constant(args, 0);

	return field && dpriv_is_trunc_field(field->constvalue) ?
		DPRIV_CALL_REPLACE : DPRIV_CALL_REFUSE;
}

const DprivCondition dpriv_if_trunc_field = {
	"The field is one of the constants microseconds, milliseconds, second, minute, hour, day, "
	"week, month, quarter, year, decade, century, millennium.", check_trunc_field
};
