#!/bin/sh
# Installs the servers that the studies run against, as packages of Debian or Ubuntu: Redis, PostgreSQL,
# nginx, HAProxy, and OpenSSL for their certificates. What is there stays. Nothing is started, now or when
# the machine boots: a study starts servers of its own, in folders and on ports of its own, and stops them.
# Needs root. usage: install-study-servers.sh [FURTHER PACKAGE …], whose services are not started now
set -eu

# program, package, unit of systemd where it has one
servers='
redis-server redis-server redis-server
initdb postgresql postgresql
nginx nginx-light nginx
haproxy haproxy haproxy
openssl openssl
'

# Debian keeps these off a user's PATH.
PATH="$PATH:/usr/sbin:/sbin"
for folder in /usr/lib/postgresql/*/bin; do PATH="$PATH:$folder"; done

packages="${*:+ $*}" units='' program='' package='' unit=''
while read -r program package unit; do
  if [ -z "$program" ] || command -v "$program" >/dev/null; then continue; fi
  packages="$packages $package" units="$units${unit:+ $unit}"
done <<END
$servers
END

if [ -z "$packages" ]; then
  echo 'The servers of the studies are there.'
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "Missing:$packages (names of Debian's packages). There is no apt-get here: install them in your system's way." >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "Missing:$packages. Installing needs root: sudo $0" >&2
  exit 1
fi

policy=/usr/sbin/policy-rc.d
cluster=/etc/postgresql-common/createcluster.d/no-main-cluster.conf
made=''
# shellcheck disable=SC2086
trap 'rm -f $made' EXIT
if [ ! -e "$policy" ]; then
  # Debian's way to say that a package's service is not to be started by its installation.
  made="$policy"
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
fi
if [ ! -e "$cluster" ]; then
  # PostgreSQL's package would make a database that nobody asked for.
  made="$made $cluster"
  mkdir -p "$(dirname "$cluster")"
  echo 'create_main_cluster = false' >"$cluster"
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $packages >/dev/null
if [ -d /run/systemd/system ] && [ -n "$units" ]; then
  # shellcheck disable=SC2086
  systemctl disable --quiet $units
fi
echo "Installed:$packages"
