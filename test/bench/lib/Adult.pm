# Adult.pm
#	  UCI Adult: as a table, larger than it is, and as a matrix for liblinear.
#
package Adult;

use strict;
use warnings;

use Exporter qw(import);
use Server qw(query);

our @EXPORT_OK = qw(load_adult enlarge_adult write_matrix training);

my %bounds = (age => [ 17, 90 ], education_num => [ 1, 16 ], capital_gain => [ 0, 99999 ], capital_loss => [ 0, 4356 ], hours_per_week => [ 1, 99 ]);
my @numbers    = sort keys %bounds;
my @categories = qw(workclass education marital_status occupation relationship race sex native_country);
my %values;

# The training part as table adult; the file has a header.
sub load_adult
{
	my ($sql, $file) = @_;

	query($sql, 'CREATE TABLE adult (age int, workclass text, fnlwgt int, education text, education_num int, marital_status text, occupation text,
		relationship text, race text, sex text, capital_gain int, capital_loss int, hours_per_week int, native_country text, income text)');
	query($sql, "COPY adult FROM '$file' WITH (FORMAT csv, HEADER)");
	query($sql, 'VACUUM (FREEZE, ANALYZE) adult');
	$values{$_} = [ split /\n/, (query($sql, "SELECT DISTINCT $_ FROM adult ORDER BY 1"))[0] ] foreach @categories;
}

# A table of so many rows: rows of Adult drawn at random, numbers a little beside theirs.
sub enlarge_adult
{
	my ($sql, $table, $rows) = @_;
	my %number = map { $_ => "greatest($bounds{$_}[0], least($bounds{$_}[1], $_ + (random() * 4)::int - 2))" } @numbers;

	query($sql, "CREATE UNLOGGED TABLE $table AS SELECT income, " . join(', ', @categories) . ', ' .
			join(', ', map { "$number{$_} AS $_" } @numbers) .
			" FROM (SELECT (random() * (SELECT count(*) - 1 FROM adult))::int AS n FROM generate_series(1, $rows) OFFSET 0) AS drawn
			JOIN (SELECT *, row_number() OVER () - 1 AS n FROM adult) AS a USING (n)");
	query($sql, "VACUUM (FREEZE, ANALYZE) $table");
}

# The statement that trains on a table, by all columns or by two numbers.
sub training
{
	my ($table, $method, $more, $two) = @_;
	my @columns = $two ? qw(age education_num) : (@numbers, @categories);
	my %feature = (
		(map { $_ => "[$bounds{$_}[0], $bounds{$_}[1]]" } @numbers),
		(map { $_ => '[' . join(', ', map { qq{"$_"} } @{ $values{$_} }) . ']' } @categories));

	return "SELECT count(*) FROM dp_logreg_train('$table', 'income', ARRAY[" . join(', ', map { "'$_'" } @columns)
	  . "], 1, 1e-5, '$method', options => '{" . join(', ', '"positive": ">50K"', $more // ())
	  . ', "features": {' . join(', ', map { qq{"$_": $feature{$_}} } @columns) . "}}')";
}

# The same rows as liblinear reads them.
sub write_matrix
{
	my ($sql, $path) = @_;
	my ($index, %index) = (scalar @numbers);
	foreach my $category (@categories)
	{
		$index{$category}{$_} = ++$index foreach @{ $values{$category} };
	}
	my ($table) = query($sql, 'SELECT income, ' . join(', ', @numbers, @categories) . ' FROM adult');
	open my $file, '>', $path or die "$path: $!\n";
	foreach my $line (split /\n/, $table)
	{
		my ($income, @value) = split /\|/, $line;
		my @number = splice @value, 0, @numbers;
		my @entry  = map {
			my ($lower, $upper) = @{ $bounds{ $numbers[$_] } };
			$_ + 1 . ':' . (2 * ($number[$_] - $lower) / ($upper - $lower) - 1)
		} 0 .. $#numbers;
		print $file join(' ', $income eq '>50K' ? '+1' : '-1', @entry, map { "$index{ $categories[$_] }{ $value[$_] }:1" } 0 .. $#categories), "\n";
	}
	close $file or die "$path: $!\n";
}

1;
