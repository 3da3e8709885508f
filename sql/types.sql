-- Calls with types that a private aggregate does not take are explained; those that fit a form are not touched.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.epsilon = 1;
CREATE TYPE types_mood AS ENUM ('sad', 'happy');
CREATE DOMAIN types_flag AS bool;
CREATE DOMAIN types_int AS int;
CREATE DOMAIN types_text AS varchar(5);
CREATE TABLE types_t (flag bool, dflag types_flag, day date, at timestamp, atz timestamptz, hour time, hourz timetz, span interval,
	mood types_mood, price money, name text, v varchar(10), c char(3), nm name, dtext types_text, doc json, id uuid,
	i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, di types_int, "odd name" bool);
INSERT INTO types_t (flag, i2, i4, i8, n, r, d, di, name, v, c, nm, dtext, mood) VALUES (true, 1, 1, 1, 1, 1, 1, 1, 'a', 'a', 'a', 'a', 'a', 'sad');
INSERT INTO types_t (day, at, atz, name) VALUES ('infinity', '-infinity', 'infinity', '1e400'), (NULL, NULL, NULL, '12');
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN statement || E'\n  answers';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
	detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN statement || E'\n  ' || code || ': ' || message || E'\n  ' || detail || E'\n  ' || hint;
END
$$;
\pset format unaligned
\pset tuples_only on
-- Measures of numbers: what to write for every type that is none.
SELECT refusal('SELECT dp_sum_clipped(' || x || ', 0, 10) FROM types_t') FROM unnest(ARRAY['flag', 'dflag', '"odd name"', 'flag AND dflag',
	'day', 'at', 'atz', 'hour', 'hourz', 'span', 'mood', 'price', 'name', 'v', 'c', 'dtext', 'doc', 'id', 'types_t', 'ARRAY[i4]']) AS x;
SELECT refusal('SELECT ' || call || ' FROM types_t') FROM unnest(ARRAY['dp_avg(flag, 0, 1)', 'dp_variance(flag, 0, 1, 0.5)',
	'dp_stddev(flag, 0, 1, 0.5, 1e-6)', 'dp_median(day, ''2000-01-01'', ''2020-01-01'')', 'dp_quantile(at, 0.5, 0, 1)',
	'(dp_quantiles(flag, ARRAY[0.5], 0, 1))[1]', '(dp_clip_curve(day, ARRAY[10, 20]))[1].sum', 'dp_error(dp_avg(flag, 0, 1))',
	'dp_count(*) > 5 AND dp_avg(flag, 0, 1) > 0.5', 'dp_avg(flag, 0, 1) FILTER (WHERE flag)']) AS call;
SELECT refusal(statement) FROM unnest(ARRAY['SELECT i4 FROM types_t GROUP BY i4 HAVING dp_avg(flag, 0, 1) > 0.5',
	'SELECT i4 FROM types_t GROUP BY i4 ORDER BY dp_avg(flag, 0, 1)', 'SELECT dp_avg(flag, 0, 1) OVER () FROM types_t',
	'SELECT (SELECT dp_avg(flag, 0, 1) FROM types_t)', 'EXPLAIN SELECT dp_avg(flag, 0, 1) FROM types_t',
	'SELECT (SELECT dp_avg(t.flag, 0, 1)) FROM types_t t', 'SELECT dp_avg(flag, 0, 1) FROM types_t WHERE false']) AS statement;
-- What the hints say works, whatever the values.
SELECT refusal('SELECT dp_sum_clipped(' || x || ', 0, 10) FROM types_t') FROM unnest(ARRAY['flag::int', 'extract(epoch FROM day) / 86400',
	'extract(epoch FROM day)', 'extract(epoch FROM at)', 'extract(epoch FROM atz)', 'extract(epoch FROM span)', 'price::numeric', 'NULL::float8',
	'CASE mood WHEN ''sad'' THEN 0 WHEN ''happy'' THEN 1 END', 'CASE WHEN name ~ ''^[0-9]{1,15}$'' THEN name::float8 END',
	'CASE WHEN v ~ ''^[0-9]{1,15}$'' THEN v::float8 END', 'CASE WHEN c ~ ''^[0-9]{1,15}$'' THEN c::float8 END',
	'CASE WHEN dtext ~ ''^[0-9]{1,15}$'' THEN dtext::float8 END']) AS x;
