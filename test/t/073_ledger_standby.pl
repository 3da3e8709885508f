#
# 073_ledger_standby.pl
#	  A replica has the same ledger, releases nothing, and goes on from it when it is promoted; with synchronous
#	  replication no answer is sent before its charge is on both servers, whatever the session asks for.
#
# Every page that the primary changes is compared on the replica (wal_consistency_checking).  No test depends on noise.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use Ledger;

my $db      = 'postgres';
my $primary = Ledger::server('primary', allows_streaming => 1, extra => ['--data-checksums'],
	conf => "wal_consistency_checking = 'all'\nmax_connections = 25\n");
$primary->start;
Ledger::prepare($primary, $db, qw(bob ann));
Ledger::table($primary, $db, qw(t u));
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

my $release = Ledger::release('t', 1);
my $ledger  = 'SELECT * FROM dpriv.ledger ORDER BY budget_id, entry, charge_id';
my $status  = 'SELECT grantee, relation, spent_epsilon, remaining_epsilon, charges FROM dpriv.budget_status ORDER BY grantee, relation';

# ---- A replica ----

$primary->safe_psql($db, "SELECT dpriv.set_cap('t', 200), dpriv.grant_budget('bob', 't', 90), dpriv.grant_budget('ann', 't', 10, 1e-6, 'rdp')");
is(Ledger::answers($primary, $db, 'bob', $release x 3 . "BEGIN;$release" . 'ROLLBACK;BEGIN READ ONLY;' . $release . 'COMMIT;'), 5, 'the primary answers');
is(Ledger::answers($primary, $db, 'ann', $release), 1, 'others as well');

# Aborted insertions, vacuum and pruning are replayed as well.
$primary->safe_psql($db, 'VACUUM FREEZE dpriv.ledger; CHECKPOINT');
is(Ledger::answers($primary, $db, 'bob', $release), 1, 'and after a checkpoint');
$primary->wait_for_catchup($standby);
is($standby->safe_psql($db, $ledger), $primary->safe_psql($db, $ledger), 'the replica has the same ledger');
is($standby->safe_psql($db, $status), $primary->safe_psql($db, $status), 'and the same budgets');
is($standby->safe_psql($db, 'SELECT count(*) FROM dpriv.verify_ledger()'), '0', 'which can be verified there');
is($standby->safe_psql($db, 'SELECT count(*), trim_scale(sum(epsilon)) FROM dpriv.charges'), '7|7', 'the charges can be read there');
Ledger::rejected($standby, $db, 'bob', $release, '25006', 'a release on the replica is refused');
Ledger::rejected($standby, $db, 'bob', "BEGIN READ ONLY; $release", '25006', 'in a READ ONLY transaction, too');
Ledger::rejected($standby, $db, undef, $release, '25006', 'even for a superuser');
Ledger::rejected($standby, $db, undef, "SELECT dpriv.grant_budget('bob', 't', 100);", '25006', 'budgets are granted on the primary');
like($standby->safe_psql($db, q(EXPLAIN SELECT dp_count(t, 1) FROM t)), qr/Custom Scan/, 'EXPLAIN works on the replica');
$primary->wait_for_catchup($standby);
is($standby->safe_psql($db, $ledger), $primary->safe_psql($db, $ledger), 'and neither has changed');

# ---- Synchronous replication ----

$primary->safe_psql($db, "ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()");
ok($primary->poll_query_until($db, "SELECT sync_state = 'sync' FROM pg_stat_replication"), 'the replica is synchronous');
is(Ledger::answers($primary, $db, 'bob', $release), 1, 'while it is there the primary answers');
$standby->stop;
my $entries = Ledger::entries($primary, $db);

# Runs a script of bob's; once it waits for the replica, ends it in this way.  Returns output and messages.
sub while_waiting
{
	my ($sql, $end) = @_;
	my ($out, $err) = ('', '');
	my $file = PostgreSQL::Test::Utils::tempdir() . '/session.sql';
	append_to_file($file, $sql);
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-U', 'bob', '-d', $primary->connstr($db), '-v', 'VERBOSITY=verbose', '-f', $file ],
		'<', \undef, '>', \$out, '2>', \$err);
	my $waits = $primary->poll_query_until($db, "SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'bob' AND wait_event = 'SyncRep'");
	$waits = 0 if $out =~ /answer/;
	$primary->safe_psql($db, "SELECT $end(pid) FROM pg_stat_activity WHERE usename = 'bob'");
	$session->finish;
	return ($waits, $out, $err);
}

