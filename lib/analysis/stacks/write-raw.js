import { entryOf } from '../../base/files/maps.js';
import { escapeFolded, formatFrame, formatProcess } from './frame-text.js';
import { stackOf } from './stack-of.js';

/** @import { Profile } from './profile.d.ts' */

/**
 * Collapsed stacks as py-spy writes them. Line breaks and semicolons inside names are written as `\x0a`, `\x0d`,
 * `\x3b`, which our reader undoes.
 * @param {Profile} profile of `joinThreads`
 * @returns {Generator<string, void>} lines with line end
 */
export function* formatRaw(profile) {
  const { rows } = profile;
  const frameTexts = profile.frames.map(frame => escapeFolded(formatFrame(frame)));
  /** @type {Map<number, string>} */
  const starts = new Map();
  let stack = '';
  for (const [row, node] of rows.node.entries()) {
    const process = rows.process[row] ?? -1;
    const start = entryOf(starts, process, () => processTexts(profile, process).join(';'));
    if (row === 0 || node !== rows.node[row - 1])
      stack = stackOf(profile, node)
        .map(id => frameTexts[id])
        .join(';');
    const gap = start === '' || node < 0 ? '' : ';';
    yield `${start}${gap}${stack} ${Math.round(rows.weight[row] ?? 0)}\n`;
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
