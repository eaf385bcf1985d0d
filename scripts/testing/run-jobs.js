/** Runs test files in processes of Node's test runner, a few processes at a time. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../../lib/process/child.js';

/**
 * @typedef {object} Job
 * @property {string} name
 * @property {string[]} files that share one process
 */

/** @typedef {Record<'tests' | 'suites' | 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo', number>} Counts */
/** @typedef {{counts: Counts | null, skipped: string[]}} Results of one process; `skipped` holds the reasons */

/**
 * @typedef {object} Outcome of one job
 * @property {Job} job
 * @property {Counts} counts
 * @property {string[]} skipped
 * @property {boolean} isGood
 * @property {boolean} isStopped before it had ended, by the signal
 * @property {number} durationMs
 * @property {string} output
 */

const REPORTER = new URL('reporter.js', import.meta.url).href;
/** No test takes as long on a machine that does other work, too; one that hangs ends like this. */
const TIMEOUT_MS = 600_000;

/** What a process that is told to end has left, to end those that it started. */
const GRACE_MS = 10_000;
export const EXIT_INTERRUPTED = 130;

/** @type {Counts} */
export const NO_COUNTS = {
  tests: 0,
  suites: 0,
  pass: 0,
  fail: 0,
  cancelled: 0,
  skipped: 0,
  todo: 0,
};

/** @param {Counts} a @param {Counts} b @returns {Counts} */
export function addCounts(a, b) {
  const names = /** @type {(keyof Counts)[]} */ (Object.keys(NO_COUNTS));
  return /** @type {Counts} */ (Object.fromEntries(names.map(name => [name, a[name] + b[name]])));
}

/** Aborted by Ctrl+C, and by the end of a build that was called off. */
export function listenForStop() {
  const controller = new AbortController();
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    process.once(name, () => controller.abort());
  }
  return controller.signal;
}

/**
 * @param {Job[]} jobs in the order in which they start
 * @param {object} options
 * @param {number} options.atOnce
 * @param {string[]} [options.flags] for the runner
 * @param {Record<string, string>} [options.env]
 * @param {AbortSignal} [options.signal] stops what runs, and starts no more
 * @param {(outcome: Outcome) => void} options.onEnd
 * @returns {Promise<Outcome[]>} of the jobs that were started
 */
export async function runJobs(jobs, { atOnce, flags = [], env = {}, signal, onEnd }) {
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-tests-'));
  const waiting = jobs.entries();
  /** @type {Outcome[]} */
  const outcomes = [];
  const work = async () => {
    for (const [index, job] of waiting) {
      if (signal?.aborted) return;
      const ownEnv = {
        ...env,
        TEST_RESULTS: path.join(folder, `${index}.json`),
        // What one process has compiled the next ones need not: an eighth of the CPU of those that tests start.
        NODE_COMPILE_CACHE: path.join(folder, 'compiled'),
      };
      const outcome = await runJob(job, { flags, env: ownEnv, signal });
      outcomes.push(outcome);
      onEnd(outcome);
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return outcomes;
}

/**
 * @param {Job} job
 * @param {{flags: string[], env: Record<string, string> & {TEST_RESULTS: string}, signal?: AbortSignal}} options
 * @returns {Promise<Outcome>}
 */
async function runJob(job, { flags, env, signal }) {
  const startedMs = performance.now();
  const args = [
    '--test',
    // The process is the one of the files: no second one watches it. By its older name, which Node 22 knows.
    '--experimental-test-isolation=none',
    `--test-timeout=${TIMEOUT_MS}`,
    `--test-reporter=${REPORTER}`,
    ...flags,
    ...job.files,
  ];
  const child = startChild(process.execPath, args, { env, stdout: 'pipe', stderr: 'pipe' });
  let output = '';
  for (const stream of [child.process.stdout, child.process.stderr]) {
    stream?.setEncoding('utf8').on('data', text => {
      output += text;
    });
  }
  const stop = () => child.stop({ graceMs: GRACE_MS });
  signal?.addEventListener('abort', stop);
  const { exitCode, signal: endedBy } = await child.ended;
  signal?.removeEventListener('abort', stop);
  const status = exitCode ?? endedBy;
  const { counts, skipped } = readResults(env.TEST_RESULTS);
  const isStopped = signal?.aborted === true && status !== 0;
  // Where flags choose among the tests, a file may have none of them.
  const hasRun = counts !== null && (counts.tests > 0 || flags.length > 0);
  const isGood = status === 0 && hasRun;
  if (!isGood) output += `${job.name} ended with ${status} after ${counts?.tests ?? 'no'} tests\n`;
  return {
    job,
    // A process that ended before its tests did has failed, whatever it counted.
    counts: fail(counts ?? NO_COUNTS, !isGood && !isStopped && !counts?.fail && !counts?.cancelled),
    skipped,
    isGood,
    isStopped,
    durationMs: performance.now() - startedMs,
    output,
  };
}

/** @param {Counts} counts @param {boolean} isOneMore */
function fail(counts, isOneMore) {
  return isOneMore ? { ...counts, tests: counts.tests + 1, fail: counts.fail + 1 } : counts;
}

/** @param {string} file @returns {Results} */
function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { counts: null, skipped: [] };
  }
}
