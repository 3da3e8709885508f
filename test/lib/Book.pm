# Book.pm
#	  The pages of the course and their figures, in both languages, as one file: docs/course/index.html.
#
# The file needs nothing else: figures and formulas (MathML) are in it.  The frame, with what makes it change page and
# language, is test/lib/book.html.  Links between pages become links within; others are relative to docs/course.
#
package Book;

use strict;
use warnings;
use utf8;

use Course qw(pages parse);
use Exporter qw(import);
use Figure qw(read_file svg_file);
use File::Basename qw(basename dirname);

our @EXPORT_OK = qw(book BOOK);

use constant BOOK => 'docs/course/index.html';

my %word = (
	en => {
		as => 'as %s',
		error => 'fails',
		noise => 'noisy: yours will differ',
		previous => 'Previous',
		next => 'Next' },
	es => {
		as => 'como %s',
		error => 'falla',
		noise => 'con ruido: el resultado varía',
		previous => 'Anterior',
		next => 'Siguiente' });

my $keywords = join '|', qw(ALTER AND ARRAY AS ASC BEGIN BETWEEN BY CASE COMMIT CREATE CROSS DELETE DESC DISTINCT DROP ELSE END
  EXECUTE EXISTS EXPLAIN FILTER FROM FUNCTION GRANT GROUP HAVING IN INSERT INTO IS JOIN LANGUAGE LATERAL LEFT LIKE LIMIT NOT NULL ON
  OR ORDER OVER PREPARE RESET RETURNS ROLE ROLLBACK SELECT SET TABLE TEMP THEN TO UNION UPDATE USING VALUES VIEW WHEN WHERE WITH);

sub book
{
	my @pages = grep { -e $_->{file} } map {
		my $page = $_;
		map { { language => $_, number => $page->{number}, file => $page->{$_} } } qw(en es)
	} pages();
	my %place = map { $_->{file} => "$_->{language}-$_->{number}" } @pages;
	my %html;

	foreach my $page (@pages)
	{
		$page->{html} = to_html($page, \%place);
		($page->{title}) = $page->{html} =~ /<h1[^>]*>(.*?)<\/h1>/s or die "$page->{file}: no title\n";
	}
	foreach my $language (qw(en es))
	{
		my @own = grep { $_->{language} eq $language } @pages;

		$html{contents} .= contents($language, @own);
		$html{pages} .= section($_, $own[$_], \@own) foreach 0 .. $#own;
	}

	my $book = read_file(dirname(__FILE__) . '/book.html');
	$book =~ s/^\@(\w+)\@\n/$html{$1}/mg;
	open my $out, '>:encoding(UTF-8)', BOOK or die BOOK . ": $!\n";
	print {$out} $book;
	close $out or die BOOK . ": $!\n";
	return;
}

sub contents
{
	my ($language, @pages) = @_;
	my $list = join '', map { "<li><a href=\"#$language-$_->{number}\">$_->{title}</a></li>\n" } @pages;

	return "<ul lang=\"$language\">\n$list</ul>\n";
}

# A page, and where to go from it.
sub section
{
	my ($i, $page, $pages) = @_;
	my $turn = sub {
		my ($what, $other) = @_;
		return '' if !$other;
		return "<a class=\"$what\" href=\"#$other->{language}-$other->{number}\">"
		  . "<small>$word{$page->{language}}{$what}</small> $other->{title}</a>\n";
	};

	return "<section id=\"$page->{language}-$page->{number}\" lang=\"$page->{language}\">\n$page->{html}<nav>\n"
	  . $turn->('previous', $i > 0 ? $pages->[ $i - 1 ] : undef)
	  . $turn->('next', $pages->[ $i + 1 ])
	  . "</nav>\n</section>\n";
}

