#!/bin/sh
# The regression suite with the server under valgrind.  Reports whose stack goes through dpriv's code fail it;
# Debian's server is not built for valgrind, so it has reports of its own, which are not counted.
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

# Prints valgrind's reports (blank lines between them carry only the process id) that mention our library
# or its sources.
reports() {
	cat "$logs/$1"/* | sed 's/^==[0-9]*== \{0,1\}//' |
		perl -00 -ne "print if m{dpriv\\.so|$2/src/|\\bdpriv_}"
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
[ -n "$(reports planted "$planted/ext")" ] || { echo "the planted error was not found"; exit 1; }

status=0
DPRIV_WRAP=$(memcheck suite) DPRIV_PATIENCE=30 DPRIV_LOG=build/long/valgrind/log \
	test/bin/suites.pl regression || status=$?
ext=$(find "$PWD"/build/pg*/ext -maxdepth 0 | head -n 1)
found=$(reports suite "$ext")
[ -z "$found" ] || { echo "$found"; echo "reports from dpriv's code"; exit 1; }
echo "$(find "$logs/suite" -type f | wc -l) processes, no reports from dpriv's code"
exit $status
