#
# 076_group_charge.pl
#	  Sessions that wait for the same budgets are charged by the one that has them: each once, or not at all.
#
# A test build makes the leader of a group pause until all the others wait for it, then lets it fail at a step.  Whatever
# becomes of the leader, everybody else is answered exactly if he is charged.  No test depends on noise.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use lib "$FindBin::Bin/../audit";
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(usleep);
use Test::More;

use Ledger;
use Variant qw(build_library);

# A page of the ledger holds eight rows or so, and one log record changes four pages: fewer than that, and more.
use constant FOLLOWERS => 6;
use constant MANY      => 40;

my $library = build_library('faults', '-DDPRIV_FAULTS');
my $db      = 'postgres';
my $node    = Ledger::server('group', conf => <<"CONF");
dynamic_library_path = '$library:\$libdir'
max_connections = 70
restart_after_crash = on
log_min_messages = warning
CONF
$node->start;
Ledger::prepare($node, $db, qw(bob ann));
Ledger::table($node, $db, qw(t u));
$node->safe_psql($db, "SET client_min_messages = error; SELECT dpriv.set_cap('t', 1e5), dpriv.set_cap('u', 1e5)");
my $dir = PostgreSQL::Test::Utils::tempdir();

sub wait_until
{
	my ($what, $is_so) = @_;
	foreach (1 .. 6_000)
	{
		return 1 if $is_so->();
		usleep(10_000);
	}
	die "waited in vain until $what";
}

sub session
{
	my ($role, $name, $script) = @_;
	append_to_file("$dir/$name.sql", $script);
	return IPC::Run::start([ 'psql', '-XAtq', $role ? ('-U', $role) : (), '-d', $node->connstr($db), '-v', 'VERBOSITY=verbose', '-f', "$dir/$name.sql" ],
		'<', \undef, '>', "$dir/$name.out", '2>', "$dir/$name.err");
}

