-- dp_iqr: the interquartile range without bounds, by propose-test-release; exact_leaves by magnitude below it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;
SET dpriv.delta = 1e-6;

-- Leaves: 2^-64 is the first above that of zero, 24576; 128 of them between powers of two; ends for what is beyond.
SELECT x, dpriv.exact_leaves(x, '{0,0,49153}') AS leaf, dpriv.exact_leaves(-x, '{0,0,49153}') AS negative
FROM unnest('{0,5e-324,5.4210108624275216e-20,5.4210108624275222e-20,1,1.0078124999,1.0078125,2,255,256,3.4e38,1.7e308,Infinity,NaN}'::float8[]) WITH ORDINALITY AS v(x, i)
GROUP BY x, i ORDER BY i;
SELECT dpriv.exact_leaves(x, '{0,0,49153}') AS integers, dpriv.exact_leaves(x::int8, '{0,0,49153}') = dpriv.exact_leaves(x::float8, '{0,0,49153}') AS same
FROM unnest(ARRAY[-1, 0, 1, 37, 37, NULL]) x;
SELECT dpriv.exact_leaves(1, '{0,0,49152}');
SELECT dpriv.exact_leaves(1, '{1,0,49153}');

CREATE TABLE iqr_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, flag bool);
INSERT INTO iqr_t SELECT i, i % 101, i % 101, i % 101, i % 101, i % 101, i % 101, i % 2 = 0 FROM generate_series(1, 10100) i;
INSERT INTO iqr_t SELECT 20000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
CREATE TABLE iqr_empty (LIKE iqr_t);

-- The range is 75 - 25 = 50, 10,000 rows: the bin is 45.3 .. 64 and its middle 53.8.
SELECT dp_iqr(i2) AS i2, dp_iqr(i4) AS i4, dp_iqr(i8, 1000) AS i8, dp_iqr(n, 1000, 1e-6) AS n, dp_iqr(r) AS r, dp_iqr(d) AS d FROM iqr_t;
-- Every width is within a factor of 2^(1/4) of its answer, near borders of one grid too, and large or small.
SELECT bool_and(abs(log(2, (answer / width)::numeric)) <= 0.26) AS near, count(*), count(answer) FROM (VALUES
	(1, (SELECT dp_iqr(i4 / 50.0::float8) FROM iqr_t)), (0.7072, (SELECT dp_iqr(i4 * 0.7072::float8 / 50) FROM iqr_t)),
	(0.7070, (SELECT dp_iqr(i4 * 0.7070::float8 / 50) FROM iqr_t)), (0.595, (SELECT dp_iqr(i4 * 0.595::float8 / 50) FROM iqr_t)),
	(0.84, (SELECT dp_iqr(i4 * 0.84::float8 / 50) FROM iqr_t)), (0.841, (SELECT dp_iqr(i4 * 0.841::float8 / 50) FROM iqr_t)),
	(1e30, (SELECT dp_iqr(i4 * 2e28::float8) FROM iqr_t)), (1e-15, (SELECT dp_iqr(i4 * 2e-17::float8) FROM iqr_t)),
	(50, (SELECT dp_iqr(-i4) FROM iqr_t)), (50, (SELECT dp_iqr(i4 - 50) FROM iqr_t)), (50, (SELECT dp_iqr(i4 + 1000) FROM iqr_t))) v(width, answer);
-- No range at all is 0: equal values, NaN, what is too small or too large.
SELECT dp_iqr(7) AS equal, dp_iqr('NaN'::float8) AS nan, dp_iqr(d * 1e-30) AS small, dp_iqr((d + 1) * 1e60) AS large FROM iqr_t;
-- Values that none other is like.
SELECT dp_iqr(x) IS NULL AS few FROM (VALUES (1.5), (-7), (1e300), ('NaN'::float8), ('Infinity'), (NULL)) v(x);

-- Too few rows: NULL, paid all the same.
SELECT dpriv.session_spent() AS before, dpriv.session_spent_delta() AS before_delta \gset
SELECT dp_iqr(i4, 0.5) AS nothing, dp_iqr(NULL::int, 0.25) AS nulls FROM iqr_empty;
SELECT dp_iqr(i4, 0.25, 1e-9) FILTER (WHERE id < 20) AS few FROM iqr_t;
SELECT round((dpriv.session_spent() - :'before')::numeric, 6) AS spent, round((dpriv.session_spent_delta() - :'before_delta')::numeric, 12) AS delta;
-- 50 rows at epsilon 1: the distance is 13 at most, and passes a threshold of 30 with a probability below 1e-3; 10,000 rows have one of hundreds.
CREATE FUNCTION answers(measure text, times int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	n bigint := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE format('SELECT %s FROM iqr_t', measure) INTO answer;
		n := n + (answer IS NOT NULL)::int;
	END LOOP;
	RETURN n;
END$$;
SELECT answers('dp_iqr(i4, 1) FILTER (WHERE id <= 50)', 100) < 20 AS few, answers('dp_iqr(i4, 1)', 100) AS many;

-- Groups, HAVING, a prepared statement; parallel workers.
SELECT flag, round(dp_iqr(i4)::numeric, 2) AS range FROM iqr_t GROUP BY flag HAVING flag IS NOT NULL AND dp_iqr(i4) > 1;
PREPARE iqr_p(float8, float8) AS SELECT round(dp_iqr(i4, $1, $2)::numeric, 2) FROM iqr_t;
EXECUTE iqr_p(1000, 1e-6);
EXECUTE iqr_p(1000, 0);
EXECUTE iqr_p(1000, 0.1);
DEALLOCATE iqr_p;
ALTER TABLE iqr_t SET (parallel_workers = 3);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT round(dp_iqr(i8)::numeric, 2) AS parallel FROM iqr_t;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Said by EXPLAIN.
EXPLAIN (COSTS OFF) SELECT dp_iqr(i4, 0.5, 1e-7) FROM iqr_t;
SELECT measure, mechanism, epsilon, delta FROM dpriv.cost('SELECT dp_iqr(i4, 0.5, 1e-7) FROM iqr_t');

-- Refused.
SET dpriv.delta = 0;
SELECT dp_iqr(i4, 0.5) FROM iqr_t;
SELECT dp_iqr(i4, 0.5, 0.5) FROM iqr_t;
SELECT dp_iqr(i4, d, 1e-6) FROM iqr_t;
SELECT dp_iqr(DISTINCT i4, 0.5, 1e-6) FROM iqr_t;
SELECT dp_error(dp_iqr(i4, 0.5, 1e-6)) FROM iqr_t;
SELECT dp_iqr(flag) FROM iqr_t;
SELECT dp_iqr(i4, 0, 100, 0.5) FROM iqr_t;

DROP FUNCTION answers(text, int);
DROP TABLE iqr_t, iqr_empty;
