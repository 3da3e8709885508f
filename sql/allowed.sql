-- Total functions at the edges: PostgreSQL's results, and NULL where it raises an error.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET TimeZone = 'UTC';
SET DateStyle = 'ISO, MDY';
SET IntervalStyle = 'postgres';
\pset null NULL

-- Integers: the last result that fits, and the first that does not.
SELECT dpriv.try_add(32766::int2, 1::int2) AS fits, dpriv.try_add(32767::int2, 1::int2) AS beyond,
	dpriv.try_add(2147483646, 1) AS fits, dpriv.try_add(2147483647, 1) AS beyond,
	dpriv.try_add(9223372036854775806, 1::int8) AS fits, dpriv.try_add(9223372036854775807, 1::int8) AS beyond;
SELECT dpriv.try_subtract((-32767)::int2, 1::int2) AS fits, dpriv.try_subtract((-32768)::int2, 1::int2) AS beyond,
	dpriv.try_subtract(-2147483647, 1) AS fits, dpriv.try_subtract((-2147483648)::int4, 1) AS beyond,
	dpriv.try_subtract(-9223372036854775807, 1::int8) AS fits, dpriv.try_subtract((-9223372036854775808)::int8, 1::int8) AS beyond;
SELECT dpriv.try_multiply(46340, 46340) AS fits, dpriv.try_multiply(46341, 46341) AS beyond,
	dpriv.try_multiply(3037000499, 3037000499) AS fits, dpriv.try_multiply(3037000500, 3037000500) AS beyond;
SELECT dpriv.try_divide(7, 2), dpriv.try_divide(-7, 2), dpriv.try_divide(7, 0) AS zero, dpriv.try_divide((-2147483648)::int4, -1) AS beyond,
	dpriv.try_divide((-32768)::int2, (-1)::int2) AS beyond, dpriv.try_divide((-9223372036854775808)::int8, (-1)::int8) AS beyond;
SELECT dpriv.try_remainder(7, 3), dpriv.try_remainder(-7, 3), dpriv.try_remainder(7, 0) AS zero,
	dpriv.try_remainder((-2147483648)::int4, -1), dpriv.try_remainder((-9223372036854775808)::int8, (-1)::int8);
SELECT dpriv.try_negate(5), dpriv.try_negate((-2147483648)::int4) AS beyond, dpriv.try_abs((-5)::int2), dpriv.try_abs((-32768)::int2) AS beyond,
	dpriv.try_negate((-9223372036854775808)::int8) AS beyond, dpriv.try_abs((-9223372036854775808)::int8) AS beyond;

-- Doubles: an infinity out of finite numbers and a zero out of others are errors of PostgreSQL's.
SELECT dpriv.try_add('1e308'::float8, '1e308'::float8) AS beyond, dpriv.try_add('Infinity'::float8, '-Infinity'::float8) AS nan,
	dpriv.try_multiply('1e200'::float8, '1e200'::float8) AS beyond, dpriv.try_multiply('1e-200'::float8, '1e-200'::float8) AS below,
	dpriv.try_divide(1::float8, 0::float8) AS zero, dpriv.try_divide('NaN'::float8, 0::float8) AS nan, dpriv.try_divide(1::float8, 'Infinity'::float8) AS nothing;
SELECT dpriv.try_add('3e38'::float4, '3e38'::float4) AS beyond, dpriv.try_multiply('1e-30'::float4, '1e-30'::float4) AS below, dpriv.try_divide(1::float4, 3::float4);

-- Casts: halves of doubles go to the even integer, those of numeric away from zero.
SELECT dpriv.try_integer(2.5::float8), dpriv.try_integer(2147483647.49::float8) AS fits, dpriv.try_integer(2147483647.5::float8) AS beyond,
	dpriv.try_integer('NaN'::float8) AS nan, dpriv.try_bigint('9223372036854774784'::float8) AS fits, dpriv.try_bigint('9223372036854775808'::float8) AS beyond;
SELECT dpriv.try_integer(2.5), dpriv.try_integer(2147483647.49) AS fits, dpriv.try_integer(2147483647.5) AS beyond, dpriv.try_integer('NaN'::numeric) AS nan,
	dpriv.try_bigint(9223372036854775807.49) AS fits, dpriv.try_bigint(9223372036854775807.5) AS beyond, dpriv.try_smallint(-32768.49) AS fits,
	dpriv.try_smallint(-32768.5) AS beyond, dpriv.try_bigint('-Infinity'::numeric) AS infinite;
