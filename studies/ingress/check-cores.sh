#!/bin/sh
# Fails where the machine has too few cores for the variant: a router that is pinned leaves at least one to the others.
set -eu
case "$STUDY_PLACEMENT" in
  "any core") least=$STUDY_THREADS ;;
  "own cores") least=$((STUDY_THREADS + 1)) ;;
  "core 0") least=2 ;;
  *) least=$((${STUDY_PLACEMENT#core } + 1)) ;;
esac
cores=$(nproc)
[ "$cores" -ge "$least" ] || { echo "this variant needs $least cores, and this machine has $cores" >&2; exit 1; }
