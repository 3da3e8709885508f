#
# 041_statistics.pl
#	  The noise that releases get is the noise that they promise: mean, spread, shape and independence of what is
#	  drawn, coverage of dp_error(), variance of dp_avg().
#
# Raw integers come from a library that records them, answers from one without that record.  Each test says how
# probable a false alarm is.  At full size, or with the part mutants, also on mutants, which have to be found: test/audit/Report.pm.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max min sum0 uniq);
use JSON::PP qw(decode_json);
use POSIX qw(ceil floor);
use Test::More;

use Chance qw(binomial_above binomial_below chi_square_above laplace_cdf laplace_variance laplace_within
  gaussian_cdf gaussian_variance gaussian_within mean_bound normal_beyond spread_bound);
use Report qw(fact full part wanted);
use Variant qw(build_library build_mutant mutants node script);

use constant {
	RELEASES        => 2000,
	MEAN_ERRORS     => 7.5,      # standard errors
	BOUND           => 1e-13,    # of Chernoff's bounds and of tails, per test
	PAIR_ERRORS     => 7.8,      # standard errors, for each of some thousand pairs
	SHAPE_BINS      => 20,
	FAR             => 6,        # scales
	FAR_GAUSSIAN    => 3,        # standard deviations
	MEANS           => 20_000,   # releases of dp_avg, for its variance
	VARIANCE_ERRORS => 8,
};

my $flags   = '-DDPRIV_AUDIT';
my $record  = build_library('library', $flags);
my $shipped = build_library('shipped');
my $node    = node('statistics');

sub sql
{
	my ($library, $sql) = @_;
	my ($status, $out, $err) = script($node, $library, $sql);
	die $err if $status;
	return $out;
}

# How often each test was made.
my %done;

sub check
{
	my ($failed, $condition, $test, $text) = @_;
	$done{$test}++;
	push @$failed, [ $test, $text ] if !$condition;
	return;
}

# Ten persons in each of three groups; i is an integer between 0 and 97, f a fraction between 0 and 1.
sql($record, <<'SQL');
CREATE EXTENSION dpriv;
CREATE FUNCTION dpriv_audit_take() RETURNS text AS 'dpriv', 'dpriv_audit_take' LANGUAGE C;
CREATE TABLE t AS SELECT g AS id, g * 7 % 98 AS i, (g * 37 % 101) / 101.0::float8 AS f, (g * 3 % 70)::numeric AS n,
	(ARRAY['a', 'b', 'c'])[1 + g % 3] AS x, CASE g % 3 WHEN 0 THEN true WHEN 1 THEN false END AS z
	FROM generate_series(1, 30) g;
