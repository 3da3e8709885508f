# Course.pm
#	  The pages of docs/course are programs: what they print is put into them by a run.
#
# A page is run in a fresh database with the extension and the table adult, as its owner, in one session of psql; its
# state carries on from block to block.  What a page may contain:
#
#	```sql ... ```          runs.  The ```text fence right below, if there is one, is filled with what psql printed.
#	                        Lines are at most 100 columns wide.
#	<!-- sql                runs, and is not shown; up to a line that is -->
#	<!-- assert TRUTH -->   an SQL expression that must be true; variables of psql stand for their values
#	<!--=name-->12<!--/-->  within a line: the value of a variable of psql (\gset) at the end of the page; ~ in place of = if
#	                        it depends on noise
#
# Comments of one line say more of the block below them, several of them separated by commas:
#
#	<!-- noise -->          the output depends on noise, so that a check does not compare it
#	<!-- error -->          has to fail.  All others must not.
#	<!-- as ROLE -->        runs in a session of its own, which the role has for the rest of the page
#	<!-- slow -->           left out by a quick run: nothing that is not slow may need it
#	<!-- figure NAME -->    its result goes, as CSV with a header, to figures/NAME.gp (Figure.pm); the page shows the figure
#
# The page in Spanish has the same visible queries, byte for byte, and gets their outputs and the values; nothing of it is run.
#
package Course;

use strict;
use warnings;

use Exporter qw(import);
use IPC::Open2;

our @EXPORT_OK = qw(pages parse render run translate value_text values_shown);

# Seconds that one block may take.
use constant PATIENCE => 600;

use constant {
	HERE => 'docs/course',
	MARK => '==== end of a block ====',
	TRUTH => '==== truth: ' };

my @names = (
	[ 'README', 'README' ],
	[ '1-privacy', '1-privacidad' ],
	[ '2-properties', '2-propiedades' ],
	[ '3-sensitivity', '3-sensibilidad' ],
	[ '4-approximate', '4-aproximada' ],
	[ '5-learning', '5-aprendizaje' ],
	[ '6-summary', '6-resumen' ]);

# All pages in order: {number, en, es}, the files that they are in.
sub pages
{
	return map {
		{ number => $_, en => HERE . "/$names[$_][0].md", es => HERE . "/es/$names[$_][1].md" }
	} 0 .. $#names;
}


# ---- What a page consists of ----

# Parts of a page, in order: {kind, line, text, ...} where kind is text (lines that are kept as they are), sql, hidden or
# assert.  Those that run have {noise, error, slow, as, figure}, and sql has {output} if the page has a place for it.
sub parse
{
	my ($page) = @_;
	my @lines = split /\n/, $page, -1;
	my (@parts, %about);
	my $n = 0;

	my $keep = sub {
		push @parts, { kind => 'text', line => $n, text => '' } if !@parts || $parts[-1]{kind} ne 'text';
		$parts[-1]{text} .= $_[0];
	};
	my $until = sub {
		my ($end, $start, $text) = ($_[0], $n, '');
		while ($n < @lines)
		{
			my $line = $lines[$n++];
			return $text if $line eq $end;
			$text .= "$line\n";
		}
		die "line $start: no end of the block\n";
	};

	pop @lines if @lines && $lines[-1] eq '';
	while ($n < @lines)
	{
		my $line = $lines[$n++];
		my $at = $n;

		if ($line eq '```sql')
		{
			my %part = (%about, kind => 'sql', line => $at, text => $until->('```'));
			my $next = $n;

			$next++ while $next < @lines && $lines[$next] eq '';
			if ($next < @lines && $lines[$next] eq '```text')
			{
				$n = $next + 1;
				$part{output} = $until->('```');
				die "line $at: a figure is the output\n" if defined $part{figure};
			}
			push @parts, \%part;
			%about = ();
		}
		elsif ($line eq '<!-- sql')
		{
			push @parts, { %about, kind => 'hidden', line => $at, text => $until->('-->') };
			%about = ();
		}
		elsif ($line =~ /^<!-- assert (.+) -->$/)
		{
			push @parts, { %about, kind => 'assert', line => $at, text => $1 };
			%about = ();
		}
		elsif ($line =~ /^<!-- (.+) -->$/)
		{
			%about = (%about, directives($1, $at));
			push @parts, { kind => 'directive', line => $at, text => "$line\n" };
		}
		else
		{
			die "line $at: a directive, and no block below it\n" if %about && $line ne '';
			die "line $at: $line without a query above it\n" if $line eq '```text';
			$keep->("$line\n");
		}
	}
	die "a directive at the end\n" if %about;
	return @parts;
}

