-- dp_histogram: bins over edges, categories, enum labels; every bin comes back.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per bin.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TYPE hist_level AS ENUM ('low', 'middle', 'high');
CREATE DOMAIN hist_code AS varchar(10) CHECK (length(value) > 0);
CREATE TABLE hist_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, name text,
	v varchar(20),
	c char(5), code hist_code, level hist_level);
INSERT INTO hist_t
SELECT i, i % 20, i % 20, i % 20, i % 20, i % 20, i % 20, 'n' || i % 4, 'n' || i % 4, 'n' || i % 4,
	'n' || i % 4,
	CASE i % 3 WHEN 0 THEN 'low' WHEN 1 THEN 'high' END::hist_level
FROM generate_series(1, 400) i;
INSERT INTO hist_t SELECT 400 + i FROM generate_series(1, 5) i;	-- nothing but NULL
CREATE TABLE hist_empty (LIKE hist_t);

--
-- Edges
--

-- Bins are closed below and open above, the last one closed on both sides; outside and NULL count
-- nowhere.
SELECT * FROM unnest((SELECT dp_histogram(i4, ARRAY[5, 10, 15, 19]) FROM hist_t));
SELECT count(*) FILTER (WHERE i4 >= 5 AND i4 < 10) AS a,
	count(*) FILTER (WHERE i4 >= 10 AND i4 < 15) AS b,
	count(*) FILTER (WHERE i4 >= 15 AND i4 <= 19) AS c FROM hist_t;

-- Every numeric type gives the same.
SELECT dp_histogram(i2, ARRAY[5, 10, 15, 19]) = dp_histogram(i4, ARRAY[5, 10, 15, 19]) AS i2,
	dp_histogram(i8, ARRAY[5, 10, 15, 19]) = dp_histogram(i4, ARRAY[5, 10, 15, 19]) AS i8,
	dp_histogram(n, ARRAY[5, 10, 15, 19]) = dp_histogram(i4, ARRAY[5, 10, 15, 19], 1000) AS n,
	dp_histogram(r, '{5,10,15,19}') = dp_histogram(i4, ARRAY[5, 10, 15, 19.0]) AS r,
	dp_histogram(d, ARRAY[5, 10, 15, 19]::float8[], 1000) = dp_histogram(i4,
	ARRAY[5, 10, 15, 19]) AS d
FROM hist_t;

-- Edges that are not integers, negative, infinite, very close; one bin.
SELECT dp_histogram(i4, ARRAY[-0.5, 0.5, 1.5]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY['-Infinity', 0, 10, 'Infinity']::float8[]) FROM hist_t;
SELECT dp_histogram(d, ARRAY[1, 1.0000000000000002, 2]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[0, 19]) FROM hist_t;

-- Subscripts of the array do not matter.
SELECT dp_histogram(i4, '[5:7]={0,10,19}'::float8[]) FROM hist_t;

-- NaN is in no bin, infinities only where an edge is one; -0 is 0; denormals are numbers.
SELECT dp_histogram(x, ARRAY[-1, 0, 1]) AS around_zero,
	dp_histogram(x, ARRAY['-Infinity', -1, 1, 'Infinity']::float8[]) AS everything
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('-0'), ('0'), ('5e-324'), ('-5e-324'),
	('1.7976931348623157e308'), ('-1.7976931348623157e308'), (NULL)) v(x);
SELECT dp_histogram(x, ARRAY['-Infinity', -1, 1, 'Infinity']::float8[])
FROM (VALUES (1e400), (-1e400), (1e-400), ('NaN'::numeric), ('Infinity'), (NULL)) v(x);
SELECT dp_histogram(x, ARRAY[-1e19, 0, 1e19])
	FROM (VALUES (9223372036854775807), (-9223372036854775808), (NULL)) v(x);

-- FILTER and expressions.
SELECT dp_histogram(i4 / 2, ARRAY[0, 5, 9]) FILTER (WHERE i4 % 2 = 0) FROM hist_t;

