# Exact aggregates give the same integers whatever the order of rows, the plan, the partitions or the JIT, and
# they are the integers that arbitrary-precision arithmetic gives.

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('exact');
$node->init;
$node->append_conf(
	'postgresql.conf', q{
max_parallel_workers = 4
max_worker_processes = 8
fsync = off
});
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dpriv');

# Values that break sums in floating point: many within [-1, 1], some 1e16 times as large with either sign,
# neighbours of grid points, and everything that is not a number to add up.  Integer columns reach both ends.
$node->safe_psql(
	'postgres', q{
CREATE TABLE rows_in_order AS
SELECT i AS id, i % 7 AS g,
	CASE
		WHEN i % 101 = 0 THEN NULL
		WHEN i % 103 = 0 THEN 'NaN'::float8
		WHEN i % 107 = 0 THEN 'Infinity'::float8
		WHEN i % 109 = 0 THEN '-Infinity'::float8
		WHEN i % 113 = 0 THEN '-0'::float8
		WHEN i % 127 = 0 THEN 5e-324::float8
		WHEN i % 131 = 0 THEN -2.2250738585072009e-308::float8
		WHEN i % 137 = 0 THEN 1.7976931348623157e308::float8
		WHEN i % 139 = 0 THEN -1.7976931348623157e308::float8
		WHEN i % 11 = 0 THEN 1e16::float8 * (CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END)
		WHEN i % 13 = 0 THEN 1e16::float8 + i
		WHEN i % 17 = 0 THEN (i % 64)::float8 / 64
		WHEN i % 19 = 0 THEN ((i % 64)::float8 / 64) * (1 - 1.2e-16::float8)
		WHEN i % 23 = 0 THEN ((i % 64)::float8 / 64) * (1 + 2.3e-16::float8)
		ELSE sin(i)
	END AS x,
	CASE WHEN i % 97 = 0 THEN NULL WHEN i % 89 = 0 THEN 2147483647 WHEN i % 83 = 0 THEN -2147483648
		ELSE i * 7919 % 1999 - 999 END::int4 AS i,
	CASE WHEN i % 97 = 0 THEN NULL WHEN i % 3 = 0 THEN 9223372036854775807 WHEN i % 7 = 0 THEN -9223372036854775808
		ELSE i * 1234567890123 END::int8 AS b,
	CASE WHEN i % 97 = 0 THEN NULL WHEN i % 5 = 0 THEN 'category ' || i % 12 ELSE chr(97 + i % 26) END AS c,
	CASE WHEN i % 97 = 0 THEN NULL WHEN i % 83 = 0 THEN ARRAY[sin(i)] WHEN i % 79 = 0 THEN ARRAY[[sin(i), cos(i), 1]]
		WHEN i % 73 = 0 THEN ARRAY[1, NULL, sin(i)] WHEN i % 71 = 0 THEN ARRAY['NaN', 1, 1]::float8[]
		WHEN i % 67 = 0 THEN ARRAY[1, 'Infinity', 1]::float8[] WHEN i % 61 = 0 THEN ARRAY[5e-324, 1e308, -1e308]
		WHEN i % 11 = 0 THEN ARRAY[1e16 + i, -1e16, i] ELSE ARRAY[sin(i) / 2, cos(i) / 2, sin(i * i) / 3] END AS v
FROM generate_series(1, 10000) i;

CREATE TABLE rows_reversed AS SELECT * FROM rows_in_order ORDER BY id DESC;
CREATE TABLE rows_shuffled AS SELECT * FROM rows_in_order ORDER BY md5(id::text);
CREATE TABLE rows_by_value AS SELECT * FROM rows_in_order ORDER BY abs(x), id;

-- by the group key, so that whole aggregates are computed in each partition, and across it
CREATE TABLE rows_by_key (LIKE rows_in_order) PARTITION BY LIST (g);
CREATE TABLE by_key_1 PARTITION OF rows_by_key FOR VALUES IN (0, 1, 2);
CREATE TABLE by_key_2 PARTITION OF rows_by_key FOR VALUES IN (3, 4, 5);
CREATE TABLE by_key_3 PARTITION OF rows_by_key DEFAULT;
INSERT INTO rows_by_key SELECT * FROM rows_in_order;
CREATE TABLE rows_across_key (LIKE rows_in_order) PARTITION BY HASH (id);
CREATE TABLE across_1 PARTITION OF rows_across_key FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE across_2 PARTITION OF rows_across_key FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE across_3 PARTITION OF rows_across_key FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO rows_across_key SELECT * FROM rows_in_order;
ANALYZE;

-- The oracle: arbitrary-precision arithmetic, no double after the cast.  A double's numeric must be all of its
-- digits, which float8::numeric does not give: it is put together from the double's own bits.
CREATE TABLE powers_of_two (e int PRIMARY KEY, p numeric);
DO $$
DECLARE
	up numeric := 1;
	down numeric := 1;
BEGIN
	-- products of exact numerics are exact: 0.5^e has e decimal digits
	FOR i IN 0 .. 1100 LOOP
		INSERT INTO powers_of_two VALUES (i, up);
		IF i > 0 THEN
			INSERT INTO powers_of_two VALUES (-i, down);
		END IF;
		up := up * 2;
		down := down * 0.5;
	END LOOP;
END $$;
CREATE FUNCTION power_of_two(int) RETURNS numeric LANGUAGE sql STABLE AS 'SELECT p FROM powers_of_two WHERE e = $1';
CREATE FUNCTION exact_numeric(x float8) RETURNS numeric LANGUAGE sql STABLE AS $$
	SELECT CASE
		WHEN x = 0 OR x = 'NaN' THEN 0
		WHEN x = 'Infinity' THEN 'Infinity'
		WHEN x = '-Infinity' THEN '-Infinity'
		ELSE (CASE WHEN bits < 0 THEN -1 ELSE 1 END)
			* ((bits & 4503599627370495) + CASE WHEN exponent = 0 THEN 0 ELSE 4503599627370496 END)::numeric
			* power_of_two(greatest(exponent, 1) - 1075)
		END
	FROM (SELECT bits, ((bits >> 52) & 2047)::int AS exponent
		FROM (SELECT ('x' || encode(float8send(x), 'hex'))::bit(64)::int8 AS bits) a) b
$$;
CREATE TABLE oracle_rows AS SELECT g, exact_numeric(x) AS x, i::numeric, b::numeric FROM rows_in_order;

-- Vectors of three finite numbers whose truncated norm is within a radius are exact sums; the oracle leaves the others to
-- the aggregate, one by one, and only adds them up.
CREATE TABLE oracle_vectors AS
SELECT id, g, v, array_ndims(v) = 1 AND array_length(v, 1) = 3 AND array_position(v, NULL) IS NULL
	AND NOT v && ARRAY['NaN', 'Infinity', '-Infinity']::float8[] AS finite,
	ARRAY(SELECT exact_numeric(u) FROM unnest(v) WITH ORDINALITY w(u, at) WHERE u IS NOT NULL ORDER BY at) AS exact
FROM rows_in_order;
CREATE FUNCTION halves(low int8, high int8) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT high::numeric * 18446744073709551616 + low::numeric + CASE WHEN low < 0 THEN 18446744073709551616 ELSE 0 END
$$;
CREATE FUNCTION exact_vector(result int8[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT concat_ws(' ', halves(result[1], result[2]), halves(result[3], result[4]), halves(result[5], result[6]))
$$;
CREATE FUNCTION exact_value(result int8[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (result[2]::numeric * 18446744073709551616 + result[1]::numeric
		+ CASE WHEN result[1] < 0 THEN 18446744073709551616 ELSE 0 END) || ' of ' || result[3]
$$;
CREATE FUNCTION exact_moments(result int8[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT (result[2]::numeric * 18446744073709551616 + result[1]::numeric
		+ CASE WHEN result[1] < 0 THEN 18446744073709551616 ELSE 0 END) || ' and '
		|| (result[5]::numeric * 18446744073709551616 + result[4]::numeric
		+ CASE WHEN result[4] < 0 THEN 18446744073709551616 ELSE 0 END) || ' of ' || result[3]
$$;
CREATE FUNCTION exact_curve(result int8[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT result[1] || string_agg(' ' || result[i] || ':' || result[i + 2]::numeric * 18446744073709551616 + result[i + 1]::numeric
		+ CASE WHEN result[i + 1] < 0 THEN 18446744073709551616 ELSE 0 END, '' ORDER BY i)
	FROM generate_series(2, cardinality(result), 3) i
$$;
CREATE TABLE buckets AS
	SELECT first, bucket, power_of_two(bucket - 1 + first) AS above, power_of_two(bucket + first) AS upto,
		power_of_two(last + first) AS largest, power_of_two(31 - bucket - first) AS digits
	FROM (VALUES (-64, 191), (-1, 64)) v(first, last), generate_series(1, last) bucket;
CREATE FUNCTION exact_buckets(result int8[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT string_agg(format('%s: %s, %s, %s', result[6 * k + 1], result[6 * k + 2],
		result[6 * k + 4]::numeric * 18446744073709551616 + result[6 * k + 3]::numeric
		+ CASE WHEN result[6 * k + 3] < 0 THEN 18446744073709551616 ELSE 0 END,
		result[6 * k + 6]::numeric * 18446744073709551616 + result[6 * k + 5]::numeric
		+ CASE WHEN result[6 * k + 5] < 0 THEN 18446744073709551616 ELSE 0 END), '; ' ORDER BY k)
	FROM generate_series(0, cardinality(result) / 6 - 1) k
$$;
});

# The oracle itself, on numbers whose digits are known.
is( $node->safe_psql(
		'postgres',
		q{SELECT trim_scale(exact_numeric(0.1)) = 0.1000000000000000055511151231257827021181583404541015625,
		exact_numeric(-3) = -3, trim_scale(exact_numeric(1e22)) = 10000000000000000000000,
		exact_numeric(5e-324) > 0, exact_numeric(5e-324) < 1e-323}),
	't|t|t|t|t',
	'the oracle reads doubles exactly');

# exponent, lower, upper
my @grids = (
	[ -40, -1099511627776, 1099511627776 ],
	[ -6, -64, 64 ],
	[ 0, 17, 90 ],
	[ 3, -2000, 1000000000000000 ],
	[ -1000, '-9223372036854775808', '9223372036854775807' ],
	[ 900, -5, 5 ],
	[ -20, '-9223372036854775808', '9223372036854775807' ]);

# the same for moments, of a column
my @moments = (
	[ 'x', -20, -1048576, 1048576 ],
	[ 'x', -31, -1073741824, 1073741824 ],
	[ 'x', 30, '-9223372036854775808', '-9223372034707292160' ],
	[ 'i', 0, -100, 700 ],
	[ 'i', 1, -1073741824, 1073741824 ],
	[ 'b', 0, '9223372034707292159', '9223372036854775807' ]);

# and for sums of vectors: exponent, norm, radius
my @balls = ([ -40, 2, 1099511627776 ], [ -40, 1, 1099511627776 ], [ -3, 1, 11 ], [ 0, 2, 100 ], [ -59, 2, '2305843009213693952' ]);

# column, exponent, bounds of clip curves
my @curves = (
	[ 'x', -20, 1, 1048576, 3145728, '9007199254740992', '9223372036854775807' ],
	[ 'x', 3, 0, 5, 1000 ],
	[ 'i', 0, 1, 2, 3, 90, 700 ],
	[ 'b', 0, 17, '4611686018427387903' ]);

my $measures = join(
	', ',
	(map { "exact_value(dpriv.exact_sum(x, '{$_->[0],$_->[1],$_->[2]}'))" } @grids),
	"exact_value(dpriv.exact_sum(i, '{0,-100,700}'))",
	"exact_value(dpriv.exact_sum(i, '{0,-9223372036854775808,9223372036854775807}'))",
	"exact_value(dpriv.exact_sum(b, '{0,-9223372036854775808,9223372036854775807}'))",
	(map { "exact_moments(dpriv.exact_moments($_->[0], '{$_->[1],$_->[2],$_->[3]}'))" } @moments),
	(map { "exact_vector(dpriv.exact_sum_vector(v, '{$_->[0],$_->[1],$_->[2],3}'))" } @balls),
	"dpriv.exact_histogram(x, '{-Infinity,-1e16,-1,-0.5,0,0.5,1,1e16,Infinity}')",
	"dpriv.exact_histogram(i, '{-1000,-500,0,500,1000}')",
	"dpriv.exact_categories(c, '{category 0,category 5,category 7,a,b,z,none}')",
	(map { "exact_buckets(dpriv.exact_buckets($_))" } qw(x i b)),
	"dpriv.exact_leaves(x, '{-2,1,4}')",
	"dpriv.exact_leaves(i, '{-1000,1,2001}')",
	"dpriv.exact_leaves(b, '{-1000,0.5,1001}')",
	(map { my ($column, @bounds) = @$_; "exact_curve(dpriv.exact_clip_curve($column, '{" . join(',', @bounds) . "}'))" } @curves));

# What the measures must be, computed without any of them.
sub sum_of
{
	my ($column, $exponent, $lower, $upper) = @_;
	return "(SELECT coalesce(sum(least(greatest(trunc($column * p), $lower), $upper)), 0)::numeric(60,0)"
	  . " || ' of ' || count($column) FROM oracle_rows r, powers_of_two"
	  . " WHERE r.g = k.g AND $column IS NOT NULL AND e = -($exponent))";
}
sub moments_of
{
	my ($column, $exponent, $lower, $upper) = @_;
	return "(SELECT coalesce(sum(u), 0)::numeric(60,0) || ' and ' || coalesce(sum(u * u), 0)::numeric(60,0) || ' of ' || count(u)"
	  . " FROM (SELECT least(greatest(trunc($column * p), $lower), $upper)::numeric - ($lower)::numeric AS u"
	  . " FROM oracle_rows r, powers_of_two"
	  . " WHERE r.g = k.g AND $column IS NOT NULL AND e = -($exponent)) d)";
}
sub vectors_of
{
	my ($exponent, $norm, $radius) = @_;
	my $size = join ' + ', map { $norm == 1 ? "abs($_)" : "$_ * $_" } qw(a b c);
	my $limit = $norm == 1 ? $radius : "$radius\::numeric * $radius";
	my $alone = "(SELECT dpriv.exact_sum_vector(o.v, '{$exponent,$norm,$radius,3}') FROM (SELECT s.v) o)";
	my @sums = map { my ($at, $name) = @$_;
		"sum(CASE WHEN NOT coalesce(finite, false) THEN 0 WHEN $size <= $limit THEN $name"
		  . " ELSE halves(alone[2 * $at - 1], alone[2 * $at]) END)::numeric(60,0)" } [ 1, 'a' ], [ 2, 'b' ], [ 3, 'c' ];
	return "(SELECT concat_ws(' ', " . join(', ', @sums) . ") FROM (SELECT finite, trunc(exact[1] * p) AS a,"
	  . " trunc(exact[2] * p) AS b, trunc(exact[3] * p) AS c, $alone AS alone FROM oracle_vectors s, powers_of_two"
	  . " WHERE s.g = k.g AND e = -($exponent)) d)";
}
my $in = 'SELECT count(*) FROM rows_in_order r WHERE r.g = k.g AND';
my $bins_x = join ', ', map { "($in $_)" } (
	"x < -1e16", "x >= -1e16 AND x < -1", "x >= -1 AND x < -0.5", "x >= -0.5 AND x < 0",
	"x >= 0 AND x < 0.5", "x >= 0.5 AND x < 1", "x >= 1 AND x < 1e16", "x >= 1e16 AND x <> 'NaN'");
my $bins_i = join ', ', map { "($in $_)" } (
	"i >= -1000 AND i < -500", "i >= -500 AND i < 0", "i >= 0 AND i < 500", "i >= 500 AND i <= 1000");
my $categories = join ', ', map { "($in c = '$_')" } ('category 0', 'category 5', 'category 7', 'a', 'b', 'z', 'none');
sub leaves_of
{
	my ($column, $leaf) = @_;
	return "(SELECT array_agg(v ORDER BY leaf, o) FROM (SELECT $leaf AS leaf, count(*) AS n FROM rows_in_order r"
	  . " WHERE r.g = k.g AND $column IS NOT NULL GROUP BY 1) c, LATERAL (VALUES (1, leaf), (2, n)) AS p(o, v))";
}
sub curve_of
{
	my ($column, $exponent, @bounds) = @_;
	my $low  = 0;
	my $text = "count(*) FILTER (WHERE v >= $bounds[-1])";
	foreach my $bound (@bounds)
	{
		my $inside = "FILTER (WHERE v > 0 AND v >= $low AND v < $bound)";
		$text .= " || ' ' || count(*) $inside || ':' || coalesce(sum(v - $low) $inside, 0)::numeric(60,0)";
		$low = $bound;
	}
	return "(SELECT $text FROM (SELECT trunc($column * p) AS v FROM oracle_rows r, powers_of_two"
	  . " WHERE r.g = k.g AND $column IS NOT NULL AND e = -($exponent)) d)";
}
# Buckets by comparing with powers of two.
sub buckets_of
{
	my ($column, $first, $last) = @_;
	return "(SELECT string_agg(format('%s: %s, %s, %s', bucket, n, s::numeric(60,0), q::numeric(60,0)), '; ' ORDER BY bucket)"
	  . ' FROM (SELECT bucket, count(*) AS n, sum(u) AS s, sum(u * u) AS q'
	  . ' FROM (SELECT (sign(v) * coalesce(w.bucket, 0))::int AS bucket, coalesce(trunc(least(abs(v), largest) * digits), 0) AS u'
	  . " FROM (SELECT CASE WHEN $column = 'NaN' THEN 0 ELSE $column END AS v FROM oracle_rows r WHERE r.g = k.g AND $column IS NOT NULL) d"
	  . " LEFT JOIN buckets w ON first = $first AND abs(v) > above AND (abs(v) <= upto OR bucket = $last)) e GROUP BY bucket) f)";
}
my $expected_measures = join(
	', ',
	(map { sum_of('x', @$_) } @grids),
	sum_of('i', 0, -100, 700),
	sum_of('i', 0, '(-9223372036854775808)', '9223372036854775807'),
	sum_of('b', 0, '(-9223372036854775808)', '9223372036854775807'),
	(map { moments_of(@$_) } @moments),
	(map { vectors_of(@$_) } @balls),
	"ARRAY[$bins_x]", "ARRAY[$bins_i]", "ARRAY[$categories]",
	buckets_of('x', -64, 191), buckets_of('i', -1, 64), buckets_of('b', -1, 64),
	leaves_of('x', "CASE WHEN x = 'NaN' THEN 2 WHEN x < -2 THEN 0 WHEN x >= 2 THEN 3 ELSE floor(x + 2) END::int8"),
	leaves_of('i', 'greatest(least(i::int8, 1000), -1000) + 1000'),
	leaves_of('b', '(greatest(least(b, 1000), -1000) + 1000) / 2'),
	(map { curve_of(@$_) } @curves));

my $expected = $node->safe_psql('postgres',
	"SELECT g, $expected_measures FROM (SELECT DISTINCT g FROM rows_in_order) k ORDER BY g");
is(scalar(split /\n/, $expected), 7, 'the oracle answers for every group');

my @tables = qw(rows_in_order rows_reversed rows_shuffled rows_by_value rows_by_key rows_across_key);
my $serial = 'SET max_parallel_workers_per_gather = 0; SET jit = off;';
my $parallel = 'SET jit = off; SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;';
my $partitionwise = 'SET enable_partitionwise_aggregate = on;';
my $jit = 'SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0; SET jit_optimize_above_cost = 0;';

my %settings = (
	'serial' => $serial,
	'sorted groups' => "$serial SET enable_hashagg = off;",
	'parallel' => $parallel,
	'parallel, sorted groups' => "$parallel SET enable_hashagg = off;",
	'partitionwise' => "$serial $partitionwise",
	'parallel, partitionwise' => "$parallel $partitionwise",
	'JIT' => "$serial $jit",
	'parallel, JIT' => "$parallel $jit");

# Compiling takes longer than everything else: two tables are enough for it.
sub tables_for
{
	my ($setting) = @_;
	return $setting =~ /JIT/ ? qw(rows_shuffled rows_by_key) : @tables;
}

foreach my $setting (sort keys %settings)
{
	foreach my $table (tables_for($setting))
	{
		my $got = $node->safe_psql('postgres',
			"$settings{$setting} SELECT g, $measures FROM $table GROUP BY g ORDER BY g");
		is($got, $expected, "$setting: $table");
	}
}

# Without groups, and with the grid as a parameter: the same in every plan.
my $all = $node->safe_psql('postgres', "$serial SELECT $measures FROM rows_in_order");
foreach my $setting (sort keys %settings)
{
	foreach my $table (tables_for($setting))
	{
		is( $node->safe_psql('postgres', "$settings{$setting} SELECT $measures FROM $table"),
			$all, "$setting, one group: $table");
	}
	my $parameter = $node->safe_psql(
		'postgres', qq{$settings{$setting} SET plan_cache_mode = force_generic_plan;
		PREPARE p(int8[], float8[], text[]) AS SELECT exact_value(dpriv.exact_sum(x, \$1)),
			exact_value(dpriv.exact_sum(i, \$1)), dpriv.exact_histogram(x, \$2), dpriv.exact_categories(c, \$3)
			FROM rows_shuffled;
		EXECUTE p('{-6,-64,64}', '{-1,0,1}', '{a,b}');
		EXECUTE p('{0,17,90}', '{0,1}', '{b,a,c}');});
	my $constant = $node->safe_psql(
		'postgres', join '', map { "SELECT exact_value(dpriv.exact_sum(x, '$_->[0]')),
			exact_value(dpriv.exact_sum(i, '$_->[0]')), dpriv.exact_histogram(x, '$_->[1]'),
			dpriv.exact_categories(c, '$_->[2]') FROM rows_in_order;" }
		  ([ '{-6,-64,64}', '{-1,0,1}', '{a,b}' ], [ '{0,17,90}', '{0,1}', '{b,a,c}' ]));
	is($parameter, $constant, "$setting: parameters");
}

# The plans above are what their names say: a parallel one that was serial would prove nothing.
my $query = "SELECT g, dpriv.exact_sum(x, '{0,0,9}'), dpriv.exact_moments(x, '{0,0,9}'), dpriv.exact_histogram(x, '{0,9}'),
	dpriv.exact_clip_curve(x, '{0,9}'), dpriv.exact_categories(c, '{a}'), dpriv.exact_sum_vector(v, '{0,2,9,3}') FROM %s GROUP BY g";
my $plan = $node->safe_psql('postgres', "$parallel EXPLAIN (COSTS OFF) " . sprintf($query, 'rows_in_order'));
like($plan, qr/Finalize.*Gather.*Partial/s, 'aggregates run in parallel workers');
$plan = $node->safe_psql('postgres', "$serial $partitionwise EXPLAIN (COSTS OFF) " . sprintf($query, 'rows_by_key'));
like($plan, qr/Append.*Aggregate.*Aggregate.*Aggregate/s, 'whole aggregates run partitionwise');
$plan = $node->safe_psql('postgres', "$serial $partitionwise EXPLAIN (COSTS OFF) " . sprintf($query, 'rows_across_key'));
like($plan, qr/Finalize.*Append.*Partial/s, 'partial aggregates run partitionwise');
SKIP:
{
	skip 'the server was built without JIT', 1
	  unless $node->safe_psql('postgres', 'SELECT pg_jit_available()') eq 't';
	$plan = $node->safe_psql('postgres', "$serial $jit EXPLAIN ANALYZE " . sprintf($query, 'rows_in_order'));
	like($plan, qr/Inlining true/, 'the JIT compiles and inlines');
}

# Sums in floating point do depend on the order here: the data are adversarial enough to tell.
isnt(
	$node->safe_psql('postgres', "$serial SELECT sum(x) FROM rows_in_order WHERE abs(x) <= 1e16"),
	$node->safe_psql('postgres', "$serial SELECT sum(x) FROM rows_by_value WHERE abs(x) <= 1e16"),
	'a float sum depends on the order of these rows');

$node->stop;
done_testing();
