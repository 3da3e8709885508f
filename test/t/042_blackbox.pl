#
# 042_blackbox.pl
#	  Black-box audit of the shipped library: no event tells neighbouring tables apart better than the charge allows.
#
# Its frequency in many runs on a table and on its neighbour bounds epsilon from below: ln of the ratio of two
# Clopper-Pearson bounds, each wrong with probability at most ALPHA, both ways.  Where delta is charged, it is first taken
# from the larger one.  A bound above the charge would be a proof against the library.
#   releases  Whole releases; each case has an event that was fixed beforehand, over all that is released together.
#   draws     Many groups of one release, all alike and independent, are as many runs of one mechanism.  The event is
#             found on other runs: an outcome, or all up to or from one.
# Every dp_* aggregate has to be in an event.  Mutants have to be found with the number of runs of the quick test.  Sizes
# and parts: test/audit/Report.pm.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max min sum0 uniq);
use Test::More;

use Chance qw(binomial_above binomial_below normal_cdf proportion_low proportion_high);
use Coverage qw(kinds_without);
use Report qw(fact full part wanted);
use Variant qw(build_library build_mutant mutants node script);

use constant {
	ALPHA     => 1e-12,
	RELEASES  => 4_000,
	SESSION   => 5_000,      # releases in one session
	FOUND_EPSILON => 16,     # of measures that find their bounds
	DRAWS     => 100_000,
	FEW_DRAWS => 20_000,     # of the shipped library, in the quick test
	LABELS    => 500,        # groups with public keys, of the group of NULL is one more
	SELECTED  => 5_000,      # groups whose keys are selected
	EXPLORED  => 4,          # as many runs are evaluated, in full, as this times those that find the event
};

my $releases = full() ? 20_000 : RELEASES;
my $draws    = full() ? DRAWS : FEW_DRAWS;
my $shipped  = build_library('shipped');
my $node     = node('blackbox');
my $bounds   = 0;

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
CREATE TYPE color AS ENUM ('red', 'green');
CREATE TABLE t (f float8, i int, x text, z bool, e color);
INSERT INTO t VALUES (20, 20, 'a', true, 'red'), (90, 90, 'b', false, 'green'), (NULL, NULL, NULL, NULL, NULL), (50, 50, 'b', true, 'red');
CREATE TABLE more AS SELECT * FROM t UNION ALL VALUES (90, 90, 'b', true, 'red'::color);
CREATE TABLE none AS SELECT * FROM t WHERE false;
CREATE TABLE single AS SELECT * FROM more WHERE i = 90 AND z;
CREATE TABLE twice AS SELECT single.* FROM single, generate_series(1, 2);
CREATE TABLE thrice AS SELECT single.* FROM single, generate_series(1, 3);
CREATE TABLE again AS SELECT * FROM thrice UNION ALL SELECT * FROM single;
CREATE TABLE blank AS SELECT * FROM t UNION ALL VALUES (NULL::float8, NULL::int, NULL::text, true, NULL::color);
CREATE TABLE known_none AS SELECT * FROM none;
CREATE TABLE known_single AS SELECT * FROM single;
SELECT dpriv.set_bounds(t, 'i', 89, 90), dpriv.set_domain(t, 'x', ARRAY['a', 'b']), dpriv.set_domain(t, 'i', ARRAY['1', '90'], '2'),
	dpriv.set_domain(t, 'e', ARRAY['green'], 'red') FROM unnest(ARRAY['known_none', 'known_single']::regclass[]) t;
SQL

# For draws: groups of two rows or of three, with public keys and others; none at all.  Values are one at each end.
my $labels = join ', ', map { "'$_'" } 1 .. LABELS;
sql($shipped, <<"SQL");
CREATE TYPE label AS ENUM ($labels);
CREATE TABLE few AS SELECT l, NULL::text AS k, j AS v, chr(96 + j) AS x FROM (SELECT unnest(enum_range(NULL::label)) UNION ALL SELECT NULL) s (l),
	generate_series(1, 2) j;