CREATE FUNCTION repeat_release(query text, times int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query;
	END LOOP;
END$$;
SQL

my $measures = "dp_count(t, 0.1), dp_count(x, 2), dp_count(DISTINCT x, 0.3), dp_sum_clipped(i, 17, 90, 0.5), "
  . "dp_sum_clipped(f, -0.7, 0.2, 1/3.0), dp_sum_clipped(n, 0, 9, 20), dp_avg(f, 0, 1, 0.1), dp_avg(i, 17, 90, 7), "
  . "dp_variance(f, 0, 1, 0.3), dp_stddev(i, 17, 90, 2), dp_sum_vector(ARRAY[i, f], 2, 97, 'l2', 0.7), "
  . "dp_histogram(f, ARRAY[0, 0.25, 0.5, 0.75, 1], 0.4), dp_histogram(x, ARRAY['a', 'b', 'q'], 1)";

# Noise of the draws of many releases: [place in the release] = { name, scale, noise => [...] }.
sub draws
{
	my ($library, $query, $method, $settings) = @_;
	my $text = sql($library, "SET dpriv.avg_method = '$method';\n" . ($settings // '')
		  . "SELECT repeat_release(\$query\$$query\$query\$, @{[RELEASES]}) IS NULL;\n"
		  . 'SELECT dpriv_audit_take();');
	my @lines = grep { /\t/ } split /\n/, $text;
	my $size  = @lines / RELEASES;
	my @place;
	foreach my $at (0 .. $#lines)
	{
		my ($number, undef, $name, $component, $exact, $noisy, $sensitivity, $share, @more) = split /\t/, $lines[$at];
		my $draw = $place[ $at % $size ] //= {
			name  => "$name $component",
			scale => $sensitivity * 1e12 / $share,
			step  => 2**$more[3],
			# Of one statement; from one to the next these numbers may go on.
			number => $number, component => $component, single => $more[7] == 1 };
		# Exact values are small here, and doubles exact up to 2^53.
		push @{ $draw->{noise} }, $noisy - $exact;
	}
	return @place;
}

# A value that is uniform between -1 and 1, whatever the scale: the middle of its step of the distribution.
sub rank
{
	my ($x, $scale) = @_;
	return laplace_cdf($x, $scale) + laplace_cdf($x - 1, $scale) - 1;
}

# Sums of products of ranks of independent draws, in standard errors.  A product lies between -1 and 1 and has a
# variance of at most 1/9 and lighter tails than the normal distribution.
sub dependence
{
	my ($one, $other) = @_;
	my $sum = 0;
	$sum += $one->[$_] * $other->[$_] foreach 0 .. min($#$one, $#$other);
	return abs($sum) / sqrt(min(scalar @$one, scalar @$other) / 9);
}

# All tests of raw noise; returns those that failed as [test, text] and the number of tests done.
sub test_noise
{
	my ($library) = @_;
	my @failed;
	my $tests = 0;
	foreach my $method (qw(joint split))
	{
		my @place = draws($library, "SELECT z, $measures FROM t GROUP BY z", $method);
		my %pool;
		check(\@failed, @place > 50, 'draws', scalar @place);
		foreach my $place (@place)
		{
			my ($name, $scale, @noise) = ("$place->{name} ($method)", $place->{scale}, @{ $place->{noise} });
			my $n     = @noise;
			my $sum   = sum0(@noise);
			my $error = abs($sum) / sqrt($n * laplace_variance($scale));
			check(\@failed, $error <= MEAN_ERRORS, 'mean', "$name: off by $error standard errors");
			my $spread = sum0(map { abs } @noise);
			check(\@failed, spread_bound($spread, $n, $scale) >= BOUND, 'spread',
				"$name: mean absolute value " . $spread / $n . " at scale $scale");
			push @{ $pool{"$name $scale"}{noise} }, @noise;
			$pool{"$name $scale"}{scale} = $scale;
			$place->{rank}      = [ map { rank($_, $scale) } @noise ];
			$place->{magnitude} = [ map { 2 * abs($_) - 1 } @{ $place->{rank} } ];
			$tests += 2;
		}
		foreach my $name (sort keys %pool)
		{
			my ($statistic, $freedom) = shape($pool{$name}{noise}, $pool{$name}{scale});
			next if !$freedom;
			my $chance = chi_square_above($statistic, $freedom);
			check(\@failed, $chance >= BOUND, 'shape', "$name: chi-square $statistic, $freedom degrees of freedom");
			$tests++;
		}

		# How many draws are far out, of all with a fine step.
		my @far  = grep { $_->{scale} > 1000 } @place;
		my $many = sum0(map { my $place = $_; scalar grep { abs > FAR * $place->{scale} } @{ $place->{noise} } } @far);
		my $all  = sum0(map { scalar @{ $_->{noise} } } @far);
		check(\@failed, binomial_below($many, $all, exp(-FAR)) >= BOUND && binomial_above($many, $all, exp(-FAR)) >= BOUND,
			'tail', "$many of $all draws beyond " . FAR . ' scales');
		$tests++;

		# Magnitudes are uniform as well unless the steps are coarse against the scale.
		my @fine = grep { $_->{scale} > 5 } @place;
		foreach my $kind ([ 'rank', @place ], [ 'magnitude', @fine ])
		{
			my ($what, @of) = @$kind;
			foreach my $a (0 .. $#of)
			{
				my @late = @{ $of[$a]{$what} };
				shift @late;
				my $error = dependence($of[$a]{$what}, \@late);
				check(\@failed, $error <= PAIR_ERRORS, 'releases', "$of[$a]{name}, $what: $error standard errors");
				foreach my $b ($a + 1 .. $#of)
				{
					$error = dependence($of[$a]{$what}, $of[$b]{$what});
					check(\@failed, $error <= PAIR_ERRORS, 'components',
						"$of[$a]{name} and $of[$b]{name}, $what: $error standard errors");
					$tests++;
				}
				$tests++;
			}
		}
	}
	return (\@failed, $tests);
}

# Noise and deviations of Gaussian measures, as EXPLAIN says, in its order.
sub explained
{
	my ($library, $query, $settings) = @_;
	my $plan = decode_json(sql($library, "${settings}EXPLAIN (FORMAT JSON) $query;"));
	my @lines;
	my $walk;
	$walk = sub {
		my ($node) = @_;
		push @lines, @{ $node->{Measures} // [] };
		$walk->($_) foreach @{ $node->{Plans} // [] };
	};
	$walk->($plan->[0]{Plan});
	return map { [ /discrete Gaussian, sigma ([-+.e\d]+)(?: \(sum\) and ([-+.e\d]+) \(count\))?/ ] } @lines;
}

# The same of Gaussian noise, beside each other and beside Laplace noise: it has the deviation that EXPLAIN shows.
my $gaussian = "dp_count(t, 0.1, 1e-6), dp_count(x, 5, 1e-6), dp_count(DISTINCT x, 0.3, 1e-5), "
  . "dp_sum_clipped(i, 17, 90, 0.5, 1e-6), dp_sum_clipped(f, -0.7, 0.2, 1/3.0, 1e-6), dp_sum_clipped(n, 0, 9, 2, 1e-8), "
  . "dp_avg(f, 0, 1, 0.1, 1e-6), dp_avg(i, 17, 90, 3, 1e-6), dp_histogram(f, ARRAY[0, 0.5, 1], 0.4), dp_count(f, 5, 1e-6), "
  . "dp_sum_vector(ARRAY[i, f], 2, 97, 'l2', 0.5, 1e-6)";
my $singles = join ', ', map { "(SELECT $_ FROM t)" } 'dp_count(t, 0.1, 1e-6)', 'dp_count(x, 3, 1e-3)', 'dp_count(DISTINCT x, 2, 1e-9)',
  'dp_sum_clipped(i, 17, 90, 0.5, 1e-6)', 'dp_sum_clipped(f, -0.7, 0.2, 1/3.0, 1e-6)';

sub test_gaussian_noise
{
	my ($library) = @_;
	my $settings = "SET dpriv.mechanism = 'gaussian';\n";
	my @failed;
	my $tests = 0;
	foreach my $case ([ 'joint', "SELECT z, $gaussian FROM t GROUP BY z" ], [ 'split', "SELECT z, $gaussian FROM t GROUP BY z" ],
		[ 'joint', "SELECT $singles" ])
	{
		my ($method, $query) = @$case;
		my @place  = draws($library, $query, $method, $settings);
		my @shown  = explained($library, $query, "${settings}SET dpriv.avg_method = '$method';\n");
		my $single = $query !~ /GROUP BY/;
		my %pool;
		check(\@failed, @place == ($single ? 5 : 3 * 15), 'draws', scalar @place);
		foreach my $place (@place)
		{
			my ($name, @noise) = ("$place->{name} ($method)", @{ $place->{noise} });
			my @said = @{ $shown[ $place->{number} ] };
			my $n    = @noise;
			if (!@said)
			{
				$place->{rank} = [ map { rank($_, $place->{scale}) } @noise ];
				next;
			}
			my $sigma    = ($place->{component} == 1 ? $said[1] : undef) // $said[0];
			my $variance = gaussian_variance($sigma /= $place->{step}, $single);
			my $cdf      = sub { gaussian_cdf($_[0], $sigma, $single) };
			my $error    = abs(sum0(@noise)) / sqrt($n * $variance);
			check(\@failed, $error <= MEAN_ERRORS, 'mean', "$name: off by $error standard errors");

			# The sum of squares is chi-square, or has lighter tails for few steps.
			my $spread = sum0(map { $_**2 } @noise) / $variance;
			my $above  = chi_square_above($spread, $n);
			check(\@failed, $above >= BOUND && $above <= 1 - BOUND, 'spread',
				"$name: deviation " . sqrt($spread / $n) . ' of what it should be');
			$place->{rank} = [ map { $cdf->($_) + $cdf->($_ - 1) - 1 } @noise ];
			$place->{sigma} = $sigma;
			push @{ $pool{"$name $sigma"}{noise} }, @noise;
			@{ $pool{"$name $sigma"} }{qw(sigma cdf)} = ($sigma, $cdf);
			$tests += 2;
		}
		foreach my $name (sort keys %pool)
		{
			my ($noise, $sigma, $cdf) = @{ $pool{$name} }{qw(noise sigma cdf)};
			my ($statistic, $freedom) = bins($noise, [ map { floor($_ / 4 * $sigma) } -10 .. 10 ], $cdf);
			check(\@failed, chi_square_above($statistic, $freedom) >= BOUND, 'shape',
				"$name: chi-square $statistic, $freedom degrees of freedom") if $freedom;
			my $limit = ceil(FAR_GAUSSIAN * $sigma);
			my $many  = grep { abs >= $limit } @$noise;
			my $beyond = 2 * $cdf->(-$limit);
			check(\@failed, binomial_below($many, scalar @$noise, $beyond) >= BOUND && binomial_above($many, scalar @$noise, $beyond) >= BOUND,
				'tail', "$name: $many of " . @$noise . ' draws beyond ' . FAR_GAUSSIAN . ' deviations');
			$tests += 2;
		}
		$_->{magnitude} = [ map { 2 * abs($_) - 1 } @{ $_->{rank} } ] foreach @place;
		my @fine = grep { ($_->{sigma} // $_->{scale}) > 5 } @place;
		foreach my $kind ([ 'rank', @place ], [ 'magnitude', @fine ])
		{
			my ($what, @of) = @$kind;
			foreach my $a (0 .. $#of)
			{
				my (undef, @late) = @{ $of[$a]{$what} };
				my $error = dependence($of[$a]{$what}, \@late);
				check(\@failed, $error <= PAIR_ERRORS, 'releases', "$of[$a]{name}, $what: $error standard errors");
				foreach my $b ($a + 1 .. $#of)
				{
					$error = dependence($of[$a]{$what}, $of[$b]{$what});
					check(\@failed, $error <= PAIR_ERRORS, 'components',
						"$of[$a]{name} and $of[$b]{name}, $what: $error standard errors");
					$tests++;
				}
				$tests++;
			}
		}
	}
	return (\@failed, $tests);
}

# Pearson's statistic over bins of about equal probability, and its degrees of freedom.
sub shape
{
	my ($noise, $scale) = @_;
	my @edge;
	foreach my $i (1 .. SHAPE_BINS - 1)
	{
		my $p = $i / SHAPE_BINS;
		my $x = $p < 0.5 ? $scale * log(2 * $p) : -$scale * log(2 * (1 - $p));
		push @edge, floor($x);
	}
	return bins($noise, \@edge, sub { laplace_cdf($_[0], $scale) });
}

# The same for these bins, of which some may be empty, and this distribution.
sub bins
{
	my ($noise, $edges, $cdf) = @_;
	my @edge;
	foreach my $k (@$edges)
	{
		push @edge, $k if !@edge || $edge[-1] < $k;
	}
	my @count = (0) x (@edge + 1);
	foreach my $x (@$noise)
	{
		my ($low, $high) = (0, scalar @edge);
		while ($low < $high)
		{
			my $middle = ($low + $high) >> 1;
			if ($x <= $edge[$middle]) { $high = $middle }
			else                      { $low = $middle + 1 }
		}
		$count[$low]++;
	}
	my ($statistic, $before, $freedom, $expected, $seen) = (0, 0, -1, 0, 0);
	foreach my $i (0 .. @edge)
	{
		my $until = $i < @edge ? $cdf->($edge[$i]) : 1;
		$expected += ($until - $before) * @$noise;
		$seen     += $count[$i];
		$before = $until;

		# Small expectations are put together with their neighbours.
		next if $expected < 50 && $i < @edge;
		$statistic += ($seen - $expected)**2 / max($expected, 1e-3);
		$freedom++;
		($expected, $seen) = (0, 0);
	}
	return ($statistic, $freedom);
}

# What black boxes alone can find is in 042_blackbox.pl.
foreach my $mutant (grep { wanted($_) && (full() || !part('black')) } mutants('mutants-noise'))
{
	next if !grep { $_ ne 'blackbox' } @{ $mutant->{caught} };
	my ($found) = ($mutant->{name} =~ /^gaussian/ ? \&test_gaussian_noise : \&test_noise)->(build_mutant($mutant, $record, $flags));
	my @tests = uniq map { $_->[0] } @$found;
	my @expected = grep { !/^blackbox$/ } @{ $mutant->{caught} };
	ok(scalar(grep { my $test = $_; grep { $_ eq $test } @tests } @expected),
		"$mutant->{name} is caught by @expected: $mutant->{what}") or diag("tests: @tests");
	note("$mutant->{name}: @tests");
	fact('mutant', @$mutant{qw(name what)}, 'noise', "@tests");
}

if (!part('black'))
{
	done_testing();
	exit;
}
%done = ();

my ($failed, $tests) = test_noise($record);
is(scalar @$failed, 0, 'mean, spread, shape and independence of the noise of every measure');
diag(join ': ', @$_) foreach @$failed > 10 ? @$failed[ 0 .. 9 ] : @$failed;
note(sprintf '%d tests over %d releases', $tests, 2 * RELEASES);
note('a false alarm: mean 8e-14 each (normal tail of 7.5, times 1.25 for kurtosis 3: exp(3/24 7.5^4/2000)); '
	  . 'spread 2e-13 each (Chernoff); shape about 1e-13 each; dependence 7e-15 each (normal tail of 7.8)');
my ($failed_gaussian, $tests_gaussian) = test_gaussian_noise($record);
is(scalar @$failed_gaussian, 0, 'mean, spread, shape and independence of Gaussian noise, whose size is what EXPLAIN says');
diag(join ': ', @$_) foreach @$failed_gaussian > 10 ? @$failed_gaussian[ 0 .. 9 ] : @$failed_gaussian;
note(sprintf '%d tests over %d releases', $tests_gaussian, 3 * RELEASES);
note('a false alarm: mean 7e-14 each (normal tail of 7.5); spread 2e-13 each (chi-square); shape and tail about 2e-13 each; '
	  . 'dependence 7e-15 each');

# The formulas themselves: Chernoff's bound admits deviations that the tests above cannot see as failures.
cmp_ok(mean_bound(MEAN_ERRORS * sqrt(2 * RELEASES) * 1e6, RELEASES, 1e6), '<', 1e-12, 'the bound of a mean is sharp');
cmp_ok(spread_bound(RELEASES * 1e6 * 1.2, RELEASES, 1e6), '<', BOUND, 'noise of 1.2 times the scale is found');
cmp_ok(spread_bound(RELEASES * 1e6 / 1.2, RELEASES, 1e6), '<', BOUND, 'noise of 1 / 1.2 times the scale is found');

my $coverage = 0;

# Coverage, with the shipped library.  Measure, exact answer, noise scale and step (0: not public).
my @confidence = (0.5, 0.9, 0.95, 0.99);
my @measured = (
	[ 'dp_count(*)', 'count(*)', 2, 1 ],
	[ 'dp_count(DISTINCT x)', 'count(DISTINCT x)', 2, 1 ],
	[ 'dp_sum_clipped(i, 17, 90)', 'sum(least(greatest(i, 17), 90))', 180, 1 ],
	[ 'dp_sum_clipped(i, -3, 1)', 'sum(least(greatest(i, -3), 1))', 6, 1 ],
	[ 'dp_sum_clipped(i, 0, 0.5)', 'sum(least(greatest(i, 0), 0.5))', 2**40, 2**-40 ],
	[ 'dp_histogram(f, ARRAY[0, 0.3, 1])', 'count(*) FILTER (WHERE f >= 0 AND f < 0.3)', 2, 1, '(%s)[1].count' ],
	[ 'dp_histogram(x, ARRAY[\'q\', \'a\'])', 'count(*) FILTER (WHERE x = \'a\')', 2, 1, '(%s)[2].count' ],
	[ "dp_sum_vector(ARRAY[i, f], 2, 97, 'l2')", 'sum(i)', 2 * ceil(sqrt(2) * 97 * 2**34), 2**-34, '(%s)[1]' ],
	[ "dp_sum_vector(ARRAY[f], 1, 0.5, 'l1')", 'sum(trunc(least(f, 0.5) * 2::float8 ^ 41) / 2::float8 ^ 41)', 2 * 2**40, 2**-41, '(%s)[1]' ],
	[ 'dp_avg(i, 0, 97)', 'avg(i)' ],
	[ 'dp_avg(f, 0, 0.5)', 'avg(least(f, 0.5))' ],
	[ 'dp_avg(f, -1, 0)', 'avg(least(f, 0))' ],
	[ 'dp_avg(f, -0.25, 1)', 'avg(f)' ],
	[ 'dp_variance(i, 0, 97)', 'var_pop(i)' ],
	[ 'dp_variance(f, 0, 0.5, 20)', 'var_pop(least(f, 0.5))' ],
	[ 'dp_variance(f, -3, 1, 5)', 'var_pop(f)' ],
	[ 'dp_stddev(i, 0, 97)', 'stddev_pop(i)' ],
	[ 'dp_stddev(f, 0, 1, 20)', 'stddev_pop(f)' ],
	[ 'dp_stddev(f, 0.8, 1, 5)', 'stddev_pop(greatest(f, 0.8))' ]);
sql($shipped, <<'SQL');
CREATE FUNCTION coverage(query text, exact float8, times int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	width float8[];
	covered int[] := ARRAY[0, 0, 0, 0];
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query INTO answer, width;
		FOR j IN 1 .. 4 LOOP
			covered[j] := covered[j] + (abs(answer - exact) <= width[j])::int;
		END LOOP;
	END LOOP;
	RETURN array_to_string(covered, ' ') || ' ' || array_to_string(width, ' ');
END$$;
SQL
foreach my $method (qw(joint split))
{
	foreach my $measured (@measured)
	{
		my ($measure, $exact, $scale, $step, $wrapped) = @$measured;
		next if $method eq 'split' && $measure !~ /^dp_avg/;
		my $errors = join ', ', map { "dp_error($measure, $_)" } @confidence;
		my $answer = sprintf $wrapped // '%s', $measure;
		my @seen = split ' ', sql($shipped, "SET dpriv.epsilon = 0.5; SET dpriv.avg_method = '$method';\n"
			  . "SELECT coverage(\$query\$SELECT $answer, ARRAY[$errors] FROM t\$query\$, (SELECT $exact FROM t), @{[RELEASES]});");
		foreach my $i (0 .. $#confidence)
		{
			my ($covered, $width) = @seen[ $i, $i + 4 ];
			my $text = "$measure ($method): $covered of @{[RELEASES]} answers within dp_error at $confidence[$i]";

			# Never below the confidence; where the error is public, neither far from its exact coverage.
			my $truth = defined $scale ? laplace_within($width / $step + 1e-9, $scale) : $confidence[$i];
			my $good  = binomial_below($covered, RELEASES, $confidence[$i]) >= BOUND && $truth >= $confidence[$i];
			if (defined $scale)
			{
				$good &&= binomial_above($covered, RELEASES, $truth) >= BOUND
				  && binomial_below($covered, RELEASES, $truth) >= BOUND;
				$good &&= laplace_within($width / $step - 1 + 1e-9, $scale) < $confidence[$i];
			}
			$coverage++;
			ok($good, "$text (false alarm below 3e-13)");
		}
	}
}

# The same with Gaussian noise.  A measure, what stands beside it (nothing: a single number), exact answer, step
# (0: not public).
foreach my $measured (
	[ 'dp_count(*)', undef, 'count(*)', 1 ], [ 'dp_count(t, 8, 1e-3)', undef, 'count(*)', 1 ],
	[ 'dp_sum_clipped(i, 17, 90)', undef, 'sum(least(greatest(i, 17), 90))', 1 ],
	[ 'dp_sum_clipped(i, 0, 0.5)', undef, 'sum(least(greatest(i, 0), 0.5))', 2**-40 ],
	[ 'dp_count(*)', 'dp_count(x)', 'count(*)', 1 ], [ 'dp_count(t, 10)', 'dp_count(x)', 'count(*)', 1 ],
	[ 'dp_sum_clipped(i, -3, 1)', 'dp_avg(i, 0, 97)', 'sum(least(greatest(i, -3), 1))', 1 ],
	[ 'dp_sum_clipped(f, 0, 0.5)', 'dp_count(*)', 'sum(least(f, 0.5))', 2**-40 ],
	[ 'dp_avg(i, 0, 97, 2)', undef, 'avg(i)' ], [ 'dp_avg(f, 0, 0.5, 4)', 'dp_count(*)', 'avg(least(f, 0.5))' ],
	[ 'dp_avg(f, -1, 0, 4)', undef, 'avg(least(f, 0))' ], [ 'dp_avg(i > 50, 0, 1, 10)', undef, 'avg((i > 50)::int)' ],
	[ 'dp_avg(i, 0, 97, 5)', 'dp_count(*)', 'avg(i)', undef, 'split' ], [ 'dp_avg(f, 0, 0.5, 10)', undef, 'avg(least(f, 0.5))', undef, 'split' ])
{
	my ($measure, $beside, $exact, $step, $method) = @$measured;
	my $settings = "SET dpriv.epsilon = 0.5; SET dpriv.delta = 1e-6; SET dpriv.mechanism = 'gaussian'; "
	  . 'SET dpriv.avg_method = ' . ($method // 'joint') . ";\n";
	$measure =~ s/i > 50/(i > 50)::int/;
	my $errors = join ', ', map { "dp_error($measure, $_)" } @confidence;
	my $query  = "SELECT $measure, ARRAY[$errors] FROM t" . ($beside ? " HAVING $beside IS NOT NULL" : '');
	my ($said) = explained($shipped, $query, $settings);
	my $sigma  = defined $step ? $said->[0] / $step : undef;

	# From 64 steps on a single number's error may be a step more than the least.
	my $spare = defined $step && !$beside && $sigma >= 64 ? 2 : 1;
	my @seen = split ' ', sql($shipped, "${settings}SELECT coverage(\$query\$$query\$query\$, (SELECT $exact FROM t), @{[RELEASES]});");
	foreach my $i (0 .. $#confidence)
	{
		my ($covered, $width) = @seen[ $i, $i + 4 ];
		my $truth = defined $sigma ? gaussian_within($width / $step + 1e-9, $sigma, !$beside) : $confidence[$i];
		my $good  = binomial_below($covered, RELEASES, $confidence[$i]) >= BOUND && $truth >= $confidence[$i] - 1e-6;
		if (defined $sigma)
		{
			$good &&= binomial_above($covered, RELEASES, $truth) >= BOUND
			  && binomial_below($covered, RELEASES, $truth) >= BOUND;
			$good &&= gaussian_within($width / $step - $spare + 1e-9, $sigma, !$beside) < $confidence[$i] + 1e-6;
		}
		$coverage++;
		ok($good, "$measure, Gaussian" . ($beside ? ", beside $beside" : '') . ($method ? " ($method)" : '')
			  . ": $covered of @{[RELEASES]} answers within dp_error at $confidence[$i], expected " . sprintf('%.4f', $truth)
			  . ' (false alarm below 3e-13)');
	}
}

# The variance of dp_avg.  With n rows of range R and mean p R above the lower bound, and noise of scale M / epsilon on
# the pair: R^2 ((1 - p)^2 + p^2) 2 / (n epsilon)^2.  Split: noise of scale 2 U / epsilon on the sum (U the larger bound
# in size) and of scale 2 / epsilon on the count, which multiplies the mean m: (8 U^2 / epsilon^2 + m^2 V) / n^2, where V
# is the variance of discrete noise.  The noise of the denominator adds a relative 2 / (n epsilon), here 4e-4.
sql($shipped, <<'SQL');
CREATE TABLE u AS SELECT g / 500.0::float8 AS f, 1::float8 AS one FROM generate_series(1, 500) g;
CREATE FUNCTION squares(query text, exact float8, times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	total float8 := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query INTO answer;
		total := total + (answer - exact) ^ 2;
	END LOOP;
	RETURN total / times;
END$$;
SQL

# [variance, fourth cumulant] of Laplace noise of this scale, on a fine and on a coarse step.
sub fine_noise
{
	my ($scale) = @_;
	return [ 2 * $scale**2, 12 * $scale**4 ];
}

sub coarse_noise
{
	my ($scale) = @_;
	my $t = exp(-1 / $scale);
	my $variance = laplace_variance($scale);
	return [ $variance, 2 * $t * (1 + 10 * $t + $t**2) / (1 - $t)**4 - 3 * $variance**2 ];
}

foreach my $reference ([ 'f', 0, 1.25 ], [ 'one', 0, 2 ])
{
	my ($column, $lower, $upper) = @$reference;
	my ($n, $epsilon) = (500, 10);
	my ($range, $mean) = ($upper - $lower, $column eq 'one' ? 1 : 501 / 1000);
	my $p = ($mean - $lower) / $range;
	my %terms = (
		joint => [ [ $range * (1 - $p), fine_noise(1 / $epsilon) ], [ $range * $p, fine_noise(1 / $epsilon) ] ],
		split => [ [ $upper, fine_noise(2 / $epsilon) ], [ $mean, coarse_noise(2 / $epsilon) ] ]);
	my %variance;
	foreach my $method (qw(joint split))
	{
		my $formula  = sum0(map { $_->[0]**2 * $_->[1][0] } @{ $terms{$method} }) / $n**2;
		my $kurtosis = sum0(map { $_->[0]**4 * $_->[1][1] } @{ $terms{$method} }) / $n**4 / $formula**2;
		$variance{$method} = sql($shipped, "SET dpriv.avg_method = '$method';\n"
			  . "SELECT squares('SELECT dp_avg($column, $lower, $upper, $epsilon) FROM u', $mean, @{[MEANS]});");
		my $error = sqrt(($kurtosis + 2) / MEANS);
		my $off   = ($variance{$method} / $formula - 1) / $error;
		cmp_ok(abs($off), '<=', VARIANCE_ERRORS, sprintf('variance of dp_avg(%s, %g, %g) %s: %.4g, formula %.4g, %.1f standard '
				  . 'errors of %.1f %%', $column, $lower, $upper, $method, $variance{$method}, $formula, $off, 100 * $error));
	}
	cmp_ok($variance{joint}, '<=', $variance{split} / 2, sprintf('joint has at most half the variance of split: %.3f',
			$variance{joint} / $variance{split}));
}
note('a false alarm: below 1e-12 each.  The normal tail of 8 is 1.2e-15; the skewness of squares of Laplace variables, '
	  . 'at most 6.6, makes it larger by exp(6.6 8^3 / (6 sqrt(20000))) = 54 (Cramer).');

# Everything at once, by how often it was looked at.
my $alarm = 1.25 * $done{mean} * normal_beyond(MEAN_ERRORS) + ($done{releases} + $done{components}) * normal_beyond(PAIR_ERRORS)
  + ($done{spread} + $done{shape} + $done{tail}) * 2 * BOUND + $coverage * 3 * BOUND + 4e-12;
cmp_ok($alarm, '<', 1e-9, sprintf('a false alarm is rarer than %.1e, over all tests of noise and intervals', $alarm));
fact('chance', 'noise and intervals', $alarm);

done_testing();
