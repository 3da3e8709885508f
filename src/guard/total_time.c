/*
 * total_time.c
 *	  Dates and times: NULL where PostgreSQL raises an error.
 *
 * PostgreSQL fails where a date or time leaves its range, which for some steps (a month in a
 * calendar, an hour in a time zone) is known only after the step.  So these are taken only where
 * an estimate is a month away from the ends of the range; next to them the result is NULL too.
 */
#include "postgres.h"

#include "common/int.h"
#include "compat.h"
#include "fmgr.h"
#include "guard/total.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

/* More than an estimate can be wrong by: 3 days in a cycle of the calendar, and a time zone. */
#define MARGIN (31 * (double) USECS_PER_DAY)

/* Days of an average month of the Gregorian calendar. */
#define DAYS_OF_MONTH (146097.0 / 4800)

/* Is this far enough from both ends of the range? */
static bool
is_inside(double timestamp)
{
	return timestamp >= MIN_TIMESTAMP + MARGIN && timestamp < END_TIMESTAMP - MARGIN;
}

/*
 * Can the interval be added (sign 1) or subtracted (sign -1)?  The calendar takes months first,
 * then days, then the rest.
 */
static bool
can_move(Timestamp timestamp, const Interval *span, int sign)
{
	double		x = (double) timestamp;

	if (!is_inside(x))
		return false;
	x += sign * (double) span->month * DAYS_OF_MONTH * USECS_PER_DAY;
	if (!is_inside(x))
		return false;
	x += sign * (double) span->day * USECS_PER_DAY;
	if (!is_inside(x))
		return false;
	return is_inside(x + sign * (double) span->time);
}

#define MOVE(name, function, sign) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	Timestamp	timestamp = PG_GETARG_TIMESTAMP(0); \
	Interval   *span = PG_GETARG_INTERVAL_P(1); \
 \
	if (!dpriv_interval_is_finite(span) || (sign < 0 && !dpriv_interval_has_opposite(span))) \
		PG_RETURN_NULL(); \
	if (TIMESTAMP_NOT_FINITE(timestamp)) \
		PG_RETURN_TIMESTAMP(timestamp); \
	if (!can_move(timestamp, span, sign)) \
		PG_RETURN_NULL(); \
	return DirectFunctionCall2(function, TimestampGetDatum(timestamp), IntervalPGetDatum(span)); \
}

MOVE(dpriv_try_add_timestamp, timestamp_pl_interval, 1)
MOVE(dpriv_try_add_timestamptz, timestamptz_pl_interval, 1)
MOVE(dpriv_try_subtract_timestamp, timestamp_mi_interval, -1)
MOVE(dpriv_try_subtract_timestamptz, timestamptz_mi_interval, -1)

PG_FUNCTION_INFO_V1(dpriv_try_subtract_timestamps);

/* timestamp - timestamp, with and without time zone: none between infinities. */
Datum
dpriv_try_subtract_timestamps(PG_FUNCTION_ARGS)
{
	Timestamp	x = PG_GETARG_TIMESTAMP(0);
	Timestamp	y = PG_GETARG_TIMESTAMP(1);
	int64		difference;

	if (TIMESTAMP_NOT_FINITE(x) || TIMESTAMP_NOT_FINITE(y) ||
		pg_sub_s64_overflow(x, y, &difference))
		PG_RETURN_NULL();
	return DirectFunctionCall2(timestamp_mi, TimestampGetDatum(x), TimestampGetDatum(y));
}

/* A date so many days later; infinite ones stay. */
static Datum
add_days(FunctionCallInfo fcinfo, int64 days)
{
	DateADT		date = PG_GETARG_DATEADT(0);
	int64		result = date + days;

	if (DATE_NOT_FINITE(date))
		PG_RETURN_DATEADT(date);
	if (!IS_VALID_DATE(result))
		PG_RETURN_NULL();
	PG_RETURN_DATEADT((DateADT) result);
}

PG_FUNCTION_INFO_V1(dpriv_try_add_date);
PG_FUNCTION_INFO_V1(dpriv_try_subtract_date);
PG_FUNCTION_INFO_V1(dpriv_try_subtract_dates);

Datum
dpriv_try_add_date(PG_FUNCTION_ARGS)
{
	return add_days(fcinfo, PG_GETARG_INT32(1));
}

