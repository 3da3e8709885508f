#
# 081_allowed.pl
#	  Every function that may see private rows is total: none fails on any of many extreme values.
#
# The list is dpriv.allowed_functions().  Each entry is called with all combinations of extreme values of its argument types,
# in databases of several encodings and under several settings; a single error is a failure.  A function that takes the
# place of one of PostgreSQL's is compared with that: the same result, and NULL where there is an error.  It may be NULL
# beside that only for values which extreme() says are beyond its bounds.
#
use strict;
use warnings;
use utf8;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

$ENV{PGCLIENTENCODING} = 'UTF8';
my $node = PostgreSQL::Test::Cluster->new('allowed');
$node->init;
$node->append_conf('postgresql.conf', "jit = off\nfsync = off\n");
$node->start;
my $major = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);

# ---- Values ----

my @infinite = $major >= 17 ? ('infinity', '-infinity') : ();
my @stamps   = (
	'-infinity', 'infinity', '4714-11-24 00:00:00 BC', '4714-11-24 00:00:00.000001 BC', '4713-12-31 12:00 BC',
	'4001-12-31 23:59:59.999999 BC', '4000-01-01 00:00 BC', '3999-01-01 00:00 BC', '3998-06-01 00:00 BC', '0001-12-31 23:59:59.999999 BC', '0001-01-01 00:00', '1582-10-15 00:00',
	'1883-11-18 12:00', '1900-02-28 23:59:59', '1970-01-01 00:00', '2000-01-01 00:00', '2000-02-29 00:00:00.000001',
	'2011-12-30 00:00', '2024-01-31 00:00', '2024-03-10 02:30', '2024-11-03 01:30', '9999-12-31 23:59:59.999999', '290000-06-30 00:00', '294275-11-30 00:00',
	'294276-11-30 00:00', '294276-12-31 00:00', '294276-12-31 23:59:59.999999');
