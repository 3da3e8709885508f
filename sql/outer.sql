-- Everything above a release is free: it sees released values only.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per count.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TABLE outer_t (id int PRIMARY KEY, age int, flag bool, name text);
INSERT INTO outer_t SELECT i, i % 50, i % 3 = 0, 'n' || i % 10 FROM generate_series(1, 900) i;
CREATE TABLE outer_u AS SELECT * FROM outer_t WHERE id <= 100;
CREATE TABLE outer_public (k int, label text);
INSERT INTO outer_public SELECT i, 'label ' || i FROM generate_series(1, 5) i;

--
-- One query level
--

-- Expressions, aliases, casts; HAVING, ORDER BY, LIMIT and OFFSET on released values.
SELECT dp_count(*) + 1 AS more, -dp_count(*) AS less, dp_count(*)::text || ' rows' AS text,
	dp_count(*) / 7.0 > 100 AS cond,
	CASE WHEN dp_count(*) > 5 THEN 'many' ELSE 'few' END AS class,
	greatest(dp_count(*) FILTER (WHERE age > 1000), 0) AS zero,
	round(dp_sum_clipped(age, 0, 10) / dp_count(age)) AS ratio, ARRAY[dp_count(*), 1] AS list
	FROM outer_t;
SELECT 'enough' AS answer FROM outer_t HAVING dp_count(*) > 800;
SELECT 'enough' AS answer FROM outer_t HAVING dp_count(*) > 900;
SELECT flag, dp_count(*) FROM outer_t GROUP BY flag ORDER BY dp_count(*) DESC LIMIT 2;
SELECT flag, dp_count(*) FROM outer_t GROUP BY flag
	ORDER BY dp_count(*) OFFSET 1 FETCH FIRST 1 ROW ONLY;
SELECT flag, dp_count(*) FROM outer_t GROUP BY flag ORDER BY dp_count(*) LIMIT 1 + 1;
SELECT DISTINCT dp_count(*) > 0 FROM outer_t GROUP BY flag ORDER BY 1;

-- Volatile functions and sets above: one draw all the same.
SELECT generate_series(1, 3) AS n, dp_count(*) FROM outer_t;
SELECT count(DISTINCT c)
	FROM (SELECT generate_series(1, 100), dp_count(outer_t, 0.01) AS c FROM outer_t) r;

-- Windows over released values.
SELECT flag, dp_count(*), lag(dp_count(*)) OVER w AS before, sum(dp_count(*)) OVER () AS total
FROM outer_t GROUP BY flag WINDOW w AS (ORDER BY flag) ORDER BY flag;
SELECT flag, c, row_number() OVER (ORDER BY c DESC)
	FROM (SELECT flag, dp_count(*) AS c FROM outer_t GROUP BY flag) r;

--
-- Several levels
--

-- Subqueries in FROM, joins of every kind with releases and with public tables, UNION and friends.
SELECT a.c, b.c FROM (SELECT dp_count(*) AS c FROM outer_t) a,
	(SELECT dp_count(*) AS c FROM outer_u) b;
SELECT a.flag, a.c, b.c FROM (SELECT flag, dp_count(*) AS c FROM outer_t GROUP BY flag) a
FULL JOIN (SELECT flag, dp_count(*) AS c FROM outer_u GROUP BY flag) b USING (flag)
	WHERE a.flag OR NOT a.flag ORDER BY 1;
SELECT p.label, r.c FROM outer_public p
	LEFT JOIN (SELECT dp_count(*) AS c FROM outer_u) r ON p.k * 25 <= r.c ORDER BY p.k;
SELECT 'all' AS what, dp_count(*) FROM outer_t UNION ALL SELECT 'some', dp_count(*) FROM outer_u
UNION ALL SELECT 'public', count(*) FROM outer_public;
SELECT dp_count(*) FROM outer_t EXCEPT SELECT dp_count(*) FROM outer_u;
SELECT dp_count(*) FROM outer_t INTERSECT SELECT dp_count(*) FROM outer_u;
SELECT sum(c), max(c), count(*) FROM (SELECT dp_count(*) AS c FROM outer_t GROUP BY flag) r;

