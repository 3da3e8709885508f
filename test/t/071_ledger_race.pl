#
# 071_ledger_race.pl
#	  Sessions that race for a budget get together exactly what it allows, without waiting for each other forever.
#
# Answers are counted by the clients.  No test depends on noise.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::UNIX;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use Ledger;

use constant SESSIONS => 32;
use constant FIT      => 100;    # charges that fit a budget
use constant TRIES    => 5;      # of each session: 160 in all

my $rounds = 50;
my $db     = 'postgres';
my $node   = Ledger::server('race', conf => "max_connections = 100\ndeadlock_timeout = 10ms\n");
$node->start;
my @roles = map { "r$_" } 1 .. 4;
Ledger::prepare($node, $db, @roles, 'team');
$node->safe_psql($db, 'GRANT team TO ' . join ', ', @roles);
my $dir = PostgreSQL::Test::Utils::tempdir();

# ---- A budget that fits exactly 100 charges, 50 times ----

# Who has the budget, and what it is of, by turns; the last ones have no round sum, a session alone shows how many fit.
my @kinds = (
	[ 'cap',    '0.01', 'SELECT dpriv.set_cap(%s, 1)' ],
	[ 'team',   '0.01', "SELECT dpriv.grant_budget('team', %s, 1)" ],
	[ 'public', '0.07', "SELECT dpriv.grant_budget('public', %s, 7.06)" ],
	[ 'team',   '3.1',  "SELECT dpriv.grant_budget('team', %s, 310), dpriv.set_cap(%s, 400), dpriv.grant_budget('r1', %s, 310)" ]);
my @rounds = map { $kinds[ $_ % @kinds ] } 0 .. $rounds - 1;
push @rounds, [ 'team', '0.05', "SELECT dpriv.grant_budget('team', %s, 2, 1e-6, 'zcdp')" ],
  [ 'team', '0.05', "SELECT dpriv.grant_budget('team', %s, 2, 1e-6, 'rdp')" ];
my @expected = (FIT) x $rounds;

