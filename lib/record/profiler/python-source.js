/** Keeps the source lines of Python functions, without secrets: the report shows them beside their costs. */
import { entryOf } from '../../base/files/maps.js';
import { REDACTED } from '../../base/files/redaction.js';
import { isSecretField } from '../../base/files/secret-fields.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { splitStatements, TOKEN } from './python-calls.js';

/** @import { Redact } from './clean-segment.js' */

/** Most functions, and most characters of all functions together, in the stored source. */
const MOST_FUNCTIONS = 200;
const MOST_SOURCE = 1_000_000;
/** The companion wraps every request, even if it is in the app's folder: it is not the app's code. */
const COMPANION = /(?:^|\/)loadflame_\w+\.py$/;
/** A generated file may have a line of a megabyte. */
const LONGEST_LINE = 300;
/** A longer function is cut after this many lines. */
const MOST_LINES = 1000;
/** Largest distance between a name and its value, in characters. */
const REACH = 200;
/** `name = `, `"name": `, `name: str = `, `name == (`: the value of that name follows. */
const NAMED = /([\w-]+)(?:["'],|["']?\]?\s*(?::\s*[\w.[\] |]+)?\s*(?:=>|[=!]=|=|:))\s*[([{]*\s*$/;
/** The text between two parts of one value, or two values of one list. */
const BETWEEN_PARTS = /^[\s+,]*$/;
/** Long, without blanks, and mixed unlike any word. */
const LOOKS_SECRET = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+/=.-]{24,}$/;

/** @typedef {{function: string, from: number, lines: string[]}} PythonFunction `function`: `Item.get`, `create_app.item`; `from` its first line, from 1 */

/** @typedef {{file: string, redact: Redact}} KeptSource `file` receives the lines of functions */
/** @typedef {{source: string, isInstalled: boolean, isLinked: boolean}} SourceFile `isLinked`: by a symbolic link */

/**
 * Records the lines of the app's own functions with samples, each once. Skips files behind a link, which may be outside
 * its folder, and names that match several files.
 * @param {KeptSource} source
 * @param {ReadonlySet<string>} changed files modified since the target started
 * @returns {(name: string, short: string, files: SourceFile[]) => void}
 */
export function keepSource({ file, redact }, changed) {
  const out = createNdjsonWriter(file);
  const kept = new Set();
  /** @type {Map<string, PythonFunction[]>} */
  const known = new Map();
  let size = 0;
  return (name, short, files) => {
    const [own, ...others] = files;
    const plain = name.split('.').filter(part => !part.startsWith('<'));
    if (plain.length === 0 || kept.size >= MOST_FUNCTIONS || COMPANION.test(short)) return;
    if (!own && changed.has(short)) {
      const of = { function: plain.join('.'), file: short };
      kept.add(`${short}\n${of.function}`);
      out.append('function', { ...of, isChanged: true });
    }
    if (!own || own.isInstalled || own.isLinked || others.length > 0) return;
    for (const one of entryOf(known, short, () => readPythonFunctions(own.source, redact))) {
      const key = `${short}\n${one.from}`;
      if (kept.has(key) || !`.${one.function}`.endsWith(`.${plain.join('.')}`)) continue;
      size += one.lines.join('\n').length;
      if (size > MOST_SOURCE) return;
      kept.add(key);
      out.append('function', { ...one, file: short });
    }
  };
}

/**
 * @param {string} source
 * @param {Redact} redact
 * @returns {PythonFunction[]} with their decorators
 */
export function readPythonFunctions(source, redact) {
  const lines = redactPython(source, redact).split(/\r?\n/);
  /** @type {{indent: number, name: string, isClass: boolean, from: number, to: number}[]} */
  const blocks = [];
  /** @type {PythonFunction[]} */
  const found = [];
  const close = (/** @type {number} */ indent) => {
    while ((blocks.at(-1)?.indent ?? -1) >= indent) {
      const { isClass, from, to } = blocks.at(-1) ?? { isClass: true, from: 0, to: 0 };
      const name = blocks.map(block => block.name).join('.');
      blocks.pop();
      if (isClass) continue;
      const own = lines.slice(from - 1, Math.min(to, from - 1 + MOST_LINES));
      found.push({ function: name, from, lines: own.map(line => line.slice(0, LONGEST_LINE)) });
    }
  };
  /** Line of the first decorator; 0 none. */
  let decorated = 0;
  for (const { indent, tokens } of splitStatements(source)) {
    const [line, last] = [tokens[0]?.line ?? 1, endOf(tokens.at(-1))];
    close(indent);
    for (const block of blocks) block.to = Math.max(block.to, last);
    if (tokens[0]?.text === '@') {
      decorated ||= line;
      continue;
    }
    const [kind, name] = tokens.slice(tokens[0]?.text === 'async' ? 1 : 0).map(({ text }) => text);
    if ((kind === 'def' || kind === 'class') && name) {
      const from = decorated || line;
      blocks.push({ indent, name, isClass: kind === 'class', from, to: last });
    }
    decorated = 0;
  }
  close(0);
  return found;
}

/** A string may span several lines. @param {import('./python-calls.js').Token | undefined} token */
const endOf = token => (token ? token.line + token.text.split('\n').length - 1 : 1);

/**
 * Only literals and comments can contain a secret: the code around them is unchanged, and so are line numbers.
 * @param {string} source
 * @param {Redact} redact
 */
export function redactPython(source, redact) {
  /** End of the last literal that was redacted. */
  let taken = -1;
  return source.replace(TOKEN, (text, string, blank, _name, offset) => {
    if (blank?.startsWith('#')) return redact(blank).replaceAll('\n', ' ');
    const isNumber = /^\d{4}/.test(text);
    if (!string && !isNumber) return text;
    const [, open = '', value = '', close = ''] =
      /^(\w*["']+)?(.*[^"'])?(["']*)$/s.exec(text) ?? [];
    const isKey = /^\s*:/.test(source.slice(offset + text.length, offset + text.length + REACH));
    const goesOn = taken >= 0 && !isKey && BETWEEN_PARTS.test(source.slice(taken, offset));
    const isSecret =
      goesOn || LOOKS_SECRET.test(value) || isSecretValue(source, offset, isNumber ? 1 : value);
    if (!isSecret && isNumber) return text;
    if (isSecret && value !== '') taken = offset + text.length;
    const clean = isSecret || text.includes('PRIVATE KEY') ? REDACTED : redact(text);
    if (clean !== REDACTED && countBreaks(clean) === countBreaks(text)) return clean;
    return value === '' ? text : open + REDACTED + '\n'.repeat(countBreaks(text)) + close;
  });
}

/** @param {string} text */
const countBreaks = text => text.split('\n').length - 1;

/**
 * Judges by the name that the value is assigned to, compared with or passed with.
 * @param {string} source @param {number} offset of the literal @param {string | number} value
 */
function isSecretValue(source, offset, value) {
  const lines = source.slice(Math.max(0, offset - REACH), offset).split('\n');
  let before = lines.pop() ?? '';
  while (before.trim() === '' && lines.length > 0) before = `${lines.pop()}\n${before}`;
  // The patterns would try each split of a long gap.
  before = before.replace(/\s+/g, ' ');
  const [, name] = NAMED.exec(before) ?? [];
  if (name) return isSecretField(name, value);
  // `check(token, "…")`, but no subscript: `token["name"]` is a name itself.
  const call = /[\w.-]+\s*\([\w.\s,(-]*$/.exec(before)?.[0] ?? '';
  return (call.match(/[\w-]+/g) ?? []).some(word => isSecretField(word, value));
}
