-- contract.sql: what users and other programs may rely on, object by object.
--
-- A change of any line here is a change of the contract: it belongs into CHANGELOG.md.  The harness runs
-- this in a database with the extension in schema public and pgTAP in schema tap.

BEGIN;

-- The library defines the settings.
LOAD 'dpriv';

-- From 16 on, array types and the row types of tables and views are members of their own; they have nothing of their own
-- to pin.
CREATE TEMPORARY VIEW member AS
SELECT d.classid, d.objid, pg_catalog.pg_describe_object(d.classid, d.objid, 0) AS description
FROM pg_catalog.pg_depend AS d
	JOIN pg_catalog.pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'dpriv' AND d.deptype = 'e'
	AND NOT (d.classid = 'pg_type'::regclass
		AND EXISTS (SELECT FROM pg_catalog.pg_type AS t WHERE t.typarray = d.objid
			UNION ALL SELECT FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.typrelid
			WHERE t.oid = d.objid AND c.relkind <> 'c'));

-- Functions and aggregates: result, kind, volatility, strictness, parallel label, who may execute.
CREATE TEMPORARY TABLE expected_function (signature text PRIMARY KEY, contract text NOT NULL);

-- Training.
INSERT INTO expected_function VALUES
	('public.dp_logreg_train(source regclass, label text, features text[], epsilon double precision DEFAULT NULL::double precision, delta double precision DEFAULT NULL::double precision, method text DEFAULT ''gd''::text, filter text DEFAULT NULL::text, options jsonb DEFAULT ''{}''::jsonb)',
		'TABLE(term text, weight double precision), function, volatile, not strict, parallel unsafe, everybody'),
	('public.dp_logreg_predict(model regclass, record anyelement, link text DEFAULT ''clipped''::text)',
		'double precision, function, stable, strict, parallel restricted, everybody'),
	('public.dp_logreg_evaluate(model regclass, source regclass, label text, epsilon double precision DEFAULT NULL::double precision, filter text DEFAULT NULL::text, options jsonb DEFAULT ''{}''::jsonb)',
		'TABLE(metric text, value double precision, error double precision), function, volatile, not strict, parallel unsafe, everybody');

-- Sample and aggregate.
INSERT INTO expected_function VALUES
	('public.dp_sample_and_aggregate(source regclass, expression text, blocks integer, lower double precision, upper double precision, epsilon double precision DEFAULT NULL::double precision, filter text DEFAULT NULL::text, combine text DEFAULT ''median''::text)',
		'SETOF double precision, function, volatile, not strict, parallel unsafe, everybody');

