#
# 082_guard.pl
#	  Which expressions may see private rows, what takes the place of parts that can fail, and how refusals read.
#
# A test build runs the guard by itself: guard_probe() shows an expression after it, guard_probe_find() names the first part
# that is not allowed, without an error.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Variant qw(build_library);

my $library = build_library('guard', '-DDPRIV_GUARD_PROBE');
my $node    = PostgreSQL::Test::Cluster->new('guard');
$node->init;
$node->append_conf('postgresql.conf', "dynamic_library_path = '$library:\$libdir'\n");
$node->start;
my $major = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);
$node->safe_psql('postgres', "CREATE DATABASE guard TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'");
my $setup = <<'SQL';
CREATE EXTENSION dpriv;
CREATE FUNCTION guard_probe(text) RETURNS text AS 'dpriv', 'dpriv_guard_probe' LANGUAGE C STRICT;
CREATE FUNCTION guard_probe_find(text) RETURNS text AS 'dpriv', 'dpriv_guard_probe_find' LANGUAGE C STRICT;
CREATE TYPE level AS ENUM ('low', 'high');
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE COLLATION loose (provider = icu, locale = 'und', deterministic = false);
CREATE SEQUENCE s;
CREATE TYPE pair AS (x int, y int);
CREATE TABLE t (i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, b bool, c text, v varchar(20), bp char(10), nm name,
	d date, ts timestamp, tz timestamptz, tm time, iv interval, u uuid, ip inet, e level, by bytea, a int4[], p positive, l text COLLATE loose,
	j jsonb, x text COLLATE "C", y text COLLATE "POSIX", r pair, po point, m money);
