#
# 092_learn_audit.pl
#	  White-box audit of training: what one row adds to every sum, what the noise is, and what is charged for it.
#
# A test build records the exact sums and the noise, and makes what is released a number that follows from a seed alone,
# so that two tables that differ in one row go the same way from step to step.  The sums must then differ by a vector
# of at most the sensitivity, in integers; the noise of all releases must cost what is charged; and no noise may come
# twice.  Planted mistakes are found.  Sums do not depend on the order of rows, parallel workers or spilling.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max min sum uniq);
use Math::BigInt;
use POSIX qw(ceil erfc uname);
use PostgreSQL::Test::Utils;
use Test::More;

use Variant qw(build_library build_mutant mutants node script);

my $flags   = '-DDPRIV_AUDIT';
my $library = build_library('library', $flags);
my $node    = node('learn_audit');
my ($status, undef, $err) = script($node, $library, <<'SQL');
CREATE EXTENSION dpriv;
CREATE FUNCTION audit_take() RETURNS text AS 'dpriv', 'dpriv_audit_take' LANGUAGE C;
CREATE FUNCTION audit_force(bigint) RETURNS void AS 'dpriv', 'dpriv_audit_force' LANGUAGE C;
CREATE TYPE shade AS ENUM ('dark', 'light');
CREATE TABLE t (a int, b float8, c numeric, city text, shade shade, y boolean);
CREATE TABLE rows AS SELECT row_number() OVER () AS id, v.*
FROM (VALUES
	(0, 0::float8, 0::numeric, 'ant', 'dark'::shade, true), (100, 1, 1, 'bee', 'light', false), (100, 1, 1, 'bee', 'light', true),
	(50, 0.5, 0.5, NULL, NULL, true), (NULL, 'NaN', 'NaN', 'emu', 'dark', false), (0, 1, 0, 'ant', NULL, true),
	(1000000, 'Infinity', 1e300, 'cat', 'light', true), (-7, '-Infinity', -1e300, 'cat', 'dark', false), (49, 0.49, 0.51, 'bee', 'dark', true))
	AS v(a, b, c, city, shade, y);
SQL
is($status, 0, 'the sources are set up') or die $err;

my %calls = (
	gd => q{dp_logreg_train('t', 'y', ARRAY['a', 'b', 'c', 'city', 'shade'], 0.5, 1e-6, options => '{"features": {"a": [0, 100], "b": [0, 1], "c": [0, 1], "city": ["ant", "bee", "cat"]}}')},
	'gd, numbers'    => q{dp_logreg_train('t', 'y', ARRAY['a', 'b'], 2, 1e-6, options => '{"features": {"a": [0, 100], "b": [-3, 7]}}')},
	'gd, categories' => q{dp_logreg_train('t', 'y', ARRAY['shade'], 2, 1e-6)},
	course => q{dp_logreg_train('t', 'y', ARRAY['a', 'b', 'c', 'city', 'shade'], 0.5, 1e-6, method => 'course',
		options => '{"clip": 0.7, "iterations": 5, "features": {"a": [0, 100], "b": [0, 1], "c": [0, 1], "city": ["ant", "bee", "cat"]}}')},
	'course, zcdp' => q{dp_logreg_train('t', 'y', ARRAY['a', 'shade'], 3, 1e-6, method => 'course',
		options => '{"accounting": "zcdp", "clip": 0.1, "iterations": 5, "features": {"a": [0, 100]}}')},
	sgd => q{dp_logreg_train('t', 'y', ARRAY['a', 'c', 'city', 'shade'], 0.5, 1e-6, method => 'sgd',
		options => '{"clip": 0.3, "epochs": 0.5, "rate": 0.1, "features": {"a": [0, 100], "c": [0, 1], "city": ["ant", "bee"]}}')},
	objective => q{dp_logreg_train('t', 'y', ARRAY['a', 'b', 'c', 'city', 'shade'], 0.5, 1e-6, method => 'objective',
		options => '{"features": {"a": [0, 100], "b": [0, 1], "c": [0, 1], "city": ["ant", "bee", "cat"]}}')},
	'objective, two' => q{dp_logreg_train('t', 'y', ARRAY['a', 'shade'], 0.5, 1e-6, method => 'objective', options => '{"features": {"a": [0, 100]}}')},
);

