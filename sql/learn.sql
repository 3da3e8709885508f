-- Training, prediction and evaluation: what they answer, refuse, charge and read.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
CREATE ROLE learn_analyst;
CREATE ROLE learn_poor;
RESET client_min_messages;
SET dpriv.delta = 1e-6;

CREATE TYPE learn_shade AS ENUM ('dark', 'light');
CREATE TABLE learn_t (
	id int PRIMARY KEY, age int, score numeric, real_score float8, city text, padded char(4), shade learn_shade,
	smokes boolean, born date, ill boolean, answer text, grade learn_shade, points int);
INSERT INTO learn_t
SELECT i, i % 80, i % 80, i % 80, (ARRAY['ant', 'bee', 'cat'])[1 + i % 3], (ARRAY['x', 'yy'])[1 + i % 2],
	(ARRAY['dark', 'light'])[1 + i % 2]::learn_shade, i % 2 = 0, date '2000-01-01' + i, i % 80 > 40,
	CASE WHEN i % 80 > 40 THEN 'yes' ELSE 'no' END, CASE WHEN i % 80 > 40 THEN 'light' ELSE 'dark' END::learn_shade,
	CASE WHEN i % 80 > 40 THEN 7 ELSE 3 END
FROM generate_series(1, 4000) i;

--
-- Answers
--

-- Terms: the intercept, numbers by name, a term for each value of a category and one for all else.
SELECT term, weight IS NOT NULL AS has_weight
FROM dp_logreg_train('learn_t', 'ill', ARRAY['age', 'city', 'smokes', 'shade', 'padded'], epsilon => 5,
	options => '{"features": {"age": [0, 80], "city": ["ant", "bee"], "padded": ["x", "yy"]}}');

-- A threshold is found, whatever the type of number, and with both methods.
SELECT column_name, -max(weight) FILTER (WHERE term = 'intercept') / max(weight) FILTER (WHERE term <> 'intercept') BETWEEN 35 AND 46 AS found
FROM (
	SELECT 'age' AS column_name, * FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 20, options => '{"features": {"age": [0, 80]}}')
	UNION ALL
	SELECT 'score', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['score'], 20, options => '{"features": {"score": [0, 80]}}')
	UNION ALL
	SELECT 'real_score', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['real_score'], 20, options => '{"features": {"real_score": [0, 80]}}')
	UNION ALL
	SELECT 'course', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 20, method => 'course', options => '{"features": {"age": [0, 80]}}')
	UNION ALL
	SELECT 'course, zcdp', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 20, method => 'course',
		options => '{"features": {"age": [0, 80]}, "accounting": "zcdp", "iterations": 30, "learning_rate": 8, "clip": 0.5}')
	UNION ALL
	SELECT 'sgd', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 20, method => 'sgd', options => '{"features": {"age": [0, 80]}, "rate": 0.05}')
	UNION ALL
	SELECT 'sgd, size', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 20, method => 'sgd', options => '{"features": {"age": [0, 80]}, "batch_size": 200}')
	UNION ALL
	SELECT 'objective', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 5, method => 'objective', options => '{"features": {"age": [0, 80]}}')
	) AS models
GROUP BY column_name ORDER BY column_name;

-- Bounds and values that are declared; those of the call come first.
SELECT dpriv.set_bounds('learn_t', 'age', 0, 80), dpriv.set_domain('learn_t', 'city', ARRAY['bee', 'ant'], other => 'else');
SELECT term FROM dp_logreg_train('learn_t', 'ill', ARRAY['age', 'city'], 1);
SELECT term FROM dp_logreg_train('learn_t', 'ill', ARRAY['age', 'city'], 1, options => '{"features": {"city": ["cat"]}}');
-- Through views, of what is the column as it is, and of numbers in another type; not of what is computed.
CREATE VIEW learn_declared AS SELECT age::float8 AS years, city AS town, age + 1 AS older, ill FROM learn_t;
CREATE VIEW learn_declared_2 AS SELECT ill, town AS place, years FROM (SELECT * FROM learn_declared WHERE ill IS NOT NULL) s;
SELECT term FROM dp_logreg_train('learn_declared_2', 'ill', ARRAY['place', 'years'], 1);
SELECT term FROM dp_logreg_train('learn_declared', 'ill', ARRAY['older'], 1);
-- Views that read each other, which the server refuses to read.
CREATE OR REPLACE VIEW learn_declared AS SELECT years, place AS town, 0 AS older, ill FROM learn_declared_2;
SELECT term FROM dp_logreg_train('learn_declared', 'ill', ARRAY['years'], 1);
SELECT term FROM dp_logreg_train('learn_declared', 'ill', ARRAY['years'], 1, options => '{"features": {"years": [0, 80]}}');
DROP VIEW learn_declared CASCADE;
SELECT dpriv.set_bounds('learn_t', 'age', NULL, NULL), dpriv.set_domain('learn_t', 'city', NULL);

