#!/usr/bin/env perl
# course.pl [NUMBER ...]: runs pages of the course on a server of its own, and writes outputs, figures and index.html.
#
# Called by test/bin/course, which sets PG_CONFIG.  What a page may contain: test/lib/Course.pm.  Names what has changed and does
# not depend on noise: after a run over pages as they should be, nothing.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Book qw(book);
use Course qw(pages parse render run translate);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Figure qw(read_file draw svg_file);
use Time::HiRes qw(time);

my $pg_config = $ENV{PG_CONFIG} or die "PG_CONFIG is not set: use test/bin/course\n";
my $bin = qx{"$pg_config" --bindir};
chomp $bin;
my %chosen = map { $_ => 1 } @ARGV;
my @pages = grep { !@ARGV || $chosen{ $_->{number} } } grep { -e $_->{en} } pages();
my $socket = tempdir('dpriv-course-XXXXXX', TMPDIR => 1, CLEANUP => 1) . '/s';
my $start = time;
my $failed = 0;
my @changed;

$| = 1;
make_path('build/course');
$SIG{INT} = $SIG{TERM} = $SIG{HUP} = sub { exit 130 };
system('test/bin/cluster', 'start', $socket, 'fsync = off', 'autovacuum = off') == 0 or die "no server\n";
foreach my $page (@pages)
{
	my $begin = time;
	my @wrong = eval { make_page($page) };

	@wrong = $@ if $@;
	printf "%s: %s (%.0f s)\n", $page->{en}, @wrong ? 'FAILED' : 'ok', time - $begin;
	print map { s/^/  /mgr =~ s/\n*\z/\n/r } @wrong;
	$failed++ if @wrong;
}
book();
print map { "changed, and not noisy: $_\n" } @changed;
printf "%d pages, %d failed, %d outputs changed that are not noisy (%.0f s)\n", scalar @pages, $failed, scalar @changed, time - $start;
exit($failed ? 1 : 0);

# Runs a page, and writes it in both languages, and its figures.  Returns what went wrong: nothing is written then.
sub make_page
{
	my ($page) = @_;
	my @english = parse(read_file($page->{en}));
	my @spanish = -e $page->{es} ? parse(read_file($page->{es})) : ();
	my @shown = map { $_->{output} // '' } @english;
	my ($values, @wrong) = run($bin, $socket, 'course', \@english);

	return @wrong if @wrong;
	if (@spanish)
	{
		eval { translate(\@english, \@spanish); 1 } or return "$page->{es}: $@";
		write_file($page->{es}, render('es', $values, @spanish));
	}
	write_file($page->{en}, render('en', $values, @english));
	push @changed, map { "$page->{en}, line $english[$_]{line}" }
	  grep { !$english[$_]{noise} && ($english[$_]{output} // '') ne $shown[$_] } 0 .. $#english;
	foreach my $part (grep { defined $_->{figure} } @english)
	{
		my $data = "build/course/$part->{figure}.csv";

		write_file($data, $part->{data});
		foreach my $language ('en', 'es')
		{
			my $file = svg_file($part->{figure}, $language);
			my $drawn = -e $file ? read_file($file) : '';

			eval { draw($part->{figure}, $language, $data); 1 }
			  or push @wrong, "line $part->{line}: figure $part->{figure}, $language: $@";
			push @changed, $file if !$part->{noise} && -e $file && read_file($file) ne $drawn;
		}
	}
	return @wrong;
}

sub write_file
{
	my ($file, $text) = @_;
	open my $out, '>:encoding(UTF-8)', $file or die "$file: $!\n";
	print {$out} $text;
	close $out or die "$file: $!\n";
	return;
}

END
{
	my $status = $?;
	system('test/bin/cluster', 'stop', $socket) if defined $socket;
	$? = $status;
}
