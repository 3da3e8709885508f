-- What is charged besides epsilon and delta: rho and divergences of the noise that is drawn.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

CREATE TABLE curves_t AS SELECT i % 50 AS age, i / 3.0::float8 AS pay, 'n' || i % 4 AS name, i % 3 = 0 AS flag,
	ARRAY[i % 3, 1, 2, i % 7]::float8[] AS v FROM generate_series(1, 300) i;

-- The orders of a curve, as in src/accounting/cost.c.
CREATE FUNCTION curve_orders() RETURNS float8[] IMMUTABLE LANGUAGE sql
	RETURN '{1.5, 2, 2.5, 3, 3.5, 4.5, 6, 8, 10, 13, 18, 24, 32, 44, 60, 80, 110, 150, 200, 270, 360, 480}'::float8[];

-- Curve and rho (at order 1) of the least expression over alpha that the test expects.
CREATE FUNCTION expected_curve(expression text, OUT rho float8, OUT curve float8[]) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT %1$s FROM (VALUES (1.0::float8)) AS o(alpha)', expression) INTO rho;
	EXECUTE format('SELECT array_agg(%1$s ORDER BY alpha) FROM unnest(curve_orders()) AS o(alpha)', expression) INTO curve;
END
$$;

-- Runs a query; how what it was charged differs from what is expected: never below but for rounding (1e-12), and
-- never above by more than the tolerance.
CREATE FUNCTION charged(query text, expression text, tolerance float8 DEFAULT 1e-9,
	OUT epsilon float8, OUT delta_basic float8, OUT delta_approx float8, OUT as_expected text) LANGUAGE plpgsql AS $$
DECLARE
	row dpriv.ledger;
	expected record;
	worst float8;
	least float8;
BEGIN
	EXECUTE 'SELECT count(*) FROM (' || query || ') AS q';
	SELECT * INTO STRICT row FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 1;
	SELECT * INTO expected FROM expected_curve(expression);
	SELECT max(c / e), min(c / e) INTO worst, least
		FROM unnest(row.curve || row.rho, expected.curve || expected.rho) AS u(c, e);
	epsilon := row.epsilon;
	delta_basic := row.delta_basic;
	delta_approx := row.delta_approx;
	as_expected := CASE WHEN array_length(row.curve, 1) <> 22 THEN 'another number of orders'
		WHEN worst <= 1 + tolerance AND least >= 1 - 1e-12 THEN 'yes'
		ELSE format('from %s to %s of it', least, worst) END;
END
$$;

SET dpriv.epsilon = 0.5;

-- Counts and sums of integers: steps of 1.  Bins of a histogram share one sensitivity.
SELECT * FROM charged('SELECT dp_count(*) FROM curves_t', 'dpriv.rdp_discrete_laplace(0.5, 1, alpha)');
SELECT * FROM charged('SELECT dp_sum_clipped(age, -7, 50, 0.1) FROM curves_t', 'dpriv.rdp_discrete_laplace(0.1, 50, alpha)');
SELECT * FROM charged('SELECT dp_histogram(age, ARRAY[0, 10, 20, 30], 2) FROM curves_t', 'dpriv.rdp_discrete_laplace(2, 1, alpha)');

-- The clip curve's largest candidate is the sensitivity of all.
SELECT * FROM charged('SELECT dp_clip_curve(age, ARRAY[5, 10, 40], 0.5) FROM curves_t', 'dpriv.rdp_discrete_laplace(0.5, 40, alpha)');

-- Fine steps: as continuous noise.
SELECT * FROM charged('SELECT dp_sum_clipped(pay, 0, 100, 0.5) FROM curves_t', 'dpriv.rdp_laplace(0.5, alpha)');
SELECT * FROM charged('SELECT dp_variance(age, 0, 50, 0.5) FROM curves_t', 'dpriv.rdp_laplace(0.5, alpha)');

-- Means: one sampler, or two with half of epsilon each.
SELECT * FROM charged('SELECT dp_avg(age, 10, 50) FROM curves_t', 'dpriv.rdp_discrete_laplace(0.5, 40, alpha)');
SET dpriv.avg_method = split;
SELECT * FROM charged('SELECT dp_avg(age, 10, 50) FROM curves_t',
	'dpriv.rdp_discrete_laplace(0.25, 50, alpha) + dpriv.rdp_discrete_laplace(0.25, 1, alpha)');
RESET dpriv.avg_method;

-- Vectors: all in one coordinate for the sum of sizes.  For Euclidean length, half of epsilon in each of four
-- coordinates, whose squares add up to a quarter of it.
SELECT * FROM charged('SELECT dp_sum_vector(v, 4, 3, ''l1'', 0.5) FROM curves_t', 'dpriv.rdp_laplace(0.5, alpha)');
SELECT * FROM charged('SELECT dp_sum_vector(v, 4, 3, ''l2'', 0.5) FROM curves_t', 'least(dpriv.rdp_laplace(0.5, alpha), alpha * 0.5 ^ 2 / 4 / 2)');

