#
# 010_data.pl
#	  The example data are what data/README.md says they are.  Needs no server.
#
# The figures in the README's tables are computed here again: a figure that is not true fails, and
# so does one beyond its bound.  With DPRIV_ADULT_DIR set to a directory with the real Adult files
# (adult.data and adult.test, or adult_train.csv and adult_test.csv), also checks that real
# records recur no more often than chance explains.
#
use strict;
use warnings;
use FindBin;
use List::Util qw(max sum0 uniq);
use Test::More;

my $data = "$FindBin::Bin/../../data";

# Rates of high incomes are compared where at least this many of the 48,842 persons are behind them.
my $ENOUGH = 1000;

sub slurp
{
	my ($file) = @_;

	open my $in, '<:raw', $file or die "$file: $!\n";
	local $/;
	return scalar <$in>;
}

# The records of a comma-separated text without quoting, as hashes by the header's names.
sub records
{
	my ($text) = @_;
	my ($header, @lines) = split /\n/, $text;
	my @names = split /,/, $header;
	my @records;

	for my $line (@lines)
	{
		my %record;
		@record{@names} = split /,/, $line, -1;
		push @records, \%record;
	}
	return @records;
}

sub generated
{
	my @seed = @_;

	open my $in, '-|', $^X, "$data/generate.pl", @seed or die "generate.pl: $!\n";
	binmode $in;
	local $/;
	my $text = <$in>;
	close $in or die "generate.pl failed\n";
	return $text;
}

my $csv = slurp("$data/adult.csv");
my @person = records($csv);
my $persons = @person;

