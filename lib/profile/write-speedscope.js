import { entryOf } from '../files/maps.js';
import { stackOf, sumRows } from './node-table.js';

/** @import { Frame, ProcessInfo, Profile, ThreadInfo } from './profile.d.ts' */

/** @typedef {{process: number, thread: number, nodes: number[], weights: number[]}} Group */

/**
 * A speedscope file, one profile per process and thread, heaviest first; every distinct stack is one
 * sample whose weight is its count (seconds, where the rate is known). In pieces, because it may be
 * longer than what should be held at once.
 * @param {Profile} profile
 * @param {{name?: string}} [about]
 * @returns {Generator<string, void>} JSON, valid against speedscope's file-format-schema.json
 */
export function* formatSpeedscope(profile, { name = 'loadflame' } = {}) {
  const groups = groupRows(profile);
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
  for (const [i, { process, thread, nodes, weights }] of groups.entries()) {
    const about = {
      type: 'sampled',
      name: groupName(profile.processes[process], profile.threads[thread]),
      unit: profile.rateHz === null ? 'none' : 'seconds',
      startValue: 0,
      endValue: sum(weights),
    };
    yield `${i > 0 ? ',' : ''}${JSON.stringify(about).slice(0, -1)},"samples":[`;
    for (const [at, node] of nodes.entries()) yield `${at > 0 ? ',' : ''}${textOf(node)}`;
    yield `],"weights":[${weights.join(',')}]}`;
  }
  yield ']}';
}

/** @param {Profile} profile @returns {Group[]} heaviest first */
function groupRows(profile) {
  const perSample = profile.rateHz === null ? 1 : 1 / profile.rateHz;
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const { node, shares } of sumRows(profile)) {
    for (const { process, thread, weight } of shares) {
      const key = `${process} ${thread}`;
      const group = entryOf(groups, key, () => ({ process, thread, nodes: [], weights: [] }));
      group.nodes.push(node);
      group.weights.push(weight * perSample);
    }
  }
  return [...groups.values()].sort((a, b) => sum(b.weights) - sum(a.weights));
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * @param {ProcessInfo | undefined} process
 * @param {ThreadInfo | undefined} thread
 */
function groupName(process, thread) {
  const cmdline = process && process.cmdline !== '' ? `:"${process.cmdline}"` : '';
  const parts = [
    process ? `Process ${process.pid}${cmdline}` : '',
    thread ? `Thread ${thread.id}${thread.name === '' ? '' : ` "${thread.name}"`}` : '',
  ].filter(part => part !== '');
  return parts.join(' ') || 'all samples';
}

/** @param {Frame} frame */
function formatFrame({ name, file, line }) {
  return { name, ...(file === '' ? {} : { file }), ...(line === null ? {} : { line }) };
}
