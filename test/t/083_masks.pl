#
# 083_masks.pl
#	  What catalogs, counters, sizes and positions say of rows: nothing to a role that must not see them.
#
# Two databases have tables that differ in their rows: "plain" is not protected, "adult" is.  Each query must give different
# results in the two for "plain", which shows that it tells, and the same for "adult".  Then: every way to call a function
# that tells; plans that were made for somebody else; what psql, pgAdmin, DBeaver, JDBC and Metabase ask goes on working.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('masks');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
dpriv.epsilon = 1
autovacuum = off
log_statement = none
CONF
$node->start;
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');

$node->safe_psql('postgres', 'CREATE ROLE boss LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE reader LOGIN');
my %rows = (d1 => 300, d2 => 9000);
foreach my $db (sort keys %rows)
{
	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, 'CREATE EXTENSION dpriv; GRANT CREATE ON SCHEMA public TO PUBLIC');
	foreach my $t ('plain', 'adult')
	{
		$node->safe_psql($db, <<"SQL");
SET ROLE boss;
CREATE TABLE $t (id int PRIMARY KEY, age int, story text);
ALTER TABLE $t ALTER story SET STORAGE external;
CREATE INDEX ${t}_age ON $t (age);
INSERT INTO $t SELECT i, i % 90, repeat(md5(i::text), i % 100) FROM generate_series(1, $rows{$db}) i;
CREATE TABLE parted_$t (id int) PARTITION BY RANGE (id);
CREATE TABLE parted_${t}_1 PARTITION OF parted_$t DEFAULT;
INSERT INTO parted_$t SELECT id FROM $t;
DELETE FROM $t WHERE id % 7 = 0;
GRANT SELECT ON $t, parted_$t, parted_${t}_1 TO analyst, reader;
SQL
	}
	$node->safe_psql($db, <<'SQL');
SET ROLE boss;
SET client_min_messages = error;
SELECT dpriv.protect('adult', unit => 'row'), dpriv.protect('parted_adult', unit => 'row'), dpriv.trust('adult', 'reader'), dpriv.trust('parted_adult', 'reader');
RESET ROLE;
VACUUM ANALYZE plain, adult, parted_plain, parted_adult;
SELECT count(*) FROM plain WHERE age < 10;
SELECT count(*) FROM adult WHERE age < 10;
SET stats_fetch_consistency = none;
SQL
	$node->safe_psql($db, 'ALTER TABLE plain ALTER age SET (n_distinct = 90)');
	$node->safe_psql($db, 'ANALYZE pg_class, pg_attribute');
}

# Output and messages of a script, in a session of a role; OIDs and positions in it are not the point.
sub answer
{
	my ($db, $role, $sql) = @_;
	my ($code, $out, $err) = $node->psql($db, $sql, extra_params => [ '-U', $role ], on_error_stop => 0);
	$err =~ s/^psql:<stdin>:\d+: //mg;
	return "$out\n$err";
}

# What is made by users has numbers from 16384 on; they depend on what was made before.
sub without_oids { return $_[0] =~ s/\b(\d{5})\b/$1 >= 16384 ? 'OID' : $1/ger }

# ---- Queries ----

