#!/bin/sh
# Non-interference with 100,000 random scripts (DPRIV_SCRIPTS: another number; DPRIV_SEED: a seed), and planted leaks.
set -eu
DPRIV_NONINTERFERENCE=full DPRIV_PATIENCE="${DPRIV_PATIENCE:-20}" DPRIV_LOG=build/long/noninterference \
	exec test/bin/suites.pl test/t/090_noninterference.pl
