-- dpriv.cost(): what a query would be charged, without running or charging anything.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.epsilon = 0.5;

CREATE TYPE cost_level AS ENUM ('low', 'high');
CREATE TABLE cost_t (id int, age int, weight float8, name text, flag bool, level cost_level);
INSERT INTO cost_t SELECT i, i % 50, i, 'n' || i % 10, i % 3 = 0, 'low'
	FROM generate_series(1, 300) i;
CREATE TABLE cost_u AS SELECT * FROM cost_t;
CREATE VIEW cost_v AS SELECT age, flag FROM cost_t WHERE age > 10;
SELECT dpriv.session_spent() AS spent_before \gset

-- One row for each measure, in the words of EXPLAIN.
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t');
SELECT * FROM dpriv.cost($$SELECT dp_count(age, 1), dp_count(name) FILTER (WHERE age > 3),
	dp_sum_clipped(age, 0, 50, 0.1), dp_avg(weight, -1, 1.5), dp_histogram(age, ARRAY[0, 10, 20], 2),
	dp_median(age, 0, 50), dp_mode(name, ARRAY['n1', 'n2']), dp_bounds(weight) FROM cost_t$$);

-- Equal measures are one; with their error they are still one.
SELECT * FROM dpriv.cost('SELECT dp_count(*), dp_count(*) + 1, dp_error(dp_count(*)) FROM cost_t');

