-- dp_avg: the mean of clipped values, always between the bounds, by both methods.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

-- joint: each of the two sums has noise of scale (upper - lower) / 1000, which exceeds a tenth of
-- the range with a probability of e^-100, so the mean of n values is off by less than a quarter of
-- the range / n. split: half of epsilon each; the same bound holds, in units of the largest bound,
-- but for a probability of 2 e^-50.
CREATE TABLE avg_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8);
INSERT INTO avg_t
SELECT i, i % 13 - 4, i % 13 - 4, i % 13 - 4, (i % 13 - 4) * 0.25, (i % 13 - 4) * 0.25,
	(i % 13 - 4) * 0.25
FROM generate_series(1, 1000) i;
INSERT INTO avg_t SELECT 1000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
-- greatest() ignores NULL, a mean must as well
CREATE VIEW avg_values AS SELECT * FROM avg_t WHERE i4 IS NOT NULL;
CREATE TABLE avg_empty (LIKE avg_t);
CREATE DOMAIN avg_int4 AS int;
CREATE DOMAIN avg_int8 AS bigint CHECK (VALUE < 1000);

CREATE FUNCTION avg_check() RETURNS TABLE (what text, close bool) LANGUAGE plpgsql AS $$
DECLARE
	e float8;
BEGIN
	SELECT avg(least(greatest(i4, -2), 6)) INTO e FROM avg_values;
	RETURN QUERY SELECT v.* FROM (
		SELECT dp_avg(i2, -2, 6) AS i2, dp_avg(i4, -2, 6) AS i4, dp_avg(i8, -2, 6, 1000) AS i8
		FROM avg_t) a,
		LATERAL (VALUES ('smallint', abs(i2 - e) < 0.002), ('integer', abs(i4 - e) < 0.002),
			('bigint', abs(i8 - e) < 0.002)) v;
	RETURN QUERY SELECT 'domains', abs(m4 - e) < 0.002 AND abs(m8 - e) < 0.002
	FROM (SELECT dp_avg(i4::avg_int4, -2, 6), dp_avg(i8::avg_int8, -2, 6) FROM avg_t) a(m4, m8);
	SELECT avg(least(greatest(d, -0.5), 1.5)) INTO e FROM avg_values;
	RETURN QUERY SELECT v.* FROM (
		SELECT dp_avg(n, -0.5, 1.5) AS n, dp_avg(r, -0.5, 1.5) AS r,
		dp_avg(d, -0.5, 1.5, 1000) AS d FROM avg_t) a,
		LATERAL (VALUES ('numeric', abs(n - e) < 0.0005), ('real', abs(r - e) < 0.0005),
			('double precision', abs(d - e) < 0.0005)) v;
	SELECT avg(least(greatest(i4, 2), 6)) INTO e FROM avg_values;
	RETURN QUERY SELECT 'bounds of one sign', abs(m - e) < 0.002
	FROM (SELECT dp_avg(i4, 2, 6) FROM avg_t) a(m);
	SELECT avg(least(greatest(i4, -6), -2)) INTO e FROM avg_values;
	RETURN QUERY SELECT 'negative bounds', abs(m - e) < 0.002
	FROM (SELECT dp_avg(i4, -6, -2) FROM avg_t) a(m);
	SELECT avg(least(greatest(i4, 0), 5)) FILTER (WHERE id % 2 = 0) INTO e FROM avg_values;
	RETURN QUERY SELECT 'FILTER', abs(m - e) < 0.005
	FROM (SELECT dp_avg(i4, 0, 5) FILTER (WHERE id % 2 = 0) FROM avg_t) a(m);
	RETURN QUERY SELECT 'integers at the ends of int8', abs(m - 2.0) < 0.7
	FROM (SELECT dp_avg(x, -2, 6)
	FROM (VALUES (9223372036854775807), (-9223372036854775808), (2), (NULL)) v(x)) a(m);
	RETURN QUERY SELECT 'adversarial doubles', abs(m - 1.5625) < 0.25
	FROM (SELECT dp_avg(x, -2, 6)
	FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('-0'), ('5e-324'),
		('1.7976931348623157e308'), ('-1.7976931348623157e308'), ('4.5'), (NULL)) v(x)) a(m);
	RETURN QUERY SELECT 'numerics beyond doubles', abs(m - 5.0 / 3) < 0.7
	FROM (SELECT dp_avg(x, -2, 6) FROM (VALUES (1e400), (-1e400), (1.0), (NULL)) v(x)) a(m);
