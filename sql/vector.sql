-- dp_sum_vector: sums of vectors clipped to a norm; the answer has as many coordinates as the dimension says.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- With bounds up to 20 and 4 coordinates noise is at most of scale 0.04: more than 0.5 with a probability below e^-12,
-- at the usual 10 and two coordinates below e^-35.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

CREATE DOMAIN vector_domain AS float8[] CHECK (cardinality(value) = 2);
CREATE DOMAIN vector_number AS numeric;
CREATE TABLE vector_t (id int, flag bool, i2 int2[], i4 int4[], i8 int8[], n numeric[], r real[], d float8[],
	named vector_domain, x int, y numeric, z float8);
INSERT INTO vector_t
SELECT i, i % 4 = 0, p, p, p, p, p, p, p, p[1], p[2], p[2]
FROM generate_series(1, 200) i, LATERAL (SELECT ARRAY[i % 5 - 1, 2 - i % 7]) v(p);
CREATE TABLE vector_empty (LIKE vector_t);

-- Whole numbers nearest to the coordinates.
CREATE FUNCTION whole(x float8[]) RETURNS int8[] LANGUAGE sql IMMUTABLE
	RETURN (SELECT array_agg(round(v)::int8 ORDER BY i) FROM unnest(x) WITH ORDINALITY u(v, i));

CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN statement || E'\n  NOT REFUSED';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
	detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN statement || E'\n  ' || code || ': ' || message || E'\n  ' || detail || E'\n  ' || hint;
END
$$;

