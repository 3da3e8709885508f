-- dp_variance and dp_stddev: spread of clipped values, always within what the bounds allow.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

-- Three sums with noise of scale 1 / 1000, in units of one row at a bound: more than a tenth only with
-- a probability of 3 e^-100.  With R = upper - lower and n rows the variance is then off by less than
-- (R / 2)^2 (4 + 4 + 2) 0.1 / n, which is R^2 / (4 n), and a little more if n is small.
CREATE TABLE variance_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8);
INSERT INTO variance_t
SELECT i, i % 13 - 4, i % 13 - 4, i % 13 - 4, (i % 13 - 4) * 0.25, (i % 13 - 4) * 0.25,
	(i % 13 - 4) * 0.25
FROM generate_series(1, 1000) i;
INSERT INTO variance_t SELECT 1000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
CREATE VIEW variance_values AS SELECT * FROM variance_t WHERE i4 IS NOT NULL;
CREATE TABLE variance_empty (LIKE variance_t);
CREATE DOMAIN variance_domain AS int CHECK (VALUE < 100);

CREATE FUNCTION variance_check() RETURNS TABLE (what text, variance bool, stddev bool) LANGUAGE plpgsql AS $$
DECLARE
	v float8;
	s float8;
BEGIN
	SELECT var_pop(least(greatest(i4, -2), 6)), stddev_pop(least(greatest(i4, -2), 6)) INTO v, s FROM variance_values;
	RETURN QUERY SELECT q.* FROM (
		SELECT dp_variance(i2, -2, 6) AS a2, dp_variance(i4, -2, 6) AS a4, dp_variance(i8, -2, 6, 1000) AS a8,
			dp_stddev(i2, -2, 6) AS s2, dp_stddev(i4, -2, 6) AS s4, dp_stddev(i8, -2, 6, 1000) AS s8,
			dp_variance(i4::variance_domain, -2, 6) AS ad, dp_stddev(i4::variance_domain, -2, 6) AS sd
		FROM variance_t) a,
		LATERAL (VALUES ('smallint', abs(a2 - v) < 0.02, abs(s2 - s) < 0.02),
			('integer', abs(a4 - v) < 0.02, abs(s4 - s) < 0.02),
			('bigint', abs(a8 - v) < 0.02, abs(s8 - s) < 0.02),
			('a domain', abs(ad - v) < 0.02, abs(sd - s) < 0.02)) q;
	SELECT var_pop(least(greatest(d, -0.5), 1.5)), stddev_pop(least(greatest(d, -0.5), 1.5)) INTO v, s
	FROM variance_values;
	RETURN QUERY SELECT q.* FROM (
		SELECT dp_variance(n, -0.5, 1.5) AS an, dp_variance(r, -0.5, 1.5) AS ar, dp_variance(d, -0.5, 1.5, 1000) AS ad,
			dp_stddev(n, -0.5, 1.5) AS sn, dp_stddev(r, -0.5, 1.5) AS sr, dp_stddev(d, -0.5, 1.5, 1000) AS sd
		FROM variance_t) a,
		LATERAL (VALUES ('numeric', abs(an - v) < 0.002, abs(sn - s) < 0.002),
			('real', abs(ar - v) < 0.002, abs(sr - s) < 0.002),
			('double precision', abs(ad - v) < 0.002, abs(sd - s) < 0.002)) q;
	SELECT var_pop(least(greatest(i4, 2), 6)), stddev_pop(least(greatest(i4, 2), 6)) INTO v, s FROM variance_values;
	RETURN QUERY SELECT 'bounds of one sign', abs(a - v) < 0.005, abs(b - s) < 0.005
	FROM (SELECT dp_variance(i4, 2, 6), dp_stddev(i4, 2, 6) FROM variance_t) q(a, b);
	SELECT var_pop(least(greatest(i4, -6), -2)), stddev_pop(least(greatest(i4, -6), -2)) INTO v, s FROM variance_values;
	RETURN QUERY SELECT 'negative bounds', abs(a - v) < 0.005, abs(b - s) < 0.01
	FROM (SELECT dp_variance(i4, -6, -2), dp_stddev(i4, -6, -2) FROM variance_t) q(a, b);
	SELECT var_pop(least(i4, 0.5)), stddev_pop(least(i4, 0.5)) INTO v, s FROM variance_values;
	RETURN QUERY SELECT 'integers with bounds that are none', abs(a - v) < 0.02, abs(b - s) < 0.02
	FROM (SELECT dp_variance(i4, -7.5, 0.5), dp_stddev(i4, -7.5, 0.5) FROM variance_t) q(a, b);
	SELECT var_pop(least(greatest(i4, 0), 5)) FILTER (WHERE id % 2 = 0),
		stddev_pop(least(greatest(i4, 0), 5)) FILTER (WHERE id % 2 = 0) INTO v, s FROM variance_values;
	RETURN QUERY SELECT 'FILTER', abs(a - v) < 0.02, abs(b - s) < 0.02
	FROM (SELECT dp_variance(i4, 0, 5) FILTER (WHERE id % 2 = 0), dp_stddev(i4, 0, 5) FILTER (WHERE id % 2 = 0)
		FROM variance_t) q(a, b);
	RETURN QUERY SELECT 'all values alike', a < 0.02, b < 0.15
	FROM (SELECT dp_variance(7, 0, 8), dp_stddev(7, 0, 8) FROM variance_t) q(a, b);
	RETURN QUERY SELECT 'two values at the bounds', abs(a - 4 ^ 2) < 0.02, abs(b - 4) < 0.01
	FROM (SELECT dp_variance(id % 2 * 8, 0, 8), dp_stddev(id % 2 * 8, 0, 8) FROM variance_values) q(a, b);
	RETURN QUERY SELECT 'a value far from zero', abs(a - 250000) < 20, abs(b - 500) < 0.1
	FROM (SELECT dp_variance(1e12::float8 + id % 2 * 1000, 1e12, 1e12 + 1000), dp_stddev(1e12::float8 + id % 2 * 1000, 1e12, 1e12 + 1000)
		FROM variance_values) q(a, b);
	RETURN QUERY SELECT 'integers at the ends of int8', abs(a - 32.0 / 3) < 6.4, abs(b - sqrt(32.0 / 3)) < 1.3
	FROM (SELECT dp_variance(x, -2, 6), dp_stddev(x, -2, 6)
		FROM (VALUES (9223372036854775807), (-9223372036854775808), (2), (NULL)) v(x)) q(a, b);
	SELECT var_pop(x), stddev_pop(x) INTO v, s
	FROM (VALUES (0), (6), (-2), (0), (0), (6), (-2), (4.5)) v(x);
	RETURN QUERY SELECT 'adversarial doubles', abs(a - v) < 2.4, abs(b - s) < 0.8
	FROM (SELECT dp_variance(x, -2, 6), dp_stddev(x, -2, 6)
		FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('-0'), ('5e-324'),
		('1.7976931348623157e308'), ('-1.7976931348623157e308'), ('4.5'), (NULL)) v(x)) q(a, b);
	RETURN QUERY SELECT 'numerics beyond doubles', abs(a - 32.0 / 3) < 6.4, abs(b - sqrt(32.0 / 3)) < 1.3
	FROM (SELECT dp_variance(x, -2, 6), dp_stddev(x, -2, 6) FROM (VALUES (1e400), (-1e400), (2.0), (NULL)) v(x)) q(a, b);
