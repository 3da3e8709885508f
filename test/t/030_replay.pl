#
# 030_replay.pl
#	  A release is drawn once and charged once per execution, wherever the planner puts it.
#
# Every query below joins a release with other rows and returns its value several times.  With epsilon 1e-6 two
# draws are equal with a probability of about 2.5e-7, so that a second draw, also if only one position under one of
# the settings had it, would be seen but for that probability.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('replay');
$node->init;
# Nodes that are off cost so much that every statement would be compiled.
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dpriv;
CREATE TABLE t AS SELECT i AS id, i % 3 = 0 AS flag FROM generate_series(1, 1000) i;
CREATE TABLE p AS SELECT i AS k, 1 AS one, i % 2 AS half FROM generate_series(1, 8) i;
CREATE INDEX ON p (k);
ANALYZE;
-- Whether all copies are one value, how many there were, and what they cost in draws of 1e-6.
CREATE FUNCTION look(query text, OUT answers int, OUT copies int, OUT charges numeric) LANGUAGE plpgsql AS $$
DECLARE
	before numeric := dpriv.session_spent();
BEGIN
	EXECUTE 'SELECT count(DISTINCT v), count(v) FROM (' || query || ') q(v)' INTO answers, copies;
	charges := round((dpriv.session_spent()::numeric - before) * 1000000);
END
$$;
-- The same plan, executed twice.
CREATE FUNCTION look_again(query text, OUT answers int, OUT copies int, OUT charges numeric) LANGUAGE plpgsql AS $$
DECLARE
	before numeric := dpriv.session_spent();
BEGIN
	EXECUTE 'PREPARE again AS SELECT count(DISTINCT v), count(v) FROM (' || query || ') q(v)';
	EXECUTE 'EXECUTE again';
	EXECUTE 'EXECUTE again' INTO answers, copies;
	DEALLOCATE again;
	charges := round((dpriv.session_spent()::numeric - before) * 1000000);
END
$$;
SQL

