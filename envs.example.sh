# Settings of loadflame. Copy this file to envs.sh and fill it in; envs.sh is never committed.
# It is run by `sh`, so a value may come from a command: OIDC_PASSWORD="$(pass show keycloak/tester)".
# Flags and the environment override this file; this file overrides .env.
# `loadflame doctor --print-config` shows every value and where it comes from, variables that a script
# declares included (docs/scenarios.md).

# --- the API under test -------------------------------------------------------------------------
# TARGET=http://127.0.0.1:5000

# --- how much load ------------------------------------------------------------------------------
# MAX_VIRTUAL_USERS=20       # active at once; arrivals above it are dropped, and reported
# ARRIVAL_RATE=3             # new users per second in the sustained phase
# WARM_UP_DURATION=5s
# RAMP_DURATION=10s
# DURATION=30s               # of the sustained phase

# --- login --------------------------------------------------------------------------------------
# OIDC_ISSUER=https://keycloak.example.com/realms/demo
# OIDC_FLOW=password         # password, client_credentials or authorization_code
# OIDC_CLIENT_ID=loadtest
# OIDC_CLIENT_SECRET=
# OIDC_USERNAME=             # KEYCLOAK_USERNAME and KEYCLOAK_PASSWORD mean the same
# OIDC_PASSWORD=
# OIDC_USERS=users.csv       # instead: a CSV file (username,password), one token per user
# OIDC_SCOPE=openid
# OIDC_AUDIENCE=
# OIDC_REDIRECT_URI=http://127.0.0.1/callback
# OIDC_HOSTS=                # other hosts to which its discovery document may send the login
# SOCKETIO_COOKIE=           # cookie that carries the token in the socket.io handshake
# SOCKETIO_AUTH=             # or: field of the auth payload that carries it

# --- several instances of the API ---------------------------------------------------------------
# BACKENDS=2                 # how many pods serve the target
# STICKY_COOKIE=             # the router's, if it is none of OpenShift's, HAProxy's, Traefik's …

# LOADFLAME=                 # key of the companion, if the API is elsewhere or behind a proxy

# --- one row for paths with words in them ---------------------------------------------------------
# ENDPOINTS=/rates/:currency,/shops/:shop/items

# --- logs of the API ----------------------------------------------------------------------------
# LOG_FILES=/var/log/api/*.log   # paths or patterns, separated by commas

# --- pods of a cluster (docs/openshift.md) ------------------------------------------------------
# KUBE_WORKLOAD=deployment/api   # its pods are looked at during a run; `oc login` is enough
# KUBE_SELECTOR=app=api      # or the labels of the pods
# KUBE_NAMESPACE=            # namespace (project), if it is not that of the context
# KUBE_CONTEXT=              # context of the kubeconfig, if it is not the current one
# KUBE_LOGIN_ENV=          # secret variables for the kubeconfig's login program: AWS_SECRET_ACCESS_KEY
# KUBECONFIG=                # if it is not ~/.kube/config
# KUBE_IMAGE=                # of the workers of `loadflame cluster run`
# KUBE_PROFILE_IMAGE=        # with py-spy, for pods whose own image lacks it (loadflame profile)

# --- the profiler -------------------------------------------------------------------------------
# SERVER_PID=                # if loadflame does not find the API's server by the port of TARGET
# SERVER_PID_FILE=           # (GUNICORN_PID and GUNICORN_PID_FILE mean the same)
# ALSO=                      # task workers to record, too: celery, rq, dramatiq, a pid or a pid file
# PROFILE_RATE=50            # samples per second and worker
# PROFILER=auto              # py-spy, or remote: our own, for Python 3.15 and newer; or none: no stacks
# PYSPY=                     # path of py-spy
# THRESHOLDS=                # limits for a run (YAML)
# ALLOWED_FAILURES=1%        # more failed requests or users are exit code 5
# EXPLAIN_DATABASE_URL=      # development database for --explain-sql
# TRACE_SAMPLED=10%          # a traceparent for each request; the share that is sampled
# OTEL_EXPORTER_OTLP_ENDPOINT=           # OpenTelemetry collector for metrics
# OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=   # its address for metrics
# OTEL_EXPORTER_OTLP_HEADERS=
# OTEL_SERVICE_NAME=
# OTEL_RESOURCE_ATTRIBUTES=
# RULES_FILE=                # your own rules for hot paths (YAML)
# CHROME_PATH=               # browser for `loadflame open`

# --- the example scenarios (csr-*.yaml) ---------------------------------------------------------
# OFFICE_ID=1                # ids that exist on the target; the scripts declare and check them
# SERVICE_ID=1
# OFFICE_TIMEZONE=           # of the office, where the API reckons with another than it names: Etc/GMT+8