CREATE TABLE many AS SELECT * FROM few UNION ALL SELECT DISTINCT l, k, 2, 'b' FROM few;
CREATE TABLE nobody AS SELECT * FROM few WHERE false;
CREATE TABLE one AS SELECT NULL::label AS l, g::text AS k, 2 AS v, 'b' AS x FROM generate_series(1, @{[SELECTED]}) g;
CREATE TABLE three AS SELECT one.* FROM one, generate_series(1, 3);
CREATE TABLE four AS SELECT * FROM three UNION ALL SELECT * FROM one;
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

	# Each row is (10, 10) / sqrt(2) after the clipping, so one more moves both coordinates by half of the noise scale.
	[ 'a sum of vectors', 1, 1 / 4, 't', 'more',
		"SELECT m[1] >= 40 / sqrt(2) AND m[2] >= 40 / sqrt(2) FROM (SELECT dp_sum_vector(ARRAY[f, i], 2, 10, 'l2', 1) AS m FROM t) q" ],
	[ 'bins', 1, half(1), 't', 'more',
		'SELECT m[2].count >= 3 FROM (SELECT dp_histogram(f, ARRAY[0, 50, 90], 1) AS m FROM t) q' ],
	[ 'categories', 1, half(1), 't', 'more',
		"SELECT m[2].count >= 3 FROM (SELECT dp_histogram(x, ARRAY['a', 'b'], 1) AS m FROM t) q" ],
	[ 'a clip curve', 1, half(1 / 90)**3, 't', 'more',
		'SELECT m[1].sum >= 110 AND m[2].sum - m[1].sum >= 80 AND m[3].sum - m[2].sum >= 60 FROM '
		. '(SELECT dp_clip_curve(i, ARRAY[30, 60, 90], 1) AS m FROM t) q' ],
	# The number beyond the first candidate is 0 rows or 1, the limit 2 sqrt(2), with noise of scale 1.5 on it and 3 on the number.
	[ 'a clip bound', 1, [ exp(-2 * sqrt(2) / 1.5) / 3, exp((1 - 2 * sqrt(2)) / 1.5) / 3 ], 'none', 'single',
		'SELECT m > 60 FROM (SELECT dp_clip_bound(i, ARRAY[60, 90], 1) AS m FROM t) q' ],
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
	# Whatever an aggregate is for: one row against none tells most of choices, and there as few cells as can be.
	[ 'a variance', 4, undef, 'none', 'single', 'SELECT m = 0 FROM (SELECT dp_variance(f, 17, 90, 4) AS m FROM t) q' ],
	[ 'a deviation', 4, undef, 'none', 'single', 'SELECT m = 0 FROM (SELECT dp_stddev(i, 17, 90, 4) AS m FROM t) q' ],
	[ 'bins of an enum', 1, half(1), 't', 'more',
		"SELECT m[1].count >= 3 FROM (SELECT dp_histogram(e, ARRAY['red', 'green'], 1) AS m FROM t) q" ],
	[ 'a mode', 1, [ 1 / 2, exp(-1) / 2 ], 'none', 'single', "SELECT m = 'a' FROM (SELECT dp_mode(x, ARRAY['a', 'b'], 1) AS m FROM t) q" ],
	[ 'a mode of an enum', 2, [ 1 / 2, exp(-2) / 2 ], 'none', 'single',
		"SELECT m = 'green' FROM (SELECT dp_mode(e, ARRAY['red', 'green'], 2) AS m FROM t) q" ],
	[ 'the largest two', 1, undef, 'none', 'single',
		"SELECT NOT 'b' = ANY (m) FROM (SELECT dp_top_k(x, ARRAY['a', 'b', 'c'], 2, 1) AS m FROM t) q" ],
	[ 'the largest of an enum', 1, [ 1 / 2, exp(-1) / 2 ], 'none', 'single',
		"SELECT m[1] = 'green' FROM (SELECT dp_top_k(e, ARRAY['red', 'green'], 1, 1) AS m FROM t) q" ],

	[ 'a mode of the values of an enum', 1, [ 1 / 2, exp(-1) / 2 ], 'none', 'single', "SELECT m = 'green' FROM (SELECT dp_mode(e) AS m FROM t) q" ],
	[ 'bins of the values of an enum', 1, half(1), 'none', 'single', 'SELECT m[1].count >= 1 FROM (SELECT dp_histogram(e) AS m FROM t) q' ],
	[ 'bins of booleans', 1, half(1), 'none', 'single', 'SELECT m[2].count >= 1 FROM (SELECT dp_histogram(z) AS m FROM t) q' ],

	# A leaf that is off by all of the sensitivity, which is half of the divisor, beside one that is not off.
	[ 'a median', 1, [ 1 / 2, exp(-1 / 2) / 2 ], 'none', 'single', 'SELECT m < 90 FROM (SELECT dp_median(i, 89, 90, 1) AS m FROM t) q' ],
	[ 'a range', 2, undef, 'none', 'single', 'SELECT m IS NULL FROM (SELECT dp_iqr(i, 2, 0.005) AS m FROM t) q', 0.005 ],
	[ 'a smooth median', 2, undef, 'none', 'single', 'SELECT m > 45 FROM (SELECT dp_median_smooth(i, 0, 90, 2, 0.005) AS m FROM t) q', 0.005 ],
	[ 'a median of many leaves', 8, undef, 't', 'more', 'SELECT m > 60 FROM (SELECT dp_median(f, 17, 90, 8) AS m FROM t) q' ],
	[ 'a quantile', 2, [ 1 / 2, exp(-1) / 2 ], 'none', 'single', 'SELECT m < 90 FROM (SELECT dp_quantile(i, 1, 89, 90, 2) AS m FROM t) q' ],
	# A leaf has a thousand cells then, of which one is right: a single row hardly outweighs them.
	[ 'quantiles', 4, undef, 'single', 'twice', 'SELECT m[1] < 90 FROM (SELECT dp_quantiles(i, ARRAY[0.5, 0.9], 89, 90, 4) AS m FROM t) q' ],
	[ 'a mode, a median and a count together', 3, [ half(1) / 4, exp(-1 - 1 / 2) / 4 * exp(-1) * half(1) ], 'none', 'single',
		"SELECT a = 'a' AND b < 90 AND c <= 0 FROM (SELECT dp_mode(x, ARRAY['a', 'b'], 1) AS a, dp_median(i, 89, 90, 1) AS b, "
		. 'dp_count(t, 1) AS c FROM t) q' ],
	[ 'a mode and a count in groups', 2, undef, 't', 'more',
		"SELECT bool_and(z IS NOT TRUE OR a = 'b' AND c >= 3) FROM (SELECT z, dp_mode(x, ARRAY['a', 'b'], 1) AS a, dp_count(*) AS c "
		. 'FROM t GROUP BY z) q' ],

	# The same where bounds and values are declared.
	[ 'a median, bounds declared', 1, [ 1 / 2, exp(-1 / 2) / 2 ], 'known_none', 'known_single', 'SELECT m < 90 FROM (SELECT dp_median(i, 1) AS m FROM t) q' ],
	[ 'a quantile, bounds declared', 2, [ 1 / 2, exp(-1) / 2 ], 'known_none', 'known_single', 'SELECT m < 90 FROM (SELECT dp_quantile(i, 1, 2) AS m FROM t) q' ],
	[ 'a smooth median, bounds declared', 2, undef, 'known_none', 'known_single', 'SELECT m > 89 FROM (SELECT dp_median_smooth(i, 2) AS m FROM t) q', 0.01 ],
	[ 'a mode of declared values', 1, [ 1 / 2, exp(-1) / 2 ], 'known_none', 'known_single', "SELECT m = 'a' FROM (SELECT dp_mode(x) AS m FROM t) q" ],
	[ 'bins of declared values', 1, half(1), 'known_none', 'known_single', 'SELECT m[2].count >= 1 FROM (SELECT dp_histogram(x) AS m FROM t) q' ],
	[ 'bins of declared values and others', 1, half(1), 'known_none', 'known_single', 'SELECT m[2].count >= 1 FROM (SELECT dp_histogram(e) AS m FROM t) q' ],
	[ 'groups of declared values', 1, half(1), 'known_none', 'known_single',
		'SELECT bool_and(i IS DISTINCT FROM 90 OR m >= 1) FROM (SELECT i, dp_count(*) AS m FROM t GROUP BY i) q' ],

	# Three values are too few for bounds to be found, four are enough.  So large an epsilon is a setting.
	[ 'bounds', 4, undef, 'thrice', 'again', 'SELECT m IS NOT NULL FROM (SELECT dp_bounds(f, 4) AS m FROM t) q' ],
	[ 'a sum whose bounds are found', FOUND_EPSILON, undef, 'thrice', 'again', 'SELECT m IS NOT NULL FROM (SELECT dp_sum(i) AS m FROM t) q' ],
	[ 'an average whose bounds are found', FOUND_EPSILON, undef, 'thrice', 'again', 'SELECT m IS NOT NULL FROM (SELECT dp_avg(i) AS m FROM t) q' ],
	[ 'a variance whose bounds are found', FOUND_EPSILON, undef, 'thrice', 'again', 'SELECT m IS NOT NULL FROM (SELECT dp_variance(f) AS m FROM t) q' ],
	[ 'a deviation whose bounds are found', FOUND_EPSILON, undef, 'thrice', 'again', 'SELECT m IS NOT NULL FROM (SELECT dp_stddev(f) AS m FROM t) q' ],

	# One of two counts changes: their difference does, unless they share their noise.
	[ 'two counts, one of which changes', 2, undef, 't', 'blank',
		'SELECT a - b = 2 FROM (SELECT dp_count(t, 1) AS a, dp_count(x, 1) AS b FROM t) q' ],
	[ 'two sums, one of which changes', 2, undef, 't', 'more',
		'SELECT abs(a - b - 50) < 0.1 FROM (SELECT dp_sum_clipped(f, 0, 90, 1) AS a, dp_sum_clipped(CASE WHEN z THEN 0.0 ELSE f END, 0, 90, 1) AS b '
		. 'FROM t) q' ],

	[ 'two Gaussian counts, one of which changes', 2, undef, 't', 'blank',
		'SELECT a - b = 2 FROM (SELECT dp_count(t, 1, 0.005) AS a, dp_count(x, 1, 0.005) AS b FROM t) q', DELTA ],

	# Groups whose keys are selected, with delta 0.01 of their own: together with what is released of them.
	[ 'a selected group', 1, undef, 'none', 'single', "SELECT count(*) > 0 FROM (SELECT x, dp_count(t, 1) AS c FROM t GROUP BY x) q", 0.01 ],
	[ 'a selected group and its count', 1, [ half(1) * exp(-4), half(1) * exp(-3) ], 't', 'more',
		"SELECT coalesce(bool_or(x = 'b' AND c >= 6), false) FROM (SELECT x, dp_count(t, 1) AS c FROM t GROUP BY x) q", 0.01 ],
	[ 'a selected group, its sum and a choice', 3, undef, 't', 'more',
		"SELECT coalesce(bool_or(x = 'b' AND s >= 230 AND m = 'red'), false) FROM (SELECT x, dp_sum_clipped(i, 17, 90, 1) AS s, "
		. "dp_mode(e, ARRAY['red', 'green'], 1) AS m FROM t GROUP BY x) q", 0.01 ],
	[ 'a group that is not kept', 2, undef, 't', 'more',
		"SELECT coalesce(bool_and(x <> 'b'), true) FROM (SELECT x, dp_median(i, 89, 90, 1) AS m FROM t GROUP BY x) q", 0.01 ],
	[ 'a selected Gaussian count', 2, undef, 't', 'more', "SELECT coalesce(bool_or(x = 'b' AND c >= 4), false) FROM "
		. '(SELECT x, dp_count(t, 1, 0.005) AS c FROM t GROUP BY x) q', 0.015 ],

	[ 'Gaussian count and average in groups', 2, undef, 't', 'more',
		'SELECT bool_and(z IS NOT TRUE OR c >= 3 AND m >= 50) FROM (SELECT z, dp_count(i, 1, 0.005) AS c, dp_avg(f, 17, 90, 1, 0.005) AS m '
		. 'FROM t GROUP BY z) q', DELTA ]);

