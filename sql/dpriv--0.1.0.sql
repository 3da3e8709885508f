-- dpriv 0.1.0: user functions in the extension's schema, administration in schema dpriv.

\echo Use "CREATE EXTENSION dpriv" to load this file. \quit

-- Administration and exact functions --------------------------------------------------------------

CREATE SCHEMA dpriv;
COMMENT ON SCHEMA dpriv IS
	'Differential privacy: administration, accounting and the exact functions below releases.';
GRANT USAGE ON SCHEMA dpriv TO PUBLIC;

-- Exact aggregates --------------------------------------------------------------------------------
--
-- They run below the noise and see raw rows, as whoever runs the query: they give nothing to a role
-- that could not read the rows anyway.  States are plain arrays, so that the aggregates run in
-- parallel workers, partitionwise and on distributed engines.

CREATE FUNCTION dpriv.exact_sum_accum(int8[], float8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_accum(int8[], float8, int8[]) IS
	'transition function of dpriv.exact_sum';

CREATE FUNCTION dpriv.exact_sum_accum(int8[], int4, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_accum(int8[], int4, int8[]) IS
	'transition function of dpriv.exact_sum';

CREATE FUNCTION dpriv.exact_sum_accum(int8[], int8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_accum(int8[], int8, int8[]) IS
	'transition function of dpriv.exact_sum';

CREATE FUNCTION dpriv.exact_sum_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_combine(int8[], int8[]) IS
	'combine function of dpriv.exact_sum';

CREATE AGGREGATE dpriv.exact_sum(x float8, grid int8[]) (
	SFUNC = dpriv.exact_sum_accum,
	STYPE = int8[],
	INITCOND = '{0,0,0}',
	COMBINEFUNC = dpriv.exact_sum_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_sum(float8, int8[]) IS
	'{low, high, count}: 128-bit sum of clamp(trunc(x * 2^-exponent), lower, upper) and number of values; grid is {exponent, lower, upper}';

CREATE AGGREGATE dpriv.exact_sum(x int4, grid int8[]) (
	SFUNC = dpriv.exact_sum_accum,
	STYPE = int8[],
	INITCOND = '{0,0,0}',
	COMBINEFUNC = dpriv.exact_sum_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_sum(int4, int8[]) IS
	'{low, high, count}: 128-bit sum of clamp(trunc(x * 2^-exponent), lower, upper) and number of values; grid is {exponent, lower, upper}';

CREATE AGGREGATE dpriv.exact_sum(x int8, grid int8[]) (
	SFUNC = dpriv.exact_sum_accum,
	STYPE = int8[],
	INITCOND = '{0,0,0}',
	COMBINEFUNC = dpriv.exact_sum_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_sum(int8, int8[]) IS
	'{low, high, count}: 128-bit sum of clamp(trunc(x * 2^-exponent), lower, upper) and number of values; grid is {exponent, lower, upper}';

CREATE FUNCTION dpriv.exact_counts_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_counts_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_counts_combine(int8[], int8[]) IS
	'combine function of dpriv.exact_histogram and dpriv.exact_categories';

CREATE FUNCTION dpriv.exact_histogram_accum(int8[], float8, float8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_histogram_accum'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_histogram_accum(int8[], float8, float8[]) IS
	'transition function of dpriv.exact_histogram';

CREATE AGGREGATE dpriv.exact_histogram(x float8, edges float8[]) (
	SFUNC = dpriv.exact_histogram_accum,
	STYPE = int8[],
	COMBINEFUNC = dpriv.exact_counts_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_histogram(float8, float8[]) IS
	'number of values in each bin [edge, next edge), the last one closed; NULL without rows';

CREATE FUNCTION dpriv.exact_categories_accum(int8[], text, text[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_categories_accum'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_categories_accum(int8[], text, text[]) IS
	'transition function of dpriv.exact_categories';

CREATE AGGREGATE dpriv.exact_categories(x text, categories text[]) (
	SFUNC = dpriv.exact_categories_accum,
	STYPE = int8[],
	COMBINEFUNC = dpriv.exact_counts_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_categories(text, text[]) IS
	'number of values equal to each category, byte by byte; NULL without rows';

CREATE FUNCTION dpriv.to_real(x numeric) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_to_real'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.to_real(numeric) IS
	'double precision value of a numeric; infinite or zero where the cast would raise an error';

-- Whatever the default privileges are: a release calls them for whoever may call the private
-- aggregates.
GRANT EXECUTE ON FUNCTION dpriv.exact_sum(float8, int8[]), dpriv.exact_sum(int4, int8[]),
	dpriv.exact_sum(int8, int8[]), dpriv.exact_histogram(float8, float8[]),
	dpriv.exact_categories(text, text[]), dpriv.to_real(numeric) TO PUBLIC;

-- What replaces a release while a statement is being planned --------------------------------------

CREATE FUNCTION dpriv.release(integer) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dpriv_release_placeholder'
	LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
REVOKE EXECUTE ON FUNCTION dpriv.release(integer) FROM PUBLIC;
COMMENT ON FUNCTION dpriv.release(integer) IS
	'stands for a private release inside a plan; cannot be called';

-- Budget ------------------------------------------------------------------------------------------

CREATE FUNCTION dpriv.session_spent() RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_session_spent_epsilon'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.session_spent() IS
	'epsilon that the private releases of this session have cost so far; never decreases';

-- Private aggregates ------------------------------------------------------------------------------
--
-- Declared so that SQL with them parses.  The planner hook replaces them by a release; executed as
-- they stand, both their functions raise.

CREATE TYPE @extschema@.dp_bin AS (lower float8, upper float8, count int8);
COMMENT ON TYPE @extschema@.dp_bin IS
	'bin of a private histogram: values from lower (included) to upper (excluded, but included in the last bin)';
COMMENT ON COLUMN @extschema@.dp_bin.lower IS 'lower edge, included';
COMMENT ON COLUMN @extschema@.dp_bin.upper IS 'upper edge, excluded except in the last bin';
COMMENT ON COLUMN @extschema@.dp_bin.count IS 'noisy count, unbiased; may be negative';

CREATE TYPE @extschema@.dp_category AS (category text, count int8);
COMMENT ON TYPE @extschema@.dp_category IS 'category of a private histogram';
COMMENT ON COLUMN @extschema@.dp_category.category IS 'category as given';
COMMENT ON COLUMN @extschema@.dp_category.count IS 'noisy count, unbiased; may be negative';

CREATE FUNCTION dpriv.outside_release(int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, "any") RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, "any") IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, "any", float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, "any", float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8, float8, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8, float8, float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8, float8, float8, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8, float8, float8, float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8, float8[]) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8, float8[]) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8, float8[], float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8, float8[], float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, text, text[]) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, text, text[]) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, text, text[], float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, text, text[], float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, anyenum, text[]) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, anyenum, text[]) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, anyenum, text[], float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, anyenum, text[], float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release_count(int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_count(int8) IS
	'final function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release_real(int8) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_real(int8) IS
	'final function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release_bins(int8) RETURNS @extschema@.dp_bin[]
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_bins(int8) IS
	'final function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release_categories(int8) RETURNS @extschema@.dp_category[]
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_categories(int8) IS
	'final function of private aggregates outside of a release: raises';

CREATE AGGREGATE @extschema@.dp_count(*) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count(*) IS
	'noisy number of rows: discrete Laplace noise of scale 1/epsilon, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_count(x "any") (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count("any") IS
	'noisy number of rows whose value is not NULL, or of distinct values with DISTINCT; a whole row counts rows; epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_count(x "any", epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count("any", float8) IS
	'noisy number of rows whose value is not NULL, or of distinct values with DISTINCT; a whole row counts rows';

CREATE AGGREGATE @extschema@.dp_sum_clipped(x float8, lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_clipped(float8, float8, float8) IS
	'noisy sum of values clipped to lower..upper: discrete Laplace noise of scale max(|lower|, |upper|)/epsilon, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_sum_clipped(x float8, lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_clipped(float8, float8, float8, float8) IS
	'noisy sum of values clipped to lower..upper: discrete Laplace noise of scale max(|lower|, |upper|)/epsilon';

CREATE AGGREGATE @extschema@.dp_avg(x float8, lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8, float8, float8) IS
	'noisy mean of values clipped to lower..upper, itself within lower..upper, with epsilon = dpriv.epsilon; see dpriv.avg_method';

CREATE AGGREGATE @extschema@.dp_avg(x float8, lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8, float8, float8, float8) IS
	'noisy mean of values clipped to lower..upper, itself within lower..upper; see dpriv.avg_method';

CREATE AGGREGATE @extschema@.dp_histogram(x float8, edges float8[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_bins,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, float8[]) IS
	'noisy counts of the bins between increasing edges, noise of scale 1/epsilon in each, with epsilon = dpriv.epsilon; values outside and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_histogram(x float8, edges float8[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_bins,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(float8, float8[], float8) IS
	'noisy counts of the bins between increasing edges, noise of scale 1/epsilon in each; values outside and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_histogram(x text, categories text[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_categories,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(text, text[]) IS
	'noisy counts of the categories, noise of scale 1/epsilon in each, with epsilon = dpriv.epsilon; other values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_histogram(x text, categories text[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_categories,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(text, text[], float8) IS
	'noisy counts of the categories, noise of scale 1/epsilon in each; other values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_histogram(x anyenum, categories text[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_categories,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(anyenum, text[]) IS
	'noisy counts of the enum labels, noise of scale 1/epsilon in each, with epsilon = dpriv.epsilon; other labels and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_histogram(x anyenum, categories text[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_categories,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram(anyenum, text[], float8) IS
	'noisy counts of the enum labels, noise of scale 1/epsilon in each; other labels and NULL count nowhere';

CREATE FUNCTION @extschema@.dp_error(measure anyelement) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_error_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_error(anyelement) IS
	'half-width of the interval around a private aggregate of the same query that holds in 95 % of answers: noise only, not clipping';

CREATE FUNCTION @extschema@.dp_error(measure anyelement, confidence float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_error_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_error(anyelement, float8) IS
	'half-width of the interval around a private aggregate of the same query that holds with the given confidence: noise only, not clipping';

