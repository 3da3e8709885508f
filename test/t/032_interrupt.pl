#
# 032_interrupt.pl
#	  A release that is interrupted at any moment leaves nothing behind but its charge.
#
# Timeouts, cancels and terminations hit planning, charging, scanning, parallel workers and noise.  Afterwards the
# session has its settings, its locks and its connection as before, and what was spent stays spent.
#
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(usleep);
use Test::More;

my $EPSILON = 1000;    # a count is exact but for a probability of 2 e^-1000
my $node    = PostgreSQL::Test::Cluster->new('interrupt');
$node->init;
$node->append_conf('postgresql.conf', <<"CONF");
dpriv.max_epsilon = 1000
dpriv.epsilon = $EPSILON
autovacuum = off
jit = off
max_worker_processes = 16
max_parallel_workers = 8
log_min_messages = warning
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dpriv;
CREATE TABLE t AS SELECT i AS id, i % 3 = 0 AS flag, 'n' || i AS name FROM generate_series(1, 200000) i;
ALTER TABLE t SET (parallel_workers = 2);
ANALYZE t;
CREATE TABLE finished (x int);
-- What must be the same after every statement.
CREATE FUNCTION settings() RETURNS text LANGUAGE sql VOLATILE RETURN concat_ws(' ', current_setting('client_min_messages'),
	current_setting('track_counts'), current_setting('track_functions'),
	(SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 't'::regclass));
SQL
my $settings = 'warning on all 0';
my $serial   = "SET max_parallel_workers_per_gather = 0;\n";
my $parallel =
  "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;\n";
my $set = "SET client_min_messages = warning; SET track_functions = 'all';\n";

# Slow enough to be hit: some 100 ms.
my $slow    = "length(repeat(name, 400)) > 0";
my @queries = (
	"SELECT dp_count(*) FROM t WHERE $slow",
	"SELECT flag, dp_count(*), dp_sum_clipped(id, 0, 10), dp_avg(id, 0, 10) FROM t WHERE $slow GROUP BY flag",
	"SELECT dp_count(DISTINCT repeat(name, 3)) FROM t WHERE $slow",
	"SELECT dp_count(*), (SELECT dp_count(*) FROM t WHERE $slow) FROM t",
	"SELECT g, (SELECT dp_count(*) FROM t WHERE $slow) FROM generate_series(1, 2) g");

sub session
{
	my ($sql) = @_;
	my ($out, $err);
	my $ret = $node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0);
	return ($out, $err, $ret);
}

# Starts psql on a script and returns at once.
my $scripts = 0;
my $ignored;

sub background
{
	my ($sql) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/' . $scripts++ . '.sql';
	append_to_file($file, $sql);
	return IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-f', $file ],
		'<', \undef, '>', \$ignored, '2>', \$ignored);
}

# How long one of them takes, in milliseconds.
sub duration
{
	my ($sql) = @_;
	my ($out) = session("$sql; $sql;\n\\timing\n$sql;");
	return $out =~ /Time: ([\d.]+) ms/ ? $1 : die "no time in: $out";
}

# ---- statement_timeout, at every moment of the statement ----

foreach my $mode ([ 'serial', $serial ], [ 'parallel', $parallel ])
{
	my ($name, $preset) = @$mode;
	my $ms  = duration("$preset$queries[0]");
	my $sql = "$set$preset";
	foreach my $i (1 .. 50)
	{
		my $timeout = 1 + int(rand(1.2 * $ms));
		my $query   = $queries[ $i % @queries ];
		$sql .=
		  "SET statement_timeout = $timeout;\n$query;\nSET statement_timeout = 0;\nSELECT 'settings ' || settings();\n";
	}
	$sql .=
	  "SELECT 'spent ' || (dpriv.session_spent() > 0);\nSELECT 'count ' || dp_count(*) FROM t;\n";
	my ($out, $err, $ret) = session($sql);
	my @settings = $out =~ /^settings (.*)$/mg;
	my @errors   = $err =~ /(?:ERROR|FATAL|PANIC|WARNING):  (.*)$/mg;
	is($ret, 0, "$name timeouts: the session lives");
	is_deeply([ grep { $_ ne $settings } @settings ],
		[], "$name timeouts: settings and locks as before");
	is(scalar @settings, 50, "$name timeouts: every statement was followed by another");
	cmp_ok(scalar @errors, '>', 5, "$name timeouts: some were hit");
	is_deeply([ grep { $_ ne 'canceling statement due to statement timeout' } @errors ],
		[], "$name timeouts: and say so");
	like($out, qr/^count 200000$/m, "$name timeouts: the session still answers");
}

# A charge stays: each of these is cancelled long after its start.
foreach my $preset ($serial, $parallel)
{
	my ($out, $err) = session(<<"SQL");
$preset
SELECT dp_count(*) > 0 FROM t WHERE id < 10;
SELECT 'before ' || dpriv.session_spent();
SET statement_timeout = '150ms';
SELECT dp_count(*) FROM t WHERE length(repeat(name, 20000)) > 0;
SELECT 'after ' || dpriv.session_spent();
BEGIN;
SELECT dp_count(*) FROM t WHERE length(repeat(name, 20000)) > 0;
ROLLBACK;
DO \$\$
BEGIN
	PERFORM dp_count(*) FROM t WHERE length(repeat(name, 20000)) > 0;
EXCEPTION WHEN query_canceled THEN
	RAISE WARNING 'caught %', sqlerrm;
END
\$\$;
SELECT 'end ' || dpriv.session_spent();
SQL
	is( join(',', $out =~ /^((?:before|after|end) .*)$/mg),
		'before 1000,after 2000,end 4000',
		'cancelled releases are paid for');
	is( join(',', $err =~ /(?:ERROR|WARNING):  (.*)$/mg),
		join(',',
			('canceling statement due to statement timeout') x 2,
			'caught canceling statement due to statement timeout'),
		'a cancel is a cancel, caught or not');
	unlike($err, qr/repeat|length|dpriv release|parallel worker/, 'where it happened is not told');
}

