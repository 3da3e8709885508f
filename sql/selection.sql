-- GROUP BY keys whose values nobody knows: groups are selected, at a cost in delta.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per count; a group of one row appears with 1e-18, one of two
-- rows and more always.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;
SET dpriv.delta = 1e-18;

CREATE TYPE selection_level AS ENUM ('low', 'high', 'never used');
CREATE DOMAIN selection_code AS varchar(8);
CREATE TABLE selection_t (id int, age int, flag bool, level selection_level, name text, code selection_code,
	wide varchar(6), blank char(6), day date, ts timestamptz, u uuid, raw bytea, ip inet, n numeric, f float8, i interval,
	j jsonb, a int[]) WITH (autovacuum_enabled = off);
INSERT INTO selection_t (id, age, flag, level, name, code, wide, day, ts, u, raw, ip, n, f, i, j, a)
SELECT g, g % 50, g % 2 = 0, CASE g % 2 WHEN 0 THEN 'low' ELSE 'high' END::selection_level,
	CASE WHEN g % 5 > 0 THEN 'n' || g % 5 END, 'c' || g % 3, 'w' || g % 2, date '2024-01-01' + g % 2,
	timestamptz '2024-01-01 00:00+00' + g % 2 * interval '1 day',
	('00000000-0000-0000-0000-00000000000' || g % 2)::uuid, ('\x0' || g % 2)::bytea, ('10.0.0.' || g % 2)::inet,
	g % 2, g % 2, g % 2 * interval '1 day', to_jsonb(g % 2), ARRAY[g % 2]
FROM generate_series(1, 100) g;
-- Somebody who is alone with every value.
INSERT INTO selection_t (id, age, flag, level, name, code, wide, day, ts, u, raw, ip)
VALUES (0, 99, NULL, NULL, 'Karen', 'karen', 'karen', '1999-09-09', '1999-09-09 00:00+00',
	'99999999-9999-9999-9999-999999999999', '\x99', '99.99.99.99');

--
-- Which groups come back
--

-- Those with enough rows, the group without a value among them, in the order of the keys.
SELECT name, dp_count(*) FROM selection_t GROUP BY name;
SELECT name, dp_sum_clipped(age, 0, 100) FROM selection_t GROUP BY name;
SELECT name, count(*), sum(age) FROM selection_t GROUP BY name ORDER BY name;

-- Types.
SET timezone = 'UTC';
SELECT age % 4 AS k, dp_count(*) FROM selection_t GROUP BY 1;
SELECT code, dp_count(*) FROM selection_t GROUP BY code;
SELECT wide, dp_count(*) FROM selection_t GROUP BY wide;
SELECT day, dp_count(*) FROM selection_t GROUP BY day;
SELECT ts, dp_count(*) FROM selection_t GROUP BY ts;
SELECT u, dp_count(*) FROM selection_t GROUP BY u;
SELECT raw, dp_count(*) FROM selection_t GROUP BY raw;
SELECT ip, dp_count(*) FROM selection_t GROUP BY ip;
SELECT upper(name) COLLATE "C" AS k, dp_count(*) FROM selection_t GROUP BY upper(name) COLLATE "C";
SELECT n::text AS k, dp_count(*) FROM selection_t GROUP BY n::text;
SELECT j::text AS k, dp_count(*) FROM selection_t GROUP BY j::text;
RESET timezone;

-- With public keys beside them, whole combinations are selected: no group without rows comes back.
SELECT level, wide, dp_count(*) FROM selection_t GROUP BY level, wide;
SELECT wide, flag, dp_count(*) FROM selection_t GROUP BY wide, flag ORDER BY flag, wide;
SELECT level, dp_count(*) FROM selection_t GROUP BY level;

-- A key that is not selected orders the rows all the same.
SELECT dp_sum_clipped(age, 0, 100) FROM selection_t GROUP BY name;
SELECT wide, dp_count(*) FROM selection_t GROUP BY name, wide;

