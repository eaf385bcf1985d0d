/** A study of spikes that nobody ran. */
import { judgeStudy } from '../../../lib/experiment/study/analysis/judge-study.js';
import { makeStudy } from './index.js';

const STEPS = [8, 16, 32, 48];
export const [MAIL, SLOTS, NEAR] = ['e-mail', 'slots', 'near'];

/** @typedef {{endpoint: string, first: {endpoint: string}[], isHidden?: boolean}} Told `isHidden`: the run saw victims, and did not tell them */

const times = (/** @type {number} */ p95Ms, requests = 200) => ({
  requests,
  errors: 0,
  latency: {
    count: requests,
    minMs: 1,
    meanMs: 5,
    p50Ms: 5,
    p75Ms: 6,
    p90Ms: 7,
    p95Ms,
    p99Ms: 9,
    maxMs: 9,
  },
});

/**
 * The finding where the runs' own reports name these as victims.
 * @param {(variant: string, step: number, repeat: number) => Told | null} victimsOf
 * @param {(folder: string) => boolean} [isReadable] a run's report
 * @param {{otherCores?: number, count?: number, base?: number}} [truth] cores that programs use which are no part of the study;
 *   answers of an endpoint in the spike
 */
export function judgeSpikes(
  victimsOf,
  isReadable = () => true,
  { otherCores = 0.03, count = 200, base = 60 } = {},
) {
  const { plan, journal } = makeStudy({
    factors: { mail: ['inline', 'queued'] },
    model: 'spike',
    steps: STEPS,
    truth: () => ({ throughput: step => base + step, otherCores }),
    noise: 0.001,
  });
  Object.assign(plan.study.load, { of: MAIL, base });
  const told = new Map();
  for (const record of journal) {
    if (record.kind !== 'cell-end' || record.outcome !== 'measured' || !record.folder) continue;
    const facts = victimsOf(record.variant, record.step, record.repeat);
    const isSlower = facts?.endpoint === MAIL;
    /** @type {Told} */
    const { endpoint, first: victims, isHidden } = facts ?? { endpoint: MAIL, first: [] };
    const first = victims.slice(0, 5);
    told.set(record.folder, {
      findings:
        victims.length > 0 && !isHidden ? [{ id: 'spike', facts: { endpoint, first } }] : [],
      timeline: { load: { spike: endpoint ? { endpoint, victims } : null } },
    });
    record.figures.spike = {
      endpoint: MAIL,
      endpoints: [
        { name: SLOTS, before: times(20), during: times(isSlower ? 2300 : 21), after: times(25) },
        { name: NEAR, before: times(10), during: times(12, count), after: times(10) },
        { name: MAIL, before: times(260, 30), during: times(900), after: times(260, 30) },
      ],
    };
  }
  const readReport = (/** @type {string} */ run) => (isReadable(run) ? told.get(run) : null);
  return judgeStudy(plan, journal, { readReport, nowMs: 0 });
}

/** What a run tells where the spike slowed `slots`. */
export const SLOTS_FELT = { endpoint: MAIL, first: [{ endpoint: SLOTS }] };
