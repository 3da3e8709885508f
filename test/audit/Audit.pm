# Audit.pm
#	  The white-box audit: run cases on neighbouring tables and check what was drawn, for what charge.
#
# Neighbours differ in one row.  For every pair and every measure, over all components of all groups, the sum of
# |difference of exact values| / noise scale must not exceed what the measure was charged: then the release is
# private, because noise of the discrete Laplace distribution with scale s hides a difference d at a loss of d / s,
# and losses of independent draws add up.  A choice by permute-and-flip hides changes of scores between l and u at a
# loss of (u - l) / s, if neighbours have made the same choices before.  Everything is compared in integers.
#
# The first number below a limit hides, if all numbers move by d_i >= 0 and the limit has noise of scale s and they of scale
# r, the larger one of d_k / r and c / s + max(0, c - d_k) / r, where k is the answer and c the largest of the d_i before
# it: the table with more loses the second, the other one the first.  All answers are looked at.
#
# Noise that follows the rows hides a component that moves by no more than either smooth sensitivity, if these are within
# e^beta of each other.  Its delta is integrated over continuous noise of both scales, in both directions.
#
# A value that is published if its distance and noise reach a threshold: if neighbours have the same one, their distances differ
# by 1 at most, as a count would; if not, both distances are 1, and the probability to reach the threshold is at most the part of
# delta that the test has.
#
# For choices among few cells the probabilities of all cells are computed too, and compared.
#
# Gaussian noise is one vector for each release.  With s = sum of (difference / standard deviation)^2 over its measures,
# components and groups, dpriv.gaussian_epsilon(sqrt(s), 1, D) must not exceed E: the charges of these measures
# together, where D is less by what rounding costs.  A release with a single number has noise from the integers, and
# its delta is the sum of max(0, P[y] - e^E P[y + difference]) over all integers y.  Here doubles are compared, with a
# tolerance of TOLERANCE.  Delta is charged exactly.
#
# A violation has a check:
#   loss        a measure loses more than its charge
#   charge      the statement cost something else than its measures together
#   law         the probability of a choice, times those before it, changes by more than the charge allows
#   scale       a noise scale is not sensitivity / share of epsilon; Gaussian noise is not the least that is private,
#               not shared out by epsilon, or not what is reported
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
use List::Util qw(max min sum0 uniq);
use Math::BigFloat;
use Math::BigInt;
use POSIX qw(ceil floor);
use Cases qw(universe);
use Variant qw(preamble script);

our @EXPORT_OK = qw(audit);

# Epsilon in units of 1e-12.  The session's total is a double: below this many, every unit of it is exact.
use constant UNITS             => 1_000_000_000_000;
use constant SESSION_EPSILON   => 4096;
use constant NATIVE_DIGITS     => 17;

# What doubles cannot tell from equality; how many answers are kept.
use constant CLOSE             => 1e-9;
use constant KEPT              => 200_000;
use constant ANSWER_TOLERANCE  => 1e-14;
use constant FOUND_TOLERANCE   => 1e-9;           # digits that a variance loses
use constant FOUND_CELLS       => 128;

# Choices among at most this many cells are computed.  LAW_NODES of Gauss's rule are exact up to LAW_EXACT cells.
use constant LAW_CELLS         => 20_000;
use constant LAW_EXACT         => 64;
use constant LAW_NODES         => 36;
use constant LAW_PANELS        => 8;
use constant LAW_TOLERANCE     => 1e-11;

# Gaussian noise: relative tolerances of losses and of noise that is not needed; the standard deviation in fine steps
# from which rounding costs what it may; up to which deviation the integers are summed one by one (beyond, continuous
# noise has the same delta but for a relative 9 / deviation^2).
use constant DELTA_UNITS       => 36;             # decimals
use constant TOLERANCE         => 1e-9;
use constant WASTE             => 1e-5;
use constant FINE_DEVIATION    => 2**52;
use constant SUMMED_DEVIATION  => 2**13;
use constant SUMMED_TOLERANCE  => 2e-7;

# From this scale on, in steps, discrete noise is taken for continuous.
use constant LEAST_SMOOTH_SCALE => 4096;

