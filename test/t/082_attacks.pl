#
# 082_attacks.pl
#	  A role that must not see rows tries everything; the same works on a table that is not protected.
#
# Two databases differ in one person: Bob is in d1 and not in d2.  An attack succeeds if what the role sees of it, answers,
# messages and errors, is different in the two.  Each attack is run on the table "plain" first, where it has to succeed, and
# then on the protected table "adult" with the same rows, where it must not.  Released numbers are noisy, so attacks look at
# whether there are any, and not at their values.
#
# What budgets refuse is tested in 07x, what is computed on rows in 081, samplers and sensitivities in unit tests and audits.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('attacks');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
dpriv.epsilon = 1
autovacuum = off
log_statement = none
max_worker_processes = 16
max_prepared_transactions = 2
CONF
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
my $parallel = $version >= 160000 ? 'debug_parallel_query' : 'force_parallel_mode';

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE boss LOGIN;
CREATE ROLE analyst LOGIN;
CREATE ROLE reader LOGIN;
CREATE ROLE auditor LOGIN;
CREATE ROLE colleague LOGIN;
ALTER ROLE colleague SET temp_file_limit = '64kB';
ALTER ROLE colleague SET work_mem = '64kB';
GRANT analyst TO colleague;
GRANT pg_read_all_data TO auditor;
SQL
foreach my $db ('d1', 'd2')
{
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, <<'SQL');
CREATE EXTENSION dpriv;
GRANT CREATE ON SCHEMA public TO PUBLIC;
SET ROLE boss;
CREATE TYPE sex AS ENUM ('f', 'm');
CREATE TABLE plain (id int PRIMARY KEY, name text, age int, sex sex, pay numeric, w float8, born date, note text);
INSERT INTO plain SELECT i, (ARRAY['Ann', 'Eve'])[i % 2 + 1], i % 41, (ARRAY['f', 'm'])[i % 2 + 1]::sex, i, i, date '1990-01-01' + i
FROM generate_series(1, 300) i;
SQL
	$node->safe_psql($db, <<'SQL') if $db eq 'd1';
INSERT INTO plain SELECT 7341, 'canary Bob', 42, NULL, 734173, 'NaN', 'infinity', string_agg(md5(i::text), '') FROM generate_series(1, 100) i;
SQL
	$node->safe_psql($db, <<'SQL');
CREATE TABLE adult (LIKE plain);
INSERT INTO adult TABLE plain;
ALTER TABLE adult ADD PRIMARY KEY (id);
ANALYZE plain, adult;
SET ROLE boss;
SQL
	$node->safe_psql($db, <<'SQL');
ALTER TABLE adult OWNER TO boss;
SET ROLE boss;
SET client_min_messages = error;
-- The same rows in partitions and in a child.
CREATE TABLE parted_plain (LIKE plain) PARTITION BY RANGE (id);
CREATE TABLE parted_plain_1 PARTITION OF parted_plain FOR VALUES FROM (0) TO (100);
CREATE TABLE parted_plain_2 PARTITION OF parted_plain DEFAULT;
CREATE TABLE parted_adult (LIKE plain) PARTITION BY RANGE (id);
CREATE TABLE parted_adult_1 PARTITION OF parted_adult FOR VALUES FROM (0) TO (100);
CREATE TABLE parted_adult_2 PARTITION OF parted_adult DEFAULT;
INSERT INTO parted_plain TABLE plain;
INSERT INTO parted_adult TABLE plain;
GRANT SELECT, INSERT, UPDATE, DELETE ON plain, adult TO analyst;
GRANT SELECT ON parted_plain, parted_plain_1, parted_plain_2, parted_adult, parted_adult_1, parted_adult_2 TO analyst;
GRANT SELECT ON plain, adult TO reader;
CREATE VIEW boss_plain AS SELECT * FROM plain;
CREATE VIEW boss_adult AS SELECT * FROM adult;
CREATE VIEW barrier_plain WITH (security_barrier) AS SELECT * FROM plain WHERE age > 10;
CREATE VIEW barrier_adult WITH (security_barrier) AS SELECT * FROM adult WHERE age > 10;
CREATE VIEW invoker_plain WITH (security_invoker) AS SELECT * FROM plain;
CREATE VIEW invoker_adult WITH (security_invoker) AS SELECT * FROM adult;
GRANT SELECT ON boss_plain, boss_adult, barrier_plain, barrier_adult, invoker_plain, invoker_adult TO analyst;
CREATE TABLE numbers AS SELECT i AS k FROM generate_series(1, 20) i;
GRANT ALL ON numbers TO analyst;
SELECT dpriv.protect('adult', unit => 'row'), dpriv.protect('parted_adult', unit => 'row');
SELECT dpriv.trust('adult', 'reader');
RESET ROLE;
CREATE VIEW super_plain AS SELECT * FROM plain;
CREATE VIEW super_adult AS SELECT * FROM adult;
GRANT SELECT ON super_plain, super_adult TO analyst;
SET ROLE analyst;
CREATE TABLE mine (id int PRIMARY KEY, name text);
INSERT INTO mine SELECT i, 'x' FROM generate_series(1, 10) i;
CREATE FUNCTION talk(x text) RETURNS bool LANGUAGE plpgsql STABLE COST 0.0001 AS
	$$BEGIN IF x LIKE '%Bob%' THEN RAISE NOTICE 'heard %', x; END IF; RETURN true; END$$;
