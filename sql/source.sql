-- What a release may read, and what it refuses: rows that each come from one row of one source.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per count.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TABLE source_t (id int PRIMARY KEY, age int, flag bool, name text, tags int[]);
INSERT INTO source_t SELECT i, i % 50, i % 2 = 0, 'n' || i % 10, ARRAY[i, i + 1]
	FROM generate_series(1, 1000) i;
CREATE TABLE source_u AS SELECT * FROM source_t WHERE id <= 100;
CREATE VIEW source_v AS SELECT id, age + 1 AS age1, flag FROM source_t WHERE age > 10;
CREATE VIEW source_vv AS SELECT age1 * 2 AS age2, flag FROM source_v WHERE flag;
CREATE VIEW source_join AS SELECT t.* FROM source_t t JOIN source_u u USING (id);
CREATE VIEW source_union AS SELECT id FROM source_t UNION ALL SELECT id FROM source_u;
CREATE VIEW source_distinct AS SELECT DISTINCT age FROM source_t;
CREATE VIEW source_limit AS SELECT * FROM source_t LIMIT 10;
CREATE VIEW source_group AS SELECT age, count(*) AS n FROM source_t GROUP BY age;
CREATE VIEW source_window AS SELECT id, row_number() OVER (ORDER BY id) AS rn FROM source_t;
CREATE VIEW source_srf AS SELECT unnest(tags) AS tag FROM source_t;
CREATE VIEW source_exists AS SELECT * FROM source_t t
	WHERE EXISTS (SELECT FROM source_u u WHERE u.id = t.id);

--
-- Answered
--

-- Conditions of every kind on the row itself.
SELECT (SELECT dp_count(*) FROM source_t
	WHERE age > 40 AND (flag OR name LIKE 'n1%') AND name IN ('n1', 'n3', 'n12'))
	= (SELECT count(*) FROM source_t
	WHERE age > 40 AND (flag OR name LIKE 'n1%') AND name IN ('n1', 'n3', 'n12')) AS equal;
SELECT (SELECT dp_count(*) FROM source_t
	WHERE CASE WHEN flag THEN age > 25 ELSE 7 = ANY (tags) END AND NOT age = 3)
	= (SELECT count(*) FROM source_t
	WHERE CASE WHEN flag THEN age > 25 ELSE 7 = ANY (tags) END AND NOT age = 3) AS equal;

-- Projections are seen through, in views, subqueries and CTEs, with column aliases.
SELECT (SELECT dp_sum_clipped(age2, 0, 9) FROM source_vv) = (SELECT sum(least(age2, 9))
	FROM source_vv) AS equal;
SELECT (SELECT dp_count(b) FROM (SELECT age, flag FROM source_t) s(a, b) WHERE a > 40)
	= (SELECT count(*) FROM source_t WHERE age > 40) AS equal;
SELECT (SELECT dp_count(*)
	FROM (SELECT * FROM (SELECT * FROM (TABLE source_t) a WHERE age > 10) b WHERE flag) c
WHERE age < 20)
	= (SELECT count(*) FROM source_t WHERE age > 10 AND flag AND age < 20) AS equal;

-- CTEs: materialised or not, one on another, from an outer level, with the name of a table, with
-- ORDER BY inside.
WITH a AS MATERIALIZED (SELECT * FROM source_t WHERE flag),
	b(x) AS NOT MATERIALIZED (SELECT age FROM a)
SELECT (SELECT dp_count(*) FROM b WHERE x > 10) = (SELECT count(*) FROM b WHERE x > 10) AS equal;
WITH a AS MATERIALIZED (SELECT * FROM source_t WHERE flag), b AS (SELECT age FROM a),
	c AS (SELECT age FROM a)
SELECT (SELECT dp_count(*) FROM b), (SELECT dp_count(*) FROM b WHERE age > 10),
	(SELECT dp_count(*) FROM c);
WITH source_u AS (SELECT * FROM source_t WHERE age = 7 ORDER BY id DESC) SELECT dp_count(*)
	FROM source_u;
WITH a AS (SELECT * FROM source_t WHERE flag)
SELECT * FROM (WITH b AS (SELECT age FROM a WHERE age < 10) SELECT dp_count(*) FROM b) r,
	(SELECT dp_count(*) FROM a) s;
WITH a AS (SELECT 1 AS one) SELECT *
	FROM (WITH a AS (SELECT * FROM source_u) SELECT dp_count(*) FROM a) r, a;
WITH unused AS (SELECT dp_count(*) FROM source_t) SELECT dp_count(*) FROM source_u;

-- SQL functions are inlined: one that filters and projects is read like a view, also two deep.
CREATE FUNCTION source_f(least_age int) RETURNS SETOF source_t LANGUAGE sql STABLE
	AS 'SELECT * FROM public.source_t WHERE age > least_age';
