/** The timeline of a load that Artillery sent: its own periods of ten seconds. */
import { least, most } from '../../../math/summary.js';
import { countErrors } from '../seconds.js';

const PERIOD_MS = 10_000;
/** A week, and windows are numbered in 16 bits: what claims to be longer has a broken clock. */
const MAX_PERIODS = 60_480;

/**
 * Percentiles of periods can't be merged, so each period is a window, however many they are.
 * @param {Record<string, any>} json that `artillery run --output` wrote
 * @returns {import('../../../facts/timeline.d.ts').Timeline | null} null without periods
 */
export function buildPeriodTimeline({ intermediate = [] }) {
  const timeOf = (/** @type {Record<string, any>} */ { period }) => Number(period);
  // A multiple of their length, but for a load whose times became those of another clock.
  const startMs = least(intermediate.map(timeOf).filter(Number.isFinite));
  /** @type {Map<number, Record<string, any>>} */
  const periods = new Map(
    intermediate.map((/** @type {Record<string, any>} */ period) => [
      Math.round((timeOf(period) - startMs) / PERIOD_MS),
      period,
    ]),
  );
  const last = most([...periods.keys()].filter(Number.isFinite));
  if (!(last >= 0 && last <= MAX_PERIODS)) return null;
  const own = Array.from({ length: last + 1 }, (_, index) => periods.get(index));
  const hasTotal = own.some(period => period?.summaries?.['http.total']?.count > 0);
  const name = hasTotal ? 'http.total' : 'http.response_time';
  const quantiles = (/** @type {string} */ key) =>
    own.map(period => {
      const summary = period?.summaries?.[name];
      return summary?.count > 0 ? Number(summary[key]) : null;
    });
  return {
    edgesMs: Array.from({ length: own.length + 1 }, (_, index) => startMs + index * PERIOD_MS),
    basis: 'periods',
    load: {
      requests: own.map(period => Number(period?.counters?.['http.requests'] ?? 0)),
      errors: own.map(period => countErrors(period?.counters ?? {})),
      answered: null,
      usersActive: own.map(() => null),
      latencyOf: hasTotal ? 'total' : 'time-to-first-byte',
      p50Ms: quantiles('p50'),
      p95Ms: quantiles('p95'),
      p99Ms: quantiles('p99'),
      endpoints: [],
      latency: null,
    },
    workers: [],
    hostCores: null,
    recordedCores: [],
    generator: null,
  };
}
