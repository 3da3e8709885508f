#
# 070_ledger.pl
#	  What was answered has been paid for, by everybody who has to, whatever becomes of the statement.
#
# Every way to get an answer and its price back, to spend under another name, to make the price depend on data, and
# to change the ledger.  No test depends on noise.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use Ledger;

my $db   = 'postgres';
my $node = Ledger::server('ledger', conf => "restart_after_crash = on\nmax_worker_processes = 8\nmax_parallel_workers = 4\n");
$node->start;
Ledger::prepare($node, $db, qw(bob ann eve team crew writer));
$node->safe_psql($db, <<'SQL');
GRANT team TO ann, eve;
ALTER ROLE eve NOINHERIT;
GRANT pg_write_all_data TO writer;
CREATE TABLE pub (name text, x int);
INSERT INTO pub VALUES ('Bob', 1);
GRANT SELECT ON pub TO PUBLIC;
GRANT CREATE ON SCHEMA public TO PUBLIC;
SQL

# A table with a budget of bob's, which nothing was spent of.
my $tables = 0;

sub fresh
{
	my ($epsilon) = @_;
	my $name = 't' . ++$tables;
	Ledger::table($node, $db, $name);
	$node->safe_psql($db, "SELECT dpriv.grant_budget('bob', '$name', $epsilon)");
	return $name;
}

sub bob { return Ledger::as($node, $db, 'bob', @_) }
sub release { return Ledger::release(@_) }

# bob's script is answered and charged this often, by this much.
sub pays
{
	my ($table, $sql, $answers, $charged, $what) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($out, undef, $err) = bob($sql);
	my $found = () = $out =~ /^answer$/mg;
	return is("$found answers, " . Ledger::charged($node, $db, 'bob', $table), "$answers answers, $charged", $what)
	  || diag($err);
}

# ---- Adding up ----

{
	my $t = fresh(1);
	pays($t, release($t, 0.1) x 11, 10, '10: 1', 'ten charges of 0.1 fit a budget of 1, an eleventh does not');
	pays($t, release($t, '1e-6'), 0, '10: 1', 'nor does the smallest there is');
	my (undef, $errors, $err) = bob(release($t, 0.1));
	is($errors, '53400', 'an exhausted budget has an SQLSTATE of its own');
	like($err, qr/ERROR:  53400: budget exhausted$/m,  'and says what happened');
	like($err, qr/^(?:psql:<stdin>:\d+: )?DETAIL:  .*$/m, 'by how much');
	like($err, qr/^(?:psql:<stdin>:\d+: )?HINT:  .*$/m,   'and what to do');

	# An int8 wraps around, a numeric does not, and neither may be refilled.
	my $u = fresh(1000);
	pays($u, release($u, $_), 0, '0: 0', "epsilon of $_ is refused, and refills nothing")
	  foreach '-100', "'NaN'", "'Infinity'", "'-Infinity'", '0';
	pays($u, release($u, 600) x 2, 1, '1: 600', 'what is left is not enough: nothing is spent');

	# What is finer than the unit of the ledger is rounded up.
	my $v = fresh(1);
	pays($v, release($v, 0.9) . release($v, '0.1000000000001'), 1, '1: 0.9', 'a charge never vanishes in rounding');
}

# ---- Nothing gives a charge back ----

{
	my $t = fresh(10);
	pays($t, 'BEGIN;' . release($t, 1) . 'ROLLBACK;', 1, '1: 1', 'ROLLBACK gives nothing back');
	pays($t, 'BEGIN; SAVEPOINT s;' . release($t, 1) . 'ROLLBACK TO s; RELEASE s; COMMIT;', 1, '2: 2',
		'ROLLBACK TO SAVEPOINT gives nothing back');
	pays($t, 'BEGIN; SELECT 1/0;' . release($t, 1) . 'ROLLBACK;', 0, '2: 2', 'an aborted transaction answers nothing');
	pays($t, 'BEGIN READ ONLY;' . release($t, 1) . 'COMMIT;', 1, '3: 3', 'a READ ONLY transaction pays');
	pays($t, 'SET default_transaction_read_only = on;' . release($t, 1), 1, '4: 4', 'so does a session of them');
	pays($t, "SELECT 1 / (c - c) FROM (SELECT dp_count($t, 1) AS c FROM $t) s;", 0, '5: 5',
		'an error after the answer gives nothing back');
	pays($t, "SET statement_timeout = '300ms';\nSELECT c, pg_sleep(60) FROM (SELECT dp_count($t, 1) AS c FROM $t) s;", 0,
		'6: 6', 'statement_timeout after the answer gives nothing back');
	pays($t, 'BEGIN;' . release($t, 1) . 'PREPARE TRANSACTION \'x\'; ROLLBACK;', 1, '7: 7',
		'a transaction that cannot be prepared gives nothing back');
}
{
	my $t = fresh(5);
	my ($out, undef, $err) = bob(<<"SQL");
DO \$\$
DECLARE
	answers int := 0;
	refused int := 0;
	n int8;
BEGIN
	FOR i IN 1..50 LOOP
		BEGIN
			SELECT dp_count($t, 0.5) INTO n FROM $t;
			answers := answers + 1;
			RAISE division_by_zero;
		EXCEPTION
			WHEN division_by_zero THEN NULL;
			WHEN configuration_limit_exceeded THEN refused := refused + 1;
		END;
	END LOOP;
	RAISE NOTICE '% answered, % refused', answers, refused;
END
\$\$;
SQL
	like($err, qr/10 answered, 40 refused/, 'an EXCEPTION block in a loop gets no more than the budget');
	is(Ledger::charged($node, $db, 'bob', $t), '10: 5', 'and gives nothing back');
}

# A session that is cancelled or ended while the answer is on its way.
foreach my $how (qw(pg_cancel_backend pg_terminate_backend))
{
	my $t = fresh(10);
	my $script = "SELECT c, pg_sleep(60) FROM (SELECT dp_count($t, 1) AS c FROM $t) s;";
	my ($out, $err) = ('', '');
	my $victim = IPC::Run::start([ 'psql', '-XAtq', '-U', 'bob', '-d', $node->connstr($db), '-c', $script ],
		'>', \$out, '2>', \$err);
	ok($node->poll_query_until($db, "SELECT $how(pid) FROM pg_stat_activity WHERE usename = 'bob' AND wait_event = 'PgSleep'"),
		"$how finds the statement");
	$victim->finish;
	like($err, qr/canceling statement due to user request|terminating connection/, "$how: it ended");
	is(Ledger::charged($node, $db, 'bob', $t), '1: 1', "$how after the answer gives nothing back");
}

