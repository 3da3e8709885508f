# Twins.pm
#	  Two servers that are file copies of each other but for one unit, driven in lockstep.
#
# Each gets the same scripts in the same order, statement by statement, in two sessions: one of the role "analyst", one of
# "observer", who looks on.  Everything that the servers send is compared, byte by byte; after each script also what the
# session has spent.  Transaction ids and OIDs come out of counters that are equal to begin with, so that they stay equal
# unless rows have a say.
#
# A script is a list of steps; a step is { sql, who => 0 or 1, how => simple, or extended with parameters, rows, binary }.
#
package Twins;

use strict;
use warnings;

use Cwd qw(getcwd);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);

use Open qw(left_out);
use Wire;

use constant ROLES => qw(analyst observer);

# Scripts after which sessions begin anew, and what was made in schema mine goes.
use constant RENEW_AFTER => 50;

# As many sessions as there may be at a time: more than there are.
use constant SESSIONS => 16;

# At most so many times everything is vacuumed.
use constant VACUUMS => 10;

# The start of an SQLSTATE that says how long or how much it took: the other server may have been just below.
use constant RESOURCES => qr/^(?:57014|53[0-3])/;

# What the restricted roles find set.  No plan and no message may depend on when something was last cleaned up.
use constant CONF => (
	'max_connections = ' . SESSIONS, 'max_locks_per_transaction = 256', 'fsync = off', 'autovacuum = off', 'jit = off', 'checkpoint_timeout = 1d', 'max_wal_size = 4GB',
	'log_min_error_statement = panic', 'log_min_messages = fatal', 'TimeZone = UTC');
use constant ROLE_SETTINGS => (
	'dpriv.epsilon = 0.5', 'dpriv.delta = 1e-15', 'statement_timeout = 20000', 'lock_timeout = 200', 'search_path = mine, public',
	'work_mem = 1024');

# In the second server: adult without the unit, visit with other values, few without it.
use constant CHANGES => (
	'DELETE FROM adult WHERE id = 7341', 'DELETE FROM few WHERE id = 7341',
	'UPDATE visit SET (id, name, age, sex, income, workclass, education, num, gain, pay, w, r, ok, born, seen, stamp, lap, clock, code,
		addr, data, bits, tags, reals, doc, note) = (SELECT id, name, age, sex, income, workclass, education, num, gain, pay, w, r, ok, born,
		seen, stamp, lap, clock, code, addr, data, bits, tags, reals, doc, note FROM visit WHERE id = 5 AND pay = 5) WHERE id = 7341');

# Those that may be running, to be stopped before their files go.
my @started;

END
{
	my $status = $?;
	$_->remove foreach grep { $_->{pid} == $$ } @started;
	$? = $status;
}

# Stop both, and remove their files.
sub remove
{
	my ($self) = @_;
	system('test/bin/cluster', 'stop', $_) foreach @{ $self->{dir} };
	rmdir dirname($self->{dir}[0]);
	@started = grep { $_ != $self } @started;
	return;
}

# Identical ones, with this library.
sub new
{
	my ($class, $lib) = @_;
	my $tmp = tempdir('dpriv-twins-XXXXXX', TMPDIR => 1, CLEANUP => 1);
	my $self = bless { dir => [ "$tmp/1", "$tmp/2" ], bin => `$ENV{PG_CONFIG} --bindir`, pid => $$, session => [] }, $class;
	my ($one, $two) = @{ $self->{dir} };

	chomp $self->{bin};
	push @started, $self;
	system('test/bin/cluster', 'start', $one, '--lib', $lib, CONF) == 0 or die "the server did not start\n";
	$self->{running}[0] = 1;
	open my $file, '<', dirname(__FILE__) . '/setup.sql' or die "setup.sql: $!\n";
	$self->admin(0, join '', readline $file);
	foreach my $role (ROLES, 'reader')
	{
		$self->admin(0, "ALTER ROLE $role SET $_") foreach ROLE_SETTINGS;
	}
	$self->make_temp_schemas;
	$self->admin(0, 'VACUUM (FREEZE, ANALYZE)');
	$self->stop;
	system('mkdir', '-m', '700', $two) == 0 && system('cp', '-a', "$one/data", "$two/data") == 0 or die "cp failed\n";
	system('sed', '-i', "s|$one|$two|", "$two/data/postgresql.conf") == 0 or die "sed failed\n";
	$self->start;
	return $self;
}

