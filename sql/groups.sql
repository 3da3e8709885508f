-- GROUP BY: boolean and enum keys bring all their groups; without delta, other keys are refused.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per count.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TYPE group_level AS ENUM ('low', 'middle', 'high', 'never used');
CREATE DOMAIN group_flag AS bool;
CREATE DOMAIN group_top AS group_level CHECK (value <> 'low');
CREATE TABLE group_t (id int PRIMARY KEY, age int, flag bool, vip group_flag, level group_level,
	top group_top,
	name text, n numeric, ts timestamptz);
INSERT INTO group_t
SELECT i, i % 50, CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END, i % 5 = 0,
	CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'low' WHEN 2 THEN 'middle' ELSE 'high' END::group_level,
	CASE WHEN i % 2 = 0 THEN 'high'::group_top END, 'n' || i % 10, i, now()
FROM generate_series(1, 1000) i;
CREATE TABLE group_empty (LIKE group_t);

--
-- Which groups come back
--

-- Boolean: false, true and NULL, the NULL group also where there is no NULL.
SELECT flag, dp_count(*) FROM group_t GROUP BY flag ORDER BY flag;
SELECT flag, count(*) FROM group_t GROUP BY flag ORDER BY flag;
SELECT vip, dp_count(*) FROM group_t GROUP BY vip ORDER BY vip;

-- Enum: every label in its order, also those that no row has, and NULL.
SELECT level, dp_count(*), dp_count(age), dp_sum_clipped(age, 0, 10) FROM group_t GROUP BY level
	ORDER BY level;
SELECT level, count(*), count(age), sum(least(age, 10)) FROM group_t GROUP BY level ORDER BY level;
SELECT top, dp_count(*) FROM group_t GROUP BY top ORDER BY top;

-- Conditions.
SELECT age > 40 AS old, dp_count(*) FROM group_t GROUP BY age > 40 ORDER BY 1;
SELECT age > 40 AS old, dp_count(*) FROM group_t GROUP BY old ORDER BY old;
SELECT age BETWEEN 20 AND 29, dp_count(*) FROM group_t GROUP BY 1 ORDER BY 1;
SELECT name = 'n3' AND flag AS x, dp_count(*) FROM group_t GROUP BY x ORDER BY x;
SELECT CASE WHEN age < 10 THEN 'low' WHEN age < 20 THEN 'middle' END::group_level AS class,
	dp_count(*)
FROM group_t GROUP BY class ORDER BY class;

-- Several keys: all combinations.
SELECT flag, vip, dp_count(*) FROM group_t GROUP BY flag, vip ORDER BY flag, vip;
SELECT flag, vip, count(*) FROM group_t GROUP BY flag, vip ORDER BY flag, vip;
SELECT count(*), sum(c)
	FROM (SELECT dp_count(*) AS c FROM group_t GROUP BY level, flag, age > 40) r;
SELECT count(*) FROM (SELECT flag, level, age > 40 AS o, dp_count(*) AS c FROM group_t GROUP BY 1,
	2, 3) r
JOIN (SELECT flag, level, age > 40 AS o, count(*) AS c FROM group_t GROUP BY 1, 2, 3) e
	ON (r.flag, r.level, r.o, r.c) IS NOT DISTINCT FROM (e.flag, e.level, e.o, e.c);
SELECT count(*) FROM (SELECT flag, level, age > 40 AS o, count(*) AS c FROM group_t GROUP BY 1, 2,
	3) e;

-- The same key twice is one; a key that is not selected groups all the same.
SELECT flag, flag, dp_count(*) FROM group_t GROUP BY flag, flag ORDER BY flag;
SELECT dp_count(*) FROM group_t GROUP BY vip ORDER BY dp_count(*);

-- Without ORDER BY the order is that of the values, whatever the rows are: the last key changes
-- fastest.
SELECT flag, vip, dp_count(*) > -1 FROM group_empty GROUP BY flag, vip;

-- Empty table, empty selection, empty filter: the same groups with zeros.
SELECT level, dp_count(*), dp_count(age), abs(dp_sum_clipped(age, 0, 10)) < 0.5 AS sum,
	dp_avg(age, 0, 10) BETWEEN 0 AND 10 AS avg, dp_histogram(age, ARRAY[0, 10, 20])
FROM group_empty GROUP BY level;
SELECT flag, dp_count(*) FROM group_t WHERE age > 1000 GROUP BY flag;
SELECT flag, dp_count(*) FROM group_t WHERE false GROUP BY flag;
SELECT flag, dp_count(*) FILTER (WHERE age > 1000) FROM group_t GROUP BY flag;

-- Every measure in a group.
SELECT flag, dp_count(*), dp_count(DISTINCT name), dp_sum_clipped(age, 0, 10),
	dp_histogram(age, ARRAY[0, 25, 49]),
	dp_histogram(level, ARRAY['low']), abs(dp_avg(age, 0, 49) - 24.5) < 0.5 AS avg
FROM group_t GROUP BY flag ORDER BY flag;

-- A label that is added later is a group.
ALTER TYPE group_level ADD VALUE 'latest';
SELECT level, dp_count(*) FROM group_t GROUP BY level;

