/** Python tracebacks in log lines: what was raised, where, how often. */
import { entryOf } from '../../../base/files/maps.js';
import { CUT_MARK } from '../../../base/files/split-lines.js';
import { listLibraries } from '../../hotpath/load-rules.js';

const FRAME = /^\s+(?:\| )*File "([^"]+)", line (\d+), in (.+)$/;
/** Code that is not the API's own. */
const LIBRARY =
  /site-packages|dist-packages|\/lib\/python\d|^<frozen|^<string>|loadflame_companion\.py$/;
const INSTALLED = /\/(?:site|dist)-packages\/([^/]+)/;
const MAX_EXCEPTION = 300;

let libraries = /** @type {Set<string> | null} */ (null);
/** @type {ReadonlySet<string>} */
const NONE = new Set();
/** An application may be installed as a package, too. @param {string} file @param {ReadonlySet<string>} needed */
function isApplication(file, needed) {
  const name = INSTALLED.exec(file)?.[1]?.replace(/\.py$/, '');
  libraries ??= listLibraries();
  return name !== undefined && !libraries.has(name) && !needed.has(name);
}

/** @typedef {import('../../../run/facts/logs.d.ts').Traceback} Traceback */
/** @typedef {{exception: string, place: string | null}} Raised */

/**
 * @param {string} text of a log record
 * @param {ReadonlySet<string>} [needed] modules of packages that others need
 * @returns {Raised | null} of the last traceback in it (of a chain, the one that was not caught)
 */
export function readTraceback(text, needed = NONE) {
  const start = text.lastIndexOf('Traceback (most recent call last)');
  if (start < 0) return null;
  /** @type {{file: string, line: string, name: string}[]} */
  const frames = [];
  let exception = '';
  for (const line of text.slice(start).split('\n').slice(1)) {
    const frame = FRAME.exec(line);
    if (frame) frames.push({ file: frame[1] ?? '', line: frame[2] ?? '', name: frame[3] ?? '' });
    else if (line !== '' && line !== CUT_MARK && !/^\s/.test(line)) {
      exception = line;
      break;
    }
  }
  const own =
    frames.findLast(({ file }) => !LIBRARY.test(file)) ??
    frames.findLast(({ file }) => isApplication(file, needed)) ??
    frames.findLast(({ file }) => isApplication(file, NONE)) ??
    frames.at(-1);
  return {
    exception: exception.slice(0, MAX_EXCEPTION) || 'an exception whose name was cut off',
    place: own ? `${own.name} (${own.file.split('/').slice(-2).join('/')}:${own.line})` : null,
  };
}

/**
 * Groups tracebacks with the same exception at the same place; their messages may differ.
 * @param {{text: string}[]} lines
 * @param {number} most
 * @param {ReadonlySet<string>} [needed] as readTraceback()
 * @returns {Traceback[]} the most frequent first
 */
export function groupTracebacks(lines, most, needed) {
  /** @type {Map<string, Traceback>} */
  const groups = new Map();
  for (const { text } of lines) {
    const raised = readTraceback(text, needed);
    if (!raised) continue;
    const key = `${raised.exception.split(':')[0]}\n${raised.place}`;
    entryOf(groups, key, () => ({ ...raised, count: 0, text })).count += 1;
  }
  return [...groups.values()].sort((a, b) => b.count - a.count).slice(0, most);
}
