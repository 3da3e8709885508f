-- EXPLAIN of a release: what it reads, how noisy it is, what it costs; and the inner plan for those
-- who may see it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.epsilon = 0.5;

CREATE TYPE explain_level AS ENUM ('low', 'high');
CREATE TABLE explain_t (id int, age int, weight float8, name text, flag bool, level explain_level);
INSERT INTO explain_t SELECT i, i % 50, i, 'n' || i % 10, i % 3 = 0, 'low'
	FROM generate_series(1, 300) i;
CREATE VIEW explain_v AS SELECT age, flag FROM explain_t WHERE age > 10;
ANALYZE explain_t;
SELECT dpriv.session_spent() AS before \gset

-- Every measure: how it was written, mechanism, noise scale, error, epsilon.
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM explain_t;
EXPLAIN (COSTS OFF) SELECT dp_count(explain_t, 0.5) FROM explain_t;
EXPLAIN (COSTS OFF) SELECT dp_count(explain_t.*, 0.25) FROM explain_t WHERE age > 40;
EXPLAIN (COSTS OFF) SELECT dp_count(age, 1), dp_count(name) FILTER (WHERE age > 3),
	dp_sum_clipped(age, 0, 50, 0.1),
	dp_sum_clipped(weight, -1, 1.5), dp_avg(age, 17, 90), dp_histogram(age, ARRAY[0, 10, 20], 2),
	dp_histogram(name, ARRAY['n1', 'n2']), dp_histogram(level, ARRAY['low']) FROM explain_t;
EXPLAIN (COSTS OFF) SELECT dp_avg(age, 17, 90), dp_error(dp_avg(age, 17, 90)) FROM explain_t;

-- Groups: how many come back and why.
EXPLAIN (COSTS OFF) SELECT flag, level, dp_count(*) FROM explain_t GROUP BY flag, level;
EXPLAIN (COSTS OFF) SELECT age > 40, dp_count(*) FROM explain_t GROUP BY 1 HAVING dp_count(*) > 5
	ORDER BY 2 DESC LIMIT 1;

-- Views and functions are named as they were written; VALUES by alias.
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM explain_v WHERE flag;
EXPLAIN (COSTS OFF) SELECT dp_count(x) FROM (VALUES (1), (2)) v(x);

-- Nothing is read and nothing is paid.
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM explain_t WHERE false;

-- Parameters of an execution, under custom and generic plans.
PREPARE explain_p(int, float8) AS SELECT dp_count(t, $2) FROM explain_t t WHERE age > $1;
EXPLAIN (COSTS OFF) EXECUTE explain_p(40, 0.25);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE explain_p(40, 0.25);
RESET plan_cache_mode;

-- EXPLAIN refuses what execution would refuse.
EXPLAIN EXECUTE explain_p(40, 0);
EXPLAIN SELECT dp_sum_clipped(age, 10, 0) FROM explain_t;
EXPLAIN SELECT dp_count(*) FROM explain_t, explain_v;
RESET dpriv.epsilon;
EXPLAIN SELECT dp_count(*) FROM explain_t;
SET dpriv.epsilon = 0.5;

-- Formats for programs: lists and texts, no numbers about the inner plan beside the plan itself.
CREATE FUNCTION explain_json(statement text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || statement INTO plan;
	RETURN plan -> 0 -> 'Plan';
END
$$;
SELECT p.key, p.value
	FROM jsonb_each(explain_json('SELECT dp_count(*), dp_count(age, 1) FROM explain_t')) p
WHERE p.key IN ('Custom Plan Provider', 'Reads', 'Measures', 'Groups', 'Epsilon', 'Inner plan')
	ORDER BY p.key;

SELECT explain_json('SELECT dp_count(DISTINCT age, 1) FROM explain_t') -> 'Measures' AS measures;

-- Roles that may not read the rows do not see how they are read: neither through a view nor below
-- row security.
CREATE ROLE explain_user;
GRANT SELECT ON explain_v TO explain_user;
SET ROLE explain_user;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM explain_v WHERE flag;
EXPLAIN SELECT dp_count(*) FROM explain_t;
RESET ROLE;
GRANT SELECT ON explain_t TO explain_user;
SET ROLE explain_user;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM explain_t WHERE flag;
RESET ROLE;
ALTER TABLE explain_t ENABLE ROW LEVEL SECURITY;
CREATE POLICY explain_policy ON explain_t USING (age < 1000);
SET ROLE explain_user;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM explain_t WHERE flag;
RESET ROLE;
ALTER TABLE explain_t DISABLE ROW LEVEL SECURITY;

-- None of this cost anything.
SELECT dpriv.session_spent()::numeric - :before AS cost;

-- ANALYZE runs and costs; the outer plan counts released rows, the inner one counts nothing.
CREATE FUNCTION explain_analyze(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS) ' || statement LOOP
		EXIT WHEN line LIKE 'Planning%';
		RETURN NEXT regexp_replace(line, 'rows=(\d+)(\.0+)? loops=(\d+)', 'rows=\1 loops=\3');
	END LOOP;
END
$$;
SELECT l FROM explain_analyze('SELECT flag, dp_count(*) FROM explain_t GROUP BY flag') l;
SELECT dpriv.session_spent()::numeric - :before AS cost;

-- A statement may be explained when it ends, without a snapshot being active any more.
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SELECT dp_count(*) IS NOT NULL AS answered FROM explain_t;
SET auto_explain.log_min_duration = -1;

SET client_min_messages = warning;
DROP TABLE explain_t CASCADE;
DROP TYPE explain_level;
DROP FUNCTION explain_json, explain_analyze;
DROP ROLE explain_user;
