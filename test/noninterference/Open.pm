# Open.pm
#	  What random statements leave out, and why: the only place.
#
# Everything else in the catalogs is looked at and called.  A line is a kind, a pattern that has to match all of the name,
# and the reason.  Names are "view", "view.column" and "function" of pg_catalog and information_schema.  Of kind "rows" it is a view,
# the reason, and the condition on its rows that are looked at.  A "message" is left out of what is compared.
#
# OPEN are channels that docs/security.md lists as open: they do tell of rows.  A line goes when the channel is closed; the
# test then looks there.  DIFFERS are things that are not the same in any two servers or at any two times, whatever the rows.
# DISTURBS is what would end the comparison instead of telling something.
#
package Open;

use strict;
use warnings;

use Exporter qw(import);

our @EXPORT_OK = qw(left_out rows_of);

use constant OPEN => (
	[ 'rows',     'pg_stats', 'the order of rows, as below', 'true ORDER BY schemaname, tablename, attname, inherited' ],
	[ 'message',  'varstr_abbrev: .*', 'the order in which pg_stats is read follows from where ANALYZE has put rows of all relations' ],
	[ 'column',   'pg_stat_activity\.wait_event(?:_type)?', 'what a session waits for tells of time' ]);

use constant DIFFERS => (
	[ 'function', '(?:clock_|statement_|transaction_)?timestamp|now|timeofday|age|pg_conf_load_time|pg_postmaster_start_time', 'time' ],
	[ 'function', 'pg_xact_commit_timestamp.*|pg_last_committed_xact|pg_last_xact_replay_timestamp|pg_control_system', 'time' ],
	[ 'message',  'io \d+ *\|op .*|aio: .*', 'buffers of the server, as asynchronous reads from 18 on trace them' ],
	[ 'message',  'sending sinval catchup signal .*', 'how far other processes lag behind' ],
	[ 'function', 'random.*|gen_random_uuid|uuidv7|uuidv4', 'random numbers' ],
	[ 'function', 'pg_backend_pid|pg_blocking_pids|pg_safe_snapshot_blocking_pids|pg_isolation_test_session_is_blocked|pg_lock_status', 'processes' ],
	[ 'function', 'pg_stat_get_(?:activity|backend_.*|progress_info|snapshot_timestamp|wal_.*)', 'processes and time' ],
	[ 'column',   '.*\.(?:pid|leader_pid|virtualxid|virtualtransaction|backend_start|xact_start|query_start|state_change)', 'processes and time' ],
	[ 'function', 'pg_my_temp_schema|pg_export_snapshot|pg_notification_queue_usage', 'numbers of processes' ],
	[ 'rows',     'pg_stat_activity', 'processes of the server', 'usename IS NOT NULL' ],
	[ 'rows',     'pg_stat(?:io)?_.*_(?:tables|indexes|sequences)', 'counters of catalogs and of what is not protected, until they are reported after a second',
		"relname IN ('adult', 'visit_1', 'visit_2', 'few')" ],
	[ 'view',     'pg_(?:cursors|prepared_statements|prepared_xacts)', 'time, in columns' ],
	[ 'function', 'pg_cursor|pg_prepared_statement|pg_prepared_xact', 'the same' ],
	[ 'view',     'pg_(?:backend_memory_contexts|shmem_allocations|dsm_registry_allocations).*', 'addresses and processes' ]);

use constant DISTURBS => (
	[ 'function', 'pg_(?:sleep.*|terminate_backend|cancel_backend)', 'takes time, or ends sessions' ],
	[ 'function', 'repeat|lpad|rpad|generate_series.*|.*array_fill|factorial|power|exp|dexp|dpow|numeric_(?:exp|power|fac)', 'results without bound' ]);

# Is this left out?
sub left_out
{
	my ($kind, $name) = @_;
	foreach my $line (OPEN, DIFFERS, DISTURBS)
	{
		return 1 if $line->[0] eq $kind && $name =~ /^(?:$line->[1])$/;
	}
	return 0;
}

# A view without the rows that are left out.
sub rows_of
{
	my ($view) = @_;
	my ($line) = grep { $_->[0] eq 'rows' && $view =~ /^(?:pg_catalog\.)?(?:$_->[1])$/ } OPEN, DIFFERS;
	return $line ? "(SELECT * FROM $view WHERE $line->[3]) AS v" : "$view AS v";
}

1;