CREATE FUNCTION source_ff() RETURNS TABLE (a int, f bool) LANGUAGE sql STABLE
	BEGIN ATOMIC SELECT age, flag FROM public.source_f(30) WHERE id > 100; END;
SELECT (SELECT dp_count(*) FROM source_f(20)) = (SELECT count(*) FROM source_f(20)) AS equal;
SELECT (SELECT dp_count(a) FROM source_ff() WHERE f) = (SELECT count(a) FROM source_ff()
	WHERE f) AS equal;
EXPLAIN (COSTS OFF) SELECT dp_count(a) FROM source_ff() WHERE f;

-- A function that cannot be inlined is a source of its own.
CREATE FUNCTION source_plpgsql() RETURNS SETOF int LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT age FROM source_t; END';
SELECT dp_count(*) FROM source_plpgsql() x WHERE x > 40;

-- System columns as values; temporary and unlogged tables.
CREATE TEMP TABLE source_temp AS SELECT * FROM source_u;
CREATE UNLOGGED TABLE source_unlogged AS SELECT * FROM source_u;
SELECT dp_count(*), dp_count(ctid) FROM source_temp;
SELECT dp_count(*) FROM source_unlogged;

--
-- Refused
--
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
	message text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN statement || E'\n  NOT REFUSED';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
	hint = PG_EXCEPTION_HINT;
	RETURN statement || E'\n  ' || code || ': ' || message || E'\n  ' || hint;
END
$$;
\pset format unaligned
\pset tuples_only on

-- Joins: a row could count many times.
SELECT refusal('SELECT dp_count(*) FROM ' || source) FROM unnest(ARRAY[
	'source_t, source_u',
	'source_t t JOIN source_u u USING (id)',
	'source_t t LEFT JOIN source_u u ON true',
	'source_t CROSS JOIN generate_series(1, 64)',
	'source_t t, LATERAL (SELECT t.age) s',
	'source_t t, unnest(t.tags)',
	'source_t NATURAL JOIN source_u',
	'source_join',
	'(SELECT t.* FROM source_t t, source_u u) s',
	'source_t, (SELECT dp_count(*) FROM source_t) r',
	'(SELECT dp_count(*) FROM source_t) r, source_t']) AS source;

-- Set operations.
SELECT refusal('SELECT dp_count(*) FROM ' || source) FROM unnest(ARRAY[
	'(SELECT id FROM source_t UNION ALL SELECT id FROM source_t) s',
	'(SELECT id FROM source_t UNION SELECT id FROM source_u) s',
	'(SELECT id FROM source_t INTERSECT SELECT id FROM source_u) s',
	'(SELECT id FROM source_t EXCEPT ALL SELECT id FROM source_u) s',
	'(VALUES (1) UNION ALL SELECT id FROM source_t) s',
	'source_union']) AS source;

-- What looks at other rows: aggregates, windows, DISTINCT, LIMIT, locks; what multiplies rows.
SELECT refusal('SELECT dp_count(*) FROM ' || source) FROM unnest(ARRAY[
	'(SELECT count(*) FROM source_t) s',
	'(SELECT age FROM source_t GROUP BY age) s',
	'(SELECT 1 FROM source_t HAVING true) s',
	'source_group',
	'(SELECT id, row_number() OVER () AS rn FROM source_t) s WHERE rn % 2 = 0',
	'source_window WHERE rn > 500',
	'(SELECT DISTINCT age FROM source_t) s',
	'(SELECT DISTINCT ON (age) age FROM source_t) s',
	'source_distinct',
	'(SELECT * FROM source_t LIMIT 10) s',
	'(SELECT * FROM source_t OFFSET 10) s',
	'(SELECT * FROM source_t ORDER BY age FETCH FIRST 3 ROWS WITH TIES) s',
	'source_limit',
	'(SELECT * FROM source_t FOR UPDATE) s',
	'(SELECT * FROM source_t FOR KEY SHARE SKIP LOCKED) s',
	'(SELECT unnest(tags) FROM source_t) s',
	'(SELECT generate_series(1, 64) FROM source_t) s',
	'source_srf',
	'(SELECT dp_count(*) AS c FROM source_t) s',
	'source_t TABLESAMPLE BERNOULLI (50)',
	'(SELECT * FROM source_t TABLESAMPLE SYSTEM (10)) s',
	'unnest(ARRAY[1, 2]) WITH ORDINALITY',
	'ROWS FROM (generate_series(1, 3), generate_series(1, 4)) s',
	'generate_series(1, (SELECT count(*) FROM source_t))']) AS source;

-- No source.
SELECT refusal('SELECT dp_count(*)');
SELECT refusal('SELECT dp_count(*) WHERE true');
SELECT refusal('SELECT dp_count(*) FROM (SELECT 1) s');

