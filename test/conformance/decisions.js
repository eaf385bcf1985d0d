/**
 * Where our engine is not to do what Artillery does: script → anchor of the decision in docs/engine.md.
 * What it does instead is in differences.json (`npm run test:conformance -- --accept <script>` writes it,
 * people check it).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const FILE = path.join(import.meta.dirname, 'differences.json');

/** @type {Record<string, string>} */
export const DECISIONS = {};

/**
 * What of Artillery's outcome is replaced.
 * @typedef {object} Difference
 * @property {string} [ended]
 * @property {Record<string, number | null>} [counters] null: there is none
 * @property {Record<string, number | null>} [summaries]
 * @property {string[]} [vars]
 * @property {string[]} [said]
 * @property {string[]} [seen]
 */

/** @returns {Record<string, Difference>} by script */
export function readDifferences() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}

/** @param {Record<string, Difference>} differences of scripts that have a decision */
export function writeDifferences(differences) {
  const decided = Object.entries(differences).filter(([name]) => name in DECISIONS);
  const sorted = Object.fromEntries(decided.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 1)}\n`);
}

/** @typedef {import('./run-script.js').Outcome} Outcome */

/**
 * @param {Outcome} reference
 * @param {Difference} [difference]
 * @returns {Outcome}
 */
export function applyDifference(reference, { counters, summaries, ...rest } = {}) {
  return {
    ...reference,
    ...rest,
    counters: replace(reference.counters, counters),
    summaries: replace(reference.summaries, summaries),
  };
}

/** @param {Record<string, number>} values @param {Record<string, number | null>} [changes] */
function replace(values, changes = {}) {
  const entries = Object.entries({ ...values, ...changes }).filter(([, value]) => value !== null);
  return /** @type {Record<string, number>} */ (Object.fromEntries(entries));
}

/**
 * @param {Outcome} reference
 * @param {Outcome} ours
 * @returns {Difference}
 */
export function findDifference(reference, ours) {
  /** @type {Record<string, any>} */
  const difference = {};
  for (const part of /** @type {const} */ (['ended', 'vars', 'said', 'seen'])) {
    if (!isDeepStrictEqual(reference[part], ours[part])) difference[part] = ours[part];
  }
  for (const part of /** @type {const} */ (['counters', 'summaries'])) {
    const names = [
      ...new Set([...Object.keys(reference[part]), ...Object.keys(ours[part])]),
    ].sort();
    const changed = names.filter(name => reference[part][name] !== ours[part][name]);
    const changes = changed.map(name => [name, ours[part][name] ?? null]);
    if (changes.length > 0) difference[part] = Object.fromEntries(changes);
  }
  return difference;
}
