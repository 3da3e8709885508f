# Minimise.pm
#	  The smallest script that shows a difference.
#
# Whatever is left out, the two servers either tell it apart still, or not: what is no SQL any more is refused by both. So
# statements are dropped, then parentheses emptied, then tokens removed, in ever smaller pieces, as long as a difference stays.
#
package Minimise;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(minimise);

# At most so many scripts are tried.
use constant TRIALS => 1500;

# The scripts that are left of the last one and those before it, and the difference that they make.
sub minimise
{
	my ($twins, @scripts) = @_;
	my $trials = 0;
	my $differs = sub {
		return 0 if $trials++ > TRIALS;
		foreach my $script (@_)
		{
			next if !$twins->difference($script);

			# What was charged would differ ever after.
			$twins->leave;
			return 1;
		}
		return 0;
	};

	# In fresh sessions, alone if that will do.
	$twins->clean;
	if ($differs->($scripts[-1]))
	{
		@scripts = $scripts[-1];
	}
	else
	{
		@scripts = reduce(sub { $twins->renew; return $differs->(@_) }, @scripts);
	}
	my @before = @scripts;
	my $last = pop @before;
	my $shows = sub {
		$twins->renew if @before;
		return $differs->(@before, $_[0]);
	};

	$last = [ reduce(sub { return $shows->([@_]) }, @$last) ];
	foreach my $number (0 .. $#$last)
	{
		my $step = $last->[$number];
		my $tokens_show = sub {
			my @steps = @$last;
			$steps[$number] = { %$step, sql => join '', @_ };
			return $shows->(\@steps);
		};
		my @tokens = $step->{sql} =~ /(?:\$\w*\$|'(?:[^']|'')*'|\w+(?:\.\w+)*|.)\s*/gs;

		@tokens = reduce($tokens_show, empty($tokens_show, @tokens));
		$last->[$number] = { %$step, sql => join '', @tokens };
	}

	# Counters that differ by now would make anything differ.
	$twins->clean;
	my ($difference) = grep { $_ } map { $twins->difference($_) } @before, $last;
	return ($difference, @before, $last);
}

# Parts that are enough, in the order that they have.
sub reduce
{
	my ($shows, @parts) = @_;

	for (my $size = int(@parts / 2) || 1; $size >= 1 && @parts > 1; $size = int($size / 2))
	{
		for (my $at = 0; $at < @parts && @parts > 1;)
		{
			my @fewer = @parts;
			splice @fewer, $at, $size;
			if (@fewer && $shows->(@fewer))
			{
				@parts = @fewer;
			}
			else
			{
				$at += $size;
			}
		}
	}
	return @parts;
}

# Tokens with a constant in place of what is between parentheses, outer ones first.
sub empty
{
	my ($shows, @tokens) = @_;

	for (my $at = 0; $at < @tokens; $at++)
	{
		next if $tokens[$at] !~ /^\(/;
		my ($depth, $end) = (0, $at);
		for (; $end < @tokens; $end++)
		{
			$depth += $tokens[$end] =~ /^\(/ ? 1 : $tokens[$end] =~ /^\)/ ? -1 : 0;
			last if $depth == 0;
		}
		next if $end >= @tokens || $end - $at < 3;
		foreach my $constant ('1', 'true', 'NULL')
		{
			my @fewer = @tokens;
			splice @fewer, $at + 1, $end - $at - 1, $constant;
			next if !$shows->(@fewer);
			@tokens = @fewer;
			last;
		}
	}
	return @tokens;
}

1;
