#
# 042_blackbox.pl
#	  Black-box audit of the shipped library: no event tells neighbouring tables apart better than the charge allows.
#
# Each case has an event that was fixed beforehand, over all measures of a release together.  Its frequency in many
# releases on a table and on its neighbour bounds epsilon from below: ln of the ratio of two Clopper-Pearson bounds,
# each wrong with probability at most ALPHA, both ways.  Where delta is charged, it is first taken from the larger
# one.  A bound above the charge would be a proof against the library.
# Mutants have to be found with the number of releases of the quick test; DPRIV_AUDIT=full has more of
# both, DPRIV_AUDIT=mutants more mutants.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max);
use Test::More;

use Chance qw(binomial_above binomial_below normal_cdf proportion_low proportion_high);
use Variant qw(build_library build_mutant mutants node script);

use constant { ALPHA => 1e-10, QUICK => 6_000 };

my $full     = ($ENV{DPRIV_AUDIT} // '') eq 'full';
my $every    = $full || ($ENV{DPRIV_AUDIT} // '') eq 'mutants';
my $releases = $full ? 100_000 : QUICK;
my $shipped  = build_library('shipped');
my $node     = node('blackbox');

sub sql
{
	my ($library, $sql) = @_;
	my ($status, $out, $err) = script($node, $library, $sql);
	die $err if $status;
	return $out;
}

# The neighbour has one row more: 90, in the last bin, in the group "true".  In t there are 4 rows.
sql($shipped, <<'SQL');
CREATE EXTENSION dpriv;
CREATE TABLE t (f float8, i int, x text, z bool);
INSERT INTO t VALUES (20, 20, 'a', true), (90, 90, 'b', false), (NULL, NULL, NULL, NULL), (50, 50, 'b', true);
CREATE TABLE more AS SELECT * FROM t UNION ALL VALUES (90, 90, 'b', true);
CREATE TABLE none AS SELECT * FROM t WHERE false;
CREATE TABLE single AS SELECT * FROM more WHERE i = 90 AND z;
SQL

# P[Z >= 0] for noise of a measure with this epsilon that moves in single steps; on a fine grid it is 1/2.
sub half
{
	my ($epsilon) = @_;
	return 1 / (1 + exp(-$epsilon));
}

# Two sums at (0.5, 0.005): their noise is that of one number that moves by mu deviations.
use constant { DELTA => 0.01, SHIFT => 0.75 };
my $mu = 1 / sql($shipped, 'SELECT dpriv.gaussian_sigma(1, 1, ' . DELTA . ')');

# Name, charge, probability of the event on the neighbour, tables, event over the release, delta.  Where a probability is
# given, noise of exactly the promised size makes the event rarer on the table by the whole factor exp(charge).
my @cases = (
	[ 'a count', 1, half(1), 't', 'more',
		'SELECT m >= 5 FROM (SELECT dp_count(t, 1) AS m FROM t) q' ],
	[ 'a count, large epsilon', 2, half(2), 't', 'more',
		'SELECT m >= 5 FROM (SELECT dp_count(i, 2) + 1 AS m FROM t) q' ],
	[ 'a count of distinct values', 1, half(1), 'none', 'single',
		'SELECT m >= 1 FROM (SELECT dp_count(DISTINCT x, 1) AS m FROM t) q' ],
	[ 'a sum', 1, half(1 / 90), 't', 'more',
		'SELECT m >= 250 FROM (SELECT dp_sum_clipped(i, 17, 90, 1) AS m FROM t) q' ],
	[ 'a sum of real values', 1, 1 / 2, 't', 'more',
		'SELECT m >= 0.9 FROM (SELECT dp_sum_clipped(f, 0, 0.3, 1) - 0.3 AS m FROM t) q' ],
	[ 'bins', 1, half(1), 't', 'more',
		'SELECT m[2].count >= 3 FROM (SELECT dp_histogram(f, ARRAY[0, 50, 90], 1) AS m FROM t) q' ],
	[ 'categories', 1, half(1), 't', 'more',
		"SELECT m[2].count >= 3 FROM (SELECT dp_histogram(x, ARRAY['a', 'b'], 1) AS m FROM t) q" ],
	[ 'a clip curve', 1, half(1 / 90)**3, 't', 'more',
		'SELECT m[1].sum >= 110 AND m[2].sum - m[1].sum >= 80 AND m[3].sum - m[2].sum >= 60 FROM '
		. '(SELECT dp_clip_curve(i, ARRAY[30, 60, 90], 1) AS m FROM t) q' ],
	[ 'count, sum and bins together', 1, half(0.4) / 2 * half(0.3), 't', 'more',
		'SELECT a >= 5 AND b >= 250 AND c[1].count >= 2 FROM (SELECT dp_count(t, 0.4) AS a, '
		. 'dp_sum_clipped(f, 17, 90, 0.3) AS b, dp_histogram(f, ARRAY[60, 90], 0.3) AS c FROM t) q' ],
	[ 'groups', 1, half(1), 't', 'more',
		'SELECT bool_and(z IS NOT TRUE OR m >= 3) FROM (SELECT z, dp_count(*) AS m FROM t GROUP BY z) q' ],
	[ 'groups with several measures', 1, half(0.5) / 2, 't', 'more',
		'SELECT bool_and(z IS NOT TRUE OR a >= 3 AND b >= 160) FROM '
		. '(SELECT z, dp_count(i, 0.5) AS a, dp_sum_clipped(f, 17, 90, 0.5) AS b FROM t GROUP BY z) q' ],
	[ 'an average of one row', 1, undef, 'none', 'single',
		'SELECT m = 90 FROM (SELECT dp_avg(f, 17, 90, 1) AS m FROM t) q' ],
	[ 'an average', 2, undef, 't', 'more',
		'SELECT m > 63.4 FROM (SELECT dp_avg(i, 17, 90, 2) AS m FROM t) q' ],
	[ 'a sum and an average of the same column', 2, undef, 't', 'more',
		'SELECT s >= 250 AND m > 60 FROM (SELECT dp_sum_clipped(i, 17, 90, 1) AS s, dp_avg(i, 17, 90, 1) AS m FROM t) q' ],

	# In units of the sensitivity each sum moves by 1, with noise of deviation sqrt(2) / mu.
	[ 'Gaussian sums together', 1, [ normal_cdf(-SHIFT), normal_cdf($mu - SHIFT) ], 't', 'more',
		'SELECT a / 90 + b / 180 >= 320 / 90.0 + ' . 2 * SHIFT / $mu . " FROM (SELECT dp_sum_clipped(f, 17.5, 90, 0.5, 0.005) AS a, "
		. "dp_sum_clipped(2 * f, 35, 180, 0.5, 0.005) AS b FROM t) q", DELTA ],
	[ 'Gaussian count and average in groups', 2, undef, 't', 'more',
		'SELECT bool_and(z IS NOT TRUE OR c >= 3 AND m >= 50) FROM (SELECT z, dp_count(i, 1, 0.005) AS c, dp_avg(f, 17, 90, 1, 0.005) AS m '
		. 'FROM t GROUP BY z) q', DELTA ]);

# How often the event happens on a table.
sub frequency
{
	my ($library, $table, $event) = @_;
	my $query = $event =~ s/ FROM t\b/ FROM $table AS t/gr;
	return sql($library, <<"SQL");
SET dpriv.epsilon = 1;
SET dpriv.mechanism = @{[ $query =~ /0\.005/ ? 'gaussian' : 'auto' ]};
CREATE OR REPLACE FUNCTION frequency(times int) RETURNS int LANGUAGE plpgsql AS \$\$
DECLARE
	hits int := 0;
	hit bool;
BEGIN
	FOR n IN 1 .. times LOOP
		$query INTO hit;
		IF hit THEN
			hits := hits + 1;
		END IF;
	END LOOP;
	RETURN hits;
END\$\$;
SELECT frequency($releases);
SQL
}

# Lower bound on epsilon from the frequencies of an event and of its complement.
sub epsilon_bound
{
	my ($one, $other, $delta) = @_;
	my @ratios;
	foreach my $pair ([ $one, $other ], [ $other, $one ], [ $releases - $one, $releases - $other ],
		[ $releases - $other, $releases - $one ])
	{
		my ($low, $high) = (proportion_low($pair->[0], $releases, ALPHA), proportion_high($pair->[1], $releases, ALPHA));
		push @ratios, $low > $delta ? log(($low - $delta) / $high) : 0;
	}
	return max(@ratios);
}

# [name, charge, bound, [frequency, probability]...] of every case.
sub bounds
{
	my ($library) = @_;
	my @bounds;
	foreach my $case (@cases)
	{
		my ($name, $charge, $probability, $table, $neighbour, $event, $delta) = @$case;
		my @hits = map { frequency($library, $_, $event) } $table, $neighbour;
		my @expected = ref $probability ? @$probability : defined $probability ? ($probability * exp(-$charge), $probability) : ();
		push @bounds, [ $name, $charge, epsilon_bound(@hits, $delta // 0), map { [ $hits[$_], $expected[$_] ] } 0 .. $#expected ];
	}
	return @bounds;
}

foreach my $bound (bounds($shipped))
{
	my ($name, $charge, $epsilon, @events) = @$bound;
	cmp_ok($epsilon, '<=', $charge, sprintf('%s: epsilon is at least %.3f, charged %g (false alarm below 1e-9)', $name, $epsilon, $charge));
	ok(binomial_below($_->[0], $releases, $_->[1]) >= ALPHA && binomial_above($_->[0], $releases, $_->[1]) >= ALPHA,
		sprintf('%s: event in %d of %d releases, expected %.1f (false alarm 2e-10)', $name, $_->[0], $releases, $_->[1] * $releases))
	  foreach @events;
}

# What records exact values is not part of the shipped library.
my ($status) = script($node, $shipped, "CREATE FUNCTION take() RETURNS text AS 'dpriv', 'dpriv_audit_take' LANGUAGE C;");
isnt($status, 0, 'the shipped library keeps no record');

$releases = QUICK;
foreach my $mutant (mutants('mutants-noise'))
{
	next unless ($every || $mutant->{quick}) && grep { $_ eq 'blackbox' } @{ $mutant->{caught} };
	my @found = grep { $_->[2] > $_->[1] } bounds(build_mutant($mutant, $shipped, ''));
	cmp_ok(scalar @found, '>', 0, "$mutant->{name} is caught: $mutant->{what}");
	note("$mutant->{name}: " . join ', ', map { sprintf '%s %.3f', $_->[0], $_->[2] } @found);
}

done_testing();
