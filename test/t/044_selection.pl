#
# 044_selection.pl
#	  Selected groups: what decides is noisy, paid for and the best that delta allows; nothing tells of the groups
#	  that were dropped.
#
# With a library that records every decision, over neighbouring tables, and with the frequencies of groups of known
# sizes.  The delta of whole releases is summed over everything that a group can come back as, from the recorded rules
# and noise.  Planted mistakes (test/audit/mutants-selection) are found.  Sizes and parts: test/audit/Report.pm.
#
# A violation has a check:
#   decider     something else decides than should: a count of the rows with Laplace noise, or else noise on the rows
#   value       what decides is not the released count, or not the number of rows of a group
#   decided     a group is kept or dropped against the rule
#   threshold   the threshold is not the smallest that delta allows
#   rule        truncated noise and limit are not (epsilon, delta), or a group of one row has not delta
#   whole       a release, with all of its measures, is not (epsilon, delta) for a group of some size
#   released    the rows are not those of the kept groups, or show another count than the one that decided
#   order       the rows are not in the order of their keys
#   charge      the statement costs something else, or not the same for neighbours
#   neighbours  a decision changes that is not on the group of the row
#   refused     a key is accepted that would show how one of its rows is written
#   storage     a key shows how one of its rows is stored
#   statistics  groups are kept more or less often than they should
#   dependence  decisions depend on each other
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use JSON::PP qw(decode_json);
use List::Util qw(max min sum0 uniq);
use Math::BigFloat;
use Test::More;

use Report qw(fact part wanted);
use Chance qw(binomial_above binomial_below normal_beyond);
use Variant qw(build_library build_mutant mutants node script);

use constant {
	UNITS    => 1_000_000_000_000,
	DIGITS   => 50,
	LOST     => 1e-11,             # of delta, by rounding, besides 2^-64
	SIZES    => 16,                # groups of 1 .. SIZES rows
	EACH     => 400,               # groups of each size
	RELEASES => 10,
	BOUND    => 1e-12,             # of a false alarm, per test of a frequency
	ERRORS   => 7.5,               # standard errors, per test of dependence
};

my $flags   = '-DDPRIV_AUDIT';
my $library = build_library('library', $flags);
my $node    = node('selection');

sub run_sql
{
	my ($with, $sql) = @_;
	my ($status, $out, $err) = script($node, $with, $sql);
	die $err if $status;
	return $out;
}

# Groups of different sizes, in no order; v is NULL in every third row.  Groups of 1 .. SIZES rows for statistics.
run_sql($library, <<"SQL");
CREATE EXTENSION dpriv;
CREATE FUNCTION dpriv_audit_take() RETURNS text AS 'dpriv', 'dpriv_audit_take' LANGUAGE C;
CREATE TABLE g (id int, k text, v int, z bool);
INSERT INTO g SELECT row_number() OVER (), k, CASE WHEN i % 3 > 0 THEN i % 10 END, i % 2 = 0
	FROM (VALUES ('mm', 1), ('b', 2), ('zz', 3), ('a', 12), (NULL, 30), ('kk', 60), ('c', 90)) AS s (k, n), generate_series(1, n) i
	ORDER BY md5(k || i);
CREATE TABLE u AS SELECT n || '-' || j AS k, n, 1 AS v FROM generate_series(1, @{[SIZES]}) n, generate_series(1, @{[EACH]}) j,
	generate_series(1, n) ORDER BY md5(n || '-' || j);
CREATE TABLE stored (k text);
INSERT INTO stored SELECT repeat('k', 100000) FROM generate_series(1, 500);

-- Run a query and say what it released, what it cost and what was recorded.
CREATE FUNCTION probe(query text, OUT answers text, OUT epsilon text, OUT delta text, OUT record text)
LANGUAGE plpgsql AS \$\$
DECLARE
	released record;
	epsilon_before text := dpriv.session_spent()::text;
	delta_before text := dpriv.session_spent_delta()::text;
BEGIN
	PERFORM dpriv_audit_take();
	answers := '';
	FOR released IN EXECUTE query LOOP
		answers := answers || to_jsonb(released)::text || '|';
	END LOOP;
	record := replace(dpriv_audit_take(), E'\\n', '|');
	epsilon := (dpriv.session_spent()::text::numeric - epsilon_before::numeric)::text;
	delta := (dpriv.session_spent_delta()::text::numeric - delta_before::numeric)::text;
