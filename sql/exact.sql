-- Exact aggregates: integers that do not depend on the order of rows, and no error on any value.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- The sum {low, high, count} as one number.
CREATE FUNCTION exact_value(result int8[]) RETURNS numeric LANGUAGE sql IMMUTABLE
	RETURN result[2]::numeric * 18446744073709551616 + result[1]::numeric
		+ CASE WHEN result[1] < 0 THEN 18446744073709551616 ELSE 0 END;

--
-- exact_sum: rounding to the grid
--

-- Truncation is toward zero, from both sides: 1.75 / 0.25 = 7 steps, 1.99 / 0.25 is 7 as well.
SELECT x, dpriv.exact_sum(x, '{-2,-1000,1000}')
FROM (VALUES (1.75::float8), (1.99), (-1.75), (-1.99), (0.2499), (-0.2499), (0.25)) v(x)
GROUP BY x ORDER BY x;

-- A step of 2^3.
SELECT x, dpriv.exact_sum(x, '{3,-1000,1000}')
FROM (VALUES (7.999::float8), (8), (-7.999), (-8), (100), (1e300), (-1e300)) v(x)
GROUP BY x ORDER BY x;

-- NaN counts as 0 before the clamp, infinities as the largest integers; -0 is 0; denormals vanish or not.
SELECT x, dpriv.exact_sum(x, '{0,-5,7}') AS around_zero, dpriv.exact_sum(x, '{0,2,7}') AS above,
	dpriv.exact_sum(x, '{0,-7,-2}') AS below,
	dpriv.exact_sum(x, '{0,-9223372036854775808,9223372036854775807}') AS widest
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('-0'), ('5e-324'), ('-5e-324'),
	('2.2250738585072014e-308'), ('1.7976931348623157e308'), ('-1.7976931348623157e308')) v(x)
GROUP BY x ORDER BY x, around_zero;

-- The ends of the exponent's range: the smallest normal doubles and the largest.
SELECT dpriv.exact_sum(x, '{-1000,-9223372036854775808,9223372036854775807}') AS fine,
	dpriv.exact_sum(x, '{1000,-9223372036854775808,9223372036854775807}') AS coarse
FROM (VALUES (2 ^ -1000::float8), (2 ^ -990::float8), (2 ^ 1000::float8), (-(2 ^ 1020::float8))) v(x)
GROUP BY x ORDER BY x;

-- Saturation at the ends of int64: 2^63 does not exist, -2^63 does.
SELECT x, dpriv.exact_sum(x, '{0,-9223372036854775808,9223372036854775807}')
FROM (VALUES (9223372036854775807::float8), (9223372036854774784), (-9223372036854775808),
	(-9223372036854777856), (9223372036854777856)) v(x)
GROUP BY x ORDER BY x;

-- Integers are exact with step 1, at both ends of their types.
SELECT dpriv.exact_sum(x, '{0,-9223372036854775808,9223372036854775807}')
FROM (VALUES (2147483647), (-2147483648), (NULL), (1)) v(x);
SELECT x, dpriv.exact_sum(x, '{0,-9223372036854775808,9223372036854775807}')
FROM (VALUES (9223372036854775807), (-9223372036854775808), (9007199254740993)) v(x)
GROUP BY x ORDER BY x;

-- With another step integers go through a double: 2^53 + 1 is 2^53 there.
SELECT dpriv.exact_sum(x, '{-1,-9223372036854775808,9223372036854775807}') AS half,
	dpriv.exact_sum(x, '{4,-9223372036854775808,9223372036854775807}') AS sixteenth
FROM (VALUES (9007199254740993)) v(x);
SELECT x, dpriv.exact_sum(x, '{-1,-100,100}') AS half, dpriv.exact_sum(x, '{1,-100,100}') AS double
FROM (VALUES (7), (-7), (1000), (-1000)) v(x)
GROUP BY x ORDER BY x;
SELECT dpriv.exact_sum(x::int2, '{0,0,10}') FROM generate_series(1, 12) x;

-- The clamp, with equal bounds and with bounds on either side of zero.
SELECT dpriv.exact_sum(x, '{0,17,17}') AS one_value, dpriv.exact_sum(x, '{0,20,90}') AS positive,
	dpriv.exact_sum(x, '{0,-90,-20}') AS negative
FROM generate_series(-100, 100) x;

-- 128 bits: sums that leave int64 come back, whichever way the carry runs.
SELECT exact_value(dpriv.exact_sum(9223372036854775807, '{0,-9223372036854775808,9223372036854775807}'))
	= 9223372036854775807::numeric * 1000 AS up,
	exact_value(dpriv.exact_sum((-9223372036854775808)::int8, '{0,-9223372036854775808,9223372036854775807}'))
	= -9223372036854775808::numeric * 1000 AS down
FROM generate_series(1, 1000);
SELECT dpriv.exact_sum(x, '{0,-9223372036854775808,9223372036854775807}')
FROM (SELECT CASE WHEN i <= 10 THEN 9223372036854775807 ELSE -9223372036854775807 END
	FROM generate_series(1, 20) i) v(x);

-- No rows, only NULLs, and groups of each kind.
SELECT dpriv.exact_sum(x, '{0,1,9}') FROM (VALUES (1::float8)) v(x) WHERE false;
SELECT dpriv.exact_sum(x, '{0,1,9}') FROM (VALUES (1)) v(x) WHERE false;
SELECT dpriv.exact_sum(x, '{0,1,9}') FROM (VALUES (1::int8)) v(x) WHERE false;
SELECT dpriv.exact_sum(NULL::float8, '{0,1,9}'), dpriv.exact_sum(NULL::int4, '{0,1,9}'),
	dpriv.exact_sum(NULL::int8, '{0,1,9}')
FROM generate_series(1, 3);
SELECT g, dpriv.exact_sum(x, '{0,0,9}'), dpriv.exact_sum(x, '{0,0,9}') FILTER (WHERE x > 3) AS filtered
FROM (VALUES (1, 2.5::float8), (1, NULL), (2, NULL), (3, 100), (3, 'NaN'), (3, 4)) v(g, x)
GROUP BY g ORDER BY g;
SELECT g, dpriv.exact_sum(x, '{0,0,9}')
FROM (VALUES (1, 2), (1, 3), (2, 4)) v(g, x) GROUP BY GROUPING SETS ((g), ()) ORDER BY g;

