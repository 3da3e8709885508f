-- Gaussian noise: measures with a delta.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

CREATE TABLE gaussian_t (id int, age int, weight float8, small int2, large int8, exact numeric, name text, flag bool);
INSERT INTO gaussian_t SELECT i, i % 50, i / 300.0, i % 7, i, i / 10.0, 'n' || i % 4, i % 3 = 0
	FROM generate_series(1, 300) i;
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN statement || E'\n  NOT REFUSED';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
	detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN statement || E'\n  ' || code || ': ' || message || E'\n  ' || detail || E'\n  ' || hint;
END
$$;

-- The lines of EXPLAIN about measures and costs, release by release.
CREATE FUNCTION costs(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	release jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	FOR release IN SELECT jsonb_path_query(plan, 'strict $.** ? (exists (@.Measures))') LOOP
		RETURN QUERY SELECT * FROM jsonb_array_elements_text(release -> 'Measures');
		RETURN NEXT concat_ws(', ', 'epsilon ' || (release ->> 'Epsilon'), 'delta ' || (release ->> 'Delta'));
	END LOOP;
END
$$;

-- Scales of the noise of a statement's measures, in their order.
CREATE FUNCTION scales(statement text) RETURNS float8[] LANGUAGE sql
	RETURN (SELECT array_agg(substring(line FROM ': discrete \w+, \w+ ([-+.e\d]+)')::float8)
		FROM costs(statement) WITH ORDINALITY AS c(line, at) WHERE line ~ ': discrete');

-- What a statement adds to the charges of the session, in epsilon and delta.
CREATE FUNCTION cost_of(statement text, OUT epsilon numeric, OUT delta numeric) LANGUAGE plpgsql AS $$
BEGIN
	epsilon := -dpriv.session_spent()::text::numeric;
	delta := -dpriv.session_spent_delta()::text::numeric;
	BEGIN
		EXECUTE statement;
	EXCEPTION WHEN OTHERS THEN
	END;
	epsilon := epsilon + dpriv.session_spent()::text::numeric;
	delta := delta + dpriv.session_spent_delta()::text::numeric;
END
$$;

--
-- Forms: delta after epsilon, or from dpriv.delta.
--
SET dpriv.mechanism = gaussian;
SELECT costs('SELECT dp_count(t, 0.5, 1e-6) FROM gaussian_t t');
SELECT costs('SELECT dp_count(t.*, 0.5, 1e-6) FROM gaussian_t t');
SELECT costs('SELECT dp_count(DISTINCT name, 0.5, 1e-6) FROM gaussian_t');
SELECT costs('SELECT dp_count(name, 0.5, 1e-6) FILTER (WHERE flag) FROM gaussian_t');
SELECT costs('SELECT dp_sum_clipped(age, 0, 50, 0.5, 1e-6) FROM gaussian_t');
SELECT costs('SELECT dp_sum_clipped(weight, -1, 0.5, 0.5, 1e-6) FROM gaussian_t');
SELECT costs('SELECT dp_avg(age, 17, 90, 0.5, 1e-6) FROM gaussian_t');
SELECT costs('SELECT dp_variance(age, 17, 90, 0.5, 1e-6) FROM gaussian_t');
SELECT costs('SELECT dp_stddev(weight, 0, 1, 0.5, 1e-6) FROM gaussian_t');
SET dpriv.epsilon = 0.5;
SET dpriv.delta = 1e-6;
SELECT costs('SELECT dp_count(*) FROM gaussian_t');
SELECT costs('SELECT dp_count(age) FROM gaussian_t');
SELECT costs('SELECT dp_sum_clipped(age, 0, 50) FROM gaussian_t');
SELECT costs('SELECT dp_avg(weight, 0, 1) FROM gaussian_t');
-- An argument goes before a setting, and 0 is no delta.
SELECT costs('SELECT dp_count(t, 0.25, 1e-7) FROM gaussian_t t');
SELECT costs('SELECT dp_count(age, 0.25) FROM gaussian_t');
SELECT costs('SELECT dp_count(age, 0.25, 1.2345678901e-7) FROM gaussian_t');
SET dpriv.mechanism = auto;
SELECT costs('SELECT dp_count(t, 0.5, 0) FROM gaussian_t t');
SET dpriv.mechanism = gaussian;

-- All types of numbers answer; integers with whole bounds in whole steps, others in fine ones.
SELECT s = trunc(s) AS small, i = trunc(i) AS integer, l = trunc(l) AS large, n <> trunc(n) AS "numeric",
	w <> trunc(w) AS "float", f <> trunc(f) AS fraction, c IS NOT NULL AS counted
FROM (SELECT dp_sum_clipped(small, 0, 5), dp_sum_clipped(age, -5, 50), dp_sum_clipped(large, 0, 9e15),
		dp_sum_clipped(exact, 0, 5), dp_sum_clipped(weight::real, 0, 1), dp_sum_clipped(age, 0, 5.5),
		dp_count(exact) FROM gaussian_t) AS r(s, i, l, n, w, f, c);

-- Nothing to count: answers all the same, never NULL.
SELECT dp_count(*) IS NULL AS count, dp_sum_clipped(age, 0, 5) IS NULL AS sum, dp_avg(age, 0, 5) BETWEEN 0 AND 5 AS avg
FROM gaussian_t WHERE id > 300;
SELECT flag, dp_count(*) IS NULL AS count, dp_avg(weight, 0, 1) BETWEEN 0 AND 1 AS avg, dp_sum_clipped(age, 0, 5) IS NULL AS sum
FROM gaussian_t GROUP BY flag ORDER BY flag;

-- Large epsilon, so that the noise does not hide mistakes: wrong with a chance below 1e-9.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;
SELECT dp_count(t, 1000, 1e-6) AS rows,
	abs((SELECT dp_sum_clipped(age, 0, 20, 1000, 1e-6) FROM gaussian_t) - 4740) < 8 AS sum,
	(SELECT dp_count(t, 1000, 1e-6) FILTER (WHERE flag) FROM gaussian_t t) AS filtered FROM gaussian_t t;
SELECT abs(a - 24.5) < 0.5 AS joint FROM (SELECT dp_avg(age, 0, 49, 20, 1e-6) FROM gaussian_t) AS r(a);
SET dpriv.avg_method = split;
SELECT abs(a - 24.5) < 0.5 AS split FROM (SELECT dp_avg(age, 0, 49, 20, 1e-6) FROM gaussian_t) AS r(a);
RESET dpriv.avg_method;
RESET dpriv.max_epsilon;
SET dpriv.epsilon = 0.5;

--
-- Refusals
--
\pset format unaligned
\pset tuples_only on
SELECT refusal('SELECT dp_count(t, 0.5, ' || d || ') FROM gaussian_t t')
	FROM unnest(ARRAY['0', '-0.0', '-1e-6', '0.010000001', '0.5', '9.9e-19', '1e-320', '''NaN''', '''Infinity''', 'NULL',
		'age', 'random()', '(SELECT 1e-6)']) AS d;
SELECT refusal('SELECT ' || m || ' FROM gaussian_t')
	FROM unnest(ARRAY['dp_sum_clipped(age, 0, 50, 0.5, 0.02)', 'dp_avg(age, 0, 50, 0.5, ''NaN'')',
		'dp_count(DISTINCT age, 0.5, -1)', 'dp_count(age, 0, 1e-6)', 'dp_avg(age, 0, 50, 1e-6, 0.5)',
		'dp_avg(age, 0.5, 1e-6)', 'dp_histogram(age, ARRAY[0, 10], 0.5, 1e-6)', 'dp_count(*, 0.5, 1e-6)']) AS m;
-- The ends of the range are accepted.
SELECT dp_count(t, 0.5, 1e-18) IS NOT NULL, dp_count(t, 0.5, 0.01) IS NOT NULL FROM gaussian_t t;
-- gaussian needs a delta for each measure that could use it; auto and laplace do not.
SET dpriv.delta = 0;
SELECT refusal('SELECT dp_count(*) FROM gaussian_t');
SELECT refusal('SELECT dp_count(t, 0.5, 1e-6), dp_avg(age, 0, 50) FROM gaussian_t t');
SELECT dp_histogram(age, ARRAY[0, 10]) IS NOT NULL FROM gaussian_t;
-- Together their epsilons leave nothing of so small a delta: a single one is fine, one by one as well.
SELECT dp_count(t, 20, 1e-18) IS NOT NULL FROM gaussian_t t;
SELECT refusal('SELECT dp_count(t, 20, 1e-18), dp_count(age, 20, 1e-18) FROM gaussian_t t');
SELECT refusal('EXPLAIN SELECT dp_count(t, 20, 1e-18), dp_count(age, 20, 1e-18) FROM gaussian_t t');
SET dpriv.mechanism = auto;
SELECT costs('SELECT dp_count(t, 20, 1e-18), dp_count(age, 20, 1e-18) FROM gaussian_t t');
SET dpriv.mechanism = normal;
\pset format aligned
\pset tuples_only off

--
-- Parameters
--
\c -
SET dpriv.mechanism = gaussian;
PREPARE gaussian_p(float8, float8) AS
	SELECT dp_count(t, $1, $2) IS NOT NULL AS count, dp_avg(age, 0, 50, $1, $2) IS NOT NULL AS avg FROM gaussian_t t;
EXECUTE gaussian_p(0.5, 1e-6);
SET plan_cache_mode = force_generic_plan;
EXECUTE gaussian_p(0.5, 2.5e-7);
EXPLAIN (COSTS OFF) EXECUTE gaussian_p(0.25, 1e-8);
EXECUTE gaussian_p(0.5, 0);
EXECUTE gaussian_p(0.5, NULL);
EXECUTE gaussian_p(0.5, 0.5);
EXECUTE gaussian_p(0, 1e-6);
SET dpriv.mechanism = laplace;
EXECUTE gaussian_p(0.5, 0);
SELECT dpriv.session_spent(), dpriv.session_spent_delta();
RESET plan_cache_mode;
RESET dpriv.mechanism;
CREATE FUNCTION gaussian_f(d float8) RETURNS bool LANGUAGE plpgsql SET dpriv.mechanism = gaussian
	AS 'BEGIN RETURN (SELECT dp_count(t, 1, d) IS NOT NULL FROM gaussian_t t); END';
SELECT gaussian_f(1e-6);

--
-- The noise: all Gaussian measures of a release are one vector.
--
SET dpriv.mechanism = gaussian;
SET dpriv.epsilon = 0.5;
SET dpriv.delta = 1e-6;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM gaussian_t;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_sum_clipped(age, 0, 50) FROM gaussian_t;
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_sum_clipped(age, 0, 50, 1), dp_avg(weight, 0, 1, 0.25, 1e-7) FROM gaussian_t;
-- Three of them have at most 0.62 of the noise of separate ones, which would cost as much.
SELECT scale / alone AS ratio, scale / alone <= 0.62 AS enough
FROM unnest(scales('SELECT dp_count(*), dp_count(age), dp_count(weight) FROM gaussian_t')) AS scale,
	unnest(scales('SELECT dp_count(*) FROM gaussian_t')) AS alone;
-- The size of the noise, recomputed: mu^2 = sum (sensitivity / sigma)^2 buys the sums of epsilon and
-- delta, and each measure has its share of epsilon.
SELECT round((dpriv.gaussian_epsilon(1, 1 / sqrt((1 / s[1])^2 + (50 / s[2])^2 + (1 / s[3])^2), 2.1e-6) / 1.75)::numeric, 5) AS of_epsilon,
	round(((1 / s[1])^2 / ((1 / s[1])^2 + (50 / s[2])^2 + (1 / s[3])^2))::numeric, 5) AS share_1,
	round(((50 / s[2])^2 / ((1 / s[1])^2 + (50 / s[2])^2 + (1 / s[3])^2))::numeric, 5) AS share_2,
	round(((1 / s[3])^2 / ((1 / s[1])^2 + (50 / s[2])^2 + (1 / s[3])^2))::numeric, 5) AS share_3
FROM scales('SELECT dp_count(*), dp_sum_clipped(age, 0, 50, 1), dp_avg(weight, 0, 1, 0.25, 1e-7) FROM gaussian_t') AS s;
-- A mean by itself: a pair of sums, each row adds 73 to it.
SELECT round((dpriv.gaussian_epsilon(73, s[1], 1e-6) / 0.5)::numeric, 5) AS of_epsilon
FROM scales('SELECT dp_avg(age, 17, 90) FROM gaussian_t') AS s;
SET dpriv.avg_method = split;
EXPLAIN (COSTS OFF) SELECT dp_avg(age, 17, 90) FROM gaussian_t;
RESET dpriv.avg_method;
-- A variance by itself: three sums, which a row moves by at most 73^2 together.  With a count and a mean, one vector.
SELECT round((dpriv.gaussian_epsilon(73 ^ 2, s[1], 1e-6) / 0.5)::numeric, 5) AS of_epsilon
FROM scales('SELECT dp_variance(age, 17, 90) FROM gaussian_t') AS s;
SELECT round((dpriv.gaussian_epsilon(1, 1 / sqrt((1 / s[1])^2 + (73 / s[2])^2 + (73^2 / s[3])^2), 3e-6) / 1.5)::numeric, 5) AS of_epsilon,
	round((s[2] / s[1])::numeric, 2) AS mean, round((s[3] / s[1])::numeric) AS variance
FROM scales('SELECT dp_count(*), dp_avg(age, 17, 90), dp_variance(age, 17, 90) FROM gaussian_t') AS s;
-- Single numbers have noise from the integers, for which the continuous formula may ask too much or too little.
SELECT epsilon, delta, scale AS sigma, round((scale / dpriv.gaussian_sigma(1, epsilon, delta))::numeric, 3) AS of_continuous
FROM (VALUES (0.01, 1e-6), (0.5, 1e-6), (3, 1e-9), (0.5, 0.01), (20, 0.01)) AS v(epsilon, delta),
	unnest(scales(format('SELECT dp_count(t, %s, %s) FROM gaussian_t t', epsilon, delta))) AS scale;
-- Releases of one statement are separate; so are the levels of a query.
SELECT costs('SELECT dp_count(*), (SELECT dp_count(*) FROM gaussian_t) FROM gaussian_t');
-- Groups cost nothing: a row is in one of them.
EXPLAIN (COSTS OFF) SELECT flag, dp_count(*), dp_avg(age, 0, 50) FROM gaussian_t GROUP BY flag;
-- Histograms keep Laplace noise and spend no delta.
EXPLAIN (COSTS OFF) SELECT dp_count(*), dp_histogram(age, ARRAY[0, 10, 20]), dp_histogram(name, ARRAY['n1']) FROM gaussian_t;
-- Equal measures are one; another delta makes another measure.
SELECT costs('SELECT dp_count(t, 0.5, 1e-6), dp_count(t, 0.5, 0.000001), dp_count(t, 0.5, 1e-7) FROM gaussian_t t');

--
-- auto: whichever has less noise, for all measures of a release together.
--
SET dpriv.mechanism = auto;
SELECT costs('SELECT dp_count(*) FROM gaussian_t');
SELECT costs('SELECT dp_avg(age, 17, 90) FROM gaussian_t');
-- With so large a delta even one of them has less.
SELECT costs('SELECT dp_count(t, 0.01, 0.001) FROM gaussian_t t');
-- With n counts: chosen as soon as its standard deviation is below that of Laplace noise, and not before.
CREATE FUNCTION counts(n int) RETURNS text LANGUAGE sql
	RETURN 'SELECT ' || (SELECT string_agg('dp_count(age + ' || i || ')', ', ') FROM generate_series(1, n) i) || ' FROM gaussian_t';
CREATE TABLE gaussian_auto (n int, mechanism text, sigma float8);
DO $$
DECLARE
	n int;
	first text;
	s float8[];
BEGIN
	FOR n IN 1 .. 16 LOOP
		SELECT c INTO first FROM costs(counts(n)) AS c LIMIT 1;
		SET LOCAL dpriv.mechanism = gaussian;
		s := scales(counts(n));
		SET LOCAL dpriv.mechanism = auto;
		INSERT INTO gaussian_auto VALUES (n, substring(first FROM 'discrete (\w+)'), s[1]);
	END LOOP;
END
$$;
SELECT mechanism, min(n), max(n), bool_and((sigma < sqrt(8)) = (mechanism = 'Gaussian')) AS right FROM gaussian_auto
GROUP BY mechanism ORDER BY 2;
-- A measure without delta keeps Laplace noise beside others that have one.
SELECT costs(replace(counts(16), 'dp_count(age + 1),', 'dp_count(id, 0.5, 0), dp_histogram(age, ARRAY[0, 10]),'));
SET dpriv.mechanism = laplace;
SELECT costs('SELECT dp_count(t, 0.5, 1e-6), dp_avg(age, 0, 50, 0.5, 1e-6) FROM gaussian_t t');

--
-- dp_error: public for counts and sums, from the answer for means.
--
SET dpriv.mechanism = gaussian;
SELECT dp_error(dp_count(t, 0.5, 1e-6)) AS count, dp_error(dp_count(t, 0.5, 1e-6), 0.5) AS at_50,
	dp_error(dp_count(t, 0.5, 1e-6), 0.99) AS at_99 FROM gaussian_t t;
SELECT error / sigma BETWEEN 1.959963 AND 1.96 + 0.5 / sigma AS right
FROM (SELECT dp_error(dp_sum_clipped(age, 0, 50, 0.5, 1e-6)) FROM gaussian_t) AS r(error),
	unnest(scales('SELECT dp_sum_clipped(age, 0, 50, 0.5, 1e-6) FROM gaussian_t')) AS sigma;
SELECT round((error / sigma)::numeric, 5) AS sigmas
FROM (SELECT dp_error(dp_sum_clipped(weight, 0, 1)), dp_error(dp_count(*)) FROM gaussian_t) AS r(error),
	unnest((scales('SELECT dp_sum_clipped(weight, 0, 1), dp_count(*) FROM gaussian_t'))[1:1]) AS sigma;
SELECT dp_error(dp_avg(age, 0, 50), 0.999999999999) >= abs(dp_avg(age, 0, 50) - 24.5) AS covers,
	dp_error(dp_avg(age, 0, 50)) BETWEEN 1e-6 AND 50 AS sane FROM gaussian_t;
SELECT dp_error(dp_variance(age, 0, 49), 0.999999999999) >= abs(dp_variance(age, 0, 49) - 208.25) AS variance,
	dp_error(dp_stddev(age, 0, 49), 0.999999999999) >= abs(dp_stddev(age, 0, 49) - sqrt(208.25)) AS stddev,
	dp_error(dp_variance(age, 0, 49)) BETWEEN 1e-6 AND 49 ^ 2 AS sane FROM gaussian_t;
SET dpriv.avg_method = split;
SELECT dp_error(dp_avg(age, 0, 50), 0.999999999999) >= abs(dp_avg(age, 0, 50) - 24.5) AS covers,
	dp_error(dp_avg(age, 0, 50)) BETWEEN 1e-6 AND 50 AS sane FROM gaussian_t;
RESET dpriv.avg_method;

--
-- Charges, in decimals
--
\c -
SET dpriv.mechanism = gaussian;
SET dpriv.epsilon = 0.5;
SET dpriv.delta = 1e-6;
SELECT statement, (cost_of(statement)).* FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM gaussian_t',
	'SELECT dp_count(*), dp_avg(age, 0, 50), dp_sum_clipped(age, 0, 50, 0.1, 3e-9) FROM gaussian_t',
	'SELECT dp_count(*), dp_count(*), dp_error(dp_count(*)) FROM gaussian_t',
	'SELECT flag, dp_count(*) FROM gaussian_t GROUP BY flag',
	'SELECT dp_count(*), dp_histogram(age, ARRAY[0, 10]) FROM gaussian_t',
	'SELECT (SELECT dp_count(*) FROM gaussian_t) + (SELECT dp_count(*) FROM gaussian_t)',
	'SELECT dp_count(*) / 0 FROM gaussian_t',
	'EXPLAIN SELECT dp_count(*) FROM gaussian_t',
	'EXPLAIN ANALYZE SELECT dp_count(*) FROM gaussian_t',
	'SELECT dp_count(*) FROM gaussian_t WHERE false',
	'SELECT dp_avg(age, 0, 50) FROM gaussian_t LIMIT 0',
	'SELECT dp_count(t, 0.5, 0.5) FROM gaussian_t t',
	'SELECT dp_count(*), dp_count(t, 0.5, 0) FROM gaussian_t t']) AS statement;
