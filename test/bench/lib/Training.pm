# Training.pm
#	  Section learn: training on UCI Adult and on larger tables like it, in processor time and memory.
#
package Training;

use strict;
use warnings;

use Adult qw(load_adult enlarge_adult training write_matrix);
use Exporter qw(import);
use List::Util qw(max min);
use Numbers qw(median ms);
use Server qw(start_cluster stop_cluster open_session close_session query begin_query end_query capture processor_time);
use Table qw(ALLOWANCE progress look_around add_cells add_row add_speed_row);

our @EXPORT_OK = qw(learn);

# Runs on Adult, seconds for one and how much of liblinear's, rows per second of steps, and how much more a row may
# cost among many rows.
use constant FITS             => 11;
use constant FIT_BAR          => 0.2;
use constant LIBLINEAR_BAR    => 2;
use constant STEP_BAR         => 20;     # million rows per second
use constant SAMPLE_BAR       => 10;
use constant SAMPLE           => 256;
use constant LINEAR_BAR       => 1.5;
use constant ROW_BAR          => 5 * 8 + 8 * 2;    # bytes of Adult's 5 numbers and 8 categories
use constant MEMORY_BAR       => 64 + 8;           # MB
use constant LEARN_PARTS      => (0.1, 0.3, 1);    # of --rows
use constant LARGE_FITS       => 3;

