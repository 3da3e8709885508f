# Run.pm
#	  Random scripts on twins, until there are enough or the servers can be told apart.
#
package Run;

use strict;
use warnings;

use Exporter qw(import);

use Minimise qw(minimise);

our @EXPORT_OK = qw(run shown);

# Scripts after which the servers are cleaned up: autovacuum would do it when it likes.
use constant CLEAN_AFTER => 5000;

# How much of a message is shown as bytes, around where it differs.
use constant BYTES_BEFORE => 16;
use constant BYTES_SHOWN  => 48;

# Runs the scripts of a grammar from one number to another, but stops after so many differences. Returns how many were run,
# how many paid for a release, in how many time or memory decided, SQLSTATEs, and the differences as text: minimised, or as they
# were found if {as_found} is set.
sub run
{
	my ($twins, $grammar, $from, $to, %option) = @_;
	my %result = (scripts => 0, paid => 0, unsure => 0, states => {}, differences => []);

	foreach my $number ($from .. $to)
	{
		$twins->clean if $result{scripts} && $result{scripts} % CLEAN_AFTER == 0;
		my $script = $grammar->script($number);
		my $difference = $twins->difference($script);

		$result{scripts}++;
		$result{paid} += $twins->{paid};
		$result{unsure} += $twins->{unsure};
		$result{states}{ $twins->{seen}[0] // 'answered' }++;
		next if !$difference;
		my $text = "script $number\n" . shown($difference, $script);
		if (!$option{as_found})
		{
			my ($least, @scripts) = minimise($twins, @{ $twins->{history} });
			$text .= $least ? "at least\n" . shown($least, @scripts) : "which does not happen again\n";
		}
		push @{ $result{differences} }, $text;
		$twins->renew;
		last if @{ $result{differences} } >= ($option{stop} // 1);
	}
	return \%result;
}

# Scripts, and where two answers part: as people read them, and the bytes that are not printed there, such as numbers of types.
sub shown
{
	my ($difference, @scripts) = @_;
	my @lines = map { [ split /\n/, Wire::describe($_) ] } @{ $difference->{answers} };
	my $text = '';

	foreach my $script (@scripts)
	{
		$text .= join '', map { '  ' . ($_->{who} ? 'onlooker' : 'session') . ($_->{how} ? ", $_->{how}" : '') . ": $_->{sql}\n" } @$script;
	}
	my $line = 0;
	$line++ while $line < @{ $lines[0] } && $line < @{ $lines[1] } && $lines[0][$line] eq $lines[1][$line];
	return $text . "  answers to: $difference->{step}{sql}\n" . join '',
	  map { "    $_\n" } (map { substr $_->[$line] // 'nothing', 0, 500 } @lines), raw(@{ $difference->{messages} });
}

# The bytes of two messages around the first that differs, and where it is.
sub raw
{
	my ($one, $two) = @_;
	my ($same) = ("$one\1" ^ "$two\2") =~ /^(\0*)/;
	my $at = length $same;
	my $from = $at > BYTES_BEFORE ? $at - BYTES_BEFORE : 0;
	return map { 'message ' . (substr($_, 0, 1) || 'none') . ", bytes from $from, the first at $at: " . join ' ', unpack '(H2)*', substr $_, $from, BYTES_SHOWN } $one, $two;
}

1;
