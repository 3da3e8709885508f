#
# 096_sample.pl
#	  How far dp_sample_and_aggregate is off for four statistics of the example data; that nothing is said of its files.
#
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant RUNS => 60;

chdir "$FindBin::Bin/../.." or die "project: $!\n";

my $node = PostgreSQL::Test::Cluster->new('sample');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpriv'\nlog_statement = none\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dpriv');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-f', 'data/adult.sql' ], 'example data');

# ---- Errors ----

# Mean distance from the statistic of all rows.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION error_of(expression text, blocks int, lower float8, upper float8, epsilon float8, combine text, runs int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	exact float8;
	sum float8 := 0;
BEGIN
	EXECUTE format('SELECT %s FROM adult', expression) INTO exact;
	FOR i IN 1 .. runs LOOP
		sum := sum + (SELECT abs(answer - exact) FROM dp_sample_and_aggregate('adult', expression, blocks, lower, upper, epsilon, NULL, combine) AS answer);
	END LOOP;
	RETURN sum / runs;
END $$;
SQL

# At epsilon 1: the bounds are 1.5 times what docs/reference.md has, some five standard deviations of the mean of all runs.
foreach my $case (
	[ 'corr(age, hours_per_week)', -1, 1, 50, 0.022, 0.066 ],
	[ 'regr_slope(hours_per_week, age)', -1, 1, 100, 0.020, 0.033 ],
	[ 'percentile_cont(0.9) WITHIN GROUP (ORDER BY age)', 17, 90, 50, 0.9, 2.5 ],
	[ 'avg(capital_gain) / avg(hours_per_week)', 0, 500, 100, 15, 7.5 ])
{
	my ($expression, $lower, $upper, $blocks, %limit) = (@$case[ 0 .. 3 ], median => $case->[4], mean => $case->[5]);
	foreach my $combine (sort keys %limit)
	{
		my $error = $node->safe_psql('postgres', "SELECT error_of('$expression', $blocks, $lower, $upper, 1, '$combine', @{[ RUNS ]})");
		note("$combine of $expression: $error");
		cmp_ok($error, '<', $limit{$combine}, "$combine of $expression is near");
	}
}

# The noise of the mean alone: the same result in all blocks.  Of Laplace noise of scale 0.2, clipped at 0.5, the mean size is 0.184.
my $noise = $node->safe_psql('postgres', "SELECT error_of('count(*) * 0 + 7', 10, 6.5, 7.5, 0.5, 'mean', 400)");
cmp_ok(abs($noise - 0.184), '<', 0.05, 'the noise of the mean is (upper - lower) / (blocks epsilon)');

# ---- Files ----

my ($out, $err);
my $offset = -s $node->logfile;
$node->psql('postgres', <<'SQL', stdout => \$out, stderr => \$err);
CREATE TABLE big AS SELECT i % 1000 AS x, sin(i) AS y FROM generate_series(1, 200000) i;
SET log_temp_files = 0;
SET client_min_messages = log;
SET maintenance_work_mem = '1MB';
SET work_mem = '64kB';
SELECT count(*) FROM dp_sample_and_aggregate('big', 'corr(x, y) + count(DISTINCT x)', 10, 900, 1100, 1);
SQL
is($out, 1, 'rows that exceed memory');
is($err, '', 'nothing is said of temporary files');
like(slurp_file($node->logfile, $offset), qr/temporary file/, 'there were some');

done_testing();
