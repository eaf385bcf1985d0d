/** The part of a document about the endpoints of a run: requests, times and CPU of each. */

import { formatMs, quoteForShell } from '../../base/format.js';
import { sum } from '../../base/math/summary.js';
import { bodyRateOf } from '../../run/facts/body-rate.js';
import { sayLeft, WITHOUT_VIEWS } from '../endpoint-costs.js';
import { formatFew } from '../words.js';
import {
  amount,
  code,
  column,
  drawing,
  findSmall,
  folded,
  inFull,
  lede,
  only,
  onPage,
  paragraph,
  part,
  section,
  table,
} from './build.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { WordedReport } from '../worded-report.d.ts' */

export const MOST_ENDPOINTS = 12;
/** Fewer if statements and calls are shown, too. */
const MOST_ENDPOINTS_SHORT = { alone: 5, withCalls: 3 };
/** Share of the requests from which an endpoint is not folded, however little CPU it uses. */
const LARGE_REQUESTS = 0.02;
const WITHOUT_COSTS =
  'Neither a profile nor the companion is part of this run, so the CPU cost of an endpoint is not known.';
const ABOUT_RATE = 'from the first byte to the last, of responses that arrive in parts';

/**
 * @typedef {object} EndpointRow
 * @property {string} name
 * @property {number | null} requests
 * @property {number | null} errors
 * @property {number | null} [ratePerSec]
 * @property {{p50Ms: number | null, p95Ms: number | null, p99Ms: number | null, maxMs: number | null} | null} times
 *   total, else to the first byte
 * @property {Record<string, number>} [means] per response, by id of a measure
 * @property {Estimate | null} cpuMsPerRequest
 * @property {number} [leastMsPerRequest] where that is not known
 * @property {Estimate | null} shareOfCpu
 * @property {boolean | null} isMeasured by the companion; null without costs
 */

/** Endpoints of a run, the most expensive first. @param {WordedReport} report @returns {EndpointRow[]} */
function listEndpoints({ load, costs }) {
  const none = { requests: null, errors: null, times: null };
  const free = { cpuMsPerRequest: null, shareOfCpu: null, isMeasured: null };
  const loads = (load?.endpoints ?? []).map(({ name, requests, errors, ...own }) => {
    // Streams of events have no total time.
    const times = own.totalTime ?? (load?.http.totalTime ? null : own.timeToFirstByte);
    return { ...free, name, requests, errors, times, ...(own.means && { means: own.means }) };
  });
  const priced = (costs?.endpoints ?? []).map(cost => {
    const { cpuMsPerRequest, leastMsPerRequest, shareOfCpu, isMeasured } = cost;
    const own = loads.find(({ name }) => name === cost.loadEndpoint) ?? none;
    const name = cost.loadEndpoint ?? cost.name;
    return { ...own, name, cpuMsPerRequest, leastMsPerRequest, shareOfCpu, isMeasured };
  });
  return [...priced, ...loads.filter(({ name }) => !priced.some(own => own.name === name))];
}

/** The setting that makes rows one which differ in a part of their path. @param {WordedReport} report */
function proposeGroups({ load, run }) {
  const groups = load?.groups ?? [];
  if (groups.length === 0) return [];
  const own = run.settings.find(({ name }) => name === 'ENDPOINTS')?.value;
  const value = [own, ...groups.map(({ path }) => path)].filter(Boolean).join(', ');
  const names = groups.map(({ rows, examples }) => `${rows} such as ${examples[0]}`);
  const text = `Rows that differ in words of their path only: ${names.join('; ')}. If they are one endpoint, this setting makes them one row: `;
  return [paragraph([text, code(`ENDPOINTS=${quoteForShell(value)}`)])];
}

const COSTS = { statements: 'statements', cpuMs: 'ms of CPU' };

/** Rows whose steps differ in their query, and in what they cost. @param {WordedReport} report */
function sayContrasts({ load }) {
  const texts = (load?.endpoints ?? []).flatMap(({ name, contrasts = [] }) =>
    contrasts.map(({ of, most, least }) => {
      const [a, b] = [most, least].map(
        ({ query, mean }) => `${formatFew(mean)} ${query ? `with ${query}` : 'without a query'}`,
      );
      const factor = least.mean > 0 ? ` (${formatFew(most.mean / least.mean)} ×)` : '';
      return `${name}: ${COSTS[of]} per request ${a}, ${b}${factor}`;
    }),
  );
  const text = `Rows that are means of different steps: ${texts.join('; ')}. A \`name\` for each step in the script makes them rows of their own.`;
  return texts.length > 0 ? [paragraph(text)] : [];
}

/** On the page, it leads to its slowest requests. @param {EndpointRow} row */
const drawLongest = row => ({
  ...drawing('longest', row),
  value: row.times?.maxMs ?? -1,
  low: null,
  high: null,
});