END\$\$;
SQL

# What may be a neighbour: nothing, a row more in a new group, in groups of one, two and many rows and in that of
# NULL, a row less of each.
my %neighbour = (
	base => '',
	(map { ("one more in $_->[0]" => "INSERT INTO g VALUES (0, $_->[1], 5, true);") }
		  [ 'a new group', "'new'" ], [ 'a group of one', "'mm'" ], [ 'a group of two', "'b'" ], [ 'a group of many', "'c'" ],
		[ 'the group without key', 'NULL' ]),
	(map { ("one less in $_->[0]" => "DELETE FROM g WHERE id = (SELECT min(id) FROM g WHERE k IS NOT DISTINCT FROM $_->[1]);") }
		  [ 'a group of one', "'mm'" ], [ 'a group of two', "'b'" ], [ 'a group of many', "'a'" ],
		[ 'the group without key', 'NULL' ]));

# Queries: measures, settings, what they cost (epsilon, delta), what decides (a count or the rows) with which epsilon,
# and the column of the deciding count.
my @cases = map {
	my %case;
	@case{qw(measures settings epsilon delta decider decides count)} = @$_;
	\%case;
} (
	[ 'dp_count(g, 0.5) AS m', '', 0.5, 0.01, 'count', 0.5, 'm' ],
	[ 'dp_count(g.*, 0.5) AS m', 'SET enable_hashagg = off;', 0.5, 0.01, 'count', 0.5, 'm' ],
	[ 'dp_count(*) AS m', 'SET dpriv.epsilon = 1.5;', 1.5, 0.01, 'count', 1.5, 'm' ],
	[ 'dp_avg(v, 0, 9, 0.3), dp_count(g, 0.5) AS m, dp_count(v, 3)', '', 3.8, 0.01, 'count', 0.5, 'm' ],
	[ 'dp_count(g, 0.25), dp_count(g, 0.75) AS m', 'SET dpriv.selection_epsilon = 2;', 1, 0.01, 'count', 0.75, 'm' ],
	[ 'dp_count(g, 0.5) AS m, dp_count(v, 0.25), dp_sum_clipped(v, 0, 3, 0.25)', '', 1, 0.01, 'count', 0.5, 'm' ],
	[ 'dp_count(v, 0.5), dp_sum_clipped(v, 0, 3, 0.25), dp_median(v, 0, 9, 0.25)', '', 1.5, 0.01, 'rows', 0.5 ],
	[ 'dp_avg(v, 0, 9, 0.5)', '', 1, 0.01, 'rows', 0.5 ],
	[ 'dp_avg(v, 0, 9, 0.5)', 'SET enable_hashagg = off;', 1, 0.01, 'rows', 0.5 ],
	[ 'dp_sum_clipped(v, 0, 9, 0.5), dp_avg(v, 0, 9, 2)', 'SET dpriv.selection_epsilon = 0.25;', 2.75, 0.01, 'rows', 0.25 ],
	[ 'dp_count(v, 0.5) AS m', '', 1, 0.01, 'rows', 0.5 ],
	[ 'dp_count(DISTINCT v, 0.5)', '', 1, 0.01, 'rows', 0.5 ],
	[ 'dp_count(g, 0.5) FILTER (WHERE z)', '', 1, 0.01, 'rows', 0.5 ],
	[ 'dp_histogram(v, ARRAY[0, 5, 9], 0.5)', '', 1, 0.01, 'rows', 0.5 ],
	[ 'dp_count(g, 0.5)', 'SET dpriv.mechanism = gaussian;', 1, 0.02, 'rows', 0.5 ],
	[ 'dp_count(g, 0.5) AS m', 'SET dpriv.delta = 1e-6;', 0.5, 1e-6, 'count', 0.5, 'm' ]);

# Parameters whose rule is checked for every number of rows: epsilon, delta.
my @parameters = (
	[ 0.5, '0.01' ], [ 0.5, '1e-6' ], [ 0.05, '1e-6' ], [ 0.01, '0.01' ], [ 1, '1e-18' ], [ 0.333333333333, '1e-5' ],
	[ 20, '1e-18' ], [ 20, '0.01' ], [ 100, '1e-12' ], [ 3, '2.5e-9' ], [ 0.1, '0.001' ]);

sub check
{
	my ($failed, $condition, $check, $text) = @_;
	push @$failed, [ $check, $text ] if !$condition;
	return;
}

