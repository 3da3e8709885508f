-- dp_median, dp_quantile, dp_quantiles: leaves of the range, chosen by rank; exact_leaves below them.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- A leaf that is half a row off is chosen with a probability below e^-50.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

-- The whole numbers from 1 to 99, in no order, and rows without a value.
CREATE TABLE quantile_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, flag bool);
INSERT INTO quantile_t SELECT i, v, v, v, v, v, v, v % 2 = 0
FROM generate_series(1, 99) i, LATERAL (SELECT i * 37 % 100) AS l(v);
INSERT INTO quantile_t SELECT 99 + i FROM generate_series(1, 50) i;
CREATE TABLE quantile_empty (LIKE quantile_t);

--
-- exact_leaves
--

-- Ends take what lies beyond; NaN is zero; only leaves with values are there, in order.
SELECT dpriv.exact_leaves(x, ARRAY[0, 1, 10])
FROM (VALUES (-1), (0), (0.99), (1), (9.5), (1e300), (3), (3.5), ('NaN'), ('Infinity'), ('-Infinity'), (NULL),
	('-0')) v(x);
SELECT dpriv.exact_leaves(x, ARRAY[-2, 1, 4]) FROM generate_series(-5, 5) x;
SELECT dpriv.exact_leaves(x, ARRAY[-2, 0.5, 2]) FROM generate_series(-5::int8, 5::int8) x;
SELECT dpriv.exact_leaves(x, ARRAY[0, 1, 1]) FROM generate_series(1, 3) x;
SELECT dpriv.exact_leaves(x, ARRAY[9007199254740000, 1, 993]) FROM (VALUES (9007199254740992),
	(9007199254740991), (9223372036854775807), (-9223372036854775808), (9007199254740001)) v(x);
SELECT dpriv.exact_leaves(i4, ARRAY[0, 1, 10]) FROM quantile_empty;
SELECT dpriv.exact_leaves(NULL::int, ARRAY[0, 1, 10]) FROM quantile_t;

-- The same counts as SQL's, whatever the number of leaves and of values, in any order, in parallel.
CREATE TABLE quantile_many AS SELECT (i::int8 * 48271 % 65536)::int AS v FROM generate_series(1, 70000) i;
ANALYZE quantile_many;
CREATE FUNCTION quantile_reference(leaves int, most int) RETURNS int8[] LANGUAGE sql AS $$
	SELECT array_agg(x ORDER BY leaf, o)
	FROM (SELECT least(v, leaves - 1)::int8 AS leaf, count(*) AS n FROM quantile_many WHERE v < most GROUP BY 1) c,
		LATERAL (VALUES (1, leaf), (2, n)) AS p(o, x)
$$;
SELECT leaves, most, quantile_reference(leaves, most) =
	(SELECT dpriv.exact_leaves(v, ARRAY[0, 1, leaves]) FROM quantile_many WHERE v < most) AS column_range
FROM unnest(ARRAY[1, 2, 128, 129, 1000]) leaves, unnest(ARRAY[10, 40]) most;
SELECT quantile_reference(128, 65536) = dpriv.exact_leaves(v, ARRAY[0, 1, 128]) AS l128,
	quantile_reference(129, 65536) = dpriv.exact_leaves(v, ARRAY[0, 1, 129]) AS l129,
	quantile_reference(4096, 65536) = dpriv.exact_leaves(v, ARRAY[0, 1, 4096]) AS l4096,
	quantile_reference(65536, 65536) = dpriv.exact_leaves(v, ARRAY[0, 1, 65536]) AS all,
	quantile_reference(65536, 3000) = dpriv.exact_leaves(v, ARRAY[0, 1, 65536]) FILTER (WHERE v < 3000) AS some,
	quantile_reference(65536, 65536) = dpriv.exact_leaves(v::float8, ARRAY[0, 1, 65536]) AS real
FROM quantile_many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT dpriv.exact_leaves(v, ARRAY[0, 1, 65536]) FROM quantile_many;
SELECT quantile_reference(65536, 65536) = l AS all, quantile_reference(65536, 3000) = s AS some,
	quantile_reference(100, 65536) = few AS few
