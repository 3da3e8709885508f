-- Declarations: public bounds and values of columns, and public relations.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per count.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TYPE declare_level AS ENUM ('low', 'middle', 'high');
CREATE DOMAIN declare_code AS varchar(8) CHECK (value <> 'never');
CREATE DOMAIN declare_rank AS declare_level;
CREATE TABLE declare_t (id int, age int, small int2, big int8, f float8, r real, n numeric, flag bool, level declare_level,
	name text, v varchar(6), code declare_code, day date, blank char(4), doc jsonb,
	grade declare_rank);
INSERT INTO declare_t
SELECT i, i % 100, i % 7, i % 5 - 2, i % 100 / 2.0, i % 10, i % 100, CASE WHEN i % 3 > 0 THEN i % 3 = 1 END,
	CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'low' ELSE 'high' END::declare_level,
	CASE WHEN i % 5 > 0 THEN 'n' || i % 5 END, 'v' || i % 3, 'c' || i % 3, date '2024-02-28' + i % 4, 'b', '{}',
	CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'low' ELSE 'high' END::declare_level
FROM generate_series(1, 1000) i;
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

--
-- Bounds
--

-- As if they had been given in the call: the same answers and errors, the whole of epsilon, and no bounds to find.
SELECT dpriv.set_bounds('declare_t', c, 10, 20) FROM unnest(ARRAY['age', 'small', 'big', 'f', 'r', 'n']) c;
SELECT relation, attribute, lower, upper, problem FROM dpriv.declarations ORDER BY attribute;
SELECT dp_sum(age) = dp_sum_clipped(age, 10, 20) AS sum, abs(dp_avg(age) - dp_avg(age, 10, 20)) < 0.001 AS avg,
	abs(dp_variance(age) - dp_variance(age, 10, 20)) < 0.1 AS variance, abs(dp_stddev(age) - dp_stddev(age, 10, 20)) < 0.01 AS stddev,
	dp_median(age) = dp_median(age, 10, 20) AS median, dp_quantile(age, 0.9) = dp_quantile(age, 0.9, 10, 20) AS quantile
FROM declare_t;
SELECT dp_sum(age) FROM declare_t;
SELECT sum(least(greatest(age, 10), 20)) FROM declare_t;
SELECT round(dp_avg(f)) AS f, round(dp_avg(r)) AS r, round(dp_avg(n)) AS n, dp_sum(small) AS small, dp_sum(big) AS big,
	round(dp_median(n)) AS median, round(dp_quantile(f, 1)) AS largest, dp_quantile(age, 0.05) AS smallest FROM declare_t;
EXPLAIN (COSTS OFF) SELECT dp_sum(age, 0.5), dp_avg(age, 0.5), dp_median(age, 0.5), dp_quantile(age, 0.9, 0.5), dp_variance(age, 0.5),
	dp_sum_clipped(age, 10, 20, 0.5), dp_avg(age, 0, 100, 0.5) FROM declare_t;
SELECT abs(dp_error(dp_sum(age, 0.5)) - dp_error(dp_sum_clipped(age, 10, 20, 0.5))) < 1e-9 AS error FROM declare_t;

-- Bounds in the call come first; a column without any has those that are found.
SELECT dp_sum_clipped(age, 0, 5), round(dp_avg(age, 0, 5)) AS avg, dp_median(age, 0, 5), dp_quantile(age, 1, 0, 5) FROM declare_t;
EXPLAIN (COSTS OFF) SELECT dp_sum(id, 0.5) FROM declare_t;

-- The column, and no expression over it; through views, subqueries, CTEs and functions that hand it on.
CREATE VIEW declare_v AS SELECT age, age AS old, age + 1 AS next, n::float8 AS real, name, upper(name) AS cap, code, level FROM declare_t;
CREATE FUNCTION declare_rows() RETURNS SETOF declare_t LANGUAGE sql STABLE AS 'SELECT * FROM declare_t WHERE age > 0';
CREATE FUNCTION bounded(call text, source text DEFAULT 'declare_t') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := 'no measure';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT %s FROM %s', call, source) LOOP
		IF line LIKE '%epsilon%' AND line ~ '\(' THEN
			found := coalesce(substring(line FROM 'within declared bounds [^:]*'), 'found');
		END IF;
	END LOOP;
	RETURN found;
END
$$;
SELECT call, bounded(call) FROM unnest(ARRAY['dp_sum(age)', 'dp_sum(age::int8)', 'dp_sum(age::float8)', 'dp_sum(n)', 'dp_sum(r)',
	'dp_sum(age + 1)', 'dp_sum(-age)', 'dp_sum(abs(age))', 'dp_sum(n::int)', 'dp_sum(n::numeric(5, 1))', 'dp_sum(coalesce(age, 0))',
	'dp_sum(CASE WHEN flag THEN age END)', 'dp_sum(id)', 'dp_sum(1)', 'dp_sum(age) FILTER (WHERE flag)']) AS call;
