#!/bin/sh
# Budgets and charges move to later majors with pg_dump and pg_upgrade, where these are installed beside this one.
#   DPRIV_MAJORS   default: those after 15 of which /usr/lib/postgresql has a server with development files
set -eu
. test/bin/lib.sh

from=$PG_CONFIG
major=$(pg_major "$from")
majors=${DPRIV_MAJORS:-$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | sort -n)}
done=''
for to in $majors; do
	config=/usr/lib/postgresql/$to/bin/pg_config
	[ "$to" -gt "$major" ] && has_pgxs "$config" && [ -x "/usr/lib/postgresql/$to/bin/postgres" ] || continue
	echo "== $major to $to"
	target=$(PG_CONFIG=$config test/bin/build --tree)
	DPRIV_UPGRADE_TO=$target PG_CONFIG=$from DPRIV_LOG=build/long/upgrade-$to \
		test/bin/suites.pl test/t/074_ledger_dump.pl
	done="$done $to"
done
[ -n "$done" ] || { echo "no later major than $major is installed with development files"; exit 77; }
echo "from $major to$done"