my $setup = '';
foreach my $round (0 .. $#rounds)
{
	my ($grantee, undef, $grant) = @{ $rounds[$round] };
	foreach my $table ("t$round", $round < $rounds ? () : "alone$round")
	{
		$setup .= "CREATE TABLE $table AS SELECT 1 AS id; GRANT SELECT ON $table TO PUBLIC;\n" . ($grant =~ s/%s/'$table'/gr) . ";\n";
	}
}
$node->safe_psql($db, "SET client_min_messages = error;\n$setup");
foreach my $round ($rounds .. $#rounds)
{
	my $fit = Ledger::answers($node, $db, 'r1', Ledger::release("alone$round", $rounds[$round][1]) x (TRIES * SESSIONS - 1));
	cmp_ok($fit, '>', 20, "$rounds[$round][2]: a session alone gets $fit answers");
	cmp_ok($fit, '<', TRIES * SESSIONS - 1, 'until it is refused');
	push @expected, $fit;
}

# Sessions wait for an advisory lock before each round.
sub race_script
{
	my $script = "SET client_min_messages = error;\n";
	foreach my $round (0 .. $#rounds)
	{
		my ($grantee, $epsilon) = @{ $rounds[$round] };
		$script .= "SELECT pg_advisory_lock_shared($round);\n"
		  . "SELECT 'answer $round' FROM (SELECT dp_count(t$round, $epsilon) AS c FROM t$round) s WHERE c IS NOT NULL;\n" x TRIES;
	}
	return $script;
}

my $start = time;
$node->safe_psql($db, 'CREATE TABLE ready (x int)');
my $gate = $node->background_psql($db);
$gate->query_safe("SELECT pg_advisory_lock(i) FROM generate_series(0, $#rounds) i");
append_to_file("$dir/race.sql", race_script());
my (@out, @err);
my @sessions = map {
	my $i = $_;
	$out[$i] = $err[$i] = '';
	# Every role is in the group; the fourth kind of round limits one of them besides.
	IPC::Run::start([ 'psql', '-XAtq', '-U', $roles[ $i % @roles ], '-d', $node->connstr($db), '-v', 'VERBOSITY=sqlstate', '-f', "$dir/race.sql" ],
		'<', \undef, '>', \$out[$i], '2>', \$err[$i]);
} 0 .. SESSIONS - 1;
my $sessions = SESSIONS;
$gate->query_safe(<<"SQL");
DO \$\$
BEGIN
	FOR r IN 0..$#rounds LOOP
		WHILE (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = r AND NOT granted) < $sessions LOOP
			PERFORM pg_sleep(0.002);
		END LOOP;
		PERFORM pg_advisory_unlock(r);
	END LOOP;
END
\$\$;
SQL
$_->finish foreach @sessions;
$gate->quit;
note sprintf '%d rounds of %d sessions: %d s', scalar @rounds, SESSIONS, time - $start;

my (@answers, %errors);
foreach my $i (0 .. SESSIONS - 1)
{
	$answers[$1]++ while $out[$i] =~ /^answer (\d+)$/mg;
	$errors{$1}++ while $err[$i] =~ /(?:ERROR|FATAL):  (\w+)/g;
}
my %charged = map { split /\|/ } split /\n/, $node->safe_psql($db, <<'SQL');
SELECT relation_name, count(DISTINCT charge_id) FROM dpriv.ledger GROUP BY relation_name
SQL
foreach my $round (0 .. $#rounds)
{
	is($answers[$round], $expected[$round], "round $round: exactly as many answers as fit");
	is($charged{"public.t$round"}, $expected[$round], 'and as many charges');
}
my $answers = 0;
$answers += $_ foreach @expected;
is_deeply(\%errors, { 53400 => SESSIONS * TRIES * @rounds - $answers }, 'everybody else was refused, for one reason');
is($node->safe_psql($db, q(SELECT count(*) FROM (
		SELECT l.budget_id FROM dpriv.ledger l GROUP BY l.budget_id HAVING count(*) <> max(entry) OR count(*) <> count(DISTINCT entry)) s)),
	'0', 'entries are numbered one by one');

# ---- Budgets that are hit in different orders ----

$node->safe_psql($db, "SET client_min_messages = error;\n" . join '', map { <<"SQL" } qw(a b c));
CREATE TABLE $_ AS SELECT 1 AS id;
GRANT SELECT ON $_ TO PUBLIC;
SELECT dpriv.set_cap('$_', 1e6), dpriv.grant_budget('team', '$_', 1e6), dpriv.grant_budget('public', '$_', 1e6),
	dpriv.grant_budget('r1', '$_', 1e6), dpriv.grant_budget('r2', '$_', 1e6), dpriv.grant_budget('r3', NULL, 1e6) ;
SQL
my $two = "SELECT (SELECT dp_count(%s, 1e-6) FROM %s), (SELECT dp_count(%s, 1e-6) FROM %s);\n";
my %scripts = (
	forth  => sprintf($two, qw(a a b b)),
	back   => sprintf($two, qw(b b a a)),
	around => sprintf($two, qw(c c a a)) . sprintf($two, qw(b b c c)),
	in     => "BEGIN;\nSELECT dp_count(a, 1e-6) FROM a;\nSELECT dp_count(b, 1e-6) FROM b;\nSELECT dp_count(c, 1e-6) FROM c;\nCOMMIT;\n",
	out    => "BEGIN;\nSELECT dp_count(c, 1e-6) FROM c;\nSELECT dp_count(b, 1e-6) FROM b;\nSELECT dp_count(a, 1e-6) FROM a;\nROLLBACK;\n");
foreach my $name (sort keys %scripts)
{
	append_to_file("$dir/$name.sql", "\\set r random(1, 4)\nSET SESSION AUTHORIZATION r:r;\n$scripts{$name}RESET SESSION AUTHORIZATION;\n");
}

# Transactions that pgbench finished, and what it said.
sub pgbench
{
	my (@arguments) = @_;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'pgbench', '-n', @arguments, $node->connstr($db) ], '<', \undef, '>', \$out, '2>', \$err);
	my ($finished) = $out =~ /number of transactions actually processed: (\d+)/;
	return ($finished // 0, $err =~ s/^pgbench \(.*\n//mgr);
}
my ($finished, $said) = pgbench('-c', 16, '-j', 2, '-t', 40, map { ('-f', "$dir/$_.sql") } sort keys %scripts);
is($finished, 16 * 40, 'roles that hit several budgets in different orders do not stop each other') or diag($said);
is($said, '', 'and meet no error');

# ---- Grants beside charges, and beside each other ----

$node->safe_psql($db, 'CREATE TABLE contested AS SELECT 1 AS id; GRANT SELECT ON contested TO PUBLIC');
append_to_file("$dir/grant.sql", <<'SQL');
\set e random(1, 100)
\set who random(1, 2)
SET client_min_messages = error;
SELECT dpriv.grant_budget('r:who', 'contested', :e * 0.01), dpriv.set_cap('contested', 1.0);
SQL
append_to_file("$dir/charge.sql", <<'SQL');
\set who random(1, 2)
SET SESSION AUTHORIZATION r:who;
DO $$
BEGIN
	PERFORM dp_count(contested, 0.02) FROM contested;
	RAISE SQLSTATE '00001' USING MESSAGE = 'answered';
EXCEPTION WHEN configuration_limit_exceeded OR SQLSTATE '00001' THEN NULL;
END
$$;
RESET SESSION AUTHORIZATION;
SQL

# A name in quotes takes no variable.
my $grant = slurp_file("$dir/grant.sql");
unlink "$dir/grant.sql";
append_to_file("$dir/grant.sql", $grant =~ s/'r:who'/'r' || :who/r);
($finished, $said) = pgbench('-c', 16, '-j', 2, '-t', 40, '-f', "$dir/grant.sql\@1", '-f', "$dir/charge.sql\@3");
is($finished, 16 * 40, 'grants and charges of the same budgets do not stop each other') or diag($said);
is($said, '', 'and meet no error');
is($node->safe_psql($db, q(SELECT string_agg(kind || ' ' || grantee::regrole, ', ' ORDER BY kind, grantee::regrole::text) FROM dpriv.budget WHERE relation = 'contested'::regclass)),
	'cap -, role r1, role r2', 'sessions that grant the same for the first time make one budget');
my ($cap) = Ledger::charged($node, $db, 'cap', 'contested') =~ /: (.*)/;
cmp_ok($cap, '<=', 1, "no more than the largest that was ever granted is spent: $cap");
cmp_ok($cap, '>', 0, 'and something is');

# A budget that goes up and down while sessions spend it: who is answered after it was lowered is answered by its new terms.
{
	$node->safe_psql($db, "CREATE TABLE updown AS SELECT 1 AS id; GRANT SELECT ON updown TO PUBLIC; SELECT dpriv.set_cap('updown', 5000)");
	append_to_file("$dir/spend.sql", Ledger::release('updown', 0.5) x 1000);
	my @spenders = map {
		my $i = $_;
		$out[$i] = $err[$i] = '';
		IPC::Run::start([ 'psql', '-XAtq', '-U', $roles[$i], '-d', $node->connstr($db), '-v', 'VERBOSITY=sqlstate', '-f', "$dir/spend.sql" ],
			'<', \undef, '>', \$out[$i], '2>', \$err[$i])
	} 0 .. 3;
	$node->poll_query_until($db, "SELECT spent_epsilon > 3 FROM dpriv.budget_status WHERE relation = 'updown'::regclass");
	$node->safe_psql($db, "SELECT dpriv.set_cap('updown', 1)");
	# Who had looked at the terms before has had its turn by then.
	my $then = $node->safe_psql($db, "SELECT pg_sleep(0.2); SELECT clock_timestamp()") =~ s/^\n//r;
	$_->finish foreach @spenders;
	is($node->safe_psql($db, "SELECT count(*) FROM dpriv.ledger WHERE relation = 'updown'::regclass AND charged_at > '$then'"), '0',
		'a cap that was lowered rules');
	my $count   = () = join('', @out[ 0 .. 3 ]) =~ /^answer$/mg;
	my $refused = () = join('', @err[ 0 .. 3 ]) =~ /53400/g;
	cmp_ok($refused, '>', 0, 'for sessions that are still at it');
	is($count + $refused, 4000, 'all others were answered');
	is(Ledger::charged($node, $db, 'cap', 'updown'), sprintf('%d: %g', $count, $count / 2), 'and charged');
}

# ---- An owner that does not end its transaction ----

{
	$node->safe_psql($db, "CREATE TABLE owned (id int); ALTER TABLE owned OWNER TO r4; CREATE ROLE temp");
	my $owner = $node->background_psql($db, extra_params => [ '-U', 'r4' ]);
	$owner->query_safe("SET client_min_messages = error; BEGIN; SELECT dpriv.grant_budget('public', 'owned', 1)");
	my (undef, $errors) = Ledger::as($node, $db, undef, <<'SQL');
SET lock_timeout = '5s';
SELECT dpriv.grant_budget('temp', 'contested', 1);
SELECT dpriv.revoke_budget('r1', 'contested');
DROP ROLE temp;
SELECT dpriv.grant_budget('r1', 'owned', 1);
SQL
	is($errors, '', 'others grant, revoke and drop beside an open grant');
	(undef, $errors) = Ledger::as($node, $db, undef, "SET lock_timeout = '100ms';\nSELECT dpriv.grant_budget('public', 'owned', 1);");
	is($errors, '55P03', 'all but the same budget');
	$owner->query_safe('COMMIT');
	$owner->quit;
}

# ---- A client that does not read its refusal ----

# The server waits for it, with an error longer than what the socket holds, and nobody waits for that session.
{
	$node->safe_psql($db, "CREATE TABLE slow AS SELECT 1 AS id; GRANT SELECT ON slow TO PUBLIC; SELECT dpriv.set_cap('slow', 1)");
	my $socket = IO::Socket::UNIX->new(Peer => $node->host . '/.s.PGSQL.' . $node->port) or die "cannot connect: $!";
	my $startup = pack('N', 196608) . "user\0r1\0database\0$db\0\0";
	my $query   = "DO \$\$ BEGIN EXECUTE 'SELECT dp_count(id, 2.0) FROM slow /* " . 'x' x 4_000_000 . " */'; END \$\$;\0";
	print {$socket} pack('N', length($startup) + 4) . $startup, 'Q' . pack('N', length($query) + 4) . $query;
	$socket->flush;
	ok($node->poll_query_until($db, "SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'r1' AND wait_event = 'ClientWrite'"),
		'a client does not read that it was refused');
	is(Ledger::answers($node, $db, 'r2', "SET statement_timeout = '10s';\n" . Ledger::release('slow', 0.5)), 1, 'others are answered meanwhile');
	close $socket;
}

Ledger::intact($node, $db, 'after all races');
$node->stop;
unlike(slurp_file($node->logfile), qr/deadlock detected|was terminated by signal|PANIC|TRAP:/, 'no deadlock and no crash');
done_testing();
