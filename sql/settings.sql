-- Settings, epsilon and what a release costs.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

CREATE TABLE settings_t (id int PRIMARY KEY, age int, flag bool);
INSERT INTO settings_t SELECT i, i % 50, i % 3 = 0 FROM generate_series(1, 300) i;
CREATE TABLE settings_u AS SELECT * FROM settings_t;
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

--
-- Settings: purpose, range and who may change them
--
SELECT name, setting, boot_val, min_val, max_val, enumvals, context, vartype FROM pg_settings
WHERE name LIKE 'dpriv.%' ORDER BY name;
SELECT name FROM pg_settings WHERE name LIKE 'dpriv.%' AND (short_desc = '' OR extra_desc = '')
	ORDER BY name;
SET dpriv.epsilon = 0.5;
SET dpriv.epsilon = 1e-7;
SET dpriv.epsilon = -1;
SET dpriv.epsilon = 'NaN';
SET dpriv.epsilon = 'infinity';
SET dpriv.max_epsilon = 'NaN';
SET dpriv.session_budget = 'NaN';
SET dpriv.session_budget = -0.5;
SET dpriv.avg_method = best;
SET dpriv.require_budget = perhaps;
SET dpriv.no_such_setting = 1;
SHOW dpriv.epsilon;

-- A user may choose epsilon and method, but neither raise the limit nor the budget.
CREATE ROLE settings_user;
SET ROLE settings_user;
SET dpriv.epsilon = 0.25;
SET dpriv.avg_method = split;
SET dpriv.max_epsilon = 100;
SET dpriv.session_budget = 100;
RESET dpriv.session_budget;
SET dpriv.require_budget = off;
SET dpriv.ledger_query_length = 4000;
SET dpriv.ledger_parameters = on;
RESET ROLE;
RESET dpriv.epsilon;
RESET dpriv.avg_method;

-- Planning finds the extension's functions without any privilege on the schemas they live in.
GRANT SELECT ON settings_t TO settings_user;
REVOKE USAGE ON SCHEMA dpriv FROM PUBLIC;
SET ROLE settings_user;
SELECT count(*) FROM settings_t;
SELECT dp_count(t, 1) IS NOT NULL AS answered FROM settings_t t;
RESET ROLE;
GRANT USAGE ON SCHEMA dpriv TO PUBLIC;

-- EXECUTE on a private aggregate can be taken away.
REVOKE EXECUTE ON FUNCTION dp_count(), dp_error(anyelement) FROM PUBLIC;
SET ROLE settings_user;
SET dpriv.epsilon = 1;
SELECT dp_count(*) FROM settings_t;
EXPLAIN SELECT dp_count(*) FROM settings_t;
SELECT dp_error(dp_count(t, 1)) FROM settings_t t;
SELECT dp_error(dp_count(t, 1), 0.9), dp_count(t, 1) IS NOT NULL AS answered FROM settings_t t;
RESET ROLE;
RESET dpriv.epsilon;
GRANT EXECUTE ON FUNCTION dp_count(), dp_error(anyelement) TO PUBLIC;

-- Where functions are not public by default, EXECUTE on the private aggregate is enough.
BEGIN;
DROP EXTENSION dpriv;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
CREATE EXTENSION dpriv;
GRANT EXECUTE ON FUNCTION dp_sum_clipped(float8, float8, float8, float8) TO settings_user;
SET LOCAL ROLE settings_user;
SELECT dp_sum_clipped(age, 0, 50, 1) IS NOT NULL AS integer, dp_sum_clipped(age + 0.5, 0, 50, 1) IS NOT NULL AS numeric
FROM settings_t;
SELECT dp_count(t, 1) FROM settings_t t;
ROLLBACK;

--
-- Epsilon
--
\pset format unaligned
\pset tuples_only on

-- Without one: the measure and the way out are named.
\set VERBOSITY default
SELECT dp_count(*) FROM settings_t;
SELECT dp_avg(age, 17, 90) FROM settings_t;

-- Out of range, not a number, NULL; as constants and as parameters of a generic plan.
SELECT refusal('SELECT dp_count(t, ' || e || ') FROM settings_t t')
	FROM unnest(ARRAY['0', '-1', '''NaN''', '''Infinity''',
	'''-Infinity''', '1e-7', '20.1', '20.000000000001', '1e308', 'NULL', 'NULL::float8', '1 - 1',
	'9.999e-7']) AS e;