sub big { return Math::BigFloat->new($_[0], undef, undef)->bround(DIGITS) }

sub power
{
	my ($base, $n) = @_;
	return $base->copy->bpow($n)->bround(DIGITS);
}

# One look at a table: released rows, costs, decisions with the draw just before them.
sub observation
{
	my ($line) = @_;
	my %seen;
	@seen{qw(name answers epsilon delta record)} = split /~/, $line, -1;
	$seen{answers} = [ map { decode_json($_) } split /\|/, $seen{answers} ];
	my $draw;
	foreach my $record (split /\|/, $seen{record})
	{
		my @field = split /\t/, $record;
		if ($field[0] ne 'selection')
		{
			$draw = { measure => $field[0], name => $field[2], exact => $field[4], noisy => $field[5] };
			$seen{measures}{ $field[0] } = [ $field[3] + 1, @field[ 6, 8 .. 11, 13, 15 ] ];
			next;
		}
		my %decision;
		@decision{qw(what value kept by_count limit weight epsilon delta)} = @field;
		push @{ $seen{decisions} }, { %decision, draw => $draw };
		undef $draw;
	}
	$seen{decisions} //= [];
	$seen{measures}  //= {};
	return \%seen;
}

# Neighbours in the order of their names, base first.
sub observe
{
	my ($with, $case) = @_;
	my $query = "SELECT k, $case->{measures} FROM g GROUP BY k";
	my $sql   = "SET dpriv.mechanism = laplace; SET dpriv.delta = 0.01;\n$case->{settings}\n";
	foreach my $name ('base', grep { $_ ne 'base' } sort keys %neighbour)
	{
		$sql .= "BEGIN; $neighbour{$name}\n"
		  . "SELECT 'sizes', (SELECT string_agg(n::text, ' ' ORDER BY n) FROM (SELECT count(*) AS n FROM g GROUP BY k) s),"
		  . " (SELECT json_object_agg(coalesce(k, '-'), n) FROM (SELECT k, count(*) AS n FROM g GROUP BY k) s);\n"
		  . "SELECT '$name', answers, epsilon, delta, record FROM probe(\$query\$$query\$query\$);\nROLLBACK;\n";
	}
	my @seen;
	my ($sizes, $size);
	foreach my $line (grep { /~/ } split /\n/, run_sql($with, $sql))
	{
		if ($line =~ /^sizes~(.*?)~(.*)/)
		{
			($sizes, $size) = ($1, decode_json($2));
			next;
		}
		my $now = observation($line);
		$now->{sizes} = $sizes;
		$now->{size}  = $size;
		push @seen, $now;
	}
	return @seen;
}

