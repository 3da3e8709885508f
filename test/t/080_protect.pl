#
# 080_protect.pl
#	  What protection is when plans are cached, when sessions come without the library, and after a dump.
#
# Answers are SQLSTATEs and counts of rows that a role may see; no test depends on noise.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('protect');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\njit = off\n");
$node->start;
my @roles = qw(owner ana app member helper "Odd_""Role""");
$node->safe_psql('postgres', join '', map { "CREATE ROLE $_ LOGIN;\n" } @roles);
$node->safe_psql('postgres', 'GRANT app TO member; GRANT owner TO helper; CREATE DATABASE source');
$node->safe_psql('source', <<'SQL');
SET client_min_messages = error;
CREATE EXTENSION dpriv;
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE SCHEMA "Odd Schema" AUTHORIZATION owner;
GRANT USAGE ON SCHEMA "Odd Schema" TO PUBLIC;
SET ROLE owner;
CREATE TABLE adult (id int PRIMARY KEY, name text);
INSERT INTO adult SELECT i, 'person ' || i FROM generate_series(1, 100) i;
CREATE TABLE "Odd Schema"."Odd ""Table""" AS TABLE adult;
CREATE TABLE root (id int, k int) PARTITION BY LIST (k);
CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1);
CREATE TABLE leaf_of_ana PARTITION OF root FOR VALUES IN (2);
INSERT INTO root SELECT i, i % 2 + 1 FROM generate_series(1, 100) i;
CREATE TABLE parent (id int, name text);
CREATE TABLE child (extra text) INHERITS (parent);
INSERT INTO child TABLE adult;
CREATE TABLE own AS SELECT i AS id, CASE i % 2 WHEN 0 THEN 'app' ELSE 'ana' END::name AS who FROM generate_series(1, 100) i;
ALTER TABLE own ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON own USING (who = current_user);
GRANT SELECT ON adult, "Odd Schema"."Odd ""Table""", root, leaf, parent, child, own TO PUBLIC;
SELECT dpriv.protect('"Odd Schema"."Odd ""Table"""', 'row'), dpriv.protect('root', 'row'), dpriv.protect('parent', 'row'),
	dpriv.protect('own', 'row');
SELECT dpriv.trust('"Odd Schema"."Odd ""Table"""', 'Odd_"Role"'), dpriv.trust('root', 'app'), dpriv.trust('parent', 'app'),
	dpriv.trust('own', 'app');
SQL

