#
# 094_sample_audit.pl
#	  White-box audit of dp_sample_and_aggregate: one row is in one block, moves one result, and the release hides that.
#
# A test build records the results of all blocks and what is released from them, and can be made to put a row into a
# block that follows from its key, so that tables that differ in one row have all others in the same blocks.  Then at
# most one result may differ, and what is released of the results must differ by no more than what is charged.  No
# value is an error.  Blocks are drawn independently if they are not forced.  Planted mistakes are found.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max sum uniq);
use Math::BigInt;
use PostgreSQL::Test::Utils;
use Test::More;

use Variant qw(build_library build_mutant mutants node script);

use constant BLOCKS => 5;

my $flags   = '-DDPRIV_AUDIT';
my $library = build_library('library', $flags);
my $node    = node('sample_audit');
my ($status, undef, $err) = script($node, $library, <<'SQL');
CREATE EXTENSION dpriv;
CREATE FUNCTION audit_take() RETURNS text AS 'dpriv', 'dpriv_audit_take' LANGUAGE C;
CREATE FUNCTION audit_force(bigint) RETURNS void AS 'dpriv', 'dpriv_audit_force' LANGUAGE C;
CREATE TABLE t (k int, x float8, y float8, r real, n numeric, i int, l bigint, b boolean);
CREATE TABLE rows AS SELECT row_number() OVER ()::int AS k, v.*
FROM (VALUES
	(0::float8, 1::float8, 1::real, 1::numeric, 1, 1::bigint, true), (1, 1, 2, 3, 4, 5, false), (0.1, 0.7, 0.3, 0.1, -4, 7, NULL),
	('NaN', 'NaN', 'NaN', 'NaN', 2147483647, 9223372036854775807, true), ('Infinity', '-Infinity', 'Infinity', 'Infinity', -2147483648, -9223372036854775808, false),
	(1.7e308, -1.7e308, 3.4e38, 1e131000, 2147483647, 9223372036854775807, true), (-1.7e308, 1.7e308, -3.4e38, -1e131000, 0, 0, NULL),
	(5e-324, -5e-324, 1e-45, 1e-16000, 0, 0, true), (NULL, NULL, NULL, NULL, NULL, NULL, NULL), (1e50, -1e50, 1e20, 1e50, 1, 1, false),
	(-1e51, 1e51, -1e21, -1e51, 1, 1, false), ('-Infinity', 'Infinity', '-Infinity', '-Infinity', 3, 3, true))
	AS v(x, y, r, n, i, l, b);
SQL
is($status, 0, 'the sources are set up') or die $err;

# Every aggregate of the list, with each type of number it has.
my @numbers = qw(r x n i l i::smallint);
my @aggregates = ('count(*)', 'count(x)', 'count(DISTINCT n)', 'sum(DISTINCT x)', 'count(*) FILTER (WHERE b)', 'bool_and(b)::int', 'bool_or(x > 0)::int', 'every(b)::int');
foreach my $function (qw(sum avg min max variance var_samp var_pop stddev stddev_samp stddev_pop))
{
	push @aggregates, map { "$function(" . ($_ eq 'i::smallint' ? '(i % 30000)::smallint' : $_) . ')' } @numbers;
}
push @aggregates, map { "$_(x, y)" }
  qw(corr covar_pop covar_samp regr_count regr_sxx regr_syy regr_sxy regr_avgx regr_avgy regr_r2 regr_slope regr_intercept);
push @aggregates, map { ("percentile_cont($_) WITHIN GROUP (ORDER BY x)", "percentile_disc($_) WITHIN GROUP (ORDER BY n DESC)") } 0, 0.3, 1;
push @aggregates, map { "mode() WITHIN GROUP (ORDER BY $_)" } qw(x n r i l);

# What is computed of them: anything that can fail by itself.
my @above = ('sum(x) / sum(y)', '1 / min(x)', 'sum(n) * sum(n) * sum(n) / max(n)', 'sum(i) / (count(*) - 3)', '(sum(l) * 1000000)::bigint', 'max(l) + 1', 'max(i) * 2',
	'sum(r) * sum(r)', 'sum(x) * sum(x) * sum(x) * sum(x) * sum(x) * sum(x) * sum(x)', 'avg(n)::int', '(min(x) * 1e50)::real', '-min(i)', 'abs(min(l))', 'max(i) % (count(*) - 2)', 'sum(x) / variance(x)');