-- Private aggregates.
INSERT INTO expected_function
SELECT signature, result || ', aggregate, immutable, not strict, parallel restricted, everybody'
FROM (VALUES
	('public.dp_sum_clipped(VARIADIC "any")', 'double precision'),
	('public.dp_bounds(VARIADIC "any")', 'double precision[]'),
	('public.dp_sum(VARIADIC "any")', 'double precision'),
	('public.dp_avg(VARIADIC "any")', 'double precision'),
	('public.dp_variance(VARIADIC "any")', 'double precision'),
	('public.dp_stddev(VARIADIC "any")', 'double precision'),
	('public.dp_median(VARIADIC "any")', 'double precision'),
	('public.dp_median_smooth(VARIADIC "any")', 'double precision'),
	('public.dp_iqr(VARIADIC "any")', 'double precision'),
	('public.dp_quantile(VARIADIC "any")', 'double precision'),
	('public.dp_quantiles(VARIADIC "any")', 'double precision[]'),
	('public.dp_clip_curve(VARIADIC "any")', 'dp_clip_point[]'),
	('public.dp_clip_bound(VARIADIC "any")', 'double precision'),
	('public.dp_top_k("any", double precision)', 'text[]'),
	('public.dp_count(*)', 'bigint'),
	('public.dp_count(x "any")', 'bigint'),
	('public.dp_count(x "any", epsilon double precision)', 'bigint'),
	('public.dp_count(x "any", epsilon double precision, delta double precision)', 'bigint'),
	('public.dp_sum_clipped(x double precision, lower double precision, upper double precision)', 'double precision'),
	('public.dp_sum_clipped(x double precision, lower double precision, upper double precision, epsilon double precision)',
		'double precision'),
	('public.dp_sum_clipped(x double precision, lower double precision, upper double precision, epsilon double precision, '
		'delta double precision)',
		'double precision'),
	('public.dp_avg(x double precision, lower double precision, upper double precision)', 'double precision'),
	('public.dp_avg(x double precision, lower double precision, upper double precision, epsilon double precision)',
		'double precision'),
	('public.dp_avg(x double precision, lower double precision, upper double precision, epsilon double precision, '
		'delta double precision)',
		'double precision'),
	('public.dp_variance(x double precision, lower double precision, upper double precision)', 'double precision'),
	('public.dp_variance(x double precision, lower double precision, upper double precision, epsilon double precision)',
		'double precision'),
	('public.dp_variance(x double precision, lower double precision, upper double precision, epsilon double precision, '
		'delta double precision)',
		'double precision'),
	('public.dp_stddev(x double precision, lower double precision, upper double precision)', 'double precision'),
	('public.dp_stddev(x double precision, lower double precision, upper double precision, epsilon double precision)',
		'double precision'),
	('public.dp_stddev(x double precision, lower double precision, upper double precision, epsilon double precision, '
		'delta double precision)',
		'double precision'),
	('public.dp_bounds(x double precision)', 'double precision[]'),
	('public.dp_bounds(x double precision, epsilon double precision)', 'double precision[]'),
	('public.dp_sum(x double precision)', 'double precision'),
	('public.dp_sum(x double precision, epsilon double precision)', 'double precision'),
	('public.dp_avg(x double precision)', 'double precision'),
	('public.dp_avg(x double precision, epsilon double precision)', 'double precision'),
	('public.dp_variance(x double precision)', 'double precision'),
	('public.dp_variance(x double precision, epsilon double precision)', 'double precision'),
	('public.dp_stddev(x double precision)', 'double precision'),
	('public.dp_stddev(x double precision, epsilon double precision)', 'double precision'),
	('public.dp_histogram(x "any")', 'dp_category[]'),
	('public.dp_histogram(x double precision, edges double precision[])', 'dp_bin[]'),
	('public.dp_histogram(x double precision, edges double precision[], epsilon double precision)', 'dp_bin[]'),
	('public.dp_histogram(x text, categories text[])', 'dp_category[]'),
	('public.dp_histogram(x text, categories text[], epsilon double precision)', 'dp_category[]'),
	('public.dp_histogram(x "any", categories text[])', 'dp_category[]'),
	('public.dp_histogram(x "any", categories text[], epsilon double precision)', 'dp_category[]'),
	('public.dp_clip_curve(x double precision, candidates double precision[])', 'dp_clip_point[]'),
	('public.dp_clip_curve(x double precision, candidates double precision[], epsilon double precision)', 'dp_clip_point[]'),
	('public.dp_clip_bound(x double precision, candidates double precision[])', 'double precision'),
	('public.dp_clip_bound(x double precision, candidates double precision[], epsilon double precision)', 'double precision'),
	('public.dp_mode(x "any")', 'text'),
	('public.dp_mode(x text, categories text[])', 'text'),
	('public.dp_mode(x text, categories text[], epsilon double precision)', 'text'),
	('public.dp_mode(x "any", categories text[])', 'text'),
	('public.dp_mode(x "any", categories text[], epsilon double precision)', 'text'),
	('public.dp_top_k(x text, categories text[], k integer)', 'text[]'),
	('public.dp_top_k(x text, categories text[], k integer, epsilon double precision)', 'text[]'),
	('public.dp_top_k(x "any", categories text[], k integer)', 'text[]'),
	('public.dp_top_k(x "any", categories text[], k integer, epsilon double precision)', 'text[]'),
	('public.dp_median_smooth(x double precision)', 'double precision'),
	('public.dp_median_smooth(x double precision, epsilon double precision)', 'double precision'),
	('public.dp_median_smooth(x double precision, lower double precision, upper double precision)', 'double precision'),
	('public.dp_median_smooth(x double precision, lower double precision, upper double precision, epsilon double precision)',
		'double precision'),
	('public.dp_median_smooth(x double precision, lower double precision, upper double precision, epsilon double precision, '
		'delta double precision)',
		'double precision'),
	('public.dp_iqr(x double precision)', 'double precision'),
	('public.dp_iqr(x double precision, epsilon double precision)', 'double precision'),
	('public.dp_iqr(x double precision, epsilon double precision, delta double precision)', 'double precision'),
	('public.dp_median(x double precision)', 'double precision'),
	('public.dp_median(x double precision, epsilon double precision)', 'double precision'),
	('public.dp_median(x double precision, lower double precision, upper double precision)', 'double precision'),
	('public.dp_median(x double precision, lower double precision, upper double precision, epsilon double precision)',
		'double precision'),
	('public.dp_quantile(x double precision, fraction double precision)', 'double precision'),
	('public.dp_quantile(x double precision, fraction double precision, epsilon double precision)', 'double precision'),
	('public.dp_quantile(x double precision, fraction double precision, lower double precision, '
		'upper double precision)', 'double precision'),
	('public.dp_quantile(x double precision, fraction double precision, lower double precision, '
		'upper double precision, epsilon double precision)', 'double precision'),
	('public.dp_quantiles(x double precision, fractions double precision[], lower double precision, '
		'upper double precision)', 'double precision[]'),
	('public.dp_quantiles(x double precision, fractions double precision[], lower double precision, '
		'upper double precision, epsilon double precision)', 'double precision[]'),
	('public.dp_sum_vector(x double precision[], dimension integer, bound double precision, norm text)', 'double precision[]'),
	('public.dp_sum_vector(x double precision[], dimension integer, bound double precision, norm text, '
		'epsilon double precision)', 'double precision[]'),
	('public.dp_sum_vector(x double precision[], dimension integer, bound double precision, norm text, '
		'epsilon double precision, delta double precision)', 'double precision[]')
) AS aggregate(signature, result);

-- Functions for users.
INSERT INTO expected_function
SELECT signature, result || ', function, volatile, not strict, parallel restricted, everybody'
FROM (VALUES
	('public.dp_error(measure anyelement)', 'double precision'),
	('public.dp_error(measure anyelement, confidence double precision)', 'double precision'),
	('dpriv.session_spent()', 'double precision'),
	('dpriv.session_spent_delta()', 'double precision')
) AS function(signature, result);

INSERT INTO expected_function VALUES
	('dpriv.cost(query text)', 'TABLE(relation text, measure text, mechanism text, epsilon double precision, '
		'delta double precision, remaining double precision, remaining_delta double precision), function, volatile, not strict, parallel unsafe, everybody');

-- Exact aggregates run in parallel workers; their arguments and results are plain types.
INSERT INTO expected_function
SELECT signature, 'bigint[], aggregate, immutable, not strict, parallel safe, everybody'
FROM (VALUES
	('dpriv.exact_sum(x double precision, grid bigint[])'),
	('dpriv.exact_sum(x integer, grid bigint[])'),
	('dpriv.exact_sum(x bigint, grid bigint[])'),
	('dpriv.exact_moments(x double precision, grid bigint[])'),
	('dpriv.exact_moments(x integer, grid bigint[])'),
	('dpriv.exact_moments(x bigint, grid bigint[])'),
	('dpriv.exact_histogram(x double precision, edges double precision[])'),
	('dpriv.exact_categories(x text, categories text[])'),
	('dpriv.exact_buckets(x double precision)'),
	('dpriv.exact_buckets(x integer)'),
	('dpriv.exact_buckets(x bigint)'),
	('dpriv.exact_leaves(x double precision, range double precision[])'),
	('dpriv.exact_leaves(x integer, range double precision[])'),
	('dpriv.exact_leaves(x bigint, range double precision[])'),
	('dpriv.exact_sum_vector(x double precision[], ball bigint[])'),
	('dpriv.exact_clip_curve(x double precision, bounds bigint[])'),
	('dpriv.exact_clip_curve(x integer, bounds bigint[])'),
	('dpriv.exact_clip_curve(x bigint, bounds bigint[])')
) AS aggregate(signature);

