#
# 052_accounting_page.pl
#	  docs/accounting.md shows what happens: its queries are run, and their outputs compared, all of them exactly.
#
# How queries and outputs are compared: test/lib/Page.pm.  The last digits of the mathematical library may differ
# from machine to machine, so no output may show more than 10 significant ones.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Page qw(blocks difference run_psql check_queries check_links);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my $name = 'docs/accounting.md';
my $page = slurp_file($name);


# ---- The page ----

my @blocks = blocks($page);
my @queries = grep { $_->{language} eq 'sql' } @blocks;

cmp_ok(scalar @queries, '>=', 15, 'there are queries');
is(scalar(grep { $_->{language} eq 'text' } @blocks), 0, 'no output without a query');
is(scalar(grep { ($_->{expected} // '') !~ /\S/ } @queries), 0, 'no query without an output');
is(scalar(grep { %{ $_->{noise} // {} } } @queries), 0, 'no output is noisy');
is(join(' ', grep { digits($_) > 10 } map { $_->{expected} =~ /(?<![\w.])\d+(?:\.\d+)?/g } @queries), '',
	'no output has too many digits');
is(scalar(() = $page =~ /^## [A-Z].*\?$/mg), 6, 'six questions');

sub digits
{
	my ($text) = @_;
	return length($text =~ s/^0*\.?0*|\.//gr);
}

# An output that differs in one digit is noticed.
my ($sample) = grep { $_->{expected} =~ /3236\.23/ } @queries;
ok(!defined difference($sample->{expected}, $sample->{expected}, {}), 'equal is equal');
ok(defined difference($sample->{expected}, $sample->{expected} =~ s/3236\.23/3236.24/r, {}), 'noticed: a digit');


# ---- The queries ----

my $node = PostgreSQL::Test::Cluster->new('accounting');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpriv'\n");
$node->start;

my $loaded = run_psql($node, "\\set ON_ERROR_STOP on\n" .
	  "CREATE EXTENSION dpriv;\n\\i data/adult.sql\nSELECT count(*) FROM adult;\n", '-A', '-t');
is($loaded, "5000\n", 'example data');
check_queries($node, $name, @blocks);


# ---- The rest of the page ----

check_links($name, $page);

# The functions of src/accounting/*functions.c, each at its question and in the table of errors.
my @functions = split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT DISTINCT p.proname
FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
	JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
WHERE e.extname = 'dpriv' AND d.deptype = 'e' AND p.prosrc LIKE 'dpriv\_sql\_%'
ORDER BY p.proname
SQL
cmp_ok(scalar @functions, '>=', 30, 'there are accounting functions');
my $sql = join '', map { $_->{text} } @queries;
my ($exactness) = $page =~ /^## What is exact(.*?)^## /ms;
foreach my $function (@functions)
{
	like($sql, qr/\bdpriv\.$function\(/, "$function is shown");
	like($exactness, qr/^\|.*`$function`.*\|.*\|.*\|$/m, "$function has its error");
}

$node->stop;
done_testing();
