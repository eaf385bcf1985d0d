/** How far to trust figures for reasons outside of load generator and profiler. */
import { formatCores, formatMs, formatNumberOf, formatPercent } from '../format.js';

/** Arrivals that were not started. */
const MANY_SKIPPED = 0.01;
/** Answers above a percentile, for it to be more than luck. */
const ANSWERS_ABOVE = 10;
/** Share of the machine's cores. */
const FULL = 0.9;
/** Share of the periods of a CPU quota in which it ran out. */
const OFTEN_THROTTLED = 0.01;
/** Beyond this, times of two machines are not to be put beside each other to the second. */
const CLOCKS_APART_MS = 1000;

/** @typedef {import('./report.d.ts').Report} Report */
/** @typedef {import('./quality.js').Add} Add */

/** @param {Pick<Report, 'run' | 'load' | 'profile'>} facts @param {Add} add */
export function judgeRoom({ run, load, profile }, add) {
  const { hostCores, generatorCores } = profile?.cpu ?? {};
  const cpus = run.host?.cpus;
  if (load && cpus && hostCores && generatorCores && hostCores >= cpus * FULL) {
    add(
      'full-machine',
      'warn',
      `The machine had no idle CPU: ${hostCores.toFixed(1)} of ${cpus} cores in use, the load generator among them. Times and throughput are those of a crowded machine; CPU per request holds.`,
    );
  }
}

/** @param {import('./report.d.ts').LoadReport} load @param {Add} add */
export function judgeSize({ users, http }, add) {
  if (users.skipped > 0) {
    const arrivals = users.created + users.skipped;
    const share = users.skipped / arrivals;
    add(
      'skipped-arrivals',
      share > MANY_SKIPPED ? 'warn' : 'ok',
      `${users.skipped} of ${arrivals} arrivals (${formatPercent(share)}) were skipped: the load was lower than the script says.`,
    );
  }
  const count = (http.totalTime ?? http.timeToFirstByte)?.count ?? 0;
  if (count === 0) return;
  const above = (/** @type {number} */ percent) => Math.floor((count * (100 - percent)) / 100);
  add(
    'answers',
    above(99) < ANSWERS_ABOVE ? 'warn' : 'ok',
    above(99) < ANSWERS_ABOVE
      ? `Times stand on ${formatNumberOf(count, 'answer')}: ${above(99)} lie above p99 and ${above(95)} above p95; below ${ANSWERS_ABOVE} a percentile is luck.`
      : `Times stand on ${formatNumberOf(count, 'answer')}: ${above(99)} of them lie above p99.`,
  );
}

/** @param {import('./throttling.js').Throttling} throttling @param {Add} add */
export function judgeThrottling(throttling, add) {
  for (const role of /** @type {const} */ (['generator', 'target'])) {
    const found = throttling[role];
    if (!found) continue;
    const { share, throttledMs, quotaCores } = found;
    const whose = role === 'generator' ? "The load generator's" : "The API's";
    const means =
      role === 'generator' ? 'its figures are its own then' : 'requests waited for CPU then';
    const isOften = share > OFTEN_THROTTLED;
    add(
      `throttled-${role}`,
      isOften ? 'warn' : 'ok',
      `${whose} CPU quota of ${formatCores(quotaCores)} cores ran out in ${formatPercent(share)} of its periods${throttledMs > 0 ? `, for ${formatMs(throttledMs)} in all` : ''}${isOften ? `: ${means}` : ''}.`,
    );
  }
}

/** @param {import('./clock-skew.js').ClockSkew} skew @param {Add} add */
export function judgeClock({ lowMs, highMs, answers, state }, add) {
  const from = formatNumberOf(answers, 'Date header');
  if (state === 'contradict') {
    add(
      'clock-skew',
      'warn',
      `The ${from} of the target contradict each other by ${formatMs(lowMs - highMs)}: several servers with different clocks, a cache, or a clock that was set. Nothing can be said of the clock's difference to ours.`,
    );
    return;
  }
  const isApart = lowMs > CLOCKS_APART_MS || highMs < -CLOCKS_APART_MS;
  const is = state === 'drift' ? 'moved between' : 'is between';
  add(
    'clock-skew',
    isApart ? 'warn' : 'ok',
    `The target's clock ${is} ${formatSigned(lowMs)} and ${formatSigned(highMs)} to ours, by ${from}${isApart ? ': times that it tells are not ours' : ''}.`,
  );
}

/** @param {number} ms */
function formatSigned(ms) {
  return `${ms < 0 ? '−' : '+'}${formatMs(Math.abs(ms))}`;
}

/**
 * @param {Report['logs']} logs
 * @param {string[]} ended why logs could not be followed any longer
 * @param {Add} add
 */
export function judgeLogs(logs, ended, add) {
  for (const message of ended) add('log-ended', 'warn', `${message}.`);
  for (const { name, leftOut, records, aheadMs } of logs?.sources ?? []) {
    if (aheadMs !== null) {
      add(
        'log-clock',
        'warn',
        `Times in ${name} are ${formatMs(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} our clock; its lines were matched by that much later or earlier.`,
      );
    }
    if (leftOut > 0) {
      add(
        'log-left-out',
        'ok',
        `Of ${name}, ${records} records were kept and ${leftOut} lines left out, because there were too many; warnings and errors go first.`,
      );
    }
  }
}