END
$$;

-- The spread of every numeric type, and of the values that break naive variances.
SELECT * FROM variance_check();

-- Whatever the noise, the answers stay within what numbers between the bounds can have.
CREATE TABLE variance_draws (v float8, s float8, ev float8, es float8);
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		INSERT INTO variance_draws SELECT dp_variance(x, 0, 4, 0.1), dp_stddev(x, 0, 4, 0.1),
			dp_error(dp_variance(x, 0, 4, 0.1)), dp_error(dp_stddev(x, 0, 4, 0.1)) FROM (VALUES (0), (7)) v(x);
	END LOOP;
END
$$;
SELECT bool_and(v BETWEEN 0 AND 4) AS variance, bool_and(s BETWEEN 0 AND 2) AS stddev,
	bool_and(ev BETWEEN 0 AND 4) AS error_of_variance, bool_and(es BETWEEN 0 AND 2) AS error_of_stddev,
	count(*) FROM variance_draws;

-- Nothing there: a number within the same limits, never NULL.
SELECT dp_variance(i4, 0, 10) BETWEEN 0 AND 25, dp_variance(d, 0, 10) BETWEEN 0 AND 25,
	dp_variance(NULL, 0, 10) BETWEEN 0 AND 25, dp_stddev(i4, 0, 10) BETWEEN 0 AND 5,
	dp_stddev(d, 0, 10) BETWEEN 0 AND 5, dp_stddev(NULL, 0, 10) BETWEEN 0 AND 5,
	dp_error(dp_variance(d, 0, 10)) BETWEEN 0 AND 25, dp_error(dp_stddev(d, 0, 10)) BETWEEN 0 AND 5 FROM variance_empty;
