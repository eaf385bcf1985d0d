#!/bin/sh
# One process of the API. The links of an index page lead to all of them in turn.
origins=http://127.0.0.1:$STUDY_PORT_API_1
if [ "$STUDY_PROCESSES" -ge 2 ]; then origins=$origins,http://127.0.0.1:$STUDY_PORT_API_2; fi
if [ "$STUDY_PROCESSES" -ge 4 ]; then
  origins=$origins,http://127.0.0.1:$STUDY_PORT_API_3,http://127.0.0.1:$STUDY_PORT_API_4
fi
if [ "$STUDY_CACHE" = redis ]; then
  export CONTENT_CACHE_URL="redis://:$STUDY_PASSWORD@127.0.0.1:$STUDY_PORT_REDIS/0"
fi
export CONTENT_ORIGINS="$origins"
export DATABASE_URL="postgresql+psycopg://postgres:$STUDY_PASSWORD@127.0.0.1:$STUDY_PORT_POSTGRES/study"
export GUNICORN_BIND="127.0.0.1:$STUDY_PORT" GUNICORN_PID_FILE="$STUDY_WORK/api-$STUDY_PORT.pid"
export WEB_CONCURRENCY=1 GUNICORN_THREADS=4
exec python3 -m gunicorn --config ../demo/api/gunicorn.conf.py
