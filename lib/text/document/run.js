/** The report of a run as a document. */
import { formatMs, formatPercent, formatRate } from '../../format.js';
import { countStates } from '../thresholds.js';
import { amount, code, item, list, only, section, table } from './build.js';
import { describeErrors, describeLoad } from './run-load.js';
import {
  describeBalance,
  describeBottleneck,
  describeCluster,
  describeFindings,
  describeQuality,
  describeRunInfo,
} from './run-machine.js';
import { describeCpu, describeEndpoints, describeTaskWorkers } from './run-profile.js';

/** @import { WordedThreshold } from '../thresholds.js' */
/** @import { WordedReport } from '../worded-report.d.ts' */
/** @import { Document, Section } from './document.d.ts' */

/** The section of the page that shows more of a finding. */
const SHOWN_IN = {
  'invalid-load': 'errors',
  'token-trouble': 'errors',
  'request-errors': 'errors',
  'error-burst': 'errors',
  'unanswered-emits': 'errors',
  'failed-users': 'errors',
  'idle-scenarios': 'load',
  stall: 'timeline',
  'held-by-hook': 'quality',
  'lost-connections': 'load',
  'dropped-arrivals': 'load',
  'generator-limit': 'quality',
  'full-machine': 'quality',
  'cpu-throttled': 'quality',
  'worker-restarts': 'quality',
  imbalance: 'balance',
  bottleneck: 'bottleneck',
  capacity: 'bottleneck',
  cause: 'hot-paths',
  'hot-path': 'hot-paths',
  'event-loop-blocked': 'endpoints',
  'dev-tools': 'hot-paths',
  'rising-latency': 'timeline',
  spike: 'timeline',
  'memory-growth': 'timeline',
};
/** Outside of the page causes stand with their hot paths, and the bottleneck in the verdict. */
const MOST_FINDINGS = 5;
const MOST_PROBLEMS = 3;
const SHOWN_ELSEWHERE = ['cause', 'bottleneck'];

/**
 * @param {WordedReport} report
 * @param {WordedThreshold[]} [thresholds]
 * @returns {Document}
 */
export function describeRun(report, thresholds = []) {
  const { verdict, run, findings, balance, cluster, taskWorkers } = report;
  const others = findings.filter(({ id }) => !SHOWN_ELSEWHERE.includes(id));
  const told = findings.filter(({ severity }) => severity === 'bad' || severity === 'warn');
  const sections = [
    run.status === 'partial' &&
      only(
        ['summary', 'full'],
        section(
          'partial',
          'Partial run: the numbers cover what was measured',
          list(run.reasons.map(({ text }) => text)),
        ),
      ),
    only(['short'], describeProblems(others, verdict.text.headline)),
    describeTotals(report),
    describeLoad(report),
    describeEndpoints(report),
    report.profile?.samples.active
      ? only(['short', 'summary', 'full'], describeCpu(report))
      : describeCpu(report),
    describeTaskWorkers(taskWorkers),
    describeBalance(balance),
    describeCluster(cluster),
    ...describeBottleneck(report),
    only(['full'], describeFindings(others)),
    only(['summary'], describeFindings(told, { most: MOST_FINDINGS })),
    only(['page'], describeFindings(findings, { sections: SHOWN_IN })),
    describeErrors(report),
    ...describeQuality(report),
    only(['summary'], describeThresholds(thresholds)),
    ...describeRunInfo(report),
  ];
  return {
    headline: { level: verdict.level, ...verdict.text, text: verdict.text.headline },
    sections: sections.filter(own => own !== null && own !== false),
    page: 'report.html',
  };
}

/** What went wrong beside the headline. @param {WordedReport['findings']} findings @param {string} headline */
function describeProblems(findings, headline) {
  const bad = findings.filter(
    ({ severity, text }) => severity === 'bad' && !headline.endsWith(text.title),
  );
  const titles = bad.map(({ text }) => item(text.title, { level: 'bad' }));
  return section('problems', 'Problems', list(titles, MOST_PROBLEMS));
}

/** The figures that a pull request needs, in one row. @param {WordedReport} report */
function describeTotals({ load, cpu }) {
  if (!load) return null;
  const { http, failures } = load;
  const latency = http.totalTime ?? http.timeToFirstByte;
  return only(
    ['summary'],
    section(
      'totals',
      'Load test',
      table(
        'Load test',
        [http],
        [
          amount('requests', ({ requests }) => requests, 'count'),
          amount('throughput', ({ throughputPerSec }) => formatRate(throughputPerSec)),
          amount('median', () => formatMs(latency?.p50Ms ?? null)),
          amount('p95', () => formatMs(latency?.p95Ms ?? null)),
          amount('p99', () => formatMs(latency?.p99Ms ?? null)),
          amount('failed', () => formatPercent(failures.share)),
          amount('CPU per request', () =>
            formatMs((cpu?.basis === 'process-cpu' && cpu.perRequest?.value) || null),
          ),
        ],
      ),
    ),
  );
}

/** @type {Record<WordedThreshold['status'], ['good' | 'bad' | 'unknown' | 'none', string]>} */
const STATES = {
  pass: ['good', ''],
  fail: ['bad', 'failed: '],
  uncertain: ['unknown', 'uncertain: '],
  unknown: ['none', ''],
};

/** @param {WordedThreshold[]} results @returns {Section | null} */
export function describeThresholds(results) {
  return section(
    'thresholds',
    `Thresholds: ${countStates(results)}`,
    list(
      results.map(({ status, expression, endpoint, text }) => {
        const [level, word] = STATES[status];
        const of = endpoint === null ? [] : [code(endpoint), ': '];
        return item([...of, code(expression), ` (${word}${text})`], { level });
      }),
    ),
  );
}