SELECT dp_variance(i4, 0, 10) BETWEEN 0 AND 25, dp_stddev(i4, 0, 10) BETWEEN 0 AND 5 FROM variance_t WHERE id > 1000;
SELECT dp_variance(i4, 0, 10) FILTER (WHERE false) BETWEEN 0 AND 25,
	dp_stddev(i4, 0, 10) FILTER (WHERE false) BETWEEN 0 AND 5 FROM variance_t;

-- Without a positive noisy number of rows, which is one answer in two here: the variance of a uniform
-- distribution between the bounds, and an error that covers every variance.  All of 200 draws have a
-- positive number with a probability of 1e-60.
CREATE TABLE variance_nothing (v float8, s float8, ev float8, es float8);
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		INSERT INTO variance_nothing SELECT dp_variance(x, 0, 12, 0.1), dp_stddev(x, 0, 12, 0.1),
			dp_error(dp_variance(x, 0, 12, 0.1), 0.5), dp_error(dp_stddev(x, 0, 12, 0.1), 0.5)
		FROM (VALUES (0)) v(x) WHERE x > 0;
	END LOOP;
END
$$;
SELECT count(*) > 0 AS some, min(ev) AS error FROM variance_nothing WHERE abs(v - 12) < 1e-9 AND ev = 24;
SELECT count(*) > 0 AS some FROM variance_nothing WHERE abs(s - sqrt(12)) < 1e-9 AND abs(es - sqrt(12)) < 1e-9;

-- The cost is the epsilon that was asked for, and the error is free.
SELECT dpriv.session_spent() AS before \gset
SELECT dp_variance(i4, 0, 10, 0.3) IS NOT NULL, dp_error(dp_variance(i4, 0, 10, 0.3)) > 0,
	dp_stddev(i4, 0, 10, 0.2) IS NOT NULL FROM variance_t;
SELECT (dpriv.session_spent()::numeric - :before)::numeric(10, 6) AS cost;

-- The error covers: the probability of a miss is 1e-12 here.
SELECT abs(dp_variance(d, -0.5, 1.5, 0.5) - (SELECT var_pop(least(greatest(d, -0.5), 1.5)) FROM variance_t))
		<= dp_error(dp_variance(d, -0.5, 1.5, 0.5), 0.999999999999) AS variance,
	abs(dp_stddev(d, -0.5, 1.5, 0.5) - (SELECT stddev_pop(least(greatest(d, -0.5), 1.5)) FROM variance_t))
		<= dp_error(dp_stddev(d, -0.5, 1.5, 0.5), 0.999999999999) AS stddev,
	dp_error(dp_variance(d, -0.5, 1.5, 0.5), 0.5) < dp_error(dp_variance(d, -0.5, 1.5, 0.5), 0.99) AS wider
FROM variance_t;

-- HAVING, ORDER BY, groups, views, a prepared statement; parameters as bounds.
SELECT i4 > 0 AS positive, dp_variance(i4, -4, 8) BETWEEN 0 AND 36 AS answered FROM variance_t
GROUP BY i4 > 0 HAVING dp_stddev(i4, -4, 8) >= 0 ORDER BY dp_variance(i4, -4, 8) IS NULL, positive;
SELECT round(dp_stddev(i4, -4, 8)::numeric, 1) AS stddev FROM variance_values;
SET plan_cache_mode = force_generic_plan;
PREPARE variance_prepared(float8, float8) AS SELECT round(dp_variance(i4, $1, $2)::numeric) FROM variance_t;
EXECUTE variance_prepared(-4, 8);
EXECUTE variance_prepared(0, 1e-100);
EXECUTE variance_prepared(8, -4);
DEALLOCATE variance_prepared;
RESET plan_cache_mode;

