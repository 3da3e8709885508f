#
# 053_budgets_page.pl
#	  docs/budgets.md shows what happens: its queries are run, its outputs compared, and its figures spent for real.
#
# How queries and outputs are compared: test/lib/Page.pm.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Page qw(blocks run_psql check_queries check_links);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my $name = 'docs/budgets.md';
my $page = slurp_file($name);


# ---- The page ----

my @blocks = blocks($page);
my @queries = grep { $_->{language} eq 'sql' } @blocks;

cmp_ok(scalar @queries, '>=', 11, 'there are queries');
is(scalar(grep { $_->{language} eq 'text' } @blocks), 0, 'no output without a query');
cmp_ok(scalar(grep { !defined $_->{expected} } @queries), '<=', 1, 'nearly all have outputs');


# ---- The queries ----

my $node = PostgreSQL::Test::Cluster->new('budgets');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpriv'\nautovacuum = off\n");
$node->start;

my $loaded = run_psql($node, "\\set ON_ERROR_STOP on\n" .
	  "CREATE EXTENSION dpriv;\n\\i data/adult.sql\nSELECT count(*) FROM adult;\n", '-A', '-t');
is($loaded, "5000\n", 'example data');
check_queries($node, $name, @blocks);


# ---- The figures ----

# The table of accountants, spent until the budget refuses.  Sums of rho are rounded up, which costs one charge at most.
my @figures = $page =~ /^ (Laplace|Gaussian)(?:, delta 1e-8)? +\| +([\d.]+) \| +(\d+) \| +(\d+) \| +(\d+)$/mg;
is(scalar @figures, 8 * 5, 'eight lines of figures');

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE person AS SELECT i AS id FROM generate_series(1, 10) AS i;
CREATE FUNCTION answers(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int := 0;
BEGIN
	LOOP
		BEGIN
			EXECUTE query;
		EXCEPTION WHEN configuration_limit_exceeded THEN
			RETURN n;
		END;
		n := n + 1;
	END LOOP;
END
$$;
SQL
while (my ($noise, $epsilon, @shown) = splice @figures, 0, 5)
{
	my %shown;

	@shown{qw(basic zcdp rdp)} = @shown;
	foreach my $accountant (sort keys %shown)
	{
		# Thousands of charges take too long.
		next if $shown{$accountant} > 1000;
		my $arguments = $noise eq 'Laplace' ? $epsilon : "$epsilon, 1e-8";
		my $mechanism = lc $noise;
		my $answers = $node->safe_psql('postgres', <<"SQL");
DROP TABLE person;
CREATE TABLE person AS SELECT i AS id FROM generate_series(1, 10) AS i;
SELECT dpriv.set_cap('person', 3, 1e-6, '$accountant') IS NULL;
SET dpriv.mechanism = $mechanism;
SELECT answers('SELECT dp_count(person, $arguments) FROM person');
SQL
		$answers =~ s/.*\n//s;
		cmp_ok(abs($answers - $shown{$accountant}), '<=', 1, "$noise $epsilon, $accountant: $answers of $shown{$accountant}");
		cmp_ok($answers, '<=', $shown{$accountant}, 'and not more');
	}
}


# ---- The rest of the page ----

check_links($name, $page);

# The bars are those of make bench.
my $bench = slurp_file('test/bench/lib/Charges.pm');
my %bar = $bench =~ /^use constant (\w+_BAR) *=> ([\d.]+);/mg;
foreach (['CHARGE_BAR', 'at least %s of the rate'], ['STATEMENT_BAR', 'at least %s of the rate'],
	['LEDGER_BAR', 'at most %s times as long'], ['SEARCH_BAR', 'at most %s ms'])
{
	my ($constant, $format) = @$_;
	my $text = sprintf $format, $bar{$constant} // 'unknown';
	like($page, qr/\Q| $text |\E/, "bar: $text");
}

$node->stop;
done_testing();
