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
    '`loadflame doctor --print-config` lists all settings',
  ],
  SETTING_MISSING: [
    EXIT.usage,
    '{name} is not set: {about}',
    'set it in envs.sh (copy envs.example.sh), in .env or in the environment; in a clone, `npm run demo` prints values to try',
  ],
  ENVS_FILE_FAILED: [
    EXIT.usage,
    '{file} can not be read: {reason}',
    'run `sh -c ". ./envs.sh"` to see the shell complain, and mend the file',
  ],
  INIT_NO_PACKAGE: [
    EXIT.usage,
    '{file} can not be read: {reason}',
    'run `npm init -y` first, in the top folder of your repository',
  ],
  COMPANION_DIFFERS: [
    EXIT.usage,
    '{file} is there already, and is another one: of another version, or changed by you',
    'add --force to replace it; what it does is in docs/companion.md',
  ],
  COMPANION_UNWRITABLE: [
    EXIT.usage,
    '{file} can not be written: {reason}',
    'name the folder from which gunicorn is started: `loadflame companion <folder>`',
  ],
  OPTION_NOT_JSON: [
    EXIT.usage,
    '{option} is not a JSON object: {value}',
    'put it in single quotes, with double quotes inside: {option} \'{"name": "value"}\'',
  ],
  REPORT_MIXED: [
    EXIT.usage,
    '{folder} is a folder, and more than that was named',
    'name one run folder, or only files',
  ],
  DEMO_MISSING: [
    EXIT.missing,
    'the demo is not part of the npm package',
    'clone the repository of loadflame and run `npm run demo` there; here, set TARGET to your own API',
  ],
  NO_RUNS: [
    EXIT.usage,
    'there is no run in {root}/ yet',
    'record one with `npm run tests:profile`, or name a folder or files',
  ],
  NOTHING_TO_OPEN: [
    EXIT.usage,
    '{file} does not exist',
    'build it with `loadflame report {folder}`; a run without a profile has nothing for speedscope',
  ],
  INTERRUPTED: [
    EXIT.interrupted,
    'interrupted before anything was measured',
    'nothing was kept; type the command again when you are ready',
  ],

  OVERHEAD_NEEDS_PROFILE: [
    EXIT.usage,
    '--measure-overhead compares windows with and without the profiler, and there is none',
    'add --profile',
  ],

  // -- the run folder (lib/run)
  RUN_FOLDER_UNWRITABLE: [
    EXIT.missing,
    'the run folder {folder} can not be written ({reason})',
    'make the folder writable, free some space, or name another with --profiles <folder>',
  ],
  RUN_FOLDER_NOT_ONE: [
    EXIT.usage,
    '{file} is not the manifest of a run: {reason}',
    'name a folder below profiles/ that holds a run.json',
  ],

  // -- tokens (lib/auth)
  OIDC_USERS_FILE: [
    EXIT.usage,
    'the users in {file} can not be read: {reason}',
    'write a CSV file with the first row username,password and one user per row, and name it in OIDC_USERS',
  ],
  OIDC_INSECURE_ISSUER: [
    EXIT.usage,
    '{issuer} would send passwords unencrypted over a public network: {host} is not on this machine or a private network',
    'set OIDC_ISSUER to the https:// address of the identity provider',
  ],
  OIDC_DISCOVERY_FAILED: [
    EXIT.refused,
    'the identity provider {issuer} can not be used: {reason}',
    'open <OIDC_ISSUER>/.well-known/openid-configuration in a browser: it must show JSON (Keycloak: https://<host>/realms/<realm>)',
  ],
  OIDC_LOGIN_REFUSED: [
    EXIT.refused,
    'the identity provider {issuer} refused the login of {user}: {reason}',
    'check {where}; it was tried once only, because wrong passwords lock accounts (Keycloak also says this when a user is locked, or logs in twice at the same moment)',
  ],
  OIDC_CLIENT_REFUSED: [
    EXIT.refused,
    'the identity provider {issuer} refused the client {clientId}: {reason}',
    'check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET (a public client has none), and that the client may use the flow {flow}',
  ],
  OIDC_FLOW_UNSUPPORTED: [
    EXIT.refused,
    'the identity provider {issuer} does not support the flow {flow}: {reason}',
    'set OIDC_FLOW to another of password, client_credentials and authorization_code',
  ],
  OIDC_FORM_NOT_UNDERSTOOD: [
    EXIT.refused,
    'the login at {issuer} got stuck: {reason}',
    'log in once in a browser with this user to see what the provider asks for (consent, new password, second factor) and settle it, or set OIDC_FLOW=password',
  ],
  OIDC_TOKEN_FAILED: [
    EXIT.refused,
    'the identity provider {issuer} gave no token to {user}: {reason}',
    'check that the identity provider is up, then run loadflame doctor',
  ],

  // -- before the load (lib/preflight)
  TARGET_UNREACHABLE: [
    EXIT.refused,
    '{url} does not answer ({reason})',
    'is the API running, and is TARGET right? In a clone, `npm run demo` starts one to try',
  ],
  TARGET_REFUSED: [
    EXIT.refused,
    '{url} refuses the token (status {status})',
    'compare the issuer string on both sides (localhost is not 127.0.0.1), OIDC_AUDIENCE, the roles of the user, and the clocks; without OIDC_ISSUER no token is sent',
  ],
  OFFICE_UNKNOWN: [
    EXIT.usage,
    'office {id} does not exist on this target; it has {known}',
    'set OFFICE_ID to one of them',
  ],
  SERVICE_UNKNOWN: [
    EXIT.usage,
    'service {id} is not offered by office {office}; it has {known}',
    'set SERVICE_ID to one of them',
  ],

  // -- finding the target (lib/target)
  GUNICORN_NOT_FOUND: [
    EXIT.missing,
    'no gunicorn to profile was found: {why}',
    'start the API under gunicorn (in a clone, `npm run demo` starts one to try), or name the master with --gunicorn-pid <pid>',
  ],
  GUNICORN_AMBIGUOUS: [
    EXIT.usage,
    '{count} gunicorn masters are running and nothing says which one to profile:{list}',
    'name one, for example with --gunicorn-pid {example} or GUNICORN_PID={example}',
  ],
  GUNICORN_PID_WRONG: [
    EXIT.usage,
    'process {pid} can not be profiled: {why}',
    'give the pid of the gunicorn master with --gunicorn-pid or GUNICORN_PID, or leave it out to have it found',
  ],
  GUNICORN_PID_FILE: [
    EXIT.usage,
    'the pid file {file} is of no use: {why}',
    'name the file that gunicorn was given with --pid, or leave it out to have gunicorn found',
  ],
  GUNICORN_CONTROL_SOCKET: [
    EXIT.usage,
    'gunicorn does not answer at the control socket {socket}: {why}',
    "name the path of gunicorn's --control-socket (gunicorn 25.1 or newer), or leave it out to have gunicorn found",
  ],

  // -- recording a profile (lib/record/profiler)
  PYSPY_MISSING: [
    EXIT.missing,
    'py-spy was not found ({tried})',
    'install it with `python3 -m pip install py-spy`, or set PYSPY to where it is',
  ],
  PYSPY_UNUSABLE: [
    EXIT.missing,
    '{path} can not be used: {why}',
    'install a py-spy of version {minimum} or newer, or set PYSPY to one',
  ],
  PYSPY_PERMISSION: [
    EXIT.missing,
    'py-spy may not read process {pid} ({why})',
    'run as the user of that process, or allow sudo for py-spy and kill',
  ],
  PYSPY_NO_PROCESS: [
    EXIT.missing,
    'py-spy finds no process {pid}',
    'the API has ended or was restarted: start it, and leave out --gunicorn-pid to have it found',
  ],
  PYSPY_NOT_PYTHON: [
    EXIT.usage,
    'process {pid} is not Python, or a Python that py-spy does not know',
    'give the pid of the gunicorn master; for a very new Python, a newer py-spy',
  ],
  PYSPY_PTRACE_BLOCKED: [
    EXIT.missing,
    'the system does not let py-spy stop process {pid} (ptrace is blocked), nor read it while it runs',
    'allow ptrace (in containers: --cap-add SYS_PTRACE, or another seccomp profile)',
  ],
  PYSPY_FAILED: [
    EXIT.missing,
    'py-spy failed on process {pid}: {tail}',
    'run `npm run doctor`; profile/py-spy.log in the run folder has all that py-spy said',
  ],
  PYSPY_NO_TERMINAL: [
    EXIT.usage,
    "py-spy's live view needs a terminal",
    'run it in a terminal, not in a pipe or in CI; `npm run python:profile` records without one',
  ],

  // -- driving load (lib/record/load)
  SCRIPT_NOT_FOUND: [
    EXIT.usage,
    'the script {file} can not be read ({reason})',
    'name a script that exists, e.g. scenarios/csr-all.yaml; `loadflame init` writes the examples',
  ],
  SCRIPT_FORMAT: [
    EXIT.usage,
    'the script {file} is neither YAML nor JSON',
    'write the scenarios to a .yaml file; code belongs in its `config.processor`',
  ],
  SCRIPT_SYNTAX: [
    EXIT.usage,
    '{at}: the script can not be read: {problem}',
    'correct that line; a text that holds {{ or : needs quotes',
  ],
  SCRIPT_INVALID: [EXIT.usage, '{at}: {problem}', '{change}'],
  SCRIPT_NUMBER: [
    EXIT.usage,
    '{at}: `{key}: {given}` is not a number (its value is {value})',
    'write a number, or set the variable that it names, e.g. DURATION=30 in envs.sh',
  ],
  SCRIPT_NO_TARGET: [
    EXIT.usage,
    '{at}: the script has no target ({given})',
    'set TARGET in envs.sh, or add --target http://127.0.0.1:5000',
  ],
  SCRIPT_HOOK_REASSIGNS: [
    EXIT.usage,
    '{at}: the hook `{name}` assigns to `{parameter}`: what it sets after that is never sent',
    'change the object that is passed instead, e.g. `{parameter}.headers = {...{parameter}.headers, …}`',
  ],
  SCRIPT_USERS_ARTILLERY: [
    EXIT.usage,
    "{at}: phases with `users` are loadflame's own; Artillery's engine does not know them",
    'leave out `--engine artillery`, or write `arrivalRate` instead of `users`',
  ],
  LOAD_NOT_STARTED: [
    EXIT.invalid,
    'the load generator ended before the load began (exit code {exitCode}): {reason}',
    'read {log}',
  ],

  // -- recording logs (lib/record/logs)
  LOG_FILE_UNREADABLE: [
    EXIT.usage,
    'the log file {file} can not be read ({reason})',
    'name files or patterns that exist in LOG_FILES, separated by commas, and make them readable for you; leave it empty to do without logs',
  ],
  LOG_COMMAND_INVALID: [
    EXIT.usage,
    'LOG_COMMAND is no command: {reason}',
    'write a program and its arguments, e.g. LOG_COMMAND="oc logs -f --tail=0 deploy/api"; it is started without a shell, so pipes need a script of your own',
  ],
  LOG_COMMAND_FAILED: [
    EXIT.missing,
    'LOG_COMMAND does not go on: {command}: {reason}',
    'try it in a terminal: it must keep running and print what the log says from now on',
  ],

  // -- reading profiles (lib/profile)
  PROFILE_UNREADABLE: [
    EXIT.usage,
    'the profile {file} can not be read: {reason}',
    'check the path; a profile is a file that `py-spy record -f raw` (or speedscope, flamegraph) wrote',
  ],
  PROFILE_FORMAT: [
    EXIT.usage,
    '{file} is no profile that loadflame can read: it looks like {looksLike}',
    'give a file of `py-spy record` in the format raw, speedscope or flamegraph (SVG)',
  ],
  PROFILE_BROKEN: [
    EXIT.usage,
    '{file} looks like {format} but is broken: {reason}',
    'record it again, or give another format of the same recording (raw, speedscope or flamegraph)',
  ],
  PROFILE_TOO_BIG: [
    EXIT.usage,
    '{file} has {megabytes} MB, and a file of this format is read up to {most} MB',
    'record with `py-spy record -f raw`: it is smaller and read at any size',
  ],

  // -- rules for hot paths (lib/hotpath)
  RULES_UNREADABLE: [
    EXIT.usage,
    'the rules file {file} can not be read: {reason}',
    'check the path given with --rules; docs/rules.md shows a rules file',
  ],
  RULES_INVALID: [
    EXIT.usage,
    '{file}:{line}: {key}: {reason}',
    'mend that line; docs/rules.md lists the keys of a rules file and what each may hold',
  ],

  // -- building a report (lib/analysis, lib/report)
  ARTILLERY_JSON_BROKEN: [
    EXIT.usage,
    "{file} looks like Artillery's JSON but is broken: {reason}",
    'write it again with `artillery run --output <file>`; Artillery writes it only when a run ends well',
  ],
  REPORT_TWO_LOADS: [
    EXIT.usage,
    '{file} is a second load test, and a report has one',
    'name one JSON file of Artillery, with as many profiles as you like',
  ],
  REPORT_UNWRITABLE: [
    EXIT.missing,
    '{file} can not be written ({reason})',
    'free some space or make {folder} writable, then type: loadflame report {folder}',
  ],

  // -- comparing runs (lib/compare)
  COMPARE_SIDES: [
    EXIT.usage,
    '{problem}',
    'name a run of each side, `loadflame compare <A> <B>`, or several: `loadflame compare A1 A2 A3 A4 -- B1 B2 B3 B4`; a folder that holds runs stands for all of them',
  ],
  COMPARE_NO_RUN: [
    EXIT.usage,
    '{path} is no run: {reason}',
    'name a folder below profiles/ that holds a run.json (or a report.json), or a folder of such folders',
  ],
  COMPARE_RUN_TWICE: [
    EXIT.usage,
    'the run {folder} is named twice',
    'name each run once: the same run again tells nothing new',
  ],

  // -- thresholds (lib/thresholds)
  THRESHOLDS_UNREADABLE: [
    EXIT.usage,
    'the thresholds file {file} can not be read ({reason})',
    'check the path in --thresholds or THRESHOLDS; docs/thresholds.md shows a file',
  ],
  THRESHOLDS_INVALID: [EXIT.usage, '{at}: {problem}', '{change}'],

  // -- study files and lists (lib/study/study-file, lib/study/lists)
  STUDY_UNREADABLE: [
    EXIT.usage,
    'the study {file} can not be read ({reason})',
    'name a file such as studies/content.yaml; docs/studies.md shows one',
  ],
  STUDY_SYNTAX: [
    EXIT.usage,
    '{at}: this is no study file: {problem}',
    'mend that place; a text that holds : or # or begins with {{ or * stands in quotes',
  ],
  STUDY_INVALID: [EXIT.usage, '{at}: {key} {problem}', '{change}'],
  STUDY_UNKNOWN_NAME: [
    EXIT.usage,
    '{at}: {key} names {name}, which stands for nothing{where}',
    '{change}',
  ],
  STUDY_LIST_UNREADABLE: [
    EXIT.refused,
    'the list {name} can not be read from {from}: {reason}',
    'look at it with `curl -i`, and mend `from` of that list in the study file',
  ],
  STUDY_LIST_EMPTY: [
    EXIT.refused,
    'the list {name} is empty: {match} finds nothing in {from}',
    'look at what is there, and mend `match` of that list: the first group of a regular expression is an item, or give a path such as $.items[*].href',
  ],
  STUDY_LIST_FOREIGN: [
    EXIT.usage,
    'the list {name} holds {item}, which would send load elsewhere than to {allowed}',
    'let `match` of that list find fewer: paths, or addresses of the target and of the ports of the study',
  ],

  // -- running a study (lib/study/run)
  STUDY_UNKNOWN: [
    EXIT.usage,
    'there is no study {name}: {known}',
    'name one of them, or a file: `loadflame study run my-study.yaml`',
  ],
  STUDY_FOLDER_NOT_ONE: [
    EXIT.usage,
    '{folder} is not the folder of a study: {reason}',
    'name a folder below profiles/ that holds a plan.json',
  ],
  STUDY_RUNNING: [
    EXIT.usage,
    'this study is being run by process {pid}, in {folder}',
    'wait for it, or stop it there with Ctrl+C: two at once would measure each other',
  ],
  STUDY_LOAD_CRASHED: [
    EXIT.invalid,
    'the load generator ended before the load was over: {reason}',
    'load/generator.log in the folder of the run has all that it said',
  ],

  // -- cells of a study (lib/study/measure)
  STUDY_CELL_EMPTY: [
    EXIT.invalid,
    'the plateau of {folder} holds not one {what}: there is nothing to measure',
    'look into load/generator.log in that folder; a plateau has to last some seconds (`duration`)',
  ],
  STUDY_PROBE_SILENT: [
    EXIT.invalid,
    'the probe {probe} told {field} less than twice during the plateau of {folder}',
    'resources/probes.ndjson there says why; poll more often (`every`) or measure longer (`duration`)',
  ],

  // -- services of a study (lib/study/services)
  STUDY_PROGRAM_MISSING: [
    EXIT.missing,
    '{program} was not found, which {owner} needs',
    'install it: {how}; in a clone, scripts/install-study-servers.sh installs all that the studies need',
  ],
  STUDY_USER_UNKNOWN: [
    EXIT.missing,
    'the service {service} is to run as the user {user}, who does not exist on this machine',
    'install the package that makes this user (postgres: `apt-get install postgresql`), or name another',
  ],
  STUDY_FILE_OUTSIDE: [
    EXIT.usage,
    'the service {service} would write the file {file}, which is not below its own folder',
    'name it by a relative path such as conf/nginx.conf',
  ],
  STUDY_COMMAND_FAILED: [
    EXIT.missing,
    'a command of {owner} failed ({end}): {command}\n{tail}',
    'the lines above are the last that it said',
  ],
  STUDY_SERVICE_ENDED: [
    EXIT.missing,
    'the service {service} ended while it was starting ({end})\n{tail}',
    'the lines above are the end of its log',
  ],
  STUDY_SERVICE_NOT_READY: [
    EXIT.missing,
    'the service {service} was not ready after {seconds} s: {why}\n{tail}',
    'the lines above are the end of its log; if it needs longer, give `ready` a longer `timeout`',
  ],
  STUDY_SERVICE_DIED: [
    EXIT.invalid,
    'the service {service} ended in the middle of the study ({end})\n{tail}',
    'the lines above are the end of its log; what was measured before is kept',
  ],
  STUDY_RESIZE_FAILED: [
    EXIT.refused,
    'gunicorn (master {pid}) did not get to {workers} workers: {why}',
    "look into gunicorn's error log; a worker that is to end first finishes its requests (graceful_timeout)",
  ],
  STUDY_RESET_FAILED: [
    EXIT.refused,
    'the reset between two cells failed: {why}',
    'try it by hand while the target runs; what was measured before is kept',
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
