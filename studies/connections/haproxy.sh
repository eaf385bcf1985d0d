#!/bin/sh
# The router before the three pods.
set -eu
config=$STUDY_WORK/haproxy.cfg
cat >"$config" <<END
global
  nbthread 1
  # Two files each: HAProxy does not start where it may not open so many.
  maxconn 1500
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend edge
  # OpenShift says it for all frontends together; here is one.
  maxconn $STUDY_ROUTER_MAXCONN
  # Who is not let in waits in the kernel, in its order, instead of knocking again after seconds.
  backlog 4096
  # each request is a connection
  option httpclose
  bind 127.0.0.1:$STUDY_PORT
  default_backend pods
backend pods
  balance $STUDY_ROUTER_BALANCE
  default-server maxconn $STUDY_ROUTER_PODCONN
  server one 127.0.0.1:$STUDY_PORT_POD_1
  server two 127.0.0.1:$STUDY_PORT_POD_2
  server three 127.0.0.1:$STUDY_PORT_POD_3
END
exec haproxy -db -f "$config"