sub directives
{
	my ($list, $line) = @_;
	my %about;

	foreach my $directive (split /, */, $list)
	{
		if ($directive =~ /^(noise|error|slow)$/) { $about{$1} = 1 }
		elsif ($directive =~ /^(as|figure) ([a-z][\w-]*)$/) { $about{$1} = $2 }
		else { die "line $line: there is no directive \"$directive\"\n" }
	}
	return %about;
}

# The page again, with the outputs that its parts have now, and with values by name.
sub render
{
	my ($language, $values, @parts) = @_;
	my $page = '';

	foreach my $part (@parts)
	{
		my $text = $part->{text};

		if ($part->{kind} eq 'sql')
		{
			$page .= "```sql\n$text```\n";
			$page .= "```text\n$part->{output}```\n" if defined $part->{output};
		}
		elsif ($part->{kind} eq 'hidden') { $page .= "<!-- sql\n$text-->\n" }
		elsif ($part->{kind} eq 'assert') { $page .= "<!-- assert $text -->\n" }
		else
		{
			$text =~ s/(<!--[=~](\w+)-->)(.*?)(<!--\/-->)/$1 . value_text($values->{$2} \/\/ $3, $language) . $4/ge;
			$page .= $text;
		}
	}
	return $page;
}

# A value as a sentence has it.
sub value_text
{
	my ($value, $language) = @_;
	return $language eq 'es' && $value =~ /^-?\d+\.\d+$/ ? $value =~ tr/./,/r : $value;
}

# Inline values of a page: name => {noise, shown}.
sub values_shown
{
	my (@parts) = @_;
	my %shown;

	foreach my $text (map { $_->{text} } grep { $_->{kind} eq 'text' } @parts)
	{
		while ($text =~ /<!--([=~])(\w+)-->(.*?)<!--\/-->/g)
		{
			$shown{$2} = { noise => $1 eq '~', shown => $3 };
		}
	}
	return %shown;
}

