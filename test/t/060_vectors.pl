#
# 060_vectors.pl
#	  The functions of accounting give the numbers of test/vectors: published ones, and ones from definitions.
#
# A row has name, SQL expression, relation, expected, tolerance and source, separated by tabs; the head of
# accounting.tsv says what they mean.  All rows of a file run in one session, none can hide another.
#
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use POSIX qw(strtod);
use Test::More;

# At least so many rows, so that a file cannot shrink unseen.
my %files = ('accounting.tsv' => 800, 'computed.tsv' => 890);

# What ~above allows for rounding below what is expected.
use constant BELOW => 1e-9;

my $number = qr/-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|-?Infinity/;


# ---- Rows ----

sub rows_of
{
	my ($file) = @_;
	my (@rows, %seen);

	foreach my $line (split /\n/, slurp_file("$FindBin::Bin/../vectors/$file"))
	{
		next if $line =~ /^#/ || $line eq '';
		my @columns = split /\t/, $line, -1;
		my %row;

		die "$file: not 6 columns: $line\n" if @columns != 6;
		@row{qw(name expression relation expected tolerance source)} = @columns;
		die "$file: $row{name} is there twice\n" if $seen{ $row{name} }++;
		die "$file: $row{name}: relation $row{relation}\n" if $row{relation} !~ /^(?:=|<=|>=|~above|above|below)$/;
		die "$file: $row{name}: tolerance $row{tolerance}\n"
		  if $row{tolerance} !~ /^(?:-|(?:abs|rel) $number)$/;
		die "$file: $row{name}: only a number has a tolerance\n"
		  if ($row{tolerance} eq '-') != ($row{expected} !~ /^$number$/);
		push @rows, \%row;
	}
	return @rows;
}

# Does a result stand in the relation to what is expected?
sub fits
{
	my ($result, $relation, $expected, $tolerance) = @_;

	return 0 unless defined $result;
	return $result =~ /^error 22/ ? 1 : 0 if $expected eq 'error';
	return $result eq $expected ? 1 : 0 if $tolerance eq '-';
	return 0 unless $result =~ /^$number$/;

	my ($kind, $slack) = split / /, $tolerance;
	my $infinite = $expected =~ /Infinity/;

	# Infinity times 0 is not a number.
	if ($kind eq 'rel')
	{
		$slack = $infinite ? 0 : $slack * abs $expected;
	}
	return abs($result - $expected) <= $slack ? 1 : 0 if $relation eq '=' && !$infinite;
	return $result == $expected ? 1 : 0 if $relation eq '=';
	return $result <= $expected + $slack ? 1 : 0 if $relation eq '<=';
	return $result >= $expected - $slack ? 1 : 0 if $relation eq '>=';

	# To the last digit, which Perl's own reading of decimals may miss.
	my ($exact_result, $exact_expected) = map { scalar strtod($_) } $result, $expected;
	return $exact_result >= $exact_expected && $result <= $expected + $slack ? 1 : 0 if $relation eq 'above';
	return $exact_result <= $exact_expected && $result >= $expected - $slack ? 1 : 0 if $relation eq 'below';

	my $below = $infinite ? 0 : BELOW * abs $expected;
	return $result >= $expected - $below && $result <= $expected + $slack ? 1 : 0;
}


# ---- The comparison itself notices what is wrong ----

