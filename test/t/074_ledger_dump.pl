#
# 074_ledger_dump.pl
#	  Budgets and what was spent of them move with pg_dump and pg_upgrade, to relations and roles of the same names.
#
# Into another database, into another cluster where all OIDs differ, and by pg_upgrade.  DPRIV_UPGRADE_TO names the
# pg_config of the server to move to, with dpriv installed (default: the same).  No test depends on noise.
#
use strict;
use warnings;
use File::Basename qw(dirname);
use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use Ledger;

my $old = Ledger::server('old');
$old->start;
my @roles = qw(bob ann team gone);
Ledger::prepare($old, 'source', @roles, q("Odd ""Role"""));
Ledger::table($old, 'source', qw(t u dropped renamed_later));
$old->safe_psql('source', <<'SQL');
SET client_min_messages = error;
CREATE SCHEMA "Other Schema";
CREATE TABLE "Other Schema"."Odd ""Table""" AS SELECT 1 AS id;
CREATE TABLE root (id int, k int) PARTITION BY LIST (k);
CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1);
CREATE MATERIALIZED VIEW stored AS SELECT 1 AS id;
GRANT USAGE ON SCHEMA "Other Schema" TO PUBLIC;
GRANT SELECT ON "Other Schema"."Odd ""Table""", root, leaf, stored TO PUBLIC;
GRANT team TO ann;
SELECT dpriv.set_cap('t', 100, 1e-3), dpriv.grant_budget('bob', 't', 10), dpriv.grant_budget('team', 't', 10, 1e-6, 'zcdp'),
	dpriv.grant_budget('public', 't', 50, 1e-6, 'rdp'), dpriv.grant_budget('ann', NULL, 10, 1e-3, 'basic', '1 year', 20),
	dpriv.grant_budget('gone', 't', 5), dpriv.grant_budget('bob', 'dropped', 5), dpriv.grant_budget('bob', 'renamed_later', 5),
	dpriv.grant_budget('Odd "Role"', '"Other Schema"."Odd ""Table"""', 5), dpriv.grant_budget('bob', 'root', 5),
	dpriv.grant_budget('bob', 'stored', 5), dpriv.grant_budget('ann', 'u', 5);
SELECT dpriv.revoke_budget('ann', 'u');
SQL
sub release { return Ledger::release(@_) }
is(Ledger::answers($old, 'source', 'bob', join '', map { release(@$_) } [ 't', 1 ], [ 't', 2 ], [ 'dropped', 1 ], [ 'renamed_later', 1 ], [ 'leaf', 1 ], [ 'stored', 1 ]),
	6, 'bob spends');
is(Ledger::answers($old, 'source', 'ann', "SET dpriv.delta = 1e-7; SET dpriv.mechanism = gaussian;\n" . release('t', 0.5) . 'BEGIN;' . release('t', 0.5) . 'ROLLBACK;'),
	2, 'ann spends with delta');
is(Ledger::answers($old, 'source', 'gone', release('t', 1)), 1, 'a role spends that will be gone');
is(Ledger::answers($old, 'source', 'Odd "Role"', q(SELECT 'answer' FROM (SELECT dp_count(o, 1) AS c FROM "Other Schema"."Odd ""Table""" o) s WHERE c IS NOT NULL;)),
	1, 'a role and a table of odd names');
my $middle = $old->safe_psql('source', 'SELECT clock_timestamp()');
is(Ledger::answers($old, 'source', 'bob', release('t', 1)), 1, 'bob spends more');
cmp_ok($old->safe_psql('source', "SELECT dpriv.archive_ledger('$middle')"), '>', 0, 'some of it is archived');
$old->safe_psql('source', <<'SQL');
ALTER TABLE renamed_later RENAME TO renamed;
ALTER TABLE renamed SET SCHEMA "Other Schema";
ALTER ROLE team RENAME TO squad;
DROP TABLE dropped;
DROP OWNED BY gone;
DROP ROLE gone;
SQL