-- Labels: a text, an enum (its second label, or the one that is named), a number.
SELECT label, max(weight) FILTER (WHERE term = 'age') > 0 AS grows
FROM (
	SELECT 'text' AS label, * FROM dp_logreg_train('learn_t', 'answer', ARRAY['age'], 20, options => '{"positive": "yes", "features": {"age": [0, 80]}}')
	UNION ALL
	SELECT 'enum', * FROM dp_logreg_train('learn_t', 'grade', ARRAY['age'], 20, options => '{"features": {"age": [0, 80]}}')
	UNION ALL
	SELECT 'enum, first', * FROM dp_logreg_train('learn_t', 'grade', ARRAY['age'], 20, options => '{"positive": "dark", "features": {"age": [0, 80]}}')
	UNION ALL
	SELECT 'number', * FROM dp_logreg_train('learn_t', 'points', ARRAY['age'], 20, options => '{"positive": 7, "features": {"age": [0, 80]}}')
	UNION ALL
	SELECT 'boolean, false', * FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 20, options => '{"positive": false, "features": {"age": [0, 80]}}')
	) AS models
GROUP BY label ORDER BY label;

-- A filter, a view, a function, a cursor, a prepared statement: rows come from wherever releases take them.
CREATE VIEW learn_v AS SELECT age + 0 AS years, ill FROM learn_t WHERE id > 10;
SELECT term FROM dp_logreg_train('learn_v', 'ill', ARRAY['years'], 1, filter => 'years BETWEEN 20 AND 60', options => '{"features": {"years": [0, 80]}}');
CREATE FUNCTION learn_f(e float8) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	SELECT count(*) INTO n FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], e / 2, options => '{"features": {"age": [0, 80]}}');
	RETURN n;
END $$;
SELECT learn_f(1), learn_f(2);
BEGIN;
DECLARE c CURSOR FOR SELECT term FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"features": {"age": [0, 80]}}');
FETCH 1 FROM c;
FETCH 1 FROM c;
COMMIT;
PREPARE learn_p(float8) AS SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], $1, options => '{"features": {"age": [0, 80]}}');
SET plan_cache_mode = force_generic_plan;
EXECUTE learn_p(0.5);
RESET plan_cache_mode;

-- An empty table, and one with nothing but NULL: numbers all the same.
CREATE TABLE learn_empty (LIKE learn_t);
SELECT count(*), bool_and(abs(weight) < 1e9) FROM dp_logreg_train('learn_empty', 'ill', ARRAY['age', 'city'], 1, options => '{"features": {"age": [0, 80], "city": ["ant"]}}');
SELECT count(*), bool_and(abs(weight) < 1e9) FROM dp_logreg_train('learn_empty', 'ill', ARRAY['age', 'city'], 1, method => 'objective', options => '{"features": {"age": [0, 80], "city": ["ant"]}}');
SELECT count(*), bool_and(abs(weight) < 1e9) FROM dp_logreg_train('learn_empty', 'ill', ARRAY['age'], 1, method => 'sgd', options => '{"batch_size": 5, "epochs": 2, "features": {"age": [0, 80]}}');
INSERT INTO learn_empty (id, ill) SELECT i, nullif(i % 3, 2) = 1 FROM generate_series(1, 100) i;
SELECT count(*), bool_and(abs(weight) < 1e9) FROM dp_logreg_train('learn_empty', 'ill', ARRAY['age', 'score', 'city', 'shade'], 1, options => '{"features": {"age": [0, 80], "score": [0, 1], "city": ["ant"]}}');