sub test_case
{
	my ($failed, $with, $case, $shipped) = @_;
	my @seen = observe($with, $case);
	my $what = "$case->{measures} $case->{settings}";
	my $decisions = 0;
	check($failed, @seen == keys %neighbour, 'charge', "$what: a neighbour failed");
	foreach my $now (@seen)
	{
		my $where = "$what: $now->{name}";
		my (@exact, @kept, @counts);
		check($failed, $now->{epsilon} == $case->{epsilon} && $now->{delta} == $case->{delta}, 'charge',
			"$where: cost ($now->{epsilon}, $now->{delta})");
		foreach my $decision (@{ $now->{decisions} })
		{
			my $rows = $decision->{by_count} ? $decision->{draw}{exact} : $decision->{value};
			check($failed, $decision->{by_count} == ($case->{decider} eq 'count') && $decision->{epsilon} == $case->{decides} * UNITS,
				'decider', "$where: epsilon $decision->{epsilon}, by count $decision->{by_count}");
			check($failed, !$decision->{by_count} || $decision->{draw}{noisy} == $decision->{value}, 'value',
				"$where: $decision->{value} decided");
			check($failed, $decision->{by_count} ? $decision->{kept} == ($decision->{value} >= $decision->{limit})
				: $decision->{kept} || $decision->{value} <= 2 * $decision->{limit}, 'decided',
				"$where: $decision->{value} at $decision->{limit}: $decision->{kept}");
			push @exact, $rows;
			push @kept, $rows if $decision->{kept};
			push @counts, $decision->{value} if $decision->{kept};
			$decisions++;
		}
		my $exact = join ' ', sort { $a <=> $b } @exact;
		check($failed, $exact eq $now->{sizes}, $case->{decider} eq 'count' ? 'value' : 'neighbours',
			"$where: decided on $exact, groups have $now->{sizes}");

		# Which rows came back, in which order.
		my @keys  = map { $_->{k} } @{ $now->{answers} };
		my @known = grep { defined } @keys;
		check($failed, join(' ', map { $_ // '-' } @keys) eq join(' ', sort(@known), ('-') x (@keys - @known)), 'order',
			"$where: " . join ' ', map { $_ // '-' } @keys);
		my $of = join ' ', sort { $a <=> $b } map { $now->{size}{ $_ // '-' } } @keys;
		check($failed, $of eq join(' ', sort { $a <=> $b } @kept), 'released', "$where: groups of $of rows");
		check($failed, join(' ', sort { $a <=> $b } map { $_->{ $case->{count} } } @{ $now->{answers} }) eq
			join(' ', sort { $a <=> $b } @counts), 'released', "$where: counts")
		  if $case->{count} && $case->{decider} eq 'count';
	}
	test_whole($failed, $case, $shipped, @seen);
	return $decisions;
}

# A release of one group at n rows and at n + 1, as pairs of probabilities of everything that it can come back as.
# Draws are independent, so the pairs of all measures together are products.  Outcomes whose pairs have one ratio may be
# taken together: of whole noise of the discrete Laplace distribution that leaves one more than the value moves.

# Noise with t = exp(-1 / scale) on a value that moves by distance; outcomes below low (undef: none) are left out.
sub laplace_pairs
{
	my ($t, $distance, $low) = @_;
	my $above = sub {
		my ($k) = @_;                   # P[noise >= k], undef for no limit
		return !defined $k ? 1 : $k > 0 ? $t**$k / (1 + $t) : 1 - $t**(1 - $k) / (1 + $t);
	};
	my @edges = ($low, grep { !defined $low || $_ > $low } 1 .. $distance);
	return map {
		my ($from, $until) = ($edges[$_], $_ < $#edges ? $edges[ $_ + 1 ] : 1e9);
		[ $above->($from) - $above->($until), $above->(defined $from ? $from - $distance : undef) - $above->($until - $distance) ]
	} 0 .. $#edges;
}

sub gaussian_pairs
{
	my ($variance, $distance) = @_;
	my $reach = int(40 * sqrt($variance)) + $distance;
	my @p     = map { exp(-$_**2 / 2 / $variance) } -$reach - $distance .. $reach + $distance;
	my $mass  = sum0(@p);
	return map { [ $p[ $_ + $distance ] / $mass, $p[$_] / $mass ] } 0 .. $#p - $distance;
}

# Of a measure that is not one whole number: the worst that its epsilon allows, in both directions.
sub worst_pairs
{
	my ($epsilon) = @_;
	my $p = 1 / (1 + exp(-$epsilon));
	return ([ $p, 1 - $p ], [ 1 - $p, $p ]);
}

sub measure_pairs
{
	my ($measure, $low) = @_;
	my ($components, $sensitivity, $num, $den, $charge, $exponent, $noise, $fine) = @$measure;
	return worst_pairs($charge / UNITS) if $components > 1 || $exponent != 0 || $noise eq 'choice' || $sensitivity > 10;
	return gaussian_pairs($num / $den / $fine**2, $sensitivity) if $noise eq 'gaussian';
	return laplace_pairs(exp(-$den / $num), $sensitivity, $low);
}

sub products
{
	my ($pairs, @more) = @_;
	return @$pairs if !@more;
	my @rest = products(@more);
	return map { my $one = $_; map { [ $one->[0] * $_->[0], $one->[1] * $_->[1] ] } @rest } @$pairs;
}

# P[a group of n rows is kept], n = 0 .. 2 k, by the recorded rule for numbers of rows.
my %rows_kept;

sub rows_kept
{
	my ($decision) = @_;
	return $rows_kept{ join ' ', @$decision{qw(epsilon limit weight)} } //= do
	{
		my $a      = big(min($decision->{epsilon}, 64 * UNITS))->bdiv(UNITS, DIGITS)->bexp(DIGITS);
		my $weight = big($decision->{weight})->bdiv(big(2)->bpow(64), DIGITS);
		my @part   = map { rule_at($a, $_) } $decision->{limit}, $decision->{limit} - 1;
		[ map { (($part[0][$_] // 1) * (1 - $weight) + ($part[1][$_] // 1) * $weight)->numify } 0 .. 2 * $decision->{limit} ];
	};
}

# The delta of the whole release, at the epsilon that it costs, for every number of rows of the group that changes.
sub test_whole
{
	my ($failed, $case, $shipped, @seen) = @_;
	my ($decision) = map { @{ $_->{decisions} } } @seen;
	my %measures = map { %{ $_->{measures} } } @seen;
	my $deciding = delete $measures{ $decision->{draw}{measure} } if $decision->{by_count};
	my @others   = map { [ measure_pairs($_) ] } values %measures;
	my $kept     = $decision->{by_count} ? undef : rows_kept($decision);
	my $last     = $decision->{by_count} ? $decision->{limit} + 50 : 2 * $decision->{limit};
	my ($most, $first) = (0, 0);
	foreach my $n (0 .. $last)
	{
		my @kept;
		if ($decision->{by_count})
		{
			@kept = measure_pairs($deciding, $decision->{limit} - $n);
			@kept = [ 0, sum0(map { $_->[1] } @kept) ] if $n == 0;
		}
		else
		{
			@kept = [ map { $kept->[$_] // 1 } $n, $n + 1 ];
		}
		my @dropped = map { my $which = $_; 1 - sum0(map { $_->[$which] } @kept) } 0, 1;

		# A group that is not there comes back as nothing, whatever its measures would be.
		my @all = (\@dropped, $n == 0 ? @kept : products(\@kept, @others));
		foreach my $pair ([ 0, 1 ], [ 1, 0 ])
		{
			my $factor = exp($case->{epsilon});
			my $delta  = sum0(map { max(0, $_->[ $pair->[0] ] - $factor * $_->[ $pair->[1] ]) } @all);
			$most  = max($most, $delta);
			$first = max($first, $delta) if $n == 0;
			check($failed, $delta <= $case->{delta} * (1 + 1e-9), 'whole', "$case->{measures} $case->{settings}: delta $delta between $n rows and one more");
		}
	}

	# Less than this delta would have allowed another row or another threshold.
	check($failed, $first > 0, 'whole', "$case->{measures}: no group of one row comes back");
	fact('whole', "$case->{measures} $case->{settings}" =~ s/ AS m\b|\s+$//gr, $case->{epsilon}, $case->{delta}, $most) if $shipped;
	return;
}

# The rule that was used, for every number of rows.
sub test_rule
{
	my ($failed, $with, $epsilon, $delta) = @_;
	my $line = run_sql($with, "SET dpriv.mechanism = laplace; SET dpriv.max_epsilon = 1000; SET dpriv.delta = $delta;\n"
		  . "SELECT 'x', answers, epsilon, delta, record FROM probe('SELECT k, dp_count(g, $epsilon) FROM g GROUP BY k');\n"
		  . "SELECT 'x', answers, epsilon, delta, record FROM probe('SELECT k, dp_avg(v, 0, 1, $epsilon) FROM g GROUP BY k');\n");
	my ($by_count, $by_rows) = map { observation($_)->{decisions}[0] } grep { /~/ } split /\n/, $line;
	my $where = "epsilon $epsilon, delta $delta";

	# t^(m - 1) / (1 + t) <= delta < t^(m - 2) / (1 + t)
	my $t = big($by_count->{epsilon})->bdiv(UNITS, DIGITS)->bneg->bexp(DIGITS);
	my $passes = power($t, $by_count->{limit} - 1)->bdiv($t + 1, DIGITS);
	check($failed, $passes <= big($delta) && $passes->copy->bdiv($t, DIGITS) > big($delta), 'threshold',
		"$where: threshold $by_count->{limit}");

	# What the noise is made for may be less than what is paid for.
	my ($k, $a) = ($by_rows->{limit}, min($by_rows->{epsilon}, 64 * UNITS));
	$a = big($a)->bdiv(UNITS, DIGITS)->bexp(DIGITS);
	my $weight = big($by_rows->{weight})->bdiv(big(2)->bpow(64), DIGITS);
	my @part = map { rule_at($a, $_) } $k, $k - 1;
	my @kept = map { ($part[0][$_] // 1) * (1 - $weight) + ($part[1][$_] // 1) * $weight } 0 .. 2 * $k + 2;
	my $tiny = big('1e-40');
	check($failed, $kept[0] == 0 && $kept[1] <= big($delta) + $tiny && $kept[1] >= big($delta) * (1 - LOST) - big(2)->bpow(-64) && $kept[2 * $k + 1] == 1,
		'rule', "$where: a group of one row with $kept[1]");
	foreach my $n (1 .. $#kept)
	{
		my ($less, $more) = @kept[ $n - 1, $n ];
		my $allowed = big($delta) + $tiny;
		check($failed, $more <= $a * $less + $allowed && $less <= $a * $more + $allowed
			&& 1 - $less <= $a * (1 - $more) + $allowed && 1 - $more <= $a * (1 - $less) + $allowed, 'rule', "$where: $n rows");
	}
	return scalar @kept;
}

# P[n + X > k] for n from 0 to 2 k, X truncated at k.
sub rule_at
{
	my ($a, $k) = @_;
	my $one = ($a - 1)->bdiv(($a + 1) * power($a, $k) - 2, DIGITS);
	my @p   = (big(0));
	push @p, ($a * $p[-1] + $one)->bround(DIGITS) foreach 1 .. $k;
	$p[$_] = 1 - $p[ 2 * $k + 1 - $_ ] foreach $k + 1 .. 2 * $k;
	return \@p;
}

# What must be refused, and what a key must not show.
sub test_keys
{
	my ($failed, $with) = @_;
	foreach my $key ('v::numeric', 'v::float8', 'k::bpchar', 'k COLLATE loose', 'ARRAY[v]', 'ctid', 'to_jsonb(v)')
	{
		my ($status) = script($node, $with, 'CREATE COLLATION IF NOT EXISTS loose '
			  . "(provider = icu, locale = 'und-u-ks-level2', deterministic = false);\n"
			  . "SET dpriv.delta = 0.01; SELECT dp_count(g, 1) FROM g GROUP BY $key;");
		check($failed, $status != 0, 'refused', $key);
	}
	my $seen = run_sql($with, "SET dpriv.delta = 0.01;\n"
		  . 'SELECT length(k), pg_column_compression(k) IS NULL FROM (SELECT k, dp_count(stored, 1) FROM stored GROUP BY k) r;');
	check($failed, $seen eq '100000~t', 'storage', $seen);
	my $free = run_sql($with, "SET dpriv.delta = 0.01; SET dpriv.epsilon = 1;\n"
		  . "SELECT epsilon, delta FROM probe('SELECT k, dp_count(*) FROM g GROUP BY k LIMIT 0');");
	check($failed, $free eq '0~0', 'charge', "nothing read cost $free");
	return;
}

# Probabilities as doubles: of a count with noise, and of truncated noise.
sub keeps
{
	my ($n, $epsilon, $delta, $by_count) = @_;
	my $t = exp(-$epsilon);
	if ($by_count)
	{
		my $m = 2;
		$m++ while $t**($m - 1) / (1 + $t) > $delta;
		return $m > $n ? $t**($m - $n) / (1 + $t) : 1 - $t**($n - $m + 1) / (1 + $t);
	}
	my $one = sub { (1 / $t - 1) / ((1 / $t + 1) * $t**-$_[0] - 2) };
	my $k = 1;
	$k++ while $one->($k) > $delta;
	my $weight = ($delta - $one->($k)) / ($one->($k - 1) - $one->($k));
	my $p = 0;
	foreach my $part ([ $k, 1 - $weight ], [ $k - 1, $weight ])
	{
		my ($at, $share) = @$part;
		my $all = sum0(map { $t**abs($_) } -$at .. $at);
		$p += $share * sum0(map { $t**abs($_) } grep { $n + $_ > $at } -$at .. $at) / $all;
	}
	return $p;
}

# How often groups of known sizes are kept, and whether that of one tells of the next.
sub test_statistics
{
	my ($failed, $with) = @_;
	my $tests = 0;
	foreach my $setting ([ 0.5, 0.01, 1 ], [ 0.5, 0.01, 0 ], [ 0.01, 0.01, 0 ], [ 2, 0.001, 0 ])
	{
		my ($epsilon, $delta, $by_count) = @$setting;
		my $measure = $by_count ? "dp_count(u, $epsilon)" : "dp_sum_clipped(v, 0, 1, $epsilon)";
		my $query   = "SELECT k, $measure FROM u GROUP BY k";
		my $out     = run_sql($with, "SET dpriv.mechanism = laplace; SET dpriv.delta = $delta; SET work_mem = '64MB';\n"
			  . "SELECT record FROM probe(\$query\$$query\$query\$), generate_series(1, 1);\n" x RELEASES);
		my (%kept, %seen, @score);
		foreach my $record (grep { /^selection\t/ } map { split /\|/ } split /\n/, $out)
		{
			my @field = split /\t/, $record;
			next if $by_count;
			$seen{ $field[1] }++;
			$kept{ $field[1] } += $field[2];
			my $p = keeps($field[1], $epsilon, $delta, $by_count);
			push @score, $p > 0 && $p < 1 ? $field[2] - $p : 0;
		}

		# By count the record has no sizes: ask for the released keys.
		if ($by_count)
		{
			$out = run_sql($with, "SET dpriv.mechanism = laplace; SET dpriv.delta = $delta;\n"
				  . "SELECT split_part(k, '-', 1), count(*) FROM ($query) r GROUP BY 1;\n" x RELEASES);
			foreach my $line (split /\n/, $out)
			{
				my ($n, $count) = split /~/, $line;
				$kept{$n} += $count;
			}
			$seen{$_} = RELEASES * EACH foreach 1 .. SIZES;
		}
		foreach my $n (1 .. SIZES)
		{
			my $p = keeps($n, $epsilon, $delta, $by_count);
			my $many = $kept{$n} // 0;
			check($failed, ($seen{$n} // 0) == RELEASES * EACH && binomial_below($many, RELEASES * EACH, $p) >= BOUND
				&& binomial_above($many, RELEASES * EACH, $p) >= BOUND, 'statistics',
				"$measure, delta $delta: $many of @{[RELEASES * EACH]} groups of $n rows, expected " . $p * RELEASES * EACH);
			$tests++;
		}
		next if $by_count;
		my $spread = sum0(map { $_**2 } @score) / @score;
		my $sum    = sum0(map { $score[$_] * $score[ $_ + 1 ] } 0 .. $#score - 1);
		my $error  = abs($sum) / ($spread * sqrt(@score) || 1);
		check($failed, $error <= ERRORS, 'dependence', "$measure: $error standard errors");
		$tests++;
	}
	return $tests;
}

sub test_all
{
	my ($with, %option) = @_;
	my (@failed, $decisions, $counts, $tests);
	$decisions += test_case(\@failed, $with, $_, $with eq $library) foreach @cases;
	test_keys(\@failed, $with);
	$counts += test_rule(\@failed, $with, @$_) foreach @parameters;
	$tests = test_statistics(\@failed, $with) unless $option{first} && @failed;
	return (\@failed, $decisions, $counts, $tests);
}

if (part('white'))
{
	my ($failed, $decisions, $counts, $tests) = test_all($library);
	is(scalar @$failed, 0, 'selection decides by what is released, within delta, and nothing else shows');
	diag(join ': ', @$_) foreach @$failed > 10 ? @$failed[ 0 .. 9 ] : @$failed;
	cmp_ok($decisions, '>', 500, 'enough decisions were looked at');
	note("$decisions decisions, $counts numbers of rows, $tests tests of frequencies");
	note('a false alarm: frequencies ' . BOUND * 2 . ' each; dependence ' . normal_beyond(ERRORS)
		  . ' each (normal tail; products of bounded scores)');
	cmp_ok(2 * BOUND * $tests + 4 * normal_beyond(ERRORS), '<', 1e-9, 'all of them together are rarer than 1e-9');
	fact('chance', 'frequencies and dependence of selection', 2 * BOUND * $tests + 4 * normal_beyond(ERRORS));
}

foreach my $mutant (mutants('mutants-selection'))
{
	next unless wanted($mutant);
	my $patched = eval { build_mutant($mutant, $library, $flags) };
	if (!$patched)
	{
		fail("$mutant->{name}: $@");
		next;
	}
	my ($found) = eval { test_all($patched, first => 1) };
	$found //= [ [ 'error', $@ ] ];
	my @checks = uniq map { $_->[0] } @$found;
	fact('mutant', @$mutant{qw(name what)}, 'selection', "@checks");
	ok(scalar(grep { my $check = $_; grep { $_ eq $check } @checks } @{ $mutant->{caught} }),
		"$mutant->{name} is caught by @{ $mutant->{caught} }: $mutant->{what}") or diag("checks: @checks; $found->[0][1]");
	note("$mutant->{name}: @checks");
}

done_testing();