SELECT source, bounded('dp_sum(age)', source) FROM unnest(ARRAY['declare_v', '(SELECT age FROM declare_v WHERE old > 3) s',
	'(SELECT id AS age FROM declare_t) s', '(SELECT small AS age FROM declare_t) s', '(SELECT age + 0 AS age FROM declare_t) s', 'declare_rows()',
	'generate_series(1, 3) age', '(VALUES (1)) v(age)']) AS source;
SELECT bounded('dp_sum(old)', 'declare_v'), bounded('dp_sum(next)', 'declare_v'), bounded('dp_sum(real)', 'declare_v');
WITH c AS MATERIALIZED (SELECT age FROM declare_t) SELECT dp_sum(age) FROM c;

-- One draw and one charge for the same call; another spelling is another measure.
SELECT dpriv.session_spent() AS before \gset
SELECT dp_sum(age, 1) = dp_sum(age, 1) AS same FROM declare_t;
SELECT dpriv.session_spent() - :before AS spent;
SELECT measure, mechanism, epsilon FROM dpriv.cost('SELECT dp_sum(age, 1), dp_median(age, 2), dp_sum_clipped(age, 10, 20, 4) FROM declare_t');

-- A delta that is set counts, as with bounds in the call.
SET dpriv.delta = 1e-6;
SET dpriv.mechanism = gaussian;
EXPLAIN (COSTS OFF) SELECT dp_sum(age, 0.5) FROM declare_t;
RESET dpriv.mechanism;
RESET dpriv.delta;

-- NaN, infinities and NULL as ever: into the bounds, or nowhere.
CREATE TABLE declare_odd (x float8);
INSERT INTO declare_odd VALUES ('NaN'), ('infinity'), ('-infinity'), (NULL), (1e300), (5), (-0.0);
SELECT dpriv.set_bounds('declare_odd', 'x', -2, 8);
SELECT round(dp_sum(x)) AS declared, round(dp_sum_clipped(x, -2, 8)) AS given, round(dp_avg(x)) AS avg, dp_median(x) BETWEEN -2 AND 8 AS median
FROM declare_odd;

--
-- Domains
--

-- Every declared value, in the order of the declaration, those of no row with 0; NULL is a group of its own; other values
-- are in none.  No delta, and none is charged where there is one.
SELECT dpriv.set_domain('declare_t', 'name', ARRAY['n4', 'nobody', 'n2', 'n1']);
SELECT name, dp_count(*), dp_count(age) FROM declare_t GROUP BY name;
SELECT name, count(*) FROM declare_t GROUP BY name ORDER BY name;
SELECT name, dp_count(*) FROM declare_t WHERE false GROUP BY name;
SELECT dpriv.session_spent_delta() AS before \gset
SET dpriv.delta = 1e-6;
SELECT count(*), sum(c) FROM (SELECT dp_count(*) AS c FROM declare_t GROUP BY name) r;
RESET dpriv.delta;
SELECT dpriv.session_spent_delta() - :before AS delta;
EXPLAIN (COSTS OFF) SELECT name, dp_count(*) FROM declare_t GROUP BY name;
EXPLAIN (COSTS OFF, VERBOSE) SELECT upper(name), dp_count(declare_t, 1) FROM declare_t GROUP BY name;

-- Others count as a value that is declared for them, be it among the values or not.
SELECT dpriv.set_domain('declare_t', 'name', ARRAY['n4', 'n1'], 'elsewhere');
SELECT name, dp_count(*), dp_count(DISTINCT age % 10) AS ages, dp_sum_clipped(age, 0, 1), dp_histogram(age, ARRAY[0, 50, 100]),
	dp_count(*) FILTER (WHERE name = 'n3') AS n3 FROM declare_t GROUP BY name;
SELECT coalesce(name, 'none') || '!' AS k, dp_count(*) AS c FROM declare_t GROUP BY name HAVING dp_count(*) > 150 AND name <> 'n1' ORDER BY c;
SELECT dpriv.set_domain('declare_t', 'name', ARRAY['n4', 'n1'], 'n4');
SELECT name, dp_count(*) FROM declare_t GROUP BY name;

