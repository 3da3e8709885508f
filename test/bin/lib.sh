# shellcheck shell=sh
# lib.sh: what the scripts of the harness share.  Sourced from the project's root; defines functions only,
# but clears the environment of settings that would lead psql or make astray.

# The caller's connection settings and make flags are not ours.  What the caller gave to make on the command
# line (PG_CONFIG, COPT, CC) is in the environment as well and stays.
unset PGHOST PGHOSTADDR PGPORT PGDATABASE PGUSER PGDATA PGOPTIONS PGSERVICE PGPASSWORD PGPASSFILE PGAPPNAME
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

is_root() {
	[ "$(id -u)" -eq 0 ]
}

# has_pgxs PG_CONFIG: extensions can be built against this server.
has_pgxs() {
	pgxs=$("$1" --pgxs 2>/dev/null) && [ -e "$pgxs" ]
}

# Prints the pg_config to build against: $PG_CONFIG if set, the one in PATH, or the newest of Debian's.
find_pg_config() {
	if [ -n "${PG_CONFIG:-}" ]; then
		has_pgxs "$PG_CONFIG" && command -v "$PG_CONFIG"
		return
	fi
	for candidate in pg_config $(find /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -rV); do
		if has_pgxs "$candidate"; then
			command -v "$candidate"
			return
		fi
	done
	return 1
}

# pg_major PG_CONFIG: 15, 17, 18, ...
pg_major() {
	"$1" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/'
}

# The user that servers and tests run as: PostgreSQL refuses to run as root.
run_user() {
	if ! is_root; then
		id -un
	elif id postgres >/dev/null 2>&1; then
		echo postgres
	else
		echo nobody
	fi
}

# Runs a command as run_user.
unprivileged() {
	if is_root; then
		setpriv --reuid="$(id -u "$(run_user)")" --regid="$(id -g "$(run_user)")" --init-groups "$@"
	else
		"$@"
	fi
}

# Sets $work to a directory where run_user can build and test: the project itself, or as root a copy of it
# below $TMPDIR (with what is built so far), since the project may be where run_user cannot look.  On exit the
# copy goes, and the logs in LOGS, a directory of the project, are brought back from it.
# enter_work LOGS
enter_work() {
	logs=$1
	work=$PWD
	is_root || return 0
	work=$(mktemp -d "${TMPDIR:-/tmp}/dpriv-work-XXXXXX") || exit 1
	trap leave_work EXIT
	trap 'exit 1' HUP INT TERM
	tar -cf - --exclude=./.git --exclude=./build/log --exclude=./build/long . | tar -xf - -C "$work"
	chown -R "$(run_user):" "$work"
	chmod 755 "$work"
}

leave_work() {
	if [ -d "$work/$logs" ]; then
		mkdir -p "$logs"
		cp -a "$work/$logs/." "$logs/"
	fi
	rm -rf --one-file-system "$work"
}

# in_work PG_CONFIG COMMAND ...: runs it in $work as run_user, with a PG_CONFIG from the project.  Interrupted,
# it waits for the command to clean up.
in_work() {
	(
		trap : HUP INT TERM
		cd "$work" || exit 1
		server=$work/${1#"$OLDPWD/"}
		shift
		unprivileged env HOME="$work" LC_ALL=C PG_CONFIG="$server" "$@"
	)
}
