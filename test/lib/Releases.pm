# Releases.pm
#	  Random statements of a role that must not see rows: most of them releases, in every shape that a client can send.
#
# Programs that make statements from the catalog alone seldom write one with private aggregates that is not refused for
# something else.  These are made of expressions that are allowed on rows, with now and then one that is not.  Constants are
# small: no answer may be near a number as large as 900 million.
#
package Releases;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(statement);

# What a level of an expression costs: deeper ones are plain columns and constants.
use constant DEPTH => 4;

# Columns of the relation that a statement reads.
my %columns;

sub one
{
	return $_[ rand @_ ];
}

# Numbers, texts and conditions about one row.
sub number
{
	my ($depth) = @_;

	return one(@{ $columns{number} }) if $depth >= DEPTH || rand() < 0.4;
	my ($n, $m) = map { number($depth + 1) } 1, 2;
	return one(
		int(rand 200) - 50, "($n + $m)", "($n - $m)", "($n * $m)", "($n / $m)", "(($n)::int % ($m)::int)", "abs($n)", "(- $n)",
		"coalesce($n, $m)", "nullif($n, $m)", "greatest($n, $m)", "($n)::" . one(qw(smallint integer bigint real float8)),
		"($n)::numeric(" . one('12, 2', '4, 0', '30, 10') . ')', "round(($n)::numeric, " . int(rand 6) . ')', "floor($n)",
		"width_bucket($n, 0, 100, 10)", 'length(' . text($depth + 1) . ')', 'strpos(' . text($depth + 1) . ", 'e')",
		'CASE WHEN ' . condition($depth + 1) . " THEN $n ELSE $m END",
		rand() < 0.1 ? one("sqrt($n)", "power($n, $m)", 'ascii(' . text($depth + 1) . ')', '(' . text($depth + 1) . ')::int',
			'random()', "factorial($n)", '(SELECT 1)', "nextval('counter')", "said($n)") : $n);
}

sub text
{
	my ($depth) = @_;

	return one(@{ $columns{text} }) if $depth >= DEPTH || rand() < 0.4;
	my ($s, $t) = map { text($depth + 1) } 1, 2;
	return one(
		"'Private'", "''", "lower($s)", "upper($s)", "left($s, 3)", "substring($s, 2, 4)", "btrim($s)", "split_part($s, '-', 2)",
		"coalesce($s, $t)", "nullif($s, $t)", "($s)::varchar(5)", one(@{ $columns{enum} }) . '::text',
		'CASE WHEN ' . condition($depth + 1) . " THEN $s ELSE $t END",
		rand() < 0.1 ? one("($s || $t)", "md5($s)", "repeat($s, 3)", "regexp_replace($s, 'e', 'f')", "to_char(1, $s)", "quote_ident($s)") : $s);
}

sub condition
{
	my ($depth) = @_;
	my $d = $depth + 1;
	my $compare = one(qw(= <> < <= > >=));

	return number($d) . " $compare " . number($d) if $depth >= DEPTH || rand() < 0.2;
	return one(
		sub { text($d) . " $compare " . text($d) },
		sub { text($d) . one(' LIKE ', ' NOT LIKE ', ' ILIKE ') . one(q('%e%'), q('_r%'), q('P%')) },
		sub { one(number($d), text($d)) . one(' IS NULL', ' IS NOT NULL') },
		sub { '(' . condition($d) . one(' AND ', ' OR ') . condition($d) . ')' },
		sub { 'NOT (' . condition($d) . ')' },
		sub { number($d) . ' IN (1, 17, ' . int(rand 100) . ')' },
		sub { number($d) . ' BETWEEN ' . int(rand 50) . ' AND ' . int(50 + rand 50) },
		sub { number($d) . ' IS DISTINCT FROM ' . number($d) },
		sub { my $enum = one(@{ $columns{enum} }); "$enum $compare " . ($enum eq 'sex' ? one(q('Male'), q('Female')) : q('<=50K')) },
		sub {
			rand() < 0.2
			  ? one(text($d) . " ~ 'e'", 'EXISTS (SELECT FROM adult)', 'heard(' . text($d) . ')', text($d) . ' ==== ' . text($d),
				'1 / (' . number($d) . ') > 0', 'ctid IS NOT NULL')
			  : 'true'
		})->();
}