-- Values that no arithmetic likes.
INSERT INTO learn_empty (id, ill, score, real_score)
VALUES (101, true, 'NaN', 'NaN'), (102, false, '1e100000', 'Infinity'), (103, true, '-1e100000', '-Infinity');
SELECT count(*), bool_and(abs(weight) < 1e9) FROM dp_logreg_train('learn_empty', 'ill', ARRAY['score', 'real_score'], 1, options => '{"features": {"score": [-1e9, 1e9], "real_score": [0, 1]}}');

CREATE TABLE learn_guess AS SELECT * FROM (VALUES ('intercept', -4.0), ('age', 0.1)) AS v(term, weight);

--
-- Charges
--

-- One call is one charge, of what was asked for, before a row is read; it is of the relation below the view.
CREATE VIEW learn_charges AS
SELECT relation_name, measures, mechanism, epsilon, delta_basic, delta_approx,
	rho BETWEEN 0.999 * dpriv.zcdp_rho(epsilon::float8, delta_basic::float8) AND dpriv.zcdp_rho(epsilon::float8, delta_basic::float8) AS tight,
	abs(curve[3] / rho / 2.5 - 1) < 1e-9 AS is_linear
FROM dpriv.ledger ORDER BY charged_at, charge_id;
SELECT count(*) AS before FROM dpriv.ledger \gset
SELECT count(*) FROM dp_logreg_train('learn_v', 'ill', ARRAY['years'], 0.5, 1e-7, options => '{"features": {"years": [0, 80]}}');
SELECT * FROM learn_charges OFFSET :before;
-- Sampled steps: purely private with probability 1 - delta, unless there are few of them.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, 1e-7, 'sgd', options => '{"features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, 1e-7, 'sgd', options => '{"rate": 1, "epochs": 2, "features": {"age": [0, 80]}}');
SELECT epsilon, delta_basic, delta_approx > 0.949e-7 AND delta_approx <= 0.95e-7 AS mixture, rho < 0.13 AS small,
	dpriv.rdp_epsilon(dpriv.orders(), curve, 0.95e-7) BETWEEN 0.45 AND 0.52 AS fits
FROM (SELECT * FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 2) AS last ORDER BY charged_at;
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, 1e-7, 'sgd', options => '{"rate": 1e-6, "epochs": 2, "features": {"age": [0, 80]}}');
-- The rate is not known in advance: nothing but that mixture.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, 1e-7, 'sgd', options => '{"batch_size": 4000, "epochs": 2, "features": {"age": [0, 80]}}');
SELECT epsilon, delta_basic, delta_approx > 0.949e-7 AND delta_approx <= 0.95e-7 AS mixture, rho < 0.13 AS small, curve[22] BETWEEN 0.475 AND 0.55 AS pure
FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 1;
-- A perturbed objective has a curve near that of Gaussian noise, and a large rho, which may be that of a mixture.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, 1e-7, 'objective', options => '{"features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 2, 1e-7, 'objective', options => '{"features": {"age": [0, 80]}}');
SELECT epsilon, delta_basic, delta_approx < 2e-9 AS small_part, delta_approx = delta_basic AS mixture,
	rho / dpriv.zcdp_rho(epsilon::float8, 1e-7) BETWEEN 5 AND 50 AS is_large,
	dpriv.rdp_epsilon(dpriv.orders(), curve, 1e-7) / epsilon BETWEEN 0.9 AND 1.1 AS fits
FROM (SELECT * FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 2) AS last ORDER BY charged_at;

-- What a call would cost, and what is left; nothing is read or charged, and the statement has to be one that would run.
SELECT relation, measure, mechanism, epsilon, delta, remaining, remaining_delta
FROM dpriv.cost('SELECT * FROM dp_logreg_train(''learn_v'', ''ill'', ARRAY[''years''], 0.5, 1e-7, options => ''{"features": {"years": [0, 80]}}''), generate_series(1, 3)');
SELECT measure, epsilon, delta FROM dpriv.cost($$SELECT (SELECT dp_count(learn_t, 0.25) FROM learn_t), term
	FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, 1e-7, 'sgd', options => '{"batch_size": 10, "features": {"age": [0, 80]}}')
	UNION ALL SELECT 0, metric FROM dp_logreg_evaluate('learn_guess', 'learn_t', 'ill', 0.125)$$);
