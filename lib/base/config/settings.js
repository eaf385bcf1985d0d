/**
 * The table of settings: all variables of loadflame itself, in the order in which `doctor --print-config` shows them.
 * docs/settings.md is generated from it; `envs.example.sh` lists the same names (tested). Scripts declare variables
 * that only they need (docs/scenarios.md).
 */
import {
  companionKey,
  databaseUrl,
  decimal,
  duration,
  endpointGroups,
  httpUrl,
  oneOf,
  share,
  targetUrl,
  variableNames,
  wholeNumber,
  workload,
} from './parsers.js';

/** @import { Parser } from './parsers.js' */

/**
 * @typedef {object} Setting
 * @property {string} name the environment variable, and its name in files
 * @property {string[]} [aliases] other variables with the same meaning; the name itself wins
 * @property {string} [flag] name of its flag, if different
 * @property {Parser<any>} [parser] without one, any text is allowed
 * @property {string} [default] as text; without a default, the setting is optional and null if not set
 * @property {boolean} [secret] never display or write its value
 * @property {string} about one line for people
 */

/** Prefixes of our own settings: another name with one of them is a typing mistake. */
export const OWN_PREFIX = /^(OIDC|KEYCLOAK|GUNICORN|SERVER|SOCKETIO|PROFILE)_/;

