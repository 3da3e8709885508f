# Charges.pm
#	  Sections charge and budgets: charges against INSERT and COMMIT, with a long ledger, and among many budgets.
#
package Charges;

use strict;
use warnings;

use Cwd qw(getcwd);
use Exporter qw(import);
use List::Util qw(max min);
use Numbers qw(median interval ms);
use Server qw(start_cluster stop_cluster open_session close_session query command program pgbench_rate);
use Table qw(ALLOWANCE progress look_around add_row add_rate_row);

our @EXPORT_OK = qw(charge budgets);

# Rounds of runs of so many seconds, and the least share of the rate of INSERT plus COMMIT.
use constant CHARGE_ROUNDS  => 9;
use constant CHARGE_SECONDS => 3;
use constant CHARGE_CLIENTS => (1, 8, 32);
use constant CHARGE_BAR     => 0.85;
use constant STATEMENT_BAR  => 0.5;
use constant STATEMENT_ROWS => 100;
use constant CHARGE         => "SELECT bench_charge('person'::regclass, 1e-6)";

# Rows of two ledgers, charges on each in a run, and how much slower the long one may be.
use constant LEDGER_ROWS    => (1_000, 1_000_000);
use constant LEDGER_CHARGES => 2000;
use constant LEDGER_PAIRS   => 60;
use constant LEDGER_BAR     => 1.10;

# Budgets on one relation, roles above that of the session, and what finding those that apply may take.
use constant BUDGETS      => 1000;
use constant BUDGET_DEPTH => 5;
use constant SEARCHES     => 5000;
use constant SEARCH_BAR   => 0.2;    # ms

# A cluster with what both sections need: a build with functions that charge without a release, a table that
# has one budget, and one charge.
sub start_charging
{
	my ($sql, $dir);

	# Of the server that runs here; the one that is measured elsewhere has none of this.
	command("test/bin/build --dir build/bench/ext DPRIV_CPPFLAGS=-DDPRIV_BENCH >/dev/null");
	$dir = start_cluster('--lib', getcwd() . '/build/bench/ext', 'autovacuum = off', 'jit = off', 'max_wal_size = 4GB',
		'checkpoint_timeout = 1h', @_);
	$sql = open_session($dir);
	query($sql, $_)
	  foreach (
		'CREATE EXTENSION dpriv',
		'CREATE TABLE person AS SELECT n AS id, random() * 1000 AS x FROM generate_series(1, ' . STATEMENT_ROWS . ') n',
		'VACUUM (FREEZE, ANALYZE) person',
		"CREATE FUNCTION bench_charge(oid, float8) RETURNS void AS 'dpriv', 'dpriv_bench_charge' LANGUAGE C",
		"CREATE FUNCTION bench_resolve(oid, int) RETURNS int AS 'dpriv', 'dpriv_bench_resolve' LANGUAGE C",
		"SELECT dpriv.set_cap('person', 1e6)",
		CHARGE);
	return ($dir, $sql);
}

