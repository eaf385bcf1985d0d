/**
 * Mergeable latency sketches: DDSketch (Masson, Rim, Lee, VLDB 2019) with relative accuracy 0.01,
 * the one that Artillery uses, and its JSON form in a run folder (`docs/run-folder.md`).
 */
import { DDSketch } from '@datadog/sketches-js';

/** Every quantile is within 1 % of the true one. */
const RELATIVE_ACCURACY = 0.01;

/**
 * @typedef {object} SketchJson
 * @property {number} count
 * @property {number} sum
 * @property {number | null} min null when empty
 * @property {number | null} max null when empty
 * @property {number} zero how many values were zero
 * @property {[key: number, count: number][]} bins
 */

/** An empty sketch; `accept(value)` adds to it. */
export function createSketch() {
  return new DDSketch({ relativeAccuracy: RELATIVE_ACCURACY });
}

/**
 * @param {DDSketch} sketch one of ours, or Artillery's (the same structure from its own package)
 * @returns {SketchJson}
 */
export function sketchToJson(sketch) {
  const { store } = sketch;
  /** @type {[number, number][]} */
  const bins = [];
  store.bins.forEach((count, index) => {
    if (count > 0) bins.push([index + store.offset, count]);
  });
  const empty = sketch.count === 0;
  return {
    count: sketch.count,
    sum: sketch.sum,
    min: empty ? null : sketch.min,
    max: empty ? null : sketch.max,
    zero: sketch.zeroCount,
    bins,
  };
}

/**
 * Adds all values of one sketch to another, exactly.
 * @param {DDSketch} into
 * @param {DDSketch} from
 */
export function mergeIntoSketch(into, from) {
  from.store.bins.forEach((count, index) => {
    if (count > 0) into.store.add(index + from.store.offset, count);
  });
  into.zeroCount += from.zeroCount;
  into.count += from.count;
  into.sum += from.sum;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
}

/**
 * Adds all values of a written sketch to one that grows, exactly.
 * @param {DDSketch} into
 * @param {SketchJson} json
 */
export function addToSketch(into, json) {
  if (json.count === 0) return;
  for (const [key, count] of json.bins) into.store.add(key, count);
  into.zeroCount += json.zero;
  into.count += json.count;
  into.sum += json.sum;
  into.min = Math.min(into.min, json.min ?? Infinity);
  into.max = Math.max(into.max, json.max ?? -Infinity);
}

/**
 * Merges sketches exactly: the result is the sketch of all their values together.
 * @param {Iterable<SketchJson>} sketches
 * @returns {DDSketch}
 */
export function mergeSketches(sketches) {
  const merged = createSketch();
  for (const json of sketches) addToSketch(merged, json);
  return merged;
}