-- Laplace noise spends no delta, whether asked for or chosen.
SET dpriv.mechanism = laplace;
SELECT (cost_of('SELECT dp_count(*), dp_avg(age, 0, 50, 0.1, 3e-9) FROM gaussian_t')).*;
SET dpriv.mechanism = auto;
SELECT (cost_of('SELECT dp_count(*), dp_avg(age, 0, 50, 0.1, 3e-9) FROM gaussian_t')).*;
SELECT (cost_of(counts(16))).*;
-- Ten times 1e-7, to the last digit.
\c -
SET dpriv.mechanism = gaussian;
DO $$ BEGIN FOR i IN 1..10 LOOP PERFORM dp_count(t, 0.1, 1e-7) FROM gaussian_t t; END LOOP; END $$;
SELECT dpriv.session_spent(), dpriv.session_spent_delta(), dpriv.session_spent_delta() = 1e-6 AS exactly;

-- Who caps epsilon alone means pure privacy; a cap on delta is a cap of its own.
\c -
SET dpriv.mechanism = gaussian;
SET dpriv.epsilon = 0.1;
SET dpriv.delta = 1e-7;
SET dpriv.session_budget = 1;
SELECT dp_count(*) FROM gaussian_t;
SELECT dp_count(*) FROM gaussian_t WHERE 1 / (age - 42) > 0;
SET dpriv.mechanism = auto;
SELECT dp_count(*) IS NOT NULL AS laplace FROM gaussian_t;
SET dpriv.mechanism = gaussian;
SET dpriv.session_budget_delta = 3e-7;
SELECT dp_count(*) IS NOT NULL, dp_count(age) IS NOT NULL FROM gaussian_t;
-- All or nothing, exactly at the limit, nothing spent by a refusal.
SELECT dp_count(*), dp_count(age) FROM gaussian_t;
SELECT (SELECT dp_count(*) FROM gaussian_t), (SELECT dp_count(*) FROM gaussian_t);
SELECT dpriv.session_spent(), dpriv.session_spent_delta();
SELECT dp_count(*) IS NOT NULL FROM gaussian_t;
SELECT dp_count(t, 0.1, 1e-18) FROM gaussian_t t;
\echo :LAST_ERROR_SQLSTATE
SELECT dp_count(*) FROM gaussian_t LIMIT 0;
SELECT dp_histogram(age, ARRAY[0, 10]) IS NOT NULL FROM gaussian_t;
SELECT dpriv.session_spent(), dpriv.session_spent_delta();
-- Epsilon is looked at too.
SET dpriv.session_budget_delta = 1;
SELECT dp_count(t, 0.51, 1e-7) FROM gaussian_t t;
BEGIN;
SELECT dp_count(t, 0.1, 1e-7) IS NOT NULL FROM gaussian_t t;
ROLLBACK;
SELECT dpriv.session_spent(), dpriv.session_spent_delta();

