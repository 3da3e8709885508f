#!/usr/bin/env perl
# Random statements of a role that must not see rows, for ten minutes (DPRIV_MINUTES: another time; DPRIV_SEED: a seed).
#
# Three clients: statements of sqlsmith; sqlsmith's queries with a private aggregate around them; statements of
# test/lib/Releases.pm.  sqlsmith makes its statements from the catalog that the role sees, and psql sends them, since
# sqlsmith would not show what it is answered.  The server runs a build with assertions.  All texts and numbers of the
# protected relations have canaries in them, and nothing that any client is told, rows, messages or errors, may have one.
# Rows with the same canary are too few for a group of their own.
#
# First, in another database of the same contents, the role is trusted for a while: then the canaries have to be found.

use strict;
use warnings;

use Cwd qw(getcwd);
use File::Basename qw(basename);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use IO::Handle;
use IO::Select;
use IPC::Open3;
use JSON::PP;
use List::Util qw(max min sum0);

use lib "$FindBin::Bin/../lib";
use Releases qw(statement);

use constant TEXT_CANARY   => 'kea7z';      # and the number of the row: pieces without it are common enough to be released
use constant NUMBER_CANARY => 918273000;    # and the next 499

# What must be reached: the share of statements that name something protected; releases of each client in ten
# minutes; answers with canaries while the role is trusted.
use constant LEAST_SHARE    => 0.5;
use constant LEAST_RELEASES => { sqlsmith => 1, wrapped => 50, grammar => 1000 };
use constant LEAST_CONTROL  => { sqlsmith => 1, wrapped => 0, grammar => 1 };

# Statements after which settings change, and after which sqlsmith starts with another seed.
use constant SETTINGS_AFTER => 100;
use constant RESTART_AFTER  => 3000;

my $canary = do {
	my ($text, $hex) = (TEXT_CANARY, unpack 'H*', TEXT_CANARY);
	qr/$text\d|${hex}3|(?<![\d.])918273[0-4]\d\d(?!\d)/i;
};

