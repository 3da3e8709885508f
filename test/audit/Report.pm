# Report.pm
#	  What an audit is asked to do, and what it found, for the report of test/run-audit.
#
# DPRIV_AUDIT has words: full (else the size of `make test`), and the parts white, black, mutants (none named: all).  With full,
# or if mutants are named without the word quick, all of them are tried, else those of the quick suite.  Facts are lines of tab-separated fields appended to DPRIV_AUDIT_FACTS:
#   white   measure, noise, pairs of neighbours, smallest and largest charge, smallest part of the charge that was left
#   black   case, measures or mechanism, epsilon, delta, lower bound of epsilon, runs, its kind (release, draw)
#   whole   grouped release, epsilon, delta, largest delta that was found
#   mutant  name, what is wrong, the audit that looked, the checks that found it or nothing
#   chance  what may fail by chance, how probable that is
#
package Report;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(fact full part wanted);

my %word = map { $_ => 1 } split ' ', $ENV{DPRIV_AUDIT} // '';

sub full
{
	return $word{full};
}

# Whether a part is asked for.
sub part
{
	my ($part) = @_;
	return $word{$part} || !grep { $word{$_} } qw(white black mutants);
}

# Whether a mutant is.
sub wanted
{
	my ($mutant) = @_;
	return part('mutants') && ($mutant->{quick} || $word{full} || $word{mutants} && !$word{quick});
}

sub fact
{
	my @fields = @_;
	my $file = $ENV{DPRIV_AUDIT_FACTS} // return;
	open my $out, '>>', $file or die "$file: $!\n";
	print {$out} join("\t", map { defined $_ ? s/[\t\n]+/ /gr : '' } @fields), "\n";
	close $out or die "$file: $!\n";
	return;
}

1;
