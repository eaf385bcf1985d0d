/** Which samples count: those in the windows, of the workers, and not waiting. */

import { addTo, entryOf } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { isCompanion } from '../hotpath/identify-frame.js';
import { addAt } from '../sample-table/select.js';
import { HALF_SECOND_MS } from '../stacks/markers.js';
import { isSegmentInside } from '../stacks/merge-profiles.js';
import { createRounder, fitToRoutes, keepWhere } from './fit-to-routes.js';
import { createNativeTest } from './native-threads.js';

/** @typedef {import('../stacks/profile.d.ts').Profile} Profile */
/** @typedef {import('../../run/facts/rules.d.ts').Classification} Classification */

// more blocks say nothing new about how samples correlate
const MAX_BLOCKS = 300;
// standard errors of a number of samples
const SURE = 3;
// part of the samples without the GIL that is certainly work
const LEAST_OWN = 0.15;

/**
 * @typedef {object} ProfileBase the base of all shares
 * @property {Float64Array} weights per node of the profile, the samples of the base that end there
 * @property {number} rootless samples without any frame
 * @property {number} total
 * @property {{recorded: number, inWindow: number, active: number, native?: number, waiting: number, master: number, waitingForCore: number}} samples
 *   `waitingForCore`: waiting samples that were runnable
 * @property {Map<number, number>} byPid samples in the base per worker
 * @property {Float64Array} blockTotals samples of each block (a stretch of time × a process)
 * @property {Int32Array} blockProcess process of each block, -1 where unknown
 * @property {boolean} timed blocks are stretches of time; otherwise the second of two holds what may have waited
 * @property {Int32Array} rows of the profile that are in the base
 * @property {Float64Array} rowWeights per entry of `rows`: its samples that count
 * @property {Uint16Array} blocks per entry of `rows`: its block
 * @property {(visit: (node: number, weight: number, block: number) => void) => void} forEachRow
 */

/**
 * A loose file has no roles, so all of its processes count; in a recording the master is left out.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {object} scope
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} scope.windows none: all
 * @param {number | null} scope.masterPid
 * @param {number | null} [scope.cpuMs] of the workers in what was sampled of the windows, from the operating system
 * @param {number} [scope.sampledShare] of the windows; native threads are known in all of them
 * @param {number | null} [scope.queuedMs] that their threads waited for a core in the windows; null: not known
 * @param {number} [scope.failedLooks] failed samples in the windows
 * @param {ReadonlyMap<string, import('./fit-to-routes.js').RouteParts>} [scope.routesMs] of routes in the windows,
 *   measured by their threads
 * @param {ReadonlyMap<string, number>} [scope.threadsMs] of threads, by the scheduler
 * @returns {ProfileBase}
 */
export function selectBase(profile, classes, { routesMs = new Map(), threadsMs, ...scope }) {
  const { windows, masterPid, cpuMs = null, sampledShare = 1 } = scope;
  const { queuedMs = null, failedLooks = 0 } = scope;
  const { rows } = profile;
  const { samples, runnable, idle, native } = sortRows(profile, classes, windows, masterPid);
  const ofWindows = sum(native.map(row => rows.weight[row] ?? 0));
  const nativeMs = (ofWindows * sampledShare * 1000) / (profile.rateHz ?? 1);
  const pythonMs = cpuMs && Math.max(0, cpuMs - nativeMs);
  // Each sample of a runnable thread, and each failed one: py-spy does not count those that it had no time for.
  const due = (((cpuMs ?? 0) + (queuedMs ?? 0)) * (profile.rateHz ?? 0)) / 1000;
  const taken = samples.inWindow - samples.master + failedLooks;
  const isPython = native.length === 0; // it takes no sample of native threads, and fails with them
  const spentMs =
    pythonMs && pythonMs * (isPython && queuedMs !== null ? Math.min(1, taken / due) : 1);
  const failed = isPython ? failedLooks : 0;
  const running = fitToCpu(profile, classes, { runnable, idle, spentMs, failedLooks: failed });
  const fitted = fitToRoutes(profile, running, routesMs, pythonMs, threadsMs);
  const { kept, weight } = appendNative(profile, fitted, native, nativeMs / (pythonMs || Infinity));
  const dropped = samples.active - sum(running.weight);
  samples.waitingForCore = Math.max(0, dropped);
  samples.waiting += dropped;
  samples.active = sum(weight);
  if (native.length > 0) samples.native = samples.active - sum(fitted.weight);
  const timed = profile.segments.some(({ startMs }) => startMs !== null);
  const { blocks, blockProcess } = timed
    ? numberBlocks(profile, kept)
    : { blocks: findGaps(profile, classes, kept), blockProcess: UNTIMED };
  /** @type {ProfileBase['forEachRow']} */
  const forEachRow = visit => {
    for (let index = 0; index < kept.length; index++)
      visit(rows.node[kept[index] ?? 0] ?? -1, weight[index] ?? 0, blocks[index] ?? 0);
  };
  const blockTotals = new Float64Array(blockProcess.length);
  const weights = new Float64Array(profile.nodes.frame.length);
  let rootless = 0;
  forEachRow((node, own, block) => {
    addAt(blockTotals, block, own);
    if (node >= 0) addAt(weights, node, own);
    else rootless += own;
  });
  return {
    weights,
    rootless,
    total: samples.active,
    samples,
    byPid: sumByPid(profile, kept, weight),
    blockTotals,
    blockProcess,
    timed,
    rows: kept,
    rowWeights: weight,
    blocks,
    forEachRow,
  };
}

