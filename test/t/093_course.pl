#
# 093_course.pl
#	  docs/course shows what happens: its queries are run, and what does not depend on noise is compared.
#
# What a page may contain, and how it is run: test/lib/Course.pm.  Blocks that are marked as slow are left out here; make course runs
# everything.  The book, docs/course/index.html, is opened in Chromium where there is one.
#
use strict;
use warnings;
use utf8;
use File::Basename qw(basename);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Book qw(BOOK);
use Course qw(pages parse render run translate value_text values_shown);
use Figure qw(source_file svg_file);
use Page qw(check_links);
use PostgreSQL::Test::Utils;
use Test::More;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my @pages = pages();
my $socket = PostgreSQL::Test::Utils::tempdir_short() . '/s';
my $bin = qx{"$ENV{PG_CONFIG}" --bindir};
chomp $bin;


# ---- The parser notices ----

my $good = "# Page\n\n<!-- noise -->\n```sql\nSELECT 1;\n```\n```text\n1\n```\nIt is <!--=x-->1.5<!--/-->.\n";
is(render('en', {}, parse($good)), $good, 'a page comes back as it was');
is(render('es', { x => '2.5' }, parse($good)), $good =~ s/1\.5/2,5/r, 'with a value, and the decimal comma of Spanish');
my %change = (
	'a directive that does not exist' => sub { s/noise/niose/ },
	'a directive without a block' => sub { s/<!-- noise -->\n/<!-- noise -->\ntext\n/ },
	'a block without an end' => sub { s/SELECT 1;\n```\n.*/SELECT 1;\n/s },
	'an output without a query' => sub { s/^```sql.*?```\n//ms });
foreach my $what (sort keys %change)
{
	local $_ = $good;
	ok($change{$what}->() && !eval { parse($_); 1 }, "noticed: $what");
}
foreach (['another query', sub { s/SELECT 1/SELECT 2/ }], ['a query too many', sub { $_ .= "\n```sql\nSELECT 1;\n```\n" }],
	['no output', sub { s/```text.*?```\n//s }])
{
	my ($what, $change) = @$_;
	local $_ = $good;
	$change->();
	ok(!eval { translate([ parse($good) ], [ parse($_) ]); 1 }, "noticed in the other language: $what");
	ok(!eval { translate([ parse($_) ], [ parse($good) ]); 1 }, "and the other way round: $what");
}


# ---- The runner notices ----

my @lib = $ENV{DPRIV_LIB} ? ('--lib', $ENV{DPRIV_LIB}) : ();
my $started = system('test/bin/cluster', 'start', $socket, @lib, 'fsync = off', 'autovacuum = off') == 0;
ok($started, 'a server') or BAIL_OUT('no server');

my (undef, @wrong) = run($bin, $socket, 'course', [ parse(<<'PAGE') ]);
```sql
SELECT 1 / 0;
```

<!-- error -->
```sql
SELECT 1;
```

```sql
SELECT 1
```

<!-- assert 1 = 2 -->

<!-- assert NULL -->

<!-- assert 1 / 0 = 1 -->

<!-- assert 1 = 1 -->

It is <!--=unknown-->1<!--/-->.
PAGE
my @expected = (qr/^line 1: an error:\nERROR:  division by zero/, qr/^line 6: no error/, qr/^line 10: the last statement does not end/,
	qr/^line 14: not true: 1 = 2/, qr/^line 16: not true/, qr/^line 18: not true.*division by zero/s, qr/no variable "unknown"/);
is(scalar @wrong, scalar @expected, 'all mistakes, and nothing else') or diag(explain(\@wrong));
like($wrong[$_], $expected[$_], "noticed: $expected[$_]") foreach 0 .. $#expected;


# ---- The pages ----

my (%figure, @texts);
my @here = grep { -e $_->{en} && -e $_->{es} } @pages;
is(scalar @here, scalar @pages, 'all pages are there, in both languages');
foreach my $page (@here)
{
	my %parts = map { $_ => [ parse(slurp($page->{$_})) ] } qw(en es);
	my @sql = grep { $_->{kind} eq 'sql' } @{ $parts{en} };
	my @shown = map { $_->{output} } @sql;
	my %inline = map { $_ => { values_shown(@{ $parts{$_} }) } } qw(en es);

	ok(eval { translate($parts{en}, [ parse(slurp($page->{es})) ]); 1 }, "$page->{es}: the queries of the page in English")
	  or diag($@);
	my @copied = grep { $_->{kind} eq 'sql' } @{ $parts{es} };
	is_deeply([ map { $_->{output} } @copied ], \@shown, 'and their outputs');

	my ($values, @wrong) = run($bin, $socket, 'course', $parts{en}, quick => 1, values => [ keys %{ $inline{es} } ]);
	is("@wrong", '', "$page->{en}: every block does what it should");
	is(join(' ', map { $_->{line} } grep { $_->{text} =~ s/\t/    /gr =~ /.{101}/ } @sql), '', 'and fits on the page, 100 columns wide');
	foreach my $i (grep { defined $shown[$_] && !$sql[$_]{slow} } 0 .. $#sql)
	{
		my ($was, $is) = ($shown[$i], $sql[$i]{output});

		# Noise may make a column wider.
		($was, $is) = map { (split /\n/)[0] =~ s/\s+/ /gr =~ s/^ | $//gr } $was, $is if $sql[$i]{noise};
		is($is, $was, "$page->{en}, line $sql[$i]{line}");
	}
	foreach my $language (qw(en es))
	{
		foreach my $name (sort grep { !$inline{$language}{$_}{noise} && defined $values->{$_} } keys %{ $inline{$language} })
		{
			is($inline{$language}{$name}{shown}, value_text($values->{$name}, $language), "$page->{$language}: $name");
		}
		foreach my $name (map { $_->{figure} // () } @sql)
		{
			my $link = $language eq 'en' ? "figures/$name.svg" : "../figures/es/$name.svg";
			like(slurp($page->{$language}), qr/^!\[.+\]\(\Q$link\E\)$/m, "$page->{$language} shows $name");
			$figure{$name} = 1;
		}
		check_links($page->{$language}, slurp($page->{$language}));
		push @texts, [ $page->{$language}, \@sql, \@shown ];
	}
}
system('test/bin/cluster', 'stop', $socket);


# ---- Figures ----

is(join(' ', sort map { basename($_, '.gp') } glob 'docs/course/figures/*.gp'), join(' ', sort 'style', keys %figure), 'no figure without a query');
foreach my $name (sort keys %figure)
{
	like(slurp(source_file($name)), qr/^# \Q$name\E\.gp: .{20,}\n/, "$name says what it shows");
	foreach my $language (qw(en es))
	{
		my $svg = slurp(svg_file($name, $language));

		like($svg, qr/\A<svg role="img" .*<\/svg>\s*\z/s, "$name, $language, is there");
		like($svg, qr/prefers-color-scheme:dark/, 'and has a dark side');
		unlike($svg =~ s/<style>.*?<\/style>//sr, qr/rgb\(|#[0-9a-f]{6}|="black"/, 'and no colour of its own');
	}
}


# ---- The book ----

my $book = slurp(BOOK);
my $plain = $book =~ s/<[^>]+>//gr =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&amp;/&/gr;
foreach (@texts)
{
	my ($file, $sql, $shown) = @$_;
	my @missing = grep { index($plain, $_) < 0 } (map { $_->{text} } @$sql), grep { defined } @$shown;
	is(join('----', @missing), '', "all of $file is in the book");
}
unlike($book, qr/(?:src|href)="(?:https?:)?\/\/[^"]*\.(?:js|css|svg|png)/, 'which needs nothing else');

SKIP:
{
	my ($browser) = grep { system("command -v $_ >/dev/null 2>&1") == 0 } qw(chromium chromium-headless-shell chromium-browser google-chrome);
	if (!$browser)
	{
		diag('SKIPPED: there is no Chromium: the book was not opened');
		skip 'no Chromium', 1;
	}
	open_book($browser, $_, $book) foreach 600, 1200;
}
done_testing();

# Turns all pages of the book in a window of some width, and looks at what is shown.
sub open_book
{
	my ($browser, $width, $book) = @_;
	my $directory = PostgreSQL::Test::Utils::tempdir();
	my $probe = slurp("$FindBin::Bin/../lib/probe.js");

	$book =~ s/<\/body>/<script>$probe<\/script>\n<\/body>/;
	open my $out, '>:encoding(UTF-8)', "$directory/book.html" or die "book.html: $!\n";
	print {$out} $book;
	close $out or die "book.html: $!\n";
	my @command = (qw(timeout 120), $browser, qw(--headless --no-sandbox --disable-gpu --virtual-time-budget=60000 --dump-dom),
		"--user-data-dir=$directory/profile", "--window-size=$width,900", "file://$directory/book.html");
	my $dom = qx{@command 2>/dev/null};
	my ($report) = $dom =~ /<pre id="report">(.*?)<\/pre>/s;

	is($report, 'opened ' . 2 * @here . ' pages with ' . 2 * keys(%figure) . ' figures', "the book, $width pixels wide");
	return;
}

sub slurp
{
	my ($file) = @_;
	open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
	local $/;
	return scalar readline $in;
}

END
{
	my $status = $?;
	system('test/bin/cluster', 'stop', $socket) if defined $socket;
	$? = $status;
}
