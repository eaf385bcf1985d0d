#!/bin/sh
# The application behind the router: a page of 1 kB.
exec sh servers/nginx.sh <<END
keepalive_requests 1000000;
server {
  listen 127.0.0.1:$STUDY_PORT;
  set \$line "a page of 1 kB, as the published one has: 16 lines of 64 bytes.\n";
  location / { return 200 "\$line\$line\$line\$line\$line\$line\$line\$line\$line\$line\$line\$line\$line\$line\$line\$line"; }
}
END
