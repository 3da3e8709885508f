-- dp_count: every way to write it counts what count() counts.
--
-- At epsilon 1000 the noise of a count is zero but for a probability of 2 e^-1000, so answers are
-- compared exactly.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TYPE count_level AS ENUM ('low', 'middle', 'high', 'never used');
CREATE TABLE count_t (id int PRIMARY KEY, age int, name text, level count_level, flag bool,
	weight float8);
INSERT INTO count_t
SELECT i, nullif(i % 50, 0), 'n' || i % 10,
	CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'low' WHEN 2 THEN 'middle' ELSE 'high' END::count_level,
	CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END, i / 8.0
FROM generate_series(1, 1000) i;
INSERT INTO count_t SELECT 1000 + i FROM generate_series(1, 7) i;	-- nothing but NULL
CREATE TABLE count_empty (LIKE count_t);

--
-- Spellings
--

-- Rows: the star, whole rows with and without the star, through an alias, also rows of NULLs.
SELECT count(*) FROM count_t;
SELECT dp_count(*) FROM count_t;
SELECT dp_count(count_t) FROM count_t;
SELECT dp_count(count_t, 1000) FROM count_t;
SELECT dp_count(count_t.*, 1000) FROM count_t;
SELECT dp_count(a) FROM count_t a;
SELECT dp_count(a.*, 999.5) FROM count_t AS a;
SELECT dp_count(public.count_t.*, 1000) FROM public.count_t;

-- The epsilon argument is not a second value to count, and wins over the setting.
SET dpriv.epsilon = 0;
SELECT dp_count(count_t, 1000), dp_count(age, 1000), dp_count(DISTINCT age, 1000) FROM count_t;
SET dpriv.epsilon = 1000;

-- Values: NULL is not counted.
SELECT count(age), count(name), count(level), count(flag), count(weight), count(1), count(NULL),
	count('x') FROM count_t;
SELECT dp_count(age), dp_count(name), dp_count(level), dp_count(flag), dp_count(weight),
	dp_count(1),
	dp_count(NULL), dp_count('x') FROM count_t;

-- Expressions, conditions and types without a cast to a number.
SELECT dp_count(nullif(age, 7)), dp_count(age > 40 OR NULL), dp_count(ARRAY[age]),
	dp_count(ROW(age, name)),
	dp_count(to_jsonb(name)), dp_count(CASE WHEN flag THEN 1 END) FROM count_t;
SELECT count(nullif(age, 7)), count(age > 40 OR NULL), count(ARRAY[age]), count(ROW(age, name)),
	count(to_jsonb(name)), count(CASE WHEN flag THEN 1 END) FROM count_t;

-- DISTINCT counts values, not rows; collations and types with several spellings of a value as
-- count() does.
SELECT count(DISTINCT age), count(DISTINCT name), count(DISTINCT level), count(DISTINCT flag),
	count(DISTINCT name COLLATE "C"), count(DISTINCT (age % 3)::numeric(10, 2)) FROM count_t;
SELECT dp_count(DISTINCT age), dp_count(DISTINCT name), dp_count(DISTINCT level),
	dp_count(DISTINCT flag, 1000),
	dp_count(DISTINCT name COLLATE "C"), dp_count(DISTINCT (age % 3)::numeric(10, 2)) FROM count_t;

-- FILTER, alone and on top of WHERE.
SELECT count(*) FILTER (WHERE age > 40), count(age) FILTER (WHERE flag),
	count(DISTINCT name) FILTER (WHERE age < 4),
	count(*) FILTER (WHERE NULL), count(*) FILTER (WHERE false) FROM count_t WHERE id > 100;
SELECT dp_count(*) FILTER (WHERE age > 40), dp_count(age) FILTER (WHERE flag),
	dp_count(DISTINCT name) FILTER (WHERE age < 4), dp_count(*) FILTER (WHERE NULL),
	dp_count(count_t, 1000) FILTER (WHERE false) FROM count_t WHERE id > 100;

-- ALL is the default; redundant parentheses; a schema in front.
SELECT dp_count(ALL age), (dp_count((age))), public.dp_count(age) FROM count_t;

