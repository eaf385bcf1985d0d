/**
 * Adds frames for C code: if samples end in a line that calls exactly one C function that rules know, the call
 * becomes the innermost frame. The calls of a line were recorded while the target ran (`profile/calls.ndjson`); calls
 * of Python functions are recognised by their frames below that line. Python before 3.11 does not qualify method
 * names, so those called the same get the name of their class.
 */
import { entryOf } from '../../base/files/maps.js';
import { ofKind } from '../../run/ndjson.js';
import { formatFrame } from '../stacks/frame-text.js';
import { append } from '../stacks/node-table.js';
import { identifyFrame } from './identify-frame.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { Frame, Profile } from '../stacks/profile.d.ts' */
/** @import { Rules, WaitRule } from '../../run/facts/rules.d.ts' */

const C_CODE = '<C code>';
/** Called once per iteration of a loop. */
const C_CODE_IN_LOOP = '<C code in a loop>';

/**
 * @param {Profile} profile
 * @param {readonly RecordOf<'calls'>[]} lines
 * @param {Rules} rules
 * @param {boolean} [areWaiting] samples of threads that mostly wait: of a line's calls, it is the one that can
 * @returns {Profile} its rows in the same order
 */
export function nameCalls(profile, lines, rules, areWaiting = false) {
  const touchesOf = new Map(ofKind(lines, 'touch').map(own => [keyOf(frameOf(own)), own]));
  const linesOf = new Map(ofKind(lines, 'line').map(own => [keyOf(frameOf(own)), own]));
  const frames = profile.frames.map(frame => {
    const touch = touchesOf.get(keyOf(frame));
    if (!touch) return frame;
    const { repeats, inLoop, each, touches } = touch;
    return Object.freeze({ ...frame, repeats, inLoop, each, touches });
  });
  const lineOf = profile.frames.map(frame => linesOf.get(keyOf(frame)));
  if (!lineOf.some(line => line)) return { ...profile, frames };
  const pythonOf = findPython(profile, lineOf);
  /** Frame by text of the call. @type {Map<string, number>} */
  const added = new Map();
  const callOf = lineOf.map((line, index) => {
    const frame = frames[index];
    if (!line || !frame) return -1;
    const python = pythonOf.get(index) ?? new Set();
    const { call, waitKind, unnamed } = chooseCall(line, python, rules, areWaiting);
    const isOwn = isUsers(frame.file, rules);
    if (isOwn) frames[index] = Object.freeze({ ...frame, calls: unnamed });
    // What a library does is known by its name, but a pause there is no work of another program.
    if (!call || (!isOwn && waitKind !== 'sleep')) return -1;
    return entryOf(added, formatFrame(call), () => frames.push(Object.freeze(call)) - 1);
  });
  return Object.freeze({
    ...profile,
    frames: Object.freeze(frames),
    ...addLeaves(profile, callOf),
  });
}

