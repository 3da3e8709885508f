#
# 034_not_preloaded.pl
#	  Without the library the private aggregates refuse, everywhere and on empty input; LOAD is enough.
#
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('not_preloaded');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\njit = off\n");
$node->start;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION dpriv;
CREATE TABLE t AS SELECT i AS id, i % 90 AS age, 'n' || i % 5 AS name, i % 2 = 0 AS flag FROM generate_series(1, 1000) i;
CREATE TABLE e (LIKE t);
CREATE TYPE level AS ENUM ('low', 'high');
CREATE ROLE analyst LOGIN;
GRANT SELECT ON t, e TO analyst;
SQL

sub session
{
	my ($sql, @params) = @_;
	my ($out, $err);
	$node->psql(
		'postgres', $sql,
		stdout        => \$out,
		stderr        => \$err,
		on_error_stop => 0,
		extra_params  => \@params);
	return ($out, $err);
}

# ---- Every aggregate refuses ----

my %aggregates = (
	dp_count => [
		'dp_count(*)',
		'dp_count(age)',
		'dp_count(age, 0.5)',
		'dp_count(age, 0.5, 1e-6)',
		'dp_count(x, 0.5)',
		'dp_count(DISTINCT name)'
	],
	(
		map { $_ => [ "$_(age, 0, 90)", "$_(age, 0, 90, 0.5)", "$_(age, 0, 90, 0.5, 1e-6)", "$_(flag, 0, 1)",
			$_ ne 'dp_sum_clipped' ? ("$_(age)", "$_(age, 0.5)") : () ] }
		  qw(dp_sum_clipped dp_avg dp_variance dp_stddev)
	),
	(map { $_ => [ "$_(age)", "$_(age, 0.5)", "$_(flag)" ] } qw(dp_bounds dp_sum)),
	dp_median    => [ 'dp_median(age)', 'dp_median(age, 0.5)', 'dp_median(age, 0, 90)', 'dp_median(age, 0, 90, 0.5)', 'dp_median(flag, 0, 1)' ],
	dp_median_smooth => [ 'dp_median_smooth(age)', 'dp_median_smooth(age, 0.5)', 'dp_median_smooth(age, 0, 90)', 'dp_median_smooth(age, 0, 90, 0.5)',
		'dp_median_smooth(age, 0, 90, 0.5, 1e-6)', 'dp_median_smooth(flag, 0, 1)' ],
	dp_iqr       => [ 'dp_iqr(age)', 'dp_iqr(age, 0.5)', 'dp_iqr(age, 0.5, 1e-6)', 'dp_iqr(flag)' ],
	dp_quantile  => [ 'dp_quantile(age, 0.9)', 'dp_quantile(age, 0.9, 0.5)', 'dp_quantile(age, 0.9, 0, 90)', 'dp_quantile(age, 0.9, 0, 90, 0.5)', 'dp_quantile(flag, 0.9, 0, 1)' ],
	dp_quantiles => [ 'dp_quantiles(age, ARRAY[0.5], 0, 90)', 'dp_quantiles(age, ARRAY[0.5], 0, 90, 0.5)', 'dp_quantiles(flag, ARRAY[0.5], 0, 1)' ],
	dp_sum_vector => [
		"dp_sum_vector(ARRAY[age, 1], 2, 90, 'l2')",
		"dp_sum_vector(ARRAY[age, 1], 2, 90, 'l2', 0.5)",
		"dp_sum_vector(ARRAY[age, 1], 2, 90, 'l2', 0.5, 1e-6)"
	],
	dp_mode      => [
		'dp_mode(name)', map { ("dp_mode($_)", "dp_mode($_, 0.5)") } "name, ARRAY['n1']", "'low'::level, ARRAY['low']"
	],
	dp_top_k => [
		'dp_top_k(name, 1)', map { ("dp_top_k($_)", "dp_top_k($_, 0.5)") } "name, ARRAY['n1'], 1", "'low'::level, ARRAY['low'], 1"
	],
	dp_clip_curve => [ 'dp_clip_curve(age, ARRAY[50, 90])', 'dp_clip_curve(age, ARRAY[50, 90], 0.5)', 'dp_clip_curve(flag, ARRAY[1])' ],
	dp_clip_bound => [ 'dp_clip_bound(age, ARRAY[50, 90])', 'dp_clip_bound(age, ARRAY[50, 90], 0.5)', 'dp_clip_bound(flag, ARRAY[1])' ],
	dp_histogram => [
		'dp_histogram(age)',
		'dp_histogram(age, ARRAY[0, 90])',
		'dp_histogram(age, ARRAY[0, 90], 0.5)',
		"dp_histogram(name, ARRAY['n1'])",
		"dp_histogram(name, ARRAY['n1'], 0.5)",
		"dp_histogram('low'::level, ARRAY['low'])",
		"dp_histogram('low'::level, ARRAY['low'], 0.5)"
	]);

