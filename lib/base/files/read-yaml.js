/** The only place that reads YAML: limited, without prototypes, with the position of every value. */
import { readFileSync } from 'node:fs';
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  Scalar,
  visit,
} from 'yaml';
import { LoadflameError, orThrow } from '../errors.js';

/** @import { Document, YAMLMap } from 'yaml' */

/** Files that people write have a few kilobytes. */
const MAX_CHARS = 1_000_000;
/** Aliases may expand the text tenfold: more is a mistake, or an attack ("billion laughs"). */
const MAX_GROWTH = 10;
/** `yaml` walks through the file for each alias; people write a few dozen. */
const MAX_ALIASES = 1000;

/** @typedef {(string | number)[]} Path */

/**
 * @typedef {object} Place
 * @property {string} at `file:line:column`
 * @property {number} line
 * @property {boolean} isExact the path is in the file; otherwise `at` is its nearest parent
 */

/**
 * @typedef {object} YamlFile
 * @property {any} data a plain tree: aliases are copied
 * @property {(path: Path, isKey?: boolean) => Place} locate a value (for a map or a list: its key), or with
 *   `isKey` the key
 */

/**
 * The text of a file that a user names.
 * @param {string} file
 * @param {string} code of the error if it cannot be read, about `file` and a `reason`
 */
export function readSource(file, code) {
  return orThrow(code, { file }, () => readFileSync(file, 'utf8'));
}

const CIRCULAR = 'an alias is circular: it contains itself';
const QUOTE = 'put a text that contains : or # or starts with * in quotes';

/**
 * @param {string} text YAML or JSON
 * @param {string} file as the user named it
 * @param {object} options
 * @param {string} options.code of the error, about its position, what is wrong and what to change
 * @param {number} [options.maxChars]
 * @returns {YamlFile}
 */
export function parseYaml(text, file, { code, maxChars = MAX_CHARS }) {
  const lines = new LineCounter();
  /** @param {number} offset @param {boolean} isExact @returns {Place} */
  const placeOf = (offset, isExact) => {
    const { line, col } = lines.linePos(offset);
    return { at: `${file}:${line || 1}:${col || 1}`, line: line || 1, isExact };
  };
  /**
   * @param {number} offset
   * @param {string} problem
   * @param {unknown} [cause]
   */
  const refuse = (offset, problem, cause) => {
    const about = { file, at: placeOf(offset, true).at, key: 'the file cannot be read as YAML:' };
    const data = { ...about, problem, reason: problem, change: QUOTE };
    return new LoadflameError(code, data, { cause });
  };
  if (text.length > maxChars) throw refuse(0, `has more than ${maxChars / 1e6} MB of text`);
  let document;
  try {
    document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  } catch (cause) {
    throw refuse(0, 'is nested too deeply', cause);
  }
  const [error] = document.errors;
  if (error) throw refuse(error.pos[0], error.message.replace(/\.$/, ''), error);
  quoteTemplates(document);
  refuseStrangeKeys(document, refuse);
  return {
    data: toPlainTree(document, text.length, refuse),
    locate: (path, isKey = false) => {
      for (let length = path.length; length > 0; length--) {
        const isWhole = length === path.length;
        const node = findNode(document, path.slice(0, length), isKey && isWhole);
        if (node?.range) return placeOf(node.range[0], isWhole);
      }
      return placeOf(document.contents?.range?.[0] ?? 0, path.length === 0);
    },
  };
}

/** `services.api.ready`, `load.steps[3]` (counted from 1) @param {Path} path */
export function formatPath(path) {
  if (path.length === 0) return 'the file';
  const steps = path.map(step => (typeof step === 'number' ? `[${step + 1}]` : `.${step}`));
  return steps.join('').replace(/^\./, '');
}

/**
 * Aliases share their value, and may even contain themselves: a copy is a plain tree.
 * @param {Document} document @param {number} chars
 * @param {(offset: number, problem: string, cause?: unknown) => Error} refuse
 */
function toPlainTree(document, chars, refuse) {
  let size;
  try {
    const data = document.toJS({ maxAliasCount: MAX_ALIASES });
    size = measureTree(data, new Map());
    if (size <= MAX_GROWTH * chars + MAX_CHARS) return JSON.parse(JSON.stringify(data) ?? 'null');
  } catch (cause) {
    const [problem = ''] = /** @type {Error} */ (cause).message.split('\n');
    throw refuse(0, problem, cause);
  }
  throw refuse(0, !Number.isFinite(size) ? CIRCULAR : 'its aliases repeat too much text');
}

/**
 * The approximate length of a copy; shared values are measured once.
 * @param {unknown} value @param {Map<object, number>} known
 * @returns {number} Infinity if it contains itself
 */
function measureTree(value, known) {
  if (value === null || typeof value !== 'object') return String(value).length;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, Infinity);
  let chars = 2;
  for (const [key, item] of Object.entries(value)) chars += key.length + measureTree(item, known);
  known.set(value, chars);
  return chars;
}

/**
 * In YAML, `maxVusers: {{ x }}` without quotes is a map whose key is a map, which Artillery turns into NaN. The
 * intention is clear, so it is read as if it had quotes.
 * @param {Document} document
 */
function quoteTemplates(document) {
  visit(document, {
    Map(_, node) {
      const inner = onlyKey(node);
      const name = isMap(inner) ? onlyKey(inner) : undefined;
      if (!isScalar(name)) return undefined;
      const scalar = new Scalar(`{{ ${name.value} }}`);
      scalar.range = node.range;
      return scalar;
    },
  });
}

/** The key of `{ key }`: a flow map with one key and no value. @param {YAMLMap} map */
function onlyKey(map) {
  const [pair] = map.items;
  if (!map.flow || map.items.length !== 1) return undefined;
  const empty = pair?.value === null || (isScalar(pair?.value) && pair.value.value === null);
  return empty ? pair?.key : undefined;
}

/** @param {Document} document @param {(offset: number, problem: string) => Error} refuse */
function refuseStrangeKeys(document, refuse) {
  visit(document, {
    Pair(_, { key }) {
      const node = /** @type {{range?: number[], value?: unknown} | null} */ (key);
      const offset = node?.range?.[0] ?? 0;
      if (isCollection(key)) throw refuse(offset, 'a list or a map cannot be a key');
      if (node?.value === '__proto__') throw refuse(offset, '__proto__ cannot be a key');
    },
  });
}

/**
 * @param {Document} document @param {Path} path @param {boolean} isKey of the last step
 * @returns {{range?: [number, number, number] | null} | null}
 */
function findNode(document, path, isKey) {
  /** @type {any} */
  let node = document.contents;
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const nameOf = (/** @type {any} */ key) => String(key?.value);
      const pair = node.items.find(({ key }) => nameOf(key) === String(step));
      if (!pair) return null;
      const isLast = index === path.length - 1;
      // A map or list begins below its key, where no one would look for it.
      const asKey = isKey || !pair.value || isCollection(pair.value);
      node = isLast && asKey ? pair.key : pair.value;
    } else if (isSeq(node)) node = node.items[Number(step)];
    else return null;
  }
  return node ?? null;
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isPlain(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