-- Their support functions.
INSERT INTO expected_function
SELECT signature, 'bigint[], function, immutable, not strict, parallel safe, everybody'
FROM (VALUES
	('dpriv.exact_sum_accum(bigint[], double precision, bigint[])'),
	('dpriv.exact_sum_accum(bigint[], integer, bigint[])'),
	('dpriv.exact_sum_accum(bigint[], bigint, bigint[])'),
	('dpriv.exact_sum_combine(bigint[], bigint[])'),
	('dpriv.exact_moments_accum(bigint[], double precision, bigint[])'),
	('dpriv.exact_moments_accum(bigint[], integer, bigint[])'),
	('dpriv.exact_moments_accum(bigint[], bigint, bigint[])'),
	('dpriv.exact_moments_combine(bigint[], bigint[])'),
	('dpriv.exact_histogram_accum(bigint[], double precision, double precision[])'),
	('dpriv.exact_categories_accum(bigint[], text, text[])'),
	('dpriv.exact_counts_combine(bigint[], bigint[])'),
	('dpriv.exact_buckets_accum(bigint[], double precision)'),
	('dpriv.exact_buckets_accum(bigint[], integer)'),
	('dpriv.exact_buckets_accum(bigint[], bigint)'),
	('dpriv.exact_buckets_combine(bigint[], bigint[])'),
	('dpriv.exact_buckets_final(bigint[])'),
	('dpriv.exact_leaves_accum(bigint[], double precision, double precision[])'),
	('dpriv.exact_leaves_accum(bigint[], integer, double precision[])'),
	('dpriv.exact_leaves_accum(bigint[], bigint, double precision[])'),
	('dpriv.exact_leaves_combine(bigint[], bigint[])'),
	('dpriv.exact_leaves_final(bigint[])'),
	('dpriv.exact_sum_vector_accum(bigint[], double precision[], bigint[])'),
	('dpriv.exact_sum_vector_combine(bigint[], bigint[])'),
	('dpriv.exact_clip_curve_accum(bigint[], double precision, bigint[])'),
	('dpriv.exact_clip_curve_accum(bigint[], integer, bigint[])'),
	('dpriv.exact_clip_curve_accum(bigint[], bigint, bigint[])'),
	('dpriv.exact_clip_curve_combine(bigint[], bigint[])')
) AS function(signature);

-- Accounting: not strict, since NULL is an error.
INSERT INTO expected_function
SELECT signature, result || ', function, immutable, not strict, parallel safe, everybody'
FROM (VALUES
	('dpriv.laplace_scale(sensitivity double precision, epsilon double precision)', 'double precision'),
	('dpriv.gaussian_sigma(sensitivity double precision, epsilon double precision, delta double precision, '
		'method text DEFAULT ''analytic''::text)',
		'double precision'),
	('dpriv.gaussian_delta(sensitivity double precision, sigma double precision, epsilon double precision)',
		'double precision'),
	('dpriv.gaussian_epsilon(sensitivity double precision, sigma double precision, delta double precision)',
		'double precision'),
	('dpriv.epsilon_for(half_width double precision, sensitivity double precision, '
		'confidence double precision, mechanism text DEFAULT ''laplace''::text, delta double precision DEFAULT 0)',
		'double precision'),
	('dpriv.compose_basic(epsilon double precision, delta double precision, k bigint)', 'dpriv.guarantee'),
	('dpriv.compose_basic(epsilons double precision[], deltas double precision[])', 'dpriv.guarantee'),
	('dpriv.compose_advanced(epsilon double precision, delta double precision, k bigint, '
		'delta_slack double precision, form text DEFAULT ''dwork_roth''::text)',
		'dpriv.guarantee'),
	('dpriv.compose_kov(epsilons double precision[], deltas double precision[], slack double precision)',
		'dpriv.guarantee'),
	('dpriv.group_privacy(epsilon double precision, delta double precision, k bigint)', 'dpriv.guarantee'),
	('dpriv.posterior(prior double precision, epsilon double precision, delta double precision DEFAULT 0, '
		'OUT lower double precision, OUT upper double precision, OUT failure double precision)', 'record'),
	('dpriv.zcdp_gaussian(sensitivity double precision, sigma double precision)', 'double precision'),
	('dpriv.zcdp_laplace(epsilon double precision)', 'double precision'),
	('dpriv.zcdp_discrete_laplace(epsilon double precision, sensitivity_steps bigint)', 'double precision'),
	('dpriv.zcdp_pure(epsilon double precision)', 'double precision'),
	('dpriv.zcdp_exponential(epsilon double precision)', 'double precision'),
	('dpriv.zcdp_epsilon(rho double precision, delta double precision, method text DEFAULT ''tight''::text)',
		'double precision'),
	('dpriv.zcdp_rho(epsilon double precision, delta double precision, method text DEFAULT ''tight''::text)',
		'double precision'),
	('dpriv.rdp_gaussian(sensitivity double precision, sigma double precision, alpha double precision)',
		'double precision'),
	('dpriv.rdp_laplace(epsilon double precision, alpha double precision)', 'double precision'),
	('dpriv.rdp_discrete_laplace(epsilon double precision, sensitivity_steps bigint, alpha double precision)',
		'double precision'),
	('dpriv.rdp_pure(epsilon double precision, alpha double precision)', 'double precision'),
	('dpriv.rdp_randomized_response(noise double precision, buckets integer, alpha double precision, '
		'adjacency text DEFAULT ''replace_one''::text)',
		'double precision'),
	('dpriv.rdp_exponential(epsilon double precision, alpha double precision, form text DEFAULT ''zcdp''::text)',
		'double precision'),
	('dpriv.rdp_sampled_gaussian(sampling_rate double precision, noise_multiplier double precision, '
		'alpha double precision)',
		'double precision'),
	('dpriv.rdp_epsilon(orders double precision[], curve double precision[], delta double precision, '
		'conversion text DEFAULT ''improved''::text)',
		'double precision'),
	('dpriv.rdp_delta(orders double precision[], curve double precision[], epsilon double precision, '
		'conversion text DEFAULT ''improved''::text)',
		'double precision'),
	('dpriv.pld_epsilon(mechanisms dpriv.mechanism[], delta double precision)', 'double precision'),
	('dpriv.pld_delta(mechanisms dpriv.mechanism[], epsilon double precision)', 'double precision'),
	('dpriv.dpsgd_epsilon(noise_multiplier double precision, sampling_rate double precision, steps bigint, '
		'delta double precision, accountant text DEFAULT ''pld''::text)',
		'double precision'),
	('dpriv.dpsgd_noise_multiplier(epsilon double precision, delta double precision, '
		'sampling_rate double precision, steps bigint, accountant text DEFAULT ''pld''::text)',
		'double precision'),
	('dpriv.accountings(sigma double precision, sensitivity double precision, steps bigint, '
		'delta double precision)',
		'TABLE(accountant text, epsilon double precision)'),
	('dpriv.selection_threshold(epsilon double precision, delta double precision, groups integer DEFAULT 1)',
		'double precision'),
	('dpriv.selection_probability(n bigint, epsilon double precision, delta double precision, '
		'groups integer DEFAULT 1)',
		'double precision'),
	('dpriv.selection_threshold_continuous(epsilon double precision, delta double precision, '
		'groups integer DEFAULT 1)',
		'double precision'),
	('dpriv.selection_probability_continuous(n bigint, epsilon double precision, delta double precision, '
		'groups integer DEFAULT 1)',
		'double precision')
) AS function(signature, result);

