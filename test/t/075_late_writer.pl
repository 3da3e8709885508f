#
# 075_late_writer.pl
#	  A commit that comes after charges alone is not flushed again; one to which another library has added is.
#
# A library that is loaded before dpriv hears of a commit after it, and may still write then.
#
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use Ledger;

my $node = Ledger::server('late');
my $dir  = PostgreSQL::Test::Utils::tempdir();
my $db   = 'postgres';

append_to_file("$dir/late.c", <<'C');
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static bool writes = false;

static void
commit(XactEvent event, void *arg)
{
	if (event != XACT_EVENT_PRE_COMMIT || !writes)
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
	SPI_execute("INSERT INTO public.late VALUES (1)", false, 0);
	SPI_finish();
	PopActiveSnapshot();
}

void
_PG_init(void)
{
	DefineCustomBoolVariable("late.writes", "Write at every commit.", NULL, &writes, false, PGC_USERSET, 0, NULL, NULL,
							 NULL);
	RegisterXactCallback(commit, NULL);
}
C
my %config = map { $_ => $node->config_data("--$_") } qw(cc includedir-server);
system("$config{cc} -shared -fPIC -I'$config{'includedir-server'}' -o '$dir/late.so' '$dir/late.c'") == 0 or die "late.c was not compiled\n";

# Nobody else writes or flushes.
$node->append_conf('postgresql.conf', "shared_preload_libraries = '$dir/late, dpriv'\nwal_writer_delay = 10s\nbgwriter_delay = 10s\n");
$node->start;
Ledger::prepare($node, $db);
Ledger::table($node, $db, 't');
$node->safe_psql($db, 'CREATE TABLE late (x int)');

# Is the end of the log on disk, after a release in a transaction of its own?
sub is_flushed
{
	my ($setting) = @_;
	my ($out) = Ledger::as($node, $db, undef, "SET $setting;\n" . Ledger::release('t', 1)
		  . 'SELECT pg_current_wal_insert_lsn() <= pg_current_wal_flush_lsn();');
	return $out;
}

is(is_flushed('late.writes = off'), "answer\nf", 'a commit after a charge waits for nothing');
is(is_flushed('late.writes = on'), "answer\nt", 'if a library has written at the commit, it waits');
$node->stop('immediate');
$node->start;
cmp_ok($node->safe_psql($db, 'SELECT count(*) FROM late'), '>', 0, 'which is there after a crash');
is($node->safe_psql($db, 'SELECT count(*) FROM dpriv.charges'), '2', 'with both charges');
Ledger::intact($node, $db, 'afterwards');
$node->stop;
done_testing();