-- CTEs: recursive ones, ones that change data, and the same refusals below them.
SELECT refusal(statement) FROM unnest(ARRAY[
	'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT dp_count(*) FROM r',
	'WITH d AS (DELETE FROM source_u RETURNING *) SELECT dp_count(*) FROM d',
	'WITH i AS (INSERT INTO source_u SELECT 2000 RETURNING *) SELECT dp_count(*) FROM i',
	'WITH c AS (SELECT DISTINCT age FROM source_t) SELECT dp_count(*) FROM c',
	'WITH c AS (SELECT * FROM source_t LIMIT 5), d AS (SELECT * FROM c) SELECT dp_count(*) FROM d',
	'WITH c AS (SELECT dp_count(*) AS n FROM source_t) SELECT dp_count(*) FROM c',
	'WITH c AS (SELECT * FROM source_t, source_u) SELECT dp_sum_clipped(1, 0, 1) FROM c']) AS statement;

-- Sublinks: one row could change what happens to all others.
SELECT refusal(statement) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM source_t WHERE id IN (SELECT id FROM source_u)',
	'SELECT dp_count(*) FROM source_t t WHERE EXISTS (SELECT FROM source_u u WHERE u.id = t.id)',
	'SELECT dp_count(*) FROM source_t WHERE age > (SELECT avg(age) FROM source_t)',
	'SELECT dp_count(*) FROM source_t WHERE age > ALL (SELECT age FROM source_u)',
	'SELECT dp_count(*) FROM source_t WHERE ARRAY(SELECT 1) = tags',
	'SELECT dp_count(*) FROM source_t WHERE age > (SELECT dp_avg(age, 0, 50) FROM source_t)',
	'SELECT dp_count(*) FILTER (WHERE age > (SELECT 3)) FROM source_t',
	'SELECT dp_count((SELECT max(id) FROM source_u)) FROM source_t',
	'SELECT dp_sum_clipped((SELECT age), 0, 10) FROM source_t',
	'SELECT dp_count(*) FROM (SELECT (SELECT 1) AS x FROM source_t) s',
	'SELECT dp_count(*) FROM source_exists']) AS statement;

-- Outer references: a release runs once, not once per outer row.
SELECT refusal(statement) FROM unnest(ARRAY[
	'SELECT (SELECT dp_count(*) FROM source_t i WHERE i.age = o.age) FROM source_u o',
	'SELECT (SELECT dp_count(*) FILTER (WHERE i.age = o.age) FROM source_t i) FROM source_u o',
	'SELECT (SELECT dp_sum_clipped(i.age + o.age, 0, 10) FROM source_t i) FROM source_u o',
	'SELECT r.* FROM source_u o, LATERAL (SELECT dp_count(*) FROM source_t i WHERE i.id = o.id) r',
	'SELECT r.* FROM source_u o, LATERAL (SELECT dp_count(*) FROM (SELECT o.id) s) r',
	'SELECT r.* FROM source_u o, LATERAL (SELECT dp_count(*) FROM generate_series(1, o.age)) r',
	'SELECT r.* FROM source_u o, LATERAL (SELECT dp_count(*) FROM (VALUES (o.id)) v) r',
	'SELECT r.* FROM source_u o, LATERAL (SELECT dp_count(*) FROM unnest(o.tags)) r',
	'SELECT 1 FROM source_u o WHERE EXISTS (SELECT dp_count(*) FROM source_t i HAVING dp_count(*) FILTER (WHERE i.id = o.id) > 0)',
	'WITH RECURSIVE w AS (SELECT 1 AS n UNION ALL SELECT (SELECT dp_count(*) FROM source_t t WHERE t.id > w.n)::int FROM w) TABLE w'
	]) AS statement;

-- Windows, sets and ORDER BY in a measure.
SELECT refusal(statement) FROM unnest(ARRAY[
	'SELECT dp_count(*) OVER () FROM source_t',
	'SELECT dp_count(age) OVER (ORDER BY id ROWS 1 PRECEDING) FROM source_t',
	'SELECT dp_sum_clipped(age, 0, 10) OVER w FROM source_t WINDOW w AS (PARTITION BY flag)',
	'SELECT 1 FROM source_t ORDER BY dp_count(*) OVER ()',
	'SELECT dp_count(age) OVER (), dp_count(*) FROM source_t GROUP BY age',
	'SELECT dp_count(unnest(tags)) FROM source_t',
	'SELECT dp_count(age ORDER BY id) FROM source_t',
	'SELECT dp_histogram(age, ARRAY[0, 10] ORDER BY age) FROM source_t',
	'SELECT dp_sum_clipped(DISTINCT age, 0, 10) FROM source_t',
	'SELECT dp_avg(DISTINCT age, 0, 10) FROM source_t',
	'SELECT dp_histogram(DISTINCT age, ARRAY[0, 10]) FROM source_t',
	'SELECT dp_count(DISTINCT source_t) FROM source_t',
	'SELECT dp_count(DISTINCT source_t.*, 0.5) FROM source_t',
	'SELECT dp_count(row_number() OVER ()) FROM source_t',
	'SELECT dp_count(dp_count(*)) FROM source_t',
	'SELECT dp_count(*) FROM source_t WHERE dp_count(*) > 3']) AS statement;

