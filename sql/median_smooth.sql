-- dp_median_smooth: the median with noise of its smooth sensitivity.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;
SET dpriv.delta = 1e-6;

CREATE TABLE smooth_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, flag bool);
INSERT INTO smooth_t SELECT i, i % 101, i % 101, i % 101, i % 101, i % 101, i % 101, i % 2 = 0 FROM generate_series(1, 10100) i;
INSERT INTO smooth_t SELECT 20000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
CREATE TABLE smooth_empty (LIKE smooth_t);

-- The median is 50, and so it is after 50 rows more or less: noise of scale 100 e^(-50 beta) / 500, with beta 3.7.
SELECT round(dp_median_smooth(i2, 0, 100)::numeric, 3) AS i2, round(dp_median_smooth(i4, 0, 100)::numeric, 3) AS i4,
	round(dp_median_smooth(i8, 0, 100, 1000)::numeric, 3) AS i8, round(dp_median_smooth(n, 0, 100, 1000, 1e-6)::numeric, 1) AS n,
	round(dp_median_smooth(r, 0, 100)::numeric, 1) AS r, round(dp_median_smooth(d, 0, 100)::numeric, 1) AS d FROM smooth_t;
-- Of an even number of values the lower one of the two in the middle; the gap between them is the noise: 10 / 500, here within 0.4 but for
-- a probability of 1e-8.
SELECT abs(dp_median_smooth(x, 0, 20) - 5) < 0.4 AS lower_one FROM (SELECT CASE WHEN i <= 50 THEN 5 ELSE 15 END FROM generate_series(1, 100) i) v(x);
SELECT round(dp_median_smooth(x, 0, 20)::numeric, 3) AS odd FROM (SELECT CASE WHEN i <= 50 THEN 5 ELSE 15 END FROM generate_series(1, 111) i) v(x);
-- Clipped to the bounds, which may exclude all values; whole numbers, or parts of a range.
SELECT round(dp_median_smooth(i4, 60, 100)::numeric, 2) AS all_below, round(dp_median_smooth(i4, -100, 20)::numeric, 2) AS all_above,
	dp_median_smooth(d, 0.2, 0.8) BETWEEN 0.7999 AND 0.8 AS no_whole_number FROM smooth_t;
-- NaN counts as 0; NULL nowhere; without rows the lowest leaf, with noise of the whole range: within it.
SELECT round(dp_median_smooth('NaN'::float8, -1, 9)::numeric, 2) AS nan FROM smooth_t;
SELECT dp_median_smooth(i4, 0, 10, 1) BETWEEN 0 AND 10 AS nothing, dp_median_smooth(NULL::int, 0, 10) BETWEEN 0 AND 10 AS nulls FROM smooth_empty;
SELECT dp_median_smooth(i4, 0, 0.5) IS NOT NULL AS narrow, dp_median_smooth(d, -1e200, 1e200) BETWEEN -1e200 AND 1e200 AS wide FROM smooth_t;
SELECT dp_median_smooth(i4, 0, 100, 1e-6) BETWEEN 0 AND 100 AS least_epsilon, dp_median_smooth(d, 0, 100, 1e-6, 1e-18) BETWEEN 0 AND 100 AS least_both FROM smooth_t;

-- Groups, HAVING, FILTER, expressions, a prepared statement.
SELECT flag, round(dp_median_smooth(i4, 0, 100)::numeric, 2) FROM smooth_t GROUP BY flag HAVING flag IS NOT NULL AND dp_median_smooth(i4, 0, 100) > 1;
SELECT round(dp_median_smooth(i4 * 2, 0, 200)::numeric, 2) + 1 AS above, round(dp_median_smooth(i4, 0, 100) FILTER (WHERE i4 < 21)::numeric, 2) AS filtered FROM smooth_t;
SET plan_cache_mode = force_generic_plan;
PREPARE smooth_p(float8, float8, float8, float8) AS SELECT round(dp_median_smooth(i4, $1, $2, $3, $4)::numeric, 2) FROM smooth_t;
EXECUTE smooth_p(0, 100, 1000, 1e-6);
EXECUTE smooth_p(0, 20, 500, 1e-9);
EXECUTE smooth_p(0, 20, 500, 0);
EXECUTE smooth_p(0, NULL, 500, 0);
DEALLOCATE smooth_p;
RESET plan_cache_mode;

