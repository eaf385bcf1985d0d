/**
 * Any number of request times in a few hundred counts: DDSketch (C. Masson, J. Rim, H. Lee, "DDSketch: a fast and
 * fully-mergeable quantile sketch with relative-error guarantees", VLDB 2019). Every quantile is within 1 % of the
 * true value, and sketches merge exactly. Artillery's sketches have the same bins. This also runs in the page.
 */

const RELATIVE_ACCURACY = 0.01;
const GAMMA = (1 + RELATIVE_ACCURACY) / (1 - RELATIVE_ACCURACY);
const KEYS_PER_E = 1 / Math.log(GAMMA);
/** Smaller values count as 0. */
const SMALLEST = 2 ** -1022;
/** The key of the largest representable number. */
const LARGEST_KEY = Math.ceil(Math.log(Number.MAX_VALUE) * KEYS_PER_E);
/** Bins to allocate at a time, on either side. */
const MARGIN = 16;

/**
 * The format in a run folder (`docs/run-folder.md`).
 * @typedef {object} SketchJson
 * @property {number} count
 * @property {number} sum
 * @property {number | null} min null if empty
 * @property {number | null} max null if empty
 * @property {number} zero how many values were zero
 * @property {[key: number, count: number][]} bins
 */

/**
 * A read-only sketch with its bins in two ascending lists.
 * @typedef {object} SketchBins
 * @property {number} count
 * @property {number} sum
 * @property {number} min
 * @property {number} max
 * @property {number} zero
 * @property {ArrayLike<number>} keys
 * @property {ArrayLike<number>} counts one per key
 */

export class Sketch {
  count = 0;
  sum = 0;
  /** Infinity if empty. */
  min = Infinity;
  /** −Infinity if empty. */
  max = -Infinity;
  /** Number of values that were 0 or less. */
  zero = 0;
  #counts = new Uint32Array(0);
  /** Key of the first element of `#counts`. */
  #first = 0;

  /** @param {number} value */
  accept(value) {
    if (value > SMALLEST) this.#add(Math.ceil(Math.log(value) * KEYS_PER_E), 1);
    else this.zero++;
    this.count++;
    this.sum += value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  /** Adds all values of another sketch, exactly. @param {Sketch} other */
  merge(other) {
    const { count, sum, min, max, zero } = other;
    this.#addTotals(count, sum, min, max, zero);
    for (const [key, own] of other.bins()) this.#add(key, own);
  }

  /** Adds all values of a serialised sketch, exactly. @param {SketchJson} json */
  addJson({ count, sum, min, max, zero, bins }) {
    if (count === 0) return;
    this.#addTotals(count, sum, min ?? Infinity, max ?? -Infinity, zero);
    // mostly ascending: allocate space for all of them at once
    const last = bins.at(-1);
    if (last) this.#add(last[0], 0);
    for (const [key, own] of bins) this.#add(key, own);
  }

  /** Adds all values of a read-only sketch, exactly. @param {SketchBins} bins */
  addBins({ count, sum, min, max, zero, keys, counts }) {
    this.#addTotals(count, sum, min, max, zero);
    for (let bin = 0; bin < keys.length; bin++) this.#add(keys[bin] ?? 0, counts[bin] ?? 0);
  }

  /**
   * The percentile used throughout loadflame; never outside the measured range, although the middle of a bin can be.
   * @param {number} q 0…1
   * @returns {number | null} null if empty
   */
  quantile(q) {
    if (this.count === 0) return null;
    const rank = q * (this.count - 1) - this.zero;
    let value = 0;
    let below = 0;
    for (const [key, own] of rank < 0 ? [] : this.bins()) {
      value = valueOfBin(key);
      below += own;
      if (below > rank) break;
    }
    return Math.min(this.max, Math.max(this.min, value));
  }

  /** The same, or null where so few values have none. @param {number} q 0…1 */
  tailQuantile(q) {
    return hasQuantile(this.count, q) ? this.quantile(q) : null;
  }

  /** Number of values above the given one, ± one bin. @param {number} value */
  countAbove(value) {
    let count = 0;
    for (const [key, own] of this.bins()) if (valueOfBin(key) > value) count += own;
    return count;
  }

  /** Non-empty bins, ascending. @returns {Generator<[key: number, count: number]>} */
  *bins() {
    for (const [at, own] of this.#counts.entries()) if (own > 0) yield [this.#first + at, own];
  }

  /** @returns {SketchJson} */
  toJson() {
    const { count, sum, min, max, zero } = this;
    const bins = [...this.bins()];
    if (count === 0) return { count, sum, min: null, max: null, zero, bins };
    return { count, sum, min, max, zero, bins };
  }

  /**
   * @param {number} count
   * @param {number} sum
   * @param {number} min
   * @param {number} max
   * @param {number} zero
   */
  #addTotals(count, sum, min, max, zero) {
    this.count += count;
    this.sum += sum;
    this.min = Math.min(this.min, min);
    this.max = Math.max(this.max, max);
    this.zero += zero;
  }

  /** @param {number} key @param {number} count */
  #add(key, count) {
    if (!(key - this.#first >= 0 && key - this.#first < this.#counts.length)) this.#makeRoom(key);
    const at = key - this.#first;
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
  }

  /** @param {number} key */
  #makeRoom(key) {
    if (!(Math.abs(key) <= LARGEST_KEY)) throw new RangeError(`no number has the key ${key}`);
    const { length } = this.#counts;
    const first = length === 0 ? key - MARGIN : Math.min(this.#first, key - MARGIN);
    const last = length === 0 ? key + MARGIN : Math.max(this.#first + length, key + MARGIN);
    const counts = new Uint32Array(last - first);
    counts.set(this.#counts, length === 0 ? 0 : this.#first - first);
    this.#counts = counts;
    this.#first = first;
  }
}

/**
 * The sketch of all values together.
 * @param {Iterable<Sketch | SketchJson>} sketches
 */
export function mergeSketches(sketches) {
  const merged = new Sketch();
  for (const one of sketches) {
    if (one instanceof Sketch) merged.merge(one);
    else merged.addJson(one);
  }
  return merged;
}

/**
 * Whether at least one value lies beyond a quantile: 20 values have a p95, 100 a p99. The quantile of fewer is a
 * neighbour of the most, and may even be below their mean.
 * @param {number} count of values @param {number} q 0…1
 */
export function hasQuantile(count, q) {
  return Math.round(count * (1 - q) * 1e6) >= 1e6;
}

/** The representative value of a bin: all values of the bin are within 1 % of it. @param {number} key */
export function valueOfBin(key) {
  return (GAMMA ** key * 2) / (1 + GAMMA);
}