SELECT dpriv.try_smallint(32767::int8) AS fits, dpriv.try_smallint(32768::int8) AS beyond, dpriv.try_integer(2147483648) AS beyond,
	dpriv.try_real('3.4028235e38'::float8) AS fits, dpriv.try_real('3.5e38'::float8) AS beyond, dpriv.try_real('1e-46'::float8) AS below,
	dpriv.try_real(3.4028235e38) AS fits, dpriv.try_real(3.5e38) AS beyond, dpriv.try_real(1e-46) AS below;

-- Numerics: 256 digits on each side of the point.
SELECT dpriv.try_add(1e255, 1e255) = 2e255 AS fits, dpriv.try_add(5e255, 5e255) AS beyond, dpriv.try_add(1e256, 0) AS beyond, dpriv.try_subtract(1e-256, 0) = 1e-256 AS fits,
	dpriv.try_subtract(1e-257, 0) AS beyond, dpriv.try_multiply(1e128, 1e127) = 1e255 AS fits, dpriv.try_multiply(1e128, 1e128) AS beyond;
SELECT dpriv.try_divide(7.0, 2), dpriv.try_divide(7.0, 0) AS zero, dpriv.try_divide('NaN'::numeric, 0) AS nan, dpriv.try_remainder(7.5, 2), dpriv.try_remainder(7.5, 0.00) AS zero,
	dpriv.try_divide('Infinity'::numeric, 2), dpriv.try_divide(1, 'Infinity'::numeric), dpriv.try_divide(1e131071, 3) AS beyond;
SELECT dpriv.try_ceil(-2.5), dpriv.try_floor(-2.5), dpriv.try_round(2.345, 2), dpriv.try_round(2345, -2), dpriv.try_round(repeat('9', 131072)::numeric, -1) AS beyond,
	dpriv.try_ceil((repeat('9', 131072) || '.5')::numeric) AS beyond;
-- numeric(5,2), numeric(2,-3), and a modifier that is none
SELECT dpriv.try_numeric(999.994, 327686), dpriv.try_numeric(999.995, 327686) AS beyond, dpriv.try_numeric('Infinity', 327686) AS beyond, dpriv.try_numeric('NaN', 327686),
	dpriv.try_numeric(98765, ((2 << 16) | (-3 & 2047)) + 4), dpriv.try_numeric(99500, ((2 << 16) | (-3 & 2047)) + 4) AS beyond, dpriv.try_numeric(1, 5) AS none;

-- Buckets.
SELECT dpriv.try_width_bucket(5.0::float8, 0, 10, 5), dpriv.try_width_bucket('Infinity'::float8, 0, 10, 5), dpriv.try_width_bucket('NaN'::float8, 0, 10, 5) AS nan,
	dpriv.try_width_bucket(5.0::float8, 10, 0, 5) AS downward, dpriv.try_width_bucket(5.0::float8, 3, 3, 5) AS equal, dpriv.try_width_bucket(5.0::float8, 0, 10, 0) AS none,
	dpriv.try_width_bucket(5.0::float8, 0, 'Infinity', 5) AS infinite, dpriv.try_width_bucket(50.0::float8, 0, 10, 2147483647) AS beyond;
SELECT dpriv.try_width_bucket(5.0, 0, 10, 5), dpriv.try_width_bucket('Infinity', 0.0, 10.0, 5), dpriv.try_width_bucket('NaN', 0.0, 10.0, 5) AS nan,
	dpriv.try_width_bucket(5.0, 3, 3, 5) AS equal, dpriv.try_width_bucket(5.0, 0, 10, -1) AS none, dpriv.try_width_bucket(1e300, 0, 10, 5) AS beyond;

-- Dates and times.
SELECT dpriv.try_add('2024-02-28'::date, 1), dpriv.try_add('5874897-12-31'::date, 1) AS beyond, dpriv.try_subtract('4714-11-24 BC'::date, 1) AS beyond,
	dpriv.try_subtract('infinity'::date, 2147483647), dpriv.try_subtract('2024-03-01'::date, '2024-02-01'::date), dpriv.try_subtract('infinity'::date, '2024-02-01'::date) AS infinite;
