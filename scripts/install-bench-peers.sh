#!/bin/sh
# Installs the load generators that `npm run bench:load` compares itself with, below `.tools/`:
# k6 (built by Go) and Locust (into a Python environment of its own). What is there stays; remove
# the folder to install anew. Go and pip use whatever proxies and indexes they are set up for.
set -eu

K6_VERSION=v1.8.1
LOCUST_VERSION=2.47.0

tools=$(cd "$(dirname "$0")/.." && pwd)/.tools
failed=0

install_k6() {
  if [ -x "$tools/k6/k6" ]; then
    echo "k6: is there"
    return
  fi
  if ! command -v go >/dev/null; then
    echo "k6: skipped, Go is missing (k6 $K6_VERSION needs Go 1.25 or newer: https://go.dev/dl/)" >&2
    return 1
  fi
  echo "k6: building $K6_VERSION, takes a minute or two …"
  mkdir -p "$tools/k6"
  GOBIN="$tools/k6" go install "go.k6.io/k6@$K6_VERSION"
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

(install_k6) || failed=1
(install_locust) || failed=1
command -v wrk >/dev/null || echo "wrk: missing; on Debian and Ubuntu: apt-get install wrk" >&2
command -v nginx >/dev/null || echo "nginx: missing; on Debian and Ubuntu: apt-get install nginx-light" >&2
exit "$failed"
