# Ledger.pm
#	  What tests of the ledger share: servers with roles and tables, what roles get to see, and what must always hold.
#
# Answers are counted, not looked at: a release of dp_count always answers, so no test here depends on noise.
#
package Ledger;

use strict;
use warnings;

use Exporter qw(import);
use IPC::Run;
use List::Util qw(sum0);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT_OK = qw(server prepare table as answers release rejected charged entries intact);

# A server that is not started yet.
sub server
{
	my ($name, %params) = @_;
	my $conf = delete $params{conf} // '';
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(%params);
	$node->append_conf('postgresql.conf', "dpriv.max_epsilon = 1000\nautovacuum = off\njit = off\nlog_statement = none\n$conf");
	return $node;
}

# The extension, and roles that may log in.
sub prepare
{
	my ($node, $database, @roles) = @_;
	$node->safe_psql('postgres', join '', map { "CREATE ROLE $_ LOGIN;\n" } @roles);
	$node->safe_psql('postgres', "CREATE DATABASE $database") if $database ne 'postgres';
	$node->safe_psql($database, 'CREATE EXTENSION dpriv');
	return;
}

# A table that everybody may read.
sub table
{
	my ($node, $database, @names) = @_;
	$node->safe_psql($database, join '', map { <<"SQL" } @names);
CREATE TABLE $_ AS SELECT i AS id, 'person ' || i AS name FROM generate_series(1, 100) i;
GRANT SELECT ON $_ TO PUBLIC;
SQL
	return;
}

# A statement that prints a line "answer" if it is answered.
sub release
{
	my ($relation, $epsilon) = @_;
	return "SELECT 'answer' FROM (SELECT dp_count($relation, $epsilon) AS c FROM $relation) s WHERE c IS NOT NULL;\n";
}

# Runs a script as a role, to its end whatever fails; returns its output, the SQLSTATEs of its errors, and its messages.
sub as
{
	my ($node, $database, $role, $sql) = @_;
	my ($out, $err) = ('', '');
	$node->psql($database, $sql,
		stdout => \$out, stderr => \$err, on_error_stop => 0, on_error_die => 0,
		extra_params => [ $role ? ('-U', $role) : (), '-v', 'VERBOSITY=verbose' ]);
	return ($out, join(' ', $err =~ /(?:ERROR|FATAL|PANIC):  (\w{5}):/g), $err);
}

# Runs a script as a role and returns how many of its releases were answered.
sub answers
{
	my ($out) = as(@_);
	return scalar(() = $out =~ /^answer$/mg);
}

# A script of one statement ends with this error, and answers nothing.
sub rejected
{
	my ($node, $database, $role, $sql, $sqlstate, $what) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($out, $errors, $err) = as($node, $database, $role, $sql);
	return is(join('|', $errors, $out =~ /^(answer)$/mg), $sqlstate, $what) || diag($err);
}

# What was charged to the budget of a grantee (cap, public, or a role) on a relation: "entries: epsilon", by the sum of
# the charges themselves.
sub charged
{
	my ($node, $database, $grantee, $relation) = @_;
	my $whose =
	    $grantee eq 'cap'    ? "kind = 'cap'"
	  : $grantee eq 'public' ? "kind = 'public'"
	  :                        "kind = 'role' AND grantee = '$grantee'::regrole";
	my $which = defined $relation ? "'$relation'::regclass" : "'-'";
	return $node->safe_psql($database, <<"SQL");
SELECT count(*) || ': ' || trim_scale(coalesce(sum(l.epsilon), 0))
FROM (SELECT * FROM dpriv.ledger UNION ALL SELECT * FROM dpriv.ledger_archive) l
JOIN dpriv.budget b USING (budget_id) WHERE $whose AND b.relation = $which
SQL
}

sub entries
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, 'SELECT count(*) FROM dpriv.ledger');
}

# Entries whose number or totals are not those of the charges before them.  Sums of epsilon and delta are exact; those of
# rho and of the curve are doubles that may be rounded up, never down.
my $broken = <<'SQL';
WITH entries AS (
	SELECT * FROM dpriv.ledger WHERE budget_id IS NOT NULL
	UNION ALL SELECT * FROM dpriv.ledger_archive WHERE budget_id IS NOT NULL),
sums AS (
	SELECT e.*, row_number() OVER b AS number, sum(epsilon) OVER b AS all_epsilon, sum(epsilon) OVER p AS sum_epsilon,
		sum(delta_basic) OVER p AS sum_basic, sum(delta_approx) OVER p AS sum_approx, sum(rho) OVER p AS sum_rho
	FROM entries e
	WINDOW b AS (PARTITION BY budget_id ORDER BY entry), p AS (PARTITION BY budget_id, period_start ORDER BY entry)),
points AS (
	SELECT budget_id, entry, total_curve[i] AS total, sum(curve[i]) OVER (PARTITION BY budget_id, period_start, i ORDER BY entry) AS sum
	FROM entries, generate_subscripts(curve, 1) i)
SELECT budget_id, entry, 'number or total' FROM sums
WHERE (entry, total_epsilon, lifetime_epsilon, total_delta_basic, total_delta_approx)
		IS DISTINCT FROM (number, sum_epsilon, all_epsilon, sum_basic, sum_approx)
	OR NOT total_rho BETWEEN sum_rho * (1 - 1e-12) AND sum_rho * (1 + 1e-9)
	OR cardinality(total_curve) <> cardinality(curve)
UNION ALL SELECT budget_id, entry, 'curve' FROM points WHERE NOT total BETWEEN sum * (1 - 1e-12) AND sum * (1 + 1e-9)
UNION ALL SELECT budget_id, entry, 'verify_ledger: ' || problem FROM dpriv.verify_ledger()
UNION ALL SELECT NULL, count(*), 'charges in parts' FROM (
	SELECT FROM entries GROUP BY charge_id HAVING count(DISTINCT (charged_at, session_role, epsilon)) > 1) c HAVING count(*) > 0
SQL

# The ledger is what it has to be: totals are sums of charges, the hash chains hold, heap and indexes agree.
sub intact
{
	my ($node, $database, $what) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $ok = is($node->safe_psql($database, $broken), '', "$what: totals are sums of charges, and verify");
	my ($out, $err);
	my $ret = IPC::Run::run(
		[ 'pg_amcheck', '--install-missing', '--heapallindexed', '--no-strict-names', '-t', 'dpriv.*',
			'-d', $node->connstr($database) ],
		'>', \$out, '2>', \$err);
	return is($ret && "$out$err", '', "$what: heap and indexes agree") && $ok;
}

1;
