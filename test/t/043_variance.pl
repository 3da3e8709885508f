#
# 043_variance.pl
#	  The error of dp_variance beside other ways to spend the same epsilon, on five shapes of data.
#
# The others are simulated: noisy number, sum and sum of squares, and the variance that they give, clamped like the
# answers are.  Answers are those of the shipped library.  Intervals are looked at with Gaussian noise as well.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max min sum0);
use Test::More;

use Chance qw(binomial_above binomial_below normal_beyond);
use Variant qw(build_library node script);

use constant {
	LOWER     => 17,
	UPPER     => 90,
	ROWS      => 150,
	EPSILON   => 20,
	RELEASES  => 16_000,
	SIMULATED => 120_000,
	ALLOWED   => 1.1,       # times the error of the best of the others
	COVERED   => 1e-12,     # false alarm of a test of coverage
	SLACK     => 0.02,      # by which the intervals may hold too often
	COPIES    => 16,        # of each row, for Gaussian noise, which is larger
	GAUSSIAN  => 8_000,     # releases with it
};

my $shipped = build_library('shipped');
my $node    = node('variance');

sub sql
{
	my ($sql) = @_;
	my ($status, $out, $err) = script($node, $shipped, $sql);
	die $err if $status;
	return $out;
}

# Shapes, by the number g of a row; the normal one by Box and Muller's method on a lattice.
my $rank  = "(g - 0.5) / @{[ROWS]}";
my $range = UPPER - LOWER;
my %shape = (
	'uniform'             => "17 + $range * $rank",
	'normal'              => "53.5 + $range / 6.0 * sqrt(-2 * ln($rank)) * cos(2 * pi() * (g * 0.6180339887498949 % 1))",
	'exponential'         => "17 - 0.2 * $range * ln(1 - $rank)",
	'two values'          => 'CASE g % 2 WHEN 0 THEN 17 ELSE 90 END',
	'two, one of them rare' => 'CASE g % 10 WHEN 0 THEN 90 ELSE 17 END');
my @shapes = ('uniform', 'normal', 'exponential', 'two values', 'two, one of them rare');

sql("CREATE EXTENSION dpriv;\nCREATE TABLE t (shape text, x float8);\n"
	  . join('', map { "INSERT INTO t SELECT '$_', greatest(least(($shape{$_})::float8, 90), 17) FROM generate_series(1, @{[ROWS]}) g;\n" } @shapes)
	  . <<'SQL');
