#
# 050_readme.pl
#	  README.md shows what happens: its queries are run, and their outputs compared.
#
# A ```sql block runs in psql on a server with the example data, in a session of its own for every section.
# The ```text block after it, if there is one, is what psql must print; without one psql must print no error.
# Everything has to be equal, but for numbers in the columns that a comment between the two names:
#
#	<!-- noise scale: COLUMN SCALE, COLUMN SCALE ... -->
#
# Such a number may be up to TOLERANCE times SCALE away from the one that is shown.  Noise is beyond s scales
# with probability below 2 exp(-s).  The numbers shown came from one run and are themselves noisy; as long as
# each is within 10 scales of the truth (a run that violates this has a probability of 1e-4 per number, and
# the numbers can be looked at), one comparison goes wrong with probability below 2 exp(-30) = 2e-13, and all
# of the some 60 of them with probability below 1e-10.
#
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant TOLERANCE => 40;

my $number = qr/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my $readme = slurp_file('README.md');


# ---- The page ----

# Its fenced blocks in order: {language, line, text, section}; a query's block has {expected, noise} as well.
sub blocks
{
	my ($page) = @_;
	my (@blocks, $block, %noise);
	my ($section, $line) = (0, 0);

	foreach my $text (split /\n/, $page)
	{
		$line++;
		if ($block && $text eq '```')
		{
			my $before = $blocks[-1];
			if ($block->{language} eq 'text' && $before && $before->{language} eq 'sql'
				&& !defined $before->{expected})
			{
				$before->{expected} = $block->{text};
				$before->{noise} = {%noise};
			}
			else
			{
				push @blocks, $block;
			}
			%noise = ();
			undef $block;
		}
		elsif ($block)
		{
			$block->{text} .= "$text\n";
		}
		elsif ($text =~ /^```(\w*)$/)
		{
			$block = { language => $1, line => $line, text => '', section => $section };
		}
		elsif ($text =~ /^<!-- noise scale: (.*) -->$/)
		{
			%noise = map { /^(\S+) ([\d.]+)$/ or die "line $line: $_\n"; $1 => $2 } split /, /, $1;
		}
		else
		{
			$section++ if $text =~ /^## /;
		}
	}
	die "a block is not closed\n" if $block;
	return @blocks;
}

# What psql printed, as a list of lines and tables {header, rows, footer}.
sub items
{
	my ($output) = @_;
	my @lines = grep { /\S/ } map { s/\s+$//r } split /\n/, $output;
	my @items;

	while (@lines)
	{
		if (@lines > 1 && $lines[1] =~ /^-[-+]*$/)
		{
			my %table = (header => [ cells(shift @lines) ], rows => []);
			my $columns = @{ $table{header} };
			shift @lines;
			while (@lines && $lines[0] !~ /^\(\d+ rows?\)$/)
			{
				# A single column keeps its indentation: it may be a plan.
				push @{ $table{rows} }, [ $columns > 1 ? cells(shift @lines) : shift @lines ];
			}
			$table{footer} = shift @lines;
			push @items, \%table;
		}
		else
		{
			push @items, shift @lines;
		}
	}
	return @items;
}

sub cells
{
	my ($line) = @_;
	return map { s/^\s+|\s+$//gr } split /\|/, $line, -1;
}

# The first difference, or nothing.
sub difference
{
	my ($shown, $printed, $noise) = @_;
	my @shown = items($shown);
	my @printed = items($printed);

	foreach my $i (0 .. ($#shown > $#printed ? $#shown : $#printed))
	{
		my ($x, $y) = ($shown[$i], $printed[$i]);

		return 'there is more than shown' if !defined $x;
		return 'there is less than shown' if !defined $y;
		return 'a line in place of a table, or the reverse' if ref $x ne ref $y;
		if (!ref $x)
		{
			return "shown: $x\nprinted: $y" if $x ne $y;
			next;
		}
		return 'other columns' if "@{ $x->{header} }" ne "@{ $y->{header} }";
		return 'another number of rows' if ($x->{footer} // '') ne ($y->{footer} // '');
		foreach my $row (0 .. $#{ $x->{rows} })
		{
			foreach my $column (0 .. $#{ $x->{header} })
			{
				my ($a, $b) = ($x->{rows}[$row][$column], $y->{rows}[$row][$column]);
				my $scale = $noise->{ $x->{header}[$column] };

				next if $a eq $b;
				next if defined $scale && $a =~ /^\s*\S+$/ && is_number($a) && is_number($b)
				  && abs($a - $b) <= TOLERANCE * $scale;
				return "column $x->{header}[$column], shown: $a\nprinted: $b";
			}
		}
	}
	return;
}

sub is_number
{
	my ($text) = @_;
	return $text =~ s/^\s+//r =~ $number;
}

my @blocks = blocks($readme);
my @queries = grep { $_->{language} eq 'sql' } @blocks;
my @outputs = grep { defined $_->{expected} } @queries;

cmp_ok(scalar @queries, '>=', 15, 'there are queries');
cmp_ok(scalar @outputs, '>=', 12, 'most have outputs');
is(scalar(grep { $_->{language} eq 'text' } @blocks), 0, 'no output without a query');
is(scalar(grep { $_->{expected} =~ /^\s*$/ } @outputs), 0, 'no output is empty');


# ---- The comparison notices ----

my ($sample) = grep { $_->{noise}{dp_count} && $_->{expected} =~ /^ +Female +\| +\d+$/m } @outputs;
my %change = (
	'a number beyond the tolerance' => sub { s/^( +Female +\| +)(\d+)$/$1 . ($2 + 81)/me },
	'another text' => sub { s/Female/Frmale/ },
	'another column' => sub { s/dp_count/dp_sum/ },
	'a row less' => sub { s/^ +Female .*\n//m },
	'a row less, and the footer' => sub { s/^ +Female .*\n//m && s/\(3 rows\)/(2 rows)/ },
	'a word in place of a number' => sub { s/^( +Female +\| +)\d+$/$1NaN/m },
	'an error' => sub { s/\z/ERROR:  no\n/ });

ok(!defined difference($sample->{expected}, $sample->{expected}, $sample->{noise}), 'equal is equal');
$_ = $sample->{expected} =~ s/^( +Female +\| +)(\d+)$/$1 . ($2 + 79)/mer;
ok(!defined difference($sample->{expected}, $_, $sample->{noise}), 'noise is accepted');
ok(defined difference($sample->{expected}, $_, {}), 'but only where it is announced');
foreach my $what (sort keys %change)
{
	local $_ = $sample->{expected};
	ok($change{$what}->() && defined difference($sample->{expected}, $_, $sample->{noise}),
		"noticed: $what");
}


# ---- The queries ----

my $node = PostgreSQL::Test::Cluster->new('readme');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\n");

# The configuration that the page asks for.
my @settings = grep { $_->{language} eq 'ini' } @blocks;
is(scalar @settings, 1, 'one piece of configuration');
$node->append_conf('postgresql.conf', $_->{text}) foreach @settings;
$node->start;

# Runs psql as a reader does, and returns what the terminal would show.
my $tmp = tempdir(CLEANUP => 1);
local $ENV{PGCLIENTENCODING} = 'UTF8';

sub run_psql
{
	my ($script, @options) = @_;
	my $file = "$tmp/script.sql";
	my $output = '';

	open my $out, '>', $file or die "$file: $!\n";
	print {$out} $script;
	close $out or die "$file: $!\n";
	IPC::Run::run([ 'psql', '-X', '-q', @options, '-d', $node->connstr('postgres'), '-f', $file ],
		'<', \undef, '>&', \$output);
	return $output =~ s/^psql:\S+:\d+: //mgr;
}

my $loaded = run_psql("\\set ON_ERROR_STOP on\n" .
	  "CREATE EXTENSION dpriv;\n\\i data/adult.sql\nSELECT count(*) FROM adult;\n", '-A', '-t');
is($loaded, "5000\n", 'example data');

my %section;
push @{ $section{ $_->{section} } }, $_ foreach @queries;
foreach my $section (sort { $a <=> $b } keys %section)
{
	my @block = @{ $section{$section} };
	my $mark = '==== end of a block ====';
	my @printed = split /^\Q$mark\E\n/m,
	  run_psql(join '', map { "$_->{text}\\echo '$mark'\n" } @block);

	foreach my $i (0 .. $#block)
	{
		my $printed = $printed[$i] // 'nothing';

		if (defined $block[$i]{expected})
		{
			my $difference = difference($block[$i]{expected}, $printed, $block[$i]{noise});
			ok(!defined $difference, "README.md, line $block[$i]{line}")
			  or diag("$difference\n--- all that was printed:\n$printed");
		}
		else
		{
			unlike($printed, qr/^(?:ERROR|WARNING|FATAL|nothing)/m,
				"README.md, line $block[$i]{line}: no error");
		}
	}
}


# ---- The rest of the page ----

# Commands: targets that exist.
my $makefile = slurp_file('Makefile');
my @targets = map { /^make (?:PG_CONFIG=\S+ ?)?([\w-]*)$/mg } map { $_->{text} }
  grep { $_->{language} eq 'sh' } @blocks;
cmp_ok(scalar @targets, '>=', 6, 'there are commands');
foreach my $target (grep { $_ ne '' && $_ ne 'install' } @targets)
{
	like($makefile, qr/^\Q$target\E:/m, "make $target");
}

# Links to files that exist.
my @links = $readme =~ /\]\(([^)#]+)[^)]*\)/g;
cmp_ok(scalar @links, '>=', 5, 'there are links');
foreach my $link (@links)
{
	ok(-e $link, "link to $link");
}

# Settings: as the server has them.
my %role = (everybody => 'user', superuser => 'superuser');
my %settings;
while ($readme =~ /^\| `(dpriv\.\w+)` \| (?:`(\w+)`|([-\d.]+))[^|]* \| (\w+) \|/mg)
{
	$settings{$1} = ($2 // $3) . ' ' . $role{$4};
}
my $known = $node->safe_psql('postgres', "LOAD 'dpriv';
	SELECT name || '=' || boot_val || ' ' || context FROM pg_settings WHERE name LIKE 'dpriv.%' ORDER BY name");
is(join("\n", map { "$_=$settings{$_}" } sort keys %settings), $known, 'table of settings');

# Troubleshooting: every error that is listed can be had.
my %provoke = (
	'dp_count has no epsilon' => 'SELECT dp_count(*) FROM adult',
	'epsilon of dp_count is out of range' => 'SELECT dp_count(adult, 50) FROM adult',
	'epsilon of dp_count must be a constant or a parameter' => 'SELECT dp_count(adult, random()) FROM adult',
	'dp_error was called outside a private release' => 'SELECT dp_error(5) FROM adult',
	'session budget exhausted' => 'SET dpriv.session_budget = 0; SELECT dp_count(adult, 1) FROM adult',
	'GROUP BY education would reveal which values exist' =>
	  'SELECT education, dp_count(adult, 1) FROM adult GROUP BY education',
	'lower bound of dp_avg must be less than its upper bound' =>
	  'SET dpriv.epsilon = 1; SELECT dp_avg(age, 0.5, 1e-6) FROM adult',
	'a private release cannot read from a join' =>
	  'SELECT dp_count(a, 1) FROM adult AS a JOIN adult AS b USING (id)',
	'a subquery cannot be used where a private release reads rows' =>
	  'SELECT dp_count(adult, 1) FROM adult WHERE age > (SELECT avg(age) FROM adult)',
	'an ordinary aggregate cannot stand beside a private one' =>
	  'SELECT dp_count(adult, 1), count(*) FROM adult',
	'private release failed while reading rows' =>
	  'SELECT dp_avg(1 / (age - 17), 0, 1, 1) FROM adult',
	'private releases cannot run in a serializable transaction' =>
	  'BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_count(adult, 1) FROM adult',
	'syntax error at or near ","' => 'SELECT dp_count(*, 0.5) FROM adult',
	'column "adult" does not exist' => 'SELECT dp_count(adult, 0.5) FROM adult AS a',
	'function dp_avg(integer) does not exist' => 'SELECT dp_avg(age) FROM adult',
	'function dp_sum(integer) does not exist' => 'SELECT dp_sum(age) FROM adult',
	'permission denied for table adult' => 'BEGIN; CREATE ROLE reader; GRANT SELECT (age) ON adult TO reader;
		SET ROLE reader; SELECT dp_count(adult, 1) FROM adult',
	'permission denied to set parameter "dpriv.session_budget"' =>
	  'SET ROLE analyst; SET dpriv.session_budget = 10');
my %provoke_without_library = (
	'dp_count was called outside a private release' => 'SELECT dp_count(*) FROM adult');

sub provoked
{
	my ($errors) = @_;
	foreach my $error (sort keys %$errors)
	{
		my ($printed) = run_psql("$errors->{$error};\n") =~ /^ERROR:  (.*)$/m;
		is($printed, $error, "troubleshooting: $error");
	}
}

my ($troubleshooting) = $readme =~ /^## Troubleshooting\n(.*?)^## /ms;
is(join("\n", sort $troubleshooting =~ /^\| `(.+?)` \|/mg),
	join("\n", sort keys %provoke, keys %provoke_without_library), 'errors under Troubleshooting');
provoked(\%provoke);

# Without the library preloaded there is that error, and LOAD helps as the page says.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''\n");
$node->restart;
provoked(\%provoke_without_library);
my ($load) = grep { $_->{text} =~ /^LOAD / } @outputs;
ok(!defined difference($load->{expected}, run_psql($load->{text}), $load->{noise}), 'LOAD without preloading');

$node->stop;
done_testing();
