#!/usr/bin/env perl
# suites.pl [SUITE | FILE ...]: runs the suites in order and counts single tests over all of them.
#
# A suite that fails never hides the next one.  Whatever cannot be counted as a passed test is a failure: a
# program that dies, a plan that is not met, a cluster that does not start, a server process that crashes.
# Called by test/run, which sets PG_CONFIG.  Also understood:
#   DPRIV_LIB=DIR        test the library in DIR, made by test/bin/build --dir DIR
#   DPRIV_WRAP=COMMAND   run the server of the regression suite under COMMAND
#   DPRIV_PATIENCE=N     wait N times as long before something is taken to hang
#   DPRIV_LOG=DIR        leave the logs in DIR (default build/log)
#   DPRIV_JOBS=N         run N TAP files side by side (default: one for each core, at most 4)

use strict;
use warnings;

use Cwd qw(getcwd);
use File::Basename qw(basename);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use File::Temp qw(tempdir);
use TAP::Harness;

# Seconds after which one file, or one suite that runs as one command, is taken to hang.
use constant FILE_TIMEOUT  => 600;
use constant SUITE_TIMEOUT => 600;

my $pg_config = $ENV{PG_CONFIG} or die "PG_CONFIG is not set: use test/run\n";
my $top       = getcwd();
my $log       = "$top/" . ($ENV{DPRIV_LOG} // 'build/log');
my $patience  = $ENV{DPRIV_PATIENCE} // 1;
my $lib       = $ENV{DPRIV_LIB};
my $jobs      = $ENV{DPRIV_JOBS} // cores();
my %place     = map { $_ => ask("--$_") } qw(bindir pgxs);
my $pgxs_test = $place{pgxs} =~ s{/makefiles/pgxs\.mk$}{/test}r;
my ($passed, $failed) = (0, 0);

# Interrupted, leave no server behind: exit runs the END block.
my %running;
$SIG{INT} = $SIG{TERM} = $SIG{HUP} = sub { exit 130 };

$| = 1;
remove_tree($log);
make_path($log);
$ENV{PATH} = "$place{bindir}:$ENV{PATH}";

my @order = qw(unit regression isolation tap pgtap);
my %suite = (
	unit       => \&unit,
	regression => \&regression,
	isolation  => \&isolation,
	tap        => \&tap,
	pgtap      => \&pgtap);
my %chosen = choose(@ARGV);

foreach my $name (@order)
{
	next if @ARGV && !exists $chosen{$name};
	my $start = time;
	my ($good, $bad) = eval { $suite{$name}->(@{ $chosen{$name} // [] }) };
	if (my $error = $@)
	{
		print "$name: could not run: $error";
		($good, $bad) = (0, 1);
	}
	elsif (!defined $good)
	{
		print "$name: no tests\n";
		next;
	}
	printf "%s: %d passed, %d failed (%d s)\n", $name, $good, $bad, time - $start;
	$passed += $good;
	$failed += $bad;
}

# Nothing run is nothing shown.
$failed++ if $passed + $failed == 0;
print "$passed passed, $failed failed\n";
exit($failed ? 1 : 0);

# --- suites: each returns (passed, failed), or nothing if it has no tests, and dies if it cannot run.

# C programs that need no server, in cmocka's TAP.
sub unit
{
	return unless -e 'test/unit/Makefile';
	local $ENV{CMOCKA_MESSAGE_OUTPUT} = 'TAP';
	my $exit = command('unit', 'make', '-s', '-C', 'test/unit', 'check', "PG_CONFIG=$pg_config");
	my ($good, $bad) = count_lines('unit');
	$bad ||= 1 if $exit || !$good;
	tail("$log/unit.log", 60) if $bad;
	return ($good, $bad);
}

sub regression
{
	my @tests = @_ ? @_ : make_list('REGRESS');
	return unless @tests;
	return pg_regress('regression', "$pgxs_test/regress/pg_regress", $top, @tests);
}

sub isolation
{
	my @tests = @_ ? @_ : map { basename($_, '.spec') } sort glob 'test/specs/*.spec';
	return unless @tests;
	return pg_regress('isolation', "$pgxs_test/isolation/pg_isolation_regress", "$top/test", @tests);
}

# Perl programs; they start their own clusters with PostgreSQL::Test::Cluster.
sub tap
{
	my @files = @_ ? @_ : sort glob 'test/t/*.pl';
	return unless @files;
	my $tmp = tempdir('dpriv-tap-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	write_file("$tmp/temp.conf", "shared_preload_libraries = 'dpriv'\n",
		"max_wal_size = 256MB\n",
		$lib ? ("dynamic_library_path = '$lib:\$libdir'\n", "jit_inline_above_cost = -1\n") : ());
	local $ENV{TEMP_CONFIG}      = "$tmp/temp.conf";
	local $ENV{PG_REGRESS}       = "$pgxs_test/regress/pg_regress";
	local $ENV{PG_TEST_PORT_DIR} = "$tmp/ports";
	local $ENV{TESTDIR}          = $tmp;                     # 15
	local $ENV{TESTDATADIR}      = "$tmp/tmp_check";         # 16 and later
	local $ENV{TESTLOGDIR}       = "$tmp/tmp_check/log";
	mkdir "$tmp/ports";
	make_path("$tmp/tmp_check/log");

	my ($good, $bad, @broken) = harness(
		$jobs,
		sub {
			my ($file) = @_;
			return [ $^X, "-I$pgxs_test/perl", '-Itest/t', $file ];
		},
		@files);
	copy($_, "$log/") foreach glob "$tmp/tmp_check/log/*";
	foreach my $name (map { basename($_, '.pl') } @broken)
	{
		next unless -e "$log/regress_log_$name";
		print "  end of regress_log_$name:\n";
		tail("$log/regress_log_$name", 30);
	}
	return ($good, $bad);
}

# SQL files, each in a database of its own that has the extension in public and pgTAP out of the way.
sub pgtap
{
	my @files = @_ ? @_ : sort glob 'test/pgtap/*.sql';
	return unless @files;
	my $cluster = start_cluster('pgtap');
	my @psql    = ('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', $cluster, '-U', 'postgres');
	my @result  = eval {
		my $prepared = command('pgtap', @psql, '-d', 'template1', '-c', <<'SQL');
CREATE EXTENSION dpriv;
CREATE SCHEMA tap;
CREATE EXTENSION pgtap SCHEMA tap;
SQL
		$prepared = command('pgtap', @psql, '-d', 'template1', '-c',
			'ALTER ROLE postgres SET search_path = public, tap') unless $prepared;
		if ($prepared)
		{
			tail("$log/pgtap.log", 60);
			die "the database could not be prepared\n";
		}
		my ($good, $bad) = harness(
			1,
			sub {
				my ($file) = @_;
				my $database = basename($file, '.sql');
				# The file before may have crashed the server.
				for (1 .. FILE_TIMEOUT)
				{
					last if system('pg_isready', '-q', '-h', $cluster) == 0;
					sleep 1;
				}
				command('pgtap', @psql, '-d', 'postgres', '-c', qq(CREATE DATABASE "$database"));
				return [ @psql, '-A', '-t', '-P', 'pager=off', '-d', $database, '-f', $file ];
			},
			@files);
		($good, $bad);
	};
	my $error   = $@;
	my $crashes = stop_cluster('pgtap', $cluster);
	die $error if $error;
	$result[1] += $crashes;
	return @result;
}

# --- what suites are made of

sub pg_regress
{
	my ($name, $program, $inputdir, @tests) = @_;
	my $cluster = start_cluster($name);
	make_path("$log/$name/results");
	my $exit = command($name, $program, "--inputdir=$inputdir", "--outputdir=$log/$name",
		"--bindir=$place{bindir}", "--host=$cluster", '--port=5432', '--user=postgres',
		"--dbname=dpriv_$name", @tests);
	my ($good, $bad) = count_lines($name);
	$bad ||= 1 if $exit || $good + $bad != @tests;
	if ($bad)
	{
		tail("$log/$name.log", 60);
		show("$log/$name/regression.diffs", 400);
	}
	return ($good, $bad + stop_cluster($name, $cluster));
}

# Runs test programs and returns how many single tests passed and failed, and which programs had a failure.
sub harness
{
	my ($side_by_side, $exec, @files) = @_;
	my $harness = TAP::Harness->new(
		{   jobs     => $side_by_side,
			exec => sub { my (undef, $file) = @_; [ timeout(FILE_TIMEOUT), @{ $exec->($file) } ] },
			failures => 1,
			timer    => 1
		});
	my $sum = $harness->runtests(@files);
	my ($good, $bad) = (scalar $sum->passed, scalar $sum->failed);
	my @broken;
	foreach my $file ($sum->descriptions)
	{
		my ($parser) = $sum->parsers($file);
		next unless $parser->has_problems || $parser->exit;
		push @broken, $file;
		$bad++ unless $parser->failed;
	}
	return ($good, $bad, @broken);
}

sub start_cluster
{
	my ($name) = @_;
	my $dir = tempdir("dpriv-$name-XXXXXX", TMPDIR => 1, CLEANUP => 1) . '/s';
	my @wrap = $name eq 'regression' && $ENV{DPRIV_WRAP} ? ('--wrap', $ENV{DPRIV_WRAP}) : ();
	$running{$dir} = $$;
	system("$top/test/bin/cluster", 'start', $dir, $lib ? ('--lib', $lib) : (), @wrap, 'fsync = off');
	exit 130 if $? & 127;
	die "no cluster\n" if $?;
	return $dir;
}

# Returns how many server processes crashed.
sub stop_cluster
{
	my ($name, $dir) = @_;
	copy("$dir/log", "$log/$name.server.log");
	system("$top/test/bin/cluster", 'stop', $dir);
	delete $running{$dir};
	my @crashes = grep { /was terminated by signal|TRAP: |PANIC:/ } read_lines("$log/$name.server.log");
	print map { "  server: $_" } @crashes;
	return scalar @crashes;
}

END
{
	my $status = $?;

	# Tests that were interrupted are stopping their servers.
	$SIG{ALRM} = sub { };
	alarm 30;
	1 while waitpid(-1, 0) > 0;
	alarm 0;
	foreach my $dir (grep { $running{$_} == $$ } keys %running)
	{
		system("$top/test/bin/cluster", 'stop', $dir);
	}
	$? = $status;
}

# Counts in the log of cmocka (TAP or its own format) or pg_regress (before 16: words, later: TAP).
sub count_lines
{
	my ($name) = @_;
	my ($good, $bad) = (0, 0);
	foreach (read_lines("$log/$name.log"))
	{
		if    (/^ok \d+/)                               { $good++ }
		elsif (/^not ok \d+/)                           { $bad++ }
		elsif (/^\[\s+OK \] /)                          { $good++ }
		elsif (/^\[\s+FAILED\s+\] \S+$/)                { $bad++ }
		elsif (/^(?:test )?\s*\S+\s+\.\.\. ok\b/)       { $good++ }
		elsif (/^(?:test )?\s*\S+\s+\.\.\. (?:FAILED|failed)\b/) { $bad++ }
	}
	return ($good, $bad);
}

# Runs a command with its output in the log of that name, and returns its exit status.
sub command
{
	my ($name, @command) = @_;
	open(my $out, '>>', "$log/$name.log") or die "$log/$name.log: $!\n";
	my $pid = fork // die "fork: $!\n";
	if ($pid == 0)
	{
		open(STDIN,  '<',  '/dev/null');
		open(STDOUT, '>&', $out);
		open(STDERR, '>&', $out);
		exec timeout(SUITE_TIMEOUT), @command or die "@command: $!\n";
	}
	waitpid($pid, 0);
	print {$out} "timed out\n" if $? >> 8 == 124;
	return $?;
}

sub timeout
{
	my ($seconds) = @_;
	return ('timeout', '--foreground', '--kill-after=10', $seconds * $patience);
}

sub choose
{
	my %chosen;
	foreach (@_)
	{
		if    (exists $suite{$_})               { $chosen{$_} //= [] }
		elsif (m{^test/t/\w+\.pl$})             { push @{ $chosen{tap} }, $_ }
		elsif (m{^test/pgtap/\w+\.sql$})        { push @{ $chosen{pgtap} }, $_ }
		elsif (m{^test/specs/([\w-]+)\.spec$})  { push @{ $chosen{isolation} }, $1 }
		elsif (m{^sql/(\w+)\.sql$})             { push @{ $chosen{regression} }, $1 }
		else { die "neither a suite nor a test: $_\n" }
	}
	return %chosen;
}

sub cores
{
	my $n = qx{getconf _NPROCESSORS_ONLN};
	return $n =~ /^(\d+)$/ && $1 > 1 ? ($1 < 4 ? $1 : 4) : 1;
}

sub ask
{
	my ($option) = @_;
	my $answer = qx{"$pg_config" $option};
	chomp $answer;
	return $answer;
}

sub make_list
{
	my ($variable) = @_;
	my $list = qx{make -s print-$variable PG_CONFIG="$pg_config"};
	die "make does not know $variable\n" if $?;
	return split ' ', $list;
}

sub tail
{
	my ($file, $count) = @_;
	my @lines = read_lines($file);
	splice @lines, 0, @lines - $count if @lines > $count;
	print map { "  $_" } @lines;
}

sub show
{
	my ($file, $count) = @_;
	my @lines = read_lines($file);
	print map { "  $_" } grep { defined } @lines[ 0 .. $count - 1 ];
}

sub read_lines
{
	my ($file) = @_;
	open(my $in, '<', $file) or return;
	my @lines = <$in>;
	return @lines;
}

sub write_file
{
	my ($file, @text) = @_;
	open(my $out, '>', $file) or die "$file: $!\n";
	print {$out} @text;
	close $out or die "$file: $!\n";
}
