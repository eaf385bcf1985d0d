/** Which samples count: what is in the windows, of the workers, and not waiting. */
import { isSegmentInside } from '../profile/combine-profiles.js';

/** @typedef {import('../profile/profile.d.ts').Profile} Profile */
/** @typedef {import('../hotpath/rules.d.ts').Classification} Classification */

// more blocks than this tell nothing new about how samples hang together
const MAX_BLOCKS = 300;

/**
 * @typedef {object} ProfileBase the base of all shares
 * @property {Float64Array} weights per node of the profile, the samples of the base that end there
 * @property {number} rootless samples without any frame
 * @property {number} total
 * @property {{recorded: number, inWindow: number, active: number, waiting: number, master: number}} samples
 * @property {Map<number, number>} byPid samples in the base per worker
 * @property {Float64Array} blockTotals samples of each block (a stretch of time × a process)
 * @property {Int32Array} blockProcess process of each block, -1 where unknown
 * @property {boolean} timed blocks are stretches of time
 * @property {(visit: (node: number, weight: number, block: number) => void) => void} forEachRow
 */

/**
 * A loose file tells no roles, so all of its processes count; in a recording the master is told apart.
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {{windows: import('./report.d.ts').TimeRange[], masterPid: number | null}} scope no windows: all
 * @returns {ProfileBase}
 */
export function selectBase(profile, classes, { windows, masterPid }) {
  const { rows } = profile;
  const inside = profile.segments.map(
    segment => windows.length === 0 || windows.some(window => isSegmentInside(segment, window)),
  );
  const samples = { recorded: 0, inWindow: 0, active: 0, waiting: 0, master: 0 };
  const weights = new Float64Array(profile.nodes.frame.length);
  let rootless = 0;
  /** @type {Map<number, number>} */
  const byPid = new Map();
  /** @type {number[]} */
  const chosen = [];
  for (let row = 0; row < rows.node.length; row++) {
    const weight = rows.weight[row] ?? 0;
    samples.recorded += weight;
    if (!(inside[rows.segment[row] ?? -1] ?? true)) continue;
    samples.inWindow += weight;
    const process = profile.processes[rows.process[row] ?? -1];
    if (process && process.pid === masterPid) {
      samples.master += weight;
      continue;
    }
    const node = rows.node[row] ?? -1;
    if (node >= 0 && classes.waiting[node]) {
      samples.waiting += weight;
      continue;
    }
    samples.active += weight;
    if (process) byPid.set(process.pid, (byPid.get(process.pid) ?? 0) + weight);
    if (node >= 0) weights[node] = (weights[node] ?? 0) + weight;
    else rootless += weight;
    chosen.push(row);
  }
  const timed = profile.segments.some(({ startMs }) => startMs !== null);
  const blockOf = numberBlocks(profile, chosen, timed);
  const blockTotals = new Float64Array(Math.max(1, ...blockOf.values().map(block => block + 1)));
  /** @type {ProfileBase['forEachRow']} */
  const forEachRow = visit => {
    for (const row of chosen)
      visit(rows.node[row] ?? -1, rows.weight[row] ?? 0, blockOf.get(blockKey(profile, row)) ?? 0);
  };
  const blockProcess = new Int32Array(blockTotals.length).fill(-1);
  for (const [key, block] of blockOf)
    blockProcess[block] = (key % (profile.processes.length + 1)) - 1;
  forEachRow((_, weight, block) => {
    blockTotals[block] = (blockTotals[block] ?? 0) + weight;
  });
  return {
    weights,
    rootless,
    total: samples.active,
    samples,
    byPid,
    blockTotals,
    blockProcess,
    timed,
    forEachRow,
  };
}

/** @param {Profile} profile @param {number} row */
const blockKey = ({ rows, processes }, row) =>
  (rows.process[row] ?? -1) + 1 + ((rows.segment[row] ?? -1) + 1) * (processes.length + 1);

/**
 * A block is a segment × a process; when there are very many, neighbouring segments of a process
 * are one. A file without times is one block: how its samples hang together can't be seen.
 * @param {Profile} profile
 * @param {number[]} chosen rows
 * @param {boolean} timed
 * @returns {Map<number, number>} key → number of the block
 */
function numberBlocks(profile, chosen, timed) {
  const keys = [...new Set(chosen.map(row => blockKey(profile, row)))].sort((a, b) => a - b);
  if (!timed) return new Map(keys.map(key => [key, 0]));
  const width = profile.processes.length + 1;
  const perGroup = Math.ceil(keys.length / MAX_BLOCKS);
  /** @type {Map<string, number>} */
  const groups = new Map();
  return new Map(
    keys.map(key => {
      const group = `${key % width} ${Math.floor(Math.floor(key / width) / perGroup)}`;
      const block = groups.get(group) ?? groups.size;
      groups.set(group, block);
      return [key, block];
    }),
  );
}
