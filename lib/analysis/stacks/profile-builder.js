/** Builds a Profile: readers know their file format, the builder knows the form of a Profile. */
import { entryOf, mapValues } from '../../base/files/maps.js';
import { plainLine } from '../../base/files/plain-text.js';
import { formatFrame, parseFrame, parseProcess, parseThread } from './frame-text.js';
import { AWAIT_FILE, checkHalfSecond, readMarker } from './markers.js';
import { FIRST_CAPACITY, NodeTable } from './node-table.js';

/** @import { Marker } from './markers.js' */
/** @import { Frame, ProcessInfo, Profile, SegmentInfo, ThreadInfo } from './profile.d.ts' */

/**
 * Process and thread of a stack, as indexes, and the number of frames that name them.
 * @typedef {{process: number, thread: number, length: number}} StackStart
 */
/**
 * @typedef {object} InternedStack
 * @property {number} node
 * @property {number} route
 * @property {number} awaits suspended requests that it represents; 0 for a running thread
 */

const MOST_EXAMPLE_CHARS = 80;

/** A template is compiled to code with other lines. */
const TEMPLATE = /\.(?:html?|xml|txt|jinja2?|j2|tpl|css|js|json|md|rst|csv|sql|ya?ml)$/i;
/**
 * The companion's frames around the calls of a driver become the call, which has no frame where it is C code. Frames
 * below take its place.
 */
const COMPANION = /(?:^|[/\\])loadflame_(?:companion|gunicorn)\.py$/;
const FOLLOWED =
  /^(?:.*\.)?(?:(followed_query)|(followed_request)|(connect|cursor|fetch|execute(?:many|script)?))$/s;
/** Of these calls it measures the CPU time; that of others, such as fetching rows, is the app's. */
const TIMED = /^(?:execute(?:many|script)?|perform)$/;
export const OWN_FILE = '<loadflame>';
/** What the companion does itself around a call. */
const OWN_WORK = Object.freeze({ name: 'companion', file: OWN_FILE, line: null });

export class ProfileBuilder {
  /** @type {Frame[]} */
  #frames = [];
  /** @type {Map<string, number>} */
  #frameIds = new Map();
  /** Frames of the companion that are no place. @type {Map<number, 'call' | 'work' | 'companion' | 'state'>} */
  #roles = new Map();
  #nodes = new NodeTable();
  /** @type {Map<string, Marker>} */
  #markers = new Map();
  #rows = new RowTable();
  /** @type {ProcessInfo[]} */
  #processes = [];
  /** @type {Map<number, number>} */
  #processIds = new Map();
  /** @type {ThreadInfo[]} */
  #threads = [];
  /** @type {Map<string, number>} */
  #threadIds = new Map();
  /** @type {SegmentInfo[]} */
  #segments = [];
  /** @type {Map<string, number>} */
  #routeIds = new Map();
  #skipped = 0;
  #firstSkipped = '';
  #isAll;

  /** @param {'running' | 'all'} [threads] `all`: with waiting threads and suspended requests */
  constructor(threads = 'running') {
    this.#isAll = threads === 'all';
  }

  /** @param {Frame} frame @returns {number} its id */
  internFrame(frame) {
    const text = formatFrame(frame);
    return this.#frameIds.get(text) ?? this.#addFrame(text, frame);
  }

