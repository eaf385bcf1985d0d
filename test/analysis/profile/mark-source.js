/** Marks lines of a source that a test writes down. */
import { markLines } from '../../../lib/analysis/profile/mark-lines.js';
import { rules } from '../built-profiles.js';

/**
 * @param {string} source of functions that begin in its first column, or in those functions
 * @param {string[]} [files] of other frames, numbered after the lines
 * @param {number[][]} stacks lines that were sampled once, each below the one before it
 * @returns {string[]} "line does" of the lines at which something is known
 */
export function mark(source, files = [], ...stacks) {
  const lines = source.split('\n');
  const functions = lines.flatMap((text, at) => {
    const start = /^( *)(?:async )?def (\w+)/.exec(text);
    if (!start) return [];
    let from = at;
    while (/^ *@/.test(lines[from - 1] ?? '')) from--;
    const length = lines
      .slice(at + 1)
      .findIndex(own => own.trim() && own.search(/\S/) <= (start[1] ?? '').length);
    const own = lines.slice(from, length < 0 ? undefined : at + 1 + length);
    return { function: start[2], file: 'app.py', from: from + 1, lines: own };
  });
  const nameOf = (/** @type {number} */ line) =>
    /def (\w+)/.exec(lines.findLast((text, at) => at < line && text.includes('def ')) ?? '')?.[1];
  const frames = [
    ...lines.flatMap((text, at) =>
      text ? { name: nameOf(at + 1) ?? 'any', file: 'app.py', line: at + 1 } : [],
    ),
    ...files.map((file, at) => ({ name: 'run', file, line: lines.length + 1 + at })),
  ];
  /** @type {[number[], number[], number[]]} */
  const [parents, ofFrames, ends] = [[], [], []];
  for (const stack of stacks) {
    for (const [depth, line] of stack.entries()) {
      parents.push(depth > 0 ? ofFrames.length - 1 : -1);
      ofFrames.push(frames.findIndex(own => own.line === line));
    }
    ends.push(ofFrames.length - 1);
  }
  const nodes = { parent: Int32Array.from(parents), frame: Int32Array.from(ofFrames) };
  const rows = { node: Int32Array.from(ends), weight: new Float64Array(ends.length).fill(1) };
  const profile = /** @type {any} */ ({ frames, nodes, rows });
  const marked = markLines(profile, /** @type {any} */ (functions), rules);
  return marked.frames.flatMap(({ line, does }) => (does?.length ? `${line} ${does}` : []));
}