# Answers that were read before their transaction commits are on disk before, with synchronous_commit off as well.
{
	my $t = fresh(10);
	my $open = $node->background_psql($db, extra_params => [ '-U', 'bob' ], on_error_stop => 0);
	$open->query('SET synchronous_commit = off');
	like($open->query(release($t, 1)), qr/answer/, 'an answer with synchronous_commit off');
	$open->query('BEGIN');
	like($open->query(release($t, 1)), qr/answer/, 'and one in an open transaction');
	$node->stop('immediate');
	$node->start;
	is(Ledger::charged($node, $db, 'bob', $t), '2: 2', 'both charges survive an immediate stop');
	$open->quit;

	# The same with a transaction that rolls back, and the machine busy with something else.
	$open = $node->background_psql($db, extra_params => [ '-U', 'bob' ], on_error_stop => 0);
	$open->query('SET synchronous_commit = off');
	$open->query('BEGIN');
	$open->query(release($t, 1));
	$open->query('ROLLBACK');
	$node->stop('immediate');
	$node->start;
	is(Ledger::charged($node, $db, 'bob', $t), '3: 3', 'so does that of a transaction that was rolled back');
	$open->quit;
}

# A snapshot that does not see what others were charged.
{
	my $t = fresh(1);
	my $old = $node->background_psql($db, extra_params => [ '-U', 'bob' ], on_error_stop => 0);
	$old->query('BEGIN ISOLATION LEVEL REPEATABLE READ');
	$old->query('SELECT count(*) FROM pub');
	is(Ledger::answers($node, $db, 'bob', release($t, 0.7)), 1, 'another session spends');
	is($old->query(release($t, 0.7)), '', 'an older snapshot does not hide what is spent');
	$old->query('ROLLBACK');
	$old->quit;
	is(Ledger::charged($node, $db, 'bob', $t), '1: 0.7', 'and nothing more is charged');

	my $u = fresh(1);
	pays($u, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;' . release($u, 0.7) . release($u, 0.7) . 'COMMIT;', 1, '1: 0.7',
		'nor does one hide what it spent itself');
	Ledger::rejected($node, $db, 'bob', 'SET default_transaction_isolation = serializable;' . release($u, 0.1), '0A000',
		'a serializable transaction is refused');
	is(Ledger::charged($node, $db, 'bob', $u), '1: 0.7', 'and pays nothing');
}

# ---- Who pays ----

{
	# Two roles that log in, of one group: the budget is theirs together.  One of them does not inherit.
	Ledger::table($node, $db, 'shared');
	$node->safe_psql($db, "SELECT dpriv.grant_budget('team', 'shared', 1)");
	is(Ledger::answers($node, $db, 'ann', release('shared', 0.6)), 1, 'a member spends the budget of its group');
	Ledger::rejected($node, $db, 'eve', release('shared', 0.6), '53400', 'another member has only what is left');
	is(Ledger::answers($node, $db, 'eve', release('shared', 0.4)), 1, 'which is still there');
	is(Ledger::charged($node, $db, 'team', 'shared'), '2: 1', 'both have paid from one budget');

	# Groups of groups, however far.
	Ledger::table($node, $db, 'deep');
	$node->safe_psql($db, "GRANT crew TO team; SELECT dpriv.grant_budget('crew', 'deep', 1)");
	is(Ledger::answers($node, $db, 'ann', release('deep', 0.7)), 1, 'a member of a member spends');
	Ledger::rejected($node, $db, 'eve', release('deep', 0.7), '53400', 'the same budget');

	# Whoever has a budget of its own still spends that of its group.
	Ledger::table($node, $db, 'twofold');
	$node->safe_psql($db, "SELECT dpriv.grant_budget('ann', 'twofold', 10), dpriv.grant_budget('team', 'twofold', 1)");
	is(Ledger::answers($node, $db, 'ann', release('twofold', 0.3) x 4), 3, 'the smaller of two budgets is the limit');
	is(Ledger::charged($node, $db, $_, 'twofold'), '3: 0.9', "and $_ has paid") foreach qw(ann team);
	is($node->safe_psql($db, q(SELECT count(*), count(DISTINCT charge_id) FROM dpriv.ledger WHERE relation = 'twofold'::regclass)),
		'6|3', 'one charge each, with an entry for each budget');
	is($node->safe_psql($db, q(SELECT count(*) FROM dpriv.charges WHERE relation = 'twofold'::regclass)), '3', 'dpriv.charges has it once');
}
{
	# The cap is over all roles, also over those without a budget.
	Ledger::table($node, $db, 'capped');
	$node->safe_psql($db, "SELECT dpriv.set_cap('capped', 1), dpriv.grant_budget('bob', 'capped', 0.7), dpriv.grant_budget('ann', 'capped', 0.7)");
	is(Ledger::answers($node, $db, 'bob', release('capped', 0.7)), 1, 'within the cap');
	Ledger::rejected($node, $db, 'ann', release('capped', 0.7), '53400', 'roles together get no more than the cap');
	Ledger::rejected($node, $db, 'writer', release('capped', 0.7), '53400', 'nor does one without a budget');
	Ledger::rejected($node, $db, undef, release('capped', 0.7), '53400', 'nor a superuser');
	is(Ledger::charged($node, $db, 'ann', 'capped'), '0: 0', 'what the cap refuses is charged to nobody');
	is(Ledger::charged($node, $db, 'cap', 'capped'), '1: 0.7', 'not to the cap either');
}
{
	# PUBLIC is one budget of all.
	Ledger::table($node, $db, 'open');
	$node->safe_psql($db, "SELECT dpriv.grant_budget('public', 'open', 1)");
	is(Ledger::answers($node, $db, 'bob', release('open', 0.7)), 1, 'anybody spends the budget of PUBLIC');
	Ledger::rejected($node, $db, 'ann', release('open', 0.7), '53400', 'which is the same for everybody');
}
{
	# On all relations: one sum.
	Ledger::table($node, $db, qw(one two));
	$node->safe_psql($db, "CREATE ROLE roamer LOGIN; SELECT dpriv.grant_budget('roamer', NULL, 1)");
	is(Ledger::answers($node, $db, 'roamer', release('one', 0.7)), 1, 'a budget on all relations');
	Ledger::rejected($node, $db, 'roamer', release('two', 0.7), '53400', 'is one sum over all of them');
	is($node->safe_psql($db, q(SELECT count(*), trim_scale(sum(l.epsilon)) FROM dpriv.ledger l JOIN dpriv.budget b USING (budget_id)
		WHERE b.grantee = 'roamer'::regrole)), '1|0.7', 'and pays for each');

	# Releases without any relation are of all relations only.
	is(Ledger::answers($node, $db, 'roamer', "SELECT 'answer' FROM (SELECT dp_count(i, 0.2) AS c FROM generate_series(1, 9) i) s WHERE c IS NOT NULL;" x 2),
		1, 'a release of no relation counts there, too');
}
{
	# SET ROLE, SECURITY DEFINER, prepared statements: the session user pays.
	my $t = fresh(10);
	$node->safe_psql($db, "GRANT crew TO bob");
	pays($t, 'SET ROLE crew;' . release($t, 1) . 'RESET ROLE;', 1, '1: 1', 'SET ROLE does not pass the charge on');
	is($node->safe_psql($db, qq(SELECT session_role, "current_role" FROM dpriv.ledger WHERE relation = '$t'::regclass)),
		'bob|crew', 'the ledger names both');
	$node->safe_psql($db, <<"SQL");
CREATE FUNCTION count_$t() RETURNS int8 LANGUAGE sql SECURITY DEFINER AS 'SELECT dp_count($t, 1) FROM public.$t';
CREATE FUNCTION plpgsql_$t() RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS
	'BEGIN RETURN (SELECT dp_count($t, 1) FROM $t); END';
CREATE VIEW view_$t AS SELECT dp_count($t, 1) AS c FROM $t;
GRANT SELECT ON view_$t TO PUBLIC;
SQL
	pays($t, "SELECT 'answer' WHERE count_$t() IS NOT NULL;", 1, '2: 2', 'a function SECURITY DEFINER charges who called it');
	pays($t, "SELECT 'answer' WHERE plpgsql_$t() IS NOT NULL;", 1, '3: 3', 'in whatever language');
	pays($t, "SELECT 'answer' FROM view_$t WHERE c IS NOT NULL;", 1, '4: 4', 'so does a view of another owner');
	pays($t, "SELECT 'answer' FROM pub, generate_series(1, 3) WHERE count_$t() IS NOT NULL;", 3, '7: 7', 'each execution is charged');

	my $prepared = "PREPARE p AS " . release($t, 0.5);
	pays($t, $prepared . 'EXECUTE p;' x 3, 3, '10: 8.5', 'each EXECUTE is charged');
	foreach my $mode (qw(force_generic_plan force_custom_plan))
	{
		my $u = fresh(1);
		my ($out, $errors) = Ledger::as($node, $db, undef,
			"SET plan_cache_mode = $mode; PREPARE p AS " . release($u, 0.4) . "EXECUTE p;\nSET SESSION AUTHORIZATION bob;\n" . "EXECUTE p;\n" x 3);
		is(scalar(() = $out =~ /^answer$/mg), 3, "$mode: a plan made by another role");
		is($errors, '53400', 'is refused by the budget of who executes it');
		is(Ledger::charged($node, $db, 'bob', $u), '2: 0.8', 'and charged to it');
	}
}
{
	# Budgets are counted from the grant on; what is revoked and granted again is not refilled.
	my $t = fresh(1);
	pays($t, release($t, 0.7), 1, '1: 0.7', 'before');
	$node->safe_psql($db, "SELECT dpriv.grant_budget('bob', '$t', 1)");
	pays($t, release($t, 0.7), 0, '1: 0.7', 'granting again refills nothing');
	$node->safe_psql($db, "SELECT dpriv.revoke_budget('bob', '$t'); ");
	Ledger::rejected($node, $db, 'bob', release($t, 0.1), '42501', 'a revoked budget allows nothing');
	$node->safe_psql($db, "SELECT dpriv.grant_budget('bob', '$t', 1, 1e-6, 'zcdp'); SELECT dpriv.grant_budget('bob', '$t', 1)");
	pays($t, release($t, 0.7), 0, '1: 0.7', 'nor does revoking or another accountant');
	pays($t, release($t, 0.3), 1, '2: 1', 'but what was left is there');
}

