/** The one grid of windows in which everything over time is shown and selected. */

/** @typedef {Pick<import('../../../run/facts/timeline.d.ts').Timeline, 'edgesMs' | 'basis'>} Grid */
/** @typedef {import('../../../base/math/estimate.d.ts').TimeRange} TimeRange */

/** More windows can't be distinguished in a picture, and are slow to select. */
const MAX_WINDOWS = 240;
export const SECOND_MS = 1000;
const ROUND_SECONDS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600];

/**
 * Whole seconds, grouped to round lengths. A range with partial seconds is covered completely.
 * @param {TimeRange} range
 * @param {number[] | null} [like] edges of a shorter range with the same start, whose window lengths are kept
 * @returns {number[]} edges
 */
export function buildSecondsGrid({ startMs, endMs }, like = null) {
  const from = Math.floor(startMs / SECOND_MS);
  const to = Math.max(from + 1, Math.ceil(endMs / SECOND_MS));
  const day = ROUND_SECONDS.at(-1) ?? 1;
  // the first one and the last may be shorter
  const [, first = 0, second = 0, ...more] = like ?? [];
  const known = more.length > 0 ? (second - first) / SECOND_MS : null;
  const fitting = ROUND_SECONDS.find(
    seconds => Math.ceil(to / seconds) - Math.floor(from / seconds) <= MAX_WINDOWS,
  );
  const length = known ?? fitting ?? day * Math.ceil((to - from) / day / (MAX_WINDOWS - 1));
  /** @type {number[]} */
  const edges = [from * SECOND_MS];
  for (let edge = (Math.floor(from / length) + 1) * length; edge < to; edge += length)
    edges.push(edge * SECOND_MS);
  edges.push(to * SECOND_MS);
  return edges;
}

/** @param {number[]} edgesMs @returns {TimeRange[]} the windows between the edges */
export const windowsOf = edgesMs =>
  edgesMs.slice(1).map((endMs, at) => ({ startMs: edgesMs[at] ?? endMs, endMs }));

/** Does a grid extend another one, whose last window may be cut off? @param {number[]} edges @param {number[]} before */
export function isContinued(edges, before) {
  return before.length <= edges.length && before.slice(0, -1).every((at, n) => at === edges[n]);
}

/**
 * @param {ArrayLike<number>} edges ascending
 * @param {number} ms
 * @returns {number} index of the window that holds it; -1 outside
 */
export function findWindow(edges, ms) {
  const isInside = ms >= (edges[0] ?? Infinity) && ms <= (edges[edges.length - 1] ?? -Infinity);
  return isInside ? findNearestWindow(edges, ms) : -1;
}

/** The window that holds the moment, or the first or the last one. @param {ArrayLike<number>} edges @param {number} momentMs */
export function findNearestWindow(edges, momentMs) {
  let [low, high] = [0, edges.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= momentMs) low = middle;
    else high = middle;
  }
  return low;
}