/**
 * The rows in the windows, of the workers, that do not wait, and those of native threads.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows
 * @param {number | null} masterPid
 */
function sortRows(profile, classes, windows, masterPid) {
  const { rows } = profile;
  const isInside = createWindowTest(profile, windows);
  /** @type {ProfileBase['samples']} */
  const samples = { recorded: 0, inWindow: 0, active: 0, waiting: 0, master: 0, waitingForCore: 0 };
  const isMaster = profile.processes.map(({ pid }) => pid === masterPid);
  const isNative = createNativeTest(profile);
  const runnable = new Int32Array(rows.node.length);
  /** @type {number[]} */
  const native = [];
  const idle = new Int32Array(rows.node.length);
  let [count, idles] = [0, 0];
  for (let row = 0; row < rows.node.length; row++) {
    const weight = rows.weight[row] ?? 0;
    if (isNative(row)) {
      if (isInside(row)) native.push(row);
      continue;
    }
    samples.recorded += weight;
    if (!isInside(row)) continue;
    samples.inWindow += weight;
    const node = rows.node[row] ?? -1;
    if (isMaster[rows.process[row] ?? -1]) samples.master += weight;
    else if (classes.waiting[node] && !hadCore(profile, classes, node)) {
      samples.waiting += weight;
      if (!isCompanion(classes.identities[profile.nodes.frame[node] ?? -1])) idle[idles++] = row;
    } else {
      samples.active += weight;
      runnable[count++] = row;
    }
  }
  return { samples, native, runnable: runnable.subarray(0, count), idle: idle.subarray(0, idles) };
}

/**
 * Our own recorder has already left out threads without a core. Those of the companion had one to wake up.
 * @param {Profile} profile @param {Classification} classes @param {number} node
 */
const hadCore = (profile, { identities }, node) =>
  knowsCores(profile) && !isCompanion(identities[profile.nodes.frame[node] ?? -1]);

/** @param {Profile} profile */
const knowsCores = ({ source }) => source === 'samples';

/**
 * @param {Profile} profile
 * @param {Int32Array} kept rows
 * @param {Float64Array} weight
 * @returns {Map<number, number>}
 */
function sumByPid({ rows, processes }, kept, weight) {
  const sums = new Float64Array(processes.length);
  for (let index = 0; index < kept.length; index++)
    addAt(sums, rows.process[kept[index] ?? 0] ?? -1, weight[index] ?? 0);
  const byPid = new Map();
  for (const [process, { pid }] of processes.entries())
    if (sums[process]) addTo(byPid, pid, sums[process]);
  return byPid;
}

/**
 * Where the operating system counted less CPU time than there are active samples, the surplus waited. It is taken
 * from threads that gave up the GIL: from hand-overs first, and the rest from long calls. Where it counted more, threads
 * used it on their way into a wait and out of it: those were runnable, too. A sample fails where a stack changes while it
 * is read: a failed one ran in Python, which leaves the others less of the CPU time.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {{runnable: Int32Array, idle: Int32Array, spentMs: number | null, failedLooks: number}} seen rows, `idle`: in
 *   frames that wait; CPU time of Python code that was sampled
 * @returns {{kept: Int32Array, weight: Float64Array}}
 */
function fitToCpu(profile, classes, { runnable, idle, spentMs, failedLooks }) {
  const weightOf = (/** @type {number} */ row) => profile.rows.weight[row] ?? 0;
  const left = Float64Array.from(runnable, weightOf);
  if (knowsCores(profile) || !spentMs || !profile.rateHz) return { kept: runnable, weight: left };
  const { take, python } = createTaker(profile, classes, runnable, left);
  const [all, spent] = [sum(left), Math.max(0, (spentMs * profile.rateHz) / 1000 - failedLooks)];
  const seen = python > 0 ? python / (python + failedLooks) : 1;
  if (all > spent) take(true, take(false, all - python - Math.max(0, spent - python) * seen));
  if (spent - all <= SURE * Math.sqrt(spent))
    return { kept: keepWhere(runnable, left), weight: keepWhere(left, left) };
  const part = Math.min(1, (spent - all) / idle.reduce((n, row) => n + weightOf(row), 0));
  const round = createRounder();
  const rows = new Int32Array(runnable.length + idle.length);
  rows.set(runnable);
  rows.set(idle, runnable.length);
  const weight = Float64Array.from(rows, (row, at) => left[at] ?? round(weightOf(row) * part));
  return { kept: keepWhere(rows, weight), weight: keepWhere(weight, weight) };
}

/** For a file without times: samples with the GIL, and samples that gave it up. */
const UNTIMED = new Int32Array(2).fill(-1);