const GREEN = /(?:^|\/)(?:gg?event|g?eventlet)(?:\/|\.py)/;
/** `with gate:`, `gate.acquire()` */
const TAKES = /^\s*with [\w.]+(?: as \w+)?:|\.(acquire)\(/;

/** Do greenlets serve requests? They switch in calls that gevent and eventlet patch, without `await`. @param {Pick<Profile, 'frames'>} profile */
export const isGreen = ({ frames }) => frames.some(({ file }) => GREEN.test(file));

/**
 * Lines where greenlets may wait for a lock: gevent's semaphores are compiled, so no stack has a frame of them.
 * @param {RecordOf<'source', 'function'>[]} sources
 * @returns {RecordOf<'calls', 'line'>[]} as if they had been recorded
 */
export function listTaken(sources) {
  return sources.flatMap(({ lines = [], from = 0, ...own }) => {
    const methods = lines.map(text => TAKES.exec(text)?.slice(1));
    return methods.flatMap((found, at) =>
      found ? { ...own, kind: 'line', line: from + at, calls: [found[0] ?? '__enter__'] } : [],
    );
  });
}

/** @param {string} file @param {Rules} rules */
const isUsers = (file, rules) =>
  identifyFrame({ name: '', file, line: null }, rules).origin === 'user';

/** @param {string} file @param {Rules} rules */
function isFrameworks(file, rules) {
  const identity = identifyFrame({ name: '', file, line: null }, rules);
  return rules.frames.find(({ matches }) => matches(identity))?.category?.id === 'framework';
}

/** Excludes `<work>` and `<call>`. @param {string} text */
const isName = text => !text.startsWith('<');

/** @param {string} name */
const shortOf = name => name.slice(name.lastIndexOf('.') + 1);

/** @param {{function: string, file: string, line: number}} record */
const frameOf = ({ function: name, file, line }) => ({ name, file, line });

/** @param {{name?: string, file?: string, line?: number | null}} frame */
const keyOf = ({ name, file, line }) => `${name}\n${file}\n${line}`;

/**
 * Names of the Python functions that were called from the given lines.
 * @param {Profile} profile
 * @param {readonly unknown[]} lineOf per frame
 * @returns {Map<number, Set<string>>} by frame
 */
function findPython({ frames, nodes }, lineOf) {
  /** @type {Map<number, Set<string>>} */
  const python = new Map();
  for (let node = 0; node < nodes.frame.length; node++) {
    const caller = nodes.frame[nodes.parent[node] ?? -1] ?? -1;
    if (!lineOf[caller]) continue;
    const names = entryOf(python, caller, () => new Set());
    names.add(shortOf(frames[nodes.frame[node] ?? -1]?.name ?? ''));
  }
  return python;
}

/**
 * @param {RecordOf<'calls', 'line'>} line
 * @param {ReadonlySet<string>} python
 * @param {Rules} rules
 * @param {boolean} areWaiting
 * @returns {{call: Frame | null, waitKind?: WaitRule['kind'], unnamed: string[]}} the one C function, or the candidates
 */
function chooseCall({ calls, inLoop }, python, rules, areWaiting) {
  const texts = new Set(Array.isArray(calls) ? calls.map(String) : []);
  const candidates = [...texts].flatMap(text => {
    const isRepeated = text.endsWith('*');
    const name = isRepeated ? text.slice(0, -1) : text;
    const short = shortOf(name);
    const isPython = python.has(short) || (/^[A-Z]/.test(short) && python.has('__init__'));
    if (isPython || (!isRepeated && rules.smallCalls.has(short))) return [];
    const frame = { name, file: isRepeated || inLoop ? C_CODE_IN_LOOP : C_CODE, line: null };
    const identity = identifyFrame(frame, rules);
    const module = name.slice(0, -short.length - 1).replaceAll('.', '/');
    return {
      frame,
      rule: isName(name) ? rules.frames.find(({ matches }) => matches(identity)) : undefined,
      waits: areWaiting ? rules.waits.find(({ matches }) => matches(identity)) : undefined,
      // Functions of the application and of frameworks are Python: with much CPU time, this one would have been
      // sampled.
      isPure:
        module !== '' &&
        [`${module}.py`, `${module}/x.py`].every(
          file => isUsers(file, rules) || isFrameworks(file, rules),
        ),
    };
  });
  const big = candidates.filter(({ frame }) => rules.bigCalls.has(frame.name));
  const able = candidates.filter(({ rule, waits }) => rule && waits);
  const slow = able.length === 1 ? able : big;
  // Beside a known call that each turn makes, too, a small one is negligible again.
  const isEach = candidates.some(({ frame, rule }) => rule && frame.file === C_CODE_IN_LOOP);
  const isOther = (/** @type {typeof candidates[number]} */ { rule, isPure, frame }) =>
    rule || !(isPure || (isEach && rules.smallCalls.has(shortOf(frame.name))));
  const chosen = slow.length > 0 ? slow : candidates.filter(isOther);
  const [first] = chosen;
  const isOne = chosen.every(
    ({ rule }) => rule && rule.category === first?.rule?.category && rule.kind === first.rule.kind,
  );
  if (first && isOne) return { call: first.frame, waitKind: first.waits?.kind, unnamed: [] };
  return { call: null, unnamed: candidates.map(({ frame }) => frame.name).filter(isName) };
}

/**
 * @param {Profile} profile
 * @param {readonly number[]} callOf per frame: the frame to add below it, -1: none
 * @returns {Pick<Profile, 'nodes' | 'rows'>}
 */
function addLeaves({ nodes, rows }, callOf) {
  const count = nodes.frame.length;
  /** Per node: the node added below it. */
  const leaves = new Int32Array(count).fill(-1);
  /** @type {{parent: number[], frame: number[]}} */
  const added = { parent: [], frame: [] };
  // Threads share rows: one can write them out while another counts them.
  const node = new Int32Array(new SharedArrayBuffer(rows.node.byteLength));
  for (let row = 0; row < node.length; row++) {
    const own = rows.node[row] ?? -1;
    node[row] = own;
    const call = callOf[nodes.frame[own] ?? -1] ?? -1;
    if (call < 0) continue;
    if (leaves[own] === -1) {
      leaves[own] = count + added.parent.push(own) - 1;
      added.frame.push(call);
    }
    node[row] = leaves[own] ?? own;
  }
  return {
    rows: Object.freeze({ ...rows, node }),
    nodes: Object.freeze({
      parent: append(nodes.parent, added.parent),
      frame: append(nodes.frame, added.frame),
    }),
  };
}
