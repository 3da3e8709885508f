-- dp_sample_and_aggregate: what it answers, refuses, charges and reads.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
CREATE ROLE sample_analyst;
CREATE ROLE sample_poor;
RESET client_min_messages;

CREATE TYPE sample_shade AS ENUM ('dark', 'light');
CREATE TABLE sample_t (id int PRIMARY KEY, x int, y float8, z numeric, r real, s smallint, l bigint, city text, shade sample_shade, b boolean, part int);
INSERT INTO sample_t
SELECT i, i % 80, 3 * (i % 80) + 10, (i % 80) / 2.0, i % 80, i % 80, i % 80, nullif((ARRAY['ant', 'bee', 'cat'])[1 + i % 3], 'cat'),
	(ARRAY['dark', 'light'])[1 + i % 2]::sample_shade, i % 5 = 0, i % 2
FROM generate_series(1, 4000) i;

--
-- Answers, with so much epsilon that only the blocks are left to chance
--
SET dpriv.max_epsilon = 1000;
CREATE FUNCTION sample_near(expression text, expected float8, room float8, combine text DEFAULT 'median', lower float8 DEFAULT -100, upper float8 DEFAULT 300)
RETURNS boolean LANGUAGE sql AS $$
	SELECT abs(answer - expected) <= room FROM dp_sample_and_aggregate('sample_t', expression, 20, lower, upper, 1000, NULL, combine) AS answer
$$;

-- Aggregates of two columns, of ordered sets, ratios; a median answers the middle of one of 65,536 parts of the range.
SELECT expression, bool_and(sample_near(expression, expected, room, 'median')) AS median, bool_and(sample_near(expression, expected, room, 'mean')) AS mean
FROM (VALUES
	('corr(x, y)', 1.0, 0.2), ('regr_slope(y, x)', 3, 0.2), ('regr_intercept(y, x)', 10, 0.2), ('percentile_cont(0.5) WITHIN GROUP (ORDER BY x)', 39.5, 8),
	('percentile_disc(1) WITHIN GROUP (ORDER BY z)', 39.5, 1), ('sum(y) / sum(x)', 3.25, 0.2), ('count(*)', 200, 30), ('count(city)', 133, 30),
	('count(DISTINCT b)', 2, 0.2), ('avg(z) - avg(r) / 2', 0, 0.2), ('stddev(s)', 23, 3), ('max(l)', 79, 2), ('min(x)', 0, 2),
	('avg(x) FILTER (WHERE b)', 37.5, 10), ('100.0 * count(*) FILTER (WHERE city = ''ant'') / count(*)', 33.3, 8), ('bool_or(b)::int', 1, 0.2), ('every(x < 80)::int', 1, 0.2),
	('CASE WHEN count(*) > 1 THEN 7 ELSE 8 END', 7, 0.2), ('mode() WITHIN GROUP (ORDER BY part / 2)', 0, 0.2), ('sum(DISTINCT part)', 1, 0.2),
	('sum(x)::numeric / nullif(count(z), 0)', 39.5, 8), ('greatest(avg(x), 100)', 100, 0.2)) AS v(expression, expected, room)
GROUP BY expression, expected ORDER BY expression;

-- Results are clipped, and a block without one is in the middle of the bounds.
SELECT sample_near('avg(x) + 500', 100, 1, lower => 0, upper => 100) AS median, sample_near('avg(x) + 500', 100, 1, 'mean', 0, 100) AS mean;
SELECT sample_near('avg(x) - 500', 0, 1, lower => 0, upper => 100) AS median, sample_near('avg(x) - 500', 0, 1, 'mean', 0, 100) AS mean;
SELECT sample_near('avg(x) / 0', 30, 1, lower => 10, upper => 50) AS median, sample_near('sum(x) / (count(*) - count(*))', 30, 1, 'mean', 10, 50) AS mean;
SELECT abs(answer - 30) < 1 AS middle FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 20, 10, 50, 20, 'false') AS answer;

-- What no aggregate likes: sums of them are neither errors nor infinite.
CREATE TABLE sample_extreme (k int, f float8, r real, n numeric, l bigint);
INSERT INTO sample_extreme SELECT i, v.* FROM generate_series(1, 10) i, (VALUES
	(1.7e308::float8, 3.4e38::real, 1e131000, 9223372036854775807), ('Infinity', 'Infinity', 'Infinity', 9223372036854775807), ('NaN', 'NaN', 'NaN', NULL), (NULL, NULL, NULL, NULL)) AS v;
CREATE FUNCTION sample_extreme_of(expression text) RETURNS float8 LANGUAGE sql AS $$
	SELECT * FROM dp_sample_and_aggregate('sample_extreme', expression, 1, -100, 100, 1000, NULL, 'mean') $$;
SELECT expression, abs(sample_extreme_of(expression) - expected) < 5 AS expected FROM (VALUES
	('sum(f) / 1e50', 20), ('variance(f) / 1e100', 0), ('sum(r) / 1e20', 20), ('avg(n) * 20 / 1e50', 20), ('sum(n) / 1e50', 20), ('sum(l) / 1e19', 18), ('20 * max(f) / 1e50', 20),
	('count(n)', 30), ('20 * count(DISTINCT n)', 20)) AS v(expression, expected);
