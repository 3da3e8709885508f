#
# 031_plan_cache.pl
#	  A kept plan holds the locks, the permissions and the dependencies of what its releases read.
#
# Counts at epsilon 1000 are exact but for a probability of 2 e^-1000.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('plan_cache');
$node->init;
$node->append_conf('postgresql.conf',
	"dpriv.max_epsilon = 1000\nplan_cache_mode = force_generic_plan\njit = off");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dpriv;
CREATE TABLE t (id int, age int, name text);
INSERT INTO t SELECT i, i % 50, 'n' || i FROM generate_series(1, 500) i;
CREATE TABLE parts (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
CREATE INDEX parts_k ON parts (k);
INSERT INTO parts SELECT i % 20, i FROM generate_series(1, 400) i;
CREATE VIEW parts_view AS SELECT v FROM parts WHERE k >= 0;
ALTER DATABASE postgres SET dpriv.epsilon = 1000;
SQL

# One session; returns what it printed and what it complained about.
sub session
{
	my ($sql, $role) = @_;
	my ($out, $err);
	$node->psql(
		'postgres', $sql,
		stdout        => \$out,
		stderr        => \$err,
		on_error_stop => 0,
		extra_params  => $role ? [ '-U', $role ] : []);
	return ($out, $err);
}

sub answers
{
	my ($sql, $expected, $name) = @_;
	my ($out, $err) = session($sql);
	is($out, $expected, $name);
	is($err, '',        "$name: no complaint");
}

# ---- Locks ----

my $locks =
  "SELECT string_agg(l.relation::regclass::text || ' ' || l.mode, ', ' ORDER BY l.relation::regclass::text) "
  . "FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.pid = pg_backend_pid() AND c.relname ~ '^parts' AND c.relkind IN ('r', 'p', 'v');";

# Partitions are children of a relation that the plan may not even mention any more.
foreach my $source ('parts', 'parts_view', '(SELECT * FROM parts) s', 'parts_function()')
{
	my $view = $source eq 'parts_view' ? ', parts_view AccessShareLock' : '';
	answers(<<"SQL", <<"OUT" =~ s/\n\z//r, "locks of the second execution: $source");
CREATE OR REPLACE FUNCTION parts_function() RETURNS SETOF parts LANGUAGE sql STABLE AS 'SELECT * FROM public.parts';
PREPARE q AS SELECT dp_count(*) FROM $source;
EXECUTE q;
BEGIN;
EXECUTE q;
$locks
COMMIT;
SQL
400
400
parts AccessShareLock, parts_1 AccessShareLock, parts_2 AccessShareLock$view
OUT
}

# A cursor keeps them until the transaction ends, also before anything was fetched.
answers(
	"BEGIN; DECLARE c CURSOR FOR SELECT dp_count(*) FROM parts; $locks COMMIT;",
	'parts AccessShareLock, parts_1 AccessShareLock, parts_2 AccessShareLock',
	'locks of a cursor');

# Somebody who wants to drop a partition waits for whoever is about to read it.
{
	my $reader = $node->background_psql('postgres');
	$reader->query_safe('PREPARE q AS SELECT dp_count(*) FROM parts');
	$reader->query_safe('EXECUTE q');
	$reader->query_safe('BEGIN');
	$reader->query_safe('EXECUTE q');
	my ($out, $err) =
	  session("SET lock_timeout = '100ms'; ALTER TABLE parts DETACH PARTITION parts_2;");
	like(
		$err,
		qr/canceling statement due to lock timeout/,
		'a partition that is being read cannot be detached');
	$reader->query_safe('COMMIT');
	$reader->quit;
}

# ---- Invalidation ----

answers(<<'SQL', "400\n200\n400", 'partitions that go and come');
PREPARE q AS SELECT dp_count(*) FROM parts;
EXECUTE q;
ALTER TABLE parts DETACH PARTITION parts_2;
EXECUTE q;
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (10) TO (20);
EXECUTE q;
SQL

answers(<<'SQL', "450\n450\n450\n50", 'ALTER TABLE in between');
PREPARE q(int) AS SELECT dp_count(*) FROM t WHERE age >= $1 AND name IS NOT NULL;
EXECUTE q(5);
ALTER TABLE t ADD COLUMN extra int DEFAULT 7;
EXECUTE q(5);
ALTER TABLE t DROP COLUMN extra, ALTER COLUMN id TYPE int8, ALTER COLUMN age TYPE numeric;
EXECUTE q(5);
ALTER TABLE t ALTER COLUMN age TYPE int;
EXECUTE q(45);
SQL

{
	my ($out, $err) = session(<<'SQL');
ALTER TABLE t ADD COLUMN gone int DEFAULT 1;
PREPARE q AS SELECT dp_count(gone) FROM t;
PREPARE r AS SELECT dp_count(*) FROM t WHERE gone = 1;
EXECUTE q;
EXECUTE r;
ALTER TABLE t DROP COLUMN gone;
EXECUTE q;
EXECUTE r;
SELECT dp_count(*) FROM t;
SQL
	is($out, "500\n500\n500", 'a column that is dropped: other queries go on');
	my @errors = $err =~ /ERROR:  (.*)/g;
	is_deeply(
		\@errors,
		[ ('column "gone" does not exist') x 2 ],
		'a column that is dropped: a normal error');
}

answers(<<'SQL', "450\n50\n500", 'a view that is replaced');
CREATE VIEW w AS SELECT * FROM t WHERE age >= 5;
PREPARE q AS SELECT dp_count(*) FROM w;
EXECUTE q;
CREATE OR REPLACE VIEW w AS SELECT * FROM t WHERE age < 5;
EXECUTE q;
CREATE OR REPLACE VIEW w AS SELECT * FROM t;
EXECUTE q;
DROP VIEW w;
SQL

# Functions that were inlined: around a release, below one, two deep, in WHERE.
answers(<<'SQL', "500\n50", 'an inlined function around a release');
CREATE FUNCTION above() RETURNS TABLE (c int8) LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.t';
PREPARE q AS SELECT c FROM above();
EXECUTE q;
CREATE OR REPLACE FUNCTION above() RETURNS TABLE (c int8) LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.t WHERE age < 5';
EXECUTE q;
SQL

answers(<<'SQL', "500\n50\n20", 'inlined functions below a release, two deep');
CREATE FUNCTION below() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM public.t';
CREATE FUNCTION below2() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM public.below()';
PREPARE q AS SELECT dp_count(*) FROM below2();
EXECUTE q;
CREATE OR REPLACE FUNCTION below() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM public.t WHERE age < 5';
EXECUTE q;
CREATE OR REPLACE FUNCTION below2() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM public.below() WHERE age < 2';
EXECUTE q;
SQL

foreach my $query (
	'SELECT dp_count(*) FROM t WHERE is_young(age)',
	'SELECT dp_count(*) FILTER (WHERE is_young(age)) FROM t',
	'SELECT dp_count(is_young(age) OR NULL) FROM t',
	'SELECT dp_count(*) FROM (SELECT is_young(age) AS y FROM t) s WHERE y',
	'WITH s AS (SELECT is_young(age) AS y FROM t) SELECT dp_count(*) FROM s WHERE y',
	'SELECT c FROM (SELECT is_young(age) AS y, dp_count(*) AS c FROM t GROUP BY 1) s WHERE y')
{
	answers(<<"SQL", "50\n450\n50", "an inlined scalar function, two deep: $query");
CREATE OR REPLACE FUNCTION young(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT \$1 < 5';
CREATE OR REPLACE FUNCTION is_young(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT public.young(\$1)';
PREPARE q AS $query;
EXECUTE q;
CREATE OR REPLACE FUNCTION young(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT \$1 >= 5';
EXECUTE q;
CREATE OR REPLACE FUNCTION young(int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT \$1 < 5';
EXECUTE q;
SQL
}

# A function that stops being inlinable is a source of its own, not one that was looked through.
{
	my ($out, $err) = session(<<'SQL');
CREATE FUNCTION turns() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT * FROM public.t';
PREPARE q AS SELECT dp_count(*) FROM turns();
EXECUTE q;
CREATE OR REPLACE FUNCTION turns() RETURNS SETOF t LANGUAGE sql STABLE AS 'SELECT a.* FROM public.t a, public.t b WHERE b.id = 1';
EXECUTE q;
SQL
	is($out, '500', 'a function that turns into a join');
	like(
		$err,
		qr/a private release cannot read from a join/,
		'a function that turns into a join is refused');
}

# What another session declares counts from the next execution on, in plans of both kinds.
foreach my $mode ('force_generic_plan', 'force_custom_plan')
{
	$node->safe_psql('postgres', "SELECT dpriv.set_bounds('t', 'age', 0, 1), dpriv.set_domain('t', 'name', ARRAY['n1', 'n2'])");
	my $reader = $node->background_psql('postgres');
	$reader->query_safe("SET plan_cache_mode = $mode");
	$reader->query_safe('PREPARE q AS SELECT dp_sum(age) FROM t');
	$reader->query_safe(q{PREPARE r(float8) AS SELECT string_agg(coalesce(name, '-') || c, ' ') FROM (SELECT name, dp_count(t, $1) AS c FROM t GROUP BY name) g});
	is($reader->query_safe('EXECUTE q'), '490', "$mode: bounds");
	is($reader->query_safe('EXECUTE r(1000)'), 'n11 n21 -0', "$mode: domain");
	$node->safe_psql('postgres', "SELECT dpriv.set_bounds('t', 'age', 0, 2), dpriv.set_domain('t', 'name', ARRAY['n2'], 'all others')");
	is($reader->query_safe('EXECUTE q'), '970', "$mode: other bounds");
	is($reader->query_safe('EXECUTE r(1000)'), 'n21 all others499 -0', "$mode: another domain");
	$node->safe_psql('postgres', "SELECT dpriv.set_bounds('t', 'age', NULL, NULL), dpriv.set_domain('t', 'name', NULL)");
	$reader->query_safe('SET dpriv.delta = 1e-18');
	is($reader->query_safe('EXECUTE r(1000)'), '', "$mode: no domain, groups are selected");
	$reader->quit;
}

# The extension itself.
{
	my ($out, $err) = session(<<'SQL');
PREPARE q AS SELECT dp_count(*) FROM t;
EXECUTE q;
BEGIN;
DROP EXTENSION dpriv;
EXECUTE q;
ROLLBACK;
EXECUTE q;
DROP EXTENSION dpriv;
CREATE SCHEMA elsewhere;
CREATE EXTENSION dpriv SCHEMA elsewhere;
SELECT elsewhere.dp_count(*) FROM t;
DROP EXTENSION dpriv;
CREATE EXTENSION dpriv;
SELECT dp_count(*) FROM t;
SQL
	is($out, "500\n500\n500\n500", 'dropped, rolled back, created again');
	like(
		$err,
		qr/function dp_count\(\) does not exist|dp_count\(\*\)|cached plan/,
		'dropped: a normal error');
}

# ---- Permissions ----

$node->safe_psql('postgres', <<'SQL');
CREATE ROLE analyst LOGIN;
CREATE ROLE owner;
CREATE TABLE private (id int, age int, name text);
INSERT INTO private SELECT i, i % 50, 'n' || i FROM generate_series(1, 500) i;
SQL

# Revoked between two executions.
{
	my ($out, $err) = session(<<'SQL');
GRANT SELECT ON private TO analyst;
SET ROLE analyst;
PREPARE q AS SELECT dp_count(*) FROM private;
PREPARE r AS SELECT k.x, (SELECT dp_count(*) FROM private WHERE age > 40) FROM (VALUES (1)) k(x);
EXECUTE q;
EXECUTE r;
RESET ROLE;
REVOKE SELECT ON private FROM analyst;
SET ROLE analyst;
EXECUTE q;
EXECUTE r;
RESET ROLE;
GRANT SELECT ON private TO analyst;
SET ROLE analyst;
EXECUTE q;
RESET ROLE;
REVOKE SELECT ON private FROM analyst;
SQL
	is($out, "500\n1|90\n500", 'REVOKE and GRANT between executions');
	my @errors = $err =~ /ERROR:  (.*)/g;
	is_deeply(\@errors, [ ('permission denied for table private') x 2 ], 'REVOKE is noticed');
}

# Nothing is paid for what is not permitted.
is((session('SELECT dp_count(*) FROM private; SELECT dpriv.session_spent()', 'analyst'))[0],
	'0', 'a refused release is free');

# The same privileges as plain SQL, whatever is granted: for each grant, which of these statements are permitted?
my @pairs = (
	[ 'count(*)',                       'dp_count(*)',                       '' ],
	[ 'count(age)',                     'dp_count(age)',                     '' ],
	[ 'sum(age)',                       'dp_sum_clipped(age, 0, 10)',        '' ],
	[ 'avg(age)',                       'dp_avg(age, 0, 10)',                '' ],
	[ 'count(name)',                    'dp_count(name)',                    '' ],
	[ 'count(DISTINCT name)',           'dp_count(DISTINCT name)',           '' ],
	[ 'count(o.*)',                     'dp_count(o.*, 1)',                  '' ],
	[ 'count(o)',                       'dp_count(o, 1)',                    '' ],
	[ 'count(age)',                     'dp_count(age)',                     "WHERE name = 'n1'" ],
	[ 'count(*)',                       'dp_count(*)',                       'WHERE age > 3' ],
	[ 'count(*) FILTER (WHERE id > 3)', 'dp_count(*) FILTER (WHERE id > 3)', '' ],
	[ 'count(age)',                     'dp_count(age)',                     'GROUP BY age > 3' ],
	[ 'count(age)',                     'dp_count(age)',                     'GROUP BY id > 3' ],
	[ 'count(*)',                       'dp_count(*)',                       'HAVING true' ]);
$node->safe_psql('postgres', <<'SQL');
CREATE VIEW private_view AS SELECT * FROM private;
CREATE VIEW private_invoker WITH (security_invoker) AS SELECT * FROM private;
CREATE VIEW private_other AS SELECT * FROM private;
ALTER VIEW private_other OWNER TO owner;
CREATE TABLE private_parts (id int, age int, name text) PARTITION BY LIST (id);
CREATE TABLE private_parts_d PARTITION OF private_parts DEFAULT;
CREATE FUNCTION permitted(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT count(*) FROM (' || statement || ') q';
	RETURN 'yes';
EXCEPTION WHEN insufficient_privilege THEN
	RETURN 'no';
END
$$;
SQL
my %refused;
foreach my $grant (
	'',
	'SELECT ON private',
	'SELECT (age) ON private',
	'SELECT (id, age, name) ON private',
	'SELECT (name) ON private',
	'INSERT ON private',
	'SELECT ON private_view',
	'SELECT (age) ON private_view',
	'SELECT ON private_invoker',
	'SELECT ON private_invoker, private',
	'SELECT ON private_other',
	'SELECT ON private_parts',
	'SELECT (age) ON private_parts',
	'SELECT ON private_parts_d')
{
	my $sql =
	  'REVOKE ALL ON private, private_view, private_invoker, private_other, private_parts, private_parts_d FROM analyst;';
	my (@plain, @release);
	$sql .= "GRANT $_ TO analyst;"
	  foreach $grant =~ /^(.* ON private_invoker), private$/ ? ($1, 'SELECT ON private') : $grant
	  || ();
	$sql .= 'SET ROLE analyst;';
	foreach my $relation (
		qw(private private_view private_invoker private_other private_parts private_parts_d))
	{
		foreach my $pair (@pairs)
		{
			my @statements =
			  map { "SELECT $pair->[$_] FROM $relation o $pair->[2]" =~ s/'/''/gr } 0, 1;
			$sql .=
			  "SELECT permitted('$statements[0]') || ' ' || permitted('$statements[1]') || ' $statements[1]';\n";
		}
	}
	my @lines = split /\n/, $node->safe_psql('postgres', $sql);
	is(scalar @lines, 6 * @pairs, ($grant || 'nothing') . ' granted: all were tried');
	my @different = grep { !/^(yes yes|no no)/ } @lines;
	is_deeply(\@different, [], ($grant || 'nothing') . ' granted: as with plain SQL');
	$refused{ scalar grep { /^no no/ } @lines } = 1;
}
cmp_ok(scalar keys %refused, '>', 4, 'the grants make a difference');

# A view runs with its owner's rights: neither more nor less.
$node->safe_psql('postgres',
	'REVOKE ALL ON private, private_other FROM analyst; GRANT SELECT ON private_other TO analyst');
like(
	(session('SELECT dp_count(*) FROM private_other', 'analyst'))[1],
	qr/permission denied for table private/,
	'a view whose owner may not read');
$node->safe_psql('postgres', 'GRANT SELECT ON private TO owner');
is((session('SELECT dp_count(*) FROM private_other', 'analyst'))[0],
	'500', 'a view whose owner may read');

# A release in a view is paid and permitted the same way.
$node->safe_psql('postgres',
	'CREATE VIEW private_release AS SELECT dp_count(*) AS c FROM private; GRANT SELECT ON private_release TO analyst'
);
is((session('SELECT c FROM private_release; SELECT dpriv.session_spent()', 'analyst'))[0],
	"500\n1000", 'a view over a release');

# Row security: below the door as without one, and one kept plan serves each role its own rows.
$node->safe_psql('postgres', <<'SQL');
GRANT SELECT ON private TO analyst, owner;
ALTER TABLE private ENABLE ROW LEVEL SECURITY;
CREATE POLICY a ON private TO analyst USING (age < 5);
CREATE POLICY o ON private TO owner USING (age < 25);
SQL
answers(<<'SQL', "500\n50\n250\n50\n500", 'row security');
PREPARE q AS SELECT dp_count(*) FROM private;
EXECUTE q;
SET ROLE analyst;
EXECUTE q;
SET ROLE owner;
EXECUTE q;
SET ROLE analyst;
EXECUTE q;
RESET ROLE;
EXECUTE q;
SQL

# The same where row security comes in with a function that was inlined, below a release and around it.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION rows_of() RETURNS SETOF private LANGUAGE sql STABLE AS 'SELECT * FROM public.private';
CREATE FUNCTION count_of() RETURNS TABLE (c int8) LANGUAGE sql STABLE AS 'SELECT dp_count(*) FROM public.private';
SQL
foreach my $query (
	'SELECT dp_count(*) FROM rows_of()',
	'SELECT dp_count(*) FROM (SELECT * FROM rows_of()) s',
	'SELECT c FROM count_of()')
{
	answers(<<"SQL", "50\n500\n250", "row security in a function: $query");
PREPARE q AS $query;
SET ROLE analyst;
EXECUTE q;
RESET ROLE;
EXECUTE q;
SET ROLE owner;
EXECUTE q;
SQL
}

# A cursor that was opened by a role that may read goes on when the role changes, as with plain SQL.
answers(<<'SQL', '50', 'FETCH after SET ROLE');
BEGIN;
SET ROLE analyst;
DECLARE c CURSOR FOR SELECT dp_count(*) FROM private;
RESET ROLE;
FETCH c;
COMMIT;
SQL

# PL/pgSQL keeps plans too.
answers(<<'SQL', "500\n50\n500", 'plans that PL/pgSQL keeps');
CREATE FUNCTION kept(n int) RETURNS int8 LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT dp_count(*) FROM private WHERE age >= n); END';
SELECT kept(0);
SET ROLE analyst;
SELECT kept(0);
RESET ROLE;
SELECT kept(0);
SQL

done_testing();
