-- dp_clip_bound: the candidate beyond which a larger upper bound costs more noise than it brings rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TABLE bound_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, flag bool);
INSERT INTO bound_t
SELECT i, i % 13 - 4, i % 13 - 4, i % 13 - 4, (i % 13 - 4) * 0.25, (i % 13 - 4) * 0.25, (i % 13 - 4) * 0.25, i % 2 = 0
FROM generate_series(1, 1000) i;
INSERT INTO bound_t SELECT 1000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
CREATE TABLE bound_empty (LIKE bound_t);
CREATE DOMAIN bound_domain AS int CHECK (VALUE < 100);

-- Beyond the last row the next candidate is taken with a probability of 0.05, whatever epsilon is, and the one after it with less.
-- So this is the answer of most of 41 releases: another one with a probability below 1e-13.
CREATE FUNCTION usual(measure text, source text DEFAULT 'bound_t') RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	answers float8[];
BEGIN
	FOR i IN 1 .. 41 LOOP
		EXECUTE format('SELECT dp_clip_bound(%s) FROM %s', measure, source) INTO answer;
		answers := answers || answer;
	END LOOP;
	RETURN mode() WITHIN GROUP (ORDER BY a) FROM unnest(answers) a;
END$$;

-- The first candidate that no row exceeds; the largest value is 8, or 2 in quarters.
SELECT usual('i2, ARRAY[1, 2, 4, 8, 16, 32]') AS i2, usual('i4, ARRAY[1, 2, 4, 8, 16, 32]') AS i4,
	usual('i8, ARRAY[1, 2, 4, 8, 16, 32], 1000') AS i8, usual('n, ARRAY[0.5, 1, 2, 4]') AS n, usual('r, ''{0.5,1,2,4}''') AS r,
	usual('d, ARRAY[0.5, 1, 1.999, 2.001, 4]') AS d, usual('i4::bound_domain, ARRAY[1, 3.5, 11, 100]') AS domain,
	usual('i4, ARRAY[1, 8, 9]::numeric[]') AS candidates, usual('i4, ''[7:9]={1,8,9}''::float8[]') AS subscripts;
