/** Wrong use: what was typed, set or written in a file cannot be used. */

const NAME_SIDES =
  'name a run of each side, `loadflame compare <A> <B>`, or several: `loadflame compare A1 A2 A3 A4 -- B1 B2 B3 B4`; a folder of runs means all of them';

/** Code → message and hint. @type {Record<string, [message: string, hint: string]>} */
export const USAGE = {
  // -- settings and the command line (lib/base/config, lib/cli)
  SETTING_INVALID: [
    '{name} is {value} (from {source}), which is not allowed',
    'give {name} as {allowed}',
  ],
  SETTING_UNKNOWN: [
    '{name} (from {source}) is not a setting of loadflame',
    '`loadflame doctor --print-config` lists all settings; a script declares its own variables in `config.loadflame.variables`',
  ],
  SETTING_SECRET: [
    '{name} is a secret and cannot be given on the command line, which every user of the machine can read',
    'set it in envs.sh, in .env or in the environment',
  ],
  SETTING_MISSING: [
    '{name} is not set: {about}',
    'set it in envs.sh (copy envs.example.sh), in .env or in the environment; in a clone, `npm run loadflame -- demo` prints values to try',
  ],
  ENVS_FILE_FAILED: [
    'cannot read {file}: {reason}',
    'run `sh -c ". ./envs.sh"` to see what the shell reports, and correct the file',
  ],
  COMPANION_DIFFERS: [
    '{file} already exists with different content: another version, or changed by you',
    'add --force to replace it; docs/companion.md says what it does',
  ],
  COMPANION_UNWRITABLE: [
    'cannot write {file}: {reason}',
    'name the folder from which the server is started: `loadflame companion <folder>`',
  ],
  EXPLAIN_FILE_WRONG: [
    'cannot use {file}: {reason}',
    '--explain-analyze takes a file with SELECTs of your own, with values, separated by semicolons',
  ],
  OPTION_NEEDS: ['{option} needs {other}', 'add {other}, or remove {option}'],
  OPTION_NOT_JSON: [
    '{option} is not a JSON object: {value}',
    'put it in single quotes, with double quotes inside: {option} \'{"name": "value"}\'',
  ],
  REPORT_MIXED: [
    '{folder} is a run folder, and other files were named beside it',
    'name one run folder, a load and what was recorded meanwhile on the machine of its target, or only loose files',
  ],
  NO_RUNS: [
    'there is no run in {root}/ yet',
    'record one with `loadflame test <script> --profile`, or name a folder or files',
  ],
  NOTHING_TO_OPEN: [
    '{file} does not exist',
    'build it with `loadflame report {folder}`; a run without a profile has nothing for speedscope',
  ],

  WATCH_NOTHING: [
    'no run is under way in {root}/',
    'start one: `loadflame test <script> --live`; of other folders: --profiles <folder>',
  ],
  WATCH_ENDED: ['{id} is not under way', 'its report: `loadflame open {folder} --report`'],

  // -- the run folder (lib/run)
  RUN_FOLDER_NOT_ONE: [
    '{file} is not the manifest of a run: {reason}',
    'give the id of a run in profiles/, `last`, or a folder with a run.json',
  ],
  PING_NO_ADDRESS: [
    '{url} is no address',
    'write it with http:// or https://: `loadflame ping http://127.0.0.1:8000/`',
  ],
  SCENARIO_UNKNOWN: ['no scenario of the script is called {name}', 'name one of: {known}'],
  EXPLAIN_UNKNOWN: ['nothing in {run} is called {name}', 'name one of: {known}'],
  HISTORY_UNREADABLE: [
    'cannot read the history {file}: {reason}',
    '--history adds runs to such a file: `loadflame report <run> --history {file}`',
  ],
  RUN_FILE_UNREADABLE: [
    'cannot read {file}: {reason}',
    'the folder of a run holds what loadflame recorded: restore that file, or delete it to report without it',
  ],

  // -- recorded traffic (lib/load/traffic)
  TRAFFIC_UNREADABLE: [
    'cannot read {file}: {reason}',
    'name a file that exists and that you may read: `loadflame init --log access.log`; copy a damaged file again',
  ],
  TRAFFIC_NO_LOG: [
    '{file} has {lines}, and only {known} of them can be read as requests of an access log{more}{line}',
    'write the log in Common or Combined format, as `gunicorn --access-logfile access.log` does, or as JSON with time, request and status',
  ],
  TRAFFIC_NO_HAR: [
    '{file} is no usable HTTP Archive: it {problem}',
    "export the session in the network tab of the browser's developer tools (HAR)",
  ],
  TRAFFIC_NOTHING: [
    'no request of {file} can be sent:\n{why}',
    'name a log or a recording that has successful requests to an API',
  ],

  // -- tokens (lib/load/auth)
  OIDC_USERS_FILE: [
    'cannot read the users in {file}: {reason}',
    'write a CSV file with the first row username,password and one user per row, and name it in OIDC_USERS',
  ],
  OIDC_INSECURE_ISSUER: [
    '{issuer} would send passwords unencrypted over a public network: {host} is not on this machine or a private network',
    'set OIDC_ISSUER to the https:// address of the identity provider',
  ],

  // -- before the load (lib/experiment/preflight)
  CHECK_VALUE_MISSING: [
    '{what} does not exist on this target; it has {known}',
    'set {names} to one of them',
  ],

  // -- finding the target (lib/record/target)
  SERVER_AMBIGUOUS: [
    '{count} servers are running and it is not clear which one to profile:{list}',
    'name one, for example with --pid {example} or SERVER_PID={example}',
  ],
  SERVER_PID_WRONG: [
    'cannot profile process {pid}: {why}',
    'give the pid of a process of the server with --pid or SERVER_PID. Without it, the server is found by the port of the target',
  ],
  SERVER_PID_FILE: [
    'cannot use the pid file {file}: {why}',
    'name the file that holds the pid of the server (gunicorn: --pid), or omit it to find the server by the port of the target',
  ],

  // -- recording a profile (lib/record/profiler)
  PYSPY_NOT_PYTHON: [
    'process {pid} is not Python, or is a Python version that py-spy does not support',
    'give the pid of the Python server; a very new Python needs a newer py-spy',
  ],

  // -- driving load (lib/load)
  LOAD_NOT_REPEATABLE: [
    '{script} has no phase with users or arrivals to repeat',
    'add --users <n> for a closed loop, or a phase with `arrivalRate` or `users`',
  ],
  SCRIPT_NOT_FOUND: [
    'cannot read the script {file} ({reason})',
    'name a script that exists, e.g. in scenarios/; `loadflame init` writes one there',
  ],
  SCRIPT_FORMAT: [
    'the script {file} is neither YAML, JSON, JavaScript nor TypeScript',
    'name a .yaml, .json, .js, .cjs, .mjs or .ts file',
  ],
  SCRIPT_OTHER: [
    '{file} is no Artillery script: it {looksLike}',
    'give a script with `config` and `scenarios`; `loadflame init` writes one',
  ],
  SCRIPT_SYNTAX: [
    '{at}: cannot parse the script: {problem}',
    'correct that line; a text that contains {{ or : needs quotes',
  ],
  SCRIPT_INVALID: ['{at}: {problem}', '{change}'],
  SCRIPT_NUMBER: [
    '{at}: `{key}: {given}` is not a number (its value is {value})',
    'write a number, or set the variable in it, e.g. DURATION=30 in envs.sh',
  ],
  SCRIPT_NO_TARGET: [
    '{at}: the script has no target ({given})',
    'set TARGET in envs.sh, or add --target http://127.0.0.1:5000',
  ],
  SCRIPT_USERS_ARTILLERY: [
    "{at}: phases with `{key}` are loadflame's own; Artillery's engine does not support them",
    'omit `--engine artillery`, or write `arrivalRate` instead of `{key}`',
  ],

  // -- recording logs (lib/record/logs)
  LOG_FILE_UNREADABLE: [
    'cannot read the log file {file} ({reason})',
    'set LOG_FILES to files or patterns that exist and that you may read, separated by commas; leave it empty to record no logs',
  ],

  // -- pods of a cluster (lib/record/cluster)
  KUBE_CONFIG_UNREADABLE: [
    'cannot read the kubeconfig {file}: {reason}',
    'log in to the cluster (`oc login`, or what your cluster has), or name another kubeconfig with KUBECONFIG. Without KUBE_WORKLOAD and KUBE_SELECTOR no cluster is contacted',
  ],
  KUBE_CONTEXT_UNKNOWN: [
    'the kubeconfig has no context {context}, or that context names no cluster',
    'set KUBE_CONTEXT to one of: {known}',
  ],
  KUBE_FILES_TOO_LARGE: [
    'the script, its files and the settings have {bytes} bytes, and a Secret holds {most} at most',
    'make {largest} smaller, or build an image that has it',
  ],
  KUBE_POD_FILE: [
    'the file {file} is not a map of a pod: {reason}',
    'write fields of a pod as YAML: tolerations, nodeSelector, imagePullSecrets, or `containers: [{name: worker, …}]`',
  ],

  // -- reading profiles (lib/analysis/stacks)
  PROFILE_UNREADABLE: [
    'cannot read the profile {file}: {reason}',
    'check the path, and that the file is whole; a profile is a file of `py-spy record` (raw, speedscope or flamegraph), plain or as .gz',
  ],
  PROFILE_FORMAT: [
    '{file} is not a profile that loadflame can read: it looks like {looksLike}',
    'give collapsed stacks, a speedscope file or a flamegraph (SVG): `py-spy record -f raw` writes the first',
  ],
  PROFILE_BROKEN: [
    '{file} cannot be read as {format}: {reason}',
    'correct what is named, or give another format of the same recording (`py-spy record -f raw`)',
  ],

  // -- rules for hot paths (lib/analysis/hotpath)
  RULES_UNREADABLE: [
    'cannot read the rules file {file}: {reason}',
    'check the path given with --rules-file or RULES_FILE; docs/rules.md shows a rules file',
  ],
  RULES_INVALID: ['{at}: invalid rules file: {key} {problem}', '{change} (docs/rules.md)'],

  // -- building a report (lib/analysis, lib/report)
  ARTILLERY_JSON_BROKEN: [
    "{file} cannot be read as Artillery's JSON report: {reason}",
    'name the file that `artillery run --output <file>` wrote, whole and unchanged',
  ],
  REPORT_TWO_LOADS: [
    '{file} is a second load test; a report has one',
    'name one JSON file of Artillery, and any number of profiles',
  ],
  REPORT_NO_PAIR: [
    '{first} is of a {firstKind}, and {second} of a {secondKind}: a load and a profile make one run',
    'name a load test without --profile and what `loadflame profile` recorded meanwhile on the machine of its target. To compare two runs: loadflame compare <run A> <run B>',
  ],
  REPORT_OTHER_TARGET: [
    'the load and the recording seem to be of two APIs: {reason}',
    'name the recording of the API that the load was sent to. If it is the same API (under two names, or in a container with its own process ids), add --same-target',
  ],
  REPORT_APART: [
    '{recording} covers {recorded} (UTC), and the load was sent {sent} by the same clock',
    'name what was recorded during the load; if a clock is wrong by that much, set both clocks (NTP) and measure again',
  ],

  // -- comparing runs (lib/compare)
  COMPARE_SIDE_MISSING: ['side {side} has no run', NAME_SIDES],
  COMPARE_SIDES_UNCLEAR: ['the sides of {count} runs are unclear', NAME_SIDES],
  COMPARE_NO_RUN: [
    '{path} is not a run: {reason}',
    'give the id of a run in profiles/, `last` or `last~1`, a folder with a run.json (or a report.json), or a folder of such folders',
  ],
  COMPARE_RUN_TWICE: [
    'the run {folder} is named twice',
    'name each run once: the same run adds no information when repeated, and a load merged with a recording is still the same load',
  ],

  // -- trying a change (lib/experiment/try)
  TRY_NO_SCRIPT: ['no script', 'name one, or an address: `loadflame try … scenarios/my-api.yaml`'],
  TRY_NO_COMMAND: [
    'side {side} has no command that starts its server',
    "add --command 'gunicorn app:app' for both sides, or --a-command and --b-command",
  ],
  TRY_TOO_SHORT: [
    '--max {max} is too short: a pair of runs takes about {pair}',
    'use --max {minutes}m, or a shorter --duration',
  ],
  TRY_SAME: [
    'side A and side B are the same ({version})',
    'name another side B: --b with a git reference or a folder, --b-env NAME=VALUE, or --b-command',
  ],
  TRY_SIDE_UNKNOWN: [
    '--{name} {given} is neither a folder nor a git reference: {reason}',
    'name a folder, a branch, a tag or a commit; in CI, fetch it first: `git fetch origin main`, then `--a origin/main`',
  ],
  BISECT_NO_RANGE: [
    'no commits lead from {good} to {bad}',
    'name commits, branches or tags, the good one an ancestor of the bad one: `loadflame bisect --good v1.4 --bad main …`',
  ],
  TRY_NO_CHECKOUT: [
    'cannot check out {reference}: {reason}',
    'check it out into a folder yourself, and name that: --{name} <folder>',
  ],
  TRY_REMEDY_UNKNOWN: [
    'there is no remedy “{cause}”',
    'the remedies are {remedies}; docs/companion.md explains them',
  ],
  TRY_FIX_SIDES: [
    'with --fix, side B is side A with a remedy',
    'remove --b, --b-env and --b-command, or --fix',
  ],
  TRY_FIX_DEMO: [
    'without --command, --fix measures the demo, but the last run is of {target}',
    "add --command '<how you start your API>' and {load}",
  ],
  TRY_REMEDY_REFUSED: ['the remedy for {fix} refuses{ignored}', '{refused}'],
  TRY_REMEDY_IDLE: [
    'the remedy for {fix} never acted, so both sides are the same; left alone: {left}{ignored}',
    'name a cause from the report of this load, and import loadflame_companion before the libraries of the app',
  ],
  TRY_REMEDY_ABSENT: [
    'the remedy for {fix} did not start{ignored}',
    'import the current loadflame_companion (docs/companion.md), and let the server write to its stderr',
  ],

  // -- continuing an experiment (lib/experiment)
  ALREADY_RUNNING: [
    'process {pid} is measuring in {folder}',
    'wait for it, or stop it with Ctrl+C: two at once would disturb each other',
  ],
  CONTINUE_NOT_ONE: [
    '{folder} is not the folder of a {kind}: {reason}',
    'name a folder in profiles/ that the same command made, or start again without --continue',
  ],
  CONTINUE_OTHER: [
    '{folder} has another {what}: {before} instead of {after}',
    'repeat the command that started it and add --continue, or start again without --continue',
  ],

  // -- searching for the highest load (lib/experiment/find)
  FIND_UNKNOWN: [
    'no step knows “{expression}”',
    "docs/thresholds.md says what each figure needs: --profile, the companion, or loadflame's own engine",
  ],

  // -- thresholds (lib/thresholds)
  THRESHOLDS_UNREADABLE: [
    'cannot read the thresholds file {file} ({reason})',
    'check the path in --thresholds or THRESHOLDS; docs/thresholds.md shows a file',
  ],
  THRESHOLDS_INVALID: ['{at}: invalid limit: {problem}', '{change} (docs/thresholds.md)'],

  // -- study files (lib/experiment/study/study-file)
  STUDY_UNREADABLE: [
    'cannot read the study {file} ({reason})',
    'name a file such as studies/content.yaml; docs/studies.md shows one',
  ],
  STUDY_SYNTAX: [
    '{at}: not a study file: {problem}',
    'correct that place; a text that contains : or #, or starts with {{ or *, needs quotes',
  ],
  STUDY_INVALID: ['{at}: invalid study: {key} {problem}', '{change} (docs/studies.md)'],
  STUDY_UNKNOWN_NAME: ['{at}: unknown name {name} in {key}{where}', '{change}'],

  // -- running a study (lib/experiment/study/run)
  STUDY_UNKNOWN: [
    'unknown study {name}: {known}',
    'name one of them, or a file: `loadflame study run my-study.yaml`',
  ],
  STUDY_FOLDER_NOT_ONE: [
    '{folder} is not the folder of a study: {reason}',
    'name a folder in profiles/ that contains a plan.json',
  ],
};
