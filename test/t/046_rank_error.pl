#
# 046_rank_error.pl
#	  How many rows the answers of dp_median, dp_quantile and dp_median_smooth are off, on ages, on values all different and
#	  on skewed ones.
#
# An answer with b rows below it and u not above it is off by as many rows as q n is outside of b .. u.  For values all
# different that is the loss of a choice, and one k rows off has a probability of e^(-k epsilon / (2 max(q, 1 - q))) at
# most, relative to the best one: at epsilon 1 geometric, with a mean of about 0.8 rows for medians and 1.6 for tenths, and
# a deviation not much larger.  The mean of a thousand answers is above what is asked here with a probability below 1e-10.
# A leaf of the skewed values has about 15 rows at the median, all of which count as one answer.  dp_median_smooth has
# Laplace noise of a scale of some 15 rows there: what is asked of the mean is more than 20 of its deviations above it.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../audit";
use Test::More;

use Variant qw(build_library node script);

use constant RELEASES => 1000;

my $shipped = build_library('shipped');
my $node    = node('rank_error');

sub sql
{
	my ($sql) = @_;
	my ($status, $out, $err) = script($node, $shipped, $sql);
	die $err if $status;
	return $out;
}

sql("CREATE EXTENSION dpriv;\n\\i data/adult.sql\n" . <<'SQL');
CREATE TABLE different AS SELECT g * 0.7 + g % 7 / 10.0 AS x FROM generate_series(1, 5000) g;
SELECT setseed(0.5);
CREATE TABLE skewed AS SELECT 1000 * exp(2 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())) AS x FROM generate_series(1, 5000) g;
CREATE FUNCTION rows_off(query text, rows_below text, fraction float8, times int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
	below float8;
	upto float8;
	total float8 := 0;
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE query INTO answer;
		EXECUTE rows_below INTO below, upto USING answer, fraction;
		total := total + greatest(0, below, upto);
	END LOOP;
	RETURN total / times;
END$$;
SQL

foreach my $case (
	[ 'the median of ages',              'adult',     'age',            'dp_median(%s, 17, 90, 1)',         0.5, 2 ],
	[ 'the median of different values',  'different', 'x::float8',      'dp_median(%s, 0, 4000, 1)',        0.5, 2 ],
	[ 'the median of skewed values',     'skewed',    'x',                'dp_median(%s, 0, 1e6, 1)',         0.5, 20 ],
	[ 'the smooth median of ages',       'adult',     'age',              'dp_median_smooth(%s, 17, 90, 1, 1e-6)',  0.5, 2 ],
	[ 'the smooth median of different values', 'different', 'x::float8',  'dp_median_smooth(%s, 0, 4000, 1, 1e-6)', 0.5, 30 ],
	[ 'the smooth median of skewed values', 'skewed', 'x',                'dp_median_smooth(%s, 0, 1e6, 1, 1e-6)',  0.5, 60 ],
	[ 'the ninth decile of ages',        'adult',     'age',            'dp_quantile(%s, 0.9, 17, 90, 1)',  0.9, 3 ],
	[ 'a tenth of different values',     'different', 'x::float8',      'dp_quantile(%s, 0.1, 0, 4000, 1)', 0.1, 3 ])
{
	my ($what, $table, $column, $measure, $fraction, $most) = @$case;
	my $query = sprintf "SELECT $measure FROM $table", $column;
	my $below = "SELECT count(*) FILTER (WHERE $column < \$1) - \$2 * count(*), \$2 * count(*) - count(*) FILTER (WHERE $column <= \$1) FROM $table";
	my $off   = sql("SELECT rows_off('$query', '$below', $fraction, @{[RELEASES]})");
	cmp_ok($off, '<=', $most, sprintf('%s is off by %.2f rows on average', $what, $off));
}

done_testing();
