/** How much of the CPU is that of first requests, which import modules, compile patterns and fill caches. */
import { sum } from '../../../base/math/summary.js';
import { FEW_EACH } from '../../profile/analyse-profile.js';
import { qualityItem } from '../statements.js';

/** @import { Timeline } from '../../../run/facts/timeline.d.ts' */
/** @import { QualityItem } from '../../../run/facts/quality.d.ts' */

/** Share of the CPU from which the cost of a request is not that of a usual one. */
const MUCH_FIRST = 0.1;
/** With fewer responses after the first ones, what a usual request costs is not known. */
const LEAST_LATER = 5;

/**
 * The CPU of the first window with responses of an endpoint, less what later requests cost, as the companion measured it.
 * Another worker may have its first ones later, so it is at least that.
 * @param {Timeline | null | undefined} timeline
 * @returns {QualityItem[]}
 */
export function judgeFirstRequests(timeline) {
  const { load = null, workers = [] } = timeline ?? {};
  if (!load) return [];
  const parts = load.endpoints.flatMap(({ measured }) => (measured ? splitFirst(measured) : []));
  const sumOf = (/** @type {keyof parts[0]} */ what) => sum(parts.map(own => own[what]));
  const [count, allMs] = [sum(load.answered ?? load.requests), sumOf('allMs')];
  const share = sumOf('later') >= count / 2 && allMs > 0 ? sumOf('excessMs') / allMs : null;
  const isFew = count > 0 && count < FEW_EACH * load.endpoints.length * workers.length;
  if (share === null ? !isFew : share < MUCH_FIRST) return [];
  return [qualityItem('first-requests', 'warn', { count, share, perRequestMs: allMs / count })];
}

/** @param {{answers: number[], cpuMs: number[]}} measured `later`: responses after the first ones, if they show a usual cost */
function splitFirst({ answers, cpuMs }) {
  const end = answers.findIndex(count => count > 0) + 1;
  const [later, laterMs, allMs] = [sum(answers.slice(end)), sum(cpuMs.slice(end)), sum(cpuMs)];
  if (later < LEAST_LATER) return { allMs, later: 0, excessMs: 0 };
  return { allMs, later, excessMs: Math.max(0, allMs - (laterMs / later) * sum(answers)) };
}
