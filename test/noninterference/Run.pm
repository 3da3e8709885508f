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

# Scripts, and where two answers part.
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
	return $text . "  answers to: $difference->{step}{sql}\n" . join '', map { '    ' . substr($_->[$line] // 'nothing', 0, 500) . "\n" } @lines;
}

1;
