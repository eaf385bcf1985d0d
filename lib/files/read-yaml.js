/** The one place that reads YAML: bounded, without prototypes, with the place of everything in it. */
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
import { LoadflameError } from '../errors.js';

/** @import { Document, YAMLMap } from 'yaml' */

/** Files that people write have some kilobytes. */
const MAX_CHARS = 1_000_000;
/** Aliases may make ten times the text of it: more is a mistake, or an attack ("billion laughs"). */
const MAX_GROWTH = 10;
/** What `yaml` counts while it resolves them, each by a walk through the file: people write some dozens. */
const MAX_ALIASES = 1000;

/** @typedef {(string | number)[]} Path */

/**
 * @typedef {object} Place
 * @property {string} at `file:line:column`
 * @property {number} line
 * @property {boolean} isExact the path is in the file; else `at` is the nearest thing around it
 */

/**
 * @typedef {object} YamlFile
 * @property {any} data a plain tree: what aliases share is copied
 * @property {(path: Path, isKey?: boolean) => Place} locate a value (of a map or a list its key), or
 *   with `isKey` the key
 */

/**
 * The text of a file that a user names.
 * @param {string} file
 * @param {string} code of the error where it cannot be read, about `file` and a `reason`
 */
export function readSource(file, code) {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code ?? String(cause);
    throw new LoadflameError(code, { file, reason }, { cause });
  }
}

const QUOTE = 'put a text that contains : or # or starts with * in quotes';

/**
 * @param {string} text YAML or JSON
 * @param {string} file as the user named it
 * @param {object} options
 * @param {string} options.code of the error that is thrown, about its place, what is wrong and what to change
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
  /** @param {number} offset @param {string} problem @param {unknown} [cause] */
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

/** `services.api.ready`, `load.steps[3]` (from 1, as people count) @param {Path} path */
export function formatPath(path) {
  if (path.length === 0) return 'the file';
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step + 1}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/**
 * Aliases share what they stand for, and may even hold themselves: a copy is a plain tree.
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
  throw refuse(
    0,
    Number.isFinite(size)
      ? 'its aliases repeat too much text'
      : 'an alias is circular: it holds itself',
  );
}

/**
 * About how much text a copy has; what is shared counts once.
 * @param {unknown} value @param {Map<object, number>} known
 * @returns {number} Infinity where it holds itself
 */
function measureTree(value, known) {
  if (value === null || typeof value !== 'object') return String(value).length;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, Infinity);
  const chars = Object.entries(value).reduce(
    (sum, [key, item]) => sum + key.length + measureTree(item, known),
    2,
  );
  known.set(value, chars);
  return chars;
}

/**
 * `maxVusers: {{ x }}` without quotes is, to YAML, a map whose key is a map, and Artillery makes
 * NaN of it. What was meant is plain, so it is read as if it had been quoted.
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
      const pair = node.items.find(
        ({ key }) => String(/** @type {any} */ (key)?.value) === String(step),
      );
      if (!pair) return null;
      const isLast = index === path.length - 1;
      // A map or list begins below its key: the key is where one looks for it.
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
