# Page.pm
#	  Pages of the documentation show what happens: their queries are run, and their outputs compared.
#
# A ```sql block runs in psql, in a session of its own for every section (## heading).  The ```text block after
# it, if there is one, is what psql must print; without one psql must print no error.  Everything has to be
# equal, but for numbers in the columns that a comment between the two names:
#
#	<!-- noise scale: COLUMN SCALE, COLUMN SCALE ... -->
#
# A SCALE of "any" is for a column that may have any text, not empty, instead of its own.  A number may be up to TOLERANCE times SCALE away from the one that is shown.  Noise is beyond s scales
# with probability below 2 exp(-s).  The numbers shown came from one run and are themselves noisy; as long as
# each is within 10 scales of the truth (a run that violates this has a probability of 1e-4 per number, and
# the numbers can be looked at), one comparison goes wrong with probability below 2 exp(-30) = 2e-13, and all
# of the some 60 of the README with probability below 1e-10.
#
package Page;

use strict;
use warnings;

use Encode qw(encode);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use IPC::Run;
use Test::More;

our @EXPORT_OK = qw(blocks difference run_psql check_queries check_links);

use constant TOLERANCE => 40;

my $number = qr/^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/;

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
			%noise = map { /^(\S+) ([\d.]+|any)$/ or die "line $line: $_\n"; $1 => $2 } split /, /, $1;
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
		return 'another number of rows'
		  if ($x->{footer} // '') ne ($y->{footer} // '') || @{ $x->{rows} } != @{ $y->{rows} };
		foreach my $row (0 .. $#{ $x->{rows} })
		{
			foreach my $column (0 .. $#{ $x->{header} })
			{
				my ($a, $b) = ($x->{rows}[$row][$column], $y->{rows}[$row][$column]);
				my $scale = $noise->{ $x->{header}[$column] };

				next if $a eq $b || ($scale // '') eq 'any' && $b =~ /\S/;
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


# Runs psql as a reader does, and returns what the terminal would show.
sub run_psql
{
	my ($node, $script, @options) = @_;
	my $directory = tempdir(CLEANUP => 1);
	my $file = "$directory/script.sql";
	my $output = '';
	local $ENV{PGCLIENTENCODING} = 'UTF8';

	open my $out, '>', $file or die "$file: $!\n";
	print {$out} $script;
	close $out or die "$file: $!\n";
	IPC::Run::run([ 'psql', '-X', '-q', @options, '-d', $node->connstr('postgres'), '-f', $file ],
		'<', \undef, '>&', \$output);
	return $output =~ s/^psql:\S+:\d+: //mgr;
}

# Tests: the queries among the blocks print what the page called name shows.
sub check_queries
{
	my ($node, $name, @blocks) = @_;
	my %section;

	push @{ $section{ $_->{section} } }, $_ foreach grep { $_->{language} eq 'sql' } @blocks;
	foreach my $section (sort { $a <=> $b } keys %section)
	{
		my @block = @{ $section{$section} };
		my $mark = '==== end of a block ====';
		my @printed = split /^\Q$mark\E\n/m,
		  run_psql($node, join '', map { "$_->{text}\\echo '$mark'\n" } @block);

		foreach my $i (0 .. $#block)
		{
			my $printed = $printed[$i] // 'nothing';

			if (defined $block[$i]{expected})
			{
				my $difference = difference($block[$i]{expected}, $printed, $block[$i]{noise});
				ok(!defined $difference, "$name, line $block[$i]{line}")
				  or diag("$difference\n--- all that was printed:\n$printed");
			}
			else
			{
				unlike($printed, qr/^(?:ERROR|WARNING|FATAL|nothing)/m,
					"$name, line $block[$i]{line}: no error");
			}
		}
	}
	return;
}

# Tests: the links of a page lead to files that exist, and to headings that they have.
sub check_links
{
	my ($name, $page) = @_;
	my @links = grep { !/^https?:/ } $page =~ /\]\(([^)\s]+)\)/g;

	cmp_ok(scalar @links, '>=', 5, 'there are links');
	foreach my $link (@links)
	{
		my ($path, $heading) = $link =~ /^([^#]*)(?:#(.+))?$/;
		my $file = $path eq '' ? $name : dirname($name) . "/$path";

		ok(-e $file, encode('UTF-8', "link to $link")) or next;
		next unless defined $heading;
		ok((grep { $_ eq $heading } anchors($file)), encode('UTF-8', "heading of $link"));
	}
	return;
}

# The anchors of a page's headings, as they are made where Markdown is shown.
sub anchors
{
	my ($file) = @_;
	my @anchors;

	open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
	while (my $line = <$in>)
	{
		my ($text) = $line =~ /^#+ (.*)$/ or next;
		$text = lc $text;
		$text =~ s/[^\w\- ]//g;
		push @anchors, $text =~ tr/ /-/r;
	}
	close $in;
	return @anchors;
}

1;