-- That order is known: only another one makes the statement sort, a join can use it, and it is what a sort gives.
CREATE FUNCTION sorts(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := 'nothing';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP
		found := coalesce(substring(line FROM 'Sort Key: (.*release.*)'), found);
	END LOOP;
	RETURN found;
END
$$;
SELECT o AS order_by, sorts('SELECT wide, name, dp_count(*) FROM selection_t GROUP BY wide, name ORDER BY ' || o)
FROM unnest(ARRAY['wide, name', 'wide', 'wide NULLS LAST, name ASC', 'wide, name, dp_count(*)', 'name', 'name, wide', 'wide, dp_count(*)',
	'wide DESC', 'wide NULLS FIRST', 'wide USING ~<~', 'wide COLLATE "C"', 'upper(wide)']) AS o;
SELECT sorts('SELECT name, dp_count(*) FROM selection_t GROUP BY wide, name ORDER BY name') AS by_second_key,
	sorts('SELECT name, dp_count(*) FROM selection_t GROUP BY age, name ORDER BY name') AS first_key_hidden,
	sorts('SELECT flag, dp_count(*) FROM selection_t GROUP BY flag ORDER BY flag') AS public,
	sorts('SELECT DISTINCT name, dp_count(*) FROM selection_t GROUP BY name') AS is_distinct,
	sorts('SELECT name, rank() OVER (ORDER BY name) FROM selection_t GROUP BY name HAVING dp_count(*) > 0') AS for_window;
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT sorts('SELECT a.name FROM (SELECT name, dp_count(*) FROM selection_t GROUP BY name) a
	JOIN (SELECT name, dp_count(*) FROM selection_t GROUP BY name) b USING (name)') AS for_join;
SELECT a.code, a.wide, a.c = b.c AS same FROM (SELECT code, wide, dp_count(*) AS c FROM selection_t GROUP BY code, wide) a
	JOIN (SELECT wide, code, dp_count(*) AS c FROM selection_t GROUP BY wide, code) b USING (code, wide);
-- Keys that a statement makes equal count once in that order, and those that it makes constant not at all.
SELECT r.a, r.wide, o.flag FROM (SELECT code::text AS a, lower(code) AS b, wide, dp_count(*) FROM selection_t
		GROUP BY code::text, lower(code), wide) r
	JOIN (VALUES ('c0', 'w1', true), ('c1', 'w1', false)) o (code, wide, flag) ON r.a = o.code AND r.wide = o.wide
	WHERE r.a = r.b;
SELECT sorts('SELECT * FROM (SELECT name, code, wide, dp_count(*) FROM selection_t GROUP BY name, code, wide) r
		WHERE name = code ORDER BY code, wide') AS equal_keys,
	sorts('SELECT * FROM (SELECT name, code, wide, dp_count(*) FROM selection_t GROUP BY name, code, wide) r
		WHERE name = ''n1'' ORDER BY code, wide') AS constant_key;
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT wide, name, dp_count(*) FROM selection_t GROUP BY wide, name ORDER BY wide, name;
SELECT flag, level, code, dp_count(*) FROM selection_t GROUP BY flag, level, code ORDER BY flag, level;

-- Nothing to select from.
SELECT name, dp_count(*) FROM selection_t WHERE age > 1000 GROUP BY name;
SELECT name, dp_avg(age, 0, 100) FROM selection_t WHERE id = 0 GROUP BY name;

-- More groups than public keys may have, hardly any of which come back.
SELECT k, dp_count(*) FROM (SELECT CASE WHEN x > 69990 THEN -1 ELSE x END AS k FROM generate_series(1, 70000) x) s
	GROUP BY k;
SELECT k, round(dp_sum_clipped(1, 0, 1)) AS s FROM (SELECT CASE WHEN x > 69990 THEN -1 ELSE x END AS k
		FROM generate_series(1, 70000) x) s GROUP BY k;

-- More than fit into memory.
SET work_mem = '64kB';
SELECT count(*), sum(c), count(DISTINCT k), bool_and(ordered) FROM (
	SELECT k, c, k >= lag(k) OVER () OR lag(k) OVER () IS NULL AS ordered FROM (
		SELECT repeat(lpad((x % 20000)::text, 5, '0'), 3) AS k, dp_count(x, 1000) AS c
		FROM generate_series(1, 40000) x GROUP BY 1) r) o;
RESET work_mem;

--
-- What deciding costs
--
CREATE FUNCTION cost(statement text) RETURNS TABLE (epsilon float8, delta float8, groups bigint) LANGUAGE plpgsql AS $$
DECLARE
	epsilon_before float8 := dpriv.session_spent();
	delta_before float8 := dpriv.session_spent_delta();
BEGIN
	EXECUTE format('SELECT count(*) FROM (%s) r', statement) INTO groups;
	epsilon := round((dpriv.session_spent() - epsilon_before)::numeric, 9);
	delta := round((dpriv.session_spent_delta() - delta_before)::numeric, 9);
	RETURN NEXT;
END
$$;
SET dpriv.delta = 1e-6;
SET dpriv.epsilon = 20;

-- With a count of the rows: delta, once, whatever else there is.
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_count(selection_t, 20) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_count(selection_t.*, 20), dp_avg(age, 0, 100, 10) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_avg(age, 0, 100, 10) FROM selection_t GROUP BY name HAVING dp_count(*) > 0');

-- Without one: the epsilon of the first measure as well.
SELECT * FROM cost('SELECT dp_avg(age, 0, 100, 10) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_sum_clipped(age, 0, 1, 10), dp_avg(age, 0, 100) FROM selection_t GROUP BY name');

-- Counts of some rows, of values or of different values are none of the rows.
SELECT * FROM cost('SELECT dp_count(*) FILTER (WHERE flag) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_count(flag) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_count(DISTINCT age) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_histogram(age, ARRAY[0, 100]) FROM selection_t GROUP BY name');

-- Nor is one with Gaussian noise, however small its tails: it has a delta of its own.
SET dpriv.mechanism = gaussian;
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t GROUP BY name');
EXPLAIN (COSTS OFF) SELECT name, dp_count(selection_t, 0.5) FROM selection_t GROUP BY name;
RESET dpriv.mechanism;

-- dpriv.selection_epsilon is for them alone.
SET dpriv.selection_epsilon = 5;
SELECT * FROM cost('SELECT dp_avg(age, 0, 100, 10) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t GROUP BY name');
RESET dpriv.selection_epsilon;

-- Public keys cost no delta.
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t GROUP BY level, flag');

-- No rows cost as much as many, and nothing read costs nothing.
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t WHERE age > 1000 GROUP BY name');
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t WHERE false GROUP BY name');
SELECT * FROM cost('SELECT dp_avg(age, 0, 100) FROM selection_t GROUP BY name LIMIT 0');

-- A budget without delta does not buy unknown groups; nothing is spent when refused.
SET dpriv.session_budget = 1e6;
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t GROUP BY name');
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t GROUP BY level');
SET dpriv.session_budget_delta = 1;
SELECT * FROM cost('SELECT dp_count(*) FROM selection_t GROUP BY name');
RESET dpriv.session_budget_delta;
RESET dpriv.session_budget;

-- EXPLAIN shows the rule and the whole cost.
EXPLAIN (COSTS OFF) SELECT name, dp_count(selection_t, 1), dp_avg(age, 0, 100, 0.5) FROM selection_t GROUP BY name;
EXPLAIN (COSTS OFF) SELECT name, dp_avg(age, 0, 100, 0.5), dp_count(flag, 1) FROM selection_t GROUP BY name;

-- Of several counts the most exact decides.
EXPLAIN (COSTS OFF) SELECT dp_count(selection_t, 0.5), dp_count(selection_t, 2), dp_count(name, 9) FROM selection_t
	GROUP BY name, flag;

-- A prepared statement.
SET plan_cache_mode = force_generic_plan;
PREPARE selection_p(float8) AS SELECT name, dp_count(selection_t, $1) AS c FROM selection_t GROUP BY name;
EXPLAIN (COSTS OFF) EXECUTE selection_p(1);

--
-- Settings count when a statement starts: plans keep none of them
--
SET dpriv.delta = 0;
EXECUTE selection_p(20);
EXPLAIN (COSTS OFF) EXECUTE selection_p(20);
SET dpriv.delta = 1e-18;
EXECUTE selection_p(1000);
DEALLOCATE selection_p;
RESET plan_cache_mode;
SET dpriv.epsilon = 1000;

--
-- What selected groups are good for
--
SELECT name || '!' AS k, dp_count(*) AS c, dp_error(dp_count(*)) AS e, rank() OVER (ORDER BY name DESC)
	FROM selection_t GROUP BY name HAVING dp_count(*) > 10 AND name IS DISTINCT FROM 'n4'
	ORDER BY k DESC NULLS FIRST LIMIT 3;
SELECT a.name, a.c, b.s FROM
	(SELECT name, dp_count(*) AS c FROM selection_t GROUP BY name) a
	JOIN (SELECT name, dp_sum_clipped(age, 0, 100) AS s FROM selection_t GROUP BY name) b USING (name)
	ORDER BY name;
SELECT name, (SELECT upper(selection_t.name)), (SELECT dp_count(selection_t.id)) FROM selection_t GROUP BY name
	ORDER BY name LIMIT 2;
SELECT dp_avg(age, 0, 100) BETWEEN 0 AND 100 AS a, dp_error(dp_avg(age, 0, 100)) > 0 AS e FROM selection_t
	GROUP BY wide;

-- A cursor back and forth, also after the end of its transaction, reads the same rows.
BEGIN;
DECLARE selection_c SCROLL CURSOR WITH HOLD FOR SELECT name, dp_count(*) FROM selection_t GROUP BY name;
FETCH 2 FROM selection_c;
FETCH BACKWARD 1 FROM selection_c;
COMMIT;
FETCH LAST FROM selection_c;
CLOSE selection_c;

-- A key says nothing of how its rows are stored.
CREATE TABLE selection_s (k text, v text);
ALTER TABLE selection_s ALTER v SET STORAGE EXTERNAL;
INSERT INTO selection_s SELECT repeat('k', 100000), repeat('v', 100000) FROM generate_series(1, 3);
SELECT length(k), pg_column_compression(k), pg_column_size(k) FROM (SELECT k, dp_count(*) FROM selection_s GROUP BY k) r;
SELECT length(v), pg_column_compression(v), pg_column_size(v) FROM (SELECT v, dp_count(*) FROM selection_s GROUP BY v) r;

-- A policy with a subquery, planned above the groups: it stays there when they are left unsorted.
CREATE ROLE selection_user;
CREATE TABLE selection_limit AS SELECT 10 AS age;
GRANT SELECT ON selection_t, selection_limit TO selection_user;
ANALYZE selection_t;
ALTER TABLE selection_t ENABLE ROW LEVEL SECURITY;
CREATE POLICY selection_policy ON selection_t USING (age < (SELECT age FROM selection_limit));
SET ROLE selection_user;
SELECT wide, dp_count(*) FROM selection_t GROUP BY wide;
RESET ROLE;
DROP POLICY selection_policy ON selection_t;
ALTER TABLE selection_t DISABLE ROW LEVEL SECURITY;
DROP OWNED BY selection_user;
DROP ROLE selection_user;

--
-- Refused: keys whose equal values look different
--
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN statement || E'\n  NOT REFUSED';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
	hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n  ', statement, code || ': ' || message, detail, hint);
END
$$;
CREATE COLLATION selection_loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN selection_any AS bpchar;
\pset format unaligned
\pset tuples_only on
SELECT refusal('SELECT dp_count(*) FROM selection_t GROUP BY ' || key)
FROM unnest(ARRAY['n', 'f', 'f::real', 'i', 'j', 'a', 'ROW(name)', 'selection_t', 'blank', 'wide::bpchar', 'name::selection_any',
	'name COLLATE selection_loose', 'xmin', 'ctid', 'tableoid::text', 'name, n', 'level, f']) AS key;
SELECT refusal('SELECT dp_count(*) FROM selection_t GROUP BY blank ORDER BY blank USING ~<~');
SELECT refusal('SELECT dp_count(*) FROM selection_t GROUP BY ROW(name) ORDER BY ROW(name) USING *<');
SET dpriv.delta = 0;
SELECT refusal('SELECT dp_count(*) FROM selection_t GROUP BY level, name');
SELECT refusal('SELECT dp_count(*) FROM selection_t WHERE false GROUP BY age + 1');
SET dpriv.delta = 1e-6;
SET dpriv.max_epsilon = 20;
SET dpriv.epsilon = 1;
SET dpriv.selection_epsilon = 21;
SELECT refusal('SELECT dp_avg(age, 0, 1) FROM selection_t GROUP BY name');
SELECT refusal('SELECT dp_count(*) FROM selection_t GROUP BY name');
SELECT refusal('SET dpriv.selection_epsilon = 1e-7');

SET client_min_messages = warning;
DROP TABLE selection_t, selection_s, selection_limit CASCADE;
DROP TYPE selection_level;
DROP DOMAIN selection_code, selection_any;
DROP COLLATION selection_loose;
DROP FUNCTION refusal, cost, sorts;