RESET dpriv.max_epsilon;

-- A view, a function, a cursor, a prepared statement, an epsilon from the setting.
CREATE VIEW sample_v AS SELECT x + 0 AS years, y FROM sample_t WHERE id > 10;
SELECT answer BETWEEN 0 AND 1 AS is_answer FROM dp_sample_and_aggregate('sample_v', 'corr(years, y)', 20, 0, 1, 1, 'years BETWEEN 20 AND 60') AS answer;
PREPARE sample_p(text, int, float8) AS SELECT count(*) FROM dp_sample_and_aggregate('sample_t', $1, $2, 0, 1, $3);
SET plan_cache_mode = force_generic_plan;
EXECUTE sample_p('avg(x)', 10, 0.5);
RESET plan_cache_mode;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT answer IS NULL FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 1) AS answer;
FETCH 1 FROM c;
FETCH PRIOR FROM c;
FETCH 1 FROM c;
COMMIT;
SET dpriv.epsilon = 0.5;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80);
RESET dpriv.epsilon;

--
-- Charges
--

-- One call is one charge of epsilon, before a row is read; it is of the relation below the view.
SELECT count(*) AS before FROM dpriv.ledger \gset
SELECT count(*) FROM dp_sample_and_aggregate('sample_v', 'avg(years)', 10, 0, 80, 0.5);
SELECT count(*) FROM dp_sample_and_aggregate('sample_v', 'avg(years)', 10, 0, 80, 0.5, combine => 'mean');
SELECT relation_name, measures, mechanism, epsilon, delta_basic, delta_approx, round((rho / 0.5)::numeric, 3) AS rho
FROM dpriv.ledger ORDER BY charged_at, charge_id OFFSET :before;
-- The ledger has the statement alone, not what was sent with it.
SELECT 'somebody''s secret' IS NULL AS answer \; SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 20, 0, 100, 0.5);
BEGIN;
DECLARE sample_text CURSOR FOR SELECT 1 FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 20, 0, 100, 0.5);
FETCH sample_text;
COMMIT;
SELECT query FROM (SELECT * FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 2) AS last ORDER BY charged_at;
SELECT dpriv.session_spent() AS spent \gset

-- What a call would cost; nothing is read or charged.
SELECT measure, mechanism, epsilon, delta FROM dpriv.cost($$SELECT * FROM dp_sample_and_aggregate('sample_v', 'avg(years)', 10, 0, 80, 0.5) AS a,
	dp_sample_and_aggregate('sample_t', 'corr(x, y)', 10, -1, 1, 0.25, combine => 'mean') AS b$$);
SELECT dpriv.session_spent() - :spent AS spent;

-- Asked for twice by a join, it runs and is charged once; rolled back, it has been paid for; a failed call keeps its charge.
SELECT count(DISTINCT answer) FROM generate_series(1, 3), dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.25) AS answer;
BEGIN;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.25);
ROLLBACK;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(1 / (id - 7))', 10, 0, 80, 0.25);
SELECT round((dpriv.session_spent() - :spent)::numeric, 9) AS spent;

-- Below a release it does not run; the release itself has been paid for.
SELECT dp_count(answer, 1) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.25) AS answer;

--
-- Refusals, none of which is charged
--
SELECT dpriv.session_spent() AS spent \gset

-- The place of the call, and its arguments.
SELECT dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 1);
SELECT count(*) FROM (VALUES (0.5), (1)) AS v(e), dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, e);
SELECT count(*) FROM sample_t, LATERAL dp_sample_and_aggregate('sample_t', 'avg(x)', x, 0, 80, 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', (SELECT 'avg(x)'), 10, 0, 80, 1);
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 1);
ROLLBACK;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 21);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', NULL, 10, 0, 80, 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 0, 0, 80, 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 65537, 0, 80, 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 80, 80, 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 'NaN', 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 1e101, 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 1, combine => 'sum');
SELECT count(*) FROM dp_sample_and_aggregate('sample_t_pkey', 'avg(x)', 10, 0, 80, 1);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 1, 'x > 3) OR (true');