FROM (SELECT dpriv.exact_leaves(v, ARRAY[0, 1, 65536]) AS l,
		dpriv.exact_leaves(v, ARRAY[0, 1, 65536]) FILTER (WHERE v < 3000) AS s,
		dpriv.exact_leaves(v, ARRAY[0, 1, 100]) AS few FROM quantile_many) q;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- In a window.
SELECT dpriv.exact_leaves(v, ARRAY[0, 1, 3]) OVER (ORDER BY v) FROM (VALUES (0), (1), (1), (5)) t(v);

-- Refused: what is no range, support functions by hand, another range in the same group.
SELECT dpriv.exact_leaves(1, NULL);
SELECT dpriv.exact_leaves(1, ARRAY[0, 1]);
SELECT dpriv.exact_leaves(1, ARRAY[0, NULL, 1]);
SELECT dpriv.exact_leaves(1, ARRAY['NaN', 1, 1]::float8[]);
SELECT dpriv.exact_leaves(1, ARRAY[0, 0, 1]);
SELECT dpriv.exact_leaves(1, ARRAY[0, 'Infinity', 1]::float8[]);
SELECT dpriv.exact_leaves(1, ARRAY[0, 1, 65537]);
SELECT dpriv.exact_leaves(1, ARRAY[0, 1, 1.5]);
SELECT dpriv.exact_leaves_accum(NULL, 1, ARRAY[0, 1, 1]);
SELECT dpriv.exact_leaves_final('{0,0}');
SELECT dpriv.exact_leaves_final('{3,-1,0,1}');
SELECT dpriv.exact_leaves_final('{3,-1,65536,1,-2}');
SELECT dpriv.exact_leaves_final('{65536,40,0}');
SELECT dpriv.exact_leaves_final('{3,-1,65536,1,131074}');
SELECT dpriv.exact_leaves(1, ARRAY[0, 1, l]) FROM generate_series(3, 4) l;

--
-- Median and quantiles
--

-- Every type; integers answer one of their values, others the middle of one of 65,536 parts.
SELECT dp_median(i2, 0, 100), dp_median(i4, 0, 100), dp_median(i8, 0, 100, 1000),
	abs(dp_median(n, 0, 100) - 50) < 1 AS n, abs(dp_median(r, 0, 100) - 50) < 1 AS r,
	abs(dp_median(d, 0, 100) - 50) < 1 AS d FROM quantile_t;
SELECT dp_quantile(i2, 0.9, 0, 100), dp_quantile(i4, 0.105, 0, 100), dp_quantile(i8, 0.333, 0, 100, 1000),
	dp_quantile(i4, 0.5, 0, 100) FROM quantile_t;
SELECT dp_quantiles(i4, ARRAY[0.5], 0, 100), dp_quantiles(i8, ARRAY[0.51], 0, 100, 1000) FROM quantile_t;
SELECT q[1] BETWEEN 10 AND 11 AS a, q[2] BETWEEN 25 AND 26 AS b, q[3] = 50 AS c, q[4] BETWEEN 75 AND 76 AS d,
	q[5] BETWEEN 90 AND 91 AS e
FROM (SELECT dp_quantiles(i4, ARRAY[0.1, 0.25, 0.5, 0.75, 0.9], 0, 100) AS q FROM quantile_t) r;

-- Values beyond the bounds count at the bounds; bounds between whole numbers are those inside.
SELECT dp_median(i4, 60, 100) AS all_below, dp_median(i4, -100, 20) AS all_above, dp_quantile(i4, 0.1, 30, 90),
	dp_median(i4, 59.5, 90.5) AS inside, dp_median(i4, 49.5, 50.5) AS one FROM quantile_t;
SELECT dp_median(d, 0.2, 0.8) BETWEEN 0.7999 AND 0.8 AS no_whole_number,
	dp_median(i4, 0.2, 0.8) BETWEEN 0.7999 AND 0.8 AS neither