-- The last candidate if all are too small, the first one if it is large enough, the only one.
SELECT usual('i4, ARRAY[1, 2, 3]') AS last, usual('i4, ARRAY[50, 60, 70]') AS first, dp_clip_bound(i4, ARRAY[5]) AS only FROM bound_t;
-- What is not above 0 counts nowhere; the other sign is another call.
SELECT usual('-i4, ARRAY[1, 2, 4, 8, 16]') AS negative, usual('''NaN''::float8, ARRAY[1, 4]') AS nan,
	usual('x, ARRAY[1, 1e10, 1e100]', '(VALUES (1e400), (1e400), (-1e400), (''NaN''::numeric), (NULL)) v(x)') AS huge,
	usual('x, ARRAY[1, 1e10, 1e18]', '(VALUES (9223372036854775807), (-9223372036854775808), (2), (NULL)) v(x)') AS integers;
-- A row counts with the part of the interval that it reaches into: three quarters of 1000 rows are above 2 sqrt(2) / epsilon,
-- and a thousandth of a row is not.
SELECT usual('x, ARRAY[1, 2, 3]', '(SELECT 1.75::float8 FROM generate_series(1, 1000)) v(x)') AS many,
	usual('x, ARRAY[1, 1001, 2000], 100', '(VALUES (2::float8)) v(x)') AS little;
-- The limit is 2 sqrt(2) / epsilon rows, at epsilon 0.01 283: 50 rows above a candidate are given up with a probability of 0.93, 5000
-- are not.
SELECT usual('x, ARRAY[1, 2, 3], 0.01', '(SELECT 2 FROM generate_series(1, 50)) v(x)') AS few,
	usual('x, ARRAY[1, 2, 4, 8, 16], 0.01', '(SELECT 16 FROM generate_series(1, 5000)) v(x)') AS many;
-- The probability of going too far is e^(-2 sqrt(2) / 1.5) / 3 = 0.0506: 2000 releases are within 5 deviations of it.
CREATE FUNCTION too_far(times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	n int := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		SELECT dp_clip_bound(i4, ARRAY[8, 16], 1) INTO answer FROM bound_t;
		n := n + (answer > 8)::int;
	END LOOP;
	RETURN n / times::float8;
END$$;
SELECT too_far(2000) BETWEEN 0.026 AND 0.076 AS as_computed;

-- Nothing there: some candidate, never NULL.
SELECT dp_clip_bound(i4, ARRAY[1, 5]) IN (1, 5) AS nothing, dp_clip_bound(NULL::int, ARRAY[1, 5]) IN (1, 5) AS nulls FROM bound_empty;
SELECT dp_clip_bound(i4, ARRAY[1, 5]) FILTER (WHERE id > 1000) IN (1, 5) AS filtered FROM bound_t;

-- Candidates that are the same on the grid are passed over.
SELECT usual('d, ARRAY[1e-200, 1e-199, 2, 1e200]') AS coarse, usual('d, ARRAY[2, 2.0000000000000004, 1e20]') AS close;

-- Groups, HAVING, a prepared statement with candidates as a parameter; the most candidates.
SELECT flag, dp_clip_bound(i4, ARRAY[1, 5, 8]) FROM bound_t GROUP BY flag HAVING dp_clip_bound(i4, ARRAY[1, 5, 8]) > 1 AND flag IS NOT NULL;
SELECT round(dp_sum_clipped(i4, 0, 8)) = round((SELECT sum(least(greatest(i4, 0), 8)) FROM bound_t)) AS sum,
	dp_clip_bound(i4 + 1, ARRAY[1, 8, 9]) FILTER (WHERE flag) + 1 AS above FROM bound_t;
SET plan_cache_mode = force_generic_plan;
PREPARE bound_p(float8[], float8) AS SELECT dp_clip_bound(i4, $1, $2) FROM bound_t;
EXECUTE bound_p(ARRAY[1, 6, 8], 1000);
EXECUTE bound_p(ARRAY[3], 900);
EXECUTE bound_p(ARRAY[8, 1], 1000);
EXECUTE bound_p(NULL, 1000);
DEALLOCATE bound_p;
RESET plan_cache_mode;
SELECT array_agg(i) AS all FROM generate_series(1, 1000) i \gset
SELECT dp_clip_bound(i4 * 100, :'all') BETWEEN 790 AND 999 AS many FROM bound_t;

-- Paid for like any other; said by EXPLAIN.
SELECT dpriv.session_spent() AS before \gset
SELECT dp_clip_bound(i4, ARRAY[1, 2, 3], 0.3) > 0, dp_clip_bound(i4, ARRAY[8], 0.2) FROM bound_t;
SELECT round((dpriv.session_spent() - :'before')::numeric, 6) AS spent;
EXPLAIN (COSTS OFF) SELECT dp_clip_bound(i4, ARRAY[1, 5, 10], 0.5) FROM bound_t;
SELECT measure, mechanism, epsilon, delta FROM dpriv.cost('SELECT dp_clip_bound(i4, ARRAY[1, 5, 10], 0.5) FROM bound_t');

-- Parallel workers.
ALTER TABLE bound_t SET (parallel_workers = 3);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
SELECT flag, dp_clip_bound(i8, ARRAY[1, 5, 8]) FROM bound_t WHERE i8 > 0 GROUP BY flag HAVING flag IS NOT NULL;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Refused.
SELECT dp_clip_bound(d, '{}') FROM bound_t;
SELECT dp_clip_bound(i4, (:'all'::float8[] || 1001::float8)) FROM bound_t;
SELECT dp_clip_bound(d, ARRAY[0, 1]) FROM bound_t;
SELECT dp_clip_bound(d, ARRAY[2, 1]) FROM bound_t;
SELECT dp_clip_bound(d, '{1,NaN}') FROM bound_t;
SELECT dp_clip_bound(d, '{1,NULL}') FROM bound_t;
SELECT dp_clip_bound(d, NULL) FROM bound_t;
SELECT dp_clip_bound(d, ARRAY[1.1e200]) FROM bound_t;
SELECT dp_clip_bound(d, ARRAY[d]) FROM bound_t;
SELECT dp_clip_bound(d, ARRAY[1], 1e-7) FROM bound_t;
SELECT dp_clip_bound(DISTINCT d, ARRAY[1]) FROM bound_t;
SELECT dp_error(dp_clip_bound(d, ARRAY[1])) FROM bound_t;
SELECT dp_clip_bound(d, 1) FROM bound_t;

DROP FUNCTION usual(text, text), too_far(int);
DROP TABLE bound_t, bound_empty;
DROP DOMAIN bound_domain;