  /** @param {string} text @param {Frame} frame */
  #addFrame(text, { name, file, line, isTimed }) {
    const isCompanion = COMPANION.test(file);
    const [call, isQuery, isRequest, method] = (isCompanion && FOLLOWED.exec(name)) || [];
    const known = (isQuery && 'execute') || (isRequest && 'perform') || method || '';
    const own = call ? { name: known, file: '<C code of a driver>' } : { name, file };
    const isWithout = call || (line !== null && TEMPLATE.test(file));
    const id = isWithout
      ? this.internFrame({ ...own, line: null, ...(TIMED.test(known) && { isTimed: true }) })
      : this.#frames.push(Object.freeze({ name, file, line, ...(isTimed && { isTimed }) })) - 1;
    this.#frameIds.set(text, id);
    if (call) this.#roles.set(id, 'call');
    else if (isCompanion) this.#roles.set(id, 'companion');
    else if (file.startsWith('<loadflame ')) this.#roles.set(id, 'state');
    return id;
  }

  /**
   * A frame below a call that the companion follows takes the place of that call; the companion's own work there is one
   * frame.
   * @param {number} parent a node, -1 for the outermost @param {number} frame its id
   */
  internNode(parent, frame) {
    const above = this.#roles.get(this.#nodes.frameOf(parent));
    const role = this.#roles.get(frame);
    if ((above !== 'call' && above !== 'work') || role === 'state')
      return this.#nodes.intern(parent, frame);
    if (above === 'work') return parent;
    const isOwn = role === 'companion';
    const own = isOwn ? this.internFrame(OWN_WORK) : this.#markTimed(parent, frame, role);
    if (isOwn) this.#roles.set(own, 'work');
    return this.#nodes.intern(this.#nodes.parentOf(parent), own);
  }

  /** @param {number} call a node @param {number} frame in its place @param {string | undefined} role */
  #markTimed(call, frame, role) {
    const own = this.#frames[frame];
    if (role || !own || !this.#frames[this.#nodes.frameOf(call)]?.isTimed) return frame;
    const mark = () => this.#frames.push(Object.freeze({ ...own, isTimed: true })) - 1;
    return entryOf(this.#frameIds, `${formatFrame(own)} in a timed call`, mark);
  }

  /**
   * The frames that a suspended request awaits, below a common root frame.
   * @param {Extract<Marker, {awaits: number}>} marker
   * @param {InternedStack} before the stack that it continues, if it does
   * @returns {InternedStack}
   */
  internAwaits({ awaits, of, frames }, before) {
    const root = { name: 'await', file: AWAIT_FILE, line: null };
    const start = awaits > 0 ? this.internNode(-1, this.internFrame(root)) : before.node;
    return {
      node: frames.reduce((node, frame) => this.internNode(node, this.internFrame(frame)), start),
      route: awaits > 0 ? this.internRoute(of) : before.route,
      awaits: awaits || before.awaits,
    };
  }

  /**
   * Processes are identified by pid. A command line or a parent may follow later.
   * @param {{pid: number, cmdline?: string, parent?: number}} info @returns {number} its index
   */
  internProcess({ pid, cmdline = '', parent = -1 }) {
    const create = () => this.#processes.push(Object.freeze({ pid, cmdline, parent })) - 1;
    const known = entryOf(this.#processIds, pid, create);
    const old = this.#processes[known];
    if (old && ((old.cmdline === '' && cmdline !== '') || (old.parent === -1 && parent !== -1))) {
      this.#processes[known] = Object.freeze({
        pid,
        cmdline: old.cmdline || cmdline,
        parent: old.parent === -1 && parent !== known ? parent : old.parent,
      });
    }
    return known;
  }

  /** @param {ThreadInfo} thread @returns {number} its index */
  internThread({ id, name }) {
    const create = () => this.#threads.push(Object.freeze({ id, name })) - 1;
    return entryOf(this.#threadIds, `${id} ${name}`, create);
  }

  /** @param {number | null} startMs @param {number | null} endMs @returns {number} its index */
  addSegment(startMs, endMs) {
    return this.#segments.push(Object.freeze({ startMs, endMs })) - 1;
  }

  /** @param {string} name of an endpoint @returns {number} its index */
  internRoute(name) {
    return entryOf(this.#routeIds, name, () => this.#routeIds.size);
  }

  /**
   * @param {number} node innermost frame, -1 for a stack without frames
   * @param {number} weight samples
   * @param {{process?: number, thread?: number, segment?: number, route?: number, halfSecond?: number}} [where]
   *   indexes, and half-seconds since the epoch
   */
  addRow(
    node,
    weight,
    { process = -1, thread = -1, segment = -1, route = -1, halfSecond = -1 } = {},
  ) {
    this.#rows.add(node, weight, process, thread, segment, route, halfSecond);
  }

  /**
   * Adds a stack from its texts, outermost first, with process and thread frames as py-spy writes them. Frames of the
   * companion do not become part of it.
   * @param {string[]} texts @param {number} weight samples @param {number} [segment] index
   */
  addTextStack(texts, weight, segment = -1) {
    const start = this.internStart(texts);
    const stack = this.internStack(texts, start.length);
    this.addStack(start, stack, stack.halfSecond, weight, segment);
  }

  /**
   * Reads the frames that name process and thread.
   * @param {string[]} texts of a stack, outermost first
   * @returns {StackStart}
   */
  internStart(texts) {
    let [process, length] = [-1, 0];
    for (; length < texts.length; length++) {
      const info = parseProcess(texts[length] ?? '');
      if (!info) break;
      process = this.internProcess({ ...info, parent: process });
    }
    const found = parseThread(texts[length] ?? '');
    if (!found) return { process, thread: -1, length };
    return { process, thread: this.internThread(found), length: length + 1 };
  }

  /**
   * Reads the frames from `from` on, without those of the companion.
   * @param {string[]} texts of a stack, outermost first
   * @param {number} from
   * @returns {InternedStack & {halfSecond: number}}
   */
  internStack(texts, from) {
    let [node, route, halfSecond, awaits] = [-1, -1, -1, 0];
    for (let at = from; at < texts.length; at++) {
      const text = texts[at] ?? '';
      const frame = this.#frameIds.get(text);
      const marker = frame === undefined ? this.#findMarker(text) : undefined;
      if (!marker) node = this.internNode(node, frame ?? this.#addFrame(text, parseFrame(text)));
      else if ('halfSecond' in marker) halfSecond = marker.halfSecond;
      else if ('awaits' in marker)
        ({ node, route, awaits } = this.internAwaits(marker, { node, route, awaits }));
      else if (route === -1) route = this.internRoute(marker.route);
    }
    return { node, route, halfSecond, awaits };
  }

  /**
   * @param {StackStart} start
   * @param {InternedStack} stack
   * @param {number} halfSecond on the stack; -1: none
   * @param {number} weight samples
   * @param {number} segment index
   */
  addStack({ process, thread }, { node, route, awaits }, halfSecond, weight, segment) {
    if (awaits > 0 && !this.#isAll) return;
    const known = halfSecond < 0 ? -1 : checkHalfSecond(halfSecond, this.#segments[segment]);
    this.#rows.add(node, weight * (awaits || 1), process, thread, segment, route, known);
  }

  /** @param {string} text of a frame */
  #findMarker(text) {
    const known = this.#markers.get(text);
    if (known || !text.includes('(<loadflame ')) return known;
    const marker = readMarker(parseFrame(text));
    if (marker) this.#markers.set(text, marker);
    return marker;
  }

  /** Counts what could not be read in a file. @param {string} [text] an example */
  skip(text = '', count = 1) {
    this.#skipped += count;
    this.#firstSkipped ||= plainLine(text.slice(0, MOST_EXAMPLE_CHARS));
  }

  /**
   * @param {{source: Profile['source'], rateHz?: number | null, entries?: number, isDifference?: boolean}} about
   * @returns {Profile}
   */
  build({ source, rateHz = null, entries, isDifference = false }) {
    const rows = this.#rows.build();
    const profile = {
      source,
      unit: /** @type {const} */ ('samples'),
      rateHz,
      frames: Object.freeze(this.#frames),
      nodes: Object.freeze(this.#nodes.build()),
      rows: Object.freeze(rows),
      processes: Object.freeze(this.#processes),
      threads: Object.freeze(this.#threads),
      segments: Object.freeze(this.#segments),
      routes: Object.freeze([...this.#routeIds.keys()]),
      totalWeight: rows.weight.reduce((sum, value) => sum + value, 0),
      skipped: this.#skipped,
      firstSkipped: this.#firstSkipped,
      entries: entries ?? rows.node.length + this.#skipped,
      isDifference,
    };
    return Object.freeze(profile);
  }
}

// -- The rows of a growing profile: typed columns that double when they are full.

/** @typedef {Profile['rows']} Rows */

/**
 * Millions of rows, 24 bytes each, or 36 with the companion. Threads share them: one can write them to a file while
 * another counts them.
 */
class RowTable {
  /** @type {{-readonly [Name in keyof Rows]: Rows[Name]}} */
  #columns = {
    node: share(Int32Array, FIRST_CAPACITY),
    process: share(Int32Array, FIRST_CAPACITY),
    thread: share(Int32Array, FIRST_CAPACITY),
    segment: share(Int32Array, FIRST_CAPACITY),
    weight: share(Float64Array, FIRST_CAPACITY),
    // Empty until a row has one.
    route: new Int32Array(),
    halfSecond: new Float64Array(),
  };
  #count = 0;

  /**
   * @param {number} node @param {number} weight @param {number} process @param {number} thread
   * @param {number} segment @param {number} route @param {number} halfSecond
   */
  add(node, weight, process, thread, segment, route, halfSecond) {
    const row = this.#count++;
    if (row === this.#columns.node.length) this.#columns = mapColumns(this.#columns, enlarge);
    const own = this.#columns;
    const { length } = own.node;
    own.node[row] = node;
    own.weight[row] = weight;
    own.process[row] = process;
    own.thread[row] = thread;
    own.segment[row] = segment;
    if (route !== -1 && own.route.length === 0)
      own.route = share(Int32Array, length).fill(-1, 0, row);
    if (own.route.length > 0) own.route[row] = route;
    if (halfSecond !== -1 && own.halfSecond.length === 0)
      own.halfSecond = share(Float64Array, length).fill(-1, 0, row);
    if (own.halfSecond.length > 0) own.halfSecond[row] = halfSecond;
  }

  /** @returns {Rows} */
  build() {
    return mapColumns(this.#columns, column => column.subarray(0, this.#count));
  }
}

/** @param {Rows} rows @param {(column: Int32Array | Float64Array) => Int32Array | Float64Array} map */
const mapColumns = (rows, map) => /** @type {Rows} */ (mapValues(rows, map));

/**
 * @template {Int32Array | Float64Array} T
 * @param {{new (buffer: SharedArrayBuffer): T, BYTES_PER_ELEMENT: number}} Kind
 * @param {number} length
 * @returns {T}
 */
const share = (Kind, length) => new Kind(new SharedArrayBuffer(length * Kind.BYTES_PER_ELEMENT));

/**
 * Doubles the size; memory that was never written to takes no space.
 * @template {Int32Array | Float64Array} T
 * @param {T} column
 * @returns {T}
 */
function enlarge(column) {
  const Column = /** @type {Parameters<typeof share<T>>[0]} */ (column.constructor);
  const larger = share(Column, column.length * 2);
  larger.set(column);
  return larger;
}