CREATE FUNCTION same(x text, y text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
	$$BEGIN IF x LIKE '%Bob%' THEN RAISE NOTICE 'heard %', x; END IF; RETURN x = y; END$$;
CREATE OPERATOR ==== (LEFTARG = text, RIGHTARG = text, FUNCTION = same, RESTRICT = eqsel);
CREATE FUNCTION divide(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ascii(chr(CASE WHEN $1 = 42 THEN 0 ELSE 65 END))';
CREATE FUNCTION inverse(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1 / ($1 - 42)';
CREATE DOMAIN young AS int CHECK (value < 42);
CREATE SEQUENCE counter;
CREATE FUNCTION any_row(anyelement) RETURNS bool LANGUAGE plpgsql AS
	$$BEGIN IF $1::text LIKE '%Bob%' THEN RAISE NOTICE 'heard %', $1; END IF; RETURN true; END$$;
CREATE AGGREGATE pile(text) (SFUNC = textcat, STYPE = text);
CREATE FUNCTION print_plans() RETURNS int LANGUAGE plpgsql IMMUTABLE AS
	$$BEGIN PERFORM set_config('debug_print_plan', 'on', false); RETURN 1; END$$;
CREATE FUNCTION drop_it(what text) RETURNS int LANGUAGE plpgsql AS 'BEGIN EXECUTE ''DROP '' || what; RETURN 1; END';
-- As many locks as there are, and all that a session can take without the table of locks.
CREATE FUNCTION take_locks() RETURNS void LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM FROM pg_class, pg_attribute, pg_type, pg_proc, pg_namespace, pg_index, pg_constraint, pg_am, pg_operator, pg_opclass, pg_opfamily,
			pg_amop, pg_enum, pg_cast, pg_language, pg_rewrite WHERE false;
		BEGIN
			FOR i IN 1 .. 1000000 LOOP PERFORM pg_advisory_lock(i); END LOOP;
		EXCEPTION WHEN OTHERS THEN NULL;
		END;
	END$$;
CREATE COLLATION mine (provider = libc, locale = 'C');
SQL
	foreach my $t ('plain', 'adult')
	{
		my $dp = $t eq 'plain' ? 'count(*)' : 'dp_count(*)';
		$node->safe_psql($db, <<"SQL");
SET ROLE analyst;
CREATE VIEW my_$t AS SELECT * FROM $t;
CREATE FUNCTION rows_of_$t() RETURNS SETOF boss_$t LANGUAGE sql STABLE AS 'SELECT * FROM boss_$t';
CREATE FUNCTION rows_through_$t() RETURNS SETOF boss_$t LANGUAGE sql STABLE AS 'SELECT * FROM rows_of_$t()';
CREATE FUNCTION count_of_$t() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM boss_$t';
CREATE FUNCTION loop_$t() RETURNS SETOF text LANGUAGE plpgsql AS
	\$\$DECLARE r record; BEGIN FOR r IN SELECT name FROM boss_$t LOOP RETURN NEXT r.name; END LOOP; END\$\$;
CREATE FUNCTION later_$t() RETURNS SETOF boss_$t LANGUAGE sql VOLATILE AS 'SELECT * FROM boss_$t';
CREATE FUNCTION alter_$t() RETURNS void LANGUAGE sql AS 'ALTER FUNCTION later_$t() STABLE';
CREATE FUNCTION series_$t(int) RETURNS SETOF int LANGUAGE plpgsql AS 'BEGIN RETURN NEXT \$1; END';
CREATE FUNCTION replace_$t() RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM alter_$t(); RETURN 1; END';
-- Asks with so many calls around that there is no stack left for one more; is it the same for rows that some have and others not?
CREATE FUNCTION ask_$t(who int) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE n bool;
	BEGIN
		SELECT $dp IS NULL INTO n FROM $t WHERE CASE age WHEN who THEN note LIKE repeat('%a', 128) END;
		RETURN n;
	EXCEPTION WHEN OTHERS THEN RETURN sqlstate;
	END\$\$;
CREATE FUNCTION deep_$t(n int, who int) RETURNS text LANGUAGE plpgsql AS
	\$\$BEGIN RETURN CASE WHEN n = 0 THEN ask_$t(who) ELSE deep_$t(n - 1, who) END; END\$\$;
CREATE FUNCTION deepest_$t() RETURNS int LANGUAGE plpgsql AS \$\$
	DECLARE low int := 0; high int := 4000; ok bool;
	BEGIN
		WHILE high > low + 1 LOOP
			BEGIN
				ok := deep_$t((low + high) / 2, -1) = 'false';
			EXCEPTION WHEN statement_too_complex THEN ok := false;
			END;
			IF ok THEN low := (low + high) / 2; ELSE high := (low + high) / 2; END IF;
		END LOOP;
		RETURN low;
	END\$\$;
CREATE FUNCTION folded_$t() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN (SELECT count(*) FROM boss_$t); END';
SQL
		# A body that was analyzed when it was created.
		$node->safe_psql($db,
			"SET ROLE analyst; CREATE FUNCTION atomic_$t() RETURNS SETOF boss_$t LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM boss_$t; END"
		);
	}
}

# ---- Running ----

# Settings and how the table is called: as it is without protection first.
my @modes = (
	[ 'plain', 'plain', '' ],
	[ 'custom plans', 'adult', "SET plan_cache_mode = force_custom_plan; SET $parallel = off; SET jit = off;" ],
	[ 'generic plans, parallel, compiled', 'adult', "SET plan_cache_mode = force_generic_plan; SET $parallel = on; SET jit = on; SET jit_above_cost = 0;" ]);
my @attacks;

# An attack: its name, its script with T for the table, and the SQLSTATEs that stop it, or "answered".  One in two forms asks
# for exact numbers on the plain table and for private ones on the other.
sub attack
{
	my ($name, $sql, $stopped, $private) = @_;
	push @attacks, { name => $name, sql => [ $sql, $private // $sql ], stopped => $stopped };
	return;
}

# Runs scripts in one session, as a role; returns for each what the client sees, numbers of lines and processes aside.
sub client
{
	my ($db, $role, @scripts) = @_;
	my $input = join '', map { "\\echo <$_>\n\\warn <$_>\n$scripts[$_];\n\\echo </>\n\\warn </>\nROLLBACK;\nDISCARD ALL;\n" } 0 .. $#scripts;
	my ($out, $err) = ('', '');
	IPC::Run::run(
		[ 'psql', '-XAt', '-U', $role, '-v', 'VERBOSITY=verbose', '-d', $node->connstr($db), '-f', '-' ],
		'<', \$input, '>', \$out, '2>', \$err);
	$err =~ s/^psql:<stdin>:\d+: //mg;
	$err =~ s/^LOCATION: .*\n?//mg;
	$out =~ s/with PID \d+//g;
	my %out = $out =~ /^<(\d+)>\n(.*?)^<\/>$/msg;
	my %err = $err =~ /^<(\d+)>\n(.*?)^<\/>$/msg;
	return map { [ $out{$_} // 'no answer', $err{$_} // 'no answer' ] } 0 .. $#scripts;
}

sub run_attacks
{
	foreach my $mode (@modes)
	{
		my ($what, $table, $preset) = @$mode;
		my @scripts = map {
			my $sql = $_->{sql}[ $table eq 'plain' ? 0 : 1 ];
			$preset . ($sql =~ s/\bT\b/$table/gr =~ s/_T\b/_$table/gr)
		} @attacks;
		my @d1 = client('d1', 'analyst', @scripts);
		my @d2 = client('d2', 'analyst', @scripts);
		foreach my $i (0 .. $#attacks)
		{
			my ($name, $stopped) = @{ $attacks[$i] }{ 'name', 'stopped' };
			my ($out, $err) = @{ $d1[$i] };
			if ($table eq 'plain')
			{
				isnt("$out\n$err", join("\n", @{ $d2[$i] }), "$name: succeeds on a plain table") || diag("$out\n$err");
				next;
			}
			my @codes = $err =~ /(?:ERROR|FATAL|PANIC):  (\w{5}):/g;
			my $end = @codes ? "@codes" : 'answered';
			my $ok = is_deeply($d1[$i], $d2[$i], "$name, $what: the same with Bob and without");
			$ok &= unlike("$out\n$err", qr/canary|7341|heard|by zero/, "$name, $what: nothing of Bob");
			$ok &= like($end, qr/^(?:$stopped)$/, "$name, $what: $stopped");
			diag("$out\n$err") unless $ok;
		}
	}
	return;
}

# ---- Entry points: every way to read rows ----

my $raw = '42501';
attack('SELECT', 'SELECT * FROM T', $raw);
attack('count', 'SELECT count(*) FROM T', $raw);
attack('TABLE', 'TABLE T', $raw);
attack('FROM ONLY', 'SELECT name FROM ONLY T', $raw);
attack('COPY table', 'COPY T TO STDOUT', $raw);
attack('COPY query', 'COPY (SELECT * FROM T) TO STDOUT', $raw);
attack('row_security off', 'SET row_security = off; SELECT * FROM T', '42501');
attack('EXPLAIN', 'EXPLAIN SELECT * FROM T', $raw);
attack('EXPLAIN ANALYZE', 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) SELECT * FROM T', $raw);
attack(
	'EXPLAIN ANALYZE of a release',
	'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) SELECT count(*) FROM T',
	$raw, 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) SELECT dp_count(*) FROM T');
attack(
	'EXPLAIN of a release', 'EXPLAIN SELECT count(*) FROM T', 'answered',
	'EXPLAIN (VERBOSE, COSTS) SELECT dp_count(*) FROM T WHERE age > 3');
attack(
	'EXPLAIN EXECUTE', 'PREPARE p AS SELECT count(*) FROM T; EXECUTE p; EXPLAIN ANALYZE EXECUTE p',
	$raw, 'PREPARE p AS SELECT dp_count(*) IS NULL FROM T; EXECUTE p; EXPLAIN ANALYZE EXECUTE p');
attack('CREATE TABLE AS', 'BEGIN; CREATE TABLE copied AS SELECT * FROM T; SELECT count(*) FROM copied; ROLLBACK',
	'42501 25P02');
attack('SELECT INTO', 'BEGIN; SELECT * INTO copied FROM T; SELECT count(*) FROM copied; ROLLBACK', '42501 25P02');
attack('materialized view',
	'BEGIN; CREATE MATERIALIZED VIEW copied AS SELECT * FROM T; SELECT count(*) FROM copied; ROLLBACK', '42501 25P02');
attack('materialized view, refreshed',
	'BEGIN; CREATE MATERIALIZED VIEW copied AS SELECT * FROM T WITH NO DATA; REFRESH MATERIALIZED VIEW copied; SELECT count(*) FROM copied; ROLLBACK',
	'42501 25P02');
attack('cursor', 'BEGIN; DECLARE c CURSOR FOR SELECT * FROM T ORDER BY id; FETCH LAST FROM c; COMMIT', '42501 25P02');
attack('cursor that stays', 'DECLARE c CURSOR WITH HOLD FOR SELECT * FROM T; MOVE ALL IN c', '42501 34000');
attack('PREPARE', 'PREPARE p AS SELECT max(id) FROM T; EXECUTE p; EXECUTE p', '42501 42501');
attack('PREPARE with parameters', 'PREPARE p(int) AS SELECT name FROM T WHERE id > $1; EXECUTE p(300); EXECUTE p(7340)',
	'42501 42501');
attack('CREATE TABLE AS EXECUTE', 'PREPARE p AS SELECT * FROM T; BEGIN; CREATE TABLE copied AS EXECUTE p; SELECT count(*) FROM copied; ROLLBACK',
	'42501 25P02');
attack('DO', q{DO $$DECLARE r record; BEGIN FOR r IN SELECT * FROM T LOOP RAISE NOTICE '%', r; END LOOP; END$$}, $raw);
attack('DO, dynamic', q{DO $$DECLARE n int; BEGIN EXECUTE 'SELECT max(id) FROM T' INTO n; RAISE NOTICE '%', n; END$$}, $raw);
attack('DO, FOUND', q{DO $$BEGIN PERFORM FROM T WHERE id = 7340 + 1; RAISE NOTICE '%', FOUND; END$$}, $raw);
attack('PL/pgSQL', 'SELECT * FROM loop_T()',            $raw);
attack('PL/pgSQL, folded', 'SELECT folded_T()',         $raw);
attack('SQL function', 'SELECT count_of_T()',           $raw);
attack('inlined function', 'SELECT name FROM rows_of_T()', $raw);
attack('inlined function, private', 'SELECT count(*) FROM rows_of_T() r WHERE r.age > 3', 'answered',
	'SELECT dp_count(*) IS NULL FROM rows_of_T() r WHERE r.age > 3');
attack('inlined function of a function', 'SELECT name FROM rows_through_T()', $raw);
attack('inlined function in a subquery', 'SELECT k FROM numbers WHERE EXISTS (SELECT FROM rows_of_T() WHERE id = 7341)', $raw);
attack('BEGIN ATOMIC', 'SELECT name FROM atomic_T()', $raw);

# Folding a function of the user's replaces another one, which the planner then inlines.
attack('function replaced while the statement is planned',
	'ALTER FUNCTION later_T() VOLATILE; SELECT name FROM later_T() x, generate_series(1, replace_T()) g', $raw);
attack(
	'function of a release replaced while the statement is planned',
	'ALTER FUNCTION later_T() VOLATILE;
	SELECT (SELECT count(*) FROM later_T() x WHERE talk(name)), (SELECT count(*) FROM series_T(replace_T()))', '0A000',
	'ALTER FUNCTION later_T() VOLATILE;
	SELECT (SELECT dp_count(*) FROM later_T() x WHERE talk(name)), (SELECT count(*) FROM series_T(replace_T()))');
attack('function in the target list', 'SELECT rows_of_T()', $raw);
attack("$_ view", "SELECT name FROM ${_}_T ORDER BY id DESC LIMIT 1", $raw) foreach 'my', 'boss', 'barrier', 'invoker', 'super';
attack("$_ view, counted", "SELECT count(*) FROM ${_}_T", 'answered', "SELECT dp_count(*) IS NULL FROM ${_}_T")
  foreach 'my', 'boss', 'barrier', 'invoker', 'super';
attack('partitioned table', 'SELECT name FROM parted_T', $raw);
attack('partition', 'SELECT name FROM parted_plain_2', $raw, 'SELECT name FROM parted_adult_2');
attack('COPY partition', 'COPY parted_plain_2 TO STDOUT', $raw, 'COPY parted_adult_2 TO STDOUT');
attack('query_to_xml', q{SELECT query_to_xml('SELECT * FROM T', true, true, '')}, $raw);
attack('table_to_xml', q{SELECT table_to_xml('T', true, true, '')}, $raw, q{SELECT table_to_xml('adult', true, true, '')});
attack('cursor_to_xml', q{BEGIN; DECLARE c CURSOR FOR SELECT name FROM T ORDER BY id DESC; SELECT cursor_to_xml('c', 1, true, true, ''); COMMIT},
	'42501 25P02');
attack('ts_stat', q{SELECT word FROM ts_stat('SELECT to_tsvector(name) FROM T')}, $raw);
attack('LATERAL', 'SELECT k, n FROM numbers, LATERAL (SELECT name AS n FROM T WHERE id = 7340 + k) s', $raw);
attack('EXISTS', 'SELECT EXISTS (SELECT FROM T WHERE age = 42)', $raw);
attack('IN', 'SELECT k FROM numbers WHERE 7321 + k IN (SELECT id FROM T)', $raw);
attack('scalar subquery', 'SELECT (SELECT name FROM T WHERE age = 42)', $raw);
attack('ARRAY of a subquery', 'SELECT ARRAY(SELECT name FROM T)', $raw);
attack('subquery of a function in FROM', 'SELECT * FROM unnest(ARRAY(SELECT name FROM T)) n', $raw);
attack('CTE', 'WITH c AS (SELECT * FROM T) SELECT name FROM c', $raw);
attack('materialized CTE', 'WITH c AS MATERIALIZED (SELECT * FROM T) SELECT count(*) FROM c', $raw);
attack('CTE beside a release', 'WITH c AS (SELECT * FROM T) SELECT count(*), (SELECT max(id) FROM c) FROM c', $raw,
	'WITH c AS (SELECT * FROM T) SELECT dp_count(*) IS NULL, (SELECT max(id) FROM c) FROM c');
attack('recursive CTE', 'WITH RECURSIVE c AS (SELECT id FROM T WHERE id > 299 UNION ALL SELECT id + 1 FROM c WHERE id < 301) SELECT * FROM c', $raw);
attack('UNION', 'SELECT k::text FROM numbers UNION ALL SELECT name FROM T', $raw);
attack('join', 'SELECT k FROM numbers JOIN T ON id = 7321 + k', $raw);
attack('outer join', 'SELECT k, name FROM numbers LEFT JOIN T ON id = 7321 + k', $raw);
attack('outer join, of no use', 'SELECT k FROM numbers LEFT JOIN T ON id = 7321 + k; SELECT count(*) FROM T', '42501 42501');
attack('VALUES', 'VALUES ((SELECT max(id) FROM T))', $raw);
attack('window function', 'SELECT DISTINCT count(*) OVER () FROM T', $raw);
attack('GROUPING SETS', 'SELECT age, count(*) FROM T GROUP BY ROLLUP (age)', $raw);
attack('own aggregate', 'SELECT pile(name) FROM T', $raw);
attack('exact aggregate', q{SELECT dpriv.exact_sum(age::float8, '{0,0,99}') FROM T}, $raw);
attack('system column', 'SELECT max(ctid) FROM T', $raw);
attack('whole row', 'SELECT T::text FROM T', $raw, 'SELECT adult::text FROM adult');
attack('row_to_json', 'SELECT row_to_json(T) FROM T', $raw, 'SELECT row_to_json(adult) FROM adult');
attack('row as an argument', 'SELECT any_row(T) FROM T', $raw, 'SELECT any_row(adult) FROM adult');
attack('TABLESAMPLE', 'SELECT count(*) FROM T TABLESAMPLE BERNOULLI (100)', $raw);
attack('FOR UPDATE', 'SELECT name FROM T FOR UPDATE', $raw);
attack('FOR SHARE beside', 'SELECT k FROM numbers, T WHERE id = 7341 FOR SHARE OF numbers', $raw);
attack('LIMIT 0', 'EXPLAIN SELECT * FROM T LIMIT 0', $raw);
attack('merge join of keys', 'SELECT count(*) FROM T a JOIN T b USING (id)', $raw);
attack('currtid', q{SELECT currtid2('T', '(0,1)'); SELECT count(*) FROM T}, '42501 42501', q{SELECT currtid2('adult', '(0,1)'); SELECT count(*) FROM adult});
attack('INSERT SELECT', 'BEGIN; INSERT INTO mine SELECT id, name FROM T WHERE age = 42; SELECT max(id) FROM mine; ROLLBACK', '42501 25P02');
attack('INSERT into itself', 'BEGIN; INSERT INTO T SELECT id + 10000, name FROM T WHERE age = 42; ROLLBACK', $raw);
attack('pg_stats', q{SELECT most_common_vals, null_frac, histogram_bounds FROM pg_stats WHERE tablename = 'T'; SELECT count(*) FROM T}, '42501',
	q{SELECT most_common_vals, null_frac, histogram_bounds FROM pg_stats WHERE tablename = 'adult'; SELECT count(*) FROM adult});

attack('column of a row', 'SELECT (T).name FROM T', $raw, 'SELECT (adult).name FROM adult');
attack('column of a row from a subquery', 'SELECT (s.x).name FROM (SELECT T AS x FROM T) s', $raw, 'SELECT (s.x).name FROM (SELECT adult AS x FROM adult) s');
attack('domain over the row', 'CREATE DOMAIN pg_temp.r AS T; SELECT min((T::pg_temp.r)::text) FROM T WHERE id > 300', $raw,
	'CREATE DOMAIN pg_temp.r AS adult; SELECT min((adult::pg_temp.r)::text) FROM adult WHERE id > 300');
attack(
	'own policy',
	'BEGIN; CREATE TABLE own (k int); INSERT INTO own VALUES (1); ALTER TABLE own FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY;
	CREATE POLICY p ON own USING (EXISTS (SELECT FROM T WHERE age = 42)); SELECT count(*) FROM own; ROLLBACK', $raw);
attack('own rule',
	'BEGIN; CREATE TABLE own (k int); CREATE RULE r AS ON INSERT TO own DO INSTEAD SELECT name FROM T; INSERT INTO own VALUES (1); ROLLBACK', $raw);
attack('own default', 'BEGIN; CREATE TABLE own (k int, n bigint DEFAULT count_of_T()); INSERT INTO own VALUES (1) RETURNING n; ROLLBACK', $raw);
attack('own constraint', 'BEGIN; CREATE TABLE own (k int CHECK (count_of_T() = k)); INSERT INTO own VALUES (300); ROLLBACK', $raw);
attack('argument of EXECUTE', 'PREPARE p(bigint) AS SELECT $1; EXECUTE p(count_of_T())', $raw);
attack('MERGE in another table', 'BEGIN; MERGE INTO mine USING (SELECT max(id) AS m FROM T) s ON mine.id = s.m WHEN NOT MATCHED THEN INSERT VALUES (m, NULL); SELECT max(id) FROM mine; ROLLBACK',
	'42501 25P02');

# ---- Changing rows ----

attack('UPDATE', 'BEGIN; UPDATE T SET w = 0 WHERE age = 42; ROLLBACK', $raw);
attack('UPDATE RETURNING', 'BEGIN; UPDATE T SET w = 0 RETURNING name; ROLLBACK', $raw);
attack('UPDATE of another table', 'BEGIN; UPDATE mine SET name = T.name FROM T WHERE age = 42 RETURNING mine.name; ROLLBACK', $raw,
	'BEGIN; UPDATE mine SET name = adult.name FROM adult WHERE age = 42 RETURNING mine.name; ROLLBACK');
attack('DELETE', 'BEGIN; DELETE FROM T WHERE age = 42; ROLLBACK', $raw);
attack('DELETE USING', 'BEGIN; DELETE FROM mine USING T WHERE age = 42; ROLLBACK', $raw, 'BEGIN; DELETE FROM mine USING adult WHERE age = 42; ROLLBACK');
attack('MERGE', 'BEGIN; MERGE INTO T USING mine ON T.id = mine.id + 7331 WHEN MATCHED THEN DELETE; ROLLBACK', $raw,
	'BEGIN; MERGE INTO adult USING mine ON adult.id = mine.id + 7331 WHEN MATCHED THEN DELETE; ROLLBACK');
attack('MERGE from', 'BEGIN; MERGE INTO mine USING T ON T.id = mine.id + 7331 WHEN MATCHED THEN DELETE; ROLLBACK', $raw,
	'BEGIN; MERGE INTO mine USING adult ON adult.id = mine.id + 7331 WHEN MATCHED THEN DELETE; ROLLBACK');
attack('ON CONFLICT', 'BEGIN; INSERT INTO T VALUES (7341) ON CONFLICT DO NOTHING; ROLLBACK', $raw);
attack('ON CONFLICT UPDATE', 'BEGIN; INSERT INTO T VALUES (7341) ON CONFLICT (id) DO UPDATE SET age = 3 RETURNING *; ROLLBACK', $raw);
attack('INSERT in a CTE, RETURNING', 'BEGIN; WITH i AS (INSERT INTO T SELECT 7342, count(*) FROM T RETURNING name) SELECT * FROM i; ROLLBACK', $raw);

# ---- Below the door ----

# Messages and errors that tell of a row, by what is called for it; the private form must not be run, or say nothing.
foreach my $case (
	[ 'function that talks', 'talk(name)',                        '0A000' ],
	[ 'operator that talks', q{(name ==== 'x') IS NOT NULL},      '0A000' ],
	[ 'function that fails', 'divide(age) > 0',                   '0A000' ],
	[ 'division',            '1 / (age - 42) = 0',                'answered' ],
	[ 'division in an inlined function', 'inverse(age) = 0',      'answered' ],
	[ 'overflow',            'id * 300000 > 0',                   'answered' ],
	[ 'cast of text',        q{(age || CASE age WHEN 42 THEN name ELSE '' END)::int > 0}, '0A000' ],
	[ 'cast to smallint',    '(pay * 1)::int2 > 0',               'answered' ],
	[ 'make_date',           'make_date(2000, 1, 1 + id / 100) IS NULL', '0A000' ],
	[ 'chr',                 q{chr(CASE WHEN age = 42 THEN 0 ELSE 65 END) = 'A'}, '0A000' ],
	[ 'sqrt',                'sqrt(41 - age) > -1',               '0A000' ],
	[ 'regular expression',  q{'x' ~ CASE age WHEN 42 THEN '(' ELSE 'x' END}, '0A000' ],
	[ 'LIKE with a pattern from a row', q{'xy' LIKE 'x' || CASE age WHEN 42 THEN '\\' ELSE 'y' END}, '0A000' ],
	[ 'repeat',              q{repeat('x', CASE age WHEN 42 THEN 2000000000 ELSE 1 END) = 'x'}, '0A000' ],
	[ 'format',              q{format(CASE age WHEN 42 THEN '%' ELSE '' END) = ''}, '0A000' ],
	[ 'domain',              'age::young > -1',                   '0A000' ],
	[ 'enum',                q{(CASE age WHEN 42 THEN name ELSE 'f' END)::sex = 'f'}, '0A000' ],
	[ 'json',                q{(CASE age WHEN 42 THEN name ELSE '1' END)::json IS NULL}, '0A000' ],
	[ 'pg_cancel_backend',   'age = 42 AND pg_cancel_backend(pg_backend_pid())', '0A000' ],
	[ 'scalar subquery with many rows', 'CASE age WHEN 42 THEN (SELECT k FROM numbers) END IS NULL', '0A000' ],
	[ 'row comparison',      q{ROW(0, 1 / (age - 42)) < ROW(0, 1)}, '0A000' ],
	[ 'whole row',           q{T::text LIKE '%Bob%' AND 1 / (age - 42) > 9}, '0A000', q{adult::text LIKE '%Bob%' AND 1 / (age - 42) > 9} ],
	[ 'system column',       q{ctid > '(0,0)' AND 1 / (age - 42) > 9}, '0A000' ],
	[ 'date',                q{born + 1 > '1990-01-01' AND born - date '1990-01-01' > 0}, '0A000|answered' ],
	[ 'extract',             q{extract(day FROM born) > 40 OR 1 / (age - 42) > 9}, 'answered' ],
	[ 'float',               q{w::int > 0}, 'answered' ],
	[ 'random and an error', 'random() < 2 AND 1 / (age - 42) > 9', '0A000' ],
	[ 'backend functions',   q{pg_relation_size('numbers') > 0 AND 1 / (age - 42) > 9}, '0A000' ],
  )
{
	my ($name, $expression, $stopped, $private) = @$case;
	$private //= $expression;
	attack("WHERE, $name", "SELECT count(*) >= 0 FROM T WHERE $expression; SELECT count(*) FROM mine", $stopped,
		"SELECT dp_count(*) IS NULL FROM T WHERE $private; SELECT count(*) FROM mine");
	attack(
		"elsewhere, $name", "SELECT count(*) FILTER (WHERE $expression) >= 0, max(CASE WHEN $expression THEN 1 END) >= 0 FROM T",
		$stopped =~ s/0A000/(?:0A000 ?)+/r,
		"SELECT dp_count(*) FILTER (WHERE $private) IS NULL FROM T; SELECT dp_count(CASE WHEN $private THEN 1 END) IS NULL FROM T; "
		  . "SELECT ($private) AND false AS key, dp_count(*) IS NULL FROM T GROUP BY 1 ORDER BY 1; "
		  . "SELECT dp_count(*) IS NULL FROM (SELECT $private AS x FROM T) s WHERE x");
}
# Values that do not fit into memory together, for one row only.
foreach my $case (
	[ 'array of columns', "'q' = ANY (ARRAY[" . join(', ', ('CASE age WHEN 42 THEN $1 END') x 100) . '])', '0A000' ],
	[ 'array of parameters', "CASE age WHEN 42 THEN 'q' = ANY (ARRAY[" . join(', ', ('$1') x 100) . ']) END', '54000' ])
{
	my ($name, $expression, $stopped) = @$case;
	my $execute = q{SET plan_cache_mode = force_generic_plan; EXECUTE p (repeat('x', 11000000))};

	attack("memory, $name", "PREPARE p (text) AS SELECT count(*) >= 0 FROM T WHERE $expression; $execute", $stopped,
		"PREPARE p (text) AS SELECT dp_count(*) IS NULL FROM T WHERE $expression; $execute");
}
# What is left behind: looked at afterwards.
foreach my $case (
	[ 'set_config',    '',                       q{set_config('my.x', name, false)}, q{SELECT current_setting('my.x', true)}, '0A000' ],
	[ 'nextval',       '',                       q{nextval('counter')::text},        q{SELECT currval('counter') > 0},      '0A000 55000' ],
	[ 'pg_notify',     'LISTEN x;',              q{pg_notify('x', name)::text},      'SELECT 1',                            '0A000' ],
	[ 'advisory lock', '',                       'pg_advisory_lock(7)::text',        q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()}, '0A000' ],
	[ 'sleep',         q{SET statement_timeout = '2s';}, 'pg_sleep(4)::text',      'SELECT 1',                            '0A000' ],
	[ 'setseed',       'SELECT setseed(0.1);',   'setseed(0.3)::text',               'SELECT random()',                     '0A000' ],
	[ 'large object',  'BEGIN;',                 'lo_creat(-1)::text',               'SELECT count(*) FROM pg_largeobject_metadata', '0A000 25P02' ],
	[ 'cancel',        '',                       'pg_cancel_backend(pg_backend_pid())::text', 'SELECT 1',                   '0A000' ])
{
	my ($name, $before, $call, $after, $stopped) = @$case;
	attack(
		"side effect, $name",
		"$before SELECT count(*) >= 0 FROM T WHERE CASE age WHEN 42 THEN $call END IS NULL; $after",
		$stopped, "$before SELECT dp_count(*) IS NULL FROM T WHERE CASE age WHEN 42 THEN $call END IS NULL; $after");
}
# What the role takes away between the check of a release and its rows: those that need it would fail.
attack(
	'type dropped while a cursor is open',
	q{BEGIN; CREATE TYPE flag AS ENUM ('x', 'y'); DECLARE c CURSOR FOR SELECT count(*) >= 0 FROM T WHERE (CASE age WHEN 42 THEN 'x'::flag END) = ANY ('{x,y}'::flag[]);
	DROP TYPE flag; FETCH c; COMMIT}, '0A000 25P02 25P02',
	q{BEGIN; CREATE TYPE flag AS ENUM ('x', 'y'); DECLARE c CURSOR FOR SELECT dp_count(*) IS NULL FROM T WHERE (CASE age WHEN 42 THEN 'x'::flag END) = ANY ('{x,y}'::flag[]);
	DROP TYPE flag; FETCH c; COMMIT});
foreach my $expression ('CASE age WHEN 42 THEN name END COLLATE mine < $$x$$', 'CASE WHEN age = 42 THEN lower(name COLLATE mine) < $$x$$ END',
	'CASE WHEN age = 42 THEN $$a$$ COLLATE mine END < name')
{
	my $settings = 'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET parallel_leader_participation = off;';

	attack("collation dropped by the statement itself, $expression",
		"$settings BEGIN; SELECT drop_it('COLLATION mine'), (SELECT count(*) >= 0 FROM T WHERE $expression); ROLLBACK", '0A000',
		"$settings BEGIN; SELECT drop_it('COLLATION mine'), (SELECT dp_count(*) IS NULL FROM T WHERE $expression); ROLLBACK");
}
foreach my $gone ('DROP TABLE long', 'TRUNCATE long')
{
	my $do = q{SET plan_cache_mode = force_generic_plan; BEGIN; CREATE TABLE long (x text); ALTER TABLE long ALTER x SET STORAGE EXTERNAL;
	INSERT INTO long VALUES (repeat('x', 5000));
	DO $$DECLARE value text; n bool; BEGIN SELECT x INTO value FROM long; %s;
	SELECT %s INTO n FROM T WHERE CASE age WHEN 42 THEN value END LIKE 'y%%'; RAISE NOTICE '%%', n; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%%', sqlstate; END$$; ROLLBACK};

	attack("parameter of a table that is gone, $gone", sprintf($do, $gone, 'count(*) >= 0'), 'answered', sprintf($do, $gone, 'dp_count(*) IS NULL'));
}
attack(
	'no stack left',
	'SET jit = off; SET plan_cache_mode = force_generic_plan; SELECT ask_T(1); SELECT d, deep_T(n - d, 42) = deep_T(n - d, -1) FROM deepest_T() n, generate_series(0, 3) d', 'answered');
# From 18 on a session has room for many more locks of its own.
attack(
	'no lock left',
	q{SET jit = off; SELECT count(*) >= 0 FROM T WHERE CASE age WHEN 42 THEN note LIKE 'x%' END; BEGIN;
	DECLARE c CURSOR FOR SELECT count(*) >= 0 FROM T WHERE CASE age WHEN 42 THEN note LIKE 'x%' END; SELECT take_locks(); FETCH c; COMMIT}, 'answered',
	q{SET jit = off; SELECT dp_count(*) IS NULL FROM T WHERE CASE age WHEN 42 THEN note LIKE 'x%' END; BEGIN;
	DECLARE c CURSOR FOR SELECT dp_count(*) IS NULL FROM T WHERE CASE age WHEN 42 THEN note LIKE 'x%' END; SELECT take_locks(); FETCH c; COMMIT})
  if $version < 180000;

attack('GROUP BY', 'SELECT name FROM T GROUP BY name', 'answered',
	'SET dpriv.delta = 1e-6; SELECT name FROM T GROUP BY name HAVING dp_count(*) IS NOT NULL ORDER BY 1');
attack('GROUP BY without delta', 'SELECT name FROM T GROUP BY name', '0A000',
	'SELECT name FROM T GROUP BY name HAVING dp_count(*) IS NOT NULL');
attack('HAVING on exact values', 'SELECT 1 FROM T HAVING count(*) > 300', $raw);
attack('ORDER BY exact values', 'SELECT age FROM T GROUP BY age ORDER BY count(*), age DESC', $raw);
attack('NULL for an empty set', q{SELECT sum(pay) IS NULL FROM T WHERE name LIKE '%Bob'}, 'answered',
	q{SELECT dp_sum_clipped(pay, 0, 9) IS NULL, dp_avg(pay, 0, 9) IS NULL, dp_median(pay, 0, 9) IS NULL FROM T WHERE name LIKE '%Bob'});
attack('NaN', 'SELECT sum(w) = sum(w) + 1 FROM T', 'answered', q{SELECT dp_sum_clipped(w, 0, 9) = 'NaN', dp_avg(w, 0, 9) = 'NaN' FROM T});
attack('predictable noise', 'SELECT setseed(0.42); SELECT count(*) + round(10 * random()) FROM T', 'answered',
	'SELECT setseed(0.42); SELECT dp_count(*) IS NULL FROM T');
attack('window over a private aggregate', 'SELECT count(*) OVER (ORDER BY id) FROM T', '0A000', 'SELECT dp_count(*) OVER (ORDER BY id) FROM T');
attack('groups of its own', 'SELECT k, count(*) FROM T, generate_series(1, 64) k GROUP BY k', '0A000',
	'SELECT k > 3, dp_count(*) FROM T, generate_series(1, 64) k GROUP BY 1');
attack('LATERAL release', 'SELECT k, c FROM numbers, LATERAL (SELECT count(*) AS c FROM T WHERE id > k) s', '0A000',
	'SELECT k, c FROM numbers, LATERAL (SELECT dp_count(*) AS c FROM T WHERE id > k) s');
attack('counted many times', 'SELECT count(*) FROM T, numbers', '0A000', 'SELECT dp_count(*) FROM T, numbers');
attack('UNION ALL of itself', 'SELECT count(*) FROM (SELECT id FROM T UNION ALL SELECT id FROM T) u', '0A000',
	'SELECT dp_count(*) FROM (SELECT id FROM T UNION ALL SELECT id FROM T) u');
attack('EXISTS of another protected row', 'SELECT count(*) FROM numbers WHERE EXISTS (SELECT FROM T WHERE id = 7341)', '0A000',
	'SELECT dp_count(*) FROM numbers WHERE EXISTS (SELECT FROM T WHERE id = 7341)');
attack('row_number parity', 'SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id) % 2 AS r FROM T) s WHERE r = 1', '0A000',
	'SELECT dp_count(*) FROM (SELECT row_number() OVER (ORDER BY id) % 2 AS r FROM T) s WHERE r = 0');
attack('LIMIT below', 'SELECT count(*) FROM (SELECT id FROM T ORDER BY id DESC LIMIT 5) s WHERE id < 297', '0A000',
	'SELECT dp_count(*) FROM (SELECT id FROM T ORDER BY id DESC LIMIT 5) s WHERE id < 297');
attack('the charge as a channel', q{SELECT count(*) > 0 FROM T WHERE name LIKE '%Bob'}, '42501',
	q{SELECT name FROM T WHERE name LIKE '%Bob' AND (SELECT dp_count(*) IS NOT NULL FROM T)});
attack('the charge, from the query text',
	q{SELECT CASE WHEN EXISTS (SELECT FROM T WHERE age = 42) THEN 1 END}, 'answered',
	q{SELECT dp_count(*) IS NULL FROM T WHERE age = 42; SELECT dp_count(*) IS NULL FROM T WHERE false; SELECT dpriv.session_spent()});

# ---- Settings, messages and counters ----

my $listen = 'SET client_min_messages = debug2; SET trace_sort = on; SET debug_print_parse = on; SET debug_print_rewritten = on;';
attack('debug_print_plan', 'SET client_min_messages = log; SET debug_print_plan = on; SELECT count(*) FROM T WHERE id > 290', $raw,
	'SET client_min_messages = log; SET debug_print_plan = on; SELECT dp_count(*) FROM T WHERE id > 290');
attack('debug_print_plan, by a function that is folded',
	'SET client_min_messages = log; SELECT count(*) * 0 + print_plans() FROM T WHERE id > 290', $raw,
	'SET client_min_messages = log; SELECT dp_count(*) * 0 + print_plans() FROM T WHERE id > 290');
attack('trace_sort', 'SET client_min_messages = log; SET trace_sort = on; SET max_parallel_workers_per_gather = 0; SELECT count(DISTINCT w) FROM T', 'answered',
	'SET client_min_messages = log; SET trace_sort = on; SELECT dp_count(DISTINCT w) IS NULL FROM T');
attack('counters of the transaction',
	q{BEGIN; SELECT count(*) IS NULL FROM T; SELECT pg_stat_get_xact_tuples_returned('T'::regclass); COMMIT}, 'answered',
	q{BEGIN; SELECT dp_count(*) IS NULL FROM T; SELECT pg_stat_get_xact_tuples_returned('adult'::regclass); COMMIT});
attack('serializable', 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM T; COMMIT', '0A000|42501|25\w+|55000',
	'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(*) FROM T; COMMIT');

run_attacks();

# ---- Who may ----

# Owner, superuser and trusted roles work as ever.
foreach my $role ('boss', 'reader', 'postgres')
{
	my $who = $role eq 'postgres' ? $node->safe_psql('postgres', 'SELECT current_user') : $role;
	my ($rows, $view, $dp) = client('d1', $who, 'SELECT count(*), max(name) FROM adult', 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT * FROM adult',
		'SELECT dp_count(*) IS NULL FROM adult WHERE age > 3');
	is($rows->[0], "301|canary Bob\n", "$role reads rows");
	like($view->[0], qr/Seq Scan.*rows=301/, "$role sees plans");
	is(join('', @$dp), "f\n", "$role asks for private aggregates, and hears nothing else");
}
{
	my ($release) = client('d1', 'boss', q{SELECT dp_count(*) IS NULL FROM adult WHERE name || 'x' = 'y'});
	is($release->[0], "f\n", 'the owner uses what others must not');
	like($release->[1], qr/^NOTICE:  00000: a restricted role could not run this release: it uses operator \|\| on rows\nHINT: .*\n$/, 'and is told so, once');
}

# Who may read all tables reads what row-level security covers as others do, and nothing that it does not cover.
{
	my $toast = q{SELECT reltoastrelid::regclass FROM pg_class WHERE oid = '%s'::regclass};
	my ($plain, $adult) = map { $node->safe_psql('d1', sprintf($toast, $_)) } 'plain', 'adult';
	my @open = client('d1', 'auditor', "SELECT count(*) > 0 FROM $plain", q{SELECT count(*) > 0 FROM pg_stats WHERE tablename = 'plain'},
		'SELECT dp_count(*) IS NOT NULL FROM adult', 'COPY (SELECT true) TO STDOUT', 'COPY pg_am TO STDOUT');
	like("@$_", qr/^t|heap/, 'a member of pg_read_all_data reads') foreach @open;
	foreach my $case (
		"SELECT * FROM $adult", "SELECT count(*) FROM (SELECT chunk_id FROM $adult) s", "DECLARE c CURSOR WITH HOLD FOR TABLE $adult",
		"LOCK TABLE $adult IN ACCESS SHARE MODE", 'SELECT stxdmcv FROM pg_statistic_ext_data', 'COPY pg_statistic TO STDOUT', 'COPY pg_statistic (stavalues1) TO STDOUT',
		'SELECT * FROM pg_toast.pg_toast_2619', 'SELECT * FROM adult')
	{
		my ($seen) = client('d1', 'auditor', "BEGIN; $case");
		is(join(' ', $seen->[1] =~ /ERROR:  (\w{5})/g), '42501', "but not: $case") || diag("@$seen");
		unlike("@$seen", qr/canary/, 'nothing of Bob');
	}
	foreach my $case (
		q{SELECT count(*) FROM pg_statistic WHERE starelid = '%s'::regclass},
		q{CREATE TEMPORARY VIEW v AS SELECT starelid FROM pg_statistic; SELECT count(*) FROM v WHERE starelid = '%s'::regclass},
		q{SELECT count(*) FROM (SELECT query_to_xml($$SELECT stavalues1 FROM pg_statistic WHERE starelid = '%s'::regclass$$, true, true, '') AS x) q WHERE x::text ~ 'row'})
	{
		my @seen = map { (client('d1', 'auditor', sprintf($case, $_)))[0][0] } 'plain', 'adult';
		unlike($seen[0], qr/^0$/m, "of plain tables: $case");
		like($seen[1], qr/^0$/m, 'not of protected ones');
	}
	my ($super) = client('d1', $node->safe_psql('postgres', 'SELECT current_user'), "SELECT count(*) > 0 FROM $adult; SELECT count(*) > 0 FROM pg_statistic");
	is($super->[0], "t\nt\n", 'superusers do');
}

# All uses of large values together are bounded: one row could take them all.
{
	my @uses = map { "CASE age WHEN 42 THEN pay + $_ END = ANY (%s)" } 1 .. 40;
	my $where = join ' OR ', @uses;
	my $many = 'CREATE FUNCTION pg_temp.many(int) RETURNS numeric[] LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN array(SELECT -i FROM generate_series(1, $1) i); END$$;';
	my $prepare = "$many PREPARE p(numeric[]) AS SELECT dp_count(*) IS NULL FROM adult WHERE " . $where =~ s/%s/\$1/gr;
	my ($parameter, $constant, $few) = client('d1', 'analyst',
		"$prepare; EXECUTE p(pg_temp.many(9000))", "$many SELECT dp_count(*) FROM adult WHERE " . $where =~ s/%s/pg_temp.many(9000)/gr,
		"$prepare; EXECUTE p(pg_temp.many(900))");
	like($parameter->[1], qr/^ERROR:  54000: a parameter is too large/, 'many uses of a parameter');
	like($constant->[1], qr/^ERROR:  54000: the constants of a private release are too large together/, 'many uses of a constant');
	like($few->[0], qr/^f$/m, 'smaller ones are answered');
}
# Whether a release spills more than others does not show where files are limited.
{
	my ($plain, $adult) = client('d1', 'colleague', 'SELECT count(DISTINCT (name || id)::char(1000)) FROM plain',
		'SELECT dp_count(DISTINCT name::char(1000)) FILTER (WHERE id > 0) IS NULL, dp_count(DISTINCT w) IS NULL FROM adult');
	like($plain->[1], qr/^ERROR:  53400: temporary file size exceeds "?temp_file_limit/, 'a limit on temporary files');
	is($adult->[0], "f|f\n", 'does not apply to a release');
}
like((client('d1', 'analyst', 'CLUSTER VERBOSE'))[0][1], qr/^ERROR:  42501/, 'CLUSTER of all tables says nothing');

# A plan that was made for one role is not for another, through a view of the owner too.
foreach my $mode ('force_generic_plan', 'force_custom_plan')
{
	my $me = $node->safe_psql('postgres', 'SELECT current_user');
	my ($seen) = client('d1', $me, <<"SQL");
SET plan_cache_mode = $mode;
PREPARE direct AS SELECT count(*) FROM adult;
PREPARE view AS SELECT count(*) FROM super_adult;
PREPARE release AS SELECT dp_count(*) IS NULL FROM super_adult;
PREPARE child AS SELECT count(*) FROM parted_adult_1;
EXECUTE direct; EXECUTE view; EXECUTE release; EXECUTE child;
SET ROLE analyst;
EXECUTE direct; EXECUTE view; EXECUTE release; EXECUTE child;
SET ROLE reader;
EXECUTE direct; EXECUTE view;
SQL
	is($seen->[0] =~ s/^(?:PREPARE|SET)\n//mgr, "301\n301\nf\n99\nf\n301\n", "$mode: who executes a plan decides");
	is(join(' ', $seen->[1] =~ /ERROR:  (\w{5})/g), '42501 42501 42501 42501', "$mode: all others are refused");
}
# Protected, trusted and not, while a plan is cached.
{
	my $boss = $node->background_psql('d1', on_error_stop => 0, extra_params => [ '-U', 'boss' ]);
	my $analyst = $node->background_psql('d1', on_error_stop => 0, extra_params => [ '-U', 'analyst' ]);
	my $auditor = $node->background_psql('d1', on_error_stop => 0, extra_params => [ '-U', 'auditor' ]);
	$boss->query('CREATE TABLE late AS TABLE adult; GRANT SELECT ON late TO analyst');
	$analyst->query('PREPARE p AS SELECT count(*) FROM late');
	is($analyst->query('EXECUTE p'), '301', 'before protect()');
	$auditor->query('PREPARE p AS SELECT count(*) > 0 FROM ' . $boss->query(q{SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 'late'::regclass}));
	is($auditor->query('EXECUTE p'), 't', 'and the long values');
	$boss->query(q{SET client_min_messages = error; SELECT dpriv.protect('late', unit => 'row')});
	is($auditor->query('EXECUTE p'), '', 'after protect() these are gone');
	$auditor->quit;
	is($analyst->query('EXECUTE p'), '', 'after protect() the old plan is gone');
	$boss->query(q{SELECT dpriv.trust('late', 'analyst')});
	is($analyst->query('EXECUTE p'), '301', 'after trust() there is a new one');
	$boss->query(q{SELECT dpriv.distrust('late', 'analyst')});
	is($analyst->query('EXECUTE p'), '', 'after distrust() it is gone');
	$boss->query(q{DROP TABLE late});
	$analyst->quit;
	$boss->quit;
}

# ---- What works ----

foreach my $mode (@modes[ 1 .. $#modes ])
{
	my ($what, undef, $preset) = @$mode;
	foreach my $case (
		[ 'condition', q{SELECT dp_count(*) FROM adult WHERE age BETWEEN 20 AND 60 AND name LIKE 'A%' OR pay IN (3, 5) OR w IS NULL} ],
		[ 'arithmetic', 'SELECT dp_avg(pay * 2 + 1, 0, 600), dp_sum_clipped(age / 2, 0, 40), dp_median(w - 3, 0, 300) FROM adult' ],
		[ 'groups', 'SELECT sex, age >= 30, dp_count(*), dp_avg(age, 0, 90) FROM adult GROUP BY 1, 2 HAVING dp_count(*) > -99 ORDER BY 1, 2' ],
		[ 'selected groups', 'SET dpriv.delta = 1e-6; SELECT name, dp_count(*) FROM adult GROUP BY name' ],
		[ 'FILTER and DISTINCT', 'SELECT dp_count(*) FILTER (WHERE sex = $$f$$), dp_count(DISTINCT name), dp_error(dp_count(*)) FROM adult' ],
		[ 'histogram', 'SELECT * FROM unnest((SELECT dp_histogram(age, ARRAY[0, 20, 40, 60]) FROM adult))' ],
		[ 'categories, mode, vector', q{SELECT dp_mode(sex, ARRAY['f', 'm']), dp_histogram(name, ARRAY['Ann', 'Eve']), dp_sum_vector(ARRAY[age, w], 2, 100, 'l2') FROM adult} ],
		[ 'views', 'SELECT a.c, b.c, d.c FROM (SELECT dp_count(*) AS c FROM my_adult WHERE age > 3) a, (SELECT dp_count(*) AS c FROM super_adult) b, (SELECT dp_count(*) AS c FROM barrier_adult WHERE id > 3) d' ],
		[ 'functions', 'SELECT dp_count(*) FROM rows_through_adult() WHERE age > 3' ],
		[ 'CTE', 'WITH c AS (SELECT age * 2 AS twice FROM adult WHERE age > 3) SELECT dp_avg(twice, 0, 90) FROM c' ],
		[ 'partitions', 'SELECT a.c, b.c FROM (SELECT dp_count(*) AS c FROM parted_adult) a, (SELECT dp_count(*) AS c FROM parted_adult_2 WHERE age > 3) b' ],
		[ 'beside public rows', 'SELECT k, (SELECT dp_count(*) FROM adult) + k, mine.name || k FROM numbers JOIN mine ON k = id' ],
		[ 'stored', 'CREATE TABLE stored AS SELECT sex, dp_count(*) FROM adult GROUP BY sex; SELECT count(*) FROM stored; DROP TABLE stored' ],
		[ 'prepared', 'PREPARE p(int, float8) AS SELECT dp_count(adult, $2) FROM adult WHERE age > $1; EXECUTE p(3, 0.5); EXECUTE p(4, 1)' ],
		[ 'cursor', 'BEGIN; DECLARE c SCROLL CURSOR FOR SELECT sex, dp_count(*) FROM adult GROUP BY sex; FETCH 2 FROM c; FETCH BACKWARD 1 FROM c; COMMIT' ],
		[ 'PL/pgSQL', q{DO $$DECLARE n int8; BEGIN SELECT dp_count(*) INTO n FROM adult WHERE age > 3; RAISE NOTICE '%', n; END$$} ],
		[ 'inlined function on a column', 'SELECT dp_count(*) FROM adult WHERE inverse(age) = 0' ],
		[ 'plain INSERT', 'BEGIN; INSERT INTO adult VALUES (-1); ROLLBACK' ],
		[ 'cost', 'SELECT epsilon FROM dpriv.cost($$SELECT dp_count(*) FROM adult WHERE age > 3$$)' ],
		[ 'introspection', q{SELECT attname FROM pg_attribute WHERE attrelid = 'adult'::regclass AND attnum > 0; SELECT column_name FROM information_schema.columns WHERE table_name = 'adult'} ],
	  )
	{
		my ($seen) = client('d1', 'analyst', "$preset$case->[1]");
		unlike($seen->[1], qr/ERROR/, "$what: $case->[0]") or diag($seen->[1]);
		isnt($seen->[0] =~ s/^(?:SET|BEGIN|ROLLBACK|COMMIT)\n//mgr, '', "$what: $case->[0] answers");
	}
}

# EXPLAIN says nothing of costs, whatever it is asked.
{
	my @seen = client('d1', 'analyst', 'EXPLAIN (COSTS) SELECT dp_count(*) FROM adult', 'PREPARE p AS SELECT dp_count(*) FROM adult; EXPLAIN (COSTS) EXECUTE p',
		'PREPARE p AS SELECT dp_count(*) FROM adult; EXPLAIN (COSTS) CREATE TABLE copied AS EXECUTE p');
	like($_->[0], qr/Custom Scan \(dpriv release\)/, 'EXPLAIN shows the release') foreach @seen;
	unlike($_->[0], qr/rows=|Inner plan|Seq Scan/, 'and no estimates') foreach @seen;
}

# What ANALYZE keeps of rows is hidden, and how much of it there is too.
{
	my $prepared = 'PREPARE p AS SELECT tablename FROM pg_stats;';
	my @seen = client('d1', 'analyst', 'EXPLAIN (COSTS) SELECT * FROM pg_stats_ext', "$prepared EXPLAIN (COSTS) EXECUTE p",
		'EXPLAIN (ANALYZE) SELECT * FROM pg_stats', "$prepared EXPLAIN (ANALYZE) EXECUTE p",
		'SET debug_print_plan = on; SELECT count(*) FROM pg_stats_ext', 'SELECT count(*) > 0 FROM pg_stats');
	like($_->[0], qr/Seq Scan on pg_statistic/, 'EXPLAIN shows how statistics are read') foreach @seen[ 0, 1 ];
	unlike($_->[0], qr/rows=|width=/, 'and not how many there are') foreach @seen[ 0, 1 ];
	like($_->[1], qr/ERROR:  42501/, 'reading them is not measured') foreach @seen[ 2 .. 4 ];
	is($seen[5][0], "t\n", 'they are read');
}

# An error is where the statement has it; what comes from a function's body has no place there.
{
	my ($own, $body, $view) = client('d1', 'analyst', 'SELECT dp_count(*) FROM adult WHERE age > 3 AND chr(age) = chr(65)',
		'SELECT dp_count(*) FROM adult WHERE age > 3 AND divide(age) = 65', 'SELECT dp_count(*) FROM rows_through_adult() r WHERE chr(age) = chr(65)');
	like($own->[1], qr/^LINE 1: .*\n {56}\^$/m, 'the place of a function');
	like($body->[1], qr/function chr\(\)/, 'a function within an inlined one');
	unlike($body->[1], qr/LINE/, 'has no place');
	like($view->[1], qr/LINE 1: .*chr/, 'a function beside an inlined one has one');
}

# ---- Paid, whatever happens ----

{
	$node->safe_psql('d1', q{SET client_min_messages = error; SELECT dpriv.grant_budget('analyst', 'adult', 1000)});
	my $spent = sub { return $node->safe_psql('d1', q{SELECT coalesce(sum(epsilon), 0) FROM dpriv.ledger WHERE session_role = 'analyst'}) };
	foreach my $case (
		[ 'ROLLBACK', 'BEGIN; SELECT dp_count(*) FROM adult; ROLLBACK', 1 ],
		[ 'SAVEPOINT', 'BEGIN; SAVEPOINT s; SELECT dp_count(*) FROM adult; ROLLBACK TO s; SELECT dp_count(*) FROM adult; COMMIT', 2 ],
		[ 'EXCEPTION', q{DO $$BEGIN FOR i IN 1..5 LOOP BEGIN PERFORM dp_count(*) FROM adult; RAISE 'x'; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END$$}, 5 ],
		[ 'READ ONLY', 'BEGIN READ ONLY; SELECT dp_count(*) FROM adult; ROLLBACK', 1 ],
		[ 'error afterwards', 'SELECT 1 / (dp_count(*) - dp_count(*)) FROM adult', 1 ],
		[ 'each of several', 'SELECT (SELECT dp_count(*) FROM adult), (SELECT dp_count(*) FROM adult WHERE age > 3)', 2 ],
		[ 'a branch that is not taken', 'SELECT CASE WHEN false THEN 1 ELSE k END FROM numbers WHERE k < 0 AND k > (SELECT dp_count(*) FROM adult)', 1 ],
		[ 'self-made loop', 'SELECT k, (SELECT dp_count(*) FROM adult) FROM numbers', 1 ],
		[ 'SET ROLE', 'SET ROLE analyst; SELECT dp_count(*) FROM adult', 1 ],
		[ 'second EXECUTE', 'PREPARE p AS SELECT dp_count(*) FROM adult; EXECUTE p; EXECUTE p; EXECUTE p', 3 ],
		[ 'cursor that is not read', 'BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM adult; ROLLBACK', 1 ],
		[ 'what is refused', q{SELECT dp_count(*) FROM adult WHERE chr(age) = 'A'; SELECT * FROM adult; EXPLAIN ANALYZE SELECT dp_count(*) FROM adult}, 0 ],
		[ 'epsilon of nothing', 'SET dpriv.epsilon = -100; SELECT dp_count(adult, -100) FROM adult; SELECT dp_count(adult, $$NaN$$) FROM adult', 0 ],
		[ 'LIMIT 0', 'SELECT dp_count(*) FROM adult LIMIT 0; SELECT dp_count(*) FROM adult WHERE false', 0 ])
	{
		my $before = $spent->();
		client('d1', 'analyst', $case->[1]);
		is($spent->() - $before, $case->[2], "$case->[0]: $case->[2] charged");
	}
}

# ---- The plan below the door ----

# As the owner gets it: row security leaves no trace in it.
{
	$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'dpriv,auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_nested_statements = on
auto_explain.log_analyze = off
jit = off
CONF
	$node->restart;
	foreach my $query ('SELECT dp_count(*) FROM adult WHERE id = 7', 'SELECT sex, dp_avg(age, 0, 90) FROM adult WHERE age > 3 GROUP BY sex',
		'SELECT dp_count(DISTINCT name) FROM parted_adult WHERE id < 50')
	{
		my %plan;
		foreach my $role ('boss', 'analyst')
		{
			my $start = -s $node->logfile;
			client('d1', $role, $query);
			my $log = substr slurp_file($node->logfile), $start;
			($plan{$role}) = $log =~ /^(\s*(?:Aggregate|HashAggregate|GroupAggregate|Sort).*?)^\d{4}-/ms;
		}
		like($plan{analyst}, qr/Scan .*adult/, "the plan of $query");
		is($plan{analyst}, $plan{boss}, 'is the same for owner and analyst');

		my ($sent) = client('d1', 'analyst', "SET client_min_messages = log; $query");
		like($sent->[1], qr/plan:.*dpriv release/s, 'a session that asks for the plan gets that of its statement');
		unlike($sent->[1], qr/Inner plan|Scan .*adult/, 'and nothing of how rows are read');
	}
}

# ---- A server without the library ----

{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
	$node->restart;
	my @seen = client('d1', 'analyst', 'SELECT * FROM adult', 'COPY adult TO STDOUT', 'SELECT count(*) FROM parted_adult_1', 'SELECT name FROM my_adult',
		'DELETE FROM adult', 'UPDATE adult SET age = 3 RETURNING *', 'EXPLAIN SELECT * FROM adult');
	foreach (@seen)
	{
		is(join(' ', $_->[1] =~ /ERROR:  (\w{5})/g), '42501', 'not preloaded: refused');
		unlike("@$_", qr/canary/, 'not preloaded: nothing of Bob');
	}
}

done_testing();
