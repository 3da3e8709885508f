# Variant.pm
#	  Libraries of the extension built with other flags or from patched sources, and sessions that use them.
#
# A session chooses its library: the server preloads none, and LOAD finds the one in dynamic_library_path.
#
package Variant;

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use Fcntl qw(:flock);
use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT_OK = qw(build_library build_mutant mutants node preamble script);

my $root  = abs_path(dirname(__FILE__) . '/../..');
my $built = "$root/build/audit";

# Audits may run side by side: while a directory is built or read nobody else builds there.
sub locked
{
	my ($name, $how, $do) = @_;
	make_path($built);
	open my $lock, '>>', "$built/$name.lock" or die "$name.lock: $!\n";
	flock $lock, $how or die "$name.lock: $!\n";
	return $do->();
}

# Builds are unoptimised and without bitcode: they are made to be read, many of them.
sub build
{
	my ($name, $source, $flags) = @_;
	my $dir = "$built/$name";
	local $ENV{DPRIV_SRC} = $source;
	local $ENV{COPT}      = '-O0';
	my $failed = locked($name, LOCK_EX, sub {
		system("'$root/test/bin/build' --dir '$dir' with_llvm=no 'DPRIV_CPPFLAGS=$flags' >'$dir.log' 2>&1");
	});
	die "the build of $name failed:\n" . slurp_file("$dir.log") if $failed;
	return $dir;
}

# The directory of a library from the sources as they are; flags such as -DDPRIV_AUDIT.
sub build_library
{
	my ($name, $flags) = @_;
	return build($name, "$root/src", $flags // '');
}

# Patched sources, from the mutants in a folder beside this file: what is wrong, which checks must notice, whether it
# is part of the quick suite, which case shows it soonest, and lines of sed by source file.
sub mutants
{
	my ($folder) = @_;
	my @mutants;
	foreach my $file (sort glob dirname(__FILE__) . "/$folder/*")
	{
		my %mutant = (name => basename($file), scripts => {});
		my $target;
		foreach my $line (split /\n/, slurp_file($file))
		{
			if    ($line =~ /^# caught by: (.+)$/) { $mutant{caught} = [ split / or /, $1 ] }
			elsif ($line =~ /^# first: (.+)$/)     { $mutant{first} = $1 }
			elsif ($line =~ /^# quick$/)           { $mutant{quick} = 1 }
			elsif ($line =~ /^# (.+)$/)            { $mutant{what} //= $1 }
			elsif ($line =~ /^(src\/\S+)$/)        { $target = $1 }
			elsif ($line ne '')                    { $mutant{scripts}{ $target // die "$file names no source" } .= "$line\n" }
		}
		push @mutants, \%mutant;
	}
	return @mutants;
}

# A mutant's library, built on top of the objects of another build with the same flags, so that only the patched
# files are compiled.  Dies if a script changes nothing.
sub build_mutant
{
	my ($mutant, $like, $flags) = @_;
	my $name   = "mutant-$mutant->{name}" . ($flags ? '-recording' : '');
	my $source = "$built/source-$name";
	remove_tree("$built/$name", $source);
	my $failed = locked(basename($like), LOCK_SH, sub {
		system('cp', '-a', "$root/src", $source) || system('cp', '-a', $like, "$built/$name");
	});
	die "cp failed" if $failed;
	foreach my $file (sort keys %{ $mutant->{scripts} })
	{
		my $patched = $file =~ s{^src/}{$source/}r;
		my @script  = grep { $_ ne '' } split /\n/, $mutant->{scripts}{$file};
		foreach my $line (@script)
		{
			my $old = slurp_file($patched);
			system('sed', '-i', $line, $patched) == 0 or die "$mutant->{name}: sed failed: $line";
			die "$mutant->{name} changes nothing in $file: $line\n" if slurp_file($patched) eq $old;
		}
	}
	my $dir = build($name, $source, $flags);
	remove_tree($source);
	return $dir;
}

# A running server without any library preloaded.
sub node
{
	my ($name) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init;
	$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = ''
fsync = off
autovacuum = off
jit = off
CONF
	$node->start;
	return $node;
}

# What a session says first.  Deltas are large here, and each release would say so.
sub preamble
{
	my ($library) = @_;
	return "SET dynamic_library_path = '$library:\$libdir';\nLOAD 'dpriv';\nSET client_min_messages = error;\n";
}

# Run SQL in a new session with this library; returns exit status, output and errors.
sub script
{
	my ($node, $library, $sql) = @_;
	my ($out, $err) = ('', '');
	my $status = $node->psql('postgres', preamble($library) . $sql,
		stdout => \$out, stderr => \$err, on_error_die => 0, on_error_stop => 1,
		extra_params => [ '-F', '~' ]);
	return ($status, $out, $err);
}

1;