my $toast = q{(SELECT reltoastrelid FROM pg_class WHERE relname = 'T')};
my %tells = (
	'reltuples'                => q{SELECT reltuples FROM pg_class WHERE relname = 'T'},
	'relpages'                 => q{SELECT relpages FROM pg_class WHERE oid = 'T'::regclass},
	'relallvisible'            => q{SELECT relallvisible FROM pg_class WHERE oid = 'T'::regclass},
	'all of pg_class'          => q{SELECT pg_class.* FROM pg_class WHERE relname = 'T'},
	'a whole row'              => q{SELECT c FROM pg_class c WHERE relname = 'T'},
	'a whole row, used'        => q{SELECT (c).reltuples, row_to_json(c) FROM pg_class c WHERE relname = 'T'},
	'an index'                 => q{SELECT reltuples, relpages FROM pg_class WHERE relname = 'T_pkey'},
	'another index'            => q{SELECT reltuples FROM pg_class WHERE oid = 'T_age'::regclass},
	'a toast table'            => qq{SELECT relpages FROM pg_class WHERE oid = $toast},
	'an index of a toast table' => qq{SELECT c.reltuples, c.relpages FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE indrelid = $toast},
	'a partition'              => q{SELECT reltuples FROM pg_class WHERE relname = 'parted_T_1'},
	'a partitioned table'      => q{SELECT reltuples FROM pg_class WHERE relname = 'parted_T'},
	'WHERE'                    => q{SELECT relname FROM pg_class WHERE relname = 'T' AND reltuples > 1000},
	'ORDER BY'                 => q{SELECT relname FROM pg_class WHERE relname IN ('T', 'pg_proc') ORDER BY CASE relname WHEN 'pg_proc' THEN 1000 ELSE reltuples END},
	'GROUP BY'                 => q{SELECT count(*) FROM pg_class WHERE relname = 'T' GROUP BY reltuples HAVING max(reltuples) > 1000},
	'a subquery'               => q{SELECT (SELECT reltuples FROM pg_class WHERE relname = 'T')},
	'EXISTS'                   => q{SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'T' AND reltuples > 1000)},
	'an outer reference'       => q{SELECT (SELECT x FROM (SELECT c.reltuples) s(x)) FROM pg_class c WHERE relname = 'T'},
	'LATERAL'                  => q{SELECT x FROM pg_class c, LATERAL (SELECT c.reltuples + c.relpages) s(x) WHERE relname = 'T'},
	'USING'                    => q{SELECT reltuples FROM pg_class JOIN (VALUES ('T'::name)) v(relname) USING (relname)},
	'a row of a join'          => q{SELECT j.* FROM (pg_class c FULL JOIN (VALUES ('T'::name)) v(relname) USING (relname)) j WHERE relname = 'T'},
	'a merged column'          => q{SELECT relpages FROM pg_class FULL JOIN (VALUES (1234567)) v(relpages) USING (relpages) WHERE relname = 'T'},
	'a system column'          => q{SELECT tableoid::regclass, ctid IS NULL, xmin IS NULL, reltuples FROM pg_class WHERE relname = 'T'},
	'a system column of an outer query' => q{SELECT (SELECT s.t::regclass::text || c.reltuples FROM (SELECT c.tableoid) s(t)) FROM pg_class c WHERE relname = 'T'},
	'TABLESAMPLE'              => q{SELECT reltuples FROM pg_class TABLESAMPLE system (100) WHERE relname = 'T'},
	'WITH'                     => q{WITH c AS MATERIALIZED (SELECT * FROM pg_class), d AS (SELECT * FROM c) SELECT reltuples FROM d WHERE relname = 'T'},
	'WITH RECURSIVE'           => q{WITH RECURSIVE c AS (SELECT reltuples, 1 AS n FROM pg_class WHERE relname = 'T' UNION ALL SELECT reltuples, n + 1 FROM c WHERE n < 3) TABLE c},
	'UNION'                    => q{SELECT reltuples FROM pg_class WHERE relname = 'T' UNION SELECT relpages FROM pg_class WHERE relname = 'T' ORDER BY 1},
	'a window'                 => q{SELECT sum(reltuples) OVER () FROM pg_class WHERE relname = 'T'},
	'a cursor'                 => q{BEGIN; DECLARE c SCROLL CURSOR FOR SELECT reltuples FROM pg_class WHERE relname = 'T'; FETCH c; FETCH ABSOLUTE 1 FROM c; COMMIT},
	'a view'                   => q{CREATE TEMP VIEW v AS SELECT relname, reltuples, pg_relation_size(oid) FROM pg_class; SELECT * FROM v WHERE relname = 'T'},
	'a function in FROM'       => q{CREATE FUNCTION pg_temp.f() RETURNS SETOF pg_class LANGUAGE sql STABLE AS 'SELECT * FROM pg_class'; SELECT reltuples FROM pg_temp.f() WHERE relname = 'T'},
	'a function'               => q{CREATE FUNCTION pg_temp.f(regclass) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT pg_relation_size($1)'; SELECT pg_temp.f('T')},
	'PL/pgSQL'                 => q{DO $$ DECLARE x bigint := pg_relation_size('T'); BEGIN RAISE NOTICE '%', x; END $$},
	'PL/pgSQL, a query'        => q{DO $$ DECLARE r record; BEGIN FOR r IN SELECT reltuples FROM pg_class WHERE relname = 'T' LOOP RAISE NOTICE '%', r.reltuples; END LOOP; END $$},
	'a generic plan'           => q{SET plan_cache_mode = force_generic_plan; PREPARE p (name) AS SELECT reltuples, pg_table_size(oid) FROM pg_class WHERE relname = $1; EXECUTE p ('T'); EXECUTE p ('T')},
	'CREATE TABLE AS'          => q{CREATE TEMP TABLE x AS SELECT reltuples FROM pg_class WHERE relname = 'T'; TABLE x},
	'INSERT'                   => q{CREATE TEMP TABLE x (n float8); INSERT INTO x SELECT reltuples FROM pg_class WHERE relname = 'T' RETURNING n},
	'DEFAULT'                  => q{CREATE TEMP TABLE x (n int, b bigint DEFAULT pg_relation_size('T')); INSERT INTO x VALUES (1) RETURNING b},
	'COPY of a query'          => q{COPY (SELECT reltuples FROM pg_class WHERE relname = 'T') TO STDOUT},
	'query_to_xml'             => q{SELECT query_to_xml('SELECT reltuples FROM pg_class WHERE relname = ''T''', false, false, '')},
	'pg_relation_size'         => q{SELECT pg_relation_size('T'), pg_relation_size('T', 'main'), pg_relation_size('T_pkey')},
	'a function in FROM by itself' => q{SELECT * FROM pg_relation_size('T') s(size), pg_total_relation_size('T')},
	'pg_table_size'            => q{SELECT pg_table_size('T')},
	'pg_indexes_size'          => q{SELECT pg_indexes_size('T')},
	'pg_total_relation_size'   => q{SELECT pg_total_relation_size('T'), pg_total_relation_size(reltoastrelid) FROM pg_class WHERE relname = 'T'},
	'sizes of partitions'      => q{SELECT pg_relation_size('parted_T_1'), sum(pg_total_relation_size(relid)) FROM pg_partition_tree('parted_T')},
	'pg_stat_get_live_tuples'  => q{SELECT pg_stat_get_live_tuples('T'::regclass)},
	'pg_stat_user_tables'      => q{SELECT n_live_tup, n_tup_ins, n_tup_del, n_dead_tup FROM pg_stat_user_tables WHERE relname = 'T'},
	'pg_stat_all_tables, toast' => qq{SELECT n_tup_ins FROM pg_stat_all_tables WHERE relid = $toast},
	'pg_statio_user_tables'    => q{SELECT heap_blks_hit + heap_blks_read, idx_blks_hit + idx_blks_read FROM pg_statio_user_tables WHERE relname = 'T'},
	'pg_stat_user_indexes'     => q{SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'T'},
	'pg_statio_user_indexes'   => q{SELECT sum(idx_blks_hit + idx_blks_read) FROM pg_statio_user_indexes WHERE relname = 'T'},
	'pg_stat_xact_user_tables' => q{BEGIN; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexscan = off; SELECT count(*) > 0 FROM plain WHERE age < 10; SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'T'; COMMIT});
