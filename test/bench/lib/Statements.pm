# Statements.pm
#	  Section pgbench: statements without a release, with the library and without.
#
package Statements;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min);
use Numbers qw(median interval ms);
use Server qw(start_cluster stop_cluster restart_cluster open_session close_session query command capture program);
use Table qw(ALLOWANCE progress look_around add_row);

our @EXPORT_OK = qw(pgbench compare_pgbench pgbench_restarted pgbench_latency PGBENCH_SCALE);

# pgbench -S: pairs of runs of so many seconds each, on this scale.
use constant PGBENCH_PAIRS   => 24;
use constant PGBENCH_SECONDS => 3;
use constant PGBENCH_SCALE   => 10;
use constant PGBENCH_BAR     => 1.02;

# Statements that have nothing to do with us: the cost of having the library loaded.  The server is restarted for
# every run, so that the chance in where things come to lie in memory is part of the spread.
sub pgbench
{
	my $dir = start_cluster('autovacuum = off', 'shared_buffers = 384MB', 'max_parallel_workers_per_gather = 0');

	progress('pgbench -S');
	command(program('pgbench'), '-h', $dir, '-U', 'postgres', '-q', '-i', '-s', PGBENCH_SCALE, 'postgres');
	compare_pgbench('pgbench -S, library loaded', PGBENCH_BAR, sub {
		my ($which) = @_;
		return pgbench_restarted($dir, $which ? 'dpriv' : '', 'postgres');
	});
	stop_cluster($dir);
}

# One line of the table: milliseconds of pgbench, with 0 and with 1 as the argument.
sub compare_pgbench
{
	my ($label, $bar, $latency) = @_;
	my (@plain, @private, @ratio);

	foreach my $pair (1 .. PGBENCH_PAIRS)
	{
		my %time;

		look_around();
		foreach my $which ($pair % 2 ? (0, 1) : (1, 0))
		{
			$time{$which} = $latency->($which);
		}
		push @plain,   $time{0};
		push @private, $time{1};
		push @ratio,   $time{1} / $time{0};
	}
	my ($low, $high) = interval(@ratio);

	# Here the allowance is what the pairs themselves leave open; if that is too much, nothing is shown.
	my $allowed = max($bar, min($bar * (1 + ALLOWANCE), $bar + median(@ratio) - $low));
	add_row($label, ms(median(@plain)), ms(median(@private)), median(@ratio), sprintf('95 %%: %.3f to %.3f', $low, $high),
		$bar, $allowed, '%.3f', $high - $low > 2 * ALLOWANCE);
}

# Milliseconds for one statement, in a server that was started for it.
sub pgbench_restarted
{
	my ($dir, $libraries, $database) = @_;
	my $sql;

	restart_cluster($dir, $libraries);
	$sql = open_session($dir, $database);
	my ($loaded) = query($sql, 'SHOW shared_preload_libraries');
	die "the server has loaded: $loaded\n" unless $loaded eq $libraries;
	query($sql, 'SELECT count(abalance), max(aid) FROM pgbench_accounts');
	close_session($sql);
	return pgbench_latency($dir, $database, 'postgres');
}

# Milliseconds for one statement of a role.
sub pgbench_latency
{
	my ($dir, $database, $role) = @_;
	my @run = (program('pgbench'), '-h', $dir, '-U', $role, '-n', '-S', '-c', 1);

	capture(@run, '-T', 1, $database);
	my $output = capture(@run, '-T', PGBENCH_SECONDS, $database);
	die $output unless $output =~ /number of failed transactions: 0 / || $output !~ /failed/;
	my ($tps) = $output =~ /^tps = ([\d.]+)/m or die "cannot read: $output";
	return 1000 / $tps;
}

1;