# ---- What it costs depends on no data ----

{
	my $t = fresh(1000);
	my @statements = (
		[ "SELECT 'answer' FROM pub WHERE name = 'Bob' AND (SELECT dp_count($t, 1) FROM $t) IS NOT NULL", 1 ],
		[ "SELECT CASE WHEN x = 1 THEN (SELECT dp_count($t, 1) FROM $t) ELSE (SELECT dp_count($t, 2) FROM $t) END FROM pub", 3 ],
		[ "SELECT 1 FROM pub WHERE x = 1 OR EXISTS (SELECT FROM (SELECT dp_count($t, 1) AS c FROM $t) s WHERE c > 5)", 1 ],
		[ "SELECT 1 FROM pub LEFT JOIN (SELECT dp_count($t, 1) AS c FROM $t) s ON x = 1 WHERE name = 'Bob'", 1 ],
		[ "SELECT coalesce(x, (SELECT dp_count($t, 1) FROM $t)) FROM pub WHERE name = 'Bob'", 1 ],
		[ "SELECT (SELECT dp_count($t, 1) FROM $t) FROM pub WHERE name = 'Bob' LIMIT 1", 1 ],
		[ "SELECT x FROM pub WHERE name = 'Bob' UNION ALL SELECT dp_count($t, 1) FROM $t LIMIT 1", 1 ],
		[ "WITH c AS MATERIALIZED (SELECT dp_count($t, 1) AS c FROM $t) SELECT c.c FROM pub, c WHERE name = 'Bob'", 1 ]);
	my $expected = 0;
	my $entries  = 0;
	foreach (@statements)
	{
		my ($statement, $cost) = @$_;
		foreach my $data ("'Bob', 1", "'Eve', 2", undef)
		{
			$node->safe_psql($db, 'TRUNCATE pub; ' . (defined $data ? "INSERT INTO pub VALUES ($data)" : ''));
			bob("$statement;");
			$expected += $cost;
			$entries++;
		}
		is(Ledger::charged($node, $db, 'bob', $t), "$entries: $expected", "the same cost whatever the data: $statement");
	}
	$node->safe_psql($db, "TRUNCATE pub; INSERT INTO pub VALUES ('Bob', 1)");
}
{
	my $t = fresh(1000);
	my $cte = "(SELECT dp_count($t, 1) AS c FROM $t)";
	foreach my $how ('NOT MATERIALIZED', 'MATERIALIZED')
	{
		# With noise of scale 1000 two draws are equal in one of 2,000 cases.
		my $u = fresh(1);
		pays($u, "WITH c AS $how (SELECT dp_count($u, 0.001) AS c FROM $u) SELECT 'answer' FROM c a, c b WHERE a.c = b.c;", 1, '1: 0.001',
			"a CTE that is used twice is one draw and one charge, $how");
	}
	pays($t, "SELECT 'answer' FROM $cte a, $cte b WHERE a.c + b.c IS NOT NULL;", 1, '1: 2', 'releases of a statement are charged together');
	pays($t, "SELECT 'answer' FROM $cte a, generate_series(1, 5) WHERE a.c IS NOT NULL;", 5, '2: 3', 'a release that is read again is not charged again');
	pays($t, "EXPLAIN SELECT dp_count($t, 1) FROM $t;", 0, '2: 3', 'EXPLAIN costs nothing');
	pays($t, "BEGIN; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT dp_count($t, 1) FROM $t; ROLLBACK;", 0, '3: 4',
		'EXPLAIN ANALYZE does, rolled back or not');
	pays($t, "SELECT * FROM dpriv.cost('SELECT dp_count($t, 1) FROM $t');", 0, '3: 4', 'dpriv.cost costs nothing');

	# Cursors are charged when they are declared.
	pays($t, "BEGIN; DECLARE k CURSOR FOR SELECT dp_count($t, 1) FROM $t; ROLLBACK;", 0, '4: 5', 'a cursor is charged before it is read');
	pays($t, "BEGIN; DECLARE k SCROLL CURSOR WITH HOLD FOR SELECT 'answer' FROM $cte s WHERE c IS NOT NULL;\nFETCH k;\nMOVE ABSOLUTE 0 FROM k;\nFETCH k;\nCOMMIT;\nMOVE ABSOLUTE 0 FROM k;\nFETCH k;",
		3, '5: 6', 'and once, however often it is read');
	pays($t, "COPY (SELECT 'answer' FROM $cte s WHERE c IS NOT NULL) TO STDOUT;", 1, '6: 7', 'COPY is charged');
	pays($t, "CREATE TEMP TABLE kept AS SELECT * FROM $cte s; SELECT 'answer' FROM kept; SELECT 'answer' FROM kept;", 2, '7: 8',
		'what is stored is charged once');
}
{
	# All or nothing, over the budgets of several tables.
	my $rich = fresh(10);
	my $poor = fresh(1);
	my $join = "SELECT 'answer' FROM (SELECT dp_count($rich, 1) AS c FROM $rich) a, (SELECT dp_count($poor, 1) AS c FROM $poor) b WHERE a.c + b.c IS NOT NULL;";
	pays($rich, $join x 2, 1, '1: 1', 'a statement that one budget refuses is charged to none');
	is(Ledger::charged($node, $db, 'bob', $poor), '1: 1', 'nor to the one that refused');
}

