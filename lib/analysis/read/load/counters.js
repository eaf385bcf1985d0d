/** Sums over the records of a load test: counters and sketches. */
import { Sketch } from '../../../base/math/sketch.js';

/** @import { SketchJson } from '../../../base/math/sketch.js' */
/** @import { LatencySummary } from '../../../base/math/estimate.d.ts' */

/** Counters and sketches that scripts and their functions did not make. */
export const NAMES_OF_ENGINES = /^(?:vusers|http|socketio|websocket|sse|plugins|empty_variables)\./;

/** What a record counted, and its sketches. @typedef {{counters?: Record<string, number>, sketches?: Record<string, SketchJson>}} Figures */

/** Counters and sketches of many records. */
export class Sums {
  /** @type {Record<string, number>} */
  counters = {};
  /** @type {Record<string, Sketch>} */
  #sketches = {};

  /** @param {Iterable<Figures>} records */
  static of(records) {
    const sums = new Sums();
    for (const record of records) sums.add(record);
    return sums;
  }

  /** @param {Figures} figures */
  add({ counters = {}, sketches = {} }) {
    addAmounts(this.counters, counters);
    for (const [name, sketch] of Object.entries(sketches)) {
      this.#sketches[name] ??= new Sketch();
      this.#sketches[name].addJson(sketch);
    }
  }

  /** Of all sketches. */
  names() {
    return Object.keys(this.#sketches);
  }

  /** @param {string} name @returns {Sketch} an empty one where nothing was measured */
  sketch(name) {
    return this.#sketches[name] ?? new Sketch();
  }

  /** @param {string} name of a sketch in milliseconds */
  times(name) {
    return summarizeLatency(this.sketch(name));
  }
}

/**
 * @param {Sketch} sketch in milliseconds
 * @returns {LatencySummary | null} null where nothing was measured; every
 *   percentile is within 1 % of the true one, minimum, maximum and mean are exact
 */
export function summarizeLatency(sketch) {
  if (sketch.count === 0) return null;
  const at = (/** @type {number} */ q) => sketch.quantile(q) ?? 0;
  return {
    count: sketch.count,
    minMs: sketch.min,
    meanMs: sketch.sum / sketch.count,
    p50Ms: at(0.5),
    p75Ms: at(0.75),
    p90Ms: at(0.9),
    p95Ms: sketch.tailQuantile(0.95),
    p99Ms: sketch.tailQuantile(0.99),
    maxMs: sketch.max,
  };
}

/** @param {Record<string, number>} into @param {Record<string, number>} amounts by name */
export function addAmounts(into, amounts) {
  for (const [name, amount] of Object.entries(amounts)) into[name] = (into[name] ?? 0) + amount;
  return into;
}