/** @type {Setting[]} */
export const SETTINGS = [
  { name: 'TARGET', parser: targetUrl, about: 'address of the API, e.g. http://127.0.0.1:5000' },

  {
    name: 'MAX_VIRTUAL_USERS',
    parser: wholeNumber(1, 100_000),
    default: '20',
    about: 'how many virtual users may be active at once; arrivals above it are dropped',
  },
  {
    name: 'ARRIVAL_RATE',
    parser: decimal(0.01, 100_000),
    default: '3',
    about: 'new virtual users per second in the sustained phase',
  },
  {
    name: 'WARM_UP_DURATION',
    parser: duration(0, 86_400),
    default: '5',
    about: 'length of the warm-up phase',
  },
  {
    name: 'RAMP_DURATION',
    parser: duration(0, 86_400),
    default: '10',
    about: 'length of the phase in which the arrival rate rises to ARRIVAL_RATE',
  },
  {
    name: 'DURATION',
    parser: duration(1, 604_800),
    default: '30',
    about: 'length of the sustained phase',
  },

  {
    name: 'OIDC_ISSUER',
    parser: httpUrl,
    about: 'address of the identity provider, as its discovery document names it',
  },
  {
    name: 'OIDC_FLOW',
    parser: oneOf('password', 'client_credentials', 'authorization_code'),
    default: 'password',
    about: 'how tokens are obtained',
  },
  { name: 'OIDC_CLIENT_ID', about: 'client at the identity provider' },
  { name: 'OIDC_CLIENT_SECRET', secret: true, about: 'its secret, if it has one' },
  { name: 'OIDC_USERNAME', aliases: ['KEYCLOAK_USERNAME'], about: 'user that logs in' },
  {
    name: 'OIDC_PASSWORD',
    aliases: ['KEYCLOAK_PASSWORD'],
    secret: true,
    about: 'password of that user',
  },
  {
    name: 'OIDC_USERS',
    about:
      'CSV file with the columns username,password: one token per user instead of a shared one',
  },
  { name: 'OIDC_SCOPE', default: 'openid', about: 'scopes to ask for' },
  { name: 'OIDC_AUDIENCE', about: 'audience or resource to ask for, if the provider wants one' },
  {
    name: 'OIDC_REDIRECT_URI',
    parser: httpUrl,
    default: 'http://127.0.0.1/callback',
    about: 'redirect address registered for the client (authorization_code); it is never requested',
  },
  {
    name: 'OIDC_HOSTS',
    about:
      'hosts besides that of OIDC_ISSUER to which its discovery document may send the login, separated by commas',
  },

  {
    name: 'SOCKETIO_COOKIE',
    about:
      'cookie that carries the token in the socket.io handshake; a script may set a default; empty or "none" sends none',
  },
  {
    name: 'SOCKETIO_AUTH',
    about: 'field of the socket.io auth payload that carries the token, if the API wants one',
  },

  {
    name: 'STICKY_COOKIE',
    about:
      'cookie with which a router keeps a user on one instance of the API, if loadflame does not know it',
  },
  {
    name: 'BACKENDS',
    parser: wholeNumber(1, 10_000),
    about:
      'how many instances (pods) of the API serve the target: a report names those without requests',
  },

  {
    name: 'ENDPOINTS',
    parser: endpointGroups,
    about:
      'paths that count as one endpoint, whatever the parameter is; a script may set a default',
  },

  {
    name: 'LOADFLAME',
    parser: companionKey,
    secret: true,
    about:
      "key of the companion, the same as in the API's environment; sent to the target only (docs/companion.md)",
  },

  {
    name: 'SERVER_PID',
    aliases: ['GUNICORN_PID'],
    flag: 'pid',
    parser: wholeNumber(1, 4_194_304),
    about: 'process of the server to profile, if it is not found by the port of the target',
  },
  {
    name: 'SERVER_PID_FILE',
    aliases: ['GUNICORN_PID_FILE'],
    flag: 'pid-file',
    about: 'its pid file',
  },
  {
    name: 'ALSO',
    about:
      'task workers to record beside the server, as their own group: celery, rq, dramatiq, or the pid or pid file of any other',
  },
  {
    name: 'PROFILE_RATE',
    parser: wholeNumber(1, 500),
    default: '50',
    about: 'samples per second and worker; docs/sampling.md says what they cost',
  },
  {
    name: 'PROFILER',
    parser: oneOf('auto', 'py-spy', 'remote', 'none'),
    default: 'auto',
    about:
      "what takes the samples. remote: loadflame's own recorder, for Python 3.15 and newer. auto: remote where it works, else py-spy; doctor shows which, and why. none: no stacks, only CPU time, memory and logs, without reading another process' memory",
  },
  { name: 'PYSPY', about: 'path of py-spy, if it is not on the PATH' },
  {
    name: 'LOG_FILES',
    about:
      "log files of the API, above all gunicorn's: paths or patterns, separated by commas; lines written during a run are recorded",
  },

  {
    name: 'KUBE_WORKLOAD',
    parser: workload,
    about:
      'workload of a Kubernetes or OpenShift cluster whose pods are recorded during a run, e.g. deployment/api (docs/openshift.md)',
  },
  {
    name: 'KUBE_SELECTOR',
    about: 'labels of the pods to record, e.g. app=api, if no one workload has them all',
  },
  {
    name: 'KUBE_NAMESPACE',
    flag: 'namespace',
    about: 'namespace (project) of these pods, if it is not that of the context',
  },
  { name: 'KUBE_CONTEXT', about: 'context of the kubeconfig, if it is not the current one' },
  { name: 'KUBECONFIG', about: 'kubeconfig with the login, if it is not ~/.kube/config' },
  {
    name: 'KUBE_LOGIN_ENV',
    parser: variableNames,
    about:
      'variables that the login program of the kubeconfig sees although they look like secrets, e.g. AWS_SECRET_ACCESS_KEY,HTTPS_PROXY',
  },
  {
    name: 'KUBE_IMAGE',
    flag: 'image',
    about: 'image of the workers that send a load from inside the cluster (loadflame cluster run)',
  },
  {
    name: 'KUBE_PROFILE_IMAGE',
    about:
      'image with py-spy; loadflame profile adds a container of it to pods whose own image lacks py-spy',
  },

  {
    name: 'THRESHOLDS',
    about: 'YAML file with limits for a run; a missed limit is exit code 5 (docs/thresholds.md)',
  },
  {
    name: 'ALLOWED_FAILURES',
    parser: share,
    default: '1%',
    about:
      'share of failed requests and messages, and of failed users, above which a run ends with exit code 5',
  },
  {
    name: 'EXPLAIN_DATABASE_URL',
    parser: databaseUrl,
    secret: true,
    about:
      'database that --explain-sql and --db-stats ask, e.g. postgresql://user:password@host/name',
  },
  {
    name: 'TRACE_SAMPLED',
    parser: share,
    about: 'send a W3C traceparent with each request; this share is flagged as sampled',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    about: 'collector for the metrics of a load (OTLP/HTTP with JSON)',
  },
  { name: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', about: 'its address for metrics' },
  { name: 'OTEL_EXPORTER_OTLP_HEADERS', secret: true, about: 'headers: a=1,b=2' },
  { name: 'OTEL_SERVICE_NAME', about: 'who sends them' },
  { name: 'OTEL_RESOURCE_ATTRIBUTES', about: 'their resource: a=1,b=2' },
  { name: 'RULES_FILE', about: 'YAML file with your own rules for hot paths (docs/rules.md)' },
  { name: 'CHROME_PATH', about: 'browser for `loadflame open` and the browser tests' },
];
