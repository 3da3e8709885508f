-- dp_error: how far an answer may be off, and that it costs nothing of its own.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1;

CREATE TABLE error_t AS SELECT i AS id, i % 20 AS x, i % 20 / 8.0::float8 AS d,
	'n' || i % 4 AS name, i % 3 = 0 AS flag
FROM generate_series(1, 1000) i;

-- Counts: the smallest whole h with P[|noise| > h] = 2 r^(h+1) / (1 + r) <= 1 - confidence, r =
-- e^-epsilon.
CREATE FUNCTION error_of_count(epsilon float8,
	confidence float8) RETURNS float8 LANGUAGE sql IMMUTABLE
	RETURN greatest(ceil(ln((1 - confidence) * (1 + exp(-epsilon)) / 2) / -epsilon) - 1, 0);
CREATE TABLE error_answers (epsilon float8, confidence float8, h float8);
DO $$
DECLARE
	e float8;
	c float8;
	h float8;
BEGIN
	FOREACH e IN ARRAY ARRAY[0.001, 0.1, 0.5, 1, 3, 20] LOOP
		FOREACH c IN ARRAY ARRAY[0.001, 0.5, 0.9, 0.95, 0.99, 0.999999] LOOP
			EXECUTE format('SELECT dp_error(dp_count(t, %s), %s) FROM error_t t', e, c) INTO h;
			INSERT INTO error_answers VALUES (e, c, h);
		END LOOP;
	END LOOP;
END
$$;
SELECT count(*), count(*) FILTER (WHERE h = error_of_count(epsilon, confidence)) AS equal
	FROM error_answers;
SELECT epsilon, confidence, h FROM error_answers WHERE confidence = 0.95 ORDER BY epsilon;

-- 0.95 is the default; every kind of count, and each bin of a histogram, has the same error.
SELECT dp_error(dp_count(*)), dp_error(dp_count(*), 0.95), dp_error(dp_count(x)),
	dp_error(dp_count(DISTINCT x)),
	dp_error(dp_count(*) FILTER (WHERE flag)), dp_error(dp_histogram(x, ARRAY[0, 10, 19])),
	dp_error(dp_histogram(name, ARRAY['n1'])) FROM error_t;

-- Sums: the largest bound times as wide; real ones nearly continuous, scale ln(1 / (1 -
-- confidence)).
SELECT dp_error(dp_sum_clipped(x, 0, 20)) AS sum, dp_error(dp_sum_clipped(x, -20, 5)) AS negative
	FROM error_t;
SELECT abs(dp_error(dp_sum_clipped(d, 0, 2.5), 0.9) / (2.5 * ln(10)) - 1) < 1e-9 AS real
	FROM error_t;

-- Means: not public, but from released values; both methods.  With 1 - confidence = 1e-12 the
-- interval holds the truth but for a probability of 1e-12.
SELECT dp_error(dp_avg(x, 0, 20), 0.999999999999) >= abs(dp_avg(x, 0, 20) - 9.5) AS covers,
	dp_error(dp_avg(x, 0, 20)) BETWEEN 1e-6 AND 20 AS sane FROM error_t;
SET dpriv.avg_method = split;
SELECT dp_error(dp_avg(x, 0, 20), 0.999999999999) >= abs(dp_avg(x, 0, 20) - 9.5) AS covers,
	dp_error(dp_avg(x, 0, 20)) BETWEEN 1e-6 AND 20 AS sane FROM error_t;
RESET dpriv.avg_method;

-- Of a mean over nothing: a number, at most the width of the range.
SELECT dp_error(dp_avg(x, 0, 20)) BETWEEN 0 AND 20 AS sane FROM error_t WHERE id > 1000;

-- Beside another release: each level has its own measures.
SELECT dp_error(dp_count(*)), (SELECT dp_error(dp_count(t, 0.1)) FROM error_t t) AS inner,
	(SELECT dp_error(dp_count(o.x), 0.5)) AS outer FROM error_t o;

-- A higher confidence is a wider interval, around one and the same answer.
SELECT dp_error(dp_count(*), 0.5) < dp_error(dp_count(*), 0.9) AND dp_error(dp_count(*),
	0.9) < dp_error(dp_count(*), 0.999)
FROM error_t;
SELECT dp_error(dp_avg(x, 0, 20), 0.5) < dp_error(dp_avg(x, 0, 20), 0.99) FROM error_t;

-- It counts as a use of the measure: one draw and one charge with or without, alone as well.
SELECT dpriv.session_spent()::numeric AS before \gset
SELECT dp_count(*) IS NOT NULL AS answered, dp_error(dp_count(*)), dp_error(dp_count(*), 0.5)
	FROM error_t;
SELECT dpriv.session_spent()::numeric - :before AS cost;
SELECT dpriv.session_spent()::numeric AS before \gset
SELECT dp_error(dp_count(*)) FROM error_t;
SELECT dpriv.session_spent()::numeric - :before AS cost;

-- In expressions, in HAVING, in ORDER BY, per group.
SELECT 2 * dp_error(dp_count(*)) + 1 AS width FROM error_t HAVING dp_error(dp_count(*)) < 4
	ORDER BY dp_error(dp_count(*));
SELECT flag, dp_error(dp_count(*)) FROM error_t GROUP BY flag ORDER BY flag;

-- One level up: the aggregate of an outer level.
SELECT (SELECT dp_error(dp_count(t.x), 0.9)) FROM error_t t;

-- Confidence as a parameter, custom and generic.
PREPARE error_confidence(float8) AS SELECT dp_error(dp_count(*), $1) FROM error_t;
EXECUTE error_confidence(0.5);
EXECUTE error_confidence(0.95);
SET plan_cache_mode = force_generic_plan;
EXECUTE error_confidence(0.5);
EXECUTE error_confidence(0.95);
-- and refused at execution
EXECUTE error_confidence(NULL);
EXECUTE error_confidence(1);
RESET plan_cache_mode;

-- Refused: no interval holds always or never.
SELECT dp_error(dp_count(*), 1) FROM error_t;
SELECT dp_error(dp_count(*), 0) FROM error_t;
SELECT dp_error(dp_count(*), -0.5) FROM error_t;
SELECT dp_error(dp_count(*), 95) FROM error_t;
SELECT dp_error(dp_count(*), 'NaN') FROM error_t;
SELECT dp_error(dp_count(*), NULL) FROM error_t;

-- Refused: a confidence that depends on data or changes by itself.
SELECT dp_error(dp_count(*), x / 20.0) FROM error_t GROUP BY x;
SELECT dp_error(dp_count(*), random()) FROM error_t;
SELECT dp_error(dp_count(*), (SELECT 0.5)) FROM error_t;
SELECT dp_error(dp_count(*), 1.0 / dp_count(*)) FROM error_t;

-- Refused: anything but a private aggregate of the same level.
SELECT dp_error(1);
SELECT dp_error(5) FROM error_t;
SELECT dp_error(dp_count(*) + 1) FROM error_t;
SELECT dp_error(c) FROM (SELECT dp_count(*) AS c FROM error_t) r;
SELECT dp_error(count(*)) FROM error_t;
SELECT dp_error(x) FROM error_t;

DROP TABLE error_t, error_answers;
DROP FUNCTION error_of_count;