# ---- Partitions and children ----

{
	$node->safe_psql($db, <<'SQL');
CREATE TABLE root (id int, k int) PARTITION BY LIST (k);
CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1);
CREATE TABLE branch PARTITION OF root FOR VALUES IN (2, 3) PARTITION BY LIST (k);
CREATE TABLE twig PARTITION OF branch FOR VALUES IN (2);
CREATE TABLE later (id int, k int);
CREATE TABLE mother (id int);
CREATE TABLE child () INHERITS (mother);
INSERT INTO root SELECT i, 1 + i % 2 FROM generate_series(1, 10) i;
GRANT SELECT ON root, leaf, branch, twig, later, mother, child TO PUBLIC;
SELECT dpriv.grant_budget('bob', 'root', 10), dpriv.set_cap('root', 5), dpriv.grant_budget('bob', 'mother', 1), dpriv.grant_budget('bob', 'later', 10);
SQL
	pays('root', release('leaf', 1), 1, '1: 1', 'a partition that is read directly is charged to its root');
	pays('root', release('twig', 1), 1, '2: 2', 'at every level');
	pays('root', release('branch', 1), 1, '3: 3', 'also in between');
	is(Ledger::charged($node, $db, 'cap', 'root'), '3: 3', 'so is the cap');
	pays('mother', release('child', 0.7), 1, '1: 0.7', 'a child that is read directly is charged to its parent');
	pays('mother', release('mother', 0.7) . release('ONLY mother', 0.7), 0, '1: 0.7', 'which has then less');

	# What becomes a partition has a budget of its own as well, and reading the root reads it.
	pays('later', release('later', 1), 1, '1: 1', 'before it is a partition');
	$node->safe_psql($db, 'ALTER TABLE root ATTACH PARTITION later FOR VALUES IN (9)');
	pays('root', release('later', 1), 1, '4: 4', 'a table that became a partition is charged to its root');
	is(Ledger::charged($node, $db, 'bob', 'later'), '2: 2', 'and to its own budget');
	pays('root', release('root', 1), 1, '5: 5', 'the root');
	is(Ledger::charged($node, $db, 'bob', 'later'), '3: 3', 'and what is below');
	pays('root', release('leaf', 1), 0, '5: 5', 'until the cap of the root is reached');
	foreach my $relation (qw(leaf branch child))
	{
		my (undef, $errors, $err) = Ledger::as($node, $db, undef, "SELECT dpriv.grant_budget('bob', '$relation', 1)");
		like($errors, qr/^\w{5}$/, "a budget on $relation alone is refused");
		like($err, qr/HINT:/, 'with a hint');
	}
}

# A budget of a part is charged when the whole is read, but opens nothing else.
{
	$node->safe_psql($db, <<'SQL');
CREATE TABLE whole (id int);
CREATE TABLE part (id int);
GRANT SELECT ON whole, part TO PUBLIC;
SELECT dpriv.grant_budget('bob', 'part', 100), dpriv.grant_budget('bob', 'whole', 1), dpriv.revoke_budget('bob', 'whole');
ALTER TABLE part INHERIT whole;
SQL
	Ledger::rejected($node, $db, 'bob', release('whole', 1), '42501', 'a budget of a child does not replace one of its parent that was revoked');
	is($node->safe_psql($db, "SET SESSION AUTHORIZATION bob; SELECT remaining FROM dpriv.cost('SELECT dp_count(whole, 1) FROM whole')"), '0',
		'dpriv.cost() says so');
	$node->safe_psql($db, "SELECT dpriv.grant_budget('bob', 'whole', 1)");
	pays('part', release('whole', 1), 1, '1: 1', 'but is charged with it');
}

# ---- Changes of terms ----

