#
# 040_audit.pl
#	  White-box audit: over neighbouring tables of extreme rows, what is drawn hides what a row changes, and is
#	  paid for; planted mistakes are found.
#
# At full size: every combination of bounds, epsilon and method of dp_avg over all starting tables, every pair and triple
# of measures in one release, and all mutants.  Every dp_* aggregate has to be in a case, in all of its forms.  Sizes and
# parts: test/audit/Report.pm.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use List::Util qw(max min uniq);
use Test::More;

use Audit qw(audit);
use Cases qw(bounds_case combination_cases found_case gaussian_case structure_cases BOUNDS EPSILONS GAUSSIAN_EPSILONS DELTAS);
use Coverage qw(signatures_without);
use Report qw(fact full part wanted);
use Variant qw(build_library build_mutant mutants node script);

use constant METHODS => qw(joint split);

my $full    = full();
my $flags   = '-DDPRIV_AUDIT';
my $library = build_library('library', $flags);
my $node    = node('audit');
my ($status, undef, $err) = script($node, $library, "\\i $FindBin::Bin/../audit/setup.sql\n");
is($status, 0, 'the sources are set up') or die $err;

# What the audit saw of each measure and kind of noise, over all of its parts.
my %seen;

sub report
{
	my ($result, $what) = @_;
	my @violations = @{ $result->{violations} };
	is(scalar @violations, 0, $what);
	diag(join ' | ', map { substr($_, 0, 2000) } @$_) foreach splice @violations, 0, 5;
	note("$what: $result->{evaluations} executions, $result->{pairs} pairs of neighbours");
	foreach my $what (keys %{ $result->{seen} })
	{
		my ($now, $most) = ($result->{seen}{$what}, $seen{$what});
		$seen{$what} = $now and next if !$most;
		$most->{pairs} += $now->{pairs};
		$most->{$_} = min($most->{$_}, $now->{$_}) foreach qw(from left);
		$most->{to} = max($most->{to}, $now->{to});
	}
	return;
}

my @structure = structure_cases();
my @found_few = map { found_case(@$_) } [ 17, 90, 0.1 ], [ -90, 17, 1e-6 ], [ 0.1, 0.3, 5 ];

