#
# 033_seal.pl
#	  Whatever a client listens to, it hears nothing from below a release.
#
# Two databases differ in their rows only: d1 has 300, d2 has 3,000 with other values.  What a client sees of the
# same statements must be the same: messages of every level, errors, statistics views, EXPLAIN, pg_stat_statements.
# Counts at epsilon 1000 are exact but for a probability of 2 e^-1000; where answers would differ they are not shown.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('seal');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
dpriv.max_epsilon = 1000
dpriv.epsilon = 1000
jit = off
autovacuum = off
log_statement = none
max_worker_processes = 16
max_parallel_workers = 8
CONF
$node->start;
my %rows = (d1 => 300, d2 => 3000);
foreach my $db (sort keys %rows)
{
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db,        <<"SQL");
CREATE EXTENSION dpriv;
CREATE TABLE t AS SELECT i AS id, (i * 7 + $rows{$db}) % 90 AS age, repeat('secret ' || i, 20) AS name,
	i + $rows{$db} > 0 AS yes FROM generate_series(1, $rows{$db}) i;
ALTER TABLE t ADD PRIMARY KEY (id), SET (parallel_workers = 2);
CREATE TABLE pub AS SELECT i AS k FROM generate_series(1, 10) i;
VACUUM ANALYZE;
CREATE FUNCTION talk(x text) RETURNS bool LANGUAGE plpgsql STABLE PARALLEL SAFE AS \$\$
BEGIN
	RAISE DEBUG 'debug %', x;
	RAISE LOG 'log %', x;
	RAISE INFO 'info %', x;
	RAISE NOTICE 'notice %', x;
	RAISE WARNING 'warning %', x;
	RETURN true;
END
\$\$;
CREATE FUNCTION talk_and_fail(x int) RETURNS bool LANGUAGE plpgsql STABLE PARALLEL SAFE AS \$\$
BEGIN
	RAISE INFO 'info %', x;
	RETURN 1 / (x % 40 - 20) IS NULL;
END
\$\$;
-- Workers talk all the time; the leader listens for a while, and fails.
CREATE FUNCTION talk_or_fail(x int) RETURNS bool LANGUAGE plpgsql STABLE PARALLEL SAFE AS \$\$
BEGIN
	IF pg_backend_pid() = current_setting('my.leader')::int THEN
		PERFORM pg_sleep(0.05);
		RAISE EXCEPTION 'error %', x;
	END IF;
	FOR i IN 1..100 LOOP
		RAISE INFO 'info %', x;
	END LOOP;
	RETURN true;
END
\$\$;
CREATE FUNCTION fail(x text) RETURNS bool LANGUAGE plpgsql STABLE PARALLEL SAFE AS \$\$
BEGIN
	RAISE EXCEPTION 'error %', x;
END
\$\$;
SQL
}

# What a client sees, numbers of processes, transactions and times aside.
sub client
{
	my ($db, $sql) = @_;
	my ($out, $err);
	$node->psql($db, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0);
	$err =~ s/^psql:<stdin>:\d+: //mg;
	$err =~ s/CPU: user.*/CPU/mg;
	return ($out, $err);
}

sub same_for_both
{
	my ($sql, $name) = @_;
	my ($out1, $err1) = client('d1', $sql);
	my ($out2, $err2) = client('d2', $sql);
	is($out2, $out1, "$name: same answers");
	is($err2, $err1, "$name: same messages");
	return ($out1, $err1);
}

my $parallel =
  'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'
  . 'SET max_parallel_workers_per_gather = 2;';
my $serial = 'SET max_parallel_workers_per_gather = 0;';
my $listen = <<'SQL';
SET trace_sort = on;
SET log_temp_files = 0;
SET temp_file_limit = -1;
SET work_mem = '64kB';
SET log_statement_stats = off;
SET log_executor_stats = on;
SET client_min_messages = log;
SQL

# ---- Messages ----

# The test would hear what it listens to.
my (undef, $plain) =
  client('d2', "$serial$listen SELECT count(DISTINCT name) FROM t WHERE id > 5 OR talk(name)");
like($plain, qr/$_/, "a plain query says: $_")
  foreach 'info secret', 'notice secret', 'warning secret', 'log secret', 'external sort',
  'temporary file';

