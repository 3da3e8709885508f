--
-- accounting_arguments.sql
--	  Accounting: every argument of every function is checked.
--
-- What the messages say in full is in accounting.sql, the numbers are in test/vectors.
--
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;

-- What a call raises, or its result.
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT ' || call INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- For every argument: a value that is fine, and some that are not.
CREATE TABLE argument (name text PRIMARY KEY, fine text, wrong text[], message text);
INSERT INTO argument
SELECT name, fine, wrong, 'is out of range'
FROM (VALUES
	('sensitivity', '1', ARRAY['NaN', '-1', '-Infinity']),
	('epsilon', '0.5', ARRAY['NaN', '-1', '-Infinity']),
	('delta', '1e-6', ARRAY['NaN', '-1e-9', '1.0000001', 'Infinity']),
	('delta_slack', '1e-6', ARRAY['NaN', '-1e-9', '1.0000001', 'Infinity']),
	('slack', '1e-6', ARRAY['NaN', '-1e-9', '1.0000001', 'Infinity']),
	('sigma', '2', ARRAY['NaN', '-1', '-Infinity']),
	('half_width', '3', ARRAY['NaN', '-1', '-Infinity']),
	('confidence', '0.95', ARRAY['NaN', '-0.1', '1.0000001']),
	('prior', '0.5', ARRAY['NaN', '-0.1', '1.0000001']),
	('rho', '0.1', ARRAY['NaN', '-1', '-Infinity']),
	('alpha', '2', ARRAY['NaN', '0.9999999', '-Infinity']),
	('noise', '0.5', ARRAY['NaN', '-0.1', '1.0000001']),
	('noise_multiplier', '1.1', ARRAY['NaN', '-1', '-Infinity']),
	('sampling_rate', '0.01', ARRAY['NaN', '-0.1', '1.0000001']),
	('k', '10', ARRAY['-1', '-9223372036854775808']),
	('n', '10', ARRAY['-1', '-9223372036854775808']),
	('steps', '10', ARRAY['-1', '-9223372036854775808']),
	('sensitivity_steps', '1', ARRAY['0', '-9223372036854775808']),
	('buckets', '4', ARRAY['0', '-2147483648']),
	('groups', '1', ARRAY['0', '-2147483648']),
	('orders', '{2,8}', ARRAY['{2,NaN}', '{0.5,2}']),
	('curve', '{0.1,0.4}', ARRAY['{0.1,NaN}', '{-1,2}']),
	('epsilons', '{0.5,1}', ARRAY['{1,NaN}', '{-1,2}']),
	('deltas', '{0,1e-6}', ARRAY['{0,NaN}', '{-1e-9,0}', '{1.0000001,0}']),
	('mechanisms', '{"(laplace,{0.1},10)"}', '{}')
) AS number(name, fine, wrong);
INSERT INTO argument
SELECT name, fine, ARRAY['', 'nonsense', upper(fine)], 'is not known'
FROM (VALUES ('method', NULL), ('mechanism', 'laplace'), ('form', NULL), ('conversion', 'improved'),
	('adjacency', 'replace_one'), ('accountant', 'pld')) AS choice(name, fine);

CREATE VIEW parameter AS
SELECT p.oid AS function, p.proname AS function_name, a.place, argument.*,
	format_type(t.type, NULL) AS type,
	-- Where no one value fits every function, the default is fine.
	coalesce(argument.fine, (regexp_match(pg_get_function_arguments(p.oid),
		argument.name || ' text DEFAULT ''(\w+)'))[1]) AS valid
FROM pg_proc AS p, unnest(p.proargtypes::oid[]) WITH ORDINALITY AS t(type, place),
	unnest(p.proargnames) WITH ORDINALITY AS a(name, place), argument
WHERE p.pronamespace = 'dpriv'::regnamespace AND p.prosrc LIKE 'dpriv\_sql\_%'
	AND a.place = t.place AND argument.name = a.name;

-- Every parameter is known here.
SELECT p.oid::regprocedure FROM pg_proc AS p
WHERE p.pronamespace = 'dpriv'::regnamespace AND p.prosrc LIKE 'dpriv\_sql\_%'
	AND p.pronargs <> (SELECT count(*) FROM parameter WHERE function = p.oid);

