# Cases.pm
#	  What the white-box audit asks: extreme rows for given bounds, and queries over them.
#
# A case is a hash: name, lower, upper (doubles), epsilon, query, and optionally
#   settings   SQL before the query
#   bases      names of the starting tables to use (default: all of Audit.pm's)
#   cost       rough cost of one execution in epsilon, to keep sessions short
#   free       the query reads nothing and costs nothing
#   unread     it may cost more than what it draws
#   answers    value columns m01, m02, ... are the measures in the order of their draws, one row
#   refusable  it may be refused; if not, it must be private
#   reaches    numbers of the measures whose sensitivity some neighbours must reach
#
package Cases;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min sum0);
use POSIX qw(nextafter);

our @EXPORT_OK = qw(universe bounds_case combination_cases found_case gaussian_case structure_cases BOUNDS EPSILONS GAUSSIAN_EPSILONS DELTAS);

use constant {
	LARGEST_EPSILON_WITHOUT_BOUNDS => 5,    # as an argument
	DOUBLE_MAX  => 1.7976931348623157e308,
	DENORMAL    => 4.9406564584124654e-324,
	REAL_MAX    => 3.4028234e38,
	REAL_MIN    => 1.1754944e-38,
	EXACT_INT   => 9007199254740992,            # 2^53
	RANDOM_SEED => 20040915,

	# Differences of bounds for which there are variances.
	SMALLEST_SPREAD => 1e-100,
	LARGEST_SPREAD  => 1e100,
};

# Smallest, one whose decimal is not exact, one that is not a multiple of 1e-12, and the default largest.
use constant EPSILONS => (1e-6, 0.1, 1 / 3, 20);

# Of releases with several Gaussian measures; smallest, usual, largest delta, and one with several digits.
use constant GAUSSIAN_EPSILONS => (1e-6, 0.1, 1 / 3, 2);
use constant DELTAS            => (1e-18, 1e-6, 0.01, 1.25e-7);

# Pairs (lower, upper): integral, fractional, negative only, tiny, huge, mixed magnitudes, adjacent doubles.
use constant BOUNDS => (
	[ 17, 90 ], [ 0, 1 ], [ -5, 5 ], [ -90, -17 ], [ 0, 90 ], [ -1, 0 ], [ -90, 17 ],
	[ -2147483648, 2147483647 ], [ 0, EXACT_INT ], [ -9.2e18, 9.2e18 ], [ EXACT_INT - 1, EXACT_INT ],
	[ 0.1, 0.3 ], [ -0.7, 0.2 ], [ 17.5, 90.25 ], [ -1 / 3, -0.1 ],
	[ 1e-200, 2e-200 ], [ -1e-200, 1e-200 ], [ 0, 1e-200 ], [ -DENORMAL, 1e-200 ],
	[ 1e199, 1e200 ], [ -1e200, 1e200 ], [ -1e200, -1e199 ],
	[ 1e-200, 1e200 ], [ -1e200, 1e-200 ], [ -1e-200, 1e17 ], [ 1, 1e12 ],
	[ 1, nextafter(1, 2) ], [ nextafter(1, 0), 1 ], [ nextafter(1e200, 0), 1e200 ],
	[ -nextafter(1e-200, 1), -1e-200 ], [ EXACT_INT, EXACT_INT + 2 ], [ nextafter(-17, -18), -17 ]);

sub double
{
	my ($x) = @_;
	return 'NaN'       if $x != $x;
	return 'Infinity'  if $x == 9**9**9;
	return '-Infinity' if $x == -9**9**9;
	return sprintf('%.17g', $x);
}

sub clamp
{
	my ($x, $low, $high) = @_;
	return $x != $x ? $low : max($low, min($high, $x));
}

sub real
{
	my ($x) = @_;
	return double($x) if $x != $x || abs($x) == 9**9**9;
	return $x < 0 ? '-Infinity' : 'Infinity' if abs($x) > REAL_MAX;
	return abs($x) < REAL_MIN ? '0' : double($x);
}

# An array of doubles as SQL.
sub vector
{
	return "'{" . join(',', map { defined $_ ? double($_) : 'NULL' } @_) . "}'";
}

# The largest norm of vectors for these bounds.
sub radius
{
	return max(abs $_[0], abs $_[1]);
}

# Vectors of two and of four coordinates, in the ball of this radius, on its surface, outside, and none at all.
sub vectors
{
	my ($u)  = @_;
	my $inf  = 9**9**9;
	my $nan  = $inf / $inf;
	my @v    = map { vector(@$_) } (
		[ $u, 0 ], [ 0, -$u ], [ $u, $u ], [ -$u * sqrt(0.5), $u * sqrt(0.5) ], [ $u * 0.6, -$u * 0.8 ], [ $u / 3, $u - $u / 3 ],
		[ $u / 2, $u / 2 ], [ nextafter($u, $inf), 0 ], [ $u, DENORMAL ], [ $u, $u * 1e-12 ], [ -$u * (1 - 1e-12), $u * 1e-6 ],
		[ $u * 1e10, $u ], [ DOUBLE_MAX, DOUBLE_MAX ], [ -DOUBLE_MAX, DENORMAL ], [ $nan, $u ], [ $inf, 0 ], [ -$inf, $inf ],
		[ 0, 0 ], [ -0.0, DENORMAL ], [ $u * 2, -$u * 3 ], [ $u * 0.1, $u * 0.9 ],
		[], [$u], [ $u, $u, $u ], [ $u, undef ], [ undef, undef ]);
	push @v, 'NULL', "'{{" . double($u) . ',' . double($u) . "}}'", "'{{" . double($u) . '},{' . double($u) . "}}'",
	  "'[5:6]={" . double($u) . ',' . double(-$u) . "}'";

	# Directions without a pattern, of either norm.
	my $seed = RANDOM_SEED;
	my @w;
	foreach my $norm (1, 2, 1, 2, 1, 2, 1, 2)
	{
		my @x = map { $seed = ($seed * 1103515245 + 12345) % 2**31; ($seed >> 8) / 2**23 } 1 .. 4;
		my $size = $norm == 1 ? sum0(@x) : sqrt(sum0(map { $_**2 } @x));
		push @w, vector(map { $u * ($_ / $size) } @x);
	}
	push @w, map { vector(@$_) } (
		[ ($u / 2) x 4 ], [ ($u / 4) x 4 ], [ $u, 0, 0, 0 ], [ 0, 0, 0, -$u ], [ (-$u) x 4 ], [ (DOUBLE_MAX) x 4 ],
		[ $u / 2, -$u / 2, $u / 2, nextafter(-$u / 2, -$inf) ], [ $u, $u * 1e-9, $u * 1e-11, $u * 1e-13 ], [ (DENORMAL) x 4 ],
		[ $u / 3, $u / 7, -$u / 11, $u / 13 ], [ $u, 0, 0, $nan ], [ $inf, $u, $u, $u ], [ ($u) x 3 ], [ ($u) x 5 ], [ $u, undef, 0, 0 ],
		[ map { $u * 1e5 * $_ } 1, -2, 3, 4 ]);
	push @w, 'NULL';
	return (\@v, \@w);
}

