# Wire.pm
#	  A client of PostgreSQL that shows every byte the server sends.
#
# Drivers and psql show what they take to be of interest; whoever attacks reads the protocol.  Startup aside, nothing
# is interpreted here but where an answer ends.
#
package Wire;

use strict;
use warnings;

use IO::Select;
use IO::Socket::UNIX;

# Seconds without a byte after which a server is taken to hang.
use constant PATIENCE => 120;

# A session of a role over the socket in a directory.
sub connect
{
	my ($class, $dir, $role, $database) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => "$dir/.s.PGSQL.5432") or die "no server in $dir: $!\n";
	my $self = bless { socket => $socket, buffer => '' }, $class;
	my $startup = pack 'N(Z*)*x', 0x30000, user => $role, database => $database, application_name => 'client';

	$self->send(pack('N', 4 + length $startup) . $startup);
	my $hello = $self->answer;
	die "cannot connect to $dir as $role: " . describe($hello) if $hello !~ /Z\x00\x00\x00\x05I$/;
	return $self;
}

sub message
{
	my ($type, $body) = @_;
	return $type . pack('N', 4 + length $body) . $body;
}

# What to send for a statement.
sub simple
{
	my ($sql) = @_;
	return message('Q', "$sql\0");
}

# The same with parameters, whose types the server infers; rows in portions if a size is given; format 1 is binary.
sub extended
{
	my ($sql, $parameters, $rows, $format) = @_;
	my $values = join '', map { defined ? pack('N/a*', $_) : pack('N', 0xffffffff) } @$parameters;

	return
	    message('P', "\0$sql\0" . pack('n', 0))
	  . message('B', "\0\0" . pack('n n', 0, scalar @$parameters) . $values . pack('n n', 1, $format))
	  . message('D', "P\0")
	  . message('E', "\0" . pack('N', $rows)) x ($rows ? 3 : 1)
	  . message('S', '');
}

sub send
{
	my ($self, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';

	while (length $bytes)
	{
		my $sent = syswrite $self->{socket}, $bytes;
		return if !defined $sent;    # the end of the session is told by what answer() reads
		substr $bytes, 0, $sent, '';
	}
	return;
}

# All bytes until the server is ready for the next statement, or until it ends the session.
sub answer
{
	my ($self) = @_;
	my $at = 0;

	while (1)
	{
		while (length $self->{buffer} >= $at + 5)
		{
			my ($type, $length) = unpack "x$at a N", $self->{buffer};
			last if length $self->{buffer} < $at + 1 + $length;
			$at += 1 + $length;
			$self->send(message('f', "no data\0")) if $type eq 'G';
			return substr $self->{buffer}, 0, $at, '' if $type eq 'Z';
		}
		IO::Select->new($self->{socket})->can_read(PATIENCE) or die "the server does not answer\n";
		sysread $self->{socket}, $self->{buffer}, 65536, length $self->{buffer} or last;
	}
	$self->{ended} = 1;
	return delete $self->{buffer};
}

sub ended
{
	my ($self) = @_;
	return $self->{ended};
}

sub close
{
	my ($self) = @_;
	$self->send(message('X', ''));
	close $self->{socket};
	return;
}

# An answer as [type, body] for each message.
sub messages
{
	my ($bytes) = @_;
	my @messages;

	while ($bytes =~ /\G(.)(....)/gcs)
	{
		my ($type, $length) = ($1, unpack 'N', $2);
		push @messages, [ $type, substr $bytes, pos $bytes, $length - 4 ];
		pos($bytes) += $length - 4;
	}
	return @messages;
}

# SQLSTATEs of the errors in an answer.
sub states
{
	my ($bytes) = @_;
	return map { $_->[1] =~ /\0?C(\w{5})\0/ ? $1 : () } grep { $_->[0] eq 'E' } messages($bytes);
}

# An answer for people.
sub describe
{
	my ($bytes) = @_;
	return join '', map { my ($type, $body) = @$_; "$type  " . ($body =~ s/[^ -~\t]+/ | /gr) . "\n" } messages($bytes);
}

1;
