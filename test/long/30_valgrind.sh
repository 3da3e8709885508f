#!/bin/sh
# The regression suite with the server under valgrind.  Reports from dpriv's code fail it: those that have it among
# the innermost five frames, so that what it hands to palloc or memcpy counts.  Further out it is below most of
# what an inner query does, and Debian's server, not built for valgrind, has reports of its own (in LLVM above all).
# The log's pages have gaps of memory that nobody set, which whoever flushes it writes: PostgreSQL's own list of what to
# ignore has that too.
# First a planted use of uninitialised memory shows that reports are found.
set -eu
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
logs=$PWD/build/long/valgrind
rm -rf "$logs"
mkdir -p "$logs/planted" "$logs/suite"

memcheck() {
	echo "valgrind --quiet --trace-children=yes --leak-check=no --error-limit=no --fullpath-after= \
--num-callers=30 --log-file=$logs/$1/%p"
}

# Prints the reports in a directory of logs that are from our code.  Each line carries the process id; blank lines
# separate reports.
reports() {
	cat "$logs/$1"/* | sed 's/^==[0-9]*== \{0,1\}//' | perl -00 -ne '
		my @frames = /^ +(?:at|by) 0x.*$/mg;
		next if /pwrite64\(buf\)/ && /XLogFlush/;
		$#frames = 4 if @frames > 5;
		print if grep { m{dpriv\.so|/ext/src/|\bdpriv_} } @frames;'
}

planted=$PWD/build/planted
rm -rf "$planted"
mkdir -p "$planted"
cp -a src "$planted/patched"
cat >>"$planted/patched/dpriv.c" <<'C'

static __attribute__((constructor)) void
planted(void)
{
	volatile char *byte = malloc(1);

	if (*byte)
		fputs("planted", stderr);
}
C
DPRIV_SRC=$planted/patched test/bin/build --dir "$planted/ext"
cluster=$(mktemp -d)/s
test/bin/cluster start "$cluster" --lib "$planted/ext" --wrap "$(memcheck planted)"
test/bin/cluster stop "$cluster"
rmdir "$(dirname "$cluster")"
[ -n "$(reports planted)" ] || { echo "the planted error was not found"; exit 1; }

status=0
DPRIV_WRAP=$(memcheck suite) DPRIV_PATIENCE=30 DPRIV_LOG=build/long/valgrind/log \
	test/bin/suites.pl regression || status=$?
found=$(reports suite)
[ -z "$found" ] || { echo "$found"; echo "reports from dpriv's code"; exit 1; }
echo "$(find "$logs/suite" -type f | wc -l) processes, no reports from dpriv's code"
exit $status