# The Spanish page, with the outputs of the parts of the English one.  Dies where their queries differ.
sub translate
{
	my ($english, $spanish) = @_;
	my @from = grep { $_->{kind} eq 'sql' } @$english;
	my @to = grep { $_->{kind} eq 'sql' } @$spanish;

	foreach my $i (0 .. ($#from > $#to ? $#from : $#to))
	{
		my ($from, $to) = ($from[$i], $to[$i]);

		die "line $from->{line} of the page in English has a query that is missing\n" if !$to;
		die "line $to->{line}: the page in English does not have this query\n" if !$from;
		die "line $to->{line}: not the query of line $from->{line} in English\n" if $from->{text} ne $to->{text};
		die "line $to->{line}: an output is shown in one language only\n"
		  if defined $from->{output} != defined $to->{output};
		$to->{output} = $from->{output};
	}
	return;
}


# ---- Running it ----

# Runs the parts of a page against the server whose socket is in a directory: sets their {output}s, and {data} of figures.
# Options: quick (leave out what is slow), values (names of further variables to return).  Returns the values of
# variables, and what went wrong, a list of texts.
sub run
{
	my ($bin, $socket, $database, $parts, %option) = @_;
	my %shown = values_shown(@$parts);
	my (%session, %value, @wrong);
	my $session = sub { $session{ $_[0] } //= connect_psql($bin, $socket, $database, $_[0]) };

	prepare($bin, $socket, $database);
	foreach my $part (@$parts)
	{
		next if $part->{kind} !~ /^(?:sql|hidden|assert)$/ || $part->{slow} && $option{quick};
		my $psql = $session->($part->{as} // 'postgres');
		my $wrong = $part->{kind} eq 'assert' ? check($psql, $part) : execute($psql, $part);

		push @wrong, "line $part->{line}: $wrong" if defined $wrong;
		last if $psql->{lost};
	}
	foreach my $name (sort keys %shown, @{ $option{values} // [] })
	{
		last if !$session{postgres} || $session{postgres}{lost};
		my $value = talk($session{postgres}, "\\echo :$name\n") =~ s/\n\z//r;

		if ($value ne ":$name") { $value{$name} = $value }
		elsif (!$option{quick}) { push @wrong, "there is no variable \"$name\"" }
	}
	disconnect($_) foreach values %session;
	return (\%value, @wrong);
}

# A database as every page finds it.  Roles of the page before it are gone.
sub prepare
{
	my ($bin, $socket, $database) = @_;
	my $psql = connect_psql($bin, $socket, 'postgres', 'postgres');
	my $printed = talk($psql, <<'SQL');
SET client_min_messages = warning;
SELECT format('DROP DATABASE %I WITH (FORCE)', datname) FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1') \gexec
SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname <> 'postgres' AND rolname !~ '^pg_' \gexec
SQL
	$printed .= talk($psql, "CREATE DATABASE \"$database\";\n");
	disconnect($psql);

	$psql = connect_psql($bin, $socket, $database, 'postgres');
	$printed .= talk($psql, "CREATE EXTENSION dpriv;\n\\o /dev/null\n\\i data/adult.sql\n\\o\n");
	disconnect($psql);
	die "the database cannot be prepared:\n$printed" if $printed =~ /ERROR|FATAL|error/;
	return;
}

sub execute
{
	my ($psql, $part) = @_;

	return 'the last statement does not end' if $part->{text} !~ /(?:;|\\\w+[^\n]*)\s*\z/;
	my ($before, $after) = defined $part->{figure} ? ("\\pset format csv\n", "\\pset format aligned\n") : ('', '');
	my $printed = talk($psql, "$before$part->{text}$after");
	$printed =~ s/[ \t]+$//mg;
	$printed =~ s/\n+\z/\n/;
	my $failed = $printed =~ /^(?:ERROR|FATAL|PANIC|invalid command|unterminated)|: error: /m;

	if (defined $part->{figure}) { $part->{data} = $printed }
	elsif (defined $part->{output}) { $part->{output} = $printed eq "\n" ? '' : $printed }
	return "the server, or psql, went away\n$printed" if $psql->{lost};
	return "an error:\n$printed" if $failed && !$part->{error};
	return "no error:\n$printed" if !$failed && $part->{error};
	return;
}

sub check
{
	my ($psql, $part) = @_;
	my $printed = talk($psql, "\\unset dpriv_truth\nSELECT ($part->{text}) AS dpriv_truth \\gset\n\\echo '" . TRUTH . "' :dpriv_truth\n");

	return if $printed =~ /^\Q@{[ TRUTH ]}\E t$/m;
	return "not true: $part->{text}\n$printed";
}


# ---- A session of psql ----

sub connect_psql
{
	my ($bin, $socket, $database, $role) = @_;
	local %ENV = (%ENV, PGCLIENTENCODING => 'UTF8', PGTZ => 'UTC', PGCONNECT_TIMEOUT => 30);
	delete local @ENV{qw(PGOPTIONS PGSERVICE PGDATABASE PGPORT)};

	# Lines as they come, so that results and messages keep their order.
	my $pid = open2(my $out, my $in, '/bin/sh', '-c', 'exec stdbuf -oL "$@" 2>&1', 'sh',
		"$bin/psql", '-X', '-q', '-P', 'pager=off', '-h', $socket, '-p', 5432, '-U', $role, '-d', $database);
	binmode $_, ':encoding(UTF-8)' foreach $in, $out;
	return { pid => $pid, in => $in, out => $out };
}

# What psql prints for a script.  Sets {lost} if it does not come to an end.
sub talk
{
	my ($psql, $script) = @_;
	my $printed = '';
	local $SIG{PIPE} = 'IGNORE';
	local $SIG{ALRM} = sub { die "alarm\n" };

	print { $psql->{in} } "$script\n\\echo '@{[ MARK ]}'\n";
	$psql->{in}->flush;
	eval {
		alarm PATIENCE;
		while (1)
		{
			my $line = readline $psql->{out};
			if (!defined $line) { $psql->{lost} = 1; last }
			last if $line eq MARK . "\n";
			$printed .= $line;
		}
		alarm 0;
		1;
	} or $psql->{lost} = 1;
	alarm 0;
	$printed .= "(nothing more: is a quote not closed?)\n" if $psql->{lost};
	return $printed;
}

sub disconnect
{
	my ($psql) = @_;

	kill TERM => $psql->{pid} if $psql->{lost};
	close $psql->{in};
	close $psql->{out};
	waitpid $psql->{pid}, 0;
	return;
}

1;