sub shipped_library
{
	# A measure that is added must be looked at.
	my @without = signatures_without($node, $library, map { $_->{query} } bounds_case(17, 90, 0.1, 'joint'), $found_few[0],
		gaussian_case(17, 90, 0.1, 1e-6, 'joint', 0), grep { !$_->{refusable} } @structure);
	is(scalar @without, 0, 'every measure is in a case') or diag(map { "$_\n" } @without,
		'Add it to bounds_case, or with delta to gaussian_case, in test/audit/Cases.pm; see test/audit/README.md.');

	# Queries of every shape.
	my $shapes    = audit($node, $library, \@structure, bases => $full ? undef : [qw(empty few all)]);
	report($shapes, 'queries of every shape are private');
	is_deeply(
		[ sort @{ $shapes->{refused} } ],
		[ sort map { $_->{name} } grep { $_->{refusable} } @structure ],
		'what cannot be private is refused');
	cmp_ok($shapes->{pairs}, '>', 2000, 'enough neighbours were looked at');

	# Every measure with all kinds of bounds; quick: epsilons and methods by turns.
	my @bounds;
	my $turn = 0;
	foreach my $bounds (BOUNDS)
	{
		my @epsilons = (EPSILONS);
		my @methods  = METHODS;
		foreach my $pair ($full ? map { my $e = $_; map { [ $e, $_ ] } @methods } @epsilons
			: [ $epsilons[ $turn % 4 ], $methods[ ($turn + int($turn / 4)) % 2 ] ])
		{
			push @bounds, bounds_case(@$bounds, @$pair);
		}
		$turn++;
	}
	my $extremes = audit($node, $library, \@bounds, bases => $full ? undef : [qw(empty few)]);
	report($extremes, 'measures with extreme bounds are private');
	cmp_ok($extremes->{pairs}, '>', 60 * @bounds * ($full ? 2 : 1), 'enough neighbours were looked at');

	# Measures that find their bounds; quick: with a few sets of rows only.
	my @rows  = (BOUNDS);
	my @found = (@found_few, map { found_case(@{ $rows[$_] }, (EPSILONS)[ $_ % 4 ]) } $full ? 0 .. $#rows : ());
	my $found = audit($node, $library, \@found, bases => $full ? undef : [qw(few)]);
	report($found, 'measures that find their bounds are private');
	cmp_ok($found->{pairs}, '>=', 31 * @found * ($full ? 3 : 1), 'enough neighbours were looked at');

	# Gaussian measures the same way, together and each by itself; quick: by turns.
	my @gaussian;
	$turn = 0;
	foreach my $bounds (BOUNDS)
	{
		my @methods = METHODS;
		foreach my $alone ($full ? (0, 1) : $turn % 2)
		{
			my @epsilons = $alone ? EPSILONS : GAUSSIAN_EPSILONS;
			my @deltas   = (DELTAS);
			my $pair     = int($turn / 2);
			foreach my $three ($full ? map { [ $epsilons[$_], $deltas[ ($pair + $_ + $alone) % 4 ], $methods[ ($pair + $_) % 2 ] ] } 0 .. 3
				: [ $epsilons[ $pair % 4 ], $deltas[ ($pair + int($pair / 4)) % 4 ], $methods[ ($pair + int($pair / 4)) % 2 ] ])
			{
				push @gaussian, gaussian_case(@$bounds, @$three, $alone);
			}
		}
		$turn++;
	}
	my $vectors = audit($node, $library, \@gaussian, bases => $full ? undef : [qw(few)]);
	report($vectors, 'Gaussian measures with extreme bounds are private');
	cmp_ok($vectors->{pairs}, '>', 30 * @gaussian * ($full ? 4 : 1), 'enough neighbours were looked at');

	# Measures side by side; quick: some of the pairs and triples.
	my @combinations = combination_cases();
	@combinations = @combinations[ grep { $_ % 61 == 0 } 0 .. $#combinations ] if !$full;
	my $together = audit($node, $library, \@combinations, bases => [qw(few)]);
	report($together, 'pairs and triples of measures in one release are private');
	cmp_ok($together->{pairs}, '>=', 30 * @combinations, 'enough neighbours were looked at');
	fact('white', split(/\t/), @{ $seen{$_} }{qw(pairs from to left)}) foreach sort keys %seen;
	return;
}

shipped_library() if part('white');

# Mutants, over fewer cases.
my @few = (
	bounds_case(17, 90, 0.1, 'joint'), bounds_case(-90, 17, 1 / 3, 'split'),
	bounds_case(-90, -17, 1 / 3, 'joint'), bounds_case(0.1, 0.3, 20, 'joint'),
	gaussian_case(17, 90, 0.1, 1e-6, 'joint', 0), gaussian_case(-90, 17, 1 / 3, 1.25e-7, 'split', 1));
foreach my $mutant (mutants('mutants'))
{
	next unless wanted($mutant);
	my $patched = eval { build_mutant($mutant, $library, $flags) };
	if (!$patched)
	{
		fail("$mutant->{name}: $@");
		next;
	}
	my @first   = grep { $_->{name} eq ($mutant->{first} // '') } @structure, @found_few;
	my $result  = audit($node, $patched, [ @first, @few, @structure ], bases => [qw(empty few)], first => 1);
	my @checks  = uniq map { $_->[0] } @{ $result->{violations} };
	my $found   = join ', ', @checks;
	ok(scalar(grep { my $check = $_; grep { $_ eq $check } @checks } @{ $mutant->{caught} }),
		"$mutant->{name} is caught by @{$mutant->{caught}}: $mutant->{what}")
	  or diag("checks: $found", map { "\n" . substr(join(' | ', @$_), 0, 1000) } grep { $_ } @{ $result->{violations} }[ 0 .. 2 ]);
	note("$mutant->{name}: $found; executions until then: $result->{evaluations}");
	fact('mutant', @$mutant{qw(name what)}, 'white box', $found);
}

done_testing();
