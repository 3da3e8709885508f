#!/bin/sh
# The audits at full size, with every mutant.
set -eu
test/audit/run