-- All types; a domain of an enum or a boolean may be less than its type.
SELECT dpriv.set_domain('declare_t', 'level', ARRAY['high', 'middle']);
SELECT dpriv.set_domain('declare_t', 'flag', ARRAY['t']);
SELECT dpriv.set_domain('declare_t', 'small', ARRAY['3', '-1', '6', '+5']);
SELECT dpriv.set_domain('declare_t', 'age', ARRAY['7', '99'], '-1');
SELECT dpriv.set_domain('declare_t', 'big', ARRAY['-2', '9223372036854775807']);
SELECT dpriv.set_domain('declare_t', 'day', ARRAY['2024-02-29', '2024-03-01', '1999-12-31'], '0001-01-01');
SELECT dpriv.set_domain('declare_t', 'v', ARRAY['v2', 'v0']);
SELECT dpriv.set_domain('declare_t', 'code', ARRAY['c2', 'c0'], 'other');
SELECT dpriv.set_domain('declare_t', 'grade', ARRAY['high'], 'middle');
SELECT attribute, lower, upper, labels, other, problem FROM dpriv.declarations WHERE relation = 'declare_t'::regclass ORDER BY attribute;
SELECT level, dp_count(*) FROM declare_t GROUP BY level;
SELECT grade, dp_count(*) FROM declare_t GROUP BY grade;
SELECT flag, dp_count(*) FROM declare_t GROUP BY flag;
SELECT small, dp_count(*) FROM declare_t GROUP BY small;
SELECT age, dp_count(*) FROM declare_t GROUP BY age;
SELECT big, dp_count(*) FROM declare_t GROUP BY big;
SELECT day, dp_count(*) FROM declare_t GROUP BY day;
SELECT v, dp_count(*) FROM declare_t GROUP BY v;
SELECT code, dp_count(*) FROM declare_t GROUP BY code;

-- Products, also with what is public by its type; a row that is outside in one key is in no group.
SELECT v, flag, age > 50 AS old, dp_count(*) FROM declare_t GROUP BY v, flag, age > 50;
SELECT count(*), sum(c) FROM (SELECT dp_count(*) AS c FROM declare_t GROUP BY level, small, day) r;
SELECT count(*) FROM declare_t WHERE (level IS NULL OR level IN ('high', 'middle')) AND small IN (3, -1, 6, 5);
SELECT code, v, dp_count(*) FROM declare_t GROUP BY code, v HAVING dp_count(*) > 0;

-- Without a declaration booleans and enums have the values of their type, in its order; what is given or declared comes first.
-- The cost and the noise are those of the list written out.
CREATE TABLE declare_typed AS SELECT level, grade, flag, name FROM declare_t;
SELECT dp_mode(level), dp_histogram(level), dp_histogram(level) = dp_histogram(level, ARRAY['low', 'middle', 'high']) AS same,
	dp_histogram(level, ARRAY['high', 'no label']) AS given FROM declare_typed;
SELECT dp_mode(grade), dp_histogram(grade), dp_mode(flag), dp_histogram(flag), dp_histogram(name = 'n1') AS condition,
	dp_histogram(CASE WHEN flag THEN level END) AS expression FROM declare_typed;
SELECT flag, dp_histogram(level) FROM declare_typed GROUP BY flag;
SELECT dp_mode(level) IN ('low', 'middle', 'high') AS answered, dp_histogram(level) FROM declare_typed WHERE false;
EXPLAIN (COSTS OFF) SELECT dp_mode(level), dp_histogram(level), dp_histogram(flag), dp_histogram(level, ARRAY['low', 'middle', 'high']) FROM declare_typed;
SELECT measure, mechanism, epsilon, delta FROM dpriv.cost('SELECT dp_mode(level), dp_mode(grade, ARRAY[''low'', ''high'']), dp_histogram(flag) FROM declare_typed');
SELECT dp_error(dp_histogram(level)) = dp_error(dp_histogram(level, ARRAY['low'])) AS error FROM declare_typed;
SELECT dpriv.set_domain('declare_typed', 'level', ARRAY['high'], 'low'), dpriv.set_domain('declare_typed', 'flag', ARRAY['t']);
SELECT dp_mode(level), dp_histogram(level), dp_histogram(flag) FROM declare_typed;
-- A plan that is kept has the labels that there are when it is executed.
CREATE TYPE declare_mood AS ENUM ('sad', 'happy');
CREATE TABLE declare_moods AS SELECT CASE WHEN id % 2 = 0 THEN 'sad' ELSE 'happy' END::declare_mood AS mood FROM declare_t;
SET plan_cache_mode = force_generic_plan;
PREPARE declare_mood AS SELECT dp_histogram(mood) FROM declare_moods;
EXECUTE declare_mood;
ALTER TYPE declare_mood ADD VALUE 'calm' BEFORE 'happy';
ALTER TYPE declare_mood RENAME VALUE 'sad' TO 'low';
EXECUTE declare_mood;
RESET plan_cache_mode;
DEALLOCATE declare_mood;
-- A type without values has none to count; others than these have no values that are known.
CREATE TYPE declare_none AS ENUM ();
CREATE TABLE declare_nothing (x declare_none);
SELECT dp_histogram(x) FROM declare_nothing;
DROP TABLE declare_typed, declare_moods, declare_nothing;

