#!/bin/sh
# Gets the load generators that `node scripts/run.js research/bench-load.js` compares itself with, and says which of them are
# there: k6 (built by Go) and Locust (into a Python environment of its own) below `.tools/`, where
# they stay until the folder is removed, a half-built k6, too; wrk and nginx from the system's packages, as root. autocannon
# comes with `npm ci`. Go, pip and apt use whatever proxies and indexes they are set up for.
set -eu

K6_VERSION=v1.8.1
LOCUST_VERSION=2.47.0

tools=$(cd "$(dirname "$0")/.." && pwd)/.tools
# Where Go's own installation puts it.
PATH=$PATH:/usr/local/go/bin

install_k6() {
  if [ -x "$tools/k6/k6" ]; then
    echo "k6: is there"
    return
  fi
  if ! command -v go >/dev/null; then
    echo "k6: skipped, Go is missing (k6 $K6_VERSION needs Go 1.25 or newer: https://go.dev/dl/)" >&2
    return 1
  fi
  echo "k6: building $K6_VERSION: a minute or two, more than ten where processors are few or busy;"
  echo "k6: interrupted, it goes on where it was when this is run again …"
  began=$(date +%s)
  mkdir -p "$tools/k6" "$tools/go"
  # Beside what it makes and not in a cache that may be gone by then; the modules are writable, so that
  # they can be removed.
  GOBIN="$tools/k6" GOCACHE="$tools/go/build" GOMODCACHE="$tools/go/modules" GOFLAGS=-modcacherw \
    go install "go.k6.io/k6@$K6_VERSION"
  rm -rf "$tools/go"
  echo "k6: built in $(($(date +%s) - began)) s"
  "$tools/k6/k6" version
}

install_locust() {
  if [ -x "$tools/locust/bin/locust" ]; then
    echo "locust: is there"
    return
  fi
  echo "locust: installing $LOCUST_VERSION …"
  python3 -m venv "$tools/locust"
  "$tools/locust/bin/pip" install --quiet --disable-pip-version-check "locust==$LOCUST_VERSION"
  "$tools/locust/bin/locust" --version
}

# One package of the system that has the program of its name. $1: package, $2: program
install_package() {
  if command -v "$2" >/dev/null; then
    echo "$2: is there"
    return
  fi
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "$2: missing; on Debian and Ubuntu, as root: apt-get install $1" >&2
    return 1
  fi
  echo "$2: installing $1 …"
  apt-get install --yes --quiet=2 --no-install-recommends "$1" >/dev/null
}

check_autocannon() {
  if [ -e "$tools/../node_modules/autocannon/package.json" ]; then
    echo "autocannon: is there"
  else
    echo "autocannon: missing; npm ci" >&2
    return 1
  fi
}

# A subshell of its own for each, and no `||` behind it: that would switch off `set -e` inside.
missing=
for peer in install_k6 install_locust check_autocannon "install_package wrk wrk" "install_package nginx-light nginx"; do
  set +e
  # shellcheck disable=SC2086
  (set -e; $peer)
  [ $? = 0 ] || missing="$missing ${peer##*[ _]}"
  set -e
done
[ -z "$missing" ] || { echo "could not get:$missing" >&2; exit 1; }
