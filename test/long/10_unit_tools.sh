#!/bin/sh
# The unit programs under valgrind, and under the undefined behaviour and address sanitizers.
set -eu
[ -e test/unit/Makefile ] || { echo "there are no unit programs"; exit 77; }
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
make -s -C test/unit valgrind PG_CONFIG="$PG_CONFIG"
make -s -C test/unit ubsan PG_CONFIG="$PG_CONFIG"
echo "no reports"
