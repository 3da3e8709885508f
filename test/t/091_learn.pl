#
# 091_learn.pl
#	  How good private training is, on real data and on the example; that it can be stopped; what a stopped run costs.
#
# Real data are the two files of UCI Adult in the directory that the environment variable DPRIV_DATA names (default:
# ../shared/data).  Without them the tests that need them are skipped.
#
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;
use List::Util qw(sum);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant RUNS => 20;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my $data = $ENV{DPRIV_DATA} // '../shared/data';

my $node = PostgreSQL::Test::Cluster->new('learn');
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'dpriv'\nlog_statement = none\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION dpriv');

# ---- The example: two features ----

$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-f', 'data/adult.sql' ], 'example data');
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION fit(epsilon float8, method text DEFAULT 'gd', more jsonb DEFAULT '{}') RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	DROP TABLE IF EXISTS model;
	CREATE TEMP TABLE model AS SELECT * FROM dp_logreg_train('adult', 'income', ARRAY['age', 'education_num'], epsilon, 1e-5, method,
		options => '{"features": {"age": [17, 90], "education_num": [1, 16]}}'::jsonb || more);
	SELECT avg(((dp_logreg_predict('model', a) > 0.5) = (income = '>50K'))::int) INTO result FROM adult a;
	RETURN result;
END $$;
SQL