--
-- Sources
--
CREATE VIEW count_view AS SELECT id, age, flag AS vip FROM count_t WHERE age IS NOT NULL;
CREATE VIEW count_view_of_view WITH (security_barrier) AS SELECT age * 2 AS double_age
	FROM count_view WHERE vip;
CREATE MATERIALIZED VIEW count_matview AS SELECT * FROM count_t WHERE flag;
CREATE TABLE count_parts (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE count_parts_1 PARTITION OF count_parts FOR VALUES FROM (0) TO (10);
CREATE TABLE count_parts_2 PARTITION OF count_parts FOR VALUES
	FROM (10) TO (20) PARTITION BY LIST (v);
CREATE TABLE count_parts_21 PARTITION OF count_parts_2 DEFAULT;
INSERT INTO count_parts SELECT i % 20, i FROM generate_series(1, 200) i;
CREATE TABLE count_parent (x int);
CREATE TABLE count_child (y int) INHERITS (count_parent);
INSERT INTO count_parent VALUES (1), (2);
INSERT INTO count_child VALUES (3, 3), (4, 4), (5, 5);

-- Views, views of views, subqueries and CTEs that filter and project: whole rows of all of them
-- too.
SELECT count(*) FROM count_view;
SELECT dp_count(*), dp_count(v), dp_count(v.*, 1000) FROM count_view v;
SELECT count(*) FROM count_view_of_view;
SELECT dp_count(double_age) FROM count_view_of_view;
SELECT dp_count(s), dp_count(s.*, 1000) FROM (SELECT age, flag FROM count_t WHERE age > 40) s;
WITH c AS (SELECT * FROM count_t WHERE age > 40), d AS MATERIALIZED (SELECT age FROM c WHERE flag)
SELECT dp_count(d) FROM d;
SELECT count(*) FROM count_t WHERE age > 40 AND flag;

-- Partitions, inheritance with and without ONLY, materialised views.
SELECT dp_count(*), dp_count(v) FILTER (WHERE k < 5) FROM count_parts;
SELECT dp_count(*) FROM count_parts WHERE k >= 10;
SELECT dp_count(*) FROM count_parent;
SELECT dp_count(*) FROM ONLY count_parent;
SELECT dp_count(*) FROM count_matview;

-- Functions and VALUES.
SELECT dp_count(*), dp_count(g) FROM generate_series(1, 100) g;
SELECT dp_count(*), dp_count(x), dp_count(v) FROM (VALUES (1), (NULL), (3)) v(x);
SELECT dp_count(v.*, 1000) FROM (VALUES (NULL, NULL), (1, NULL)) v(x, y);

--
-- Nothing there: zero and never NULL
--
SELECT dp_count(*), dp_count(age), dp_count(DISTINCT age), dp_count(e),
	dp_count(*) FILTER (WHERE flag)
FROM count_empty e;
SELECT dp_count(*), dp_count(age), dp_count(DISTINCT age) FROM count_t WHERE age > 1000;
SELECT dp_count(*), dp_count(age), dp_count(DISTINCT age) FROM count_t WHERE false;

--
-- The noise
--

-- Noise there is: 200 counts at epsilon 0.1 are all the same with a probability below 0.05^199.
CREATE TABLE count_draws (c int8);
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		INSERT INTO count_draws SELECT dp_count(count_t, 0.1) FROM count_t;
	END LOOP;
END
$$;
SELECT count(DISTINCT c) > 1 AS differ FROM count_draws;

-- Counts are not clamped: of 200 answers of an empty table half are negative, all of them or none
-- with a probability below 2 * 0.53^200.
DO $$
BEGIN
	TRUNCATE count_draws;
	FOR i IN 1..200 LOOP
		INSERT INTO count_draws SELECT dp_count(e, 0.1) FROM count_empty e;
	END LOOP;
END
$$;
SELECT bool_or(c < 0) AS below, bool_or(c > 0) AS above FROM count_draws;

-- A lone number is not an epsilon: every row would be counted, at the setting's.
SELECT dp_count(0.5) FROM count_t;
SELECT dp_count(5e-1::float8) FROM count_t;

SET client_min_messages = warning;
DROP TABLE count_t, count_empty, count_parts, count_parent, count_draws CASCADE;
DROP TYPE count_level;