--
-- A large delta is warned of where it is spent: once for a statement.
--
\c -
SET dpriv.epsilon = 0.5;
SET dpriv.mechanism = gaussian;
SET dpriv.delta = 1e-5;
SELECT dp_count(*) IS NOT NULL FROM gaussian_t;
SET dpriv.delta = 1.1e-5;
SELECT flag, dp_count(*) IS NOT NULL, dp_avg(age, 0, 50, 1, 0.001) IS NOT NULL FROM gaussian_t GROUP BY flag;
SELECT (SELECT dp_count(t, 1, 0.002) FROM gaussian_t t) IS NULL, (SELECT dp_count(t, 1, 0.003) FROM gaussian_t t) IS NULL
FROM generate_series(1, 3);
SELECT dp_count(t, 0.5, 1e-6) IS NOT NULL FROM gaussian_t t;
-- Not where nothing is spent.
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM gaussian_t;
SELECT dp_count(*) FROM gaussian_t LIMIT 0;
SELECT dp_histogram(age, ARRAY[0, 10]) IS NOT NULL FROM gaussian_t;
SET dpriv.mechanism = laplace;
SELECT dp_count(*) IS NOT NULL FROM gaussian_t;
-- Choosing groups spends it with any noise.
SELECT name, dp_count(*) > 0 AS positive FROM gaussian_t GROUP BY name;

SET client_min_messages = warning;
DROP TABLE gaussian_t, gaussian_auto;
DROP FUNCTION refusal, costs, scales, cost_of, counts, gaussian_f;
