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

CREATE FUNCTION dpriv.exact_moments_accum(int8[], float8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_moments_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_moments_accum(int8[], float8, int8[]) IS
	'transition function of dpriv.exact_moments';

CREATE FUNCTION dpriv.exact_moments_accum(int8[], int4, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_moments_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_moments_accum(int8[], int4, int8[]) IS
	'transition function of dpriv.exact_moments';

CREATE FUNCTION dpriv.exact_moments_accum(int8[], int8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_moments_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_moments_accum(int8[], int8, int8[]) IS
	'transition function of dpriv.exact_moments';

CREATE FUNCTION dpriv.exact_moments_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_moments_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_moments_combine(int8[], int8[]) IS
	'combine function of dpriv.exact_moments';

CREATE AGGREGATE dpriv.exact_moments(x float8, grid int8[]) (
	SFUNC = dpriv.exact_moments_accum,
	STYPE = int8[],
	INITCOND = '{0,0,0,0,0}',
	COMBINEFUNC = dpriv.exact_moments_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_moments(float8, int8[]) IS
	'{low, high, count, low, high}: 128-bit sums of u and of u^2, u = clamp(trunc(x * 2^-exponent), lower, upper) - lower, and number of values; grid is {exponent, lower, upper}';

CREATE AGGREGATE dpriv.exact_moments(x int4, grid int8[]) (
	SFUNC = dpriv.exact_moments_accum,
	STYPE = int8[],
	INITCOND = '{0,0,0,0,0}',
	COMBINEFUNC = dpriv.exact_moments_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_moments(int4, int8[]) IS
	'{low, high, count, low, high}: 128-bit sums of u and of u^2, u = clamp(trunc(x * 2^-exponent), lower, upper) - lower, and number of values; grid is {exponent, lower, upper}';

CREATE AGGREGATE dpriv.exact_moments(x int8, grid int8[]) (
	SFUNC = dpriv.exact_moments_accum,
	STYPE = int8[],
	INITCOND = '{0,0,0,0,0}',
	COMBINEFUNC = dpriv.exact_moments_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_moments(int8, int8[]) IS
	'{low, high, count, low, high}: 128-bit sums of u and of u^2, u = clamp(trunc(x * 2^-exponent), lower, upper) - lower, and number of values; grid is {exponent, lower, upper}';

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

CREATE FUNCTION dpriv.exact_leaves_accum(int8[], float8, float8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_leaves_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_leaves_accum(int8[], float8, float8[]) IS
	'transition function of dpriv.exact_leaves';

CREATE FUNCTION dpriv.exact_leaves_accum(int8[], int4, float8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_leaves_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_leaves_accum(int8[], int4, float8[]) IS
	'transition function of dpriv.exact_leaves';

CREATE FUNCTION dpriv.exact_leaves_accum(int8[], int8, float8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_leaves_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_leaves_accum(int8[], int8, float8[]) IS
	'transition function of dpriv.exact_leaves';

CREATE FUNCTION dpriv.exact_leaves_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_leaves_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_leaves_combine(int8[], int8[]) IS
	'combine function of dpriv.exact_leaves';

CREATE FUNCTION dpriv.exact_leaves_final(int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_leaves_final'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_leaves_final(int8[]) IS
	'final function of dpriv.exact_leaves';

CREATE AGGREGATE dpriv.exact_leaves(x float8, range float8[]) (
	SFUNC = dpriv.exact_leaves_accum,
	STYPE = int8[],
	FINALFUNC = dpriv.exact_leaves_final,
	COMBINEFUNC = dpriv.exact_leaves_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_leaves(float8, float8[]) IS
	'{leaf, count, leaf, count, ...}: number of values by leaf floor((x - lower) * leaves_per_unit), clamped to 0 .. leaves - 1, where there are any; range is {lower, leaves_per_unit, leaves}; NULL without values';

CREATE AGGREGATE dpriv.exact_leaves(x int4, range float8[]) (
	SFUNC = dpriv.exact_leaves_accum,
	STYPE = int8[],
	FINALFUNC = dpriv.exact_leaves_final,
	COMBINEFUNC = dpriv.exact_leaves_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_leaves(int4, float8[]) IS
	'{leaf, count, leaf, count, ...}: number of values by leaf floor((x - lower) * leaves_per_unit), clamped to 0 .. leaves - 1, where there are any; range is {lower, leaves_per_unit, leaves}; NULL without values';

CREATE AGGREGATE dpriv.exact_leaves(x int8, range float8[]) (
	SFUNC = dpriv.exact_leaves_accum,
	STYPE = int8[],
	FINALFUNC = dpriv.exact_leaves_final,
	COMBINEFUNC = dpriv.exact_leaves_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_leaves(int8, float8[]) IS
	'{leaf, count, leaf, count, ...}: number of values by leaf floor((x - lower) * leaves_per_unit), clamped to 0 .. leaves - 1, where there are any; range is {lower, leaves_per_unit, leaves}; NULL without values';

CREATE FUNCTION dpriv.exact_clip_curve_accum(int8[], float8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_clip_curve_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_clip_curve_accum(int8[], float8, int8[]) IS
	'transition function of dpriv.exact_clip_curve';

CREATE FUNCTION dpriv.exact_clip_curve_accum(int8[], int4, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_clip_curve_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_clip_curve_accum(int8[], int4, int8[]) IS
	'transition function of dpriv.exact_clip_curve';

CREATE FUNCTION dpriv.exact_clip_curve_accum(int8[], int8, int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_clip_curve_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_clip_curve_accum(int8[], int8, int8[]) IS
	'transition function of dpriv.exact_clip_curve';

CREATE FUNCTION dpriv.exact_clip_curve_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_clip_curve_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_clip_curve_combine(int8[], int8[]) IS
	'combine function of dpriv.exact_clip_curve';

CREATE AGGREGATE dpriv.exact_clip_curve(x float8, bounds int8[]) (
	SFUNC = dpriv.exact_clip_curve_accum,
	STYPE = int8[],
	COMBINEFUNC = dpriv.exact_clip_curve_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_clip_curve(float8, int8[]) IS
	'{number of v = trunc(x * 2^-exponent) that reach the last bound, then for each interval between 0 and the bounds: number of positive v in it, low, high}: with the 128-bit sum of their distances from its lower end; bounds is {exponent, bound, ...}; NULL without rows';

CREATE AGGREGATE dpriv.exact_clip_curve(x int4, bounds int8[]) (
	SFUNC = dpriv.exact_clip_curve_accum,
	STYPE = int8[],
	COMBINEFUNC = dpriv.exact_clip_curve_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_clip_curve(int4, int8[]) IS
	'{number of v = trunc(x * 2^-exponent) that reach the last bound, then for each interval between 0 and the bounds: number of positive v in it, low, high}: with the 128-bit sum of their distances from its lower end; bounds is {exponent, bound, ...}; NULL without rows';

CREATE AGGREGATE dpriv.exact_clip_curve(x int8, bounds int8[]) (
	SFUNC = dpriv.exact_clip_curve_accum,
	STYPE = int8[],
	COMBINEFUNC = dpriv.exact_clip_curve_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_clip_curve(int8, int8[]) IS
	'{number of v = trunc(x * 2^-exponent) that reach the last bound, then for each interval between 0 and the bounds: number of positive v in it, low, high}: with the 128-bit sum of their distances from its lower end; bounds is {exponent, bound, ...}; NULL without rows';

CREATE FUNCTION dpriv.exact_buckets_accum(int8[], float8) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_buckets_float8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_buckets_accum(int8[], float8) IS
	'transition function of dpriv.exact_buckets';

CREATE FUNCTION dpriv.exact_buckets_accum(int8[], int4) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_buckets_int4'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_buckets_accum(int8[], int4) IS
	'transition function of dpriv.exact_buckets';

CREATE FUNCTION dpriv.exact_buckets_accum(int8[], int8) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_buckets_int8'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_buckets_accum(int8[], int8) IS
	'transition function of dpriv.exact_buckets';

CREATE FUNCTION dpriv.exact_buckets_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_buckets_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_buckets_combine(int8[], int8[]) IS
	'combine function of dpriv.exact_buckets';

CREATE FUNCTION dpriv.exact_buckets_final(int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_buckets_final'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_buckets_final(int8[]) IS
	'final function of dpriv.exact_buckets';

CREATE AGGREGATE dpriv.exact_buckets(x float8) (
	SFUNC = dpriv.exact_buckets_accum,
	STYPE = int8[],
	FINALFUNC = dpriv.exact_buckets_final,
	COMBINEFUNC = dpriv.exact_buckets_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_buckets(float8) IS
	'{bucket, count, sum (2 elements), sum of squares (2 elements), ...}: values by sign and power of two, as their first 31 binary digits; NULL without values';

CREATE AGGREGATE dpriv.exact_buckets(x int4) (
	SFUNC = dpriv.exact_buckets_accum,
	STYPE = int8[],
	FINALFUNC = dpriv.exact_buckets_final,
	COMBINEFUNC = dpriv.exact_buckets_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_buckets(int4) IS
	'{bucket, count, sum (2 elements), sum of squares (2 elements), ...}: values by sign and power of two, as their first 31 binary digits; NULL without values';

CREATE AGGREGATE dpriv.exact_buckets(x int8) (
	SFUNC = dpriv.exact_buckets_accum,
	STYPE = int8[],
	FINALFUNC = dpriv.exact_buckets_final,
	COMBINEFUNC = dpriv.exact_buckets_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_buckets(int8) IS
	'{bucket, count, sum (2 elements), sum of squares (2 elements), ...}: values by sign and power of two, as their first 31 binary digits; NULL without values';

CREATE FUNCTION dpriv.exact_sum_vector_accum(int8[], float8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_vector_accum'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_vector_accum(int8[], float8[], int8[]) IS
	'transition function of dpriv.exact_sum_vector';

CREATE FUNCTION dpriv.exact_sum_vector_combine(int8[], int8[]) RETURNS int8[]
	AS 'MODULE_PATHNAME', 'dpriv_exact_sum_vector_combine'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.exact_sum_vector_combine(int8[], int8[]) IS
	'combine function of dpriv.exact_sum_vector';

CREATE AGGREGATE dpriv.exact_sum_vector(x float8[], ball int8[]) (
	SFUNC = dpriv.exact_sum_vector_accum,
	STYPE = int8[],
	COMBINEFUNC = dpriv.exact_sum_vector_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE dpriv.exact_sum_vector(float8[], int8[]) IS
	'{low, high, low, high, ...}: 128-bit sums of the coordinates of trunc(x * 2^-exponent), shrunk to the radius in the L1 (1) or Euclidean (2) norm; what is no vector of finite numbers of this dimension counts as zero; ball is {exponent, norm, radius, dimension}; NULL without rows';

CREATE FUNCTION dpriv.to_real(x numeric) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_to_real'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.to_real(numeric) IS
	'double precision value of a numeric; infinite or zero where the cast would raise an error';

-- Whatever the default privileges are: a release calls them for whoever may call the private
-- aggregates.
GRANT EXECUTE ON FUNCTION dpriv.exact_sum(float8, int8[]), dpriv.exact_sum(int4, int8[]),
	dpriv.exact_sum(int8, int8[]), dpriv.exact_moments(float8, int8[]),
	dpriv.exact_moments(int4, int8[]), dpriv.exact_moments(int8, int8[]),
	dpriv.exact_histogram(float8, float8[]), dpriv.exact_categories(text, text[]),
	dpriv.exact_leaves(float8, float8[]), dpriv.exact_leaves(int4, float8[]),
	dpriv.exact_leaves(int8, float8[]), dpriv.exact_buckets(float8), dpriv.exact_buckets(int4),
	dpriv.exact_buckets(int8), dpriv.exact_clip_curve(float8, int8[]),
	dpriv.exact_clip_curve(int4, int8[]), dpriv.exact_clip_curve(int8, int8[]),
	dpriv.to_real(numeric),
	dpriv.exact_sum_vector(float8[], int8[]) TO PUBLIC;

-- Total functions ---------------------------------------------------------------------------------
--
-- What a restricted role computes from private rows must not fail on any of them.  Each of these does
-- what a function of PostgreSQL does, and yields NULL where that raises an error.

CREATE FUNCTION dpriv.try_add(x int2, y int2) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_add_int2'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(int2, int2) IS
	'x + y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_add(x int4, y int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_add_int4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(int4, int4) IS
	'x + y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_add(x int8, y int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_add_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(int8, int8) IS
	'x + y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_add(x float4, y float4) RETURNS float4
	AS 'MODULE_PATHNAME', 'dpriv_try_add_float4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(float4, float4) IS
	'x + y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_add(x float8, y float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_try_add_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(float8, float8) IS
	'x + y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_add(x numeric, y numeric) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_add_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(numeric, numeric) IS
	'x + y; NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_subtract(x int2, y int2) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_int2'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(int2, int2) IS
	'x - y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x int4, y int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_int4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(int4, int4) IS
	'x - y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x int8, y int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(int8, int8) IS
	'x - y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x float4, y float4) RETURNS float4
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_float4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(float4, float4) IS
	'x - y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x float8, y float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(float8, float8) IS
	'x - y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x numeric, y numeric) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(numeric, numeric) IS
	'x - y; NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_multiply(x int2, y int2) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_multiply_int2'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_multiply(int2, int2) IS
	'x * y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_multiply(x int4, y int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_multiply_int4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_multiply(int4, int4) IS
	'x * y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_multiply(x int8, y int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_multiply_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_multiply(int8, int8) IS
	'x * y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_multiply(x float4, y float4) RETURNS float4
	AS 'MODULE_PATHNAME', 'dpriv_try_multiply_float4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_multiply(float4, float4) IS
	'x * y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_multiply(x float8, y float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_try_multiply_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_multiply(float8, float8) IS
	'x * y; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_multiply(x numeric, y numeric) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_multiply_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_multiply(numeric, numeric) IS
	'x * y; NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_divide(x int2, y int2) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_divide_int2'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_divide(int2, int2) IS
	'x / y; NULL where y is 0 or the result is out of range';

CREATE FUNCTION dpriv.try_divide(x int4, y int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_divide_int4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_divide(int4, int4) IS
	'x / y; NULL where y is 0 or the result is out of range';

CREATE FUNCTION dpriv.try_divide(x int8, y int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_divide_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_divide(int8, int8) IS
	'x / y; NULL where y is 0 or the result is out of range';

CREATE FUNCTION dpriv.try_divide(x float4, y float4) RETURNS float4
	AS 'MODULE_PATHNAME', 'dpriv_try_divide_float4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_divide(float4, float4) IS
	'x / y; NULL where y is 0 or the result is out of range';

CREATE FUNCTION dpriv.try_divide(x float8, y float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_try_divide_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_divide(float8, float8) IS
	'x / y; NULL where y is 0 or the result is out of range';

CREATE FUNCTION dpriv.try_divide(x numeric, y numeric) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_divide_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_divide(numeric, numeric) IS
	'x / y; NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_remainder(x int2, y int2) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_remainder_int2'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_remainder(int2, int2) IS
	'x % y; NULL where y is 0';

CREATE FUNCTION dpriv.try_remainder(x int4, y int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_remainder_int4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_remainder(int4, int4) IS
	'x % y; NULL where y is 0';

CREATE FUNCTION dpriv.try_remainder(x int8, y int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_remainder_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_remainder(int8, int8) IS
	'x % y; NULL where y is 0';

CREATE FUNCTION dpriv.try_remainder(x numeric, y numeric) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_remainder_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_remainder(numeric, numeric) IS
	'x % y; NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_negate(x int2) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_negate_int2'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_negate(int2) IS
	'-x; NULL for the smallest number, where the result is out of range';

CREATE FUNCTION dpriv.try_negate(x int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_negate_int4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_negate(int4) IS
	'-x; NULL for the smallest number, where the result is out of range';

CREATE FUNCTION dpriv.try_negate(x int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_negate_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_negate(int8) IS
	'-x; NULL for the smallest number, where the result is out of range';

CREATE FUNCTION dpriv.try_abs(x int2) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_abs_int2'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_abs(int2) IS
	'abs(x); NULL for the smallest number, where the result is out of range';

CREATE FUNCTION dpriv.try_abs(x int4) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_abs_int4'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_abs(int4) IS
	'abs(x); NULL for the smallest number, where the result is out of range';

CREATE FUNCTION dpriv.try_abs(x int8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_abs_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_abs(int8) IS
	'abs(x); NULL for the smallest number, where the result is out of range';

CREATE FUNCTION dpriv.try_ceil(x numeric) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_ceil_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_ceil(numeric) IS
	'ceil(x); NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_floor(x numeric) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_floor_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_floor(numeric) IS
	'floor(x); NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_round(x numeric, decimals int4) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_round_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_round(numeric, int4) IS
	'round(x, decimals); NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_width_bucket(x float8, lower float8, upper float8, count int4)
	RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_width_bucket_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_width_bucket(float8, float8, float8, int4) IS
	'width_bucket(x, lower, upper, count); NULL where the bounds are equal or not finite, x is NaN, or count is not above 0';

CREATE FUNCTION dpriv.try_width_bucket(x numeric, lower numeric, upper numeric, count int4)
	RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_width_bucket_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_width_bucket(numeric, numeric, numeric, int4) IS
	'width_bucket(x, lower, upper, count); NULL where the bounds are equal or not finite, x is NaN, or count is not above 0; NULL also where one of them has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_smallint(x int8) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_int2_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_smallint(int8) IS
	'x::smallint; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_smallint(x float8) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_int2_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_smallint(float8) IS
	'x::smallint; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_smallint(x numeric) RETURNS int2
	AS 'MODULE_PATHNAME', 'dpriv_try_int2_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_smallint(numeric) IS
	'x::smallint; NULL where the result is out of range, or x has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_integer(x int8) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_int4_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_integer(int8) IS
	'x::integer; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_integer(x float8) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_int4_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_integer(float8) IS
	'x::integer; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_integer(x numeric) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_int4_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_integer(numeric) IS
	'x::integer; NULL where the result is out of range, or x has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_bigint(x float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_int8_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_bigint(float8) IS
	'x::bigint; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_bigint(x numeric) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_try_int8_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_bigint(numeric) IS
	'x::bigint; NULL where the result is out of range, or x has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_real(x float8) RETURNS float4
	AS 'MODULE_PATHNAME', 'dpriv_try_float4_float8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_real(float8) IS
	'x::real; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_real(x numeric) RETURNS float4
	AS 'MODULE_PATHNAME', 'dpriv_try_float4_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_real(numeric) IS
	'x::real; NULL where the result is out of range, or x has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_numeric(x numeric, typmod int4) RETURNS numeric
	AS 'MODULE_PATHNAME', 'dpriv_try_numeric'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_numeric(numeric, int4) IS
	'x::numeric(precision, scale), which typmod stands for; NULL where an error would be, or an operand or the result has more than 256 digits before or after the decimal point';

CREATE FUNCTION dpriv.try_add(x date, days int4) RETURNS date
	AS 'MODULE_PATHNAME', 'dpriv_try_add_date'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(date, int4) IS
	'x + days; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x date, days int4) RETURNS date
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_date'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(date, int4) IS
	'x - days; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x date, y date) RETURNS int4
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_dates'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(date, date) IS
	'x - y in days; NULL where one of them is infinite';

CREATE FUNCTION dpriv.try_add(x timestamp, y interval) RETURNS timestamp
	AS 'MODULE_PATHNAME', 'dpriv_try_add_timestamp'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(timestamp, interval) IS
	'x + y; NULL where a step of it comes within a month of the ends of the range of timestamps';

CREATE FUNCTION dpriv.try_add(x timestamptz, y interval) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'dpriv_try_add_timestamptz'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_add(timestamptz, interval) IS
	'x + y; NULL where a step of it comes within a month of the ends of the range of timestamps';

CREATE FUNCTION dpriv.try_subtract(x timestamp, y interval) RETURNS timestamp
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_timestamp'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(timestamp, interval) IS
	'x - y; NULL where a step of it comes within a month of the ends of the range of timestamps';

CREATE FUNCTION dpriv.try_subtract(x timestamptz, y interval) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_timestamptz'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(timestamptz, interval) IS
	'x - y; NULL where a step of it comes within a month of the ends of the range of timestamps';

CREATE FUNCTION dpriv.try_subtract(x timestamp, y timestamp) RETURNS interval
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_timestamps'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(timestamp, timestamp) IS
	'x - y; NULL where one of them is infinite or the result is out of range';

CREATE FUNCTION dpriv.try_subtract(x timestamptz, y timestamptz) RETURNS interval
	AS 'MODULE_PATHNAME', 'dpriv_try_subtract_timestamps'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_subtract(timestamptz, timestamptz) IS
	'x - y; NULL where one of them is infinite or the result is out of range';

CREATE FUNCTION dpriv.try_timestamp(x date) RETURNS timestamp
	AS 'MODULE_PATHNAME', 'dpriv_try_timestamp_date'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_timestamp(date) IS
	'x::timestamp; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_timestamp(x timestamptz) RETURNS timestamp
	AS 'MODULE_PATHNAME', 'dpriv_try_timestamp_timestamptz'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_timestamp(timestamptz) IS
	'x::timestamp; NULL within a month of the ends of the range';

CREATE FUNCTION dpriv.try_timestamptz(x date) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'dpriv_try_timestamptz_date'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_timestamptz(date) IS
	'x::timestamptz; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_timestamptz(x timestamp) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'dpriv_try_timestamptz_timestamp'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_timestamptz(timestamp) IS
	'x::timestamptz; NULL where the result is out of range';

CREATE FUNCTION dpriv.try_date_trunc(field text, x timestamp) RETURNS timestamp
	AS 'MODULE_PATHNAME', 'dpriv_try_date_trunc_timestamp'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_date_trunc(text, timestamp) IS
	'date_trunc(field, x); NULL for other fields than microseconds .. millennium, before 3999 BC and in the last year of the range';

CREATE FUNCTION dpriv.try_date_trunc(field text, x timestamptz) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'dpriv_try_date_trunc_timestamptz'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_date_trunc(text, timestamptz) IS
	'date_trunc(field, x); NULL for other fields than microseconds .. millennium, before 3999 BC and in the last year of the range';

CREATE FUNCTION dpriv.try_lower(x text) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_try_lower'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_lower(text) IS
	'lower(x); NULL where x has more than 1 MB, and in multibyte encodings other than UTF8';

CREATE FUNCTION dpriv.try_upper(x text) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_try_upper'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_upper(text) IS
	'upper(x); NULL where x has more than 1 MB, and in multibyte encodings other than UTF8';

CREATE FUNCTION dpriv.try_substring(x text, first int4, length int4) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_try_substring'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_substring(text, int4, int4) IS
	'substring(x, first, length); NULL where length is negative';

CREATE FUNCTION dpriv.try_like(x text, pattern text) RETURNS bool
	AS 'MODULE_PATHNAME', 'dpriv_try_like'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_like(text, text) IS
	'x LIKE pattern; NULL where pattern has more than 256 bytes or ends with its escape character, or where it does not only fix the beginning of x and the bytes of both multiply to more than 4,194,304';

CREATE FUNCTION dpriv.try_not_like(x text, pattern text) RETURNS bool
	AS 'MODULE_PATHNAME', 'dpriv_try_not_like'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_not_like(text, text) IS
	'x NOT LIKE pattern; NULL where pattern has more than 256 bytes or ends with its escape character, or where it does not only fix the beginning of x and the bytes of both multiply to more than 4,194,304';

CREATE FUNCTION dpriv.try_ilike(x text, pattern text) RETURNS bool
	AS 'MODULE_PATHNAME', 'dpriv_try_ilike'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_ilike(text, text) IS
	'x ILIKE pattern; NULL where pattern has more than 256 bytes or ends with its escape character, or x has more than 1 MB, or where pattern does not only fix the beginning of x and the bytes of both multiply to more than 4,194,304, and in multibyte encodings other than UTF8';

CREATE FUNCTION dpriv.try_not_ilike(x text, pattern text) RETURNS bool
	AS 'MODULE_PATHNAME', 'dpriv_try_not_ilike'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.try_not_ilike(text, text) IS
	'x NOT ILIKE pattern; NULL where pattern has more than 256 bytes or ends with its escape character, or x has more than 1 MB, or where pattern does not only fix the beginning of x and the bytes of both multiply to more than 4,194,304, and in multibyte encodings other than UTF8';

-- As above: releases call them.
CREATE FUNCTION dpriv.label_of(x int8) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_label_of_int8'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.label_of(int8) IS 'an integer as declared domains have it: in decimal digits';

CREATE FUNCTION dpriv.label_of(x bool) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_label_of_bool'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.label_of(bool) IS 'a boolean as declared domains have it: true or false';

CREATE FUNCTION dpriv.label_of(x date) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_label_of_date'
	LANGUAGE C STRICT IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.label_of(date) IS
	'a date as declared domains have it: YYYY-MM-DD, whatever DateStyle is';

GRANT EXECUTE ON FUNCTION dpriv.label_of(int8), dpriv.label_of(bool), dpriv.label_of(date) TO PUBLIC;
GRANT EXECUTE ON FUNCTION dpriv.try_add(int2, int2), dpriv.try_add(int4, int4),
	dpriv.try_add(int8, int8), dpriv.try_add(float4, float4), dpriv.try_add(float8, float8),
	dpriv.try_add(numeric, numeric), dpriv.try_subtract(int2, int2),
	dpriv.try_subtract(int4, int4), dpriv.try_subtract(int8, int8),
	dpriv.try_subtract(float4, float4), dpriv.try_subtract(float8, float8),
	dpriv.try_subtract(numeric, numeric), dpriv.try_multiply(int2, int2),
	dpriv.try_multiply(int4, int4), dpriv.try_multiply(int8, int8),
	dpriv.try_multiply(float4, float4), dpriv.try_multiply(float8, float8),
	dpriv.try_multiply(numeric, numeric), dpriv.try_divide(int2, int2),
	dpriv.try_divide(int4, int4), dpriv.try_divide(int8, int8), dpriv.try_divide(float4, float4),
	dpriv.try_divide(float8, float8), dpriv.try_divide(numeric, numeric),
	dpriv.try_remainder(int2, int2), dpriv.try_remainder(int4, int4),
	dpriv.try_remainder(int8, int8), dpriv.try_remainder(numeric, numeric),
	dpriv.try_negate(int2), dpriv.try_negate(int4), dpriv.try_negate(int8), dpriv.try_abs(int2),
	dpriv.try_abs(int4), dpriv.try_abs(int8), dpriv.try_ceil(numeric), dpriv.try_floor(numeric),
	dpriv.try_round(numeric, int4), dpriv.try_width_bucket(float8, float8, float8, int4),
	dpriv.try_width_bucket(numeric, numeric, numeric, int4), dpriv.try_smallint(int8),
	dpriv.try_smallint(float8), dpriv.try_smallint(numeric), dpriv.try_integer(int8),
	dpriv.try_integer(float8), dpriv.try_integer(numeric), dpriv.try_bigint(float8),
	dpriv.try_bigint(numeric), dpriv.try_real(float8), dpriv.try_real(numeric),
	dpriv.try_numeric(numeric, int4), dpriv.try_add(date, int4), dpriv.try_subtract(date, int4),
	dpriv.try_subtract(date, date), dpriv.try_add(timestamp, interval),
	dpriv.try_add(timestamptz, interval), dpriv.try_subtract(timestamp, interval),
	dpriv.try_subtract(timestamptz, interval), dpriv.try_subtract(timestamp, timestamp),
	dpriv.try_subtract(timestamptz, timestamptz), dpriv.try_timestamp(date),
	dpriv.try_timestamp(timestamptz), dpriv.try_timestamptz(date),
	dpriv.try_timestamptz(timestamp), dpriv.try_date_trunc(text, timestamp),
	dpriv.try_date_trunc(text, timestamptz), dpriv.try_lower(text), dpriv.try_upper(text),
	dpriv.try_substring(text, int4, int4), dpriv.try_like(text, text),
	dpriv.try_not_like(text, text), dpriv.try_ilike(text, text),
	dpriv.try_not_ilike(text, text) TO PUBLIC;

CREATE FUNCTION dpriv.allowed_functions()
	RETURNS TABLE (function regprocedure, reason text, condition text, replacement regprocedure)
	AS 'MODULE_PATHNAME', 'dpriv_allowed_functions'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.allowed_functions() IS
	'functions that a restricted role may use on private columns, directly or by operators: why none of them can fail, on what condition, and what is called in place of one that could';
GRANT EXECUTE ON FUNCTION dpriv.allowed_functions() TO PUBLIC;

-- Accounting --------------------------------------------------------------------------------------
--
-- What noise costs, what a cost buys, and how costs add up: functions of public numbers alone.  They
-- refuse NULL and numbers outside of their domain, so none is STRICT.  Results are rounded toward
-- more loss, by a relative 1e-12 at most unless the comment says otherwise.

CREATE TYPE dpriv.guarantee AS (epsilon float8, delta float8);
COMMENT ON TYPE dpriv.guarantee IS
	'(epsilon, delta)-differential privacy: P[result in S] <= exp(epsilon) P''[result in S] + delta for neighbouring databases and every set S';
COMMENT ON COLUMN dpriv.guarantee.epsilon IS 'privacy loss, from 0 to Infinity';
COMMENT ON COLUMN dpriv.guarantee.delta IS 'probability with which the loss may be larger, from 0 to 1';

CREATE FUNCTION dpriv.laplace_scale(sensitivity float8, epsilon float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_laplace_scale'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.laplace_scale(float8, float8) IS
	'scale b = sensitivity / epsilon of Laplace noise that is epsilon-DP, rounded up (Dwork, McSherry, Nissim, Smith 2006, proposition 1)';

CREATE FUNCTION dpriv.gaussian_sigma(
	sensitivity float8, epsilon float8, delta float8, method text DEFAULT 'analytic')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_gaussian_sigma'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.gaussian_sigma(float8, float8, float8, text) IS
	'smallest standard deviation of Gaussian noise that is (epsilon, delta)-DP for a Euclidean sensitivity; analytic: exact for all epsilon and delta (Balle, Wang 2018, theorem 8); classic: sqrt(2 ln(1.25 / delta)) sensitivity / epsilon, for epsilon < 1 only (Dwork, Roth 2014, theorem A.1); discrete: exact for discrete Gaussian noise on an integer of whole sensitivity, where larger ones need not do (Canonne, Kamath, Steinke 2020, theorem 7)';

CREATE FUNCTION dpriv.gaussian_delta(sensitivity float8, sigma float8, epsilon float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_gaussian_delta'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.gaussian_delta(float8, float8, float8) IS
	'smallest delta for which Gaussian noise is (epsilon, delta)-DP: P[Z > eps/mu - mu/2] - exp(eps) P[Z > eps/mu + mu/2], mu = sensitivity / sigma (Balle, Wang 2018, theorem 8)';

CREATE FUNCTION dpriv.gaussian_epsilon(sensitivity float8, sigma float8, delta float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_gaussian_epsilon'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.gaussian_epsilon(float8, float8, float8) IS
	'smallest epsilon for which Gaussian noise is (epsilon, delta)-DP: the inverse of dpriv.gaussian_delta; Infinity for delta 0';

CREATE FUNCTION dpriv.epsilon_for(
	half_width float8, sensitivity float8, confidence float8, mechanism text DEFAULT 'laplace',
	delta float8 DEFAULT 0)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_epsilon_for'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.epsilon_for(float8, float8, float8, text, float8) IS
	'smallest epsilon for which the noise stays within half_width with the given confidence; laplace: sensitivity ln(1 / (1 - confidence)) / half_width; discrete_laplace: noise on integers, as releases draw it, P[|X| > w] = 2 t^(floor(w)+1) / (1 + t), t = exp(-epsilon / sensitivity); gaussian: sigma = half_width / z, with the delta given';

CREATE FUNCTION dpriv.compose_basic(epsilon float8, delta float8, k bigint)
	RETURNS dpriv.guarantee
	AS 'MODULE_PATHNAME', 'dpriv_sql_compose_basic'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.compose_basic(float8, float8, bigint) IS
	'cost of k equal mechanisms: k epsilon and k delta, delta at most 1; exact sums of the decimals written, epsilons from 1e-6 to 1000 in units of 1e-12 rounded up, as releases are charged (Dwork, Roth 2014, theorem 3.16)';

CREATE FUNCTION dpriv.compose_basic(epsilons float8[], deltas float8[])
	RETURNS dpriv.guarantee
	AS 'MODULE_PATHNAME', 'dpriv_sql_compose_basic_list'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.compose_basic(float8[], float8[]) IS
	'cost of several mechanisms: the sums of their epsilons and deltas; see dpriv.compose_basic(epsilon, delta, k)';

CREATE FUNCTION dpriv.compose_advanced(
	epsilon float8, delta float8, k bigint, delta_slack float8, form text DEFAULT 'dwork_roth')
	RETURNS dpriv.guarantee
	AS 'MODULE_PATHNAME', 'dpriv_sql_compose_advanced'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dpriv.compose_advanced(float8, float8, bigint, float8, text) IS
	'cost of k equal mechanisms at the price of delta_slack; dwork_roth: sqrt(2 k ln(1/slack)) eps + k eps (exp(eps) - 1), k delta + slack (Dwork, Roth 2014, theorem 3.20); book: 2 eps sqrt(2 k ln(1/slack)), only where exp(eps) - 1 <= sqrt(2 ln(1/slack) / k); optimal: the smallest epsilon that holds for all such mechanisms, 1 - (1 - delta)^k (1 - slack) (Kairouz, Oh, Viswanath 2015, theorem 3.3, inverted exactly), k up to 1e12';

CREATE FUNCTION dpriv.compose_kov(epsilons float8[], deltas float8[], slack float8)
	RETURNS dpriv.guarantee
	AS 'MODULE_PATHNAME', 'dpriv_sql_compose_kov'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION dpriv.compose_kov(float8[], float8[], float8) IS
	'optimal cost of several mechanisms that may differ, at the price of slack: never below the optimum of Kairouz, Oh, Viswanath (2015) and Murtagh, Vadhan (2016); exact for equal epsilons, for up to 18, and on a coarse lattice of decimals, else by pessimistic discretisation, and never above the closed forms of theorem 3.5, a bound from moments, or the sum; delta 1 - (1 - slack) prod(1 - delta)';

CREATE FUNCTION dpriv.group_privacy(epsilon float8, delta float8, k bigint)
	RETURNS dpriv.guarantee
	AS 'MODULE_PATHNAME', 'dpriv_sql_group_privacy'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.group_privacy(float8, float8, bigint) IS
	'guarantee for a group of k units: k epsilon and delta (exp(k epsilon) - 1) / (exp(epsilon) - 1), delta at most 1 (Vadhan 2017, lemma 2.2)';

CREATE FUNCTION dpriv.posterior(prior float8, epsilon float8, delta float8 DEFAULT 0,
	OUT lower float8, OUT upper float8, OUT failure float8)
	AS 'MODULE_PATHNAME', 'dpriv_sql_posterior'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.posterior(float8, float8, float8) IS
	'what the probability of a statement on a row, prior, can become by a release: odds move by at most exp(epsilon); with a delta by at most exp(2 epsilon), but with probability failure = delta (1 + exp(-2 epsilon)) / (1 - exp(-epsilon)) (Kasiviswanathan, Smith 2014)';

CREATE FUNCTION dpriv.zcdp_gaussian(sensitivity float8, sigma float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_zcdp_gaussian'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.zcdp_gaussian(float8, float8) IS
	'rho of Gaussian noise, continuous or discrete: sensitivity^2 / (2 sigma^2) (Bun, Steinke 2016, proposition 1.6; Canonne, Kamath, Steinke 2020, theorem 4)';

CREATE FUNCTION dpriv.zcdp_laplace(epsilon float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_zcdp_laplace'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.zcdp_laplace(float8) IS
	'smallest rho of continuous Laplace noise with epsilon = sensitivity / scale: eps + exp(-eps) - 1, its divergence of order 1; releases draw discrete noise, see dpriv.zcdp_discrete_laplace';

CREATE FUNCTION dpriv.zcdp_discrete_laplace(epsilon float8, sensitivity_steps bigint)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_zcdp_discrete_laplace'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.zcdp_discrete_laplace(float8, bigint) IS
	'smallest rho of discrete Laplace noise on an integer of the given sensitivity, as releases draw it: eps - a / sinh(a) (1 - exp(-eps)), a = eps / steps; for one step eps tanh(eps / 2)';

CREATE FUNCTION dpriv.zcdp_pure(epsilon float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_zcdp_pure'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.zcdp_pure(float8) IS
	'rho of any epsilon-DP mechanism: eps tanh(eps / 2), which randomised response attains; it is below the eps^2 / 2 of Bun and Steinke (2016, proposition 1.4)';

CREATE FUNCTION dpriv.zcdp_exponential(epsilon float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_zcdp_exponential'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.zcdp_exponential(float8) IS
	'rho of the exponential mechanism, or of any mechanism whose privacy loss has a range of epsilon: eps^2 / 8 (Cesar, Rogers 2021, lemma 3.4)';

CREATE FUNCTION dpriv.zcdp_epsilon(rho float8, delta float8, method text DEFAULT 'tight')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_zcdp_epsilon'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.zcdp_epsilon(float8, float8, text) IS
	'epsilon that rho-zCDP implies at delta; tight: least over all orders of rho alpha + ln(1 - 1/alpha) - ln(delta alpha) / (alpha - 1) (Canonne, Kamath, Steinke 2020, corollary 13); bs16: rho + 2 sqrt(rho ln(1/delta)) (Bun, Steinke 2016, proposition 1.3)';

CREATE FUNCTION dpriv.zcdp_rho(epsilon float8, delta float8, method text DEFAULT 'tight')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_zcdp_rho'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.zcdp_rho(float8, float8, text) IS
	'largest rho for which rho-zCDP implies (epsilon, delta)-DP: the inverse of dpriv.zcdp_epsilon, rounded down, since it is what a budget allows';

CREATE FUNCTION dpriv.rdp_gaussian(sensitivity float8, sigma float8, alpha float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_gaussian'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_gaussian(float8, float8, float8) IS
	'Renyi divergence of order alpha of Gaussian noise: alpha sensitivity^2 / (2 sigma^2) (Mironov 2017, proposition 7; for discrete noise an upper bound)';

CREATE FUNCTION dpriv.rdp_laplace(epsilon float8, alpha float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_laplace'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_laplace(float8, float8) IS
	'Renyi divergence of order alpha of continuous Laplace noise with epsilon = sensitivity / scale: ln(alpha/(2 alpha - 1) exp((alpha - 1) eps) + (alpha - 1)/(2 alpha - 1) exp(-alpha eps)) / (alpha - 1) (Mironov 2017, proposition 6); limits at 1 and Infinity';

CREATE FUNCTION dpriv.rdp_discrete_laplace(epsilon float8, sensitivity_steps bigint, alpha float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_discrete_laplace'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_discrete_laplace(float8, bigint, float8) IS
	'Renyi divergence of order alpha of discrete Laplace noise on an integer of the given sensitivity, as releases draw it: ln(w exp((alpha - 1) eps) + (1 - w) exp(-alpha eps)) / (alpha - 1), w = (1 + tanh(a/2) / tanh((2 alpha - 1) a/2)) / 2, a = eps / steps; the sum over the integers in closed form';

CREATE FUNCTION dpriv.rdp_pure(epsilon float8, alpha float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_pure'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_pure(float8, float8) IS
	'largest Renyi divergence of order alpha of any epsilon-DP mechanism: that of randomised response (Mironov 2017, proposition 5; Kairouz, Oh, Viswanath 2015, theorem 2.5)';

CREATE FUNCTION dpriv.rdp_randomized_response(
	noise float8, buckets integer, alpha float8, adjacency text DEFAULT 'replace_one')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_randomized_response'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_randomized_response(float8, integer, float8, text) IS
	'Renyi divergence of order alpha of randomised response: with probability noise the answer is replaced by a uniform one of the buckets; replace_one: neighbours have different true answers; replace_special: one of them has an answer that is uniform anyway, the worse direction counts';

CREATE FUNCTION dpriv.rdp_exponential(epsilon float8, alpha float8, form text DEFAULT 'zcdp')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_exponential'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_exponential(float8, float8, text) IS
	'Renyi divergence of order alpha of the exponential mechanism, or of any mechanism whose privacy loss has a range of epsilon; zcdp: min(eps, KL + (alpha - 1) eps^2 / 8) with KL = y - ln(1 + y), y = eps / (1 - exp(-eps)) - 1 (Dong, Durfee, Rogers 2020; Cesar, Rogers 2021); tight: the divergence of the worst such mechanism, never larger';

CREATE FUNCTION dpriv.rdp_sampled_gaussian(
	sampling_rate float8, noise_multiplier float8, alpha float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_sampled_gaussian'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dpriv.rdp_sampled_gaussian(float8, float8, float8) IS
	'Renyi divergence of order alpha of Gaussian noise on a Poisson sample: ln E[(1 - q + q exp((2 x - 1) / (2 sigma^2)))^alpha] / (alpha - 1), x normal with standard deviation sigma (Mironov, Talwar, Zhang 2019, theorems 4 and 5); integrated for whole and fractional orders with an error bound that is added: at most a relative 2e-10 above, more only for noise multipliers below 0.002';

CREATE FUNCTION dpriv.rdp_epsilon(
	orders float8[], curve float8[], delta float8, conversion text DEFAULT 'improved')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_epsilon'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_epsilon(float8[], float8[], float8, text) IS
	'epsilon that divergences at several orders imply at delta, the least over the orders; improved: rdp + ln(1 - 1/alpha) - ln(delta alpha) / (alpha - 1) (Canonne, Kamath, Steinke 2020, proposition 12), and 0 if delta >= sqrt(1 - exp(-rdp)); classic: rdp + ln(1/delta) / (alpha - 1) (Mironov 2017, proposition 3); Infinity without orders';

CREATE FUNCTION dpriv.rdp_delta(
	orders float8[], curve float8[], epsilon float8, conversion text DEFAULT 'improved')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_rdp_delta'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.rdp_delta(float8[], float8[], float8, text) IS
	'delta that divergences at several orders imply at epsilon: the inverse of dpriv.rdp_epsilon; 1 without orders';

CREATE TYPE dpriv.mechanism AS (kind text, parameters float8[], count bigint);
COMMENT ON TYPE dpriv.mechanism IS
	'a mechanism and how often it is run, for dpriv.pld_epsilon and dpriv.pld_delta';
COMMENT ON COLUMN dpriv.mechanism.kind IS
	'gaussian, discrete_gaussian, laplace, discrete_laplace, randomized_response, approximate, sampled_gaussian or sampled_laplace';
COMMENT ON COLUMN dpriv.mechanism.parameters IS
	'gaussian and discrete_gaussian: sensitivity, sigma; laplace: epsilon; discrete_laplace: epsilon, sensitivity_steps; randomized_response: noise, buckets; approximate: epsilon, delta; sampled_gaussian: sampling_rate, noise_multiplier; sampled_laplace: sampling_rate, epsilon without sampling';
COMMENT ON COLUMN dpriv.mechanism.count IS 'how often it is run';

CREATE FUNCTION dpriv.pld_epsilon(mechanisms dpriv.mechanism[], delta float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_pld_epsilon'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION dpriv.pld_epsilon(dpriv.mechanism[], float8) IS
	'epsilon of mechanisms together, whose parameters are fixed in advance, by the distribution of their privacy loss: never below the optimum; Gaussians alone exactly, else above it by the error of a lattice (Koskela, Jaelkoe, Honkela 2020; Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022); Infinity if no epsilon will do';

CREATE FUNCTION dpriv.pld_delta(mechanisms dpriv.mechanism[], epsilon float8)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_pld_delta'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000000;
COMMENT ON FUNCTION dpriv.pld_delta(dpriv.mechanism[], float8) IS
	'delta of mechanisms together at epsilon, never below the smallest one: the inverse of dpriv.pld_epsilon';

CREATE FUNCTION dpriv.dpsgd_epsilon(
	noise_multiplier float8, sampling_rate float8, steps bigint, delta float8,
	accountant text DEFAULT 'pld')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_dpsgd_epsilon'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION dpriv.dpsgd_epsilon(float8, float8, bigint, float8, text) IS
	'epsilon of private training: steps of Gaussian noise on Poisson samples; pld: by the distribution of the privacy loss, as dpriv.pld_epsilon; rdp: the sum of dpriv.rdp_sampled_gaussian, converted at the best of all real orders; pld is never above rdp';

CREATE FUNCTION dpriv.dpsgd_noise_multiplier(
	epsilon float8, delta float8, sampling_rate float8, steps bigint,
	accountant text DEFAULT 'pld')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_dpsgd_noise_multiplier'
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION dpriv.dpsgd_noise_multiplier(float8, float8, float8, bigint, text) IS
	'smallest noise multiplier for which dpriv.dpsgd_epsilon is at most epsilon; Infinity if there is none';

CREATE FUNCTION dpriv.accountings(sigma float8, sensitivity float8, steps bigint, delta float8)
	RETURNS TABLE (accountant text, epsilon float8)
	AS 'MODULE_PATHNAME', 'dpriv_sql_accountings'
	LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 6;
COMMENT ON FUNCTION dpriv.accountings(float8, float8, bigint, float8) IS
	'epsilon of the same steps of Gaussian noise by six ways of accounting; sequential: delta / steps each, one step by sqrt(2 ln(1.25/delta)) sensitivity / sigma where that is below 1, else exactly; advanced: half of delta for the steps, half as slack (Dwork, Roth 2014, theorem 3.20); zcdp: tight; rdp: classic conversion; rdp_improved: improved conversion; exact: one Gaussian of sqrt(steps) times the sensitivity';

CREATE FUNCTION dpriv.selection_threshold(epsilon float8, delta float8, groups integer DEFAULT 1)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_selection_threshold'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.selection_threshold(float8, float8, integer) IS
	'count from which on a group is published when counts have discrete Laplace noise: the smallest integer m >= 1 with t^(m-1) / (1 + t) <= delta, t = exp(-epsilon), so that a group of one unit appears with probability at most delta; for units in several groups with epsilon / groups and 1 - (1 - delta)^(1/groups); Infinity if epsilon or delta is 0';

CREATE FUNCTION dpriv.selection_probability(
	n bigint, epsilon float8, delta float8, groups integer DEFAULT 1)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_selection_probability'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.selection_probability(bigint, float8, float8, integer) IS
	'probability with which truncated geometric selection publishes a group of n units, the largest that (epsilon, delta)-DP allows: p(0) = 0, p(n) = min(exp(eps) p(n-1) + delta, 1 - exp(-eps) (1 - p(n-1) - delta), 1) (Desfontaines, Voss, Gipson, Mandayam 2022, theorem 1); groups as for dpriv.selection_threshold';

CREATE FUNCTION dpriv.selection_threshold_continuous(
	epsilon float8, delta float8, groups integer DEFAULT 1)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_selection_threshold_continuous'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.selection_threshold_continuous(float8, float8, integer) IS
	'the same threshold for continuous Laplace noise, as in textbooks: 1 - ln(2 delta) / epsilon, and 1 + ln(2 (1 - delta)) / epsilon for delta above 1/2; groups as for dpriv.selection_threshold';

CREATE FUNCTION dpriv.selection_probability_continuous(
	n bigint, epsilon float8, delta float8, groups integer DEFAULT 1)
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_sql_selection_probability_continuous'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.selection_probability_continuous(bigint, float8, float8, integer) IS
	'probability that a group of n units, with continuous Laplace noise on its count, reaches dpriv.selection_threshold_continuous; 0 for n = 0';

-- What replaces a release while a statement is being planned --------------------------------------

CREATE FUNCTION dpriv.release(integer) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dpriv_release_placeholder'
	LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
REVOKE EXECUTE ON FUNCTION dpriv.release(integer) FROM PUBLIC;
COMMENT ON FUNCTION dpriv.release(integer) IS
	'stands for a private release inside a plan; cannot be called';

-- Budget of the session ---------------------------------------------------------------------------

CREATE FUNCTION dpriv.session_spent() RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_session_spent_epsilon'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.session_spent() IS
	'epsilon that the private releases of this session have cost so far; never decreases';

CREATE FUNCTION dpriv.session_spent_delta() RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_session_spent_delta'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.session_spent_delta() IS
	'delta that the private releases of this session have cost so far; never decreases';

CREATE FUNCTION dpriv.cost(query text)
	RETURNS TABLE (relation text, measure text, mechanism text, epsilon float8, delta float8, remaining float8,
		remaining_delta float8)
	AS 'MODULE_PATHNAME', 'dpriv_cost'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.cost(text) IS
	'what each measure, each selection of groups and each training, evaluation and statistic of blocks of a query would be charged, and the least epsilon and delta that budgets have left there; runs and charges nothing';

-- Budgets and ledger ------------------------------------------------------------------------------
--
-- Written by the functions of this section and by releases only, read by index and OID.  What is of
-- variable length is stored plain: rows hold what was written, never a pointer to it.

CREATE TABLE dpriv.budget (
	budget_id uuid NOT NULL,
	kind text COLLATE pg_catalog."C" NOT NULL,
	grantee regrole NOT NULL,
	relation regclass NOT NULL,
	accountant text COLLATE pg_catalog."C" NOT NULL,
	epsilon numeric NOT NULL,
	delta numeric NOT NULL,
	orders float8[] NOT NULL,
	limits float8[] NOT NULL,
	delta_selection numeric NOT NULL,
	period interval,
	lifetime_epsilon numeric,
	granted_at timestamptz NOT NULL,
	granted_by text NOT NULL,
	changed_at timestamptz NOT NULL,
	revoked boolean NOT NULL,
	CONSTRAINT budget_pkey PRIMARY KEY (budget_id),
	CONSTRAINT budget_relation_grantee_kind_key UNIQUE (relation, grantee, kind),
	CONSTRAINT budget_kind_check CHECK (kind IN ('role', 'public', 'cap', 'mark')),
	CONSTRAINT budget_grantee_check CHECK ((kind = 'role') = (grantee <> 0::regrole)),
	CONSTRAINT budget_accountant_check CHECK (accountant IN ('basic', 'zcdp', 'rdp'))
);
ALTER TABLE dpriv.budget
	ALTER COLUMN kind SET STORAGE PLAIN,
	ALTER COLUMN accountant SET STORAGE PLAIN,
	ALTER COLUMN epsilon SET STORAGE PLAIN,
	ALTER COLUMN delta SET STORAGE PLAIN,
	ALTER COLUMN orders SET STORAGE PLAIN,
	ALTER COLUMN limits SET STORAGE PLAIN,
	ALTER COLUMN delta_selection SET STORAGE PLAIN,
	ALTER COLUMN lifetime_epsilon SET STORAGE PLAIN,
	ALTER COLUMN granted_by SET STORAGE PLAIN;
REVOKE ALL ON TABLE dpriv.budget FROM PUBLIC;
COMMENT ON TABLE dpriv.budget IS
	'budgets and caps: what roles may spend; written by dpriv.grant_budget, dpriv.revoke_budget and dpriv.set_cap';
COMMENT ON COLUMN dpriv.budget.budget_id IS
	'names the budget in dpriv.ledger; stays when it is revoked or granted again';
COMMENT ON COLUMN dpriv.budget.kind IS
	'role: of one role and its members; public: of all roles together; cap: what all roles together may spend besides; mark: left by the first grant, so that budgets which a restore has lost are missed';
COMMENT ON COLUMN dpriv.budget.grantee IS 'role of a budget of kind role, else -';
COMMENT ON COLUMN dpriv.budget.relation IS 'relation that it is for; -: one sum over all relations';
COMMENT ON COLUMN dpriv.budget.accountant IS 'how charges add up: basic, zcdp or rdp';
COMMENT ON COLUMN dpriv.budget.epsilon IS 'epsilon that may be spent, in each period';
COMMENT ON COLUMN dpriv.budget.delta IS 'delta that may be spent, in each period';
COMMENT ON COLUMN dpriv.budget.orders IS 'rdp: orders of the Renyi divergence that are counted';
COMMENT ON COLUMN dpriv.budget.limits IS
	'zcdp: the rho that may be spent; rdp: the divergence at each order';
COMMENT ON COLUMN dpriv.budget.delta_selection IS
	'part of delta that what is spent under every accountant may take, such as the selection of groups';
COMMENT ON COLUMN dpriv.budget.period IS
	'epsilon and delta may be spent again in each period, counted from granted_at in UTC; NULL: only once';
COMMENT ON COLUMN dpriv.budget.lifetime_epsilon IS
	'epsilon that all periods together may spend, by basic composition; NULL: no limit';
COMMENT ON COLUMN dpriv.budget.granted_at IS 'when it was granted first';
COMMENT ON COLUMN dpriv.budget.granted_by IS 'role that granted it last';
COMMENT ON COLUMN dpriv.budget.changed_at IS 'when it was last granted or revoked';
COMMENT ON COLUMN dpriv.budget.revoked IS
	'allows nothing any more, but what it would be charged is still counted';

-- What ended with a role or a relation elsewhere, or without the library, cannot be restored.
SELECT pg_catalog.pg_extension_config_dump('dpriv.budget', $$
	WHERE (grantee = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = grantee))
		AND (relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation))$$);

CREATE FUNCTION dpriv.protect_ledger() RETURNS trigger
	AS 'MODULE_PATHNAME', 'dpriv_protect_ledger'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION dpriv.protect_ledger() FROM PUBLIC;
COMMENT ON FUNCTION dpriv.protect_ledger() IS
	'trigger function: only superusers change a table by hand, and are warned';

CREATE TRIGGER protect BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpriv.budget
	FOR EACH STATEMENT EXECUTE FUNCTION dpriv.protect_ledger();
ALTER TABLE dpriv.budget ENABLE ALWAYS TRIGGER protect;
COMMENT ON TRIGGER protect ON dpriv.budget IS 'budgets are changed by functions of dpriv';

CREATE TABLE dpriv.ledger (
	charge_id uuid NOT NULL,
	charged_at timestamptz NOT NULL,
	session_role text NOT NULL,
	"current_role" text NOT NULL,
	relation oid,
	relation_name text,
	mechanism text NOT NULL,
	measures text[] NOT NULL,
	epsilon numeric NOT NULL,
	delta_basic numeric NOT NULL,
	delta_approx numeric NOT NULL,
	rho float8 NOT NULL,
	curve float8[] NOT NULL,
	budget_id uuid,
	entry int8,
	period_start timestamptz,
	total_epsilon numeric,
	total_delta_basic numeric,
	total_delta_approx numeric,
	total_rho float8,
	total_curve float8[],
	lifetime_epsilon numeric,
	query text,
	parameters text,
	hash bytea NOT NULL
);
ALTER TABLE dpriv.ledger
	ALTER COLUMN session_role SET STORAGE PLAIN,
	ALTER COLUMN "current_role" SET STORAGE PLAIN,
	ALTER COLUMN relation_name SET STORAGE PLAIN,
	ALTER COLUMN mechanism SET STORAGE PLAIN,
	ALTER COLUMN measures SET STORAGE PLAIN,
	ALTER COLUMN epsilon SET STORAGE PLAIN,
	ALTER COLUMN delta_basic SET STORAGE PLAIN,
	ALTER COLUMN delta_approx SET STORAGE PLAIN,
	ALTER COLUMN curve SET STORAGE PLAIN,
	ALTER COLUMN total_epsilon SET STORAGE PLAIN,
	ALTER COLUMN total_delta_basic SET STORAGE PLAIN,
	ALTER COLUMN total_delta_approx SET STORAGE PLAIN,
	ALTER COLUMN total_curve SET STORAGE PLAIN,
	ALTER COLUMN lifetime_epsilon SET STORAGE PLAIN,
	ALTER COLUMN query SET STORAGE PLAIN,
	ALTER COLUMN parameters SET STORAGE PLAIN,
	ALTER COLUMN hash SET STORAGE PLAIN;
REVOKE ALL ON TABLE dpriv.ledger FROM PUBLIC;
COMMENT ON TABLE dpriv.ledger IS
	'what private releases have cost: one row per charge and budget that it hit, written by releases and never changed';
COMMENT ON COLUMN dpriv.ledger.charge_id IS
	'what the releases of one statement on one relation cost; the same in every row of the charge';
COMMENT ON COLUMN dpriv.ledger.charged_at IS
	'when it was charged; never before the row above it of the same budget';
COMMENT ON COLUMN dpriv.ledger.session_role IS 'role that had logged in';
COMMENT ON COLUMN dpriv.ledger."current_role" IS 'role that ran the statement';
COMMENT ON COLUMN dpriv.ledger.relation IS
	'OID of the relation whose rows were read, of the root of its partitions or children, when it was charged; NULL: none is named';
COMMENT ON COLUMN dpriv.ledger.relation_name IS 'the name it had then';
COMMENT ON COLUMN dpriv.ledger.mechanism IS 'noise and choices, each kind once';
COMMENT ON COLUMN dpriv.ledger.measures IS
	'names of the measures, in the order written; at most 32';
COMMENT ON COLUMN dpriv.ledger.epsilon IS 'of the charge, by basic composition';
COMMENT ON COLUMN dpriv.ledger.delta_basic IS
	'all delta of the charge, counted as (epsilon, delta)';
COMMENT ON COLUMN dpriv.ledger.delta_approx IS
	'the part of it that is spent under every accountant, by the selection of groups';
COMMENT ON COLUMN dpriv.ledger.rho IS
	'zero-concentrated privacy loss of the noise that was drawn, besides delta_approx';
COMMENT ON COLUMN dpriv.ledger.curve IS
	'its Renyi divergence at the orders of dpriv.orders(), likewise';
COMMENT ON COLUMN dpriv.ledger.budget_id IS 'budget that was charged; NULL: none applied';
COMMENT ON COLUMN dpriv.ledger.entry IS 'number of the row in the chain of its budget, from 1';
COMMENT ON COLUMN dpriv.ledger.period_start IS
	'start of the period that the totals are of; NULL: there are no periods';
COMMENT ON COLUMN dpriv.ledger.total_epsilon IS
	'epsilon spent of the budget in this period, with this row';
COMMENT ON COLUMN dpriv.ledger.total_delta_basic IS 'delta_basic likewise';
COMMENT ON COLUMN dpriv.ledger.total_delta_approx IS 'delta_approx likewise';
COMMENT ON COLUMN dpriv.ledger.total_rho IS 'rho likewise';
COMMENT ON COLUMN dpriv.ledger.total_curve IS 'curve likewise';
COMMENT ON COLUMN dpriv.ledger.lifetime_epsilon IS
	'epsilon spent of the budget in all periods, with this row';
COMMENT ON COLUMN dpriv.ledger.query IS
	'the statement as it was sent, up to dpriv.ledger_query_length bytes; if it has more than four rows, in the first of each charge only, and shorter if it reads many relations';
COMMENT ON COLUMN dpriv.ledger.parameters IS
	'values of its parameters, if dpriv.ledger_parameters is on';
COMMENT ON COLUMN dpriv.ledger.hash IS
	'SHA-256 of the row and of the hash before it in the chain of its budget';
CREATE UNIQUE INDEX ledger_budget_id_entry_idx ON dpriv.ledger (budget_id, entry);
COMMENT ON INDEX dpriv.ledger_budget_id_entry_idx IS 'leads to the last entry of a budget';
CREATE TRIGGER protect BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpriv.ledger
	FOR EACH STATEMENT EXECUTE FUNCTION dpriv.protect_ledger();
ALTER TABLE dpriv.ledger ENABLE ALWAYS TRIGGER protect;
COMMENT ON TRIGGER protect ON dpriv.ledger IS 'charges are appended by releases';
SELECT pg_catalog.pg_extension_config_dump('dpriv.ledger', '');

CREATE TABLE dpriv.ledger_archive (LIKE dpriv.ledger INCLUDING STORAGE INCLUDING COMMENTS);
REVOKE ALL ON TABLE dpriv.ledger_archive FROM PUBLIC;
COMMENT ON TABLE dpriv.ledger_archive IS
	'rows that dpriv.archive_ledger() has moved here from dpriv.ledger';
CREATE INDEX ledger_archive_budget_id_entry_idx ON dpriv.ledger_archive (budget_id, entry);
COMMENT ON INDEX dpriv.ledger_archive_budget_id_entry_idx IS 'leads to the entries of a budget';
CREATE TRIGGER protect BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON dpriv.ledger_archive
	FOR EACH STATEMENT EXECUTE FUNCTION dpriv.protect_ledger();
ALTER TABLE dpriv.ledger_archive ENABLE ALWAYS TRIGGER protect;
COMMENT ON TRIGGER protect ON dpriv.ledger_archive IS
	'rows come from the ledger, by dpriv.archive_ledger()';
SELECT pg_catalog.pg_extension_config_dump('dpriv.ledger_archive', '');

CREATE VIEW dpriv.charges AS
	SELECT charge_id, min(charged_at) AS charged_at, min(session_role) AS session_role,
		min("current_role") AS "current_role", max(relation) AS relation,
		min(relation_name) AS relation_name, min(mechanism) AS mechanism, min(measures) AS measures,
		min(epsilon) AS epsilon, min(delta_basic) AS delta_basic, min(delta_approx) AS delta_approx,
		min(rho) AS rho, min(curve) AS curve, count(budget_id) AS budgets, min(query) AS query,
		min(parameters) AS parameters
	FROM (SELECT * FROM dpriv.ledger UNION ALL SELECT * FROM dpriv.ledger_archive) AS l
	GROUP BY charge_id;
REVOKE ALL ON TABLE dpriv.charges FROM PUBLIC;
COMMENT ON VIEW dpriv.charges IS
	'what private releases have cost: one row per charge, whatever budgets it hit, from the ledger and its archive';
COMMENT ON COLUMN dpriv.charges.charge_id IS
	'what the releases of one statement on one relation cost';
COMMENT ON COLUMN dpriv.charges.charged_at IS 'when it was charged';
COMMENT ON COLUMN dpriv.charges.session_role IS 'role that had logged in';
COMMENT ON COLUMN dpriv.charges."current_role" IS 'role that ran the statement';
COMMENT ON COLUMN dpriv.charges.relation IS
	'OID of the relation whose rows were read, of the root of its partitions or children, when it was charged; NULL: none is named';
COMMENT ON COLUMN dpriv.charges.relation_name IS 'the name it had then';
COMMENT ON COLUMN dpriv.charges.mechanism IS 'noise and choices, each kind once';
COMMENT ON COLUMN dpriv.charges.measures IS
	'names of the measures, in the order written; at most 32';
COMMENT ON COLUMN dpriv.charges.epsilon IS 'of the charge, by basic composition';
COMMENT ON COLUMN dpriv.charges.delta_basic IS
	'all delta of the charge, counted as (epsilon, delta)';
COMMENT ON COLUMN dpriv.charges.delta_approx IS
	'the part of it that is spent under every accountant, by the selection of groups';
COMMENT ON COLUMN dpriv.charges.rho IS
	'zero-concentrated privacy loss of the noise that was drawn, besides delta_approx';
COMMENT ON COLUMN dpriv.charges.curve IS
	'its Renyi divergence at the orders of dpriv.orders(), likewise';
COMMENT ON COLUMN dpriv.charges.query IS
	'the statement as it was sent, up to dpriv.ledger_query_length bytes; if it has more than four rows, in the first of each charge only';
COMMENT ON COLUMN dpriv.charges.parameters IS
	'values of its parameters, if dpriv.ledger_parameters is on';
COMMENT ON COLUMN dpriv.charges.budgets IS 'how many budgets it hit';

CREATE FUNCTION dpriv.own_charges()
	RETURNS TABLE (charge_id uuid, charged_at timestamptz, "current_role" text, relation_name text, mechanism text,
		measures text[], epsilon numeric, delta_basic numeric, delta_approx numeric, rho float8, query text)
	LANGUAGE sql STABLE PARALLEL RESTRICTED SECURITY DEFINER
	SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT charge_id, min(charged_at), min("current_role"), min(relation_name), min(mechanism), min(measures),
		min(epsilon), min(delta_basic), min(delta_approx), min(rho), min(query) FILTER (WHERE "current_role" = session_role)
	FROM (SELECT * FROM dpriv.ledger UNION ALL SELECT * FROM dpriv.ledger_archive) AS l
	WHERE session_role = session_user
	GROUP BY charge_id
	ORDER BY 2, 1
$$;
COMMENT ON FUNCTION dpriv.own_charges() IS 'rows of dpriv.my_charges';

-- The text of a statement that ran as somebody else is not the session's own: a SECURITY DEFINER function may have
-- made it of what its owner sees.
CREATE VIEW dpriv.my_charges AS
	SELECT charge_id, charged_at, "current_role", relation_name, mechanism, measures, epsilon, delta_basic,
		delta_approx, rho, query
	FROM dpriv.own_charges();
COMMENT ON VIEW dpriv.my_charges IS
	'what the session user''s own releases have cost: its rows of dpriv.charges';
COMMENT ON COLUMN dpriv.my_charges.charge_id IS
	'what the releases of one statement on one relation cost';
COMMENT ON COLUMN dpriv.my_charges.charged_at IS 'when it was charged';
COMMENT ON COLUMN dpriv.my_charges."current_role" IS 'role that ran the statement';
COMMENT ON COLUMN dpriv.my_charges.relation_name IS
	'relation whose rows were read, the root of its partitions or children, by its name of then; NULL: none is named';
COMMENT ON COLUMN dpriv.my_charges.mechanism IS 'noise and choices, each kind once';
COMMENT ON COLUMN dpriv.my_charges.measures IS 'names of the measures, in the order written; at most 32';
COMMENT ON COLUMN dpriv.my_charges.epsilon IS 'of the charge, by basic composition';
COMMENT ON COLUMN dpriv.my_charges.delta_basic IS 'all delta of the charge, counted as (epsilon, delta)';
COMMENT ON COLUMN dpriv.my_charges.delta_approx IS
	'the part of it that is spent under every accountant, by the selection of groups';
COMMENT ON COLUMN dpriv.my_charges.rho IS
	'zero-concentrated privacy loss of the noise that was drawn, besides delta_approx';
COMMENT ON COLUMN dpriv.my_charges.query IS
	'the statement as it was sent, up to dpriv.ledger_query_length bytes; NULL where another role ran it';

CREATE FUNCTION dpriv.orders() RETURNS float8[]
	AS 'MODULE_PATHNAME', 'dpriv_cost_orders'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.orders() IS
	'orders of the Renyi divergence that the curves in dpriv.ledger are given at';

CREATE FUNCTION dpriv.verify_ledger(OUT budget_id uuid, OUT entry int8, OUT charge_id uuid, OUT problem text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'dpriv_verify_ledger'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION dpriv.verify_ledger() FROM PUBLIC;
COMMENT ON FUNCTION dpriv.verify_ledger() IS
	'first row of each chain of the ledger and its archive that was changed, or before which rows are missing; no rows if all is well';

CREATE FUNCTION dpriv.archive_ledger(before timestamptz) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_archive_ledger'
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
REVOKE ALL ON FUNCTION dpriv.archive_ledger(timestamptz) FROM PUBLIC;
COMMENT ON FUNCTION dpriv.archive_ledger(timestamptz) IS
	'move rows charged before a time to dpriv.ledger_archive, except the last of every budget; returns their number';

CREATE FUNCTION dpriv.grant_budget(
	grantee text, relation regclass, epsilon float8, delta float8 DEFAULT 0, accountant text DEFAULT 'basic',
	period interval DEFAULT NULL, lifetime_epsilon float8 DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_grant_budget'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.grant_budget(text, regclass, float8, float8, text, interval, float8) IS
	'lets a role and its members, or public, spend epsilon and delta on a relation, or on all for NULL; again to change it';

CREATE FUNCTION dpriv.revoke_budget(grantee text, relation regclass) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_revoke_budget'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.revoke_budget(text, regclass) IS
	'takes a budget away; what was spent of it is kept and goes on being counted';

CREATE FUNCTION dpriv.set_cap(
	relation regclass, epsilon float8, delta float8 DEFAULT 0, accountant text DEFAULT 'basic',
	period interval DEFAULT NULL, lifetime_epsilon float8 DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_set_cap'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.set_cap(regclass, float8, float8, text, interval, float8) IS
	'bounds what all roles together may spend on a relation, or on all for NULL; epsilon NULL removes the cap';

CREATE FUNCTION dpriv.budgets(mine boolean)
	RETURNS TABLE (grantee text, relation regclass, accountant text, epsilon float8, delta float8,
		spent_epsilon float8, spent_delta float8, remaining_epsilon float8, remaining_delta float8, reported_epsilon float8, charges bigint,
		resets_at timestamptz, period interval, lifetime_epsilon float8, lifetime_spent float8, revoked boolean)
	AS 'MODULE_PATHNAME', 'dpriv_budgets'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.budgets(boolean) IS 'rows of dpriv.my_budget, or of dpriv.budget_status';

CREATE VIEW dpriv.budget_status AS
	SELECT grantee, relation, accountant, epsilon, delta, spent_epsilon, spent_delta, remaining_epsilon,
		remaining_delta, reported_epsilon, charges, resets_at, period, lifetime_epsilon, lifetime_spent, revoked
	FROM dpriv.budgets(false);
COMMENT ON VIEW dpriv.budget_status IS
	'budgets and caps on the relations of the current user, for superusers on all, and what is left of them';
COMMENT ON COLUMN dpriv.budget_status.grantee IS 'role, public, or NULL: a cap over all roles';
COMMENT ON COLUMN dpriv.budget_status.relation IS 'relation that it is for; NULL: one sum over all relations';
COMMENT ON COLUMN dpriv.budget_status.accountant IS 'how charges add up: basic, zcdp, or rdp with its orders';
COMMENT ON COLUMN dpriv.budget_status.epsilon IS 'epsilon that may be spent, in each period';
COMMENT ON COLUMN dpriv.budget_status.delta IS 'delta that may be spent, in each period';
COMMENT ON COLUMN dpriv.budget_status.spent_epsilon IS 'epsilon spent in this period, by the rule of the accountant';
COMMENT ON COLUMN dpriv.budget_status.spent_delta IS 'delta spent in this period, likewise';
COMMENT ON COLUMN dpriv.budget_status.remaining_epsilon IS 'epsilon that is left in this period, or of the lifetime if that is less; 0 if revoked';
COMMENT ON COLUMN dpriv.budget_status.remaining_delta IS 'delta that is left in this period: by basic for all charges, by zcdp and rdp for the selection of groups and the like; 0 if revoked';
COMMENT ON COLUMN dpriv.budget_status.reported_epsilon IS 'least epsilon that what was spent in this period is known to cost, at delta';
COMMENT ON COLUMN dpriv.budget_status.charges IS 'charges ever';
COMMENT ON COLUMN dpriv.budget_status.resets_at IS 'when the next period begins; NULL: never';
COMMENT ON COLUMN dpriv.budget_status.period IS 'length of a period, NULL: there are none';
COMMENT ON COLUMN dpriv.budget_status.lifetime_epsilon IS 'epsilon that all periods together may spend; NULL: no limit';
COMMENT ON COLUMN dpriv.budget_status.lifetime_spent IS 'epsilon spent in all periods, by basic composition';
COMMENT ON COLUMN dpriv.budget_status.revoked IS 'allows nothing any more, but is still charged; of a cap: removed';

CREATE VIEW dpriv.my_budget AS
	SELECT grantee, relation, accountant, epsilon, delta, spent_epsilon, spent_delta, remaining_epsilon,
		remaining_delta, reported_epsilon, charges, resets_at, period, lifetime_epsilon, lifetime_spent, revoked
	FROM dpriv.budgets(true);
COMMENT ON VIEW dpriv.my_budget IS
	'budgets and caps that the session user''s releases are charged to, and what is left of them';
COMMENT ON COLUMN dpriv.my_budget.grantee IS 'role, public, or NULL: a cap over all roles';
COMMENT ON COLUMN dpriv.my_budget.relation IS 'relation that it is for; NULL: one sum over all relations';
COMMENT ON COLUMN dpriv.my_budget.accountant IS 'how charges add up: basic, zcdp, or rdp with its orders';
COMMENT ON COLUMN dpriv.my_budget.epsilon IS 'epsilon that may be spent, in each period';
COMMENT ON COLUMN dpriv.my_budget.delta IS 'delta that may be spent, in each period';
COMMENT ON COLUMN dpriv.my_budget.spent_epsilon IS 'epsilon spent in this period, by the rule of the accountant';
COMMENT ON COLUMN dpriv.my_budget.spent_delta IS 'delta spent in this period, likewise';
COMMENT ON COLUMN dpriv.my_budget.remaining_epsilon IS 'epsilon that is left in this period, or of the lifetime if that is less; 0 if revoked';
COMMENT ON COLUMN dpriv.my_budget.remaining_delta IS 'delta that is left in this period: by basic for all charges, by zcdp and rdp for the selection of groups and the like; 0 if revoked';
COMMENT ON COLUMN dpriv.my_budget.reported_epsilon IS 'least epsilon that what was spent in this period is known to cost, at delta';
COMMENT ON COLUMN dpriv.my_budget.charges IS 'charges ever';
COMMENT ON COLUMN dpriv.my_budget.resets_at IS 'when the next period begins; NULL: never';
COMMENT ON COLUMN dpriv.my_budget.period IS 'length of a period, NULL: there are none';
COMMENT ON COLUMN dpriv.my_budget.lifetime_epsilon IS 'epsilon that all periods together may spend; NULL: no limit';
COMMENT ON COLUMN dpriv.my_budget.lifetime_spent IS 'epsilon spent in all periods, by basic composition';
COMMENT ON COLUMN dpriv.my_budget.revoked IS 'allows nothing any more, but is still charged; of a cap: removed';

CREATE FUNCTION dpriv.running()
	RETURNS TABLE (pid integer, role text, command text, phase text, done bigint, total bigint, started_at timestamptz)
	AS 'MODULE_PATHNAME', 'dpriv_running'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.running() IS 'rows of dpriv.progress';

CREATE VIEW dpriv.progress AS
	SELECT pid, role, command, phase, done, total, started_at FROM dpriv.running();
COMMENT ON VIEW dpriv.progress IS
	'releases and trainings that run now, in all databases; details of others only for members of pg_read_all_stats';
COMMENT ON COLUMN dpriv.progress.pid IS 'process of the session, as in pg_stat_activity';
COMMENT ON COLUMN dpriv.progress.role IS 'role of the session';
COMMENT ON COLUMN dpriv.progress.command IS 'release, or the function that reads rows; NULL: not shown to the current user';
COMMENT ON COLUMN dpriv.progress.phase IS 'what is being done; NULL: not shown, or dpriv.time_quantum is set';
COMMENT ON COLUMN dpriv.progress.done IS 'steps that are over; NULL in phases without steps';
COMMENT ON COLUMN dpriv.progress.total IS 'steps of the phase, by the statement or by what has been released with noise; NULL in phases without steps';
COMMENT ON COLUMN dpriv.progress.started_at IS 'when it began';

-- Whatever the default privileges are.
GRANT SELECT ON dpriv.budget_status, dpriv.my_budget, dpriv.my_charges, dpriv.progress TO PUBLIC;
GRANT EXECUTE ON FUNCTION dpriv.budgets(boolean),
	dpriv.own_charges(),
	dpriv.running(),
	dpriv.grant_budget(text, regclass, float8, float8, text, interval, float8),
	dpriv.revoke_budget(text, regclass),
	dpriv.set_cap(regclass, float8, float8, text, interval, float8) TO PUBLIC;

-- Protected relations -----------------------------------------------------------------------------

-- Called while a statement is planned, by whoever reads the relation.
CREATE FUNCTION dpriv.guard(relation regclass) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dpriv_guard'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.guard(regclass) IS
	'true for roles that may read rows of a protected relation, for others an error: qual of the policy that protects it';

CREATE FUNCTION dpriv.permit() RETURNS boolean
	AS 'MODULE_PATHNAME', 'dpriv_permit'
	LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.permit() IS
	'true: qual of the policy that permits all rows of a protected relation without policies of its own';

-- What catalogs and counters say of the rows: put in place by the planner.
CREATE FUNCTION dpriv.hides(relation oid) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dpriv_hides_relation'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.hides(oid) IS
	'whether the current role must not see what PostgreSQL knows of the rows of a relation: its size, its counters; of an index or a toast table as of its table';

CREATE FUNCTION dpriv.hides_statistics(relation oid, attribute smallint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dpriv_hides_statistics'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.hides_statistics(oid, smallint) IS
	'whether the current role must not see what ANALYZE has kept of a column: of a relation as above, and of the columns of pg_class and pg_attribute that tell about rows';

CREATE FUNCTION dpriv.unless_hidden(function oid, VARIADIC arguments "any") RETURNS bigint
	AS 'MODULE_PATHNAME', 'dpriv_unless_hidden'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.unless_hidden(oid, VARIADIC "any") IS
	'what a function of PostgreSQL that returns a size, a counter or a position returns, and NULL where the current role must not see that';

CREATE FUNCTION dpriv.unless_hidden(function oid) RETURNS bigint
	AS 'MODULE_PATHNAME', 'dpriv_unless_hidden'
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.unless_hidden(oid) IS
	'the same for functions without arguments';

CREATE FUNCTION dpriv.protect(relation regclass, unit text DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_protect'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.protect(regclass, text) IS
	'lets all roles but its owner and those that are trusted read a relation, its partitions and children by private aggregates only; unit is row; again to repair it and to hear of gaps';

CREATE FUNCTION dpriv.unprotect(relation regclass) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_unprotect'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.unprotect(regclass) IS
	'ends the protection of a relation: whoever may SELECT sees its rows';

CREATE FUNCTION dpriv.trust(relation regclass, role text) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_trust'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.trust(regclass, text) IS
	'lets a role and its members read the rows of a protected relation, as far as privileges and other policies do';

CREATE FUNCTION dpriv.distrust(relation regclass, role text) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_distrust'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.distrust(regclass, text) IS 'takes back what dpriv.trust gave';

CREATE FUNCTION dpriv.protection(relation regclass, OUT unit text, OUT part_of regclass, OUT problem text)
	AS 'MODULE_PATHNAME', 'dpriv_protection'
	LANGUAGE C STRICT STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.protection(regclass) IS
	'privacy unit, protected topmost parent, and what is broken of the protection of a relation; NULL if it is not protected';

CREATE VIEW dpriv.protected AS
	WITH RECURSIVE member (relation) AS (
		SELECT s.objoid FROM pg_catalog.pg_seclabel AS s
		WHERE s.provider OPERATOR(pg_catalog.=) 'dpriv' AND s.objsubid OPERATOR(pg_catalog.=) 0
			AND s.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
		UNION
		SELECT g.polrelid FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_policy AS g
				ON g.oid OPERATOR(pg_catalog.=) d.objid
			WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_policy'::pg_catalog.regclass
				AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
				AND d.refobjid OPERATOR(pg_catalog.=)
					'dpriv.guard(pg_catalog.regclass)'::pg_catalog.regprocedure
		UNION
		SELECT i.inhrelid FROM member AS m JOIN pg_catalog.pg_inherits AS i
			ON i.inhparent OPERATOR(pg_catalog.=) m.relation)
	SELECT m.relation::pg_catalog.regclass AS relation, p.unit,
		ARRAY(SELECT t.rolname::pg_catalog.text
			FROM pg_catalog.pg_policy AS l JOIN pg_catalog.pg_roles AS t
				ON t.oid OPERATOR(pg_catalog.=) ANY (l.polroles)
			WHERE l.polrelid OPERATOR(pg_catalog.=) m.relation
				AND l.polname OPERATOR(pg_catalog.=) 'dpriv_trusted' AND NOT l.polpermissive
			ORDER BY 1) AS trusted,
		p.part_of, p.problem
	FROM member AS m CROSS JOIN LATERAL dpriv.protection(m.relation::pg_catalog.regclass) AS p
	WHERE p.unit IS NOT NULL OR p.problem IS NOT NULL;
COMMENT ON VIEW dpriv.protected IS 'protected relations with their partitions and children';
COMMENT ON COLUMN dpriv.protected.relation IS 'the relation';
COMMENT ON COLUMN dpriv.protected.unit IS 'privacy unit: what answers hide';
COMMENT ON COLUMN dpriv.protected.trusted IS 'roles that may read its rows, with their members';
COMMENT ON COLUMN dpriv.protected.part_of IS 'topmost parent that it is protected with; NULL: itself';
COMMENT ON COLUMN dpriv.protected.problem IS 'why releases of it are refused until dpriv.protect repairs it; NULL: nothing is broken';

-- Declarations ------------------------------------------------------------------------------------

CREATE FUNCTION dpriv.set_bounds(relation regclass, attribute text, lower float8, upper float8) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_set_bounds'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.set_bounds(regclass, text, float8, float8) IS
	'declares public bounds of a column of numbers, which sums, means, variances and quantiles of it use; NULL for both removes them';

CREATE FUNCTION dpriv.set_domain(relation regclass, attribute text, labels text[], other text DEFAULT NULL)
	RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_set_domain'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.set_domain(regclass, text, text[], text) IS
	'declares the public values of a column, which GROUP BY returns all of at no cost in delta; all others do not count, or count as the value other; NULL removes them';

CREATE FUNCTION dpriv.set_public(relation regclass, public boolean DEFAULT true) RETURNS void
	AS 'MODULE_PATHNAME', 'dpriv_set_public'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dpriv.set_public(regclass, boolean) IS
	'declares that the rows of a relation are public, so that it cannot be protected; false takes it back';

CREATE FUNCTION dpriv.declaration(
	relation regclass, attribute integer, OUT public boolean, OUT lower float8, OUT upper float8,
	OUT labels text[], OUT other text, OUT problem text)
	AS 'MODULE_PATHNAME', 'dpriv_declaration'
	LANGUAGE C STRICT STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.declaration(regclass, integer) IS
	'what is declared of a column, by its number, or with 0 of a relation, and why releases cannot use it';

CREATE VIEW dpriv.declarations AS
	SELECT s.objoid::pg_catalog.regclass AS relation, a.attname::pg_catalog.text AS attribute,
		d.public, d.lower, d.upper, d.labels, d.other, d.problem
	FROM pg_catalog.pg_seclabel AS s
		LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) s.objoid
			AND a.attnum OPERATOR(pg_catalog.=) s.objsubid AND s.objsubid OPERATOR(pg_catalog.>) 0
		CROSS JOIN LATERAL dpriv.declaration(s.objoid::pg_catalog.regclass, s.objsubid) AS d
	WHERE s.provider OPERATOR(pg_catalog.=) 'dpriv'
		AND s.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass
		AND (s.objsubid OPERATOR(pg_catalog.>) 0 OR d.public);
COMMENT ON VIEW dpriv.declarations IS 'what is declared to be publicly known of relations and their columns';
COMMENT ON COLUMN dpriv.declarations.relation IS 'the relation';
COMMENT ON COLUMN dpriv.declarations.attribute IS 'the column; NULL: the relation itself';
COMMENT ON COLUMN dpriv.declarations.public IS 'true: its rows are public';
COMMENT ON COLUMN dpriv.declarations.lower IS 'lower bound of the column';
COMMENT ON COLUMN dpriv.declarations.upper IS 'upper bound of the column';
COMMENT ON COLUMN dpriv.declarations.labels IS 'values of the column, in the order in which groups come back';
COMMENT ON COLUMN dpriv.declarations.other IS 'value that all others count as; NULL: they do not count';
COMMENT ON COLUMN dpriv.declarations.problem IS 'why releases that need it are refused, until it is declared again; NULL: nothing';

CREATE FUNCTION dpriv.releases_only(relation regclass) RETURNS boolean
	AS 'MODULE_PATHNAME', 'dpriv_releases_only'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.releases_only(regclass) IS
	'whether a view or materialized view has columns of private aggregates only, and a materialized view keys of their groups';

-- What lets roles get around a protection.  Of a relation that is not protected: would let.
CREATE FUNCTION dpriv.protection_risks(relation regclass)
	RETURNS TABLE (risk text, advice text, refused boolean)
	LANGUAGE sql STABLE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE
	-- The relation, its partitions and children.
	member AS (
		SELECT relation::oid AS oid
		UNION
		SELECT i.inhrelid FROM member AS m JOIN pg_catalog.pg_inherits AS i ON i.inhparent = m.oid),
	root AS (SELECT c.oid, c.relowner FROM pg_catalog.pg_class AS c WHERE c.oid = relation),
	trusted AS (
		SELECT pg_catalog.unnest(p.polroles) AS role FROM pg_catalog.pg_policy AS p
		WHERE p.polrelid = relation AND p.polname = 'dpriv_trusted' AND NOT p.polpermissive),
	-- Roles that must not see rows, PUBLIC among them.
	restricted AS (
		SELECT r.oid, pg_catalog.format('role %I', r.rolname) AS name
		FROM pg_catalog.pg_roles AS r CROSS JOIN root
		WHERE NOT r.rolsuper AND NOT r.rolbypassrls AND NOT pg_catalog.pg_has_role(r.oid, root.relowner, 'USAGE')
			AND NOT EXISTS (SELECT FROM trusted AS t WHERE t.role <> 0 AND pg_catalog.pg_has_role(r.oid, t.role, 'USAGE'))
		UNION ALL
		SELECT 0, 'PUBLIC'),
	-- Privileges on relations and columns, as they were granted.
	granted AS (
		SELECT c.oid AS relation, a.grantee, a.privilege_type
		FROM pg_catalog.pg_class AS c CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS a
		UNION
		SELECT c.attrelid, a.grantee, a.privilege_type
		FROM pg_catalog.pg_attribute AS c CROSS JOIN LATERAL pg_catalog.aclexplode(c.attacl) AS a
		WHERE NOT c.attisdropped),
	-- Views and materialized views over them, directly or through others, but for those of released values.
	reader AS (
		SELECT c.oid, c.relkind, c.relowner, c.reloptions
		FROM member AS m
			JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = m.oid
				AND d.classid = 'pg_catalog.pg_rewrite'::regclass
			JOIN pg_catalog.pg_rewrite AS w ON w.oid = d.objid
			JOIN pg_catalog.pg_class AS c ON c.oid = w.ev_class AND c.relkind IN ('v', 'm') AND NOT dpriv.releases_only(c.oid)
		UNION
		SELECT c.oid, c.relkind, c.relowner, c.reloptions
		FROM reader AS m
			JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = m.oid
				AND d.classid = 'pg_catalog.pg_rewrite'::regclass
			JOIN pg_catalog.pg_rewrite AS w ON w.oid = d.objid AND w.ev_class <> m.oid
			JOIN pg_catalog.pg_class AS c ON c.oid = w.ev_class AND c.relkind IN ('v', 'm') AND NOT dpriv.releases_only(c.oid)),
	-- Functions that look at rows, pages, files or the log by themselves, and one that connects as anybody.
	tool AS (
		SELECT p.proacl, p.proowner,
			CASE WHEN e.extname = 'dblink' THEN 'dblink_connect_u()' ELSE pg_catalog.format('functions of %I', e.extname) END AS name
		FROM pg_catalog.pg_extension AS e
			JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
				AND d.classid = 'pg_catalog.pg_proc'::regclass AND d.deptype = 'e'
			JOIN pg_catalog.pg_proc AS p ON p.oid = d.objid
		WHERE e.extname IN ('amcheck', 'pg_freespacemap', 'pg_surgery', 'pg_visibility', 'pg_walinspect', 'pgrowlocks', 'pgstattuple')
			OR (e.extname = 'adminpack' AND p.proname IN ('pg_file_unlink', 'pg_file_write'))
			OR (e.extname = 'dblink' AND p.proname = 'dblink_connect_u')
		UNION ALL
		SELECT p.proacl, p.proowner, pg_catalog.format('%I()', p.proname)
		FROM pg_catalog.pg_proc AS p
		WHERE p.oid < 16384 AND p.proname IN ('lo_import', 'pg_read_binary_file', 'pg_read_file')),
	found (place, risk, advice, refused) AS (
		SELECT 1, pg_catalog.format('%s has %s on %s', r.name, pg_catalog.string_agg(g.privilege_type, ', ' ORDER BY g.privilege_type),
				g.relation::regclass),
			'REVOKE it: a foreign key, a trigger or TRUNCATE tells about rows.', true
		FROM member AS m JOIN granted AS g ON g.relation = m.oid JOIN restricted AS r ON r.oid = g.grantee
		WHERE g.privilege_type IN ('REFERENCES', 'TRIGGER', 'TRUNCATE')
		GROUP BY r.name, g.relation
		UNION ALL
		SELECT 2, pg_catalog.format('%s has %s on %s', r.name, pg_catalog.string_agg(g.privilege_type, ', ' ORDER BY g.privilege_type),
				g.relation::regclass),
			'REVOKE it unless the role is an application that has to: its errors and row counts tell about rows.', false
		FROM member AS m JOIN granted AS g ON g.relation = m.oid JOIN restricted AS r ON r.oid = g.grantee
		WHERE g.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'MAINTAIN')
		GROUP BY r.name, g.relation
		UNION ALL
		SELECT 3, pg_catalog.format('role %I has %s', r.rolname, pg_catalog.concat_ws(', ',
				CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END, CASE WHEN r.rolreplication THEN 'REPLICATION' END,
				CASE WHEN r.rolcreaterole AND pg_catalog.current_setting('server_version_num')::int < 160000
					THEN 'CREATEROLE' END)),
			'It can see rows like a superuser. ALTER ROLE, unless it is to.', false
		FROM pg_catalog.pg_roles AS r CROSS JOIN root
		WHERE NOT r.rolsuper AND NOT pg_catalog.pg_has_role(r.oid, root.relowner, 'USAGE')
			AND (r.rolbypassrls OR r.rolreplication
				OR r.rolcreaterole AND pg_catalog.current_setting('server_version_num')::int < 160000)
		UNION ALL
		SELECT 4, pg_catalog.format('%s is a member of %s', r.name, pg_catalog.string_agg(p.rolname, ', ' ORDER BY p.rolname)),
			'REVOKE it: files, catalogs, and what the server shows of activity, tell about rows.', false
		FROM restricted AS r
			JOIN pg_catalog.pg_roles AS p ON p.oid < 16384 AND p.rolname IN ('pg_read_server_files', 'pg_write_server_files',
				'pg_execute_server_program', 'pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_read_all_stats',
				'pg_stat_scan_tables')
		WHERE r.oid >= 16384 AND pg_catalog.pg_has_role(r.oid, p.oid, 'MEMBER')
		GROUP BY r.name
		UNION ALL
		SELECT 4, pg_catalog.format('%s owns the database', r.name),
			'ANALYZE VERBOSE tells it the number of rows. ALTER DATABASE ... OWNER TO somebody who may see them.', false
		FROM restricted AS r JOIN pg_catalog.pg_database AS d ON d.datname = pg_catalog.current_database()
		WHERE r.oid <> 0 AND pg_catalog.pg_has_role(r.oid, d.datdba, 'USAGE')
		UNION ALL
		SELECT 4, pg_catalog.format('%s may call %s', r.name, pg_catalog.string_agg(DISTINCT t.name, ', ')),
			'REVOKE EXECUTE: they tell about rows, and no policy stops them.', false
		FROM tool AS t CROSS JOIN LATERAL pg_catalog.aclexplode(coalesce(t.proacl, pg_catalog.acldefault('f', t.proowner))) AS a
			JOIN restricted AS r ON r.oid = a.grantee AND (r.oid = 0 OR r.oid >= 16384)
		GROUP BY r.name
		UNION ALL
		SELECT 5, pg_catalog.format('%s may read %s %s', pg_catalog.string_agg(r.name, ', ' ORDER BY r.name),
				CASE v.relkind WHEN 'v' THEN 'view' ELSE 'materialized view' END, v.oid::regclass),
			CASE v.relkind WHEN 'v' THEN 'Its rows are protected only where the library is loaded. REVOKE SELECT, or set security_invoker.'
				ELSE 'It is a copy that is not protected: REVOKE SELECT, unless it has released values only, which private aggregates right over the relation would show.' END, false
		FROM (SELECT DISTINCT oid, relkind, relowner, reloptions FROM reader) AS v
			JOIN granted AS g ON g.relation = v.oid AND g.privilege_type = 'SELECT'
			JOIN restricted AS r ON r.oid = g.grantee
		WHERE v.relkind = 'm' OR (NOT EXISTS (SELECT FROM restricted AS o WHERE o.oid = v.relowner)
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_options_to_table(v.reloptions) AS option
				WHERE option.option_name = 'security_invoker' AND option.option_value::boolean))
		GROUP BY v.oid, v.relkind
		UNION ALL
		SELECT 6, pg_catalog.format('others may execute SECURITY DEFINER function %s', p.oid::regprocedure),
			'Its text names the relation or a view over it, and it runs as a role that may read rows. Check what it returns, or REVOKE EXECUTE.', false
		FROM pg_catalog.pg_proc AS p
		WHERE p.prosecdef AND p.oid <> 'dpriv.own_charges()'::pg_catalog.regprocedure
			AND NOT EXISTS (SELECT FROM restricted AS o WHERE o.oid = p.proowner)
			AND (p.proacl IS NULL OR EXISTS (SELECT FROM pg_catalog.aclexplode(p.proacl) AS a JOIN restricted AS r ON r.oid = a.grantee))
			AND EXISTS (
				SELECT FROM (SELECT oid FROM member UNION SELECT oid FROM reader) AS m JOIN pg_catalog.pg_class AS c ON c.oid = m.oid
				WHERE pg_catalog.strpos(pg_catalog.lower(p.prosrc), pg_catalog.lower(c.relname)) > 0
					OR EXISTS (SELECT FROM pg_catalog.pg_depend AS d
						WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid
							AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = m.oid))
		UNION ALL
		SELECT DISTINCT 7, pg_catalog.format('publication %I sends its rows', t.pubname),
			'Subscribers get them as they are. Drop it from the publication, unless they are to.', false
		FROM member AS m JOIN pg_catalog.pg_class AS c ON c.oid = m.oid JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
			JOIN pg_catalog.pg_publication_tables AS t ON t.schemaname = n.nspname AND t.tablename = c.relname
		UNION ALL
		SELECT DISTINCT 8, pg_catalog.format('%s may write %s, which has a foreign key to it', r.name, k.conrelid::regclass),
			'Whether the key exists shows. REVOKE it, or drop the foreign key.', false
		FROM member AS m JOIN pg_catalog.pg_constraint AS k ON k.contype = 'f' AND k.confrelid = m.oid
			JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
			JOIN restricted AS r ON r.oid = c.relowner
				OR EXISTS (SELECT FROM granted AS g WHERE g.relation = c.oid AND g.grantee = r.oid AND g.privilege_type IN ('INSERT', 'UPDATE'))
		WHERE k.conrelid NOT IN (SELECT oid FROM member)
		UNION ALL
		SELECT DISTINCT 8, pg_catalog.format('%s may change %s, to which it has a foreign key', r.name, k.confrelid::regclass),
			'Whether a row refers to the key shows when it is deleted or changed. REVOKE it, or drop the foreign key.', false
		FROM member AS m JOIN pg_catalog.pg_constraint AS k ON k.contype = 'f' AND k.conrelid = m.oid
			JOIN pg_catalog.pg_class AS c ON c.oid = k.confrelid
			JOIN restricted AS r ON r.oid = c.relowner
				OR EXISTS (SELECT FROM granted AS g WHERE g.relation = c.oid AND g.grantee = r.oid AND g.privilege_type IN ('DELETE', 'UPDATE'))
		WHERE k.confrelid NOT IN (SELECT oid FROM member)
		UNION ALL
		SELECT 9, pg_catalog.format('%s owns %s', r.name, c.oid::regclass),
			'It sees the rows there. ALTER TABLE ... OWNER TO the owner of the parent.', false
		FROM member AS m JOIN pg_catalog.pg_class AS c ON c.oid = m.oid JOIN restricted AS r ON r.oid = c.relowner
		UNION ALL
		SELECT 10, pg_catalog.format('policies of %s permit no rows', c.oid::regclass),
			'Releases count none. CREATE a permissive POLICY for the rows that they are to count.', false
		FROM root AS m JOIN pg_catalog.pg_class AS c ON c.oid = m.oid
		WHERE c.relrowsecurity AND NOT EXISTS (SELECT FROM pg_catalog.pg_policy AS p
			WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('r', '*')))
SELECT found.risk, found.advice, found.refused FROM found ORDER BY found.place, found.risk
$$;
COMMENT ON FUNCTION dpriv.protection_risks(regclass) IS
	'what lets roles learn more of a protected relation than releases tell, a line each; refused: dpriv.protect does not go on with it';

CREATE FUNCTION dpriv.preloaded() RETURNS boolean
	AS 'MODULE_PATHNAME', 'dpriv_is_preloaded'
	LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.preloaded() IS
	'whether the library was loaded when the server started, as protection needs it';

CREATE FUNCTION dpriv.reveals(function oid) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_reveals'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
COMMENT ON FUNCTION dpriv.reveals(oid) IS
	'what a function of PostgreSQL tells of besides rows: relation or server (NULL to who must not see it), refused (an error); NULL: nothing';

-- Functions of extensions that look at pages or files, or open sessions, and those of PostgreSQL that
-- the library refuses anyway; other databases, where the library has nothing to protect.
CREATE VIEW dpriv.hardening AS
	SELECT pg_catalog.format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', d.datname) AS statement, NULL::pg_catalog.name AS extension
	FROM pg_catalog.pg_database AS d
	WHERE d.datallowconn AND d.datname OPERATOR(pg_catalog.<>) pg_catalog.current_database()
		AND pg_catalog.has_database_privilege('public', d.oid, 'CONNECT')
	UNION ALL
	SELECT pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::pg_catalog.regprocedure), e.extname
	FROM pg_catalog.pg_proc AS p
		LEFT JOIN (pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS e ON e.oid OPERATOR(pg_catalog.=) d.refobjid)
			ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid OPERATOR(pg_catalog.=) p.oid
				AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.deptype OPERATOR(pg_catalog.=) 'e'
	WHERE pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')
		AND (dpriv.reveals(p.oid) OPERATOR(pg_catalog.=) 'refused'
			OR e.extname OPERATOR(pg_catalog.=) ANY (ARRAY['pgrowlocks', 'pgstattuple', 'pg_visibility', 'pageinspect', 'pg_freespacemap',
				'pg_buffercache', 'pg_walinspect', 'amcheck', 'pg_prewarm', 'dblink', 'adminpack']));
COMMENT ON VIEW dpriv.hardening IS
	'REVOKEs that are still to be made, to keep roles from learning of protected rows elsewhere than here: from other databases of the server, and without the library';
COMMENT ON COLUMN dpriv.hardening.statement IS 'the REVOKE';
COMMENT ON COLUMN dpriv.hardening.extension IS 'the extension that the function belongs to; NULL: it comes with PostgreSQL, or is none';

CREATE FUNCTION dpriv.harden(apply boolean DEFAULT false) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'dpriv_harden'
	LANGUAGE C VOLATILE STRICT
	SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION dpriv.harden(boolean) IS
	'the statements of dpriv.hardening; apply: run them too';

CREATE FUNCTION dpriv.audit() RETURNS TABLE (risk text, advice text)
	LANGUAGE sql STABLE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH
	relation AS (SELECT p.relation FROM dpriv.protected AS p WHERE p.part_of IS NULL),
	capped AS (SELECT b.relation FROM dpriv.budget_status AS b WHERE b.grantee IS NULL AND NOT b.revoked),
	open AS (
		SELECT r.relation, EXISTS (SELECT FROM capped AS c WHERE c.relation IS NULL OR c.relation = r.relation) AS capped
		FROM relation AS r WHERE pg_catalog.current_setting('dpriv.require_budget') = 'off'),
	found (place, risk, advice) AS (
		SELECT 1, 'dpriv is not in shared_preload_libraries'::text,
			'Without the library views of other roles show rows, and counters tell of them. Add it and restart the server.'::text
		WHERE NOT dpriv.preloaded()
		UNION ALL
		SELECT 2, pg_catalog.format('%s: %s', p.relation, p.problem), pg_catalog.format('SELECT dpriv.protect(%L, unit => ''row'')', p.relation::text)
		FROM dpriv.protected AS p WHERE p.problem IS NOT NULL
		UNION ALL
		SELECT 3, pg_catalog.format('%s: %s', r.relation, k.risk), k.advice
		FROM relation AS r CROSS JOIN LATERAL dpriv.protection_risks(r.relation) AS k
		UNION ALL
		SELECT 4, pg_catalog.format('%s: roles without a budget can release without end', r.relation),
			pg_catalog.format('SELECT dpriv.set_cap(%L, epsilon), or set dpriv.require_budget = on in postgresql.conf.', r.relation::text)
		FROM open AS r WHERE NOT r.capped
		UNION ALL
		SELECT 4, pg_catalog.format('%s: role %I has no budget and can spend the cap', r.relation, u.rolname),
			pg_catalog.format('SELECT dpriv.grant_budget(%L, %L, epsilon), REVOKE SELECT, or set dpriv.require_budget = on in postgresql.conf.',
				u.rolname, r.relation::text)
		FROM open AS r JOIN pg_catalog.pg_class AS c ON c.oid = r.relation
			JOIN pg_catalog.pg_roles AS u ON u.rolcanlogin AND NOT u.rolsuper AND NOT u.rolbypassrls
				AND pg_catalog.has_any_column_privilege(u.oid, c.oid, 'SELECT') AND NOT pg_catalog.pg_has_role(u.oid, c.relowner, 'USAGE')
		WHERE r.capped AND NOT EXISTS (
				SELECT FROM dpriv.budget_status AS b
				WHERE (b.relation IS NULL OR b.relation = r.relation)
					AND (b.grantee = 'public' OR EXISTS (
						SELECT FROM pg_catalog.pg_roles AS g WHERE g.rolname = b.grantee AND pg_catalog.pg_has_role(u.oid, g.oid, 'MEMBER'))))
			AND NOT EXISTS (
				SELECT FROM dpriv.protected AS p CROSS JOIN LATERAL pg_catalog.unnest(p.trusted) AS t
				WHERE p.relation = r.relation AND pg_catalog.pg_has_role(u.oid, t::name, 'USAGE'))
		UNION ALL
		SELECT 5, pg_catalog.format('roles may connect to database %I', d.datname),
			'Where nothing is protected, the sizes and counters of other databases and of the server can be read. '
			'SELECT dpriv.harden(true), and grant CONNECT to who needs it.'
		FROM pg_catalog.pg_database AS d
		WHERE EXISTS (SELECT FROM relation) AND d.datallowconn AND d.datname <> pg_catalog.current_database()
			AND pg_catalog.has_database_privilege('public', d.oid, 'CONNECT')
		UNION ALL
		SELECT 6, pg_catalog.format('everybody may call functions of extension %s', x.extension),
			'They look at pages or files, or open sessions. SELECT dpriv.harden(true).'
		FROM dpriv.hardening AS x WHERE x.extension IS NOT NULL AND EXISTS (SELECT FROM relation) GROUP BY x.extension
		UNION ALL
		SELECT 7, 'how long a release takes tells of rows',
			'Set dpriv.time_quantum in postgresql.conf to more milliseconds than releases take.'
		WHERE EXISTS (SELECT FROM relation) AND pg_catalog.current_setting('dpriv.time_quantum') = '0')
SELECT f.risk, f.advice FROM found AS f ORDER BY f.place, f.risk
$$;
COMMENT ON FUNCTION dpriv.audit() IS
	'what roles that must not see rows of protected relations could still learn of them by, a line each, and what to do about it';

-- Whatever the default privileges are.
REVOKE ALL ON dpriv.hardening FROM PUBLIC;
REVOKE ALL ON FUNCTION dpriv.harden(boolean), dpriv.audit() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dpriv.reveals(oid), dpriv.preloaded() TO PUBLIC;
GRANT SELECT ON dpriv.protected, dpriv.declarations TO PUBLIC;
GRANT EXECUTE ON FUNCTION dpriv.set_bounds(regclass, text, float8, float8),
	dpriv.set_domain(regclass, text, text[], text), dpriv.set_public(regclass, boolean),
	dpriv.declaration(regclass, integer) TO PUBLIC;
GRANT EXECUTE ON FUNCTION dpriv.guard(regclass), dpriv.permit(), dpriv.hides(oid),
	dpriv.hides_statistics(oid, smallint), dpriv.unless_hidden(oid, VARIADIC "any"),
	dpriv.unless_hidden(oid), dpriv.protect(regclass, text), dpriv.unprotect(regclass),
	dpriv.trust(regclass, text), dpriv.distrust(regclass, text), dpriv.protection(regclass),
	dpriv.releases_only(regclass), dpriv.protection_risks(regclass) TO PUBLIC;

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

CREATE TYPE @extschema@.dp_clip_point AS (bound float8, sum float8, error float8);
COMMENT ON TYPE @extschema@.dp_clip_point IS 'a clipped sum of a private clip curve';
COMMENT ON COLUMN @extschema@.dp_clip_point.bound IS 'upper bound as given; the lower one is 0';
COMMENT ON COLUMN @extschema@.dp_clip_point.sum IS
	'noisy sum of values clipped to 0..bound, unbiased; may be negative';
COMMENT ON COLUMN @extschema@.dp_clip_point.error IS
	'half-width of the interval around the sum that holds in 95 % of answers: noise only, not clipping';

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

CREATE FUNCTION dpriv.outside_release(int8, "any", float8, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, "any", float8, float8) IS
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

CREATE FUNCTION dpriv.outside_release(int8, float8, float8, float8, float8, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8, float8, float8, float8, float8) IS
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

CREATE FUNCTION dpriv.outside_release(int8, "any", text[]) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, "any", text[]) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, "any", text[], float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, "any", text[], float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, text, text[], int4) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, text, text[], int4) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, text, text[], int4, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, text, text[], int4, float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, "any", text[], int4) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, "any", text[], int4) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, "any", text[], int4, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, "any", text[], int4, float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8, float8[], float8, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8, float8[], float8, float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8, float8[], float8, float8, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8, float8[], float8, float8, float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release_any(int8, VARIADIC "any") RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_any(int8, "any") IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8[], int4, float8, text) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8[], int4, float8, text) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8[], int4, float8, text, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8[], int4, float8, text, float8) IS
	'transition function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release(int8, float8[], int4, float8, text, float8, float8) RETURNS int8
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release(int8, float8[], int4, float8, text, float8, float8) IS
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

CREATE FUNCTION dpriv.outside_release_reals(int8) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_reals(int8) IS
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

CREATE FUNCTION dpriv.outside_release_clip_points(int8) RETURNS @extschema@.dp_clip_point[]
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_clip_points(int8) IS
	'final function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release_text(int8) RETURNS text
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_text(int8) IS
	'final function of private aggregates outside of a release: raises';

CREATE FUNCTION dpriv.outside_release_texts(int8) RETURNS text[]
	AS 'MODULE_PATHNAME', 'dpriv_outside_release'
	LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION dpriv.outside_release_texts(int8) IS
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

CREATE AGGREGATE @extschema@.dp_count(x "any", epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_count,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_count("any", float8, float8) IS
	'noisy number of rows whose value is not NULL, or of distinct values with DISTINCT; a whole row counts rows; discrete Laplace noise, or Gaussian noise that spends delta: see dpriv.mechanism';

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

CREATE AGGREGATE @extschema@.dp_sum_clipped(x float8, lower float8, upper float8, epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_clipped(float8, float8, float8, float8, float8) IS
	'noisy sum of values clipped to lower..upper: discrete Laplace noise of scale max(|lower|, |upper|)/epsilon, or Gaussian noise that spends delta: see dpriv.mechanism';

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

CREATE AGGREGATE @extschema@.dp_avg(x float8, lower float8, upper float8, epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8, float8, float8, float8, float8) IS
	'noisy mean of values clipped to lower..upper, itself within lower..upper; discrete Laplace noise, or Gaussian noise that spends delta: see dpriv.mechanism and dpriv.avg_method';

CREATE AGGREGATE @extschema@.dp_variance(x float8, lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8, float8, float8) IS
	'noisy population variance of values clipped to lower..upper, within 0..(upper - lower)^2/4, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_variance(x float8, lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8, float8, float8, float8) IS
	'noisy population variance of values clipped to lower..upper, within 0..(upper - lower)^2/4';

CREATE AGGREGATE @extschema@.dp_variance(x float8, lower float8, upper float8, epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8, float8, float8, float8, float8) IS
	'noisy population variance of values clipped to lower..upper, within 0..(upper - lower)^2/4; discrete Laplace noise, or Gaussian noise that spends delta: see dpriv.mechanism';

CREATE AGGREGATE @extschema@.dp_stddev(x float8, lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8, float8, float8) IS
	'noisy population standard deviation of values clipped to lower..upper, within 0..(upper - lower)/2, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_stddev(x float8, lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8, float8, float8, float8) IS
	'noisy population standard deviation of values clipped to lower..upper, within 0..(upper - lower)/2';

CREATE AGGREGATE @extschema@.dp_stddev(x float8, lower float8, upper float8, epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8, float8, float8, float8, float8) IS
	'noisy population standard deviation of values clipped to lower..upper, within 0..(upper - lower)/2; discrete Laplace noise, or Gaussian noise that spends delta: see dpriv.mechanism';

CREATE AGGREGATE @extschema@.dp_histogram(x "any") (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_categories,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram("any") IS
	'noisy counts of the values that are declared for the column x, or that its type has (booleans, enums), with epsilon = dpriv.epsilon; others count as the value that is declared for them, or nowhere';

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

CREATE AGGREGATE @extschema@.dp_histogram(x "any", categories text[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_categories,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram("any", text[]) IS
	'noisy counts of the enum labels, noise of scale 1/epsilon in each, with epsilon = dpriv.epsilon; other labels and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_histogram(x "any", categories text[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_categories,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_histogram("any", text[], float8) IS
	'noisy counts of the enum labels, noise of scale 1/epsilon in each; other labels and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_clip_curve(x float8, candidates float8[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_clip_points,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_clip_curve(float8, float8[]) IS
	'noisy sums of values clipped to 0..candidate, for increasing candidates, with their errors: noise of scale largest candidate/epsilon in each increment, with epsilon = dpriv.epsilon; negative values and NULL add nothing';

CREATE AGGREGATE @extschema@.dp_clip_curve(x float8, candidates float8[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_clip_points,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_clip_curve(float8, float8[], float8) IS
	'noisy sums of values clipped to 0..candidate, for increasing candidates, with their errors: noise of scale largest candidate/epsilon in each increment; negative values and NULL add nothing';

CREATE AGGREGATE @extschema@.dp_clip_bound(x float8, candidates float8[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_clip_bound(float8, float8[]) IS
	'the candidate beyond which a larger upper bound of a clipped sum adds more noise than rows, chosen by the sparse vector technique, with epsilon = dpriv.epsilon; negative values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_clip_bound(x float8, candidates float8[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_clip_bound(float8, float8[], float8) IS
	'the candidate beyond which a larger upper bound of a clipped sum adds more noise than rows, chosen by the sparse vector technique; negative values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_mode(x "any") (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_text,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode("any") IS
	'the most frequent of the values that are declared for the column x, or that its type has (booleans, enums), or one nearly as frequent, chosen by permute-and-flip, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_mode(x text, categories text[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_text,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode(text, text[]) IS
	'the most frequent of the given categories or one nearly as frequent, chosen by permute-and-flip, with epsilon = dpriv.epsilon; other values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_mode(x text, categories text[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_text,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode(text, text[], float8) IS
	'the most frequent of the given categories or one nearly as frequent, chosen by permute-and-flip; other values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_mode(x "any", categories text[]) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_text,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode("any", text[]) IS
	'the most frequent of the given enum labels or one nearly as frequent, chosen by permute-and-flip, with epsilon = dpriv.epsilon; other labels and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_mode(x "any", categories text[], epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_text,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_mode("any", text[], float8) IS
	'the most frequent of the given enum labels or one nearly as frequent, chosen by permute-and-flip; other labels and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_top_k(x text, categories text[], k int4) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_texts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_top_k(text, text[], int4) IS
	'the k most frequent of the given categories or such nearly as frequent, one after the other, each chosen by permute-and-flip with epsilon / k, with epsilon = dpriv.epsilon; other values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_top_k(x text, categories text[], k int4, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_texts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_top_k(text, text[], int4, float8) IS
	'the k most frequent of the given categories or such nearly as frequent, one after the other, each chosen by permute-and-flip with epsilon / k; other values and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_top_k(x "any", categories text[], k int4) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_texts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_top_k("any", text[], int4) IS
	'the k most frequent of the given enum labels or such nearly as frequent, one after the other, each chosen by permute-and-flip with epsilon / k, with epsilon = dpriv.epsilon; other labels and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_top_k(x "any", categories text[], k int4, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_texts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_top_k("any", text[], int4, float8) IS
	'the k most frequent of the given enum labels or such nearly as frequent, one after the other, each chosen by permute-and-flip with epsilon / k; other labels and NULL count nowhere';

CREATE AGGREGATE @extschema@.dp_median(x float8, lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8, float8, float8) IS
	'a value near the median of values clipped to lower..upper, chosen by permute-and-flip with the distance of its rank as loss, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_median(x float8, lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8, float8, float8, float8) IS
	'a value near the median of values clipped to lower..upper, chosen by permute-and-flip with the distance of its rank as loss';

CREATE AGGREGATE @extschema@.dp_median(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8) IS
	'a value near the median of values clipped to the bounds that are declared for the column x, chosen by permute-and-flip with the distance of its rank as loss, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_median(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(float8, float8) IS
	'a value near the median of values clipped to the bounds that are declared for the column x, chosen by permute-and-flip with the distance of its rank as loss';

CREATE AGGREGATE @extschema@.dp_median_smooth(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_smooth(float8) IS
	'the median of x clipped to the declared bounds with Laplace noise that follows its smooth sensitivity, (epsilon, delta)-private, with epsilon = dpriv.epsilon and delta = dpriv.delta';

CREATE AGGREGATE @extschema@.dp_median_smooth(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_smooth(float8, float8) IS
	'the median of x clipped to the declared bounds with Laplace noise that follows its smooth sensitivity, (epsilon, delta)-private, with delta = dpriv.delta';

CREATE AGGREGATE @extschema@.dp_median_smooth(x float8, lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_smooth(float8, float8, float8) IS
	'the median of x clipped to the bounds with Laplace noise that follows its smooth sensitivity, (epsilon, delta)-private, with epsilon = dpriv.epsilon and delta = dpriv.delta';

CREATE AGGREGATE @extschema@.dp_median_smooth(x float8, lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_smooth(float8, float8, float8, float8) IS
	'the median of x clipped to the bounds with Laplace noise that follows its smooth sensitivity, (epsilon, delta)-private, with delta = dpriv.delta';

CREATE AGGREGATE @extschema@.dp_median_smooth(x float8, lower float8, upper float8, epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_smooth(float8, float8, float8, float8, float8) IS
	'the median of x clipped to the bounds with Laplace noise that follows its smooth sensitivity, (epsilon, delta)-private';

CREATE AGGREGATE @extschema@.dp_iqr(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_iqr(float8) IS
	'the interquartile range of x to a factor of 1.2, or NULL, by propose-test-release, (epsilon, delta)-private, with epsilon = dpriv.epsilon and delta = dpriv.delta';

CREATE AGGREGATE @extschema@.dp_iqr(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_iqr(float8, float8) IS
	'the interquartile range of x to a factor of 1.2, or NULL, by propose-test-release, (epsilon, delta)-private, with delta = dpriv.delta';

CREATE AGGREGATE @extschema@.dp_iqr(x float8, epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_iqr(float8, float8, float8) IS
	'the interquartile range of x to a factor of 1.2, or NULL, by propose-test-release, (epsilon, delta)-private';

CREATE AGGREGATE @extschema@.dp_quantile(x float8, fraction float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8) IS
	'a value near the quantile, from 0 to 1, of values clipped to the bounds that are declared for the column x, chosen by permute-and-flip with the distance of its rank as loss, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_quantile(x float8, fraction float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8, float8) IS
	'a value near the quantile, from 0 to 1, of values clipped to the bounds that are declared for the column x, chosen by permute-and-flip with the distance of its rank as loss';

CREATE AGGREGATE @extschema@.dp_quantile(x float8, fraction float8, lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8, float8, float8) IS
	'a value near the quantile, from 0 to 1, of values clipped to lower..upper, chosen by permute-and-flip with the distance of its rank as loss, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_quantile(
	x float8, fraction float8, lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(float8, float8, float8, float8, float8) IS
	'a value near the quantile, from 0 to 1, of values clipped to lower..upper, chosen by permute-and-flip with the distance of its rank as loss';

CREATE AGGREGATE @extschema@.dp_quantiles(
	x float8, fractions float8[], lower float8, upper float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantiles(float8, float8[], float8, float8) IS
	'values near the quantiles, from 0 to 1 and increasing, of values clipped to lower..upper, in order; all together cost one epsilon, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_quantiles(
	x float8, fractions float8[], lower float8, upper float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantiles(float8, float8[], float8, float8, float8) IS
	'values near the quantiles, from 0 to 1 and increasing, of values clipped to lower..upper, in order; all together cost one epsilon';

CREATE AGGREGATE @extschema@.dp_bounds(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bounds(float8) IS
	'{lower, upper}: powers of two between which nearly all values lie, found by noisy counts by magnitude (Wilson et al. 2019); NULL if too few values show, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_bounds(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bounds(float8, float8) IS
	'{lower, upper}: powers of two between which nearly all values lie, found by noisy counts by magnitude (Wilson et al. 2019); NULL if too few values show';

CREATE AGGREGATE @extschema@.dp_sum(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8) IS
	'sum of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on the sum; NULL if no bounds are found, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_sum(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(float8, float8) IS
	'sum of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on the sum; NULL if no bounds are found';

CREATE AGGREGATE @extschema@.dp_avg(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8) IS
	'mean of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on two sums; NULL if no bounds are found, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_avg(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(float8, float8) IS
	'mean of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on two sums; NULL if no bounds are found';

CREATE AGGREGATE @extschema@.dp_variance(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8) IS
	'population variance of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on three sums; NULL if no bounds are found, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_variance(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(float8, float8) IS
	'population variance of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on three sums; NULL if no bounds are found';

CREATE AGGREGATE @extschema@.dp_stddev(x float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8) IS
	'population standard deviation of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on three sums; NULL if no bounds are found, with epsilon = dpriv.epsilon';

CREATE AGGREGATE @extschema@.dp_stddev(x float8, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(float8, float8) IS
	'population standard deviation of values clipped to the bounds that are declared for the column x, or else to bounds that a quarter of epsilon finds as dp_bounds does; the rest is for discrete Laplace noise on three sums; NULL if no bounds are found';

-- Explanations: chosen where no other form takes the types that are given.

CREATE AGGREGATE @extschema@.dp_sum_clipped(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_clipped(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_avg(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_avg(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_variance(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_variance(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_stddev(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_stddev(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_median(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_median_smooth(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_median_smooth(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_iqr(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_iqr(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_quantile(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantile(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_quantiles(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_quantiles(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_clip_curve(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_clip_points,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_clip_curve(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_clip_bound(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_clip_bound(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_bounds(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_bounds(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_sum(VARIADIC "any") (
	SFUNC = dpriv.outside_release_any,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_real,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum(VARIADIC "any") IS
	'exists only to explain calls with other types or arguments: always an error';

CREATE AGGREGATE @extschema@.dp_top_k("any", float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_texts,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_top_k("any", float8) IS
	'exists only to explain calls without categories: always an error';

CREATE AGGREGATE @extschema@.dp_sum_vector(
	x float8[], dimension int4, bound float8, norm text) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_vector(float8[], int4, float8, text) IS
	'noisy sum of vectors, each shrunk to the bound in its norm, l1 or l2: discrete Laplace noise of scale bound/epsilon on each coordinate, for l2 times sqrt(dimension), with epsilon = dpriv.epsilon; what is no vector of this dimension counts as zero';

CREATE AGGREGATE @extschema@.dp_sum_vector(
	x float8[], dimension int4, bound float8, norm text, epsilon float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_vector(float8[], int4, float8, text, float8) IS
	'noisy sum of vectors, each shrunk to the bound in its norm, l1 or l2: discrete Laplace noise of scale bound/epsilon on each coordinate, for l2 times sqrt(dimension); what is no vector of this dimension counts as zero';

CREATE AGGREGATE @extschema@.dp_sum_vector(
	x float8[], dimension int4, bound float8, norm text, epsilon float8, delta float8) (
	SFUNC = dpriv.outside_release,
	STYPE = int8,
	FINALFUNC = dpriv.outside_release_reals,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE @extschema@.dp_sum_vector(float8[], int4, float8, text, float8, float8) IS
	'noisy sum of vectors, each shrunk to the bound in its norm, l1 or l2: discrete Laplace noise of scale bound/epsilon on each coordinate, for l2 times sqrt(dimension), or Gaussian noise that spends delta: see dpriv.mechanism; what is no vector of this dimension counts as zero';

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


-- Training --------------------------------------------------------------------------------------------

CREATE FUNCTION @extschema@.dp_logreg_train(
	source regclass, label text, features text[], epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
	method text DEFAULT 'gd', filter text DEFAULT NULL, options jsonb DEFAULT '{}')
	RETURNS TABLE (term text, weight float8)
	AS 'MODULE_PATHNAME', 'dpriv_logreg_train'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.dp_logreg_train(regclass, text, text[], float8, float8, text, text, jsonb) IS
	'weights of a logistic regression that predicts a label from features, trained with discrete Gaussian noise; charged once, before any row is read';

CREATE FUNCTION @extschema@.dp_logreg_predict(model regclass, record anyelement, link text DEFAULT 'clipped')
	RETURNS float8
	AS 'MODULE_PATHNAME', 'dpriv_logreg_predict'
	LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION @extschema@.dp_logreg_predict(regclass, anyelement, text) IS
	'probability of the positive class that a model gives to a row; NULL if a number is NULL; costs nothing';

CREATE FUNCTION @extschema@.dp_logreg_evaluate(
	model regclass, source regclass, label text, epsilon float8 DEFAULT NULL, filter text DEFAULT NULL,
	options jsonb DEFAULT '{}')
	RETURNS TABLE (metric text, value float8, error float8)
	AS 'MODULE_PATHNAME', 'dpriv_logreg_evaluate'
	LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION @extschema@.dp_logreg_evaluate(regclass, regclass, text, float8, text, jsonb) IS
	'how good a model is on rows: accuracy, counts of decisions and the area under the ROC curve, with discrete Laplace noise, and half-widths of their 95 % intervals; charged once, before any row is read';

-- Sample and aggregate, see docs/reference.md.

CREATE FUNCTION @extschema@.dp_sample_and_aggregate(
	source regclass, expression text, blocks integer, lower float8, upper float8,
	epsilon float8 DEFAULT NULL, filter text DEFAULT NULL, combine text DEFAULT 'median')
	RETURNS SETOF float8
	AS 'MODULE_PATHNAME', 'dpriv_sample_and_aggregate'
	LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION @extschema@.dp_sample_and_aggregate(regclass, text, integer, float8, float8, float8, text, text) IS
	'a private value of an expression of ordinary aggregates: median or mean of its values on blocks of rows, clipped to the bounds; charged once, before any row is read';