my %bounds = (wide => [ -1e60, 1e60 ], usual => [ -1, 1 ], one_side => [ 3, 4.5 ]);

# Releases over each of several tables: {blocks => [...], what was recorded of the release}.  The first value of a row
# is its key.
sub releases
{
	my ($patched, $expression, $combine, $bounds, $seed, @tables) = @_;
	my ($status, $out, $err) = script($node, $patched, join '', map { <<"SQL" } @tables);
TRUNCATE t;
INSERT INTO t SELECT rows.* FROM rows, unnest(string_to_array('$_', ',')) WITH ORDINALITY AS wanted(k, place) WHERE wanted.k = rows.k::text ORDER BY place;
SELECT 'table', audit_take() IS NULL, audit_force($seed);
SELECT 'answer', answer FROM dp_sample_and_aggregate('t', '0 * count(DISTINCT k) + ($expression)', @{[ BLOCKS ]}, $bounds{$bounds}[0], $bounds{$bounds}[1], 0.7, combine => '$combine') AS answer;
SELECT 'spent', dpriv.session_spent();
SELECT audit_take();
SQL
	return "$expression: $err" if $status != 0;
	my @results;
	my $spent = 0;
	foreach my $line (split /\n/, $out)
	{
		push @results, {} if $line =~ /^table~/;
		if ($line =~ /^spent~(.*)/)
		{
			$results[-1]{epsilon} = sprintf '%.9g', $1 - $spent;
			$spent = $1;
		}
		$results[-1]{answer} = $1 if $line =~ /^answer~(.*)/;
		my @part = split /\t/, $line;
		if    ($line =~ /^blocks\t/) { $results[-1]{blocks} = [ split / /, $part[1] ] }
		elsif (@part > 12 && $part[4] eq 'choice')
		{
			@{ $results[-1] }{qw(divisor num den charge)} = @part[ 6, 8, 9, 10 ];
			$results[-1]{runs} = [ map { [ split /\*/ ] } split / /, $part[17] ];
		}
		elsif (@part > 12) { @{ $results[-1] }{qw(exact sensitivity share num den charge)} = @part[ 4, 6, 7, 8, 9, 10 ] }
	}
	return (undef, @results);
}

# The largest difference of two lists of runs of cells.
sub loss_difference
{
	my ($x, $y) = @_;
	my ($i, $j, $largest) = (0, 0, Math::BigInt->new(0));
	my ($left, $right) = ($x->[0][1], $y->[0][1]);
	while ($i < @$x && $j < @$y)
	{
		my $difference = Math::BigInt->new($x->[$i][0])->bsub($y->[$j][0])->babs;
		$largest = $difference if $difference > $largest;
		my $cells = $left < $right ? $left : $right;
		$left -= $cells;
		$right -= $cells;
		$left  = $x->[$i][1] if $left == 0  && ++$i < @$x;
		$right = $y->[$j][1] if $right == 0 && ++$j < @$y;
	}
	die 'different numbers of cells' if $i < @$x || $j < @$y;
	return $largest;
}

