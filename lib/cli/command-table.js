/**
 * The command line as data: every command with its arguments, options and help. The code of a command is
 * imported when it runs, so that `--help` and `--version` respond at once.
 */
import { duration, httpUrl, share, wholeNumber } from '../base/config/parsers.js';
import { hasDemo } from './load-demo.js';
import {
  BASELINE,
  EXPLAIN,
  FIND,
  HEADER,
  HISTORY,
  INSECURE,
  LABELS,
  LIVE,
  LOAD,
  NO_SOURCE,
  ONCE,
  OUTPUTS,
  PRINTED,
  PROFILES,
  SERVER_COMMAND,
  SET,
  setting,
  USERS,
} from './option-table.js';
import { CLUSTER, STUDY } from './subcommand-table.js';

/** @import { OptionRow } from './option-table.js' */

/**
 * @typedef {object} CommandRow
 * @property {string} name
 * @property {string} about
 * @property {[name: string, about: string, fallback?: unknown][]} [args]
 * @property {OptionRow[]} [options]
 * @property {string} [settings] names of settings that have flags here
 * @property {string} help text after the options
 * @property {boolean} [hidden] not in the list of commands
 * @property {CommandRow[]} [commands] below this one; each of the others is a file of `commands/`, called by its words
 *   (`cluster-run.js`), whose `run` gets a `Call` and returns the exit code, or nothing for 0
 */

const START = `
  loadflame start                                a demo target, load and profile: see it work`;

export const EXAMPLES = `
Examples:${hasDemo ? START : ''}
  loadflame test scenarios/my-api.yaml --profile   load test and profile in one report
  loadflame doctor                               what is missing, and what to do about it

Settings come from flags, the environment, envs.sh and .env: loadflame doctor --print-config`;

/** Stands for `--` between the sides of a comparison; no run has such a name. */
export const BETWEEN_SIDES = '\n--';

/** Variables of the demo. */
const DEMO_REST = `DEMO_COMPANION=0 leaves out the companion (docs/companion.md), as with an API that has none.
DEMO_SLOW_QUERY_MS=100 makes its database slow: requests wait, and CPU is idle.`;

/** @type {OptionRow} */
const SMALLEST = ['--smallest <share>', 'the smallest difference that matters', share, '5%'];
const TRY_SETTINGS = 'TARGET WARM_UP_DURATION DURATION PROFILE_RATE PROFILER RULES_FILE';

