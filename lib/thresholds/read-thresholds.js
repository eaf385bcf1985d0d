/** Reads a thresholds file (docs/thresholds.md). */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { findClosest } from '../closest.js';
import { LoadflameError } from '../errors.js';
import { loadRules } from '../hotpath/load-rules.js';
import { parseThreshold, ThresholdMistake } from './parse-threshold.js';

/** @import { Threshold } from './threshold.d.ts' */

const KEYS = ['thresholds', 'endpoints'];
const SHAPE =
  'write a list below `thresholds:`, and below `endpoints:` one list per endpoint; docs/thresholds.md has an example';

/**
 * @param {string} file
 * @param {{rulesFile: string | null}} options rules of the user may have categories of their own
 * @returns {Promise<Threshold[]>} in the order of the file, at least one
 * @throws {LoadflameError} THRESHOLDS_UNREADABLE, THRESHOLDS_INVALID, RULES_…
 */
export async function readThresholds(file, { rulesFile }) {
  let text;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code ?? String(cause);
    throw new LoadflameError('THRESHOLDS_UNREADABLE', { file, reason }, { cause });
  }
  const { categories } = await loadRules(rulesFile);
  return parseThresholds(text, path.basename(file), [...categories.keys()]);
}

/**
 * @param {string} text YAML
 * @param {string} name of the file, for errors
 * @param {string[]} categories ids
 * @returns {Threshold[]}
 * @throws {LoadflameError} THRESHOLDS_INVALID
 */
export function parseThresholds(text, name, categories) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  /** @param {unknown} node */
  const placeOf = node => {
    const range = /** @type {{range?: [number, number, number] | null} | null} */ (node)?.range;
    return `${name}:${range ? lines.linePos(range[0]).line : 1}`;
  };
  /** @param {unknown} node @param {string} problem @param {string} change */
  const complain = (node, problem, change) =>
    new LoadflameError('THRESHOLDS_INVALID', { at: placeOf(node), problem, change });
  const [broken] = document.errors;
  if (broken) {
    const at = `${name}:${broken.linePos?.[0].line ?? 1}`;
    const problem = broken.message.split('\n')[0]?.replace(/ at line \d+.*$/, '') ?? 'no YAML';
    const change = 'put a text that holds : or # or starts with * in quotes';
    throw new LoadflameError('THRESHOLDS_INVALID', { at, problem, change });
  }
  const root = document.contents;
  if (!isMap(root) && !isSeq(root)) throw complain(root, 'there are no thresholds', SHAPE);
  const thresholds = isSeq(root) ? readList(root, null) : readKeys(root);
  if (thresholds.length === 0) throw complain(root, 'there are no thresholds', SHAPE);
  return thresholds;

  /** @param {import('yaml').YAMLMap} map */
  function readKeys(map) {
    return map.items.flatMap(({ key, value }) => {
      const word = String(isScalar(key) ? key.value : key);
      if (word === 'thresholds') return readList(value, null);
      if (word === 'endpoints') return readEndpoints(key, value);
      const meant = findClosest(word, KEYS);
      const change = meant ? `did you mean ${meant}? ${SHAPE}` : SHAPE;
      throw complain(key, `“${word}” is no key of a thresholds file`, change);
    });
  }

  /** @param {unknown} key @param {unknown} map */
  function readEndpoints(key, map) {
    if (!isMap(map)) throw complain(map ?? key, '`endpoints` does not name endpoints', SHAPE);
    return map.items.flatMap(item => readList(item.value ?? item.key, String(item.key)));
  }

  /** @param {unknown} list @param {string | null} endpoint */
  function readList(list, endpoint) {
    if (!isSeq(list)) throw complain(list, 'this is no list of thresholds', SHAPE);
    return list.items.map(item => {
      if (!isScalar(item) || typeof item.value !== 'string')
        throw complain(item, 'this is no threshold', 'write e.g. `- http.p95 < 400ms`');
      try {
        return parseThreshold(item.value, { place: placeOf(item), endpoint, categories });
      } catch (error) {
        if (error instanceof ThresholdMistake) throw complain(item, error.message, error.change);
        throw error;
      }
    });
  }
}
