-- dpriv 0.1.0: user functions in the extension's schema, administration in schema dpriv.

\echo Use "CREATE EXTENSION dpriv" to load this file. \quit

-- Administration and exact functions ---------------------------------------------------------------------

CREATE SCHEMA dpriv;
COMMENT ON SCHEMA dpriv IS 'Differential privacy: administration, accounting and the exact functions below releases.';
GRANT USAGE ON SCHEMA dpriv TO PUBLIC;

-- Exact aggregates ---------------------------------------------------------------------------------------
--
-- They run below the noise and see raw rows, as whoever runs the query: they give nothing to a role that could
-- not read the rows anyway.  States are plain arrays, so that the aggregates run in parallel workers,
-- partitionwise and on distributed engines.

CREATE FUNCTION dpriv.exact_sum_accum(int8[], float8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_accum(int8[], float8, int8[]) IS 'transition function of dpriv.exact_sum';

CREATE FUNCTION dpriv.exact_sum_accum(int8[], int4, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_accum(int8[], int4, int8[]) IS 'transition function of dpriv.exact_sum';

CREATE FUNCTION dpriv.exact_sum_accum(int8[], int8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_accum(int8[], int8, int8[]) IS 'transition function of dpriv.exact_sum';

CREATE FUNCTION dpriv.exact_sum_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_combine(int8[], int8[]) IS 'combine function of dpriv.exact_sum';

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