INSERT INTO expected_function VALUES
	('dpriv.to_real(x numeric)', 'double precision, function, immutable, strict, parallel safe, everybody'),
	('dpriv.allowed_functions()',
		'TABLE(function regprocedure, reason text, condition text, replacement regprocedure), function, stable, strict, '
		'parallel safe, everybody'),
	-- Only releases may use it.
	('dpriv.release(integer)', 'SETOF record, function, volatile, strict, parallel restricted, owner');

-- Total functions: what a restricted role computes from private rows.
INSERT INTO expected_function
SELECT signature, result || ', strict, parallel safe, everybody'
FROM (VALUES
	('dpriv.try_add(x smallint, y smallint)', 'smallint, function, immutable'),
	('dpriv.try_add(x integer, y integer)', 'integer, function, immutable'),
	('dpriv.try_add(x bigint, y bigint)', 'bigint, function, immutable'),
	('dpriv.try_add(x real, y real)', 'real, function, immutable'),
	('dpriv.try_add(x double precision, y double precision)', 'double precision, function, immutable'),
	('dpriv.try_add(x numeric, y numeric)', 'numeric, function, immutable'),
	('dpriv.try_subtract(x smallint, y smallint)', 'smallint, function, immutable'),
	('dpriv.try_subtract(x integer, y integer)', 'integer, function, immutable'),
	('dpriv.try_subtract(x bigint, y bigint)', 'bigint, function, immutable'),
	('dpriv.try_subtract(x real, y real)', 'real, function, immutable'),
	('dpriv.try_subtract(x double precision, y double precision)', 'double precision, function, immutable'),
	('dpriv.try_subtract(x numeric, y numeric)', 'numeric, function, immutable'),
	('dpriv.try_multiply(x smallint, y smallint)', 'smallint, function, immutable'),
	('dpriv.try_multiply(x integer, y integer)', 'integer, function, immutable'),
	('dpriv.try_multiply(x bigint, y bigint)', 'bigint, function, immutable'),
	('dpriv.try_multiply(x real, y real)', 'real, function, immutable'),
	('dpriv.try_multiply(x double precision, y double precision)', 'double precision, function, immutable'),
	('dpriv.try_multiply(x numeric, y numeric)', 'numeric, function, immutable'),
	('dpriv.try_divide(x smallint, y smallint)', 'smallint, function, immutable'),
	('dpriv.try_divide(x integer, y integer)', 'integer, function, immutable'),
	('dpriv.try_divide(x bigint, y bigint)', 'bigint, function, immutable'),
	('dpriv.try_divide(x real, y real)', 'real, function, immutable'),
	('dpriv.try_divide(x double precision, y double precision)', 'double precision, function, immutable'),
	('dpriv.try_divide(x numeric, y numeric)', 'numeric, function, immutable'),
	('dpriv.try_remainder(x smallint, y smallint)', 'smallint, function, immutable'),
	('dpriv.try_remainder(x integer, y integer)', 'integer, function, immutable'),
	('dpriv.try_remainder(x bigint, y bigint)', 'bigint, function, immutable'),
	('dpriv.try_remainder(x numeric, y numeric)', 'numeric, function, immutable'),
	('dpriv.try_negate(x smallint)', 'smallint, function, immutable'),
	('dpriv.try_negate(x integer)', 'integer, function, immutable'),
	('dpriv.try_negate(x bigint)', 'bigint, function, immutable'),
	('dpriv.try_abs(x smallint)', 'smallint, function, immutable'),
	('dpriv.try_abs(x integer)', 'integer, function, immutable'),
	('dpriv.try_abs(x bigint)', 'bigint, function, immutable'),
	('dpriv.try_ceil(x numeric)', 'numeric, function, immutable'),
	('dpriv.try_floor(x numeric)', 'numeric, function, immutable'),
	('dpriv.try_round(x numeric, decimals integer)', 'numeric, function, immutable'),
	('dpriv.try_width_bucket(x double precision, lower double precision, upper double precision, count integer)',
		'integer, function, immutable'),
	('dpriv.try_width_bucket(x numeric, lower numeric, upper numeric, count integer)',
		'integer, function, immutable'),
	('dpriv.try_smallint(x bigint)', 'smallint, function, immutable'),
	('dpriv.try_smallint(x double precision)', 'smallint, function, immutable'),
	('dpriv.try_smallint(x numeric)', 'smallint, function, immutable'),
	('dpriv.try_integer(x bigint)', 'integer, function, immutable'),
	('dpriv.try_integer(x double precision)', 'integer, function, immutable'),
	('dpriv.try_integer(x numeric)', 'integer, function, immutable'),
	('dpriv.try_bigint(x double precision)', 'bigint, function, immutable'),
	('dpriv.try_bigint(x numeric)', 'bigint, function, immutable'),
	('dpriv.try_real(x double precision)', 'real, function, immutable'),
	('dpriv.try_real(x numeric)', 'real, function, immutable'),
	('dpriv.try_numeric(x numeric, typmod integer)', 'numeric, function, immutable'),
	('dpriv.try_add(x date, days integer)', 'date, function, immutable'),
	('dpriv.try_subtract(x date, days integer)', 'date, function, immutable'),
	('dpriv.try_subtract(x date, y date)', 'integer, function, immutable'),
	('dpriv.try_add(x timestamp without time zone, y interval)',
		'timestamp without time zone, function, immutable'),
	('dpriv.try_add(x timestamp with time zone, y interval)', 'timestamp with time zone, function, stable'),
	('dpriv.try_subtract(x timestamp without time zone, y interval)',
		'timestamp without time zone, function, immutable'),
	('dpriv.try_subtract(x timestamp with time zone, y interval)', 'timestamp with time zone, function, stable'),
	('dpriv.try_subtract(x timestamp without time zone, y timestamp without time zone)',
		'interval, function, immutable'),
	('dpriv.try_subtract(x timestamp with time zone, y timestamp with time zone)', 'interval, function, immutable'),
	('dpriv.try_timestamp(x date)', 'timestamp without time zone, function, immutable'),
	('dpriv.try_timestamp(x timestamp with time zone)', 'timestamp without time zone, function, stable'),
	('dpriv.try_timestamptz(x date)', 'timestamp with time zone, function, stable'),
	('dpriv.try_timestamptz(x timestamp without time zone)', 'timestamp with time zone, function, stable'),
	('dpriv.try_date_trunc(field text, x timestamp without time zone)',
		'timestamp without time zone, function, immutable'),
	('dpriv.try_date_trunc(field text, x timestamp with time zone)',
		'timestamp with time zone, function, stable'),
	('dpriv.try_lower(x text)', 'text, function, immutable'),
	('dpriv.try_upper(x text)', 'text, function, immutable'),
	('dpriv.try_substring(x text, first integer, length integer)', 'text, function, immutable'),
	('dpriv.try_like(x text, pattern text)', 'boolean, function, immutable'),
	('dpriv.try_not_like(x text, pattern text)', 'boolean, function, immutable'),
	('dpriv.try_ilike(x text, pattern text)', 'boolean, function, immutable'),
	('dpriv.try_not_ilike(x text, pattern text)', 'boolean, function, immutable'),
	('dpriv.label_of(x bigint)', 'text, function, immutable'),
	('dpriv.label_of(x boolean)', 'text, function, immutable'),
	('dpriv.label_of(x date)', 'text, function, immutable')
) AS function(signature, result);