-- The expression is one, a number, and made of aggregates that are known.
CREATE AGGREGATE sample_last(int) (SFUNC = int4larger, STYPE = int);
CREATE OPERATOR <<< (LEFTARG = int, RIGHTARG = int, FUNCTION = int4lt);
\set call 'SELECT count(*) FROM dp_sample_and_aggregate(''sample_t'', '
:call 'avg(x) FROM sample_t', 10, 0, 80, 1);
:call 'avg(x); DROP TABLE sample_t', 10, 0, 80, 1);
:call 'avg(x), avg(y)', 10, 0, 80, 1);
:call '', 10, 0, 80, 1);
:call 'avg(nobody)', 10, 0, 80, 1);
:call 'avg(x) > 3', 10, 0, 80, 1);
:call 'x', 10, 0, 80, 1);
:call 'avg(x) + x', 10, 0, 80, 1);
:call '7', 10, 0, 80, 1);
:call 'sample_last(x)', 10, 0, 80, 1);
:call 'dp_count(*)', 10, 0, 80, 1);
:call '(array_agg(x))[1]', 10, 0, 80, 1);
:call 'length(string_agg(city, $$,$$))', 10, 0, 80, 1);
:call 'length(max(city))', 10, 0, 80, 1);
:call 'count(DISTINCT city)', 10, 0, 80, 1);
:call 'rank(7) WITHIN GROUP (ORDER BY x)', 10, 0, 80, 1);
:call '(percentile_cont(ARRAY[0.5]) WITHIN GROUP (ORDER BY x))[1]', 10, 0, 80, 1);
:call 'percentile_cont(1.5) WITHIN GROUP (ORDER BY x)', 10, 0, 80, 1);
:call 'percentile_cont(NULL) WITHIN GROUP (ORDER BY x)', 10, 0, 80, 1);
:call 'mode() WITHIN GROUP (ORDER BY x USING <<<)', 10, 0, 80, 1);
:call 'percentile_cont(x) WITHIN GROUP (ORDER BY x)', 10, 0, 80, 1);
:call 'avg(x ORDER BY y)', 10, 0, 80, 1);
:call 'sum(x) OVER ()', 10, 0, 80, 1);
:call 'grouping(x)', 10, 0, 80, 1);
:call 'avg(x) + (SELECT 1)', 10, 0, 80, 1);
:call 'avg((SELECT 1))', 10, 0, 80, 1);
:call 'avg(x) + random()', 10, 0, 80, 1);
:call 'avg(x + random())', 10, 0, 80, 1);
:call 'avg(x) FILTER (WHERE random() < 0.5)', 10, 0, 80, 1);
:call 'generate_series(1, count(*))', 10, 0, 80, 1);
:call 'sqrt(avg(x))', 10, 0, 80, 1);
:call 'avg(x) + $1', 10, 0, 80, 1);
SELECT dpriv.session_spent() - :spent AS spent;

--
-- Restricted roles
--
SELECT dpriv.protect('sample_t', unit => 'row');
GRANT SELECT ON sample_v TO sample_analyst;
GRANT SELECT (x, y) ON sample_t TO sample_analyst;
SELECT dpriv.grant_budget('sample_analyst', 'sample_t', 2.5);
SET SESSION AUTHORIZATION sample_poor;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.5);
SET SESSION AUTHORIZATION sample_analyst;
SELECT count(*) FROM sample_t;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'corr(x, y)', 10, -1, 1, 0.5);
SELECT count(*) FROM dp_sample_and_aggregate('sample_v', 'avg(years)', 10, 0, 80, 0.5, combine => 'mean');
-- Only columns that it may read.
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x) + avg(z)', 10, 0, 80, 0.5);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.5, 'id > 7');
-- What is evaluated for a row cannot fail, and is on the list.
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(1 / (x - 7)) FILTER (WHERE 1 / (x - 8) > 0)', 10, 0, 80, 0.5);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(sqrt(x))', 10, 0, 80, 0.5);
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x) FILTER (WHERE sqrt(x) > 3)', 10, 0, 80, 0.5);
SELECT count(*) FROM dp_sample_and_aggregate('sample_v', 'count(sample_v)', 10, 0, 80, 0.5);
SELECT count(*) FROM dp_sample_and_aggregate('sample_v', 'count(*) FILTER (WHERE sample_v IS NULL)', 10, 0, 80, 0.5);
-- What only single rows would need is locked before: where long values are, the catalogs of enums and types.
BEGIN;
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.01);
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IN ('pg_enum'::regclass, 'pg_type'::regclass);
ROLLBACK;
SET SESSION AUTHORIZATION sample_analyst;
-- Nothing is measured, whatever the statement around it.
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.5);
EXPLAIN (COSTS OFF) SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 0.5);
-- The budget ends.
SELECT count(*) FROM dp_sample_and_aggregate('sample_t', 'avg(x)', 10, 0, 80, 1.1);
SELECT spent_epsilon FROM dpriv.my_budget;
RESET SESSION AUTHORIZATION;

-- What the catalogs say of rows is masked here as in any query.
ANALYZE sample_t;
SELECT answer > 2000 AS known FROM dp_sample_and_aggregate('pg_class', 'max(reltuples)', 1, 0, 4000, 20, 'relname = $$sample_t$$', 'mean') AS answer;
SET SESSION AUTHORIZATION sample_analyst;
SELECT answer > 2000 AS known FROM dp_sample_and_aggregate('pg_class', 'max(reltuples)', 1, 0, 4000, 20, 'relname = $$sample_t$$', 'mean') AS answer;
RESET SESSION AUTHORIZATION;

SET client_min_messages = warning;
DROP TABLE sample_t, sample_extreme CASCADE;
DROP FUNCTION sample_near, sample_extreme_of;
DROP AGGREGATE sample_last(int);
DROP OPERATOR <<< (int, int);
DROP TYPE sample_shade;
DROP OWNED BY sample_analyst;
DROP ROLE sample_analyst, sample_poor;