SELECT measure FROM dpriv.cost('SELECT * FROM dp_logreg_train(''learn_t'', ''ill'', ARRAY[''age''], 1, 1e-7)');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, options => '{"features": {"age": [0, 80]}}');
SELECT dpriv.session_spent() AS spent \gset

-- Asked for twice by a join, it runs and is charged once; written twice, twice.
SELECT count(*) FROM generate_series(1, 3), dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.25, options => '{"features": {"age": [0, 80]}}');
SELECT round((dpriv.session_spent() - :spent)::numeric, 9) AS spent;
SELECT count(DISTINCT w) FROM (
	SELECT (SELECT weight FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.25, options => '{"features": {"age": [0, 80]}}') WHERE term = 'age' AND i > 0) AS w
	FROM generate_series(1, 3) i) AS weights;
SELECT round((dpriv.session_spent() - :spent)::numeric, 9) AS spent;

-- A failed call keeps its charge, a refused one costs nothing.
BEGIN;
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.25, options => '{"features": {"age": [0, 80]}}');
ROLLBACK;
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.25, filter => '1 / (id - 7) > 0', options => '{"features": {"age": [0, 80]}}');
SELECT round((dpriv.session_spent() - :spent)::numeric, 9) AS spent;

--
-- Below a release it does not run; the release itself has been paid for.
--
\set age 'options => ''{"features": {"age": [0, 80]}}'''
SELECT dp_count(term, 1) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, :age);

--
-- Refusals, none of which is charged
--
SELECT dpriv.session_spent() AS spent \gset

-- The place of the call.
SELECT dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, :age);
SELECT count(*) FROM (VALUES (0.5), (1)) AS v(e), dp_logreg_train('learn_t', 'ill', ARRAY['age'], e, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], (SELECT 0.5), :age);
SELECT dp_count(age, 1) FROM learn_t WHERE EXISTS (SELECT FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, :age));
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, :age);
ROLLBACK;

-- Epsilon and delta.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 21, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 'NaN', :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, 0, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1e-6, 1e-18, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, method => 'magic', :age);
SELECT count(*) FROM dp_logreg_train('learn_t', NULL, ARRAY['age'], 1, :age);

-- Columns.
SELECT count(*) FROM dp_logreg_train('learn_t', 'nobody', ARRAY['age'], 1, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['ctid'], 1);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age', 'age'], 1, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['ill'], 1);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY[NULL], 1);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY[]::text[], 1);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['born'], 1);
SELECT count(*) FROM dp_logreg_train('learn_t', 'born', ARRAY['age'], 1, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'answer', ARRAY['age'], 1, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'grade', ARRAY['age'], 1, options => '{"positive": "blue", "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'points', ARRAY['age'], 1, options => '{"positive": "7", "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t_pkey', 'ill', ARRAY['age'], 1, :age);
SELECT count(*) FROM dp_logreg_train(0::oid, 'ill', ARRAY['age'], 1, :age);

-- Bounds and values.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['city'], 1);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"features": {"age": [80, 0]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"features": {"age": [0, 1e400]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"features": {"age": [0, 1, 2]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"features": {"age": 80}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['city'], 1, options => '{"features": {"city": ["ant", "bee", "ant"]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['city'], 1, options => '{"features": {"city": [1, 2]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['city'], 1,
	options => jsonb_build_object('features', jsonb_build_object('city', (SELECT jsonb_agg(i::text) FROM generate_series(1, 10) i))));
SELECT jsonb_build_object('features', jsonb_build_object('city', (SELECT jsonb_agg(i::text) FROM generate_series(1, 4096) i))) AS many \gset
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['city'], 1, options => :'many');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['shade'], 1, options => '{"features": {"shade": ["dark"]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"features": {"age": [0, 80], "agee": [0, 80]}}');

-- Options.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '[]');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"features": 7}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, options => '{"iterations": 7, "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, method => 'course', options => '{"iterations": 0, "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, method => 'course', options => '{"iterations": 1.5, "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, method => 'course', options => '{"accounting": "magic", "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, method => 'course', options => '{"accounting": 7, "features": {"age": [0, 80]}}');

SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, method => 'sgd', options => '{"rate": 0.1, "batch_size": 10, "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, method => 'sgd', options => '{"batch_size": 0, "features": {"age": [0, 80]}}');
-- Before rows are read, and before the charge.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1e-6, 1e-12, 'sgd', options => '{"batch_size": 1e9, "epochs": 1000, "features": {"age": [0, 80]}}');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 20, 1e-10, method => 'objective', options => '{"features": {"age": [0, 80]}}');
SELECT jsonb_build_object('features', jsonb_build_object('city', (SELECT jsonb_agg(i::text) FROM generate_series(1, 1000) i))) AS many \gset
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['city'], 1, method => 'objective', options => :'many');