# Published marginals: table name to lines.
my %table;
for my $line (grep { !/^#/ } split /\n/, slurp("$data/adult_marginals.tsv"))
{
	my ($name, $key, $key2, $n, $rich) = split /\t/, $line, -1;
	push @{ $table{$name} }, { key => $key, key2 => $key2, n => $n, rich => $rich };
}
my $published = sum0(map { $_->{n} } @{ $table{income} });


# ---- The file ----

ok(generated() eq $csv, 'the generator reproduces adult.csv byte for byte');
ok(generated(7) ne $csv, 'another seed gives other persons');
is($persons, 5000, 'persons');
is((split /\n/, $csv)[0],
	'id,name,age,workclass,education,education_num,marital_status,occupation,relationship,race,sex,'
	  . 'capital_gain,capital_loss,hours_per_week,native_country,income', 'columns');
is_deeply([ map { $_->{id} } @person ], [ 1 .. $persons ], 'ids count from 1');
is(scalar(uniq(map { $_->{name} } @person)), $persons, 'names are distinct');

my %published_value;
for my $column (qw(age workclass education marital_status occupation relationship race sex
	native_country income))
{
	$published_value{$column}{ $_->{key} } = 1 for @{ $table{$column} };
	is(none(sub { !$published_value{$column}{ $_[0]{$column} } }),
		0, "$column: published values only");
}

# How many persons satisfy a condition.
sub count
{
	my ($condition) = @_;
	return scalar grep { $condition->($_) } @person;
}

# The same, for conditions that nobody should satisfy: says who does.
sub none
{
	my ($condition) = @_;
	my @found = grep { $condition->($_) } @person;
	diag("for example person $found[0]{id}") if @found;
	return scalar @found;
}


# ---- What cannot be ----

my %education_num = map { $_->{key} => $_->{key2} } @{ $table{education} };
my %youngest = (Bachelors => 20, Masters => 22, 'Prof-school' => 24, Doctorate => 25);

my %impossible = (
	'education_num differs from education' =>
	  sub { $_[0]{education_num} != $education_num{ $_[0]{education} } },
	'gain and loss together' => sub { $_[0]{capital_gain} > 0 && $_[0]{capital_loss} > 0 },
	'a husband who is not a married man' =>
	  sub { $_[0]{relationship} eq 'Husband'
		  && !($_[0]{sex} eq 'Male' && $_[0]{marital_status} =~ /^Married-(civ|AF)-spouse$/) },
	'a wife who is not a married woman' =>
	  sub { $_[0]{relationship} eq 'Wife'
		  && !($_[0]{sex} eq 'Female' && $_[0]{marital_status} =~ /^Married-(civ|AF)-spouse$/) },
	'an unknown workclass with a known occupation, or the reverse' =>
	  sub { ($_[0]{workclass} =~ /^(\?|Never-worked)$/) != ($_[0]{occupation} eq '?') },
	'armed forces outside the federal government' =>
	  sub { $_[0]{occupation} eq 'Armed-Forces' && $_[0]{workclass} ne 'Federal-gov' },
	'a degree before its age' => sub { $_[0]{age} < ($youngest{ $_[0]{education} } || 17) },
	'age out of range' => sub { $_[0]{age} !~ /^\d\d$/ || $_[0]{age} < 17 || $_[0]{age} > 90 },
	'hours out of range' =>
	  sub { $_[0]{hours_per_week} !~ /^\d\d?$/ || $_[0]{hours_per_week} < 1 },
	'a gain between the largest and the cap' =>
	  sub { $_[0]{capital_gain} !~ /^\d+$/
		  || $_[0]{capital_gain} > 41310 && $_[0]{capital_gain} != 99999 },
	'a loss above the largest' =>
	  sub { $_[0]{capital_loss} !~ /^\d+$/ || $_[0]{capital_loss} > 4356 },
	'a low income with a gain at the cap' =>
	  sub { $_[0]{capital_gain} == 99999 && $_[0]{income} ne '>50K' });

is(none($impossible{$_}), 0, "nobody: $_") for sort keys %impossible;


# ---- Karen ----

my @karen = grep { $_->{name} =~ /^Karen / } @person;
my $farmer = sub { $_[0]{occupation} eq 'Farming-fishing' };
my $doctor = sub { $_[0]{education} eq 'Doctorate' };
my $rich = sub { $_[0]{income} eq '>50K' };

is(scalar @karen, 1, 'one Karen');
is(count(sub { $doctor->($_[0]) && $farmer->($_[0]) }), 1, 'one doctor on a farm');
ok($doctor->($karen[0]) && $farmer->($karen[0]), 'who is Karen');
cmp_ok(count($farmer), '>=', 100, 'among many who work on farms');
cmp_ok(count($doctor), '>=', 50, 'and many doctors');
is(count(sub { $farmer->($_[0]) && $rich->($_[0]) })
	  - count(sub { $farmer->($_[0]) && $rich->($_[0]) && !$doctor->($_[0]) }), 1,
	'two exact counts give her income away');
is(sum0(map { $_->{capital_gain} } grep { $farmer->($_) } @person)
	  - sum0(map { $_->{capital_gain} } grep { $farmer->($_) && !$doctor->($_) } @person),
	$karen[0]{capital_gain}, 'two exact sums give her capital gain away');
is($karen[0]{capital_gain}, 99999, 'which is at the cap');


# ---- The README's figures ----

my %figure;    # as computed, in the README's names

sub share_deviation
{
	my ($n, $condition) = @_;
	return 100 * abs(count($condition) / $persons - $n / $published);
}

sub rate_deviation
{
	my ($rate, $condition) = @_;
	my @those = grep { $condition->($_) } @person;
	return 100 * abs(scalar(grep { $rich->($_) } @those) / (@those || 1) - $rate / 10_000);
}

# Largest deviations over [line, condition] pairs: of shares always, of rates where enough persons
# stand behind one.
sub compare
{
	my ($name, @pairs) = @_;
	my @rated = grep { $_->[0]{rich} ne '' && $_->[0]{n} >= $ENOUGH } @pairs;

	$figure{"$name, share"} = max(map { share_deviation($_->[0]{n}, $_->[1]) } @pairs);
	$figure{"$name, rate"} = max(map { rate_deviation($_->[0]{rich}, $_->[1]) } @rated) if @rated;
}

sub by_value
{
	my ($column) = @_;
	return map {
		my $key = $_->{key};
		[ $_, sub { $_[0]{$column} eq $key } ]
	} @{ $table{$column} };
}

sub by_range
{
	my ($name, $column) = @_;
	return map {
		my ($first, $last) = ($_->{key}, $_->{key2});
		[ $_, sub { $_[0]{$column} >= $first && $_[0]{$column} <= $last } ]
	} @{ $table{$name} };
}

sub by_two
{
	my ($name, $column, $column2) = @_;
	return map {
		my ($key, $key2) = ($_->{key}, $_->{key2});
		[ $_, sub { $_[0]{$column} eq $key && $_[0]{$column2} eq $key2 } ]
	} @{ $table{$name} };
}

for my $column (qw(age workclass education marital_status occupation relationship race sex
	native_country income capital_gain capital_loss hours_per_week))
{
	compare($column, by_value($column));
}
delete $figure{'income, rate'};
compare('age in 5-year ranges', by_range('age_range', 'age'));
compare('hours_per_week in ranges', by_range('hours_range', 'hours_per_week'));
compare('marital_status and sex', by_two('marital_sex', 'marital_status', 'sex'));
compare('relationship and marital_status',
	by_two('relationship_marital', 'relationship', 'marital_status'));
compare('age and education in bands', map {
		my ($a1, $a2, $e1, $e2) = split /-/, "$_->{key}-$_->{key2}";
		[ $_, sub { $_[0]{age} >= $a1 && $_[0]{age} <= $a2
				&& $_[0]{education_num} >= $e1 && $_[0]{education_num} <= $e2 } ]
	} @{ $table{age_education} });

# Rates of high incomes by capital.
for my $range (@{ $table{capital_gain_range} }, @{ $table{capital_loss_range} })
{
	my $column = $range->{n} eq '' ? 'capital_gain' : 'capital_loss';
	$figure{"$column from $range->{key} to $range->{key2}, rate"} = rate_deviation($range->{rich},
		sub { $_[0]{$column} >= $range->{key} && $_[0]{$column} <= $range->{key2} });
}

sub mean { return sum0(@_) / @_ }

sub covariance
{
	my ($x, $y) = @_;
	my ($mx, $my) = (mean(@$x), mean(@$y));
	return mean(map { ($x->[$_] - $mx) * ($y->[$_] - $my) } 0 .. $#$x);
}

# Interpolated as percentile_cont does.
sub quantile
{
	my ($fraction, @sorted) = @_;
	my $at = $fraction * $#sorted;
	my $low = int($at);
	my $high = $low < $#sorted ? $low + 1 : $low;
	return $sorted[$low] + ($at - $low) * ($sorted[$high] - $sorted[$low]);
}

my %numbers = map { my $c = $_; $c => [ map { $_->{$c} } @person ] }
  qw(age education_num hours_per_week capital_gain capital_loss);
$numbers{capital_gain_uncapped} = [ grep { $_ > 0 && $_ < 99999 } @{ $numbers{capital_gain} } ];
$numbers{capital_loss_nonzero} = [ grep { $_ > 0 } @{ $numbers{capital_loss} } ];
$numbers{income} = [ map { $rich->($_) ? 1 : 0 } @person ];

for my $name (uniq(map { $_->{key} } @{ $table{quantile} }))
{
	my %known = map { $_->{key2} => $_->{n} } grep { $_->{key} eq $name } @{ $table{quantile} };
	my @x = sort { $a <=> $b } @{ $numbers{$name} };
	my @inner = grep { /^p(\d+)$/ && $1 >= 5 && $1 <= 95 } keys %known;

	$figure{"$name, mean"} = 100 * abs(mean(@x) / $known{mean} - 1);
	$figure{"$name, standard deviation"} = 100 * abs(sqrt(covariance(\@x, \@x)) / $known{sd} - 1);
	$figure{"$name, quantiles"} =
	  max(map { /(\d+)/; abs(quantile($1 / 100, @x) - $known{$_}) } @inner);
}

for my $pair (@{ $table{correlation} })
{
	my ($x, $y) = @numbers{ $pair->{key}, $pair->{key2} };
	$figure{"$pair->{key} and $pair->{key2}, correlation"} =
	  abs(covariance($x, $y) / sqrt(covariance($x, $x) * covariance($y, $y)) - $pair->{n});
}

# A line of the README: | name | figure | bound |
my %stated;
my $kind = qr/share|rate|mean|standard deviation|quantiles|correlation/;
for my $line (split /\n/, slurp("$data/README.md"))
{
	$stated{$1} = { figure => $2, bound => $3 }
	  if $line =~ /^\| ([^|]+, $kind) \| ([\d.]+) \| ([\d.]+) \|$/;
}
is(join("\n", sort keys %stated), join("\n", sort keys %figure), 'the README states every figure');
for my $name (sort keys %figure)
{
	my $decimals = $name =~ /correlation$/ ? 3 : $name =~ /quantiles$/ ? 1 : 2;
	my $computed = sprintf '%.*f', $decimals, $figure{$name};
	my $line = $stated{$name} || { figure => 'nothing', bound => 0 };

	is($computed, $line->{figure}, "$name: as stated");
	cmp_ok($figure{$name}, '<=', $line->{bound}, "$name: within its bound");
}


# ---- Real records ----

SKIP:
{
	my $dir = $ENV{DPRIV_ADULT_DIR};
	if (!defined $dir)
	{
		diag('DPRIV_ADULT_DIR is not set: NOT compared with real records');
		skip 'DPRIV_ADULT_DIR is not set', 5;
	}
	my ($train) = grep { -e } "$dir/adult_train.csv", "$dir/adult.data";
	my ($test) = grep { -e } "$dir/adult_test.csv", "$dir/adult.test";
	if (!defined $train || !defined $test)
	{
		fail('DPRIV_ADULT_DIR has the Adult files');
		last SKIP;
	}

	# Real records without fnlwgt, which the synthetic ones do not have.
	my $real = sub {
		return map { my @f = split /\s*,\s*/; splice @f, 2, 1; s/\.$// for $f[-1]; join ',', @f }
		  grep { /^\d+\s*,/ } split /\r?\n/, slurp($_[0]);
	};
	my $shared = sub {
		return map { my @f = split /,/; join ',', @f[ 2 .. 15 ] } grep { /^\d/ } split /\n/, $_[0];
	};
	my @train = $real->($train);
	my @test = $real->($test);
	my %in_train = map { $_ => 1 } @train;
	my %times;
	$times{$_}++ for @train, @test;
	my $rate = sub { my $known = shift; return scalar(grep { $known->{$_} } @_) / @_ };
	my %unique = map { $_ => 1 } grep { $times{$_} == 1 } keys %times;

	cmp_ok(scalar @train, '>', 30_000, 'real training records read');
	cmp_ok(scalar @test, '>', 15_000, 'real test records read');

	# Real persons that were never seen in training resemble it more than the synthetic ones do.
	my @ours = $shared->($csv);
	my ($synthetic, $held_out) = ($rate->(\%in_train, @ours), $rate->(\%in_train, @test));
	note(sprintf 'equal to a training record: %.4f of the synthetic, %.4f of the real test records',
		$synthetic, $held_out);
	cmp_ok($synthetic, '<=', $held_out, 'real records recur no more often than in other real data');

	# Records that are unique among the real ones: as many hits as another seed has, up to chance.
	my @other = $shared->(generated(20260101));
	my ($hits, $other_hits) = map { my $r = $_; scalar grep { $unique{$_} } @$r } \@ours, \@other;
	note("equal to a unique real record: $hits, with another seed $other_hits");
	cmp_ok(abs($hits - $other_hits), '<=', 5 * sqrt($hits + $other_hits + 1),
		'unique real records are hit no more often than with another seed');
	ok(!$times{ join ',', @{ $karen[0] }{ (split /,/, (split /\n/, $csv)[0])[ 2 .. 15 ] } },
		'Karen is not a real record');
}

done_testing();