# SQL that fills universe with extreme rows for these bounds, and the number of rows.  Every column goes through
# its own extremes, at its own pace.
sub universe
{
	my ($lower, $upper) = @_;
	my $nan = 9**9**9 / 9**9**9;
	my $inf = 9**9**9;
	my @f   = (
		$upper, $lower,
		nextafter($upper, $inf), nextafter($upper, -$inf),
		nextafter($lower, $inf), nextafter($lower, -$inf),
		$nan, $inf, -$inf, 0, -0.0,
		undef, $lower / 2 + $upper / 2, $upper * 2 + 1, $lower * 2 - 1,
		DENORMAL, -DENORMAL, DOUBLE_MAX, -DOUBLE_MAX,
		$upper * (1 - 1e-12), $lower * (1 + 1e-12), $upper * 0.75 + $lower * 0.25,
		1, -1, 0.1, 1e16, -1e16, EXACT_INT + 1, $upper / 3, $lower / 3, -$upper);
	my @i = map { sprintf('%d', clamp(int($_), -2147483648, 2147483647)) }
	  ($upper, $lower, $upper + 1, $lower - 1, 0, $upper / 2);
	push @i, 'NULL', -2147483648, 2147483647, $i[0] - ($i[0] > 0), $i[1] + ($i[1] < 0);
	my @b = map { abs($_) < 9e18 ? sprintf('%d', int($_)) : $_ < 0 ? '-9223372036854775808' : '9223372036854775807' }
	  ($lower, $upper, $lower - 1, $upper + 1, 0);
	push @b, '-9223372036854775808', '9223372036854775807', 'NULL', '9007199254740993';
	my @s = map { $_ eq 'NULL' ? $_ : sprintf('%d', clamp($_, -32768, 32767)) } @i;
	my @n = (double($upper), double($lower), qw(NULL NaN Infinity -Infinity 1e400 -1e400 1e-400 -1e-400 0),
		'123456789012345678901234567890.123456789', double(clamp($upper + 1, -1e300, 1e300)));
	my @x = (qw('a' 'b' '' 'A' NULL 'red' 'zzz'), "'a '", "repeat('long', 100)", "repeat('long', 100) || 'er'",
		"'alphabet'", "'alphabetic'", "U&'\\00e9'", "U&'e\\0301'");
	my @e = qw('red' 'green' 'blue' NULL);
	my @z = qw(true false NULL);
	my ($v, $w) = vectors(radius($lower, $upper));

	my @rows;
	foreach my $id (1 .. @f)
	{
		my $at = $id - 1;
		my $f  = $f[$at];
		push @rows, '(' . join(',', $id,
			defined $f ? "'" . double($f) . "'" : 'NULL',
			defined $f ? "'" . real($f) . "'" : 'NULL',
			$s[ $at % @s ], $i[ $at % @i ], $b[ $at % @b ],
			$n[ $at % @n ] eq 'NULL' ? 'NULL' : "'" . $n[ $at % @n ] . "'",
			$x[ $at % @x ], $e[ $at % @e ], $e[ ($at / 2) % @e ], $z[ $at % @z ], $z[ ($at / 3) % @z ],
			$v->[ $at % @$v ], $w->[ $at % @$w ]) . ')';
	}
	return ("DELETE FROM universe;\nINSERT INTO universe VALUES " . join(",\n", @rows) . ";\n", scalar @f);
}

