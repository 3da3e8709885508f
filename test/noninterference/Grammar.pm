# Grammar.pm
#	  Random scripts of a role that must not see rows: every construct that a client can send, mixed.
#
# Expressions are typed, and made of the functions that the server's own catalog has: mostly of those that
# dpriv.allowed_functions() lists, so that releases run, and now and then of any other. Constants are often what only Bob's
# row has, see setup.sql. The same seed and number give the same script, on the same server version.
#
package Grammar;

use strict;
use warnings;

use Digest::MD5 qw(md5);
use File::Basename qw(dirname);

use lib dirname(__FILE__) . '/../lib';
use Open qw(left_out rows_of);
use Releases;

use constant DEPTH => 3;

# How many of the releases are those of dp_sample_and_aggregate.
use constant SAMPLES => 0.06;

# Protected relations, what is made of them, and functions in FROM that answer with their rows.
use constant RELATIONS => qw(adult visit visit_2 few my_adult boss_adult barrier_adult invoker_visit super_adult rows_of() rows_through()
  atomic_rows());

# Those that have a name.
use constant TRAINED_ON => grep { !/\(/ } RELATIONS;

# Columns of all of them, by type.
my %column = (
	int4        => [qw(id age)],
	int2        => ['num'],
	int8        => ['gain'],
	numeric     => ['pay'],
	float8      => ['w'],
	float4      => ['r'],
	text        => [qw(name workclass education::text note)],
	bool        => ['ok'],
	date        => ['born'],
	timestamptz => ['seen'],
	timestamp   => ['stamp'],
	interval    => ['lap'],
	time        => ['clock'],
	uuid        => ['code'],
	inet        => ['addr'],
	bytea       => ['data'],
	bit         => ['bits'],
	_int4       => ['tags'],
	_float8     => ['reals'],
	jsonb       => ['doc']);

# For Releases.pm, which knows columns by kind.
my %kinds = map {
	$_ => {
		number => [qw(id age num gain pay w r), 'extract(day FROM born)', '(born - date \'1990-01-01\')'],
		text   => [qw(name workclass education note)],
		enum   => [qw(sex income)] }
} RELATIONS;

my %constant = (
	int4 => [ -1, 0, 1, 2, 5, 30, 41, 42, 43, 300, 7341, 2147483647, -2147483648 ],
	int2 => [ -1, 0, 1, 16, 32767, -32768 ],
	int8 => [ 0, 1, 42, '9223372036854775807', '-9223372036854775808' ],
	numeric => [ 0, 1, 0.5, 42, 'NaN', 'Infinity', '1e300', '-1e-300' ],
	float8 => [ 0, 1, -1, 0.5, 42, 'NaN', 'Infinity', '-Infinity', '1e308', '1e-308' ],
	float4 => [ 0, 1, 42, 'NaN', 'Infinity', '3e38' ],
	text => [ '', 'Ann', 'Bob', 'B%', '%o%', '_ob', 'Private', 'Never-worked', 'Preschool%', '\\', 'Bob\\', '(', '1', 'day', 'UTC', 'C', 'adult', 'x' ],
	bool => [qw(true false)],
	date => [ '1990-01-02', '2000-02-29', 'infinity', '-infinity', '5874897-12-31', '4713-01-01 BC' ],
	timestamptz => [ '2020-01-01 00:00+00', 'infinity', '294276-12-31 00:00+00' ],
	timestamp => [ '2020-01-01', '-infinity', '4713-01-01 00:00 BC' ],
	interval => [ '1 day', '1 month', '-1 second', '178000000 years' ],
	time => [ '00:00', '08:30', '24:00' ],
	uuid => [ 'ffffffff-ffff-ffff-ffff-ffffffffffff', '00000000-0000-0000-0000-000000000000' ],
	inet => [ '10.0.0.7', '255.255.255.255/8', '::1' ],
	bytea => [ '', '\\xff', '\\x00' ],
	bit => [ '11111111', '00000001' ],
	varbit => [ '1', '' ],
	_int4 => [ '{}', '{1,2}', '{NULL}' ],
	_float8 => [ '{}', '{0.5,NaN}' ],
	_text => [ '{}', '{Bob,Ann}' ],
	json => [ '{}', '"Bob"', '[1]' ],
	jsonb => [ '{}', '"Bob"', '{"n": 1}' ],
	regclass => [qw(adult visit visit_2 few boss_adult adult_pkey plain counter)],
	regtype => [qw(adult adult_sex int4)],
	regproc => [qw(heard inverse)],
	oid => [ "'adult'::regclass", "'visit_1'::regclass", "'adult_pkey'::regclass", "'boss_adult'::regclass", "'adult_sex'::regtype",
		"(SELECT oid FROM pg_policy ORDER BY oid LIMIT 1)", "(SELECT oid FROM pg_statistic_ext LIMIT 1)", 0, 1 ],
	name => [qw(adult age name analyst boss public C)],
	char => [qw(r a)],
	cstring => [ '42', 'Bob' ]);
# What PostgreSQL's own functions do not have a result for, in Bob's row.
my @fails_for_bob = (
	'1 / (age - 42) > 0', '100 % (42 - age) > 0', 'num * num > 0', '(num + 1::int2) > 0', 'gain + age > 0', '- gain < 0', '1 / pay > 0', 'pay / pay > 0', 'w::int > 0', 'gain::int > 0',
	'(gain * 1.5)::int > 0', 'r::smallint > 0', "born - date '1990-01-01' > 0", 'born + 1 > born', "seen - lap > seen", 'lap * -1 > lap', "stamp::timestamptz > seen", 'born::timestamp > stamp',
	"date_trunc('year', stamp) IS NULL", 'workclass LIKE name', "split_part(name, 'o', age - 42) = ''", 'substring(name, 1, 41 - age) > \'\'', 'round(w) > 1', 'width_bucket(w, 0, 100, 10) > 1',
	'width_bucket(age, 0, 1000, 43 - age) > 1', "'x' ILIKE name", 'upper(note) > lower(note)');
my @types = grep { $column{$_} } sort keys %constant;

sub one { return $_[ rand @_ ] }

# From what the catalog of a server has: lines of catalog().
sub new
{
	my ($class, $seed, @lines) = @_;
	my $self = bless { seed => $seed, any => {}, allowed => {}, views => [], functions => [], settings => [] }, $class;

	foreach (@lines)
	{
		my ($kind, $name, @rest) = split /\|/;
		if ($kind eq 'function')
		{
			my ($allowed, $set, $result, @arguments) = @rest;
			next if left_out('function', $name) || grep { !$constant{$_} } @arguments;
			my $function = { name => "pg_catalog.$name", arguments => \@arguments };
			push @{ $self->{functions} }, $function;
			push @{ $self->{any}{$result} }, $function if $set eq 'f';
			push @{ $self->{allowed}{$result} }, $function if $allowed eq 't';
		}
		elsif ($kind eq 'view')
		{
			my ($short) = $name =~ /\.(.*)/;
			my @columns = grep { !left_out('column', "$short.$_") } @rest;
			push @{ $self->{views} }, { name => $name, columns => \@columns } if @columns && !left_out('view', $short);
		}
		else
		{
			push @{ $self->{settings} }, { name => $name, values => \@rest };
		}
	}
	die "an empty catalog\n" if grep { !@{ $self->{$_} } } qw(functions views settings);
	return $self;
}

# What to ask a server for, as a superuser.
sub catalog
{
	return <<'SQL';
SELECT concat_ws('|', 'function', p.proname, p.oid IN (SELECT function FROM dpriv.allowed_functions()), p.proretset, r.typname,
	(SELECT string_agg(t.typname, '|' ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY AS a(oid, n) JOIN pg_type AS t USING (oid)))
FROM pg_proc AS p JOIN pg_type AS r ON r.oid = p.prorettype
WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND has_function_privilege('analyst', p.oid, 'EXECUTE')
	AND 'internal'::regtype <> ALL (p.proargtypes) AND r.typname NOT IN ('internal', 'trigger', 'event_trigger')
UNION ALL
SELECT concat_ws('|', 'view', n.nspname || '.' || c.relname,
	(SELECT string_agg(quote_ident(attname), '|' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND NOT attisdropped
		AND (attnum > 0 OR attname IN ('xmin', 'ctid', 'tableoid')) AND has_column_privilege('analyst', c.oid, attnum, 'SELECT')))
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname IN ('pg_catalog', 'information_schema', 'dpriv') AND c.relkind IN ('r', 'v') AND has_any_column_privilege('analyst', c.oid, 'SELECT')
UNION ALL
SELECT concat_ws('|', 'setting', name, array_to_string(CASE vartype WHEN 'bool' THEN ARRAY['on', 'off'] WHEN 'enum' THEN enumvals
	WHEN 'string' THEN ARRAY[boot_val, 'x'] ELSE ARRAY[boot_val, min_val, max_val] END, '|'))
FROM pg_settings
WHERE context = 'user' AND name !~ '(_timeout|_delay|^jit.*|^default_transaction_read_only|^TimeZone|^search_path|^application_name|_interval|^temp_.*)$'
ORDER BY 1
SQL
}

# Expressions. {row}: made of private columns.

sub constant
{
	my ($type) = @_;
	my $value = one(@{ $constant{$type} });
	return $type eq 'oid' ? "($value)::oid" : "'" . ($value =~ s/'/''/gr) . "'::" . ($type eq 'char' ? '"char"' : $type);
}

sub call
{
	my ($self, $function, $depth) = @_;
	return "$function->{name}(" . join(', ', map { $self->expression($_, $depth + 1) } @{ $function->{arguments} }) . ')';
}

sub expression
{
	my ($self, $type, $depth) = @_;
	my $dice = rand;

	if ($depth >= DEPTH || $dice < 0.35)
	{
		return one(@{ $column{$type} }) if $self->{row} && $column{$type} && rand() < 0.75;
		return constant($type);
	}
	return $self->call(one(@{ $self->{any}{$type} }), $depth) if $dice > ($self->{row} ? 0.985 : 0.7) && $self->{any}{$type};
	return $self->condition($depth) if $type eq 'bool' && $dice > 0.7;
	return 'CASE WHEN ' . $self->condition($depth + 1) . ' THEN ' . $self->expression($type, $depth + 1) . ' ELSE ' . $self->expression($type, $depth + 1) . ' END'
	  if $dice > 0.9;
	return $self->call(one(@{ $self->{allowed}{$type} }), $depth) if $self->{allowed}{$type};
	return constant($type);
}

# True, or not, in a way that may be different for Bob.
sub condition
{
	my ($self, $depth) = @_;

	return one('age = 42', "name LIKE 'Bob%'", 'id > 300', 'pay = 0', 'sex IS NULL', "w = 'NaN'", @fails_for_bob) if $self->{row} && rand() < 0.2;
	my $type = one(@types);
	my ($one, $two) = map { $self->expression($type, $depth + 1) } 1, 2;
	return "($one) IS NOT NULL" if rand() < 0.6 || $type =~ /^(?:bit|json|_)/;
	return "($one) " . one('=', '<>', '<', '>=', 'IS DISTINCT FROM') . " ($two)";
}

# What is not allowed on rows, in the form of a condition: it talks, fails, or does something.
sub forbidden
{
	my ($self) = @_;
	my $inner = one(
		'heard(name)', "(name ==== 'x') IS NOT NULL", '1 / (age - 42) > 0', '(said(age)) > 0', "(name)::int > 0", 'age::young > 0',
		"chr(42 - age) = 'A'", 'sqrt(41 - age) > -1', "'x' ~ workclass", "name::adult_sex = 'Male'", 'nextval(\'counter\') > 0',
		"set_config('my.x', name, false) > ''", "pg_notify('x', name)::text > ''", 'pg_advisory_lock(age)::text IS NULL', 'setseed(0.3)::text IS NULL',
		'(SELECT k FROM numbers) > 0', 'EXISTS (SELECT FROM few AS f WHERE f.age = T.age)', 'random() < 2', "ctid > '(0,0)'", 'T IS NULL', "T::text LIKE '%Bob%'",
		'(SELECT dp_count(*) FROM adult) > 0', 'released_count() > 0', 'pg_sleep(0)::text IS NULL', 'lo_creat(-1) > 0', "pile(name) > ''",
		'make_date(2000, 1, age) IS NULL', 'inverse(age) = 0', 'factorial(age) > 0', 'age = ANY (ARRAY(SELECT k FROM numbers))', 'age / 0 > 1');
	return one($inner, "CASE WHEN age = 42 THEN $inner END", "CASE age WHEN 42 THEN 1 / (age - 42) > 0 ELSE true END AND $inner");
}

# Releases

sub measure
{
	my ($self) = @_;
	my $number = $self->expression(one(qw(int4 int8 float8 float8 numeric int2 float4)), 1);
	my $text = $self->expression('text', 1);
	my $measure = one(
		'dp_count(*)', 'dp_count(*)', "dp_count($number)", "dp_count(DISTINCT $number)", "dp_count(DISTINCT $text)", 'dp_count(T)',
		(map { "$_($number, 0, 100)" } qw(dp_sum_clipped dp_avg dp_variance dp_stddev dp_median dp_median_smooth)),
		(map { "$_($number)" } qw(dp_sum dp_avg dp_variance dp_stddev dp_bounds dp_iqr)),
		"dp_quantiles($number, ARRAY[0.25, 0.75], 0, 100)", "dp_histogram($number, ARRAY[0, 10, 42, 100])", "dp_histogram($text, ARRAY['Bob', 'Ann'])",
		"dp_mode($text, ARRAY['Bob', 'Ann'])", "dp_top_k($text, ARRAY['Bob', 'Ann', 'Eve'], 2)", "dp_clip_curve($number, ARRAY[1, 42, 100])",
		"dp_clip_bound($number, ARRAY[1, 42, 100])",
		"dp_sum_vector(reals, 2, 1, 'l2')", "dp_sum_vector(ARRAY[$number, age]::float8[], 2, 1, 'l1')");

	$measure .= ' FILTER (WHERE ' . $self->condition(1) . ')' if rand() < 0.15;
	return rand() < 0.05 ? "dp_error($measure)" : $measure;
}

# A statistic of blocks of the rows.
sub sample
{
	my ($self) = @_;
	local $self->{row} = 1;
	my $relation = one(grep { !/\(/ } RELATIONS);
	my ($type, $other) = map { one(qw(int4 int8 float8 float8 numeric int2 float4)) } 1 .. 2;
	my ($x, $y) = map { $self->expression($_, 1) } $type, $other;
	my ($a, $b) = map { $self->expression('float8', 1) } 1 .. 2;
	my $text = $self->expression('text', 1);
	my $aggregate = one(
		(map { "$_($x)" } qw(sum avg min max variance stddev_pop)), "sum($x) / sum($x)", "1 / count(*) FILTER (WHERE age = 42)", "1 / (1 - sum((age = 42)::int))", "count($text)", "count(DISTINCT $x)", 'count(*)',
		(map { "$_($a, $b)" } qw(corr covar_samp regr_slope regr_r2)), "percentile_cont(0.5) WITHIN GROUP (ORDER BY $a)", "percentile_disc(0.1) WITHIN GROUP (ORDER BY $x DESC)",
		"mode() WITHIN GROUP (ORDER BY $y)", "sum($x) * sum($x) * sum($x)", "string_agg($text, ',')", "avg($x) + $y");

	$aggregate .= ' FILTER (WHERE ' . $self->condition(1) . ')' if rand() < 0.15 && $aggregate =~ /^\w+\([^()]*\)$/;
	my $filter = rand() < 0.7 ? 'NULL' : '$q$' . (rand() < 0.2 ? $self->forbidden : $self->condition(0)) . '$q$';
	return "SELECT m1 FROM dp_sample_and_aggregate('$relation', \$q\$$aggregate\$q\$, " . one(1, 2, 10, 100) . ', ' . one('0, 100', '-1, 1', '1, 0') . ", 0.5, $filter, '" . one(qw(median mean)) . "') AS m1";
}

sub release
{
	my ($self) = @_;
	return $self->sample if rand() < SAMPLES;
	local $self->{row} = 1;
	my $relation = one(RELATIONS);
	my @keys = rand() < 0.35 ? map { rand() < 0.5 ? one('sex', 'income') : $self->expression(one('bool', 'bool', 'text', 'int4'), 2) } 1 .. 1 + rand 2 : ();
	my @list = ((map { "$keys[$_] AS k$_" } 0 .. $#keys), map { $self->measure . " AS m$_" } 1 .. 1 + rand 2);
	my $where = rand() < 0.12 ? $self->forbidden : join one(' AND ', ' OR '), map { $self->condition(0) } 1 .. 1 + rand 2;
	my $from = rand() < 0.1 ? "(SELECT * FROM $relation WHERE " . $self->condition(1) . ') AS T' : "$relation AS T";
	my $sql = 'SELECT ' . join(', ', @list) . " FROM $from" . (rand() < 0.75 ? " WHERE $where" : '');

	$sql .= ' GROUP BY ' . join(', ', 1 .. @keys) if @keys;
	$sql .= ' HAVING ' . $self->measure . one(' IS NOT NULL', ' IS NULL') if rand() < 0.1;
	$sql .= ' ORDER BY ' . one(1, 'm1') if rand() < 0.2;
	$sql .= ' LIMIT ' . int(rand 3) if rand() < 0.1;
	return $sql;
}

# Rows, where they may not be read.
sub rows
{
	my ($self) = @_;
	my $relation = one(RELATIONS);
	local $self->{row} = 1;
	my $what = one('*', 'T', 'count(*)', 'max(name)', 'name', 'ctid', "string_agg(name, ',')", 'row_number() OVER (ORDER BY id)', 'row_to_json(T)', 'pile(name)',
		'dpriv.exact_sum(age, \'{0,0,99}\')', $self->expression(one(@types), 1));
	my $where = one('true', 'age = 42', 'false', $self->condition(0), $self->forbidden);

	return one(
		"SELECT $what FROM $relation AS T WHERE $where", "SELECT $what FROM $relation AS T WHERE $where",
		"TABLE adult", 'SELECT name FROM ONLY adult', "SELECT EXISTS (SELECT FROM $relation AS T WHERE $where)", "SELECT (SELECT name FROM $relation AS T WHERE $where)",
		"SELECT k FROM numbers WHERE k IN (SELECT age FROM $relation AS T WHERE $where)", "SELECT k, name FROM numbers LEFT JOIN $relation AS T ON age = k",
		"SELECT k FROM numbers LEFT JOIN $relation AS T ON id = k", "SELECT ARRAY(SELECT name FROM $relation AS T WHERE $where)",
		"WITH c AS MATERIALIZED (SELECT * FROM $relation AS T WHERE $where) SELECT count(*) FROM c", "SELECT k::text FROM numbers UNION ALL SELECT name FROM $relation AS T",
		"WITH RECURSIVE c AS (SELECT id FROM $relation AS T UNION ALL SELECT id + 1 FROM c WHERE id < 9) SELECT * FROM c",
		"SELECT count(*) FROM $relation AS T TABLESAMPLE BERNOULLI (100)", "SELECT name FROM $relation AS T FOR UPDATE", "SELECT DISTINCT count(*) OVER () FROM $relation AS T",
		"SELECT age, count(*) FROM $relation AS T GROUP BY ROLLUP (age)", "VALUES ((SELECT max(id) FROM $relation AS T))", 'SELECT count_of()', 'SELECT loop_rows()', 'SELECT names_of(300)',
		"SELECT k, s.* FROM numbers, LATERAL (SELECT $what FROM $relation AS T WHERE age > k) AS s");
}

# Training

# Features, with what the options say of them: all that is right, nothing, or something wrong.
my %features = (
	age => [ '[17, 90]', '[0, 1]', '[41, 42]' ], id => ['[0, 400]'], num => [ '[0, 16]', '[-1e100, 1e100]' ], gain => [ '[0, 100]', '[9e18, 1e19]' ],
	pay => ['[0.5, 300]'], w => ['[0, 300]'], r => [ '[0, 300]', '[0, 1e-99]' ], ok => [undef], sex => [undef], income => [undef],
	workclass => [ '["Private", "State-gov"]', '["(Never-worked"]' ], education => ['["HS-grad", "Masters", "Preschool%"]'], name => [ '["Ann", "Bob\\\\"]', '["Eve"]' ]);
my @wrong_features = ('[1]', '[1, 1]', '[2, 1]', '["x", 1]', '[1, 1e101]', '["Ann", "Ann"]', '[]', '7', 'null');

# Options that methods have, and that they do not.
my %method_options = (
	gd => [''], course => [ '', '"iterations": 2', '"accounting": "zcdp", "clip": 0.01', '"learning_rate": 1e6, "iterations": 1000', '"clip": 1e6, "accounting": "basic"' ],
	sgd => [ '"rate": 0.2, "epochs": 2', '"rate": 1, "epochs": 3', '"rate": 1e-6, "epochs": 1e-3' ]);
my @wrong_options = ('"iterations": 0', '"clip": "x"', '"accounting": "x"', '"rate": 1e-6, "epochs": 1000', '"x": 1', '"features": 1');

# Models: the analyst's own, and what has no right columns, or rows of others.
use constant MODELS => qw(model model model model age_model releasing_model reading_model boss_model plain adult);

# A condition as text: of rows, or something that is none.
sub filter
{
	my ($self) = @_;
	my $text = rand() < 0.75 ? $self->condition(0) : one($self->forbidden, $self->forbidden, 'true; SELECT 1', 'true) OR (true', 'true LIMIT 1', '*', 'adult.*', '$1', 'age', "'x", '',
		'dp_count(*) > 0', 'count(*) > 0', 'row_number() OVER () > 0', 'sum(age) > 0');
	return "\$t\$$text\$t\$";
}

sub training
{
	my ($self) = @_;
	local $self->{row} = 1;
	my ($source, $label, $names, $positive, $described) = $self->trained_on;
	my $epsilon = 'epsilon => ' . one(rand() < 0.15 ? ('NULL', 0, "'NaN'", 1e-9, 21, '(SELECT 1)', 'released_count() * 0.01') : (0.5, 0.5, 1));
	my $filter = rand() < 0.4 ? ', filter => ' . $self->filter : '';

	if (rand() < 0.35)
	{
		return sprintf "SELECT metric AS m1, value AS m2, error FROM dp_logreg_evaluate('%s', '%s', '%s', %s%s, options => '{%s}')",
			one(MODELS), $source, $label, $epsilon, $filter, $positive;
	}
	my $method = one('gd', 'gd', 'course', 'course', 'sgd', rand() < 0.1 ? 'x' : 'gd');
	my $options = join ', ', grep { $_ ne '' } $positive, $described, one(rand() < 0.1 ? @wrong_options : @{ $method_options{$method} // [''] });
	return sprintf "SELECT term AS m1, weight AS m2 FROM dp_logreg_train('%s', '%s', ARRAY[%s]%s, %s%s, method => '%s'%s, options => '{%s}')",
		$source, $label, join(', ', map { "'$_'" } @$names), rand() < 0.1 ? '::text[]' : '', $epsilon, rand() < 0.3 ? ', delta => ' . one(1e-9, 1e-15, 1e-15, rand() < 0.2 ? (0, 0.5) : 'NULL') : '', $method, $filter, $options;
}

# A source with its label and features, the option for what is positive, and the one for features.
sub trained_on
{
	my ($self) = @_;
	my @names = grep { rand() < 0.2 } sort keys %features;
	@names = one(sort keys %features) if !@names;
	my %given = map { my $known = one(@{ $features{$_} }); $_ => rand() < 0.04 ? one(@wrong_features) : $known } @names;
	my ($label, @positive) = @{ one(rand() < 0.1 ? ([ 'w', '"positive": "NaN"' ], ['doc'], ['nothing'], ['education']) : (['ok'], ['ok'], ['ok'], [ 'ok', '"positive": false' ], ['income'], ['sex'], ['num'],
		[ 'age', '"positive": 42' ], [ 'workclass', '"positive": "Private"' ], [ 'name', '"positive": "Bob\\\\"' ])) };

	@names = grep { $_ ne $label } @names if rand() < 0.95;
	@names = ('age') if !@names && $label ne 'age';
	push @names, one('doc', 'born', 'nothing', 'ctid', 'tags', 'age') if rand() < 0.05;
	my @described = rand() < 0.05 ? () : map { defined $given{$_} ? qq{"$_": $given{$_}} : () } sort keys %given;
	@described = grep { my ($name) = /"(\w+)/; grep { $_ eq $name } @names } @described if rand() < 0.97;
	return (rand() < 0.9 ? one(TRAINED_ON) : one('plain', 'trained', 'counter', 'adult_pkey', 'nothing'), $label, \@names, $positive[0] // '',
		@described ? '"features": {' . join(', ', @described) . '}' : '');
}

# Training on a view of one's own, whose columns are expressions; and models that are stored, evaluated and applied.
sub trained
{
	my ($self) = @_;
	local $self->{row} = 1;
	my $relation = one(TRAINED_ON);
	my ($x, $y, $z) = ($self->expression(one(qw(int4 int8 float8 numeric)), 1), $self->expression('text', 1), rand() < 0.85 ? $self->condition(0) : $self->forbidden);
	my $features = '"features": {"x": [0, 50], "y": ["Ann", "Bob", "(Never-worked"]}';
	my $model = one(MODELS);
	my $of = one('trained AS T', 'plain AS T', "$relation AS T", "(SELECT k AS age, 1::numeric AS pay, 'Bob' AS name, 'Male'::adult_sex AS sex FROM numbers) AS T",
		'(SELECT name, age, sex, pay FROM adult WHERE age = 42) AS T', '(SELECT dp_count(*)::float8 AS age FROM adult) AS T');

	return one(
		$self->around($self->training),
		[ "CREATE TABLE m AS " . $self->training, 'SELECT * FROM m', "SELECT m1, m2 FROM m WHERE m2 > 0 ORDER BY m2", 'DROP TABLE m' ],
		[ "CREATE TABLE m AS SELECT m1 AS term, m2 AS weight FROM (" . $self->training . ') AS s', "SELECT * FROM dp_logreg_evaluate('m', '$relation', 'ok', 0.5, filter => " . $self->filter . ')',
			"SELECT dp_logreg_predict('m', T) FROM $of", "SELECT dp_logreg_predict('m', T) FROM $relation AS T", 'DROP TABLE m' ],
		[ "CREATE VIEW v AS SELECT $x AS x, $y AS y, $z AS z FROM $relation AS T" . (rand() < 0.5 ? ' WHERE ' . $self->condition(0) : ''),
			"SELECT * FROM dp_logreg_train('v', 'z', ARRAY['x', 'y'], 0.5, method => '" . one(qw(gd course)) . "', options => '{$features}')",
			"SELECT * FROM dp_logreg_evaluate('" . one('xy_model', $model) . "', 'v', 'z', 0.5)", 'DROP VIEW v' ],
		[ "SELECT dp_logreg_predict('$model', T" . one('', ", 'logistic'", ", 'x'") . ") FROM $of" ], [ "SELECT avg(dp_logreg_predict('$model', T)) FROM $of WHERE dp_logreg_predict('$model', T) > 0.5" ],
		[ "SELECT dp_avg(dp_logreg_predict('$model', T), 0, 1) FROM $relation AS T" ], [ "SELECT dp_count(*) FROM $relation AS T WHERE dp_logreg_predict('$model', T) > 0.5" ],
		[ "SELECT dp_logreg_train('$relation', 'ok', ARRAY['age'], 0.5, options => '{\"features\": {\"age\": [0, 90]}}')" ],
		[ "SELECT k, t.* FROM numbers, LATERAL dp_logreg_train('$relation', 'ok', ARRAY['age'], " . one('k', '0.5') . ", options => '{\"features\": {\"age\": [0, 90]}}') AS t WHERE k < 3" ],
		[ "PREPARE p(float8, text) AS SELECT * FROM dp_logreg_train('$relation', 'ok', ARRAY['age'], \$1, filter => \$2, options => '{\"features\": {\"age\": [0, 90]}}')", 'EXECUTE p(0.5, NULL)',
			'EXECUTE p(0.5, ' . $self->filter . ')', 'EXPLAIN EXECUTE p(0.5, NULL)' ],
		[ "SET maintenance_work_mem = '1MB'", $self->training, 'SELECT temp_files, temp_bytes FROM pg_stat_database WHERE datname = current_database()' ]);
}

# Queries that no private row is in, and functions on constants and on what was released.
sub elsewhere
{
	my ($self) = @_;
	my ($function, $view) = (one(@{ $self->{functions} }), one(@{ $self->{views} }));
	my @columns = @{ $view->{columns} };

	@columns = map { one(@columns) } 1 .. 1 + rand 4 if rand() < 0.7;
	my $list = join ', ', map { "$columns[$_] AS c$_" } 0 .. $#columns;

	# Which worker does how much is left to chance.
	my $explain = rand() < 0.1
	  ? one('EXPLAIN ', 'EXPLAIN VERBOSE ', 'SET max_parallel_workers_per_gather = 0; EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ') : '';
	my $from = rows_of($view->{name});
	return $explain . one(
		'SELECT ' . $self->call($function, 1), 'SELECT * FROM ' . $self->call($function, 1) . ' AS f',
		"SELECT * FROM (SELECT $list FROM $from) AS s ORDER BY s::text", "SELECT * FROM (SELECT $list FROM $from) AS s ORDER BY s::text",
		"SELECT count(*) FROM $from JOIN (" . $self->release . ') AS s ON true');
}

# Statements around a query.
sub around
{
	my ($self, $query) = @_;
	my $explain = join ', ', grep { rand() < 0.5 } 'VERBOSE', 'COSTS', 'SETTINGS', 'FORMAT ' . one(qw(TEXT JSON XML YAML));
	my $function = one(grep { @{ $_->{arguments} } } @{ $self->{functions} });
	my ($first, @others) = @{ $function->{arguments} };
	my $call = "$function->{name}(" . join(', ', '(m1)::text::' . ($first eq 'char' ? '"char"' : $first), map { constant($_) } @others) . ')';
	my $set = one(qw(array_agg count json_agg max min string_agg));

	return one(
		[$query], [$query], [$query],
		["SELECT s.* FROM ($query) AS s WHERE s::text > ''"], ["SELECT $call FROM ($query) AS s"], ["SELECT $set(m1) FROM ($query) AS s"],
		["WITH w AS MATERIALIZED ($query) SELECT * FROM w, w AS again"], ["WITH w AS NOT MATERIALIZED ($query) SELECT * FROM w, w AS again"],
		["SELECT s.*, k FROM numbers, LATERAL ($query) AS s"], ["SELECT k, (SELECT s FROM ($query) AS s LIMIT 1) FROM numbers WHERE k < 4"],
		["SELECT m1, rank() OVER (ORDER BY m1), sum(1) OVER () FROM ($query) AS s"], ["($query) UNION ALL ($query)"], ["($query) EXCEPT ($query)"],
		["SELECT CASE WHEN EXISTS ($query) THEN 1 / (SELECT count(*) - 1 FROM ($query) AS s) END"],
		[ $explain ? "EXPLAIN ($explain) $query" : "EXPLAIN $query" ], ['EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' . $query], ["EXPLAIN (ANALYZE, BUFFERS) $query"],
		["COPY ($query) TO STDOUT"], ["COPY ($query) TO STDOUT (FORMAT " . one(qw(csv binary)) . ')'],
		[ 'BEGIN', "DECLARE c SCROLL CURSOR WITH HOLD FOR $query", 'FETCH 2 FROM c', 'MOVE BACKWARD ALL IN c', 'COMMIT', 'FETCH ALL FROM c' ],
		[ 'BEGIN', "DECLARE c NO SCROLL CURSOR FOR $query", one('FETCH 1 FROM c', 'MOVE ALL IN c'), "SELECT name, is_holdable FROM pg_cursors", 'CLOSE c; COMMIT' ],
		[ 'SET plan_cache_mode = ' . one(qw(force_generic_plan force_custom_plan)), "PREPARE p AS $query", 'EXECUTE p', 'SET ROLE ' . one(qw(analyst observer boss none)), 'EXECUTE p',
			'EXPLAIN (COSTS) EXECUTE p', 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF) EXECUTE p' ],
		[ "CREATE TEMP TABLE t AS $query", 'TABLE t', 'ANALYZE t', 'EXPLAIN SELECT * FROM t' ], [ "SELECT * INTO t FROM ($query) AS s", 'TABLE t', 'DROP TABLE t' ],
		[ "CREATE MATERIALIZED VIEW v AS $query WITH NO DATA", 'REFRESH MATERIALIZED VIEW v', 'TABLE v', 'DROP MATERIALIZED VIEW v' ],
		[ "CREATE VIEW v AS $query", 'SELECT * FROM v', "SELECT pg_get_viewdef('v')", 'DROP VIEW v' ],
		[ "CREATE FUNCTION f() RETURNS SETOF record LANGUAGE sql " . one(qw(STABLE VOLATILE)) . " AS \$f\$$query\$f\$", 'SELECT f()', 'DROP FUNCTION f' ],
		[ "CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS \$f\$BEGIN RETURN (SELECT s FROM ($query) AS s LIMIT 1); END\$f\$", 'SELECT f(), f()', 'DROP FUNCTION f' ],
		["DO \$do\$ DECLARE r record; BEGIN FOR r IN $query LOOP RAISE NOTICE 'row %', r; END LOOP; RAISE NOTICE '%', FOUND; END \$do\$"],
		["DO \$do\$ DECLARE n int; BEGIN EXECUTE \$q\$$query\$q\$; GET DIAGNOSTICS n = ROW_COUNT; RAISE NOTICE '%', n; END \$do\$"],
		["DO \$do\$ DECLARE s text; c text; BEGIN PERFORM * FROM ($query) AS s; RAISE 'x'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS s = RETURNED_SQLSTATE, c = PG_EXCEPTION_CONTEXT; "
			. "RAISE NOTICE '% % %', s, SQLERRM, c; END \$do\$"],
		[ "INSERT INTO kept SELECT 100, s::text FROM ($query) AS s", 'SELECT * FROM kept WHERE id >= 100', 'DELETE FROM kept WHERE id >= 100' ],
		["INSERT INTO visit (id, name) SELECT 500, s::text FROM ($query) AS s LIMIT 1"],
		["SELECT query_to_xml(\$q\$$query\$q\$, true, false, '')"], ["SELECT word FROM ts_stat(\$q\$SELECT to_tsvector(s::text) FROM ($query) AS s\$q\$)"],
		["SELECT * FROM dpriv.cost(\$q\$$query\$q\$)"], [ $query, 'TABLE dpriv.my_budget' ],
		[ 'BEGIN', 'SAVEPOINT s', $query, 'ROLLBACK TO s', $query, 'COMMIT' ], [ 'BEGIN ' . one('READ ONLY', 'ISOLATION LEVEL SERIALIZABLE', 'ISOLATION LEVEL REPEATABLE READ'), $query, 'COMMIT' ]);
}

# Statements that are not queries, and those that change rows.
sub utility
{
	my ($self) = @_;
	my $relation = one(qw(adult visit visit_2 few boss_adult));
	local $self->{row} = 1;
	my $where = one('age = 42', $self->condition(0), $self->forbidden);

	return [ one(
		"ANALYZE $relation", "ANALYZE VERBOSE $relation", "ANALYZE VERBOSE", "VACUUM $relation", "TRUNCATE $relation", "LOCK TABLE $relation IN ACCESS SHARE MODE",
		"BEGIN; LOCK TABLE $relation", "CREATE INDEX ON $relation (age)", "REINDEX TABLE $relation", "CLUSTER $relation", "COMMENT ON TABLE $relation IS 'x'",
		"ALTER TABLE $relation ADD x int", "CREATE STATISTICS s ON age, name FROM $relation", "CREATE TRIGGER t BEFORE INSERT ON $relation EXECUTE FUNCTION said()",
		"CREATE RULE r AS ON SELECT TO $relation DO INSTEAD NOTHING", "CREATE POLICY p ON $relation", "GRANT SELECT ON $relation TO PUBLIC", "DROP TABLE $relation",
		"SECURITY LABEL FOR dpriv ON TABLE $relation IS NULL", "CREATE TABLE t (LIKE $relation INCLUDING ALL)", "CREATE TABLE t (id int REFERENCES adult)", "CREATE TABLE t () INHERITS ($relation)",
		"COPY $relation TO STDOUT", "COPY $relation FROM STDIN", "COPY visit (id, name) FROM STDIN", "NOTIFY x, 'y'", 'LISTEN x; NOTIFY x', 'SET SESSION AUTHORIZATION boss', 'SET ROLE boss',
		"SELECT dpriv.unprotect('$relation')", "SELECT dpriv.trust('$relation', 'analyst')", "SELECT dpriv.grant_budget('analyst', '$relation', 5)", "SELECT dpriv.protect('kept', unit => 'row'); SELECT dp_count(*) FROM kept; SELECT dpriv.unprotect('kept')",
		"SELECT * FROM dpriv.protection_risks('$relation')", 'TABLE dpriv.my_budget', "SELECT measures, epsilon, rho, query FROM dpriv.my_charges ORDER BY charged_at", 'TABLE dpriv.protected', 'TABLE dpriv.ledger', 'DISCARD PLANS',
		"UPDATE $relation AS T SET name = name WHERE $where", "UPDATE adult SET name = 'x' WHERE $where RETURNING name", "DELETE FROM $relation AS T WHERE $where", "DELETE FROM kept USING $relation AS T WHERE $where",
		"MERGE INTO $relation AS T USING kept ON T.id = kept.id + 7331 WHEN MATCHED THEN DELETE", "MERGE INTO kept USING $relation AS T ON T.id = kept.id + 7331 WHEN MATCHED THEN DELETE",
		"INSERT INTO visit (id) VALUES (7341) ON CONFLICT DO NOTHING", "INSERT INTO visit (id) VALUES (7341) RETURNING *", 'INSERT INTO visit (id, age) SELECT k, k FROM numbers', "INSERT INTO kept SELECT id, name FROM $relation AS T WHERE $where",
		"UPDATE kept SET name = T.name FROM $relation AS T WHERE $where RETURNING kept.name", "SELECT currtid2('$relation', '(0,1)')", "SELECT table_to_xml('$relation', true, true, '')",
		"SELECT database_to_xmlschema(true, true, '') IS NULL", "CREATE AGGREGATE a (int) (SFUNC = int4pl, STYPE = int); DROP AGGREGATE a (int)", 'PREPARE TRANSACTION \'x\'',
		"CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq); SELECT dp_count(*) FROM adult WHERE age === 42; DROP OPERATOR === (int, int)",
		"CREATE CAST (adult_sex AS int) WITH FUNCTION inverse(int)", "CREATE FUNCTION pg_temp.lower(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE NOTICE ''%'', \$1; RETURN \$1; END'; SELECT dp_count(*) FROM adult WHERE lower(name) = 'bob'") ];
}

# What shows traces afterwards, asked in the same session or by an onlooker.
sub look
{
	my ($self) = @_;
	return one(
		"SELECT locktype, relation::regclass, page, tuple, classid, objid, mode, granted, fastpath FROM pg_locks WHERE locktype <> 'virtualxid' ORDER BY 1, 2, 3, 4, 5, 6, 7, 8",
		'SELECT * FROM ' . rows_of('pg_stat_xact_all_tables') . ' ORDER BY relid', 'SELECT * FROM pg_stat_xact_user_functions',
		"SELECT relname, reltuples, relpages, relfrozenxid, pg_relation_size(oid), pg_stat_get_live_tuples(oid) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname NOT IN ('kept', 'plain') ORDER BY oid",
		'SELECT relid, c.* FROM pg_stat_user_tables AS s LEFT JOIN pg_class AS c ON c.oid = relid WHERE s.relname = \'adult\'', 'SELECT pg_current_wal_insert_lsn()',
		"SELECT current_setting('my.x', true), txid_current_if_assigned() IS NULL, pg_current_xact_id_if_assigned()", "SELECT last_value, is_called FROM counter", 'SELECT setseed(0.1), random()',
		'SELECT lastval()', "SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY 1", "SELECT name, parameter_types, from_sql FROM pg_prepared_statements ORDER BY 1", 'TABLE dpriv.my_budget',
		'SELECT count(*) FROM pg_largeobject_metadata', "SELECT relname, oid, relfilenode FROM pg_class WHERE relowner = 'analyst'::regrole ORDER BY 2", 'SELECT * FROM pg_listening_channels()',
		'SELECT tablename, attname, null_frac, n_distinct, most_common_vals, histogram_bounds FROM ' . rows_of('pg_stats') . ' ORDER BY 1, 2', 'SELECT * FROM pg_stats_ext', 'SELECT * FROM pg_stats_ext_exprs',
		'SELECT usename, state, query FROM pg_stat_activity WHERE usename IS NOT NULL ORDER BY 1, 2, 3', 'SELECT pg_current_snapshot()', $self->release);
}

# Settings that may make the server talk, or change plans.
sub setting
{
	my ($self) = @_;
	my $setting = one(@{ $self->{settings} });
	return one(
		'SET client_min_messages = ' . one(qw(debug5 debug2 log notice)), 'SET plan_cache_mode = ' . one(qw(force_generic_plan force_custom_plan)),
		"SET $setting->{name} = '" . one(@{ $setting->{values} }) . "'", "SET $setting->{name} = '" . one(@{ $setting->{values} }) . "'", 'SET dpriv.delta = 1e-6', 'SET dpriv.epsilon = 1',
		'SET client_min_messages = debug5; SET ' . one(qw(debug_print_plan debug_print_parse trace_sort log_statement_stats debug_pretty_print)) . ' = on', 'SET row_security = off');
}

# The script of a number.
sub script
{
	my ($self, $number) = @_;
	my @steps;

	srand(unpack 'L', md5("$self->{seed} $number"));
	my $dice = rand;
	if ($dice < 0.3)
	{
		@steps = (Releases::statement(\%kinds));
	}
	elsif ($dice < 0.62) { @steps = @{ $self->around($self->release) } }
	elsif ($dice < 0.68) { @steps = @{ $self->trained } }
	elsif ($dice < 0.80) { @steps = @{ $self->around($self->rows) } }
	elsif ($dice < 0.92) { @steps = ($self->elsewhere) }
	else                 { @steps = @{ $self->utility } }
	@steps = map { { sql => $_ } } @steps;
	unshift @steps, { sql => $self->setting } if rand() < 0.25;
	@steps = ({ sql => 'BEGIN' }, @steps) if rand() < 0.2;
	push @steps, { sql => $self->look } if rand() < 0.25;
	push @steps, { sql => $self->look, who => 1 } if rand() < 0.1;
	foreach my $step (grep { $_->{sql} !~ /;|FROM STDIN/ } @steps)
	{
		next if rand() > 0.15;
		$step->{how} = 'extended';
		$step->{parameters} = [ (0.5) x ($step->{sql} =~ /\$1\b/ ? 1 : 0) ];
		$step->{rows} = rand() < 0.5 && $step->{sql} =~ /^(?:SELECT|TABLE|VALUES|FETCH|EXECUTE)/ ? 1 : 0;
		$step->{binary} = rand() < 0.3 ? 1 : 0;
	}
	return \@steps;
}

1;
