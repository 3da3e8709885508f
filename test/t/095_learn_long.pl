#
# 095_learn_long.pl
#	  Long trainings: what dpriv.progress shows and to whom, cancels at every moment, rows on disk, a disk that fails.
#
use strict;
use warnings;
use IPC::Run;
use List::Util qw(max);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(time usleep);
use Test::More;

# Seconds that a statement may go on after it was cancelled; far above what it needs, for the sake of busy machines.
use constant AFTER_CANCEL => 2;
use constant CANCELS      => 25;

my $node = PostgreSQL::Test::Cluster->new('learn_long');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'dpriv'
autovacuum = off
jit = off
max_parallel_workers_per_gather = 0
log_statement = none
CONF
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dpriv;
CREATE TABLE large AS SELECT i % 101 AS a, (i * 37 % 1009)::float8 AS b, (ARRAY['ant', 'bee', 'cat'])[1 + i % 3] AS city, i % 7 < 3 AS y
FROM generate_series(1, 200000) i;
CREATE TABLE model (term text, weight float8);
INSERT INTO model VALUES ('intercept', -1), ('a', 0.02), ('b', 0);
CREATE ROLE analyst LOGIN;
CREATE ROLE colleague LOGIN;
CREATE ROLE monitor LOGIN;
GRANT pg_read_all_stats TO monitor;
GRANT SELECT ON large, model TO analyst;
SELECT dpriv.protect('large', unit => 'row');
SELECT dpriv.grant_budget('analyst', 'large', 10000, 0.01);
SQL

sub training
{
	my ($method, $more, $epsilon) = @_;
	my $options = join ', ', '"features": {"a": [0, 100], "b": [0, 1008], "city": ["ant", "bee"]}', $more // ();
	return "SELECT count(*) FROM dp_logreg_train('large', 'y', ARRAY['a', 'b', 'city'], @{[$epsilon // 1]}, 1e-6, '$method', options => '{$options}')";
}

my $scripts = 0;

# Starts psql on a script and returns at once.
sub background
{
	my ($sql, $role) = @_;
	my $file   = PostgreSQL::Test::Utils::tempdir() . '/' . $scripts++ . '.sql';
	my %run    = (out => '', err => '');
	append_to_file($file, $sql);
	$run{harness} = IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-U', $role // 'analyst', '-f', $file ],
		'<', \undef, '>', \$run{out}, '2>', \$run{err});
	return \%run;
}

sub progress
{
	my ($role, $columns) = @_;
	return $node->safe_psql('postgres', "SELECT @{[$columns // '*']} FROM dpriv.progress", extra_params => [ '-U', $role ]);
}

# ---- The view ----

my $endless = training('course', '"iterations": 1000');
is(progress('analyst'), '', 'nothing runs');
my $run = background($endless);
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM dpriv.progress WHERE phase = 'steps' AND done > 0"), 'steps are counted');
my $pid = $node->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE usename = 'analyst'");
foreach my $role (qw(analyst monitor))
{
	my @row = split /\|/, progress($role, "pid, role, command, phase, done BETWEEN 1 AND 999, total, started_at BETWEEN now() - interval '10 min' AND now()");
	is("@row", "$pid analyst dp_logreg_train steps t 1000 t", "$role sees all of it");
}
is(progress('colleague'), "$pid|analyst|||||", 'others see that it runs');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
$run->{harness}->finish;
like($run->{err}, qr/canceling statement due to user request/, 'it is cancelled');
unlike($run->{err}, qr/CONTEXT|DETAIL/, 'and does not say where');
is(progress('monitor'), '', 'and is gone from the view');

# Rows are never counted, not even for those who may see everything.
$run = background("SELECT dp_count(large, 1) FROM large WHERE length(repeat(city, 3000)) > 0", 'postgres');
my $seen = '';
until ($seen ne '' || !$run->{harness}->pumpable)
{
	$seen = progress('monitor', 'role, command, phase, done, total');
}
$run->{harness}->finish;
is($seen, 'postgres|release|reading rows||', 'a release is seen, without any number');

