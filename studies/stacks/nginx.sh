#!/bin/sh
# nginx before gunicorn, or before two processes of waitress.
upstream="server 127.0.0.1:$STUDY_PORT_GUNICORN;"
case "$STUDY_STACK" in *waitress*)
  upstream="server 127.0.0.1:$STUDY_PORT_WAITRESS_1; server 127.0.0.1:$STUDY_PORT_WAITRESS_2;" ;;
esac
exec sh servers/nginx.sh <<END
keepalive_requests 1000000;
upstream api {
  $upstream
  keepalive 64;
}
server {
  listen 127.0.0.1:$STUDY_PORT_FRONT;
  location / {
    proxy_pass http://api;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
  }
}
END