SELECT refusal('SELECT ' || m || ' FROM settings_t t')
	FROM unnest(ARRAY['dp_count(age, 0)', 'dp_count(DISTINCT age, -1)',
	'dp_sum_clipped(age, 0, 10, 0)', 'dp_avg(age, 0, 10, ''NaN'')',
	'dp_histogram(age, ARRAY[0, 10], 21)',
	'dp_histogram(''a'', ARRAY[''a''], NULL)']) AS m;
SET plan_cache_mode = force_generic_plan;
PREPARE settings_p(float8) AS SELECT dp_count(t, $1) IS NOT NULL FROM settings_t t;
EXECUTE settings_p(0.5);
EXECUTE settings_p(0);
EXECUTE settings_p('NaN');
EXECUTE settings_p('infinity');
EXECUTE settings_p(21);
EXECUTE settings_p(NULL);
DEALLOCATE settings_p;
RESET plan_cache_mode;

-- What depends on data or changes by itself is no epsilon.
SELECT refusal('SELECT dp_count(t, ' || e || ') FROM settings_t t')
	FROM unnest(ARRAY['age', 'random()', 'age / 100.0',
	'extract(epoch FROM now())', '(SELECT 0.5)', 'current_setting(''dpriv.epsilon'')::float8',
	'CASE WHEN flag THEN 1 ELSE 2 END'
	]) AS e;
SELECT refusal('SELECT (SELECT dp_count(t, u.age) FROM settings_t t) FROM settings_u u');

-- What folds to a constant is one, and the limits themselves are allowed.
SELECT dp_count(t, 0.25 + 0.25) IS NOT NULL, dp_count(t, '0.5') IS NOT NULL,
	dp_count(t, 1) IS NOT NULL,
	dp_count(t, 2::int2) IS NOT NULL, dp_count(t, 0.5::real) IS NOT NULL,
	dp_count(t, sqrt(4)) IS NOT NULL,
	dp_count(t, 1e-6) IS NOT NULL, dp_count(t, 20) IS NOT NULL FROM settings_t t;

-- The limit is that of the moment of execution, and the superuser's to move.
SET dpriv.max_epsilon = 0.1;
SELECT refusal('SELECT dp_count(t, 0.2) FROM settings_t t');
SET dpriv.epsilon = 0.2;
SELECT refusal('SELECT dp_count(*) FROM settings_t');
SET dpriv.max_epsilon = 1000;
SELECT dp_count(t, 1000) FROM settings_t t;
SELECT refusal('SELECT dp_count(t, 1000.1) FROM settings_t t');
RESET dpriv.max_epsilon;
RESET dpriv.epsilon;

