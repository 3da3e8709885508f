#
# 050_readme.pl
#	  README.md shows what happens: its queries are run, and their outputs compared.
#
# How queries and outputs are compared: test/lib/Page.pm.  The session has the configuration that the page asks
# for, and the example data.
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
my $readme = slurp_file('README.md');


# ---- The page ----

my @blocks = blocks($readme);
my @queries = grep { $_->{language} eq 'sql' } @blocks;
my @outputs = grep { defined $_->{expected} } @queries;

cmp_ok(scalar @queries, '>=', 15, 'there are queries');
cmp_ok(scalar @outputs, '>=', 12, 'most have outputs');
is(scalar(grep { $_->{language} eq 'text' } @blocks), 0, 'no output without a query');
is(scalar(grep { $_->{expected} =~ /^\s*$/ } @outputs), 0, 'no output is empty');


# ---- The comparison notices ----

my ($sample) = grep { $_->{noise}{dp_count} && $_->{expected} =~ /^ +Female +\| +\d+$/m } @outputs;
my %change = (
	'a number beyond the tolerance' => sub { s/^( +Female +\| +)(\d+)$/$1 . ($2 + 81)/me },
	'another text' => sub { s/Female/Frmale/ },
	'another column' => sub { s/dp_count/dp_sum/ },
	'a row less' => sub { s/^ +Female .*\n//m },
	'a row less, and the footer' => sub { s/^ +Female .*\n//m && s/\(3 rows\)/(2 rows)/ },
	'a word in place of a number' => sub { s/^( +Female +\| +)\d+$/$1NaN/m },
	'an error' => sub { s/\z/ERROR:  no\n/ });

ok(!defined difference($sample->{expected}, $sample->{expected}, $sample->{noise}), 'equal is equal');
$_ = $sample->{expected} =~ s/^( +Female +\| +)(\d+)$/$1 . ($2 + 79)/mer;
ok(!defined difference($sample->{expected}, $_, $sample->{noise}), 'noise is accepted');
ok(defined difference($sample->{expected}, $_, {}), 'but only where it is announced');
foreach my $what (sort keys %change)
{
	local $_ = $sample->{expected};
	ok($change{$what}->() && defined difference($sample->{expected}, $_, $sample->{noise}),
		"noticed: $what");
}


# ---- The queries ----

my $node = PostgreSQL::Test::Cluster->new('readme');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\n");

# The configuration that the page asks for.
my @settings = grep { $_->{language} eq 'ini' } @blocks;
is(scalar @settings, 1, 'one piece of configuration');
$node->append_conf('postgresql.conf', $_->{text}) foreach @settings;

# The page connects as alice, over TCP, with the password that it gives her.
my ($password) = $readme =~ /^CREATE ROLE alice LOGIN PASSWORD '(.*)';$/m;
my $passfile = PostgreSQL::Test::Utils::tempdir() . '/pgpass';
append_to_file($passfile, "*:*:*:alice:$password\n");
chmod 0600, $passfile;
$ENV{PGPASSFILE} = $passfile;
$node->append_conf('postgresql.conf', "listen_addresses = 'localhost'\n");
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf', <<'CONF');
local all all trust
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
CONF
$node->start;

my $loaded = run_psql($node, "\\set ON_ERROR_STOP on\n" .
	  "CREATE EXTENSION dpriv;\n\\i data/adult.sql\nSELECT count(*) FROM adult;\n", '-A', '-t');
is($loaded, "5000\n", 'example data');

check_queries($node, 'README.md', @blocks);
is( run_psql($node, "\\connect - alice localhost\nSELECT inet_server_port() IS NOT NULL, session_user;\n", '-A', '-t'),
	"t|alice\n", 'alice came over TCP');
{
	local $ENV{PGPASSFILE} = "$passfile.none";
	like(run_psql($node, "\\connect - alice localhost\nSELECT 1;\n", '-A', '-t', '-w'), qr/no password supplied/, 'and needs her password');
}


# ---- The rest of the page ----

# Commands: targets that exist.
my $makefile = slurp_file('Makefile');
my @targets = map { /^make (?:PG_CONFIG=\S+ ?)?([\w-]*)$/mg } map { $_->{text} }
  grep { $_->{language} eq 'sh' } @blocks;
cmp_ok(scalar @targets, '>=', 6, 'there are commands');
foreach my $target (grep { $_ ne '' && $_ ne 'install' } @targets)
{
	like($makefile, qr/^\Q$target\E:/m, "make $target");
}

check_links('README.md', $readme);

# Settings: as the server has them.
my %role = (everybody => 'user', superuser => 'superuser');
my %settings;
while ($readme =~ /^\| `(dpriv\.\w+)` \| (?:`(\w+)`|([-\d.]+))[^|]* \| (\w+) \|/mg)
{
	$settings{$1} = ($2 // $3) . ' ' . $role{$4};
}
my $known = $node->safe_psql('postgres', "LOAD 'dpriv';
	SELECT name || '=' || boot_val || ' ' || context FROM pg_settings WHERE name LIKE 'dpriv.%' ORDER BY name");
is(join("\n", map { "$_=$settings{$_}" } sort keys %settings), $known, 'table of settings');

# Troubleshooting: every error that is listed can be had.
my %provoke = (
	'dp_count has no epsilon' => 'SELECT dp_count(*) FROM adult',
	'epsilon of dp_count is out of range' => 'SELECT dp_count(adult, 50) FROM adult',
	'dp_count has no delta' => 'SET dpriv.mechanism = gaussian; SELECT dp_count(adult, 1) FROM adult',
	'delta of dp_count is out of range' => 'SELECT dp_count(adult, 1e-6, 1) FROM adult',
	'epsilon of the Gaussian measures of a release is too large' =>
	  'SET dpriv.mechanism = gaussian; SELECT dp_avg(age, 17, 90, 20, 1e-18), dp_count(adult, 20, 1e-18) FROM adult',
	'epsilon of dp_count must be a constant or a parameter' => 'SELECT dp_count(adult, random()) FROM adult',
	'dp_error was called outside a private release' => 'SELECT dp_error(5) FROM adult',
	'budget exhausted' => "BEGIN; SELECT dpriv.set_cap('adult', 2); SELECT dp_count(adult, 2) FROM adult",
	'budget of delta exhausted' => "BEGIN; SELECT dpriv.set_cap('adult', 100); SET LOCAL dpriv.mechanism = gaussian; SELECT dp_count(adult, 0.5, 1e-6) FROM adult",
	'lifetime budget exhausted' => "BEGIN; SELECT dpriv.set_cap('adult', 100, 0.5, period => '1 day', lifetime_epsilon => 2);
		SELECT dp_count(adult, 2) FROM adult",
	'the role\'s budget was revoked' => 'SET SESSION AUTHORIZATION analyst; SELECT dp_count(adult, 1) FROM adult',
	'the role has no budget' => "BEGIN; SET LOCAL dpriv.require_budget = on; CREATE ROLE stranger; GRANT SELECT ON adult TO stranger;
		SET SESSION AUTHORIZATION stranger; SELECT dp_count(adult, 1) FROM adult",
	'budget of role "analyst" on table public.adult has no cap beside it' =>
	  "BEGIN; SELECT dpriv.set_cap('adult', NULL); SELECT dpriv.grant_budget('analyst', 'adult', 1)",
	'budget of role "analyst" on table public.adult has a period but no lifetime_epsilon' =>
	  "BEGIN; SELECT dpriv.grant_budget('analyst', 'adult', 1, period => '1 month')",
	'must be owner of relation adult' =>
	  "SET SESSION AUTHORIZATION analyst; SELECT dpriv.grant_budget('analyst', 'adult', 9)",
	'"adults_by_sex" cannot have a budget' => "SELECT dpriv.grant_budget('analyst', 'adults_by_sex', 1)",
	'accountant zcdp needs a delta' => "SELECT dpriv.grant_budget('analyst', 'adult', 3, accountant => 'zcdp')",
	'permission denied for table ledger' => 'SET SESSION AUTHORIZATION analyst; SELECT * FROM dpriv.ledger',
	'session budget exhausted' => 'SET dpriv.session_budget = 0; SELECT dp_count(adult, 1) FROM adult',
	'session budget of delta exhausted' => 'SET dpriv.session_budget = 9; SET dpriv.mechanism = gaussian;
		SELECT dp_count(adult, 1, 1e-6) FROM adult',
	'GROUP BY education would reveal which values exist' =>
	  'SELECT education, dp_count(adult, 1) FROM adult GROUP BY education',
	'a private release cannot group by n of type numeric' =>
	  'SELECT n, dp_count(*) FROM (SELECT age::numeric AS n FROM adult) AS a GROUP BY n',
	'lower bound of dp_avg must be less than its upper bound' =>
	  'SET dpriv.epsilon = 1; SELECT dp_avg(age, 0.5, 1e-6) FROM adult',
	'rows of protected relation "adult" cannot be read' => 'SET SESSION AUTHORIZATION alice; SELECT count(*) FROM adult',
	'function to_char() cannot be used where a private release reads rows' =>
	  "SET SESSION AUTHORIZATION alice; SELECT dp_count(adult, 0.1) FROM adult WHERE to_char(age, '99') = ' 42'",
	'permission denied for function audit' => 'SET SESSION AUTHORIZATION alice; SELECT * FROM dpriv.audit()',
	'permission denied for table budget' => 'SET SESSION AUTHORIZATION alice; COPY dpriv.budget TO STDOUT',
	'a private release cannot read from a join' =>
	  'SELECT dp_count(a, 1) FROM adult AS a JOIN adult AS b USING (id)',
	'a subquery cannot be used where a private release reads rows' =>
	  'SELECT dp_count(adult, 1) FROM adult WHERE age > (SELECT avg(age) FROM adult)',
	'an ordinary aggregate cannot stand beside a private one' =>
	  'SELECT dp_count(adult, 1), count(*) FROM adult',
	'private release failed while reading rows' =>
	  'SELECT dp_avg(1 / (age - 17), 0, 1, 1) FROM adult',
	'private releases cannot run in a serializable transaction' =>
	  'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(adult, 1) FROM adult',
	'syntax error at or near ","' => 'SELECT dp_count(*, 0.5) FROM adult',
	'column "adult" does not exist' => 'SELECT dp_count(adult, 0.5) FROM adult AS a',
	'dp_avg does not take values of type boolean' => 'SELECT dp_avg(age >= 65, 0, 1) FROM adult',
	'function dp_histogram(date, date[]) does not exist' =>
	  "SELECT dp_histogram(date '2000-01-01' + age, ARRAY[date '2000-01-01']) FROM adult",
	'function dp_max(integer) does not exist' => 'SELECT dp_max(age) FROM adult',
	'a delta of 0.001 is large' => 'SET dpriv.mechanism = gaussian; SELECT dp_count(adult, 1, 0.001) FROM adult',
	'dp_median has no bounds' => 'SELECT dp_median(education_num) FROM adult',
	'dp_mode has no categories' => 'SELECT dp_mode(education) FROM adult',
	'permission denied for table adult' => 'BEGIN; CREATE ROLE reader; GRANT SELECT (age) ON adult TO reader;
		SET ROLE reader; SELECT dp_count(adult, 1) FROM adult',
	'permission denied to set parameter "dpriv.session_budget"' =>
	  'SET ROLE analyst; SET dpriv.session_budget = 10');
my %provoke_without_library = (
	'dp_count was called outside a private release' => 'SELECT dp_count(*) FROM adult');

sub provoked
{
	my ($errors) = @_;
	foreach my $error (sort keys %$errors)
	{
		my ($printed) = run_psql($node, "$errors->{$error};\n") =~ /^(?:ERROR|WARNING):  (.*)$/m;
		is($printed, $error, "troubleshooting: $error");
	}
}

my ($troubleshooting) = $readme =~ /^## Troubleshooting\n(.*?)^## /ms;
is(join("\n", sort $troubleshooting =~ /^\| `(.+?)` \|/mg),
	join("\n", sort keys %provoke, keys %provoke_without_library), 'errors under Troubleshooting');
provoked(\%provoke);

# Without the library preloaded there is that error, and LOAD helps as the page says.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
provoked(\%provoke_without_library);
my ($load) = grep { $_->{text} =~ /^LOAD / } @outputs;
ok(!defined difference($load->{expected}, run_psql($node, $load->{text}), $load->{noise}), 'LOAD without preloading');

$node->stop;
done_testing();