-- Through views; an expression over a column is not the column.
SELECT code, dp_count(*) FROM declare_v GROUP BY code;
SELECT k, dp_count(*) FROM (SELECT name AS k FROM declare_rows()) s GROUP BY k;
WITH c AS (SELECT level AS k FROM declare_t) SELECT k, dp_count(*) FROM c GROUP BY k;
\pset format unaligned
\pset tuples_only on
SELECT refusal('SELECT dp_count(*) FROM declare_v GROUP BY ' || k) FROM unnest(ARRAY['cap', 'upper(name)', 'name COLLATE "C"', 'name || ''''', 'next', 'code::text']) k;

-- Beside a key that is not public groups are selected, among those of the domain.
SET dpriv.delta = 1e-18;
SELECT v, upper(code) AS u, dp_count(*) FROM declare_t GROUP BY v, upper(code);
SELECT id % 2 AS half, name, dp_count(*) FROM declare_t GROUP BY 1, 2;
SELECT upper(name) AS u, dp_count(*) FROM declare_t GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT id % 2 AS half, v, dp_count(declare_t, 1) FROM declare_t GROUP BY 1, 2;
SET dpriv.delta = 0;

-- More combinations than fit; as many values as fit.
SELECT dpriv.set_domain('declare_t', 'id', array_agg(i::text)) FROM generate_series(1, 65535) i;
SELECT count(*), sum(c), min(id), max(id) FROM (SELECT id, dp_count(*) AS c FROM declare_t GROUP BY id) r;
SELECT refusal('SELECT id, v, dp_count(*) FROM declare_t GROUP BY id, v');
SELECT dpriv.set_domain('declare_t', 'id', NULL);

--
-- Categories out of a domain
--
SELECT dp_mode(name), dp_mode(level), dp_mode(age), dp_mode(small) IN ('3', '5', '6') AS small, dp_mode(big), dp_mode(day), dp_mode(flag), dp_mode(code),
	dp_mode(v) IN ('v0', 'v2') AS v FROM declare_t;
SELECT unnest(dp_histogram(name)) FROM declare_t;
SELECT unnest(dp_histogram(level)) FROM declare_t;
SELECT unnest(dp_histogram(grade)) FROM declare_t;
SELECT unnest(dp_histogram(age)) FROM declare_t;
SELECT unnest(dp_histogram(small)) FROM declare_t;
SELECT unnest(dp_histogram(big)) FROM declare_t;
SELECT unnest(dp_histogram(flag)) FROM declare_t;
SET datestyle = 'German';
SELECT unnest(dp_histogram(day)) FROM declare_t;
RESET datestyle;
SELECT unnest(dp_histogram(code)) FROM declare_v;
SELECT unnest(dp_histogram(v)) FROM declare_t;
SELECT dp_histogram(v, ARRAY['v1']), dp_mode(level, '{low}'), dp_histogram(age, '{0,50}') FROM declare_t;
SELECT v, dp_mode(code), dp_error(dp_histogram(level)) FROM declare_t GROUP BY v HAVING v IS NOT NULL;
EXPLAIN (COSTS OFF) SELECT dp_mode(name), dp_histogram(day) FROM declare_t;
SELECT dpriv.label_of(7::bigint), dpriv.label_of(true), dpriv.label_of(date '2024-02-29'), dpriv.label_of(date 'infinity'), dpriv.label_of(date '0044-03-15 BC');

--
-- Refused
--
SELECT refusal('SELECT dpriv.set_bounds(' || args || ')') FROM unnest(ARRAY['''declare_t'', ''age'', 5, 5', '''declare_t'', ''age'', 6, 5',
	'''declare_t'', ''age'', ''NaN'', 5', '''declare_t'', ''age'', 5, ''NaN''', '''declare_t'', ''age'', ''-infinity'', 5', '''declare_t'', ''age'', 1e-300, 1e-250',
	'''declare_t'', ''age'', 0, 1e201', '''declare_t'', ''age'', NULL, 5', '''declare_t'', ''age'', 5, NULL', '''declare_t'', NULL, 1, 2', 'NULL, ''age'', 1, 2',
	'''declare_t'', ''nothing'', 1, 2', '''declare_t'', ''ctid'', 1, 2', '''declare_t'', ''name'', 1, 2', '''declare_t'', ''flag'', 0, 1', '''declare_t'', ''day'', 0, 1',
	'''declare_v'', ''age'', 1, 2', '''pg_class'', ''relpages'', 1, 2', '0, ''age'', 1, 2']) AS args;
SELECT refusal('SELECT dpriv.set_domain(' || args || ')') FROM unnest(ARRAY['''declare_t'', ''name'', ARRAY[]::text[]', '''declare_t'', ''name'', ARRAY[''a'', NULL]',
	'''declare_t'', ''name'', ARRAY[[''a''], [''b'']]', '''declare_t'', ''name'', ARRAY[''a'', ''b'', ''a'']', '''declare_t'', ''small'', ARRAY[''7'', ''007'']',
	'''declare_t'', ''flag'', ARRAY[''t'', ''yes'']', '''declare_t'', ''small'', ARRAY[''32768'']', '''declare_t'', ''age'', ARRAY[''7.0'']', '''declare_t'', ''age'', ARRAY['' 7'']',
	'''declare_t'', ''age'', ARRAY['''']', '''declare_t'', ''big'', ARRAY[''9223372036854775808'']', '''declare_t'', ''level'', ARRAY[''lowest'']', '''declare_t'', ''level'', ARRAY[repeat(''l'', 100)]',
	'''declare_t'', ''day'', ARRAY[''2023-02-29'']', '''declare_t'', ''day'', ARRAY[''today'']', '''declare_t'', ''day'', ARRAY[''2024-1-01'']', '''declare_t'', ''day'', ARRAY[''-024-01-01'']',
	'''declare_t'', ''v'', ARRAY[''seven77'']', '''declare_t'', ''code'', ARRAY[''a''], ''more than 8''', '''declare_t'', ''f'', ARRAY[''1'']', '''declare_t'', ''n'', ARRAY[''1'']',
	'''declare_t'', ''blank'', ARRAY[''b'']', '''declare_t'', ''doc'', ARRAY[''{}'']', '''declare_t'', ''name'', NULL, ''x''', '''declare_v'', ''name'', ARRAY[''a'']']) AS args;
SELECT refusal('SELECT dpriv.set_domain(''declare_t'', ''name'', array_agg(i::text)) FROM generate_series(1, 65537) i');
SELECT refusal('SELECT dpriv.set_domain(''declare_t'', ''name'', array_agg(i || repeat(''x'', 990))) FROM generate_series(1, 1003) i');
SELECT refusal('SELECT dpriv.set_domain(''declare_t'', ''name'', ARRAY[''a''], repeat(''x'', 1001))');
SELECT right(refusal('SECURITY LABEL FOR dpriv ON COLUMN declare_t.name IS ''{"domain": ["' || repeat('x', 1001) || '"]}'''), 160);
CREATE COLLATION declare_loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE declare_loose_t (x text COLLATE declare_loose);
SELECT refusal('SELECT dpriv.set_domain(''declare_loose_t'', ''x'', ARRAY[''a'', ''A''])');
SELECT refusal('SELECT ' || call || ' FROM declare_t') FROM unnest(ARRAY['dp_median(id)', 'dp_median(age + 1, 0.5)', 'dp_quantile(id, 0.5)', 'dp_quantile(name::int, 0.5, 1)',
	'dp_mode(id)', 'dp_mode(upper(name))', 'dp_histogram(id)', 'dp_histogram(doc)', 'dp_mode(0.5)', 'dp_quantile(age, 1.5)', 'dp_mode(DISTINCT name)']) AS call;
SET dpriv.epsilon = 0;
SELECT refusal('SELECT ' || call || ' FROM declare_t') FROM unnest(ARRAY['dp_mode(name)', 'dp_median(age)', 'dp_quantile(age, 0.5, 1e-9)', 'dp_median(age, 1001)']) AS call;
SET dpriv.epsilon = 1000;
-- A bound that was forgotten.
SELECT refusal('SELECT ' || call || ' FROM declare_t') FROM unnest(ARRAY['dp_avg(age, 17)', 'dp_sum(age, 90)', 'dp_median(age, 17)', 'dp_quantile(age, 0.5, 90)']) AS call;
-- Who may.
CREATE ROLE declare_other;
CREATE ROLE declare_owner;
GRANT SELECT, INSERT ON declare_t TO declare_other;
SET ROLE declare_other;
SELECT refusal(statement) FROM unnest(ARRAY['SELECT dpriv.set_bounds(''declare_t'', ''age'', 0, 1)', 'SELECT dpriv.set_domain(''declare_t'', ''name'', ARRAY[''a''])',
	'SELECT dpriv.set_public(''declare_t'')', 'SECURITY LABEL FOR dpriv ON COLUMN declare_t.age IS ''{"bounds": [0, 1]}''', 'SECURITY LABEL FOR dpriv ON COLUMN declare_t.age IS NULL']) AS statement;
SELECT count(*) FROM dpriv.declarations WHERE relation = 'declare_t'::regclass;
RESET ROLE;
ALTER TABLE declare_odd OWNER TO declare_owner;
SET ROLE declare_owner;
SELECT dpriv.set_bounds('declare_odd', 'x', 0, 1);
RESET ROLE;
BEGIN READ ONLY;
SELECT dpriv.set_bounds('declare_odd', 'x', 0, 2);
ROLLBACK;
BEGIN;
SELECT dpriv.set_bounds('declare_odd', 'x', 0, 3);
ROLLBACK;
SELECT lower, upper FROM dpriv.declarations WHERE relation = 'declare_odd'::regclass;

-- Labels by hand.
SELECT refusal('SECURITY LABEL FOR dpriv ON COLUMN declare_odd.x IS ' || quote_literal(l)) FROM unnest(ARRAY['', '{}', '[]', '7', '{"bounds": [1, 2], "more": 1}',
	'{"bounds": [2, 1]}', '{"bounds": [1]}', '{"bounds": [1, "2"]}', '{"bounds": 1}', '{"bounds": [1, 1e999]}', '{"bounds": {"a": 1, "b": 2}}', '{"domain": ["1"]}', '{"other": "1"}', '{"unit": "row"}', '{"public": true}']) l;
SELECT refusal('SECURITY LABEL FOR dpriv ON COLUMN declare_t.name IS ' || quote_literal(l)) FROM unnest(ARRAY['{"domain": []}', '{"domain": "a"}', '{"domain": ["a", 1]}', '{"domain": ["a", ["b"]]}',
	'{"domain": ["a", "a"]}', '{"domain": ["a"], "other": 1}', '{"domain": ["a"], "other": null}', '{"bounds": [1, 2]}', '{"domain": {"a": "b"}}']) l;
SELECT refusal(s) FROM unnest(ARRAY['SECURITY LABEL FOR dpriv ON COLUMN declare_v.age IS ''{"bounds": [1, 2]}''', 'SECURITY LABEL FOR dpriv ON VIEW declare_v IS ''{"public": true}''',
	'SECURITY LABEL FOR dpriv ON TYPE declare_level IS ''{"public": true}''', 'SECURITY LABEL FOR dpriv ON TABLE declare_t IS ''{"public": false}''',
	'SECURITY LABEL FOR dpriv ON TABLE declare_t IS ''{"public": true, "unit": "row"}''']) s;
\pset format aligned
\pset tuples_only off
SECURITY LABEL FOR dpriv ON COLUMN declare_odd.x IS '{"bounds": [-1, 2e1]}';
SELECT round(dp_sum(x)), bounded('dp_sum(x)', 'declare_odd') FROM declare_odd;
SECURITY LABEL FOR dpriv ON COLUMN declare_odd.x IS NULL;
SELECT bounded('dp_sum(x)', 'declare_odd');

-- A partitioned table and its partitions have declarations of their own; so has a materialized view.
CREATE TABLE declare_parts (k int, x text) PARTITION BY LIST (k);
CREATE TABLE declare_part PARTITION OF declare_parts DEFAULT;
INSERT INTO declare_parts VALUES (1, 'a'), (2, 'b'), (3, NULL);
CREATE MATERIALIZED VIEW declare_m AS SELECT * FROM declare_parts;
SELECT dpriv.set_domain('declare_parts', 'x', ARRAY['b']), dpriv.set_domain('declare_m', 'x', ARRAY['a'], 'b');
SELECT x, dp_count(*) FROM declare_parts GROUP BY x;
SELECT x, dp_count(*) FROM declare_m GROUP BY x;
SELECT dpriv.set_public('declare_m');
SELECT relation, attribute, public, labels FROM dpriv.declarations WHERE relation IN ('declare_parts'::regclass, 'declare_m'::regclass) ORDER BY relation::text COLLATE "C", attribute;
SELECT x, dp_count(*) FROM declare_part GROUP BY x;
DROP TABLE declare_parts CASCADE;

--
-- Changes
--

-- Removing one leaves the other; odd characters and numbers are kept as they are.
SELECT dpriv.set_bounds('declare_t', 'age', 0.1, 1e17);
SELECT dpriv.set_domain('declare_t', 'name', ARRAY[E'quo"te', E'back\\slash', E'new\nline', '', 'ünï']);
SELECT attribute, lower, upper, labels FROM dpriv.declarations WHERE relation = 'declare_t'::regclass AND attribute IN ('age', 'name');
SELECT dpriv.set_domain('declare_t', 'age', NULL), dpriv.set_bounds('declare_t', 'small', NULL, NULL), dpriv.set_domain('declare_t', 'name', NULL);
SELECT attribute, lower, upper, labels FROM dpriv.declarations WHERE relation = 'declare_t'::regclass AND attribute IN ('age', 'name', 'small') ORDER BY 1;

-- Several in one statement.
SELECT dpriv.set_bounds('declare_t', 'id', 1, 2), dpriv.set_domain('declare_t', 'id', ARRAY['1']), dpriv.set_bounds('declare_t', 'id', 1, 3),
	dpriv.set_public('declare_t'), dpriv.set_public('declare_t', false), dpriv.set_public('declare_t', false);
SELECT attribute, lower, upper, labels FROM dpriv.declarations WHERE relation = 'declare_t'::regclass AND (attribute = 'id' OR public);
SELECT dpriv.set_bounds('declare_t', 'id', NULL, NULL), dpriv.set_domain('declare_t', 'id', NULL), dpriv.set_domain('declare_t', 'id', NULL);

-- They follow their column when it is renamed, and end with it.
ALTER TABLE declare_t RENAME age TO years;
ALTER TABLE declare_t RENAME TO declare_u;
SELECT relation, attribute, lower, upper FROM dpriv.declarations WHERE attribute = 'years';
ALTER TABLE declare_u RENAME TO declare_t;
ALTER TABLE declare_t RENAME years TO age;
ALTER TABLE declare_t DROP COLUMN big;
SELECT count(*) FROM dpriv.declarations WHERE attribute = 'big';

-- A type that does not have the values any more: the release is refused, with delta and without, and says why.
CREATE TYPE declare_grade AS ENUM ('low', 'high');
CREATE TABLE declare_c (x text, y int, z declare_grade);
INSERT INTO declare_c VALUES ('1', 1, 'low');
SELECT dpriv.set_domain('declare_c', 'x', ARRAY['1', 'one']), dpriv.set_bounds('declare_c', 'y', 0, 9), dpriv.set_domain('declare_c', 'z', ARRAY['low', 'high']);
ALTER TABLE declare_c ALTER x TYPE int USING x::int, ALTER y TYPE text;
ALTER TYPE declare_grade RENAME VALUE 'high' TO 'top';
SELECT attribute, problem FROM dpriv.declarations WHERE relation = 'declare_c'::regclass ORDER BY 1;
\pset format unaligned
\pset tuples_only on
SELECT refusal('SELECT ' || s || ' FROM declare_c') FROM unnest(ARRAY['dp_mode(x)', 'dp_histogram(x)', 'dp_mode(z)']) s;
SELECT refusal('SELECT dp_count(*) FROM declare_c GROUP BY ' || k) FROM unnest(ARRAY['x', 'z']) k;
SET dpriv.delta = 1e-6;
SELECT refusal('SELECT dp_count(*) FROM declare_c GROUP BY x');
RESET dpriv.delta;
SELECT dp_count(*), dp_sum_clipped(x, 0, 5), dp_mode(z, ARRAY['low']) FROM declare_c;
SELECT dpriv.set_domain('declare_c', 'x', ARRAY['1']), dpriv.set_domain('declare_c', 'z', ARRAY['top']);
SELECT x, dp_count(*) FROM declare_c GROUP BY x;
SELECT z, dp_count(*) FROM declare_c GROUP BY z;
\pset format aligned
\pset tuples_only off

-- Plans that are kept are made again, of both kinds and in functions.
CREATE FUNCTION declare_kept() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT round(dp_sum(x)) FROM declare_odd) || ' ' || (SELECT string_agg(coalesce(y, '-'), '') FROM (SELECT y, dp_count(*) FROM declare_c GROUP BY y) r);
END
$$;
SELECT dpriv.set_bounds('declare_odd', 'x', 0, 1), dpriv.set_domain('declare_c', 'y', ARRAY['1', '2']);
PREPARE declare_sum AS SELECT round(dp_sum(x)) FROM declare_odd;
PREPARE declare_groups(float8) AS SELECT y, dp_count(declare_c, $1) FROM declare_c GROUP BY y;
SET plan_cache_mode = force_generic_plan;
SELECT declare_kept();
EXECUTE declare_sum;
EXECUTE declare_groups(1000);
SELECT dpriv.set_bounds('declare_odd', 'x', 0, 2), dpriv.set_domain('declare_c', 'y', ARRAY['2', '1', '0']);
SELECT declare_kept();
EXECUTE declare_sum;
EXECUTE declare_groups(1000);
SET plan_cache_mode = force_custom_plan;
SELECT dpriv.set_bounds('declare_odd', 'x', 0, 3), dpriv.set_domain('declare_c', 'y', ARRAY['0']);
SELECT declare_kept();
EXECUTE declare_sum;
EXECUTE declare_groups(1000);
SET plan_cache_mode = force_generic_plan;
SELECT dpriv.set_domain('declare_c', 'y', NULL);
EXECUTE declare_groups(1000);
RESET plan_cache_mode;

--
-- Protected relations: a restricted role gets the same
--
REVOKE INSERT ON declare_t FROM declare_other;
SELECT dpriv.set_bounds('declare_t', 'age', 10, 20), dpriv.set_domain('declare_t', 'small', ARRAY['1', '2'], '0'),
	dpriv.set_domain('declare_t', 'name', ARRAY['n1', 'nobody']);
CREATE TABLE declare_answers AS SELECT ''::text AS who, ''::text AS what, ''::text AS answer WHERE false;
GRANT ALL ON declare_answers TO declare_other;
CREATE PROCEDURE declare_ask(who text) LANGUAGE plpgsql AS $$
DECLARE
	query text;
BEGIN
	FOREACH query IN ARRAY ARRAY['SELECT dp_sum(age), dp_median(age), round(dp_sum(f)), round(dp_avg(n)), dp_mode(name), dp_mode(small), dp_mode(day), dp_mode(flag), dp_mode(level), dp_mode(grade), dp_histogram(small), dp_histogram(day), dp_histogram(flag) FROM declare_t',
		'SELECT small, name, dp_count(*) FROM declare_t GROUP BY small, name', 'SELECT flag, level, grade, dp_count(*) FROM declare_t GROUP BY flag, level, grade',
		'SELECT day, code, v, dp_count(*) FROM declare_t GROUP BY day, code, v', 'SELECT dp_quantile(age, 0.3), dp_histogram(code), dp_histogram(v) FROM declare_v2'] LOOP
		EXECUTE format('INSERT INTO declare_answers SELECT %L, %L, string_agg(r::text, E''\n'') FROM (%s) r', who, query, query);
	END LOOP;
END
$$;
CREATE VIEW declare_v2 AS SELECT age, code, v FROM declare_t;
GRANT SELECT ON declare_v2 TO declare_other;
CALL declare_ask('open');
SET client_min_messages = error;
SELECT dpriv.protect('declare_t', unit => 'row');
RESET client_min_messages;
CALL declare_ask('owner');
SET ROLE declare_other;
CALL declare_ask('restricted');
RESET ROLE;
SELECT what, count(DISTINCT answer) AS answers, count(*) AS roles, min(length(answer)) > 5 AS something FROM declare_answers GROUP BY what ORDER BY what COLLATE "C";

-- Also of the largest domains that there can be.
SELECT dpriv.set_domain('declare_t', 'id', array_agg(i::text), '0') FROM generate_series(1, 65534) i;
SELECT dpriv.set_domain('declare_t', 'name', array_agg(lpad('n' || i, 992)), lpad('other', 1000)) FROM generate_series(1, 1000) i;
SET ROLE declare_other;
SELECT count(*), sum(c) FROM (SELECT id, dp_count(*) AS c FROM declare_t GROUP BY id) r;
SELECT count(*), sum(c) FROM (SELECT name, dp_count(*) AS c FROM declare_t GROUP BY name) r;
SELECT cardinality(dp_histogram(id)), trim(dp_mode(name)) FROM declare_t;
RESET ROLE;

-- Declaring goes on; the label of the relation stays.
SELECT dpriv.set_bounds('declare_t', 'age', 0, 50);
SELECT unit, problem FROM dpriv.protected WHERE relation = 'declare_t'::regclass;

--
-- Public relations
--
CREATE TABLE declare_p (x int);
SELECT dpriv.set_public('declare_p');
SELECT relation, attribute, public, problem FROM dpriv.declarations WHERE public;
SELECT count(*) FROM dpriv.protected WHERE relation = 'declare_p'::regclass;
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;
SELECT refusal('SELECT dpriv.protect(''declare_p'', unit => ''row'')');
SELECT refusal('SELECT dpriv.set_public(''declare_t'')');
SELECT refusal('SELECT dpriv.set_public(''declare_v'')');
SELECT refusal('SELECT dpriv.set_public(''declare_p'', NULL)');
SELECT refusal('SECURITY LABEL FOR dpriv ON TABLE declare_t IS ''{"public": true}''');
CREATE TABLE declare_i (x int);
SELECT dpriv.protect('declare_i', unit => 'row');
SELECT refusal('ALTER TABLE declare_p INHERIT declare_i');
SELECT refusal('ALTER TABLE declare_i INHERIT declare_p');
\pset format aligned
\pset tuples_only off
RESET client_min_messages;
SELECT dp_count(*) FROM declare_p;
SELECT dpriv.set_public('declare_p', false), dpriv.set_public('declare_t', false);
SELECT count(*) FROM dpriv.declarations WHERE public;
SELECT unit, problem FROM dpriv.protected WHERE relation = 'declare_t'::regclass;

SET client_min_messages = error;
SELECT dpriv.unprotect('declare_t');
SET client_min_messages = warning;
DROP TABLE declare_t, declare_odd, declare_loose_t, declare_c, declare_p, declare_i, declare_answers CASCADE;
DROP PROCEDURE declare_ask;
DROP FUNCTION refusal, bounded, declare_kept;
DROP COLLATION declare_loose;
DROP DOMAIN declare_code, declare_rank;
DROP TYPE declare_level, declare_grade;
DROP ROLE declare_other, declare_owner;
