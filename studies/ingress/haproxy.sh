#!/bin/sh
# The router. Its own port shows that it is ready.
set -eu
config=$STUDY_WORK/haproxy.cfg
cat >"$config" <<END
global
  nbthread $STUDY_THREADS
  $STUDY_PLACEMENT_MAP
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout http-keep-alive 300s
frontend edge
  option $STUDY_KEEP_ALIVE_OPTION
  option forwardfor
  bind 127.0.0.1:$STUDY_PORT_HTTP
  bind 127.0.0.1:$STUDY_PORT_HTTPS ssl crt $STUDY_WORK/edge.pem strict-sni
  use_backend %[base,map_reg($STUDY_WORK/routes.map)]
backend apps
  server one 127.0.0.1:$STUDY_PORT_APPLICATION
frontend admin
  bind 127.0.0.1:$STUDY_PORT
  http-request return status 200
END
exec haproxy -db -f "$config"