# A leader with these faults, and sessions with a script, all of which wait before the leader goes on.  Returns
# answers and errors of the leader, and those of all followers.
my $runs = 0;
sub group
{
	my ($faults, $script, %params) = @_;
	my $pause  = $node->data_dir . '/dpriv.pause';
	my $paused = $node->data_dir . '/dpriv.paused';
	my $run    = ++$runs;
	my $followers = $params{followers} // FOLLOWERS;

	unlink $paused;
	append_to_file($pause, '');
	my $leader = session(undef, "leader$run",
		"SET dpriv.fault = 'locked:pause" . ($faults ? ",$faults" : '') . "';\nSET SESSION AUTHORIZATION bob;\n" . Ledger::release('t', 0.5));
	wait_until('the leader pauses', sub { -e $paused });
	my @followers = map { session('ann', "follower$run.$_", $script) } 1 .. $followers;
	wait_until("$followers sessions wait",
		sub { $node->safe_psql($db, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'dpriv_budget'") == $followers });
	$params{meanwhile}->() if $params{meanwhile};
	unlink $pause;
	$_->finish foreach $leader, @followers;
	my @result;
	foreach my $names ([ "leader$run" ], [ map { "follower$run.$_" } 1 .. $followers ])
	{
		my $out = join '', map { slurp_file("$dir/$_.out") } @$names;
		my $err = join '', map { slurp_file("$dir/$_.err") } @$names;
		push @result, scalar(() = $out =~ /^answer$/mg), join(' ', $err =~ /(?:ERROR|FATAL|PANIC):  (\w{5}):/g), $out, $err;
	}
	return @result;
}

# Entries of a role in the chains of caps since the last time: a charge that is written twice counts twice.
my %seen = (bob => 0, ann => 0);
sub charges
{
	my ($role) = @_;
	my $n   = $node->safe_psql($db, "SELECT count(*) FROM dpriv.ledger JOIN dpriv.budget USING (budget_id) WHERE kind = 'cap' AND session_role = '$role'");
	my $new = $n - $seen{$role};
	$seen{$role} = $n;
	return $new;
}

# What everybody runs: one release, and what its session has spent.
my $release = Ledger::release('t', 0.25) . "SELECT 'spent ' || dpriv.session_spent();\n";

# ---- Everybody is served ----

my ($led, $errors, undef, $err, $served, $follower_errors, $out) = group('', $release, followers => MANY);
is($led,                         1,         'the leader is answered') or diag($err);
is($served,                      MANY, 'and so is everybody who waited for it');
is("$errors$follower_errors",    '',        'without an error');
is(scalar(() = $out =~ /^spent 0.25$/mg), MANY, 'each session has spent what it asked for');
is(charges('bob'), 1,         'the leader is charged once');
is(charges('ann'), MANY, 'the others too');
is($node->safe_psql($db, "SELECT count(DISTINCT charged_at) FROM dpriv.ledger"), 1, 'all of them at once: it was one group');
is($node->safe_psql($db, "SELECT count(DISTINCT xmin::text) FROM dpriv.ledger"), 1, 'and one transaction wrote them');
is($node->safe_psql($db, "SELECT string_agg(DISTINCT concat_ws(' ', session_role, \"current_role\", epsilon, cardinality(measures)), ', ') FROM dpriv.ledger"),
	'ann ann 0.25 1, bob bob 0.5 1', 'every row says whose it is');
is($node->safe_psql($db, "SELECT count(DISTINCT charge_id) FROM dpriv.ledger"), MANY + 1, 'and has an id of its own');
Ledger::intact($node, $db, 'after a group');

# In a transaction that is rolled back, and in one that has written before; the transactions of the served go on.
foreach ([ 'BEGIN;', 'ROLLBACK;' ], [ 'CREATE TEMP TABLE w (x int); BEGIN; INSERT INTO w VALUES (1);', 'COMMIT; SELECT count(*) FROM w;' ],
	[ 'BEGIN READ ONLY;', 'COMMIT;' ], [ 'BEGIN; SAVEPOINT s;', 'ROLLBACK TO s; COMMIT;' ])
{
	my ($before, $after) = @$_;
	(undef, undef, undef, $err, $served, $follower_errors, $out) = group('', "$before\n$release$after\nSELECT 'end';\n");
	is($served, FOLLOWERS, "$before: all are answered") or diag($err);
	is($follower_errors, '', 'without an error');
	is(scalar(() = $out =~ /^end$/mg), FOLLOWERS, 'and go on');
	is(charges('ann'), FOLLOWERS, 'and charged');
	charges('bob');
}

# ---- The leader fails ----

foreach (
	[qw(joined:pause,joined:error 0)], [qw(joined:pause,joined:exit 0)], [qw(locked:error 0)], [qw(checked:error 0)], [qw(half:error 0)], [qw(inserted:error 0)], [qw(flipped:error 1)],
	[qw(inserted:exit 0)], [qw(flipped:exit 1)], [qw(inserted:fatal 1)], [qw(flushed:error 1)], [qw(charged:error 1)],

	# Too many for one log record: the leader's own row is written before the last ones are inserted.
	[ 'inserted:error', 1, MANY ], [ 'inserted:exit', 1, MANY ])
{
	my ($fault, $written, $followers) = @$_;
	$followers //= FOLLOWERS;
	($led, $errors, undef, $err, $served, $follower_errors) = group($fault, $release, followers => $followers);
	is($led, 0, "leader fails, $fault: it is not answered");
	like($errors, qr/^(?:XX000|57P01)$/, 'and learns of it') or diag($err);
	is($served, $followers, 'everybody else is answered');
	is($follower_errors, '', 'without an error');
	is(charges('bob'), $written, 'the leader is charged ' . ($written ? 'once' : 'nothing'));
	is(charges('ann'), $followers, 'everybody else once');
	Ledger::intact($node, $db, "leader fails, $fault") if $fault =~ /^(?:half|inserted|flipped):e/;
}

# What a leader has to say waits until nobody waits for it: its client may not read.
my $size = -s $node->logfile;
($led, $errors, undef, $err, $served) = group('locked:warning,inserted:warning', $release);
is("$led $served", '1 ' . FOLLOWERS, 'leader with warnings: everybody is answered');
unlike($err, qr/fault at step/, 'its client is not sent a message while others wait');
like(slurp_file($node->logfile, $size), qr/WARNING:  fault at step locked.*WARNING:  fault at step inserted/s, 'the log has it');
charges($_) foreach qw(bob ann);

# The server goes down with it: what was answered is charged.
foreach my $fault (qw(inserted:crash flipped:crash))
{
	my $offset = -s $node->logfile;
	($led, $errors, undef, $err, $served) = group($fault, $release);
	$node->wait_for_log(qr/database system is ready to accept connections/, $offset);
	is("$led $served", '0 0', "leader fails, $fault: nobody is answered");
	charges($_) foreach qw(bob ann);
	Ledger::intact($node, $db, "leader fails, $fault");
}

# ---- Those who wait ----

# A cancel is heard once it is charged, and the end of a session likewise.
foreach ([ 'pg_cancel_backend', '57014' ], [ 'pg_terminate_backend', '57P01' ])
{
	my ($function, $sqlstate) = @$_;
	($led, $errors, undef, $err, $served, $follower_errors) = group('', Ledger::release('t', 0.25),
		meanwhile => sub { $node->safe_psql($db, "SELECT $function(pid) FROM pg_stat_activity WHERE usename = 'ann'") });
	is($led, 1, "$function of all who wait: the leader is answered");
	is($served, 0, 'nobody else is');
	is($follower_errors, join(' ', ($sqlstate) x FOLLOWERS), 'each for this reason') or diag($err);
	is(charges('ann'), FOLLOWERS, 'and they are charged: it was too late');
	charges('bob');
}
# Whom the leader sends away hears of it before he is charged.
($led, $errors, undef, $err, $served, $follower_errors) = group('locked:error', Ledger::release('t', 0.25),
	meanwhile => sub { $node->safe_psql($db, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'ann'") });
is("$led $served", '0 0', 'a leader that fails, and cancels of all who wait: nobody is answered');
is($follower_errors, join(' ', ('57014') x FOLLOWERS), 'for this reason') or diag($err);
is(charges('bob') + charges('ann'), 0, 'nor charged');
Ledger::intact($node, $db, 'after cancels');

# A budget that fits the leader and seven more: each of the others is told what it asked for and what is left.
$node->safe_psql($db, "SET client_min_messages = error; SELECT dpriv.set_cap('t', spent_epsilon + 0.5 + 7 * 0.25) FROM dpriv.budget_status WHERE relation = 't'::regclass");
($led, $errors, undef, $err, $served, $follower_errors, undef, $err) = group('', $release, followers => 12);
is("$led $served", '1 7', 'of a budget that fits eight, eight are answered');
is($follower_errors, join(' ', ('53400') x 5), 'the others are refused');
is(scalar(() = $err =~ /costs epsilon 0.25; 0 of [\d.]+ are left/g), 5, 'with what is left');
is(charges('bob') + charges('ann'), 8, 'and eight charged');

# The leader itself asks for too much: the others do not suffer from it.
$node->safe_psql($db, "SET client_min_messages = error; SELECT dpriv.set_cap('t', spent_epsilon + 0.3) FROM dpriv.budget_status WHERE relation = 't'::regclass");
($led, $errors, undef, $err, $served) = group('', $release);
is("$led $errors $served", '0 53400 1', 'a leader that is refused: what fits is answered all the same');
is(charges('bob') . charges('ann'), '01', 'and charged');
$node->safe_psql($db, "SET client_min_messages = error; SELECT dpriv.set_cap('t', 1e5)");

# A budget that is granted while they wait is not that of the leader: they are charged to it as well.
$node->safe_psql($db, "SET client_min_messages = error; SELECT dpriv.grant_budget('ann', 't', 1e5)");
my $before = $node->safe_psql($db, q(SELECT count(*) FROM dpriv.ledger JOIN dpriv.budget USING (budget_id) WHERE kind = 'role'));
($led, $errors, undef, $err, $served) = group('', $release);
is("$led $served", '1 ' . FOLLOWERS, 'with other budgets than the leader, everybody is answered');
is($node->safe_psql($db, q(SELECT count(*) FROM dpriv.ledger JOIN dpriv.budget USING (budget_id) WHERE kind = 'role')) - $before,
	FOLLOWERS, 'and charged to his own budget');
Ledger::intact($node, $db, 'after groups with different budgets');

# ---- Standbys ----

charges($_) foreach qw(bob ann);

# Only the commit of one's own transaction makes a standby tell what it has applied.
my $writers = q(SELECT count(DISTINCT xmin::text) FROM dpriv.ledger WHERE session_role = 'ann');
foreach ([ 'on', 1 ], [ 'remote_apply', FOLLOWERS ])
{
	my ($setting, $new) = @$_;
	$node->safe_psql($db, q(ALTER SYSTEM SET synchronous_standby_names = 'nobody'));
	$node->reload;
	wait_until('standbys are needed', sub { $node->safe_psql($db, 'SHOW synchronous_standby_names') eq 'nobody' });
	my $writers_before = $node->safe_psql($db, $writers);
	($led, $errors, undef, $err, $served) = group('', "SET synchronous_commit = $setting;\n$release",
		meanwhile => sub { $node->safe_psql($db, 'ALTER SYSTEM RESET synchronous_standby_names'); $node->reload });
	is("$led $served", '1 ' . FOLLOWERS, "synchronous_commit = $setting: everybody is answered");
	is(charges('ann'), FOLLOWERS, 'and charged');
	is($node->safe_psql($db, $writers) - $writers_before, $new, "written by $new transactions");
	wait_until('standbys are not', sub { $node->safe_psql($db, 'SHOW synchronous_standby_names') eq '' });
}
charges('bob');

# ---- Texts that cannot be recorded ----

# What the ledger hashes is UTF-8.  A session whose text is not is refused; its leader does not suffer from it.
$db = 'ascii';
$node->safe_psql('postgres', "CREATE DATABASE $db ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
$node->safe_psql($db, 'CREATE EXTENSION dpriv');
Ledger::table($node, $db, 't');
$node->safe_psql($db, "SET client_min_messages = error; SELECT dpriv.set_cap('t', 1e5)");
%seen = (bob => 0, ann => 0);
my $waiting = q(SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'dpriv_budget');
my $bad;
($led, $errors, undef, $err, $served, $follower_errors) = group('', $release, meanwhile => sub {
	$bad = session('ann', 'bad', $release =~ s/SELECT/SELECT \/* \xff *\//r);
	wait_until('a session with a bad text fails or waits', sub { -s "$dir/bad.err" || $node->safe_psql($db, $waiting) > FOLLOWERS });
});
$bad->finish;
is("$led $errors", '1 ', 'the leader of a session with a text that is no UTF-8 is answered') or diag($err);
is($served, FOLLOWERS, 'and so are others');
like(slurp_file("$dir/bad.err"), qr/ERROR:  22021:/, 'that session is refused');
is(charges('bob') . charges('ann'), '1' . FOLLOWERS, 'and not charged');
Ledger::intact($node, $db, 'after bad texts');
$db = 'postgres';

# ---- Many budgets in several databases share the queues ----

my $other = 'other';
$node->safe_psql($db, "CREATE DATABASE $other");
$node->safe_psql($other, 'CREATE EXTENSION dpriv');
my @tables = map { "c$_" } 0 .. 39;
foreach my $database ($db, $other)
{
	Ledger::table($node, $database, @tables);
	$node->safe_psql($database, join '', "SET client_min_messages = error;\n", map { "SELECT dpriv.set_cap('$_', 1e5);\n" } @tables);
}
append_to_file("$dir/mix.sql", join '', map { Ledger::release($_, 0.25) } (@tables) x 3);
my @clients = map {
	my $i = $_;
	IPC::Run::start([ 'psql', '-XAtq', '-U', 'bob', '-d', $node->connstr($i % 2 ? $db : $other), '-f', "$dir/mix.sql" ],
		'<', \undef, '>', "$dir/mix$i.out", '2>', "$dir/mix$i.err");
} 1 .. 12;
$_->finish foreach @clients;
foreach my $database ($db, $other)
{
	my @own   = grep { ($_ % 2 ? $db : $other) eq $database } 1 .. 12;
	my $answers = 0;
	$answers += () = slurp_file("$dir/mix$_.out") =~ /^answer$/mg foreach @own;
	is($answers, 6 * 3 * @tables, "$database: everybody is answered");
	is($node->safe_psql($database, "SELECT count(*) || ' ' || count(DISTINCT charge_id) FROM dpriv.ledger WHERE relation_name ~ '^public.c\\d+\$'"),
		6 * 3 * @tables . ' ' . 6 * 3 * @tables, 'and charged once');
	Ledger::intact($node, $database, "$database: many budgets");
}

$node->stop;
done_testing();