# Every measure over every type of column, with these bounds, in one query.
sub bounds_case
{
	my ($lower, $upper, $epsilon, $method) = @_;
	my ($l, $u, $eps) = map { "'" . double($_) . "'::float8" } $lower, $upper, $epsilon;
	my $middle = double($lower / 2 + $upper / 2);
	my $edges  = $lower < $middle && $middle < $upper
	  ? "ARRAY[$l, '$middle', $u]" : "ARRAY[$l, $u]";
	my $categories = "ARRAY['a', '', 'A', repeat('long', 100), 'alphabet', 'a ', 'red', U&'\\00e9']";
	my @sums       = map { "dp_sum_clipped($_, $l, $u, $eps)" } qw(f r s i b n);
	my @means      = map { "dp_avg($_, $l, $u, $eps)" } qw(f r s i b n);
	my @counts     = map { "dp_count($_, $eps)" } qw(t f x i e z), 'DISTINCT f', 'DISTINCT x', 'DISTINCT n';
	my @bins       = map { "dp_histogram($_, $edges, $eps)" } qw(f i n);
	push @bins, map { "dp_histogram($_, $categories, $eps)" } qw(x e);
	my @chosen = map { ("dp_mode($_, $categories, $eps)", "dp_top_k($_, $categories, 3, $eps)") } qw(x e);
	push @chosen, map { ("dp_median($_, $l, $u, $eps)", "dp_quantile($_, 0.9, $l, $u, $eps)") } qw(f i b n);
	push @chosen, map { "dp_quantiles($_, ARRAY[0, 0.3, 0.5, 0.9, 1], $l, $u, $eps)" } qw(f s);
	push @chosen, map { "dp_iqr($_, $eps, 0.01)" } qw(f r s i b n);
	push @chosen, map { "dp_median_smooth($_, $l, $u, $eps, 1e-6)" } qw(f i b n);
	my @spreads;
	if ($upper - $lower >= SMALLEST_SPREAD && $upper - $lower <= LARGEST_SPREAD)
	{
		push @spreads, map { "dp_variance($_, $l, $u, $eps)" } qw(f r s i b n);
		push @spreads, map { "dp_stddev($_, $l, $u, $eps)" } qw(f i n);
	}
	my $top    = max(abs $lower, abs $upper);
	my @curves = map { sprintf "dp_clip_curve(%s, ARRAY[%s], $eps)", $_, join ', ', map { "'" . double($_) . "'::float8" } $top / 3, $top * 0.75, $top }
	  qw(f r i n);
	push @curves, map { "dp_clip_curve($_, ARRAY['" . double($top) . "'::float8], $eps)" } qw(f s b);
	push @curves, map { my $curve = $_; $curve =~ s/curve/bound/r } @curves;
	my $radius  = radius($lower, $upper);
	my @vectors = map { "dp_sum_vector($_->[0], $_->[1], '" . double($radius) . "', '$_->[2]', $eps)" } (
		[ 'v', 2, 'l1' ], [ 'v', 2, 'l2' ], [ 'w', 4, 'l1' ], [ 'w', 4, 'l2' ], [ 'w[1:3]', 3, 'l2' ], [ 'ARRAY[f]', 1, 'l2' ],
		[ 'ARRAY[f, i, n]', 3, 'l1' ], [ 'ARRAY[i, b]', 2, 'l2' ], [ 'ARRAY[n]', 1, 'l1' ], [ 'v', 5, 'l1' ]);
	my @measures = (@counts, @sums, @means, @spreads, @bins, @vectors, @curves, @chosen);

	# A sum of sizes is reached by a vector along an axis, Cauchy and Schwarz by equal coordinates that are whole steps.
	my $whole     = $radius == int($radius) && $radius < 2**30;
	my $reachable = qr/^dp_sum_vector\((?:[vw], [24], '\S+', 'l1'|ARRAY\[f\], 1,)/;
	$reachable = qr/$reachable|^dp_sum_vector\(w, 4,/ if $whole;
	my $number   = 0;

	return {
		name     => sprintf('bounds %s..%s, epsilon %.6g, %s', double($lower), double($upper), $epsilon, $method),
		lower    => $lower,
		upper    => $upper,
		epsilon  => $epsilon,
		cost     => $epsilon * @measures,
		settings => "SET dpriv.avg_method = '$method';\n",
		query    => 'SELECT ' . join(', ', map { sprintf('%s AS m%02d', $_, ++$number) } @measures) . ' FROM t',
		answers  => 1,
		measures => \@measures,
		categories => [ 'a', '', 'A', 'long' x 100, 'alphabet', 'a ', 'red', chr 0xe9 ],
		method   => $method,
		reaches  => [ grep { $measures[$_] =~ $reachable
				|| $measures[$_] !~ /^dp_(?:(?:sum_clipped|avg|variance|stddev|histogram|clip_curve)\([rsibn],|clip_bound|top_k\(e|quantile|median|sum_vector)/
			} 0 .. $#measures ],
	};
}

# Measures that find their bounds; the rows are those for these bounds.
sub found_case
{
	my ($lower, $upper, $epsilon) = @_;
	$epsilon = min($epsilon, LARGEST_EPSILON_WITHOUT_BOUNDS);
	my $eps      = "'" . double($epsilon) . "'::float8";
	my @measures = map { my $x = $_; map { "$_($x, $eps)" } qw(dp_bounds dp_sum dp_avg dp_variance) } qw(f i);
	push @measures, "dp_stddev(n, $eps)", "dp_avg(s, $eps)", map { "dp_sum($_, $eps)" } qw(s b), map { "b / $_" } 2 .. 6;
	my $number = 0;

	return {
		name     => sprintf('bounds found, %s..%s, epsilon %.6g', double($lower), double($upper), $epsilon),
		lower    => $lower,
		upper    => $upper,
		epsilon  => $epsilon,
		cost     => $epsilon * @measures,
		query    => 'SELECT ' . join(', ', map { sprintf('%s AS m%02d', $_, ++$number) } @measures) . ' FROM t',
		answers  => 1,
		measures => \@measures,
		reaches  => [ grep { $measures[$_] =~ /^dp_bounds/ } 0 .. $#measures ],
	};
}

# Gaussian measures and one histogram with Laplace noise, together in one release or in a release each.
sub gaussian_case
{
	my ($lower, $upper, $epsilon, $delta, $method, $alone) = @_;
	my ($l, $u, $eps, $d) = map { "'" . double($_) . "'::float8" } $lower, $upper, $epsilon, $delta;
	my @measures = (
		map({ "dp_count($_, $eps, $d)" } 't', 'x', 'DISTINCT f'),
		map({ "dp_sum_clipped($_, $l, $u, $eps, $d)" } qw(f i b)),
		map({ "dp_avg($_, $l, $u, $eps, $d)" } qw(f i)),
		map({ "dp_sum_vector($_, '" . double(radius($lower, $upper)) . "', 'l2', $eps, $d)" } 'v, 2', 'w, 4', 'ARRAY[f], 1'),
		"dp_sum_vector(w, 4, '" . double(radius($lower, $upper)) . "', 'l1', $eps, $d)",
		$upper - $lower >= SMALLEST_SPREAD && $upper - $lower <= LARGEST_SPREAD
		? (map({ "dp_variance($_, $l, $u, $eps, $d)" } qw(f i b)), "dp_stddev(f, $l, $u, $eps, $d)") : (),
		"dp_histogram(f, ARRAY[$l, $u], $eps)");
	my $number  = 0;
	my @columns = map { sprintf($alone ? '(SELECT %s FROM t) AS m%02d' : '%s AS m%02d', $_, ++$number) } @measures;

	return {
		name => sprintf('Gaussian%s, bounds %s..%s, epsilon %.6g, delta %g, %s', $alone ? ' alone' : '', double($lower), double($upper),
			$epsilon, $delta, $method),
		lower    => $lower,
		upper    => $upper,
		epsilon  => $epsilon,
		cost     => $epsilon * @measures,
		settings => "SET dpriv.mechanism = 'gaussian';\nSET dpriv.avg_method = '$method';\n",
		query    => 'SELECT ' . join(', ', @columns) . ($alone ? '' : ' FROM t'),
		answers  => 1,
		method   => $method,
		reaches  => [ grep { $measures[$_] !~ /^dp_\w+\([ib],/ } 0 .. $#measures ],
	};
}

# Every pair and every triple of different measures in one release, of those in bounds_case and of two that find their
# bounds, each with an epsilon of its own: with Laplace noise, and with Gaussian noise where there is any.
sub combination_cases
{
	my @cases;
	foreach my $mechanism (qw(laplace gaussian))
	{
		my (@at, %seen);
		foreach my $epsilon (0.1, 1 / 3, 0.7)
		{
			my @found = grep { /^dp_(?:bounds|sum)\(/ } @{ found_case(17, 90, $epsilon)->{measures} };
			push @at, [ @{ bounds_case(17, 90, $epsilon, 'joint')->{measures} }, @found ];
		}
		my @kinds = grep { $at[0][$_] =~ /^(dp_\w+\((?:DISTINCT)?)/ && !$seen{$1}++ } 0 .. $#{ $at[0] };
		my @sets;
		foreach my $i (0 .. $#kinds)
		{
			foreach my $j ($i + 1 .. $#kinds)
			{
				push @sets, [ @kinds[ $i, $j ] ], map { [ @kinds[ $i, $j, $_ ] ] } $j + 1 .. $#kinds;
			}
		}
		foreach my $set (@sets)
		{
			my @measures = map { $at[$_][ $set->[$_] ] } 0 .. $#$set;
			my $number = 0;
			push @cases, {
				name     => "$mechanism: " . join(' and ', map { s/\(.*//r } @measures),
				lower    => 17,
				upper    => 90,
				epsilon  => 0.1,
				cost     => 2,
				settings => "SET dpriv.mechanism = '$mechanism'; SET dpriv.delta = 1e-6; SET dpriv.avg_method = '"
				  . (@cases % 2 ? 'split' : 'joint') . "';\n",
				query    => 'SELECT ' . join(', ', map { sprintf '%s AS m%02d', $_, ++$number } @measures) . ' FROM t',
			};
		}
	}
	return @cases;
}

# Queries of every shape over every kind of source, with the bounds 17..90.
sub structure_cases
{
	my $sum  = 'dp_sum_clipped(f, 17, 90)';
	my $mean = 'dp_avg(f, 17, 90, 0.3)';
	my $bins = 'dp_histogram(f, ARRAY[0, 17, 50, 90])';
	my $many = "dp_count(*) AS m1, $sum AS m2, $mean AS m3, $bins AS m4, dp_count(x, 0.05) AS m5, "
	  . "dp_histogram(e, ARRAY['red', 'blue']) AS m6, dp_mode(x, ARRAY['a', '', 'A'], 0.2) AS m7, "
	  . "dp_top_k(e, ARRAY['red', 'blue', 'green'], 2) AS m8";
	my $nested = 'SET enable_material = off; SET enable_memoize = off; SET enable_hashjoin = off; '
	  . "SET enable_mergejoin = off;\n";
	my $gaussian = "SET dpriv.mechanism = gaussian;\nSET dpriv.delta = 1e-6;\n";
	my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	  . "SET max_parallel_workers_per_gather = 2; SET enable_partitionwise_aggregate = on;\n";
	my @cases = (
		[ 'equal measures',      "SELECT dp_count(*) + dp_count(*) AS m1, $sum - $sum AS m2, dp_count(t, 0.1) AS m3 FROM t "
			. "HAVING dp_count(*) > -1e15 ORDER BY $sum" ],
		[ 'filters',             "SELECT dp_count(*) FILTER (WHERE f > 17) AS m1, dp_sum_clipped(f, -5, 90) FILTER (WHERE z) AS m2, "
			. "dp_avg(i, -5, 5) FILTER (WHERE e = 'red') AS m3, dp_histogram(x, ARRAY['a', '']) FILTER (WHERE y IS NULL) AS m4, "
			. 'dp_count(DISTINCT x) FILTER (WHERE z OR y) AS m5 FROM t' ],
		[ 'one key',             "SELECT z AS k1, $many FROM t GROUP BY z" ],
		[ 'enum key',            "SELECT e AS k1, $many, dp_error($sum) AS m9, dp_error($mean, 0.9) AS m10 FROM t GROUP BY e" ],
		[ 'two keys',            "SELECT e AS k1, z AS k2, $many FROM t GROUP BY z, e" ],
		[ 'domain key',          "SELECT d AS k1, dp_count(*) AS m1, $mean AS m2 FROM t GROUP BY d" ],
		[ 'expression keys',     "SELECT f > 17 AS k1, (e = 'red') IS TRUE AS k2, y AS k3, dp_count(*) AS m1, $mean AS m2 "
			. "FROM t GROUP BY f > 17, (e = 'red') IS TRUE, y" ],
		[ 'quantiles of few leaves', 'SELECT ' . join(', ', map { my $number = $_; map {
				sprintf("dp_quantiles(%s, ARRAY[%s], %s) AS m%d", $$_[0], $$_[1], $$_[2], $number * 10 + $$_[3]) }
			[ 'i', "0.25, 0.5, 0.7$number", '44, 46', 0 ], [ 's', "0.25, 0.5, 0.7$number", '44, 46', 1 ],
			[ 'b', "0, 0.5, 0.7$number, 1", '16, 18', 2 ], [ 'f', "0.2, 0.5, 0.7$number", '17, 90', 3 ] } 1 .. 6) . ' FROM t' ],
		[ 'median and quantile', 'SELECT z AS k1, dp_median(i, 17, 24) AS m1, dp_quantile(i, 0.25, 17, 18) AS m2, '
			. 'dp_quantile(i, 1, 17, 40) AS m3, dp_quantile(s, 0, 60, 90) AS m4, dp_median(f, 17, 90) AS m5 FROM t GROUP BY z' ],
		[ 'ranges',              'SELECT z AS k1, dp_iqr(f, 1, 1e-6) AS m1, dp_iqr(i, 5, 0.01) AS m2, dp_iqr(s * 3 - 100, 3, 0.01) AS m3, dp_iqr(i / 20, 20, 0.01) AS m4 '
			. 'FROM t GROUP BY z' ],
		[ 'ranges of many rows', 'SELECT dp_iqr(q.v, 20, 0.01) AS m1, dp_iqr(q.w, 20, 0.01) AS m2 FROM (SELECT coalesce(i, 0)::int8 + 1000 AS v, coalesce(s, 3) / 7 AS w FROM t) q' ],
		[ 'ranges at the epsilon and delta of the setting', 'SELECT y AS k1, dp_iqr(f) AS m1, dp_iqr(i, 0.2) AS m2 FROM t GROUP BY y', undef, $gaussian ],
		[ 'smooth medians',      'SELECT z AS k1, dp_median_smooth(i, 17, 24, 3, 0.01) AS m1, dp_median_smooth(f, 17, 90, 0.5, 1e-6) AS m2, '
			. 'dp_median_smooth(s, 0, 60, 1, 0.01) AS m3, dp_median_smooth(i, 44, 46, 2, 0.01) AS m4, dp_median_smooth(n, -5, 90, 5, 0.01) AS m5 '
			. 'FROM t GROUP BY z' ],
		[ 'smooth medians at the epsilon and delta of the setting', 'SELECT y AS k1, dp_median_smooth(i, 17, 90) AS m1, dp_median_smooth(f, 17, 90, 0.2) AS m2 '
			. 'FROM t GROUP BY y', undef, $gaussian ],
		[ 'smooth medians within declared bounds', 'SELECT z AS k1, dp_median_smooth(f) AS m1, dp_median_smooth(i, 0.2) AS m2 FROM h GROUP BY z', undef, $gaussian ],
		[ 'choices at the epsilon of the setting', "SELECT z AS k1, dp_mode(x, ARRAY['a', '']) AS m1, dp_mode(e, ARRAY['red', 'blue']) AS m2, "
			. "dp_top_k(x, ARRAY['a', '', 'A'], 2) AS m3 FROM t GROUP BY z" ],
		[ 'bounds found at the epsilon of the setting', 'SELECT z AS k1, dp_bounds(f) AS m1, dp_sum(i) AS m2, dp_avg(f) AS m3, dp_variance(f) AS m4, '
			. 'dp_stddev(i) AS m5 FROM t GROUP BY z' ],
		[ 'declared bounds',     'SELECT z AS k1, dp_sum(f) AS m1, dp_avg(i, 0.2) AS m2, dp_variance(n) AS m3, dp_stddev(b) AS m4, dp_median(i) AS m5, '
			. 'dp_median(f, 0.2) AS m6, dp_quantile(n, 0.9) AS m7, dp_quantile(i, 0.1, 0.2) AS m8, dp_sum(r, 0.2) AS m9, dp_error(dp_sum(f)) AS m10 '
			. 'FROM h GROUP BY z' ],
		[ 'declared bounds, Gaussian', 'SELECT z AS k1, dp_sum(f) AS m1, dp_avg(i, 0.2) AS m2, dp_variance(n) AS m3 FROM h GROUP BY z', undef, $gaussian ],
		[ 'values of the type',  'SELECT z AS k1, dp_mode(e) AS m1, dp_histogram(e) AS m2, dp_histogram(d) AS m3, dp_mode(y) AS m4, dp_histogram(i > 40) AS m5 '
			. 'FROM t GROUP BY z' ],
		[ 'a declared domain',   "SELECT x AS k1, $many, dp_mode(e) AS m9, dp_histogram(s) AS m10, dp_histogram(x) AS m11 FROM h AS t GROUP BY x" ],
		[ 'declared domains',    'SELECT e AS k1, s AS k2, y AS k3, z AS k4, b AS k5, dp_count(*) AS m1, dp_sum(f) AS m2, dp_histogram(b) AS m3, '
			. 'dp_histogram(y) AS m4, dp_mode(s) AS m5 FROM h GROUP BY e, s, y, z, b' ],
		[ 'a declared domain through a view', 'SELECT k AS k1, e AS k2, dp_median(g) AS m1, dp_mode(k) AS m2, dp_count(n) AS m3 FROM v_declared '
			. 'WHERE s > 0 GROUP BY k, e' ],
		[ 'a declared domain in parallel', 'SELECT x AS k1, dp_count(*) AS m1, dp_sum(f) AS m2, dp_histogram(e) AS m3 FROM h GROUP BY x', ['all'], $parallel ],
		[ 'groups only',         'SELECT e AS k1, 1 AS m1 FROM t GROUP BY e HAVING dp_count(*) > -1e15' ],
		[ 'having and order',    "SELECT e AS k1, dp_count(*) AS m1, row_number() OVER (ORDER BY e) AS k2 FROM t WHERE i > 0 GROUP BY e "
			. "HAVING dp_count(*) > -1e15 AND $sum IS NOT NULL ORDER BY e DESC LIMIT 3" ],
		[ 'split mean in groups', "SELECT z AS k1, dp_avg(f, 17, 90) AS m1, dp_avg(i, -5, 90, 0.2) AS m2 FROM t GROUP BY z", undef,
			"SET dpriv.avg_method = 'split';\n" ],
		[ 'spread in groups',    "SELECT z AS k1, dp_variance(f, 17, 90) AS m1, dp_stddev(i, -5, 90, 0.2) AS m2, "
			. "dp_error(dp_variance(f, 17, 90)) AS m3, dp_error(dp_stddev(i, -5, 90, 0.2), 0.5) AS m4 FROM t GROUP BY z" ],
		[ 'spread in parallel',  "SELECT e AS k1, dp_variance(f, 17, 90) AS m1, dp_stddev(b, 17, 90) AS m2 FROM p GROUP BY e", ['all'],
			$parallel ],
		[ 'vectors in groups',   "SELECT z AS k1, dp_sum_vector(v, 2, 90, 'l2') AS m1, dp_sum_vector(w, 4, 90, 'l1', 0.2) AS m2, "
			. "dp_sum_vector(w, 4, 90, 'l2') AS m3, dp_error(dp_sum_vector(v, 2, 90, 'l2'), 0.9) AS m4 FROM t GROUP BY z" ],
		[ 'vectors in parallel', "SELECT e AS k1, dp_sum_vector(v, 2, 90, 'l2') AS m1, dp_sum_vector(w, 4, 90, 'l1') AS m2 FROM p GROUP BY e",
			['all'], $parallel ],
		[ 'a long vector',       "SELECT dp_sum_vector(array_fill(f, ARRAY[200]), 200, 90, 'l2') AS m1, "
			. "dp_sum_vector(CASE WHEN array_ndims(v) = 1 THEN v || array_fill(0::float8, ARRAY[200]) END, 202, 90, 'l1') AS m2 FROM t" ],
		[ 'clip curves in groups', "SELECT z AS k1, dp_clip_curve(i, ARRAY[1, 2, 17, 90]) AS m1, dp_clip_curve(f, ARRAY[0.5, 17, 89.5, 90], 0.2) AS m2, "
			. "dp_clip_curve(b, ARRAY[17, 90]) AS m3, dp_clip_curve(-f, ARRAY[5, 17]) FILTER (WHERE y) AS m4 FROM t GROUP BY z" ],
		[ 'clip bounds in groups', "SELECT z AS k1, dp_clip_bound(i, ARRAY[1, 2, 17, 90]) AS m1, dp_clip_bound(f, ARRAY[0.5, 17, 89.5, 90], 0.2) AS m2, "
			. "dp_clip_bound(b, ARRAY[17, 90]) AS m3, dp_clip_bound(-f, ARRAY[5, 17]) FILTER (WHERE y) AS m4, "
			. "dp_clip_bound(f, ARRAY[17, 17.000000000000004, 90]) AS m5 FROM t GROUP BY z" ],
		[ 'clip curves in parallel', "SELECT e AS k1, dp_clip_curve(f, ARRAY[17, 20, 90]) AS m1, dp_clip_curve(b, ARRAY[17, 90]) AS m2 FROM p GROUP BY e",
			['all'], $parallel ],
		[ 'view',                'SELECT e AS k1, dp_count(*) AS m1, dp_count(DISTINCT f) AS m2, ' . "$sum AS m3 FROM v GROUP BY e" ],
		[ 'nested view',         "SELECT y AS k1, $sum AS m1, $mean AS m2, dp_histogram(x, ARRAY['a', 'b']) AS m3 FROM v_nested GROUP BY y" ],
		[ 'security barrier',    "SELECT $sum AS m1, dp_count(*) AS m2 FROM v_barrier WHERE f > 0" ],
		[ 'subquery',            "SELECT $sum AS m1, dp_count(q) AS m2 FROM (SELECT f, z, i + 1.5 AS g FROM (SELECT * FROM t WHERE y ORDER BY f) s) q WHERE z" ],
		[ 'CTE',                 "WITH c AS MATERIALIZED (SELECT f, e FROM t WHERE z) SELECT e AS k1, $sum AS m1, dp_count(*) AS m2 FROM c GROUP BY e" ],
		[ 'inlined function',    "SELECT $sum AS m1, dp_count(*) AS m2 FROM inlined(true)" ],
		[ 'opaque function',     "SELECT z AS k1, $sum AS m1, dp_count(*) AS m2 FROM opaque() GROUP BY z" ],
		[ 'partitions',          "SELECT e AS k1, $many FROM p AS t GROUP BY e" ],
		[ 'one partition',       "SELECT $sum AS m1, $mean AS m2 FROM p_red" ],
		[ 'inheritance',         "SELECT $sum AS m1, dp_count(h) AS m2 FROM h" ],
		[ 'parallel',            "SELECT e AS k1, $sum AS m1, $mean AS m2, $bins AS m3 FROM p GROUP BY e", ['all'], $parallel ],
		[ 'VALUES',              "SELECT e AS k1, dp_sum_clipped(f, -5, 90) AS m1, dp_count(i) AS m2, dp_avg(i, -5, 90) AS m3 "
			. 'FROM (VALUES {rows}) AS q(f, i, e, z) WHERE z IS NOT NULL GROUP BY e', [qw(all few one)] ],
		[ 'joined releases',     "SELECT a.k1, a.m1, b.m2 FROM (SELECT e AS k1, dp_count(*) AS m1 FROM t GROUP BY e) a "
			. "JOIN (SELECT e AS k1, $sum AS m2 FROM t GROUP BY e) b ON a.k1 = b.k1 ORDER BY 1" ],
		[ 'UNION ALL',           "SELECT dp_count(*) AS m1 FROM t UNION ALL SELECT dp_count(*) FROM t WHERE z UNION ALL SELECT $sum FROM t" ],
		[ 'scalar subqueries',   "SELECT (SELECT dp_count(*) FROM t) AS m1, (SELECT $mean FROM v) AS m2" ],
		[ 'CTE used twice',      'WITH c AS (SELECT e, dp_count(*) AS n FROM t GROUP BY e) SELECT a.e AS k1, a.n AS m1, b.n AS m2 '
			. 'FROM c a JOIN c b ON a.e IS NOT DISTINCT FROM b.e ORDER BY 1' ],
		[ 'inner of a nested loop', "SELECT g AS k1, r.m1, r.k2 FROM generate_series(1, 3) g LEFT JOIN (SELECT e AS k2, dp_count(*) AS m1 "
			. 'FROM t GROUP BY e) r ON g > r.m1 - 1e15', undef, $nested ],
		[ 'lateral',             "SELECT g AS k1, r.m1 FROM generate_series(1, 3) g, LATERAL (SELECT s.m1 + g AS m1 FROM "
			. "(SELECT $sum AS m1 FROM t) s OFFSET 0) r", undef, $nested ],
		[ 'correlated use',      "SELECT g AS k1, (SELECT max(m1) FROM (SELECT dp_count(*) AS m1 FROM t GROUP BY z) s WHERE m1 > g - 1e15) AS m1 "
			. 'FROM generate_series(1, 3) g', undef, $nested ],
		[ 'prepared',            'EXECUTE prepared(0.25, 17, 90)', undef,
			"SET plan_cache_mode = force_generic_plan;\n"
			. "PREPARE prepared(float8, float8, float8) AS SELECT e AS k1, dp_sum_clipped(f, \$2, \$3, \$1) AS m1, dp_count(i, \$1) AS m2 "
			. "FROM p WHERE f > \$2 - 10 GROUP BY e;\n"
			. "DO 'BEGIN EXECUTE ''EXECUTE prepared(2, -1000, 100000)''; END';\n" ],
		[ 'many categories',     "SELECT z AS k1, dp_histogram(x, ARRAY['a', repeat('long', 100), repeat('x', 2000), 'A', '']) AS m1 FROM t "
			. 'GROUP BY z' ],
		[ 'free',                "SELECT e AS k1, $sum AS m1 FROM t WHERE false GROUP BY e" ],
		[ 'free by limit',       'SELECT dp_count(*) AS m1 FROM t LIMIT 0' ],
		[ 'paid without reading', 'SELECT g AS k1, CASE WHEN g < 0 THEN (SELECT dp_count(*) FROM t) END AS m1 FROM generate_series(1, 2) g' ],

		# Gaussian noise.
		[ 'Gaussian groups',     "SELECT e AS k1, $many FROM t GROUP BY e", undef, $gaussian ],
		[ 'Gaussian split mean in groups', "SELECT z AS k1, dp_avg(f, 17, 90) AS m1, dp_avg(i, -5, 90, 0.2, 1e-7) AS m2 FROM t GROUP BY z",
			undef, "${gaussian}SET dpriv.avg_method = 'split';\n" ],
		[ 'a Gaussian count in groups', 'SELECT e AS k1, z AS k2, dp_count(*) AS m1 FROM t GROUP BY e, z', undef, $gaussian ],
		[ 'Gaussian spread in groups', "SELECT z AS k1, dp_variance(f, 17, 90) AS m1, dp_stddev(i, -5, 90, 0.2, 1e-7) AS m2, "
			. "dp_error(dp_variance(f, 17, 90)) AS m3, dp_error(dp_stddev(i, -5, 90, 0.2, 1e-7), 0.5) AS m4 FROM t GROUP BY z",
			undef, $gaussian ],
		[ 'a Gaussian variance alone', 'SELECT dp_variance(f, -5, 90) AS m1 FROM t', undef, $gaussian ],
		[ 'a Gaussian vector of three', "SELECT dp_count(*) AS m1, $mean AS m2, dp_variance(f, 17, 90, 0.7, 1e-9) AS m3 FROM t",
			undef, $gaussian ],
		[ 'a single number',     'SELECT dp_count(t, 3, 1e-9) AS m1 FROM t', undef, $gaussian ],
		[ 'rounding costs delta', 'SELECT dp_count(t, 18, 1e-18) AS m1, dp_sum_clipped(f, 17, 90, 14, 1e-18) AS m2 FROM t', undef, $gaussian ],
		[ 'Gaussian vectors in groups', "SELECT z AS k1, dp_sum_vector(v, 2, 90, 'l2') AS m1, dp_sum_vector(w, 4, 90, 'l1', 0.2, 1e-7) AS m2, "
			. "dp_count(*) AS m3 FROM t GROUP BY z", undef, $gaussian ],
		[ 'auto, Gaussian vector', "SELECT dp_sum_vector(array_fill(f, ARRAY[200]), 200, 90, 'l2') AS m1 FROM t", undef,
			"SET dpriv.delta = 1e-6;\n" ],
		[ 'a Gaussian mean',     "SELECT $mean AS m1 FROM t", undef, $gaussian ],
		[ 'different shares',    "SELECT dp_count(t, 0.3, 1e-8) AS m1, dp_count(x, 0.01, 1e-6) AS m2, dp_sum_clipped(f, -5, 90, 2, 0.001) AS m3 "
			. 'FROM t', undef, $gaussian ],
		[ 'auto, Laplace',       "SELECT $many FROM t", undef, "SET dpriv.delta = 1e-6;\n" ],
		[ 'auto, Gaussian',      'SELECT ' . join(', ', map { "dp_count(nullif(i, $_)) AS m$_" } 1 .. 40) . ', dp_count(t, 0.1, 0) AS m41 FROM t',
			[qw(few)], "SET dpriv.delta = 0.001;\n" ],
		[ 'Gaussian filters',    "SELECT dp_count(*) FILTER (WHERE f > 17) AS m1, dp_sum_clipped(f, -5, 90) FILTER (WHERE z) AS m2, "
			. "dp_avg(i, -5, 5) FILTER (WHERE e = 'red') AS m3, dp_count(DISTINCT x) FILTER (WHERE z OR y) AS m4 FROM t", undef, $gaussian ],
		[ 'joined Gaussian releases', "SELECT a.k1, a.m1, b.m2 FROM (SELECT e AS k1, dp_count(*) AS m1, $mean AS m3 FROM t GROUP BY e) a "
			. "JOIN (SELECT e AS k1, $sum AS m2 FROM t GROUP BY e) b ON a.k1 = b.k1 ORDER BY 1", undef, $gaussian ],
		[ 'Gaussian inner of a nested loop', "SELECT g AS k1, r.m1, r.k2 FROM generate_series(1, 3) g LEFT JOIN (SELECT e AS k2, "
			. 'dp_count(*) AS m1 FROM t GROUP BY e) r ON g > r.m1 - 1e15', undef, $gaussian . $nested ],
		[ 'Gaussian, in parallel', "SELECT e AS k1, $sum AS m1, $mean AS m2 FROM p GROUP BY e", ['all'], $gaussian . $parallel ],
		[ 'Gaussian, prepared',  'EXECUTE prepared(0.25, 17, 90, 1e-7)', undef,
			"${gaussian}SET plan_cache_mode = force_generic_plan;\n"
			. "PREPARE prepared(float8, float8, float8, float8) AS SELECT e AS k1, dp_sum_clipped(f, \$2, \$3, \$1, \$4) AS m1, "
			. "dp_count(i, \$1, \$4) AS m2 FROM p WHERE f > \$2 - 10 GROUP BY e;\n"
			. "DO 'BEGIN EXECUTE ''EXECUTE prepared(2, -1000, 100000, 0.001)''; END';\n" ],
		[ 'free Gaussian',       "SELECT e AS k1, $sum AS m1, dp_count(*) AS m2 FROM t WHERE false GROUP BY e", undef, $gaussian ],

		# What must not be accepted, at least not like this.
		[ 'a histogram with a delta', "SELECT dp_histogram(f, ARRAY[17, 90], 0.1, 1e-6) AS m1 FROM t" ],
		[ 'an unknown norm',     "SELECT dp_sum_vector(v, 2, 90, 'L2') AS m1 FROM t" ],
		[ 'a dimension from rows', "SELECT dp_sum_vector(v, cardinality(v), 90, 'l2') AS m1 FROM t" ],
		[ 'no delta',            'SELECT dp_count(t, 0.1, 0) AS m1 FROM t', undef, $gaussian ],
		[ 'too little delta',    'SELECT dp_count(t, 20, 1e-18) AS m1, dp_count(x, 20, 1e-18) AS m2 FROM t', undef, $gaussian ],
		[ 'duplicate categories', "SELECT dp_histogram(x, ARRAY['a', 'a', '']) AS m1 FROM t" ],
		[ 'duplicate categories of a choice', "SELECT dp_mode(x, ARRAY['a', 'a', '']) AS m1 FROM t" ],
		[ 'duplicate edges',     'SELECT dp_histogram(f, ARRAY[17, 17, 90]) AS m1 FROM t' ],
		[ 'unordered edges',     'SELECT dp_histogram(f, ARRAY[90, 17, 0]) AS m1 FROM t' ],
		[ 'unordered candidates', 'SELECT dp_clip_curve(f, ARRAY[90, 17]) AS m1 FROM t' ],
		[ 'unordered candidates of a bound', 'SELECT dp_clip_bound(f, ARRAY[90, 17]) AS m1 FROM t' ],
		[ 'a candidate below 0', 'SELECT dp_clip_curve(f, ARRAY[-90, 17]) AS m1 FROM t' ],
		[ 'a function per row',  'SELECT dp_count(*) AS m1 FROM (SELECT f, generate_series(1, 2) FROM t) q' ],
		[ 'a join',              'SELECT dp_count(*) AS m1 FROM t, generate_series(1, 2)' ],
		[ 'LIMIT below',         'SELECT dp_sum_clipped(f, 17, 90) AS m1 FROM (SELECT f FROM t ORDER BY f DESC LIMIT 3) q' ],
		[ 'window below',        'SELECT dp_sum_clipped(c, 0, 3) AS m1 FROM (SELECT count(*) OVER () AS c FROM t) q' ],
		[ 'UNION below',         'SELECT dp_count(*) AS m1 FROM (SELECT f FROM t UNION ALL SELECT f FROM t) q' ],
		[ 'a subquery per row',  'SELECT dp_count(*) FILTER (WHERE f < (SELECT count(*) FROM t)) AS m1 FROM t' ],
		[ 'a volatile function', 'SELECT dp_count(*) FILTER (WHERE random() < 0.5) AS m1 FROM t' ],
		[ 'grouping sets',       'SELECT z AS k1, dp_count(*) AS m1 FROM t GROUP BY ROLLUP (z)' ],
		[ 'a sum of distinct values', 'SELECT dp_sum_clipped(DISTINCT i, 17, 90) AS m1 FROM t' ],
		[ 'a key without a domain', 'SELECT x AS k1, dp_count(*) AS m1 FROM t GROUP BY x' ],
	);
	my $refusable = 0;
	return map {
		my ($name, $query, $bases, $settings) = @$_;
		$refusable ||= $name eq 'a histogram with a delta';
		{
			name      => $name,
			lower     => 17,
			upper     => 90,
			epsilon   => 0.1,
			cost      => $name eq 'rounding costs delta' ? 32 : 3,
			query     => $query,
			bases     => $bases,
			settings  => "SET dpriv.epsilon = 0.1;\n" . ($settings // ''),
			free      => $name =~ /^free/ ? 1 : 0,
			unread    => $name =~ /^paid/ ? 1 : 0,
			refusable => $refusable,
		}
	} @cases;
}

1;