# How often the event happens on a table.  What a session may spend of delta has an end.
sub frequency
{
	my ($library, $table, $event, $runs) = @_;
	my $query = $event =~ s/ FROM t\b/ FROM $table AS t/gr;
	my $hits  = 0;
	for (my $done = 0; $done < $runs; $done += SESSION)
	{
		$hits += sql($library, settings($query) . <<"SQL" . 'SELECT frequency(' . min(SESSION, $runs - $done) . ');');
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
SQL
	}
	return $hits;
}

sub settings
{
	my ($query) = @_;
	return 'SET dpriv.epsilon = ' . ($query =~ /dp_(?:sum|avg|variance|stddev)\(\w\)/ ? FOUND_EPSILON : 1) . ';'
	  . ' SET dpriv.mechanism = ' . ($query =~ /0\.005/ ? 'gaussian' : 'laplace') . ';'
	  . ($query =~ /GROUP BY [xk]\b|dp_median_smooth\(i, 2\)/ ? ' SET dpriv.delta = 0.01;' : '');
}

# Lower bound on epsilon from the frequencies of an event and of its complement.
sub epsilon_bound
{
	my ($one, $other, $runs, $delta) = @_;
	my @ratios;
	foreach my $pair ([ $one, $other ], [ $other, $one ], [ $runs - $one, $runs - $other ], [ $runs - $other, $runs - $one ])
	{
		my ($low, $high) = (proportion_low($pair->[0], $runs, ALPHA), proportion_high($pair->[1], $runs, ALPHA));
		push @ratios, $low > $delta ? log(($low - $delta) / $high) : 0;
		$bounds += 2;
	}
	return max(0, @ratios);
}

