# Audit.pm
#	  The white-box audit: run cases on neighbouring tables and check what was drawn, for what charge.
#
# Neighbours differ in one row.  For every pair and every measure, over all components of all groups, the sum of
# |difference of exact values| / noise scale must not exceed what the measure was charged: then the release is
# private, because noise of the discrete Laplace distribution with scale s hides a difference d at a loss of d / s,
# and losses of independent draws add up.  Everything is compared in integers.
#
# A violation has a check:
#   loss        a measure loses more than its charge
#   charge      the statement cost something else than its measures together
#   scale       a noise scale is not sensitivity / share of epsilon
#   parameters  what was drawn, or a parameter of the noise, differs between neighbours
#   rows        keys, number, order or NULLs of the released rows differ between neighbours
#   answers     an answer is not computed from the noisy components alone
#   reach       no neighbours reach the sensitivity: it is too large, or the audit looks at the wrong rows
#   refused     something was accepted that has to be refused
#   error       a statement failed
#
package Audit;

use strict;
use warnings;

use Exporter qw(import);
use JSON::PP qw(decode_json);
use List::Util qw(max min);
use Math::BigInt;
use Cases qw(universe);
use Variant qw(preamble script);

our @EXPORT_OK = qw(audit);

# Epsilon in units of 1e-12.  The session's total is a double: below this many, every unit of it is exact.
use constant UNITS             => 1_000_000_000_000;
use constant SESSION_EPSILON   => 4096;
use constant NATIVE_DIGITS     => 17;
use constant ANSWER_TOLERANCE  => 1e-14;

