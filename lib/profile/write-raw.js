import { escapeFolded, formatFrame, formatProcess, formatThread } from './frame-text.js';

/**
 * Collapsed stacks as py-spy writes them, equal stacks summed, in order of first appearance. Line
 * breaks and semicolons inside names are written as `\x0a`, `\x0d`, `\x3b`, which our reader undoes.
 * @param {import('./profile.d.ts').Profile} profile
 * @returns {Generator<string, void>} lines with line end
 */
export function* formatRaw(profile) {
  const { rows } = profile;
  const frameTexts = profile.frames.map(frame => escapeFolded(formatFrame(frame)));
  /** @type {Map<string, number>} */
  const weights = new Map();
  for (let row = 0; row < rows.node.length; row++) {
    const text = [
      ...processTexts(profile, rows.process[row] ?? -1),
      ...threadTexts(profile, rows.thread[row] ?? -1),
      ...stackTexts(profile, frameTexts, rows.node[row] ?? -1),
    ].join(';');
    weights.set(text, (weights.get(text) ?? 0) + (rows.weight[row] ?? 0));
  }
  for (const [text, weight] of weights) yield `${text} ${Math.round(weight)}\n`;
}

/** @param {import('./profile.d.ts').Profile} profile @param {number} process */
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

/** @param {import('./profile.d.ts').Profile} profile @param {number} thread */
function threadTexts(profile, thread) {
  const info = profile.threads[thread];
  return info ? [escapeFolded(formatThread(info))] : [];
}

/** @param {import('./profile.d.ts').Profile} profile @param {string[]} frameTexts @param {number} leaf */
function stackTexts(profile, frameTexts, leaf) {
  /** @type {string[]} */
  const texts = [];
  for (let node = leaf; node >= 0; node = profile.nodes.parent[node] ?? -1)
    texts.push(frameTexts[profile.nodes.frame[node] ?? 0] ?? '');
  return texts.reverse();
}
