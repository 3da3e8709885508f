-- Attacks, by kind.  Each must fail: refused, charged in full, or answered as if it were no attack.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per count.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TABLE attack_t (id int PRIMARY KEY, age int, flag bool, name text);
INSERT INTO attack_t SELECT i, i % 50, i % 3 = 0, 'person ' || i FROM generate_series(1, 900) i;
CREATE TABLE attack_u AS SELECT * FROM attack_t WHERE id <= 100;
CREATE TABLE attack_k AS SELECT k FROM generate_series(1, 8) k;
ANALYZE attack_t;

-- What a statement ends with, and what it cost.
CREATE FUNCTION attack(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := dpriv.session_spent();
	code text;
	message text;
	answer text;
BEGIN
	EXECUTE statement INTO answer;
	RETURN concat_ws(' | ', statement, 'answer ' || coalesce(answer, 'NULL'), 'cost ' || round(dpriv.session_spent()::numeric - before, 6));
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
	RETURN concat_ws(' | ', statement, code || ' ' || message, 'cost ' || round(dpriv.session_spent()::numeric - before, 6));
END
$$;
\pset format unaligned
\pset tuples_only on

--
-- Before anything is paid for
--

-- The planner tries LIKE, and operators of the user, on values that ANALYZE kept.  An error would tell of them.
SELECT attack('SELECT count(*) FROM attack_t WHERE name LIKE ''%ers\''');
SELECT attack('EXPLAIN SELECT dp_count(*) FROM attack_t WHERE name LIKE ''%ers\''') LIKE '%Custom Scan%' AS planned;
SELECT attack('EXPLAIN SELECT dp_count(*) FROM attack_t WHERE name LIKE ''%erx\''') LIKE '%Custom Scan%' AS planned;
SELECT attack('SELECT dp_count(*) FROM attack_t WHERE name LIKE ''%ers\''');
CREATE FUNCTION attack_talk(a int, b int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE NOTICE 'value %', a;
	RETURN a = b;
END
$$;
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = attack_talk, RESTRICT = eqsel);
SELECT dp_count(*) FROM attack_t WHERE age === 5;
SELECT count(*) FROM attack_u WHERE id = 1 AND age === 1;
-- Statistics of expressions are looked up another way.
CREATE INDEX attack_t_name ON attack_t ((name || '!'));
ANALYZE attack_t;
SELECT attack('EXPLAIN SELECT dp_count(*) FROM attack_t WHERE name || ''!'' LIKE ''%ers\''') LIKE '%Custom Scan%' AS planned;
-- So are extended ones.
DROP INDEX attack_t_name;
CREATE STATISTICS attack_values (mcv) ON age, flag FROM attack_t;
CREATE STATISTICS attack_expression ON (name || '?') FROM attack_t;
ANALYZE attack_t;
SELECT dp_count(*) FROM attack_t WHERE age === 5 AND flag;
SELECT attack('EXPLAIN SELECT dp_count(*) FROM attack_t WHERE name || ''?'' LIKE ''%ers\''') LIKE '%Custom Scan%' AS planned;

-- More measures than rows can have columns: refused before they are charged.
SELECT right(attack(format('SELECT ARRAY[%s] FROM attack_t', string_agg(format('dp_count(*) FILTER (WHERE id > %s)', i), ','))), 60)
FROM generate_series(1, 1665) i;
SELECT right(attack(format('SELECT ARRAY[%s] FROM attack_t', string_agg(format('dp_error(dp_count(*), %s)', i / 2000.0), ','))), 60)
FROM generate_series(1, 1665) i;

--
-- Sensitivity above 1
--

-- State from one row to the next: one row could move all others.
CREATE SEQUENCE attack_s;
SELECT attack(statement) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM attack_t WHERE (nextval(''attack_s'') % 2 = 0) = (id % 2 = 0)',
	'SELECT dp_count(*) FILTER (WHERE nextval(''attack_s'') % 2 = 0) FROM attack_t',
	'SELECT dp_sum_clipped(nextval(''attack_s''), 0, 9) FROM attack_t',
	'SELECT dp_count(*) FROM (SELECT nextval(''attack_s'') AS n FROM attack_t) s WHERE n % 2 = 0',
	'SELECT nextval(''attack_s'') % 2 = 0, dp_count(*) FROM attack_t GROUP BY 1',
	'SELECT dp_count(*) FROM attack_t WHERE random() < 0.5',
	'SELECT dp_count(*) FROM attack_t WHERE set_config(''attack.state'', name, false) = name',
	'SELECT dp_count(*) FROM attack_t WHERE pg_notify(''attack'', name) IS NULL',
	'SELECT dp_count(*) FROM attack_t WHERE id = 7 AND pg_cancel_backend(pg_backend_pid())',
	'SELECT dp_count(*) FROM attack_t WHERE pg_advisory_lock(id) IS NULL',
	'SELECT dp_count(*) FROM regexp_split_to_table(query_to_xml(''TABLE attack_t'', true, true, '''')::text, ''row'') x']) AS statement;
-- The same above the release is free.
SELECT nextval('attack_s'), dp_count(*) FROM attack_t WHERE now() IS NOT NULL;

-- Keys and rows under other names.
SELECT attack(statement) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM attack_t a GROUP BY flag, id > 3, id % 2',
	'SELECT id, dp_count(*) FROM attack_t GROUP BY id',
	'SELECT flag, dp_count(*) FROM attack_t GROUP BY CUBE (flag)',
	'SELECT dp_count(*) FROM ROWS FROM (generate_series(1, 2), generate_series(1, 3)) r',
	'SELECT dp_count(*) FROM unnest(ARRAY(SELECT id FROM attack_t)) r',
	'SELECT dp_count(*) FROM (VALUES ((SELECT id FROM attack_t LIMIT 1))) r',
	'SELECT dp_count(DISTINCT t) FROM attack_t t',
	'SELECT dp_histogram(name, ARRAY[''person 1'', ''person 1'']) FROM attack_t',
	'SELECT dp_histogram(id, ''{-0, 0, 1}''::float8[]) FROM attack_t',
	'SELECT dp_histogram(id, ''{1, NaN}''::float8[]) FROM attack_t',
	'SELECT dp_histogram(id, ''{{0, 5, 9}}''::float8[]) FROM attack_t',
	'SELECT dp_histogram(id, ''[0:2]={0, 5, 9}''::float8[]) FROM attack_t']) AS statement;

--
-- Draws for nothing
--

SELECT attack(statement) FROM unnest(ARRAY[
	'SELECT dp_count(t, 0) FROM attack_t t', 'SELECT dp_count(t, -1) FROM attack_t t', 'SELECT dp_count(t, ''NaN'') FROM attack_t t',
	'SELECT dp_count(t, ''Infinity'') FROM attack_t t', 'SELECT dp_count(t, 1e-300) FROM attack_t t',
	'SELECT dp_count(t, 9.9e-7) FROM attack_t t', 'SELECT dp_count(t, 1000.000000000001::float8) FROM attack_t t',
	'SELECT dp_count(t, id) FROM attack_t t', 'SELECT dp_count(t, random()) FROM attack_t t',
	'SELECT dp_count(t, 1e-6) IS NULL FROM attack_t t', 'SELECT dp_count(t, ''0.0000010000000000000002'') IS NULL FROM attack_t t',
	'SELECT dp_count(t, 0.0010000000000001) IS NULL FROM attack_t t']) AS statement;

-- Settings that change while the statement runs, in any order of evaluation: what was in force at the start counts.
SET dpriv.epsilon = 0.001;
SELECT attack('SELECT (SELECT set_config(''dpriv.epsilon'', ''900'', false)), (SELECT dp_count(*) IS NULL FROM attack_t)');
SET dpriv.epsilon = 0.001;
SELECT attack('SELECT set_config(''dpriv.epsilon'', ''900'', false), dp_count(*) IS NULL FROM attack_t GROUP BY flag');
SET dpriv.epsilon = 0.001;

-- Rolled back, undone, caught, never fetched, or with an error above: paid for.
BEGIN; SELECT attack('SELECT dp_count(*) IS NULL FROM attack_t'); ROLLBACK;
BEGIN; SAVEPOINT s; SELECT dp_count(*) IS NULL FROM attack_t; ROLLBACK TO s; SELECT dp_count(*) IS NULL FROM attack_t; COMMIT;
SELECT attack('SELECT 1 / (dp_count(*) - dp_count(*)) FROM attack_t');
SELECT dpriv.session_spent() AS spent \gset
DO $$ BEGIN PERFORM dp_count(*) FROM attack_t; RAISE 'x'; EXCEPTION WHEN OTHERS THEN NULL; END $$;
SELECT round((dpriv.session_spent() - :spent)::numeric, 6);
SELECT dpriv.session_spent() AS spent \gset
BEGIN; DECLARE attack_c CURSOR FOR SELECT dp_count(*) FROM attack_t; ROLLBACK;
SELECT round((dpriv.session_spent() - :spent)::numeric, 6);
SELECT dpriv.session_spent() AS spent \gset
DISCARD ALL;
SELECT dpriv.session_spent() = :spent AS kept;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 0.001;

-- A procedure that commits in a loop over a release keeps one draw.
CREATE PROCEDURE attack_loop(OUT draws int, OUT cost numeric) LANGUAGE plpgsql AS $$
DECLARE
	row record;
	seen int8[];
	before numeric := dpriv.session_spent();
BEGIN
	FOR row IN SELECT c FROM attack_k, (SELECT dp_count(*) AS c FROM attack_t) r LOOP
		COMMIT;
		seen := seen || row.c;
	END LOOP;
	draws := count(DISTINCT s) FROM unnest(seen) s;
	cost := round(dpriv.session_spent()::numeric - before, 6);
END
$$;
CALL attack_loop(NULL, NULL);

-- An upsert draws once for its condition, its value and what it returns, each.
CREATE TABLE attack_upsert (k int PRIMARY KEY, c int8);
INSERT INTO attack_upsert VALUES (1, 0);
SELECT dpriv.session_spent() AS spent \gset
INSERT INTO attack_upsert VALUES (1, 0) ON CONFLICT (k) DO UPDATE SET c = (SELECT dp_count(*) FROM attack_t)
WHERE (SELECT dp_count(*) IS NOT NULL FROM attack_t) RETURNING (SELECT dp_count(*) IS NOT NULL FROM attack_t);
SELECT round((dpriv.session_spent() - :spent)::numeric, 6);
SET dpriv.epsilon = 1000;

-- Rules, transition tables, WHERE CURRENT OF.
CREATE FUNCTION attack_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM dp_count(*) FROM added; RETURN NULL; END';
CREATE TRIGGER attack_trigger AFTER INSERT ON attack_upsert REFERENCING NEW TABLE AS added EXECUTE FUNCTION attack_trigger();
CREATE RULE attack_rule AS ON UPDATE TO attack_upsert DO ALSO SELECT dp_count(*) FROM attack_t WHERE attack_t.age = old.k;
SELECT attack(statement) FROM unnest(ARRAY['INSERT INTO attack_upsert VALUES (2, 0)', 'UPDATE attack_upsert SET c = 1']) AS statement;
BEGIN;
DECLARE attack_c CURSOR FOR SELECT dp_count(*) FROM attack_t;
FETCH attack_c;
DELETE FROM attack_t WHERE CURRENT OF attack_c;
ROLLBACK;

--
-- Between start and answer
--

-- What the inner plan was made for stays as it is until the cursor is closed.
BEGIN;
DECLARE attack_c CURSOR FOR SELECT dp_sum_clipped(age, 0, 9) FROM attack_u;
SAVEPOINT s;
ALTER TABLE attack_u ALTER age TYPE text;
ROLLBACK TO s;
TRUNCATE attack_u;
ROLLBACK TO s;
DROP TABLE attack_u;
ROLLBACK TO s;
FETCH attack_c;
CLOSE attack_c;
ALTER TABLE attack_u ADD extra int;
COMMIT;
-- New and renamed labels are public at once.
CREATE TYPE attack_enum AS ENUM ('a', 'b');
CREATE TABLE attack_e AS SELECT 'a'::attack_enum AS e FROM generate_series(1, 3);
PREPARE attack_p AS SELECT e, dp_count(*) FROM attack_e GROUP BY e;
EXECUTE attack_p;
ALTER TYPE attack_enum ADD VALUE 'z' BEFORE 'a';
ALTER TYPE attack_enum RENAME VALUE 'b' TO 'c';
EXECUTE attack_p;
-- Settings made below the door end there.
CREATE FUNCTION attack_keep(t text) RETURNS bool LANGUAGE plpgsql STABLE AS $$
BEGIN
	PERFORM set_config('attack.kept', t, false), set_config('dpriv.epsilon', '7', false);
	RETURN true;
END
$$;
SET attack.kept = 'nothing';
SELECT dp_count(*) FROM attack_t WHERE attack_keep(name);
BEGIN; SAVEPOINT s; SELECT dp_count(*) FROM attack_t WHERE attack_keep(name); RELEASE s; COMMIT;
SELECT attack('SELECT dp_count(*) FROM attack_t WHERE attack_keep(name) AND 1 / (id - 5) > -9');
SELECT current_setting('attack.kept'), current_setting('dpriv.epsilon'), current_setting('client_min_messages'), current_setting('track_counts');

--
-- Names and objects
--

-- A function, an aggregate or an operator of the same name is what its OID says.
CREATE SCHEMA attack_schema;
CREATE AGGREGATE attack_schema.dp_count(*) (SFUNC = int8inc, STYPE = int8, INITCOND = '0');
CREATE FUNCTION attack_schema.dp_error(int8) RETURNS int LANGUAGE sql AS 'SELECT 77';
SELECT dpriv.session_spent() AS spent \gset
SET search_path = attack_schema, public;
SELECT dp_count(*), dp_error(dp_count(*)) FROM attack_t;
SELECT public.dp_count(*), public.dp_error(dp_count(*)) FROM attack_t;
SELECT dp_error(public.dp_count(*)) FROM attack_t;
RESET search_path;
SELECT round((dpriv.session_spent() - :spent)::numeric, 6);

-- The placeholder, in every place where a function can stand.
SELECT attack(statement) FROM unnest(ARRAY['SELECT dpriv.release(0)', 'SELECT * FROM dpriv.release(0) AS r(c int8)',
	'SELECT * FROM ROWS FROM (dpriv.release(0) AS (c int8), generate_series(1, 2)) r', 'SELECT dp_count(*) FROM dpriv.release(0) AS r(c int8)',
	'SELECT (SELECT c FROM dpriv.release(0) AS r(c int8)), dp_count(*) FROM attack_t',
	'SELECT * FROM (SELECT dp_count(*) FROM attack_t) a, LATERAL (SELECT * FROM dpriv.release(0) AS r(c int8)) b',
	'WITH r AS (SELECT * FROM dpriv.release(0) AS r(c int8)) SELECT (SELECT dp_count(*) FROM attack_t) FROM r']) AS statement;

-- Aggregates of one's own on the extension's support functions, with states that these never make.
CREATE AGGREGATE attack_sum_two(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{0,0}');
CREATE AGGREGATE attack_sum_empty(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{}');
CREATE AGGREGATE attack_sum_none(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[]);
CREATE AGGREGATE attack_sum_null(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{0,0,NULL}');
CREATE AGGREGATE attack_sum_deep(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{{0,0,0}}');
CREATE AGGREGATE attack_sum_large(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[],
	INITCOND = '{-1,9223372036854775807,9223372036854775807}');
CREATE AGGREGATE attack_histogram(float8, float8[]) (SFUNC = dpriv.exact_histogram_accum, STYPE = int8[], INITCOND = '{1}');
CREATE AGGREGATE attack_categories(text, text[]) (SFUNC = dpriv.exact_categories_accum, STYPE = int8[], INITCOND = '{1}');
CREATE AGGREGATE attack_combine(int8[]) (SFUNC = dpriv.exact_counts_combine, STYPE = int8[], INITCOND = '{}');
CREATE AGGREGATE attack_outside("any", text[]) (SFUNC = dpriv.outside_release, STYPE = int8);
SELECT attack(statement) FROM unnest(ARRAY['SELECT attack_sum_two(k, ''{0,0,9}'') FROM attack_k', 'SELECT attack_sum_empty(k, ''{0,0,9}'') FROM attack_k',
	'SELECT attack_sum_none(k, ''{0,0,9}'') FROM attack_k', 'SELECT attack_sum_null(k, ''{0,0,9}'') FROM attack_k',
	'SELECT attack_sum_deep(k, ''{0,0,9}'') FROM attack_k', 'SELECT attack_sum_large(k, ''{0,0,9}'') FROM attack_k',
	'SELECT attack_histogram(k, ''{0,3,9}'') FROM attack_k', 'SELECT attack_categories(k::text, ''{1,2}'') FROM attack_k',
	'SELECT attack_combine(ARRAY[k, k]) FROM attack_k', 'SELECT attack_outside(e, ''{}'') FROM attack_e',
	'SELECT dpriv.exact_sum(k::float8, CASE WHEN k > 3 THEN ''{0,0}'' ELSE ''{0,0,9}'' END::int8[]) FROM attack_k',
	'SELECT dpriv.exact_histogram(k, CASE WHEN k > 3 THEN ''{0,3,5,9}'' ELSE ''{0,3,9}'' END::float8[]) FROM attack_k',
	'SELECT dpriv.exact_categories(k::text, CASE WHEN k > 3 THEN ''{1,2}'' ELSE ''{1}'' END::text[]) FROM attack_k']) AS statement;

-- The same, replaced while they run: what the catalog says then is not what the executor has.
CREATE FUNCTION attack_replace(x float8) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	CREATE OR REPLACE AGGREGATE attack_sum_two(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{0,0,0}');
	CREATE OR REPLACE AGGREGATE attack_histogram(float8, float8[]) (SFUNC = dpriv.exact_histogram_accum, STYPE = int8[]);
	RETURN x;
END $$;
SELECT attack(statement) FROM unnest(ARRAY['SELECT attack_histogram(attack_replace(k), ''{0,3,9}'') FROM attack_k',
	'SELECT attack_sum_two(attack_replace(k), ''{0,0,9}'') FROM attack_k']) AS statement;

-- The row type of histograms, altered by its owner.
BEGIN;
ALTER TYPE dp_bin ALTER ATTRIBUTE lower TYPE text CASCADE;
SELECT attack('SELECT dp_histogram(age, ARRAY[0, 25, 50]) FROM attack_t');
ROLLBACK;

--
-- Levels
--

-- An aggregate belongs to the level of its variables, dp_error() to that of its aggregate.
SELECT attack(statement) FROM unnest(ARRAY[
	'SELECT (SELECT (SELECT dp_count(a.id) + dp_count(b.id) FROM attack_k LIMIT 1) FROM attack_u b) FROM attack_t a',
	'SELECT (SELECT dp_count(*) FILTER (WHERE a.id > 3) FROM attack_u b LIMIT 1) FROM attack_t a',
	'SELECT (SELECT dp_count(a.id + b.id) FROM attack_u b) FROM attack_t a',
	'SELECT (SELECT dp_count(a.id) FILTER (WHERE b.id > 3) FROM attack_u b) FROM attack_t a',
	'SELECT (SELECT dp_count(b.id) FROM attack_u b WHERE b.id < dp_count(a.id)) FROM attack_t a',
	'SELECT (SELECT sum(dp_count(a.id)) OVER () FROM attack_u b LIMIT 1) FROM attack_t a',
	'SELECT dp_count(*) - (SELECT dp_error(dp_count(*)) FROM attack_u) FROM attack_t',
	'SELECT dp_count(*) - (SELECT dp_error(dp_count(a.id)) + dp_error(dp_count(b.id)) FROM attack_u b LIMIT 1) FROM attack_t a',
	'SELECT dp_count(*) - (SELECT dp_error(1)) FROM attack_t',
	'WITH w AS (SELECT * FROM attack_u) SELECT (SELECT dp_count(a.id) + (SELECT dp_count(*) FROM w) FROM w LIMIT 1) FROM attack_t a',
	'WITH w AS (SELECT dp_count(*) AS c FROM attack_t) SELECT dp_count(*) FROM w',
	'SELECT dp_count(*) FROM attack_t LIMIT 0', 'SELECT dp_count(*) FROM attack_t LIMIT 1 - 1', 'SELECT dp_count(*) FROM attack_t LIMIT (SELECT 0)',
	'SELECT dp_count(*) FROM attack_t WHERE false', 'SELECT dp_count(*) FROM attack_t LIMIT NULL']) AS statement;

SET client_min_messages = warning;
DROP AGGREGATE attack_sum_two(float8, int8[]), attack_sum_empty(float8, int8[]), attack_sum_none(float8, int8[]),
	attack_sum_null(float8, int8[]), attack_sum_deep(float8, int8[]), attack_sum_large(float8, int8[]),
	attack_histogram(float8, float8[]), attack_categories(text, text[]), attack_combine(int8[]), attack_outside("any", text[]);
DROP SCHEMA attack_schema CASCADE;
DROP TABLE attack_t, attack_u, attack_k, attack_upsert, attack_e CASCADE;
DROP TYPE attack_enum;
DROP SEQUENCE attack_s;
DROP OPERATOR === (int, int);
DROP PROCEDURE attack_loop;
DROP FUNCTION attack, attack_talk, attack_keep, attack_trigger, attack_replace;
