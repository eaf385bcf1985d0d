import {
  formatCores,
  formatCount,
  formatDuration,
  formatMoment,
  formatMs,
  formatMsInterval,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../../base/format.js';
import { h } from './dom.js';
import { renderBanner, renderSummary, renderTop } from './overview.js';

/** @import { Section } from '../../text/document/document.d.ts' */
/** @import { WordedReport as Report } from '../../text/worded-report.d.ts' */
/** @import { Figure } from './overview.js' */
/** @import { Shown } from './report-page.js' */

/** Printed sections, in the order of the page; findings are in its summary. */
const PRINTED =
  'hot-paths source plans task-workers bottleneck balance cluster errors streams load quality run';
const KINDS = {
  load: 'load test',
  profile: 'profile',
  'load+profile': 'load test and profile',
  import: 'imported files',
};
const LEVELS = {
  good: 'Good',
  warn: 'Warning',
  bad: 'Problem',
  invalid: 'Invalid measurement',
  unknown: 'Not enough data',
};

const PROVISIONAL = ', provisional';
const ENDED_EARLY = 'Something ended early; the numbers cover what was measured until then.';

/** The bar at the top. @param {Report} report @param {string[]} ids of the page's sections */
export function renderHeader({ run }, ids) {
  const { id, target, kind, startedAtMs, endedAtMs } = run;
  const lasted = startedAtMs !== null && endedAtMs !== null && endedAtMs - startedAtMs;
  const facts = [
    target && h('span', { class: 'target' }, target),
    KINDS[kind],
    startedAtMs !== null && formatMoment(startedAtMs),
    lasted !== false && formatDuration(lasted),
  ];
  return renderTop(h('span', { class: 'run-id' }, id), facts, ids);
}

/** The result, before anything else: verdict, findings, key figures. @param {Shown} shown */
export function renderRunSummary({ report, content, isProvisional = false }) {
  const { verdict, run } = report;
  const { level, text } = verdict;
  const [findings, actions] = ['findings', 'actions'].map(id => {
    const found = content.find(own => own.id === id);
    return isProvisional && found ? asProvisional(found) : found;
  });
  const reasons = run.reasons.map(({ text: reason }) => reason);
  const word = `${LEVELS[level]}${isProvisional ? PROVISIONAL : ''}`;
  return renderSummary({
    about: 'Verdict, findings and key figures',
    lead: run.status === 'partial' && renderBanner('Partial run.', ENDED_EARLY, reasons),
    verdict: { level, word, ...text },
    actions,
    aside: findings,
    figures: [...loadFigures(report), cpuFigure(report)],
  });
}

/** Marks a section that may change during the run. @param {Section} section @returns {Section} */
export const asProvisional = section => ({ ...section, title: `${section.title}${PROVISIONAL}` });

/** @param {Section[]} sections */
export function orderSections(sections) {
  return PRINTED.split(' ').flatMap(id => sections.filter(own => own.id === id));
}

/** @param {Report} report @returns {(Figure | null | undefined)[]} */
function loadFigures({ load }) {
  if (!load) return [];
  const { http, window, failures } = load;
  const times = http.totalTime ?? http.timeToFirstByte;
  const requests = formatNumberOf(http.requests, 'request');
  const count = `n\u00a0=\u00a0${formatCount(times?.count ?? null)}`;
  return [
    {
      label: 'Throughput',
      value: formatRate(http.throughputPerSec),
      notes: [`${requests} in ${formatDuration(window.endMs - window.startMs)}`],
    },
    times && {
      label: `${times.p95Ms === null ? 'Longest latency' : 'Latency p95'}, to the ${http.totalTime ? 'last' : 'first'} byte`,
      value: formatMs(times.p95Ms ?? times.maxMs),
      notes: [`median ${formatMs(times.p50Ms)}, p99 ${formatMs(times.p99Ms)}, ${count}`],
    },
    { label: 'Failed', value: formatPercent(failures.share), notes: [failures.text] },
  ];
}

/** @param {Report} report @returns {Figure | null} */
function cpuFigure({ cpu }) {
  if (!cpu?.perRequest) return null;
  const { perRequest, basis } = cpu;
  const isBound = basis === 'samples-upper-bound';
  const workers = formatNumberOf(Math.round(cpu.processes ?? 0), 'worker');
  const notes = [
    perRequest.low !== null && `95 %: ${formatMsInterval(perRequest)}`,
    cpu.cores !== null && cpu.cores > 0 && `${workers}, ${formatCores(cpu.cores)} cores`,
  ];
  return {
    label: 'Worker CPU per request',
    value: `${isBound ? '≤ ' : ''}${formatMs(perRequest.value)}`,
    notes: [isBound ? 'upper bound, from samples' : notes.filter(Boolean).join('; ')],
  };
}
