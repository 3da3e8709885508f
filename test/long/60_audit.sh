#!/bin/sh
# The audits at full size: all combinations of the white-box audit, more releases for the black-box audit, and every
# mutant.
set -eu
DPRIV_AUDIT=full DPRIV_PATIENCE=20 DPRIV_LOG=build/long/audit test/bin/suites.pl \
	test/t/040_audit.pl test/t/041_statistics.pl test/t/042_blackbox.pl test/t/044_selection.pl