Datum
dpriv_try_subtract_date(PG_FUNCTION_ARGS)
{
	return add_days(fcinfo, -(int64) PG_GETARG_INT32(1));
}

Datum
dpriv_try_subtract_dates(PG_FUNCTION_ARGS)
{
	DateADT		x = PG_GETARG_DATEADT(0);
	DateADT		y = PG_GETARG_DATEADT(1);

	if (DATE_NOT_FINITE(x) || DATE_NOT_FINITE(y))
		PG_RETURN_NULL();
	PG_RETURN_INT32(x - y);
}

PG_FUNCTION_INFO_V1(dpriv_try_timestamp_date);
PG_FUNCTION_INFO_V1(dpriv_try_timestamptz_date);
PG_FUNCTION_INFO_V1(dpriv_try_timestamp_timestamptz);
PG_FUNCTION_INFO_V1(dpriv_try_timestamptz_timestamp);

Datum
dpriv_try_timestamp_date(PG_FUNCTION_ARGS)
{
	int			overflow = 0;
	Timestamp	result = date2timestamp_opt_overflow(PG_GETARG_DATEADT(0), &overflow);

	/* The first moment of all is on the day before the first date in zones west of Greenwich. */
	if (overflow != 0 || (!TIMESTAMP_NOT_FINITE(result) && !IS_VALID_TIMESTAMP(result)))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMP(result);
}

Datum
dpriv_try_timestamptz_date(PG_FUNCTION_ARGS)
{
	int			overflow = 0;
	TimestampTz result = date2timestamptz_opt_overflow(PG_GETARG_DATEADT(0), &overflow);

	if (overflow != 0)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(result);
}

Datum
dpriv_try_timestamp_timestamptz(PG_FUNCTION_ARGS)
{
	TimestampTz timestamp = PG_GETARG_TIMESTAMPTZ(0);

	if (!TIMESTAMP_NOT_FINITE(timestamp) && !is_inside((double) timestamp))
		PG_RETURN_NULL();
	return DirectFunctionCall1(timestamptz_timestamp, TimestampTzGetDatum(timestamp));
}

Datum
dpriv_try_timestamptz_timestamp(PG_FUNCTION_ARGS)
{
	int			overflow = 0;
	TimestampTz result = timestamp2timestamptz_opt_overflow(PG_GETARG_TIMESTAMP(0), &overflow);

	if (overflow != 0)
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(result);
}

/*
 * 3999-01-01 BC, in days from 2000-01-01.  The year before, wherever in the world it is, is in a
 * millennium that begins out of range.
 */
#define FIRST_DAY_TO_TRUNCATE (-2190724)

static bool
can_truncate(Timestamp timestamp)
{
	return TIMESTAMP_NOT_FINITE(timestamp) ||
		(timestamp >= FIRST_DAY_TO_TRUNCATE * USECS_PER_DAY &&
		 timestamp < END_TIMESTAMP - 366 * USECS_PER_DAY);
}

bool
dpriv_is_trunc_field(Datum field)
{
	static const char *const names[] = {"microseconds", "milliseconds", "second", "minute", "hour",
		"day", "week", "month", "quarter", "year", "decade", "century", "millennium"};
	text	   *unpacked;

	if (dpriv_text_size(field) > NAMEDATALEN)
		return false;
	unpacked = DatumGetTextPP(field);
	for (int i = 0; i < lengthof(names); i++)
	{
		if (VARSIZE_ANY_EXHDR(unpacked) == strlen(names[i]) &&
			pg_strncasecmp(VARDATA_ANY(unpacked), names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

PG_FUNCTION_INFO_V1(dpriv_try_date_trunc_timestamp);
PG_FUNCTION_INFO_V1(dpriv_try_date_trunc_timestamptz);

Datum
dpriv_try_date_trunc_timestamp(PG_FUNCTION_ARGS)
{
	if (!dpriv_is_trunc_field(PG_GETARG_DATUM(0)) || !can_truncate(PG_GETARG_TIMESTAMP(1)))
		PG_RETURN_NULL();
	return DirectFunctionCall2(timestamp_trunc, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
}

Datum
dpriv_try_date_trunc_timestamptz(PG_FUNCTION_ARGS)
{
	if (!dpriv_is_trunc_field(PG_GETARG_DATUM(0)) || !can_truncate(PG_GETARG_TIMESTAMPTZ(1)))
		PG_RETURN_NULL();
	return DirectFunctionCall2(timestamptz_trunc, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
}