-- Bounds: equal, in the wrong order, infinite, NaN, NULL, too small, too large; and epsilon and
-- delta mistaken for bounds.
SET dpriv.epsilon = 1;
SELECT refusal('SELECT dp_sum_clipped(age, ' || b || ') FROM settings_t')
	FROM unnest(ARRAY['10, 10', '10, 0', '0, ''Infinity''',
	'''-Infinity'', 0', '''NaN'', 1', '0, ''NaN''', 'NULL, 1', '0, NULL', '0, 1e-201', '0, 1e201',
	'-1e-300, 1e-300', '0.5, 1e-6',
	'age, 90', '0, random()', '0, (SELECT 90)']) AS b;
SELECT refusal('SELECT dp_avg(age, ' || b || ') FROM settings_t')
	FROM unnest(ARRAY['10, 10', '10, 0', '0, ''Infinity''',
	'''NaN'', 1', 'NULL, 1', '0, 1e201', '0.5, 1e-6', 'id, 90']) AS b;

-- Too few and too many arguments, and values that are not numbers, are no such function.
SELECT refusal('SELECT ' || m || ' FROM settings_t')
	FROM unnest(ARRAY['dp_count()', 'dp_sum_clipped(age)', 'dp_sum_clipped(age, 1)',
	'dp_avg(age, 1, 2, 3, 4, 5)', 'dp_sum_clipped(flag, 0, 1)',
	'dp_count(1, 2, 3)',
	'dp_histogram(flag, ARRAY[''true''])', 'dp_histogram(age, 10)']) AS m;
\pset format aligned
\pset tuples_only off
RESET dpriv.epsilon;

--
-- What it costs.  Each block starts a session of its own, from zero.
--
\c -
SET dpriv.epsilon = 0.5;
SELECT dpriv.session_spent();

-- Equal measures in one level are one draw and one charge, however they are written; DISTINCT,
-- FILTER, another value or another epsilon make another measure.
SELECT dp_count(*) = dp_count(*) AS same, dp_count(*) + dp_count(*) = 2 * dp_count(*) AS sums
	FROM settings_t ORDER BY dp_count(*);
SELECT dpriv.session_spent();
SELECT dp_count(t, 0.5) = dp_count(t.*, 0.50) AS same,
	dp_count(t, 0.25 + 0.25) = dp_count(t, 5e-1) AS folded FROM settings_t t
HAVING dp_count(t, 0.5) IS NOT NULL;
SELECT dpriv.session_spent();
SELECT dp_sum_clipped(age, 0, 10) = dp_sum_clipped(age, 0.0, 1e1) AS same FROM settings_t;
SELECT dpriv.session_spent();
SELECT dp_count(*) IS NULL AS a, dp_count(age) IS NULL AS b, dp_count(DISTINCT age) IS NULL AS c,
	dp_count(*) FILTER (WHERE flag) IS NULL AS d, dp_count(age, 0.25) IS NULL AS e,
	dp_count(age, 0.125) IS NULL AS f
FROM settings_t;
SELECT dpriv.session_spent();

-- A group costs nothing of its own: each row is in one.
\c -
SET dpriv.epsilon = 0.5;
SELECT count(*) FROM (SELECT flag, age > 40, dp_count(*), dp_sum_clipped(age, 0, 10)
	FROM settings_t GROUP BY 1, 2) r;
SELECT dpriv.session_spent();

-- Every release of a statement costs, whether it runs or not: CASE, LIMIT above, short-circuited
-- EXISTS, a join that stays empty, both uses of an inlined CTE.
\c -
SET dpriv.epsilon = 1;
CREATE FUNCTION pg_temp.cost_of(statement text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	before numeric := dpriv.session_spent();
BEGIN
	EXECUTE statement;
	RETURN dpriv.session_spent()::numeric - before;
EXCEPTION WHEN OTHERS THEN
	RETURN dpriv.session_spent()::numeric - before;
END
$$;
SELECT pg_temp.cost_of(statement) AS cost, statement FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM settings_t',
	'SELECT CASE WHEN now() IS NULL THEN (SELECT dp_count(*) FROM settings_t) ELSE 0 END',
	'SELECT CASE WHEN id > 0 THEN 1 ELSE (SELECT dp_count(*) FROM settings_u) END FROM settings_t LIMIT 3',
	'SELECT * FROM (SELECT dp_count(*) FROM settings_t) r LIMIT 0',
	'SELECT * FROM (SELECT dp_count(*) FROM settings_t) r, settings_u u WHERE u.id < 0',
	'SELECT id < 0 AND EXISTS (SELECT dp_count(*) FROM settings_u HAVING dp_count(*) > 5) FROM settings_t',
	'SELECT (SELECT dp_count(*) FROM settings_t) + (SELECT dp_count(*) FROM settings_t)',
	'SELECT dp_count(*) FROM settings_t UNION ALL SELECT dp_count(*) FROM settings_t',
	'WITH r AS MATERIALIZED (SELECT dp_count(*) AS c FROM settings_t) SELECT a.c + b.c FROM r a, r b',
	'WITH r AS NOT MATERIALIZED (SELECT dp_count(*) AS c FROM settings_t) SELECT a.c + b.c FROM r a, r b',
	'WITH r AS (SELECT dp_count(*) AS c FROM settings_t) SELECT 1',
	'SELECT dp_count(*) FROM settings_t HAVING dp_count(*) > (SELECT dp_count(*) FROM settings_u)',
	'SELECT u.id, (SELECT dp_count(*) + u.id FROM settings_t) FROM settings_u u',
	'SELECT u.id, r.c FROM settings_u u, LATERAL (SELECT dp_count(*) + u.id AS c FROM settings_t) r',
	'SELECT generate_series(1, 10), dp_count(*) FROM settings_t',
	'CREATE TEMP TABLE settings_x AS SELECT dp_count(*) FROM settings_t',
	'CREATE TEMP TABLE settings_y AS SELECT dp_count(*) FROM settings_t WITH NO DATA',
	'SELECT dp_error(dp_count(*)), dp_count(*) FROM settings_t',
	'SELECT dp_count(t, 0.3), dp_count(t, 0.4) FROM settings_t t',
	'DO $x$BEGIN FOR i IN 1..5 LOOP PERFORM dp_count(*) FROM settings_t; END LOOP; END$x$',
	'EXPLAIN SELECT dp_count(*) FROM settings_t',
	'EXPLAIN (VERBOSE, FORMAT JSON) SELECT dp_count(*) FROM settings_t',
	'EXPLAIN ANALYZE SELECT dp_count(*) FROM settings_t',
	'SELECT dp_count(*) FROM settings_t WHERE 1 / (age - 42) > 0',
	'SELECT dp_count(*) / 0 FROM settings_t',
	'SELECT 1 / 0, dp_count(*) FROM settings_t']) AS statement;

-- A constant LIMIT 0 and a constantly false WHERE read nothing: free, and they answer as on an
-- empty table.
SET dpriv.max_epsilon = 1000;
SELECT pg_temp.cost_of(statement) AS cost, statement FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM settings_t LIMIT 0',
	'SELECT dp_count(*) FROM settings_t LIMIT 3 - 3',
	'SELECT dp_count(*) FROM settings_t WHERE false',
	'SELECT dp_count(*) FROM settings_t WHERE NULL',
	'SELECT dp_count(*) FROM settings_t WHERE 1 = 2 AND age > 3',
	'SELECT flag, dp_count(*) FROM settings_t WHERE false GROUP BY flag',
	'SELECT dp_count(*) FROM (SELECT * FROM settings_t WHERE false) s',
	'WITH c AS (SELECT * FROM settings_t WHERE false) SELECT dp_count(*) FROM c']) AS statement;
SELECT dp_count(t, 1000), dp_sum_clipped(age, 0, 1, 1000),
	dp_histogram(age, ARRAY[0, 10, 20], 1000) FROM settings_t t WHERE false;
SELECT flag, dp_count(t, 1000) FROM settings_t t WHERE false GROUP BY flag;
SELECT dp_count(t, 1000) FROM settings_t t LIMIT 0;
-- but noisy all the same, and checked like any other: 50 draws are all zero with a probability
-- below 1e-100.
SELECT bool_or(c <> 0) AS noisy
	FROM (SELECT unnest(dp_histogram(age,
ARRAY[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,
	21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50],
	0.01)) AS b FROM settings_t
	WHERE false) r, LATERAL (SELECT (b).count AS c) s;
SELECT dp_count(t, 0) FROM settings_t t WHERE false;
RESET dpriv.max_epsilon;

-- No refund: ROLLBACK, savepoints, EXCEPTION blocks, errors after the start.
\c -
SET dpriv.epsilon = 1;
BEGIN;
SELECT dp_count(*) IS NOT NULL FROM settings_t;
ROLLBACK;
SELECT dpriv.session_spent();
BEGIN;
SAVEPOINT s;
SELECT dp_count(*) IS NOT NULL FROM settings_t;
ROLLBACK TO s;
SELECT dp_count(*) / 0 FROM settings_t;
ROLLBACK;
SELECT dpriv.session_spent();
DO $$
BEGIN
	FOR i IN 1..10 LOOP
		BEGIN
			PERFORM dp_count(*) FROM settings_t;
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN
		END;
	END LOOP;
END
$$;
SELECT dpriv.session_spent();
BEGIN READ ONLY;
SELECT dp_count(*) IS NOT NULL FROM settings_t;
COMMIT;
SELECT dpriv.session_spent();
BEGIN;
DECLARE settings_c CURSOR FOR SELECT dp_count(*) FROM settings_t;
CLOSE settings_c;
COMMIT;
SELECT dpriv.session_spent();
DISCARD ALL;
SELECT dpriv.session_spent();

-- Decimal arithmetic: ten times 0.1 is exactly 1.
\c -
DO $$ BEGIN FOR i IN 1..10 LOOP PERFORM dp_count(t, 0.1) FROM settings_t t; END LOOP; END $$;
SELECT dpriv.session_spent(), dpriv.session_spent() = 1 AS exactly;
SELECT dp_count(t, 0.1) IS NULL, dp_count(age, 0.2) IS NULL FROM settings_t t;
SELECT dpriv.session_spent(), dpriv.session_spent() = 1.3 AS exactly;
-- What is finer than 1e-12 is rounded up, and so is what would vanish beside a large sum.
SELECT dp_count(t, 0.000001) IS NULL, dp_count(t, 0.0000010000001) IS NULL FROM settings_t t;
SELECT dpriv.session_spent(), dpriv.session_spent() = 1.300002000001 AS exactly;
SELECT dp_count(t, 0.1000000000001) IS NULL FROM settings_t t;
SELECT dpriv.session_spent(), dpriv.session_spent() = 1.400002000002 AS exactly;

-- The budget of the session: refused before anything is read, all or nothing, exactly at the limit.
\c -
SET dpriv.epsilon = 0.1;
SET dpriv.session_budget = 1;
DO $$ BEGIN FOR i IN 1..9 LOOP PERFORM dp_count(*) FROM settings_t; END LOOP; END $$;
SELECT dp_count(t, 0.05) IS NULL, dp_count(age, 0.06) IS NULL FROM settings_t t;
SELECT (SELECT dp_count(*) FROM settings_t) IS NULL, (SELECT dp_count(*) FROM settings_u) IS NULL;
SELECT dpriv.session_spent();
SELECT refusal('SELECT dp_count(t, 0.11) FROM settings_t t WHERE 1 / (age - 42) > 0');
SELECT dp_count(*) IS NULL FROM settings_t;
SELECT dpriv.session_spent();
SELECT dp_count(t, 1e-6) FROM settings_t t;
\echo :LAST_ERROR_SQLSTATE
-- What is free stays free.
SELECT dp_count(*) FROM settings_t LIMIT 0;
EXPLAIN (COSTS OFF) SELECT dp_count(t, 15) FROM settings_t t;
-- Raised by a superuser; spent is spent.
SET dpriv.session_budget = 1.5;
SELECT dp_count(t, 0.5) IS NULL FROM settings_t t;
SELECT dp_count(t, 0.1) FROM settings_t t;
SET dpriv.session_budget = 0;
SELECT dp_count(t, 0.1) FROM settings_t t;
SET dpriv.session_budget = -1;
SELECT dp_count(t, 0.1) IS NULL FROM settings_t t;
SELECT dpriv.session_spent();

-- Prepared statements: each EXECUTE costs, by the settings of its own time.
\c -
SET dpriv.epsilon = 0.5;
SET plan_cache_mode = force_generic_plan;
PREPARE settings_p AS SELECT dp_count(*) IS NULL FROM settings_t;
EXECUTE settings_p;
EXECUTE settings_p;
SELECT dpriv.session_spent();
SET dpriv.epsilon = 0.25;
EXECUTE settings_p;
SELECT dpriv.session_spent();
RESET dpriv.epsilon;
EXECUTE settings_p;
PREPARE settings_q(float8) AS SELECT dp_count(t, $1) IS NULL FROM settings_t t;
EXECUTE settings_q(0.125);
EXECUTE settings_q(1);
SELECT dpriv.session_spent();
SET dpriv.session_budget = 3;
EXECUTE settings_q(1);
SELECT dpriv.session_spent();
RESET dpriv.session_budget;
BEGIN;
SET LOCAL dpriv.epsilon = 2;
EXECUTE settings_p;
COMMIT;
SELECT dpriv.session_spent();
EXECUTE settings_p;
CREATE FUNCTION settings_own() RETURNS bool LANGUAGE plpgsql SET dpriv.epsilon = 3
	AS 'BEGIN RETURN (SELECT dp_count(*) IS NULL FROM settings_t); END';
SELECT settings_own();
SELECT dpriv.session_spent();

-- Isolation: a serializable transaction would show which rows were read.
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT dp_count(t, 0.5) FROM settings_t t;
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT dp_count(t, 0.5) IS NULL FROM settings_t t;
COMMIT;
SELECT dpriv.session_spent();

SET client_min_messages = warning;
DROP TABLE settings_t, settings_u;
DROP FUNCTION settings_own, refusal;
DROP ROLE settings_user;