-- The filter is one expression, about the row alone.
\set call 'SELECT count(*) FROM dp_logreg_train(''learn_t'', ''ill'', ARRAY[''age''], 1, ' :age ', filter => '
:call 'age > 3) OR (true');
:call 'age > 3 FROM learn_t');
:call 'age > 3 UNION SELECT true');
:call 'age > 3; DROP TABLE learn_t');
:call 'age > 3 AS x');
:call 'age > 3, true');
:call '');
:call '*');
:call 'learn_t.*');
:call 'age');
:call 'agee > 3');
:call 'age > $1');
:call 'count(*) > 3');
:call 'EXISTS (SELECT)');
:call 'random() < 0.5');
:call 'generate_series(1, age) > 1');
SELECT dpriv.session_spent() - :spent AS spent;

--
-- Restricted roles
--
SELECT dpriv.protect('learn_t', unit => 'row');
GRANT SELECT ON learn_v, learn_empty TO learn_analyst;
GRANT SELECT (age, ill) ON learn_t TO learn_analyst;
SELECT dpriv.grant_budget('learn_analyst', 'learn_t', 2, 1e-5);
SET SESSION AUTHORIZATION learn_poor;
SET dpriv.delta = 1e-6;
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 1, :age);
SET SESSION AUTHORIZATION learn_analyst;
SELECT count(*) FROM learn_t;
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, :age);
SELECT count(*) FROM dp_logreg_train('learn_v', 'ill', ARRAY['years'], 0.5, options => '{"features": {"years": [0, 80]}}');
-- Only columns that it may read.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age', 'smokes'], 0.5, :age);
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, :age, filter => 'id > 7');
-- Only methods that are exact.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, method => 'objective', :age);
SELECT count(*) FROM dp_logreg_train('learn_v', 'ill', ARRAY['years'], 0.5, method => 'objective', options => '{"features": {"years": [0, 80]}}');
SELECT measure, epsilon, delta, remaining, remaining_delta
FROM dpriv.cost('SELECT * FROM dp_logreg_train(''learn_t'', ''ill'', ARRAY[''age''], 0.5, 2e-6, options => ''{"features": {"age": [0, 80]}}'')');
-- A filter that cannot fail, and is on the list.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, :age, filter => '1 / (age - 7) >= 0');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, :age, filter => 'sqrt(age) > 3');
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, :age, filter => 'learn_t IS NULL');
-- Nothing is measured, whatever the statement around it.
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, :age);
EXPLAIN (COSTS OFF) SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.5, :age);
-- The budget ends.
SELECT count(*) FROM dp_logreg_train('learn_t', 'ill', ARRAY['age'], 0.6, :age);
SELECT spent_epsilon, spent_delta, remaining_epsilon, remaining_delta FROM dpriv.my_budget;
RESET SESSION AUTHORIZATION;
SET dpriv.delta = 1e-6;

--
-- Prediction
--
CREATE TABLE learn_model AS SELECT * FROM (VALUES
	('intercept', -1.0), ('age', 0.5), ('city=ant', 1.0), ('city=bee', -1.0), ('city IS NULL', 0.25), ('shade=dark', 2.0)) AS v(term, weight);
CREATE TABLE learn_rows (age int, city text, shade learn_shade);
INSERT INTO learn_rows VALUES (2, 'ant', NULL), (2, 'bee', 'light'), (2, 'emu', 'dark'), (2, NULL, NULL), (NULL, 'ant', NULL);
-- Scores 1, -1, 2.25, 0.25.
SELECT r.*, round(dp_logreg_predict('learn_model', r)::numeric, 6) AS clipped,
	round(dp_logreg_predict('learn_model', r, 'logistic')::numeric, 6) AS logistic
