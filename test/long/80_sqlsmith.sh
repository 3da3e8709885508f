#!/bin/sh
# Random statements of a role that must not see rows: nothing crashes, and nothing says a word of the rows.
#   DPRIV_MINUTES   how long, default: 10
#
# Every text in the protected tables holds a word that is nowhere else.  sqlsmith only writes the statements; psql runs them,
# so that all that a client gets is seen.  The first ones are run by the owner too, who must get the word to see.
set -eu
. test/bin/lib.sh

command -v sqlsmith >/dev/null || { echo "sqlsmith is not installed"; exit 77; }
minutes=${DPRIV_MINUTES:-10}
dir=$(mktemp -d)
server=$dir/s
word=canarysxqj
trap 'test/bin/cluster stop "$server" >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
test/bin/cluster start "$server" "autovacuum = off" "log_min_messages = log" "log_min_error_statement = panic" \
	"dpriv.epsilon = 1" "max_parallel_workers_per_gather = 1" "log_connections = off"

as() {
	PGOPTIONS='-c statement_timeout=2000' psql -X -h "$server" -U "$1" -d postgres "$2" "$3"
}

as postgres -q -f - <<SQL
SET client_min_messages = error;
CREATE EXTENSION dpriv;
CREATE ROLE boss LOGIN;
CREATE ROLE analyst LOGIN;
GRANT CREATE ON SCHEMA public TO boss;
SET ROLE boss;
CREATE TYPE sex AS ENUM ('f', 'm');
CREATE TABLE adult (id int PRIMARY KEY, name text, note varchar, age int, sex sex, pay numeric, born date, seen timestamptz, yes bool, w float8);
INSERT INTO adult SELECT i, '$word ' || i, '$word', i % 90, (ARRAY['f', 'm'])[i % 2 + 1]::sex, i, date '1990-01-01' + i, now(), i % 2 = 0, i
FROM generate_series(1, 50) i;
CREATE TABLE parted (id int, name text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (20);
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT i, '$word ' || i FROM generate_series(1, 50) i;
CREATE VIEW adults AS SELECT * FROM adult WHERE age > 3;
CREATE TABLE numbers AS SELECT i AS k, 'word ' || i AS name FROM generate_series(1, 10) i;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO analyst;
SELECT dpriv.protect('adult', 'row'), dpriv.protect('parted', 'row');
SQL

statements=0 refused=0 answered=0 seed=1
end=$(($(date +%s) + minutes * 60))
while [ "$(date +%s)" -lt "$end" ]; do
	# Mostly tables of users, sometimes all of the catalog.
	catalog=--exclude-catalog
	[ $((seed % 4)) -ne 0 ] || catalog=
	sqlsmith --dry-run --seed="$seed" --max-queries=300 $catalog \
		--target="host=$server dbname=postgres user=analyst" >"$dir/statements.sql" 2>/dev/null || true
	[ -s "$dir/statements.sql" ] || { echo "sqlsmith writes nothing"; exit 1; }
	if [ "$seed" -eq 1 ]; then
		as boss -f "$dir/statements.sql" >"$dir/boss" 2>&1 || true
		grep -q "$word" "$dir/boss" || { echo "the owner does not see the rows either"; exit 1; }
	fi
	as analyst -f "$dir/statements.sql" >"$dir/output" 2>&1 || true
	if grep "$word" "$dir/output" >"$dir/found"; then
		head -n 5 "$dir/found"
		echo "seed $seed: rows were seen"
		exit 1
	fi
	if grep -E 'terminated by signal|PANIC|TRAP:' "$server/log"; then
		echo "seed $seed: the server crashed"
		exit 1
	fi
	statements=$((statements + $(grep -c ';$' "$dir/statements.sql")))
	refused=$((refused + $(grep -c 'of protected relation' "$dir/output" || true)))
	answered=$((answered + $(grep -cE '^\([0-9]+ rows?\)|^(INSERT|UPDATE|DELETE|MERGE) ' "$dir/output" || true)))
	seed=$((seed + 1))
done
[ "$refused" -ge 100 ] && [ "$answered" -ge 100 ] || { echo "too few of $statements statements: $refused refused, $answered answered"; exit 1; }
echo "$statements statements, $answered answered, $refused refused for protected rows"
