/** What was asked of each endpoint, and how it answered. */
import { mergeSketches } from '../run/sketch.js';
import { countersBelow } from './counters.js';
import { summarizeLatency } from './latency.js';

/**
 * @param {Record<string, any>[]} records
 * @returns {import('./report.d.ts').LoadReport['endpoints']} the most frequent first
 */
export function buildEndpoints(records) {
  const parts = records.flatMap(record =>
    record.kind === 'second' ? Object.entries(record.endpoints ?? {}) : [],
  );
  return [...Map.groupBy(parts, ([name]) => name)]
    .map(([name, entries]) => {
      const values = entries.map(([, value]) => /** @type {Record<string, any>} */ (value));
      const sum = (/** @type {string} */ key) =>
        values.reduce((n, value) => n + (value[key] ?? 0), 0);
      const statuses = values.flatMap(value => Object.entries(value.statuses ?? {}));
      /** @type {Record<string, number>} */
      const codes = {};
      for (const [code, { count }] of statuses) codes[code] = (codes[code] ?? 0) + Number(count);
      const latency = (/** @type {string} */ of) =>
        summarizeLatency(mergeSketches(statuses.flatMap(([, answers]) => answers[of] ?? [])));
      return {
        name,
        requests: sum('requests'),
        errors: sum('errors'),
        codes: countersBelow(codes, '').map(({ name: code, count }) => ({ code, count })),
        timeToFirstByte: latency('timeToFirstByte'),
        totalTime: latency('total'),
      };
    })
    .sort((a, b) => b.requests - a.requests || a.name.localeCompare(b.name));
}
