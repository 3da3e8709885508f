-- Bounds found privately: dp_bounds, and dp_sum, dp_avg, dp_variance, dp_stddev without bounds.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- A count of one row is evidence but for a probability of e^-240, and noise moves no sum by more than
-- a fifth of its largest value but for e^-150.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TABLE bounds_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, flag bool);
INSERT INTO bounds_t
SELECT i, i % 100, i % 100, i % 100, i % 100 + 0.5, i % 100 + 0.5, i % 100 + 0.5, i % 2 = 0
FROM generate_series(1, 1000) i;
INSERT INTO bounds_t SELECT 1000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
CREATE TABLE bounds_empty (LIKE bounds_t);
CREATE DOMAIN bounds_domain AS int CHECK (VALUE < 1000);

-- The powers of two around all values, of every numeric type; a power of two is its own bound.
SELECT dp_bounds(i2), dp_bounds(i4), dp_bounds(i8), dp_bounds(n), dp_bounds(r), dp_bounds(d, 999),
	dp_bounds(i4::bounds_domain) FROM bounds_t;
SELECT dp_bounds(x) FROM (VALUES (64), (33)) v(x);
SELECT dp_bounds(x) FROM (VALUES (64), (32)) v(x);
SELECT dp_bounds(x) FROM (VALUES (64.001), (32)) v(x);
SELECT dp_bounds(x) FROM (VALUES (1), (1)) v(x);
SELECT dp_bounds(x) FROM (VALUES (1.0), (1)) v(x);
SELECT dp_bounds(x) FROM (VALUES (-3), (-100)) v(x);
SELECT dp_bounds(x) FROM (VALUES (-3), (100)) v(x);
SELECT dp_bounds(x) FROM (VALUES (0), (-5)) v(x);
SELECT dp_bounds(x) FROM (VALUES (0), (0)) v(x);
SELECT dp_bounds(x) FROM (VALUES (9223372036854775807), (-9223372036854775808)) v(x);
SELECT dp_bounds(x) FROM (VALUES ('Infinity'::float8), ('-1e300'), ('NaN')) v(x);
SELECT dp_bounds(x) FROM (VALUES ('5e-324'::float8), ('-0'), ('1e-19'), ('5e-20')) v(x);
SELECT dp_bounds(x) FROM (VALUES (1e400), (-1e-400)) v(x);

