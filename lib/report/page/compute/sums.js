/** Sums over ranges of windows; null if no window of the range has a value. */

/** Known values of a range. @param {ArrayLike<number | null> | null | undefined} values @param {{from: number, to: number}} windows */
function listKnown(values, { from, to }) {
  return Array.from(values ?? [])
    .slice(from, to)
    .filter(value => value !== null);
}

/**
 * @param {ArrayLike<number | null> | null | undefined} values
 * @param {{from: number, to: number}} windows
 * @returns {number | null} null if none of these windows has a value
 */
export function sumWindows(values, windows) {
  const known = listKnown(values, windows);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) : null;
}

/**
 * The mean over time, weighted by the length of the windows.
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
export function maxWindows(values, windows) {
  const known = listKnown(values, windows);
  return known.length > 0 ? Math.max(...known) : null;
}

/** Adds lists up, window by window. @param {ArrayLike<number | null>[]} lists @param {number} length @returns {(number | null)[]} */
export function addWindows(lists, length) {
  return Array.from({ length }, (_, window) => {
    const values = lists.map(list => list[window] ?? null);
    return sumWindows(values, { from: 0, to: lists.length });
  });
}

/** Indexes of the selected entries of a list. @template T @param {T[]} all @param {T[]} picked @returns {number[]} */
export function findPicked(all, picked) {
  return all.flatMap((entry, index) => (picked.includes(entry) ? [index] : []));
}

/** Lengths of windows, s. @param {number[]} edgesMs */
export function secondsOf(edgesMs) {
  return edgesMs.slice(1).map((edge, window) => (edge - (edgesMs[window] ?? 0)) / 1000);
}
