/**
 * Reads samples of our own recorder (format: `lib/record/profiler/unwinder/recorder.py`): of all threads, each with its
 * time and with the state of the thread in the kernel and in the interpreter.
 */
import { readMarker } from './markers.js';
import { isSegmentInside } from './merge-profiles.js';
import { ProfileBuilder } from './profile-builder.js';
import { createLineReader } from './read-lines.js';

/** @import { Marker } from './markers.js' */
/** @import { Profile } from './profile.d.ts' */
/** @import { OnLine } from './read-lines.js' */

/** States of a thread; several can apply. */
const [RUNNING, WANTS_GIL, HAD_CORE] = [2, 8, 64];
/** Files of frames that represent a state, innermost in the stacks of all threads. */
const RUNNING_FILE = '<loadflame running>';
const WANTS_GIL_FILE = '<loadflame GIL>';

const [TAB, MINUS, ZERO, NINE] = [9, 45, 48, 57];
const [FRAME, LOOK, NODE, PROCESS, THREAD] = [...'FLNPT'].map(letter => letter.charCodeAt(0));
/** One number can hold several ids: Linux has no larger thread ids, and no file has more nodes. */
const MOST_TIDS = 2 ** 23;
const MOST_NODES = 2 ** 32;

/**
 * @typedef {{startMs: number, endMs: number}} TimeRange epoch
 */

/**
 * @typedef {object} SampleFile
 * @property {string} file
 * @property {TimeRange[]} segments of it, oldest first; samples after the last one (the recorder was killed) form a
 *   segment of their own
 */

/**
 * Files of one recording as one profile.
 * @param {readonly SampleFile[]} files
 * @param {{rateHz?: number | null, threads?: 'running' | 'all', windows?: readonly TimeRange[], range?: TimeRange, processes?: {pid: number, cmdline: string}[]}} [options]
 *   `all`: with waiting threads, and the innermost frame of other threads is their state; `windows`: only segments whose
 *   middle lies in one of them; `range`: samples outside come from a broken clock
 * @returns {Promise<Profile>}
 */
export async function readSamples(files, options = {}) {
  const { rateHz = null, threads = 'running', windows = [], processes = [] } = options;
  const { range = { startMs: -Infinity, endMs: Infinity } } = options;
  const builder = new ProfileBuilder(threads);
  for (const process of processes) builder.internProcess(process);
  for (const { file, segments } of files) {
    const isAll = threads === 'all';
    const parser = createSampleParser(builder, segments, { isAll, windows, range });
    createLineReader(parser.addLine)(file);
    parser.end();
  }
  return builder.build({ source: 'samples', rateHz });
}

/**
 * @param {ProfileBuilder} builder
 * @param {TimeRange[]} segments
 * @param {{isAll: boolean, windows: readonly TimeRange[], range: TimeRange}} options
 */
