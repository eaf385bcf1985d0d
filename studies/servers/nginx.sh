#!/bin/sh
# nginx for a study, in the foreground with one worker: what stands in `http { … }` is its standard input.
set -eu
umask 077
# Made by us each time: a user whose server had it before could have put a link there.
folder=$(mktemp -d "$STUDY_WORK/nginx.XXXXXX")
{
  cat <<END
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  default_type text/plain;
  client_body_temp_path temp;
  proxy_temp_path temp;
  fastcgi_temp_path temp;
  uwsgi_temp_path temp;
  scgi_temp_path temp;
END
  cat
  echo '}'
} >"$folder/nginx.conf"
as=''
if [ "$(id -u)" = 0 ]; then
  # Its workers would be a user who may not read the folder: all of it is a user that every Debian has.
  chmod 711 "$STUDY_WORK"
  chown -R www-data:www-data "$folder"
  as='setpriv --reuid=www-data --regid=www-data --clear-groups --pdeathsig=keep'
fi
exec $as nginx -p "$folder" -c "$folder/nginx.conf" -e stderr
