#!/bin/sh
# The harness itself: in a copy of the project with one good and one bad test per suite, every suite still runs,
# the single tests are counted and the exit status is not 0; with the bad ones removed it is.
set -eu
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM
cd "$copy"
mkdir -p test/unit test/t test/pgtap test/specs test/expected sql expected
cp -r "$OLDPWD/test/bin" test/

# shellcheck disable=SC2016 # make's variable
printf 'REGRESS = good bad\nprint-%%:\n\t@echo $($*)\n' >Makefile
for name in good bad; do
	echo 'SELECT 1 AS one;' >sql/$name.sql
	printf 'SELECT 1 AS one;\n one \n-----\n   1\n(1 row)\n\n' >expected/$name.out
done
sed -i 's/   1/   2/' expected/bad.out

# Two programs: one passes, one has a failed test and then crashes.
cat >test/unit/Makefile <<'MAKE'
check:
	@printf '1..1\nok 1 - good\n'
	@if [ -e bad ]; then printf '1..2\nnot ok 1 - bad\n'; kill -SEGV $$$$; fi
MAKE
touch test/unit/bad

printf 'session s\nstep a { SELECT 1 AS one; }\npermutation a\n' | tee test/specs/good.spec >test/specs/bad.spec
printf 'Parsed test spec with 1 sessions\n\nstarting permutation: a\nstep a: SELECT 1 AS one;\none\n---\n  1\n(1 row)\n\n' |
	tee test/expected/good.out | sed 's/  1/  2/' >test/expected/bad.out

# The bad one: a failed test, and a death after a passed one.
printf 'use Test::More; ok(1); done_testing;\n' >test/t/good.pl
printf 'use Test::More; ok(1); ok(0); done_testing;\n' >test/t/bad_failure.pl
printf 'use Test::More; ok(1); die "planted";\n' >test/t/bad_death.pl

# The bad ones: an error in SQL, a wrong plan, a server process that crashes.
printf 'SELECT plan(1); SELECT pass(); SELECT * FROM finish();\n' >test/pgtap/good.sql
printf 'SELECT plan(2); SELECT pass(); SELECT 1/0; SELECT * FROM finish();\n' >test/pgtap/bad_error.sql
printf 'SELECT plan(2); SELECT pass(); SELECT * FROM finish();\n' >test/pgtap/bad_plan.sql
printf "SELECT plan(1); SELECT pass(); COPY (SELECT 1) TO PROGRAM 'kill -SEGV \$PPID';\n" >test/pgtap/bad_crash.sql

expect() {
	status=0
	test/bin/suites.pl >out 2>&1 || status=$?
	if [ "$(tail -n 1 out)" != "$1" ] || [ "$(grep -c '^[0-9]* passed, [0-9]* failed$' out)" -ne 1 ] ||
		[ "$status" -ne "$2" ]; then
		cat out
		echo "expected: $1, exit status $2; got exit status $status"
		exit 1
	fi
}

# unit 1 + 1, regression 1 + 1, isolation 1 + 1, tap 3 + 2, pgtap 4 + 3 and the crash itself
expect "10 passed, 9 failed" 1
rm -f test/unit/bad test/t/bad* test/pgtap/bad* test/specs/bad*
sed -i 's/ bad$//' Makefile
expect "5 passed, 0 failed" 0
rm -rf test/unit test/t test/pgtap test/specs
echo >Makefile
expect "0 passed, 1 failed" 1
echo "good and bad tests are counted"