-- Exact results beside noisy ones.
SELECT refusal(statement) FROM unnest(ARRAY[
	'SELECT dp_count(*), count(*) FROM source_t',
	'SELECT dp_count(*) FROM source_t HAVING count(*) > 5',
	'SELECT dp_count(*) FROM source_t ORDER BY max(age)',
	'SELECT flag, string_agg(name, '','') FROM source_t GROUP BY flag HAVING dp_count(*) > 0',
	'SELECT dp_count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY age) FROM source_t',
	'SELECT dp_count(*), (SELECT count(source_t.age)) FROM source_t',
	'SELECT age, dp_count(*) FROM source_t',
	'SELECT dp_count(*) FROM source_t ORDER BY age',
	'SELECT dp_count(*), (SELECT source_t.age) FROM source_t']) AS statement;

-- Rows that are locked or changed; releases beside them.
SELECT refusal(statement) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM source_t FOR UPDATE',
	'SELECT r.c, u.id FROM (SELECT dp_count(*) AS c FROM source_t) r, source_u u FOR UPDATE OF u',
	'SELECT * FROM source_u WHERE id < (SELECT dp_count(*) FROM source_t) FOR SHARE',
	'UPDATE source_u SET age = (SELECT dp_count(*) FROM source_t)',
	'UPDATE source_u SET age = r.c FROM (SELECT dp_count(*) AS c FROM source_t) r',
	'DELETE FROM source_u WHERE id > (SELECT dp_count(*) FROM source_t)',
	'DELETE FROM source_u USING (SELECT dp_count(*) AS c FROM source_t) r WHERE id > r.c',
	'UPDATE source_u SET age = 0 RETURNING (SELECT dp_count(*) FROM source_t)',
	'WITH u AS (UPDATE source_u SET age = 0 RETURNING id) SELECT dp_count(*) FROM source_t',
	'WITH r AS (SELECT dp_count(*) AS c FROM source_t) UPDATE source_u SET age = r.c FROM r',
	'MERGE INTO source_u u USING (SELECT dp_count(*) AS c FROM source_t) r ON u.id = r.c WHEN MATCHED THEN DELETE',
	'MERGE INTO source_u u USING source_t t ON u.id = t.id WHEN MATCHED THEN UPDATE SET age = (SELECT dp_count(*) FROM source_t)'
	]) AS statement;

-- An SQL function that is not inlined is not read at all: what it would read is not known in time.
CREATE FUNCTION source_volatile() RETURNS SETOF int LANGUAGE sql AS 'SELECT age FROM public.source_t';
CREATE FUNCTION source_setting() RETURNS SETOF int LANGUAGE sql STABLE SET work_mem = '1MB' AS 'SELECT age FROM public.source_t';
CREATE FUNCTION source_nested() RETURNS SETOF int8 LANGUAGE sql AS 'SELECT dp_count(*) FROM public.source_t';
SELECT dpriv.session_spent() AS spent \gset
SELECT refusal('SELECT dp_count(*) FROM source_volatile()');
SELECT refusal('SELECT dp_count(*) FROM (SELECT x FROM source_setting() x WHERE x > 3) s');
SELECT refusal('SELECT dp_count(*) FROM source_nested()');
SELECT dpriv.session_spent() = :spent AS free;
DROP FUNCTION source_volatile, source_setting, source_nested;

-- A release in a function that is called for private rows.
CREATE FUNCTION source_release(int) RETURNS int8 LANGUAGE plpgsql STABLE
	AS 'BEGIN RETURN (SELECT dp_count(*) FROM source_u WHERE age = $1); END';
SELECT refusal('SELECT dp_count(*) FROM source_t WHERE source_release(age) > 5');

-- The node's placeholder is nobody's to call.
SELECT refusal('SELECT * FROM dpriv.release(0) AS r(c int8)');
SELECT refusal('SELECT dp_count(*) FROM dpriv.release(0) AS r(c int8)');
SELECT refusal('SELECT r.*, s.* FROM (SELECT dp_count(*) FROM source_t) r, dpriv.release(0) AS s(c int8)');
SELECT refusal('SELECT dpriv.release(0)');

-- No refusal changed anything.
SELECT count(*) FROM source_u;

SET client_min_messages = warning;
DROP TABLE source_t, source_u, source_temp, source_unlogged CASCADE;
DROP FUNCTION source_plpgsql, source_release, refusal;
