#
# 090_noninterference.pl
#	  Non-interference: where everything released is a constant, no statement of a restricted role tells two databases apart
#	  that differ in one unit.
#
# A build with -DDPRIV_CONSTANT (src/mechanism/constant.h) runs on two servers that are file copies of each other. Random scripts go
# to both in lockstep, and every byte that comes back is compared: answers, messages, errors, notices, what was charged. First the
# copies are identical, then one unit is taken out of one of them. Then a role that may see rows has to find the difference at once.
#
# DPRIV_NONINTERFERENCE=full, which is test/long/90_noninterference.sh: many more scripts, and planted leaks that must be found.
# DPRIV_SEED: other scripts. DPRIV_SCRIPTS: another number of them. What is left out of the scripts, and why: Open.pm.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../noninterference", "$FindBin::Bin/../audit";
use Test::More;

use Grammar;
use Run qw(run);
use Twins;
use Variant qw(build_library build_mutant mutants);

use constant LEAST_RELEASES => 0.3;
use constant MOST_UNSURE    => 0.01;

my $full    = ($ENV{DPRIV_NONINTERFERENCE} // '') eq 'full';
my $seed    = $ENV{DPRIV_SEED} // ($full ? time % 1_000_000 : 1);
my $scripts = $ENV{DPRIV_SCRIPTS} // ($full ? 100_000 : 2000);
my $flags   = '-DDPRIV_CONSTANT';
my $library = build_library('constant', $flags);

$SIG{INT} = $SIG{TERM} = $SIG{HUP} = sub { exit 130 };
diag("seed $seed");
my $twins   = Twins->new($library);
my $grammar = Grammar->new($seed, $twins->admin(0, Grammar::catalog()));

sub nothing_differs
{
	my ($what, $from, $to) = @_;
	my $result = run($twins, $grammar, $from, $to);

	is(scalar @{ $result->{differences} }, 0, "$what: no difference") or diag("seed $seed, ", @{ $result->{differences} });
	my %states = %{ $result->{states} };
	note("$what: $result->{scripts} scripts, $result->{paid} reach a release, $result->{unsure} cannot be compared; ",
		join ', ', map { "$_ $states{$_}" } sort { $states{$b} <=> $states{$a} } keys %states);
	return $result;
}

nothing_differs('identical servers', 1, $scripts / 10);
$twins->part;
my $apart = nothing_differs('one unit apart', 1, $scripts);
cmp_ok($apart->{paid}, '>=', LEAST_RELEASES * $apart->{scripts}, 'enough scripts reach a release');
cmp_ok($apart->{unsure}, '<=', MOST_UNSURE * $apart->{scripts}, 'time and memory seldom decide');

# The same scripts, where rows may be seen.
$twins->as('reader');
my $result = run($twins, $grammar, 1, 100, stop => 100, as_found => 1);
cmp_ok(scalar @{ $result->{differences} }, '>=', 10, 'a trusted role tells them apart');
note(scalar(@{ $result->{differences} }), " of $result->{scripts} scripts of a trusted role differ");

# Planted leaks.
foreach my $leak ($full ? mutants('../noninterference/leaks') : ())
{
	my $patched = eval { build_mutant($leak, $library, $flags) };
	if (!$patched)
	{
		fail("$leak->{name}: $@");
		next;
	}
	$twins->remove;
	$twins = Twins->new($patched);
	$twins->part;
	$result = run($twins, $grammar, 1, 10_000);
	ok(scalar @{ $result->{differences} }, "$leak->{name} is found: $leak->{what}");
	note("$leak->{name}: after $result->{scripts} scripts: ", @{ $result->{differences} });
}

done_testing();