-- Row by row with a grid of its own, packed in a table's row: nothing of the row before is remembered.
CREATE TEMP TABLE grids (id int, x float8, i int4, b int8, grid int8[]);
INSERT INTO grids VALUES (1, 100, 100, 100, '{0,0,10}'), (2, 100, 100, 100, '{0,0,1000}'),
	(3, 100, 100, 100, '{-1,0,1000}'), (4, -3, -3, -3, '{1,-9,9}');
SELECT dpriv.exact_sum(x, grid), dpriv.exact_sum(i, grid), dpriv.exact_sum(b, grid) FROM grids;
SELECT g.id, s.sum FROM grids g,
	LATERAL (SELECT dpriv.exact_sum(x, g.grid) AS sum FROM generate_series(90, 110) x) s ORDER BY g.id;
SELECT id, dpriv.exact_sum(x, grid) OVER (ORDER BY id) AS running,
	dpriv.exact_sum(x, '{0,0,50}') OVER (ORDER BY id ROWS 1 PRECEDING) AS moving
FROM grids ORDER BY id;

-- A parameter is fixed for one execution only.
SET plan_cache_mode = force_generic_plan;
PREPARE clipped(int8[]) AS SELECT dpriv.exact_sum(x, $1) FROM generate_series(1, 10) x;
EXECUTE clipped('{0,0,5}');
EXECUTE clipped('{0,0,7}');
EXECUTE clipped('{1,0,7}');
EXECUTE clipped('{0,7,5}');
EXECUTE clipped(NULL);
DEALLOCATE clipped;
RESET plan_cache_mode;

-- Wrong grids: refused for NULL values too, so that the error says nothing about the rows.
SELECT dpriv.exact_sum(1, '{0,1}');
SELECT dpriv.exact_sum(1, '{0,1,2,3}');
SELECT dpriv.exact_sum(1, '{}');
SELECT dpriv.exact_sum(1, '{{0,1,2}}');
SELECT dpriv.exact_sum(1, '{0,NULL,2}');
SELECT dpriv.exact_sum(1, NULL);
SELECT dpriv.exact_sum(1, '{1001,1,2}');
SELECT dpriv.exact_sum(1, '{-1001,1,2}');
SELECT dpriv.exact_sum(1, '{-9223372036854775808,1,2}');
SELECT dpriv.exact_sum(1, '{0,2,1}');
SELECT dpriv.exact_sum(NULL::float8, '{0,2,1}');
SELECT dpriv.exact_sum(NULL::int8, '{0,2,1}');
SELECT dpriv.exact_sum(x, grid) FROM (VALUES (1, '{0,1,2}'::int8[]), (1, '{0,2,1}')) v(x, grid);

