-- dp_mode, dp_top_k: the most frequent of given categories; they answer whatever the rows are.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- The best category but for a probability of e^-1000 per row that it is ahead.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TYPE mode_level AS ENUM ('low', 'middle', 'high');
CREATE DOMAIN mode_code AS varchar(10) CHECK (length(value) > 0);
CREATE TABLE mode_t (id int, name text, v varchar(20), c char(5), code mode_code, level mode_level,
	flag bool);
INSERT INTO mode_t
SELECT i, n, n, n, n, CASE i % 5 WHEN 0 THEN 'low' WHEN 1 THEN 'high' WHEN 2 THEN 'high' END::mode_level,
	i % 2 = 0
FROM generate_series(1, 400) i, LATERAL (SELECT 'n' || floor(sqrt(i))::int % 4 AS n) l;
INSERT INTO mode_t SELECT 400 + i FROM generate_series(1, 500) i;	-- nothing but NULL
CREATE TABLE mode_empty (LIKE mode_t);

SELECT name, count(*) FROM mode_t GROUP BY name ORDER BY count(*) DESC;

-- The most frequent of the categories given; other values and NULL count nowhere.
SELECT dp_mode(name, ARRAY['n0', 'n1', 'n2', 'n3']), dp_mode(name, ARRAY['n0', 'n1', 'n2']),
	dp_mode(name, ARRAY['n1', 'n0', 'nobody'], 1000), dp_mode(name, ARRAY['nobody']) FROM mode_t;
SELECT dp_top_k(name, ARRAY['n0', 'n1', 'n2', 'n3'], 4), dp_top_k(name, ARRAY['n0', 'n1', 'n2'], 2),
	dp_top_k(name, ARRAY['n1', 'n0', 'nobody'], 3, 1000), dp_top_k(name, ARRAY['nobody'], 1)
FROM mode_t;

-- Every type of text, and enum labels.
SELECT dp_mode(v, ARRAY['n1', 'n3']), dp_mode(c, ARRAY['n1', 'n3']), dp_mode(code, ARRAY['n1', 'n3']),
	dp_mode(level, ARRAY['low', 'middle', 'high', 'no label']),
	dp_mode(level, ARRAY['low', 'middle'], 1000) FROM mode_t;
SELECT dp_top_k(v, ARRAY['n1', 'n3'], 2), dp_top_k(c, ARRAY['n1', 'n3'], 1),
	dp_top_k(code, ARRAY['n1', 'n3'], 1),
	dp_top_k(level, ARRAY['low', 'middle', 'high'], 2, 1000) FROM mode_t;
SELECT pg_typeof(dp_mode(level, ARRAY['low'])), pg_typeof(dp_top_k(level, ARRAY['low'], 1)) FROM mode_t;

-- Bytes decide; an empty category is one, texts may be long.
SELECT dp_mode(x, ARRAY['a', 'A', 'a ', '', repeat('long', 1000)]) = repeat('long', 1000) AS long,
	dp_mode(x, ARRAY['a', 'A', 'a ', '']) = '' AS empty,
	dp_mode(x, ARRAY['a', 'A', 'a ', 'ä']) AS a
FROM (VALUES (''), (''), (''), ('a'), ('A'), ('A'), ('ä'), (NULL), (repeat('long', 1000)),
	(repeat('long', 1000)), (repeat('long', 1000)), (repeat('long', 1000))) v(x);

-- FILTER, expressions, GROUP BY with HAVING and ORDER BY, text functions above.
SELECT dp_mode(upper(name), ARRAY['N1', 'N2']) FILTER (WHERE flag) FROM mode_t;
SELECT level, dp_mode(name, ARRAY['n1', 'n3']) IN ('n1', 'n3') AS mode,
	cardinality(dp_top_k(name, ARRAY['n1', 'n3'], 2)) AS top
FROM mode_t GROUP BY level HAVING dp_mode(name, ARRAY['n1', 'n3']) IS NOT NULL ORDER BY level DESC;
SELECT rank, name FROM unnest((SELECT dp_top_k(name, ARRAY['n0', 'n1', 'n2', 'n3'], 3) FROM mode_t))
	WITH ORDINALITY AS t(name, rank) ORDER BY rank;
SELECT upper(dp_mode(name, ARRAY['n1', 'n3'])) || '!' AS loud FROM mode_t;

-- Parameters, custom and generic.
PREPARE mode_of(text[], int, float8) AS SELECT dp_mode(name, $1, $3), dp_top_k(name, $1, $2, $3) FROM mode_t;
EXECUTE mode_of(ARRAY['n1', 'n3'], 2, 1000);
EXECUTE mode_of(ARRAY['n0', 'n1'], 1, 999);
SET plan_cache_mode = force_generic_plan;
EXECUTE mode_of(ARRAY['n1', 'n3'], 2, 1000);
EXECUTE mode_of(ARRAY['n0', 'n1'], 1, 999);
EXECUTE mode_of(ARRAY['n0', 'n1'], 3, 1);
RESET plan_cache_mode;
DEALLOCATE mode_of;

