/**
 * py-spy's text of a frame: `name (file:line)`, `name (file)` or a bare name. Two special outermost frames are
 * `process <pid>:"<cmdline>"` (-s) and `thread (<id>): <name>` (-t).
 */

/** @import { Frame, ThreadInfo } from './profile.d.ts' */

const PROCESS = /^process (\d+):"(.*)"$/s;
const THREAD = /^thread \((0x[\da-fA-F]+|\d+)\)(?:: (.*))?$/s;
// Characters that collapsed stacks can't contain. Only these are escaped, so Windows paths do not change.
const ESCAPES = new Map([
  [';', '\\x3b'],
  ['\n', '\\x0a'],
  ['\r', '\\x0d'],
]);
const ESCAPED = /\\x(3b|0a|0d|5c)/g;

/** Forms of other profilers: CPython's and Austin's `file:name:line`, Pyroscope's, and `perf` with Python's trampoline. */
const FOREIGN = [
  /^py::(?<name>[^:]+):(?<file>.+)$/s,
  /^(?<file>.+):(?<line>\d{1,9}) - (?<name>.+)$/s,
  /^(?<file>.+):(?<name>[^:]+):(?<line>\d{1,9})$/s,
];

/**
 * The file is in the last balanced brackets, so this reads `a (b)::c (lib.so)` as well as `f (/My (dir)/a.py:3)`.
 * @param {string} text
 * @returns {Frame}
 */
export function parseFrame(text) {
  if (!text.endsWith(')')) return parseForeign(text);
  const open = findOpeningBracket(text);
  if (open < 1 || text[open - 1] !== ' ') return { name: text, file: '', line: null };
  const inner = text.slice(open + 1, -1);
  const line = /:(\d{1,9})$/.exec(inner);
  return {
    name: text.slice(0, open - 1),
    file: line ? inner.slice(0, line.index) : inner,
    line: line ? Number(line[1]) : null,
  };
}

/** @param {string} text @returns {Frame} */
function parseForeign(text) {
  for (const form of text.includes(':') ? FOREIGN : []) {
    const { name = '', file = '', line = '' } = form.exec(text)?.groups ?? {};
    if (name !== '') return { name, file, line: Number(line) || null };
  }
  return { name: text, file: '', line: null };
}

/** @param {string} text ends with `)` @returns {number} -1 if brackets don't balance */
function findOpeningBracket(text) {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text.charCodeAt(at);
    if (char === 41) depth++;
    else if (char === 40 && --depth === 0) return at;
  }
  return -1;
}

/** @param {Frame} frame */
export function formatFrame({ name, file, line }) {
  if (file === '') return name;
  return line === null ? `${name} (${file})` : `${name} (${file}:${line})`;
}

/** @param {string} text @returns {{pid: number, cmdline: string} | null} */
export function parseProcess(text) {
  if (!text.startsWith('process ')) return null;
  const match = PROCESS.exec(text);
  return match ? { pid: Number(match[1]), cmdline: match[2] ?? '' } : null;
}

/** @param {{pid: number, cmdline: string}} info */
export const formatProcess = ({ pid, cmdline }) => `process ${pid}:"${cmdline}"`;

/** @param {string} text @returns {ThreadInfo | null} */
export function parseThread(text) {
  if (!text.startsWith('thread (')) return null;
  const match = THREAD.exec(text);
  return match ? { id: match[1] ?? '', name: match[2] ?? '' } : null;
}

/** Makes a text fit between the semicolons of a collapsed stack. @param {string} text */
export function escapeFolded(text) {
  if (!/[;\n\r\\]/.test(text)) return text;
  return text
    .replace(/\\(?=x(?:3b|0a|0d|5c))/g, '\\x5c')
    .replace(/[;\n\r]/g, char => ESCAPES.get(char) ?? char);
}

/** @param {string} text */
export function unescapeFolded(text) {
  if (!text.includes('\\x')) return text;
  return text.replace(ESCAPED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
