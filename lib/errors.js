/**
 * The one table of errors. A message says what failed and with which value; its hint says what to
 * type next in this situation. Match on `code`, never on text.
 */

/** Exit codes, by meaning; `docs/errors.md` explains each. */
export const EXIT = Object.freeze({
  good: 0,
  bug: 1,
  usage: 2,
  missing: 3,
  refused: 4,
  threshold: 5,
  invalid: 6,
  interrupted: 130,
});

/**
 * code → [exit, message, hint]; `{name}` is a gap, filled from the data given to `LoadflameError`.
 * @type {Record<string, [number, string, string]>}
 */
export const ERRORS = {
  // -- settings and the command line (lib/config, lib/cli)
  SETTING_INVALID: [
    EXIT.usage,
    '{name} is {value} (from {source}), which is not allowed',
    'give {name} as {allowed}',
  ],
  SETTING_UNKNOWN: [
    EXIT.usage,
    '{name} (from {source}) is not a setting of loadflame',
    '`loadflame doctor --print-config` lists all settings; a script declares its own variables in `config.loadflame.variables`',
  ],
  SETTING_SECRET: [
    EXIT.usage,
    '{name} is a secret and cannot be given on the command line, which every user of the machine can read',
    'set it in envs.sh, in .env or in the environment',
  ],
  SETTING_MISSING: [
    EXIT.usage,
    '{name} is not set: {about}',
    'set it in envs.sh (copy envs.example.sh), in .env or in the environment; in a clone, `npm run loadflame -- demo` prints values to try',
  ],
  ENVS_FILE_FAILED: [
    EXIT.usage,
    'cannot read {file}: {reason}',
    'run `sh -c ". ./envs.sh"` to see what the shell reports, and correct the file',
  ],
  COMPANION_DIFFERS: [
    EXIT.usage,
    '{file} already exists with different content: another version, or changed by you',
    'add --force to replace it; what it does is in docs/companion.md',
  ],
  COMPANION_UNWRITABLE: [
    EXIT.usage,
    'cannot write {file}: {reason}',
    'name the folder from which the server is started: `loadflame companion <folder>`',
  ],
  OPTION_NOT_JSON: [
    EXIT.usage,
    '{option} is not a JSON object: {value}',
    'put it in single quotes, with double quotes inside: {option} \'{"name": "value"}\'',
  ],
  REPORT_MIXED: [
    EXIT.usage,
    '{folder} is a run folder, and other files were named beside it',
    'name one run folder, a load and what was recorded meanwhile on the machine of its target, or only loose files',
  ],
  DEMO_MISSING: [
    EXIT.missing,
    'the demo is not part of the npm package',
    'clone the repository of loadflame and run `npm run loadflame -- demo` there; here, set TARGET to your own API',
  ],
  NO_RUNS: [
    EXIT.usage,
    'there is no run in {root}/ yet',
    'record one with `loadflame test <script> --profile`, or name a folder or files',
  ],
  NOTHING_TO_OPEN: [
    EXIT.usage,
    '{file} does not exist',
    'build it with `loadflame report {folder}`; a run without a profile has nothing for speedscope',
  ],
  INTERRUPTED: [
    EXIT.interrupted,
    'interrupted before anything was measured',
    'nothing was kept; run the command again',
  ],

  // -- the run folder (lib/run)
  RUN_FOLDER_UNWRITABLE: [
    EXIT.missing,
    'cannot write the run folder {folder} ({reason})',
    'make the folder writable, free some space, or name another with --profiles <folder>',
  ],
  RUN_FOLDER_NOT_ONE: [
    EXIT.usage,
    '{file} is not the manifest of a run: {reason}',
    'give the id of a run in profiles/, `last`, or a folder with a run.json',
  ],

  RUN_FILE_UNREADABLE: [
    EXIT.usage,
    'cannot read {file}: {reason}',
    'the folder of a run holds what loadflame recorded: restore that file, or delete it to report without it',
  ],

  // -- tokens (lib/auth)
  OIDC_USERS_FILE: [
    EXIT.usage,
    'cannot read the users in {file}: {reason}',
    'write a CSV file with the first row username,password and one user per row, and name it in OIDC_USERS',
  ],
  OIDC_INSECURE_ISSUER: [
    EXIT.usage,
    '{issuer} would send passwords unencrypted over a public network: {host} is not on this machine or a private network',
    'set OIDC_ISSUER to the https:// address of the identity provider',
  ],
  OIDC_ENDPOINT_ELSEWHERE: [
    EXIT.refused,
    'the discovery document of {issuer} sends the login elsewhere: its {name} is {endpoint}',
    'if that host belongs to the identity provider, set OIDC_HOSTS={host}; from https:// the login never goes on to http://',
  ],
  OIDC_DISCOVERY_FAILED: [
    EXIT.refused,
    'cannot use the identity provider {issuer}: {reason}',
    'open <OIDC_ISSUER>/.well-known/openid-configuration in a browser: it must show JSON (Keycloak: https://<host>/realms/<realm>)',
  ],
  OIDC_LOGIN_REFUSED: [
    EXIT.refused,
    'the identity provider {issuer} refused the login of {user}: {reason}',
    'check {where}. There was only one attempt, because wrong passwords lock accounts. Keycloak reports the same for a locked user, and for two logins at the same moment',
  ],
  OIDC_CLIENT_REFUSED: [
    EXIT.refused,
    'the identity provider {issuer} refused the client {clientId}: {reason}',
    'check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (a public client has none), and that the client is allowed to use the flow {flow}',
  ],
  OIDC_FLOW_UNSUPPORTED: [
    EXIT.refused,
    'the identity provider {issuer} does not support the flow {flow}: {reason}',
    'set OIDC_FLOW to another of password, client_credentials and authorization_code',
  ],
  OIDC_FORM_NOT_UNDERSTOOD: [
    EXIT.refused,
    'the login at {issuer} could not be completed: {reason}',
    'log in once in a browser as this user, complete what the provider asks for (consent, new password, second factor), or set OIDC_FLOW=password',
  ],
  OIDC_TOKEN_FAILED: [
    EXIT.refused,
    'the identity provider {issuer} issued no token for {user}: {reason}',
    'check that the identity provider is running, then run `loadflame doctor`',
  ],

  // -- before the load (lib/preflight)
  TARGET_UNREACHABLE: [
    EXIT.refused,
    '{url} does not respond ({reason})',
    'check that the API is running and that TARGET is right; in a clone, `npm run loadflame -- demo` starts one to try',
  ],
  TARGET_UNTRUSTED: [
    EXIT.refused,
    '{url} responds with a TLS certificate that is not trusted here ({reason})',
    'if it has expired or is for another host name, renew it or change TARGET. Else name its CA with NODE_EXTRA_CA_CERTS=<file.pem>, or use those of the system with NODE_OPTIONS=--use-system-ca. --insecure accepts any certificate, also that of an attacker who reads every token',
  ],
  TARGET_ANSWER_TOO_LONG: [
    EXIT.refused,
    '{url} responds with more than {most} MB, which are not read',
    'name an address with a smaller response: a check compares one value, and a description of an API has some MB at most',
  ],
  TARGET_REFUSED: [
    EXIT.refused,
    '{url} rejects the {credential} ({response})',
    'compare the issuer string on both sides (localhost is not 127.0.0.1), OIDC_AUDIENCE, the roles of the user, and the clocks. Without OIDC_ISSUER no token is sent',
  ],
  SCRIPT_FOREIGN: [
    EXIT.refused,
    '{target} has nothing that {script} requests first: status 404 for {list}',
    'is the script for another API? `loadflame init --url {target}` writes one to start from; if 404 is what you measure, say so with `expect: {statusCode: 404}`',
  ],
  CHECK_VALUE_MISSING: [
    EXIT.usage,
    '{what} does not exist on this target; it has {known}',
    'set {names} to one of them',
  ],
  CHECK_FAILED: [EXIT.refused, '{url} {problem}{purpose}', '{change}'],

  // -- finding the target (lib/target)
  SERVER_NOT_FOUND: [
    EXIT.missing,
    'found no Python server to profile: {why}',
    'start the API (in a clone, `npm run loadflame -- demo` starts one to try), set TARGET to its address, or name its process with --pid <pid>',
  ],
  SERVER_AMBIGUOUS: [
    EXIT.usage,
    '{count} servers are running and it is not clear which one to profile:{list}',
    'name one, for example with --pid {example} or SERVER_PID={example}',
  ],
  SERVER_PID_WRONG: [
    EXIT.usage,
    'cannot profile process {pid}: {why}',
    'give the pid of a process of the server with --pid or SERVER_PID. Without it, the server is found by the port of the target',
  ],
  SERVER_PID_FILE: [
    EXIT.usage,
    'cannot use the pid file {file}: {why}',
    'name the file that holds the pid of the server (gunicorn: --pid), or omit it to find the server by the port of the target',
  ],
  TASK_WORKERS_NOT_FOUND: [
    EXIT.missing,
    'found no task workers for --also {given}: {why}',
    'start them first, then name them: --also celery, --also rq, --also dramatiq, or the pid or the pid file of their first process',
  ],
  SERVER_COMMAND_FAILED: [
    EXIT.missing,
    'the server of --command {command} was not started: {why}{tail}',
    'the command has to stay in the foreground and serve TARGET; stop what serves it already',
  ],
  GUNICORN_CONTROL_SOCKET: [
    EXIT.usage,
    'gunicorn does not respond on the control socket {socket}: {why}',
    "name the path of gunicorn's --control-socket (gunicorn 25.1 or newer), or omit it to find the server by the port of the target",
  ],

  // -- recording a profile (lib/record/profiler)
  PYSPY_MISSING: [
    EXIT.missing,
    'py-spy was not found ({tried})',
    'install it with `python3 -m pip install py-spy`, or set PYSPY to its path; --profiler none records without stacks',
  ],
  PYSPY_UNUSABLE: [
    EXIT.missing,
    'cannot use {path}: {why}',
    'install py-spy {minimum} or newer, or set PYSPY to one',
  ],
  PYSPY_PERMISSION: [
    EXIT.missing,
    'py-spy has no permission to read process {pid} ({why})',
    'run as the user of that process, or allow sudo for py-spy and kill (docs/no-sudo.md); --profiler none records without stacks',
  ],
  PYSPY_NO_PROCESS: [
    EXIT.missing,
    'py-spy cannot find process {pid}',
    'the API has stopped or was restarted: start it, and omit --pid to find it automatically',
  ],
  PYSPY_NOT_PYTHON: [
    EXIT.usage,
    'process {pid} is not Python, or is a Python version that py-spy does not support',
    'give the pid of the Python server; a very new Python needs a newer py-spy',
  ],
  PYSPY_PTRACE_BLOCKED: [
    EXIT.missing,
    'the system blocks py-spy from pausing process {pid} (ptrace is blocked) and from reading it while it runs',
    'allow ptrace (in containers: --cap-add SYS_PTRACE, or another seccomp profile); --profiler none records without stacks',
  ],
  PYSPY_FAILED: [
    EXIT.missing,
    'py-spy failed on process {pid}: {tail}',
    'run `loadflame doctor`; profile/py-spy.log in the run folder has the output of py-spy',
  ],
  PROFILER_REFUSED: [
    EXIT.missing,
    "PROFILER=remote, but loadflame's own recorder does not work on process {pid}: {reason}",
    'leave PROFILER out: py-spy records where it does not',
  ],

  // -- driving load (lib/record/load)
  SCRIPT_NOT_FOUND: [
    EXIT.usage,
    'cannot read the script {file} ({reason})',
    'name a script that exists, e.g. in scenarios/; `loadflame init` writes one there',
  ],
  SCRIPT_FORMAT: [
    EXIT.usage,
    'the script {file} is neither YAML nor JSON',
    'write the scenarios to a .yaml file; code belongs in its `config.processor`',
  ],
  SCRIPT_SYNTAX: [
    EXIT.usage,
    '{at}: cannot parse the script: {problem}',
    'correct that line; a text that contains {{ or : needs quotes',
  ],
  SCRIPT_INVALID: [EXIT.usage, '{at}: {problem}', '{change}'],
  SCRIPT_NUMBER: [
    EXIT.usage,
    '{at}: `{key}: {given}` is not a number (its value is {value})',
    'write a number, or set the variable in it, e.g. DURATION=30 in envs.sh',
  ],
  SCRIPT_NO_TARGET: [
    EXIT.usage,
    '{at}: the script has no target ({given})',
    'set TARGET in envs.sh, or add --target http://127.0.0.1:5000',
  ],
  SCRIPT_USERS_ARTILLERY: [
    EXIT.usage,
    "{at}: phases with `{key}` are loadflame's own; Artillery's engine does not support them",
    'omit `--engine artillery`, or write `arrivalRate` instead of `{key}`',
  ],
  ARTILLERY_MISSING: [
    EXIT.missing,
    '--engine artillery needs the package artillery, which is not installed',
    'type `npm install artillery@^{version}` (in a clone of loadflame: `node scripts/run.js --all`), or omit `--engine artillery`: loadflame runs the same scripts',
  ],
  ARTILLERY_PART_MISSING: [
    EXIT.missing,
    '`{part}` of Artillery needs the package {package}, in whose place this installation has an empty one',
    'delete the lines of `overrides` in package.json, and type `npm install`',
  ],
  LOAD_NOT_STARTED: [
    EXIT.invalid,
    'the load generator exited before the load started (exit code {exitCode}): {reason}',
    'see {log}',
  ],

  // -- recording logs (lib/record/logs)
  LOG_FILE_UNREADABLE: [
    EXIT.usage,
    'cannot read the log file {file} ({reason})',
    'set LOG_FILES to files or patterns that exist and that you may read, separated by commas; leave it empty to record no logs',
  ],

  // -- pods of a cluster (lib/record/cluster)
  KUBE_CLIENT_MISSING: [
    EXIT.missing,
    'pods of a cluster need the package @kubernetes/client-node, which is not installed',
    'type `npm install @kubernetes/client-node@^1.4.0` (in a clone of loadflame: `node scripts/run.js --all`)',
  ],
  KUBE_CONFIG_UNREADABLE: [
    EXIT.usage,
    'cannot read the kubeconfig {file}: {reason}',
    'log in to the cluster (`oc login`, or what your cluster has), or name another kubeconfig with KUBECONFIG. Without KUBE_WORKLOAD and KUBE_SELECTOR no cluster is contacted',
  ],
  KUBE_CONTEXT_UNKNOWN: [
    EXIT.usage,
    'the kubeconfig has no context {context}, or that names no cluster',
    'set KUBE_CONTEXT to one of those that there are: {known}',
  ],
  KUBE_UNREACHABLE: [
    EXIT.refused,
    'the API of the cluster at {server} cannot be reached: {reason}',
    'try `kubectl get pods` (or `oc get pods`) with the same kubeconfig: the network, a VPN, a proxy or the certificate may be the reason. If the login program of the kubeconfig needs a secret variable, name it with KUBE_LOGIN_ENV',
  ],
  KUBE_LOGIN_REFUSED: [
    EXIT.refused,
    'the cluster at {server} refused the login of the context {context}: its token may have expired',
    'log in again (`oc login`, or what your cluster has)',
  ],
  KUBE_FORBIDDEN: [
    EXIT.refused,
    'this login may not {verb} {resource} in the namespace {namespace}',
    'ask for the verb {verb} on {resource} there (docs/openshift.md has the smallest Role), or correct KUBE_NAMESPACE',
  ],
  KUBE_NOT_THERE: [
    EXIT.refused,
    'the namespace {namespace} has no {resource} with the name {name}',
    'look at `kubectl get {resource} -n {namespace}`, and correct KUBE_WORKLOAD or KUBE_NAMESPACE',
  ],
  KUBE_API_MISSING: [
    EXIT.refused,
    'the cluster does not know {resource}',
    'only OpenShift has routes: elsewhere ask for ingresses. For CPU and memory of pods (pods.metrics.k8s.io) ask for metrics-server',
  ],
  KUBE_NAMESPACE_UNKNOWN: [
    EXIT.refused,
    'the cluster has no namespace {namespace}',
    'set KUBE_NAMESPACE to the project that the API runs in, or KUBE_CONTEXT to another cluster',
  ],
  KUBE_NO_PODS: [
    EXIT.refused,
    'no pod in the namespace {namespace} has the labels {selector}',
    'compare with `kubectl get pods -n {namespace} --show-labels`, and correct KUBE_SELECTOR, KUBE_WORKLOAD or KUBE_NAMESPACE',
  ],
  KUBE_NO_TARGETS: [
    EXIT.refused,
    'there is no target among the {what}: {why}',
    'compare with `kubectl get {kind} -n {namespace} --show-labels`, and correct `targets`, KUBE_NAMESPACE or KUBE_CONTEXT',
  ],
  TARGETS_WITHOUT_HOSTS: [
    EXIT.usage,
    'this run logs in, and its token would go to whatever has these labels: {what}: {found}',
    'name the hosts that may have it, such as `hosts: ["*.apps.example.com"]` beside the labels in `targets`',
  ],
  KUBE_REQUEST_FAILED: [
    EXIT.refused,
    'the cluster rejected {verb} {resource} in the namespace {namespace}: status {status}: {reason}',
    'try again in a while; where that does not help, ask who runs the cluster',
  ],

  POD_NO_SERVER: [
    EXIT.missing,
    'found no Python server in the pod {pod} (containers: {containers})',
    'name another pod with --pod; a server in a container without a shell, or of another language, cannot be profiled',
  ],
  POD_NO_PYSPY: [
    EXIT.missing,
    'py-spy is not in the container {container} of the pod {pod}',
    'add `pip install py-spy` to the image of the API: it needs no right there. Or set KUBE_PROFILE_IMAGE to an image with py-spy: a container of it is added to the pod. (docs/openshift.md)',
  ],
  POD_CONTAINER_REFUSED: [
    EXIT.refused,
    'the rules of the namespace do not let a container be added to the pod: {reason}',
    'ask who runs the cluster what the namespace allows. py-spy in the image of the API needs no container of its own (docs/openshift.md)',
  ],
  POD_CONTAINER_FAILED: [
    EXIT.refused,
    'the container of {image} that was added to the pod {pod} does not run: {reason}',
    'correct KUBE_PROFILE_IMAGE: an image with py-spy, a shell, `cat`, `tail` and `sleep` that the nodes may fetch',
  ],
  POD_NOT_PROFILED: [
    EXIT.missing,
    'the pod {pod} cannot be profiled: {reasons}',
    'docs/openshift.md has the ways to a profile and what each needs',
  ],
  KUBE_PODS_REFUSED: [
    EXIT.refused,
    'the cluster does not let the workers be started: {reason}',
    'take fewer workers, or smaller ones (--workers, --cpu, --memory), or ask for a larger quota; what else a pod must have comes with --pod-file',
  ],
  KUBE_IMAGE: [
    EXIT.refused,
    'the cluster cannot start the image {image}: {reason}',
    'correct --image (KUBE_IMAGE), which is built from the Containerfile (docs/openshift.md); a registry with a login needs imagePullSecrets in the file of --pod-file',
  ],
  KUBE_NO_WORKERS: [
    EXIT.refused,
    'no worker was ready within {seconds} s: {reason}',
    'see whether the nodes have room for them, and the image is the one of the Containerfile (docs/openshift.md); --wait gives them longer',
  ],
  KUBE_WORKER_FAILED: [
    EXIT.refused,
    'worker {worker} cannot send the load: {reason} ({code})',
    'correct that, and run it again',
  ],
  KUBE_FILES_TOO_LARGE: [
    EXIT.usage,
    'the script, its files and the settings have {bytes} bytes, and a Secret holds {most} at most',
    'make {largest} smaller, or build an image that has it',
  ],
  KUBE_POD_FILE: [
    EXIT.usage,
    'the file {file} is no map of a pod: {reason}',
    'write fields of a pod as YAML: tolerations, nodeSelector, imagePullSecrets, or `containers: [{name: worker, …}]`',
  ],
  // -- reading profiles (lib/profile)
  PROFILE_UNREADABLE: [
    EXIT.usage,
    'cannot read the profile {file}: {reason}',
    'check the path; a profile is a file written by `py-spy record -f raw` (or speedscope, flamegraph)',
  ],
  PROFILE_FORMAT: [
    EXIT.usage,
    '{file} is not a profile that loadflame can read: it looks like {looksLike}',
    'give a file of `py-spy record` in the format raw or flamegraph (SVG)',
  ],
  PROFILE_BROKEN: [
    EXIT.usage,
    '{file} looks like {format} but is broken: {reason}',
    'record it again, or give another format of the same recording (raw or flamegraph)',
  ],
  PROFILE_TOO_BIG: [
    EXIT.usage,
    '{file} has {megabytes} MB; the largest file of this format that can be read has {most} MB',
    'record with `py-spy record -f raw`: it is smaller, and has no size limit',
  ],

  // -- rules for hot paths (lib/hotpath)
  RULES_UNREADABLE: [
    EXIT.usage,
    'cannot read the rules file {file}: {reason}',
    'check the path given with --rules-file or RULES_FILE; docs/rules.md shows a rules file',
  ],
  RULES_INVALID: [EXIT.usage, '{at}: {key} {problem}', '{change}'],

  // -- building a report (lib/analysis, lib/report)
  ARTILLERY_JSON_BROKEN: [
    EXIT.usage,
    "{file} looks like Artillery's JSON but is broken: {reason}",
    'write it again with `artillery run --output <file>`; Artillery writes it only when a run ends normally',
  ],
  REPORT_TWO_LOADS: [
    EXIT.usage,
    '{file} is a second load test; a report has one',
    'name one JSON file of Artillery, and any number of profiles',
  ],
  REPORT_NO_PAIR: [
    EXIT.usage,
    '{first} is of a {firstKind}, and {second} of a {secondKind}: a load and a profile make one run',
    'name a load test without --profile and what `loadflame profile` recorded meanwhile on the machine of its target; how two runs differ: loadflame compare <run A> <run B>',
  ],
  REPORT_OTHER_TARGET: [
    EXIT.usage,
    'the load and the recording seem to be of two APIs: {reason}',
    'name the recording of the API that the load was sent to. If it is that one (two names of one API, a container with its own process ids), add --same-target',
  ],
  REPORT_APART: [
    EXIT.usage,
    '{recording} covers {recorded} (UTC), and the load was sent {sent} by the same clock',
    'name what was recorded during the load; where a clock is wrong by as much, set both clocks (NTP) and measure again',
  ],
  REPORT_UNWRITABLE: [
    EXIT.missing,
    'cannot write {file} ({reason})',
    'free some space or make {folder} writable, then run: loadflame report {folder}',
  ],

  // -- comparing runs (lib/compare)
  COMPARE_SIDES: [
    EXIT.usage,
    '{problem}',
    'name a run of each side, `loadflame compare <A> <B>`, or several: `loadflame compare A1 A2 A3 A4 -- B1 B2 B3 B4`; a folder of runs means all of them',
  ],
  COMPARE_NO_RUN: [
    EXIT.usage,
    '{path} is not a run: {reason}',
    'give the id of a run in profiles/, `last`, a folder with a run.json (or a report.json), or a folder of such folders',
  ],
  COMPARE_RUN_TWICE: [
    EXIT.usage,
    'the run {folder} is named twice',
    'name each run once: the same run again adds no information, and a load that was put together with a recording is that load',
  ],

  // -- thresholds (lib/thresholds)
  THRESHOLDS_UNREADABLE: [
    EXIT.usage,
    'cannot read the thresholds file {file} ({reason})',
    'check the path in --thresholds or THRESHOLDS; docs/thresholds.md shows a file',
  ],
  THRESHOLDS_INVALID: [EXIT.usage, '{at}: {problem}', '{change}'],

  // -- study files and lists (lib/study/study-file, lib/study/lists)
  STUDY_UNREADABLE: [
    EXIT.usage,
    'cannot read the study {file} ({reason})',
    'name a file such as studies/content.yaml; docs/studies.md shows one',
  ],
  STUDY_SYNTAX: [
    EXIT.usage,
    '{at}: not a study file: {problem}',
    'correct that place; a text that contains : or #, or starts with {{ or *, needs quotes',
  ],
  STUDY_INVALID: [EXIT.usage, '{at}: {key} {problem}', '{change}'],
  STUDY_UNKNOWN_NAME: [EXIT.usage, '{at}: unknown name {name} in {key}{where}', '{change}'],
  STUDY_LIST_UNREADABLE: [
    EXIT.refused,
    'cannot read the list {name} from {from}: {reason}',
    'request it with `curl -i`, and correct `from` of that list in the study file',
  ],
  STUDY_LIST_EMPTY: [
    EXIT.refused,
    'the list {name} is empty: {match} finds nothing in {from}',
    'check the response, and correct `match` of that list. The first group of a regular expression is an item; or give a path such as $.items[*].href',
  ],
  STUDY_LIST_FOREIGN: [
    EXIT.usage,
    'the list {name} contains {item}: load may only be sent to {allowed}',
    'make `match` of that list stricter: only paths, or addresses of the target and of the ports of the study',
  ],

  // -- running a study (lib/study/run)
  STUDY_UNKNOWN: [
    EXIT.usage,
    'unknown study {name}: {known}',
    'name one of them, or a file: `loadflame study run my-study.yaml`',
  ],
  STUDY_FOLDER_NOT_ONE: [
    EXIT.usage,
    '{folder} is not the folder of a study: {reason}',
    'name a folder in profiles/ that contains a plan.json',
  ],
  STUDY_RUNNING: [
    EXIT.usage,
    'process {pid} is already running this study, in {folder}',
    'wait for it, or stop it with Ctrl+C: two at once would disturb each other',
  ],
  STUDY_LOAD_CRASHED: [
    EXIT.invalid,
    'the load generator exited before the load was over: {reason}',
    'load/generator.log in the folder of the run has its output',
  ],

  // -- cells of a study (lib/study/measure)
  STUDY_CELL_EMPTY: [
    EXIT.invalid,
    'no {what} in the measurement window of {folder}',
    'see load/generator.log in that folder; the window has to last some seconds (`duration`)',
  ],
  STUDY_PROBE_SILENT: [
    EXIT.invalid,
    'the probe {probe} reported {field} less than twice in the measurement window of {folder}',
    'resources/probes.ndjson in that folder has the reason; poll more often (`every`) or measure longer (`duration`)',
  ],

  // -- services of a study (lib/study/services)
  STUDY_PROGRAM_MISSING: [
    EXIT.missing,
    'a program that {owner} needs was not found\n{tail}',
    'install it, or put it on the PATH; in a clone, scripts/install-study-servers.sh installs everything that the studies need',
  ],
  STUDY_COMMAND_FAILED: [
    EXIT.missing,
    '{owner} failed ({end})\n{tail}',
    'the lines above are the end of its output',
  ],
  STUDY_SERVICE_ENDED: [
    EXIT.missing,
    'the service {service} exited while starting ({end})\n{tail}',
    'the lines above are the end of its log',
  ],
  STUDY_SERVICE_NOT_READY: [
    EXIT.missing,
    'the service {service} was not ready after {seconds} s: {why}\n{tail}',
    'the lines above are the end of its log; if it needs more time, set a longer `timeout` in `ready`',
  ],
  STUDY_SERVICE_DIED: [
    EXIT.invalid,
    'the service {service} exited during the study ({end})\n{tail}',
    'the lines above are the end of its log; what was measured before is kept',
  ],
};

/** An error that a user can act on: it has a code, a hint and an exit code. */
export class LoadflameError extends Error {
  /**
   * @param {string} code a key of `ERRORS`
   * @param {Record<string, unknown>} [data] fills the gaps of message and hint
   * @param {{cause?: unknown, hint?: string}} [options] `hint` replaces the table's when the
   *   situation is known better where the error is thrown
   */
  constructor(code, data = {}, options = {}) {
    const entry = ERRORS[code];
    if (!entry) throw new TypeError(`unknown error code ${code}`);
    const [exitCode, message, hint] = entry;
    super(fill(message, data), 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'LoadflameError';
    this.code = code;
    this.exitCode = exitCode;
    this.hint = options.hint ?? fill(hint, data);
    this.data = data;
  }
}

/** @param {string} text @param {Record<string, unknown>} data */
function fill(text, data) {
  return text.replace(/\{(\w+)\}/g, (_, key) => {
    if (!(key in data)) throw new TypeError(`error text has a gap "${key}" that was not filled`);
    return String(data[key]);
  });
}
