/** speedscope's file format (https://www.speedscope.app/file-format-schema.json). */
import { LoadflameError } from '../errors.js';
import { formatFrame, parseProcess, parseThread } from './frame-text.js';
import { readMarker } from './markers.js';
import { NodeTable, stackOf } from './node-table.js';
import { ProfileBuilder } from './profile-builder.js';

/** @import { Frame, Profile } from './profile.d.ts' */

const UNITS_PER_SEC = new Map([
  ['seconds', 1],
  ['milliseconds', 1e3],
  ['microseconds', 1e6],
  ['nanoseconds', 1e9],
]);
// for files that hold durations and no samples: what py-spy takes by default
const NOMINAL_RATE_HZ = 100;
// py-spy's names: `Process 11 Thread 12 "MainThread"`, `Thread 12 "MainThread"`; ours add the command line
const NAME = /^(?:Process (\d+)(?::"(.*)")? )?Thread (0x[\da-fA-F]+|\d+)(?: "(.*)")?$/s;

/**
 * Sampled profiles keep their counts where their weights are multiples of one sampling interval;
 * durations (evented profiles, odd weights) become nominal samples at 100 Hz, `exactCounts: false`.
 * @param {unknown} json
 * @param {{file: string}} about for the error
 * @returns {Profile}
 * @throws {LoadflameError} PROFILE_BROKEN
 */
export function parseSpeedscope(json, { file }) {
  const builder = new ProfileBuilder();
  const { frames, profiles } = checkShape(json, file);
  const places = frames.map(({ name }) => parseProcess(name) ?? parseThread(name));
  // The builder knows the companion's frames by their texts and takes them off.
  for (const frame of frames) if (!readMarker(frame)) builder.internFrame(frame);
  const texts = frames.map(formatFrame);
  const idOfText = new Map(texts.map((text, id) => [text, id]));
  const context = {
    builder,
    table: new NodeTable(),
    frameIds: texts.map(text => idOfText.get(text) ?? -1),
    places,
    file,
  };
  const stacks = profiles.map(profile => readStacks(profile, context));
  const interval = findInterval(stacks);
  const nodes = context.table.build();
  for (const { weights, where, unitsPerSec } of stacks) {
    for (const [node, list] of weights) {
      let samples = 0;
      for (const weight of list) {
        if (unitsPerSec === null) samples += weight;
        else
          samples += interval
            ? Math.round(weight / unitsPerSec / interval)
            : (weight / unitsPerSec) * NOMINAL_RATE_HZ;
      }
      if (samples <= 0) continue;
      const stack = stackOf({ nodes }, node).map(id => texts[id] ?? '');
      const { node: innermost, ...marks } = builder.internStack(stack, 0);
      builder.addRow(innermost, samples, { ...where, ...marks });
    }
  }
  const timed = stacks.some(({ unitsPerSec }) => unitsPerSec !== null);
  const rateHz = timed ? Math.round(1000 / (interval ?? 1 / NOMINAL_RATE_HZ)) / 1000 : null;
  const exactCounts = !timed || interval !== null;
  return builder.build({ source: 'speedscope', rateHz, exactCounts });
}

/** @param {unknown} json @param {string} file */
function checkShape(json, file) {
  const { shared, profiles } = /** @type {any} */ (json) ?? {};
  if (!Array.isArray(shared?.frames)) throw broken(file, '"shared.frames" is no list');
  if (!Array.isArray(profiles)) throw broken(file, '"profiles" is no list');
  const frames = shared.frames.map((/** @type {any} */ frame, /** @type {number} */ index) => {
    if (typeof frame?.name !== 'string') throw broken(file, `frame ${index} has no name`);
    return {
      name: frame.name,
      file: typeof frame.file === 'string' ? frame.file : '',
      line: Number.isInteger(frame.line) && frame.line > 0 ? frame.line : null,
    };
  });
  return {
    frames: /** @type {Frame[]} */ (frames),
    profiles: /** @type {any[]} */ (profiles),
  };
}

/** @typedef {{process: number, thread: number}} Place indexes of process and thread */

/**
 * Weights per stack, and how many of their units make a second (null: they are counts). py-spy writes
 * the process and the thread as outermost frames; the place shows them instead.
 * @param {any} profile
 * @param {{builder: ProfileBuilder, table: NodeTable, frameIds: number[], places: (ReturnType<typeof parseProcess> | ReturnType<typeof parseThread>)[], file: string}} context
 */
