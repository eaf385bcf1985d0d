/** What a spike of one endpoint did to the others, at each step of a variant. */
import { LEAST_REQUESTS } from '../../analysis/timeline/find-spike.js';
import { isMachineFull, THRESHOLDS } from '../../bottleneck/thresholds.js';
import { sum } from '../../math/summary.js';
import { findTypicalLatency } from './points.js';

/** @import { Report } from '../../analysis/report.d.ts' */
/** @import { Cell } from '../cells.js' */
/** @import { SpikeFigures } from '../study-records.d.ts' */
/** @import { SpikeStep } from '../study-report.d.ts' */

/** Whom the finding of a run names in so many of its repeats is a victim. */
const MOST = 0.5;

/**
 * Who is a victim is what the runs of the cells found (`analysis/timeline/find-spike.js`): there is one rule
 * for a run and for a study.
 * @param {Cell[]} cells measured ones of the variant
 * @param {(folder: string) => Pick<Report, 'findings'> | null} readReport
 * @returns {SpikeStep[]} ascending
 */
export function listSpikes(cells, readReport) {
  return [...Map.groupBy(cells, ({ step }) => step)]
    .sort(([a], [b]) => a - b)
    .flatMap(([step, own]) => {
      const spikes = own.flatMap(({ figures }) => figures?.spike ?? []);
      const [first] = spikes;
      if (!first) return [];
      const reportOf = (/** @type {Cell} */ { folder }) => folder && readReport(folder);
      const reports = own.flatMap(cell => reportOf(cell) || []);
      const isJudged = (/** @type {Cell} */ cell) =>
        reportOf(cell) && !isCrowded(cell) && hasEnough(cell);
      const told = reports.flatMap(({ findings }) =>
        findings.flatMap(one =>
          one.id === 'spike' && one.facts.endpoint === first.endpoint ? [one.facts.first] : [],
        ),
      );
      const isVictim = (/** @type {string} */ name) =>
        told.filter(victims => victims.some(({ endpoint }) => endpoint === name)).length >
        reports.length * MOST;
      return {
        step,
        endpoint: first.endpoint,
        isJudged: own.filter(isJudged).length > own.length * MOST,
        endpoints: first.endpoints.map(({ name }) => describe(name, spikes, isVictim(name))),
      };
    });
}

/** @param {string} name @param {SpikeFigures[]} spikes of all repeats @param {boolean} isVictim @returns {SpikeStep['endpoints'][number]} */
function describe(name, spikes, isVictim) {
  const all = spikes.flatMap(({ endpoints }) => endpoints.find(one => one.name === name) ?? []);
  const typical = (/** @type {'before' | 'during' | 'after'} */ phase) =>
    findTypicalLatency(all.map(one => one[phase]))?.p95Ms ?? null;
  const countOf = (/** @type {'requests' | 'errors'} */ what) =>
    sum(all.map(({ during }) => during[what]));
  return {
    name,
    isVictim,
    p95Ms: { before: typical('before'), during: typical('during'), after: typical('after') },
    errorRate: countOf('errors') / Math.max(1, countOf('requests')),
  };
}

/** On a full machine of which others had a part nobody can say who was slowed by whom. @param {Cell} cell */
function isCrowded({ figures }) {
  const { host, components = [], generator } = figures ?? {};
  if (!host || !isMachineFull(host)) return false;
  const own = sum(components.map(({ cores }) => cores)) + (generator?.cores ?? 0);
  return host.cores - own >= THRESHOLDS.backgroundCores;
}

/** Who gets no answers in a spike is not slower, and nothing is known of who asks seldom. @param {Cell} cell */
function hasEnough({ figures }) {
  const { endpoint, endpoints = [] } = figures?.spike ?? {};
  return endpoints.every(
    ({ name, before, during }) =>
      name === endpoint ||
      [before, during].every(({ latency }) => (latency?.count ?? 0) >= LEAST_REQUESTS),
  );
}
