#
# 045_found_bounds.pl
#	  dp_sum and dp_avg without bounds beside the algorithm of Google's library, on six shapes of data.
#
# The other one is simulated: half of epsilon for counts of 2 * 2047 bins between powers of two, the outermost of which
# above a threshold gives a bound, the other half for the sum, or in two halves for number and centred sum (C++ library,
# ApproxBounds, BoundedSum, BoundedMean).  Bins without values are left out of the simulation, in its favour.
# Answers are those of the shipped library.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max min sum0);
use POSIX qw(ceil);
use Test::More;

use Chance qw(binomial_above binomial_below);
use Variant qw(build_library node script);

use constant {
	ROWS      => 2000,
	EPSILON   => 1,
	RELEASES  => 1500,
	SIMULATED => 30_000,
	BINS      => 2 * 2047,
	FAILURE   => 1e-9,     # of the threshold, at first
	ALARM     => 1e-10,    # false alarm of one comparison
};

my $shipped = build_library('shipped');
my $node    = node('found_bounds');

sub sql
{
	my ($sql) = @_;
	my ($status, $out, $err) = script($node, $shipped, $sql);
	die $err if $status;
	return $out;
}

# Shapes, by the number g of a row.
my $rank   = "(g - 0.5) / @{[ROWS]}";
my $normal = "sqrt(-2 * ln($rank)) * cos(2 * pi() * (g * 0.6180339887498949 % 1))";
my %shape  = (
	'uniform'       => "100 * $rank",
	'normal'        => "50 + 10 * $normal",
	'exponential'   => "-20 * ln(1 - $rank)",
	'heavy tail'    => "power(1 - $rank, -2 / 3.0)",
	'mostly zero'   => 'CASE WHEN g % 10 = 0 THEN 1000 + 2 * g ELSE 0 END',
	'far from zero' => "1000 + $normal");
my @shapes = ('uniform', 'normal', 'exponential', 'heavy tail', 'mostly zero', 'far from zero');

sql("CREATE EXTENSION dpriv;\nCREATE TABLE t (shape text, x float8);\n"
	  . join('', map { "INSERT INTO t SELECT '$_', ($shape{$_})::float8 FROM generate_series(1, @{[ROWS]}) g;\n" } @shapes)
	  . <<'SQL');