# Audit the cases with this library.  Options: first (stop at the first violation), bases (names).  Returns
# { violations => [[check, case, text]...], evaluations, pairs, refused => [names] }.
sub audit
{
	my ($node, $library, $cases, %option) = @_;
	my %result = (violations => [], evaluations => 0, pairs => 0, refused => []);
	my $bounds = '';
	my $rows;

	foreach my $case (@$cases)
	{
		if ($bounds ne "$case->{lower} $case->{upper}")
		{
			(my $sql, $rows) = universe($case->{lower}, $case->{upper});
			my ($status, $out, $err) = script($node, $library, $sql);
			die "could not fill the universe: $err" if $status;
			$bounds = "$case->{lower} $case->{upper}";
		}
		audit_case($node, $library, $case, $rows, \%result, $option{bases} // [qw(empty one few all)]);
		last if $option{first} && @{ $result{violations} };
	}
	return \%result;
}

# Ids of the rows in a starting table.  "few" is different for each case, but always the same for a case.
sub base_rows
{
	my ($base, $case, $rows) = @_;
	return ()         if $base eq 'empty';
	return (1)        if $base eq 'one';
	return 1 .. $rows if $base eq 'all';
	my $seed = unpack('%32C*', "$case->{name} $base");
	return map { $seed = ($seed * 1103515245 + 12345) % 2**31; 1 + ($seed >> 8) % $rows } 1 .. 8;
}

sub audit_case
{
	my ($node, $library, $case, $rows, $result, $bases) = @_;
	my %wanted = map { $_ => 1 } @{ $case->{bases} // $bases };
	my @bases  = grep { $wanted{$_} } @$bases;
	my $chunk  = max(1, int(SESSION_EPSILON / 2 / $case->{cost}));
	my $start  = $case->{settings} // '';
	my $sql    = $start;
	my $spent  = 0;

	foreach my $base (@bases)
	{
		my @left = (0 .. $rows);
		$sql .= sprintf("SELECT set_rows('{%s}') IS NULL;\n", join ',', base_rows($base, $case, $rows));
		while (@left)
		{
			if ($spent >= $chunk)
			{
				$sql .= "\\connect\n" . preamble($library) . $start;
				$spent = 0;
			}
			my @now = splice @left, 0, $chunk - $spent;
			$spent += @now;
			$sql .= sprintf("SELECT '%s', neighbour, shapes, cost, replace(answers, E'\\n', '|'), replace(draws, E'\\n', '|') "
				  . "FROM probe_neighbours(\$query\$%s\$query\$, '{%s}');\n",
				$base, $case->{query}, join ',', @now);
		}
	}

	my ($status, $out, $err) = script($node, $library, $sql);
	my @observed = map { observation($_) } grep { /~/ } split /\n/, $out;
	my $complain = sub { push @{ $result->{violations} }, [ $_[0], $case->{name}, $_[1] ] };
	if ($status != 0)
	{
		if ($case->{refusable} && !@observed && $err =~ /HINT:/)
		{
			push @{ $result->{refused} }, $case->{name};
			return;
		}
		$complain->('error', $err);
		return if !@observed;
	}

	my %base;
	my %reached;
	foreach my $now (@observed)
	{
		$result->{evaluations}++;
		check_alone($case, $now, $complain);
		$base{ $now->{base} } //= $now;
		next if $now == $base{ $now->{base} };
		$result->{pairs}++;
		check_pair($case, $base{ $now->{base} }, $now, $complain, \%reached);
	}
	foreach my $measure (@{ $case->{reaches} // [] })
	{
		$complain->('reach', "measure $measure") if !$reached{$measure} && $status == 0;
	}
	$complain->('refused', $case->{query}) if $case->{refusable};
}

# One execution: what psql printed, as a hash.
sub observation
{
	my ($line) = @_;
	my %seen;
	@seen{qw(base neighbour shapes cost answers draws)} = split /~/, $line, -1;
	$seen{draws} = [
		map {
			my %draw;
			@draw{qw(measure number name component exact noisy sensitivity share num den charge exponent)} = split /\t/;
			\%draw;
		} split /\|/, $seen{draws} ];
	return \%seen;
}

sub big { return Math::BigInt->new($_[0]) }

# Products that come again and again.
my %scale_is_right;

sub check_alone
{
	my ($case, $now, $complain) = @_;
	my %charge;

	foreach my $draw (@{ $now->{draws} })
	{
		my $scale = join ' ', @$draw{qw(sensitivity share num den)};
		$scale_is_right{$scale} //=
		  big($draw->{num}) * $draw->{share} == big($draw->{sensitivity}) * UNITS * $draw->{den} ? 1 : 0;
		$complain->('scale', "$draw->{name}: $scale") if !$scale_is_right{$scale};
		$charge{ $draw->{measure} } = $draw->{charge};
	}

	my $cost  = big(sprintf('%.0f', $now->{cost} * UNITS));
	my $drawn = big(0);
	$drawn += $_ foreach values %charge;
	if    ($case->{free})   { $complain->('charge', "a free query cost $cost units")              if $cost != 0 }
	elsif ($case->{unread}) { $complain->('charge', "cost $cost units, drew $drawn")              if $cost < $drawn }
	else                    { $complain->('charge', "cost $cost units, drew for $drawn units")    if $cost != $drawn }

	# Decoding is slow, and enough has been seen after a few rows.
	check_answers($case, $now, $complain) if $case->{answers} && $now->{neighbour} < 3;
}

# The answers again, from the noisy components.
sub check_answers
{
	my ($case, $now, $complain) = @_;
	my ($text) = split /\|/, $now->{answers};
	my $answer = decode_json($text);
	my %noisy;
	my %name;

	foreach my $draw (@{ $now->{draws} })
	{
		push @{ $noisy{ $draw->{measure} } }, $draw->{noisy};
		$name{ $draw->{measure} } = $draw;
	}
	$complain->('answers', 'number of columns') if keys %noisy != keys %$answer;
	foreach my $measure (sort { $a <=> $b } keys %noisy)
	{
		my $value    = $answer->{ sprintf 'm%02d', $measure + 1 };
		my @part     = @{ $noisy{$measure} };
		my $name     = $name{$measure}{name};
		my $step     = 2**$name{$measure}{exponent};
		my ($lower, $upper) = @$case{qw(lower upper)};
		my @expected = @part;
		my @answered = ref $value ? map { $_->{count} } @$value : ($value // 'NaN');
		if ($name eq 'dp_sum_clipped') { @expected = ($part[0] * $step) }
		elsif ($name eq 'dp_avg')
		{
			my $split  = $case->{method} eq 'split';
			my $number = $split ? $part[1] : (big($part[0]) + $part[1])->numify;
			my $mean =
			    $number <= 0 ? $lower + ($upper - $lower) / 2
			  : $split       ? $part[0] * $step / $number
			  :                $lower + ($upper - $lower) * ($part[0] / $number);
			@expected = (max($lower, min($upper, $mean)));
		}
		elsif ($name eq 'dp_variance' || $name eq 'dp_stddev')
		{
			my ($below, $above, $middle) = map { big($_)->numify } @part;
			my $number = $below + $above + 2 * $middle;
			my $half   = ($upper - $lower) / 2;
			my $mean   = $number > 0 ? ($above - $below) / $number : undef;
			my $spread = $number > 0 ? max(0, min(1, ($below + $above) / $number - $mean * $mean)) : 1 / 3;

			# In units of the largest variance: digits that the subtraction loses are lost here too, but others.
			@expected = (1 + $spread);
			@answered = (1 + ($name eq 'dp_variance' ? $value / $half / $half : ($value / $half)**2));
		}
		my $same = @expected == @answered;
		for my $i (0 .. $#expected)
		{
			last if !$same;
			$same = abs($expected[$i] - $answered[$i]) <= ANSWER_TOLERANCE * max(abs $expected[$i], abs $answered[$i]);
		}
		$complain->('answers', "$name: @answered instead of @expected") if !$same;
	}
}

sub difference
{
	my ($x, $y) = @_;
	return '0' if $x eq $y;
	return abs($x - $y) if length($x) <= NATIVE_DIGITS && length($y) <= NATIVE_DIGITS;
	return (big($x) - $y)->babs;
}

# The parameters of the noise, in the order of the draws.
sub parameters
{
	my ($now) = @_;
	return $now->{parameters} //= join ' ', map {
		join ',', @$_{qw(measure number name component sensitivity share num den charge exponent)}
	} @{ $now->{draws} };
}

sub check_pair
{
	my ($case, $one, $other, $complain, $reached) = @_;
	my $where = "rows $one->{base}, neighbour $other->{neighbour}";
	my %distance;

	$complain->('rows', "$where: $one->{shapes} and $other->{shapes}") if $one->{shapes} ne $other->{shapes};
	if (parameters($one) ne parameters($other))
	{
		$complain->('parameters', $where);
		return;
	}

	# Sum of the differences by measure and noise scale: {measure}{"num den"} = [distance, draw].
	foreach my $i (0 .. $#{ $one->{draws} })
	{
		my ($a, $b) = ($one->{draws}[$i], $other->{draws}[$i]);
		my $sum = $distance{ $a->{measure} }{"$a->{num} $a->{den}"} //= [ 0, $a ];
		my $difference = difference($a->{exact}, $b->{exact});
		$sum->[0] = ref $difference || ref $sum->[0] || $difference >= 2**62 || $sum->[0] >= 2**62
		  ? big("$sum->[0]") + $difference : $sum->[0] + $difference;
	}
	foreach my $measure (keys %distance)
	{
		my @parts = values %{ $distance{$measure} };
		my ($loss, $allowed, $full) = loss(@parts);
		$complain->('loss', "$where: $parts[0][1]{name} (measure $measure) at "
			  . join(' and ', map { "distance $_->[0], sensitivity $_->[1]{sensitivity}, share $_->[1]{share}" } @parts)
			  . ", charge $parts[0][1]{charge}")
		  if $loss > $allowed || $case->{free} && $loss > 0;
		$reached->{$measure} = 1 if $loss >= $full;
	}
}

# Loss of parts [distance, draw], what the charge allows, and what the shares add up to: integers with the product
# of all numerators as common denominator.
sub loss
{
	my @parts = @_;
	my ($loss, $full) = (big(0), big(0));
	my $common = big(1);
	$common *= $_->[1]{num} foreach @parts;
	foreach my $part (@parts)
	{
		my $draw = $part->[1];
		$loss += $common / $draw->{num} * $draw->{den} * "$part->[0]" * UNITS;
		$full += $common * $draw->{share};
	}
	return ($loss, $common * $parts[0][1]{charge}, $full);
}

1;
