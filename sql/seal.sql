-- Nothing but released rows comes out of a release: no message, no error text, no counter, no
-- setting.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dpriv;
RESET client_min_messages;

-- Exact but for a probability of 2 e^-1000 per count.
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;

-- Two tables that differ in one person.
CREATE TABLE seal_a (id int PRIMARY KEY, age int, name text);
INSERT INTO seal_a SELECT i, i % 40, 'secret ' || i FROM generate_series(1, 100) i;
CREATE TABLE seal_b AS TABLE seal_a;
ALTER TABLE seal_b ADD PRIMARY KEY (id);
INSERT INTO seal_b VALUES (101, 42, '17');
ANALYZE seal_a, seal_b;

--
-- Messages
--
CREATE FUNCTION seal_talk(t text) RETURNS bool LANGUAGE plpgsql STABLE AS $$
BEGIN
	RAISE LOG 'log %', t;
	RAISE INFO 'info %', t;
	RAISE NOTICE 'notice %', t;
	RAISE WARNING 'warning %', t;
	RETURN true;
END
$$;

-- Above the door messages arrive (so the function does talk) ...
SELECT seal_talk('public') FROM (SELECT dp_count(*) FROM seal_a) r;
-- ... below they do not, whatever the client wants to hear.
SELECT dp_count(*) FROM seal_a WHERE seal_talk(name);
SELECT dp_count(*) FILTER (WHERE seal_talk(name)), dp_count(seal_talk(name)) FROM seal_a;
SELECT seal_talk(name), dp_count(*) FROM seal_a GROUP BY 1;
SET client_min_messages = log;
SELECT dp_count(*) FROM seal_a WHERE seal_talk(name);
RESET client_min_messages;
SELECT dp_count(t) FROM (SELECT seal_talk(name) AS t FROM seal_a) s;
DO $$ BEGIN PERFORM dp_count(*) FROM seal_a WHERE seal_talk(name); END $$;

-- And above it they arrive again.
SELECT seal_talk('afterwards');

--
-- Errors
--
CREATE FUNCTION seal_error(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code text;
	message text;
	detail text;
	hint text;
	context text;
	name text;
BEGIN
	EXECUTE statement;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
	detail = PG_EXCEPTION_DETAIL,
		hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT, name = COLUMN_NAME;
	RETURN concat_ws(E'\n', code, message, detail, hint, replace(context, statement, '...'), name);
END
$$;
CREATE FUNCTION seal_raise(t text, code text) RETURNS bool LANGUAGE plpgsql STABLE AS $$
BEGIN
	RAISE EXCEPTION 'raised for %', t USING ERRCODE = code, DETAIL = t, HINT = t, COLUMN = t,
	CONSTRAINT = t;
END
$$;
CREATE DOMAIN seal_domain AS int CHECK (value < 17);

-- The text says nothing about the row: one text for all causes.
SELECT dp_count(*) FROM seal_a WHERE 1 / (age - 39) > 0;
SELECT count(*), seal_error('SELECT dp_count(*) FROM seal_a WHERE ' || c)
FROM unnest(ARRAY['1 / (age - 39) > 0', 'name::int > 3', 'make_date(2000, 1, age) IS NULL',
	'sqrt(20 - age) > 1',
	'chr(age - 1) = ''x''', 'age::seal_domain > 3', 'to_date(name, ''YYYY'') IS NULL',
	'name::json IS NULL',
	'name ~ (name || ''('')', 'substr(name, 1, age - 30) = ''x''', 'age * 2000000000 > 3',
	'repeat(name, 200000000) = ''x''',
	'seal_raise(name, ''22012'')', 'seal_raise(name, ''57014'')', 'seal_raise(name, ''57P01'')',
	'seal_raise(name, ''40001'')',
	'seal_raise(name, ''54001'')', 'seal_raise(name, ''P0001'')',
	'seal_raise(name, ''XX000'')']) AS c
GROUP BY 2;

-- In every place where rows are looked at.
SELECT DISTINCT seal_error(statement) FROM unnest(ARRAY[
	'SELECT dp_count(*) FROM seal_a WHERE name::int > 3',
	'SELECT dp_count(name::int) FROM seal_a',
	'SELECT dp_sum_clipped(name::int, 0, 1) FROM seal_a',
	'SELECT dp_avg(1.0 / (age - 39), 0, 1) FROM seal_a',
	'SELECT dp_histogram(exp(age * 1000.0::float8), ARRAY[0, 1]) FROM seal_a',
	'SELECT dp_histogram(chr(age - 39), ARRAY[''a'']) FROM seal_a',
	'SELECT dp_count(*) FILTER (WHERE name::int > 3) FROM seal_a',
	'SELECT name::int > 3, dp_count(*) FROM seal_a GROUP BY 1',
	'SELECT dp_count(*) FROM (SELECT name::int AS n FROM seal_a) s WHERE n > 3',
	'SELECT dp_count(DISTINCT name::int) FROM seal_a',
	'SELECT (SELECT dp_count(*) FROM seal_a WHERE name::int > 3)']) AS statement;

-- It is the same for both tables where both fail.
SELECT seal_error('SELECT dp_count(*) FROM seal_a WHERE name::int > 3') = seal_error('SELECT dp_count(*) FROM seal_b WHERE name::int > 3') AS same;

-- Running out of something says so, without what.
SELECT seal_error('SELECT dp_count(*) FROM seal_a WHERE seal_raise(name, ''53200'')');

-- An error above the door is what it was.
SELECT dp_count(*) / 0 FROM seal_a;
SELECT 1 / (dp_count(*) - 100) FROM seal_a;

--
-- Settings come back, after success, after an error and after a caught one
--
CREATE FUNCTION seal_settings() RETURNS text LANGUAGE sql STABLE
	RETURN concat_ws(' ', current_setting('client_min_messages'), current_setting('track_counts'),
	current_setting('track_functions'));
SET client_min_messages = debug1;
SET track_functions = 'all';
SELECT seal_settings();
SELECT dp_count(*) FROM seal_a;
SELECT seal_settings();
SELECT dp_count(*) FROM seal_a WHERE 1 / (age - 39) > 0;
SELECT seal_settings();
BEGIN;
SET LOCAL client_min_messages = info;
SELECT seal_error('SELECT dp_count(*) FROM seal_a WHERE 1 / (age - 39) > 0') <> 'answered' AS failed;
SELECT seal_settings();
SAVEPOINT s;
SELECT dp_count(*) FROM seal_a WHERE 1 / (age - 39) > 0;
ROLLBACK TO s;
SELECT dp_count(*) FROM seal_a;
SELECT seal_settings();
COMMIT;
SELECT seal_settings();
RESET client_min_messages;

-- Below the door they are off, so that a function may see that it is sealed, but nothing can leave
-- with it.
SELECT dp_count(*) FROM seal_a WHERE seal_settings() = 'error off none';

--
-- Counters
--
\c -
SET dpriv.max_epsilon = 1000;
SET dpriv.epsilon = 1000;
SET track_functions = 'all';
SET enable_seqscan = off;	-- an index scan as well
CREATE FUNCTION seal_called(int) RETURNS bool LANGUAGE plpgsql STABLE AS 'BEGIN RETURN $1 IS NOT NULL; END';
BEGIN;
SELECT dp_count(*) FROM seal_a WHERE id < 50 AND seal_called(age);
SELECT dp_count(*) FROM seal_b WHERE age = 42 AND seal_called(age);
SELECT relname, coalesce(seq_scan, 0) + coalesce(seq_tup_read, 0) + coalesce(idx_scan,
	0) + coalesce(idx_tup_fetch, 0) AS counted
FROM pg_stat_xact_user_tables WHERE relname LIKE 'seal%' ORDER BY relname;
SELECT pg_stat_get_xact_tuples_returned('seal_a_pkey'::regclass),
	pg_stat_get_xact_numscans('seal_a_pkey'::regclass);
SELECT count(*) FROM pg_stat_xact_user_functions WHERE funcname = 'seal_called';
-- An error leaves no trace in them either.
SAVEPOINT s;
SELECT seal_error('SELECT dp_count(*) FROM seal_a WHERE 1 / (age - 39) > 0 AND seal_called(age)') = 'answered' AS answered;
SELECT count(*) FROM pg_stat_xact_user_tables
	WHERE relname LIKE 'seal%' AND seq_scan + seq_tup_read > 0;
SELECT count(*) FROM pg_stat_xact_user_functions WHERE funcname = 'seal_called';
-- Plain queries are counted as ever, also after a release in the same statement.
SELECT count(*) FROM seal_a WHERE seal_called(age);
SELECT (SELECT dp_count(*) FROM seal_a), (SELECT count(*) FROM seal_b WHERE seal_called(age));
SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) AS scans FROM pg_stat_xact_user_tables
WHERE relname LIKE 'seal%' ORDER BY relname;
SELECT calls FROM pg_stat_xact_user_functions WHERE funcname = 'seal_called';
COMMIT;
RESET enable_seqscan;
RESET track_functions;