-- CTEs: used once, twice, materialised or not, recursive above a release.
WITH r AS (SELECT flag, dp_count(*) AS c FROM outer_t GROUP BY flag)
SELECT flag, c, round(100.0 * c / (SELECT sum(c) FROM r), 1) AS percent FROM r ORDER BY flag;
WITH r AS MATERIALIZED (SELECT dp_count(t, 0.01) AS c FROM outer_t t) SELECT a.c = b.c AS same
	FROM r a, r b;
WITH r AS NOT MATERIALIZED (SELECT dp_count(*) AS c FROM outer_t) SELECT a.c, b.c FROM r a, r b;
WITH RECURSIVE r AS (SELECT dp_count(*) AS c, 1 AS n FROM outer_t UNION ALL SELECT c / 2, n + 1
	FROM r WHERE n < 4)
SELECT * FROM r;
WITH RECURSIVE r AS (SELECT 1 AS n, NULL::int8 AS c UNION ALL
	SELECT n + 1, s.c FROM r, (SELECT dp_count(t, 0.01) AS c FROM outer_t t) s WHERE n < 5)
SELECT count(*), count(DISTINCT c) AS draws FROM r WHERE c IS NOT NULL;

-- Scalar subqueries, EXISTS, IN, ANY, ARRAY; in SELECT, WHERE, ORDER BY, HAVING, LIMIT, CASE and in
-- an argument.
SELECT (SELECT dp_count(*) FROM outer_t) - (SELECT dp_count(*) FROM outer_u) AS difference;
SELECT k FROM outer_public WHERE k * 25 > (SELECT dp_count(*) FROM outer_u);
SELECT EXISTS (SELECT FROM outer_t HAVING dp_count(*) > 5),
	EXISTS (SELECT dp_count(*) FROM outer_t HAVING dp_count(*) < 5);
SELECT 100 IN (SELECT dp_count(*) FROM outer_u), 900 = ANY (SELECT dp_count(*) FROM outer_t),
	ARRAY(SELECT dp_count(*) FROM outer_t GROUP BY flag);
SELECT k FROM outer_public ORDER BY abs(k * 50 - (SELECT dp_count(*) FROM outer_u)),
	k LIMIT (SELECT dp_count(*) / 50 FROM outer_u);
SELECT dp_count(*) FROM outer_t HAVING dp_count(*) > (SELECT dp_count(*) FROM outer_u);
SELECT flag, dp_count(*), (SELECT dp_count(*) FROM outer_u) AS u FROM outer_t GROUP BY flag
HAVING dp_count(*) > (SELECT dp_count(*) FROM outer_u) ORDER BY flag;
SELECT generate_series(1, (SELECT dp_count(*) / 30 FROM outer_u)::int);
SELECT * FROM generate_series(1, (SELECT dp_count(*) / 50 FROM outer_u)::int) g;

-- Correlated above the release: the condition is on released values, and the release runs once.
SELECT p.k, (SELECT c + p.k FROM (SELECT dp_count(*) AS c FROM outer_t) r) AS moved
	FROM outer_public p ORDER BY p.k LIMIT 2;
SELECT p.k, (SELECT r.flag FROM (SELECT flag, dp_count(*) AS c FROM outer_t GROUP BY flag) r
	WHERE r.c > p.k * 200 ORDER BY 1 LIMIT 1)
FROM outer_public p ORDER BY p.k;
SELECT p.k, s.more FROM outer_public p, LATERAL (SELECT dp_count(*) + p.k AS more FROM outer_t) s
	ORDER BY p.k LIMIT 2;
SELECT p.k FROM outer_public p
	WHERE EXISTS (SELECT FROM (SELECT dp_count(*) AS c FROM outer_u) r WHERE r.c > p.k * 30)
ORDER BY p.k;
SELECT count(DISTINCT s.c) AS draws FROM outer_public p,
	LATERAL (SELECT dp_count(t, 0.001) + 0 * p.k AS c FROM outer_t t) s;
SELECT p.k, s.k AS same, s.more, s.flag FROM outer_public p LEFT JOIN LATERAL
	(SELECT p.k, flag, dp_count(*) AS c, dp_count(*) + p.k AS more FROM outer_t
	GROUP BY flag) s ON s.c > p.k * 150
ORDER BY p.k, s.flag LIMIT 5;
SELECT count(DISTINCT s.more - p.k) AS draws FROM outer_public p LEFT JOIN LATERAL
	(SELECT dp_count(t, 0.001) + p.k AS more FROM outer_t t) s ON s.more IS NOT NULL;