/** @param {EndpointRow[]} rows */
function findSmallEndpoints(rows) {
  const least = LARGE_REQUESTS * sum(rows.map(({ requests }) => requests ?? 0));
  return findSmall(
    rows,
    'endpoints',
    ({ shareOfCpu }) => shareOfCpu?.value,
    ({ requests, errors }) => errors || (requests ?? 0) >= least,
  );
}

/**
 * Requests, times and CPU of each endpoint.
 * @param {WordedReport} report
 * @param {EndpointRow[]} [rows] of a selection
 */
export function describeEndpoints(report, rows = listEndpoints(report)) {
  const { load, costs, profile } = report;
  const hasLoad = rows.some(({ requests }) => requests !== null);
  const costOf = (/** @type {EndpointRow} */ { cpuMsPerRequest, leastMsPerRequest: least }) =>
    cpuMsPerRequest ?? (least === undefined ? null : `at least ${formatMs(least)}`);
  const isPriced = rows.some(costOf);
  const isMixed = new Set(rows.flatMap(({ isMeasured }) => isMeasured ?? [])).size > 1;
  const view = costs?.basis === 'source' || costs?.basis === 'view' ? 'CPU in the view' : 'CPU';
  const title = costs && !isPriced && !hasLoad ? 'CPU by view' : 'Endpoints';
  const about = load?.endpoints.some(({ totalTime }) => totalTime)
    ? 'from when the request was queued to the last byte'
    : 'time to first byte';
  const failed = amount('failed', (/** @type {EndpointRow} */ { errors }) => errors, 'count');
  const basisOf = (/** @type {EndpointRow} */ { isMeasured: own }) =>
    own === null ? '' : own ? 'measured' : 'samples';
  const shareOf = (/** @type {EndpointRow} */ { shareOfCpu }) => shareOfCpu?.value;
  const share = amount(costs?.unattributed ? 'of all CPU' : 'of this CPU', shareOf, 'share');
  /** @param {string} label @param {string} id of a measure @param {'bytes' | 'count' | 'ms'} unit @param {string} [about] */
  const mean = (label, id, unit, about) =>
    rows.some(({ means }) => means?.[id]) &&
    amount(label, (/** @type {EndpointRow} */ { means }) => means?.[id], unit, about);
  const database = report.calls?.bound ? 'database, at most' : 'database';
  const queries = mean('queries', 'db.queriesPerRequest', 'count', 'statements per request');
  /** @param {EndpointRow[]} some @param {number} most */
  const endpoints = (some, most) =>
    table(
      title,
      some,
      [
        column('', row => ({ ...drawing('endpoint', row), text: row.name })),
        hasLoad && amount('requests', ({ requests }) => requests, 'count'),
        hasLoad && onPage(amount('rate', ({ ratePerSec }) => ratePerSec, 'perSec')),
        hasLoad && onPage(amount('median', ({ times }) => times?.p50Ms, 'ms', about)),
        hasLoad && amount('p95', ({ times }) => times?.p95Ms, 'ms', about),
        hasLoad && onPage(amount('p99', ({ times }) => times?.p99Ms, 'ms', about)),
        hasLoad && onPage(amount('max', drawLongest, 'ms', about)),
        onPage(mean('size', 'responseBytes', 'bytes')),
        rows.some(({ means }) => bodyRateOf(means)) &&
          onPage(amount('bytes/s', ({ means }) => bodyRateOf(means), 'bytes', ABOUT_RATE)),
        // If none failed, the verdict says so, and queries need the space.
        hasLoad && (queries && !rows.some(({ errors }) => errors) ? inFull(failed) : failed),
        isPriced && amount(view, costOf, 'ms'),
        queries,
        inFull(mean(database, 'db.msPerRequest', 'ms', 'in database statements per request')),
        onPage(mean('pool', 'db.poolMsPerRequest', 'ms', 'wait for a connection per request')),
        costs && onPage(column('by category', row => drawing('split', row))),
        costs && !costs.tying.later && (isPriced ? inFull(share) : share),
        isMixed && inFull(column('by', basisOf)),
      ],
      { most, isSortable: true, small: findSmallEndpoints(rows) },
    );
  const explanation = profile ? WITHOUT_VIEWS : WITHOUT_COSTS;
  return section(
    'endpoints',
    title,
    costs && only(['short'], lede(sayLeft(costs).trim())),
    only(costs ? ['full'] : ['full', 'page'], lede(costs?.text ?? (hasLoad ? explanation : ''))),
    only(['short'], endpoints(rows, MOST_ENDPOINTS_SHORT[report.calls ? 'withCalls' : 'alone'])),
    inFull(endpoints(rows, MOST_ENDPOINTS)),
    ...[sayContrasts, proposeGroups].flatMap(say => say(report)),
    onPage(folded(part('How CPU was divided among endpoints', lede(costs?.text ?? '')))),
  );
}