-- Placeholders: what private aggregates run outside of a release.
INSERT INTO expected_function
SELECT signature, result || ', function, volatile, not strict, parallel restricted, everybody'
FROM (VALUES
	('dpriv.outside_release(bigint)', 'bigint'),
	('dpriv.outside_release(bigint, "any")', 'bigint'),
	('dpriv.outside_release(bigint, "any", double precision)', 'bigint'),
	('dpriv.outside_release(bigint, "any", double precision, double precision)', 'bigint'),
	('dpriv.outside_release(bigint, double precision, double precision, double precision)', 'bigint'),
	('dpriv.outside_release(bigint, double precision, double precision, double precision, double precision)', 'bigint'),
	('dpriv.outside_release(bigint, double precision, double precision, double precision, double precision, double precision)',
		'bigint'),
	('dpriv.outside_release(bigint, double precision, double precision[])', 'bigint'),
	('dpriv.outside_release(bigint, double precision, double precision[], double precision)', 'bigint'),
	('dpriv.outside_release(bigint, text, text[])', 'bigint'),
	('dpriv.outside_release(bigint, text, text[], double precision)', 'bigint'),
	('dpriv.outside_release(bigint, "any", text[])', 'bigint'),
	('dpriv.outside_release(bigint, "any", text[], double precision)', 'bigint'),
	('dpriv.outside_release(bigint, text, text[], integer)', 'bigint'),
	('dpriv.outside_release(bigint, text, text[], integer, double precision)', 'bigint'),
	('dpriv.outside_release(bigint, "any", text[], integer)', 'bigint'),
	('dpriv.outside_release(bigint, "any", text[], integer, double precision)', 'bigint'),
	('dpriv.outside_release(bigint, double precision, double precision[], double precision, double precision)',
		'bigint'),
	('dpriv.outside_release(bigint, double precision, double precision[], double precision, double precision, '
		'double precision)', 'bigint'),
	('dpriv.outside_release(bigint, double precision[], integer, double precision, text)', 'bigint'),
	('dpriv.outside_release(bigint, double precision[], integer, double precision, text, double precision)', 'bigint'),
	('dpriv.outside_release(bigint, double precision[], integer, double precision, text, double precision, '
		'double precision)', 'bigint'),
	('dpriv.outside_release_any(bigint, VARIADIC "any")', 'bigint'),
	('dpriv.outside_release_count(bigint)', 'bigint'),
	('dpriv.outside_release_real(bigint)', 'double precision'),
	('dpriv.outside_release_bins(bigint)', 'dp_bin[]'),
	('dpriv.outside_release_categories(bigint)', 'dp_category[]'),
	('dpriv.outside_release_clip_points(bigint)', 'dp_clip_point[]'),
	('dpriv.outside_release_text(bigint)', 'text'),
	('dpriv.outside_release_texts(bigint)', 'text[]'),
	('dpriv.outside_release_reals(bigint)', 'double precision[]')
) AS function(signature, result);

