#
# 084_clients.pl
#	  Clients that people use, as a restricted role of a protected table, directly and through a pooler.
#
# Each program in test/clients takes the same tour on one connection: it looks at the table by the client's own means,
# asks with parameters, reads groups by a cursor, and is refused.  Then it asks the same small question six times on each of some
# new connections, through poolers and not, until its budget is used up.  What it prints is compared here.  docs/clients.md is run as well:
# its queries, its configuration of the pooler, and its lines of code, which are those of the programs.
#
# A client that is not installed is skipped, and the output says so.
#
use strict;
use warnings;
use File::Spec;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Run;
use Page qw(blocks run_psql check_queries check_links);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my $programs  = File::Spec->rel2abs('test/clients');
my $directory = PostgreSQL::Test::Utils::tempdir();
my $page      = slurp_file('docs/clients.md');
my @blocks    = blocks($page);
my ($password) = $page =~ /^CREATE ROLE alice LOGIN PASSWORD '(.*)';$/m;

# ---- The server, with passwords over TCP ----

my $node = PostgreSQL::Test::Cluster->new('clients');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
listen_addresses = 'localhost'
autovacuum = off
log_statement = none
CONF
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf', <<'CONF');
local all all trust
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
CONF
$node->start;
is(run_psql($node, "\\set ON_ERROR_STOP on\nCREATE EXTENSION dpriv;\n\\i data/adult.sql\nSELECT count(*) FROM adult;\n", '-A', '-t'),
	"5000\n", 'example data');

# ---- The page ----

append_to_file("$directory/pgpass", "*:*:*:alice:$password\n");
chmod 0600, "$directory/pgpass";
{
	local $ENV{PGPASSFILE} = "$directory/pgpass";
	check_queries($node, 'docs/clients.md', @blocks);
}
check_links('docs/clients.md', $page);

my %source = (python => slurp_file("$programs/psycopg_tour.py"), js => slurp_file("$programs/node.js"), java => slurp_file("$programs/Jdbc.java"));
foreach my $block (grep { $source{ $_->{language} } } @blocks)
{
	foreach my $line (split /\n/, $block->{text})
	{
		like($source{ $block->{language} }, qr/^\s*\Q$line\E$/m, "docs/clients.md, line $block->{line}: runs") if $line =~ /\S/;
	}
}

# ---- Roles ----

my @roles = qw(psql libpq psycopg node jdbc odbc);
foreach my $role (@roles, 'app')
{
	$node->safe_psql('postgres', <<"SQL");
CREATE ROLE $role LOGIN PASSWORD '$password';
GRANT SELECT ON adult TO $role;
SELECT dpriv.grant_budget('$role', 'adult', 2);
SQL
}

# What a role has spent, and in how many charges.
sub spent
{
	my ($role) = @_;
	return $node->safe_psql('postgres', "SELECT spent_epsilon, charges FROM dpriv.budget_status WHERE grantee = '$role'");
}

