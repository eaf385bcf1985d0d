/** Parts of a document about the CPU time of a run. */
import { bodyRateOf } from '../../facts/measures.js';
import {
  formatCount,
  formatDuration,
  formatEstimateMs,
  formatMs,
  formatNumberOf,
  formatPlace,
  formatShare,
  roundShares,
} from '../../format.js';
import { sayLeft, WITHOUT_VIEWS } from '../endpoint-costs.js';
import { describeStartUp } from '../hot-path.js';
import {
  amount,
  code,
  column,
  drawing,
  inFull,
  item,
  lede,
  list,
  muted,
  only,
  onPage,
  pairs,
  paragraph,
  part,
  section,
  table,
} from './build.js';

/** @import { Estimate } from '../../facts/estimate.d.ts' */
/** @import { CategoryShare, CpuUse } from '../../facts/profile-report.d.ts' */
/** @import { WordedCause, WordedPath, WordedProfile, WordedReport, WordedTaskWorkers } from '../worded-report.d.ts' */

/** @typedef {Omit<WordedPath, 'plural' | 'caller' | 'ofRequest' | 'reasons'>} ShownPath */
/** @typedef {Pick<WordedProfile, 'samples' | 'categories' | 'causes'> & {hotPaths: ShownPath[]}} SelectedProfile */
/** @typedef {{samples: number, cpuMs: number | null, requests: number | null}} Selected active samples, and the CPU of the workers */

const TITLE = 'Where the CPU time of a request goes';
const MOST_ENDPOINTS = 12;
/** Fewer if statements and calls are shown, too. */
const MOST_ENDPOINTS_SHORT = { alone: 5, withCalls: 3 };
const MOST_PATHS_SHORT = { alone: 5, withCalls: 2 };
const LARGE_PATHS = 3;
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
    const { cpuMsPerRequest, shareOfCpu, isMeasured } = cost;
    const own = loads.find(({ name }) => name === cost.loadEndpoint) ?? none;
    const name = cost.loadEndpoint ?? cost.name;
    return { ...own, name, cpuMsPerRequest, shareOfCpu, isMeasured };
  });
  return [...priced, ...loads.filter(({ name }) => !priced.some(own => own.name === name))];
}

/**
 * Requests, times and CPU of each endpoint.
 * @param {WordedReport} report
 * @param {EndpointRow[]} [rows] of a selection
 */
export function describeEndpoints(report, rows = listEndpoints(report)) {
  const { load, costs, profile } = report;
  const hasLoad = rows.some(({ requests }) => requests !== null);
  const isPriced = rows.some(({ cpuMsPerRequest }) => cpuMsPerRequest);
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
        hasLoad && onPage(amount('max', ({ times }) => times?.maxMs, 'ms', about)),
        onPage(mean('size', 'responseBytes', 'bytes')),
        rows.some(({ means }) => bodyRateOf(means)) &&
          onPage(amount('bytes/s', ({ means }) => bodyRateOf(means), 'bytes', ABOUT_RATE)),
        // If none failed, the verdict says so, and queries need the space.
        hasLoad && (queries && !rows.some(({ errors }) => errors) ? inFull(failed) : failed),
        isPriced && amount(view, ({ cpuMsPerRequest }) => cpuMsPerRequest, 'ms'),
        queries,
        inFull(mean('database', 'db.msPerRequest', 'ms', 'in database statements per request')),
        onPage(mean('pool', 'db.poolMsPerRequest', 'ms', 'wait for a connection per request')),
        costs && onPage(column('by category', row => drawing('split', row))),
        costs && !costs.tying.later && (isPriced ? inFull(share) : share),
        isMixed && inFull(column('by', basisOf)),
      ],
      { most, isSortable: true },
    );
  const explanation = profile
    ? WITHOUT_VIEWS
    : 'Neither a profile nor the companion is part of this run, so the CPU cost of an endpoint is not known.';
  return section(
    'endpoints',
    title,
    costs && only(['short'], lede(sayLeft(costs).trim())),
    inFull(lede(costs?.text ?? (hasLoad ? explanation : ''))),
    only(['short'], endpoints(rows, MOST_ENDPOINTS_SHORT[report.calls ? 'withCalls' : 'alone'])),
    inFull(endpoints(rows, MOST_ENDPOINTS)),
  );
}

/**
 * @param {Pick<WordedReport, 'cpu' | 'run' | 'calls'> & {profile: SelectedProfile | null}} report
 * @param {Selected | null} [selected] on the page, if it is not the whole run
 */
export function describeCpu({ profile, cpu, run, calls }, selected = null) {
  if (!profile?.samples.active) return describeMissing(run, cpu, profile);
  const { categories, hotPaths, causes } = profile;
  const shown = new Set(hotPaths.flatMap(path => path.causes));
  const others = causes.filter(({ id }) => !shown.has(id));
  const isBound = cpu?.basis === 'samples-upper-bound';
  return section(
    'hot-paths',
    TITLE,
    inFull(lede(describeBase(profile, cpu, selected))),
    only(['short'], shortPaths(hotPaths, MOST_PATHS_SHORT[calls ? 'withCalls' : 'alone'])),
    categories.length > 0
      ? drawing('shares', categories)
      : paragraph('No samples in this selection.', 'empty'),
    inFull(categoryTable(categories, isBound)),
    inFull(part('Hot paths', pathList(profile))),
    inFull(part('Other known causes', list(others.map(causeItem)))),
  );
}