-- Budgets.  Whether a user may is decided inside.
INSERT INTO expected_function VALUES
	('dpriv.grant_budget(grantee text, relation regclass, epsilon double precision, delta double precision DEFAULT 0, '
		'accountant text DEFAULT ''basic''::text, period interval DEFAULT NULL::interval, '
		'lifetime_epsilon double precision DEFAULT NULL::double precision)',
		'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.revoke_budget(grantee text, relation regclass)',
		'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.set_cap(relation regclass, epsilon double precision, delta double precision DEFAULT 0, '
		'accountant text DEFAULT ''basic''::text, period interval DEFAULT NULL::interval, '
		'lifetime_epsilon double precision DEFAULT NULL::double precision)',
		'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.budgets(mine boolean)',
		'TABLE(grantee text, relation regclass, accountant text, epsilon double precision, delta double precision, '
		'spent_epsilon double precision, spent_delta double precision, remaining_epsilon double precision, '
		'remaining_delta double precision, reported_epsilon double precision, charges bigint, resets_at timestamp with time zone, period interval, '
		'lifetime_epsilon double precision, lifetime_spent double precision, revoked boolean), function, volatile, strict, parallel restricted, everybody'),
	('dpriv.own_charges()',
		'TABLE(charge_id uuid, charged_at timestamp with time zone, "current_role" text, relation_name text, mechanism text, '
		'measures text[], epsilon numeric, delta_basic numeric, delta_approx numeric, rho double precision, query text), '
		'function, stable, not strict, parallel restricted, security definer, everybody'),
	('dpriv.running()',
		'TABLE(pid integer, role text, command text, phase text, done bigint, total bigint, started_at timestamp with time zone), '
		'function, volatile, strict, parallel restricted, everybody');

-- The ledger.
INSERT INTO expected_function VALUES
	('dpriv.orders()', 'double precision[], function, immutable, not strict, parallel safe, everybody'),
	('dpriv.protect_ledger()', 'trigger, function, volatile, not strict, parallel unsafe, owner'),
	('dpriv.verify_ledger(OUT budget_id uuid, OUT entry bigint, OUT charge_id uuid, OUT problem text)',
		'SETOF record, function, volatile, not strict, parallel unsafe, owner'),
	('dpriv.archive_ledger(before timestamp with time zone)',
		'bigint, function, volatile, strict, parallel unsafe, owner');

-- Protected relations.  Whether a user may is decided inside.
INSERT INTO expected_function VALUES
	('dpriv.protect(relation regclass, unit text DEFAULT NULL::text)', 'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.unprotect(relation regclass)', 'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.trust(relation regclass, role text)', 'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.distrust(relation regclass, role text)', 'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.protection_risks(relation regclass)',
		'TABLE(risk text, advice text, refused boolean), function, stable, not strict, parallel unsafe, everybody'),
	('dpriv.releases_only(relation regclass)', 'boolean, function, stable, strict, parallel safe, everybody'),
	('dpriv.guard(relation regclass)', 'boolean, function, immutable, not strict, parallel safe, everybody'),
	('dpriv.permit()', 'boolean, function, immutable, not strict, parallel safe, everybody'),
	('dpriv.protection(relation regclass, OUT unit text, OUT part_of regclass, OUT problem text)',
		'record, function, stable, strict, parallel restricted, everybody'),
	('dpriv.hides(relation oid)', 'boolean, function, stable, strict, parallel safe, everybody'),
	('dpriv.hides_statistics(relation oid, attribute smallint)', 'boolean, function, stable, strict, parallel safe, everybody'),
	('dpriv.unless_hidden(function oid)', 'bigint, function, volatile, strict, parallel restricted, everybody'),
	('dpriv.unless_hidden(function oid, VARIADIC arguments "any")',
		'bigint, function, volatile, strict, parallel restricted, everybody'),
	('dpriv.reveals(function oid)', 'text, function, stable, strict, parallel safe, everybody'),
	('dpriv.preloaded()', 'boolean, function, stable, not strict, parallel safe, everybody'),
	('dpriv.harden(apply boolean DEFAULT false)', 'SETOF text, function, volatile, strict, parallel unsafe, owner'),
	('dpriv.audit()', 'TABLE(risk text, advice text), function, stable, not strict, parallel unsafe, owner');

-- Declarations.  The same.
INSERT INTO expected_function VALUES
	('dpriv.set_bounds(relation regclass, attribute text, lower double precision, upper double precision)',
		'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.set_domain(relation regclass, attribute text, labels text[], other text DEFAULT NULL::text)',
		'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.set_public(relation regclass, public boolean DEFAULT true)', 'void, function, volatile, not strict, parallel unsafe, everybody'),
	('dpriv.declaration(relation regclass, attribute integer, OUT public boolean, OUT lower double precision, '
		'OUT upper double precision, OUT labels text[], OUT other text, OUT problem text)',
		'record, function, stable, strict, parallel restricted, everybody');