my %values = (
	boolean    => [ 'true', 'false' ],
	smallint   => [qw(-32768 -32767 -182 -2 -1 0 1 2 3 181 182 32766 32767)],
	integer    => [qw(-2147483648 -2147483647 -46341 -32769 -2 -1 0 1 2 3 7 1000 32768 46340 46341 2147483646 2147483647)],
	bigint     => [qw(-9223372036854775808 -9223372036854775807 -3037000500 -2147483649 -32769 -2 -1 0 1 2 3 32768 2147483648 3037000499 3037000500 9223372036854775806 9223372036854775807)],
	oid        => [qw(0 1 2147483648 4294967295)],
	real       => [qw(NaN Infinity -Infinity -0 0 1 -1 0.5 1.5 2.5 -2.5 1e-45 -1e-45 1.17549435e-38 1e-30 3.4028235e38 -3.4028235e38 1e20 32767.5 2.1474836e9 9.223372e18)],
	'double precision' => [qw(NaN Infinity -Infinity -0 0 1 -1 0.5 1.5 2.5 -2.5 3 10 4.9406564584124654e-324 -4.9406564584124654e-324
		2.2250738585072014e-308 1e-200 1e200 1.7976931348623157e308 -1.7976931348623157e308 32767.49 32767.5 -32768.5 -32768.51 2147483647.49 2147483647.5
		-2147483648.5 -2147483648.51 9223372036854774784 9223372036854775808 -9223372036854775808 -9223372036854777856 3.4028235677973366e38 3.4028234e38 7e-46 7.1e-46)],
	numeric => [qw(NaN Infinity -Infinity 0 0.00 1 -1 0.5 1.5 2.5 -2.5 3 10 7.0000000000000001 99.99 32767.49 32767.5 -32768.5 2147483647.49 2147483647.5 -2147483648.5
		9223372036854775807.49 9223372036854775807.5 -9223372036854775808.5 123.456789012345678901234567890 1e38 3.4028235e38 3.5e38 1e-45 1e-46 1e100 -1e100 1e-100
		1e255 1e256 1e-255 1e-256 1e-257 -9.5e255 1e131071 1e-16383 -1e131071),
		'9' x 255 . '.' . '9' x 255, '9' x 257, '9' x 5000 . '.' . '9' x 5000 ],
	money   => [ '-92233720368547758.08', '92233720368547758.07', '0', '0.01' ],
	'"char"' => [ '', 'a', '~' ],
	date    => [
		'-infinity',  'infinity',   '4714-11-24 BC', '4713-01-01 BC', '4000-01-01 BC', '0001-01-01 BC', '0001-01-01', '1582-10-15', '1900-02-28', '1969-12-31', '1970-01-01',
		'2000-02-29', '2024-03-10', '2024-12-31', '9999-12-31', '294276-12-31', '294277-01-01', '5874897-12-31' ],
	'timestamp without time zone' => [@stamps],
	'timestamp with time zone'    => [ map { /BC/ ? s/ BC/+00 BC/r : /inf/ ? $_ : "$_+00" } @stamps ],
	'time without time zone'      => [ '00:00', '12:34:56.789', '23:59:59.999999', '24:00' ],
	'time with time zone'         => [ '00:00+15:59', '00:00-15:59', '24:00+15:59', '24:00-15:59', '12:00+00' ],
	interval                      => [
		'0', '1 microsecond', '-1 microsecond', '1 day', '-1 day', '1 month', '-1 month', '1 year', '-13 months', '1 month -30 days 12:00', '4000 years', '-6712 years',
		'290000 years', '-290000 years', '178000000 years', '-178000000 years', '2147483647 days', '-2147483648 days', '100000000 days', '-100000000 days',
		'2562047788:00:54.775807', '300000 years -109500000 days', '-109500000 days 2562047787:00', '-178956970 years -8 months', @infinite ],
	uuid     => [ '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '12345678-1234-1234-1234-123456789012' ],
	inet     => [ '0.0.0.0/0', '255.255.255.255', '10.0.0.1/8', '::/0', '::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/127' ],
	macaddr  => [ '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff' ],
	macaddr8 => [ '00:00:00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff:ff:ff' ],
	bit      => [ '0', '1' ],
	bytea    => [ '', '\x00', '\xff', '\x00ff00', 'long' ],
	level    => [ 'low', 'middle', 'high' ],
	text     => [ '', 'a', ' ', '  a  ', 'ab', 'AB', '%', '_', '\\', '\\\\', 'a\\', '%%%%a%%%%_', 'user@example.com', '@', '@@', "line\nbreak", "\x01", '2024-01-01', 'aaaaaaaaaaaaaab' ]);
# Of more than one byte, where the encoding has them: accents, one that combines, case that changes the length, an emoji.
my %more_text = (
	utf8  => [ 'é', "e\x{301}", 'İıßſǅ', 'ΑΣ', '日本語', "\x{1F600}", "\x{10FFFD}", "a\x{200D}b" ],
	latin => [ 'é', 'ß', "\xFF" ],
	eucjp => [ '日本語', 'あア' ]);
my %alias = ('character varying' => 'text', character => 'text', name => 'text', cidr => 'inet', anyenum => 'level', 'bit varying' => 'bit');
my %big   = (
	text  => ["repeat('x', 1048576)", "repeat('ab%', 349525)", "repeat('A', 1048577)", "(SELECT string_agg(md5(i::text), '') FROM generate_series(1, 32768) i)"],
	bytea => ["decode(repeat('ab', 1048576), 'hex')"],
	numeric => [ "(repeat('9', 131072) || '.' || repeat('9', 16383))::numeric", "('-' || repeat('9', 131072))::numeric" ]);

# What the conditions ask for: constants by position.
sub constants
{
	my ($condition, $types) = @_;
	return ([]) if !defined $condition || $condition eq '';
	if ($condition =~ /one of the constants ([a-z, ]+)\./)
	{
		return map { [ "'$_'" ] } split /, /, $1;
	}
	return map { [ undef, $_ ] } ("''", "'%'", "'a%'", "'%a%b%'", "'a\\\\\\\\'", "'_'", "'" . '%a' x 128 . "'", "'\\\\%'") if $condition =~ /^A pattern/;
	return map { [ undef, $_ ] } ("''", "'a'", "' '", "'ab'", "'" . 'x' x 256 . "'") if $condition =~ /^The second argument/;
	return map { my $n = $_; map { [ undef, $_, $n ] } ("''", "'\@'", "'ab'", "'" . 'x' x 256 . "'") } qw(1 2 1000 -1 -2 -1000) if $condition =~ /^The delimiter/;
	return map { [ undef, undef, $_ ] } qw(0 1 2147483647) if $condition =~ /^Replaced unless the length/;
	return map { [ undef, $_, 'true' ] } qw(-1 5 9 1004) if $condition =~ /^The cast is written out/;
	return map { [ undef, ($_->[0] << 16 | $_->[1] & 2047) + 4 ] } [ 1, 0 ], [ 5, 2 ], [ 38, 10 ], [ 2, -3 ], [ 1000, 0 ], [ 200, 200 ], [ 3, 5 ], [ 1, -1000 ]
	  if $condition =~ /^Precision and scale/;
	return ([]) if $condition =~ /^The database's encoding/;
	die "condition without arguments: $condition";
}

sub quoted { my ($text) = @_; return "'" . ($text =~ s/'/''/gr) . "'" }
sub table_of { my ($type) = @_; $type = $alias{$type} // $type; $type =~ s/\W/_/g; return "values_$type" }

# Values of every type; those that PostgreSQL's own functions are slow with have numbers from 1000 on.
sub prepare
{
	my ($db, $kind) = @_;
	my $sql = "CREATE EXTENSION dpriv;\nCREATE TYPE level AS ENUM ('low', 'high');\nALTER TYPE level ADD VALUE 'middle' BEFORE 'high';\nSET escape_string_warning = off;\n";
	foreach my $type (sort keys %values)
	{
		my $table = table_of($type);
		my @values = map { quoted($_) } @{ $values{$type} }, $type eq 'text' ? @{ $more_text{$kind} // [] } : ();
		@values = map { $_ eq "'long'" ? "decode(repeat('ab', 1000), 'hex')" : $_ } @values if $type eq 'bytea';
		$sql .= "CREATE TABLE $table (i int, v $type);\nINSERT INTO $table SELECT row_number() OVER (), v FROM (VALUES "
		  . join(', ', map { "(CAST($_ AS $type))" } @values, 'NULL') . ") x(v);\n";
		$sql .= "INSERT INTO $table SELECT 1000, $_;\n" foreach grep { $db eq 'main' || !/'x'|md5/ } @{ $big{$type} // [] };
	}
	$sql .= "INSERT INTO values_text SELECT 500, convert_from('\\xff80', 'SQL_ASCII');\n" if $kind eq 'ascii';
	$sql .= <<'SQL';
-- Calls a function with all combinations of values; says what failed, or how many calls there were.
CREATE FUNCTION run(call text, tables text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n int8;
BEGIN
	EXECUTE format('SELECT count(*) FROM (SELECT %s AS r FROM %s OFFSET 0) x WHERE r IS NULL OR true', call, tables) INTO n;
	EXECUTE format('SELECT count(r) FROM (SELECT %s AS r FROM %s OFFSET 0) x', call, tables);
	RETURN n;
EXCEPTION WHEN OTHERS THEN
	RETURN 'failed: ' || call || ': ' || SQLERRM;
END
$$;
-- May the total function answer NULL for this value by itself?
CREATE FUNCTION extreme(x numeric) RETURNS bool LANGUAGE sql RETURN x <> 'NaN' AND abs(x) < 'Infinity' AND (abs(x) >= 1e256 OR scale(x) > 256);
CREATE FUNCTION extreme(x text) RETURNS bool LANGUAGE sql RETURN octet_length(x) > 1048576;
CREATE FUNCTION extreme(x timestamp) RETURNS bool LANGUAGE sql RETURN NOT isfinite(x) OR x < '3999-01-01 BC' OR x >= '294275-12-30';
CREATE FUNCTION extreme(x timestamptz) RETURNS bool LANGUAGE sql RETURN NOT isfinite(x) OR x < '3999-01-02 BC' OR x >= '294275-12-30';
CREATE FUNCTION extreme(x date) RETURNS bool LANGUAGE sql RETURN x < '4713-01-01 BC' OR x > '294276-11-29';
CREATE FUNCTION extreme(x interval) RETURNS bool LANGUAGE sql RETURN x > '280000 years' OR x < '-280000 years' OR abs(extract(year FROM x)) > 280000;
-- PostgreSQL's result as text; ERROR; NULL.
CREATE FUNCTION attempt(call text, tables text, i int[], extreme text, OUT result text, OUT beyond bool) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT r::text, coalesce(%s, false) FROM (SELECT %s AS r FROM %s) x', extreme, call, tables) INTO result, beyond USING i;
	result := coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	result := 'ERROR';
	beyond := false;
END
$$;
CREATE TABLE compared (call text, i int[], original text, beyond bool, total text);
SQL
	utf8::encode($sql);
	$node->safe_psql($db, $sql);
}

# ---- The list itself ----

sub create_database
{
	my ($db, $options) = @_;
	my ($out, $err) = ('', '');
	return $node->psql('postgres', "CREATE DATABASE $db TEMPLATE template0 $options", stderr => \$err) == 0 || (diag($err), 0)[1];
}
create_database('main', "ENCODING 'UTF8' LOCALE 'C.UTF-8'") or die;
prepare('main', 'utf8');

my @list = map { my @f = split /\|/, $_, -1; { oid => $f[0], schema => $f[1], name => $f[2], types => [ split /;/, $f[3] ], result => $f[4],
		condition => $f[5], replacement => $f[6], replacement_types => [ split /;/, $f[7] ] } }
  split /\n/, $node->safe_psql('main', <<'SQL');
SELECT p.oid, p.pronamespace::regnamespace, quote_ident(p.proname), (SELECT string_agg(format_type(t, NULL), ';' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY u(t, n)),
	format_type(p.prorettype, NULL), a.condition, CASE WHEN r.oid IS NOT NULL THEN r.pronamespace::regnamespace || '.' || r.proname END,
	(SELECT string_agg(format_type(t, NULL), ';' ORDER BY n) FROM unnest(r.proargtypes) WITH ORDINALITY u(t, n))
FROM dpriv.allowed_functions() a JOIN pg_proc p ON p.oid = a.function LEFT JOIN pg_proc r ON r.oid = a.replacement ORDER BY p.oid
SQL
cmp_ok(scalar @list, '>=', 540, 'functions on the list');
is($node->safe_psql('main', <<'SQL'), '', 'each is built in, internal, not volatile, no set, and has a reason');
SELECT a.function FROM dpriv.allowed_functions() a LEFT JOIN pg_proc p ON p.oid = a.function
WHERE p.oid IS NULL OR p.oid >= 10000 OR p.prolang <> 12 OR p.provolatile = 'v' OR p.proretset OR p.prokind <> 'f' OR p.prosecdef
	OR length(a.reason) < 8 OR length(a.condition) < 20
	OR EXISTS (SELECT FROM unnest(p.proargtypes || p.prorettype) t JOIN pg_type y ON y.oid = t WHERE y.typtype = 'p' AND y.typname <> 'anyenum')
SQL
is($node->safe_psql('main', 'SELECT function FROM dpriv.allowed_functions() GROUP BY 1 HAVING count(*) > 1'), '', 'none is there twice');
is($node->safe_psql('main', <<'SQL'), '', 'a total function has the result of the other, is strict and not volatile, and its arguments hold more');
SELECT a.function, a.replacement FROM dpriv.allowed_functions() a JOIN pg_proc p ON p.oid = a.function JOIN pg_proc r ON r.oid = a.replacement
WHERE NOT r.proisstrict OR r.provolatile = 'v' OR r.proparallel <> 's' OR p.prorettype <> r.prorettype OR p.pronargs <> r.pronargs OR r.prosecdef
	OR r.provolatile < p.provolatile OR NOT has_function_privilege('public', r.oid, 'EXECUTE')
SQL
is($node->safe_psql('main', <<'SQL'), '', 'each total function is on the list');
SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'dpriv'::regnamespace AND p.proname LIKE 'try\_%'
	AND NOT EXISTS (SELECT FROM dpriv.allowed_functions() a WHERE a.replacement = p.oid)
SQL

# ---- None fails ----

# Calls of one function: a pair (call, tables) for every choice of constants.
sub calls
{
	my ($name, $types, $condition) = @_;
	my @calls;
	foreach my $constants (constants($condition, $types))
	{
		my (@args, @tables);
		foreach my $i (0 .. $#$types)
		{
			my $table = table_of($types->[$i]);
			my $cast  = $types->[$i] eq 'anyenum' ? 'level' : $types->[$i] =~ s/^character$/bpchar/r;
			push @args, defined $constants->[$i] ? "CAST(E$constants->[$i] AS $cast)" =~ s/E(-?\d|true)/$1/r : "CAST(a$i.v AS $cast)";
			push @tables, "$table a$i" unless defined $constants->[$i];
		}
		push @calls, [ "$name(" . join(', ', @args) . ')', join(', ', @tables) || '(VALUES (1)) one' ];
	}
	return @calls;
}

sub run_calls
{
	my ($db, $settings, @calls) = @_;
	my $sql = join '', map { "SET $_;\n" } @$settings;
	my $values = join ",\n", map { '(' . quoted($_->[0]) . ', ' . quoted($_->[1]) . ')' } @calls;
	$sql .= "SELECT run(call, tables) FROM (VALUES $values) x(call, tables);\n";
	my @results = split /\n/, $node->safe_psql($db, $sql);
	my @failed  = grep { !/^\d+$/ } @results;
	my $calls   = 0;
	$calls += $_ foreach grep { /^\d+$/ } @results;
	return ($calls, @failed);
}

# What is called for private rows: entries without condition and those that are kept under it, and total functions.
my (@all, @with_text, %seen);
foreach my $f (@list)
{
	my @calls;
	push @calls, calls("$f->{schema}.$f->{name}", $f->{types}, $f->{condition}) if $f->{replacement} eq '' || $f->{condition} =~ /^A pattern (?!.*encoding)|^Replaced unless/;
	# whoever likes can call total functions with any arguments
	push @calls, map { calls($f->{replacement}, $f->{replacement_types}, $_) } '', grep { /field|Precision/ } $f->{condition} if $f->{replacement} ne '' && !$seen{"$f->{replacement} @{$f->{replacement_types}}"}++;
	push @all, @calls;
	push @with_text, @calls if grep { /^(text|character|name)/ } @{ $f->{types} };
}
# what releases by a declared domain call by themselves
push @all, map { calls('dpriv.label_of', [$_], '') } qw(bigint boolean date);
cmp_ok(scalar @all, '>=', 700, 'ways to call them');
cmp_ok(scalar @with_text, '>=', 120, '... with texts');

foreach my $settings (
	[],
	[ "TimeZone = 'America/New_York'", "IntervalStyle = iso_8601", 'extra_float_digits = 3', "DateStyle = 'German'" ],
	[ "TimeZone = 'Pacific/Apia'",     "IntervalStyle = sql_standard", 'extra_float_digits = -15', "DateStyle = 'SQL, DMY'", "bytea_output = 'escape'" ],
	[ "TimeZone = 'Asia/Kolkata'",     "lc_time = 'C'", "lc_numeric = 'C.UTF-8'", "lc_monetary = 'C'" ],
	[ "TimeZone = '<x>-167:59'" ])
{
	my ($calls, @failed) = run_calls('main', $settings, @$settings ? (grep { $_->[1] =~ /values_(?:time|date|interval)/ } @all) : @all);
	is(join("\n", @failed), '', "no error: @$settings");
	cmp_ok($calls, '>=', @$settings ? 15_000 : 1_000_000, "... in $calls calls");
}

# The test sees errors.
{
	my (undef, @failed) = run_calls('main', [], ['pg_catalog.int4pl(a0.v, a1.v)', 'values_integer a0, values_integer a1'],
		[ 'pg_catalog.textlike(a0.v, a1.v)', 'values_text a0, values_text a1' ], [ 'pg_catalog.date_trunc(\'millennium\', a0.v)', 'values_timestamp_without_time_zone a0' ]);
	is(scalar @failed, 3, 'functions that fail are seen to');
}

foreach my $database (
	[ 'ascii', "ENCODING 'SQL_ASCII' LOCALE 'C'", 'ascii' ],
	[ 'latin', "ENCODING 'LATIN1' LOCALE 'C'",    'latin' ],
	[ 'eucjp', "ENCODING 'EUC_JP' LOCALE 'C'",    'eucjp' ],
	[ 'plain', "ENCODING 'UTF8' LOCALE 'C'",      'utf8' ],
	[ 'icu',   "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'und' LOCALE 'C.UTF-8'", 'utf8' ])
{
	my ($db, $options, $kind) = @$database;
  SKIP:
	{
		skip "no database $db", 2 unless create_database($db, $options);
		prepare($db, $kind);

		# In other encodings of several bytes what changes case is NULL.
		my ($calls, @failed) = run_calls($db, [], @with_text);
		is(join("\n", @failed), '', "no error: $db");
		cmp_ok($calls, '>=', 20_000, "... in $calls calls");
	}
}

# ---- A total function agrees with the one whose place it takes ----

# For types that have bounds of their own.
sub extreme
{
	my ($value, $type) = @_;
	return 'false' unless $type =~ /^(numeric|text|character|name|date|interval|timestamp)/;
	return $type =~ /^(character|name)/ ? "extreme($value\::text)" : "extreme($value)";
}

foreach my $timezone ('UTC', 'America/New_York')
{
	my $sql = "SET TimeZone = '$timezone';\nTRUNCATE compared;\n";
	foreach my $f (grep { $_->{replacement} ne '' && $_->{replacement} ne 'dpriv.to_real' } @list)
	{
		my @types = @{ $f->{types} };
		next if $timezone ne 'UTC' && "@types" !~ /time zone|date/;
		my @calls = calls("$f->{schema}.$f->{name}", \@types, $f->{condition} =~ /field|Precision/ ? $f->{condition} : '');
		foreach my $call (@calls)
		{
			my ($original, $tables) = @$call;
			my @from  = split /, /, $tables;
			my $where = join ' AND ', map { s/.* //r . '.i = ($1)[' . (/a(\d)$/)[0] . ' + 1]' } @from;
			my $total = $original;
			$total =~ s/^[^(]+/$f->{replacement}/;
			my @wide = @{ $f->{replacement_types} };
			foreach my $i (0 .. $#wide)
			{
				# character(n) goes in with its blanks
				my $arg = $types[$i] eq 'date' && $wide[$i] =~ /^timestamp/ ? "dpriv.try_timestamp(a$i.v)"
				  : $types[$i] eq 'character' ? "textin(bpcharout(CAST(a$i.v AS bpchar)))"
				  : $wide[$i] eq $types[$i] ? "a$i.v" : "CAST(CAST(a$i.v AS $types[$i]) AS $wide[$i])";
				$total =~ s/CAST\(a$i\.v AS [^)]+\)/$arg/;
			}
			my $limits = join ' AND ', map { s/.* //r . '.i < 500' } @from;
			my $three  = @from > 2 ? join(' AND ', map { s/.* //r . '.i % 5 < 2' } @from) : 'true';
			my $indexes = 'ARRAY[' . join(', ', map { my $i = $_; (grep { / a$i$/ } @from) ? "a$i.i" : '0' } 0 .. $#types) . ']';
			my $extreme = join ' OR ', map { my ($i) = /a(\d)$/; "coalesce(" . extreme("a$i.v", $types[$i]) . ", false)" } @from;
			# where the text ends before the pattern, PostgreSQL does not see that the pattern is broken
			$extreme .= " OR a1.v LIKE E'%\\\\\\\\' OR octet_length(a0.v::text)::int8 * octet_length(a1.v::text) > 4194304" if $total =~ /like/;
			my ($q_original, $q_tables) = (quoted($original), quoted("$tables WHERE $where"));
			$sql .= "INSERT INTO compared SELECT $q_original, $indexes, o.result, o.beyond OR $extreme, coalesce(($total)::text, 'NULL') FROM "
			  . "(SELECT 1) one, $tables, LATERAL attempt($q_original, $q_tables, $indexes, '" . extreme('r', $f->{result}) . "') o WHERE $limits AND $three;\n";
		}
	}
	$node->safe_psql('main', $sql, timeout => 300);
	is($node->safe_psql('main', <<'SQL'), '', "total functions agree with PostgreSQL's: $timezone");
SELECT call, i, left(original, 60), left(total, 60) FROM compared
WHERE NOT CASE WHEN original = 'ERROR' THEN total = 'NULL' WHEN beyond THEN total IN ('NULL', original) ELSE total = original END LIMIT 20
SQL
	my ($all, $errors, $beyond) = split /\|/, $node->safe_psql('main', <<'SQL');
SELECT count(*), count(*) FILTER (WHERE original = 'ERROR'), count(*) FILTER (WHERE beyond AND total = 'NULL' AND original NOT IN ('NULL', 'ERROR')) FROM compared
SQL
	note("$all compared, $errors errors, $beyond beyond bounds");
	cmp_ok($all, '>=', 7_000, "... in $all calls");
	cmp_ok($errors, '>=', 300, "... of which $errors are errors of PostgreSQL's");
	is($node->safe_psql('main', <<'SQL'), '', '... and where each answers more often than not');
SELECT call, count(*) FROM compared WHERE original NOT IN ('NULL', 'ERROR') GROUP BY call
HAVING count(*) FILTER (WHERE total = 'NULL') * 2 > count(*) AND call !~ 'interval|width_bucket'
SQL
}

$node->stop;
done_testing();