-- Gaussian measures have a delta of their own.
SELECT * FROM dpriv.cost('SELECT dp_count(cost_t, 0.5, 1e-6), dp_sum_clipped(age, 0, 50, 0.25, 1e-7),
	dp_median(age, 0, 50) FROM cost_t');
SET dpriv.mechanism = gaussian;
SELECT * FROM dpriv.cost('SELECT dp_count(cost_t, 0.5, 1e-6), dp_sum_clipped(age, 0, 50, 0.25, 1e-7),
	dp_median(age, 0, 50) FROM cost_t');
RESET dpriv.mechanism;

-- Groups: free where everybody knows them, else chosen by a count or by themselves.
SELECT * FROM dpriv.cost('SELECT flag, level, dp_count(*) FROM cost_t GROUP BY flag, level');
SET dpriv.delta = 1e-6;
SET dpriv.mechanism = laplace;
SELECT * FROM dpriv.cost('SELECT name, dp_count(*) FROM cost_t GROUP BY name');
SELECT * FROM dpriv.cost('SELECT name, dp_avg(age, 0, 50) FROM cost_t GROUP BY name');
SET dpriv.selection_epsilon = 0.125;
SELECT * FROM dpriv.cost('SELECT name, dp_avg(age, 0, 50) FROM cost_t GROUP BY name');
RESET dpriv.selection_epsilon;
SELECT * FROM dpriv.cost('SELECT name, dp_count(*) FROM cost_t WHERE false GROUP BY name');
RESET dpriv.delta;
RESET dpriv.mechanism;

-- Every release of the statement, run or not.
SELECT * FROM dpriv.cost('SELECT (SELECT dp_count(*) FROM cost_t), (SELECT dp_count(u, 0.25) FROM cost_u u)
	WHERE random() < 0');
SELECT * FROM dpriv.cost('WITH c AS (SELECT dp_count(*) AS n FROM cost_t) SELECT c.n + d.n FROM c, c d');
SELECT * FROM dpriv.cost('WITH c AS NOT MATERIALIZED (SELECT dp_count(*) AS n FROM cost_t)
	SELECT c.n + d.n FROM c, c d');
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t UNION ALL SELECT dp_count(*) FROM cost_u');
SELECT * FROM dpriv.cost('SELECT flag, dp_count(*) FROM cost_t GROUP BY flag
	HAVING dp_count(*) > (SELECT dp_count(u, 0.25) FROM cost_u u) ORDER BY dp_avg(age, 0, 50, 0.125) LIMIT 1');
SELECT * FROM dpriv.cost('VALUES ((SELECT dp_count(*) FROM cost_t))');

-- Of a view, what it reads; of VALUES and functions, nothing.
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_v WHERE flag');
SELECT * FROM dpriv.cost('SELECT dp_count(x) FROM (VALUES (1), (2)) v(x)');
SELECT * FROM dpriv.cost('SELECT dp_count(i) FROM generate_series(1, 9) i');

-- What reads nothing costs nothing; what releases nothing has no rows.
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t WHERE false');
SELECT * FROM dpriv.cost('SELECT count(*) FROM cost_t');
SELECT * FROM dpriv.cost('TABLE cost_t');

-- It is what is charged: nothing until now, then exactly that.
SELECT dpriv.session_spent() - :spent_before AS spent;
SELECT sum(epsilon) FROM dpriv.cost('SELECT flag, dp_count(*), dp_avg(age, 0, 50, 0.25) FROM cost_t GROUP BY flag');
SELECT count(*) FROM (SELECT flag, dp_count(*), dp_avg(age, 0, 50, 0.25) FROM cost_t GROUP BY flag) s;
SELECT dpriv.session_spent() - :spent_before AS spent;

-- Settings count when it is asked.
SET dpriv.epsilon = 0.75;
SELECT epsilon FROM dpriv.cost('SELECT dp_count(*) FROM cost_t');
RESET dpriv.epsilon;
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t');
SET dpriv.epsilon = 0.5;

-- A session budget refuses no question.
SET dpriv.session_budget = 0;
SELECT epsilon FROM dpriv.cost('SELECT dp_count(*) FROM cost_t');
RESET dpriv.session_budget;

-- Where the query is wrong, its error.
SELECT * FROM dpriv.cost('SELECT dp_count(*) FORM cost_t');
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_no_such_table');
SELECT * FROM dpriv.cost('SELECT dp_count(cost_t, 0) FROM cost_t');
SELECT * FROM dpriv.cost('SELECT name, dp_count(*) FROM cost_t GROUP BY name');
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t, cost_u');

-- One statement, with its values in it, that only reads.
SELECT * FROM dpriv.cost(NULL);
SELECT * FROM dpriv.cost('');
SELECT * FROM dpriv.cost('SELECT 1; SELECT dp_count(*) FROM cost_t');
SELECT * FROM dpriv.cost('SELECT dp_count(t, $1) FROM cost_t t');
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t WHERE age > $2');
SELECT * FROM dpriv.cost('INSERT INTO cost_u (id) SELECT dp_count(*) FROM cost_t');
SELECT * FROM dpriv.cost('WITH d AS (DELETE FROM cost_u RETURNING *) SELECT count(*) FROM d');
SELECT * FROM dpriv.cost('SELECT dp_count(*) AS n INTO cost_w FROM cost_t');
SELECT * FROM dpriv.cost('CREATE TABLE cost_w AS SELECT dp_count(*) AS n FROM cost_t');
SELECT * FROM dpriv.cost('EXPLAIN SELECT dp_count(*) FROM cost_t');
SELECT * FROM dpriv.cost('DROP TABLE cost_u');
SELECT count(*) FROM cost_u;

-- A function of the query does not run.
CREATE FUNCTION cost_raise(int) RETURNS bool LANGUAGE plpgsql STABLE AS $$BEGIN RAISE 'it ran'; END$$;
SELECT measure, epsilon FROM dpriv.cost('SELECT dp_count(*) FROM cost_t WHERE cost_raise(age)');

SET dpriv.delta = 1e-6;
-- In the middle of planning something else, and in the middle of a release.
CREATE FUNCTION cost_of(query text) RETURNS float8 LANGUAGE sql IMMUTABLE
	AS $$SELECT sum(epsilon) FROM dpriv.cost(query)$$;
SELECT dp_count(*) > -1000 AS answered, dp_count(*) * 0 + cost_of('SELECT dp_count(u, 0.25) FROM cost_u u') AS cost
	FROM cost_t WHERE cost_of('SELECT name, dp_count(u, 0.25, 1e-6) FROM cost_u u GROUP BY name') > 0;
SELECT query, cost.* FROM unnest(ARRAY['SELECT dp_count(*) FROM cost_t', 'SELECT 1',
	'SELECT dp_count(u, 0.25) FROM cost_u u']) AS query LEFT JOIN LATERAL dpriv.cost(query) ON true;
SELECT dpriv.cost('SELECT dp_count(*) FROM cost_t');

-- Transactions that may not write, or not release.
BEGIN READ ONLY ISOLATION LEVEL SERIALIZABLE;
SELECT epsilon FROM dpriv.cost('SELECT dp_count(*) FROM cost_t');
COMMIT;

-- Permissions are those of the query: enough to run it, and nothing else.
CREATE ROLE cost_user;
SET ROLE cost_user;
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t');
SELECT * FROM dpriv.cost('SELECT count(*) FROM cost_t');
RESET ROLE;
GRANT SELECT ON cost_t TO cost_user;
SET ROLE cost_user;
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_t');
SELECT * FROM dpriv.cost('SELECT dp_count(*) + (SELECT dp_count(*) FROM cost_u) FROM cost_t');
RESET ROLE;
GRANT SELECT ON cost_v TO cost_user;
REVOKE SELECT ON cost_t FROM cost_user;
SET ROLE cost_user;
SELECT * FROM dpriv.cost('SELECT dp_count(*) FROM cost_v');
RESET ROLE;

-- Rows decide nothing: the same answer without any.
CREATE FUNCTION cost_all() RETURNS SETOF record LANGUAGE sql AS $$
	SELECT q, c FROM unnest(ARRAY['SELECT name, dp_count(cost_t, 0.5, 1e-6) FROM cost_t GROUP BY name',
		'SELECT dp_median(age, 0, 50), dp_mode(name, ARRAY[''n1'', ''n2'']), dp_bounds(weight) FROM cost_t']) q, dpriv.cost(q) c$$;
CREATE TEMPORARY TABLE cost_before AS SELECT q, c::text FROM cost_all() AS a(q text, c record);
TRUNCATE cost_t;
ANALYZE cost_t;
SELECT count(*) FROM cost_before;
TABLE cost_before EXCEPT SELECT q, c::text FROM cost_all() AS a(q text, c record);
RESET dpriv.delta;

-- What is left: the least of the budgets that rule.  They belong to the role that has logged in.
SET client_min_messages = error;
CREATE ROLE cost_group;
CREATE ROLE cost_member IN ROLE cost_group;
GRANT SELECT ON cost_t, cost_u TO cost_member;
CREATE TABLE cost_child () INHERITS (cost_t);
GRANT SELECT ON cost_child TO cost_member;
CREATE TEMPORARY VIEW cost_left AS SELECT string_agg(coalesce(remaining::text, 'no limit'), ', ') AS remaining
	FROM dpriv.cost('SELECT (SELECT dp_count(*) FROM cost_t), (SELECT dp_count(*) FROM cost_u),
		(SELECT dp_count(*) FROM cost_child), dp_count(x) FROM (VALUES (1)) v(x)');
GRANT SELECT ON cost_left TO PUBLIC;
SELECT dpriv.grant_budget('cost_group', 'cost_t', 3);
SET SESSION AUTHORIZATION cost_member;
TABLE cost_left;
SELECT count(dp_count) FROM (SELECT dp_count(cost_u, 1) FROM cost_u) s;
SELECT count(dp_count) FROM (SELECT dp_count(cost_t, 0.1) FROM cost_t) s;
SELECT count(dp_count) FROM (SELECT dp_count(cost_child, 0.2) FROM cost_child) s;
TABLE cost_left;
RESET SESSION AUTHORIZATION;
SELECT dpriv.grant_budget('cost_member', NULL, 2);
SELECT dpriv.set_cap('cost_u', 1.5);
SELECT dpriv.grant_budget('public', 'cost_u', 10, lifetime_epsilon => 0.5, period => '1 day');
TABLE cost_left;
SET SESSION AUTHORIZATION cost_member;
TABLE cost_left;
SELECT count(dp_count) FROM (SELECT dp_count(cost_u, 0.2) FROM cost_u) s;
TABLE cost_left;

-- Of other accountants, by their own figure.
RESET SESSION AUTHORIZATION;
SELECT dpriv.revoke_budget('cost_member', NULL);
SELECT dpriv.revoke_budget('public', 'cost_u');
SELECT dpriv.set_cap('cost_u', NULL);
SELECT dpriv.grant_budget('cost_group', 'cost_u', 2, 1e-5, 'zcdp');
SET SESSION AUTHORIZATION cost_member;
SELECT count(dp_count) FROM (SELECT dp_count(cost_u, 0.1) FROM cost_u) s;
SELECT remaining > 1.5 AND remaining < 2 AS left_of_zcdp FROM dpriv.cost('SELECT dp_count(*) FROM cost_u');

-- Nothing is left of what was revoked, where a budget is required, and beyond what there was.
RESET SESSION AUTHORIZATION;
SELECT dpriv.revoke_budget('cost_group', 'cost_t');
SELECT dpriv.revoke_budget('cost_group', 'cost_u');
SET SESSION AUTHORIZATION cost_member;
TABLE cost_left;
RESET SESSION AUTHORIZATION;
SELECT dpriv.grant_budget('cost_group', 'cost_t', 0.1);
SET SESSION AUTHORIZATION cost_member;
TABLE cost_left;
SELECT dp_count(cost_t, 0.1) FROM cost_t;
RESET SESSION AUTHORIZATION;
SET dpriv.require_budget = on;
TABLE cost_left;
SET SESSION AUTHORIZATION cost_user;
SELECT remaining FROM dpriv.cost('SELECT dp_count(x) FROM (VALUES (1)) v(x)');
RESET SESSION AUTHORIZATION;
RESET dpriv.require_budget;
RESET client_min_messages;

DROP FUNCTION cost_raise(int), cost_of(text), cost_all();
DROP VIEW cost_v;
DROP TABLE cost_child, cost_t, cost_u, cost_before CASCADE;
DROP TYPE cost_level;
DROP ROLE cost_user, cost_group, cost_member;