-- Measures of text.
SELECT refusal('SELECT ' || replace(call, 'x', x) || ' FROM types_t') FROM unnest(ARRAY['flag', 'day', 'i4', 'n', 'doc', 'types_t']) AS x,
	unnest(ARRAY['dp_mode(x, ARRAY[''a''])', 'dp_top_k(x, ARRAY[''a''], 1)', 'dp_histogram(x, ARRAY[''a''])']) AS call;
SELECT refusal('SELECT dp_mode(' || x || ', ARRAY[''a'']) FROM types_t') FROM unnest(ARRAY['flag::text', 'i4::text', 'day::text']) AS x;
-- Other mistakes: the arguments that there are.
SELECT refusal('SELECT ' || call || ' FROM types_t') FROM unnest(ARRAY['dp_median(i4)', 'dp_avg(i4, 0, 1, 1, 1e-6, 1)', 'dp_bounds(flag)', 'dp_sum(day)', 'dp_sum_clipped(i4, 0)', 'dp_stddev(i4, 0, 1, 1, 1e-6, 1)',
	'dp_median(i4, flag, 1)', 'dp_quantile(i4, 0, 1)', 'dp_quantiles(i4, 0.5, 0, 1)', 'dp_clip_curve(i4, 5)', 'dp_avg(VARIADIC ARRAY[1.0, 2])',
	'dp_avg()', 'dp_mode(i4)', 'dp_mode(mood)', 'dp_histogram(name)', 'dp_top_k(name, 3)', 'dp_sum(i4, 0, 10)', 'dp_sum_clipped(i4)']) AS call;
-- Nothing that fits a form is taken for a mistake: all types of numbers, text and enums, NULL, literals, parameters.
SELECT refusal('SELECT ' || replace(call, 'x', x) || ' FROM types_t') FROM unnest(ARRAY['i2', 'i4', 'i8', 'n', 'r', 'd', 'di', 'NULL', '''5''', '5']) AS x,
	unnest(ARRAY['dp_sum_clipped(x, 0, 10)', 'dp_avg(x, 0, 0.5, 1)', 'dp_variance(x, 0, ''10'', 1, 1e-6)', 'dp_median(x, 0, 1e1)',
		'dp_quantile(x, 0.5, ''0'', 10)', 'dp_quantiles(x, ''{0.5}'', 0, 10)']) AS call;
SELECT refusal('SELECT ' || replace(call, 'x', x) || ' FROM types_t') FROM unnest(ARRAY['i2', 'i4', 'i8', 'n', 'r', 'd', 'di']) AS x,
	unnest(ARRAY['dp_clip_curve(x, ''{5}'')', 'dp_clip_curve(x, ARRAY[5, 6])', 'dp_histogram(x, ''{0,5}'')', 'dp_histogram(x, ARRAY[0.5, 6], 1)']) AS call;
SELECT refusal('SELECT ' || replace(call, 'x', x) || ' FROM types_t') FROM unnest(ARRAY['name', 'v', 'c', 'nm', 'dtext', 'mood', 'NULL', '''a''']) AS x,
	unnest(ARRAY['dp_mode(x, ARRAY[''a''])', 'dp_mode(x, ''{a,b}'', 1)', 'dp_top_k(x, ''{a,b}'', 2)', 'dp_histogram(x, ''{a,b}'')',
		'dp_histogram(x, ARRAY[''a''], ''1'')']) AS call;
SELECT refusal('SELECT ' || call || ' FROM types_t') FROM unnest(ARRAY['dp_clip_curve(NULL, ARRAY[5])', 'dp_clip_curve(NULL::int, ARRAY[5])',
	'dp_sum_clipped(NULL, ''0'', ''1'')', 'dp_sum_clipped(NULL::int, ''0'', ''1'')']) AS call;
PREPARE types_p AS SELECT dp_sum_clipped(i4, $1, $2) IS NULL, dp_avg(n, $1, $2, $3) IS NULL, dp_quantiles(i8, $4, $1, $2) IS NULL,
	dp_clip_curve(r, $5, $3) IS NULL, dp_mode(mood, $6) IS NULL, dp_histogram(name, $6) IS NULL, dp_sum_clipped(di, 0, 10, $3, $7) IS NULL FROM types_t;
EXECUTE types_p(0, 10, 1, '{0.5}', '{5,6}', '{a,b}', 1e-6);
SET client_min_messages = warning;
DROP TABLE types_t;
DROP FUNCTION refusal;
DROP DOMAIN types_flag, types_int, types_text;
DROP TYPE types_mood;
