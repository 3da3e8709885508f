-- What the audits read: a table of extreme rows, tables that hold some of them, and every kind of source that a
-- release accepts over them.

CREATE EXTENSION dpriv;
CREATE FUNCTION dpriv_audit_take() RETURNS text AS 'dpriv', 'dpriv_audit_take' LANGUAGE C;
CREATE FUNCTION dpriv_audit_force(bigint) RETURNS void AS 'dpriv', 'dpriv_audit_force' LANGUAGE C;

CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE DOMAIN shade AS color;
CREATE TABLE universe (
	id int, f float8, r real, s int2, i int4, b int8, n numeric, x text, e color, d shade, z bool, y bool,
	v float8[], w float8[]);
CREATE TABLE t (LIKE universe);
CREATE TABLE p (LIKE universe) PARTITION BY LIST (e);
CREATE TABLE p_red PARTITION OF p FOR VALUES IN ('red');
CREATE TABLE p_rest PARTITION OF p DEFAULT;
CREATE TABLE h (LIKE universe);
CREATE TABLE h_child () INHERITS (h);

-- What is declared is declared of h alone: rows are beyond it on all sides.
SELECT dpriv.set_bounds('h', c, 17, 90) FROM unnest(ARRAY['f', 'r', 'i', 'b', 'n']) c;
SELECT dpriv.set_domain('h', 'x', ARRAY['a', '', 'A', 'nowhere'], 'other'), dpriv.set_domain('h', 'e', ARRAY['blue', 'red']),
	dpriv.set_domain('h', 's', ARRAY['90', '17', '1'], '0'), dpriv.set_domain('h', 'b', ARRAY['17', '-1']), dpriv.set_domain('h', 'y', ARRAY['true']);

CREATE VIEW v AS SELECT * FROM t WHERE z;
CREATE VIEW v_declared AS SELECT x AS k, e, s, f AS g, n FROM h;
CREATE VIEW v_nested AS
	SELECT id, CASE WHEN abs(f) < 1e9 THEN f * 2 + 1 END AS f, i, e, z AS y, coalesce(x, 'a') AS x FROM v WHERE i IS NOT NULL OR y;
CREATE VIEW v_barrier WITH (security_barrier) AS SELECT f, e, z FROM t WHERE id % 2 = 0;
CREATE FUNCTION inlined(bool) RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM t WHERE y = $1 OR z';
CREATE FUNCTION opaque() RETURNS SETOF t LANGUAGE plpgsql STABLE AS
	$$BEGIN RETURN QUERY SELECT * FROM t; END$$;

CREATE FUNCTION add_row(row_id int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO t SELECT * FROM universe WHERE id = row_id;
	INSERT INTO p SELECT * FROM universe WHERE id = row_id;
	INSERT INTO h SELECT * FROM universe WHERE id = row_id AND row_id % 2 = 0;
	INSERT INTO h_child SELECT * FROM universe WHERE id = row_id AND row_id % 2 = 1;
$$;

-- One row whose ctid is among the newest of each table.
CREATE FUNCTION remove_row(row_id int) RETURNS void LANGUAGE sql AS $$
	DELETE FROM t WHERE ctid = (SELECT max(ctid) FROM t WHERE id = row_id);
	DELETE FROM p WHERE (tableoid, ctid) = (SELECT tableoid, ctid FROM p WHERE id = row_id ORDER BY ctid DESC LIMIT 1);
	DELETE FROM h WHERE (tableoid, ctid) = (SELECT tableoid, ctid FROM h WHERE id = row_id ORDER BY ctid DESC LIMIT 1);
$$;

CREATE FUNCTION set_rows(ids int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	row_id int;
BEGIN
	DELETE FROM t;
	DELETE FROM p;
	DELETE FROM h;
	FOREACH row_id IN ARRAY ids LOOP
		PERFORM add_row(row_id);
	END LOOP;
END$$;

-- What neighbours must share of a released row: keys (columns k*), which columns are NULL, bins without counts, points of
-- clip curves without sums. What numbers there are counts, not which.
CREATE FUNCTION shape(released jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(key || ':' ||
		CASE WHEN value = 'null' THEN 'null'
			WHEN key LIKE 'k%' THEN value #>> '{}'
			WHEN jsonb_typeof(value) = 'array' AND jsonb_typeof(value -> 0) = 'number' THEN jsonb_array_length(value) || ' numbers'
			WHEN jsonb_typeof(value) = 'array' THEN regexp_replace(value::text, '"(count|sum)": -?[\d.]+(e[-+]?\d+)?', '', 'g')
			ELSE jsonb_typeof(value) END, ',' ORDER BY key COLLATE "C")
	FROM jsonb_each(released)
$$;

-- The rows of t as text for VALUES.
CREATE FUNCTION rows_as_values() RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('(%L::float8, %L::int, %L::color, %L::bool)', f, i, e, z), ',') FROM t
$$;

-- Run a query and say what it released, what it cost (epsilon, delta) and what it drew.
CREATE FUNCTION probe(query text, OUT shapes text, OUT answers text, OUT cost text, OUT delta text, OUT draws text)
LANGUAGE plpgsql AS $$
DECLARE
	released record;
	before text := dpriv.session_spent()::text;
	delta_before text := dpriv.session_spent_delta()::text;
BEGIN
	PERFORM dpriv_audit_take();
	PERFORM dpriv_audit_force(hashtextextended(query, 1) | 1);
	IF query LIKE '%{rows}%' THEN
		query := replace(query, '{rows}', rows_as_values());
	END IF;
	shapes := '';
	answers := '';
	FOR released IN EXECUTE query LOOP
		shapes := shapes || shape(to_jsonb(released)) || ';';
		answers := answers || to_jsonb(released)::text || E'\n';
	END LOOP;
	draws := dpriv_audit_take();
	cost := (dpriv.session_spent()::text::numeric - before::numeric)::text;
	delta := (dpriv.session_spent_delta()::text::numeric - delta_before::numeric)::text;
END$$;

-- Probe the rows as they are (neighbour 0) and with each of the extra ones.
CREATE FUNCTION probe_neighbours(query text, extras int[],
	OUT neighbour int, OUT shapes text, OUT answers text, OUT cost text, OUT delta text, OUT draws text)
RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
	FOREACH neighbour IN ARRAY extras LOOP
		IF neighbour > 0 THEN
			PERFORM add_row(neighbour);
		END IF;
		SELECT q.shapes, q.answers, q.cost, q.delta, q.draws INTO shapes, answers, cost, delta, draws FROM probe(query) q;
		IF neighbour > 0 THEN
			PERFORM remove_row(neighbour);
		END IF;
		RETURN NEXT;
	END LOOP;
END$$;
