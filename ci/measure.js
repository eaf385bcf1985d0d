/**
 * `node ci/measure.js`: the measuring step of the GitHub action and the GitLab template. It checks out the base of
 * a change beside it, runs the user's set-up in both, and calls `loadflame try`. Its folder then has gate.json (the
 * facts for `ci/comment.js`), summary.md, junit.xml, the page and all runs. Its exit code is that of `loadflame try`.
 *
 * Everything comes from environment variables and nothing is inserted into shell text, because strangers choose titles
 * and branch names:
 *   GATE_SCRIPT   the load: an Artillery script or an address
 *   GATE_COMMAND  starts the server; a shell runs it in the folder of a side
 *   GATE_TARGET   the address that the server listens on
 *   GATE_SETUP    optional; a shell runs it once in the folder of each side
 *   GATE_MAX      longest time to measure, such as 12m
 *   GATE_OPTIONS  more options for `loadflame try`, separated by spaces: --users 16 --duration 20
 *   GATE_ENV      optional; names of more variables that set-up and servers see, separated by spaces
 *   GATE_BASE     optional; a branch or commit instead of the base that the build server names
 *   GATE_FOLDER   folder for the results
 *   GATE_NOISE    optional; a folder in the build server's cache, for how much runs varied in earlier gates
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { SETTINGS } from '../lib/base/config/settings.js';
import { createRedactor } from '../lib/base/files/redaction.js';
import { readRegularFile } from '../lib/base/files/regular-file.js';
import { tryOr } from '../lib/base/files/try-or.js';
import { findUndeclaredSecrets, pickVariables } from '../lib/base/process/bare-environment.js';
import { FILE, renderGate, SCHEMA } from './gate.js';

/** @import { GateComparison, GateFacts } from '../lib/run/facts/gate.d.ts' */

const LOADFLAME = path.resolve(import.meta.dirname, '../bin/loadflame.js');
const EXIT = { usage: 2, missing: 3, interrupted: 130 };
const NO_COMMIT = /^0+$/;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** Characters kept of the output of a program. */
const TAIL = 65_536;
/**
 * Beside loadflame's own settings and those of GATE_ENV, all that measured code sees: it may come from a stranger, and
 * the environment of a job has tokens and the names of files that change its later steps.
 */