# What is wrong with a pair of neighbours: a list of [check, text].  Laplace noise of scale num / den loses |x - y| den /
# num; a choice loses twice the difference of losses times num / (den divisor).  Charges are in units of 1e-12.
sub compare
{
	my ($what, $one, $other) = @_;
	my @wrong;
	my @moved = grep { $one->{blocks}[$_] ne $other->{blocks}[$_] } 0 .. BLOCKS - 1;
	my $unit = Math::BigInt->new('1000000000000');
	push @wrong, [ 'vector', "$what: " . @moved . ' results differ' ] if @moved > 1;
	if ($one->{runs})
	{
		my $difference = loss_difference($one->{runs}, $other->{runs});
		push @wrong, [ 'sensitivity', "$what: losses differ by $difference" ]
			if 2 * $difference * $one->{num} * $unit > Math::BigInt->new($one->{den}) * $one->{divisor} * $one->{charge};
		push @wrong, [ 'public', $what ] if "@$one{qw(divisor num den charge)}" ne "@$other{qw(divisor num den charge)}";
	}
	else
	{
		my $difference = Math::BigInt->new($one->{exact})->bsub($other->{exact})->babs;
		push @wrong, [ 'sensitivity', "$what: sums differ by $difference" ]
			if $difference * $one->{den} * $unit > Math::BigInt->new($one->{num}) * $one->{charge};
		push @wrong, [ 'public', $what ] if "@$one{qw(sensitivity num den charge)}" ne "@$other{qw(sensitivity num den charge)}";
	}
	push @wrong, [ 'charge', "$what: $one->{epsilon} are charged, for $one->{charge}" ]
		if $one->{epsilon} ne '0.7' || $one->{charge} ne '700000000000';
	return @wrong;
}

sub complain
{
	diag("@$_") foreach splice @_, 0, 3;
}

# Nothing is wrong.
sub fine
{
	my ($name, @wrong) = @_;
	ok(!@wrong, $name) or complain(@wrong);
}

# All rows, and few of them: one after the other.
my $everything = join ',', 1 .. 12;
my @few = ('', '1', '1,2,3');

sub audit
{
	my ($patched, @expressions) = @_;
	my ($pairs, $seed, @wrong) = (0, 0);
	foreach my $expression (@expressions)
	{
		my $combine = $seed % 2 ? 'mean' : 'median';
		my $bounds = (sort keys %bounds)[ int($seed / 2) % 3 ];
		foreach my $base ($everything, $few[ $seed % 3 ])
		{
			my ($error, $one, @others) = releases($patched, $expression, $combine, $bounds, $seed + 1, $base, map { $base eq '' ? $_ : "$base,$_" } 1 .. 12);
			if ($error) { push @wrong, [ 'error', $error ]; next }
			push @wrong, map { compare("$expression, $combine, $bounds, '$base'", $one, $_) } @others;
			$pairs += @others;
		}
		$seed++;
		last if @wrong;
	}
	return ($pairs, @wrong);
}

my ($pairs, @wrong) = audit($library, @aggregates, @above);
fine('one row moves one result, and the release hides it', @wrong);
is($pairs, 2 * 12 * (@aggregates + @above), 'all neighbours were looked at');

# ---- All rows count once; blocks without a result are in the middle ----