# The list is complete.
my $declared = $node->safe_psql('postgres', <<'SQL');
SELECT count(*) FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
WHERE p.prokind = 'a' AND p.pronamespace = 'public'::regnamespace
SQL
is($declared, 81, 'aggregates that are tried: all signatures there are');

my @shapes = (
	'SELECT %s FROM t x',
	'SELECT %s FROM e x',
	'SELECT %s FROM t x WHERE false',
	'SELECT %f FROM t x',
	'SELECT 1 FROM t x HAVING %s IS NULL',
	'SELECT flag, %s FROM t x GROUP BY flag',
	'SELECT (SELECT %s FROM e x)',
	'SELECT * FROM (SELECT %s AS v FROM e x) r WHERE v IS NOT NULL',
	'SELECT count(*), %s FROM t x',
	'SELECT %s FROM t x, (SELECT 1 AS one) y');
my @windows = (
	'SELECT %s OVER () FROM t x',
	'SELECT %s OVER (ORDER BY id ROWS 1 PRECEDING) FROM t x',
	'SELECT %f OVER () FROM t x LIMIT 1');
foreach my $name (sort keys %aggregates)
{
	foreach my $call (@{ $aggregates{$name} })
	{
		my (@statements, @said);
		foreach my $shape (@shapes, $call =~ /DISTINCT/ ? () : @windows)
		{
			my $filtered = "$call FILTER (WHERE false)";
			push @statements, $shape =~ s/%s/$call/r =~ s/%f/$filtered/r;
		}

		# Each in a session of its own, since the call itself loads the library.
		foreach my $statement (@statements)
		{
			my ($out, $err) = session($statement);
			my $ok = $out eq ''
			  && $err =~
			  /ERROR:  (?:\Q$name\E|a private aggregate) was called outside a private release/
			  && $err =~ /DETAIL:  The library was not loaded/
			  && $err =~ /HINT:  Add dpriv to shared_preload_libraries, or LOAD 'dpriv'/;
			push @said, "$statement: $out$err" unless $ok;
		}
		is_deeply(\@said, [], "$call refuses in " . @statements . ' places');
	}
}

# In a plan with parallel workers.
my $force = $node->pg_version >= 16 ? 'debug_parallel_query' : 'force_parallel_mode';
foreach my $relation (qw(t e))
{
	my ($out, $err) =
	  session("SET $force = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
		  . "SET min_parallel_table_scan_size = 0; SELECT dp_count(*), dp_avg(age, 0, 90) FROM $relation"
	  );
	like($err, qr/was called outside a private release/, "with parallel plans, $relation");
}

# dp_error and the placeholder.
foreach my $statement (
	'SELECT dp_error(1)',
	'SELECT dp_error(dp_count(*)) FROM e',
	'SELECT dp_error(dp_count(*), 0.9) FROM t',
	'SELECT dp_error(1, 0.9)')
{
	like((session($statement))[1],
		qr/was called outside a private release.*HINT: .*LOAD 'dpriv'/s, $statement);
}
like(
	(session('SELECT * FROM dpriv.release(0) AS r(c int8)'))[1],
	qr/function dpriv.release cannot be called/,
	'the placeholder refuses');