-- Support functions are for the executor only, and trust no state that is not theirs.
SELECT dpriv.exact_sum_accum('{0,0,0}', 1, '{0,1,2}');
SELECT dpriv.exact_sum_combine('{0,0,0}', '{0,0,0}');
CREATE AGGREGATE short_sum(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{0,0}');
CREATE AGGREGATE empty_sum(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{}');
CREATE AGGREGATE null_sum(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[]);
CREATE AGGREGATE other_sum(float8, int8[]) (SFUNC = dpriv.exact_sum_accum, STYPE = int8[], INITCOND = '{5,0,1}');
CREATE AGGREGATE combined(int8[]) (SFUNC = dpriv.exact_sum_combine, STYPE = int8[], INITCOND = '{0,0,0}');
SELECT short_sum(1, '{0,1,2}');
SELECT empty_sum(1, '{0,1,2}');
SELECT null_sum(1, '{0,1,2}');
SELECT other_sum(1, '{0,1,2}');
SELECT combined(s) FROM (VALUES ('{-1,0,3}'::int8[]), (NULL), ('{2,0,4}')) v(s);
SELECT combined(s) FROM (VALUES ('{1,2}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,NULL,2}'::int8[])) v(s);
DROP AGGREGATE short_sum(float8, int8[]), empty_sum(float8, int8[]), null_sum(float8, int8[]),
	other_sum(float8, int8[]), combined(int8[]);

--
-- exact_moments
--

-- The moments as numbers: sum, number, sum of squares.
CREATE FUNCTION exact_moments_value(result int8[]) RETURNS text LANGUAGE sql IMMUTABLE
	RETURN exact_value(result[1:3]) || ' ' || result[3] || ' ' || exact_value(result[4:5] || 0::int8);

-- Distances from the lower bound, of values clamped by it and by the upper one.
SELECT dpriv.exact_moments(x, '{0,0,9}') AS plain, dpriv.exact_moments(x, '{0,-2,2}') AS around_zero,
	dpriv.exact_moments(x, '{0,3,3}') AS one_value
FROM (VALUES (-7), (-2), (0), (1), (2), (NULL), (100)) v(x);
SELECT x, dpriv.exact_moments(x, '{-2,-10,10}') AS quarter, dpriv.exact_moments(x, '{1,-10,10}') AS double
FROM (VALUES (1.75::float8), (-1.99), (0.2499), (-0.2499), (1e300), (-1e300), ('NaN'), ('Infinity'),
	('-Infinity'), ('-0'), ('5e-324')) v(x)
GROUP BY x ORDER BY x;
SELECT x, dpriv.exact_moments(x, '{0,9223372036854775800,9223372036854775807}') AS largest,
	dpriv.exact_moments(x, '{0,-9223372036854775808,-9223372036854775800}') AS smallest
FROM (VALUES (9223372036854775807), (-9223372036854775808), (0)) v(x) GROUP BY x ORDER BY x;
SELECT dpriv.exact_moments(x::int2, '{0,0,10}'), dpriv.exact_moments(x, '{-1,0,10}'),
	dpriv.exact_moments(x::int8, '{1,0,10}') FROM generate_series(1, 12) x;

-- The widest grid: squares of 2^62, whose sum leaves int64 with the second row and 2^64 with the fourth.
SELECT n, exact_moments_value(dpriv.exact_moments(9223372036854775807, '{0,0,2147483648}')) AS got,
	2147483648::numeric * n || ' ' || n || ' ' || 4611686018427387904::numeric * n AS expected
FROM (VALUES (1), (2), (3), (4), (5), (1000)) v(n), LATERAL generate_series(1, n) GROUP BY n ORDER BY n;
SELECT dpriv.exact_moments(1, '{0,0,2147483649}');
SELECT dpriv.exact_moments(1, '{0,-9223372036854775808,9223372036854775807}');
SELECT dpriv.exact_moments(NULL::float8, '{0,-2147483648,1}');

-- Without a value: zeros.  NULL and FILTER, in groups.
SELECT dpriv.exact_moments(x, '{0,1,9}') FROM (VALUES (1::float8)) v(x) WHERE false;
SELECT dpriv.exact_moments(NULL::int8, '{0,1,9}') FROM generate_series(1, 3);
SELECT g, dpriv.exact_moments(x, '{0,0,9}'), dpriv.exact_moments(x, '{0,0,9}') FILTER (WHERE x > 3) AS filtered
FROM (VALUES (1, 2.5::float8), (1, NULL), (2, NULL), (3, 100), (3, 'NaN'), (3, 4)) v(g, x)
GROUP BY g ORDER BY g;

-- Row by row with a grid of its own.
SELECT dpriv.exact_moments(x, grid), dpriv.exact_moments(i, grid), dpriv.exact_moments(b, grid) FROM grids;
SELECT id, dpriv.exact_moments(x, '{0,0,50}') OVER (ORDER BY id) AS running FROM grids ORDER BY id;
SET plan_cache_mode = force_generic_plan;
PREPARE moments(int8[]) AS SELECT dpriv.exact_moments(x, $1) FROM generate_series(1, 10) x;
EXECUTE moments('{0,0,5}');
EXECUTE moments('{1,0,7}');
EXECUTE moments('{0,0,3000000000}');
EXECUTE moments('{0,7,5}');
EXECUTE moments(NULL);
DEALLOCATE moments;
RESET plan_cache_mode;

-- Support functions are for the executor only, and trust no state that is not theirs.
SELECT dpriv.exact_moments_accum('{0,0,0,0,0}', 1, '{0,1,2}');
SELECT dpriv.exact_moments_combine('{0,0,0,0,0}', '{0,0,0,0,0}');
CREATE AGGREGATE short_moments(float8, int8[]) (SFUNC = dpriv.exact_moments_accum, STYPE = int8[], INITCOND = '{0,0,0}');
CREATE AGGREGATE null_moments(float8, int8[]) (SFUNC = dpriv.exact_moments_accum, STYPE = int8[]);
CREATE AGGREGATE other_moments(int4, int8[]) (SFUNC = dpriv.exact_moments_accum, STYPE = int8[], INITCOND = '{5,0,1,-1,0}');
CREATE AGGREGATE combined(int8[]) (SFUNC = dpriv.exact_moments_combine, STYPE = int8[], INITCOND = '{0,0,0,0,0}');
SELECT short_moments(1, '{0,1,2}');
SELECT null_moments(1, '{0,1,2}');
SELECT other_moments(1, '{0,0,2}');
SELECT combined(s) FROM (VALUES ('{-1,0,3,-1,5}'::int8[]), (NULL), ('{2,0,4,1,6}')) v(s);
SELECT combined(s) FROM (VALUES ('{1,2,3}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,NULL,2,3,4}'::int8[])) v(s);
DROP AGGREGATE short_moments(float8, int8[]), null_moments(float8, int8[]), other_moments(int4, int8[]),
	combined(int8[]);
DROP FUNCTION exact_moments_value(int8[]);

--
-- exact_histogram
--

-- Bins are closed below, the last one above too; what is outside counts nowhere.
SELECT x, dpriv.exact_histogram(x, '{0,1,2,3}')
FROM (VALUES (-0.5::float8), (0), (0.5), (1), (2), (2.5), (3), (3.0000000000000004), (NULL), ('NaN'),
	('Infinity'), ('-Infinity'), ('-5e-324'), ('5e-324')) v(x)
GROUP BY x ORDER BY x;

-- -0 is 0, as a value and as an edge.
SELECT dpriv.exact_histogram(x, '{-0,1}') AS edge_minus_zero, dpriv.exact_histogram(x, '{0,1}') AS edge_zero,
	dpriv.exact_histogram(x, '{-1,-0}') AS last_minus_zero
FROM (VALUES ('-0'::float8), ('0')) v(x);

-- Infinite edges hold infinite values.
SELECT dpriv.exact_histogram(x, '{-Infinity,0,Infinity}') AS two,
	dpriv.exact_histogram(x, '{-Infinity,Infinity}') AS one,
	dpriv.exact_histogram(x, '{-1.7976931348623157e308,0,1.7976931348623157e308}') AS finite
FROM (VALUES ('-Infinity'::float8), ('Infinity'), ('NaN'), (-1e308), (1e308), (0), (NULL)) v(x);

-- Edges one ulp apart, and denormal ones.
SELECT dpriv.exact_histogram(x, '{1,1.0000000000000002,1.0000000000000004,1.0000000000000007}') AS ulp,
	dpriv.exact_histogram(x, '{0,5e-324,1e-323,1.5e-323}') AS denormal
FROM (VALUES (1::float8), (1.0000000000000002), (1.0000000000000004), (1.0000000000000007), ('0'), ('5e-324'),
	('1e-323'), ('1.5e-323'), ('2e-323')) v(x);

-- Against width_bucket, with bins of equal width and of very different ones, at every edge and beside it.
WITH shapes(shape, edges) AS (
	SELECT 'equal', array_agg(i / 10::float8 ORDER BY i) FROM generate_series(-50, 50) i
	UNION ALL SELECT 'powers', array_agg(2 ^ i::float8 ORDER BY i) FROM generate_series(-60, 60) i
	UNION ALL SELECT 'jittered', array_agg(i + (i * 7919 % 13) / 1000::float8 ORDER BY i) FROM generate_series(0, 99) i
	UNION ALL SELECT 'huge', array_agg(i * 1.6e306::float8 ORDER BY i) FROM generate_series(-100, 100) i
), points AS (
	SELECT shape, edges, x FROM shapes, unnest(edges) e, LATERAL (VALUES (e), (e * (1 + 2.3e-16::float8)),
		(e * (1 - 1.2e-16::float8)), (e + 0.05), (-e)) v(x)
), expected AS (
	SELECT shape, least(width_bucket(x, edges), array_length(edges, 1) - 1) AS bin, count(*) AS n
	FROM points WHERE x >= edges[1] AND x <= edges[array_length(edges, 1)] GROUP BY 1, 2
), got AS (
	SELECT shape, dpriv.exact_histogram(x, edges) AS counts FROM points GROUP BY shape
)
SELECT shape, array_length(counts, 1) AS bins,
	(SELECT sum(n) FROM expected e WHERE e.shape = g.shape) = (SELECT sum(n) FROM unnest(counts) n) AS same_total,
	(SELECT bool_and(counts[bin] = n) FROM expected e WHERE e.shape = g.shape) AS same_bins
FROM got g ORDER BY shape;

-- The largest number of bins.
SELECT array_length(n, 1) AS bins, (SELECT sum(k) FROM unnest(n) k) AS total, n[1], n[2], n[32768], n[65536]
FROM (SELECT dpriv.exact_histogram(x, (SELECT array_agg(i * i::float8 ORDER BY i) FROM generate_series(0, 65536) i))
	FROM unnest(ARRAY[0, 0.5, 1, 1.5, 32767.5 ^ 2, 65535.5 ^ 2, 65536.0 ^ 2, 65536.1 ^ 2, -0.1]::float8[]) x) v(n);

-- No rows: NULL; only values outside: zeros.  Groups, and two histograms beside each other.
SELECT dpriv.exact_histogram(x, '{0,1}') FROM (VALUES (1::float8)) v(x) WHERE false;
SELECT dpriv.exact_histogram(x, '{0,1,2}') FROM (VALUES (5::float8), (NULL), ('NaN')) v(x);
SELECT g, dpriv.exact_histogram(x, '{0,1,2}') AS two, dpriv.exact_histogram(x, '{0,5}') AS one
FROM (VALUES (1, 0.5), (1, 1.5), (2, NULL), (3, 1), (3, 4)) v(g, x) GROUP BY g ORDER BY g;

-- Edges that differ from row to row are followed; their number may not differ within a group.
SELECT g, dpriv.exact_histogram(x, edges)
FROM (VALUES (1, 5::float8, '{0,10,20}'::float8[]), (1, 5, '{0,1,20}'), (2, 5, '{0,4,5}'), (3, 5, '{0,9}')) v(g, x, edges)
GROUP BY g ORDER BY g;
SELECT dpriv.exact_histogram(x, edges)
FROM (VALUES (5::float8, '{0,10,20}'::float8[]), (5, '{0,9}')) v(x, edges);
SELECT x, dpriv.exact_histogram(x, '{0,2,4}') OVER (ORDER BY x) FROM generate_series(1, 4) x;
SET plan_cache_mode = force_generic_plan;
PREPARE bins(float8[]) AS SELECT dpriv.exact_histogram(x, $1) FROM generate_series(1, 10) x;
EXECUTE bins('{0,5,10}');
EXECUTE bins('{0,2,3,4}');
EXECUTE bins('{0,0}');
DEALLOCATE bins;
RESET plan_cache_mode;

-- Wrong edges.
SELECT dpriv.exact_histogram(1, NULL);
SELECT dpriv.exact_histogram(1, '{}');
SELECT dpriv.exact_histogram(1, '{1}');
SELECT dpriv.exact_histogram(1, '{1,1}');
SELECT dpriv.exact_histogram(1, '{0,-0}');
SELECT dpriv.exact_histogram(1, '{1,0}');
SELECT dpriv.exact_histogram(1, '{1,2,NULL}');
SELECT dpriv.exact_histogram(1, '{1,2,NaN}');
SELECT dpriv.exact_histogram(1, '{NaN,1}');
SELECT dpriv.exact_histogram(1, '{{1,2},{3,4}}');
SELECT dpriv.exact_histogram(1, edges)
FROM (SELECT array_agg(i::float8 ORDER BY i) FROM generate_series(0, 65537) i) v(edges);

--
-- exact_categories
--

-- Equality is that of bytes: no trimming, no case, no prefix, no padding.
SELECT dpriv.exact_categories(x, ARRAY['a', 'A', 'a ', 'ab', 'abcdefgh', 'abcdefghi', 'abcdefghij', '', 'ä'])
FROM unnest(ARRAY['a', 'a', 'A', 'a ', 'ab', 'abc', 'abcdefgh', 'abcdefghi', 'abcdefghi', 'abcdefghij',
	'abcdefghijk', '', '', '', 'ä', 'b', NULL]) x;

-- Order of the counts is that of the argument.
SELECT dpriv.exact_categories(x, '{z,a,m}') FROM unnest(ARRAY['a', 'm', 'm', 'z', 'z', 'z']) x;

-- Long texts with a common beginning, and a value that is stored compressed or out of line.
CREATE TEMP TABLE texts (x text);
INSERT INTO texts SELECT repeat('x', 10000) || i % 3 FROM generate_series(1, 9) i;
INSERT INTO texts SELECT repeat('y', 100000);
SELECT dpriv.exact_categories(x, ARRAY[repeat('x', 10000) || 2, repeat('x', 10000) || 0, repeat('x', 10000)]) AS long,
	dpriv.exact_categories(x, ARRAY['x', repeat('x', 10)]) AS short
FROM texts;

-- Against GROUP BY: many categories, present and absent, with a common head and without.
CREATE TEMP TABLE points AS
	SELECT p || (i * 7919 % 503) AS x
	FROM unnest(ARRAY['', 'k', 'category_', 'long common beginning ', 'q']) p, generate_series(1, 900) i;
CREATE TEMP TABLE categories AS
	SELECT row_number() OVER () AS i, p || k AS c
	FROM unnest(ARRAY['', 'k', 'category_', 'long common beginning ']) p, generate_series(300, 1, -1) k;
WITH counts(n) AS (
	SELECT dpriv.exact_categories(x, (SELECT array_agg(c ORDER BY i) FROM categories)) FROM points
), expected AS (
	SELECT i, count(x) AS n FROM categories LEFT JOIN points ON x = c GROUP BY i
)
SELECT count(*) AS categories, bool_and(c.n[e.i] = e.n) AS same, sum(e.n) AS total FROM counts c, expected e;
DROP TABLE points, categories;

-- The largest list.
SELECT array_length(n, 1) AS categories, (SELECT sum(k) FROM unnest(n) k) AS total, n[1], n[65536]
FROM (SELECT dpriv.exact_categories(x, (SELECT array_agg(i::text) FROM generate_series(1, 65536) i))
	FROM unnest(ARRAY['1', '65536', '65537', '0']) x) v(n);

-- No rows, nothing that counts, groups.
SELECT dpriv.exact_categories(x, '{a}') FROM (VALUES ('a')) v(x) WHERE false;
SELECT dpriv.exact_categories(x, '{a,b}') FROM (VALUES ('c'), (NULL)) v(x);
SELECT g, dpriv.exact_categories(x, '{a,b}') FROM (VALUES (1, 'a'), (1, 'b'), (2, NULL), (3, 'b')) v(g, x)
GROUP BY g ORDER BY g;

-- Categories that differ from row to row are followed; their number may not differ within a group.
SELECT dpriv.exact_categories(x, categories)
FROM (VALUES ('a', '{a,b}'::text[]), ('a', '{b,a}'), ('a', '{a,b}'), ('a', '{c,d}')) v(x, categories);
SELECT dpriv.exact_categories(x, categories) FROM (VALUES ('a', '{a,b}'::text[]), ('a', '{a}')) v(x, categories);
SELECT x, dpriv.exact_categories(x, '{a,b}') OVER (ORDER BY x) FROM (VALUES ('a'), ('b'), ('c')) v(x);
SET plan_cache_mode = force_generic_plan;
PREPARE categories(text[]) AS SELECT dpriv.exact_categories(x, $1) FROM unnest(ARRAY['a', 'b', 'b']) x;
EXECUTE categories('{a,b}');
EXECUTE categories('{b,c,a}');
EXECUTE categories('{a,a}');
DEALLOCATE categories;
RESET plan_cache_mode;

-- Wrong categories.
SELECT dpriv.exact_categories('a', NULL);
SELECT dpriv.exact_categories('a', '{}');
SELECT dpriv.exact_categories('a', '{a,NULL}');
SELECT dpriv.exact_categories('a', '{a,b,a}');
SELECT dpriv.exact_categories('a', '{"",b,""}');
SELECT dpriv.exact_categories('a', '{{a,b},{c,d}}');
SELECT dpriv.exact_categories('a', (SELECT array_agg(i::text) FROM generate_series(0, 65536) i));

-- States of counts combine in either order, with NULL, and only if they are alike.
SELECT dpriv.exact_counts_combine('{1}', '{1}');
SELECT dpriv.exact_histogram_accum(NULL, 1, '{0,1}');
SELECT dpriv.exact_categories_accum(NULL, 'a', '{a}');
CREATE AGGREGATE combined(int8[]) (SFUNC = dpriv.exact_counts_combine, STYPE = int8[]);
CREATE AGGREGATE other_histogram(float8, float8[]) (SFUNC = dpriv.exact_histogram_accum, STYPE = int8[], INITCOND = '{1}');
SELECT combined(s) FROM (VALUES ('{1,2}'::int8[]), (NULL), ('{30,40}')) v(s);
SELECT combined(s) FROM (VALUES (NULL::int8[]), ('{30,40}')) v(s);
SELECT combined(s) FROM (VALUES (NULL::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,2}'::int8[]), ('{1}')) v(s);
SELECT combined(s) FROM (VALUES ('{}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{{1,2}}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,NULL}'::int8[])) v(s);
SELECT other_histogram(1, '{0,2}');
SELECT other_histogram(1, '{0,1,2}');
DROP AGGREGATE combined(int8[]), other_histogram(float8, float8[]);

--
-- exact_clip_curve
--

-- Number at or above the last bound; of each interval its number, low and high half of the sum of distances.
SELECT dpriv.exact_clip_curve(x, '{0,2,5,9}') AS plain, dpriv.exact_clip_curve(x, '{0,1}') AS one,
	dpriv.exact_clip_curve(x, '{0,0,3,3,4}') AS empty_intervals
FROM (VALUES (-7), (-2), (0), (1), (2), (3), (5), (8), (9), (NULL), (100)) v(x);
SELECT x, dpriv.exact_clip_curve(x, '{-2,2,8}') AS quarter, dpriv.exact_clip_curve(x, '{1,1,8}') AS double
FROM (VALUES (1.75::float8), (-1.99), (0.2499), (0.25), (2), (1e300), (-1e300), ('NaN'), ('Infinity'), ('-Infinity'), ('-0'), ('5e-324')) v(x)
GROUP BY x ORDER BY x;
SELECT dpriv.exact_clip_curve(x, '{0,1,9223372036854775807}') AS largest, dpriv.exact_clip_curve(x, '{1,1,10}') AS coarse
FROM (VALUES (9223372036854775807), (9223372036854775806), (9223372036854775805), (-9223372036854775808), (1), (0)) v(x);
SELECT dpriv.exact_clip_curve(x::int2, '{0,5,20}'), dpriv.exact_clip_curve(x::int8, '{0,5,20}'),
	dpriv.exact_clip_curve(x::float8, '{0,5,20}') FROM generate_series(1, 12) x;

-- Increments from them are those of clipped sums, at every bound; the order of the rows does not matter.
CREATE FUNCTION increments(curve int8[], bounds int8[]) RETURNS numeric[] LANGUAGE sql RETURN (
	SELECT array_agg((curve[3 * i] & 4294967295)::numeric + ((curve[3 * i] >> 32) & 4294967295)::numeric * 4294967296
		+ curve[3 * i + 1]::numeric * 18446744073709551616
		+ (bounds[i + 1] - CASE i WHEN 1 THEN 0 ELSE bounds[i] END)::numeric
			* (curve[1] + (SELECT coalesce(sum(curve[3 * j - 1]), 0) FROM generate_series(i + 1, cardinality(bounds) - 1) j))
		ORDER BY i)
	FROM generate_series(1, cardinality(bounds) - 1) i);
SELECT bounds, got = expected AS same FROM (VALUES ('{0,1}'::int8[]), ('{0,7,8,9,50}'), ('{0,1,2,3,5,8,13,21,34,55,89}'),
		('{0,3,4611686018427387904}'), ('{0,0,0,40}')) b(bounds),
	LATERAL (SELECT increments(dpriv.exact_clip_curve(x, bounds ORDER BY x * 37 % 101), bounds) AS got,
		(SELECT array_agg(s ORDER BY i) FROM generate_series(2, cardinality(bounds)) i, LATERAL (
			SELECT sum(least(greatest(y - CASE i WHEN 2 THEN 0 ELSE bounds[i - 1] END, 0),
				bounds[i] - CASE i WHEN 2 THEN 0 ELSE bounds[i - 1] END)) AS s
			FROM generate_series(-20, 80) y(y)) t) AS expected
		FROM generate_series(-20, 80) x) c;

-- NULL without rows, zeros without values; FILTER, in groups.
SELECT dpriv.exact_clip_curve(x, '{0,1,9}') FROM (VALUES (1::float8)) v(x) WHERE false;
SELECT dpriv.exact_clip_curve(NULL::int8, '{0,1,9}') FROM generate_series(1, 3);
SELECT g, dpriv.exact_clip_curve(x, '{0,2,9}'), dpriv.exact_clip_curve(x, '{0,9}') FILTER (WHERE x > 3) AS filtered
FROM (VALUES (1, 2.5::float8), (1, NULL), (2, NULL), (3, 100), (3, 'NaN'), (3, 4)) v(g, x)
GROUP BY g ORDER BY g;

-- Row by row with bounds of its own, as long as their number stays the same; as a parameter; in a window.
SELECT dpriv.exact_clip_curve(x, bounds) FROM (VALUES (3, '{0,2,9}'::int8[]), (3, '{0,5,9}'), (3, '{0,1,2}')) v(x, bounds);
SELECT dpriv.exact_clip_curve(x, bounds) FROM (VALUES (3, '{0,2,9}'::int8[]), (3, '{0,9}')) v(x, bounds);
SELECT dpriv.exact_clip_curve(x, '{0,2,9}') OVER (ORDER BY x) AS running FROM generate_series(1, 3) x;
SET plan_cache_mode = force_generic_plan;
PREPARE curve(int8[]) AS SELECT dpriv.exact_clip_curve(x, $1) FROM generate_series(1, 10) x;
EXECUTE curve('{0,5}');
EXECUTE curve('{1,1,3}');
EXECUTE curve('{0,5,3}');
EXECUTE curve(NULL);
DEALLOCATE curve;
RESET plan_cache_mode;

-- Wrong bounds: refused for NULL values too.
SELECT dpriv.exact_clip_curve(1, NULL);
SELECT dpriv.exact_clip_curve(1, '{}');
SELECT dpriv.exact_clip_curve(1, '{0}');
SELECT dpriv.exact_clip_curve(1, '{{0,1,2}}');
SELECT dpriv.exact_clip_curve(1, '{0,NULL,2}');
SELECT dpriv.exact_clip_curve(1, '{1001,1}');
SELECT dpriv.exact_clip_curve(1, '{-1001,1}');
SELECT dpriv.exact_clip_curve(1, '{0,-1,2}');
SELECT dpriv.exact_clip_curve(NULL::float8, '{0,2,1}');
SELECT dpriv.exact_clip_curve(1, (SELECT array_agg(i) FROM generate_series(0, 1001) i));

-- Support functions are for the executor only, and trust no state that is not theirs.
SELECT dpriv.exact_clip_curve_accum(NULL, 1, '{0,1}');
SELECT dpriv.exact_clip_curve_combine('{0,0,0,0}', '{0,0,0,0}');
CREATE AGGREGATE other_curve(float8, int8[]) (SFUNC = dpriv.exact_clip_curve_accum, STYPE = int8[], INITCOND = '{1,2,3}');
CREATE AGGREGATE combined(int8[]) (SFUNC = dpriv.exact_clip_curve_combine, STYPE = int8[]);
SELECT other_curve(1, '{0,2}');
SELECT combined(s) FROM (VALUES ('{1,2,-1,3}'::int8[]), (NULL), ('{30,40,2,4}')) v(s);
SELECT combined(s) FROM (VALUES (NULL::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,2,3,4}'::int8[]), ('{1,2,3,4,5,6,7}')) v(s);
SELECT combined(s) FROM (VALUES ('{}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,2}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{{1,2,3,4}}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,NULL,3,4}'::int8[])) v(s);
DROP AGGREGATE other_curve(float8, int8[]), combined(int8[]);
DROP FUNCTION increments;

--
-- exact_sum_vector: truncation, and vectors that are too long
--

-- {low, high, low, high, ...} as numbers.
CREATE FUNCTION exact_vector(result int8[]) RETURNS numeric[] LANGUAGE sql IMMUTABLE
	RETURN (SELECT array_agg(exact_value(result[i : i + 1]) ORDER BY i) FROM generate_series(1, cardinality(result), 2) i);

-- Toward zero, to steps of 1/4 and of 8; on the surface of the ball nothing changes.
SELECT x, exact_vector(dpriv.exact_sum_vector(x, '{-2,1,1000,2}')) AS fine, exact_vector(dpriv.exact_sum_vector(x, '{3,2,1000,2}')) AS coarse
FROM (VALUES ('{1.99,-1.99}'::float8[]), ('{0.2499,-0.2499}'), ('{7.999,-8}'), ('{0,-0}'), ('{5e-324,-5e-324}')) v(x)
GROUP BY x ORDER BY x;
SELECT x, exact_vector(dpriv.exact_sum_vector(x, '{0,1,1000,2}')) AS l1, exact_vector(dpriv.exact_sum_vector(x, '{0,2,1000,2}')) AS l2
FROM (VALUES ('{1000,0}'::float8[]), ('{-1000.9,0}'), ('{400,-600}'), ('{-600,800}'), ('{0,0}')) v(x)
GROUP BY x ORDER BY x;

-- Longer ones keep their direction, also where squares, sums or products overflow.
SELECT x, exact_vector(dpriv.exact_sum_vector(x, '{0,1,1000,2}')) AS l1, exact_vector(dpriv.exact_sum_vector(x, '{0,2,1000,2}')) AS l2
FROM (VALUES ('{1001,0}'::float8[]), ('{3000,-4000}'), ('{1000,1}'), ('{-1e300,1e300}'), ('{1.7976931348623157e308,1.7976931348623157e308}'),
	('{1e308,-1e300}'), ('{1e19,0}'), ('{0,-1e200}')) v(x)
GROUP BY x ORDER BY x;
SELECT exact_vector(dpriv.exact_sum_vector('{4e-300,-3e-300}', '{-1000,1,7,2}')) AS l1,
	exact_vector(dpriv.exact_sum_vector('{4e-300,-3e-300}', '{-1000,2,10,2}')) AS l2,
	exact_vector(dpriv.exact_sum_vector('{3e306,4e306}', '{1000,2,1,2}')) AS coarse,
	exact_vector(dpriv.exact_sum_vector('{1e-310,1e-310}', '{-1000,2,2305843009213693952,2}')) AS finest;

-- No vector of two finite numbers: zero.
SELECT id, exact_vector(dpriv.exact_sum_vector(x, '{0,2,1000,2}'))
FROM (VALUES (1, NULL::float8[]), (2, '{}'), (3, '{1}'), (4, '{1,2,3}'), (5, '{{1,2}}'), (6, '{{1},{2}}'), (7, '{1,NULL}'), (8, '{NULL,NULL}'),
	(9, '{NaN,1}'), (10, '{1,Infinity}'), (11, '{-Infinity,NaN}'), (12, '{1e300,NaN}'), (13, '{{{1}},{{2}}}')) v(id, x)
GROUP BY id ORDER BY id;

-- Subscripts start anywhere, and a NULL that has been replaced leaves its bitmap.  Stored vectors have short headers,
-- are compressed, or lie elsewhere.
CREATE TEMP TABLE stored (id int, x float8[], l float8[], c float8[]);
ALTER TABLE stored ALTER l SET STORAGE EXTERNAL;
INSERT INTO stored VALUES (1, '[7:8]={3,4}', array_fill(1::float8, '{1000}'), array_fill(3::float8, '{3000}')),
	(2, '{30,NULL}', array_fill(2::float8, '{1000}'), array_fill(-4::float8, '{3000}'));
UPDATE stored SET x[2] = 40 WHERE id = 2;
SELECT exact_vector(dpriv.exact_sum_vector(x, '{0,2,1000,2}')) AS x,
	(SELECT array_agg(DISTINCT v) FROM unnest(exact_vector(dpriv.exact_sum_vector(l, '{-1,1,100000,1000}'))) v) AS elsewhere,
	(SELECT array_agg(DISTINCT v) FROM unnest(exact_vector(dpriv.exact_sum_vector(c, '{-1,1,100000,3000}'))) v) AS compressed,
	bool_and(pg_column_size(c) < 3000) AS is_compressed
FROM stored;

-- An array of another size is not even fetched.
BEGIN;
SELECT reltoastrelid AS elsewhere, pg_stat_get_xact_blocks_fetched(reltoastrelid) AS before FROM pg_class WHERE oid = 'stored'::regclass \gset
SELECT exact_vector(dpriv.exact_sum_vector(l, '{0,2,1000,999}')) = array_fill(0::numeric, '{999}') AS zero FROM stored;
SELECT pg_stat_get_xact_blocks_fetched(:elsewhere) - :before AS fetched;
SELECT cardinality(dpriv.exact_sum_vector(l, '{0,2,1000,1000}')) FROM stored;
SELECT pg_stat_get_xact_blocks_fetched(:elsewhere) - :before > 0 AS fetched;
COMMIT;
CREATE FUNCTION pair(i int) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	x float8[] := '{1,2}';
BEGIN
	x[2] := i;
	RETURN x;
END$$;
SELECT exact_vector(dpriv.exact_sum_vector(pair(i), '{0,2,1000,2}')) AS expanded FROM generate_series(1, 10) i;

-- Whatever the directions and the dimension: no row is above the radius, and none is shrunk by more than truncation.
CREATE TEMP TABLE directions (id serial, dimension int, x float8[]);
INSERT INTO directions (dimension, x)
SELECT d, (SELECT array_agg(sin(i * k + i) ^ 3 * 10 ^ (i % 30) ORDER BY k) FROM generate_series(1, d) k)
FROM unnest(ARRAY[1, 2, 3, 10, 100]) d, generate_series(1, 60) i;
INSERT INTO directions (dimension, x) SELECT 16384, array_agg(sin(k) ORDER BY k) FROM generate_series(1, 16384) k;
CREATE FUNCTION norms(x float8[], n int, radius int8, exponent int, dimension int) RETURNS numeric LANGUAGE sql
	RETURN (SELECT sum(abs(v) ^ n) FROM unnest(exact_vector((SELECT dpriv.exact_sum_vector(x, ARRAY[exponent, n, radius, dimension])))) v);
SELECT dimension, radius, bool_and(l1 <= radius AND l2 <= radius::numeric ^ 2) AS within,
	bool_and(l1 >= least(radius, l1_before) * 0.999999999 - dimension AND sqrt(l2) >= least(radius, l2_before) * 0.999999999 - sqrt(dimension)) AS near
FROM (SELECT dimension, radius, norms(x, 1, radius, e, dimension) AS l1, norms(x, 2, radius, e, dimension) AS l2,
		(SELECT sum(abs(k)) / 2.0::float8 ^ e FROM unnest(x) k)::numeric AS l1_before, (SELECT sqrt(sum(k * k)) / 2.0::float8 ^ e FROM unnest(x) k)::numeric AS l2_before
	FROM directions, (VALUES (1, 0), (1000, 0), (1099511627776, -20), (2305843009213693952, -59)) r(radius, e)) q
GROUP BY dimension, radius ORDER BY dimension, radius;
DROP TABLE directions;
DROP FUNCTION norms, pair;

-- 128 bits: sums that leave int64, in either direction.
SELECT exact_vector(dpriv.exact_sum_vector('{2305843009213693952,-1}', '{0,2,2305843009213693952,2}')) AS shrunk,
	exact_vector(dpriv.exact_sum_vector('{2305843009213693952,0}', '{0,2,2305843009213693952,2}')) AS up,
	exact_vector(dpriv.exact_sum_vector('{0,-2305843009213693952}', '{0,1,2305843009213693952,2}')) AS down
FROM generate_series(1, 1000);

-- No rows, groups, FILTER, windows.
SELECT dpriv.exact_sum_vector(x, '{0,2,10,2}') FROM stored WHERE false;
SELECT g, dpriv.exact_sum_vector(x, '{0,2,10,2}'), dpriv.exact_sum_vector(x, '{0,2,10,2}') FILTER (WHERE x[1] > 3) AS filtered
FROM (VALUES (1, '{1,2}'::float8[]), (1, NULL), (2, NULL), (3, '{100,0}'), (3, '{4,-5}')) v(g, x)
GROUP BY g ORDER BY g;
SELECT i, dpriv.exact_sum_vector(ARRAY[i, 1], '{0,2,10,2}') OVER (ORDER BY i) FROM generate_series(1, 3) i;

-- Balls that differ from row to row are followed; the dimension may not differ within a group.
SELECT dpriv.exact_sum_vector('{3,4}', ball)
FROM (VALUES ('{0,2,10,2}'::int8[]), ('{0,1,3,2}'), ('{-1,2,100,2}')) v(ball);
SELECT id, dpriv.exact_sum_vector('{3}', ball)
FROM (VALUES (1, '{0,2,10,2}'::int8[]), (2, '{0,2,2,1}'), (3, '{0,2,10,3}')) v(id, ball) GROUP BY id ORDER BY id;
SELECT dpriv.exact_sum_vector('{3}', ball) FROM (VALUES ('{0,2,10,1}'::int8[]), ('{0,2,10,2}')) v(ball);
SET plan_cache_mode = force_generic_plan;
PREPARE vectors(int8[]) AS SELECT dpriv.exact_sum_vector(x, $1) FROM stored;
EXECUTE vectors('{0,2,10,2}');
EXECUTE vectors('{0,1,7,2}');
EXECUTE vectors('{0,1,7,1}');
EXECUTE vectors('{0,1,7}');
DEALLOCATE vectors;
RESET plan_cache_mode;

-- Wrong balls.
SELECT dpriv.exact_sum_vector('{1}', NULL);
SELECT dpriv.exact_sum_vector('{1}', '{0,2,10}');
SELECT dpriv.exact_sum_vector('{1}', '{0,2,10,NULL}');
SELECT dpriv.exact_sum_vector('{1}', '{{0,2,10,1}}');
SELECT dpriv.exact_sum_vector('{1}', '{1001,2,10,1}');
SELECT dpriv.exact_sum_vector('{1}', '{0,3,10,1}');
SELECT dpriv.exact_sum_vector('{1}', '{0,0,10,1}');
SELECT dpriv.exact_sum_vector('{1}', '{0,2,0,1}');
SELECT dpriv.exact_sum_vector('{1}', '{0,2,2305843009213693953,1}');
SELECT dpriv.exact_sum_vector('{1}', '{0,2,10,0}');
SELECT dpriv.exact_sum_vector('{1}', '{0,2,10,16385}');

-- States combine in either order, with NULL, and only if they are alike.
SELECT dpriv.exact_sum_vector_combine('{1,0}', '{1,0}');
SELECT dpriv.exact_sum_vector_accum(NULL, '{1}', '{0,2,10,1}');
CREATE AGGREGATE combined(int8[]) (SFUNC = dpriv.exact_sum_vector_combine, STYPE = int8[]);
CREATE AGGREGATE other_sum(float8[], int8[]) (SFUNC = dpriv.exact_sum_vector_accum, STYPE = int8[], INITCOND = '{1,0}');
SELECT combined(s) FROM (VALUES ('{1,2,-1,-1}'::int8[]), (NULL), ('{-1,0,1,0}')) v(s);
SELECT combined(s) FROM (VALUES (NULL::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,0}'::int8[]), ('{1,0,1,0}')) v(s);
SELECT combined(s) FROM (VALUES ('{}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{{1,2}}'::int8[])) v(s);
SELECT combined(s) FROM (VALUES ('{1,NULL}'::int8[])) v(s);
SELECT combined(array_fill(0::int8, '{32770}'));
SELECT other_sum('{2}', '{0,2,10,1}');
SELECT other_sum('{2,3}', '{0,2,10,2}');
DROP AGGREGATE combined(int8[]), other_sum(float8[], int8[]);

--
-- to_real: total
--
SELECT n, dpriv.to_real(x) FROM unnest(ARRAY['1e-400', '-1e-400', '2.4703282292062327e-324',
	'2.4703282292062329e-324', '-2.4703282292062329e-324', '0.1', '0', '-0', 'NaN', 'Infinity', '-Infinity',
	NULL]::numeric[]) WITH ORDINALITY u(x, n) ORDER BY n;
SELECT dpriv.to_real('1e400'), dpriv.to_real('-1e400'), dpriv.to_real('1.7976931348623157e308'),
	dpriv.to_real('1.7976931348623159e308'), dpriv.to_real(repeat('9', 131072)::numeric);
-- Far outside the range the digits are not looked at.
SELECT count(*), count(*) FILTER (WHERE dpriv.to_real(sign * ('1e' || e)::numeric) IS DISTINCT FROM
	sign * CASE WHEN e > 308 THEN 'Infinity' WHEN e < -323 THEN 0 ELSE ('1e' || e)::float8 END) AS wrong
FROM generate_series(-400, 400) e, unnest(ARRAY[1, -1]) sign;
SELECT dpriv.to_real('-1e130000'), dpriv.to_real('-1e-16000'), dpriv.to_real('NaN'), dpriv.to_real('Infinity'), dpriv.to_real('-Infinity'), dpriv.to_real(0::numeric(1000, 900));

--
-- What an engine that computes aggregates in parts needs of every exact function.
--
SELECT p.oid::regprocedure, t.typname AS state, t.typtype, a.aggkind, a.aggnumdirectargs AS direct, a.aggsortop AS sort,
	a.aggcombinefn <> 0 AS combines, p.proparallel AS parallel, p.pronargs AS arguments, s.provolatile AS volatility,
	s.proparallel AS step_parallel, c.provolatile AS combine_volatility, c.proparallel AS combine_parallel
FROM pg_aggregate a JOIN pg_proc p ON p.oid = a.aggfnoid JOIN pg_type t ON t.oid = a.aggtranstype
	JOIN pg_proc s ON s.oid = a.aggtransfn LEFT JOIN pg_proc c ON c.oid = a.aggcombinefn
WHERE p.pronamespace = 'dpriv'::regnamespace AND p.proname LIKE 'exact\_%' ORDER BY p.oid::regprocedure::text COLLATE "C";

-- None of them breaks a rule: pseudo-types, sorted input, missing parts, missing comments or privileges.
SELECT p.oid::regprocedure AS breaks_a_rule
FROM pg_proc p LEFT JOIN pg_aggregate a ON a.aggfnoid = p.oid LEFT JOIN pg_type st ON st.oid = a.aggtranstype
WHERE p.pronamespace = 'dpriv'::regnamespace AND (p.proname LIKE 'exact\_%' OR p.proname = 'to_real')
	AND (p.proparallel <> 's' OR p.provolatile <> 'i' OR p.pronargs < 1 OR p.prosecdef
		OR obj_description(p.oid, 'pg_proc') IS NULL OR NOT has_function_privilege('public', p.oid, 'EXECUTE')
		OR EXISTS (SELECT FROM unnest(p.proargtypes || p.prorettype) o JOIN pg_type y ON y.oid = o WHERE y.typtype = 'p')
		OR (a.aggfnoid IS NOT NULL AND (st.typtype = 'p' OR a.aggkind <> 'n' OR a.aggsortop <> 0 OR a.aggcombinefn = 0)));

DROP TABLE stored;
DROP FUNCTION exact_vector(int8[]);
DROP TABLE grids, texts;
DROP FUNCTION exact_value(int8[]);
