#!/bin/sh
# psql.sh PORT PORT ...: the tour on the first port, questions on the others; see test/t/084_clients.pl.
set -eu

# ask PORT [OPTION ...]: runs standard input.
ask() {
	port=$1
	shift
	psql -X -q -A -t -v VERBOSITY=verbose -p "$port" "$@"
}

# The first error of psql's messages on standard input.
refusal() {
	sed -n -e 's/^.*ERROR:  \(.....\): \(.*\)/\1 | \2/p' -e 's/^HINT:  / | /p' | head -n 2 | tr -d '\n'
}

tour() {
	echo '\d adult
		\dt+ adult' | ask "$1" | sed 's/^/shown: /'
	ask "$1" <<'SQL'
SELECT 'columns: ' || string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_name = 'adult';
SELECT 'estimate: ' || reltuples FROM pg_class WHERE relname = 'adult';
PREPARE count AS SELECT 'count: ' || dp_count(adult, $1) FROM adult WHERE age > $2;
EXECUTE count(0.5, 40);
\set epsilon 0.5
SELECT 'average: ' || dp_avg(age, 17, 90, :epsilon) FROM adult;
SQL
	printf 'cursor: '
	echo "SELECT coalesce(sex::text, 'none') FROM (SELECT sex, dp_count(adult, 0.25) FROM adult GROUP BY sex ORDER BY sex) AS groups" |
		ask "$1" -v FETCH_COUNT=1 | paste -s -d ,
	printf 'refused: %s\n' "$(echo 'SELECT name FROM adult WHERE age > 40' | ask "$1" 2>&1 | refusal)"
	echo "SELECT 'after: ' || remaining_epsilon FROM dpriv.my_budget WHERE grantee = session_user" | ask "$1"
}

# Six times the same question.
question() {
	printed=$(ask "$1" 2>&1 <<'SQL'
SELECT 'SELECT dp_count(adult, 0.05) FROM adult' FROM generate_series(1, 6) \gexec
SQL
	)
	answers=$(echo "$printed" | grep -c '^[0-9]' || true)
	refusal=$(echo "$printed" | refusal)
	echo "asked: $answers${refusal:+ then $refusal}"
}

tour "$1"
shift
for port; do
	question "$port"
done
