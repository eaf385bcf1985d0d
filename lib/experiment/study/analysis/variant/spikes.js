/** What a spike on one endpoint did to the others, at each step of a variant. */

import { isMachineFull, THRESHOLDS } from '../../../../analysis/bottleneck/thresholds.js';
import { LEAST_REQUESTS } from '../../../../analysis/load/timeline/find-spike.js';
import { sum } from '../../../../base/math/summary.js';
import { findTypicalLatency } from './points.js';

/** @import { Report } from '../../../../run/facts/report.d.ts' */
/** @import { Cell } from '../cells.js' */
/** @import { SpikeFigures } from '../../../../run/facts/study-records.d.ts' */
/** @import { SpikeStep } from '../../../../run/facts/study-report.d.ts' */

/** An endpoint is a victim if the findings of more than this share of its repeats name it. */
const MOST = 0.5;

/**
 * The runs of the cells decide who is a victim (`analysis/load/timeline/find-spike.js`), so runs and studies share one
 * rule. A run clears no endpoint if it saw no such spike, or if it did not report its victims (others used CPU, or the
 * generator was the limit).
 * @param {Cell[]} cells measured ones of the variant
 * @param {(folder: string) => Pick<Report, 'findings' | 'timeline'> | null} readReport
 * @returns {SpikeStep[]} ascending
 */
export function listSpikes(cells, readReport) {
  return [...Map.groupBy(cells, ({ step }) => step)]
    .sort(([a], [b]) => a - b)
    .flatMap(([step, own]) => {
      const spikes = own.flatMap(({ figures }) => figures?.spike ?? []);
      const [first] = spikes;
      if (!first) return [];
      const runs = own.map(cell => {
        const report = cell.folder ? readReport(cell.folder) : null;
        return { cell, isRead: report !== null, victims: listVictims(report, first.endpoint) };
      });
      const read = runs.filter(({ isRead }) => isRead);
      const isVictim = (/** @type {string} */ name) =>
        read.filter(({ victims }) => victims?.includes(name)).length > read.length * MOST;
      const judged = runs.filter(
        ({ cell, victims }) => victims && !isCrowded(cell) && hasEnough(cell),
      );
      return {
        step,
        endpoint: first.endpoint,
        isJudged: judged.length > own.length * MOST,
        endpoints: first.endpoints.map(({ name }) => describe(name, spikes, isVictim(name))),
      };
    });
}

/**
 * All victims: the finding lists only the slowest ones.
 * @param {Pick<Report, 'findings' | 'timeline'> | null} report of a run @param {string} endpoint
 * @returns {string[] | null} null where the report does not judge a spike of the endpoint
 */
function listVictims(report, endpoint) {
  const spike = report?.timeline?.load?.spike;
  if (!spike || spike.endpoint !== endpoint) return null;
  const isReported = report.findings.some(({ id }) => id === 'spike');
  return isReported || spike.victims.length === 0 ? spike.victims.map(one => one.endpoint) : null;
}

/**
 * @param {string} name
 * @param {SpikeFigures[]} spikes of all repeats
 * @param {boolean} isVictim
 * @returns {SpikeStep['endpoints'][number]}
 */
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

/** On a saturated machine that others used in part, it is unknown what slowed whom. @param {Cell} cell */
function isCrowded({ figures }) {
  const { host, components = [], generator } = figures ?? {};
  if (!host || !isMachineFull(host)) return false;
  const own = sum(components.map(({ cores }) => cores)) + (generator?.cores ?? 0);
  return host.cores - own >= THRESHOLDS.backgroundCores;
}

/** Without responses in a spike, an endpoint cannot count as slower; with few requests, nothing is known of it. @param {Cell} cell */
function hasEnough({ figures }) {
  const { endpoint, endpoints = [] } = figures?.spike ?? {};
  const others = endpoints.filter(({ name }) => name !== endpoint);
  return (
    others.length > 0 &&
    others.every(({ before, during }) =>
      [before, during].every(({ latency }) => (latency?.count ?? 0) >= LEAST_REQUESTS),
    )
  );
}
