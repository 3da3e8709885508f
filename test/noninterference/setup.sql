-- Protected relations with one unit that is like no other, what is made of them, and roles that must not see rows.
--
-- Row 7341, Bob, has the only value of its kind in every column: the zero, the largest number, NULL, NaN, infinity, a text
-- out of line. So a condition that fails, talks or counts for one row does so for him.
CREATE EXTENSION dpriv;
CREATE ROLE boss LOGIN;
CREATE ROLE analyst LOGIN;
CREATE ROLE observer LOGIN IN ROLE analyst;
CREATE ROLE reader LOGIN IN ROLE analyst;
CREATE SCHEMA mine AUTHORIZATION analyst;
GRANT CREATE ON SCHEMA public TO PUBLIC;

SET ROLE boss;
CREATE TYPE adult_sex AS ENUM ('Female', 'Male');
CREATE TYPE adult_income AS ENUM ('<=50K', '>50K');
CREATE TABLE adult (
	id int PRIMARY KEY, name text, age int, sex adult_sex, income adult_income, workclass text, education varchar(40),
	num smallint, gain bigint, pay numeric, w float8, r real, ok boolean, born date, seen timestamptz, stamp timestamp,
	lap interval, clock time, code uuid, addr inet, data bytea, bits bit(8), tags int[], reals float8[], doc jsonb, note text);
INSERT INTO adult
SELECT i, (ARRAY['Ann', 'Eve', 'Joe'])[i % 3 + 1], 1 + i % 41, (ARRAY['Female', 'Male'])[i % 2 + 1]::adult_sex,
	(ARRAY['<=50K', '>50K'])[i % 5 / 4 + 1]::adult_income, (ARRAY['Private', 'State-gov'])[i % 4 / 3 + 1],
	(ARRAY['HS-grad', 'Masters', 'Bachelors'])[i % 7 / 3 + 1], i % 16 + 1, 1 + i % 100, i, i, i, i % 2 = 0, date '1990-01-01' + i,
	timestamptz '2020-01-01 00:00+00' + i * interval '1 hour', timestamp '2020-01-01' + i * interval '1 hour', i * interval '1 hour',
	time '08:00' + i * interval '1 minute', md5(i::text)::uuid, inet '10.0.0.0' + i, decode(md5(i::text), 'hex'), i::bit(8), ARRAY[i, i + 1],
	ARRAY[i, 0.5], jsonb_build_object('n', i), repeat('note ', i % 10 + 1)