# Runs a script as a role to its end; returns its output, and the SQLSTATEs of its errors.
sub as
{
	my ($server, $database, $role, $sql) = @_;
	my ($out, $err) = ('', '');
	$server->psql($database, "\\set VERBOSITY sqlstate\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 0,
		extra_params => [ '-U', $role =~ s/^"|"$//gr =~ s/""/"/gr ]);
	return ($out, join ' ', $err =~ /ERROR:  (\w{5})/g);
}

# What happens to a statement: SQLSTATE of its error, or its output.
sub answer { my ($out, $errors) = as(@_); return $errors ne '' ? $errors : $out }


# ---- Every route to the rows ----

# %s is the table.
my %routes = (
	'SELECT'          => 'SELECT count(*) FROM %s',
	'TABLE'           => 'TABLE %s',
	'no rows'         => 'SELECT FROM %s WHERE false',
	'LIMIT 0'         => 'SELECT FROM %s LIMIT 0',
	'system columns'  => 'SELECT ctid, xmin, tableoid FROM %s',
	'whole row'       => 'SELECT t FROM %s AS t',
	'TABLESAMPLE'     => 'SELECT count(*) FROM %s TABLESAMPLE BERNOULLI (100)',
	'FOR UPDATE'      => 'SELECT FROM %s FOR SHARE',
	'COPY'            => 'COPY %s TO STDOUT',
	'COPY column'     => 'COPY %s (id) TO STDOUT',
	'COPY query'      => 'COPY (SELECT id FROM %s) TO STDOUT',
	'EXPLAIN'         => 'EXPLAIN SELECT FROM %s',
	'EXPLAIN ANALYZE' => 'EXPLAIN (ANALYZE, COSTS OFF) SELECT FROM %s',
	'CTAS'            => 'CREATE TEMPORARY TABLE x AS SELECT * FROM %s',
	'SELECT INTO'     => 'SELECT * INTO TEMPORARY x FROM %s',
	'matview'         => 'CREATE MATERIALIZED VIEW x AS SELECT * FROM %s',
	'INSERT'          => 'CREATE TEMPORARY TABLE x (id int); INSERT INTO x SELECT id FROM %s',
	'cursor'          => 'BEGIN; DECLARE c CURSOR FOR SELECT * FROM %s; FETCH ALL FROM c; COMMIT',
	'PREPARE'         => 'SET plan_cache_mode = force_generic_plan; PREPARE q AS SELECT * FROM %s; EXECUTE q',
	'subquery'        => 'SELECT EXISTS (SELECT FROM %s)',
	'scalar subquery' => 'SELECT (SELECT max(id) FROM %s)',
	'CTE'             => 'WITH c AS MATERIALIZED (SELECT * FROM %s) SELECT count(*) FROM c',
	'LATERAL'         => 'SELECT l.id FROM generate_series(1, 2) g, LATERAL (SELECT id FROM %s WHERE id > g) l',
	'join'            => 'SELECT count(*) FROM %s a JOIN %s b USING (id)',
	'UNION'           => 'SELECT 1 UNION ALL SELECT id FROM %s',
	'recursion'       => 'WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r WHERE i < (SELECT count(*) FROM %s)) SELECT max(i) FROM r',
	'DO'              => 'DO $$ BEGIN PERFORM FROM %s; END $$',
	'PL/pgSQL'        => 'CREATE FUNCTION pg_temp.f() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM %s); END $$; SELECT pg_temp.f()',
	'SQL function'    => 'CREATE FUNCTION pg_temp.f() RETURNS SETOF int LANGUAGE sql STABLE AS $$ SELECT id FROM %s $$; SELECT count(*) FROM pg_temp.f()',
	'BEGIN ATOMIC'    => 'CREATE FUNCTION pg_temp.f() RETURNS SETOF int LANGUAGE sql STABLE BEGIN ATOMIC SELECT id FROM %s; END; SELECT count(*) FROM pg_temp.f()',
	'own view'        => 'CREATE TEMPORARY VIEW x AS SELECT * FROM %s; SELECT count(*) FROM x',
	'query_to_xml'    => q(SELECT query_to_xml('SELECT * FROM %q', true, false, '')),
	'table_to_xml'    => q(SELECT table_to_xml('%q', true, false, '')),
	'row_security off' => 'SET row_security = off; SELECT count(*) FROM %s',
	'serializable'    => 'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM %s; COMMIT',
	'read only'       => 'BEGIN READ ONLY; SELECT count(*) FROM %s; COMMIT');

sub refused_everywhere
{
	my ($server, $database, $role, $table, $what) = @_;
	my @open;
	foreach my $route (sort keys %routes)
	{
		my $statement = $routes{$route} =~ s/%s/$table/gr =~ s/%q/$table/gr;
		my ($out, $errors) = as($server, $database, $role, $statement);
		push @open, "$route: $out $errors" unless $out eq '' && $errors =~ /^42501(?: 25P02| 26000| 34000)*$/;
	}
	is_deeply(\@open, [], "$what: " . keys(%routes) . ' routes are closed');
	return;
}

# The attack succeeds where nothing is protected.
{
	my @closed;
	foreach my $route (sort keys %routes)
	{
		next if $route eq 'FOR UPDATE';    # needs more than SELECT
		my ($out, $errors) = as($node, 'source', 'ana', $routes{$route} =~ s/%[sq]/adult/gr);
		push @closed, "$route: $errors" if $errors ne '';
		$node->safe_psql('source', 'DROP MATERIALIZED VIEW IF EXISTS x');
	}
	is_deeply(\@closed, [], 'they are open on an unprotected table');
}
$node->safe_psql('source', "SET client_min_messages = error; SELECT dpriv.protect('adult', 'row')");
refused_everywhere($node, 'source', 'ana', $_, $_) foreach qw(adult root child);
is(answer($node, 'source', $_, 'SELECT count(*) FROM adult'), 100, "$_ reads on") foreach qw(owner helper);
is(answer($node, 'source', 'app', "SELECT count(*) FROM $_"), 100, "a trusted role reads $_") foreach qw(root parent child);
is(answer($node, 'source', 'app', 'SELECT count(*) FROM own'), 50, 'as far as other policies let it');
is(answer($node, 'source', 'ana', q(SELECT count(*) FROM pg_stats WHERE tablename = 'adult')), 0, 'no statistics are shown');

# Catalogs look as ever.
is(answer($node, 'source', 'ana', q(SELECT string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'adult')),
	'id,name', 'information_schema');
is(answer($node, 'source', 'ana', q(SELECT unit FROM dpriv.protected WHERE relation = 'adult'::regclass)), 'row', 'and everybody may know the unit');


# ---- Plans from before ----

# A session that stays: say() sends it a statement and returns SQLSTATE or output.
my %session;
sub open_session
{
	my ($name, $role, $sql) = @_;
	$session{$name} = $node->background_psql('source', on_error_stop => 0, extra_params => [ '-U', $role ]);
	say_to($name, '\set VERBOSITY sqlstate');
	say_to($name, $sql) if $sql;
	return;
}

sub say_to
{
	my ($name, $sql) = @_;
	$session{$name}->{stderr} = '';
	my $out = $session{$name}->query($sql);
	my $error = $session{$name}->{stderr} =~ /ERROR:  (\w{5})/ ? $1 : undef;
	return $error // $out;
}

my $function = 'CREATE FUNCTION pg_temp.f() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM %s); END $$;';
sub prepare
{
	my ($table) = @_;
	return join "\n", map { s/%s/$table/r }
	  'SET client_min_messages = error;', $function,
	  'SET plan_cache_mode = force_generic_plan; PREPARE g AS SELECT count(*) FROM %s;', 'EXECUTE g;', 'SELECT pg_temp.f();',
	  'SET plan_cache_mode = force_custom_plan; PREPARE c AS SELECT count(*) FROM %s;', 'EXECUTE c;', 'RESET plan_cache_mode;';
}
my @again = ('EXECUTE g', 'EXECUTE c', 'SELECT pg_temp.f()', 'SET plan_cache_mode = force_generic_plan; EXECUTE c');

sub again_is
{
	my ($name, $expected, $what) = @_;
	my @got = map { say_to($name, "$_;") } @again;
	is_deeply(\@got, [ map { $expected } @again ], $what);
	return;
}

$node->safe_psql('source', "SELECT dpriv.unprotect('adult')");
open_session('ana', 'ana', prepare('adult'));
open_session('app', 'app', prepare('adult'));
open_session('member', 'member', prepare('adult'));
open_session('helper', 'helper', prepare('adult'));
again_is('ana', 100, 'prepared before protect()');
$node->safe_psql('source', "SET client_min_messages = error; SELECT dpriv.protect('adult', 'row')");
again_is('ana', '42501', 'after protect() they are refused');
again_is('helper', 100, 'members of the owner go on');

$node->safe_psql('source', "SELECT dpriv.trust('adult', 'app')");
again_is('app',    100, 'trusted');
again_is('member', 100, 'member of a trusted role');
$node->safe_psql('source', 'REVOKE app FROM member');
again_is('member', '42501', 'no longer a member');
$node->safe_psql('source', 'GRANT app TO member');
again_is('member', 100, 'a member again');
$node->safe_psql('source', 'ALTER ROLE member NOINHERIT; REVOKE app FROM member; GRANT app TO member');
again_is('member', '42501', 'a member that does not inherit');
say_to('member', 'SET ROLE app;');
again_is('member', 100, 'until it is that role');
say_to('member', 'SET ROLE member;');
again_is('member', '42501', 'and after it was');
$node->safe_psql('source', "SELECT dpriv.distrust('adult', 'app')");
again_is('app', '42501', 'distrusted');

$node->safe_psql('source', 'ALTER ROLE ana BYPASSRLS');
again_is('ana', 100, 'exempt from row-level security');
$node->safe_psql('source', 'ALTER ROLE ana NOBYPASSRLS');
again_is('ana', '42501', 'no longer');
$node->safe_psql('source', 'REVOKE owner FROM helper');
again_is('helper', '42501', 'no longer a member of the owner');
$node->safe_psql('source', 'GRANT owner TO helper; ALTER TABLE adult OWNER TO app');
again_is('helper', '42501', 'the table has another owner');
again_is('app', 100, 'who reads');
$node->safe_psql('source', 'ALTER TABLE adult OWNER TO owner');
$node->safe_psql('source', "SELECT dpriv.unprotect('adult')");
again_is('ana', 100, 'after unprotect() they are answered again');

# One who is reading is waited for.
say_to('ana', 'BEGIN; DECLARE c CURSOR FOR SELECT id FROM adult; FETCH 1 FROM c;');
like(
	(as($node, 'source', 'owner', "SET lock_timeout = '200ms'; SELECT dpriv.protect('adult', 'row')"))[1],
	qr/55P03/, 'protect() waits for transactions that read');
say_to('ana', 'ROLLBACK;');

# Protected in a transaction that is rolled back; an uncommitted protection holds up others.
$node->safe_psql('source', "SET client_min_messages = error; BEGIN; SELECT dpriv.protect('adult', 'row'); ROLLBACK");
is($node->safe_psql('source', "SELECT count(*) FROM dpriv.protected WHERE relation = 'adult'::regclass"), 0, 'rolled back');
again_is('ana', 100, 'nothing has happened');
$_->quit foreach values %session;
$node->safe_psql('source', "SET client_min_messages = error; SELECT dpriv.protect('adult', 'row'); SELECT dpriv.trust('adult', 'app')");


# ---- Children made by others ----

is(answer($node, 'source', 'owner', 'CREATE TABLE leaf3 PARTITION OF root FOR VALUES IN (3); GRANT SELECT ON leaf3 TO PUBLIC'), '', 'a new partition');
is(answer($node, 'source', 'ana', 'TABLE leaf3'), '42501', 'is protected');
is(answer($node, 'source', 'app', 'SELECT count(*) FROM leaf3'), '0', 'and its trusted roles are those of its parent');
is(answer($node, 'source', 'helper', 'CREATE TABLE leaf4 PARTITION OF root FOR VALUES IN (4)'), '', 'a member of the owner makes one');
$node->safe_psql('source', 'REVOKE owner FROM helper');
is(answer($node, 'source', 'owner', q(SELECT string_agg(risk, '') FROM dpriv.protection_risks('root'))), 'role helper owns public.leaf4',
	'which is a gap when it no longer is a member');
$node->safe_psql('source', 'GRANT owner TO helper');
is(answer($node, 'source', 'postgres', 'CREATE TABLE leaf5 PARTITION OF root FOR VALUES IN (5)'), '', 'a superuser can');

# Partitions come and go, whoever owns them and in whatever way.
is(answer($node, 'source', 'owner', "ALTER TABLE root DETACH PARTITION $_"), '', "detached: $_") foreach 'leaf5', 'leaf4 CONCURRENTLY';
is($node->safe_psql('source', q(SELECT relation, part_of, trusted, problem FROM dpriv.protected WHERE relation::text ~ 'leaf[45]' ORDER BY 1)),
	"leaf4||{app}|\nleaf5||{app}|", 'they stay protected');
is(answer($node, 'source', 'helper', 'SET ROLE owner; ALTER TABLE root ATTACH PARTITION leaf4 FOR VALUES IN (4)'), '42501', 'attached by those who own both');
is(answer($node, 'source', 'helper', 'ALTER TABLE root ATTACH PARTITION leaf4 FOR VALUES IN (4)'), '', 'such as a member of the owner');

# Event triggers see what is done to a new partition.
$node->safe_psql('source', <<'SQL');
CREATE TABLE seen (tag text, object text);
GRANT INSERT ON seen TO PUBLIC;
CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS
	$$ BEGIN INSERT INTO seen SELECT command_tag, object_identity FROM pg_event_trigger_ddl_commands(); END $$;
CREATE EVENT TRIGGER see ON ddl_command_end EXECUTE FUNCTION see();
SET ROLE owner;
CREATE TABLE leaf6 PARTITION OF root FOR VALUES IN (6);
RESET ROLE;
DROP EVENT TRIGGER see;
SQL
is($node->safe_psql('source', q(SELECT string_agg(tag, ', ' ORDER BY tag, object) FROM seen)),
	'ALTER TABLE, CREATE POLICY, CREATE POLICY, CREATE POLICY, CREATE TABLE', 'event triggers see policies');
$node->safe_psql('source', 'DROP FUNCTION see; DROP TABLE seen');

# DROP OWNED takes the trust in a role with it.
$node->safe_psql('source', q(CREATE ROLE guest; SELECT dpriv.trust('parent', 'guest'), dpriv.trust('own', 'guest'); DROP OWNED BY guest; DROP ROLE guest));
is($node->safe_psql('source', q(SELECT DISTINCT trusted, problem FROM dpriv.protected WHERE relation IN ('parent'::regclass, 'child', 'own'))),
	'{app}|', 'a role that is gone');


# ---- Dump and restore ----

$node->safe_psql('source', <<'SQL');
ALTER TABLE adult RENAME TO "Renamed Adult";
ALTER ROLE app RENAME TO application;
SQL
my $state = <<'SQL';
SELECT relation, unit, trusted, part_of, problem FROM dpriv.protected ORDER BY relation::text;
SELECT c.oid::regclass, c.relrowsecurity, p.polname, p.polpermissive, p.polcmd, p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid)
FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid ORDER BY c.oid::regclass::text, p.polname;
SQL
my $before = $node->safe_psql('source', $state);
like($before, qr/"Renamed Adult"\|row\|\{application\}\|\|$/m, 'names are those of now');
like($before, qr/"Odd Schema"\."Odd ""Table"""\|row\|\{"Odd_\\"Role\\""\}/, 'whatever they are');

my $directory = PostgreSQL::Test::Utils::tempdir();
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$directory/source.dump", '-d', $node->connstr('source') ], 'pg_dump');
$node->command_ok([ 'pg_dumpall', '--roles-only', '-f', "$directory/roles.sql", '-d', $node->connstr('postgres') ], 'pg_dumpall');
is(answer($node, 'source', 'ana', 'SELECT 1'), 1, 'ana is there');
$node->command_fails([ 'pg_dump', '-f', "$directory/ana.dump", '-d', $node->connstr('source'), '-t', '"Renamed Adult"', '-U', 'ana' ],
	'pg_dump by a restricted role');
$node->command_fails(
	[ 'pg_dump', '--enable-row-security', '-f', "$directory/ana.dump", '-d', $node->connstr('source'), '-t', '"Renamed Adult"', '-U', 'ana' ],
	'nor with row-level security');
unlike(-e "$directory/ana.dump" ? slurp_file("$directory/ana.dump") : '', qr/person/, 'and nothing of it is in a file');

my @tables = ('"Renamed Adult"', '"Odd Schema"."Odd ""Table"""', qw(root leaf leaf3 parent child own));
sub closed
{
	my ($server, $database, $what) = @_;
	is_deeply([ map { answer($server, $database, 'ana', "TABLE $_") } @tables ], [ map { '42501' } @tables ], "$what: closed");
	return;
}
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->command_ok([ 'pg_restore', '-e', '-d', $node->connstr('copy'), "$directory/source.dump" ], 'pg_restore');
is($node->safe_psql('copy', $state), $before, 'everything is as it was');
closed($node, 'copy', 'restored');
is(answer($node, 'copy', 'application', 'SELECT count(*) FROM "Renamed Adult"'), 100, 'the trusted role reads');
$node->command_ok([ 'pg_restore', '-e', '--clean', '-d', $node->connstr('copy'), "$directory/source.dump" ], 'pg_restore --clean');
is($node->safe_psql('copy', $state), $before, 'the same again');

# Into a cluster that does not preload the library.  (CREATE EXTENSION would load it.)
my $bare = PostgreSQL::Test::Cluster->new('bare');
$bare->init;
$bare->append_conf('postgresql.conf', "shared_preload_libraries = ''\njit = off\n");
$bare->start;
$bare->command_ok([ 'psql', '-Xq', '-d', $bare->connstr('postgres'), '-f', "$directory/roles.sql" ], 'roles');
$bare->safe_psql('postgres', 'CREATE DATABASE copy');
$bare->safe_psql('copy', 'CREATE EXTENSION dpriv');
$bare->command_fails([ 'pg_restore', '-d', $bare->connstr('copy'), "$directory/source.dump" ], 'pg_restore without the library');
is($bare->safe_psql('copy', q(SELECT count(*) FROM pg_seclabel)), 0, 'has lost the labels');
closed($bare, 'copy', 'restored without the library');
is(answer($bare, 'copy', 'application', 'SELECT count(*) FROM "Renamed Adult"'), 100, 'the trusted role reads');
is(answer($bare, 'copy', 'owner', 'SELECT count(*) FROM "Renamed Adult"'), 100, 'the owner reads');
$bare->append_conf('postgresql.conf', "shared_preload_libraries = 'dpriv'\n");
$bare->restart;
closed($bare, 'copy', 'with the library again');
is($bare->safe_psql('copy', q(SELECT DISTINCT problem FROM dpriv.protected)), 'Its security label is missing.', 'it says what is missing');
$bare->safe_psql('copy', <<'SQL');
SET client_min_messages = error;
SELECT dpriv.protect(relation, 'row') FROM (VALUES ('"Renamed Adult"'::regclass), ('"Odd Schema"."Odd ""Table"""'), ('root'), ('parent'), ('own'), ('leaf5')) AS r(relation)
SQL
is($bare->safe_psql('copy', $state), $before, 'and protect() repairs it');
$bare->stop;


# ---- Sessions without the library ----

$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
$routes{'private aggregate'} = 'SELECT dp_count(*) FROM %s';
refused_everywhere($node, 'source', 'ana', $_, "$_, not preloaded") foreach qw(parent leaf3);
closed($node, 'source', 'not preloaded');
is(answer($node, 'source', 'application', 'SELECT count(*) FROM child'), 100, 'trusted roles read');
is(answer($node, 'source', 'owner', 'SELECT count(*) FROM child'), 100, 'owners read');
is(answer($node, 'source', 'owner', "SELECT dpriv.protect('own', 'row')"), '55000', 'protect() refuses');
is(answer($node, 'source', 'postgres', "LOAD 'dpriv'; SELECT dpriv.protect('own', 'row')"), '55000', 'nor is LOAD enough');
is(answer($node, 'source', 'owner', "SELECT dpriv.unprotect('own'); SELECT count(*) FROM dpriv.protected WHERE relation = 'own'::regclass"),
	"\n0", 'unprotect() does not');

# A child made without the library is open until protect() is called again.
is(answer($node, 'source', 'owner', "CREATE TABLE late PARTITION OF root FOR VALUES IN (9); GRANT SELECT ON late TO PUBLIC; INSERT INTO root VALUES (1, 9)"),
	'', 'a partition that nobody noticed');
is(answer($node, 'source', 'owner', 'CREATE TABLE above (id int, name text); GRANT SELECT ON above TO PUBLIC; ALTER TABLE parent INHERIT above'), '', 'nor a parent');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpriv'\n");
$node->restart;
is($node->safe_psql('source', q(SELECT problem FROM dpriv.protected WHERE relation = 'late'::regclass)), 'Its security label is missing.',
	'it shows when the library is back');
$node->safe_psql('source', "SET client_min_messages = error; SELECT dpriv.protect('root', 'row')");
is(answer($node, 'source', 'ana', 'TABLE late'), '42501', 'and is protected with its parent');

# A parent opens nothing once the library is back.
is(answer($node, 'source', 'ana', $_), '42501', "closed: $_")
  foreach 'SELECT count(*) FROM above', 'SELECT id FROM above WHERE id < 0', 'SELECT dp_count(above, 1) FROM above';
is(answer($node, 'source', 'ana', 'SELECT count(*) FROM ONLY above'), 0, 'its own rows are not private');
is(answer($node, 'source', $_, 'SELECT count(*) FROM above'), 100, "$_ reads both") foreach qw(owner application);
is(answer($node, 'source', 'owner', "SELECT dpriv.protect('parent', 'row')"), '55000', 'protect() wants it separated');
is(answer($node, 'source', 'owner', "ALTER TABLE parent NO INHERIT above; SELECT dpriv.protect('parent', 'row')"), '', 'and then repairs');
$node->stop;

done_testing();
