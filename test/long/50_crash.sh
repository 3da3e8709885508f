#!/bin/sh
# The crash tests of the ledger with 200 rounds of killing (DPRIV_ROUNDS: others).
set -eu
DPRIV_ROUNDS=${DPRIV_ROUNDS:-200} DPRIV_PATIENCE=10 DPRIV_LOG=build/long/crash test/bin/suites.pl test/t/072_ledger_crash.pl