FROM generate_series(1, 300) AS i;
INSERT INTO adult
SELECT 7341, 'Bob\', 42, NULL, NULL, '(Never-worked', 'Preschool%', 32767, 9223372036854775807, 0, 'NaN', 'infinity', NULL, 'infinity', 'infinity',
	'-infinity', interval '-178000000 years', '24:00', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '255.255.255.255/8', '\xff', B'11111111',
	'{}', '{NaN}', '"Bob"', string_agg(md5(i::text), '') FROM generate_series(1, 3000) AS i;
CREATE TABLE visit (LIKE adult) PARTITION BY RANGE (id);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES FROM (0) TO (100);
CREATE TABLE visit_2 PARTITION OF visit DEFAULT;
CREATE TABLE few (LIKE adult);
INSERT INTO visit TABLE adult;
INSERT INTO few TABLE adult;

CREATE INDEX ON adult (lower(name));
CREATE INDEX ON adult (age);
CREATE INDEX ON visit (age);
CREATE STATISTICS adult_dependent (mcv, dependencies, ndistinct) ON name, age FROM adult;
CREATE STATISTICS adult_expression ON (age * 2) FROM adult;
CREATE VIEW boss_adult AS SELECT * FROM adult;
CREATE VIEW barrier_adult WITH (security_barrier) AS SELECT * FROM adult WHERE age > 10;
CREATE VIEW invoker_visit WITH (security_invoker) AS SELECT * FROM visit;
CREATE TABLE plain (n int, f float8, t text, d timestamptz, b boolean);
INSERT INTO plain SELECT i, i, 'text ' || i, timestamptz '2020-01-01 00:00+00', i % 2 = 0 FROM generate_series(1, 50) AS i;
CREATE TABLE numbers AS SELECT i AS k FROM generate_series(1, 20) AS i;
ANALYZE plain, numbers;
SET client_min_messages = error;
SELECT dpriv.protect(r, unit => 'row') FROM unnest(ARRAY['adult', 'visit', 'few']::regclass[]) AS r;
SELECT dpriv.trust(r, 'reader') FROM unnest(ARRAY['adult', 'visit', 'few']::regclass[]) AS r;
CREATE VIEW boss_model AS SELECT workclass AS term, gain::float8 AS weight FROM adult;
SELECT dpriv.set_bounds('adult', 'gain', 0, 100);
SELECT dpriv.set_domain('adult', 'workclass', ARRAY['Private', 'State-gov']);
GRANT SELECT ON adult, visit, visit_1, visit_2, few, boss_adult, boss_model, barrier_adult, invoker_visit, plain, numbers TO analyst, reader;
GRANT INSERT ON visit, plain TO analyst;
GRANT UPDATE, DELETE ON adult, visit, few, plain TO analyst;
SELECT dpriv.grant_budget('analyst', r, 1e6, 0.01) FROM unnest(ARRAY['adult', 'visit']::regclass[]) AS r;
SELECT dpriv.grant_budget('analyst', 'few', 20);
SELECT dpriv.grant_budget('observer', 'few', 1e6);
RESET ROLE;
CREATE VIEW super_adult AS SELECT * FROM adult;
GRANT SELECT ON super_adult TO analyst, reader;

SET ROLE analyst;
CREATE VIEW my_adult AS SELECT * FROM adult;
CREATE SEQUENCE counter;
CREATE TABLE kept (id int PRIMARY KEY, name text);
INSERT INTO kept SELECT i, 'x' FROM generate_series(1, 10) AS i;
CREATE DOMAIN young AS int CHECK (value < 42);
CREATE FUNCTION said(anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN RAISE NOTICE ''said %'', $1; RETURN $1; END';
CREATE FUNCTION heard(text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS
	'BEGIN RAISE NOTICE ''heard %'', $1; RETURN true; END';
CREATE FUNCTION same(text, text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN RAISE NOTICE ''same %'', $1; RETURN $1 = $2; END';
CREATE OPERATOR ==== (LEFTARG = text, RIGHTARG = text, FUNCTION = same, RESTRICT = eqsel);
CREATE FUNCTION inverse(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1 / ($1 - 42)';
CREATE FUNCTION rows_of() RETURNS SETOF boss_adult LANGUAGE sql STABLE AS 'SELECT * FROM boss_adult';
CREATE FUNCTION rows_through() RETURNS SETOF boss_adult LANGUAGE sql STABLE AS 'SELECT * FROM rows_of()';
CREATE FUNCTION atomic_rows() RETURNS SETOF boss_adult LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM boss_adult; END;
CREATE FUNCTION count_of() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM boss_adult';
CREATE FUNCTION released_count() RETURNS bigint LANGUAGE sql AS 'SELECT dp_count(*) FROM boss_adult';
CREATE FUNCTION names_of(int) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT name FROM visit WHERE id > $1';
CREATE FUNCTION loop_rows() RETURNS SETOF text LANGUAGE plpgsql AS
	'DECLARE r record; BEGIN FOR r IN SELECT name FROM boss_adult LOOP RETURN NEXT r.name; END LOOP; END';
CREATE TABLE model (term text, weight float8);
INSERT INTO model VALUES ('intercept', -1), ('age', 0.1), ('pay', -1e-3), ('sex=Male', 1), ('sex IS NULL', 9), ('name=Bob\', 5), ('name IS NULL', 0);
CREATE TABLE xy_model AS SELECT * FROM (VALUES ('intercept', -1.0), ('x', 0.1), ('y=Bob', 1), ('y IS NULL', -1)) AS v(term, weight);
CREATE VIEW age_model AS SELECT * FROM model WHERE term IN ('intercept', 'age');
CREATE VIEW reading_model AS SELECT name AS term, age::float8 AS weight FROM boss_adult;
CREATE VIEW releasing_model AS SELECT 'age' AS term, dp_count(*)::float8 AS weight FROM adult;
CREATE TABLE trained AS SELECT i AS id, i % 42 AS age, i % 3 = 0 AS ok FROM generate_series(1, 100) AS i;
CREATE AGGREGATE pile(text) (SFUNC = textcat, STYPE = text);
RESET ROLE;