SQL
$node->safe_psql('guard', "$setup" . <<'SQL');
-- Functions and operators of a user, some with names of PostgreSQL's.
CREATE FUNCTION inlined(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION inlined_badly(text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$SELECT $1 ~ 'x'$$;
CREATE FUNCTION spy(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN $1; END';
CREATE FUNCTION spies(int, int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN $1 = $2; END';
CREATE SCHEMA mine;
CREATE FUNCTION mine.length(text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN 0; END';
CREATE OPERATOR mine.= (LEFTARG = int, RIGHTARG = int, FUNCTION = spies);
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
CREATE CAST (pair AS int) WITH INOUT;
SQL

sub probe
{
	my ($expression) = @_;
	my ($out, $err);
	my $query = "SELECT $expression FROM t";
	$node->psql('guard', '\set VERBOSITY verbose' . "\nSELECT guard_probe(\$q\$$query\$q\$);", stdout => \$out, stderr => \$err);
	return ($out, $err, $query);
}

# ---- Allowed ----

my @same = (
	# comparisons and logic
	'(i4 > 5)', '(b AND (i4 > 5))', '(b IS NOT TRUE)', '(c IS NULL)', '(e = \'low\'::level)', '(u IS DISTINCT FROM u)', '(ip << \'10.0.0.0/8\'::inet)', '(ts > tz)',
	"CASE e WHEN 'low'::level THEN 1 ELSE 2 END", 'COALESCE(i4, 0)', 'NULLIF(i4, 0)', 'GREATEST(tz, now())', 'LEAST(c, \'x\'::text)', '(i4 = ANY (\'{1,2,3}\'::integer[]))',
	'((i4 = 1) AND (i8 = 2))', '(3 = ANY (a))', '(n = ANY (ARRAY[n, n]))', '(i4 = ANY (ARRAY[i4, 3]))', '(l = \'x\'::text)', '(e)::text',
	# numbers that cannot fail
	'(- f8)', 'abs(n)', 'floor(f8)', '(i4 & 3)', '(i2)::double precision', 'sign(f8)', 'trunc(n, 2)',
	# text
	'(c ~~ \'a%\'::text)', '(c !~~ \'a\\\\%\'::text)', '(bp ~~ \'a%\'::text)', '(c ~~ \'_a\'::text)', 'length(c)', 'octet_length(by)', '"left"(c, 3)', 'split_part(c, \'@\'::text, 2)', '"substring"(c, 1, 3)', 'btrim(c)',
	'(c)::character varying(3)', 'starts_with(c, \'a\'::text)',
	# dates and times
	'EXTRACT(year FROM d)', "date_part('hour'::text, tz)", 'isfinite(ts)', '(ts)::date', 'CURRENT_DATE', '(d > CURRENT_DATE)');
foreach my $expression (@same)
{
	my ($out, $err) = probe($expression);
	is("$out$err", $expression, "$expression stays");
}

my %replaced = (
	'i4 + 1'                 => 'dpriv.try_add(i4, 1)',
	'i2 + i4'                => 'dpriv.try_add(int4(i2), i4)',
	'i2 - i8'                => 'dpriv.try_subtract(int8(i2), i8)',
	'i4 * 1.5'               => 'dpriv.try_multiply((i4)::numeric, 1.5)',
	'f4 / f8'                => 'dpriv.try_divide(float8(f4), f8)',
	'i4 % 2'                 => 'dpriv.try_remainder(i4, 2)',
	'mod(n, 2)'              => "dpriv.try_remainder(n, '2'::numeric)",
	'-i8'                    => 'dpriv.try_negate(i8)',
	'abs(i2)'                => 'dpriv.try_abs(i2)',
	'@ i4'                   => 'dpriv.try_abs(i4)',
	'1 / NULLIF(i4, 0)'      => 'dpriv.try_divide(1, NULLIF(i4, 0))',
	'p * 2'                  => 'dpriv.try_multiply((p)::integer, 2)',
	'i4::int2'               => 'dpriv.try_smallint(int8(i4))',
	'f4::int'                => 'dpriv.try_integer(float8(f4))',
	'n::int8'                => 'dpriv.try_bigint(n)',
	'f8::float4'             => 'dpriv.try_real(f8)',
	'n::float8'              => 'dpriv.to_real(n)',
	'n::numeric(5,2)'        => 'dpriv.try_numeric(n, 327686)',
	'round(n)'               => 'dpriv.try_round(n, 0)',
	'ceiling(n)'             => 'dpriv.try_ceil(n)',
	'width_bucket(f8, 0, 9, 3)' => "dpriv.try_width_bucket(f8, '0'::double precision, '9'::double precision, 3)",
	'd + 1'                  => 'dpriv.try_add(d, 1)',
	'1 + d'                  => 'dpriv.try_add(d, 1)',
	'd - d'                  => 'dpriv.try_subtract(d, d)',
	"d + interval '1 month'" => "dpriv.try_add(dpriv.try_timestamp(d), '1 mon'::interval)",
	'd::timestamptz'         => 'dpriv.try_timestamptz(d)',
	'tz::timestamp'          => 'dpriv.try_timestamp(tz)',
	'ts - ts'                => 'dpriv.try_subtract(ts, ts)',
	"tz > now() - interval '1 day'"  => "(tz > dpriv.try_subtract(now(), '1 day'::interval))",
	'extract(epoch FROM tz - tz)'    => 'EXTRACT(epoch FROM dpriv.try_subtract(tz, tz))',
	"date_trunc('month', ts)"        => "dpriv.try_date_trunc('month'::text, ts)",
	"date_trunc('WEEK', d)"          => "dpriv.try_date_trunc('WEEK'::text, dpriv.try_timestamptz(d))",
	"date_part('year', d)"           => "date_part('year'::text, dpriv.try_timestamp(d))",
	"lower(v) = 'x'"                 => "(dpriv.try_lower((v)::text) = 'x'::text)",
	"v ILIKE 'a%'"                   => "dpriv.try_ilike((v)::text, 'a%'::text)",
	"nm NOT LIKE c"                  => 'dpriv.try_not_like(text(nm), c)',
	"c LIKE '%a'"                    => "dpriv.try_like(c, '%a'::text)",
	"bp LIKE '%a%'"                  => "dpriv.try_like((bp)::text, '%a%'::text)",
	'c LIKE v'                       => 'dpriv.try_like(c, (v)::text)',
	'substring(c FROM 2 FOR i4)'     => 'dpriv.try_substring(c, 2, i4)',
	'bit_length(c)'                  => 'dpriv.try_multiply(octet_length(c), 8)',
	'inlined(i4)'                    => 'dpriv.try_add(i4, 1)',
	'spy(3) + i4'                    => 'dpriv.try_add(3, i4)',
	'ARRAY[n, i2]::float8[]'         => 'ARRAY[dpriv.to_real(n), (i2)::double precision]',
	'dpriv.try_add(i4, 3)'           => 'dpriv.try_add(i4, 3)',
	# whatever they are called with
	"dpriv.try_date_trunc('eon', ts)" => "dpriv.try_date_trunc('eon'::text, ts)",
	'CASE i4 WHEN 1 THEN i8 / 2 END' => 'CASE i4 WHEN 1 THEN dpriv.try_divide(i8, int8(2)) ELSE NULL::bigint END',
	'c IN (\'a\', v)'                => "((c = 'a'::text) OR (c = (v)::text))",
	'(i4 + 1) BETWEEN 2 AND i8'      => '((dpriv.try_add(i4, 1) >= 2) AND (dpriv.try_add(i4, 1) <= i8))',
	'current_date - d'               => 'dpriv.try_subtract(CURRENT_DATE, d)',
	'c LIKE \'a!%\' ESCAPE \'!\''    => "(c ~~ 'a\\%'::text)");
foreach my $expression (sort keys %replaced)
{
	my ($out, $err) = probe($expression);
	is("$out" . ($expression =~ /spy/ ? '' : $err), $replaced{$expression}, "$expression becomes $out");
}

# ---- Refused: the construct that is named, the part of the text that the position points to, a piece of the hint ----

my @refused = (
	[ "c ~ 'x'",              'operator ~',      '~', 'LIKE' ],
	[ "c SIMILAR TO 'x'",     'operator ~',      'SIMILAR', 'LIKE' ],
	[ 'c || v',               'operator \|\|',   '\|\|', 'Concatenate released values' ],
	[ 'concat(c, v)',         'function concat\(\)', 'concat', 'Concatenate released values' ],
	[ 'repeat(c, 1000000)',   'function repeat\(\)', 'repeat', 'dpriv.allowed_functions' ],
	[ 'md5(c)',               'function md5\(\)', 'md5', 'dpriv.allowed_functions' ],
	[ 'sqrt(f8)',             'function sqrt\(\)', 'sqrt', 'dpriv.allowed_functions' ],
	[ 'to_char(ts, \'YYYY\')', 'function to_char\(\)', 'to_char', 'date_trunc' ],
	[ 'to_date(c, \'YYYY\')',  'function to_date\(\)', 'to_date', 'add a column' ],
	[ 'make_date(i4, 1, 1)',  'function make_date\(\)', 'make_date', 'dpriv.allowed_functions' ],
	[ 'age(ts)',              'function age\(\)', undef, 'Subtract' ],
	[ 'age(ts, ts)',          'function age\(\)', 'age', 'Subtract' ],
	[ 'random()',             'function random\(\)', 'random', 'dpriv.allowed_functions' ],
	[ 'nextval(\'s\')',       'function nextval\(\)', 'nextval', 'dpriv.allowed_functions' ],
	[ 'set_config(c, c, true)', 'function set_config\(\)', 'set_config', 'dpriv.allowed_functions' ],
	[ 'pg_notify(c, c)',      'function pg_notify\(\)', 'pg_notify', 'dpriv.allowed_functions' ],
	[ 'pg_advisory_lock(i4)', 'function pg_advisory_lock\(\)', 'pg_advisory_lock', 'dpriv.allowed_functions' ],
	[ 'pg_sleep(f8)',         'function pg_sleep\(\)', 'pg_sleep', 'dpriv.allowed_functions' ],
	[ 'lo_create(i4::oid)',   'function lo_create\(\)', 'lo_create', 'dpriv.allowed_functions' ],
	[ 'query_to_xml(c, true, true, c)', 'function query_to_xml\(\)', 'query_to_xml', 'dpriv.allowed_functions' ],
	[ 'i4 << 3',              'operator <<',     '<<', 'dpriv.allowed_functions' ],
	[ 'iv * 2',               'operator \*',     '\*', 'dpriv.allowed_functions' ],
	[ 'i4 ^ 2',               'operator \^',     '\^', 'dpriv.allowed_functions' ],
	[ 'i4::text',             'a cast from integer to text', 'i4::text|::text', 'cast released values' ],
	[ 'c::int',               'a cast from text to integer', 'c::int|::int', 'cast released values' ],
	[ 'c::date',              'a cast from text to date', 'c::date|::date', 'cast released values' ],
	[ 'c::level',             'a cast from text to level', 'c::level|::level', 'cast released values' ],
	[ 'e::text::int',         'a cast from text to integer', '::int', 'cast released values' ],
	[ 'i4::positive',         'a cast to a domain', 'i4::positive|::positive', 'type that the domain is over' ],
	[ 'r::int',               'a cast from pair to integer', 'r::int|::int', 'cast released values' ],
	[ "j ->> 'k'",            'operator ->>',    '->>', 'dpriv.allowed_functions' ],
	[ 'm * 2',                'operator \*',     '\*', 'dpriv.allowed_functions' ],
	[ 'po << po', 'operator <<', '<<', 'dpriv.allowed_functions' ],
	[ 'ctid',                 'a system column', 'ctid', 'columns of the table' ],
	[ 'xmin',                 'a system column', 'xmin', 'columns of the table' ],
	[ 'tableoid',             'a system column', 'tableoid', 'columns of the table' ],
	[ 't',                    'a whole row',     't FROM', 'dp_count' ],
	[ 't IS NULL',            'IS NULL of a row|a whole row', 't IS', 'one by one|columns' ],
	[ 'r IS NULL',            'IS NULL of a row', 'r IS', 'one by one' ],
	[ '(r).x',                'a row or a field of one', '\(r\)|r\)', 'one by one' ],
	[ '(i4, i8) < (1, 2)',    'a row or a field of one', '\(i4|i4|<', 'one by one' ],
	[ 'ROW(i4, i8)',          'a row or a field of one', 'ROW', 'one by one' ],
	[ 'a[1]',                 'an element of an array', 'a\[', 'owner' ],
	[ 'ARRAY[a, a]',          'an array of arrays', 'ARRAY', 'one dimension' ],
	[ 'c = ANY (ARRAY[c, v])', 'an array of columns of this type', 'ARRAY', 'combined by OR' ],
	[ "c = repeat('x', 8190)", 'a constant of this size', undef, 'several releases' ],
	[ "by = decode(repeat('00', 8190), 'hex')", 'a constant of this size', undef, 'several releases' ],
	[ "i4 = ANY (array_fill(NULL::int, ARRAY[262145]))", 'a constant of this size', undef, 'several releases' ],
	[ '(SELECT 1)',           'a subquery',      '\(SELECT', 'Release its value first' ],
	[ 'EXISTS (SELECT FROM t)', 'a subquery',    'EXISTS', 'Release its value first' ],
	[ 'i4 IN (SELECT i4 FROM t)', 'a subquery',  'i4|IN', 'Release its value first' ],
	[ 'sum(i4)',              'an aggregate',    'sum', 'released values' ],
	[ 'row_number() OVER ()', 'a window function', 'row_number', 'released values' ],
	[ 'current_user = c',     'the name of a role, a schema or a database', 'current_user', 'parameter' ],
	[ 'extract(timezone FROM tz)', 'function extract\(\) with these arguments', 'extract', 'one of these fields' ],
	[ 'extract(hour FROM d)', 'function extract\(\) with these arguments', 'extract', 'one of these fields' ],
	[ 'date_part(c, ts)',     'function date_part\(\) with these arguments', 'date_part', 'as a constant' ],
	[ "date_trunc('eon', ts)", 'function date_trunc\(\) with these arguments', 'date_trunc', 'one of these fields' ],
	[ "c LIKE 'a\\'",         'operator ~~ with these arguments', 'LIKE', 'backslash' ],
	[ "c LIKE repeat('%a', 200)", 'operator ~~ with these arguments', 'LIKE', 'shorter' ],
	[ "c ILIKE '\\'",         'operator ~~\* with these arguments', 'ILIKE', 'backslash' ],
	[ "c LIKE ANY (ARRAY['a', 'b'])", 'operator ~~ in IN, ANY or ALL', 'LIKE', 'OR' ],
	[ 'strpos(c, v)',         'function strpos\(\) with these arguments', 'strpos', 'dpriv.allowed_functions' ],
	[ "split_part(c, '\@', 0)", 'function split_part\(\) with these arguments', 'split_part', 'dpriv.allowed_functions' ],
	[ 'c::char(5000)',        'function bpchar\(\) with these arguments', 'c::char|::char', 'dpriv.allowed_functions' ],
	[ 'x < y',                'operator < without a collation', '<', 'COLLATE' ],
	[ "l LIKE 'a%'",          'operator ~~ with a nondeterministic collation', 'LIKE', 'COLLATE' ],
	[ 'GREATEST(a, a)',       'GREATEST of type integer\[\]', 'GREATEST', 'CASE' ],
	[ 'NULLIF(a, a)',         'operator = in NULLIF', 'NULLIF', 'comparison' ],
	[ 'j IS DISTINCT FROM j', 'operator = in IS DISTINCT FROM', 'j IS|IS', 'comparison' ],
	[ 'j = j',                'operator =',      '=', 'dpriv.allowed_functions' ],
	[ 'spy(i4)',              'function spy\(\)', 'spy', 'own' ],
	[ 'inlined(spy(i4))',     'function spy\(\)', undef, 'own' ],
	[ 'inlined_badly(c)',     'operator ~',      undef, 'LIKE' ],
	[ 'dpriv.session_spent()', 'function session_spent\(\)', 'dpriv', 'own' ],
	[ 'dpriv.try_like(l, c)',  'function try_like\(\) with a nondeterministic collation', 'dpriv', 'COLLATE' ],
	[ 'mine.length(c)',       'function length\(\)', 'mine', 'own' ],
	[ 'i4 OPERATOR(mine.=) 5', 'operator =',     'OPERATOR', 'own' ],
	[ 'i4 === 5',             'operator ===',    '===', 'allowed' ],
	[ 'xmlelement(name x, c)', 'XML',            'xmlelement', 'released values' ]);
foreach my $case (@refused)
{
	my ($expression, $construct, $at, $hint) = @$case;
	my ($out, $err, $query) = probe($expression);
	ok($out eq '' && $err =~ /ERROR:  0A000: (?:$construct) cannot be used where a private release reads rows\n/ && $err =~ /HINT:  .*(?:$hint)/ && $err =~ /DETAIL:  /,
		"$expression is refused") or diag("$out$err");
	next unless defined $at;

	# The caret is below the query within the call of guard_probe().
	my ($line, $caret) = $err =~ /^LINE 1: (.*)\n( *)\^/m;
	my $place = defined $caret ? substr($query, length($caret) - length('LINE 1: '), 40) : 'no position';
	like($place, qr/^(?:$at)/, '... with its position');
}

# An error in a constant part tells of no row, and comes when the query is planned.
like((probe('CASE WHEN i4 > 0 THEN 1 / 0 END'))[1], qr/ERROR:  22012: division by zero/, 'a constant part is computed at once');

# ---- Without an error ----

my %found = (
	'i4 + 1'                     => '',
	"c LIKE 'a%' AND i4 / i8 > 3" => '',
	'upper(c) || v'              => 'operator ||',
	'CASE WHEN c ~ \'x\' THEN spy(i4) END' => 'operator ~',
	'ctid = ctid'                => 'a system column',
	'inlined(i4)'                => '',
	'x < y'                      => 'operator < without a collation');
foreach my $expression (sort keys %found)
{
	is($node->safe_psql('guard', "SELECT guard_probe_find(\$q\$SELECT $expression FROM t\$q\$)"), $found{$expression}, "found in $expression: '$found{$expression}'");
}

# ---- Collations are loaded before any row is read ----

$node->safe_psql('guard', <<'SQL');
CREATE ROLE ana LOGIN;
CREATE COLLATION broken (provider = libc, locale = 'C.UTF-8');
CREATE TABLE one (c text COLLATE broken, n int);
INSERT INTO one VALUES ('x', 1);
GRANT SELECT ON one TO ana;
UPDATE pg_collation SET collcollate = 'xx_XX.UTF-8', collctype = 'xx_XX.UTF-8' WHERE collname = 'broken';
SET client_min_messages = error;
SELECT dpriv.protect('one', 'row');
SQL
foreach my $query ('SELECT c, dp_count(*) FROM one GROUP BY c', 'SELECT dp_count(DISTINCT c) FROM one',
	'SELECT x, dp_count(*) FROM (SELECT c AS x FROM one) s GROUP BY x', 'SELECT dp_count(*) FROM one WHERE c > \'y\'')
{
	my ($out, $err);
	$node->psql('guard', "SET dpriv.epsilon = 1; SET dpriv.delta = 1e-6; $query; SELECT dpriv.session_spent()", on_error_stop => 0,
		stdout => \$out, stderr => \$err, extra_params => [ '-U', 'ana' ]);
	like($err, qr/could not create locale "xx_XX.UTF-8"/, "a collation that cannot be used: $query");
	is($out, 0, '... costs nothing');
}

# ---- Children that no utility hook has seen ----

# The library of this test preloads, so that protect() works.
$node->safe_psql('guard', <<'SQL');
CREATE FUNCTION past_hooks(text) RETURNS void AS 'dpriv', 'dpriv_guard_probe_utility' LANGUAGE C STRICT;
SET client_min_messages = error;
CREATE TABLE parent (a int);
CREATE TABLE child (a int);
CREATE TABLE open (a int);
CREATE TABLE empty_parent ();
CREATE TABLE empty_child ();
SELECT dpriv.protect('parent', 'row'), dpriv.protect('empty_parent', 'row');
SELECT count(*) FROM child, empty_child;
SQL
my $state = q{SELECT relation, part_of, problem FROM dpriv.protected WHERE part_of IS NOT NULL ORDER BY 1};

# With the commit of the one statement.
$node->safe_psql('guard', q{SELECT past_hooks('ALTER TABLE child INHERIT parent')});
is($node->safe_psql('guard', $state), 'child|parent|', 'protected before the commit');
$node->safe_psql('guard', 'GRANT SELECT ON child TO ana');
my ($stdout, $stderr);
$node->psql('guard', 'TABLE child', stderr => \$stderr, extra_params => [ '-U', 'ana' ]);
like($stderr, qr/rows of protected relation "child" cannot be read/, 'in full');
$node->psql('guard', q{SELECT past_hooks('ALTER TABLE parent INHERIT open')}, stderr => \$stderr);
like($stderr, qr/"parent" has a parent that is not protected/, 'or refused');
is($node->safe_psql('guard', q{SELECT count(*) FROM pg_inherits WHERE inhparent = 'open'::regclass}), 0, 'and rolled back');

# Of a parent without columns, in a session that knows its child as unprotected.
$node->safe_psql('guard', <<'SQL');
SELECT count(*) FROM empty_child;
SELECT past_hooks('ALTER TABLE empty_child INHERIT empty_parent');
SQL
is($node->safe_psql('guard', $state), "child|parent|\nempty_child|empty_parent|", 'what was remembered of a child is forgotten');

# What was done for it was rolled back, and it was not.
foreach my $end ('COMMIT', q{SET client_min_messages = error; DO 'BEGIN END'; COMMIT})
{
	$node->safe_psql('guard', <<"SQL");
BEGIN;
SELECT past_hooks('CREATE TABLE late () INHERITS (parent)');
SAVEPOINT s;
COMMENT ON TABLE open IS 'settles';
ROLLBACK TO s;
$end;
SQL
	is($node->safe_psql('guard', $state), "child|parent|\nempty_child|empty_parent|\nlate|parent|", 'protected again after a rollback to a savepoint');
	$node->safe_psql('guard', 'DROP TABLE late');
}
$node->safe_psql('guard', q{DO $$ BEGIN PERFORM past_hooks('CREATE TABLE late () INHERITS (parent)'); BEGIN CREATE TEMPORARY TABLE t2 (); RAISE 'no'; EXCEPTION WHEN OTHERS THEN END; END $$});
is($node->safe_psql('guard', $state), "child|parent|\nempty_child|empty_parent|\nlate|parent|", 'and in a function');

# ---- Encodings whose characters the C library does not know ----

$node->safe_psql('postgres', "CREATE DATABASE eucjp TEMPLATE template0 ENCODING 'EUC_JP' LOCALE 'C'");
$node->safe_psql('eucjp', $setup =~ s/CREATE COLLATION.*\n//r =~ s/ COLLATE loose//r);
foreach my $expression ('lower(c)', "c ILIKE 'a'")
{
	my ($out, $err);
	$node->psql('eucjp', "SELECT guard_probe(\$q\$SELECT $expression FROM t\$q\$)", stdout => \$out, stderr => \$err);
	like($err, qr/with these arguments cannot be used .*DETAIL:  .*encoding is UTF8/s, "$expression is refused in EUC_JP");
}

$node->stop;
done_testing();