const PASSED = [
  ...['USER', 'SHELL', 'TERM', 'CI', 'NO_COLOR', 'VIRTUAL_ENV', 'WEB_CONCURRENCY'],
  ...['LD_LIBRARY_PATH', 'PYTHONPATH', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'],
];

const { env } = process;
const declared = splitWords(env.GATE_ENV);
const own = SETTINGS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
const measuredEnv = { ...pickVariables(), ...pickVariables([...PASSED, ...own, ...declared]) };
const { redactValue } = createRedactor([
  ...findUndeclaredSecrets(env),
  ...SETTINGS.flatMap(({ name, secret }) => (secret ? [env[name]] : [])),
]);

/** @param {string | undefined} text */
function splitWords(text) {
  return (text ?? '').split(/\s+/).filter(Boolean);
}

/** @param {string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8', env: measuredEnv });
  return { isDone: status === 0, said: (status === 0 ? stdout : (stderr ?? '')).trim() };
}

/** @param {string} name @returns {string | null} */
function findCommit(name) {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { isDone, said } = git(...asked);
  return isDone ? said : null;
}

/** The event, as the build server describes it. */
function readEvent() {
  const file = env.GITHUB_EVENT_PATH;
  return file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/**
 * Finds the commit from which the change started: later commits of the base are not part of it.
 * @returns {{base: string, head: string}} commits; `head` may be a merge of the change that the build server made
 */
function findCommits() {
  const event = readEvent();
  const named = [
    env.GATE_BASE,
    event.pull_request?.base.sha,
    env.CI_MERGE_REQUEST_DIFF_BASE_SHA,
    event.before,
  ];
  const base = named.find(name => name && !NO_COMMIT.test(name));
  if (!base) fail(EXIT.usage, 'no base to compare with: set GATE_BASE to a branch or a commit');
  const head = findCommit('HEAD');
  if (!head) fail(EXIT.usage, 'this folder is not in a git repository, or has no commit');
  if (!findCommit(base)) git('fetch', '--quiet', '--depth=1', 'origin', '--end-of-options', base);
  const commit = findCommit(base);
  if (!commit)
    fail(
      EXIT.usage,
      `git does not know ${base}: check out the whole history (fetch-depth: 0, or GIT_DEPTH: 0)`,
    );
  const { isDone, said } = git('merge-base', commit, head);
  return { base: isDone ? said : commit, head };
}

class Failed extends Error {
  /** @param {number} exit @param {string} message */
  constructor(exit, message) {
    super(message);
    this.exit = exit;
  }
}

/** @param {number} exit @param {string} message @returns {never} */
function fail(exit, message) {
  throw new Failed(exit, message);
}

/**
 * Runs a program with its output on the screen, and passes signals that stop this one on to its process group.
 * @param {string} program @param {string[]} args @param {{cwd: string}} options
 * @returns {Promise<{exit: number, tail: string}>} `tail`: its last output on stderr
 */
async function run(program, args, { cwd }) {
  const child = spawn(program, args, {
    ...{ cwd, env: measuredEnv, detached: true },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let tail = '';
  child.stderr.setEncoding('utf8').on('data', text => {
    process.stderr.write(text);
    tail = (tail + text).slice(-TAIL);
  });
  let isStopped = false;
  const pass = (/** @type {NodeJS.Signals} */ signal) => {
    isStopped = true;
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (child.pid && isRunning) process.kill(-child.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, pass);
  const exit = await new Promise(resolve =>
    child.on('error', () => resolve(EXIT.missing)).on('close', resolve),
  );
  for (const signal of SIGNALS) process.off(signal, pass);
  // Half a line may have lost the name of a secret.
  const whole = tail.length < TAIL ? tail : tail.replace(/^.*\n?/, '');
  const code = isStopped ? EXIT.interrupted : (exit ?? EXIT.missing);
  return { exit: code, tail: stripVTControlCharacters(whole) };
}

/** @param {string} name */
const require = name => env[name] || fail(EXIT.usage, `${name} is not set`);

/** @param {string} folder where results go @returns {Promise<number>} exit code */
async function measure(folder) {
  const [script, command] = [require('GATE_SCRIPT'), require('GATE_COMMAND')];
  const { base, head } = findCommits();
  const place = path.join(mkdtempSync(path.join(os.tmpdir(), 'loadflame-gate-')), 'base');
  try {
    const added = git('worktree', 'add', '--quiet', '--detach', place, base);
    if (!added.isDone) fail(EXIT.missing, `cannot check out the base: ${added.said}`);
    const sides = { base: path.join(place, git('rev-parse', '--show-prefix').said), head: '.' };
    for (const [side, cwd] of Object.entries(sides)) {
      if (!env.GATE_SETUP) break;
      process.stderr.write(`set-up of ${side} …\n`);
      const { exit, tail } = await run('bash', ['-euo', 'pipefail', '-c', env.GATE_SETUP], { cwd });
      if (exit === EXIT.interrupted) fail(exit, 'interrupted');
      if (exit !== 0)
        fail(EXIT.missing, `the set-up of ${side} failed (exit code ${exit})\n${tail}`);
    }
    const args = [
      ...['--command', command, '--target', env.GATE_TARGET || 'http://127.0.0.1:8000'],
      ...[...splitWords(env.GATE_OPTIONS), '--', script],
    ];
    const measureSides = (/** @type {string[]} */ own) =>
      run(process.execPath, [LOADFLAME, 'try', '--a', sides.base, ...own, ...args], { cwd: '.' });
    const runs = path.join(folder, 'runs');
    let earlier = copyNoise(env.GATE_NOISE, runs);
    if (env.GATE_NOISE && earlier.length === 0) {
      process.stderr.write(
        `first gate on this runner: how much do equal sides differ? (${NOISE_MAX})\n`,
      );
      const equal = path.join(path.dirname(place), 'equal');
      const own = ['--noise', '--max', NOISE_MAX, '--profiles', equal];
      const { exit } = await measureSides(own);
      if (exit === EXIT.interrupted) fail(exit, 'interrupted');
      copyNoise(equal, env.GATE_NOISE);
      earlier = copyNoise(env.GATE_NOISE, runs);
    }
    const { exit, tail } = await measureSides([
      ...['--b', sides.head, '--labels', 'base,head', '--max', env.GATE_MAX || '12m'],
      ...['--profiles', runs, '--junit', path.join(folder, 'junit.xml')],
    ]);
    for (const name of earlier) rmSync(path.join(runs, name), { recursive: true });
    copyNoise(runs, env.GATE_NOISE);
    if (earlier[MOST_NOISE - 1])
      rmSync(path.join(env.GATE_NOISE ?? '', earlier[0] ?? ''), { recursive: true });
    const comparison = readComparison(folder);
    summarize(folder, { exitCode: exit, base, head: findHead(head), comparison, output: tail });
    return exit;
  } finally {
    git('worktree', 'remove', '--force', place);
    rmSync(path.dirname(place), { recursive: true, force: true });
  }
}

/** The commit that a person knows, if `head` is a merge that the build server made. @param {string} head @returns {string} */
const findHead = head => readEvent().pull_request?.head.sha ?? env.CI_COMMIT_SHA ?? head;

/** Of a try, from which a later one reads how much its runs varied. */
const NOISE_FILES = ['plan.json', 'journal.ndjson'];
const MOST_NOISE = 20;
/** For equal sides, once per cache. */
const NOISE_MAX = '4m';

/**
 * Copies them of each try. Their content is not trusted, as a job of a stranger may have written it.
 * @param {string | undefined} from folder of tries @param {string | undefined} to
 * @returns {string[]} names of the tries
 */
function copyNoise(from, to) {
  if (!from || !to) return [];
  const names = globSync('*-try-*', { cwd: from }).sort().slice(-MOST_NOISE);
  return names.filter(name =>
    tryOr(false, () => {
      const files = NOISE_FILES.map(file => path.join(name, file));
      // A link could lead to a file with a token.
      if (!files.every(file => lstatSync(path.join(from, file)).isFile())) return false;
      const texts = files.map(file => readRegularFile(path.join(from, file)));
      mkdirSync(path.join(to, name), { recursive: true });
      for (const [at, file] of files.entries()) writeFileSync(path.join(to, file), texts[at] ?? '');
      return true;
    }),
  );
}

/** What a try compared, without words and call trees. @param {string} folder @returns {GateComparison | null} */
function readComparison(folder) {
  const [file] = globSync('runs/*/compare.json', { cwd: folder });
  if (!file) return null;
  const text = readRegularFile(path.join(folder, file));
  const { flame, ...comparison } = JSON.parse(text, (key, value) =>
    key === 'text' ? undefined : value,
  );
  return { ...comparison, flame: flame && { unit: flame.unit } };
}

function findRun() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: id } = env;
  return env.CI_JOB_URL ?? (server && name && id && `${server}/${name}/actions/runs/${id}`);
}

/** @param {string} folder @param {Omit<GateFacts, 'schema'>} measured */
function summarize(folder, measured) {
  const facts = redactValue({ schema: SCHEMA, ...measured });
  const markdown = renderGate(facts, findRun());
  writeFileSync(path.join(folder, FILE), `${JSON.stringify(facts)}\n`);
  writeFileSync(path.join(folder, 'summary.md'), markdown);
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, markdown);
}

const folder = path.resolve(env.GATE_FOLDER || 'loadflame-gate');
mkdirSync(folder, { recursive: true });
// Between these lines, GitHub ignores commands in the output.
const pause = randomUUID();
if (env.GITHUB_ACTIONS) process.stdout.write(`::stop-commands::${pause}\n`);
try {
  process.exitCode = await measure(folder);
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  const { exit: exitCode, message: output } = error;
  summarize(folder, { exitCode, base: null, head: null, comparison: null, output });
  process.exitCode = exitCode;
} finally {
  if (env.GITHUB_ACTIONS) process.stdout.write(`::${pause}::\n`);
}
