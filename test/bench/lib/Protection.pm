# Protection.pm
#	  Section protect: protected tables, for statements on others and for roles that must not see their rows.
#
package Protection;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min);
use Numbers qw(check_answer median interval ms);
use Releases qw(SMALL_ROWS);
use Server qw(start_cluster stop_cluster open_session close_session query command program);
use Statements qw(compare_pgbench pgbench_restarted pgbench_latency PGBENCH_SCALE);
use Table qw(ALLOWANCE progress look_around add_row);

our @EXPORT_OK = qw(protect);

# Protected tables in a database, and how much slower statements on others may be.
use constant PROTECTED       => 1000;
use constant UNPROTECTED_BAR => 1.02;

# What clients ask the catalogs for, of which those that tell of rows are masked, and how much slower that may be.
use constant CATALOG_BAR     => 1.05;
use constant CATALOG_QUERIES => {
	'\d of a table, its first query' => q{SELECT c.relchecks, c.relkind, c.relhasindex, c.relhasrules, c.relhastriggers, c.relrowsecurity,
		c.relforcerowsecurity, false AS relhasoids, c.relispartition, pg_catalog.array_to_string(c.reloptions || array(SELECT 'toast.' || x
		FROM pg_catalog.unnest(tc.reloptions) x), ', '), c.reltablespace, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END,
		c.relpersistence, c.relreplident, am.amname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_class tc ON (c.reltoastrelid = tc.oid)
		LEFT JOIN pg_catalog.pg_am am ON (c.relam = am.oid) WHERE c.oid = 'pgbench_accounts'::regclass},
	'a list of tables with sizes and estimates' => q{SELECT c.oid, c.*, d.description, pg_catalog.pg_get_partkeydef(c.oid) AS partition_key,
		pg_catalog.pg_size_pretty(pg_catalog.pg_table_size(c.oid)) AS size, pg_catalog.array_to_string(c.relacl, E'\n') AS access
		FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind NOT IN ('i', 'I', 'c')}};

# Releases of a role that must not see the rows against those of the owner: on few rows, where planning is most of it,
# and on many.
use constant RESTRICTED_ROWS => 1_000_000;
use constant RESTRICTED_BAR  => 1.10;

# Where things come to lie in a session's memory makes up to 15 %: rounds with new sessions, and pairs in each.
use constant SESSIONS      => 25;
use constant SESSION_PAIRS => { SMALL_ROWS() => 40, RESTRICTED_ROWS() => 1, planning => 200, catalog => 40, statement => 400 };

