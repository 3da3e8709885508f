# Releases.pm
#	  Section small: one release on few rows.
#
package Releases;

use strict;
use warnings;

use Exporter qw(import);
use Numbers qw(check_answer median interval ms);
use Server qw(start_cluster stop_cluster open_session close_session query);
use Table qw(ALLOWANCE progress look_around add_row);

our @EXPORT_OK = qw(small SMALL_ROWS);

# Rows of the table, pairs of runs, and what a release may add to a plain count.
use constant SMALL_ROWS  => 5000;
use constant SMALL_PAIRS => 2000;
use constant SMALL_BAR   => 0.5;    # ms

# Pairs of runs of a median, and all that it may take.
use constant MEDIAN_RUNS => 200;
use constant MEDIAN_BAR  => 20;     # ms

# What one release adds to a query that takes no time.
sub small
{
	my $dir = start_cluster('autovacuum = off', 'dpriv.epsilon = 1');
	my $sql = open_session($dir);
	my ($plain, $private) = map { "SELECT $_ FROM person" } qw(count(*) dp_count(*));
	my (@plain, @private, @difference);

	progress('one release on ' . SMALL_ROWS . ' rows');
	query($sql, $_)
	  foreach (
		'CREATE EXTENSION dpriv',
		'CREATE TABLE person AS SELECT n AS id, random() * 1000 AS x FROM generate_series(1, ' . SMALL_ROWS . ') n',
		'VACUUM (FREEZE, ANALYZE) person');
	small_median($sql);
	foreach my $pair (-99 .. SMALL_PAIRS)
	{
		my %time;

		look_around() if $pair % 100 == 0;
		foreach my $which ($pair % 2 ? (0, 1) : (1, 0))
		{
			my ($answer, $ms) = query($sql, $which ? $private : $plain);

			check_answer('small', $answer, SMALL_ROWS) if $which;
			$time{$which} = $ms;
		}
		next if $pair < 1;    # warm up
		push @plain,      $time{0};
		push @private,    $time{1};
		push @difference, $time{1} - $time{0};
	}
	my ($low, $high) = interval(@difference);
	my $difference = median(@private) - median(@plain);

	add_row('dp_count(*) on ' . SMALL_ROWS . ' rows', ms(median(@plain)), ms(median(@private)), $difference,
		sprintf('median of pairs, 95 %%: %.3f to %.3f', $low, $high), SMALL_BAR, SMALL_BAR * (1 + ALLOWANCE), '+%.3f ms');
	close_session($sql);
	stop_cluster($dir);
}

# All that a median takes on few rows, where choosing among the cells is most of it.
sub small_median
{
	my ($sql) = @_;
	my ($plain, $private) =
	  map { "SELECT $_ FROM person" } ('percentile_cont(0.5) WITHIN GROUP (ORDER BY x)', 'dp_median(x, 0, 1000)');
	my ($expected) = query($sql, $plain);
	my (@plain, @private);

	foreach my $pair (-9 .. MEDIAN_RUNS)
	{
		my %time;

		look_around() if $pair % 100 == 0;
		foreach my $which ($pair % 2 ? (0, 1) : (1, 0))
		{
			my ($answer, $ms) = query($sql, $which ? $private : $plain);

			check_answer('dp_median', $answer, $expected) if $which;
			$time{$which} = $ms;
		}
		next if $pair < 1;    # warm up
		push @plain,   $time{0};
		push @private, $time{1};
	}
	my ($low, $high) = interval(@private);

	add_row('dp_median on ' . SMALL_ROWS . ' rows', ms(median(@plain)), ms(median(@private)), median(@private),
		sprintf('95 %%: %.3f to %.3f', $low, $high), MEDIAN_BAR, MEDIAN_BAR * (1 + ALLOWANCE), '%.3f ms');
}

1;