-- Times of reading are not taken, whoever wants them.
SET track_io_timing = on;
SELECT dp_count(*) FROM seal_a
WHERE current_setting('track_io_timing') = 'off' AND current_setting('client_min_messages') = 'error';
SHOW track_io_timing;
RESET track_io_timing;

-- While an inner query is planned nothing is said, such as which functions statistics are kept from.
SET client_min_messages = debug2;
EXPLAIN (COSTS OFF) SELECT dp_count(*) FROM seal_a WHERE name LIKE 'secret 1%';
RESET client_min_messages;

-- Buffers of EXPLAIN: none for the rows read below.
CREATE FUNCTION seal_buffers(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON) ' || statement INTO plan;
	plan := plan -> 0 -> 'Plan';
	RETURN concat_ws(' ', plan -> 'Shared Hit Blocks', plan -> 'Shared Read Blocks',
	plan -> 'Shared Dirtied Blocks',
		plan -> 'Temp Written Blocks', plan -> 'WAL Records', plan -> 'WAL Bytes');
END
$$;
SELECT seal_buffers('SELECT dp_count(*) FROM seal_a'),
	seal_buffers('SELECT dp_count(*) FROM seal_b WHERE age = 42'),
	seal_buffers('SELECT dp_count(DISTINCT repeat(name, 100)) FROM seal_b');
SELECT seal_buffers('SELECT count(*) FROM seal_a') <> '0 0 0 0 0 0' AS plain_counts;

-- The transaction goes on: snapshots, subtransactions and cursors around a failed release.
BEGIN;
DECLARE seal_cursor CURSOR FOR SELECT id FROM seal_a ORDER BY id;
FETCH 1 FROM seal_cursor;
SELECT count(*) FILTER (WHERE seal_error('SELECT dp_count(*) FROM seal_a WHERE 1 / (age - 39) > 0') <> 'answered') AS failures
FROM generate_series(1, 100);
FETCH 1 FROM seal_cursor;
SELECT dp_count(*) FROM seal_a;
COMMIT;

SET client_min_messages = warning;
DROP TABLE seal_a, seal_b;
DROP FUNCTION seal_talk, seal_error, seal_raise, seal_settings, seal_called, seal_buffers;
DROP DOMAIN seal_domain;
