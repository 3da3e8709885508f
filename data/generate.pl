#!/usr/bin/perl
#
# generate.pl
#	  Make the synthetic census: perl data/generate.pl [seed] > data/adult.csv
#
# Everything is integer arithmetic and the random numbers are our own, so the same seed gives the
# same bytes on every machine.  The only input is adult_marginals.tsv, beside this file: no record
# of a real person is read.
#
# Each column's values are dealt out by quota within each income class, so frequencies and the
# share of high incomes per value come out as published, up to rounding.  Who gets which value is
# then settled by swapping (see arrange): quotas never change, likely combinations become common,
# impossible ones vanish.
#
use strict;
use warnings;
use integer;
use Config;
use FindBin;
use lib $FindBin::Bin;
use Assumptions;

use constant {
	PERSONS => 5000,
	KAREN_ID => 2718,
	DEFAULT_SEED => 1994,    # the year of the census sample behind Adult
	SWEEPS => 30,            # swap proposals per person; more changes nothing visible
	UNIT => 10_000,          # rates are in 1/10,000
};

die "generate.pl needs a perl with 64-bit integers\n" if $Config{ivsize} < 8;

my @COLUMNS = qw(id name age workclass education education_num marital_status occupation
  relationship race sex capital_gain capital_loss hours_per_week native_country income);

my $POOR = '<=50K';
my $RICH = '>50K';


# ---- Random integers ----

# L'Ecuyer (1988), "Efficient and portable combined random number generators": two multiplicative
# generators whose products stay below 2^48.
my ($state1, $state2);

sub seed
{
	my ($seed) = @_;

	$state1 = 1 + $seed % 2147483561;
	$state2 = 1 + $seed % 2147483397;
	draw() for 1 .. 100;
}

# Uniform on 0 .. 2147483561.
sub draw
{
	$state1 = 40014 * $state1 % 2147483563;
	$state2 = 40692 * $state2 % 2147483399;
	my $z = $state1 - $state2;
	$z += 2147483562 if $z < 1;
	return $z - 1;
}

# Uniform on 0 .. n-1, up to a bias of n / 2^62.
sub below
{
	my ($n) = @_;
	return (draw() * 2147483562 + draw()) % $n;
}