# In a database of its own: totals are not those of single periods.
{
	my $other = 'terms';
	$node->safe_psql('postgres', "CREATE DATABASE $other");
	$node->safe_psql($other, "CREATE EXTENSION dpriv; CREATE TABLE t (id int); GRANT SELECT ON t TO PUBLIC");
	my $grant = sub {
		my ($terms) = @_;
		$node->safe_psql($other, "SELECT dpriv.grant_budget('bob', 't', $terms)");
	};
	my $spend = sub { Ledger::answers($node, $other, 'bob', release('t', $_[0])) };
	my $spent = sub {
		$node->safe_psql($other, "SELECT trim_scale(round(spent_epsilon::numeric, 6)) FROM dpriv.budget_status");
	};

	# Four periods of two days, one charge in each, by moving the first grant and not the clock.
	$grant->("1, 0, 'basic', '2 days'");
	foreach my $k (1 .. 4)
	{
		is($spend->(1), 1, "period $k is answered");
		$node->safe_psql($other, "SET client_min_messages = error; UPDATE dpriv.budget SET granted_at = clock_timestamp() - $k * interval '2 days'")
		  if $k < 4;
	}
	is($spend->(1), 0, 'and no more');
	is($spent->(), '1', 'a period counts its own');
	$node->safe_psql($other, "SELECT dpriv.archive_ledger('infinity')");
	$grant->("1, 0, 'basic', '1000 years'");
	is($spent->(), '4', 'a longer period counts what was charged since it began');
	$grant->('4.5');
	is($spent->(), '4', 'no period counts what was ever charged');
	is($spend->(1), 0, 'which is not filled again');
	is($spend->(0.5), 1, 'what is left can be spent');
	is($spend->(0.1), 0, 'once');
	$grant->("4.5, 1e-6, 'zcdp'");
	is($node->safe_psql($other, 'SELECT total_rho BETWEEN sum * (1 - 1e-12) AND sum * (1 + 1e-9) FROM dpriv.ledger, (SELECT sum(rho) AS sum FROM dpriv.charges) c WHERE entry = 5'), 't',
		'in all currencies');
	is($node->safe_psql($other, 'SELECT count(*) FROM dpriv.verify_ledger()'), '0', 'the ledger holds together');
}

# ---- Functions that others call ----

