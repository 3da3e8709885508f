# Table.pm
#	  The rows of the table, their verdicts and the exit status; what is told meanwhile.
#
package Table;

use strict;
use warnings;

use Exporter qw(import);
use File::Path qw(make_path);
use List::Util qw(sum0);
use Numbers qw(median interval ms);

our @EXPORT_OK = qw(ALLOWANCE progress look_around load_average verdict add_cells add_row add_rate_row add_speed_row
  leave_undecided print_table exit_status);

# A ratio may exceed its bar by this much: noise of the measurement.
use constant ALLOWANCE => 0.03;

my @rows;
my @others;    # what look_around() has seen
my ($missed, $undecided) = (0, 0);

sub progress
{
	print STDERR "# $_[0]\n";
}

# How many other processes want the processor while we wait.
sub look_around
{
	open my $file, '<', '/proc/stat' or return;
	my ($running) = map { /^procs_running (\d+)/ ? $1 : () } readline $file;
	push @others, $running - 1;
}

sub load_average
{
	open my $file, '<', '/proc/loadavg' or return 'unknown';
	return (split ' ', readline $file)[0];
}

# Whether a bar is met, or exceeded by no more than the allowance: else it is missed.
sub verdict
{
	my ($pass, $within) = @_;

	$missed++ unless $within;
	return $pass ? 'pass' : $within ? 'pass (allowance)' : '**missed**';
}

# A row as it is: the label, plain, private, their ratio or what else was measured, its spread, the bar and the verdict;
# those left out are empty.
sub add_cells
{
	push @rows, [ @_, ('') x (7 - @_) ];
}

# Without a bar a row is only shown.
sub add_row
{
	my ($label, $plain, $private, $value, $spread, $bar, $allowed, $format, $open) = @_;
	my $verdict = $open ? 'undecided' : defined $bar ? verdict($value <= $bar, $value <= $allowed) : '';

	$undecided++ if $open;
	add_cells($label, $plain, $private, sprintf($format, $value), $spread, defined $bar ? "<= $bar" : '', $verdict);
	progress("  $plain ms, $private ms: " . sprintf($format, $value) . " ($spread), $verdict");
}

# A rate that must be at least so much of another: the ratios are those of rates, the times those between two commits.
sub add_rate_row
{
	my ($label, $plain, $private, $ratio, $bar) = @_;
	my $value = median(@$ratio);
	my ($low, $high) = interval(@$ratio);
	my @each = map { ms(1000 / median(@$_)) } ($plain, $private);
	my $verdict = verdict($value >= $bar, $value >= $bar * (1 - ALLOWANCE));
	my $spread = sprintf('95 %%: %.3f to %.3f', $low, $high);

	add_cells($label, @each, sprintf('%.3f of the rate', $value), $spread, ">= $bar", $verdict);
	progress(sprintf '  %s ms, %s ms: %.3f of the rate (%s), %s', @each, $value, $spread, $verdict);
}

# A speed in million rows per second of processor time.
sub add_speed_row
{
	my ($label, $bar, $rate) = @_;
	my $value   = $rate * 1e-6;
	my $verdict = verdict($value >= $bar, $value >= $bar * (1 - ALLOWANCE));

	add_cells($label, '', '', sprintf('%.1f million rows/s', $value), '', ">= $bar", $verdict);
	progress(sprintf '  %s: %.1f million rows/s, %s', $label, $value, $verdict);
}

# A section that failed decides nothing.
sub leave_undecided
{
	$undecided++;
}

# On standard output and in build/bench; with the rows of the large tables and the load average before the start.
sub print_table
{
	my ($large, $load) = @_;
	my ($version) = `$ENV{PG_CONFIG} --version` =~ /(\S+ \S+)/;
	my $cores = () = `cat /proc/cpuinfo` =~ /^processor/mg;
	my $others = @others ? sum0(@others) / @others : 0;
	my $table  = "$version, $large rows, $cores cores. Load average before the start: $load; other processes "
	  . sprintf("running or waiting, on average: %.1f.\n\n", $others)
	  . "| measurement | plain ms | private ms | private / plain | spread | bar | |\n"
	  . "|---|---|---|---|---|---|---|\n"
	  . join('', map { '| ' . join(' | ', @$_) . " |\n" } @rows);

	make_path('build/bench');
	open my $file, '>', 'build/bench/table.md' or die "build/bench/table.md: $!\n";
	print $file $table;
	close $file;
	print "\n$table";
}

# 1 if a bar is missed, 2 if something is undecided.
sub exit_status
{
	return $missed ? 1 : $undecided ? 2 : 0;
}

1;