-- A call with one value replaced.
CREATE FUNCTION call_with(function oid, place bigint, value text) RETURNS text LANGUAGE sql AS $$
	SELECT format('dpriv.%I(%s)', min(p.function_name), string_agg(format('%L::%s',
		CASE WHEN p.place = call_with.place THEN value ELSE p.valid END, p.type),
		', ' ORDER BY p.place))
	FROM parameter AS p WHERE p.function = call_with.function
$$;

-- With fine values no function raises, and none answers NULL.
SELECT call, outcome(call)
FROM (SELECT DISTINCT function, call_with(function, 0, NULL) FROM parameter) AS c(function, call)
WHERE outcome(call) IS NULL OR outcome(call) ~ '^[0-9A-Z]{5} ';

-- Nulls and wrong values, of which there are some: what does not answer as it should.
SELECT count(*) > 250 AS some FROM parameter, unnest(wrong || NULL::text) AS value;
SELECT call, outcome(call), expected
FROM (SELECT call_with(function, place, value),
		CASE WHEN value IS NULL THEN format('22004 %s of %s must not be NULL', name, function_name)
			ELSE format('22023 %s%s of %s %s', CASE WHEN type LIKE '%[]' THEN 'an element of ' END,
				name, function_name, message) END
	FROM parameter, unnest(wrong || NULL::text) AS value) AS c(call, expected)
WHERE outcome(call) IS DISTINCT FROM expected;

-- The ends of the ranges belong to them, but for a delta or a rate that must be a mistake.
SELECT call, outcome(call)
FROM (SELECT call_with(function, place, value)
	FROM parameter, unnest(CASE
		WHEN name IN ('delta', 'delta_slack', 'slack', 'confidence', 'noise', 'sampling_rate') THEN '{0,1}'
		WHEN name IN ('sensitivity', 'epsilon', 'sigma', 'half_width', 'rho', 'noise_multiplier')
			THEN '{0,Infinity}'
		WHEN name = 'alpha' THEN '{1,Infinity}'
		WHEN name = 'sensitivity_steps' THEN '{1,9223372036854775807}'
		WHEN name IN ('k', 'n', 'steps') THEN '{0,9223372036854775807}'
		WHEN name IN ('buckets', 'groups') THEN '{1,2147483647}' END::text[]) AS value) AS c(call)
WHERE outcome(call) IS NULL OR outcome(call) = 'NaN' OR outcome(call) ~ '^[0-9A-Z]{5} '
ORDER BY call COLLATE "C";

-- Arrays.
SELECT outcome(call_with(function, place, value))
FROM parameter, unnest(ARRAY['{{1},{1}}', '{1,NULL}', '{1}']) AS value
WHERE function_name IN ('compose_kov', 'rdp_epsilon') AND type LIKE '%[]'
ORDER BY function_name, place, value COLLATE "C";
SELECT dpriv.compose_basic('{}', '{}'), dpriv.compose_kov('{}', '{}', 1e-6),
	dpriv.rdp_epsilon('{}', '{}', 1e-6), dpriv.rdp_delta('{}', '{}', 1);
SELECT dpriv.compose_basic('[5:6]={0.1,0.2}', '[-1:0]={0,0}');

-- A bitmap of nulls without a null.
SELECT dpriv.compose_basic((ARRAY[NULL, 0.1, 0.2]::float8[])[2:3], '{0,0}');

-- Compressed, and out of line.
CREATE TABLE mechanisms (epsilons float8[], deltas float8[]);
INSERT INTO mechanisms SELECT array_agg(0.001), array_agg(0) FROM generate_series(1, 10000);
INSERT INTO mechanisms
SELECT array_agg(i * 0.001), array_agg(0) FROM generate_series(1, 10000) AS i;
SELECT dpriv.compose_basic(epsilons, deltas) FROM mechanisms;

