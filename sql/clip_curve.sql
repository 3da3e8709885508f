-- dp_clip_curve: clipped sums at several upper bounds, each with its error.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE TABLE clip_t (id int, i2 int2, i4 int4, i8 int8, n numeric, r real, d float8, flag bool);
INSERT INTO clip_t
SELECT i, i % 13 - 4, i % 13 - 4, i % 13 - 4, (i % 13 - 4) * 0.25, (i % 13 - 4) * 0.25, (i % 13 - 4) * 0.25, i % 2 = 0
FROM generate_series(1, 1000) i;
INSERT INTO clip_t SELECT 1000 + i FROM generate_series(1, 10) i;	-- nothing but NULL
CREATE TABLE clip_empty (LIKE clip_t);
CREATE DOMAIN clip_domain AS int CHECK (VALUE < 100);

-- Beside the exact sums of values clipped to 0..bound.  Whole numbers have noise of scale 8 / 1000: none at all but for a
-- probability of 1e-54 each.
SELECT bound, sum, error, (SELECT sum(least(greatest(i4, 0), bound)) FROM clip_t) AS exact
FROM unnest((SELECT dp_clip_curve(i4, ARRAY[1, 2, 5, 8]) FROM clip_t));

-- Noise of scale 2 / 1000 in each increment: four of them are within 0.2 but for a probability below 1e-40.
SELECT what, bool_and(abs(sum - exact) < 0.2) AS near, bool_and(abs(error - CASE bound
		WHEN 0.3 THEN 0.006 WHEN 1 THEN 0.0083 WHEN 1.9 THEN 0.01 ELSE 0.0114 END) < 0.0001) AS error
FROM (SELECT dp_clip_curve(n, ARRAY[0.3, 1, 1.9, 2]), dp_clip_curve(r, ARRAY[0.3, 1, 1.9, 2]),
		dp_clip_curve(d, ARRAY[0.3, 1, 1.9, 2]) FROM clip_t) AS release(n, r, d),
	LATERAL (VALUES ('numeric', n), ('real', r), ('double precision', d)) AS t(what, curve), unnest(curve) AS p,
	LATERAL (SELECT sum(least(greatest(d, 0), bound)) AS exact FROM clip_t) AS e
GROUP BY what ORDER BY what;

-- All types of integers, domains over them, and candidates of other types give the same.
SELECT dp_clip_curve(i2, ARRAY[1, 5]) = dp_clip_curve(i4, ARRAY[1, 5]) AS i2,
	dp_clip_curve(i8, ARRAY[1, 5]) = dp_clip_curve(i4, ARRAY[1, 5], 1000) AS i8,
	dp_clip_curve(i4::clip_domain, ARRAY[1, 5]) = dp_clip_curve(i4, ARRAY[1, 5]) AS domain,
	dp_clip_curve(i4, '{1,5}') = dp_clip_curve(i4, ARRAY[1, 5]::numeric[]) AS candidates,
	dp_clip_curve(i4, '[7:8]={1,5}'::float8[]) = dp_clip_curve(i4, ARRAY[1, 5]) AS subscripts FROM clip_t;
-- Whole numbers with candidates that are none are on a fine grid.
SELECT abs(p.sum - e.exact) < 0.5 AS near, p.error FROM unnest((SELECT dp_clip_curve(i4, ARRAY[2.5]) FROM clip_t)) p,
	(SELECT sum(least(greatest(i4, 0), 2.5)) FROM clip_t) AS e(exact);

-- Values that break naive sums: what is not above 0 adds nothing, what is larger than the last candidate adds that.
SELECT y AS positive, b.bound, round(b.sum::numeric) AS sum FROM (SELECT x > 0, dp_clip_curve(x, ARRAY[1, 4]) AS c
	FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), ('-0'), ('5e-324'), ('1.7976931348623157e308'),
		('-1.7976931348623157e308'), ('3'), (NULL)) v(x) WHERE x <> 'NaN' OR x IS NULL GROUP BY x > 0) AS q(y, c), unnest(c) AS b;
SELECT bound, round(sum::numeric) AS nan FROM unnest((SELECT dp_clip_curve('NaN'::float8, ARRAY[1, 4]) FROM clip_t));
SELECT bound, sum AS integers FROM unnest((SELECT dp_clip_curve(x, ARRAY[1, 9])
	FROM (VALUES (9223372036854775807), (-9223372036854775808), (2), (NULL)) v(x)));
SELECT bound, round(sum::numeric) AS numerics FROM unnest((SELECT dp_clip_curve(x, ARRAY[1, 9])
	FROM (VALUES (1e400), (-1e400), (1e-400), ('NaN'::numeric), (NULL)) v(x)));

-- One candidate is a clipped sum, and has its error.
SELECT (dp_clip_curve(i4, ARRAY[8], 0.5))[1].error = dp_error(dp_sum_clipped(i4, 0, 8, 0.5)) AS same FROM clip_t;
-- The next ones have that of sums of two, three, ... draws: 1.37, 1.66, 1.9, ... times as much.
SELECT array_agg(round((error / 8 / ln(20))::numeric, 3) ORDER BY bound) AS ratios, count(DISTINCT error)
FROM unnest((SELECT dp_clip_curve(d, ARRAY[1, 2, 3, 4, 5, 6, 7, 8], 1) FROM clip_t));

-- Nothing there: sums around 0, never NULL.
SELECT dp_clip_curve(i4, ARRAY[1, 5]), dp_clip_curve(NULL::int, ARRAY[1, 5]) IS NULL AS unknown FROM clip_empty;
SELECT dp_clip_curve(i4, ARRAY[1, 5]) FILTER (WHERE id > 1000) FROM clip_t;

