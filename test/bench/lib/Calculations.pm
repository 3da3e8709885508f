# Calculations.pm
#	  Sections draws and accounting: what is calculated without any rows.
#
package Calculations;

use strict;
use warnings;

use Exporter qw(import);
use List::Util qw(max min);
use Numbers qw(median ms);
use Server qw(start_cluster stop_cluster open_session close_session query);
use Table qw(ALLOWANCE progress look_around verdict add_cells add_row);

our @EXPORT_OK = qw(draws accounting);

use constant DRAWS_BAR => 2;                              # million per second
use constant DRAWS     => qr/^laplace, scale 1000\s{2,}/;    # the line of test/unit/bench.c

# Megabytes of a session, and as many different mechanisms as a list may have.
use constant MEMORY_BAR => 64;
use constant MECHANISMS => 500;

# Discrete Laplace draws, without a server.
sub draws
{
	progress('draws');
	look_around();
	my @line = grep { $_ =~ DRAWS } `make -s -C test/unit bench PG_CONFIG=$ENV{PG_CONFIG}`;
	die "the unit programs do not measure what is asked for\n" unless @line == 1;
	my ($median, $fastest) = $line[0] =~ m{([\d.]+) million/s \(fastest ([\d.]+)\)} or die "cannot read: $line[0]";

	add_cells('discrete Laplace, scale 1000, one core', '', '', "$median million/s", "fastest $fastest",
		'>= ' . DRAWS_BAR, verdict($median >= DRAWS_BAR, $median >= DRAWS_BAR * (1 - ALLOWANCE)));
}

# One call of an accounting function: a query with many calls, less the same query without.
sub accounting
{
	my ($option) = @_;
	my $dir = start_cluster('jit = off', 'max_parallel_workers_per_gather = 0');
	my $sql = open_session($dir);

	progress('accounting');
	query($sql, 'CREATE EXTENSION dpriv');
	foreach my $case (
		# expression of i = 1, 2, ..., calls, milliseconds for one
		[ 'gaussian_sigma', 'dpriv.gaussian_sigma(1, 0.1 + i * 1e-5, 1e-6)', 20_000, 0.020 ],
		[
			'dpsgd_epsilon, rdp, 14,063 steps',
			q{dpriv.dpsgd_epsilon(1.1 + i * 1e-5, 256 / 60000.0, 14063, 1e-5, 'rdp')}, 300, 2
		],
		[ 'dpsgd_epsilon, pld, 14,062 steps', 'dpriv.dpsgd_epsilon(1.1 + i * 1e-5, 256 / 60000.0, 14062, 1e-5)', 20, 50 ],
		[
			'dpsgd_noise_multiplier, pld, 14,062 steps',
			'dpriv.dpsgd_noise_multiplier(2 + i * 1e-5, 1e-5, 256 / 60000.0, 14062)', 3, 1000
		],
		[
			'pld_epsilon, 1,000,000 sampled Gaussians',
			"dpriv.pld_epsilon(ARRAY[('sampled_gaussian', ARRAY[0.001, 1 + i * 1e-5], 1000000)]::dpriv.mechanism[], 1e-6)",
			3, 1000
		],
		[
			'compose_advanced, optimal, k = 1,000,000',
			"(dpriv.compose_advanced(0.001 + i * 1e-9, 0, 1000000, 1e-6, 'optimal')).epsilon", 50, 50
		])
	{
		my ($label, $call, $calls, $bar) = @$case;
		my (@plain, @private, @each);

		look_around();
		foreach my $pair (0 .. $option->{pairs})
		{
			my ($plain, $private) =
			  map { (query($sql, "SELECT sum($_) FROM generate_series(1, $calls) AS i"))[1] } ('sqrt(i)', $call);
			next if $pair == 0;    # warm up
			push @plain,   $plain;
			push @private, $private;
			push @each,    ($private - $plain) / $calls;
		}
		add_row("$label, $calls calls", ms(median(@plain)), ms(median(@private)), median(@each),
			sprintf('%.4f to %.4f', min(@each), max(@each)), $bar, $bar * (1 + ALLOWANCE), '%.4f ms a call');
	}
	close_session($sql);
	measure_memory($dir, @$_)
	  foreach (
		[ 'dpsgd_noise_multiplier, pld, 14,062 steps', 'dpriv.dpsgd_noise_multiplier(2, 1e-5, 256 / 60000.0, 14062)' ],
		[
			'pld_epsilon, 1,000,000 sampled Gaussians',
			"dpriv.pld_epsilon(ARRAY[('sampled_gaussian', ARRAY[0.001, 1], 1000000)]::dpriv.mechanism[], 1e-6)"
		],
		[
			'pld_epsilon, ' . MECHANISMS . ' different mechanisms',
			q{dpriv.pld_epsilon((SELECT array_agg(('sampled_gaussian', ARRAY[0.001 + i * 1e-6, 1], 1000)::dpriv.mechanism)}
			  . ' FROM generate_series(1, '
			  . MECHANISMS
			  . ') AS i), 1e-6)'
		]);
	stop_cluster($dir);
}

# How much further a session's memory grows at its peak with one call than with a plain one.
sub measure_memory
{
	my ($dir, $label, $call) = @_;
	my @peak = map {
		my $sql = open_session($dir);
		my ($pid) = query($sql, 'SELECT pg_backend_pid()');

		query($sql, 'LOAD \'dpriv\'');
		query($sql, "SELECT $_");
		my ($kb) = `cat /proc/$pid/status` =~ /^VmHWM:\s+(\d+) kB/m or die "cannot read the peak of $pid\n";
		close_session($sql);
		$kb * 1024e-6;
	} ('dpriv.gaussian_sigma(1, 0.1, 1e-6)', $call);
	my $value = $peak[1] - $peak[0];

	add_cells("$label, memory", (map { sprintf '%.1f MB', $_ } @peak),
		sprintf('%.1f MB', $value), '', '<= ' . MEMORY_BAR, verdict(($value <= MEMORY_BAR) x 2));
	progress(sprintf '  %s, memory: %.1f MB', $label, $value);
}

1;