sub ctl
{
	my ($self, $which, @arguments) = @_;
	my $dir = $self->{dir}[$which];
	system("$self->{bin}/pg_ctl -D $dir/data -l $dir/log -w -s @arguments </dev/null >&2") == 0 or die "pg_ctl @arguments failed\n";
	return;
}

sub start
{
	my ($self) = @_;
	foreach my $which (0, 1)
	{
		$self->ctl($which, 'start');
		$self->{running}[$which] = 1;
	}
	return;
}

sub stop
{
	my ($self) = @_;
	$self->leave;
	foreach my $which (grep { $self->{running}[$_] } 0, 1)
	{
		$self->ctl($which, '-m', 'fast', 'stop');
		$self->{running}[$which] = 0;
	}
	return;
}

# Schemas of temporary objects belong to numbers that backends have by chance: that of the one that ended last, before PostgreSQL 16, and
# later that of the one that ended first, so that all come to be used. Made before, for all numbers, they take no OIDs later.
sub make_temp_schemas
{
	my ($self) = @_;
	my @sessions;

	while (@sessions < SESSIONS)
	{
		my $session = eval { Wire->connect($self->{dir}[0], 'postgres', 'postgres') };

		# One that was before may not have gone yet.
		die $@ if !$session && $@ !~ /\bC53300\b/;
		push @sessions, $session if $session;
	}
	foreach my $session (@sessions)
	{
		$session->send(Wire::simple('CREATE TEMP TABLE t (i int); DROP TABLE t'));
		die "no temporary schema\n" if Wire::states($session->answer);
	}
	$_->close foreach @sessions;
	my ($schemas) = $self->admin(0, q{SELECT count(*) FROM pg_namespace WHERE nspname ~ '^pg_temp_\d'});
	die "$schemas temporary schemas\n" if $schemas != SESSIONS;
	return;
}

# Runs SQL as a superuser in one of them, in one transaction, and returns the first column of what it answers.
sub admin
{
	my ($self, $which, $sql) = @_;
	my $session = Wire->connect($self->{dir}[$which], 'postgres', 'postgres');

	$session->send(Wire::simple($sql));
	my $answer = $session->answer;
	die "failed: $sql\n" . Wire::describe($answer) if Wire::states($answer);
	$session->close;
	return map { my ($length) = unpack 'x2 N', $_->[1]; $length == 0xffffffff ? undef : substr $_->[1], 6, $length }
	  grep { $_->[0] eq 'D' } Wire::messages($answer);
}

# Take the unit out of the second one.  What counts transactions and OIDs is the same in both afterwards.
sub part
{
	my ($self) = @_;

	$self->admin(0, 'SELECT txid_current()');
	$self->admin(1, join ';', CHANGES);
	$self->level;
	return;
}

# Statistics as fresh in one as in the other, and equal counters.  Cleaning up may take another number of transactions in one than in
# the other (shortening a table takes one), which shows in what is frozen next; so it is done again until it takes as many in both.
sub level
{
	my ($self) = @_;

	$self->leave;
	$self->vacuum;
	foreach (2 .. VACUUMS)
	{
		return if $self->vacuum;
	}
	die "cleaning up never takes as many transactions in one as in the other\n";
}

# Returns whether both took as many transactions, since they began with the same number.
sub vacuum
{
	my ($self) = @_;

	$self->admin($_, 'VACUUM (FREEZE, ANALYZE)') foreach 0, 1;
	$self->stop;
	my ($xid, $oid) = (0, 0);
	my %different;
	foreach my $dir (@{ $self->{dir} })
	{
		my $control = `$self->{bin}/pg_controldata $dir/data`;
		my ($x, $o) = ($control =~ /NextXID: +\d+:(\d+)/, $control =~ /NextOID: +(\d+)/) or die "pg_controldata failed\n";
		$different{$x} = 1;
		$xid = $x if $x > $xid;
		$oid = $o if $o > $oid;
	}
	foreach my $dir (@{ $self->{dir} })
	{
		system("$self->{bin}/pg_resetwal -x $xid -o $oid $dir/data >&2") == 0 or die "pg_resetwal failed\n";
	}
	$self->start;
	return keys %different == 1;
}

# As new, but for what was charged and written.
sub clean
{
	my ($self) = @_;
	$self->level;
	$self->renew;
	return;
}

# --- sessions

# End all sessions.
sub leave
{
	my ($self) = @_;
	$_->close foreach map { $_ ? @$_ : () } @{ $self->{session} };
	$self->{session} = [];
	return;
}

