# Queries.pm
#	  Sections ratios and groups: large private queries against plain ones that do the same work.
#
package Queries;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min);
use Numbers qw(check_answer median ms);
use Server qw(start_cluster stop_cluster open_session close_session query processor_time);
use Table qw(ALLOWANCE progress look_around add_row);

our @EXPORT_OK = qw(ratios groups);

# Bytes of shared buffers for each row of the large table, with room to spare.
use constant BYTES_PER_ROW => 120;

# Of selected groups: rows of each of the many, and epsilon so that all of them are kept or none (with delta 1e-12 a
# group of 10 rows is dropped with probability 2e-9 or kept with 2e-12).
use constant GROUP_ROWS      => 10;
use constant GROUP_DELTA     => '1e-12';
use constant EPSILON_KEPT    => 5;
use constant EPSILON_DROPPED => 0.1;
use constant FEW_GROUPS      => 16;

# Large queries against the built-in aggregates that do the same work.
sub ratios
{
	my ($option) = @_;
	my $dir = start_cluster(
		'shared_buffers = ' . max(128, int($option->{rows} * BYTES_PER_ROW / 1048576)) . 'MB',
		'fsync = off', 'autovacuum = off', 'max_parallel_workers = 2', 'wal_level = minimal',
		'max_wal_senders = 0', 'dpriv.epsilon = 1');
	my $sql = open_session($dir);

	progress("building $option->{rows} rows");
	query($sql, $_)
	  foreach (
		'CREATE EXTENSION dpriv',
		'CREATE TABLE person (id bigint NOT NULL, flag boolean, i integer, x double precision, label text)',
		'SELECT setseed(0.5)',
		qq{INSERT INTO person SELECT n, CASE WHEN n % 100 > 0 THEN random() < 0.5 END,
			   (random() * 99)::int, random() * 1000, 'person ' || n % 1000
		   FROM generate_series(1, $option->{rows}) n},
		# Else the planner takes every row for a bucket of its own, and the plain query runs without workers.
		'CREATE STATISTICS buckets ON width_bucket(x, 0, 1000, 100) FROM person',
		'VACUUM (FREEZE, ANALYZE) person',
		'CHECKPOINT');

	my $edges = 'ARRAY[' . join(',', map { $_ * 10 } 0 .. 100) . ']::float8[]';
	my $clip_x = 'least(greatest(x, 50), 950)';
	my $clip_i = 'least(greatest(i, 17), 90)';

	# label, bar, plain, private, and what the private answer must be close to
	my @measure = (
		[ 'dp_count(*)', 1.00, 'count(*)', 'dp_count(*)', 'count(*)' ],
		[ 'dp_sum_clipped, float8', 1.10, 'sum(x)', 'dp_sum_clipped(x, 50, 950)', "sum($clip_x)" ],
		[ 'dp_sum_clipped, integer', 1.05, 'sum(i)', 'dp_sum_clipped(i, 17, 90)', "sum($clip_i)" ],
		[ 'dp_avg, float8', 1.00, 'avg(x)', 'dp_avg(x, 50, 950)', "avg($clip_x)" ],
		[ 'dp_variance, float8', 1.00, 'var_pop(x)', 'dp_variance(x, 50, 950)', "var_pop($clip_x)" ]);
	my @pair = map {
		my ($label, $bar, @expression) = @$_;
		[ $label, $bar, map { "SELECT $_ FROM person" } @expression ]
	} @measure;
	push @pair, map {
		my ($label, $bar, @expression) = @$_;
		[ "$label, GROUP BY", $bar > 1.03 ? $bar : 1.03, map { "SELECT flag, $_ FROM person GROUP BY flag" } @expression ]
	} @measure;
	my $buckets = 'SELECT count(*) FROM person GROUP BY width_bucket(x, 0, 1000, 100)';
	push @pair,
	  [
		'dp_histogram, 100 bins', 0.80, $buckets,
		"SELECT * FROM unnest((SELECT dp_histogram(x, $edges) FROM person))", $buckets
	  ];

	# What sorts in the plain query, and so never runs with workers.
	my @serial = map {
		my $sorted = "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY $_->[1]) FROM person";
		[ "dp_median, $_->[0]", 0.50, $sorted, "SELECT dp_median($_->[1], 0, $_->[2]) FROM person", $sorted ]
	} ([ 'float8', 'x', 1000 ], [ 'integer', 'i', 99 ]);

	foreach my $jit ($option->{jit} eq 'both' ? qw(off on) : $option->{jit})
	{
		foreach my $workers (0, 2)
		{
			query($sql, "SET jit = $jit");
			query($sql, "SET max_parallel_workers_per_gather = $workers");
			compare($option, $sql, $workers, $jit, @$_) foreach @pair, $workers == 0 ? @serial : ();
		}
	}
	close_session($sql);
	stop_cluster($dir);
}