foreach my $how (qw(pg_cancel_backend pg_terminate_backend))
{
	foreach my $setting ('on', 'local', 'off', 'remote_write', 'remote_apply')
	{
		my $what = "$how with synchronous_commit = $setting";
		my ($waits, $out, $err) = while_waiting("SET synchronous_commit = $setting;\n$release", $how);
		ok($waits, "$what: the statement waits for the replica");
		unlike($out, qr/answer/, "$what: no answer comes out");

		# As at a commit, a server that is to end the session in this wait says so in a warning and hangs up.
		like($err, $how eq 'pg_cancel_backend' ? qr/ERROR:  57014:/ : qr/WARNING:  57P01:(?s:.*)server closed the connection/, "$what: it fails");
		is(Ledger::entries($primary, $db), $entries += 2, "$what: the charge is recorded");
	}
}
foreach my $sql ("BEGIN;\n$release", "BEGIN;\nSAVEPOINT s;\n$release",
	"DO \$\$ BEGIN PERFORM dp_count(t, 1) FROM t; RAISE NOTICE 'answer'; EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught'; END \$\$;")
{
	my ($waits, $out, $err) = while_waiting($sql, 'pg_cancel_backend');
	ok($waits, "in a transaction the statement waits as well: $sql");
	unlike("$out$err", qr/^(?!.*RAISE).*\banswer$/m, 'and nothing comes out');
	is(Ledger::entries($primary, $db), $entries += 2, 'but the charge');
	is($primary->safe_psql($db, q(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')), '0', 'no lock is left');
}
{
	my ($out, $errors) = Ledger::as($primary, $db, 'bob', "SET statement_timeout = '300ms';\n$release");
	is($out, '', 'nor does anything come out when the wait times out');
	is($errors, '57014', 'which is an error');
	is(Ledger::entries($primary, $db), $entries += 2, 'and has been charged');
}

# A refusal changes nothing, so that it waits for nobody.
{
	my (undef, $errors) = Ledger::as($primary, $db, 'bob', "SET statement_timeout = '20s';\n" . Ledger::release('t', 100));
	is($errors, '53400', 'an exhausted budget is refused without waiting');
}

# Back again: what waits is answered.
{
	my ($out, $err) = ('', '');
	$primary->safe_psql($db, "SET synchronous_commit = local; SELECT dpriv.set_cap('t', 1000), dpriv.grant_budget('bob', 't', 1000)");
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-U', 'bob', '-d', $primary->connstr($db), '-c', $release ], '<', \undef, '>', \$out, '2>', \$err);
	$primary->poll_query_until($db, "SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'bob' AND wait_event = 'SyncRep'");
	$standby->start;
	$session->finish;
	is($out, "answer\n", 'when the replica is back the answer comes');
	$entries += 2;
}

# Replicas tell at once what they have applied of a commit, but not of other records.
foreach my $setting (qw(off on remote_apply))
{
	is(Ledger::answers($primary, $db, 'bob', "SET statement_timeout = '5s'; SET synchronous_commit = $setting;\n$release"), 1,
		"at once with synchronous_commit = $setting");
	$entries += 2;
}

# ---- Promotion ----

# The primary dies with a charge that nobody has waited for; the replica has every one that was answered.
is(Ledger::answers($primary, $db, 'ann', "SET synchronous_commit = off;\nBEGIN;\n$release"), 1, 'a last answer in a transaction that never commits');
my $last  = $primary->safe_psql($db, $ledger);
my $spent = $primary->safe_psql($db, $status);
$primary->stop('immediate');
$standby->promote;
is($standby->safe_psql($db, $ledger), $last, 'the promoted replica has every charge');
is($standby->safe_psql($db, $status), $spent, 'and every total');
$standby->safe_psql($db, "ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf()");
$standby->poll_query_until($db, "SELECT current_setting('synchronous_standby_names') = ''");
my ($count) = Ledger::charged($standby, $db, 'bob', 't') =~ /^(\d+)/;
is(Ledger::answers($standby, $db, 'bob', $release), 1, 'it answers');
is(Ledger::charged($standby, $db, 'bob', 't'), ($count + 1) . ': ' . ($count + 1), 'and the totals go on');
$standby->safe_psql($db, "SELECT dpriv.set_cap('t', 0.5)");
Ledger::rejected($standby, $db, 'bob', $release, '53400', 'so do its limits');
Ledger::intact($standby, $db, 'after the promotion');

$standby->stop;
unlike(slurp_file($_->logfile), qr/inconsistent page|PANIC|TRAP:|was terminated by signal/, 'nothing wrong in the log of ' . $_->name)
  foreach $primary, $standby;
done_testing();