# Those tell of everything, whatever table it is; here rows of "plain" are what differs.
my %of_server = (
	'pg_database_size'      => q{SELECT pg_database_size(current_database())},
	'pg_tablespace_size'    => q{SELECT pg_tablespace_size('pg_default')},
	'pg_stat_database'      => q{SELECT tup_inserted, tup_returned FROM pg_stat_database WHERE datname = current_database()},
	'the WAL position'      => q{SELECT pg_current_wal_lsn(), pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn()},
	'statistics of pg_class' => q{SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename = 'pg_class' AND attname = 'reltuples'},
	'options of columns'    => q{SELECT attoptions FROM pg_attribute WHERE attrelid = 'plain'::regclass AND attname = 'age'},
	'options of columns, a whole row' => q{SELECT (a).attoptions FROM (SELECT a FROM pg_attribute a WHERE attrelid = 'plain'::regclass AND attname = 'age') s},
	'statistics of pg_attribute' => q{SELECT null_frac FROM pg_stats WHERE tablename = 'pg_attribute' AND attname = 'attoptions'},
	'the size of statistics' => q{SELECT pg_relation_size(reltoastrelid), pg_relation_size('pg_statistic') FROM pg_class WHERE relname = 'pg_statistic'});

foreach my $name (sort keys %tells)
{
	my %result;
	foreach my $t ('plain', 'adult')
	{
		my $sql = $tells{$name} =~ s/\bT\b/$t/gr =~ s/\bT_/${t}_/gr =~ s/_T\b/_$t/gr =~ s/_T_/_${t}_/gr;
		$result{$t}{$_} = answer($_, 'analyst', $sql) foreach ('d1', 'd2');
	}
	isnt($result{plain}{d1}, $result{plain}{d2}, "$name: tells of rows that are not protected");
	my ($one, $two) = map { without_oids($_) } @{ $result{adult} }{ 'd1', 'd2' };
	is($one, $two, "$name: nothing of protected ones");
	unlike($one, qr/ERROR/, "$name: without an error");
}
foreach my $name (sort keys %of_server)
{
	my ($boss, $analyst) = map { answer('d1', $_, $of_server{$name}) } ('reader', 'analyst');
	like($boss, qr/\d/, "$name: a value for a role that sees all rows");
	unlike($analyst, qr/\d/, "$name: none for one that does not");
	unlike($analyst, qr/ERROR/, "$name: without an error");
}

like(answer('d1', 'analyst', 'SELECT c.xmin, c FROM pg_class c'), qr/ERROR:  a whole row of a catalog and a system column/, 'a whole row and a system column: refused');

# ---- Every other way to call a function: refused ----