CREATE FUNCTION within(query text, exact float8, distance float8[], times int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	hits int[] := array_fill(0, ARRAY[cardinality(distance)]);
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query INTO answer;
		FOR j IN 1 .. cardinality(distance) LOOP
			hits[j] := hits[j] + (answer IS NOT NULL AND abs(answer - exact) <= distance[j])::int;
		END LOOP;
	END LOOP;
	RETURN array_to_string(hits, ' ');
END$$;
CREATE FUNCTION covered(query text, exact float8, times int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	width float8;
	hits int := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query INTO answer, width;
		hits := hits + (abs(answer - exact) <= width)::int;
	END LOOP;
	RETURN hits;
END$$;
SQL

sub laplace
{
	my ($scale) = @_;
	my $u = rand() - 0.5;
	return ($u < 0 ? $scale : -$scale) * log(1 - 2 * abs($u) || 1e-300);
}

sub clipped_sum
{
	my ($values, $lower, $upper) = @_;
	return sum0(map { max($lower, min($upper, $_)) } @$values);
}

# The bin of a value: values up to 2^bin in size; all values here are at least 0.
sub bin
{
	my ($x) = @_;
	return -1022 if $x <= 2**-1022;
	my $bin = ceil(log($x) / log(2) - 1e-9);
	return $x <= 2**($bin - 1) ? $bin - 1 : $bin;
}

# Errors of the other algorithm, in size and ascending: of the sum, and of the mean.
sub simulated
{
	my ($values) = @_;
	my ($sum, $mean) = (sum0(@$values), sum0(@$values) / @$values);
	my (%count, %clipped, @sums, @means);
	$count{ bin($_) }++ foreach @$values;
	my @bins = sort { $a <=> $b } keys %count;

	while (@sums < SIMULATED)
	{
		my %noisy = map { $_ => $count{$_} + laplace(2 / EPSILON) } @bins;
		my @passed;
		for (my $failure = FAILURE; !@passed && $failure < 0.9; $failure *= 10)
		{
			my $threshold = -2 / EPSILON * log(2 * $failure / BINS);
			@passed = grep { $noisy{$_} >= $threshold } @bins;
		}
		next if !@passed;
		my ($lower, $upper) = ($passed[0] == -1022 ? 0 : 2**($passed[0] - 1), 2**$passed[-1]);
		my $clipped = $clipped{"$lower $upper"} //= clipped_sum($values, $lower, $upper);
		push @sums, abs($clipped + laplace(2 * $upper / EPSILON) - $sum);

		my $middle = ($lower + $upper) / 2;
		my $number = max(1, @$values + laplace(4 / EPSILON));
		my $noisy_mean = ($clipped - @$values * $middle + laplace(2 * ($upper - $lower) / EPSILON)) / $number + $middle;
		push @means, abs(max($lower, min($upper, $noisy_mean)) - $mean);
	}
	return ([ sort { $a <=> $b } @sums ], [ sort { $a <=> $b } @means ]);
}

# As often as the other one within its median error and within what holds for nine in ten of its answers.
srand(1);
my @levels = (0.5, 0.9);
foreach my $shape (@shapes)
{
	my @values = split /\n/, sql("SELECT x FROM t WHERE shape = '$shape'");
	my %exact  = (dp_sum => sum0(@values), dp_avg => sum0(@values) / @values);
	my %other;
	@other{qw(dp_sum dp_avg)} = simulated(\@values);
	foreach my $measure (qw(dp_sum dp_avg))
	{
		my @distance = map { $other{$measure}[ $_ * SIMULATED - 1 ] } @levels;
		my @hits = split ' ', sql("SELECT within(\$query\$SELECT $measure(x, @{[EPSILON]}) FROM t WHERE shape = '$shape'\$query\$, "
			  . sprintf('%.17g', $exact{$measure}) . ", '{" . join(',', @distance) . "}', @{[RELEASES]})");
		foreach my $i (0 .. $#levels)
		{
			ok(binomial_below($hits[$i], RELEASES, $levels[$i]) >= ALARM,
				sprintf('%s, %s: %.1f %% of answers within %.4g of the exact one, as %g %% of the other algorithm (false alarm 1e-10)',
					$measure, $shape, 100 * $hits[$i] / RELEASES, $distance[$i], 100 * $levels[$i]));
		}
		cmp_ok($hits[0], '>', 0.5 * RELEASES, "$measure, $shape: a smaller median error")
		  or diag("$hits[0] of @{[RELEASES]}");
	}
}

# Where no value is clipped, dp_error holds as often as it says.
my %exact = (dp_sum => 'sum(x)', dp_avg => 'avg(x)', dp_variance => 'var_pop(x)', dp_stddev => 'stddev_pop(x)');
foreach my $measure (sort keys %exact)
{
	my $hits = sql("SELECT covered(\$query\$SELECT $measure(x, @{[EPSILON]}), dp_error($measure(x, @{[EPSILON]}), 0.9) FROM t "
		  . "WHERE shape = 'uniform' AND x > 32\$query\$, (SELECT $exact{$measure} FROM t WHERE shape = 'uniform' AND x > 32), "
		  . RELEASES . ')');
	ok(binomial_below($hits, RELEASES, 0.9) >= ALARM, sprintf('%s: %.1f %% of answers within dp_error at 90 %% (false alarm 1e-10)',
		$measure, 100 * $hits / RELEASES));
}

# Without values bounds are found by mistake only, one time in about a thousand.
my $found = sql("SELECT count(*) FROM generate_series(1, 1) g, LATERAL (SELECT within('SELECT cardinality(dp_bounds(x, 1)) FROM t WHERE x < 0', 2, '{0}', 5000)) q(n) WHERE n::int > 60");
is($found, 0, 'no more than 60 of 5000 releases find bounds where there are no values (false alarm below 1e-10)');

done_testing();