-- As rows, one column, and the array as one value; what can be done with bins afterwards is up to
-- SQL.
SELECT unnest(dp_histogram(i4, ARRAY[0, 10, 19])) FROM hist_t;
SELECT (unnest(dp_histogram(i4, ARRAY[0, 10, 19]))).* FROM hist_t;
SELECT (dp_histogram(i4, ARRAY[0, 10, 19]))[2].count FROM hist_t;
SELECT b.lower, b.upper, b.count, sum(b.count) OVER (ORDER BY b.lower) AS cumulated
FROM unnest((SELECT dp_histogram(i4, ARRAY[0, 10, 15, 19]) FROM hist_t)) b ORDER BY b.count DESC,
	b.lower;
SELECT b.* FROM (SELECT dp_histogram(i4, ARRAY[0, 10, 19]) AS h FROM hist_t) r, unnest(r.h) AS b;
SELECT pg_typeof(dp_histogram(i4, ARRAY[0, 10])), pg_typeof(dp_histogram(name, ARRAY['n1']))
	FROM hist_t;

-- Edges as a parameter.
PREPARE hist_edges(float8[]) AS SELECT dp_histogram(i4, $1) FROM hist_t;
EXECUTE hist_edges(ARRAY[0, 10, 19]);
EXECUTE hist_edges(ARRAY[0, 19]);
DEALLOCATE hist_edges;

--
-- Categories
--

-- In the order given, zeros included; other values and NULL count nowhere.
SELECT * FROM unnest((SELECT dp_histogram(name, ARRAY['n3', 'n1', 'nobody']) FROM hist_t));
SELECT count(*) FILTER (WHERE name = 'n3') AS n3, count(*) FILTER (WHERE name = 'n1') AS n1
	FROM hist_t;

-- Every type of text: varchar and domains count as they are, blanks at the end of char(n) do not
-- count.
SELECT dp_histogram(v, ARRAY['n3', 'n1']), dp_histogram(c, ARRAY['n3', 'n1']),
	dp_histogram(code, ARRAY['n3', 'n1'], 1000)
FROM hist_t;

-- Bytes decide: case, blanks and the empty string are differences; an empty category is one.
SELECT dp_histogram(x, ARRAY['', 'a', 'A', 'a ', 'ä'])
	FROM (VALUES (''), ('a'), ('a'), ('A'), ('a '), ('ä'), (NULL)) v(x);

-- Enum labels, also those that are not of the type.
SELECT dp_histogram(level, ARRAY['high', 'middle', 'low', 'no label']) FROM hist_t;
SELECT count(*) FILTER (WHERE level = 'high') AS high, count(*) FILTER (WHERE level = 'low') AS low
	FROM hist_t;
SELECT dp_histogram(level, ARRAY['high'], 1000) FILTER (WHERE id % 2 = 0) FROM hist_t;

-- A conversion of other types is written by the user.
SELECT dp_histogram(i4::text, ARRAY['3', '4']) FROM hist_t;

-- Categories as a parameter.
PREPARE hist_categories(text[]) AS SELECT dp_histogram(name, $1) FROM hist_t;
EXECUTE hist_categories(ARRAY['n1']);
EXECUTE hist_categories(ARRAY['n2', 'n1']);
DEALLOCATE hist_categories;

--
-- Nothing there: all bins with zeros
--
SELECT dp_histogram(i4, ARRAY[0, 10, 19]), dp_histogram(name, ARRAY['n1', 'n2']),
	dp_histogram(level, ARRAY['low'])
FROM hist_empty;
SELECT dp_histogram(i4, ARRAY[0, 10, 19]), dp_histogram(name, ARRAY['n1', 'n2']),
	dp_histogram(level, ARRAY['low'])
FROM hist_t WHERE id > 400;
SELECT dp_histogram(i4, ARRAY[0, 10, 19]) FILTER (WHERE false),
	dp_histogram(NULL::text, ARRAY['n1']),
	dp_histogram(NULL::float8, ARRAY[0, 1]) FROM hist_t;