# Begin anew, in an empty schema.
sub renew
{
	my ($self) = @_;

	$self->leave;
	foreach my $which (0, 1)
	{
		# As many transactions in one as in the other, and none of the sessions before.
		1 until ($self->admin($which, "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('analyst', 'observer', 'reader')"))[0] == 0;
		$self->admin($which, 'DROP SCHEMA mine CASCADE; CREATE SCHEMA mine AUTHORIZATION analyst');
	}
	$self->{history} = [];
	return;
}

# The sessions of a role in both.
sub sessions
{
	my ($self, $who) = @_;
	my $role = $self->{role} // (ROLES)[$who];
	my $sessions = $self->{session}[$who];

	return $sessions if $sessions && !grep { $_->ended } @$sessions;
	return $self->{session}[$who] = [ map { Wire->connect($_, $role, 'postgres') } @{ $self->{dir} } ];
}

# All sessions are of this role from now on.
sub as
{
	my ($self, $role) = @_;
	$self->renew;
	$self->{role} = $role;
	return;
}

# Backends and the processes that they are in have numbers by chance; sorting says how long it took.  Returns the messages.
sub normal
{
	my ($bytes) = @_;
	return map {
		my ($type, $body) = @$_;
		$body =~ s/\b(pg_(?:toast_)?temp)_\d+/$1/g;
		$body =~ s/\b(user|system|elapsed): \d+\.\d+ s\b/$1/g;
		substr $body, 0, 4, '' if $type eq 'A';
		$type . $body;
	} grep { $_->[0] ne 'N' || $_->[1] !~ /\0M([^\0]*)/ || !left_out('message', $1) } Wire::messages($bytes);
}

# Send bytes to both, and read what they answer, as often as something is sent that is answered.
sub exchange
{
	my ($self, $who, @bytes) = @_;
	my $sessions = $self->sessions($who);
	my @answers = ('', '');

	foreach my $which (0, 1)
	{
		$sessions->[$which]->send(join '', @bytes);
	}
	foreach my $which (0, 1)
	{
		foreach (@bytes)
		{
			$answers[$which] .= $sessions->[$which]->answer unless $sessions->[$which]->ended;
		}
	}
	return @answers;
}

# Run a script in both.  Returns undef if they are told the same, else the two answers to the first step that differs.
# {seen} has the SQLSTATEs of the script, {paid} whether something was charged, {unsure} whether time or memory were short, and
# {history} the scripts of these sessions, with this one.
sub difference
{
	my ($self, $script) = @_;
	my ($difference, %used);

	$self->renew if !$self->{history} || @{ $self->{history} } >= RENEW_AFTER;
	push @{ $self->{history} }, $script;
	@$self{qw(seen paid unsure)} = ([], 0, 0);
	foreach my $step (@$script)
	{
		my $who = $step->{who} // 0;
		my $bytes = ($step->{how} // 'simple') eq 'simple' ? Wire::simple($step->{sql})
		  : Wire::extended($step->{sql}, $step->{parameters} // [], $step->{rows} // 0, $step->{binary} // 0);
		my @answers = $self->exchange($who, $bytes);
		$used{$who} = 1;
		$difference //= $self->compare($step, @answers);
		last if $difference || $self->{unsure};
	}
	foreach my $who (sort keys %used)
	{
		my @answers = $self->exchange($who, map { Wire::simple($_) } 'ROLLBACK', 'DISCARD ALL',
			'SELECT dpriv.session_spent() AS spent, dpriv.session_spent_delta()');
		my ($spent) = map { substr $_->[1], 6, unpack 'x2 N', $_->[1] } grep { $_->[0] eq 'D' } Wire::messages($answers[0]);
		my $sessions = $self->sessions($who);
		my $before = $sessions->[0]{spent} // 0;
		$self->{paid} = 1 if defined $spent && $spent != $before;
		$sessions->[0]{spent} = $spent // 0;
		$difference //= $self->compare({ sql => 'afterwards' }, @answers);
	}
	if ($self->{unsure})
	{
		$self->clean;
		return;
	}
	return $difference;
}

sub compare
{
	my ($self, $step, @answers) = @_;
	my @states = Wire::states($answers[0]);

	push @{ $self->{seen} }, @states;
	return if $answers[0] eq $answers[1];
	if (grep { $_ =~ RESOURCES } @states, Wire::states($answers[1]))
	{
		$self->{unsure} = 1;
		return;
	}
	my ($one, $two) = map { [ normal($_) ] } @answers;
	return if "@$one" eq "@$two";
	my $message = 0;
	$message++ while ($one->[$message] // '') eq ($two->[$message] // '');
	return { step => $step, answers => \@answers, messages => [ $one->[$message] // '', $two->[$message] // '' ] };
}

1;
