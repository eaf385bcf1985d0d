/**
 * `node ci/measure.js`: the measuring step of the GitHub action and the GitLab template. It checks out the base of
 * a change beside it, runs the user's set-up in both, and calls `loadflame try`. Its folder then has a summary
 * (Markdown), junit.xml, the page and all runs. Its exit code is that of `loadflame try`.
 *
 * Everything comes from environment variables and nothing is inserted into shell text, because strangers choose titles
 * and branch names:
 *   GATE_SCRIPT   the load: an Artillery script or an address
 *   GATE_COMMAND  starts the server; a shell runs it in the folder of a side
 *   GATE_TARGET   the address that the server listens on
 *   GATE_SETUP    optional; a shell runs it once in the folder of each side
 *   GATE_MAX      longest time to measure, such as 12m
 *   GATE_OPTIONS  more options for `loadflame try`, separated by spaces: --users 16 --duration 20
 *   GATE_BASE     optional; a branch or commit instead of the base that the build server names
 *   GATE_FOLDER   folder for the results
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const LOADFLAME = path.resolve(import.meta.dirname, '../bin/loadflame.js');
const EXIT = { usage: 2, missing: 3, interrupted: 130 };
const NO_COMMIT = /^0+$/;
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const TAIL = 4000;
/** Variables that the measured code must not see. */
const SECRETS = /^(?:GH_TOKEN|GITHUB_TOKEN|GATE_TOKEN|CI_\w*(?:TOKEN|PASSWORD)|ACTIONS_\w*TOKEN)$/;

const { env } = process;
const readable = Object.entries(env).filter(([name]) => !SECRETS.test(name));
const ownEnv = Object.fromEntries(readable);

/** @param {string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
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
    ...{ cwd, env: ownEnv, detached: true },
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
  return { exit: isStopped ? EXIT.interrupted : (exit ?? EXIT.missing), tail };
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
      ...['try', '--a', sides.base, '--b', sides.head, '--labels', 'base,head'],
      ...['--command', command, '--target', env.GATE_TARGET || 'http://127.0.0.1:8000'],
      ...['--max', env.GATE_MAX || '12m', '--profiles', path.join(folder, 'runs')],
      ...['--junit', path.join(folder, 'junit.xml')],
      ...['--markdown', path.join(folder, 'measured.md')],
      ...[...(env.GATE_OPTIONS ?? '').split(/\s+/).filter(Boolean), '--', script],
    ];
    const { exit, tail } = await run(process.execPath, [LOADFLAME, ...args], { cwd: '.' });
    summarize(folder, describe(folder, { exit, tail, base, head }));
    return exit;
  } finally {
    git('worktree', 'remove', '--force', place);
    rmSync(path.dirname(place), { recursive: true, force: true });
  }
}

/**
 * @param {string} folder @param {{exit: number, tail: string, base: string, head: string}} measured
 * @returns {string} Markdown
 */
function describe(folder, { exit, tail, base, head }) {
  const file = path.join(folder, 'measured.md');
  const { pull_request: request } = readEvent();
  const own = request?.head.sha ?? env.CI_COMMIT_SHA ?? head;
  const commits = `\`${base.slice(0, 10)}\` → \`${own.slice(0, 10)}\``;
  const page = `${commits}. The artifact of ${linkRun()} has the page with the differential flamegraph, and all runs.`;
  const text = existsSync(file)
    ? readFileSync(file, 'utf8')
    : `**Not measured** (exit code ${exit}).\n\n${quote(tail)}`;
  rmSync(file, { force: true });
  return `${text}\n${page}\n`;
}

function linkRun() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: id } = env;
  const address =
    env.CI_JOB_URL ?? (server && name && id && `${server}/${name}/actions/runs/${id}`);
  return address ? `[this run](${address})` : 'this run';
}

/** Quotes output of programs: no line of it can end the block. @param {string} text */
function quote(text) {
  const lines = text.trim().split('\n').slice(-20);
  return lines.map(line => `    ${line}`).join('\n');
}

/** @param {string} folder @param {string} markdown */
function summarize(folder, markdown) {
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
  summarize(folder, `**Not measured.**\n\n${quote(error.message)}\n`);
  process.exitCode = error.exit;
} finally {
  if (env.GITHUB_ACTIONS) process.stdout.write(`::${pause}::\n`);
}
