#!/bin/sh
# The suites of a server again, on a build with assertions and without warnings.
set -eu
dir=$PWD/build/assertions
COPT=-Werror test/bin/build --dir "$dir" DPRIV_CPPFLAGS=-DUSE_ASSERT_CHECKING=1
DPRIV_LIB=$dir DPRIV_PATIENCE=2 DPRIV_LOG=build/long/assertions test/bin/suites.pl regression isolation tap pgtap