# Position, query, number of different values, copies, charges.
my $r       = '(SELECT dp_count(t, 1e-6) AS c FROM t)';
my $g       = '(SELECT flag, dp_count(t, 1e-6) AS c FROM t GROUP BY flag)';
my @queries = (
	[ 'left of a join',      "SELECT r.c FROM $r r JOIN p ON p.k > 0",                1, 8,  1 ],
	[ 'right of a join',     "SELECT r.c FROM p CROSS JOIN $r r",                     1, 8,  1 ],
	[ 'between two tables',  "SELECT r.c FROM p a, $r r, p b WHERE a.k <= b.k",       1, 36, 1 ],
	[ 'left of a left join', "SELECT r.c FROM $r r LEFT JOIN p ON p.k + 0 * r.c > 0", 1, 8,  1 ],
	[
		'nullable side of a left join',
		"SELECT r.c FROM p LEFT JOIN $r r ON p.k > 4 AND r.c - r.c < p.k",
		1, 4, 1
	],
	[
		'full join',
		"SELECT r.c FROM p FULL JOIN (SELECT c, 1 AS one FROM $r r) r ON p.one = r.one",
		1, 8, 1
	],
	[
		'equality that can be hashed or merged',
		"SELECT r.c FROM p JOIN $r r ON r.c - r.c + 1 = p.one",
		1, 8, 1
	],
	[
		'equality the other way round',
		"SELECT r.c FROM $r r JOIN p ON p.k - p.k = r.c - r.c",
		1, 8, 1
	],
	[ 'lateral', "SELECT s.c FROM p, LATERAL (SELECT r.c + 0 * p.k AS c FROM $r r) s", 1, 8, 1 ],
	[
		'lateral with a fence',
		"SELECT s.c FROM p, LATERAL (SELECT r.c + 0 * p.k AS c FROM $r r OFFSET 0) s",
		1, 8, 1
	],
	[
		'lateral with repeated keys',
		"SELECT s.c FROM p, LATERAL (SELECT r.c FROM $r r WHERE r.c - r.c < 2 + p.half OFFSET 0) s",
		1,
		8,
		1
	],
	[
		'lateral with a limit',
		"SELECT s.c FROM p, LATERAL (SELECT c FROM $g g WHERE flag OR p.k < 0 LIMIT 1) s",
		1, 8, 1
	],
	[ 'correlated subquery in SELECT', "SELECT (SELECT r.c + 0 * p.k FROM $r r) FROM p", 1, 8, 1 ],
	[ 'plain subquery in SELECT',      "SELECT (SELECT r.c FROM $r r) FROM p",           1, 8, 1 ],
	[
		'correlated subquery two deep',
		"SELECT (SELECT (SELECT r.c + 0 * p.k + 0 * x.n FROM $r r) FROM (VALUES (1)) x(n)) FROM p",
		1,
		8,
		1
	],
	[
		'semi join', "SELECT p.one FROM p WHERE EXISTS (SELECT FROM $r r WHERE r.c - r.c < p.k)",
		1, 8, 1
	],
	[ 'IN', "SELECT p.one FROM p WHERE p.one IN (SELECT r.c - r.c + 1 FROM $r r)", 1, 8, 1 ],
	[
		'anti join',
		"SELECT p.one FROM p WHERE NOT EXISTS (SELECT FROM $r r WHERE r.c - r.c > p.k)",
		1, 8, 1
	],
	[
		'semi join of a release with a table',
		"SELECT r.c FROM $r r WHERE EXISTS (SELECT FROM p WHERE p.k > r.c - r.c)",
		1, 1, 1
	],
	[
		'recursive term',
		"WITH RECURSIVE w AS (SELECT 1 AS n, NULL::int8 AS c UNION ALL SELECT n + 1, r.c FROM w, $r r WHERE n < 6) SELECT c FROM w",
		1,
		5,
		1
	],
	[
		'recursive term, outer join',
		"WITH RECURSIVE w AS (SELECT 1 AS n, NULL::int8 AS c UNION ALL SELECT n + 1, r.c FROM w LEFT JOIN $r r ON r.c - r.c = n - n WHERE n < 6) SELECT c FROM w",
		1,
		5,
		1
	],
	[
		'non-recursive term',
		"WITH RECURSIVE w AS (SELECT 1 AS n, c FROM $r r UNION ALL SELECT n + 1, c FROM w WHERE n < 6) SELECT c FROM w",
		1,
		6,
		1
	],
	[
		'materialised CTE, twice',
		"WITH r AS MATERIALIZED $r SELECT x.c FROM r, p, LATERAL (VALUES (r.c), ((SELECT c FROM r))) x(c)",
		1,
		16,
		1
	],
	[ 'groups', "SELECT (g.flag, g.c)::text FROM p, $g g", 3, 24, 1 ],
	[
		'groups, filtered per row',
		"SELECT (g.flag, g.c)::text FROM p LEFT JOIN $g g ON g.flag = (p.half = 1)",
		2, 8, 1
	],
	[
		'groups below a sort',
		"SELECT (s.flag, s.c)::text FROM p, LATERAL (SELECT g.flag, g.c FROM $g g ORDER BY g.c + p.k) s",
		3,
		24,
		1
	],
	[
		'groups joined with themselves',
		"WITH g AS MATERIALIZED $g SELECT (a.flag, a.c)::text FROM g a JOIN g b USING (c)",
		3, 3, 1
	],
	[ 'array of groups', "SELECT ARRAY(SELECT g.c FROM $g g WHERE p.k > 0)::text FROM p", 1, 8, 1 ],
	[ 'two releases',    "SELECT (a.c, b.c)::text FROM p, $r a, $r b",                    1, 8, 2 ],
	[
		'two releases, one in the other',
		"SELECT (a.c, b.c)::text FROM p LEFT JOIN $r a ON a.c - a.c < p.k LEFT JOIN $r b ON b.c - b.c = a.c - a.c",
		1,
		8,
		2
	],
	[
		'HAVING with another release',
		"SELECT s.c FROM p, (SELECT dp_count(t, 1e-6) AS c FROM t HAVING dp_count(t, 1e-6) - dp_count(t, 1e-6) <= (SELECT r.c - r.c FROM $r r)) s",
		1,
		8,
		2
	],
	[
		'UNION ALL below a join',
		"SELECT u.c FROM p, (SELECT c, 1 AS n FROM $r a UNION ALL SELECT 7, 2) u WHERE u.n = 1",
		1, 8, 1
	],
	[ 'view',             "SELECT v.c FROM p, v",                                   1, 8, 1 ],
	[ 'inlined function', "SELECT f.c FROM p, f() f",                               1, 8, 1 ],
	[ 'set above', "SELECT s.c FROM (SELECT generate_series(1, 8), c FROM $r r) s", 1, 8, 1 ],
	[
		'parameter of a function scan',
		"SELECT f FROM $r r, p, LATERAL unnest(ARRAY[r.c]) f",
		1, 8, 1
	]);
