#
# 054_security_page.pl
#	  docs/security.md: its links, the commands that it names, and the bars that it gives.
#
# What the page says of statements, functions and channels is tested in 08*.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Page qw(check_links);
use PostgreSQL::Test::Utils;
use Test::More;

chdir "$FindBin::Bin/../.." or die "project: $!\n";
my $name = 'docs/security.md';
my $page = slurp_file($name);

check_links($name, $page);

my @files = $page =~ m{`test/run ([^\s`]+)}g;
cmp_ok(scalar @files, '>=', 4, 'commands to check it by');
ok(-f $_, "$_ is there") foreach @files;
my @parts = $page =~ m{`test/run-long ([^\s`]+)`}g;
cmp_ok(scalar @parts, '>=', 1, 'and long ones');
foreach my $part (@parts)
{
	my @found = glob("test/long/$part.*");
	ok(@found == 1 && -x $found[0], "test/long/$part is there");
}

# The bars are those of make bench.
my $bench = slurp_file('test/bench/lib/Protection.pm');
my %bar = $bench =~ /^use constant (\w+_BAR) *=> ([\d.]+);/mg;
my ($protected) = $bench =~ /^use constant PROTECTED *=> (\d+);/m;
foreach my $line (
	[ 'touch no protected relation',    'UNPROTECTED_BAR' ],
	[ 'a release of a restricted role', 'RESTRICTED_BAR' ])
{
	my ($what, $constant) = @$line;
	my $text = sprintf 'at most %s times as long', $bar{$constant} // 'unknown';
	like($page, qr/^\| .*\Q$what\E.* \| \Q$text\E \|$/m, "bar: $text");
}
like($page, qr/ with \Q$protected\E protected ones /, 'with as many as are measured');

done_testing();