# What has to be the same, by names.  What was dropped has lost its name.
my $terms = <<'SQL';
SELECT budget_id, kind, CASE WHEN kind = 'role' AND EXISTS (SELECT FROM pg_roles WHERE oid = grantee) THEN grantee::text END,
	CASE WHEN EXISTS (SELECT FROM pg_class WHERE oid = relation) THEN relation::text END, accountant, epsilon, delta, orders, limits,
	delta_selection, period, lifetime_epsilon, granted_at, granted_by, changed_at, revoked
FROM dpriv.budget ORDER BY budget_id;
SQL
my $entries = <<'SQL';
SELECT charge_id, charged_at, session_role, relation_name, mechanism, epsilon, delta_basic, delta_approx, rho, curve, budget_id, entry, period_start,
	total_epsilon, total_delta_basic, total_delta_approx, total_rho, total_curve, lifetime_epsilon, query, parameters, hash
FROM (TABLE dpriv.ledger UNION ALL TABLE dpriv.ledger_archive) l ORDER BY budget_id, entry, charge_id;
SELECT count(*) FROM dpriv.ledger;
SQL
my $status = <<'SQL';
SELECT grantee, relation, accountant, epsilon, spent_epsilon, remaining_epsilon, spent_delta, reported_epsilon, charges, resets_at, lifetime_spent, revoked
FROM dpriv.budget_status WHERE grantee IS NULL OR grantee = 'public' OR EXISTS (SELECT FROM pg_roles WHERE rolname = grantee OR quote_ident(rolname) = grantee)
ORDER BY grantee, relation::text;
SQL
my %before = map { $_ => $old->safe_psql('source', $_) } $terms, $entries, $status;
like($before{$status}, qr/squad/, 'a renamed role keeps its budget');
like($before{$terms}, qr/"Other Schema"\.renamed/, 'so does a renamed table');

# A copy is as the original, and goes on from there.
sub same
{
	my ($node, $what) = @_;
	is($node->safe_psql('source', $terms), $before{$terms}, "$what: budgets are those of the same roles and relations");
	is($node->safe_psql('source', $entries), $before{$entries}, "$what: all charges are there, as they were");
	is($node->safe_psql('source', $status), $before{$status}, "$what: as much is spent");
	Ledger::intact($node, 'source', $what);
	is(Ledger::answers($node, 'source', 'bob', release('t', 4) x 3), 1, "$what: charges continue with what is left");
	is(Ledger::charged($node, 'source', 'bob', 't'), '4: 8', "$what: and add up");
	is(Ledger::answers($node, 'source', 'bob', q(SELECT 'answer' FROM (SELECT dp_count(r, 3) AS c FROM "Other Schema".renamed r) s WHERE c IS NOT NULL;) x 2), 1,
		"$what: also of a renamed table");
	is(Ledger::answers($node, 'source', 'bob', release('leaf', 3) x 2), 1, "$what: of a partition");
	is(Ledger::answers($node, 'source', 'bob', release('stored', 3) x 2), 1, "$what: of a materialized view");
	$node->safe_psql('source', "SELECT dpriv.grant_budget('bob', 't', 9)");
	is($node->safe_psql('source', q(SELECT count(*) FROM dpriv.budget WHERE grantee = 'bob'::regrole AND relation = 't'::regclass)), '1',
		"$what: granting again finds the budget");
	is(Ledger::answers($node, 'source', 'bob', release('t', 2) . release('t', 1)), 1, "$what: under the new terms");
	Ledger::intact($node, 'source', "$what, later");
	my $again = $node->safe_psql('source', "SET client_min_messages = error; BEGIN; UPDATE dpriv.ledger SET epsilon = epsilon + 1 WHERE entry = 4; SELECT count(*) > 0 FROM dpriv.verify_ledger(); ROLLBACK");
	is($again, 't', "$what: tampering is found as before");
	return;
}

