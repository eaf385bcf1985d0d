import { entryOf } from '../files/maps.js';
import { escapeFolded, formatFrame, formatProcess, formatThread } from './frame-text.js';
import { stackOf, sumRows } from './node-table.js';

/** @import { Profile } from './profile.d.ts' */

/**
 * Collapsed stacks as py-spy writes them, equal stacks summed, in order of first appearance. Line
 * breaks and semicolons inside names are written as `\x0a`, `\x0d`, `\x3b`, which our reader undoes.
 * @param {Profile} profile
 * @returns {Generator<string, void>} lines with line end
 */
export function* formatRaw(profile) {
  const frameTexts = profile.frames.map(frame => escapeFolded(formatFrame(frame)));
  /** @type {Map<number, string>} */
  const starts = new Map();
  const startOf = (/** @type {number} */ process, /** @type {number} */ thread) => {
    const key = process * (profile.threads.length + 1) + thread;
    return entryOf(starts, key, () =>
      [...processTexts(profile, process), ...threadTexts(profile, thread)].join(';'),
    );
  };
  for (const { node, shares } of sumRows(profile)) {
    const stack = stackOf(profile, node)
      .map(id => frameTexts[id])
      .join(';');
    for (const { process, thread, weight } of shares) {
      const start = startOf(process, thread);
      yield `${start}${start === '' || node < 0 ? '' : ';'}${stack} ${Math.round(weight)}\n`;
    }
  }
}

/** @param {Profile} profile @param {number} process */
function processTexts(profile, process) {
  /** @type {string[]} */
  const texts = [];
  const seen = new Set();
  for (let at = process; at >= 0 && !seen.has(at); at = profile.processes[at]?.parent ?? -1) {
    seen.add(at);
    const info = profile.processes[at];
    if (info) texts.unshift(formatProcess(info).replace(/[\n\r]/g, ' '));
  }
  return texts;
}

/** @param {Profile} profile @param {number} thread */
function threadTexts(profile, thread) {
  const info = profile.threads[thread];
  return info ? [escapeFolded(formatThread(info))] : [];
}