CREATE FUNCTION squares(query text, exact float8, times int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	width float8[];
	total float8 := 0;
	covered int[] := ARRAY[0, 0, 0, 0];
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query INTO answer, width;
		total := total + (answer - exact) ^ 2;
		FOR j IN 1 .. 4 LOOP
			covered[j] := covered[j] + (abs(answer - exact) <= width[j])::int;
		END LOOP;
	END LOOP;
	RETURN sqrt(total / times) || ' ' || array_to_string(covered, ' ');
END$$;
SQL

sub laplace
{
	my ($scale) = @_;
	my $u = rand() - 0.5;
	return ($u < 0 ? $scale : -$scale) * log(1 - 2 * abs($u) || 1e-300);
}

# The others add noise to three linear combinations of number, sum and sum of squares of y = (x - centre) / unit:
# each combination with its sensitivity, and how number, sum and squares come from their noises.
my $third  = 3 / EPSILON;
my $middle = (LOWER + UPPER) / 2;
my %others = (
	'thirds' => [ 0, 1, sub { (laplace($third), laplace($third * UPPER), laplace($third * UPPER**2)) } ],
	'thirds, x centred' => [ $middle, $range / 2, sub { (laplace($third), laplace($third), laplace($third)) } ],
	'thirds, all centred' => [ $middle, $range / 2, sub {
		my $number = laplace($third);
		return ($number, laplace($third), laplace($third / 2) + $number / 2);
	} ],
	"Bernstein's basis" => [ $middle, $range / 2, sub {
		my ($below, $between, $above) = map { laplace(1 / EPSILON) } 1 .. 3;
		return ($below + $between + $above, $above - $below, $below - $between + $above);
	} ]);
my @others = ('thirds', 'thirds, x centred', 'thirds, all centred', "Bernstein's basis");

# Root mean square error of another way, on these values.
sub simulated
{
	my ($values, $exact, $centre, $unit, $noise) = @_;
	my @y      = map { ($_ - $centre) / $unit } @$values;
	my ($n, $sum, $squares) = (scalar @y, sum0(@y), sum0(map { $_**2 } @y));
	my $total  = 0;
	foreach (1 .. SIMULATED)
	{
		my ($z0, $z1, $z2) = $noise->();
		my $mean     = ($sum + $z1) / ($n + $z0);
		my $variance = (($squares + $z2) / ($n + $z0) - $mean**2) * $unit**2;
		$total += (max(0, min($range**2 / 4, $variance)) - $exact)**2;
	}
	return sqrt($total / SIMULATED);
}

my @confidence = (0.5, 0.9, 0.95, 0.99);

# Intervals hold as often as they say, and with this many rows hardly more often.
sub check_coverage
{
	my ($name, $releases, @covered) = @_;
	foreach my $i (0 .. $#confidence)
	{
		ok(binomial_below($covered[$i], $releases, $confidence[$i]) >= COVERED
			  && ($name =~ /two values/ || binomial_above($covered[$i], $releases, min(1, $confidence[$i] + SLACK)) >= COVERED),
			"$name: $covered[$i] of $releases answers within dp_error at $confidence[$i] (false alarm below 2e-12)");
	}
	return;
}

srand(1);
my $widths = join ', ', map { "dp_error(dp_variance(x, @{[LOWER]}, @{[UPPER]}, @{[EPSILON]}), $_)" } @confidence;
note(sprintf '%-22s %11s  %s', 'error of dp_variance', 'dp_variance', join '  ', @others);
foreach my $name (@shapes)
{
	my @values = split /\n/, sql("SELECT x FROM t WHERE shape = '$name'");
	my ($mean) = sum0(@values) / @values;
	my $exact  = sum0(map { ($_ - $mean)**2 } @values) / @values;
	my ($error, @covered) = split ' ', sql("SELECT squares(\$query\$SELECT dp_variance(x, @{[LOWER]}, @{[UPPER]}, @{[EPSILON]}), "
		  . "ARRAY[$widths] FROM t WHERE shape = '$name'\$query\$, $exact, @{[RELEASES]})");
	my %error = map { $_ => simulated(\@values, $exact, @{ $others{$_} }) } @others;
	note(sprintf '%-22s %11.3f  %s', $name, $error, join '  ', map { sprintf '%*.3f', length $_, $error{$_} } @others);
	my $best = min(values %error);
	cmp_ok($error, '<=', ALLOWED * $best, sprintf('%s: %.3f times the error of the best of the others', $name, $error / $best));

	check_coverage($name, RELEASES, @covered);
}

# The same intervals with Gaussian noise.
sql(join '', map { "INSERT INTO t SELECT 'copies of $_', x FROM t, generate_series(1, @{[COPIES]}) WHERE shape = '$_';\n" } @shapes);
foreach my $name (@shapes)
{
	foreach my $measure ($name =~ /two/ ? 'dp_variance' : ('dp_variance', 'dp_stddev'))
	{
		my $call  = "$measure(x, @{[LOWER]}, @{[UPPER]}, @{[EPSILON]}, 1e-6)";
		my $exact = sql(sprintf "SELECT %s(x) FROM t WHERE shape = '$name'", $measure eq 'dp_stddev' ? 'stddev_pop' : 'var_pop');
		my (undef, @covered) = split ' ', sql("SET dpriv.mechanism = gaussian;\nSELECT squares(\$query\$SELECT $call, ARRAY["
			  . join(', ', map { "dp_error($call, $_)" } @confidence)
			  . "] FROM t WHERE shape = 'copies of $name'\$query\$, $exact, @{[GAUSSIAN]})");
		check_coverage("Gaussian $measure, $name", GAUSSIAN, @covered);
	}
}

# Two errors of one distribution are the worst case.  Squares of errors, at worst (two values, half of the errors clamped
# away): mean 1, variance 11, skewness 9.8.
my $deviations = (ALLOWED**2 - 1) / sqrt(11 / RELEASES + ALLOWED**4 * 11 / SIMULATED);
my $alarm = normal_beyond($deviations) * exp(9.8 * $deviations**3 / (6 * sqrt(RELEASES)));
cmp_ok($alarm, '<', 1e-9, sprintf('a false alarm of a comparison: %.1g (normal tail, times Cramer\'s correction for skewness)', $alarm));

done_testing();