SELECT dpriv.try_add('2024-01-31'::timestamp, '1 month'), dpriv.try_add('294276-12-31'::timestamp, '1 year') AS beyond, dpriv.try_add('infinity'::timestamp, '1 year'),
	dpriv.try_add('2024-01-31'::timestamp, '178000000 years') AS beyond, dpriv.try_subtract('2024-03-31'::timestamptz, '1 month 1 day'::interval),
	dpriv.try_add('2024-01-31'::timestamp, '300000 years -109500000 days') AS beyond;
SELECT dpriv.try_subtract('2024-03-01'::timestamp, '2024-02-01'), dpriv.try_subtract('infinity'::timestamp, '2024-02-01') AS infinite,
	dpriv.try_subtract('294276-12-31'::timestamptz, '4714-11-24 00:00:00+00 BC') AS beyond;
SELECT dpriv.try_timestamp('2024-02-29'::date), dpriv.try_timestamp('infinity'::date), dpriv.try_timestamp('294277-01-01'::date) AS beyond,
	dpriv.try_timestamptz('294277-01-01'::date) AS beyond, dpriv.try_timestamp('2024-02-29'::timestamptz), dpriv.try_timestamptz('2024-02-29'::timestamp);
SELECT dpriv.try_date_trunc('millennium', '3999-01-01 BC'::timestamp), dpriv.try_date_trunc('millennium', '4000-12-31 BC'::timestamp) AS beyond,
	dpriv.try_date_trunc('week', '2024-03-10'::timestamptz), dpriv.try_date_trunc('year', '-infinity'::timestamp);
-- West of Greenwich the first moment is on a day before all dates, which has no timestamp.
SET TimeZone = 'America/New_York';
SELECT dpriv.try_timestamp('4714-11-24 00:00:00+00 BC'::timestamptz::date) AS beyond,
	dpriv.try_timestamp('4714-11-25 00:00:00+00 BC'::timestamptz::date);
SET TimeZone = 'UTC';
-- Nor is there a field that makes it fail.
SELECT dpriv.try_date_trunc('eon', '2024-03-10'::timestamp) AS unknown, dpriv.try_date_trunc('', '2024-03-10'::timestamptz) AS unknown,
	dpriv.try_date_trunc('timezone', '2024-03-10'::timestamptz) AS unknown, dpriv.try_date_trunc(repeat('day', 1000), '2024-03-10'::timestamp) AS unknown;

-- Texts: patterns and sizes.
SELECT dpriv.try_like('abc', 'a%'), dpriv.try_not_like('abc', 'a%'), dpriv.try_like('a\', 'a\\'), dpriv.try_like('a', 'a\') AS broken, dpriv.try_like('', '\') AS broken,
	dpriv.try_like('abc', repeat('%', 256)), dpriv.try_like('abc', repeat('%', 257)) AS long;
-- Unless the pattern only fixes the beginning, the bytes of both multiply to at most 4 million.
SELECT dpriv.try_like(repeat('a', 1048576), '%a%b') AS fits, dpriv.try_like(repeat('a', 1048577), '%a%b') AS beyond, dpriv.try_not_like(repeat('a', 1048577), '%a%b') AS beyond,
	dpriv.try_ilike(repeat('a', 1048576), '%a%bb') AS beyond, dpriv.try_not_ilike(repeat('a', 1048576), '%a%bb') AS beyond, dpriv.try_like(repeat('a', 4194305), 'a_\%%') AS prefix,
	dpriv.try_like(repeat('a', 4194305), '_a%') AS prefix, dpriv.try_like(repeat('a', 4194305), '') AS empty;
SELECT dpriv.try_ilike('ABC', 'a_c'), dpriv.try_not_ilike('ABC', 'a_c'), dpriv.try_ilike(repeat('a', 1048576), 'A%') AS fits, dpriv.try_ilike(repeat('a', 1048577), 'A%') AS beyond,
	dpriv.try_not_ilike('a', '\') AS broken;
SELECT dpriv.try_lower('ABC'), dpriv.try_upper('abc'), length(dpriv.try_lower(repeat('A', 1048576))) AS fits, dpriv.try_upper(repeat('a', 1048577)) AS beyond;
SELECT dpriv.try_substring('abcdef', 2, 3), dpriv.try_substring('abcdef', -1, 3), dpriv.try_substring('abcdef', 2, -1) AS negative, dpriv.try_substring('abcdef', 2, 2147483647);

-- The list, in short.
SELECT count(*) FILTER (WHERE replacement IS NULL) AS kept, count(replacement) AS replaced, count(DISTINCT replacement::oid) AS total_functions, count(condition) AS on_condition
FROM dpriv.allowed_functions();