# Audit the cases with this library.  Options: first (stop at the first violation), bases (names).  Returns
# { violations => [[check, case, text]...], evaluations, pairs, refused => [names], seen }; seen has for "NAME\tNOISE" (laplace,
# gaussian in a vector, discrete gaussian, choice by scores, law of choices) how many pairs were compared, the smallest and
# the largest charge, and the smallest part of the charge (discrete gaussian: of delta) that was left.
sub audit
{
	my ($node, $library, $cases, %option) = @_;
	my %result = (violations => [], evaluations => 0, pairs => 0, refused => [], seen => {});
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
			$sql .= sprintf("SELECT '%s', neighbour, shapes, cost, delta, replace(answers, E'\\n', '|'), replace(draws, E'\\n', '|') "
				  . "FROM probe_neighbours(\$query\$%s\$query\$, '{%s}');\n",
				$base, $case->{query}, join ',', @now);
		}
	}

	my ($status, $out, $err) = script($node, $library, $sql);
	my @observed = grep { /~/ } split /\n/, $out;
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
	my %vectors;
	my $pairs = 0;
	foreach my $line (@observed)
	{
		my $now = observation($line);
		$result->{evaluations}++;
		check_alone($case, $now, $complain);
		%vectors = vectors($now) if !%vectors;
		$base{ $now->{base} } //= $now;
		next if $now == $base{ $now->{base} };
		$result->{pairs}++;
		check_pair($case, $base{ $now->{base} }, $now, $complain, \%reached, $result->{seen});
		$pairs++;
	}
	check_vectors($node, $library, \%vectors, \%reached, $complain, $pairs, $result->{seen}) if %vectors;
	foreach my $measure (@{ $case->{reaches} // [] })
	{
		$complain->('reach', "measure $measure") if !$reached{$measure} && $status == 0;
	}
	$complain->('refused', $case->{query}) if $case->{refusable};
}

# The runs of cells of a choice, and how many cells they have.
my %choice;

sub choice
{
	my ($scores) = @_;
	my @runs = map { [ split /\*/ ] } split / /, $scores;
	return [ \@runs, sum0(map { $_->[1] } @runs) ];
}

# One execution: what psql printed, as a hash.
sub observation
{
	my ($line) = @_;
	my %seen;
	@seen{qw(base neighbour shapes cost delta answers draws)} = split /~/, $line, -1;
	$seen{draws} = [
		map {
			my %draw;
			@draw{qw(measure number name component exact noisy sensitivity share num den charge exponent
				  release noise delta fine sigma runs)} = split /\t/;
			if ($draw{noise} eq 'first')
			{
				($draw{limit}, @{ $draw{queries} }) = split / /, $draw{runs};
				$draw{cells} = 0;
			}
			$draw{value} = delete $draw{runs} if $draw{noise} eq 'test';
			$draw{smooth} = delete $draw{runs} if $draw{noise} eq 'smooth';
			if ($draw{noise} eq 'choice')
			{
				my $choice = $choice{ $draw{runs} } //= choice($draw{runs});
				@draw{qw(scores runs cells)} = ($draw{runs}, @$choice);
			}
			\%draw;
		} split /\|/, $seen{draws} ];
	return \%seen;
}

sub big { return Math::BigInt->new($_[0]) }

# Questions in big integers that come again and again.
my (%scale_is_right, %judged, %delta_units, %units);

# Sum of deltas in units of 1e-36, of whole numbers of them or of decimals.
sub delta_units
{
	my ($decimals, @deltas) = @_;
	return $delta_units{"$decimals @deltas"} //= do
	{
		my $sum = Math::BigFloat->new(0);
		$sum += $_ foreach @deltas;
		$sum->blsft($decimals, 10)->bstr;
	};
}

sub check_alone
{
	my ($case, $now, $complain) = @_;
	my %charge;
	my %delta;

	foreach my $draw (@{ $now->{draws} })
	{
		$charge{ $draw->{measure} } = $draw->{charge};
		$delta{ $draw->{measure} }  = $draw->{delta};
		next if $draw->{noise} eq 'gaussian';
		if ($draw->{noise} eq 'test')
		{
			$complain->('scale', "$draw->{name}: scale $draw->{num} / $draw->{den}, share $draw->{share}")
			  if big($draw->{num}) * $draw->{share} != big(UNITS) * $draw->{den} || $draw->{share} * 2 > $draw->{charge};
			my $t = exp(-$draw->{share} / UNITS);
			my $passes = $t**($draw->{sigma} - 1) / (1 + $t);
			$complain->('loss', "$draw->{name}: passes with probability $passes at distance 1, of delta $draw->{delta}")
			  if $passes > $draw->{delta} / 10**DELTA_UNITS / 2 * (1 + TOLERANCE);
			next;
		}
		if ($draw->{noise} eq 'smooth')
		{
			$complain->('scale', "$draw->{name}: scale $draw->{smooth} / $draw->{num}") if $draw->{smooth} / $draw->{num} * UNITS < LEAST_SMOOTH_SCALE
			  || $draw->{num} * 2 > $draw->{share};
			next;
		}
		my $scale = join ' ', @$draw{qw(sensitivity share num den fine sigma)};
		$scale_is_right{$scale} //= $draw->{noise} eq 'first' ? first_scales_are_right($draw) : $draw->{cells} ? $draw->{num} == $draw->{share} && $draw->{den} == UNITS
		  : big($draw->{num}) * $draw->{share} == big($draw->{sensitivity}) * UNITS * $draw->{den} ? 1 : 0;
		$complain->('scale', "$draw->{name}: $scale") if !$scale_is_right{$scale};
	}

	# Far below 2^63.
	my $cost  = sprintf('%.0f', $now->{cost} * UNITS);
	my $drawn = sum0(values %charge);
	if    ($case->{free})   { $complain->('charge', "a free query cost $cost units")              if $cost != 0 }
	elsif ($case->{unread}) { $complain->('charge', "cost $cost units, drew $drawn")              if $cost < $drawn }
	else                    { $complain->('charge', "cost $cost units, drew for $drawn units")    if $cost != $drawn }

	my $cost_delta  = delta_units(DELTA_UNITS, $now->{delta});
	my $drawn_delta = delta_units(0, sort values %delta);
	if    ($case->{free})   { $complain->('charge', "a free query cost delta $now->{delta}")          if $cost_delta ne '0' }
	elsif ($case->{unread}) { $complain->('charge', "delta $now->{delta}, drew $drawn_delta units")   if big($cost_delta) < $drawn_delta }
	else                    { $complain->('charge', "delta $now->{delta}, drew for $drawn_delta units") if $cost_delta ne $drawn_delta }

	# Decoding is slow, and enough has been seen after a few rows.
	check_answers($case, $now, $complain) if $case->{answers} && $now->{neighbour} < 3;
}

# Of the two shares that the scales stand for, both are positive and all of epsilon together, but for rounding.
sub first_scales_are_right
{
	my ($draw) = @_;
	my ($limit, $query) = map { big($draw->{sensitivity}) * UNITS * $_->[1] / $_->[0] } [ $draw->{num}, big($draw->{den}) ],
	  [ $draw->{fine}, big($draw->{sigma}) ];
	return $limit > 0 && $query > 0 && $limit + $query == $draw->{share} ? 1 : 0;
}

# Largest loss of a first number below a limit over all answers, as a part of the charge; undef if the numbers do not move in
# one direction by the sensitivity at most.
sub first_loss
{
	my ($one, $other) = @_;
	my @change = map { (big($other->{queries}[$_]) - $one->{queries}[$_])->numify } 0 .. $#{ $one->{queries} };
	return undef if (grep { $_ < 0 } @change) && (grep { $_ > 0 } @change);
	@change = map { abs } @change;
	my $limit = big($one->{num})->numify / big($one->{den})->numify;
	my $query = $one->{fine} / $one->{sigma};
	my ($loss, $before) = (0, 0);
	foreach my $d (@change, undef)
	{
		$loss = max($loss, defined $d ? ($d / $query, $before / $limit + max(0, $before - $d) / $query) : $before / $limit);
		$before = max($before, $d // 0);
	}
	return $loss * UNITS / $one->{charge};
}

# The integral of max(0, p - e^epsilon q) for Laplace densities of these scales, with centres 0 and distance >= 0.  On each of
# three pieces the loss is a line and p an exponential.
sub laplace_delta
{
	my ($epsilon, $p, $q, $distance) = @_;
	my $delta = 0;
	my $far   = 800 * max($p, $q);
	foreach my $piece ([ -$far, 0 ], [ 0, $distance ], [ $distance, $distance + $far ])
	{
		my ($from, $to) = @$piece;
		next if $to <= $from;
		my $loss = sub { log($q / $p) + abs($_[0] - $distance) / $q - abs($_[0]) / $p - $epsilon };
		my ($low, $high) = map { $loss->($_) } $from, $to;
		next if $low <= 0 && $high <= 0;
		my $root = $from + ($to - $from) * ($low / ($low - $high || 1));
		$from = $root if $low < 0;
		$to   = $root if $high < 0;
		$delta += between($from, $to, 0, $p) - exp($epsilon) * between($from, $to, $distance, $q);
	}
	return $delta;
}

# Probability of an interval on one side of the centre.
sub between
{
	my ($from, $to, $centre, $scale) = @_;
	my @edges = sort { $a <=> $b } map { abs($_ - $centre) / $scale } $from, $to;
	return (exp(-$edges[0]) - exp(-$edges[1])) / 2;
}

# The answers again, from the noisy components.
sub check_answers
{
	my ($case, $now, $complain) = @_;
	my ($text) = split /\|/, $now->{answers};
	my $answer = decode_json($text);
	my %noisy;
	my %name;
	my %tests;

	foreach my $draw (@{ $now->{draws} })
	{
		push @{ $noisy{ $draw->{measure} } }, $draw->{noisy};
		push @{ $tests{ $draw->{measure} } }, $draw;
		$name{ $draw->{measure} } = $draw;
	}
	$complain->('answers', 'number of columns') if keys %noisy != keys %$answer;
	foreach my $measure (sort { $a <=> $b } keys %noisy)
	{
		my $value    = $answer->{ sprintf 'm%02d', $measure + 1 };
		my @part     = @{ $noisy{$measure} };
		my $name     = $name{$measure}{name};
		if ($name eq 'dp_iqr')
		{
			my ($grid, $bin) = (2, 0);
			($grid, $bin) = ($_, $tests{$measure}[$_]{value}) foreach grep { $part[$_] } reverse 0 .. $#part;
			my $expected = $grid == 2 ? undef : $bin == -100_000 ? 0 : 2**(($bin - 1.5 + $grid / 2) / 2);
			$complain->('answers', "$name: " . ($value // 'NULL') . ' instead of ' . ($expected // 'NULL'))
			  if defined $value != defined $expected || defined $value && abs($value - $expected) > ANSWER_TOLERANCE * $expected;
			next;
		}
		if ($name eq 'dp_median_smooth')
		{
			my $expected = smooth_value($case, $case->{measures}[$measure], big($part[0])->numify * 2**$name{$measure}{exponent});
			$complain->('answers', "$name: $value instead of $expected") if abs($value - $expected) > ANSWER_TOLERANCE * max(abs $expected, abs $case->{upper}, abs $case->{lower});
			next;
		}
		if ($name =~ /^dp_(?:median|quantile)/)
		{
			@part = recursion(@part) if $name eq 'dp_quantiles';
			my @values = map { leaf_value($case, $case->{measures}[$measure], $_) } @part;
			my @given  = ref $value ? @$value : $value;
			$complain->('answers', "$name: @given instead of @values")
			  if @given != @values || grep { abs($given[$_] - $values[$_]) > ANSWER_TOLERANCE * abs $values[$_] } 0 .. $#values;
			next;
		}
		if ($name eq 'dp_clip_bound')
		{
			my @candidates = $case->{measures}[$measure] =~ /'([^']+)'::float8/g;
			$complain->('answers', "$name: $value instead of $candidates[$part[0]]") if abs($value - $candidates[ $part[0] ]) > ANSWER_TOLERANCE * $candidates[ $part[0] ];
			next;
		}
		if ($name eq 'dp_mode' || $name eq 'dp_top_k')
		{
			my @texts = chosen_texts($case->{categories}, @part);
			my @given = ref $value ? @$value : $value;
			$complain->('answers', "$name: @given instead of @texts") if join('|', @given) ne join('|', @texts);
			next;
		}
		if (@part > FOUND_CELLS && $case->{measures}[$measure] =~ /^dp_\w+\([^a-z]*([frsibn])\b[^,]*, [^,]*\)$/)
		{
			my @values = found_values($name, $1, 2**$name{$measure}{exponent}, @part);
			my @given  = ref $value ? @$value : $value;
			$complain->('answers', "$name: @given instead of @values")
			  if @given != @values || grep { abs($given[$_] - $values[$_]) > FOUND_TOLERANCE * abs $values[$_] } 0 .. $#values;
			next;
		}
		my $step     = 2**$name{$measure}{exponent};
		my ($lower, $upper) = @$case{qw(lower upper)};
		my @expected = @part;
		my @answered = ref $value ? map { ref $_ ? $_->{count} // $_->{sum} : $_ } @$value : ($value // 'NaN');
		if ($name eq 'dp_sum_clipped' || $name eq 'dp_sum_vector') { @expected = map { $_ * $step } @part }
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
		elsif ($name eq 'dp_clip_curve')
		{
			my $sum = big(0);
			@expected = map { $sum += $_; $sum->numify * $step } @part;
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

# Answers of a measure that finds its bounds, by its noisy components.  Forced counts are evidence or nothing.
sub found_values
{
	my ($name, $column, $step, @part) = @_;
	my $whole = $column =~ /[sib]/;
	my ($largest, $first) = $whole ? (64, -1) : (191, -64);
	my @counts  = splice @part, 0, 2 * $largest + 1;
	my @buckets = map { $_ - $largest } grep { $counts[$_] > 0 } 0 .. $#counts;
	my $outer   = sub { $_[0] == 0 ? 0 : 2**($first + $_[0]) };
	my $inner   = sub { $_[0] == 0 || ($_[0] == 1 && $whole) ? 0 : 2**($first + $_[0] - 1) };
	my ($low, $high) = @buckets[ 0, -1 ];
	my $lower = $low > 0  ? $inner->($low)    : -$outer->(-$low);
	my $upper = $high < 0 ? -$inner->(-$high) : $outer->($high);
	return ($lower, $upper) if $name eq 'dp_bounds';
	return 0 if $low == 0 && $high == 0;
	return $part[0] * $step if $name eq 'dp_sum';

	$step = sqrt $step if $name ne 'dp_avg';
	($lower, $upper) = (floor($lower / $step) * $step, ceil($upper / $step) * $step);
	my ($below, $above, $middle) = map { big($_)->numify } @part;
	if ($name eq 'dp_avg')
	{
		my $number = (big($part[0]) + $part[1])->numify;
		return $number <= 0 ? $lower + ($upper - $lower) / 2 : max($lower, min($upper, $lower + ($upper - $lower) * ($part[0] / $number)));
	}
	my $number = $below + $above + 2 * $middle;
	my $spread = $number > 0 ? max(0, min(1, ($below + $above) / $number - (($above - $below) / $number)**2)) : 1 / 3;
	return $name eq 'dp_variance' ? $spread * (($upper - $lower) / 2)**2 : sqrt($spread) * ($upper - $lower) / 2;
}

# Categories by the numbers that were chosen one after the other, the last one filling each gap.
sub chosen_texts
{
	my ($categories, @chosen) = @_;
	my @left = @$categories;
	my @texts;
	foreach my $cell (@chosen)
	{
		push @texts, $left[$cell];
		my $last = pop @left;
		$left[$cell] = $last if $cell < @left;
	}
	return @texts;
}

# Cells of several quantiles, in the order of their fractions: the middle one is chosen first, then those below it and
# those above it, which are counted from the middle one on.
sub recursion
{
	my @chosen = @_;
	my @cell;
	my $visit;
	$visit = sub {
		my ($first, $last, $low) = @_;
		return if $first > $last;
		my $middle = int(($first + $last) / 2);
		$cell[$middle] = $low + shift @chosen;
		$visit->($first, $middle - 1, $low);
		$visit->($middle + 1, $last, $cell[$middle]);
	};
	$visit->(0, $#chosen, 0);
	return @cell;
}

# What a leaf, or a cell of a leaf of several quantiles, stands for.
sub leaf_value
{
	my ($case, $measure, $cell) = @_;
	my ($lower, $upper) = @$case{qw(lower upper)};
	my ($leaves, $width) = (65536, 0);
	if ($measure =~ /\([sib],/ && ceil($lower) <= floor($upper) && max(abs $lower, abs $upper) <= 2**53)
	{
		($lower, $upper, $width) = (ceil($lower), floor($upper), 1);
		$width *= 2 while ($upper - $lower) / $width >= 65536;
		$leaves = int(($upper - $lower) / $width) + 1;
	}
	my $parts = 1;
	$parts *= 2 while $measure =~ /quantiles/ && $parts < 1024 && $leaves * $parts * 2 <= 2**20;
	my $leaf  = int($cell / $parts);
	my $value = $width ? $lower + $leaf * $width + floor(($width - 1) / 2) : $lower + ($upper - $lower) * (($leaf + 0.5) / $leaves);
	return max($lower, min($upper, $value));
}

# The same for a number of leaves that need not be whole.
sub smooth_value
{
	my ($case, $measure, $leaves) = @_;
	my $first = leaf_value($case, $measure, 0);
	my ($lower, $upper) = @$case{qw(lower upper)};
	my $whole = $measure =~ /\([sib],/ && ceil($lower) <= floor($upper) && max(abs $lower, abs $upper) <= 2**53;
	($lower, $upper) = (ceil($lower), floor($upper)) if $whole;
	return max($lower, min($upper, $first + $leaves * ($upper - $lower) / 65536)) if !$whole;
	my $width = 1;
	$width *= 2 while ($upper - $lower) / $width >= 65536;
	return max($lower, min($upper, $first + sprintf('%.0f', $leaves) * $width));
}

# Values [value, cells] of two choices, side by side where neither changes.
sub aligned
{
	my ($one, $other) = @_;
	my ($i, $j, $left, $right) = (0, 0, $one->[0][1], $other->[0][1]);
	my @pairs;
	while ($i < @$one)
	{
		push @pairs, [ $one->[$i][0], $other->[$j][0] ];
		my $cells = min($left, $right);
		$left  = ($one->[ ++$i ]   // [0, 0])->[1] if ($left -= $cells) == 0;
		$right = ($other->[ ++$j ] // [0, 0])->[1] if ($right -= $cells) == 0;
	}
	return @pairs;
}

# Largest minus smallest change of the losses of all cells.
sub range
{
	my ($one, $other) = @_;
	return 0 if $one->{scores} eq $other->{scores};
	my @changes = map { $_->[1] - $_->[0] } aligned($one->{runs}, $other->{runs});
	return max(@changes) - min(@changes);
}

# Nodes and weights of Gauss's rule for the integral over 0 .. 1.
my @gauss;

sub gauss
{
	return @gauss if @gauss;
	foreach my $i (1 .. LAW_NODES)
	{
		my $x = cos(3.14159265358979 * ($i - 0.25) / (LAW_NODES + 0.5));
		my $slope;
		foreach (1 .. 20)
		{
			my ($p, $before) = (1, 0);
			foreach my $n (1 .. LAW_NODES)
			{
				($p, $before) = (((2 * $n - 1) * $x * $p - ($n - 1) * $before) / $n, $p);
			}
			$slope = LAW_NODES * ($x * $p - $before) / ($x * $x - 1);
			$x -= $p / $slope;
		}
		push @gauss, [ (1 + $x) / 2, 1 / ((1 - $x * $x) * $slope**2) ];
	}
	return @gauss;
}

# Runs of cells with their probabilities.  One that passed is chosen with probability 1 / (1 + n) if n others passed, and
# that is the integral of t^n: the probability of cell i is the integral of p_i times the product over all other cells
# of (1 - p_k + p_k t), a polynomial.  If there are many cells it falls steeply from t = 1 on: then the integral is
# taken over s, t = 1 - s^4, in panels.
my %law;

sub nodes
{
	my ($cells) = @_;
	return gauss() if $cells <= LAW_EXACT;
	return map {
		my $panel = $_;
		map {
			my ($x, $weight) = @$_;
			my $s = ($panel + $x) / LAW_PANELS;
			[ 1 - $s**4, $weight * 4 * $s**3 / LAW_PANELS ]
		} gauss()
	} 0 .. LAW_PANELS - 1;
}

sub law
{
	my ($draw) = @_;
	my @runs = @{ $draw->{runs} };
	my $key  = join ' ', @$draw{qw(num den sensitivity scores)};
	return $law{$key} if $law{$key};
	my $best = min(map { $_->[0] } @runs);
	my @pass = map { exp(-($_->[0] - $best) * $draw->{num} / $draw->{den} / $draw->{sensitivity}) } @runs;
	my @law  = (0) x @runs;
	foreach my $node (nodes($draw->{cells}))
	{
		my ($t, $weight) = @$node;
		my $product = $weight;
		$product *= (1 - $pass[$_] + $pass[$_] * $t)**$runs[$_][1] foreach 0 .. $#runs;
		$law[$_] += $product * $pass[$_] / (1 - $pass[$_] + $pass[$_] * $t) foreach 0 .. $#runs;
	}
	my $sum = sum0(map { $law[$_] * $runs[$_][1] } 0 .. $#runs);
	die "probabilities of a choice sum to $sum" if abs($sum - 1) > LAW_TOLERANCE;
	%law = () if keys %law > 10_000;
	return $law{$key} = [ map { [ $law[$_], $runs[$_][1] ] } 0 .. $#runs ];
}

# Largest logarithm of a ratio of probabilities, in either direction.
sub law_loss
{
	return 0 if $_[0]{scores} eq $_[1]{scores};
	my ($one, $other) = map { law($_) } @_;
	return max(map { abs(log($_->[1] / $_->[0])) } grep { $_->[0] > 1e-290 && $_->[1] > 1e-290 } aligned($one, $other));
}

sub difference
{
	my ($x, $y) = @_;
	return 0 if $x eq $y;
	return abs($x - $y) if length($x) <= NATIVE_DIGITS && length($y) <= NATIVE_DIGITS;
	return (big($x) - $y)->babs;
}

# The parameters of the noise, in the order of the draws.
sub parameters
{
	my ($now) = @_;
	return $now->{parameters} //= join ' ', map {
		join ',', @$_{qw(measure number name component sensitivity share num den charge exponent
			  release noise delta fine sigma)}
	} @{ $now->{draws} };
}

sub check_pair
{
	my ($case, $one, $other, $complain, $reached, $seen) = @_;
	my $where = "rows $one->{base}, neighbour $other->{neighbour}";
	my %distance;
	my (%square, %farthest);

	$complain->('rows', "$where: $one->{shapes} and $other->{shapes}") if $one->{shapes} ne $other->{shapes};
	if (parameters($one) ne parameters($other))
	{
		$complain->('parameters', $where);
		return;
	}

	# Sum of the differences by measure and noise scale: {measure}{"num den"} = [distance, draw].
	my (%law_loss, %chosen);
	my (%first_loss, %first);
	my (%test_loss, %tested);
	foreach my $i (0 .. $#{ $one->{draws} })
	{
		my ($a, $b) = ($one->{draws}[$i], $other->{draws}[$i]);
		if ($a->{noise} eq 'test')
		{
			my $apart = big(difference($a->{exact}, $b->{exact}))->numify;
			my $same  = $a->{value} == $b->{value};
			$complain->('loss', "$where: $a->{name} (measure $a->{measure}) has values $a->{value}, $b->{value} at distances $a->{exact}, $b->{exact}")
			  if $apart > 1 || !$same && ($a->{exact} > 1 || $b->{exact} > 1) || $case->{free} && !$same;
			$tested{ $a->{measure} } = $a;
			$test_loss{ $a->{measure} } += $same ? $apart * $a->{share} : 0;
			next;
		}
		if ($a->{noise} eq 'smooth')
		{
			my $distance = big(difference($a->{exact}, $b->{exact}))->numify;
			my @smooth   = ($a->{smooth}, $b->{smooth});
			$complain->('loss', "$where: $a->{name} (measure $a->{measure}) moves by $distance, smooth sensitivities @smooth") if $distance > min(@smooth);
			$complain->('loss', "$where: $a->{name} (measure $a->{measure}) has smooth sensitivities @smooth, beta $a->{sigma}")
			  if max(@smooth) > min(@smooth) * exp($a->{sigma});
			my @scales = map { $_ / $a->{num} * UNITS } @smooth;
			my $delta  = $a->{delta} / 10**DELTA_UNITS;
			my $shown  = max(map { laplace_delta($a->{charge} / UNITS, @$_, $distance) } [@scales], [ reverse @scales ]);
			$complain->('loss', "$where: $a->{name} (measure $a->{measure}) has delta $shown, charged $delta") if $shown > $delta || $case->{free} && $distance > 0;
			remember($seen, @$a{qw(name noise)}, $a->{charge} / UNITS, 1 - $shown / $delta, 1);
			next;
		}
		if ($a->{noise} eq 'first')
		{
			if ($b->{noise} ne 'first' || $a->{noisy} != $b->{noisy} || $a->{limit} != $b->{limit} || @{ $a->{queries} } != @{ $b->{queries} })
			{
				$complain->('parameters', "$where: another limit, other numbers or another answer");
				return;
			}
			my $loss = first_loss($a, $b);
			$complain->('loss', "$where: $a->{name} (measure $a->{measure}) moves in both directions") if !defined $loss;
			$first_loss{ $a->{measure} } += $loss // 0;
			$first{ $a->{measure} } = $a;
			next;
		}
		if ($a->{cells})
		{
			if ($a->{cells} != ($b->{cells} // 0) || $a->{noisy} != $b->{noisy})
			{
				$complain->('parameters', "$where: another choice");
				return;
			}
			my $sum = $distance{ $a->{measure} }{"choice $a->{sensitivity}"} //=
			  [ 0, { %$a, num => $units{ $a->{sensitivity} } //= (big($a->{sensitivity}) * UNITS)->bstr, den => $a->{num} } ];
			$sum->[0] += range($a, $b);
			$law_loss{ $a->{measure} } += $a->{cells} <= LAW_CELLS ? law_loss($a, $b) : 0;
			$complain->('law', "$where: $a->{name} (measure $a->{measure}) loses $law_loss{ $a->{measure} }")
			  if $law_loss{ $a->{measure} } > $a->{charge} / UNITS * (1 + LAW_TOLERANCE) + LAW_TOLERANCE;
			$chosen{ $a->{measure} } = $a if $a->{cells} <= LAW_CELLS;
			next;
		}
		if ($a->{noise} eq 'gaussian')
		{
			my $difference = difference($a->{exact}, $b->{exact});
			$difference = $difference->numify if ref $difference;
			$square{ $a->{measure} }[0] += $difference**2 / variance($a);
			$square{ $a->{measure} }[1] //= $a;
			$farthest{ $a->{release} } += $difference;
			next;
		}
		my $sum = $distance{ $a->{measure} }{"$a->{num} $a->{den}"} //= [ 0, $a ];
		my $difference = difference($a->{exact}, $b->{exact});
		next if !$difference;
		$sum->[0] = ref $difference || ref $sum->[0] || $difference >= 2**62 || $sum->[0] >= 2**62
		  ? big("$sum->[0]") + $difference : $sum->[0] + $difference;
	}
	remember($seen, $chosen{$_}{name}, 'law', $chosen{$_}{charge} / UNITS, 1 - $law_loss{$_} / $chosen{$_}{charge} * UNITS, 1)
	  foreach keys %chosen;
	foreach my $measure (keys %tested)
	{
		my ($loss, $draw) = ($test_loss{$measure}, $tested{$measure});
		remember($seen, @$draw{qw(name noise)}, $draw->{charge} / UNITS, 1 - $loss / $draw->{charge}, 1);
		$complain->('loss', "$where: $draw->{name} (measure $measure) loses $loss units") if $loss > $draw->{charge};
		$reached->{$measure} = 1;
	}
	foreach my $measure (keys %first)
	{
		my ($loss, $draw) = ($first_loss{$measure}, $first{$measure});
		remember($seen, @$draw{qw(name noise)}, $draw->{charge} / UNITS, 1 - $loss, 1);
		$complain->('loss', "$where: $draw->{name} (measure $measure) loses $loss of its charge") if $loss > 1 + CLOSE || $case->{free} && $loss > 0;
		$reached->{$measure} = 1 if $loss >= 1 - CLOSE;
	}
	foreach my $measure (keys %distance)
	{
		my @parts = values %{ $distance{$measure} };
		my $draw  = $parts[0][1];
		my $loss  = [ 0, 0, 1 ];
		if (grep { $_->[0] != 0 } @parts)
		{
			my $key = join ' ', $draw->{charge}, sort map { join ',', $_->[0], @{ $_->[1] }{qw(num den share noise)} } @parts;
			%judged = () if keys %judged > KEPT;
			$loss = $judged{$key} //= judge(@parts);
		}
		remember($seen, @$draw{qw(name noise)}, $draw->{charge} / UNITS, $loss->[2], 1);
		$complain->('loss', "$where: $parts[0][1]{name} (measure $measure) at "
			  . join(' and ', map { "distance $_->[0], sensitivity $_->[1]{sensitivity}, share $_->[1]{share}" } @parts)
			  . ", charge $parts[0][1]{charge}")
		  if $loss->[0] || $case->{free} && $loss->[2] < 1;
		$reached->{$measure} = 1 if $loss->[1];
	}

	my %lost;
	foreach my $measure (keys %square)
	{
		my ($loss, $draw) = @{ $square{$measure} };
		$lost{ $draw->{release} } += $loss;
		$complain->('loss', "$where: $draw->{name} (measure $measure) of a free query") if $case->{free} && $loss > 0;
		my %part = map { (sampler($_) => $_->{sensitivity}**2 / variance($_)) }
		  grep { $_->{measure} == $measure } @{ $one->{draws} };
		$reached->{$measure} = 1 if $loss >= sum0(values %part) * (1 - TOLERANCE);
	}
	foreach my $release (keys %lost)
	{
		my $most = $reached->{"release $release"};
		$reached->{"release $release"} = [ $lost{$release}, $farthest{$release}, $where ]
		  if !$most || $most->[0] < $lost{$release};
	}
}

# Variance of Gaussian noise in steps^2.
my %variance;

sub variance
{
	my ($draw) = @_;
	return $variance{"$draw->{num} $draw->{den} $draw->{fine}"} //=
	  big($draw->{num})->numify / big($draw->{den})->numify / $draw->{fine}**2;
}

# Which part of its measure a component belongs to: components of one part share its epsilon and its sensitivity.
sub sampler
{
	my ($draw) = @_;
	return $draw->{component} % int($draw->{charge} / $draw->{share} + 0.5);
}

# The vectors of Gaussian noise: {release} = { epsilon, delta, draws => [those of one group], loss if every measure
# changes by its sensitivity }.
sub vectors
{
	my ($now) = @_;
	my (%vectors, %first);
	foreach my $draw (grep { $_->{noise} eq 'gaussian' } @{ $now->{draws} })
	{
		my $vector = $vectors{ $draw->{release} } //= { epsilon => big(0), delta => big(0), draws => [], loss => 0 };
		if (!exists $first{ $draw->{measure} })
		{
			$first{ $draw->{measure} } = $draw->{number};
			$vector->{epsilon} += $draw->{charge};
			$vector->{delta}   += $draw->{delta};
		}
		next if $first{ $draw->{measure} } != $draw->{number};
		$vector->{loss} += $draw->{sensitivity}**2 / variance($draw)
		  if !grep { $_->{measure} == $draw->{measure} && sampler($_) == sampler($draw) } @{ $vector->{draws} };
		push @{ $vector->{draws} }, $draw;
	}
	return %vectors;
}

# What discrete Gaussian noise of this variance loses beyond epsilon on a difference of this many steps.
sub discrete_delta
{
	my ($distance, $variance, $epsilon) = @_;
	return 0 if $distance == 0;
	my $from  = floor($epsilon * $variance / $distance - $distance / 2);
	my $reach = ceil(40 * sqrt($variance)) + 1;
	my $mass  = 0;
	my $delta = 0;
	$mass += exp(-$_**2 / 2 / $variance) foreach -$reach .. $reach;
	foreach my $y ($from .. max($from, -$distance) + $reach)
	{
		$delta += max(0, exp(-$y**2 / 2 / $variance) - exp($epsilon - ($y + $distance)**2 / 2 / $variance));
	}
	return $delta / $mass;
}

# Noise is what its parameters say, no more than is needed, and hides what neighbours have shown to differ.
sub check_vectors
{
	my ($node, $library, $vectors, $reached, $complain, $pairs, $seen) = @_;
	my (@questions, @then);
	my $ask = sub {
		my ($question, $then) = @_;
		push @questions, $question;
		push @then, $then;
	};

	foreach my $release (sort keys %$vectors)
	{
		my $vector  = $vectors->{$release};
		my @draws   = @{ $vector->{draws} };
		my $epsilon = $vector->{epsilon}->numify / UNITS;
		my $delta   = $vector->{delta}->numify / 10**DELTA_UNITS;
		my ($lost, $farthest, $where) = @{ $reached->{"release $release"} // [ 0, 0, 'nowhere' ] };
		my $text = sprintf('release %d at (%.12g, %g)', $release, $epsilon, $delta);
		my $remember = sub {
			my ($noise, $left) = @_;
			remember($seen, $_, $noise, $epsilon, $left, $pairs) foreach uniq map { $_->{name} } @draws;
		};

		foreach my $draw (@draws)
		{
			my $share = $draw->{sensitivity}**2 / variance($draw) / $vector->{loss} / $draw->{share} * $epsilon * UNITS;
			$complain->('scale', "$draw->{name}: deviation " . sqrt(variance($draw)) . ", reported $draw->{sigma}")
			  if abs(variance($draw) / $draw->{sigma}**2 - 1) > TOLERANCE;
			$complain->('scale', "$draw->{name} of $text: $share times its share of the noise") if abs($share - 1) > WASTE;
		}

		if (@draws == 1)
		{
			my ($draw) = @draws;
			my $variance = variance($draw);
			$complain->('scale', "$draw->{name} of $text: a single number on a finer step") if $draw->{fine} != 1;
			if ($variance <= SUMMED_DEVIATION**2)
			{
				my $shown = discrete_delta($farthest, $variance, $epsilon);
				$remember->('discrete gaussian', 1 - $shown / $delta);
				my $less  = discrete_delta($draw->{sensitivity}, $variance * (1 - WASTE)**2, $epsilon);
				$complain->('loss', "$where: $text has delta $shown") if $shown > $delta * (1 + TOLERANCE);
				$complain->('scale', "$text: less noise would do, delta $less") if $less <= $delta;
			}
			else
			{
				my $deviation = sqrt($variance);
				$ask->(sprintf('dpriv.gaussian_delta(%.17g, %.17g, %.17g)', $farthest, $deviation, $epsilon),
					sub {
						$remember->('discrete gaussian', 1 - $_[0] / $delta);
						$complain->('loss', "$where: $text has delta $_[0]") if $_[0] > $delta * (1 + SUMMED_TOLERANCE);
					});
				$ask->(sprintf('dpriv.gaussian_delta(%.17g, %.17g, %.17g)', $draw->{sensitivity}, $deviation * (1 - WASTE), $epsilon),
					sub { $complain->('scale', "$text: less noise would do, delta $_[0]") if $_[0] <= $delta });
			}
			next;
		}

		# What rounding costs: the variation distance of each component, on either side; and the most that it may.
		my $least = $delta;
		foreach my $draw (@draws)
		{
			my $fine = variance($draw) * $draw->{fine}**2;
			$complain->('scale', "$draw->{name} of $text: deviation of " . sqrt($fine) . ' fine steps')
			  if $fine < FINE_DEVIATION**2;
			$delta -= (1 + exp($epsilon)) / 24 / $fine;
			$least -= (1 + exp($epsilon)) / 24 / FINE_DEVIATION**2;
		}
		if ($delta <= 0)
		{
			$complain->('loss', "$text: rounding takes all of delta");
			next;
		}
		$ask->(sprintf('dpriv.gaussian_epsilon(%.17g, 1, %.17g)', sqrt($lost), $delta),
			sub {
				$remember->('gaussian', 1 - $_[0] / $epsilon);
				$complain->('loss', "$where: $text has epsilon $_[0]") if $_[0] > $epsilon * (1 + TOLERANCE);
			});
		$ask->(sprintf('dpriv.gaussian_epsilon(%.17g, 1, %.17g)', sqrt($vector->{loss}), $least),
			sub { $complain->('scale', "$text: noise for epsilon $_[0]") if abs($_[0] / $epsilon - 1) > WASTE });
	}
	return if !@questions;
	my ($status, $out, $err) = script($node, $library, 'SELECT ' . join(', ', @questions) . ";\n");
	my @answers = split /~/, $out;
	die "could not recompute the noise: $err" if $status || @answers != @questions;
	$then[$_]->($answers[$_]) foreach 0 .. $#then;
	return;
}

# Whether the loss of parts [distance, draw] is above what the charge allows, whether it is all that their shares (choices
# of one measure share one) are for, and which part of the charge is left.
sub judge
{
	my @parts  = @_;
	my $charge = $parts[0][1]{charge};
	my ($loss, $full) = (0, 0);
	foreach my $part (@parts)
	{
		my ($distance, $draw) = @$part;    # a copy: a number that was divided once may lose digits as a text
		$loss += $distance / $draw->{num} * $draw->{den} * UNITS;
		$full += $draw->{share} if !$draw->{cells} || $part == $parts[0];
	}
	return [ 0, 0, 1 - $loss / $charge ] if $loss < min($full, $charge) * (1 - CLOSE);

	# In integers, with the product of all numerators as common denominator.
	$loss = big(0);
	my $common = big(1);
	$common *= $_->[1]{num} foreach @parts;
	$loss += $common / $_->[1]{num} * $_->[1]{den} * "$_->[0]" * UNITS foreach @parts;
	my $allowed = $common * $charge;
	return [ $loss > $allowed, $loss >= $common * $full, ($allowed - $loss)->numify / $allowed->numify ];
}

# Remember the largest loss by a measure with one kind of noise: { pairs, from and to (charges), left }.
sub remember
{
	my ($seen, $name, $noise, $charge, $left, $pairs) = @_;
	my $most = $seen->{"$name\t$noise"} //= { pairs => 0, from => $charge, to => $charge, left => $left };
	$most->{pairs} += $pairs;
	$most->{from} = min($most->{from}, $charge);
	$most->{to}   = max($most->{to}, $charge);
	$most->{left} = min($most->{left}, $left);
	return;
}

1;