END
$$;

-- The mean of every numeric type, and of the values that break naive means.
SELECT * FROM avg_check();

-- The same with half of epsilon for the sum and half for the count.
SET dpriv.avg_method = split;
SELECT * FROM avg_check();
RESET dpriv.avg_method;

-- All rows at a bound: the answer stays within the bounds, whatever the noise.
CREATE TABLE avg_draws (m float8);
DO $$
BEGIN
	FOR i IN 1..100 LOOP
		INSERT INTO avg_draws SELECT dp_avg(x, 0, 1, 0.1) FROM (VALUES (5), (7)) v(x);
		SET dpriv.avg_method = split;
		INSERT INTO avg_draws SELECT dp_avg(x, 0, 1, 0.1) FROM (VALUES (5), (7)) v(x);
		RESET dpriv.avg_method;
	END LOOP;
END
$$;
SELECT bool_and(m BETWEEN 0 AND 1) AS within, count(*) FROM avg_draws;

-- Nothing there: a number between the bounds, never NULL.
SELECT dp_avg(i4, 17, 90) BETWEEN 17 AND 90, dp_avg(d, 17, 90) BETWEEN 17 AND 90,
	dp_avg(NULL, 17, 90) BETWEEN 17 AND 90 FROM avg_empty;
SELECT dp_avg(i4, 17, 90) BETWEEN 17 AND 90 FROM avg_t WHERE id > 1000;
SELECT dp_avg(i4, 17, 90) FILTER (WHERE false) BETWEEN 17 AND 90 FROM avg_t;
SET dpriv.avg_method = split;
SELECT dp_avg(i4, 17, 90) BETWEEN 17 AND 90, dp_avg(d, -90, -17) BETWEEN -90 AND -17 FROM avg_empty;
RESET dpriv.avg_method;

-- Both methods cost the epsilon that was asked for.
SELECT dpriv.session_spent() AS before \gset
SELECT dp_avg(i4, 0, 10, 0.3) IS NOT NULL FROM avg_t;
SET dpriv.avg_method = split;
SELECT dp_avg(i4, 0, 10, 0.3) IS NOT NULL FROM avg_t;
RESET dpriv.avg_method;
SELECT (dpriv.session_spent()::numeric - :before)::numeric(10, 6) AS cost;

-- The method counts when the statement is executed, not when it is planned: EXPLAIN tells which it
-- is.
SET plan_cache_mode = force_generic_plan;
PREPARE avg_prepared AS SELECT dp_avg(i4, 0, 10, 1) FROM avg_t;
EXPLAIN (COSTS OFF) EXECUTE avg_prepared;
SET dpriv.avg_method = split;
EXPLAIN (COSTS OFF) EXECUTE avg_prepared;
DEALLOCATE avg_prepared;
RESET dpriv.avg_method;
RESET plan_cache_mode;

-- The joint method has half of the split method's variance or less: means of 400 squared errors
-- each.  Their ratio is around 1/7 here and stays below 1 but for a probability below 1e-9.
CREATE TABLE avg_errors (method text, error float8);
DO $$
DECLARE
	truth float8;
BEGIN
	SELECT avg(i4 + 4) INTO truth FROM avg_values;
	FOR i IN 1..400 LOOP
		INSERT INTO avg_errors SELECT 'joint', m - truth
		FROM (SELECT dp_avg(i4 + 4, 0, 20, 0.5) FROM avg_t) a(m);
		SET dpriv.avg_method = split;
		INSERT INTO avg_errors SELECT 'split', m - truth
		FROM (SELECT dp_avg(i4 + 4, 0, 20, 0.5) FROM avg_t) a(m);
		RESET dpriv.avg_method;
	END LOOP;
END
$$;
SELECT avg(error ^ 2) FILTER (WHERE method = 'joint') < avg(error ^ 2) FILTER (WHERE method = 'split') AS better
FROM avg_errors;

SET client_min_messages = warning;
DROP TABLE avg_t, avg_empty, avg_draws, avg_errors CASCADE;
DROP FUNCTION avg_check;
DROP DOMAIN avg_int4, avg_int8;
