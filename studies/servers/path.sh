# Debian installs several versions of PostgreSQL side by side, none of them on the PATH. The newest comes first.
for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V); do PATH="$folder:$PATH"; done
