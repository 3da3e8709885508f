#!/bin/sh
# runs as: root
# What .ci/run does, with the PostgreSQL of other Debian suites, each in a chroot: 17 and 18.  No suite has 16.
#   DPRIV_SUITES   default: trixie sid
#   DPRIV_CHROOTS  where the bare systems are kept, default /var/tmp/dpriv-chroots
set -eu
suites=${DPRIV_SUITES:-trixie sid}
chroots=${DPRIV_CHROOTS:-/var/tmp/dpriv-chroots}
[ "$(id -u)" -eq 0 ] || { echo "chroots need root"; exit 77; }
command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; exit 77; }
mkdir -p "$chroots"

run=
leave() {
	[ -n "$run" ] || return 0
	for mounted in dev/shm proc; do
		umount -l "$run/$mounted" 2>/dev/null || true
	done
	# Never across a mount that is still there.
	rm -rf --one-file-system "$run"
	run=
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

failed=''
for suite in $suites; do
	base=$chroots/base-$suite
	if [ ! -e "$base.done" ]; then
		rm -rf --one-file-system "$base"
		if ! debootstrap --variant=minbase --include=make,ca-certificates "$suite" "$base" \
			>"$base.log" 2>&1; then
			tail -n 3 "$base.log"
			echo "debootstrap of $suite failed"
			exit 77
		fi
		cp -a /etc/apt/apt.conf.d/. "$base/etc/apt/apt.conf.d/" 2>/dev/null || true
		touch "$base.done"
	fi
	run=$(mktemp -d "$chroots/run-$suite-XXXXXX")
	chmod 755 "$run"
	cp -a "$base/." "$run/"
	cp /etc/resolv.conf "$run/etc/resolv.conf" 2>/dev/null || true
	mount -t proc proc "$run/proc"
	mkdir -p "$run/dev/shm" "$run/root/project"
	mount -t tmpfs tmpfs "$run/dev/shm"
	tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$run/root/project"
	echo "== $suite"
	chroot "$run" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
		/root/project/.ci/run || failed="$failed $suite"
	leave
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
echo "all passed: $suites"
