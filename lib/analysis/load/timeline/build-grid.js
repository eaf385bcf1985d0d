/** The one grid of windows that everything over time is shown and selected in. */

/** @typedef {Pick<import('../../../facts/timeline.d.ts').Timeline, 'edgesMs' | 'basis'>} Grid */
/** @typedef {import('../../../facts/estimate.d.ts').TimeRange} TimeRange */
/** @typedef {import('../../../profile/profile.d.ts').SegmentInfo} SegmentInfo */

/** More windows than this are neither seen in a picture nor quick to select. */
export const MAX_WINDOWS = 240;
const SECOND_MS = 1000;
/** A hole in the recording of more than so many segments gets windows of its own. */
const HOLE = 2;
const ROUND_SECONDS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600];

/**
 * Whole seconds, grouped to round lengths. A range that is not of whole seconds is covered.
 * @param {TimeRange} range
 * @returns {number[]} edges
 */
export function buildSecondsGrid({ startMs, endMs }) {
  const from = Math.floor(startMs / SECOND_MS);
  const to = Math.max(from + 1, Math.ceil(endMs / SECOND_MS));
  const day = ROUND_SECONDS.at(-1) ?? 1;
  const length =
    ROUND_SECONDS.find(
      seconds => Math.ceil(to / seconds) - Math.floor(from / seconds) <= MAX_WINDOWS,
    ) ?? day * Math.ceil((to - from) / day / (MAX_WINDOWS - 1));
  /** @type {number[]} */
  const edges = [from * SECOND_MS];
  for (let edge = (Math.floor(from / length) + 1) * length; edge < to; edge += length)
    edges.push(edge * SECOND_MS);
  edges.push(to * SECOND_MS);
  return edges;
}

/**
 * Edges are the middles of hand-overs between segments of the profiler: a sample tells no more about
 * its time than the segment that it is of.
 * @param {readonly SegmentInfo[]} segments that count, in any order
 * @param {TimeRange | null} range that must be covered, too
 * @returns {number[]} edges; none where no segment tells times
 */
export function buildSegmentGrid(segments, range) {
  const spans = segments
    .flatMap(({ startMs, endMs }) =>
      startMs === null || endMs === null ? [] : [{ startMs, endMs }],
    )
    .sort((a, b) => a.startMs - b.startMs);
  const [first] = spans;
  if (!first) return [];
  const lengths = spans.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b);
  const usual = Math.max(1, lengths[lengths.length >> 1] ?? 1);
  const startMs = Math.min(first.startMs, range?.startMs ?? first.startMs);
  const endMs = Math.max(...spans.map(span => span.endMs), range?.endMs ?? 0);
  /** @type {number[]} */
  const edges = [startMs];
  const cut = (/** @type {number} */ fromMs, /** @type {number} */ toMs) => {
    const pieces = Math.floor((toMs - fromMs) / usual);
    for (let piece = 0; piece <= pieces; piece++)
      edges.push(fromMs + ((toMs - fromMs) * piece) / Math.max(1, pieces));
  };
  if (first.startMs - startMs > usual) cut(startMs, first.startMs);
  let reachedMs = first.endMs;
  for (const span of spans.slice(1)) {
    if (span.startMs - reachedMs > HOLE * usual) cut(reachedMs, span.startMs);
    else edges.push((reachedMs + span.startMs) / 2);
    reachedMs = Math.max(reachedMs, span.endMs);
  }
  if (endMs - reachedMs > usual) cut(reachedMs, endMs);
  edges.push(endMs);
  return groupEdges(
    edges.map(Math.round).filter((edge, index, all) => edge > (all[index - 1] ?? -1)),
  );
}

/** Neighbouring windows become one until there are few enough. @param {number[]} edges */
function groupEdges(edges) {
  const per = Math.ceil((edges.length - 1) / MAX_WINDOWS);
  if (per <= 1) return edges;
  return edges.filter((_, index) => index % per === 0 || index === edges.length - 1);
}

/**
 * @param {ArrayLike<number>} edges ascending
 * @param {number} momentMs
 * @returns {number} index of the window that holds it; -1 outside
 */
export function findWindow(edges, momentMs) {
  let low = 0;
  let high = edges.length - 1;
  if (!(momentMs >= (edges[0] ?? Infinity)) || momentMs > (edges[high] ?? -Infinity)) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= momentMs) low = middle;
    else high = middle;
  }
  return low;
}