-- The lines of EXPLAIN about measures and costs.
CREATE FUNCTION costs(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	release jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	FOR release IN SELECT jsonb_path_query(plan, 'strict $.** ? (exists (@.Measures))') LOOP
		RETURN QUERY SELECT * FROM jsonb_array_elements_text(release -> 'Measures');
		RETURN NEXT concat_ws(', ', 'epsilon ' || (release ->> 'Epsilon'), 'delta ' || (release ->> 'Delta'));
	END LOOP;
END
$$;

--
-- Sums
--

-- Every type of number, and vectors that are made of columns.
SELECT sum(x) AS x, sum(y) AS y FROM vector_t;
SELECT whole(dp_sum_vector(i2, 2, 10, 'l2')) AS i2, whole(dp_sum_vector(i4, 2, 10, 'l2')) AS i4, whole(dp_sum_vector(i8, 2, 10, 'l2')) AS i8,
	whole(dp_sum_vector(n, 2, 10, 'l2')) AS n, whole(dp_sum_vector(r, 2, 10, 'l2')) AS r, whole(dp_sum_vector(d, 2, 10, 'l2')) AS d,
	whole(dp_sum_vector(named, 2, 10, 'l2')) AS named
FROM vector_t;
SELECT whole(dp_sum_vector(ARRAY[x, id % 2], 2, 10, 'l1')) AS integers, whole(dp_sum_vector(ARRAY[y, -y], 2, 10, 'l1')) AS numerics,
	whole(dp_sum_vector(ARRAY[x, y], 2, 10, 'l1')) AS mixed, whole(dp_sum_vector(ARRAY[z, y, x, 1], 4, 20, 'l1')) AS reals,
	whole(dp_sum_vector(ARRAY[x::vector_number, y], 2, 10, 'l1')) AS domains, whole(dp_sum_vector(ARRAY[x], 1, 10, 'l1')) AS one
FROM vector_t;

-- As for single numbers: the same clipping, but of the size.
SELECT whole(dp_sum_vector(ARRAY[z], 1, 2, 'l2')), round(dp_sum_clipped(z, -2, 2)) AS clipped FROM vector_t;

-- Each vector is shrunk by itself and keeps its direction: three of (6, 8), one shorter.
SELECT whole(dp_sum_vector(v, 2, 10, 'l2')) AS l2, whole(dp_sum_vector(v, 2, 7, 'l1')) AS l1
FROM (VALUES ('{6,8}'::float8[]), ('{3e10,4e10}'), ('{6e307,8e307}'), ('{-1,-2}')) q(v);

-- What is no vector of this dimension of finite numbers counts as zero: nothing is left, and with them 1000 times (3, 4).
CREATE TABLE vector_odd (v float8[]);
INSERT INTO vector_odd VALUES (NULL), ('{}'), ('{1}'), ('{1,2,3}'), ('{{1,2}}'), ('{{1},{2}}'), ('{1,NULL}'), ('{NULL,NULL}'), ('{NaN,1}'),
	('{1,Infinity}'), ('{-Infinity,NaN}'), ('{0,-0}'), ('{5e-324,-5e-324}');
SELECT whole(dp_sum_vector(v, 2, 10, 'l2')) AS l2, whole(dp_sum_vector(v, 2, 10, 'l1')) AS l1 FROM vector_odd;
INSERT INTO vector_odd SELECT ARRAY[3, 4] FROM generate_series(1, 1000);
SELECT whole(dp_sum_vector(v, 2, 10, 'l2')) AS l2, whole(dp_sum_vector(v, 2, 10, 'l1')) AS l1 FROM vector_odd;

-- Numerics beyond doubles raise nothing, wherever they stand.
SELECT whole(dp_sum_vector(v, 2, 10, 'l2')) AS numerics, whole(dp_sum_vector(ARRAY[v[1], v[2]], 2, 10, 'l2')) AS built,
	whole(dp_sum_vector(ARRAY[v[1], 1::float8], 2, 10, 'l2')) AS mixed, whole(dp_sum_vector(ARRAY[[v[1], 1::float8]], 2, 10, 'l2')) AS nested
FROM (VALUES ('{1e400,1}'::numeric[]), ('{-1e400,1}'), ('{NaN,1}'), ('{Infinity,1}'), ('{1e-400,-1}'), ('{4,3}'), (NULL)) q(v);

-- Stored vectors with a NULL that has been replaced, of other subscripts, compressed.
CREATE TABLE vector_stored (v float8[], l float8[]);
INSERT INTO vector_stored VALUES ('{1,NULL}', array_fill(0.001::float8, '{5000}')), ('[0:1]={2,3}', NULL);
UPDATE vector_stored SET v[2] = 5 WHERE v[2] IS NULL AND l IS NOT NULL;
SELECT whole(dp_sum_vector(v, 2, 10, 'l2')) FROM vector_stored;
SELECT cardinality(s), abs((SELECT sum(v) FROM unnest(s) v) - 5) < 5 FROM (SELECT dp_sum_vector(l, 5000, 5, 'l1') AS s FROM vector_stored) q;

-- Groups, FILTER, HAVING, coordinates of the answer, and a mean.
SELECT flag, sum(x) AS x, sum(y) AS y FROM vector_t GROUP BY flag ORDER BY flag;
SELECT flag, whole(dp_sum_vector(i4, 2, 10, 'l2')) AS sum FROM vector_t GROUP BY flag HAVING dp_count(*) > 1 ORDER BY (dp_sum_vector(i4, 2, 10, 'l2'))[1];
SELECT whole(dp_sum_vector(i4, 2, 10, 'l2') FILTER (WHERE flag)) AS sum FROM vector_t;
SELECT i, round(v) AS sum FROM (SELECT dp_sum_vector(i4, 2, 10, 'l2') AS s FROM vector_t) q, unnest(s) WITH ORDINALITY u(v, i);
SELECT whole(ARRAY(SELECT 100 * v / n FROM unnest(s) v)) AS mean FROM (SELECT dp_sum_vector(i4, 2, 10, 'l2') AS s, dp_count(*) AS n FROM vector_t) q;

-- Groups that are selected.
SELECT id % 3 AS key, sum(x) AS x, sum(y) AS y FROM vector_t GROUP BY id % 3 ORDER BY key;
SET dpriv.delta = 1e-6;
SELECT id % 3 AS key, whole(dp_sum_vector(i4, 2, 10, 'l2')) AS sum FROM vector_t GROUP BY id % 3;
RESET dpriv.delta;

-- Without rows: zeros with noise, as many as the dimension.
SELECT whole(dp_sum_vector(d, 2, 10, 'l2')) AS two, whole(dp_sum_vector(d, 5, 10, 'l1')) AS five, whole(dp_sum_vector(d, 1, 10, 'l1')) AS one FROM vector_empty;
SELECT flag, whole(dp_sum_vector(d, 3, 10, 'l2')) AS sum FROM vector_empty GROUP BY flag ORDER BY flag;
SELECT whole(dp_sum_vector(d, 2, 10, 'l2')) AS sum FROM vector_t WHERE false;
SELECT whole(dp_sum_vector(NULL::float8[], 2, 10, 'l2')) AS nulls, whole(dp_sum_vector(d, 3, 10, 'l2')) AS other,
	whole(dp_sum_vector(d, 2, 10, 'l2') FILTER (WHERE false)) AS filtered
FROM vector_t;
SELECT pg_typeof(dp_sum_vector(d, 2, 10, 'l2')) FROM vector_t;

-- The largest dimension; each coordinate has noise of its own.
SELECT cardinality(s), (SELECT count(DISTINCT v) > 16000 AND bool_and(abs(v) < 1e4) FROM unnest(s) v) AS noise
FROM (SELECT dp_sum_vector(d, 16384, 1, 'l2', 1) AS s FROM vector_empty) q;

-- Equal measures are one draw.
SELECT dp_sum_vector(d, 2, 10, 'l2', 1) = dp_sum_vector(d, 2, 10, 'l2', 1) AS same, dp_sum_vector(d, 2, 10, 'l2', 1) = dp_sum_vector(d, 2, 10, 'l1', 1) AS other
FROM vector_t;

-- Bounds of any size: the noise has that size too.
SELECT bound, bool_and(abs(v / bound - 0.6) < 0.5) AS right, bool_or(v <> 0.6 * bound) AS noisy
FROM (SELECT 1e-200::float8, dp_sum_vector(v, 2, 1e-200, 'l2') FROM (VALUES ('{6e-201,6e-201}'::float8[])) q(v)
	UNION ALL SELECT 1e200, dp_sum_vector(v, 2, 1e200, 'l2') FROM (VALUES ('{6e199,6e199}'::float8[])) q(v)
	UNION ALL SELECT 0.1, dp_sum_vector(v, 2, 0.1, 'l1', 100) FROM (VALUES ('{0.06,0.06}'::float8[])) q(v)) r(bound, s), unnest(s) v
GROUP BY bound ORDER BY bound;

--
-- Noise: public, and what it is for either norm
--

-- bound / epsilon for l1, sqrt(dimension) bound / epsilon for l2.
SELECT costs($$SELECT dp_sum_vector(d, 1, 10, 'l1', 0.5), dp_sum_vector(d, 1, 10, 'l2', 0.5), dp_sum_vector(d, 2, 10, 'l1', 0.5),
	dp_sum_vector(d, 2, 10, 'l2', 0.5), dp_sum_vector(d, 100, 10, 'l1', 0.5), dp_sum_vector(d, 100, 10, 'l2', 0.5) FROM vector_t$$);
EXPLAIN (COSTS OFF) SELECT flag, dp_sum_vector(ARRAY[x, y], 2, 10, 'l2', 0.5) FROM vector_t GROUP BY flag;
SELECT round(dp_error(dp_sum_vector(d, 100, 10, 'l2', 0.5))::numeric, 3) AS l2, round(dp_error(dp_sum_vector(d, 100, 10, 'l1', 0.5))::numeric, 3) AS l1,
	round(dp_error(dp_sum_vector(d, 100, 10, 'l2', 0.5), 0.5)::numeric, 3) AS half, round(dp_error(dp_sum_clipped(z, 0, 10, 0.5))::numeric, 3) AS number
FROM vector_t;

-- With a delta: Gaussian noise hides the Euclidean norm, bound for both.  It is chosen where it is smaller.
SET dpriv.mechanism = 'gaussian';
SELECT costs($$SELECT dp_sum_vector(d, $$ || dimension || $$, 10, '$$ || norm || $$', 0.5, 1e-6) FROM vector_t$$)
FROM (VALUES (1, 'l1'), (1, 'l2'), (100, 'l1'), (100, 'l2')) v(dimension, norm);
SELECT costs($$SELECT dp_sum_clipped(z, -10, 10, 0.5, 1e-6) FROM vector_t$$);
SELECT whole(ARRAY(SELECT v / 1000 FROM unnest(s) v)) AS sum
FROM (SELECT dp_sum_vector(d, 2, 10, 'l2', 50, 1e-5) AS s FROM (SELECT ARRAY[2000, -6000] FROM generate_series(1, 1000)) q(d)) r;
SET dpriv.delta = 1e-6;
SET dpriv.epsilon = 1;
SELECT costs($$SELECT dp_count(*), dp_sum_vector(d, 2, 10, 'l2', 0.5) FROM vector_t$$);
SELECT round(dp_error(dp_sum_vector(d, 100, 10, 'l2', 0.5))::numeric, 3) AS l2, round(dp_error(dp_sum_vector(d, 100, 10, 'l1', 0.5))::numeric, 3) AS l1 FROM vector_t;
RESET dpriv.mechanism;
SELECT dimension, norm, c FROM (VALUES (1, 'l2'), (4, 'l2'), (8, 'l2'), (9, 'l2'), (64, 'l2'), (16384, 'l2'), (64, 'l1'), (16384, 'l1')) v(dimension, norm),
	costs($$SELECT dp_sum_vector(d, $$ || dimension || $$, 10, '$$ || norm || $$', 1) FROM vector_t$$) c WHERE c LIKE 'dp%';
RESET dpriv.delta;
SET dpriv.epsilon = 1000;

--
-- Public arguments may be parameters
--
PREPARE vectors(int, float8, text, float8) AS SELECT whole(dp_sum_vector(d, $1, $2, $3, $4)) FROM vector_t;
EXECUTE vectors(2, 10, 'l2', 1000);
EXECUTE vectors(3, 10, 'l1', 1000);
SET plan_cache_mode = force_generic_plan;
EXECUTE vectors(2, 10, 'l1', 1000);
EXECUTE vectors(4, 10, 'l2', 1000);
EXECUTE vectors(2, 10, 'l2', 2000);
EXECUTE vectors(0, 10, 'l2', 1);
EXECUTE vectors(NULL, 10, 'l2', 1);
EXECUTE vectors(2, NULL, 'l2', 1);
EXECUTE vectors(2, 10, NULL, 1);
EXPLAIN (COSTS OFF) EXECUTE vectors(2, 10, 'l2', 1);
RESET plan_cache_mode;
DEALLOCATE vectors;
CREATE FUNCTION vector_sum(dimension int, bound float8, norm text) RETURNS int8[] LANGUAGE plpgsql AS $$
BEGIN
	RETURN whole(dp_sum_vector(d, dimension, bound, norm)) FROM vector_t;
END$$;
SELECT vector_sum(2, 10, 'l2'), vector_sum(1, 10, 'l1');

--
-- Refused
--
SELECT refusal('SELECT dp_sum_vector(d, ' || arguments || ') FROM vector_t')
FROM unnest(ARRAY[$$0, 10, 'l2'$$, $$-1, 10, 'l2'$$, $$16385, 10, 'l2'$$, $$NULL, 10, 'l2'$$, $$2, 0, 'l2'$$, $$2, -10, 'l2'$$,
	$$2, 'NaN', 'l2'$$, $$2, 'Infinity', 'l2'$$, $$2, 1e-201, 'l2'$$, $$2, 1e201, 'l2'$$, $$2, NULL, 'l2'$$,
	$$2, 10, 'L2'$$, $$2, 10, 'l3'$$, $$2, 10, ''$$, $$2, 10, ' l2'$$, $$2, 10, NULL$$, $$2, 10, 'l2', 0$$, $$2, 10, 'l2', 1, 0.5$$,
	$$cardinality(d), 10, 'l2'$$, $$2, z, 'l2'$$, $$2, 10, 'l' || x$$, $$2, (SELECT max(z) FROM vector_t), 'l2'$$, $$2, random(), 'l2'$$,
	$$2, 10$$]) arguments;
SELECT refusal('SELECT dp_sum_vector(' || call || ' FROM vector_t')
FROM unnest(ARRAY[$$DISTINCT d, 2, 10, 'l2')$$, $$d, 2, 10, 'l2' ORDER BY id)$$, $$d, 2, 10, 'l2') OVER ()$$, $$x, 2, 10, 'l2')$$,
	$$d::text[], 2, 10, 'l2')$$, $$ARRAY[random()], 1, 10, 'l2')$$, $$ARRAY[sum(x)], 1, 10, 'l2')$$,
	$$ARRAY[x, y], 3, 10, 'l2')$$, $$ARRAY[x::float8], 2, 10, 'l2', 1)$$, $$ARRAY[z, NULL], 1 + 2, 10, 'l1')$$]) call;
SET dpriv.mechanism = 'gaussian';
SELECT refusal($$SELECT dp_sum_vector(d, 2, 10, 'l2') FROM vector_t$$);
RESET dpriv.mechanism;

-- As many noisy values as a release may have, and one vector more.
SELECT refusal('SELECT ' || string_agg(format('dp_sum_vector(d, 16384, %s, ''l2'')', i), ', ') || ' FROM vector_t') ~ 'a private release cannot have so many noisy values'
FROM generate_series(1, 1025) i;
SELECT refusal('EXPLAIN SELECT ' || string_agg(format('dp_sum_vector(d, 16384, %s, ''l2'')', i), ', ') || ' FROM vector_t') ~ 'NOT REFUSED'
FROM generate_series(1, 1024) i;

SET client_min_messages = warning;
DROP TABLE vector_t, vector_empty, vector_stored, vector_odd CASCADE;
DROP FUNCTION whole, refusal, costs, vector_sum;
DROP DOMAIN vector_domain, vector_number;