-- Without rows, or with ties, it answers by chance, any category (each in 10 .. 100 of 200 answers
-- but for a probability below 1e-12); the k are always different.
CREATE TABLE mode_answers (answer text, top text[]);
DO $$
BEGIN
	FOR i IN 1 .. 200 LOOP
		INSERT INTO mode_answers SELECT dp_mode(name, ARRAY['a', 'b', 'c', 'd']),
			dp_top_k(name, ARRAY['a', 'b', 'c', 'd'], 3) FROM mode_empty;
	END LOOP;
END
$$;
SELECT answer, count(*) BETWEEN 10 AND 100 AS sometimes FROM mode_answers GROUP BY answer ORDER BY answer;
SELECT top[1] AS first, count(*) BETWEEN 10 AND 100 AS sometimes FROM mode_answers GROUP BY 1 ORDER BY 1;
SELECT count(*) AS answers, count(*) FILTER (WHERE (SELECT count(DISTINCT u) FROM unnest(top) u) = 3) AS different
FROM mode_answers;
TRUNCATE mode_answers;

-- At a moderate epsilon the better of two, n ahead, loses with probability e^(-n epsilon) / 2: here
-- e^-1 / 2 = 0.184 of 2000; outside of 250 .. 490 with a probability below 1e-11.
DO $$
BEGIN
	FOR i IN 1 .. 2000 LOOP
		INSERT INTO mode_answers SELECT dp_mode(x, ARRAY['a', 'b'], 0.1)
		FROM (SELECT CASE WHEN g <= 15 THEN 'a' ELSE 'b' END FROM generate_series(1, 20) g) v(x);
	END LOOP;
END
$$;
SELECT count(*) FILTER (WHERE answer = 'b') BETWEEN 250 AND 490 AS as_promised FROM mode_answers;

-- The charge: one epsilon, whatever k is; equal measures are one choice.
SELECT dpriv.session_spent()::numeric AS before \gset
SELECT dp_top_k(name, ARRAY['a', 'b', 'c'], 3, 0.5) = dp_top_k(name, ARRAY['a', 'b', 'c'], 3, 0.5) AS equal
FROM mode_empty;
SELECT dpriv.session_spent()::numeric - :before AS cost;

EXPLAIN (COSTS OFF) SELECT dp_mode(name, ARRAY['n1', 'n3'], 0.5), dp_top_k(level, ARRAY['low', 'high'], 2, 0.25)
FROM mode_t;

-- Many categories: the number of choices times the categories is bounded.
DO $$
DECLARE
	categories text[] := ARRAY(SELECT e::text FROM generate_series(1, 65536) e ORDER BY e);
BEGIN
	INSERT INTO mode_answers SELECT dp_mode(name, categories), dp_top_k(name, categories, 5) FROM mode_empty;
	INSERT INTO mode_answers SELECT NULL, dp_top_k(name, categories, 257) FROM mode_empty;
END
$$;

-- Refused.
SELECT dp_mode(name, '{}'::text[]) FROM mode_t;
SELECT dp_mode(name, ARRAY['n1', 'n1']) FROM mode_t;
SELECT dp_mode(name, ARRAY['n1', NULL]) FROM mode_t;
SELECT dp_mode(name, NULL::text[]) FROM mode_t;
SELECT dp_mode(name, ARRAY['n1'], NULL) FROM mode_t;
SELECT dp_mode(name, ARRAY[name]) FROM mode_t;
SELECT dp_mode(DISTINCT name, ARRAY['n1']) FROM mode_t;
SELECT dp_top_k(name, ARRAY['n1', 'n2'], 0) FROM mode_t;
SELECT dp_top_k(name, ARRAY['n1', 'n2'], 3) FROM mode_t;
SELECT dp_top_k(name, ARRAY['n1', 'n2'], NULL) FROM mode_t;
SELECT dp_top_k(name, ARRAY['n1', 'n2'], id) FROM mode_t;
SELECT dp_top_k(name, ARRAY['n1', 'n2'], 1.5) FROM mode_t;
SELECT dp_error(dp_mode(name, ARRAY['n1', 'n2'])) FROM mode_t;
SELECT dp_error(dp_top_k(level, ARRAY['low', 'high'], 1), 0.9) FROM mode_t;
SELECT dp_mode(name, ARRAY['n1']) OVER () FROM mode_t;

SET client_min_messages = warning;
DROP TABLE mode_t, mode_empty, mode_answers;
DROP DOMAIN mode_code;
DROP TYPE mode_level;