FROM quantile_t;

-- The smallest and the largest value lie at 0 and 1: anything from there to the bound is right.
SELECT dp_quantile(i4, 0, -5, 100) BETWEEN -5 AND 1 AS least, dp_quantile(i4, 1, 0, 105) BETWEEN 99 AND 105 AS most
FROM quantile_t;

-- Wide ranges of integers: leaves of 2, 4, ... whole numbers, the lower middle one answers.
SELECT dp_median(v, 0, 100000), dp_median(v, 0, 1000000), dp_median(v, 0, 65535), dp_median(v, 0, 65536)
FROM (VALUES (0), (0), (0), (70000)) t(v);
SELECT abs(dp_median(v, -4e18, 4e18) - 1e18) < 1e14 AS beyond_doubles
FROM (VALUES (1000000000000000000), (1000000000000000001), (999999999999999999)) t(v);

-- NaN counts as zero, infinities at the bounds, numeric beyond double precision too.
SELECT dp_median(x, -1, 9) BETWEEN -0.001 AND 0.001 AS nan FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity')) v(x);
SELECT dp_median(x, 0, 1) > 0.999 AS huge FROM (VALUES (1e400), (1e400), (-1e400)) v(x);

-- Equal values: all fractions are that value.
SELECT dp_quantiles(i4 - i4 + 7, ARRAY[0.1, 0.5, 0.9], 0, 10), dp_median(i4 - i4 + 7, 0, 10) FROM quantile_t;
-- Many of them beside others.
SELECT dp_quantiles(v, ARRAY[0.25, 0.5, 0.75, 0.95], 0, 100)
FROM (SELECT CASE WHEN i <= 900 THEN 10 WHEN i <= 960 THEN 20 ELSE 90 END FROM generate_series(1, 1000) i) t(v);

-- FILTER, expressions, GROUP BY, HAVING, ORDER BY, above, EXPLAIN.
SELECT dp_median(i4, 0, 100) FILTER (WHERE i4 < 20) AS filtered, dp_median(i4 * 2, 0, 200) AS expression,
	round(dp_median(i4, 0, 100)) + 1 AS above FROM quantile_t;
SELECT flag, dp_median(i4, 0, 100) BETWEEN 0 AND 100 AS median, dp_quantiles(i4, ARRAY[0, 1], 0, 100) IS NOT NULL AS both
FROM quantile_t GROUP BY flag HAVING dp_median(i4, 0, 100) >= 0 ORDER BY flag;
SELECT fraction, value FROM (SELECT dp_quantiles(i4, ARRAY[0.105, 0.505], 0, 100) AS q FROM quantile_t) r,
	unnest(ARRAY[0.105, 0.505], r.q) AS l(fraction, value) WHERE fraction > 0.5;
EXPLAIN (COSTS OFF) SELECT dp_median(i4, 0, 100, 0.5), dp_quantiles(d, ARRAY[0.1, 0.5], 0, 100, 0.25) FROM quantile_t;

-- Parameters, custom and generic.
PREPARE quantile_of(float8, float8[], float8, float8) AS
	SELECT dp_median(i4, $3, $4), dp_quantile(i4, $1, $3, $4), dp_quantiles(i4, $2, $3, $4) FROM quantile_t;
EXECUTE quantile_of(0.9, ARRAY[0.5], 0, 100);
EXECUTE quantile_of(0.2, ARRAY[0.51], 40, 200);
SET plan_cache_mode = force_generic_plan;
EXECUTE quantile_of(0.9, ARRAY[0.5], 0, 100);
EXECUTE quantile_of(0.2, ARRAY[0.51], 40, 200);
RESET plan_cache_mode;
DEALLOCATE quantile_of;

-- Without rows: any value of the range, in order for several fractions.
SELECT dp_median(i4, 0, 100) BETWEEN 0 AND 100 AS median, dp_quantile(d, 0.1, 5, 6) BETWEEN 5 AND 6 AS quantile,
	cardinality(dp_quantiles(i4, ARRAY[0.1, 0.5, 0.9], 0, 100)) AS n FROM quantile_empty;