CREATE TEMPORARY VIEW actual_function AS
SELECT pg_catalog.format('%s.%s(%s)', p.pronamespace::regnamespace, p.proname,
		CASE WHEN p.prokind = 'a' AND p.pronargs = 0 THEN '*'
			ELSE pg_catalog.pg_get_function_arguments(p.oid) END) AS signature,
	pg_catalog.concat_ws(', ', pg_catalog.pg_get_function_result(p.oid),
		CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'f' THEN 'function' ELSE 'other' END,
		CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' WHEN 'v' THEN 'volatile' END,
		CASE WHEN p.proisstrict THEN 'strict' ELSE 'not strict' END,
		CASE p.proparallel WHEN 's' THEN 'parallel safe' WHEN 'r' THEN 'parallel restricted'
			WHEN 'u' THEN 'parallel unsafe' END,
		CASE WHEN p.prosecdef THEN 'security definer' END,
		CASE WHEN pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE') THEN 'everybody' ELSE 'owner' END)
		AS contract
FROM member JOIN pg_catalog.pg_proc AS p ON member.classid = 'pg_proc'::regclass AND member.objid = p.oid;

-- Tables and views: columns, and what everybody may do with them.
CREATE TEMPORARY TABLE expected_relation (name text PRIMARY KEY, contract text NOT NULL);
INSERT INTO expected_relation VALUES
	('table dpriv.budget', 'budget_id uuid, kind text, grantee regrole, relation regclass, accountant text, epsilon numeric, '
		'delta numeric, orders double precision[], limits double precision[], delta_selection numeric, period interval, '
		'lifetime_epsilon numeric, granted_at timestamp with time zone, granted_by text, '
		'changed_at timestamp with time zone, revoked boolean; nothing'),
	('table dpriv.ledger', 'charge_id uuid, charged_at timestamp with time zone, session_role text, current_role text, relation oid, '
		'relation_name text, mechanism text, measures text[], epsilon numeric, delta_basic numeric, delta_approx numeric, '
		'rho double precision, curve double precision[], budget_id uuid, entry bigint, '
		'period_start timestamp with time zone, total_epsilon numeric, total_delta_basic numeric, '
		'total_delta_approx numeric, total_rho double precision, total_curve double precision[], '
		'lifetime_epsilon numeric, query text, parameters text, hash bytea; nothing'),
	('table dpriv.ledger_archive', 'charge_id uuid, charged_at timestamp with time zone, session_role text, current_role text, relation oid, '
		'relation_name text, mechanism text, measures text[], epsilon numeric, delta_basic numeric, delta_approx numeric, '
		'rho double precision, curve double precision[], budget_id uuid, entry bigint, '
		'period_start timestamp with time zone, total_epsilon numeric, total_delta_basic numeric, '
		'total_delta_approx numeric, total_rho double precision, total_curve double precision[], '
		'lifetime_epsilon numeric, query text, parameters text, hash bytea; nothing'),
	('view dpriv.charges', 'charge_id uuid, charged_at timestamp with time zone, session_role text, current_role text, '
		'relation oid, relation_name text, mechanism text, measures text[], epsilon numeric, delta_basic numeric, '
		'delta_approx numeric, rho double precision, curve double precision[], budgets bigint, query text, '
		'parameters text; nothing'),
	('view dpriv.my_charges', 'charge_id uuid, charged_at timestamp with time zone, current_role text, relation_name text, '
		'mechanism text, measures text[], epsilon numeric, delta_basic numeric, delta_approx numeric, rho double precision, '
		'query text; SELECT'),
	('view dpriv.budget_status', 'grantee text, relation regclass, accountant text, epsilon double precision, delta double precision, '
		'spent_epsilon double precision, spent_delta double precision, remaining_epsilon double precision, '
		'remaining_delta double precision, reported_epsilon double precision, charges bigint, resets_at timestamp with time zone, period interval, '
		'lifetime_epsilon double precision, lifetime_spent double precision, revoked boolean; SELECT'),
	('view dpriv.declarations', 'relation regclass, attribute text, public boolean, lower double precision, upper double precision, '
		'labels text[], other text, problem text; SELECT'),
	('view dpriv.hardening', 'statement text, extension name; nothing'),
	('view dpriv.progress', 'pid integer, role text, command text, phase text, done bigint, total bigint, '
		'started_at timestamp with time zone; SELECT'),
	('view dpriv.protected', 'relation regclass, unit text, trusted text[], part_of regclass, problem text; SELECT'),
	('view dpriv.my_budget', 'grantee text, relation regclass, accountant text, epsilon double precision, delta double precision, '
		'spent_epsilon double precision, spent_delta double precision, remaining_epsilon double precision, '
		'remaining_delta double precision, reported_epsilon double precision, charges bigint, resets_at timestamp with time zone, period interval, '
		'lifetime_epsilon double precision, lifetime_spent double precision, revoked boolean; SELECT');

CREATE TEMPORARY VIEW actual_relation AS
SELECT description AS name,
	(SELECT pg_catalog.string_agg(a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
		FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = objid AND a.attnum > 0 AND NOT a.attisdropped) || '; ' ||
	coalesce((SELECT pg_catalog.string_agg(privilege, ', ')
		FROM pg_catalog.unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
		WHERE pg_catalog.has_table_privilege('public', objid, privilege)), 'nothing') AS contract
FROM member WHERE classid = 'pg_class'::regclass;

-- Settings.
CREATE TEMPORARY TABLE expected_setting (name text PRIMARY KEY, contract text NOT NULL);
INSERT INTO expected_setting VALUES
	('dpriv.epsilon', 'real, default 0, 0 .. 1000, user'),
	('dpriv.delta', 'real, default 0, 0 .. 0.01, user'),
	('dpriv.selection_epsilon', 'real, default 0, 0 .. 1000, user'),
	('dpriv.mechanism', 'enum, default auto, auto laplace gaussian, user'),
	('dpriv.max_epsilon', 'real, default 20, 1e-06 .. 1000, superuser'),
	('dpriv.avg_method', 'enum, default joint, joint split, user'),
	('dpriv.session_budget', 'real, default -1, -1 .. 1e+06, superuser'),
	('dpriv.session_budget_delta', 'real, default -1, -1 .. 1, superuser'),
	('dpriv.require_budget', 'bool, default off, superuser'),
	('dpriv.ledger_query_length', 'integer, default 1000, 0 .. 4000, superuser, B'),
	('dpriv.ledger_parameters', 'bool, default off, superuser'),
	('dpriv.time_quantum', 'integer, default 0, 0 .. 3600000, superuser, ms');

CREATE TEMPORARY VIEW actual_setting AS
SELECT name, pg_catalog.concat_ws(', ', vartype, 'default ' || boot_val,
	CASE vartype WHEN 'enum' THEN pg_catalog.array_to_string(enumvals, ' ') ELSE min_val || ' .. ' || max_val END,
	context, unit) AS contract
FROM pg_catalog.pg_settings WHERE name LIKE 'dpriv.%';

-- Everything with a comment: the extension, its members, columns of its types, tables and views.
CREATE TEMPORARY VIEW commented AS
SELECT description, pg_catalog.obj_description(objid, classid::regclass::name) AS comment FROM member
UNION ALL
SELECT 'extension dpriv', pg_catalog.obj_description(oid, 'pg_extension')
FROM pg_catalog.pg_extension WHERE extname = 'dpriv'
UNION ALL
SELECT pg_catalog.format('column %s of %s', a.attname, description), pg_catalog.col_description(a.attrelid, a.attnum)
FROM member JOIN pg_catalog.pg_type AS t ON member.classid = 'pg_type'::regclass AND member.objid = t.oid
	JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT pg_catalog.format('column %s of %s', a.attname, description), pg_catalog.col_description(a.attrelid, a.attnum)
FROM member JOIN pg_catalog.pg_attribute AS a ON member.classid = 'pg_class'::regclass AND a.attrelid = member.objid
	AND a.attnum > 0 AND NOT a.attisdropped;

SELECT plan((
	(SELECT count(*) FROM expected_function FULL JOIN actual_function USING (signature)) +
	(SELECT count(*) FROM expected_relation FULL JOIN actual_relation USING (name)) +
	(SELECT count(*) FROM expected_setting FULL JOIN actual_setting USING (name)) +
	2 * (SELECT count(*) FROM actual_setting) +
	(SELECT count(*) FROM commented) +
	11)::integer);

-- An object that is missing, or that nobody expects, fails here too.
SELECT is(actual_function.contract, expected_function.contract, signature)
FROM expected_function FULL JOIN actual_function USING (signature)
ORDER BY signature;

SELECT is(actual_relation.contract, expected_relation.contract, name)
FROM expected_relation FULL JOIN actual_relation USING (name)
ORDER BY name;

SELECT is(actual_setting.contract, expected_setting.contract, 'setting ' || name)
FROM expected_setting FULL JOIN actual_setting USING (name)
ORDER BY name;

SELECT ok(short_desc <> '', 'setting ' || name || ' has a description') FROM pg_settings
WHERE name LIKE 'dpriv.%' ORDER BY name;
SELECT ok(extra_desc <> '', 'setting ' || name || ' says what is dangerous') FROM pg_settings
WHERE name LIKE 'dpriv.%' ORDER BY name;

SELECT ok(comment <> '', 'comment on ' || description) FROM commented ORDER BY description;

-- Composite types: exactly these columns.
SELECT is((SELECT string_agg(format('%s.%s %s', t.typname, a.attname, format_type(a.atttypid, a.atttypmod)), ', '
			ORDER BY t.typname, a.attnum)
		FROM pg_type AS t JOIN pg_attribute AS a ON a.attrelid = t.typrelid AND a.attnum > 0
		WHERE t.oid IN ('public.dp_bin'::regtype, 'public.dp_category'::regtype, 'public.dp_clip_point'::regtype, 'dpriv.guarantee'::regtype,
			'dpriv.mechanism'::regtype)),
	'dp_bin.lower double precision, dp_bin.upper double precision, dp_bin.count bigint, '
	'dp_category.category text, dp_category.count bigint, '
	'dp_clip_point.bound double precision, dp_clip_point.sum double precision, dp_clip_point.error double precision, '
	'guarantee.epsilon double precision, guarantee.delta double precision, '
	'mechanism.kind text, mechanism.parameters double precision[], mechanism.count bigint', 'types of the columns, in order');

-- Nothing else comes with the extension.
SELECT set_eq(
	$$SELECT description FROM member WHERE classid NOT IN ('pg_proc'::regclass, 'pg_class'::regclass)$$,
	ARRAY['schema dpriv', 'type dp_bin', 'type dp_category', 'type dp_clip_point', 'type dpriv.guarantee', 'type dpriv.mechanism'],
	'members that are neither functions nor relations');

-- The schemas.
SELECT has_schema('dpriv');
SELECT ok(has_schema_privilege('public', 'dpriv', 'USAGE'), 'everybody may use schema dpriv');
SELECT ok(NOT has_schema_privilege('public', 'dpriv', 'CREATE'), 'nobody else may create in schema dpriv');

-- The extension: not for every user to create, not to be moved.
SELECT is(extversion, '0.1.0', 'version') FROM pg_extension WHERE extname = 'dpriv';
SELECT ok(NOT extrelocatable, 'not relocatable') FROM pg_extension WHERE extname = 'dpriv';
SELECT ok(superuser AND NOT trusted, 'for superusers to create') FROM pg_available_extension_versions
WHERE name = 'dpriv' AND version = '0.1.0';

-- Exact aggregates can be computed in parallel and on several machines: they have a combine function and a
-- state of a plain type.
SELECT results_eq(
	$$SELECT count(*)::integer, count(*) FILTER (WHERE a.aggcombinefn <> 0 AND t.typtype <> 'p')::integer
		FROM pg_aggregate AS a JOIN pg_proc AS p ON p.oid = a.aggfnoid JOIN pg_type AS t ON t.oid = a.aggtranstype
		WHERE p.pronamespace = 'dpriv'::regnamespace$$,
	$$VALUES (18, 18)$$, 'exact aggregates combine');

-- Private aggregates raise in both functions, so that they cannot answer NULL on empty input.
SELECT results_eq(
	$$SELECT count(*)::integer, count(*) FILTER (WHERE s.prosrc = 'dpriv_outside_release'
			AND f.prosrc = 'dpriv_outside_release' AND NOT s.proisstrict AND NOT f.proisstrict)::integer
		FROM pg_aggregate AS a JOIN pg_proc AS p ON p.oid = a.aggfnoid
			JOIN pg_proc AS s ON s.oid = a.aggtransfn JOIN pg_proc AS f ON f.oid = a.aggfinalfn
		WHERE p.proname LIKE 'dp\_%'$$,
	$$VALUES (81, 81)$$, 'private aggregates raise outside of a release');

-- No function of the extension can be redefined by whoever runs it: all of them are C, or find the server's own objects only.
SELECT is((SELECT count(*) FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
	JOIN pg_language AS l ON l.oid = p.prolang WHERE l.lanname NOT IN ('c', 'internal')
		AND (l.lanname <> 'sql' OR p.proconfig IS DISTINCT FROM ARRAY['search_path=pg_catalog, pg_temp'])), 0::bigint,
	'functions in C, or with a search_path of their own');

SELECT * FROM finish();
ROLLBACK;
