#!/bin/sh
# A pod: fast responses at /, and responses after a second at /slow.
exec sh servers/nginx.sh <<END
server {
  listen 127.0.0.1:$STUDY_PORT backlog=4096;
  add_header Set-Cookie "SERVER=$1; Path=/";
  location / { return 200 "hello from a pod\n"; }
  # The way that nginx waits without CPU: it lets who has no password wait before it says so.
  location /slow {
    auth_delay 1s;
    auth_basic slow;
    auth_basic_user_file nobody;
    error_page 401 =200 @answer;
  }
  location @answer { return 200 "hello from a slow pod\n"; }
}
END