# What an index calls runs as its owner, in the session of whoever maintains it: a superuser, such as autovacuum.
{
	my $t = fresh(1);
	bob(<<"SQL");
CREATE TABLE heard (answer int8);
CREATE FUNCTION hear(a int8) RETURNS int8 LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.heard VALUES (a); RETURN a; END';
CREATE FUNCTION ask() RETURNS int8 LANGUAGE plpgsql
AS 'BEGIN RETURN (SELECT public.dp_count(id, 0.5) FROM public.$t); EXCEPTION WHEN OTHERS THEN RETURN NULL; END';
CREATE FUNCTION call(x int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN (SELECT public.hear(public.ask())); END';
CREATE TABLE bait (x int);
CREATE INDEX ON bait (call(x));
INSERT INTO bait VALUES (1), (2), (3), (4);
SQL
	is($node->safe_psql($db, 'SELECT count(answer), count(*) FROM heard'), '2|4', 'an index asks as often as its owner can pay');
	is(Ledger::charged($node, $db, 'bob', $t), '2: 1', 'who has paid');
	foreach my $command ('ANALYZE bait', 'REINDEX TABLE bait', 'VACUUM FULL bait')
	{
		my (undef, $errors) = Ledger::as($node, $db, undef, "TRUNCATE heard;\n$command;");
		is($errors, '', "$command by a superuser");
		is($node->safe_psql($db, 'SELECT count(answer), count(*) > 0 FROM heard'), '0|t', 'asks and is not answered');
	}
	$node->safe_psql($db, "CREATE MATERIALIZED VIEW counted AS SELECT dp_count(id, 0.5) FROM $t; CREATE MATERIALIZED VIEW mine AS SELECT dp_count(id, 0.5) FROM $t; ALTER TABLE counted OWNER TO bob");
	Ledger::rejected($node, $db, undef, 'REFRESH MATERIALIZED VIEW counted', '42501', 'nor does it refresh what is not its own');
	Ledger::rejected($node, $db, 'bob', 'REFRESH MATERIALIZED VIEW counted', '53400', 'its owner pays');
	Ledger::rejected($node, $db, undef, 'REFRESH MATERIALIZED VIEW mine', '', 'who may refresh its own');
	is(Ledger::charged($node, $db, 'bob', $t), '2: 1', 'nothing else was charged to the owner');
}

# ---- Who is gone ----

# Dropping a role ends its budgets, and not its sessions.
{
	my $t = fresh(1);
	$node->safe_psql($db, "CREATE ROLE leaver LOGIN; SELECT dpriv.grant_budget('leaver', '$t', 1)");
	my $session = $node->background_psql($db, on_error_stop => 0, extra_params => [ '-U', 'leaver' ]);
	like($session->query(release($t, 1)), qr/^answer$/m, 'a role spends its budget');
	$node->safe_psql($db, 'DROP ROLE leaver');
	unlike($session->query(release($t, 1)), qr/^answer$/m, 'its session gets no more after the role was dropped');
	$session->quit;
}

# ---- Where the charge cannot be written ----

{
	my $t      = fresh(10);
	my $before = Ledger::entries($node, $db);
	my $lock   = $node->background_psql($db);
	foreach my $mode ('ACCESS EXCLUSIVE', 'SHARE')
	{
		$lock->query_safe("BEGIN; LOCK TABLE dpriv.ledger IN $mode MODE");
		Ledger::rejected($node, $db, 'bob', "SET lock_timeout = '200ms';\n" . release($t, 1), '55P03',
			"nothing is answered while the ledger is locked in $mode mode");
		Ledger::rejected($node, $db, 'bob', "SET statement_timeout = '200ms';\n" . release($t, 1), '57014', 'until the statement times out');
		$lock->query_safe('ROLLBACK');
	}
	$lock->quit;
	is(Ledger::entries($node, $db), $before, 'and nothing is charged');
	pays($t, release($t, 1), 1, '1: 1', 'then it can be written again');

	# A superuser may alter the ledger; releases stop while it is not what charges are written to.
	foreach (
		[ 'ALTER TABLE dpriv.ledger SET UNLOGGED', 'ALTER TABLE dpriv.ledger SET LOGGED', 'an unlogged ledger' ],
		[ 'CREATE INDEX strange ON dpriv.ledger (charged_at) WHERE epsilon > 0', 'DROP INDEX dpriv.strange', 'an index with a predicate' ],
		[ 'CREATE INDEX strange ON dpriv.ledger (lower(query))', 'DROP INDEX dpriv.strange', 'an index on an expression' ],
		[   'DROP INDEX dpriv.ledger_budget_id_entry_idx; CREATE UNIQUE INDEX strange ON dpriv.ledger (budget_id, entry DESC)',
			'DROP INDEX dpriv.strange; CREATE UNIQUE INDEX ledger_budget_id_entry_idx ON dpriv.ledger (budget_id, entry)',
			'only an index that has the last entry first' ])
	{
		my ($do, $undo, $what) = @$_;
		$node->safe_psql($db, $do);
		my ($out, $errors) = bob(release($t, 1));
		is($out, '', "$what: no answer");
		like($errors, qr/^\w{5}$/, "$what: an error");
		$node->safe_psql($db, $undo);
		is(Ledger::charged($node, $db, 'bob', $t), '1: 1', "$what: no charge");
	}
	pays($t, release($t, 1), 1, '2: 2', 'without them it can be written again');

	# Plain indexes of any kind are kept up; pages that BRIN pins are given back.
	$node->safe_psql($db, "CREATE INDEX brin ON dpriv.ledger USING brin (charged_at); CREATE UNIQUE INDEX downwards ON dpriv.ledger (budget_id, entry DESC)");
	my ($found, undef, $messages) = bob("SET client_min_messages = warning;\n" . release($t, 0.25) x 2);
	is("$found$messages", "answer\nanswer", 'with more indexes it is written without a warning');
	is($node->safe_psql($db, "SET enable_seqscan = off; SELECT count(*) FROM dpriv.ledger WHERE charged_at = (SELECT max(charged_at) FROM dpriv.ledger)"),
		'1', 'and found by them');
	$node->safe_psql($db, 'DROP INDEX dpriv.brin, dpriv.downwards');
	is(Ledger::charged($node, $db, 'bob', $t), '4: 2.5', 'each is charged');

	# In parallel mode no transaction id can be assigned; a function that lies about itself gets there.
	my $parallel = $node->safe_psql($db, "SELECT current_setting('server_version_num')::int >= 160000") eq 't'
	  ? 'debug_parallel_query' : 'force_parallel_mode';
	$node->safe_psql($db, "CREATE FUNCTION liar() RETURNS int8 LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN (SELECT dp_count($t, 1) FROM $t); END'");
	my ($out, $errors) = bob("SET $parallel = on;\nSELECT 'answer' WHERE liar() IS NOT NULL;");
	is($out, '', 'a parallel worker answers nothing');
	like($errors, qr/^(?:25000|55000)$/, 'and says why');
	(undef, $errors) = bob("SET $parallel = on;\nSELECT 'answer' FROM pub, generate_series(1, 3) WHERE liar() IS NOT NULL;");
	like($errors, qr/^(?:25000|55000)$/, 'nor does one with its leader');
	is(Ledger::charged($node, $db, 'bob', $t), '4: 2.5', 'and pays nothing');
	pays($t, "SET $parallel = off;\nSELECT 'answer' WHERE liar() IS NOT NULL;", 1, '5: 3.5', 'elsewhere the same function pays');

	# What a charge needs of memory is gone after its statement, also while the function that runs it goes on.
	$node->safe_psql($db, <<"SQL");
SELECT dpriv.grant_budget('bob', '$t', 1000);
CREATE FUNCTION often(int) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT dp_count($t, 1) IS NOT NULL FROM $t';
CREATE FUNCTION used_bytes() RETURNS numeric LANGUAGE sql VOLATILE AS 'SELECT sum(used_bytes) FROM pg_get_backend_memory_contexts()';
GRANT EXECUTE ON FUNCTION pg_get_backend_memory_contexts() TO PUBLIC;
SQL
	my ($used, undef, $why) = bob('SELECT max(used) - min(used) FROM (SELECT i, often(i), used_bytes() AS used FROM generate_series(1, 300) i OFFSET 0) s WHERE i > 100;');
	ok($used ne '' && $used < 100_000, "200 charges in one statement keep no memory: $used bytes") || diag($why);
}

# ---- A refusal reads and leaves nothing ----

{
	my $t = fresh(1);
	$node->safe_psql($db, <<"SQL");
CREATE FUNCTION loud(int) RETURNS bool LANGUAGE plpgsql STABLE AS \$\$ BEGIN RAISE EXCEPTION 'row'; END \$\$;
SQL
	my $loud   = "SELECT dp_count($t, 2) FROM $t WHERE loud(id);";
	my $before = Ledger::entries($node, $db);
	my (undef, $errors) = bob($loud);
	is($errors, '53400', 'a refused release evaluates nothing on any row');
	my $scans = "SELECT pg_stat_get_xact_numscans('$t'::regclass);";
	my ($out) = bob('BEGIN;' . $scans . 'SAVEPOINT s;' . release($t, 2) . 'ROLLBACK TO s;' . $scans);
	is($out, "0\n0", 'nor scans its table');
	is(Ledger::entries($node, $db), $before, 'and the ledger is as before');
	$node->safe_psql($db, "SELECT dpriv.grant_budget('bob', '$t', 10)");
	(undef, $errors) = bob($loud);
	unlike($errors, qr/^$|53400/, 'with a larger budget the same statement meets its rows');
	is(Ledger::charged($node, $db, 'bob', $t), '1: 2', 'and an error there has been paid for');
}

# Without a budget a release is free of one, unless budgets are required.
{
	Ledger::table($node, $db, 'free');
	is(Ledger::answers($node, $db, 'bob', release('free', 1)), 1, 'without a budget a release is answered');
	is($node->safe_psql($db, q(SELECT count(*), count(budget_id), count(entry) FROM dpriv.ledger WHERE relation = 'free'::regclass)),
		'1|0|0', 'and recorded');
	$node->append_conf('postgresql.conf', 'dpriv.require_budget = on');
	$node->reload;
	my $before = Ledger::entries($node, $db);
	Ledger::rejected($node, $db, 'bob', release('free', 1), '42501', 'where budgets are required it is refused');
	Ledger::rejected($node, $db, 'bob', 'SET dpriv.require_budget = off;', '42501', 'which only a superuser changes');
	is(Ledger::entries($node, $db), $before, 'without a trace');
	$node->append_conf('postgresql.conf', 'dpriv.require_budget = off');
	$node->reload;
}

# ---- Who may read and write the ledger ----

foreach my $table (qw(ledger ledger_archive budget))
{
	my %change = (
		INSERT   => "INSERT INTO dpriv.$table SELECT * FROM dpriv.$table LIMIT 1;",
		UPDATE   => "UPDATE dpriv.$table SET epsilon = 0;",
		DELETE   => "DELETE FROM dpriv.$table;",
		TRUNCATE => "TRUNCATE dpriv.$table;");
	Ledger::rejected($node, $db, 'bob', "SELECT epsilon FROM dpriv.$table;", '42501', "$table cannot be read by everybody");
	foreach my $what (sort keys %change)
	{
		Ledger::rejected($node, $db, 'bob', $change{$what}, '42501', "nobody may $what on $table");
		# A role that may write all tables; it has to be able to read the columns as well.
		$node->safe_psql($db, 'GRANT pg_read_all_data TO writer');
		Ledger::rejected($node, $db, 'writer', $change{$what}, '42501', "nor may a role that writes all data $what");
		# A superuser may do anything, and is told, but for INSERT: that is what a restore does.
		next if $what eq 'INSERT';
		my (undef, $errors, $err) = Ledger::as($node, $db, undef, "BEGIN; $change{$what} ROLLBACK;");
		like($err, qr/WARNING:  \w{5}:/, "a superuser that does $what on $table is warned");
	}
	Ledger::rejected($node, $db, 'writer', "SET session_replication_role = replica;", '42501', 'triggers cannot be switched off');
}
is($node->safe_psql($db, 'SELECT count(*) > 50 FROM dpriv.ledger'), 't', 'all charges are still there');
foreach my $function ("grant_budget('bob', 't1', 1000)", "set_cap('t1', NULL)", "revoke_budget('bob', 't1')", "archive_ledger('infinity')", 'verify_ledger()')
{
	Ledger::rejected($node, $db, 'bob', "SELECT dpriv.$function;", '42501', "$function is not for everybody");
}
Ledger::intact($node, $db, 'after all this');

# ---- Tampering by a superuser is found ----

{
	my $t = fresh(1000);
	$node->safe_psql($db, "SELECT dpriv.grant_budget('bob', '$t', 1000, 1e-3)");
	bob("SET dpriv.delta = 1e-6; SET dpriv.mechanism = gaussian;\n" . release($t, 0.5) . 'RESET ALL;' . release($t, 1) x 6);
	my $budget = $node->safe_psql($db, "SELECT budget_id FROM dpriv.budget WHERE relation = '$t'::regclass");
	my $other  = $node->safe_psql($db, "SELECT budget_id FROM dpriv.budget WHERE relation = 't1'::regclass");
	my $where  = "budget_id = '$budget'";
	is($node->safe_psql($db, "SELECT count(*) FROM dpriv.ledger WHERE $where"), '7', 'a chain to tamper with');

	# Runs a change, verifies, and takes the change back.
	my $found = sub {
		my ($change) = @_;
		my ($out, $errors, $err) = Ledger::as($node, $db, undef,
			"SET client_min_messages = error; BEGIN;\n$change;\nSELECT budget_id, entry, problem <> '' FROM dpriv.verify_ledger() ORDER BY 2;\nROLLBACK;");
		return "$errors$out" eq '' ? 'nothing' : "$errors$out";
	};
	my %columns = split /[|\n]/, $node->safe_psql($db, <<'SQL');
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'dpriv.ledger'::regclass AND attnum > 0 AND NOT attisdropped
SQL
	# The OID of a relation is not kept by a restore; its name is.
	delete @columns{qw(budget_id entry relation)};
	cmp_ok(scalar keys %columns, '>=', 20, 'columns to change');
	foreach my $column (sort keys %columns)
	{
		my $name  = qq("$column");
		my $type  = $columns{$column};
		my %other = (
			'uuid'                     => 'gen_random_uuid()',
			'text'                     => "coalesce($name, '') || 'x'",
			'text[]'                   => "$name || 'x'::text",
			'oid'                      => "'pg_class'::regclass",
			'numeric'                  => "$name + 1e-12",
			'bigint'                   => "$name + 1",
			'double precision'         => "$name * (1 + 1e-15) + 1e-300",
			'double precision[]'       => "(SELECT array_agg(CASE WHEN i = 22 THEN x * 1.01 + 1e-300 ELSE x END ORDER BY i) FROM unnest($name) WITH ORDINALITY u (x, i))",
			'timestamp with time zone' => "coalesce($name, 'epoch') + interval '1 us'",
			'bytea'                    => "set_byte($name, 0, get_byte($name, 0) # 1)");
		$other{numeric} = "$name + 1e-36" if $column =~ /delta/;
		my $change = $other{$type} // die "a type that nobody thought of: $type";
		is($found->("UPDATE dpriv.ledger SET $name = $change WHERE $where AND entry = 3"), "$budget|3|t", "a changed $column is found");
		is($found->("UPDATE dpriv.ledger SET $name = NULL WHERE $where AND entry = 3"), "$budget|3|t", "a missing $column is found")
		  unless $node->safe_psql($db, "SELECT $name IS NULL FROM dpriv.ledger WHERE $where AND entry = 3") eq 't'
		  or $node->safe_psql($db, "SELECT attnotnull FROM pg_attribute WHERE attrelid = 'dpriv.ledger'::regclass AND attname = '$column'") eq 't';
	}
	is($found->("UPDATE dpriv.ledger SET epsilon = epsilon - 0.5, total_epsilon = total_epsilon - 0.5, lifetime_epsilon = lifetime_epsilon - 0.5 WHERE $where AND entry = 7"),
		"$budget|7|t", 'so is a lower total in the last entry');
	is($found->("DELETE FROM dpriv.ledger WHERE $where AND entry = 4"), "$budget|5|t", 'a removed entry is found at the next');
	is($found->("DELETE FROM dpriv.ledger WHERE $where AND entry = 1"), "$budget|2|t", 'also the first');
	is($found->("DELETE FROM dpriv.ledger WHERE $where AND entry < 3"), "$budget|3|t", 'or the first ones');
	my $rename = sub { "UPDATE dpriv.ledger SET entry = $_[1] WHERE $where AND entry = $_[0]" };
	is($found->($rename->(4, -1) . ';' . $rename->(5, 4) . ';' . $rename->(-1, 5)), "$budget|4|t", 'swapped entries are found');
	is($found->("DELETE FROM dpriv.ledger WHERE $where AND entry = 4;" . join ';', map { $rename->($_, $_ - 1) } 5 .. 7), "$budget|4|t",
		'a removed entry with the others moved up is found');
	like($found->("UPDATE dpriv.ledger SET budget_id = '$other', entry = 1000 WHERE $where AND entry = 7"), qr/^\Q$other\E\|1000\|t$/m,
		'an entry that moved to another budget is found');
	is($found->("INSERT INTO dpriv.ledger SELECT (jsonb_populate_record(l, '{\"entry\": 8}')).* FROM dpriv.ledger l WHERE $where AND entry = 7"),
		"$budget|8|t", 'a forged entry is found');
	like($found->("UPDATE dpriv.ledger SET epsilon = epsilon + 1 WHERE entry = 1 AND budget_id IN ('$budget', '$other')"),
		qr/^(?=.*\Q$budget\E\|1\|t)(?=.*\Q$other\E\|1\|t)/ms, 'every chain is looked at');
	is($found->("DELETE FROM dpriv.ledger WHERE $where AND entry = 7"), 'nothing', 'the last entry can be cut off: only an anchor elsewhere shows that');

	# ---- Archiving ----

	my $spent = "SELECT grantee, spent_epsilon, remaining_epsilon, charges FROM dpriv.budget_status WHERE relation IN ('$t'::regclass, 't1'::regclass) ORDER BY relation";
	my $status  = $node->safe_psql($db, $spent);
	my $charges = $node->safe_psql($db, 'SELECT count(*), sum(epsilon) FROM dpriv.charges');
	my $middle  = $node->safe_psql($db, "SELECT charged_at FROM dpriv.ledger WHERE $where AND entry = 4");
	my $moved   = $node->safe_psql($db, "SELECT dpriv.archive_ledger('$middle')");
	cmp_ok($moved, '>', 3, 'old entries are archived');
	is($node->safe_psql($db, 'SELECT count(*) FROM dpriv.ledger_archive'), $moved, 'as many as it says');
	is($node->safe_psql($db, "SELECT min(entry), count(*) FROM dpriv.ledger WHERE $where"), '4|4', 'those before the given time');
	is($node->safe_psql($db, $spent), $status, 'what is spent stays spent');
	is($node->safe_psql($db, 'SELECT count(*), sum(epsilon) FROM dpriv.charges'), $charges, 'all charges are still listed');
	Ledger::intact($node, $db, 'half archived');
	$node->safe_psql($db, "SELECT dpriv.archive_ledger('infinity')");
	is($node->safe_psql($db, "SELECT min(entry), count(*) FROM dpriv.ledger WHERE $where"), '7|1', 'the last entry of a budget stays');
	is($node->safe_psql($db, $spent), $status, 'with what is spent');
	pays($t, release($t, 1), 1, '8: 7.5', 'it goes on from there');
	pays('t1', release('t1', 0.1), 0, '10: 1', 'and what is exhausted stays so');
	Ledger::intact($node, $db, 'all archived');
	is($found->("UPDATE dpriv.ledger_archive SET epsilon = epsilon + 1 WHERE $where AND entry = 3"), "$budget|3|t", 'tampering with the archive is found');
	is($found->("DELETE FROM dpriv.ledger_archive WHERE $where AND entry = 3"), "$budget|4|t", 'so is what is missing there');
}

# Maintenance keeps it all.
$node->safe_psql($db, 'VACUUM FULL dpriv.ledger; REINDEX TABLE dpriv.ledger; CLUSTER dpriv.ledger USING ' .
	$node->safe_psql($db, "SELECT relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = 'dpriv.ledger'::regclass LIMIT 1") . '; VACUUM FREEZE dpriv.ledger');
Ledger::intact($node, $db, 'after VACUUM FULL, REINDEX and CLUSTER');
is(Ledger::answers($node, $db, 'ann', release('free', 1)), 1, 'and goes on');

# ---- Where the last entry was seen is a hint: the ledger decides ----

{
	my $hands = 'hands';
	my $one   = Ledger::release('t', 0.5);
	my $last  = "FROM dpriv.ledger WHERE entry = (SELECT max(entry) FROM dpriv.ledger)";
	my $state = sub { $node->safe_psql($hands, "SELECT entry || ': ' || total_epsilon $last") };
	my $by    = sub { $node->safe_psql($hands, "SET client_min_messages = error; $_[0]") };

	$node->safe_psql('postgres', "CREATE DATABASE $hands");
	$node->safe_psql($hands, 'CREATE EXTENSION dpriv');
	Ledger::table($node, $hands, 't');
	$by->("SELECT dpriv.set_cap('t', 1000)");
	is(Ledger::answers($node, $hands, 'ann', $one x 3), 3, 'three charges');
	is($state->(), '3: 1.5', 'are three entries');

	# An entry made by hand: whoever charges next runs into it, and nothing is answered before it counts.
	$by->("INSERT INTO dpriv.ledger SELECT (jsonb_populate_record(l, '{\"entry\": 4, \"total_epsilon\": 500}')).* FROM dpriv.ledger l WHERE entry = 3");
	Ledger::rejected($node, $hands, 'ann', $one, 'XX001', 'an entry that somebody else has made is noticed');
	is(Ledger::answers($node, $hands, 'ann', $one), 1, 'and counts from then on');
	is($state->(), '5: 500.5', 'with its total');

	# Changed, removed, moved, emptied.
	$by->("UPDATE dpriv.ledger SET total_epsilon = 999.75 WHERE entry = 5");
	Ledger::rejected($node, $hands, 'ann', $one, '53400', 'a changed last entry is read as it is now');
	$by->("DELETE FROM dpriv.ledger WHERE entry = 5");
	is(Ledger::answers($node, $hands, 'ann', $one), 1, 'a removed one is not read any more');
	is($state->(), '5: 500.5', 'the one before it is');
	$by->("DELETE FROM dpriv.ledger WHERE entry > 2");
	$by->('VACUUM dpriv.ledger');
	is(Ledger::answers($node, $hands, 'ann', $one), 1, 'nor is one that was vacuumed away');
	is($state->(), '3: 1.5', 'the charge follows what is left');
	$by->('VACUUM FULL dpriv.ledger');
	is(Ledger::answers($node, $hands, 'ann', $one), 1, 'nor where it was before the table was rewritten');
	is($state->(), '4: 2', 'it is found where it is');
	$by->('TRUNCATE dpriv.ledger');
	is(Ledger::answers($node, $hands, 'ann', $one), 1, 'and an empty ledger');
	is($state->(), '1: 0.5', 'is begun again');
}

$node->stop;
unlike(slurp_file($node->logfile), qr/was terminated by signal|PANIC|TRAP:|deadlock/, 'nothing else in the server log');
done_testing();