FROM learn_rows r;
SELECT round((1 / (1 + 2 / (1 + exp(1))))::numeric, 6) AS clipped_1, round((1 / (1 + exp(-1)))::numeric, 6) AS logistic_1;
-- Rows of no table; other numbers; a model that changes within a transaction.
SELECT round(dp_logreg_predict('learn_model', r)::numeric, 6) FROM (SELECT 2::numeric AS age, 'ant'::varchar AS city, NULL::learn_shade AS shade) AS r;
BEGIN;
UPDATE learn_model SET weight = 0;
SELECT DISTINCT dp_logreg_predict('learn_model', r) FROM learn_rows r WHERE age = 2;
ROLLBACK;
-- Far from zero a probability has all its digits.
BEGIN;
UPDATE learn_model SET weight = CASE term WHEN 'intercept' THEN -100 ELSE 0 END;
SELECT DISTINCT abs(dp_logreg_predict('learn_model', r, 'logistic') * (1 + exp(100)) - 1) < 1e-13 AS close FROM learn_rows r WHERE age = 2;
ROLLBACK;
-- One that changed in a subtransaction, which was undone: the expression is the same one.
CREATE FUNCTION learn_undone() RETURNS SETOF float8 LANGUAGE plpgsql AS $$
DECLARE
	learnt learn_rows;
BEGIN
	SELECT * INTO learnt FROM learn_rows WHERE age = 2 LIMIT 1;
	FOR i IN 1..2 LOOP
		BEGIN
			IF i = 1 THEN
				UPDATE learn_model SET weight = 0;
			END IF;
			RETURN NEXT round(dp_logreg_predict('learn_model', learnt)::numeric, 6);
			IF i = 1 THEN
				RAISE EXCEPTION 'undo';
			END IF;
		EXCEPTION WHEN raise_exception THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT learn_undone();
DROP FUNCTION learn_undone();
-- Refusals.
SELECT dp_logreg_predict('learn_model', 7);
SELECT dp_logreg_predict('learn_model', r, 'magic') FROM learn_rows r;
SELECT dp_logreg_predict('learn_model', r) FROM (SELECT 2 AS age) AS r;
SELECT dp_logreg_predict('learn_model', r) FROM (SELECT 'two' AS age, 'ant' AS city, NULL::learn_shade AS shade) AS r;
SELECT dp_logreg_predict('learn_rows', r) FROM learn_rows r;
SELECT dp_logreg_predict(0::oid, r) FROM learn_rows r;
INSERT INTO learn_model VALUES ('age', 1);
SELECT dp_logreg_predict('learn_model', r) FROM learn_rows r;
UPDATE learn_model SET term = NULL WHERE weight = 1;
SELECT dp_logreg_predict('learn_model', r) FROM learn_rows r;
DELETE FROM learn_model;
INSERT INTO learn_model SELECT 'shade=' || i, 1 FROM generate_series(1, 4097) AS i;
SELECT dp_logreg_predict('learn_model', r) FROM learn_rows r;
DROP TABLE learn_model;

--
-- Evaluation
--
CREATE TABLE learn_model AS SELECT * FROM (VALUES ('intercept', -40.0), ('age', 1.0)) AS v(term, weight);
GRANT SELECT ON learn_model TO learn_analyst;
SET dpriv.max_epsilon = 1000;
-- Exact but for a probability of 256 e^-1000.
SELECT metric, round(value::numeric, 4) AS value, error < 1e-100 AS no_error FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 1000);
SELECT metric, round(value::numeric, 4) AS value FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 1000, filter => 'age < 50', options => '{"positive": false}');
-- Nothing to count, and rows without a number.
SELECT metric, value, error IS NULL AS no_error FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 1000, filter => 'false');
SELECT metric, value FROM dp_logreg_evaluate('learn_model', 'learn_empty', 'ill', 1000) WHERE metric LIKE '%s';
RESET dpriv.max_epsilon;
-- Errors are those of the noise.
SELECT metric, round(error::numeric, 3) AS error FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 0.5) WHERE metric LIKE '%s';
SELECT round((1.959964 * sqrt(32 * 2 * exp(-0.5) / (1 - exp(-0.5))^2))::numeric, 3) AS error;
-- One charge, of epsilon alone.
SELECT measures, mechanism, epsilon, delta_basic, abs(rho / (0.5 * tanh(0.25)) - 1) < 1e-6 AS is_rho FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 1;
-- Refusals.
SELECT * FROM dp_logreg_evaluate('learn_model', 'learn_t', 'age', 0.5);
SELECT * FROM dp_logreg_evaluate('learn_model', 'learn_t', 'answer', 0.5);
SELECT * FROM dp_logreg_evaluate('learn_model', 'learn_v', 'ill', 0.5);
SELECT * FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill');
SELECT dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 0.5);
SELECT * FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 0.5, options => '{"clip": 1}');
-- Reading a model may rename columns of the source: they have the types that they have when rows are read.
CREATE TABLE learn_renamed AS SELECT 'yes'::text AS ill, 12345 AS other, 50 AS age;
CREATE FUNCTION learn_rename() RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	ALTER TABLE learn_renamed RENAME ill TO text;
	ALTER TABLE learn_renamed RENAME other TO ill;
	RETURN 1;