like(
	(session('SELECT * FROM dpriv.release(0) AS r(c int8)', '-U', 'analyst'))[1],
	qr/permission denied for function release/,
	'and not everybody may try');

# ---- LOAD ----

is( (   session(
			"LOAD 'dpriv'; SET dpriv.max_epsilon = 1000; SELECT dp_count(t, 1000) FROM t; SELECT dpriv.session_spent()"
		))[0],
	"1000\n1000",
	'LOAD is enough');
is( (   session(
			"SET dpriv.epsilon = 2; SET dpriv.avg_method = split; LOAD 'dpriv'; SELECT dp_count(*) IS NULL FROM t; SELECT dpriv.session_spent(); SHOW dpriv.avg_method"
		))[0],
	"f\n2\nsplit",
	'settings made before count');

# A plan from before does not answer afterwards.
{
	my ($out, $err) = session(<<'SQL');
SET plan_cache_mode = force_generic_plan;
SET dpriv.epsilon = 1;
PREPARE q AS SELECT dp_count(*) FROM e;
EXECUTE q;
LOAD 'dpriv';
EXECUTE q;
SELECT dp_count(*) IS NULL FROM e;
SQL
	is($out, 'f', 'a plan from before LOAD does not answer');
	is(scalar(() = $err =~ /was called outside a private release/g), 2, 'it refuses again');
}

# The first call loads the library: it refuses, the next one answers.
{
	my ($out, $err) = session(
		'SET dpriv.epsilon = 1; SELECT dp_count(*) IS NULL FROM t; SELECT dp_count(*) IS NULL FROM t',
		'-U', 'analyst');
	is($out, 'f', 'a second call finds the library loaded');
}

# What a user set before the library was there is not a way around what only a superuser may set.
{
	my ($out, $err) = session(<<'SQL', '-U', 'analyst');
SET dpriv.max_epsilon = 1000;
SET dpriv.session_budget = 1000;
SET dpriv.epsilon = 25;
SELECT dp_count(*) FROM t;
SHOW dpriv.max_epsilon;
SHOW dpriv.session_budget;
SHOW dpriv.epsilon;
SELECT dp_count(*) FROM t;
SQL
	is($out, "20\n-1\n25", 'a user cannot set the limits beforehand');
	like($err, qr/epsilon of dp_count is out of range/, 'and they hold');
}

# Values that the library refuses are reported when it comes, and the default stays.
{
	my ($out, $err) =
	  session("SET dpriv.epsilon = 'NaN'; SET dpriv.typo = 1; LOAD 'dpriv'; SHOW dpriv.epsilon");
	is($out, '0', 'an invalid value is not taken over');
	like(
		$err,
		qr/WARNING:  invalid configuration parameter name "dpriv.typo", removing it/,
		'a mistyped name is reported');
}

# ---- Preloaded by other means ----

$node->safe_psql('postgres', "ALTER DATABASE postgres SET session_preload_libraries = 'dpriv'");
is((session('SET dpriv.epsilon = 1; SELECT dp_count(*) IS NULL FROM t', '-U', 'analyst'))[0],
	'f', 'session_preload_libraries');
$node->safe_psql('postgres', 'ALTER DATABASE postgres RESET session_preload_libraries');

# ---- Without the library a dump can be made and restored ----

$node->safe_psql('postgres',
	'CREATE VIEW v AS SELECT flag, dp_count(*) AS c, dp_avg(age, 0, 90, 0.5) AS m FROM t GROUP BY flag'
);
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $dump ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $dump ],
	'restore');
is( $node->safe_psql(
		'copy', "LOAD 'dpriv'; SET dpriv.epsilon = 1; SELECT count(*), count(c) FROM v"),
	'3|3',
	'the restored view answers');

done_testing();