# ---- pg_cancel_backend ----

sub canceller
{
	my ($function, $pause) = @_;

	# Cancels whoever runs a marked statement, until somebody says that it is enough.
	return <<"SQL";
DO \$\$
DECLARE
	until timestamptz := clock_timestamp() + interval '60 s';
BEGIN
	WHILE clock_timestamp() < until AND NOT EXISTS (SELECT FROM finished) LOOP
		PERFORM pg_sleep(random() * $pause);
		PERFORM pg_stat_clear_snapshot();
		PERFORM $function(pid) FROM pg_stat_activity
		WHERE application_name = 'victim' AND state = 'active' AND query LIKE '%marked%' AND backend_type = 'client backend';
	END LOOP;
END
\$\$;
SQL
}

foreach my $mode ([ 'serial', $serial ], [ 'parallel', $parallel ])
{
	my ($name, $preset) = @$mode;
	$node->safe_psql('postgres', 'TRUNCATE finished');
	my $hunter = background(canceller('pg_cancel_backend', 0.12));
	my $sql    = "SET application_name = victim;\n$set$preset";
	$sql .= "/* marked */ $_;\n" foreach map { $queries[ $_ % @queries ] } 1 .. 40;
	$sql .= "INSERT INTO finished VALUES (1);\n" x 3 . "SELECT pg_sleep(1);\n" x 2;
	$sql .=
	  "SELECT 'settings ' || settings();\nSELECT 'count ' || dp_count(*) FROM t;\nSELECT 'spent ' || dpriv.session_spent();\n";
	my ($answer, $complaints, $ret) = session($sql);
	$hunter->finish;
	my @errors = $complaints =~ /(?:ERROR|FATAL|PANIC|WARNING):  (.*)$/mg;
	is($ret, 0, "$name cancels: the session lives");
	cmp_ok(scalar @errors, '>', 3, "$name cancels: some were hit");
	is_deeply([ grep { $_ ne 'canceling statement due to user request' } @errors ],
		[], "$name cancels: and say so");
	like($answer, qr/^settings \Q$settings\E$/m, "$name cancels: settings and locks as before");
	like($answer, qr/^count 200000$/m,           "$name cancels: the session still answers");
	my ($spent) = $answer =~ /^spent (\d+)$/m;
	my $answered = 41 - @errors;
	cmp_ok($spent, '>=', $EPSILON * $answered, "$name cancels: what was answered is paid for");
	is($spent % $EPSILON, 0, "$name cancels: and by the whole");
}

# ---- Parallel workers that are shot ----

{
	$node->safe_psql('postgres', 'TRUNCATE finished');
	my $hunter = background(canceller('pg_terminate_backend', 0.1) =~
		  s/application_name = 'victim'.*'client backend'/backend_type = 'parallel worker'/r);
	my $sql = "$set$parallel" . "$queries[0];\n" x 25;
	$sql .= "INSERT INTO finished VALUES (1);\n" . "SELECT pg_sleep(1);\n";
	$sql .= "SELECT 'settings ' || settings();\nSELECT 'count ' || dp_count(*) FROM t;\n";
	my ($answer, $complaints, $ret) = session($sql);
	$hunter->finish;
	my @errors = $complaints =~ /(?:ERROR|FATAL|PANIC|WARNING):  (.*)$/mg;
	is($ret, 0, 'workers that are terminated: the session lives');
	cmp_ok(scalar @errors, '>', 0, 'workers that are terminated: some were hit');
	unlike($complaints, qr/n\d{3}|repeat/,
		'workers that are terminated: nothing is told about rows');
	like(
		$answer,
		qr/^settings \Q$settings\E$/m,
		'workers that are terminated: settings and locks as before');
	like($answer, qr/^count 200000$/m, 'workers that are terminated: the session still answers');
}

# ---- pg_terminate_backend ----

{
	my $ended = 0;
	foreach my $i (1 .. 16)
	{
		my $victim =
		  background("SET application_name = victim;\n"
			  . ($i % 2 ? $serial : $parallel)
			  . "$queries[$i % @queries];\n" x 5);
		$node->poll_query_until('postgres',
			"SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'victim'");
		usleep(int(rand(200_000)));
		$node->safe_psql('postgres',
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'"
		);
		$victim->finish;
		$ended++ if $victim->result(0) != 0;
	}
	cmp_ok($ended, '>', 3, 'terminated sessions: some were hit');
	$node->poll_query_until('postgres',
		"SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'victim' OR backend_type = 'parallel worker'"
	);
	is( $node->safe_psql(
			'postgres', "SELECT count(*) FROM pg_locks WHERE relation = 't'::regclass"),
		'0',
		'terminated sessions: no locks are left');
	is($node->safe_psql('postgres', 'SELECT dp_count(*) FROM t'),
		'200000', 'terminated sessions: others are not affected');
}

$node->stop;
my $log = slurp_file($node->logfile);
unlike(
	$log,
	qr/was terminated by signal|PANIC|TRAP:|leaked|refcount leak|reference leak/,
	'no crash and no leak in the server log');

done_testing();