function readStacks(profile, { builder, table, frameIds, places, file }) {
  /** @type {Map<number, number[]>} */
  const weights = new Map();
  const where = placeOfName(profile, builder);
  /** @type {Sink} */
  const sink = {
    file,
    add(node, weight) {
      const list = weights.get(node);
      if (list) list.push(weight);
      else weights.set(node, [weight]);
    },
    intern(parent, frame) {
      const id = frameIds[/** @type {number} */ (frame)];
      if (id === undefined)
        throw broken(file, 'a stack names a frame that is not in "shared.frames"');
      const place = places[/** @type {number} */ (frame)];
      if (!place || parent !== -1) return table.intern(parent, id);
      if ('pid' in place) where.process = builder.internProcess(place);
      else where.thread = builder.internThread(place);
      return parent;
    },
  };
  if (profile?.type === 'sampled') readSamples(profile, sink);
  else if (profile?.type === 'evented') readEvents(profile, sink);
  else throw broken(file, `a profile of type ${JSON.stringify(profile?.type) ?? 'none'}`);
  return { weights, where, unitsPerSec: UNITS_PER_SEC.get(profile.unit) ?? null };
}

/** @typedef {{add: (node: number, weight: number) => void, intern: (parent: number, frame: unknown) => number, file: string}} Sink */

/** @param {any} profile @param {Sink} sink */
function readSamples({ samples, weights }, { add, intern, file }) {
  if (!Array.isArray(samples) || !Array.isArray(weights) || samples.length !== weights.length)
    throw broken(file, '"samples" and "weights" are not lists of the same length');
  for (const [index, stack] of samples.entries()) {
    const weight = weights[index];
    if (!Array.isArray(stack) || typeof weight !== 'number' || !(weight >= 0))
      throw broken(file, `sample ${index} has no stack or no weight`);
    let node = -1;
    for (const frame of stack) node = intern(node, frame);
    add(node, weight);
  }
}

/** @param {any} profile @param {Sink} sink */
function readEvents({ events, startValue }, { add, intern, file }) {
  if (!Array.isArray(events)) throw broken(file, '"events" is no list');
  /** @type {{node: number, frame: number}[]} */
  const open = [];
  let at = typeof startValue === 'number' ? startValue : 0;
  for (const [index, event] of events.entries()) {
    if (typeof event?.at !== 'number' || event.at < at)
      throw broken(file, `event ${index} goes back in time`);
    const top = open.at(-1);
    if (event.at > at && top) add(top.node, event.at - at);
    at = event.at;
    if (event.type === 'O')
      open.push({ node: intern(top?.node ?? -1, event.frame), frame: event.frame });
    else if (event.type === 'C' && top?.frame === event.frame) open.pop();
    else throw broken(file, `event ${index} closes a frame that is not the innermost`);
  }
}

/**
 * The sampling interval in seconds: the smallest weight, when all others are multiples of it and
 * the file holds no durations of events.
 * @param {{weights: Map<number, number[]>, unitsPerSec: number | null}[]} stacks
 * @returns {number | null}
 */
function findInterval(stacks) {
  let smallest = Number.POSITIVE_INFINITY;
  for (const weight of secondsOf(stacks)) if (weight > 0 && weight < smallest) smallest = weight;
  if (smallest === Number.POSITIVE_INFINITY || smallest < 1e-4) return null;
  for (const weight of secondsOf(stacks)) {
    const samples = weight / smallest;
    if (Math.abs(samples - Math.round(samples)) > 0.01 * Math.max(1, samples)) return null;
  }
  return smallest;
}

/** @param {{weights: Map<number, number[]>, unitsPerSec: number | null}[]} stacks */
function* secondsOf(stacks) {
  for (const { weights, unitsPerSec } of stacks) {
    if (unitsPerSec === null) continue;
    for (const list of weights.values()) for (const weight of list) yield weight / unitsPerSec;
  }
}

/** @param {any} profile @param {ProfileBuilder} builder @returns {Place} */
function placeOfName(profile, builder) {
  const name = typeof profile?.name === 'string' ? profile.name : '';
  const [, pid, cmdline, id, threadName] = NAME.exec(name) ?? [];
  const process = pid === undefined ? -1 : builder.internProcess({ pid: Number(pid), cmdline });
  const thread = id === undefined ? -1 : builder.internThread({ id, name: threadName ?? '' });
  return { process, thread };
}

/** @param {string} file @param {string} reason */
function broken(file, reason) {
  return new LoadflameError('PROFILE_BROKEN', { file, format: 'a speedscope file', reason });
}