my $dir = PostgreSQL::Test::Utils::tempdir();
my $target = $ENV{DPRIV_UPGRADE_TO};
my $from = $old->config_data('--bindir') =~ s/\s+$//r;
my $bindir = $target ? `$target --bindir` =~ s/\s+$//r : $old->config_data('--bindir') =~ s/\s+$//r;
my @install = $target ? (install_path => dirname($bindir)) : ();

# The dump is made by the program of the server that it goes to.
$ENV{PATH} = "$bindir:$ENV{PATH}";
foreach my $format (qw(plain custom))
{
	$old->command_ok([ 'pg_dump', '-F', $format, '-d', $old->connstr('source'), '-f', "$dir/$format" ], "pg_dump, $format");
}
$old->command_ok([ 'pg_dumpall', '--roles-only', '-d', $old->connstr('postgres'), '-f', "$dir/roles" ], 'pg_dumpall of the roles');

foreach my $format (qw(plain custom))
{
	# OIDs of roles and tables are others there, and some of them are taken by others.
	my $new = PostgreSQL::Test::Cluster->new("from_$format", @install);
	$new->init;
	$new->append_conf('postgresql.conf', "dpriv.max_epsilon = 1000\nautovacuum = off\njit = off\n");
	$new->start;
	$new->safe_psql('postgres', 'DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE format(\'CREATE ROLE other%s\', i); END LOOP; END $$; CREATE DATABASE source');
	$new->command_ok([ 'psql', '-Xq', '-d', $new->connstr('postgres'), '-f', "$dir/roles" ], "$format: the roles");
	$new->safe_psql('source', 'DO $$ BEGIN FOR i IN 1..100 LOOP EXECUTE format(\'CREATE TABLE other%s (x int)\', i); END LOOP; END $$;');
	$new->command_ok([ $format eq 'plain' ? ('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/$format") : ('pg_restore', '--exit-on-error', "$dir/$format"),
			'-d', $new->connstr('source') ], "$format: restored");
	same($new, "restored from $format");
	$new->stop;
}

# Into another database of the same cluster.  A later pg_restore may say what an earlier server does not know.
if (!$target)
{
	$old->safe_psql('postgres', 'ALTER DATABASE source RENAME TO original; CREATE DATABASE source');
	$old->command_ok([ 'pg_restore', '--exit-on-error', '-d', $old->connstr('source'), "$dir/custom" ], 'restored beside the original');
	same($old, 'another database');
	is(Ledger::charged($old, 'original', 'bob', 't'), '3: 4', 'the original knows nothing of its copy');
	$old->safe_psql('postgres', 'DROP DATABASE source');
	$old->safe_psql('postgres', 'ALTER DATABASE original RENAME TO source');
}

# pg_upgrade, where the server of these tests can be asked for it.
{
	my $new = PostgreSQL::Test::Cluster->new('new', @install);

	# From 18 on a new cluster has checksums unless told otherwise, and must be like the earlier one.
	my $without = $old->safe_psql('postgres', 'SHOW data_checksums') eq 'off';
	$new->init(extra => [ grep { $without && `$bindir/initdb --help` =~ /$_/ } '--no-data-checksums' ]);
	$new->append_conf('postgresql.conf', "dpriv.max_epsilon = 1000\nautovacuum = off\njit = off\n");
	$old->stop;
	my $here = $dir . '/upgrade';
	mkdir $here;
	chdir $here;
	command_ok([ "$bindir/pg_upgrade", '--no-sync', '-b', $from, '-B', $bindir, '-d', $old->data_dir, '-D', $new->data_dir, '-s', $new->host,
			'-p', $old->port, '-P', $new->port ], 'pg_upgrade');
	chdir $FindBin::Bin;
	$new->start;
	same($new, 'upgraded');
	$new->stop;
	unlike(slurp_file($new->logfile), qr/PANIC|TRAP:|was terminated by signal/, 'nothing wrong in the log');
}
done_testing();