--
-- Sizes
--

-- The largest number of bins and of categories, each exact; one more is refused.
CREATE TABLE hist_bins (b dp_bin);
CREATE TABLE hist_categories (c dp_category);
DO $$
DECLARE
	edges float8[] := ARRAY(SELECT e::float8 FROM generate_series(0, 65536) e ORDER BY e);
	categories text[] := ARRAY(SELECT e::text FROM generate_series(0, 65535) e ORDER BY e);
BEGIN
	INSERT INTO hist_bins SELECT unnest(dp_histogram(x, edges)) FROM generate_series(0, 65536) x;
	INSERT INTO hist_categories SELECT unnest(dp_histogram(x::text, categories))
	FROM generate_series(0, 65536) x;
END
$$;
SELECT count(*), sum((b).count), min((b).count), max((b).count) FROM hist_bins;
SELECT count(*), sum((c).count), min((c).count), max((c).count) FROM hist_categories;
DO $$
DECLARE
	edges float8[] := ARRAY(SELECT e::float8 FROM generate_series(0, 65537) e ORDER BY e);
BEGIN
	INSERT INTO hist_bins SELECT unnest(dp_histogram(x, edges)) FROM generate_series(0, 65536) x;
END
$$;
DO $$
DECLARE
	categories text[] := ARRAY(SELECT e::text FROM generate_series(0, 65536) e ORDER BY e);
BEGIN
	INSERT INTO hist_categories SELECT unnest(dp_histogram(x::text, categories))
	FROM generate_series(0, 65536) x;
END
$$;

-- One draw per bin: at epsilon 0.01 the 1000 counts are all alike with a probability below
-- 0.01^999.
TRUNCATE hist_bins;
DO $$
DECLARE
	edges float8[] := ARRAY(SELECT e::float8 FROM generate_series(0, 1000) e ORDER BY e);
BEGIN
	INSERT INTO hist_bins SELECT unnest(dp_histogram(i4, edges, 0.01)) FROM hist_empty;
END
$$;
SELECT count(*), count(DISTINCT (b).count) > 1 AS differ, bool_or((b).count < 0) AS below
	FROM hist_bins;

--
-- Refused
--

-- Edges: too few, out of order, twice, NaN, NULL, two dimensions.
SELECT dp_histogram(i4, ARRAY[1]) FROM hist_t;
SELECT dp_histogram(i4, '{}'::float8[]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[0, 20, 10]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[0, 10, 10, 20]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[0, -0.0, 20]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[0, 'NaN']::float8[]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY['NaN', 0, 10]::float8[]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[0, NULL, 20]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[[0, 10], [20, 30]]) FROM hist_t;
SELECT dp_histogram(i4, NULL) FROM hist_t;
SELECT dp_histogram(i4, NULL::float8[]) FROM hist_t;

-- Categories: none, twice, NULL, two dimensions.
SELECT dp_histogram(name, '{}'::text[]) FROM hist_t;
SELECT dp_histogram(name, ARRAY['n1', 'n2', 'n1']) FROM hist_t;
SELECT dp_histogram(level, ARRAY['low', 'low']) FROM hist_t;
SELECT dp_histogram(name, ARRAY['n1', NULL]) FROM hist_t;
SELECT dp_histogram(name, ARRAY[['n1'], ['n2']]) FROM hist_t;
SELECT dp_histogram(name, NULL::text[]) FROM hist_t;

-- Edges that depend on data.
SELECT dp_histogram(i4, ARRAY[0, i2, 20]) FROM hist_t;
SELECT dp_histogram(i4, ARRAY[0, random()]) FROM hist_t;
SELECT dp_histogram(i4, (SELECT array_agg(i4::float8) FROM hist_t)) FROM hist_t;

SET client_min_messages = warning;
DROP TABLE hist_t, hist_empty, hist_bins, hist_categories CASCADE;
DROP DOMAIN hist_code;
DROP TYPE hist_level;
