#
# 085_maintenance.pl
#	  Statements that lock or maintain a relation, EXPLAIN of what is prepared, and ways to values that lead past the table.
#
# Refusals are told from missing privileges by their text.  The analyst owns the database, who may VACUUM and ANALYZE
# everything in it, and from 17 on has MAINTAIN.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('maintenance');
$node->init;
$node->append_conf('postgresql.conf', "dpriv.epsilon = 1\nautovacuum = off\njit = off\n");
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
$node->safe_psql('postgres', 'CREATE ROLE boss LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE reader LOGIN; CREATE DATABASE d OWNER analyst');
$node->safe_psql('d', <<'SQL');
CREATE EXTENSION dpriv;
CREATE SCHEMA s AUTHORIZATION boss;
GRANT USAGE ON SCHEMA s TO PUBLIC;
ALTER DATABASE d SET search_path = s, public;
SET search_path = s;
SET ROLE boss;
SET client_min_messages = error;
CREATE TABLE adult (id int PRIMARY KEY, name text);
INSERT INTO adult SELECT i, 'x' FROM generate_series(1, 7341) i;
CLUSTER adult USING adult_pkey;
CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF parted DEFAULT;
CREATE TABLE plain AS TABLE adult;
CREATE VIEW v AS SELECT * FROM adult;
CREATE VIEW vv AS SELECT * FROM v WHERE id > 3;
CREATE VIEW sub AS SELECT 1 AS one WHERE EXISTS (SELECT FROM vv);
CREATE VIEW plain_v AS SELECT * FROM plain;
CREATE VIEW plain_vv AS SELECT * FROM plain_v;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA s TO analyst;
GRANT SELECT ON ALL TABLES IN SCHEMA s TO reader;
SELECT dpriv.protect('adult', 'row'), dpriv.protect('parted', 'row');
SELECT dpriv.trust('adult', 'reader');
SQL
$node->safe_psql('d', 'GRANT MAINTAIN ON ALL TABLES IN SCHEMA s TO analyst') if $version >= 170000;

