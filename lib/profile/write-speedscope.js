import { stackOf } from './stacks.js';

/** @typedef {import('./profile.d.ts').Profile} Profile */

/**
 * A speedscope file, one profile per process and thread, heaviest first; every distinct stack is one
 * sample whose weight is its count (seconds, where the rate is known).
 * @param {Profile} profile
 * @param {{name?: string}} [about]
 * @returns {object} plain JSON, valid against speedscope's file-format-schema.json
 */
export function toSpeedscope(profile, { name = 'loadflame' } = {}) {
  const { rows, rateHz } = profile;
  /** @type {Map<string, {process: number, thread: number, weights: Map<number, number>}>} */
  const groups = new Map();
  for (let row = 0; row < rows.node.length; row++) {
    const [process, thread, node] = [
      rows.process[row] ?? -1,
      rows.thread[row] ?? -1,
      rows.node[row] ?? -1,
    ];
    const key = `${process} ${thread}`;
    const group = groups.get(key) ?? { process, thread, weights: new Map() };
    groups.set(key, group);
    group.weights.set(node, (group.weights.get(node) ?? 0) + (rows.weight[row] ?? 0));
  }
  const profiles = [...groups.values()].map(group => formatGroup(profile, group, rateHz));
  profiles.sort((a, b) => b.endValue - a.endValue);
  return {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'loadflame',
    activeProfileIndex: 0,
    shared: { frames: profile.frames.map(formatFrame) },
    profiles,
  };
}

/**
 * @param {Profile} profile
 * @param {{process: number, thread: number, weights: Map<number, number>}} group
 * @param {number | null} rateHz
 */
function formatGroup(profile, { process, thread, weights }, rateHz) {
  const perSample = rateHz === null ? 1 : 1 / rateHz;
  const values = [...weights.values()].map(weight => weight * perSample);
  return {
    type: 'sampled',
    name: groupName(profile.processes[process], profile.threads[thread]),
    unit: rateHz === null ? 'none' : 'seconds',
    startValue: 0,
    endValue: values.reduce((sum, value) => sum + value, 0),
    samples: [...weights.keys()].map(node => stackOf(profile, node)),
    weights: values,
  };
}

/**
 * @param {import('./profile.d.ts').ProcessInfo | undefined} process
 * @param {import('./profile.d.ts').ThreadInfo | undefined} thread
 */
function groupName(process, thread) {
  const cmdline = process && process.cmdline !== '' ? `:"${process.cmdline}"` : '';
  const parts = [
    process ? `Process ${process.pid}${cmdline}` : '',
    thread ? `Thread ${thread.id}${thread.name === '' ? '' : ` "${thread.name}"`}` : '',
  ].filter(part => part !== '');
  return parts.join(' ') || 'all samples';
}

/** @param {import('./profile.d.ts').Frame} frame */
function formatFrame({ name, file, line }) {
  return { name, ...(file === '' ? {} : { file }), ...(line === null ? {} : { line }) };
}