-- Choices, each of them by itself: one; k; as many as a bisection has levels.
SELECT * FROM charged('SELECT dp_mode(name, ARRAY[''n1'', ''n2'', ''n3'']) FROM curves_t', 'dpriv.rdp_pure(0.5, alpha)');
SELECT * FROM charged('SELECT dp_top_k(name, ARRAY[''n1'', ''n2'', ''n3''], 2) FROM curves_t', '2 * dpriv.rdp_pure(0.25, alpha)');
SELECT * FROM charged('SELECT dp_median(age, 0, 50) FROM curves_t', 'dpriv.rdp_pure(0.5, alpha)');
SELECT * FROM charged('SELECT dp_quantiles(age, ARRAY[0.1, 0.5, 0.9], 0, 50) FROM curves_t', '2 * dpriv.rdp_pure(0.25, alpha)');
SELECT * FROM charged('SELECT dp_quantiles(age, ARRAY[0.1, 0.2, 0.5, 0.9], 0, 50, 0.6) FROM curves_t', '3 * dpriv.rdp_pure(0.2, alpha)');

-- Bounds found with a quarter of epsilon, or with all of it.
SELECT * FROM charged('SELECT dp_bounds(pay) FROM curves_t', 'dpriv.rdp_pure(0.5, alpha)');
SELECT * FROM charged('SELECT dp_sum(pay) FROM curves_t', 'dpriv.rdp_pure(0.125, alpha) + dpriv.rdp_pure(0.375, alpha)');
SELECT * FROM charged('SELECT dp_avg(age, 1) FROM curves_t', 'dpriv.rdp_pure(0.25, alpha) + dpriv.rdp_pure(0.75, alpha)');

-- What is finer than 1e-12 is charged, but makes no noise.
SELECT * FROM charged('SELECT dp_count(curves_t, 0.1234567890125) FROM curves_t', 'dpriv.rdp_discrete_laplace(0.123456789012, 1, alpha)');

-- Several measures and releases of a statement add up.
SELECT * FROM charged('SELECT dp_count(*), dp_median(age, 0, 50, 1), dp_sum_clipped(age, 0, 50, 0.1) FROM curves_t',
	'dpriv.rdp_pure(0.5, alpha) + dpriv.rdp_pure(1, alpha) + dpriv.rdp_discrete_laplace(0.1, 50, alpha)');
SELECT * FROM charged('SELECT dp_count(*) FROM curves_t UNION ALL SELECT dp_count(*) FROM curves_t', '2 * dpriv.rdp_pure(0.5, alpha)');

-- Gaussian noise: delta counts where losses are added up as (epsilon, delta) only.  All measures of a release are one
-- vector for the sums of epsilons and deltas.
SET dpriv.mechanism = gaussian;
SELECT * FROM charged('SELECT dp_count(curves_t, 0.5, 1e-6) FROM curves_t',
	'dpriv.rdp_gaussian(1, dpriv.gaussian_sigma(1, 0.5, 1e-6, ''discrete''), alpha)', 1e-6);
SELECT * FROM charged('SELECT dp_count(curves_t, 0.5, 1e-6), dp_avg(age, 0, 50, 0.25, 1e-7) FROM curves_t',
	'dpriv.rdp_gaussian(1, dpriv.gaussian_sigma(1, 0.75, 1.1e-6), alpha)', 1e-6);
SELECT * FROM charged('SELECT dp_sum_vector(v, 4, 3, ''l2'', 0.5, 1e-6) FROM curves_t',
	'dpriv.rdp_gaussian(1, dpriv.gaussian_sigma(1, 0.5, 1e-6), alpha)', 1e-6);
SELECT * FROM charged('SELECT dp_count(curves_t, 0.5, 1e-6), dp_median(age, 0, 50) FROM curves_t',
	'dpriv.rdp_gaussian(1, dpriv.gaussian_sigma(1, 0.5, 1e-6, ''discrete''), alpha) + dpriv.rdp_pure(0.5, alpha)', 1e-6);
RESET dpriv.mechanism;

-- Groups chosen by a released count cost delta, under every accountant; others epsilon too.  Public ones nothing.
SET dpriv.delta = 1e-6;
SELECT * FROM charged('SELECT name, dp_count(*) FROM curves_t GROUP BY name', 'dpriv.rdp_pure(0.5, alpha)');
SET dpriv.selection_epsilon = 0.2;
SELECT * FROM charged('SELECT name, dp_sum_clipped(age, 0, 50) FROM curves_t GROUP BY name',
	'dpriv.rdp_discrete_laplace(0.5, 50, alpha) + dpriv.rdp_pure(0.2, alpha)');
SELECT * FROM charged('SELECT flag, dp_sum_clipped(age, 0, 50) FROM curves_t GROUP BY flag', 'dpriv.rdp_discrete_laplace(0.5, 50, alpha)');

DROP FUNCTION charged, expected_curve, curve_orders;
DROP TABLE curves_t;
