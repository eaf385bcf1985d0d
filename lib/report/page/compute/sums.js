/** Sums over stretches of windows; what is not known in any window is not known. */

/** @import { Estimate } from '../../../analysis/report.d.ts' */

/**
 * @param {ArrayLike<number | null> | null | undefined} values
 * @param {{from: number, to: number}} windows
 * @returns {number | null} null where no window of them has a value
 */
export function sumWindows(values, { from, to }) {
  let sum = null;
  for (let window = from; window < to; window++) {
    const value = values?.[window] ?? null;
    if (value !== null) sum = (sum ?? 0) + value;
  }
  return sum;
}

/**
 * The mean over time, windows weighed by their length.
 * @param {ArrayLike<number | null>} values
 * @param {number[]} lengths of all windows
 * @param {{from: number, to: number}} windows
 */
export function meanWindows(values, lengths, windows) {
  const known = lengths.map((length, window) =>
    (values[window] ?? null) === null ? null : length,
  );
  const weighed = lengths.map((length, window) => (values[window] ?? 0) * length);
  const length = sumWindows(known, windows);
  return length ? (sumWindows(weighed, windows) ?? 0) / length : null;
}

/** @param {ArrayLike<number | null>} values @param {{from: number, to: number}} windows */
export function maxWindows(values, { from, to }) {
  /** @type {number | null} */
  let most = null;
  for (let window = from; window < to; window++) {
    const value = values[window] ?? null;
    if (value !== null && (most === null || value > most)) most = value;
  }
  return most;
}

/** Adds lists up, window by window. @param {ArrayLike<number | null>[]} lists @param {number} length @returns {(number | null)[]} */
export function addWindows(lists, length) {
  return Array.from({ length }, (_, window) =>
    sumWindows(
      lists.map(list => list[window] ?? null),
      { from: 0, to: lists.length },
    ),
  );
}

/** Lengths of windows, s. @param {number[]} edgesMs */
export function secondsOf(edgesMs) {
  return edgesMs.slice(1).map((edge, window) => (edge - (edgesMs[window] ?? 0)) / 1000);
}

/** @param {Estimate} estimate @param {number} factor that is known exactly @returns {Estimate} */
export function scaleEstimate({ value, low, high }, factor) {
  return {
    value: value * factor,
    low: low === null ? null : low * factor,
    high: high === null ? null : high * factor,
  };
}
