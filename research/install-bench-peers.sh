#!/bin/sh
# Gets the load generators that `node scripts/run.js research/bench-load.js` compares itself with, and says which of them are
# there: Locust, into a Python environment of its own below `.tools/`; wrk and nginx from the system's packages, as root.
# autocannon comes with `npm ci`. pip and apt use whatever proxies and indexes they are set up for.
set -eu

LOCUST_VERSION=2.47.0

tools=$(cd "$(dirname "$0")/.." && pwd)/.tools

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
for peer in install_locust check_autocannon "install_package wrk wrk" "install_package nginx-light nginx"; do
  set +e
  # shellcheck disable=SC2086
  (set -e; $peer)
  [ $? = 0 ] || missing="$missing ${peer##*[ _]}"
  set -e
done
[ -z "$missing" ] || { echo "could not get:$missing" >&2; exit 1; }
