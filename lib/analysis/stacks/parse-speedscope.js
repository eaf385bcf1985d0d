/** Reads speedscope's JSON, as py-spy, Austin, pyinstrument and we write it: sampled and evented profiles of any time. */
import { orThrow } from '../../base/errors.js';
import { SPEEDSCOPE } from '../../base/files/detect-format.js';
import { parseJson } from '../../base/files/parse-json.js';
import { parseFrame } from './frame-text.js';
import { ProfileBuilder } from './profile-builder.js';

/** @import { Frame, Profile } from './profile.d.ts' */

/** A sample counts as 1, a time in seconds. @type {Record<string, any>} */
const SCALES = { none: 1, seconds: 1, milliseconds: 1e-3, microseconds: 1e-6, nanoseconds: 1e-9 };
const MOST_RATE_HZ = 1000;
/** Python allows a tenth of it. Deeper stacks, such as those of events that never close, count as unreadable. */
const MOST_FRAMES = 10_000;

/** @typedef {{node: number, weight: number, process: number, thread: number}} Row `weight`: samples or seconds */

/**
 * The samples of a time are what its weights are multiples of; if they have no such rate, each counts as one on average.
 * @param {string} text
 * @param {{file: string}} about for the error
 * @returns {Profile}
 * @throws {LoadflameError} PROFILE_BROKEN
 */
export function parseSpeedscope(text, { file }) {
  const { profiles, frames } = parse(text, file);
  const isCounted = profiles.every(({ unit }) => unit === 'none');
  const builder = new ProfileBuilder();
  const ids = frames.map(frame => builder.internFrame(toFrame(frame)));
  const nodeOf = (/** @type {number} */ parent, /** @type {unknown} */ frame) => {
    const id = typeof frame === 'number' ? ids[frame] : undefined;
    return parent < -1 || id === undefined ? -2 : builder.internNode(parent, id);
  };
  /** @type {Row[]} */
  const rows = [];
  for (const profile of profiles) {
    const who = readWho(String(profile.name), builder);
    const read = profile.type === 'evented' ? readEvents : readSamples;
    for (const { node, weight, entry } of read(profile, nodeOf)) {
      const isWeight = isCounted ? Number.isSafeInteger(weight) : Number.isFinite(weight);
      if (!isWeight || weight < 0 || node < -1) builder.skip(JSON.stringify(entry));
      else if (weight > 0) rows.push({ ...who, node, weight: weight * SCALES[profile.unit] });
    }
  }
  const isSampled = profiles.every(({ type }) => type !== 'evented');
  const rateHz = isCounted ? null : findRate(rows, isSampled);
  for (const { node, weight, ...who } of rows) {
    const samples = weight * (rateHz ?? 1);
    builder.addRow(node, isWhole(samples) ? Math.round(samples) : samples, who);
  }
  return builder.build({ source: 'speedscope', rateHz });
}

/** @param {string} text @param {string} file @returns {{profiles: any[], frames: any[]}} */
function parse(text, file) {
  return orThrow('PROFILE_BROKEN', { file, format: SPEEDSCOPE }, () => {
    const { profiles, shared } = parseJson(text);
    for (const { type, unit, samples, weights, events } of profiles) {
      if (!Object.hasOwn(SCALES, unit) || (unit === 'none') !== (profiles[0].unit === 'none'))
        throw new Error(`it counts "${unit}", and no samples or time`);
      if (
        ![shared.frames, ...(type === 'evented' ? [events] : [samples, weights])].every(
          Array.isArray,
        )
      )
        throw new Error('it lacks a list of frames, samples, weights or events');
    }
    return { profiles, frames: shared.frames };
  });
}

/** @typedef {{node: number, weight: any, entry: unknown}} Entry `node`: -2 if its frames are unknown */
/** @typedef {(parent: number, frame: unknown) => number} NodeOf */

/** @param {any} profile @param {NodeOf} nodeOf @returns {Generator<Entry, void>} */
function* readSamples({ samples, weights }, nodeOf) {
  for (const [at, stack] of samples.entries()) {
    const node =
      Array.isArray(stack) && stack.length <= MOST_FRAMES
        ? stack.reduce((above, frame) => nodeOf(above, frame), -1)
        : -2;
    yield { node, weight: weights[at], entry: { stack, weight: weights[at] } };
  }
}

/** Between two events, the time belongs to the open frames. @param {any} profile @param {NodeOf} nodeOf @returns {Generator<Entry, void>} */
function* readEvents({ events }, nodeOf) {
  /** @type {{node: number, frame: unknown}[]} */
  const open = [];
  let last = 0;
  for (const entry of events) {
    const { type, at, frame } = entry ?? {};
    const top = open.at(-1);
    if (top) yield { node: top.node, weight: at - last, entry };
    last = at;
    if (type === 'O')
      open.push({ frame, node: open.length < MOST_FRAMES ? nodeOf(top?.node ?? -1, frame) : -2 });
    else if (type === 'C' && top?.frame === frame) open.pop();
    else yield { node: -2, weight: 0, entry };
  }
}

/** @param {any} frame @returns {Frame} */
function toFrame(frame) {
  const { name = '', file = '', line = null } = frame ?? {};
  if (typeof file !== 'string' || file === '') return parseFrame(String(name));
  return { name: String(name), file, line: Number.isSafeInteger(line) && line > 0 ? line : null };
}

/** Ours, and py-spy's: `Process 7 Thread 0x7F "MainThread"`. @param {string} name @param {ProfileBuilder} builder */
function readWho(name, builder) {
  const [, pid, cmdline = ''] = /^Process (\d+)(?::"(.*)")?/s.exec(name) ?? [];
  const [, id, thread = ''] = /Thread (0x[\da-fA-F]+|\d+)(?: "(.*)")?$/s.exec(name) ?? [];
  return {
    process: pid ? builder.internProcess({ pid: Number(pid), cmdline }) : -1,
    thread: id ? builder.internThread({ id, name: thread }) : -1,
  };
}

/** @param {Row[]} rows in seconds @param {boolean} isSampled @returns {number} samples per second */
function findRate(rows, isSampled) {
  for (let rate = 1; isSampled && rate <= MOST_RATE_HZ; rate++)
    if (rows.every(({ weight }) => isWhole(weight * rate))) return rate;
  return rows.length / rows.reduce((sum, { weight }) => sum + weight, 0);
}

/** @param {number} value */
const isWhole = value => Math.abs(value - Math.round(value)) < 1e-6 && Math.round(value) > 0;
