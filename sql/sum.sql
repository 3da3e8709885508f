-- dp_sum_clipped: the clipped sum of every numeric type, whatever the values are.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;
SET extra_float_digits = 0;

-- At epsilon 1000 the sum of an integer column with bounds up to 10 in size is off with a
-- probability of 2 e^-100. A real one has noise of scale (largest bound) / 1000; it exceeds a tenth
-- of the largest bound with a probability of e^-100.
CREATE TABLE sum_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8);
INSERT INTO sum_t
SELECT i, i % 13 - 4, i % 13 - 4, i % 13 - 4, (i % 13 - 4) * 0.25, (i % 13 - 4) * 0.25,
	(i % 13 - 4) * 0.25
FROM generate_series(1, 1000) i;
INSERT INTO sum_t SELECT 1000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
-- greatest() ignores NULL, a sum must not count it
CREATE VIEW sum_values AS SELECT * FROM sum_t WHERE i4 IS NOT NULL;
CREATE TABLE sum_empty (LIKE sum_t);

-- Every integer type, with the clipping of plain SQL.
SELECT sum(least(greatest(i4, -2), 6)) FROM sum_values;
SELECT dp_sum_clipped(i2, -2, 6), dp_sum_clipped(i4, -2, 6), dp_sum_clipped(i8, -2, 6),
	dp_sum_clipped(i4, -2, 6, 1000)
FROM sum_t;

-- Every real type.
SELECT sum(least(greatest(d, -0.5), 1.5)) FROM sum_values;
SELECT abs(n - e) < 0.15 AS numeric, abs(r - e) < 0.15 AS real, abs(d - e) < 0.15 AS double
FROM (SELECT dp_sum_clipped(n, -0.5, 1.5) AS n, dp_sum_clipped(r, -0.5, 1.5) AS r,
		dp_sum_clipped(d, -0.5, 1.5, 1000) AS d FROM sum_t) a,
	(SELECT sum(least(greatest(d, -0.5), 1.5)) AS e FROM sum_values) b;

-- Bounds of one sign: every value is moved into them, NULL is none.
SELECT sum(least(greatest(i4, 2), 6)), sum(least(greatest(i4, -6), -2)) FROM sum_values;
SELECT dp_sum_clipped(i4, 2, 6), dp_sum_clipped(i4, -6, -2) FROM sum_t;

-- Bounds that are not integers keep an integer column on a finer grid.
SELECT abs(dp_sum_clipped(i4, -1.5, 1.5) - (SELECT sum(least(greatest(i4, -1.5), 1.5))
	FROM sum_values)) < 0.15 FROM sum_t;

-- FILTER and expressions.
SELECT sum(least(greatest(i4, 0), 5)) FILTER (WHERE id % 2 = 0), sum(least(greatest(i4 * 2, 0), 5))
	FROM sum_values;
SELECT dp_sum_clipped(i4, 0, 5) FILTER (WHERE id % 2 = 0), dp_sum_clipped(i4 * 2, 0, 5) FROM sum_t;

-- Several sums over one column with different bounds are different measures.
SELECT dp_sum_clipped(i4, 0, 5), dp_sum_clipped(i4, 0, 6), dp_sum_clipped(i4, -1, 5) FROM sum_t;
SELECT sum(least(greatest(i4, 0), 5)), sum(least(greatest(i4, 0), 6)),
	sum(least(greatest(i4, -1), 5)) FROM sum_values;

-- Values that break naive sums: each alone, clipped to -2..6.  NaN counts as zero.
CREATE FUNCTION sum_of(x float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	SELECT dp_sum_clipped(v.x, -2, 6) INTO result FROM (VALUES (sum_of.x)) v(x);
	RETURN result;
END
$$;
SELECT x, abs(sum_of(x) - CASE WHEN x = 'NaN' OR x IS NULL THEN 0 ELSE least(greatest(x, -2),
	6) END) < 0.6 AS clipped
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('0'), ('-0'), ('5e-324'), ('-5e-324'),
	('2.2250738585072014e-308'), ('1.7976931348623157e308'), ('-1.7976931348623157e308'), ('1e19'),
	('-1e19'),
	('4.5'), (NULL)) v(x);

-- All of them together: an infinity is a 6 or a -2, and no value hides another.
SELECT abs(dp_sum_clipped(x, -2, 6) - (6 - 2 + 6 - 2 + 4.5)) < 0.6
FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('-0'), ('5e-324'),
	('1.7976931348623157e308'),
	('-1.7976931348623157e308'), ('4.5'), (NULL)) v(x);

-- Integers at the ends of their types; bounds where a double has no room for all of int8.
SELECT dp_sum_clipped(x, -2, 6)
	FROM (VALUES (9223372036854775807), (-9223372036854775808), (5), (NULL)) v(x);
SELECT dp_sum_clipped(x, -2, 6) FROM (VALUES (2147483647), (-2147483648), (5)) v(x);
SELECT dp_sum_clipped(x, -2, 6) FROM (VALUES (32767::int2), (-32768), (5)) v(x);
SELECT abs(dp_sum_clipped(x, -1e18, 1e18) / 1e18 - 0.5) < 0.1
FROM (VALUES (9223372036854775807), (-9223372036854775808), (500000000000000000)) v(x);

-- Numerics beyond the range of doubles would be an error in plain SQL.
SELECT abs(dp_sum_clipped(x, -2, 6) - (6 - 2 + 1)) < 0.6
FROM (VALUES (1e400), (-1e400), (1e-400), ('NaN'::numeric), (1.0), (NULL)) v(x);
SELECT abs(dp_sum_clipped(x, -2, 6) - (6 - 2 + 1)) < 0.6
FROM (VALUES ('Infinity'::numeric), ('-Infinity'::numeric), (1)) v(x);

-- Sizes: the widest and the narrowest bounds there are.
SELECT abs(dp_sum_clipped(x, 0, 1e200) / 1e200 - 2) < 0.1 FROM (VALUES (1e200), (1e300)) v(x);
SELECT abs(dp_sum_clipped(x, 0, 1e-200) / 1e-200 - 2) < 0.1 FROM (VALUES (1e-200), (1e-100)) v(x);
SELECT abs(dp_sum_clipped(x, 1, 1.0000000000000002) - 2) < 0.1 FROM (VALUES (0), (1e10)) v(x);

-- Many large values: more than 64 bits are summed exactly (6000 times 2^60 at most).
SELECT abs(dp_sum_clipped(x, 0, 1152921504606846976) / 1152921504606846976 - 6000) < 0.1
FROM (SELECT 1152921504606846976 FROM generate_series(1, 6000)) v(x);

-- Nothing there: zero, never NULL.
SELECT dp_sum_clipped(i4, -2, 6), dp_sum_clipped(i8, 2, 6),
	abs(dp_sum_clipped(d, 0.5, 1.5)) < 0.15 AS real FROM sum_empty;
SELECT dp_sum_clipped(i4, -2, 6), dp_sum_clipped(i8, 2, 6) FROM sum_t WHERE id > 1000;
SELECT dp_sum_clipped(i4, -2, 6) FILTER (WHERE false) FROM sum_t;
SELECT abs(dp_sum_clipped(NULL, -2, 6)) < 0.6, abs(dp_sum_clipped(NULL::int, -2, 6)) < 0.6
	FROM sum_t;

SET client_min_messages = warning;
DROP TABLE sum_t, sum_empty CASCADE;
DROP FUNCTION sum_of;