CREATE TABLE quantile_answers (q float8[]);
DO $$
DECLARE
	fractions float8[] := ARRAY(SELECT g / 1000.0 FROM generate_series(1, 1000) g ORDER BY g);
BEGIN
	INSERT INTO quantile_answers SELECT dp_quantiles(d, fractions, 0, 1, 0.1) FROM quantile_empty;
END
$$;
SELECT count(*), bool_and(q[i] <= q[i + 1]) AS sorted, min(q[i]) >= 0 AND max(q[i]) <= 1 AS inside
FROM quantile_answers, generate_series(1, 999) i;

-- The error in ranks at epsilon 1, of 300 medians of 5,000 values: two on average would be too many.
CREATE TABLE quantile_ranks AS SELECT i * 1237 % 5000 AS v FROM generate_series(1, 5000) i;
CREATE TABLE quantile_errors (error float8);
DO $$
BEGIN
	FOR i IN 1 .. 300 LOOP
		INSERT INTO quantile_errors SELECT abs(dp_median(v, 0, 4999, 1) + 0.5 - 2500) - 0.5 FROM quantile_ranks;
	END LOOP;
END
$$;
SELECT avg(error) BETWEEN 0.2 AND 1.5 AS good FROM quantile_errors;

-- The charge: one epsilon, whatever the number of fractions.
SELECT dpriv.session_spent()::numeric AS before \gset
SELECT dp_quantiles(i4, ARRAY[0.1, 0.2, 0.3, 0.4], 0, 100, 0.5) IS NOT NULL AS answered FROM quantile_t;
SELECT dpriv.session_spent()::numeric - :before AS cost;

-- Refused.
SELECT dp_median(i4, 100, 0) FROM quantile_t;
SELECT dp_quantile(i4, 0.5, 100, 0) FROM quantile_t;
SELECT dp_median(i4, 0, 'Infinity') FROM quantile_t;
SELECT dp_quantile(i4, 0.5, 0, 1e201) FROM quantile_t;
SELECT dp_quantile(i4, -0.1, 0, 100) FROM quantile_t;
SELECT dp_quantile(i4, 50, 0, 100) FROM quantile_t;
SELECT dp_quantile(i4, 'NaN', 0, 100) FROM quantile_t;
SELECT dp_quantile(i4, NULL, 0, 100) FROM quantile_t;
SELECT dp_quantiles(i4, '{}', 0, 100) FROM quantile_t;
DO $$
DECLARE
	fractions float8[] := ARRAY(SELECT g / 2000.0 FROM generate_series(1, 1001) g ORDER BY g);
BEGIN
	INSERT INTO quantile_answers SELECT dp_quantiles(i4, fractions, 0, 100) FROM quantile_t;
END
$$;
SELECT dp_quantiles(i4, ARRAY[0.5, 0.1], 0, 100) FROM quantile_t;
SELECT dp_quantiles(i4, ARRAY[0.5, 0.5000000001], 0, 100) FROM quantile_t;
SELECT dp_quantiles(i4, ARRAY[0.5, 1.1], 0, 100) FROM quantile_t;
SELECT dp_quantiles(i4, ARRAY[0.5, NULL], 0, 100) FROM quantile_t;
SELECT dp_quantiles(i4, ARRAY[[0.5]], 0, 100) FROM quantile_t;
SELECT dp_quantiles(i4, NULL, 0, 100) FROM quantile_t;
SELECT dp_median(i4, i2, 100) FROM quantile_t;
SELECT dp_median(DISTINCT i4, 0, 100) FROM quantile_t;
SELECT dp_error(dp_median(i4, 0, 100)) FROM quantile_t;

SET client_min_messages = warning;
DROP TABLE quantile_t, quantile_empty, quantile_many, quantile_ranks, quantile_errors,
	quantile_answers;
DROP FUNCTION quantile_reference;