# Runs a command as a role, with standard input, and returns what it prints, errors too.
sub printed
{
	my ($role, $command, $input) = @_;
	my $output = '';
	local @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER PGPASSWORD)} = ('127.0.0.1', $node->port, 'postgres', $role, $password);
	IPC::Run::run($command, '<', \($input // ''), '>&', \$output, IPC::Run::timeout(300));
	return $output;
}

# Whether a command is there and succeeds.
sub succeeds
{
	my @command = @_;
	return eval { IPC::Run::run(\@command, '<', \undef, '>&', \my $output, IPC::Run::timeout(300)) };
}

# Skips with a reason that is seen.
sub missing
{
	my ($reason, $tests) = @_;
	diag("SKIPPED: $reason");
	skip($reason, $tests);
}

# ---- The poolers ----

my %port = (direct => $node->port);
my @poolers;
local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";

# The configuration of the page, with other ports and files.  Each transaction goes to another server connection of its role than
# the one before, if it has two.
sub start_pooler
{
	my ($mode) = @_;
	my ($conf) = map { $_->{text} } grep { $_->{language} eq 'ini' } @blocks;
	my ($file, $log) = ("$directory/$mode.ini", '');
	my %here = (
		postgres    => "host=127.0.0.1 port=$port{direct}",
		listen_port => $port{$mode} = PostgreSQL::Test::Cluster::get_free_port(),
		auth_file   => "$directory/users",
		pool_mode   => $mode);

	foreach my $key (sort keys %here)
	{
		$conf =~ s/^\Q$key\E = \K.*$/$here{$key}/m or die "docs/clients.md does not set $key\n";
	}
	append_to_file($file, <<"INI");
$conf
listen_addr = 127.0.0.1
unix_socket_dir =
server_round_robin = 1
logfile = $directory/$mode.log
[databases]
shared = host=127.0.0.1 port=$port{direct} dbname=postgres user=app
INI
	push @poolers, IPC::Run::start([ 'pgbouncer', $file ], '<', \undef, '>&', \$log, my $timer = IPC::Run::timeout(180));
	pump_until($poolers[-1], $timer, \$log, qr/process up/) or die "no pooler: $log\n";
	return;
}

my $pooled = succeeds('pgbouncer', '--version');
if ($pooled)
{
	append_to_file("$directory/users", join '', map { qq("$_" "$password"\n) } @roles, 'app', 'alice');
	chmod 0600, "$directory/users";
	start_pooler('transaction');
	start_pooler('session');
}

# Runs psql through a pooler.
sub psql
{
	my ($role, $mode, $script, $database) = @_;
	return printed($role, [ 'psql', '-X', '-q', '-A', '-t', '-v', 'VERBOSITY=verbose', '-p', $port{$mode}, '-d', $database // 'postgres' ], $script);
}

# A second server connection for a role, while the first is in a transaction.
sub open_two
{
	my ($role) = @_;
	return psql($role, 'transaction', "BEGIN;\n\\! psql -X -A -t -p $port{transaction} -c 'SELECT 1'\nCOMMIT;\n");
}

# ---- The programs ----

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my ($include, $library) = map { qx("$pg_config" --$_) } 'includedir', 'libdir');
my $jar = '/usr/share/java/postgresql.jar';

# node-postgres is Debian's, or else comes from npm.
sub find_node_postgres
{
	my @look = ('node', '-e', q{require('pg'); require('pg-cursor')});

	local $ENV{HOME} = $directory;
	succeeds(@look) || succeeds('npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefix', $directory, 'pg@8', 'pg-cursor@2') && succeeds(@look);
}
$ENV{NODE_PATH} = join ':', "$directory/node_modules", '/usr/share/nodejs', $ENV{NODE_PATH} // ();

# Debian's ecj calls itself javac too.
my @java = ('-source', '11', '-target', '11', '-proc:none', '-cp', $jar, '-d', $directory, "$programs/Jdbc.java");
my $odbc = 'import pyodbc; "PostgreSQL Unicode" in pyodbc.drivers() or exit(1)';

# Whether a client is installed; how its program is made, if at all, and run; and what it prints besides.
my %program = (
	psql => {
		installed => sub { 1 },
		run       => ["$programs/psql.sh"],
		more      => { shown => qr/^id\|integer.*\npublic\|adult\|table\|postgres\|permanent\|heap\|\|/s }
	},
	libpq => {
		installed => sub { 1 },
		make => [ $ENV{CC} // 'gcc', '-Wall', '-Wextra', '-Werror', "-I$include", "$programs/libpq.c", '-o', "$directory/libpq", "-L$library", "-Wl,-rpath,$library", '-lpq' ],
		run  => ["$directory/libpq"],
		more => { described => qr/^701,23,20$/, 'behind it' => qr/^aborted$/ }
	},
	psycopg => {
		installed => sub { succeeds('/usr/bin/python3', '-c', 'import psycopg') },
		run       => [ '/usr/bin/python3', '-B', "$programs/psycopg_tour.py" ]
	},
	node => { installed => \&find_node_postgres, run => [ 'node', "$programs/node.js" ] },
	jdbc => {
		installed => sub { -e $jar && succeeds('java', '-version') && (succeeds('javac', '-version') || succeeds('ecj', '-version')) },
		make      => [ succeeds('javac', '-version') ? 'javac' : 'ecj', @java ],
		run       => [ 'java', '-XX:TieredStopAtLevel=1', '-cp', "$jar:$directory", 'Jdbc' ],
		more      => { tables => qr/^adult$/, indexes => qr/^adult_pkey$/, described => qr/^float8,int4,int8$/ }
	},
	odbc => {
		installed => sub { succeeds('/usr/bin/python3', '-c', $odbc) },
		run       => [ '/usr/bin/python3', '-B', "$programs/odbc.py" ],
		more      => { tables => qr/^adult$/, indexes => qr/^adult_pkey$/ }
	});

my $hint = 'Use dp_count(), dp_avg() and the other private aggregates';
my $columns = $node->safe_psql('postgres', q{SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'adult'::regclass AND attnum > 0});
my ($over_40, $average) = split /\|/, $node->safe_psql('postgres', 'SELECT count(*) FILTER (WHERE age > 40), avg(age) FROM adult');

foreach my $name (@roles)
{
  SKIP:
	{
		my %more = %{ $program{$name}{more} // {} };
		my $make = $program{$name}{make};

		missing("$name is not installed", 10 + keys %more) unless $program{$name}{installed}->();
		my $made = $make ? printed($name, $make) : '';
		ok(!$make || $? == 0, "$name: the program is made") or diag($made);

		open_two($name) if $pooled;
		my $output = printed($name, [ @{ $program{$name}{run} }, map { $port{$_} // $port{direct} } 'direct', 'transaction', 'session', 'transaction', 'direct' ]);
		note($output);
		my %line;
		push @{ $line{$1} }, $2 while $output =~ /^([\w ]+): (.*)$/mg;
		my %value = map { $_ => join("\n", @{ $line{$_} }) } keys %line;

		is($value{columns}, $columns, "$name: columns");
		cmp_ok($value{estimate}, '==', -1, "$name: no estimate of rows");
		cmp_ok(abs($value{count} - $over_40), '<', 100, "$name: a count with parameters");
		cmp_ok(abs($value{average} - $average), '<', 2, "$name: an average with parameters");
		is($value{cursor}, 'Female,Male,none', "$name: groups by a cursor");
		like($value{refused}, qr/^42501 \| .*rows of protected relation "adult" cannot be read.*\Q$hint\E/, "$name: a refusal with its SQLSTATE and hint");
		is($value{after}, 0.75, "$name: the connection goes on; a cursor is charged once");
		like($value{asked}, qr/^6\n6\n3 then 53400 \| .*budget exhausted.* Ask for less .*\n0 then 53400 \| .*budget exhausted/, "$name: the budget follows the role")
		  or diag($output);
		is(spent($name), '2|18', "$name: what was charged");
		like($value{$_}, $more{$_}, "$name: $_") foreach sort keys %more;
	}
}

# ---- What poolers change ----

SKIP:
{
	missing('pgbouncer is not installed: no client went through a pooler', 12) unless $pooled;

	foreach my $mode ('transaction', 'session')
	{
		like(slurp_file("$directory/$mode.log"), qr/login attempt: db=postgres user=psql /, "clients went through the pooler, mode $mode");
	}

	is(open_two('alice'), "1\n", 'two server connections');
	like(psql('alice', 'transaction', "PREPARE p AS SELECT 1;\nEXECUTE p;\n"), qr/ERROR:  26000/, 'transaction mode: PREPARE is lost');
	is(psql('alice', 'transaction', "SET dpriv.epsilon = 0.125;\n" x 2), '', '... and settings of one client');
	is(psql('alice', 'transaction', "SHOW dpriv.epsilon;\n"), "0.125\n", '... are found by the next');
	is(psql('alice', 'transaction', "BEGIN;\nSET LOCAL dpriv.epsilon = 0.25;\nSELECT dp_count(*) IS NOT NULL FROM adult;\nCOMMIT;\n"), "t\n", '... SET LOCAL works');
	is(psql('alice', 'session', "SET dpriv.epsilon = 0.125;\nPREPARE p AS SELECT dp_count(*) IS NOT NULL FROM adult;\nEXECUTE p;\n"), "t\n", 'session mode: both are kept');
	is(psql('alice', 'session', "SHOW dpriv.epsilon;\nEXECUTE p;\n") =~ s/^psql:.*?ERROR: *(\w+).*/$1/mr =~ s/^LOCATION.*\n//mr,
		"0\nERROR:  26000: prepared statement \"p\" does not exist\n", '... and not found by the next');
	is(spent('alice'), '1.375|4', 'what was charged');

	is(psql('alice', 'transaction', "SELECT session_user, dp_count(adult, 0.25) IS NOT NULL FROM adult;\n", 'shared'), "app|t\n", 'a shared login');
	is(join(' ', spent('alice'), spent('app')), '1.375|4 0.25|1', '... is charged itself');
}

$node->stop;
done_testing();

END
{
	my $status = $?;

	$_->kill_kill foreach @poolers;
	$? = $status;
}
