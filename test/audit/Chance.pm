# Chance.pm
#	  Probabilities that the statistical tests compare with: tails, exact binomial bounds, the discrete Laplace
#	  distribution, Gaussian noise on whole steps.
#
package Chance;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min);
use POSIX qw(ceil erfc exp floor log expm1 lgamma log1p);

our @EXPORT_OK = qw(binomial_below binomial_above proportion_low proportion_high chi_square_above normal_beyond
  laplace_cdf laplace_variance laplace_within mean_bound spread_bound
  normal_cdf gaussian_cdf gaussian_variance gaussian_within);

use constant { TERMS => 10_000, PRECISION => 1e-15, TINY => 1e-300, HALVINGS => 100 };

# Regularised incomplete beta function I_x(a, b) by its continued fraction (Lentz).
sub incomplete_beta
{
	my ($x, $a, $b) = @_;
	return 0 if $x <= 0;
	return 1 if $x >= 1;
	return 1 - incomplete_beta(1 - $x, $b, $a) if $x > ($a + 1) / ($a + $b + 2);

	my $front = exp(lgamma($a + $b) - lgamma($a) - lgamma($b) + $a * log($x) + $b * log1p(-$x)) / $a;
	my ($c, $d) = (1, 1 - ($a + $b) * $x / ($a + 1));
	$d = 1 / (abs($d) < TINY ? TINY : $d);
	my $result = $d;
	for my $m (1 .. TERMS)
	{
		foreach my $factor (
			$m * ($b - $m) * $x / (($a + 2 * $m - 1) * ($a + 2 * $m)),
			-($a + $m) * ($a + $b + $m) * $x / (($a + 2 * $m) * ($a + 2 * $m + 1)))
		{
			$d = 1 + $factor * $d;
			$d = 1 / (abs($d) < TINY ? TINY : $d);
			$c = 1 + $factor / $c;
			$c = TINY if abs($c) < TINY;
			$result *= $c * $d;
			return $front * $result if abs($c * $d - 1) < PRECISION && $factor < 0;
		}
	}
	die "the continued fraction did not converge";
}

# P[X <= k] and P[X >= k] for X binomial(n, p).
sub binomial_below
{
	my ($k, $n, $p) = @_;
	return $k < 0 ? 0 : $k >= $n ? 1 : incomplete_beta(1 - $p, $n - $k, $k + 1);
}

sub binomial_above
{
	my ($k, $n, $p) = @_;
	return $k <= 0 ? 1 : $k > $n ? 0 : incomplete_beta($p, $k, $n - $k + 1);
}

# Clopper-Pearson: bounds that the true proportion passes with probability at most alpha each.
sub proportion_low
{
	my ($k, $n, $alpha) = @_;
	my ($low, $high) = (0, $k / $n);
	for (1 .. HALVINGS)
	{
		my $p = ($low + $high) / 2;
		if (binomial_above($k, $n, $p) < $alpha) { $low = $p }
		else                                     { $high = $p }
	}
	return $low;
}

sub proportion_high
{
	my ($k, $n, $alpha) = @_;
	return 1 - proportion_low($n - $k, $n, $alpha);
}

# P[chi-square with this many degrees of freedom > x].
sub chi_square_above
{
	my ($x, $freedom) = @_;
	my ($a, $z) = ($freedom / 2, $x / 2);
	return 1 if $z <= 0;
	my $front = exp(-$z + $a * log($z) - lgamma($a));
	if ($z < $a + 1)
	{
		my ($term, $sum, $n) = (1 / $a, 1 / $a, $a);
		do { $n++; $term *= $z / $n; $sum += $term } while $term > $sum * PRECISION;
		return 1 - $front * $sum;
	}
	my $b = $z + 1 - $a;
	my $c = 1 / TINY;
	my $d = 1 / $b;
	my $h = $d;
	for my $i (1 .. TERMS)
	{
		my $factor = -$i * ($i - $a);
		$b += 2;
		$d = $factor * $d + $b;
		$d = 1 / (abs($d) < TINY ? TINY : $d);
		$c = $b + $factor / $c;
		$c = TINY if abs($c) < TINY;
		$h *= $c * $d;
		last if abs($c * $d - 1) < PRECISION;
	}
	return $front * $h;
}

# P[|standard normal| > x].
sub normal_beyond
{
	my ($x) = @_;
	return erfc($x / sqrt(2));
}

# The discrete Laplace distribution of this scale: t = exp(-1 / scale), P[X = x] = (1 - t) / (1 + t) t^|x|.