# Protected tables: what they cost those who have nothing to do with them, and those who must not see the rows.
sub protect
{
	my $dir = start_cluster('autovacuum = off', 'shared_buffers = 384MB', 'max_parallel_workers_per_gather = 0', 'jit = off',
		'fsync = off', 'max_locks_per_transaction = 256', 'dpriv.epsilon = 1');
	my $sql = open_session($dir);
	my @analyst;

	progress(PROTECTED . ' protected tables');
	query($sql, $_)
	  foreach (
		'SET client_min_messages = error',
		'CREATE ROLE boss LOGIN',
		'CREATE ROLE analyst LOGIN',
		'CREATE EXTENSION dpriv',
		'GRANT ALL ON SCHEMA public TO boss');
	command(program('pgbench'), '-h', $dir, '-U', 'postgres', '-q', '-i', '-s', PGBENCH_SCALE, 'postgres');
	query($sql, $_)
	  foreach (
		'GRANT SELECT ON pgbench_accounts, pgbench_branches, pgbench_tellers TO analyst',
		'SET ROLE boss',
		'DO $$ BEGIN FOR i IN 1 .. ' . PROTECTED . q{ LOOP
			EXECUTE format('CREATE TABLE person_%s (id int, age int)', i);
			EXECUTE format('GRANT SELECT ON person_%s TO analyst', i); END LOOP; END $$},
		map { "CREATE TABLE person_of_$_ AS SELECT n AS id, n % 74 + 17 AS age, n % 83 AS hours, random() * 1000 AS x
			FROM generate_series(1, $_) n" } (SMALL_ROWS, RESTRICTED_ROWS));
	query($sql, "GRANT SELECT ON person_of_$_ TO analyst") foreach (SMALL_ROWS, RESTRICTED_ROWS);
	query($sql, 'RESET ROLE');
	query($sql, 'VACUUM (FREEZE, ANALYZE)');
	close_session($sql);

	# The same database again, where the tables are protected.
	command(program('createdb'), '-h', $dir, '-U', 'postgres', '--maintenance-db=template1', '-T', 'postgres', 'protected');
	$sql = open_session($dir, 'protected');
	query($sql, $_)
	  foreach (
		'SET client_min_messages = error',
		'SET ROLE boss',
		q{DO $$ DECLARE r regclass; BEGIN FOR r IN SELECT oid FROM pg_class WHERE relname LIKE 'person%' AND relkind = 'r' LOOP
			PERFORM dpriv.protect(r, unit => 'row'); END LOOP; END $$},
		'RESET ROLE',
		'VACUUM (FREEZE, ANALYZE)',
		'CHECKPOINT');
	my ($protected) = query($sql, 'SELECT count(*) FROM dpriv.protected');
	die "$protected relations are protected\n" unless $protected == PROTECTED + 2;
	close_session($sql);

	compare_planning($dir);
	compare_catalogs($dir);
	foreach my $rows (SMALL_ROWS, RESTRICTED_ROWS)
	{
		compare_roles($dir, $rows, @$_)
		  foreach (
			[ 'dp_count(*)',        'count(*)', '' ],
			[ 'dp_avg(x, 0, 1000)', 'avg(x)',   '' ],
			[
				'dp_sum_clipped(hours * age, 0, 7000, 20)',
				'sum(hours * age)', ' WHERE age BETWEEN 20 AND 60 AND 1000 / (age - 10) > 20'
			]);
	}

	# In pairs of single statements, which the machine's moods disturb less than runs of seconds.
	compare_sessions("the statement of pgbench -S, @{[PROTECTED]} protected tables", SESSION_PAIRS->{statement}, UNPROTECTED_BAR,
		sub { return map { open_session($dir, $_, 'analyst') } qw(postgres protected) },
		sub {
			my ($answer, $ms) = query($_[0], 'SELECT abalance FROM pgbench_accounts WHERE aid = ' . (1 + int(rand(100_000))));

			die "no such account: $answer\n" unless $answer eq '0';
			return $ms;
		});
	progress('pgbench -S');
	my $label = 'pgbench -S, ' . PROTECTED . ' protected tables';
	compare_pgbench("$label against as many unprotected ones", UNPROTECTED_BAR,
		sub { return pgbench_latency($dir, $_[0] ? 'protected' : 'postgres', 'analyst') });
	compare_pgbench("$label against no library", UNPROTECTED_BAR,
		sub { return pgbench_restarted($dir, $_[0] ? 'dpriv' : '', 'protected') });
	stop_cluster($dir);
}

# What planning alone takes, as the server says.  Only shown: of statements that run, it is a part.
sub compare_planning
{
	my ($dir) = @_;

	foreach my $case (
		[ 'of one row', 'SELECT abalance FROM pgbench_accounts WHERE aid = 1' ],
		[
			'of a join of three',
			'SELECT sum(abalance) FROM pgbench_accounts a JOIN pgbench_tellers t USING (bid) JOIN pgbench_branches b USING (bid)
			WHERE aid < 100 GROUP BY tid'
		])
	{
		my ($label, $statement) = @$case;

		compare_sessions("planning $label, @{[PROTECTED]} protected tables", SESSION_PAIRS->{planning}, undef,
			sub { return map { open_session($dir, $_, 'analyst') } qw(postgres protected) },
			sub {
				my ($answer) = query($_[0], "EXPLAIN (SUMMARY) $statement");
				return $answer =~ /^Planning Time: ([\d.]+) ms/m ? $1 : die "cannot read: $answer\n";
			});
	}
}

# What clients ask, as the restricted role, where tables are protected and where they are not.
sub compare_catalogs
{
	my ($dir) = @_;

	foreach my $label (sort keys %{ CATALOG_QUERIES() })
	{
		compare_sessions("$label, @{[PROTECTED]} protected tables", SESSION_PAIRS->{catalog}, CATALOG_BAR,
			sub { return map { open_session($dir, $_, 'analyst') } qw(postgres protected) },
			sub {
				my ($answer, $ms) = query($_[0], CATALOG_QUERIES->{$label});

				die "$label: no answer
" unless $answer;
				return $ms;
			});
	}
}

# One line of the table: a release of the restricted role against the owner's.
sub compare_roles
{
	my ($dir, $rows, $measure, $plain, $where) = @_;
	my $sql = open_session($dir, 'protected', 'boss');
	my ($expected) = query($sql, "SELECT $plain FROM person_of_$rows$where");

	close_session($sql);
	compare_sessions($measure . ($where ? ' and conditions' : '') . " on $rows rows, restricted role against owner",
		SESSION_PAIRS->{$rows}, RESTRICTED_BAR,
		sub { return map { open_session($dir, 'protected', $_) } qw(boss analyst) },
		sub {
			my ($answer, $ms) = query($_[0], "SELECT $measure FROM person_of_$rows$where");

			check_answer($measure, $answer, $expected);
			return $ms;
		});
}

# One line of the table: milliseconds in two sessions, which are opened again for every round.  A round counts with the
# ratio of its sums.
sub compare_sessions
{
	my ($label, $pairs, $bar, $open, $time) = @_;
	my (@plain, @private, @ratio);

	progress($label);
	foreach my $round (1 .. SESSIONS)
	{
		my @session = $open->();
		my @sum     = (0, 0);

		look_around();
		foreach (1 .. max(2, min($pairs, 20)))
		{
			$time->($_) foreach @session;    # warm up
		}
		foreach my $pair (1 .. $pairs)
		{
			foreach my $which (($pair + $round) % 2 ? (0, 1) : (1, 0))
			{
				$sum[$which] += $time->($session[$which]);
			}
		}
		close_session($_) foreach @session;
		push @plain,   $sum[0] / $pairs;
		push @private, $sum[1] / $pairs;
		push @ratio,   $sum[1] / $sum[0];
	}
	my ($low, $high) = interval(@ratio);
	add_row($label, ms(median(@plain)), ms(median(@private)), median(@ratio), sprintf('95 %%: %.3f to %.3f', $low, $high), $bar,
		defined $bar ? $bar * (1 + ALLOWANCE) : undef, '%.3f');
}

1;
