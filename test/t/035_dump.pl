#
# 035_dump.pl
#	  A database with views, functions and tables over releases can be dumped, restored and upgraded.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('dump');
$node->init;
$node->append_conf('postgresql.conf', "dpriv.max_epsilon = 1000\njit = off\n");
$node->start;

# Counts at epsilon 1000 are exact but for a probability of 2 e^-1000.
$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source',   <<'SQL');
CREATE SCHEMA tools;
CREATE EXTENSION dpriv SCHEMA tools;
CREATE TYPE level AS ENUM ('low', 'high');
CREATE TABLE t AS SELECT i AS id, i % 90 AS age, CASE WHEN i % 2 = 0 THEN 'low' ELSE 'high' END::level AS level
FROM generate_series(1, 300) i;
CREATE VIEW every_measure AS SELECT level, tools.dp_count(*) AS a, tools.dp_count(age, 1000) AS b, tools.dp_count(DISTINCT age, 1000) AS c,
	tools.dp_count(t.*, 1000) AS d, tools.dp_sum_clipped(age, 0, 1, 1000) AS e, tools.dp_avg(age, 0, 90, 1000) AS f,
	tools.dp_histogram(age, '{0,45,90}', 1000) AS g, tools.dp_histogram(level, ARRAY['low', 'high'], 1000) AS h,
	tools.dp_histogram('x', ARRAY['x'], 1000) AS i, tools.dp_count(*) FILTER (WHERE age > 40) AS j,
	tools.dp_error(tools.dp_count(*), 0.9) AS k
FROM t WHERE age > 0 GROUP BY level HAVING tools.dp_count(*) > 5;
CREATE VIEW view_of_view AS SELECT sum(a) AS total FROM every_measure;
CREATE VIEW joined AS SELECT a.c AS one, b.c AS other FROM (SELECT tools.dp_count(t, 1000) AS c FROM t) a,
	(SELECT tools.dp_count(t, 1000) AS c FROM t WHERE age > 40) b;
CREATE MATERIALIZED VIEW stored AS SELECT tools.dp_count(t, 1000) AS c FROM t;
CREATE FUNCTION atomic() RETURNS int8 LANGUAGE sql BEGIN ATOMIC SELECT tools.dp_count(t, 1000) FROM t; END;
CREATE FUNCTION quoted() RETURNS int8 LANGUAGE sql AS 'SELECT tools.dp_count(t, 1000) FROM public.t';
CREATE TABLE bins (b tools.dp_bin, c tools.dp_category[]);
INSERT INTO bins SELECT (tools.dp_histogram(age, ARRAY[0, 90], 1000))[1], tools.dp_histogram(level, ARRAY['low'], 1000) FROM t;
CREATE RULE r AS ON DELETE TO bins DO ALSO SELECT tools.dp_count(t, 1000) FROM t;
SELECT dpriv.set_bounds('t', 'age', 0.5, 40), dpriv.set_domain('t', 'age', ARRAY['7', '8'], '-1'), dpriv.set_domain('t', 'level', ARRAY['high']);
ALTER TABLE t RENAME level TO grade;
CREATE TABLE known (day date, word text);
SELECT dpriv.set_public('known'), dpriv.set_domain('known', 'day', ARRAY['2024-02-29']),
	dpriv.set_domain('known', 'word', ARRAY['it''s', 'a "quote"', E'back\\slash\nline', '']);
INSERT INTO known VALUES ('2024-02-29', 'it''s'), ('2024-02-29', E'back\\slash\nline'), ('2000-01-01', '');
SQL
my $questions = <<'SQL';
SET dpriv.epsilon = 1000;
SELECT level, a, b, c, d, e, g, h, i, j, k FROM every_measure ORDER BY level;
SELECT * FROM view_of_view;
SELECT * FROM joined;
SELECT * FROM stored;
SELECT atomic(), quoted();
SELECT * FROM bins;
SELECT * FROM dpriv.declarations ORDER BY relation, attribute;
SELECT age, tools.dp_count(*) FROM t GROUP BY age;
SELECT grade, round(tools.dp_sum(age)), tools.dp_mode(age) FROM t GROUP BY grade HAVING grade IS NOT NULL;
SELECT word, day, tools.dp_count(*) FROM known GROUP BY word, day;
SQL
my $answers = $node->safe_psql('source', $questions);
like($answers, qr/^300\|/m, 'the source answers');
like($answers, qr/^7\|4\n8\|4\n-1\|292\n\|0\nhigh\|/m, '... by what is declared');

my $dir = PostgreSQL::Test::Utils::tempdir();

# The dump depends on no setting and no release: it is made and restored where epsilon is not set.
foreach my $format ('plain', 'custom')
{
	$node->command_ok(
		[ 'pg_dump', '-F', $format, '-d', $node->connstr('source'), '-f', "$dir/$format" ],
		"pg_dump, $format");
	$node->safe_psql('postgres', "CREATE DATABASE from_$format");
	my @restore =
	  $format eq 'plain'
	  ? ('psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-f', "$dir/$format")
	  : ('pg_restore', '--exit-on-error', "$dir/$format");
	$node->command_ok([ @restore, '-d', $node->connstr("from_$format") ], "restore, $format");
	is($node->safe_psql("from_$format", $questions),
		$answers, "$format: the copy answers like the original");
}

# A dump of the copy is the same dump; it has the extension, not its objects.
$node->command_ok([ 'pg_dump', '-d', $node->connstr('from_custom'), '-f', "$dir/again" ],
	'pg_dump of the copy');

# But for what was charged since: the ledger has a test of its own.
my @dumps = map { slurp_file("$dir/$_") =~ s/^\\(?:un)?restrict .*\n//mgr } 'plain', 'again';
my ($first, $second) = map { s/^COPY dpriv\.ledger .*?^\\\.\n//msr } @dumps;
like($dumps[0], qr/^COPY dpriv\.ledger /m, 'the ledger is part of the dump');
is($second, $first, 'a dump of the copy is the same');
like(
	$first,
	qr/CREATE EXTENSION IF NOT EXISTS dpriv WITH SCHEMA tools/,
	'the dump creates the extension');
unlike(
	$first,
	qr/CREATE (?:FUNCTION|AGGREGATE|SCHEMA) dpriv|CREATE AGGREGATE/,
	'and nothing of what belongs to it');

# The extension goes with all that depends on it, and only on request.
my ($out, $err);
$node->psql('from_plain', 'DROP EXTENSION dpriv', stderr => \$err);
like(
	$err,
	qr/cannot drop extension dpriv because other objects depend on it/,
	'DROP EXTENSION keeps what depends on it');
$node->safe_psql('from_plain', 'DROP EXTENSION dpriv CASCADE; CREATE EXTENSION dpriv');
is($node->safe_psql('from_plain', 'SELECT count(*) FROM pg_views WHERE schemaname = \'public\''),
	'0', 'CASCADE takes the views along');
is($node->safe_psql('from_plain', 'SELECT dp_count(t, 1000) FROM t'),
	'300', 'and it can be created again');

done_testing();
