/** What Artillery itself did with each script, recorded by `node scripts/run.js scripts/conformance.js --record`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { artilleryVersion } from './start-plain-artillery.js';

const FILE = path.join(import.meta.dirname, '../fixtures/conformance/reference.json');

/**
 * @typedef {object} Reference
 * @property {string} artillery version
 * @property {Record<string, {hash: string, outcome: import('./run-script.js').Outcome}>} scripts by
 *   name; `hash` of the script that was run
 */

/** @returns {Reference} */
export function readReference() {
  if (!existsSync(FILE)) return { artillery: artilleryVersion(), scripts: {} };
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/**
 * @param {Reference} reference
 * @param {{name: string}[]} scripts that exist: others are left out
 */
export function writeReference(reference, scripts) {
  const names = scripts.map(({ name }) => name).filter(name => name in reference.scripts);
  const sorted = Object.fromEntries(names.map(name => [name, reference.scripts[name]]));
  const all = { artillery: artilleryVersion(), scripts: sorted };
  writeFileSync(FILE, `${JSON.stringify(all, null, 1)}\n`);
}