my $message = qr/ERROR:  function \w+ cannot be called by a role that must not see rows/;
my %calls = (
	'an operator'             => q{CREATE OPERATOR public.### (RIGHTARG = oid, FUNCTION = pg_stat_get_live_tuples); SELECT ### 'adult'::regclass::oid},
	'a domain'                => q{CREATE DOMAIN public.d AS int CHECK (pg_relation_size('adult') > VALUE); SELECT 5::public.d},
	'an argument of EXECUTE'  => q{PREPARE p (bigint) AS SELECT $1; EXECUTE p (pg_relation_size('adult'))},
	'an argument of CALL'     => q{CREATE PROCEDURE public.c(x bigint) LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''%'', x; END'; CALL public.c(pg_relation_size('adult'))},
	'a CHECK constraint'      => q{CREATE TEMP TABLE x (n bigint CHECK (n < pg_relation_size('adult'))); INSERT INTO x VALUES (5)},
	'a bound of a partition'  => q{CREATE TABLE public.x (n bigint) PARTITION BY RANGE (n); CREATE TABLE public.y PARTITION OF public.x FOR VALUES FROM (0) TO (pg_relation_size('adult'))},
	'USING of ALTER TABLE'    => q{CREATE TEMP TABLE x (n bigint); INSERT INTO x VALUES (1); ALTER TABLE x ALTER n TYPE text USING pg_relation_size('adult')::text},
	'a condition of a trigger' => q{CREATE TEMP TABLE x (n int); CREATE FUNCTION pg_temp.t() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''big''; RETURN NEW; END'; CREATE TRIGGER t BEFORE INSERT ON x FOR EACH ROW WHEN (pg_relation_size('adult') > 5) EXECUTE FUNCTION pg_temp.t(); INSERT INTO x VALUES (1)},
	'an aggregate'            => q{CREATE AGGREGATE public.a(text) (SFUNC = pg_relation_size, STYPE = regclass); SELECT public.a('x')});
$calls{'a value of another type in FROM'} = q{SELECT * FROM pg_stat_get_last_vacuum_time('adult'::regclass)};
foreach my $name (sort keys %calls)
{
	my $out = answer('d1', 'analyst', $calls{$name});
	if ($name eq 'an aggregate') { unlike($out, qr/^\d/m, "$name: no value") }
	else                         { like($out, $message, "$name: refused") }
}
like(answer('d1', 'analyst', "SELECT * FROM $_"), $message, "$_: refused")
  foreach ('pg_stat_wal', 'pg_stat_slru', 'pg_stat_archiver', 'pg_replication_slots', 'pg_control_checkpoint()', $version >= 160000 ? 'pg_stat_io' : ());
like(answer('d1', 'analyst', q{SELECT pg_logical_emit_message(false, 'x', 'y')}), $message, 'pg_logical_emit_message: refused');
like(answer('d1', 'analyst', 'COPY pg_class TO STDOUT'), qr/ERROR:  COPY of catalog "pg_class" is not allowed/, 'COPY of pg_class: refused');
like(answer('d1', 'analyst', 'COPY pg_attribute TO STDOUT'), qr/ERROR:  COPY of catalog "pg_attribute" is not allowed/, 'COPY of pg_attribute: refused');

# What COPY finds behind a name is known when it has locked that: what had the name before may have been renamed meanwhile.
{
	answer('d1', 'postgres', 'CREATE SCHEMA mine AUTHORIZATION analyst');
	answer('d1', 'analyst',  'CREATE TABLE mine.pg_class (n int)');
	my $renaming = $node->background_psql('d1', extra_params => [ '-U', 'analyst' ]);
	my $copying  = $node->background_psql('d1', on_error_stop => 0, extra_params => [ '-U', 'analyst' ]);
	$copying->query("SET application_name = 'copying'; SET search_path = mine, pg_catalog");
	$renaming->query('BEGIN; ALTER TABLE mine.pg_class RENAME TO other');
	$copying->query_until(qr/begun/, "\\echo begun\nCOPY pg_class (relname, reltuples) TO STDOUT;\n\\echo ended\n");
	ok($node->poll_query_until('d1', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE application_name = 'copying'"), 'COPY waits for a lock');
	$renaming->query('COMMIT');
	unlike($copying->query_until(qr/ended/, ''), qr/adult/, 'COPY of what is pg_class by then: nothing of rows');
	like($copying->{stderr}, qr/ERROR:  COPY of catalog "pg_class" is not allowed/, '... it is refused');
	$_->quit foreach $renaming, $copying;
	answer('d1', 'postgres', 'DROP SCHEMA mine CASCADE');
}
like(answer('d1', 'analyst', q{SELECT dpriv.unless_hidden('pg_read_file(text)'::regprocedure, 'PG_VERSION')}),
	qr/ERROR:  (?:dpriv.unless_hidden\(\) does not take this function|permission denied)/, 'unless_hidden: no other function');
like(answer('d1', 'analyst', "SELECT dpriv.unless_hidden('pg_stat_get_last_vacuum_time(oid)'::regprocedure, 'plain'::regclass::oid)"),
	qr/ERROR:  dpriv.unless_hidden\(\) does not take/, 'unless_hidden: no other type');
is(answer('d1', 'reader', "SELECT reltuples > 200, pg_relation_size('adult') > 0 FROM pg_class WHERE relname = 'adult'"),
	"t|t\n", 'a trusted role sees all');
is(answer('d1', 'boss', "SELECT reltuples > 200, pg_relation_size('adult') > 0 FROM pg_class WHERE relname = 'adult'"), "t|t\n", 'so does the owner');
$node->safe_psql('d1', 'REVOKE EXECUTE ON FUNCTION pg_table_size(regclass) FROM PUBLIC');
like(answer('d1', 'analyst', "SELECT pg_table_size('plain')"), qr/permission denied for function pg_table_size/, 'a revoked function stays revoked');
$node->safe_psql('d1', 'GRANT EXECUTE ON FUNCTION pg_table_size(regclass) TO PUBLIC; REVOKE SELECT ON pg_class FROM PUBLIC; GRANT SELECT (relname) ON pg_class TO PUBLIC');
like(answer('d1', 'analyst', 'SELECT reltuples FROM pg_class'), qr/permission denied for table pg_class/, 'a revoked catalog too');
is(answer('d1', 'analyst', "SELECT count(*) FROM pg_class WHERE relname = 'adult'"), "1\n", '... and columns that are granted are read');
$node->safe_psql('d1', 'REVOKE SELECT (relname) ON pg_class FROM PUBLIC; GRANT SELECT ON pg_class TO PUBLIC');

# ---- Plans that were made for others, or before ----

my $query = q{SELECT reltuples > 0, pg_relation_size(oid) > 0 FROM pg_class WHERE relname = 'adult'};
foreach my $mode ('force_generic_plan', 'force_custom_plan')
{
	is(answer('d1', 'postgres', "SET plan_cache_mode = $mode; PREPARE p AS $query; EXECUTE p; SET ROLE analyst; EXECUTE p; SET ROLE boss; EXECUTE p; "
		  . 'SET ROLE reader; EXECUTE p; SET ROLE analyst; EXECUTE p'), "t|t\nf|\nt|t\nt|t\nf|\n", "a plan under other roles, $mode");
}
$node->safe_psql('postgres', 'CREATE DATABASE late');
$node->safe_psql('late', 'CREATE EXTENSION dpriv; GRANT CREATE ON SCHEMA public TO boss; SET ROLE boss; CREATE TABLE adult (id int); INSERT INTO adult SELECT generate_series(1, 1000); GRANT SELECT ON adult TO analyst');
$node->safe_psql('late', 'VACUUM ANALYZE adult');
my $session = $node->background_psql('late', on_error_stop => 0, extra_params => [ '-U', 'analyst' ]);
$session->query_safe('SET plan_cache_mode = force_generic_plan');
$session->query_safe("PREPARE p AS SELECT reltuples FROM pg_class WHERE relname = 'adult'");
$session->query_safe("PREPARE q AS SELECT pg_relation_size('adult')");
is($session->query('EXECUTE p'), 1000, 'before anything is protected: the number of rows');
like($session->query('EXECUTE q'), qr/^[1-9]\d+$/, '... and a size');
$node->safe_psql('late', q{SET ROLE boss; SET client_min_messages = error; SELECT dpriv.protect('adult', unit => 'row')});
is($session->query('EXECUTE p'), -1, 'the same plan afterwards: none');
is($session->query('EXECUTE q'), '', '... nor a size');
is($session->query('EXECUTE q'), '', '... when it is asked for again');
$session->quit;

# ---- What psql asks ----

foreach my $command ('\d', '\d adult', '\d+ adult', '\dt', '\dt+', '\di+', '\dp', '\d+ plain', '\dn+', '\df dp_count', '\du', '\dx', '\d+ parted_adult', '\dP+')
{
	my ($code, $out, $err) = $node->psql('d1', $command, extra_params => [ '-U', 'analyst' ]);
	is($err, '', "$command: no error");
	like($out, qr/\w/, "$command: an answer");
}
like(answer('d1', 'analyst', '\l+'), qr/d1/, '\l+');
my ($with, $without) = map { answer('d1', 'analyst', "\\dt+ $_") } ('plain', 'adult');
like($with, qr/\d kB/, '\dt+ has sizes');
unlike($without, qr/\d kB/, '... but not of protected tables');
my @seen = map { answer('d1', $_, '\d+ adult') } ('analyst', 'boss');
is($seen[0], $seen[1], '\d+ is the same for the owner');

# ---- What other clients ask: the queries by which they list tables, and show their properties ----

my %clients = (
	'pgAdmin, tables' => q{SELECT rel.oid, rel.relname AS name, (SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = FALSE) AS triggercount,
		(SELECT count(1) FROM pg_catalog.pg_inherits WHERE inhrelid = rel.oid LIMIT 1) AS is_inherits, rel.reltuples::bigint AS rows_cnt, rel.relkind, des.description
		FROM pg_catalog.pg_class rel LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid = rel.oid AND des.objsubid = 0 AND des.classoid = 'pg_class'::regclass)
		WHERE rel.relkind IN ('r', 's', 't', 'p') AND rel.relnamespace = 'public'::regnamespace AND NOT rel.relispartition ORDER BY rel.relname},
	'pgAdmin, properties' => q{SELECT rel.oid, rel.relname AS name, rel.reltablespace AS spcoid, rel.relacl AS relacl_str, (CASE WHEN length(spc.spcname::text) > 0 OR rel.relkind = 'p' THEN spc.spcname ELSE
		(SELECT sp.spcname FROM pg_catalog.pg_database dtb JOIN pg_catalog.pg_tablespace sp ON dtb.dattablespace = sp.oid WHERE dtb.datname = current_database()) END) AS spcname,
		pg_catalog.pg_get_userbyid(rel.relowner) AS relowner, rel.relhastriggers, rel.relispartition, pg_catalog.pg_get_expr(rel.relpartbound, rel.oid) AS bound,
		rel.relpages, rel.reltuples, tst.reloptions AS toast_options, CASE WHEN rel.reltuples = -1 THEN 0 ELSE rel.reltuples END AS estimate
		FROM pg_catalog.pg_class rel LEFT OUTER JOIN pg_catalog.pg_tablespace spc ON spc.oid = rel.reltablespace LEFT OUTER JOIN pg_catalog.pg_class tst ON tst.oid = rel.reltoastrelid
		WHERE rel.relname IN ('plain', 'adult') ORDER BY rel.relname},
	'pgAdmin, statistics' => q{SELECT st.relname, n_tup_ins, n_tup_upd, n_tup_del, n_live_tup, n_dead_tup, last_vacuum, pg_catalog.pg_size_pretty(pg_catalog.pg_relation_size(st.relid)
		+ CASE WHEN cl.reltoastrelid = 0 THEN 0 ELSE pg_catalog.pg_relation_size(cl.reltoastrelid) + COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid))
		FROM pg_catalog.pg_index WHERE indrelid = cl.reltoastrelid)::int8, 0) END + COALESCE((SELECT SUM(pg_catalog.pg_relation_size(indexrelid)) FROM pg_catalog.pg_index WHERE indrelid = st.relid)::int8, 0)) AS total
		FROM pg_catalog.pg_stat_all_tables st JOIN pg_catalog.pg_class cl ON cl.oid = st.relid WHERE schemaname = 'public' ORDER BY relname},
	'pgAdmin, dashboard' => q{SELECT 'session_stats' AS chart_name, pg_catalog.row_to_json(t) FROM (SELECT (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database()) AS "Total") t
		UNION ALL SELECT 'tps_stats', pg_catalog.row_to_json(t) FROM (SELECT (SELECT sum(xact_commit) + sum(xact_rollback) FROM pg_catalog.pg_stat_database WHERE datname = current_database()) AS "Transactions") t
		UNION ALL SELECT 'ti_stats', pg_catalog.row_to_json(t) FROM (SELECT (SELECT sum(tup_inserted) FROM pg_catalog.pg_stat_database WHERE datname = current_database()) AS "Inserts") t},
	'DBeaver, tables' => q{SELECT c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr, pg_catalog.pg_get_partkeydef(c.oid) AS partition_key
		FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind NOT IN ('i', 'I', 'c')},
	'DBeaver, sizes' => q{SELECT c.oid, pg_catalog.pg_total_relation_size(c.oid) AS total_rel_size, pg_catalog.pg_relation_size(c.oid) AS rel_size FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace},
	'DBeaver, indexes' => q{SELECT i.*, i.indkey AS keys, c.relname, c.relnamespace, c.relam, c.reltablespace, tc.relname AS tabrelname, dsc.description, pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS pred_expr,
		pg_catalog.pg_relation_size(i.indexrelid) AS index_rel_size, pg_catalog.pg_stat_get_numscans(i.indexrelid) AS index_num_scans
		FROM pg_catalog.pg_index i INNER JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid INNER JOIN pg_catalog.pg_class tc ON tc.oid = i.indrelid
		LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid = dsc.objoid WHERE i.indrelid = 'adult'::regclass ORDER BY tabrelname, c.relname},
	'DataGrip, tables' => q{SELECT T.relkind AS table_kind, T.relname AS table_name, T.oid AS table_id, T.xmin AS table_state_number, false AS table_with_oids, T.reltablespace AS tablespace_id, T.reloptions AS options,
		T.relpersistence AS persistence, (SELECT pg_catalog.array_agg(inhparent::bigint ORDER BY inhseqno)::varchar FROM pg_catalog.pg_inherits WHERE T.oid = inhrelid) AS ancestors, T.relispartition AS is_partition,
		pg_catalog.pg_get_userbyid(T.relowner) AS owner FROM pg_catalog.pg_class T WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'm', 'v', 'f', 'p') ORDER BY table_kind, table_id},
	'JDBC, getTables' => q{SELECT NULL AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME, CASE n.nspname ~ '^pg_' OR n.nspname = 'information_schema' WHEN true THEN 'SYSTEM TABLE' ELSE 'TABLE' END AS TABLE_TYPE,
		d.description AS REMARKS FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_description d ON (c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass)
		WHERE c.relnamespace = n.oid AND n.nspname LIKE 'public' AND c.relkind IN ('r', 'p') ORDER BY TABLE_TYPE, TABLE_SCHEM, TABLE_NAME},
	'JDBC, getIndexInfo' => q{SELECT tmp.TABLE_NAME, tmp.INDEX_NAME, trim(both '"' from pg_catalog.pg_get_indexdef(tmp.CI_OID, tmp.ORDINAL_POSITION, false)) AS COLUMN_NAME, tmp.CARDINALITY, tmp.PAGES FROM (
		SELECT ct.relname AS TABLE_NAME, ci.relname AS INDEX_NAME, (information_schema._pg_expandarray(i.indkey)).n AS ORDINAL_POSITION, ci.reltuples AS CARDINALITY, ci.relpages AS PAGES, ci.oid AS CI_OID
		FROM pg_catalog.pg_class ct JOIN pg_catalog.pg_namespace n ON (ct.relnamespace = n.oid) JOIN pg_catalog.pg_index i ON (ct.oid = i.indrelid) JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
		JOIN pg_catalog.pg_am am ON (ci.relam = am.oid) WHERE n.nspname = 'public' AND ct.relname IN ('plain', 'adult')) tmp ORDER BY 1, 2, 3},
	'Metabase, tables' => q{SELECT n.nspname AS schema, c.relname AS name, d.description, stat.n_live_tup AS estimated_row_count FROM pg_catalog.pg_class AS c INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
		LEFT JOIN pg_catalog.pg_description AS d ON c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass LEFT JOIN pg_stat_user_tables AS stat ON n.nspname = stat.schemaname AND c.relname = stat.relname
		WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1, 2},
	'information_schema' => q{SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1; SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'adult' ORDER BY 1});