# Whose end is no error that could be caught.
$run = background($endless);
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM dpriv.progress");
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid) FROM dpriv.progress');
$run->{harness}->finish;
ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM dpriv.progress'), 'a session that ends leaves nothing');

# A subtransaction that fails.
is( $node->safe_psql('postgres', <<"SQL"), '0', 'nor does an error that is caught');
SET statement_timeout = '300ms';
DO \$\$
BEGIN
	PERFORM FROM ($endless) s;
EXCEPTION WHEN query_canceled THEN
	SET statement_timeout = 0;
	IF EXISTS (SELECT FROM dpriv.progress) THEN RAISE EXCEPTION 'still there'; END IF;
END \$\$;
SELECT count(*) FROM dpriv.progress;
SQL

# With a quantum of time, phases would tell more than the end does.
$node->safe_psql('postgres', "ALTER ROLE analyst SET dpriv.time_quantum = '1h'");
$run = background($endless);
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM dpriv.progress");
$pid = progress('monitor', 'pid');
my %shown;
for (1 .. 20)
{
	$shown{ progress('monitor', 'pid, role, command, phase, done, total') }++;
	usleep(50_000);
}
is(join(' ', keys %shown), "$pid|analyst|dp_logreg_train|||", 'with dpriv.time_quantum only the beginning is shown');
$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
$run->{harness}->finish;
$node->safe_psql('postgres', 'ALTER ROLE analyst RESET dpriv.time_quantum');

# ---- Cancels ----

# By another session, in phases that are long enough to be seen.  Slow conditions are for the owner only.
my %long = (
	'reading rows' => [ 'dp_logreg_train', training('gd') =~ s/options =>/filter => 'length(repeat(city, 3000)) > 0', options =>/r ],
	'steps' => [ 'dp_logreg_train', $endless ],
	'steps ' => [ 'dp_logreg_train', training('sgd', '"rate": 0.001, "epochs": 400') ],
	'reading rows ' => [ 'dp_logreg_evaluate', "SELECT count(*) FROM dp_logreg_evaluate('model', 'large', 'y', 1, filter => 'length(repeat(city, 3000)) > 0')" ]);
my @late;
foreach my $phase (sort keys %long)
{
	my ($command, $sql) = @{ $long{$phase} };
	my $condition = "command = '$command' AND phase = '@{[$phase =~ s/ $//r]}'";
	$run = background($sql, 'postgres');
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM dpriv.progress WHERE $condition");
	my $late = $node->safe_psql('postgres', <<"SQL");
DO \$\$
DECLARE
	victim int := (SELECT pid FROM dpriv.progress);
	began timestamptz := clock_timestamp();
BEGIN
	PERFORM pg_cancel_backend(victim);
	WHILE EXISTS (SELECT FROM dpriv.progress WHERE pid = victim) AND clock_timestamp() < began + interval '60 s' LOOP
		PERFORM pg_sleep(0.001);
	END LOOP;
	PERFORM set_config('test.late', extract(epoch FROM clock_timestamp() - began)::text, false);
END \$\$;
SELECT current_setting('test.late');
SQL
	$run->{harness}->finish;
	like($run->{err}, qr/canceling statement due to user request/, "$command, $phase: cancelled");
	cmp_ok($late, '<', AFTER_CANCEL, "$command, $phase: soon");
	push @late, $late;
}
note(sprintf 'longest time from cancel to end: %.0f ms', 1000 * max(@late));