# What a role gets to see of statements.
sub seen
{
	my ($role, $sql) = @_;
	my ($out, $err) = ('', '');
	$node->psql('d', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return ($out, $err);
}


# ---- Locks and maintenance ----

my %statements = (
	(map { ("LOCK TABLE $_->[0] IN ROW EXCLUSIVE MODE" => $_->[1]) }
		[ 'adult', 'adult' ], [ 'plain, adult', 'adult' ], [ 'parted', 'parted' ], [ 'part', 'part' ],
		[ 'v', 'adult' ], [ 'vv', 'adult' ], [ 'sub', 'adult' ], [ 'plain, vv', 'adult' ]),
	'VACUUM adult' => 'adult',
	'VACUUM (VERBOSE) plain, adult' => 'adult',
	'ANALYZE VERBOSE adult (id)' => 'adult',
	'ANALYZE part' => 'part',
	'CLUSTER VERBOSE adult' => 'adult',
	'CLUSTER adult USING adult_pkey' => 'adult',
	'REINDEX TABLE adult' => 'adult',
	'REINDEX INDEX adult_pkey' => 'adult',
	'REINDEX INDEX parted_pkey' => 'parted',
	'REINDEX INDEX part_pkey' => 'part');
foreach my $statement (sort keys %statements)
{
	my ($command, $relation) = ($statement =~ /^(LOCK TABLE|\w+)/, $statements{$statement});
	my $script = $command eq 'LOCK TABLE' ? "BEGIN; $statement; ROLLBACK" : $statement;
	my ($out, $err) = seen('analyst', $script);
	like($err, qr/ERROR:  42501: $command is not allowed on protected relation "$relation"/, $statement);
	unlike($err, qr/INFO|7341/, '... tells nothing');
	unlike((seen('boss', $script))[1], qr/ERROR|WARNING/, '... works for the owner');
}
foreach my $statement ('VACUUM (VERBOSE)', 'VACUUM VERBOSE ANALYZE', 'ANALYZE VERBOSE', 'CLUSTER VERBOSE', 'REINDEX (VERBOSE) SCHEMA s', 'REINDEX (VERBOSE) DATABASE d')
{
	my ($command) = $statement =~ /^(\w+)/;
	my ($out, $err) = seen('analyst', $statement);
	like($err, qr/ERROR:  42501: $command VERBOSE of all tables is not allowed where relations are protected/, $statement);
	unlike($err, qr/INFO|7341/, '... tells nothing');
}
foreach my $statement ('BEGIN; LOCK TABLE plain_vv; ROLLBACK', 'VACUUM (VERBOSE) plain', 'VACUUM', 'ANALYZE (VERBOSE off)', 'CLUSTER')
{
	unlike((seen('analyst', $statement))[1], qr/is not allowed/, "$statement is left to privileges");
}
unlike((seen('reader', 'BEGIN; LOCK TABLE vv IN ACCESS SHARE MODE; ROLLBACK'))[1], qr/is not allowed/, 'a trusted role may lock');
unlike((seen('postgres', 'VACUUM (VERBOSE); CLUSTER VERBOSE'))[1], qr/ERROR/, 'and a superuser see all') if $node->safe_psql('d', 'SELECT current_user') eq 'postgres';


# ---- EXPLAIN ----

foreach my $explain ('SELECT dp_count(*) FROM vv', 'EXECUTE p', 'CREATE TABLE x AS SELECT dp_count(*) FROM adult', 'CREATE TABLE x AS EXECUTE p',
	'DECLARE c CURSOR FOR SELECT dp_count(*) FROM adult', 'CREATE MATERIALIZED VIEW x AS SELECT dp_count(*) FROM vv', 'INSERT INTO plain SELECT dp_count(*) FROM adult')
{
	my ($out, $err) = seen('analyst', "PREPARE p AS SELECT dp_count(*) FROM adult; EXPLAIN (COSTS) $explain");
	like($out, qr/Custom Scan \(dpriv release\)/, "EXPLAIN $explain") or diag($err);
	unlike($out, qr/cost=|rows=/, '... has no costs');
	$out = (seen('analyst', 'PREPARE p AS SELECT count(*) FROM plain; EXPLAIN (COSTS) ' . ($explain =~ s/dp_count/count/r =~ s/\badult\b|\bvv\b/plain/r)))[0];
	like($out, qr/cost=/, '... and has them where nothing is protected');
}

# A view that has changed since the statement was prepared.
{
	my ($out, $err) = seen('boss', <<'SQL');
CREATE VIEW turns AS SELECT id FROM plain;
GRANT SELECT ON turns TO analyst;
SQL
	my $session = $node->background_psql('d', on_error_stop => 0, extra_params => [ '-U', 'analyst' ]);
	$session->query('PREPARE p AS SELECT dp_count(*) FROM turns');
	like($session->query('EXPLAIN EXECUTE p'), qr/cost=/, 'a view of public rows');
	seen('boss', 'CREATE OR REPLACE VIEW turns AS SELECT id FROM adult');
	unlike($session->query('EXPLAIN EXECUTE p'), qr/cost=/, 'is one of private rows now');
	$session->quit;
}

# A view that an argument of EXECUTE changes, when it has been looked at.
foreach my $query ('SELECT dp_count(*) AS n FROM s.adult', 'SELECT count(*) AS n FROM pg_stats')
{
	my ($out, $err) = seen('analyst', <<"SQL");
CREATE VIEW pg_temp.turning AS SELECT 1::bigint AS n;
CREATE FUNCTION pg_temp.turn() RETURNS int LANGUAGE plpgsql AS 'BEGIN CREATE OR REPLACE VIEW pg_temp.turning AS $query; RETURN 1; END';
PREPARE p(int) AS SELECT * FROM pg_temp.turning WHERE \$1 = 1;
EXPLAIN EXECUTE p(pg_temp.turn());
SQL
	unlike($out, qr/cost=|rows=/, "EXPLAIN EXECUTE of what becomes $query: no costs");
	like($err, qr/ERROR:  42501: what is prepared began to read relation "(?:adult|pg_statistic)"/, '... it is refused');
}


# ---- What may be read is more than the table ----

{
	$node->safe_psql('d', <<'SQL');
SET search_path = s, public;
SET ROLE boss;
SET client_min_messages = error;
CREATE TABLE long (id int, t text);
ALTER TABLE long ALTER t SET STORAGE EXTERNAL;
INSERT INTO long SELECT i, repeat('canary', 1000) FROM generate_series(1, 3) i;
CREATE TABLE long_plain (LIKE long INCLUDING STORAGE);
INSERT INTO long_plain TABLE long;
CREATE INDEX long_index ON long (left(t, 8));
CREATE STATISTICS long_statistics (mcv) ON id, t FROM long;
ANALYZE long, long_plain;
GRANT SELECT ON long, long_plain TO analyst, reader;
SELECT dpriv.protect('long', 'row');
RESET ROLE;
GRANT pg_read_all_data TO analyst;
SQL
	my %toast = map { $_ => $node->safe_psql('d', "SELECT reltoastrelid::regclass FROM pg_class WHERE oid = 's.$_'::regclass") } qw(long long_plain);
	my $chunk = q{SELECT count(*) FROM %s WHERE position('canary' IN encode(chunk_data, 'escape')) > 0};
	isnt((seen('analyst', $chunk =~ s/%s/$toast{long_plain}/r))[0], 0, 'a TOAST table shows values');
	foreach my $read ($chunk, 'SELECT * FROM %s', 'SELECT count(*) FROM %s WHERE false', 'SELECT 1 WHERE EXISTS (SELECT FROM %s)', 'BEGIN; LOCK TABLE %s IN ACCESS SHARE MODE; ROLLBACK',
		'PREPARE p AS SELECT chunk_data FROM %s; EXECUTE p', 'VACUUM VERBOSE %s')
	{
		my ($out, $err) = seen('analyst', $read =~ s/%s/$toast{long}/r);
		like($err, qr/ERROR:  42\w{3}: /, "of a protected table it does not: $read");
		unlike("$out$err", qr/canary|\\x63616e|INFO/, '... nothing of it');
	}
	is((seen('boss', $chunk =~ s/%s/$toast{long}/r))[1] =~ /permission denied for schema pg_toast/ ? 1 : 0, 1, 'the owner has no privilege there');
	isnt($node->safe_psql('d', $chunk =~ s/%s/$toast{long}/r), 0, 'a superuser reads it');

	foreach my $read ('SELECT stxdmcv::text FROM pg_statistic_ext_data', 'COPY pg_statistic_ext_data TO STDOUT', 'COPY (SELECT stxdmcv FROM pg_statistic_ext_data) TO STDOUT',
		'CREATE TEMPORARY VIEW x AS SELECT stxdmcv::text FROM pg_statistic_ext_data; SELECT * FROM x', 'SELECT * FROM pg_toast.pg_toast_2619', 'SELECT * FROM pg_toast.pg_toast_3429')
	{
		my ($out, $err) = seen('analyst', $read);
		like($err, qr/ERROR:  42501: catalog "(?:pg_statistic_ext_data|pg_toast_\d+)" cannot be read where relations are protected/, $read);
		is($out =~ s/^CREATE VIEW\n?//r, '', '... nothing of it');
	}
	is((seen('analyst', $_))[0], 0, $_)
	  foreach "SELECT count(*) FROM pg_statistic WHERE starelid IN ('s.long'::regclass, 's.long_index'::regclass)", q{SELECT count(*) FROM pg_stats WHERE tablename IN ('long', 'long_index')},
	  q{SELECT count(*) FROM pg_stats_ext WHERE tablename = 'long'};
	isnt((seen('analyst', q{SELECT count(*) FROM pg_stats WHERE tablename = 'long_plain'}))[0], 0, 'but for what is not protected');
	isnt($node->safe_psql('d', q{SELECT count(*) FROM pg_statistic WHERE starelid = 's.long'::regclass}), 0, 'a superuser reads the catalog');
	like($node->safe_psql('d', q{SELECT string_agg(risk, '; ') FROM dpriv.protection_risks('long')}), qr/role analyst is a member of pg_read_all_data/, 'it is a risk all the same');
	$node->safe_psql('d', 'REVOKE pg_read_all_data FROM analyst');
}


# ---- MAINTAIN ----

SKIP:
{
	skip 'MAINTAIN came with 17', 3 if $version < 170000;
	like($node->safe_psql('d', q{SELECT string_agg(risk, '; ') FROM dpriv.protection_risks('adult')}), qr/role analyst has [A-Z, ]*MAINTAIN[A-Z, ]* on (?:s\.)?adult/,
		'MAINTAIN is a risk');
	$node->safe_psql('d', 'REVOKE MAINTAIN ON ALL TABLES IN SCHEMA s FROM analyst; GRANT pg_maintain TO analyst');
	like($node->safe_psql('d', q{SELECT string_agg(risk, '; ') FROM dpriv.protection_risks('adult')}), qr/role analyst is a member of pg_maintain/,
		'and pg_maintain');
	like((seen('analyst', 'ANALYZE VERBOSE adult'))[1], qr/ANALYZE is not allowed on protected relation "adult"/, 'which does not help either');
}


# ---- Tools that look at rows without a query ----

my @tools = grep { $node->safe_psql('d', "SELECT count(*) FROM pg_available_extensions WHERE name = '$_'") }
  qw(adminpack amcheck dblink pg_freespacemap pg_surgery pg_visibility pg_walinspect pgrowlocks pgstattuple);
$node->safe_psql('d', join ';', map { "CREATE EXTENSION $_" . ($_ eq 'adminpack' ? '' : ' SCHEMA public') } @tools);
my $calls = q{SELECT string_agg(risk, E'\n' ORDER BY risk) FROM dpriv.protection_risks('adult') WHERE risk ~ 'may call'};
is($node->safe_psql('d', $calls), (grep { $_ eq 'pgrowlocks' } @tools) ? 'PUBLIC may call functions of pgrowlocks' : '', 'what all may call');
$node->safe_psql('d', 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
is($node->safe_psql('d', $calls), '', 'nothing, once it is revoked');
$node->safe_psql('d', <<'SQL');
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO analyst, reader, boss;
DO $$ BEGIN IF EXISTS (SELECT FROM pg_extension WHERE extname = 'adminpack') THEN GRANT EXECUTE ON FUNCTION pg_file_unlink(text) TO analyst; END IF; END $$;
GRANT EXECUTE ON FUNCTION pg_read_file(text), pg_read_binary_file(text), lo_import(text) TO analyst;
SQL
is($node->safe_psql('d', $calls), 'role analyst may call ' . join(', ', sort((map { $_ eq 'dblink' ? 'dblink_connect_u()' : "functions of $_" } @tools),
	'lo_import()', 'pg_read_binary_file()', 'pg_read_file()')), 'by name, of roles that are not trusted');

$node->stop;
done_testing();
