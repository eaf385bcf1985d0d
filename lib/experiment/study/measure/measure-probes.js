/** What probes reported over a window, and how fast their counters rose. */

import { ofKind } from '../../../run/ndjson.js';

/** @import { TimeRange } from '../../../base/math/estimate.d.ts' */

/** @typedef {import('../../../analysis/read/cpu.js').Point} ProbePoint */

/**
 * @param {import('../../../run/facts/records.d.ts').RecordOf<'probes'>[]} records
 * @returns {Record<string, Record<string, ProbePoint[]>>} probe → field → its values, oldest first
 */
export function readProbeSeries(records) {
  /** @type {Record<string, Record<string, ProbePoint[]>>} */
  const series = Object.create(null);
  for (const { t, name, values } of ofKind(records, 'probe').sort((a, b) => a.t - b.t)) {
    series[name] ??= Object.create(null);
    const fields = /** @type {Record<string, ProbePoint[]>} */ (series[name]);
    for (const [field, value] of Object.entries(values)) {
      fields[field] ??= [];
      fields[field].push({ t, value });
    }
  }
  return series;
}

/** @param {{t: number}} reading @param {TimeRange} window */
export const isInside = ({ t }, { startMs, endMs }) => t >= startMs && t <= endMs;

/**
 * How fast a counter rose between its first and last reading in the window. Missing polls in between change nothing.
 * A counter that fell restarted at 0.
 * @param {ProbePoint[]} points
 * @param {TimeRange} window
 * @returns {number | null} per second; null with fewer than two readings
 */
export function measureRise(points, window) {
  const inside = addUp(points.filter(point => isInside(point, window)));
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last || last.t <= first.t) return null;
  return ((last.value - first.value) * 1000) / (last.t - first.t);
}

/** @param {ProbePoint[]} points @returns {ProbePoint[]} that never fall */
export function addUp(points) {
  let sum = 0;
  let before = points[0]?.value ?? 0;
  return points.map(({ t, value }) => {
    sum += value >= before ? value - before : value;
    before = value;
    return { t, value: sum };
  });
}
