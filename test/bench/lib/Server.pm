# Server.pm
#	  Temporary clusters and the sessions in them that are measured.
#
# Every cluster that was started is stopped at the end, however the program ends: exit runs the END block, and signals
# exit.
#
package Server;

use strict;
use warnings;

use Cwd qw(getcwd);
use Exporter qw(import);
use File::Temp qw(tempdir);
use IPC::Open2;

our @EXPORT_OK = qw(start_cluster stop_cluster restart_cluster open_session close_session query begin_query end_query command capture
  program processor_time pgbench_rate);

my $top = getcwd();
my $pg_config = $ENV{PG_CONFIG} or die "PG_CONFIG is not set: use test/run-bench\n";
my $bin = `$pg_config --bindir`;
chomp $bin;

my %running;

# Interrupted, leave no server behind.
$SIG{INT} = $SIG{TERM} = $SIG{HUP} = sub { exit 130 };
$SIG{PIPE} = 'IGNORE';

END
{
	my $status = $?;
	stop_cluster($_) foreach keys %running;
	$? = $status;
}

# The path of one of the server's programs.
sub program
{
	return "$bin/$_[0]";
}

# Starts a cluster and returns the directory of its socket.
sub start_cluster
{
	my $dir = tempdir('dpriv-bench-XXXXXX', DIR => $ENV{TMPDIR} // '/tmp', CLEANUP => 1) . '/c';

	$running{$dir} = 1;
	command('test/bin/cluster', 'start', $dir, @_);
	return $dir;
}

sub stop_cluster
{
	my ($dir) = @_;

	chdir $top;
	command('test/bin/cluster', 'stop', $dir);
	delete $running{$dir};
}

# Restarts a cluster with these libraries.
sub restart_cluster
{
	my ($dir, $libraries) = @_;

	command(program('pg_ctl'), '-D', "$dir/data", '-l', "$dir/log", '-m', 'fast', '-w', '-s', '-o',
		"-c shared_preload_libraries='$libraries'", 'restart');
}

# A psql that lives on: its \timing is what a client sees.
sub open_session
{
	my ($dir, $database, $role) = @_;
	my %sql;

	$sql{pid} = open2($sql{out}, $sql{in}, program('psql'), '-h', $dir, '-U', $role // 'postgres', '-d',
		$database // 'postgres', '-XqAt', '-v', 'ON_ERROR_STOP=1');
	$sql{in}->autoflush(1);
	print { $sql{in} } "\\timing on\n";
	return \%sql;
}

sub close_session
{
	my ($sql) = @_;

	close $sql->{in};
	waitpid $sql->{pid}, 0;
}

# Runs one statement; returns what it answers, and the milliseconds it took.
sub query
{
	my ($sql, $statement) = @_;

	begin_query($sql, $statement);
	return end_query($sql, $statement);
}

# The same in two parts.
sub begin_query
{
	my ($sql, $statement) = @_;

	$statement =~ s/\s+/ /g;
	print { $sql->{in} } "$statement;\n";
}

sub end_query
{
	my ($sql, $statement) = @_;
	my ($answer, $line) = ('');

	while (defined($line = readline $sql->{out}))
	{
		if ($line =~ /^Time: ([\d.]+) ms/)
		{
			chomp $answer;
			return ($answer, $1);
		}
		$answer .= $line;
	}
	die "psql ended at: $statement\n";
}

sub command
{
	system(@_) == 0 or die "$_[0] failed\n";
}

sub capture
{
	open my $pipe, '-|', @_ or die "$_[0]: $!\n";
	my $output = join '', readline $pipe;
	close $pipe or die "$_[0] failed: $output\n";
	return $output;
}

# Transactions per second of a script of pgbench, prepared, without the time to connect.
sub pgbench_rate
{
	my ($dir, $database, $script, @options) = @_;

	open my $file, '>', "$dir/script" or die "$dir/script: $!\n";
	print $file $script;
	close $file or die "$dir/script: $!\n";
	my $output = capture(program('pgbench'), '-h', $dir, '-U', 'postgres', '-n', '-M', 'prepared', '-f', "$dir/script",
		@options, $database);
	die $output if $output =~ /number of failed transactions: [1-9]/;
	my ($tps) = $output =~ /^tps = ([\d.]+)/m or die "cannot read: $output";
	return $tps;
}

# Nanoseconds that a process has been running, 0 where nobody knows.
sub processor_time
{
	open my $file, '<', "/proc/$_[0]/schedstat" or return 0;
	return (split ' ', readline $file)[0];
}

1;