-- Close to what they stand for.
CREATE FUNCTION bounds_near(query text, exact float8[], distance float8[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer float8[];
BEGIN
	EXECUTE query INTO answer;
	FOR i IN 1 .. cardinality(exact) LOOP
		IF answer[i] IS NULL OR abs(answer[i] - exact[i]) > distance[i] THEN
			RETURN format('%s of %s instead of %s', i, answer, exact);
		END IF;
	END LOOP;
	RETURN 'near';
END
$$;
SELECT v, bounds_near(format('SELECT ARRAY[dp_sum(%1$s), dp_avg(%1$s), dp_variance(%1$s), dp_stddev(%1$s)] FROM bounds_t', v),
	ARRAY[sum, avg, var, dev], ARRAY[64, 0.05, 10, 0.2])
FROM (SELECT sum(d), avg(d), var_pop(d), stddev_pop(d) FROM bounds_t) q(sum, avg, var, dev),
	unnest(ARRAY['n', 'r', 'd']) v
UNION ALL
SELECT v, bounds_near(format('SELECT ARRAY[dp_sum(%1$s), dp_avg(%1$s), dp_variance(%1$s), dp_stddev(%1$s)] FROM bounds_t', v),
	ARRAY[sum, avg, var, dev], ARRAY[64, 0.05, 10, 0.2])
FROM (SELECT sum(i4), avg(i4), var_pop(i4), stddev_pop(i4) FROM bounds_t) q(sum, avg, var, dev),
	unnest(ARRAY['i2', 'i4', 'i8', 'i4::bounds_domain']) v;
SELECT bounds_near('SELECT ARRAY[dp_sum(-d), dp_avg(-d), dp_stddev(-d)] FROM bounds_t',
	ARRAY[-sum(d), -avg(d), stddev_pop(d)], ARRAY[64, 0.05, 0.2]) AS negative,
	bounds_near('SELECT ARRAY[dp_sum(d - 50), dp_avg(d - 50), dp_stddev(d - 50)] FROM bounds_t',
	ARRAY[sum(d - 50), avg(d - 50), stddev_pop(d)], ARRAY[64, 0.05, 0.2]) AS "both signs",
	bounds_near('SELECT ARRAY[dp_sum(d + 1e6), dp_avg(d + 1e6), dp_stddev(d + 1e6)] FROM bounds_t',
	ARRAY[sum(d + 1e6), avg(d + 1e6), stddev_pop(d)], ARRAY[1e6, 1000, 10000]) AS "far from zero",
	bounds_near('SELECT ARRAY[dp_sum(d) FILTER (WHERE flag), dp_avg(d) FILTER (WHERE flag)] FROM bounds_t',
	ARRAY[sum(d) FILTER (WHERE flag), avg(d) FILTER (WHERE flag)], ARRAY[64, 0.05]) AS filter
FROM bounds_t;
SELECT bounds_near($$SELECT ARRAY[dp_sum(x), dp_avg(x)] FROM (VALUES ('NaN'::float8), ('Infinity'), (3), (NULL)) v(x)$$,
	ARRAY[2 ^ 127, 2 ^ 127 / 3], ARRAY[2 ^ 126, 2 ^ 126]) AS "NaN and infinity";
SELECT bounds_near('SELECT ARRAY[dp_sum(x), dp_avg(x)] FROM (VALUES (9223372036854775807), (1), (-9223372036854775808)) v(x)',
	ARRAY[0, 0], ARRAY[2 ^ 62, 2 ^ 61]) AS "ends of bigint";

-- Sums of integers are whole.
SELECT dp_sum(i4) = round(dp_sum(i4)) AS whole, dp_sum(i8, 0.5) = round(dp_sum(i8, 0.5)) AS whole FROM bounds_t;

-- Zero alone, and no values: no bounds.
SELECT dp_sum(x), dp_avg(x), dp_variance(x), dp_stddev(x), dp_error(dp_sum(x)) FROM (VALUES (0.0), (0.0)) v(x);
SELECT dp_bounds(d), dp_sum(d), dp_avg(d), dp_variance(d), dp_stddev(d), dp_error(dp_avg(d)) FROM bounds_empty;
SELECT dp_sum(NULL::float8) FROM bounds_t;

-- Every group by itself; HAVING, ORDER BY, expressions above.
SELECT flag, dp_bounds(d)::text, abs(dp_sum(d) - 25000) < 600 AS sum, abs(dp_avg(d) - 50) < 1 AS avg
FROM bounds_t GROUP BY flag ORDER BY flag;
SELECT flag, (dp_bounds(d))[2] AS upper FROM bounds_t GROUP BY flag HAVING dp_sum(d) IS NOT NULL ORDER BY flag DESC;

-- One charge, a quarter of which is for the bounds; equal measures are one.
SET dpriv.epsilon = 1;
SELECT dpriv.session_spent() AS before \gset
SELECT dp_sum(d) = dp_sum(d) AS equal, dp_sum(d, 0.5) IS NOT NULL AS other, dp_bounds(d, 0.25) IS NOT NULL AS bounds FROM bounds_t;
SELECT dpriv.session_spent() - :before AS spent;
EXPLAIN (COSTS OFF) SELECT dp_bounds(d), dp_sum(i4), dp_avg(d, 0.5), dp_stddev(d) FROM bounds_t;

-- Errors: those of the noise, by the bounds that were found.
SET dpriv.epsilon = 1000;
SELECT dp_error(dp_sum(d)) BETWEEN 0.511 AND 0.512 AS sum, dp_error(dp_avg(d)) BETWEEN 2e-4 AND 6e-4 AS avg,
	dp_error(dp_variance(d)) BETWEEN 1e-3 AND 0.1 AS variance, dp_error(dp_stddev(d)) BETWEEN 1e-4 AND 3e-3 AS stddev,
	dp_error(dp_sum(d), 0.5) < dp_error(dp_sum(d)) AS smaller FROM bounds_t;
SELECT dp_error(dp_bounds(d)) FROM bounds_t;

-- Whatever dpriv.avg_method and dpriv.mechanism say: there is no other way.
SET dpriv.avg_method = split;
SET dpriv.mechanism = gaussian;
SET dpriv.delta = 1e-6;
SELECT abs(dp_avg(d) - 50) < 0.05 AS avg FROM bounds_t;
RESET dpriv.avg_method;
RESET dpriv.mechanism;
RESET dpriv.delta;

-- Parameters, custom and generic.
PREPARE bounds_of(float8) AS SELECT dp_bounds(d, $1) IS NOT NULL AS bounds, dp_sum(d, $1) > 0 AS sum FROM bounds_t;
EXECUTE bounds_of(1);
SET plan_cache_mode = force_generic_plan;
EXECUTE bounds_of(2);
RESET plan_cache_mode;
EXECUTE bounds_of(0);

-- A forgotten bound is no epsilon, unless it is small enough to be one.
SELECT dp_avg(d, 17) FROM bounds_t;
SELECT dp_sum(d, 5.000001) FROM bounds_t;
SELECT dp_variance(d, 5) >= 0 AS variance, dp_bounds(d, 17) IS NOT NULL AS bounds FROM bounds_t;

-- Mistakes.
SELECT dp_sum(d, 0) FROM bounds_t;
SELECT dp_avg(d, 2000) FROM bounds_t;	-- a bound is missing
SELECT dp_sum(d, id) FROM bounds_t;
SELECT dp_avg(d, 0, 90, 1, 1e-6, 3) FROM bounds_t;
SELECT dp_sum(DISTINCT d) FROM bounds_t;
SELECT dp_sum(d) OVER () FROM bounds_t;
SELECT dp_bounds('x'::text) FROM bounds_t;

DROP FUNCTION bounds_near(text, float8[], float8[]);
DROP TABLE bounds_t, bounds_empty;
DROP DOMAIN bounds_domain;