foreach my $name (sort keys %clients)
{
	my $out = answer('d1', 'analyst', $clients{$name});
	unlike($out, qr/ERROR/, "$name: no error");
	like($out, qr/plain|adult|Total|\d/, "$name: an answer");
	next if $clients{$name} =~ /xmin/;
	my ($one, $two) = map { without_oids($_) } map { join "\n", grep { /adult/ && !/plain/ } split /\n/, answer($_, 'analyst', $clients{$name}) } ('d1', 'd2');
	is($one, $two, "$name: the same for other protected rows");
}

# ---- Time ----

foreach my $case ([ 0, 0 ], [ 400, 0.4 ])
{
	my ($quantum, $least) = @$case;
	my $took = answer('d1', 'postgres', "SET dpriv.time_quantum = $quantum; SELECT clock_timestamp() AS t \\gset\nSELECT dp_count(*) IS NULL FROM adult \\gset\n"
		  . "SELECT extract(epoch FROM clock_timestamp() - :'t')");
	cmp_ok($took, '>=', $least, "time_quantum = $quantum: at least $least seconds");
}
like(answer('d1', 'analyst', 'SET dpriv.time_quantum = 0'), qr/permission denied to set parameter/, 'a user cannot change it');

# A failure after rows were read comes at the end of a step too, in a release and in a training.
foreach my $case ([ 'an answer', 'temporary file size', 'SELECT array_length(dp_histogram(age, $1, 1.0), 1) FROM adult' ],
	[ 'a condition', 'private release failed', 'SELECT array_length(dp_histogram(age, $1, 1.0), 1) FROM adult WHERE 1 / (age - age) = 1' ],
	[ 'a training', 'private release failed', q{SELECT $1 IS NULL FROM dp_logreg_train('adult', 'age', ARRAY['id'], 1.0, delta => 1e-6, filter => '1 / (age - age) = 1',
			options => '{"positive": 30, "features": {"id": [0, 1]}}')} ])
{
	my ($what, $error, $query) = @$case;
	my $out = answer('d1', 'postgres', "SET dpriv.time_quantum = '1s'; SET work_mem = 64; SET temp_file_limit = '1MB'; PREPARE p(float8[]) AS $query;\n"
		  . "SELECT array_agg(i::float8) AS edges FROM generate_series(0, 60000) i \\gset\nSELECT clock_timestamp() AS t \\gset\nEXECUTE p(:'edges');\n"
		  . "SELECT 'took', extract(epoch FROM clock_timestamp() - :'t')");
	like($out, qr/$error/, "time_quantum: $what fails");
	cmp_ok(($out =~ /took\|([\d.]+)/)[0], '>=', 1, "time_quantum: $what fails at the end of a step");
}
my $canceled = answer('d1', 'postgres', "SET dpriv.time_quantum = '1h'; SET statement_timeout = '300ms'; SELECT dp_count(*) FROM adult");
like($canceled, qr/canceling statement due to statement timeout/, 'waiting can be cancelled');