function createSampleParser(builder, segments, { isAll, windows, range }) {
  const known = segments.map(({ startMs, endMs }) => builder.addSegment(startMs, endMs));
  const states = isAll
    ? [RUNNING_FILE, WANTS_GIL_FILE].map(file =>
        builder.internFrame({ name: file.slice(1, -1), file, line: null }),
      )
    : [];
  /** By their numbers in the file; −1: no frame; below: it names the route −2 − it. @type {number[]} */
  const frames = [];
  /** @type {number[]} */
  const nodes = [];
  /** @type {number[]} */
  const routes = [];
  /** Frames of suspended requests. @type {Map<number, Extract<Marker, {awaits: number}>>} */
  const awaitFrames = new Map();
  /** Suspended requests that a node represents. @type {number[]} */
  const awaits = [];
  /** Threads of processes, numbered. @type {Map<number, number>} */
  const slots = new Map();
  /** @type {{process: number, thread: number}[]} */
  const slotInfo = [];
  /** Samples of a thread at a node in a state, in this segment. @type {Map<number, number>} */
  const counts = new Map();
  let [at, process, pid, lookMs, firstMs] = [-1, -1, -1, 0, 0];
  let endMs = -Infinity;
  let isInRange = false;

  const flush = () => {
    const span = segments[at] ?? { startMs: Math.floor(firstMs), endMs: Math.ceil(lookMs) };
    const segment = known[at] ?? builder.addSegment(span.startMs, span.endMs);
    const isWanted = windows.length === 0 || windows.some(one => isSegmentInside(span, one));
    for (const [key, weight] of isWanted ? counts : []) {
      const node = key % MOST_NODES;
      const [state, slot] = [Math.floor(key / MOST_NODES) % 3, Math.floor(key / MOST_NODES / 3)];
      const shown = awaits[node] ?? 0;
      if (shown > 0 && !isAll) continue;
      const leaf = states[state - 1];
      const own = nodes[node] ?? -1;
      const innermost = leaf === undefined ? own : builder.internNode(own, leaf);
      const about = { ...slotInfo[slot], segment, route: routes[node] ?? -1 };
      builder.addRow(innermost, weight * (shown || 1), about);
    }
    counts.clear();
  };

  /** A sample begins. @param {number} us epoch */
  const beginLook = us => {
    const ms = us / 1000;
    isInRange = ms >= range.startMs && ms <= range.endMs;
    if (!isInRange) return builder.skip();
    if (ms >= endMs) {
      if (counts.size > 0) flush();
      while (at < segments.length && ms >= (segments[at]?.endMs ?? -Infinity)) at++;
      endMs = segments[at]?.endMs ?? Infinity;
      firstMs = ms;
    }
    lookMs = ms;
  };

  /**
   * @param {number} tid
   * @param {number} state
   * @param {number} node
   */
  const addThread = (tid, state, node) => {
    if (!isInRange || (!isAll && !(state & HAD_CORE))) return;
    const isRunnable = state & HAD_CORE || (state & RUNNING && !(state & WANTS_GIL));
    const seen = isRunnable ? 1 : state & WANTS_GIL ? 2 : 0;
    const key = pid * MOST_TIDS + tid;
    let slot = slots.get(key);
    if (slot === undefined) {
      const thread = builder.internThread({ id: `${tid}`, name: '' });
      slot = slotInfo.push({ process, thread }) - 1;
      slots.set(key, slot);
    }
    const seenAt = (slot * 3 + seen) * MOST_NODES + node;
    counts.set(seenAt, (counts.get(seenAt) ?? 0) + 1);
  };

  /** @param {string[]} fields */
  const addFrame = ([number, text = '']) => {
    const [file, name, line] = JSON.parse(text);
    const frame = { name: String(name), file: String(file), line: line > 0 ? line : null };
    const marker = readMarker(frame);
    if (marker && 'awaits' in marker) awaitFrames.set(Number(number), marker);
    // The interpreter's own frame is between a class and its `__init__`.
    frames[Number(number)] =
      marker && 'route' in marker
        ? -2 - builder.internRoute(marker.route)
        : marker || (frame.name === '__init__' && frame.file === '__init__')
          ? -1
          : builder.internFrame(frame);
  };

  /**
   * @param {number} node
   * @param {number} caller
   * @param {number} number of the frame
   */
  const addNode = (node, caller, number) => {
    const frame = frames[number] ?? -1;
    const parent = nodes[caller] ?? -1;
    const route = routes[caller] ?? -1;
    const before = { node: parent, route, awaits: awaits[caller] ?? 0 };
    const shown = awaitFrames.get(number);
    const own = shown ? builder.internAwaits(shown, before) : before;
    nodes[node] = frame >= 0 ? builder.internNode(parent, frame) : own.node;
    routes[node] = route === -1 && frame < -1 ? -2 - frame : own.route;
    awaits[node] = own.awaits;
  };

  /** @type {OnLine} */
  const addLine = (bytes, from, to) => {
    const kind = bytes[from];
    if (kind === FRAME || kind === PROCESS) {
      try {
        const fields = bytes.toString('utf8', from + 2, to).split('\t');
        if (kind === FRAME) addFrame(fields);
        else builder.internProcess(readProcess(fields, builder));
      } catch {
        builder.skip();
      }
      return;
    }
    const [a, b, c] = readNumbers(bytes, from + 1, to);
    if (kind === THREAD && c !== undefined) addThread(Number(a), Number(b), c);
    else if (kind === LOOK && b !== undefined) {
      beginLook(Number(a));
      pid = b;
      process = builder.internProcess({ pid });
    } else if (kind === NODE && c !== undefined) addNode(Number(a), Number(b), c);
    else builder.skip();
  };
  return { addLine, end: () => (counts.size > 0 || at >= segments.length) && flush() };
}

/** @param {string[]} fields @param {ProfileBuilder} builder */
function readProcess([pid, parent, text = '""'], builder) {
  return {
    pid: Number(pid),
    cmdline: String(JSON.parse(text)),
    parent: Number(parent) > 0 ? builder.internProcess({ pid: Number(parent) }) : -1,
  };
}

/**
 * @param {Buffer} bytes
 * @param {number} from of the first tab
 * @param {number} to
 * @returns {number[]} empty if it is no list of numbers
 */
function readNumbers(bytes, from, to) {
  /** @type {number[]} */
  const numbers = [];
  for (let at = from; at < to; ) {
    if (bytes[at++] !== TAB) return [];
    const sign = bytes[at] === MINUS ? -1 : 1;
    if (sign < 0) at++;
    let number = 0;
    const first = at;
    for (; at < to; at++) {
      const digit = bytes[at] ?? 0;
      if (digit < ZERO || digit > NINE) break;
      number = number * 10 + digit - ZERO;
    }
    if (at === first) return [];
    numbers.push(sign * number);
  }
  return numbers;
}