-- Aggregates of an outer level in a sublink belong to the outer level.
SELECT (SELECT dp_count(a.age)) FROM outer_t a;
SELECT (SELECT dp_count(a.age) + count(*) FROM outer_public) FROM outer_t a;
SELECT flag, (SELECT label FROM outer_public WHERE k = dp_count(a.age) / 150) FROM outer_t a
	GROUP BY flag ORDER BY flag;
SELECT (SELECT (SELECT dp_count(a.*, 1000))) FROM outer_t a;

--
-- Stored and kept
--

-- Views over releases: with conditions above, in views, with other releases.
CREATE VIEW outer_v AS SELECT flag, dp_count(*) AS c, dp_avg(age, 0, 50) AS m FROM outer_t
	GROUP BY flag;
CREATE VIEW outer_vv AS SELECT sum(c) AS total FROM outer_v;
SELECT flag, c FROM outer_v WHERE c > 100 ORDER BY c;
SELECT total FROM outer_vv;
SELECT a.c = b.c AS equal FROM outer_v a JOIN outer_v b ON a.flag = b.flag ORDER BY a.flag;

-- CREATE TABLE AS, SELECT INTO, INSERT, materialised views and their refresh.
CREATE TABLE outer_ctas AS SELECT flag, dp_count(*) AS c FROM outer_t GROUP BY flag;
SELECT * FROM outer_ctas ORDER BY flag;
SELECT dp_count(*) AS c INTO outer_into FROM outer_t;
INSERT INTO outer_into SELECT dp_count(*) FROM outer_u RETURNING c;
INSERT INTO outer_into VALUES ((SELECT dp_count(*) FROM outer_u)), (3);
WITH r AS (SELECT dp_count(*) AS c FROM outer_u) INSERT INTO outer_into SELECT c + 1 FROM r;
SELECT * FROM outer_into ORDER BY c;
CREATE MATERIALIZED VIEW outer_m AS SELECT dp_count(*) AS c FROM outer_u;
SELECT * FROM outer_m;
INSERT INTO outer_u SELECT 1000 + i FROM generate_series(1, 10) i;
REFRESH MATERIALIZED VIEW outer_m;
SELECT * FROM outer_m;

-- COPY.
COPY (SELECT flag, dp_count(*) FROM outer_t GROUP BY flag ORDER BY flag) TO STDOUT;

-- Cursors: forward, backward, absolute, from the end, held beyond the transaction; one draw for all
-- of them.
BEGIN;
DECLARE outer_c SCROLL CURSOR FOR SELECT flag, dp_count(*) FROM outer_t GROUP BY flag;
FETCH 2 FROM outer_c;
FETCH BACKWARD 1 FROM outer_c;
FETCH LAST FROM outer_c;
FETCH ABSOLUTE 1 FROM outer_c;
FETCH PRIOR FROM outer_c;
FETCH ALL FROM outer_c;
FETCH BACKWARD ALL FROM outer_c;
MOVE 1 FROM outer_c;
FETCH NEXT FROM outer_c;
CLOSE outer_c;
DECLARE outer_back SCROLL CURSOR FOR SELECT flag, dp_count(*) FROM outer_t GROUP BY flag;
FETCH BACKWARD 1 FROM outer_back;
FETCH FIRST FROM outer_back;
DECLARE outer_hold CURSOR WITH HOLD FOR SELECT dp_count(*) FROM outer_u;
COMMIT;
FETCH outer_hold;
CLOSE outer_hold;
BEGIN;
DECLARE outer_same SCROLL CURSOR FOR SELECT dp_count(t, 0.001) AS c FROM outer_t t;
FETCH outer_same \gset first_
FETCH ABSOLUTE 1 FROM outer_same \gset second_
SELECT :first_c = :second_c AS same;
COMMIT;

-- Prepared statements: parameters in WHERE, in FILTER and as epsilon, under custom and generic
-- plans.
PREPARE outer_p(int, float8, text) AS
	SELECT dp_count(t, $2), dp_count(*) FILTER (WHERE name = $3), $1 AS one FROM outer_t t
	WHERE age > $1;