END $$;
CREATE VIEW learn_renames AS SELECT 'age' AS term, learn_rename() AS weight;
SELECT * FROM dp_logreg_evaluate('learn_renames', 'learn_renamed', 'ill', 0.5, options => '{"positive": "yes"}');
SELECT count(*) FROM dp_logreg_evaluate('learn_renames', 'learn_renamed', 'other', 0.5);
DROP TABLE learn_renamed;
DROP VIEW learn_renames;
DROP FUNCTION learn_rename;
SET SESSION AUTHORIZATION learn_analyst;
SELECT count(*) FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 0.5);
SELECT count(*) FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 0.5, filter => 'id > 7');
SELECT count(*) FROM dp_logreg_evaluate('learn_model', 'learn_t', 'ill', 0.5);
SELECT dp_logreg_predict('learn_model', t) FROM learn_t t;
RESET SESSION AUTHORIZATION;

-- What the catalogs say of rows is masked here as in any query.
CREATE TABLE learn_constant AS SELECT 'intercept' AS term, 1.0 AS weight;
GRANT SELECT ON learn_constant TO learn_analyst;
ANALYZE learn_t;
SELECT round(sum(value)) AS known FROM dp_logreg_evaluate('learn_constant', 'pg_class', 'relhasindex', 20, 'relname = $$learn_t$$ AND reltuples > 0') WHERE metric LIKE '%positives';
SET SESSION AUTHORIZATION learn_analyst;
SELECT round(sum(value)) AS known FROM dp_logreg_evaluate('learn_constant', 'pg_class', 'relhasindex', 20, 'relname = $$learn_t$$ AND reltuples > 0') WHERE metric LIKE '%positives';
RESET SESSION AUTHORIZATION;
DROP TABLE learn_constant;

-- A model of rows that nobody may read is none.
CREATE TABLE learn_secret AS SELECT term, weight FROM learn_model;
SELECT dpriv.protect('learn_secret', unit => 'row');
GRANT SELECT ON learn_secret TO learn_analyst;
SET SESSION AUTHORIZATION learn_analyst;
SELECT dp_logreg_predict('learn_secret', r) FROM (SELECT 7 AS age) AS r;
SELECT count(*) FROM dp_logreg_evaluate('learn_secret', 'learn_t', 'ill', 0.1);
RESET SESSION AUTHORIZATION;

-- How long a row takes does not follow from how long the texts are that it is compared with: read again for each row, these
-- took minutes.
CREATE TABLE learn_long AS SELECT 'x' AS city, 'y' AS name FROM generate_series(1, 20000);
PREPARE learn_long(jsonb) AS SELECT count(*) FROM dp_logreg_train('learn_long', 'name', ARRAY['city'], 0.1, 1e-6, options => $1);
SET statement_timeout = '60s';
EXECUTE learn_long(jsonb_build_object('positive', repeat('y', 50000000), 'features', jsonb_build_object('city', jsonb_build_array(repeat('x', 50000000)))));
RESET statement_timeout;
DEALLOCATE learn_long;

SET client_min_messages = warning;
DROP TABLE learn_t, learn_empty, learn_long, learn_guess, learn_model, learn_rows, learn_secret CASCADE;
DROP VIEW learn_charges;
DROP FUNCTION learn_f;
DROP TYPE learn_shade;
DROP OWNED BY learn_analyst;
DROP ROLE learn_analyst, learn_poor;
