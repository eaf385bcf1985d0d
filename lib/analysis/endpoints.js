/** What was asked of each endpoint, and how it answered. */
import { addToSketch, createSketch } from '../run/sketch.js';
import { countersBelow } from './counters.js';
import { summarizeLatency } from './latency.js';

/**
 * @typedef {object} Sum
 * @property {number} requests
 * @property {number} errors
 * @property {Record<string, number>} codes
 * @property {ReturnType<typeof createSketch>} timeToFirstByte
 * @property {ReturnType<typeof createSketch>} total
 */

/**
 * @param {Record<string, any>[]} records
 * @returns {import('./report.d.ts').LoadReport['endpoints']} the most frequent first
 */
export function buildEndpoints(records) {
  /** @type {Map<string, Sum>} */
  const sums = new Map();
  for (const { kind, endpoints } of records) {
    if (kind !== 'second') continue;
    for (const [name, own] of Object.entries(endpoints ?? {})) {
      let sum = sums.get(name);
      if (!sum) {
        sum = {
          requests: 0,
          errors: 0,
          codes: {},
          timeToFirstByte: createSketch(),
          total: createSketch(),
        };
        sums.set(name, sum);
      }
      addEndpoint(sum, own);
    }
  }
  return [...sums]
    .map(([name, { requests, errors, codes, timeToFirstByte, total }]) => ({
      name,
      requests,
      errors,
      codes: countersBelow(codes, '').map(({ name: code, count }) => ({ code, count })),
      timeToFirstByte: summarizeLatency(timeToFirstByte),
      totalTime: summarizeLatency(total),
    }))
    .sort((a, b) => b.requests - a.requests || a.name.localeCompare(b.name));
}

/** @param {Sum} sum @param {Record<string, any>} own an endpoint's part of a `second` record */
function addEndpoint(sum, { requests, errors, statuses }) {
  sum.requests += requests ?? 0;
  sum.errors += errors ?? 0;
  for (const [code, answers] of Object.entries(statuses ?? {})) {
    sum.codes[code] = (sum.codes[code] ?? 0) + Number(answers.count);
    if (answers.timeToFirstByte) addToSketch(sum.timeToFirstByte, answers.timeToFirstByte);
    if (answers.total) addToSketch(sum.total, answers.total);
  }
}
