/** Sums over stretches of windows; what is not known in any window is not known. */

/**
 * @param {ArrayLike<number | null> | null | undefined} values
 * @param {{from: number, to: number}} windows
 * @returns {number | null} null where no window of them has a value
 */
export function sumWindows(values, { from, to }) {
  if (!values) return null;
  let sum = 0;
  let known = false;
  for (let window = from; window < to; window++) {
    const value = values[window] ?? null;
    if (value === null) continue;
    sum += value;
    known = true;
  }
  return known ? sum : null;
}

/**
 * The mean over time, windows weighed by their length.
 * @param {ArrayLike<number | null>} values
 * @param {number[]} edgesMs
 * @param {{from: number, to: number}} windows
 */
export function meanWindows(values, edgesMs, { from, to }) {
  let sum = 0;
  let lengthMs = 0;
  for (let window = from; window < to; window++) {
    const value = values[window] ?? null;
    if (value === null) continue;
    const own = (edgesMs[window + 1] ?? 0) - (edgesMs[window] ?? 0);
    sum += value * own;
    lengthMs += own;
  }
  return lengthMs > 0 ? sum / lengthMs : null;
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
  return Array.from({ length }, (_, window) => {
    /** @type {number | null} */
    let sum = null;
    for (const list of lists) {
      const value = list[window] ?? null;
      if (value !== null) sum = (sum ?? 0) + value;
    }
    return sum;
  });
}