foreach my $mode ([ serial => $serial ], [ parallel => $parallel ])
{
	my ($name, $preset) = @$mode;
	foreach my $query (
		'SELECT dp_count(*) > 0 FROM t WHERE talk(name)',
		'SELECT dp_count(DISTINCT name) > 0 FROM t WHERE talk(name)',
		'SELECT yes, dp_count(*) > 0 FROM t WHERE talk(name) GROUP BY yes',
		'SELECT dp_count(*) FILTER (WHERE talk(name)) > 0, dp_sum_clipped(age, 0, 1, 1000) > 0 FROM t',
		'SELECT k, (SELECT dp_count(*) + k > 0 FROM t WHERE talk(name)) FROM pub')
	{
		my ($out, $err) =
		  same_for_both("$preset$listen SET log_executor_stats = off; $query", "$name, $query");
		like($out, qr/^t$|\|t$/m, "$name: it answered");
		is($err, '', "$name: and said nothing else");
	}

	# At the lowest level the server itself talks, about transactions and snapshots: the same for both.
	my (undef, $err) = client('d1',
		"$preset SET client_min_messages = debug5; SELECT dp_count(DISTINCT name) > 0 FROM t WHERE talk(name)"
	);
	unlike(
		$err,
		qr/secret|sort|temporary|tape|parallel worker/,
		"$name: debug messages have nothing about rows");
	like($err, qr/StartTransaction/, "$name: though there are debug messages");

	# Failing does not open the seal: temporary files are removed and workers end after the error.
	foreach my $query (
		'SELECT dp_count(*) FROM t WHERE talk_and_fail(age)',
		'SELECT dp_count(*) FROM t WHERE fail(name)',
		'SELECT dp_count(DISTINCT name || (1 / (id - 299))) FROM t',
		'SELECT dp_count(*) FROM t WHERE name::int > 3',
		'SELECT dp_count(*) FROM t WHERE 1 / (age % 40 - 20) > 3')
	{
		my (undef, $err) =
		  same_for_both("$preset$listen SET log_executor_stats = off; $query", "$name, $query");
		is($err, <<'OUT' =~ s/\n\z//r, "$name: one text for every error");
ERROR:  private release failed while reading rows
DETAIL:  The cause is not shown because it may depend on private data.
HINT:  Use expressions that cannot fail, for example CASE around a division. The server's log has the cause.
OUT
	}

	# Many times, since what several workers still have to say depends on timing.
	my ($out);
	($out, $err) = client('d2', <<"SQL");
$preset
SET client_min_messages = info;
SET my.messages = '';
SELECT set_config('my.leader', pg_backend_pid()::text, false) IS NULL;
DO \$\$
DECLARE
	messages text[];
BEGIN
	FOR i IN 1..60 LOOP
		BEGIN
			IF i % 3 = 0 THEN
				PERFORM dp_count(*) FROM t WHERE talk_and_fail(age);
			ELSIF i % 3 = 1 THEN
				PERFORM dp_count(*) FROM t WHERE talk_or_fail(age);
			ELSE
				PERFORM dp_count(*) FROM t WHERE fail(name);
			END IF;
		EXCEPTION WHEN OTHERS THEN
			messages := messages || sqlerrm;
		END;
	END LOOP;
	PERFORM set_config('my.messages', (SELECT string_agg(DISTINCT m, '|') || ' ' || count(*) FROM unnest(messages) m), false);
END
\$\$;
SELECT current_setting('my.messages');
SQL
	is($out, "f\nprivate release failed while reading rows 60", "$name: the same text 60 times");
	is($err, '',                                                "$name: and no other");
}

# The protocol goes on in step: results of several statements in one message, and after errors.
is( (   client(
			'd1',
			'SELECT dp_count(*) FROM t WHERE talk(name); SELECT dp_count(*) FROM t WHERE fail(name); SELECT dp_count(*) FROM t'
		))[0],
	"300\n300",
	'statements after an error');
my ($out, $err) = client('d1', "SELECT talk('above') FROM (SELECT dp_count(*) FROM t) r");
like($err, qr/INFO:  info above/, 'above the door messages arrive');
unlike($err, qr/secret/, 'above the door there are no rows');

# ---- Statistics ----

foreach my $mode ([ serial => $serial ], [ parallel => $parallel ])
{
	my ($name, $preset) = @$mode;
	my $view = <<'SQL';
SELECT relname, seq_scan, seq_tup_read, idx_scan, idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 't';
SELECT idx_scan, idx_tup_read, idx_tup_fetch FROM pg_stat_user_indexes WHERE relname = 't';
SELECT heap_blks_read + heap_blks_hit, idx_blks_read + idx_blks_hit FROM pg_statio_user_tables WHERE relname = 't';
SELECT funcname, calls FROM pg_stat_user_functions;
SQL
	foreach my $db (sort keys %rows)
	{
		my $before = $node->safe_psql($db, $view);
		my ($out, $err) = client($db, <<"SQL");
$preset
SET track_functions = 'all';
SELECT dp_count(*) > 0 FROM t WHERE talk(name);
SELECT dp_count(*) > 0 FROM t WHERE id = 7;
SELECT dp_count(DISTINCT name) > 0 FROM t;
SELECT dp_count(*) > 0 FROM t WHERE fail(name);
SET enable_seqscan = off;
SELECT dp_count(*) > 0 FROM t WHERE id < 100 AND talk(name);
BEGIN;
SELECT dp_count(*) > 0 FROM t WHERE id = 7;
ROLLBACK;
EXPLAIN SELECT dp_count(*) > 0 FROM t WHERE id > $rows{$db} - 2;
SQL
		is($node->safe_psql($db, $view), $before, "$name, $db: nothing was counted");
	}
}
{
	my $scans  = "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 't'";
	my $before = $node->safe_psql('d1', $scans);
	$node->safe_psql('d1',
		'SELECT dp_count(*) FROM t; SELECT count(*) FROM t; SELECT dp_count(*) FROM t');
	is($node->safe_psql('d1', $scans), $before + 1, 'plain queries are counted as ever');

	# The planner looks for the largest key, which is private below a release, and nobody's secret elsewhere.
	my $looks =
	  "SELECT sum(idx_blks_read + idx_blks_hit) FROM pg_statio_user_tables WHERE relname = 't'";
	$before = $node->safe_psql('d1', $looks);
	$node->safe_psql('d1', 'EXPLAIN SELECT dp_count(*) > 0 FROM t WHERE id > 298');
	is($node->safe_psql('d1', $looks), $before, 'planning a release is not counted');
	$node->safe_psql('d1', 'EXPLAIN SELECT count(*) > 0 FROM t WHERE id > 298');
	cmp_ok($node->safe_psql('d1', $looks), '>', $before, 'planning a plain query is');
}

# ---- EXPLAIN ----

# With all there is to see, as a role that may not read the rows themselves; planning and times aside.
foreach my $db (sort keys %rows)
{
	$node->safe_psql($db, <<'SQL');
CREATE VIEW v AS SELECT * FROM t;
GRANT SELECT ON v TO PUBLIC;
SQL
}
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN');
foreach my $format ('TEXT', 'JSON')
{
	foreach my $query (
		'SELECT dp_count(*), dp_count(DISTINCT name) FROM v',
		'SELECT dp_count(*) FROM v WHERE id = 7',
		'SELECT yes, dp_count(*) FROM v GROUP BY yes ORDER BY yes',
		'SELECT a.k, r.c FROM pub a, (SELECT dp_count(*) AS c FROM v) r WHERE a.k < 3')
	{
		my @plans;
		foreach my $db (sort keys %rows)
		{
			my ($out, $err) = client($db, <<"SQL");
GRANT SELECT ON pub TO analyst;
SET ROLE analyst;
SET work_mem = '64kB';
EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS, WAL, FORMAT $format) $query;
SQL
			$out =~ s/^Planning:\n.*//ms;
			$out =~ s/"Planning": \{.*?\}//s;
			push @plans, $out;
		}
		is($plans[1], $plans[0], "EXPLAIN $format, $query: the same for both");
		like($plans[0], qr/Reads.*v/, "EXPLAIN $format: it is a plan of a release");
		unlike(
			$plans[0],
			qr/Seq Scan on (public\.)?t\b|Index.* on t\b/,
			"EXPLAIN $format: and not of what is below");
	}
}