-- EXPLAIN: the noise of sums of squares, (upper - lower)^2 / epsilon.
EXPLAIN (COSTS OFF) SELECT dp_variance(i4, 0, 10, 0.5), dp_stddev(d, -1, 1, 1) FROM variance_t;

-- In a parallel plan.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT round(dp_variance(d, -1, 2)::numeric, 1) AS variance, round(dp_stddev(i4, -4, 8)::numeric, 1) AS stddev FROM variance_t;
RESET ALL;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

-- Refused, whatever the rows are.
SELECT dp_variance(d, 1, 1) FROM variance_t;
SELECT dp_stddev(d, 2, 1) FROM variance_t;
SELECT dp_variance(d, 'NaN', 1) FROM variance_t;
SELECT dp_stddev(d, 0, 'Infinity') FROM variance_t;
SELECT dp_variance(d, NULL, 1) FROM variance_t;
SELECT dp_variance(d, 0, 1, NULL) FROM variance_t;
SELECT dp_variance(d, 0, 1, 1e-7) FROM variance_t;
SELECT dp_variance(d, 0, 1.1e100) FROM variance_t;
SELECT dp_stddev(d, 0, 0.9e-100) FROM variance_t;
SELECT dp_stddev(d, 0, 1e201) FROM variance_t;
SELECT dp_variance(d, 0, i4) FROM variance_t;
SELECT dp_variance(DISTINCT d, 0, 1) FROM variance_t;
SELECT dp_stddev(d, 0, 1 ORDER BY d) FROM variance_t;
SELECT dp_variance(d, 0, 1) OVER () FROM variance_t;
SELECT dp_variance(d, 0, 1, 1, 1e-6, 1) FROM variance_t;

-- The smallest and the largest bounds, and the smallest epsilon, give answers.
SELECT dp_variance(d, 0, 1e100) BETWEEN 0 AND 2.5e199, dp_stddev(d, 0, 1e-100) BETWEEN 0 AND 0.5e-100,
	dp_variance(d, 1e113, 1.00000000000001e113) BETWEEN 0 AND 1e199,
	dp_variance(d, 0, 1, 1e-6) BETWEEN 0 AND 0.25, dp_stddev(i8, -9e18, 9e18) BETWEEN 0 AND 9e18 FROM variance_t;

-- With Gaussian noise of 0.3 or so in units of a row at a bound, at the ends of epsilon and delta too.
SET dpriv.mechanism = gaussian;
SELECT abs(dp_variance(i4, -2, 6, 20, 1e-6) - (SELECT var_pop(least(greatest(i4, -2), 6)) FROM variance_values)) < 3 AS variance,
	abs(dp_stddev(d, -0.5, 1.5, 20, 1e-6) - (SELECT stddev_pop(least(greatest(d, -0.5), 1.5)) FROM variance_values)) < 0.5 AS stddev
FROM variance_t;
SELECT dp_variance(d, 0, 1e100, 1e-6, 1e-18) BETWEEN 0 AND 2.5e199, dp_stddev(d, 0, 1e-100, 1e-6, 1e-18) BETWEEN 0 AND 0.5e-100,
	dp_variance(d, 1e113, 1.00000000000001e113, 1e-6, 1e-18) BETWEEN 0 AND 1e199 FROM variance_t;
SELECT dp_variance(i8, -9e18, 9e18, 60, 0.01) BETWEEN 0 AND 1e38 FROM variance_t;
SELECT dp_variance(d, 0, 1, 1000, 0.01) FROM variance_t;
SELECT dp_variance(d, 0, 1, 1, 0.1) FROM variance_t;
SELECT dp_variance(d, 0, 1, 1, 0) FROM variance_t;

SET client_min_messages = warning;
DROP TABLE variance_t, variance_empty, variance_draws, variance_nothing CASCADE;
DROP FUNCTION variance_check;
DROP DOMAIN variance_domain;