-- Mechanisms: every kind, what it takes, and one value too many, too few, too small or too large.
CREATE TABLE kind (name text PRIMARY KEY, fine float8[], wrong float8[][]);
INSERT INTO kind VALUES
	('gaussian', '{1,10}', '{{-1,10},{NaN,10},{1,-1},{1,NaN}}'),
	('discrete_gaussian', '{1,10}', '{{1.5,10},{-1,10},{Infinity,10},{1,NaN},{1,100001}}'),
	('laplace', '{0.1}', '{{-0.1},{NaN}}'),
	('discrete_laplace', '{0.1,2}', '{{-0.1,2},{NaN,2},{0.1,0},{0.1,1.5},{0.1,100001}}'),
	('randomized_response', '{0.5,3}', '{{-0.1,3},{1.1,3},{NaN,3},{0.5,0},{0.5,2.5},{0.5,Infinity}}'),
	('approximate', '{0.1,1e-9}', '{{-0.1,0},{NaN,0},{0.1,-1e-9},{0.1,1.1}}'),
	('sampled_gaussian', '{0.01,1.1}', '{{-0.01,1},{1.1,1},{NaN,1},{0.1,-1},{0.1,NaN}}'),
	('sampled_laplace', '{0.1,0.5}', '{{-0.01,1},{1.1,1},{NaN,1},{0.1,-1},{0.1,NaN}}');
SELECT name, dpriv.pld_epsilon(ARRAY[(name, fine, 10)]::dpriv.mechanism[], 1e-6) BETWEEN 0.001 AND 20 AS epsilon,
	dpriv.pld_delta(ARRAY[(name, fine, 10)]::dpriv.mechanism[], 0.1) BETWEEN 1e-20 AND 1 AS delta,
	outcome(format('dpriv.pld_epsilon(ARRAY[(%L, %L, 10)]::dpriv.mechanism[], 1e-6)', name, fine || 1::float8)),
	outcome(format('dpriv.pld_delta(ARRAY[(%L, %L, 10)]::dpriv.mechanism[], 1)', name, '{}'))
FROM kind ORDER BY name;
SELECT outcome(format('dpriv.pld_epsilon(ARRAY[(%L, %L, 1)]::dpriv.mechanism[], 1e-6)', name,
	(SELECT array_agg(wrong[i][j] ORDER BY j) FROM generate_subscripts(wrong, 2) AS j))), count(*)
FROM kind, generate_subscripts(wrong, 1) AS i GROUP BY 1 ORDER BY 1;

-- Its fields, and the list.
SELECT outcome('dpriv.pld_epsilon(ARRAY[' || mechanism || ']::dpriv.mechanism[], 1e-6)')
FROM unnest(ARRAY['NULL', '(NULL, ''{1,1}'', 1)', '(''gaussian'', NULL, 1)', '(''gaussian'', ''{1,1}'', NULL)',
	'(''gaussian'', ''{1,NULL}'', 1)', '(''gaussian'', ''{{1,1}}'', 1)', '(''gaussian'', ''{1,1}'', -1)',
	'(''Gaussian'', ''{1,1}'', 1)', '(''laplace'', ''{-0}'', 9223372036854775807)']) AS mechanism;
SELECT dpriv.pld_epsilon('{}', 0), dpriv.pld_delta('{}', 0);
SELECT dpriv.pld_epsilon(array_agg(('approximate', ARRAY[0.01 + i * 1e-6, 0], 1)::dpriv.mechanism), 1e-6) FROM generate_series(1, 501) AS i;
SELECT round(dpriv.pld_epsilon(array_agg(('gaussian', ARRAY[1, 100 + i], 1)::dpriv.mechanism), 1e-6)::numeric, 6) AS many_gaussians
FROM generate_series(1, 5000) AS i;

-- A negative zero is zero.
SELECT dpriv.compose_basic('{-0}', '{-0}'), dpriv.compose_kov('{-0,1}', '{-0,0}', 0),
	dpriv.compose_basic('-0', '-0', 3), dpriv.laplace_scale('-0', 1), dpriv.laplace_scale(1, '-0');

-- Six ways, once per row and with a limit.
SELECT accountant, round(epsilon::numeric, 3) AS epsilon FROM dpriv.accountings(20, 1, 10000, 1e-5);
SELECT sigma, (dpriv.accountings(sigma, 1, 10, 1e-5)).accountant
FROM (VALUES (20), (40)) AS v(sigma) LIMIT 8;

DROP TABLE argument, mechanisms, kind CASCADE;
DROP FUNCTION outcome(text);
DROP FUNCTION call_with(oid, bigint, text);
