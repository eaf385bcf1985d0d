#!/bin/sh
# Redis for a study: it asks for the password of the study and writes nothing to disk. The configuration is its
# standard input: every user can read a command line.
exec redis-server - <<END
bind 127.0.0.1
port $STUDY_PORT
save ""
requirepass $STUDY_PASSWORD
END