# The releases of one call, over each of several tables: {sensitivity, num, den, exact => [...], noise => [...]} each, and
# rho.  Dies if a call fails.
sub releases
{
	my ($patched, $call, $seed, @tables) = @_;
	my ($status, $out, $err) = script($node, $patched, join '', map { <<"SQL" } @tables);
TRUNCATE t;
INSERT INTO t SELECT a, b, c, city, shade, y FROM rows, unnest(string_to_array('$_', ',')) AS wanted WHERE wanted = id::text;
SELECT 'table', audit_take() IS NULL, audit_force($seed);
SELECT count(*) FROM $calls{$call};
SELECT 'rho', rho FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 1;
SELECT audit_take();
SQL
	die $err if $status != 0;
	my @results;
	foreach my $line (split /\n/, $out)
	{
		push @results, { releases => [] } if $line =~ /^table~/;
		$results[-1]{rho} = $1 if $line =~ /^rho~(.*)/;
		my ($kind, $sensitivity, $num, $den, $exact, $noise) = split /\t/, $line;
		push @{ $results[-1]{releases} },
			{ sensitivity => $sensitivity, num => $num, den => $den, exact => [ split / /, $exact ], noise => [ split / /, $noise ] }
			if ($kind // '') eq 'vector';
	}
	return @results;
}

# What is wrong with a pair of neighbours: a list of [check, text].  The weights of objective, its last release, are near a
# minimum, which may be anywhere: see minimum().
sub compare
{
	my ($one, $other, $name) = @_;
	my @wrong;
	foreach my $i (0 .. $#{ $one->{releases} })
	{
		my ($x, $y) = ($one->{releases}[$i], $other->{releases}[$i]);
		my $square = Math::BigInt->new(0);
		$square += (Math::BigInt->new($x->{exact}[$_]) - $y->{exact}[$_])**2 foreach 0 .. $#{ $x->{exact} };
		push @wrong, [ 'sensitivity', "release $i: $square, allowed $x->{sensitivity}^2" ]
			if $square > Math::BigInt->new($x->{sensitivity})**2 && !($name =~ /^objective/ && $i == $#{ $one->{releases} });
		push @wrong, [ 'public', "release $i" ] if "@$x{qw(sensitivity num den)}" ne "@$y{qw(sensitivity num den)}";
	}
	push @wrong, [ 'public', 'number of releases' ] if @{ $one->{releases} } != @{ $other->{releases} };
	return @wrong;
}

# What is wrong with one call: its noise and its charge.
sub examine
{
	my ($result, $name) = @_;
	my @wrong;
	my ($rho, %seen) = (0);
	foreach my $release (@{ $result->{releases} })
	{
		my @noise = @{ $release->{noise} };
		$rho += $release->{sensitivity}**2 * $release->{den} / (2 * $release->{num});
		push @wrong, [ 'noise', 'the same twice in a release' ] if @noise > 2 && uniq(@noise) < @noise && $release->{num} > 1e12;
		push @wrong, [ 'noise', 'a release has that of another' ] if $release->{num} > 1e12 && $seen{"@noise"}++;
	}

	# The steps of sgd by themselves, as sampled.
	if ($name eq 'sgd')
	{
		my $step = $result->{releases}[1];
		my $noise = sqrt($step->{num} / $step->{den}) / $step->{sensitivity};
		my (undef, $epsilon) = script($node, $library, "SELECT dpriv.dpsgd_epsilon($noise, 0.1, 5, 0.95e-6)");
		push @wrong, [ 'sampled', "the steps cost $epsilon" ] if $epsilon > 0.475 || $epsilon < 0.47;
		return @wrong;
	}
	# Of objective all noise together is that of one Gaussian mechanism, with what the shift leaves of epsilon.
	if ($name =~ /^objective/)
	{
		my $left = 0.5 - log(1 + 0.25 / lambda(0.5));
		my $mu   = sqrt(2 * $rho);
		my $delta = 0.5 * (erfc(($left / $mu - $mu / 2) / sqrt 2) - exp($left) * erfc(($left / $mu + $mu / 2) / sqrt 2));
		push @wrong, [ 'bound', "delta is $delta" ] if $delta > 1e-6 || $delta < 0.95e-6;
	}
	push @wrong, [ 'charge', "the noise costs $rho, charged are $result->{rho}" ] if $rho > $result->{rho} * (1 + 1e-9);
	return @wrong;
}

# Of method objective.
sub lambda
{
	my ($epsilon) = @_;
	return 0.25 / (exp(0.2 * $epsilon) - 1);
}

# Are the weights near the minimum of the loss that the method describes?  From what was released, and rows of which the
# numbers are exact: [a, level of shade, label as 1 or -1].
sub minimum
{
	my ($patched) = @_;
	my @rows = ([ 0, 0, 1 ], [ 1, 1, -1 ], [ 1, 1, 1 ], [ 0.5, 2, 1 ], [ 0.5, 0, -1 ], [ 0, 2, 1 ], [ 1, 1, 1 ], [ 0, 0, -1 ]);
	my ($result) = releases($patched, 'objective, two', 0, join ',', 1 .. @rows, 1 .. @rows, 3, 3, 3, 3);
	push @rows, @rows, ($rows[2]) x 4;
	my ($means, $spread, $perturbation, $weights) = @{ $result->{releases} };
	my $released = sub { my ($release) = @_; map { $release->{exact}[$_] + $release->{noise}[$_] } 0 .. $#{ $release->{exact} } };
	my $sigma    = sub { my ($release) = @_; sqrt($release->{num} / $release->{den}) };

	my @sum    = $released->($means);
	my $count  = max($sum[-1], $sigma->($means));
	my $centre = int(2**20 * max(0, min(1, 0.5 + 0.5 * $sum[0] / $count)));
	my @share  = map { int(4096 * max(0, min(1, $_ / $count))) } @sum[ 1 .. 3 ];
	my $distance = max($sigma->($spread) / $count, 1e-3, min(1, ($released->($spread))[0] / $count));
	my $scale  = int(1024 / min(1, $distance));

	my $lambda    = lambda(0.5);
	my $tolerance = max(2**-12, $count / 2**28 / 2**36);
	my @weight    = map { $_ * $tolerance / $lambda / 2**26 } @{ $weights->{exact} };
	my @gradient  = map { $lambda * $weight[$_] + $perturbation->{noise}[$_] / 2**31 } 0 .. $#weight;
	foreach my $row (@rows)
	{
		my ($a, $level, $label) = @$row;
		my @x = (max(-2**18, min(2**18, int((2**20 * $a - $centre) * $scale / 2**20))), map({ 4096 * ($level == $_) - $share[$_] } 0 .. 2), 2048);
		my $length = ceil(sqrt(sum(map { $_**2 } @x)));
		@x = map { $_ * int(2**30 / $length) / 2**30 } @x;
		my $margin = $label * sum(map { $x[$_] * $weight[$_] } 0 .. $#x);
		my $slope  = $margin > 0 ? 1 / (1 + exp($margin)) : 0.5;
		$gradient[$_] -= $label * $slope * $x[$_] foreach 0 .. $#x;
	}
	my $length = sqrt(sum(map { $_**2 } @gradient));
	note("the gradient has length $length, allowed are $tolerance");
	return $length <= $tolerance * (1 + 1e-3) ? () : [ 'minimum', "the gradient has length $length" ];
}

sub audit
{
	my ($patched, @names) = @_;
	my ($pairs, @wrong) = (0);
	foreach my $name (@names)
	{
		my $seed = 1;
		foreach my $base ('', '1,2,4', '1,2,3,4,5,6,7,8,9,9,9')
		{
			my ($one, @others) = releases($patched, $name, ++$seed, $base, map { $base eq '' ? $_ : "$base,$_" } 1 .. 9);
			push @wrong, examine($one, $name), map { compare($one, $_, $name) } @others;
			$pairs += @others;
			last if @wrong;
		}
	}
	return ($pairs, @wrong);
}

my ($pairs, @wrong) = audit($library, sort keys %calls);
is(scalar @wrong, 0, 'training is private') or diag(map { "@$_\n" } @wrong[ 0 .. 2 ]);
is($pairs, 3 * 9 * keys %calls, 'all neighbours were looked at');
my ($shape) = releases($library, 'gd', 7, '1,2,3');
is(scalar @{ $shape->{releases} }, 42, 'gd releases means, spread and 40 steps');
($shape) = releases($library, 'course', 7, '1,2,3');
is(scalar @{ $shape->{releases} }, 6, 'course releases the number of rows and its steps');
($shape) = releases($library, 'sgd', 7, '1,2,3');
is(scalar @{ $shape->{releases} }, 6, 'and so does sgd');
($shape) = releases($library, 'objective', 7, '1,2,3');
is(scalar @{ $shape->{releases} }, 4, 'objective releases means, spread and weights, and draws a perturbation');
my @far = map { minimum($library) } 1 .. 5;
is(scalar @far, 0, 'its weights are near the minimum');

# Where no minimum is found the weights are -b / lambda, whatever the rows.
my $lost = build_mutant({ name => 'search_fails', scripts => { 'src/learn/minimum.c' => "s/^				return true;/				return false;/\n" } }, $library, $flags);
my ($answer) = releases($lost, 'objective, two', 0, '1,2,3,4,5,6,7,8');
my ($means, undef, $perturbation, $weights) = @{ $answer->{releases} };
my $step  = 2**-12 / 2**26 / lambda(0.5);
my @error = map { abs($weights->{exact}[$_] * $step + $perturbation->{noise}[$_] / 2**31 / lambda(0.5)) } 0 .. $#{ $weights->{exact} };
cmp_ok(max(@error), '<', 1e-6 * $step * 2**26 + $step, 'a search that fails answers for no rows at all');

# ---- Sums are the same whatever the way rows come in ----

sub sums
{
	my ($settings, $table, $method, $variant) = @_;
	my ($status, $out, $err) = script($node, $variant // $library, <<"SQL");
$settings
SELECT audit_take() IS NULL, audit_force(77);
SELECT count(*) FROM dp_logreg_train('$table', 'y', ARRAY['a', 'b', 'city'], 1, 1e-6, method => '$method',
	options => '{"features": {"a": [0, 100], "b": [0, 1], "city": ["ant", "bee"]}}');
SELECT audit_take();
SQL
	is($status, 0, "$table, $settings") or diag($err);
	unlike($err, qr/temporary file/, 'nothing is said of temporary files');
	return join "\n", map { (split /\t/)[4] } grep { /^vector/ } split /\n/, $out;
}

script($node, $library, <<'SQL');
CREATE TABLE big AS SELECT i % 101 AS a, (i * 37 % 1009) / 1009.0::float8 AS b, (ARRAY['ant', 'bee', 'cat'])[1 + i % 3] AS city, i % 7 < 3 AS y
FROM generate_series(1, 120000) i;
CREATE TABLE big_reversed AS SELECT a, b, city, y FROM (SELECT *, row_number() OVER () AS n FROM big) s ORDER BY n DESC;
ALTER SYSTEM SET log_temp_files = 0;
SELECT pg_reload_conf();
SQL

# Few rows at a time; and as a compiler makes it that knows more instructions, and uses them on several numbers at once.
my $variant = build_library('native', "$flags -DDPRIV_LEARN_CHUNK=100 -O2 -march=native");
foreach my $method (qw(gd course))
{
	my $sums = sums('', 'big', $method);
	is(sums('', 'big_reversed', $method), $sums, "$method: in another order");
	my $offset = -s $node->logfile;
	is(sums("SET client_min_messages = log; SET maintenance_work_mem = '1MB';", 'big', $method), $sums, "$method: on disk");
	like(slurp_file($node->logfile, $offset), qr/temporary file/, 'rows were on disk');
	is(sums('SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;', 'big', $method),
		$sums, "$method: in parallel");
	is(sums('', 'big_reversed', $method, $variant), $sums, "$method: in other chunks, optimised for this processor");
}

# ---- Samples are those of independent coins ----

script($node, $library, 'CREATE TABLE coins AS SELECT i % 101 AS a, i % 7 < 3 AS y FROM generate_series(1, 6400) i');

sub sampling
{
	my ($patched, $size) = @_;
	my $option = $size ? qq{"batch_size": $size} : '"rate": 0.015625';
	my ($status, $out, $err) = script($node, $patched, <<"SQL");
SELECT audit_take() IS NULL, audit_force(0);
SELECT count(*) FROM dp_logreg_train('coins', 'y', ARRAY['a'], 20, 1e-6, method => 'sgd', options => '{$option, "epochs": 10, "features": {"a": [0, 100]}}');
SELECT audit_take();
SQL
	my @vectors = grep { /^vector/ } split /\n/, $out;
	my @sizes = map { (split /\t/)[6] } @vectors;
	shift @sizes;
	if ($size)
	{
		my ($exact, $noise) = (split /\t/, $vectors[0])[ 4, 5 ];
		my $mean = sum(@sizes) / @sizes;
		my $wanted = $size * 6400 / ($exact + $noise);
		note("samples of $mean rows, with the number of rows as released there should be $wanted");
		return [ 'sampling', "mean $mean, wanted $wanted" ] if abs($mean - $wanted) > 2 || abs(@sizes - 64000 / $wanted) > 1;
		return;
	}
	return [ 'sampling', 'number of steps' ] if @sizes != 640;
	my $mean = sum(@sizes) / @sizes;
	my $variance = sum(map { ($_ - $mean)**2 } @sizes) / @sizes;
	note("samples of $mean rows, variance $variance");

	# Binomial: mean 100, variance 98.4; five standard deviations of either.
	return [ 'sampling', "mean $mean, variance $variance" ] if abs($mean - 100) > 2 || abs($variance - 98.4) > 28;
	return;
}

my @sampling = sampling($library);
is(scalar @sampling, 0, 'samples have the sizes of Poisson sampling') or diag("@{ $sampling[0] }");
@sampling = sampling($library, 100);
is(scalar @sampling, 0, 'also where the rate follows from a size') or diag("@{ $sampling[0] }");

# ---- Steps that are planned once rows were read ----

# The releases of sgd with a size, and what its steps cost at the rate that follows from the number of rows.
sub planned
{
	my ($seed, $epsilon, $delta, $size) = @_;
	my ($status, $out, $err) = script($node, $library, <<"SQL");
SELECT audit_take() IS NULL, audit_force($seed);
SELECT count(*) FROM dp_logreg_train('coins', 'y', ARRAY['a'], $epsilon, $delta, method => 'sgd',
	options => '{"batch_size": $size, "epochs": 1, "features": {"a": [0, 100]}}');
SELECT delta_approx FROM dpriv.ledger ORDER BY charged_at DESC LIMIT 1;
SELECT audit_take();
SQL
	is($status, 0, "$epsilon, $delta: trained") or diag($err);
	my ($count, @steps) = map { [ split /\t/ ] } grep { /^vector/ } split /\n/, $out;
	my $noise = sqrt($steps[0][2]) / $steps[0][1];
	my $rows  = max($count->[4] + $count->[5], sqrt($count->[2]));
	my $rate  = $seed ? 1 : ceil(2**32 * min(1, $size / $rows)) / 2**32;
	(undef, my $cost) = script($node, $library, "SELECT dpriv.dpsgd_epsilon($noise, $rate, ${\ scalar @steps}, 0.95 * $delta)");
	note("$epsilon, $delta: noise $noise, rate $rate, " . @steps . " steps, together $cost");
	cmp_ok($cost, '<=', 0.95 * $epsilon, "$epsilon, $delta: the steps keep their part of epsilon");
	cmp_ok($cost, '>=', 0.94 * $epsilon, "$epsilon, $delta: and spend it");
	return @steps;
}

planned(0, 2, 1e-6, 100);
planned(0, 2, 1e-6, 6000);

# An epsilon so small that noise can be drawn for one step with all rows, not for two with nearly all: the one step is
# taken.  The number of rows as released is sigma of its noise then, with this seed.
is(scalar planned(4, 1e-6, 6e-7, 10300000), 1, 'where noise for a rate cannot be drawn, all rows take part');

# Sums are the same everywhere, and rounding is upward, because compilers keep to IEEE 754.
foreach my $flag ('-ffast-math', (uname())[4] eq 'x86_64' ? '-mfpmath=387' : ())
{
	ok(!eval { build_library('other_arithmetic', "$flags $flag"); 1 }, "no library with $flag");
	like($@, qr/arithmetic of IEEE 754/, 'and it is said why');
}

# ---- Mutants ----

foreach my $mutant (mutants('learn_mutants'))
{
	my $patched = eval { build_mutant($mutant, $library, $flags) };
	if (!$patched)
	{
		fail("$mutant->{name}: $@");
		next;
	}
	my $of_objective = grep { $mutant->{scripts}{"src/learn/$_.c"} } qw(objective minimum);
	my ($pairs, @wrong) = audit($patched, $mutant->{caught}[0] =~ /^sampl/ ? 'sgd' : $of_objective ? 'objective' :
		$mutant->{scripts}{'src/learn/descent.c'} ? 'course' : 'gd');
	push @wrong, $of_objective ? minimum($patched) : sampling($patched) if !@wrong;
	my @checks = uniq map { $_->[0] } @wrong;
	ok((grep { my $check = $_; grep { $_ eq $check } @checks } @{ $mutant->{caught} }),
		"$mutant->{name} is caught by @{$mutant->{caught}}: $mutant->{what}") or diag(map { "@$_\n" } @wrong[ 0 .. 2 ]);
}

done_testing();