sub shuffle
{
	my @v = @_;

	for (my $i = $#v; $i > 0; $i--)
	{
		my $j = below($i + 1);
		@v[ $i, $j ] = @v[ $j, $i ];
	}
	return @v;
}


# ---- Dealing and arranging ----

# Split total in proportion to integer weights; the parts sum to total exactly (largest remainders).
sub quota
{
	my ($total, @weights) = @_;
	my $sum = 0;

	$sum += $_ for @weights;
	die "nothing to deal\n" if $sum == 0 && $total > 0;
	return map { 0 } @weights if $total == 0;

	my @parts = map { $_ * $total / $sum } @weights;
	my @rest = map { $_ * $total % $sum } @weights;
	my $missing = $total;
	$missing -= $_ for @parts;
	my @order = sort { $rest[$b] <=> $rest[$a] || $a <=> $b } 0 .. $#weights;
	$parts[$_]++ for @order[ 0 .. $missing - 1 ];
	return @parts;
}

# Deal total items, each [value, weight], in proportion to the weights: a list of values.
sub deal
{
	my ($total, @items) = @_;
	my @parts = quota($total, map { $_->[1] } @items);

	return map { ($items[$_][0]) x $parts[$_] } 0 .. $#items;
}

# Give the values to the persons, one each, at random.  Karen takes hers first.
sub fill
{
	my ($persons, $field, @values) = @_;

	die "$field: " . @values . " values for " . @$persons . " persons\n" if @values != @$persons;
	@values = shuffle(@values);
	for my $i (0 .. $#$persons)
	{
		my $wanted = $persons->[$i]{karen} && $persons->[$i]{karen}{$field};
		next unless defined $wanted;
		my ($j) = grep { $values[$_] eq $wanted } 0 .. $#values;
		die "$field: no $wanted to give\n" unless defined $j;
		@values[ $i, $j ] = @values[ $j, $i ];
	}
	$persons->[$_]{$field} = $values[$_] for 0 .. $#$persons;
}

# Swap the fields between pairs of persons until the arrangement is a draw from the distribution
# in which a permutation's probability is proportional to the product of its persons' weights
# (Metropolis: accept a swap with probability new / old).  Weight 0 means impossible: such persons
# are helped first, by the first partner with whom both become possible, and none come back.
# Karen keeps what she has.
sub arrange
{
	my ($persons, $fields, $weight) = @_;
	my @p = grep { !$_->{karen} } @$persons;
	my @w = map { $weight->($_) } @p;

	my $swap = sub {
		my ($p, $q) = @p[@_];
		(@$p{@$fields}, @$q{@$fields}) = (@$q{@$fields}, @$p{@$fields});
	};

	for my $i (grep { !$w[$_] } 0 .. $#p)
	{
		for my $j (shuffle(0 .. $#p))
		{
			$swap->($i, $j);
			@w[ $i, $j ] = ($weight->($p[$i]), $weight->($p[$j]));
			last if $w[$i] && $w[$j];
			$swap->($i, $j);
			@w[ $i, $j ] = ($weight->($p[$i]), $weight->($p[$j]));
		}
		die "@$fields: nobody can take $p[$i]{$fields->[0]}\n" unless $w[$i];
	}

	for (1 .. SWEEPS * @p)
	{
		my ($i, $j) = (draw() % @p, draw() % @p);

		$swap->($i, $j);
		my ($new_i, $new_j) = ($weight->($p[$i]), $weight->($p[$j]));
		if (below($w[$i] * $w[$j]) < $new_i * $new_j)
		{
			@w[ $i, $j ] = ($new_i, $new_j);
		}
		else
		{
			$swap->($i, $j);
		}
	}
}

# Iterative proportional fitting in integers: scale the cells until rows and columns sum to the
# targets.
sub rake
{
	my ($cells, $row_target, $column_target) = @_;

	for (1 .. 100)
	{
		for my $pass (0, 1)
		{
			my $target = $pass ? $column_target : $row_target;
			my %sum;
			for my $key (keys %$cells)
			{
				$sum{ (split /\t/, $key)[$pass] } += $cells->{$key};
			}
			for my $key (keys %$cells)
			{
				my $line = (split /\t/, $key)[$pass];
				$cells->{$key} = $cells->{$key} * $target->{$line} / ($sum{$line} || 1);
			}
		}
	}
}


# ---- The published marginals ----

my %table;

sub read_marginals
{
	my ($file) = @_;

	open my $in, '<', $file or die "$file: $!\n";
	while (my $line = <$in>)
	{
		chomp $line;
		next if $line =~ /^#/;
		my ($name, $key, $key2, $n, $rich) = split /\t/, $line, -1;
		push @{ $table{$name} }, { key => $key, key2 => $key2, n => $n, rich => $rich };
	}
	close $in;
}

# Persons times UNIT in an income class, of a line with n persons and the given rate of high
# incomes.
sub mass
{
	my ($n, $rich, $income) = @_;
	return $n * ($income eq $RICH ? $rich : UNIT - $rich);
}

# Items for deal(): the values of a table, weighted for an income class.
sub items
{
	my ($name, $income) = @_;
	return map { [ $_->{key}, mass($_->{n}, $_->{rich}, $income) ] } @{ $table{$name} };
}

sub lookup
{
	my ($name, $key) = @_;
	my ($line) = grep { $_->{key} eq $key } @{ $table{$name} };
	return $line;
}


# ---- One income class, column by column ----

# Age and education: the published cells of age band by education band, then exact values inside
# each band.
sub give_age_and_education
{
	my ($persons, $income) = @_;
	my @cells = @{ $table{age_education} };

	fill($persons, 'age_cell', deal(scalar @$persons,
			map { [ "$_->{key} $_->{key2}", mass($_->{n}, $_->{rich}, $income) ] } @cells));

	for my $band (unique(map { $_->{key} } @cells))
	{
		my ($first, $last) = split /-/, $band;
		my @in = grep { $_->{age_cell} =~ /^\Q$band\E / } @$persons;
		my @ages;
		for my $line (grep { $_->{key} >= $first && $_->{key} <= $last } @{ $table{age} })
		{
			my ($range) = grep { $line->{key} >= $_->{key} && $line->{key} <= $_->{key2} }
			  @{ $table{age_range} };
			push @ages, [ $line->{key}, mass($line->{n}, $range->{rich}, $income) ];
		}
		fill(\@in, 'age', deal(scalar @in, @ages));
	}

	my $number = 0;
	for my $band (unique(map { $_->{key2} } @cells))
	{
		my ($first, $last) = split /-/, $band;
		my @in = grep { $_->{age_cell} =~ / \Q$band\E$/ } @$persons;
		my @levels = grep { $_->{key2} >= $first && $_->{key2} <= $last } @{ $table{education} };
		fill(\@in, 'education',
			deal(scalar @in, map { [ $_->{key}, mass($_->{n}, $_->{rich}, $income) ] } @levels));
		arrange(\@in, ['education'], sub {
				my ($last_age) = $_[0]{age_cell} =~ /-(\d+) /;
				return old_enough($last_age, $_[0]{education}); });
		$_->{band} = $number for @in;
		$number++;
	}

	for my $band (unique(map { $_->{key} } @cells))
	{
		my @in = grep { $_->{age_cell} =~ /^\Q$band\E / } @$persons;
		arrange(\@in, ['age'], sub { old_enough($_[0]{age}, $_[0]{education}) });
	}
	$_->{group} = $AGE_GROUP[ $_->{age} ] for @$persons;
}

sub old_enough
{
	my ($age, $education) = @_;
	return $age >= ($DEGREE_AGE{$education} || 0) ? 1 : 0;
}

# Marital status, sex and relationship: married people live with a spouse of the fitting name but
# for the published few; for the others relationship and marital status are raked to both
# marginals.
sub give_household
{
	my ($persons, $income) = @_;

	fill($persons, 'home_cell', deal(scalar @$persons,
			map { [ "$_->{key} $_->{key2}", mass($_->{n}, $_->{rich}, $income) ] }
			  @{ $table{marital_sex} }));
	@$_{qw(marital_status sex)} = split / /, $_->{home_cell} for @$persons;

	my %cells;
	for my $line (@{ $table{relationship_marital} })
	{
		$cells{"$line->{key}\t$line->{key2}"} = $line->{n} * UNIT if $line->{n};
	}
	rake(\%cells, { map { @$_ } items('relationship', $income) },
		{ map { @$_ } items('marital_status', $income) });

	for my $marital (unique(map { $_->{key2} } @{ $table{relationship_marital} }))
	{
		my @in = grep { $_->{marital_status} eq $marital } @$persons;
		next unless @in;
		my @kinds = grep { $cells{"$_\t$marital"} } map { $_->{key} } @{ $table{relationship} };
		if ($marital =~ /^Married-(civ|AF)-spouse$/)
		{
			for my $sex ('Female', 'Male')
			{
				my @same = grep { $_->{sex} eq $sex } @in;
				my $spouse = $sex eq 'Female' ? 'Wife' : 'Husband';
				my $other = $sex eq 'Female' ? 'Husband' : 'Wife';
				# Those without a spouse in the household are split evenly between the sexes.
				fill(\@same, 'relationship', deal(scalar @same,
						map { [ $_, $cells{"$_\t$marital"} / ($_ eq $spouse ? 1 : 2) ] }
						grep { $_ ne $other } @kinds));
			}
		}
		else
		{
			fill(\@in, 'relationship',
				deal(scalar @in, map { [ $_, $cells{"$_\t$marital"} ] } @kinds));
			arrange(\@in, ['relationship'], sub {
					$SEX_RELATIONSHIP{ $_[0]{relationship} }[ $_[0]{sex} eq 'Male' ] });
		}
	}

	arrange($persons, [qw(marital_status sex relationship)], sub {
			my ($p) = @_;
			return $AGE_MARITAL{ $p->{marital_status} }[ $p->{group} ]
			  * $AGE_RELATIONSHIP{ $p->{relationship} }[ $p->{group} ]; });
}

# Occupation by education, sex and age; then workclass by occupation and age.  Unknown and never
# worked go with unknown occupation and with nothing else.
sub give_work
{
	my ($persons, $income) = @_;

	fill($persons, 'occupation', deal(scalar @$persons, items('occupation', $income)));
	arrange($persons, ['occupation'], sub {
			my ($p) = @_;
			my $occupation = $p->{occupation};
			return 0 if $occupation eq $KAREN{occupation} && $p->{education} eq $KAREN{education};
			return $BAND_OCCUPATION{$occupation}[ $p->{band} ]
			  * $SEX_OCCUPATION{$occupation}[ $p->{sex} eq 'Male' ]
			  * ($AGE_OCCUPATION{$occupation} || \@EVEN_AGES)->[ $p->{group} ]; });

	for my $unknown (0, 1)
	{
		my @in = grep { ($_->{occupation} eq '?') == $unknown } @$persons;
		my @classes = grep { ($_->[0] =~ /^(\?|Never-worked)$/ ? 1 : 0) == $unknown }
		  items('workclass', $income);
		fill(\@in, 'workclass', deal(scalar @in, @classes));
		arrange(\@in, ['workclass'], sub {
				my ($p) = @_;
				my $row = $WORKCLASS_OCCUPATION{ $p->{workclass} };
				return ($row->{ $p->{occupation} } // $row->{'*'})
				  * ($AGE_WORKCLASS{ $p->{workclass} } || \@EVEN_AGES)->[ $p->{group} ]; });
	}
}

sub give_origin
{
	my ($persons, $income) = @_;

	fill($persons, 'race', deal(scalar @$persons, items('race', $income)));
	arrange($persons, ['race'], sub {
			my ($p) = @_;
			return ($SEX_RACE{ $p->{race} } || [ 10, 10 ])->[ $p->{sex} eq 'Male' ]; });
	fill($persons, 'native_country', deal(scalar @$persons, items('native_country', $income)));
	arrange($persons, ['native_country'], sub {
			my ($p) = @_;
			my $region = $COUNTRY_REGION{ $p->{native_country} } || 'other';
			return $RACE_REGION{ $p->{race} }{$region}
			  * ($BAND_REGION{$region} || [ (10) x 6 ])->[ $p->{band} ]; });
}

# Hours: the published spikes and the rest of each bin, all with the bin's rate of high incomes.
sub give_hours
{
	my ($persons, $income) = @_;
	my @items;

	for my $spike (@{ $table{hours_per_week} })
	{
		push @items, [ $spike->{key}, mass($spike->{n}, hours_rate($spike->{key}), $income) ];
	}
	for my $rest (@HOURS_REST)
	{
		my ($n, @values) = @$rest;
		push @items, [ join(' ', @values), mass($n, hours_rate($values[0]), $income) ];
	}
	my @values = map { pick(split / /) } deal(scalar @$persons, @items);

	fill($persons, 'hours_per_week', @values);
	arrange($persons, ['hours_per_week'], sub {
			my ($p) = @_;
			my $bin = $HOURS_BIN[ $p->{hours_per_week} ];
			return $AGE_HOURS[ $p->{group} ][$bin] * $SEX_HOURS[ $p->{sex} eq 'Male' ][$bin]
			  * $BAND_HOURS[ $p->{band} ][$bin]; });
}

sub hours_rate
{
	my ($hours) = @_;
	my ($bin) = grep { $hours >= $_->{key} && $hours <= $_->{key2} } @{ $table{hours_range} };
	return $bin->{rich};
}

# Capital: one value "gain loss" per person, so nobody has both.
sub give_capital
{
	my ($persons, $income) = @_;
	my ($zero_gain, $zero_loss) = (lookup('capital_gain', 0), lookup('capital_loss', 0));
	my ($some_loss) = @{ $table{capital_loss_range} };
	my @items;

	push @items, [ '0 0', mass($zero_gain->{n}, $zero_gain->{rich}, $income)
		  - mass($some_loss->{n}, $some_loss->{rich}, $income) ];
	for my $spike (grep { $_->{key} } @{ $table{capital_gain} })
	{
		push @items, [ "$spike->{key} 0", mass($spike->{n}, $spike->{rich}, $income) ];
	}
	for my $spike (grep { $_->{key} } @{ $table{capital_loss} })
	{
		push @items, [ "0 $spike->{key}", mass($spike->{n}, $some_loss->{rich}, $income) ];
	}
	push @items, [ "$_->[0]-$_->[1] 0", mass($_->[2], $_->[3], $income) ] for @GAIN_REST;
	push @items, [ "0 $_->[0]-$_->[1]", mass($_->[2], $some_loss->{rich}, $income) ] for @LOSS_REST;

	my @values = deal(scalar @$persons, @items);
	s/(\d+)-(\d+)/$1 + below($2 - $1 + 1)/e for @values;
	fill($persons, 'capital', @values);
	arrange($persons, ['capital'], sub {
			my ($p) = @_;
			my $kind = $p->{capital} eq '0 0' ? 3 : $p->{capital} eq '99999 0' ? 0
			  : $p->{capital} =~ /^0 / ? 2 : 1;
			return $BAND_CAPITAL[ $p->{band} ][$kind] * $AGE_CAPITAL[ $p->{group} ][$kind]; });
	@$_{qw(capital_gain capital_loss)} = split / /, $_->{capital} for @$persons;
}

sub pick
{
	return $_[ below(scalar @_) ];
}

# The distinct values, in order of first appearance.
sub unique
{
	my %seen;
	return grep { !$seen{$_}++ } @_;
}


# ---- The whole ----

# Distinct full names, independent of everything but sex.
sub give_names
{
	my (@persons) = @_;
	my %taken;

	for my $p (@persons)
	{
		my $first = $p->{sex} eq 'Female' ? \@FEMALE_NAMES : \@MALE_NAMES;
		my $name;
		do
		{
			$name = pick(@$first) . ' ' . pick(@SURNAMES);
		} while ($taken{$name}++);
		$p->{name} = $name;
	}
}

sub main
{
	my ($seed) = @_;
	my (@persons, $karen);

	seed($seed);
	read_marginals("$FindBin::Bin/adult_marginals.tsv");
	my %education_num = map { $_->{key} => $_->{key2} } @{ $table{education} };
	my %class_size;
	@class_size{ map { $_->{key} } @{ $table{income} } } =
	  quota(PERSONS, map { $_->{n} } @{ $table{income} });

	for my $income ($POOR, $RICH)
	{
		my @class = map { +{ income => $income } } 1 .. $class_size{$income};
		if ($income eq $KAREN{income})
		{
			$karen = $class[0];
			$karen->{karen} = \%KAREN;
		}
		give_age_and_education(\@class, $income);
		give_household(\@class, $income);
		give_work(\@class, $income);
		give_origin(\@class, $income);
		give_hours(\@class, $income);
		give_capital(\@class, $income);
		push @persons, @class;
	}

	@persons = shuffle(grep { $_ != $karen } @persons);
	give_names(@persons);
	$karen->{name} = $KAREN{name};
	splice @persons, KAREN_ID - 1, 0, $karen;

	my $id = 0;
	binmode STDOUT;
	print join(',', @COLUMNS), "\n";
	for my $p (@persons)
	{
		$p->{id} = ++$id;
		$p->{education_num} = $education_num{ $p->{education} };
		print join(',', @$p{@COLUMNS}), "\n";
	}
}

main(@ARGV ? $ARGV[0] : DEFAULT_SEED);