sub laplace_cdf
{
	my ($x, $scale) = @_;
	my $k = floor($x);
	my $whole = 1 + exp(-1 / $scale);
	return $k < 0 ? exp($k / $scale) / $whole : 1 - exp(-($k + 1) / $scale) / $whole;
}

sub laplace_variance
{
	my ($scale) = @_;
	return 2 * exp(-1 / $scale) / expm1(-1 / $scale)**2;
}

# P[|X| <= k].
sub laplace_within
{
	my ($k, $scale) = @_;
	return 1 - 2 * exp(-(floor($k) + 1) / $scale) / (1 + exp(-1 / $scale));
}

sub normal_cdf
{
	my ($x) = @_;
	return erfc(-$x / sqrt(2)) / 2;
}

# Gaussian noise on whole steps: single, the discrete Gaussian; else continuous noise, rounded.  The former from 100
# steps on like the latter, but for a relative 1 / (24 sigma^2).
my %discrete;

sub discrete
{
	my ($sigma) = @_;
	return $discrete{$sigma} //= do
	{
		my $reach  = ceil(12 * $sigma);
		my @weight = map { exp(-$_**2 / 2 / $sigma**2) } -$reach .. $reach;
		my ($mass, $sum) = (0, 0);
		$mass += $_ foreach @weight;
		{ reach => $reach, cdf => [ map { $sum += $_ / $mass } @weight ] };
	};
}

sub gaussian_cdf
{
	my ($x, $sigma, $single) = @_;
	my $k = floor($x);
	return normal_cdf(($k + 0.5) / $sigma) if !$single || $sigma >= 100;
	my $table = discrete($sigma);
	return $k < -$table->{reach} ? 0 : $k > $table->{reach} ? 1 : $table->{cdf}[ $k + $table->{reach} ];
}

sub gaussian_variance
{
	my ($sigma, $single) = @_;
	return $sigma**2 + ($single ? 0 : 1 / 12) if $sigma >= 100;
	my $variance = 0;
	foreach my $k (1 .. ceil(12 * $sigma))
	{
		$variance += 2 * $k**2 * (gaussian_cdf(-$k, $sigma, $single) - gaussian_cdf(-$k - 1, $sigma, $single));
	}
	return $variance;
}

# P[|X| <= k].
sub gaussian_within
{
	my ($k, $sigma, $single) = @_;
	return 1 - 2 * gaussian_cdf(-floor($k) - 1, $sigma, $single);
}

# Smallest value of a function of one variable that falls and then rises.
sub smallest
{
	my ($f, $low, $high) = @_;
	for (1 .. HALVINGS)
	{
		my ($a, $b) = ($low + ($high - $low) * 0.382, $low + ($high - $low) * 0.618);
		if ($f->($a) < $f->($b)) { $high = $b }
		else                     { $low = $a }
	}
	return $f->(($low + $high) / 2);
}

# Chernoff's bounds for n draws: at least the probability that their sum is as far from 0 as this one, on this
# side, and that the sum of their absolute values is as far from its expectation as this one, on this side.  With
# u = theta * scale, E exp(theta |X|) = (1 - t) / (1 + t) (1 + t e^theta) / (1 - t e^theta).
sub mean_bound
{
	my ($sum, $n, $scale) = @_;
	my $log_moment = sub {
		my ($u) = @_;
		return 2 * log(-expm1(-1 / $scale)) - log(-expm1(($u - 1) / $scale)) - log(-expm1((-$u - 1) / $scale));
	};
	my $distance = abs($sum) / $scale;
	return min(1, exp(smallest(sub { $n * $log_moment->($_[0]) - $_[0] * $distance }, 0, 1 - 1e-9)));
}

sub spread_bound
{
	my ($sum, $n, $scale) = @_;
	my $log_moment = sub {
		my ($u) = @_;
		return log(-expm1(-1 / $scale)) - log1p(exp(-1 / $scale)) + log1p(exp(($u - 1) / $scale))
		  - log(-expm1(($u - 1) / $scale));
	};
	my $t        = exp(-1 / $scale);
	my $expected = -2 * $t / expm1(-2 / $scale);
	my $distance = $sum / $scale;
	my ($low, $high) = $sum >= $n * $expected ? (0, 1 - 1e-9) : (-1000, 0);
	return min(1, exp(smallest(sub { $n * $log_moment->($_[0]) - $_[0] * $distance }, $low, $high)));
}

1;