-- Keys of views, subqueries and CTEs.
SELECT k, dp_count(*) FROM (SELECT age > 40 AS k FROM group_t) s GROUP BY k;
WITH c AS (SELECT level AS k FROM group_t) SELECT k, dp_count(*) FROM c GROUP BY k;

--
-- What groups are good for
--

-- Keys in expressions, in HAVING, in ORDER BY and in FILTER; DISTINCT ON and windows over released
-- groups.
SELECT coalesce(level::text, 'none') || '!' AS label, dp_count(*) AS c FROM group_t GROUP BY level
HAVING dp_count(*) > 0 AND (level <> 'low' OR level IS NULL) ORDER BY c DESC, level;
SELECT level, dp_count(*) AS c, sum(dp_count(*)) OVER (ORDER BY level) AS running,
	rank() OVER (ORDER BY dp_count(*) DESC)
FROM group_t GROUP BY level ORDER BY level;
SELECT DISTINCT dp_count(*) > 0 AS occupied FROM group_t GROUP BY level ORDER BY 1;
SELECT DISTINCT ON (flag) flag, vip, dp_count(*) AS c FROM group_t GROUP BY flag, vip
	ORDER BY flag, c DESC;
SELECT NOT flag AS not_flag, dp_count(*) FILTER (WHERE flag), dp_count(flag) FROM group_t
	GROUP BY flag ORDER BY 1;

-- A key in a correlated subquery above the release.
SELECT level, (SELECT upper(group_t.level::text)) AS u,
	(SELECT dp_count(group_t.id) || ' rows') AS c FROM group_t
GROUP BY level ORDER BY level;
SELECT flag, (SELECT array_agg(x) FROM generate_series(1, 2) x WHERE flag) FROM group_t
	GROUP BY flag HAVING dp_count(*) > 0
ORDER BY flag;

--
-- Refused: what cannot be a key
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
SELECT refusal('SELECT ' || key || ', dp_count(*) FROM group_t GROUP BY ' || key)
FROM unnest(ARRAY['id', 'age', 'name', 'n', 'ts', 'age % 2', 'lower(name)', 'group_t',
	'flag::text', 'level::text',
	'ARRAY[flag]', 'ROW(flag)', 'ctid', 'tableoid', 'flag, name']) AS key;

-- Constants, sets, sublinks, volatile and outer values.
SELECT refusal('SELECT dp_count(*) FROM group_t GROUP BY NULL::bool');
SELECT refusal('SELECT dp_count(*) FROM group_t GROUP BY unnest(ARRAY[flag, vip])');
SELECT refusal('SELECT dp_count(*) FROM group_t GROUP BY (SELECT flag)');
SELECT refusal('SELECT dp_count(*) FROM group_t GROUP BY age > (SELECT avg(age) FROM group_t)');
SELECT refusal('SELECT (SELECT dp_count(*) FROM group_t i GROUP BY i.flag = o.flag LIMIT 1) FROM group_t o');

-- Rows would count in several groups.
SELECT refusal('SELECT flag, dp_count(*) FROM group_t GROUP BY ROLLUP (flag)');
SELECT refusal('SELECT flag, dp_count(*) FROM group_t GROUP BY CUBE (flag, vip)');
SELECT refusal('SELECT flag, dp_count(*) FROM group_t GROUP BY GROUPING SETS ((flag), (vip))');
SELECT refusal('SELECT dp_count(*) FROM group_t GROUP BY ()');
SELECT refusal('SELECT GROUPING(flag), dp_count(*) FROM group_t GROUP BY flag');

-- Columns that depend on the key are values of single rows all the same.
CREATE TABLE group_pk (k bool PRIMARY KEY, v int);
SELECT refusal('SELECT k, v, dp_count(*) FROM group_pk GROUP BY k');
SELECT refusal('SELECT k, (SELECT v + 1), dp_count(*) FROM group_pk GROUP BY k');
SELECT refusal('SELECT k, dp_count(*) FROM group_pk GROUP BY k ORDER BY v');
SELECT refusal('SELECT k, dp_count(*) FROM group_pk GROUP BY k HAVING v > 3');
SELECT refusal('SELECT age, dp_count(*) FROM group_t');

-- More combinations than fit.
DO $$
BEGIN
	EXECUTE 'CREATE TYPE group_wide AS ENUM ('
		|| (SELECT string_agg(quote_literal('label ' || i), ', ')
		FROM generate_series(1, 2000) i) || ')';
END
$$;
CREATE TABLE group_w (a group_wide, b group_wide);
INSERT INTO group_w VALUES ('label 7', 'label 1999');
SELECT count(*), sum(c) FROM (SELECT dp_count(*) AS c FROM group_w GROUP BY a) r;
SELECT dpriv.session_spent() AS before \gset
SELECT refusal('SELECT dp_count(*) FROM group_w GROUP BY a, b');
SELECT dpriv.session_spent() = :before AS free;

SET client_min_messages = warning;
DROP TABLE group_t, group_empty, group_pk, group_w CASCADE;
DROP DOMAIN group_flag, group_top;
DROP TYPE group_level, group_wide;
DROP FUNCTION refusal;