EXECUTE outer_p(40, 1000, 'n1');
EXECUTE outer_p(10, 999, 'n2');
SET plan_cache_mode = force_generic_plan;
EXECUTE outer_p(40, 1000, 'n1');
EXECUTE outer_p(10, 999, 'n2');
EXECUTE outer_p(NULL, 1000, NULL);
SET plan_cache_mode = force_custom_plan;
EXECUTE outer_p(40, 1000, 'n1');
EXECUTE outer_p(NULL, 1000, NULL);
RESET plan_cache_mode;
SELECT count(*) FROM outer_t WHERE age > 10 AND name = 'n2';

--
-- Functions
--

-- PL/pgSQL: variables in WHERE, as bounds, as epsilon; loops, INTO, dynamic SQL with USING; RETURN
-- QUERY.
CREATE FUNCTION outer_pl(least_age int, e float8) RETURNS TABLE (what text, c int8) LANGUAGE plpgsql AS $$
DECLARE
	row record;
	upper_bound int := 10;
BEGIN
	what := 'variable';
	SELECT dp_count(t, e) INTO c FROM outer_t t WHERE age > least_age;
	RETURN NEXT;
	what := 'assignment';
	c := (SELECT dp_sum_clipped(age, 0, upper_bound, e) FROM outer_t);
	RETURN NEXT;
	what := 'loop';
	FOR row IN SELECT flag, dp_count(*) AS n FROM outer_t GROUP BY flag ORDER BY flag LOOP
		c := row.n;
		RETURN NEXT;
	END LOOP;
	what := 'dynamic';
	EXECUTE 'SELECT dp_count(t, $1) FROM outer_t t WHERE age > $2' INTO c USING e, least_age;
	RETURN NEXT;
	RETURN QUERY SELECT 'query', dp_count(*) FROM outer_t WHERE age > least_age;
	what := 'found';
	PERFORM dp_count(*) FROM outer_t HAVING dp_count(*) > 1000;
	c := CASE WHEN FOUND THEN 1 ELSE 0 END;
	RETURN NEXT;
END
$$;
SELECT * FROM outer_pl(40, 1000);
SELECT count(*) FROM outer_t WHERE age > 40;
DO $$ BEGIN FOR i IN 1..10 LOOP PERFORM * FROM outer_pl(i, 1000); END LOOP; END $$;

-- SQL functions: inlined (also two deep) and not; a release inside of them or around them.
CREATE FUNCTION outer_sql(int) RETURNS TABLE (c int8) LANGUAGE sql STABLE
	AS 'SELECT dp_count(*) FROM public.outer_t WHERE age > $1';
CREATE FUNCTION outer_sql2() RETURNS SETOF int8 LANGUAGE sql STABLE AS 'SELECT c FROM public.outer_sql(40) WHERE c > 3';
CREATE FUNCTION outer_scalar(int) RETURNS int8 LANGUAGE sql VOLATILE
	AS 'SELECT dp_count(*) FROM public.outer_t WHERE age > $1';
CREATE FUNCTION outer_atomic() RETURNS TABLE (f bool, c int8) LANGUAGE sql STABLE
	BEGIN ATOMIC SELECT flag, dp_count(*) FROM outer_t GROUP BY flag; END;
SELECT * FROM outer_sql(40);
SELECT * FROM outer_sql2() x;
SELECT outer_scalar(40), outer_scalar(10);
SELECT * FROM outer_atomic() ORDER BY f;
SELECT count(*) FROM outer_atomic();
SELECT p.k, s.c FROM outer_public p, outer_sql(20) s ORDER BY p.k LIMIT 2;

-- A trigger may release too.
CREATE TABLE outer_log (at int, c int8);
CREATE FUNCTION outer_trigger() RETURNS trigger LANGUAGE plpgsql
	AS 'BEGIN INSERT INTO outer_log SELECT NEW.k, dp_count(*) FROM outer_u; RETURN NEW; END';
CREATE TRIGGER outer_trigger BEFORE INSERT ON outer_public FOR EACH ROW EXECUTE FUNCTION outer_trigger();
INSERT INTO outer_public VALUES (6, 'six');
SELECT * FROM outer_log;

SET client_min_messages = warning;
DROP TABLE outer_t, outer_u, outer_public, outer_ctas, outer_into, outer_log CASCADE;
DROP FUNCTION outer_pl, outer_sql, outer_sql2, outer_scalar, outer_trigger;