sub to_html
{
	my ($page, $place) = @_;
	my $language = $page->{language};
	my $prefix = "$language-$page->{number}-";
	my $html = ask_pandoc($prefix, join '', map { to_markdown($_, $language) } parts_of($page));

	$html =~ s{<p>\@figure ([\w-]+)\@</p>\s*<p>(.*?)</p>\s*<p>\@end\@</p>}{
		my ($name, $caption) = ($1, $2);
		"<figure>\n" . read_file(svg_file($name, $language)) . "<figcaption>$caption</figcaption>\n</figure>"
	}ges;
	$html =~ s/href="([^":#]+)(#[^"]*)?"/'href="' . link_to($page, $1, $2, $place) . '"'/ge;
	$html =~ s/href="#(?!\w\w-\d)([^"]+)"/href="#$prefix$1"/g;
	return $html;
}

# A page in Spanish does not repeat what its blocks do.
sub parts_of
{
	my ($page) = @_;
	my @parts = parse(read_file($page->{file}));
	return @parts if $page->{language} eq 'en';

	my ($english) = map { $_->{en} } grep { $_->{es} eq $page->{file} } pages();
	my @from = -e $english ? grep { $_->{kind} eq 'sql' } parse(read_file($english)) : ();
	return map { $_->{kind} eq 'sql' ? { %{ shift @from // {} }, %$_ } : $_ } @parts;
}

sub to_markdown
{
	my ($part, $language) = @_;

	if ($part->{kind} eq 'sql')
	{
		my $word = $word{$language};
		my @about = (
			$part->{as} ? sprintf $word->{as}, $part->{as} : (),
			$part->{error} ? $word->{error} : ());
		my $about = @about ? ' data-about="' . join(' · ', @about) . '"' : '';
		my $html = "<pre class=\"sql\"$about>" . colour(escape($part->{text})) . "</pre>\n";

		$about = $part->{noise} ? " data-about=\"$word->{noise}\"" : '';
		$about .= $part->{error} ? ' role="alert"' : '';
		$html .= "\n<pre class=\"output\"$about>" . escape($part->{output}) . "</pre>\n" if defined $part->{output};
		return "$html\n";
	}
	return '' if $part->{kind} ne 'text';
	my $text = $part->{text} =~ s/<!--.*?-->//gr;
	$text =~ s{^!\[(.*)\]\((?:\.\./)?figures/(?:es/)?([\w-]+)\.svg\)$}{\@figure $2\@\n\n$1\n\n\@end\@}mg;
	return $text;
}

sub escape
{
	my ($text) = @_;
	return $text =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/>/&gt;/gr;
}

sub colour
{
	my ($sql) = @_;

	$sql =~ s{('[^']*')|\b($keywords)\b|\b((?:dp_|dpriv\.)\w+)|^(\\\w+)}{
		defined $1 ? "<span class=\"s\">$1</span>"
		  : defined $2 ? "<b>$2</b>"
		  : '<span class="f">' . ($3 // $4) . '</span>'
	}gem;
	return $sql;
}

# Where a link of a page leads to in the book.
sub link_to
{
	my ($page, $path, $heading, $place) = @_;
	my @directory = split /\//, dirname($page->{file});
	my @path = split /\//, $path;

	while (@path && $path[0] eq '..')
	{
		shift @path;
		pop @directory;
	}
	my $file = join '/', @directory, @path;
	return "#$place->{$file}" . (defined $heading ? $heading =~ s/^#/-/r : '') if $place->{$file};

	# From docs/course, where the book is.
	return join('/', ('..') x (2 - @directory), @path) . ($heading // '') if @directory < 2;
	return $file =~ s/^docs\/course\///r . ($heading // '');
}

sub ask_pandoc
{
	my ($prefix, $markdown) = @_;
	my $file = 'build/course/page.md';

	open my $out, '>:encoding(UTF-8)', $file or die "$file: $!\n";
	print {$out} $markdown;
	close $out or die "$file: $!\n";
	open my $in, '-|:encoding(UTF-8)', 'pandoc', '-f', 'gfm+tex_math_dollars', '-t', 'html5', '--mathml', '--wrap=preserve', '--preserve-tabs',
	  "--id-prefix=$prefix", $file or die "pandoc: $!\n";
	my $html = do { local $/; readline $in };
	close $in or die "pandoc failed\n";
	return $html;
}

1;
