/** The rows of a profile while they come in: typed columns that double when they are full. */

/** @typedef {import('./profile.d.ts').Profile['rows']} Rows */

const FIRST_CAPACITY = 1024;

/** Holds millions of rows in 24 bytes each, in 36 where the companion was. */
export class RowTable {
  #node = new Int32Array(FIRST_CAPACITY);
  #process = new Int32Array(FIRST_CAPACITY);
  #thread = new Int32Array(FIRST_CAPACITY);
  #segment = new Int32Array(FIRST_CAPACITY);
  #weight = new Float64Array(FIRST_CAPACITY);
  /** @type {Int32Array | null} null as long as no row has one */
  #route = null;
  /** @type {Float64Array | null} */
  #halfSecond = null;
  #count = 0;

  /**
   * @param {number} node @param {number} weight @param {number} process @param {number} thread
   * @param {number} segment @param {number} route @param {number} halfSecond
   */
  add(node, weight, process, thread, segment, route, halfSecond) {
    if (this.#count === this.#node.length) this.#grow();
    const row = this.#count++;
    this.#node[row] = node;
    this.#weight[row] = weight;
    this.#process[row] = process;
    this.#thread[row] = thread;
    this.#segment[row] = segment;
    if (route !== -1) this.#route ??= new Int32Array(this.#node.length).fill(-1, 0, row);
    if (this.#route) this.#route[row] = route;
    if (halfSecond !== -1)
      this.#halfSecond ??= new Float64Array(this.#node.length).fill(-1, 0, row);
    if (this.#halfSecond) this.#halfSecond[row] = halfSecond;
  }

  /** @returns {Rows} */
  build() {
    const count = this.#count;
    return {
      node: this.#node.subarray(0, count),
      process: this.#process.subarray(0, count),
      thread: this.#thread.subarray(0, count),
      segment: this.#segment.subarray(0, count),
      weight: this.#weight.subarray(0, count),
      route: this.#route?.subarray(0, count) ?? new Int32Array(),
      halfSecond: this.#halfSecond?.subarray(0, count) ?? new Float64Array(),
    };
  }

  #grow() {
    this.#node = enlarge(this.#node);
    this.#process = enlarge(this.#process);
    this.#thread = enlarge(this.#thread);
    this.#segment = enlarge(this.#segment);
    this.#weight = enlarge(this.#weight);
    this.#route &&= enlarge(this.#route);
    this.#halfSecond &&= enlarge(this.#halfSecond);
  }
}

/**
 * Twice the size; the system gives memory only to what has been written to.
 * @template {Int32Array | Float64Array} T
 * @param {T} column
 * @returns {T}
 */
function enlarge(column) {
  const larger = /** @type {T} */ (
    column instanceof Int32Array
      ? new Int32Array(column.length * 2)
      : new Float64Array(column.length * 2)
  );
  larger.set(column);
  return larger;
}