sub counted
{
	my ($patched) = @_;
	my ($error, $result) = releases($patched, 'count(*)', 'mean', 'wide', 3, '1,1,2,3,4,5,6,7,8,9,10,11,12,12');
	return [ 'size', $error // "@{ $result->{blocks} }" ] if $error || sum(map { /nan/i ? 0 : $_ } @{ $result->{blocks} }) != 14;
	($error, $result) = releases($patched, 'avg(x)', 'mean', 'usual', 3, '');
	my $middle = Math::BigInt->new($result->{sensitivity})->bdiv(2) * BLOCKS;
	return [ 'middle', "$result->{exact}, not $middle" ] if abs($result->{exact} - $middle) > BLOCKS;
	return;
}
fine('every row is in one block, and no result is the middle', counted($library));

# ---- The order of rows does not matter ----

script($node, $library, <<'SQL');
CREATE TABLE big AS SELECT i AS k, sin(i) * exp(i % 60) AS x, cos(i) * exp(i % 50) AS y, (sin(i) * exp(i % 70))::real AS r FROM generate_series(1, 20000) i;
CREATE TABLE big_reversed AS SELECT * FROM big ORDER BY k DESC;
CREATE TABLE big_mixed AS SELECT * FROM big ORDER BY md5(k::text);
SQL

# Once with values that have to be different, for which a plan may sort all rows, and once without.
sub ordered
{
	my ($patched, $settings, $table) = @_;
	my $plain = 'sum(x) + corr(x, y) + regr_slope(y, x) + stddev(r) + avg(y) FILTER (WHERE r > 0)';
	my ($status, $out, $err) = script($node, $patched, <<"SQL");
$settings
SELECT audit_take() IS NULL, audit_force(77);
SELECT count(*) FROM dp_sample_and_aggregate('$table', '0 * count(DISTINCT k) + sum(r) / count(DISTINCT y) + $plain', 7, -1, 1, 1);
SELECT count(*) FROM dp_sample_and_aggregate('$table', '$plain', 7, -1, 1, 1);
SELECT audit_take();
SQL
	die $err if $status != 0;
	my @results = $out =~ /^blocks\t(.*)$/mg;
	die $out if @results != 2;
	return "@results";
}

sub order
{
	my ($patched) = @_;
	my $results = ordered($patched, '', 'big');
	my @other = (
		ordered($patched, '', 'big_reversed'), ordered($patched, '', 'big_mixed'),
		ordered($patched, 'SET enable_hashagg = off; SET work_mem = 64; SET maintenance_work_mem = 1024;', 'big_mixed'),
		ordered($patched, 'SET enable_sort = off; SET work_mem = 64; SET hash_mem_multiplier = 1;', 'big_reversed'),
		ordered($patched, 'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;', 'big'));
	my @differ = grep { $other[$_] ne $results } 0 .. $#other;
	return @differ ? [ 'order', "@differ" ] : ();
}
fine('in whatever order rows come, with whatever plan, results are the same', order($library));

# ---- Blocks are drawn independently ----

# The sizes of 64 blocks of 6,400 rows: chi-square with 63 degrees of freedom, mean 63 and deviation 11.2, over 10 runs.
script($node, $library, 'CREATE TABLE many AS SELECT i AS k FROM generate_series(1, 6400) i');

sub independent
{
	my ($patched) = @_;
	my ($status, $out, $err) = script($node, $patched, 'SELECT audit_take() IS NULL, audit_force(0);'
			. q{SELECT count(*) FROM dp_sample_and_aggregate('many', 'count(*)', 64, 0, 1000, 1);} x 10 . 'SELECT audit_take();');
	return [ 'error', $err ] if $status != 0;
	my $square = 0;
	foreach my $line ($out =~ /^blocks\t(.*)$/mg)
	{
		$square += (/nan/i ? 100 : ($_ - 100)**2 / 100) foreach split / /, $line;
	}
	note("chi-square $square of 630");
	return abs($square - 630) > 5.5 * sqrt(2 * 630) ? [ 'independence', "chi-square $square of 630" ] : ();
}
fine('blocks are drawn uniformly and independently', independent($library));

# ---- What is not paid for is not read ----

sub unpaid
{
	my ($patched) = @_;
	my ($status, $out, $err) = script($node, $patched, <<'SQL');
SELECT audit_take() IS NULL, audit_force(0);
SET dpriv.session_budget = 0.5;
\set ON_ERROR_STOP off
SELECT count(*) FROM dp_sample_and_aggregate('many', 'count(*)', 64, 0, 1000, 1);
SELECT audit_take();
SQL
	return [ 'unpaid', 'rows were read' ] if $out =~ /^blocks/m || $err !~ /budget/;
	return;
}
fine('no row is read before the charge', unpaid($library));

# ---- Mutants ----

foreach my $mutant (mutants('sample_mutants'))
{
	my $patched = eval { build_mutant($mutant, $library, $flags) };
	if (!$patched)
	{
		fail("$mutant->{name}: $@");
		next;
	}
	my $wanted = $mutant->{caught}[0];
	my @wrong =
		$wanted eq 'order' ? order($patched)
	  : $wanted eq 'independence' ? independent($patched)
	  : $wanted eq 'unpaid' ? unpaid($patched)
	  : $wanted eq 'middle' ? counted($patched)
	  : do { my (undef, @found) = audit($patched, ('sum(x)', 'avg(x)', 'variance(n)', 'sum(i) / (count(*) - 3)', 'sum(n)') x 2); @found };
	my @checks = uniq map { $_->[0] } @wrong;
	ok((grep { my $check = $_; grep { $_ eq $check } @checks } @{ $mutant->{caught} }),
		"$mutant->{name} is caught by @{$mutant->{caught}}: $mutant->{what}") or complain(@wrong);
}

done_testing();