# The columns of the ledger's only row, some of them replaced, as an SQL list.
sub ledger_row
{
	my ($sql, %replace) = @_;
	my ($columns) = query($sql, "SELECT string_agg(attname || '=' || format('quote_nullable(l.%I::text)', attname), ' '
		ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'dpriv.ledger'::regclass AND attnum > 0 AND NOT attisdropped");
	my (@values);

	foreach my $column (split / /, $columns)
	{
		my ($name, $expression) = split /=/, $column;
		my ($value) = query($sql, "SELECT $expression FROM dpriv.ledger AS l LIMIT 1");

		push @values, delete $replace{$name} // $value;
	}
	die 'no such columns: ' . join(' ', keys %replace) . "\n" if %replace;
	return join ', ', @values;
}

# A charge puts a row into a table and waits until it is on disk.  So does INSERT plus COMMIT, which is what it is
# compared with: the same row, columns and indexes.  All clients charge one budget.
sub charge
{
	my ($dir, $sql) = start_charging('max_connections = 50');
	my %script = (
		insert => "\\set n :n + 1\n\\set entry :client_id * 1000000000000 + :n\nINSERT INTO mirror VALUES ("
		  . ledger_row($sql, entry => ':entry') . ");\n",
		charge    => CHARGE . ";\n",
		statement => "SELECT dp_count(person, 0.001) FROM person;\n");
	my $runs = 0;

	foreach ('fsync', 'synchronous_commit')
	{
		my ($value) = query($sql, "SHOW $_");
		die "$_ is $value\n" unless $value eq 'on';
	}
	query($sql, 'CREATE TABLE mirror (LIKE dpriv.ledger INCLUDING ALL)');
	foreach my $clients (CHARGE_CLIENTS)
	{
		my (%rate, %ratio);

		progress("charges by $clients clients");
		foreach my $round (0 .. CHARGE_ROUNDS)
		{
			my @turn = (qw(insert charge statement)) x 2;
			my %this;

			look_around();
			foreach my $which (@turn[ $round % 3 .. $round % 3 + 2 ])
			{
				$this{$which} = pgbench_rate($dir, 'postgres', $script{$which}, '-c', $clients, '-j', $clients > 1 ? 2 : 1,
					'-T', $round ? CHARGE_SECONDS : 1, '-D', 'n=' . 1_000_000_000 * ++$runs);
			}
			next if $round == 0;    # warm up
			push @{ $rate{$_} },  $this{$_} foreach keys %this;
			push @{ $ratio{$_} }, $this{$_} / $this{insert} foreach qw(charge statement);
		}
		foreach ([ 'the charge alone', 'charge', CHARGE_BAR ], [ 'dp_count on ' . STATEMENT_ROWS . ' rows', 'statement', STATEMENT_BAR ])
		{
			my ($label, $which, $bar) = @$_;
			add_rate_row("$label against INSERT plus COMMIT, $clients client" . ($clients > 1 ? 's' : ''), $rate{insert},
				$rate{$which}, $ratio{$which}, $bar);
		}
	}
	my ($broken) = query($sql, 'SELECT count(*) FROM dpriv.verify_ledger()');
	die "the ledger is broken: $broken\n" if $broken;
	close_session($sql);
	stop_cluster($dir);
}

# What a charge takes must not depend on how long the ledger is, nor on how many budgets there are.  Without waiting for
# the disk, so that nothing hides a difference.
sub budgets
{
	my ($option) = @_;
	my ($dir, $sql) = start_charging('fsync = off');
	my @ledger = map { { rows => $_, database => "rows_$_", ms => [] } } LEDGER_ROWS;
	my @ratio;

	# Rows of a thousand other budgets, and the one that start_charging() has charged.
	my $others = ledger_row($sql,
		charge_id => 'gen_random_uuid()',
		budget_id => "md5('budget ' || n % 1000)::uuid",
		entry     => 'n / 1000 + 1');
	my ($budget) = query($sql, "SELECT budget_id FROM dpriv.budget WHERE kind = 'cap'");
	close_session($sql);
	foreach my $ledger (@ledger)
	{
		progress("a ledger of $ledger->{rows} rows");
		command(program('createdb'), '-h', $dir, '-U', 'postgres', '--maintenance-db=template1', '-T', 'postgres',
			$ledger->{database});
		$sql = open_session($dir, $ledger->{database});
		query($sql, "INSERT INTO dpriv.ledger SELECT $others FROM generate_series(1, $ledger->{rows} - 1) AS n");
		query($sql, 'VACUUM (ANALYZE) dpriv.ledger');
		query($sql, 'CHECKPOINT');
		close_session($sql);
	}

	progress('charges on them');
	$sql = open_session($dir, $ledger[0]{database});
	query($sql, 'SET client_min_messages = error');
	foreach my $pair (0 .. LEDGER_PAIRS)
	{
		look_around();
		foreach my $ledger ($pair % 2 ? @ledger : reverse @ledger)
		{
			my $rate = pgbench_rate($dir, $ledger->{database}, CHARGE . ";\n", '-c', 1, '-t', LEDGER_CHARGES);

			push @{ $ledger->{ms} }, 1000 / $rate if $pair;    # warm up
		}
		push @ratio, $ledger[1]{ms}[-1] / $ledger[0]{ms}[-1] if $pair;

		# The short one stays short.
		query($sql, "DELETE FROM dpriv.ledger AS l WHERE budget_id = '$budget'
			AND entry < (SELECT max(entry) FROM dpriv.ledger WHERE budget_id = l.budget_id)");
		query($sql, 'VACUUM dpriv.ledger');
	}
	my ($low, $high) = interval(@ratio);
	add_row('a charge with ' . join(' and ', LEDGER_ROWS) . ' rows in the ledger', (map { ms(median(@{ $_->{ms} })) } @ledger),
		median(@ratio), sprintf('95 %%: %.3f to %.3f', $low, $high), LEDGER_BAR, LEDGER_BAR * (1 + ALLOWANCE), '%.3f');
	close_session($sql);
	budget_search($dir, $option->{pairs});
	stop_cluster($dir);
}

# Which budgets apply: those of the session's user, of the roles above it, and the cap, among many.
sub budget_search
{
	my ($dir, $pairs) = @_;
	my $sql = open_session($dir);
	my (@few, @many, @each);

	progress(BUDGETS . ' budgets');
	query($sql, 'SET client_min_messages = error');
	foreach my $role (1 .. BUDGETS)
	{
		query($sql, "CREATE ROLE role_$role");
		query($sql, "SELECT dpriv.grant_budget('role_$role', 'person', 1)");
		query($sql, 'GRANT role_' . ($role - 1) . " TO role_$role") if $role > 1 && $role <= BUDGET_DEPTH + 1;
	}
	query($sql, 'SET SESSION AUTHORIZATION role_' . (BUDGET_DEPTH + 1));
	foreach my $pair (0 .. $pairs)
	{
		my %ms;

		look_around();
		foreach my $searches (1, SEARCHES + 1)
		{
			(my $found, $ms{$searches}) = query($sql, "SELECT bench_resolve('person'::regclass, $searches)");
			die "$found budgets apply\n" unless $found == BUDGET_DEPTH + 2;
		}
		next if $pair == 0;    # warm up
		push @few,  $ms{1};
		push @many, $ms{ SEARCHES + 1 };
		push @each, ($many[-1] - $few[-1]) / SEARCHES;
	}
	add_row('which of ' . BUDGETS . ' budgets apply, roles nested ' . BUDGET_DEPTH . ' deep, ' . SEARCHES . ' times',
		ms(median(@few)), ms(median(@many)), median(@each), sprintf('%.4f to %.4f', min(@each), max(@each)), SEARCH_BAR,
		SEARCH_BAR * (1 + ALLOWANCE), '%.4f ms each');
	close_session($sql);
}

1;