skip('sqlsmith is not installed') if system('sqlsmith --version >/dev/null 2>&1') != 0;
my $minutes = $ENV{DPRIV_MINUTES} // 10;
my $seed    = $ENV{DPRIV_SEED} // time % 1_000_000;
my $log     = getcwd() . '/build/long/sqlsmith';
my $lib     = getcwd() . '/build/assertions';
my $bin     = `$ENV{PG_CONFIG} --bindir`;
chomp $bin;
my %source = map { basename($_) => 1 } glob('src/*.c src/*/*.c');
my $dir = tempdir('dpriv-smith-XXXXXX', DIR => $ENV{TMPDIR} // '/tmp', CLEANUP => 1) . '/s';
my $main = $$;
my $database = 'postgres';
my @problems;

$| = 1;
$SIG{PIPE} = 'IGNORE';
$SIG{INT} = $SIG{TERM} = $SIG{HUP} = sub { exit 130 };
END
{
	my $status = $?;
	system('test/bin/cluster', 'stop', $dir) if $dir && $$ == $main;
	$? = $status;
}

print "seed $seed, $minutes minutes\n";
make_path($log);
system("COPT=-Werror test/bin/build --dir $lib DPRIV_CPPFLAGS=-DUSE_ASSERT_CHECKING=1 >$log/build") == 0
  or die "the build with assertions failed\n";
system('test/bin/cluster', 'start', $dir, '--lib', $lib, 'fsync = off', 'autovacuum_naptime = 10s',
	'log_min_error_statement = panic', 'max_locks_per_transaction = 256') == 0
  or die "the server did not start\n";

my %relations = build_database();
my $names = join '|', sort keys %relations;
my $protected = qr/\b(?:$names|visit_\d|row_of|name_of|names_of)\b/;
my $parallel = admin('SHOW server_version_num') >= 160000 ? 'debug_parallel_query' : 'force_parallel_mode';

my %client = (
	sqlsmith => \&plain_smith,
	wrapped  => \&wrapped_smith,
	grammar  => \&grammar);

# Where rows may be seen, canaries are.  What is written meanwhile stays in a database of its own.
admin('CREATE DATABASE trusted TEMPLATE postgres', 'template1');
$database = 'trusted';
admin("SET client_min_messages = error;
	SELECT dpriv.trust(r, 'client') FROM unnest(ARRAY['adult', 'visit']::regclass[]) AS r");
my %control = run_clients(max(20, 6 * $minutes));
foreach my $name (sort keys %client)
{
	my $found = @{ $control{$name}{canaries} };
	print "trusted, $name: $control{$name}{statements} statements, canaries in $found\n";
	problem("$name finds too few canaries where rows may be seen") if $found < LEAST_CONTROL->{$name};
}

$database = 'postgres';
my %result = run_clients(60 * $minutes);
report();
exit(@problems ? 1 : 0);

# --- the database

# Runs SQL as a superuser.
sub admin
{
	my ($sql, $where) = @_;

	open my $pipe, '-|', "$bin/psql", '-h', $dir, '-U', 'postgres', '-d', $where // $database, '-XqAt', '-v',
	  'ON_ERROR_STOP=1', '-c', $sql
	  or die "psql: $!\n";
	my $answer = join '', readline $pipe;
	close $pipe or die "failed: $sql\n";
	chomp $answer;
	return $answer;
}

# Protected relations, and what is made of them.  Returns the relations that can be read, with columns by kind.
sub build_database
{
	my ($text, $number) = ("'" . TEXT_CANARY . "' || id", NUMBER_CANARY . ' + id * 211 % 500');
	my @texts = qw(name workclass education marital_status occupation relationship race native_country);
	my @numbers = qw(age education_num capital_gain capital_loss hours_per_week);

	admin('CREATE EXTENSION dpriv; GRANT CREATE ON SCHEMA public TO PUBLIC');
	system("$bin/psql", '-h', $dir, '-U', 'postgres', '-Xq', '-f', 'data/adult.sql') == 0 or die "no example data\n";
	admin('UPDATE adult SET ' . join ', ', (map { "$_ = $text" } @texts), map { "$_ = $number" } @numbers);
	admin(<<"SQL");
CREATE ROLE boss LOGIN;
CREATE ROLE client LOGIN;
CREATE ROLE sqlsmith LOGIN IN ROLE client;
CREATE ROLE wrapped LOGIN IN ROLE client;
CREATE ROLE grammar LOGIN IN ROLE client;
ALTER TABLE adult OWNER TO boss;
SET ROLE boss;
CREATE TABLE visit (id int PRIMARY KEY, name text, age int, pay numeric, w float8, day date, sex adult_sex)
	PARTITION BY RANGE (id);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES FROM (0) TO (1000);
CREATE TABLE visit_2 PARTITION OF visit DEFAULT;
INSERT INTO visit SELECT id, $text, $number, $number, $number, date '2020-01-01' + id, sex FROM adult WHERE id <= 3000;
CREATE INDEX ON adult (lower(name));
CREATE STATISTICS dependent (mcv, dependencies) ON name, age FROM adult;
CREATE VIEW boss_adult AS SELECT id, name, age, education, sex, income FROM adult;
CREATE VIEW barrier_adult WITH (security_barrier) AS SELECT * FROM adult WHERE age > 10;
CREATE VIEW invoker_visit WITH (security_invoker) AS SELECT * FROM visit;
CREATE TABLE plain (n int, f float8, t text, d timestamptz, b boolean);
CREATE TABLE plain_2 (LIKE plain);
CREATE TABLE plain_3 (i bigint, k numeric, s adult_sex, j jsonb);
CREATE TABLE plain_4 (LIKE plain_3);
CREATE TABLE plain_5 (a int[], u uuid, t text);
INSERT INTO plain SELECT i, i, 'text ' || i, now(), i % 2 = 0 FROM generate_series(1, 50) AS i;
CREATE FUNCTION name_of(int) RETURNS text LANGUAGE sql STABLE AS 'SELECT name FROM adult WHERE id = \$1';
CREATE FUNCTION row_of(int) RETURNS text LANGUAGE plpgsql STABLE AS
	'BEGIN RETURN (SELECT v::text FROM visit AS v WHERE v.id = \$1); END';
CREATE FUNCTION names_of(int) RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT name FROM boss_adult WHERE id < \$1';
SET client_min_messages = error;
SELECT dpriv.protect('adult', unit => 'row'), dpriv.protect('visit', unit => 'row');
GRANT SELECT, INSERT, UPDATE, DELETE ON adult, visit, visit_1, visit_2, plain, plain_2, plain_3, plain_4, plain_5 TO client;
GRANT SELECT ON boss_adult, barrier_adult, invoker_visit TO client;
SELECT dpriv.grant_budget(g, r, 1e6, 0.01)
FROM unnest(ARRAY['sqlsmith', 'wrapped', 'grammar']) AS g, unnest(ARRAY['adult', 'visit']::regclass[]) AS r;
RESET ROLE;
SET ROLE client;
CREATE VIEW mine AS SELECT * FROM adult;
CREATE SEQUENCE counter;
CREATE FUNCTION said(anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN RAISE NOTICE ''said %'', \$1; RETURN \$1; END';
CREATE FUNCTION heard(text) RETURNS bool LANGUAGE plpgsql COST 0.0001 AS
	'BEGIN RAISE NOTICE ''heard %'', \$1; RETURN true; END';
CREATE FUNCTION same(text, text) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN RAISE NOTICE ''same %'', \$1; RETURN \$1 = \$2; END';
CREATE OPERATOR ==== (LEFTARG = text, RIGHTARG = text, FUNCTION = same, RESTRICT = eqsel);
SQL
	foreach my $role (sort keys %{ LEAST_RELEASES() })
	{
		admin("ALTER ROLE $role SET dpriv.epsilon = 0.5; ALTER ROLE $role SET dpriv.delta = 1e-15;
			ALTER ROLE $role SET statement_timeout = '1s'");
	}
	admin('VACUUM ANALYZE');

	my %adult = (number => [ 'id', @numbers ], text => \@texts, enum => [ 'sex', 'income' ]);
	my %some  = (number => [ 'id', 'age' ], text => [ 'name', 'education' ], enum => [ 'sex', 'income' ]);
	my %visit = (
		number => [ 'id', 'age', 'pay', 'w', "(day - date '2020-01-01')", 'extract(year FROM day)' ],
		text   => ['name'],
		enum   => ['sex']);
	return (
		adult         => \%adult,
		mine          => \%adult,
		barrier_adult => \%adult,
		boss_adult    => \%some,
		visit         => \%visit,
		visit_1       => \%visit,
		invoker_visit => \%visit);
}

# --- what clients send: each returns a function that returns statements

# Statements of sqlsmith, which is started again with another seed when it ends.
sub smith
{
	my $pipe;
	my ($count, $turn) = (0, 0);

	return sub {
		my $statement = '';
		while (1)
		{
			if (!$pipe)
			{
				local $SIG{PIPE} = 'DEFAULT';
				$turn++;
				open $pipe, '-|', 'sqlsmith', "--target=host=$dir user=sqlsmith dbname=$database", '--dry-run',
				  '--seed=' . ($seed + $turn), '--max-queries=' . RESTART_AFTER, $turn % 3 ? '--exclude-catalog' : ()
				  or die "sqlsmith: $!\n";
			}
			my $line = readline $pipe;
			if (!defined $line)
			{
				close $pipe;
				undef $pipe;
				die "sqlsmith makes no statements\n" if $turn > 3 && $count == 0;
				$statement = '';
				next;
			}
			next if $statement eq '' && $line !~ /^\s*(?:select|insert|update|delete|with|merge)\b/i;
			$statement .= $line;
			next if $line !~ /;\s*$/;
			$count++;

			# It takes these for types that operators of that name have.
			$statement =~ s/\bany(multirange|range)\b/int4$1/g;
			$statement =~ s/\banyarray\b/int4[]/g;
			return $statement =~ s/;\s*$//r;
		}
	};
}

sub plain_smith
{
	return smith();
}

# A private aggregate around them; around the conditions alone of those that read one relation.
sub wrapped_smith
{
	my $next = smith();

	return sub {
		while (1)
		{
			my $statement = $next->();
			next if $statement !~ s/^\s*select\s+(?:distinct\s+)?//;
			my ($relation, $alias, $condition) = $statement =~ /\nfrom \n  public\.(\w+) as (\w+)\nwhere (.*)\nlimit \d+\s*$/s;
			return "SELECT dp_count(*) FROM $relation AS $alias WHERE $condition"
			  if defined $relation && $relations{$relation} && rand() < 0.7;
			$statement =~ s/\nlimit \d+\s*$//;
			return 'SELECT ' . (rand() < 0.5 ? 'dp_count(*)' : 'dp_count(c0)') . " FROM (SELECT $statement) AS s";
		}
	};
}

sub grammar
{
	return sub { return statement(\%relations) };
}

# Settings that change how statements are planned and executed, never what comes out.
sub settings
{
	my %setting = (
		jit              => rand() < 0.2 ? 'on' : 'off',
		jit_above_cost   => 0,
		$parallel        => rand() < 0.3 ? 'on' : 'off',
		plan_cache_mode  => (qw(auto force_generic_plan force_custom_plan))[ rand 3 ],
		enable_partitionwise_aggregate => rand() < 0.5 ? 'on' : 'off',
		client_min_messages            => (qw(notice log debug1 debug5))[ rand 4 ]);

	return join ' ', map { "SET $_ = $setting{$_};" } sort keys %setting;
}

# --- clients

# All of them side by side for so many seconds.  Returns what became of each.
sub run_clients
{
	my ($seconds) = @_;
	my $until = time + $seconds;
	my (%pid, %result);

	foreach my $name (sort keys %client)
	{
		my $pid = fork // die "fork: $!\n";
		if ($pid == 0)
		{
			open STDERR, '>', "$log/$name.err" or die "$log/$name.err: $!\n";    # sqlsmith talks
			my $result = eval { run_client($name, $until) } // { died => $@ };
			open my $file, '>', "$log/$name.json" or die "$log/$name.json: $!\n";
			print $file encode_json($result);
			close $file;
			require POSIX;
			POSIX::_exit(0);
		}
		$pid{$name} = $pid;
	}
	foreach my $name (sort keys %pid)
	{
		waitpid $pid{$name}, 0;
		open my $file, '<', "$log/$name.json" or die "$name left nothing\n";
		$result{$name} = decode_json(join '', readline $file);
		die "$name: $result{$name}{died}" if $result{$name}{died};
	}
	return %result;
}

# One client: sessions of psql, one after the other if they end early.
sub run_client
{
	my ($name, $until) = @_;
	my %result = (statements => 0, touching => 0, sessions => 0, states => {}, canaries => [], internal => {});

	srand($seed + ord $name);
	my $next = $client{$name}->();
	while (time < $until)
	{
		die "too many sessions end early\n" if $result{sessions}++ > 500;
		run_session($name, $next, $until, \%result);
	}
	return \%result;
}

# A session: the statements are sent one by one, and what comes back is read up to a mark on both streams.
sub run_session
{
	my ($name, $next, $until, $result) = @_;
	my $pid = open3(my $in, my $out, my $err = IO::Handle->new, "$bin/psql", '-h', $dir, '-U', $name, '-d', $database,
		'-XA', '-v', 'VERBOSITY=verbose', '-v', 'SHOW_CONTEXT=always');
	my $select = IO::Select->new($out, $err);
	my $number = 0;

	$in->autoflush(1);
	while (time < $until)
	{
		my $statement = $next->();
		my $preset = $number % SETTINGS_AFTER == 0 ? settings() : '';
		my ($mark, %got) = ('mark ' . ++$number . ' of ' . int(rand 1e6), $out => '', $err => '');
		my $ended = 0;

		print $in "$preset\n$statement\n;\nROLLBACK;\n\\echo $mark\n\\warn $mark\n" or $ended = 1;
		until ($ended || ($got{$out} =~ /^\Q$mark\E$/m && $got{$err} =~ /^\Q$mark\E$/m))
		{
			my @ready = $select->can_read(120) or die "no answer to: $statement\n";
			foreach my $stream (@ready)
			{
				sysread($stream, $got{$stream}, 65536, length $got{$stream}) or $ended = 1;
			}
		}
		judge($name, $statement, $got{$out}, $got{$err}, $result);
		last if $ended;
	}
	close $in;
	kill TERM => $pid;
	waitpid $pid, 0;
	return;
}

# What is to be said of one answer.
sub judge
{
	my ($name, $statement, $out, $err, $result) = @_;
	my @states = $err =~ /\b(?:ERROR|FATAL|PANIC):  (\w{5}):/g;

	$result->{statements}++;
	$result->{touching}++ if $statement =~ $protected;
	$result->{states}{$_}++ foreach @states ? $states[0] : 'answered';
	if ("$out\n$err" =~ /^(.*(?:$canary).*)$/m)
	{
		my $line = $1;
		push @{ $result->{canaries} }, "$statement\n=> " . substr($line, 0, 500) if @{ $result->{canaries} } < 50;
	}
	while ($err =~ /(?:ERROR|FATAL):  XX000: (.*?)\n(?:.*\n)*?LOCATION:  \w+, ([\w.]+):\d+/g)
	{
		my ($message, $file) = ($1, $2);
		$result->{internal}{ $source{$file} ? "$file: $message\n$statement" : "of PostgreSQL" }++;
	}
	return;
}

# --- the report

sub problem
{
	print "PROBLEM: $_[0]\n";
	push @problems, $_[0];
	return;
}

# Releases that a role has paid for.
sub charges
{
	my ($role) = @_;
	return admin("SELECT count(DISTINCT charge_id) FROM dpriv.ledger WHERE session_role = '$role'");
}

sub report
{
	foreach my $name (sort keys %client)
	{
		my $r = $result{$name};
		my $releases = charges($name);
		my $share = $r->{statements} ? $r->{touching} / $r->{statements} : 0;

		printf "%s: %d statements in %d sessions, %.0f %% name something protected, %d charges\n", $name, $r->{statements},
		  $r->{sessions}, 100 * $share, $releases;
		my %states = %{ $r->{states} };
		print '  ', join(', ', map { "$_ $states{$_}" } sort { $states{$b} <=> $states{$a} } keys %states), "\n";
		problem("$name: a canary in the answer to\n$_") foreach @{ $r->{canaries} };
		problem("$name: internal error of $_") foreach grep { $_ ne 'of PostgreSQL' } sort keys %{ $r->{internal} };
		problem("$name: only $releases charges") if $releases < int(LEAST_RELEASES->{$name} * min(1, $minutes / 10));
		problem("$name: only $share of its statements name something protected") if $share < LEAST_SHARE;
	}
	my ($broken) = admin('SELECT count(*) FROM dpriv.verify_ledger()');
	problem("the ledger is broken: $broken") if $broken;

	open my $file, '<', "$dir/log" or die "$dir/log: $!\n";
	my @crash = grep { /PANIC:|TRAP:|terminated by signal|was not properly shut down|unexpected exit/ } readline $file;
	close $file;
	system('cp', "$dir/log", "$log/server");
	problem("the server's log has: $_") foreach @crash;
	my $statements = sum0(map { $_->{statements} } values %result);
	print "$statements statements, ", @problems ? @problems . ' problems' : 'no problems', "\n";
	return;
}

sub skip
{
	print "$_[0]\n";
	exit 77;
}
