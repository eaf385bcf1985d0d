#!/bin/sh
# The routes of the router, as many as the published one has, and the certificate of its edge.
set -eu
umask 077
python3 ingress/write_routes.py "$STUDY_WORK" 100
# HAProxy takes the key from the file beside the certificate.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=www.apps.test -addext 'subjectAltName=DNS:*.apps.test' \
  -keyout "$STUDY_WORK/edge.pem.key" -out "$STUDY_WORK/edge.pem"