# Keys whose values nobody knows: a million groups, ten rows each, and sixteen with all rows.  The answer comes back
# in the order of the keys, which must not be that of the data, so the plain query that does the same work has an
# ORDER BY; without it, it is measured too, but has no bar.
sub groups
{
	my ($option) = @_;
	my $many = int($option->{rows} / GROUP_ROWS);
	my $dir  = start_cluster(
		'shared_buffers = ' . max(128, int($option->{rows} * BYTES_PER_ROW / 1048576)) . 'MB',
		'fsync = off', 'autovacuum = off', 'max_parallel_workers = 2', 'wal_level = minimal',
		'max_wal_senders = 0', 'dpriv.epsilon = 1');
	my $sql = open_session($dir);

	progress("building $option->{rows} rows in $many groups");
	query($sql, $_)
	  foreach (
		'CREATE EXTENSION dpriv',
		'CREATE TABLE visit (id integer NOT NULL, name text, city text, x double precision)',
		'SELECT setseed(0.5)',

		# no two rows of a group near each other
		qq{INSERT INTO visit SELECT k, 'person ' || k, 'city ' || n % @{[FEW_GROUPS]}, random() * 1000
		   FROM (SELECT n, n * 7919 % $many AS k FROM generate_series(1, $many * @{[GROUP_ROWS]}::bigint) n) s},
		'VACUUM (FREEZE, ANALYZE) visit',
		'CHECKPOINT',
		'SET dpriv.delta = ' . GROUP_DELTA);

	# Per group, nothing is added that the JIT would have a part in.
	my $jit = $option->{jit} eq 'both' ? 'off' : $option->{jit};
	query($sql, "SET jit = $jit");
	query($sql, 'SET max_parallel_workers_per_gather = 0');
	foreach my $key ([ 'integer', 'id' ], [ 'text', 'name' ])
	{
		my ($type, $column) = @$key;
		my $label   = "$many groups, $type key";
		my $plain   = "SELECT $column, count(*) AS n FROM visit GROUP BY $column";
		my $private = "SELECT $column, dp_count(visit, %s) AS n FROM visit GROUP BY $column";
		my $kept    = sprintf $private, EPSILON_KEPT;
		my $dropped = sprintf $private, EPSILON_DROPPED;

		compare($option, $sql, 0, $jit, "$label, all kept", 1.50, "$plain ORDER BY $column", $kept,
			'SELECT count(*) FROM visit');
		compare($option, $sql, 0, $jit, "$label, all kept, ORDER BY", 1.50, "$plain ORDER BY $column",
			"$kept ORDER BY $column", 'SELECT count(*) FROM visit');
		compare($option, $sql, 0, $jit, "$label, all kept, plain without ORDER BY", undef, $plain, $kept,
			'SELECT count(*) FROM visit');

		# Here the client would wait for the plain query's rows alone: neither gets any.
		compare($option, $sql, 0, $jit, "$label, all dropped", 1.50,
			"SELECT count(n) FROM ($plain ORDER BY $column) s",
			"SELECT count(n) FROM ($dropped) s", 'SELECT 0');
		compare($option, $sql, 0, $jit, "$label, all dropped, plain without ORDER BY", undef,
			"SELECT count(n) FROM ($plain) s", "SELECT count(n) FROM ($dropped) s", 'SELECT 0');
	}
	foreach my $workers (0, 2)
	{
		query($sql, "SET max_parallel_workers_per_gather = $workers");
		compare($option, $sql, $workers, $jit, FEW_GROUPS . ' groups, text key, ' . $_->[1], 1.05,
			map { "SELECT city, $_ FROM visit GROUP BY city ORDER BY city" } @$_)
		  foreach ([ 'count(*)', 'dp_count(*)', 'count(*)' ],
			[ 'avg(x)', 'dp_avg(x, 0, 1000)', 'avg(x)' ]);
	}
	close_session($sql);
	stop_cluster($dir);
}

# One line of the table: a private query against a plain one.
sub compare
{
	my ($option, $sql, $workers, $jit, $label, $bar, $plain, $private, $check) = @_;
	my ($expected) = query($sql, $check);
	my ($pid) = query($sql, 'SELECT pg_backend_pid()');
	my (@plain, @private, @ratio, @cpu_ratio);

	$label .= ", $workers workers, jit $jit";
	progress($label);
	foreach my $statement ($plain, $private)
	{
		my ($plan) = query($sql, "EXPLAIN $statement");
		my ($planned) = $plan =~ /Workers Planned: (\d+)/;

		die "$statement runs with " . ($planned // 0) . " workers:\n$plan"
		  unless ($planned // 0) == $workers || $option->{rows} < 1_000_000;
		query($sql, $statement);    # warm up
	}
	foreach my $pair (1 .. $option->{pairs})
	{
		my (%time, %cpu);

		look_around();
		foreach my $which ($pair % 2 ? (0, 1) : (1, 0))
		{
			my $before = processor_time($pid);
			my ($answer, $ms) = query($sql, $which ? $private : $plain);

			$cpu{$which}  = processor_time($pid) - $before;
			$time{$which} = $ms;
			check_answer($label, $answer, $expected) if $which;
		}
		push @plain,     $time{0};
		push @private,   $time{1};
		push @ratio,     $time{1} / $time{0};
		push @cpu_ratio, $cpu{1} / $cpu{0} if $workers == 0 && $cpu{0} > 0;
	}
	my $spread = sprintf('%.3f to %.3f', min(@ratio), max(@ratio));
	$spread .= sprintf(', CPU %.3f', median(@cpu_ratio)) if @cpu_ratio;
	add_row($label, ms(median(@plain)), ms(median(@private)), median(@ratio), $spread, $bar,
		defined $bar ? $bar * (1 + ALLOWANCE) : undef, '%.3f');
}

1;