# At every moment: after timeouts that are spread over the time that the statement takes.
foreach my $case (
	[ 'gd', training('gd') ],
	[ 'gd on disk', 'SET maintenance_work_mem = 1024; ' . training('gd') ],
	[ 'course', training('course') ],
	[ 'sgd', training('sgd', '"rate": 0.001, "epochs": 3') ],
	[ 'evaluation', "SELECT count(*) FROM dp_logreg_evaluate('model', 'large', 'y', 1)" ])
{
	my ($name, $sql) = @$case;
	my $set = $sql =~ s/^(SET [^;]*;)// ? $1 : '';
	my ($out, $err);
	$node->psql('postgres', "$set\n$sql;\n\\timing\n$sql;", stdout => \$out, stderr => \$err, extra_params => [ '-U', 'analyst' ]);
	my ($ms) = $out =~ /Time: ([\d.]+) ms/ or die "no time in: $out$err";
	my $script = "$set\n\\timing\n" . join '', map { "SET statement_timeout = $_;\n$sql;\n" } map { 1 + int($ms * $_ / CANCELS) } 0 .. CANCELS - 1;
	$node->psql('postgres', $script, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', 'analyst' ]);
	my @times  = $out =~ /Time: ([\d.]+) ms/g;
	my @errors = $err =~ /ERROR:  (.*)/g;
	is(scalar @times, 2 * CANCELS, "$name: all statements ended") or diag($err);
	cmp_ok(scalar @errors, '>', CANCELS / 4, "$name: many were cancelled");
	is_deeply([ grep { $_ ne 'canceling statement due to statement timeout' } @errors ], [], "$name: and by nothing else");
	my $late = max(map { $times[ 2 * $_ + 1 ] - (1 + int($ms * $_ / CANCELS)) } 0 .. CANCELS - 1);
	note(sprintf '%s takes %.0f ms; longest time after a timeout: %.0f ms', $name, $ms, $late);
	cmp_ok($late, '<', max($ms, 0) + 1000 * AFTER_CANCEL, "$name: and soon");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_ls_tmpdir()'), 0, 'no files are left');

# ---- Rows on disk ----

my $offset = -s $node->logfile;
$node->safe_psql('postgres', "ALTER SYSTEM SET log_temp_files = 0; SELECT pg_reload_conf()");
my ($out, $err);
my $spill = "SET maintenance_work_mem = '1MB';\n";
$node->psql('postgres', $spill . training('gd') . ';', stdout => \$out, stderr => \$err, extra_params => [ '-U', 'analyst' ]);
is("$out$err", '6', 'more rows than memory');
like(slurp_file($node->logfile, $offset), qr/temporary file/, 'some were on disk');

# The limit of a session's files is not for rows that nobody may count.
$node->safe_psql('postgres', 'ALTER ROLE analyst SET temp_file_limit = 64');
$node->psql('postgres', $spill . training('gd') . ';', stdout => \$out, stderr => \$err, extra_params => [ '-U', 'analyst' ]);
is("$out$err", '6', 'temp_file_limit is not reached');
$node->safe_psql('postgres', 'ALTER ROLE analyst RESET temp_file_limit');

# A disk that fails: nothing but that it failed is told, whoever asks.
my $directory = $node->data_dir . '/base/pgsql_tmp';
my $charges = $node->safe_psql('postgres', 'SELECT count(*) FROM dpriv.ledger');
system('rm', '-rf', $directory);
append_to_file($directory, '');
foreach my $role (qw(analyst postgres))
{
	foreach my $method (qw(gd course))
	{
		my $offset = -s $node->logfile;
		$node->psql('postgres', "SET client_min_messages = debug5;\n\\set VERBOSITY verbose\n$spill" . training($method) . ';',
			stdout => \$out, stderr => \$err, extra_params => [ '-U', $role ]);
		my @errors = $err =~ /(ERROR: .*?^LOCATION:\s+\w+\n?)/msg;
		is("@errors\n", <<'ERROR', "$role, $method: the fixed text");
ERROR:  22000: private release failed while reading rows
DETAIL:  The cause is not shown because it may depend on private data.
HINT:  Use expressions that cannot fail, for example CASE around a division. The server's log has the cause.
LOCATION:  replace_error
ERROR
		unlike($err, qr/pgsql_tmp|could not/, "$role, $method: nothing of the file");
		like(slurp_file($node->logfile, $offset), qr/could not create temporary file|could not create.*pgsql_tmp/, "$role, $method: the log has it");
	}
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM dpriv.ledger') - $charges, 4, 'what failed has been charged');
unlink $directory;
is(progress('monitor'), '', 'and nothing is left in the view');

$node->stop;
unlike(slurp_file($node->logfile), qr/was terminated by signal|PANIC|TRAP:|leaked|reference leak/, 'no crash and no leak in the server log');

done_testing();
