# Figure.pm
#	  Figures of the course: gnuplot draws them, and their colours become classes of CSS that follow light and dark.
#
# A figure is docs/course/figures/NAME.gp, drawn after style.gp, with the variables lang ('en' or 'es') and data, a file
# of CSV with a header.  Its colours are those of the palette below, by the names that style.gp gives them; any other is an error.
# The background is transparent.  The same data give the same bytes with the same version of gnuplot.
#
package Figure;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(draw read_file svg_file source_file);

use constant FIGURES => 'docs/course/figures';

# Name, colour on light, colour on dark.  Okabe and Ito (2008) where it is data: blue and orange stay apart for everybody.
my @palette = (
	[ 'ink', '#1f2328', '#e6edf3' ],
	[ 'muted', '#59636e', '#9da7b3' ],
	[ 'grid', '#d1d9e0', '#3d444d' ],
	[ 'blue', '#0072b2', '#56b4e9' ],
	[ 'orange', '#d55e00', '#e69f00' ],
	[ 'green', '#009e73', '#009e73' ],
	[ 'purple', '#cc79a7', '#cc79a7' ],
	[ 'paper', '#ffffff', '#0d1117' ]);
my %class = map { lc $_->[1] => $_->[0] } @palette;

# Colours that gnuplot uses without being told.
my %other = (black => 'ink', gray => 'grid', white => 'paper', '#000000' => 'ink');

sub svg_file
{
	my ($name, $language) = @_;
	return FIGURES . ($language eq 'en' ? '' : "/$language") . "/$name.svg";
}

sub source_file
{
	my ($name) = @_;
	return FIGURES . "/$name.gp";
}

# Draws a figure in a language, from a file of data.
sub draw
{
	my ($name, $language, $data) = @_;
	my $drawn = ask_gnuplot('-e', "lang = '$language'; data = '$data'", FIGURES . '/style.gp', source_file($name));
	my $file = svg_file($name, $language);

	open my $out, '>:encoding(UTF-8)', $file or die "$file: $!\n";
	print {$out} tidy($drawn, "$name-$language");
	close $out or die "$file: $!\n";
	return;
}

sub ask_gnuplot
{
	local $ENV{LC_ALL} = 'C.UTF-8';
	my $messages = 'build/course/gnuplot.log';

	open my $errors, '>&', \*STDERR or die "stderr: $!\n";
	open STDERR, '>', $messages or die "$messages: $!\n";
	my $started = open my $in, '-|:encoding(UTF-8)', 'gnuplot', @_;
	my $drawn = $started ? do { local $/; readline $in } : '';
	my $good = $started && close $in;
	open STDERR, '>&', $errors or die "stderr: $!\n";

	# A warning is a figure with something left out.
	die "gnuplot:\n" . read_file($messages) if !$good || -s $messages;
	return $drawn;
}

sub read_file
{
	my ($file) = @_;
	open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
	local $/;
	return scalar readline $in;
}

# What gnuplot drew, with classes for colours, ids that are unique, and without what says or shows nothing.
sub tidy
{
	my ($svg, $prefix) = @_;

	$svg =~ s/^.*?<svg\s+/<svg role="img" /s;
	$svg =~ s/\s*<(title|desc|filter)\b.*?<\/\1>//gs;
	$svg =~ s/<rect x="0" y="0" [^>]*fill="none"\/>\n//;
	$svg =~ s/ font-family="sans-serif"//g;
	$svg =~ s/<tspan\s*>([^<]*)<\/tspan>/$1/g;
	$svg =~ s/<(\w+)(\s[^<>]*?)(\/?)>/"<$1" . with_classes($2) . "$3>"/ge;
	1 while $svg =~ s/<g[^<>]*>\s*<\/g>\s*//g;

	# Shapes of points that no point has, and no other shape.
	1 while $svg =~ s/\s*<(?:use|path|rect|circle)[^<>]* id='(gp\w+)'[^<>]*\/>(?!.*href='#\1')//s;
	$svg =~ s/\b(id|xlink:href)='(#?)gp/$1='$2$prefix-/g;
	$svg =~ s/\bid="gnuplot_/id="$prefix-/g;
	$svg =~ s/[ \t]+$//mg;
	$svg =~ s/\n{2,}/\n/g;
	$svg =~ s/>\n/">\n<style>\n" . css() . "<\/style>\n"/e;
	return $svg;
}

sub with_classes
{
	my ($attributes) = @_;
	my @classes;

	$attributes =~ s/\s+class="\w*"//;
	while ($attributes =~ s/\s+(color|stroke|fill) ?= ?(['"])(rgb\([\d, ]+\)|#[0-9a-fA-F]{6}|(?!none|currentColor)[a-z]+)\2//)
	{
		my ($what, $colour) = ($1, lc $3);

		$colour = sprintf '#%02x%02x%02x', $colour =~ /(\d+)/g if $colour =~ /^rgb/;
		push @classes, "$what-" . ($class{$colour} // $other{$colour} // die "colour $colour is not in the palette\n");
	}
	return $attributes if !@classes;
	return $attributes =~ s/\s+\z//r . ' class="' . join(' ', map { "dp-$_" } sort @classes) . '"';
}

sub css
{
	my $rules = sub {
		my ($mode) = @_;
		return join '', map {
			my $colour = $_;
			map { sprintf '.dp-%s-%s{%s:%s}', $_, $colour->[0], $_, $colour->[$mode] } qw(color stroke fill)
		} @palette;
	};
	return "text{font-family:system-ui,sans-serif}\n" . $rules->(1) . "\n"
	  . '@media(prefers-color-scheme:dark){' . $rules->(2) . "}\n";
}

1;