-- Declared bounds.
CREATE TABLE smooth_declared AS SELECT * FROM smooth_t;
SELECT dpriv.set_bounds('smooth_declared', 'i4', 0, 100);
SELECT round(dp_median_smooth(i4)::numeric, 2) AS declared, round(dp_median_smooth(i4, 5)::numeric) AS epsilon FROM smooth_declared;
SELECT dp_median_smooth(i4) FROM smooth_t;

-- Noise: half of the values are 50 and half 150, so S is 100, and at epsilon 600 the scale is 1 / 3.  It is the mean distance of answers
-- from the median; of 2000 within 12 % but for a probability of 1e-6.
CREATE FUNCTION distance(times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	total float8 := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		SELECT dp_median_smooth((50 + (id % 2) * 100) * 1.0::float8, -50, 250, 600) INTO answer FROM smooth_t WHERE id <= 100;
		total := total + abs(answer - 50);
	END LOOP;
	RETURN total / times;
END$$;
SELECT distance(2000) BETWEEN 1.0/3 * 0.88 AND 1.0/3 * 1.12 AS of_the_gap;

-- Paid for like any other, with delta; said by EXPLAIN.
SELECT dpriv.session_spent() AS before, dpriv.session_spent_delta() AS before_delta \gset
SELECT dp_median_smooth(i4, 0, 100, 0.3, 1e-7) IS NULL AS "null", dp_median_smooth(i4, 0, 100, 0.2) IS NULL AS "null" FROM smooth_t;
SELECT round((dpriv.session_spent() - :'before')::numeric, 6) AS spent, round((dpriv.session_spent_delta() - :'before_delta')::numeric, 12) AS delta;
EXPLAIN (COSTS OFF) SELECT dp_median_smooth(i4, 0, 100, 0.5) FROM smooth_t;
SELECT measure, mechanism, epsilon, delta FROM dpriv.cost('SELECT dp_median_smooth(i4, 0, 100, 0.5, 1e-7), dp_median_smooth(i4, 0, 90, 0.5) FROM smooth_t');
-- No Gaussian noise, whatever the setting.
SET dpriv.mechanism = gaussian;
SELECT mechanism FROM dpriv.cost('SELECT dp_median_smooth(i4, 0, 100, 0.5, 1e-7) FROM smooth_t');
RESET dpriv.mechanism;

-- Parallel workers.
ALTER TABLE smooth_t SET (parallel_workers = 3);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
SELECT round(dp_median_smooth(i8, 0, 100)::numeric, 2) AS parallel FROM smooth_t;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- Refused.
SET dpriv.delta = 0;
SELECT dp_median_smooth(i4, 0, 100, 0.5) FROM smooth_t;
SELECT dp_median_smooth(i4, 0, 100, 0.5, 0) FROM smooth_t;
SELECT dp_median_smooth(i4, 0, 100, 0.5, 0.5) FROM smooth_t;
SELECT dp_median_smooth(i4, 100, 0, 0.5, 1e-6) FROM smooth_t;
SELECT dp_median_smooth(i4, 0, 'Infinity', 0.5, 1e-6) FROM smooth_t;
SELECT dp_median_smooth(i4, i4, 100, 0.5, 1e-6) FROM smooth_t;
SELECT dp_median_smooth(i4, 0, 100, 0.5, d) FROM smooth_t;
SELECT dp_median_smooth(DISTINCT i4, 0, 100, 0.5, 1e-6) FROM smooth_t;
SELECT dp_error(dp_median_smooth(i4, 0, 100, 0.5, 1e-6)) FROM smooth_t;
SELECT dp_median_smooth(flag, 0, 1) FROM smooth_t;
SELECT dp_median_smooth(i4, 0, 100, 0.5, 1e-6, 1) FROM smooth_t;

DROP FUNCTION distance(int);
DROP TABLE smooth_t, smooth_empty, smooth_declared;