/** In the order in which help lists them. @type {CommandRow[]} */
export const COMMANDS = [
  {
    name: 'start',
    about: 'start the demo target, load-test and profile it, write the report, stop everything',
    hidden: !hasDemo,
    options: [LIVE, NO_SOURCE, ...HISTORY, ...PRINTED],
    help: `DEMO_AUTH chooses how the demo validates tokens: introspect (the default), decode or cached.
The last two repeat the load of the demo's last run, so that 'compare last~1 last' shows a fix.
${DEMO_REST}

Example:
  DEMO_AUTH=cached loadflame start`,
  },
  {
    name: 'test',
    about: 'run a load test; with --profile record the server at the same time',
    args: [['<script>', 'an Artillery script (YAML or JSON), or an address to request']],
    options: [
      USERS,
      [
        '--profile',
        'record the Python server of the target (gunicorn, uvicorn, …) during the load',
      ],
      ONCE,
      ['--scenario <names>', 'only these, with --once: a,b', text => text.split(',')],
      ...FIND,
      LIVE,
      NO_SOURCE,
      ...EXPLAIN,
      SERVER_COMMAND,
      ...LOAD,
      SET,
      HEADER,
      BASELINE,
      ...OUTPUTS,
      ...HISTORY,
      ...PRINTED,
    ],
    settings:
      'TARGET MAX_VIRTUAL_USERS ARRIVAL_RATE WARM_UP_DURATION RAMP_DURATION DURATION SERVER_PID ALSO PROFILE_RATE PROFILER LOG_FILES RULES_FILE THRESHOLDS TRACE_SAMPLED',
    help: `While \`loadflame profile\` records in another terminal, the load test joins it: stopping the
profiler there writes one report with both.

Exit codes: 0 good; 5 a threshold, or more requests or users than ALLOWED_FAILURES, failed.
6: the run is not valid. 130: interrupted; what was measured is kept and reported.

Examples:
  loadflame test http://127.0.0.1:8000/path --users 8 --duration 20s
  KEY=… loadflame test http://127.0.0.1:8000/path --header 'X-Api-Key: $KEY'
  loadflame test scenarios/my-api.yaml --once          while writing it
  loadflame test scenarios/my-api.yaml --profile --live --duration 2m --max-virtual-users 50
  loadflame test scenarios/my-api.yaml --find 'http.p95 < 400ms' --find 'errors < 1%'
  loadflame test my-script.yaml --set ROOM_ID=7        a variable that the script declares
  loadflame test my-script.yaml --profile --baseline profiles/20261120-214503-my-api
  loadflame test my-script.yaml --thresholds thresholds.yaml --junit junit.xml
  loadflame test my-script.yaml --profile --history perf/history.ndjson`,
  },
  {
    name: 'ping',
    about: 'send a few requests one after the other, and show where the time of one goes; no load',
    args: [['<url>', 'an address to request']],
    options: [
      ['-n <times>', 'requests (default: 5, or up to 300 in 1.3 s)', wholeNumber(1, 1000)],
      HEADER,
      ['--login', 'log in at OIDC_ISSUER, and send the token'],
      INSECURE,
      ['--json', 'print the result as JSON'],
    ],
    help: `With the companion in the API (docs/companion.md): CPU, statements with their lines and other calls.

Exit codes: as of \`loadflame test\`.

Example:
  loadflame ping http://127.0.0.1:8000/orders`,
  },
  CLUSTER,
  {
    name: 'profile',
    about: 'record the Python server of the target until Ctrl+C, then write the profile',
    options: [
      LIVE,
      NO_SOURCE,
      SERVER_COMMAND,
      ['--pod <name>', 'record the server in this pod of a cluster (docs/openshift.md)'],
      ['--workload <kind/name>', 'record the servers in all pods of it, as KUBE_WORKLOAD names it'],
      ['--set <NAME=value>', 'set any setting; may be repeated', setting],
      ...PRINTED,
    ],
    settings:
      'TARGET SERVER_PID SERVER_PID_FILE ALSO PROFILE_RATE PROFILER KUBE_PROFILE_IMAGE LOG_FILES RULES_FILE',
    help: `A load test that starts meanwhile in another terminal joins the recording: the report then has both.
If another machine sent the load, join both with: loadflame report <load run> <recording>

Where py-spy is not available or may not read the server, --profiler none records only CPU time,
memory and logs. The report then shows what a request costs and what limits the API, but no code.

Examples:
  loadflame profile --pid 4312 --profile-rate 100
  loadflame profile --also celery                the workers of the task queue, too
  loadflame profile --command 'uvicorn app:app --port 8000' --target http://127.0.0.1:8000
  loadflame profile --workload deployment/api    in its pods, without any capability
  two terminals: loadflame profile  |  loadflame test scenarios/my-api.yaml, then Ctrl+C in the first`,
  },
  {
    name: 'report',
    about:
      "(re)build the report of a run, or of loose files: Artillery's JSON, a py-spy raw or SVG file",
    args: [
      ['[what...]', 'one run, a load and a recording, or loose files; without it the last run'],
    ],
    options: [
      ['--same-target', 'load and recording are of the same API, despite different names'],
      ...[BASELINE, ...OUTPUTS, ...HISTORY, ...PRINTED],
    ],
    settings: 'RULES_FILE THRESHOLDS',
    help: `A load from one machine and the recording of \`loadflame profile\` on the API's machine make one run.
The offset of their clocks is measured from the responses.

Examples:
  loadflame report profiles/20261120-214503-my-api
  loadflame report 20261120-214503-my-api 20261120-214455-profile    loaded from here, recorded there
  loadflame report --thresholds thresholds.yaml --junit junit.xml`,
  },
  {
    name: 'compare',
    about: 'compare two groups of runs: did a change help, and is it significant?',
    args: [['[runs...]', 'ids or folders of runs, or last; two, or several a side around --']],
    options: [LABELS, ...OUTPUTS, PROFILES],
    settings: 'RULES_FILE THRESHOLDS',
    help: `A run is one measurement, so two runs may differ by chance. It takes at least four runs a side to
show a difference. Alternate them (A B B A …), so that nothing else differs between the sides.

Exit codes: 0 good, 5 a threshold failed, 6 a side has no valid run.

Examples:
  loadflame compare last~1 last          the last two runs
  loadflame compare A1 A2 A3 A4 -- B1 B2 B3 B4 --labels main,cached-keys
  loadflame compare runs-of-main/ runs-of-branch/ --thresholds thresholds.yaml --markdown summary.md`,
  },
  {
    name: 'try',
    about: 'measure two versions of an API until the difference is clear',
    args: [['[script]', 'an Artillery script (YAML or JSON), or an address to request']],
    options: [
      ['--a <version>', 'side A: a folder, or a branch, tag or commit', undefined, '.'],
      ['--b <version>', 'side B', undefined, '.'],
      ['--noise', 'compare side A with itself', undefined, undefined, 'b bCommand bEnv fix'],
      ['--fix [cause]', 'side B is side A with a remedy for this cause (docs/try.md)'],
      SERVER_COMMAND,
      ['--a-command <text>', 'the command of side A, instead of --command'],
      ['--b-command <text>', 'the command of side B'],
      ['--a-env <NAME=value>', "environment variable of side A's server; may be repeated", setting],
      ['--b-env <NAME=value>', "environment variable of side B's server", setting],
      LABELS,
      USERS,
      ['--max <time>', 'start no run that would end after this time', duration(30, 86_400), '12m'],
      SMALLEST,
      ['--fail-undecided', 'exit code 5 also if no figure is decided'],
      ['--continue <folder>', 'resume a try with more runs; repeat its other options'],
      SET,
      INSECURE,
      ...OUTPUTS,
      PROFILES,
    ],
    settings: `${TRY_SETTINGS} THRESHOLDS`,
    help: `Each run starts the server of one side, sends the load to TARGET for 10 s after a warm-up, and stops the
server. The order of each pair is random. docs/try.md explains the test.${hasDemo ? '\nWithout a script and a command, both sides are the demo.' : ''}

Exit codes: 0 better, no difference or undecided. 5: worse, or a threshold failed. 6: no valid run.
130: interrupted; what was measured is kept and can be continued.

Examples:
  loadflame try --a main --b . --command 'gunicorn -b 127.0.0.1:8000 app:app' scenarios/my-api.yaml
  loadflame try --b-env CACHE=on --command './serve.sh' --users 16 http://127.0.0.1:8000/items`,
  },
  {
    name: 'bisect',
    about: 'find the commit that made an API slower',
    args: [['[script]', 'an Artillery script (YAML or JSON), or an address to request']],
    options: [
      ['--good <commit>', 'a commit, tag or branch that is fast'],
      ['--bad <commit>', 'one after it that is slow', undefined, 'HEAD'],
      SERVER_COMMAND,
      USERS,
      ['--max <time>', 'longest time of a step', duration(30, 86_400), '12m'],
      SMALLEST,
      ['--continue <folder>', 'resume one with its steps; repeat its other options'],
      SET,
      INSECURE,
      PROFILES,
    ],
    settings: TRY_SETTINGS,
    help: `Measures both ends, then the middle commit of those left against the good one. At the end it measures the commit
that it found against its parent. Commits are checked out into temporary worktrees. It stops where a step is undecided.

Exit codes: 0 found. 6: not decidable here. 130: interrupted; what was measured is kept.

Examples:
  loadflame bisect --good v1.4 --bad main --command './serve.sh' scenarios/my-api.yaml
  loadflame bisect --good HEAD~16 --command './serve.sh' --users 8 http://127.0.0.1:8000/items`,
  },
  {
    name: 'explain',
    about: 'summarize what a run found, with places in the source',
    args: [
      ['<run>', 'id or folder of a run, or last'],
      ['[name]', 'a finding, an endpoint, a function, or a place such as auth.py:57'],
    ],
    options: [['--json', 'print at most 4 kB of JSON, for an editor or a coding agent'], PROFILES],
    settings: 'RULES_FILE',
    help: `Example:
  loadflame explain last 'GET /api/v1/services/' --json`,
  },
  {
    name: 'history',
    about: 'list the runs of a history file, and find where their figures changed',
    args: [['<file>', 'file that --history adds runs to']],
    options: [
      ['--branch <name>', 'only runs of this branch'],
      ['--json', 'print the result as JSON'],
      ['--fail-on-change', 'exit with 5 if the newest change is for the worse'],
    ],
    help: `Only runs of the same script, load and machine are compared. It takes at least ten to show a change.

Example:
  loadflame history perf/history.ndjson --branch main --fail-on-change`,
  },
  STUDY,
  {
    name: 'open',
    about: 'open the profile of a run in speedscope, or its report, in the browser; works offline',
    args: [['[run]', 'id or folder of a run; the last one without it']],
    options: [
      ['--report', 'open report.html instead of speedscope'],
      ['--print', 'print the path of the page instead of opening it'],
      PROFILES,
    ],
    help: `Example:
  loadflame open profiles/20261120-214503-my-api`,
  },
  {
    name: 'watch',
    about: 'serve the report of a run under way as a page on this machine',
    args: [['[run]', 'id or folder of a run; without it the newest that is under way']],
    options: [['--print', 'print the address of the page, and open no browser'], PROFILES],
    settings: 'RULES_FILE',
    help: `Ctrl+C ends the page, and not the run. From another machine, forward the port of the address:
ssh -L 4321:127.0.0.1:<port> <machine>, and open it with 4321 instead.

Example:
  loadflame watch 20261120-214503-my-api`,
  },
  {
    name: 'doctor',
    about: 'check everything that a run needs, and say what to do about what is missing',
    args: [['[scripts...]', 'check these scripts, too; without it all in scenarios/']],
    options: [
      ['--print-config', 'show every setting and where it came from, secrets masked'],
      ['--cluster', 'check only what the login can see of a cluster (KUBE_WORKLOAD)'],
      ['--json', 'print the result as JSON'],
      INSECURE,
    ],
    settings: 'TARGET SERVER_PID KUBE_WORKLOAD',
    help: `Example:
  TARGET=https://api.example.com loadflame doctor scenarios/my-api.yaml`,
  },
  {
    name: 'demo',
    about: 'start the demo API and identity provider, print the envs.sh lines for them, stay up',
    hidden: !hasDemo,
    options: [['--workers <n>', 'gunicorn workers', wholeNumber(1, 64), '2']],
    help: `DEMO_AUTH chooses how the API validates tokens. introspect asks the provider on every request, with
a new TLS context each time; decode builds the key each time; cached keeps it.
${DEMO_REST}

Example:
  loadflame demo > envs.sh        then, in another terminal: npm run tests:profile`,
  },
  {
    name: 'companion',
    about:
      'copy the companion into a folder: with it a report knows which request each sample belongs to',
    args: [['[folder]', 'where the server is started from', '.']],
    options: [['--force', 'replace a file of that name with other content']],
    help: `What it does, what it costs and when not to use it: docs/companion.md

Example:
  loadflame companion ../my-api --force    after an update of loadflame`,
  },
  {
    name: 'init',
    about:
      'write a script, a study, envs.example.sh and .gitignore lines into this folder; existing files are kept',
    options: [
      [
        '--url <address>',
        'write only a script for this API: what its openapi.json says, else this address',
        httpUrl,
      ],
      [
        '--log <files...>',
        'write only a script with the load of access logs: Common, Combined, JSON, uvicorn, HAProxy, AWS, Envoy; .gz; - is standard input',
      ],
      ['--har <file>', "write only a script with a session that a browser's network tab exported"],
      ['--agent', 'write only skills/loadflame/SKILL.md: how a coding agent makes an API faster'],
    ],
    help: `Examples:
  loadflame init --har session.har                the flow of a session that a browser recorded
  loadflame init --url http://127.0.0.1:8000      a script in scenarios/, ready to run
  loadflame init --log access.log.1.gz access.log  the mix, sequences and busiest hour of its traffic
  npm install --save-dev --ignore-scripts ./loadflame-0.1.0.tgz && npx loadflame init`,
  },
];