$node->safe_psql('postgres', "CREATE VIEW v AS SELECT dp_count(t, 1e-6) AS c FROM t");
$node->safe_psql('postgres',
	"CREATE FUNCTION f() RETURNS TABLE (c int8) LANGUAGE sql STABLE AS 'SELECT dp_count(t, 1e-6) FROM public.t'"
);

my $expected       = join "\n", map { "$_->[0]: $_->[2] of $_->[3] for $_->[4]" } @queries;
my $expected_again = join "\n", map { "$_->[0]: $_->[2] of $_->[3] for " . 2 * $_->[4] } @queries;
my @settings       = map { "enable_$_" } qw(material memoize hashjoin mergejoin nestloop);

# All queries under these settings, in one session.
sub look
{
	my ($function, @set) = @_;
	my $sql = join '', map { "SET $_;\n" } @set;
	foreach my $query (@queries)
	{
		my $text = $query->[1] =~ s/'/''/gr;
		$sql .=
		  "SELECT '$query->[0]: ' || answers || ' of ' || copies || ' for ' || charges FROM $function('$text');\n";
	}
	return $node->safe_psql('postgres', $sql);
}

foreach my $combination (0 .. 2**@settings - 1)
{
	my @off = map { $settings[$_] } grep { $combination & 1 << $_ } 0 .. $#settings;
	is(look('look', map { "$_ = off" } @off), $expected, 'off: ' . (join(', ', @off) || 'nothing'));
}

# Plans that are kept, and plans that a user might force.
is(look('look_again', 'plan_cache_mode = force_generic_plan'),
	$expected_again, 'generic plans, executed twice');
is( look(
		'look_again',
		'plan_cache_mode = force_generic_plan',
		map { "$_ = off" } @settings[ 0, 1, 2, 3 ]),
	$expected_again,
	'generic plans, nested loops without help');
is( look(
		'look',
		'enable_seqscan = off',
		'enable_sort = off',
		'enable_hashagg = off',
		'work_mem = 64'),
	$expected,
	'other methods off');
my $force = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
is( look(
		'look',
		"$force = on",
		'parallel_setup_cost = 0',
		'parallel_tuple_cost = 0',
		'min_parallel_table_scan_size = 0',
		'max_parallel_workers_per_gather = 2'),
	$expected,
	'parallel plans around and below');
is(look('look', 'jit = on', 'jit_above_cost = 0'), $expected, 'JIT');

# Another execution is another draw: ten pairs are all equal with a probability below 1e-60.
my @draws     = split /\n/, $node->safe_psql('postgres', 'SELECT dp_count(t, 1e-6) FROM t;' x 20);
my %different = map { $_ => 1 } @draws;
cmp_ok(scalar keys %different, '>', 1, 'each execution draws anew');

done_testing();
