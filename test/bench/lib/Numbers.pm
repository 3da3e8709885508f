# Numbers.pm
#	  Medians and intervals of what was measured, and answers against exact ones.
#
package Numbers;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(sum0);

our @EXPORT_OK = qw(check_answer median interval ms);

# The answers are checked up to noise and clipping of the last digits.
use constant TOLERANCE => 0.01;

# The private answer must be the exact one up to noise: the last column, summed over all rows.
sub check_answer
{
	my ($label, $answer, $expected) = @_;
	my ($is, $should) = map { last_column_sum($_) } ($answer, $expected);

	die "$label: $is is not near $should\n" unless abs($is - $should) <= TOLERANCE * abs($should);
}

# Of the rows that psql shows.
sub last_column_sum
{
	return sum0(map { (split /\|/)[-1] } split /\n/, $_[0]);
}

sub median
{
	my @sorted = sort { $a <=> $b } @_;

	return ($sorted[ $#sorted / 2 ] + $sorted[ @sorted / 2 ]) / 2;
}

# An interval for the median that holds in 95 % of cases, whatever the distribution: the k-th smallest to the k-th
# largest value, k the largest for which a binomial(n, 1/2) is below k in at most 2.5 % of cases.
sub interval
{
	my @sorted = sort { $a <=> $b } @_;
	my $n      = @sorted;
	my $log    = -$n * log(2);    # of the probability of exactly k values below the median
	my ($k, $below) = (0, exp($log));

	while ($below <= 0.025)
	{
		$k++;
		$log += log(($n - $k + 1) / $k);
		$below += exp($log);
	}
	die "too few values for an interval\n" if $k == 0;
	return ($sorted[ $k - 1 ], $sorted[ $n - $k ]);
}

sub ms
{
	return sprintf($_[0] < 10 ? '%.3f' : '%.1f', $_[0]);
}

1;