# The number of cases in which epsilon is above the charge; with a library that should be good all are told.
sub test_releases
{
	my ($library, $runs, @of) = @_;
	my @found;
	foreach my $case (@of)
	{
		my ($name, $charge, $probability, $table, $neighbour, $event, $delta) = @$case;
		my @hits = map { frequency($library, $_, $event, $runs) } $table, $neighbour;
		my $epsilon = epsilon_bound(@hits, $runs, $delta // 0);
		push @found, [ $name, $epsilon, $charge ] if $epsilon > $charge;
		return @found if @found && $library ne $shipped;
		next if $library ne $shipped;
		cmp_ok($epsilon, '<=', $charge, sprintf('%s: epsilon is at least %.3f, charged %g', $name, $epsilon, $charge));
		fact('black', $name, join(' ', uniq($event =~ /(dp_\w+)\(/g)), noise($event), $charge, $delta // 0, $epsilon, $runs, 'releases');
		my @expected = ref $probability ? @$probability : defined $probability ? ($probability * exp(-$charge), $probability) : ();
		foreach my $i (0 .. $#expected)
		{
			ok(binomial_below($hits[$i], $runs, $expected[$i]) >= ALPHA && binomial_above($hits[$i], $runs, $expected[$i]) >= ALPHA,
				sprintf('%s: event in %d of %d releases, expected %.1f', $name, $hits[$i], $runs, $expected[$i] * $runs));
			$bounds += 2;
		}
	}
	return @found;
}

sub noise
{
	my ($query) = @_;
	return $query =~ /GROUP BY [xk]\b/ ? 'selection' : $query =~ /0\.005/ ? 'gaussian'
	  : $query =~ /dp_clip_bound/ ? 'first' : $query =~ /median_smooth/ ? 'smooth' : $query =~ /dp_iqr/ ? 'test' : $query =~ /dp_(?!mode|top_k|median|quantile)/ ? 'laplace' : 'choice';
}

# Draws: name, epsilon, delta, tables, outcome of a group ("-": the group did not come back) and the release.
my @mechanisms = (
	[ 'discrete Laplace', 1, 0, 'few', 'many', 'm', 'SELECT l, dp_count(*) AS m FROM t GROUP BY l' ],
	[ 'discrete Laplace, fine steps', 1, 0, 'few', 'many', 'floor(m * 4)', 'SELECT l, dp_sum_clipped(v / 2.0::float8, 0, 1, 1) AS m FROM t GROUP BY l' ],
	[ 'discrete Laplace, little noise', 3, 0, 'few', 'many', 'm', 'SELECT l, dp_count(l, 3) + dp_count(l, 3) AS m FROM t GROUP BY l' ],
	[ 'discrete Gaussian', 1, 0.005, 'few', 'many', 'm', 'SELECT l, dp_count(v, 1, 0.005) AS m FROM t GROUP BY l' ],
	[ 'rounded Gaussian, two components', 1, 0.005, 'few', 'many', 'm',
		'SELECT l, dp_count(v, 0.5, 0.0025) + dp_count(x, 0.5, 0.0025) AS m, 0.005 FROM t GROUP BY l' ],
	[ 'permute-and-flip', 1, 0, 'few', 'many', 'm', "SELECT l, dp_mode(x, ARRAY['a', 'b'], 1) AS m FROM t GROUP BY l" ],
	[ 'permute-and-flip, three cells', 2, 0, 'few', 'many', 'm', "SELECT l, dp_mode(x, ARRAY['a', 'b', 'c'], 2) AS m FROM t GROUP BY l" ],
	[ 'permute-and-flip, leaves', 1, 0, 'few', 'many', 'm', 'SELECT l, dp_median(v, 1, 2, 1) AS m FROM t GROUP BY l' ],
	[ 'sparse vector', 2, 0, 'few', 'many', 'm', 'SELECT l, dp_clip_bound(v, ARRAY[0.5, 1, 2], 2) AS m FROM t GROUP BY l' ],
	[ 'threshold, a new group', 1, 0.01, 'nobody', 'one', 'm', 'SELECT k, dp_count(*) AS m FROM t GROUP BY k' ],
	[ 'threshold', 1, 0.01, 'three', 'four', 'm', 'SELECT k, dp_count(*) AS m FROM t GROUP BY k' ],
	[ 'truncated geometric, a new group', 2, 0.01, 'nobody', 'one', '1', 'SELECT k, dp_sum_clipped(v, 0, 2, 1) AS m FROM t GROUP BY k' ],
	[ 'truncated geometric', 2, 0.01, 'three', 'four', 'floor(m / 2)', 'SELECT k, dp_sum_clipped(v, 0, 2, 1) AS m FROM t GROUP BY k' ]);

# How often each outcome is, in so many groups.
sub outcomes
{
	my ($library, $table, $outcome, $query, $runs) = @_;
	my $groups = $query =~ /GROUP BY k/ ? SELECTED : LABELS + 1;
	my $times  = int(($runs + $groups - 1) / $groups);
	my $of     = $query =~ s/ FROM t\b/ FROM $table AS t/r;
	my $out    = sql($library, settings($query) . <<"SQL");
CREATE TEMPORARY TABLE seen (m text);
DO \$\$BEGIN
	FOR n IN 1 .. $times LOOP
		INSERT INTO seen SELECT $outcome FROM ($of) q;
	END LOOP;
END\$\$;
SELECT m, count(*) FROM seen GROUP BY m;
SQL
	my %count = map { split /~/ } split /\n/, $out;
	my $back  = sum0(values %count);
	$count{'-'} = $times * $groups - $back if $back < $times * $groups;
	return (\%count, $times * $groups);
}

# Events: single outcomes, and all numbers up to one.
sub events
{
	my @counts   = @_;
	my @outcomes = uniq map { keys %$_ } @counts;
	my @numbers  = sort { $a <=> $b } grep { /\d/ } @outcomes;
	return ((map { [$_] } @outcomes), map { [ @numbers[ 0 .. $_ ] ] } 1 .. $#numbers);
}

sub happened
{
	my ($event, $counts) = @_;
	return sum0(map { $counts->{$_} // 0 } @$event);
}

# The event that promises the largest bound.
sub explore
{
	my ($one, $other, $runs, $delta) = @_;
	my ($best, $most) = ([], -1);
	foreach my $event (events($one, $other))
	{
		my @p = map { happened($event, $_) / $runs } $one, $other;
		foreach my $pair ([ @p ], [ reverse @p ], [ map { 1 - $_ } @p ], [ map { 1 - $_ } reverse @p ])
		{
			my ($low, $high) = ($pair->[0] - 5 * sqrt($pair->[0] / $runs), $pair->[1] + 5 * sqrt($pair->[1] / $runs) + 20 / $runs);
			next if $low <= $delta || log(($low - $delta) / $high) <= $most;
			($best, $most) = ($event, log(($low - $delta) / $high));
		}
	}
	return $best;
}

sub test_draws
{
	my ($library, $runs, @of) = @_;
	my @found;
	foreach my $case (@of)
	{
		my ($name, $charge, $delta, $table, $neighbour, $outcome, $query) = @$case;
		my @explored = map { [ outcomes($library, $_, $outcome, $query, $runs / EXPLORED) ] } $table, $neighbour;
		my $event    = explore($explored[0][0], $explored[1][0], $explored[0][1], $delta);
		my @seen     = map { [ outcomes($library, $_, $outcome, $query, $runs) ] } $table, $neighbour;
		my $epsilon  = epsilon_bound((map { happened($event, $_->[0]) } @seen), $seen[0][1], $delta);
		push @found, [ $name, $epsilon, $charge ] if $epsilon > $charge;
		return @found if @found && $library ne $shipped;
		next if $library ne $shipped;
		cmp_ok($epsilon, '<=', $charge, sprintf('%s: epsilon is at least %.3f, charged %g', $name, $epsilon, $charge));
		fact('black', $name, join(' ', uniq($query =~ /(dp_\w+)\(/g)), noise($query), $charge, $delta, $epsilon, $seen[0][1], 'draws');

		# Otherwise nothing has been compared.  A new group may show as often as delta says, which is no loss.
		ok($table eq 'nobody' ? happened(['-'], $seen[1][0]) < $seen[1][1] : $epsilon > 0, "$name: neighbours differ");
	}
	return @found;
}

if (part('black'))
{
	my @without = kinds_without($node, $shipped, map { $_->[5] } @cases);
	is(scalar @without, 0, 'every measure is in an event') or diag(map { "$_\n" } @without,
		'Add a case to @cases of test/t/042_blackbox.pl; see test/audit/README.md.');

	test_releases($shipped, $releases, @cases);
	test_draws($shipped, $draws, @mechanisms);
	my $alarm = $bounds * ALPHA;
	cmp_ok($alarm, '<', 1e-9, sprintf('a false alarm is rarer than %.1e, over all %d bounds', $alarm, $bounds));
	fact('chance', 'black box, releases and draws', $alarm);

	# What records exact values is not part of the shipped library.
	my ($status) = script($node, $shipped, "CREATE FUNCTION take() RETURNS text AS 'dpriv', 'dpriv_audit_take' LANGUAGE C;");
	isnt($status, 0, 'the shipped library keeps no record');
}

# The case that shows a mistake soonest comes first.
foreach my $mutant (grep { wanted($_) } mutants('mutants-noise'), mutants('mutants-selection'))
{
	next unless grep { $_ eq 'blackbox' } @{ $mutant->{caught} };
	my $patched = build_mutant($mutant, $shipped, '');
	my $first   = $mutant->{first} // '';
	my @found   = test_draws($patched, DRAWS, grep { $_->[0] eq $first } @mechanisms);
	@found = test_releases($patched, RELEASES, sort { ($b->[0] eq $first) - ($a->[0] eq $first) } @cases) if !@found;
	cmp_ok(scalar @found, '>', 0, "$mutant->{name} is caught: $mutant->{what}");
	my $found = join ', ', map { sprintf '%s: epsilon above %.3f, charged %g', @$_ } @found;
	note("$mutant->{name}: $found");
	fact('mutant', @$mutant{qw(name what)}, 'black box', $found);
}

done_testing();