# A private aggregate.
sub measure
{
	my ($lower, $upper) = @{ one([ 0, 100 ], [ 17, 90 ], [ -1000, 1000 ], [ 0, 1e5 ], [ 5, 5 ]) };
	my ($n, $t) = (number(1), text(1));
	my $epsilon = rand() < 0.3 ? ', ' . one(0.1, 0.5, 1, '$1::float8', 'age', 'NULL') : '';
	my $small = "least($n, 1000)";
	my $text = one(
		'dp_count(*)', "dp_count(" . one($n, $t, 'T', 'T.*') . "$epsilon)", 'dp_count(DISTINCT ' . one($n, $t) . ')',
		(map { "$_($n, $lower, $upper$epsilon)" } qw(dp_sum_clipped dp_avg dp_variance dp_stddev dp_median dp_median_smooth)),
		(map { "$_($small$epsilon)" } qw(dp_sum dp_avg dp_variance dp_stddev dp_bounds dp_iqr)),
		"dp_quantile($n, 0.9, $lower, $upper$epsilon)", "dp_quantiles($n, ARRAY[0.25, 0.75], $lower, $upper$epsilon)",
		"dp_histogram($n, ARRAY[0, 10, 50, 100]$epsilon)", "dp_histogram($t, ARRAY['Private', 'x']$epsilon)",
		"dp_mode($t, ARRAY['Private', 'x']$epsilon)", "dp_top_k($t, ARRAY['Private', 'x', 'y'], 2$epsilon)",
		"dp_clip_curve($small, ARRAY[1, 10, 100]$epsilon)", "dp_clip_bound($n, ARRAY[1, 10, 100]$epsilon)",
		"dp_sum_vector(ARRAY[$n, $n]::float8[], 2, 1, " . one(q('l1'), q('l2')) . "$epsilon)");

	$text =~ s/\$1::float8/0.5/ if rand() < 0.7;
	$text .= ' FILTER (WHERE ' . condition(2) . ')' if rand() < 0.15;
	$text = "dp_error($text)" if rand() < 0.05;
	return $text;
}

# A query of one level with releases; keys are given names.
sub release
{
	my ($relation) = @_;
	my @keys;

	@keys = map { one(@{ $columns{enum} }, condition(2), text(2), number(3)) } 1 .. 1 + rand 2 if rand() < 0.35;
	my @list = ((map { "$keys[$_] AS k$_" } 0 .. $#keys), map { measure() . " AS m$_" } 1 .. 1 + rand 2);
	my $sql = 'SELECT ' . join(', ', @list) . " FROM $relation AS T";
	$sql .= ' WHERE ' . condition(1) if rand() < 0.7;
	$sql .= ' GROUP BY ' . join(', ', 1 .. @keys) if @keys;
	$sql .= ' HAVING ' . measure() . ' IS NOT NULL' if rand() < 0.1;
	$sql .= ' ORDER BY ' . one(1, 'm1') if rand() < 0.2;
	$sql .= ' LIMIT ' . int(rand 3) if rand() < 0.1;
	return $sql;
}

# One statement, or a few that belong together.  Relations: name => {number, text, enum => [columns]}.
sub statement
{
	my ($relations) = @_;
	my $relation = one(sort keys %$relations);

	%columns = %{ $relations->{$relation} };
	my $query = release($relation);
	my $row = one(@{ $columns{number} }, @{ $columns{text} }, number(1), text(1), 'T', 'T.*', 'count(*)', 'max(' . text(1) . ')', 'row_number() OVER (ORDER BY ' . number(2) . ')');
	my $rows = "SELECT $row FROM $relation AS T" . (rand() < 0.7 ? ' WHERE ' . condition(1) : '');

	return $query if rand() < 0.5;
	return one(
		"SELECT s.*, pg_typeof(s) FROM ($query) AS s", "WITH w AS MATERIALIZED ($query) SELECT * FROM w, w AS again",
		"SELECT s.*, p.n FROM plain AS p, LATERAL ($query) AS s", "SELECT coalesce((SELECT s FROM ($query) AS s LIMIT 1)::text, 'none')", "EXPLAIN $query",
		"EXPLAIN (ANALYZE, VERBOSE) $query", "COPY ($query) TO STDOUT",
		"BEGIN; DECLARE c SCROLL CURSOR WITH HOLD FOR $query; FETCH 2 FROM c; MOVE BACKWARD ALL IN c; COMMIT; FETCH ALL FROM c; CLOSE ALL",
		"PREPARE p AS $query; EXECUTE p; SET LOCAL plan_cache_mode = force_generic_plan; EXECUTE p; DEALLOCATE p",
		"CREATE TEMP TABLE copied AS $query; TABLE copied; DROP TABLE copied",
		"DO \$do\$ DECLARE r record; BEGIN FOR r IN $query LOOP RAISE NOTICE 'row %', r; END LOOP; END \$do\$",
		"BEGIN; SAVEPOINT s; $query; ROLLBACK TO s; $rows; ROLLBACK", "SELECT query_to_xml(\$q\$$query\$q\$, true, false, '')",
		"($query) UNION ALL ($query)", "INSERT INTO plain (t) SELECT s::text FROM ($query) AS s", $rows, $rows, "EXPLAIN $rows",
		"COPY ($rows) TO STDOUT", "SELECT dp_count(*) FROM ($rows) AS s", "SELECT (SELECT s FROM ($query) AS s LIMIT 1) FROM ($rows) AS r",
		"CREATE TEMP TABLE copied AS $rows; TABLE copied; DROP TABLE copied", "SELECT query_to_xml(\$q\$$rows\$q\$, true, false, '')",
		"DO \$do\$ DECLARE r record; BEGIN FOR r IN $rows LOOP RAISE NOTICE 'row %', r; END LOOP; END \$do\$",
		"UPDATE $relation AS T SET name = name WHERE " . condition(1), "DELETE FROM $relation AS T WHERE " . condition(1));
}

1;
