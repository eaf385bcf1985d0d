#!/bin/sh
# Runs a program in the root of an image: read-only but for /tmp and /work, by the user of a pod in OpenShift, with the
# network of this machine. Run it by `unshare --mount`. usage: run-inside.sh ROOT WORK GIVEN FOLDER PROGRAM [ARGUMENT …]
set -eu
root="$1" work="$2" given="$3" folder="$4"
shift 4
mkdir -p "$root/loadflame/given" "$root/proc" "$root/dev"
mount --bind "$root" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$work" "$root/work"
mount --bind "$given" "$root/loadflame/given"
mount -o remount,bind,ro "$root"
# shellcheck disable=SC2016
exec chroot --userspec=1000660000:0 --groups=0 "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
