#
# 051_reference.pl
#	  docs/reference.md is complete and right: synopses against the catalog, errors against the source.
#
# A ```synopsis block has one object per line, in the form that the query below gives to the catalog.  Every
# error that the source can raise has a line with its SQLSTATE in one of the tables of errors, and the reverse.
# Every private aggregate has an example, and it runs.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Page qw(blocks run_psql check_queries);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my $reference = slurp_file('docs/reference.md');


# ---- Synopses ----

my $node = PostgreSQL::Test::Cluster->new('reference');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpriv'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dpriv');

my $catalog = $node->safe_psql('postgres', <<'SQL');
WITH member AS (
	SELECT d.classid, d.objid
	FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
	WHERE e.extname = 'dpriv' AND d.deptype = 'e'
		-- from 16 on, array types are members of their own
		AND NOT (d.classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type AS t WHERE t.typarray = d.objid)))
SELECT format('%s%s(%s) → %s', CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname || '.' END, p.proname,
	CASE WHEN p.prokind = 'a' AND p.pronargs = 0 THEN '*' ELSE pg_get_function_arguments(p.oid) END,
	pg_get_function_result(p.oid))
FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
	JOIN pg_namespace AS n ON n.oid = p.pronamespace
UNION ALL
SELECT format('%s (%s)', format_type(t.oid, NULL),
	(SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
	FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped))
FROM member JOIN pg_type AS t ON classid = 'pg_type'::regclass AND objid = t.oid
UNION ALL
SELECT format('%s (%s)', c.oid::regclass,
	(SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum)
	FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped))
FROM member JOIN pg_class AS c ON classid = 'pg_class'::regclass AND objid = c.oid
UNION ALL
SELECT format('%s %s default %s range %s set by %s', name, vartype, boot_val,
	CASE vartype WHEN 'enum' THEN array_to_string(enumvals, ', ') WHEN 'bool' THEN 'off, on'
		ELSE min_val || ' .. ' || max_val END, context)
FROM pg_settings WHERE name LIKE 'dpriv.%'
UNION ALL
SELECT 'not documented here: ' || pg_describe_object(classid, objid, 0)
FROM member WHERE classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_namespace'::regclass, 'pg_class'::regclass)
SQL
utf8::encode($catalog) if utf8::is_utf8($catalog);

my %catalog = map { $_ => 1 } split /\n/, $catalog;
my @synopses = map { split /\n/ } $reference =~ /^```synopsis\n(.*?)^```$/msg;
my %documented;
$documented{$_}++ foreach @synopses;

cmp_ok(scalar keys %catalog, '>=', 40, 'the extension has objects');
is(join("\n", grep { $documented{$_} > 1 } sort keys %documented), '', 'no synopsis twice');
is(join("\n", grep { !$documented{$_} } sort keys %catalog), '', 'every object has its synopsis');
is(join("\n", grep { !$catalog{$_} } sort keys %documented), '', 'every synopsis has its object');


# ---- Examples ----

my @blocks = blocks($reference);
my $examples = join '', map { $_->{text} } grep { $_->{language} eq 'sql' } @blocks;
my @aggregates = split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT DISTINCT proname FROM pg_proc WHERE proname LIKE 'dp\_%' AND prokind = 'a' AND pronamespace = 'public'::regnamespace
SQL
cmp_ok(scalar @aggregates, '>=', 15, 'there are aggregates');
is(join("\n", grep { $examples !~ /\b$_\(/ } @aggregates), '', 'every aggregate has an example');
like(run_psql($node, "\\i data/adult.sql\nSELECT count(*) FROM adult;\n", '-A', '-t'), qr/^5000$/m, 'example data');
check_queries($node, 'docs/reference.md', @blocks);


# ---- Errors ----

# SQLSTATE by the name of its macro.
my %sqlstate;
my ($errcodes) = grep { -e } map { "$_/utils/errcodes.h" } split /\n/,
  qx{"$ENV{PG_CONFIG}" --includedir-server};
foreach my $line (split /\n/, slurp_file($errcodes))
{
	my ($macro, $letters) = $line =~ /^#define (ERRCODE_\w+) MAKE_SQLSTATE\((.*)\)/ or next;
	$sqlstate{$macro} = join '', $letters =~ /'(.)'/g;
}

# Errors of the source: {message as a pattern, SQLSTATE if it is fixed, file}.  Those of fault.c are in test builds only.
my $string = qr/"(?:[^"\\]|\\.)*"/;
my @raised;
my $calls = 0;
foreach my $file (grep { $_ ne 'src/ledger/fault.c' } glob 'src/*.c src/*/*.c')
{
	my $text = slurp_file($file);

	$calls += () = $text =~ /\berrmsg\(/g;
	while ($text =~ /errcode\((.*?)\),\s*errmsg\(((?:\s*$string)+)/sg)
	{
		my ($code, $strings) = ($1, $2);
		my $message = join '', map { substr($_, 1, -1) =~ s{\\(.)}{$1}gr } $strings =~ /$string/g;
		my $pattern = join '.+', map { quotemeta } split /%\w+/, $message, -1;

		die "$file: unknown $code\n" if $code =~ /^ERRCODE_/ && !$sqlstate{$code};
		push @raised, { message => $message, pattern => qr/^$pattern$/, sqlstate => $sqlstate{$code},
			file => $file };
	}
}
cmp_ok(scalar @raised, '>=', 50, 'the source has errors');
is(scalar @raised, $calls, 'each of them is understood');
cmp_ok(scalar(grep { !defined $_->{sqlstate} } @raised),
	'<=', 2, 'all but those of the sealed execution have one SQLSTATE');

# Errors of the page: | SQLSTATE | `message` | when |
my @listed;
while ($reference =~ /^\| ([^|]+) \| `([^`]+)` \|[^|]*\|$/mg)
{
	push @listed, { sqlstate => $1, message => $2 } unless $1 eq 'parameter';
}

# Of several patterns that fit a message, the one with most text of its own.
sub source_of
{
	my ($message) = @_;
	my @fit = sort { length($b->{message}) <=> length($a->{message}) } grep { $message =~ $_->{pattern} } @raised;
	return grep { $_->{message} eq $fit[0]{message} } @fit;
}

my %seen;
foreach my $listed (@listed)
{
	my @source = source_of($listed->{message});

	if (!@source)
	{
		fail("nothing raises: $listed->{message}");
		next;
	}
	$seen{ $_->{message} } = 1 foreach @source;
	foreach my $source (grep { defined $_->{sqlstate} } @source)
	{
		is($listed->{sqlstate}, $source->{sqlstate}, "$listed->{message} ($source->{file})");
	}
}
is(join("\n", map { "$_->{file}: $_->{message}" } grep { !$seen{ $_->{message} } } @raised),
	'', 'every error is listed');

$node->stop;
done_testing();
