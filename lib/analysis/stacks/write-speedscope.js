import { entryOf } from '../../base/files/maps.js';
import { stackOf } from './stack-of.js';

/** @import { Frame, Profile } from './profile.d.ts' */

/**
 * What it needs of a profile; rows without processes are of one.
 * @typedef {Pick<Profile, 'frames' | 'nodes' | 'processes' | 'rateHz'> & {rows: Pick<Profile['rows'], 'node' | 'weight'> & Partial<Profile['rows']>}} Stacks
 */
/** @typedef {{process: number, total: number, nodes: number[], weights: number[]}} Group */

/**
 * A speedscope file, one profile per process, heaviest first; every distinct stack is one sample whose weight is its
 * count (seconds, if the rate is known). In pieces, because it may be too long to be held at once.
 * @param {Stacks} profile of `joinThreads`, or a selection of the page
 * @param {{name?: string}} [about]
 * @returns {Generator<string, void>} JSON, valid against speedscope's file-format-schema.json
 */
export function* formatSpeedscope(profile, { name = 'loadflame' } = {}) {
  const head = {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'loadflame',
    activeProfileIndex: 0,
    shared: { frames: profile.frames.map(formatFrame) },
  };
  yield `${JSON.stringify(head).slice(0, -1)},"profiles":[`;
  /** @type {Map<number, string>} stacks recur in each process */
  const stacks = new Map();
  const textOf = (/** @type {number} */ node) =>
    entryOf(stacks, node, () => `[${stackOf(profile, node).join(',')}]`);
  for (const [i, { process, total, nodes, weights }] of groupRows(profile).entries()) {
    const { pid, cmdline } = profile.processes[process] ?? {};
    const about = {
      type: 'sampled',
      name: pid === undefined ? name : `Process ${pid}${cmdline ? `:"${cmdline}"` : ''}`,
      unit: profile.rateHz === null ? 'none' : 'seconds',
      startValue: 0,
      endValue: total,
    };
    yield `${i > 0 ? ',' : ''}${JSON.stringify(about).slice(0, -1)},"samples":[`;
    for (const [at, node] of nodes.entries()) yield `${at > 0 ? ',' : ''}${textOf(node)}`;
    yield `],"weights":[${weights.join(',')}]}`;
  }
  yield ']}';
}

/** @param {Stacks} profile @returns {Group[]} heaviest first */
function groupRows({ rows, rateHz }) {
  /** @type {Map<number, Group>} */
  const groups = new Map();
  for (const [row, node] of rows.node.entries()) {
    const process = rows.process?.[row] ?? -1;
    const group = entryOf(groups, process, () => ({ process, total: 0, nodes: [], weights: [] }));
    const weight = (rows.weight[row] ?? 0) / (rateHz ?? 1);
    if (weight === 0) continue;
    group.total += weight;
    group.nodes.push(node);
    group.weights.push(weight);
  }
  return [...groups.values()].sort((a, b) => b.total - a.total);
}

/** @param {Frame} frame */
function formatFrame({ name, file, line }) {
  return { name, ...(file === '' ? {} : { file }), ...(line === null ? {} : { line }) };
}