my @plants = (
	# result, relation, expected, tolerance, fits
	[ '1.0000000005', '=', '1', 'rel 1e-9', 1 ],
	[ '1.000000002', '=', '1', 'rel 1e-9', 0 ],
	[ '0.999999998', '=', '1', 'rel 1e-9', 0 ],
	[ '1e-300', '=', '1.1e-300', 'rel 0.2', 1 ],
	[ '1e-300', '=', '2e-300', 'rel 1e-9', 0 ],
	[ '1.05', '=', '1', 'abs 0.1', 1 ],
	[ '1.2', '=', '1', 'abs 0.1', 0 ],
	[ '-1', '=', '1', 'abs 0.1', 0 ],
	[ '7', '=', '7', 'abs 0', 1 ],
	[ '8', '=', '7', 'abs 0', 0 ],
	[ 'Infinity', '=', 'Infinity', 'rel 1e-9', 1 ],
	[ '1e308', '=', 'Infinity', 'rel 1e-9', 0 ],
	[ 'Infinity', '=', '1', 'rel 1e-9', 0 ],
	[ '-Infinity', '=', 'Infinity', 'rel 1e-9', 0 ],
	[ '0.5', '<=', '1', 'abs 0', 1 ],
	[ '1', '<=', '1', 'abs 0', 1 ],
	[ '1.0000000000000002', '<=', '1', 'abs 0', 0 ],
	[ '1.0000000005', '<=', '1', 'rel 1e-9', 1 ],
	[ '1.1', '<=', '1', 'rel 1e-9', 0 ],
	[ 'Infinity', '<=', '1', 'rel 1e-9', 0 ],
	[ '1.5', '>=', '1', 'abs 0', 1 ],
	[ '0.9999999999999999', '>=', '1', 'abs 0', 0 ],
	[ '0.95', '>=', '1', 'abs 0.1', 1 ],
	[ '0.8', '>=', '1', 'abs 0.1', 0 ],
	[ '1.0000005', '~above', '1', 'rel 1e-6', 1 ],
	[ '0.9999999995', '~above', '1', 'rel 1e-6', 1 ],
	[ '0.9999999', '~above', '1', 'rel 1e-6', 0 ],
	[ '1.00001', '~above', '1', 'rel 1e-6', 0 ],
	[ 'Infinity', '~above', 'Infinity', 'rel 1e-6', 1 ],
	[ '5', '~above', 'Infinity', 'rel 1e-6', 0 ],
	[ '1', 'above', '1', 'rel 1e-9', 1 ],
	[ '1.0000000005', 'above', '1', 'rel 1e-9', 1 ],
	[ '1.000000002', 'above', '1', 'rel 1e-9', 0 ],
	[ '0.9999999999999999', 'above', '1', 'rel 1e-9', 0 ],
	[ '1.0986122886681096', 'above', '1.0986122886681098', 'rel 1e-9', 0 ],
	[ 'Infinity', 'above', 'Infinity', 'rel 1e-9', 1 ],
	[ '1e308', 'above', 'Infinity', 'rel 1e-9', 0 ],
	[ 'Infinity', 'above', '1', 'rel 1e-9', 0 ],
	[ '1', 'below', '1', 'rel 1e-9', 1 ],
	[ '0.9999999995', 'below', '1', 'rel 1e-9', 1 ],
	[ '0.999999998', 'below', '1', 'rel 1e-9', 0 ],
	[ '1.0000000000000002', 'below', '1', 'rel 1e-9', 0 ],
	[ 'analytic', '=', 'analytic', '-', 1 ],
	[ 'classic', '=', 'analytic', '-', 0 ],
	[ 'error 22023 out of range', '=', 'error', '-', 1 ],
	[ 'error 42883 no such function', '=', 'error', '-', 0 ],
	[ '1', '=', 'error', '-', 0 ],
	[ 'error 22023 out of range', '<=', '1', 'abs 0', 0 ],
	[ 'NaN', '=', '1', 'rel 1e-9', 0 ],
	[ 'NaN', '<=', 'Infinity', 'rel 1e-9', 0 ],
	[ 'NULL', '<=', '1', 'rel 1e-9', 0 ],
	[ undef, '<=', '1', 'rel 1e-9', 0 ]);

foreach my $plant (@plants)
{
	my ($result, $relation, $expected, $tolerance, $fits) = @$plant;
	is(fits($result, $relation, $expected, $tolerance),
		$fits, sprintf '%s %s %s, %s', $result // 'nothing', $relation, $expected, $tolerance);
}


# ---- The rows ----

my $node = PostgreSQL::Test::Cluster->new('vectors');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dpriv');

# The results of expressions, in order: as PostgreSQL prints them (the shortest decimal that reads back as the same
# float8), NULL, or error SQLSTATE MESSAGE.
sub evaluate
{
	my $script = <<'SQL';
CREATE FUNCTION pg_temp.evaluate(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT (%s)::text', expression) INTO result;
	RETURN coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN replace(format('error %s %s', SQLSTATE, SQLERRM), chr(10), ' ');
END $$;
SQL
	$script .= "SELECT pg_temp.evaluate(\$row\$$_\$row\$);\n" foreach @_;
	$node->psql('postgres', $script, stdout => \my $results, stderr => \my $stderr, on_error_stop => 0);
	diag $stderr if $stderr ne '';
	return split /\n/, $results;
}

is_deeply(
	[ evaluate('1 / 0', 'NULL::float8', 'no_such_function(1)', '0.1::float8 + 0.2', 'repeat(chr(65), 2)') ],
	[
		'error 22012 division by zero',
		'NULL',
		'error 42883 function no_such_function(integer) does not exist',
		'0.30000000000000004',
		'AA'
	],
	'a failing expression does not hide the next one');

foreach my $file (sort keys %files)
{
	my @rows = rows_of($file);
	my @results = evaluate(map { $_->{expression} } @rows);

	cmp_ok(scalar @rows, '>=', $files{$file}, "rows of $file");
	foreach my $row (@rows)
	{
		my $result = shift @results;

		ok(fits($result, @$row{qw(relation expected tolerance)}), $row->{name})
		  or diag sprintf "%s\nis %s\nmust be %s %s, %s\nsource: %s", $row->{expression}, $result // 'missing',
		  @$row{qw(relation expected tolerance source)};
	}
}

$node->stop;
done_testing();