# Training on UCI Adult and on larger tables like it.
sub learn
{
	my ($option) = @_;
	my $file = ($ENV{DPRIV_DATA} // '../shared/data') . '/adult_train.csv';

	if (!-r $file)
	{
		progress("NO REAL DATA in $file: training is not measured; set DPRIV_DATA");
		add_cells('training: skipped, DPRIV_DATA names no directory with adult_train.csv');
		return;
	}
	my $dir = start_cluster('autovacuum = off', 'jit = off', 'fsync = off', 'wal_level = minimal', 'max_wal_senders = 0',
		'max_parallel_workers_per_gather = 0', 'dpriv.session_budget = -1');
	my $sql = open_session($dir);

	query($sql, 'CREATE EXTENSION dpriv');
	load_adult($sql, $file);
	my ($rows) = query($sql, 'SELECT count(*) FROM adult');
	compare_liblinear($dir, $sql);

	my $rate  = SAMPLE / $rows;
	my $other = open_session($dir);
	foreach my $columns ('', 'two')
	{
		my $statement = training('adult', 'sgd', qq{"rate": $rate, "epochs": 300}, $columns);

		add_speed_row("step of sgd, @{[SAMPLE]} of $rows rows, @{[$columns || 13]} columns", SAMPLE_BAR,
			SAMPLE * watch_steps($sql, $other, $statement)->{rate});
	}
	large_training($dir, $sql, $other, $option->{rows});
	close_session($_) foreach $sql, $other;
	stop_cluster($dir);
}

# One line of the table, or two: the default fit of Adult, in processor time, against liblinear without its parsing.
sub compare_liblinear
{
	my ($dir, $sql) = @_;
	my ($pid) = query($sql, 'SELECT pg_backend_pid()');
	my ($matrix, $program) = ("$dir/matrix", 'liblinear-train');
	my $has_liblinear = grep { -x "$_/$program" } split /:/, $ENV{PATH};
	my (@fit, @peer, @ratio);

	progress('fits of Adult');
	write_matrix($sql, $matrix);
	foreach my $run (0 .. FITS)
	{
		my $before = processor_time($pid);

		look_around();
		query($sql, training('adult', 'gd'));
		next if $run == 0;    # warm up
		push @fit, (processor_time($pid) - $before) * 1e-6;
		next unless $has_liblinear;
		my ($whole, $parsing) = map { child_time($program, '-s', 0, '-B', 1, @$_, $matrix, "$dir/model") } [], [ '-e', 1e9 ];
		push @peer,  ($whole - $parsing) * 1000;
		push @ratio, $fit[-1] / $peer[-1];
	}
	my $ms = 1000 * FIT_BAR;
	add_row('default fit of Adult, processor time in ms', '', ms(median(@fit)), median(@fit), sprintf('%.1f to %.1f', min(@fit), max(@fit)),
		$ms, $ms * (1 + ALLOWANCE), '%.1f');
	if (!$has_liblinear)
	{
		progress("NO $program: training is not compared with it; install liblinear-tools");
		add_cells("default fit of Adult against liblinear: skipped, there is no $program");
		return;
	}
	add_row('default fit of Adult against liblinear -s 0', ms(median(@peer)), ms(median(@fit)), median(@ratio),
		sprintf('%.2f to %.2f', min(@ratio), max(@ratio)), LIBLINEAR_BAR, LIBLINEAR_BAR * (1 + ALLOWANCE), '%.2f');
}

# Seconds of processor time of a program.
sub child_time
{
	my $before = (times)[2];

	capture(@_);
	return (times)[2] - $before;
}

# Watches a training from another session: steps per second of its processor time, and bytes that it has allocated.
sub watch_steps
{
	my ($sql, $other, $statement) = @_;
	my ($pid) = query($sql, 'SELECT pg_backend_pid()');
	my $before = allocated($pid);
	my ($memory, $first, $last) = (0);

	begin_query($sql, $statement);
	while (1)
	{
		my ($row)  = query($other, "SELECT phase, done FROM dpriv.progress WHERE pid = $pid");
		my ($done) = $row =~ /^steps\|(\d+)/;
		my $time   = processor_time($pid);

		last if $last && !defined $done;
		if ($done)
		{
			$last = [ $done, $time ];
			$first //= $last;
			$memory = max($memory, allocated($pid) - $before);
		}
		select undef, undef, undef, 0.01;
	}
	end_query($sql, $statement);
	die "the steps were too quick to be seen\n" if $last->[0] == $first->[0];
	return { rate => ($last->[0] - $first->[0]) / ($last->[1] - $first->[1]) * 1e9, memory => $memory };
}

# The same in a session that has allocated nothing before.
sub watch_new_session
{
	my ($dir, $other, $memory, $statement) = @_;
	my $sql = open_session($dir);

	query($sql, "SET maintenance_work_mem = '$memory'");
	my $seen = watch_steps($sql, $other, $statement);
	close_session($sql);
	return $seen;
}

# Bytes of a process that are its own.
sub allocated
{
	open my $file, '<', "/proc/$_[0]/status" or return 0;
	my ($kb) = map { /^RssAnon:\s+(\d+) kB/ ? $1 : () } readline $file;
	return 1024 * ($kb // 0);
}

# Tables of which the rows fit into maintenance_work_mem, or do not: time and memory.
sub large_training
{
	my ($dir, $sql, $other, $most) = @_;
	my ($pid) = query($sql, 'SELECT pg_backend_pid()');
	my @ns;

	foreach my $rows (map { int($most * $_) } LEARN_PARTS)
	{
		my $statement = training("adult_$rows", 'gd');
		my @each;

		progress("training on $rows rows");
		enlarge_adult($sql, "adult_$rows", $rows);
		foreach (1 .. LARGE_FITS)
		{
			my $before = processor_time($pid);

			look_around();
			query($sql, $statement);
			push @each, (processor_time($pid) - $before) / $rows;
		}
		push @ns, median(@each);
		add_row("fit of $rows rows like Adult's, processor time in ns per row", '', '', $ns[-1],
			sprintf('%.0f to %.0f', min(@each), max(@each)), undef, undef, '%.0f');
		if (@ns == 1)
		{
			my $seen = watch_new_session($dir, $other, '2GB', $statement);
			add_speed_row("full-batch step, $rows rows", STEP_BAR, $rows * $seen->{rate});
			add_row('bytes of memory for a row', '', '', $seen->{memory} / $rows, '', ROW_BAR, ROW_BAR, '%.1f');
		}
	}
	add_row('time of a row among most, against among fewest', '', '', $ns[-1] / $ns[0], '', LINEAR_BAR, LINEAR_BAR * (1 + ALLOWANCE), '%.2f');
	add_row("MB of memory for all of them, maintenance_work_mem = 64MB", '', '',
		watch_new_session($dir, $other, '64MB', training("adult_$most", 'gd'))->{memory} / 1048576, '', MEMORY_BAR, MEMORY_BAR, '%.1f');
}

1;