sub example
{
	my ($epsilon, $method, $more, $runs) = @_;
	my $accuracy = $node->safe_psql('postgres', sprintf q{SET client_min_messages = error;
		SELECT avg(fit(%s + 0 * i, '%s', '%s')) FROM generate_series(1, %d) i}, $epsilon, $method // 'gd', $more // '{}', $runs // RUNS);
	note(sprintf '%s, epsilon %s %s: %.4f', $method // 'gd', $epsilon, $more // '', $accuracy);
	return $accuracy;
}

my $majority = $node->safe_psql('postgres', "SELECT avg((income = '<=50K')::int) FROM adult");
my $best = example(20);
cmp_ok(example($_), '>=', $majority, "two features at epsilon $_: at least the majority class") foreach 0.05, 0.1;
cmp_ok(example($_), '>=', $best - 0.01, "two features at epsilon $_: close to the best") foreach 0.2, 0.5, 1;

# The two curves of the course: against epsilon, and against the number of steps that share a budget.
# The margins are several standard deviations of the means.
my %course = (0.02 => example(0.02, 'course', undef, 60), map { $_ => example($_, 'course') } 0.5, 10);
cmp_ok($course{0.02}, '<', $course{0.5} - 0.01, 'course: a small epsilon costs');
cmp_ok(abs($course{10} - $course{0.5}), '<', 0.015, 'course: a larger one nearly nothing');
my %steps = map { $_ => example(0.5, 'course', qq{{"iterations": $_}}) } 2, 1000;
cmp_ok($course{0.5}, '>', $steps{2} + 0.002, 'course: too few steps do not arrive');
cmp_ok($course{0.5}, '>', $steps{1000} + 0.01, 'course: too many share too little');

cmp_ok(example(2, 'sgd'), '>=', $best - 0.02, 'sgd arrives as well');
cmp_ok(example(2, 'sgd', '{"batch_size": 100}'), '>=', $best - 0.02, 'also with a size of samples');
cmp_ok(example(0.5, 'objective'), '>=', $best - 0.01, 'objective: close to the best');

# ---- Real data ----

SKIP:
{
	skip "NO REAL DATA in $data: the accuracy on UCI Adult is not tested; set DPRIV_DATA", 2 * 5 + 2
		unless -r "$data/adult_train.csv" && -r "$data/adult_test.csv";

	my $sql = <<'SQL';
CREATE TABLE adult_train (age int, workclass text, fnlwgt int, education text, education_num int, marital_status text, occupation text,
	relationship text, race text, sex text, capital_gain int, capital_loss int, hours_per_week int, native_country text, income text);
CREATE TABLE adult_test (LIKE adult_train);
SQL
	$sql .= sprintf "\\copy %s FROM '%s' WITH (FORMAT csv, HEADER)\n", $_, abs_path("$data/$_.csv") foreach qw(adult_train adult_test);
	$node->safe_psql('postgres', $sql);

	# Values are listed as if from a code book.
	my %bounds = (age => '[17, 90]', education_num => '[1, 16]', capital_gain => '[0, 99999]', capital_loss => '[0, 4356]', hours_per_week => '[1, 99]');
	my @categories = qw(workclass education marital_status occupation relationship race sex native_country);
	my $features = join ', ', map({ qq{"$_": $bounds{$_}} } sort keys %bounds),
		map { qq{"$_": } . $node->safe_psql('postgres', "SELECT jsonb_agg(DISTINCT $_ ORDER BY $_) FROM adult_train") } @categories;
	my $names = join ', ', map { "'$_'" } sort(keys %bounds), @categories;
	$node->safe_psql('postgres', <<"SQL");
CREATE FUNCTION fit_real(epsilon float8, method text, OUT accuracy float8, OUT auc float8) LANGUAGE plpgsql AS \$\$
BEGIN
	DROP TABLE IF EXISTS model;
	CREATE TEMP TABLE model AS SELECT * FROM dp_logreg_train('adult_train', 'income', ARRAY[$names], epsilon, 1e-5, method,
		options => '{"positive": ">50K", "features": {$features}}');
	WITH predicted AS MATERIALIZED (SELECT dp_logreg_predict('model', a) AS p, income = '>50K' AS y FROM adult_test a),
		ranked AS (SELECT *, rank() OVER (ORDER BY p)::float8 AS r FROM predicted)
	SELECT avg(((p > 0.5) = y)::int), (sum(r) FILTER (WHERE y) - count(*) FILTER (WHERE y) * (count(*) FILTER (WHERE y) + 1) / 2.0)
		/ (count(*) FILTER (WHERE y)::float8 * count(*) FILTER (WHERE NOT y))
	INTO accuracy, auc FROM ranked;
END \$\$;
SQL
	my $real = sub {
		my ($epsilon, $method) = @_;
		my ($accuracy, $auc) = split /\|/, $node->safe_psql('postgres', sprintf q{SET client_min_messages = error;
			SELECT avg((f).accuracy), avg((f).auc) FROM (SELECT fit_real(%s + 0 * i, '%s') AS f FROM generate_series(1, %d) i OFFSET 0) AS runs},
			$epsilon, $method, RUNS);
		note(sprintf 'UCI Adult, %s, epsilon %s: accuracy %.4f, AUC %.4f', $method, $epsilon, $accuracy, $auc);
		return ($accuracy, $auc);
	};
	my %bar = (0.05 => 0.838, 0.1 => 0.849, 0.2 => 0.851, 0.5 => 0.852, 1 => 0.852);
	foreach my $epsilon (sort keys %bar)
	{
		my ($accuracy, $auc) = $real->($epsilon, 'gd');
		cmp_ok($accuracy, '>=', $bar{$epsilon}, "UCI Adult at epsilon $epsilon: accuracy");
		cmp_ok($auc, '>=', 0.89, "UCI Adult at epsilon $epsilon: AUC");
	}
	cmp_ok(($real->($_, 'objective'))[0], '>=', $bar{$_} - 0.002, "UCI Adult at epsilon $_: accuracy of objective") foreach 0.1, 0.5;
}

# ---- A run that is stopped keeps its charge ----

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE large AS SELECT i % 101 AS a, i % 7 < 3 AS y FROM generate_series(1, 200000) i;
SQL
my $before = $node->safe_psql('postgres', 'SELECT count(*) FROM dpriv.ledger');
my ($out, $err) = ('', '');
$node->psql('postgres', <<'SQL', stdout => \$out, stderr => \$err);
SET statement_timeout = 500;
SELECT count(*) FROM dp_logreg_train('large', 'y', ARRAY['a'], 1, 1e-6, method => 'course', options => '{"iterations": 1000, "features": {"a": [0, 100]}}');
SET statement_timeout = 0;
SELECT 'alive';
SQL
like($err, qr/canceling statement due to statement timeout/, 'a training can be cancelled');
is($node->safe_psql('postgres', 'SELECT count(*) FROM dpriv.ledger') - $before, 1, 'and has been charged');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_ls_tmpdir()"), 0, 'and leaves no files');

done_testing();