/** @param {WordedReport['run']} run @param {WordedReport['cpu']} cpu @param {SelectedProfile | null} profile */
function describeMissing({ kind, command }, cpu, profile) {
  const { recorded = 0, waiting = 0 } = profile?.samples ?? {};
  const isUnasked = kind === 'load' && !profile;
  const ways = [
    recorded > 0 &&
      `None of ${formatCount(recorded)} samples shows a worker at work; ${formatCount(waiting)} were waiting. Send more load, for longer.`,
    cpu?.text,
    !isUnasked && 'Nothing was recorded. To see why, type: `loadflame doctor`',
    command?.startsWith('loadflame cluster ') &&
      'Not recorded: workers in a cluster sent the load.',
  ];
  const how = ['Not recorded. To record it, type: ', code(`${command} --profile`)];
  return section('hot-paths', TITLE, paragraph(ways.find(Boolean) || how, 'empty'));
}

/** @param {Pick<WordedProfile, 'samples' | 'categories'>} profile @param {CpuUse | null} cpu @param {Selected | null} [selected] */
function describeBase({ samples, categories }, cpu, selected) {
  const of = selected ? `${formatCount(selected.samples)} of ` : '';
  const base = `${of}${formatCount(samples.active)} active samples; ± is a 95 % interval`;
  if (selected?.requests && selected.cpuMs !== null)
    return `${base}; the workers used ${formatDuration(selected.cpuMs)} of CPU for ${formatNumberOf(selected.requests, 'request')}`;
  if (selected || !cpu?.perRequest) return base;
  const cost = formatMs(cpu.perRequest.value);
  return cpu.basis === 'samples-upper-bound'
    ? `${base}; a request costs at most ${cost} of CPU (from samples)`
    : `${base}; a request costs ${cost} of CPU, counted by the operating system${describeStartUp(categories)}`;
}

/** @param {ShownPath[]} paths @param {number} most */
function shortPaths(paths, most) {
  return table('The largest paths', paths.slice(0, most), [
    column('', ({ label, entry }) => `${label} in ${entry.function} (${formatPlace(entry)})`),
    amount('of the CPU', ({ share }) => share, 'share'),
    paths.some(({ cpuMsPerRequest }) => cpuMsPerRequest) &&
      amount('per request', ({ cpuMsPerRequest }) => formatEstimateMs(cpuMsPerRequest)),
  ]);
}

/** A path of a selection, without the analysis, which is valid only for the whole run. @param {Omit<ShownPath, 'text'>} path */
export function describeSelectedPath({ label, entry, share, cpuMsPerRequest }) {
  const cost = describeCost(cpuMsPerRequest);
  return `${label} in \`${entry.function}\` (${formatPlace(entry)}): ${formatShare(share)}${cost}`;
}

/** Paths with text; a cause appears once, with all of its places. @param {Pick<SelectedProfile, 'hotPaths' | 'causes'>} profile */
function pathList({ hotPaths, causes }) {
  let most = LARGE_PATHS;
  const left = new Map(causes.map(cause => [cause.id, cause]));
  const items = hotPaths.map((path, index) => {
    const own = path.causes.flatMap(id => left.get(id) ?? []);
    for (const { id } of own) left.delete(id);
    if (own.length > 0 || (path.flagged && path.causes.length === 0))
      most = Math.max(most, index + 1);
    const { function: name } = path.entry;
    return item(
      path.text,
      { level: path.flagged ? 'bad' : 'info', isOpen: path.flagged },
      onPage(paragraph(`entered at ${name} (${formatPlace(path.entry)})`, 'lede')),
      drawing('find', name),
      list(own.map(causeItem)),
      onPage(
        table('Heaviest functions in it; shares are of all active samples', path.heaviest, [
          column('', frame => [code(frame.function), muted(` ${formatPlace(frame)}`)]),
          amount('self', ({ self }) => self, 'share'),
          amount('with what it calls', ({ total }) => total, 'share'),
        ]),
      ),
    );
  });
  return list(items, most);
}

/** @param {ShownPath['cpuMsPerRequest']} cost */
function describeCost(cost) {
  return cost ? `, ${formatEstimateMs(cost)} per request` : '';
}

/** @param {WordedCause} cause */
function causeItem({ title, share, cpuMsPerRequest, evidence, explanation, advice, text }) {
  return item(
    `${title}: ${formatShare(share)}${describeCost(cpuMsPerRequest)}`,
    { isOpen: true },
    onPage(paragraph(explanation)),
    evidence.length > 0 && onPage(paragraph(code(evidence.join(' → ')))),
    pairs(text.map(({ label, value }) => [value, label])),
    paragraph(advice, 'advice'),
  );
}

/** @param {CategoryShare[]} categories @param {boolean} [isBound] costs are upper bounds */
function categoryTable(categories, isBound = false) {
  const percents = roundShares(categories.map(({ share }) => share.value));
  const widest = Math.max(...categories.map(({ share }) => share.value));
  return table('CPU by category', categories, [
    column('', ({ label, color }) => ({ text: label, color })),
    column('', ({ share, color }) => ({ bar: share.value / widest, color })),
    amount('of the CPU', ({ share }, index) => formatShare(share, percents[index])),
    categories.some(({ cpuMsPerRequest }) => cpuMsPerRequest) &&
      amount(isBound ? 'per request, at most' : 'per request', ({ cpuMsPerRequest }) =>
        formatEstimateMs(cpuMsPerRequest),
      ),
  ]);
}

/** Task workers recorded beside the API. @param {WordedTaskWorkers | null | undefined} workers */
export function describeTaskWorkers(workers) {
  if (!workers) return null;
  const { text, categories } = workers;
  return inFull(
    section(
      'task-workers',
      text.title,
      ...text.sentences.map(sentence => paragraph(sentence)),
      categories.length > 0 && drawing('shares', categories),
      categoryTable(categories),
      pathList(workers),
    ),
  );
}