# ---- pg_stat_statements ----

foreach my $libraries ('pg_stat_statements,dpriv', 'dpriv,pg_stat_statements')
{
	$node->append_conf('postgresql.conf',
		"shared_preload_libraries = '$libraries'\npg_stat_statements.track = all\ntrack_io_timing = on\n"
	);
	$node->restart;
	my %seen;
	foreach my $db (sort keys %rows)
	{
		my $columns =
		  'calls, rows, shared_blks_hit + shared_blks_read AS blocks, shared_blks_dirtied, shared_blks_written, '
		  . 'local_blks_hit, temp_blks_read, temp_blks_written, wal_records, wal_bytes, toplevel';
		my $queries = join ";\n", 'SELECT dp_count(*) FROM t',
		  'SELECT dp_count(*) FROM t WHERE id = 7',
		  'SELECT yes, dp_count(DISTINCT name) FROM t GROUP BY yes',
		  'SELECT k, (SELECT dp_count(*) + k FROM t) FROM pub ORDER BY k';
		$node->safe_psql($db,
			"CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()");
		# Once before, so that the catalog is in the caches of this session.
		$seen{$db} = $node->safe_psql($db, <<"SQL" =~ s/\0//r);
SET work_mem = '64kB';
\\o /dev/null
$queries;
SELECT pg_stat_statements_reset();
$queries;
$queries;
\\o
SELECT query, $columns FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE datname = current_database()
AND query LIKE '%dp_count%' ORDER BY query;
SQL
		my $inner = $node->safe_psql($db,
			"SELECT count(*) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE datname = current_database() AND query NOT LIKE '%dp_count%' AND query LIKE '%FROM t%'"
		);
		is($inner, '0', "$libraries, $db: no entry for what runs below");
	}
	is($seen{d2},                     $seen{d1}, "$libraries: the same numbers for both");
	is(scalar(split /\n/, $seen{d1}), 4,         "$libraries: the statements themselves are there");
	unlike($seen{d1}, qr/\|\d+\|\d+\|[1-9]\d\d/, "$libraries: no blocks of the table");
}

# ---- Debug messages, which tell of what a session has looked up, end with the first release ----

$node->safe_psql('d1', <<'SQL');
CREATE ROLE listener LOGIN;
GRANT SELECT ON t, pub TO listener;
CREATE FUNCTION hear() RETURNS int LANGUAGE plpgsql SET client_min_messages = debug5 AS $$
BEGIN
	RAISE DEBUG 'heard';
	RETURN 1;
END
$$;
SQL
my $release = 'SELECT dp_count(*) > 0 FROM t';
my %levels = (
	'set before' => [ 'SET client_min_messages = debug5', 'SELECT k FROM pub' ],
	'set afterwards' => [ 'SELECT 1', 'SET client_min_messages = debug5; SELECT k FROM pub' ],
	'set_config()' => [ 'SELECT 1', "SELECT set_config('client_min_messages', 'debug5', false); SELECT k FROM pub" ],
	'set in a function' => [ 'SELECT 1', 'SELECT hear()' ],
	'rolled back' => [ 'SET client_min_messages = debug5; BEGIN; SET LOCAL client_min_messages = error', 'ROLLBACK; SELECT k FROM pub' ]);
foreach my $name (sort keys %levels)
{
	my ($before, $after) = @{ $levels{$name} };
	my %heard;
	foreach my $role ('listener', 'postgres')
	{
		$node->psql('d1', "$before; $release;\n\\warn mark\n$after; SHOW client_min_messages", stderr => \$heard{$role},
			extra_params => [ '-U', $role ], on_error_stop => 0);
		$heard{$role} =~ s/\A.*^mark$//ms or fail("$name: a release");
	}
	unlike($heard{listener}, qr/DEBUG/, "$name: no debug messages for a role that must not see rows");
	like($heard{postgres}, qr/DEBUG/, "$name: but for a superuser");
}
is($node->safe_psql('d1', "$release; SET client_min_messages = debug5; SHOW client_min_messages", extra_params => [ '-U', 'listener' ]), "t\ndebug5", 'the setting is what it was set to');

done_testing();
