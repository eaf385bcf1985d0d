#!/bin/sh
# PostgreSQL for a study: `postgres.sh create` makes a database, once; `postgres.sh run [options]` is the server.
# It asks for the password of the study. PostgreSQL refuses root, so that root becomes the user postgres.
set -eu
umask 077
. servers/path.sh
folder=$STUDY_WORK/postgres
as=''
if [ "$(id -u)" = 0 ]; then as='setpriv --reuid=postgres --regid=postgres --clear-groups --pdeathsig=keep'; fi

case $1 in
  create)
    mkdir "$folder"
    printf %s "$STUDY_PASSWORD" >"$folder/password"
    if [ "$as" ]; then
      # Other users pass through the study's folder to their own, and see nothing else.
      chmod 711 "$STUDY_WORK"
      chown -R postgres:postgres "$folder"
    fi
    cd "$folder"
    $as initdb --pgdata data --username postgres --pwfile password --auth-host scram-sha-256 --auth-local trust \
      --no-locale --encoding UTF8 --no-sync
    echo 'CREATE DATABASE study' | $as postgres --single -D data postgres
    ;;
  run)
    shift
    cd "$folder"
    # No password is asked at the socket: it lies in a folder that is closed to other users.
    exec $as postgres -D data -p "$STUDY_PORT" -c listen_addresses=127.0.0.1 -c "unix_socket_directories=$folder" \
      -c max_connections=200 "$@"
    ;;
esac