/**
 * Without the scheduler's figures, a thread that gave up the GIL for a hand-over, or for a database, either worked or
 * waited.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {Int32Array} chosen rows
 * @returns {Uint16Array} per row: 1 where it may have waited
 */
function findGaps({ rows, nodes, source }, { gaps, category, categories }, chosen) {
  return Uint16Array.from(chosen, row => {
    const node = rows.node[row] ?? -1;
    const isLong = source === 'samples' ? undefined : gaps[nodes.frame[node] ?? -1];
    const isDatabase = categories[category[node] ?? -1]?.id === 'database';
    return isLong === false || (isLong && isDatabase) ? 1 : 0;
  });
}

/**
 * Samples of Python code stand for the CPU time of its threads, whatever time one sample covers; native threads get
 * as many samples as their share takes.
 * @param {Profile} profile
 * @param {{kept: Int32Array, weight: Float64Array}} fitted
 * @param {number[]} native rows
 * @param {number} ratio of CPU time, native to Python
 */
function appendNative({ rows }, { kept, weight }, native, ratio) {
  if (native.length === 0) return { kept, weight };
  const own = native.map(row => rows.weight[row] ?? 0);
  const factor = (sum(weight) * ratio) / (sum(own) || 1);
  const round = createRounder();
  const counts = own.map(count => round(count * factor));
  return {
    kept: Int32Array.from([...kept, ...native.filter((_, index) => counts[index])]),
    weight: Float64Array.from([...weight, ...counts.filter(count => count)]),
  };
}

/**
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {Int32Array} chosen rows
 * @param {Float64Array} left samples per entry of `chosen`; changed
 * @returns {{take: (isLong: boolean, surplus: number) => number, python: number}} `take` removes samples in such a gap, in
 *   whole samples and evenly, and returns how many are still too many; `python`: samples in no gap
 */
function createTaker({ rows, nodes }, classes, chosen, left) {
  const gapAt = (/** @type {number} */ row) =>
    classes.gaps[nodes.frame[rows.node[row] ?? -1] ?? -1];
  const sumOf = (/** @type {boolean | undefined} */ isLong) =>
    left.reduce((total, own, at) => total + (gapAt(chosen[at] ?? -1) === isLong ? own : 0), 0);
  /** @param {boolean} isLong @param {number} surplus */
  const take = (isLong, surplus) => {
    if (surplus <= 0) return surplus;
    const suspect = sumOf(isLong);
    const part = Math.max(LEAST_OWN, 1 - surplus / suspect);
    const round = createRounder();
    for (let at = 0; at < left.length; at++)
      if (gapAt(chosen[at] ?? -1) === isLong) left[at] = round((left[at] ?? 0) * part);
    return surplus - suspect * (1 - part);
  };
  return { take, python: sumOf(undefined) };
}

/**
 * A row with a known half-second lies in a window when the middle of that does; any other row when the middle of its
 * segment does.
 * @param {Profile} profile
 * @param {import('../../base/math/estimate.d.ts').TimeRange[]} windows none: all of the time
 * @returns {(row: number) => boolean}
 */
function createWindowTest({ rows, segments }, windows) {
  const ofSegment = segments.map(
    segment => windows.length === 0 || windows.some(window => isSegmentInside(segment, window)),
  );
  return row => {
    const halfSecond = rows.halfSecond[row] ?? -1;
    if (halfSecond < 0 || windows.length === 0) return ofSegment[rows.segment[row] ?? -1] ?? true;
    const middleMs = halfSecond * HALF_SECOND_MS + HALF_SECOND_MS / 2;
    return windows.some(({ startMs, endMs }) => middleMs >= startMs && middleMs <= endMs);
  };
}

/**
 * A block is a segment × a process; with very many blocks, neighbouring segments of a process become one.
 * @param {Profile} profile
 * @param {Int32Array} chosen rows
 * @returns {Pick<ProfileBase, 'blocks' | 'blockProcess'>}
 */
function numberBlocks({ rows, processes, segments }, chosen) {
  const blocks = new Uint16Array(chosen.length);
  const width = processes.length + 1;
  const keyOf = (/** @type {number} */ row) =>
    (rows.process[row] ?? -1) + 1 + ((rows.segment[row] ?? -1) + 1) * width;
  const seen = new Uint8Array(width * (segments.length + 1));
  for (const row of chosen) seen[keyOf(row)] = 1;
  const perGroup = Math.ceil(sum(seen) / MAX_BLOCKS) || 1;
  /** @type {Map<number, number>} */
  const groups = new Map();
  const blockOf = new Int32Array(seen.length);
  for (let key = 0; key < seen.length; key++) {
    if (!seen[key]) continue;
    const group = (key % width) + width * Math.floor(Math.floor(key / width) / perGroup);
    blockOf[key] = entryOf(groups, group, () => groups.size);
  }
  for (let index = 0; index < chosen.length; index++)
    blocks[index] = blockOf[keyOf(chosen[index] ?? 0)] ?? 0;
  const blockProcess = Int32Array.from(groups.keys(), group => (group % width) - 1);
  return { blocks, blockProcess: groups.size > 0 ? blockProcess : new Int32Array(1).fill(-1) };
}