-- Groups, HAVING, expressions, a prepared statement with candidates as a parameter.
SELECT flag, dp_clip_curve(i4, ARRAY[1, 8]) FROM clip_t GROUP BY flag HAVING (dp_clip_curve(i4, ARRAY[1, 8]))[2].sum >= 0;
SELECT c[1].bound, c[1].sum FROM (SELECT dp_clip_curve(i4 + 1, ARRAY[1, 8]) FILTER (WHERE flag) AS c FROM clip_t) r;
SELECT sum(least(greatest(i4 + 1, 0), 1)) FILTER (WHERE flag) FROM clip_t;
SET plan_cache_mode = force_generic_plan;
PREPARE clip_p(float8[], float8) AS SELECT dp_clip_curve(i4, $1, $2) FROM clip_t;
EXECUTE clip_p(ARRAY[1, 8], 1000);
EXECUTE clip_p(ARRAY[3], 900);
EXECUTE clip_p(ARRAY[8, 1], 1000);
EXECUTE clip_p(NULL, 1000);
EXECUTE clip_p(ARRAY[1], 1e-7);
DEALLOCATE clip_p;
RESET plan_cache_mode;
-- The most there can be: too many for a constant in the plan, so they stay a parameter.
SELECT array_agg(i) AS all FROM generate_series(1, 1000) i \gset
-- Noise of scale 1 in each increment: a sum of 1000 is off by 500 with a probability of 1e-25.
SELECT count(*) AS points, bool_and(abs(b.sum - e.sum) < 500) AS right, round(max(b.error)) AS largest_error
FROM unnest((SELECT dp_clip_curve(i4 * 100, :'all') FROM clip_t)) AS b,
	LATERAL (SELECT sum(least(greatest(i4 * 100, 0), b.bound)) FROM clip_t) AS e;

-- The cost is the epsilon that was asked for, whatever the number of candidates.
SELECT dpriv.session_spent() AS before \gset
SELECT cardinality(dp_clip_curve(i4, ARRAY[1, 2, 3], 0.3)), cardinality(dp_clip_curve(i4, ARRAY[8], 0.2)) FROM clip_t;
SELECT (dpriv.session_spent()::numeric - :before)::numeric(10, 6) AS cost;
-- The error covers: a miss has a probability of 2.5 % at most on each side of each of 3 sums; all of 60 draws missing one
-- of them, one of 1e-60.
DO $$
DECLARE
	covered int := 0;
BEGIN
	FOR i IN 1..60 LOOP
		covered := covered + (SELECT bool_and(abs(p.sum - e.sum) <= p.error)::int
			FROM unnest((SELECT dp_clip_curve(i4, ARRAY[1, 5, 8], 0.1) FROM clip_t)) p,
				LATERAL (SELECT sum(least(greatest(i4, 0), p.bound)) FROM clip_t) e);
	END LOOP;
	ASSERT covered BETWEEN 30 AND 60;
END
$$;

-- EXPLAIN: noise of scale largest candidate / epsilon.
EXPLAIN (COSTS OFF) SELECT dp_clip_curve(i4, ARRAY[1, 5, 10], 0.5), dp_clip_curve(d, ARRAY[0.5]) FROM clip_t;

-- In a parallel plan, and in parts.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT dp_clip_curve(i4, ARRAY[1, 5, 8]) FROM clip_t;
SELECT flag, dp_clip_curve(i8, ARRAY[1, 5, 8]) FROM clip_t WHERE i8 > 0 GROUP BY flag;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

-- The ends of what candidates may be.
SELECT (c).bound, abs((c).sum) < 1e200 AS sum, (c).error < 1e199 AS error
FROM unnest((SELECT dp_clip_curve(d, ARRAY[5e-324, 1e-200, 1, 1e200]) FROM clip_t)) c;
SELECT (c).sum BETWEEN 1e-199 AND 1e-196 AS sum, (c).error < 1e-202 AS error
FROM unnest((SELECT dp_clip_curve(d, ARRAY[1e-201, 1e-200]) FROM clip_t)) c;
SELECT (c).bound, (c).sum = trunc((c).sum) AND abs((c).sum) < 1e14 AS whole, (c).error
FROM unnest((SELECT dp_clip_curve(i8, ARRAY[1, 1e15]) FROM clip_t)) c;

-- Refused, whatever the rows are.
SELECT dp_clip_curve(d, '{}') FROM clip_t;
SELECT dp_clip_curve(i4, (:'all'::float8[] || 1001::float8)) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[0, 1]) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[-1, 1]) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[1, 1]) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[2, 1]) FROM clip_t;
SELECT dp_clip_curve(d, '{1,NaN}') FROM clip_t;
SELECT dp_clip_curve(d, '{1,Infinity}') FROM clip_t;
SELECT dp_clip_curve(d, '{1,NULL}') FROM clip_t;
SELECT dp_clip_curve(d, '{{1,2}}') FROM clip_t;
SELECT dp_clip_curve(d, NULL) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[1e-201]) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[1.1e200]) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[d]) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[1], NULL) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[1], 1e-7) FROM clip_t;
SELECT dp_clip_curve(DISTINCT d, ARRAY[1]) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[1] ORDER BY d) FROM clip_t;
SELECT dp_clip_curve(d, ARRAY[1]) OVER () FROM clip_t;
SELECT dp_error(dp_clip_curve(d, ARRAY[1])) FROM clip_t;
SELECT dp_clip_curve(d, 1) FROM clip_t;

SET client_min_messages = warning;
DROP TABLE clip_t, clip_empty;
DROP DOMAIN clip_domain;