# ---- Audit and harden ----

my $audit = answer('d1', 'postgres', 'SELECT risk FROM dpriv.audit()');
like($audit, qr/adult: roles without a budget can release without end/, 'audit: no budget');
like($audit, qr/roles may connect to database d2/,                       'audit: other databases');
unlike($audit, qr/can spend the cap/,                                    'audit: there is no cap');
$node->safe_psql('d1', <<'SQL');
CREATE ROLE team;
CREATE ROLE ann LOGIN IN ROLE team;
CREATE ROLE paid LOGIN IN ROLE team;
CREATE ROLE stopped LOGIN IN ROLE team;
GRANT SELECT (age) ON adult TO team;
SELECT dpriv.set_cap('adult', 5), dpriv.grant_budget('paid', 'adult', 1), dpriv.grant_budget('stopped', 'adult', 1);
SELECT dpriv.revoke_budget('stopped', 'adult');
SQL
my $spenders = q{SELECT string_agg(substring(risk, '^public.adult: role (\w+) has no budget and can spend the cap$'), ' ' ORDER BY risk) FROM dpriv.audit()};
is($node->safe_psql('d1', $spenders), 'analyst ann', 'audit: who can spend the cap');
like($node->safe_psql('d1', q{SELECT advice FROM dpriv.audit() WHERE risk ~ 'role ann has no budget'}), qr/^SELECT dpriv.grant_budget\('ann', 'public.adult', epsilon\), REVOKE SELECT/, '... and what to do');
unlike(answer('d1', 'postgres', 'SELECT risk FROM dpriv.audit()'), qr/public.adult: roles without a budget can release without end/, 'audit: a cap is an end');
is(answer('d1', 'ann', 'SELECT dp_count(*) IS NULL FROM (SELECT age FROM adult) AS a'), "f\n", 'she can');
like(answer('d1', 'stopped', 'SELECT dp_count(*) FROM (SELECT age FROM adult) AS a'), qr/ERROR:  the role's budget was revoked/, 'who had a budget cannot');
$node->safe_psql('d1', q{SELECT dpriv.grant_budget('team', 'adult', 1), dpriv.grant_budget('analyst', NULL, 1)});
is($node->safe_psql('d1', $spenders), '', 'audit: nobody, with budgets of a group and on all relations');
like($audit, qr/how long a release takes tells of rows/,                 'audit: time');
unlike($audit, qr/shared_preload_libraries/,                             'audit: the library is there');
like(answer('d1', 'analyst', 'SELECT * FROM dpriv.audit()'), qr/permission denied/, 'audit is not for everybody');
like(answer('d1', 'analyst', 'SELECT * FROM dpriv.harden()'), qr/permission denied/, 'nor is harden');
$node->safe_psql('d1', 'GRANT EXECUTE ON FUNCTION dpriv.harden(boolean) TO boss');
like(answer('d1', 'boss', 'SELECT * FROM dpriv.harden(true)'), qr/ERROR:  only a superuser can harden a database/, 'which takes a superuser');
my $statements = $node->safe_psql('d1', 'SELECT * FROM dpriv.harden()');
like($statements, qr/^REVOKE CONNECT ON DATABASE d2 FROM PUBLIC$/m, 'harden: other databases');
like($statements, qr/^REVOKE EXECUTE ON FUNCTION pg_stat_get_wal\(\) FROM PUBLIC$/m, 'harden: functions');
is($node->safe_psql('d1', 'SELECT * FROM dpriv.harden()'), $statements, '... which it has only shown');
is($node->safe_psql('d1', 'SELECT * FROM dpriv.harden(true)'), $statements, 'harden: the same when they are run');
is($node->safe_psql('d1', 'SELECT * FROM dpriv.harden()'), '', '... and then there are none');
my ($code, undef, $err) = $node->psql('d2', 'SELECT 1', extra_params => [ '-U', 'analyst' ]);
like($err, qr/permission denied for database "d2"/, 'and the other database is closed');
$node->safe_psql('d1', q{ALTER SYSTEM SET dpriv.require_budget = on; ALTER SYSTEM SET dpriv.time_quantum = '1s'; SELECT pg_reload_conf()});
$node->restart;
is($node->safe_psql('d1', 'SELECT * FROM dpriv.audit()'), '', 'audit: nothing is left');

$node->stop;
done_testing();
