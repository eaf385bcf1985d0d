#!/bin/sh
# Names the programs that are missing, and how to get them: need.sh redis-server nginx
. servers/path.sh
for program; do
  command -v "$program" >/dev/null || missing="${missing:-}${missing:+ }$program"
done
if [ "${missing:-}" ]; then
  echo "missing: $missing; scripts/install-study-servers.sh installs what the studies need" >&2
  exit 127
fi
